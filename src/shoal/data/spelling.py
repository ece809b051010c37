"""Which texts are one sensitive value: whoever reads ` HIV` and `hiv` learns the same."""

from decimal import Decimal, InvalidOperation
from functools import lru_cache
from unicodedata import normalize

__all__ = ["alike"]

_LONGEST = 40  # digits and signs; what is longer is no number that anybody measured


@lru_cache(maxsize=1 << 16)
def alike(text: str) -> str:
    """A spelling that is equal where texts are one value: blanks trimmed, case folded, numbers normalized.

    >>> alike(" HIV"), alike("1.0") == alike("1") == alike("1e0"), alike("007") == alike("7")
    ('hiv', True, False)
    """
    plain = " ".join(normalize("NFKC", text).casefold().split())
    if len(plain) > _LONGEST or (not plain[-1:].isdigit() and not plain.endswith(".")):
        return plain
    if plain.lstrip("+-").startswith("0") and plain.lstrip("+-")[1:2].isdigit():
        return plain  # a code with leading zeros is no number
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return plain
    if not number.is_finite() or abs(number.adjusted()) > _LONGEST:
        return plain
    return "0" if number == 0 else f"{number.normalize():f}"
