"""What the name of a column means, in seven languages.

The words of words.toml are kept as dictionaries, without blanks and accents and in all spellings; a name is cut into
words that they know, and the rules at the end decide what these mean together.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import pairwise, takewhile
from typing import Any

from shoal.base.naming import resource_table
from shoal.data import Role

__all__ = [
    "FREE_TEXT",
    "OUTCOME",
    "_LANGUAGES",
    "Meaning",
    "concepts",
    "is_open_question",
    "match_column_name",
    "may_be_remarks",
    "strip_accents",
    "tells_person_fact",
]

_LANGUAGES = ("en", "de", "fr", "es", "it", "tr", "zh")
_SPOKEN = (
    *_LANGUAGES,
    "nl",
    "pl",
    "pt",
    "cs",
    "sv",
    "ru",
    "ja",
)  # of the later ones, the most frequent names
_LETTERS = str.maketrans(
    {"ß": "ss", "ı": "i", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_GAP = re.compile(r"[ '-]")
_SHORT = frozenset({"age", "sex", "ort", "nom"})  # the only words of three letters that compounds are made of


_YEAR = re.compile(r"(?:\d\d)?[xf]?$")  # behind a name of MEPS
_WAVE = re.compile(r"^[wW]\d{1,2}_(?=[A-Za-z]{3})")  # before a name: w3_age is an age, no wage
_HAN = re.compile(r"[\u3400-\u9fff]")
_HELPERS = frozenset({"number", "person"})
_CUT_OFF = 7  # letters that a shortened word has at least
_LOOSE = ("quasi", "sensitive")  # roles of concepts whose words are also found in the plural, or shortened
_HEADS = ("datum", "telefon", "adresse", "anschrift", "strasse", "gehalt", "einkommen", "diagnose")
_INSIDE = 4  # letters of a stem that may stand anywhere in a word
_LONGEST = 6  # words of one phrase
# Very short words at the end of a compound; "id" stands at its beginning too.
_ENDS = frozenset({"id", "nr", "no"})
_IDS = frozenset({"id", "uuid", "guid", "uid", "identifier", "identificador"})
_JOINTS = ("", "s", "n", "en", "es")  # what German puts between the parts of a compound

_GEOGRAPHY = frozenset({"city", "region", "country", "postal code", "code of a place"})
_MOMENTS = frozenset({"birth date", "birth year", "birth month or day", "date of death"})
_WEAK = frozenset({"year", "title", "date"})  # another concept tells more
_EMPTY = frozenset(
    {"code", "text", "value", "display", "description", "label", "name", "line"}
)  # steps of paths
_CODED = ("place", "word")  # kinds that become codes where a number stands in the name
_ORDER: dict[Role, int] = {"identifier": 0, "weight": 1, "drop": 2, "sensitive": 3, "quasi": 4}


def strip_accents(text: str) -> str:
    """`text` without accents, its case kept.

    >>> strip_accents("Straße"), strip_accents("doğum yılı"), strip_accents("Prénom")
    ('Strasse', 'dogum yili', 'Prenom')
    """
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def split_words(text: str) -> list[str]:
    """The words of a name in small letters, cut where the case changes and at all that is no letter.

    >>> split_words("dateOfBirth"), split_words("IPAddress2"), split_words("N° de téléphone")
    (['date', 'of', 'birth'], ['ip', 'address'], ['n', 'de', 'telephone'])
    """
    return [word.lower() for word in _WORD.findall(strip_accents(text))]


@dataclass(frozen=True, slots=True, eq=False)
class Concept:
    """What a column can be about: its words, by language, as people write them, and `short` for abbreviations.

    A word with `=` before it counts only where it is the whole name. Of two concepts the one of lower `rank` counts.
    `values` are the kinds of values that it can have.
    """

    what: str
    role: Role
    kind: str
    words: Mapping[str, Sequence[str]]
    rank: int
    values: frozenset[str]


@cache
def concepts() -> tuple[Concept, ...]:
    """What columns can be about."""
    return _read_concepts("concept")


@cache
def _part_concepts() -> tuple[Concept, ...]:
    """Parts of names that mean nothing, or little, by themselves."""
    return _read_concepts("part")


def _read_concepts(key: str) -> tuple[Concept, ...]:
    return tuple(
        Concept(
            row["what"],
            row.get("role", "plain"),
            row.get("kind", ""),
            {language: row.get(language, ()) for language in (*_SPOKEN, "short")},
            rank,
            frozenset(row.get("values", ())),
        )
        for rank, row in enumerate(_load_words()[key])
    )


@cache
def codebook() -> dict[str, Concept]:
    """Names of variables of well known surveys, in small letters."""
    return {
        name.casefold(): concept
        for row, concept in zip(_load_words()["concept"], concepts(), strict=True)
        for name in row.get("codebook", ())
    }


def _load_words() -> dict[str, Any]:
    return resource_table("shoal.data", "words.toml")


@cache
def _small_words(kind: str) -> frozenset[str]:
    """Small words: `links` between the others, `relations` before what something is only related to.

    Or `extras`, words that say which one of several, or come from a database; or `remarks`, which are marks or texts.
    """
    return frozenset(strip_accents(word) for word in _load_words()[kind])


@cache
def _open_questions() -> re.Pattern[str]:
    """What asks for an answer in one's own words, in the spelling of `split_words`; Chinese has no blanks around it."""
    pieces = {
        spelling
        for piece in _load_words()["open_questions"]
        for spelling in (piece, piece.translate(_UMLAUTS))
    }
    whole_words = [re.escape(" ".join(split_words(piece))) for piece in pieces if not _HAN.match(piece)]
    return re.compile(
        rf"\b(?:{'|'.join(sorted(whole_words))})\b|{'|'.join(filter(_HAN.match, sorted(pieces)))}"
    )


