"""Baskets through the door: generalized, or by vote; judged as written, or nothing."""

import datetime as dt
import json
from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.anonymization.run import anonymize, apply_recoding
from shoal.assess.auditors import _floor_of
from shoal.assess.facts import facts_of
from shoal.base.errors import InputError, RefusedError, UnkeptError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.publish import files, writing
from shoal.publish.verify import verify
from shoal.report.pages import audit_html
from shoal.shapes.registry import open_dataset

ITEMS = {"ale": "drink", "rum": "drink", "bun": "food", "pie": "food", "HIV": "ill", "flu": "ill"}


@pytest.fixture
def room(tmp_path):
    """Eighty invented baskets with a label, their hierarchy and two configurations."""
    random = np.random.default_rng(2)
    names = list(ITEMS)
    baskets = [
        " ".join(
            random.choice(names, random.integers(0, 4), replace=False, p=[0.3, 0.2, 0.2, 0.2, 0.02, 0.08])
        )
        for _ in range(80)
    ]
    faith = ["abcdefgh"[i % 8] for i in range(80)]
    people = [f"p{i}" for i in range(80)]
    pl.DataFrame({"who": people, "bought": baskets, "faith": faith}).write_csv(tmp_path / "data.csv")
    (tmp_path / "tree.csv").write_text("".join(f"{item};{group};*\n" for item, group in ITEMS.items()))
    base = '[data]\npath = "data.csv"\n[columns]\nwho = "identifier"\nfaith = ROLE\n'
    base += 'bought = { role = "items", hierarchy = "tree.csv" SECRET }\n'
    some = base.replace("SECRET", ', sensitive = ["HIV"]').replace("ROLE", '"plain"')
    (tmp_path / "some.toml").write_text(some + "[guarantee]\nk = 4\nm = 2\n")
    whole = base.replace("SECRET", "").replace("ROLE", '"sensitive"')
    (tmp_path / "whole.toml").write_text(whole + "[guarantee]\nk = 5\nl = 2\n")
    return tmp_path


@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
@pytest.mark.parametrize("name", ["some", "whole"])
def test_a_release_is_written_judged_and_verified(room, name, format, quick):
    config = room / f"{name}.toml"
    config.write_text(config.read_text() + f'[release]\nformat = "{format}"\n')
    release = run_config(config, room / "out")
    manifest = json.loads((room / "out" / "manifest.json").read_text())
    assert manifest["shape"] == "baskets"
    assert manifest["records_out"] == 80
    assert manifest["judged"] is True
    wanted = ["items", "faith"] if name == "some" else ["items", "uncertain", "errors", "faith"]
    assert list(manifest["columns"]) == wanted
    _, verdict = verify(room / "out", config=load(config), against=room / "data.csv")
    assert verdict, verdict.sentence
    # The columns, not the bytes: two letters stand in a compressed file by chance.
    assert "who" not in manifest["columns"]
    if format != "parquet":
        assert "p1" not in (room / "out" / f"data.{format}").read_text()
    assert next(iter(release.loss)) == ("ncp" if name == "some" else "er")
    assert (room / "out.private" / "audit.html").is_file()


def test_ndjson_has_the_contract_form(room, quick):
    config = room / "whole.toml"
    config.write_text(config.read_text() + '[release]\nformat = "ndjson"\n')
    run_config(config, room / "out")
    for line in (room / "out" / "data.ndjson").read_text().splitlines():
        record = json.loads(line)
        assert list(record) == ["items", "uncertain", "errors", "faith"]
        assert isinstance(record["errors"], int)
        assert all(isinstance(item, str) for item in record["items"] + record["uncertain"])


def test_from_the_folder_alone_a_vote_is_not_judged(room, quick):
    run_config(room / "whole.toml", room / "out")
    _, verdict = verify(room / "out")
    assert not verdict
    assert not verdict.judged


def test_from_the_folder_alone_generalized_items_are(room, quick):
    run_config(room / "some.toml", room / "out")
    assert verify(room / "out")[1]
    data = room / "out" / "data.csv"
    lines = data.read_text().splitlines()
    lines[1] = '"[""unheard of""]",a'
    data.write_text("\n".join(lines) + "\n")
    _, verdict = verify(room / "out")
    assert not verdict
    assert 1 in verdict.witnesses


def test_a_lie_on_disk_is_caught(room, monkeypatch, quick):
    write = files.write_data

    def lying(frame, *places):
        write(frame.with_columns(frame["items"].reverse()), *places)

    monkeypatch.setattr(writing, "write_data", lying)
    for name in ("some", "whole"):
        with pytest.raises(RefusedError):
            run_config(room / f"{name}.toml", room / "out")
    assert not list(room.glob("*out*"))


@pytest.mark.parametrize(
    ("method", "options", "told"),
    [
        ("apriori", {}, True),
        ("apriori", {"suppress": 0.05}, True),
        ("vpa", {"l": 2}, True),
        ("lra", {}, False),
        ("pcta", {}, False),
    ],
)
def test_the_audit_tells_what_no_cut_loses_less_than(room, method, options, told):
    release = anonymize(open_dataset(load(room / "some.toml")), method=method, k=9, m=2, **options)
    audit = replace(facts_of(release), floor=_floor_of(release))
    assert (audit.floor is not None) == told
    said = "No release of this kind, with one cut of the hierarchy for all records"
    assert (said in audit_html(audit)) == told
    if told:
        assert 0 < audit.floor <= release.loss["ncp"] + 1e-12
    assert "floor" not in json.dumps(release.manifest)  # the originals tell it


