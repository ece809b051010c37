"""Numbers that a state gives to a person."""

from shoal.publish.study.propose.checksums import Check, dni, kvnr, nir, resident, tckimlik
from shoal.publish.study.propose.patterns.pattern import Pattern

__all__ = ["NATIONAL"]

_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = r"(?:0[1-9]|1[0-2])"


def _number(
    what: str,
    regex: str,
    module: str | None = None,
    *,
    check: Check | None = None,
    alone: bool = False,
    least: int = 8,
) -> Pattern:
    """A number of a person; one random number in ten passes the weakest checksums, so eight of them must pass."""
    share = 0.9 if alone else 0.95
    return Pattern(what=what, regex=regex, module=module, check=check, alone=alone, share=share, least=least)


NATIONAL = (
    _number(
        "Chinese resident number",
        rf"[1-9]\d{{5}}(?:18|19|20)\d\d{_MONTH}{_DAY}\d{{3}}[\dXx]",
        check=resident,
        alone=True,
        least=3,
    ),
    _number(
        "French social security number",
        rf"[1-478] ?\d\d ?(?:{_MONTH}|[2-9]\d) ?\d[\dABab] ?\d{{3}} ?\d{{3}}[ -]?\d\d",
        check=nir,
        least=4,
    ),
    _number(
        "Italian tax code",
        r"(?i:[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPRST][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z])",
        "it.codicefiscale",
        alone=True,
        least=3,
    ),
    _number("Spanish identity number", r"(?:\d{8}|[XYZxyz]-?\d{7})[ -]?[A-Za-z]", check=dni, least=5),
    _number("US social security number", r"(?!000|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}", alone=True, least=3),
    _number(
        "UK national insurance number",
        r"(?i:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D])",
        alone=True,
        least=3,
    ),
    _number("UK NHS number", r"\d{3}[ -]?\d{3}[ -]?\d{4}", "gb.nhs"),
    _number(
        "German pension insurance number",
        rf"\d\d ?(?:{_DAY}|[5-8]\d){_MONTH}\d\d ?[A-Z] ?\d{{3}}",
        alone=True,
        least=3,
    ),
    _number("German health insurance number", r"[A-Z]\d{9}", check=kvnr),
    _number("German tax number", r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}", "de.idnr", least=5),
    _number("Turkish identity number", r"[1-9]\d{10}", check=tckimlik, least=4),
    _number("Swiss social security number", r"756\.?\d{4}\.?\d{4}\.?\d\d", "ch.ssn"),
    _number("Austrian insurance number", rf"\d{{4}} ?{_DAY}{_MONTH}\d\d", "at.vnr"),
    _number("Belgian national number", r"\d\d\.?\d\d\.?\d\d[- ]?\d{3}\.?\d\d", "be.nn"),
    _number("Dutch citizen number", r"\d{9}|\d{4}\.\d\d\.\d{3}", "nl.bsn"),
    _number("Polish person number", r"\d{11}", "pl.pesel"),
    _number(
        "Swedish person number", rf"(?:19|20)?\d\d{_MONTH}(?:{_DAY}|[6-9]\d)[-+]?\d{{4}}", "se.personnummer"
    ),
    _number("Finnish person number", rf"{_DAY}{_MONTH}\d\d[-+A-FU-Y]\d{{3}}[0-9A-Y]", alone=True, least=3),
    _number("Danish person number", rf"{_DAY}{_MONTH}\d\d-\d{{4}}", alone=True, least=3),
    _number("Norwegian person number", rf"(?:{_DAY}|[4-7]\d){_MONTH}\d\d ?\d{{5}}", "no.fodselsnummer"),
    _number("Czech or Slovak birth number", r"\d{6}/\d{3,4}", alone=True, least=3),
    _number("Romanian person number", r"[1-9]\d{12}", "ro.cnp"),
    _number("Bulgarian person number", r"\d{10}", "bg.egn"),
    _number("Croatian person number", r"\d{11}", "hr.oib"),
    _number("Greek insurance number", rf"{_DAY}{_MONTH}\d{{7}}", "gr.amka"),
    _number("Irish service number", r"\d{7}[A-W][A-IW]?", "ie.pps"),
    _number("Brazilian person number", r"\d{3}\.\d{3}\.\d{3}-\d\d", "br.cpf", alone=True, least=3),
    _number("Brazilian person number", r"\d{11}", "br.cpf"),
    _number(
        "Mexican person code", r"(?i:[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{5}[A-Z0-9]\d)", alone=True, least=3
    ),
    _number("Mexican tax code", rf"[A-ZÑ&]{{4}}\d\d{_MONTH}{_DAY}[A-Z0-9]{{3}}", alone=True, least=3),
    _number("Chilean person number", r"\d{1,2}\.?\d{3}\.?\d{3}-[\dkK]", "cl.rut"),
    _number("Indian person number", r"[2-9]\d{3} ?\d{4} ?\d{4}", "in_.aadhaar"),
    _number("Canadian insurance number", r"\d{3}[ -]\d{3}[ -]\d{3}|\d{9}", "ca.sin"),
    _number("Korean resident number", rf"\d\d{_MONTH}{_DAY}-[0-9]\d{{6}}", alone=True, least=3),
    _number("South African person number", rf"\d\d{_MONTH}{_DAY}\d{{7}}", "za.idnr"),
)
