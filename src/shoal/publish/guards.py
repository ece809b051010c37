"""What is refused although a maker could keep the claim: claims that say nothing, columns that undo what it promises.

Plain and sensitive columns are published as they are. Each is looked at beside the quasi-identifiers:

- it *tells* a quasi-identifier where knowing it, the quasi-identifier is guessed right far more often;
- it *follows* from one where it is guessed right from it: whoever knows the one knows the other;
- it *singles people out* where many hold a value that nobody else holds, or where it is free text.

Guessing is measured by Goodman and Kruskal's lambda, so that one cell that does not fit changes little.
"""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from shoal.data import Baskets, Column, Table, Trees
from shoal.data.counting import how_many, times
from shoal.data.lists import owners
from shoal.data.spelling import alike
from shoal.data.types import B1, I4, I8
from shoal.errors import InputError
from shoal.release import Claim, Recoded
from shoal.utility import class_of_rows

__all__ = [
    "follows",
    "guard",
    "guard_claim",
    "guard_column",
    "guard_items",
    "guard_released",
    "guard_secrets",
    "guard_spelling",
    "guard_telling",
    "lambda_of",
]

_SURE = 0.8  # of the wrong guesses are avoided
_ALONE = 0.05  # of the people hold a value that nobody else holds
_FEW = 10  # people; fewer of them may be chance in a small table
_LONG, _WORDS = 20, 4  # characters and words of a text, on average

_INSTEAD = "make it quasi, drop it, coarsen it with a hierarchy and a level, or set allow = true"


def guard(table: Table, leaves: I4, allow: AbstractSet[str], claim: Claim | None) -> None:
    """Refuse what no release of `table` could honestly claim or safely carry.

    `leaves` are the quasi-identifiers' leaf codes; `allow` names columns to publish whatever they tell.
    """
    guard_claim({column.role for column in table.columns}, claim)
    for column in _published(table, allow):
        guard_column(column, table.persons)
        guard_telling(column, table, leaves)


def guard_claim(roles: AbstractSet[str], claim: Claim | None) -> None:
    """Refuse a claim that says nothing, because no column has the role that it speaks of."""
    if "quasi" not in roles:
        raise InputError(
            "columns: no quasi-identifier, so a claim would be empty; give at least one column the role quasi"
        )
    if claim is not None and "sensitive" in claim.roles and "sensitive" not in roles:
        named = ", ".join(part.named for part in claim.parts if "sensitive" in part.roles)
        raise InputError(
            f"guarantee: {named} is about a sensitive column, and there is none; give one column the role sensitive"
        )


def guard_column(column: Column, persons: I8 | None = None, counts: I8 | None = None) -> None:
    """Refuse a published column that singles people out by itself; `counts` says what each row stands for."""
    n, distinct = int(times(column.codes, counts).sum()), len(np.unique(column.codes))
    if distinct > n / 2 and _is_prose(column):
        raise InputError(
            f"column '{column.name}': it is free text, which can tell anything about anybody; drop it, or set "
            "allow = true to publish it nevertheless"
        )
    alone, people = _alone(column.codes, persons, counts)
    many = alone > people * _ALONE and alone >= _FEW
    if many or (column.role == "plain" and n > 1 and distinct > n / 2):
        raise InputError(
            f"column '{column.name}': {alone} of {people} people hold a value that nobody else holds, which shows "
            f"who they are; {_INSTEAD}"
        )


def guard_items(baskets: Baskets, columns: Iterable[Column]) -> None:
    """Refuse a plain column that tells whether somebody has an item."""
    owner = owners(baskets.start)
    for column in columns:
        if _tells_items(column.codes, owner, baskets.items, len(baskets.values)):
            raise InputError(
                f"column '{column.name}': its value tells whether a basket holds a certain item; drop it, coarsen it "
                "with a hierarchy and a level, or set allow = true"
            )


def guard_secrets(baskets: Baskets) -> None:
    """Refuse sensitive items that occur in no basket, or in another spelling too: nobody would be protected."""
    held = np.bincount(baskets.items, minlength=len(baskets.values))
    spelled = Counter(alike(item) for item, many in zip(baskets.values, held, strict=True) if many)
    for number, code in enumerate(sorted(baskets.sensitive), start=1):
        alikes = spelled[alike(baskets.values[code])]
        where = f"column '{baskets.name}': the sensitive item that is number {number} in alphabetical order"
        if alikes > (held[code] > 0):
            raise InputError(
                f"{where} occurs in another spelling (blanks, capitals or a number's form); spell them all alike"
            )
        if not held[code]:
            raise InputError(f"{where} is in no basket; correct it or leave it out")


def guard_spelling(trees: Trees) -> None:
    """Refuse sensitive values of record trees that occur in several spellings."""
    if trees.sensitive is None:
        return
    kind = trees.classes.index(trees.sensitive)
    values = [value for value, of in zip(trees.values, trees.kinds, strict=True) if of == kind]
    twice = len(values) - len({alike(value) for value in values})
    if twice:
        raise InputError(
            f"'{trees.sensitive}': {twice} sensitive value(s) occur in several spellings (blanks, capitals or a "
            "number's form); spell them alike"
        )


