"""k-anonymity of a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from shoal.privacy.about_classes import AboutClasses
from shoal.privacy.checked_numbers import whole
from shoal.privacy.lookalikes import classes, empty, ruling
from shoal.release import Published, Verdict

__all__ = ["KAnonymity"]


@dataclass(frozen=True, slots=True)
class KAnonymity(AboutClasses):
    """Every class of equal quasi-identifiers holds at least `k` persons.

    Rows are persons unless the release says whom each row belongs to; then distinct persons are counted.
    Empty cells are equal to each other. A release without quasi-identifiers or without records does not
    pass: nothing in it could break the claim, so the claim says nothing.

    References
    ----------
    .. [1] Sweeney. k-anonymity: a model for protecting privacy. IJUFKS 10(5), 2002.

    Examples
    --------
    >>> import numpy as np
    >>> zips = Published({"zip": np.array([7, 7, 8, 7])})
    >>> KAnonymity(2).check(zips).witnesses
    (3,)
    """

    model: ClassVar[str] = "k-anonymity"
    keys: ClassVar[tuple[str, ...]] = ("k",)
    rises: ClassVar[tuple[str, ...]] = ("k",)

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole("k", self.k))

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever knows all quasi-identifiers of a person cannot tell that person's record "
            f"from those of at least {self.k - 1} others"
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        others = self.k - 1
        if not others:
            return "a record may stand alone"
        return f"every record looks the same as at least {others:,} other{'' if others == 1 else 's'}"

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every class."""
        vacuous = empty(published)
        if vacuous is not None:
            return vacuous
        groups = classes(published)
        smallest = int(groups.size.min())
        broken = (groups.size < self.k)[groups.of]
        if smallest >= self.k:
            found = f"every class has at least k={self.k} {groups.word}"
        else:
            found = f"{groups.share(broken)} are in classes under k={self.k} {groups.word}"
        return ruling(broken, f"{found}; the smallest class has {smallest}", {"k": smallest}, groups.counts)
