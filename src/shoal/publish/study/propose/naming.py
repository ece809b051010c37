"""Cut the name of a column into words that the tables know."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from shoal.publish.study.propose.lexicon import (
    LANGUAGES,
    Concept,
    extras,
    inside,
    links,
    parts_of_compounds,
    single,
    sorts,
    split,
    whole,
)

__all__ = ["Hit", "hits", "known"]

_HAN = re.compile(r"[\u3400-\u9fff]")
_HELPERS = frozenset({"number", "person"})
_CUT_OFF = 7  # letters that a shortened word has at least
_LOOSE = ("quasi", "sensitive")  # roles of concepts whose words are also found in the plural, or shortened
_HEADS = ("datum", "telefon", "adresse", "anschrift", "strasse", "gehalt", "einkommen", "diagnose")
_LONGEST = 6  # words of one phrase
# Very short words at the end of a compound; "id" stands at its beginning too.
_ENDS = frozenset({"id", "nr", "no"})
_JOINTS = ("", "s", "n", "en", "es")  # what German puts between the parts of a compound


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of a name: the concept that it is a word of, and what else it can be a part of."""

    key: str
    concept: Concept | None
    sorts: frozenset[str]


_COUNT = Hit("number of", None, frozenset({"flag"}))


def known(name: str) -> Concept | None:
    """The concept that a whole name is a word of."""
    words = split(name)
    return next((found for key in _joined(words) if (found := whole().get(key) or inside().get(key))), None)


def hits(name: str) -> list[Hit]:
    """The pieces of a name that the tables know, and those that they do not know; the longest phrases first.

    >>> [(hit.key, hit.concept and hit.concept.what) for hit in hits("dateOfBirth_mother")]
    [('dateofbirth', 'birth date'), ('mother', None)]
    """
    words = split(name)
    concept = known(name)
    if concept is not None:
        parts = sorts().get("".join(words), frozenset()) if concept.role == "quasi" else frozenset()
        return [Hit("".join(words), concept, parts)]
    found = [_completed(hit) for hit in _runs([piece for word in words for piece in _pieces(word)])]
    rest = list(_rest(found))
    return [*found, *rest, *([_COUNT] if not rest and _counts(words) else [])]


def _rest(found: list[Hit]) -> Iterator[Hit]:
    """What is left beside a number or a person, where it is a word that counts alone: `num_compte`."""
    helpers = [hit for hit in found if hit.concept is None and hit.sorts and hit.sorts <= _HELPERS]
    rest = "".join(hit.key for hit in found if hit not in helpers)
    if helpers and rest in whole() and whole()[rest].role != "drop":
        yield Hit(rest, whole()[rest], frozenset())


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
            key = next((key for key in _joined(run) if key in inside() or key in sorts()), None)
            if key is not None:
                yield Hit(key, inside().get(key), sorts().get(key, frozenset()))
            elif length > 1:
                continue
            elif run[0] not in extras() and run[0] not in links():
                yield Hit(run[0], None, frozenset())
            place += length
            break


def _joined(words: list[str]) -> Iterator[str]:
    """Words without blanks, and then also without the small words between them."""
    yield "".join(words)
    if words and words[0] not in links() and words[-1] not in links():
        yield "".join(word for word in words if word not in links())


def _pieces(word: str) -> list[str]:
    if word in inside() or word in sorts() or word in links() or word in extras():
        return [word]
    if _HAN.match(word):
        return _han(word)
    return _compound(word) or _singular(word) or _headed(word) or [word]


def _headed(word: str) -> list[str]:
    """A German compound whose beginning nobody knows: its end says what it is, as in `Einschulungsdatum`."""
    head = next((head for head in _HEADS if word.endswith(head) and len(word) > len(head) + 2), None)
    return [] if head is None else [word.removesuffix(head), head]


def _singular(word: str) -> list[str]:
    """A plural; not of an identifier, for `emails` may count them, nor of years, which are a duration."""
    for ending in ("s", "n", "en", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            found = _compound(word.removesuffix(ending)) or [word.removesuffix(ending)]
            concept = inside().get(found[-1])
            if concept is not None and concept.role in _LOOSE and concept.what != "year":
                return found
    return []


def _completed(hit: Hit) -> Hit:
    """With the concept of the word that a shortened one begins, like `staatsangeh`; they must all mean the same."""
    if hit.concept is not None or hit.sorts or len(hit.key) < _CUT_OFF:
        return hit
    place = bisect_left(single(), hit.key)
    longer = list(takewhile(lambda key: key.startswith(hit.key), single()[place:]))
    concepts = {inside()[key].what: inside()[key] for key in longer}
    concept = next(iter(concepts.values())) if len(concepts) == 1 else None
    return Hit(hit.key, concept, frozenset()) if concept and concept.role in _LOOSE else hit


def _han(word: str) -> list[str]:
    """Chinese has no blanks: the longest word that the tables know, from left to right."""
    pieces = []
    place = 0
    while place < len(word):
        ends = range(len(word), place, -1)
        end = next(
            (end for end in ends if word[place:end] in inside() or word[place:end] in sorts()), place + 1
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
    lexicon = parts_of_compounds()[language]
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
