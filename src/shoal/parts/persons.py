"""Whom records belong to: behind the columns of the dictionary two more, with 64 bits of a hash of the person's name.

All rows of a person are in one part. Two persons whose names have one hash would be counted as one; among ten million
persons the odds that there are any two are 1 in 370,000.
"""

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import polars as pl

from shoal.base.errors import InputError
from shoal.data.arrays import I4, I8
from shoal.io.read.cells import cell_texts, clean_cells, factorize, normalize_names

__all__ = ["HOUSEHOLD", "PERSON", "WIDTH", "add_persons", "hash_persons", "persons_of"]

WIDTH = 2
"""How many columns of codes tell whom a record belongs to."""
PERSON = "person; give every record a person or leave it out"
HOUSEHOLD = "household; give whoever lives alone one of their own"
"""What a record must name, and what to do where it does not."""


def hash_persons(cells: pl.Series, missing: Sequence[str], where: str, what: str = PERSON) -> I8:
    """Return a number for the person of each record, equal for equal names: int64[n].

    Raises
    ------
    InputError
        A record names nobody; `where` is what the sentence calls file and column, `what` says whom and what to do.
    """
    names = normalize_names(clean_cells(cell_texts(cells), missing))
    if names.null_count():
        raise InputError(f"{where}: some records name no {what}")
    values, codes = factorize(names)
    digests = (blake2b(str(name).encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in values)
    return np.frombuffer(b"".join(digests), dtype="<i8").astype(np.int64)[codes]


def add_persons(codes: I4, persons: I8) -> I4:
    """Return records with the columns that tell whom they belong to: int32[n, columns + WIDTH]."""
    return np.concatenate([codes, persons.view(np.int32).reshape(-1, WIDTH)], axis=1)


def persons_of(codes: I4) -> I8:
    """Return whom each record belongs to, from its last columns: int64[n], equal numbers for one person."""
    return np.ascontiguousarray(codes[:, -WIDTH:]).view(np.int64)[:, 0]
