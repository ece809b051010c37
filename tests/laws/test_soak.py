"""A hundred data sets with nasty corners for every maker and claim, judged by twins that see only what is released.

`benchmarks/soak.py` does the same with as many as one has time for.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_written
import soak_cases
from naive_written import Written
from shoal.algorithms import METHODS
from shoal.privacy import CLAIMS

EACH = 100
NIGHT = 5000


def test_every_claim_has_a_twin_and_is_asked_for():
    assert naive_written.JUDGES.keys() == soak_cases.ASKED.keys() == CLAIMS.keys()


def test_every_maker_is_tried_with_every_claim():
    assert {name for name, _ in soak_cases.CASES} == METHODS.keys()


@pytest.mark.parametrize(("maker", "model"), soak_cases.CASES)
def test_no_release_breaks_its_claim_or_the_truth(maker, model):
    each = NIGHT if settings.get_current_profile_name() == "night" else EACH
    counts = soak_cases.soaked(maker, model, range(each))
    assert counts.total() == each
    assert counts["judged"] >= each // 6  # else the data are too hard to say anything


def test_a_night_has_more_examples_than_a_law_asks_for(request):
    conftest = next(
        plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "change_examples")
    )
    tried = []

    @settings(max_examples=3, database=None)
    @given(st.integers())
    def law(number):
        tried.append(number)

    conftest.change_examples([law], conftest.more)
    law()
    assert len(tried) > 3


@pytest.mark.parametrize(("asked", "given"), [(3, 3), (30, 20), (60, 30), (300, 150)])
def test_a_steady_run_has_half_of_many_examples(request, asked, given):
    conftest = next(
        plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "change_examples")
    )
    assert conftest.fewer(asked) == given


WEAK = {"k": 2, "m": 1, "n": 0, "l": 1, "t": 1, "beta": 1000, "disclosure": 50, "alpha": 1}
"""Numbers that promise hardly anything."""


@pytest.mark.parametrize("model", CLAIMS)
def test_a_maker_that_keeps_less_than_it_says_is_found_out(model, monkeypatch):
    """The maker is asked for less than the twin looks for; some data set must show it, or the soak shows nothing."""
    honest = soak_cases.anonymize_alone
    weak = WEAK if "k" in soak_cases.ASKED[model][1] else {"l": 2}  # l alone stands for k too

    def lazy(data, **asked):
        return honest(data, **{key: weak.get(key, value) for key, value in asked.items()})

    monkeypatch.setattr(soak_cases, "anonymize_alone", lazy)
    monkeypatch.setattr(soak_cases, "WAYS", ("usual",))
    maker = next(name for name, found in METHODS.items() if model in found.claims)
    with pytest.raises(soak_cases.BrokenError, match="break"):
        soak_cases.soaked(maker, model, range(EACH))


def test_a_data_set_can_be_had_again():
    soak_cases.data_set.cache_clear()
    first = [soak_cases.soak("apriori", "k^m-anonymity", number) for number in range(20)]
    soak_cases.data_set.cache_clear()
    assert [soak_cases.soak("apriori", "k^m-anonymity", number) for number in reversed(range(20))] == first[
        ::-1
    ]


ROWS = [{"q": "a", "s": "flu"}, {"q": "a", "s": "Flu "}, {"q": "b", "s": "gout"}, {"q": "b", "s": "flu"}]
PATHS = {"q": [["a", "*"], ["b", "*"]], "items": [[item, "*"] for item in "xyz"]}
TABLE = Written(ROWS, ("q",), ("s",), PATHS)
BASKETS = Written([{"items": items} for items in (("x", "y"), ("x",), ("y",), ())], paths=PATHS)
MIXED = Written([{"q": "a", "items": ("x",)}, {"q": "a", "items": ("x", "y")}], ("q",), paths=PATHS)
VOTES = Written(
    [{"items": ("x",), "uncertain": (), "errors": "0", "s": label} for label in ("flu", "FLU")],
    sensitive=("s",),
    originals=[{"x"}, {"x"}],
)
TREES = Written([(("A", "1", ("B", "x")),), (("A", "1"), ("B", "x")), (("A", "1", ("B", "x")),)], secret="B")
BREAKING = {
    "k-anonymity": (TABLE, {"k": 3}, {"k": 2}),
    "l-diversity": (TABLE, {"l": 2}, {"l": 1}),
    "t-closeness": (TABLE, {"t": 0.2}, {"t": 0.25}),
    "beta-likeness": (TABLE, {"beta": 0.9}, {"beta": 1}),
    "delta-disclosure privacy": (TABLE, {"disclosure": 50}, None),
    "(alpha,k)-anonymity": (TABLE, {"alpha": 0.9, "k": 2}, {"alpha": 1, "k": 2}),
    "k^m-anonymity": (BASKETS, {"k": 2, "m": 2}, {"k": 2, "m": 1}),
    "l^m-diversity": (
        Written(BASKETS.rows, paths=PATHS, secrets=frozenset("y")),
        {"l": 3, "m": 1},
        {"l": 2, "m": 1},
    ),
    "k-anonymity of listed itemsets": (
        BASKETS,
        {"k": 2, "privacy": [["x", "y"]]},
        {"k": 2, "privacy": [["x"], ["y"]]},
    ),
    "nonreciprocal k-anonymity": (VOTES, {"k": 2, "insiders": 1}, {"k": 2}),
    "nonreciprocal k-anonymity and label diversity": (VOTES, {"l": 2, "k": 2}, {"l": 1, "k": 2}),
    "(k,k^m)-anonymity": (MIXED, {"k": 2, "m": 1}, {"k": 1, "m": 1}),
    "(k,l^m)-diversity": (
        Written(MIXED.rows, ("q",), paths=PATHS, secrets=frozenset("y")),
        {"k": 2, "l": 3, "m": 1},
        {"k": 2, "l": 2, "m": 1},
    ),
    "k^(m,n)-anonymity": (
        Written(TREES.rows),
        {"k": 3, "m": 2, "n": 1},
        {"k": 3, "m": 2, "n": 0},
    ),
    "k^(m,n)-anonymity and l-diversity": (
        TREES,
        {"k": 2, "m": 1, "n": 0, "l": 2},
        {"k": 2, "m": 1, "n": 0, "l": 1},
    ),
}
"""For each claim a release, numbers that it breaks, and numbers, just weaker, that it keeps."""


@pytest.mark.parametrize("model", CLAIMS)
def test_each_twin_says_no_and_yes(model):
    written, broken, kept = BREAKING[model]
    assert naive_written.JUDGES[model](written, **broken)
    assert kept is None or not naive_written.JUDGES[model](written, **kept)
