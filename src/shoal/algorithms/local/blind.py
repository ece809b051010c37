"""Blind: cut boxes by what is public alone, so that labels tell nothing beyond themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from shoal.algorithms.constraint import count_people, number_persons, refuse_crowd, require_k_alone
from shoal.algorithms.knobs import OneOf, Share, suppression_limit
from shoal.algorithms.lattice.cube import Cube
from shoal.algorithms.local._kernels.boxes import ALONE, Policy, PublicShares, Regions, cut_regions
from shoal.algorithms.local.column_prices import shares_of
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.naming import did_you_mean
from shoal.base.progress import Progress, no_progress, poll_kernel, start_step
from shoal.data import Table
from shoal.data.arrays import F8, I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import interval, leaves_of, numbers_of, open_sides, refuse_lookalikes, set_label
from shoal.release import Claim, PublishedValues, Recoded, Result

__all__ = ["blind"]

_RECODES = ("hierarchy", "span")
_REHEARSED = 20_000  # people who are drawn to rehearse on
_SPREADS, _FEARS = (0.5, 0.7, 1.0), (1.0, 2.0, 4.0, 8.0, 16.0)
_SPARE = 0.6  # of the people who may be left out, so many are in the rehearsal: real people are less even


def blind(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    suppress: Share = 0.05,
    recode: Annotated[str, OneOf(_RECODES)] = "hierarchy",
    public: Table | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in boxes that are cut by public shares, never by where values lie inside a box.

    Parameters
    ----------
    table, hierarchies
        The data, and a hierarchy for each quasi-identifier, made without looking at the data.
    claim
        k-anonymity, and nothing else.
    suppress
        The share of records that may be left out, 0 <= suppress < 1. It is never tried again with fewer cuts: where
        more would be left out, there is no release.
    recode
        How a box is cut and written. With `hierarchy` a node is cut into its children. With `span` a run of values is
        cut in two, and written as a range of numbers or a set of values: this loses less.
    public
        Other people, with the same columns: a register, a census, a public sample. How they are spread over values
        decides where boxes are cut. Where nobody is given, all values are taken to be equally likely.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result[Recoded]
        The trace tells the policy that was rehearsed.

    Raises
    ------
    InfeasibleError
        k exceeds the number of records, or more records would be left out than `suppress` allows.
    InputError, HierarchyError
        An argument or a hierarchy is wrong, or a hierarchy was made from the data.

    Notes
    -----
    *Guarantee.* k holds by construction: a box with fewer than k people is left out. And moving records anywhere inside
    their labels gives the same release, so whoever knows the method and the public shares learns no more from labels
    than labels say. That a box is missing tells that fewer than k people are in it. Where boxes are cut depends on how
    many people are in each, those among them who are left out later too; nothing else about these changes the release.

    *Method.* A box is a run of leaves per column; the first holds everybody. The gain of a cut is what the label's
    people are expected to win in detail, less what those who are expected in pieces below k lose by being left out,
    both by the number of people in the box and the public shares. The cut of the best gain for the bits by which it
    spreads people is made, until no cut gains anything. How much spreading and leaving out count is found out before,
    on people drawn from the public shares.

    *Complexity.* O((n + p) d) for each level of cutting, of n records and p public people, and O(k) for each place to
    cut at.

    *Departures.* None: no paper has this method. Cohen (2022) shows what labels reveal that are as narrow as possible.

    *Randomness.* None: people are drawn for the rehearsal with a fixed seed.

    References
    ----------
    .. [1] Cohen. Attacks on deidentification's defenses. USENIX Security 2022.

    Examples
    --------
    >>> from shoal.data import Column
    >>> from shoal.hierarchy import Hierarchy
    >>> from shoal.privacy import KAnonymity
    >>> ages = [str(20 + i % 20) for i in range(400)]
    >>> tens = [[str(age), f"{age // 10}*", "*"] for age in range(20, 40)]
    >>> people = Table((Column.of("age", "quasi", ages),))
    >>> release = blind(people, {"age": Hierarchy.from_paths("age", tens)}, KAnonymity(50)).release
    >>> sorted({release.forms[0].labels[code] for code in release.codes[:, 0]})
    ['2*', '3*']
    """
    k = require_k_alone("blind", claim)
    allowed = suppression_limit("blind", suppress, table.n)
    view = _View.of(table, hierarchies, recode, public)
    person_of_record = number_persons(table)
    person_count, word = count_people(person_of_record, table.n)
    refuse_crowd("blind", k, person_count, word)
    policy = view.rehearse(k, person_count, suppress)
    done = np.zeros(1, dtype=np.int64)
    with poll_kernel(start_step(progress, "cutting boxes"), lambda: done[0] / table.n):
        regions = cut_regions(view.leaves, person_of_record, view.shares, policy, done)
    kept_records = np.flatnonzero(regions.of >= 0)
    if table.n - len(kept_records) > allowed:
        raise InfeasibleError(
            f"blind: {table.n - len(kept_records)} of {table.n} records lie in boxes of fewer than {k}, more "
            "than suppress = "
            f"{suppress} allows; raise suppress, lower k, or give public people who are more like these"
        )
    trace = {"spread": policy.spread, "fear": policy.fear, "classes": len(regions.low)}
    return Result(view.write(regions, kept_records, table.n), claim, trace=trace)


