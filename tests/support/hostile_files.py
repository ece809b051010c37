"""Files that nobody means well with: for each its name, who makes it, and what is said of it.

`SAID` is how the sentence of the reader begins, after the file's name; `READ` stands where the file is read as it is.
A third column says how `init` and `risk` end where that is not what the reader does.
"""

import gzip
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

__all__ = ["CASES", "READ", "SECRET", "Case"]

READ = ""
SECRET = "s3cret"
MANY = 100_000
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


@dataclass(frozen=True)
class Case:
    """A file: `said` by a reader, and the exit code of commands that look at it."""

    file: str
    make: Callable[[], bytes] | bytes | str | None
    said: str
    code: int | None = None

    @property
    def exit_code(self) -> int:
        return self.code if self.code is not None else 0 if self.said == READ else 2

    def write(self, folder: Path) -> Path:
        path = folder / self.file
        if self.make is None:
            os.mkfifo(path)
        elif isinstance(self.make, str):
            path.symlink_to(self.make)
        else:
            path.write_bytes(self.make if isinstance(self.make, bytes) else self.make())
        return path


def xml(entities: str, text: str) -> bytes:
    return f"<!DOCTYPE p [{entities}]><p><q><a>{text}</a><b>{SECRET}</b></q></p>".encode()


LAUGHS = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))


def cells(*rows: str) -> bytes:
    """A workbook whose sheet has these rows, as xml."""
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default '
        'Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets><sheet name="a" sheetId="1" '
        'r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{RELATIONS}"><Relationship Id="r1" '
        f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(rows)}</sheetData></worksheet>',
    }
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return kept.getvalue()


def cell(place: str, text: str) -> str:
    return f'<c {place} t="inlineStr"><is><t>{text}</t></is></c>'


def people(place: str, *, near: str = 'r="A1"') -> bytes:
    """A sheet with a header and a few people, and one cell more at `place`."""
    some = "".join(f"<row>{cell(f'r=`A{i}`', str(i))}</row>" for i in range(2, 9)).replace("`", '"')
    return cells(f"<row>{cell(near, 'age')}</row>", some, f"<row>{cell(place, SECRET)}</row>")


def zeros(gigabytes: int) -> bytes:
    """A gzip file that unpacks to so many gigabytes: one member many times."""
    return gzip.compress(bytes(1 << 24), mtime=0) * (64 * gigabytes)


