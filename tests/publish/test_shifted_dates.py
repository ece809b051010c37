"""Shifted dates: by the same days for all dates of a person, judged against shifted originals, told as no guarantee."""

from datetime import date, timedelta

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError, ShoalWarning
from shoal.io.keys import VARIABLE, Seal
from shoal.jobs.configured import run_config

KEY = "0123456789abcdef" * 4
SEAL = Seal(bytes.fromhex(KEY), "", False)
N = 40
FIRST = date(2020, 2, 20)
VISITS = pl.DataFrame(
    {
        "pid": [f"Nam3-{i // 2}" for i in range(N)],
        "age": [30 + i // 20 for i in range(N)],
        "came": [FIRST + timedelta(days=3 * i) for i in range(N)],
        "left": [FIRST + timedelta(days=3 * i + i % 5) for i in range(N)],
    }
)
ROLES = {"pid": "identifier", "age": "quasi", "came": "sensitive", "left": "sensitive"}
SHIFT = {"came": 30, "left": 30}
TOML = """[data]
path = "visits.csv"
person = "pid"
[columns]
pid = "identifier"
age = "quasi"
came = { role = "quasi", hierarchy = { dates = ["month", "year"] }, shift = 30 }
left = { role = "sensitive", shift = 30, allow = true }
[guarantee]
k = 2
[release]
rows = true
"""


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """A key in the environment."""
    monkeypatch.setenv(VARIABLE, KEY)


def read(frame=VISITS, shift=SHIFT, **more):
    """The visits with their roles."""
    more = {"roles": ROLES, "person": "pid", "allow": ("came", "left"), **more}
    return shoal.read(frame, shift=shift, **more)


def expected(name, frame=VISITS):
    """The dates of a column as the key moves them."""
    days = SEAL.shifts(frame["pid"].to_list(), 30)
    return [day + timedelta(days=by) for day, by in zip(frame[name].to_list(), days, strict=True)]


@pytest.mark.parametrize("kind", ["dates", "texts", "day first", "times"])
def test_dates_of_a_person_move_by_the_same_days(kind):
    frame, more = VISITS, {}
    if kind == "texts":
        frame = VISITS.with_columns(pl.col("came", "left").cast(pl.String))
    if kind == "day first":
        frame = VISITS.with_columns(pl.col("came", "left").dt.strftime("%d/%m/%Y"))
    if kind == "times":
        frame = VISITS.with_columns(pl.col("came", "left").cast(pl.Datetime).dt.offset_by("7h"))
    data = read(frame, **more)
    late = "T07:00:00" if kind == "times" else ""
    for name in SHIFT:
        shown = data.source.frame[name].cast(pl.String).str.replace(".000000", "", literal=True).to_list()
        form = "%d/%m/%Y" if kind == "day first" else f"%Y-%m-%d{late}"
        assert shown == [day.strftime(form) for day in expected(name)]
    stay = (VISITS["left"] - VISITS["came"]).to_list()
    assert [left - came for left, came in zip(expected("left"), expected("came"), strict=True)] == stay
    assert len(set(SEAL.shifts(VISITS["pid"].to_list(), 30))) > 10


def test_a_release_is_true_of_shifted_originals(tmp_path, monkeypatch):
    VISITS.write_csv(tmp_path / "visits.csv")
    config, out = tmp_path / "shoal.toml", tmp_path / "out"
    config.write_text(TOML)
    release = run_config(config, out)
    own = pl.Series(expected("left")).cast(pl.String).gather(pl.Series(release.result.release.rows))
    assert pl.read_csv(out / "data.csv", infer_schema=False)["left"].to_list() == own.to_list()
    against = tmp_path / "visits.csv"
    assert shoal.verify(out, config=config, against=against)
    assert {note["kind"] for note in release.manifest["notes"]} >= {"shifted"}
    assert "shifting is no guarantee" in (out / "report.html").read_text()
    for path in (path for folder in (out, tmp_path / "out.private") for path in folder.iterdir()):
        assert KEY.encode() not in path.read_bytes()
        assert bytes.fromhex(KEY) not in path.read_bytes()
    monkeypatch.setenv(VARIABLE, "f" * 64)
    assert not shoal.verify(out, config=config, against=against)
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(InputError, match="column 'came': a shift needs a key"):
        shoal.verify(out, config=config, against=against)


def test_a_pseudonym_says_whose_dates_they_are():
    data = read(roles={**ROLES, "pid": "pseudonym"}, person=None)
    assert data.source.frame["left"].to_list() == expected("left")
    assert shoal.anonymize(data, k=2).manifest["claim"]["model"] == "k-anonymity of linked rows"


def test_a_date_without_a_day_stays_and_one_of_an_old_person_goes():
    today = date.today()
    born = [
        f"{today.year - 95}-05-03",
        str(today.year - 90),
        f"{today.year - 91}-07",
        "2001",
        "2001-05",
        "2001-Q2",
        None,
    ]
    frame = pl.DataFrame({"pid": [str(i) for i in range(7)], "age": ["1"] * 7, "came": born})
    with pytest.warns(ShoalWarning, match="column 'came': 3 dates are 90 years or more ago"):
        data = read(
            frame,
            {"came": 30},
            roles={"pid": "identifier", "age": "quasi", "came": "sensitive"},
            allow=("came",),
        )
    assert data.source.frame["came"].to_list() == [None, None, None, "2001", "2001-05", "2001-Q2", None]


@pytest.mark.parametrize(
    ("frame", "more", "said"),
    [
        (
            VISITS.with_columns(came=pl.lit("soon")),
            {},
            "column 'came': 40 cells, first record 1, are not dates",
        ),
        (
            VISITS,
            {"person": None, "roles": {**ROLES, "pid": "drop"}},
            "'came' has a shift, which a person has",
        ),
        (VISITS, {"shift": {"came": 3, "left": 4}}, "different shifts"),
        (VISITS, {"shift": {"came": 9999}}, "'came': shift must be a number of days from 1 to 3650"),
        (VISITS, {"shift": {"pid": 3}}, "'pid' has a shift, which moves published dates"),
        (VISITS, {"shift": {"gone": 3}}, "shift names 'gone'"),
    ],
)
def test_what_cannot_be_shifted_is_told_in_one_sentence(frame, more, said):
    with pytest.raises(InputError, match=said) as error:
        read(frame, **more)
    assert "soon" not in str(error.value)
