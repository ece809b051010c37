import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_bits
from shoal.algorithms.sets.nonreciprocal import nonreciprocal
from shoal.data import Sets
from shoal.errors import InputError
from shoal.utility.bits import bit_losses, er, er_by_frequency, hop, qe, workload

few = settings(max_examples=50, deadline=None)
rows = st.lists(st.frozensets(st.sampled_from("abcde"), max_size=5), min_size=1, max_size=12)


def baskets_of(start, items):
    return [set(items[a:b].tolist()) for a, b in itertools.pairwise(start)]


@given(rows, st.data())
@few
def test_losses_agree_with_their_definitions(rows, data):
    sets = Sets.of("i", [*rows, {"a"}])
    release = nonreciprocal(sets, k=data.draw(st.integers(1, sets.n))).release
    originals, shown = baskets_of(sets.start, sets.items), baskets_of(release.start, release.items)
    published = [(items, (), 0) for items in shown]
    assert er(release, sets) == pytest.approx(naive_bits.error_rate(originals, published, release.rows))
    queries = workload(sets, data.draw(st.integers(1, len(sets.values))), 20)
    for absent in (False, True):
        expected = naive_bits.query_error(originals, shown, queries.tolist(), absent)
        assert qe(release, sets, queries, absent=absent) == pytest.approx(expected)
    order = np.array(data.draw(st.permutations(range(sets.n))))
    assert hop(sets, order) == pytest.approx(np.mean(naive_bits.hops([originals[i] for i in order])))


@given(rows)
@few
def test_bands_add_up_to_all_flips(rows):
    sets = Sets.of("i", [*rows, {"a"}])
    release = nonreciprocal(sets, k=min(3, sets.n)).release
    bands = er_by_frequency(release, sets)
    originals, shown = baskets_of(sets.start, sets.items), baskets_of(release.start, release.items)
    pairs = [(originals[own], items) for own, items in zip(release.rows, shown, strict=True)]
    assert sum(band.lost for band in bands) == sum(len(own - items) for own, items in pairs)
    assert sum(band.added for band in bands) == sum(len(items - own) for own, items in pairs)
    assert sum(band.held for band in bands) == len(sets.items)
    assert sum(band.items for band in bands) == len(sets.values)
    assert all(band.er == (band.lost + band.added) / band.held for band in bands)


def test_what_is_untouched_loses_nothing():
    sets = Sets.of("i", [["a", "b"], ["c"], []])
    release = nonreciprocal(sets, k=1).release
    assert bit_losses(release, sets) == {"er": 0, "qe": 0, "qe-absent": 0}


def test_workloads_repeat_and_hold_different_items():
    sets = Sets.of("i", [[str(i) for i in range(9)]])
    queries = workload(sets, 4)
    assert queries.shape == (500, 4)
    assert (queries == workload(sets, 4)).all()
    assert all(len(set(query)) == 4 for query in queries.tolist())
    assert (queries != workload(sets, 4, rng=np.random.default_rng(1))).any()
    with pytest.raises(InputError, match="queries of 10 items, and there are 9"):
        workload(sets, 10)


def test_no_items_at_all():
    sets = Sets.of("i", [[], []])
    assert er(nonreciprocal(sets, k=2).release, sets) == 0
    assert bit_losses(nonreciprocal(sets, k=2).release, sets) == {"er": 0, "qe": 0, "qe-absent": 0}