def zip_of_zeros() -> bytes:
    """A workbook with a member of four gigabytes that says it has few bytes: one block of deflate many times."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 24)) + packer.flush(zlib.Z_FULL_FLUSH)
    data, name = block * 256 + packer.flush(), b"xl/worksheets/sheet1.xml"
    sizes = struct.pack("<III", 0, len(data), 4096)
    local = (
        b"PK\3\4" + struct.pack("<HHHHH", 20, 0, 8, 0, 0) + sizes + struct.pack("<HH", len(name), 0) + name
    )
    central = b"PK\1\2" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 0) + sizes
    central += struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0, 0) + name
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local) + len(data), 0)
    return local + data + central + end


def misnamed() -> bytes:
    """A workbook that says the name of a member is UTF-8, which it is not."""
    data = bytearray(people('r="A9"'))
    entry = data.index(b"PK\1\2")
    data[entry + 8 : entry + 10] = struct.pack("<H", 0x800)
    data[entry + 46] = 0xFF
    return bytes(data)


def parquet(frame: pl.DataFrame) -> bytes:
    kept = io.BytesIO()
    frame.write_parquet(kept, compression="zstd")
    return kept.getvalue()


def table(header: str, *more: str) -> bytes:
    """Twelve people under a header of two columns, and records behind them."""
    some = [f"{20 + i % 3},{'ab'[i % 2]}" for i in range(12)]
    return "\n".join([header, *some, *more, ""]).encode()


def names(*own: str) -> bytes:
    rows = [",".join(str(20 + (i + j) % 4) for j in range(len(own))) for i in range(12)]
    return "\n".join([",".join(f'"{name}"' for name in own), *rows, ""]).encode()


def lines(*records: str) -> bytes:
    return "".join(f"{record}\n" for record in records).encode()


DOCTYPE = "holds a document type declaration; remove it"
MALFORMED = "not well-formed XML, or nested too deeply"
NOT_FLAT = "not an array of flat objects"
NO_FILE = "not a regular file; copy the data to one"
BROKEN = "not an xlsx file, or a broken one"
STATS = "not a file of SPSS, Stata or SAS, or a broken one"
FAR = "a cell stands far away from all others"
NO_UTF8 = "the bytes are not UTF-8 text"
HALF = "half of a character that has two parts"

CASES = {
    # entities
    "billion laughs": Case("x.xml", xml(LAUGHS, "&l9;"), DOCTYPE),
    "quadratic blowup": Case("x.xml", lambda: xml(f'<!ENTITY a "{"x" * MANY}">', "&a;" * MANY), DOCTYPE),
    "entity of a file": Case("x.xml", xml('<!ENTITY a SYSTEM "file:///etc/passwd">', "&a;"), DOCTYPE),
    "entity of the net": Case("x.xml", xml('<!ENTITY a SYSTEM "http://127.0.0.1:9/">', "&a;"), DOCTYPE),
    "entity in a type": Case("x.xml", xml('<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;', "1"), DOCTYPE),
    "type in utf-16": Case("x.xml", xml('<!ENTITY a "b">', "&a;").decode().encode("utf-16"), DOCTYPE),
    # nesting
    "deep xml": Case("x.xml", b"<p>" + b"<q>" * MANY + b"</q>" * MANY + b"</p>", MALFORMED),
    "deep xml, open": Case("x.xml", b"<p>" + b"<q>" * MANY, MALFORMED),
    "deep json": Case("x.json", b'[{"a":' + b"[" * MANY + b"]" * MANY + b"}]", NOT_FLAT),
    "deep ndjson": Case(
        "x.ndjson", b'{"a":' * MANY + b"1" + b"}" * MANY + b"\n", "not JSON; write one object"
    ),
    # numbers and names of fields
    "1e400": Case("x.ndjson", lines('{"a": 1e400, "b": 1}'), "no records, or a field that mixes types", 0),
    "many digits": Case("x.ndjson", lines(f'{{"a": {"9" * MANY}}}'), "not JSON; write one object per line"),
    "NaN": Case("x.json", b'[{"a": NaN}, {"a": 1}]', NOT_FLAT, 0),
    "Infinity": Case("x.ndjson", lines('{"a": -Infinity, "b": 1}'), "no records, or a field", 0),
    "numbers in csv": Case("x.csv", table("age,sex", "1e400,1", "9" * MANY + ",2", "nan,3"), READ),
    "half a character": Case("x.ndjson", lines('{"a": "\\ud83d", "b": 1}'), HALF),
    "half a character, json": Case("x.json", b'[{"a": "\\ud83d"}]', HALF),
    "a backslash before": Case("x.ndjson", lines(*['{"a": "\\\\ud83d", "b": 1}'] * 12), READ),
    "a whole character": Case("x.ndjson", lines(*['{"a": "\\ud83d\\ude00"}'] * 12), READ),
    # text
    "NUL": Case("x.csv", table("age,sex", f"1,{SECRET}\0"), "holds NUL bytes, so it is not UTF-8 text"),
    "NUL far behind": Case("x.csv", lambda: table("age,sex", *["31,f"] * 2000, "31,\0f"), READ),
    "two encodings": Case("x.csv", "a,b\né,1\n".encode() + "é,2\n".encode("latin-1"), NO_UTF8, 0),
    "byte order mark": Case("x.csv", b"\xef\xbb\xbf" + table("age,sex"), READ),
    "utf-16": Case("x.csv", table("age,sex").decode().encode("utf-16"), READ),
    "half of utf-16": Case("x.csv", "a,b\n1,2\n".encode("utf-16") + b"x", "the bytes are not utf-16 text", 2),
    "surrogates": Case("x.csv", b"a,b\n\xed\xa0\x80,2\n", NO_UTF8, 0),
    "a long line": Case(
        "x.csv", lambda: b"a,b\n" + b"x" * 10**8 + b",1\n", "longer than 16777216 characters"
    ),
    "a quote left open": Case("x.csv", lambda: b'a,b\n"' + b"x\n" * 10**7, "a quote is not closed"),
    "a long cell": Case("x.ndjson", lambda: lines(f'{{"a": "{"x" * 17 * 10**6}"}}'), "a cell of more than"),
    # columns
    "many columns": Case("x.csv", lambda: names(*(f"c{i}" for i in range(MANY))), "more than 10000 columns"),
    "many fields": Case(
        "x.ndjson",
        lambda: lines(json.dumps(dict.fromkeys(map(str, range(MANY)), 1))),
        "more than 10000 columns",
    ),
    "scattered fields": Case(
        "x.ndjson", lambda: lines(*(json.dumps({f"k{i}": 1}) for i in range(5000))), "5000 different fields"
    ),
    "many attributes": Case(
        "x.xml",
        lambda: b"<p><q " + b" ".join(b'a%d="1"' % i for i in range(MANY)) + b"/></p>",
        "an element with more than 1000 attributes",
    ),
    "a name twice": Case("x.csv", table("s3cret,s3cret"), "columns 1 and 2 have the same name"),
    "hostile names": Case(
        "x.csv", names("\x1b[31mred", "../../x", "CON", "nul.csv", "a\nb", "=cmd|' /C'!A0"), READ
    ),
    "formulas": Case("x.csv", table("age,sex", *["=cmd|' /C calc'!A0,+1", "-2,@x"] * 6), READ),
    # packed
    "gzip bomb": Case("x.csv.gz", lambda: zeros(4), "unpacks to more than"),
    "zip bomb": Case("x.xlsx", zip_of_zeros, "unpacks to more than"),
    "gzip cut short": Case(
        "x.csv.gz", gzip.compress(table("age,sex"))[:-9], "the gzip data are broken or cut short"
    ),
    "parquet cut short": Case(
        "x.parquet", parquet(pl.DataFrame({"a": [1]}))[:-5], "not a parquet file, or a broken"
    ),
    "parquet bomb": Case(
        "x.parquet",
        lambda: parquet(pl.DataFrame({"a": pl.repeat(1, 150_000_000, eager=True)})),
        "150000000 records",
    ),
    "xlsx cut short": Case("x.xlsx", people('r="A9"')[:-30], BROKEN),
    # sheets whose cells are far apart, told in every way
    "parquet page of minus two values": Case(
        "x.parquet",
        parquet(pl.DataFrame({"name": ["ann", "bob"]})).replace(b"\x15\x04\x15", b"\x15\x03\x15", 1),
        "not a parquet file, or a broken one",
    ),
    "xlsx with a name in no encoding": Case("x.xlsx", misnamed, BROKEN),
    "row without a number": Case("x.xlsx", cells('<row r="x">', "<c><v>1</v></c>", "</row>"), BROKEN),
    "SPSS in name alone": Case("x.sav", b"$FL2" + SECRET.encode() * 99, STATS),
    "Stata in name alone": Case("x.dta", b"<stata_dta><header><release>118" + SECRET.encode() * 9, STATS),
    "SAS cut short": Case("x.xpt", b"HEADER RECORD*******LIBRARY HEADER RECORD", STATS),
    "far cell": Case("x.xlsx", people('r="XFD1048576"'), FAR),
    "cell beyond all": Case("x.xlsx", people('r="ZZZ9999999"'), FAR),
    "cell beyond numbers": Case("x.xlsx", people('r="ZZZZZZZ4294967295"'), BROKEN),
    "far cell, other quotes": Case("x.xlsx", people("r='XFD1048576'"), FAR),
    "far cell, other case": Case("x.xlsx", people('r="xfd1048576"'), FAR),
    "far cell behind another attribute": Case("x.xlsx", people('s="r=&quot;A1&quot;" r="XFD1048576"'), FAR),
    "far row": Case("x.xlsx", cells('<row r="1048576">', "<c><v>1</v></c>" * 9000, "</row>"), FAR),
    "places unsaid": Case("x.xlsx", people("", near=""), READ),
    # no files
    "fifo": Case("x.csv", None, NO_FILE),
    "fifo of json": Case("x.json", None, NO_FILE),
    "link to a device": Case("x.csv", "/dev/zero", NO_FILE),
    "link to a device, xml": Case("x.xml", "/dev/zero", NO_FILE),
    "link to a device, ndjson": Case("x.ndjson", "/dev/zero", NO_FILE),
    "link to a device, gzip": Case("x.csv.gz", "/dev/zero", NO_FILE),
    "link to a folder": Case("x.csv", "/", "a directory where a file is expected", 2),
    "link to itself": Case("x.csv", "x.csv", "not found in"),
    "link to nothing": Case("x.xml", "gone", "not found in"),
}
