"""l-diversity, t-closeness, and the other claims about the sensitive values of each class.

l-diversity and (alpha,k)-anonymity, which limits the frequent, look at a class alone; t-closeness, beta-likeness and
delta-disclosure compare it with the whole release.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any, ClassVar

import numpy as np

from shoal.data.arrays import B1, F8, I8, count_codes
from shoal.data.spelling import normalize_value, unify_spellings
from shoal.hierarchy.column_values import parse_number_or_end
from shoal.privacy.claim import Number, Protection, Word, check_choice, check_real, merge_verdicts
from shoal.privacy.equivalence_class import (
    EquivalenceClasses,
    KAnonymity,
    SensitiveValueClaim,
    ValueTally,
    compare_shares,
    number_groups,
    sensitive_codes,
)
from shoal.release import Claim, Published, Sensitive, Verdict

__all__ = ["AlphaKAnonymity", "BetaLikeness", "DeltaDisclosure", "LDiversity", "TCloseness"]

_SLACK = (
    1e-9  # figures are sums and quotients of fractions and logarithms: exactly l, t, beta or alpha must pass
)


@dataclass(frozen=True, slots=True)
class TCloseness(SensitiveValueClaim):
    """In every class the sensitive values are distributed as in the whole release, up to a distance `t`.

    With P the shares of the m released values in a class and Q those in the whole release, the earth mover's
    distance between them is

    - `equal` ground distance (any two values are 1 apart): sum |p_i - q_i| / 2,
    - `ordered` (neighbours in order are 1/(m-1) apart): sum_i |(p_1 - q_1) + ... + (p_i - q_i)| / (m - 1).

    Ordered values stand by number when all of them are numbers (equal numbers are one value), else as text; both are
    read in one spelling (`shoal.data.spelling`), so that capitals and blanks move no value.
    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    Empty cells are a value of their own: nobody learns from a class in which they are as frequent as
    elsewhere. In an order they have no place, so they are put before all values and behind all, and the
    larger distance counts. With several rows per person, shares are of distinct persons by value. Without
    quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Li, Li, Venkatasubramanian. t-closeness: privacy beyond k-anonymity and l-diversity. ICDE 2007,
       Sec. 4.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> TCloseness(0.2).check(release).reached
    {'t': 0.25}
    """

    model: ClassVar[str] = "t-closeness"
    keys: ClassVar[tuple[str, ...]] = ("t", "distance")
    falls: ClassVar[tuple[str, ...]] = ("t",)
    meanings: ClassVar[Mapping[str, str]] = {
        "t": "Shares of sensitive values among look-alikes differ from those of all by at most this; 0 is not at all.",
        "distance": "How the spreads of sensitive values are compared.",
    }
    protection: ClassVar[Protection] = Protection(
        "t",
        "Nobody may learn more from look-alikes than from all of the data: their values are spread alike",
        "sensitive column",
        "t-closeness",
        (
            Number(
                "t",
                "How far look-alikes may be from the whole: 0 is not at all, 1 is any distance",
                0.3,
                0,
                1,
                whole=False,
            ),
        ),
        (
            Word(
                "distance",
                "How distance is measured",
                {
                    "equal": "any two different values are equally far apart",
                    "ordered": "values have an order, and neighbours are near to each other",
                },
            ),
        ),
    )

    t: float
    distance: str = "equal"
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set(t=check_real("t", self.t, 0, 1, "a number from 0 to 1"))
        check_choice("distance", self.distance, ("equal", "ordered"))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "anyone who finds a person's class sees sensitive values distributed as in the whole release, up to an "
            f"earth mover's distance ({self.distance}) of {self.t:g}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        near = f"within a distance of {self.t:g}"
        return f"in every class {self.whom(sensitive)} is spread as in the whole release, {near}"

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes are too far from the whole, and how far the furthest one is."""
        measured = (
            _equal_distances(groups, column)
            if self.distance == "equal"
            else _distances_with_empty(groups, column)
        )
        return measured > self.t + _SLACK, max(0.0, float(measured.max()))  # sums of fractions may miss 0

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        if many:
            sentence = f"{many} are in classes further than t={self.t:g} from the whole release"
        else:
            sentence = f"every class is within t={self.t:g} of the whole release"
        return f"{sentence} ({self.distance} distance); the furthest class is at {figure:.4g}"