@dataclass(frozen=True)
class _View:
    """A table and what is public beside it.

    leaves : int32[n, d]   the records as leaf codes; beyond a column's domain where no label but the root fits
    shares : how people are spread elsewhere
    price  : float64[d]    the share of each column in the loss
    span   : whether a run of leaves may be cut anywhere
    """

    names: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    leaves: I4
    shares: PublicShares
    price: F8
    span: bool

    @classmethod
    def of(cls, table: Table, hierarchies: Hierarchies, recode: str, public: Table | None) -> "_View":
        if recode not in _RECODES:
            raise InputError(
                f"blind: recode must be hierarchy or span{did_you_mean(recode, _RECODES)}",
                value=recode,
            )
        cube = Cube.of("blind", table, hierarchies)
        for hierarchy in cube.hierarchies:
            if not hierarchy.public:
                raise InputError(
                    f"blind: the hierarchy of '{hierarchy.name}' is built from the data's own values, which labels "
                    "would then reveal; give one that is not"
                )
            if recode == "span":
                refuse_lookalikes(hierarchy)
        domains = np.array([hierarchy.domain for hierarchy in cube.hierarchies])
        leaves = np.minimum(cube.leaves, domains).astype(np.int32)  # whatever lies beyond is no leaf
        shares = _measure_shares(cube.names, cube.hierarchies, public, span=recode == "span")
        return cls(cube.names, cube.hierarchies, leaves, shares, shares_of(table), recode == "span")

    def rehearse(self, k: int, heads: int, suppress: float) -> Policy:
        """The policy of least loss on people drawn from the public shares, of those that leave out few of them."""
        if suppress == 0:  # whoever is alone in a piece would be left out, and nobody knows who is
            return Policy(k, int(self.span), self.price, 1.0, np.inf)
        shares, sample = self._draw_people(min(heads, _REHEARSED))
        no_persons, done = np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64)
        best, lowest_loss = Policy(k, int(self.span), self.price, 1.0, np.inf), 1.0
        for spread in _SPREADS:
            for fear in _FEARS:
                policy = Policy(k, int(self.span), self.price, spread, fear)
                regions = cut_regions(sample, no_persons, shares, policy, done)
                left_out_share = float(np.mean(regions.of < 0))
                loss = left_out_share + self._loss_of_labels(regions, len(sample))
                if left_out_share <= _SPARE * suppress and loss < lowest_loss:
                    best, lowest_loss = policy, loss
        return best

    def _draw_people(self, many: int) -> tuple[PublicShares, I4]:
        """Shares, and people who follow them: half of the public people, and others like the other half."""
        rng, shares = np.random.default_rng(0), self.shares
        if len(shares.people):
            order = rng.permutation(len(shares.people))
            half_size = len(order) // 2
            return shares._replace(people=shares.people[order[:half_size]]), shares.people[
                rng.choice(order[half_size:], many)
            ]
        spans = zip(shares.at[:-1].tolist(), shares.at[1:].tolist(), strict=True)
        cells = [rng.choice(end - start, many, p=shares.share[start:end]) for start, end in spans]
        return shares, np.stack(cells, axis=1).astype(np.int32)

    def _loss_of_labels(self, regions: Regions, n: int) -> float:
        """What the people who are published lose of their detail."""
        widths = regions.high - regions.low
        size = np.array([hierarchy.domain for hierarchy in self.hierarchies])
        price = np.where(widths > 1, widths / size, 0.0) @ self.price
        return float(price[regions.of[regions.of >= 0]].sum() / n)

    def write(self, regions: Regions, kept: I8, records: int) -> Recoded:
        """The boxes as labels."""
        forms, codes = [], np.empty((len(kept), len(self.names)), dtype=np.int32)
        for j, hierarchy in enumerate(self.hierarchies):
            runs, form = np.unique(
                np.stack([regions.low[:, j], regions.high[:, j]], axis=1), axis=0, return_inverse=True
            )
            # The lowest of a run's labels.
            nodes = {span: label for label, span in reversed(hierarchy.places.items())}
            labels = [_label_run(hierarchy, nodes, low, high) for low, high in runs.tolist()]
            forms.append(PublishedValues.of_sets(labels, [leaves_of(label, hierarchy) for label in labels]))
            codes[:, j] = form.reshape(-1)[regions.of[kept]]
        return Recoded(self.names, tuple(forms), codes, kept, records)


