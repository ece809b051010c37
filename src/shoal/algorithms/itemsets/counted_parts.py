"""What Apriori Anonymization counts of baskets in parts: items, and the baskets that rare combinations depend on."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from shoal.algorithms.itemsets._kernels.supports import WeightedBaskets, needed
from shoal.algorithms.itemsets.basket_parts import BasketParts, PublishedParts, basket_part
from shoal.algorithms.itemsets.coded_baskets import gather, places_of, recoded, united
from shoal.algorithms.itemsets.item_cuts import cut_forms, require_countable
from shoal.algorithms.itemsets.taxonomy import Taxonomy
from shoal.data import Baskets
from shoal.data.lists import owners, take
from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.errors import InfeasibleError
from shoal.hierarchy import Hierarchy
from shoal.io.array_files import keep, opened
from shoal.release import Forms, RecodedBaskets

__all__ = ["Survey", "gathered", "publish_parts", "survey"]

_SLOTS = 1 << 25  # of the table that counts combinations: half a gigabyte
_KEY = 2**62
_MOST = 1 << 28  # items of distinct baskets that are held at all


@dataclass(frozen=True, slots=True, repr=False)
class Survey(Discreet):
    """What is asked of all parts first.

    use     : int64[leaves]   records that hold each open item
    some    : records that hold an open item at all
    secrets : int64[secrets]  records that hold each sensitive item
    beside  : int64[secrets]  of these, those that hold an open item, too
    strange : items of the vocabulary that occur and have no place in the hierarchy
    """

    use: I8
    some: int
    secrets: I8
    beside: I8
    strange: frozenset[int]

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records hold an item."""
        return {"records with items": self.some}

    def __add__(self, other: "Survey") -> "Survey":
        return Survey(
            self.use + other.use,
            self.some + other.some,
            self.secrets + other.secrets,
            self.beside + other.beside,
            self.strange | other.strange,
        )


def survey(baskets: BasketParts, place: I4, width: int, secrets: int) -> Survey:
    """Count the items of all parts."""
    nothing = np.zeros(secrets, dtype=np.int64)
    empty = Survey(np.zeros(width, dtype=np.int64), 0, nothing, nothing, frozenset())
    return sum(baskets.map(partial(_survey, place, width, secrets), baskets.parts), empty)


def _survey(place: I4, width: int, secrets: int, part: Path) -> Survey:
    start, items = opened(part, "start", "items")
    codes = place[items]
    opens, secret = (codes >= 0) & (codes < width), codes >= width
    row = owners(start)
    holding = np.bincount(row[opens], minlength=len(start) - 1) > 0
    return Survey(
        np.bincount(codes[opens], minlength=width),
        int(holding.sum()),
        np.bincount(codes[secret] - width, minlength=secrets),
        np.bincount(codes[secret & holding[row]] - width, minlength=secrets),
        frozenset(np.unique(items[codes < 0]).tolist()),
    )


def gathered(
    maker: str, baskets: BasketParts, place: I4, canon: I4, secrets: int, *, size: int, k: int, exact: bool
) -> WeightedBaskets:
    """The distinct baskets of all parts, as far as they are needed.

    `canon` gives for each leaf the one that stands for its node of the cut. Unless `exact`, baskets are left out that
    no support below k of a combination of at most `size` items depends on (`needed`).

    Raises
    ------
    InfeasibleError
        Too many baskets are needed, or records are so long that their combinations cannot be counted.
    """
    width = len(canon)
    sieve = _Sieve(width, size, k) if not exact and (width + 1) ** size < _KEY else None
    held: list[WeightedBaskets] = []
    for some in baskets.map(partial(_gather, maker, place, canon, secrets, size), baskets.parts):
        held.append(some if sieve is None else sieve.sifted(some))
        if sum(len(one.items) for one in held) > _MOST:
            raise InfeasibleError(
                f"{maker}: the baskets with rare combinations of {size} items are too many to be held; lower k or m, "
                "or give a hierarchy whose lower levels hold more items each"
            )
    return united(held)


def _gather(maker: str, place: I4, canon: I4, secrets: int, size: int, part: Path) -> WeightedBaskets:
    """The distinct baskets of one part."""
    start, items = opened(part, "start", "items")
    width = len(canon)
    total = max(width + secrets, 1)
    code = np.r_[canon, np.arange(width, total, dtype=np.int32)][place[items]]
    key = np.unique(owners(start) * total + code)
    begins = np.searchsorted(key // total, np.arange(len(start)))
    found = gather(begins.astype(np.int64), (key % total).astype(np.int32), width, secrets)
    require_countable(maker, np.diff(found.start), size)
    return found


class _Sieve:
    """Lets only those baskets pass that are needed beside the ones that passed before (`needed`)."""

    def __init__(self, width: int, size: int, k: int) -> None:
        self._asked = width, size, k, _SLOTS
        self._table = np.full(1024, -1, dtype=np.int64), np.zeros(1024, dtype=np.int64), 0

    def sifted(self, baskets: WeightedBaskets) -> WeightedBaskets:
        """The baskets that are needed; none of them has secrets."""
        rows = baskets.start, baskets.items, baskets.weight
        marked, keys, counts, used = needed(*rows, *self._asked, *self._table)
        self._table = keys, counts, used
        kept = np.flatnonzero(marked)
        start, items = take(baskets.start, baskets.items, kept)
        return baskets._replace(start=start, mid=start[1:], items=items, weight=baskets.weight[kept])


def publish_parts(baskets: BasketParts, hierarchy: Hierarchy, form: I4, *, exempt: bool) -> PublishedParts:
    """Publish all parts under one cut; what they publish is written beside them."""
    taxonomy = Taxonomy.of(hierarchy)
    place, _ = places_of(baskets.outline, hierarchy, exempt=exempt)
    published = cut_forms(baskets.outline, taxonomy, place, form, np.arange(len(baskets.outline.values)))
    task = partial(_publish, baskets.outline, place, published.by_code, published.forms)
    gone = sum(baskets.map(task, baskets.parts))
    none = np.zeros(0, dtype=np.int32)
    outline = RecodedBaskets(
        published.forms,
        np.zeros(1, dtype=np.int64),
        none,
        np.zeros(0, dtype=np.int64),
        baskets.n,
        gone,
        published.rule,
    )
    return PublishedParts(outline, baskets.parts)


def _publish(outline: Baskets, place: I4, by_code: I8, forms: Forms, part: Path) -> int:
    """Write what one part publishes; return how many items were left out."""
    baskets = basket_part(outline, part)
    made = recoded(baskets, by_code[place[baskets.items]], forms)
    keep(part, out_start=made.start, out_items=made.items, gone=np.array([made.suppressed]))
    return made.suppressed
