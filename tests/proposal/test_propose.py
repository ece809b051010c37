"""From unknown data to roles and hierarchies: what comes out runs, and no identifier goes out with it."""

import json
import sqlite3
import tomllib
from random import Random

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import EncodingError, InputError
from shoal.io.config import load
from shoal.io.formats import ABOUT
from shoal.jobs.configured import run_config
from shoal.proposal.profile import ColumnProfile
from shoal.proposal.source_detection import detect_source
from shoal.publish.verify import verify

pytestmark = pytest.mark.usefixtures("untried", "bare")

N = 400


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def patients(rng):
    """A table as a hospital has it."""
    names = [f"{first} {last}" for first in ("Ann", "Bo", "Cem") for last in ("Ay", "Berg", "Cole", "Diaz")]
    days = np.datetime64("1930-01-01") + rng.integers(0, 25_000, N).astype("timedelta64[D]")
    story = "Patient number {} came back with a long story about something that happened"
    return pl.DataFrame(
        {
            "name": rng.choice(names, N),
            "ssn": [f"{area:03d}-12-{i + 1:04d}" for i, area in enumerate(rng.integers(1, 600, N).tolist())],
            "email": [f"user{i}@example.org" for i in range(N)],
            "birth_date": days.astype(str),
            "zip": [f"0{code}" for code in rng.choice([1067, 1069, 1097, 4103, 4105, 8523], N)],
            "sex": rng.choice(["f", "m"], N),
            "income": np.round(rng.lognormal(10, 0.6, N), 2),
            "diagnosis": rng.choice(["E11.9", "I10", "J45", "F32.1"], N),
            "remarks": [story.format(i) for i in range(N)],
        }
    )


@pytest.fixture(scope="module")
def hospital(tmp_path_factory):
    """A frame, what is proposed for its file, and what is written."""
    folder = tmp_path_factory.mktemp("hospital")
    frame = patients(np.random.default_rng(7))
    frame.write_parquet(folder / "patients.parquet")
    proposal = shoal.propose(folder / "patients.parquet")
    return frame, proposal, proposal.save(folder).read_text()


def test_a_hospitals_table(hospital):
    _, proposal, _ = hospital
    assert {name: proposal[name].role for name in proposal} == {
        "name": "identifier",
        "ssn": "identifier",
        "email": "identifier",
        "birth_date": "quasi",
        "zip": "quasi",
        "sex": "quasi",
        "income": "sensitive",
        "diagnosis": "sensitive",
        "remarks": "text",
    }


def run_in(folder, data):
    """The three commands, as functions."""
    proposal = shoal.propose(str(data) if "://" in str(data) else data)
    toml = proposal.save(folder)
    out = folder / "release"
    release = run_config(toml, out)
    config = load(toml)
    assert verify(out, config=config, against=str(data) if config.data.person else None)[1]
    return proposal, release


def test_a_csv_file_runs_as_it_is_and_no_identifier_is_written(tmp_path, rng):
    frame = patients(rng)
    frame.write_csv(tmp_path / "patients.csv")
    proposal, release = run_in(tmp_path, tmp_path / "patients.csv")
    assert proposal.shape == "table"
    written = "".join(
        path.read_text() for path in [tmp_path / "shoal.toml", *(tmp_path / "hierarchies").iterdir()]
    )
    published = (tmp_path / "release" / "data.csv").read_text()
    for name in ("name", "ssn", "email", "remarks"):
        assert not any(cell in written or cell in published for cell in frame[name].unique())
    assert "allow" not in written
    raw = tomllib.loads((tmp_path / "shoal.toml").read_text())
    assert raw["guarantee"] == {"k": 11, "l": 3}
    assert raw["columns"]["zip"]["hierarchy"] == {"file": "hierarchies/zip.csv", "built": True}
    assert release.verdict


