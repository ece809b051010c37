"""What a release folder tells of losses: only what its readers can compute from it and the declared hierarchies."""

import json

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.data import Baskets, Column, Mixed, Table, Trees
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.nodes import Nodes
from shoal.io.write.json_text import read_lists
from shoal.io.write.trees import read_released
from shoal.release import PublishedValues, Recoded, RecodedBaskets, RecodedMixed, RecodedTrees
from shoal.utility import BasketCase, MixedCase, TableCase, TreeCase, case_losses
from shoal.utility.baskets import _draw_item_queries, qe

AGES = Hierarchy.from_paths("age", [[str(a), f"{a // 10}x", "*"] for a in range(20, 60)])
SEXES = Hierarchy.from_paths("sex", [["f", "*"], ["m", "*"]])
CODES = Hierarchy.from_paths("codes", [[c, c[0], "*"] for c in ("E10", "E11", "I10", "I20", "J45", "K22")])


def people(n=80):
    random = np.random.default_rng(4)
    held = [random.choice(CODES.leaves, random.integers(1, 4), replace=False) for _ in range(n)]
    return pl.DataFrame(
        {
            "age": random.integers(20, 60, n),
            "sex": random.choice(["f", "m"], n),
            "codes": [" ".join(codes) for codes in held],
            "ill": random.choice(["flu", "gout"], n),
        }
    )


def saved(data, folder, format=None, **options):
    """Release, save, and read what is public: the manifest and the cells."""
    release = shoal.anonymize(data, **options)
    release.save(folder / "out", format=format)
    text = (folder / "out" / "manifest.json").read_text()
    return release, json.loads(text)


def cells(folder):
    return pl.read_csv(folder / "out" / "data.csv", infer_schema_length=0)


def table_of(frame, manifest, hierarchies):
    """The table as a reader rebuilds it: forms from labels, levels where only one fits."""
    forms, codes, levels = [], [], {}
    for name, tree in hierarchies.items():
        labels = sorted(set(frame[name]))
        forms.append(
            PublishedValues.of_spans(tree, labels, np.array([tree.places[label] for label in labels]))
        )
        codes.append([labels.index(label) for label in frame[name]])
        fitting = [level for level in range(tree.height + 1) if set(labels) <= set(tree.labels[level])]
        levels |= {name: fitting[0]} if fitting else {}
    rule = {"levels": levels} if len(levels) == len(hierarchies) else {}
    rows = np.arange(len(frame))
    shown = np.array(codes, dtype=np.int32).T
    return Recoded(tuple(hierarchies), tuple(forms), shown, rows, manifest["records_in"], rule)


def items_of(column, manifest):
    """The baskets as a reader rebuilds them."""
    start, items, labels = read_lists(column)
    leaves = [np.arange(*CODES.places[label], dtype=np.int32) for label in labels]
    rows = np.arange(len(column))
    forms = PublishedValues.of_sets(labels, leaves)
    return RecodedBaskets(forms, start, items, rows, manifest["records_in"], manifest["suppressed_items"], {})


NOBODY = Baskets.of("codes", [[]])


@pytest.mark.parametrize("method", ["optimal", "mstk"])
def test_of_a_table(method, tmp_path):
    roles = {"age": "quasi", "sex": "quasi", "ill": "sensitive"}
    hierarchies = {"age": AGES, "sex": SEXES}
    data = shoal.read(people().drop("codes"), roles=roles, hierarchies=hierarchies, weights={"age": 3})
    options = {"suppress": 0.1, "loss": "ce", "target": "ill"} if method == "optimal" else {}
    release, manifest = saved(data, tmp_path, k=3, method=method, **options)
    frame = cells(tmp_path)
    sick = np.r_[(frame["ill"] == "flu").to_numpy(), np.zeros(manifest["suppressed"], dtype=bool)].astype(int)
    recoded = table_of(frame, manifest, hierarchies)
    case = TableCase(recoded, hierarchies, {"age": 3, "sex": 1}, k=3, target=sick if options else None)
    assert case_losses(case.public(), "ce") == pytest.approx(manifest["loss"])
    assert list(manifest["loss"])[:2] == (["ncp", "ce"] if options else ["ncp", "glm"])
    assert "entropy" in release.loss
    assert "entropy" not in manifest["loss"]


def test_of_baskets(tmp_path):
    data = shoal.read(people()[["codes"]], roles={"codes": "items"}, hierarchies={"codes": CODES})
    release, manifest = saved(data, tmp_path, k=4, m=2)
    recoded = items_of(cells(tmp_path)["items"], manifest)
    assert case_losses(BasketCase(recoded, NOBODY, CODES).public()) == pytest.approx(manifest["loss"])
    assert set(manifest["loss"]) == {"ul", "ncp-published"}
    assert next(iter(release.loss)) == "ncp"


def test_of_baskets_by_vote(tmp_path):
    data = shoal.read(people()[["codes"]], roles={"codes": "items"})
    release, manifest = saved(data, tmp_path, k=4)
    assert manifest["loss"] == {}
    assert next(iter(release.loss)) == "er"


