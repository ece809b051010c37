import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_blind
from shoal.algorithms.local._kernels import boxes as kernels
from shoal.algorithms.local._kernels.boxes import ALONE, Policy, PublicShares, cut_regions


@st.composite
def situations(draw):
    """Records, persons, public people and shares, and a policy; numbers that make no two cuts equally good."""
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    cell = [st.integers(0, size - 1) for size in sizes]
    rows = draw(st.lists(st.tuples(*(st.integers(0, size) for size in sizes)), min_size=1, max_size=40))
    people = draw(st.none() | st.lists(st.tuples(*cell), min_size=1, max_size=30))
    who = draw(st.none() | st.lists(st.integers(0, 20), min_size=len(rows), max_size=len(rows)))
    weights = [draw(st.lists(st.integers(1, 99), min_size=size, max_size=size)) for size in sizes]
    apart = [
        draw(st.lists(st.sampled_from([1, 2, 3, ALONE]), min_size=size, max_size=size)) for size in sizes
    ]
    price = draw(st.lists(st.sampled_from([0.31, 0.47, 1.13]), min_size=len(sizes), max_size=len(sizes)))
    policy = {
        "k": draw(st.integers(1, 6)),
        "anywhere": draw(st.booleans()),
        "price": [p / sum(price) for p in price],
        "spread": draw(st.sampled_from([0.5, 0.7, 1.0])),
        "fear": draw(st.sampled_from([0.3, 1.0, 4.0])),
        "prior": kernels._PRIOR,
        "alone": ALONE,
    }
    share = [[w / sum(column) for w in column] for column in weights]
    return rows, who, (share, apart, people, sizes), policy


@settings(max_examples=150)
@given(situations())
def test_boxes_are_those_of_the_definition(case):
    rows, who, (share, apart, people, sizes), policy = case
    owners = list(range(len(rows))) if who is None else who
    expected = naive_blind.regions(rows, owners, (share, apart, people, sizes), policy)
    found = cut_regions(
        np.array(rows, dtype=np.int32).reshape(len(rows), len(sizes)),
        np.unique(np.array(owners), return_inverse=True)[1]
        if who is not None
        else np.empty(0, dtype=np.int64),
        PublicShares(
            np.cumsum([0, *sizes]),
            np.concatenate(share),
            np.concatenate(apart).astype(np.int64),
            np.array(people or [], dtype=np.int32).reshape(-1, len(sizes)),
        ),
        Policy(
            policy["k"], int(policy["anywhere"]), np.array(policy["price"]), policy["spread"], policy["fear"]
        ),
        np.zeros(1, dtype=np.int64),
    )
    boxes = [
        None if box < 0 else tuple(zip(found.low[box].tolist(), found.high[box].tolist(), strict=True))
        for box in found.of.tolist()
    ]
    assert boxes == expected
