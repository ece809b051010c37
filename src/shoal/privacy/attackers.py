"""The attackers in words: what somebody may know, and the guarantee that it asks for.

People say what others may know; `ATTACKERS` says which keys of [guarantee] that sets, and which claim it makes. What
a claim covers and what it does not are the claim's own sentences.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.privacy import CLAIMS, METHOD_KEYS, SHAPE_CLAIMS, claim_of, require_protection
from shoal.privacy.claim import Number, Protection, Word
from shoal.privacy.equivalence_class import SensitiveValueClaim
from shoal.release import Claim

__all__ = [
    "ATTACKERS",
    "AUDIENCES",
    "BY_HAND",
    "NEEDS",
    "Attacker",
    "AttackerChoice",
    "Number",
    "Protection",
    "Recipients",
    "Word",
    "attacker_named",
    "choice_of",
    "claim_in_words",
    "drop_protections",
    "guarantee",
    "has",
]


@dataclass(frozen=True, slots=True)
class Attacker:
    """Somebody who may know something of a person in the data.

    claim : the model of `CLAIMS` that keeps this attacker from finding anybody
    fixed : keys of [guarantee] that follow from the sentence
    """

    name: str
    sentence: str
    example: str
    claim: str
    numbers: tuple[Number, ...]
    protections: tuple[Protection, ...] = ()
    fixed: tuple[tuple[str, int], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {**asdict(self), "fixed": dict(self.fixed)}

    def claims(self, protections: tuple[str, ...] = ()) -> frozenset[str]:
        """The models that this attacker and some protections, by name, ask for together."""
        added = [one for one in self.protections if one.name in protections]
        own = () if any(one.instead for one in added) else (self.claim,)
        return frozenset((*own, *(one.claim for one in added)))


@dataclass(frozen=True, slots=True)
class AttackerChoice:
    """An attacker with numbers, as a configuration asks for it."""

    attacker: str
    numbers: Mapping[str, Any]
    protections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipients:
    """Who gets a release, in words, and the k to start with for them, as docs/guarantee/numbers.md advises."""

    words: str
    k: int


AUDIENCES: Mapping[str, Recipients] = {
    "public": Recipients("everybody", 11),
    "partner": Recipients("few, known people", 5),
    "team": Recipients("a team that works with the originals anyway", 3),
}
"""By the word that `shoal init --for` takes."""

NEEDS: Mapping[str, str] = {
    "sensitive column": "give a column the role sensitive first",
    "sensitive items": "say first which items are sensitive",
    "sensitive field": "say first which field is sensitive",
    "household column": "give a column the role household first",
}
"""What a protection speaks of, and what to do where the data have none yet."""

_CROWD = Number("k", "At least this many people must look alike", 5, 2)
_LIKELY = "No sensitive item may be in more than one of this many records that fit what is known"

_WHAT_VALUES = tuple(kind.protection for kind in CLAIMS.values() if issubclass(kind, SensitiveValueClaim))
_HOW_MANY = (
    Protection(
        "risk",
        "No row may be matched with its person with more than a highest chance, as offices ask; k follows from it",
        "",
        "k-anonymity",
        (Number("risk", "The highest chance: 0.09 makes k at least 12", 0.09, 0.001, 0.5, whole=False),),
    ),
    Protection(
        "average_risk",
        "Whoever matches every row with a person may be right only rarely",
        "",
        "average risk",
        (
            Number(
                "average_risk",
                "How often on average: 0.05 is five of a hundred",
                0.05,
                0.001,
                0.5,
                whole=False,
            ),
        ),
    ),
    Protection(
        "of",
        "Those who look alike must be of different households",
        "household column",
        "k-anonymity",
        (Word("of", "Whom k counts", {"households": "people of one household count once"}),),
    ),
)
_ITEMS = Number("m", "The attacker may know up to this many items of a person", 2, 1, 20)
_COLUMNS = Number("subsets", "The attacker may know up to this many columns of a person", 3, 1, 20)
_FACTS = Number("m", "The attacker may know up to this many facts about a person", 2, 1, 20)
_RELATIONS = Number(
    "n", "The attacker may know of up to this many pairs of them that they belong together", 1, 1, 20
)


def _sensitive_items(claim: str) -> Protection:
    return Protection(
        "l",
        "Nobody may learn whether a person has a sensitive item",
        "sensitive items",
        claim,
        (Number("l", _LIKELY, 2, 2),),
        instead=True,
    )


_LABELS = Protection(
    "l",
    "Nobody may learn the sensitive value that stands beside the basket",
    "sensitive column",
    "nonreciprocal k-anonymity and label diversity",
    (
        Number(
            "l", "There must be at least this many different values among the rows that fit a person", 2, 2
        ),
    ),
    instead=True,
)
_FIELDS = Protection(
    "l",
    "Nobody may learn the sensitive value of a person",
    "sensitive field",
    "k^(m,n)-anonymity and l-diversity",
    (Number("l", "No value may be in more than one of this many records that fit what is known", 2, 2),),
    instead=True,
)

ATTACKERS: Mapping[str, tuple[Attacker, ...]] = {
    "table": (
        Attacker(
            "columns",
            "Somebody knows all of these columns of a person",
            "A neighbour knows age, sex and postcode, and looks for the row.",
            "k-anonymity",
            (_CROWD,),
            (*_WHAT_VALUES, *_HOW_MANY),
        ),
        Attacker(
            "some columns",
            "Somebody knows a few of these columns of a person, whichever they are",
            "A colleague knows age, town and profession, and nothing else, and looks for rows that fit.",
            "k-anonymity of known subsets",
            (_CROWD, _COLUMNS),
        ),
    ),
    "baskets": (
        Attacker(
            "items",
            "Somebody knows up to a few items of a person",
            "A cashier has seen two things in a basket, and looks for the rest.",
            "k^m-anonymity",
            (_CROWD, _ITEMS),
            (_sensitive_items("l^m-diversity"),),
        ),
        Attacker(
            "basket",
            "Somebody may know the whole basket of a person",
            "A partner knows everything that was bought, and looks for the row.",
            "nonreciprocal k-anonymity",
            (_CROWD,),
            (_LABELS,),
        ),
        Attacker(
            "insiders",
            "Somebody may know the whole basket of a person, and which rows belong to some other people",
            "Colleagues who have found their own rows tell each other, and look for yours.",
            "nonreciprocal k-anonymity",
            (_CROWD, Number("insiders", "The rows of up to this many other people may be known", 1, 1)),
            (_LABELS,),
        ),
    ),
    "mixed": (
        Attacker(
            "columns and items",
            "Somebody knows all of these columns of a person, and up to a few items",
            "A neighbour knows age and postcode, and two of the diagnoses.",
            "(k,k^m)-anonymity",
            (_CROWD, _ITEMS),
            (_sensitive_items("(k,l^m)-diversity"),),
        ),
    ),
    "trees": (
        Attacker(
            "facts together",
            "Somebody knows a few facts about a person, and which of them belong together",
            "A colleague knows which hospital, which illness, and that the illness was treated there.",
            "k^(m,n)-anonymity",
            (_CROWD, _FACTS, _RELATIONS),
            (_FIELDS,),
        ),
        Attacker(
            "facts",
            "Somebody knows a few facts about a person, but not which of them belong together",
            "A colleague knows which hospital and which illness, but not what was treated where.",
            "k^(m,n)-anonymity",
            (_CROWD, _FACTS),
            (_FIELDS,),
            (("n", 0),),
        ),
    ),
}
"""By shape, the attackers that people may choose from; the first is the usual one."""

BY_HAND: Mapping[str, str] = {
    "k-anonymity of listed itemsets": "it needs lists of items, which stand as `privacy` in [method] with coat",
    "k-anonymity of linked rows": "it is what k means where a column has the role pseudonym",
    "k-map": "it needs a file of the population, and stands as `k_map` in [guarantee]",
    "delta-presence": "it needs a file of the population, and stands as `presence` in [guarantee]",
}
"""Claims that no choice makes, and why."""


def attacker_named(shape: str, name: str) -> Attacker:
    """Find an attacker of a shape by name."""
    for found in ATTACKERS[shape]:
        if found.name == name:
            return found
    there = suggest_name(name, [found.name for found in ATTACKERS[shape]])
    raise InputError(f"attacker: there is none of that name; {there}", value=name)


def guarantee(
    shape: str, attacker: str, numbers: Mapping[str, Any] | None = None, protections: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return what a choice asks for, in the shape of [guarantee].

    Parameters
    ----------
    shape, attacker
        table, baskets, mixed or trees, and one of its attackers by name.
    numbers
        Numbers and words by their keys; what is not given has its default. What belongs to no part of the choice is
        left out, so that people may change their mind and back.
    protections
        What is promised in addition, by name.

    Raises
    ------
    InputError
        There is no such attacker or protection.

    Examples
    --------
    >>> guarantee("table", "columns", {"k": 10}, ("l",))
    {'k': 10, 'l': 2}
    >>> guarantee("trees", "facts")
    {'k': 5, 'm': 2, 'n': 0}
    """
    found, given = attacker_named(shape, attacker), numbers or {}
    asked = {one.key: given.get(one.key, one.default) for one in found.numbers} | dict(found.fixed)
    known = {one.name: one for one in found.protections}
    for name in protections:
        if name not in known:
            raise InputError(f"attacker: no protection of that name; {suggest_name(name, known)}", value=name)
    for one in found.protections:
        if one.name in protections:
            asked |= {number.key: given.get(number.key, number.default) for number in one.numbers}
            asked |= {
                more.key: given[more.key]
                for more in one.more
                if given.get(more.key, more.default) != more.default
            }
    return asked


