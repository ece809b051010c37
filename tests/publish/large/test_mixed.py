"""A table with baskets in fragments: every record leaves once, true and judged; else nothing leaves."""

import gc
import json
import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import naive_mixed
from shoal.algorithms import METHODS
from shoal.algorithms.fragments import make_one
from shoal.base.errors import InfeasibleError, InputError, RefusedError
from shoal.engines import in_threads, in_turn
from shoal.io.config import load
from shoal.io.write.groups import read_groups
from shoal.jobs.configured import run_config
from shoal.parts import folder as folders
from shoal.parts import reading as part_reading
from shoal.publish.large import mixed as large_mixed
from shoal.publish.large import mixed_making, opening, reading, table_fragments
from shoal.publish.large.mixed import FragmentedMixed
from shoal.publish.verify import verify
from shuffle_engine import Shuffle

CODES = ("E10", "E11", "E12", "I10", "I20", "J45", "=1+1", 'a "b", [c]')
CONFIG = """
[data]
path = "people.{kind}"
missing = ["", "?"]
[columns]
id = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20, 40] }} }}
codes = {{ role = "items"{items} }}
sex = "quasi"
ill = "sensitive"
well = {{ role = "plain", allow = true }}
when = {{ role = "plain", allow = true }}
[guarantee]
k = 3
m = 2
{guarantee}
[method]
name = "{name}"
{method}
[release]
format = "{format}"
{release}
[engine]
part = {part}
"""
BY_FILE = ', hierarchy = "codes.csv"'
MAKERS = [name for name, method in METHODS.items() if method.kind == "mixed"]


def people(n=240, seed=0, lists=True):
    rng = np.random.default_rng(seed)
    baskets = [
        [CODES[i] for i in rng.choice(len(CODES), rng.integers(0, 4), replace=False)] for _ in range(n)
    ]
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(n)],
            "age": rng.integers(20, 60, n),
            "codes": baskets if lists else [json.dumps(basket) if basket else "" for basket in baskets],
            "sex": [("f", "m", "?")[i] for i in rng.integers(0, 3, n)],
            "ill": [("flu", "gout", "=2", None)[i] for i in rng.integers(0, 4, n)],
            "well": [(True, False, None)[i] for i in rng.integers(0, 3, n)],
            "when": pl.Series(rng.integers(0, 3, n) * 86_400_000_000).cast(pl.Datetime("us")),
        }
    )


def configured(
    folder, *, n=240, kind="parquet", name="rfirst", guarantee="", format="csv", part=31, fragment=60, items=BY_FILE,
    release="", more="",
):  # fmt: skip
    frame = people(n, lists=kind != "csv")
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "ndjson": frame.write_ndjson}[kind](
        folder / f"people.{kind}"
    )
    quoted = ['"' + code.replace('"', '""') + '"' for code in CODES]
    (folder / "codes.csv").write_text(
        "".join(f"{cell};{code[0]};*\n" for cell, code in zip(quoted, CODES, strict=True))
    )
    method = f"fragment = {fragment}\n{more}" + ("delta = 0.9\n" if name == "bound" else "")
    asked = {"kind": kind, "name": name, "guarantee": guarantee, "method": method, "format": format}
    text = CONFIG.format(**asked, part=part, items=items, release=release)
    (folder / "shoal.toml").write_text(text)
    return folder / "shoal.toml"


def run(folder, out="out", seed=None, **settings):
    release = run_config(configured(folder, **settings), folder / out, force=True, seed=seed)
    assert isinstance(release.dataset, FragmentedMixed)
    return release


def in_memory(config, out):
    text = config.read_text()
    config.write_text(text.partition("[engine]")[0])
    release = run_config(config, out, force=True)
    assert release.dataset.in_memory
    config.write_text(text)
    return release


def cells_of(folder, format):
    path = folder / f"data.{format}"
    if format == "csv":
        return pl.read_csv(path, infer_schema=False)
    return pl.read_parquet(path) if format == "parquet" else pl.read_ndjson(path, infer_schema_length=None)


def seen(folder, format):
    """The quasi-identifiers as tuples, and the baskets as sets of entries."""
    frame = cells_of(folder, format)
    lists = frame["codes"].to_list()
    lists = [json.loads(cell) if isinstance(cell, str) else cell for cell in lists]
    entries = [frozenset(str(entry) for entry in basket) for basket in lists]
    return frame.select("age", "sex").rows(), entries


