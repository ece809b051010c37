"""What the local methods share: bad input, edge cases, how classes are written, who is left out."""

import json
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import shoal
import strategies
from claiming import claimed
from shoal.algorithms.local.column_prices import default_grid
from shoal.algorithms.local.mondrian import kmember, mondrian
from shoal.algorithms.local.mstk import mstk
from shoal.attacks.background import read_label
from shoal.base.errors import HierarchyError, InfeasibleError, InputError
from shoal.data import Column, Table
from shoal.hierarchy import Hierarchy, files, rules
from shoal.hierarchy.labels import interval, leaves_of, read_range
from shoal.privacy import make_claim
from shoal.release import Result
from shoal.utility import _table_losses
from table_cases import seen, true

CHOSEN = [mstk, mondrian, kmember]
VARIANTS = {
    "mstk": lambda *a, **o: claimed(mstk, *a, **o),
    "mstk paper": lambda *a, **o: claimed(mstk, *a, rule="paper", **o),
    "mondrian": lambda *a, **o: claimed(mondrian, *a, **o),
    "mondrian relaxed": lambda *a, **o: claimed(mondrian, *a, strict=False, **o),
    "kmember": lambda *a, **o: claimed(kmember, *a, **o),
}


def labels(result):
    recoded = result.release
    return [
        tuple(f.labels[c] for f, c in zip(recoded.forms, codes, strict=True))
        for codes in recoded.codes.tolist()
    ]


def judged(result, table):
    return result.claim.check(seen(result.release, table))


@pytest.mark.parametrize("recode", ["hierarchy", "range", "span"])
@pytest.mark.parametrize("name", VARIANTS)
@given(data=st.data(), suppress=st.sampled_from([0.0, 0.3]))
@settings(max_examples=40)
def test_any_claim_is_kept_and_true(name, recode, data, suppress):
    table, trees = data.draw(strategies.cases(max_sensitive=2, persons=data.draw(st.booleans())))
    claim = {"k": data.draw(st.integers(1, 4))}
    if table.role("sensitive"):
        claim |= data.draw(st.sampled_from([{}, {"l": 2}, {"l": 2, "diversity": "entropy"}, {"t": 0.4}]))
        claim |= data.draw(st.sampled_from([{}, {"distance": "ordered"}]))
    try:
        result = VARIANTS[name](table, trees, recode=recode, suppress=suppress, **claim)
    except InfeasibleError:
        assume(False)
    assert judged(result, table)
    assert true(result.release, table, trees)
    assert result.release.suppressed <= int(suppress * table.n)


def one_column(cells, leaves=None, **options):
    table = Table((Column.of("q", "quasi", cells),))
    paths = [[leaf, "*"] for leaf in (leaves or sorted(set(filter(None, cells))))]
    return table, {"q": Hierarchy.from_paths("q", paths, **options)}


@pytest.mark.parametrize("name", VARIANTS)
def test_many_equal_weights_end(name):
    """Four hundred tuples, each as far from every other as any: no edge exceeds mean plus deviation."""
    cells = [f"v{i:03d}" for i in range(400)]
    table, trees = one_column(cells)
    for k in (2, 7, 150, 200, 399):
        result = VARIANTS[name](table, trees, k=k)
        assert judged(result, table)


@pytest.mark.parametrize("method", CHOSEN)
def test_infeasible_says_what_would_help(method):
    ill = Column.of("ill", "sensitive", ["flu", "flu", "flu", "gout", None])
    table = Table((Column.of("q", "quasi", list("ababa")), ill))
    trees = {"q": Hierarchy.from_paths("q", [["a", "*"], ["b", "*"]])}
    with pytest.raises(InfeasibleError, match="k=6 but the table has 5 records; lower k or add records"):
        claimed(method, table, trees, k=6)
    with pytest.raises(InfeasibleError, match="l=3 but column 'ill' allows at most 2"):
        claimed(method, table, trees, k=2, l=3)
    with pytest.raises(InfeasibleError, match="l=2 but column 'ill' allows at most 1"):
        claimed(method, table, trees, l=2, diversity="entropy")
    with pytest.raises(InfeasibleError, match="l=1000000000 but column 'ill' allows at most 2"):
        claimed(method, table, trees, l=10**9)
    named = Table(table.columns, np.array([1, 1, 2, 2, 2]))
    with pytest.raises(InfeasibleError, match="k=3 but the table has 2 persons"):
        claimed(method, named, trees, k=3)


