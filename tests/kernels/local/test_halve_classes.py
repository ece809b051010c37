import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from local_cases import cases, partitions, plain_ask
from shoal.kernels.local.halve_classes import halve
from shoal.kernels.local.keeps_claim import fits


def halved(local, k, strict):
    begin = np.cumsum([0, *(len(scale.joint) for scale in local.scales)])[:-1].astype(np.int64)
    joint = np.concatenate([scale.joint for scale in local.scales])
    ask, tally = plain_ask(k)
    return halve(local.codes, local.rates, begin, joint, strict, ask, tally, np.zeros(1, dtype=np.int64))


@given(case=cases(), k=st.integers(1, 4), strict=st.booleans())
@settings(max_examples=80, deadline=None)
def test_classes_hold_k_and_everybody(case, k, strict):
    local = case.local
    walk, starts = halved(local, k, strict)
    assert sorted(walk.tolist()) == list(range(local.n))
    sizes = np.diff(starts)
    assert sizes.min() >= min(k, local.n)
    if strict:  # equal records stay together
        of = {i: c for c, part in enumerate(partitions(walk, starts)) for i in part}
        assert all(len({of[i] for i in range(local.n) if case.rows[i] == row}) == 1 for row in case.rows)
    else:  # while records differ anywhere, a class of 2k can be halved
        for part in partitions(walk, starts):
            assert len(part) < 2 * k or len({case.rows[i] for i in part}) == 1


@given(case=cases(max_quasi=1, missing=False), k=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_a_strict_cut_lies_between_children(case, k):
    """In one column: no class can be cut further between two children of its closest common node."""
    local, paths = case.local, case.paths[0]
    walk, starts = halved(local, k, True)
    ask, tally = plain_ask(k)
    for part in partitions(walk, starts):
        cells = {case.rows[i][0] for i in part}
        if len(cells) == 1:
            continue
        top = next(l for l in range(9) if len({paths[cell][l] for cell in cells}) == 1)
        children = list(
            dict.fromkeys(paths[leaf][top - 1] for leaf in local.hierarchies[0].leaves if leaf in cells)
        )
        for cut in range(1, len(children)):
            left = [i for i in part if paths[case.rows[i][0]][top - 1] in children[:cut]]
            right = sorted(part - set(left))
            assert not (fits(np.array(left), ask, tally) and fits(np.array(right), ask, tally))
