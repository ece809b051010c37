"""The attackers that were played against a release: in words, as a table and drawn; private."""

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.privacy import LDiversity
from shoal.release import Claim
from shoal.report import figures, parts
from shoal.report.words import NONE, number, percent

__all__ = [
    "ABOUT",
    "CRITERIA_ABOUT",
    "CRITERIA_TITLE",
    "TITLE",
    "against_control",
    "attack_figure",
    "attack_plot",
    "chances",
    "claim_criteria",
    "control_about",
    "criteria",
    "criteria_table",
    "no_control",
    "sentences",
    "summary",
]

Facts = Mapping[str, Any]

_GAINS = ("skewness", "value-within-t")
"""Attackers whose figure is what a value's chance rises by."""

TITLE = "How likely somebody is found"
ABOUT = (
    "Attackers were simulated against the release. An attacker inside the claim knows what the claim assumes, and "
    "must not be right more often than the claim allows. An attacker beyond the claim knows more: the claim "
    "promises nothing against it, and these figures show how much it finds."
)


def sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    """What came of it in words, each with a heading: whether the claim held first, then each attacker."""
    yield "verdict", summary(facts)
    for found in facts["attackers"]:
        beside = against_control(found)
        yield found["name"], f"{found['sentence']}: {chances(found)}{f'; {beside}' if beside else ''}"
    for line in facts["not_played"]:
        yield "not tried", line


def summary(facts: Facts) -> str:
    """Whether every attacker inside the claim stayed within its bound, in one sentence without a full stop."""
    if facts["wrong"]:
        return f"no: {facts['wrong']}"
    if facts["holds"]:
        return "yes: no attacker inside the claim is right more often than it allows"
    over = facts["failed"]
    if not over:
        return "not known: no attacker could be tried on this release"
    why = facts["changed"] or "if the release is as shoal wrote it, this is a bug to report"
    return f"no: {', '.join(over)} {'is' if len(over) == 1 else 'are'} right more often than the claim allows; {why}"


def chances(found: Facts) -> str:
    """How often an attacker is right, beside the bound: a clause without a full stop.

    >>> found = {"name": "m-items", "inside": True, "bound": 0.2, "success": 0.125, "low": 0.125, "high": 0.125}
    >>> chances(found | {"highest": 0.2, "certain": 0, "played": 40, "people": 40})
    'right 12.5% of the time on average, 20% at most; the claim allows 20%'
    """
    if found.get("figures"):
        return _FIGURES[found["name"]](found)
    wide = f" ({percent(found['low'])} to {percent(found['high'])})" if found["low"] < found["high"] else ""
    average = percent(found["success"])
    often = f"adds {average}" if found["name"] in _GAINS else f"right {average} of the time"
    said = f"{often}{wide} on average, {percent(found['highest'])} at most"
    if found["inside"]:
        said += f"; the claim allows {percent(found['bound'])}"
    if found["certain"]:
        said += f"; certain for {number(found['certain'])} of {number(found['played'])} people"
    if found["played"] < found["people"]:
        said += f"; {number(found['played'])} of {number(found['people'])} people were tried"
    return said


# The three criteria of the Article 29 Working Party, and attackers beside a control group.

CRITERIA_TITLE = "Three criteria"
CRITERIA_ABOUT = (
    "Opinion 05/2014 of the Article 29 Working Party asks whether people in anonymous data can be singled out, linked, "
    "or have values inferred. These are the figures of the attackers that test each of these."
)
_CONTROL = (
    "Each attacker was also tried on people who are not in the release ({who}), with the same knowledge and the same "
    "guess. What it learns about them is not a leak: the residual risk is (attack - control) / (1 - control). A row "
    "named for somebody who is not in the release is always wrong; for linkability the control therefore shows how "
    "sure the attacker still is of a row. How often it is right, which the claim bounds, matters as much as the "
    "residual risk."
)


def control_about(facts: Facts) -> str:
    """What a control group is, and who this one is; nothing where there is none."""
    return _CONTROL.format(who=facts["control"]) if facts.get("control") else ""


def against_control(found: Facts) -> str:
    """What an attacker reaches on people who are in a release and on those who are not: a clause, "" without a control.

    >>> rate = {"rate": 0.5, "low": 0.4, "high": 0.6, "played": 100}
    >>> beside = {"attack": rate, "control": rate | {"rate": 0.4, "low": 0.3}}
    >>> against_control({"control": beside | {"residual": {"risk": 0.1667, "low": -0.07, "high": 0.39}}})
    '50% (40% to 60%) in the release, 40% (30% to 60%) not in it; residual risk 16.7% (0% to 39%)'
    """
    beside = found.get("control")
    if not beside:
        return ""
    attack, control = (_range(beside[group], "rate") for group in ("attack", "control"))
    return f"{attack} in the release, {control} not in it; residual risk {_range(beside['residual'], 'risk')}"


