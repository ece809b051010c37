"""`shoal.verify` says in Python what `shoal verify` says."""

from contextlib import nullcontext

import polars as pl
import pytest

import shoal
from shoal.jobs import configured

pytestmark = pytest.mark.usefixtures("bare")

CONFIG = """
[data]
path = "people.csv"
[columns]
age = { role = "quasi", hierarchy = { ranges = [10, 20] } }
sex = "quasi"
[guarantee]
k = 2
[method]
name = "optimal"
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Two releases of the same people, each of one column."""
    monkeypatch.chdir(tmp_path)
    people = pl.DataFrame({"age": [31, 32, 41, 42], "sex": ["f", "m", "f", "m"]})
    people.write_csv("people.csv")
    (tmp_path / "shoal.toml").write_text(CONFIG)
    for name, ranges in (("ages", {"age": {"ranges": [10, 20]}}), ("sexes", {"age": {"ranges": [100]}})):
        table = shoal.read("people.csv", roles={"age": "quasi", "sex": "quasi"}, hierarchies=ranges)
        shoal.anonymize(table, k=2, method="optimal").save(name, rows=True)
    return tmp_path


def test_a_folder_is_judged(place):
    assert shoal.verify("ages")
    assert shoal.verify(place / "ages", config="shoal.toml", against="people.csv")


def test_a_folder_that_was_changed_is_a_no(place):
    path = next((place / "ages").glob("data.*"))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n7,7\n", 1))
    said = shoal.verify(place / "ages")
    assert said.judged
    assert not said


def test_several_need_originals_and_are_judged_together(place):
    assert not shoal.verify("ages", "sexes").judged
    both = shoal.verify("ages", "ages", config="shoal.toml", against="people.csv")
    assert both.judged, both.sentence
    assert both


def test_what_is_missing_is_told(place):
    with pytest.raises(shoal.InputError, match="there is no release folder"):
        shoal.verify()
    with pytest.raises(shoal.InputError, match="need a config"):
        shoal.verify("ages", against="people.csv")
    with pytest.raises(shoal.InputError):
        shoal.verify("nowhere")


@pytest.mark.parametrize(
    ("named", "asked", "taken"),
    [(None, None, "local"), ("spark", None, "spark"), ("spark", "local", "local")],
)
def test_the_engine_that_is_asked_for_wins_over_the_one_that_is_named(
    place, monkeypatch, named, asked, taken
):
    text = CONFIG if named is None else f'{CONFIG}[engine]\nname = "{named}"\n'
    (place / "shoal.toml").write_text(text)
    engines = []

    def note(engine):
        engines.append(engine)
        return nullcontext()

    monkeypatch.setattr(configured, "chosen_engine", note)
    configured.run_config(place / "shoal.toml", place / "out", engine=asked)
    assert engines == [taken]


def test_an_engine_that_nobody_knows_is_one_sentence(place):
    (place / "shoal.toml").write_text(f'{CONFIG}[engine]\nname = "sparc"\n')
    with pytest.raises(shoal.InputError, match=r"\[engine\].*'name' must be one of local, spark.*'spark'"):
        configured.run_config(place / "shoal.toml", place / "out")
