"""`docs/evidence/reliability.md`, written from the result files: what was tried to break shoal, and what came of it.

Run `python -m benchmarks.reliability` after `attackers.py` (also with `--written` and `--control`), `narrow.py`,
`minimality.py`, `soak.py`, `holes.py`, `fuzz.py`, `faults.py` or `mutants.py`. A test
compares the page with the files, so no figure on it is typed.
"""

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).with_name("results")
PAGE = Path(__file__).parents[1] / "docs" / "evidence" / "reliability.md"
HEAD = """# What was tried to break it

A release promises that nobody with the knowledge it allows for can tell a person from at least k-1 others. We
tried to break that promise in every way we could think of, and this page counts the attempts and their results.
We attacked finished releases with programs that share nothing with the one that made them, changed finished releases
to see whether the check notices, stopped runs half-way, and fed shoal damaged and hostile files. If the last
column of the first table is not zero, something did go wrong, and the section below says what and whether it was
fixed. None of this proves that no bug is left, and none of it covers people who know more than the promise
allows for: see [what a release does not protect against](../guarantee/limits.md).

<!-- Below this line everything is written by benchmarks/reliability.py, from what was measured. -->

`benchmarks/reliability.py` writes this page from the
files in `benchmarks/results`, which the programs named below write. Anyone can run them again.
"""


def page(results: Path = RESULTS) -> str:
    """The whole page."""
    parts = [HEAD, "## In short\n", _table(("what", "how much", "broken"), _short(results))]
    for name, section in _SECTIONS.items():
        found = _found(results, name)
        if found is not None:
            parts += section(found)
    return "\n".join(parts).rstrip() + "\n"


def _found(results: Path, name: str) -> Any:
    file = results / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def _short(results: Path) -> Iterator[tuple[str, str, str]]:
    """One line for each kind of attempt."""
    if (written := _found(results, "attackers_written")) is not None:
        yield (
            "attackers written from the definitions, who hold the files of as many releases",
            f"{len(written)}, against {_many(sum(one['people'] for one in written))} people, counted in each release",
            f"{sum(not one['kept'] for one in written)} find somebody among fewer than k",
        )
    if (played := _found(results, "attackers")) is not None:
        inside = [one for case in played for one in case["attackers"] if one["inside"]]
        beyond = sum(one["kept"] is False for one in inside)
        yield (
            f"attackers of `shoal attack` inside a claim, on {len(played)} releases; they read a release as its judge "
            "does",
            f"{len(inside)}",
            f"{beyond} above their bound, as the judge said",
        )
    if (soak := _found(results, "soak")) is not None:
        yield (
            f"releases of {_many(soak['data sets'])} drawn data sets, {_judged_as(soak)}",
            _many(soak["judged"]),
            f"{soak['broken']} claims",
        )
    if (small := _found(results, "soak_memory")) is not None:
        yield (
            f"earlier: releases of {_many(small['data sets'])} drawn data sets of at most 12 records and 8 values "
            f"in a column, {_many(small['formats']['memory'])} of them judged from memory, by hierarchies as the "
            "release had them",
            _many(small["judged"]),
            f"{small['broken']} claims",
        )
    if (holes := _found(results, "holes")) is not None:
        yield (
            f"release folders changed in {len(holes['kinds'])} ways, each judged by `verify` in three modes",
            _many(holes["folders"]),
            f"{len(holes['wrong'])} wrong yes",
        )
    if (narrow := _found(results, "narrow")) is not None:
        yield (
            "releases by `blind` after moving records anywhere inside their labels",
            _many(narrow["moves"]),
            f"{narrow['moves'] - narrow['same']} changed",
        )
    if (fuzz := _found(results, "fuzz")) is not None:
        yield (
            f"inputs for parsers: {', '.join(fuzz)}",
            _many(sum(one["inputs"] for one in fuzz.values())),
            _open(fuzz),
        )
    if (faults := _found(results, "faults")) is not None:
        times = sum(one["times"] for one in faults.values())
        yield (
            "runs killed, starved or disturbed",
            _many(times),
            f"{_wrong(faults)} still go wrong, of {_found_wrong(faults)} that did; no data lost, damaged or exposed",
        )
    if (mutants := _found(results, "mutants")) is not None:
        tried, killed = _tried(mutants)
        yield (
            "small faults put into judges, door, guards, `verify` and labels",
            _many(tried),
            f"{tried - killed} not noticed by a test, {_equivalent(mutants)} with no effect on any input",
        )


