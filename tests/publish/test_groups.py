"""Groups of items in releases: by name or spelled out they mean the same, and a file that was changed is a no."""

import hashlib
import json
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_reading
import shoal
from shoal.assess.attack import play_attackers
from shoal.assess.attack_scene import scene_of
from shoal.assess.facts import facts_of
from shoal.base.errors import InputError
from shoal.cli import shoal as command
from shoal.io.config import load
from shoal.io.write.groups import read_items
from shoal.jobs.configured import run_config
from shoal.publish.door import publish
from shoal.publish.large import reading
from shoal.publish.verify import verify

ITEMS = ["ale", "bun", "pie", "rum", "tea", "(group 1)"]
BASKETS = st.lists(st.sets(st.sampled_from(ITEMS), max_size=4).map(sorted), min_size=8, max_size=14)
ASKED = {
    "pcta": {"method": "pcta", "k": 3, "m": 2},
    "coat": {"method": "coat", "k": 3, "m": 2, "suppress": 0.2},
    "secret": {"method": "pcta", "k": 3, "m": 1, "l": 2},
    "mixed": {"method": "rfirst", "k": 3, "m": 2, "items": "pcta"},
    "merged": {"method": "bound", "k": 2, "m": 1, "items": "pcta", "delta": 0.5},
}


def dataset(kind, baskets):
    frame = pl.DataFrame({"items": baskets}, schema={"items": pl.List(pl.String)})
    if kind in ("mixed", "merged"):
        ages = pl.Series("age", [20 + 7 * (at % 4) for at in range(len(baskets))])
        roles = {"items": "items", "age": "quasi"}
        return shoal.read(frame.with_columns(ages), roles=roles, hierarchies={"age": {"ranges": [10, 40]}})
    secrets = {"items": ["tea"]} if kind == "secret" else None
    return shoal.read(frame, roles={"items": "items"}, sensitive=secrets)


def made(kind, baskets):
    """A release of such baskets; None where there is none."""
    try:
        return shoal.anonymize(dataset(kind, baskets), seed=1, **ASKED[kind])
    except shoal.ShoalError:
        return None


@pytest.mark.parametrize("kind", ASKED)
@given(baskets=BASKETS)
@settings(max_examples=6)
def test_by_name_and_spelled_out_say_the_same(kind, baskets, tmp_path_factory):
    short = made(kind, baskets)
    if short is None:
        return
    spelled = short.spell_groups_out()
    assert spelled.data.columns == short.data.columns
    for one, other in zip(
        read_items(short.frame["items"], short.groups),
        read_items(spelled.frame["items"], spelled.groups),
        strict=True,
    ):
        assert list(one) == list(other)
    assert spelled.loss == short.loss
    assert spelled.judge(spelled.frame) == short.judge(short.frame)
    assert spelled.manifest == short.manifest
    chance = np.random.default_rng
    played = [play_attackers(scene_of(one), rng=chance(1)).as_dict() for one in (short, spelled)]
    assert played[0] == played[1]
    room = tmp_path_factory.mktemp("out")
    said, rows = [], []
    for name, one in (("short", short), ("spelled", spelled)):
        publish(one, room / name, facts=facts_of, rows=True)
        said.append(verify(room / name))
        rows.append(naive_reading.read_rows(room / name, "csv"))
    assert said[0] == said[1]
    assert rows[0] == rows[1]
    assert dict(naive_reading.read_groups(room / "short")) == {
        name: list(members) for name, members in short.groups.items()
    }


@pytest.mark.parametrize("kind", ASKED)
@given(baskets=BASKETS)
@settings(max_examples=12)
def test_every_item_of_a_group_is_held_by_somebody_whose_row_names_it(kind, baskets):
    release = made(kind, baskets)
    if release is None:
        return
    rows = naive_reading.rows_of(release.frame)
    for name, members in release.groups.items():
        named = [
            baskets[record]
            for row, record in zip(rows, release.rows.tolist(), strict=True)
            if name in row["items"]
        ]
        assert members == (name,) or all(any(item in held for held in named) for item in members)


