"""What data would look like at a choice: the same rows and losses as the release has that is made there."""

import json

import numpy as np
import pytest

import shoal
from release_cases import CONFIGS, write_originals
from shoal.anonymization.front import preview_points
from shoal.anonymization.run import anonymize
from shoal.assess.preview import _spread_rows
from shoal.io.config import load
from shoal.jobs.configured import front_config, preview_config, run_config
from shoal.shapes.registry import open_dataset

SUPPRESS = "[method]\nsuppress = 0.1\n"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    folder = tmp_path_factory.mktemp("room")
    write_originals(folder)
    for kind, config in CONFIGS.items():
        more = SUPPRESS if kind in ("table", "persons") else ""
        (folder / f"{kind}.toml").write_text(config + more)
    return folder


@pytest.fixture(scope="module")
def made(room):
    """A release of each kind, made once."""
    found = {}

    def release(kind):
        if kind not in found:
            config = load(room / f"{kind}.toml")
            options = {**config.guarantee, **config.parameters}
            found[kind] = anonymize(open_dataset(config), method=config.method, **options)
        return found[kind]

    return release


def words(name, cell):
    """A cell of a release as people read it, from its text alone."""
    if name not in ("items", "uncertain", "bought"):
        return None if cell is None else str(cell)
    items = json.loads(cell)
    return ", ".join(item if isinstance(item, str) else "{" + ", ".join(item) + "}" for item in items)


def lines(nodes, deep=0):
    for node in nodes:
        yield f"{'  ' * deep}{node['class'].split('.')[-1]}: {node['value']}"
        yield from lines(node["children"], deep + 1)


@pytest.mark.parametrize("kind", CONFIGS)
def test_rows_after_are_those_of_the_release(made, kind):
    release = made(kind)
    preview = release.preview(rows=60)
    assert len(preview.rows) == 60
    data, place = release.data, {int(record): at for at, record in enumerate(release.rows)}
    for row in preview.rows:
        assert (row.after is None) == (row.record - 1 not in place)
        if row.after is not None and kind == "trees":
            nodes = json.loads(data["nodes"][place[row.record - 1]])
            assert row.after == ("\n".join(lines(nodes)),)
        elif row.after is not None:
            cells = data.row(place[row.record - 1], named=True)
            if kind == "groups":  # a preview spells them out
                shown = json.loads(cells["items"])
                cells["items"] = json.dumps([release.groups.get(item, item) for item in shown])
            assert row.after == tuple(words(*cell) for cell in cells.items())
    assert preview.suppressed == sum(row.after is None for row in preview.rows)
    assert preview.records == 60


@pytest.mark.parametrize("kind", CONFIGS)
def test_rows_before_are_the_originals_without_identifiers(made, room, kind):
    preview = made(kind).preview(rows=60)
    first = {row.record: dict(zip(preview.columns, row.before, strict=True)) for row in preview.rows}[3]
    if kind == "trees":
        original = json.loads((room / "trees.ndjson").read_text().splitlines()[2])
        assert f"age: {original['age']}" in first["record"].splitlines()
        assert first["record"].count("ward: ") == len({visit["ward"] for visit in original["visits"]})
    else:
        source = dict(open_dataset(load(room / f"{kind}.toml")).source.frame.row(2, named=True))
        items = "bought" if kind == "mixed" else "items"
        for name, cell in first.items():
            if name == items:
                raw = (room / ("mixed.csv" if kind == "mixed" else "baskets.csv")).read_text().splitlines()
                bought = raw[3].split(",")[2]
                assert (cell or "").split(", ") == sorted(bought.split(" "))
            elif name in ("uncertain", "errors"):
                assert cell is None
            else:
                assert cell == str(source[name])
    told = json.dumps(preview.as_dict())
    assert "Ann" not in told
    assert '"name": "' not in json.dumps(preview.columns)


@pytest.mark.parametrize("kind", [kind for kind in CONFIGS if kind != "vote"])
def test_parts_average_to_the_headline(made, kind):
    release = made(kind)
    preview = release.preview()
    parts, data = preview.loss_by, release.dataset
    assert next(iter(preview.loss)) == "ncp"
    match kind:
        case "mixed":
            items = parts["bought"]
            known = {column.name for column in data.people.table.quasi}
            mean = (np.mean([loss for name, loss in parts.items() if name in known]) + items) / 2
        case "baskets" | "secret" | "groups":
            assert preview.part == "item"
            exempt = data.baskets.sensitive if release.claim.exempts else frozenset()
            held = np.bincount(data.baskets.items, minlength=len(data.baskets.values))
            shares = [parts.get(value, 0.0) for value in data.baskets.values]
            weights = [0 if i in exempt else count for i, count in enumerate(held)]
            mean = np.average(shares, weights=weights)
        case "trees":
            assert preview.part == "field"
            mean = np.average(list(parts.values()), weights=np.bincount(data.trees.kinds[data.trees.items]))
        case _:
            assert preview.part == "column"
            known = {column.name for column in data.table.quasi}
            mean = np.mean([loss for name, loss in parts.items() if name in known])
    assert preview.loss["ncp"] == pytest.approx(float(mean))