def test_a_release_by_a_stored_cut_has_no_floor(room):
    data = open_dataset(load(room / "some.toml"))
    first = anonymize(data, method="apriori", k=4, m=2)
    assert _floor_of(apply_recoding(data, first.recoding, k=4, m=2)) is None


def test_listed_itemsets_pass_the_door(room):
    release = anonymize(
        open_dataset(load(room / "some.toml")), method="coat", k=6, m=2, privacy=[["HIV", "ale"], ["flu"]]
    )
    assert release.verdict, release.verdict.sentence
    release.save(room / "listed")
    assert json.loads((room / "listed" / "manifest.json").read_text())["claim"]["itemsets"] == [
        ["HIV", "ale"],
        ["flu"],
    ]
    said = (room / "listed" / "report.html").read_text()
    assert "looks the same" not in said  # a basket may well be unique: only what is listed is protected
    assert "stand together in one of the listed itemsets" in said


def test_unrelated_originals_are_a_no(room, quick):
    run_config(room / "some.toml", room / "out")
    (room / "out.private" / "rows.parquet").unlink()  # then originals are matched with rows
    data = pl.read_csv(room / "data.csv")
    others = data.with_columns(bought=pl.lit("flu"))
    others.write_csv(room / "others.csv")
    relabelled = data.with_columns(faith=pl.lit("z"))
    relabelled.write_csv(room / "relabelled.csv")
    for name in ("others.csv", "relabelled.csv"):
        _, verdict = verify(room / "out", config=load(room / "some.toml"), against=room / name)
        assert verdict.judged
        assert not verdict
        assert "too few originals" in verdict.sentence


def test_a_cut_applies_to_new_baskets(room, quick):
    run_config(room / "some.toml", room / "out")
    recoding = room / "out.private" / "recoding.json"
    again = run_config(room / "some.toml", room / "again", recoding=recoding)
    assert again.manifest["claim"]["k"] == 4
    lines = (room / "data.csv").read_text().splitlines()
    (room / "data.csv").write_text("\n".join([lines[0], "x,ale rum HIV,a", "y,bun,a", "z,flu,a"]) + "\n")
    with pytest.raises(UnkeptError):
        run_config(room / "some.toml", room / "few", recoding=recoding, stated={"k": 3})
    assert not (room / "few").exists()


def test_a_recoding_of_baskets_takes_no_share_to_leave_out(room, quick):
    run_config(room / "some.toml", room / "out")
    config = room / "some.toml"
    config.write_text(config.read_text() + "[method]\nsuppress = 0.1\n")
    with pytest.raises(InputError, match=r"^recoding: its rule leaves out the items .*; take suppress out"):
        run_config(config, room / "again", recoding=room / "out.private" / "recoding.json")
    assert not (room / "again").exists()


def test_sets_of_items_apply_to_new_baskets(room):
    data = open_dataset(load(room / "some.toml"))
    first = anonymize(data, method="pcta", k=4, m=2)
    again = apply_recoding(data, first.recoding, k=4, m=2)
    assert sorted(again.frame["items"]) == sorted(first.frame["items"])


def test_claims_that_fit_nothing_are_refused(room):
    some, whole = (open_dataset(load(room / f"{name}.toml")) for name in ("some", "whole"))
    with pytest.raises(InputError, match="give k, or l for a label"):
        anonymize(whole, method="nonreciprocal")
    with pytest.raises(InputError, match="carry no plain column"):
        anonymize(some, k=3)
    with pytest.raises(InputError, match="is made for table"):
        anonymize(whole, method="optimal", k=3)


def test_the_audit_shows_errors_by_frequency(room):
    release = anonymize(open_dataset(load(room / "whole.toml")), k=5)
    audit = facts_of(release)
    assert [chart.title for chart in audit.charts] == ["Wrong items, for rare and for frequent items"]
    assert audit.report.marginals["items"]


LABELS = {
    "dates": [dt.date(2020, 1, day) for day in (1, 2, 3)],
    "times": [dt.datetime(2020, 1, day, 0, 0, day - 1) for day in (1, 2, 3)],
    "durations": [dt.timedelta(hours=hours) for hours in (1, 2, 30)],
    "decimals": [Decimal("1.50"), Decimal("2.00"), Decimal("0.10")],
    "numbers": [1.5, float("inf"), 3.0],
    "truth": [True, False, None],
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_a_label_may_be_of_any_type(tmp_path, kind, format, quick):
    frame = pl.DataFrame(
        {
            "items": [["ale", "bun"] if i % 2 else ["ale", "pie"] for i in range(24)],
            "label": pl.Series([LABELS[kind][i % 3] for i in range(24)]),
        }
    )
    data = shoal.read(frame, roles={"items": "items", "label": "sensitive"}, allow=("label",))
    release = shoal.anonymize(data, k=3, allow=True)
    release.save(tmp_path / "out", format=format)
    assert release.data["label"].dtype == frame["label"].dtype
