"""shoal as a data scientist uses it."""

import json
import pickle
from dataclasses import replace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.algorithms.lattice import cube

pytestmark = pytest.mark.usefixtures("bare")

COLUMNS = {
    "age": [34, 38, 36, 61, 67, 64],
    "sex": ["f", "m", "m", "f", "f", "f"],
    "disease": ["flu", "asthma", "flu", "flu", None, "asthma"],
    "cost": [1.5, 1.5, 2.0, 2.0, 1.5, 2.0],
}
ROLES = {"age": "quasi", "sex": "quasi", "disease": "sensitive", "cost": "plain"}
AGES = {"age": {"ranges": [10, 20, 40]}}


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame, pa.table, lambda c: pl.DataFrame(c).lazy()])
def test_the_kind_of_frame_that_came_in_goes_out(kind):
    frame = kind(COLUMNS)
    release = shoal.anonymize(shoal.read(frame, roles=ROLES, hierarchies=AGES), k=3)
    assert type(release.data) is type(frame)


def test_plain_columns_keep_their_type_and_rows_stay_together():
    release = shoal.anonymize(shoal.read(pl.DataFrame(COLUMNS), roles=ROLES, hierarchies=AGES), k=3)
    assert release.data["cost"].dtype == pl.Float64
    pairs = sorted(zip(release.data["disease"], release.data["cost"], strict=True), key=str)
    assert pairs == sorted(zip(COLUMNS["disease"], COLUMNS["cost"], strict=True), key=str)


def test_a_release_tells_its_loss_claim_and_recoding(tmp_path):
    release = shoal.anonymize(
        shoal.read(pl.DataFrame(COLUMNS), roles=ROLES, hierarchies=AGES), k=3, method="optimal"
    )
    assert set(release.loss) >= {"glm", "ncp", "dm", "precision", "height"}
    assert release.claim == shoal.KAnonymity(3)
    assert release.recoding["levels"] == {"age": 1, "sex": 1}
    assert release.verdict
    assert "KAnonymity(k=3)" in repr(release)
    release.report(tmp_path / "report.html")
    assert "at least 2 others" in (tmp_path / "report.html").read_text()


def test_the_losses_of_a_maker_are_those_of_the_definitions():
    built = shoal.read(pl.DataFrame(COLUMNS), roles=ROLES, hierarchies=AGES).hierarchies
    declared = {name: replace(hierarchy, public=True) for name, hierarchy in built.items()}
    data = shoal.read(pl.DataFrame(COLUMNS), roles=ROLES, hierarchies=declared)
    for loss in ("glm", "glm-geometric", "ncp", "il", "entropy", "precision", "height", "dm", "aecs"):
        front = shoal.pareto(data, loss=loss, suppress=0.4)
        for point in (point for point in front.as_dict()["front"] if point["k"] > 1):
            assert front.pick(point["k"], allow_empty=True).loss[loss] == pytest.approx(
                point["loss"], abs=1e-12
            )


def test_every_loss_makes_a_release():
    data = shoal.read(pl.DataFrame(COLUMNS), roles=ROLES, hierarchies=AGES)
    for loss in [name for name in cube.LOSSES if name != "ce"]:
        assert shoal.anonymize(data, k=3, loss=loss, suppress=0.2, allow_empty=True).loss[loss] >= 0
    assert "ce" in shoal.anonymize(data, k=3, loss="ce", target="disease", allow_empty=True).loss


def test_a_search_that_ends_early_is_a_warning():
    frame = pl.DataFrame({"age": [20, 21, 30, 31, 40, 41] * 3, "pay": ["high", *["low"] * 5] * 3})
    data = shoal.read(
        frame, roles={"age": "quasi", "pay": "sensitive"}, hierarchies={"age": {"ranges": [10, 20, 40]}}
    )
    with pytest.warns(
        shoal.ShoalWarning, match=r"poka: the search ended at k=18, with 1 point, .*onward=True"
    ):
        front = shoal.pareto(data, method="poka", loss="ce", target="pay")
    assert "ended at k=18" in front.as_dict()["note"]
    gone_on = shoal.pareto(data, method="poka", loss="ce", target="pay", onward=True)
    assert [point["k"] for point in gone_on.as_dict()["front"]] == [3, 18]
    assert "note" not in gone_on.as_dict()


def test_a_front_is_read_seen_and_released():
    front = shoal.pareto(shoal.read(pd.DataFrame(COLUMNS), roles=ROLES, hierarchies=AGES))
    assert list(front.table()["k"]) == [point["k"] for point in front.as_dict()["front"]]
    assert isinstance(front.table(), pd.DataFrame)
    levels = [list(point["levels"].values()) for point in front.as_dict()["front"]]
    assert front.table()[list(front.as_dict()["front"][0]["levels"])].to_numpy().tolist() == levels
    assert "levels" not in front.table().columns
    assert front.plot(picked=3).data
    assert front.pick(k=3).claim == shoal.KAnonymity(3)
    with pytest.raises(shoal.InfeasibleError):
        front.pick(k=7)


def test_a_folder_of_hierarchies_is_found_by_column(tmp_path):
    (tmp_path / "age.csv").write_text("\n".join(f"{age};old;*" for age in COLUMNS["age"]))
    (tmp_path / "x_hierarchy_sex.csv").write_text("f;*\nm;*\n")
    data = shoal.read(pl.DataFrame(COLUMNS), roles=ROLES, hierarchies=tmp_path)
    assert data.hierarchies["age"].height == 2
    assert data.hierarchies["sex"].public
    with pytest.raises(shoal.InputError, match="not a folder"):
        shoal.read(pl.DataFrame(COLUMNS), roles=ROLES, hierarchies=tmp_path / "nowhere")


