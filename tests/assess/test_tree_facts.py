"""What the pages tell of record trees, against slow counts; what is invented is nobody's record."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_trees as naive
import strategies_trees
import tree_paper
from claiming import claimed
from shoal.algorithms.trees.miracle import miracle
from shoal.algorithms.trees.recoding import apply_tree_recoding
from shoal.assess.tree_facts import _invent_examples, _is_real, tree_facts
from shoal.data import Trees
from shoal.hierarchy import Hierarchy
from shoal.privacy.trees import KMNAnonymity
from shoal.publish.draft import Draft, draft
from shoal.release import Result
from shoal.report.pages import audit_html, report_html
from shoal.shapes.trees import counts
from shoal.shapes.trees.counts import _count_cut_relations, _published_relations
from shoal.shapes.trees.data import TreeData, TreeSource

few = settings(max_examples=30)

PAPER = {name: Hierarchy.from_paths(name, tree_paper.paths(name)) for name in tree_paper.GROUPS}
RULE = {
    "cut": {
        "hospital": ["Hospital1", "Hospital2", "Maternity"],
        "disease": ["Lung Disease", "Gastritis", "Diarrhea"],
        "treatment": ["Medicine", "Surgery"],
    },
    "disassociations": [[["hospital", high], ["disease", low]] for high, low in tree_paper.DISASSOCIATED],
}


def audit_of(trees, hierarchies, result):
    dataset = TreeData(TreeSource(), trees, hierarchies)
    made = draft(dataset, result, method={"name": "gcs", "parameters": {}}, kind=Draft)
    return tree_facts(made)


@pytest.fixture
def paper():
    """The published solution of the paper's section 3.3."""
    trees = Trees.of(tree_paper.FIGURE_2)
    return audit_of(
        trees, PAPER, Result(apply_tree_recoding("test", trees, PAPER, RULE), KMNAnonymity(3, 2, 1))
    )


def rules():
    """Cuts and disassociations for the small random trees; a group of one leaf bears the leaf's name."""
    cut = st.fixed_dictionaries(
        {
            name: st.sampled_from([["*"], [f"{name}01", values[2]], list(values)])
            for name, values in strategies_trees.VALUES.items()
        }
    )

    def with_cut_relations(cut):
        ends = [st.sampled_from([name, *([name, label] for label in cut[name])]) for name in "ABC"]
        pair = st.one_of(*(st.tuples(ends[i], ends[j]).map(list) for i, j in ((0, 1), (0, 2), (1, 2))))
        return st.lists(pair, max_size=4).map(lambda found: {"cut": cut, "disassociations": found})

    return cut.flatmap(with_cut_relations)


def published(rule):
    """By label of an original its label under a rule."""
    up = {}
    for name, values in strategies_trees.VALUES.items():
        places = strategies_trees.hierarchies()[name].places
        for code, value in enumerate(values):
            over = [label for label in rule["cut"][name] if places[label][0] <= code < places[label][1]]
            up[name, value] = (name, over[0])
    return up


@few
@given(strategies_trees.trees(), rules())
def test_cut_relations_are_counted_in_originals(records, rule):
    up = published(rule)
    found = _count_cut_relations(Trees.of(records), strategies_trees.hierarchies(), rule)

    def fits(end, label):
        return label[0] == end if isinstance(end, str) else up[label] == tuple(end)

    assert [
        ([x if isinstance(x, str) else list(x) for x in (one.above, one.below)], one.records) for one in found
    ] == [
        (
            pair,
            sum(
                any(fits(pair[0], a) and fits(pair[1], b) for a, b in naive.relations(one)) for one in records
            ),
        )
        for pair in rule["disassociations"]
    ]


def test_a_stored_rule_may_name_what_these_records_lack():
    trees = Trees.of([[("A", "a0", ("B", "b0"))], [("A", "a1", ("B", "b1"))]])
    rule = {
        "cut": {"A": ["a0"], "B": None, "C": ["*"]},
        "disassociations": [["A", "C"], [["A", "a0"], "C"], ["A", ["B", "b7"]], ["A", "B"]],
    }
    found = _count_cut_relations(trees, strategies_trees.hierarchies(), rule)
    assert [one.records for one in found] == [0, 0, 0, 2]


@few
@given(strategies_trees.trees())
def test_told_relations_are_counted_by_node(records):
    paths = [path for one in records for path in naive.paths(one)]
    expected = {}
    for path in paths:
        for above, _ in path[:-1]:
            expected[above, path[-1][0]] = expected.get((above, path[-1][0]), 0) + 1
    found = _published_relations(Trees.of(records))
    assert {(one.above, one.below): one.under for one in found} == expected
    for one in found:
        assert one.nodes == sum(path[-1][0] == one.below for path in paths)


