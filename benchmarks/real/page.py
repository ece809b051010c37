"""`docs/evidence/real.md`, written from `benchmarks/results/real.json` and `real_analyses.json`."""

import json
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .tables import TABLES as ALL_TABLES

__all__ = ["ANALYSES", "PAGE", "TABLES", "keep", "page"]

TABLES = Path(__file__).parents[1] / "results" / "real.json"
ANALYSES = TABLES.with_name("real_analyses.json")
PAGE = Path(__file__).parents[2] / "docs" / "evidence" / "real.md"
_ENDS = (0.05, 0.1, 0.2, 0.4, 0.6, 1.0)  # of the shares of the detail that are lost
_LARGE = 500  # people; tables of fewer are counted apart
_GIVEN = {
    "proposed": "as `init` proposes them",
    "stated": "stated with care",
    "known": "some known two at a time",
}
HEAD = """# Real tables

<!-- Below this line everything is written by benchmarks/real, from what was measured. -->

Public tables about people, patients, students, voters and customers that packages of R carry, as somebody would export
them to csv. Each goes through `shoal init`, `shoal run --as-proposed` and `shoal verify`, and nobody corrects anything
between: `python -m benchmarks.real`. The loss is the mean over all columns but identifiers and free text: a column
that is published exactly counts 0, one that is left out counts 1, so nothing is won by leaving columns out or by
giving them other roles.
"""


def keep(facts: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Keep what was measured, a line for each release, without what a page does not need."""
    dropped = ("lost", "wall_seconds", "exit_code")
    lines = [json.dumps({key: value for key, value in one.items() if key not in dropped}) for one in facts]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The page, from the facts that were kept."""
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    parts = [HEAD, *_describe_losses(tables), *_describe_stopped(tables)]
    if ANALYSES.exists():
        parts += _describe_analyses(json.loads(ANALYSES.read_text(encoding="utf-8")))
    return "\n".join([*parts, *_list_tables(tables)]) + "\n"


def _describe_losses(tables: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How much is lost, all tables together."""
    released = [one for one in tables if "loss" in one]
    yield f"{len(tables)} of the {len(ALL_TABLES)} tables in `benchmarks/real/tables.py` were measured for this page.\n"
    yield "## What is lost\n"
    yield "| tables | released | median loss | above 40% | above 60% |"
    yield "|---|--:|--:|--:|--:|"
    for words, some in (
        (f"of at least {_LARGE} people", [one for one in tables if one["rows"] >= _LARGE]),
        ("smaller ones", [one for one in tables if one["rows"] < _LARGE]),
    ):
        if not some:
            continue
        losses = [one["loss"] for one in some if "loss" in one]
        middle = f"{statistics.median(losses):.1%}" if losses else ""
        above = [sum(loss > bound for loss in losses) for bound in (0.4, 0.6)]
        yield f"| {len(some)} {words} | {len(losses)} | {middle} | {above[0]} | {above[1]} |"
    columns, asked = sum(one["columns"] for one in released), sum(len(one["asked"]) for one in released)
    secret = sum("sensitive" in one["roles"].values() for one in released)
    methods = ", ".join(
        f"`{name}` {times}" for name, times in Counter(one["method"] for one in released).most_common()
    )
    yield (
        f"\nOf {columns:,} columns {asked} are asked about. {secret} of {len(released)} released tables have a "
        f"sensitive column. The methods that `run` chose: {methods}. Every release was verified from its folder."
    )


def _describe_stopped(tables: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where `init`, `run` or `verify` stopped."""
    stopped = [one for one in tables if "loss" not in one]
    if not stopped:
        return
    yield "\n## What stopped\n"
    yield "| table | at | what it said |"
    yield "|---|---|---|"
    for one in stopped:
        said = " ".join(one["says"]).removeprefix("shoal: ").replace("|", "/")
        yield f"| {one['table']} | {one['stopped_at']} | {said} |"


def _describe_analyses(analyses: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Which known analyses survive."""
    yield "\n## Which analyses survive\n"
    yield (
        "Twelve known analyses, on the originals and on releases: regressions, survival curves, cross tables and "
        "means. Values within ranges are drawn five times and estimates are combined, as [the page for analysts]"
        "(../questions/analyse.md) shows. An analysis survives where no coefficient moves by more than two of its "
        "standard errors. A sign is reversed where the originals tell it at 5% and the release says the contrary; "
        "*warned* means that the report of that release doubts signs of such a column.\n"
    )
    kinds = list(dict.fromkeys((one["roles given"], one["k"]) for one in analyses))
    yield "| analysis | " + " | ".join(f"{given}, k = {k}" for given, k in kinds) + " |"
    yield "|---" * (len(kinds) + 1) + "|"
    for name in dict.fromkeys(one["analysis"] for one in analyses):
        cells = {
            (one["roles given"], one["k"]): _say_outcome(one) for one in analyses if one["analysis"] == name
        }
        yield f"| {name} | " + " | ".join(cells.get(kind, "") for kind in kinds) + " |"
    counts = [
        sum(one["survives"] for one in analyses if (one["roles given"], one["k"]) == kind) for kind in kinds
    ]
    yield "| **survive** | " + " | ".join(f"**{count}**" for count in counts) + " |"
    yield "\nRoles: " + "; ".join(f"*{given}*, {words}" for given, words in _GIVEN.items()) + "."


def _say_outcome(one: Mapping[str, Any]) -> str:
    """Whether an analysis survives, and what is lost."""
    if "loss" not in one:
        return f"stopped at {one['stopped_at']}"
    word = "yes" if one["survives"] else "no"
    if one.get("reversed"):
        word += ", a sign reversed" + (", warned" if one["warned"] else "")
    if one.get("lacks"):
        word += f", {one['lacks']}"
    return f"{word} ({one['loss']:.0%})"


def _list_tables(tables: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Every table, those that lose most first."""
    yield "\n## Every table\n"
    yield "| table | people | columns | asked | quasi | sensitive | claim | method | loss |"
    yield "|---|--:|--:|--:|--:|--:|---|---|--:|"
    for one in sorted((one for one in tables if "loss" in one), key=lambda one: -one["loss"]):
        roles = Counter(one["roles"].values())
        claim = ", ".join(f"{key} = {value}" for key, value in one["guarantee"].items())
        yield (
            f"| {one['table']} | {one['rows']:,} | {one['columns']} | {len(one['asked'])} | {roles['quasi']} | "
            f"{roles['sensitive']} | {claim} | {one['method']} | {one['loss']:.1%} |"
        )
