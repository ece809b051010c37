"""k-map, delta-presence and the average risk: how many of a population look like a class, and what share is in it.

k-map and delta-presence need the people of the population and what labels stand for, so nobody can judge them from a
folder alone. The average risk (of a marketer) needs neither.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, ClassVar, NamedTuple

import numpy as np

from shoal.base.errors import InputError
from shoal.data.arrays import B1, I8, count_codes, prefix_sums, row_of_entry
from shoal.privacy.claim import NOT_COVERED, ClassClaim, check_real, verdict_from_rows
from shoal.privacy.equivalence_class import (
    EquivalenceClasses,
    equivalence_classes,
    explain_vacuous,
    number_groups,
)
from shoal.release import Population, Published, PublishedValues, Verdict

__all__ = ["AverageRisk", "DeltaPresence", "KMap"]

_SLACK = 1e-12  # quotients of whole numbers: exactly the bound must pass
_MEMBERS = (
    "an attacker who knows that a person is in the data: among the records, that person may stand alone"
)
_UNKNOWN = Verdict(
    False,
    "not judged: the claim is about a population; give the configuration, whose [population] path names it",
    judged=False,
)


class _Fit(NamedTuple):
    """How a release fits a population.

    people  : int64[classes], how many people fit each class
    outside : how many fit none
    apart   : whether nobody fits two
    """

    people: I8
    outside: int
    apart: bool


class _PopulationClaim(ClassClaim):
    """A claim that is judged by comparing classes with the people of a population whom they fit."""

    __slots__ = ()

    @property
    def beyond(self) -> tuple[str, ...]:
        """What the claim does not promise, but for what can be inferred."""
        return (_MEMBERS, *NOT_COVERED)

    def check(self, published: Published) -> Verdict:
        """Judge a release: read every class as a predicate on the people of the population."""
        vacuous = explain_vacuous(published)
        if vacuous is not None:
            return vacuous
        if published.population is None:
            return _UNKNOWN
        return self._weigh(published, published.population, equivalence_classes(published))

    def _weigh(self, published: Published, people: Population, groups: EquivalenceClasses) -> Verdict:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class KMap(_PopulationClaim):
    """Every class of the release fits at least `k_map` people of the population.

    It holds against whoever does not know which people of the population are in the data. Where these are a sample it
    is weaker than k of the same number: a record may stand alone in the release.

    References
    ----------
    .. [1] Sweeney. Computational disclosure control: a primer on data privacy protection. PhD thesis, MIT, 2001.

    Examples
    --------
    >>> zips = PublishedValues.of_sets(("7", "8"), [np.array([0, 1], dtype=np.int32), np.array([2], dtype=np.int32)])
    >>> people = Population({"zip": np.array([0, 1, 1, 2])}, {"zip": zips})
    >>> sample = Published({"zip": np.array([0])}, population=people)
    >>> KMap(3).check(sample).holds, KMap(4).check(sample).holds
    (True, False)
    """

    model: ClassVar[str] = "k-map"
    keys: ClassVar[tuple[str, ...]] = ("k_map",)
    rises: ClassVar[tuple[str, ...]] = ("k_map",)
    meanings: ClassVar[Mapping[str, str]] = {
        "k_map": "Every published combination fits at least this many people of the population, in the data or not.",
    }

    k_map: int

    @property
    def mapped(self) -> int:
        """How many people of the population fit every class at least."""
        return self.k_map

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "anyone who knows all quasi-identifiers of everybody in the population, and not who of them is in "
            "the data, "
            f"finds at least {self.k_map} people for every record (weaker than k where the data are a sample)"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        return f"every record fits at least {self.k_map:,} people of the population, in the data or not"

    def _weigh(self, published: Published, people: Population, groups: EquivalenceClasses) -> Verdict:
        class_fit = _fit_classes(published, people, groups)
        fewest = int(class_fit.people.min())
        broken = (class_fit.people < self.k_map)[groups.of]
        if fewest >= self.k_map:
            sentence = f"every class fits at least k_map={self.k_map} people of the population"
        else:
            sentence = (
                f"{groups.share(broken)} are in classes of fewer than k_map={self.k_map} people of the "
                "population"
            )
        return verdict_from_rows(
            broken, f"{sentence}; the fewest are {fewest}", {"k_map": fewest}, groups.counts
        )


@dataclass(frozen=True, slots=True)
class DeltaPresence(_PopulationClaim):
    """Of the people in every class of the generalized population, a share in the range `presence` is in the data.

    The class of a person of the population is that of the labels which the person's cells are recoded to. So every
    value has one label, as in a recoding by levels; where some have two, as in local recodings, shares of classes are
    not defined. A missing cell is a value of its own: where its label is the root, and its column has finer labels too,
    the root stands for missing cells alone. A class with nobody in the data has the share 0, so a lower end above 0
    asks that every class be present. Whoever is left out of the release is in the data all the same, so nobody may be.

    References
    ----------
    .. [1] Nergiz, Atzori, Clifton. Hiding the presence of individuals from shared databases. SIGMOD 2007.

    Examples
    --------
    >>> zips = PublishedValues.of_sets(("7", "8"), [np.array([0, 1], dtype=np.int32), np.array([2], dtype=np.int32)])
    >>> people = Population({"zip": np.array([0, 1, 1, 2])}, {"zip": zips})
    >>> sample = Published({"zip": np.array([0])}, population=people)
    >>> DeltaPresence((0, 0.5)).check(sample).holds, DeltaPresence((0.1, 0.5)).check(sample).holds
    (True, False)
    """

    model: ClassVar[str] = "delta-presence"
    keys: ClassVar[tuple[str, ...]] = ("presence",)
    meanings: ClassVar[Mapping[str, str]] = {
        "presence": "Of all people of the population with one published combination, the least and the largest share "
        "that is in the data.",
    }

    presence: tuple[float, float]

    def __post_init__(self) -> None:
        ends: Any = self.presence
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise InputError("presence: give the least and the largest share, such as [0.05, 0.15]")
        words = "two numbers from 0 to 1"
        low, high = (check_real("presence", end, 0, 1, words) for end in ends)
        if low > high or not high:
            raise InputError("presence: the first share must not be above the second, and that not 0")
        self._set(presence=(low, high))

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words."""
        return {"presence": list(self.presence)}

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether a narrower range promises as much as another."""
        return bool(own[0] >= asked[0] and own[1] <= asked[1])

    @property
    def mapped(self) -> int:
        """How many people of the population fit every class at least."""
        return ceil(1 / self.presence[1] - _SLACK)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        low, high = self.presence
        return (
            "anyone who knows all quasi-identifiers of everybody in the population, and not who of them is in "
            "the data, "
            f"finds that a person is in the data with a chance from {low:g} to {high:g}"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        low, high = self.presence
        return f"a share from {low:g} to {high:g} of the people of the population who look the same is in the data"

    def _weigh(self, published: Published, people: Population, groups: EquivalenceClasses) -> Verdict:
        if people.gone:
            return Verdict(
                False, f"{people.gone} records of the data were left out, so their shares are not known"
            )
        people = _recode_blanks(published, people)
        class_fit = _fit_classes(published, people, groups)
        if not class_fit.apart:
            sentence = "people of the population fit two classes of the release, so shares of classes are not defined"
            return Verdict(False, sentence, judged=False)
        strange = _find_uncovered(published, people, len(groups.of))
        if strange.any():
            strange_share = groups.share(strange)
            return verdict_from_rows(
                strange,
                f"{strange_share} are not in the class that their cells are recoded to",
                {},
                groups.counts,
            )
        low, high = self.presence
        share = np.divide(
            groups.size, class_fit.people, out=np.full(len(groups.size), np.inf), where=class_fit.people > 0
        )
        least, largest = 0.0 if class_fit.outside else float(share.min()), float(share.max())
        broken = ((share < low - _SLACK) | (share > high + _SLACK))[groups.of]
        # A class that is not there breaks it, and so no record is without fault.
        if class_fit.outside and low > 0:
            broken[:] = True
        verb = "leave" if broken.any() else "keep"
        verdict_words = (
            f"shares of classes that are in the data, {least:.4g} to {largest:.4g}, {verb} {low:g} "
            f"to {high:g}"
        )
        return verdict_from_rows(
            broken, verdict_words, {"presence_least": least, "presence_most": largest}, groups.counts
        )


def _recode_blanks(published: Published, population: Population) -> Population:
    """The same people, and what labels stand for where a missing cell is a value of its own."""
    forms = dict(population.forms)
    for name, blank in population.blank.items():
        all_of, owner = forms[name], row_of_entry(forms[name].start)
        if len(np.unique(published.quasi[name])) > 1:
            stay = ~np.isin(owner, owner[all_of.leaves == blank]) | (all_of.leaves == blank)
            leaf_counts = np.bincount(owner[stay], minlength=len(all_of.labels))
            forms[name] = PublishedValues(all_of.labels, prefix_sums(leaf_counts), all_of.leaves[stay])
    return replace(population, forms=forms)


def _find_uncovered(published: Published, population: Population, rows: int) -> B1:
    """Which rows have a label that does not stand for the value of the record behind them."""
    is_uncovered = np.zeros(rows, dtype=bool)
    for name, values in population.own.items():
        forms = population.forms[name]
        is_uncovered |= ~forms.cover(_form_indices(forms, published.quasi[name]), values)
    return is_uncovered


def _fit_classes(published: Published, population: Population, groups: EquivalenceClasses) -> _Fit:
    """Count the people whom every class fits."""
    row_of_class = np.empty(len(groups.size), dtype=np.int64)  # one of its rows
    row_of_class[groups.of] = np.arange(len(groups.of))
    labels = {name: codes[row_of_class] for name, codes in published.quasi.items()}
    kind_of_person, person_of_kind = number_groups([population.values[name] for name in labels])
    kind_counts = np.bincount(kind_of_person, minlength=len(person_of_kind))
    values = {name: population.values[name][person_of_kind] for name in labels}
    form_of_kind: dict[str, I8] = {}
    for name, codes in labels.items():
        form_of_value = _form_of_value(population.forms[name], codes, values[name])
        if form_of_value is None:
            return _fit_one_by_one(labels, values, kind_counts, population.forms)
        form_of_kind[name] = form_of_value[values[name]]
    has_forms = np.logical_and.reduce([forms >= 0 for forms in form_of_kind.values()])
    # Whoever has the labels of a class in every column is in it: classes and kinds with the same forms have one number.
    columns = [
        np.r_[_form_indices(population.forms[name], labels[name]), form_of_kind[name][has_forms]]
        for name in labels
    ]
    numbers, _ = number_groups(columns)
    number_of_class, number_of_kind = np.split(numbers, [len(row_of_class)])
    people = count_codes(number_of_kind, kind_counts[has_forms], int(numbers.max()) + 1)[number_of_class]
    return _Fit(people, int(kind_counts.sum() - people.sum()), True)


def _form_indices(forms: PublishedValues, codes: I8) -> I8:
    """The form of each label: an empty cell has the last."""
    return np.where(codes < 0, len(forms.labels) - 1, codes)


def _form_of_value(forms: PublishedValues, codes: I8, values: I8) -> I8 | None:
    """The one form of a release that stands for each value, -1 where none does; None where several stand for one."""
    is_used = np.isin(row_of_entry(forms.start), _form_indices(forms, codes))
    owner = np.full(_count_values(forms, values), -1, dtype=np.int64)
    owner[forms.leaves[is_used]] = row_of_entry(forms.start)[is_used]
    return owner if np.bincount(forms.leaves[is_used], minlength=1).max() <= 1 else None


def _count_values(forms: PublishedValues, values: I8) -> int:
    """How many values there are, of forms and of people."""
    return max(int(forms.leaves.max(initial=0)), int(values.max(initial=0))) + 1


def _fit_one_by_one(
    labels: Mapping[str, I8], values: Mapping[str, I8], many: I8, every: Mapping[str, PublishedValues]
) -> _Fit:
    """The same where labels overlap, as those of a local recoding do: class by class."""
    covers: dict[tuple[str, int], B1] = {}

    def cover_values(name: str, code: int) -> B1:
        if (name, code) not in covers:
            forms = every[name]
            form_index = len(forms.labels) - 1 if code < 0 else code
            is_covered = np.zeros(_count_values(forms, values[name]), dtype=bool)
            is_covered[forms.leaves[row_of_entry(forms.start) == form_index]] = True
            covers[name, code] = is_covered[values[name]]
        return covers[name, code]

    people, times_met = [], np.zeros(len(many), dtype=np.int64)
    for codes in zip(*(column.tolist() for column in labels.values()), strict=True):
        is_fitting = np.logical_and.reduce(
            [cover_values(name, code) for name, code in zip(labels, codes, strict=True)]
        )
        people.append(int(many[is_fitting].sum()))
        times_met += is_fitting
    return _Fit(np.array(people), int(many[times_met == 0].sum()), int(times_met.max()) <= 1)


# --- Average risk: whoever matches everybody is right for at most a share of the people (the marketer).


@dataclass(frozen=True, slots=True)
class AverageRisk(ClassClaim):
    """The mean over all people of 1 / (people who look like them) is at most `average_risk`.

    Where every row is a person that is classes / records. A person with rows in several classes is as exposed as in the
    smallest of them. It says nothing of any single person, so it stands beside k.

    References
    ----------
    .. [1] El Emam. Guide to the de-identification of personal health information. CRC Press, 2013: marketer risk.

    Examples
    --------
    >>> import numpy as np
    >>> zips = Published({"zip": np.array([7, 7, 7, 8])})
    >>> AverageRisk(0.5).check(zips).holds, AverageRisk(0.4).check(zips).holds
    (True, False)
    """

    model: ClassVar[str] = "average risk"
    keys: ClassVar[tuple[str, ...]] = ("average_risk",)
    falls: ClassVar[tuple[str, ...]] = ("average_risk",)
    meanings: ClassVar[Mapping[str, str]] = {
        "average_risk": "Anyone who matches everybody by the quasi-identifiers is right for at most this share "
        "of them.",
    }

    average_risk: float

    def __post_init__(self) -> None:
        words = "a number above 0 and at most 1"
        self._set(average_risk=check_real("average_risk", self.average_risk, 1e-9, 1, words))

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "anyone who knows all quasi-identifiers of everybody, and matches everybody with a record, is right for at "
            f"most {self.average_risk:g} of the people on average"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what all classes together keep, as part of a sentence."""
        return f"on average a record can be matched with its person with a chance of at most {self.average_risk:g}"

    def check(self, published: Published) -> Verdict:
        """Judge a release: average 1 / (size of the class) over all persons."""
        vacuous = explain_vacuous(published)
        if vacuous is not None:
            return vacuous
        groups = equivalence_classes(published)
        average = _average_risk(groups)
        if average <= self.average_risk + _SLACK:
            broken, word = np.zeros(len(groups.of), dtype=bool), "at most"
        else:
            broken, word = (1 / groups.size > self.average_risk)[groups.of], "more than"
        sentence = f"the average risk is {average:.4g}, {word} average_risk={self.average_risk:g}"
        return verdict_from_rows(broken, sentence, {"average_risk": average}, groups.counts)


def _average_risk(groups: EquivalenceClasses) -> float:
    if groups.persons is None:
        return len(groups.size) / int(groups.size.sum())
    person_of_row = np.unique(groups.persons, return_inverse=True)[1]
    smallest = np.full(int(person_of_row.max()) + 1, len(person_of_row))
    np.minimum.at(smallest, person_of_row, groups.size[groups.of])
    return float(np.mean(1 / smallest))
