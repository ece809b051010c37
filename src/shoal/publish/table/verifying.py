"""A released table as its judges see it, from its folder or beside originals."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from shoal.data import Column, Table
from shoal.data.lists import owners
from shoal.data.types import B1, I4
from shoal.hierarchy import Hierarchies
from shoal.io.cells import factorize, text
from shoal.io.config import Config
from shoal.privacy.covering import covering
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.protocols import Known
from shoal.publish.table.dataset import TableData
from shoal.publish.table.judging import published, resolve
from shoal.release import Claim, Published, Verdict

__all__ = ["covered", "covered_cells", "known", "seen"]


def known(columns: Mapping[str, str], config: Config | None, originals: TableData | None) -> Known:
    """What labels stand for: by the originals' hierarchies, by those that are files, or by themselves."""
    if originals is not None:
        return Known(columns, originals.hierarchies, originals=originals)
    return Known(columns, {} if config is None else hierarchies_in_files(config))


def seen(frame: pl.DataFrame, known: Known, claim: Claim) -> Published:
    """Released cells as the judges of tables see them."""
    return published(frame, known.columns, known.hierarchies)


def covered(frame: pl.DataFrame, originals: TableData) -> Verdict:
    """Judge that the originals can have given these cells."""
    return covered_cells(frame, originals.table, originals.hierarchies)


def covered_cells(frame: pl.DataFrame, table: Table, hierarchies: Hierarchies) -> Verdict:
    """Judge that the records of a table can have given these cells."""
    fits = [_fits(text(frame[column.name]), column, hierarchies) for column in table.columns]
    forms = np.stack([codes for codes, _, _ in fits], axis=1)
    values = np.stack([codes for _, codes, _ in fits], axis=1)
    return covering(forms, values, [covers for _, _, covers in fits])


def _fits(cells: pl.Series, column: Column, hierarchies: Hierarchies) -> tuple[I4, I4, B1]:
    """Each row's form, each original's value, and bool[forms, values]: which form covers which value."""
    if column.role == "quasi":
        hierarchy = hierarchies[column.name]
        forms, codes = resolve(cells, hierarchy)
        covers = np.zeros((len(forms.labels), hierarchy.size + 1), dtype=bool)
        covers[owners(forms.start), forms.leaves] = True
        return codes, hierarchy.encode(column), covers
    released, codes = factorize(cells)
    place = {value: code for code, value in enumerate(released)}
    same = np.zeros((len(released), len(column.values)), dtype=bool)
    for value, text_of_value in enumerate(column.values):
        if text_of_value in place:
            same[place[text_of_value], value] = True
    return codes, column.codes, same
