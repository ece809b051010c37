"""What makes the report a certificate: what its owner says, what was judged, which files it is of, how it was made.

All of it stands in the manifest or is said of the method's parameters, so anybody may read it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.io.formats import ABOUT
from shoal.privacy import claim_from_dict
from shoal.privacy.presets import PRESETS, preset_named
from shoal.release import Claim
from shoal.report.attack import criteria
from shoal.report.facts import Audit, Report
from shoal.report.parts import ShownTable
from shoal.report.words import NUMBERS, SHAPE_WORDS, day, label, number, percent, sentence, value

__all__ = [
    "about",
    "columns_without_hierarchy",
    "files",
    "heading",
    "judgements",
    "levels",
    "method",
    "needs_files_only",
    "preset",
    "preset_evidence",
    "provenance",
    "settings",
    "subject",
]

Manifest = Mapping[str, Any]


def heading(manifest: Manifest) -> str:
    """The title that its owner gave the release, and the day on which it was made; empty where neither is known."""
    title = label(manifest["title"]) if "title" in manifest else ""
    return ", ".join(part for part in (title, day(manifest.get("date"))) if part)


def subject(manifest: Manifest) -> str:
    """Which data the certificate speaks of, in one sentence."""
    columns, out = len(manifest.get("columns", ())), manifest.get("records_out")
    words = SHAPE_WORDS.get(manifest.get("shape", ""))
    shape = "a release" if words is None else words.whole
    held = f" with {number(columns)} columns" if words is not None and words.table else ""
    when = f" on {day(manifest['date'])}" if "date" in manifest else ""
    records = f"{number(out)} records" if out is not None else "records"
    return f"This report belongs to {shape}{held}: {records}, released{when} with shoal {manifest.get('shoal', '')}."


def about(manifest: Manifest) -> ShownTable:
    """What the owner says of the release."""
    rows = [(words, label(manifest[key])) for key, words in ABOUT.items() if key in manifest]
    return ShownTable("Whoever published it says so; nobody has checked it.", ("About", "Said"), rows)


def files(manifest: Manifest) -> ShownTable:
    """The data files, and by what each is known again."""
    rows = [(label(name), digest) for name, digest in manifest.get("sha256", {}).items()]
    return ShownTable("The data files that were judged", ("File", "sha256"), rows)


def judgements(manifest: Manifest, claim: Claim, verdict: Mapping[str, str]) -> ShownTable:
    """What was checked, what that means, and what came of it."""
    found = {"holds": "kept", "broken": "not kept", "unjudged": "not judged"}[verdict["state"]]
    rows = [(label(part.named), sentence(part.attacker), found) for part in claim.parts]
    if verdict["state"] == "holds" and not claim.votes:
        rows.append(("truth", "Every published value covers the original value that it stands for.", "kept"))
    if "sha256" in manifest:
        rows.append(("files", "The data were read back from the files below, and judged as written.", "done"))
    return ShownTable(
        "What was checked before this release was handed over", ("Judge", "What it asks", "Found"), rows
    )


def preset(manifest: Manifest) -> ShownTable:
    """The rules of the preset, one by one, with what was found of each."""
    stated = manifest.get("preset", {"title": "", "rules": []})
    rows = [
        (label(one["asks"]), label(one["verdict"]), sentence(label(one["found"])), label(one["source"]))
        for one in stated["rules"]
    ]
    return ShownTable(label(stated["title"]), ("What is asked", "Kept", "Found", "Source"), rows)


def preset_evidence(audit: Audit) -> ShownTable:
    """The rules of the preset to which the audit has figures, each with these; without rows where there are none."""
    stated = audit.report.manifest.get("preset", {"name": "", "title": "", "rules": []})
    known = preset_named(stated["name"]).rules if stated["name"] in PRESETS else ()
    figures = {rule.name: rule.figures for rule in known}
    shown = {**dict(criteria(audit.attack or {})), **_risk_figures(audit)}
    rows = [
        (label(one["asks"]), label(one["verdict"]), sentence(label(one["found"])), sentence(found))
        for one in stated["rules"]
        if (found := shown.get(one["rule"]) or shown.get(figures.get(one["rule"], "")))
    ]
    return ShownTable(
        label(stated["title"]), ("What is asked", "Kept", "Found", "What the audit shows"), rows
    )


def _risk_figures(audit: Audit) -> dict[str, str]:
    """What people risked before and what they risk after, for the rules that ask for it."""
    before, after = audit.risk_before, audit.risk_after
    asked = str(claim_from_dict(audit.report.manifest["claim"]).crowd)
    found = {
        "highest risk": [facts.get("highest") for facts in (before, after)],
        "average risk": [facts.get("average") for facts in (before, after)],
        "share above": [facts.get("below", {}).get(asked) for facts in (before, after)],
    }
    return {
        rule: f"{percent(old)} before, {percent(new)} after"
        for rule, (old, new) in found.items()
        if old is not None and new is not None
    }


def needs_files_only(manifest: Manifest, claim: Claim) -> bool:
    """Whether the published files are all that the judge needs."""
    return not claim.votes and "counts" not in manifest["claim"]


def levels(report: Report) -> ShownTable:
    """How exactly each column with a declared hierarchy is published, level by level."""
    rows = [
        (
            label(one.column),
            f"{number(one.values)} values",
            "sets or ranges" if level is None else f"{number(level)} of {number(one.height)}",
            percent(records / max(1, sum(many for _, many, _ in one.found))),
            ";  ".join(label(text) for text in texts),
        )
        for one in report.levels
        for level, records, texts in one.found
    ]
    head = ("Column", "Hierarchy", "Level", "Records", "Such as")
    return ShownTable("The levels of the hierarchies that are published", head, rows, (3,))


def columns_without_hierarchy(report: Report) -> list[str]:
    """The columns that were made coarser by a hierarchy that nobody declared, if any was declared."""
    told = {one.column for one in report.levels}
    columns = report.manifest.get("columns", {})
    recoded = [
        label(name) for name, role in columns.items() if role in ("quasi", "items") and name not in told
    ]
    return [name for name in recoded if name != "uncertain"] if told else []


def method(manifest: Manifest) -> tuple[str, Mapping[str, Any]]:
    """The method's name, and its parameters however they are nested."""
    found = manifest.get("method", {})
    given = found.get("parameters", {name: item for name, item in found.items() if name != "name"})
    return label(found.get("name")), given


def settings(manifest: Manifest, knobs: Mapping[str, str]) -> ShownTable:
    """Every number that the method was given, with a sentence on what it means."""
    rows = [
        (label(name), value(item), knobs.get(name) or NUMBERS.get(name, ""))
        for name, item in method(manifest)[1].items()
    ]
    return ShownTable("The method's parameters", ("Parameter", "Value", "What it means"), rows)


def provenance(manifest: Manifest, claim: Claim) -> Iterator[tuple[str, Any]]:
    """How the release was made: versions and names."""
    yield "Made by", f"shoal {manifest.get('shoal', '')}".strip()
    if "date" in manifest:
        yield "Made on", day(manifest["date"])
    yield "Shape of the data", manifest.get("shape", "–")
    yield "Claim", " and ".join(part.named for part in claim.parts)
    yield "Method", method(manifest)[0]
