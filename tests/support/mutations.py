"""Releases as somebody hostile, or a broken disk, would leave them: one change at a time, from a seed."""

import hashlib
import json
import random
import re
import shutil
from collections import Counter
from pathlib import Path

import polars as pl

from shoal.base.errors import InputError
from shoal.publish.files import read_data, read_release_groups
from shoal.shapes.registry import SHAPES

ODD = [
    None, True, False, 0, -1, 1, 3, 2**31, 2**63, 2**64, 10**30, 0.5, 1e308, -1e-9, float("nan"), float("inf"), "",
    "x", "*", "4", "quasi", "banana", "\x00", "\x1b[2J", "\u202e", "\ud800", "x" * 5_000, [], {}, [[]], [[[["a"]]]],
    ["a", "a"], [None], [7], {"a": 1}, {"": {}}, [{"model": "k-anonymity", "k": 2}], "k-anonymity", "l-diversity",
    "k^m-anonymity", "all", "persons", "trees", "table",
]  # fmt: skip
FREE = {"loss", "method", "shoal", "notes", "rehearsal", "title", "date", "sha256", "suppressed_items"}
"""Keys of the manifest that promise nobody anything, or of which a folder does not tell whether they are right."""


def mutate(folder: Path, rng: random.Random) -> str:
    """Change one thing in a release folder; return how."""
    if rng.random() < 0.4:
        return _manifest(folder / "manifest.json", rng)
    if rng.random() < 0.3:
        return forged(folder, rng)
    if (folder / "groups.json").exists() and rng.random() < 0.5:
        return grouped(folder, rng)
    path = rng.choice(
        sorted(p for p in folder.rglob("data*") if p.is_file()) or sorted((folder / "data").iterdir())
    )
    return _data(folder, path, rng.choice(_HOW), rng)


def forged(folder: Path, rng: random.Random) -> str:
    """Well-formed data that may keep less than is claimed, and a manifest that was made to agree; return how."""
    path = rng.choice(
        sorted(p for p in folder.rglob("data*") if p.is_file()) or sorted((folder / "data").iterdir())
    )
    how = rng.choice([finer, finer, spread])
    how(path, rng)
    _forge(folder, rng, keep=True)
    return f"data {how.__name__} forged"


def grouped(folder: Path, rng: random.Random, how: str | None = None) -> str:
    """Change groups.json, and mostly the manifest with it; return how."""
    path = folder / "groups.json"
    groups = json.loads(path.read_text(encoding="utf-8"))
    how = how or rng.choice([*GROUP_FAULTS, "reordered"])
    name, other = rng.choice(sorted(groups)), rng.choice(sorted(groups))
    text = None
    match how:
        case "undefined":
            del groups[name]
        case "unused":
            groups["(group 99)"] = ["rum", "zz"]
        case "listed twice":
            groups[name] = [*groups[name], groups[name][0]]
        case "defined twice":
            text = json.dumps(groups)[:-1] + f", {json.dumps(name)}: {json.dumps(groups[name])}}}"
        case "named like an item":
            groups["ale"] = groups.pop(name)
        case "emptied":
            groups[name] = []
        case "nested":
            groups[name] = [groups[name]]
        case "a number":
            groups[name] = [*groups[name], 7]
        case "one item":
            groups[name] = groups[name][:1]
        case "moved":
            groups[name] = sorted({*groups[name], "HIV"} - {"ale"})
        case "exchanged":
            groups[name], groups[other] = groups[other], groups[name]
        case "gone":
            path.unlink()
        case "reordered":
            groups = dict(reversed(groups.items()))
    if how != "gone":
        path.write_text(json.dumps(groups) if text is None else text, encoding="utf-8")
    digested = rng.random() < 0.8
    if digested:
        _forge(folder, rng, keep=True)
    return f"groups {how}{' forged' if digested else ''}"


GROUP_FAULTS = (
    "undefined", "unused", "listed twice", "defined twice", "named like an item", "emptied", "nested", "a number",
    "one item", "moved", "exchanged", "gone",
)  # fmt: skip
"""Ways to spoil groups.json; in the last three it may still be a file that somebody could have written."""
FORMLESS = GROUP_FAULTS[:8]
"""Those after which it is no file of groups, so no mode of `verify` may say yes."""


def agree(folder: Path, sentence: str) -> bool:
    """Write into the manifest how many classes the data have, as somebody would who was told; whether it was wrong."""
    told = re.search(r"states (\d+) classes, but the data has (\d+)", sentence)
    if told is None:
        return False
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"classes": int(told[2])}))
    return True


FINER = {
    "[20, 29]": "25", "[30, 39]": "31", "[40, 49]": "44", "[50, 59]": "50", "01*": "011", "02*": "020",
    "drink": "rum", "food": "pie", "ill": "flu", "*": "n1", "n": "n2", "s": "s1", "gout": "flu", "rum": "pie",
}  # fmt: skip
"""A label below each label, or beside it, of the hierarchies in `release_cases`."""


