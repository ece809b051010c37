"""Public vocabularies: what countries, diagnoses, branches, postal codes and answers are, and what they belong to.

A vocabulary says of a value alone what stands above it, whatever other values a column has. So a hierarchy built by one
has the same levels and labels over any records, and tells nothing of those who are left out. A value that is not in the
vocabulary stands in one group of others. The words are in files of `vocabulary/`, each with its source and its date.

Codes say by their own structure what belongs together: diagnoses, drugs, jobs, branches, regions, postal codes. Each
of their readers takes one value, with or without dots and blanks, in any case, and gives the code as it is sorted and
the labels above it; None where it is no such code.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from typing import Any, TypeVar
from unicodedata import combining, normalize

from shoal.base.errors import HierarchyError
from shoal.base.naming import resource_table, suggest_name
from shoal.hierarchy.column_values import ROOT, distinct_values
from shoal.hierarchy.tree import Hierarchy

__all__ = [
    "find_scale",
    "outside_vocabulary",
    "rank_words",
    "suggest_vocabularies",
    "vocabularies",
    "vocabulary_file",
    "vocabulary_hierarchy",
]


_ICD10 = re.compile(r"((?:[A-Z][0-9]|QA)[0-9AB])[0-9A-Z]{0,4}[+*!†#]?[AGVZRLB]?")
_ICD9 = re.compile(r"(V[0-9]{2}|E[0-9]{3}|[0-9]{3})[0-9]{0,2}")
_ATC = re.compile(r"[A-Z][0-9]{2}(?:[A-Z](?:[A-Z](?:[0-9]{2})?)?)?")
_NUTS = re.compile(r"([A-Z]{2})([0-9A-Z]{0,3})")
_FIVE_DIGITS = re.compile(r"([0-9]{4,5})(?:-?[0-9]{4})?")
_UK = re.compile(r"(([A-Z]{1,2})[0-9][0-9A-Z]?)(?:[0-9][A-Z]{2})?")
_NL = re.compile(r"[1-9][0-9]{3}(?:[A-Z]{2})?")
_SNOMED = re.compile(r"[1-9][0-9]{3,15}[01][0-9]{2}")
_DOTTED = re.compile(r"[0-9]+\.[0-9]*")

T = TypeVar("T")
Labels = tuple[str | None, ...]
"""What stands above a value, from small to large; None on a level that is finer than the value is."""

Reading = tuple[Any, Labels] | None
"""Where a value stands among the others, and its labels; None where it is not in the vocabulary."""


def vocabulary_file(name: str) -> dict[str, Any]:
    """A file of vocabularies."""
    return resource_table("shoal.hierarchy", f"vocabulary/{name}.toml")


def _normalize_code(value: str) -> str:
    """A code without dots, blanks and case."""
    return re.sub(r"[\s.]", "", value).upper()


# Codes: ranges of them, and what they begin with.


@cache
def _code_ranges(which: str) -> list[tuple[str, str, str, str]]:
    """First and last code of each range, the label of its block and that of its chapter, in order.

    A block is a range, and after a "+" categories that belong to it though they stand outside of it.
    """
    chapters: Mapping[str, str] = vocabulary_file("codes")[which]["chapters"]
    ranges: list[tuple[str, str, str, str]] = []
    for chapter, blocks in chapters.items():
        for block in blocks.split():
            label, *single_codes = block.split("+")
            first_code, _, last_code = label.partition("-")
            ranges += [
                (first_code, last_code, label, chapter),
                *((single_code, single_code, label, chapter) for single_code in single_codes),
            ]
    return sorted(ranges)


@cache
def _range_of(which: str, category: str) -> tuple[str | None, str] | None:
    """The label of the block and of the chapter of a category; no block where only the chapter has a place for it."""
    for first_code, last_code, label, chapter in _code_ranges(which):
        if first_code <= category <= last_code:
            return label, chapter
    bounds = {chapter: chapter.partition(" ")[0].partition("-") for *_, chapter in _code_ranges(which)}
    return next(((None, name) for name, (low, _, high) in bounds.items() if low <= category <= high), None)


def _read_icd(which: str, form: re.Pattern[str], value: str) -> Reading:
    """A diagnosis by its category, block and chapter; a category of no block is one of its own."""
    text = value.strip()
    if which == "icd9" and (_DOTTED.fullmatch(text) or len(text) < 3) and text[:1].isdigit():
        text = text.partition(".")[0].zfill(3) + text.partition(".")[2]  # spreadsheets make 8.45 of 008.45
    match = form.fullmatch(_normalize_code(text))
    range_labels = None if match is None else _range_of(which, match[1])
    if match is None or range_labels is None:
        return None
    category = f"{match[1]}*"
    return _normalize_code(text), (category, range_labels[0] or category, range_labels[1])


def _read_atc(value: str) -> Reading:
    code, names = _normalize_code(value), vocabulary_file("codes")["atc"]
    if not _ATC.fullmatch(code) or code[:3] not in names["second"]:
        return None
    return code, (*_prefix_labels(code, (5, 4)), names["second"][code[:3]], names["first"][code[0]])


def _prefix_labels(code: str, lengths: Sequence[int], width: int = 0) -> Labels:
    """What a code begins with, level by level; None where it is shorter."""
    return tuple(
        code[:length] + "*" * max(1, width - length) if len(code) >= length else None for length in lengths
    )


def _read_isco(value: str) -> Reading:
    """An occupation by its digits; zeros at the end of four digits say that no smaller group is known."""
    code, facts = _normalize_code(value), vocabulary_file("codes")["isco"]
    if not 1 <= len(code) <= 4 or not code.isdecimal():
        return None
    if code in (
        "110",
        "210",
        "310",
    ):  # spreadsheets make these of 0110, 0210, 0310: no minor group ends with 0
        code = f"0{code}"
    if len(code) == 4 and code.endswith("00"):
        code = code.rstrip("0") or "0"
    minor_group = code[:3]
    if not any(
        minor_code.startswith(minor_group)
        or (
            len(minor_group) == 3
            and minor_code[:2] == minor_group[:2]
            and "0" < minor_group[2] <= minor_code[2]
        )
        for minor_code in facts["minor"].split()
    ):
        return None
    return code, (*_prefix_labels(code, (3, 2), 4), facts["first"][code[0]])


def _read_branch(which: str, value: str) -> Reading:
    """A branch of trade: NACE with its letter or without it, NAICS by digits."""
    lengths, width = ((3, 2), 4) if which == "nace" else ((4, 3), 6)
    code = _normalize_code(value)
    letter = code[:1] if which == "nace" and code[:1].isalpha() else ""
    code = code.removeprefix(letter)
    range_labels = _range_of(which, code[:2]) if code.isdecimal() and 2 <= len(code) <= width else None
    if range_labels is None or not range_labels[1].startswith(letter):
        return None
    return code, (*_prefix_labels(code, lengths, width), range_labels[1])


def _read_nuts(value: str) -> Reading:
    match = _NUTS.fullmatch(_normalize_code(value))
    first_digit = None if match is None else vocabulary_file("codes")["nuts"]["first"].get(match[1])
    if match is None or first_digit is None or (match[2] and match[2][0] not in f"{first_digit}Z"):
        return None
    code = match[1] + match[2]
    return code, _prefix_labels(code, (4, 3, 2))


# Postal codes.


@cache
def _free_prefixes(country: str) -> tuple[str, ...]:
    return tuple(vocabulary_file("postal")[country]["unused"].split())


@cache
def _regions(country: str) -> dict[str, str]:
    """The region of each department or province."""
    regions: Mapping[str, str] = vocabulary_file("postal")[country]["regions"]
    return {part: region for region, parts in regions.items() for part in parts.split()}


def _five_digits(value: str) -> str | None:
    """Five digits, with the zero that a spreadsheet took away; four more of a code of the US are left out."""
    match = _FIVE_DIGITS.fullmatch(re.sub(r"\s|^(?:D|F|I|E|US)-", "", value.strip().upper()))
    return None if match is None else match[1].zfill(5)


def _read_digits(country: str, lengths: Sequence[int], value: str) -> Reading:
    code = _five_digits(value)
    if code is None or code.startswith(_free_prefixes(country)):
        return None
    return code, _prefix_labels(code, lengths, 5)


_RESTRICTED = frozenset(
    "036 059 063 102 202 203 204 205 369 556 692 753 772 790 821 823 830 831 878 879 884 890 893".split()
)  # beginnings under which at most 20,000 people live, by the census of 2000 or that of 2020


def _read_safe_harbor_zip(value: str) -> Reading:
    """Three digits, but 000 where HIPAA's Safe Harbor asks for it; nothing above it may tell the zone either."""
    reading = _read_digits("us", (3, 1), value)
    return (
        (reading[0], ("000**", "000**")) if reading is not None and reading[0][:3] in _RESTRICTED else reading
    )


