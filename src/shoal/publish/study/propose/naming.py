"""Cut the name of a column into words that the tables know."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import takewhile

from shoal.publish.study.propose.words import LANGUAGES, MEANINGS, Concept
from shoal.publish.study.propose.words.parts import EVENTS, EXTRAS, FLAGS, LINKS, NAME, NUMBER, PERSONS

__all__ = ["Hit", "fold", "hits", "known"]

_PARTS = (PERSONS, NAME, NUMBER, EVENTS, FLAGS)
_LETTERS = str.maketrans(
    {"ß": "ss", "ı": "i", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_HELPERS = frozenset({NUMBER.what, PERSONS.what})
_CUT_OFF = 7  # letters that a shortened word has at least
_LOOSE = ("quasi", "sensitive")  # roles of concepts whose words are also found in the plural, or shortened
_LONGEST = 6  # words of one phrase
_ENDS = frozenset(
    {"id", "nr", "no"}
)  # very short words that stand at the end of a compound, or at its beginning
_SHORT = frozenset({"age", "sex", "ort", "nom"})  # short words that compounds are made of
_JOINTS = ("", "s", "n", "en", "es")  # what German puts between the parts of a compound


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of a name: the concept that it is a word of, and what else it can be a part of."""

    key: str
    concept: Concept | None
    sorts: frozenset[str]


_COUNT = Hit("number of", None, frozenset({FLAGS.what}))


def fold(text: str) -> str:
    """`text` without accents, its case kept.

    >>> fold("Straße"), fold("doğum yılı"), fold("Prénom")
    ('Strasse', 'dogum yili', 'Prenom')
    """
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def known(name: str) -> Concept | None:
    """The concept that a whole name is a word of."""
    words = _words(name)
    return next((found for key in _joined(words) if (found := _whole().get(key) or _inside().get(key))), None)


def hits(name: str) -> list[Hit]:
    """The pieces of a name that the tables know, and those that they do not know; the longest phrases first.

    >>> [(hit.key, hit.concept and hit.concept.what) for hit in hits("dateOfBirth_mother")]
    [('dateofbirth', 'birth date'), ('mother', None)]
    """
    words = _words(name)
    whole = known(name)
    if whole is not None:
        sorts = _sorts().get("".join(words), frozenset()) if whole.role == "quasi" else frozenset()
        return [Hit("".join(words), whole, sorts)]
    found = [_completed(hit) for hit in _runs([piece for word in words for piece in _pieces(word)])]
    rest = list(_rest(found))
    return [*found, *rest, *([_COUNT] if not rest and _counts(words) else [])]


def _rest(found: list[Hit]) -> Iterator[Hit]:
    """What is left beside a number or a person, where it is a word that counts alone: `num_compte`."""
    helpers = [hit for hit in found if hit.concept is None and hit.sorts and hit.sorts <= _HELPERS]
    rest = "".join(hit.key for hit in found if hit not in helpers)
    if helpers and rest in _whole() and _whole()[rest].role != "drop":
        yield Hit(rest, _whole()[rest], frozenset())


def _counts(words: list[str]) -> bool:
    """Whether a name begins with "number of", or with "num" and a plural: it counts what it names."""
    if len(words) < 2 or words[0] not in ("number", "num", "no", "nb", "nbr", "n"):
        return False
    return words[1] == "of" or (len(words[1]) > 4 and words[1].endswith("s") and not words[1].endswith("ss"))


def _runs(pieces: list[str]) -> Iterator[Hit]:
    place = 0
    while place < len(pieces):
        for length in range(min(_LONGEST, len(pieces) - place), 0, -1):
            run = pieces[place : place + length]
            key = next((key for key in _joined(run) if key in _inside() or key in _sorts()), None)
            if key is not None:
                yield Hit(key, _inside().get(key), _sorts().get(key, frozenset()))
            elif length > 1:
                continue
            elif run[0] not in EXTRAS and run[0] not in LINKS:
                yield Hit(run[0], None, frozenset())
            place += length
            break


def _joined(words: list[str]) -> Iterator[str]:
    """Words without blanks, and then also without the small words between them."""
    yield "".join(words)
    if words and words[0] not in LINKS and words[-1] not in LINKS:
        yield "".join(word for word in words if word not in LINKS)


def _pieces(word: str) -> list[str]:
    if word in _inside() or word in _sorts() or word in LINKS or word in EXTRAS:
        return [word]
    if _HAN.match(word):
        return _han(word)
    return _compound(word) or _singular(word) or [word]


