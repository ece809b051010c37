"""Baskets published by vote: k rows that may be anybody's, and l different labels on them.

"Match" has two meanings. An *assigned* match is one that the method drew: k disjoint assignments are its private
proof. A *possible* match is any that the originals and the release allow: an original fits a row, and the rest
can still be matched one to one. Every assigned match is a possible one. `prove` judges the first kind, `check`
the second, from originals and release alone.

An original *fits* a row when flipping at most `errors` of the row's uncertain items turns what the row
publishes into it. A fit *counts* when it lies in some perfect matching of originals and rows, since only such
a fit can be the truth: one matching is found, and a fit counts exactly if both its ends lie in one strongly
connected component of the matching's residual graph.

Equal originals are one node with a multiplicity, and so are equal rows: a million identical baskets are a
graph of one edge. "Matching" then means an integral flow that fills every multiplicity.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts come when they are used

from shoal.base.errors import InputError
from shoal.data.arrays import B1, I8, U8, number_rows, prefix_sums, row_of_entry
from shoal.privacy.claim import LABELS, SEVERAL_RELEASES, BaseClaim, verdict_from_rows
from shoal.privacy.equivalence_class import sensitive_codes
from shoal.release import PublishedBits, Verdict

__all__ = [
    "Nonreciprocal",
    "PossibleWorlds",
    "_basket_matrix",
    "_possible_worlds",
    "largest_flow",
    "truth_of_votes",
]

_BYTES = 1 << 26  # of a block of row bitmaps
_RARE = 16  # items of an original that are looked up in bitmaps
_PAIRS = 1 << 21  # pairs compared at once
_MOST = 40_000_000  # fits that are held
_PART = 1 << 31  # parts the two counts of a packed sum; no basket holds so many items


@dataclass(frozen=True, slots=True)
class EqualThings:
    """Classes of equal things: the class of each, one member of each class, and how many there are."""

    of: I8
    heads: I8
    count: I8


@dataclass(frozen=True, slots=True)
class PossibleWorlds:
    """Every fit between classes of equal originals and classes of equal rows, and whether it counts.

    original, row : int64[fits]  classes at the ends of a fit
    counts        : bool[fits]   it lies in a perfect matching
    complete      : whether there is a perfect matching at all
    """

    originals: EqualThings
    rows: EqualThings
    original: I8
    row: I8
    counts: B1
    complete: bool


def _possible_worlds(published: PublishedBits) -> PossibleWorlds | None:
    """Find all fits and those that count; None when there are too many to hold.

    Originals must be given, as many as rows.
    """
    originals, rows = _number_equal(*_originals_of(published)), _group_equal_rows(published)
    fit_pairs = _find_fits(published, originals, rows)
    if fit_pairs is None:
        return None
    flow = largest_flow(*fit_pairs, originals.count, rows.count)
    total = int(flow.sum())
    counts = _counts_in_matching(*fit_pairs, flow, len(originals.count), len(rows.count))
    return PossibleWorlds(originals, rows, *fit_pairs, counts, total == int(rows.count.sum()))


def _originals_of(published: PublishedBits) -> tuple[I8, I8]:
    """The originals, start and items; whoever asks has made sure that there are any."""
    if published.original_start is None or published.original_items is None:
        raise InputError(
            "judge: the originals are not given; nonreciprocal recoding can only be judged together with them"
        )
    return published.original_start, published.original_items


def _basket_matrix(start: I8, items: I8, width: int) -> "scipy.sparse.csr_array":
    """Baskets as a 0/1 matrix; repeats within a basket collapse."""
    shape = (len(start) - 1, width)
    result = scipy.sparse.csr_array(
        (np.ones(len(items), dtype=np.int64), items, start), shape=shape, copy=True
    )
    result.sum_duplicates()
    result.data[:] = 1
    return result


@dataclass(frozen=True, slots=True)
class VoteRows:
    """Published rows, ready to be compared with baskets.

    may            : 1 for an item that the row may hold
    core           : 1 for an item that the row shows, and much more where it must hold it
    certain, shown : int64[n]  how many items a row must hold, and shows
    errors         : int64[n]  how many of its uncertain items may be flipped
    """

    may: "scipy.sparse.csr_array"
    core: "scipy.sparse.csr_array"
    certain: I8
    shown: I8
    errors: I8

    @classmethod
    def of(cls, published: PublishedBits, width: int) -> "VoteRows":
        """Take the rows of a release whose items are numbered below `width`."""
        shown_items = _basket_matrix(published.start, published.items, width)
        maybe = _basket_matrix(published.maybe_start, published.maybe, width)
        doubted = shown_items.multiply(maybe)
        certain = (shown_items - doubted).tocsr()
        may = (maybe + certain).tocsr()
        core = (shown_items + _PART * certain).tocsr()
        sizes = np.asarray(certain.sum(axis=1)).ravel(), np.diff(shown_items.indptr).astype(np.int64)
        return cls(may, core, *sizes, published.errors)

    def __getitem__(self, rows: I8) -> "VoteRows":
        return VoteRows(
            self.may[rows], self.core[rows], self.certain[rows], self.shown[rows], self.errors[rows]
        )


def _pairs_fit(baskets: "scipy.sparse.csr_array", rows: VoteRows) -> B1:
    """For each pair, whether the basket fits the row."""
    return _is_near(baskets, rows.core, rows.certain, rows.shown, rows.errors) & _is_inside(baskets, rows.may)


def _is_near(
    baskets: "scipy.sparse.csr_array", core: "scipy.sparse.csr_array", certain: I8, shown: I8, errors: I8
) -> B1:
    """For each pair, whether the basket holds what the row must hold, and differs in no more items than allowed."""
    common = np.asarray(baskets.multiply(core).sum(axis=1)).ravel()
    differing = np.diff(baskets.indptr) + shown - 2 * (common % _PART)
    return np.asarray((common // _PART == certain) & (differing <= errors))


def _is_inside(baskets: "scipy.sparse.csr_array", may: "scipy.sparse.csr_array") -> B1:
    """For each pair, whether the basket holds only what the row may hold."""
    return np.asarray(np.diff(baskets.multiply(may).tocsr().indptr) == np.diff(baskets.indptr))


def _width_of(published: PublishedBits) -> int:
    """One more than the largest item number."""
    parts = (published.items, published.maybe, published.original_items)
    return max(int(part.max(initial=-1)) for part in parts if part is not None) + 1


def _group_equal_rows(published: PublishedBits) -> EqualThings:
    """Group rows that publish the same items, doubts and errors."""
    lists = (published.start, published.items), (published.maybe_start, published.maybe)
    parts = np.stack([*(number_rows(*part) for part in lists), published.errors], axis=1)
    return _number_equal(np.arange(len(parts) + 1), parts)


def _number_equal(start: I8, items: I8) -> EqualThings:
    """Group rows that hold the same entries."""
    class_of_row = number_rows(start, items)
    heads = np.zeros(int(class_of_row.max(initial=-1)) + 1, dtype=np.int64)
    heads[class_of_row[::-1]] = np.arange(len(class_of_row))[::-1]
    return EqualThings(class_of_row, heads, np.bincount(class_of_row))


def _find_fits(published: PublishedBits, originals: EqualThings, rows: EqualThings) -> tuple[I8, I8] | None:
    """Every pair of classes that fit, by original."""
    width = _width_of(published)
    baskets = _basket_matrix(*_originals_of(published), width)[originals.heads]
    forms = VoteRows.of(published, width)[rows.heads]
    size = np.diff(baskets.indptr)
    pairs: list[tuple[I8, I8]] = []
    pair_count = 0
    for a, b in _list_candidates(baskets, forms.may):
        is_close = (np.abs(size[a] - forms.shown[b]) <= forms.errors[b]) & (forms.certain[b] <= size[a])
        a, b = a[is_close], b[is_close]
        keep = _is_near(baskets[a], forms.core[b], forms.certain[b], forms.shown[b], forms.errors[b])
        large = np.flatnonzero(keep & (size[a] > _RARE))  # of the others every item was looked up
        keep[large] = _is_inside(baskets[a[large]], forms.may[b[large]])
        pairs.append((a[keep], b[keep]))
        pair_count += int(keep.sum())
        if pair_count > _MOST:
            return None
    a, b = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return a, b


def _list_candidates(
    baskets: "scipy.sparse.csr_array", may: "scipy.sparse.csr_array"
) -> Iterator[tuple[I8, I8]]:
    """Pairs of which the row may hold the basket's rarest items: all fits are among them.

    Rows are taken in blocks; in a block every item has a bitmap of the rows that may hold it.
    """
    rare = _rarest_items(baskets, np.bincount(may.indices, minlength=may.shape[1]))
    size = max(_BYTES // (may.shape[1] + 1) // 8 * 64, 64)
    pending: list[tuple[I8, I8]] = [(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))]
    waiting = 0
    for block in range(0, may.shape[0], size):
        bitmaps = _pack_bitmaps(may[block : block + size])
        for a in range(len(rare)):
            row_indices = _set_bit_indices(np.bitwise_and.reduce(bitmaps[rare[a]], axis=0))
            pending.append((np.full(len(row_indices), a), row_indices + block))
            waiting += len(row_indices)
            if waiting > _PAIRS:
                yield _join_pairs(pending)
                pending, waiting = pending[:1], 0
    yield _join_pairs(pending)


def _set_bit_indices(words: U8) -> I8:
    """Where the bits are set; most words are zero and are never unpacked."""
    full = np.flatnonzero(words)
    bits = np.unpackbits(words[full].view(np.uint8), bitorder="little")
    set_bits = np.flatnonzero(bits)
    return np.asarray(full[set_bits >> 6] * 64 + (set_bits & 63))


def _join_pairs(pairs: list[tuple[I8, I8]]) -> tuple[I8, I8]:
    a, b = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return a, b


def _rarest_items(baskets: "scipy.sparse.csr_array", frequency: I8) -> I8:
    """int64[n, at most _RARE]: each basket's rarest items; the extra item `width` fills up short baskets."""
    order = np.lexsort((frequency[baskets.indices], row_of_entry(baskets.indptr)))
    items = baskets.indices[order].astype(np.int64)
    depth = min(_RARE, int(np.diff(baskets.indptr).max(initial=0))) or 1
    positions = baskets.indptr[:-1, None].astype(np.int64) + np.arange(depth)
    inside = positions < baskets.indptr[1:, None]
    return np.where(inside, np.append(items, 0)[np.where(inside, positions, len(items))], baskets.shape[1])


