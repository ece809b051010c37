"""Utility loss in floats against fractions, where powers of two overflow."""

from fractions import Fraction

import numpy as np
import pytest

from shoal.kernels.itemsets.subset_loss import subset_loss


def loss(sizes):
    """One record of so many forms, each of its own size."""
    n = len(sizes)
    start, items, form = np.array([0, n]), np.arange(n, dtype=np.int32), np.arange(n, dtype=np.int32)
    return subset_loss(start, items, form, np.array(sizes, dtype=np.int64), np.ones(n), n, n)


@pytest.mark.parametrize("big", [1, 63, 64, 1024, 5000])
@pytest.mark.parametrize("others", [[], [1], [2, 3], [1] * 60])
def test_large_forms_do_not_overflow(big, others):
    sizes = [big, *others]
    exact = Fraction(sum(2**size - 1 for size in sizes), 2 ** sum(sizes) - 1)
    assert loss(sizes) == pytest.approx(float(exact), rel=1e-12)


def test_items_of_one_form_count_once_and_what_is_left_out_loses_all():
    form, size = np.array([0, 0, 1, -1], dtype=np.int32), np.array([2, 2, 1, 0])
    start = np.array([0, 2, 2, 5, 6])
    items = np.array([0, 1, 0, 2, 3, 3], dtype=np.int32)
    # (a, b) alone; nothing; (a, b), c and a third item gone, which may be any of four; nothing left of one item
    found = subset_loss(start, items, form, size, np.ones(4), 2, 4)
    assert found == pytest.approx(1 + 0 + (3 + 1 + 15) / 127 + 1)


def test_forms_weigh_what_they_are_worth():
    form, size, worth = np.array([0, 0, 1], dtype=np.int32), np.array([2, 2, 1]), np.array([0.5, 0.5, 0.25])
    items = np.array([0, 1, 2], dtype=np.int32)
    assert subset_loss(np.array([0, 3]), items, form, size, worth, 2, 3) == pytest.approx((1.5 + 0.25) / 7)