@given(baskets=BASKETS, order=st.randoms(use_true_random=False))
@settings(max_examples=20)
def test_groups_do_not_depend_on_the_order_of_records_and_of_items(baskets, order):
    release = made("pcta", baskets)
    moved = [order.sample(basket, len(basket)) for basket in order.sample(baskets, len(baskets))]
    other = made("pcta", moved)
    if (
        release is not None
        and other is not None
        and set(release.groups.values()) == set(other.groups.values())
    ):
        assert list(release.groups.items()) == list(other.groups.items())


# --- in folders

CONFIG = """[data]
path = "{data}"
[columns]
who = "identifier"
{columns}
[guarantee]
k = 3
m = 2
[method]
name = "{method}"
{more}
[release]
format = "{format}"
{release}
"""
AGE = 'age = { role = "quasi", hierarchy = { ranges = [10, 40] } }\n'
KINDS = {"baskets": ("pcta", "", ""), "mixed": ("rfirst", 'items = "pcta"', AGE)}


def written(room, kind, format="csv", release=""):
    """A release with groups, made from a configuration and written to the folder `out`."""
    method, more, columns = KINDS[kind]
    random = np.random.default_rng(3)
    held = [sorted({f"i{item}" for item in random.integers(0, 12, 4)}) for _ in range(60)]
    frame = {
        "who": [f"p{at}" for at in range(60)],
        "age": random.integers(20, 60, 60),
        "held": map(" ".join, held),
    }
    frame["held"] = list(frame["held"])
    table = pl.DataFrame(frame) if columns else pl.DataFrame(frame).drop("age")
    table.write_csv(room / f"{kind}.csv")
    text = CONFIG.format(
        data=f"{kind}.csv",
        columns=f'{columns}held = "items"',
        method=method,
        more=more,
        format=format,
        release=release,
    )
    (room / f"{kind}.toml").write_text(text)
    return run_config(room / f"{kind}.toml", room / "out")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    room = tmp_path_factory.mktemp("groups")
    written(room, "baskets", "ndjson")
    return room


@pytest.fixture
def room(prepared, tmp_path):
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return tmp_path


