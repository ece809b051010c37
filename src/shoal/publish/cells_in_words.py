"""Cells of records as somebody reads them: texts, lists of items in words, record trees as indented lines."""

from collections.abc import Iterable, Mapping
from itertools import pairwise

import polars as pl

from shoal.data import Baskets, Trees
from shoal.data.arrays import I8
from shoal.io.read.cells import clean_cells, text
from shoal.io.read.source import Source
from shoal.io.write.json_text import Entry, read_lists
from shoal.report.words import label, short

__all__ = ["Cells", "item_words", "list_words", "read", "source_words", "tree_words"]

Cells = list[str | None]
_LONGEST = 400  # signs of a cell


def read(frame: pl.DataFrame, roles: Mapping[str, str]) -> list[Cells]:
    """Released cells column by column: lists of items in words, everything else as text."""
    return [
        list_words(frame[name]) if roles[name] == "items" else _texts(frame[name]) for name in frame.columns
    ]


def source_words(source: Source, name: str, rows: I8) -> Cells:
    """The cells of some records as they came in, what means no value left empty."""
    return _texts(clean_cells(text(source.frame[name].gather(pl.Series(rows))), source.missing))


def item_words(baskets: Baskets, rows: I8) -> Cells:
    """The items of some records, with commas between them."""
    return [_listed(baskets.values[code] for code in baskets.basket(int(row))) for row in rows]


def list_words(cells: pl.Series) -> Cells:
    """Released lists of items, with commas between them; a set of items is in braces.

    >>> list_words(pl.Series("items", ['["milk", ["bread", "rolls"]]', "[]"]))
    ['milk, {bread, rolls}', '']
    """
    start, items, entries = read_lists(cells)
    words = [_word(entry) for entry in entries]
    return [_listed(words[code] for code in items[a:b]) for a, b in pairwise(start.tolist())]


def tree_words(trees: Trees) -> Cells:
    """Record trees, one line per node, each further in than what it hangs under; fields by their last name.

    >>> print(tree_words(Trees.of([[("ward", "A", ("ward.ill", "flu"))]]))[0])
    ward: A
      ill: flu
    """
    names = [trees.classes[kind].rpartition(".")[2] for kind in trees.kinds]
    heads = [f"{label(name)}: {label(value)}" for name, value in zip(names, trees.values, strict=True)]
    return [
        _lines(heads, trees.items[a:b].tolist(), trees.parents[a:b].tolist())
        for a, b in pairwise(trees.start.tolist())
    ]


def _lines(heads: list[str], items: list[int], parents: list[int]) -> str:
    deep: list[int] = []
    for parent in parents:
        deep.append(0 if parent < 0 else deep[parent] + 1)
    return "\n".join(
        f"{'  ' * far}{short(heads[item], _LONGEST)}" for far, item in zip(deep, items, strict=True)
    )


def _texts(cells: pl.Series) -> Cells:
    return [None if cell is None else short(cell, _LONGEST) for cell in text(cells)]


def _listed(words: Iterable[str]) -> str:
    return short(", ".join(words), _LONGEST)


def _word(entry: Entry) -> str:
    return entry if isinstance(entry, str) else "{" + ", ".join(entry) + "}"
