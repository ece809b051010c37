"""What each column is, leaning to the safe side: by its name, by the form of its values, by whom it separates."""

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.data import Role
from shoal.hierarchy.suggest import Kind, kind_of
from shoal.publish.study.propose.forms import Form, form
from shoal.publish.study.propose.meanings import Meaning, meaning
from shoal.publish.study.propose.seen import Seen

__all__ = ["Choice", "choose"]

_LOOKED_AT = 2000  # values whose form is looked at
_GROUPS, _CROWD = 3, 20  # so few values, each held by so many people, name nobody: a phone, yes or no
_SHORT = 20  # different remarks; fewer are a list to choose from
_MANY = 50  # people; among fewer, everybody has a value of their own by chance
_MOST = 0.9  # of the values have a form


@dataclass(frozen=True, slots=True)
class Choice:
    """What a column is taken for, why, and what its values are.

    what   : what the name or the form says it is, in words; empty where neither says anything
    coded  : whether numbers are names here
    person : whether it tells who a person is, so that rows which share it are one person's
    sure   : whether it can be taken as it is; else somebody should look at it before anything is published
    """

    role: Role
    why: str
    kind: Kind
    what: str = ""
    coded: bool = False
    person: bool = False
    sure: bool = True


def choose(seen: Seen) -> Choice:
    """Take a column for what it most likely is; in doubt it is a quasi-identifier."""
    if not seen.distinct:
        return Choice("drop", "it is empty", Kind("word"))
    kind = kind_of(seen.values)
    told, formed = meaning(seen.name), form(_some(seen.values))
    if formed is not None and formed.role is None and formed.share < _MOST:
        formed = None
    return (
        _identifier(seen, kind, told, formed)
        or _text(seen, kind, told, formed)
        or _unique(seen, kind, told)
        or _by_meaning(seen, kind, told, formed)
        or _doubtful(seen, kind, formed)
    )


def _identifier(seen: Seen, kind: Kind, told: Meaning | None, formed: Form | None) -> Choice | None:
    if told is not None and told.role == "identifier":
        if seen.distinct <= _GROUPS and int(seen.holders.min()) >= _CROWD:
            why = f"its name says {told.what}, but it has {_count(seen.distinct, 'value')} that many people share"
            return Choice("quasi", why, kind, told.what, sure=False)
        return Choice("identifier", f"its name says {told.what}", kind, told.what,
                      person=told.what in _PERSONAL)  # fmt: skip
    if formed is not None and formed.role == "identifier":
        checked = ", with check digits that are right" if formed.checked else ""
        return Choice("identifier", f"its values look like {_several(formed.what)}{checked}", kind, formed.what,
                      person=formed.what not in _IMPERSONAL)  # fmt: skip
    return None


def _unique(seen: Seen, kind: Kind, told: Meaning | None) -> Choice | None:
    if seen.people < _MANY or not seen.nearly_unique or kind.name == "date":
        return None
    if kind.name == "number" and (told is not None or not _is_counted(seen)):
        return None
    return Choice("identifier", "nearly everybody has a value of their own", kind, sure=False)


def _text(seen: Seen, kind: Kind, told: Meaning | None, formed: Form | None) -> Choice | None:
    if formed is not None and formed.role == "drop" and not _is_listed(seen):
        return Choice("drop", "it is free text, which can tell anything about anybody", kind, formed.what)
    if told is not None and told.role == "drop" and kind.name == "word" and seen.distinct > _SHORT:
        return Choice("drop", f"its name says {told.what}", kind, told.what)
    return None


def _by_meaning(seen: Seen, kind: Kind, told: Meaning | None, formed: Form | None) -> Choice | None:
    if told is None or told.role not in ("quasi", "sensitive"):
        return None
    coded = (told.kind == "code" and kind.name != "date") or (formed is not None and formed.kind == "code")
    return Choice(told.role, f"its name says {told.what}", kind, told.what, coded)


def _doubtful(seen: Seen, kind: Kind, formed: Form | None) -> Choice:
    coded = formed is not None and formed.kind == "code"
    why = (
        "nothing tells what it is, so others may know it"
        if seen.distinct > 1
        else "nothing tells what it is; it has one value only"
    )
    return Choice(
        "quasi", why, kind, formed.what if formed is not None else "", coded, sure=seen.distinct < 3
    )


_PERSONAL = frozenset(
    {
        "mail address",
        "person number",
        "social security number",
        "tax number",
        "identity card or passport",
        "insurance number",
    }
)
"""What tells one person from another, in every row about that person: by name."""

_IMPERSONAL = frozenset(
    {
        "IBAN",
        "IP address",
        "MAC address",
        "UUID",
        "coordinates",
        "long token",
        "payment card",
        "phone number",
        "vehicle number",
        "vehicle plate",
        "web page",
    }
)
"""Forms of what several people may share, or one may have several of."""


def _some(values: Sequence[str]) -> list[str]:
    step = max(1, len(values) // _LOOKED_AT)
    return list(values[::step][:_LOOKED_AT])


def _is_listed(seen: Seen) -> bool:
    """Whether texts were chosen from a list: few of them, and many people for each."""
    return seen.distinct <= _SHORT and int(seen.holders.min()) >= _CROWD


def _is_counted(seen: Seen) -> bool:
    """Whether numbers are those of a list: whole, and hardly one is left out between the least and the largest."""
    try:
        whole = [int(value) for value in seen.values]
    except ValueError:
        return False
    return max(whole) - min(whole) < 2 * len(whole) or all(len(value) >= 6 for value in seen.values)


def _several(what: str) -> str:
    return f"{what}es" if what.endswith("s") else f"{what}s"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