@pytest.mark.filterwarnings("ignore:people.csv, column:shoal.ShoalWarning")
@pytest.mark.parametrize("method", ["", '\n[method]\nname = "mstk"\nrecode = "span"\n'])
def test_a_number_that_is_only_an_end_is_published_as_one(tmp_path, method):
    ages = [*(str(20 + i % 20) for i in range(300)), *["95+"] * 40, *["<20"] * 40]
    frame = pl.DataFrame({"age": ages, "sex": ["f", "m"] * 190, "pay": Random(1).sample(ages, 380)})
    frame.write_csv(tmp_path / "people.csv")
    proposal = shoal.propose(tmp_path / "people.csv", roles={"pay": "sensitive"})
    assert proposal.columns["age"].type == "number"
    toml = proposal.save(tmp_path)
    kept = "".join(line for line in toml.read_text().splitlines(True) if not line.startswith(("k =", "l =")))
    toml.write_text(kept.replace("[guarantee]", "[guarantee]\nk = 5\nt = 0.9") + method)
    run_config(toml, tmp_path / "release", as_proposed=True)
    assert verify(tmp_path / "release", config=load(toml), against=tmp_path / "people.csv")[1]
    assert verify(tmp_path / "release")[1]
    published = pl.read_csv(tmp_path / "release" / "data.csv", infer_schema=False)
    assert {"95+", "<20"} <= set(published["age"]) & set(published["pay"])


def test_every_column_has_its_reason_in_a_comment(hospital):
    lines = hospital[2].splitlines()
    start = lines.index("[columns]")
    for place, line in enumerate(lines[start + 1 : lines.index("[guarantee]") - 1], start + 1):
        if line and not line.startswith("#"):
            assert lines[place - 1].startswith("#")


def test_the_file_asks_for_what_the_certificate_says(hospital, tmp_path):
    asked = [line for line in hospital[2].splitlines() if line.startswith("# ") and ' = ""' in line]
    assert [line.split()[1] for line in asked] == list(ABOUT)
    toml = tmp_path / "shoal.toml"
    toml.write_text(hospital[2] + "".join(line[2:].replace('""', '"x"') + "\n" for line in asked))
    assert load(toml).about == dict.fromkeys(ABOUT, "x")


@pytest.mark.parametrize("suffix", ["dat", "parquet", "ndjson", "csv"])
def test_baskets_of_every_kind(tmp_path, rng, suffix):
    baskets = [sorted(set(rng.integers(1, 25, size).tolist())) for size in rng.integers(2, 7, N)]
    path = tmp_path / f"shop.{suffix}"
    if suffix == "dat":
        path.write_text("\n".join(" ".join(map(str, basket)) for basket in baskets))
    else:
        frame = pl.DataFrame({"bought": [[f"item{i}" for i in basket] for basket in baskets]})
        if suffix == "csv":
            frame = frame.with_columns(pl.col("bought").list.join("|"))
        getattr(frame, f"write_{suffix}")(path)
    proposal, _ = run_in(tmp_path, path)
    assert proposal.shape == "baskets"
    assert proposal.guarantee == {"k": 11, "m": 2}


def test_a_table_with_baskets(tmp_path, rng):
    ill = ["E11", "I10", "J45", "M54", "F32"]
    codes = [";".join(rng.choice(ill, size, replace=False)) for size in rng.integers(1, 5, N)]
    frame = pl.DataFrame({"age": rng.integers(20, 80, N), "sex": rng.choice(["f", "m"], N), "codes": codes})
    frame.write_csv(tmp_path / "people.csv")
    proposal, _ = run_in(tmp_path, tmp_path / "people.csv")
    assert (proposal.shape, proposal["codes"].separator) == ("mixed", ";")


def visits(rng):
    return [
        {
            "patient_id": 1000 + i,
            "sex": str(rng.choice(["f", "m"])),
            "age": int(rng.integers(20, 80)),
            "contact": {"email": f"user{i}@example.org", "city": str(rng.choice(["Bonn", "Ulm", "Kiel"]))},
            "visits": [
                {"ward": str(rng.choice(["A", "B", "C"])), "date": f"20{rng.integers(10, 24)}-05-17"}
                for _ in range(rng.integers(0, 3))
            ],
        }
        for i in range(N)
    ]