def signed(folder):
    """Let the manifest state the digests that the files have now."""
    manifest = json.loads((folder / "manifest.json").read_text())
    there = [path for path in folder.iterdir() if path.name != "manifest.json"]
    manifest["sha256"] = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(there)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def called(*arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


@pytest.mark.parametrize(("kind", "format"), [("baskets", "csv"), ("mixed", "parquet"), ("mixed", "ndjson")])
def test_a_release_with_groups_is_verified_attacked_and_recoded_as_one_without(
    kind, format, tmp_path, monkeypatch
):
    release, short, spelled = written(tmp_path, kind, format), tmp_path / "out", tmp_path / "spelled"
    release.save(spelled, format=format, groups="inline")
    assert (short / "groups.json").exists()
    assert not (spelled / "groups.json").exists()
    settings = load(tmp_path / f"{kind}.toml")
    ways = ({}, {"config": settings}, {"config": settings, "against": tmp_path / f"{kind}.csv"})
    for few in (0, 1 << 60):
        monkeypatch.setattr(reading, "_FEW_BYTES", few)
        for way in ways:
            said = [verify(place, **way)[1] for place in (short, spelled)]
            assert said[0] == said[1]
            assert said[0]
    found = [
        shoal.attack(place, tmp_path / f"{kind}.csv", config=tmp_path / f"{kind}.toml", seed=1).as_dict()
        for place in (short, spelled)
    ]
    assert found[0] == found[1]
    listed = json.loads((short / "manifest.json").read_text())["sha256"]
    assert listed["groups.json"] in (short / "report.html").read_text()


def test_whose_row_is_whose_follows_from_the_rule_too(room):
    (room / "out.private" / "rows.parquet").unlink()
    found = shoal.attack(room / "out", room / "baskets.csv", config=room / "baskets.toml", seed=1)
    assert found.attackers
    said = verify(room / "out", config=load(room / "baskets.toml"), against=room / "baskets.csv")[1]
    assert said, said.sentence


def test_a_later_release_stands_beside_one_with_groups(room):
    before = called("run", room / "baskets.toml", "--earlier", room / "out", "--out", room / "later")
    assert before.exit_code == 0, before.output
    rule = room / "out.private" / "recoding.json"
    again = called("run", room / "baskets.toml", "--recoding", rule, "--out", room / "again")
    assert again.exit_code == 0, again.output
    assert (room / "again" / "groups.json").read_bytes() == (room / "out" / "groups.json").read_bytes()
    several = called(
        "verify",
        room / "out",
        room / "again",
        "--config",
        room / "baskets.toml",
        "--against",
        room / "baskets.csv",
    )
    assert several.exit_code == 0, several.output


def _names(folder):
    path = folder / "groups.json"
    return path, json.loads(path.read_text())


def _lines(groups):
    inner = ",\n".join(f"{json.dumps(name)}: {json.dumps(members)}" for name, members in groups.items())
    return f"{{\n{inner}\n}}\n"


CHANGES = {
    "undefined": (
        lambda held: dict(list(held.items())[:-1]),
        "names 1 groups that groups.json does not define",
    ),
    "unused": (
        lambda held: {**held, f"(group {len(held) + 1})": ["zz1", "zz2"]},
        "defines 1 groups that no row names",
    ),
    "twice": (lambda held: {**held, "(group 2)": held["(group 1)"]}, "lists 1 groups twice, under two names"),
    "like an item": (
        lambda held: {**held, "(group 1)": ["(group 2)", *held["(group 1)"]]},
        "names 1 groups like an item",
    ),
    "empty": (lambda held: {**held, "(group 1)": []}, "not a list of texts"),
    "single": (lambda held: {**held, "(group 1)": ["i1"]}, "holds 1 groups of fewer than two items"),
    "out of order": (
        lambda held: {**held, "(group 1)": held["(group 1)"][::-1]},
        "holds groups whose items are out of order",
    ),
    "renumbered": (
        lambda held: dict(zip(held, [*list(held.values())[1:], next(iter(held.values()))], strict=True)),
        "does not number its groups",
    ),
    "no list": (lambda held: {**held, "(group 1)": "i1"}, "not a list of texts"),
    "nested": (lambda held: {**held, "(group 1)": [["i1"], "i2"]}, "not a list of texts"),
}


@pytest.mark.parametrize("few", [0, 1 << 60])
@pytest.mark.parametrize("change", CHANGES)
def test_groups_that_were_changed_are_a_no(room, monkeypatch, change, few):
    monkeypatch.setattr(reading, "_FEW_BYTES", few)
    path, held = _names(room / "out")
    assert _lines(held) == path.read_text()
    how, why = CHANGES[change]
    path.write_text(_lines(how(held)))
    assert "groups.json is not the file" in verify(room / "out")[1].sentence or "texts" in why
    signed(room / "out")
    said = called("verify", room / "out")
    assert said.exit_code == 1, said.output
    assert why in " ".join(said.output.split())
    assert not any(f"i{item}" in said.output for item in range(12))


def test_groups_that_are_gone_or_new_are_a_no(room):
    path, held = _names(room / "out")
    path.unlink()
    assert "groups.json is not the file" in verify(room / "out")[1].sentence
    signed(room / "out")
    assert f"names {len(held)} groups that groups.json does not define" in verify(room / "out")[1].sentence


def test_rows_that_spell_out_a_group_beside_its_name_are_a_no(room):
    _, held = _names(room / "out")
    data = room / "out" / "data.ndjson"
    lines = data.read_text().split("\n")
    at = next(at for at, line in enumerate(lines) if '"(group 1)"' in line)
    lines[at] = lines[at].replace('"(group 1)"', json.dumps(held["(group 1)"]))
    data.write_text("\n".join(lines))
    signed(room / "out")
    said = verify(room / "out")[1]
    assert not said
    assert "spells out 1 sets of items" in said.sentence


def test_an_earlier_release_whose_groups_were_changed_is_refused(room):
    path, held = _names(room / "out")
    path.write_text(_lines({**held, "(group 1)": ["i1"]}))
    said = called("run", room / "baskets.toml", "--earlier", room / "out", "--out", room / "later")
    assert said.exit_code == 2
    assert "groups.json is not the file" in " ".join(said.output.split())
    assert not (room / "later").exists()


# --- in Python, and what is asked for


def test_python_has_the_groups_and_judges_with_them():
    held = [["ale", "bun"], ["ale", "pie"], ["bun", "rum"], ["pie", "rum"], ["ale"], ["rum", "bun"]]
    release = shoal.anonymize(dataset("pcta", held), method="pcta", k=3, m=2)
    assert release.groups
    claim = shoal.KmAnonymity(3, 2)
    assert shoal.judge(release.data, claim, groups=release.groups)
    assert shoal.judge(release, claim)
    spelled = release.spell_groups_out()
    assert shoal.judge(spelled.data, claim) == shoal.judge(release.data, claim, groups=release.groups)
    wide = {name: (*members, "zz") for name, members in release.groups.items()}
    one = {name: members[:1] for name, members in release.groups.items()}
    assert shoal.judge(release.data, claim, groups=wide)
    assert shoal.judge(release.data, shoal.KmAnonymity(3, 1), groups=one).judged
    with pytest.raises(InputError, match="groups: not a mapping"):
        shoal.judge(release.data, claim, groups=["(group 1)"])
    with pytest.raises(InputError, match="groups is unknown"):
        release.save("out", groups="elsewhere")


def test_a_configuration_spells_groups_out(tmp_path):
    release = written(tmp_path, "baskets", "csv", 'groups = "inline"')
    assert not (tmp_path / "out" / "groups.json").exists()
    meant = release.spell_groups_out().frame["items"].to_list()
    assert pl.read_csv(tmp_path / "out" / "data.csv")["items"].to_list() == meant
    assert "groups.json" not in json.loads((tmp_path / "out" / "manifest.json").read_text())["sha256"]


def test_groups_are_asked_for_in_words_that_are_known(tmp_path):
    for release, why in (('groups = "short"', "'groups' must be"), ("groups = true", "'groups' must be")):
        with pytest.raises(InputError, match=why):
            written(tmp_path, "baskets", "csv", release)
    (tmp_path / "table.toml").write_text(
        '[data]\npath = "a.csv"\n[columns]\nage = "quasi"\n[release]\ngroups = "inline"\n'
    )
    with pytest.raises(InputError, match="no column has the role items; leave it out"):
        load(tmp_path / "table.toml")


def test_the_door_refuses_groups_that_it_did_not_mean(tmp_path, monkeypatch):
    held = [["ale", "bun"], ["ale", "pie"], ["bun", "rum"], ["pie", "rum"], ["ale"], ["rum", "bun"]]
    release = shoal.anonymize(dataset("pcta", held), method="pcta", k=3, m=2)
    other = {name: (*members[:-1], "zz") for name, members in release.groups.items()}
    monkeypatch.setattr("shoal.publish.door.write_groups", lambda folder, groups: _write(folder, other))
    with pytest.raises(shoal.RefusedError, match="refused"):
        publish(release, tmp_path / "out", facts=facts_of)
    assert not (tmp_path / "out").exists()


def _write(folder, groups):
    (folder / "groups.json").write_text(_lines({name: list(members) for name, members in groups.items()}))


def test_a_group_of_a_hierarchy_keeps_its_name():
    held = [["ale"], ["rum"], ["ale", "pie"], ["rum", "pie"]]
    rule = shoal.Hierarchy.from_paths(
        "items", [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"]]
    )
    frame = pl.DataFrame({"items": held})
    data = shoal.read(frame, roles={"items": "items"}, hierarchies={"items": rule})
    release = shoal.anonymize(data, method="apriori", k=2, m=1)
    assert release.groups == {}
    assert replace(release).groups == {}
