"""Bands of numbers as people write them, 18-29 or 65 and over: their order, and the name of neighbours together."""

import re
from collections.abc import Sequence
from itertools import chain, pairwise

from shoal.hierarchy.column_values import AT_MOST, END_BEFORE, END_BEHIND, END_BEHIND_LOW

__all__ = ["are_bands", "in_order", "join_bands", "side_of"]

_LEAST = 3  # words of a scale; of two, either order is as good
_LONGEST = 100  # different bands
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_THOUSANDS = re.compile(r"\b([1-9][0-9]{0,2})[.,]([0-9]{3})(?![0-9])")
_BEFORE, _BEHIND, _LOW, _LOW_BEHIND = (
    "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    for words in (
        chain.from_iterable(END_BEFORE.values()), END_BEHIND, (*END_BEFORE[-1], *AT_MOST), END_BEHIND_LOW)
)  # fmt: skip
_UNIT = r"(?:\s*(?:years?|yrs?|jahren?|ans|años|anni|jaar|yaş|岁|k?m|min|h|kg|[€$£]))?"
_BAND = re.compile(
    rf"(?P<before>{_BEFORE})?\s*(?:[€$£]\s*)?(?P<low>[0-9][0-9.,]*){_UNIT}\s*"
    rf"(?:(?:-|–|to|bis|à|a|tot)\s*(?P<last>(?:[€$£]\s*)?(?P<high>[0-9][0-9.,]*))|(?P<more>{_BEHIND}))?{_UNIT}"
    rf"(?:\s*(?P<behind>{_BEHIND}))?",
    re.IGNORECASE,
)  # 18-29, 65+, < 18, 30 to 39 years, £40,000 and over
_BELOW = re.compile(rf"(?:{_LOW})(?![^\W\d])|.*(?:{_LOW_BEHIND})$", re.IGNORECASE)


def in_order(values: Sequence[str]) -> list[str] | None:
    """The values in the order of numbers where all are bands of them; None where one is not.

    >>> in_order(["65+", "18-29", "30-64", "<18"]), in_order(["65+", "18-29", "young"])
    (['<18', '18-29', '30-64', '65+'], None)
    """
    bare = {value: _bare(value) for value in values}
    if len(bare) < _LEAST or not all(map(_BAND.fullmatch, bare.values())):
        return None
    return sorted(bare, key=lambda value: (_ends(bare[value])[0], not _BELOW.match(bare[value])))


def are_bands(values: Sequence[str]) -> bool:
    """Whether values are bands of numbers that follow one another, so that they have no parts to mask as codes have."""
    order = in_order(values) if len(values) <= _LONGEST else None
    ends = [end for value in order or () for end in _ends(value)]
    return bool(ends) and ends == sorted(ends)


def join_bands(first: str, last: str, scale: Sequence[str]) -> str | None:
    """The name of all from one band to another by their ends, in the words that they have; None where it has none.

    The whole scale tells whether the next band begins where one ends, or with the next whole number.

    >>> ages = ["Under 20", "20-29", "30-39", "40 and over"]
    >>> join_bands("20-29", "30-39", ages), join_bands("Under 20", "20-29", ages), join_bands("30-39", ages[-1], ages)
    ('20-39', 'Under 30', '30 and over')
    >>> join_bands("< 5 km", "5-10 km", ["< 5 km", "5-10 km", "10-20 km", "> 20 km"])
    '< 10 km'
    """
    one, other = _BAND.fullmatch(_bare(first)), _BAND.fullmatch(_bare(last))
    if one is None or other is None or (one["high"] is None and other["high"] is None):
        return None
    if one["high"] is not None and other["high"] is not None:
        if one["before"] or other["before"]:
            return None
        return one.string[: one.start("last")] + other.string[other.start("last") :]
    open_, end = (one, other["high"]) if one["high"] is None else (other, one["low"])
    words = _open_words(open_)
    if words is None or (_BELOW.match(words) is not None) != (open_ is one):
        return None
    step = next((step for step, some in END_BEFORE.items() if words.casefold() in some), 0)
    if step and (gaps := _gaps(scale)) != {0.0}:
        if gaps != {1.0} or not end.isdecimal():
            return None
        end = str(int(end) - step)
    return open_.string[: open_.start("low")] + end + open_.string[open_.end("low") :]


def side_of(band: str) -> int:
    """1 where a band has no upper end, -1 where it has no lower one, else 0.

    >>> side_of("65 years and over"), side_of("< 18"), side_of("18-29"), side_of("young")
    (1, -1, 0, 0)
    """
    found = _BAND.fullmatch(_bare(band))
    words = None if found is None else _open_words(found)
    return 0 if words is None else -1 if _BELOW.match(words) else 1


def _open_words(band: re.Match[str]) -> str | None:
    return band["before"] or band["more"] or band["behind"]


def _gaps(scale: Sequence[str]) -> set[float]:
    """How far behind the end of a band the next one begins."""
    ends = [_ends(band) for band in scale if _BAND.fullmatch(_bare(band))]
    return {next_[0] - here[1] for here, next_ in pairwise(ends) if len(here) > 1}


def _bare(band: str) -> str:
    return " ".join(band.replace("_", " ").split())


def _ends(band: str) -> list[float]:
    """The numbers of a band; a sign between thousands is none of them."""
    plain = _THOUSANDS.sub(r"\1\2", band).replace(",", ".")
    return [float(found) for found in _NUMBER.findall(plain)]