def is_open_question(name: str) -> bool:
    """Whether a name is a question, or an instruction, that people answer in their own words.

    >>> [is_open_question(name) for name in ("Anything else you want to tell us?", "Why did you leave?", "why")]
    [True, True, False]
    """
    words = split_words(name)
    return (len(words) > 1 or _HAN.search(name) is not None) and _open_questions().search(
        " ".join(words)
    ) is not None


@cache
def _person_fact() -> re.Pattern[str]:
    facts = [*map(strip_accents, _load_words()["person_facts"])]
    whole_words = [fact[1:] for fact in facts if fact.startswith("=")]
    stems = [fact for fact in facts if not fact.startswith("=")]
    inside = [stem for stem in stems if len(stem) >= _INSIDE]  # damage and stage are no ages
    return re.compile(rf"(?:{'|'.join(stems)}).*|.*(?:{'|'.join(inside)}).*|{'|'.join(whole_words)}|.*yrs?")


def tells_person_fact(name: str) -> bool:
    """Whether a word of a name may say, shortened, what anybody knows of a person.

    >>> [name for name in ("racef", "wrkstat", "nchildren", "yrs.service", "ptime", "stage") if tells_person_fact(name)]
    ['racef', 'wrkstat', 'nchildren', 'yrs.service']
    """
    return any(map(_person_fact().fullmatch, split_words(name)))


