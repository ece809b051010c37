"""What stands for no value in unknown data, and how its numbers and dates are meant, each with the evidence for it."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.base.discreet import SafeRepr
from shoal.base.naming import resource_table
from shoal.data import Trees
from shoal.data.arrays import F8
from shoal.hierarchy.suggest import kind_of
from shoal.hierarchy.vocabularies import vocabularies
from shoal.io.read.cells import cell_texts
from shoal.io.read.notation import ORDERS, Notation, Votes
from shoal.io.read.source import Source
from shoal.io.read.writings import read_writing
from shoal.proposal.detectors import YES_NO

__all__ = ["DetectedNotation", "detect_notation", "detect_tree_notation", "is_unreadable"]

_SAMPLE_CELLS = 20_000  # different cells of a column that show how it is written
_SAMPLE_OTHERS = 2000  # of the others that show whether they are numbers
_MIN_NUMBER_SHARE = 0.5  # of the cells of a column of numbers are some
_FAR_GAP = 0.5  # of the range of the others lies between them and a code that one column has
_NEAR_GAP = 0.1  # likewise, where several columns have it
_ZERO_GAP = 2  # ranges of the others lie between them and a nought that means nothing
_MIN_NUMBERS = 20  # beside a code
_MIN_AMOUNTS = 3  # different numbers of a column with a code
_INITIALS = re.compile(r"^(?:[A-ZÄÖÜ]\.\s?){1,3}$")
_ELEMENT = re.compile(r"[A-Z][a-z]?")  # Na beside K and Cl
_WORD_FORMS = (_INITIALS, re.compile(r"[A-Z]{2,4}"), re.compile(r"[a-z]{2,4}"), _ELEMENT)
"""How short words are written that may be codes; letters of another case, or another number of them, are none."""
_FORMS_OF_ANY_LENGTH = (_INITIALS, _ELEMENT)
_MIN_ALIKE, _MIN_ALIKE_SHARE = (
    2,
    0.9,
)  # other values that are written as a word is, and what share of all others
_MAX_MISSING_SHARE = 0.1  # of the cells say that somebody gave no answer
_MIN_ANSWERS = 4  # different ones beside one that is none
_MAX_WORDS = 8  # different cells beside numbers
_OFTEN = 5  # times as often as nearly all others: a number that is no number
_DIGITS = "^[0-9]{4,9}$"
_MIN_DATE_MAJORITY = 20  # times as many dates show one order as the other


@dataclass(frozen=True, slots=True, repr=False)
class DetectedNotation(SafeRepr):
    """The texts that mean no value, the notation of the file, and for each key of [data] why.

    `own` are the texts that mean no value in one column alone, and `doubts` what is open of a column. `counts` are, of
    each column of a table, its different other cells as text, in order, and how often each stands there.
    """

    missing: tuple[str, ...]
    notation: Notation
    evidence: dict[str, str] = field(default_factory=dict)
    doubts: dict[str, str] = field(default_factory=dict)
    own: dict[str, tuple[str, ...]] = field(default_factory=dict)
    counts: dict[str, pl.DataFrame] = field(default_factory=dict)


def detect_notation(source: Source) -> DetectedNotation:
    """Find out which texts mean no value, which sign stands before decimals, and whether days come first.

    >>> ages = pl.DataFrame({"age": ["31", "-99", "47", "n/a", "-99"] * 9 + [str(age) for age in range(18, 60)]})
    >>> found = detect_notation(Source(ages))
    >>> found.missing, found.evidence["missing"]
    (('', 'n/a', '-99'), 'n/a: words for no value; -99: far from all other numbers of age, and repeated')
    """
    counts = {
        cells.name: cell_texts(cells).rename("cell").drop_nulls().value_counts(name="times").sort("cell")
        for cells in source.frame
        if not is_unreadable(cells)
    }
    columns = {
        name: counts[name]
        for name, kind in source.frame.schema.items()
        if kind == pl.String or kind.is_numeric() or isinstance(kind, pl.Enum)
    }
    labelled = [name for name in columns if isinstance(source.frame.schema[name], pl.Enum)]
    texts = [name for name in columns if source.frame.schema[name] == pl.String]
    detection = _detect_from_counts(columns, [*texts, *labelled], labelled)
    own_counts = {
        name: counts[name].filter(~pl.col("cell").is_in(gone)) for name, gone in detection.own.items()
    }
    return replace(detection, counts=counts | own_counts)


def is_unreadable(cells: pl.Series) -> bool:
    """Whether cells are no single values that can be written as text."""
    return cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object)


def detect_tree_notation(trees: Trees) -> DetectedNotation:
    """The same of record trees whose values are as they were written; a text means no value in all fields or in none.

    >>> ages = ["31", "-99", "47", "n/a", "-99"] * 9 + [str(age) for age in range(18, 60)]
    >>> detect_tree_notation(Trees.of([[("age", age)] for age in ages])).missing
    ('', 'n/a', '-99')
    """
    times = np.bincount(trees.items, minlength=len(trees.values))
    columns = {}
    for kind, name in enumerate(trees.classes):
        items_of_kind = np.flatnonzero(trees.kinds == kind)
        cells = pl.Series("cell", [trees.values[item] for item in items_of_kind.tolist()], dtype=pl.String)
        columns[name] = pl.DataFrame({"cell": cells, "times": times[items_of_kind].astype(np.uint32)}).sort(
            "cell"
        )
    return replace(_detect_from_counts(columns, list(columns)), own={})


def _detect_from_counts(
    columns: dict[str, pl.DataFrame], text_columns: Sequence[str], labelled: Collection[str] = ()
) -> DetectedNotation:
    """What the different cells of columns show, and how often each stands there.

    Those of `labelled` columns, which are among the columns of texts, are labels that a file gives to codes.
    """
    texts = {name: columns[name] for name in text_columns}
    words = _find_missing_words(texts, labelled)
    lone_words = {
        word: grounds
        for word, grounds in _find_words_among_numbers(texts).items()
        if word not in words.everywhere
    }
    codes = _find_missing_codes(columns)
    missing = ("", *(word for word in words.everywhere if word), *lone_words, *codes.everywhere)
    notation = _vote_notation(texts, missing)

    evidence = {}
    why = [f"{text}: {grounds}" for text, grounds in {**lone_words, **codes.everywhere}.items()]
    if any(words.everywhere):
        word_list = ", ".join(word if word.strip() else "blanks" for word in words.everywhere if word)
        why = [f"{word_list}: words for no value", *why]
    if why:
        evidence["missing"] = "; ".join(why)
    missing_of_column = words.of_column
    for name, extra in (*codes.of_column.items(), *_find_zero_codes(texts)):
        missing_of_column.setdefault(name, []).extend(extra)
    return DetectedNotation(
        missing,
        notation.notation,
        evidence | notation.evidence,
        codes.doubts,
        {name: tuple(extra) for name, extra in missing_of_column.items()},
    )


# --- words


@cache
def _load_word_lists() -> dict[str, frozenset[Any]]:
    """Words that may mean no value, by when they do, and numbers that may, as `codes`."""
    table = resource_table("shoal.proposal", "missing.toml")
    return {name: frozenset(words) for name, words in table.items()}


class _MissingWords(NamedTuple):
    """Texts that stand for a missing cell.

    everywhere : in the file
    of_column  : by column, those that do so there and are values in another
    """

    everywhere: list[str]
    of_column: dict[str, list[str]]


def _find_missing_words(columns: Mapping[str, pl.DataFrame], labelled: Collection[str]) -> _MissingWords:
    """Find the words for no value; those that need the other cells of a column to say so come last."""
    columns_of_word: dict[str, list[str]] = {}  # in which it means no value
    values: set[str] = set()
    late: set[str] = set()
    for name, counts in columns.items():
        column = _WordColumn(counts, is_labelled=name in labelled)
        for word in column.list_words():
            reason = column.find_reason(word)
            if reason is None:
                values.add(word.cell)
                continue
            columns_of_word.setdefault(word.cell, []).append(name)
            if reason is _MissingReason.ANSWERS:
                late.add(word.cell)
    everywhere = [cell for cell in columns_of_word if cell not in values]
    of_column: dict[str, list[str]] = {}
    for cell, names in columns_of_word.items():
        for name in names if cell in values else ():
            of_column.setdefault(name, []).append(cell)
    return _MissingWords(sorted(everywhere, key=lambda cell: cell in late), of_column)


class _MissingReason(Enum):
    """Why a word means no value: it always does, no sign beside it is a value, or the other answers show it."""

    ALWAYS = auto()
    SIGN = auto()
    ANSWERS = auto()


class _KnownWord(NamedTuple):
    """A word that may mean no value: as it is written, in lower case without blanks, and how often it stands there."""

    cell: str
    folded: str
    times: int


class _WordColumn:
    """The different cells of a column, among which words may stand for no value."""

    def __init__(self, counts: pl.DataFrame, *, is_labelled: bool) -> None:
        self._lists = _load_word_lists()
        listed = [word for name, words in self._lists.items() for word in words if name != "codes"]
        self._cells, self._times, self._is_labelled = counts["cell"], counts["times"], is_labelled
        self._folded = self._cells.str.strip_chars().str.to_lowercase()
        self._is_known = self._folded.is_in(listed)

    def list_words(self) -> Iterator[_KnownWord]:
        """The words that may mean no value."""
        columns = (self._cells, self._folded, self._times)
        return map(_KnownWord, *(column.filter(self._is_known) for column in columns))

    def find_reason(self, word: _KnownWord) -> _MissingReason | None:
        """Why a word means no value here; None where it is a value like the others.

        Some always mean none, others where all else is numbers or dates, where they are few among many other words, or
        where they are the label of a code.
        """
        if _explains(self._cells, self._is_known, word.cell):
            return None
        if word.folded in self._lists["always"]:
            return _MissingReason.ALWAYS
        if word.folded in self._lists["signs"]:
            has_signs = self._others.str.contains(r"^[^\w\s]{1,2}$").any()  # as + beside -
            return None if has_signs else _MissingReason.SIGN
        is_refusal = word.folded in self._lists["refusals"] and (
            self._is_labelled or self._is_rare(word.times)
        )
        return _MissingReason.ANSWERS if is_refusal or _are_measured(self._others) else None

    @cached_property
    def _others(self) -> pl.Series:
        return self._cells.filter(~self._is_known)

    def _is_rare(self, times: int) -> bool:
        """Whether a word is a small share of the cells, and there are answers enough beside it."""
        may_be_answer = self._lists["among_numbers"] - self._lists["refusals"]
        answer_count = int((~self._is_known | self._folded.is_in(may_be_answer)).sum())
        return times <= _MAX_MISSING_SHARE * int(self._times.sum()) and answer_count >= _MIN_ANSWERS


def _are_measured(cells: pl.Series) -> bool:
    """Whether cells are numbers or dates."""
    sample = cells.head(_SAMPLE_OTHERS)
    is_measured = len(sample) and kind_of(sample.to_list()).name in ("number", "date")
    return bool(is_measured or read_writing(sample).kind)


def _find_words_among_numbers(columns: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Words that are in no list, but in several columns the only cells beside numbers, with the evidence."""
    lone_words = filter(None, map(_find_lone_word, columns.values()))
    return {
        word: f"the only word among the numbers of {column_count} columns"
        for word, column_count in Counter(lone_words).items()
        if column_count > 1
    }


