"""Attackers who hold the folder, the configuration and what they know of people find nobody more easily than claimed.

They are written from the definitions in `naive_players`, and share nothing with the judges or with `shoal attack`.
"""

import random
import shutil

import pytest

import mutations
import naive_players
import release_cases as cases

BOUNDS = {"table": 4, "baskets": 4, "secret": 4, "vote": 4, "mixed": 4, "trees": 3}
"""The k of each kind of release."""
KNOWN = {"baskets": {"m": 2}, "secret": {"m": 1}, "mixed": {"m": 2}, "trees": {"m": 2, "n": 1}}
PLAYED = [
    ("table", "csv"), ("table", "parquet"), ("baskets", "ndjson"), ("secret", "csv"), ("vote", "ndjson"),
    ("mixed", "parquet"), ("trees", "ndjson"), ("trees", "xml"), ("trees", "tables"),
]  # fmt: skip


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    room = tmp_path_factory.mktemp("made")
    cases.write_originals(room)
    for kind, format in PLAYED:
        cases.make_release(room, kind, format, rows=True, seed=7)
    return room


def play(room, folder, kind):
    private = folder.with_name(f"{folder.name}.private")
    return naive_players.played(folder, private, room / f"{kind}.toml", KNOWN.get(kind, {}))


@pytest.mark.parametrize(("kind", "format"), PLAYED)
def test_nobody_is_found_among_fewer_than_k(room, kind, format):
    found = play(room, room / f"{kind}-{format}", kind)
    assert len(found) >= 50
    assert min(found) >= BOUNDS[kind]


def test_somebody_is_found_where_a_label_was_made_finer(room, tmp_path):
    source, rng = room / "table-csv", random.Random(3)
    least = []
    for turn in range(20):
        folder = tmp_path / f"{turn}"
        shutil.copytree(source, folder)
        shutil.copytree(source.with_name("table-csv.private"), tmp_path / f"{turn}.private")
        mutations.finer(folder / "data.csv", rng)
        least.append(min(play(room, folder, "table")))
    assert min(least) < BOUNDS["table"]


def test_whoever_knows_more_than_the_claim_covers_finds_somebody(room, monkeypatch):
    """So that it is the claim that keeps the others, and not attackers who cannot find anybody."""
    monkeypatch.setitem(KNOWN, "secret", {"m": 4})
    assert min(play(room, room / "secret-csv", "secret")) < BOUNDS["secret"]


def test_records_fit_that_have_all_values_and_relations_which_are_known():
    people = [(("A", "1", ("B", "x")),), (("A", "1"), ("B", "x")), (("A", "2"),), (("A", "2"),)]
    paths = {"A": [["1", "*"], ["2", "*"]], "B": [["x", "*"]]}
    assert naive_players._trees(people, people, paths, None, 2, 0) == [2, 2, 2, 2]
    assert naive_players._trees(people, people, paths, None, 2, 1) == [1, 2, 2, 2]
    shown = [(("A", "*", ("B", "x")),), (("A", "1"), ("B", "x")), (("A", "*"),), (("A", "*"),)]
    assert naive_players._trees(people, shown, paths, None, 1, 0) == [2, 2, 3, 3]
