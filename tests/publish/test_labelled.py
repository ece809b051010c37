"""A survey through the door as a file with labels: what is released is there, nothing else is in its bytes."""

import hashlib
import json
import sys
import tomllib
import zlib
from collections import Counter
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from random import Random

import polars as pl
import pyreadstat
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import shoal
from labelled_files import SECRETS, DrawnSurvey, means_nothing, parse_here, raw_cells, survey
from shoal.base.errors import InputError
from shoal.io import labelled
from shoal.io.codebooks import FIRST, codebooks_of
from shoal.io.config import check
from shoal.io.labelled import encode_labelled
from shoal.io.read.layout import Layout
from shoal.io.read.source import Variable
from shoal.io.read.table import read
from shoal.io.write.form import noncanonical_file
from shoal.io.write.table import read_back, write
from shoal.proposal.propose import propose
from shoal.publish.row_map import read_rows
from shoal.publish.verify import verify
from shoal.shapes.registry import open_dataset

ROLES = {"pid": "identifier", "v1": "quasi", "v2": "quasi", "v3": "quasi", "v4": "sensitive", "v5": "drop"}
FORMATS = ["sav", "zsav", "dta"]


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.setattr(labelled, "run_reader", parse_here)


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
        patch.setattr(labelled, "run_reader", parse_here)
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
        known = {code for code in frame[name].drop_nulls() if name != "v1" or code >= FIRST}
        assert known == set(
            labels
        )  # each label is released, and each code has one that is not a number itself
    assert told.variable_value_labels["v4"] == {1: "Flu", 2: "Gout", 5: "Asthma"}
    assert min(told.variable_value_labels["v3"]) == FIRST  # its labels are in alphabetical order
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
    assert noncanonical_file(place, format) is not None
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
    assert noncanonical_file(place, format) is None
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
        encode_labelled(pl.DataFrame(frame), "sav", {})


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
    assert made["v3"].hierarchy == {"vocabulary": "education"}  # which knows the words of all its labels
    text = made.save(tmp_path).read_text()
    raw = tomllib.loads(text)
    assert (raw["data"]["values"], raw["release"]["format"]) == ("labels", "sav")
    assert "# the file calls it: Age in years; it declares 99 to mean no value" in text


# --- codes: what last year's syntax says of them is still right


ROLE = {"ill": "sensitive", "income": "plain", "town": "plain"}
UNSAID = ("refused", "don't know")


def publish(drawn, path, folder, *, format, codebook="public", seed=None, **options):
    """Release a drawn survey; what only its labels call no value is taken for none, too."""
    data = shoal.read(
        path,
        roles={name: ROLE.get(name, "quasi") for name in drawn.columns},
        codebook=codebook,
        missing=("", *UNSAID),
        allow=tuple(name for name in ROLE if name in drawn.columns),
    )
    made = shoal.anonymize(data, seed=seed, **{"k": 3, "method": "mondrian", **options})
    made.save(folder, format=format, rows=True)
    return made


def compare_codes(drawn, original, released, rows):
    """Compare each released cell with its original, by the files alone; count what was compared."""
    (came, said), (went, told) = raw_cells(original), raw_cells(released)
    lettered, counts = released.suffix == ".dta", Counter()
    for name in drawn.columns:
        was, now = (one.variable_value_labels.get(name, {}) for one in (said, told))
        ranges = told.missing_ranges.get(name, [])
        for row, code in zip(rows, went[name], strict=True):
            own = came[name][row]
            declared = own is not None and drawn.declares(name, own)
            stated = not declared and was.get(own) in UNSAID
            coded = (declared or stated) and code not in now.keys() - was.keys()  # all of its class have it
            if name not in ROLE and not coded and (own is None or now.get(code, code) != was.get(own, own)):
                assert code in now
                assert code not in was
                assert code not in came[name]
                assert not means_nothing(code, ranges)
                counts["groups"] += 1
            elif declared and (code is None or lettered != (original.suffix == ".dta")):
                # Stata has letters for what has a name, and no missing texts
                assert code is None or name == "town" or now.get(code) == was.get(own)
                assert code is not None or (lettered and (own not in was or name == "town"))
            elif name == "town" and lettered and was:  # Stata's texts have no labels
                assert code == was.get(own, own)
            else:
                assert code == own
                assert now.get(code) == was.get(own)
                assert not declared or isinstance(code, str) or means_nothing(code, ranges)
                counts["missing" if declared or stated else "values"] += 1
    return counts


