"""Hierarchy files: what is read, what is refused with its line, and that writing and reading agree."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from shoal.base.errors import HierarchyError
from shoal.hierarchy import Hierarchy, files

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
REAL = sorted(
    str(path.relative_to(SHARED))
    for pattern in ("*/*hierarchy_*.csv", "adult/poka/*.csv", "informs2005/hierarchies/*.gz")
    for path in SHARED.glob(pattern)
)
NO_HIERARCHY = "informs2005/hierarchies/informs_treeseed_even.txt.gz"


@pytest.fixture
def read(tmp_path):
    """Write text or bytes to x.csv and read it as a hierarchy."""

    def write_and_read(content, name="x.csv", **options):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return files.read(path, **options)

    return write_and_read


@pytest.mark.parametrize(
    "content",
    [
        "a;b;*\nc;b;*\n",
        "a;b;*\nc;b;*",
        "a,b,*\r\nc,b,*\r\n",
        "\ufeffa;b;*\nc;b;*\n",
        "\n  \na;b;*\n\n\nc;b;*\n\n",
        '"a";"b";*\n"c";b;"*"\n',
        "a;b;*\nc;b;*\na;b;*\n",
    ],
)
def test_the_same_tree_however_it_is_written(read, content):
    tree = read(content)
    assert tree.labels == (("a", "c", "*"), ("b", "*"), ("*",))
    assert (tree.name, tree.public, tree.ordered) == ("x.csv", True, False)


def test_quotes_keep_delimiters_quotes_and_line_ends(read):
    assert read('"a;1","say ""no""",*\n"b\n2",c,*\n').labels[:2] == (
        ("a;1", "b\n2", "*"),
        ('say "no"', "c", "*"),
    )
    assert read('"a\n1";*\n"b";*\n').leaves == ("a\n1", "b")


def test_a_short_row_repeats_its_leaf_and_the_longest_rows_hold_the_root(read):
    tree = read("kelp;*\ncod;fish;sea;*\neel;fish;sea;*\nfern;land;*\n")
    assert tree.leaves == ("kelp", "cod", "eel", "fern")
    assert tree.labels[1:] == (("kelp", "fish", "fern", "*"), ("kelp", "sea", "land", "*"), ("*",))


def test_gzip_and_other_encodings(read):
    assert read(gzip.compress(b"a;*\nb;*\n"), "x.csv.gz").leaves == ("a", "b")
    assert read("é;*\nb;*\n".encode("latin-1"), encoding="latin-1").leaves == ("é", "b")
    assert read("é;*\nb;*\n".encode("utf-16"), encoding="utf-16").leaves == ("é", "b")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "'x.csv': the file is empty"),
        ("\n \n", "'x.csv': the file is empty"),
        (
            "a;b;*\nc;b;*\na;c;*\n",
            "'x.csv', line 3: the label of level 0 has two parents, here and on line 1",
        ),
        ("a;b;*\n\n\nc;b;+\n", "line 4: the row does not end in the root of line 1"),
        ("a;+\nc;b;*\n", "line 1: the row does not end in the root of line 2"),
        (
            "a;a;*\nb;a;*\n",
            "line 2: the label of level . stands on other levels on line 1, so for two different sets",
        ),
        (
            "b;a;*\na;a;*\n",
            "line 2: the label of level . stands on other levels on line 1, so for two different sets",
        ),
        (
            "a;*;*\nb;c;*\n",
            "line 2: the label of level 2 stands on other levels on line 1, so for two different sets",
        ),
        ("a;b;*\nc\n", "line 2: a single cell"),
        ("a,b,*\nc;b;*\n", "line 2: a single cell"),
        ('"a\nx";*\n"b";\n', "line 3: the row does not end in the root of line 1"),
        ('a;*\n"b;*\n', "line 2: not valid csv"),
        ('a;*\n"b"c;*\n', "line 2: not valid csv"),
        ("a;*\n\0;*\n", "line 2: holds a NUL character"),
        (b"a;*\n\xff;*\n", "line 2: not readable as utf-8; give its encoding"),
        (f"a;*\n{'b' * 10_001};*\n", "line 2: a cell of more than 10000 characters"),
        (f"a;*\n{'b' * 200_000};*\n", "line 2: not valid csv; field larger"),
        ("a;*\n" + "b;" * 100 + "*\n", "line 2: 101 columns, more than 100; leave out some levels"),
    ],
)
def test_every_fault_is_one_sentence_with_file_and_line(read, content, message):
    with pytest.raises(HierarchyError, match=message):
        read(content)


