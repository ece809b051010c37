"""k-anonymity where everybody knows the core of a table, and somebody may know any few of the other columns.

The core are the quasi-identifiers. A *known* column may be known of somebody, together with few others. Whoever knows
some of them also knows what follows from them: copies, sums and the like. So what is counted are closed sets of known
columns: those that may be known at once, with all that follows from them and from the core.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any, ClassVar, Self

import numpy as np

from shoal.base.errors import InputError
from shoal.data.arrays import sum_counts
from shoal.privacy.claim import (
    NOT_COVERED,
    AllOf,
    BaseClaim,
    ClassClaim,
    Number,
    check_names,
    check_whole_number,
    join_names,
    merge_verdicts,
    verdict_from_rows,
)
from shoal.privacy.equivalence_class import (
    KAnonymity,
    equivalence_classes,
    explain_vacuous,
    number_groups,
    refuse_ragged,
)
from shoal.release import Claim, Published, Verdict

__all__ = ["KNOWN_AT_ONCE", "CoreAnonymity", "Rule", "close_set", "core_claim", "with_rules"]

Rule = tuple[tuple[str, ...], str]
"""Columns, and one that follows from all of them; from no known column what follows from the core alone."""

KNOWN_AT_ONCE = Number(
    "known_at_once", "The attacker may also know up to this many known columns of a person", 2, 1, 20
)

_MOST_SETS = 100_000  # of columns, which the judge looks at one after the other


def close_set(known: Iterable[str], follows: Sequence[Rule]) -> frozenset[str]:
    """Some columns with all that follows from them.

    >>> sorted(close_set(["before", "after"], [(("after", "before"), "gain"), (("gain",), "change")]))
    ['after', 'before', 'change', 'gain']
    """
    closed = frozenset(known)
    while True:
        wider = closed | {column for source, column in follows if closed.issuperset(source)}
        if wider == closed:
            return closed
        closed = wider


@dataclass(frozen=True, slots=True)
class CoreAnonymity(ClassClaim):
    """Whoever knows the quasi-identifiers of a person and any `m` known columns finds at least `k` persons.

    For every row and every set of at most m known columns, closed under what `follows`, at least k persons have rows
    that show the same in all quasi-identifiers and in the set; a blank is a label of its own. With m = 0 it is
    k-anonymity, and with as many as there are known columns it is k-anonymity of all of them.

    Examples
    --------
    >>> import numpy as np
    >>> shown = {"visits": np.array([1, 1, 2, 2]), "weight": np.array([5, 6, 5, 6])}
    >>> people = Published({"town": np.zeros(4, dtype=np.int64)}, known=shown)
    >>> bool(CoreAnonymity(2, 1).check(people)), CoreAnonymity(2, 2).check(people).witnesses
    (True, (1, 2, 3, 4))
    """

    model: ClassVar[str] = "k-anonymity with known columns"
    roles: ClassVar[tuple[str, ...]] = ("quasi", "known")
    keys: ClassVar[tuple[str, ...]] = ("known_at_once", "k")
    rises: ClassVar[tuple[str, ...]] = ("k", "m")
    widens: ClassVar[tuple[str, ...]] = ("follows",)
    meanings: ClassVar[Mapping[str, str]] = {
        "known_at_once": "So many known columns of a person may be known beside all quasi-identifiers, whichever they "
        "are."
    }

    k: int
    m: int
    follows: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        self._set_whole("k")
        if self.m != 0 or isinstance(self.m, bool | float):
            self._set(m=check_whole_number("known_at_once", self.m))
        rules = self.follows
        if not isinstance(rules, list | tuple) or not all(
            isinstance(rule, list | tuple) and len(rule) == 2 and isinstance(rule[1], str) for rule in rules
        ):
            raise InputError("follows: give pairs of columns and the one that follows from them")
        self._set(follows=tuple((check_names("follows", source), column) for source, column in rules))

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `follows` only where something does."""
        rules = [[list(source), column] for source, column in self.follows]
        return {"k": self.k, "known_at_once": self.m} | ({"follows": rules} if rules else {})

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """Return the claim that a manifest holds, as `as_dict` wrote it."""
        settings = {("m" if key == "known_at_once" else key): value for key, value in said.items()}
        if "m" in said or settings.keys() - {"model", "k", "m", "follows", "attacker", "not_covered"}:
            raise InputError(f"claim: {cls.model} is not made of these keys; it was changed")
        try:
            claim = cls(settings["k"], settings["m"], settings.get("follows", ()))
        except KeyError:
            raise InputError(f"claim: {cls.model} needs k and known_at_once; it was changed") from None
        return claim

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps this claim keeps the other: classes are unions of what it counts."""
        if isinstance(other, KAnonymity):
            return other.of is None and self.k >= other.k
        return BaseClaim.implies(self, other)

    @property
    def _knowledge(self) -> str:
        """Which known columns somebody knows, in words."""
        return "any one known column" if self.m == 1 else f"any {self.m} known columns"

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        knowing = f" and {self._knowledge}" if self.m else ""
        implied = ", and so what follows from these," if self.m and self.follows else ""
        return (
            f"anyone who knows all quasi-identifiers of a person{knowing}{implied} cannot tell that person's "
            f"record from "
            f"those of at least {self.k - 1} others"
        )

    @property
    def beyond(self) -> tuple[str, ...]:
        """What the claim does not promise, but for what can be inferred."""
        return (
            f"anyone who knows more than {self.m} known columns of a person, at once or one after the other",
            *NOT_COVERED,
        )

    def promise(self, sensitive: Sequence[str] = ()) -> str:
        """Return what every class keeps, as part of a sentence."""
        crowd = self.k - 1
        if not crowd:
            return "a record may stand alone"
        also = f", also to anyone who knows {self._knowledge}" if self.m else ""
        return f"every record looks the same as at least {crowd:,} other{'' if crowd == 1 else 's'}{also}"

    def list_sets(self, known: Sequence[str]) -> list[tuple[str, ...]]:
        """The closed sets of known columns that may be known at once; of equal ones one.

        >>> CoreAnonymity(2, 1, ((("a",), "b"),)).list_sets(["a", "b", "c"])
        [('a', 'b'), ('b',), ('c',)]
        """
        closed_sets = (
            close_set(subset, self.follows) for subset in combinations(known, min(self.m, len(known)))
        )
        return list(dict.fromkeys(tuple(name for name in known if name in closed) for closed in closed_sets))

    def views(self, published: Published) -> Iterator[tuple[tuple[str, ...], Published]]:
        """The release as everybody sees it who knows the core and a closed set: its classes are the groups."""
        core, _ = number_groups(tuple(published.quasi.values()))
        for known in self.list_sets(list(published.known)):
            columns = {name: published.known[name] for name in known}
            yield known, replace(published, quasi={"": core, **columns}, known={})

    def check(self, published: Published) -> Verdict:
        """Judge a release: for every set of known columns, count the persons of every group."""
        refused = self._explain_unjudged(published)
        if refused is not None:
            return refused
        rows = len(next(iter(published.quasi.values())))
        broken, smallest, word = np.zeros(rows, dtype=bool), rows, "records"
        worst: tuple[str, ...] = ()
        for known, view in self.views(published):
            groups = equivalence_classes(view)
            fewest, word = int(groups.size.min()), groups.word
            if fewest < smallest:
                smallest, worst = fewest, known
            if fewest < self.k:
                broken |= (groups.size < self.k)[groups.of]
        knowledge = f"by the quasi-identifiers and {self._knowledge}"
        found_by = f", by {join_names(worst)}" if worst else ""
        if broken.any():
            everybody = sum_counts(np.ones(rows, dtype=bool), published.counts)
            share = f"{sum_counts(broken, published.counts)} of {everybody} records"
            sentence = f"{share} are in groups under k={self.k} {word} {knowledge}"
        else:
            sentence = f"every group has at least k={self.k} {word} {knowledge}"
        return verdict_from_rows(
            broken,
            f"{sentence}; the smallest group has {smallest}{found_by}",
            {"k": smallest},
            published.counts,
        )

    def check_beside(self, claim: BaseClaim, published: Published) -> Verdict:
        """Judge another claim about classes in every group, as somebody sees them who knows a set of known columns."""
        refused = self._explain_unjudged(published)
        if refused is not None:
            return refused
        verdicts: list[Verdict] = []
        for known, view in self.views(published):
            verdict = claim.check(view)
            beside = f"with {join_names(known)}, " if known else ""
            verdicts.append(replace(verdict, sentence=f"{beside}{verdict.sentence}"))
        merged = merge_verdicts(verdicts)
        worst = next((verdict for verdict in verdicts if not verdict), verdicts[0])
        figures: dict[str, list[float]] = {}
        for verdict in verdicts:
            for key, figure in verdict.reached.items():
                figures.setdefault(key, []).append(figure)
        reached = {key: min(found) if key in claim.rises else max(found) for key, found in figures.items()}
        return replace(merged, sentence=worst.sentence, reached=reached)

    def _explain_unjudged(self, published: Published) -> Verdict | None:
        """Say no to what the claim says nothing of, and to more sets than can be looked at."""
        vacuous = explain_vacuous(published)
        if vacuous is not None:
            return vacuous
        if not published.known:
            return Verdict(False, "no column is known of somebody, so the claim promises nothing beyond k")
        refuse_ragged(published)
        for source, column in self.follows:
            for name in (*source, column):
                if name not in published.known:
                    return Verdict(
                        False, f"column '{name}' is not among the known ones, so it cannot be judged", False
                    )
        sets = comb(len(published.known), min(self.m, len(published.known)))
        if sets > _MOST_SETS:
            return Verdict(
                False,
                f"not judged: there are {sets} sets of {self.m} known columns; let fewer be known at once",
                False,
            )
        return None


def core_claim(claim: Claim) -> CoreAnonymity | None:
    """The part of a claim that is about known columns; None where it is about quasi-identifiers alone."""
    return next((part for part in claim.parts if isinstance(part, CoreAnonymity)), None)


def with_rules(claim: Claim, follows: Sequence[Rule]) -> Claim:
    """The same claim, saying what follows from known columns."""
    parts = tuple(
        replace(part, follows=tuple(follows)) if isinstance(part, CoreAnonymity) else part
        for part in claim.parts
        if isinstance(part, BaseClaim)
    )
    return AllOf(parts) if isinstance(claim, AllOf) else parts[0]
