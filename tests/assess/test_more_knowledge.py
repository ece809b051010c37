"""What more knowledge finds: within the claim nobody has too few candidates, beyond it figures rise."""

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.assess.more_knowledge import _label_order, list_more_knowledge, play_more_knowledge
from shoal.release import PublishedValues


def people():
    random = np.random.default_rng(1)
    cells = {f"habit{j}": random.integers(0, 4, 400).astype(str) for j in range(6)}
    return shoal.read(
        pl.DataFrame({"sex": random.choice(["f", "m"], 400), **cells}),
        roles={"sex": "quasi"} | dict.fromkeys(cells, "known"),
    )


def test_the_claimed_knowledge_finds_nobody_and_more_finds_more():
    dataset = people()
    release = shoal.anonymize(dataset, k=5, known_at_once=1, seed=1)
    recoded, claim = release.result.release, release.claim
    risks = play_more_knowledge(claim, [c.name for c in dataset.table.quasi], dataset.leaves, recoded)
    assert [risk.known for risk in risks] == [
        "all quasi-identifiers and any 1 of 6 known columns",
        "all quasi-identifiers and any 2 of 6 known columns (12 of 15 choices drawn at random)",
        "all quasi-identifiers and any 5 of 6 known columns",
        "all quasi-identifiers and all known columns",
    ]
    before, after = ([getattr(risk, side)["above"] for risk in risks] for side in ("before", "after"))
    assert after[0] == 0
    assert before == sorted(before)
    assert before[-1] > 0.9
    assert all(new <= old for new, old in zip(after, before, strict=True))
    found = list_more_knowledge(claim, recoded)
    assert found.people == 400
    assert found.found[0][1] == 0
    assert all(
        share >= risk.after["above"] - 1e-9 for (_, share), risk in zip(found.found, risks, strict=True)
    )


def test_certificate_and_audit_tell_it(tmp_path):
    release = shoal.anonymize(people(), k=5, known_at_once=1, seed=1)
    release.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "What more knowledge would find, of 400 people" in page
    assert "all quasi-identifiers and all known columns" in page
    audit = (tmp_path / "out.private" / "audit.json").read_text(encoding="utf-8")
    assert "all quasi-identifiers and any 5 of 6 known columns" in audit


@given(st.lists(st.sets(st.integers(0, 5), min_size=1), min_size=1, max_size=6))
def test_a_label_covers_another_where_it_stands_for_all_of_it(sets):
    form = PublishedValues.of_sets(
        [str(i) for i in range(len(sets))], [np.array(sorted(one), dtype=np.int32) for one in sets]
    )
    assert _label_order(form).tolist() == [[wide >= narrow for narrow in sets] for wide in sets]
