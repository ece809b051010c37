"""Small tables with baskets, and a release of them as a judge sees it."""

import numpy as np
from hypothesis import strategies as st

import strategies
from shoal.algorithms.mixed.clusters import MixedRecords
from shoal.data import Baskets, Mixed
from shoal.hierarchy import Hierarchy
from shoal.privacy.truth import truth_of_baskets, truth_of_table
from shoal.release import Published, PublishedBaskets, PublishedMixed

ITEMS = ("e", "f", "g", "h", "i")


@st.composite
def cases(draw, min_rows=1, max_rows=10, sensitive=False, max_quasi=2):
    """A table with baskets, hierarchies of its columns, and one of its items."""
    table, trees = draw(
        strategies.cases(min_rows=min_rows, max_rows=max_rows, max_sensitive=0, max_quasi=max_quasi)
    )
    baskets = draw(strategies.several(strategies.subsets(ITEMS, 4), table.n))
    secret = draw(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=2)) if sensitive else ()
    items = Hierarchy.from_paths("items", draw(strategies.hierarchies(leaves=ITEMS)))
    return Mixed(table, Baskets.of("items", baskets, secret)), trees, items


def records_of(mixed, trees, items, k=1, exempt=False, recode="hierarchy"):
    """The records as methods see them."""
    return MixedRecords.of("bound", mixed, trees, items, k=k, exempt=exempt, recode=recode, grid=None)


def rows_and_columns(records, mixed, trees):
    """The records in the methods' order as tuples of texts, and each column's paths."""
    cells = [column.cells() for column in mixed.table.quasi]
    rows = [tuple(column[row] for column in cells) for row in records.local.rows]
    columns = [
        [
            [tree.labels[level][tree.up[leaf, level]] for level in range(tree.height + 1)]
            for leaf in range(tree.size)
        ]
        for tree in (trees[column.name] for column in mixed.table.quasi)
    ]
    return rows, columns


def published(recoded, sensitive=frozenset()):
    """A release as a judge sees it; `sensitive` are item codes of the data."""
    table, baskets = recoded.table, recoded.baskets
    quasi = {
        name: table.forms[j].sets()[table.codes[:, j]].astype(np.int64) for j, name in enumerate(table.names)
    }
    numbers = baskets.forms.sets()
    leaves = [
        baskets.forms.leaves[a:b].tolist()
        for a, b in zip(baskets.forms.start[:-1], baskets.forms.start[1:], strict=True)
    ]
    place = {part[0]: int(number) for part, number in zip(leaves, numbers, strict=True) if len(part) == 1}
    secret = frozenset(
        place.get(code, len(numbers) + code) for code in sensitive
    )  # also those that do not occur
    items = numbers[baskets.items] if len(baskets.items) else np.empty(0, dtype=np.int64)
    return PublishedMixed(Published(quasi), PublishedBaskets(baskets.start, items, secret))


def classes(recoded):
    """Which original records look alike: a set of sets."""
    seen = published(recoded)
    rows = list(zip(*(column.tolist() for column in seen.table.quasi.values()), strict=True))
    found = {}
    for record, row in zip(recoded.table.rows.tolist(), rows, strict=True):
        found.setdefault(row, set()).add(record)
    return {frozenset(records) for records in found.values()}


def baskets(recoded):
    """Every row's published items, each as the set of item codes it stands for."""
    baskets = recoded.baskets
    forms = [
        frozenset(baskets.forms.leaves[a:b].tolist())
        for a, b in zip(baskets.forms.start[:-1], baskets.forms.start[1:], strict=True)
    ]
    return [
        frozenset(forms[form] for form in baskets.items[a:b])
        for a, b in zip(baskets.start[:-1], baskets.start[1:], strict=True)
    ]


def true(recoded, mixed, trees):
    """Whether the judges of truth say yes to the table and to the baskets."""
    table, out = recoded.table, recoded.baskets
    original = {column.name: trees[column.name].encode(column) for column in mixed.table.quasi}
    shown = {name: (table.forms[j], table.codes[:, j]) for j, name in enumerate(table.names)}
    held = (mixed.baskets.start, mixed.baskets.items)
    of_baskets = truth_of_baskets(
        held, (out.start, out.items), out.forms, out.rows, suppressed=out.suppressed
    )
    return bool(truth_of_table(original, shown, table.rows)) and bool(of_baskets)


def written(recoded, mixed):
    """What stands in the release, whatever the order of its rows."""
    table, values = recoded.table, mixed.baskets.values
    cells = [[str(table.forms[j].labels[code]) for j, code in enumerate(row)] for row in table.codes]
    texts = [sorted(sorted(values[code] for code in form) for form in row) for row in baskets(recoded)]
    return sorted(zip(cells, texts, strict=True))