def _singular(word: str) -> list[str]:
    """A plural; not of an identifier, for `emails` may count them, nor of years, which are a duration."""
    for ending in ("s", "n", "en", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            found = _compound(word.removesuffix(ending)) or [word.removesuffix(ending)]
            concept = _inside().get(found[-1])
            if concept is not None and concept.role in _LOOSE and concept.what != "year":
                return found
    return []


def _completed(hit: Hit) -> Hit:
    """With the concept of the word that a shortened one begins, like `staatsangeh`; they must all mean the same."""
    if hit.concept is not None or hit.sorts or len(hit.key) < _CUT_OFF:
        return hit
    place = bisect_left(_single(), hit.key)
    longer = list(takewhile(lambda key: key.startswith(hit.key), _single()[place:]))
    concepts = {_inside()[key].what: _inside()[key] for key in longer}
    concept = next(iter(concepts.values())) if len(concepts) == 1 else None
    return Hit(hit.key, concept, frozenset()) if concept and concept.role in _LOOSE else hit


def _han(word: str) -> list[str]:
    """Chinese has no blanks: the longest word that the tables know, from left to right."""
    pieces = []
    place = 0
    while place < len(word):
        ends = range(len(word), place, -1)
        end = next(
            (end for end in ends if word[place:end] in _inside() or word[place:end] in _sorts()), place + 1
        )
        pieces.append(word[place:end])
        place = end
    return pieces


def _compound(word: str) -> list[str]:
    """The parts of a word like `patientid`, all of one language."""
    for language in LANGUAGES[:-1]:
        parts = _cut(word, language, 3)
        if parts and any(len(part) > 3 for part in parts):
            return parts
    return []


def _cut(word: str, language: str, most: int) -> list[str] | None:
    """`word` as at most `most` words of a language that cover all of it; of several ways the longest first part."""
    lexicon = _lexicon()[language]
    if word in lexicon or word in _ENDS:
        return [word]
    if most == 1:
        return None
    for end in range(len(word) - 2, 1, -1):
        head = word[:end]
        if head != "id" and head not in lexicon:
            continue
        for joint in _JOINTS if language == "de" else ("",):
            if word.startswith(joint, end):
                rest = _cut(word[end + len(joint) :], language, most - 1)
                if rest:
                    return [head, *rest]
    return None


@dataclass(frozen=True, slots=True)
class _Entry:
    """A word of the tables, without blanks and accents."""

    key: str
    concept: Concept
    language: str
    alone: bool  # it counts only where it is the whole name


@cache
def _whole() -> dict[str, Concept]:
    """Words that count only where they are the whole name."""
    return {entry.key: entry.concept for entry in _entries(MEANINGS) if entry.alone}


@cache
def _inside() -> dict[str, Concept]:
    """Words that count anywhere in a name; of two concepts the first."""
    return {entry.key: entry.concept for entry in reversed(_entries(MEANINGS)) if not entry.alone}


@cache
def _single() -> list[str]:
    """Single words in the order of the alphabet."""
    blank = (" ", "-", "'")
    words = (word for concept in MEANINGS for language in LANGUAGES[:-1] for word in concept.words(language))
    keys = (
        "".join(_words(word))
        for word in words
        if not word.startswith("=") and not any(b in word for b in blank)
    )
    return sorted({key for key in keys if key in _inside()})


@cache
def _sorts() -> dict[str, frozenset[str]]:
    """Parts of names: what each can be a part of."""
    table: dict[str, frozenset[str]] = {}
    for entry in _entries(_PARTS):
        table[entry.key] = table.get(entry.key, frozenset()) | {entry.concept.what}
    return table


@cache
def _lexicon() -> dict[str, frozenset[str]]:
    """For each language the words of which compounds are made."""
    every: dict[str, set[str]] = {language: set() for language in LANGUAGES}
    for entry in (*_entries(MEANINGS), *_entries(_PARTS)):
        if not entry.alone and (len(entry.key) > 3 or entry.key in _SHORT):
            for language in LANGUAGES if entry.language == "short" else (entry.language,):
                every[language].add(entry.key)
    return {language: frozenset(keys) for language, keys in every.items()}


@cache
def _entries(concepts: tuple[Concept, ...]) -> tuple[_Entry, ...]:
    return tuple(entry for concept in concepts for entry in _of(concept))


def _of(concept: Concept) -> Iterator[_Entry]:
    for language in (*LANGUAGES, "short"):
        for word in concept.words(language):
            for spelling in _spellings(word.lstrip("="), language):
                every = _words(spelling)
                linked = [one for one in every if one not in LINKS]
                keys = {"".join(every), "".join(linked)} if len(linked) > 1 else {"".join(every)}
                for key in keys:
                    yield _Entry(key, concept, language, word.startswith("="))


def _words(text: str) -> list[str]:
    """The words of a name in small letters, cut where the case changes and at all that is no letter."""
    return [word.lower() for word in _WORD.findall(fold(text))]


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
