"""What commands print, where the words depend on what was made."""

import pytest

from shoal.cli.show import print_release

MANIFEST = {"shape": "baskets", "records_in": 9, "records_out": 9, "classes": 9, "suppressed": 0}
VOTES = {"model": "nonreciprocal k-anonymity", "k": 2, "attacker": "whoever knows a basket finds two rows"}
ITEMS = {"model": "k^m-anonymity", "k": 2, "m": 1, "attacker": "whoever knows an item finds two rows"}


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (ITEMS, "the written files keep the claim, and every published value is true"),
        (VOTES, "the written files keep the claim; rows are votes, so some of their items may be wrong"),
        (
            {"model": "all", "claims": [ITEMS, VOTES], "attacker": "both"},
            "the written files keep the claim; rows are votes, so some of their items may be wrong",
        ),
    ],
)
def test_truth_is_told_only_where_it_was_judged(capsys, tmp_path, claim, said):
    manifest = {**MANIFEST, "claim": claim, "method": {"name": "any"}}
    print_release(manifest, {"ncp": 0.1}, str(tmp_path / "out"), "shoal.toml", others={})
    assert f"judged    {said}\n" in capsys.readouterr().out