def may_be_remarks(name: str) -> bool:
    """Whether a name says, by its language, that a column holds marks or that it holds remarks: `note`, `nota`."""
    return not _small_words("remarks").isdisjoint(split_words(name))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A word of the tables, without blanks and accents."""

    key: str
    concept: Concept
    language: str
    alone: bool  # it counts only where it is the whole name


@cache
def _whole_name_words() -> dict[str, Concept]:
    """Words that count only where they are the whole name."""
    return {entry.key: entry.concept for entry in _entries(concepts()) if entry.alone}


@cache
def _name_part_words() -> dict[str, Concept]:
    """Words that count anywhere in a name; of two concepts the first."""
    return {entry.key: entry.concept for entry in reversed(_entries(concepts())) if not entry.alone}


@cache
def _list_single_words() -> list[str]:
    """Single words in the order of the alphabet."""
    words = (
        word for concept in concepts() for language in _LANGUAGES[:-1] for word in concept.words[language]
    )
    keys = {
        "".join(split_words(word)) for word in words if not word.startswith("=") and not _GAP.search(word)
    }
    return sorted(keys & _name_part_words().keys())


@cache
def name_parts() -> dict[str, frozenset[str]]:
    """Parts of names: what each can be a part of."""
    table: dict[str, frozenset[str]] = {}
    for entry in _entries(_part_concepts()):
        table[entry.key] = table.get(entry.key, frozenset()) | {entry.concept.what}
    return table


@cache
def _parts_of_compounds() -> dict[str, frozenset[str]]:
    """For each language the words of which compounds are made."""
    every: dict[str, set[str]] = {language: set() for language in _SPOKEN}
    for entry in (*_entries(concepts()), *_entries(_part_concepts())):
        if not entry.alone and entry.language != "short" and (len(entry.key) > 3 or entry.key in _SHORT):
            every[entry.language].add(entry.key)
    return {language: frozenset(keys) for language, keys in every.items()}


@cache
def _entries(concepts: tuple[Concept, ...]) -> tuple[_Entry, ...]:
    return tuple(entry for concept in concepts for entry in _concept_entries(concept))


def _concept_entries(concept: Concept) -> Iterator[_Entry]:
    for language in (*_SPOKEN, "short"):
        for word in concept.words[language]:
            for spelling in _spellings(word.lstrip("="), language):
                every = split_words(spelling)
                linked = [piece for piece in every if piece not in _small_words("links")]
                keys = {"".join(every), "".join(linked)} if len(linked) > 1 else {"".join(every)}
                if len(every) == 2 and concept.kind == "amount":
                    keys.add("".join(reversed(every)))  # Pay Base, as lists of staff have it
                for key in keys:
                    yield _Entry(key, concept, language, word.startswith("="))


def _spellings(word: str, language: str) -> set[str]:
    """A word as people type it: German without umlauts, Turkish with its ending of possession."""
    if language == "de":
        return {word, word.translate(_UMLAUTS)}
    return {word, _add_possessive(word)} if language == "tr" else {word}


def _add_possessive(word: str) -> str:
    """The ending that Turkish gives to the last word of a compound: `telefon` in `cep telefonu`."""
    plain = strip_accents(word).lower()
    vowels = [letter for letter in plain if letter in "aeiou"]
    if not vowels:
        return word
    ending = "i" if vowels[-1] in "aei" else "u"
    if plain[-1] in "aeiou":
        return plain + "s" + ending
    return (plain[:-1] + "g" if plain[-1] == "k" else plain) + ending


@dataclass(frozen=True, slots=True)
class Hit:
    """A piece of a name: the concept that it is a word of, and what else it can be a part of."""

    key: str
    concept: Concept | None
    sorts: frozenset[str]


_COUNT = Hit("number of", None, frozenset({"flag"}))


def _concept_of_name(name: str) -> Concept | None:
    """The concept that a whole name is a word of."""
    words = split_words(name)
    return next(
        (
            concept
            for key in _join_words(words)
            if (concept := _whole_name_words().get(key) or _name_part_words().get(key))
        ),
        _concept_of_stem(words[0]) if len(words) == 1 else None,
    )


@cache
def _stem_patterns() -> tuple[tuple[re.Pattern[str], Concept], ...]:
    """Words that names of one piece are made of with a few letters before or behind them, and what these are then."""
    return tuple(
        (re.compile(rf"[a-z]{{0,4}}(?:{'|'.join(row['stems'])})[a-z]?"), concept)
        for row, concept in zip(_load_words()["concept"], concepts(), strict=True)
        if "stems" in row
    )


def _concept_of_stem(word: str) -> Concept | None:
    """The concept of a shortened compound, such as `fincome` for the income of a family."""
    if word in _ordinary_words():
        return None
    return next((concept for pattern, concept in _stem_patterns() if pattern.fullmatch(word)), None)


@cache
def _ordinary_words() -> frozenset[str]:
    """Words of a language that hold a stem by chance."""
    return frozenset(_load_words()["ordinary"])


def _name_hits(name: str) -> list[Hit]:
    """The pieces of a name that the tables know, and those that they do not know; the longest phrases first.

    >>> [(hit.key, hit.concept and hit.concept.what) for hit in _name_hits("dateOfBirth_mother")]
    [('dateofbirth', 'birth date'), ('mother', None)]
    """
    words = split_words(name)
    concept = _concept_of_name(name)
    if concept is not None:
        parts = name_parts().get("".join(words), frozenset()) if concept.role == "quasi" else frozenset()
        return [Hit("".join(words), concept, parts)]
    hits = [
        _complete_hit(hit) for hit in _match_runs([piece for word in words for piece in _split_word(word)])
    ]
    leftovers = list(_leftover_word(hits))
    return [*hits, *leftovers, *([_COUNT] if not leftovers and _is_count_name(words) else [])]


def _leftover_word(found: list[Hit]) -> Iterator[Hit]:
    """What is left beside a number or a person, where it is a word that counts alone: `num_compte`."""
    helpers = [hit for hit in found if hit.concept is None and hit.sorts and hit.sorts <= _HELPERS]
    remainder = "".join(hit.key for hit in found if hit not in helpers)
    if helpers and remainder in _whole_name_words() and _whole_name_words()[remainder].role != "drop":
        yield Hit(remainder, _whole_name_words()[remainder], frozenset())


def _is_count_name(words: list[str]) -> bool:
    """Whether a name begins with "number of", or with "num" and a plural: it counts what it names."""
    if len(words) < 2 or words[0] not in ("number", "num", "no", "nb", "nbr", "n"):
        return False
    return words[1] == "of" or (len(words[1]) > 4 and words[1].endswith("s") and not words[1].endswith("ss"))


def _match_runs(pieces: list[str]) -> Iterator[Hit]:
    index = 0
    while index < len(pieces):
        for length in range(min(_LONGEST, len(pieces) - index), 0, -1):
            run = pieces[index : index + length]
            key = next(
                (key for key in _join_words(run) if key in _name_part_words() or key in name_parts()), None
            )
            if key is not None:
                yield Hit(key, _name_part_words().get(key), name_parts().get(key, frozenset()))
            elif length > 1:
                continue
            elif run[0] not in _small_words("extras") and run[0] not in _small_words("links"):
                yield Hit(run[0], None, frozenset())
            index += length
            break


def _join_words(words: list[str]) -> Iterator[str]:
    """Words without blanks, and then also without the small words between them."""
    yield "".join(words)
    if words and words[0] not in _small_words("links") and words[-1] not in _small_words("links"):
        yield "".join(word for word in words if word not in _small_words("links"))


def _split_word(word: str) -> list[str]:
    if (
        word in _name_part_words()
        or word in name_parts()
        or word in _small_words("links")
        or word in _small_words("extras")
    ):
        return [word]
    if _HAN.match(word):
        return _split_chinese(word)
    return _split_compound(word) or _split_plural(word) or _split_at_head(word) or [word]


def _split_at_head(word: str) -> list[str]:
    """A German compound whose beginning nobody knows: its end says what it is, as in `Einschulungsdatum`."""
    head = next((head for head in _HEADS if word.endswith(head) and len(word) > len(head) + 2), None)
    return [] if head is None else [word.removesuffix(head), head]


def _split_plural(word: str) -> list[str]:
    """A plural; not of an identifier, for `emails` may count them, nor of years, which are a duration."""
    for ending in ("s", "n", "en", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            parts = _split_compound(word.removesuffix(ending)) or [word.removesuffix(ending)]
            concept = _name_part_words().get(parts[-1])
            if concept is not None and concept.role in _LOOSE and concept.what != "year":
                return parts
    return []


def _complete_hit(hit: Hit) -> Hit:
    """With the concept of the word that a shortened one begins, like `staatsangeh`; they must all mean the same."""
    if hit.concept is not None or hit.sorts or len(hit.key) < _CUT_OFF:
        return hit
    index = bisect_left(_list_single_words(), hit.key)
    longer = list(takewhile(lambda key: key.startswith(hit.key), _list_single_words()[index:]))
    concepts = {_name_part_words()[key].what: _name_part_words()[key] for key in longer}
    concept = next(iter(concepts.values())) if len(concepts) == 1 else None
    return Hit(hit.key, concept, frozenset()) if concept and concept.role in _LOOSE else hit


def _split_chinese(word: str) -> list[str]:
    """Chinese has no blanks: the longest word that the tables know, from left to right."""
    pieces = []
    index = 0
    while index < len(word):
        ends = range(len(word), index, -1)
        end = next(
            (end for end in ends if word[index:end] in _name_part_words() or word[index:end] in name_parts()),
            index + 1,
        )
        pieces.append(word[index:end])
        index = end
    return pieces


def _split_compound(word: str) -> list[str]:
    """The parts of a word like `patientid`, all of one language."""
    for language in _LANGUAGES[:-1]:
        parts = _cut_word(word, language, 3)
        if parts and any(len(part) > 3 for part in parts):
            return parts
    return []


def _cut_word(word: str, language: str, most: int) -> list[str] | None:
    """`word` as at most `most` words of a language that cover all of it; of several ways the longest first part."""
    lexicon = _parts_of_compounds()[language]
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
                tail = _cut_word(word[end + len(joint) :], language, most - 1)
                if tail:
                    return [head, *tail]
    return None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column is about, the role that goes with it, and the kind of hierarchy that it would get.

    `weak` says that something unknown is only related to it, as the distance to work: values must be words, too.
    """

    what: str
    role: Role
    kind: str
    weak: bool = field(default=False, compare=False, repr=False)


