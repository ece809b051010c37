"""Where the table stands in a file: its sheet, its header, rows that are no records, its last row, its array.

Offices write titles above a header, headers over two rows, totals and notes below the records. A file is read by what
its `Layout` says. Where it says nothing and the rows speak against what is usual, `LayoutError` tells in one sentence
what to write, and holds the layout that says so: `shoal init` takes it, everybody else shows the sentence. Rows are
counted from 1, as a spreadsheet program shows them; a record over several lines is one row.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.base.errors import InputError
from shoal.io.settings import toml_value

__all__ = [
    "KEYS",
    "SAMPLE",
    "VALUES",
    "Layout",
    "LayoutError",
    "find_filled_cells",
    "find_header",
    "join_header",
    "list_rows",
]

KEYS = ("sheet", "header", "skip", "last", "records", "values", "codebook")
"""The keys of [data] that say where the table is, and what the codes of a file with labels are."""
VALUES = ("labels", "codes")
"""What cells of a file with labels may be; the first is the usual one."""
SAMPLE = 200
"""How many rows from the beginning are looked at for the header."""

_LISTED = 5
_DEEP = (2, 3)  # rows over which names of columns may stand
_FULL = 0.8  # of the columns are named in a header, at least
_DATA = re.compile(r"[\d\s.,:;/+\-()]*\d[\d\s.,:;/+\-()TZ%€$£]*|.*@.*|.{121,}", re.S)
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a table stands in its file, by the keys of [data]; what is not given is as usual.

    sheet   : of a workbook; else the first
    header  : the rows with the names of columns; else the first row that is not blank
    skip    : how many rows at the beginning, or which rows anywhere, are no records
    last    : the last row of the table
    records : of json, the dotted path of the array; "." is the outermost object itself
    values  : of a file with labels, what its cells are: "labels" (Male), which is usual, or "codes" (1); of a workbook
              "labels" takes the words that another sheet has for codes
    codebook : of a file with labels, whether its codes are "public", so that a release keeps them, or "built" from rows
    why     : by key, what speaks for it
    """

    sheet: str | None = None
    header: tuple[int, ...] = ()
    skip: int | tuple[int, ...] | None = None
    last: int | None = None
    records: str | None = None
    values: str | None = None
    codebook: str | None = None
    why: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __bool__(self) -> bool:
        return self != Layout()

    @property
    def skipped(self) -> frozenset[int]:
        """The rows that are named one by one as no records."""
        return frozenset(self.skip) if isinstance(self.skip, tuple) else frozenset()

    @property
    def above(self) -> int:
        """How many rows at the beginning are left out unseen."""
        return self.skip if isinstance(self.skip, int) else 0

    def given(self) -> dict[str, Any]:
        """What it says, as it stands in [data].

        >>> Layout(header=(3,), skip=(9, 12)).given()
        {'header': 3, 'skip': [9, 12]}
        """
        values = {key: getattr(self, key) for key in KEYS}
        if len(self.header) == 1:
            values["header"] = self.header[0]
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
        return {
            key: value for key, value in plain.items() if value is not None and (key, value) != ("header", [])
        }

    def lines(self) -> Iterator[str]:
        """The keys for shoal.toml, each below what speaks for it."""
        for key, value in self.given().items():
            if key in self.why:
                yield f"# {''.join(sign if sign.isprintable() else ' ' for sign in self.why[key])}."
            yield f"{key} = {toml_value(value)}"


class LayoutError(InputError):
    """A table does not stand where it is looked for; `layout` says where it does, as far as the rows tell."""

    def __init__(self, name: str, layout: Layout, key: str, besides: str = "") -> None:
        value = toml_value(layout.given()[key])
        super().__init__(
            f"{name}: {layout.why[key]}; write {key} = {value} into [data]{besides}, or let `shoal init` look at it"
        )
        self.layout = layout


def find_header(rows: Sequence[Sequence[str]], name: str, layout: Layout) -> Layout:
    """The layout with its rows of names, `rows` being the first of the file.

    Parameters
    ----------
    rows : sequence of rows of cells
        Blank ones too.
    name : str
        What messages call the file.
    layout : Layout
        What is known already.

    Raises
    ------
    LayoutError
        The names stand below a title, or in two rows.
    InputError
        A row that is said to hold names is not there.
    """
    if layout.header:
        if layout.header[-1] > len(rows):
            raise InputError(
                f"{name}: there is no row {layout.header[-1]} with names of columns; correct header"
            )
        return layout
    filled_rows = [
        index for index, row in enumerate(rows) if find_filled_cells(row) and index >= layout.above
    ]
    if not filled_rows:
        return layout
    usual = replace(layout, header=(filled_rows[0] + 1,))
    width = max(len(find_filled_cells(rows[index])) for index in filled_rows)
    name_rows = _find_name_rows(rows, filled_rows, width)
    if name_rows is None or name_rows == (filled_rows[0],):
        return usual
    header = tuple(index + 1 for index in name_rows)
    above = [index for index in filled_rows if index < name_rows[0]]
    why = []
    if above:
        is_single = len(above) == 1
        why.append(
            f"{'row' if is_single else 'rows'} {list_rows([index + 1 for index in above])} above the names of columns "
            f"{'is' if is_single else 'are'} a title, {'it fills' if is_single else 'they fill'} few of the "
            f"{width} columns"
        )
    if len(name_rows) > 1:
        why.append(
            f"rows {', '.join(map(str, header[:-1]))} and {header[-1]} name the columns together, the upper has cells "
            "that reach over several"
        )
    new_layout = replace(layout, header=header, why={**layout.why, "header": "; ".join(why)})
    raise LayoutError(name, new_layout, "header")


