"""`docs/evidence/race.md`, written from `peers.json` and `peers.csv` of `benchmarks/results`; a test compares them."""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.peers import beside

__all__ = ["keep", "kept", "page", "write"]

RESULTS = Path(__file__).parents[1] / "results" / "peers.json"
PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "race.md"
HEAD = """# A race

<!-- Below this line everything is written by benchmarks/peers, from what was measured. -->

This page compares shoal with ARX, sdcMicro and other programs on PyPI that make tables k-anonymous, on the same data,
with the same hierarchies, measured by the same code. `python -m benchmarks.peers` runs the race: each racer in a
separate process and environment, with the options that its manual recommends. `ARX` in the environment is a Java class
path with ARX, `SDCMICRO` a folder of R packages with sdcMicro; without them their rows say *not here*. This page is
written from `peers.json` and `peers.csv` in `benchmarks/results`; a test compares them.

People are drawn from Adult, with one cell in ten from someone else; the cases *Adult* and *mach2019* use the files
unchanged. The quasi-identifiers are, in this order: age, sex, race, education, marital-status, workclass,
native-country, occupation, salary-class; for mach2019 age, familysize, gender, married, race, religion, Q1A, Q2A. All
racers get the hierarchies of the data except anonypy, which takes none. One thing at a time varies around 30,000
people, 5 quasi-identifiers and k = 5; a racer too slow for the 30,000 gets only cases of 3,000.

- *CPU* is seconds of the call that makes the release, over all threads, after a first call on 500 people. crowds has no
  first call, because a second one in the same process would reuse its answer. Java speeds up as it runs, so for ARX it
  is the best of up to three calls. shoal judges its release within this time; no other racer does.
- *Memory* is the peak of the whole process in MB, with its libraries; Java may take up to 4 GB before it frees any.
- *Loss* is the mean over people and columns of how many values a cell covers, 0 for one and 1 for all of them. A person
  who was left out counts 1. It is computed from the cells of the file by code that no racer shares.
- *glm* is the same over all values of the hierarchy, including those that nobody has: `optimal` and ARX minimize
  it. ARX is set to average over columns, as shoal does.
- *Kept*: whether each class has k people, by our own group-by.
- *Accuracy*: naive Bayes learns the salary class from the release, and predicts it for 5,000 real people who were left
  out. It does not apply if the salary class is a quasi-identifier.
"""
OTHERS = """## Who does not race

- pycanon measures and changes nothing; anjana calls it.
- pyarxaas needs a server that runs ARX; ARX itself races.
- anonymizedf replaces real values with invented ones, and anonimize does not form classes of k.
- anonympy did not install. pyanon, prinpy (principal curves), kanon (history of astronomy), mondrian (logging) and
  pydeid (identifiers in texts) do something else than their names suggest.
- datafly, pymondrian, python-mondrian, k-anonymity, kanonymity, anonymity, anonlib, arx-deidentifier and cn-protect
  were not found.
"""


def kept(path: Path = RESULTS) -> dict[str, Any]:
    """What was measured before."""
    if not path.exists():
        return {"racers": {}, "runs": []}
    return json.loads(path.read_text(encoding="utf-8"))


def keep(found: dict[str, Any]) -> None:
    """Write down what was measured."""
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def write(found: dict[str, Any]) -> None:
    """Keep it, and write the page."""
    keep(found)
    PAGE.write_text(page(kept()), encoding="utf-8")


def page(found: dict[str, Any], rows: list[dict[str, str]] | None = None) -> str:
    """The whole page."""
    parts = _parts(beside.kept() if rows is None else rows)
    lines = [HEAD, *_racers(found), *_lost(found, parts), *_cases(found), *_beside(parts), OTHERS]
    return "\n".join(lines).rstrip() + "\n"


def _racers(found: dict[str, Any]) -> Iterator[str]:
    yield "## Who races\n"
    rows = [
        (name, one["version"] or "this one", one["about"], one["machine"])
        for name, one in found["racers"].items()
    ]
    yield _table(("racer", "version", "what it does", "measured on"), rows)
    yield (
        "The machines were busy with other work. A line says so where a run was ended, or was not made. ARX and\n"
        "sdcMicro were compiled from their public sources.\n"
    )


def _lost(found: dict[str, Any], parts: dict[str, Any]) -> Iterator[str]:
    """Where shoal is beaten, by what and by how much."""
    yield "## Where shoal loses\n"
    yield (
        "In each case and by each measure, the best of shoal's methods beside the best of the others that do the same\n"
        "(one level per column, classes or records by themselves, or a part below) and kept the promise. Where the\n"
        "other is better, it stands here; time only where both were measured on one machine. shoal's best may be\n"
        "another method in each line: the fastest need not lose least.\n"
    )
    rows = []
    for case in sorted({tuple(one["case"]) for one in found["runs"]}):
        runs = [one for one in found["runs"] if tuple(one["case"]) == case and one.get("kept")]
        for whole in (True, False):
            some = [one for one in runs if _about(found, one).startswith("one level") == whole]
            rows += _better(_case(case), some, found["racers"])
    for (name, *case), racers in parts.items():
        part = beside.PARTS[name]
        some = [one | {"racer": racer} for racer, one in racers.items() if _promise(name, case[1], one)]
        words = f"{part.title}: {', '.join(filter(None, case))}"
        rows += _better(
            words, some, {}, {what: (1, _WORDS.get(what, what)) for what in part.lower}, part.shown
        )
    yield _table(("case", "by", "better", "shoal's best"), rows) if rows else "Nowhere in these cases.\n"