def test_the_paper_as_the_pages_tell_it(paper):
    assert [(one.above, one.below, one.records) for one in paper.trees.cut_relations] == [
        (("hospital", "Hospital1"), ("disease", "Gastritis"), 1),
        (("hospital", "Hospital2"), ("disease", "Gastritis"), 2),
    ]
    disease = next(cut for cut in paper.trees.cuts if cut.name == "disease")
    assert {label: n for label, n in zip(disease.labels, disease.records, strict=True) if n is not None} == {
        "Lung Disease": 4,
        "Gastritis": 3,
        "Diarrhea": 0,
    }
    assert [disease.labels[up] if up >= 0 else None for up in disease.up] == [
        {"Disease": None, "Lung Disease": "Disease", "Stomach Disorder": "Disease"}.get(
            label, "Lung Disease" if label in ("Flu", "Bronchitis") else "Stomach Disorder"
        )
        for label in disease.labels
    ]
    assert paper.report.marginals["disease"] == [("Lung Disease", 4), ("Gastritis", 3)]
    assert {(one.above, one.below): (one.under, one.nodes) for one in paper.report.trees.told} == {
        ("hospital", "disease"): (6, 9),
        ("hospital", "treatment"): (8, 8),
        ("disease", "treatment"): (6, 8),
    }
    flu = next(row for row in paper.before_after["disease"] if row[0] == "Flu")
    assert flu == ("Flu", 3.0, 2.0)  # 4 records of 2 values


def test_a_page_is_made_of_it(paper):
    assert "Which relations were cut" not in report_html(paper.report)
    page = audit_html(paper)
    assert "whether &#39;Gastritis&#39; belongs to &#39;Hospital2&#39;" in page
    assert 'id="after-0"' in page


@pytest.mark.parametrize(("above", "people"), [(["hospital", "H2"], 1), ("hospital", 0)])
def test_who_knows_the_recoding_is_told_of(above, people):
    both = [("hospital", "H1", ("ill", "gastritis")), ("hospital", "H2", ("ill", "flu"))]
    trees = Trees.of([[("hospital", "H2", ("ill", "gastritis"))], both, both])
    hierarchies = {
        "hospital": Hierarchy.from_paths("hospital", [["H1", "*"], ["H2", "*"]]),
        "ill": Hierarchy.from_paths("ill", [["flu", "*"], ["gastritis", "*"]]),
    }
    cut = {"hospital": ["H1", "H2"], "ill": ["flu", "gastritis"]}
    rule = {"cut": cut, "disassociations": [[above, ["ill", "gastritis"]]]}
    audit = audit_of(
        trees,
        hierarchies,
        Result(apply_tree_recoding("test", trees, hierarchies, rule), KMNAnonymity(2, 2, 1)),
    )
    assert audit.trees.insight["broken"] == people
    page = audit_html(audit)
    assert ("can learn more than the claim allows" in page) == (people > 0)
    assert ("learns no more" in page) == (people == 0)


def test_only_declared_hierarchies_are_published(paper):
    assert [cut.name for cut in paper.report.trees.cuts] == ["hospital", "disease", "treatment"]
    trees = Trees.of(tree_paper.FIGURE_2)
    built = {**PAPER, "disease": replace(PAPER["disease"], public=False)}
    again = audit_of(
        trees, built, Result(apply_tree_recoding("test", trees, built, RULE), KMNAnonymity(3, 2, 1))
    )
    assert [cut.name for cut in again.report.trees.cuts] == ["hospital", "treatment"]
    assert [cut.name for cut in again.trees.cuts] == ["hospital", "disease", "treatment"]
    page = report_html(again.report)
    assert "Lung Disease" in page  # it is published
    for leaf in ("Flu", "Bronchitis", "Diarrhea"):
        assert leaf not in page


def test_the_report_is_a_function_of_the_release():
    """Originals that differ, but are published alike by rules that differ: nobody can tell which they were."""
    swapped = {"Flu": "Bronchitis", "Bronchitis": "Flu"}

    def other(node):
        return (node[0], swapped.get(node[1], node[1]), *map(other, node[2:]))

    several_trees = [
        Trees.of(tree_paper.FIGURE_2),
        Trees.of([list(map(other, one)) for one in tree_paper.FIGURE_2]),
    ]
    wider = {**RULE, "cut": {**RULE["cut"], "hospital": ["Hospital1", "Hospital2", "Rea", "Gaia"]}}
    stories = []
    for trees, rule in zip(several_trees, (RULE, wider), strict=True):
        report = audit_of(
            trees, PAPER, Result(apply_tree_recoding("test", trees, PAPER, rule), KMNAnonymity(3, 2, 1))
        ).report
        stories.append((report.trees, report.marginals, report.charts, report.sizes, report.loss_by_column))
    assert stories[0] == stories[1]


def test_what_no_record_holds_is_not_told_to_be_published(paper):
    hospital = paper.report.trees.cuts[0]
    assert dict(zip(hospital.labels, hospital.records, strict=True))["Maternity"] is None