@pytest.mark.parametrize("suffix", ["ndjson", "json"])
def test_nested_records_are_trees(tmp_path, rng, suffix):
    people = visits(rng)
    path = tmp_path / f"people.{suffix}"
    path.write_text(json.dumps(people) if suffix == "json" else "\n".join(map(json.dumps, people)))
    proposal, _ = run_in(tmp_path, path)
    assert (proposal.shape, proposal.guarantee) == ("trees", {"k": 11, "m": 2, "n": 1})
    assert proposal["patient_id"].role == "identifier"
    assert proposal["contact.email"].role == "drop"
    assert "example.org" not in (tmp_path / "release" / "data.rows.ndjson").read_text()


def test_missing_values_decimals_and_dates_are_found_in_nested_records_as_in_tables(tmp_path, rng):
    people = [
        {
            "sex": "fm"[i % 2],
            "seen": f"{1 + i % 12:02}/{1 + i % 11:02}/2023",
            "weight": "n/a" if i % 9 == 0 else f"{50 + i % 40},{i % 10}",
            "visits": [
                {"day": f"{1 + i % 28:02}/{1 + i % 12:02}/2024", "score": [-99, 3, 4, 5, 6][i * j % 5]}
                for j in (1, 2)
            ],
        }
        for i in range(N)
    ]
    path = tmp_path / "people.json"
    path.write_text(json.dumps(people))
    for data in (path, people):
        proposal = shoal.propose(data)
        assert set(proposal.data.missing) == {"", "n/a", "-99"}
        assert (proposal.data.decimal, proposal.data.dates) == (",", "day first")
        assert "n/a: words for no value" in proposal.evidence["missing"]
        trees = proposal.read().trees
        shown = {value for kind, value in trees.pairs if kind in ("seen", "weight", "visits.score")}
        assert not shown & {"n/a", "-99"}
        assert {"2023-01-01", "51.1"} <= shown
    proposal, _ = run_in(tmp_path, path)
    text = (tmp_path / "shoal.toml").read_text()
    assert 'dates = "day first"' in text
    assert "missing = " in text


def test_nested_records_in_memory(rng):
    release = shoal.anonymize(shoal.propose(visits(rng)).read(), k=3, m=1, n=0)
    assert release.verdict


def test_a_folder_of_tables(tmp_path, rng):
    folder = tmp_path / "tables"
    folder.mkdir()
    pl.DataFrame({"patient_id": range(N), "age": rng.integers(20, 80, N)}).write_csv(folder / "patients.csv")
    pl.DataFrame(
        {
            "visit_id": range(2 * N),
            "patient_id": rng.integers(0, N, 2 * N),
            "ward": rng.choice(list("ABC"), 2 * N),
        }
    ).write_csv(folder / "visits.csv")
    proposal, _ = run_in(tmp_path, folder)
    config = load(tmp_path / "shoal.toml")
    assert config.tree.person == "patients"
    assert config.tree.keys == {"visits.patient_id": "patients.patient_id"}
    assert proposal["visits.ward"].role == "quasi"


def database(path, rng):
    with sqlite3.connect(path) as base:
        base.executescript(
            "create table people(id integer primary key, age int, sex text);"
            "create table visits(id integer primary key, person int references people(id), ward text);"
        )
        base.executemany(
            "insert into people values(?,?,?)",
            [(i, int(rng.integers(20, 80)), str(rng.choice(["f", "m"]))) for i in range(N)],
        )
        base.executemany(
            "insert into visits values(?,?,?)",
            [(i, int(rng.integers(0, N)), str(rng.choice(list("ABC")))) for i in range(2 * N)],
        )
    return f"sqlite:///{path}"


def test_a_database(tmp_path, rng):
    proposal, _ = run_in(tmp_path, database(tmp_path / "people.db", rng))
    assert proposal.config().tree.person == "people"
    assert not proposal.config().tree.keys, "the database states them"


