"""The formats that a release can have; this imports nothing, so that whoever only asks for them stays light."""

__all__ = ["FORMATS", "TREE_FILES"]

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
