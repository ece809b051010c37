"""The formats that a release can have, and what its owner may tell of it.

This imports nothing, so that whoever only asks for them stays light.
"""

__all__ = ["ABOUT", "FORMATS", "TREE_FILES"]

FORMATS = ("csv", "parquet", "ndjson")
"""Of tables and baskets; the first is the usual one."""

TREE_FILES = {
    "ndjson": "data.ndjson",
    "csv": "data.csv",
    "parquet": "data.parquet",
    "xml": "data.xml",
    "tables": "data",
    "nested": "data.nested.ndjson",
}
"""Of record trees: for each format, the name of the file, or of the folder, in a release."""

ABOUT = {
    "title": "What the release is called",
    "controller": "Who is responsible for the data",
    "purpose": "What it is published for",
    "recipient": "Who gets it",
    "contact": "Whom to ask",
    "reason": "Why so many people must look alike, and not fewer",
}
"""What the owner may tell of a release, in [release]: manifest and report repeat it."""