def _find_lone_word(counts: pl.DataFrame) -> str | None:
    """The only text beside the numbers of a column, if it is rare; words that always mean no value are not counted."""
    sample = counts["cell"].gather_every(max(1, counts.height // _SAMPLE_OTHERS))
    if int((~_are_numbers(sample)).sum()) > _MAX_WORDS:
        return None
    is_number = _are_numbers(counts["cell"])
    word_count = int((~is_number).sum())
    if not 0 < word_count <= _MAX_WORDS or int(counts["times"].filter(is_number).sum()) < _MIN_NUMBERS:
        return None
    texts = counts.filter(~is_number)
    folded = texts["cell"].str.strip_chars().str.to_lowercase()
    texts = texts.filter((folded != "") & ~folded.is_in(_load_word_lists()["always"]))
    if texts.height != 1 or texts["cell"].str.contains(r"\d").any():
        return None
    is_rare = int(texts["times"][0]) <= _MAX_MISSING_SHARE * int(counts["times"].sum())
    return str(texts["cell"][0]) if is_rare else None


def _explains(cells: pl.Series, is_known: pl.Series, cell: str) -> bool:
    """Whether the other cells of a column show that a word which may mean no value is a value like them.

    They do where they are written as it is, in letters of one case and number or as initials, and where a vocabulary
    knows it and them: NC is a state, DK a country. Words for yes and no show nothing.

    >>> states = pl.Series(["NC", "ND", "TX", "OH", "Guam"])
    >>> _explains(states, states.is_in(["NC", "ND"]), "NC")
    True
    >>> answers = pl.Series(["NO", "NR", "SI"])
    >>> _explains(answers, answers == "NR", "NR")
    False
    """
    bare = cell.strip()
    form = next((form for form in _WORD_FORMS if form.fullmatch(bare)), None)
    if form is None:
        return False
    stripped = map(str.strip, cells.filter(~is_known).head(_SAMPLE_OTHERS))
    others = [other for other in stripped if other and other.casefold() not in YES_NO]
    alike_count = sum(
        form.fullmatch(other) is not None and (form in _FORMS_OF_ANY_LENGTH or len(other) == len(bare))
        for other in others
    )
    min_alike = 1 if form is _INITIALS else _MIN_ALIKE
    if alike_count >= min_alike and alike_count >= _MIN_ALIKE_SHARE * len(others):
        return True
    return 2 * alike_count > len(others) and any(
        vocabulary.read(bare) is not None
        and sum(vocabulary.read(other) is not None for other in others) >= _MIN_ALIKE_SHARE * len(others)
        for vocabulary in vocabularies().values()
    )


# --- numbers


class _MissingCodes(NamedTuple):
    """Numbers that stand for no value.

    everywhere : as they are written in the file, with the evidence
    of_column  : by column, those that stand for no value there alone
    doubts     : by column, what is open
    """

    everywhere: dict[str, str]
    of_column: dict[str, list[str]]
    doubts: dict[str, str]


@dataclass(slots=True)
class _CodeSightings:
    """The columns in which a number may stand for no value.

    far, near : those in which a wide and a narrow gap lies between it and all others
    spellings : by column, how it is written there
    is_usual  : whether it is a number like the others in some column
    """

    far: list[str] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    spellings: dict[str, list[str]] = field(default_factory=dict)
    is_usual: bool = False


def _find_missing_codes(columns: Mapping[str, pl.DataFrame]) -> _MissingCodes:
    """Find numbers that stand for no value.

    A code lies outside the range of all others with a gap and is repeated; a narrow gap is enough where other columns
    have it too. What is a number like any other in one column is a code only in those where the gap is wide.
    """
    sightings: defaultdict[float, _CodeSightings] = defaultdict(_CodeSightings)
    codes = _MissingCodes({}, {}, {})
    for name, counts in columns.items():
        column = _NumberCounts.of(counts)
        if column is None or len(column.numbers) < _MIN_AMOUNTS:
            continue
        if _is_apart_from_nought(column):
            sightings[0.0].far.append(name)
            sightings[0.0].spellings[name] = column.spellings_of(0.0)
        for code, gap in _measure_gaps(column):
            times = column.first_times_of(code)
            if gap is None or times < 2:
                sightings[code].is_usual = True
                if len(column.times) >= _MIN_NUMBERS and times >= _OFTEN * column.usual_times():
                    codes.doubts[name] = (
                        "whether a number that occurs far more often than others means that there is no answer; if "
                        "so, list it in missing"
                    )
                continue
            (sightings[code].far if gap >= _FAR_GAP else sightings[code].near).append(name)
            sightings[code].spellings[name] = column.spellings_of(code)
    for code in sorted(sightings, key=lambda code: (abs(code), code)):
        _judge_code(code, sightings[code], codes)
    return codes


def _judge_code(code: float, sightings: _CodeSightings, codes: _MissingCodes) -> None:
    """Add to `codes` what the columns with a number show of it together."""
    names = [*sightings.far, *sightings.near]
    if code and not sightings.is_usual and (sightings.far or len(names) > 1):
        distance = "far from" if sightings.far else "apart from"
        location = names[0] if len(names) == 1 else f"{len(names)} columns"
        for name in names:
            for spelling in sightings.spellings[name]:
                codes.everywhere[spelling] = f"{distance} all other numbers of {location}, and repeated"
        return
    for name in sightings.far:
        codes.of_column.setdefault(name, []).extend(sightings.spellings[name])
    for name in sightings.near:
        end = "least" if code < 0 else "largest"
        codes.doubts[name] = (
            f"whether its {end} number means that there is no answer; if so, list it in missing"
        )


@dataclass(frozen=True, slots=True)
class _NumberCounts:
    """The different numbers of a column.

    numbers   : float64, each spelling of a number apart
    times     : float64, how often each stands there
    spellings : how each is written
    """

    numbers: F8
    times: F8
    spellings: NDArray[Any]

    @classmethod
    def of(cls, counts: pl.DataFrame) -> "_NumberCounts | None":
        """Those of the different cells of a column; None where too few are numbers, or some begin with a nought."""
        counts = counts.with_columns(number=pl.col("cell").str.strip_chars().cast(pl.Float64, strict=False))
        read = counts.filter(pl.col("number").is_finite())
        is_mostly_read = int(read["times"].sum()) >= _MIN_NUMBER_SHARE * int(counts["times"].sum())
        if not is_mostly_read or read["cell"].str.contains("^0[0-9]").any():
            return None
        return cls(read["number"].to_numpy(), read["times"].to_numpy().astype(float), read["cell"].to_numpy())

    def spellings_of(self, number: float) -> list[str]:
        """How a number is written."""
        texts: list[str] = self.spellings[self.numbers == number].tolist()
        return texts

    def first_times_of(self, number: float) -> float:
        """How often the first spelling of a number stands there."""
        return float(self.times[np.flatnonzero(self.numbers == number)[0]])

    def usual_times(self) -> float:
        """How often nearly all numbers stand there at most."""
        return max(2.0, float(np.quantile(self.times, 0.98)))


def _are_numbers(cells: pl.Series) -> pl.Series:
    return cells.str.strip_chars().cast(pl.Float64, strict=False).is_not_null()


def _find_zero_codes(columns: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, list[str]]]:
    """Columns of codes of one length in digits, among which one of noughts alone is repeated: 00000 is no place."""
    for name, counts in columns.items():
        cells = counts["cell"].filter(counts["cell"] != "")
        if len(cells) <= _MIN_ANSWERS or not cells.tail(_MIN_ANSWERS).str.contains(_DIGITS).all():
            continue  # words come behind digits
        if not cells.str.contains(_DIGITS).all():
            continue
        noughts = counts.filter(pl.col("cell").str.contains("^0+$") & (pl.col("times") > 1))
        if noughts.height == 1 and cells.str.len_chars().n_unique() == 1:
            yield name, noughts["cell"].to_list()


def _is_apart_from_nought(column: _NumberCounts) -> bool:
    """Whether 0 is repeated and far from all others, as of a place that nobody measured."""
    nonzero = column.numbers[column.numbers != 0]
    if len(nonzero) < _MIN_NUMBERS or column.times[column.numbers == 0].sum() < 2:
        return False
    breadth = max(float(nonzero.max() - nonzero.min()), 1e-9)
    return bool(np.abs(nonzero).min() >= _ZERO_GAP * breadth)


def _measure_gaps(column: _NumberCounts) -> Iterator[tuple[float, float | None]]:
    """For each code that is there, the gap between it and all others by their range; None where it is among them."""
    numbers = column.numbers
    is_code = np.isin(numbers, [*_load_word_lists()["codes"]])
    for code in numbers[is_code].tolist():
        # Codes such as 98 and 99 come together: neither is among the others.
        is_same_side = (np.sign(numbers) == np.sign(code)) & is_code & (np.abs(numbers) >= 7)
        is_other = ~np.isin(numbers, numbers[is_same_side])
        others = numbers[is_other]
        is_few = len(others) < 2 or column.times[is_other].sum() < _MIN_NUMBERS
        if is_few or (others.max() >= code if code > 0 else others.min() <= code):
            yield code, None
            continue
        breadth = max(float(others.max() - others.min()), 1.0)
        gap = float(code - others.max() if code > 0 else others.min() - code) / breadth
        if code < 0 <= others.min():  # all others have no sign
            is_scale_from_nought = len(others) > 2 and others.min() == 0 and code > -7
            gap = gap if is_scale_from_nought else max(gap, _FAR_GAP)
        yield code, gap if gap >= _NEAR_GAP else None


# --- signs and dates


class _VotedNotation(NamedTuple):
    """A notation, and for each key of [data] that it needs why."""

    notation: Notation
    evidence: dict[str, str]


def _vote_notation(columns: Mapping[str, pl.DataFrame], missing: Sequence[str]) -> _VotedNotation:
    """The notation that the columns show together, as far as one of them needs it."""
    votes: dict[str, Votes] = {}
    doubtful: list[pl.Series] = []
    for name, counts in columns.items():
        cells = counts["cell"].filter(~counts["cell"].is_in(list(missing)))
        sample = cells.gather_every(max(1, len(cells) // _SAMPLE_CELLS))
        writing = read_writing(sample)
        votes[name] = writing.votes
        if writing.doubt:
            doubtful.append(sample)

    evidence: dict[str, str] = {}
    comma_count, point_count = (
        sum(vote.decimal.get(sign, 0) for vote in votes.values()) for sign in (",", ".")
    )
    notation = plain = Notation("," if comma_count > point_count else ".")
    if notation.decimal == ",":
        voters = [name for name, vote in votes.items() if vote.decimal.get(",")]
        evidence["decimal"] = _name_columns("decimal commas", voters)

    comma_count, point_count = (
        sum(vote.thousands.get(sign, 0) for vote in votes.values()) for sign in (",", ".")
    )
    with_thousands = replace(notation, thousands=",")
    if (
        notation.decimal == "."
        and comma_count > point_count
        and _notation_helps(doubtful, plain, with_thousands)
    ):
        notation = with_thousands
        voters = [name for name, vote in votes.items() if vote.thousands.get(",")]
        evidence["thousands"] = _name_columns("commas separate thousands", voters)

    order = _vote_date_order(votes.values())
    if order is not None and _notation_helps(doubtful, plain, replace(notation, dates=order)):
        notation = replace(notation, dates=order)
        voters = [name for name, vote in votes.items() if vote.dates.get(order)]
        evidence["dates"] = _name_columns("days above 12", voters)
    return _VotedNotation(notation, evidence)


def _vote_date_order(votes: Collection[Votes]) -> str | None:
    """The order of days and months that nearly all dates show; None where there is none."""
    days, months = (sum(vote.dates.get(order, 0) for vote in votes) for order in ORDERS)
    if days > _MIN_DATE_MAJORITY * months:
        return ORDERS[0]
    return ORDERS[1] if months > _MIN_DATE_MAJORITY * days else None


def _notation_helps(columns: Iterable[pl.Series], before: Notation, after: Notation) -> bool:
    """Whether a column can be read with a notation that cannot be read without it."""
    return any(read_writing(cells, before).doubt != read_writing(cells, after).doubt for cells in columns)


def _name_columns(what: str, names: Sequence[str]) -> str:
    listing = ", ".join(names[:3])
    return f"{what} in {listing}{f' and {len(names) - 3} more columns' if len(names) > 3 else ''}"