def _measure_shares(
    names: Sequence[str], hierarchies: Sequence[Hierarchy], public: Table | None, *, span: bool
) -> PublicShares:
    """How public people are spread over the leaves of every column; evenly where there are none."""
    leaf_start = np.cumsum([0, *(hierarchy.domain for hierarchy in hierarchies)])
    share, apart, people = [], [], []
    for name, hierarchy in zip(names, hierarchies, strict=True):
        size = hierarchy.domain
        counts = np.zeros(size)
        if public is not None:
            column = next((column for column in public.columns if column.name == name), None)
            if column is None:
                raise InputError(f"blind: the public people have no column '{name}'; give them one")
            leaf_of_value = hierarchy.look_up(column.values)
            leaves = np.where((leaf_of_value < 0) | (leaf_of_value >= size), size, leaf_of_value)[
                column.codes
            ]
            people.append(leaves)
            counts += np.bincount(leaves[leaves < size], minlength=size)[:size]
        share.append((counts + 1 / size) / (counts.sum() + 1))
        nodes = hierarchy.up[:size]
        level = np.r_[0, (nodes[1:] != nodes[:-1]).sum(axis=1)]
        missing_leaf = hierarchy.missing
        # No range and no set holds an empty cell: it is cut off first.
        if span and missing_leaf is not None and missing_leaf < size:
            level[missing_leaf] = ALONE
            if missing_leaf + 1 < size:
                level[missing_leaf + 1] = ALONE
        apart.append(level)
    rows = np.stack(people, axis=1) if people else np.empty((0, len(names)))
    return PublicShares(
        leaf_start.astype(np.int64),
        np.concatenate(share),
        np.concatenate(apart).astype(np.int64),
        np.ascontiguousarray(rows, dtype=np.int32),
    )


def _label_run(hierarchy: Hierarchy, nodes: Mapping[tuple[int, int], str], low: int, high: int) -> str | None:
    """The text that stands for a run of leaves and for nothing else: a node, else a range of numbers, else a set."""
    if (low, high) == (0, hierarchy.domain):
        return hierarchy.root
    if high == low + 1 and low == hierarchy.missing:
        return None
    if (low, high) in nodes:
        return nodes[low, high]
    numbers = numbers_of(hierarchy)
    if numbers is not None:
        sides = open_sides(hierarchy)[low:high]
        ends = None if -1 in sides else numbers[low], None if 1 in sides else numbers[high - 1]
        label = interval(*ends, closed=True)
        if np.array_equal(leaves_of(label, hierarchy), np.arange(low, high)):
            return label
    return set_label(hierarchy.leaves[low:high])
