"""Attackers who know the method: they make the release anew for every way in which values could lie on people.

One knows the sensitive values of all other classes; one knows every other cell and wants a quasi-identifier.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import factorial, prod

import numpy as np

from shoal.attacks.engine import draw_people
from shoal.attacks.result import Outcome
from shoal.base.discreet import SafeRepr
from shoal.data.arrays import I4, I8

__all__ = ["CellReplay", "Replay", "_arrangements", "play_cell_replay", "play_known_method"]

_WAYS = 120  # of spreading the values of a class over its people; all of them for five different values
_REPLAYS = (
    "anyone who also knows how the release was made, and every cell of the data except one, tries which of the values "
    "covered by that cell's label would have given this release"
)
_SENTENCE = (
    "anyone who also knows how the release was made, and the sensitive values of everybody outside the person's class, "
    "tries which values would have given this release"
)


@dataclass(frozen=True, slots=True, repr=False)
class Replay(SafeRepr):
    """A release that can be made anew.

    values : int64[records], the sensitive value of each record; of several columns one number for all
    of     : int64[records], the class in which a record was published, -1 where it was suppressed
    shown  : what would be published if records had these values; None where nothing would
    """

    values: I8
    of: I8
    shown: Callable[[I8], Hashable]


def play_known_method(
    replay: Replay, tries: int, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Outcome:
    """Play whoever knows the method, with about so many `tries` in all.

    The attacker gives each way of spreading the values of a class over its people that leads to the same release the
    same chance. Where there are too many ways, some are drawn, and the true one is added: the figure is then
    rather too high than too low.
    """
    chance, records = rng or np.random.default_rng(), len(replay.values)
    people = draw_people(records, records if most is None else most, chance)
    true_release, chances_of_class = replay.shown(replay.values), dict[int, dict[int, float]]()
    chances = []
    for person in chance.permutation(people).tolist():
        own_class = int(replay.of[person])
        if own_class >= 0 and own_class not in chances_of_class:
            if tries <= 0:
                break
            chances_of_class[own_class], tried = _try_arrangements(
                replay, own_class, true_release, min(tries, _WAYS), chance
            )
            tries -= tried
        chances.append(chances_of_class[own_class][person] if own_class >= 0 else 0.0)
    return Outcome("knows-method", False, None, np.array(chances), records, _SENTENCE)


def _try_arrangements(
    replay: Replay, own: int, truly: Hashable, most: int, chance: np.random.Generator
) -> tuple[dict[int, float], int]:
    """How often each person of a class has the true value, of all ways that lead to the release; and the ways tried."""
    members = np.flatnonzero(replay.of == own)
    true_values = replay.values[members]
    tried, hits = 0, []
    for way in _draw_arrangements(true_values, most, chance):
        tried += 1
        values = replay.values.copy()
        values[members] = way
        if np.array_equal(way, true_values) or replay.shown(values) == truly:
            hits.append(way == true_values)
    return dict(zip(members.tolist(), np.mean(hits, axis=0).tolist(), strict=True)), tried


def _draw_arrangements(values: I8, most: int, chance: np.random.Generator) -> Iterator[I8]:
    """All ways to spread values over people where there are at most so many, else the true one and drawn ones."""
    ways = factorial(len(values)) // prod(factorial(count) for count in Counter(values.tolist()).values())
    if ways <= most:
        yield from (np.array(way) for way in _arrangements(values.tolist()))
        return
    yield values
    yield from (chance.permutation(values) for _ in range(most - 1))


def _arrangements(values: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every different order of some values.

    >>> list(_arrangements([2, 1, 2]))
    [(1, 2, 2), (2, 1, 2), (2, 2, 1)]
    """
    order = sorted(values)
    while True:
        yield tuple(order)
        drop = next((i for i in range(len(order) - 2, -1, -1) if order[i] < order[i + 1]), -1)
        if drop < 0:
            return
        larger = next(i for i in range(len(order) - 1, -1, -1) if order[i] > order[drop])
        order[drop], order[larger] = order[larger], order[drop]
        order[drop + 1 :] = reversed(order[drop + 1 :])


@dataclass(frozen=True, slots=True, repr=False)
class CellReplay(SafeRepr):
    """A release that can be made anew from other quasi-identifiers.

    values : int32[records, columns], the leaf of each cell
    under  : int64, for each cell by record and column: the leaves that its label stands for, its own among them; cells
             that are published as they are, and those of records that were left out, are not there
    same   : whether the same rows would be published if a cell, by record and column, held a leaf
    """

    values: I4
    under: Mapping[tuple[int, int], I8]
    same: Callable[[int, int, int], bool]


def play_cell_replay(
    replay: CellReplay, tries: int, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Outcome:
    """Play whoever knows the method and every other cell, with about so many `tries` in all.

    Of each person one cell is drawn. The attacker starts with how often each leaf occurs in the column among others,
    plus one, and rules out whatever leads to another release. Where a label stands for too many leaves, some are drawn,
    and the true one is added: the figure is then rather too high than too low. Of the figures, `prior` is the chance
    before, on average, `worlds` the share of the tried values that give this release.
    """
    chance = rng or np.random.default_rng()
    cells: dict[int, list[int]] = {}
    for record, column in replay.under:
        cells.setdefault(record, []).append(column)
    people = np.array(sorted(cells), dtype=np.int64)
    played = people[draw_people(len(people), len(people) if most is None else most, chance)]
    chances, priors, worlds, tried = [], [], 0, 0
    for record in chance.permutation(played).tolist():
        if tried >= tries:
            break
        column = int(chance.choice(cells[record]))
        true_leaf, leaves = int(replay.values[record, column]), replay.under[record, column]
        other_leaves = leaves[leaves != true_leaf]
        other_leaves = other_leaves[draw_people(len(other_leaves), _WAYS, chance)]
        times = (
            np.bincount(np.delete(replay.values[:, column], record), minlength=int(leaves.max()) + 1) + 1.0
        )
        is_possible = np.array(
            [replay.same(record, column, leaf) for leaf in other_leaves.tolist()], dtype=bool
        )
        chances.append(times[true_leaf] / (times[true_leaf] + times[other_leaves][is_possible].sum()))
        priors.append(times[true_leaf] / (times[true_leaf] + times[other_leaves].sum()))
        worlds, tried = worlds + 1 + int(is_possible.sum()), tried + 1 + len(other_leaves)
    figures = {"prior": float(np.mean(priors)), "worlds": worlds / tried} if chances else {}
    return Outcome("replays-cells", False, None, np.array(chances), len(people), _REPLAYS, figures=figures)
