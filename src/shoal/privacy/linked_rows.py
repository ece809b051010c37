"""k-anonymity of linked rows: where a pseudonym tells which rows are one person's, classes are sets of persons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.privacy.claim import (
    MINIMALITY,
    NARROW,
    PUBLISHED_VALUES,
    SEVERAL_RELEASES,
    BaseClaim,
    join_names,
    ruling,
)
from shoal.privacy.equivalence_class import empty, group, refuse_ragged
from shoal.release import Published, Verdict

__all__ = ["LinkedAnonymity"]


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
    meanings: ClassVar[Mapping[str, str]] = {}

    k: int

    def __post_init__(self) -> None:
        self._set_whole("k")

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        return (
            "whoever knows all quasi-identifiers of any or all rows of a person cannot tell that person's pseudonym, "
            f"and the rows that it links, from those of at least {self.k - 1} others"
        )

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (
            "whoever knows, beside quasi-identifiers, sensitive values or columns published as they are of any row of "
            "a person: a pseudonym links them to all other rows of that person",
            "other tables with the same pseudonyms: whoever holds several of them can join them",
            "whoever has the key, or gets it later: with it everybody's pseudonym can be made again",
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
            f"Rows of one person can be linked by a pseudonym; whoever knows the quasi-identifiers{which} of all of "
            f"them finds at least {self.k:,} persons with the same rows."
        )

    def check(self, published: Published) -> Verdict:
        """Judge a release: count the persons of every multiset of rows."""
        vacuous = empty(published)
        if vacuous is not None:
            return vacuous
        if published.persons is None:
            return Verdict(
                False, "it is not known which rows are one person's, so persons cannot be counted", False
            )
        refuse_ragged(published)
        rows, _ = group(tuple(published.quasi.values()))
        whose, _ = group((published.persons,))
        order = np.lexsort((rows, whose))
        start = np.r_[0, np.cumsum(np.bincount(whose))]
        seen: dict[bytes, list[int]] = {}
        for person, (first, behind) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
            seen.setdefault(rows[order[first:behind]].tobytes(), []).append(person)
        size = np.zeros(len(start) - 1, dtype=np.int64)
        for persons in seen.values():
            size[persons] = len(persons)
        broken = (size < self.k)[whose]
        few, smallest = int((size < self.k).sum()), int(size.min())
        if few:
            found = f"{few} of {len(size)} persons share all their rows with fewer than k={self.k} persons"
        else:
            found = f"all rows of every person together are those of at least k={self.k} persons"
        return ruling(broken, f"{found}; the smallest class has {smallest}", {"k": smallest})
