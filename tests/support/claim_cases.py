"""Releases as the twins in `naive_claims` look at them, and classes that break a claim."""

from fractions import Fraction

import numpy as np

import naive
import naive_claims
from shoal.release import Published, Sensitive


def release(cells, quasi=None, persons=None):
    """A release of one quasi-identifier and one sensitive column; None is an empty cell."""
    values = tuple(dict.fromkeys(cell for cell in cells if cell is not None))
    codes = np.array([-1 if cell is None else values.index(cell) for cell in cells], dtype=np.int64)
    quasi = np.zeros(len(cells), np.int64) if quasi is None else np.array(quasi)
    return Published({"q": quasi}, {"ill": Sensitive(codes, values)}, persons)


def plain(published):
    """Rows of quasi-identifiers, the cells of each sensitive column, and persons, as plain lists."""
    rows = list(zip(*(column.tolist() for column in published.quasi.values()), strict=True))
    columns = [
        [None if code < 0 else column.values[code] or None for code in column.codes.tolist()]
        for column in published.sensitive.values()
    ]
    who = list(range(len(rows))) if published.persons is None else published.persons.tolist()
    return rows, columns, who


def unlike(published, beta, likeness):
    """The rows of classes that break beta-likeness in some column."""
    rows, columns, who = plain(published)
    whole = range(len(rows))
    return naive_claims.rows_of(
        rows,
        lambda members: any(
            naive_claims.unlike(members, whole, cells, who, Fraction(beta), likeness) for cells in columns
        ),
    )


def telling(published, factor):
    """The rows of classes that break delta-disclosure privacy, delta being ln(factor), in some column."""
    rows, columns, who = plain(published)
    whole = range(len(rows))
    return naive_claims.rows_of(
        rows,
        lambda members: any(naive_claims.telling(members, whole, cells, who, factor) for cells in columns),
    )


def frequent(published, alpha, k):
    """The rows of classes with fewer than k persons, or a value too frequent in some column."""
    rows, columns, who = plain(published)
    small = set(naive.under(rows, k, who))
    often = naive_claims.rows_of(
        rows,
        lambda members: any(naive_claims.frequent(members, cells, who, Fraction(alpha)) for cells in columns),
    )
    return sorted(small | set(often))


def exposing(published, alpha, hidden):
    """The rows of classes in which too many persons have a hidden value in some column."""
    rows, columns, who = plain(published)
    named = dict(zip(published.sensitive, columns, strict=True))
    return naive_claims.rows_of(
        rows,
        lambda members: any(
            naive_claims.hidden_share(members, named[name], who, {*values}) > Fraction(alpha)
            for name, values in dict(hidden).items()
        ),
    )


def undiverse(published, l, kind, c):
    """The rows of classes that are not l-diverse in some column."""
    rows, columns, who = plain(published)
    return naive_claims.rows_of(
        rows,
        lambda members: any(
            not naive.diverse(
                [cells[place] for place in members], l, kind, c, [who[place] for place in members]
            )
            for cells in columns
        ),
    )


def distances(published, distance):
    """For each row, the largest distance of its class from the whole over the sensitive columns."""
    rows, columns, who = plain(published)
    found = np.zeros(len(rows))
    for members in naive.classes(rows):
        for cells in columns:
            found[members] = np.maximum(found[members], naive.closeness(members, cells, distance, who))
    return found