@dataclass(frozen=True, slots=True)
class BetaLikeness(SensitiveValueClaim):
    """No sensitive value becomes likelier in a class by more than `beta` times what it is in the whole release.

    With p the share of a value in the whole release and q its share in a class, the gain of every value with q > p
    is at most

    - `basic`: (q - p) / p <= beta,
    - `enhanced`: (q - p) / p <= min(beta, -ln p), so that a frequent value never becomes certain.

    Values that become rarer are not bounded. Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    An empty cell is a value of its own: nobody learns from a class in which it is as frequent as elsewhere. With
    several rows per person, shares are of distinct persons who have the value. Without quasi-identifiers, records
    or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Cao, Karras. Publishing microdata with a robust privacy guarantee. PVLDB 5(11), 2012, Def. 2-3.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> BetaLikeness(0.5).check(release).witnesses, BetaLikeness(1).check(release).reached
    ((1, 2), {'beta': 1.0})
    """

    model: ClassVar[str] = "beta-likeness"
    keys: ClassVar[tuple[str, ...]] = ("beta", "likeness")
    falls: ClassVar[tuple[str, ...]] = ("beta",)
    meanings: ClassVar[Mapping[str, str]] = {
        "beta": "Among look-alikes the share of a sensitive value grows by at most this many times its share among "
        "all.",
        "likeness": "Whether that growth is also bounded by how rare the value is.",
    }
    protection: ClassVar[Protection] = Protection(
        "beta",
        "No sensitive value may be much likelier among look-alikes than among all",
        "sensitive column",
        "beta-likeness",
        (Number("beta", "How much likelier it may be: 1 is twice as likely", 1, 0.01, 1000, whole=False),),
        (
            Word(
                "likeness",
                "How it is limited",
                {
                    "basic": "every value in the same way",
                    "enhanced": "frequent values more, so that none becomes certain",
                },
            ),
        ),
    )

    beta: float
    likeness: str = "basic"
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set(beta=check_real("beta", self.beta, 1e-9, 1e9, "a number above 0"))
        check_choice("likeness", self.likeness, ("basic", "enhanced"))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        enhanced = ", and less where a value is frequent" if self.likeness == "enhanced" else ""
        return (
            "anyone who finds a person's class finds no sensitive value there likelier than in the whole "
            "release by more "
            f"than {self.beta:g} times what it is there{enhanced}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        often = f"more than {1 + self.beta:g} times as frequent in a class as in the whole release"
        return f"no value of {self.whom(sensitive)} is {often}"

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number promises as much as another; enhanced likeness is also basic."""
        return (name == "likeness" and asked == "basic") or SensitiveValueClaim._as_much(
            self, name, own, asked
        )

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes hold a value that gained too much, and the largest gain of all."""
        tally, inside, overall = compare_shares(groups, column)
        expected = overall[tally.value]
        gain = np.maximum((inside - expected) / expected, 0)
        allowed = np.full(len(gain), self.beta)
        if self.likeness == "enhanced":
            allowed = np.minimum(allowed, -np.log(expected))
        is_over = np.zeros(len(groups.size), dtype=bool)
        is_over[tally.of[gain > allowed + _SLACK]] = True
        return is_over, float(gain.max())

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        sentence = f"no value is more than beta={self.beta:g} likelier in a class than in the whole release"
        if many:
            sentence = f"{many} are in classes with a value likelier than beta={self.beta:g} allows"
        return f"{sentence} ({self.likeness}); the largest gain is {figure:.4g}"


@dataclass(frozen=True, slots=True)
class DeltaDisclosure(SensitiveValueClaim):
    """In every class, every sensitive value of the release has a share within a factor of e^delta of its share in all.

    With p the share of a value in the whole release and q its share in a class: |ln(q / p)| < `disclosure` for every
    value of the release, the natural logarithm being meant. A value that a class lacks has q = 0 and breaks the claim:
    so the definition says, though some tools leave absent values out, whose claim is then weaker.

    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    An empty cell is a value of its own. With several rows per person, shares are of distinct persons who have the
    value. Without quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Brickell, Shmatikov. The cost of privacy: destruction of data-mining utility in anonymized data publishing.
       KDD 2008, Def. 1.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> DeltaDisclosure(2).check(release).witnesses
    (3, 4)
    """

    model: ClassVar[str] = "delta-disclosure privacy"
    keys: ClassVar[tuple[str, ...]] = ("disclosure",)
    falls: ClassVar[tuple[str, ...]] = ("disclosure",)
    meanings: ClassVar[Mapping[str, str]] = {
        "disclosure": "How much likelier or less likely a value is among look-alikes; its logarithm stays below this.",
    }
    protection: ClassVar[Protection] = Protection(
        "disclosure",
        "No sensitive value may be much likelier or much rarer among look-alikes than among all",
        "sensitive column",
        "delta-disclosure privacy",
        (
            Number(
                "disclosure",
                "How much, as a natural logarithm: 0.7 is twice or half",
                1.5,
                0.01,
                1000,
                whole=False,
            ),
        ),
    )

    disclosure: float
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        words = "a number above 0 and at most 1000"
        self._set(disclosure=check_real("disclosure", self.disclosure, 1e-6, 1e3, words))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "anyone who finds a person's class finds every sensitive value there less than e^delta times as frequent, "
            f"and more than 1/e^delta times as frequent, as in the whole release, with delta = {self.disclosure:g}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        near = f"within a factor of e^{self.disclosure:g}"
        return (
            f"every class holds every value of {self.whom(sensitive)} as often as the whole release, {near}"
        )

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes tell too much, and how much the one that tells most tells."""
        tally, inside, overall = compare_shares(groups, column)
        disclosures = np.zeros(len(groups.size))
        np.maximum.at(disclosures, tally.of, np.abs(np.log(inside / overall[tally.value])))
        value_counts = np.bincount(tally.of, minlength=len(disclosures))
        # A class that lacks a value tells most.
        disclosures = np.where(value_counts < int((overall > 0).sum()), inf, disclosures)
        return disclosures >= self.disclosure - _SLACK, float(disclosures.max())

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        sentence = f"every value of every class is within disclosure={self.disclosure:g} of the whole release"
        if many:
            sentence = (
                f"{many} are in classes that differ from the whole release by more than "
                f"disclosure={self.disclosure:g}"
            )
        worst = (
            "a class lacks a value altogether" if figure == inf else f"the largest difference is {figure:.4g}"
        )
        return f"{sentence}; {worst}"


# --- t: distances ------------------------------------------------------------------------------------------------


def _equal_distances(groups: EquivalenceClasses, column: Sensitive) -> F8:
    """For each class, half the sum of |p - q|; as p and q both sum to 1, that is the sum where p exceeds q."""
    part, overall = _tally_classes_and_release(groups, sensitive_codes(column) + 1)
    excess = np.maximum(_class_shares(part) - _class_shares(overall)[part.value], 0)
    return np.asarray(np.bincount(part.of, weights=excess, minlength=len(groups.size)), dtype=np.float64)


def _distances_with_empty(groups: EquivalenceClasses, column: Sensitive) -> F8:
    """For each class, the distance along the order, empty cells at whichever end hurts more."""
    values = sensitive_codes(column)
    known_codes = np.unique(values[values >= 0])
    rank_of_code = np.full(len(column.values) + 1, -1, dtype=np.int64)  # its last entry is the empty cell's
    spelled = unify_spellings(column.values)
    rank_of_code[known_codes] = _rank_texts([spelled[code] for code in known_codes])
    ranks = rank_of_code[values]
    if ranks.min() >= 0:
        return _order_distances(groups, ranks)
    behind = np.where(ranks < 0, ranks.max() + 1, ranks)
    return np.maximum(_order_distances(groups, ranks + 1), _order_distances(groups, behind))


def _rank_texts(texts: list[str]) -> I8:
    """The place of each text in order: by number when all are numbers or ends of them (95+), else as text."""
    numbers = [_parse_number(text) for text in texts]
    keys: list[Any] = list(map(normalize_value, texts) if None in numbers else numbers)
    rank_of_key = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([rank_of_key[key] for key in keys], dtype=np.int64)


def _parse_number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        end = parse_number_or_end(text)
        return None if end is None else float(end)
    return number if isfinite(number) else None


def _order_distances(groups: EquivalenceClasses, ranks: I8) -> F8:
    """For each class, the mean over places of |F_class - F_whole|, F the cumulated shares; ranks are 0 .. m-1.

    A class's F is constant from one of its values to the next and F_whole rises, so each such stretch is two
    differences of prefix sums around the place where they cross: no class x value matrix is built.
    """
    part, overall = _tally_classes_and_release(groups, ranks)
    steps = np.cumsum(_class_shares(overall))
    if len(steps) == 1:
        return np.zeros(len(groups.size))
    order = np.lexsort((part.value, part.of))
    class_of_entry, value, count = part.of[order], part.value[order], part.count[order]
    starts = np.r_[True, class_of_entry[1:] != class_of_entry[:-1]]
    ends = np.r_[starts[1:], True]
    total = np.bincount(class_of_entry, weights=count)[class_of_entry]
    before = np.cumsum(count) - count
    level = (before + count - np.maximum.accumulate(np.where(starts, before, 0))) / total
    upto = np.where(ends, len(steps), np.r_[value[1:], 0])
    sums = np.r_[0.0, np.cumsum(steps)]
    cross = np.clip(np.searchsorted(steps, level, side="right"), value, upto)
    above = level * (cross - value) - (sums[cross] - sums[value])
    below = (sums[upto] - sums[cross]) - level * (upto - cross)
    ahead = np.where(starts, sums[value], 0.0)  # places before the class's first value: F_class is 0
    return np.bincount(class_of_entry, weights=above + below + ahead) / (len(steps) - 1)


def _tally_classes_and_release(groups: EquivalenceClasses, values: I8) -> tuple[ValueTally, ValueTally]:
    """Count the values in each class and in the whole release; the latter has one entry per value, in order."""
    overall = groups.tally_all(values)
    count = np.zeros(int(values.max()) + 1, dtype=np.int64)
    count[overall.value] = overall.count
    codes = np.arange(len(count))
    return groups.tally(values), ValueTally(np.zeros_like(codes), codes, count)


def _class_shares(counted: ValueTally) -> F8:
    """Each count as a share of its class."""
    total = np.bincount(counted.of, weights=counted.count)
    return np.asarray(counted.count / total[counted.of], dtype=np.float64)


# --- diversity ----------------------------------------------------------------------------------------------


_WORDS = {
    "distinct": "anyone who finds a person's class still faces at least {l} different sensitive values there",
    "entropy": "anyone who finds a person's class is left with at least the doubt of {l} equally likely "
    "sensitive values",
    "recursive": "anyone who finds a person's class finds its most frequent sensitive value less than {c:g} "
    "times as often as all values beyond the {fewer} most frequent together",
}


@dataclass(frozen=True, slots=True)
class LDiversity(SensitiveValueClaim):
    """Every class of equal quasi-identifiers has at least `l` well-represented sensitive values.

    With r_1 >= r_2 >= ... >= r_m the counts of a class's values and p_i = r_i / sum(r), a class is

    - `distinct` l-diverse when m >= l,
    - `entropy` l-diverse when -sum(p_i log p_i) >= log l,
    - `recursive` (c, l)-diverse when r_1 < c (r_l + ... + r_m).

    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    *Empty cells* may hide any value, and a yes must be right whatever they hide. So they never count as a
    value, and in r_1 each counts for the most frequent value: of all ways to fill them in, this one gives the
    least entropy, the largest r_1 and the smallest tail. A class of empty cells only is 0-diverse.

    *Several rows per person*: r_i counts distinct persons. Then a class can have many values and still give
    one away, because everybody in it has that one. So a class is also at most l-diverse when for some value
    only l - 1 of its persons surely lack it. With one row per person the definitions above imply this.

    Without quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam. l-diversity: privacy beyond k-anonymity.
       TKDD 1(1), 2007, Sec. 4.

    Examples
    --------
    >>> from shoal.release import Published
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> LDiversity(2).check(release).witnesses
    (3, 4)
    """

    model: ClassVar[str] = "l-diversity"
    keys: ClassVar[tuple[str, ...]] = ("l", "diversity", "c")
    rises: ClassVar[tuple[str, ...]] = ("l",)
    falls: ClassVar[tuple[str, ...]] = ("c",)
    meanings: ClassVar[Mapping[str, str]] = {
        "c": "The most frequent sensitive value of look-alikes is less than c times as frequent as the rare ones "
        "together.",
        "diversity": "How different sensitive values are counted.",
    }
    protection: ClassVar[Protection] = Protection(
        "l",
        "Nobody may learn the sensitive value from a person's look-alikes: their values differ",
        "sensitive column",
        "l-diversity",
        (Number("l", "There must be at least this many different sensitive values among look-alikes", 2, 2),),
        (
            Word(
                "diversity",
                "How differences are counted",
                {
                    "distinct": "the values are different",
                    "entropy": "no value stands out: the entropy is at least log l",
                    "recursive": "the most frequent value is less than c times as frequent as the rare ones together",
                },
            ),
            Number("c", "With recursive: how often the most frequent value may occur", 3, 0.1, whole=False),
        ),
    )

    l: int
    diversity: str = "distinct"
    c: float = 3.0
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set_whole("l")
        check_choice("diversity", self.diversity, tuple(_WORDS))
        self._set(c=check_real("c", self.c, 1e-9, 1e9, "a number above 0"))
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return _WORDS[self.diversity].format(l=self.l, c=self.c, fewer=self.l - 1)

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `c` only where it means something."""
        settings = SensitiveValueClaim.numbers(self)
        return (
            settings
            if self.diversity == "recursive"
            else {key: settings[key] for key in settings if key != "c"}
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        kind = {"entropy": " sufficiently evenly spread", "recursive": " well spread"}.get(self.diversity, "")
        return f"every class holds at least {self.l:,}{kind} values of {self.whom(sensitive)}"

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps this claim keeps the other: values that are spread are also different."""
        if isinstance(other, LDiversity) and other.diversity == "distinct":
            other = replace(other, diversity=self.diversity, c=self.c)
        return SensitiveValueClaim.implies(self, other)

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes are not diverse enough, and how diverse the least diverse one is."""
        reached = self._diversity(groups, column)
        return reached < self.l * (1 - _SLACK), float(reached.min())

    def _diversity(self, groups: EquivalenceClasses, column: Sensitive) -> F8:
        """For each class, the largest l for which the definition holds."""
        values = sensitive_codes(column)
        tally = groups.tally(values)
        empty = values < 0
        null_counts = None if groups.counts is None else groups.counts[empty]
        nulls = count_codes(groups.of[empty], null_counts, len(groups.size))
        if self.diversity == "distinct":
            reached = np.bincount(tally.of, minlength=len(nulls)).astype(np.float64)
        elif self.diversity == "entropy":
            reached = _entropy_diversity(tally, nulls)
        else:
            reached = _recursive_diversity(tally, nulls, self.c)
        if groups.persons is None:
            return reached
        surely_lack = groups.size - _count_possible_sharers(groups, values)
        return np.asarray(np.minimum(reached, surely_lack + 1), dtype=np.float64)

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        kind = f"recursive with c={self.c:g}" if self.diversity == "recursive" else self.diversity
        if many:
            sentence = f"{many} are in classes under l={self.l} ({kind})"
        else:
            sentence = f"every class is at least l={self.l} diverse ({kind})"
        return f"{sentence}; the least diverse class reaches {figure:.4g}"


@dataclass(frozen=True, slots=True)
class AlphaKAnonymity(SensitiveValueClaim):
    """Every class holds at least `k` persons, and no sensitive value is that of more than a share `alpha` of them.

    Each sensitive column, or each of `columns`, is judged on its own.

    Notes
    -----
    An empty cell may hide any value, and a yes must be right whatever it hides: persons with an empty cell count as
    if they had the value in question. Several rows per person: a person has a value when any of the rows has it.
    Without quasi-identifiers, records or sensitive columns the claim is empty and does not hold.

    References
    ----------
    .. [1] Wong, Li, Fu, Wang. (alpha, k)-anonymity: an enhanced k-anonymity model for privacy-preserving data
       publishing. KDD 2006, Def. 2-3.

    Examples
    --------
    >>> ill = Sensitive(np.array([0, 1, 0, 0]), ("flu", "gastritis"))
    >>> release = Published({"zip": np.array([7, 7, 8, 8])}, {"disease": ill})
    >>> AlphaKAnonymity(0.5, 2).check(release).witnesses
    (3, 4)
    """

    model: ClassVar[str] = "(alpha,k)-anonymity"
    keys: ClassVar[tuple[str, ...]] = ("alpha", "k")
    rises: ClassVar[tuple[str, ...]] = ("k",)
    falls: ClassVar[tuple[str, ...]] = ("alpha",)
    meanings: ClassVar[Mapping[str, str]] = {
        "alpha": "No sensitive value has a larger share than this among look-alikes.",
    }
    protection: ClassVar[Protection] = Protection(
        "alpha",
        "No single sensitive value may dominate a group of look-alikes",
        "sensitive column",
        "(alpha,k)-anonymity",
        (
            Number(
                "alpha",
                "The largest part of them that may share a value: 0.5 is one half",
                0.5,
                0.01,
                1,
                False,
            ),
        ),
        instead=True,
    )

    alpha: float
    k: int
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._set(alpha=check_real("alpha", self.alpha, 1e-9, 1, "a number above 0 and at most 1"))
        self._set_whole("k")
        SensitiveValueClaim.__post_init__(self)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "anyone who knows all quasi-identifiers of a person cannot tell that person's record from those of at "
            "least "
            f"{self.k - 1} others, and finds no sensitive value with more than a share of {self.alpha:g} of them"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        share = (
            f"no class has more than {self.alpha:.4g} of its records with one value of {self.whom(sensitive)}"
        )
        return f"every record looks the same as at least {self.k - 1:,} others, and {share}"

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps this claim keeps the other: it holds k as well."""
        return KAnonymity(self.k).implies(other) or SensitiveValueClaim.implies(self, other)

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every class, and those with its most frequent value."""
        shares = SensitiveValueClaim.check(self, published)
        return (
            shares
            if self.absent(published) is not None
            else merge_verdicts([KAnonymity(self.k).check(published), shares])
        )

    def weigh(self, groups: EquivalenceClasses, column: Sensitive) -> tuple[B1, float]:
        """Return which classes hold a value too often, and the largest share of all."""
        top = _count_possible_sharers(groups, sensitive_codes(column)) / groups.size
        return top > self.alpha + _SLACK, float(top.max())

    def finding(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence."""
        sentence = f"no value has more than alpha={self.alpha:g} of a class"
        if many:
            sentence = f"{many} are in classes where a value has more than alpha={self.alpha:g}"
        return f"{sentence}; the largest share is {figure:.4g}"


def _count_possible_sharers(groups: EquivalenceClasses, values: I8) -> I8:
    """For each class, the largest number of persons who may have one and the same value; an empty cell may be it."""
    unsure = _find_unsure(groups, values)
    sure = groups.tally(np.where(unsure, -1, values))
    having = np.zeros(len(groups.size), dtype=np.int64)
    np.maximum.at(having, sure.of, sure.count)
    doubtful = groups.tally(np.where(unsure, 0, -1))
    having[doubtful.of] += doubtful.count
    return having


def _find_unsure(groups: EquivalenceClasses, values: I8) -> B1:
    """Whether each row belongs to a person who has an empty cell in the row's class."""
    if groups.persons is None:
        return values < 0
    person_of_row, heads = number_groups((groups.of, groups.persons))
    return np.asarray((np.bincount(person_of_row[values < 0], minlength=len(heads)) > 0)[person_of_row])


def _sort_counts(counted: ValueTally, nulls: I8) -> tuple[ValueTally, I8]:
    """Sort the counts of each class, largest first, and give its empty cells to the largest.

    Returns the tally and where each class that has values starts in it.
    """
    order = np.lexsort((-counted.count, counted.of))
    class_of_entry, count = counted.of[order], counted.count[order].copy()
    firsts = np.flatnonzero(np.r_[True, class_of_entry[1:] != class_of_entry[:-1]][: len(class_of_entry)])
    count[firsts] += nulls[class_of_entry[firsts]]
    return ValueTally(class_of_entry, counted.value[order], count), firsts


def _entropy_diversity(counted: ValueTally, nulls: I8) -> F8:
    """For each class, the exponential of the entropy: the number of equally likely values in as much doubt."""
    worst, _ = _sort_counts(counted, nulls)
    total = np.bincount(worst.of, weights=worst.count, minlength=len(nulls))
    share = worst.count / total[worst.of]
    entropy = np.bincount(worst.of, weights=-share * np.log(share), minlength=len(nulls))
    return np.where(total > 0, np.exp(entropy), 0.0)


def _recursive_diversity(counted: ValueTally, nulls: I8, c: float) -> F8:
    """For each class, the number of places l at which r_1 < c (r_l + ... + r_m): the tail shrinks with l."""
    worst, firsts = _sort_counts(counted, nulls)
    total = np.bincount(worst.of, weights=worst.count, minlength=len(nulls))
    before = np.cumsum(worst.count) - worst.count
    top, start = np.zeros_like(nulls), np.zeros_like(nulls)
    top[worst.of[firsts]], start[worst.of[firsts]] = worst.count[firsts], before[firsts]
    tail = (total + start)[worst.of] - before
    # A strict inequality must be clear of rounding: 2.2 * 25 exceeds 55.
    return np.bincount(worst.of[top[worst.of] < c * tail - _SLACK], minlength=len(nulls)).astype(np.float64)
