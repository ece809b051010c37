"""A table in fragments: every record leaves once, true and judged, wherever it lay; else nothing leaves."""

import gc
import hashlib
import json
import random
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from large_cases import people, write
from shoal.algorithms.fragments import make_one
from shoal.base.errors import InfeasibleError, InputError, RefusedError
from shoal.engines import in_threads, in_turn
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.parts import folder as folders
from shoal.parts import reading as part_reading
from shoal.publish.large import fragment_making, opening, reading, table_counts, table_fragments
from shoal.publish.large.table_fragments import FragmentedTable
from shoal.publish.verify import verify
from shoal.shapes.hierarchies import Coarse
from shuffle_engine import Shuffle

CONFIG = """
[data]
path = "people.{kind}"
missing = ["", "?", "NaN"]
[columns]
id = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "right" }}, weight = 2 }}
weight = {{ role = "quasi", hierarchy = {{ ranges = [10, 50] }} }}
born = "quasi"
ill = "sensitive"
ward = {{ role = "plain", allow = true }}
when = {{ role = "plain", allow = true }}
dose = {{ role = "plain", allow = true }}
well = {{ role = "plain", allow = true }}
[guarantee]
k = 3
{guarantee}
[method]
{method}
[release]
format = "{format}"
[engine]
part = {part}
"""
TAG = 'tag = { role = "plain", allow = true }'
ILL = """flu;a;*
=1+1;a;*
he said "no";a;*
a,b;a;*
gout;b;*
-7;b;*
é;b;*
"""
ASKED = {
    "mondrian": "",
    "mstk": "l = 2",
    "boxes": "t = 0.6",
    "kmember": "alpha = 0.7",
}


def configured(
    folder,
    *,
    n=400,
    kind="parquet",
    name="mondrian",
    guarantee="",
    format="csv",
    part=90,
    fragment=80,
    more="",
):
    write(people(n), folder / f"people.{kind}")
    method = f'name = "{name}"\nfragment = {fragment}\n{more}'
    text = CONFIG.format(kind=kind, guarantee=guarantee, method=method, format=format, part=part)
    (folder / "shoal.toml").write_text(text)
    return folder / "shoal.toml"


def run(folder, out="out", seed=None, **settings):
    release = run_config(configured(folder, **settings), folder / out, force=True, seed=seed)
    assert isinstance(release.dataset, FragmentedTable)
    return release


def released(folder, format="csv"):
    name = folder / f"data.{format}"
    if format == "parquet":
        return Counter(map(repr, pl.read_parquet(name).rows()))
    return Counter(name.read_text().splitlines())


def in_memory(config, out, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(opening, "_table_in_fragments", lambda config, room: None)
        return run_config(config, out, force=True)


@pytest.fixture
def no_room_left():
    """Whatever was private is gone when a test has ended."""
    made = []
    build = folders.PrivateFolder.__init__

    def note(self, *given):
        build(self, *given)
        made.append(self.path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(folders.PrivateFolder, "__init__", note)
        yield made
    gc.collect()
    assert made
    assert not [path for path in made if path.exists()]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("kind", "name", "format"),
    [
        *(("parquet", "mondrian", "csv"), ("csv", "mstk", "parquet"), ("ndjson", "boxes", "ndjson")),
        *(("csv", "kmember", "csv"), ("parquet", "mstk", "ndjson"), ("ndjson", "mondrian", "parquet")),
    ],
)
def test_every_record_leaves_once_and_the_judges_in_memory_say_yes(
    tmp_path, monkeypatch, no_room_left, kind, name, format
):
    release = run(tmp_path, kind=kind, name=name, guarantee=ASKED[name], format=format)
    assert release.result.trace["fragments"] > 3
    config = load(tmp_path / "shoal.toml")
    assert verify(tmp_path / "out")[1]
    assert verify(tmp_path / "out", config=config, against=config.data.path)[1]
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())
    small = in_memory(config, tmp_path / "small", monkeypatch)
    wanted = small.manifest
    for same in ("records_in", "records_out", "suppressed", "columns", "claim", "shape", "judged"):
        assert told[same] == wanted[same]
    untouched = [column for column in told["columns"] if told["columns"][column] != "quasi"]
    frames = [cells_of(tmp_path / folder, format) for folder in ("out", "small")]
    assert frames[0].schema == frames[1].schema
    cells = [Counter(map(repr, frame.select(untouched).rows())) for frame in frames]
    assert cells[0] == cells[1]
    assert (told["loss"].keys(), len(told["notes"])) == (wanted["loss"].keys(), len(wanted["notes"]))
    del release, small