def _read_french_code(value: str) -> Reading:
    """The department: two digits, three overseas, and in Corsica a letter."""
    code = _five_digits(value)
    if code is None:
        return None
    part = code[:3] if code[:3] in _regions("fr") else code[:2]
    if part == "20":  # Ajaccio's own codes for large senders begin with 203, 205, 207 and 209
        part = "2B" if code[2] in "246" else "2A"
    region = _regions("fr").get(part)
    return None if region is None else (code, (f"{part}*", region))


def _read_spanish_code(value: str) -> Reading:
    code = _five_digits(value)
    region = None if code is None else _regions("es").get(code[:2])
    return None if code is None or region is None else (code, (f"{code[:2]}***", region))


def _read_british_code(value: str) -> Reading:
    """The outward code, and the area of its letters."""
    code = _normalize_code(value)
    match = _UK.fullmatch(code)
    if match is None or match[2] not in vocabulary_file("postal")["uk"]["areas"].split():
        return None
    return code, (f"{match[1]} *", f"{match[2]}*")


def _read_dutch_code(value: str) -> Reading:
    code = _normalize_code(value)
    return (code, (f"{code[:4]} **", f"{code[:2]}**", f"{code[:1]}***")) if _NL.fullmatch(code) else None


def _read_snomed(value: str) -> Reading:
    """A concept's number with its check digit (Verhoeff's): nothing stands above it but the root."""
    from stdnum import verhoeff  # it takes a while, and few columns ask

    code = value.strip()
    return (code, ()) if _SNOMED.fullmatch(code) and verhoeff.is_valid(code) else None


