"""Codebooks of files with labels: what each code means, and which codes the words of a release get.

A codebook is public where people wrote it (a questionnaire), and built where a program numbered the values of the rows.
A public one is kept: a value that is published as it is has its own code, and so has each code that means no value.
Groups and ranges get codes that it does not hold. Of a built one gaps would tell of people who were left out: all
words are numbered anew, from `FIRST`, so that no new code is taken for an old one.

Codes are named as their cells are written: `1`, `2.5`, `M`. Stata's missing codes are `.a` to `.z`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from math import factorial, inf, isfinite, prod
from typing import Any

from shoal.base.discreet import SafeRepr

__all__ = [
    "CODEBOOKS",
    "FIRST",
    "NO_BOOKS",
    "Codebook",
    "Numbering",
    "codebooks_of",
    "columns_numbered_by_program",
    "number_words",
]

CODEBOOKS = ("public", "built")
"""What a codebook may be: written by people, or made by a program from the rows."""
FIRST = 1001
"""The first code that a word gets which has none of its own."""

_FACTS = {"labels", "missing", "stated", "text", "blank"}
_TO = " to "
_ENDS = {"lowest": -inf, "highest": inf}
_LETTER = re.compile(r"\.[a-z]")
_LETTERS = 26
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?")
_SUFFIXED = re.compile(r"(.+) \((.+)\)", re.S)
_LARGEST = {"sav": 2.0**53, "zsav": 2.0**53, "dta": 2.0**31 - 28}  # codes that a label can have lie below
_BY_CHANCE = 1 / 6
"""Labels that are in alphabetical order with a greater chance than this are no sign of a program."""


@dataclass(frozen=True, repr=False)
class Codebook(SafeRepr):
    """What the codes of one column mean.

    labels  : by code its label, in the order of the codes
    missing : codes that the file declares to mean no value, each alone or as "97 to 99"
    stated  : codes whose label, or which themselves, the configuration takes for no value
    text    : whether codes are texts
    blank   : the word that a released column has where nothing is told; an empty text where it has empty cells
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    text: bool = False
    blank: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The codebook as a manifest has it; what is empty is left out."""
        facts = {
            "labels": dict(self.labels),
            "missing": list(self.missing),
            "stated": list(self.stated),
            "text": self.text,
            "blank": self.blank,
        }
        return {key: value for key, value in facts.items() if value}

    @classmethod
    def from_dict(cls, facts: object) -> "Codebook | None":
        """The codebook in a manifest, which may be anyone's; None where it is none.

        >>> book = Codebook({"1": "flu", "99": "refused"}, ("99",))
        >>> Codebook.from_dict(book.as_dict()) == book, Codebook.from_dict({"labels": {"one": "flu"}})
        (True, None)
        """
        if not isinstance(facts, dict) or not facts.keys() <= _FACTS:
            return None
        labels, text, blank = facts.get("labels", {}), facts.get("text", False), facts.get("blank", "")
        lists = facts.get("missing", []), facts.get("stated", [])
        if not isinstance(labels, dict) or not isinstance(text, bool) or not isinstance(blank, str):
            return None
        if not all(
            isinstance(codes, list) and all(isinstance(code, str) for code in codes) for codes in lists
        ):
            return None
        if not all(isinstance(label, str) and label == label.strip() != "" for label in labels.values()):
            return None
        missing, stated = (tuple(codes) for codes in lists)
        if text:
            is_valid = all(code != "" for code in (*labels, *missing, *stated))
        else:
            ends = [end for code in missing for end in code.split(_TO, 1)]
            is_valid = all(end in _ENDS or _is_code(end) for end in ends) and all(
                map(_is_code, (*labels, *stated))
            )
            numbers = [number for code in labels if (number := _parse_number(code)) is not None]
            is_valid = is_valid and len({*numbers}) == len(numbers)
        return cls(labels, missing, stated, text, blank) if is_valid else None

    def without_words(self) -> "Codebook":
        """The codebook of a column whose cells are codes: only missing ones have labels."""
        return replace(
            self, labels={code: label for code, label in self.labels.items() if self.is_missing(code)}
        )

    @cached_property
    def words(self) -> dict[str, str]:
        """By code the word that stands for it in cells: its label, with the code where several have this label.

        >>> Codebook({"1": "yes", "8": "other", "9": "other", "99": "refused"}, ("99",)).words
        {'1': 'yes', '8': 'other (8)', '9': 'other (9)'}
        """
        labels = {code: label for code, label in self.labels.items() if not self.is_missing(code)}
        label_counts = Counter(labels.values())
        words = {
            code: f"{label} ({code})" if label_counts[label] > 1 else label for code, label in labels.items()
        }
        if len({*words.values()}) < len(words):
            words = {code: f"{label} ({code})" for code, label in labels.items()}
        return words

    @cached_property
    def codes(self) -> dict[str, str]:
        """By word the code that it stands for."""
        return {word: code for code, word in self.words.items()}

    def word(self, code: str) -> str:
        """The word that stands for a code, which may have no label: then it is the code itself.

        >>> book = Codebook({"1": "2"})
        >>> book.word("1"), book.word("2"), book.word("3")
        ('2', '2 (2)', '3')
        """
        label = self.words.get(code)
        return label if label is not None else f"{code} ({code})" if code in self.codes else code

    def code(self, word: str) -> str | None:
        """The code that a word stands for, or could stand for if it is a code; None for what only a group is called."""
        labelled_code = self.codes.get(word)
        if labelled_code is not None:
            return labelled_code
        suffixed = _SUFFIXED.fullmatch(word)
        code = suffixed[1] if suffixed and suffixed[1] == suffixed[2] and suffixed[1] in self.codes else word
        is_unlabelled = code not in self.words and not self.means_nothing(code)
        return code if is_unlabelled and self.word(code) == word else None

    def stated_codes(self, words: Sequence[str]) -> dict[str, str]:
        """By word the code behind it, of words that somebody takes for no value; texts without labels stay texts."""
        codes = {word: self.code(word) for word in words}
        return {
            word: code
            for word, code in codes.items()
            if code is not None
            and (code in self.labels or (not self.text and _parse_number(code) is not None))
        }

    def is_missing(self, code: str) -> bool:
        """Whether the file declares that a code means no value."""
        if self.text:
            return code in self.missing
        if _LETTER.fullmatch(code):
            return True
        number = _parse_number(code)
        return number is not None and self.declares(number)

    def declares(self, number: float) -> bool:
        """Whether a number is one that the file declares to mean no value."""
        return any(low <= number <= high for low, high in self.ranges)

    def means_nothing(self, code: str) -> bool:
        """Whether a code means no value, by the file or by the configuration."""
        return code in self.stated or self.is_missing(code)

    @cached_property
    def ranges(self) -> list[tuple[float, float]]:
        """The numbers that the file declares to mean no value, from the least to the largest of each range."""
        ranges = []
        for code in () if self.text else self.missing:
            low, _, high = code.partition(_TO)
            ends = [_ENDS.get(end, _parse_number(end)) for end in (low, high or low)]
            if ends[0] is not None and ends[1] is not None:
                ranges.append((ends[0], ends[1]))
        return ranges

    @cached_property
    def highest(self) -> float:
        """The largest size of all its numbers."""
        numbers = [_parse_number(code) for code in (*self.labels, *self.stated) if not self.text]
        ends = [end for pair in self.ranges for end in pair if isfinite(end)]
        return max((abs(number) for number in (*numbers, *ends) if number is not None), default=0.0)

    @cached_property
    def letters(self) -> dict[str, str]:
        """Stata's missing code for each number that means no value and is declared alone, or has a label.

        >>> Codebook({"98": "don't know", "97": "refused"}, ("97 to 99", "-1")).letters
        {'-1': '.a', '97': '.b', '98': '.c'}
        """
        number_of_code = {code: _parse_number(code) for code in (*self.missing, *self.labels)}
        numbers = {
            code: number
            for code, number in number_of_code.items()
            if number is not None and self.declares(number)
        }
        declared = sorted(numbers, key=lambda code: numbers[code])
        return {code: f".{chr(ord('a') + index)}" for index, code in enumerate(declared[:_LETTERS])}

    @property
    def is_alphabetical(self) -> bool:
        """Whether its labels are numbered 1, 2, ... in alphabetical order, as programs number the values of rows.

        Programs know nothing of missing codes.
        """
        labels = list(self.labels.values())
        numbered = list(self.labels) == [str(number) for number in range(1, len(labels) + 1)]
        in_order = labels in (sorted(labels), sorted(labels, key=str.casefold))
        return bool(labels) and numbered and in_order and not self.text and not self.missing


def codebooks_of(manifest: Mapping[str, Any]) -> "dict[str, Codebook] | None":
    """The public codebooks that a manifest holds, by column; None of a release that has no word for them."""
    facts = manifest.get("codebook")
    if not isinstance(facts, dict):
        return None
    books = {name: Codebook.from_dict(book) for name, book in facts.items()}
    return {name: book for name, book in books.items() if book is not None}


NO_BOOKS: Mapping[str, Codebook] = {}
"""Of a release without a public codebook."""


def columns_numbered_by_program(books: Mapping[str, Codebook | None]) -> list[str]:
    """The columns whose labels a program may have numbered, from the values that the rows have.

    Labels of a questionnaire are in alphabetical order by chance: few of them easily, so these count only where all
    columns with labels are so.

    >>> alphabetical = Codebook({"1": "Aachen", "2": "Bonn", "3": "Celle"})
    >>> sex, marital = Codebook({"1": "female", "2": "male"}), Codebook({"1": "single", "2": "married"})
    >>> columns_numbered_by_program({"town": alphabetical, "sex": sex, "marital": marital})
    ['town']
    """
    labelled = {name: book for name, book in books.items() if book is not None and book.words}
    alphabetical = {
        name: 1 / factorial(min(len(book.words), 20))
        for name, book in labelled.items()
        if book.is_alphabetical
    }
    everywhere = len(alphabetical) == len(labelled) and prod(alphabetical.values()) <= _BY_CHANCE
    return [name for name, chance in alphabetical.items() if everywhere or chance <= _BY_CHANCE]


@dataclass(frozen=True, slots=True, repr=False)
class Numbering(SafeRepr):
    """How one released column is coded in a file.

    codes   : by word the number or text that is written for it
    labels  : by what is written, its label
    missing : by missing code what is written for it: a number, a text, or one of Stata's letters
    ranges  : what the file declares to mean no value
    """

    codes: Mapping[str, float | str]
    labels: Mapping[float | str, str]
    missing: Mapping[str, float | str] = field(default_factory=dict)
    ranges: tuple[tuple[float, float] | str, ...] = ()


def number_words(
    words: Sequence[str],
    book: Codebook | None,
    missing: Sequence[str],
    format: str,
    numbers: Mapping[str, float],
    first: int = FIRST,
) -> Numbering | None:
    """Code the words of a released column; None where a file of this format cannot hold their codes.

    Parameters
    ----------
    words
        Those that occur, in the order in which groups are to be numbered.
    book
        The column's codebook where it is public; without one all words are numbered from `first`.
    missing
        The missing codes that occur.
    numbers
        Those of the words, with or without a code behind them, that are numbers.

    Examples
    --------
    >>> book = Codebook({"1": "flu", "4": "HIV", "5": "none", "99": "refused"}, ("99",))
    >>> made = number_words(["HIV", "none", "flu or gout"], book, ["99"], "sav", {})
    >>> made.codes, made.labels[99.0]
    ({'HIV': 4.0, 'none': 5.0, 'flu or gout': 1001.0}, 'refused')
    """
    if book is None:
        codes: dict[str, float | str] = {word: float(code) for code, word in enumerate(words, start=first)}
        return Numbering(codes, {code: word for word, code in codes.items()})
    if book.text:
        return _number_texts(words, book, missing, format)
    return _number_numbers(words, book, missing, format, numbers)


def _number_numbers(
    words: Sequence[str], book: Codebook, missing: Sequence[str], format: str, numbers: Mapping[str, float]
) -> Numbering | None:
    codes: dict[str, float | str] = {}
    labels: dict[float | str, str] = {}
    groups = []
    for word in words:
        code = book.code(word)
        number = None if code is None else _parse_number(code) if code in book.labels else numbers.get(code)
        if code is None or number is None:
            groups.append(word)
            continue
        codes[word] = number
        if code in book.labels:
            labels[number] = book.labels[code]
    has_letters = any(_LETTER.fullmatch(code) for code in (*missing, *book.labels))
    sizes = [abs(number) for number in codes.values() if isinstance(number, float)]
    base = _find_base(max([book.highest, *sizes]))
    if base is None and (groups or has_letters):
        return None
    base = base or 0.0
    new_codes = dict(zip(groups, _generate_codes(base, book), strict=False))
    codes |= new_codes
    labels |= {code: word for word, code in new_codes.items()}
    candidate_codes = {code: _encode_missing_code(code, book, format, base) for code in missing}
    file_codes = {code: number for code, number in candidate_codes.items() if number is not None}
    labels |= {file_codes[code]: book.labels[code] for code in file_codes if code in book.labels}
    ranges = [*book.ranges, *([(-(base + _LETTERS), -(base + 1.0))] if has_letters else [])]
    numbering = Numbering(codes, labels, file_codes, () if format == "dta" else tuple(ranges))
    return numbering if all(_can_have_label(code, format) for code in labels) else None


def _number_texts(
    words: Sequence[str], book: Codebook, missing: Sequence[str], format: str
) -> Numbering | None:
    """Texts stay what they are, also those of groups; a group that is called as a code gets a text of its own."""
    if book.labels and format == "dta":
        return None  # Stata's texts have no labels
    code_of_word = {word: book.code(word) for word in words}
    used_codes = {*book.labels, *book.missing, *code_of_word.values()}
    free_codes = (text for number in count(1) if (text := f"g{number}") not in used_codes)
    codes: dict[str, float | str] = {
        word: code if code is not None else next(free_codes) for word, code in code_of_word.items()
    }
    labels: dict[float | str, str] = {
        codes[word]: word if code is None else book.labels[code]
        for word, code in code_of_word.items()
        if code is None or code in book.labels
    }
    labels |= {code: book.labels[code] for code in missing if code in book.labels}
    return Numbering(codes, labels, {code: code for code in missing}, () if format == "dta" else book.missing)


def _find_base(highest: float) -> float | None:
    """A power of ten above all numbers; None where they are too large to count beyond them."""
    return None if highest >= _LARGEST["sav"] else max(FIRST - 1.0, 10.0 ** len(str(int(highest))))


def _generate_codes(base: float, book: Codebook) -> Iterator[float]:
    """Codes above `base` that mean no missing value; below all codes where everything above means none."""
    sign = -1.0 if any(high == inf for _, high in book.ranges) else 1.0
    return (code for number in count(1) if not book.declares(code := sign * (base + number)))


def _encode_missing_code(code: str, book: Codebook, format: str, base: float) -> float | str | None:
    """What a file has for a missing code; None where it has nothing for it."""
    if _LETTER.fullmatch(code):
        return code[1] if format == "dta" else -(base + 1.0 + ord(code[1]) - ord("a"))
    if format == "dta" and code not in book.stated:
        letter = book.letters.get(code)
        return None if letter is None else letter[1]
    return _parse_number(code)


def _can_have_label(code: float | str, format: str) -> bool:
    if isinstance(code, str):
        return True
    return abs(code) < _LARGEST[format] and (format != "dta" or code.is_integer())


def _is_code(code: str) -> bool:
    """Whether a text names a number, or one of Stata's missing codes."""
    return _LETTER.fullmatch(code) is not None or _parse_number(code) is not None


def _parse_number(code: str) -> float | None:
    """The number that a code names; None where it names none."""
    number = float(code) if _NUMBER.fullmatch(code) else inf
    return number if isfinite(number) else None
