"""k-anonymity of known subsets of quasi-identifiers, and of the rows of a person that can be linked.

Whoever knows any m quasi-identifiers of a person finds at least k rows that fit. Cells may be blank. A row fits
somebody where each of its cells that are known is blank or shows that person's value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.base.errors import InputError
from shoal.data.arrays import B1, I8, concatenate_ranges, count_codes, number_rows, prefix_sums, sum_counts
from shoal.privacy.claim import (
    LINKED_VALUES,
    MINIMALITY,
    NARROW,
    PUBLISHED_VALUES,
    SEVERAL_RECORDS,
    SEVERAL_RELEASES,
    BaseClaim,
    check_names,
    check_whole_number,
    join_names,
    verdict_from_rows,
)
from shoal.privacy.equivalence_class import explain_vacuous, number_groups, refuse_ragged
from shoal.release import Published, Verdict

__all__ = ["LinkedAnonymity", "SubsetAnonymity"]

_MOST_SETS = 100_000  # of columns, which a judge looks at one after the other
_MOST_LOOKS = 1 << 35  # at cells of tuples, once for each pattern of blanks
_MOST_HELD = 1 << 30  # the same where matches are held, because rows name persons


@dataclass(frozen=True, slots=True)
class SubsetAnonymity(BaseClaim):
    """For every row, and every set of `subsets` quasi-identifiers, at least `k` rows fit what the row may stand for.

    A row y fits a row x in some columns if in each of them y is blank, or x is not blank and y shows the same. So
    whatever a blank of x hides, k rows fit the person behind x. Where x is blank, only rows that are blank there count.

    `subsets` is a number of columns, any of which may be known, or a list of sets of names. Fewer columns follow: what
    fits in some columns fits in a part of them. A number above that of the quasi-identifiers means all of them. An
    empty cell is blank, whether it was left out or was empty before. Where rows name persons, these are counted.

    It is weaker than k-anonymity, which asks for k rows that are equal in all columns, and implied by it.

    References
    ----------
    .. [1] Hundepool et al. mu-Argus user's manual. Its count, in which a blank x fits everybody, promises less.
    .. [2] Gionis, Mazza, Tassa. k-Anonymization revisited. ICDE 2008: (1,k)-anonymity.

    Examples
    --------
    >>> import numpy as np
    >>> zips = Published({"zip": np.array([-1, 2, 2, 2, 2, 2])})  # -1 is blank
    >>> SubsetAnonymity(2, 1).check(zips).witnesses  # whoever knows that zip code finds row 1 alone
    (1,)
    """

    model: ClassVar[str] = "k-anonymity of known subsets"
    shape: ClassVar[str] = "table"
    roles: ClassVar[tuple[str, ...]] = ("quasi",)
    keys: ClassVar[tuple[str, ...]] = ("subsets", "k")
    rises: ClassVar[tuple[str, ...]] = ("k",)
    blanks: ClassVar[bool] = True
    meanings: ClassVar[Mapping[str, str]] = {
        "subsets": "So many quasi-identifiers of a person may be known, whichever they are, or those of a listed set."
    }

    k: int
    subsets: int | tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        self._set_whole("k")
        subsets = self.subsets
        if not isinstance(subsets, list | tuple):
            self._set(subsets=check_whole_number("subsets", subsets))
            return
        sets = tuple(dict.fromkeys(check_names("subsets", subset) for subset in subsets))
        if not sets or not all(sets):
            raise InputError("subsets: give a number of columns, or a list of lists of column names")
        self._set(subsets=sets)

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words."""
        listed = self.subsets
        return {
            "k": self.k,
            "subsets": listed if isinstance(listed, int) else [list(subset) for subset in listed],
        }

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether as many columns may be known; a part of what may be known may be."""
        if name != "subsets":
            return BaseClaim._as_much(self, name, own, asked)
        if isinstance(asked, int):
            return isinstance(own, int) and own >= asked
        if isinstance(own, int):
            return all(len(set(subset)) <= own for subset in asked)
        return all(any(set(subset) <= set(mine) for mine in own) for subset in asked)

    @property
    def _knowledge(self) -> str:
        if not isinstance(self.subsets, int):
            return "the quasi-identifiers of any one of " + " or ".join(
                f"({', '.join(subset)})" for subset in self.subsets
            )
        return f"any {self.subsets} quasi-identifiers" if self.subsets > 1 else "any one quasi-identifier"

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        finder = f"anyone who knows {self._knowledge} of a person"
        return f"{finder} finds at least {self.k} rows that fit, as a blank cell does"

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (
            "anyone who knows more columns of a person than these: it is weaker than k-anonymity, which holds for all "
            "quasi-identifiers together",
            "anyone who takes a row that shows what is known for likelier than one in which it is blank, and "
            "anyone who matches all rows to all people one to one: k rows without any value would fit everybody, too",
            SEVERAL_RELEASES,
            MINIMALITY,
            SEVERAL_RECORDS,
            PUBLISHED_VALUES,
            "what can be inferred about a person's attributes: rows that fit may all have one sensitive value",
        )

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        which = f" ({join_names(quasi)})" if quasi and isinstance(self.subsets, int) else ""
        return (
            f"Anyone who knows {self._knowledge}{which} of a person finds at least {self.k:,} rows that fit."
        )

    def sets(self, columns: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the sets of columns that may be known, none of which is a part of another.

        >>> SubsetAnonymity(2, 2).sets(["age", "sex", "zip"])
        [('age', 'sex'), ('age', 'zip'), ('sex', 'zip')]
        """
        if isinstance(self.subsets, int):
            return list(combinations(columns, min(self.subsets, len(columns))))
        listed = {frozenset(subset) for subset in self.subsets}
        largest = [subset for subset in listed if not any(subset < larger for larger in listed)]
        return sorted(tuple(name for name in columns if name in subset) for subset in largest)

    def check(self, published: Published) -> Verdict:
        """Judge a release: for every set of columns, count for every row the rows that fit it."""
        for refused in (explain_vacuous(published), self._absent(published)):
            if refused is not None:
                return refused
        refuse_ragged(published)
        columns = list(published.quasi)
        rows = len(published.quasi[columns[0]])
        broken, fewest, class_sizes = np.zeros(rows, dtype=bool), [], []
        for subset in self.sets(columns):
            weighed = _count_fitting_rows([published.quasi[name] for name in subset], published, self.k)
            if weighed is None:
                return Verdict(
                    False,
                    f"not judged: rows are blank in too many different ways by {self._knowledge}; let fewer be known",
                    False,
                )
            broken |= weighed.broken
            fewest.append(weighed.fewest)
            class_sizes.append(weighed.alike)
        word = "records" if published.persons is None else "persons"
        everybody = sum_counts(np.ones(rows, dtype=bool), published.counts)
        if broken.any():
            breaking_count = sum_counts(broken, published.counts)
            sentence = f"fewer than k={self.k} {word} fit {breaking_count} of {everybody} records by {self._knowledge}"
        else:
            sentence = f"at least k={self.k} {word} fit everybody by {self._knowledge}"
        least, smallest_class = min(fewest), min(class_sizes)
        return verdict_from_rows(
            broken,
            f"{sentence}; the fewest that fit are {least}, and the fewest that look the same {smallest_class}",
            {"k": least, "alike": smallest_class},
            published.counts,
        )

    def _absent(self, published: Published) -> Verdict | None:
        """Say that sets cannot be judged whose columns are not there, or that are far too many."""
        if not isinstance(self.subsets, int):
            for name in (name for subset in self.subsets for name in subset):
                if name not in published.quasi:
                    return Verdict(
                        False, f"column '{name}' is not a quasi-identifier, so it cannot be judged", False
                    )
            return None
        set_count = comb(len(published.quasi), min(self.subsets, len(published.quasi)))
        if set_count > _MOST_SETS:
            return Verdict(
                False,
                f"not judged: there are {set_count} sets of {self.subsets} columns; list those that matter",
                False,
            )
        return None