@pytest.fixture
def no_room_left():
    """Whatever was private is gone when a test has ended."""
    made = []
    build = folders.PrivateFolder.__init__

    def note(self):
        build(self)
        made.append(self.path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(folders.PrivateFolder, "__init__", note)
        yield made
    gc.collect()
    assert made
    assert not [path for path in made if path.exists()]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("kind", "format", "items", "guarantee"),
    [
        ("parquet", "csv", BY_FILE, ""),
        ("csv", "ndjson", "", ""),
        ("ndjson", "parquet", f'{BY_FILE}, sensitive = ["J45", "I20"]', "l = 2"),
    ],
)
def test_every_record_leaves_once_and_the_judges_in_memory_say_yes(
    tmp_path, no_room_left, name, kind, format, items, guarantee
):
    release = run(tmp_path, name=name, kind=kind, format=format, items=items, guarantee=guarantee)
    assert release.result.trace["fragments"] > 1
    config, out = load(tmp_path / "shoal.toml"), tmp_path / "out"
    assert verify(out)[1] or guarantee  # which items are sensitive is told by the configuration
    assert verify(out, config=config)[1]
    assert verify(out, config=config, against=config.data.path)[1]
    quasi, baskets = seen(out, format)
    if guarantee:
        assert not naive_mixed.klm(quasi, baskets, frozenset({"J45", "I20"}), 3, 2, 2)
    else:
        assert not naive_mixed.kkm(quasi, baskets, 3, 2)[0]
    told = json.loads((out / "manifest.json").read_text())
    small = in_memory(tmp_path / "shoal.toml", tmp_path / "small")
    wanted = small.manifest
    for same in ("records_in", "records_out", "suppressed", "columns", "claim", "shape", "judged", "method"):
        assert told[same] == wanted[same], same
    assert told["loss"].keys() == wanted["loss"].keys()
    untouched = ["ill", "well", "when"]
    frames = [cells_of(tmp_path / folder, format) for folder in ("out", "small")]
    assert frames[0].schema == frames[1].schema
    cells = [Counter(map(repr, frame.select(untouched).rows())) for frame in frames]
    assert cells[0] == cells[1]
    assert release.loss["ncp"] == pytest.approx(small.loss["ncp"], rel=0.3)
    assert release.loss["ul"] == pytest.approx(small.loss["ul"], rel=0.3)
    del release, small


def test_what_is_lost_and_told_is_what_fragments_in_memory_lose_and_tell(tmp_path):
    release = run(tmp_path, name="bound", items=f'{BY_FILE}, sensitive = ["J45"]', guarantee="l = 2")
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    small = in_memory(tmp_path / "shoal.toml", tmp_path / "small")
    memory = json.loads((tmp_path / "small.private" / "audit.json").read_text())
    for loss, share in release.loss.items():  # all records are the sample, so fragments are the same
        assert share == pytest.approx(small.loss[loss]), loss
    for loss, share in release.manifest["loss"].items():
        assert share == pytest.approx(small.manifest["loss"][loss]), loss
    for same in ("records_out", "suppressed_items", "classes"):
        assert release.manifest[same] == small.manifest[same]
    for name, counts in memory["report"]["marginals"].items():
        assert sorted(audit["report"]["marginals"][name], key=repr) == sorted(counts, key=repr)
    assert audit["risk_before"]["classes"] == memory["risk_before"]["classes"]
    assert audit["columns"] == pytest.approx(memory["columns"])
    for name, changes in memory["before_after"].items():
        assert [tuple(change) for change in audit["before_after"][name]] == [tuple(one) for one in changes]
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


@pytest.mark.usefixtures("quick")
def test_groups_of_items_have_one_name_in_all_fragments(tmp_path):
    release = run(tmp_path, items="", name="rfirst")
    groups = read_groups(tmp_path / "out")
    assert groups
    assert groups == dict(release.dataset.groups(release.result.release))
    spelled = [
        part for part in seen(tmp_path / "out", "csv")[1] if any(entry.startswith("[") for entry in part)
    ]
    assert not spelled
    run(tmp_path, items="", name="rfirst", release='groups = "inline"', format="ndjson")
    assert read_groups(tmp_path / "out") == {}
    assert verify(tmp_path / "out", config=load(tmp_path / "shoal.toml"))[1]


