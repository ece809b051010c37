"""The attackers in words: what somebody may know, and the guarantee that it asks for.

People say what others may know; `ATTACKERS` says which keys of [guarantee] that sets, and which claim it makes. What
a claim covers and what it does not are the claim's own sentences.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.privacy import CLAIMS, METHOD_KEYS, SHAPE_CLAIMS, HiddenValues, make_claim, require_protection
from shoal.privacy.claim import Number, Protection, Word
from shoal.privacy.core import KNOWN_AT_ONCE
from shoal.privacy.equivalence_class import SensitiveValueClaim
from shoal.release import Claim

__all__ = [
    "ATTACKERS",
    "AUDIENCES",
    "NEEDS",
    "_BY_HAND",
    "Attacker",
    "AttackerChoice",
    "Number",
    "Protection",
    "Recipients",
    "Word",
    "claim_from_configuration",
    "drop_protections",
    "find_attacker",
    "find_choice",
    "has_requirement",
    "list_attackers",
    "make_guarantee",
    "settle_known_columns",
]


@dataclass(frozen=True, slots=True)
class Attacker:
    """Somebody who may know something of a person in the data.

    claim : the model of `CLAIMS` that keeps this attacker from finding anybody
    fixed : keys of [guarantee] that follow from the sentence
    needs : what the data must have, as for a protection; where they have it, no attacker of others is meant
    """

    name: str
    sentence: str
    example: str
    claim: str
    numbers: tuple[Number, ...]
    protections: tuple[Protection, ...] = ()
    fixed: tuple[tuple[str, int], ...] = ()
    needs: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data."""
        return {**asdict(self), "fixed": dict(self.fixed)}

    def claims(self, protections: tuple[str, ...] = ()) -> frozenset[str]:
        """The models that this attacker and some protections, by name, ask for together."""
        chosen = [protection for protection in self.protections if protection.name in protections]
        models = () if any(protection.instead for protection in chosen) else (self.claim,)
        return frozenset((*models, *(protection.claim for protection in chosen)))


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
    "known column": "give a column the role known first",
}
"""What a protection speaks of, and what to do where the data have none yet."""

_CROWD = Number("k", "At least this many people must look alike", 5, 2)
_LIKELY = "No sensitive item may be in more than one of this many records that fit what is known"

