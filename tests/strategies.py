"""Small random data with many equal records: at most twelve rows, one to three columns, few values."""

import numpy as np
from hypothesis import strategies as st

from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy
from shoal.release import Published, Sensitive

VALUES = ("a", "b", "c", "d")
DISEASES = ("flu", "gout", "hiv")
UNSEEN = (
    *(
        "\x00",
        "\x7f",
        "\u00ad",
        "\u034f",
        "\u061c",
        "\u180e",
        "\u200b",
        "\u200d",
        "\u200e",
        "\u202e",
        "\u2060",
    ),
    *("\u2066", "\u3164", "\ufe0f", "\ufeff", "\ufff9", "\U000e0041", "\U000e0100"),
)
"""Characters for which nothing is drawn, some of each kind."""


@st.composite
def decorated(draw, text):
    """The same text to whoever reads it, with characters between its own for which nothing is drawn."""
    between = st.lists(st.sampled_from(UNSEEN), max_size=2).map("".join)
    return draw(between) + "".join(sign + draw(between) for sign in text)


@st.composite
def hierarchies(draw, leaves=VALUES, max_height=3):
    """Paths, one a leaf, leaf first and the root "*" last, all of one length, in any order."""
    paths = [[leaf] for leaf in draw(st.permutations(leaves))]
    for level in range(1, draw(st.integers(1, max_height))):
        nodes = sorted({path[-1] for path in paths})
        above = {node: f"{level}.{draw(st.integers(0, len(nodes) - 1))}" for node in nodes}
        for path in paths:
            path.append(above[path[-1]])
    return [[*path, "*"] for path in paths]


@st.composite
def tables(draw, min_rows=1, max_rows=12, max_quasi=3, max_sensitive=1, missing=True, persons=False):
    """A table of quasi-identifiers q0, q1, ... over VALUES and sensitive columns s0, ... over DISEASES.

    With `persons`, rows may belong to persons who have several.
    """
    rows = draw(st.integers(min_rows, max_rows))
    gaps = (None,) if missing else ()

    def column(name, role, values):
        cells = draw(st.lists(st.sampled_from((*values, *gaps)), min_size=rows, max_size=rows))
        return Column.of(name, role, cells)

    quasi = [column(f"q{j}", "quasi", VALUES) for j in range(draw(st.integers(1, max_quasi)))]
    sensitive = [column(f"s{j}", "sensitive", DISEASES) for j in range(draw(st.integers(0, max_sensitive)))]
    return Table((*quasi, *sensitive), _persons(draw, rows) if persons else None)


@st.composite
def cases(draw, **options):
    """A table (see `tables`) and by name a hierarchy for each of its quasi-identifiers."""
    table = draw(tables(**options))
    return table, {c.name: Hierarchy.from_paths(c.name, draw(hierarchies())) for c in table.quasi}


@st.composite
def published(draw, min_rows=1, max_rows=12, min_sensitive=0, missing=True, persons=None):
    """A released table as a judge sees it; `persons` True or False settles whether rows name them."""
    rows = draw(st.integers(min_rows, max_rows))

    def numbers(low, high):
        cells = draw(st.lists(st.integers(low, high), min_size=rows, max_size=rows))
        return np.array(cells, dtype=np.int64)

    named = draw(st.booleans()) if persons is None else persons
    return Published(
        {f"q{j}": numbers(0, 2) for j in range(draw(st.integers(1, 3)))},
        {
            f"s{j}": Sensitive(numbers(-1 if missing else 0, 2), DISEASES)
            for j in range(draw(st.integers(min_sensitive, 2)))
        },
        _persons(draw, rows) if named else None,
    )


def _persons(draw, rows):
    who = draw(st.lists(st.integers(0, max(rows - 1, 0)), min_size=rows, max_size=rows))
    return np.array(who, dtype=np.int64)
