"""How a sampling weight is published: rounded, in a few classes, or calibrated to the margins of the release."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.base.errors import InputError
from shoal.base.naming import did_you_mean
from shoal.io import settings

__all__ = ["KEYS", "WAYS", "WeightRelease", "read_weight_release"]

WAYS = ("rounded", "classes", "calibrated")
"""How a weight may be published, other than as it is."""

_CLASSES = 10


def _check_margins(value: Any) -> str | None:
    """A list of columns, or of lists of columns whose combinations count."""
    is_list = isinstance(value, list | tuple) and len(value) > 0
    names = [name for margin in value for name in _names_of(margin)] if is_list else []
    is_named = bool(names) and all(isinstance(name, str) for name in names)
    return None if is_named and all(_names_of(margin) for margin in value) else _MARGINS


_MARGINS = 'a list of columns or of lists of them, such as ["sex", ["region", "age"]]'

_several = settings.require_key(
    "a whole number of at least 2",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 2,
)

KEYS: dict[str, settings.Check] = {
    "release": settings.require_choice(*WAYS),
    "base": settings.positive,
    "classes": _several,
    "margins": _check_margins,
    "total": settings.positive,
}
"""The keys of a column that is a sampling weight, beside its role and `allow`."""

_WAY_OF_KEY = {"base": "rounded", "classes": "classes", "margins": "calibrated"}


@dataclass(frozen=True, slots=True)
class WeightRelease:
    """How the sampling weight of a table is published.

    way     : "rounded", "classes" or "calibrated"
    base    : of rounded weights, what each is a multiple of
    classes : of weights in classes, how many different ones there are at most
    margins : of calibrated weights, the columns whose weighted totals they keep, alone or several together; empty means
              each published quasi-identifier alone
    total   : how many people all published weights sum to, where that is public; None leaves the sum as it is
    """

    way: str
    base: float = 1.0
    classes: int = _CLASSES
    margins: tuple[tuple[str, ...], ...] = ()
    total: float | None = None


def read_weight_release(where: str, given: Mapping[str, Any]) -> WeightRelease | None:
    """Read how a weight is published from its keys; None where it is not, or as it is.

    Raises
    ------
    InputError
        A key means nothing, or nothing for this way; the message begins with `where`.
    """
    for key, value in given.items():
        if key not in KEYS:
            raise InputError(f"{where}: '{key}' is not known here{did_you_mean(key, KEYS)}")
        if (requirement := KEYS[key](value)) is not None:
            raise InputError(f"{where}: {key} must be {requirement}")
    way = given.get("release")
    if way is None:
        if given:
            raise InputError(
                f"{where}: '{next(iter(given))}' says how a weight is published; give release, one of "
                f"{', '.join(WAYS)}, or leave it out"
            )
        return None
    for key, only in _WAY_OF_KEY.items():
        if key in given and way != only:
            raise InputError(f"{where}: '{key}' is for release = \"{only}\"; leave it out")
    if way == "rounded" and "base" not in given:
        raise InputError(
            f"{where}: rounded weights need a base, a number that each of them is a multiple of, such as base = 50"
        )
    return WeightRelease(
        way,
        float(given.get("base", 1.0)),
        int(given.get("classes", _CLASSES)),
        tuple(_names_of(margin) for margin in given.get("margins", ())),
        None if given.get("total") is None else float(given["total"]),
    )


def _names_of(margin: str | Sequence[str]) -> tuple[str, ...]:
    """The columns of a margin: one by itself, or several together."""
    return (margin,) if isinstance(margin, str) else tuple(margin) if isinstance(margin, list | tuple) else ()
