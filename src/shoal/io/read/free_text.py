"""Free text: left out and counted, or handed to Presidio, which takes out what it recognizes.

Whatever goes wrong, no text passes through as it is: without the program or its model nothing is read, and a text that
it cannot deal with is left out. What it does not recognize stays, so no claim speaks of such a column.
"""

import logging
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import polars as pl

from shoal.errors import ExtraError, InputError, ShoalWarning

__all__ = ["counted_text", "redacted"]

_MODELS = ("en_core_web_lg", "en_core_web_trf", "en_core_web_md", "en_core_web_sm")
"""Models of spaCy that recognize names in English, the one that Presidio takes by itself first."""

_LANGUAGE = "en"
_LOGGERS = ("presidio-analyzer", "presidio-anonymizer", "tldextract")


def counted_text(name: str, many: int) -> str:
    """How a column of free text is named where its fate is told.

    >>> counted_text("note", 1200)
    'note (free text: 1,200 texts)'
    """
    return f"{name} (free text: {many:,} text{'' if many == 1 else 's'})"


def redacted(cells: pl.Series, where: str) -> pl.Series:
    """Texts as Presidio leaves them; those that it fails on are null, and counted in a warning.

    Raises
    ------
    ExtraError
        Presidio or its model is not installed.
    InputError
        The cells are no texts, or it fails on all of them.
    """
    if cells.dtype != pl.String:
        raise InputError(f"{where}: cells are not text, so nothing can be redacted; drop the column")
    redact = _presidio(where)
    different = cells.drop_nulls().unique().to_list()
    made = {text: _safely(redact, text) for text in different}
    failed = sum(text is None for text in made.values())
    if failed and failed == len(different):
        raise InputError(
            f"{where}: Presidio fails on every text; leave redact out, and the column is left out"
        )
    left = f" {failed:,} texts that it fails on are left out." if failed else ""
    warnings.warn(
        f"{where}: redacted by Presidio, which does not find every name; no claim speaks of this column.{left}",
        ShoalWarning,
        stacklevel=2,
    )
    return pl.Series(cells.name, [None if cell is None else made[cell] for cell in cells], dtype=pl.String)


def _safely(redact: Callable[[str], Any], text: str) -> str | None:
    """A text as it is redacted; None where that fails or gives no text."""
    try:
        found = redact(text)
    except Exception:  # whatever it is, the text must not pass
        return None
    return found if isinstance(found, str) else None


def _presidio(where: str) -> Callable[[str], str]:
    """A function that redacts one text."""
    if find_spec("presidio_analyzer") is None or find_spec("presidio_anonymizer") is None:
        raise ExtraError(f"{where}: redact needs Presidio; install shoal-privacy[text], or leave redact out")
    model = next((name for name in _MODELS if find_spec(name) is not None), None)
    if model is None:  # Presidio would load one from the network
        raise ExtraError(
            f"{where}: redact needs a model that recognizes names; python -m spacy download {_MODELS[0]}, or leave "
            "redact out"
        )
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what they log may hold what they found
    try:
        analyzing, anonymizing = import_module("presidio_analyzer"), import_module("presidio_anonymizer")
        provider = import_module("presidio_analyzer.nlp_engine").NlpEngineProvider
        models = [{"lang_code": _LANGUAGE, "model_name": model}]
        engine = provider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
        analyzer = analyzing.AnalyzerEngine(nlp_engine=engine, supported_languages=[_LANGUAGE])
        anonymizer = anonymizing.AnonymizerEngine()
    except (Exception, SystemExit):
        raise ExtraError(
            f"{where}: Presidio cannot be started; install shoal-privacy[text] again, or leave redact out"
        ) from None

    def redact(text: str) -> str:
        results = analyzer.analyze(text=text, language=_LANGUAGE)
        return str(anonymizer.anonymize(text=text, analyzer_results=results).text)

    return redact