def finer(path, rng):
    """One label another one, that a hierarchy has, too."""
    frame = _frame(path) if path.suffix == ".parquet" else None
    if frame is not None:
        name = rng.choice(frame.columns)
        text = frame[name].cast(pl.String).to_list()
        row = rng.randrange(len(text))
        text[row] = text[row] and _finer(text[row], rng)
        return _write(frame.with_columns(pl.Series(name, text, dtype=pl.String)), path)
    head, *found = path.read_text(encoding="utf-8").split("\n")
    row = rng.randrange(max(len(found), 1))
    found[row : row + 1] = [_finer(line, rng) for line in found[row : row + 1]]
    path.write_text("\n".join([head, *found]), encoding="utf-8")


def _finer(line, rng):
    """The line with one of its labels, whole as it stands there, made finer."""
    labels = list(FINER)
    rng.shuffle(labels)
    for label in labels:
        place = re.search(rf"(?<![\w\[]){re.escape(label)}(?![\w\]*])", line)
        if place is not None:
            return line[: place.start()] + FINER[label] + line[place.end() :]
    return line


def spread(path, rng):
    """The value that one record has in a column, in others too."""
    frame = _frame(path)
    if frame is None or not frame.height or not frame.width:
        return finer(path, rng)
    name, row = rng.choice(frame.columns), rng.randrange(frame.height)
    last = rng.choice([row + 2, row + 5, frame.height])
    cells = frame[name].to_list()
    cells[row:last] = [cells[row]] * len(cells[row:last])
    _write(frame.with_columns(pl.Series(name, cells, dtype=frame[name].dtype)), path)


def _data(folder, path, how, rng):
    how(path, rng)
    forged = rng.random() < 0.6
    if forged:
        _forge(folder, rng)
    return f"data {how.__name__}{' forged' if forged else ''}"


