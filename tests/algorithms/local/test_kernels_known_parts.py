import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms.local._kernels.known_parts import settle_rest


@st.composite
def classes(draw):
    """Classes of rows with labels of some columns, in groups of k or more, and parts of a column to be placed."""
    k, many = draw(st.integers(1, 3)), draw(st.integers(0, 3))
    rows, starts = [], [0]
    for _ in range(draw(st.integers(1, 3))):
        kinds = draw(
            st.lists(
                st.tuples(st.integers(0, 3), st.tuples(*[st.integers(0, 2)] * many)), min_size=1, max_size=12
            )
        )
        rows += [kind for kind in kinds for _ in range(k)]
        starts.append(len(rows))
    parts = np.array([part for part, _ in rows], dtype=np.int32)
    moved = draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    parts = np.where(np.array(moved) == 0, parts, np.array(moved)).astype(np.int32)
    labels = np.array([label for _, label in rows], dtype=np.int32).reshape(len(rows), many).T.copy()
    return k, parts, labels, np.array(starts, dtype=np.int64)


@settings(max_examples=200, deadline=None)
@given(classes(), st.data())
def test_every_group_of_a_part_and_of_the_rest_has_k_rows(drawn, data):
    k, parts, labels, starts = drawn
    before = parts.copy()
    many = len(starts) - 1
    sizes = np.full((len(labels), many), 3, dtype=np.int32)
    most = np.array(data.draw(st.lists(st.integers(-1, 40), min_size=many, max_size=many)), dtype=np.int64)
    settle_rest(parts, labels, starts, sizes, np.full(many, 4, dtype=np.int64), most, k)
    for c, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        assert ((parts[begin:end] == before[begin:end]) | (parts[begin:end] == 0)).all()
        rest = int((parts[begin:end] == 0).sum())
        assert rest <= max(most[c], -1) or rest == end - begin
        for label in labels:
            groups = list(zip(label[begin:end].tolist(), parts[begin:end].tolist(), strict=True))
            assert all(groups.count(group) >= k for group in groups)


def test_rows_that_are_over_are_the_rest_with_as_few_others_as_fill_it():
    parts = np.array([1] * 8 + [2], dtype=np.int32)
    labels = np.array([[0, 0, 0, 0, 1, 1, 1, 1, 0]], dtype=np.int32)
    sizes = np.array([[2]], dtype=np.int32)
    settle_rest(parts, labels, np.array([0, 9]), sizes, np.array([3]), np.array([9]), 2)
    assert parts.tolist() == [0, 1, 1, 1, 1, 1, 1, 1, 0]