_WHAT_VALUES = tuple(
    kind.protection
    for kind in CLAIMS.values()
    if issubclass(kind, SensitiveValueClaim) and kind is not HiddenValues
)
_HOW_MANY = (
    Protection(
        "risk",
        "The chance of matching a row to its person stays below a limit you set; k is derived from it",
        "",
        "k-anonymity",
        (Number("risk", "The highest chance: 0.09 makes k at least 12", 0.09, 0.001, 0.5, whole=False),),
    ),
    Protection(
        "average_risk",
        "Anyone who matches every row with a person may be right only rarely",
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
        Attacker(
            "known columns",
            "Somebody knows all columns that others may know of a person, and a few that only somebody may know",
            "A colleague knows age, sex and postcode, and also how often somebody was ill.",
            "k-anonymity with known columns",
            (_CROWD, KNOWN_AT_ONCE),
            tuple(replace(protection, instead=False) for protection in _WHAT_VALUES),
            needs="known column",
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

_BY_HAND: Mapping[str, str] = {
    "k-anonymity of listed itemsets": "it needs lists of items, which stand as `privacy` in [method] with coat",
    "k-anonymity of linked rows": "it is what k means where a column has the role pseudonym",
    "hidden values": "it is asked for by a sensitive column that names its `hidden` values in [columns]",
    "k-map": "it needs a file of the population, and stands as `k_map` in [guarantee]",
    "delta-presence": "it needs a file of the population, and stands as `presence` in [guarantee]",
}
"""Claims that no choice makes, and why."""


def find_attacker(shape: str, name: str) -> Attacker:
    """Find an attacker of a shape by name."""
    for candidate in ATTACKERS[shape]:
        if candidate.name == name:
            return candidate
    suggestion = suggest_name(name, [candidate.name for candidate in ATTACKERS[shape]])
    raise InputError(f"attacker: there is none of that name; {suggestion}", value=name)


def make_guarantee(
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
    >>> make_guarantee("table", "columns", {"k": 10}, ("l",))
    {'k': 10, 'l': 2}
    >>> make_guarantee("trees", "facts")
    {'k': 5, 'm': 2, 'n': 0}
    """
    kind, values = find_attacker(shape, attacker), numbers or {}
    settings = {part.key: values.get(part.key, part.default) for part in kind.numbers} | dict(kind.fixed)
    protection_by_name = {part.name: part for part in kind.protections}
    for name in protections:
        if name not in protection_by_name:
            raise InputError(
                f"attacker: no protection of that name; {suggest_name(name, protection_by_name)}", value=name
            )
    for part in kind.protections:
        if part.name in protections:
            settings |= {number.key: values.get(number.key, number.default) for number in part.numbers}
            settings |= {
                option.key: values[option.key]
                for option in part.more
                if values.get(option.key, option.default) != option.default
            }
    return settings


def find_choice(
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
    >>> find_choice("baskets", {"k": 5})
    AttackerChoice(attacker='basket', numbers={'k': 5}, protections=())
    >>> find_choice("table", {"l": 3}) is None
    True
    """
    method_settings = {
        key: value for key, value in (parameters or {}).items() if key in METHOD_KEYS and key != "repeats"
    }
    settings = {
        key: value for key, value in {**method_settings, **asked}.items() if (key, value) != ("insiders", 0)
    }
    settings = {**SHAPE_CLAIMS[shape].usual, **settings}
    for attacker in ATTACKERS[shape]:
        choice = _match_attacker(attacker, settings)
        if choice is not None:
            return choice
    return None


def claim_from_configuration(shape: str, configuration: Mapping[str, Any]) -> Claim:
    """Return the claim that a configuration, as data in the shape of shoal.toml, asks for; it has the sentences.

    Raises
    ------
    InputError
        The numbers make none, or promise nobody anything.
    """
    method, tree = configuration.get("method", {}), configuration.get("tree", {})
    facts: dict[str, Any] = (
        {"sensitive": tree.get("sensitive"), "negations": tree.get("negations") or None} if tree else {}
    )
    if has_requirement("pseudonym", configuration):
        facts["linked"] = True
    columns = configuration.get("columns", {})
    hidden = {
        name: () if isinstance(settings, str) else tuple(settings.get("hidden", ()))
        for name, settings in columns.items()
        if settings == "sensitive" or (isinstance(settings, Mapping) and settings.get("role") == "sensitive")
    }
    if any(hidden.values()):
        facts["hidden"] = hidden
    method_settings = {claimed: method[key] for key, claimed in METHOD_KEYS.items() if key in method}
    return require_protection(
        make_claim(shape, **{**method_settings, **configuration.get("guarantee", {})}, **facts)
    )


def has_requirement(need: str, configuration: Mapping[str, Any]) -> bool:
    """Whether a configuration, as data in the shape of shoal.toml, has what a protection needs."""
    columns = [
        {"role": column_settings} if isinstance(column_settings, str) else column_settings
        for column_settings in configuration.get("columns", {}).values()
    ]
    role = _ROLE_NEEDED.get(need)
    if role is not None:
        return any(column_settings.get("role") == role for column_settings in columns)
    if need == "sensitive items":
        return any(
            column_settings.get("role") == "items" and column_settings.get("sensitive")
            for column_settings in columns
        )
    return not need or bool(configuration.get("tree", {}).get("sensitive"))


def list_attackers(shape: str, configuration: Mapping[str, Any]) -> list[Attacker]:
    """The attackers that the columns of a configuration are for; with known columns it is one who knows a few of them.

    >>> [attacker.name for attacker in list_attackers("table", {"columns": {"age": "quasi", "visits": "known"}})]
    ['known columns']
    """
    there = [attacker for attacker in ATTACKERS[shape] if has_requirement(attacker.needs, configuration)]
    return [attacker for attacker in there if attacker.needs] or there


_ROLE_NEEDED = {
    "household column": "household",
    "known column": "known",
    "sensitive column": "sensitive",
    "pseudonym": "pseudonym",
}


def drop_protections(shape: str, configuration: dict[str, Any]) -> list[str]:
    """Take out protections that speak of something sensitive where nothing is; tell in words which."""
    choice = find_choice(shape, configuration.get("guarantee", {}), configuration.get("method", {}))
    if choice is None:
        return []
    kind = find_attacker(shape, choice.attacker)
    lost = [
        protection
        for protection in kind.protections
        if protection.name in choice.protections and not has_requirement(protection.needs, configuration)
    ]
    if lost:
        kept_names = tuple(
            name for name in choice.protections if name not in {protection.name for protection in lost}
        )
        configuration["guarantee"] = make_guarantee(shape, choice.attacker, choice.numbers, kept_names)
    return [
        f"{protection.claim}: {_LOST.get(protection.needs, 'nothing is sensitive any more')}"
        for protection in lost
    ]


def settle_known_columns(configuration: dict[str, Any]) -> list[str]:
    """Ask for how many columns are known at once where columns have the role known, and else do not; tell what is lost.

    All other numbers stay as they are, if they go with known columns.

    >>> asked = {"columns": {"age": "quasi", "visits": "known"}, "guarantee": {"k": 20, "average_risk": 0.03}}
    >>> settle_known_columns(asked), asked["guarantee"]
    (['average_risk: it does not go with known columns'], {'k': 20, 'known_at_once': 2})
    """
    guarantee = configuration.get("guarantee", {})
    has_known = has_requirement("known column", configuration)
    if not guarantee or has_known == (KNOWN_AT_ONCE.key in guarantee):
        return []
    if not has_known:
        configuration["guarantee"] = {
            key: value for key, value in guarantee.items() if key != KNOWN_AT_ONCE.key
        }
        return [f"{KNOWN_AT_ONCE.key}: no column has the role known any more"]
    kind = find_attacker("table", "known columns")
    protections = tuple(protection.name for protection in kind.protections if protection.name in guarantee)
    settled = make_guarantee("table", kind.name, guarantee, protections)
    configuration["guarantee"] = settled
    return [f"{key}: it does not go with known columns" for key in guarantee if key not in settled]


_LOST = {"household column": "no column identifies households any more, so people are counted"}
"""Why a protection cannot stay, where it speaks of nothing sensitive."""


def _match_attacker(found: Attacker, given: Mapping[str, Any]) -> AttackerChoice | None:
    """The guarantee read as this attacker, where nothing of it is left over and nothing is missing."""
    fixed = dict(found.fixed)
    protections = tuple(option.name for option in found.protections if option.name in given)
    chosen = [option for option in found.protections if option.name in protections]
    number_keys = {option.key for option in found.numbers}
    protection_keys = {part.key for option in chosen for part in (*option.numbers, *option.more)}
    is_match = number_keys <= given.keys() and given.keys() <= number_keys | protection_keys | fixed.keys()
    if not is_match or any(given.get(key) != value for key, value in fixed.items()):
        return None
    for option in found.numbers:
        value = given[option.key]
        if not isinstance(value, int | float) or value < option.least:
            return None
    numbers = {key: value for key, value in given.items() if key not in fixed}
    return AttackerChoice(found.name, numbers, protections)