def test_the_audit_asks_for_as_many_absent_items_as_is_said():
    data = shoal.read(people()[["codes"]], roles={"codes": "items"})
    made = {many: shoal.anonymize(data, k=4, seed=1, absent=many) for many in (1, 3)}
    for many, release in made.items():
        bits, own = release.result.release, data.baskets
        assert release.loss["qe-absent"] == qe(bits, own, _draw_item_queries(own, many), absent=True)
    assert made[1].loss["qe-absent"] != made[3].loss["qe-absent"]
    assert made[1].loss["er"] == made[3].loss["er"]


def test_of_a_table_with_baskets(tmp_path):
    roles = {"age": "quasi", "sex": "quasi", "codes": "items"}
    table = {"age": AGES, "sex": SEXES}
    data = shoal.read(people().drop("ill"), roles=roles, hierarchies={**table, "codes": CODES})
    release, manifest = saved(data, tmp_path, k=4, m=1, delta=0.8)
    frame = cells(tmp_path)
    both = RecodedMixed(table_of(frame, manifest, table), items_of(frame["codes"], manifest))
    nobody = Mixed(Table((Column.of("age", "quasi", ["20"]),)), NOBODY)
    case = MixedCase(both, nobody, TableCase(both.table, table, k=4), BasketCase(both.baskets, NOBODY, CODES))
    assert case_losses(case.public()) == pytest.approx(manifest["loss"])
    assert next(iter(manifest["loss"])) == "table-ncp"
    assert list(release.loss)[:3] == ["ncp", "table-ncp", "items-ncp"]


def test_of_record_trees(tmp_path):
    records = [
        {"sex": sex, "visits": [{"age": str(age)}]}
        for sex, age in zip(people()["sex"], people()["age"], strict=True)
    ]
    hierarchies = {"sex": SEXES, "visits.age": AGES}
    release, manifest = saved(shoal.read_trees(records, hierarchies=hierarchies), tmp_path, "nodes", k=3)
    shown = read_released(tmp_path / "out", "nodes")
    invented = Trees.of([[(name, tree.leaves[0]) for name, tree in hierarchies.items()]])
    spans = [
        hierarchies[shown.classes[kind]].places[value]
        for kind, value in zip(shown.kinds, shown.values, strict=True)
    ]
    rows = np.arange(shown.n)
    recoded = RecodedTrees(shown, np.array(spans, dtype=np.int32), rows, manifest["records_in"])
    case = TreeCase(recoded, invented, Nodes.of("test", invented, hierarchies))
    assert case_losses(case.public()) == pytest.approx(manifest["loss"])
    assert set(manifest["loss"]) == {"rpd"}
    assert list(release.loss)[:2] == ["ncp", "rpd"]


def test_a_built_hierarchy_keeps_the_headline_in(tmp_path):
    data = shoal.read(
        people()[["age", "sex"]],
        roles={"age": "quasi", "sex": "quasi"},
        hierarchies={"age": {"ranges": [10, 40]}, "sex": SEXES},
    )
    release, manifest = saved(data, tmp_path, k=3, loss="il")
    assert set(manifest["loss"]) == {"dm", "dm-star", "aecs", "c_avg"}
    assert list(release.loss)[:2] == ["ncp", "il"]
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    assert list(audit["losses"])[:2] == ["ncp", "il"]
    assert "of the detail is lost" not in (tmp_path / "out" / "report.html").read_text()
    assert "of the detail is lost" in (tmp_path / "out.private" / "audit.html").read_text()


def test_every_column_that_came_in_has_its_loss_in_private(tmp_path):
    frame = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(40)],
            "age": [20 + i // 4 for i in range(40)],
            "pay": [str(100 * (i % 8)) for i in range(40)],
            "ill": ["flu", "hiv"] * 20,
            "note": ["x"] * 40,
        }
    )
    roles = {"name": "identifier", "age": "quasi", "pay": "plain", "ill": "sensitive", "note": "drop"}
    rules = {"age": {"ranges": [5, 10]}, "pay": {"ranges": [200]}}
    data = shoal.read(frame, roles=roles, hierarchies=rules, levels={"pay": 1}, allow=("pay",))
    release = shoal.anonymize(data, k=4)
    lost = release.losses_by_column
    assert set(lost) == set(frame.columns)
    assert lost["name"] is None
    assert lost["note"] is None
    assert lost["ill"] == 0
    assert lost["age"] == 0  # four of each age
    assert lost["pay"] == pytest.approx(1 / 7)  # each of the four ranges holds two of eight amounts
    release.save(tmp_path / "out")
    audit = json.loads((tmp_path / "out.private" / "audit.json").read_text())
    assert audit["columns"] == lost
    page = (tmp_path / "out.private" / "audit.html").read_text()
    assert "3 of 5 columns are published; of these 0% of the detail is lost (ncp)" in page
    assert "Left out: name" in page or "left out: name, note" in page
    assert "note" not in json.loads((tmp_path / "out" / "manifest.json").read_text())["columns"]
    assert "left out: name" not in (tmp_path / "out" / "report.html").read_text()