@pytest.mark.parametrize("seed", range(6))
def test_what_is_published_as_it_is_keeps_its_code_and_its_label(tmp_path, seed):
    chance, counts = Random(seed), Counter()
    for came in ("sav", "dta"):
        went = chance.choice([came, came, *FORMATS])
        drawn = DrawnSurvey(chance, came, whole=went == "dta")
        original = drawn.write(tmp_path / f"in.{came}")
        publish(drawn, original, tmp_path / came, format=went, method=chance.choice(["mondrian", "optimal"]))
        assert verify(tmp_path / came)[1]
        rows = read_rows(tmp_path / f"{came}.private")
        counts += compare_codes(drawn, original, tmp_path / came / f"data.{went}", rows.tolist())
    assert counts["values"] > 100
    assert counts["groups"] > 10


@pytest.mark.parametrize("came", ["sav", "dta"])
def test_a_built_codebook_gives_no_code_away(tmp_path, came):
    drawn = DrawnSurvey(Random(5), came)
    publish(drawn, drawn.write(tmp_path / f"in.{came}"), tmp_path / "out", format=came, codebook="built")
    assert verify(tmp_path / "out")[1]
    cells, told = raw_cells(tmp_path / "out" / f"data.{came}")
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["codebook"] == {}
    assert not told.missing_ranges
    for name, labels in told.variable_value_labels.items():
        assert sorted(labels) == list(range(FIRST, FIRST + len(labels)))
        assert set(labels) == {code for code in cells[name] if code is not None}


def test_codes_that_are_asked_for_stay_beside_groups(tmp_path):
    frame = pl.DataFrame({"v": [1, 2, 3, 4] * 6, "w": [5.0, 98.0] * 12})
    pyreadstat.write_sav(
        frame,
        tmp_path / "in.sav",
        variable_value_labels={"v": {1: "one", 2: "two"}, "w": {98: "refused"}},
        missing_ranges={"w": [98]},
    )
    roles, groups = {"v": "quasi", "w": "sensitive"}, {"low": ["1", "2"], "high": ["3", "4"]}
    data = shoal.read(tmp_path / "in.sav", roles=roles, values="codes", hierarchies={"v": groups})
    release = shoal.anonymize(data, k=7, method="optimal")
    release.save(tmp_path / "out", format="sav")
    assert verify(tmp_path / "out")[1]
    cells, told = raw_cells(tmp_path / "out" / "data.sav")
    assert told.variable_value_labels == {"v": {1001: "low", 1002: "high"}, "w": {98: "refused"}}
    assert sorted(cells["w"]) == [5.0] * 12 + [98.0] * 12


