"""Fuzzing of every parser: bytes that nobody meant, each to be read or refused with a sentence.

Run `python benchmarks/fuzz.py [PARSER ...] [--seconds 600] [--corpus FOLDER]`; without words, every parser in turn. It
needs `pip install atheris`. A parser runs in a process of its own that may hold 1 GB and look at one input for 20
seconds; where it ends by itself, the input is kept and it starts again until its time is up. FOLDER holds what was
learned, so that the next run goes on where this one ended. Counts are added to `benchmarks/results/fuzz.json`.

An input breaks a parser if anything but a `ShoalError` comes out: another exception, a crash, a hang, too much memory.
"""

import argparse
import contextlib
import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

RESULTS = Path(__file__).with_name("results") / "fuzz.json"
MEMORY = 1024  # MB
LONGEST = 20  # seconds for one input
LARGEST = 1 << 16  # bytes of one input

TABLE = b"name,age,zip\nann,31,10115\nbob,,'=1+1'\n\"c,d\",40,\n"
NDJSON = b'{"age": 31, "items": ["a", "b"]}\n{"age": null, "items": []}\n'
TREES = b'{"id": 1, "stays": [{"ward": "A", "found": [{"ill": "flu"}]}]}\n{"id": 2, "stays": []}\n'
NODES = b'{"nodes": [{"class": "ward", "value": "A", "children": []}]}\n'
XML = b'<?xml version="1.0"?><people><person><age>31</age><stay ward="A"><ill>flu</ill></stay></person></people>'
CONFIG = b"""[data]
path = "people.csv"
[columns]
name = "identifier"
age = { role = "quasi", hierarchy = { ranges = [10, 20] }, weight = 2 }
items = { role = "items", separator = " ", sensitive = ["HIV"] }
[guarantee]
k = 5
[method]
name = "optimal"
suppress = 0.01
[release]
format = "csv"
"""
TREE = b"""[data]
path = "a.ndjson"
[tree]
person = "id"
identifier = "name"
sensitive = "stays.ill"
hierarchies = { "stays.ward" = { fanout = 2 } }
[guarantee]
k = 5
m = 2
n = 1
"""
MANIFEST = json.dumps(
    {
        "shoal": "0.1.0",
        "shape": "table",
        "columns": {"age": "quasi", "ill": "sensitive"},
        "claim": {"model": "k-anonymity", "k": 2},
        "judged": True,
        "method": {"name": "optimal", "parameters": {"k": 2}},
        "records_in": 2,
        "records_out": 2,
        "suppressed": 0,
        "suppressed_items": 0,
        "loss": {"ncp": 0.5},
        "classes": 1,
        "notes": [],
    }
).encode()
RECODING = json.dumps(
    {
        "shoal": "0.1.0",
        "shape": "table",
        "method": {"name": "optimal", "parameters": {}},
        "claim": {"model": "k-anonymity", "k": 2},
        "levels": {"age": 1},
    }
).encode()
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LEVELS = b"1;low;*\n2;low;*\n3;high;*\n'a;b';high;*\n"


def _parquet() -> bytes:
    import polars as pl

    kept = io.BytesIO()
    pl.DataFrame({"age": [31, None], "items": [["a"], []], "name": ["ann", ""]}).write_parquet(kept)
    return kept.getvalue()


def _xlsx() -> bytes:
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
        'Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default '
        'Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": "<Relationships "
        'xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>age</t></is></c></row><row r="2"><c r="A2"><v>31</v></c>'
        "</row></sheetData></worksheet>",
    }
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return kept.getvalue()


def _read(name: str) -> Callable[[Path], object]:
    """Read a file of that name as a table."""

    def act(folder: Path) -> object:
        from shoal.io.read.table import read

        return read(folder / name)

    return act


def _trees(name: str) -> Callable[[Path], object]:
    def act(folder: Path) -> object:
        from shoal.io.read.trees import read_trees

        return read_trees(folder / name)

    return act


def _nodes(folder: Path) -> object:
    from shoal.io.write.trees import read_released

    return read_released(folder, "ndjson")


def _node_xml(folder: Path) -> object:
    from shoal.io.write.trees import read_released

    return read_released(folder, "xml")


def _hierarchy(folder: Path) -> object:
    from shoal.hierarchy.files import read

    return read(folder / "age.csv")


def _config(folder: Path) -> object:
    from shoal.io.config import load

    return load(folder / "shoal.toml")


def _manifest(folder: Path) -> object:
    from shoal.publish.verify import verify

    (folder / "data.csv").write_bytes(b"age,ill\n*,flu\n*,cold\n")
    return verify(folder)


def _recoding(folder: Path) -> object:
    import polars as pl

    import shoal
    from shoal.anonymization.run import apply_recoding
    from shoal.shapes.recoding import read_recoding

    rule = read_recoding(folder / "recoding.json", "table")
    data = shoal.read(
        pl.DataFrame({"age": ["1", "2", "3", "1"]}),
        roles={"age": "quasi"},
        hierarchies={"age": shoal.Hierarchy.from_paths("age", [[c, "low", "*"] for c in "123"])},
    )
    return apply_recoding(data, rule, k=2)