def test_local_recodings_have_no_examples():
    trees = Trees.of(tree_paper.FIGURE_2 * 2)
    made = audit_of(trees, PAPER, claimed(miracle, trees, PAPER, k=2))
    assert not made.trees.ruled
    assert made.trees.examples == ()
    assert made.trees.cut_relations == []
    assert "There is no rule to show on an example" in audit_html(made)


@few
@given(strategies_trees.trees(), rules(), st.integers(0, 99))
def test_invented_records_are_nobodys_and_follow_the_rule(records, rule, seed):
    trees, hierarchies = Trees.of(records), strategies_trees.hierarchies()
    found = _invent_examples(trees, hierarchies, rule, rng=random.Random(seed))
    assert found == _invent_examples(trees, hierarchies, rule, rng=random.Random(seed))
    assert len(found) <= 3
    up = published(rule)
    for one in found:
        assert naive.paths(one.before) not in [naive.paths(record) for record in records]
        assert 1 <= len(naive.paths(one.before)) <= 7
        for kind, value in naive.labels(one.before):
            assert value in hierarchies[kind].leaves
            assert kind in trees.classes
        assert naive.paths(one.after) == naive.paths(naive.recode(one.before, up, rule["disassociations"]))


@few
@given(strategies_trees.trees(), strategies_trees.records())
def test_real_records_are_known(records, one):
    trees = Trees.of(records)
    known = [naive.paths(record) for record in records]
    assert _is_real(trees, one) == (naive.paths(one) in known) or not naive.paths(one)
    for record in records:
        assert _is_real(trees, record) or not record


def test_a_class_is_repeated_only_where_the_data_repeat_it():
    trees = Trees.of([[("A", "a0", ("B", "b0"), ("B", "b1"))], [("A", "a1", ("C", "c1"))], [("C", "c0")]])
    hierarchies = {
        name: Hierarchy.from_paths(name, [[f"{name.lower()}{i}", "*"] for i in range(50)]) for name in "ABC"
    }
    rule = {"cut": {name: ["*"] for name in "ABC"}, "disassociations": []}
    found = _invent_examples(trees, hierarchies, rule, count=40, rng=random.Random(7))
    ends = [[tuple(kind for kind, _ in path) for path in naive.paths(one.before)] for one in found]
    most = {end: max(some.count(end) for some in ends) for some in ends for end in some}
    assert most[("A",)] == 1
    assert most["A", "B"] == 2
    assert set(most) <= {("A",), ("C",), ("A", "B"), ("A", "C")}
    assert not {("C",), ("A", "C")} <= set(most)  # a class hangs where it mostly does


def test_where_everything_is_real_nothing_is_invented():
    trees = Trees.of([[("A", "a0")], [("A", "a1")], [("A", "a0"), ("A", "a1")]])
    hierarchies = {"A": Hierarchy.from_paths("A", [["a0", "*"], ["a1", "*"]])}
    assert _invent_examples(trees, hierarchies, {"cut": {"A": ["*"]}, "disassociations": []}) == []


def test_sensitive_values_are_never_shown():
    trees = Trees.of([[("A", f"a{i}", ("S", f"secret{i}"))] for i in range(2)] * 2, sensitive="S")
    hierarchies = {"A": Hierarchy.from_paths("A", [[f"a{i}", "*"] for i in range(9)])}
    rule = {"cut": {"A": ["*"]}, "disassociations": [["A", "S"]]}
    found = _invent_examples(trees, hierarchies, rule, rng=random.Random(1))
    assert len(found) == 3
    assert "secret" not in str(found)
    shown = [label for one in found for label in naive.labels(one.after)]
    assert ("S", "(a sensitive value)") in shown
    told = audit_of(
        trees,
        hierarchies,
        Result(apply_tree_recoding("test", trees, hierarchies, rule), KMNAnonymity(2, 2, 1, sensitive="S")),
    )
    assert [cut.name for cut in told.trees.cuts] == ["A"]
    assert told.before_after["S"] == [("secret0", 2.0, 2.0), ("secret1", 2.0, 2.0)]


def test_records_are_counted_over_blocks(monkeypatch):
    from shoal.assess import tree_facts as audit

    trees = Trees.of(list(tree_paper.FIGURE_2) * 3)
    once = (
        counts._records_by_value(trees),
        _published_relations(trees),
        _count_cut_relations(trees, PAPER, RULE),
    )
    schema = audit._likely_children(trees)
    monkeypatch.setattr(audit, "CHUNK", 2)
    assert audit._likely_children(trees) == schema
    assert schema["hospital"] == ["disease", "disease"]
    np.testing.assert_array_equal(counts._records_by_value(trees), once[0])
    assert (_published_relations(trees), _count_cut_relations(trees, PAPER, RULE)) == once[1:]
    assert [one.records for one in once[2]] == [3, 6]