def _range(told: Facts, key: str) -> str:
    """A figure with its interval; below 0 nothing is left to show."""
    figure, low, high = (percent(max(told[name], 0.0)) for name in (key, "low", "high"))
    return f"{figure} ({low} to {high})"


def criteria(facts: Facts) -> list[tuple[str, str]]:
    """Each criterion with what the attackers that speak to it reach: a sentence without a full stop."""
    return [(one["name"], _criterion(one, facts)) for one in facts.get("criteria", ())]


def _criterion(one: Facts, facts: Facts) -> str:
    speak = _speaking(one, facts)
    if not speak:
        return f"{one['about']}: no attacker that tests it was tried"
    said = [f"{found['name']}: {chances(found)}" for found in speak if found.get("figures")]
    for inside, where in ((True, "inside the claim"), (False, "beyond it")):
        rates = [found for found in speak if found["inside"] is inside and not found.get("figures")]
        if rates:
            best = max(rates, key=lambda found: found["success"])
            said.append(f"{where} {percent(best['success'])} on average ({best['name']})")
    beside = [found for found in speak if found.get("control")]
    if beside:
        worst = max(beside, key=lambda found: found["control"]["residual"]["risk"])
        said.append(f"highest residual risk {_range(worst['control']['residual'], 'risk')} ({worst['name']})")
    return f"{one['about']}: {'; '.join(said)}"


def criteria_table(facts: Facts | None) -> parts.ShownTable:
    """The figures of every attacker under the criterion that it speaks to; without rows where nobody was played."""
    groups = () if not facts else facts.get("criteria", ())
    held = bool(facts and facts.get("control"))
    rows = [_figures_row(one, found, held) for one in groups for found in _speaking(one, facts or {})]
    head = ("Criterion", "Attacker", "Claim", "On average", "At most")
    more = ("In the release", "Not in it", "Residual risk") if held else ()
    places = tuple(range(3, len(head) + len(more)))
    return parts.ShownTable("What attackers reach, by criterion", (*head, *more), rows, places)


def _speaking(one: Facts, facts: Facts) -> list[Facts]:
    return [found for found in facts["attackers"] if found["name"] in one["attackers"]]


def _figures_row(one: Facts, found: Facts, held: bool) -> tuple[str, ...]:
    claim = "inside" if found["inside"] else "beyond"
    row = (one["name"], found["name"], claim, percent(found["success"]), percent(found["highest"]))
    if not held:
        return row
    beside = found["control"]
    if not beside:
        return (*row, NONE, NONE, NONE)
    groups = ((beside["attack"], "rate"), (beside["control"], "rate"), (beside["residual"], "risk"))
    return (*row, *(_range(told, key) for told, key in groups))


def no_control(facts: Facts) -> list[str]:
    """Why some attackers have no control, in sentences without a full stop."""
    return [
        f"{name} has no control: {why}"
        for one in facts.get("criteria", ())
        for name, why in one["no_control"].items()
    ]


def claim_criteria(claim: Claim, counted: str = "records") -> list[tuple[str, str]]:
    """What a claim alone says to each criterion, for anybody to read: a sentence each; `counted` is what it counts."""
    stated = [part.as_dict() for part in claim.parts]
    different = [
        one["l"] for part, one in zip(claim.parts, stated, strict=True) if isinstance(part, LDiversity)
    ]
    crowd = max([claim.crowd, *different])  # so many different values are of as many records
    likely = ", where all rows that fit are equally likely" if claim.blanks else ""
    about_values = [part.named for part, one in zip(claim.parts, stated, strict=True) if _VALUES & {*one}]
    return [
        (
            "Singling out",
            "The claim does not bound it: labels may describe exactly one person in the data.",
        ),
        (
            "Linkability",
            f"Whoever knows no more than the attacker above finds {_CROWDS[counted].format(crowd=number(crowd))} that "
            f"may be a person's; a guess among them is right with a chance of at most {percent(1 / crowd)}{likely}."
            if crowd > 1
            else "The claim does not bound among how many rows of this release a person hides.",
        ),
        (
            "Inference",
            f"It is bounded by {' and '.join(about_values)}, for the values that it covers."
            if about_values
            else "The claim does not bound it: people who look the same may share a value, and then it is known.",
        ),
    ]


