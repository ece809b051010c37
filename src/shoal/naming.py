"""What to say of a name that nobody knows: the nearest one there is, and all there are.

For names of configurations and columns only: a cell's value must not stand in a message.
"""

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["hint", "nearest", "offered"]

_MOST = 40  # names in a sentence


def nearest(name: object, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that is most like `name`, whatever its case; None where none is.

    >>> nearest("AGE", ["age", "sex"]), nearest("job", ["age", "sex"])
    ('age', None)
    """
    plain = {other.strip().casefold(): other for other in known}
    found = get_close_matches(str(name).strip().casefold(), plain, 1, cutoff)
    return plain[found[0]] if found else None


def hint(name: object, known: Iterable[str]) -> str:
    """What to add to a sentence that lists what there is already.

    >>> hint("optimum", ["optimal", "mstk"])
    "; did you mean 'optimal'?"
    """
    near = nearest(name, known)
    return "" if near is None else f"; did you mean '{near}'?"


def offered(name: object, known: Iterable[str], words: str = "there are") -> str:
    """The nearest name, and all there are.

    >>> offered("agee", ["age", "sex"])
    "did you mean 'age'? there are age, sex"
    """
    listed = list(known)
    near = nearest(name, listed)
    more = f" and {len(listed) - _MOST} more" if len(listed) > _MOST else ""
    there = f"{words} {', '.join(listed[:_MOST])}{more}"
    return there if near is None else f"did you mean '{near}'? {there}"
