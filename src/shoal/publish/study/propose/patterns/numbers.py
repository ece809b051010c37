"""Accounts, cards, vehicles, tokens."""

from shoal.publish.study.propose.checksums import card, iban, luhn
from shoal.publish.study.propose.patterns.pattern import Pattern

__all__ = ["MONEY", "TOKENS", "VEHICLES"]

_GROUPED = r"(?:4\d|5[1-5]|2[2-7]|6\d)\d\d(?:[ -]\d{4}){3}|3[47]\d\d[ -]\d{6}[ -]\d{5}"

MONEY = (
    Pattern(
        what="IBAN",
        regex=r"[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?",
        check=iban,
        alone=False,
        share=0.5,
    ),
    Pattern(
        what="IBAN",
        regex=r"(?:DE|GB|FR|ES|IT|TR|NL|AT|CH)\d\d(?:[ -][A-Z0-9]{4}){3,6}(?:[ -][A-Z0-9]{1,3})?",
    ),
    Pattern(
        what="payment card",
        regex=rf"4\d{{12}}(?:\d{{3}}){{0,2}}|5[1-5]\d{{14}}|2[2-7]\d{{14}}|3[47]\d{{13}}|3[0689]\d{{12}}|6\d{{15,18}}|{_GROUPED}",
        check=card,
        alone=False,
        least=4,
    ),
    Pattern(what="payment card", regex=_GROUPED, least=2),
)

VEHICLES = (
    Pattern(what="vehicle number", regex=r"(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{12}\d{5}", least=3),
    Pattern(
        what="vehicle plate",
        regex="|".join(
            (
                r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?[1-9]\d{0,3}[EH]?",  # Germany
                r"(?:0[1-9]|[1-7]\d|8[01]) [A-Z]{1,3} \d{2,5}",  # Turkey
                r"[\u4e00-\u9fff][A-Z][ ·-]?[A-HJ-NP-Z0-9]{5,6}",  # China
            )
        ),
        least=3,
    ),
    Pattern(
        what="vehicle plate",
        regex="|".join(
            (
                r"[A-Z]{2}[- ]?\d{3}[- ]?[A-Z]{2}",  # France, Italy
                r"\d{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}",  # Spain
                r"(?:0[1-9]|[1-7]\d|8[01])[A-Z]{1,3}\d{2,5}",  # Turkey
                r"[A-Z]{2}\d\d ?[A-Z]{3}",  # United Kingdom
                r"\d?[A-Z]{3}[- ]\d{3,4}|\d[A-Z]{3}\d{3}",  # United States
            )
        ),
        least=3,
        varied=True,
    ),
)

TOKENS = (
    Pattern(what="device number", regex=r"\d{15}", check=luhn, alone=False, share=0.95, least=8),
    Pattern(what="long token", regex=r"(?=.*\d)(?=.*[A-Fa-f])[0-9A-Fa-f]{16,128}"),
    Pattern(
        what="long token",
        regex=r"(?=(?:.*\d){3})(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{16,}={0,2}",
        least=10,
    ),
)