_CROWDS = {
    "records": "at least {crowd} rows",
    "persons": "rows of at least {crowd} people",
    "households": "rows of at least {crowd} households",
}
"""Among how many somebody hides, by what a claim counts."""
_VALUES = {"l", "t", "beta", "disclosure", "alpha"}
"""Numbers of claims about what look-alikes tell of sensitive values."""


def _narrow(found: Facts) -> str:
    """What labels reveal that are as narrow as possible.

    >>> _narrow({"certain": 3, "played": 40, "figures": {"labels": 9, "one world": 1, "few worlds": 2, "bits": 0.06}})
    ... # doctest: +ELLIPSIS
    '3 of 40 are alone in a part of a label; of 9 labels 1 leaves one possible world and 2 ...; 0.06 bits per cell'
    """
    told = found["figures"]
    one, few = told["one world"], told["few worlds"]
    return (
        f"{number(found['certain'])} of {number(found['played'])} are alone in a part of "
        f"a label; of {number(told['labels'])} labels {number(one)} {'leaves' if one == 1 else 'leave'} one "
        "possible world and "
        f"{number(few)} {'leaves' if few == 1 else 'leave'} two to five; {told['bits']:.2g} bits per cell"
    )


def _present(found: Facts) -> str:
    """Who is certainly in the data.

    >>> told = {"register": 100, "rows": 40, "by labels": 3, "by narrow labels": 5}
    >>> found = {"figures": told, "success": 0.5}
    >>> _present(found).split("; ")[0]
    '3 of the 40 people released are certainly in the data by labels alone, 5 more because labels are narrow'
    >>> _present(found).split("; ")[1]
    'of 100 in the register 40% are, and 50% on average of those whose labels fit somebody of the data'
    """
    told = found["figures"]
    sure = told["by labels"]
    more = told.get("by narrow labels")
    return (
        f"{number(sure)} of the {number(told['rows'])} people released {'is' if sure == 1 else 'are'} certainly in the "
        f"data by labels alone, {_NOT_NARROW if more is None else f'{number(more)} more because labels are narrow'}; "
        f"of {number(told['register'])} in the register {percent(told['rows'] / max(told['register'], 1))} are, and "
        f"{percent(found['success'])} on average of those whose labels fit somebody of the data"
    )


def _replayed(found: Facts) -> str:
    """What is learned of a quasi-identifier by making the release again.

    >>> found = {"success": 0.5, "certain": 1, "played": 9, "people": 20, "figures": {"prior": 0.25, "worlds": 0.4}}
    >>> _replayed(found)
    '50% is given to the true value, 25% before; 1 of 9 values is certain; 40% of the values tried give this release'
    """
    told, sure = found["figures"], found["certain"]
    return (
        f"{percent(found['success'])} is given to the true value, {percent(told['prior'])} before; {number(sure)} of "
        f"{number(found['played'])} values {'is' if sure == 1 else 'are'} certain; {percent(told['worlds'])} of the "
        "values tried give this release"
    )


_NOT_NARROW = "and labels of this method reveal no more than that"


def _described(found: Facts) -> str:
    """How many descriptions fit exactly one person.

    >>> told = {"predicates": 100, "hits": 56, "by chance": 0.368}
    >>> _described({"figures": told})
    '56 of its 100 best descriptions fit exactly one person; without the release, up to 36.8% would by chance'
    >>> _described({"figures": told | {"others": 5000, "on others": 27}})
    '56 of its 100 best descriptions fit exactly one person, and 27 fit exactly one of as many others; without the \
release, up to 36.8% would by chance'
    """
    told = found["figures"]
    said = (
        f"{number(told['hits'])} of its {number(told['predicates'])} best descriptions fit exactly one person"
    )
    if "others" in told:
        said += f", and {number(round(told['on others'], 1))} fit exactly one of as many others"
    return f"{said}; without the release, up to {percent(told['by chance'])} would by chance"


_FIGURES = {
    "lowest-labels": _narrow,
    "singling-out": _described,
    "in-register": _present,
    "replays-cells": _replayed,
}
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
        "People tried",
    )
    table = parts.ShownTable(
        "Chance that the guess of each attacker is right", head, rows, (2, 3, 4, 5, 6, 7)
    )
    alt = f"Bar chart of the chances of {len(rows)} attackers. {summary(facts)}."
    return parts.Plot.of("attack-figure", attack_figure(facts), alt, table)
