"""Twenty data sets with nasty corners for every method and claim, judged by twins that see only what was written.

`benchmarks/soak.py` does the same with as many as one has time for.
"""

import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_hierarchies
import naive_written
import soak_cases
import soak_data
from naive_written import Written
from shoal.algorithms import METHODS
from shoal.anonymization.release import Release
from shoal.privacy import CLAIMS

pytestmark = pytest.mark.soak

EACH = 40
RELEASED = 20  # the same ones each time; `benchmarks/soak.py` has others
NIGHT = 5000


def test_every_claim_has_a_twin_and_is_asked_for():
    assert naive_written.JUDGES.keys() == soak_cases.ASKED.keys() == CLAIMS.keys() - soak_cases.ELSEWHERE


def test_every_maker_is_tried_with_every_claim():
    tried = {name for name, found in METHODS.items() if not found.numbers}
    assert {name for name, _ in soak_cases.CASES} == tried


@pytest.mark.parametrize(("maker", "model"), soak_cases.CASES)
def test_no_release_breaks_its_claim_or_the_truth(maker, model):
    each = NIGHT if settings.get_current_profile_name() == "night" else RELEASED
    counts = soak_cases.soaked(maker, model, range(each))
    assert sum(counts[kind] for kind in ("judged", "infeasible", "turned away")) == each
    assert counts["judged"] >= each // 6  # else the data are too hard to say anything
    assert counts["written"] == counts["judged"]


@pytest.mark.parametrize("family", sorted({family for family, _ in soak_cases.ASKED.values()}))
def test_data_sets_are_tiny_and_large(family):
    """Some have hundreds of records, and more values in a column than are ever listed."""
    drawn = [soak_cases.data_set(family, number) for number in range(EACH)]
    records = [len(one.originals) for one in drawn]
    assert min(records) == 1
    few = family == "labelled"  # where the twin compares all with all
    assert max(records) >= (60 if few else 200)
    assert max(one.widest for one in drawn) > (30 if family in ("labelled", "secret") else 62)
    assert sum(size <= 12 for size in records) > EACH // 2


def test_data_sets_have_every_kind_of_column():
    drawn = [soak_cases.data_set("table", number) for number in range(EACH)]
    rules = [rule for one in drawn for name, rule in one.rules.items() if name in one.quasi]
    assert {word for rule in rules if isinstance(rule, dict) for word in rule} >= {
        "ranges", "mask", "dates", "fanout",
    }  # fmt: skip
    assert any(rule is None for rule in rules)
    assert any(isinstance(rule, str) for rule in rules)
    assert {name[0] for one in drawn for name in one.levels} == {"p", "s"}
    assert any(one.plain and not one.levels for one in drawn)
    assert any(one.persons for one in drawn)
    for few in (True, False):
        big = [one for one in drawn if (len(one.originals) > 12) != few]
        assert any(None in row.values() for one in big for row in one.originals)