def test_rows_of_one_person_are_counted_once(tmp_path, rng):
    who = np.repeat(np.arange(N), 3)
    ages, rows = np.repeat(rng.integers(20, 80, N), 3), 3 * N
    wards, months = rng.choice(list("ABC"), rows), rng.integers(1, 13, rows)
    ills = rng.choice(["flu", "gout", "asthma"], rows)
    frame = pl.DataFrame(
        {"patient_id": who + 5000, "age": ages, "ward": wards, "month": months, "diagnosis": ills}
    )
    frame.write_csv(tmp_path / "stays.csv")
    proposal, _ = run_in(tmp_path, tmp_path / "stays.csv")
    assert proposal.data.person == "patient_id"
    written = next(tmp_path.rglob("shoal.toml")).read_text(encoding="utf-8")
    assert f"of {rows:,} rows" in written
    assert " people" not in written.split("[columns]")[1].split("[guarantee]")[0]


def test_one_row_per_item_is_a_basket_per_person(tmp_path, rng):
    who = np.sort(rng.integers(0, N, 5 * N))
    frame = pl.DataFrame(
        {"customer_id": who + 9000, "product": [f"item {i}" for i in rng.integers(0, 20, 5 * N)]}
    )
    frame.unique(maintain_order=True).write_csv(tmp_path / "bought.csv")
    proposal, _ = run_in(tmp_path, tmp_path / "bought.csv")
    assert (proposal.shape, proposal.data.person) == ("baskets", "customer_id")


def test_mail_addresses_that_repeat_by_chance_are_no_persons(rng):
    frame = patients(rng).with_columns(
        email=pl.when(pl.int_range(N) < 4).then(pl.lit("a@b.org")).otherwise("email")
    )
    proposal = shoal.propose(frame)
    assert proposal.data.person is None
    assert (proposal["email"].role, proposal["email"].shared) == ("identifier", True)


def test_old_encodings_commas_and_markers_are_read(tmp_path, rng):
    heights = [f"{height:.1f}".replace(".", ",") for height in rng.normal(170, 9, N)]
    weights = [*rng.integers(50, 99, N - 1).tolist(), "k.A."]
    towns = rng.choice(["Köln", "Düren"], N).tolist()
    rows = ["Größe;Gewicht;Ort", *(f"{a};{b};{c}" for a, b, c in zip(heights, weights, towns, strict=True))]
    (tmp_path / "leute.csv").write_bytes("\n".join(rows).encode("cp1252"))
    proposal, _ = run_in(tmp_path, tmp_path / "leute.csv")
    data = load(tmp_path / "shoal.toml").data
    assert (data.encoding, data.decimal) == ("cp1252", ",")
    assert "k.A." in data.missing
    assert proposal["Größe"].type == "number"


@pytest.mark.parametrize(
    ("encoding", "name", "town"),
    [
        ("gb18030", "城市", "北京"), ("cp1254", "şehir", "Iğdır"), ("cp1252", "Größe", "Köln"),
        ("cp1252", "m²", "João"), ("cp1252", "kön", "Åre"), ("cp1252", "Þorp", "Ísafjörður"),
        ("cp1250", "płeć", "Łódź"), ("cp1250", "příjmení", "Nováček"), ("cp1250", "nő", "Győr, férfi"),
        ("cp1257", "Kėdainiai", "Šiauliai"),
        ("cp1251", "Город", "Санкт-Петербург и Нижний Новгород"), ("cp1253", "Φύλο και πόλη", "Θεσσαλονίκη και Αθήνα"),
        ("cp932", "氏名と性別", "東京都の男性たち"), ("cp949", "이름과 성별", "서울특별시 남자"),
    ],
)  # fmt: skip
def test_the_encoding_is_guessed(tmp_path, rng, encoding, name, town):
    """Whatever the file is called: an error names it, and is about its encoding or not."""
    rows = "\n".join([f"{name};age", *(f"{town};{age}" for age in rng.integers(20, 80, N))])
    path = tmp_path / "NUL and UTF-8.csv"
    path.write_bytes(rows.encode(encoding))
    found = detect_source(path)
    assert found.data.encoding == encoding
    assert name in found.source.frame.columns
    letters = {sign for sign in name + town if sign.isalpha() and not sign.isascii()}
    told = found.notes[0].partition("the letters ")[2].partition(";")[0]
    assert letters & set(told)


