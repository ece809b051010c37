import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.anonymization.makers import trial_maker
from shoal.assess import usefulness
from shoal.assess.prediction import split
from shoal.assess.usefulness import (
    _groups_of,
    _numbers_of_columns,
    measure_usefulness,
    model_figures,
    table_figures,
)
from shoal.base.errors import ExtraError, InputError
from shoal.hierarchy import Hierarchy
from shoal.io.read.source import from_frame
from shoal.jobs import configured as jobs
from shoal.release import Recoded
from shoal.shapes.table.data import TableData
from strategies import cases

JOBS = [["nurse", "care", "*"], ["doctor", "care", "*"], ["clerk", "office", "*"], ["lawyer", "office", "*"]]


def people(n=120):
    rng = np.random.default_rng(5)
    job = rng.integers(4, size=n)
    frame = pl.DataFrame(
        {
            "age": [str(20 + 10 * j + a) for j, a in zip(job, rng.integers(8, size=n), strict=True)],
            "job": [JOBS[j][0] for j in job],
            "rich": [("yes", "no")[j % 2] if rng.random() < 0.9 else "yes" for j in job],
        }
    )
    return shoal.read(
        frame,
        roles={"age": "quasi", "job": "quasi", "rich": "sensitive"},
        hierarchies={"age": {"ranges": [5, 10, 20]}, "job": Hierarchy.from_paths("job", JOBS)},
        allow=("rich",),
    )


@pytest.fixture(scope="module")
def release():
    return shoal.anonymize(people(), k=4, method="mondrian")


@pytest.fixture(scope="module")
def found(release):
    return release.measure_usefulness("rich")


def test_every_part_is_measured_and_told(found):
    assert set(found.sentences) == {"prediction", "associations", "queries", "numbers", "groups"}
    assert found.notes == []
    assert found.pairs == len(found.associations) == 3
    assert found.prediction.target == "rich"
    assert found.queries.queries == 500
    assert {one.what for one in found.numbers} == {"mean", "lower quartile", "median", "upper quartile"}
    assert {one.column for one in found.groups} == {"age", "job"}
    for one in (*found.numbers, *found.groups):
        assert one.low <= one.true <= one.high


def test_it_can_be_read_drawn_and_stored(found):
    table = found.table()
    assert table.columns == ["figure", "of", "originals", "release", "at least", "at most"]
    assert table.height == 4 + 3 + 1 + len(found.numbers) + len(found.groups)
    assert found.plot().data
    assert json.loads(json.dumps(found.as_dict()))["prediction"]["target"] == "rich"
    assert "rich" in found._repr_html_()


def test_without_a_target_no_model_is_trained(release):
    found = release.measure_usefulness()
    assert found.prediction is None
    assert "prediction" not in found.sentences
    assert found.plot().data


def test_the_target_of_the_maker_is_taken():
    release = shoal.anonymize(people(), k=4, method="optimal", loss="ce", target="rich", suppress=0.1)
    assert measure_usefulness(release).prediction.target == "rich"


def test_a_front_cannot_be_rehearsed_alone_but_a_maker_can():
    picked = shoal.pareto(people()).pick(4)
    assert "shoal.anonymize" in measure_usefulness(picked, "rich").notes[0]
    made = shoal.anonymize(people(), k=4, method="pareto")
    assert measure_usefulness(made, "rich").prediction is not None


@pytest.mark.parametrize(
    ("n", "k", "why"), [(120, 100, ""), (60, 4, "18 records are left to test on; at least 20")]
)
def test_what_cannot_be_rehearsed_is_a_note(n, k, why):
    found = measure_usefulness(shoal.anonymize(people(n), k=k, method="mondrian", allow_empty=True), "rich")
    assert found.prediction is None
    assert found.notes[0].startswith("no model was trained for rich: ")
    assert why in found.notes[0]
    assert found.associations


def test_too_many_cells_are_a_note(monkeypatch, release):
    monkeypatch.setattr(usefulness, "_MOST_CELLS", 10)
    monkeypatch.setattr(usefulness, "_MOST_TO_REHEARSE", 10)
    found = measure_usefulness(release, "rich")
    assert len(found.notes) == 2
    assert not found.associations
    assert found.queries is None


