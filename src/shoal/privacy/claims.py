"""Claims made of several, and claims as a configuration or a manifest spells them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import InputError
from shoal.privacy.closeness import TCloseness
from shoal.privacy.diversity import LDiversity
from shoal.privacy.kanon import KAnonymity
from shoal.privacy.kkm import KKmAnonymity, KLmDiversity
from shoal.privacy.km import ItemsetAnonymity, KmAnonymity, LmDiversity
from shoal.release import Claim, Published, Verdict

__all__ = ["Every", "claim_from_dict", "claim_of"]

_PROSE = ("attacker", "not_covered")
_KEYS = {"model", "k", "l", "m", "diversity", "c", "t", "distance", "columns", "itemsets", *_PROSE}


@dataclass(frozen=True, slots=True)
class Every:
    """Several claims at once: each must hold."""

    claims: tuple[Claim, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "claims", tuple(self.claims))
        if not self.claims:
            raise InputError("claim: none is given; give at least one of k, l, t")
        seen: dict[str, Any] = {}
        models: list[str] = []
        for claim in self.claims:
            said = claim.as_dict()
            models.append(said.pop("model"))
            for key in said.keys() - _PROSE:
                if seen.setdefault(key, said[key]) != said[key]:
                    raise InputError(f"claim: two claims differ in {key}; make one release for each")
        if len(set(models)) < len(models):
            raise InputError("claim: one model stands twice; give each once")

    def as_dict(self) -> dict[str, Any]:
        """Return all claims as one: models and attackers joined, numbers side by side."""
        said = [claim.as_dict() for claim in self.claims]
        merged = {key: value for claim in said for key, value in claim.items()}
        merged["model"] = " and ".join(claim["model"] for claim in said)
        merged["attacker"] = "; ".join(claim["attacker"] for claim in said)
        merged["not_covered"] = list(dict.fromkeys(line for claim in said for line in claim["not_covered"]))
        return {key: merged[key] for key in sorted(merged, key=lambda key: key in _PROSE)}

    def check(self, published: Published) -> Verdict:
        """Judge every claim and merge the verdicts.

        Witnesses are the first hundred of all; `broken` is exact while no claim has more of them, and else
        a lower bound.
        """
        verdicts = [claim.check(published) for claim in self.claims]
        witnesses = sorted({row for verdict in verdicts for row in verdict.witnesses})
        return Verdict(
            holds=all(verdict.holds for verdict in verdicts),
            sentence="; ".join(verdict.sentence for verdict in verdicts),
            judged=all(verdict.judged for verdict in verdicts),
            broken=max(len(witnesses), *(verdict.broken for verdict in verdicts)),
            witnesses=tuple(witnesses[:100]),
            reached={key: value for verdict in verdicts for key, value in verdict.reached.items()},
        )


def claim_of(
    *,
    k: int | None = None,
    l: int | None = None,
    t: float | None = None,
    m: int | None = None,
    diversity: str = "distinct",
    c: float = 3.0,
    distance: str = "equal",
    mixed: bool = False,
) -> Claim:
    """Return the claim that these numbers make together.

    Parameters
    ----------
    k : int, optional
        Persons in every class, at least 1.
    l, diversity, c : optional
        Sensitive values in every class, and how they are weighed; see `LDiversity`.
    t, distance : optional
        How far a class may be from the whole, 0 to 1, and how that is measured; see `TCloseness`.
    m : int, optional
        Items of a basket that an attacker knows, at least 1: makes k `KmAnonymity` and l, with or without k,
        `LmDiversity`.
    mixed : bool
        The baskets stand in a table whose quasi-identifiers are known too: `KKmAnonymity`, `KLmDiversity`.

    Raises
    ------
    InputError
        None of k, l, t is given, or one of the numbers or words makes no sense.

    Examples
    --------
    >>> claim_of(k=5)
    KAnonymity(k=5)
    >>> claim_of(k=5, l=2).as_dict()["model"]
    'k-anonymity and l-diversity'
    >>> claim_of(k=5, m=2)
    KmAnonymity(k=5, m=2)
    >>> claim_of(k=5, m=2, mixed=True)
    KKmAnonymity(k=5, m=2)
    """
    if mixed:
        return _of_mixed(k, l, m, plain=t is None and diversity == "distinct")
    return _claim(k=k, l=l, t=t, m=m, diversity=diversity, c=c, distance=distance, columns=())


def claim_from_dict(said: Mapping[str, Any]) -> Claim:
    """Return the claim a manifest holds, as `as_dict` wrote it; its prose is not read.

    Raises
    ------
    InputError
        The claim is malformed, or says something this version cannot judge.
    """
    if not isinstance(said, Mapping):
        raise InputError("claim: it is not an object with a model and its numbers")
    unknown = sorted(str(key) for key in said if key not in _KEYS)
    if unknown:
        raise InputError(
            f"claim: it says more than k, l, m and t, and cannot be judged: {', '.join(unknown)}"
        )
    columns = said.get("columns", ())
    if not isinstance(columns, list | tuple) or not all(isinstance(name, str) for name in columns):
        raise InputError("claim: columns must be a list of names")
    words: dict[str, Any] = {key: said[key] for key in ("diversity", "c", "distance") if key in said}
    if "itemsets" in said:
        claim: Claim = ItemsetAnonymity(said.get("k"), said["itemsets"])  # type: ignore[arg-type]
    elif str(said.get("model")).startswith("(k,"):
        claim = _of_mixed(said.get("k"), said.get("l"), said.get("m"), plain=True)
    else:
        words |= {key: said.get(key) for key in ("k", "l", "t", "m")}
        claim = _claim(columns=tuple(columns), **words)
    meant = claim.as_dict()
    if any(meant.get(key) != said.get(key) for key in _KEYS.difference(_PROSE)):
        raise InputError("claim: the model does not fit what stands beside it; write the claim anew")
    return claim


def _claim(
    *,
    k: Any,
    l: Any,
    t: Any,
    m: Any,
    columns: tuple[str, ...],
    diversity: str = "distinct",
    c: float = 3.0,
    distance: str = "equal",
) -> Claim:
    diverse = LDiversity(
        1 if l is None else l, diversity, c, columns
    )  # checks the words even where l is none
    close = TCloseness(0 if t is None else t, distance, columns)
    if m is not None:
        return _of_baskets(k, l, m, plain=t is None and not columns and diversity == "distinct")
    claims: list[Claim] = [] if k is None else [KAnonymity(k)]
    claims += [] if l is None else [diverse]
    claims += [] if t is None else [close]
    return claims[0] if len(claims) == 1 else Every(tuple(claims))


def _of_baskets(k: Any, l: Any, m: Any, *, plain: bool) -> Claim:
    if (k is None and l is None) or not plain:
        raise InputError("claim: m goes with k or l, and with no other number or word")
    return KmAnonymity(k, m) if l is None else LmDiversity(l, m, 1 if k is None else k)


def _of_mixed(k: Any, l: Any, m: Any, *, plain: bool) -> Claim:
    if k is None or m is None or not plain:
        raise InputError("claim: a table with baskets takes k and m, maybe l, and no other number or word")
    return KKmAnonymity(k, m) if l is None else KLmDiversity(k, l, m)
