"""People who are not in a release, played as if they were: each is given a row that could have been theirs.

A row of a table could be a person's if its labels stand for all quasi-identifiers; of several, one is drawn. Of baskets
and record trees it is the row that shows most of what the person has, sensitive values not counted; of several, one is
drawn. Whoever fits no row has none, as if the record had been suppressed. The row only says what may be known and where
to look: whether a guess about a sensitive value is right is told by the person's own value.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.attacks.view_items import ItemView, MixedView
from shoal.attacks.view_table import TableView, fitting_classes
from shoal.attacks.view_trees import TreeView
from shoal.attacks.view_votes import VoteView
from shoal.data.arrays import B1, I8, U8, owners, take

__all__ = ["as_if_inside"]


def as_if_inside(view: Any, inside: Any, rng: np.random.Generator) -> Any:
    """A view of people who are not in a release, each with a row in it.

    Parameters
    ----------
    view
        These people beside the release; whose row is whose is not looked at.
    inside
        The same release beside those who are in it.
    rng
        Draws one of several rows.
    """
    match view:
        case TableView():
            return replace(view, own=_fitting_rows(view, rng), row_person=_person_of_row(inside))
        case MixedView():
            own = _shown_most(_table_choices(view), rng, len(view.table.own))
            table = replace(view.table, own=own, row_person=_person_of_row(inside.table))
            return replace(view, table=table)
        case VoteView():
            fits = view.fits
            found = (
                None if fits is None else fits.sums()[fits.baskets.of] > 0
            )  # only whether there is one counts
            return replace(view, own=np.full(len(view.own), -1) if found is None else np.where(found, 0, -1))
        case _:
            return replace(view, own=_shown_most(_fact_choices(view), rng, len(view.own)))


def _person_of_row(inside: TableView) -> I8 | None:
    """Whom each released row belongs to, where persons have several."""
    if inside.persons is None:
        return None
    kept = np.flatnonzero(inside.own >= 0)
    found = inside.people + np.arange(
        len(inside.forms), dtype=np.int64
    )  # nobody knows whose: somebody else's each
    found[inside.own[kept]] = inside.person[kept]
    return found


def _fitting_rows(view: TableView, rng: np.random.Generator) -> I8:
    """For each record one of the rows that fit its quasi-identifiers, drawn evenly; -1 where none does."""
    own = np.full(len(view.own), -1, dtype=np.int64)
    order = np.argsort(view.of_row, kind="stable")
    begin = np.cumsum(view.size) - view.size
    for some, who, which in fitting_classes(view, np.arange(len(own), dtype=np.int64)):
        wait = rng.exponential(size=len(who)) / view.size[which]  # the first to come is drawn by its size
        first = np.lexsort((wait, who))
        first = first[np.r_[True, np.diff(who[first]) > 0]] if len(first) else first
        picked = which[first]
        place = begin[picked] + (rng.random(len(picked)) * view.size[picked]).astype(np.int64)
        own[some.start + who[first]] = order[place]
    return own


Choices = Iterator[tuple[int, I8, I8]]
"""A person, the rows that could be theirs, and how much each shows of what the person has."""


def _shown_most(choices: Choices, rng: np.random.Generator, people: int) -> I8:
    own = np.full(people, -1, dtype=np.int64)
    for person, rows, shown in choices:
        if len(rows):
            own[person] = rng.choice(rows[shown == shown.max()])
    return own


def _fact_choices(view: ItemView | TreeView) -> Choices:
    """Rows that show something of what a person has that is not sensitive, in some form."""
    start, fact, bits = view.shown_facts
    for person in range(len(start) - 1):
        known = np.unique(fact[start[person] : start[person + 1]])
        shown = _rows_showing(bits[known[known >= 0]], view.n).sum(axis=0)
        rows = np.flatnonzero(shown)
        yield person, rows, shown[rows]


def _rows_showing(bits: U8, n: int) -> B1:
    return np.unpackbits(bits.view(np.uint8), axis=1, count=n, bitorder="little").astype(bool)


def _table_choices(view: MixedView) -> Choices:
    """Rows that fit all quasi-identifiers, by how many items of the basket they show in some form."""
    begin, by_class = view.rows
    records = np.arange(len(view.table.own), dtype=np.int64)
    for some, who, which in fitting_classes(view.table, records):
        cuts = np.searchsorted(who, np.arange(some.stop - some.start + 1))
        for place in range(some.stop - some.start):
            fits = which[cuts[place] : cuts[place + 1]].tolist()
            if not fits:
                continue
            record = some.start + place
            rows = np.concatenate([by_class[begin[c] : begin[c + 1]] for c in fits])
            items = view.items[view.start[record] : view.start[record + 1]]
            items = items[~np.isin(items, list(view.sensitive))]
            first, entries = take(view.shown, view.entries, rows)
            entry, item = np.nonzero(view.covers[entries][:, items])
            pairs = np.unique(owners(first)[entry] * max(len(items), 1) + item)
            yield record, rows, np.bincount(pairs // max(len(items), 1), minlength=len(rows))