_NEARLY = 0.9  # of a column's different values must be in a vocabulary that is taken for theirs
_PROBE = 200  # values that show which vocabularies are worth trying on all
_MANY = 20_000  # different values, of which a vocabulary must know nearly all
_SPACES = re.compile(r"[\W_]+")
_Reader = Callable[[str], Reading]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """One vocabulary.

    levels   : what stands above a value, from small to large
    read     : what it says of one value
    ordered  : whether its values have an order, so that groups are neighbours
    meanings : what a column is about whose values may be of it
    names    : words of a column's name that mean it
    sign     : what some values look like where they alone tell; None where the name of the column must, too
    width    : signs that a code has; a few may have lost the zeros before them, not most
    proof    : what nearly all values, and at least one, look like where the name only means such codes: counts and days
               are numbers of as many digits
    """

    levels: tuple[str, ...]
    read: _Reader
    ordered: bool = False
    meanings: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    sign: str | None = None
    width: int = 0
    proof: tuple[str, str] | None = None


def vocabulary_hierarchy(name: str, vocabulary: str, values: Sequence[str | None]) -> Hierarchy:
    """The values of a column below what a vocabulary says of them, `*` on top.

    >>> vocabulary_hierarchy("icd", "icd10", ["E11.9", "e119", "I10", "?"]).labels[1:3]
    (('E11*', 'I10*', 'other (not in icd10)', '*'), ('E10-E14', 'I10-I16', 'other (not in icd10)', '*'))

    Raises
    ------
    HierarchyError
        There is no such vocabulary, or a value reads like one of its groups.
    """
    known_vocabulary = _require_vocabulary(name, vocabulary)
    different = distinct_values(name, values)
    reading_of_value = {value: known_vocabulary.read(value) for value in different}
    other_labels: Labels = (f"other (not in {vocabulary})",) * len(known_vocabulary.levels)
    labels = {
        value: other_labels if reading is None else reading[1] for value, reading in reading_of_value.items()
    }
    group_names = {label for path in labels.values() for label in path} | {ROOT}
    strange = tuple(value for value in different if value in group_names)
    if strange:
        raise HierarchyError(
            f"hierarchy '{name}': {len(strange)} of {len(different)} distinct values read like a group of vocabulary "
            f"'{vocabulary}'; rename them, mark them as missing, or give a file",
            value=strange,
        )
    keys = {
        value: (reading is None, 0 if reading is None else reading[0], value)
        for value, reading in reading_of_value.items()
    }
    sorted_values = sorted(different, key=lambda value: keys[value])
    paths = [[value, *(label or value for label in labels[value]), ROOT] for value in sorted_values]
    return Hierarchy.from_paths(name, paths, public=False, ordered=known_vocabulary.ordered)


