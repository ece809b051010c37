"""Rows of tables and objects of nested records that stay rows."""

from hypothesis import given
from hypothesis import strategies as st

from shoal.io.config import TreeSpec
from shoal.io.read.trees import read_trees, trees_of_records

KEEP = TreeSpec(repeats="keep")


def _trees(*records):
    return [sorted(one) for one in trees_of_records(records, KEEP).nested()]


def test_equal_objects_stay_apart_and_their_fields_together():
    visit = {"ward": "A", "ill": "flu", "drugs": [{"name": "x", "dose": 1}, {"name": "x", "dose": 1}]}
    drug = ("visits.drugs.name", "x", ("visits.drugs.dose", "1"))
    row = ("visits.ward", "A", ("visits.ill", "flu", drug, drug))
    assert _trees({"sex": "f", "visits": [visit, visit]}) == [[("sex", "f"), row, row]]


def test_fields_stand_in_one_order_whatever_is_missing_and_lists_stand_last():
    records = [
        {"v": [{"a": "1", "c": "3"}, {"c": "3", "b": "2", "a": "1"}]},
        {"v": [{"b": "2", "codes": ["x", "y"], "c": "3"}, {"codes": "x", "b": "2"}]},
        {"v": [{"codes": ["x", "y"]}]},
    ]
    codes = ("v.codes", "x"), ("v.codes", "y")
    assert _trees(*records) == [
        [("v.a", "1", ("v.c", "3")), ("v.a", "1", ("v.c", "3", ("v.b", "2")))],
        [("v.b", "2", codes[0]), ("v.c", "3", ("v.b", "2", *codes))],
        [*codes],
    ]


def test_rows_of_tables_stay_rows(tmp_path):
    (tmp_path / "people.csv").write_text("id,sex\n1,f\n2,m\n")
    (tmp_path / "visits.csv").write_text("id,person,ward,ill\n7,1,A,flu\n8,1,A,flu\n9,2,,gout\n")
    (tmp_path / "drugs.csv").write_text("visit,drug\n7,x\n7,x\n9,y\n")
    keys = {"visits.person": "people.id", "drugs.visit": "visits.id"}
    trees = read_trees(tmp_path, TreeSpec("people", keys, repeats="keep"))
    drug = ("visits.drugs.drug", "x")
    assert list(trees.nested()) == [
        (
            ("sex", "f"),
            *sorted(
                [
                    ("visits.ward", "A", ("visits.ill", "flu")),
                    ("visits.ward", "A", ("visits.ill", "flu", drug, drug)),
                ],
                key=lambda row: next(iter(trees.nested())).index(row),
            ),
        ),
        (("sex", "m"), ("visits.ill", "gout", ("visits.drugs.drug", "y"))),
    ]


cells = st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy"))
rows = st.fixed_dictionaries(
    {}, optional={"rows": st.lists(cells, max_size=3), **{f: st.sampled_from("xy") for f in "abc"}}
)


@given(
    st.lists(
        st.fixed_dictionaries({"p": st.just("z"), "v": st.lists(rows, max_size=3)}), min_size=1, max_size=4
    )
)
def test_any_two_fields_of_a_row_and_of_what_is_below_it_belong_together_and_no_others(records):
    for record, tree in zip(records, trees_of_records(records, KEEP).nested(), strict=True):
        found, stack = [], [(node, ()) for node in tree]
        while stack:
            (kind, value, *children), over = stack.pop()
            here = (*over, (kind, value))
            found += [tuple(sorted((one, (kind, value)))) for one in over]
            stack += [(child, here) for child in children]
        expected = []
        for row in record["v"]:
            own = [(f"v.{name}", value) for name, value in row.items() if name != "rows"]
            expected += [tuple(sorted((a, b))) for i, a in enumerate(own) for b in own[:i]]
            for below in row.get("rows", []):
                deep = [(f"v.rows.{name}", value) for name, value in below.items()]
                expected += [tuple(sorted((a, b))) for i, a in enumerate(deep) for b in deep[:i]]
                expected += [tuple(sorted((a, b))) for a in own for b in deep]
        assert sorted(found) == sorted(expected)
