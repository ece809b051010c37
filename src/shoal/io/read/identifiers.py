"""Who is who: names of persons as they are compared, and columns that look like such names."""

import re
import warnings

import polars as pl

from shoal.errors import InputError, ShoalWarning

__all__ = ["looks_named", "looks_numbered", "normalize_names", "refuse_same", "refuse_shared", "tell_repeats"]

_BLANKS = r"[\s\u200b\u2060\ufeff]+"
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LAST = frozenset(
    "id ids uid uuid guid nr no num number key name surname ssn mrn email mail phone iban login user username patient "
    "person customer client member subject participant respondent".split()
)
_JOINED = re.compile(
    r"(patient|person|customer|client|user|member|subject|participant|case|record)s?(id|nr|no|num|number|name)"
)
_UUID, _MAIL = "[0-9A-Fa-f]{8}-[0-9A-Fa-f-]{27}", r"[^@\s]+@[^@\s]+\.[^@\s]+"
_NUMBERED = f"^(?:0[0-9]{{4,}}|[0-9]{{6,}}|[A-Za-z]{{1,4}}[-_]?[0-9]{{4,}}|{_UUID}|{_MAIL})$"
_OFTEN = 0.1  # of the rows: a column with fewer different values tells groups, not persons


def normalize_names(cells: pl.Series) -> pl.Series:
    """Names of persons as they are compared: without blanks, an empty one null.

    >>> normalize_names(pl.Series(["A 1", "A1 ", " ", None])).to_list()
    ['A1', 'A1', None, None]
    """
    bare = cells.str.replace_all(_BLANKS, "") if cells.str.contains(_BLANKS).any() else cells
    return bare.set(bare == "", None) if (bare == "").any() else bare


def refuse_same(where: str, names: pl.Series, remedy: str) -> None:
    """Refuse records that share a name, or of which several have none: they may be one person's."""
    refuse_shared(where, int(names.drop_nulls().is_duplicated().sum()), names.null_count(), remedy)


def refuse_shared(where: str, shared: int, gone: int, remedy: str) -> None:
    """Refuse so many records that share a name, or that have none."""
    if shared:
        raise InputError(f"{where}: {shared} records share an identifier; {remedy}")
    if gone > 1:
        raise InputError(
            f"{where}: {gone} records have no identifier, so they may belong to one person; give each its own, or "
            f"{remedy}"
        )


def looks_named(column: str) -> bool:
    """Whether a column is called as names and numbers of persons are.

    >>> [looks_named(name) for name in ("patient_id", "PatientID", "userid", "name", "age", "covid")]
    [True, True, True, True, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(column)]
    return bool(words) and (words[-1] in _LAST or _JOINED.fullmatch("".join(words)) is not None)


def looks_numbered(names: pl.Series) -> bool:
    """Whether cells look like numbers of persons: long codes of one length or addresses, many of them different."""
    present = names.drop_nulls()
    if not len(present) or present.n_unique() < max(2, _OFTEN * len(present)):
        return False
    digits = present.filter(present.str.contains(r"^[0-9]+$"))
    one_length = not len(digits) or digits.str.len_chars().n_unique() == 1
    return one_length and bool(present.str.contains(_NUMBERED).all())


def tell_repeats(where: str, column: str, names: pl.Series, remedy: str) -> None:
    """Tell that a column that is left out looks like an identifier, and that values of it repeat."""
    shared = int(names.drop_nulls().is_duplicated().sum())
    if shared and (looks_named(column) or looks_numbered(names)):
        warnings.warn(
            f"{where}: '{column}' is dropped, looks like an identifier, and {shared} records share a value of it; "
            f"every record is now taken for a different person; if that is wrong, {remedy}",
            ShoalWarning,
            stacklevel=2,
        )
