"""The attackers that were played against a release: in words, as a table and drawn; private."""

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.report import figures, parts
from shoal.report.words import NONE, number, percent

__all__ = ["ABOUT", "TITLE", "attack_figure", "attack_plot", "chances", "sentences", "summary"]

Facts = Mapping[str, Any]

_GAINS = ("skewness", "value-within-t")
"""Attackers whose figure is what a value's chance rises by."""

TITLE = "How likely somebody is found"
ABOUT = (
    "Attackers were played against the release. An attacker inside the claim knows what the claim speaks of, and may "
    "be right no more often than the claim allows. An attacker beyond the claim knows more: nothing is promised about "
    "it, and this is how much it finds."
)


def sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    """What came of it in words, each with a heading: whether the claim held first, then each attacker."""
    yield "holds", summary(facts)
    for found in facts["attackers"]:
        yield found["name"], f"{found['sentence']}: {chances(found)}"
    for line in facts["not_played"]:
        yield "not played", line


def summary(facts: Facts) -> str:
    """Whether every attacker inside the claim stayed within its bound, in one sentence without a full stop."""
    if facts["wrong"]:
        return f"no: {facts['wrong']}"
    if facts["holds"]:
        return "yes: no attacker inside the claim is right more often than it allows"
    over = facts["failed"]
    if not over:
        return "not told: nobody could be played"
    why = facts["changed"] or "if the release is as shoal wrote it, this is a bug to report"
    return f"no: {', '.join(over)} {'is' if len(over) == 1 else 'are'} right more often than the claim allows; {why}"


def chances(found: Facts) -> str:
    """How often an attacker is right, beside the bound: a clause without a full stop.

    >>> found = {"name": "m-items", "inside": True, "bound": 0.2, "success": 0.125, "low": 0.125, "high": 0.125}
    >>> chances(found | {"highest": 0.2, "certain": 0, "played": 40, "people": 40})
    'right with 12.5% on average, 20% at most, where the claim allows 20%'
    """
    if found.get("figures"):
        return _FIGURES[found["name"]](found)
    verb = "adds" if found["name"] in _GAINS else "right with"
    wide = f" ({percent(found['low'])} to {percent(found['high'])})" if found["low"] < found["high"] else ""
    said = f"{verb} {percent(found['success'])}{wide} on average, {percent(found['highest'])} at most"
    if found["inside"]:
        said += f", where the claim allows {percent(found['bound'])}"
    if found["certain"]:
        said += f"; certain for {number(found['certain'])} of {number(found['played'])} people"
    if found["played"] < found["people"]:
        said += f"; {number(found['played'])} of {number(found['people'])} people were played"
    return said


def _narrow(found: Facts) -> str:
    """What labels tell that are as narrow as possible.

    >>> _narrow({"certain": 3, "played": 40, "figures": {"labels": 9, "one world": 1, "few worlds": 2, "bits": 0.06}})
    '3 of 40 are alone in a part; of 9 labels 1 leaves one possible world and 2 leave two to five; 0.06 bits a cell'
    """
    told = found["figures"]
    one, few = told["one world"], told["few worlds"]
    return (
        f"{number(found['certain'])} of {number(found['played'])} are alone in a part; of "
        f"{number(told['labels'])} labels {number(one)} {'leaves' if one == 1 else 'leave'} one possible world and "
        f"{number(few)} {'leaves' if few == 1 else 'leave'} two to five; {told['bits']:.2g} bits a cell"
    )


_FIGURES = {"lowest-labels": _narrow}
"""What is told of attackers who do not guess whose row is whose."""


def attack_figure(facts: Facts) -> figures.Figure:
    """Draw the success of each attacker, on average and at most, with the bound where the claim sets one."""
    rows = facts["attackers"]
    names = [found["name"] for found in rows]
    series = {
        "on average": [found["success"] for found in rows],
        "of the person found most easily": [found["highest"] for found in rows],
    }
    figure = figures.chances(series, names, "chance that the guess is right", TITLE)
    inside = [(found["bound"], place) for place, found in enumerate(rows) if found["inside"]]
    bounds = {
        "type": "scatter",
        "name": "what the claim allows",
        "x": [bound for bound, _ in inside],
        "y": [place for _, place in inside],
        "mode": "markers",
        "marker": {"symbol": "line-ns-open", "size": 26, "color": figures.INK, "line": {"width": 3}},
        "hovertemplate": "%{x:.1%}<extra></extra>",
    }
    figure["data"].append(bounds)
    return figure


def attack_plot(facts: Facts | None) -> parts.Plot | None:
    """The figure with its numbers; None where nobody was played."""
    if not facts or not facts["attackers"]:
        return None
    rows = [
        (
            found["name"],
            "inside" if found["inside"] else "beyond",
            percent(found["bound"]) if found["inside"] else NONE,
            percent(found["success"]),
            f"{percent(found['low'])} to {percent(found['high'])}",
            percent(found["highest"]),
            number(found["certain"]),
            number(found["played"]),
        )
        for found in facts["attackers"]
    ]
    head = (
        "Attacker",
        "Claim",
        "Allowed",
        "On average",
        "95% interval",
        "At most",
        "Certain",
        "People played",
    )
    table = parts.Table("Chance that the guess of each attacker is right", head, rows, (2, 3, 4, 5, 6, 7))
    alt = f"Bar chart of the chances of {len(rows)} attackers. {summary(facts)}."
    return parts.Plot.of("attack-figure", attack_figure(facts), alt, table)
