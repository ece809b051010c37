"""What all claims have in common: their numbers, how a manifest holds them, their words, and verdicts on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from shoal.base.errors import InputError
from shoal.base.naming import did_you_mean
from shoal.data.arrays import B1, I8, sum_counts
from shoal.release import Claim, Published, Verdict

__all__ = [
    "LABELS",
    "LACKED_ITEMS",
    "LEAST_SHARE",
    "LINKED_VALUES",
    "MINIMALITY",
    "NARROW",
    "NOT_COVERED",
    "PROSE",
    "PUBLISHED_VALUES",
    "REWORDED",
    "SENSITIVE_ITEMS",
    "SEVERAL_RECORDS",
    "SEVERAL_RELEASES",
    "SHOWN",
    "SPEAKS_OF",
    "AllOf",
    "BaseClaim",
    "Breaches",
    "ClassClaim",
    "Number",
    "Protection",
    "Word",
    "check_choice",
    "check_names",
    "check_real",
    "check_whole_number",
    "describe_inferable",
    "join_names",
    "merge_verdicts",
    "promises_as_much",
    "verdict_from_rows",
]

PROSE = ("attacker", "not_covered")
"""What a manifest tells of a claim in words; it is written for people and never read."""

SHOWN = 100
"""How many witnesses a verdict names."""

_NAMED = 6  # columns that a sentence names one by one
_MOST = 2**53  # beyond it floating point, in which some claims are weighed, skips whole numbers

# --- what claims do not cover, in words -----------------------------------------------------------------------

SEVERAL_RELEASES = "several releases about the same people: together they may show what each of them hides"
MINIMALITY = "an attacker who reasons from how the method picks its release (minimality attacks)"
NARROW = (
    "someone who reasons that labels are never wider than needed: from that they may describe exactly one person, "
    "learn a quasi-identifier, or be certain that a person is in the data"
)
SEVERAL_RECORDS = "someone who can tell that several records belong to the same person, if there are any"
PUBLISHED_VALUES = "someone who also knows what is published of a person in sensitive or plain columns"
LINKED_VALUES = (
    "anyone who knows, beside quasi-identifiers, sensitive or plain columns of any row of a person: a pseudonym links "
    "them to all other rows of that person"
)
LABELS = "labels: with k alone, all rows that fit a person may carry the same label"
LACKED_ITEMS = "an attacker who knows that a person lacks an item, or how many items a person has"
SENSITIVE_ITEMS = (
    "an attacker who knows any of a person's sensitive items: they are published as they are, and the claim "
    "counts only the others"
)
NOT_COVERED = (SEVERAL_RELEASES, MINIMALITY, NARROW, SEVERAL_RECORDS, PUBLISHED_VALUES)
"""What no claim about a table covers, for the report to print; `describe_inferable` is the last of it."""

SPEAKS_OF: Mapping[str, tuple[str, ...]] = {
    PUBLISHED_VALUES: ("sensitive", "plain"),
    LINKED_VALUES: ("sensitive", "plain"),
    LABELS: ("sensitive",),
}
"""What says something only where a release has columns of such roles."""

LEAST_SHARE = "At most one in this many of the records that fit holds any one sensitive value."
"""What l means where records that fit are compared with those of them that share a sensitive value."""

REWORDED = frozenset(
    {
        "whoever knows that labels are as narrow as possible, and so that at least two parts of each are inhabited: "
        "from this somebody may describe exactly one person, learn a quasi-identifier, or be certain that a person is "
        "in the data; k bounds only which row is whose",
        "an attacker who knows several records of one person, where the data hold them",
        "an attacker who also knows a person's sensitive values or columns published as they are",
        "whoever knows, beside quasi-identifiers, sensitive values or columns published as they are of any row of a "
        "person: a pseudonym links them to all other rows of that person",
        "what can be inferred about a person's attributes beyond the stated l and t; k alone does not limit this",
    }
)
"""What releases said before it was put in other words; `verify` reads them as it reads those of earlier versions."""


def describe_inferable(stated: Sequence[str]) -> str:
    """What a claim leaves to be inferred, the numbers being stated that bound what look-alikes tell.

    >>> describe_inferable(["l", "t"]), describe_inferable([])[-49:]
    ("what can be inferred about a person's attributes beyond the stated l and t", \
'ds that look the same may share a sensitive value')
    """
    words = "what can be inferred about a person's attributes"
    if stated:
        return f"{words} beyond the stated {join_names(stated)}"
    return f"{words}: records that look the same may share a sensitive value"


# --- how people ask for a claim ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A number that people are asked for; `most` is the largest that makes sense, None where any does."""

    key: str
    sentence: str
    default: float
    least: float
    most: float | None = None
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Word:
    """A choice for whoever knows the papers: each word with what it means; the first is the usual one."""

    key: str
    sentence: str
    words: Mapping[str, str]

    @property
    def default(self) -> str:
        """The usual word."""
        return next(iter(self.words))


