"""`frame.shoal` says what the functions of shoal say."""

import pandas as pd
import polars as pl
import pytest

import shoal

CELLS = {
    "name": ["Ann", "Bob", "Cem", "Dea", "Eva", "Fay"],
    "age": [34, 38, 36, 61, 67, 64],
    "ill": ["flu", "asthma", "gout", "flu", "migraine", "asthma"],
}
SAID = {
    "roles": {"name": "identifier", "age": "quasi", "ill": "sensitive"},
    "hierarchies": {"age": {"ranges": [10, 20, 40]}},
}


@pytest.mark.parametrize("kind", [pl.DataFrame, pd.DataFrame])
def test_a_frame_does_what_the_functions_do(kind):
    frame = kind(CELLS)
    release = frame.shoal.anonymize(**SAID, k=3, l=2)
    assert isinstance(release.data, kind)
    assert sorted(set(release.data["age"])) == ["[30, 40)", "[60, 70)"]
    assert release.data.shoal.judge(shoal.KAnonymity(3), quasi=["age"])
    assert not frame.shoal.judge(shoal.KAnonymity(2), quasi=["age"])
    assert frame.shoal.risk(**SAID, k=3).as_dict() == shoal.risk(shoal.read(frame, **SAID), k=3).as_dict()
    assert frame.shoal.propose().columns["name"].role == "identifier"


def test_roles_are_asked_for():
    with pytest.raises(shoal.InputError, match=r"^anonymize: no roles are given; say what the columns are"):
        pl.DataFrame(CELLS).shoal.anonymize(k=2)
