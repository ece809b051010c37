"""Trees that keep rows, written as the tables that they came from and read back."""

import json
from dataclasses import replace
from io import StringIO

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.io.config import TreeSpec
from shoal.io.read.trees import read_trees
from shoal.io.write.trees import noncanonical_trees, read_released, write_trees

KEYS = {"visits.person": "people.id", "drugs.visit": "visits.no", "people.town": "towns.id"}
CELL = st.sampled_from(["x", "y", ""])


@st.composite
def folders(draw):
    """Tables of people, their towns, visits and drugs, as texts of files."""
    people = draw(st.integers(1, 4))
    towns = draw(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=3))
    rows = [
        f"{10 + who},{draw(st.integers(0, len(towns) - 1))},{draw(st.sampled_from('fm'))}"
        for who in range(people)
    ]
    visits = draw(st.lists(st.tuples(st.integers(0, people - 1), CELL, CELL), min_size=1, max_size=6))
    drugs = draw(st.lists(st.tuples(st.integers(0, len(visits) - 1), CELL, CELL), min_size=1, max_size=6))
    return {
        "people": "\n".join(["id,town,sex", *rows]),
        "towns": "\n".join(["id,name,land", *(f"{no},{a},{b}" for no, (a, b) in enumerate(towns))]),
        "visits": "\n".join(
            [
                "no,ward,person,ill",
                *(f"{70 + no},{a},{10 + who},{b}" for no, (who, a, b) in enumerate(visits)),
            ]
        ),
        "drugs": "\n".join(["visit,drug,dose", *(f"{70 + no},{a},{b}" for no, a, b in drugs)]),
    }


def _read(folder, texts, parquet=(), **spec):
    for name, text in texts.items():
        if name in parquet:
            pl.read_csv(StringIO(text), infer_schema=False).write_parquet(folder / f"{name}.parquet")
        else:
            (folder / f"{name}.csv").write_text(text)
    return read_trees(folder, TreeSpec("people", KEYS, repeats="keep", **spec))


def _values(frame, keys):
    """The rows of a table without keys, those without any value apart."""
    cells = frame.drop(keys).with_columns(pl.all().cast(pl.String).replace("", None)).rows()
    return sorted([row for row in cells if any(row)], key=str)


def _table(file):
    return (
        pl.read_parquet(file) if file.suffix == ".parquet" else pl.read_csv(file, infer_schema=False)
    ).with_columns(pl.all().replace("", None))


@given(
    folders(),
    st.sets(st.sampled_from(["people", "towns", "visits", "drugs"])),
    st.sampled_from([None, "parquet"]),
)
@settings(max_examples=40)
def test_tables_come_out_as_they_came_in(tmp_path_factory, texts, packed, format):
    come, go = tmp_path_factory.mktemp("in"), tmp_path_factory.mktemp("out")
    trees = _read(come, texts, packed)
    write_trees(trees, go, format)
    files = {file.stem: file for file in (go / "tables").iterdir()}
    assert {name for name, file in files.items() if file.suffix == ".parquet"} == (
        set(texts) if format else packed
    )
    again = read_released(go, "linked tables")
    assert again.same(trees)
    assert noncanonical_trees([again], go, "linked tables") is None
    keys = {"people": ["id", "town"], "visits": ["no", "person"], "drugs": ["visit"]}
    for name, own in keys.items():
        before = pl.read_csv(StringIO(texts[name]), infer_schema=False)
        after = _table(files[name])
        assert after.columns == before.columns
        assert _values(after, own) == _values(before, own)
    people = _table(files["people"])
    assert people["id"].to_list() == [str(number + 1) for number in range(people.height)]


def _some(folder):
    texts = {
        "people": "id,town,sex\n11,0,f\n12,0,m",
        "towns": "id,name,land\n0,Bern,CH",
        "visits": "no,ward,person,ill\n71,A,11,flu\n72,A,11,flu\n73,B,12,gout",
        "drugs": "visit,drug,dose\n71,a,1\n71,a,1\n73,b,2",
    }
    (folder / "in").mkdir()
    return _read(folder / "in", texts)


def test_keys_are_new_and_rows_that_are_referred_to_stand_once(tmp_path):
    write_trees(_some(tmp_path), tmp_path)
    there = {file.name: file.read_text() for file in (tmp_path / "tables").iterdir()}
    assert there["people.csv"] == "id,town,sex\n1,1,f\n2,1,m\n"
    assert there["towns.csv"] == "id,name,land\n1,Bern,CH\n"
    assert sorted(there["visits.csv"].splitlines()) == [
        "1,A,1,flu",
        "2,A,1,flu",
        "3,B,2,gout",
        "no,ward,person,ill",
    ]
    assert sorted(there["drugs.csv"].splitlines())[-1] == "visit,drug,dose"
    told = json.loads(there["keys.json"])
    assert told["person"] == "people"
    assert {"table": "drugs", "columns": ["visit"], "to": "visits", "to_columns": ["no"]} in told["keys"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("people.csv", "1,1,f", "3,1,f"),  # a key that no rows would have
        ("people.csv", "1,1,f\n2,1,m", "2,1,m\n1,1,f"),  # another order
        ("visits.csv", "1,A,1,flu", "1,A,1,flu "),
        ("keys.json", "people", "visits"),
        ("keys.json", '"person"', '"persons"'),
        ("towns.csv", "name,land", "name,land,mark"),
    ],
)
def test_changed_files_are_noticed(tmp_path, file, old, new):
    write_trees(_some(tmp_path), tmp_path)
    place = tmp_path / "tables" / file
    text = place.read_text()
    assert old in text
    place.write_text(text.replace(old, new, 1))
    try:
        again = read_released(tmp_path, "linked tables")
    except InputError:
        return
    assert noncanonical_trees([again], tmp_path, "linked tables") is not None or place.name == "visits.csv"


def test_a_changed_parquet_table_is_noticed(tmp_path):
    write_trees(_some(tmp_path), tmp_path, "parquet")
    place = tmp_path / "tables" / "people.parquet"
    whole = pl.read_parquet(place)
    for changed, options in ((whole.reverse(), {}), (whole, {"metadata": {"note": "11 is the first"}})):
        changed.write_parquet(place, **options)
        again = read_released(tmp_path, "linked tables")
        assert noncanonical_trees([again], tmp_path, "linked tables") is not None
    place.rename(place.with_suffix(".csv"))
    with pytest.raises(InputError):
        read_released(tmp_path, "linked tables")


def test_what_no_rows_tell_is_written_as_nodes_or_refused(tmp_path):
    trees = _some(tmp_path)
    beside = [[("visits.ward", "A", ("visits.ill", "flu"), ("visits.drugs.drug", "a"))]]
    other = replace(Trees.of(beside, repeats=True), nesting=trees.nesting)
    write_trees(other, tmp_path)
    assert (tmp_path / "data.ndjson").exists()
    assert not (tmp_path / "tables").exists()
    for format in ("tables", "nested"):
        with pytest.raises(InputError, match="relations were cut; write nodes"):
            write_trees(other, tmp_path, format)
    with pytest.raises(InputError, match="'nested rows' is unknown"):
        write_trees(other, tmp_path, "nested rows")


def test_a_table_that_cannot_name_a_file_is_refused(tmp_path):
    trees = _some(tmp_path)
    person, *others = trees.nesting.tables
    named = replace(trees.nesting, tables=(replace(person, name="../people"), *others))
    with pytest.raises(InputError, match="cannot name a file"):
        write_trees(replace(trees, nesting=named), tmp_path, "tables")