def test_flips_of_votes_are_counted_item_by_item(made):
    release = made("vote")
    preview = release.preview(rows=60)
    flips = dict.fromkeys(release.dataset.baskets.values, 0)
    held = dict.fromkeys(flips, 0)
    for row in preview.rows:
        before, after = ({*filter(None, (cells[0] or "").split(", "))} for cells in (row.before, row.after))
        for item in before ^ after:
            flips[item] += 1
        for item in before:
            held[item] += 1
    shares = {item: flips[item] / held[item] for item in flips if flips[item]}
    assert preview.loss_by == pytest.approx(shares)
    assert next(iter(preview.loss)) == "er"


@pytest.mark.parametrize("kind", ["table", "persons", "mixed"])
def test_each_point_looks_as_it_is_released(room, kind):
    front, _ = front_config(room / f"{kind}.toml")
    found = preview_points(front, seconds=60)
    assert list(found) == list(range(len(front.result.points)))
    for place, preview in found.items():
        parameters = preview.method["parameters"]
        point = front.as_dict()["front"][place]
        if kind == "mixed":
            assert parameters["delta"] == point["table-ncp"]
            release = front.pick(parameters["delta"])
        elif point["k"] == 1:
            continue  # which nobody may release
        else:
            assert (parameters["k"], preview.chosen["levels"]) == (point["k"], point["levels"])
            assert preview.suppressed == point["suppressed"]
            release = front.pick(parameters["k"], allow_empty=True)
        twin = release.preview()
        assert preview.as_dict()["rows"] == twin.as_dict()["rows"]
        assert preview.loss_by == pytest.approx(twin.loss_by)
        assert preview.loss["ncp"] == pytest.approx(twin.loss["ncp"])
        assert preview.method == release.method


def test_the_items_of_a_front_may_be_bounded(room):
    config = room / "items.toml"
    config.write_text(CONFIGS["mixed"] + '[method]\nbound = "items"\n')
    front, _ = front_config(config)
    last = len(front.result.points) - 1
    preview = preview_points(front)[last]
    assert preview.method["parameters"]["delta"] == front.as_dict()["front"][last]["ul"]


def test_of_many_points_the_ends_and_some_between_are_looked_at(room):
    front, _ = front_config(room / "table.toml")
    last = len(front.result.points) - 1
    assert last >= 4
    assert list(preview_points(front, most=3)) == [0, last // 2, last]
    assert list(preview_points(front, seconds=0)) == [0, last]


def test_a_weight_counts_in_the_headline_alone(room):
    config = room / "weights.toml"
    config.write_text(CONFIGS["table"].replace('"age.csv" }', '"age.csv", weight = 3 }'))
    preview = preview_config(config)
    age, zip_code = preview.loss_by["age"], preview.loss_by["zip"]
    assert preview.loss["ncp"] == pytest.approx((3 * age + zip_code) / 4)


def test_a_preview_is_made_as_a_run_makes_it_and_leaves_nothing(room):
    before = sorted(room.iterdir())
    preview = preview_config(room / "trees.toml", stated={"k": 4})
    assert sorted(room.iterdir()) == before
    assert preview.claim["k"] == 4
    release = run_config(room / "trees.toml", room / "out", stated={"k": 4})
    assert preview.as_dict()["rows"] == release.preview().as_dict()["rows"]
    assert preview.loss == release.loss
    again = preview_config(
        room / "trees.toml", stated={"k": 4}, recoding=room / "out.private" / "recoding.json"
    )
    assert again.as_dict()["rows"] == preview.as_dict()["rows"]
    with pytest.raises(shoal.InfeasibleError):
        preview_config(room / "trees.toml", stated={"k": 1000})


def test_a_preview_can_be_read_as_a_frame_and_shows_no_cell_by_itself(made):
    preview = made("table").preview(rows=60)
    frame = preview.table()
    assert frame.columns == ["record", "column", "before", "after", "left_out"]
    assert frame.height == 60 * len(preview.columns)
    gone = frame.filter(frame["left_out"])
    assert gone["record"].n_unique() == preview.suppressed > 0
    assert gone["after"].null_count() == gone.height
    kept = preview.rows[0]
    assert all(cell not in repr(preview) for cell in kept.before if cell not in ("A", "B"))
    assert "gout" not in repr(preview.rows) + repr(preview)


def test_left_out_records_say_so(made):
    title, head, rows = made("table").preview(rows=60).printable_table()
    assert title == "60 of 60 records, before and after"
    assert head == ["record", "age", "zip", "ill", "ward"]
    assert any("(left out)" in str(row[1]) for row in rows)
    assert any(" → " in str(row[1]) for row in rows)
    assert made("trees").preview().printable_table()[1] == ["record", "before", "after"]


def test_records_are_spread_over_the_data():
    assert _spread_rows(1000, 20)[[0, -1]].tolist() == [0, 999]
    assert np.diff(_spread_rows(1000, 20)).min() >= 52
    assert _spread_rows(3, 20).tolist() == [0, 1, 2]
