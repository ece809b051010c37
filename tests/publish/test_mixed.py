"""Tables with baskets through the door."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import shoal
from shoal.anonymization.run import anonymize, trace_front
from shoal.assess.auditors import _floor_of
from shoal.assess.facts import facts_of
from shoal.base.errors import InfeasibleError, InputError, RefusedError
from shoal.cli import shoal as command_line
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.publish import files, writing
from shoal.publish.verify import verify
from shoal.report.pages import audit_html
from shoal.shapes.registry import open_dataset
from shoal.utility.queries import draw_mixed_workload, read_workload, workload_text

CODES = {"E10": "E", "E11": "E", "I10": "I", "I20": "I", "J45": "J"}


@pytest.fixture
def room(tmp_path):
    """A hundred invented patients with diagnoses."""
    random = np.random.default_rng(4)
    pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(100)],
            "age": random.integers(20, 60, 100),
            "sex": random.choice(["f", "m"], 100),
            "codes": [
                " ".join(random.choice(list(CODES), random.integers(0, 4), replace=False)) for _ in range(100)
            ],
        }
    ).write_csv(tmp_path / "data.csv")
    (tmp_path / "codes.csv").write_text("".join(f"{code};{group};*\n" for code, group in CODES.items()))
    (tmp_path / "shoal.toml").write_text(
        """