PARSERS: dict[str, tuple[str, Callable[[Path], object], Callable[[], list[bytes]]]] = {
    "csv": (
        "a.csv",
        _read("a.csv"),
        lambda: [TABLE, TABLE.replace(b",", b";"), TABLE.decode().encode("utf-16")],
    ),
    "tsv": ("a.tsv", _read("a.tsv"), lambda: [TABLE.replace(b",", b"\t")]),
    "gz": ("a.csv.gz", _read("a.csv.gz"), lambda: [gzip.compress(TABLE)]),
    "ndjson": ("a.ndjson", _read("a.ndjson"), lambda: [NDJSON, b'{"age": 31}\n{"age": 2.5}\n']),
    "json": ("a.json", _read("a.json"), lambda: [b'[{"age": 31}, {"age": null}]', b'[{"age": 1e400}]']),
    "fimi": ("a.dat", _read("a.dat"), lambda: [b"1 2 3\n\n2 2\n"]),
    "xlsx": ("a.xlsx", _read("a.xlsx"), lambda: [_xlsx()]),
    "parquet": ("a.parquet", _read("a.parquet"), lambda: [_parquet()]),
    "trees": ("a.ndjson", _trees("a.ndjson"), lambda: [TREES]),
    "tree-json": ("a.json", _trees("a.json"), lambda: [b"[" + TREES.strip().replace(b"\n", b",") + b"]"]),
    "xml": ("a.xml", _trees("a.xml"), lambda: [XML]),
    "nodes": ("data.ndjson", _nodes, lambda: [NODES]),
    "node-xml": (
        "data.xml",
        _node_xml,
        lambda: [b'<records><record><node class="ward" value="A"/></record></records>'],
    ),
    "hierarchy": ("age.csv", _hierarchy, lambda: [LEVELS, LEVELS.replace(b";", b",")]),
    "toml": ("shoal.toml", _config, lambda: [CONFIG, TREE]),
    "manifest": ("manifest.json", _manifest, lambda: [MANIFEST]),
    "recoding": ("recoding.json", _recoding, lambda: [RECODING]),
}
"""For each parser: what its file is called, how it is read, and what fuzzing begins with."""


def child(name: str, corpus: Path, counts: Path, room: Path) -> None:
    """Look at inputs, each a file in the room, until libFuzzer ends the process."""
    import atheris

    file, act, seeds = PARSERS[name]
    from shoal.base.errors import ShoalError

    with atheris.instrument_imports(include=["shoal"]), contextlib.suppress(ShoalError):
        (room / file).write_bytes(seeds()[0])
        act(room)
    seen, told = 0, os.open(counts, os.O_WRONLY)

    def one(data: bytes) -> None:
        nonlocal seen
        (room / file).write_bytes(data)
        with contextlib.suppress(ShoalError):
            act(room)
        seen += 1
        if seen % 20 == 0:
            os.pwrite(told, b"%12d" % seen, 0)  # in place, for the process may be killed at any moment

    options = [
        f"-rss_limit_mb={MEMORY}",
        f"-timeout={LONGEST}",
        f"-max_len={LARGEST}",
        f"-artifact_prefix={corpus.parent}/",
        "-print_final_stats=0",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], one)
    atheris.Fuzz()


def fuzzed(name: str, seconds: float, kept: Path) -> tuple[int, list[str]]:
    """How many inputs a parser saw in so many seconds, and what broke it."""
    corpus, counts = kept / name / "corpus", kept / name / "counts"
    corpus.mkdir(parents=True, exist_ok=True)
    for at, seed in enumerate(PARSERS[name][2]()):
        (corpus / f"seed-{at}").write_bytes(seed)
    total, broken, end = 0, list[str](), time.monotonic() + seconds
    shelf = "/dev/shm" if Path("/dev/shm").is_dir() else None
    room = Path(tempfile.mkdtemp(prefix="shoal-fuzz-", dir=shelf))
    while (left := end - time.monotonic()) > 1:
        counts.write_text("0")
        process = subprocess.Popen(
            [sys.executable, __file__, "--child", name, str(corpus), str(counts), str(room)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            _, said = process.communicate(timeout=left)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            said = None
        total += int(counts.read_text() or 0)
        if said is not None:
            broken.append(_cause(said, process.returncode, room / PARSERS[name][0], corpus.parent))
            print(f"    {name}: {broken[-1]}", flush=True)
    shutil.rmtree(room)
    return total, broken


def _cause(said: str, code: int, last: Path, kept: Path) -> str:
    """Why a process ended by itself: Python's words, the fuzzer's, or its exit code; and where the input lies.

    Where the fuzzer had no time to keep it, the `last` file that was read is kept.
    """
    where = re.search(r"written to (\S+)", said)
    if where:
        name = Path(where[1]).name
    else:
        name = f"last-{time.time_ns()}"
        shutil.copy(last, kept / name)
    told = (
        re.findall(rf"^{words}.*", said, re.MULTILINE)
        for words in (r"\w*(?:Error|Exception)\b", r"==\d+== ERROR")
    )
    why = next((lines[-1][:150] for lines in told if lines), f"ended with {code}")
    return f"{why} ({name})"


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], *map(Path, sys.argv[3:6]))
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parsers", nargs="*", metavar="PARSER", help=", ".join(PARSERS))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "shoal-fuzz")
    asked = parser.parse_args()
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in asked.parsers or PARSERS:
        total, broken = fuzzed(name, asked.seconds, asked.corpus)
        print(f"  {name:<10} {total:>9} inputs, {len(broken)} broke it", flush=True)
        before = kept.get(name, {"inputs": 0, "seconds": 0, "broken": []})
        kept[name] = before | {
            "inputs": before["inputs"] + total,
            "seconds": before["seconds"] + round(asked.seconds),
            "broken": before["broken"] + broken,
        }
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(kept, indent=2) + "\n")


if __name__ == "__main__":
    main()
