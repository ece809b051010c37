"""Codes whose own structure says what belongs together: diagnoses, drugs, jobs, branches, regions, postal codes.

Each reader takes one value, with or without dots and blanks, in any case, and gives the code as it is sorted and the
labels above it; None where it is no such code.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from shoal.naming import resource_table

__all__ = ["READERS", "Labels", "Reading", "vocabulary_file"]

_ICD10 = re.compile(r"((?:[A-Z][0-9]|QA)[0-9AB])[0-9A-Z]{0,4}[+*!†#]?[AGVZRLB]?")
_ICD9 = re.compile(r"(V[0-9]{2}|E[0-9]{3}|[0-9]{3})[0-9]{0,2}")
_ATC = re.compile(r"[A-Z][0-9]{2}(?:[A-Z](?:[A-Z](?:[0-9]{2})?)?)?")
_NUTS = re.compile(r"([A-Z]{2})([0-9A-Z]{0,3})")
_FIVE = re.compile(r"([0-9]{4,5})(?:-?[0-9]{4})?")
_UK = re.compile(r"(([A-Z]{1,2})[0-9][0-9A-Z]?)(?:[0-9][A-Z]{2})?")
_NL = re.compile(r"[1-9][0-9]{3}(?:[A-Z]{2})?")
_SNOMED = re.compile(r"[1-9][0-9]{3,15}[01][0-9]{2}")
_DOTTED = re.compile(r"[0-9]+\.[0-9]*")

Labels = tuple[str | None, ...]
"""What stands above a value, from small to large; None on a level that is finer than the value is."""

Reading = tuple[Any, Labels] | None
"""Where a value stands among the others, and its labels; None where it is not in the vocabulary."""


def vocabulary_file(name: str) -> dict[str, Any]:
    """A file of vocabularies."""
    return resource_table("shoal.hierarchy", f"vocabulary/{name}.toml")


def _code(value: str) -> str:
    """A code without dots, blanks and case."""
    return re.sub(r"[\s.]", "", value).upper()


# Codes: ranges of them, and what they begin with.


@cache
def _ranges(which: str) -> list[tuple[str, str, str, str]]:
    """First and last code of each range, the label of its block and that of its chapter, in order.

    A block is a range, and after a "+" categories that belong to it though they stand outside of it.
    """
    chapters: Mapping[str, str] = vocabulary_file("codes")[which]["chapters"]
    ranges: list[tuple[str, str, str, str]] = []
    for chapter, blocks in chapters.items():
        for block in blocks.split():
            label, *others = block.split("+")
            first, _, last = label.partition("-")
            ranges += [(first, last, label, chapter), *((one, one, label, chapter) for one in others)]
    return sorted(ranges)


@cache
def _range_of(which: str, category: str) -> tuple[str | None, str] | None:
    """The label of the block and of the chapter of a category; no block where only the chapter has a place for it."""
    for first, last, label, chapter in _ranges(which):
        if first <= category <= last:
            return label, chapter
    bounds = {chapter: chapter.partition(" ")[0].partition("-") for *_, chapter in _ranges(which)}
    return next(((None, name) for name, (low, _, high) in bounds.items() if low <= category <= high), None)


def _icd(which: str, form: re.Pattern[str], value: str) -> Reading:
    """A diagnosis by its category, block and chapter; a category of no block is one of its own."""
    text = value.strip()
    if which == "icd9" and (_DOTTED.fullmatch(text) or len(text) < 3) and text[:1].isdigit():
        text = text.partition(".")[0].zfill(3) + text.partition(".")[2]  # spreadsheets make 8.45 of 008.45
    found = form.fullmatch(_code(text))
    place = None if found is None else _range_of(which, found[1])
    if found is None or place is None:
        return None
    category = f"{found[1]}*"
    return _code(text), (category, place[0] or category, place[1])


def _atc(value: str) -> Reading:
    code, names = _code(value), vocabulary_file("codes")["atc"]
    if not _ATC.fullmatch(code) or code[:3] not in names["second"]:
        return None
    return code, (*_begins(code, (5, 4)), names["second"][code[:3]], names["first"][code[0]])


def _begins(code: str, lengths: Sequence[int], width: int = 0) -> Labels:
    """What a code begins with, level by level; None where it is shorter."""
    return tuple(
        code[:length] + "*" * max(1, width - length) if len(code) >= length else None for length in lengths
    )


def _isco(value: str) -> Reading:
    """An occupation by its digits; zeros at the end of four digits say that no smaller group is known."""
    code, facts = _code(value), vocabulary_file("codes")["isco"]
    if not 1 <= len(code) <= 4 or not code.isdecimal():
        return None
    if code in (
        "110",
        "210",
        "310",
    ):  # spreadsheets make these of 0110, 0210, 0310: no minor group ends with 0
        code = f"0{code}"
    if len(code) == 4 and code.endswith("00"):
        code = code.rstrip("0") or "0"
    whole = code[:3]
    if not any(
        last.startswith(whole) or (len(whole) == 3 and last[:2] == whole[:2] and "0" < whole[2] <= last[2])
        for last in facts["minor"].split()
    ):
        return None
    return code, (*_begins(code, (3, 2), 4), facts["first"][code[0]])


def _branch(which: str, value: str) -> Reading:
    """A branch of trade: NACE with its letter or without it, NAICS by digits."""
    lengths, width = ((3, 2), 4) if which == "nace" else ((4, 3), 6)
    code = _code(value)
    letter = code[:1] if which == "nace" and code[:1].isalpha() else ""
    code = code.removeprefix(letter)
    place = _range_of(which, code[:2]) if code.isdecimal() and 2 <= len(code) <= width else None
    if place is None or not place[1].startswith(letter):
        return None
    return code, (*_begins(code, lengths, width), place[1])


def _nuts(value: str) -> Reading:
    found = _NUTS.fullmatch(_code(value))
    first = None if found is None else vocabulary_file("codes")["nuts"]["first"].get(found[1])
    if found is None or first is None or (found[2] and found[2][0] not in f"{first}Z"):
        return None
    code = found[1] + found[2]
    return code, _begins(code, (4, 3, 2))


# Postal codes.


@cache
def _unused(country: str) -> tuple[str, ...]:
    return tuple(vocabulary_file("postal")[country]["unused"].split())


@cache
def _regions(country: str) -> dict[str, str]:
    """The region of each department or province."""
    regions: Mapping[str, str] = vocabulary_file("postal")[country]["regions"]
    return {part: region for region, parts in regions.items() for part in parts.split()}


def _five(value: str) -> str | None:
    """Five digits, with the zero that a spreadsheet took away; four more of a code of the US are left out."""
    found = _FIVE.fullmatch(re.sub(r"\s|^(?:D|F|I|E|US)-", "", value.strip().upper()))
    return None if found is None else found[1].zfill(5)


def _digits(country: str, lengths: Sequence[int], value: str) -> Reading:
    code = _five(value)
    if code is None or code.startswith(_unused(country)):
        return None
    return code, _begins(code, lengths, 5)


_RESTRICTED = frozenset(
    "036 059 063 102 202 203 204 205 369 556 692 753 772 790 821 823 830 831 878 879 884 890 893".split()
)  # beginnings under which at most 20,000 people live, by the census of 2000 or that of 2020


def _safe_harbor_zip(value: str) -> Reading:
    """Three digits, but 000 where HIPAA's Safe Harbor asks for it; nothing above it may tell the zone either."""
    found = _digits("us", (3, 1), value)
    return (found[0], ("000**", "000**")) if found is not None and found[0][:3] in _RESTRICTED else found


