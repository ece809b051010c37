"""A survey through the door as a file with labels: what is released is there, nothing else is in its bytes."""

import tomllib
import zlib
from datetime import date
from pathlib import Path

import polars as pl
import pyreadstat
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import shoal
from labelled_files import SECRETS, parse_here, survey
from shoal.errors import InputError
from shoal.io import labelled
from shoal.io.config import check
from shoal.io.labelled import labelled_bytes
from shoal.io.read.source import Variable
from shoal.io.read.table import read
from shoal.io.write.form import odd_file
from shoal.io.write.table import read_back, write
from shoal.publish.study.propose.propose import propose
from shoal.publish.verify import verify

ROLES = {"pid": "identifier", "v1": "quasi", "v2": "quasi", "v3": "quasi", "v4": "sensitive", "v5": "drop"}
FORMATS = ["sav", "zsav", "dta"]


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.setattr(labelled, "parse_apart", parse_here)


def contents(path: Path) -> bytes:
    """The bytes of a file, and what its packed blocks hold."""
    data = path.read_bytes()
    found, at = data, data.find(b"\x78")
    while at >= 0:
        try:
            found += zlib.decompressobj().decompress(data[at:])
        except zlib.error:
            pass
        at = data.find(b"\x78", at + 1)
    return found


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(labelled, "parse_apart", parse_here)
        data = shoal.read(survey(tmp_path_factory.mktemp("in") / "p.sav"), roles=ROLES)
        return shoal.anonymize(data, k=4)


@pytest.mark.parametrize("format", FORMATS)
def test_labels_order_and_level_survive_and_nothing_unreleased_is_in_the_bytes(release, tmp_path, format):
    release.save(tmp_path / "out", format=format)
    place = tmp_path / "out" / f"data.{format}"
    assert verify(tmp_path / "out")[1]
    assert not [secret for secret in SECRETS if secret.encode() in contents(place)]
    reader = pyreadstat.read_dta if format == "dta" else pyreadstat.read_sav
    frame, told = reader(place, output_format="polars")
    assert told.column_names_to_labels["v1"] == "Age in years"
    assert not told.file_label
    assert not told.notes
    for name, labels in told.variable_value_labels.items():
        assert set(frame[name].drop_nulls()) == set(labels)  # each label is released, each code has one
        assert sorted(labels) == list(range(1, len(labels) + 1))
    leaves = [label for _, label in sorted(told.variable_value_labels["v4"].items())]
    assert leaves == ["Flu", "Gout", "Asthma"]
    if format != "dta":
        assert [told.variable_measure[name] for name in ("v1", "v3", "v4")] == [
            "ordinal",
            "ordinal",
            "nominal",
        ]


def test_the_same_release_as_csv_has_the_labels(release, tmp_path):
    release.save(tmp_path / "out")
    assert set(pl.read_csv(tmp_path / "out" / "data.csv")["v4"]) == {"Flu", "Gout", "Asthma"}


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_that_tells_more_than_the_release_is_found(release, tmp_path, format):
    release.save(tmp_path / "out", format=format)
    place = tmp_path / "out" / f"data.{format}"
    source = read(place)
    labels = {"v4": {1: "Flu", 2: "Gout", 3: "Asthma", 4: "HIV"}}
    cells = source.frame.with_columns(pl.col("v4").to_physical().cast(pl.Int32) + 1)
    cells = cells.with_columns(pl.col(pl.Enum).cast(pl.String))
    writer = pyreadstat.write_dta if format == "dta" else pyreadstat.write_sav
    writer(cells, place, variable_value_labels=labels)
    assert odd_file(place, format) is not None
    assert not verify(tmp_path / "out")[1]


words = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=12)
cells = st.one_of(
    st.lists(st.none() | words, min_size=3, max_size=3).map(lambda found: pl.Series(found, dtype=pl.String)),
    st.lists(st.none() | st.integers(-(2**50), 2**50), min_size=3, max_size=3).map(
        lambda found: pl.Series(found, dtype=pl.Int64)
    ),
    st.lists(st.none() | st.floats(-1e300, 1e300), min_size=3, max_size=3).map(
        lambda found: pl.Series(found, dtype=pl.Float64)
    ),
    st.lists(st.none() | st.dates(date(1600, 1, 1)), min_size=3, max_size=3).map(
        lambda found: pl.Series(found, dtype=pl.Date)
    ),
    st.lists(words, min_size=3, max_size=3, unique=True).map(
        lambda found: pl.Series(found, dtype=pl.Enum(found))
    ),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(cells, min_size=1, max_size=4),
    words,
    st.sampled_from(["", "nominal", "ordinal"]),
    st.sampled_from(FORMATS),
)
def test_whatever_is_written_is_read_back_and_is_in_the_one_form(tmp_path, columns, label, level, format):
    frame = pl.DataFrame({f"c{place}": column for place, column in enumerate(columns)})
    place = tmp_path / f"data.{format}"
    write(frame, place, format, variables={"c0": Variable(label, level)})
    write(frame, tmp_path / "data.csv", "csv")
    assert read_back(place, format).equals(read_back(tmp_path / "data.csv", "csv"))
    assert odd_file(place, format) is None
    source = read(place)
    assert source.variables["c0"].label == label
    for name, kind in frame.schema.items():
        if isinstance(kind, pl.Enum) and isinstance(source.frame.schema[name], pl.Enum):
            assert list(source.frame.schema[name].categories) == list(kind.categories)