def released(folder):
    return Counter((folder / "data.csv").read_text().splitlines())


def twice(task, parts):
    """Run every task twice, in an order of its own."""
    order = random.Random(len(parts)).sample(list(parts), len(parts))
    for part in order:
        task(part)
        yield task(part)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", MAKERS)
def test_the_release_depends_on_no_part_no_thread_no_attempt_and_no_order(tmp_path, monkeypatch, name):
    more = 'clusters = "paper"\n' if name != "tfirst" else ""
    size = {"n": 120, "fragment": 30}
    assert run(tmp_path, seed=1, name=name, more=more, **size).result.trace["fragments"] > 2
    records = released(tmp_path / "out")
    for part, mapper in ((7, in_turn), (31, in_threads(3)), (50, twice), (1000, Shuffle(1).map)):
        monkeypatch.setattr(folders, "in_threads", lambda number, mapper=mapper: mapper)
        run(tmp_path, seed=1, name=name, part=part, more=more, **size)
        assert released(tmp_path / "out") == records
    people(120).sample(fraction=1, shuffle=True, seed=5).write_parquet(tmp_path / "people.parquet")
    run_config(tmp_path / "shoal.toml", tmp_path / "other", seed=1)
    assert released(tmp_path / "other") == records


@pytest.mark.usefixtures("quick")
def test_a_fragment_that_cannot_keep_the_claim_is_joined_with_its_neighbour(tmp_path):
    config = configured(tmp_path, name="bound", n=60, fragment=6)
    text = config.read_text()
    config.write_text(text.replace("delta = 0.9", "delta = 0.35"))
    tight = run_config(config, tmp_path / "out", force=True)
    open_release = run(tmp_path, name="bound", n=60, fragment=6)
    assert tight.result.trace["fragments"] <= open_release.result.trace["fragments"]
    config.write_text(text.replace("delta = 0.9", "delta = 0.0001"))
    with pytest.raises(InfeasibleError, match="delta"):
        run_config(config, tmp_path / "out", force=True)


def altered(change):
    """A method whose fragments are changed once they were made."""

    def make(method, shared, claim, options, fragment):
        number, made = make_one(method, shared, claim, options, fragment)
        return number, replace(made, release=change(made.release))

    return make


def another_item(release):
    """Another item, of which its record holds none, in the place of one; where a fragment has several."""
    start, items, forms = release.baskets.start, release.baskets.items.copy(), release.baskets.forms
    for first, last in pairwise(start.tolist()):
        others = sorted(set(range(len(forms.labels))) - set(items[first:last].tolist()))
        if others and last > first:
            items[first] = others[0]
            break
    return replace(release, baskets=replace(release.baskets, items=items))


def fewer_items(release):
    """The last item of all is lost."""
    start = release.baskets.start.copy()
    start[start == start[-1]] -= 1
    return replace(release, baskets=replace(release.baskets, start=start, items=release.baskets.items[:-1]))


def another_label(release):
    table = release.table
    codes = table.codes.copy()
    j = int(np.argmax([len(forms.labels) for forms in table.forms]))
    codes[0, j] = (codes[0, j] + 1) % len(table.forms[j].labels)
    return replace(release, table=replace(table, codes=codes))


