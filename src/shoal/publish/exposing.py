"""How exposed people are in the originals and in the release, for what their claim says may be known; private.

Published items and values count as they are published, so the figures after are never too low.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Baskets, Trees
from shoal.data.lists import owners
from shoal.data.types import I8
from shoal.errors import InputError
from shoal.publish.protocols import Dataset
from shoal.release import Claim, RecodedBaskets
from shoal.report.facts import Audit, Exposed
from shoal.utility.population import expected_risk

__all__ = [
    "IN_PARTS",
    "MANY_SETS",
    "by_some_items",
    "by_some_values",
    "by_the_table",
    "by_whole_baskets",
    "check_population",
    "from_outside",
    "known_items",
]

MANY_SETS = (
    "how likely people are found by what the claim says may be known was not counted: the records hold too many "
    "choices of it; `shoal risk` takes the time to count those of the originals"
)
IN_PARTS = (
    "how likely people are found by what the claim says may be known was not counted: the records are too many to be "
    "held in memory, and are counted where they lie"
)

_MOST_SETS = 1 << 27  # sets of items that are counted in seconds
_MOST_ITEMS = 3


def by_the_table(before: Mapping[str, Any], after: Mapping[str, Any], k: int) -> Exposed:
    """Whoever knows all quasi-identifiers; from `shoal.utility.risk`, which was asked for the share below k."""
    return Exposed("all quasi-identifiers", 1 / k, _told(before, k), _told(after, k))


def _told(facts: Mapping[str, Any], k: int) -> dict[str, float]:
    return {"highest": facts["highest"], "average": facts["average"], "above": facts["below"][str(k)]}


def by_some_items(
    baskets: Baskets,
    release: RecodedBaskets,
    claim: Claim,
    classes: tuple[NDArray[np.integer], NDArray[np.integer]] | None = None,
) -> Iterator[Exposed]:
    """Whoever knows up to m items; beside all quasi-identifiers where `classes` of originals and release are given."""
    from shoal.utility.found_by import by_items  # kernels are heavy; tables need none

    old, new = known_items(baskets, release, claim.exempts)
    m = min(getattr(claim, "m", None) or 1, _MOST_ITEMS)
    if max(_sets(old.start, m), _sets(new.start, m)) > _MOST_SETS:
        return
    k, beside = max(claim.crowd, 2), "" if classes is None else "all quasi-identifiers and "
    pair = (None, None) if classes is None else classes
    for before, after in islice(zip(by_items(old, pair[0]), by_items(new, pair[1]), strict=True), m):
        known = f"{beside}any {_many(before.items, 'item')}"
        yield Exposed(known, 1 / k, _chances(before.least, k), _chances(after.least, k))


def by_whole_baskets(baskets: Baskets, claim: Claim, reached: float) -> Exposed:
    """Whoever knows whole baskets, which were published by vote: the judge found `reached` rows for each at least."""
    from shoal.utility.found_by import whole_baskets

    k = max(claim.crowd, 2)
    return Exposed(
        "the whole basket", 1 / k, _chances(whole_baskets(baskets), k), {"highest": 1 / max(reached, 1)}
    )


def by_some_values(trees: Trees, released: Trees, claim: Claim) -> Iterator[Exposed]:
    """Whoever knows up to m values of a tree, without a relation among them and with one, as far as the claim says."""
    from shoal.utility.found_by import by_values

    m, n, k = min(getattr(claim, "m", 1), _MOST_ITEMS), getattr(claim, "n", 0), max(claim.crowd, 2)
    if max(_sets(trees.start, m), _sets(released.start, m)) > _MOST_SETS:
        return
    for before, after in zip(by_values(trees), by_values(released), strict=True):
        if before.items > m:
            return
        if before.relations <= n:
            known = f"any {_many(before.items, 'value')}{' and a relation among them' if before.relations else ''}"
            yield Exposed(known, 1 / k, _chances(before.least, k), _chances(after.least, k))


def check_population(dataset: Dataset, population: object) -> None:
    """Refuse a population that is no number, or of which the people of the data cannot be a part."""
    if population is None:
        return
    persons = getattr(getattr(dataset, "table", None), "persons", None)
    people = dataset.records if persons is None else len(np.unique(persons))
    if not isinstance(population, int) or isinstance(population, bool) or population < people:
        raise InputError(
            f"audit: the population is a whole number of people, and of at least the {people:,} in the data; give how "
            "many people the data were drawn from"
        )


def from_outside(audit: Audit, population: int | None) -> Audit:
    """The same audit with what a journalist achieves, who does not know who of a population is in the data.

    The chance is the expected one of Benedetti and Franconi, as if the data were drawn at random.
    """
    if population is None:
        return audit
    facts = audit.report.manifest
    before = audit.risk_before.get("records", facts["records_in"])
    after = audit.risk_after.get("records", facts["records_out"])
    exposed = [
        replace(
            one,
            before=_outside(one.before, before / population),
            after=_outside(one.after, after / population),
        )
        for one in audit.exposed
    ]
    return replace(audit, exposed=exposed, population=population)


def _outside(chances: Mapping[str, float], fraction: float) -> dict[str, float]:
    """The chances of one side, with that of a journalist: the fewest look-alikes give the highest one."""
    if not chances.get("highest") or not fraction:
        return dict(chances)
    least = round(1 / chances["highest"])
    return {**chances, "outside": float(expected_risk(np.array([least]), fraction)[least - 1])}


def known_items(baskets: Baskets, release: RecodedBaskets, exempt: bool) -> tuple[Baskets, Baskets]:
    """Original and published items that the attacker may know: all, or those that are not sensitive."""
    forms = release.forms
    labels = tuple(map(str, range(len(forms.labels))))
    secret = baskets.sensitive if exempt else frozenset[int]()
    single = np.flatnonzero(np.diff(forms.start) == 1)
    hidden = frozenset(single[np.isin(forms.leaves[forms.start[single]], list(secret))].tolist())
    published = Baskets(baskets.name, labels, release.start.copy(), release.items.copy())
    return _without(baskets, secret), _without(published, hidden)


def _without(baskets: Baskets, gone: frozenset[int]) -> Baskets:
    """The same baskets without some items."""
    if not gone:
        return baskets
    kept = ~np.isin(baskets.items, list(gone))
    sizes = np.bincount(owners(baskets.start)[kept], minlength=baskets.n)
    start = np.r_[0, np.cumsum(sizes)].astype(np.int64)
    return Baskets(baskets.name, baskets.values, start, baskets.items[kept])


def _sets(start: I8, m: int) -> int:
    """How many sets of m items the records hold."""
    return sum(
        int(many) * comb(size, m) for size, many in enumerate(np.bincount(np.diff(start), minlength=1))
    )


def _chances(least: I8 | None, k: int) -> dict[str, float]:
    """What an attacker achieves for whom each person hides among so many."""
    if least is None or not len(least):
        return {}
    return {
        "highest": float(1 / least.min()),
        "average": float((1 / least).mean()),
        "above": float((least < k).mean()),
    }


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