def cells_of(folder, format):
    path = folder / f"data.{format}"
    if format == "csv":
        return pl.read_csv(path, infer_schema=False)
    return pl.read_parquet(path) if format == "parquet" else pl.read_ndjson(path, infer_schema_length=None)


@pytest.mark.usefixtures("quick")
def test_the_release_depends_on_no_part_no_thread_and_no_attempt(tmp_path, monkeypatch):
    usual = run(tmp_path, seed=1)
    records, parts = released(tmp_path / "out"), len(usual.dataset.parts)
    for part, mapper in ((30, in_turn), (90, in_threads(3)), (1000, twice), (47, Shuffle(1).map)):
        monkeypatch.setattr(folders, "in_threads", lambda number, mapper=mapper: mapper)
        again = run(tmp_path, seed=1, part=part)
        assert released(tmp_path / "out") == records
        assert part == 90 or len(again.dataset.parts) != parts
    assert run(tmp_path, seed=2)


def twice(task, parts):
    """Run every task twice, in an order of its own."""
    order = random.Random(len(parts)).sample(list(parts), len(parts))
    for part in order:
        task(part)
        yield task(part)


@pytest.mark.usefixtures("quick")
def test_the_order_of_the_file_does_not_matter(tmp_path):
    run(tmp_path, seed=1)
    records = released(tmp_path / "out")
    config = tmp_path / "shoal.toml"
    write(people(400).sample(fraction=1, shuffle=True, seed=5), tmp_path / "people.parquet")
    run_config(config, tmp_path / "other", seed=1)
    assert released(tmp_path / "other") == records


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("name", "kind"),
    [("mondrian", "csv"), ("mstk", "ndjson"), ("boxes", "parquet")],
)
def test_a_release_is_made_of_those_who_are_kept_alone(tmp_path, monkeypatch, no_room_left, name, kind):
    asked = {"guarantee": "l = 2", "more": "suppress = 0.1\n"}
    config = configured(tmp_path, name=name, kind=kind, **asked, format="parquet")
    config.write_text(config.read_text().replace("[guarantee]", f"{TAG}\n[guarantee]"))
    frame = people(400).with_columns(tag=pl.int_range(400))
    write(frame, tmp_path / f"people.{kind}")
    made = run_config(config, tmp_path / "out", seed=1)
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert 0 < told["suppressed"] <= 40
    assert (told["records_in"], told["records_out"]) == (400, 400 - told["suppressed"])
    assert verify(tmp_path / "out")[1]
    assert verify(tmp_path / "out", config=load(config), against=tmp_path / f"people.{kind}")[1]
    tags = made.dataset.dictionary.values[made.dataset.dictionary.names.index("tag")]
    assert len(tags) == told["records_out"]
    rows = sorted(map(int, tags))
    released_now = released(tmp_path / "out", "parquet")
    write(frame[rows], tmp_path / f"people.{kind}")
    config.write_text(config.read_text().replace("suppress = 0.1\n", ""))
    run_config(config, tmp_path / "alone", seed=1)
    assert released(tmp_path / "alone", "parquet") == released_now
    alone = json.loads((tmp_path / "alone" / "manifest.json").read_text())
    assert alone["classes"] == told["classes"]
    assert alone["notes"] == told["notes"]
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    write(frame, tmp_path / f"people.{kind}")
    small = in_memory(config, tmp_path / "small", monkeypatch)
    memory = json.loads((tmp_path / "small.private" / "audit.json").read_text())
    assert audit["risk_before"] == memory["risk_before"]
    assert sum(before for _, before, _ in audit["before_after"]["ill"]) == 400
    assert sum(after for *_, after in audit["before_after"]["ill"]) == told["records_out"]
    for column, changes in memory["before_after"].items():
        assert sum(before for _, before, _ in audit["before_after"][column]) == sum(
            before for _, before, _ in changes
        )
    del made, small


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("name", "more"), [("mstk", ""), ("boxes", "suppress = 0.05\n")])
def test_hidden_values_are_judged_as_in_memory(tmp_path, monkeypatch, no_room_left, name, more):
    config = configured(tmp_path, name=name, guarantee="alpha = 0.5", more=more)
    hidden = 'ill = { role = "sensitive", hidden = ["GOUT", "-7", "plague"] }'
    config.write_text(config.read_text().replace('ill = "sensitive"', hidden))
    made = run_config(config, tmp_path / "out", force=True)
    assert isinstance(made.dataset, FragmentedTable)
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert "gout" in json.dumps(told["claim"])
    assert "plague" not in json.dumps(told["claim"])
    assert verify(tmp_path / "out")[1]
    asked = {"config": load(config), "against": tmp_path / "people.parquet"}
    assert verify(tmp_path / "out", **asked)[1]
    rows = pl.read_csv(tmp_path / "out" / "data.csv", infer_schema=False)
    share = pl.col("ill").fill_null("gout").is_in(["gout", "'-7", "-7"]).mean()
    shares = rows.group_by("age", "zip", "weight", "born").agg(share)["ill"]
    assert shares.max() <= 0.5
    small = in_memory(config, tmp_path / "small", monkeypatch)
    assert small.manifest["claim"] == told["claim"]
    del made, small


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("kind", "format"), [("parquet", "csv"), ("csv", "parquet")])
def test_columns_at_a_fixed_level_come_out_as_in_memory(tmp_path, monkeypatch, no_room_left, kind, format):
    config = configured(tmp_path, kind=kind, name="mstk", guarantee="l = 2", format=format)
    text = config.read_text()
    (tmp_path / "ill.csv").write_text(ILL)
    text = text.replace('ill = "sensitive"', 'ill = { role = "sensitive", hierarchy = "ill.csv", level = 1 }')
    text = text.replace(
        'dose = { role = "plain"', 'dose = { role = "plain", hierarchy = { ranges = [1, 10] }, level = 1'
    )
    config.write_text(text)
    made = run_config(config, tmp_path / "out")
    assert isinstance(made.dataset, FragmentedTable)
    small = in_memory(config, tmp_path / "small", monkeypatch)
    asked = {"config": load(config), "against": tmp_path / f"people.{kind}"}
    assert verify(tmp_path / "out", **asked)[1]
    untouched = ["ill", "dose", "ward", "well", "when"]
    cells = [
        Counter(map(repr, cells_of(tmp_path / out, format).select(untouched).rows()))
        for out in ("out", "small")
    ]
    assert cells[0] == cells[1]
    assert set(cells_of(tmp_path / "out", format)["ill"]) <= {"a", "b", "", None, "'a"}
    told = [json.loads((tmp_path / f"{out}.private" / "audit.json").read_text()) for out in ("out", "small")]
    assert told[0]["columns"]["dose"] == pytest.approx(told[1]["columns"]["dose"])
    assert told[0]["columns"]["ill"] == pytest.approx(told[1]["columns"]["ill"])
    del made, small


