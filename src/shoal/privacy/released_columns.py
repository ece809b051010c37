"""What the cells of a released column can be: how they are written first, what the column is called second.

Presets ask here. A form is a way to write something (a date, a telephone number, a postal code); the table
safe_harbor.toml lists all of them, each with the share of a column's values from which it is certain, and the share
from which it is possible. A column's name counts where a form is weak: a wage of ten digits is no telephone number.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from math import inf
from random import Random
from typing import Any

from shoal.base.naming import resource_table
from shoal.data.column_names import match_column_name, split_words, strip_accents
from shoal.hierarchy.column_values import parse_number, parse_number_and_side
from shoal.hierarchy.vocabularies import suggest_vocabularies, vocabularies, vocabulary_file

__all__ = [
    "ReleasedColumn",
    "Span",
    "WrittenForm",
    "calendar_pattern",
    "find_spans",
    "is_calendar",
    "list_ages",
    "list_forms",
    "preset_table",
]

Span = tuple[float, float]
"""From which number to below which a value goes; whole numbers are meant, so that 89 goes from 89 to below 90."""


def preset_table() -> dict[str, Any]:
    """The file of words and forms."""
    return resource_table("shoal.privacy", "safe_harbor.toml")


_UNSEEN = ("Cc", "Cf", "Mn", "Co")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−﹣", "-"))
_INTERVAL = re.compile(r"[\[(]\s*(\S[^,]*?)\s*,\s*(\S[^,]*?)\s*[\])]")
_COMPARED = re.compile(r"(?:>=|<=|=>|=<|[<>≤≥])\s*")
_WHOLE = re.compile(r"([+-]?\d+)\.0*")
_EXPONENT = re.compile(r"[+-]?\d+(?:\.\d+)?[eE]\+?\d{1,2}")
_LETTERS, _DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")
_NUMBER = re.compile(r"-?(?:\d{1,11}|\d{1,15}\.\d{1,20})")
_SAMPLE = 1000  # values
_HAN = re.compile(r"[\u3400-\u9fff]")


def _plain_text(text: str) -> str:
    r"""A text as its reader sees it: one form of each sign, one dash, single blanks, nothing that is not seen.

    >>> _plain_text("２０２４–05\u200b-17 "), _plain_text("Año")
    ('2024-05-17', 'Año')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    if not text.isprintable():
        text = "".join(sign for sign in text if sign.isspace() or unicodedata.category(sign) not in _UNSEEN)
    return " ".join(text.split())


def _list_named_values(text: str) -> list[str]:
    """The values that a label names: members of a list, ends of a range, or the text itself; whole numbers as such.

    >>> _list_named_values("[20240101, 20240201)"), _list_named_values('["a", "b"]')
    (['20240101', '20240201'], ['a', 'b'])
    >>> _list_named_values("36.0"), _list_named_values("x y")
    (['36'], ['x y'])
    """
    if text.startswith('["'):
        try:
            members = json.loads(text)
        except ValueError:
            members = [text]
        return [str(member) for member in members]
    interval = _INTERVAL.fullmatch(text)
    ends = list(interval.groups()) if interval else [_COMPARED.sub("", text, count=1)]
    return [_trim_whole_number(end) for end in ends]


def _trim_whole_number(text: str) -> str:
    """A whole number without a point and an exponent; other texts as they are."""
    pointed = _WHOLE.fullmatch(text)
    if pointed is not None:
        return pointed[1]
    read = parse_number(text) if _EXPONENT.fullmatch(text) else None
    return text if read is None or read != read.to_integral_value() else f"{read:f}".partition(".")[0]


