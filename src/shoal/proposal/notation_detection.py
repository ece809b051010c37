"""What stands for no value in unknown data, and how its numbers and dates are meant, each with the evidence for it."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

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

_LOOKED_AT = 20_000  # different cells of a column that show how it is written
_REST = 2000  # of the others that show whether they are numbers
_WIDE, _NARROW = (
    0.5,
    0.1,
)  # of the range of the others lies between them and a code: alone, and in several columns
_FEWEST = 20  # numbers beside a code
_INITIALS = re.compile(r"^(?:[A-ZÄÖÜ]\.\s?){1,3}$")
_ELEMENT = re.compile(r"[A-Z][a-z]?")  # Na beside K and Cl
_FORMS = (_INITIALS, re.compile(r"[A-Z]{2,4}"), re.compile(r"[a-z]{2,4}"), _ELEMENT)
"""How short words are written that may be codes; letters of another case, or another number of them, are none."""
_OF_ANY_LENGTH = (_INITIALS, _ELEMENT)
_ALIKE, _NEARLY = 2, 0.9  # other values that are written so, at least, and what share of all others
_SELDOM = 0.1  # of the cells at most say that somebody gave no answer
_OTHERS = 4  # different answers beside one that is none
_BESIDE = 8  # different cells beside numbers
_OFTEN = 5  # times as often as nearly all others: a number that is no number
_ZERO = 2  # ranges of the others lie between them and a nought that means nothing
_DIGITS = "^[0-9]{4,9}$"
_CLEAR = 20  # times as many dates show one order as the other


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
    columns: dict[str, pl.DataFrame], named: Sequence[str], labelled: Collection[str] = ()
) -> DetectedNotation:
    """What different cells, and how often each stands there, show; those of `named` columns are texts.

    Those of `labelled` columns are labels that a file gives to codes.
    """
    texts = {name: columns[name] for name in named}
    words, own_missing = _find_missing_words(texts, labelled)
    lone_words = {
        word: grounds for word, grounds in _find_words_among_numbers(texts).items() if word not in words
    }
    codes, doubts, apart = _find_missing_codes(columns)
    missing = ("", *(word for word in words if word), *lone_words, *codes)
    evidence = {}
    why = [f"{code}: {grounds}" for code, grounds in {**lone_words, **codes}.items()]
    if any(words):
        word_list = ", ".join(word if word.strip() else "blanks" for word in words if word)
        why = [f"{word_list}: words for no value", *why]
    if why:
        evidence["missing"] = "; ".join(why)
    for name, extra in (*apart.items(), *_find_zero_codes(texts)):
        own_missing.setdefault(name, []).extend(extra)
    notation, grounds = _vote_notation(texts, missing)
    return DetectedNotation(
        missing,
        notation,
        evidence | grounds,
        doubts,
        {name: tuple(extra) for name, extra in own_missing.items()},
    )


@cache
def _load_word_lists() -> dict[str, frozenset[Any]]:
    """Words that may mean no value, by when they do, and numbers that may, as `codes`."""
    table = resource_table("shoal.proposal", "missing.toml")
    return {name: frozenset(words) for name, words in table.items()}


def _find_missing_words(
    columns: Mapping[str, pl.DataFrame], labelled: Collection[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """Texts that stand for a missing cell in the file, and those that do so in some columns and are values in others.

    Some always do, others where all else is numbers or dates, where they are few among many other words, or where they
    are the label of a code.
    """
    lists = _load_word_lists()
    known_words = [word for name, words in lists.items() for word in words if name != "codes"]
    gone: dict[str, list[str]] = {}
    values: set[str] = set()
    late: list[str] = []
    for name, counts in columns.items():
        cells = counts["cell"]
        bare = cells.str.strip_chars().str.to_lowercase()
        is_known = bare.is_in(known_words)
        if not is_known.any():
            continue
        other_cells = cells.filter(~is_known)
        answer_count = int((~is_known | bare.is_in(lists["among_numbers"] - lists["refusals"])).sum())
        for cell, low, times in zip(
            cells.filter(is_known), bare.filter(is_known), counts["times"].filter(is_known), strict=True
        ):
            if _explains(cells, is_known, cell):
                means_none = False
            elif low in lists["always"]:
                means_none = True
            elif low in lists["signs"]:
                means_none = not other_cells.str.contains(r"^[^\w\s]{1,2}$").any()  # as + beside -
            else:
                rare = times <= _SELDOM * int(counts["times"].sum()) and answer_count >= _OTHERS
                means_none = _are_measured(other_cells) or (
                    low in lists["refusals"] and (rare or name in labelled)
                )
                late += [cell] if means_none else []
            if means_none:
                gone.setdefault(cell, []).append(name)
            else:
                values.add(cell)
    everywhere = [cell for cell in gone if cell not in values]
    cells_of_column: dict[str, list[str]] = {}
    for cell in gone.keys() & values:
        for name in gone[cell]:
            cells_of_column.setdefault(name, []).append(cell)
    return sorted(everywhere, key=lambda cell: cell in late), cells_of_column


def _are_measured(rest: pl.Series) -> bool:
    """Whether all others are numbers or dates."""
    numeric = len(rest) and kind_of(rest.head(_REST).to_list()).name in ("number", "date")
    return bool(numeric or read_writing(rest.head(_REST)).kind)


def _find_words_among_numbers(columns: Mapping[str, pl.DataFrame]) -> dict[str, str]:
    """Words that are in no list, but in several columns the only cells beside numbers, with the evidence."""
    alone: dict[str, int] = {}
    for counts in columns.values():
        if int((~_are_numbers(counts["cell"].gather_every(max(1, counts.height // _REST)))).sum()) > _BESIDE:
            continue
        numbers = _are_numbers(counts["cell"])
        if not 0 < int((~numbers).sum()) <= _BESIDE or int(counts["times"].filter(numbers).sum()) < _FEWEST:
            continue
        word_counts = counts.filter(~numbers & (pl.col("cell").str.strip_chars() != ""))
        word_counts = word_counts.filter(
            ~pl.col("cell").str.strip_chars().str.to_lowercase().is_in(_load_word_lists()["always"])
        )
        if word_counts.height != 1 or word_counts["cell"].str.contains(r"\d").any():
            continue
        if int(word_counts["times"][0]) <= _SELDOM * int(counts["times"].sum()):
            alone[word_counts["cell"][0]] = alone.get(word_counts["cell"][0], 0) + 1
    return {
        word: f"the only word among the numbers of {times} columns"
        for word, times in alone.items()
        if times > 1
    }


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
    form = next((form for form in _FORMS if form.fullmatch(bare)), None)
    if form is None:
        return False
    others = [
        other
        for other in map(str.strip, cells.filter(~is_known).head(_REST))
        if other and other.casefold() not in YES_NO
    ]
    alike = [
        other
        for other in others
        if form.fullmatch(other) and (form in _OF_ANY_LENGTH or len(other) == len(bare))
    ]
    if len(alike) >= (1 if form is _INITIALS else _ALIKE) and len(alike) >= _NEARLY * len(others):
        return True
    return 2 * len(alike) > len(others) and any(
        vocabulary.read(bare) is not None
        and sum(vocabulary.read(other) is not None for other in others) >= _NEARLY * len(others)
        for vocabulary in vocabularies().values()
    )


def _find_missing_codes(
    columns: Mapping[str, pl.DataFrame],
) -> tuple[dict[str, str], dict[str, str], dict[str, list[str]]]:
    """Numbers that stand for no value, as they are written, with the evidence; what is open; codes of single columns.

    A code lies outside the range of all others with a gap and is repeated; a narrow gap is enough where other columns
    have it too. What is a number like any other in one column is a code only in those where the gap is wide.
    """
    wide: dict[float, list[str]] = {}
    narrow: dict[float, list[str]] = {}
    usual: set[float] = set()
    spelled: dict[tuple[float, str], list[str]] = {}
    doubts: dict[str, str] = {}
    for name, counts in columns.items():
        amounts, times, texts = _split_amounts(counts)
        if len(amounts) < 3:
            continue
        if _is_apart_from_nought(amounts, times):
            wide.setdefault(0.0, []).append(name)
            spelled[0.0, name] = texts[amounts == 0].tolist()
        for code, gap in _measure_gaps(amounts, times):
            index = int(np.flatnonzero(amounts == code)[0])
            if gap is None or times[index] < 2:
                usual.add(code)
                most = _OFTEN * max(2.0, float(np.quantile(times, 0.98)))
                if len(times) >= _FEWEST and times[index] >= most:
                    doubts[name] = (
                        "whether a number that occurs far more often than others means that there is no answer; if "
                        "so, list it in missing"
                    )
                continue
            (wide if gap >= _WIDE else narrow).setdefault(code, []).append(name)
            spelled[code, name] = texts[amounts == code].tolist()
    evidence: dict[str, str] = {}
    codes_of_column: dict[str, list[str]] = {}
    for code in sorted({*wide, *narrow}, key=lambda one: (abs(one), one)):
        names = [*wide.get(code, ()), *narrow.get(code, ())]
        if code and code not in usual and (code in wide or len(names) > 1):
            apart = "far from" if code in wide else "apart from"
            location = names[0] if len(names) == 1 else f"{len(names)} columns"
            for text_ in dict.fromkeys(text_ for name in names for text_ in spelled[code, name]):
                evidence[text_] = f"{apart} all other numbers of {location}, and repeated"
            continue
        for name in wide.get(code, ()):
            codes_of_column.setdefault(name, []).extend(spelled[code, name])
        for name in narrow.get(code, ()):
            end = "least" if code < 0 else "largest"
            doubts[name] = (
                f"whether its {end} number means that there is no answer; if so, list it in missing"
            )
    return evidence, doubts, codes_of_column


def _are_numbers(cells: pl.Series) -> pl.Series:
    return cells.str.strip_chars().cast(pl.Float64, strict=False).is_not_null()


def _find_zero_codes(columns: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, list[str]]]:
    """Columns of codes of one length in digits, among which one of noughts alone is repeated: 00000 is no place."""
    for name, counts in columns.items():
        cells = counts["cell"].filter(counts["cell"] != "")
        if len(cells) <= _OTHERS or not cells.tail(_OTHERS).str.contains(_DIGITS).all():
            continue  # words come behind digits
        if not cells.str.contains(_DIGITS).all():
            continue
        empty = counts.filter(pl.col("cell").str.contains("^0+$") & (pl.col("times") > 1))
        if empty.height == 1 and cells.str.len_chars().n_unique() == 1:
            yield name, empty["cell"].to_list()


def _is_apart_from_nought(amounts: F8, times: F8) -> bool:
    """Whether 0 is repeated and far from all others, as of a place that nobody measured."""
    nonzero = amounts[amounts != 0]
    if len(nonzero) < _FEWEST or times[amounts == 0].sum() < 2:
        return False
    return bool(np.abs(nonzero).min() >= _ZERO * max(float(nonzero.max() - nonzero.min()), 1e-9))


def _split_amounts(counts: pl.DataFrame) -> tuple[F8, F8, NDArray[Any]]:
    """The different numbers of a column, how often each stands there, and how it is written."""
    none = np.empty(0)
    counts = counts.with_columns(number=pl.col("cell").str.strip_chars().cast(pl.Float64, strict=False))
    read = counts.filter(pl.col("number").is_finite())
    if (
        int(read["times"].sum()) < _WIDE * int(counts["times"].sum())
        or read["cell"].str.contains("^0[0-9]").any()
    ):
        return none, none, none
    return read["number"].to_numpy(), read["times"].to_numpy().astype(float), read["cell"].to_numpy()


def _measure_gaps(amounts: F8, times: F8) -> Iterator[tuple[float, float | None]]:
    """For each code that is there, the gap between it and all others by their range; None where it is among them."""
    is_code = np.isin(amounts, [*_load_word_lists()["codes"]])
    if not is_code.any():
        return
    for code in amounts[is_code].tolist():
        side = amounts[(np.sign(amounts) == np.sign(code)) & is_code & (np.abs(amounts) >= 7)]
        other_amounts = amounts[~np.isin(amounts, side)]  # codes such as 98 and 99 come together
        beyond = other_amounts[other_amounts >= code] if code > 0 else other_amounts[other_amounts <= code]
        if len(other_amounts) < 2 or len(beyond) or times[~np.isin(amounts, side)].sum() < _FEWEST:
            yield code, None
            continue
        breadth = max(float(other_amounts.max() - other_amounts.min()), 1.0)
        gap = (code - other_amounts.max() if code > 0 else other_amounts.min() - code) / breadth
        if code < 0 <= other_amounts.min() and not (
            len(other_amounts) > 2 and other_amounts.min() == 0 and code > -7
        ):
            gap = max(gap, _WIDE) if gap >= 0 else gap  # all others have no sign
        yield code, float(gap) if gap >= _NARROW else None


def _vote_notation(
    columns: Mapping[str, pl.DataFrame], missing: Sequence[str]
) -> tuple[Notation, dict[str, str]]:
    """The notation that the columns show together, as far as one of them needs it."""
    votes: dict[str, Votes] = {}
    open_: dict[str, pl.Series] = {}
    for name, counts in columns.items():
        cells = counts["cell"].filter(~counts["cell"].is_in(list(missing)))
        sample = cells.gather_every(max(1, len(cells) // _LOOKED_AT))
        writing = read_writing(sample)
        votes[name] = writing.votes
        if writing.doubt:
            open_[name] = sample
    evidence: dict[str, str] = {}
    comma, point = (sum(vote.decimal.get(sign, 0) for vote in votes.values()) for sign in (",", "."))
    decimal = "," if comma > point else "."
    if decimal == ",":
        evidence["decimal"] = _name_columns(
            "decimal commas", [n for n, vote in votes.items() if vote.decimal.get(",")]
        )
    parted = {sign: sum(vote.thousands.get(sign, 0) for vote in votes.values()) for sign in (",", ".")}
    thousands = "," if decimal == "." and parted[","] > parted["."] else None
    days, months = (sum(vote.dates.get(order, 0) for vote in votes.values()) for order in ORDERS)
    dates = None
    if days > _CLEAR * months or months > _CLEAR * days:
        dates = ORDERS[0] if days > months else ORDERS[1]
    base = Notation(decimal)
    if thousands is not None and _notation_helps(open_.values(), base, Notation(decimal, thousands)):
        parting = [name for name, vote in votes.items() if vote.thousands.get(",")]
        evidence["thousands"] = _name_columns("commas separate thousands", parting)
    else:
        thousands = None
    if dates is not None and _notation_helps(open_.values(), base, Notation(decimal, thousands, dates)):
        evidence["dates"] = _name_columns(
            "days above 12", [n for n, vote in votes.items() if vote.dates.get(dates)]
        )
    else:
        dates = None
    return Notation(decimal, thousands, dates), evidence


def _notation_helps(columns: Iterable[pl.Series], before: Notation, after: Notation) -> bool:
    """Whether a column can be read with a notation that cannot be read without it."""
    return any(read_writing(cells, before).doubt != read_writing(cells, after).doubt for cells in columns)


def _name_columns(what: str, names: Sequence[str]) -> str:
    listing = ", ".join(names[:3])
    return f"{what} in {listing}{f' and {len(names) - 3} more columns' if len(names) > 3 else ''}"
