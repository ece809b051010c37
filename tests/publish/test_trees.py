"""Record trees through the door: every source, every format, lies refused, recodings applied."""

import gzip
import json
import sqlite3
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import naive_trees
import postgres
import shoal
from shoal.anonymization.run import anonymize
from shoal.base.errors import InputError, RefusedError, UnkeptError
from shoal.io.config import load
from shoal.io.formats import TREE_FILES, TREE_FORMATS
from shoal.io.write.trees import read_released, write_trees
from shoal.jobs.configured import run_config
from shoal.publish import files, writing
from shoal.publish.verify import verify
from shoal.shapes.registry import open_dataset

pytestmark = pytest.mark.usefixtures("bare")

ILLS = {"flu": "lung", "cough": "lung", "gout": "bone", "sprain": "bone", "=1+1": "odd"}
WARDS = {"A": "north", "B": "north", "C": "south"}
TREE = """
[tree]
drop = ["id"]
{tree}
[tree.hierarchies]
age = "age.csv"
"visits.ward" = "ward.csv"
"visits.ills.ill" = "ill.csv"
[guarantee]
k = 4
m = 2
n = 1
"""


def people(n, seed=4):
    """Invented patients: an age, and visits with a ward above what was found."""
    random = np.random.default_rng(seed)
    return [
        {
            "id": number,
            "age": int(random.integers(0, 6)),
            "visits": [
                {
                    "ward": str(random.choice(list(WARDS))),
                    "ills": [{"ill": str(random.choice(list(ILLS)))} for _ in range(random.integers(1, 3))],
                }
                for _ in range(random.integers(0, 3))
            ],
        }
        for number in range(n)
    ]


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def configured(room, source='path = "people.ndjson"', tree="", rest=""):
    path = room / "shoal.toml"
    path.write_text(f"[data]\n{source}\n" + TREE.format(tree=tree) + rest)
    return path


@pytest.fixture
def room(tmp_path):
    """A hundred patients, their hierarchies and a configuration."""
    (tmp_path / "people.ndjson").write_text(lines(people(100)))
    (tmp_path / "age.csv").write_text(
        "".join(f"{age};{age // 3};*\n" for age in range(6)).replace(";0;", ";young;").replace(";1;", ";old;")
    )
    (tmp_path / "ward.csv").write_text("".join(f"{ward};{area};*\n" for ward, area in WARDS.items()))
    (tmp_path / "ill.csv").write_text("".join(f"{ill};{group};*\n" for ill, group in ILLS.items()))
    configured(tmp_path)
    return tmp_path


@pytest.mark.parametrize("format", list(TREE_FORMATS))
def test_a_release_is_written_judged_and_verified(room, format):
    config = configured(room, rest=f'[release]\nformat = "{format}"\n')
    release = run_config(config, room / "out")
    manifest = json.loads((room / "out" / "manifest.json").read_text())
    assert sorted(path.name for path in (room / "out").iterdir()) == sorted(
        [TREE_FILES["nested rows" if format == "nested" else format], "manifest.json", "report.html"]
    )
    assert (manifest["shape"], manifest["columns"]) == ("trees", {"nodes": "tree"})
    assert manifest["records_out"] == manifest["records_in"] == 100
    assert set(manifest["loss"]) == {"rpd"}
    assert verify(room / "out")[1]
    assert verify(room / "out", config=load(config))[1]
    assert verify(room / "out", config=load(config), against=room / "people.ndjson")[1]
    assert list(release.loss) == ["ncp", "rpd", "rpd-original", "ml2", "dml2"]
    written = read_released(room / "out", "nested rows" if format == "nested" else format)
    assert list(written.nested()) == list(release.frame.nested())
    assert not naive_trees.broken(list(written.nested()), 4, 2, 1)


def test_ndjson_is_as_the_contract_has_it(room):
    run_config(configured(room, rest='[release]\nformat = "ndjson"\n'), room / "out")
    for line in (room / "out" / "data.ndjson").read_text().splitlines():
        record = json.loads(line)
        assert list(record) == ["nodes"]
        for node in record["nodes"]:
            assert list(node) == ["class", "value", "children"]