def test_decimal_commas_with_three_digits_are_seen(tmp_path, rng):
    measured = [f"{n:.3f}".replace(".", ",") for n in rng.normal(2, 0.9, N)]
    rows = [
        "TSH;sex",
        *(f"{one};{sex}" for one, sex in zip(measured, rng.choice(["f", "m"], N), strict=True)),
    ]
    (tmp_path / "lab.csv").write_text("\n".join(rows))
    proposal, _ = run_in(tmp_path, tmp_path / "lab.csv")
    assert proposal["TSH"].type == "number"


def test_a_column_that_another_one_contains_is_grouped_by_it(rng):
    towns = {
        "Kadıköy": "İstanbul",
        "Üsküdar": "İstanbul",
        "Çankaya": "Ankara",
        "Keçiören": "Ankara",
        "Konak": "İzmir",
    }
    district = rng.choice(list(towns), N)
    frame = pl.DataFrame(
        {"ilçe": district, "il": [towns[d] for d in district], "yaş": rng.integers(20, 80, N)}
    )
    made = shoal.propose(frame)["ilçe"].hierarchy
    assert set(made.labels[1]) == {"İstanbul", "Ankara", "İzmir", "*"}


def test_answers_of_a_questionnaire_are_no_quasi_identifiers(rng):
    answers = {f"q{i:02d}": rng.integers(1, 8, N) for i in range(1, 13)}
    proposal = shoal.propose(
        pl.DataFrame({"age": rng.integers(20, 80, N), "gender": rng.choice(["f", "m"], N), **answers})
    )
    assert {proposal[name].role for name in answers} == {"sensitive"}
    assert proposal["q01"].advice


@pytest.mark.parametrize(
    ("stem", "values"),
    [
        ("Z", ["1", "2", "3", "4", "5"]),  # a name that says nothing
        ("x", ["1", "2", "3", "4", "5"]),
        ("q", ["0", "1"]),
        ("sym", ["yes", "no"]),
    ],
)
def test_columns_of_codes_are_never_published_as_answers_unasked(rng, stem, values):
    coded = {f"{stem}{i}": rng.choice(values, N) for i in range(1, 8)}
    proposal = shoal.propose(
        pl.DataFrame({"age": rng.integers(20, 80, N), "gender": rng.choice(["f", "m"], N), **coded})
    )
    asked = next((why for why in proposal.undecided.values() if "only these data" in why), "")
    assert all(
        proposal[name].role == "quasi" or name in asked or proposal[name].undecided == asked for name in coded
    )
    assert (stem == "sym") == bool(asked)  # a word, which may be something that was asked or found


def test_a_scale_may_have_blanks_and_answers_that_nobody_gave(rng):
    answers = {f"item{i}": rng.integers(1, 7, N) for i in range(1, 6)}
    answers["item4"] = rng.integers(1, 6, N)  # nobody says 6
    table = pl.DataFrame({"age": rng.integers(20, 80, N), **answers})
    table = table.with_columns(item5=pl.when(pl.col("age") > 30).then(pl.col("item5").cast(pl.Float64)))
    proposal = shoal.propose(table)
    assert {proposal[name].role for name in answers} == {"sensitive"}


def test_columns_whose_values_differ_are_no_scale(rng):
    coded = {f"item{i}": rng.integers(1, 3 + i, N) for i in range(1, 8)}
    proposal = shoal.propose(pl.DataFrame({"age": rng.integers(20, 80, N), **coded}))
    assert "sensitive" not in {proposal[name].role for name in coded}