def outside_vocabulary(name: str, vocabulary: str, values: Iterable[str | None]) -> str:
    """How many different values a vocabulary does not know, in a sentence; empty where it knows all.

    >>> outside_vocabulary("land", "countries", ["FR", "France", "Atlantis", None])
    "hierarchy 'land': 1 of 3 distinct values are not in vocabulary 'countries' and stand in one group, 'other'"

    Raises
    ------
    HierarchyError
        There is no such vocabulary, or no value is in it.
    """
    read_value = _require_vocabulary(name, vocabulary).read
    different = {value for value in values if value is not None}
    unknown_count = sum(read_value(value) is None for value in different)
    count_words = (
        f"{unknown_count:,} of {len(different):,} distinct values are not in vocabulary '{vocabulary}'"
    )
    if unknown_count and unknown_count == len(different):
        raise HierarchyError(
            f"hierarchy '{name}': {count_words}; {suggest_name(vocabulary, vocabularies())}, or give a file"
        )
    return f"hierarchy '{name}': {count_words} and stand in one group, 'other'" if unknown_count else ""


def _require_vocabulary(name: str, vocabulary: str) -> Vocabulary:
    if vocabulary not in vocabularies():
        raise HierarchyError(
            f"hierarchy '{name}': there is no vocabulary '{vocabulary}'; {suggest_name(vocabulary, vocabularies())}"
        )
    return vocabularies()[vocabulary]


