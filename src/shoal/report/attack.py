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
    "attack_figure",
    "attack_plot",
    "criteria_table",
    "describe_against_control",
    "describe_chances",
    "describe_claim_criteria",
    "describe_control",
    "describe_criteria",
    "explain_missing_controls",
    "sentences",
    "summarize_attack",
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
    yield "verdict", summarize_attack(facts)
    for attacker in facts["attackers"]:
        control_words = describe_against_control(attacker)
        yield (
            attacker["name"],
            f"{attacker['sentence']}: {describe_chances(attacker)}{f'; {control_words}' if control_words else ''}",
        )
    for line in facts["not_played"]:
        yield "not tried", line


def summarize_attack(facts: Facts) -> str:
    """Whether every attacker inside the claim stayed within its bound, in one sentence without a full stop."""
    if facts["wrong"]:
        return f"no: {facts['wrong']}"
    if facts["holds"]:
        return "yes: no attacker inside the claim is right more often than it allows"
    failed_names = facts["failed"]
    if not failed_names:
        return "not known: no attacker could be tried on this release"
    reason = facts["changed"] or "if the release is as shoal wrote it, this is a bug to report"
    return (
        f"no: {', '.join(failed_names)} {'is' if len(failed_names) == 1 else 'are'} right more often than "
        f"the claim allows; {reason}"
    )


def describe_chances(found: Facts) -> str:
    """How often an attacker is right, beside the bound: a clause without a full stop.

    >>> found = {"name": "m-items", "inside": True, "bound": 0.2, "success": 0.125, "low": 0.125, "high": 0.125}
    >>> describe_chances(found | {"highest": 0.2, "certain": 0, "played": 40, "people": 40})
    'right 12.5% of the time on average, 20% at most; the claim allows 20%'
    """
    if found.get("figures"):
        return _FIGURES[found["name"]](found)
    wide = f" ({percent(found['low'])} to {percent(found['high'])})" if found["low"] < found["high"] else ""
    average = percent(found["success"])
    rate = f"adds {average}" if found["name"] in _GAINS else f"right {average} of the time"
    clause = f"{rate}{wide} on average, {percent(found['highest'])} at most"
    if found["inside"]:
        clause += f"; the claim allows {percent(found['bound'])}"
    if found["certain"]:
        clause += f"; certain for {number(found['certain'])} of {number(found['played'])} people"
    if found["played"] < found["people"]:
        clause += f"; {number(found['played'])} of {number(found['people'])} people were tried"
    return clause


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


def describe_control(facts: Facts) -> str:
    """What a control group is, and who this one is; nothing where there is none."""
    return _CONTROL.format(who=facts["control"]) if facts.get("control") else ""


def describe_against_control(found: Facts) -> str:
    """What an attacker reaches on people who are in a release and on those who are not: a clause, "" without a control.

    >>> rate = {"rate": 0.5, "low": 0.4, "high": 0.6, "played": 100}
    >>> beside = {"attack": rate, "control": rate | {"rate": 0.4, "low": 0.3}}
    >>> describe_against_control({"control": beside | {"residual": {"risk": 0.1667, "low": -0.07, "high": 0.39}}})
    '50% (40% to 60%) in the release, 40% (30% to 60%) not in it; residual risk 16.7% (0% to 39%)'
    """
    control_facts = found.get("control")
    if not control_facts:
        return ""
    attack, control = (_interval_words(control_facts[group], "rate") for group in ("attack", "control"))
    return (
        f"{attack} in the release, {control} not in it; residual risk "
        f"{_interval_words(control_facts['residual'], 'risk')}"
    )


def _interval_words(told: Facts, key: str) -> str:
    """A figure with its interval; below 0 nothing is left to show."""
    figure, low, high = (percent(max(told[name], 0.0)) for name in (key, "low", "high"))
    return f"{figure} ({low} to {high})"


def describe_criteria(facts: Facts) -> list[tuple[str, str]]:
    """Each criterion with what the attackers that speak to it reach: a sentence without a full stop."""
    return [
        (criterion["name"], _criterion_sentence(criterion, facts)) for criterion in facts.get("criteria", ())
    ]


