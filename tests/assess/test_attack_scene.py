"""Whose row is whose: by the rows that were kept, by a rule, and where a folder was tampered with."""

import json

import polars as pl
import pytest

import shoal
from release_cases import CONFIGS, ORIGINALS, write_originals
from shoal.jobs.configured import run_config

pytestmark = pytest.mark.usefixtures("bare", "hasty")

BUILT = (
    CONFIGS["table"]
    .replace('"age.csv"', "{ ranges = [10, 20] }")
    .replace('"zip.csv"', '{ mask = "right" }')
    .replace('"sensitive"', '{ role = "sensitive", hierarchy = { fanout = 2 }, level = 1 }')
)


@pytest.fixture
def room(tmp_path):
    write_originals(tmp_path)
    return tmp_path


def write(room, config):
    """Write a release, and return its folder."""
    (room / "shoal.toml").write_text(config)
    run_config(room / "shoal.toml", room / "out", seed=3)
    return room / "out"


def attacked(room, kind):
    originals = room / ORIGINALS.get(kind, "people.csv")
    return shoal.attack(room / "out", originals, config=room / "shoal.toml")


RULED = [
    ("table", "optimal", "suppress = 0.1"),
    ("persons", "optimal", "suppress = 0.1"),
    ("built", "optimal", "suppress = 0.1"),
    ("baskets", "apriori", ""),
    ("baskets", "pcta", ""),
    ("secret", "apriori", ""),
    ("trees", "gcs", ""),
]


@pytest.mark.parametrize(("kind", "method", "more"), RULED)
def test_a_rule_tells_as_much_as_kept_rows(room, kind, method, more):
    text = BUILT if kind == "built" else CONFIGS[kind]
    write(room, f'{text}[method]\nname = "{method}"\n{more}\n[release]\nrows = true\n')
    by_rows = attacked(room, kind)
    (room / "out.private" / "rows.parquet").unlink()
    by_rule = attacked(room, kind)
    assert by_rule.holds
    for one, other in zip(by_rows.attackers, by_rule.attackers, strict=True):
        assert one.name == other.name
        if one.played == one.people:
            assert one.chances.tolist() == pytest.approx(other.chances.tolist())


@pytest.mark.parametrize(("kind", "method", "more"), [RULED[0], RULED[3]])
def test_rows_that_no_rule_makes_were_tampered_with(room, kind, method, more):
    write(room, f'{CONFIGS[kind]}[method]\nname = "{method}"\n{more}\n')
    path = room / "out" / "data.csv"
    data = pl.read_csv(path, infer_schema=False)
    column, label = ("zip", "011") if kind == "table" else ("items", '["ale"]')
    data[3, column] = label if data[3, column] != label else data[4, column]
    data.write_csv(path)
    found = attacked(room, kind)
    assert not found.holds
    assert found.failed or "rows are not what the rule" in (found.wrong or "")


def test_a_label_in_another_wording_tells_its_row_apart(tmp_path):
    """Attackers read labels by themselves, as anybody sees them, and not by what judges made of them."""
    ages = [30, 31, 32, 33, 45, 46, 47, 48]
    (tmp_path / "people.csv").write_text("age\n" + "\n".join(map(str, ages)) + "\n")
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.csv"\n[columns]\nage = { role = "quasi", hierarchy = { ranges = [10] } }\n'
        '[guarantee]\nk = 4\n[method]\nname = "optimal"\n[release]\nrows = true\n'
    )
    run_config(tmp_path / "shoal.toml", tmp_path / "out")
    assert attacked(tmp_path, "table").holds
    data = pl.read_csv(tmp_path / "out" / "data.csv", infer_schema=False)
    at = data["age"].to_list().index(next(label for label in data["age"] if label.startswith("[30")))
    data[at, "age"] = json.dumps(["30", "31", "32", "33"])
    data.write_csv(tmp_path / "out" / "data.csv")
    found = attacked(tmp_path, "table")
    assert found.failed == ("own-class",)
    assert found.outcome_of("own-class").certain == 1
    assert found.outcome_of("all-quasi-identifiers").highest == pytest.approx(1 / 4)  # both wordings fit


