"""Absences that are known, one after the other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.absences import ruled_out

THINGS = 4
things = st.lists(st.sets(st.integers(0, THINGS - 1)), min_size=1, max_size=6)


def lists(sets):
    return np.cumsum([0, *map(len, sets)]), np.array(
        [one for some in sets for one in sorted(some)], dtype=np.int64
    )


@given(things, things, st.data())
def test_each_absence_rules_out_most_of_what_is_left(rows, people, data):
    """Rows that show only what a person has are never ruled out; of ties the smallest thing is taken."""
    fitting = [data.draw(st.sets(st.integers(0, len(rows) - 1))) for _ in people]
    place = np.array([p for p, some in enumerate(fitting) for _ in some], dtype=np.int64)
    row = np.array([r for some in fitting for r in sorted(some)], dtype=np.int64)
    found = [left.tolist() for left in ruled_out(place, row, lists(rows), lists(people), THINGS, 3)]
    left = [set(some) for some in fitting]
    for step in range(3):
        for person, has in enumerate(people):
            lacks = [thing for thing in range(THINGS) if thing not in has]
            out = [{r for r in left[person] if thing in rows[r]} for thing in lacks]
            left[person] -= max(out, key=len, default=set())
        assert found[step] == [len(some) for some in left]