FREE_TEXT = Meaning("free text", "drop", "text")
"""What somebody wrote in words of their own."""
OUTCOME = Meaning("outcome", "sensitive", "word")
"""What became of somebody."""


@lru_cache(maxsize=4096)
def match_column_name(name: str) -> Meaning | None:
    """What a column called `name` holds; None where the name does not tell.

    >>> match_column_name("Geburtsdatum"), match_column_name("filename")
    (Meaning(what='birth date', role='quasi', kind='date'), None)
    >>> match_column_name("customer_id").role, match_column_name("性别").what
    ('identifier', 'sex')
    """
    listed = codebook().get(_YEAR.sub("", name.strip().casefold())) or codebook().get(name.strip().casefold())
    if listed is not None:
        return _make_meaning(listed)
    if is_open_question(name):
        return FREE_TEXT
    name = _WAVE.sub("", name)
    steps = [step for step in name.replace("/", ".").split(".") if step.strip()]
    meaning = _path_meaning(steps) or _decide(_name_hits(name)) or _decide(_name_hits(name.upper()))
    return (
        replace(meaning, weak=True) if meaning and meaning.role == "quasi" and _is_related(name) else meaning
    )


def _is_related(name: str) -> bool:
    """Whether a name begins with a word that nobody knows, and goes on with what that is related to."""
    head = list(takewhile(lambda word: word not in _small_words("relations"), split_words(name)))
    if not head or len(head) >= len(split_words(name)) - 1 or _concept_of_name(name) is not None:
        return False
    hits = list(_match_runs([piece for word in head for piece in _split_word(word)]))
    return any(not hit.sorts for hit in hits) and all(
        hit.concept is None and "person" not in hit.sorts for hit in hits
    )


