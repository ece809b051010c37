import builtins
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_useful import auc as naive_auc
from shoal.errors import ExtraError
from shoal.publish.study.useful.models import MODELS, auc, require_models, trained


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=2, max_size=12))
def test_auc_counts_pairs_in_order(pairs):
    scores, positive = zip(*pairs, strict=True)
    if len(set(positive)) < 2:
        return
    belief = np.stack([-np.array(scores, dtype=float), np.array(scores, dtype=float)], axis=1)
    assert auc(belief, np.array(positive, dtype=np.int32)) == pytest.approx(naive_auc(scores, positive))


def test_auc_of_several_values_is_weighted_by_their_frequency():
    truth = np.array([0, 0, 1, 2], dtype=np.int32)
    belief = np.array([[0.6, 0.2, 0.2], [0.1, 0.3, 0.6], [0.2, 0.7, 0.1], [0.5, 0.4, 0.1]])
    each = [naive_auc(belief[:, one], truth == one) for one in range(3)]
    assert auc(belief, truth) == pytest.approx((2 * each[0] + each[1] + each[2]) / 4)
    assert auc(np.ones((3, 1)), np.zeros(3, dtype=np.int32)) == 0.5


@pytest.mark.parametrize("model", MODELS)
def test_a_model_learns_what_there_is_to_learn(model):
    rng = np.random.default_rng(0)
    x = rng.random((400, 2)).astype(np.float32)
    y = (x[:, 0] > 0.5).astype(np.int32)
    belief = trained(model, x[:300], y[:300], x[300:], 2)
    assert belief.sum(axis=1) == pytest.approx(1)
    assert np.mean(belief.argmax(axis=1) == y[300:]) > 0.9
    assert (trained(model, x[:300], y[:300], x[300:], 2) == belief).all()


@pytest.mark.parametrize("model", MODELS)
def test_one_value_or_no_feature_leaves_a_guess(model):
    x, y = np.zeros((4, 1), dtype=np.float32), np.array([1, 1, 1, 1], dtype=np.int32)
    assert trained(model, x, y, x, 3)[0].tolist() == [0, 1, 0]
    mixed = np.array([0, 1, 1, 1], dtype=np.int32)
    assert trained(model, x[:, :0], mixed, x[:, :0], 2)[0].tolist() == [0.25, 0.75]


def test_a_missing_package_is_one_sentence(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "sklearn", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ExtraError, match=r'this needs scikit-learn.*run: pip install "shoal-privacy\[ml\]"'):
        require_models()
