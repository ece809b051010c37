"""What the name of a column means, in seven languages."""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from shoal.data import Role
from shoal.publish.study.propose.lexicon import Concept
from shoal.publish.study.propose.naming import Hit, hits, known

__all__ = ["Meaning", "meaning"]

_GEOGRAPHY = frozenset({"city", "region", "country", "postal code"})
_MOMENTS = frozenset({"birth date", "birth year", "birth month or day", "date of death"})
_WEAK = frozenset({"year", "title", "date"})  # another concept tells more
_EMPTY = frozenset(
    {"code", "text", "value", "display", "description", "label", "name", "line"}
)  # steps of paths
_CODED = ("place", "word")  # kinds that become codes where a number stands in the name
_ORDER: dict[Role, int] = {"identifier": 0, "drop": 1, "sensitive": 2, "quasi": 3}


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column is about, the role that goes with it, and the kind of hierarchy that it would get."""

    what: str
    role: Role
    kind: str


@lru_cache(maxsize=4096)
def meaning(name: str) -> Meaning | None:
    """What a column called `name` holds; None where the name does not tell.

    >>> meaning("Geburtsdatum"), meaning("customer_id").role, meaning("性别").what, meaning("filename")
    (Meaning(what='birth date', role='quasi', kind='date'), 'identifier', 'sex', None)
    """
    return _of_path(_steps(name)) or _decide(hits(name)) or _decide(hits(name.upper()))


def _steps(name: str) -> list[str]:
    return [step for step in name.replace("/", ".").split(".") if step.strip()]


def _of_path(steps: list[str]) -> Meaning | None:
    """What the last step of a path means: `address.city` is a city, `conditions.code` a condition."""
    if len(steps) < 2:
        return None
    concept = known(steps[-1])
    if concept is not None and concept.what not in _WEAK:
        return _meaning(concept)
    last = steps[-1].strip().lower()
    above = meaning(".".join(steps[:-1])) if last in _EMPTY else None
    return replace(above, kind="code") if above and last == "code" and above.kind in _CODED else above


def _decide(found: list[Hit]) -> Meaning | None:
    """The rules, in the order in which they count."""
    before = _before_at(found)
    if before:
        return _decide(before)
    sorts = frozenset[str]().union(*(hit.sorts for hit in found))
    flagged = "flag" in sorts
    concepts = [hit.concept for hit in found if hit.concept is not None]
    if flagged:  # "phone_type" is no phone, but "mean_income" is an income
        concepts = [concept for concept in concepts if concept.role not in ("identifier", "drop")]
    moment = _moment(concepts)
    if moment is not None:
        return _meaning(moment)
    if not flagged:
        person = _person(found, sorts)
        if person is not None:
            return person
    best = _best(concepts)
    return None if best is None else _meaning(best, coded="number" in sorts)


def _before_at(found: list[Hit]) -> list[Hit]:
    """The words before "at": an age at diagnosis is an age."""
    places = [place for place, hit in enumerate(found) if hit.key in ("at", "bei", "beim") and place > 0]
    return found[: places[0]] if places else []


def _moment(concepts: list[Concept]) -> Concept | None:
    """A date: whatever else stands in the name happened on it."""
    dates = [concept for concept in concepts if concept.what == "date"]
    moments = [concept for concept in concepts if concept.what in _MOMENTS]
    if moments and all(concept.what in _WEAK or concept.what in _MOMENTS for concept in concepts):
        return moments[-1]
    return dates[0] if dates else None


def _person(found: list[Hit], sorts: frozenset[str]) -> Meaning | None:
    """A name or a number of a person, put together from parts."""
    if _beside(found, "name"):
        return Meaning("name", "identifier", "")
    if _beside(found, "number"):
        return Meaning("person number", "identifier", "")
    whole = all(hit.sorts for hit in found)
    concepts = [hit for hit in found if hit.concept is not None and not hit.sorts]
    if "name" in sorts and "number" not in sorts and not concepts:
        if "person" in sorts or all(hit.sorts == {"name"} for hit in found):
            return Meaning("name", "identifier", "")
    if "number" not in sorts or concepts:
        return None
    if "person" in sorts:
        return Meaning("person number", "identifier", "")
    if "event" in sorts and whole:
        return Meaning("record number", "identifier", "")
    alone = whole and sorts == {"number"}
    return Meaning("person number", "identifier", "") if alone and _is_id(found) else None


def _beside(found: list[Hit], part: str) -> bool:
    """Whether a person stands beside a part: in `school_student_id`, not in `customer_city_name`."""
    pairs = [*pairwise(found), *pairwise(reversed(found))]
    return any("person" in one.sorts and one.concept is None and part in other.sorts for one, other in pairs)


def _is_id(found: list[Hit]) -> bool:
    return any(hit.key in ("id", "uuid", "guid", "uid", "identifier", "identificador") for hit in found)


def _best(concepts: list[Concept]) -> Concept | None:
    """The concept that counts of several: a place before an identifier ("address_city"), else by role."""
    strong = [concept for concept in concepts if concept.what not in _WEAK] or concepts
    places = [concept for concept in strong if concept.what in _GEOGRAPHY]
    if places and all(concept.role in ("identifier", "quasi") for concept in strong):
        return places[-1]
    return min(strong, key=lambda concept: (_ORDER[concept.role], concept.rank), default=None)


def _meaning(concept: Concept, *, coded: bool = False) -> Meaning:
    kind = "code" if coded and concept.kind in _CODED else concept.kind
    return Meaning(concept.what, concept.role, kind)