def _about(found: dict[str, Any], one: dict[str, Any]) -> str:
    return found["racers"][one["racer"]]["about"]


def _better(
    case: str,
    runs: list[dict[str, Any]],
    racers: dict[str, Any],
    by: dict[str, tuple[int, str]] | None = None,
    forms: dict[str, str] | None = None,
) -> Iterator[tuple[str, ...]]:
    """The lines of one case in which another racer is better than shoal."""
    for what, (sign, words) in (by or _BY).items():
        machines = {one["racer"]: racers.get(one["racer"], {}).get("machine") for one in runs}
        for machine in dict.fromkeys(machines.values()) if what == "cpu" else [None]:
            told = [one for one in runs if what in one and machine in (None, machines[one["racer"]])]
            ours = [one for one in told if one["racer"].startswith("shoal")]
            theirs = [one for one in told if one not in ours]
            if not (ours and theirs):
                continue
            us, them = (min(some, key=lambda one: sign * one[what]) for some in (ours, theirs))
            if sign * them[what] < sign * us[what] * (1 - sign * 1e-9):
                yield (
                    case,
                    words,
                    f"{them['racer']}: {_figure(what, them, forms)}",
                    f"{us['racer']}: {_figure(what, us, forms)}",
                )


_BY = {
    "cpu": (1, "CPU"),
    "peak": (1, "memory"),
    "loss": (1, "loss"),
    "glm": (1, "glm"),
    "accuracy": (-1, "accuracy"),
}


def _cases(found: dict[str, Any]) -> Iterator[str]:
    for case in sorted({tuple(one["case"]) for one in found["runs"]}):
        runs = [one for one in found["runs"] if tuple(one["case"]) == case]
        yield f"## {_case(case)}\n"
        learnt = [one["originals"] for one in runs if "originals" in one]
        if learnt:
            yield f"Learnt from the people themselves, accuracy is {learnt[0]:.3f}.\n"
        told = {one["racer"]: one for one in runs}
        rows = [_row(told.get(name, {"racer": name, "ended": "not run"})) for name in found["racers"]]
        yield _table(("racer", "CPU", "memory", "loss", "glm", "left out", "kept", "accuracy"), rows)


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    if "ended" in one:
        return (one["racer"], one["ended"], "", "", "", "", "", "")
    promise = "yes" if one["kept"] else f"**no**, {one['smallest']}"
    figures = (_figure(what, one) if what in one else "" for what in ("cpu", "peak", "loss", "glm"))
    return (
        one["racer"],
        *figures,
        f"{one['out']:,}",
        promise,
        _figure("accuracy", one) if "accuracy" in one else "",
    )


def _parts(rows: list[dict[str, str]]) -> dict[tuple[str, ...], dict[str, dict[str, Any]]]:
    """What the racers of each part told in each case: numbers, or why there are none."""
    found: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for row in rows:
        case = found.setdefault((row["part"], row["data"], row["asked"]), {})
        value: Any = row["value"]
        if row["what"] not in ("ended", "version", "counted") and value:
            value = float(value)
        case.setdefault(row["racer"], {})[row["what"]] = value
    return found


def _promise(part: str, asked: str, one: dict[str, Any]) -> bool:
    """Whether a racer kept what it was asked for, by our own count."""
    promise = beside.PARTS[part].promise
    return "ended" not in one and (
        not promise or one[promise] >= int(asked.split(",")[0].removeprefix("k = "))
    )


def _beside(parts: dict[tuple[str, ...], dict[str, dict[str, Any]]]) -> Iterator[str]:
    for name, part in beside.PARTS.items():
        told = {tuple(case): racers for (one, *case), racers in parts.items() if one == name}
        if not told:
            continue
        yield f"## {part.title}\n"
        yield textwrap.fill(part.words, 120, break_on_hyphens=False) + "\n"
        rows = []
        for case in dict.fromkeys((*told, *(one.words() for one in part.cases))):
            for racer in part.racers:
                one = told.get(case, {}).get(racer, {"ended": "not run"})
                figures = (
                    [one["ended"], *[""] * (len(part.shown) - 1)]
                    if "ended" in one
                    else _written(name, case, one)
                )
                rows.append((*case, f"{racer} {one.get('version', '')}".strip(), *figures))
        yield _table(("data", "asked", "racer", *(_WORDS.get(what, what) for what in part.shown)), rows)


def _written(name: str, case: tuple[str, ...], one: dict[str, Any]) -> list[str]:
    """The figures of one racer; bold where the promise is broken."""
    part = beside.PARTS[name]
    said = {what: _figure(what, one, part.shown) if one.get(what, "") != "" else "" for what in part.shown}
    if not _promise(name, case[1], one):
        said[part.promise] = f"**{said[part.promise]}**"
    return list(said.values())


_WORDS = {"cpu": "CPU", "peak": "memory", "below3": "below 3", "above": "above 0.2", "lost": "spread lost"}
_FORMS = {"cpu": "{:.2f}", "peak": "{:,.0f}", "loss": "{:.4f}", "glm": "{:.4f}", "accuracy": "{:.3f}"}


def _figure(what: str, one: dict[str, Any], forms: dict[str, str] | None = None) -> str:
    return (forms or _FORMS)[what].format(one[what])


def _case(case: tuple[Any, ...]) -> str:
    source = "" if case[0] == "drawn" else f"{case[0]}, "
    return f"{source}{case[1]:,} people, {case[2]} quasi-identifiers, k = {case[3]}"


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
