"""k-anonymity of a table (Samarati & Sweeney)."""

from dataclasses import dataclass
from typing import Any

from shoal.errors import InputError
from shoal.privacy.classes import classes, empty, ruling
from shoal.release import Published, Verdict

__all__ = ["KAnonymity"]


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """Every class of equal quasi-identifiers holds at least `k` persons.

    Rows are persons unless the release says who each row belongs to; then distinct persons are counted.
    Empty cells are equal to each other. A release without quasi-identifiers or without records does not
    pass: nothing in it could break the claim, so the claim says nothing.

    References
    ----------
    .. [1] Sweeney. k-anonymity: a model for protecting privacy. IJUFKS 10(5), 2002, Def. 3.

    Examples
    --------
    >>> import numpy as np
    >>> zips = Published({"zip": np.array([7, 7, 8, 7])})
    >>> KAnonymity(2).check(zips).witnesses
    (3,)
    """

    k: int

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            raise InputError(f"k={self.k!r}: k must be a whole number of at least 1")

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as the manifest holds it."""
        return {
            "model": "k-anonymity",
            "k": self.k,
            "attacker": (
                "whoever knows all quasi-identifiers of a person cannot tell that person's record from those of "
                f"at least {self.k - 1} others"
            ),
            "not_covered": list(NOT_COVERED),
        }

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons in every class."""
        if vacuous := empty(published):
            return vacuous
        groups = classes(published)
        smallest = int(groups.size.min())
        broken = (groups.size < self.k)[groups.of]
        found = f"the smallest class has {smallest} {groups.word}"
        if smallest >= self.k:
            sentence = f"every class has at least k={self.k} {groups.word}; {found}"
        else:
            sentence = (
                f"{int(broken.sum())} of {len(broken)} records are in classes of fewer than k={self.k} "
                f"{groups.word}; {found}"
            )
        return ruling(broken, sentence, {"k": smallest})


NOT_COVERED = (
    "several releases about the same people: what each hides, they may give away together",
    "an attacker who reasons from the way the method chooses its release (minimality attacks)",
    "what is learned about a person's other attributes beyond what l-diversity and t-closeness bound",
)
"""What no claim about a table covers."""