@st.composite
def codebooks(draw):
    """A column of codes, the labels of some of them and of others that nobody has, and a level."""
    labels = draw(st.lists(words.map(lambda word: f"«{word}»"), min_size=4, max_size=7, unique=True))
    codes = draw(st.lists(st.integers(1, len(labels) - 1), min_size=12, max_size=12))
    return codes, dict(enumerate(labels, start=1)), draw(st.sampled_from(["nominal", "ordinal"]))


@settings(
    max_examples=5, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(codebooks(), min_size=2, max_size=3), st.sampled_from(FORMATS))
def test_any_codebook_survives_a_release_and_only_what_is_released_is_in_the_bytes(tmp_path, books, format):
    names = [f"c{place}" for place in range(len(books))]
    pyreadstat.write_sav(
        pl.DataFrame({name: book[0] for name, book in zip(names, books, strict=True)}),
        tmp_path / "in.sav",
        variable_value_labels={name: book[1] for name, book in zip(names, books, strict=True)},
        variable_measure={name: book[2] for name, book in zip(names, books, strict=True)},
    )
    data = shoal.read(tmp_path / "in.sav", roles=dict.fromkeys(names, "quasi"))
    release = shoal.anonymize(data, k=3, method="mondrian")
    frame, variables = release.dataset.described(release.frame, release.result.release)
    place = tmp_path / f"data.{format}"
    write(frame, place, format, variables=variables)
    back = read(place)
    assert read_back(place, format).equals(release.frame.cast(pl.String))
    inside = contents(place).decode(errors="ignore")
    for name, (_, labels, level) in zip(names, books, strict=True):
        published = " ".join(release.frame[name].drop_nulls())
        there = [label for label in labels.values() if label in published]
        assert not [
            label for label in labels.values() if label in inside and not _released(label, release.frame)
        ]
        assert format == "dta" or back.variables[name].level in (level, "scale")
        kept = [label for label in getattr(back.frame.schema[name], "categories", []) if label in there]
        assert kept == [label for label in labels.values() if label in kept]  # in the order of their codes


def _released(label, frame):
    return any(label in cell for name in frame.columns for cell in frame[name].drop_nulls())


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        ({"marital status": ["a"]}, "SPSS has no column called 'marital status'; rename it"),
        ({"a": ["x"], "A": ["y"]}, "SPSS does not distinguish 'a' from 'A'"),
        ({"a": ["x "]}, "column 'a' has a text that begins or ends with a blank"),
        ({"a": ["x" * 40_000]}, "column 'a' has a text of more than 32767 bytes"),
    ],
)
def test_what_such_a_file_cannot_hold_is_one_sentence(frame, sentence):
    with pytest.raises(InputError, match=rf"^release.format: {sentence}"):
        labelled_bytes(pl.DataFrame(frame), "sav", {})


def test_python_may_ask_for_codes(tmp_path):
    data = shoal.read(survey(tmp_path / "p.sav"), roles=ROLES, values="codes")
    assert set(data.source.frame["v2"]) == {1, 2}


def test_baskets_are_written_otherwise(tmp_path):
    raw = {"data": {"path": "a.csv"}, "columns": {"b": "items"}, "release": {"format": "sav"}}
    with pytest.raises(InputError, match="a file with labels holds no baskets"):
        check(raw, folder=tmp_path)


def test_init_takes_labels_for_names_and_their_order_for_levels(tmp_path):
    made = propose(survey(tmp_path / "p.sav", 240))
    assert {name: one.role for name, one in made.columns.items() if name in ("v1", "v2", "v3", "v4")} == {
        "v1": "quasi", "v2": "quasi", "v3": "quasi", "v4": "sensitive"
    }  # fmt: skip
    assert made["v1"].why == "its label suggests age"
    assert made["v3"].hierarchy.labels[1][:2] == ("none to primary", "secondary to tertiary")
    text = made.save(tmp_path).read_text()
    raw = tomllib.loads(text)
    assert (raw["data"]["values"], raw["release"]["format"]) == ("labels", "sav")
    assert "# the file calls it: Age in years; it declares 99 to mean no value" in text