@dataclass(frozen=True, slots=True)
class Protection:
    """What can be promised in addition, beside the attacker's claim or in its place.

    name  : the key of [guarantee] that asks for it
    needs : what the data must have, a key of `attackers.NEEDS`; "" where nothing
    claim : the model of `CLAIMS` that results; `instead` where it holds the attacker's own claim as well
    more  : words and numbers that most people leave as they are
    """

    name: str
    sentence: str
    needs: str
    claim: str
    numbers: tuple[Number | Word, ...]
    more: tuple[Number | Word, ...] = ()
    instead: bool = False


class BaseClaim(Claim):
    """A single claim as people and manifests read it. Every class of claims fills in the blanks.

    roles : the columns it sees, by role
    keys  : the keys of [guarantee] that it is made of, the one that asks for it first
    rises, falls, widens : the whole numbers of which a larger one promises more, the numbers of which a smaller one
              does, and the lists of which a longer one does; in everything else two claims must be equal to be compared
    meanings : what the keys that are its own mean, in words
    """

    __slots__ = ()

    roles: ClassVar[tuple[str, ...]]
    keys: ClassVar[tuple[str, ...]]
    rises: ClassVar[tuple[str, ...]] = ()
    falls: ClassVar[tuple[str, ...]] = ()
    widens: ClassVar[tuple[str, ...]] = ()
    meanings: ClassVar[Mapping[str, str]] = {}

    def __post_init__(self) -> None:
        self._set_whole(*self.rises)

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps this claim keeps the other, by their definitions; where in doubt, not."""
        return type(other) is type(self) and all(
            self._as_much(field.name, getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
        )

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number of this claim promises as much as that of another."""
        if name in self.rises:
            return asked is None or (own is not None and own >= asked)
        if name in self.falls:
            return bool(own <= asked)
        if name in self.widens:
            return set(own) >= set(asked)
        return bool(own == asked)

    def _set(self, **checked: Any) -> None:
        """Put checked numbers in the place of those given: claims are frozen."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def _set_whole(self, *names: str) -> None:
        self._set(**{name: check_whole_number(name, getattr(self, name)) for name in names})

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @classmethod
    def from_dict(cls, said: Mapping[str, Any]) -> Self:
        """Return the claim that a manifest holds, as `as_dict` wrote it; its words are not read.

        Raises
        ------
        InputError
            A number is wrong or missing, or something stands there that is not this claim's.
        """
        settings = {key: value for key, value in said.items() if key != "model" and key not in PROSE}
        try:
            claim = cls(**settings)
        except TypeError:
            raise InputError(
                f"claim: {cls.model} is not made of {', '.join(map(str, settings)) or 'nothing'}; it was changed"
            ) from None
        if claim.named != said.get("model") or claim.numbers() != settings:
            raise InputError("claim: the model does not fit the other keys; write the claim again")
        return claim


class ClassClaim(BaseClaim):
    """A claim about the records that share all quasi-identifiers."""

    __slots__ = ()

    shape: ClassVar[str] = "table"
    roles: ClassVar[tuple[str, ...]] = ("quasi",)

    @property
    def bounds(self) -> tuple[str, ...]:
        """The numbers by which the claim bounds what look-alikes tell of sensitive values."""
        return ()

    def check_beside(self, claim: BaseClaim, published: Published) -> Verdict:
        """Judge another claim that is made together with this one: as it is, where this one divides no classes."""
        return claim.check(published)

    @property
    def beyond(self) -> tuple[str, ...]:
        """What the claim does not promise, but for what can be inferred."""
        return NOT_COVERED

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return (*self.beyond, describe_inferable(self.bounds))

    def promise(self, sensitive: Sequence[str]) -> str:
        """Return what every class keeps, as part of a sentence."""
        raise NotImplementedError

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        return _class_headline([self], quasi, sensitive)


@dataclass(frozen=True, slots=True)
class AllOf(Claim):
    """Several claims about the classes of a table: each must hold.

    Examples
    --------
    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> AllOf((KAnonymity(5), LDiversity(2))).as_dict()["model"]
    'all'
    """

    model: ClassVar[str] = "all"
    shape: ClassVar[str] = "table"

    claims: tuple[BaseClaim, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "claims", tuple(self.claims))
        if not self.claims:
            raise InputError("claim: none is given; give at least one of k, l, t")
        if not all(isinstance(claim, ClassClaim) for claim in self.claims):
            raise InputError(
                "claim: only claims about the classes of a table can be made together; give one claim"
            )
        value_by_key: dict[str, Any] = {}
        for claim in self.claims:
            for key, value in claim.numbers().items():
                if value_by_key.setdefault(key, value) != value:
                    raise InputError(f"claim: two claims differ in {key}; make one release for each")
        if len({claim.named for claim in self.claims}) < len(self.claims):
            raise InputError("claim: one model occurs twice; give each one once")

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns the claims see, by role."""
        return tuple(dict.fromkeys(role for claim in self.claims for role in claim.roles))

    @property
    def crowd(self) -> int:
        """How many records of the release look alike at least, as far as these claims say."""
        return max(claim.crowd for claim in self.claims)

    @property
    def parts(self) -> tuple[Claim, ...]:
        """The single claims."""
        return self.claims

    @property
    def attacker(self) -> str:
        """Whom the claims protect against, and how far."""
        return "; ".join(claim.attacker for claim in self.claims)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What none of the claims promises."""
        parts = [claim for claim in self.claims if isinstance(claim, ClassClaim)]
        lines = dict.fromkeys(line for claim in parts for line in claim.beyond)
        numbers = dict.fromkeys(number for claim in parts for number in claim.bounds)
        return (*lines, describe_inferable(list(numbers)))

    def implies(self, other: Claim) -> bool:
        """Whether every release that keeps these claims keeps the other."""
        return promises_as_much(self, other)

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return all claims as one sentence for people, about columns of these names."""
        return _class_headline(
            [claim for claim in self.claims if isinstance(claim, ClassClaim)], quasi, sensitive
        )

    def restrict_to(self, published: Published) -> Claim:
        """The same claims, each with only those of its values that occur in a release."""
        return AllOf(tuple(claim.restrict_to(published) for claim in self.claims))  # type: ignore[misc]

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that a claim speaks of."""
        names = {name for claim in self.claims for name in claim.sees(columns)}
        return [name for name in columns if name in names]

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words: one claim after the other."""
        return {"claims": [{"model": claim.named, **claim.numbers()} for claim in self.claims]}

    def check(self, published: Published) -> Verdict:
        """Judge every claim and merge the verdicts; beside known columns in every group that these make of a class."""
        core = next(
            (claim for claim in self.claims if isinstance(claim, ClassClaim) and "known" in claim.roles), None
        )
        return merge_verdicts(
            [
                claim.check(published) if core in (None, claim) else core.check_beside(claim, published)
                for claim in self.claims
            ]
        )