def test_many_columns_are_measured_on_some_records(monkeypatch):
    columns = {f"c{j:03}": [str((i * (j + 3)) % 7) for i in range(3000)] for j in range(200)}
    data = shoal.read(pl.DataFrame(columns), roles=dict.fromkeys(columns, "quasi"))
    names = [column.name for column in data.table.quasi]
    rows = np.arange(data.table.n)
    same = Recoded.of_levels(names, data.hierarchies, data.leaves, [0] * len(names), rows)
    monkeypatch.setattr(
        usefulness, "measure_associations", lambda before, after: [len(before), len(before[0].codes)]
    )
    found, notes = usefulness._associations_of(data, same)
    assert found == [200, 3000]
    assert notes == []
    wide = shoal.read(
        pl.DataFrame({name: cells * 3 for name, cells in columns.items()}),
        roles=dict.fromkeys(columns, "quasi"),
    )
    same = Recoded.of_levels(names, wide.hierarchies, wide.leaves, [0] * len(names), np.arange(wide.table.n))
    found, notes = usefulness._associations_of(wide, same)
    assert found[1] < wide.table.n
    assert "drawn at random" in notes[0]


@given(st.data(), cases(missing=True))
def test_the_truth_lies_in_every_interval_of_a_full_domain_release(data, case):
    table, hierarchies = case
    numbered = {
        name: Hierarchy.from_paths(
            name, [[str("abcd".index(p[0])), *p[1:]] for p in sorted(_paths(hierarchy))]
        )
        for name, hierarchy in hierarchies.items()
    }
    digits = {"a": "0", "b": "1", "c": "2", "d": "3", None: None}
    columns = tuple(
        replace(column, values=tuple(digits[value] for value in column.values))
        if column.role == "quasi"
        else column
        for column in table.columns
    )
    table = replace(table, columns=columns)
    people = TableData(from_frame(pl.DataFrame({"x": [1]})), table, numbered, {})
    names = [column.name for column in table.quasi]
    levels = [data.draw(st.integers(0, numbered[name].height)) for name in names]
    # a missing cell is published at the root only, so levels below it leave its record out
    gone = [
        (people.leaves[:, j] == numbered[name].size) & (levels[j] < numbered[name].height)
        for j, name in enumerate(names)
    ]
    kept = data.draw(st.lists(st.booleans(), min_size=table.n, max_size=table.n))
    rows = np.flatnonzero(np.array(kept, dtype=bool) & ~np.any(gone, axis=0))
    release = Recoded.of_levels(names, numbered, people.leaves, levels, rows)
    for one in (*_numbers_of_columns(people, release), *_groups_of(people, release)):
        assert one.low - 1e-9 <= one.true <= one.high + 1e-9


def _paths(hierarchy):
    return [
        [hierarchy.labels[level][hierarchy.up[leaf, level]] for level in range(hierarchy.height + 1)]
        for leaf in range(hierarchy.size)
    ]


def test_the_audit_carries_it_and_the_public_folder_does_not(tmp_path):
    release = shoal.anonymize(people(), k=4, method="mondrian", seed=1)
    plain, asked = release.save(tmp_path / "plain"), release.save(tmp_path / "asked", target="rich")
    for name in ("data.csv", "manifest.json", "report.html"):
        assert (plain / name).read_bytes() == (asked / name).read_bytes()
    audit = json.loads((tmp_path / "asked.private" / "audit.json").read_text())
    assert audit["useful"]["prediction"]["target"] == "rich"
    assert json.loads((tmp_path / "plain.private" / "audit.json").read_text())["useful"]["prediction"] is None
    page = (tmp_path / "asked.private" / "audit.html").read_text()
    for sentence in audit["useful"]["sentences"].values():
        assert sentence.split(":")[0] in page


@pytest.mark.parametrize(
    ("roles", "options"),
    [
        ({"bought": "items", "sex": "plain"}, {"k": 3, "m": 2, "method": "apriori"}),
        ({"bought": "items", "sex": "plain"}, {"k": 3, "m": 2, "method": "pcta"}),
        ({"bought": "items", "sex": "drop"}, {"k": 3, "method": "nonreciprocal"}),
        ({"bought": "items", "sex": "quasi"}, {"k": 3, "m": 2, "method": "bound"}),
    ],
)
def test_supports_of_items_lie_in_what_the_release_allows(roles, options):
    rng = np.random.default_rng(4)
    lists = [sorted({"abcdefg"[i] for i in rng.integers(0, 7, size=3)}) for _ in range(60)]
    frame = pl.DataFrame({"bought": lists, "sex": ["fm"[i] for i in rng.integers(2, size=60)]})
    release = shoal.anonymize(shoal.read(frame, roles=roles), **options)
    found = [
        one for one in measure_usefulness(release).groups if one.what in "abcdefg" and len(one.what) == 1
    ]
    held = [one for one in found if one.column != "sex"]
    assert len(held) == 7
    for one in held:
        assert one.true == sum(one.what in basket for basket in lists)
        assert one.low <= one.true <= one.high


