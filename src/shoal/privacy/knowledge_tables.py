"""Pieces of knowledge with how many records fit them: tables that are made of some records, and merged by key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data.lists import owners, take
from shoal.data.types import B1, I4, I8
from shoal.privacy.combinations import Batch
from shoal.privacy.knowledge import Facts
from shoal.privacy.lookalikes import group

__all__ = ["KnowledgeTable", "among", "counted", "merged"]


@dataclass(frozen=True, slots=True)
class KnowledgeTable:
    """Sets of values with the relations that records show among them, each once.

    values, masks : columns as in `Batch`; the key of a row
    fits    : int64[rows]      records that hold these values and show exactly these relations
    row, secret, having : of these records, how many hold each secret; by row
    """

    values: tuple[I4, ...]
    masks: tuple[I8, ...]
    fits: I8
    row: I8
    secret: I8
    having: I8

    @property
    def key(self) -> tuple[NDArray[Any], ...]:
        """The columns that tell rows apart; one column of zeros where nothing is known."""
        return (*self.values, *self.masks) or (np.zeros(len(self.fits), dtype=np.int64),)

    @property
    def sets(self) -> I8:
        """Number the rows so that those of one set of values, whatever its relations, have one number."""
        return group(self.values or (np.zeros(len(self.fits), dtype=np.int64),))[0]


def counted(told: Facts, batch: Batch, *, secrets: bool) -> tuple[KnowledgeTable, I8]:
    """Count the sets of one batch: the table, and the row in it of each entry of the batch."""
    weight = told.weight[batch.record]
    of, heads = group((*batch.values, *batch.masks) or (np.zeros(len(weight), dtype=np.int64),))
    fits = np.bincount(of, weights=weight, minlength=len(heads)).astype(np.int64)
    none = np.zeros(0, dtype=np.int64)
    row, secret, having = none, none, none
    if secrets:
        start, held = take(told.secret_start, told.secrets, batch.record)
        entry = owners(start)
        row, secret, having = _added(of[entry], held, weight[entry])
    values = tuple(column[heads] for column in batch.values)
    masks = tuple(column[heads] for column in batch.masks)
    return KnowledgeTable(values, masks, fits, row, secret, having), of


def merged(tables: Sequence[KnowledgeTable]) -> KnowledgeTable:
    """One table of several about different records: equal keys become one, and their records are added."""
    if len(tables) == 1:
        return tables[0]
    key = [np.concatenate(column) for column in zip(*(table.key for table in tables), strict=True)]
    of, heads = group(key)
    fits = np.concatenate([table.fits for table in tables])
    first = np.cumsum([0, *(len(table.fits) for table in tables)])
    rows = np.concatenate([table.row + at for table, at in zip(tables, first[:-1], strict=True)])
    secret = np.concatenate([table.secret for table in tables])
    having = np.concatenate([table.having for table in tables])
    size = len(tables[0].values)
    return KnowledgeTable(
        tuple(column[heads] for column in key[:size]),
        tuple(column[heads] for column in key[size : size + len(tables[0].masks)]),
        np.bincount(of, weights=fits, minlength=len(heads)).astype(np.int64),
        *_added(of[rows], secret, having),
    )


def among(table: KnowledgeTable, chosen: KnowledgeTable) -> B1:
    """Which rows of a table have the key of a row of another one."""
    both = [np.concatenate(column) for column in zip(table.key, chosen.key, strict=True)]
    of, _ = group(both)
    return np.isin(of[: len(table.fits)], of[len(table.fits) :])


def _added(row: I8, secret: I8, having: I8) -> tuple[I8, I8, I8]:
    """Add what is counted for one row and secret."""
    if not len(row):
        return row, secret, having
    of, heads = group((row, secret))
    return row[heads], secret[heads], np.bincount(of, weights=having, minlength=len(heads)).astype(np.int64)
