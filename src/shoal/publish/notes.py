"""What a release shows that its readers should know: true, judged, and perhaps of little use or not very safe.

Notes are public, so they are computed from the released records alone.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Trees
from shoal.data.arrays import I8, row_of_entry
from shoal.data.spelling import unify_spellings
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.suggest import is_by_frequency
from shoal.io.read.cells import text
from shoal.io.write.json_text import read_lists
from shoal.release import centres_of

__all__ = [
    "CENTRES",
    "COUNTED",
    "NOTES",
    "frequency_notes",
    "notes_of",
]


Note = dict[str, Any]


_MANY = "\0many"


_ROWS = "\0rows"


def notes_of(
    frame: Any, roles: Mapping[str, str], allow: AbstractSet[str] = frozenset(), counts: I8 | None = None
) -> list[Note]:
    """Notes on released cells or trees, each a kind, a column (or field) and how many records it speaks of.

    one value           : a column that may be known shows the same in all records
    one sensitive value : records whose look-alikes all have their sensitive value; beside items, and where a pseudonym
                          links rows, no l can be asked for
    allowed             : of a column that was let out knowingly, the records that hold a value nobody else holds

    `counts` says how many records each row of a table stands for; columns that it does not hold are not noted.
    """
    if isinstance(frame, Trees):
        return list(_of_fields(frame))
    many = pl.Series(_MANY, np.ones(frame.height, dtype=np.int64) if counts is None else counts)
    frame, roles = frame.with_columns(many), {name: roles[name] for name in roles if name in frame.columns}
    return [*_of_one_value(frame, roles), *_of_secrets(frame, roles), *_of_allowed(frame, roles, allow)]


def frequency_notes(hierarchies: Hierarchies, columns: AbstractSet[str], records: int) -> list[Note]:
    """Name the columns whose groups only use has brought together: their files say so, whoever is left out."""
    return [
        _note("by frequency", name, records)
        for name, hierarchy in hierarchies.items()
        if name in columns and is_by_frequency(hierarchy)
    ]


CENTRES = ("mean", "median")
"""Kinds of notes that say of a column that each number is one of at least so many people."""


COUNTED = (
    "one value",
    "one sensitive value",
    "one sensitive value beside items",
    "one sensitive value of linked rows",
)
"""Kinds of notes that the released records alone decide: whoever has them can count again."""


NOTES = (*COUNTED, "allowed", "by frequency", "shifted", *CENTRES)
"""Every kind of note."""


def centre_notes(release: Any, k: int) -> list[Note]:
    """Name the columns whose numbers are means or medians of at least k people."""
    return [_note(kind, name, k) for name, kind in centres_of(release).items()]


def _of_one_value(frame: pl.DataFrame, roles: Mapping[str, str]) -> list[Note]:
    found = []
    for name, role in roles.items():
        cells = text(frame[name]) if role in ("quasi", "items") else None
        records = int(frame[_MANY].sum())
        if cells is None or records < 2 or name == "uncertain":
            continue
        distinct = len(read_lists(cells)[2]) if role == "items" else cells.n_unique()
        if distinct <= 1:
            found.append(_note("one value", name, records))
    return found


def _of_secrets(frame: pl.DataFrame, roles: Mapping[str, str]) -> list[Note]:
    """Classes of several records with one sensitive value; an empty cell may hide another."""
    known = [name for name, role in roles.items() if role == "quasi"]
    kind = "one sensitive value" + (" beside items" if "items" in roles.values() else "")
    linking = [name for name, role in roles.items() if role == "pseudonym"]
    if linking:  # look-alikes are persons with the same rows
        kind = "one sensitive value of linked rows"
        rows = frame.select(linking[0], pl.struct(known).rank("dense").alias("\0row"))
        every = rows.group_by(linking[0]).agg(pl.col("\0row").sort())
        every = every.with_columns(pl.col("\0row").cast(pl.List(pl.String)).list.join(" ").alias(_ROWS)).drop(
            "\0row"
        )
        frame, known = frame.join(every, on=linking[0], how="left", maintain_order="left"), [*known, _ROWS]
    found = []
    for name in [name for name, role in roles.items() if role == "sensitive" and known]:
        values = text(frame[name])
        cells = values.drop_nulls().unique().to_list()
        once = values.replace_strict(cells, unify_spellings(cells), default=None)
        kinds = frame.select(*known, _MANY).with_columns(once.alias("\0value"))
        classes = kinds.group_by(known).agg(pl.col(_MANY).sum(), pl.col("\0value").n_unique().alias("\0of"))
        alone = classes.filter((pl.col("\0of") == 1) & (pl.col(_MANY) > 1))
        if alone.height:
            found.append(_note(kind, name, int(alone[_MANY].sum())))
    return found


def _of_allowed(frame: pl.DataFrame, roles: Mapping[str, str], allow: AbstractSet[str]) -> list[Note]:
    kept = [name for name, role in roles.items() if name in allow and role in ("plain", "sensitive")]
    held = {name: frame.group_by(name).agg(pl.col(_MANY).sum())[_MANY] for name in kept}
    return [_note("allowed", name, int((many == 1).sum())) for name, many in held.items()]


def _of_fields(trees: Trees) -> list[Note]:
    """Fields of record trees of which only one value is published."""
    present = np.unique(trees.items)
    if not len(present):
        return []
    values = np.bincount(trees.kinds[present], minlength=len(trees.classes))
    owner = row_of_entry(trees.start)
    found = []
    for kind, name in enumerate(trees.classes):
        if values[kind] == 1 and name != trees.sensitive:
            holding = len(np.unique(owner[trees.kinds[trees.items] == kind]))
            found.append(_note("one value", name, holding))
    return found


def _note(kind: str, column: str, count: int) -> Note:
    return {"kind": kind, "column": column, "count": count}