@pytest.mark.parametrize("method", CHOSEN)
def test_wrong_arguments_are_refused(method):
    table, trees = one_column(["1", "2", "3"])
    for options, words in [
        ({"recode": "ranges"}, "recode must be hierarchy, range, span, mean or median"),
        ({"grid": 5}, "grid is for recode"),
        ({"recode": "span", "grid": 0}, "must be a number above 0"),
        ({"recode": "span", "grid": float("nan")}, "must be a number above 0"),
        ({"recode": "span", "grid": True}, "must be a number above 0"),
        ({"recode": "span", "grid": {"age": 5}}, "grid names 'age', which is not a quasi-identifier"),
        ({"suppress": 1.0}, "suppress=1.0; give a share of records"),
        ({"l": 2}, "there is none"),
    ]:
        with pytest.raises(InputError, match=words):
            claimed(method, table, trees, k=2, **options)
    with pytest.raises(InputError, match="grid names 'q', whose values are not numbers"):
        claimed(method, *one_column(["x", "y"]), k=2, recode="span", grid={"q": 1})
    with pytest.raises(InputError, match="'q' has no hierarchy"):
        claimed(method, table, {}, k=2)
    lookalike = Hierarchy.from_paths("q", [["1", "[1, 3]", "*"], ["2", "[1, 3]", "*"], ["3", "3", "*"]])
    with pytest.raises(HierarchyError, match="reads like a written range"):
        claimed(method, table, {"q": lookalike}, k=2, recode="span")
    with pytest.raises(InputError, match="rule must be walk or paper"):
        mstk(table, trees, claim=make_claim("table", k=2), rule="best")


def test_ranges_sets_and_single_values_are_written():
    ages = ["17", "23", "24", "31", "44", "44", "51", "58"]
    jobs = ["nurse", "nurse", "clerk", "clerk", "cook", "cook", "cook", "nurse"]
    table = Table((Column.of("age", "quasi", ages), Column.of("job", "quasi", jobs)))
    trees = {
        "age": Hierarchy.from_paths("age", [[str(age), "*"] for age in range(100)]),
        "job": Hierarchy.from_paths("job", [[job, "*"] for job in ("clerk", "cook", "nurse")]),
    }
    exact = labels(mondrian(table, trees, claim=make_claim("table", k=2), recode="span"))
    nurses, clerks, cooks = ("[17, 58]", "nurse"), ("[24, 31]", "clerk"), ("[44, 51]", "cook")
    assert exact == [nurses, nurses, clerks, clerks, cooks, cooks, cooks, nurses]
    rounded = labels(mstk(table, trees, claim=make_claim("table", k=4), recode="span", grid={"age": 10}))
    ends = {end for age, _ in rounded for end in age[1:-1].split(", ")}
    assert all(int(end) % 10 == 0 for end in ends)
    whole = labels(kmember(table, trees, claim=make_claim("table", k=8), recode="span", grid=25))
    assert set(whole) == {("[0, 75]", "*")}


def test_missing_cells_are_written_beside_others_or_as_themselves():
    table, trees = one_column([None, None, "1", "2"], public=True)
    covered = {"q": Hierarchy.from_paths("q", [["1", "*"], ["2", "*"], ["?", "*"]]).covering(("?",))}
    for own, missing in ((trees, "missing"), (covered, None)):
        two, four = (labels(claimed(mstk, table, own, k=k, recode="span")) for k in (2, 4))
        assert two == [(missing,), (missing,), ("[1, 2]",), ("[1, 2]",)]
        assert set(four) == {("*",)}


NUMBERS, WORDS = ["1", "2", "4", "5", "9", None], ["a1", "a2", "b1", "b2", "c", None]
STEPS = {"a1": "a", "a2": "a", "b1": "b", "b2": "b", "c": "c"}