class _Weighed(NamedTuple):
    """Which rows have too few that fit, the fewest that fit anybody, and the fewest that look the same."""

    broken: B1
    fewest: int
    alike: int


def _count_fitting_rows(columns: Sequence[I8], published: Published, k: int) -> _Weighed | None:
    """Count for every row the rows that fit it in some columns; None where that is too much work.

    Of the rows that are blank in the same columns, at most one tuple fits another: the one that shows, where it is not
    blank, what the other shows. So for each pattern of blanks every tuple is matched with one tuple or none.
    """
    tuple_of_row, heads = number_groups(columns)
    cells = [column[heads] for column in columns]
    blank = np.stack(cells, axis=1) < 0  # bool[tuples, columns]: a word of bits would lose columns
    patterns = np.unpackbits(np.unique(np.packbits(blank, axis=1), axis=0), axis=1, count=len(columns))
    limit = _MOST_LOOKS if published.persons is None else _MOST_HELD
    if len(patterns) > 1 and len(patterns) * blank.size > limit:
        return None
    start, whose = _persons_of_tuples(tuple_of_row, published.persons, len(heads))
    size = (
        count_codes(tuple_of_row, published.counts, len(heads))
        if published.persons is None
        else np.diff(start)
    )
    several = published.persons is not None and len(patterns) > 1  # somebody may have rows in several matches
    fit_counts, largest, matches = np.zeros_like(size), np.zeros_like(size), []
    for pattern in patterns.astype(bool):
        match = _match_pattern(cells, blank, pattern)
        matched = np.where(match >= 0, size[match], 0)
        fit_counts, largest = fit_counts + matched, np.maximum(largest, matched)
        matches += [match] if several else []
    if several:
        # All others have no fewer than the fewest.
        unsure_tuples = np.flatnonzero(largest < max(k, int(fit_counts.min())))
        fit_counts = largest
        fit_counts[unsure_tuples] = _count_distinct_persons(
            [match[unsure_tuples] for match in matches], start, whose
        )
    return _Weighed((fit_counts < k)[tuple_of_row], int(fit_counts.min()), int(size.min()))


