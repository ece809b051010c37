"""What a release shows that its readers should know: true, judged, and perhaps of little use or not very safe.

Notes are public, so they are computed from the released records alone.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import polars as pl

from shoal.base.naming import RECODED
from shoal.data import Trees
from shoal.data.arrays import I8, row_of_entry
from shoal.data.spelling import unify_spellings
from shoal.hierarchy import Hierarchies
from shoal.hierarchy.suggest import is_by_frequency
from shoal.io.read.cells import cell_texts
from shoal.io.write.json_text import read_lists
from shoal.release import centres_of

__all__ = [
    "CENTRES",
    "COUNTED",
    "NOTES",
    "WEIGHTS",
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
        return list(_field_notes(frame))
    weights = pl.Series(_MANY, np.ones(frame.height, dtype=np.int64) if counts is None else counts)
    frame, roles = frame.with_columns(weights), {name: roles[name] for name in roles if name in frame.columns}
    return [
        *_one_value_notes(frame, roles),
        *_secret_notes(frame, roles),
        *_allowed_notes(frame, roles, allow),
    ]


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


WEIGHTS = {"rounded": "rounded weights", "classes": "weights in classes", "calibrated": "calibrated weights"}
"""Kinds of notes that say of a sampling weight how it is published: each value is that of at least so many people."""


NOTES = (*COUNTED, "allowed", "by frequency", "shifted", *CENTRES, *WEIGHTS.values())
"""Every kind of note."""


def centre_notes(release: Any, k: int) -> list[Note]:
    """Name the columns whose numbers are means or medians of at least k people."""
    return [_note(kind, name, k) for name, kind in centres_of(release).items()]


def weight_notes(dataset: Any, k: int) -> list[Note]:
    """Say of a sampling weight how it is published, where it was made fit for that."""
    how = getattr(dataset, "weight_release", None)
    return [] if how is None else [_note(WEIGHTS[how.way], dataset.weight, k)]


def _one_value_notes(frame: pl.DataFrame, roles: Mapping[str, str]) -> list[Note]:
    notes = []
    for name, role in roles.items():
        cells = cell_texts(frame[name]) if role in (*RECODED, "items") else None
        records = int(frame[_MANY].sum())
        if cells is None or records < 2 or name == "uncertain":
            continue
        distinct = len(read_lists(cells)[2]) if role == "items" else cells.n_unique()
        if distinct <= 1:
            notes.append(_note("one value", name, records))
    return notes


def _secret_notes(frame: pl.DataFrame, roles: Mapping[str, str]) -> list[Note]:
    """Classes of several records with one sensitive value; an empty cell may hide another."""
    quasi_names = [name for name, role in roles.items() if role == "quasi"]
    kind = "one sensitive value" + (" beside items" if "items" in roles.values() else "")
    pseudonyms = [name for name, role in roles.items() if role == "pseudonym"]
    if pseudonyms:  # look-alikes are persons with the same rows
        kind = "one sensitive value of linked rows"
        rows = frame.select(pseudonyms[0], pl.struct(quasi_names).rank("dense").alias("\0row"))
        every = rows.group_by(pseudonyms[0]).agg(pl.col("\0row").sort())
        every = every.with_columns(pl.col("\0row").cast(pl.List(pl.String)).list.join(" ").alias(_ROWS)).drop(
            "\0row"
        )
        frame, quasi_names = (
            frame.join(every, on=pseudonyms[0], how="left", maintain_order="left"),
            [*quasi_names, _ROWS],
        )
    notes = []
    for name in [name for name, role in roles.items() if role == "sensitive" and quasi_names]:
        values = cell_texts(frame[name])
        cells = values.drop_nulls().unique().to_list()
        unified = values.replace_strict(cells, unify_spellings(cells), default=None)
        kinds = frame.select(*quasi_names, _MANY).with_columns(unified.alias("\0value"))
        classes = kinds.group_by(quasi_names).agg(
            pl.col(_MANY).sum(), pl.col("\0value").n_unique().alias("\0of")
        )
        uniform = classes.filter((pl.col("\0of") == 1) & (pl.col(_MANY) > 1))
        if uniform.height:
            notes.append(_note(kind, name, int(uniform[_MANY].sum())))
    return notes


def _allowed_notes(frame: pl.DataFrame, roles: Mapping[str, str], allow: AbstractSet[str]) -> list[Note]:
    allowed_names = [name for name, role in roles.items() if name in allow and role in ("plain", "sensitive")]
    count_by_value = {name: frame.group_by(name).agg(pl.col(_MANY).sum())[_MANY] for name in allowed_names}
    return [_note("allowed", name, int((counts == 1).sum())) for name, counts in count_by_value.items()]


def _field_notes(trees: Trees) -> list[Note]:
    """Fields of record trees of which only one value is published."""
    present = np.unique(trees.items)
    if not len(present):
        return []
    values = np.bincount(trees.kinds[present], minlength=len(trees.classes))
    owner = row_of_entry(trees.start)
    notes = []
    for kind, name in enumerate(trees.classes):
        if values[kind] == 1 and name != trees.sensitive:
            record_count = len(np.unique(owner[trees.kinds[trees.items] == kind]))
            notes.append(_note("one value", name, record_count))
    return notes


def _note(kind: str, column: str, count: int) -> Note:
    return {"kind": kind, "column": column, "count": count}