@pytest.mark.parametrize("recode", ["range", "span"])
@pytest.mark.parametrize("name", VARIANTS)
@given(
    st.lists(st.tuples(st.sampled_from(NUMBERS), st.sampled_from(WORDS)), min_size=2, max_size=24),
    st.integers(1, 3),
)
@settings(max_examples=60)
def test_a_label_says_what_a_class_holds_and_whether_cells_are_missing(name, recode, cells, k):
    """Numbers from the lowest to the highest, words as their node or their set, and missing cells by a word."""
    assume(len(cells) >= k)
    numbers, words = zip(*cells, strict=True)
    table = Table((Column.of("number", "quasi", numbers), Column.of("word", "quasi", words)))
    trees = {
        "number": Hierarchy.from_paths("number", [[value, "*"] for value in NUMBERS[:-1]], public=False),
        "word": Hierarchy.from_paths(
            "word", [[value, step, "*"] for value, step in STEPS.items()], public=False
        ),
    }
    release = VARIANTS[name](table, trees, k=k, recode=recode, grid={"number": 1}).release
    written = labels(Result(release, make_claim("table", k=k)))
    for label_pair in set(written):
        rows = release.rows[[label == label_pair for label in written]]
        held_numbers, held_words = {numbers[row] for row in rows}, {words[row] for row in rows}
        present = sorted(int(number) for number in held_numbers - {None})
        between = [
            code
            for code, leaf in enumerate(NUMBERS[:-1])
            if present and present[0] <= int(leaf) <= present[-1]
        ]
        missing = [5] if None in held_numbers else []
        assert_stands_for(
            label_pair[0], trees["number"], between + missing, or_all=missing and len(between) == 5
        )
        steps = {STEPS[word] for word in held_words - {None}}
        if recode == "range" and len(held_words - {None}) > 1:
            below = [word for word in STEPS if len(steps) > 1 or STEPS[word] in steps]
        elif (
            any(words.count(word) < k for word in held_words - {None})
            and len(held_words) > 1
            and recode == "span"
        ):
            below = list(STEPS)  # rare values are named only alone
        else:
            below = [word for word in STEPS if word in held_words]
        codes = [list(STEPS).index(word) for word in below]
        missing = [5] if None in held_words else []
        assert_stands_for(label_pair[1], trees["word"], codes + missing, or_all=len(codes) == 5)


def assert_stands_for(label, tree, codes, or_all):
    """What a label stands for, as judges and as attackers read it; the root stands for missing cells by its nature."""
    wanted = [*range(tree.size + 1)] if or_all and label == "*" else codes
    assert leaves_of(label, tree).tolist() == read_label(label, tree).tolist() == wanted, label


@pytest.mark.parametrize("label", ["missing", "1 or missing", "missing or missing"])
def test_a_hierarchy_with_such_a_word_keeps_it(label):
    """Its own labels mean what they mean; missing cells then go with nothing but the root."""
    cells = ["1", label, None, None, "1", label]
    table, trees = one_column(cells)
    two = labels(claimed(kmember, table, trees, k=2, recode="span"))
    assert sorted(two, key=str) == sorted([("1",)] * 2 + [(label,)] * 2 + [("*",)] * 2, key=str)
    assert set(labels(claimed(kmember, table, trees, k=6, recode="span"))) == {("*",)}


def test_sets_of_many_declared_values_are_exact():
    cells = [f"v{i:03d}" for i in range(140)]
    table, _ = one_column(cells)
    trees = {"q": Hierarchy.from_paths("q", [[cell, "*"] for cell in cells])}
    found = [
        json.loads(label)
        for (label,) in labels(mstk(table, trees, claim=make_claim("table", k=2), recode="span"))
    ]
    assert all(len(values) == 2 and cell in values for cell, values in zip(cells, found, strict=True))
    assert sorted(value for values in found for value in values) == sorted(cells * 2)


@pytest.mark.parametrize("method", CHOSEN)
@given(st.data())
def test_spans_of_any_width_list_no_value_that_fewer_than_k_hold(method, data):
    width = data.draw(st.sampled_from([2, 5, 61, 62, 63, 64, 90, 200]))
    k = data.draw(st.integers(2, 6))
    held = data.draw(st.lists(st.integers(1, k + 1), min_size=width, max_size=width))
    gone = data.draw(st.integers(0, 3))
    cells = [f"n{i:03d}" for i, times in enumerate(held) for _ in range(times)] + [None] * gone
    if len(cells) < k:
        return
    table, masked = one_column(cells)[0], data.draw(st.booleans())
    trees = {"q": rules.mask("q", "right", cells) if masked else rules.flat("q", cells)}
    rare = {f"n{i:03d}" for i, times in enumerate(held) if times < k}
    for (label,) in set(labels(claimed(method, table, trees, k=k, recode="span"))):
        assert label is None or not any(value in label for value in rare)


@pytest.mark.parametrize(
    ("values", "step"),
    [
        (range(17, 91), "5"),
        ([*range(17, 91)] * 5, "1"),
        ([0, 100_000], "50000"),
        (range(1000), "10"),
        ([0.5, 0.75, 1.25, 2, 3, 4, 5, 6, 7, 8.5], "2"),
    ],
)
def test_built_hierarchies_hide_their_numbers_behind_a_grid(values, step):
    texts = [str(value) for value in values]
    tree = rules.fanout("q", 5, sorted(set(texts), key=Decimal))
    assert default_grid(tree, tree.look_up(texts), 5) == Decimal(step)
    declared = Hierarchy.from_paths("q", [["1", "*"], ["2", "*"]])
    assert default_grid(declared, np.arange(declared.size), 5) is None


