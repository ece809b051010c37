"""What the owner of a release is warned of, with figures that were measured for this release; private."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from shoal.base.naming import RECODED
from shoal.data.arrays import count_codes
from shoal.hierarchy.labels import numbers_of
from shoal.io.read.cells import cell_texts
from shoal.io.read.mixed_units import MIXED_UNITS, find_mixed_units
from shoal.privacy import KAnonymity
from shoal.publish.draft import Draft
from shoal.report.attack import describe_chances
from shoal.report.facts import Audit
from shoal.report.words import names_in_words
from shoal.shapes.guards import are_sentences

__all__ = ["_UNCHANGED", "warnings_of"]


FEW = 5
"""Below this k, narrow labels tell much; docs/reference/attacks.md has figures of several k."""


_UNCHANGED = (
    "minimal = false changes nothing at k alone: it hides sensitive values from the method, and at k alone no method "
    "uses them; blind is the method whose labels reveal nothing beyond themselves"
)


_UNMEASURED = "not measured for so many records; shoal attack measures it"


def warnings_of(draft: Draft, audit: Audit) -> tuple[str, ...]:
    """What to think about before this release is published, in sentences without a full stop."""
    return (
        *_warn_free_text(draft),
        *_warn_two_units(draft),
        *_warn_narrow_labels(draft, audit.attack or {}),
        *_warn_without_effect(draft),
    )


def _warn_two_units(draft: Draft) -> Iterator[str]:
    """Columns whose numbers seem to be in two units: a range of them is true of the numbers, and not of the people."""
    people = getattr(draft.dataset, "people", draft.dataset)
    table = getattr(people, "table", None) if draft.dataset.in_memory else None
    for column in () if table is None else table.columns:
        if column.role in (*RECODED, "sensitive", "plain"):
            units = find_mixed_units(
                column.name, column.values, count_codes(column.codes, None, len(column.values))
            )
            if units is not None:
                yield f"column '{column.name}': {MIXED_UNITS.format(units=units)}"


def _warn_free_text(draft: Draft) -> Iterator[str]:
    """Columns whose published cells are sentences: their owner wants them out, and may not have read all."""
    if not isinstance(draft.frame, pl.DataFrame):
        return
    for name, role in draft.manifest["columns"].items():
        if role not in (*RECODED, "sensitive", "plain") or name not in draft.frame.columns:
            continue
        if are_sentences(cell_texts(draft.frame[name]).drop_nulls().unique().to_list()):
            yield (
                f"column '{name}' publishes sentences word for word; unless they were chosen from a list, they may "
                "tell anything about anybody: give it the role drop"
            )


def _warn_narrow_labels(draft: Draft, attack: Mapping[str, Any]) -> Iterator[str]:
    """A small k, and ends of ranges that somebody has: what narrow labels tell then."""
    if draft.dataset.shape != "table":
        return
    attackers = attack.get("attackers", ())
    lowest_labels = [attacker for attacker in attackers if attacker["name"] == "lowest-labels"]
    if attackers and not lowest_labels:
        return  # these labels do not say that their parts are inhabited
    figure = describe_chances(lowest_labels[0]) if lowest_labels else _UNMEASURED
    if draft.claim.crowd < FEW and not (lowest_labels and not lowest_labels[0]["figures"]["labels"]):
        small = f"with k = {draft.claim.crowd}, below {FEW}," if draft.claim.crowd > 1 else "without a k"
        yield (
            f"{small} anyone who knows that labels are as narrow as possible may learn more than which row is whose: "
            f"{figure}"
        )
    if exact := names_in_words(_exact_columns(draft)):
        yield (
            f'with recode = "span" and no grid, every range of {exact} ends at values that somebody has: {figure}; set '
            "grid in [method] to round them"
        )


def _exact_columns(draft: Draft) -> list[str]:
    """The columns whose ranges end at values that people have."""
    options = draft.method["parameters"]
    if options.get("recode") != "span":  # "range" writes exact values nowhere
        return []
    grid = options.get("grid")
    grid_by_name = grid if isinstance(grid, Mapping) else {} if grid is None else None
    if grid_by_name is None:
        return []
    hierarchies = getattr(draft.dataset, "hierarchies", {})
    return [
        f"'{name}'"
        for name, hierarchy in hierarchies.items()
        if hierarchy.public and numbers_of(hierarchy) is not None and grid_by_name.get(name) is None
    ]


def _warn_without_effect(draft: Draft) -> Iterator[str]:
    """Options that were given and change nothing."""
    if draft.method["parameters"].get("minimal") is False and isinstance(draft.claim, KAnonymity):
        yield _UNCHANGED
