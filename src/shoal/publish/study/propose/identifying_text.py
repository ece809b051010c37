"""Text in cells that tells who somebody is: names, how to reach people, and what somebody wrote beside a value."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from shoal.data.arrays import I4
from shoal.data.column_names import fold
from shoal.naming import resource_table
from shoal.privacy.rules import contact_forms
from shoal.publish.study.propose.profile import ColumnProfile
from shoal.publish.study.propose.proposal import ColumnProposal

__all__ = [
    "ask_about_contacts",
    "leave_out_contacts",
    "names_somebody",
    "person_names",
    "remarks",
]

_LONG = 200  # signs of a value that are read
_WORDED = re.compile(r"[^\W\d_][\w'’.-]*(?:,? [^\W\d_][\w'’.-]*){0,4}")
_INITIAL = re.compile(r"(?:[A-ZÄÖÜ]\. ?){1,2}[A-ZÄÖÜ][a-zß-ÿ'’-]{2,}(?: ?- ?[A-ZÄÖÜ][a-zß-ÿ]+)?")
_BEHIND = re.compile(r"([A-ZÄÖÜ]{4,}),? [A-ZÄÖÜ]\.?")
_SEPARATED = re.compile(r"([^\W\d_]+)(\W*)")
_HAN_NAME = re.compile(r"[\u3400-\u9fff]{2,4}")
_SEVEN = re.compile(r"\d(?:[ ./()-]{0,3}\d){6}")  # digits at least of a telephone number
_READ = 10_000  # characters of a cell; more are no value of a column
_LISTED, _WORDS = 0.8, 3  # of the cells are of a list; words of what may be a value
_BEFORE = re.compile(r"[(,;:]|\W-\W")
_SHARED = 5  # cells
_PUBLISHED = ("quasi", "sensitive", "plain")
_MOST = 100  # items that are listed
_REACHED, _NAMED = "a mail address or a telephone number", "the name of somebody"
_WRITTEN = "a text that somebody wrote"


class _Names(NamedTuple):
    """How names of people look: with a title, alone and among other words, and the words they are made of."""

    titled: re.Pattern[str]
    amid: re.Pattern[str]
    places: frozenset[str]  # words with which places begin
    surnames: frozenset[str]  # Chinese ones
    given: frozenset[str]
    words: frozenset[str]  # given names that mean something else, too


@cache
def _names() -> _Names:
    lists = resource_table("shoal.publish.study.propose", "person_names.toml")
    sure = "|".join(map(re.escape, lists["titles"]))
    titles = "|".join((sure, *lists["titles_or_words"]))
    titled = re.compile(rf"(?i:(?:[^\W\d_]+, )?(?:{titles})\b\.? )[^\W\d_].{{1,60}}")
    capital = "|".join(title.capitalize() for title in sure.split("|"))
    amid = re.compile(rf"\b(?:{capital})\b\.? ([^\W\d_]+)")
    given = frozenset(name for names in lists["given"].values() for name in names)
    places, surnames, words = (frozenset(lists[one]) for one in ("places", "surnames", "words"))
    return _Names(titled, amid, places, surnames, given, words)


def person_names(values: Sequence[str]) -> float | None:
    """The share of values that look like names of people; None where the values do not.

    Names of towns and jobs have the same capitals and commas, so a title or a frequent given name is needed.

    >>> person_names(["Dr. Anna Weber", "Mr. John Smith", "Frau Else Kern"])
    1.0
    >>> person_names(["R. Kern", "P. Koch"]), person_names(["KERN R", "KOCH P", "DEMIR A"])
    (1.0, 1.0)
    >>> person_names(["TYPE A", "TYPE B", "TYPE C"]), person_names(["E. coli", "S. aureus"])
    (None, None)
    >>> person_names(["Paris, France", "Rome, Italy", "Bern, Switzerland", "Turin, Italy", "Lyon, France"])
    """
    distinct = sorted(set(values))
    if not distinct:
        return None
    names = _names()
    titled = _share(bool(names.titled.fullmatch(value) or _INITIAL.fullmatch(value)) for value in distinct)
    if titled >= (0.5 if len(distinct) > 2 else 1.0):
        return titled
    if len(distinct) < 3:
        return None
    behind = [found[1] for value in distinct if (found := _BEHIND.fullmatch(value))]
    if len(behind) >= 0.9 * len(distinct) and len(set(behind)) > 0.9 * len(behind):  # TYPE A, TYPE B are none
        return len(behind) / len(distinct)
    han = _share(bool(_HAN_NAME.fullmatch(value)) and value[0] in names.surnames for value in distinct)
    if han >= 0.9 and len(distinct) >= 10:
        return han
    worded = [value for value in distinct if _WORDED.fullmatch(value)]
    if len(worded) < 0.9 * len(distinct) or len(distinct) < 5:
        return None
    spelled = [re.findall(r"[a-z]+", fold(value).lower()) for value in worded]
    named = _share(
        bool(words) and len(words) <= 5 and words[0] not in names.places and not names.given.isdisjoint(words)
        for words in spelled
    )
    return named if named >= 0.5 else None


def names_somebody(value: str) -> bool:
    """Whether somebody is named among the words of a cell: by a title, or by a frequent given name and a surname.

    >>> [names_somebody(text) for text in ("flu, seen by Dr. Weber", "chloe brown fell", "asks for Chloe Brown")]
    [True, False, True]
    >>> [names_somebody(text) for text in ("St. John's wort", "San Antonio Bay", "DR 5", "Type A influenza")]
    [False, False, False, False]
    """
    text, names = value[:_LONG], _names()
    if any(word.istitle() for word in names.amid.findall(text)):
        return True
    words = [("", ""), *_SEPARATED.findall(text)]
    return any(
        between == " "
        and word.istitle()
        and surname.istitle()
        and len(surname) > 1
        and fold(word).lower() in names.given - names.words
        and fold(before).lower() not in names.places
        for (before, _), (word, between), (surname, _) in zip(words, words[1:], words[2:], strict=False)
    )


def _share(found: Iterable[bool]) -> float:
    every = list(found)
    return sum(every) / len(every)


def remarks(seen: ColumnProfile) -> set[str]:
    """Texts of a few people that somebody wrote where most cells hold one of a list: longer, or behind one of those."""
    shared = {
        value for value, held in zip(seen.values, seen.holders.tolist(), strict=True) if held >= _SHARED
    }
    if seen.kind or not shared or seen.cells(shared) < _LISTED * int(seen.holders.sum()):
        return set()
    longest = max(len(value.split()) for value in shared)
    return {
        value
        for value in seen.values
        if value not in shared
        and (len(value.split()) > max(_WORDS, longest) or _BEFORE.split(value)[0].strip() in shared)
    }


def _naming(held: ColumnProfile) -> set[str]:
    """The values that name somebody; what many hold is a disease called after a person, or a work of theirs."""
    return {
        value
        for value, people in zip(held.values, held.holders.tolist(), strict=True)
        if people < _SHARED and names_somebody(value)
    }


def _reaches(value: str) -> bool:
    """Whether a cell tells how to reach somebody; what can hold no address is not searched for one."""
    text = value[:_READ]
    return ("@" in text or _SEVEN.search(text) is not None) and any(
        form.search(text) for form in contact_forms()
    )


def leave_out_contacts(
    columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile], persons: I4 | None = None
) -> dict[str, str]:
    """Leave out columns of which some cells tell how to reach a person, or name one; how many do what, by column.

    A column of mail addresses is known as such. But what somebody wrote beside a diagnosis, in one cell of a hundred,
    would be published as it is. Of lists only such items go, and what somebody wrote beside those that many choose, for
    the public list of groups names all items. Names are looked for where cells are published as they are: groups hide a
    street called after somebody. `persons` says whose each row is.
    """
    found: dict[str, str] = {}
    for name, one in columns.items():
        if one.role not in (*_PUBLISHED, "items") or name not in seen or seen[name].kind:
            continue
        listed = one.role == "items"
        held = seen[name].in_items(one.separator) if listed and one.separator else seen[name].held_by(persons)
        told, does = set(filter(_reaches, held.values)), _REACHED
        if not told and one.role != "quasi":
            told, does = _naming(held), _NAMED
        if listed:
            does = does if told else _WRITTEN
            told |= remarks(held)
        if told and listed:
            found[name] = f"{len(told):,} of {held.distinct:,} items hold what looks like {does}"
            if len(told) <= _MOST:
                one.own_missing = (*one.own_missing, *sorted(told))
        elif told:
            found[name] = (
                f"{seen[name].cells(told):,} of {seen[name].people:,} cells hold what looks like {does}"
            )
            one.role, one.why = "drop", f"some cells tell who somebody is; {one.why}"
    return found


def ask_about_contacts(columns: Mapping[str, ColumnProposal], found: Mapping[str, str]) -> None:
    """Ask about what `leave_out_contacts` found, before all else, even where somebody stated what the column is.

    Names of columns are published as well: questionnaires ask about people by name.
    """
    for name, one in columns.items():
        if one.role in _PUBLISHED and names_somebody(name):
            one.severity, one.undecided = (
                1,
                f"its own name holds what looks like {_NAMED}; call it something else",
            )
    for name, why in found.items():
        one = columns[name]
        if one.role in ("drop", "identifier"):
            why += ", so it is left out; correct them, and say what it is"
        elif one.role == "items" and one.own_missing:
            why += ", so missing leaves them out; look at the rest"
        else:
            why += "; correct them, or leave it out"
        one.severity, one.undecided = 1, why