def suggest_vocabularies(values: Sequence[str], name: str, meaning: str = "") -> list[str]:
    """The vocabularies that a column's values can be of; it is of one of them where there is no other.

    Nearly all different values must be in it. Where several know them, or values of that form may be something else,
    the name of the column or what it means decides, then which knows most of them: so the range of postal codes may
    tell their country.

    >>> suggest_vocabularies(["E11.9", "I10.0", "J45.1"], "x"), suggest_vocabularies(["E11", "I10"], "seat")
    (['icd10'], [])
    >>> suggest_vocabularies(["10115", "99084"], "postal_code", "postal code")
    ['de-postal', 'us-zip']
    """
    present = [value for value in values if value.strip()]
    if len(present) < 2:
        return []
    sample, large_sample = (present[:: max(1, len(present) // number)] for number in (_PROBE, _MANY))
    fits = [
        candidate
        for candidate, known_vocabulary in vocabularies().items()
        if _count_unknown(known_vocabulary, sample) is not None and _has_width(known_vocabulary, sample)
    ]
    unknown = {
        candidate: unknown_count
        for candidate in _select_by_evidence(fits, sample, name, meaning)
        if (unknown_count := _count_unknown(vocabularies()[candidate], large_sample)) is not None
    }
    return [
        candidate for candidate, unknown_count in unknown.items() if unknown_count == min(unknown.values())
    ]


def _select_by_evidence(fits: list[str], values: Sequence[str], name: str, meaning: str) -> list[str]:
    """Those that the name of a column speaks for, else what it means, else the form of its values."""
    folded_name = _fold_text(name)
    words = {folded_name, folded_name.replace(" ", ""), *folded_name.split()}
    matched_by_name = [candidate for candidate in fits if vocabularies()[candidate].names & words]
    matched_by_meaning = [
        candidate
        for candidate in fits
        if meaning in vocabularies()[candidate].meanings and _is_proven(vocabularies()[candidate], values)
    ]
    return matched_by_name or _drop_wider_scales(
        matched_by_meaning
        or [candidate for candidate in fits if _shows_sign(vocabularies()[candidate], values)]
    )


def _count_unknown(known: Vocabulary, values: Sequence[str]) -> int | None:
    """How many values a vocabulary does not know; None where they are too many for it to be theirs."""
    allowance, unknown = int((1 - _NEARLY) * len(values)), 0
    for value in values:
        unknown += known.read(value) is None
        if unknown > allowance:
            return None
    return unknown


def _has_width(known: Vocabulary, values: Sequence[str]) -> bool:
    """Whether at least half of the codes are whole: four digits alone are of any of a dozen countries."""
    return not known.width or 2 * sum(len(value.strip()) >= known.width for value in values) >= len(values)


def _shows_sign(known: Vocabulary, values: Sequence[str]) -> bool:
    """Whether values tell by themselves what they are: at least half of them have the sign."""
    if known.sign is None:
        return False
    sign = re.compile(known.sign)
    return 2 * sum(sign.fullmatch(value.strip()) is not None for value in values) >= len(values)


def _is_proven(known: Vocabulary, values: Sequence[str]) -> bool:
    """Whether values look like codes of a vocabulary that other numbers look like, too."""
    if known.proof is None:
        return True
    nearly_all, some = (re.compile(pattern) for pattern in known.proof)
    bare = [value.strip() for value in values]
    return sum(nearly_all.fullmatch(value) is not None for value in bare) >= _NEARLY * len(bare) and any(
        map(some.fullmatch, bare)
    )


def _drop_wider_scales(found: list[str]) -> list[str]:
    """Of scales that all know the values, the first: they differ in words that do not occur. Degrees are no scale."""
    scales = [candidate for candidate in found if candidate in _scales()]
    return [candidate for candidate in found if candidate not in scales["education" not in found :]]


@lru_cache(maxsize=4096)
def _fold_text(text: str) -> str:
    """Letters and digits alone, without case and accents, one blank between words."""
    bare = "".join(sign for sign in normalize("NFKD", text.casefold()) if not combining(sign))
    return _SPACES.sub(" ", bare).strip().replace("ı", "i")


def _keep_accents(text: str) -> str:
    """Letters with their accents and digits, without case, one blank between words."""
    return _SPACES.sub(" ", normalize("NFC", text.casefold())).strip()


# Listed words.


@cache
def _read_word_list(file: str, section: str) -> dict[str, tuple[int, Labels]]:
    """For each word of a file its place, and the groups above it."""
    entry_of_word: dict[str, tuple[int, Labels]] = {}
    accented: dict[str, tuple[int, Labels]] = {}
    rank = 0
    for path, lines in vocabulary_file(file)[section].items():
        labels = tuple(path.split(" / "))
        for line in lines:
            for synonym in line.split(" | "):
                words = entry_of_word if synonym.isascii() else accented
                words.setdefault(_fold_text(synonym), (rank, labels))
                accented.setdefault(_keep_accents(synonym), (rank, labels))
            rank += 1
    # collège is another school than college; without accents a word is the one that has none
    return _add_run_together(
        accented | entry_of_word | {w: e for w, e in accented.items() if not w.isascii()}
    )


def _look_up_word(file: str, section: str, value: str) -> Reading:
    return _look_up_in(_read_word_list(file, section), value)


def _look_up_in(words: Mapping[str, tuple[int, Labels]], value: str) -> Reading:
    return words.get(_keep_accents(value)) or words.get(_fold_text(value))


def _add_run_together(words: dict[str, T]) -> dict[str, T]:
    """The words, and those of several without the blanks between them: StronglyAgree."""
    return {word.replace(" ", ""): entry for word, entry in words.items()} | words


def rank_words(values: Sequence[str]) -> list[int] | None:
    """The place of each value on the first scale that knows all of them, or among degrees; None where none does.

    >>> rank_words(["often", "Never", "sometimes"]), rank_words(["often", "red"])
    ([8, 0, 7], None)
    """
    for words in (*_scales().values(), _read_word_list("education", "groups")):
        readings = [_look_up_in(words, value) for value in values]
        ranks = [reading[0] for reading in readings if reading is not None]
        if len(ranks) == len(values):
            return ranks
    return None


def find_scale(values: Sequence[str]) -> str | None:
    """What the first scale is about that knows all values, in any language; None where none does.

    >>> find_scale(["often", "Never"]), find_scale(["negativ", "positiv"]), find_scale(["often", "red"])
    ('frequency', 'result', None)
    """
    return next(
        (
            name.rpartition("-")[0]
            for name, words in _scales().items()
            if all(_look_up_in(words, value) is not None for value in values)
        ),
        None,
    )


@cache
def _scales() -> dict[str, dict[str, tuple[int, Labels]]]:
    """For each scale its words, each with the place of its step and the label of its group."""
    table = vocabulary_file("scales")
    ranks_by_scale: dict[str, dict[str, tuple[int, Labels]]] = {}
    for name, text in table["scales"].items():
        several, single = table["between"][name.rpartition("-")[2]]
        ranks: dict[str, tuple[int, Labels]] = {}
        for group in text.split(" / "):
            steps = [[synonym.strip() for synonym in step.split(" | ")] for step in group.split(";")]
            label = (several if len(steps) > 1 else single).format(steps[0][0], steps[-1][0])
            for step in steps:
                rank = len(ranks)
                ranks |= {_fold_text(synonym): (rank, (label,)) for synonym in step}
        ranks_by_scale[name] = _add_run_together(ranks)
    return ranks_by_scale


def _vocabulary(
    levels: str,
    read: _Reader,
    *,
    means: str = "",
    names: str = "",
    sign: str | None = None,
    ordered: bool = False,
    width: int = 0,
    proof: tuple[str, str] | None = None,
) -> Vocabulary:
    """One line of the table; names are as `_fold_text` makes them."""
    split_texts = [tuple(part.strip() for part in text.split(",") if part) for text in (levels, means, names)]
    return Vocabulary(
        split_texts[0],
        read,
        ordered,
        frozenset(split_texts[1]),
        frozenset(split_texts[2]),
        sign,
        width,
        proof,
    )


_WORDS = r"[^\d]{4,}.*"
_PLACE = "postal code"
_FIVE = 5  # digits of the postal codes of most countries

_TABLE: dict[str, Vocabulary] = {
    "countries": _vocabulary(
        "subregion, region", partial(_look_up_word, "countries", "groups"),
        means="country, nationality or language", names="country, land, pays", sign=_WORDS),
    "us-states": _vocabulary(
        "division, region", partial(_look_up_word, "us-states", "groups"),
        means="region", names="state, states, stateabb, stateabbr, statecode", sign=_WORDS),
    "currencies": _vocabulary(
        "part of a continent, continent", partial(_look_up_word, "currencies", "groups"),
        names="currency, wahrung, waehrung, devise, moneda, valuta, moeda, ccy", sign="[A-Z]{3}"),
    "months": _vocabulary(
        "quarter, half year", partial(_look_up_word, "calendar", "months"), sign=r"\D{2,}|\d+月", ordered=True),
    "weekdays": _vocabulary(
        "part of the week", partial(_look_up_word, "calendar", "weekdays"), sign=r"\D{2,}", ordered=True),
    "education": _vocabulary(
        "level of ISCED, low middle or high", partial(_look_up_word, "education", "groups"),
        means="education", names="education", sign=".{2,}", ordered=True),
    "icd10": _vocabulary(
        "category, block, chapter", partial(_read_icd, "icd10", _ICD10),
        means="diagnosis, illness", names="icd10, icd", sign=r"[A-Za-z]\d[0-9AB]\.\w+"),
    "icd9": _vocabulary(
        "category, block, chapter", partial(_read_icd, "icd9", _ICD9), means="diagnosis, illness", names="icd9, icd",
        proof=(r"[VEve]\d{2,}.*|\d{3,}.*", r"[VEve]\d.*|0\d\d.*|\d{3}\.\d{1,2}")),
    "snomed": _vocabulary(
        "", _read_snomed,
        means="diagnosis, illness, medicine or treatment", names="snomed, sctid", sign=r"\d{8,}"),
    "atc": _vocabulary(
        "chemical group, pharmacological group, therapeutic group, anatomical group", _read_atc,
        means="medicine or treatment", names="atc", sign=r"[A-Za-z]\d\d[A-Za-z]{2}\d\d"),
    "isco": _vocabulary("minor group, sub-major group, major group", _read_isco, names="isco, isco08"),
    "nace": _vocabulary("group, division, section", partial(_read_branch, "nace"), names="nace"),
    "naics": _vocabulary("industry group, subsector, sector", partial(_read_branch, "naics"), names="naics"),
    "nuts": _vocabulary("NUTS 2, NUTS 1, country", _read_nuts, names="nuts, nuts1, nuts2, nuts3"),
    "de-postal": _vocabulary(
        "three digits, region, zone", partial(_read_digits, "de", (3, 2, 1)),
        means=_PLACE, names="plz, postleitzahl", width=_FIVE),
    "fr-postal": _vocabulary(
        "department, region", _read_french_code, means=_PLACE, names="code postal, codepostal", width=_FIVE),
    "es-postal": _vocabulary(
        "province, community", _read_spanish_code, means=_PLACE, names="codigo postal, codpostal", width=_FIVE),
    "it-postal": _vocabulary(
        "three digits, two digits, zone", partial(_read_digits, "it", (3, 2, 1)),
        means=_PLACE, names="cap, codice postale", width=_FIVE),
    "us-zip": _vocabulary(
        "three digits, zone", partial(_read_digits, "us", (3, 1)), means=_PLACE, names="zcta, zip5, zip9", width=_FIVE),
    "us-zip-safe-harbor": _vocabulary("three digits or 000, zone", _read_safe_harbor_zip, width=_FIVE),
    "uk-postal": _vocabulary(
        "outward code, area", _read_british_code,
        means=_PLACE, names="postcode", sign=r"[A-Za-z]{1,2}\d\w? ?\d[A-Za-z]{2}"),
    "nl-postal": _vocabulary(
        "four digits, two digits, zone", _read_dutch_code,
        means=_PLACE, names="postcode", sign=r"\d{4} ?[A-Za-z]{2}", width=6),
}  # fmt: skip


@cache
def vocabularies() -> dict[str, Vocabulary]:
    """Every vocabulary by its name; each scale of words is one, called after its language as well."""
    scales = {
        scale: _vocabulary("neighbours", partial(_look_up_in, words), sign=".+", ordered=True)
        for scale, words in _scales().items()
    }
    return _TABLE | scales