@pytest.mark.usefixtures("quick")
def test_a_label_of_a_fixed_level_that_is_not_true_is_refused(tmp_path, monkeypatch):
    config = configured(tmp_path)
    (tmp_path / "ill.csv").write_text(ILL)
    text = config.read_text()
    text = text.replace('ill = "sensitive"', 'ill = { role = "sensitive", hierarchy = "ill.csv", level = 1 }')
    config.write_text(text)
    real = Coarse.labels
    monkeypatch.setattr(Coarse, "labels", lambda own, *asked, **more: real(own, *asked, **more).reverse())
    with pytest.raises(RefusedError):
        run_config(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_a_fragment_that_cannot_keep_the_claim_is_joined_with_its_neighbour(tmp_path):
    release = run(tmp_path, n=60, fragment=6, guarantee="l = 4", name="mstk")
    alone = run(tmp_path, n=60, fragment=6, name="mstk")
    assert 1 <= release.result.trace["fragments"] < alone.result.trace["fragments"]
    with pytest.raises(InfeasibleError):
        run(tmp_path, n=60, fragment=6, guarantee="l = 30", name="mstk")


def test_report_and_audit_tell_what_counts_tell(tmp_path, monkeypatch):
    release = run(tmp_path, n=300)
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    small = in_memory(tmp_path / "shoal.toml", tmp_path / "small", monkeypatch)
    memory = json.loads((tmp_path / "small.private" / "audit.json").read_text())
    assert audit["risk_before"] == memory["risk_before"]
    assert audit["risk_after"]["records"] == 300
    assert audit["exposed"][0]["before"] == memory["exposed"][0]["before"]
    for name, changes in memory["before_after"].items():
        before = {value: count for value, count, _ in audit["before_after"][name]}
        assert before == {value: count for value, count, _ in changes}
        assert sum(after for *_, after in audit["before_after"][name]) == pytest.approx(
            sum(after for *_, after in changes), abs=1e-3
        )
    (learned,), (expected,) = audit["learned"], memory["learned"]
    assert learned["before"] == pytest.approx(expected["before"])
    assert learned["after"].keys() == expected["after"].keys()
    released = release.dataset.view_released(release.result.release)
    assert learned["after"]["l"] == shoal.LDiversity(1).check(released).reached["l"]
    assert learned["after"]["t"] == shoal.TCloseness(1.0).check(released).reached["t"]
    assert audit["report"]["marginals"]["ill"] == memory["report"]["marginals"]["ill"]
    assert sum(int(size) * many for size, many in audit["report"]["sizes"].items()) == 300
    assert audit["columns"].keys() == memory["columns"].keys()
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000
    assert release.loss["ncp"] == pytest.approx(small.loss["ncp"], rel=0.2)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", ["made", "staged", "written"])
def test_a_run_that_is_ended_leaves_nothing(tmp_path, monkeypatch, no_room_left, fault):
    config = configured(tmp_path)

    def fail(*_, **__):
        raise RefusedError("refused: stop")

    module, target = {
        "made": (fragment_making, "make_one"),
        "staged": (table_fragments, "_judge_truth"),
        "written": (table_counts, "_number_texts"),
    }[fault]
    with monkeypatch.context() as patched:
        patched.setattr(module, target, fail)
        with pytest.raises(RefusedError, match="stop"):
            run_config(config, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "shoal.toml"]


def lie(method, shared, claim, options, fragment):
    """Make a fragment as the method does, and publish another label of one record."""
    number, made = make_one(method, shared, claim, options, fragment)
    release = made.release
    codes = release.codes.copy()
    j = int(np.argmax([len(forms.labels) for forms in release.forms]))
    codes[0, j] = (codes[0, j] + 1) % len(release.forms[j].labels)
    return number, replace(made, release=replace(release, codes=codes))


def lose(method, shared, claim, options, fragment):
    """Make a fragment without its last record."""
    number, made = make_one(method, shared, claim, options, fragment)
    release = made.release
    return number, replace(made, release=replace(release, codes=release.codes[:-1], rows=release.rows[:-1]))


@pytest.mark.usefixtures("quick")
def test_a_method_that_loses_a_record_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(fragment_making, "make_one", lose)
    with pytest.raises(RefusedError, match="left out records that it must keep"):
        run(tmp_path)


@pytest.mark.usefixtures("quick")
def test_a_label_that_is_not_true_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(fragment_making, "make_one", lie)
    with pytest.raises(RefusedError):
        run(tmp_path, guarantee="", name="mondrian")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_classes_that_are_too_small_are_refused(tmp_path, monkeypatch):
    def finer(method, shared, claim, options, fragment):
        return make_one(method, shared, type(claim)(2), options, fragment)

    monkeypatch.setattr(fragment_making, "make_one", finer)
    with pytest.raises(RefusedError, match="under k=3"):
        run(tmp_path)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("what", ["lost", "doubled", "exchanged"])
def test_records_that_are_lost_doubled_or_exchanged_on_their_way_are_refused(tmp_path, monkeypatch, what):
    change = {
        "lost": lambda frame: frame.head(frame.height - 1),
        "doubled": lambda frame: pl.concat([frame, frame.head(1)]),
        "exchanged": lambda frame: pl.concat([frame.head(frame.height - 1), frame.head(1)]),
    }[what]
    real = table_fragments.shuffled_buckets
    monkeypatch.setattr(table_fragments, "shuffled_buckets", lambda *asked: map(change, real(*asked)))
    with pytest.raises(RefusedError):
        run(tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_a_plain_column_that_follows_from_a_quasi_identifier_is_refused(tmp_path):
    config = configured(tmp_path)
    frame = people(400).with_columns(ward=pl.col("age") % 4)
    write(frame, tmp_path / "people.parquet")
    text = config.read_text().replace('ward = { role = "plain", allow = true }', 'ward = "plain"')
    config.write_text(text)
    with pytest.raises(InputError, match="column 'ward'"):
        run_config(config, tmp_path / "out")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("k = 3\n", "k = 3\naverage_risk = 0.1\n"),
        ("[method]\n", "[method]\nminimal = false\n"),
        ("[release]\n", "[release]\nrows = true\n"),
        ('id = "identifier"', 'id = "pseudonym"'),
        ('name = "mondrian"\nfragment = 80\n', 'name = "optimal"\n'),
        ('name = "mondrian"\nfragment = 80\n', 'loss = "glm"\n'),
    ],
)
def test_what_needs_all_records_at_once_is_read_at_once(tmp_path, old, new):
    config = configured(tmp_path)
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))
    assert not isinstance(opening.open_large(load(config), load(config).guarantee), FragmentedTable)


