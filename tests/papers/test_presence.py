"""k-map and delta-presence: the example of the paper, and what ARX's own tests expect of Adult.

The example of Nergiz, Atzori, Clifton (SIGMOD 2007) is as ARX ships it (Example10.java): nine people, five of whom are
in the data. The nodes of Adult are those of TestAnonymizationDPresence.java and TestAnonymizationKMap.java
without suppression, where an optimum is the same in both houses; adult.csv is the population of adult_subset.csv.
"""

from functools import cache
from pathlib import Path

import polars as pl
import pytest

import shoal

ADULT = Path(__file__).parents[2].parent / "shared" / "data" / "adult"
PEOPLE = pl.DataFrame(
    {
        "zip": ["47906", "47903", "47906", "47630", "47630", "47633", "48973", "48972", "48970"],
        "age": ["35", "59", "42", "18", "22", "63", "33", "47", "52"],
        "nation": ["USA", "Canada", "USA", "Brazil", "Brazil", "Peru", "Spain", "Bulgaria", "France"],
    }
)
INSIDE = [1, 2, 5, 7, 8]
NATIONS = """USA;N. America;America;*
Canada;N. America;America;*
Brazil;S. America;America;*
Peru;S. America;America;*
Bulgaria;E. Europe;Europe;*
Spain;W. Europe;Europe;*
France;W. Europe;Europe;*
"""


def test_the_example_of_the_paper_reaches_the_shares_it_names(tmp_path):
    """Of Americans 3 of 6 are in the data, of Europeans 2 of 3: from 1/2 to 2/3."""
    (tmp_path / "nation.csv").write_text(NATIONS)
    rules = {"zip": {"mask": "right"}, "age": {"ranges": [10, 40]}, "nation": tmp_path / "nation.csv"}
    roles = dict.fromkeys(rules, "quasi")
    data = shoal.read(PEOPLE[INSIDE], roles=roles, hierarchies=rules, population=PEOPLE)
    release = shoal.anonymize(data, presence=[1 / 2, 2 / 3])
    assert sorted(release.frame.rows()) == [("47***", "*", "America")] * 3 + [("48***", "*", "Europe")] * 2
    assert release.verdict.reached == {"presence_least": 1 / 2, "presence_most": pytest.approx(2 / 3)}
    with pytest.raises(
        shoal.InfeasibleError, match=r"shares in the data from 0\.5556 to 0\.5556; ask for less$"
    ):
        shoal.anonymize(data, presence=[1 / 2, 0.55])


@cache
def adult():
    everybody, some = (
        pl.read_csv(ADULT / f"{name}.csv", separator=";", infer_schema=False).drop("occupation")
        for name in ("adult", "adult_subset")
    )
    rules = {name: ADULT / f"adult_hierarchy_{name}.csv" for name in everybody.columns}
    return shoal.read(some, roles=dict.fromkeys(rules, "quasi"), hierarchies=rules, population=everybody)


@pytest.mark.skipif(not ADULT.is_dir(), reason="Adult is not at hand")
@pytest.mark.parametrize(
    ("asked", "loss", "levels", "aecs"),
    [
        ({"presence": [0, 0.2]}, "aecs", "1 4 1 1 0 2 2 0", 52.0),
        ({"presence": [0, 0.2]}, "entropy", "0 1 1 2 3 2 2 0", None),
        ({"presence": [0.05, 0.15]}, "aecs", "0 4 0 1 3 2 2 1", 150.8),
        ({"presence": [0.05, 0.15]}, "entropy", "1 4 1 1 1 2 2 1", None),
        ({"k_map": 5}, "aecs", "1 0 1 2 3 2 2 1", 45.014925373134325),
        ({"k_map": 10}, "entropy", "0 1 1 2 3 2 2 0", None),
    ],
    ids=str,
)
def test_adult_comes_to_the_nodes_that_arx_expects(asked, loss, levels, aecs):
    release = shoal.anonymize(adult(), loss=loss, **asked)
    assert " ".join(map(str, release.result.release.rule["levels"].values())) == levels
    assert aecs is None or release.loss["aecs"] == pytest.approx(aecs)
