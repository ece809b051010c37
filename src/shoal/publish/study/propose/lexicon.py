"""The tables of words as dictionaries: without blanks and accents, in all spellings."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from shoal.data import Role
from shoal.resources import resource_table

__all__ = [
    "LANGUAGES",
    "Concept",
    "concepts",
    "extras",
    "fold",
    "inside",
    "links",
    "parts_of_compounds",
    "single",
    "sorts",
    "split",
    "whole",
]

LANGUAGES = ("en", "de", "fr", "es", "it", "tr", "zh")
_LETTERS = str.maketrans(
    {"ß": "ss", "ı": "i", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_GAP = re.compile(r"[ '-]")
_SHORT = frozenset({"age", "sex", "ort", "nom"})  # the only words of three letters that compounds are made of


def fold(text: str) -> str:
    """`text` without accents, its case kept.

    >>> fold("Straße"), fold("doğum yılı"), fold("Prénom")
    ('Strasse', 'dogum yili', 'Prenom')
    """
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def split(text: str) -> list[str]:
    """The words of a name in small letters, cut where the case changes and at all that is no letter.

    >>> split("dateOfBirth"), split("IPAddress2"), split("N° de téléphone")
    (['date', 'of', 'birth'], ['ip', 'address'], ['n', 'de', 'telephone'])
    """
    return [word.lower() for word in _WORD.findall(fold(text))]


@dataclass(frozen=True, slots=True, eq=False)
class Concept:
    """What a column can be about: its words, by language, as people write them, and `short` for abbreviations.

    A word with `=` before it counts only where it is the whole name. Of two concepts the one of lower `rank` counts.
    """

    what: str
    role: Role
    kind: str
    words: Mapping[str, Sequence[str]]
    rank: int


@cache
def concepts() -> tuple[Concept, ...]:
    """What columns can be about."""
    return _read("concept")


@cache
def _parts() -> tuple[Concept, ...]:
    """Parts of names that mean nothing, or little, by themselves."""
    return _read("part")


def _read(key: str) -> tuple[Concept, ...]:
    return tuple(
        Concept(
            row["what"],
            row.get("role", "plain"),
            row.get("kind", ""),
            {language: row.get(language, ()) for language in (*LANGUAGES, "short")},
            rank,
        )
        for rank, row in enumerate(_words()[key])
    )


def _words() -> dict[str, Any]:
    return resource_table("shoal.publish.study.propose", "words.toml")


@cache
def links() -> frozenset[str]:
    """Small words between the others."""
    return frozenset(_words()["links"])


@cache
def extras() -> frozenset[str]:
    """Words that say which one of several, or come from a database."""
    return frozenset(_words()["extras"])


@dataclass(frozen=True, slots=True)
class _Entry:
    """A word of the tables, without blanks and accents."""

    key: str
    concept: Concept
    language: str
    alone: bool  # it counts only where it is the whole name


@cache
def whole() -> dict[str, Concept]:
    """Words that count only where they are the whole name."""
    return {entry.key: entry.concept for entry in _entries(concepts()) if entry.alone}


@cache
def inside() -> dict[str, Concept]:
    """Words that count anywhere in a name; of two concepts the first."""
    return {entry.key: entry.concept for entry in reversed(_entries(concepts())) if not entry.alone}


@cache
def single() -> list[str]:
    """Single words in the order of the alphabet."""
    words = (
        word for concept in concepts() for language in LANGUAGES[:-1] for word in concept.words[language]
    )
    keys = {"".join(split(word)) for word in words if not word.startswith("=") and not _GAP.search(word)}
    return sorted(keys & inside().keys())


@cache
def sorts() -> dict[str, frozenset[str]]:
    """Parts of names: what each can be a part of."""
    table: dict[str, frozenset[str]] = {}
    for entry in _entries(_parts()):
        table[entry.key] = table.get(entry.key, frozenset()) | {entry.concept.what}
    return table


@cache
def parts_of_compounds() -> dict[str, frozenset[str]]:
    """For each language the words of which compounds are made."""
    every: dict[str, set[str]] = {language: set() for language in LANGUAGES}
    for entry in (*_entries(concepts()), *_entries(_parts())):
        if not entry.alone and entry.language != "short" and (len(entry.key) > 3 or entry.key in _SHORT):
            every[entry.language].add(entry.key)
    return {language: frozenset(keys) for language, keys in every.items()}


@cache
def _entries(concepts: tuple[Concept, ...]) -> tuple[_Entry, ...]:
    return tuple(entry for concept in concepts for entry in _of(concept))


def _of(concept: Concept) -> Iterator[_Entry]:
    for language in (*LANGUAGES, "short"):
        for word in concept.words[language]:
            for spelling in _spellings(word.lstrip("="), language):
                every = split(spelling)
                linked = [one for one in every if one not in links()]
                keys = {"".join(every), "".join(linked)} if len(linked) > 1 else {"".join(every)}
                for key in keys:
                    yield _Entry(key, concept, language, word.startswith("="))


def _spellings(word: str, language: str) -> set[str]:
    """A word as people type it: German without umlauts, Turkish with its ending of possession."""
    if language == "de":
        return {word, word.translate(_UMLAUTS)}
    return {word, _possessed(word)} if language == "tr" else {word}


def _possessed(word: str) -> str:
    """The ending that Turkish gives to the last word of a compound: `telefon` in `cep telefonu`."""
    plain = fold(word).lower()
    vowels = [letter for letter in plain if letter in "aeiou"]
    if not vowels:
        return word
    ending = "i" if vowels[-1] in "aei" else "u"
    if plain[-1] in "aeiou":
        return plain + "s" + ending
    return (plain[:-1] + "g" if plain[-1] == "k" else plain) + ending
