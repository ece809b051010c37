"""The columns of a release on its certificate: what each is, and what it is published as, in a word.

Only what the release itself shows is told: labels, levels of declared hierarchies, notes of the manifest. What was
left out is told in the audit alone, for the name of a column can say what somebody holds about people.
"""

import re
from collections.abc import Iterator, Sequence

from shoal.privacy import claim_from_dict
from shoal.release import Claim
from shoal.report.facts import Report
from shoal.report.parts import ShownTable
from shoal.report.words import (
    NONE,
    PUBLISHED,
    ROLE_WORDS,
    SHAPE_WORDS,
    label,
    names_in_words,
    number,
    shorten_label,
)

__all__ = ["WEIGHT_KINDS", "column_rows", "name_forms", "tabulate_columns"]

_MOST_ROWS = 20
"""More columns than these are told together where they are published alike, or a certificate has no end."""
_MOST_NAMES = 40
_SPAN = re.compile(
    r"[\[(].*,.*[\])]|[<>≤≥] ?[\d.,-]+|[\d.,-]+(?:\+| or more| or less| to [\d.,-]+)", re.DOTALL
)
WEIGHT_KINDS = ("rounded weights", "weights in classes", "calibrated weights")
"""The kinds of notes on sampling weights that are not published as they are."""
_CHANGED_KINDS = ("shifted", "mean", "median", *WEIGHT_KINDS)
_BY_ROLE = {"identifier": "out", "drop": "out", "pseudonym": "token"}
"""What columns are published as that no claim recodes."""
_BY_VOTE = {"items": "vote", "uncertain": "uncertain", "errors": "errors"}
"""The columns of baskets that are published by vote."""
_ORDER = ("quasi", "known", "tree", "items", "sensitive")

Row = tuple[str, str, str, str]
"""A column, its role, what it is published as, and an example in words or nothing."""


def tabulate_columns(report: Report) -> ShownTable:
    """Each column with its role and its published form; those that are alike in one row where there are many."""
    rows = list(column_rows(report))
    lines = [(name, _role_words(role), f"{form}{example}") for name, role, form, example in rows]
    if len(rows) > _MOST_ROWS:
        alike: dict[tuple[str, str], list[str]] = {}
        for name, role, form, _ in rows:
            alike.setdefault((role, form), []).append(name)
        lines = [(_names(names), _role_words(role), form) for (role, form), names in alike.items()]
    holder = SHAPE_WORDS[report.manifest.get("shape", "table")].holder
    caption = f"What each {holder} is, and what it is published as"
    return ShownTable(caption, (holder.capitalize(), "What it is", "Published as"), lines)


def column_rows(report: Report) -> Iterator[Row]:
    """Each column or field, what others may know first."""
    manifest, claim = report.manifest, claim_from_dict(report.manifest["claim"])
    roles = manifest.get("columns", {})
    if manifest.get("shape") == "trees" and report.marginals:
        secret = getattr(claim, "sensitive", None)
        roles = {name: "sensitive" if name == secret else "tree" for name in report.marginals}
    for name in sorted(roles, key=lambda name: (*_ORDER, roles[name]).index(roles[name])):
        ways = _ways(name, roles[name], report, claim)
        forms, example = name_forms(name, report) if ways == ["recoded"] else (ways, "")
        form = names_in_words([PUBLISHED[way] for way in forms])
        yield label(name), roles[name], form, f", such as {shorten_label(example)}" if example else ""


def _ways(name: str, role: str, report: Report, claim: Claim) -> list[str]:
    """How a column is published, keys of `PUBLISHED`; "recoded" where its labels tell."""
    noted_kinds = {
        note.get("kind") for note in report.manifest.get("notes", []) if note.get("column") == name
    }
    if claim.votes and name in _BY_VOTE:
        return [_BY_VOTE[name]]
    ways = [way for way in _CHANGED_KINDS if way in noted_kinds]
    ways += [report.otherwise[name]] if name in report.otherwise else []
    if role in _BY_ROLE:
        return [*ways, _BY_ROLE[role]]
    if role in ("plain", "sensitive") or ways:
        return ways or ["as it is"]
    return ["recoded"]


def name_forms(name: str, report: Report) -> tuple[list[str], str]:
    """What the labels of a recoded column are, keys of `PUBLISHED`, and a label that is no exact value."""
    labels = list(_labels(name, report))
    is_whole = report.loss_by_column.get(name) == 0
    forms = {text: "exact" if is_exact or is_whole else _form_of(text, is_exact) for is_exact, text in labels}
    order = [
        form
        for form in ("exact", "masked", "ranges", "groups", "unknown", "nothing")
        if form in forms.values()
    ]
    if {"unknown", "groups"} <= {*order}:  # what one word says of both
        order.remove("groups")
    if not order and report.marginals.get(name):
        order = ["blank"]
    coarse = next((text for text, form in forms.items() if form in ("masked", "ranges", "groups")), "")
    return order or ["unknown"], label(coarse) if coarse else ""


def _labels(name: str, report: Report) -> Iterator[tuple[bool | None, str]]:
    """The labels of a column or field, each with whether it is an exact value; None where nobody declared that."""
    for levels in report.levels:
        if levels.column == name:
            yield from ((level == 0, text) for level, _, texts in levels.found for text in texts)
            return
    for cut in report.trees.cuts if report.trees else ():
        if cut.name == name:
            inner = {*cut.up}
            published = (node for node, records in enumerate(cut.records) if records is not None)
            yield from ((node not in inner, cut.labels[node]) for node in published)
            return
    yield from ((None, text) for text, _ in report.marginals.get(name, ()) if text is not None)


def _form_of(text: str, is_exact: bool | None) -> str:
    """What a label is by its looks; whether another word is a value or a group, only a declared hierarchy tells."""
    if text == "*":
        return "nothing"
    if _SPAN.fullmatch(text):
        return "ranges"
    if "*" not in text.rstrip("*") != text:
        return "masked"
    return "unknown" if is_exact is None and not text.startswith(("{", "(group")) else "groups"


def _role_words(role: str) -> str:
    """A role by its name and in words."""
    words = ROLE_WORDS.get(role)
    if words is None:
        return label(role) if role else NONE
    return f"{words.named}: {words.released}" if words.released else words.named


def _names(names: Sequence[str]) -> str:
    """Names in one cell, and how many more there are."""
    more = f" and {number(len(names) - _MOST_NAMES)} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