def _criterion_sentence(one: Facts, facts: Facts) -> str:
    speak = _attackers_of_criterion(one, facts)
    if not speak:
        return f"{one['about']}: no attacker that tests it was tried"
    clauses = [
        f"{attacker['name']}: {describe_chances(attacker)}" for attacker in speak if attacker.get("figures")
    ]
    for is_inside, scope in ((True, "inside the claim"), (False, "beyond it")):
        rates = [
            attacker for attacker in speak if attacker["inside"] is is_inside and not attacker.get("figures")
        ]
        if rates:
            best = max(rates, key=lambda found: found["success"])
            clauses.append(f"{scope} {percent(best['success'])} on average ({best['name']})")
    controlled = [attacker for attacker in speak if attacker.get("control")]
    if controlled:
        worst = max(controlled, key=lambda found: found["control"]["residual"]["risk"])
        clauses.append(
            f"highest residual risk {_interval_words(worst['control']['residual'], 'risk')} ({worst['name']})"
        )
    return f"{one['about']}: {'; '.join(clauses)}"


def criteria_table(facts: Facts | None) -> parts.ShownTable:
    """The figures of every attacker under the criterion that it speaks to; without rows where nobody was played."""
    groups = () if not facts else facts.get("criteria", ())
    has_control = bool(facts and facts.get("control"))
    rows = [
        _figures_row(criterion, attacker, has_control)
        for criterion in groups
        for attacker in _attackers_of_criterion(criterion, facts or {})
    ]
    head = ("Criterion", "Attacker", "Claim", "On average", "At most")
    control_head = ("In the release", "Not in it", "Residual risk") if has_control else ()
    numeric_columns = tuple(range(3, len(head) + len(control_head)))
    return parts.ShownTable(
        "What attackers reach, by criterion", (*head, *control_head), rows, numeric_columns
    )


def _attackers_of_criterion(one: Facts, facts: Facts) -> list[Facts]:
    return [attacker for attacker in facts["attackers"] if attacker["name"] in one["attackers"]]


def _figures_row(one: Facts, found: Facts, held: bool) -> tuple[str, ...]:
    claim = "inside" if found["inside"] else "beyond"
    row = (one["name"], found["name"], claim, percent(found["success"]), percent(found["highest"]))
    if not held:
        return row
    control = found["control"]
    if not control:
        return (*row, NONE, NONE, NONE)
    groups = ((control["attack"], "rate"), (control["control"], "rate"), (control["residual"], "risk"))
    return (*row, *(_interval_words(rate_facts, key) for rate_facts, key in groups))


def explain_missing_controls(facts: Facts) -> list[str]:
    """Why some attackers have no control, in sentences without a full stop."""
    return [
        f"{name} has no control: {reason}"
        for criterion in facts.get("criteria", ())
        for name, reason in criterion["no_control"].items()
    ]