def _french(value: str) -> Reading:
    """The department: two digits, three overseas, and in Corsica a letter."""
    code = _five(value)
    if code is None:
        return None
    part = code[:3] if code[:3] in _regions("fr") else code[:2]
    if part == "20":  # Ajaccio's own codes for large senders begin with 203, 205, 207 and 209
        part = "2B" if code[2] in "246" else "2A"
    region = _regions("fr").get(part)
    return None if region is None else (code, (f"{part}*", region))


def _spanish(value: str) -> Reading:
    code = _five(value)
    region = None if code is None else _regions("es").get(code[:2])
    return None if code is None or region is None else (code, (f"{code[:2]}***", region))


def _british(value: str) -> Reading:
    """The outward code, and the area of its letters."""
    code = _code(value)
    found = _UK.fullmatch(code)
    if found is None or found[2] not in vocabulary_file("postal")["uk"]["areas"].split():
        return None
    return code, (f"{found[1]} *", f"{found[2]}*")


def _dutch(value: str) -> Reading:
    code = _code(value)
    return (code, (f"{code[:4]} **", f"{code[:2]}**", f"{code[:1]}***")) if _NL.fullmatch(code) else None


def _snomed(value: str) -> Reading:
    """A concept's number with its check digit (Verhoeff's): nothing stands above it but the root."""
    code = value.strip()
    if not _SNOMED.fullmatch(code):
        return None
    check = 0
    for place, digit in enumerate(reversed(code)):
        check = _dihedral(check, _permuted(int(digit), place))
    return None if check else (code, ())


def _dihedral(a: int, b: int) -> int:
    """The product in the group of the pentagon's ten symmetries."""
    turn = (a + b if a < 5 else a - b) % 5
    return turn + 5 * ((a < 5) != (b < 5))


def _permuted(digit: int, times: int) -> int:
    for _ in range(times % 8):
        digit = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)[digit]
    return digit


READERS: dict[str, Callable[[str], Reading]] = {
    "icd10": partial(_icd, "icd10", _ICD10),
    "icd9": partial(_icd, "icd9", _ICD9),
    "snomed": _snomed,
    "atc": _atc,
    "isco": _isco,
    "nace": partial(_branch, "nace"),
    "naics": partial(_branch, "naics"),
    "nuts": _nuts,
    "de-postal": partial(_digits, "de", (3, 2, 1)),
    "fr-postal": _french,
    "es-postal": _spanish,
    "it-postal": partial(_digits, "it", (3, 2, 1)),
    "us-zip": partial(_digits, "us", (3, 1)),
    "us-zip-safe-harbor": _safe_harbor_zip,
    "uk-postal": _british,
    "nl-postal": _dutch,
}
"""For each kind of code, what it says of one value."""
