"""The first phase: k-anonymous clusters by the quasi-identifiers alone."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from math import prod
from typing import Literal

import numpy as np

from shoal.algorithms.mixed._kernels import gather
from shoal.algorithms.mixed.mixed_records import Records
from shoal.data import Table
from shoal.data.types import I8
from shoal.hierarchy import Hierarchies
from shoal.privacy import KAnonymity
from shoal.progress import Progress, rising, watching
from shoal.release import Recoded, Result
from shoal.utility import class_of_rows

__all__ = ["Start", "first_clusters", "likely"]

Start = Literal["paper", "kmember", "mstk"]

_ROWS = 1 << 27  # table rows that mstk rolls up in some four seconds


def likely(n: int, k: int, hierarchies: Hierarchies) -> Start:
    """The default for the first clusters: `mstk`, or `paper` where `mstk` would take far longer.

    `mstk` rolls the n records up to every level vector of the hierarchies; `paper` looks at all of them for each of
    n/k seeds.
    """
    rows = n * prod(hierarchy.height + 1 for hierarchy in hierarchies.values())
    return "mstk" if rows <= max(_ROWS, n * n // k) else "paper"


def first_clusters(
    start: Start,
    records: Records,
    table: Table,
    hierarchies: Hierarchies,
    *,
    k: int,
    rng: np.random.Generator | None,
    progress: Progress,
) -> I8:
    """The cluster of each record, 0, 1, ...; every cluster has at least k.

    `paper` is Cluster of Poulis et al.: it takes a random record and the k-1 that pay least with it, again and again.
    The records left over go where they make the cluster pay least. The other ways are the makers of that name.
    Clusters that are published alike are one, however they were formed; `Clusters` makes sure of that.
    """
    if start == "paper":
        draws, done = (rng or np.random.default_rng()).random(records.n // k), np.zeros(1, dtype=np.int64)
        tell = rising(progress, "clusters by the quasi-identifiers")
        with watching(tell, lambda: 1 - (1 - done[0] / len(draws)) ** 2):  # each looks at all that are left
            return gather(records.local.codes, draws, k, records.local.rates, done)
    maker: Callable[..., Result[Recoded]] = getattr(import_module(f"shoal.algorithms.local.{start}"), start)
    rows = records.local.rows  # whom the maker puts where, of equals, must not depend on the file
    moved = Table(tuple(replace(column, codes=column.codes[rows]) for column in table.quasi))
    made = maker(moved, hierarchies, KAnonymity(k), recode=records.local.recode, progress=progress)
    return class_of_rows(made.release)