[data]
path = "data.csv"
[columns]
id = "identifier"
age = { role = "quasi", hierarchy = { ranges = [10, 20, 40] } }
sex = "quasi"
codes = { role = "items", hierarchy = "codes.csv", sensitive = ["J45"] }
[guarantee]
k = 5
m = 2
[method]
delta = 0.8
"""
    )
    return tmp_path


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_a_release_is_written_judged_and_verified(room, format, quick):
    config = room / "shoal.toml"
    config.write_text(config.read_text() + f'[release]\nformat = "{format}"\n')
    release = run_config(config, room / "out")
    manifest = json.loads((room / "out" / "manifest.json").read_text())
    assert manifest["shape"] == "mixed"
    assert manifest["columns"] == {"age": "quasi", "sex": "quasi", "codes": "items"}
    assert manifest["claim"]["model"] == "(k,k^m)-anonymity"
    assert verify(room / "out")[1]
    assert verify(room / "out", config=load(config))[1]
    assert verify(room / "out", config=load(config), against=room / "data.csv")[1]
    assert set(release.loss) >= {"ncp", "table-ncp", "items-ncp", "ul", "are"}
    audit = json.loads((room / "out.private" / "audit.json").read_text())
    assert "codes" in audit["before_after"]


def test_a_lie_on_disk_is_caught(room, monkeypatch, quick):
    write = files.write_data

    def lying(frame, *places):
        write(frame.with_columns(frame["codes"].reverse()), *places)

    monkeypatch.setattr(writing, "write_data", lying)
    with pytest.raises(RefusedError):
        run_config(room / "shoal.toml", room / "out", stated={"k": 2, "m": 1})
    assert not list(room.glob("*out*"))


def test_a_release_of_other_people_is_refuted(room, quick):
    path = room / "shoal.toml"
    path.write_text(path.read_text().replace("delta = 0.8", "delta = 0.4"))
    run_config(path, room / "out")
    (room / "out.private" / "rows.parquet").unlink()  # then originals are matched with rows
    config = load(path)
    mine = pl.read_csv(room / "data.csv", infer_schema=False)
    older = mine.with_columns(age=pl.lit("20"))
    fewer = mine.head(90)
    healthy = mine.with_columns(codes=pl.lit("E10"))
    sentences = ("fit too few originals", "there are 90", "hold items of too few originals")
    for others, sentence in zip((older, fewer, healthy), sentences, strict=True):
        others.write_csv(room / "others.csv")
        _, verdict = verify(room / "out", config=config, against=room / "others.csv")
        assert not verdict
        assert sentence in verdict.sentence


def test_recodings_do_not_carry_over(room, quick):
    run_config(room / "shoal.toml", room / "out")
    with pytest.raises(InputError, match="separately for each class"):
        run_config(room / "shoal.toml", room / "new", recoding=room / "out.private" / "recoding.json")


@pytest.fixture
def go(room, monkeypatch):
    """Run a command where the patients are."""
    monkeypatch.chdir(room)

    def run(*words):
        return CliRunner().invoke(command_line, [str(word) for word in words], catch_exceptions=False)

    return run


def test_a_front_can_be_read_seen_and_released(room):
    front = shoal.pareto(open_dataset(load(room / "shoal.toml")), k=5, m=2)
    points = front.as_dict()["front"]
    assert len(points) > 1
    assert front.table().rows(named=True) == points
    assert list(front.plot().data[0].x) == [point["table-ncp"] for point in points]
    middle = points[len(points) // 2]
    ring = front.plot(middle["table-ncp"]).data[1]
    assert (ring.x[0], ring.y[0]) == (middle["table-ncp"], middle["ul"])
    release = front.pick(delta=middle["table-ncp"])
    assert release.loss["table-ncp"] == pytest.approx(middle["table-ncp"], abs=1e-8)
    assert release.loss["ul"] == pytest.approx(middle["ul"])
    assert release.manifest["method"] == {
        "name": "bound",
        "parameters": {"k": 5, "m": 2, "delta": middle["table-ncp"]},
    }
    assert release.manifest["claim"]["k"] == 5
    with pytest.raises(InfeasibleError, match="give delta="):
        front.pick(0)
    with pytest.raises(InputError, match=r"delta=1\.5; give a loss from 0 to 1"):
        front.pick(1.5)


def test_the_other_part_may_be_bounded(room):
    front = trace_front(open_dataset(load(room / "shoal.toml")), k=5, bound="items")
    points = front.as_dict()["front"]
    assert front.pick(points[0]["ul"]).loss["table-ncp"] == pytest.approx(points[0]["table-ncp"], abs=1e-8)
    assert "that you allow for the items" in front.summary()


def test_only_bound_traces_a_trade_off(room):
    data = open_dataset(load(room / "shoal.toml"))
    with pytest.raises(InputError, match="rfirst has no front for such data; use one of bound"):
        trace_front(data, method="rfirst", k=5)
    with pytest.raises(InputError, match="k"):
        trace_front(data)
    with pytest.raises(InputError, match="'delta' must be a number or 'knee'"):
        anonymize(data, k=5, delta="sweep")


def test_pareto_from_the_command_line(go, room, quick):
    found = json.loads(go("pareto", "--json").stdout)
    assert found["bound"] == "table"
    ncp = [point["table-ncp"] for point in found["front"]]
    assert ncp == sorted(ncp)
    assert "pick one by the loss that you allow for the table" in go("pareto").output
    result = go("pareto", "--pick", "1", "--out", "picked", "--plot", "front.html")
    assert result.exit_code == 0, result.output
    assert verify(room / "picked")[1]
    assert "plotly" in (room / "front.html").read_text()
    audit = json.loads((room / "picked.private" / "audit.json").read_text())
    assert audit["tradeoff"]["points"] == found["front"]
    assert audit["tradeoff"]["ncp"] == found["front"][-1]["table-ncp"]
    assert audit["front"] is None


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (("run",), 2, "'delta' must be a number or 'knee'"),
        (("pareto", "--seconds", 3), 2, "--seconds"),
        (("pareto", "--pick", 0), 3, "give delta="),
        (("pareto", "--pick", -1), 2, "from 0 to 1"),
        (("pareto", "--plot", "data.csv"), 2, "exists"),
    ],
)
def test_what_makes_no_release_is_one_sentence(go, room, words, code, part):
    config = room / "shoal.toml"
    config.write_text(config.read_text().replace("delta = 0.8", 'delta = "sweep"'))
    result = go(*words)
    assert result.exit_code == code
    assert part in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (room / "release").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [({}, True), ({"k": 3, "l": 2}, True), ({"items": "pcta"}, False), ({"recode": "span"}, False)],
)
def test_the_audit_tells_what_no_recoding_along_the_hierarchies_loses_less_than(room, options, told):
    data = open_dataset(load(room / "shoal.toml"))
    release = anonymize(data, method="rfirst", **{"k": 5, "m": 2, **options})
    audit = replace(facts_of(release), floor=_floor_of(release))
    assert (audit.floor is not None) == told
    said = (
        "No release of this kind, with cells and items published as nodes of the hierarchies, loses less than"
    )
    assert (said in audit_html(audit)) == told
    if told:
        assert 0 < audit.floor <= release.loss["ncp"]


def test_the_audit_of_a_small_release_shows_the_trade_off(room):
    run_config(room / "shoal.toml", room / "out")
    audit = json.loads((room / "out.private" / "audit.json").read_text())
    assert len(audit["tradeoff"]["points"]) > 1
    assert "What other bounds would cost" in (room / "out.private" / "audit.html").read_text()
    assert "other bounds" not in (room / "out" / "report.html").read_text()
    plain = anonymize(open_dataset(load(room / "shoal.toml")), method="tfirst", k=5)
    assert facts_of(plain).tradeoff is None


def test_a_workload_is_the_users(room):
    data = open_dataset(load(room / "shoal.toml"))
    release = anonymize(data, k=5, m=2)
    asked = data.workload(seed=3, queries=20, values=1, items=1)
    assert asked == draw_mixed_workload(data.mixed, seed=3, queries=20, values=1, items=1)
    assert data.are(release, read_workload(workload_text(asked))) > 0
    assert release.loss["are"] == data.are(release, data.workload(seed=0))


def test_frames_with_items_come_in_from_python():
    ages = [31, 34, 36, 38, 52, 55, 57, 58]
    lists = [["E11", "I10"], ["E11", "J45"], ["I10"], ["E11"], ["J45", "E11"], [], ["E11"], ["E11", "I10"]]
    frame = pl.DataFrame({"age": ages, "codes": lists})
    tree = shoal.Hierarchy.from_paths("codes", [[code, group, "*"] for code, group in CODES.items()])
    data = shoal.read(
        frame,
        roles={"age": "quasi", "codes": "items"},
        hierarchies={"age": {"ranges": [10, 40]}, "codes": tree},
        sensitive={"codes": ["J45"]},
        weights={"age": 2},
    )
    assert data.shape == "mixed"
    assert data.hierarchy is tree
    assert data.people.table.quasi[0].weight == 2
    assert shoal.anonymize(data, k=2, l=2, m=1).verdict
    texts = frame.select(pl.col("codes").list.join(";"))
    sold = shoal.read(texts, roles={"codes": "items"}, separators={"codes": ";"})
    assert sold.shape == "baskets"
    assert sold.baskets.values == ("E11", "I10", "J45")
    assert shoal.anonymize(sold, k=2, m=1).verdict


def test_a_claim_whose_sensitive_items_were_all_left_out_is_infeasible():
    lists = [["E11", "I10"], ["E11"], ["I10"], ["E11"], ["J45"], [], ["J45"], ["E11", "J45"]]
    frame = pl.DataFrame({"age": [31, 34, 36, 38, 52, 55, 57, 58], "codes": lists})
    roles, rules = {"age": "quasi", "codes": "items"}, {"age": {"ranges": [10, 40]}}
    rules["codes"] = {"A": ["E11"], "B": ["I10"], "C": ["J45"]}
    data = shoal.read(frame, roles=roles, hierarchies=rules, sensitive={"codes": ["J45"]})
    with pytest.raises(shoal.InfeasibleError, match="every sensitive item had to be left out"):
        shoal.anonymize(data, k=2, l=2, m=1, delta=0.65)


def test_items_stay_where_they_stood(room, quick):
    frame = pl.read_csv(room / "data.csv").select("id", "codes", "age", "sex")
    frame.write_csv(room / "data.csv")
    release = run_config(room / "shoal.toml", room / "out")
    assert list(release.manifest["columns"]) == ["codes", "age", "sex"]
    assert verify(room / "out")[1]
