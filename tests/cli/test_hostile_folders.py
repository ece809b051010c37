"""Hostile configurations, hierarchies, manifests, recodings and links: one sentence, its exit code, nothing written."""

import json
import os
import re
import shutil
import time

import pytest
from click.testing import CliRunner

from hostile_files import zeros
from shoal.cli import shoal

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has neither devices to link to nor fifos")

MANY = 100_000
DEEP = "[" * MANY + "]" * MANY
SECONDS = 20  # of a processor


def said(folder, *words):
    """The exit code of a command in a folder, and all that it says."""
    before, here = time.process_time(), os.getcwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(shoal, words)
    finally:
        os.chdir(here)
    assert time.process_time() - before < SECONDS
    assert not re.search(r"Traceback|root:|[\x00-\x09\x0b-\x1f\x7f]", done.output)
    return done.exit_code, done.output


def refused(folder, code, words, *command):
    found, sentence = said(folder, *command)
    assert (found, re.search(words, sentence) is not None) == (code, True), sentence[:500]
    assert re.fullmatch(r"shoal: [^\n]+\n", sentence)


@pytest.fixture(scope="module")
def made(bare, tmp_path_factory):
    """A folder with people, their configuration and a release."""
    folder = tmp_path_factory.mktemp("made")
    rows = "".join(f"p{i},{20 + i % 8},{'fm'[i % 2]},{('flu', 'gout')[i % 3 == 0]}\n" for i in range(60))
    (folder / "people.csv").write_text(f"name,age,sex,ill\n{rows}")
    (folder / "age.csv").write_text(AGES)
    (folder / "shoal.toml").write_text(CONFIG)
    assert said(folder, "run")[0] == 0
    return folder