def guard_released(table: Table, leaves: I4, release: Recoded, allow: AbstractSet[str], claim: Claim) -> None:
    """Refuse a release in which plain columns that follow from quasi-identifiers leave anybody too few look-alikes."""
    found = [
        column
        for column in _published(table, allow)
        if column.role == "plain" and follows(column, table, leaves)
    ]
    if not found or not len(release.rows):
        return
    kind = class_of_rows(release)
    for column in found:
        kind = _joined(kind, column.codes[release.rows].astype(np.int64))
    persons = None if table.persons is None else table.persons[release.rows]
    short = _holders(kind, persons, release.counts)[kind] < claim.crowd
    if short.any():
        raise InputError(
            f"column '{found[0].name}': it follows from quasi-identifier '{follows(found[0], table, leaves)}', and "
            "beside what is released of the quasi-identifiers it leaves "
            f"{how_many(short, release.counts)} records with fewer than {claim.crowd} look-alikes; {_INSTEAD}"
        )


def lambda_of(told: Any, given: Any, counts: I8 | None = None) -> float:
    """Goodman and Kruskal's lambda: the share of wrong guesses of `told` that knowing `given` avoids.

    >>> lambda_of([0, 0, 1, 1], [5, 5, 7, 7])
    1.0
    >>> lambda_of([0, 0, 1, 1], [5, 7, 5, 7])
    0.0
    """
    given, told = (np.unique(codes, return_inverse=True)[1] for codes in (given, told))
    if not len(told):
        return 0.0
    pairs, place = np.unique(given.astype(np.int64) * (int(told.max()) + 1) + told, return_inverse=True)
    best = np.zeros(int(given.max()) + 1, dtype=np.int64)
    np.maximum.at(best, pairs // (int(told.max()) + 1), times(place, counts))
    held = times(told, counts)
    blind, all_of_them = int(held.max()), int(held.sum())
    return float((best.sum() - blind) / (all_of_them - blind)) if blind < all_of_them else 0.0


def _published(table: Table, allow: AbstractSet[str]) -> list[Column]:
    """The columns that go out as they are, unless their owner lets them."""
    return [
        column
        for column in table.columns
        if column.role in ("plain", "sensitive") and column.name not in allow
    ]


def guard_telling(column: Column, table: Table, leaves: I4) -> None:
    """Refuse a column that would undo the generalization of a quasi-identifier."""
    shared = _holders(column.codes, table.persons, table.counts)[column.codes] > 1
    for j, quasi in enumerate(table.quasi):
        if lambda_of(leaves[shared, j], column.codes[shared], _some(table.counts, shared)) >= _SURE:
            raise InputError(
                f"column '{column.name}': its value tells the value of quasi-identifier '{quasi.name}'; {_INSTEAD}"
            )


def follows(column: Column, table: Table, leaves: I4) -> str | None:
    """The quasi-identifier that a column follows from."""
    for j, quasi in enumerate(table.quasi):
        shared = times(leaves[:, j], table.counts)[leaves[:, j]] > 1
        if lambda_of(column.codes[shared], leaves[shared, j], _some(table.counts, shared)) >= _SURE:
            return quasi.name
    return None


def _some(counts: I8 | None, rows: B1) -> I8 | None:
    return None if counts is None else counts[rows]


def _tells_items(codes: I4, owner: I8, items: I4, width: int) -> bool:
    """Whether some item's presence is guessed right from a column far more often than without it."""
    people = np.bincount(codes)
    shared = people[codes] > 1
    held = shared[owner]
    pairs, many = np.unique(codes[owner[held]].astype(np.int64) * width + items[held], return_counts=True)
    item = pairs % width
    wrong = np.bincount(item, np.minimum(many, people[pairs // width] - many), width)
    times = np.bincount(item, many, width)
    blind = np.minimum(times, shared.sum() - times)
    return bool(((blind > 1) & (blind - wrong >= _SURE * blind)).any())


def _alone(codes: I4, persons: I8 | None, counts: I8 | None) -> tuple[int, int]:
    """How many people hold a value that nobody else holds, and how many people there are."""
    holders = _holders(codes, persons, counts)
    lonely = holders[codes] == 1
    if persons is None:
        return how_many(lonely, counts), int(holders.sum())
    return len(np.unique(persons[lonely])), len(np.unique(persons))


def _holders(codes: Any, persons: I8 | None, counts: I8 | None = None) -> I8:
    """How many people hold each value."""
    if persons is None:
        return times(codes, counts)
    pairs = np.unique(np.stack([codes, persons], axis=1), axis=0)
    return np.bincount(pairs[:, 0], minlength=int(np.max(codes)) + 1)


def _joined(kind: I8, codes: I8) -> I8:
    """Number pairs of codes."""
    pairs: I8 = np.unique(kind * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return pairs


def _is_prose(column: Column) -> bool:
    """Whether the cells are sentences: long, with several words."""
    texts = [value for value in column.values if value is not None]
    if not texts:
        return False
    words = sum(len(value.split()) for value in texts)
    return sum(map(len, texts)) >= _LONG * len(texts) and words >= _WORDS * len(texts)