def test_tables_have_keys_and_no_formulas(room):
    run_config(
        configured(room, rest='[release]\nformat = "tables"\n'), room / "out", stated={"k": 2, "m": 1, "n": 0}
    )
    names = {path.name for path in (room / "out" / "data").iterdir()}
    assert names == {"records.csv", "age.csv", "visits.ward.csv", "visits.ills.ill.csv"}
    ills = (room / "out" / "data" / "visits.ills.ill.csv").read_text()
    assert ills.startswith("record,node,parent,value\n")
    assert ",'=1+1" in ills
    assert ",=1+1" not in ills


def test_every_source_gives_the_same_release(room):
    records = people(60)
    several_trees = []
    (room / "people.ndjson").write_text(lines(records))
    (room / "people.json").write_text(json.dumps(records))
    (room / "people.ndjson.gz").write_bytes(gzip.compress(lines(records).encode()))
    (room / "people.xml").write_text(_xml(records))
    _tables(room / "people", records)
    _database(room / "people.db", records)
    keys = 'person = "people"\nkeys = { "visits.whose" = "people.id", "ills.visit" = "visits.id" }'
    for name in ("ndjson", "json", "ndjson.gz", "xml"):
        several_trees.append(open_dataset(load(configured(room, f'path = "people.{name}"'))).trees)
    plain = TREE.replace('drop = ["id"]\n', "")
    for source, tree in (('path = "people"', keys), ('url = "sqlite:///people.db"', 'person = "people"')):
        (room / "shoal.toml").write_text(f"[data]\n{source}\n" + plain.format(tree=tree))
        data = open_dataset(load(room / "shoal.toml"))
        several_trees.append(data.trees)
        anonymize(data, k=3, m=1, n=1).save(room / "out", force=True)
        original = "people" if tree == keys else "people.ndjson"
        config = room / "shoal.toml" if tree == keys else configured(room)
        config = replace(load(config), guarantee={"k": 3, "m": 1, "n": 1})
        assert verify(room / "out", config=config, against=room / original)[1]
    for trees in several_trees[1:]:
        assert list(trees.nested()) == list(several_trees[0].nested())


def _xml(records):
    def visit(one):
        ills = "".join(f"<ills><ill>{ill['ill']}</ill></ills>" for ill in one["ills"])
        return f"<visits><ward>{one['ward']}</ward>{ills}</visits>"

    rows = [
        f'<person id="{one["id"]}"><age>{one["age"]}</age>{"".join(map(visit, one["visits"]))}</person>'
        for one in records
    ]
    return f"<people>{''.join(rows)}</people>"


def _rows(records):
    persons, visits, ills = [], [], []
    for person in records:
        persons.append((person["id"], person["age"]))
        for one in person["visits"]:
            visits.append((len(visits), person["id"], one["ward"]))
            ills += [(len(visits) - 1, ill["ill"]) for ill in one["ills"]]
    return persons, visits, ills


def _tables(folder, records):
    folder.mkdir()
    persons, visits, ills = _rows(records)
    pl.DataFrame(persons, schema=["id", "age"], orient="row").write_csv(folder / "people.csv")
    pl.DataFrame(visits, schema=["id", "whose", "ward"], orient="row").write_parquet(
        folder / "visits.parquet"
    )
    pl.DataFrame(ills, schema=["visit", "ill"], orient="row").write_csv(folder / "ills.csv")


def _database(path, records):
    persons, visits, ills = _rows(records)
    with sqlite3.connect(path) as file:
        file.execute("create table people (id integer primary key, age integer)")
        file.execute(
            "create table visits (id integer primary key, whose integer references people, ward text)"
        )
        file.execute("create table ills (visit integer references visits, ill text)")
        file.executemany("insert into people values (?, ?)", persons)
        file.executemany("insert into visits values (?, ?, ?)", visits)
        file.executemany("insert into ills values (?, ?)", ills)
    file.close()