def _judged_as(soak: dict[str, Any]) -> str:
    """How releases were judged."""
    memory = soak["formats"].get("memory", 0)
    if not memory:
        return "all judged as they were written, by a twin of each claim"
    as_files = _many(soak["judged"] - memory)
    return f"{as_files} judged as they were written, the others from memory, by a twin of each claim"


def _written(found: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Attackers who hold the files\n"
    yield _said(
        "`python benchmarks/attackers.py --written`: the demo's data, released by many methods. These attackers are "
        "written from the definitions in `tests/support/naive_players.py` and share no code with judges, methods or "
        "`shoal attack`. They read the folder, the configuration and its hierarchy files by themselves. From the "
        "originals they know as much about each person as the claim covers: all quasi-identifiers, any m items, both, "
        "or any m values and n relations of a record tree; for baskets by vote, everyone's whole baskets. Then they "
        "count the rows that fit. This section does not measure what they learn about sensitive values."
    )
    rows = [
        (
            one["data"],
            f"`{one['maker']}`",
            ", ".join(f"{key} = {value}" for key, value in one["numbers"].items()),
            one["format"],
            _many(one["people"]),
            str(one["numbers"]["k"]),
            _many(one["fewest rows"]),
            _chance(one["mean chance"]),
            "yes" if one["kept"] else "**no**",
        )
        for one in found
    ]
    head = ("data", "maker", "claim", "written as", "people", "rows that must fit", "fewest that fit")
    yield _table((*head, "chance on average", "kept"), rows)


def _attackers(found: list[dict[str, Any]]) -> Iterator[str]:
    yield "## Attackers of `shoal attack`\n"
    yield _said(
        "`python benchmarks/attackers.py`: the demo's data, released by many methods. These attackers read a release "
        "as its judge does. So they show what a claim means for people, but are no independent "
        "evidence that it is kept. *At most* is the chance for the person who is found most easily, which must stay "
        "within the bound. Beyond the claim, where nothing is promised, the table shows the attacker who finds most "
        "people. [What each attacker knows](../reference/attacks.md)."
    )
    rows = []
    for case in found:
        asked = ", ".join(f"{key} = {value}" for key, value in case["numbers"].items())
        for one in case["attackers"]:
            if one["inside"]:
                rows.append(
                    (case["data"], f"`{case['maker']}`", asked, f"`{one['name']}`", _chance(one["bound"]),
                     _chance(one["success"]), _chance(one["highest"]), "yes" if one["kept"] else "**no**")
                )  # fmt: skip
        outside = [one for one in case["attackers"] if not one["inside"]]
        if outside:
            worst = max(outside, key=lambda one: one["success"])
            rows.append(
                (case["data"], f"`{case['maker']}`", asked, f"`{worst['name']}`", "beyond",
                 _chance(worst["success"]), _chance(worst["highest"]), "")
            )  # fmt: skip
    yield _table(("data", "maker", "claim", "attacker", "bound", "on average", "at most", "kept"), rows)


def _minimality(found: dict[str, Any]) -> Iterator[str]:
    yield "## Someone who knows the method\n"
    yield (
        f"`python benchmarks/minimality.py`: {found['games']} random data sets of {found['people']} people "
        "for each method, l = 2.\nHow often an attacker guesses a sensitive value right who sees only the class, "
        "and one who makes the\n"
        "release again for every way of assigning values to its people. [Nothing is promised about\n"
        "the latter](../reference/attacks.md#someone-who-knows-the-method); `minimal = false` hides these values "
        "from the method.\n"
    )
    rows = []
    for one in found["played"]:
        cells = [
            "" if made is None else "nothing to learn" if made[name] is None else _chance(made[name])
            for made in (one["steered"], one.get("unsteered"))
            for name in ("inference", "knows-method")
        ]
        rows.append((f"`{one['maker']}`", *cells))
    calm = "`minimal = false`"
    yield _table(
        ("maker", "class alone", "knows the method", f"{calm}: class alone", f"{calm}: knows the method"),
        rows,
    )
    yield "What it costs:\n"
    rows = [
        (
            one["data"],
            f"`{one['maker']}`",
            one["asked"],
            f"`{one['loss']}`",
            *(_chance(loss) for loss in one["losses"]),
        )
        for one in found["prices"]
    ]
    yield _table(("data", "maker", "asked", "loss", "by default", calm), rows)


def _control(found: dict[str, Any]) -> Iterator[str]:
    yield "## Attackers against a control group\n"
    yield _said(
        f"`python benchmarks/attackers.py --control`: {_many(found['records'])} people of Adult, seven columns, "
        f"occupation sensitive, salary class plain. Of these, {found['held']:.0%} are left out of a throw-away "
        f"release. Each attacker is tried on at most {_many(found['played'])} people who are in it and as many who "
        "are not, with the same knowledge and the same guess: how often it is right, in percent with Wilson's 95% "
        "interval, and the residual risk, (in the data - not in it) / (1 - not in it). Learning something about "
        "people who are not in the data is no leak; [what counts as "
        "right](../reference/attacks.md#three-criteria-and-a-control-group)."
    )
    rows = []
    for release in found["releases"]:
        asked = ", ".join(f"{key} = {value}" for key, value in release["asked"].items())
        for one in release["attackers"]:
            rates = [_between(one[who], "rate") for who in ("attack", "control")]
            rows.append(
                (
                    f"`{release['method']}`, {asked}",
                    f"`{one['name']}`",
                    one["criterion"],
                    *rates,
                    _between(one["residual"], "risk"),
                )
            )
    yield _table(("release", "attacker", "criterion", "in the data", "not in it", "residual risk"), rows)


def _between(told: dict[str, float], what: str) -> str:
    """A share in percent, with its interval."""
    return f"{100 * told[what]:.1f} ({100 * told['low']:.1f} to {100 * told['high']:.1f})".replace(
        "-0.0", "0.0"
    )


def _narrow(found: dict[str, Any]) -> Iterator[str]:
    yield "## What narrow labels reveal\n"
    yield _said(
        f"`python benchmarks/narrow.py`: {_many(found['records'])} people of Adult, {found['columns']} columns. No "
        "claim covers someone who knows that labels are as narrow as possible (`lowest-labels` in `shoal attack`). "
        "*Bits* is what a cell says beyond its label; *one world* counts labels of a class that can be filled in only "
        "one way; *alone* counts people who are the only ones of their class in a part of a label. *Singled out* is "
        "how many of the hundred best descriptions of exactly one person are right (`singling-out`, where 37 are "
        "right by chance). Labels of `blind` are not as narrow as possible: every record of 400 people was moved "
        f"anywhere inside its label, {found['moves']} times, and {found['same']} times every cell of the release "
        "stayed the same."
    )
    rows = []
    for one in found["figures"]:
        told, singled = one["told"], one["singled"]
        cells = ["", "", ""]
        if told is not None:
            cells = [f"{told['bits']:.3f}".lstrip("0"), _many(told["one world"]), _many(told["alone"])]
        cells.append("" if singled is None else f"{singled['hits']} of {singled['predicates']}")
        left = f"{one['left out']:.1%}"
        rows.append((f"`{one['method']}`", str(one["k"]), f"{one['ncp']:.4f}".lstrip("0"), left, *cells))
    yield _table(("method", "k", "ncp", "left out", "bits", "one world", "alone", "singled out"), rows)
    if not {"register", "replayed", "singled"} <= found.keys():
        return
    people, everybody = found["register"][0]["rows"], found["register"][0]["register"]
    yield _said(
        "Three more attackers, compared with someone who knows nothing of narrow labels. `singling-out` with public "
        "people: right descriptions of a hundred, and how many of them fit exactly one of as many other people. "
        f"`in-register`: {_many(people)} people of a register of {_many(everybody)} are in the data; how many of them "
        "certainly are, by labels, and how many more because labels are narrow. `replays-cells` knows the method and "
        "every other cell: the chance of the true value before and after, of some forty people at k = 2 and 5."
    )
    by = {name: {_who(one): one for one in found[name]} for name in ("singled", "register", "replayed")}
    rows = []
    for who, one in by["register"].items():
        singled = by["singled"].get(who, {}).get("public people")
        replayed = by["replayed"].get(who)
        rows.append(
            (
                *who,
                "" if singled is None else f"{singled['hits']}, others {singled['on others']:.0f}",
                _many(one["by labels"])
                + (f" and {_many(more)}" if (more := one.get("by narrow labels")) is not None else ""),
                "" if replayed is None else f"{replayed['prior']:.0%} to {replayed['success']:.0%}",
            )
        )
    yield _table(("method", "k", "singled out", "certainly in the data", "a cell is guessed"), rows)
    if (worlds := found.get("worlds")) is not None:
        yield _said(
            f"`python benchmarks/narrow.py worlds`: {_many(worlds['games'])} drawn registers of up to eight people, "
            f"small enough to try every way of assigning rows: {_many(worlds['by labels'])} people are certain by "
            f"labels, and {_many(worlds['by narrow labels'])} more because labels are narrow. `in-register` found all "
            f"of the former and {_many(worlds['told'])} of the latter, and named anyone else in {worlds['wrong']} "
            f"games. It looks at narrow labels class by class; in {_many(worlds['missed'])} games several classes "
            "together make someone certain."
        )


def _who(one: dict[str, Any]) -> tuple[str, str]:
    """The method of a figure, with its labels where they are not the usual ones, and its k."""
    return f"`{one['method']}`{' span' if one.get('recode') == 'span' else ''}", str(one["k"])


def _holes(found: dict[str, Any]) -> Iterator[str]:
    yield "## Changed folders\n"
    yield _said(
        "`python -m benchmarks.holes`: releases of every shape, each changed in one way: cells, rows, columns, words, "
        "numbers and digests of the manifest, groups.json, bytes. `verify` judges each alone, with the configuration, "
        "and with the originals. A yes is wrong if the changed folder keeps less than it claims, counted by "
        f"a twin that imports nothing of shoal. Of {_many(found['answers'])} answers {_many(found['yes'])} were yes: "
        "the change concerns no promise, or the claim still holds, or readers see no difference."
    )
    yield _table(
        ("what was changed", "folders"), [(name, _many(count)) for name, count in found["kinds"].items()]
    )


def _soak(found: dict[str, Any]) -> Iterator[str]:
    yield "## Drawn data sets\n"
    yield _said(
        "`python benchmarks/soak.py`: data sets with difficult cases for each method and claim. Each release is "
        "written to a folder, in a random format, read back by plain readers "
        "(`tests/support/naive_reading.py`), and judged by a twin of its claim that is written from the definition "
        f"(`{found['twin']}`). Hierarchies are those that the user gave, a file or a rule, as "
        "`tests/support/naive_hierarchies.py` reads them. All but one in a hundred are written without report and "
        "audit, which take most of the time. With insiders, baskets by vote are judged only with at most 8 records. "
        "*Infeasible*: no release can keep the claim. *Turned away*: shoal refused such data with a sentence."
    )
    yield _said(
        f"The {_many(found['judged'])} judged releases have up to {_many(found['most records'])} records "
        f"and {_many(found['most values'])} different values in a column; {_many(found['suppressed'])} leave people "
        f"out. Data with a column of more than {_many(found['spanned'])} values were not recoded by spans. This took "
        f"{_many(found['cpu_seconds'])} CPU seconds."
    )
    sizes = list(dict.fromkeys((*found["records"], *found["values"])))
    sizes.sort(key=lambda size: int(size.split()[0]) if size[0].isdigit() else 10**9)
    yield _table(
        ("size", "releases with this many records", "releases with this many values in their widest column"),
        [(size, *(_many(found[what].get(size, 0)) for what in ("records", "values"))) for size in sizes],
    )
    formats = [(name, _many(count)) for name, count in sorted(found["formats"].items())]
    yield _table(("judged as", "releases"), formats)
    counts = [
        (
            name,
            *(_many(case[kind]) for kind in ("judged", "infeasible", "turned away")),
            _many(case["most records"]),
            _many(case["most values"]),
            str(len(case["broken"])),
        )
        for name, case in found["cases"].items()
    ]
    head = ("method: claim", "judged", "infeasible", "turned away", "most records", "most values")
    yield _table((*head, "broken"), counts)


def _fuzz(found: dict[str, Any]) -> Iterator[str]:
    yield "## Hostile files\n"
    yield (
        "`python benchmarks/fuzz.py`: inputs from a coverage-guided fuzzer. A parser must read each or\n"
        "refuse it with a sentence, in 20 seconds and 1 GB. Explicit cases (bombs, deep nesting, links,\n"
        "devices, a hundred thousand columns) are tests.\n"
    )
    rows = [
        (
            name,
            _many(one["inputs"]),
            f"{one['seconds'] / 60:.0f}",
            str(len(one["broken"])),
            str(len(one.get("mended", ()))),
        )
        for name, one in found.items()
    ]
    yield _table(("parser", "inputs", "minutes", "broke it", "of these fixed since"), rows)


def _faults(found: dict[str, Any]) -> Iterator[str]:
    yield "## Faults\n"
    yield (
        "`python benchmarks/faults.py`: a run of 4,000 people is disturbed. Afterwards there must be no release or\n"
        "a complete one that passes `shoal verify`; inputs must be unchanged; others must not be able to read\n"
        "anything unjudged; shoal must print a sentence; and the next run must succeed.\n"
    )
    rows = [
        (
            one["what"].rstrip("."),
            _many(one["times"]),
            _many(one["released"]),
            _many(one["hidden"]),
            str(len(one["broken"])),
            str(len(one.get("mended", ()))),
        )
        for one in found.values()
    ]
    head = ("fault", "times", "releases after it", "hidden folders left", "broken")
    yield _table((*head, "of these fixed since"), rows)
    for one in found.values():
        for wrong in one.get("mended", ()):
            yield f"Fixed: {wrong}.\n"


def _mutants(found: dict[str, Any]) -> Iterator[str]:
    yield "## Small faults in the code\n"
    yield (
        "`python benchmarks/mutants.py`: one operator, number or name in the code is changed; some test must fail.\n"
        "*Equivalent* changes have no effect on any input, so no test can notice them.\n"
    )
    rows = []
    for name, one in found.items():
        (tried, killed), same = _tried({name: one}), _equivalent({name: one})
        rows.append(
            (
                name,
                _many(one["files"]),
                _many(one["places"]),
                _many(tried),
                _many(killed),
                _share(killed, tried),
                _many(same),
                _share(killed, tried - same),
            )
        )
    head = (
        "package",
        "files",
        "places",
        "changes tried",
        "noticed",
        "share",
        "equivalent",
        "share of the others",
    )
    yield _table(head, rows)
    tested = sum(told["test"] is not None for one in found.values() for told in one["killed"].values())
    yield _said(
        "A *place* is where something could be changed, even an annotation, where nothing is tried; places are "
        "drawn at random. For changes that were noticed, `benchmarks/results/mutants.json` holds the file, the line, "
        f"and the code before and after; for {_many(tested)} also the test that noticed them, which was not kept for "
        "the others. Changes to code that has changed since are not counted."
    )
    lived = _survivors(found)
    if lived:
        yield "Those that no test noticed:\n"
        rows = [(f"`{said['file']}`", said.get("explained", "not yet explained")) for said in lived]
        yield _table(("file", "explanation"), rows)


_SECTIONS = {
    "attackers_written": _written,
    "attackers": _attackers,
    "attackers_control": _control,
    "narrow": _narrow,
    "minimality": _minimality,
    "soak": _soak,
    "holes": _holes,
    "fuzz": _fuzz,
    "faults": _faults,
    "mutants": _mutants,
}


def _tried(mutants: dict[str, Any]) -> tuple[int, int]:
    """How many changes were tried, and how many a test noticed."""
    killed = sum(len(one["killed"]) for one in mutants.values())
    return killed + sum(len(one["survived"]) for one in mutants.values()), killed


def _survivors(mutants: dict[str, Any]) -> list[dict[str, Any]]:
    return [said for one in mutants.values() for said in one["survived"].values()]


def _equivalent(mutants: dict[str, Any]) -> int:
    """How many changes were found to change nothing that anybody could see."""
    return sum(said.get("explained", "").startswith("Equivalent:") for said in _survivors(mutants))


def _open(fuzz: dict[str, Any]) -> str:
    left = sum(len(one["broken"]) - len(one.get("mended", ())) for one in fuzz.values())
    found = sum(len(one["broken"]) for one in fuzz.values())
    return f"{left} still break one, of {found} that did"


def _found_wrong(faults: dict[str, Any]) -> int:
    return sum(len(one["broken"]) for one in faults.values())


def _wrong(faults: dict[str, Any]) -> int:
    return sum(len(one["broken"]) - len(one.get("mended", ())) for one in faults.values())


def _share(some: int, of: int) -> str:
    return f"{some / max(of, 1):.1%}"


def _many(count: int) -> str:
    return f"{count:,}"


def _chance(share: float) -> str:
    return f"{share:.3f}".lstrip("0") if share < 1 else "1"


def _said(text: str) -> str:
    """A paragraph."""
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n"


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