def _match_pattern(cells: Sequence[I8], blank: B1, pattern: B1) -> I8:
    """For every tuple the one with this pattern of blanks that fits it; -1 where none does."""
    asking = np.flatnonzero(~(blank & ~pattern).any(axis=1))  # where a row is blank, only blank ones fit
    open_columns = [
        column[asking] for column, hidden in zip(cells, pattern.tolist(), strict=True) if not hidden
    ]
    kind = number_groups(open_columns)[0] if open_columns else np.zeros(len(asking), dtype=np.int64)
    fitting = (blank[asking] == pattern).all(axis=1)
    of_kind = np.full(int(kind.max()) + 1, -1, dtype=np.int64)
    of_kind[kind[fitting]] = asking[fitting]
    match = np.full(len(blank), -1, dtype=np.int64)
    match[asking] = of_kind[kind]
    return match


def _persons_of_tuples(of: I8, persons: I8 | None, tuples: int) -> tuple[I8, I8]:
    """The different persons of every tuple, one list behind the other; none where rows name nobody."""
    if persons is None:
        return np.zeros(tuples + 1, dtype=np.int64), np.empty(0, dtype=np.int64)
    _, heads = number_groups((of, persons))
    heads = heads[np.argsort(of[heads], kind="stable")]
    return np.searchsorted(of[heads], np.arange(tuples + 1)), persons[heads]


def _count_distinct_persons(matches: Sequence[I8], start: I8, whose: I8) -> I8:
    """How many different persons some tuples' matches hold together."""
    tuples = len(matches[0])
    asking = np.tile(np.arange(tuples), len(matches))
    match = np.concatenate(matches)
    asking, match = asking[match >= 0], match[match >= 0]
    size = np.diff(start)[match]
    _, heads = (
        number_groups((np.repeat(asking, size), whose[concatenate_ranges(start[match], size)]))
        if len(match)
        else (None, asking)
    )
    return np.bincount(np.repeat(asking, size)[heads], minlength=tuples)


# --- k-anonymity of linked rows: where a pseudonym tells which rows are one person's, classes are sets of persons.


@dataclass(frozen=True, slots=True)
class LinkedAnonymity(BaseClaim):
    """Every person's rows, taken together, are those of at least `k` persons.

    A class is a set of persons with equal multisets of published quasi-identifiers: as many rows, and for each row of
    one a row of the other that shows the same. Whoever knows any of a person's rows then finds at least k persons who
    have such rows. Where every person has one row it is k-anonymity; otherwise it promises more than k-anonymity that
    counts persons, in which three persons with rows {1}, {2} and {1, 2} have k = 2, though each of them stands alone.

    Examples
    --------
    >>> import numpy as np
    >>> rows = Published({"zip": np.array([1, 2, 1, 2])}, persons=np.array([0, 1, 2, 2]))
    >>> LinkedAnonymity(2).check(rows).witnesses
    (1, 2, 3, 4)
    """

    model: ClassVar[str] = "k-anonymity of linked rows"
    shape: ClassVar[str] = "table"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "pseudonym")
    keys: ClassVar[tuple[str, ...]] = ("k",)
    rises: ClassVar[tuple[str, ...]] = ("k",)

    k: int

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "anyone who knows all quasi-identifiers of any or all rows of a person cannot tell that person's "
            "pseudonym, "
            f"and the rows that it links, from those of at least {self.k - 1} others"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (
            LINKED_VALUES,
            "other tables with the same pseudonyms: anyone who holds several of them can join them",
            "anyone who has the key, or gets it later: with it everybody's pseudonym can be made again",
            SEVERAL_RELEASES,
            MINIMALITY,
            NARROW,
            PUBLISHED_VALUES,
            "what can be inferred about a person's attributes: a class may have the same sensitive values throughout",
        )

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        which = f" ({join_names(quasi)})" if quasi else ""
        return (
            f"Rows of one person can be linked by a pseudonym; anyone who knows the quasi-identifiers{which} of all of "
            f"them finds at least {self.k:,} persons with the same rows."
        )

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every multiset of rows."""
        vacuous = explain_vacuous(published)
        if vacuous is not None:
            return vacuous
        if published.persons is None:
            return Verdict(
                False, "it is not known which rows are one person's, so persons cannot be counted", False
            )
        refuse_ragged(published)
        rows, _ = number_groups(tuple(published.quasi.values()))
        whose, _ = number_groups((published.persons,))
        kind = number_rows(prefix_sums(np.bincount(whose)), rows[np.lexsort((rows, whose))])
        size = np.bincount(kind)[kind]
        broken = (size < self.k)[whose]
        breaking_count, smallest = int((size < self.k).sum()), int(size.min())
        if breaking_count:
            sentence = (
                f"{breaking_count} of {len(size)} persons share all their rows with fewer than "
                f"k={self.k} persons"
            )
        else:
            sentence = f"all rows of every person together are those of at least k={self.k} persons"
        return verdict_from_rows(broken, f"{sentence}; the smallest class has {smallest}", {"k": smallest})
