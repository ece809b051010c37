"""Code books in workbooks: another sheet that says which word each code of a column stands for.

Offices write them in two ways: a row for each code (sex, 1, male), the name of the column often in the first row of
each alone; or a row for each column, with all its codes in one cell (sex, 1 = male; 2 = female). Nobody says which
columns of the sheet are which: they are those whose names and codes the data have.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import combinations

import polars as pl

__all__ = ["code_labels", "columns_of_texts"]

_MOST = 0.9  # of the different cells of a column have a word in the book
_NAMED = 0.5  # of the names in a book are columns of the data, or it is a book of something else
_LONGEST = 5_000  # rows of a book
_WIDEST = 12  # columns
_CODES = 200  # different cells of a column that has codes
_BETWEEN = re.compile(r"[;\n|]|,(?=\s*[^\s=:;,]{1,12}\s*=)")  # two codes of one cell
_PAIR = re.compile(r"([^\s:;,]{1,12}?)\s*[:–-](.*)", re.DOTALL)
_LONGEST_CODE = 12
_WORD = re.compile(r"[^\W\d_]")


def code_labels(
    books: Iterable[pl.DataFrame], data: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, str]]:
    """For columns of the data the word of each code, by the first of the sheets that has words for nearly all of them.

    Parameters
    ----------
    books : frames of texts
        The other sheets, all of their rows.
    data : mapping of str to texts
        For each column its different cells.

    >>> book = pl.DataFrame([["variable", "sex", ""], ["code", "1", "2"], ["label", "male", "female"]])
    >>> code_labels([book], {"sex": ["1", "2"], "age": ["31"]})
    {'sex': {'1': 'male', '2': 'female'}}
    """
    known = {_plain(name): name for name in data}
    cells = {name: {_plain(cell) for cell in own} - {""} for name, own in data.items()}
    for book in books:
        if book.height > _LONGEST or not 2 <= book.width <= _WIDEST:
            continue
        columns = [[cell.strip() for cell in book.to_series(place)] for place in range(book.width)]
        for at, names in enumerate(columns):
            named = {_plain(name) for name in names[1:] if name}
            if not named or len(named & known.keys()) < _NAMED * len(named):
                continue
            rest = columns[at + 1 :]
            ways = [_by_rows(names, *pair) for pair in combinations(rest, 2)]
            ways += [_by_cells(names, one) for one in rest]
            found = [
                {
                    known[name]: words
                    for name, words in way.items()
                    if name in known and _fits(words, cells[known[name]])
                }
                for way in ways
            ]
            if best := max(found, key=len, default={}):
                return best
    return {}


def columns_of_texts(sheet: pl.DataFrame, books: Iterable[pl.DataFrame]) -> dict[str, set[str]]:
    """The columns of a sheet whose header is not known yet: below the row with most of the names in other sheets."""
    told = {_plain(cell) for book in books if book.height <= _LONGEST for cell in book.to_series(0)} - {""}
    rows = sheet.head(50).rows()
    at = max(range(len(rows)), key=lambda row: len({_plain(cell) for cell in rows[row]} & told), default=0)
    if not rows:
        return {}
    below = sheet.slice(at + 1)
    return {name: set(below.to_series(place)) for place, name in enumerate(rows[at]) if name.strip()}


def _by_rows(names: list[str], codes: list[str], words: list[str]) -> dict[str, dict[str, str]]:
    """A row for each code; where no column is named it is that of the row above."""
    found: dict[str, dict[str, str]] = {}
    own = ""
    for name, code, word in zip(names, codes, words, strict=True):
        own = _plain(name) or own
        if own and code and _WORD.search(word):
            found.setdefault(own, {})[_plain(code)] = word
    return found


def _by_cells(names: list[str], lists: list[str]) -> dict[str, dict[str, str]]:
    """A row for each column, all codes in one cell."""
    pairs = {
        _plain(name): dict(filter(None, map(_pair, _BETWEEN.split(cell))))
        for name, cell in zip(names, lists, strict=True)
        if name
    }
    return {name: words for name, words in pairs.items() if len(words) > 1}


def _pair(text: str) -> tuple[str, str] | None:
    """A code and its word; a cell may be a long text of anything, so nothing here looks at it twice.

    >>> _pair("1 = male"), _pair("Sex: 2 = female"), _pair("3 - other"), _pair("see the notes")
    (('1', 'male'), ('2', 'female'), ('3', 'other'), None)
    """
    before, sign, word = text.rpartition("=")
    if sign:
        code = re.split(r"[\s:,]", before.strip())[-1]
    elif found := _PAIR.match(text.strip()):
        code, word = found.groups()
    else:
        return None
    if not 0 < len(code) <= _LONGEST_CODE or "=" in code or not _WORD.search(word):
        return None
    return _plain(code), word.strip()


def _fits(words: Mapping[str, str], cells: set[str]) -> bool:
    """Whether nearly all cells of a column have a word, and it is more than the cell itself."""
    if not 1 < len(cells) <= _CODES or all(cell == _plain(word) for cell, word in words.items()):
        return False
    return len(cells & words.keys()) >= _MOST * len(cells)


def _plain(cell: str) -> str:
    """A name or a code as it is compared: 1.0 is 1."""
    return cell.strip().casefold().removesuffix(".0")
