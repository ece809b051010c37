import builtins
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive_useful import auc as naive_auc
from shoal.anonymization.makers import trial_maker
from shoal.assess.prediction import (
    _predict_with_model,
    auc,
    check_target,
    predict,
    require_models,
    score_rehearsal,
    select_records,
    split,
)
from shoal.base.errors import ExtraError, InfeasibleError, InputError
from shoal.release import PublishedValues, Recoded
from shoal.report.facts import MODELS

JOBS = [["nurse", "care", "*"], ["doctor", "care", "*"], ["clerk", "office", "*"], ["lawyer", "office", "*"]]


def frame(n=300, seed=0):
    """People whose income follows from their job, mostly, and whose sex says nothing."""
    rng = np.random.default_rng(seed)
    job = rng.integers(4, size=n)
    rich = np.where(rng.random(n) < 0.95, job % 2, 1 - job % 2)
    return pl.DataFrame(
        {
            "job": [JOBS[j][0] for j in job],
            "sex": ["fm"[s] for s in rng.integers(2, size=n)],
            "age": [str(a) for a in rng.integers(20, 60, size=n)],
            "income": ["high" if r else "low" for r in rich],
        }
    )


def people(**changed):
    roles = {"job": "quasi", "sex": "quasi", "age": "quasi", "income": "sensitive", **changed}
    hierarchies = {
        "job": shoal.Hierarchy.from_paths("job", JOBS),
        "age": {"ranges": [10, 20, 40]},
        **({"income": [["low", "*"], ["high", "*"]]} if roles["income"] == "quasi" else {}),
    }
    hierarchies = {
        name: shoal.Hierarchy.from_paths(name, rule) if isinstance(rule, list) else rule
        for name, rule in hierarchies.items()
    }
    return shoal.read(frame(), roles=roles, hierarchies=hierarchies)


def hidden(data):
    """A release in which the job is `*`."""
    rule = {"levels": {"job": 2, "sex": 0, "age": 0}}
    return data.recode(rule, shoal.KAnonymity(2), 0.99).release


def test_a_release_that_keeps_jobs_teaches_what_the_originals_do():
    train, held = split(people())
    release = trial_maker(train, "optimal", {"k": 2, "suppress": 0.2}).make(train).release
    found = predict(train, release, held, "income")
    assert (found.target, found.values, found.tested) == ("income", 2, 90)
    assert 0.4 < found.majority < 0.65
    for score in found.scores:
        assert score.accuracy > 0.8
        assert score.accuracy_originals > 0.8
        assert score.auc > 0.8


def test_a_release_that_hides_jobs_teaches_nothing_more_than_a_guess():
    train, held = split(people())
    found = predict(train, hidden(train), held, "income")
    for score in found.scores:
        assert score.accuracy < 0.7 < score.accuracy_originals
        assert abs(score.auc - 0.5) < 0.25


def test_a_rehearsal_is_the_same_each_time():
    data = people()

    maker = trial_maker(data, "mondrian", {"k": 3})
    first, again = (score_rehearsal(data, maker, "income") for _ in range(2))
    assert first == again
    assert first.learned == first.learned_originals == 210


def test_a_target_that_was_generalized_is_learned_from_where_it_is_told():
    train, held = split(people(income="quasi"))
    names = [column.name for column in train.table.quasi]
    exact = Recoded.of_levels(names, train.hierarchies, train.leaves, [0] * 4, np.arange(210))
    both = PublishedValues.of_sets(
        ["low", "high", "*"], [np.array(one, dtype=np.int32) for one in ([0], [1], [0, 1, 2])]
    )
    codes = exact.codes.copy()
    codes[::3, 3] = 2
    release = replace(exact, forms=(*exact.forms[:3], both), codes=codes)
    found = predict(train, release, held, "income")
    assert (found.learned, found.learned_originals) == (140, 210)
    assert all(score.accuracy > 0.8 for score in found.scores)


def test_a_release_that_never_tells_the_target_is_refused():
    train, held = split(people(income="quasi"))
    rule = {"levels": {"job": 0, "sex": 0, "age": 3, "income": 1}}
    release = train.recode(rule, shoal.KAnonymity(2), 0.99).release
    with pytest.raises(InputError, match="0 released rows show column 'income'"):
        predict(train, release, held, "income")


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("incom", "no published column 'incom'; did you mean 'income'|no published column 'incom'"),
        ("age", "column 'age' has 40 different values; models predict one of 2 to 20"),
    ],
)
def test_targets_that_nobody_can_predict_are_refused(target, sentence):
    with pytest.raises(InputError, match=sentence):
        check_target(people(), target)


def test_record_trees_have_no_target():
    trees = shoal.read_trees([{"age": "30"}, {"age": "31"}], hierarchies={"age": {"ranges": [10]}})
    with pytest.raises(InputError, match="not on record trees"):
        check_target(trees, "age")


def test_a_part_that_cannot_be_released_says_so():
    with pytest.raises(InfeasibleError):
        score_rehearsal(people(), trial_maker(people(), "mondrian", {"k": 250}), "income")


