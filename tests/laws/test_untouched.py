"""A release that nobody touched is verified: the door counts and reads a folder as `verify` does."""

import json
import random

import polars as pl
import pytest

import shoal
from shoal.base.errors import InfeasibleError, RefusedError
from shoal.publish import door
from shoal.publish.verify import verify
from shoal.release import Verdict


def blanked(rng):
    """A release of method blank: columns at any level, some cells empty from the start, records left out or not."""
    width, rows = rng.randint(1, 4), rng.randint(4, 14)
    columns = {f"c{j}": rng.choices("abcd" if rng.random() < 0.5 else "ab", k=rows) for j in range(width)}
    for cells in columns.values():
        for place in rng.sample(range(rows), rng.choice((0, 0, 1, 2))):
            cells[place] = None
    rules = {name: rng.choice(({"fanout": 2}, {"mask": "right"})) for name in columns if rng.random() < 0.8}
    data = shoal.read(pl.DataFrame(columns), roles=dict.fromkeys(columns, "quasi"), hierarchies=rules)
    levels = {name: rng.randint(0, data.hierarchies[name].height) for name in columns}
    options = {"levels": levels, "suppress": rng.choice((0, 0.3)), "subsets": rng.randint(1, width)}
    return shoal.anonymize(data, k=2, method="blank", **options)


@pytest.mark.parametrize("seed", range(30))
def test_a_release_with_blank_cells_is_verified(seed, tmp_path):
    try:
        release = blanked(random.Random(seed))
    except InfeasibleError:  # nothing is left
        return
    release.save(tmp_path / "out")
    claim, said = verify(tmp_path / "out")
    assert said, said.sentence
    assert claim["model"] == "k-anonymity of known subsets"


def test_a_root_beside_a_blank_is_another_class(tmp_path):
    """`*` and an empty cell stand for the same values, and everybody tells them apart."""
    frame = pl.DataFrame({"town": ["Rome", "Oslo", "Bonn", None, None]})
    data = shoal.read(frame, roles={"town": "quasi"}, hierarchies={"town": {"fanout": 3}})
    shoal.anonymize(data, k=2, method="blank", subsets=1, levels=1, allow_empty=True).save(tmp_path / "out")
    assert set(pl.read_csv(tmp_path / "out" / "data.csv")["town"]) == {"*", ""}
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["classes"] == 2
    assert verify(tmp_path / "out")[1]


def test_the_door_asks_verify_and_leaves_nothing_where_it_says_no(tmp_path, monkeypatch):
    release = blanked(random.Random(3))
    monkeypatch.setattr(door, "verify", lambda folder: ({}, Verdict(False, "it states other classes")))
    with pytest.raises(RefusedError, match="verify would say no: it states other classes"):
        release.save(tmp_path / "out")
    assert not list(tmp_path.iterdir())
