"""Boxes: close boxes of hierarchy nodes by rising cost, each with at least k records."""

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from shoal.algorithms._kernels import NEVER
from shoal.algorithms.demand import Demand
from shoal.algorithms.knobs import Share
from shoal.algorithms.local._kernels.clustering import class_costs
from shoal.algorithms.local.box_filling import Filling
from shoal.algorithms.local.box_ladder import BITS, Axis, axes_of, bundled
from shoal.algorithms.local.class_demand import Whole, ask_of
from shoal.algorithms.local.column_prices import SCALE, shares_of
from shoal.algorithms.local.local_table import Classes, Local
from shoal.algorithms.local.outliers import without_outliers
from shoal.data import Table
from shoal.hierarchy import Hierarchies
from shoal.progress import Progress, Tell, rising, silent
from shoal.release import Claim, Recoded, Result

__all__ = ["boxes"]


LARGEST = 1 << 15  # level vectors to sweep, some thirty times
_FIRST = 64  # the first boxes cost at most so small a part of the price of all roots
_FEW = 10  # where fewer than one tenth of the tuples find a class, dearer boxes are closed
_TRIED = 256  # where no more tuples are free, it is tried what it costs to let each join a class


def boxes(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.0,
    whole: Whole | None = None,
    progress: Progress = silent,
) -> Result[Recoded]:
    """Publish `table` in boxes of hierarchy nodes that hold k records, the cheapest box first.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier.
    claim
        What every class must keep: k-anonymity, l-diversity, t-closeness, beta-likeness, delta-disclosure privacy,
        (alpha,k)-anonymity, or several of them.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. A record is left out only where that
        lowers the loss `ncp`.
    whole
        What t-closeness and the like compare classes with, where `table` is only a part of all records.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells how many level vectors were swept, how many columns climb together, how many boxes were filled
        with records of other classes, and how many tuples found no box.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records, or l exceeds what a sensitive column allows.
    InputError, HierarchyError
        An argument or a hierarchy is wrong.

    Notes
    -----
    *Guarantee.* k holds by construction: a box is closed only with k records. A class that breaks the claim, holds
    fewer than k persons, or is a tuple that found no box, is merged with the class where that adds least loss, until
    there is no such class.

    *Method.* A box is one node per column, and every record in it pays its price. Where only u < k records of a box are
    free, k - u spare ones fill it up: records of classes that have more than k, those first that pay most. The u then
    also pay for what the spare ones lose by it. Boxes are closed by rising pay, each with all that is free in it. One
    sweep over the lattice finds the cheapest box of every tuple. Boxes that are the cheapest one for every free tuple
    in them are closed together: none of them takes what another one needs, unless both want the same spare record.

    Near the end, when few tuples are free, it is tried what it costs to let each of them join a class. The cheapest
    classes are kept.

    *Complexity.* Some thirty sweeps; the early ones look only at cheap boxes, the late ones only at the few tuples that
    are left. Beyond `LARGEST` level vectors two columns or more climb together, at the same share of their heights.

    *Departures.* None: no paper has this maker.

    *Randomness.* None.

    References
    ----------
    .. [1] Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006. (The loss.)

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = Table((Column.of("age", "quasi", ["21", "21", "21", "26", "33", "37"]),))
    >>> tens = [[age, f"{age[0]}*", "*"] for age in ("21", "26", "33", "37")]
    >>> release = boxes(ages, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(2)).release
    >>> [release.forms[0].labels[code] for code in release.codes[:, 0]]
    ['21', '21', '2*', '2*', '3*', '3*']
    """
    demand = Demand.of("boxes", claim, table)
    local = Local.of(
        "boxes", table, hierarchies, recode="hierarchy", grid=None, mix=demand.sensitive, k=demand.k
    )
    local = without_outliers(local, table, demand.k, suppress)
    ask, tally = ask_of("boxes", table, local.rows, demand, whole)
    axes, together = _axes(axes_of(local.hierarchies, local.leaves[local.first], shares_of(table)))
    filling = Filling(axes, local.counts, ask.k)
    least = NEVER
    for alone in _fill(filling, rising(progress, "filling boxes")):
        found, mergers = local.settle(_classes(filling), ask, tally)
        paid = int(class_costs(local.codes, found.walk, found.starts, local.rates).sum())
        if paid < least:
            least, classes = paid, found
            trace = {"filled": filling.filled, "alone": alone, "merged": mergers}
    return local.release(classes, claim, lattice=_vectors(axes), together=together, **trace)


def _axes(axes: Sequence[Axis]) -> tuple[list[Axis], int]:
    """The columns, in bundles that climb together where there are too many level vectors; and how many in each."""
    for many in range(1, len(axes) + 1):
        found = bundled(axes, many)
        if _vectors(found) <= LARGEST and sum(axis.bits for axis in found) <= BITS:
            break
    return found, many


def _vectors(axes: Sequence[Axis]) -> int:
    return prod(axis.top + 1 for axis in axes)


def _fill(filling: Filling, tell: Tell) -> Iterator[int]:
    """Close boxes by rising price up to that of all roots; stop to tell how many tuples are free once they are few."""
    limit, told = SCALE // _FIRST, len(filling.free) + 1
    while (before := len(filling.free)) and limit <= 2 * SCALE:
        taken = filling.close(limit)
        tell(1 - len(filling.free) / len(filling.counts))
        if taken * _FEW < before:
            limit = limit * 3 // 2
            if len(filling.free) <= min(_TRIED, told - 1):
                told = len(filling.free)
                yield told
    if len(filling.free) < told:
        yield len(filling.free)


def _classes(filling: Filling) -> Classes:
    """The classes of all records, and a class for each tuple that is in none."""
    of = np.r_[filling.of, filling.free]
    into = np.r_[filling.into, len(filling.prices) + np.arange(len(filling.free))]
    many = np.r_[filling.many, filling.counts[filling.free]]
    order = np.argsort(of, kind="stable")
    return Classes.of(np.repeat(into[order], many[order]))