def hundred(n=100):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, size=n)
    frame = pl.DataFrame(
        {"age": age, "sex": ["fm"[a % 2] for a in age], "rich": ["yes" if a > 40 else "no" for a in age]}
    )
    roles = {"age": "quasi", "sex": "quasi", "rich": "sensitive"}
    return shoal.read(frame, roles=roles, hierarchies={"age": {"ranges": [10, 20]}}, allow=("rich",))


def test_a_table_that_was_not_touched_is_as_useful_as_it_was():
    data = hundred()
    same = data.recode({"levels": {"age": 0, "sex": 0}}, shoal.KAnonymity(1), 0).release
    found = table_figures(data, same)
    assert set(found) == {"table_are", "association_change", "association_worst", "mean_width"}
    assert set(found.values()) == {0}


def test_a_table_that_was_hidden_tells_nothing_for_certain():
    data = hundred()
    gone = data.recode({"levels": {"age": 3, "sex": 1}}, shoal.KAnonymity(2), 0).release
    found = table_figures(data, gone)
    assert found["mean_width"] == 1
    assert found["association_worst"] > 0.7
    assert found["table_are"] > 0


def test_models_by_name():
    train, held = split(hundred())
    release = trial_maker(train, "mondrian", {"k": 3}).make(train).release
    found = model_figures(train, release, held, "rich")
    assert set(found) == {
        "majority_accuracy",
        *(f"{m}_{what}" for m in ("logistic", "boosted") for what in ("accuracy", "auc")),
        *(f"{m}_{what}_originals" for m in ("logistic", "boosted") for what in ("accuracy", "auc")),
    }
    assert found["boosted_accuracy_originals"] == pytest.approx(1, abs=0.1)


def test_baskets_have_no_figures_of_a_table():
    data = shoal.read(pl.DataFrame({"bought": [["a"], ["b"]] * 3}), roles={"bought": "items"})
    assert table_figures(data, None) == {}


# A run whose configuration names a target.


def asked(people, target):
    path = people / "shoal.toml"
    path.write_text(path.read_text() + f'\n[audit]\ntarget = "{target}"\n', encoding="utf-8")
    return path


def asked_again(people, target):
    path = people / "shoal.toml"
    path.write_text(path.read_text().replace('target = "ward"', f'target = "{target}"'), encoding="utf-8")
    return path


def test_the_audit_tells_how_well_the_target_is_predicted(people):
    head, *rows = (people / "people.csv").read_text().splitlines()
    many = [f"again{time}{row}" for time in range(3) for row in rows]  # names stand first
    (people / "people.csv").write_text("\n".join([head, *many]) + "\n", encoding="utf-8")
    jobs.run_config(asked(people, "ward"), people / "out")
    audit = json.loads((people / "out.private" / "audit.json").read_text())
    assert audit["useful"]["notes"] == []
    assert (audit["useful"]["prediction"]["target"], audit["useful"]["prediction"]["tested"]) == ("ward", 54)
    assert "target" not in (people / "out" / "manifest.json").read_text()


def test_what_is_asked_of_a_release_picked_from_a_front_is_answered(people):
    head, *rows = (people / "people.csv").read_text().splitlines()
    many = [f"again{time}{row}" for time in range(3) for row in rows]
    (people / "people.csv").write_text("\n".join([head, *many]) + "\n", encoding="utf-8")
    front, how = jobs.front_config(asked(people, "ward"), picked=True)
    front.pick(3).save(people / "out", **how)
    audit = json.loads((people / "out.private" / "audit.json").read_text())
    assert ["no model was trained for ward" in note for note in audit["useful"]["notes"]] == [True]
    with pytest.raises(InputError, match="target: no published column 'wart'"):
        jobs.front_config(asked_again(people, "wart"), picked=True)


def test_a_wrong_target_and_a_missing_package_are_told_before_anything_is_made(people, monkeypatch):
    def missing():
        raise ExtraError.of("target", "scikit-learn", "ml")

    text = (people / "shoal.toml").read_text()
    monkeypatch.setattr(jobs, "anonymize", None)
    with pytest.raises(InputError, match="target: no published column 'wart'"):
        jobs.run_config(asked(people, "wart"), people / "out")
    (people / "shoal.toml").write_text(text)
    monkeypatch.setattr(usefulness, "require_models", missing)
    with pytest.raises(ExtraError, match=r'pip install "shoal-privacy\[ml\]"'):
        jobs.run_config(asked(people, "ward"), people / "out")
