"""What those who fit a little knowledge tell of sensitive values, before and after: of baskets and trees; private.

A table tells it of its classes, see `shoal.publish.table.learning`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.data import Baskets, Trees
from shoal.data.lists import owners, runs
from shoal.data.types import B1, I4, I8
from shoal.privacy.sensitive_values import cells
from shoal.privacy.worlds import Worlds, worlds
from shoal.publish.exposing import known_items
from shoal.release import Claim, PublishedBits, RecodedBaskets, Sensitive
from shoal.report.facts import Learned
from shoal.utility.told_by import Fitting, Held, fitting_few, held_of, told

__all__ = ["MANY_FIT", "Both", "from_few_items", "from_values", "from_whole_baskets", "labels"]

MANY_FIT = (
    "what look-alikes tell of sensitive values was not counted: too many records fit too many choices of what may be "
    "known"
)
_MOST = 1 << 22  # pairs of knowledge and a record who fits it, which are looked at in a second or two
_MOST_ITEMS = 2
_MOST_COMPARED = 1 << 18  # items of baskets whose rows are compared once more

Both = tuple[Held, Held]
"""Before and after."""
Classes = NDArray[np.integer]


def from_few_items(
    baskets: Baskets,
    release: RecodedBaskets,
    claim: Claim,
    secrets: Mapping[str, Both],
    classes: tuple[Classes, Classes] | None = None,
) -> Iterator[Learned]:
    """What a few known items tell of each of some columns, before and after, and of the sensitive items.

    `classes` numbers originals and released rows by what is known beside the items.
    """
    m = getattr(claim, "m", None) or 1
    for exempt, wanted in ((claim.exempts, secrets), (True, _secret_items(baskets, release))):
        known = known_items(baskets, release, exempt)
        yield from _by_few([(one.start, one.items) for one in known], m, wanted, classes)


def _by_few(
    lists: Sequence[tuple[I8, I4]],
    m: int,
    secrets: Mapping[str, Both],
    classes: tuple[Classes, Classes] | None,
) -> Iterator[Learned]:
    pair = (None, None) if classes is None else classes
    if not secrets or any(len(start) < 2 for start, _ in lists):
        return
    for items in range(min(m, _MOST_ITEMS), 0, -1):
        known = f"any {items} item{'' if items == 1 else 's'}"
        before, after = (
            fitting_few(*one, items, also, most=_MOST) for one, also in zip(lists, pair, strict=True)
        )
        if before is not None and after is not None:
            beside = "" if classes is None else "all quasi-identifiers and "
            for name, (old, new) in secrets.items():
                yield Learned(name, _figures(before, old), _figures(after, new), f"{beside}{known}")
            return


def _secret_items(baskets: Baskets, release: RecodedBaskets) -> dict[str, Both]:
    """The sensitive items that each record holds, before and after; nothing where no item is sensitive."""
    if not baskets.sensitive:
        return {}
    forms = release.forms
    single = np.where(np.diff(forms.start) == 1, forms.leaves[forms.start[:-1]], -1)
    sides = ((baskets.start, baskets.items), (release.start, single[release.items]))
    held = [_of_some(start, items, list(baskets.sensitive)) for start, items in sides]
    return {"sensitive items": (held[0], held[1])}


def _of_some(start: I8, items: NDArray[np.integer], some: Sequence[int]) -> Held:
    wanted = np.isin(items, some)
    return held_of(owners(start)[wanted], items[wanted].astype(np.int64), len(start) - 1)


def labels(before: Sensitive, after: Sensitive) -> Both:
    """One value of each record, before and after."""
    old, new = cells(before), cells(after)
    return Held(np.arange(len(old) + 1), old), Held(np.arange(len(new) + 1), new)


def from_whole_baskets(name: str, seen: PublishedBits) -> Iterator[Learned]:
    """What the rows tell that may be a person's whose whole basket is known; before, the records with that basket."""
    if seen.label is None or seen.original_label is None or seen.original_items is None:
        return
    found = worlds(seen) if len(seen.original_items) <= _MOST_COMPARED else None
    rows = None if found is None or not found.complete else _rows_of(found)
    if found is None or rows is None:
        return
    before, after = labels(seen.original_label, seen.label)
    own, people = found.originals.of, len(seen.errors)
    old, given = told(Fitting(own, np.arange(people)), before)
    new, still = told(rows, after)
    yield Learned(
        name,
        {**old, "given_away": float(given[own].mean())},
        {**new, "given_away": float(still[own].mean())},
        "the whole basket",
    )


def _rows_of(found: Worlds) -> Fitting | None:
    """For each class of originals, the rows that may be theirs; None where there are too many."""
    original, row = found.original[found.counts], found.row[found.counts]
    size = found.rows.count[row]
    if size.sum() > _MOST:
        return None
    order = np.argsort(found.rows.of, kind="stable")
    first = np.cumsum(found.rows.count) - found.rows.count
    return Fitting(np.repeat(original, size), order[runs(first[row], size)])


def from_values(trees: Trees, released: Trees, m: int, n: int) -> Iterator[Learned]:
    """What up to m known values of a tree tell of its sensitive field, with a relation between two of them if n allows.

    Nothing where no field is sensitive, or there are too many choices.
    """
    if trees.sensitive is None or not trees.n or not released.n:
        return
    for values in range(min(m, _MOST_ITEMS), 0, -1):
        related = values > 1 and n > 0
        before, after = (_by_values(side, values, related) for side in (trees, released))
        if before is not None and after is not None:
            known = f"any {values} value{'' if values == 1 else 's'}"
            yield Learned(
                trees.sensitive,
                _figures(before, _secret_values(trees)),
                _figures(after, _secret_values(released)),
                f"{known}{' and a relation among them' if related else ''}",
            )
            return


def _secret_values(trees: Trees) -> Held:
    """The values of the sensitive field in each record."""
    found = np.zeros(len(trees.items), dtype=bool)
    if trees.sensitive in trees.classes:
        found = trees.kinds[trees.items] == trees.classes.index(trees.sensitive)
    return held_of(owners(trees.start)[found], trees.items[found].astype(np.int64), trees.n)


def _by_values(trees: Trees, values: int, related: bool) -> Fitting | None:
    from shoal.utility.found_by import relations_of, values_of  # kernels are heavy, and verifying needs none

    fitting = fitting_few(*values_of(trees), values, most=_MOST)
    if fitting is None or not related:
        return fitting
    ends, rows = relations_of(trees)
    pair = owners(ends) + fitting.of.max(initial=-1) + 1
    return Fitting(np.r_[fitting.of, pair], np.r_[fitting.record, rows])


def _figures(fitting: Fitting, held: Held) -> dict[str, float]:
    """What is reached, and the share of records of which some knowledge tells a value for certain."""
    found, certain = told(fitting, held)
    sure: B1 = np.zeros(len(held.start) - 1, dtype=bool)
    sure[fitting.record[certain[fitting.of]]] = True
    return {**found, "given_away": float(sure.mean()) if len(sure) else 0.0}
