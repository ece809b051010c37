import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.attacks.known_columns import count_candidates
from shoal.attacks.view_table import TableView


@given(st.data())
def test_candidates_are_rows_whose_labels_stand_for_all_that_is_known(data):
    n, d = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 3))
    numbers = st.integers(0, 2)
    values = np.array(
        data.draw(st.lists(st.tuples(*[numbers] * d), min_size=n, max_size=n)), dtype=np.int32
    ).reshape(n, d)
    forms = np.array(
        data.draw(st.lists(st.tuples(*[numbers] * d), min_size=n, max_size=n)), dtype=np.int32
    ).reshape(n, d)
    covers = tuple(
        np.array(data.draw(st.lists(st.booleans(), min_size=9, max_size=9))).reshape(3, 3) for _ in range(d)
    )
    view = TableView(values, covers, forms, np.arange(n))
    known = data.draw(st.lists(st.integers(0, d - 1), min_size=1, unique=True))
    fitting = [
        sum(all(covers[j][row[j], person[j]] for j in known) for row in forms.tolist())
        for person in values.tolist()
    ]
    assert count_candidates(view, np.arange(n), known).tolist() == fitting