@pytest.mark.parametrize("method", CHOSEN)
def test_an_outlier_is_left_out_where_that_pays(method):
    paths = [[f"{g}{i}", g, "*"] for g in "ab" for i in range(10)]
    trees = {name: Hierarchy.from_paths(name, paths) for name in ("v", "w")}
    rows = [(f"a{i % 3}", f"a{i % 2}") for i in range(24)] + [("b9", "b9")]
    table = Table(tuple(Column.of(n, "quasi", [row[j] for row in rows]) for j, n in enumerate("vw")))
    kept = claimed(method, table, trees, k=4, suppress=0.04)
    assert kept.release.suppressed == 1
    assert 24 not in kept.release.rows
    assert (
        _table_losses(kept.release, trees)["ncp"]
        < _table_losses(claimed(method, table, trees, k=4).release, trees)["ncp"]
    )
    assert claimed(method, table, trees, k=4, suppress=0.039).release.suppressed == 0  # less than one record


@pytest.mark.parametrize("method", CHOSEN)
def test_a_weight_draws_the_loss_to_the_other_column(method):
    rows = [(v, w) for v in "abcd" for w in "abcd"]
    trees = {name: Hierarchy.from_paths(name, [[leaf, "*"] for leaf in "abcd"]) for name in ("v", "w")}

    def by_column(heavy):
        table = Table(
            tuple(
                Column.of(n, "quasi", [r[j] for r in rows], 9.0 if n == heavy else 1.0)
                for j, n in enumerate("vw")
            )
        )
        recoded = claimed(method, table, trees, k=4).release
        return {
            n: float(np.mean(recoded.forms[j].counts(4)[recoded.codes[:, j]])) for j, n in enumerate("vw")
        }

    assert by_column("v") == {"v": 1.0, "w": 4.0}
    assert by_column("w") == {"v": 4.0, "w": 1.0}


# Top and bottom coding in ranges: how far values go beyond is not told, and what is told is true.

RULE = {"ranges": [10, 20], "top": 90, "bottom": 18}


def released(ages, k, method=mstk):
    """The labels of a release that is judged and true."""
    table = Table((Column.of("age", "quasi", [str(age) for age in ages]),))
    trees = {"age": rules.build("age", RULE, [str(age) for age in ages])}
    result = claimed(method, table, trees, k=k, recode="span", grid=1)
    assert judged(result, table)
    assert true(result.release, table, trees)
    return {label for (label,) in labels(result)}


@settings(max_examples=30)
@given(st.lists(st.integers(0, 120), min_size=4, max_size=12), st.sampled_from([mstk, mondrian]))
def test_ranges_do_not_tell_how_far_values_go(ages, method):
    for label in released(ages, 2, method):
        ends = read_range(label)
        if ends is not None and ends[1].is_finite():
            assert ends[1] < 90
        if ends is not None and ends[0].is_finite():
            assert ends[0] >= 18


@pytest.mark.parametrize(
    ("ages", "written"),
    [
        ([91, 104, 30, 31], {">= 90", "[30, 31]"}),
        ([3, 17, 30, 31], {"< 18", "[30, 31]"}),
        ([85, 104, 30, 31], {">= 85", "[30, 31]"}),
        ([17, 20, 60, 61], {"<= 20", "[60, 61]"}),
        ([3, 104], {"*"}),
    ],
)
def test_what_is_written(ages, written):
    assert released(ages, 2) == written


def test_open_ranges_are_read_as_they_are_written():
    ages = [str(age) for age in (3, 17, 18, 40, 85, 90, 104)]
    tree = rules.build("age", RULE, ages)
    for label, held in [(">= 85", "85 90 104"), ("<= 18", "3 17 18"), (">= 90", "90 104"), ("< 18", "3 17")]:
        assert [tree.leaves[code] for code in leaves_of(label, tree)] == held.split()
    for ends in [read_range(">= 85"), read_range("<= 17.5")]:
        low, high = (end if end.is_finite() else None for end in ends)
        assert read_range(interval(low, high, closed=True)) == ends
    for strange in (">= ", ">=85", ">= x", "<= 1e999", "> 5", ">= 5 "):
        assert read_range(strange) is None


def test_a_file_may_say_where_values_end(tmp_path):
    ages = [91, 104, 30, 31, 3, 17, 85, 97]
    files.write(rules.build("age", RULE, [str(age) for age in ages]), tmp_path / "age.csv")
    frame = pl.DataFrame({"age": ages})
    data = shoal.read(frame, roles={"age": "quasi"}, hierarchies={"age": tmp_path / "age.csv"})
    assert data.hierarchies["age"].public
    release = shoal.anonymize(data, k=2, method="mondrian", recode="span")
    assert {">= 85", "< 18"} <= set(release.data["age"])
    assert not any("104" in label or "97" in label for label in release.data["age"])