@dataclass(frozen=True)
class ReleasedColumn:
    """A released column, or field of record trees: its name, its role, and how often each of its texts occurs."""

    name: str
    role: str | None
    cells: Mapping[str, int]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Its different texts that tell something, as their reader sees them."""
        plain_texts = dict.fromkeys(map(_plain_text, self.cells))
        return tuple(text for text in plain_texts if text and not _tells_nothing(text))

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The different values that its texts name."""
        return tuple(dict.fromkeys(value for text in self.texts for value in _list_named_values(text)))

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The spans of all numbers in its texts."""
        return tuple(dict.fromkeys(span for text in self.texts for span in find_spans(text)))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words of its name, in small letters and without accents."""
        return tuple(split_words(self.name))

    @cached_property
    def concept(self) -> str:
        """What its name means by words.toml of `shoal.data`; empty where it does not tell."""
        match = match_column_name(self.name)
        return "" if match is None else match.what

    def is_called(self, words: Sequence[str]) -> bool:
        """Whether one of some words, or of some words in a row, stands in its name; long ones also end a word of it.

        >>> month = ["month", "monat", "day of week"]
        >>> [ReleasedColumn(name, None, {}).is_called(month) for name in ("admitMonth", "Aufnahmemonat", "monthly")]
        [True, True, False]
        """
        spaced, joined = f" {' '.join(self.words)} ", "".join(self.words)
        return any(
            f" {word} " in spaced
            or joined == word.replace(" ", "")
            or (len(word) > 4 and any(part.endswith(word) for part in self.words))
            or (_HAN.match(word) is not None and word in joined)
            for word in words
        )

    @cached_property
    def is_explained(self) -> bool:
        """Whether its name says what it holds, and that is a measure, an amount, a diagnosis or the like."""
        names = preset_table()["explained"]
        if self.concept:
            return self.concept in names["concepts"]
        return self.is_called(names["words"])

    @cached_property
    def is_listed(self) -> bool:
        """Whether its words are of a public list: countries, states, levels of education, answers of a scale."""
        spelled = [text for text in self.texts if _LETTERS.search(text)]
        listed = [name for name in suggest_vocabularies(spelled, self.name) if name not in _CALENDAR]
        return bool(listed)

    @cached_property
    def holds_dates(self) -> bool:
        """Whether its values are certainly dates, so that their digits are of no other kind."""
        return any(form.verdict(self) == "certain" for form in list_forms("dates"))

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """Some of its values, always the same ones, that show which forms are worth trying on all."""
        is_small = len(self.values) <= _SAMPLE
        return self.values if is_small else tuple(Random(_SAMPLE).sample(sorted(self.values), _SAMPLE))

    @cached_property
    def texts_with_digits(self) -> tuple[str, ...]:
        """Its texts in which something may stand that has a digit: all but short numbers and mere words."""
        return tuple(text for text in self.texts if _DIGIT.search(text) and not _NUMBER.fullmatch(text))


_CALENDAR = ("months", "weekdays", "nuts", "uk-postal", "nl-postal")


def _tells_nothing(text: str) -> bool:
    nothing = preset_table()["nothing"]
    small = text.casefold()
    return (
        small in _empty_words()
        or small.startswith(tuple(nothing["beginnings"]))
        or not small.strip("*?.-_/ ")
    )


@cache
def _empty_words() -> frozenset[str]:
    return frozenset(preset_table()["nothing"]["words"])


# --- forms

_SPELLED, _DAYS = 3, 4  # letters of a day that is not cut, and different days that are


@dataclass(frozen=True, slots=True, eq=False)
class WrittenForm:
    """One way to write something; the table says what each field means."""

    rule: str
    what: str
    regex: re.Pattern[str]
    whole: bool
    certain: float
    possible: float
    least: int
    explained: bool
    digits: bool

    def verdict(self, column: ReleasedColumn) -> str:
        """`certain`, `possible`, or nothing: whether a column holds what is written so."""
        if self.explained and self._is_explained(column):
            return ""
        share = self._share(column) if len(column.values) >= self.least else 0
        if share == 0:
            return ""
        if share >= self.certain:
            return "certain"
        return "possible" if share >= self.possible else ""

    def _is_explained(self, column: ReleasedColumn) -> bool:
        """Whether a column's name, or that it holds dates, says that such values are something else."""
        if column.is_explained or column.role == "items":
            return True
        if self.rule == "places":
            return column.holds_dates
        means_little = column.concept in preset_table()["explained"]["open"]
        return self.rule != "dates" and (column.holds_dates or not means_little)

    def _share(self, column: ReleasedColumn) -> float:
        """The share of the different values that are written so, or of the texts in which this stands."""
        if not self.whole:
            texts = column.texts_with_digits if self.digits else column.texts
            return sum(map(bool, map(self.regex.search, texts))) / len(column.texts)
        share = _matching_share(self.regex, column.sample)
        if len(column.sample) == len(column.values) or 2 * share < min(self.certain, self.possible):
            return share
        return _matching_share(self.regex, column.values)


