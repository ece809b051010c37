"""Hierarchies as their user gave them, a file's text or a rule, read in a few lines; nothing here may import shoal.

A path holds a value first and the root last; the value is None where it stands for the empty cell. Of ranges, masks and
groups of numbers there are only leaf and root: what their labels stand for can be read off the labels, see
`naive_written.meaning`. Groups of texts have numbers for names, so they are grouped here.
"""

import csv
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import combinations

ROOT = "*"
_UNITS = {
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
}


def readings(rule, values, kept, missing=(), *, partly=False):
    """The lists of paths that a rule may mean for a column: one, but for groups of texts.

    Those are made from all values of the originals, or from those of the records that were kept alone: both are right,
    and which it was cannot be seen in a rule. Groups that nothing which was kept is in have no number. `partly` says
    that some values of kept records may be left out, as items are: then any of them may be.

    Parameters
    ----------
    rule
        The text of a file, a dict as a configuration has it, or None.
    values, kept
        The values of all originals and of those that were kept; None is the empty cell.
    missing
        The texts that stand for the empty cell.
    """
    known, held = sorted(set(values) - {None}), sorted(set(kept) - {None})
    if isinstance(rule, str):
        return [_in_file(rule, missing)]
    if rule is not None and "dates" in rule:
        return [_of_dates(rule["dates"], known)]
    if rule is not None and "fanout" in rule and not _are_numbers(known):
        pools = [known] if held == known else [known, held]
        fewest = 1 if partly and held else len(held)
        shown = [some for size in range(len(held), fewest - 1, -1) for some in combinations(held, size)]
        return [_grouped(pool, rule["fanout"], set(some) or set(pool)) for some in shown for pool in pools]
    return [[[value, ROOT] for value in known]]


def _in_file(text, missing):
    """The rows of a file; a short row repeats its value below the others."""
    rows = [
        row for row in csv.reader(text.splitlines(), delimiter=";" if ";" in text.split("\n")[0] else ",")
    ]
    width = max(map(len, rows))
    rows = [row[:1] * (width - len(row)) + row for row in rows]
    return [[None if row[0] == "" or row[0] in missing else row[0], *row[1:]] for row in rows]


def _of_dates(units, values):
    return [[value, *(_UNITS[unit](date.fromisoformat(value)) for unit in units), ROOT] for value in values]


def _grouped(values, size, held):
    """Groups of so many neighbours in order, groups of so many groups above them, each with its number."""
    paths, width = [[value] for value in values], size
    while width < len(values):
        there = sorted({place // width for place, value in enumerate(values) if value in held})
        name = {group: f"group {number} of {len(there)}" for number, group in enumerate(there, 1)}
        for place, path in enumerate(paths):
            path.append(name.get(place // width, "nobody"))
        width *= size
    return [[*path, ROOT] for path in paths]


def _are_numbers(values):
    """Whether all are amounts: numbers, none of them with a leading zero, and not mostly of ten digits and more."""
    long = sum(value.lstrip("+-").isdigit() and len(value.lstrip("+-")) >= 10 for value in values)
    long += sum(value[0] == "+" and value[1:].isdigit() and 7 <= len(value) - 1 < 10 for value in values)
    return 2 * long <= len(values) and all(_is_amount(value) for value in values)


def _is_amount(text):
    try:
        found = Decimal(text)
    except InvalidOperation:
        return False
    digits = text.lstrip("+-")
    return found.is_finite() and text == text.strip() and not (digits[0] == "0" and digits[1:2].isdigit())