def test_few_records_come_in_parts_only_where_that_is_asked_for(tmp_path, monkeypatch):
    config = configured(tmp_path)
    assert isinstance(opening.open_large(load(config), {"k": 3}), FragmentedTable)
    config.write_text(config.read_text().partition("[engine]")[0])
    assert opening.open_large(load(config), {"k": 3}) is None
    monkeypatch.setattr(opening, "_MANY_BYTES", 0)
    assert isinstance(opening.open_large(load(config), {"k": 3}), FragmentedTable)


def test_a_column_of_too_many_values_is_read_at_once_unless_parts_are_asked_for(tmp_path, monkeypatch):
    config = configured(tmp_path)
    monkeypatch.setattr(part_reading, "_MOST_VALUES", 7)
    with pytest.raises(InputError, match=r"column 'age': it has more than 7 different values"):
        opening.open_large(load(config), {"k": 3})
    config.write_text(config.read_text().partition("[engine]")[0])
    monkeypatch.setattr(opening, "_MANY_BYTES", 0)
    assert opening.open_large(load(config), {"k": 3}) is None


def test_nothing_of_a_record_is_shown(tmp_path):
    config = configured(tmp_path)
    data = opening.open_large(load(config), {"k": 3})
    assert repr(data) == "<FragmentedTable: shape=table, records=400, parts=5>"


