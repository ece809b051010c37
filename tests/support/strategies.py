"""Small random data with many equal records: at most twelve rows, one to three columns, few values."""

from functools import lru_cache
from itertools import combinations

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
    between = draw(several(tuple(map("".join, subsets(UNSEEN, 2))), len(text) + 1))
    return between[0] + "".join(sign + unseen for sign, unseen in zip(text, between[1:], strict=True))


@st.composite
def rewritten(draw, text):
    """The same words, with other signs between and around them."""
    words = text.split(" ")
    gaps = draw(
        several((" ", "-", "", "\u2013", "_", "\u00a0", " - ", "'", "\u2019", ". ", "\u2011"), len(words))
    )
    quote = draw(st.sampled_from(("", "'", '"', "\u201c", "\u2032", " ")))
    joined = "".join(word + gap for word, gap in zip(words, [*gaps[1:], ""], strict=True))
    return quote + draw(st.sampled_from((joined, joined.upper(), joined.title()))) + quote


@st.composite
def written_numbers(draw, number):
    """A number as people of some country write it."""
    sign, point, rest = draw(
        st.sampled_from(
            (
                ("", ".", "0"),
                (",", ".", ""),
                (".", ",", "0"),
                (" ", ",", ""),
                ("\u202f", ",", "0"),
                ("'", ".", ""),
                ("\u2019", ".", "00"),
            )
        )
    )
    whole, _, decimals = f"{abs(number):f}".partition(".")
    head = f"{int(whole):,}".replace(",", sign)
    minus = draw(st.sampled_from("-\u2212\u2013")) if number < 0 else draw(st.sampled_from(("", "+")))
    return minus + head + point + (decimals or "0") + rest


@lru_cache(2048)
def several(values, number):
    """So many of `values`, each of them as likely as the others.

    They are one draw of bytes: a draw for each cell took more time than the methods and judges that laws are about.
    """
    return st.binary(min_size=number, max_size=number).map(
        lambda drawn: [values[byte % len(values)] for byte in drawn]
    )


@lru_cache(2048)
def subsets(values, most):
    """Every set of at most so many of `values`, the small ones first."""
    return tuple(frozenset(some) for size in range(most + 1) for some in combinations(values, size))


@lru_cache(2048)
def orders(values):
    """All of `values`, in any order, as one draw."""
    number = len(values)
    return st.binary(min_size=number, max_size=number).map(
        lambda drawn: [values[place] for place in sorted(range(number), key=drawn.__getitem__)]
    )


@st.composite
def hierarchies(draw, leaves=VALUES, max_height=3):
    """Paths, one a leaf, leaf first and the root "*" last, all of one length, in any order."""
    paths = [[leaf] for leaf in draw(orders(leaves))]
    for level in range(1, draw(st.integers(1, max_height))):
        nodes = sorted({path[-1] for path in paths})
        groups = draw(several(tuple(range(len(nodes))), len(nodes)))
        above = {node: f"{level}.{group}" for node, group in zip(nodes, groups, strict=True)}
        for path in paths:
            path.append(above[path[-1]])
    return [[*path, "*"] for path in paths]


@st.composite
def tables(
    draw, min_rows=1, max_rows=12, max_quasi=3, min_sensitive=0, max_sensitive=1, missing=True, persons=False
):
    """A table of quasi-identifiers q0, q1, ... over VALUES and sensitive columns s0, ... over DISEASES.

    With `persons`, rows may belong to persons who have several.
    """
    rows = draw(st.integers(min_rows, max_rows))
    gaps = (None,) if missing else ()

    def column(name, role, values):
        return Column.of(name, role, draw(several((*values, *gaps), rows)))

    quasi = [column(f"q{j}", "quasi", VALUES) for j in range(draw(st.integers(1, max_quasi)))]
    secrets = draw(st.integers(min_sensitive, max_sensitive))
    sensitive = [column(f"s{j}", "sensitive", DISEASES) for j in range(secrets)]
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
        return np.array(draw(several(tuple(range(low, high + 1)), rows)), dtype=np.int64)

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
    return np.array(draw(several(tuple(range(max(rows, 1))), rows)), dtype=np.int64)
