"""The numbers that are proposed: k by who gets the release, l where something is sensitive, and what they cost."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from shoal.errors import InputError, ShoalError, ShoalWarning
from shoal.io.read.source import Source
from shoal.naming import offered
from shoal.publish.first_run import compiled
from shoal.publish.study.propose.proposal import Proposal

__all__ = ["AUDIENCE_K", "Audience", "diversity_for", "k_for", "tried_costs"]

Audience = Literal["public", "partner", "team"]
AUDIENCE_K: Mapping[str, int] = {"public": 11, "partner": 5, "team": 3}
"""k for each audience, as docs/guarantee/numbers.md advises."""

_L = 3  # to start with
_TRIED = 1_000  # records of a table that are anonymized to see the price
_COLUMNS = 12  # quasi-identifiers, at most


def k_for(audience: str) -> int:
    """The k for those who get the release.

    Raises
    ------
    InputError
        Nobody knows such an audience.
    """
    if audience not in AUDIENCE_K:
        raise InputError(f"for: {audience!r} is no audience; {offered(audience, get_args(Audience))}")
    return AUDIENCE_K[audience]


def diversity_for(proposal: Proposal) -> dict[str, int]:
    """The l of a table with sensitive columns: 3, or as many as the column of fewest values has."""
    if proposal.shape != "table":
        return {}
    values = [one.distinct for one in proposal.columns.values() if one.role == "sensitive"]
    least = min([_L, *values])
    return {"l": least} if values and least > 1 else {}


def tried_costs(proposal: Proposal, source: Source | None) -> tuple[str, ...]:
    """What k alone and k with l cost, in words: tried on a thousand records of a table of few columns, by `mondrian`.

    No clock decides whether it is tried: where the method was never used on this machine, compiling would take longer
    than all else, so the command that tells is named. Nothing is said where such a release would be refused.
    """
    quasi = [one for one in proposal.columns.values() if one.role == "quasi"]
    if proposal.shape != "table" or source is None or not 0 < len(quasi) <= _COLUMNS or proposal.data.person:
        return ()
    if not compiled("mondrian"):
        return ("shoal compare --methods default --k 2:20 shows what each k costs",)
    from shoal.publish.making import anonymize
    from shoal.publish.shapes.base import dataset_of

    some = source.frame.sample(min(_TRIED, source.frame.height), shuffle=True)
    both: dict[str, Any] = dict(proposal.guarantee)
    found = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # what reading tells is told where the file is read
            dataset = dataset_of(proposal.config(), replace(source, frame=some))
            for numbers in ({"k": both["k"]}, both) if len(both) > 1 else (both,):
                release = anonymize(dataset, method="mondrian", **numbers)
                asked = " and ".join(f"{key} = {value}" for key, value in numbers.items())
                found.append(f"{asked} cost {next(iter(release.loss.values())):.0%} of the detail")
    except ShoalError:
        return ()
    return (f"tried on {some.height:,} of {proposal.records:,} records: {', '.join(found)}",)
