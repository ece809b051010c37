"""CAHD: groups of similar baskets with different labels (Ghinita, Tao, Kalnis), published by bit voting."""

from typing import Annotated

import numpy as np

from shoal.algorithms.constraint import refusal
from shoal.algorithms.knobs import Many, OneOf
from shoal.algorithms.ring._kernels.bitmaps import cahd_groups, hops, randomness, shuffled
from shoal.algorithms.ring._kernels.labels import arranged
from shoal.algorithms.ring.basket_order import band_order, gray_order, significance
from shoal.algorithms.ring.blocks import Blocks, check_baskets, check_labels, labels_of, release_blocks
from shoal.data import Baskets, Column
from shoal.data.arrays import prefix_sums, take
from shoal.errors import InputError
from shoal.privacy.claim import one_of, whole
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.progress import Progress, rising, silent, watching
from shoal.release import Bitmaps, Result

__all__ = ["cahd"]

_ORDERS = ("gray", "band")


def cahd(
    baskets: Baskets,
    claim: Nonreciprocal,
    label: Column | None = None,
    *,
    order: Annotated[str, OneOf(_ORDERS)] = "gray",
    alpha: Many = 3,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Result[Bitmaps]:
    """Group every record with l - 1 similar ones of other labels, and publish each group by a vote.

    Parameters
    ----------
    baskets : Baskets
        One basket per record.
    claim : Nonreciprocal
        No label is on more than one in l rows of a group; the papers call l p. The k of the claim is l.
    label : Column
        A value of each record, published beside its row, that must not be linked to it.
    order : {"gray", "band"}
        The order in which similar records are looked for: Gray codes, or a band matrix (small data only).
    alpha : int
        alpha * l records on either side are candidates for a group.
    rng : numpy.random.Generator, optional
        For tests and papers only; by default the operating system draws what protects people.
    progress : Progress

    Returns
    -------
    Result of Bitmaps
        The proof, int[l, n], holds l disjoint assignments: the row of each original. It must stay private.

    Raises
    ------
    InputError
        Parameters are wrong; there are no records, or records without label, or too many records for a band matrix.
    InfeasibleError
        l is above the number of labels, or a label is on more than n / l records.

    Notes
    -----
    Guarantee   The claim holds, with k = l: groups have l records and l labels. The last group holds all records that
    are left over, and no label is on more than one in l of them.
    Complexity  O(alpha l) comparisons per record, after sorting.
    Departures  A group is taken only if what remains without it can still be a group. The printed test looks at
    what remains before the group is taken, so it can never fail. Candidates are sought among the nearest 64 alpha l
    records. The original CAHD publishes items as they are; here rows are voted, as Xue et al. do for their comparison.
    Randomness  The order of equal baskets, and which row of its group belongs to whom, are drawn at random.

    References
    ----------
    .. [1] Ghinita, Tao, Kalnis. On the anonymization of sparse high-dimensional data. ICDE 2008.
    .. [2] Ghinita, Kalnis, Tao. Anonymous publication of sensitive transactional data. TKDE 23(2), 2011.
    .. [3] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012, Sec. 5.

    Examples
    --------
    >>> likes = Baskets.of("likes", [["tea"], ["tea"], ["ale"], ["ale", "rum"]])
    >>> faith = Column.of("faith", "sensitive", ["a", "b", "a", "b"])
    >>> sorted(cahd(likes, Nonreciprocal(2, l=2), faith).release.errors.tolist())
    [0, 0, 1, 1]
    """
    one_of("order", order, _ORDERS)
    check_baskets("cahd", baskets)
    l = _asked(claim)
    if label is None:
        raise InputError(f"cahd: l={l} needs labels; give a column the role sensitive")
    labels = labels_of("cahd", label, baskets.n)
    check_labels("cahd", labels, l, baskets.n // l)
    state = randomness(rng)
    progress("ordering baskets")
    first = (
        band_order(baskets)
        if order == "band"
        else gray_order(baskets, significance(baskets), shuffled(state, baskets.n))
    )
    count, done = int(labels.max()) + 1, np.zeros(1, dtype=np.int64)
    ordered = take(baskets.start, baskets.items, first)
    with watching(rising(progress, "grouping baskets"), lambda: done[0] / baskets.n):
        group, groups = cahd_groups(*ordered, labels[first], count, l, whole("alpha", alpha), done)
    inside = np.argsort(group, kind="stable")
    start = prefix_sums(np.bincount(group, minlength=groups))
    grouped = first[inside]
    parts = Blocks(grouped[arranged(labels[grouped], count, start, l)], start)
    trace = {"graph": "groups", "groups": groups, "last": int(start[-1] - start[-2])}
    return release_blocks(
        baskets, parts, claim, state, trace | {"hop": float(hops(baskets.start, baskets.items, first).mean())}
    )


def _asked(claim: Nonreciprocal) -> int:
    """The l of a claim that groups of l records keep."""
    if not isinstance(claim, Nonreciprocal) or claim.l is None:
        raise refusal("cahd", claim)
    if claim.k > claim.l or claim.insiders:
        raise InputError(
            "cahd: groups of l records keep k = l and no insiders; leave k out, or use nonreciprocal"
        )
    return claim.l