def describe_claim_criteria(claim: Claim, counted: str = "records") -> list[tuple[str, str]]:
    """What a claim alone says to each criterion, for anybody to read: a sentence each; `counted` is what it counts."""
    part_facts = [part.as_dict() for part in claim.parts]
    different = [
        facts["l"]
        for part, facts in zip(claim.parts, part_facts, strict=True)
        if isinstance(part, LDiversity)
    ]
    crowd = max([claim.crowd, *different])  # so many different values are of as many records
    likely = ", where all rows that fit are equally likely" if claim.blanks else ""
    about_values = [
        part.named for part, facts in zip(claim.parts, part_facts, strict=True) if _VALUES & {*facts}
    ]
    return [
        (
            "Singling out",
            "The claim does not bound it: labels may describe exactly one person in the data.",
        ),
        (
            "Linkability",
            f"Anyone who knows no more than the attacker above finds "
            f"{_CROWDS[counted].format(crowd=number(crowd))} that "
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


def _describe_narrow_labels(found: Facts) -> str:
    """What labels reveal that are as narrow as possible.

    >>> figures = {"labels": 9, "one world": 1, "few worlds": 2, "bits": 0.06}
    >>> _describe_narrow_labels({"certain": 3, "played": 40, "figures": figures})
    ... # doctest: +ELLIPSIS
    '3 of 40 are alone in a part of a label; of 9 labels 1 leaves one possible world and 2 ...; 0.06 bits per cell'
    """
    counts = found["figures"]
    single_world, few_worlds = counts["one world"], counts["few worlds"]
    return (
        f"{number(found['certain'])} of {number(found['played'])} are alone in a part of "
        f"a label; of {number(counts['labels'])} labels {number(single_world)} "
        f"{'leaves' if single_world == 1 else 'leave'} one "
        "possible world and "
        f"{number(few_worlds)} {'leaves' if few_worlds == 1 else 'leave'} two to five; {counts['bits']:.2g} "
        "bits per cell"
    )


def _describe_presence(found: Facts) -> str:
    """Who is certainly in the data.

    >>> told = {"register": 100, "rows": 40, "by labels": 3, "by narrow labels": 5}
    >>> found = {"figures": told, "success": 0.5}
    >>> _describe_presence(found).split("; ")[0]
    '3 of the 40 people released are certainly in the data by labels alone, 5 more because labels are narrow'
    >>> _describe_presence(found).split("; ")[1]
    'of 100 in the register 40% are, and 50% on average of those whose labels fit somebody of the data'
    """
    counts = found["figures"]
    sure = counts["by labels"]
    more = counts.get("by narrow labels")
    return (
        f"{number(sure)} of the {number(counts['rows'])} people released {'is' if sure == 1 else 'are'} "
        "certainly in the "
        f"data by labels alone, {_NOT_NARROW if more is None else f'{number(more)} more because labels are narrow'}; "
        f"of {number(counts['register'])} in the register "
        f"{percent(counts['rows'] / max(counts['register'], 1))} are, and "
        f"{percent(found['success'])} on average of those whose labels fit somebody of the data"
    )


def _describe_replay(found: Facts) -> str:
    """What is learned of a quasi-identifier by making the release again.

    >>> found = {"success": 0.5, "certain": 1, "played": 9, "people": 20, "figures": {"prior": 0.25, "worlds": 0.4}}
    >>> _describe_replay(found)
    '50% is given to the true value, 25% before; 1 of 9 values is certain; 40% of the values tried give this release'
    """
    counts, sure = found["figures"], found["certain"]
    return (
        f"{percent(found['success'])} is given to the true value, {percent(counts['prior'])} before; {number(sure)} of "
        f"{number(found['played'])} values {'is' if sure == 1 else 'are'} certain; {percent(counts['worlds'])} of the "
        "values tried give this release"
    )


_NOT_NARROW = "and labels of this method reveal no more than that"


def _describe_descriptions(found: Facts) -> str:
    """How many descriptions fit exactly one person.

    >>> told = {"predicates": 100, "hits": 56, "by chance": 0.368}
    >>> _describe_descriptions({"figures": told})
    '56 of its 100 best descriptions fit exactly one person; without the release, up to 36.8% would by chance'
    >>> _describe_descriptions({"figures": told | {"others": 5000, "on others": 27}})
    '56 of its 100 best descriptions fit exactly one person, and 27 fit exactly one of as many others; without the \
release, up to 36.8% would by chance'
    """
    counts = found["figures"]
    sentence = (
        f"{number(counts['hits'])} of its {number(counts['predicates'])} best descriptions fit exactly "
        "one person"
    )
    if "others" in counts:
        sentence += f", and {number(round(counts['on others'], 1))} fit exactly one of as many others"
    return f"{sentence}; without the release, up to {percent(counts['by chance'])} would by chance"


_FIGURES = {
    "lowest-labels": _describe_narrow_labels,
    "singling-out": _describe_descriptions,
    "in-register": _describe_presence,
    "replays-cells": _describe_replay,
}
"""What is told of attackers who do not guess whose row is whose."""


def attack_figure(facts: Facts) -> figures.Figure:
    """Draw the success of each attacker, on average and at most, with the bound where the claim sets one."""
    rows = facts["attackers"]
    names = [attacker["name"] for attacker in rows]
    series = {
        "on average": [attacker["success"] for attacker in rows],
        "of the person found most easily": [attacker["highest"] for attacker in rows],
    }
    figure = figures.chances(series, names, "chance that the guess is right", TITLE)
    bounded = [(attacker["bound"], index) for index, attacker in enumerate(rows) if attacker["inside"]]
    bounds = {
        "type": "scatter",
        "name": "what the claim allows",
        "x": [allowed for allowed, _ in bounded],
        "y": [index for _, index in bounded],
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
            attacker["name"],
            "inside" if attacker["inside"] else "beyond",
            percent(attacker["bound"]) if attacker["inside"] else NONE,
            percent(attacker["success"]),
            f"{percent(attacker['low'])} to {percent(attacker['high'])}",
            percent(attacker["highest"]),
            number(attacker["certain"]),
            number(attacker["played"]),
        )
        for attacker in facts["attackers"]
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
    alt = f"Bar chart of the chances of {len(rows)} attackers. {summarize_attack(facts)}."
    return parts.Plot.of("attack-figure", attack_figure(facts), alt, table)