def test_a_database_server_is_read_along_its_keys(room, cluster):
    persons, visits, ills = (", ".join(map(str, rows)) for rows in _rows(people(60)))
    postgres.execute(
        cluster,
        f"""DROP TABLE IF EXISTS ills, visits, folk;
CREATE TABLE folk (id INT PRIMARY KEY, age INT); INSERT INTO folk VALUES {persons};
CREATE TABLE visits (id INT PRIMARY KEY, whose INT REFERENCES folk, ward TEXT); INSERT INTO visits VALUES {visits};
CREATE TABLE ills (visit INT REFERENCES visits, ill TEXT); INSERT INTO ills VALUES {ills};""",
    )
    text = TREE.replace('drop = ["id"]\n', "").format(tree='person = "folk"')
    (room / "shoal.toml").write_text(f'[data]\nurl = "{cluster}"\n{text}')
    run_config(room / "shoal.toml", room / "out")
    (room / "people.ndjson").write_text(lines(people(60)))
    assert verify(room / "out", config=load(configured(room)), against=room / "people.ndjson")[1]


def test_diversity_and_negations_reach_maker_claim_and_judge(room):
    tree = 'sensitive = "visits.ills.ill"\nnegations = ["visits.ward"]'
    text = configured(room, tree=tree).read_text().replace('"visits.ills.ill" = "ill.csv"\n', "")
    (room / "shoal.toml").write_text(text)
    release = run_config(room / "shoal.toml", room / "out", stated={"l": 2})
    claim = release.manifest["claim"]
    assert (claim["l"], claim["sensitive"], claim["negations"]) == (2, "visits.ills.ill", ["visits.ward"])
    assert "that the person does not have" in claim["attacker"]
    assert verify(room / "out", config=load(room / "shoal.toml"), against=room / "people.ndjson")[1]
    shown = list(release.frame.nested())
    assert not naive_trees.broken(shown, 4, 2, 1, "visits.ills.ill", ("visits.ward",), 2)


def test_a_lie_on_disk_is_refused(room, monkeypatch):
    write = files.write_data

    def lying(frame, *rest):
        write(frame.take(np.arange(frame.n)[::-1]), *rest)

    release = anonymize(open_dataset(load(room / "shoal.toml")), k=4, m=2, n=1)
    monkeypatch.setattr(writing, "write_data", lying)
    for format in TREE_FORMATS:
        with pytest.raises(RefusedError, match="say something that their original does not"):
            release.save(room / "out", format=format)
    assert not list(room.glob("*out*"))


def test_a_rare_tree_on_disk_is_refused(room, monkeypatch):
    """True, but not safe: one record shows its original."""
    data = open_dataset(load(room / "shoal.toml"))
    release = anonymize(data, k=4, m=2, n=1)
    forged = replace(release.result.release, trees=data.trees.take(release.result.release.rows))
    write = files.write_data
    monkeypatch.setattr(writing, "write_data", lambda frame, *rest: write(forged.trees, *rest))
    with pytest.raises(RefusedError, match="fit knowledge that fits fewer than k=4"):
        release.save(room / "out")
    assert not list(room.glob("*out*"))


def test_a_release_of_other_originals_is_refuted(room):
    run_config(room / "shoal.toml", room / "out")
    (room / "out.private" / "rows.parquet").unlink()  # then originals are matched with rows
    config = load(room / "shoal.toml")
    (room / "fewer.ndjson").write_text(lines(people(99)))
    (room / "others.ndjson").write_text(lines([one | {"age": 0} for one in people(100)]))
    (room / "flat.ndjson").write_text(lines([one | {"visits": [{"ward": "A"}]} for one in people(100)]))
    assert (
        "states 100 originals, but there are 99"
        in verify(room / "out", config=config, against=room / "fewer.ndjson")[1].sentence
    )
    for other in ("others", "flat"):
        _, verdict = verify(room / "out", config=config, against=room / f"{other}.ndjson")
        assert not verdict
        assert "in more records than originals have them" in verdict.sentence


