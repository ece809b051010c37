"""The judges: each claim checked from its definition, sharing no code with any method.

A new claim is its module, and its line in the table below.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.privacy.claim import AllOf, BaseClaim, ClassClaim, check_whole_number, promises_as_much
from shoal.privacy.core import CoreAnonymity
from shoal.privacy.equivalence_class import HOUSEHOLDS, KAnonymity, least_k
from shoal.privacy.hidden_values import HIDDEN_SHARE, HiddenValues
from shoal.privacy.itemsets import ItemsetAnonymity, KmAnonymity, LmDiversity
from shoal.privacy.known_subsets import LinkedAnonymity, SubsetAnonymity
from shoal.privacy.mixed import KKmAnonymity, KLmDiversity
from shoal.privacy.nonreciprocal import Nonreciprocal
from shoal.privacy.population import AverageRisk, DeltaPresence, KMap
from shoal.privacy.sensitive_values import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    TCloseness,
)
from shoal.privacy.trees import KMNAnonymity
from shoal.privacy.truth import judge_unchanged
from shoal.release import Claim

__all__ = [
    "CLAIMS",
    "GUARANTEE",
    "HOUSEHOLDS",
    "METHOD_KEYS",
    "POPULATION_KEYS",
    "SENSITIVE_KEYS",
    "SHAPE_CLAIMS",
    "AllOf",
    "AlphaKAnonymity",
    "AverageRisk",
    "BetaLikeness",
    "CoreAnonymity",
    "DeltaDisclosure",
    "DeltaPresence",
    "HiddenValues",
    "ItemsetAnonymity",
    "KAnonymity",
    "KKmAnonymity",
    "KLmDiversity",
    "KMNAnonymity",
    "KMap",
    "KmAnonymity",
    "LDiversity",
    "LinkedAnonymity",
    "LmDiversity",
    "Nonreciprocal",
    "SubsetAnonymity",
    "TCloseness",
    "claim_from_dict",
    "counts_households",
    "judge_unchanged",
    "make_claim",
    "needs_population",
    "promises_as_much",
    "require_protection",
]

CLAIMS: dict[str, type[BaseClaim]] = {
    "k-anonymity": KAnonymity,
    "l-diversity": LDiversity,
    "t-closeness": TCloseness,
    "beta-likeness": BetaLikeness,
    "delta-disclosure privacy": DeltaDisclosure,
    "(alpha,k)-anonymity": AlphaKAnonymity,
    "hidden values": HiddenValues,
    "average risk": AverageRisk,
    "k-map": KMap,
    "delta-presence": DeltaPresence,
    "k-anonymity of known subsets": SubsetAnonymity,
    "k-anonymity of linked rows": LinkedAnonymity,
    "k-anonymity with known columns": CoreAnonymity,
    "k^m-anonymity": KmAnonymity,
    "l^m-diversity": LmDiversity,
    "k-anonymity of listed itemsets": ItemsetAnonymity,
    "nonreciprocal k-anonymity": Nonreciprocal,
    "nonreciprocal k-anonymity and label diversity": Nonreciprocal,
    "(k,k^m)-anonymity": KKmAnonymity,
    "(k,l^m)-diversity": KLmDiversity,
    "k^(m,n)-anonymity": KMNAnonymity,
    "k^(m,n)-anonymity and l-diversity": KMNAnonymity,
}
"""The single claims, by the model that a manifest names; several at once are `AllOf`."""

GUARANTEE: tuple[str, ...] = tuple(dict.fromkeys(key for claim in CLAIMS.values() for key in claim.keys))
"""The keys of [guarantee]."""

SENSITIVE_KEYS: tuple[str, ...] = tuple(
    claim.keys[0] for claim in CLAIMS.values() if claim.shape == "table" and "sensitive" in claim.roles
)
"""The keys of [guarantee] that ask for a claim about sensitive values of a table."""

POPULATION_KEYS: tuple[str, ...] = (*KMap.keys, *DeltaPresence.keys)
"""The keys of [guarantee] that ask for a claim about a population."""

METHOD_KEYS = {"insiders": "insiders", "privacy": "itemsets", "repeats": "repeats"}
"""The keys of [method] that make the claim, too, and what the claim calls them."""


def make_claim(shape: str, **guarantee: Any) -> Claim:
    """Return the claim that a guarantee makes for data of a shape.

    Parameters
    ----------
    shape
        table, baskets, mixed or trees.
    guarantee
        The keys of [guarantee] (see `GUARANTEE`) by name; None is as if it were not given. Beside them, for baskets,
        `insiders` and `itemsets`, which methods take; for trees, `sensitive`, `negations` and `repeats`; for tables,
        `linked`, where a pseudonym tells which rows are one person's. `hidden` gives every sensitive column the values
        to hide, and those without any an empty list: these are then under l, or without l under alpha, value by value.

    Raises
    ------
    InputError
        Nothing is asked for, something is that this shape does not know, or a number makes no sense.

    Examples
    --------
    >>> make_claim("table", k=5)
    KAnonymity(k=5)
    >>> make_claim("table", risk=0.09)
    KAnonymity(k=12)
    >>> [claim.named for claim in make_claim("table", k=5, l=2).parts]
    ['k-anonymity', 'l-diversity']
    >>> make_claim("baskets", k=5, m=2), make_claim("mixed", k=5)
    (KmAnonymity(k=5, m=2), KKmAnonymity(k=5, m=2))
    """
    shape_claims = SHAPE_CLAIMS[shape]
    settings = {key: value for key, value in guarantee.items() if value is not None}
    for key in settings:
        if key not in shape_claims.keys:
            suggestion = suggest_name(key, shape_claims.keys, "it takes")
            raise InputError(f"guarantee: {key} is not used for {shape_claims.words}; {suggestion}")
    return shape_claims.make({**shape_claims.usual, **settings})


def counts_households(claim: Claim) -> bool:
    """Whether a claim counts households in place of people."""
    return any(getattr(part, "of", None) == HOUSEHOLDS for part in claim.parts)


def needs_population(claim: Claim) -> bool:
    """Whether a claim, or a part of it, compares the release with the people of a population."""
    return any(isinstance(part, KMap | DeltaPresence) for part in claim.parts)


def require_protection(claim: Claim) -> Claim:
    """Return the claim, if it gives everybody at least one look-alike.

    `l` of a table, or of a label, may stand alone: l different values need l records. So may what gives everybody a
    look-alike in the population. Nothing else may.

    Raises
    ------
    InputError
        It promises nobody anything: k is below 2, or not given.

    >>> require_protection(LDiversity(3))
    LDiversity(l=3, diversity='distinct', c=3.0, columns=())
    """
    has_k = any(hasattr(part, "k") for part in claim.parts)
    is_enough = not has_k and any(
        (part.l if isinstance(part, LDiversity) else getattr(part, "mapped", 1)) > 1 for part in claim.parts
    )
    if claim.crowd < 2 and not is_enough:
        raise InputError(
            f"guarantee: {claim.named} leaves everybody without a look-alike; give a k of at least 2"
        )
    return claim


def claim_from_dict(said: Mapping[str, Any]) -> Claim:
    """Return the claim that a manifest holds, found by its model alone; its words are not read.

    Raises
    ------
    InputError
        The claim is malformed, or one that this version cannot judge.
    """
    if not isinstance(said, Mapping) or not isinstance(said.get("model"), str):
        raise InputError("claim: it is not an object with a model and its numbers; write the claim again")
    said = {key: value for key, value in said.items() if key != "counts"}  # says of whom it speaks, not what
    model = said["model"]
    if model == AllOf.model:
        several = said.get("claims")
        if not isinstance(several, list) or said.keys() - {"model", "claims", "attacker", "not_covered"}:
            raise InputError("claim: it holds no list of claims; write it again")
        return AllOf(tuple(_parse_claim(part) for part in several))
    if model not in CLAIMS and " and " in model:  # 0.1 wrote several claims side by side
        return AllOf(tuple(_parse_joint_claim(name, model, said) for name in model.split(" and ")))
    return _parse_claim(said)


def _parse_claim(said: Mapping[str, Any]) -> BaseClaim:
    model = said.get("model") if isinstance(said, Mapping) else None
    if not isinstance(model, str) or model not in CLAIMS:
        raise InputError(f"claim: there is no judge for its model; there are judges for {', '.join(CLAIMS)}")
    return CLAIMS[model].from_dict(said)


def _parse_joint_claim(model: str, models: str, said: Mapping[str, Any]) -> BaseClaim:
    """One of several claims whose numbers stand side by side."""
    key_lists = [CLAIMS[name].keys for name in models.split(" and ") if name in CLAIMS]
    known_keys = {key for keys in key_lists for key in keys} | {"model", "columns", "attacker", "not_covered"}
    if model not in CLAIMS or said.keys() - known_keys:
        raise InputError(f"claim: there is no judge for its model; there are judges for {', '.join(CLAIMS)}")
    settings = {key: said[key] for key in (*CLAIMS[model].keys, "columns") if key in said}
    if "sensitive" not in CLAIMS[model].roles:
        settings.pop("columns", None)
    return CLAIMS[model].from_dict({"model": model, **settings})


def _table_claim(given: dict[str, Any]) -> Claim:
    """Every claim about classes whose own key is given; a word that goes with none of them is a mistake."""
    if "known_at_once" in given:
        _refuse_beside_core(given)
    if "subsets" in given and not given.get("linked"):
        return _subset_claim(given)
    numbers = {**given}
    if "risk" in given:
        least = least_k(given["risk"])
        numbers["k"] = max(check_whole_number("k", given["k"]), least) if "k" in given else least
    if numbers.pop("linked", False):
        return _linked_claim(numbers)
    hidden = numbers.pop("hidden", None)
    claims = _claims_of_keys(numbers)
    used_keys = {key for model in claims for key in CLAIMS[model].keys}
    if hidden is not None:
        _add_hidden_values(claims, hidden, numbers.get("alpha"))
        used_keys.update(HiddenValues.keys)
    stray = [key for key in numbers if key not in used_keys]
    if stray:
        raise InputError(f"guarantee: {stray[0]} belongs to a claim that is not asked for; leave it out")
    holds_k = AlphaKAnonymity.model in claims and not {"of", "risk"} & numbers.keys()
    if holds_k or CoreAnonymity.model in claims:
        claims.pop(KAnonymity.model, None)
    if not claims:
        raise InputError(f"claim: none is given; give at least one of {', '.join(_OF_TABLE)}")
    return next(iter(claims.values())) if len(claims) == 1 else AllOf(tuple(claims.values()))


def _claims_of_keys(numbers: Mapping[str, Any]) -> dict[str, ClassClaim]:
    """By model the claims about classes whose own key is given, that of known columns first."""
    claims: dict[str, ClassClaim] = {}
    if "known_at_once" in numbers:
        if "k" not in numbers:
            raise InputError("guarantee: known_at_once goes with k; give both")
        claims[CoreAnonymity.model] = CoreAnonymity(numbers["k"], numbers["known_at_once"])
    for model, kind in CLAIMS.items():
        if issubclass(kind, ClassClaim) and kind.keys[0] in numbers and model not in claims:
            claims[model] = _make_class_claim(
                kind, {key: numbers[key] for key in kind.keys if key in numbers}
            )
    return claims


def _add_hidden_values(
    claims: dict[str, ClassClaim], hidden: Mapping[str, Sequence[str]], alpha: float | None
) -> None:
    """Add the claim about hidden values; columns without any are under l, or without l under alpha value by value."""
    hiding = {name: values for name, values in hidden.items() if values}
    others = tuple(name for name in hidden if name not in hiding)
    diverse, limited = claims.get(LDiversity.model), claims.get(AlphaKAnonymity.model)
    if isinstance(diverse, LDiversity):
        if not others:
            raise InputError(
                "guarantee: l and hidden values exclude each other on one column, and no other column is sensitive; "
                "leave out l, or hidden"
            )
        claims[LDiversity.model] = replace(diverse, columns=others)
    if isinstance(limited, AlphaKAnonymity):
        if others and diverse is None:
            claims[AlphaKAnonymity.model] = replace(limited, columns=others)
        else:
            del claims[AlphaKAnonymity.model]
    share = HIDDEN_SHARE if alpha is None else alpha
    claims[HiddenValues.model] = HiddenValues(share, hiding)  # type: ignore[arg-type]


_NOT_BESIDE_CORE = {
    "linked": "a pseudonym, which links rows of a person; make it an identifier",
    "of": "of, which counts households; leave one of them out",
    "subsets": "subsets, which is about quasi-identifiers of which only some are known; leave one of them out",
    "k_map": "k_map, which is about a population; leave one of them out",
    "presence": "presence, which is about a population; leave one of them out",
}
"""What cannot be promised together with known columns, and what to do."""


def _refuse_beside_core(given: Mapping[str, Any]) -> None:
    """Refuse what has no meaning where somebody may know some of the known columns."""
    for key, sentence in _NOT_BESIDE_CORE.items():
        if given.get(key):
            raise InputError(f"guarantee: known_at_once does not go with {sentence}")


def _subset_claim(given: dict[str, Any]) -> Claim:
    """Rows that fit are no classes, so nothing is promised of the sensitive values in them."""
    extra_keys = [key for key in given if key not in SubsetAnonymity.keys]
    if extra_keys:
        raise InputError(
            f"guarantee: subsets goes with k alone, not with {extra_keys[0]}; leave one of them out"
        )
    if "k" not in given:
        raise InputError("guarantee: subsets goes with k; give both")
    return SubsetAnonymity(**given)


def _linked_claim(given: dict[str, Any]) -> Claim:
    """Of persons with several rows that can be linked, nothing is promised of sensitive values."""
    extra_keys = [key for key in given if key not in ("k", "risk")]
    if extra_keys or "k" not in given:
        extra = f"{extra_keys[0]} with it" if extra_keys else "nothing"
        raise InputError(
            f"guarantee: where a pseudonym links rows, k or risk alone can be promised, and {extra} is asked for; give "
            "k alone, or make the pseudonym an identifier"
        )
    return LinkedAnonymity(given["k"])


def _make_class_claim(kind: type[ClassClaim], numbers: dict[str, Any]) -> ClassClaim:
    try:
        return kind(**numbers)
    except TypeError:
        lacking = ", ".join(key for key in kind.keys if key not in numbers)
        raise InputError(f"guarantee: {kind.keys[0]} goes with {lacking}; give both") from None


def _basket_claim(given: dict[str, Any]) -> Claim:
    """With m the attacker knows some items, without it whole baskets."""
    k, l, m = given.get("k"), given.get("l"), given.get("m")
    if k is None and l is None:
        raise InputError(
            "guarantee: give k, or l for a label, and m where the attacker knows only some items"
        )
    if "itemsets" in given:
        return ItemsetAnonymity(k, given["itemsets"])  # type: ignore[arg-type]
    if m is None:
        stated = {name: number for name, number in (("k", k), ("l", l)) if number is not None}
        # Each of l labels needs a row of its own.
        fewest = max(check_whole_number(name, number) for name, number in stated.items())
        return Nonreciprocal(fewest, l, given.get("insiders", 0))
    return KmAnonymity(k, m) if l is None else LmDiversity(l, m, 1 if k is None else k)  # type: ignore[arg-type]


def _mixed_claim(given: dict[str, Any]) -> Claim:
    if "k" not in given:
        raise InputError("guarantee: a table with baskets needs k; give it, and m where it is not 2")
    return KLmDiversity(**given) if "l" in given else KKmAnonymity(**given)


def _tree_claim(given: dict[str, Any]) -> Claim:
    if "k" not in given:
        raise InputError(
            "guarantee: record trees need k; give it, m where it is not 2, and n where it is not 1"
        )
    return KMNAnonymity(**given)


_OF_TABLE = tuple(
    dict.fromkeys(key for kind in CLAIMS.values() if kind.shape == "table" for key in kind.keys)
)


@dataclass(frozen=True, slots=True)
class ShapeClaims:
    """What can be claimed of data of one shape.

    words : what people call such data
    keys  : what a guarantee of them may hold
    make  : the claim of these numbers
    usual : the numbers that are taken where none are given
    """

    words: str
    keys: tuple[str, ...]
    make: Callable[[dict[str, Any]], Claim]
    usual: Mapping[str, int] = field(default_factory=dict)


SHAPE_CLAIMS: dict[str, ShapeClaims] = {
    "table": ShapeClaims("a table", (*_OF_TABLE, "linked"), _table_claim),
    "baskets": ShapeClaims("baskets", ("k", "l", "m", "insiders", "itemsets"), _basket_claim),
    "mixed": ShapeClaims("a table with baskets", ("k", "l", "m"), _mixed_claim, {"m": 2}),
    "trees": ShapeClaims(
        "record trees",
        ("k", "l", "m", "n", "sensitive", "negations", "repeats"),
        _tree_claim,
        {"m": 2, "n": 1},
    ),
}
"""By shape; what a guarantee of it may hold, and the claim that this makes."""