def _pack_bitmaps(may: "scipy.sparse.csr_array") -> U8:
    """For each item, the rows of a block as bits; one item more stands for every row."""
    n, width = may.shape
    words = -(-n // 64)
    bits = np.zeros((width + 1, words * 8), dtype=np.uint8)
    row = row_of_entry(may.indptr)
    np.bitwise_or.at(bits, (may.indices, row // 8), (1 << row % 8).astype(np.uint8))
    bits[width] = np.packbits(np.arange(words * 64) < n, bitorder="little")
    return bits.view(np.uint64)


def _counts_in_matching(original: I8, row: I8, flow: I8, n: int, m: int) -> B1:
    """Whether each fit lies in some matching: its ends lie in one component of the residual graph."""
    has_flow = flow > 0
    tail, head = np.r_[original, n + row[has_flow]], np.r_[n + row, original[has_flow]]
    graph = scipy.sparse.csr_array((np.ones(len(tail), dtype=np.int8), (tail, head)), shape=(n + m, n + m))
    _, part = scipy.sparse.csgraph.connected_components(graph, directed=True, connection="strong")
    return np.asarray(part[original] == part[n + row])


def largest_flow(left: I8, right: I8, supply: I8, demand: I8) -> I8:
    """The flow on each pair (left, right) of a largest matching that respects the multiplicities of both sides.

    >>> pairs = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> largest_flow(*pairs, np.array([2, 1]), np.array([1, 2])).tolist()
    [1, 1, 1]
    """
    n, m = len(supply), len(demand)
    if not len(left):
        return left
    tail = np.r_[np.full(n, n + m), left, n + np.arange(m)]
    head = np.r_[np.arange(n), n + right, np.full(m, n + m + 1)]
    roof = np.r_[supply, np.minimum(supply[left], demand[right]), demand].astype(np.int32)
    graph = scipy.sparse.csr_array((roof, (tail, head)), shape=(n + m + 2, n + m + 2))
    flow = scipy.sparse.csgraph.maximum_flow(scipy.sparse.csr_matrix(graph), n + m, n + m + 1).flow
    return np.asarray(flow[left, n + right], dtype=np.int64).ravel()


# --- the claim ----------------------------------------------------------------------------------------------


_MORE_ROWS = "an attacker who knows more true rows than the stated insiders"
_ANY_ROW = (
    "an attacker who knows which row is some person's, for instance the own row by its label: on a ring the "
    "neighbours' rows can then be guessed (at k=2 always right; at k=3 with odds of about 0.7, at k=5 of 0.34), "
    "and a block has one candidate less"
)


@dataclass(frozen=True, slots=True)
class Nonreciprocal(BaseClaim):
    """Every original matches at least `k` rows and every row `k` originals; with `l`, rows of `l` different labels.

    With `insiders` = j that still holds, for everybody else, once the true rows of any j persons are known.

    References
    ----------
    .. [1] Xue, Karras, Raissi, Vaidya, Tan. Anonymizing set-valued data by nonreciprocal recoding. KDD 2012,
       Definition 1.
    .. [2] Wong, Mamoulis, Cheung. Non-homogeneous generalization in privacy preserving data publishing. SIGMOD 2010.

    Examples
    --------
    >>> Nonreciprocal(5, l=2).as_dict()["model"]
    'nonreciprocal k-anonymity and label diversity'
    """

    model: ClassVar[str] = "nonreciprocal k-anonymity"
    shape: ClassVar[str] = "baskets"
    roles: ClassVar[tuple[str, ...]] = ("items", "sensitive")
    keys: ClassVar[tuple[str, ...]] = ("k", "l")
    votes: ClassVar[bool] = True
    rises: ClassVar[tuple[str, ...]] = ("k", "l", "insiders")

    k: int
    l: int | None = None
    insiders: int = 0

    def __post_init__(self) -> None:
        self._set_whole("k")
        if self.l is not None:
            self._set_whole("l")
            if self.l > self.k:
                raise InputError(
                    f"l={self.l} but k={self.k}; l different labels need at least l rows, raise k"
                )
        if self.insiders != 0:
            self._set_whole("insiders")

    @property
    def named(self) -> str:
        """The model's name, with what these numbers add to it."""
        return self.model if self.l is None else f"{self.model} and label diversity"

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `l` only where it is asked for."""
        return {"k": self.k} | ({} if self.l is None else {"l": self.l}) | {"insiders": self.insiders}

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        insider_words = f", and the true rows of up to {self.insiders} persons" if self.insiders else ""
        words = (
            f"anyone who knows the whole basket of every person{insider_words} finds at least {self.k} rows that "
            "may be a given "
            "person's; the method makes each of them equally likely"
        )
        return words if self.l is None else f"{words}, and they carry at least {self.l} different labels"

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        lines = (
            _MORE_ROWS if self.insiders else _ANY_ROW,
            SEVERAL_RELEASES,
            "whether a basket like a person's is in the data at all",
        )
        if self.l is None:
            return (*lines, LABELS)
        return (
            *lines,
            "an attacker who reasons from how the labels shaped the order of the records (minimality attacks)",
            "what can be inferred about a person's label beyond the stated l",
        )

    def check(self, published: PublishedBits) -> Verdict:
        """Judge by possible matches, from originals and release alone; without originals nothing is judged."""
        vacuous = _explain_vacuous(published, self.l)
        if vacuous is not None:
            return vacuous
        worlds = _possible_worlds(published)
        if worlds is None:
            return Verdict(
                False,
                "more originals fit the rows than can be compared one by one, so nothing is proven",
                judged=False,
            )
        if not worlds.complete:
            return Verdict(
                False,
                "originals and rows cannot be matched one to one, so the release was not made from them",
            )
        if self.insiders:
            return self._judge_blocks(published)
        fit_matrix = _fit_matrix(worlds)
        rows, originals = fit_matrix @ worlds.rows.count, fit_matrix.T @ worlds.originals.count
        reached: dict[str, float] = {"k": int(min(rows.min(), originals.min()))}
        poor = rows < self.k
        if self.l is not None:
            distinct = _count_reached_labels(fit_matrix, _label_counts(published, worlds.rows))
            reached["l"] = int(distinct.min())
            poor |= distinct < self.l
        short = (fit_matrix.T @ poor.astype(np.int64) > 0) | (originals < self.k)
        return self._make_verdict("possible", short[worlds.rows.of], reached)

    def check_known(self, published: PublishedBits, rows: I8) -> Verdict:
        """Judge by possible matches where one is known: the original behind each row (`rows`, int64[n]).

        Where there are too many fits to compare one by one, k equal rows are still enough: their originals may be
        permuted.
        """
        verdict = self.check(published)
        if verdict.judged or not truth_of_votes(published, rows):
            return verdict
        blocks = self._judge_blocks(published)
        return blocks if blocks else verdict

    def prove(self, published: PublishedBits, assignments: I8) -> Verdict:
        """Judge by the method's private proof: int64[a, n], the row of each original in disjoint assignments.

        Each must be perfect and give every original a row that it fits; with insiders one is enough. With
        labels, none may stand on more than one in l of the rows assigned to an original: an attacker to whom
        these are equally likely then guesses no label with odds above 1/l.
        """
        vacuous = _explain_vacuous(published, self.l)
        if vacuous is not None:
            return vacuous
        n = len(published.errors)
        if not _is_perfect(assignments, n):
            return Verdict(False, "an assignment of the proof does not pair each original with one row")
        if (np.diff(np.sort(assignments, axis=0), axis=0) == 0).any():
            return Verdict(False, "two assignments of the proof share a match")
        short = _find_unfit_rows(published, assignments)
        if short.any():
            return verdict_from_rows(
                short, f"{short.sum()} rows are assigned an original that does not fit them", {}
            )
        if self.insiders:
            return self._judge_blocks(published)
        reached: dict[str, float] = {"k": len(assignments)}
        poor = np.full(n, len(assignments) < self.k)
        if self.l is not None:
            assert published.label is not None
            distinct, highest_counts = _count_labels(sensitive_codes(published.label)[assignments])
            reached["l"] = int(distinct.min())
            poor |= (distinct < self.l) | (highest_counts * self.l > len(assignments))
        short[assignments[:, poor].ravel()] = True
        return self._make_verdict("assigned", short, reached)

    def _judge_blocks(self, published: PublishedBits) -> Verdict:
        """Judge the rows that insiders do not know, given that originals and rows can be matched.

        Whatever the true matching, the originals of equal rows fit all of these rows: they may be permuted
        freely. So m equal rows, of which the insiders know j, leave m - j to everybody else.
        """
        rows = _group_equal_rows(published)
        remaining = rows.count - self.insiders
        short = remaining < self.k
        reached: dict[str, float] = {"k": int(remaining.min())}
        if self.l is not None:
            distinct = _count_remaining_labels(_label_counts(published, rows), self.insiders)
            reached["l"] = int(distinct.min())
            short |= distinct < self.l
        return self._make_verdict("possible", short[rows.of], reached)

    def _make_verdict(self, kind: str, short: B1, reached: dict[str, float]) -> Verdict:
        return verdict_from_rows(short, self._sentence(kind, short, reached), reached)

    def _sentence(self, kind: str, short: B1, reached: dict[str, float]) -> str:
        goal = f"k={self.k}" + ("" if self.l is None else f" and l={self.l}")
        goal += f", with {self.insiders} insiders" if self.insiders else ""
        figures = ", ".join(f"{name}={value}" for name, value in reached.items())
        if short.any():
            return (
                f"{short.sum()} of {len(short)} rows do not reach {goal}, counting {kind} "
                f"matches; the least found is {figures}"
            )
        return f"every basket and every row reaches {goal}, counting {kind} matches; the least found is {figures}"


def truth_of_votes(published: PublishedBits, rows: I8) -> Verdict:
    """Judge the truth of a release: the original behind each row (`rows`, int64[n]) fits it, and gave it its label."""
    if published.original_start is None:
        return Verdict(False, "the originals are not given, so nothing is proven", judged=False)
    n = len(published.errors)
    if not _is_perfect(rows[None], n):
        return Verdict(False, "the rows do not come from one original record each")
    back = np.empty(n, dtype=np.int64)
    back[rows] = np.arange(n)
    false = _find_unfit_rows(published, back[None])
    if published.label is not None and published.original_label is not None:
        texts = [
            np.array([*label.values, None], dtype=object)
            for label in (published.label, published.original_label)
        ]
        false |= texts[0][published.label.codes] != texts[1][published.original_label.codes[rows]]
    sentence = (
        f"{false.sum()} rows are not true"
        if false.any()
        else f"all {n} rows are true: their originals fit them"
    )
    return verdict_from_rows(false, sentence, {})


def _explain_vacuous(published: PublishedBits, l: int | None) -> Verdict | None:
    """Return a verdict where there is nothing to judge; otherwise None."""
    start = published.original_start
    if start is None or published.original_items is None:
        return Verdict(
            False, "this claim can only be judged together with the originals; give them", judged=False
        )
    n = len(published.errors)
    if not n:
        return Verdict(False, "the release holds no record, so the claim promises nothing")
    if len(start) - 1 != n:
        return Verdict(
            False, f"the release has {n} rows for {len(start) - 1} originals, so it was not made from them"
        )
    if l is not None and published.label is None:
        return Verdict(False, "no label is published, so the claim promises nothing")
    return None


def _fit_matrix(found: PossibleWorlds) -> "scipy.sparse.csr_array":
    """The fits that count, as a matrix of classes of originals by classes of rows."""
    entries = np.ones(int(found.counts.sum()), dtype=np.int64)
    shape = (len(found.originals.count), len(found.rows.count))
    return scipy.sparse.csr_array(
        (entries, (found.original[found.counts], found.row[found.counts])), shape=shape
    )


def _label_counts(published: PublishedBits, rows: EqualThings) -> "scipy.sparse.csr_array":
    """How many rows of each class carry each label; a missing label is none."""
    assert published.label is not None
    codes = sensitive_codes(published.label)
    has_label = codes >= 0
    entries = np.ones(int(has_label.sum()), dtype=np.int64)
    shape = (len(rows.count), int(codes.max(initial=0)) + 1)
    result = scipy.sparse.csr_array((entries, (rows.of[has_label], codes[has_label])), shape=shape)
    result.sum_duplicates()
    return result


def _count_reached_labels(fits: "scipy.sparse.csr_array", labels: "scipy.sparse.csr_array") -> I8:
    """How many different labels each class of originals finds; in parts, since the product may be nearly full."""
    step = max(1, (1 << 24) // labels.shape[1])
    parts = [np.diff((fits[i : i + step] @ labels).indptr) for i in range(0, fits.shape[0], step)]
    return np.concatenate(parts).astype(np.int64)


def _count_remaining_labels(labels: "scipy.sparse.csr_array", insiders: int) -> I8:
    """The different labels that stay in each class when so many rows are known, those of the rarest labels first."""
    order = np.lexsort((labels.data, row_of_entry(labels.indptr)))
    counts = prefix_sums(labels.data[order])
    before = np.repeat(counts[labels.indptr[:-1]], np.diff(labels.indptr))
    stays = prefix_sums(counts[1:] - before > insiders)
    return np.asarray(stays[labels.indptr[1:]] - stays[labels.indptr[:-1]])


def _is_perfect(assignments: I8, n: int) -> bool:
    """Whether there is at least one assignment, and each is a permutation of 0 .. n-1."""
    shaped = assignments.ndim == 2 and len(assignments) > 0 and assignments.shape[1] == n
    return shaped and bool((np.sort(assignments, axis=1) == np.arange(n)).all())


def _find_unfit_rows(published: PublishedBits, assignments: I8) -> B1:
    """The rows that some assignment gives an original that does not fit them."""
    width = _width_of(published)
    rows = VoteRows.of(published, width)
    baskets = _basket_matrix(*_originals_of(published), width)
    wrong = np.zeros(len(published.errors), dtype=bool)
    for assignment in assignments:
        wrong[assignment[~_pairs_fit(baskets, rows[assignment])]] = True
    return wrong


def _count_labels(labels: I8) -> tuple[I8, I8]:
    """For each column, how many different labels it holds and how often its most frequent one; -1 is a missing label.

    Missing labels are no different label, and count together as the most frequent one.
    """
    ranked = np.sort(labels, axis=0)
    run = highest_counts = np.ones(labels.shape[1], dtype=np.int64)
    distinct = (ranked[0] >= 0).astype(np.int64)
    for above, below in pairwise(ranked):
        distinct += above != below
        run = np.where(above == below, run + 1, 1)
        highest_counts = np.maximum(highest_counts, run)
    return distinct, highest_counts