def _matching_share(regex: re.Pattern[str], values: Sequence[str]) -> float:
    return sum(map(bool, map(regex.fullmatch, values))) / len(values)


@cache
def list_forms(rule: str) -> tuple[WrittenForm, ...]:
    """The forms by which a rule is broken, in the order of the table."""
    pieces: dict[str, str] = {**preset_table()["pieces"], **_month_words()}
    return tuple(
        WrittenForm(
            rule,
            row["what"],
            _compile_form(row["regex"], pieces),
            row.get("whole", True),
            row.get("certain", 0.5),
            row.get("possible", 0.1),
            row.get("least", 1),
            row.get("explained", False),
            row.get("digits", False),
        )
        for row in preset_table()["form"]
        if row["rule"] == rule
    )


def _compile_form(regex: str | Sequence[str], pieces: dict[str, str]) -> re.Pattern[str]:
    """A regular expression, or several of which one must match, with the pieces that they are made of."""
    text = regex if isinstance(regex, str) else "|".join(f"(?:{alternative})" for alternative in regex)
    for name in reversed(pieces):  # a piece is made of earlier ones
        text = text.replace(f"{{{name}}}", pieces[name])
    return re.compile(text, re.IGNORECASE)


def _month_words() -> dict[str, str]:
    """Names of months: those that mean a month beside any number, and short ones that are other words, too."""
    words = {
        spelled
        for lines in vocabulary_file("calendar")["months"].values()
        for line in lines
        for word in line.split(" | ")
        for spelled in (word, strip_accents(word))
        if not any(map(str.isdigit, word))
    }
    english = set("jan feb mar apr may jun jul aug sep sept oct nov dec".split())
    sure = {word for word in words if len(word) > 3 or word in english or _HAN.match(word)}
    return {"MONTHNAME": _alternatives(sure), "MONTHSHORT": _alternatives(words)}


def _alternatives(words: Iterable[str]) -> str:
    return "(?:" + "|".join(map(re.escape, sorted(words, key=len, reverse=True))) + ")"


@cache
def calendar_pattern() -> re.Pattern[str]:
    """A month or a day of the week among other words."""
    days = {
        word
        for lines in vocabulary_file("calendar")["weekdays"].values()
        for line in lines
        for word in line.split(" | ")
        if len(word) > 3 or _HAN.match(word)
    }
    short = "mon tue wed thu fri sat sun".split()
    words = [_month_words()["MONTHNAME"], _alternatives(days), _alternatives(short)]
    return re.compile(rf"(?<![^\W\d_])(?:{'|'.join(words)})(?![^\W\d_])", re.IGNORECASE)


def is_calendar(column: ReleasedColumn) -> bool:
    """Whether the words of a column are months or days of the week, and nothing else."""
    spelled = [text for text in column.values if _LETTERS.search(text)]
    if all(len(text) < _SPELLED and text.isascii() for text in spelled) and len(spelled) < _DAYS:
        return False  # Mo and Di are days, MA and MI are states
    return any(all(vocabularies()[name].read(text) for text in spelled) for name in ("months", "weekdays"))


# --- numbers in labels

_ATOM = re.compile(
    r"[\[(]\s*(?P<low>-?\d+(?:\.\d+)?)\s*,\s*(?P<high>\d+(?:\.\d+)?)\s*(?P<end>[\])])"
    r"|(?P<sign>>=|=>|≥|>|<=|=<|≤|<)\s*(?P<bound>\d+(?:\.\d+)?)"
    r"|(?P<over>\d+)\s*\+"
    r"|(?P<from>\d+)\s*(?:-|~|to|until|bis zu|bis|jusqu'à|à|hasta|a|fino a|tot|至|到)\s*(?P<until>\d+)"
    r"|(?P<decade>\d{3}0)'?s\b"
    r"|(?P<one>(?<![\w.])-\d+(?:\.\d+)?|\d+(?:\.\d+)?)"
)
_OPENED = (
    (re.compile(r"\b(?:older|elder|more) than\b|\bälter als\b|\bplus âgés? de\b|\bmayor(?:es)? de\b"), ">"),
    (re.compile(r"\b(?:younger|less) than\b|\bjünger als\b|\bmenor(?:es)? de\b"), "<"),
)


