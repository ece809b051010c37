from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, InputError
from shoal.publish.making import rehearse
from shoal.publish.study.useful.predicting import check_target, predict, rehearsed
from shoal.publish.study.useful.split import split
from shoal.release import Forms, Recoded

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
    release = rehearse(train, method="optimal", k=2, suppress=0.2).release
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

    def make(part):
        return rehearse(part, method="mondrian", k=3)

    first, again = (rehearsed(data, make, "income") for _ in range(2))
    assert first == again
    assert first.learned == first.learned_originals == 210


def test_a_target_that_was_generalized_is_learned_from_where_it_is_told():
    train, held = split(people(income="quasi"))
    names = [column.name for column in train.table.quasi]
    exact = Recoded.of_levels(names, train.hierarchies, train.leaves, [0] * 4, np.arange(210))
    both = Forms.of_sets(
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
    with pytest.raises(InputError, match="0 released rows tell column 'income'"):
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
        rehearsed(people(), lambda part: rehearse(part, method="mondrian", k=250), "income")


@pytest.mark.parametrize("options", [{"k": 3, "m": 1, "method": "pcta"}, {"k": 3, "method": "nonreciprocal"}])
def test_baskets_with_a_label(options):
    rng = np.random.default_rng(1)
    ill = rng.integers(2, size=200)
    items = [["insulin", "milk"] if one else ["bread", "milk"] for one in ill]
    items = [[*basket, f"item{rng.integers(4)}"] for basket in items]
    data = shoal.read(
        pl.DataFrame({"bought": items, "ill": ["yes" if one else "no" for one in ill]}),
        roles={"bought": "items", "ill": "sensitive"},
        allow=("ill",),
    )
    found = rehearsed(data, lambda part: rehearse(part, **options), "ill")
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
    found = rehearsed(data, lambda part: rehearse(part, method="bound", k=2, m=1), "ill")
    assert all(score.accuracy_originals == 1 for score in found.scores)
    assert found.majority < 0.85 < max(score.accuracy for score in found.scores)