def choice_of(
    shape: str, asked: Mapping[str, Any], parameters: Mapping[str, Any] | None = None
) -> AttackerChoice | None:
    """Return the choice that asks for a guarantee; None where nothing but a hand can write it.

    Parameters
    ----------
    shape
        table, baskets, mixed or trees.
    asked
        The section [guarantee] of a configuration.
    parameters
        Its section [method], where `insiders` and `privacy` may stand.

    Examples
    --------
    >>> choice_of("baskets", {"k": 5})
    AttackerChoice(attacker='basket', numbers={'k': 5}, protections=())
    >>> choice_of("table", {"l": 3}) is None
    True
    """
    beside = {
        key: value for key, value in (parameters or {}).items() if key in METHOD_KEYS and key != "repeats"
    }
    given = {key: value for key, value in {**beside, **asked}.items() if (key, value) != ("insiders", 0)}
    given = {**SHAPE_CLAIMS[shape].usual, **given}
    for found in ATTACKERS[shape]:
        choice = _choice(found, given)
        if choice is not None:
            return choice
    return None


def claim_in_words(shape: str, configuration: Mapping[str, Any]) -> Claim:
    """Return the claim that a configuration, as data in the shape of shoal.toml, asks for; it has the sentences.

    Raises
    ------
    InputError
        The numbers make none, or promise nobody anything.
    """
    method, tree = configuration.get("method", {}), configuration.get("tree", {})
    facts = {"sensitive": tree.get("sensitive"), "negations": tree.get("negations") or None} if tree else {}
    if has("pseudonym", configuration):
        facts = {"linked": True}
    more = {claimed: method[key] for key, claimed in METHOD_KEYS.items() if key in method}
    return require_protection(claim_of(shape, **{**more, **configuration.get("guarantee", {})}, **facts))


