"""Editing a hierarchy: whatever is done, it stays one over the same values, and the earlier tree is as it was."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from shoal.base.errors import HierarchyError
from shoal.data import Column
from shoal.hierarchy import Hierarchy, files
from shoal.hierarchy.edit import Editable, problems, show
from shoal.hierarchy.rules import build

JOBS = [
    ["nurse", "care", "services", "*"],
    ["doctor", "care", "services", "*"],
    ["teacher", "school", "services", "*"],
    ["farmer", "farmer", "land", "*"],
]


def jobs():
    return Editable.of(Hierarchy.from_paths("job.csv", JOBS))


def ids(tree, *labels):
    return [tree.find(label) for label in labels]


def outline(tree):
    """The tree as people read it: two blanks for each node above."""
    nodes = tree.nodes
    return [
        "  " * depth + tree.labels[node] for node, depth in zip(nodes.ids.tolist(), nodes.depths, strict=True)
    ]


def test_a_tree_is_read_from_the_root_down():
    tree = jobs()
    assert outline(tree) == [
        "*",
        "  services",
        "    care",
        "      nurse",
        "      doctor",
        "    school",
        "      teacher",
        "  land",
        "    farmer",
    ]
    nodes = tree.nodes
    assert nodes.levels.tolist() == [3, 2, 1, 0, 0, 1, 0, 2, 0]
    assert (nodes.high - nodes.low).tolist() == [4, 3, 2, 1, 1, 1, 1, 1, 1]
    above = [tree.labels[node] if node >= 0 else None for node in nodes.parents.tolist()]
    assert above == [None, "*", "services", "care", "care", "services", "school", "*", "land"]


@given(strategies.hierarchies())
def test_the_list_of_nodes_tells_the_whole_tree(paths):
    tree = Editable.of(Hierarchy.from_paths("h", paths))
    nodes = tree.nodes
    labels = [tree.labels[node] for node in nodes.ids.tolist()]
    again = Editable.from_nodes("h", labels, nodes.levels.tolist(), nodes.depths.tolist(), tree.height)
    assert again.rows() == tree.rows()


def test_a_group_gets_another_name():
    tree = jobs()
    assert tree.rename(tree.find("care"), "health").rows()[0] == ["nurse", "health", "services", "*"]
    assert tree.rename(tree.root, "anybody").rows()[3] == ["farmer", "farmer", "land", "anybody"]
    assert tree.rename(tree.find("care"), "care") is tree


def test_a_value_moves_to_another_group_and_an_empty_group_is_gone():
    tree = jobs()
    moved = tree.move(ids(tree, "teacher"), tree.find("land"))
    assert moved.rows() == [*JOBS[:2], ["farmer", "farmer", "land", "*"], ["teacher", "teacher", "land", "*"]]
    with pytest.raises(HierarchyError, match="no such label"):
        moved.find("school")
    assert moved.rename(moved.find("care"), "school")  # its label is free again


def test_a_group_moves_with_all_that_is_in_it():
    tree = jobs()
    moved = tree.move(ids(tree, "care", "nurse"), tree.find("land"))
    assert moved.rows()[2:] == [["nurse", "care", "land", "*"], ["doctor", "care", "land", "*"]]
    under_root = tree.move(ids(tree, "nurse"), tree.root)
    assert under_root.rows()[-1] == ["nurse", "nurse", "nurse", "*"]
    assert tree.move(ids(tree, "nurse", "doctor"), tree.find("care")) is tree


def test_a_group_stands_on_a_level_that_is_free():
    tree = jobs()
    grouped = tree.group(ids(tree, "farmer"), "agriculture")
    assert (grouped.height, grouped.rows()[-1]) == (3, ["farmer", "agriculture", "land", "*"])


def test_a_group_from_two_groups_stands_under_what_they_have_in_common():
    tree = jobs()
    grouped = tree.group(ids(tree, "doctor", "teacher"), "degree")
    assert grouped.rows()[1:3] == [
        ["doctor", "degree", "services", "*"],
        ["teacher", "degree", "services", "*"],
    ]
    assert outline(tree.group(ids(tree, "teacher", "farmer"), "country"))[-3:] == [
        "  country",
        "    teacher",
        "    farmer",
    ]


def test_a_group_for_which_there_is_no_level_gets_one():
    tree = jobs()
    grouped = tree.group(ids(tree, "nurse", "doctor"), "clinic")
    assert grouped.height == 4
    assert grouped.rows() == [
        ["nurse", "clinic", "care", "services", "*"],
        ["doctor", "clinic", "care", "services", "*"],
        ["teacher", "teacher", "school", "services", "*"],
        ["farmer", "farmer", "farmer", "land", "*"],
    ]
    assert tree.group(ids(tree, "services", "nurse", "land"), "all").rows()[0][3:] == ["all", "*"]


def test_groups_and_levels_can_be_taken_away():
    tree = jobs()
    assert tree.ungroup(ids(tree, "care", "services")).rows()[0] == ["nurse", "nurse", "nurse", "*"]
    assert tree.without_level(1).rows() == [[row[0], row[2], "*"] for row in JOBS]
    assert tree.with_level(1).rows() == [[*row[:2], row[1], *row[2:]] for row in JOBS]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda t: t.rename(t.find("nurse"), "x"), "a value of the data keeps its name"),
        (lambda t: t.rename(t.find("care"), "land"), "another group or value has this label"),
        (lambda t: t.rename(t.find("care"), "farmer"), "another group or value has this label"),
        (lambda t: t.rename(t.find("care"), " "), "letters or signs that can be seen"),
        (lambda t: t.rename(t.find("care"), "a\nb"), "letters or signs that can be seen"),
        (lambda t: t.rename(t.find("care"), "\ud800"), "letters or signs that can be seen"),
        (lambda t: t.group(ids(t, "care"), ""), "letters or signs that can be seen"),
        (lambda t: t.group([], "x"), "choose again"),
        (lambda t: t.group([t.root], "x"), "the root stays"),
        (lambda t: t.move([t.root], t.root), "the root stays"),
        (lambda t: t.move(ids(t, "care"), t.find("school")), "must stand on a lower level"),
        (lambda t: t.move(ids(t, "services"), t.find("care")), "must stand on a lower level"),
        (lambda t: t.move(ids(t, "nurse"), 99), "choose again"),
        (lambda t: t.move([], t.find("care")), "choose again"),
        (lambda t: t.move(ids(t, "teacher"), t.root).move(ids(t, "school"), t.root), "choose again"),
        (lambda t: t.ungroup(ids(t, "nurse")), "only a group"),
        (lambda t: t.ungroup([t.root]), "only a group"),
        (lambda t: t.with_level(3), "levels 0 to 2"),
        (lambda t: t.without_level(3), "there are the levels 1 to 2"),
        (lambda t: t.without_level(1).without_level(1).without_level(1), "no level between"),
    ],
)
def test_what_cannot_be_done_is_said_without_a_value(edit, said):
    with pytest.raises(HierarchyError, match=said) as error:
        edit(jobs())
    assert not any(label in str(error.value) for label in ("nurse", "care", "farmer"))


def test_levels_are_as_many_as_a_file_may_have():
    tree = jobs()
    for _ in range(96):
        tree = tree.with_level(0)
    with pytest.raises(HierarchyError, match="as many levels"):
        tree.with_level(0)
    with pytest.raises(HierarchyError, match="as many levels"):
        tree.without_level(5).with_level(2).group(ids(tree, "services"), "top")


def edits(draw, tree):
    """One edit of a tree, whether or not it can be done."""
    some = st.lists(st.sampled_from(tree.nodes.ids.tolist()), min_size=1, max_size=3)
    label = st.sampled_from(["a", "x", "y", "z", "1.0", "*"])
    level = st.integers(0, tree.height)
    act = draw(st.sampled_from(["rename", "move", "group", "ungroup", "add", "remove"]))
    match act:
        case "rename":
            return lambda: tree.rename(draw(some)[0], draw(label))
        case "move":
            return lambda: tree.move(draw(some), draw(some)[0])
        case "group":
            return lambda: tree.group(draw(some), draw(label))
        case "ungroup":
            return lambda: tree.ungroup(draw(some))
        case "add":
            return lambda: tree.with_level(draw(level))
    return lambda: tree.without_level(draw(level))


@settings(max_examples=300)
@given(st.data(), strategies.hierarchies())
def test_any_edits_keep_a_hierarchy_over_the_same_values(data, paths):
    tree = Editable.of(Hierarchy.from_paths("h", paths))
    leaves = {row[0] for row in tree.rows()}
    done = [(tree, tree.rows())]
    for _ in range(data.draw(st.integers(1, 8))):
        try:
            tree = edits(data.draw, tree)()
        except HierarchyError:
            continue
        hierarchy = tree.hierarchy()  # refuses what is no hierarchy
        assert set(hierarchy.leaves) == leaves
        assert len(hierarchy.leaves) == tree.size
        assert Editable.of(hierarchy).rows() == tree.rows()  # in an order that keeps every node together
        assert tree.height >= 1
        done.append((tree, tree.rows()))
    for earlier, rows in done:
        assert earlier.rows() == rows


@settings(max_examples=200)
@given(st.data(), strategies.hierarchies())
def test_what_is_moved_stands_where_it_was_put(data, paths):
    tree = Editable.of(Hierarchy.from_paths("h", paths))
    inner = st.sampled_from(tree.nodes.ids.tolist())
    node, under = data.draw(inner), data.draw(inner)
    if node == tree.root or tree.begins[node] >= tree.begins[under]:
        with pytest.raises(HierarchyError):
            tree.move([node], under)
        return
    moved = tree.move([node], under)
    above = dict(zip(moved.nodes.ids.tolist(), moved.nodes.parents.tolist(), strict=True))
    before = dict(zip(tree.nodes.ids.tolist(), tree.nodes.parents.tolist(), strict=True))
    assert above[node] == under
    assert {other: parent for other, parent in before.items() if other in above and other != node} == {
        other: parent for other, parent in above.items() if other != node
    }


def test_an_edited_tree_is_written_and_read_back(tmp_path):
    tree = jobs()
    tree = tree.group(ids(tree, "nurse"), 'the "best"; of all')
    files.write(tree.hierarchy(), tmp_path / "job.csv")
    assert Editable.of(files.read(tmp_path / "job.csv")).rows() == tree.rows()
    assert (tmp_path / "job.csv").read_text(encoding="utf-8") == tree.text()


def test_no_value_is_shown_of_a_tree():
    assert "nurse" not in repr(jobs())


# --- Facts about a hierarchy beside its column, and its picture.

SEA = [["cod", "fish", "*"], ["eel", "fish", "*"], ["kelp", "kelp", "*"]]


@given(strategies.hierarchies(), st.lists(st.sampled_from((*strategies.VALUES, "x", "y", None)), max_size=10))
def test_the_facts_are_counts_over_the_cells(paths, cells):
    tree = Hierarchy.from_paths("h", paths)
    fit = problems(tree, Column.of("c", "quasi", cells))
    strange = [cell in ("x", "y") for cell in cells]
    assert fit.nodes == tuple(len({path[level] for path in paths}) for level in range(tree.height + 1))
    assert sorted(fit.uncovered) == sorted({"x", "y"} & set(cells))
    assert fit.uncovered_records == sum(strange)
    assert fit.first == (strange.index(True) + 1 if any(strange) else None)
    assert fit.unused == len(set(strategies.VALUES) - set(cells))
    assert fit.missing == cells.count(None)
    assert bool(fit) is not any(strange)


def test_cells_are_in_the_facts_only_when_asked_for():
    fit = problems(Hierarchy.from_paths("sea", SEA), Column.of("c", "quasi", ["cod", "orca", "orca"]))
    assert fit.as_dict() == {
        "hierarchy": "sea",
        "fits": False,
        "leaves": 3,
        "height": 2,
        "nodes": [3, 2, 1],
        "uncovered": 1,
        "uncovered_records": 2,
        "first": 2,
        "unused": 2,
        "missing": 0,
        "missing_covered": False,
    }
    assert fit.as_dict(values=True)["uncovered_values"] == ["orca"]


def test_a_leaf_that_covers_missing_cells_is_used_by_them():
    tree = Hierarchy.from_paths("x", [["a", "*"], ["?", "*"]]).covering(["?"])
    fit = problems(tree, Column.of("x", "quasi", ["a", None]))
    assert (fit.unused, fit.missing, fit.missing_covered) == (0, 1, True)


def test_a_hierarchy_alone_has_a_shape():
    assert problems(Hierarchy.from_paths("sea", SEA)).nodes == (3, 2, 1)


@pytest.mark.parametrize(
    ("limit", "picture"),
    [
        (6, "* (3 leaves)|  fish (2 leaves)|    cod|    eel|  kelp"),
        (5, "* (3 leaves)|  fish (2 leaves)|  kelp"),
        (2, "* (3 leaves)|  fish (2 leaves)|... 1 more"),
    ],
)
def test_the_picture_has_as_many_whole_levels_as_fit(limit, picture):
    assert show(Hierarchy.from_paths("sea", SEA), limit=limit).split("\n") == picture.split("|")


def test_a_built_hierarchy_shows_its_labels_only_when_asked():
    tree = build("zip", {"mask": "right"}, ["12", "13"])
    assert show(tree).split("\n") == ["group (2 leaves)", "  group (2 leaves)", "    leaf", "    leaf"]
    assert show(tree, values=True).split("\n") == ["* (2 leaves)", "  1* (2 leaves)", "    12", "    13"]


def test_a_single_leaf_that_is_the_root_is_drawn():
    assert show(Hierarchy.from_paths("x", [["*", "*"]])) == "*"
