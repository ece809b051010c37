"""How identifiers and codes are written: one table, first come first served."""

import ipaddress
from dataclasses import dataclass

from shoal.data import Role
from shoal.publish.study.propose.checksums import Check, card, dni, iban, kvnr, nir, resident, tckimlik

__all__ = ["PATTERNS", "Pattern"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One way of writing something.

    A value has the form where `regex` matches all of it. `check` is a checksum of our own, `module` the one of
    python-stdnum. Where `alone` is false, the writing says little (a number of eleven digits): then nearly all
    values must pass a checksum, and there must be many of them.
    """

    what: str
    regex: str
    role: Role | None = "identifier"
    kind: str = ""
    check: Check | None = None
    module: str | None = None
    alone: bool = True
    share: float = 0.9
    least: int = 1  # distinct values


def _number(
    what: str, regex: str, module: str | None = None, *, check: Check | None = None, alone: bool = False
) -> Pattern:
    """A number that a state gives to a person."""
    least = 3 if alone else 10
    return Pattern(
        what=what,
        regex=regex,
        module=module,
        check=check,
        alone=alone,
        share=0.9 if alone else 0.95,
        least=least,
    )


def _is_v6(value: str) -> bool:
    try:
        return ipaddress.ip_address(value.split("/")[0].split("%")[0]).version == 6
    except ValueError:
        return False


_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"
_BYTE = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_GAP = r"[ .\-/]"
_LAT = r"[-+]?(?:[0-8]?\d|90)\.\d+"
_LON = r"[-+]?(?:1[0-7]\d|180|\d?\d)\.\d+"

_NETWORK = (
    Pattern(
        what="mail address",
        regex=r"(?:mailto:)?[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>.\d]{2,}|.{1,60}<[^\s@<>]+@[^\s@<>]+\.\w{2,}>",
        share=0.3,
    ),
    Pattern(
        what="web page",
        regex=r"(?i:(?:https?|ftps?)://\S+|www\.[^\s.]+\.\S+|(?:[a-z0-9-]+\.)*(?:linkedin|facebook|instagram|twitter|github|x)\.com/\S+)",
        share=0.3,
    ),
    Pattern(what="IP address", regex=rf"{_BYTE}(?:\.{_BYTE}){{3}}(?::\d{{1,5}}|/\d{{1,2}})?"),
    Pattern(
        what="IP address",
        regex=r"[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(?:[/%]\w+)?",
        check=_is_v6,
        alone=False,
    ),
    Pattern(
        what="MAC address",
        regex=r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4}",
    ),
    Pattern(
        what="UUID",
        regex=r"(?:urn:uuid:)?\{?[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\}?",
        share=0.5,
    ),
    Pattern(
        what="coordinates",
        regex=rf"[(\[]?\s*(?:{_LAT}\s*[,; ]\s*{_LON}|{_LON}\s*[,; ]\s*{_LAT})\s*[)\]]?"
        r"|(?i:(?:srid=\d+;)?point\s*\(.*\))|[-+]?\d{1,3}°.{1,30}",
        least=2,
    ),
)

_MONEY = (
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
        regex=r"(?:4|5[1-5]|2[2-7]|6)\d{2,3}(?:[ -]\d{4}){3}|3[47]\d\d[ -]\d{6}[ -]\d{5}",
        check=card,
        least=2,
    ),
    Pattern(
        what="payment card",
        regex=r"(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[0689]\d{12}|6\d{15,18})",
        check=card,
        alone=False,
        least=8,
    ),
)

_NATIONAL = (
    _number(
        "Chinese resident number",
        rf"[1-9]\d{{5}}(?:18|19|20)\d\d{_MONTH}{_DAY}\d{{3}}[\dXx]",
        check=resident,
        alone=True,
    ),
    _number(
        "French social security number",
        rf"[1-478] ?\d\d ?(?:{_MONTH}|[2-9]\d) ?\d[\dABab] ?\d{{3}} ?\d{{3}}[ -]?\d\d",
        check=nir,
        alone=True,
    ),
    _number(
        "Italian tax code",
        r"(?i:[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z])",
        "it.codicefiscale",
        alone=True,
    ),
    _number("Spanish identity number", r"(?:\d{8}|[XYZxyz]-?\d{7})[ -]?[A-Za-z]", check=dni),
    _number("US social security number", r"(?!000|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}", alone=True),
    _number(
        "UK national insurance number",
        r"(?i:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D])",
        alone=True,
    ),
    _number("UK NHS number", r"\d{3}[ -]?\d{3}[ -]?\d{4}", "gb.nhs"),
    _number(
        "German pension insurance number",
        rf"\d\d ?(?:{_DAY}|[5-8]\d){_MONTH}\d\d ?[A-Z] ?\d{{3}}",
        alone=True,
    ),
    _number("German health insurance number", r"[A-Z]\d{9}", check=kvnr),
    _number("German tax number", r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}", "de.idnr"),
    _number("Turkish identity number", r"[1-9]\d{10}", check=tckimlik),
    _number("Swiss social security number", r"756\.?\d{4}\.?\d{4}\.?\d\d", "ch.ssn"),
    _number("Austrian insurance number", rf"\d{{4}} ?{_DAY}{_MONTH}\d\d", "at.vnr"),
    _number("Belgian national number", r"\d\d\.?\d\d\.?\d\d[- ]?\d{3}\.?\d\d", "be.nn"),
    _number("Dutch citizen number", r"\d{9}|\d{4}\.\d\d\.\d{3}", "nl.bsn"),
    _number("Polish person number", r"\d{11}", "pl.pesel"),
    _number(
        "Swedish person number", rf"(?:19|20)?\d\d{_MONTH}(?:{_DAY}|[6-9]\d)[-+]?\d{{4}}", "se.personnummer"
    ),
    _number("Finnish person number", rf"{_DAY}{_MONTH}\d\d[-+A-FU-Y]\d{{3}}[0-9A-Y]", alone=True),
    _number("Danish person number", rf"{_DAY}{_MONTH}\d\d-\d{{4}}", alone=True),
    _number("Norwegian person number", rf"(?:{_DAY}|[4-7]\d){_MONTH}\d\d ?\d{{5}}", "no.fodselsnummer"),
    _number("Czech or Slovak birth number", r"\d{6}/\d{3,4}", alone=True),
    _number("Romanian person number", r"[1-9]\d{12}", "ro.cnp"),
    _number("Bulgarian person number", r"\d{10}", "bg.egn"),
    _number("Croatian person number", r"\d{11}", "hr.oib"),
    _number("Greek insurance number", rf"{_DAY}{_MONTH}\d{{7}}", "gr.amka"),
    _number("Irish service number", r"\d{7}[A-W][A-IW]?", "ie.pps"),
    _number("Brazilian person number", r"\d{3}\.\d{3}\.\d{3}-\d\d", "br.cpf", alone=True),
    _number("Brazilian person number", r"\d{11}", "br.cpf"),
    _number("Mexican person code", r"(?i:[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d)", alone=True),
    _number("Mexican tax code", rf"[A-ZÑ&]{{4}}\d\d{_MONTH}{_DAY}[A-Z0-9]{{3}}", alone=True),
    _number("Chilean person number", r"\d{1,2}\.?\d{3}\.?\d{3}-[\dkK]", "cl.rut"),
    _number("Indian person number", r"[2-9]\d{3} ?\d{4} ?\d{4}", "in_.aadhaar"),
    _number("Canadian insurance number", r"\d{3}[ -]\d{3}[ -]\d{3}|\d{9}", "ca.sin"),
    _number("Korean resident number", rf"\d\d{_MONTH}{_DAY}-[0-9]\d{{6}}", alone=True),
    _number("South African person number", rf"\d\d{_MONTH}{_DAY}\d{{7}}", "za.idnr"),
)

_VEHICLES = (
    Pattern(what="vehicle number", regex=r"(?=.*\d)(?=.*[A-Z])[A-HJ-NPR-Z0-9]{12}\d{4,5}", least=3),
    Pattern(
        what="vehicle plate", regex=r"[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?[1-9]\d{0,3}[EH]?", least=3
    ),  # Germany
    Pattern(
        what="vehicle plate", regex=r"[A-Z]{2}[- ]\d{3}[- ][A-Z]{2}|[A-Z]{2}\d{3}[A-Z]{2}", least=3
    ),  # France, Italy
    Pattern(what="vehicle plate", regex=r"\d{4}[ -]?[BCDFGHJKLMNPRSTVWXYZ]{3}", least=3),  # Spain
    Pattern(
        what="vehicle plate",
        regex=r"(?:0[1-9]|[1-7]\d|8[01])[ -]?(?:[A-Z][ -]?\d{4,5}|[A-Z]{2}[ -]?\d{3,4}|[A-Z]{3}[ -]?\d{2,3})",
        least=3,
    ),  # Turkey
    Pattern(what="vehicle plate", regex=r"[\u4e00-\u9fff][A-Z][ ·-]?[A-HJ-NP-Z0-9]{5,6}", least=3),  # China
    Pattern(what="vehicle plate", regex=r"[A-Z]{2}\d\d ?[A-Z]{3}", least=3),  # United Kingdom
    Pattern(what="vehicle plate", regex=r"\d?[A-Z]{3}[- ]\d{3,4}|\d[A-Z]{3}\d{3}", least=3),  # United States
)

_PHONES = (
    Pattern(
        what="phone number",
        regex=rf"(?:tel:)?\+\s?[1-9](?:{_GAP}?\(?\d\)?){{6,14}}(?:\s*(?:x|ext\.?)\s*\d+)?",
    ),
    Pattern(what="phone number", regex=rf"00[1-9]\d(?:{_GAP}?\d){{6,13}}"),
    Pattern(
        what="phone number", regex=rf"\(0?\d{{1,5}}\)\s?\d(?:{_GAP}?\d){{4,9}}(?:\s*(?:x|ext\.?)\s*\d+)?"
    ),
    Pattern(
        what="phone number", regex=r"(?:1[ .-])?[2-9]\d\d[ .-]\d{3}[ .-]\d{4}(?:\s*(?:x|ext\.?)\s*\d+)?"
    ),  # North America
    Pattern(
        what="phone number", regex=rf"0[1-9]\d{{0,4}}\s?{_GAP}\s?\d(?:{_GAP}?\d){{4,9}}"
    ),  # national, with a gap
    Pattern(what="phone number", regex=r"0[1-9]\d{8,10}", least=5),  # national, without
    Pattern(
        what="phone number", regex=r"1[3-9]\d ?-?\d{4} ?-?\d{4}", share=0.99, least=20
    ),  # Chinese mobiles
    Pattern(
        what="phone number", regex=r"5\d{2} ?\d{3} ?\d{2} ?\d{2}", share=0.99, least=20
    ),  # Turkish mobiles
    Pattern(
        what="phone number", regex=r"[67]\d{2} ?\d{2,3} ?\d{2,3} ?\d{2,3}", share=0.99, least=20
    ),  # Spanish mobiles
    Pattern(what="phone number", regex=r"3\d{2} ?\d{6,7}", share=0.99, least=20),  # Italian mobiles
    Pattern(
        what="phone number", regex=r"[2-9]\d\d[2-9]\d{6}", share=0.99, least=20
    ),  # North America, without gaps
)

_TOKENS = (
    Pattern(what="long token", regex=r"(?=.*\d)(?=.*[A-Fa-f])[0-9A-Fa-f]{16,128}"),
    Pattern(what="long token", regex=r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9_+/-]{16,}={0,2}"),
)

_CODES = (
    Pattern(
        what="ATC code",
        regex=r"[ABCDGHJLMNPRSV]\d\d[A-Z](?:[A-Z](?:\d\d)?)?",
        role=None,
        kind="code",
        least=3,
    ),
    Pattern(
        what="ICD-10 code",
        regex=r"[A-TV-Z]\d[0-9AB](?:\.?[0-9A-Z]{1,4})?[+*!]?",
        role=None,
        kind="code",
        least=3,
    ),
    Pattern(
        what="postal code",
        regex=r"(?i:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)",
        role=None,
        kind="code",
        least=3,
    ),
    Pattern(
        what="postal code",
        regex=r"\d{4} ?[A-Z]{2}|\d{5}-\d{3,4}|\d\d-\d{3}|\d{4}-\d{3}|(?:D|F|I|E|A|CH|TR)-\d{4,5}",
        role=None,
        kind="code",
        least=3,
    ),
)

PATTERNS: tuple[Pattern, ...] = (*_NETWORK, *_MONEY, *_NATIONAL, *_VEHICLES, *_PHONES, *_TOKENS, *_CODES)