def _path_meaning(steps: list[str]) -> Meaning | None:
    """What the last step of a path means: `address.city` is a city, `conditions.code` a condition."""
    if len(steps) < 2:
        return None
    concept = _concept_of_name(steps[-1])
    if concept is not None and concept.what not in _WEAK:
        return _make_meaning(concept)
    last = steps[-1].strip().lower()
    key, parent = _decide(_name_hits(steps[-1])), match_column_name(".".join(steps[:-1]))
    if key is not None and key.role == "identifier" and (parent is None or parent.role != "quasi"):
        return key  # a key of rows below a person: `prescriptions.prescription_id` is no medicine
    above = parent if last in _EMPTY else None
    return replace(above, kind="code") if above and last == "code" and above.kind in _CODED else above


def _decide(found: list[Hit]) -> Meaning | None:
    """The rules, in the order in which they count."""
    before = _hits_before_at(found)
    if before:
        return _decide(before)
    sorts = frozenset[str]().union(*(hit.sorts for hit in found))
    flagged = "flag" in sorts
    concepts = [hit.concept for hit in found if hit.concept is not None]
    if flagged:  # "phone_type" is no phone, but "mean_income" is an income
        concepts = [concept for concept in concepts if concept.role not in ("identifier", "drop")]
    moment = _date_concept(concepts)
    if moment is not None:
        return _make_meaning(moment)
    if not flagged:
        person = _person_meaning(found, sorts)
        if person is not None:
            return person
    best = _best_concept(concepts)
    return None if best is None else _make_meaning(best, coded="number" in sorts)


