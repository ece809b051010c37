"""`docs/beside/race.md`, written from `benchmarks/results/peers.json`; a test compares the two."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["keep", "kept", "page", "write"]

RESULTS = Path(__file__).parents[1] / "results" / "peers.json"
PAGE = Path(__file__).parents[2] / "docs" / "beside" / "race.md"
HEAD = """# A race

<!-- Below this line everything is written by benchmarks/peers, from what was measured. -->

shoal beside what else makes tables k-anonymous and installs from PyPI, on the same data, measured by the same code.
`python -m benchmarks.peers` runs it: each racer in an environment of its own, with the options that its manual
recommends. This page is written from `benchmarks/results/peers.json`; a test compares the two.

People are drawn from Adult, one cell in ten from somebody else. Quasi-identifiers in this order: age, sex, race,
education, marital-status, workclass, native-country, occupation, salary-class. All racers have Adult's hierarchies, but
for anonypy, which takes none. One thing at a time is varied around 30,000 people, 5 quasi-identifiers and k = 5, and
around 3,000 people; a racer that is not done with the 30,000 in time has the 3,000 alone.

- *CPU* is seconds of the call that makes the release, after a first call on 500 people; crowds has no first call, for a
  second one in a process would find the answer of the first. shoal judges its release within this time; nobody else
  does.
- *Memory* is the peak of the whole process in MB, its libraries included.
- *Loss* is the mean over people and columns of how many values a cell covers, 0 for one and 1 for all of them. Somebody
  who was left out counts 1. It is computed from the cells of the file by code that no racer shares. `optimal` of shoal
  minimizes another loss by default (glm, over all values of the hierarchy), so that it is not always least here.
- *Kept*: whether each class has k people, by our own group-by.
- *Accuracy*: naive Bayes learns the salary class from the release, and is asked for 5,000 real people who were held
  back. It does not apply where the salary class is a quasi-identifier.
"""
OTHERS = """## Who does not race

- pycanon measures and changes nothing; anjana calls it.
- pyarxaas needs a server that runs ARX. ARX itself races where its jar is given: `--arx JAR`. Here there was none.
- anonymizedf puts invented values in the place of real ones, and anonimize does not speak of classes of k.
- anonympy did not install. pyanon, prinpy (principal curves), kanon (history of astronomy), mondrian (logging) and
  pydeid (identifiers in texts) are about something else than their names promise here.
- datafly, pymondrian, python-mondrian, k-anonymity, kanonymity, anonymity, anonlib, arx-deidentifier and cn-protect
  were not found.
"""


def kept(path: Path = RESULTS) -> dict[str, Any]:
    """What was measured before."""
    if not path.exists():
        return {"machine": "", "racers": {}, "runs": []}
    return json.loads(path.read_text(encoding="utf-8"))


def keep(found: dict[str, Any]) -> None:
    """Write down what was measured."""
    RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def write(found: dict[str, Any]) -> None:
    """Keep it, and write the page."""
    keep(found)
    PAGE.write_text(page(kept()), encoding="utf-8")


def page(found: dict[str, Any]) -> str:
    """The whole page."""
    return "\n".join([HEAD, *_racers(found), *_lost(found), *_cases(found), OTHERS]).rstrip() + "\n"


def _racers(found: dict[str, Any]) -> Iterator[str]:
    yield "## Who races\n"
    rows = [(name, one["version"] or "this one", one["about"]) for name, one in found["racers"].items()]
    yield _table(("racer", "version", "what it does"), rows)
    yield f"Measured on {found['machine']}, busy with other work. A line says so where a run was ended.\n"


def _lost(found: dict[str, Any]) -> Iterator[str]:
    """Where shoal is beaten, by what and by how much."""
    yield "## Where shoal loses\n"
    yield (
        "In each case and by each measure, the best of shoal's methods beside the best of the others that kept the\n"
        "promise. Where the other is better, it stands here.\n"
    )
    rows = []
    for case in sorted({tuple(one["case"]) for one in found["runs"]}):
        runs = [one for one in found["runs"] if tuple(one["case"]) == case and one.get("kept")]
        ours = [one for one in runs if one["racer"].startswith("shoal")]
        theirs = [one for one in runs if not one["racer"].startswith("shoal")]
        for what, (sign, words) in _BY.items():
            both = [[one for one in some if what in one] for some in (ours, theirs)]
            if not all(both):
                continue
            us, them = (min(some, key=lambda one: sign * one[what]) for some in both)
            if sign * them[what] < sign * us[what]:
                rows.append(
                    (
                        _case(case),
                        words,
                        f"{them['racer']}: {_figure(what, them)}",
                        f"{us['racer']}: {_figure(what, us)}",
                    )
                )
    yield _table(("case", "by", "better", "shoal's best"), rows) if rows else "Nowhere in these cases.\n"


_BY = {"cpu": (1, "CPU"), "peak": (1, "memory"), "loss": (1, "loss"), "accuracy": (-1, "accuracy")}


def _cases(found: dict[str, Any]) -> Iterator[str]:
    for case in sorted({tuple(one["case"]) for one in found["runs"]}):
        runs = [one for one in found["runs"] if tuple(one["case"]) == case]
        yield f"## {_case(case)}\n"
        learnt = [one["originals"] for one in runs if "originals" in one]
        if learnt:
            yield f"Learnt from the people themselves, accuracy is {learnt[0]:.3f}.\n"
        rows = [_row(one) for name in found["racers"] for one in runs if one["racer"] == name]
        yield _table(("racer", "CPU", "memory", "loss", "left out", "kept", "accuracy"), rows)


def _row(one: dict[str, Any]) -> tuple[str, ...]:
    if "ended" in one:
        return (one["racer"], one["ended"], "", "", "", "", "")
    promise = "yes" if one["kept"] else f"**no**, {one['smallest']}"
    figures = (_figure(what, one) if what in one else "" for what in ("cpu", "peak", "loss"))
    return (
        one["racer"],
        *figures,
        f"{one['out']:,}",
        promise,
        _figure("accuracy", one) if "accuracy" in one else "",
    )


def _figure(what: str, one: dict[str, Any]) -> str:
    forms = {"cpu": "{:.2f}", "peak": "{:,.0f}", "loss": "{:.4f}", "accuracy": "{:.3f}"}
    return forms[what].format(one[what])


def _case(case: tuple[int, ...]) -> str:
    return f"{case[0]:,} people, {case[1]} quasi-identifiers, k = {case[2]}"


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"