def has(need: str, configuration: Mapping[str, Any]) -> bool:
    """Whether a configuration, as data in the shape of shoal.toml, has what a protection needs."""
    columns = [
        {"role": said} if isinstance(said, str) else said
        for said in configuration.get("columns", {}).values()
    ]
    role = _ROLE_NEEDED.get(need)
    if role is not None:
        return any(said.get("role") == role for said in columns)
    if need == "sensitive items":
        return any(said.get("role") == "items" and said.get("sensitive") for said in columns)
    return not need or bool(configuration.get("tree", {}).get("sensitive"))


_ROLE_NEEDED = {"household column": "household", "sensitive column": "sensitive", "pseudonym": "pseudonym"}


def drop_protections(shape: str, configuration: dict[str, Any]) -> list[str]:
    """Take out protections that speak of something sensitive where nothing is; tell in words which."""
    asked = choice_of(shape, configuration.get("guarantee", {}), configuration.get("method", {}))
    if asked is None:
        return []
    kind = attacker_named(shape, asked.attacker)
    lost = [
        one for one in kind.protections if one.name in asked.protections and not has(one.needs, configuration)
    ]
    if lost:
        kept = tuple(name for name in asked.protections if name not in {one.name for one in lost})
        configuration["guarantee"] = guarantee(shape, asked.attacker, asked.numbers, kept)
    return [f"{one.claim}: {_LOST.get(one.needs, 'nothing is sensitive any more')}" for one in lost]


_LOST = {"household column": "no column identifies households any more, so people are counted"}
"""Why a protection cannot stay, where it speaks of nothing sensitive."""


def _choice(found: Attacker, given: Mapping[str, Any]) -> AttackerChoice | None:
    """The guarantee read as this attacker, where nothing of it is left over and nothing is missing."""
    fixed = dict(found.fixed)
    protections = tuple(one.name for one in found.protections if one.name in given)
    added = [one for one in found.protections if one.name in protections]
    own = {one.key for one in found.numbers}
    more = {part.key for one in added for part in (*one.numbers, *one.more)}
    fits = own <= given.keys() and given.keys() <= own | more | fixed.keys()
    if not fits or any(given.get(key) != value for key, value in fixed.items()):
        return None
    for one in found.numbers:
        value = given[one.key]
        if not isinstance(value, int | float) or value < one.least:
            return None
    numbers = {key: value for key, value in given.items() if key not in fixed}
    return AttackerChoice(found.name, numbers, protections)
