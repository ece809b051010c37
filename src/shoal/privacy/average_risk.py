"""Average risk: whoever matches everybody is right for at most a share of the people (the marketer)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.privacy.claim import ClassClaim, real, ruling
from shoal.privacy.equivalence_class import EquivalenceClasses, empty, equivalence_classes
from shoal.release import Published, Verdict

__all__ = ["AverageRisk"]

_SLACK = 1e-12  # a quotient of whole numbers: exactly the threshold must pass


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
        "average_risk": "Whoever matches everybody by the quasi-identifiers is right for at most this share of them.",
    }

    average_risk: float

    def __post_init__(self) -> None:
        words = "a number above 0 and at most 1"
        self._set(average_risk=real("average_risk", self.average_risk, 1e-9, 1, words))

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever knows all quasi-identifiers of everybody, and matches everybody with a record, is right for at "
            f"most {self.average_risk:g} of the people on average"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what all classes together keep, as part of a sentence."""
        return f"on average a record can be matched with its person with a chance of at most {self.average_risk:g}"

    def check(self, published: Published) -> Verdict:
        """Judge a release: average 1 / (size of the class) over all persons."""
        vacuous = empty(published)
        if vacuous is not None:
            return vacuous
        groups = equivalence_classes(published)
        average = _average(groups)
        if average <= self.average_risk + _SLACK:
            broken, word = np.zeros(len(groups.of), dtype=bool), "at most"
        else:
            broken, word = (1 / groups.size > self.average_risk)[groups.of], "more than"
        found = f"the average risk is {average:.4g}, {word} average_risk={self.average_risk:g}"
        return ruling(broken, found, {"average_risk": average}, groups.counts)


def _average(groups: EquivalenceClasses) -> float:
    if groups.persons is None:
        return len(groups.size) / int(groups.size.sum())
    who = np.unique(groups.persons, return_inverse=True)[1]
    smallest = np.full(int(who.max()) + 1, len(who))
    np.minimum.at(smallest, who, groups.size[groups.of])
    return float(np.mean(1 / smallest))
