"""Small random record trees: classes A above B above C, D beside them, few values, many equal records."""

from hypothesis import strategies as st

from shoal.hierarchy import Hierarchy
from strategies import several

VALUES = {name: tuple(f"{name.lower()}{i}" for i in range(3)) for name in "ABCD"}


def _node(name, *children):
    return st.builds(
        lambda value, *below: (name, value, *(node for nodes in below for node in nodes)),
        st.sampled_from(VALUES[name]),
        *(st.lists(child, max_size=2 if name == "A" else 1) for child in children),
    )


_c = _node("C")
_b = _node("B", _c)
_a = _node("A", _b, _c)
_d = _node("D")


def records():
    """One record: nodes under its root, maybe none, some without their usual parent."""
    return st.lists(st.one_of(_a, _a, _b, _c, _d), max_size=2).map(tuple)


@st.composite
def trees(draw, min_records=1, max_records=10):
    """Records, many of them equal."""
    kinds = draw(st.lists(records(), min_size=1, max_size=5))
    return draw(several(tuple(kinds), draw(st.integers(min_records, max_records))))


def hierarchies():
    """By class, three values of which two share a group below the root."""
    return {
        name: Hierarchy.from_paths(
            name, [[values[0], f"{name}01", "*"], [values[1], f"{name}01", "*"], [values[2], f"{name}2", "*"]]
        )
        for name, values in VALUES.items()
    }