def _find_name_rows(rows: Sequence[Sequence[str]], there: Sequence[int], wide: int) -> tuple[int, ...] | None:
    """The places of the rows with names; None where nothing tells."""
    for index in there:
        row = rows[index]
        for depth in _DEEP:
            several = rows[index : index + depth]
            if wide > 1 and len(several) == depth and _name_together(several, wide):
                return tuple(range(index, index + depth))
        if _is_title(row, wide):
            continue
        if index == there[0]:
            return (index,)
        fits = (
            len(find_filled_cells(row)) >= _FULL * wide and _are_names(row) and _is_unlike(rows, index, there)
        )
        return (index,) if fits else None
    return None


def find_filled_cells(row: Sequence[str]) -> list[int]:
    """The places of the cells of a row that are not blank."""
    return [column for column, cell in enumerate(row) if cell.strip()]


def _is_title(row: Sequence[str], wide: int) -> bool:
    """Whether a row fills hardly any column: one, or of many columns two beside each other ("Date: 1 May")."""
    filled = find_filled_cells(row)
    if len(filled) == 1:
        return wide > 2 or (wide == 2 and filled == [0])
    return len(filled) == 2 and wide > 3 and filled[1] == filled[0] + 1


def _are_names(row: Sequence[str]) -> bool:
    cells = [row[column].strip() for column in find_filled_cells(row)]
    if not cells or _DATA.fullmatch(cells[0]) or len({*cells}) < len(cells):
        return False
    return not any(_DATA.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells)


def _is_unlike(rows: Sequence[Sequence[str]], place: int, there: Sequence[int]) -> bool:
    """Whether a row below a title is unlike the records: another kind of cells, or parted from a title of words."""
    title = next(place for place in there)
    if place - title > 1 or any(len(cell.split()) > 1 for cell in rows[title]):
        return True
    below = [rows[row_index] for row_index in there if row_index > place]
    return any(
        below
        and all(
            len(row) > column and (not row[column].strip() or _DATA.fullmatch(row[column].strip()))
            for row in below
        )
        for column in find_filled_cells(rows[place])
    )


def _name_together(rows: Sequence[Sequence[str]], wide: int) -> bool:
    """Whether rows name columns only together: an upper one has gaps for those below it, or repeats a name."""
    *above, lower = rows
    if len(above) > 1 and (_is_title(above[0], wide) or len(find_filled_cells(above[0])) == wide):
        return False  # the first has no gap that those below could fill
    upper = join_header(above)
    upper_columns, lower_columns = find_filled_cells(upper), find_filled_cells(lower)
    if len(upper_columns) < 2 or not lower_columns or len({*upper_columns, *lower_columns}) < _FULL * wide:
        return False
    names = [upper[column].strip() for column in upper_columns]
    repeated = any(
        upper[column].strip() == upper[column + 1].strip() != "" for column in range(len(upper) - 1)
    )
    within = [
        column
        for column in {*lower_columns} - {*upper_columns}
        if upper_columns[0] < column < upper_columns[-1]
    ]
    behind = [column for column in lower_columns if column > upper_columns[-1]]
    whole_below = len(lower_columns) >= len({*upper_columns, *lower_columns})
    gaps = bool(within) or (bool(behind) and not whole_below)
    if not gaps and not (repeated and len({*names}) < len(names)):
        return False
    joined = [name for name in join_header([upper, lower]) if name]
    cells = [cell.strip() for cell in (*upper, *lower)]
    words = not any(_DATA.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in cells)
    return words and len({*joined}) == len(joined)


def join_header(rows: Sequence[Sequence[str]]) -> list[str]:
    """The names of columns from the rows that hold them, joined as "upper lower".

    A cell of an upper row reaches over blank ones behind it, unless nothing stands below itself.

    >>> join_header([["Person", "", "Address", ""], ["name", "age", "street", "town"]])
    ['Person name', 'Person age', 'Address street', 'Address town']
    >>> join_header([["id", "Address", ""], ["", "street", "town"]])
    ['id', 'Address street', 'Address town']
    """
    if len(rows) == 1:
        return list(rows[0])
    *above, lower = rows
    width = max(map(len, rows))
    lower_names = [cell.strip() for cell in lower] + [""] * (width - len(lower))
    upper = join_header(above)
    upper = [cell.strip() for cell in upper] + [""] * (width - len(upper))
    names, group_name = [], ""
    for upper_name, name in zip(upper, lower_names, strict=True):
        if upper_name:
            group_name = upper_name if name else ""
        prefix = upper_name or (group_name if name else "")
        names.append(prefix if prefix == name else f"{prefix} {name}".strip())
    return names


def list_rows(rows: Sequence[int]) -> str:
    """Numbers of rows in words: the first few."""
    listing = ", ".join(map(str, rows[:_LISTED]))
    return listing if len(rows) <= _LISTED else f"{listing} and {len(rows) - _LISTED} more"