def test_a_file_without_a_header_is_refused(tmp_path):
    (tmp_path / "people.csv").write_text("\n".join(f"{i},{20 + i % 40},Ann{i}@x.org" for i in range(50)))
    with pytest.raises(InputError, match="look like a person's record"):
        shoal.propose(tmp_path / "people.csv")


def test_a_mapping_gives_places_their_groups(tmp_path, rng):
    towns = {"Bonn": "Rhineland", "Köln": "Rhineland", "Ulm": "Swabia", "Biberach": "Swabia"}
    (tmp_path / "towns.csv").write_text("town,region\n" + "\n".join(f"{t},{r}" for t, r in towns.items()))
    frame = pl.DataFrame({"town": rng.choice(list(towns), N), "age": rng.integers(20, 80, N)})
    proposal = shoal.propose(frame, mappings=[tmp_path / "towns.csv"])
    assert set(proposal["town"].hierarchy.labels[1]) == {"Rhineland", "Swabia", "*"}
    assert not proposal["town"].hierarchy.public


def test_a_sensitive_column_that_tells_a_quasi_identifier_becomes_one(rng):
    town = rng.choice(["Bonn", "Ulm", "Kiel"], N)
    illness = np.where(town == "Bonn", "flu", np.where(town == "Ulm", "gout", "asthma"))
    proposal = shoal.propose(
        pl.DataFrame({"town": town, "diagnosis": illness, "age": rng.integers(20, 80, N)})
    )
    assert proposal["diagnosis"].role == "quasi"
    assert proposal["diagnosis"].advice


def test_baskets_keep_one_label_and_a_star_is_no_value(tmp_path, rng):
    bought = [
        "|".join(f"item{i}" for i in sorted(set(rng.integers(0, 15, size)))) for size in rng.integers(1, 6, N)
    ]
    labels = {"religion": rng.choice(["x", "y", "*"], N), "diagnosis": rng.choice(["flu", "gout"], N)}
    pl.DataFrame({"bought": bought, **labels}).write_csv(tmp_path / "shop.csv")
    proposal, _ = run_in(tmp_path, tmp_path / "shop.csv")
    assert [proposal[name].role for name in ("bought", "religion", "diagnosis")] == [
        "items",
        "sensitive",
        "quasi",
    ]
    assert "*" in proposal.data.missing


def test_words_that_are_too_many_for_a_file_are_left_out(tmp_path, rng, monkeypatch):
    monkeypatch.setattr("shoal.proposal.profile._MOST_VALUES", 50)
    makers = [f"method {i}" for i in rng.integers(0, 90, N)]
    pl.DataFrame({"age": rng.integers(20, 60, N), "maker": makers}).write_csv(tmp_path / "people.csv")
    proposal, _ = run_in(tmp_path, tmp_path / "people.csv")
    assert (proposal["maker"].role, proposal["age"].role) == ("drop", "quasi")


def test_a_proposal_can_be_changed(rng):
    proposal = shoal.propose(patients(rng))
    proposal["diagnosis"].role = "drop"
    proposal["zip"].hierarchy = {"mask": "right"}
    data = proposal.read()
    assert "diagnosis" not in data.source.frame.columns
    assert shoal.anonymize(data, k=5).verdict


def test_no_repr_shows_a_cell(hospital):
    frame, proposal, _ = hospital
    shown = (
        repr(proposal)
        + repr(proposal["sex"])
        + proposal._repr_html_()
        + str(proposal.table())
        + json.dumps(proposal.as_dict())
    )
    assert "user1@" not in shown
    assert frame["ssn"][0] not in shown
    assert proposal.plot().data


def test_a_frame_has_no_path_to_write_down(tmp_path, rng):
    with pytest.raises(InputError, match="write it to a file first"):
        shoal.propose(patients(rng)).save(tmp_path)


def test_a_password_is_not_written(tmp_path):
    from shoal.io.settings import strip_password

    assert strip_password("postgresql://ann:geheim@host/db?password=geheim") == "postgresql://ann@host/db"


