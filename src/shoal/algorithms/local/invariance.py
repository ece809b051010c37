"""m-invariance: everybody keeps, from release to release, the set of sensitive values of their class (Xiao, Tao)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import ceil

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from shoal.algorithms.knobs import suppression_limit
from shoal.algorithms.local.column_prices import count_lost_leaves, shares_of
from shoal.algorithms.local.local_table import LocalTable, Partition
from shoal.base.errors import InfeasibleError
from shoal.base.progress import Progress, no_progress
from shoal.data import Table
from shoal.data.arrays import F8, I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Claim, Recoded, Result

__all__ = ["Signature", "publish_invariant"]

Signature = frozenset[int]
"""The sensitive values of a class, as codes."""

_TRIES = 5  # draws of who completes whose signature, where no order along a column places everybody
_LABELS = 4_000  # labels looked at for one class before it counts as one that has none of its own
_SECONDS = 60.0
_NEIGHBOURS = 40  # classes of the same signature with which one that has no label is cut anew

_Key = tuple[int, ...]
_Class = tuple[I8, list[int]]
"""The people of a class, and the level of its label in each column."""


def publish_invariant(
    table: Table,
    hierarchies: Hierarchies,
    claim: Claim,
    *,
    k: int,
    m: int,
    values: I8,
    signatures: Sequence[Signature | None],
    suppress: float = 0.0,
    classes: I8 | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress = no_progress,
) -> Result[Recoded]:
    """Publish `table` in classes that hold at least `m` sensitive values, each equally often.

    Parameters
    ----------
    table, hierarchies, claim
        The data, a hierarchy for each quasi-identifier, and what the release states.
    k, m
        The fewest people, and the fewest sensitive values, of a class.
    values
        int64[n], the sensitive value of each record; -1 where it is missing.
    signatures
        For each record the values of its person's class in earlier releases, or None where the person is new.
    suppress
        The share of records that may be left out; as few as possible are.
    classes
        int64[n], the class of each record where classes are made already, and labels alone are asked for.
    rng
        Draws who completes whose signature, and who is left out; by default the operating system does.

    Raises
    ------
    InfeasibleError
        Too many signatures cannot be completed; the message counts them.

    Notes
    -----
    *Guarantee.* A class is a set of values S with |S| >= m, c people for each of them, c |S| >= k, and S is the
    signature of everybody in it who has one. Whatever is published then stays the same if the values of S are
    exchanged, in any way, among all people of signature S in all releases; so nobody's value is more likely than 1/m.

    *Complexity.* One integer program over signatures and values, whose size does not depend on the number of records;
    then O(d n log n) for each level of halving.

    *Departures.* The paper asks for each value once in a class. Classes with the same labels are one class to whoever
    reads a release, and k may exceed the number of values: so each value stands equally often. No counterfeits: where
    a signature cannot be completed, people are left out. Labels are nodes of hierarchies, and classes of
    different signatures must not be written alike, so some labels are coarser than their class needs.

    *Randomness.* New people are drawn, as are those who are left out.

    References
    ----------
    .. [1] Xiao, Tao. m-invariance: towards privacy preserving re-publication of dynamic datasets. SIGMOD 2007.
    """
    rng = np.random.default_rng() if rng is None else rng
    n, allowed = len(values), suppression_limit("m-invariance", suppress, len(values))
    progress("completing signatures")
    plan = _SignaturePlan.of(values, signatures, k, m)
    if n - plan.people > allowed:
        raise InfeasibleError(_explain_shortfall(plan, n, allowed, m))
    local = LocalTable.of("m-invariance", table, hierarchies, recode="hierarchy", grid=None, mix=False, k=k)
    row_of_record = np.empty(n, dtype=np.int64)
    row_of_record[local.rows] = np.arange(n)
    labels = _Labels.of(local, shares_of(table))
    progress("forming classes")
    fixed_parts = None if classes is None else _restore_classes(values, classes, row_of_record)
    formed = _form_best_classes(plan, labels, row_of_record, k, rng, fixed_parts)
    left_out = n - _count_people(formed)
    if left_out > allowed or not formed:
        raise InfeasibleError(
            f"m-invariance: {left_out} of {n} records are in classes whose labels no other class may have, and cannot "
            "be written so; give hierarchies with more levels, or allow them to be left out with "
            f"suppress = {ceil(1e4 * left_out / n) / 1e4:g} in [method]"
        )
    records = np.sort(np.concatenate([people for people, _ in formed]))  # as `local` numbers them
    class_of = np.empty(n, dtype=np.int64)
    for class_id, (people, _) in enumerate(formed):
        class_of[people] = class_id
    levels = np.array([levels for _, levels in formed], dtype=np.int64)
    return local.keeping(records).release(Partition.of(class_of[records]), claim, levels)


def _form_best_classes(
    plan: "_SignaturePlan",
    labels: "_Labels",
    row_of_record: I8,
    k: int,
    rng: np.random.Generator,
    fixed_parts: list[tuple[int, I8]] | None,
) -> list[_Class]:
    """The classes of most people, and of these the cheapest, of several trials.

    A trial lines new people up by one column; where that leaves people out, some lines are drawn. Of `fixed_parts`
    labels alone are asked for.
    """
    columns = [labels.leaves[row_of_record, j].astype(np.float64) for j in range(len(labels.trees))]
    best: list[_Class] = []
    for trial, position in enumerate([*columns, *(rng.random(len(row_of_record)) for _ in range(_TRIES))]):
        if trial >= len(columns) and _count_people(best) == plan.people:
            break
        drawn_parts = [
            (number, people)
            for number, bucket in enumerate(plan.draw_rows(position, rng).values())
            for people in _halve_bucket(row_of_record[bucket], k, labels)
        ]
        made = _LabelWriter(labels, k, rng).of(drawn_parts if fixed_parts is None else fixed_parts)
        best = max(best, made, key=lambda formed: (_count_people(formed), -labels.cost(formed)))
    return best


def _restore_classes(values: I8, classes: I8, at: I8) -> list[tuple[int, I8]]:
    """Classes that are made already: the number of the signature, and the people by value."""
    id_of_signature: dict[bytes, int] = {}
    parts = []
    for class_id in np.unique(classes):
        people = np.flatnonzero(classes == class_id)
        people = people[np.argsort(values[people], kind="stable")]
        class_values = np.unique(values[people])
        parts.append(
            (
                id_of_signature.setdefault(class_values.tobytes(), len(id_of_signature)),
                at[people].reshape(len(class_values), -1),
            )
        )
    return parts


def _count_people(classes: Sequence[_Class]) -> int:
    return sum(len(people) for people, _ in classes)


def _explain_shortfall(plan: "_SignaturePlan", n: int, allowed: int, m: int) -> str:
    """Why too many people cannot be in the release."""
    known_count, new_count = plan.short
    reasons = [
        f"{known_count} people who are in earlier releases, because nobody has the values that would complete "
        "the set of "
        "values of their earlier classes"
        if known_count
        else "",
        f"{new_count} new people, because too few others have other values to make sets of {m}"
        if new_count
        else "",
    ]
    left_out = n - plan.people
    return (
        f"m-invariance: {left_out} of {n} records cannot be published: {' and '.join(filter(None, reasons))}; "
        "allow them to be "
        f"left out with suppress = {ceil(1e4 * left_out / n) / 1e4:g} in [method], "
        f"where {allowed} may be now, or ask for a smaller l"
    )


@dataclass(frozen=True)
class _SignaturePlan:
    """How many people of each value go into each signature, so that as few as possible are left out.

    known : for each signature and value, the records of people who have that signature already
    new   : for each value, the records of new people
    each  : for each signature that is published, how many people of each of its values
    lost  : people who can be in no class: their value is missing or not in their signature, or that is too small
    """

    known: Mapping[Signature, Mapping[int, list[int]]]
    new: Mapping[int, list[int]]
    each: Mapping[Signature, int]
    lost: int

    @classmethod
    def of(cls, values: I8, signatures: Sequence[Signature | None], k: int, m: int) -> "_SignaturePlan":
        records_by_signature: dict[Signature, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        new_records: dict[int, list[int]] = defaultdict(list)
        lost_count = 0
        for record, (value, signature) in enumerate(zip(values.tolist(), signatures, strict=True)):
            if value < 0 or (signature is not None and (value not in signature or len(signature) < m)):
                lost_count += signature is not None
            elif signature is None:
                new_records[value].append(record)
            else:
                records_by_signature[signature][value].append(record)
        counts = {
            signature: {value: len(people) for value, people in records_by_value.items()}
            for signature, records_by_value in records_by_signature.items()
        }
        each = _plan_counts(counts, {value: len(people) for value, people in new_records.items()}, k, m)
        return cls(records_by_signature, new_records, each, lost_count)

    @property
    def people(self) -> int:
        """How many people are in the release."""
        return sum(len(signature) * count for signature, count in self.each.items())

    @property
    def short(self) -> tuple[int, int]:
        """How many people of earlier releases, and how many new ones, are left out."""
        known_count = sum(
            len(people) for records_by_value in self.known.values() for people in records_by_value.values()
        )
        staying_count = sum(
            min(len(people), self.each.get(signature, 0))
            for signature, records_by_value in self.known.items()
            for people in records_by_value.values()
        )
        new_count = sum(map(len, self.new.values()))
        return self.lost + known_count - staying_count, new_count - (self.people - staying_count)

    def draw_rows(self, place: F8, rng: np.random.Generator) -> dict[Signature, I8]:
        """For each signature its records, one row for each value; who completes it stands near its other people.

        `place` is where each record stands along a line. Signatures are filled from one end of it to the other, each by
        the mean place of the people whom it alone can take; of equal places it is drawn who comes first.
        """
        pool = {
            value: sorted(rng.permutation(people).tolist(), key=lambda record: place[record])
            for value, people in self.new.items()
        }
        use_counts: dict[int, int] = defaultdict(int)
        for signature in self.each:
            for value in signature:
                use_counts[value] += 1
        middle_of_signature = {
            signature: self._middle_position(signature, place, use_counts) for signature in self.each
        }
        rows_of_signature = {}
        for signature, count in sorted(self.each.items(), key=lambda one: middle_of_signature[one[0]]):
            rows = []
            for value in sorted(signature):
                staying_records = rng.permutation(
                    np.array(self.known.get(signature, {}).get(value, ()), dtype=np.int64)
                )[:count]
                missing_count = count - len(staying_records)
                newcomers, pool[value] = (
                    pool.get(value, [])[:missing_count],
                    pool.get(value, [])[missing_count:],
                )
                rows.append([*staying_records.tolist(), *newcomers])
            rows_of_signature[signature] = np.array(rows, dtype=np.int64)
        return rows_of_signature

    def _middle_position(self, own: Signature, place: F8, users: Mapping[int, int]) -> float:
        """Where the people of a signature stand who have it already, or whose value few other signatures have."""
        records = [record for people in self.known.get(own, {}).values() for record in people]
        rare = min(own, key=lambda value: (users[value], value))
        return float(place[records or self.new.get(rare) or [0]].mean())


def _plan_counts(
    known: Mapping[Signature, Mapping[int, int]], new: Mapping[int, int], k: int, m: int
) -> dict[Signature, int]:
    """How many people of each of its values every signature gets; nobody can place more people.

    Variables: for each known signature S, c(S) people of each value, and whether S is used at all; and for new
    signatures, of which there are too many to list, families of `times` people for each value: g signatures in which
    value v stands in u(v) <= g of them can be made, each of at least s values, exactly where the u(v) sum to s g or
    more (deal the values out in turn).
    """
    columns = _PlanColumns.of(known, new, k, m)
    if not columns.size:
        return {}
    total = sum(new.values()) + sum(sum(value_counts.values()) for value_counts in known.values())
    program = _IntegerProgram(np.full(columns.size, float(total)))
    placed = np.zeros(columns.size)  # how many people each variable places
    demand: dict[int, dict[int, float]] = defaultdict(dict)  # for each value, what new people it takes
    for index, signature in enumerate(columns.signatures):
        _add_known_signature(program, columns, index, known[signature], demand, k)
        placed[index] = len(signature)
    for family, times in enumerate(columns.families):
        _add_family(program, columns, family, new, demand, max(m, ceil(k / times)))
        placed[columns.uses(family)] = times
    for value, terms in demand.items():
        program.require(
            {column: -share for column, share in terms.items()}, at_least=-float(new.get(value, 0))
        )
    solution = program.maximize(placed)
    if columns.families and solution[columns.first_family :].any():
        # Known signatures before new ones, and few of these: the fewer there are, the more labels has each. But
        # smaller sets before larger ones, for their classes are finer.
        program.require(
            {column: share for column, share in enumerate(placed.tolist()) if share},
            at_least=float(placed @ solution),
        )
        solution = program.maximize(_prefer_known(columns, total))
    return _read_plan(columns, solution)


@dataclass(frozen=True, slots=True)
class _PlanColumns:
    """Which variable of the program says what.

    Of known signature i, variable i is how many people each of its values gets, and variable i + len(signatures) is
    whether it is used; `stay` has, by i and value, how many of its people stay. Of family f, the variables from
    `family(f)` on are how many signatures there are, whether there are any, and in how many of them each value stands.

    signatures : the known ones
    new_values : the values of new people, ascending
    families   : how many people of each value a signature of the family has
    """

    signatures: list[Signature]
    new_values: list[int]
    families: list[int]
    stay: dict[tuple[int, int], int]

    @classmethod
    def of(
        cls, known: Mapping[Signature, Mapping[int, int]], new: Mapping[int, int], k: int, m: int
    ) -> "_PlanColumns":
        signatures, new_values = list(known), sorted(new)
        max_times = ceil(k / m)
        families = [times for times in range(1, 2 * max_times) if max(m, ceil(k / times)) <= len(new_values)]
        staying = [
            (index, value)
            for index, signature in enumerate(signatures)
            for value in sorted(signature)
            if known[signature].get(value)
        ]
        stay = {pair: 2 * len(signatures) + column for column, pair in enumerate(staying)}
        return cls(signatures, new_values, families, stay)

    @property
    def first_family(self) -> int:
        """The first variable of the families."""
        return 2 * len(self.signatures) + len(self.stay)

    def family(self, number: int) -> int:
        """The first variable of a family."""
        return self.first_family + number * (2 + len(self.new_values))

    def uses(self, number: int) -> slice:
        """The variables that say in how many signatures of a family each value stands."""
        return slice(self.family(number) + 2, self.family(number + 1))

    @property
    def size(self) -> int:
        """How many variables there are."""
        return self.family(len(self.families))


@dataclass(slots=True)
class _IntegerProgram:
    """Whole numbers from 0 to `upper`; the terms of each row (by variable, a factor) sum to at least its `low`."""

    upper: F8
    rows: list[dict[int, float]] = field(default_factory=list)
    low: list[float] = field(default_factory=list)

    def require(self, terms: dict[int, float], *, at_least: float = 0.0) -> None:
        """Add a row."""
        self.rows.append(terms)
        self.low.append(at_least)

    def maximize(self, gain: F8) -> F8:
        """The numbers of most gain; 0 throughout is always allowed, and taken where none are found in time."""
        entries = [
            (number, column, share) for number, row in enumerate(self.rows) for column, share in row.items()
        ]
        number, column, share = zip(*entries, strict=True)
        matrix = csr_matrix((share, (number, column)), shape=(len(self.rows), len(self.upper)))
        result = milp(
            -gain,
            constraints=LinearConstraint(matrix, lb=np.array(self.low, dtype=float)),
            bounds=Bounds(0, self.upper),
            integrality=np.ones(len(self.upper)),
            options={"time_limit": _SECONDS, "mip_rel_gap": 0.0},
        )
        return np.zeros(len(self.upper)) if result.x is None else np.rint(result.x)


def _add_known_signature(
    program: _IntegerProgram,
    columns: _PlanColumns,
    index: int,
    staying: Mapping[int, int],
    demand: dict[int, dict[int, float]],
    k: int,
) -> None:
    """Let a known signature have k people or none; of each value no more stay than there are, new people fill up."""
    signature, is_used = columns.signatures[index], len(columns.signatures) + index
    program.upper[is_used] = 1
    program.upper[index] //= len(signature)  # which was everybody
    program.require({index: len(signature), is_used: -k})
    program.require({is_used: program.upper[index], index: -1})
    for value in signature:
        demand[value][index] = 1
        if (index, value) in columns.stay:
            stay = columns.stay[index, value]
            program.upper[stay] = staying[value]
            demand[value][stay] = -1
            program.require({index: 1, stay: -1})


def _add_family(
    program: _IntegerProgram,
    columns: _PlanColumns,
    family: int,
    new: Mapping[int, int],
    demand: dict[int, dict[int, float]],
    least_values: int,
) -> None:
    """Let the values of new people stand in signatures of a family, at least `least_values` in each."""
    times, signatures = columns.families[family], columns.family(family)
    is_used = signatures + 1
    total = program.upper[signatures]
    program.upper[is_used] = 1
    program.require({is_used: total, signatures: -1})
    enough_values: dict[int, float] = {signatures: -least_values}
    for column, value in enumerate(columns.new_values, start=signatures + 2):
        program.upper[column] = new[value] // times
        demand[value][column] = times
        program.require({signatures: 1, column: -1})
        enough_values[column] = 1
    program.require(enough_values)


def _prefer_known(columns: _PlanColumns, total: int) -> F8:
    """The gain among plans that place as many: known signatures first, few families, and small signatures in them."""
    gain = np.zeros(columns.size)
    for family, times in enumerate(columns.families):
        signatures = columns.family(family)
        gain[signatures], gain[signatures + 1] = 1, -float(total)
        gain[columns.uses(family)] = -times if columns.signatures else 0
    return gain


def _read_plan(columns: _PlanColumns, solution: F8) -> dict[Signature, int]:
    """How many people of each value every signature gets, by the solution of the program."""
    each: dict[Signature, int] = defaultdict(int)
    for index, signature in enumerate(columns.signatures):
        if solution[index]:
            each[signature] += int(solution[index])
    for family, times in enumerate(columns.families):
        uses = dict(zip(columns.new_values, solution[columns.uses(family)].tolist(), strict=True))
        for signature in _deal_values(int(solution[columns.family(family)]), uses):
            each[signature] += times
    return dict(each)


def _deal_values(groups: int, many: Mapping[int, float]) -> Iterator[Signature]:
    """So many sets, in which each value stands so many times in all.

    >>> [sorted(own) for own in _deal_values(3, {0: 3, 1: 2, 2: 1})]
    [[0, 1], [0, 1], [0, 2]]
    """
    turns = [value for value, times in many.items() for _ in range(int(times))]
    for offset in range(groups):
        yield frozenset(turns[offset::groups])


def _halve_bucket(people: I8, k: int, labels: "_Labels") -> Iterator[I8]:
    """A bucket, int64[values, c], in classes with equally many people of every value, halved while both have k."""
    half_size = people.shape[1] // 2
    if half_size < ceil(k / len(people)):
        yield people
        return
    cuts = [_cut_bucket(people, j, half_size, labels) for j in labels.by_price(people)]
    for part in min(cuts, key=lambda parts: sum(part.size * labels.price(part) for part in parts)):
        yield from _halve_bucket(part, k, labels)


def _cut_bucket(people: I8, column: int, at: int, labels: "_Labels") -> tuple[I8, I8]:
    """Two parts of a class along a column, with so many people of every value in the first."""
    order = np.argsort(labels.leaves[people, column], axis=1, kind="stable")
    sorted_people = np.take_along_axis(people, order, axis=1)
    return sorted_people[:, :at], sorted_people[:, at:]


@dataclass
class _LabelWriter:
    """Classes in labels that no two signatures share."""

    labels: "_Labels"
    k: int
    rng: np.random.Generator

    def of(self, classes: Sequence[tuple[int, I8]]) -> list[_Class]:
        """The classes, each with the levels of its labels; whoever has no label that is free is not among them.

        Of classes that would be written alike, the signature with most people stays; the others take the cheapest
        labels above theirs that no other signature has. A class that finds none is cut anew, with another of its
        signature.
        """
        lowest_levels = [self.labels.lowest(people) for _, people in classes]
        label_counts: dict[_Key, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for (number, people), levels in zip(classes, lowest_levels, strict=True):
            label_counts[self.labels.key(people, levels)][number] += people.size
        owner_of_label = {
            key: max(group, key=lambda number: (group[number], -number))
            for key, group in label_counts.items()
        }
        classes_of_signature: dict[int, list[_Class]] = defaultdict(list)
        stuck_classes: list[tuple[int, I8]] = []
        for number, people in classes:
            free_levels = self.labels.free(people, owner_of_label, number)
            if free_levels is None:
                stuck_classes.append((number, people))
            else:
                classes_of_signature[number].append((people, free_levels))
        for number, people in stuck_classes:
            self._recut_class(people, classes_of_signature[number], owner_of_label, number)
        return [
            (people.reshape(-1), levels)
            for group in classes_of_signature.values()
            for people, levels in group
        ]

    def _recut_class(self, people: I8, others: list[_Class], taken: dict[_Key, int], number: int) -> None:
        """Put a class without a label among the others of its signature, if two of them can be cut in another way."""
        fewest_people = ceil(self.k / len(people))
        for index in self.rng.permutation(len(others))[:_NEIGHBOURS].tolist():
            union = np.concatenate([people, others[index][0]], axis=1)
            c = union.shape[1]
            for cut_size in {
                cut_size
                for cut_size in (fewest_people, c // 2, c - fewest_people)
                if fewest_people <= cut_size <= c - fewest_people
            }:
                for column in self.labels.by_price(union):
                    parts = _cut_bucket(union, column, cut_size, self.labels)
                    levels = [self.labels.free(part, taken, number) for part in parts]
                    if levels[0] is not None and levels[1] is not None:
                        others[index] = parts[0], levels[0]
                        others.append((parts[1], levels[1]))
                        return


@dataclass(frozen=True)
class _Labels:
    """The labels of classes: nodes of hierarchies.

    leaves : int32[n, d]  the leaf code of each record
    prices : for each column, float64[levels, leaves + 1]: what the node above each leaf loses, weighted
    """

    leaves: I4
    trees: tuple[Hierarchy, ...]
    prices: tuple[F8, ...]

    @classmethod
    def of(cls, local: LocalTable, shares: F8) -> "_Labels":
        trees = local.hierarchies
        tree_losses = [count_lost_leaves(tree, np.arange(tree.size + 1, dtype=np.int32)) for tree in trees]
        prices = (
            share * tree_loss / tree.size
            for share, tree_loss, tree in zip(shares, tree_losses, trees, strict=True)
        )
        return cls(local.leaves, trees, tuple(prices))

    def lowest(self, people: I8) -> list[int]:
        """The level of the lowest node over a class, in every column."""
        class_leaves = self.leaves[people.reshape(-1)]
        low, high = class_leaves.min(axis=0), class_leaves.max(axis=0)
        return [
            int((tree.up[a] != tree.up[b]).sum())
            for tree, a, b in zip(self.trees, low.tolist(), high.tolist(), strict=True)
        ]

    def _losses(self, people: I8) -> list[float]:
        first = self.leaves[people.reshape(-1)[0]].tolist()
        return [
            float(self.prices[j][level, leaf])
            for j, (level, leaf) in enumerate(zip(self.lowest(people), first, strict=True))
        ]

    def cost(self, classes: Sequence[_Class]) -> float:
        """What classes lose in all."""
        return sum(
            float(self.prices[j][level, self.leaves[people[0], j]]) * len(people)
            for people, levels in classes
            for j, level in enumerate(levels)
        )

    def price(self, people: I8) -> float:
        """What a class loses per record."""
        return sum(self._losses(people))

    def by_price(self, people: I8) -> list[int]:
        """The columns in which a class differs."""
        return [j for j, loss in enumerate(self._losses(people)) if loss] or [0]

    def free(self, people: I8, taken: dict[_Key, int], own: int) -> list[int] | None:
        """The levels of the cheapest labels over a class that no other signature has; they are its own then."""
        for levels in self._above(people):
            if taken.setdefault(self.key(people, levels), own) == own:
                return levels
        return None

    def key(self, people: I8, levels: Sequence[int]) -> _Key:
        """What the labels of a class stand for."""
        leaves = self.leaves[people.flat[0]].tolist()
        return tuple(
            int(end)
            for tree, leaf, level in zip(self.trees, leaves, levels, strict=True)
            for end in tree.spans[level][tree.up[leaf, level]]
        )

    def _above(self, people: I8) -> Iterator[list[int]]:
        """The labels of a class, and coarser ones, the cheapest first."""
        leaves, levels = self.leaves[people.flat[0]].tolist(), self.lowest(people)
        heap, visited = [(0.0, tuple(levels))], {tuple(levels)}
        for _ in range(_LABELS):
            if not heap:
                return
            _, current_levels = heappop(heap)
            yield list(current_levels)
            for j, level in enumerate(current_levels):
                if level < self.trees[j].height:
                    raised = (*current_levels[:j], level + 1, *current_levels[j + 1 :])
                    if raised not in visited:
                        visited.add(raised)
                        price = sum(
                            float(self.prices[i][column_level, leaves[i]])
                            for i, column_level in enumerate(raised)
                        )
                        heappush(heap, (price, raised))
