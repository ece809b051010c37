import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies_trees as strategies
from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.io.write.nested_trees import _code_trees as read_nodes
from shoal.io.write.nested_trees import _parse_line as any_line
from shoal.io.write.nested_trees import _Segments as Segments
from shoal.io.write.nested_trees import node_texts, trees_of_texts, write_lines, write_xml
from shoal.io.write.trees import read_released


@given(strategies.trees())
@settings(max_examples=50)
def test_json_goes_out_and_comes_back(records):
    hierarchies = Trees.of(records)
    texts = list(node_texts(hierarchies))
    assert [json.loads(text) for text in texts] == [
        [_node(node) for node in tree] for tree in hierarchies.nested()
    ]
    assert list(trees_of_texts(texts, "x").nested()) == list(hierarchies.nested())


def _node(node):
    return {"class": node[0], "value": node[1], "children": [_node(child) for child in node[2:]]}


@given(
    st.lists(
        st.lists(st.tuples(st.just("a"), st.text(min_size=1, max_size=5)), max_size=3), min_size=1, max_size=4
    )
)
@settings(max_examples=50)
def test_any_text_survives_json(records):
    hierarchies = Trees.of(records)
    assert list(trees_of_texts(node_texts(hierarchies), "x").nested()) == list(hierarchies.nested())


ODD = st.sampled_from(['{"class": ', '", "value": "', "]}", ", ", "\\", '"', "[", "a", "\u2028", "\n"])


def odd(kind, below=None):
    """A node whose value looks like what stands between nodes."""
    children = st.just([]) if below is None else st.lists(below, max_size=2)
    text = st.lists(ODD, min_size=1, max_size=3).map("".join)
    return st.builds(lambda value, nodes: (kind, value, *nodes), text, children)


@given(st.lists(odd("a", odd("b", odd("c"))), max_size=3), ODD, st.data())
@settings(max_examples=200)
def test_the_fast_reader_reads_what_a_reader_of_any_json_does(record, sign, data):
    """Or nothing, and then the other one has the word, whatever the line was made into."""
    file = io.BytesIO()
    write_lines(Trees.of([record]), file)
    line = file.getvalue()
    assert bool(record) == bool(Segments().nodes(line))
    at, size = data.draw(st.integers(0, len(line))), data.draw(st.integers(0, 12))
    for text in (line, line[:at] + sign.encode() + line[at + size :]):
        if nodes := Segments().nodes(text):
            assert list(read_nodes([nodes], "x").nested()) == list(
                read_nodes([any_line(text, "x")], "x").nested()
            )


def test_xml_escapes(tmp_path):
    hierarchies = Trees.of([[('a"<&', "<x> & 'y' \"z\"\n\t")]])
    path = tmp_path / "data.xml"
    with path.open("wb") as file:
        write_xml([hierarchies], file)
    assert list(read_released(path.parent, "xml").nested()) == list(hierarchies.nested())
    with pytest.raises(InputError, match="control character"):
        write_xml([Trees.of([[("a", "\x01")]])], io.BytesIO())


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{}",
        '["x"]',
        '[{"class": "a"}]',
        '[{"class": "a", "value": 1, "children": []}]',
        '[{"class": "a", "value": "b", "children": [], "more": 1}]',
        '[{"class": "a", "value": "x", "value": "b", "children": []}]',
        "[" * 100_000,
    ],
)
def test_what_is_no_list_of_nodes_is_refused(text):
    with pytest.raises(InputError, match="x, record 2: "):
        trees_of_texts(["[]", text], "x")


@pytest.mark.parametrize(
    "line",
    ["", "7", "[]", '{"nodes": 7}', '{"nodes": [], "nodes": []}', '{"nodes": [], "name": "x"}',
     '{"nodes": [{"class": "a"}]}', "{" * 9_999],
)  # fmt: skip
def test_lines_hold_nodes_alone(tmp_path, line):
    (tmp_path / "data.ndjson").write_text('{"nodes": []}\n' + line + "\n")
    with pytest.raises(InputError, match="line 2: "):
        read_released(tmp_path, "ndjson")


@pytest.mark.parametrize("depth", [200, 250, 251, 390])
def test_deep_trees_go_out_and_come_back(tmp_path, depth):
    node = ()
    for level in reversed(range(depth)):
        node = ((f"c{level}", "x", *node),)
    hierarchies = Trees.of([node])
    with (tmp_path / "data.ndjson").open("wb") as file:
        write_lines(hierarchies, file)
    assert read_released(tmp_path, "ndjson").same(hierarchies)
    if depth > 250:
        with pytest.raises(InputError, match="more than 250 deep"):
            write_xml([hierarchies], io.BytesIO())
        return
    with (tmp_path / "data.xml").open("wb") as file:
        write_xml([hierarchies], file)
    assert read_released(tmp_path, "xml").same(hierarchies)


def test_trees_that_cannot_be_judged_are_refused():
    twice = '[{"class": "a", "value": "1", "children": [{"class": "a", "value": "2", "children": []}]}]'
    with pytest.raises(InputError, match="x: trees: record 1: a field occurs twice"):
        trees_of_texts([twice], "x")


NODE = '<record><node class="a" value="b"></node></record>'


@pytest.mark.parametrize(
    "text",
    [
        f"<!-- Ann --><records>{NODE}</records>",
        f"<records>{NODE}</records><!-- Ann -->",
        f"<records><!-- Ann -->{NODE}</records>",
        f"<records>{NODE.replace('></node>', '><!-- Ann --></node>')}</records>",
        f"<?ann 1?><records>{NODE}</records>",
        f"<records>{NODE}<?ann 1?></records>",
        f"<records>{NODE.replace('></node>', '><?ann 1?></node>')}</records>",
        f'<records who="Ann">{NODE}</records>',
        f'<records xmlns:ann="1">{NODE}</records>',
        f"<records>Ann{NODE}</records>",
        f"<records>{NODE.replace('</record>', '<a/></record>')}</records>",
        f"<records>{NODE.replace('</record>', 'Ann</record>')}</records>",
        f"<records>{NODE}Ann</records>",
        f"<records>{NODE.replace('<record>', '<record who=' + chr(34) + 'Ann' + chr(34) + '>')}</records>",
        f"<records>{NODE.replace('value=', 'xmlns:ann=' + chr(34) + '1' + chr(34) + ' value=')}</records>",
        f"<records>{NODE.replace('record', 'ann')}</records>",
        f"<ann>{NODE}</ann>",
    ],
)
def test_xml_carries_nothing_beside_its_records(tmp_path, text):
    (tmp_path / "data.xml").write_text(f"<records>\n{NODE}\n</records>\n")
    assert read_released(tmp_path, "xml").n == 1
    (tmp_path / "data.xml").write_text(text)
    with pytest.raises(InputError, match=r"no release does; it was changed|a record holds more than nodes"):
        read_released(tmp_path, "xml")
