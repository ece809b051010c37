"""Codes: they name a thing, an illness or a district, and shorter beginnings name larger ones."""

from functools import partial

from shoal.publish.study.propose.checksums import article
from shoal.publish.study.propose.patterns.pattern import Pattern

__all__ = ["CODES"]

_code = partial(Pattern, role=None, kind="code", least=3)

CODES = (
    _code(what="ATC code", regex=r"[ABCDGHJLMNPRSV]\d\d[A-Z](?:[A-Z](?:\d\d)?)?"),
    _code(what="ICD-10 code", regex=r"[A-TV-Z]\d[0-9AB](?:\.?[0-9A-Z]{1,4})?[+*!]?"),
    _code(what="ICD-9 code", regex=r"(?:\d{3}|V\d\d|E\d{3})(?:\.\d{1,2})?", some=r"[VE]\d.*"),
    _code(what="NDC code", regex=r"\d{4,5}-\d{3,4}-\d{1,2}"),
    _code(what="article number", regex=r"\d{12,14}", check=article, alone=False, share=0.95, least=8),
    _code(what="postal code", regex=r"(?i:[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)"),
    _code(
        what="postal code",
        regex=r"\d{4} ?[A-Z]{2}|\d{5}-\d{3,4}|\d{4}-\d{3}|(?:D|F|I|E|A|CH|TR)-\d{4,5}",
    ),
)
