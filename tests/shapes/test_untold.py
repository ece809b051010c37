"""Releases that tell nothing are infeasible unless somebody asks for one: by shape, and by every way to a release."""

import json
from contextlib import chdir

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.base.errors import InfeasibleError
from shoal.cli import shoal as command
from shoal.shapes.untold import refuse_untold

N = 40
NOTHING = "nothing is left: in "


def table(columns, hierarchies=None, **roles):
    frame = pl.DataFrame(columns)
    quasi = [name for name in columns if name not in roles]
    rules = hierarchies or {name: {"fanout": 50} for name in quasi}  # values, and then all of them
    return shoal.read(frame, roles=dict.fromkeys(quasi, "quasi") | roles, hierarchies=rules)


def alone(n=N):
    """People of whom two at most share a value, and one step leads to everything."""
    return table({"a": [f"a{i % 20}" for i in range(n)], "b": [f"b{i // 2}" for i in range(n)]})


def released(frame, names):
    """The share of released rows in which every one of some columns is the root or empty, from the frame alone."""
    rows = frame.select(
        pl.all_horizontal(pl.col(name).is_in(["*"]) | pl.col(name).is_null() for name in names)
    )
    return rows.to_series().mean()


def test_a_table_of_which_nothing_is_left_is_infeasible():
    with pytest.raises(InfeasibleError, match=NOTHING) as told:
        shoal.anonymize(alone(), k=5, method="optimal")
    assert told.value.exit_code == 3
    assert "'a' and 'b' a hierarchy with levels between" in str(told.value)
    assert "fewer than these 2 columns" in str(told.value)
    assert "smaller k" not in str(told.value)
    made = shoal.anonymize(alone(), k=5, method="optimal", allow_empty=True)
    assert made.verdict
    assert released(made.frame, ["a", "b"]) == 1


def test_a_smaller_k_is_advised_where_k_leaves_room_for_one_class():
    with pytest.raises(
        InfeasibleError, match=rf"k={N - 5} leaves room for one class of {N} records: ask for a smaller k"
    ):
        shoal.anonymize(alone(), k=N - 5)


def test_one_column_that_is_kept_is_enough():
    data = table({"a": [f"a{i % 2}" for i in range(N)], "b": [f"b{i}" for i in range(N)]})
    made = shoal.anonymize(data, k=5, method="optimal")
    assert set(made.frame["a"]) == {"a0", "a1"}
    assert set(made.frame["b"]) == {"*"}


def test_a_column_of_one_value_that_is_published_as_it_is_tells_something():
    assert shoal.anonymize(table({"a": ["x"] * N}), k=5).verdict
    thirties = table({"age": [30 + i % 10 for i in range(N)]}, {"age": {"ranges": [10]}})
    assert set(shoal.anonymize(thirties, k=5, method="optimal").frame["age"]) != {"*"}


def test_stored_rules_fronts_and_methods_ask_alike():
    data = alone()
    rule = shoal.anonymize(data, k=5, method="optimal", allow_empty=True).recoding
    from shoal.anonymization.run import apply_recoding

    with pytest.raises(InfeasibleError, match=NOTHING):
        apply_recoding(data, rule, k=5)
    assert apply_recoding(data, rule, k=5, allow_empty=True).verdict
    front = shoal.pareto(data)
    with pytest.raises(InfeasibleError, match=NOTHING):
        front.pick(k=N)
    assert front.pick(k=N, allow_empty=True).verdict