KEPT = "[release]\nrows = true\n"


@pytest.mark.parametrize(
    ("kind", "items", "failed"),
    [("baskets", "items", "m-published-items"), ("mixed", "bought", "own-class-m-items")],
)
def test_items_that_one_row_alone_publishes_are_above_the_bound(room, kind, items, failed):
    """Items are published as they are in one row, and generalized in all others."""
    out = write(room, CONFIGS[kind] + KEPT)
    data = pl.read_csv(out / "data.csv", infer_schema=False)
    rows = pl.read_parquet(room / "out.private" / "rows.parquet")["record"] - 1
    bought = pl.read_csv(room / ORIGINALS[kind], infer_schema=False)["bought"].fill_null("").to_list()
    at = next(row for row, record in enumerate(rows) if len(bought[record].split()) > (kind == "mixed"))
    data[at, items] = json.dumps(bought[rows[at]].split())
    data.write_csv(out / "data.csv")
    assert failed in attacked(room, kind).failed


def test_values_of_trees_that_one_row_alone_publishes_are_above_the_bound(room):
    out = write(room, CONFIGS["trees"] + '[release]\nformat = "ndjson"\n')
    rows = pl.read_parquet(room / "out.private" / "rows.parquet")["record"] - 1
    ages = [json.loads(line)["age"] for line in (room / "trees.ndjson").read_text().splitlines()]
    lines = [json.loads(line) for line in (out / "data.ndjson").read_text().splitlines()]
    age = next(node for node in lines[0]["nodes"] if node["class"] == "age")
    age["value"] = str(ages[rows[0]])
    (out / "data.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "m-published-values" in attacked(room, "trees").failed


def test_rows_that_name_other_records_are_a_no(room):
    write(room, CONFIGS["table"] + KEPT)
    path = room / "out.private" / "rows.parquet"
    pl.read_parquet(path).with_columns(record=pl.lit(1, dtype=pl.Int64)).write_parquet(path)
    assert "does not name one original record" in attacked(room, "table").wrong
    path.write_bytes(b"x")
    with pytest.raises(shoal.InputError, match="damaged"):
        attacked(room, "table")


def test_in_a_release_without_records_nobody_is_found(room):
    out = write(room, CONFIGS["trees"] + '[release]\nformat = "ndjson"\n')
    (room / "out.private" / "rows.parquet").unlink()
    (out / "data.ndjson").write_text("")
    found = attacked(room, "trees")
    assert found.not_played == ("the release holds no record, so nobody can be found in it",)
    assert not found.holds


def test_a_rule_tells_whose_row_is_whose_although_people_were_left_out(tmp_path):
    """The mask of the release is as long as the codes of those who stay; the one who was left out has a longer one."""
    rows = [f"{code},{ill}" for code in ("11", "12", "13") for ill in ("flu", "gout")] + ["2345678,flu"]
    (tmp_path / "people.csv").write_text("zip,ill\n" + "\n".join(rows) + "\n")
    (tmp_path / "shoal.toml").write_text(
        '[data]\npath = "people.csv"\n[columns]\nzip = { role = "quasi", hierarchy = { mask = "right" } }\n'
        'ill = "sensitive"\n[guarantee]\nk = 6\n[method]\nname = "optimal"\nsuppress = 0.2\n'
    )
    run_config(tmp_path / "shoal.toml", tmp_path / "out")
    found = attacked(tmp_path, "table")
    assert found.holds
    told = {one.name: one.success for one in found.attackers}
    assert told["all-quasi-identifiers"] == pytest.approx(
        1 / 7
    )  # 1/6 of six people, and nothing of the seventh