def test_a_file_without_records_is_refused(tmp_path):
    config = configured(tmp_path)
    write(people(400).head(0), tmp_path / "people.parquet")
    with pytest.raises(InputError, match="no records"):
        opening.open_large(load(config), {"k": 3})


# --- verified where its different rows are too many to be held


@pytest.fixture
def many_rows(monkeypatch):
    """Let `verify` count every table in parts."""
    counted = []
    read = reading.TableCounts.read
    monkeypatch.setattr(reading, "_FEW_BYTES", 0)
    monkeypatch.setattr(reading, "MOST_TUPLES", 3)
    monkeypatch.setattr(
        reading.TableCounts, "read", lambda *asked, **more: counted.append(1) or read(*asked, **more)
    )
    return counted


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_verify_says_the_same_of_many_different_rows(tmp_path, monkeypatch, many_rows, format):
    run(tmp_path, format=format, guarantee="t = 0.9\nl = 2", name="mstk", n=200)
    config = load(tmp_path / "shoal.toml")
    many_rows.clear()
    verdicts = [verify(tmp_path / "out")[1], verify(tmp_path / "out", config=config)[1]]
    assert len(many_rows) == 2
    monkeypatch.setattr(reading, "_FEW_BYTES", 1 << 60)
    for said, at_once in zip(
        verdicts, (verify(tmp_path / "out"), verify(tmp_path / "out", config=config)), strict=True
    ):
        assert said
        assert (said.sentence, said.reached) == (at_once[1].sentence, at_once[1].reached)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda line: line + "\n", "holds text that is not in the one form"),
        (lambda line: re.sub(r'^("[^"]*"|[^,]*)', '"[9, 10)"', line), "stand for nothing"),
        (lambda line: re.sub(r'^("[^"]*"|[^,]*)', "*", line), "under k=3"),
        (None, "states 201 records"),
    ],
    ids=["blank line", "label", "class", "records"],
)
def test_a_changed_table_of_many_different_rows_is_a_no(tmp_path, many_rows, change, word):
    config, out = configured(tmp_path, n=200), tmp_path / "out"
    rows = [f"{age};[{age // 10}0, {age // 10 + 1}0);*\n" for age in range(20, 60)]
    (tmp_path / "age.csv").write_text("".join(rows))
    config.write_text(config.read_text().replace("{ ranges = [10, 20] }", '"age.csv"', 1))
    run_config(config, out)
    header, *lines = (out / "data.csv").read_text().splitlines()
    place = next(at for at, line in enumerate(lines) if line.startswith('"['))
    lines[place] = lines[place] if change is None else change(lines[place])
    (out / "data.csv").write_text("\n".join([header, *lines, ""]))
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["sha256"]["data.csv"] = hashlib.sha256((out / "data.csv").read_bytes()).hexdigest()
    manifest["records_out"] += change is None
    manifest["records_in"] += change is None
    (out / "manifest.json").write_text(json.dumps(manifest))
    many_rows.clear()
    said = verify(out, config=load(tmp_path / "shoal.toml"))[1]
    assert many_rows or word.startswith("holds")  # which is read at once
    assert not said
    assert word in said.sentence
