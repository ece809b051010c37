"""Baskets published by vote: k rows that may be anybody's, and l different labels on them.

"Match" has two meanings. An *assigned* match is one that the method drew: k disjoint assignments are its private
proof. A *possible* match is any that the originals and the release allow: an original fits a row, and the rest
can still be matched one to one. Every assigned match is a possible one. `prove` judges the first kind, `check`
the second, from originals and release alone.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import scipy  # its parts come when they are used

from shoal.data.arrays import B1, I8, owners, prefix_sums
from shoal.errors import InputError
from shoal.privacy.claim import SEVERAL_RELEASES, BaseClaim, ruling
from shoal.privacy.equivalence_class import cells
from shoal.privacy.possible_worlds import (
    EqualThings,
    PossibleWorlds,
    VoteRows,
    equal_rows,
    matrix,
    originals_of,
    pairs_fit,
    possible_worlds,
    width_of,
)
from shoal.release import PublishedBits, Verdict

__all__ = ["Nonreciprocal", "truth_of_votes"]


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
        known = f", and the true rows of up to {self.insiders} persons" if self.insiders else ""
        words = (
            f"whoever knows the whole basket of every person{known} finds at least {self.k} rows that may be a given "
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
            return (*lines, "labels: with k alone, all rows that fit a person may carry the same label")
        return (
            *lines,
            "an attacker who reasons from how the labels shaped the order of the records (minimality attacks)",
            "what can be inferred about a person's label beyond the stated l",
        )

    def check(self, published: PublishedBits) -> Verdict:
        """Judge by possible matches, from originals and release alone; without originals nothing is judged."""
        vacuous = _empty(published, self.l)
        if vacuous is not None:
            return vacuous
        found = possible_worlds(published)
        if found is None:
            return Verdict(
                False,
                "more originals fit the rows than can be compared one by one, so nothing is proven",
                judged=False,
            )
        if not found.complete:
            return Verdict(
                False,
                "originals and rows cannot be matched one to one, so the release was not made from them",
            )
        if self.insiders:
            return self._blocks(published)
        fits = _graph(found)
        rows, originals = fits @ found.rows.count, fits.T @ found.originals.count
        reached: dict[str, float] = {"k": int(min(rows.min(), originals.min()))}
        poor = rows < self.k
        if self.l is not None:
            distinct = _reached(fits, _labels(published, found.rows))
            reached["l"] = int(distinct.min())
            poor |= distinct < self.l
        short = (fits.T @ poor.astype(np.int64) > 0) | (originals < self.k)
        return self._ruling("possible", short[found.rows.of], reached)

    def check_known(self, published: PublishedBits, rows: I8) -> Verdict:
        """Judge by possible matches where one is known: the original behind each row (`rows`, int64[n]).

        Where there are too many fits to compare one by one, k equal rows are still enough: their originals may be
        permuted.
        """
        said = self.check(published)
        if said.judged or not truth_of_votes(published, rows):
            return said
        blocks = self._blocks(published)
        return blocks if blocks else said

    def prove(self, published: PublishedBits, assignments: I8) -> Verdict:
        """Judge by the method's private proof: int64[a, n], the row of each original in disjoint assignments.

        Each must be perfect and give every original a row that it fits; with insiders one is enough. With
        labels, none may stand on more than one in l of the rows assigned to an original: an attacker to whom
        these are equally likely then guesses no label with odds above 1/l.
        """
        vacuous = _empty(published, self.l)
        if vacuous is not None:
            return vacuous
        n = len(published.errors)
        if not _perfect(assignments, n):
            return Verdict(False, "an assignment of the proof does not pair each original with one row")
        if (np.diff(np.sort(assignments, axis=0), axis=0) == 0).any():
            return Verdict(False, "two assignments of the proof share a match")
        short = _unfit(published, assignments)
        if short.any():
            return ruling(short, f"{short.sum()} rows are assigned an original that does not fit them", {})
        if self.insiders:
            return self._blocks(published)
        reached: dict[str, float] = {"k": len(assignments)}
        poor = np.full(n, len(assignments) < self.k)
        if self.l is not None:
            assert published.label is not None
            distinct, most = _spread(cells(published.label)[assignments])
            reached["l"] = int(distinct.min())
            poor |= (distinct < self.l) | (most * self.l > len(assignments))
        short[assignments[:, poor].ravel()] = True
        return self._ruling("assigned", short, reached)

    def _blocks(self, published: PublishedBits) -> Verdict:
        """Judge the rows that insiders do not know, given that originals and rows can be matched.

        Whatever the true matching, the originals of equal rows fit all of these rows: they may be permuted
        freely. So m equal rows, of which the insiders know j, leave m - j to everybody else.
        """
        rows = equal_rows(published)
        left = rows.count - self.insiders
        short = left < self.k
        reached: dict[str, float] = {"k": int(left.min())}
        if self.l is not None:
            distinct = _left(_labels(published, rows), self.insiders)
            reached["l"] = int(distinct.min())
            short |= distinct < self.l
        return self._ruling("possible", short[rows.of], reached)

    def _ruling(self, kind: str, short: B1, reached: dict[str, float]) -> Verdict:
        return ruling(short, self._sentence(kind, short, reached), reached)

    def _sentence(self, kind: str, short: B1, reached: dict[str, float]) -> str:
        asked = f"k={self.k}" + ("" if self.l is None else f" and l={self.l}")
        asked += f", with {self.insiders} insiders" if self.insiders else ""
        got = ", ".join(f"{name}={value}" for name, value in reached.items())
        if short.any():
            return (
                f"{short.sum()} of {len(short)} rows do not reach {asked}, counting {kind} "
                f"matches; the least found is {got}"
            )
        return (
            f"every basket and every row reaches {asked}, counting {kind} matches; the least found is {got}"
        )


def truth_of_votes(published: PublishedBits, rows: I8) -> Verdict:
    """Judge the truth of a release: the original behind each row (`rows`, int64[n]) fits it, and gave it its label."""
    if published.original_start is None:
        return Verdict(False, "the originals are not given, so nothing is proven", judged=False)
    n = len(published.errors)
    if not _perfect(rows[None], n):
        return Verdict(False, "the rows do not come from one original record each")
    back = np.empty(n, dtype=np.int64)
    back[rows] = np.arange(n)
    false = _unfit(published, back[None])
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
    return ruling(false, sentence, {})


def _empty(published: PublishedBits, l: int | None) -> Verdict | None:
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


def _graph(found: PossibleWorlds) -> "scipy.sparse.csr_array":
    """The fits that count, as a matrix of classes of originals by classes of rows."""
    ones = np.ones(int(found.counts.sum()), dtype=np.int64)
    shape = (len(found.originals.count), len(found.rows.count))
    return scipy.sparse.csr_array(
        (ones, (found.original[found.counts], found.row[found.counts])), shape=shape
    )


def _labels(published: PublishedBits, rows: EqualThings) -> "scipy.sparse.csr_array":
    """How many rows of each class carry each label; a missing label is none."""
    assert published.label is not None
    codes = cells(published.label)
    known = codes >= 0
    ones = np.ones(int(known.sum()), dtype=np.int64)
    shape = (len(rows.count), int(codes.max(initial=0)) + 1)
    found = scipy.sparse.csr_array((ones, (rows.of[known], codes[known])), shape=shape)
    found.sum_duplicates()
    return found


def _reached(fits: "scipy.sparse.csr_array", labels: "scipy.sparse.csr_array") -> I8:
    """How many different labels each class of originals finds; in parts, since the product may be nearly full."""
    step = max(1, (1 << 24) // labels.shape[1])
    parts = [np.diff((fits[i : i + step] @ labels).indptr) for i in range(0, fits.shape[0], step)]
    return np.concatenate(parts).astype(np.int64)


def _left(labels: "scipy.sparse.csr_array", insiders: int) -> I8:
    """The different labels that stay in each class when so many rows are known, those of the rarest labels first."""
    order = np.lexsort((labels.data, owners(labels.indptr)))
    counts = prefix_sums(labels.data[order])
    before = np.repeat(counts[labels.indptr[:-1]], np.diff(labels.indptr))
    stays = prefix_sums(counts[1:] - before > insiders)
    return np.asarray(stays[labels.indptr[1:]] - stays[labels.indptr[:-1]])


def _perfect(assignments: I8, n: int) -> bool:
    """Whether there is at least one assignment, and each is a permutation of 0 .. n-1."""
    shaped = assignments.ndim == 2 and len(assignments) > 0 and assignments.shape[1] == n
    return shaped and bool((np.sort(assignments, axis=1) == np.arange(n)).all())


def _unfit(published: PublishedBits, assignments: I8) -> B1:
    """The rows that some assignment gives an original that does not fit them."""
    width = width_of(published)
    rows = VoteRows.of(published, width)
    baskets = matrix(*originals_of(published), width)
    wrong = np.zeros(len(published.errors), dtype=bool)
    for assignment in assignments:
        wrong[assignment[~pairs_fit(baskets, rows[assignment])]] = True
    return wrong


def _spread(labels: I8) -> tuple[I8, I8]:
    """For each column, how many different labels it holds and how often its most frequent one; -1 is a missing label.

    Missing labels are no different label, and count together as the most frequent one.
    """
    ranked = np.sort(labels, axis=0)
    run = most = np.ones(labels.shape[1], dtype=np.int64)
    distinct = (ranked[0] >= 0).astype(np.int64)
    for above, below in pairwise(ranked):
        distinct += above != below
        run = np.where(above == below, run + 1, 1)
        most = np.maximum(most, run)
    return distinct, most