@pytest.fixture
def room(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


AGES = "".join(f"{20 + i};{'young' if i < 4 else 'old'};*\n" for i in range(8))
CONFIG = """[data]
path = "people.csv"
[columns]
name = "identifier"
age = { role = "quasi", hierarchy = "age.csv" }
sex = "quasi"
ill = "sensitive"
[guarantee]
k = 3
[method]
name = "optimal"
"""
CONFIGS = {
    "huge k": (lambda text: text.replace("k = 3", f"k = {10**18}"), 2, "of at least 1, and at most"),
    "NUL": (lambda text: text.replace("sex", '"s\0x"'), 2, "not TOML"),
    "file outside": (
        lambda text: text.replace("people.csv", "/etc/passwd"),
        2,
        "no reader for this extension",
    ),
    "file above": (
        lambda text: text.replace("people.csv", "../" * 20 + "etc/passwd"),
        2,
        "no reader for this",
    ),
    "database outside": (
        lambda text: text.replace('path = "people.csv"', 'url = "sqlite:////etc/passwd"'),
        2,
        ".",
    ),
    "hierarchy outside": (lambda text: text.replace("age.csv", "/etc/passwd"), 2, "hierarchy 'passwd'"),
    "hierarchy of devices": (lambda text: text.replace("age.csv", "/dev/zero"), 2, "is a folder or a device"),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_configurations(room, name):
    change, code, words = CONFIGS[name]
    (room / "shoal.toml").write_text(change(CONFIG))
    refused(room, code, words, "run", "--out", "other")
    assert not (room / "other").exists()
    assert not (room / "other.private").exists()


HIERARCHIES = {
    "a million levels": (lambda: "20;" * 10**6 + "*\n", "1000001 columns, more than 100; leave out"),
    "many lines": (lambda: "".join(f"v{i};*\n" for i in range(3 * 10**5)), "age"),
    "a long line": (lambda: "2" * 10**8 + ";*\n", "longer|a cell of more|not valid csv"),
    "a large file": (lambda: "2" * 300 * 2**20, "holds more than 256 MiB"),
    "formulas": (lambda: AGES.replace("young", "=cmd|' /C calc'!A0"), None),
}


@pytest.mark.parametrize("name", HIERARCHIES)
def test_hierarchies(room, name):
    make, words = HIERARCHIES[name]
    (room / "age.csv").write_text(make())
    if words is not None:
        refused(room, 2, words, "run", "--out", "other")
        return
    assert said(room, "run", "--out", "other")[0] == 0
    assert not re.search(r"(?m)(^|,)\"?[=+@]", (room / "other" / "data.csv").read_text())


def test_a_packed_hierarchy_that_grows_without_end(room):
    (room / "age.csv.gz").write_bytes(zeros(4))
    (room / "shoal.toml").write_text(CONFIG.replace("age.csv", "age.csv.gz"))
    refused(room, 2, "holds more than 256 MiB", "run", "--out", "other")


def edited(**facts):
    return lambda text: json.dumps(json.loads(text) | facts)


MANIFESTS = {
    "deep": (
        lambda text: text.replace('"judged"', f'"notes": {DEEP}, "judged"', 1),
        2,
        "does not belong to a release",
    ),
    "many digits": (
        lambda text: re.sub(r'"k": 3', f'"k": {"9" * MANY}', text),
        2,
        "does not belong to a release",
    ),
    "huge k": (lambda text: re.sub(r'"k": 3', f'"k": {10**18}', text), 1, "k"),
    "k of 1e400": (lambda text: re.sub(r'"k": 3', '"k": 1e400', text), 1, "k"),
    "no number": (lambda text: re.sub(r'"k": 3', '"k": NaN', text), 2, "does not belong to a release"),
    "a key twice": (lambda text: text.replace("{", '{"shoal": "1",', 1), 1, "twice"),
    "a key of its own": (edited(run="ls"), 1, "a key that no release has"),
    "huge counts": (edited(records_in=10**18, suppressed=10**18 - 60), 1, "records"),
    "names that steer": (edited(columns={"\x1b[2J": "quasi"}), 1, "column"),
    "an unknown shape": (edited(shape="../table"), 1, "shape"),
    "a large file": (lambda text: text + " " * 2**25, 2, "too large for a release"),
}


@pytest.mark.parametrize("name", MANIFESTS)
def test_manifests(room, name):
    change, code, words = MANIFESTS[name]
    manifest = room / "release" / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(change(text))
    assert manifest.read_text() != text
    found, output = said(room, "verify", "release")
    assert (found, re.search(words, output) is not None) == (code, True), output[:500]


RECODINGS = {
    "deep": lambda text: f'{{"shape": "table", "levels": {DEEP}}}',
    "many digits": lambda text: re.sub(r'"age": \d', f'"age": {"9" * MANY}', text),
    "a huge level": lambda text: re.sub(r'"age": \d', f'"age": {10**18}', text),
    "a level of 1e400": lambda text: re.sub(r'"age": \d', '"age": 1e400', text),
    "no level": lambda text: re.sub(r'"age": \d', '"age": NaN', text),
    "a level below": lambda text: re.sub(r'"age": \d', '"age": -1', text),
    "unknown columns": lambda text: re.sub(r'"age": \d', '"../age": 1', text),
    "another shape": lambda text: text.replace('"table"', '"trees"'),
    "no object": lambda text: "[]",
    "NUL": lambda text: "\0" * 100,
}


@pytest.mark.parametrize("name", RECODINGS)
def test_recodings(room, name):
    stored = room / "release.private" / "recoding.json"
    text = stored.read_text()
    stored.write_text(RECODINGS[name](text))
    assert stored.read_text() != text
    refused(room, 2, "recoding", "run", "--out", "other", "--recoding", str(stored))
    assert not (room / "other").exists()


@pytest.mark.parametrize("target", ["/dev/zero", "fifo", "self"])
@pytest.mark.parametrize(
    ("place", "code", "command"),
    [
        ("shoal.toml", 2, ["run", "--out", "other"]),
        ("age.csv", 2, ["run", "--out", "other"]),
        ("people.csv", 2, ["run", "--out", "other"]),
        ("release/manifest.json", 2, ["verify", "release"]),
        ("release/data.csv", 1, ["verify", "release"]),
        (
            "release.private/recoding.json",
            2,
            ["run", "--out", "o", "--recoding", "release.private/recoding.json"],
        ),
    ],
)
def test_devices_and_links_where_a_file_is_expected(room, place, code, command, target):
    path = room / place
    path.unlink()
    if target == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to(path.name if target == "self" else target)
    found, sentence = said(room, *command)
    assert found == code, sentence
    assert "this should not have happened" not in sentence


@pytest.mark.parametrize("name", ["release", "release.private"])
def test_nothing_is_written_through_a_link_in_place_of_a_folder(room, name):
    shutil.move(room / name, room / "elsewhere")
    (room / name).symlink_to("elsewhere")
    before = {path.name: path.read_bytes() for path in (room / "elsewhere").iterdir()}
    refused(room, 2, "not replaced", "run", "--force")
    assert {path.name: path.read_bytes() for path in (room / "elsewhere").iterdir()} == before


@pytest.mark.parametrize("place", ["release/data.csv", "release/report.html", "release.private/audit.json"])
def test_a_link_within_an_earlier_release_is_replaced_not_followed(room, place):
    dear = room / "dear.txt"
    dear.write_text("dear")
    (room / place).unlink()
    (room / place).symlink_to(dear)
    assert said(room, "run", "--force")[0] == 0
    assert dear.read_text() == "dear"
    assert not (room / place).is_symlink()


def test_a_link_to_a_folder_within_an_earlier_release_is_not_emptied(room):
    (room / "dear").mkdir()
    (room / "dear" / "thesis.txt").write_text("dear")
    (room / "release" / "more").symlink_to(room / "dear")
    assert said(room, "run", "--force")[0] == 0
    assert (room / "dear" / "thesis.txt").read_text() == "dear"