def find_spans(text: str) -> list[Span]:
    """From where to below where the numbers of a label go.

    >>> find_spans("[85, 90)"), find_spans(">= 90"), find_spans("90 and over"), find_spans("85-89"), find_spans("1930s")
    ([(85.0, 90.0)], [(90.0, inf)], [(90.0, inf)], [(85.0, 90.0)], [(1930.0, 1940.0)])
    >>> find_spans("< 5"), find_spans("89.67"), find_spans("before 1937"), find_spans("90 years and over")
    ([(-inf, 5.0)], [(89.67, 90.67)], [(1937.0, 1938.0)], [(90.0, inf)])
    """
    if _NUMBER.fullmatch(text):
        return [(float(text), float(text) + 1)]
    if not _DIGIT.search(text):
        return []
    text = " ".join(_age_word_pattern().sub("", _unit_pattern().sub(" ", text.casefold())).split())
    for pattern, sign in _OPENED:
        text = pattern.sub(sign, text)
    ended = parse_number_and_side(text)
    if ended is not None and ended[1]:
        value = float(ended[0])
        return [(value, inf) if ended[1] > 0 else (-inf, value + 1)]
    return [_span_of(atom) for atom in _ATOM.finditer(text)]


def _span_of(atom: re.Match[str]) -> Span:
    fields = {key: value for key, value in atom.groupdict().items() if value is not None}
    if "low" in fields:
        return float(fields["low"]), float(fields["high"]) + (fields["end"] == "]")
    if "sign" in fields:
        sign, bound = fields["sign"], float(fields["bound"])
        bound += sign in (">", "<=", "=<", "≤")
        return (bound, inf) if sign in (">=", "=>", "≥", ">") else (-inf, bound)
    if "over" in fields:
        return float(fields["over"]), inf
    if "from" in fields:
        return float(fields["from"]), float(fields["until"]) + 1
    if "decade" in fields:
        return float(fields["decade"]), float(fields["decade"]) + 10
    return float(fields["one"]), float(fields["one"]) + 1


@cache
def _unit_pattern() -> re.Pattern[str]:
    """Units of age behind a number, and words that say no more than that it is one; the group names the unit."""
    units: Mapping[str, Sequence[str]] = preset_table()["ages"]["units"]
    named = "|".join(f"(?P<{unit}>{_alternatives(words)})" for unit, words in units.items())
    return re.compile(rf"(?<=\d)[ -]?(?:{named})(?![a-zà-ÿ])\.?(?:[ -]?(?:old|alt|of age)\b)?", re.IGNORECASE)


@cache
def _age_word_pattern() -> re.Pattern[str]:
    """A word for age before a number."""
    words = _alternatives(
        word for word in preset_table()["ages"]["words"] if len(word) > 2 or _HAN.match(word)
    )
    return re.compile(rf"(?<![^\W\d_]){words}(?![^\W\d_])[:=]? ?(?=\d|[<>≤≥])", re.IGNORECASE)


_COUNTED = 40  # signs between a number and what counts it


def list_ages(text: str) -> Iterator[tuple[Decimal, str]]:
    """The numbers of a text behind which a unit of age stands, each with the unit, and those behind a word for age.

    >>> list(list_ages("92-year-old, 1092 months")), list(list_ages("92 kg")), list(list_ages("aged 92"))
    ([(Decimal('92'), 'year'), (Decimal('1092'), 'month')], [], [(Decimal('92'), 'year')])
    """
    if not _LETTERS.search(text):
        return
    for aged in _age_word_pattern().finditer(text):
        behind = re.match(r"\d+(?:\.\d+)?", text[aged.end() : aged.end() + _COUNTED])
        if behind is not None:
            yield Decimal(behind[0]), "year"
    for match in _unit_pattern().finditer(text):
        before = re.search(r"\d+(?:\.\d+)?$", text[max(0, match.start() - _COUNTED) : match.start()])
        unit = next(unit for unit, word in match.groupdict().items() if word is not None)
        if before is not None:
            yield Decimal(before[0]), unit