def test_an_uncovered_missing_value_is_published_at_the_root():
    columns = {"age": ["30", "30", None, None, "40", "40"], "sex": ["f"] * 6}
    tree = shoal.Hierarchy.from_paths("age", [["30", "*"], ["40", "*"]])
    data = shoal.read(
        pl.DataFrame(columns), roles={"age": "quasi", "sex": "quasi"}, hierarchies={"age": tree}
    )
    assert sorted(shoal.anonymize(data, k=2).data["age"]) == ["*", "*", "30", "30", "40", "40"]


def test_a_covered_missing_value_is_a_value_of_its_own():
    columns = {"age": ["30", "30", "?", "?", "40", "40"]}
    tree = shoal.Hierarchy.from_paths("age", [["30", "*"], ["40", "*"], ["?", "*"]])
    data = shoal.read(
        pl.DataFrame(columns), roles={"age": "quasi"}, hierarchies={"age": tree}, missing=("", "?")
    )
    release = shoal.anonymize(data, k=2)
    assert release.data["age"].null_count() == 2
    assert release.loss["glm"] == 0


def test_judge_names_what_is_missing():
    frame = pl.DataFrame(COLUMNS)
    with pytest.raises(shoal.InputError, match="no column 'zip'"):
        shoal.judge(frame, shoal.KAnonymity(2), quasi=["zip"])
    assert not shoal.judge(frame, shoal.KAnonymity(2), quasi=[])
    assert shoal.judge(frame, shoal.LDiversity(2), quasi=["cost"], sensitive=["disease"])


@pytest.mark.parametrize(
    ("build", "categories"),
    [
        (lambda frame: frame, lambda column: column.dtype.categories.to_list()),
        (lambda frame: frame.to_arrow(), lambda column: column.chunk(0).dictionary.to_pylist()),
        (lambda frame: frame.to_pandas(), lambda column: column.cat.categories.to_list()),
    ],
)
def test_a_category_of_suppressed_records_alone_leaves_no_trace(build, categories, tmp_path):
    ills = ["flu", "gout"] * 5 + ["flu", "telltale"]
    frame = pl.DataFrame({"sex": ["f"] * 6 + ["m"] * 5 + ["x"], "ill": ills})
    frame = frame.cast({"ill": pl.Enum(["gout", "flu", "telltale", "unused"])})
    data = shoal.read(build(frame), roles={"sex": "quasi", "ill": "sensitive"})
    release = shoal.anonymize(data, k=3, method="optimal", suppress=0.1)
    assert len(release.data) == 11
    assert sorted(categories(release.data["ill"])) == ["flu", "gout"]
    release.save(tmp_path / "out", format="parquet")
    assert b"telltale" not in (tmp_path / "out" / "data.parquet").read_bytes()


@pytest.mark.parametrize(
    ("columns", "rows", "asked", "method"),
    [(2, 40, {}, "boxes"), (2, 40, {"recode": "span"}, "mstk"), (2, 40, {"loss": "glm"}, "optimal")],
)
def test_the_method_of_a_table_follows_from_columns_records_and_what_is_asked(columns, rows, asked, method):
    cells = {f"c{j}": [str((i * (j + 3)) % 7) for i in range(rows)] for j in range(columns)}
    data = shoal.read(pl.DataFrame(cells), roles=dict.fromkeys(cells, "quasi"))
    assert shoal.anonymize(data, k=2, **asked).manifest["method"]["name"] == method


def test_items_without_a_hierarchy_become_sets_and_a_table_beside_them_takes_the_knee():
    held = [["ale", "pie"], ["ale", "rum"], ["pie", "rum"], ["ale", "pie", "rum"]] * 4
    frame = pl.DataFrame({"items": held, "age": [str(i) for i in range(16)]})
    sold = shoal.read(frame.select("items"), roles={"items": "items"})
    assert shoal.anonymize(sold, k=3, m=2).manifest["method"]["name"] == "pcta"
    ruled = shoal.read(frame.select("items"), roles={"items": "items"}, hierarchies={"items": {"fanout": 2}})
    assert shoal.anonymize(ruled, k=3, m=2).manifest["method"]["name"] == "apriori"
    both = shoal.read(frame, roles={"items": "items", "age": "quasi"})
    assert shoal.anonymize(both, k=3, m=2).manifest["method"]["parameters"]["delta"] == "knee"


def test_trees_in_python_have_identifiers_decimals_and_their_nesting(tmp_path):
    people = [{"id": i, "cost": f"{i % 4},5", "visits": [{"ward": "AB"[i % 2]}]} for i in range(8)]
    rules = {"cost": {"ranges": [2]}, "visits.ward": {"fanout": 2}}
    data = shoal.read_trees(people, hierarchies=rules, identifier="id", decimal=",")
    release = shoal.anonymize(data, k=2, m=1, n=0)
    release.save(tmp_path / "out", format="nested")
    line = json.loads((tmp_path / "out" / "data.rows.ndjson").read_text().splitlines()[0])
    assert set(line) == {"cost", "visits"}
    with pytest.raises(shoal.InputError, match="field 'id': 2 records share an identifier"):
        shoal.read_trees([*people, people[0]], hierarchies=rules, identifier="id")


def test_a_release_can_be_sent_to_another_process():
    people = pl.DataFrame({"age": ["31", "32", "41", "42"] * 5, "sex": ["f", "m"] * 10})
    data = shoal.read(people, roles={"age": "quasi", "sex": "quasi"})
    made = shoal.anonymize(data, k=2, method="optimal")
    sent = pickle.loads(pickle.dumps(made))
    assert sent.data.equals(made.data)
    assert sent.front == made.front is not None
