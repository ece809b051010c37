"""The formats of files: what is read from which ending, and how a release may be written.

This is the one table of endings: whoever wants to know what a file is asks it. A new format for tables is a row here
and a function in `io.read.table` under the name of its reader. It imports nothing heavy, so that whoever only asks
stays light.
"""

from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "ABOUT",
    "ENDINGS",
    "FORMATS",
    "FORMER_TREE_FILES",
    "LABELLED",
    "LINKED_FORMAT",
    "NO_NODES_IN_CELLS",
    "REDACTORS",
    "TREE_FILES",
    "TREE_FORMATS",
    "FileFormat",
    "ending_of",
    "format_of",
    "is_database",
]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How files with one ending are read, and what from.

    reader    : the name under which readers stand in their tables; several endings may share one
    delimiter : of text files, the one that the ending states; else the first lines decide
    table     : whether a table is read from such a file
    nested    : whether record trees are read from it
    in_folder : whether it may be one table of a folder of tables
    in_parts  : whether baskets are read from it part by part
    on_spark  : whether Spark reads it
    packing   : about how many bytes of records a byte of it holds
    needs     : the package that reads it and the extra that brings it, where the core has none
    function  : the function of that package, where it has several
    """

    reader: str
    delimiter: str | None = None
    table: bool = True
    nested: bool = False
    in_folder: bool = False
    in_parts: bool = False
    on_spark: bool = False
    packing: int = 1
    needs: tuple[str, str] | None = None
    function: str = ""


_STATS = ("pyreadstat", "stats")
ENDINGS = {
    ".csv": FileFormat("csv", in_folder=True, in_parts=True, on_spark=True),
    ".tsv": FileFormat("csv", delimiter="\t", in_folder=True, on_spark=True),
    ".txt": FileFormat("csv", on_spark=True),
    ".parquet": FileFormat("parquet", in_folder=True, in_parts=True, on_spark=True, packing=10),
    ".ndjson": FileFormat("ndjson", nested=True, in_parts=True, on_spark=True),
    ".jsonl": FileFormat("ndjson", nested=True, on_spark=True),
    ".json": FileFormat("json", nested=True),
    ".xlsx": FileFormat("xlsx", needs=("fastexcel", "excel")),
    ".sav": FileFormat("labelled", packing=8, needs=_STATS, function="read_sav"),
    ".zsav": FileFormat("labelled", packing=100, needs=_STATS, function="read_sav"),
    ".por": FileFormat("labelled", needs=_STATS, function="read_por"),
    ".dta": FileFormat("labelled", needs=_STATS, function="read_dta"),
    ".sas7bdat": FileFormat("labelled", packing=8, needs=_STATS, function="read_sas7bdat"),
    ".xpt": FileFormat("labelled", needs=_STATS, function="read_xport"),
    ".dat": FileFormat("fimi", in_parts=True),
    ".xml": FileFormat("xml", table=False, nested=True),
    ".db": FileFormat("database", table=False),
    ".sqlite": FileFormat("database", table=False),
    ".sqlite3": FileFormat("database", table=False),
    ".duckdb": FileFormat("database", table=False),
}
"""What is known of a file by its ending; all but databases may have .gz behind it."""

LABELLED = ("sav", "zsav", "dta")
"""Of released tables: files of SPSS and Stata, whose values and columns have labels."""

FORMATS = ("csv", "parquet", "ndjson", *LABELLED)
"""Of released tables, and but for files with labels of baskets; the first is the usual one."""

TREE_FILES = {
    "ndjson": "data.ndjson",
    "nodes": "data.ndjson",
    "xml": "data.xml",
    "tables": "data",
    "nested": "data.nested.ndjson",
    "nested rows": "data.rows.ndjson",
    "linked tables": "tables",
}
"""Of released record trees: for each format, the name of the file, or of the folder, in a release.

"nested rows" is what "nested" writes where rows are kept: the same look, but an object is read as a row. "linked
tables" is what "tables" writes where rows came from tables and are kept: the same tables."""

TREE_FORMATS = tuple(name for name in TREE_FILES if name not in ("nested rows", "linked tables"))
"""Of released record trees: the formats that one can ask for; without one they are written as they came."""

LINKED_FORMAT = "parquet"
"""Of released record trees that came as linked tables and keep their rows: one may also ask for parquet files."""

FORMER_TREE_FILES = {"csv": "data.csv", "parquet": "data.parquet"}
"""The formats in which versions before 0.3 also wrote record trees, as nodes in cells; nothing reads them any more."""

NO_NODES_IN_CELLS = (
    "record trees are not written as nodes in cells of csv or parquet any more; write ndjson or tables, or leave "
    "the format out"
)
"""What is said where such a file is asked for."""

GROUPS = "groups.json"
"""Of released baskets: the file beside the data that says which items each group has."""

NUMBER_FORMS = ("groups", "ranges")
"""How local recoding writes the numbers of a class: as a group of their hierarchy, or as the range that they span."""

GROUP_FORMS = ("file", "inline")
"""How released rows may hold groups: by a name, whose items stand in that file, or spelled out."""

REDACTORS = ("presidio",)
"""The programs that free text can be handed to."""

ABOUT = {
    "title": "What the release is called",
    "controller": "Who is responsible for the data",
    "purpose": "What it is published for",
    "recipient": "Who gets it",
    "contact": "Whom to ask",
    "reason": "Why so many people must look alike, and not fewer",
}
"""What the owner may tell of a release, in [release]: manifest and report repeat it."""


def ending_of(name: str) -> str:
    """The ending of a file's name in small letters, .gz apart.

    >>> ending_of("People.CSV.gz"), ending_of("people")
    ('.csv', '')
    """
    return Path(name.lower().removesuffix(".gz")).suffix


def is_database(name: str) -> bool:
    """Whether a file holds a database, by its name.

    >>> is_database("people.sqlite"), is_database("people.csv")
    (True, False)
    """
    format = ENDINGS.get(Path(name.lower()).suffix)
    return format is not None and format.reader == "database"


def format_of(name: str) -> FileFormat | None:
    """What is known of a file by its name, packed or not; None where it is nothing that is read."""
    return ENDINGS.get(ending_of(name))