@pytest.mark.parametrize(("method", "numbers"), [("pcta", {"k": 3, "m": 1}), ("nonreciprocal", {"k": 3})])
def test_baskets_with_a_label(method, numbers):
    rng = np.random.default_rng(1)
    ill = rng.integers(2, size=200)
    items = [["insulin", "milk"] if one else ["bread", "milk"] for one in ill]
    items = [[*basket, f"item{rng.integers(4)}"] for basket in items]
    data = shoal.read(
        pl.DataFrame({"bought": items, "ill": ["yes" if one else "no" for one in ill]}),
        roles={"bought": "items", "ill": "sensitive"},
        allow=("ill",),
    )
    found = score_rehearsal(data, trial_maker(data, method, numbers), "ill")
    assert found.tested == 60
    assert all(score.accuracy_originals == 1 for score in found.scores)
    assert max(score.accuracy for score in found.scores) > 0.9


def test_tables_with_baskets_learn_from_both():
    rng = np.random.default_rng(2)
    n = 200
    sex, drug = rng.integers(2, size=n), rng.integers(2, size=n)
    data = shoal.read(
        pl.DataFrame(
            {
                "sex": ["fm"[s] for s in sex],
                "bought": [["insulin"] if d else ["bread"] for d in drug],
                "ill": ["yes" if s and d else "no" for s, d in zip(sex, drug, strict=True)],
            }
        ),
        roles={"sex": "quasi", "bought": "items", "ill": "sensitive"},
        allow=("ill",),
    )
    found = score_rehearsal(data, trial_maker(data, "bound", {"k": 2, "m": 1}), "ill")
    assert all(score.accuracy_originals == 1 for score in found.scores)
    assert found.majority < 0.85 < max(score.accuracy for score in found.scores)


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
    belief = _predict_with_model(model, x[:300], y[:300], x[300:], 2)
    assert belief.sum(axis=1) == pytest.approx(1)
    assert np.mean(belief.argmax(axis=1) == y[300:]) > 0.9
    assert (_predict_with_model(model, x[:300], y[:300], x[300:], 2) == belief).all()


@pytest.mark.parametrize("model", MODELS)
def test_one_value_or_no_feature_leaves_a_guess(model):
    x, y = np.zeros((4, 1), dtype=np.float32), np.array([1, 1, 1, 1], dtype=np.int32)
    assert _predict_with_model(model, x, y, x, 3)[0].tolist() == [0, 1, 0]
    mixed = np.array([0, 1, 1, 1], dtype=np.int32)
    assert _predict_with_model(model, x[:, :0], mixed, x[:, :0], 2)[0].tolist() == [0.25, 0.75]


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


def forty(n=40, **options):
    frame = pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": [20 + i % 30 for i in range(n)],
            "ill": ["flu", "gout"] * (n // 2),
        }
    )
    roles = {"id": "identifier", "age": "quasi", "ill": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [10, 20]}}, **options)


def baskets():
    frame = pl.DataFrame({"bought": [["a"], ["b"], ["a", "b"], ["c"]] * 5, "sex": ["f", "m"] * 10})
    return frame


def test_both_parts_hold_everybody_once():
    whole = forty()
    train, held = split(whole, 0.7)
    assert (train.records, held.records) == (28, 12)
    names = [*train.source.frame["id"], *held.source.frame["id"]]
    assert sorted(names) == sorted(whole.source.frame["id"])
    for part in (train, held):
        ages = part.table.column("age")
        assert [int(ages.values[code]) for code in ages.codes] == part.source.frame["age"].to_list()


def test_the_same_seed_draws_the_same_parts_and_another_does_not():
    first, again, other = (split(forty(), seed=seed)[0].source.frame["id"].to_list() for seed in (1, 1, 2))
    assert first == again != other


def test_all_rows_of_a_person_fall_into_one_part():
    frame = pl.DataFrame({"who": [f"p{i // 3}" for i in range(60)], "age": [20 + i % 30 for i in range(60)]})
    data = shoal.read(
        frame,
        roles={"who": "identifier", "age": "quasi"},
        hierarchies={"age": {"ranges": [10]}},
        person="who",
    )
    train, held = split(data)
    assert train.records == 42
    assert not set(train.source.frame["who"]) & set(held.source.frame["who"])


@pytest.mark.parametrize(
    "roles", [{"bought": "items", "sex": "sensitive"}, {"bought": "items", "sex": "quasi"}]
)
def test_baskets_go_with_their_records(roles):
    data = shoal.read(baskets(), roles=roles)
    part = select_records(data, np.array([3, 2]))
    found = [[part.baskets.values[code] for code in part.baskets.basket(i)] for i in range(2)]
    assert found == [["c"], ["a", "b"]]
    assert part.source.frame["sex"].to_list() == ["m", "f"]


def test_record_trees_are_split_too():
    data = shoal.read_trees([{"age": str(20 + i)} for i in range(10)], hierarchies={"age": {"ranges": [10]}})
    train, held = split(data)
    assert (train.records, held.records) == (7, 3)


def test_a_part_without_records_is_refused():
    with pytest.raises(InputError, match="leaves a part empty"):
        split(forty(2), 0.1)


def test_some_people_have_their_weights_and_households():
    frame = pl.DataFrame(
        {"home": ["a", "a", "b", "c"], "stands_for": [2.0, 3.0, 4.0, 5.0], "age": [30, 31, 40, 50]}
    )
    roles = {"home": "household", "stands_for": "weight", "age": "quasi"}
    part = select_records(shoal.read(frame, roles=roles), np.array([3, 1]))
    assert part.table.weights.tolist() == [5.0, 3.0]
    assert len(set(part.table.households.tolist())) == 2
