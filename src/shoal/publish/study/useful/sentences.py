"""What the figures say, in a sentence each, for people who are no statisticians."""

from collections.abc import Sequence

from shoal.publish.study.useful.models import MODELS
from shoal.report.useful_facts import Prediction
from shoal.report.words import number, percent
from shoal.utility.associations import Association
from shoal.utility.intervals import Between
from shoal.utility.table_queries import QueryErrors

__all__ = ["sentences_on"]

_LITTLE = 0.005
"""A gain over guessing that is too small to be told in shares of it."""


def sentences_on(
    prediction: Prediction | None = None,
    associations: Sequence[Association] = (),
    queries: QueryErrors | None = None,
    numbers: Sequence[Between] = (),
    groups: Sequence[Between] = (),
) -> dict[str, str]:
    """A sentence or two by part, for the parts that there are."""
    said = {
        "prediction": None if prediction is None else _on_models(prediction),
        "associations": _on_pairs(associations),
        "queries": None if queries is None else _on_queries(queries),
        "numbers": _on_numbers(numbers),
        "groups": _on_groups(groups),
    }
    return {part: sentence for part, sentence in said.items() if sentence}


def _on_models(found: Prediction) -> str:
    best = max(found.scores, key=lambda score: score.accuracy)
    told = (
        f"Trained on a release, a model ({MODELS[best.model]}) gets {found.target} right for "
        f"{percent(best.accuracy)} of the people who are not in it; trained on the originals, for "
        f"{percent(best.accuracy_originals)}. Always guessing the most frequent value is right for "
        f"{percent(found.majority)}."
    )
    gain, kept = best.accuracy_originals - found.majority, best.accuracy - found.majority
    if gain < _LITTLE:
        return f"{told} The originals themselves teach hardly more than that guess."
    return (
        f"{told} So the release keeps {percent(min(1.0, max(0.0, kept / gain)))} of what the originals teach."
    )


def _on_pairs(found: Sequence[Association]) -> str:
    if not found:
        return ""
    most = found[0]
    kind = "correlation" if most.measure == "correlation" else "association"
    mean = sum(pair.change for pair in found) / len(found)
    if most.change == 0:
        return "No association between two columns changed."
    return (
        f"The {kind} of {most.first} and {most.second} changed most: from {number(most.before)} in the originals to "
        f"{number(most.after)} in the release. The mean change of all {number(len(found))} figures is {number(mean)}."
    )


def _on_queries(found: QueryErrors) -> str:
    return (
        f"Of {number(found.queries)} questions such as how many people are of this age and sex, an answer from the "
        f"release is off by {percent(found.mean)} of the true count on average, and by at most "
        f"{percent(found.median)} for half of them."
    )


def _on_numbers(found: Sequence[Between]) -> str:
    if not found:
        return ""
    widest = max(
        (one for one in found if one.what == "mean"),
        key=lambda one: (one.high - one.low) / (abs(one.true) or 1.0),
    )
    if widest.high == widest.low:
        return "The release tells every mean and quartile exactly."
    return (
        f"The mean of {widest.column} is the least certain: from the release alone it lies between "
        f"{number(widest.low)} and {number(widest.high)}; it is {number(widest.true)}."
    )


def _on_groups(found: Sequence[Between]) -> str:
    if not found:
        return ""
    widths = sorted(one.high - one.low for one in found)
    exact = sum(width == 0 for width in widths)
    if exact == len(found):
        return "The release tells the exact size of every group of people."
    return (
        f"Of {number(len(found))} groups of people, the release tells the exact size of "
        f"{number(exact) if exact else 'none'}. For half of them the least and the largest size that it allows "
        f"differ by {number(widths[len(widths) // 2])} or fewer people."
    )