def test_a_file_that_is_no_text_is_not_read_in_another_encoding(tmp_path):
    (tmp_path / "people.csv").write_bytes("id;town\n1;Bern\n2;Chur\n".encode("utf-16-le"))
    with pytest.raises(InputError, match=r"people.csv: holds NUL bytes, so it is not UTF-8 text") as caught:
        shoal.propose(tmp_path / "people.csv")
    assert not isinstance(caught.value, EncodingError)


def test_another_fault_of_a_file_is_told_once_and_no_encoding_is_guessed(tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.proposal.source_detection.guess_encoding", lambda path: 1 / 0)
    (tmp_path / "UTF-8.csv").write_text("id;id\n1;2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"UTF-8\.csv"):
        shoal.propose(tmp_path / "UTF-8.csv")


def test_codes_of_places_that_nearly_everybody_has_alone_stay_and_groups_of_cases_are_no_diagnoses(rng):
    letters = np.array(list("ABDEFGH"))
    people = pl.DataFrame(
        {
            "Postcode": [
                f"LS{rng.integers(1, 20)} {rng.integers(1, 9)}{''.join(rng.choice(letters, 2))}"
                for _ in range(300)
            ],
            "county_fips": rng.choice(["06037", "36061", "48201", "17031"], 300),
            "drg": rng.integers(1, 999, 300),
            "Né(e) le": [f"{rng.integers(1, 28):02}/03/{rng.integers(1940, 2000)}" for _ in range(300)],
        }
    )
    found = shoal.propose(people)
    roles = {name: one.role for name, one in found.columns.items()}
    assert roles == {"Postcode": "quasi", "county_fips": "quasi", "drg": "sensitive", "Né(e) le": "quasi"}
    assert found.columns["Postcode"].hierarchy == {"vocabulary": "uk-postal"}
    assert found.columns["drg"].hierarchy != {"vocabulary": "icd9"}
    assert not any(one.advice for one in found.columns.values())


def test_remarks_are_no_lists_however_often_their_words_come_back(rng):
    said = ["stable", "see Dr. Smith", "pain since 3 days"]
    said += [f"called wife {number} {number + 1}" for number in range(100, 250)]
    frame = {"age": rng.integers(20, 80, N).astype(str), "sex": rng.choice(["f", "m"], N)}
    for name in ("notes", "x"):
        made = shoal.propose(pl.DataFrame({**frame, name: rng.choice(said, N)}))
        assert made.columns[name].role != "items", name


def test_a_sensitive_value_in_two_spellings_counts_once(rng):
    frame = {"age": rng.integers(20, 80, N).astype(str), "sex": rng.choice(["f", "m"], N)}
    spelled = pl.DataFrame({**frame, "diagnosis": rng.choice(["E11.9", "e11.9", "E11.9 ", "I10"], N)})
    assert shoal.propose(spelled).guarantee["l"] == 2
    dotted = pl.DataFrame({**frame, "diagnosis": rng.choice(["E11.9", "E119", "I10", "K35"], N)})
    assert "with its dot and without" in shoal.propose(dotted).columns["diagnosis"].undecided


def test_codes_of_which_only_some_are_looked_at_tell_nothing_of_single_rows(rng, monkeypatch):
    """With a larger sample than values are kept, rows hold values that nobody looked at."""
    monkeypatch.setattr("shoal.proposal.profile._MOST_VALUES", 50)
    codes = [f"{letter}{n:02}.{m}" for letter in "EIJKM" for n in (0, 1, 20, 21) for m in range(10)]
    frame = pl.DataFrame({"diagnosis": rng.choice(codes, 250), "age": rng.integers(20, 70, 250)})
    found = shoal.propose(frame)
    assert found["diagnosis"].role == "quasi"
    seen = ColumnProfile(
        "x", ("a", "c"), np.array([7, 9]), 30, 0, 0, 3, np.array([0, 1, 2, 2], dtype=np.int32)
    )
    assert seen.held_by(np.arange(4, dtype=np.int32)).holders.tolist() == [7, 9]
