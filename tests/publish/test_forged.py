"""Marks that every reader of a release sees and no judge of its content does: each is a no, in every mode."""

import hashlib
import json
import random
import re
import shutil
from contextlib import suppress

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import release_cases as cases
from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.io.config import load
from shoal.publish.files import noncanonical_data, read_data
from shoal.publish.verify import verify
from shoal.shapes.registry import SHAPES

pytestmark = pytest.mark.usefixtures("bare")

MADE = [
    *(("table", format) for format in ("csv", "parquet", "ndjson")),
    *(("baskets", format) for format in ("csv", "parquet", "ndjson")),
    *(("vote", format) for format in ("csv", "ndjson")),
    *(("mixed", format) for format in ("csv", "parquet", "ndjson")),
    *(("trees", format) for format in ("ndjson", "xml", "tables", "nested")),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    room = tmp_path_factory.mktemp("made")
    cases.write_originals(room)
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("baskets", "mixed"):  # so that lists hold several items
            patch.setitem(cases.CONFIGS, kind, cases.CONFIGS[kind].replace("k = 4\nm = 2", "k = 2\nm = 1"))
        for kind, format in MADE:
            cases.make_release(room, kind, format, rows=kind == "vote")
    return room


def modes(room, kind):
    config = load(room / f"{kind}.toml")
    return ({}, {"config": config}, {"config": config, "against": room / cases.ORIGINALS[kind]})


def signed(folder, **facts):
    """Let the manifest state the digests that the files have now."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text()) | facts
    for name in manifest["sha256"]:
        manifest["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))


def always_no(room, kind, format, *words):
    for mode in modes(room, kind):
        verdict = verify(room / f"{kind}-{format}", **mode)[1]
        assert verdict.judged, (sorted(mode), verdict.sentence)
        assert not verdict, (sorted(mode), verdict.sentence)
        for word in words:
            assert word in verdict.sentence, (sorted(mode), verdict.sentence)


def rewritten(room, kind, format, change, name=None):
    """Change the data file of a release as text, and sign it again."""
    folder = room / f"{kind}-{format}"
    path = folder / (name or SHAPES["trees" if kind == "trees" else "table"].files[format])
    path = path if path.exists() else folder / SHAPES["trees"].files["nested rows"]  # where rows stay rows
    before = path.read_bytes()
    path.write_bytes(change(before))
    assert path.read_bytes() != before
    signed(folder)


@pytest.mark.parametrize(("kind", "format"), MADE)
def test_what_was_made_is_no_forgery(made, kind, format):
    said = [verify(made / f"{kind}-{format}", **mode)[1] for mode in modes(made, kind)]
    assert said[2]
    assert all(said) or kind == "vote"
    assert not any("version 0.2" in one.sentence for one in said)


def test_one_range_in_as_many_forms_as_there_are_rows(room):
    """The hole that was: sixty labels, all of them the range from 20 to 59 to whoever reads numbers."""
    folder = room / "table-csv"
    frame = pl.read_csv(folder / "data.csv", infer_schema=False)
    ages = [f"[20.{'0' * (place % 8)}, 59.{'0' * (place // 8)}]" for place in range(frame.height)]
    frame.with_columns(age=pl.Series(ages), zip=pl.lit("*")).write_csv(folder / "data.csv")
    signed(folder, classes=1)
    always_no(room, "table", "csv", "the smallest class has 1")
    signed(folder, classes=frame.height)
    always_no(room, "table", "csv", "the smallest class has 1")


@pytest.mark.parametrize("forms", [["20", "n20"], ["[20, 29]", "[20.0, 29]"], ["[20, 29]", "[20, 29.]"]])
def test_two_names_of_the_same_leaves_tell_rows_apart(room, forms):
    """Nodes of one leaf, and other forms of a number: two classes, since everybody sees two."""
    (room / "age.csv").write_text(
        "".join(f"{a};n{a};[{a // 10 * 10}, {a // 10 * 10 + 9}];*\n" for a in range(20, 60))
    )
    folder = room / "table-csv"
    frame = pl.read_csv(folder / "data.csv", infer_schema=False)
    ages = [forms[0]] + [forms[1]] * (frame.height - 1)
    frame.with_columns(age=pl.Series(ages), zip=pl.lit("*")).write_csv(folder / "data.csv")
    signed(folder, classes=1)
    always_no(room, "table", "csv", "the smallest class has 1")


@pytest.mark.parametrize(("kind", "format"), [("table", "csv"), ("trees", "xml"), ("vote", "ndjson")])
def test_a_forged_report(room, kind, format):
    page = room / f"{kind}-{format}" / "report.html"
    page.write_text(page.read_text().replace("</body>", "<p>Ann0 has HIV</p></body>"))
    always_no(room, kind, format, "report.html is not the file")


def test_a_report_that_is_gone_or_more(room):
    folder = room / "table-csv"
    (folder / "report.pdf").write_bytes(b"Ann0 has HIV")
    always_no(room, "table", "csv", "report.pdf is not the file")
    (folder / "report.pdf").unlink()
    (folder / "report.html").unlink()
    always_no(room, "table", "csv", "report.html is not the file")


def test_a_folder_of_an_earlier_version(room):
    folder = room / "table-csv"
    manifest = json.loads((folder / "manifest.json").read_text())
    del manifest["sha256"]["report.html"]
    manifest["shoal"] = "0.2.0"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    verdict = verify(folder)[1]
    assert verdict
    assert "has no sha256 of its report" in verdict.sentence
    (folder / "manifest.json").write_text(json.dumps(manifest | {"shoal": "0.9.0"}))
    assert "lacks the sha256 of report.html" in verify(folder)[1].sentence


CSV = {
    "line ends": lambda text: text.replace(b"\n", b"\r\n"),
    "one line end": lambda text: text[:-1] + b"\r\n",
    "no last line end": lambda text: text[:-1],
    "blank line": lambda text: text + b"\n",
    "mark": lambda text: b"\xef\xbb\xbf" + text,
    "quotes": lambda text: text.replace(b",flu,", b',"flu",', 1),
    "empty quotes": lambda text: text.replace(b",flu,", b',"",', 1),
    "apostrophe": lambda text: text.replace(b",flu,", b",'-5,", 1),
    "header": lambda text: text.replace(b"ward", b'"ward"', 1),
}


@pytest.mark.parametrize("how", CSV)
def test_marks_in_csv(room, how):
    rewritten(room, "table", "csv", CSV[how])
    always_no(room, "table", "csv", "data.csv holds text that is not in the one form")


NDJSON = {
    "blank": lambda text: text.replace(b'":"', b'": "', 1),
    "escape": lambda text: text.replace(b'"flu"', b'"\\u0066lu"', 1),
    "line ends": lambda text: text.replace(b"}\n", b"} \n", 1),
    "order": lambda text: b"\n".join(
        _turned(line) if not at else line for at, line in enumerate(text.split(b"\n"))
    ),
}


def _turned(line):
    return json.dumps(dict(reversed(json.loads(line).items())), separators=(",", ":")).encode()


@pytest.mark.parametrize("how", NDJSON)
def test_marks_in_ndjson(room, how):
    rewritten(room, "table", "ndjson", NDJSON[how])
    always_no(room, "table", "ndjson")


@pytest.mark.parametrize("kind", ["baskets", "mixed"])
@pytest.mark.parametrize("format", ["csv", "parquet", "ndjson"])
@pytest.mark.parametrize("how", ["order", "twice", "blanks", "escape"])
def test_marks_in_lists_of_items(room, kind, format, how):
    folder = room / f"{kind}-{format}"
    name = "items" if kind == "baskets" else "bought"
    path = folder / f"data.{format}"
    frame = read_data(
        folder, SHAPES[kind].files, json.loads((folder / "manifest.json").read_text())["columns"]
    )
    lists = [json.loads(cell) for cell in frame[name]]
    several = [place for place, cell in enumerate(lists) if len(cell) > 1 and lists.count(cell) > 1]
    row = several[0]
    cell = list(lists[row])
    text = {
        "order": json.dumps(cell[::-1], ensure_ascii=False),
        "twice": json.dumps([cell[0], *cell], ensure_ascii=False),
        "blanks": json.dumps(cell, separators=(",", ":"), ensure_ascii=False),
        "escape": json.dumps(cell).replace("r", "\\u0072").replace("l", "\\u006c").replace("f", "\\u0066"),
    }[how]
    if format == "ndjson":
        found = path.read_bytes().split(b"\n")
        found[row] = found[row].replace(json.dumps(cell, ensure_ascii=False).encode(), text.encode())
        path.write_bytes(b"\n".join(found))
    else:
        cells = frame[name].to_list()
        cells[row] = text
        marked = frame.with_columns(pl.Series(name, cells))
        marked.write_csv(path) if format == "csv" else marked.write_parquet(path)
    signed(folder)
    always_no(room, kind, format, f"data.{format} holds ")


def test_marks_in_baskets_by_vote(room):
    folder = room / "vote-csv"
    frame = pl.read_csv(folder / "data.csv", infer_schema=False)
    maybe = frame["uncertain"].to_list()
    row = next(place for place, cell in enumerate(maybe) if len(json.loads(cell)) > 1)
    maybe[row] = json.dumps(json.loads(maybe[row])[::-1])
    frame.with_columns(pl.Series("uncertain", maybe)).write_csv(folder / "data.csv")
    signed(folder)
    always_no(room, "vote", "csv", "items that stand in another order")
    errors = frame["errors"].to_list()
    errors[0] = f"0{errors[0]}"
    frame.with_columns(pl.Series("errors", errors)).write_csv(folder / "data.csv")
    signed(folder)
    always_no(room, "vote", "csv", "numbers that are not in the one form")


TREES = {
    ("ndjson", "order"): lambda text: _swapped(text),
    ("ndjson", "blank"): lambda text: text.replace(b'"value": ', b'"value":  ', 1),
    ("ndjson", "keys"): lambda text: _keys(text),
    ("ndjson", "escape"): lambda text: text.replace(b'"flu"', b'"\\u0066lu"', 1),
    ("xml", "quotes"): lambda text: text.replace(b'value="flu"', b"value='flu'", 1),
    ("xml", "order"): lambda text: re.sub(rb'(class="age") (value="[^"]*")', rb"\2 \1", text, count=1),
    ("xml", "blank"): lambda text: text.replace(b"</node>", b"</node >", 1),
    ("xml", "comment"): lambda text: text.replace(b"<records>", b"<records><!-- Ann0 -->", 1),
    ("nested", "list"): lambda text: re.sub(rb'"age": ("[^"]*")', rb'"age": [\1]', text, count=1),
    ("nested", "blank"): lambda text: text.replace(b'": "', b'":  "', 1),
}  # fmt: skip


def _swapped(text):
    """Two siblings of a record in the other order."""
    for line in text.splitlines(keepends=True):
        nodes = json.loads(line)["nodes"]
        if len(nodes) > 1:
            again = json.dumps({"nodes": nodes[::-1]}, ensure_ascii=False) + "\n"
            return text.replace(line, again.encode(), 1)
    raise AssertionError


def _keys(text):
    line = next(line for line in text.splitlines(keepends=True) if len(line) > 20)
    node = json.loads(line)["nodes"]
    node[0] = dict(reversed(node[0].items()))
    return text.replace(line, (json.dumps({"nodes": node}, ensure_ascii=False) + "\n").encode(), 1)


@pytest.mark.parametrize(("format", "how"), TREES)
def test_marks_in_trees(room, format, how):
    rewritten(room, "trees", format, TREES[format, how])
    always_no(room, "trees", format)


def test_marks_in_tables_of_trees(room):
    rewritten(
        room, "trees", "tables", lambda text: b"\n".join(_exchanged(text.split(b"\n"))), "data/records.csv"
    )
    always_no(room, "trees", "tables", "data holds records that are not in the one form")


def _exchanged(lines):
    return [lines[0], lines[2], lines[1], *lines[3:]]


# Parquet.


def table(folder):
    return pl.read_parquet(folder / "data.parquet")


def test_names_in_the_metadata_of_parquet(room):
    folder = room / "table-parquet"
    table(folder).write_parquet(folder / "data.parquet", metadata={"who": "Ann0, Ann1"})
    signed(folder)
    always_no(room, "table", "parquet", "metadata that no release has")


@pytest.mark.parametrize("kind", ["table", "baskets"])
def test_names_in_the_metadata_of_columns_of_parquet(room, kind):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = room / f"{kind}-parquet"
    cells = table(folder).to_arrow()
    cells = cells.cast(pa.schema([field.with_metadata({"who": "Ann0"}) for field in cells.schema]))
    pq.write_table(cells, folder / "data.parquet")
    signed(folder)
    always_no(room, kind, "parquet", "holds metadata that no release has")


def test_bytes_between_the_columns_of_parquet(room):
    rewritten(room, "table", "parquet", _with_a_gap)
    always_no(room, "table", "parquet", "bytes that belong to no column")


def _with_a_gap(text):
    size = int.from_bytes(text[-8:-4], "little")
    return text[: -8 - size] + b"Ann0, Ann1" + text[-8 - size :]


def test_one_number_in_two_forms_in_parquet(room):
    folder = room / "table-parquet"
    frame = table(folder)
    numbers = np.zeros(frame.height)
    numbers[0] = -0.0
    frame.with_columns(ward=pl.Series(numbers)).write_parquet(folder / "data.parquet")
    signed(folder)
    always_no(room, "table", "parquet", "a number, or a missing one, that is written in several ways")


def test_empty_text_beside_missing_cells_in_parquet(room):
    folder = room / "table-parquet"
    frame = table(folder)
    ill = [None, "", *frame["ill"].to_list()[2:]]
    frame.with_columns(ill=pl.Series(ill)).write_parquet(folder / "data.parquet")
    signed(folder)
    always_no(room, "table", "parquet", "empty texts where cells are missing")


# A law: whatever is done to the bytes, either the content is another one, or it is seen that the bytes are.


BITS = [
    b" ",
    b"\n",
    b"\t",
    b"\r",
    b'"',
    b'""',
    b",",
    b"'",
    b"\\",
    b"\\u0020",
    b"0",
    b".0",
    b"<!-- -->",
    b"\xef\xbb\xbf",
    b"\0",
]


def spliced(text, rng):
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(BITS) + text[at:]


def deleted(text, rng):
    at = rng.randrange(len(text))
    return text[:at] + text[at + 1 :]


def exchanged(text, rng):
    lines = text.split(b"\n")
    row = rng.randrange(len(lines))
    parts = lines[row].split(b", ")
    rng.shuffle(parts)
    lines[row] = b", ".join(parts)
    return b"\n".join(lines)


def escaped(text, rng):
    places = [place for place, byte in enumerate(text) if chr(byte).isalnum()]
    at = rng.choice(places)
    form = rng.choice([b"\\u%04x", b"\\u%04X", b"&#%d;", b"&#x%x;"])
    return text[:at] + form % text[at] + text[at + 1 :]


def quoted(text, rng):
    lines = text.split(b"\n")
    row = rng.randrange(len(lines))
    cells = lines[row].split(b",")
    at = rng.randrange(len(cells))
    cells[at] = b'"' + cells[at] + b'"'
    lines[row] = b",".join(cells)
    return b"\n".join(lines)


def content(folder, kind):
    """What a release says, however it is written: lists of items as sets, JSON and numbers as values."""
    shape = "trees" if kind == "trees" else "baskets" if kind in ("baskets", "vote") else kind
    columns = json.loads((folder / "manifest.json").read_text())["columns"]
    frame = read_data(folder, SHAPES[shape].files, columns)
    if isinstance(frame, Trees):
        return frame, tuple(frame.nested())
    lists = [name for name, role in columns.items() if role == "items"]
    cells = [[_set(cell) if name in lists else cell for cell in frame[name]] for name in frame.columns]
    return frame, (frame.columns, cells)


def _set(cell):
    try:
        return frozenset(map(str, json.loads(cell or "[]")))
    except ValueError:
        return cell


@settings(max_examples=300)
@given(
    which=st.sampled_from([(kind, format) for kind, format in MADE if format != "parquet"]),
    how=st.sampled_from([spliced, spliced, deleted, exchanged, escaped, quoted]),
    seed=st.integers(0, 2**32),
)
def test_no_other_bytes_say_the_same(made, tmp_path_factory, which, how, seed):
    kind, format = which
    source, rng = made / f"{kind}-{format}", random.Random(seed)
    folder = tmp_path_factory.mktemp("changed") / "out"
    shutil.copytree(source, folder)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    path = rng.choice([path for path in files if path.name.startswith("data.") or path.parent.name == "data"])
    before = path.read_bytes()
    path.write_bytes(how(before, rng))
    columns = json.loads((folder / "manifest.json").read_text())["columns"]
    with suppress(InputError, UnicodeDecodeError):
        frame, said = content(folder, kind)
        if path.read_bytes() != before and said == content(source, kind)[1]:
            shape = "trees" if kind == "trees" else "baskets" if kind in ("baskets", "vote") else kind
            assert noncanonical_data(folder, SHAPES[shape].files, columns, frame) is not None
    shutil.rmtree(folder.parent)