def test_what_was_written_is_judged_and_not_what_was_meant(monkeypatch):
    """A door that writes another value into one row is found out."""
    honest = Release.save

    def forging(release, folder, **how):
        honest(release, folder, **how | {"format": "csv"})
        with (folder / "data.csv").open(encoding="utf-8", newline="") as file:
            names, first, *rows = csv.reader(file)
        first[names.index("q0")] = "forged"
        with (folder / "data.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([names, first, *rows])

    plain = soak_cases.naive_reading.read_rows
    monkeypatch.setattr(Release, "save", forging)
    monkeypatch.setattr(soak_cases.naive_reading, "read_rows", lambda folder, format: plain(folder, "csv"))
    with pytest.raises(soak_cases.BrokenError, match=r"stands for nothing|break|not true"):
        soak_cases.soaked("mstk", "k-anonymity", range(EACH))


def test_hierarchies_are_read_as_their_user_gave_them():
    def read(rule, values, kept=None):
        return naive_hierarchies.readings(rule, values, values if kept is None else kept, soak_data.GAPS)

    assert read("cod;fish;*\nkelp;*\n?;none;*\n", []) == [
        [["cod", "fish", "*"], ["kelp", "kelp", "*"], [None, "none", "*"]]
    ]
    assert read({"dates": ["month", "year"]}, ["2020-03-05", None]) == [
        [["2020-03-05", "2020-03", "2020", "*"]]
    ]
    assert read({"ranges": [10]}, ["5", "5"]) == read({"fanout": 2}, ["5"]) == [[["5", "*"]]]
    (all_of_them, kept) = read({"fanout": 2}, ["a", "b", "c", "d", "e"], ["a", "d", "e"])
    assert [path[1] for path in all_of_them] == [f"group {number} of 3" for number in (1, 1, 2, 2, 3)]
    assert [path[1:] for path in kept] == [
        ["group 1 of 2", "*"],
        ["group 1 of 2", "*"],
        ["group 2 of 2", "*"],
    ]


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


@pytest.mark.parametrize(
    ("asked", "cases", "given"), [(3, 1, 3), (30, 1, 12), (60, 1, 15), (300, 1, 75), (25, 6, 6), (60, 6, 15)]
)
def test_a_steady_run_has_a_quarter_of_many_examples(request, asked, cases, given):
    conftest = next(
        plugin for plugin in request.config.pluginmanager.get_plugins() if hasattr(plugin, "change_examples")
    )
    assert conftest.fewer(asked, cases) == given


WEAK = {"k": 2, "m": 1, "n": 0, "l": 1, "t": 1, "beta": 1000, "disclosure": 50, "alpha": 1}
WEAK |= {"average_risk": 0.9, "subsets": 1, "known_at_once": 1}
"""Numbers that promise hardly anything."""


@pytest.mark.parametrize("model", soak_cases.ASKED)
def test_a_maker_that_keeps_less_than_it_says_is_found_out(model, monkeypatch):
    """The method is asked for less than the twin looks for; some data set must show it, or the soak shows nothing."""
    honest = soak_cases.anonymize_only
    weak = WEAK if "k" in soak_cases.ASKED[model][1] else {"l": 2}  # l alone stands for k too

    def lazy(data, **asked):
        return honest(data, **{key: weak.get(key, value) for key, value in asked.items()})

    monkeypatch.setattr(soak_cases, "anonymize_only", lazy)
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
    "average risk": (TABLE, {"average_risk": 0.4}, {"average_risk": 0.5}),
    "k-anonymity of known subsets": (TABLE, {"k": 3, "subsets": 1}, {"k": 2, "subsets": 1}),
    "k-anonymity with known columns": (
        Written(ROWS, ("q", "s"), known=("s",)),
        {"k": 2, "known_at_once": 1},
        {"k": 1, "known_at_once": 1},
    ),
    "l-diversity": (TABLE, {"l": 2}, {"l": 1}),
    "t-closeness": (TABLE, {"t": 0.2}, {"t": 0.25}),
    "beta-likeness": (TABLE, {"beta": 0.9}, {"beta": 1}),
    "delta-disclosure privacy": (TABLE, {"disclosure": 50}, None),
    "(alpha,k)-anonymity": (TABLE, {"alpha": 0.9, "k": 2}, {"alpha": 1, "k": 2}),
    "hidden values": (
        TABLE,
        {"alpha": 0.9, "hidden": {"s": ["Flu"]}},
        {"alpha": 1, "hidden": {"s": ["Flu"]}},
    ),
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
    "k^(m,n)-anonymity": (Written(TREES.rows), {"k": 3, "m": 2, "n": 1}, {"k": 3, "m": 2, "n": 0}),
    "k^(m,n)-anonymity and l-diversity": (
        TREES,
        {"k": 2, "m": 1, "n": 0, "l": 2},
        {"k": 2, "m": 1, "n": 0, "l": 1},
    ),
}
"""For each claim a release, numbers that it breaks, and numbers, just weaker, that it keeps."""


@pytest.mark.parametrize("model", soak_cases.ASKED)
def test_each_twin_says_no_and_yes(model):
    written, broken, kept = BREAKING[model]
    assert naive_written.JUDGES[model](written, **broken)
    assert kept is None or not naive_written.JUDGES[model](written, **kept)