def _hits_before_at(found: list[Hit]) -> list[Hit]:
    """The words before "at": an age at diagnosis is an age."""
    places = [index for index, hit in enumerate(found) if hit.key in ("at", "bei", "beim") and index > 0]
    return found[: places[0]] if places else []


def _date_concept(concepts: list[Concept]) -> Concept | None:
    """A date: whatever else stands in the name happened on it."""
    dates = [concept for concept in concepts if concept.what == "date"]
    moments = [concept for concept in concepts if concept.what in _MOMENTS]
    if moments and all(concept.what in _WEAK or concept.what in _MOMENTS for concept in concepts):
        return moments[-1]
    return dates[0] if dates else None


def _person_meaning(found: list[Hit], sorts: frozenset[str]) -> Meaning | None:
    """A name or a number of a person, put together from parts."""
    if _has_person_beside(found, "name"):
        return Meaning("name", "identifier", "")
    if _has_person_beside(found, "number"):
        return Meaning("person number", "identifier", "")
    are_all_parts = all(hit.sorts for hit in found)
    concepts = [hit for hit in found if hit.concept is not None and not hit.sorts]
    if "name" in sorts and "number" not in sorts and not concepts:
        if "person" in sorts or all(hit.sorts == {"name"} for hit in found):
            return Meaning("name", "identifier", "")
    if "number" not in sorts or concepts:
        return None
    if "person" in sorts:
        return Meaning("person number", "identifier", "")
    if "event" in sorts and are_all_parts:
        return Meaning("record number", "identifier", "")
    alone = are_all_parts and sorts == {"number"} and any(hit.key in _IDS for hit in found)
    return Meaning("person number", "identifier", "") if alone else None


def _has_person_beside(found: list[Hit], part: str) -> bool:
    """Whether a person stands beside a part: in `school_student_id`, not in `customer_city_name`."""
    pairs = [*pairwise(found), *pairwise(reversed(found))]
    return any(
        "person" in first.sorts and first.concept is None and part in second.sorts for first, second in pairs
    )


def _best_concept(concepts: list[Concept]) -> Concept | None:
    """The concept that counts of several: a place before an identifier ("address_city"), else by role."""
    strong = [concept for concept in concepts if concept.what not in _WEAK] or concepts
    places = [concept for concept in strong if concept.what in _GEOGRAPHY]
    if places and all(concept.role in ("identifier", "quasi") for concept in strong):
        return places[-1]
    return min(strong, key=lambda concept: (_ORDER[concept.role], concept.rank), default=None)


def _make_meaning(concept: Concept, *, coded: bool = False) -> Meaning:
    kind = "code" if coded and concept.kind in _CODED else concept.kind
    return Meaning(concept.what, concept.role, kind)