def promises_as_much(stated: Claim, asked: Claim) -> bool:
    """Whether a claim promises all that is asked for: each part of it follows from one of its own.

    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> both = AllOf((KAnonymity(5), LDiversity(2)))
    >>> promises_as_much(both, KAnonymity(4)), promises_as_much(KAnonymity(9), both)
    (True, False)
    """
    return all(any(part.implies(want) for part in stated.parts) for want in asked.parts)


def _class_headline(claims: Sequence[ClassClaim], quasi: Sequence[str], sensitive: Sequence[str]) -> str:
    """Return several claims about classes as one sentence."""
    promised = ", and ".join(claim.promise(sensitive) for claim in claims)
    sentence = f"in {join_names(quasi)}, {promised}." if quasi else f"{promised}."
    return sentence[:1].upper() + sentence[1:]


def join_names(names: Sequence[str]) -> str:
    """Join names as a sentence does.

    >>> join_names(["age", "sex", "zip"]), join_names([str(i) for i in range(9)])
    ('age, sex and zip', '9 columns')
    """
    if len(names) > _NAMED:
        return f"{len(names)} columns"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


# --- the numbers a claim is made of --------------------------------------------------------------------------------


def check_whole_number(name: str, value: object) -> int:
    """Return a whole number of at least 1, whatever kind of integer it came as."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and 1 <= value <= _MOST:
        return int(value)
    raise InputError(f"{name}={value!r}: {name} must be a whole number of at least 1, and at most 2**53")


def check_real(name: str, value: object, low: float, high: float, words: str) -> float:
    """Return a number from `low` to `high`; `words` say what is allowed."""
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        if low <= value <= high:
            return float(value)
    raise InputError(f"{name}={value!r}: {name} must be {words}")


def check_choice(name: str, value: object, known: Sequence[str]) -> str:
    """Return one of the known words."""
    if isinstance(value, str) and value in known:
        return value
    raise InputError(
        f"{name}={value!r}: {name} must be one of {', '.join(known)}{did_you_mean(value, known)}"
    )


def check_names(name: str, value: object) -> tuple[str, ...]:
    """Return a list of names as it is kept."""
    if isinstance(value, list | tuple) and all(isinstance(text, str) for text in value):
        return tuple(value)
    raise InputError(f"{name}: it must be a list of names")


# --- verdicts ------------------------------------------------------------------------------------------


class Breaches(NamedTuple):
    """How many records break a claim, of how many, and the first of them, counted from 1."""

    broken: int
    records: int
    witnesses: tuple[int, ...]

    @classmethod
    def of(cls, broken: B1) -> Self:
        """Count the records that are marked."""
        rows = np.flatnonzero(broken)
        return cls(len(rows), len(broken), tuple((rows[:SHOWN] + 1).tolist()))

    def verdict(self, sentence: str, reached: Mapping[str, float]) -> Verdict:
        """Say no where there is any."""
        return Verdict(not self.broken, sentence, True, self.broken, self.witnesses, reached)


def verdict_from_rows(
    broken: B1, sentence: str, reached: Mapping[str, float], counts: I8 | None = None
) -> Verdict:
    """Turn the rows that break a claim into a verdict; rows that stand for several records are no witnesses."""
    breaches = Breaches.of(broken)
    if counts is not None:
        breaches = breaches._replace(broken=sum_counts(broken, counts), witnesses=())
    return breaches.verdict(sentence, reached)


def merge_verdicts(verdicts: Sequence[Verdict]) -> Verdict:
    """Return several verdicts on one release as one: all must be yes, and one no is a no, whatever was not judged.

    Witnesses are the first hundred of all; `broken` is exact while no verdict has more of them, and else a lower bound.
    """
    witnesses = sorted({row for verdict in verdicts for row in verdict.witnesses})
    return Verdict(
        holds=all(verdict.holds for verdict in verdicts),
        sentence="; ".join(verdict.sentence for verdict in verdicts),
        judged=all(verdict.judged for verdict in verdicts)
        or any(denial.judged and not denial for denial in verdicts),
        broken=max(len(witnesses), *(verdict.broken for verdict in verdicts)),
        witnesses=tuple(witnesses[:SHOWN]),
        reached={key: value for verdict in verdicts for key, value in verdict.reached.items()},
    )