def one_record_less(release):
    table, baskets = release.table, release.baskets
    return replace(
        release,
        table=replace(table, codes=table.codes[:-1], rows=table.rows[:-1]),
        baskets=replace(
            baskets,
            start=baskets.start[:-1],
            items=baskets.items[: baskets.start[-2]],
            rows=baskets.rows[:-1],
        ),
    )


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("change", [another_item, fewer_items, another_label, one_record_less])
def test_a_method_that_lies_or_loses_something_is_refused(tmp_path, monkeypatch, change):
    monkeypatch.setattr(mixed_making, "make_one", altered(change))
    with pytest.raises(RefusedError):
        run(tmp_path, name="rfirst")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_a_claim_that_is_not_kept_is_refused(tmp_path, monkeypatch):
    def weaker(method, shared, claim, options, fragment):
        return make_one(method, shared, replace(claim, k=2), options, fragment)

    monkeypatch.setattr(mixed_making, "make_one", weaker)
    with pytest.raises(RefusedError, match="fewer than k=3"):
        run(tmp_path, name="rfirst")


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
@pytest.mark.parametrize("fault", ["made", "staged", "read"])
def test_a_run_that_is_ended_leaves_nothing(tmp_path, monkeypatch, no_room_left, fault):
    config = configured(tmp_path)

    def fail(*_, **__):
        raise RefusedError("refused: stop")

    module, target = {
        "made": (mixed_making, "make_one"),
        "staged": (large_mixed, "item_truth"),
        "read": (reading, "_coded"),
    }[fault]
    with monkeypatch.context() as patched:
        patched.setattr(module, target, fail)
        with pytest.raises(RefusedError, match="stop"):
            run_config(config, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["codes.csv", "people.parquet", "shoal.toml"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "cells", [["[a b]", "[a]", "c d"], ['["a", "b"]', '["a"]', '["c d"]'], ["a b", "", "c"]]
)
def test_how_items_are_separated_is_told_by_the_whole_column(tmp_path, monkeypatch, cells):
    config = configured(tmp_path, items="", kind="csv")
    frame = people(240).with_columns(codes=pl.Series(cells * 80))
    frame.sort("codes").write_csv(tmp_path / "people.csv")
    monkeypatch.setattr(part_reading, "_BATCH", 16)
    data = opening.open_large(load(config), {"k": 3})
    text = config.read_text()
    config.write_text(text.partition("[engine]")[0])
    from shoal.shapes.registry import open_dataset

    assert data.baskets.values == open_dataset(load(config)).baskets.values


@pytest.mark.usefixtures("quick")
def test_what_is_refused_of_items_in_memory_is_refused_in_parts(tmp_path):
    config = configured(tmp_path)
    frame = people(240).with_columns(well=pl.col("codes").list.contains("E10"))
    frame.write_parquet(tmp_path / "people.parquet")
    config.write_text(config.read_text().replace('well = { role = "plain", allow = true }', 'well = "plain"'))
    with pytest.raises(InputError, match="reveals whether a basket holds"):
        run_config(config, tmp_path / "out")
    with pytest.raises(InputError, match="is in no basket"):
        run(tmp_path, items=f'{BY_FILE}, sensitive = ["X99"]', guarantee="l = 2")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[data]\n", '[data]\nperson = "id"\n'),
        ("[release]\n", "[release]\nrows = true\n"),
        ('role = "items"', 'role = "items", missing = ["I10"]'),
    ],
)
def test_what_needs_all_records_at_once_is_read_at_once(tmp_path, old, new):
    config = configured(tmp_path)
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))
    assert opening.open_large(load(config), load(config).guarantee) is None


def test_few_records_come_in_parts_only_where_that_is_asked_for(tmp_path, monkeypatch):
    config = configured(tmp_path)
    data = opening.open_large(load(config), {"k": 3, "m": 2})
    assert repr(data) == "<FragmentedMixed: shape=mixed, records=240, parts=8>"
    config.write_text(config.read_text().partition("[engine]")[0])
    assert opening.open_large(load(config), {"k": 3, "m": 2}) is None
    monkeypatch.setattr(opening, "_MANY_BYTES", 0)
    assert isinstance(opening.open_large(load(config), {"k": 3, "m": 2}), FragmentedMixed)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
def test_verify_reads_the_folder_part_by_part_and_says_the_same(tmp_path, monkeypatch, format):
    run(tmp_path, format=format)
    usual = verify(tmp_path / "out")[1]
    read = []
    count = reading.CellParts.read
    monkeypatch.setattr(reading, "_FEW_BYTES", 0)
    monkeypatch.setattr(reading, "_PIECE", 1000)
    monkeypatch.setattr(reading, "_RECORDS", 20)
    monkeypatch.setattr(reading, "_LOT", 300)
    monkeypatch.setattr(reading.CellParts, "read", lambda *asked: read.append(1) or count(*asked))
    again = verify(tmp_path / "out")[1]
    assert read
    assert (bool(again), again.reached) == (bool(usual), usual.reached)
    assert bool(again)
