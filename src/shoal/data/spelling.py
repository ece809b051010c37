"""Which texts are one sensitive value: whoever reads ` HIV` and `hiv` learns the same."""

from decimal import Decimal, InvalidOperation
from functools import lru_cache
from unicodedata import normalize

__all__ = ["alike"]

_LONGEST = 40  # digits and signs; what is longer is no number that anybody measured

_BLANKS = "\t\n\v\f\r\x85\u2800"  # beside those that `split` knows: a braille cell without dots
_UNSEEN = (
    (0x00, 0x1F),  # controls, but for those among the blanks
    (0x7F, 0x9F),
    # Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt): nothing is drawn for them
    (0xAD, 0xAD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),  # the last three mark annotations
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_SEEN = {code: None for low, high in _UNSEEN for code in range(low, high + 1)} | dict.fromkeys(
    map(ord, _BLANKS), " "
)


@lru_cache(maxsize=1 << 16)
def alike(text: str) -> str:
    r"""A spelling that is equal where texts are one value.

    Characters that nobody sees are left out, blanks trimmed, case and forms of letters folded, numbers normalized.

    >>> alike(" HIV"), alike("1.0") == alike("1") == alike("1e0"), alike("007") == alike("7")
    ('hiv', True, False)
    >>> alike("H\u00adIV\u200b")
    'hiv'
    """
    plain = " ".join(_folded(_folded(text)).split())  # folding once may leave what folds again
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


def _folded(text: str) -> str:
    """The text in one form and case, without what nobody sees."""
    if text.isascii() and text.isprintable():
        return text.casefold()
    return normalize("NFKC", normalize("NFKC", text.translate(_SEEN)).casefold())
