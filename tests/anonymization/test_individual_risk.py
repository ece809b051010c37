"""Individual risk as a target beside k: by hand, without weights, out of reach, and what is claimed and told."""

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import METHODS
from shoal.risks.individual import individual_risk

pytestmark = pytest.mark.usefixtures("bare")

N = 240
ROLES = {"region": "quasi", "age": "quasi", "wt": "weight"}
AGES = {"age": {"ranges": [5, 10, 20]}}


def survey(seed=1):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "region": [f"r{place}" for place in rng.integers(0, 3, N)],
            "age": rng.integers(20, 60, N),
            "wt": rng.gamma(2, 3, N) + 1,
        }
    )


def read(frame, **more):
    return shoal.read(frame, roles=ROLES, hierarchies=AGES, **more)


def highest(frame, release):
    """The highest risk among released people, by the definition: classes of equal labels, weights of the originals."""
    labels = list(zip(release.frame["region"], release.frame["age"], strict=True))
    weights = frame["wt"].gather(pl.Series(release.result.release.rows)).to_list()
    classes = {}
    for label, weight in zip(labels, weights, strict=True):
        classes.setdefault(label, []).append(weight)
    return max(
        float(individual_risk(len(members), min(len(members) / sum(members), 1)))
        for members in classes.values()
    )


@pytest.mark.parametrize("limit", [0.2, 0.05, 0.02])
@pytest.mark.parametrize("method", ["boxes", "mondrian", "optimal"])
def test_no_released_person_has_a_higher_risk(method, limit):
    frame = survey()
    release = shoal.anonymize(read(frame), method=method, k=3, individual_risk=limit, suppress=0.02)
    assert highest(frame, release) <= limit
    assert release.claim.k == 3
    alone = shoal.anonymize(read(frame), method=method, k=3, suppress=0.02)
    assert release.loss["ncp"] >= alone.loss["ncp"] or highest(frame, alone) <= limit


def test_what_is_reached_anyway_changes_nothing():
    frame = survey()
    plain = shoal.anonymize(read(frame), k=5, seed=1)
    asked = shoal.anonymize(read(frame), k=5, individual_risk=1.0, seed=1)
    assert plain.frame.equals(asked.frame)


def test_the_release_is_a_function_of_the_released_alone():
    """Three people of a rare region are left out; without them, keeping everybody, comes the same."""
    rare = pl.DataFrame({"region": ["rare"] * 3, "age": [25, 41, 58], "wt": [1.0, 1.0, 400.0]})
    options = {"method": "optimal", "k": 4, "individual_risk": 0.04}
    frame = survey()
    release = shoal.anonymize(read(pl.concat([frame, rare])), **options, suppress=0.05)
    kept = sorted(release.result.release.rows.tolist())
    assert kept
    assert max(kept) < N
    again = shoal.anonymize(read(frame[kept]), **options, suppress=0.0)
    assert again.frame.sort(again.frame.columns).equals(release.frame.sort(release.frame.columns))


def test_it_is_no_claim_and_the_audit_tells_it(tmp_path):
    frame = survey()
    release = shoal.anonymize(read(frame), k=3, individual_risk=0.05)
    release.save(tmp_path / "release")
    assert shoal.verify(tmp_path / "release").holds
    manifest = json.loads((tmp_path / "release/manifest.json").read_text())
    assert "individual" not in json.dumps(manifest["claim"])
    audit = json.loads((tmp_path / "release.private/audit.json").read_text())
    assert audit["risk_after"]["individual_highest"] == pytest.approx(highest(frame, release))
    assert audit["trace"]["k that was asked of the method"] > 3


@pytest.mark.parametrize(
    ("more", "kind", "words"),
    [
        ({"individual_risk": 0}, shoal.InputError, "above 0 and up to 1"),
        ({"individual_risk": True}, shoal.InputError, "above 0 and up to 1"),
        ({"individual_risk": 1e-9}, shoal.InfeasibleError, "cannot be reached, for 240 people in one class"),
    ],
)
def test_what_cannot_be_is_one_sentence(more, kind, words):
    with pytest.raises(kind, match=words):
        shoal.anonymize(read(survey()), k=3, **more)


def test_it_needs_weights_and_k():
    without = shoal.read(survey().drop("wt"), roles={"region": "quasi", "age": "quasi"}, hierarchies=AGES)
    with pytest.raises(shoal.InputError, match="give one column the role weight"):
        shoal.anonymize(without, k=3, individual_risk=0.1)
    with pytest.raises(shoal.InputError, match="raises k, and the guarantee has none"):
        shoal.anonymize(
            shoal.read(
                survey().with_columns(ill=pl.Series(["a", "b"] * (N // 2))),
                roles={**ROLES, "ill": "sensitive"},
                hierarchies=AGES,
            ),
            l=2,
            individual_risk=0.1,
        )


def test_methods_that_raise_k_take_it():
    assert {name for name, method in METHODS.items() if method.lowers_risk} == {
        "optimal", "incognito", "mstk", "mondrian", "kmember", "boxes", "column-cut", "mdav",
    }  # fmt: skip
