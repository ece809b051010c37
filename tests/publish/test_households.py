"""k of households, a highest and an average risk: from the guarantee to the verdict on the folder."""

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.base.errors import InfeasibleError, InputError
from shoal.jobs.configured import run_config
from shoal.privacy import AverageRisk, KAnonymity, claim_from_dict, make_claim
from shoal.release import Published

pytestmark = pytest.mark.usefixtures("bare")

N = 120
HOMES = pl.DataFrame(
    {
        "home": [f"h{i // 4}" for i in range(N)],  # four live together, and share street and age group
        "street": [f"s{i // 8}" for i in range(N)],
        "age": [20 + i // 4 % 2 for i in range(N)],
    }
)
BARE = {"street": "quasi", "age": "quasi"}
ROLES = {"home": "household", **BARE}
RULES = {"street": {"mask": "right"}}
TOML = """[data]
path = "people.csv"
[columns]
home = "household"
street = { role = "quasi", hierarchy = { mask = "right" } }
age = "quasi"
[guarantee]
k = 4
of = "households"
[method]
name = "METHOD"
"""


def homes_of(release):
    """How many households each class of a release holds at least."""
    homes = HOMES["home"].gather(pl.Series(release.result.release.rows))
    return release.frame.with_columns(homes).group_by("street", "age").n_unique()["home"].min()


@pytest.mark.parametrize("method", ["optimal", "mondrian", "mstk", "kmember", "boxes", "column-cut"])
def test_classes_hold_people_of_k_households(method):
    data = shoal.read(HOMES, roles=ROLES, hierarchies=RULES)
    assert homes_of(shoal.anonymize(data, method=method, k=4)) < 4
    release = shoal.anonymize(data, method=method, k=4, of="households")
    assert homes_of(release) >= 4
    assert release.manifest["claim"]["counts"] == "households"
    assert "other households" in release.manifest["claim"]["attacker"]


def test_a_folder_alone_cannot_tell_households(tmp_path):
    HOMES.write_csv(tmp_path / "people.csv")
    config = tmp_path / "shoal.toml"
    config.write_text(TOML.replace("METHOD", "optimal"))
    run_config(config, tmp_path / "release")
    assert "home" not in pl.read_csv(tmp_path / "release/data.csv").columns
    alone = shoal.verify(tmp_path / "release", config=config)
    assert (alone.holds, alone.judged) == (False, False)
    assert "counts households" in alone.sentence
    assert shoal.verify(tmp_path / "release", config=config, against=tmp_path / "people.csv").holds
    manifest = json.loads((tmp_path / "release/manifest.json").read_text())
    del manifest["claim"]["counts"]
    (tmp_path / "release/manifest.json").write_text(json.dumps(manifest))
    changed = shoal.verify(tmp_path / "release")
    assert (changed.holds, changed.judged) == (False, True)


def test_households_need_a_column():
    data = shoal.read(HOMES.drop("home"), roles=BARE, hierarchies=RULES)
    with pytest.raises(InputError, match="no column says who lives together"):
        shoal.anonymize(data, k=4, of="households")
    with pytest.raises(InputError, match="of must be one of households"):
        make_claim("table", k=4, of="streets")


def test_households_are_people_but_not_conversely():
    homes, people = KAnonymity(4, "households"), KAnonymity(4)
    assert homes.implies(people)
    assert not people.implies(homes)
    assert claim_from_dict(homes.as_dict() | {"counts": "households"}) == homes
    rows = Published({"q": np.zeros(4, dtype=np.int64)}, persons=np.array([0, 0, 1, 1]))
    assert KAnonymity(2, "households").check(rows)
    assert "under k=3 households" in KAnonymity(3, "households").check(rows).sentence
    assert not KAnonymity(2, "households").check(Published(rows.quasi)).judged
    assert make_claim("table", k=4, alpha=0.5, of="households").parts[0] == homes


def test_a_highest_risk_is_a_k_and_says_so():
    claim = make_claim("table", risk=0.09)
    assert (claim.k, claim.risk) == (12, 0.09)
    assert (
        "at most 1/12 = 0.0833, as risk=0.09 asks (some offices take 11, which is 0.0909)" in claim.attacker
    )
    assert "some offices" not in make_claim("table", risk=0.05).attacker
    assert claim_from_dict(claim.as_dict()) == claim
    assert KAnonymity(12).implies(claim)
    assert not KAnonymity(11).implies(claim)
    assert make_claim("table", k=20, risk=0.09).k == 20
    assert make_claim("table", k=5, risk=0.09).k == 12
    for wrong in (0, 1.5, "x"):
        with pytest.raises(InputError, match="risk must be a number above 0"):
            make_claim("table", risk=wrong)
    with pytest.raises(InputError, match="take k=12"):
        KAnonymity(11, risk=0.09)


@pytest.mark.parametrize("method", ["optimal", "mondrian"])
def test_an_average_risk_is_kept_beside_k(method):
    data = shoal.read(HOMES.drop("home"), roles=BARE, hierarchies=RULES)
    bare, kept = (shoal.anonymize(data, method=method, k=2, **more) for more in ({}, {"average_risk": 0.05}))
    assert bare.manifest["classes"] / N > 0.05 >= kept.manifest["classes"] / N
    assert AverageRisk(0.05) in kept.claim.parts
    assert kept.verdict.reached["average_risk"] == pytest.approx(kept.manifest["classes"] / N)
    with pytest.raises(InfeasibleError, match=r"average_risk=0\.001"):
        shoal.anonymize(data, method=method, k=2, average_risk=0.001)
    with pytest.raises(InputError, match="give a k of at least 2"):
        shoal.anonymize(data, average_risk=0.5)