def _forge(folder: Path, rng: random.Random, *, keep: bool = False) -> None:
    """Write the new sha256 into the manifest, or leave it out."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    if not keep and rng.random() < 0.5:
        manifest.pop("sha256")
    else:
        for name in manifest["sha256"]:
            if (folder / name).is_file():
                manifest["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))


def _places(tree, at=()):
    """Every place in a JSON tree."""
    yield at
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in inner:
        yield from _places(value, (*at, key))


def _manifest(path: Path, rng: random.Random) -> str:
    text = path.read_text()
    tree = json.loads(text)
    if rng.random() < 0.25:
        how = rng.choice(_BYTES)
        how(path, rng)
        return f"manifest {how.__name__}"
    at = rng.choice([place for place in _places(tree) if place])
    inner = tree
    for key in at[:-1]:
        inner = inner[key]
    key, odd = at[-1], rng.choice(ODD)
    match rng.choice(["delete", "replace", "replace", "replace", "near", "add", "twice", "rename"]):
        case "delete":
            del inner[key]
        case "replace":
            inner[key] = odd
        case "near":
            inner[key] = inner[key] + rng.choice([-1, 1]) if type(inner[key]) is int else odd
        case "add" if isinstance(inner, dict):
            inner["more" if len(at) > 1 else rng.choice(["more", "title", "notes"])] = odd
        case "twice" if isinstance(inner, dict):
            pair = f"{json.dumps(key)}: "
            path.write_text(text.replace(pair, f"{pair}{json.dumps(odd)}, {pair}", 1))
            return "manifest twice"
        case "rename" if isinstance(inner, dict):
            inner[rng.choice(["more", "", "\x1b", "age"])] = inner.pop(key)
    path.write_text(json.dumps(tree))
    return f"manifest {at[0]}"


def truncated(path, rng):
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data) + 1)])


def flipped(path, rng):
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 1, 5, 50])):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(bytes(data))


def spliced(path, rng):
    data = path.read_bytes()
    bits = [b"\xff\xfe", b"\x00", b'"', b"\n", b",", b"[", b"]", b"{", b"}", b"\\", b"\xed\xa0\x80", b"<!-- x -->",
            b"<?x y?>", b"[" * 3000, b"\xef\xbb\xbf", b"'", b"=1", b"NaN", b"1e999", b"\\ud800"]  # fmt: skip
    at = rng.choice([0, len(data), rng.randrange(len(data) + 1)])
    path.write_bytes(data[:at] + rng.choice(bits) + data[at + rng.choice([0, 0, 3]) :])


def lines(path, rng):
    """Lines doubled, left out or exchanged."""
    found = path.read_bytes().split(b"\n")
    a, b = rng.randrange(len(found)), rng.randrange(len(found))
    match rng.randrange(3):
        case 0:
            found[a], found[b] = found[b], found[a]
        case 1:
            del found[a]
        case _:
            found.insert(a, found[b])
    path.write_bytes(b"\n".join(found))


def cells(path, rng):
    """One cell changed, or the type of a column."""
    frame = _frame(path)
    if frame is None or not frame.height or not frame.width:
        return flipped(path, rng)
    name, row = rng.choice(frame.columns), rng.randrange(frame.height)
    if path.suffix == ".ndjson":
        return _json_line(path, rng)
    text = frame[name].cast(pl.String).to_list()
    if path.suffix == ".parquet" and rng.random() < 0.5:
        frame = frame.with_columns(_typed(frame[name], rng))
    else:
        words = [None, "", "*", "x", "[]", "[[]]", '["a", ["b"], []]', "[20, 29]", "[20.0, 29]", "-1", "9" * 30, "nan",
                 '{"a": 1}', '[["a", "a"]]', "[1]", '["\\ud800"]', rng.choice(text)]  # fmt: skip
        text[row] = rng.choice(words)
        frame = frame.with_columns(pl.Series(name, text, dtype=pl.String))
    _write(frame, path)


def _json_line(path, rng):
    """One place of one record another."""
    found = path.read_text().splitlines()
    row = rng.randrange(len(found))
    tree = json.loads(found[row])
    *above, last = rng.choice([place for place in _places(tree) if place])
    inner = tree
    for key in above:
        inner = inner[key]
    inner[last] = rng.choice(ODD)
    found[row] = json.dumps(tree)
    path.write_text("\n".join(found) + "\n")


def columns(path, rng):
    """Columns left out, added, renamed or exchanged."""
    frame = _frame(path)
    if frame is None or not frame.width:
        return flipped(path, rng)
    name = rng.choice(frame.columns)
    match rng.randrange(4):
        case 0:
            frame = frame.drop(name)
        case 1:
            frame = frame.with_columns(more=pl.lit("x"))
        case 2:
            frame = frame.rename({name: "more"})
        case _:
            frame = frame.select(frame.columns[::-1])
    _write(frame, path)


def _typed(cells, rng):
    kinds = [
        pl.Int64,
        pl.Float64,
        pl.Binary,
        pl.Null,
        pl.Boolean,
        pl.Datetime,
        pl.Duration,
        pl.Time,
        pl.Categorical,
    ]
    match rng.randrange(4):
        case 0:
            return pl.Series(cells.name, [[value] for value in cells.to_list()])
        case 1:
            return pl.Series(cells.name, [{"a": value} for value in cells.to_list()])
        case 2:
            return pl.Series(cells.name, [float("inf")] * len(cells))
        case _:
            kind = rng.choice(kinds)
            known = cells.cast(pl.String)
            return (
                known.cast(kind, strict=False)
                if kind in (pl.Binary, pl.Int64, pl.Float64)
                else pl.Series(cells.name, [None] * len(cells), dtype=kind)
            )


def _frame(path):
    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path)
        if path.suffix == ".csv":
            return pl.read_csv(path, infer_schema=False)
        if path.suffix == ".ndjson":
            return pl.read_ndjson(path, infer_schema_length=None)
    except Exception:
        return None
    return None


def _write(frame, path):
    if not frame.width:
        return path.write_bytes(b"")
    if path.suffix == ".parquet":
        frame.write_parquet(path)
    elif path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_ndjson(path)


def gone(path, rng):
    """The file away, a folder in its place, or another one beside it."""
    match rng.randrange(3):
        case 0:
            path.unlink()
        case 1:
            path.unlink()
            path.mkdir()
        case _:
            other = path.with_suffix(rng.choice([".csv", ".parquet", ".ndjson", ".xml"]))
            if not other.exists():
                shutil.copy(path, other)
                path.write_bytes(path.read_bytes() + b" ")


_BYTES = [truncated, flipped, spliced]
_HOW = [truncated, flipped, spliced, lines, cells, cells, cells, columns, gone]


def changed(before: Path, after: Path, shape: str) -> set[str]:
    """What of a release differs for its readers: keys of the manifest, and `data` where other records are read."""
    olds = json.loads((before / "manifest.json").read_text())
    try:
        news = json.loads((after / "manifest.json").read_text())
        found = {key for key in {*olds, *news} if olds.get(key, _GONE) != news.get(key, _GONE)}
    except (ValueError, TypeError):
        found = {"manifest"}
    try:
        same = _records(before, shape, olds) == _records(after, shape, olds)
    except InputError:
        same = False
    return found if same else found | {"data"}


_GONE = object()


def _records(folder, shape, manifest):
    frame = read_data(folder, SHAPES[shape].files, manifest["columns"])
    groups = read_release_groups(folder, manifest["columns"])
    if shape == "trees":
        return Counter(frame.nested())
    frame = frame.drop(
        "uncertain", "errors", strict=False
    )  # rows that doubt more than they need are still true
    frame = frame.with_columns(
        pl.col(pl.String).replace("[20.0, 29]", "[20, 29]")
    )  # one range, spelled twice
    lists = [name for name, role in manifest["columns"].items() if role == "items" and name in frame.columns]
    cells = [
        [_list(cell, groups) for cell in frame[name]] if name in lists else frame[name].to_list()
        for name in frame.columns
    ]
    return frame.columns, Counter(zip(*cells, strict=True))


def _list(cell, groups):
    """A list of items however it is spaced, groups as their items; an empty cell is one of none."""
    try:
        items = json.loads(cell or "[]")
        return json.dumps([groups.get(item, item) if isinstance(item, str) else item for item in items])
    except ValueError:
        return cell
