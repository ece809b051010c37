"""Claims beside a population: how many of it look like a class of the release, and what share of those is in the data.

Both need the people of the population and what labels stand for, so nobody can judge them from a folder alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.data.arrays import B1, I8, owners, times
from shoal.privacy.claim import NOT_COVERED, ClassClaim, ruling
from shoal.privacy.equivalence_class import EquivalenceClasses, empty, equivalence_classes, group
from shoal.release import Forms, Population, Published, Verdict

__all__ = ["KMap"]

_SLACK = 1e-12  # a quotient of whole numbers: exactly the bound must pass
_MEMBERS = (
    "an attacker who knows that a person is in the data: among the records, that person may stand alone"
)
_UNKNOWN = Verdict(
    False,
    "not judged: the claim is about a population; give the configuration, whose [population] path names it",
    judged=False,
)


class _PopulationClaim(ClassClaim):
    """A claim that is judged by comparing classes with the people of a population whom they fit."""

    __slots__ = ()

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (_MEMBERS, *NOT_COVERED)

    def check(self, published: Published) -> Verdict:
        """Judge a release: read every class as a predicate on the people of the population."""
        vacuous = empty(published)
        if vacuous is not None:
            return vacuous
        if published.population is None:
            return _UNKNOWN
        groups = equivalence_classes(published)
        return self._weigh(groups, _fitting(published, published.population, groups), published.population.n)

    def _weigh(self, groups: EquivalenceClasses, fit: "_Fit", everybody: int) -> Verdict:
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
    >>> zips = Forms.of_sets(("7", "8"), [np.array([0, 1], dtype=np.int32), np.array([2], dtype=np.int32)])
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

    def __post_init__(self) -> None:
        self._set_whole("k_map")

    @property
    def mapped(self) -> int:
        """How many people of the population fit every class at least."""
        return self.k_map

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever knows all quasi-identifiers of everybody in the population, and not who of them is in the data, "
            f"finds at least {self.k_map} people for every record (weaker than k where the data are a sample)"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        return f"every record fits at least {self.k_map:,} people of the population, in the data or not"

    def _weigh(self, groups: EquivalenceClasses, fit: "_Fit", everybody: int) -> Verdict:
        fewest = int(fit.people.min())
        broken = (fit.people < self.k_map)[groups.of]
        if fewest >= self.k_map:
            found = f"every class fits at least k_map={self.k_map} people of the population"
        else:
            found = f"{groups.share(broken)} are in classes of fewer than k_map={self.k_map} people of the population"
        return ruling(broken, f"{found}; the fewest are {fewest}", {"k_map": fewest}, groups.counts)


class _Fit(NamedTuple):
    """How a release fits a population.

    people  : int64[classes], how many people fit each class
    outside : how many fit none
    apart   : whether nobody fits two
    """

    people: I8
    outside: int
    apart: bool


def _fitting(published: Published, population: Population, groups: EquivalenceClasses) -> _Fit:
    """Count the people whom every class fits."""
    heads = np.empty(len(groups.size), dtype=np.int64)
    heads[groups.of] = np.arange(len(groups.of))
    labels = {name: codes[heads] for name, codes in published.quasi.items()}
    one, first = group([population.values[name] for name in labels])
    many = np.bincount(one, minlength=len(first))
    values = {name: population.values[name][first] for name in labels}
    owned = {name: _owner(population.forms[name], codes, values[name]) for name, codes in labels.items()}
    if any(owner is None for owner in owned.values()):
        return _one_by_one(labels, values, many, population.forms)
    seen = {name: owner[values[name]] for name, owner in owned.items() if owner is not None}
    inside = np.logical_and.reduce([codes >= 0 for codes in seen.values()])
    # Whoever has the labels of a class in every column is in it.
    places = [np.r_[_placed(population.forms[name], labels[name]), seen[name][inside]] for name in labels]
    of, _ = group(places)
    classes = len(heads)
    found = times(of[classes:], many[inside], int(of.max()) + 1)[of[:classes]]
    return _Fit(found, int(many.sum() - found.sum()), True)


def _placed(forms: Forms, codes: I8) -> I8:
    """The form of each label: an empty cell has the last."""
    return np.where(codes < 0, len(forms.labels) - 1, codes)


def _owner(forms: Forms, codes: I8, values: I8) -> I8 | None:
    """The one form of a release that stands for each value, -1 where none does; None where several stand for one."""
    used = np.isin(owners(forms.start), _placed(forms, codes))
    owner = np.full(_width(forms, values), -1, dtype=np.int64)
    owner[forms.leaves[used]] = owners(forms.start)[used]
    return owner if np.bincount(forms.leaves[used], minlength=1).max() <= 1 else None


def _width(forms: Forms, values: I8) -> int:
    """How many values there are, of forms and of people."""
    return max(int(forms.leaves.max(initial=0)), int(values.max(initial=0))) + 1


def _one_by_one(
    labels: Mapping[str, I8], values: Mapping[str, I8], many: I8, every: Mapping[str, Forms]
) -> _Fit:
    """The same where labels overlap, as those of a local recoding do: class by class."""
    held: dict[tuple[str, int], B1] = {}

    def covered(name: str, code: int) -> B1:
        if (name, code) not in held:
            forms = every[name]
            place = len(forms.labels) - 1 if code < 0 else code
            there = np.zeros(_width(forms, values[name]), dtype=bool)
            there[forms.leaves[owners(forms.start) == place]] = True
            held[name, code] = there[values[name]]
        return held[name, code]

    people, times_met = [], np.zeros(len(many), dtype=np.int64)
    for codes in zip(*(column.tolist() for column in labels.values()), strict=True):
        fits = np.logical_and.reduce([covered(name, code) for name, code in zip(labels, codes, strict=True)])
        people.append(int(many[fits].sum()))
        times_met += fits
    return _Fit(np.array(people), int(many[times_met == 0].sum()), int(times_met.max()) <= 1)