def test_what_cannot_be_opened(read, tmp_path):
    with pytest.raises(HierarchyError, match=r"'none.csv': there is no such file"):
        files.read(tmp_path / "none.csv")
    with pytest.raises(HierarchyError, match=f"'{tmp_path.name}': is a folder or a device"):
        files.read(tmp_path)
    with pytest.raises(HierarchyError, match=r"'x.csv.gz': is not a whole gzip file"):
        read("a;*\n", "x.csv.gz")
    with pytest.raises(HierarchyError, match=r"'x.csv.gz': is not a whole gzip file"):
        read(gzip.compress(b"a;*\n" * 100)[:-9], "x.csv.gz")
    with pytest.raises(HierarchyError, match=r"'x.csv': the encoding is unknown"):
        read("a;*\n", encoding="klingon")
    with pytest.raises(HierarchyError, match="cannot be read"):
        files.read(tmp_path / ("x" * 300))


def test_a_message_names_no_folder_and_no_label(read, tmp_path):
    with pytest.raises(HierarchyError) as error:
        read("secret;b;*\nsecret;c;*\n")
    assert tmp_path.name not in str(error.value)
    assert "secret" not in str(error.value)
    assert error.value.value == "secret"


def test_a_file_that_unpacks_without_end_is_refused_at_the_bound(read, monkeypatch):
    monkeypatch.setattr(files, "_MAX_BYTES", 2**20)
    with pytest.raises(HierarchyError, match=r"'x.csv.gz': holds more than 1 MiB"):
        read(gzip.compress(bytes(2**21)), "x.csv.gz")


def test_the_number_of_cells_is_bounded_after_padding_too(read, monkeypatch):
    monkeypatch.setattr(files, "MAX_CELLS", 10)
    with pytest.raises(HierarchyError, match="more than 10 cells"):
        read("".join(f"{i};*\n" for i in range(6)))
    with pytest.raises(HierarchyError, match="more than 10 cells"):
        read("a;*\n" + "\n" * 10)
    with pytest.raises(HierarchyError, match="more than 10 cells"):
        read("a;b;c;d;*\nb;*\ne;*\n")


LABELS = st.text(st.sampled_from('ab;,"\r\n é\ufeff'), min_size=1, max_size=4)


@given(strategies.hierarchies(), st.data(), st.sampled_from(["x.csv", "x.csv.gz"]))
def test_what_is_written_reads_back(tmp_path_factory, paths, data, name):
    old = sorted({label for path in paths for label in path})
    new = data.draw(st.lists(LABELS, min_size=len(old), max_size=len(old), unique=True))
    tree = Hierarchy.from_paths(
        "x", [[dict(zip(old, new, strict=True))[label] for label in path] for path in paths]
    )
    path = tmp_path_factory.mktemp("written") / name
    files.write(tree, path)
    for built in (False, True):
        again = files.read(path, built=built)
        assert again.public is not built
        assert again.labels == tree.labels
        assert np.array_equal(again.up, tree.up)


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(HierarchyError, match=r"'x.csv': cannot be written"):
        files.write(Hierarchy.from_paths("x", [["a", "*"]]), tmp_path / "none" / "x.csv")


@pytest.mark.skipif(not REAL, reason="the real data sets are not here")
@pytest.mark.parametrize("name", [name for name in REAL if name != NO_HIERARCHY])
def test_real_hierarchies_load(name):
    tree = files.read(SHARED / name)
    assert tree.size > 1
    assert tree.height > 0
    assert tree.spans[-1].tolist() == [[0, tree.size]]


@pytest.mark.skipif(NO_HIERARCHY not in REAL, reason="the real data sets are not here")
def test_a_real_list_of_intervals_is_no_hierarchy():
    with pytest.raises(
        HierarchyError, match=r"treeseed_even.txt.gz', line 2: the row does not end in the root"
    ):
        files.read(SHARED / NO_HIERARCHY)
