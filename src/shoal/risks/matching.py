"""What a published column tells beyond k: how likely a row of a class is matched with its person by it.

Whoever knows quasi-identifiers X of all people of a class C, and sees the column in its rows, matches the row that
shows c_i with person i with the chance p(c_i | X_i) / sum of p(c_i | X_j) over the people j of C. Nothing is gained
where the column tells nothing of X: then the chance is 1 / |C|. X is each quasi-identifier and each pair of them.

p is estimated from the released people without person i, in two ways that share strength between people who are near:

- *by table*: how often values of X and of the column stand together, mixed with the shares of the column alone. Many
  values are made fewer in their order, to two widths; the width and the mixture are those that give the column of those
  who are left out the highest likelihood;
- *by sum*: numbers that add up (`Link`) to about the same number for many people; how often each sum occurs.

What is gained, the mean of log p(c_i | X_i) / p(c_i), is zero or less, but for chance, where the column and X are
independent, however few people there are. So chances are computed only where something is gained.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

import numpy as np

from shoal.data import Column, Table
from shoal.data.arrays import B1, F8, I4, I8, chunk_rows, concatenate_ranges, persons_per_code, prefix_sums
from shoal.release import Claim, ColumnTelling, Recoded
from shoal.risks.dependencies import FEW, Link, find_sums, rank_values
from shoal.utility import class_of_rows

__all__ = ["is_nearly_too_much", "is_too_much", "measure_telling"]

_ROWS = 1 << 16  # of whole classes, that are looked at
_ASKED, _WEIGHED = 4_000, 4_000  # people whose chances are computed; who show what is gained
_VALUES = (256, 16)  # of a column, and
_CELLS = (1_024, 64)  # of quasi-identifiers, at most
_MIXED = (1.0, 4.0, 16.0, 64.0, 256.0)  # people whom the shares of the column alone stand for
_GAINED = 0.02  # and less is no reason to compute chances
_BEYOND = 4.0  # deviations of its mean that a gain lies beyond zero
_PAIRED, _TRIED = 24, 6  # quasi-identifiers that are paired; pairs of each column whose chances are computed
_MORE = 1.1  # times what is gained by the best of single ones is a reason to look at a pair
_INTERVALS = (16, 64)  # in which sums are counted
_MOST = 0.05  # of the people may have a chance above twice what k allows
_DOUBT = 2.0  # deviations by which the share of those who were asked must lie above that
_DEALS = 3  # times that cells are dealt out anew
_PAIRS = 1 << 21  # of a person and values in the class, whose likelihoods are computed at once


def measure_telling(
    table: Table,
    leaves: I4,
    release: Recoded,
    claim: Claim,
    columns: Sequence[Column],
    sums: Sequence[Link] | None = None,
) -> list[ColumnTelling]:
    """For each published column, what it tells beyond k at worst; nothing of columns that tell nothing.

    Parameters
    ----------
    table
        The records.
    leaves
        int32[n, d], their leaf codes in each quasi-identifier.
    release
        What is released of the quasi-identifiers.
    claim
        What the release claims: people of smaller classes are found without any column.
    columns
        The published columns that are asked about.
    sums
        Sums of these columns and quasi-identifiers that many people keep; None where they are still to be looked for.
    """
    if claim.crowd < 2 or claim.blanks or not len(release.rows):
        return []
    people = _People.of(table, release, claim.crowd)
    if not len(people.asked):
        return []
    worst_tellings: dict[tuple[str, ...], ColumnTelling | None] = {}
    if sums is None:
        sums = find_sums(table, columns)
    ways: Iterator[_Way] = chain(
        _find_table_ways(people, table, columns), _find_sum_ways(people, table, leaves, sums)
    )
    for shown_names, known_names, way in ways:
        worst_tellings[shown_names] = max(
            worst_tellings.get(shown_names), _measure_way(people, shown_names, known_names, way), key=_badness
        )
    return [telling for telling in worst_tellings.values() if telling is not None]


_Way = tuple[tuple[str, ...], tuple[str, ...], "_TableWay | _SumWay"]
"""Columns that are shown, quasi-identifiers that are known, and how likely the one is with the other."""


def is_too_much(telling: ColumnTelling) -> bool:
    """Whether a column tells so much beyond k that it is refused, and not by chance.

    Those who were asked are so many people, drawn from more: the share of all is above the limit, and not only theirs.
    """
    return _is_above(telling, telling.above - _sampling_error(telling.above, telling.asked))


def is_nearly_too_much(telling: ColumnTelling) -> bool:
    """Whether a column tells so much that it may be refused in other classes of as many people."""
    return _is_above(telling, telling.above + _sampling_error(telling.above, telling.asked))


def _is_above(telling: ColumnTelling, share: float) -> bool:
    return share > _MOST and telling.above * telling.people >= FEW and 2 * telling.dealt < telling.above


def _sampling_error(above: float, asked: int) -> float:
    """How far the share of those who were asked may lie from that of all."""
    return _DOUBT * float((above * (1 - above) / max(asked, 1)) ** 0.5)


def _badness(telling: ColumnTelling | None) -> tuple[bool, float, float]:
    """What makes one way of telling worse than another."""
    return (False, -1.0, 0.0) if telling is None else (is_too_much(telling), telling.above, telling.mean)


def _measure_way(
    people: "_People", shown: tuple[str, ...], known: tuple[str, ...], way: "_TableWay | _SumWay"
) -> ColumnTelling:
    """What columns tell beyond k in one way."""
    chances = way.chances(people)
    share_above = _share_above(people, chances)
    chance_share = 0.0
    sample_size = len(people.asked)
    if share_above + _sampling_error(share_above, sample_size) > _MOST:
        random = np.random.default_rng(3)
        chance_share = float(
            np.mean([_share_above(people, way.dealt(people, random).chances(people)) for _ in range(_DEALS)])
        )
    mean, mean_without = (people.mean_of(numbers) for numbers in (chances, 1 / people.size[people.asked]))
    return ColumnTelling(
        shown, known, people.people, sample_size, mean, mean_without, share_above, chance_share
    )


def _mean_gain(logarithms: F8, weight: F8) -> float:
    """What is gained: the mean of these logarithms of p(c_i | X_i) / p(c_i), but zero where that may be chance."""
    total = float(weight.sum())
    mean = float(logarithms @ weight) / total
    deviation = (float((logarithms - mean) ** 2 @ weight) / total) ** 0.5
    return mean if mean > _BEYOND * deviation / len(logarithms) ** 0.5 else min(mean, 0.0)


def _share_above(people: "_People", chances: F8) -> float:
    """The share of people whose chance is above twice what k allows."""
    return people.mean_of(chances > 2 / people.crowd + 1e-9) * people.share


@dataclass(frozen=True)
class _People:
    """Released rows, one for each person of a class; of very many, those of some classes.

    rows   : int64, the record of each row
    kind   : int64, the class of each row, from 0 without gaps
    weight : float64, how many people each row stands for
    one    : int64, the places of one row of each person
    asked  : int64, some of those places: whose chances are computed, in classes of at least `crowd` people
    share  : what share of the people are in classes that are not smaller
    people : how many people the release has
    """

    rows: I8
    kind: I8
    weight: F8
    one: I8
    asked: I8
    share: float
    people: int
    crowd: int

    @classmethod
    def of(cls, table: Table, release: Recoded, crowd: int) -> "_People":
        kind, rows = class_of_rows(release), release.rows
        persons = None if table.persons is None else table.persons[rows]
        people = int(persons_per_code(np.zeros(len(rows), dtype=np.int64), persons, release.counts).sum())
        weight = np.ones(len(rows)) if release.counts is None else release.counts.astype(np.float64)
        positions = np.arange(len(rows))
        if persons is not None:  # the first row of each person in each class
            positions = np.unique(np.stack([kind, persons], axis=1), axis=0, return_index=True)[1]
            weight = np.ones(len(rows))
        random = np.random.default_rng(1)
        positions, weight = _sample_classes(kind, positions, weight, random)
        kind = np.unique(kind[positions], return_inverse=True)[1].reshape(-1)
        person_positions = np.arange(len(positions))
        if persons is not None:
            person_positions = np.unique(persons[positions], return_index=True)[1]
        large = np.bincount(kind, weight)[kind] >= crowd
        share = float(
            weight[person_positions][large[person_positions]].sum() / weight[person_positions].sum()
        )
        sample = person_positions[
            random.choice(len(person_positions), min(_ASKED, len(person_positions)), replace=False)
        ]
        return cls(
            rows[positions],
            kind,
            weight,
            person_positions,
            np.sort(sample[large[sample]]),
            share,
            people,
            crowd,
        )

    def mean_of(self, numbers: F8 | B1) -> float:
        """The mean of numbers of those who are asked."""
        return float(np.average(numbers, weights=self.weight[self.asked]))

    @cached_property
    def size(self) -> F8:
        """How many people the class of each row has."""
        return np.asarray(np.bincount(self.kind, self.weight)[self.kind])

    @cached_property
    def some(self) -> I8:
        """Some of `one`, in random order."""
        return np.random.default_rng(2).permutation(self.one)[:_WEIGHED]


def _sample_classes(kind: I8, some: I8, weight: F8, random: np.random.Generator) -> tuple[I8, F8]:
    """The rows of some whole classes, drawn at random, and how many people each row stands for.

    Of a class that is too large by itself some rows stand for all.
    """
    if len(some) <= _ROWS:
        return some, weight[some]
    size = np.bincount(kind[some])
    order = random.permutation(len(size))
    drawn_classes = order[: int(np.searchsorted(np.cumsum(size[order]), _ROWS)) + 1]
    inside = np.zeros(len(size), dtype=bool)
    inside[drawn_classes] = True
    some = some[inside[kind[some]]]
    some, total = some[np.sort(random.permutation(len(some))[:_ROWS])], len(some)
    return some, weight[some] * max(total / _ROWS, 1.0)


# --- by table


@dataclass(frozen=True)
class _Codes:
    """What is known of each row of the people, or what each of them shows, as a code below `width`."""

    codes: I8
    width: int

    def cells(self, people: _People) -> tuple[I8, I8, F8]:
        """Where the codes of each class start, those that occur in it, and how many people have each."""
        pairs, cell_of_row = np.unique(people.kind * self.width + self.codes, return_inverse=True)
        start = np.searchsorted(pairs, np.arange(int(people.kind.max()) + 2) * self.width).astype(np.int64)
        return (
            start,
            pairs % self.width,
            np.bincount(cell_of_row.reshape(-1), people.weight).astype(np.float64),
        )


@dataclass(frozen=True)
class _TableWay:
    """How likely a column's codes are with codes of what is known, by counts.

    known : of each row of the people
    shown : of each of `people.one`, at its place; 0 elsewhere
    mixed : how many people the shares of the column alone stand for
    """

    known: _Codes
    shown: _Codes
    mixed: float = 1.0

    def counts(self, people: _People) -> F8:
        """float64[known, shown]: how many people have both codes."""
        pairs = self.known.codes[people.one] * self.shown.width + self.shown.codes[people.one]
        table = np.bincount(pairs, people.weight[people.one], self.known.width * self.shown.width)
        return np.asarray(table.reshape(self.known.width, self.shown.width))

    def fitted(self, people: _People) -> tuple[float, "_TableWay"]:
        """What is gained, and the mixture that gains most."""
        table, sample = self.counts(people), people.some
        known_codes, shown_codes = self.known.codes[sample], self.shown.codes[sample]
        pair_counts, known_counts = table[known_codes, shown_codes] - 1, table.sum(axis=1)[known_codes] - 1
        share = table.sum(axis=0)[shown_codes] / table.sum()
        mixtures, weight = np.array(_MIXED)[:, None], people.weight[sample]
        logarithms = np.log((pair_counts / share + mixtures) / (known_counts + mixtures))
        best = int((logarithms @ weight).argmax())
        return _mean_gain(logarithms[best], weight), _TableWay(self.known, self.shown, float(_MIXED[best]))

    def dealt(self, people: _People, random: np.random.Generator) -> "_TableWay":
        """The same with what people show dealt out anew, and the mixture that then gains most."""
        codes = self.shown.codes.copy()
        codes[people.one] = codes[random.permutation(people.one)]
        return _TableWay(self.known, _Codes(codes, self.shown.width)).fitted(people)[1]

    def chances(self, people: _People) -> F8:
        """The chance of each of those who are asked."""
        table, asked_rows, mixed = self.counts(people), people.asked, self.mixed
        known_totals, share = table.sum(axis=1), table.sum(axis=0) / table.sum()
        start, codes, weight = self.known.cells(people)
        first, size = start[people.kind[asked_rows]], np.diff(start)[people.kind[asked_rows]]
        known_codes, shown_codes = self.known.codes[asked_rows], self.shown.codes[asked_rows]
        total = np.empty(len(asked_rows))
        for a, b in chunk_rows(size, _PAIRS):
            person, entry = np.repeat(np.arange(a, b), size[a:b]), concatenate_ranges(first[a:b], size[a:b])
            is_own = codes[entry] == known_codes[person]
            likelihood = (
                table[codes[entry], shown_codes[person]] - is_own + mixed * share[shown_codes[person]]
            ) / (known_totals[codes[entry]] - is_own + mixed)
            total[a:b] = np.bincount(person - a, likelihood * weight[entry], b - a)
        own_likelihood = (table[known_codes, shown_codes] - 1 + mixed * share[shown_codes]) / (
            known_totals[known_codes] - 1 + mixed
        )
        return np.asarray(own_likelihood / total)


def _find_table_ways(people: _People, table: Table, columns: Sequence[Column]) -> Iterator[_Way]:
    """The ways in which counts tell something of columns: each column, what must be known, and the way."""
    ranks = [_rank_codes(column, people.rows) for column in table.quasi]
    names = [column.name for column in table.quasi]
    shown_codes: dict[str, list[_Codes]] = {}
    for column in columns:
        codes = np.zeros(len(people.rows), dtype=np.int64)
        codes[people.one] = _rank_codes(column, people.rows[people.one])
        shown_codes[column.name] = [form for form in _bin_ranks(codes, people.one, _VALUES) if form.width > 1]
    most = {column.name: _GAINED for column in columns}
    for name, quasi_ranks in zip(names, ranks, strict=True):
        known_codes = _bin_ranks(quasi_ranks, np.arange(len(quasi_ranks)), _CELLS)
        for column in columns:
            gain, way = _find_best_way(people, known_codes, shown_codes[column.name])
            if way is not None and gain >= _GAINED:
                most[column.name] = max(most[column.name], gain)
                yield (column.name,), (name,), way
    paired: dict[str, list[tuple[float, tuple[str, ...], _TableWay]]] = {
        column.name: [] for column in columns
    }
    for a, b in combinations(range(len(names) if len(names) <= _PAIRED else 0), 2):
        known_codes = _bin_rank_pairs(ranks[a], ranks[b])
        for column in columns:
            gain, way = _find_best_way(people, known_codes, shown_codes[column.name])
            if way is not None and gain >= _MORE * most[column.name]:
                paired[column.name].append((gain, (names[a], names[b]), way))
    for column in columns:
        candidates = sorted(paired[column.name], key=lambda one: one[0], reverse=True)
        yield from (((column.name,), pair, way) for _, pair, way in candidates[:_TRIED])


def _find_best_way(
    people: _People, known: Sequence[_Codes], shown: Sequence[_Codes]
) -> tuple[float, _TableWay | None]:
    """Of what is known and shown at several widths, the way that gains most, and what it gains."""
    ways = [_TableWay(known_form, shown_form).fitted(people) for known_form in known for shown_form in shown]
    return max(ways, key=lambda way: way[0], default=(0.0, None))


def _rank_codes(column: Column, rows: I8) -> I8:
    """The place of the value of some records in the order of the values that they have."""
    present, value_of_row = np.unique(column.codes[rows], return_inverse=True)
    return rank_values([column.values[code] for code in present.tolist()])[value_of_row.reshape(-1)]


def _bin_ranks(places: I8, rows: I8, widths: Sequence[int]) -> list[_Codes]:
    """Places in an order as codes, so many at most; neighbours share one where they are more."""
    forms = [_Codes(np.zeros(len(places), dtype=np.int64), 0)]
    for most in widths:
        codes = np.zeros(len(places), dtype=np.int64)
        codes[rows] = _merge_neighbours(places[rows], most)
        form = _Codes(codes, int(codes.max(initial=-1)) + 1)
        if form.width != forms[-1].width:
            forms.append(form)
    return forms[1:]


def _bin_rank_pairs(one: I8, other: I8) -> list[_Codes]:
    """Likewise of two columns together: the one of fewer values gets the square root of the codes at most."""
    if one.max(initial=0) > other.max(initial=0):
        one, other = other, one
    forms: list[_Codes] = []
    for most in _CELLS:
        fewer_codes = _merge_neighbours(one, int(most**0.5))
        more_codes = _merge_neighbours(other, most // (int(fewer_codes.max(initial=0)) + 1))
        width = int(more_codes.max(initial=0)) + 1
        form = _Codes(fewer_codes * width + more_codes, (int(fewer_codes.max(initial=0)) + 1) * width)
        if not forms or form.width != forms[-1].width:
            forms.append(form)
    return forms


def _merge_neighbours(places: I8, most: int) -> I8:
    """Places as codes without gaps; where they are more than `most`, those next to each other share one."""
    distinct, codes, counts = np.unique(places, return_inverse=True, return_counts=True)
    codes = codes.reshape(-1)
    if len(distinct) <= most:
        return codes
    middle = np.cumsum(counts) - counts / 2
    united = np.unique((middle * most / len(places)).astype(np.int64), return_inverse=True)[1].reshape(-1)
    return np.asarray(united[codes])


# --- by sum


@dataclass(frozen=True)
class _Spread:
    """How often whole numbers occur among people: intervals and the share of people in each, per number.

    edges  : int64, where each interval begins, and at last where the last one ends
    people : float64, how many people each has
    """

    edges: I8
    people: F8

    @classmethod
    def of(cls, numbers: I8, weight: F8, intervals: int) -> "_Spread":
        order = np.argsort(numbers, kind="stable")
        line, upto = numbers[order], np.cumsum(weight[order])
        edges = np.unique(
            line[np.searchsorted(upto, np.arange(intervals) * upto[-1] / intervals, side="right")]
        )
        weight_before = prefix_sums(weight[order])
        weights = (
            weight_before[np.searchsorted(line, edges, side="right")]
            - weight_before[np.searchsorted(line, edges)]
        )
        often = edges[
            2 * intervals * weights >= upto[-1]
        ]  # a number that so many have is an interval of its own
        edges = np.unique(np.concatenate([edges, often + 1, [line[-1] + 1]]))
        return cls(edges, np.diff(weight_before[np.searchsorted(line, edges)]))

    @property
    def all(self) -> float:
        """How many people there are."""
        return float(self.people.sum())

    @property
    def density(self) -> F8:
        """The share of people per number in each interval."""
        return np.asarray(self.people / np.diff(self.edges) / self.all)

    def interval(self, numbers: I8) -> I8:
        """In which interval numbers lie that people have."""
        return np.searchsorted(self.edges, numbers, side="right") - 1


@dataclass(frozen=True)
class _SumWay:
    """How likely a number is with what is known, by how often each sum occurs.

    low   : int64, of each row of the people, what is subtracted from a number to have the sum
    known : bool, whether that is known
    shown : int64, of each row, the number; it counts at `people.one`
    shows : bool, whether there is one
    intervals : how many the sums are counted in
    """

    low: I8
    known: B1
    shown: I8
    shows: B1
    intervals: int = 16

    def _spreads(self, people: _People) -> tuple[I8, _Spread, _Spread]:
        """Of those who have one, how often each sum occurs, and each number alone."""
        rows = people.one[self.known[people.one] & self.shows[people.one]]
        sums, weight = self.shown[rows] - self.low[rows], people.weight[rows]
        return (
            rows,
            _Spread.of(sums, weight, self.intervals),
            _Spread.of(self.shown[rows], weight, self.intervals),
        )

    def fitted(self, people: _People) -> tuple[float, "_SumWay"]:
        """What is gained, and the number of intervals that gains most."""
        ways = []
        for intervals in _INTERVALS:
            way = _SumWay(self.low, self.known, self.shown, self.shows, intervals)
            rows, sums, numbers = way._spreads(people)
            sample = rows[:: max(len(rows) // _WEIGHED, 1)]
            likelihood, share = way._likelihoods(sample, sums, numbers)
            ways.append((_mean_gain(np.log(likelihood / share), people.weight[sample]), way))
        return max(ways, key=lambda way: way[0])

    def _likelihoods(self, some: I8, sums: _Spread, alone: _Spread) -> tuple[F8, F8]:
        """For some people, how likely their number is with what is known and without, estimated without them."""
        share = alone.density[alone.interval(self.shown[some])]
        interval = sums.interval(self.shown[some] - self.low[some])
        width = np.diff(sums.edges)[interval]
        sum_likelihood = (sums.people[interval] - 1) / width / max(sums.all - 1, 1)
        mixed = _number_weight(sums.all)
        return (1 - mixed) * sum_likelihood + mixed * share, share

    def dealt(self, people: _People, random: np.random.Generator) -> "_SumWay":
        """The same, with what people show dealt out anew."""
        order = np.arange(len(self.shown))
        order[people.one] = random.permutation(people.one)
        return _SumWay(self.low, self.known, self.shown[order], self.shows[order], self.intervals)

    def chances(self, people: _People) -> F8:
        """The chance of each of those who are asked."""
        _, sums, numbers = self._spreads(people)
        chances = 1 / people.size[people.asked]  # where no number is shown
        has_number = self.known[people.asked] & self.shows[people.asked]
        asked = people.asked[has_number]
        own_likelihood, share = self._likelihoods(asked, sums, numbers)
        known_weight = np.bincount(people.kind, people.weight * self.known)[people.kind[asked]]
        sum_likelihood = self._sum_likelihood_of_kind(people, asked, sums)
        mixed = _number_weight(sums.all)
        likelihood_of_known = (1 - mixed) * sum_likelihood + mixed * share * known_weight
        likelihood_of_unknown = share * (people.size[asked] - known_weight)
        chances[has_number] = own_likelihood / (likelihood_of_known + likelihood_of_unknown)
        return chances

    def _sum_likelihood_of_kind(self, people: _People, asked: I8, sums: _Spread) -> F8:
        """How likely each number of those `asked` is for the people of their kind together, by sums that others have.

        A sum falls into an interval where what is subtracted lies between two limits. So the people of a kind are
        ranked by what is subtracted, and their weights are summed up to each limit.
        """
        values = np.unique(self.low[self.known])
        ranks_of_kind = len(values) + 1
        rank = people.kind * ranks_of_kind + np.searchsorted(values, self.low)
        ranked = np.flatnonzero(self.known)
        ranked = ranked[np.argsort(rank[ranked], kind="stable")]
        weight_before = prefix_sums(people.weight[ranked])

        limits = self.shown[asked][:, None] - sums.edges  # of what is subtracted, for each edge
        limit_rank = people.kind[asked][:, None] * ranks_of_kind + np.searchsorted(
            values, limits, side="right"
        )
        weight_to_limit = weight_before[np.searchsorted(rank[ranked], limit_rank)]
        weight_in_interval = weight_to_limit[:, :-1] - weight_to_limit[:, 1:]

        own_interval = sums.interval(self.shown[asked] - self.low[asked])
        own_weight = weight_in_interval[np.arange(len(asked)), own_interval]
        by_own_sum = own_weight / np.diff(sums.edges)[own_interval]  # nobody's own sum speaks for them
        return np.asarray(
            (weight_in_interval @ (sums.density * sums.all) - by_own_sum) / max(sums.all - 1, 1)
        )


def _number_weight(people: float) -> float:
    """What part of a likelihood by sums is that of the number alone."""
    return 4 / (people + 4)


def _find_sum_ways(people: _People, table: Table, leaves: I4, sums: Sequence[Link]) -> Iterator[_Way]:
    """The ways in which sums tell something of columns."""
    for link in sums:
        marks = link.marks(table, leaves).some(people.rows)
        way = _SumWay(marks.low, marks.known, marks.shown, marks.shows)
        if (marks.known & marks.shows)[people.one].sum() >= FEW:
            gain, way = way.fitted(people)
            if gain >= _GAINED:
                yield link.shown, link.known, way
