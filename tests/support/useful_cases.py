"""Random columns as analysts read them: cells that stand for one or several leaves, or may be missing."""

import numpy as np
from hypothesis import strategies as st

from shoal.release import PublishedValues
from shoal.utility.columns import Cells


def cells_of(name, sets, size, group=None, numbers=None, ordered=False):
    """A column from the leaves of each row, None among them being the missing value."""
    rows = [tuple(sorted(size if leaf is None else leaf for leaf in one)) for one in sets]
    forms = sorted(set(rows))
    group = list(range(size)) if group is None else group
    return Cells(
        name,
        np.array([forms.index(row) for row in rows], dtype=np.int32),
        PublishedValues.of_sets(
            [str(form) for form in forms], [np.array(form, dtype=np.int32) for form in forms]
        ),
        tuple(f"g{g}" for g in range(max(group) + 1)),
        np.array(group, dtype=np.int32),
        None if numbers is None else np.array(numbers, dtype=np.float64),
        ordered,
    )


@st.composite
def sets_of_leaves(draw, rows, size):
    """What each row stands for: some leaves, perhaps none, perhaps the missing value."""
    leaf = st.one_of(st.none(), st.integers(0, size - 1))
    return draw(st.lists(st.sets(leaf, max_size=3), min_size=rows, max_size=rows))


@st.composite
def groups(draw, size):
    """A group for each leaf, numbered without holes."""
    found = draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    return [sorted(set(found)).index(g) for g in found]


@st.composite
def columns(draw, rows, name="c"):
    """A column as `cells_of` makes it, and beside it the leaves of each row and the group of each leaf."""
    size = draw(st.integers(1, 4))
    sets, group = draw(sets_of_leaves(rows, size)), draw(groups(size))
    return cells_of(name, sets, size, group, ordered=draw(st.booleans())), sets, group
