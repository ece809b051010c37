"""Check digits: by python-stdnum where it is installed, and written out what must work without it."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module

__all__ = ["Check", "checker"]

Check = Callable[[str], bool]

_NOT_A_SIGN = re.compile(r"[^0-9A-Za-z]")
_CONTROL = "TRWAGMYFPDXBNJZSQVHLCKE"  # the letters of Spanish identity numbers
_IBAN = dict(
    part.split(":")
    for part in (
        "AD:24 AE:23 AL:28 AT:20 AZ:28 BA:20 BE:16 BG:22 BH:22 BR:29 BY:28 CH:21 CR:22 CY:28 CZ:24 DE:22 "
        "DK:18 DO:28 EE:20 EG:29 ES:24 FI:18 FO:18 FR:27 GB:22 GE:22 GI:23 GL:18 GR:27 GT:28 HR:21 HU:28 "
        "IE:22 IL:23 IS:26 IT:27 JO:30 KW:30 KZ:20 LB:28 LI:21 LT:20 LU:20 LV:21 MC:27 MD:24 ME:22 MK:19 "
        "MR:27 MT:31 MU:30 NL:18 NO:15 PK:24 PL:28 PS:29 PT:25 QA:29 RO:24 RS:22 SA:24 SE:24 SI:19 SK:24 "
        "SM:27 TN:24 TR:26 UA:29 VG:24 XK:20"
    ).split()
)


def luhn(number: str) -> bool:
    """Whether the last digit fits the others (cards, and many others).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    digits = [int(sign) for sign in reversed(number)]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + doubled) % 10 == 0


def card(value: str) -> bool:
    """Whether `value` can be a payment card: its beginning, its length and its check digit."""
    number = _compact(value)
    return number.isdigit() and luhn(number)


def iban(value: str) -> bool:
    """Whether `value` is an IBAN: length of its country, remainder 1 modulo 97.

    >>> iban("GB82 WEST 1234 5698 7654 32"), iban("GB82 WEST 1234 5698 7654 33")
    (True, False)
    """
    number = _compact(value).upper()
    if str(len(number)) != _IBAN.get(number[:2]):
        return False
    return int("".join(str(int(sign, 36)) for sign in number[4:] + number[:4])) % 97 == 1


def article(value: str) -> bool:
    """Whether the check digit of an article number (EAN, UPC, GTIN) fits.

    >>> article("4006381333931"), article("4006381333932")
    (True, False)
    """
    return sum(int(sign) * (1 + 2 * (place % 2)) for place, sign in enumerate(reversed(value))) % 10 == 0


def nir(value: str) -> bool:
    """Whether the key of a French social security number fits; Corsica counts as 19 and 18."""
    number = _compact(value).upper()
    body = number[:13].replace("2A", "19").replace("2B", "18")
    return (
        len(number) == 15
        and body.isdigit()
        and number[13:].isdigit()
        and 97 - int(body) % 97 == int(number[13:])
    )


def dni(value: str) -> bool:
    """Whether the letter of a Spanish identity number (DNI, NIE) fits.

    >>> dni("12345678Z"), dni("12345678A"), dni("X1234567L")
    (True, False, True)
    """
    number = _compact(value).upper()
    digits = str("XYZ".find(number[0])) + number[1:-1] if number[0] in "XYZ" else number[:-1]
    return digits.isdigit() and number[-1] == _CONTROL[int(digits) % 23]


def tckimlik(value: str) -> bool:
    """Whether the two check digits of a Turkish identity number fit."""
    if len(value) != 11 or not value.isdigit():
        return False
    digits = [int(sign) for sign in value]
    tenth = (7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10
    return digits[9] == tenth and digits[10] == sum(digits[:10]) % 10


def resident(value: str) -> bool:
    """Whether the last sign of a Chinese resident number fits (ISO 7064, modulo 11-2)."""
    if len(value) != 18 or not value[:17].isdigit():
        return False
    rest = sum(int(sign) * pow(2, 17 - place, 11) for place, sign in enumerate(value[:17])) % 11
    return "10X98765432"[rest] == value[17].upper()


def kvnr(value: str) -> bool:
    """Whether the check digit of a German health insurance number fits."""
    number = f"{ord(value[0].upper()) - 64:02d}{value[1:]}"
    sums = [sum(divmod(int(sign) * (1 + place % 2), 10)) for place, sign in enumerate(number[:-1])]
    return sum(sums) % 10 == int(number[-1])


@cache
def checker(module: str) -> Check | None:
    """Whether check digits fit, by a module of python-stdnum; None where the package is not installed."""
    if module in _OWN:
        return _OWN[module]
    try:
        valid: Check = import_module(f"stdnum.{module}").is_valid
    except ImportError:
        return None
    return valid


def _compact(value: str) -> str:
    return _NOT_A_SIGN.sub("", value)


_OWN: dict[str, Check] = {
    "cn.ric": resident,
    "ean": article,
    "es.dni": dni,
    "es.nie": dni,
    "fr.nir": nir,
    "iban": iban,
    "kvnr": kvnr,
    "luhn": card,
    "tr.tckimlik": tckimlik,
}