def test_a_recoding_carries_over_to_new_records(room):
    first = run_config(room / "shoal.toml", room / "out", stated={"m": 2, "n": 1})
    (room / "people.ndjson").write_text(lines(people(200, seed=9)))
    recoding = room / "out.private" / "recoding.json"
    again = run_config(room / "shoal.toml", room / "new", recoding=recoding, stated={"k": 2, "m": 1, "n": 0})
    assert again.recoding["cut"] == first.recoding["cut"]
    assert set(again.frame.values) <= {label for labels in first.recoding["cut"].values() for label in labels}
    with pytest.raises(UnkeptError):
        run_config(room / "shoal.toml", room / "more", recoding=recoding, stated={"k": 150, "m": 1, "n": 0})
    assert not list(room.glob("*more*"))
    config = (room / "shoal.toml").read_text()
    (room / "shoal.toml").write_text(config + "[method]\nsuppress = 0.1\n")
    with pytest.raises(InputError, match=r"^recoding: its rule leaves out the values .*; take suppress out"):
        run_config(room / "shoal.toml", room / "less", recoding=recoding)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cut": None, "disassociations": None}, "local"),
        ({"cut": [1]}, "malformed"),
        ({"cut": {"age": "*"}}, "malformed"),
        ({"cut": {"age": ["*"]}}, "no field"),
        (
            {"cut": {"age": ["x"], "visits.ward": None, "visits.ills.ill": None}},
            "labels that its hierarchy does not have",
        ),
        ({"disassociations": [["a"]]}, "malformed"),
        ({"disassociations": [["a", ["b", 1]]]}, "malformed"),
    ],
)
def test_a_hostile_recoding_is_bad_input(room, change, sentence):
    run_config(room / "shoal.toml", room / "out")
    path = room / "out.private" / "recoding.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=sentence):
        run_config(room / "shoal.toml", room / "new", recoding=path)


def test_rehearsals_repeat_and_others_do_not(room):
    one, two, other = (
        run_config(room / "shoal.toml", room / name, seed=seed).frame
        for name, seed in (("a", 5), ("b", 5), ("c", None))
    )
    assert (room / "a" / "data.rows.ndjson").read_bytes() == (room / "b" / "data.rows.ndjson").read_bytes()
    assert json.loads((room / "a" / "manifest.json").read_text())["rehearsal"] is True
    assert list(one.nested()) == list(two.nested()) != list(other.nested())
    assert sorted(one.nested()) == sorted(other.nested())


def test_built_hierarchies_keep_losses_private(room):
    text = (room / "shoal.toml").read_text().replace('"age.csv"', "{ ranges = [2, 4] }")
    (room / "shoal.toml").write_text(text)
    release = run_config(room / "shoal.toml", room / "out")
    assert release.manifest["loss"] == {}
    losses = json.loads((room / "out.private" / "audit.json").read_text())["losses"]
    assert list(losses) == ["ncp", "rpd", "rpd-original", "ml2", "dml2"]
    assert verify(room / "out", config=load(room / "shoal.toml"), against=room / "people.ndjson")[1]


def test_records_of_any_size(tmp_path):
    """None, one, five thousand nodes, two hundred below each other."""
    deep = {}
    for level in reversed(range(200)):
        deep = {"v": str(level), "c": deep}
    wide = {"visits": [{"ward": "ABC"[number % 3], "ill": f"i{number}"} for number in range(4_997)]}
    records = [*[deep] * 2, *[wide] * 2, *[{"visits": {"ward": "A"}}] * 2, {}, {}]
    classes = ["visits.ward", "visits.ill", *(".".join(["c"] * level + ["v"]) for level in range(200))]
    data = shoal.read_trees(records, hierarchies={name: {"fanout": 50} for name in classes}, repeats="merge")
    assert np.diff(data.trees.start).tolist() == [200, 200, 5_000, 5_000, 1, 1, 0, 0]
    release = anonymize(data, k=2, m=1, n=0, patience=3)
    for format in ("ndjson", "xml"):
        write_trees(release.frame, tmp_path, format)
        assert read_released(tmp_path, format).same(release.frame)
    assert release.manifest["records_out"] == 8
