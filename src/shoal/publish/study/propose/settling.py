"""What the columns say together: whose rows are whose, and which sensitive columns would show who people are."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.data import Column, Table
from shoal.data.types import I4
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.publish.guards import guard, guard_column
from shoal.publish.study.propose.ladder import ladder, levels_shown
from shoal.publish.study.propose.proposal import Proposed
from shoal.publish.study.propose.roles import Choice
from shoal.publish.study.propose.seen import Seen

__all__ = ["is_own", "keep_a_quasi", "settle_persons", "settle_sensitive"]

_PROSE = 2_000  # values that show whether a column is free text
_TOLD = 20_000  # records that show whether a column tells another


def is_own(seen: Seen) -> bool:
    """Whether no two people share a value, and at most one has none."""
    return seen.alone == seen.distinct and seen.missing <= 1


def settle_persons(
    columns: dict[str, Proposed], seen: Mapping[str, Seen], choices: Mapping[str, Choice]
) -> str | None:
    """Find the column whose repeats show that several rows are one person's; leave out other names that repeat."""
    named = [name for name, one in columns.items() if one.role == "identifier"]
    repeated = [name for name in named if not is_own(seen[name])]
    persons = [name for name in repeated if choices[name].person and not seen[name].missing]
    if any(choices[name].person for name in named if name not in repeated):
        persons = []  # every row has a person's number of its own
    person = min(persons, key=lambda name: seen[name].distinct, default=None)
    for name in repeated:
        if name != person and person is None:
            columns[name].shared = True
            columns[name].why += f"; it does not say whose a row is: {_shared(seen[name])}"
    if person is not None:
        rows = seen[person].people / max(seen[person].distinct, 1)
        columns[
            person
        ].why += f"; its values repeat, {rows:.1f} rows per person, so persons are counted, not rows"
        columns[person].look = "whether rows that share a value of it are one person's"
    return person


def _shared(seen: Seen) -> str:
    """Why values do not tell people apart."""
    if seen.alone < seen.distinct:
        return f"{seen.people - seen.missing - seen.alone:,} people share a value with others"
    return f"{seen.missing:,} people have no value"


def settle_sensitive(
    columns: dict[str, Proposed], seen: Mapping[str, Seen], choices: Mapping[str, Choice]
) -> None:
    """A sensitive column that would show who people are is made coarser, or taken for a quasi-identifier."""
    quasi = [seen[name] for name, one in columns.items() if one.role == "quasi"]
    for name, one in columns.items():
        if one.role != "sensitive":
            continue
        if not _passes(seen[name], seen[name].codes):
            made = ladder(seen[name], choices[name].kind, coded=choices[name].coded)
            one.level = None if made is None else _level(seen[name], made)
            if made is None or one.level is None:
                _make_quasi(one, "published as it is, it would show who people are")
                continue
            one.hierarchy, one.levels = made, levels_shown(made, seen[name])
            one.why += f"; exact values would show who people are, so level {one.level} is published"
        elif quasi and _tells(seen[name], quasi):
            _make_quasi(one, "published as it is, it would tell a quasi-identifier")


def _make_quasi(one: Proposed, why: str) -> None:
    one.role, one.why, one.look = "quasi", f"{one.why}, but {why}", "whether it should be published at all"


def _level(seen: Seen, made: Hierarchy | Mapping[str, Any]) -> int | None:
    """The lowest level at which a column may be published; a rule for very many values has few classes."""
    if not isinstance(made, Hierarchy):
        return 1 if "ranges" in made or "dates" in made else None
    places = made.look_up((*seen.values, None))[seen.codes]
    return next((level for level in range(1, made.height) if _passes(seen, made.up[places, level])), None)


def _passes(seen: Seen, codes: I4) -> bool:
    """Whether a column may be published as it is."""
    try:
        guard_column(Column(seen.name, "sensitive", (*seen.values[:_PROSE], None), codes))
    except InputError:
        return False
    return True


def _tells(seen: Seen, quasi: Sequence[Seen]) -> bool:
    columns = [Column(one.name, "quasi", (None,), one.codes[:_TOLD]) for one in quasi]
    own = Column(seen.name, "sensitive", (None,), seen.codes[:_TOLD])
    leaves = np.stack([column.codes for column in columns], axis=1)
    try:
        guard(Table((*columns, own)), leaves, frozenset(), None)
    except InputError:
        return True
    return False


def keep_a_quasi(columns: dict[str, Proposed]) -> None:
    """Without anything that others may know, sensitive columns are taken for it; beside baskets all but one label."""
    roles = [one.role for one in columns.values()]
    if "quasi" in roles:
        return
    labels = [one for one in columns.values() if one.role == "sensitive"]
    for one in labels["items" in roles :]:
        one.level, one.hierarchy = None, None
        _make_quasi(one, "there is no other column that others may know")