def test_ten_thousand_occupations_keep_their_codes(tmp_path):
    labels = {3 * place: f"occupation {place * 7919 % 10_007}" for place in range(1, 10_001)}
    frame = pl.DataFrame({"sex": [1, 2] * 40, "job": [3 * (1 + place // 2 % 20) for place in range(80)]})
    pyreadstat.write_sav(frame, tmp_path / "in.sav", variable_value_labels={"job": labels})
    data = shoal.read(tmp_path / "in.sav", roles={"sex": "quasi", "job": "sensitive"})
    shoal.anonymize(data, k=2).save(tmp_path / "out", format="sav")
    assert verify(tmp_path / "out")[1]
    cells, told = raw_cells(tmp_path / "out" / "data.sav")
    assert told.variable_value_labels["job"] == {code: labels[code] for code in set(cells["job"])}


LABELS = {
    "ill": {1: "gout", 2: "flu", 5: "other", 7: "HIV", 9: "other", 97: "97 or more"},
    "pain": {10: "unbearable", 97: "97 or more"},
    "job": {1: "Baker", 2: "Cook", 3: "Farmer"},
}
LEFT_OUT = [  # what three people who are left out may hold
    {"ill": [1, 1, 1], "pain": [1, 1, 1], "job": [1, 1, 1], "cost": [1, 2, 3]},
    {"ill": [9, 9, 7], "pain": [10, 97, 1], "job": [3, 3, 3], "cost": [1.5, 2.25, 1e9]},
    {"ill": [4, 97, None], "pain": [0.5, 3, None], "job": [4, 5, 6], "cost": [None, None, 98]},
    {"ill": [-8, -9, -9], "pain": [-8, 1, 1], "job": [-9, 2, 1], "cost": [-9, -9, -8]},
]


@pytest.mark.parametrize(
    ("came", "went", "codebook"),
    [
        ("sav", "sav", "public"),
        ("dta", "dta", "public"),
        ("dta", "zsav", None),
        ("sav", "dta", "built"),
        ("sav", "parquet", "public"),
        ("dta", "parquet", "built"),
        ("sav", "ndjson", None),
        ("dta", "csv", "public"),
    ],
)
def test_files_that_differ_in_people_who_are_left_out_give_the_same_public_folder(
    tmp_path, came, went, codebook
):
    def written(code):
        return {-8: "a", -9: "b"}.get(code, code) if came == "dta" else code

    for twin, values in enumerate(LEFT_OUT):
        frame = {"age": [20 + place % 2 for place in range(40)] + [80, 81, 82]}
        frame |= {"ill": [(1, 2, 5, -8)[place % 4] for place in range(40)] + values["ill"]}
        frame |= {"pain": [(1, 2, 3, 1)[place % 4] for place in range(40)] + values["pain"]}
        frame |= {"job": [(1, 3)[place % 2] for place in range(40)] + values["job"]}
        frame |= {"cost": [(7, 8, 9, -9)[place % 4] for place in range(40)] + values["cost"]}
        path = tmp_path / f"in.{came}"
        labels = {
            name: book | {written(-8): "refused", written(-9): "not asked"} for name, book in LABELS.items()
        }
        if came == "dta":
            cells = [
                pl.Series(
                    name,
                    [float(code) if isinstance(code := written(cell), int) else code for cell in column],
                    dtype=pl.Object,
                )
                for name, column in frame.items()
            ]
            missing = {name: ["a", "b"] for name in (*LABELS, "cost")}
            pyreadstat.write_dta(
                pl.DataFrame(cells),
                path,
                variable_value_labels=labels,
                missing_user_values=missing,
                version=14,
            )
        else:
            pyreadstat.write_sav(
                pl.DataFrame(frame, strict=False).cast(pl.Float64),
                path,
                variable_value_labels=labels,
                missing_ranges={name: [-8, -9] for name in (*LABELS, "cost")},
            )
        roles = {"age": "quasi", "ill": "sensitive", "pain": "plain", "job": "plain", "cost": "plain"}
        data = shoal.read(path, roles=roles, codebook=codebook, allow=("ill", "pain", "job", "cost"))
        made = shoal.anonymize(data, k=10, method="optimal", suppress=0.1, seed=1)
        made.save(tmp_path / str(twin), format=went, rows=True)
        assert sorted(read_rows(tmp_path / f"{twin}.private")) == list(range(40))
    for one in (tmp_path / "0").iterdir():
        folders = [tmp_path / str(twin) for twin in range(len(LEFT_OUT))]
        assert {(folder / one.name).read_bytes() for folder in folders} == {one.read_bytes()}


@pytest.fixture
def coded(tmp_path):
    """A release with values, a group and two missing codes; its folder, its configuration and its originals."""
    frame = pl.DataFrame(
        {
            "age": [20 + place % 20 for place in range(60)],
            "ill": [(1, 2, 5, 98, 99, 2)[place % 6] for place in range(60)],
        }
    )
    pyreadstat.write_sav(
        frame.cast(pl.Float64),
        tmp_path / "in.sav",
        variable_value_labels={
            "ill": {1: "gout", 2: "flu", 4: "HIV", 5: "none", 98: "don't know", 99: "refused"}
        },
        missing_ranges={"ill": [98, 99]},
    )
    raw = {
        "data": {"path": "in.sav"},
        "columns": {"age": {"role": "quasi", "hierarchy": {"ranges": [10]}}, "ill": "sensitive"},
        "guarantee": {"k": 3},
        "release": {"format": "sav"},
    }
    config = check(raw, folder=tmp_path)
    shoal.anonymize(open_dataset(config), k=3, method="optimal").save(
        tmp_path / "out", format="sav", rows=True
    )
    assert verify(tmp_path / "out", config=config, against=tmp_path / "in.sav")[1]
    return tmp_path / "out", config, tmp_path / "in.sav"


def rewrite(folder, change):
    """Change the released file as somebody could who knows how it is written, its digest too."""
    manifest = json.loads((folder / "manifest.json").read_text())
    source = read(folder / "data.sav", released=codebooks_of(manifest) or {})
    frame, variables, manifest = change(source.frame, dict(source.variables), manifest)
    (folder / "data.sav").write_bytes(encode_labelled(frame, "sav", variables))
    manifest["sha256"]["data.sav"] = hashlib.sha256((folder / "data.sav").read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_verify_finds_a_code_with_another_label(coded):
    folder = coded[0]

    def change(frame, variables, manifest):
        book = variables["ill"].codebook
        other = replace(book, labels={**book.labels, "2": "HIV", "4": "flu"})
        return frame, variables | {"ill": replace(variables["ill"], codebook=other)}, manifest

    rewrite(folder, change)
    assert not verify(folder)[1]


def test_verify_holds_the_codebook_against_that_of_the_originals(coded):
    folder, config, originals = coded

    def change(frame, variables, manifest):
        manifest["codebook"]["ill"]["labels"] |= {"2": "HIV", "4": "flu"}
        book = codebooks_of(manifest)["ill"]
        words = frame["ill"].cast(pl.String)
        return (
            frame.with_columns(words),
            variables | {"ill": replace(variables["ill"], codebook=book)},
            manifest,
        )

    rewrite(folder, change)
    said = verify(folder, config=config, against=originals)[1]
    assert not said
    assert "another codebook than the originals' file" in said.sentence


@pytest.mark.parametrize("kept", [True, False])
def test_verify_finds_other_missing_codes(coded, kept):
    folder, config, originals = coded

    def change(frame, variables, manifest):
        codes = variables["ill"].missing_codes
        other = codes.replace({"98": "99"}) if kept else codes.set(pl.Series(range(60)) < 20, None)
        return frame, variables | {"ill": replace(variables["ill"], missing_codes=other)}, manifest

    rewrite(folder, change)
    assert verify(folder)[1]  # nobody else can know them
    said = verify(folder, config=config, against=originals)[1]
    assert not said
    assert "missing codes are not those of the originals" in said.sentence
    (folder.with_name("out.private") / "rows.parquet").unlink()
    assert bool(verify(folder, config=config, against=originals)[1]) is not kept


def test_verify_asks_for_a_codebook_only_where_there_are_codes(coded, tmp_path):
    folder, config, _ = coded
    built = replace(config, data=replace(config.data, layout=Layout(codebook="built")))
    assert not verify(folder, config=built)[1]
    shoal.anonymize(open_dataset(config), k=3).save(tmp_path / "csv")
    manifest = json.loads((tmp_path / "csv" / "manifest.json").read_text())
    assert "codebook" not in manifest
    (tmp_path / "csv" / "manifest.json").write_text(json.dumps(manifest | {"codebook": {}}))
    assert not verify(tmp_path / "csv")[1]


def test_a_release_of_an_earlier_version_is_judged_as_it_was_written(coded):
    folder = coded[0]

    def change(frame, variables, manifest):
        del manifest["codebook"]
        plain = {name: Variable(one.label, one.level) for name, one in variables.items()}
        return frame, plain, manifest

    rewrite(folder, change)
    assert not verify(folder)[1]  # codes from 1001, as this version writes them, go with a codebook
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "encode_labelled", partial(encode_labelled, first=1))
        rewrite(folder, lambda *given: given)
    assert verify(folder)[1]


def test_missing_codes_of_a_sensitive_column_are_values_where_a_claim_counts_them(tmp_path):
    """In each class a third have no value, as everywhere; but in one all refused, in the other nobody was asked."""
    age, ill = [20] * 30 + [50] * 30, [1, 2, -8] * 10 + [1, 2, -9] * 10
    pyreadstat.write_sav(
        pl.DataFrame({"age": age, "ill": ill}).cast(pl.Float64),
        tmp_path / "in.sav",
        variable_value_labels={"ill": {2: "flu", 1: "gout", -8: "refused", -9: "not asked"}},
        missing_ranges={"ill": [-8, -9]},
    )
    data = shoal.read(tmp_path / "in.sav", roles={"age": "quasi", "ill": "sensitive"}, allow=("ill",))
    for claim, codes in ({"t": 0.1}, {None}), ({}, {-8.0, -9.0}):
        folder = tmp_path / f"out{len(claim)}"
        shoal.anonymize(data, k=5, method="mondrian", **claim).save(folder, format="sav")
        assert verify(folder)[1]
        assert set(raw_cells(folder / "data.sav")[0]["ill"]) == {1.0, 2.0, *codes}


def write_ages(path, age, **more):
    """A survey whose ages are partly refused (-8), not asked (-9), or lost without a code (None)."""
    frame = pl.DataFrame({"age": age, **more}, strict=False).cast(pl.Float64)
    pyreadstat.write_sav(
        frame,
        path,
        variable_value_labels={"age": {-8: "refused", -9: "not asked"}},
        missing_ranges={"age": [-8, -9]},
    )
    return path


def test_missing_codes_of_a_quasi_identifier_stay_where_a_whole_class_has_one(tmp_path):
    age = [20 + place % 2 for place in range(20)] + [-8] * 6 + [-9] * 6 + [-8, -9, None] * 4
    sex = [1] * 20 + [1] * 6 + [2] * 6 + [3] * 12
    path = write_ages(tmp_path / "in.sav", age, sex=sex)
    config = check(
        {
            "data": {"path": "in.sav"},
            "columns": {"age": {"role": "quasi", "hierarchy": {"ranges": [10]}}, "sex": "quasi"},
            "guarantee": {"k": 5},
            "release": {"format": "sav"},
        },
        folder=tmp_path,
    )
    folder = tmp_path / "out"
    shoal.anonymize(open_dataset(config), k=5, method="mondrian").save(folder, format="sav", rows=True)
    assert verify(folder, config=config, against=path)[1]
    cells, told = raw_cells(folder / "data.sav")
    (group,) = (code for code, label in told.variable_value_labels["age"].items() if label == "*")
    found = Counter(zip(cells["sex"], cells["age"], strict=True))
    assert (found[1.0, -8.0], found[2.0, -9.0], found[3.0, group]) == (6, 6, 12)
    assert set(cells["age"]) == {-8.0, -9.0, group, *(code for code in cells["age"] if code not in (-8, -9))}
    shoal.anonymize(open_dataset(config), k=5, method="mondrian").save(tmp_path / "csv")
    assert set(pl.read_csv(tmp_path / "csv" / "data.csv")["age"]) >= {"*"}


def tell_ages_apart(folder, format):
    """Change the released file: of hidden ages every other is refused, the rest not asked."""
    manifest = json.loads((folder / "manifest.json").read_text())
    path = folder / f"data.{format}"
    source = read(path, released=codebooks_of(manifest))
    hidden = source.frame["age"].cast(pl.String) == "*"
    codes = pl.Series("age", ["-8", "-9"] * len(hidden))[: len(hidden)].set(~hidden, None)
    variables = source.variables | {"age": replace(source.variables["age"], missing_codes=codes)}
    path.write_bytes(encode_labelled(source.frame, format, variables))
    manifest["sha256"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("format", ["sav", "dta"])
def test_verify_counts_missing_codes_of_a_quasi_identifier_as_its_judge_sees_them(tmp_path, format):
    """Twelve people without an age, six refused: a file that tells six of them from each other keeps no k of ten."""
    path = write_ages(tmp_path / "in.sav", [20] * 20 + [-8] * 6 + [-9] * 6, sex=[1] * 32)
    data = shoal.read(path, roles={"age": "quasi", "sex": "quasi"})
    folder = tmp_path / "out"
    shoal.anonymize(data, k=10, method="mondrian").save(folder, format=format)
    assert verify(folder)[1]
    assert "refused" not in raw_cells(folder / f"data.{format}")[1].variable_value_labels["age"].values()

    tell_ages_apart(folder, format)
    assert not verify(folder)[1]


def test_missing_codes_of_a_quasi_identifier_stay_behind_where_a_population_is_compared(tmp_path):
    path = write_ages(tmp_path / "in.sav", [20] * 20 + [-8] * 10, sex=[1] * 20 + [2] * 10)
    pl.DataFrame({"age": ["20"] * 40 + [""] * 30, "sex": ["1"] * 40 + ["2"] * 30}).write_csv(
        tmp_path / "all.csv"
    )
    config = check(
        {
            "data": {"path": "in.sav"},
            "population": {"path": "all.csv"},
            "columns": {"age": {"role": "quasi", "hierarchy": {"ranges": [10]}}, "sex": "quasi"},
            "guarantee": {"k_map": 5},
            "release": {"format": "sav"},
        },
        folder=tmp_path,
    )
    folder = tmp_path / "out"
    shoal.anonymize(open_dataset(config), k_map=5, method="optimal").save(folder, format="sav", rows=True)
    assert verify(folder, config=config, against=path)[1]
    assert "*" in raw_cells(folder / "data.sav")[1].variable_value_labels["age"].values()
    assert -8.0 not in raw_cells(folder / "data.sav")[0]["age"]
    tell_ages_apart(folder, "sav")
    said = verify(folder, config=config, against=path)[1]
    assert not said
    assert "the fewest are 0" in said.sentence


def test_missing_codes_that_tell_a_quasi_identifier_are_refused(tmp_path):
    """Nobody has children's ages here: women refused, men were not asked."""
    sex = [1, 2] * 40
    ages = [(-8 if sex[place] == 1 else -9) if place % 3 else 5 + place % 2 for place in range(80)]
    pyreadstat.write_sav(
        pl.DataFrame({"sex": sex, "age": [20 + place % 4 for place in range(80)], "child": ages}).cast(
            pl.Float64
        ),
        tmp_path / "in.sav",
        missing_ranges={"child": [-8, -9]},
    )
    data = shoal.read(tmp_path / "in.sav", roles={"sex": "quasi", "age": "quasi", "child": "plain"})
    release = shoal.anonymize(data, k=5)
    release.save(tmp_path / "csv")
    with pytest.raises(InputError, match=r"column 'child'.*its missing codes count as values in such a file"):
        release.save(tmp_path / "out", format="sav")


def test_init_asks_who_numbered_labels_in_alphabetical_order(tmp_path):
    made = propose(survey(tmp_path / "p.sav", 240))
    assert "alphabetical order" in made.undecided["v3"]
    text = made.save(tmp_path).read_text()
    assert '\n# codebook = "public"\n' in text
    assert tomllib.loads(text.replace("# codebook", "codebook"))["data"]["codebook"] == "public"
    stated = propose(tmp_path / "p.sav", settings={"codebook": "built"})
    assert stated.data.layout.codebook == "built"
    assert "alphabetical order" not in str(stated.undecided)
    frame = pl.DataFrame({"sex": [1, 2] * 100, "age": [20 + place % 40 for place in range(200)]})
    labels = {"sex": {1: "female", 2: "male"}}  # in order by chance
    pyreadstat.write_dta(frame, tmp_path / "q.dta", variable_value_labels=labels)
    assert "alphabetical" not in str(propose(tmp_path / "q.dta").undecided)