def test_baskets_without_an_item_are_infeasible():
    frame = pl.DataFrame({"items": [[f"i{i}"] for i in range(N)]})
    for method in ("pcta", "apriori"):
        data = shoal.read(frame, roles={"items": "items"}, hierarchies={"items": {"fanout": 100}})
        with pytest.raises(InfeasibleError, match=NOTHING):
            shoal.anonymize(data, k=N // 2 + 1, m=1, method=method)
        assert shoal.anonymize(data, k=N // 2 + 1, m=1, method=method, allow_empty=True).verdict


def test_baskets_by_vote_that_are_sure_of_no_item_are_infeasible():
    frame = pl.DataFrame({"items": [[f"i{i}"] for i in range(N)]})
    data = shoal.read(frame, roles={"items": "items"})
    with pytest.raises(InfeasibleError, match=NOTHING):
        shoal.anonymize(data, k=5, method="nonreciprocal")
    assert shoal.anonymize(data, k=5, method="nonreciprocal", allow_empty=True).verdict
    alike = pl.DataFrame({"items": [[f"i{i % 2}"] for i in range(N)]})
    assert shoal.anonymize(shoal.read(alike, roles={"items": "items"}), k=5, method="nonreciprocal").verdict


def test_a_table_with_baskets_needs_one_of_its_parts():
    frame = pl.DataFrame({"a": [f"a{i}" for i in range(N)], "items": [["xy"[i % 2]] for i in range(N)]})
    data = shoal.read(frame, roles={"a": "quasi", "items": "items"}, hierarchies={"a": {"fanout": 50}})
    made = shoal.anonymize(data, k=5, m=1)
    assert released(made.frame, ["a"]) == 1
    none = frame.with_columns(pl.Series("items", [[f"i{i}"] for i in range(N)]))
    data = shoal.read(none, roles={"a": "quasi", "items": "items"}, hierarchies={"a": {"fanout": 50}})
    with pytest.raises(InfeasibleError, match=NOTHING):
        shoal.anonymize(data, k=N - 1, m=1)


def test_trees_of_roots_alone_are_infeasible():
    records = [{"ward": f"w{i}", "town": f"t{i}"} for i in range(N)]
    flat = {"ward": {"fanout": 50}, "town": {"fanout": 50}}
    data = shoal.read_trees(records, hierarchies=flat)
    with pytest.raises(InfeasibleError, match=NOTHING):
        shoal.anonymize(data, k=5, m=1, n=0)
    assert shoal.anonymize(data, k=5, m=1, n=0, allow_empty=True).verdict


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=6, max_size=40),
    st.integers(2, 5),
    st.sampled_from(["optimal", "mondrian", "mstk"]),
)
def test_what_is_refused_is_what_readers_cannot_tell_from_nothing(cells, k, method):
    """The law, from the released cells alone: refused where more than nine rows in ten hold roots and nothing else."""
    if len(cells) < k:
        return
    columns = {name: [f"{name}{row[j]}" for row in cells] for j, name in enumerate("ab")}
    data = table(columns)
    made = shoal.anonymize(data, k=k, method=method, allow_empty=True, seed=1)
    nothing = released(made.frame, ["a", "b"]) > 0.9
    try:
        refuse_untold(made.dataset, made.result)
    except InfeasibleError:
        assert nothing
    else:
        assert not nothing


def test_a_run_says_it_with_3_and_writes_nothing_unless_it_is_allowed(tmp_path):
    rng = np.random.default_rng(1)
    pl.DataFrame({"a": rng.permutation(N), "b": rng.permutation(N)}).write_csv(tmp_path / "people.csv")
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.csv"\n[columns]\na = { role = "quasi", hierarchy = { fanout = 50 } }\n'
        'b = { role = "quasi", hierarchy = { fanout = 50 } }\n[guarantee]\nk = 5\n'
    )
    with chdir(tmp_path):
        refused = CliRunner().invoke(command, ["run"])
        assert refused.exit_code == 3
        assert NOTHING in " ".join(refused.output.split())
        assert not (tmp_path / "release").exists()
        assert not (tmp_path / "release.private").exists()
        assert CliRunner().invoke(command, ["run", "--preview"]).exit_code == 3
        assert CliRunner().invoke(command, ["pareto", "--pick", "5", "--out", "picked"]).exit_code == 3
        allowed = CliRunner().invoke(command, ["run", "--allow-empty"])
        assert allowed.exit_code == 0, allowed.output
        picked = CliRunner().invoke(command, ["pareto", "--pick", "5", "--out", "picked", "--allow-empty"])
        assert picked.exit_code == 0, picked.output
    manifest = json.loads((tmp_path / "release/manifest.json").read_text())
    assert "allow_empty" not in json.dumps(manifest)
