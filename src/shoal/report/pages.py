"""The two pages: the public report and the private audit, each one file that needs no network.

Both forbid by policy what they do not need: the only scripts a browser runs are the two whose hashes the page
names, so a label that slipped through every escape would still not run.
"""

import hashlib
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from shoal.privacy import claim_from_dict
from shoal.release import Claim
from shoal.report import attack, certificate, parts, trees, useful
from shoal.report.facts import Audit, Chart, Report
from shoal.report.figures import proven
from shoal.report.words import (
    ROLE_WORDS,
    SHAPE_WORDS,
    ShapeWords,
    at_least,
    columns_sentences,
    label,
    note_advice,
    note_limits,
    note_sentence,
    number,
    percent,
    sentence,
    value,
)
from shoal.utility import headline

__all__ = [
    "CHANGES",
    "Audit",
    "Report",
    "audit_html",
    "charts_of",
    "crowd_of",
    "holder_word",
    "offline_page",
    "ordered_columns",
    "page_words",
    "report_html",
]

_LOSSES = "Losses: 0 means that nothing was lost, unless the text says otherwise"
CHANGES = (
    "How many original records hold each value, and how many a reader of the release would guess: the records of a "
    "published value, spread evenly over the values that it stands for. In a column with many values, neighbours are "
    "grouped."
)
_BEYOND = "People found by somebody who knows more than the claim allows"
_COMPILED = str(Path(__file__).with_name("__pycache__"))


class _Beside(FileSystemBytecodeCache):
    """Compiled templates beside compiled modules, where both may be written: compiling takes longer than filling."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template for the next run, or do without."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


_ENV = Environment(
    loader=PackageLoader("shoal.report"),
    bytecode_cache=None if sys.dont_write_bytecode else _Beside(_COMPILED, "%s.escaped.jinja"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _limits(claim: Claim, manifest: Mapping[str, Any]) -> list[str]:
    """What is not covered, of the claim and of what was done to columns, as sentences."""
    return [sentence(line) for line in (*claim.not_covered, *note_limits(manifest.get("notes", [])))]


def report_html(report: Report) -> str:
    """Return the public report as one offline html file."""
    manifest, marginals = report.manifest, report.marginals
    claim = _claim(report)
    return _page(
        "report.html",
        report,
        manifest.get("loss", {}),
        headline=_headline(report),
        attacker=sentence(claim.attacker) if claim.shape == "table" else "",  # elsewhere it is the headline
        titled=certificate.heading(manifest),
        belongs=certificate.subject(manifest),
        about=certificate.about(manifest),
        files=certificate.files(manifest),
        checked=certificate.judgements(manifest, claim, _verdict(report.verdict)),
        preset=certificate.preset(manifest),
        preset_limits=label(manifest["preset"]["limits"]) if "preset" in manifest else "",
        exact=certificate.levels(report),
        undeclared=certificate.columns_without_hierarchy(report),
        alone=certificate.needs_files_only(manifest, claim),
        controller=label(manifest["controller"]) if "controller" in manifest else "",
        limits=_limits(claim, manifest),
        criteria=attack.claim_criteria(claim),
        classes=parts.class_sizes(report, claim.crowd) if report.sizes else None,
        charts=charts_of(report.charts),
        trees=trees.public(report.trees),
        losses=parts.losses(manifest.get("loss", {}), _LOSSES, _own_loss(manifest)),
        columns_loss=parts.column_losses(report.loss_by_column),
        marginals=[
            parts.marginal(place, name, role, marginals[name], holder_word(manifest))
            for place, (name, role) in enumerate(ordered_columns(manifest, marginals))
        ],
        roles=parts.ShownTable(
            "What each column is",
            ("Column", "Role", "What that means"),
            [
                (label(name), label(role), ROLE_WORDS[role].released if role in ROLE_WORDS else "")
                for name, role in manifest.get("columns", {}).items()
            ],
        ),
    )


def audit_html(audit: Audit) -> str:
    """Return the private audit as one offline html file."""
    report, changes = audit.report, audit.before_after
    losses = {**report.manifest.get("loss", {}), **audit.losses}
    notes = report.manifest.get("notes", [])
    became = columns_sentences(audit.columns, losses, report.manifest["shape"]) if audit.columns else ()
    points = audit.front or ()
    return _page(
        "audit.html",
        report,
        losses,
        risk=parts.risk(audit),
        risk_table=parts.risks(audit.risk_before, audit.risk_after),
        exposed=parts.identity_risks(audit.exposed),
        learned=parts.attribute_risks(audit.learned),
        uncounted=[sentence(line) for line in audit.uncounted],
        population="" if audit.population is None else number(audit.population),
        times=parts.times(audit.times),
        undecided=audit.undecided,
        warnings=[sentence(line) for line in audit.warnings],
        front=parts.front(points, _claim(report).crowd),
        tradeoff=parts.tradeoff_plot(audit.tradeoff),
        hollow=not all(proven(point) for point in points),
        rules=parts.rules(audit.rules),
        more_rules=parts.other_rules(audit.rules),
        trees=trees.private(audit.trees),
        losses=parts.losses(losses, _LOSSES, _own_loss(report.manifest)),
        columns_loss=parts.column_losses(audit.columns or report.loss_by_column),
        columns_said=[sentence(line) for line in became if line],
        advice=[sentence(line) for line in note_advice(notes)],
        floor=_floor(audit, losses),
        changes_about=CHANGES,
        changes=[
            parts.change(place, name, role, changes[name], holder_word(report.manifest))
            for place, (name, role) in enumerate(ordered_columns(report.manifest, changes))
        ],
        trace=parts.facts(audit.trace, "What the search counted"),
        beyond=parts.facts(audit.beyond, _BEYOND),
        preset=certificate.preset_evidence(audit),
        attack=attack.attack_plot(audit.attack),
        attack_about=attack.ABOUT,
        attack_said=_played(audit),
        criteria=attack.criteria(audit.attack or {}),
        criteria_about=attack.CRITERIA_ABOUT,
        criteria_table=attack.criteria_table(audit.attack),
        control_about=attack.control_about(audit.attack or {}),
        no_control=attack.no_control(audit.attack or {}),
        rows=audit.rows,
        useful=useful.sections(audit.useful),
        useful_notes=[sentence(line) for line in audit.useful.notes] if audit.useful else [],
        charts=charts_of([*report.charts, *audit.charts]),
    )


def _floor(audit: Audit, losses: Mapping[str, float]) -> str:
    """How near the release is to what any of its kind loses, or why that is not told."""
    words = SHAPE_WORDS.get(audit.report.manifest.get("shape", ""))
    if words is None or audit.floor is None:
        return sentence(words.without_floor) if words else ""
    times = f", {losses['ncp'] / audit.floor:.2f} times that" if audit.floor else ""
    return (
        f"No release of this kind, {words.kind}, loses less than {at_least(audit.floor)} (ncp); "
        f"this one loses {percent(losses['ncp'])}{times}."
    )


def _played(audit: Audit) -> list[tuple[str, str]]:
    """What each attacker is and what came of it; nothing where none was played."""
    return [] if audit.attack is None else list(attack.sentences(audit.attack))


def page_words(audit: Audit) -> dict[str, Any]:
    """What the pages say of a release in words, as plain data: for whoever shows it elsewhere; private.

    `limits` is what the claim does not cover; tables have a caption, a head and rows.
    """
    report = audit.report
    manifest, claim = report.manifest, _claim(report)
    losses = {**manifest.get("loss", {}), **audit.losses}
    tables = {
        "losses": parts.losses(losses, _LOSSES, _own_loss(manifest)),
        "risk": parts.risks(audit.risk_before, audit.risk_after),
        "exposed": parts.identity_risks(audit.exposed),
        "learned": parts.attribute_risks(audit.learned),
        "rules": parts.rules(audit.rules),
        "beyond": parts.facts(audit.beyond, _BEYOND),
        "preset": certificate.preset(manifest),
        "preset_evidence": certificate.preset_evidence(audit),
        "criteria": attack.criteria_table(audit.attack),
        "made": parts.facts(dict(certificate.provenance(manifest, claim)), "What the manifest says"),
        "settings": certificate.settings(manifest, report.settings),
        "trace": parts.facts(audit.trace, "What the search counted"),
        "times": parts.times(audit.times),
    }
    return {
        "headline": _headline(report),
        "attacker": sentence(claim.attacker)
        if claim.shape == "table"
        else "",  # elsewhere it is the headline
        "judges": [part.named for part in claim.parts],
        "verdict": _verdict(report.verdict),
        "limits": _limits(claim, manifest),
        "notes": [
            *(sentence(note_sentence(note)) for note in manifest.get("notes", [])),
            *(sentence(line) for line in note_advice(manifest.get("notes", []))),
        ],
        "tiles": [list(tile) for tile in _tiles(report, losses)],
        "tables": {name: asdict(table) for name, table in tables.items() if table.rows},
    }


def charts_of(found: Sequence[Chart]) -> list[tuple[str, str, parts.Plot]]:
    """Charts as plots, each with its title and what it is about."""
    return [(chart.title, chart.about, parts.chart(place, chart)) for place, chart in enumerate(found)]


def _page(template: str, report: Report, told: Mapping[str, float], **facts: Any) -> str:
    """Fill a template with what both pages show."""
    manifest, claim = report.manifest, _claim(report)
    return offline_page(
        template,
        manifest.get("shoal", ""),
        rehearsal=bool(manifest.get("rehearsal")),
        sentence=_promised(report),
        verdict=_verdict(report.verdict),
        tiles=list(_tiles(report, told)),
        notes=[sentence(note_sentence(note)) for note in manifest.get("notes", [])],
        holders=f"{holder_word(manifest)}s",
        made=parts.facts(dict(certificate.provenance(manifest, claim)), "What the manifest says"),
        settings=certificate.settings(manifest, report.settings),
        **facts,
    )


def offline_page(template: str, version: str, *, rehearsal: bool = False, **facts: Any) -> str:
    """Fill a template that extends `base.html`: one file with its scripts and the hashes that let them run."""
    plotly, draw = _plotly_js(), _ENV.get_template("draw.js").render()
    return _ENV.get_template(template).render(
        version=version,
        rehearsal=rehearsal,
        scripts=f"{_hash(plotly)} {_hash(draw)}",
        plotly=Markup(plotly),
        draw=Markup(draw),
        **facts,
    )


@cache
def _plotly_js() -> str:
    """The script that draws, from the folder of the package plotly; the package itself is not imported."""
    package = find_spec("plotly")
    folder = Path(str(package and package.origin)).parent
    return (folder / "package_data" / "plotly.min.js").read_text(encoding="utf-8")


def holder_word(manifest: Mapping[str, Any]) -> str:
    """What values belong to: a column, or a field of record trees."""
    return _words(manifest).holder


def _words(manifest: Mapping[str, Any]) -> ShapeWords:
    """What its shape is called; a table where a manifest names none."""
    return SHAPE_WORDS.get(manifest.get("shape", ""), SHAPE_WORDS["table"])


@cache
def _hash(script: str) -> str:
    """The hash source of a script, as a content security policy names it."""
    return f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def crowd_of(report: Report) -> int:
    """How many records must be alike by the claim."""
    return _claim(report).crowd


def _claim(report: Report) -> Claim:
    """The claim that the manifest states."""
    return claim_from_dict(report.manifest["claim"])


def _promised(report: Report) -> str:
    """The claim as one sentence, about the released columns."""
    claim, columns = _claim(report), report.manifest.get("columns", {})
    names = {
        role: [label(name) for name in claim.sees(columns) if columns[name] == role]
        for role in ("quasi", "sensitive")
    }
    return claim.headline(names["quasi"], names["sensitive"])


def _headline(report: Report) -> str:
    """The claim itself when it was judged and holds; else that it is not to be relied on."""
    state = _state(report.verdict)
    if state == "holds":
        return _promised(report)
    return (
        "Nobody has judged this claim yet" if state == "unjudged" else "This release does not keep its claim"
    )


def _state(verdict: Mapping[str, Any]) -> str:
    if not verdict.get("judged"):
        return "unjudged"
    return "holds" if verdict.get("holds") else "broken"


def _verdict(verdict: Mapping[str, Any]) -> dict[str, str]:
    words = {
        "holds": "✓ Judged: the claim is kept",
        "broken": "✗ Judged: the claim is broken",
        "unjudged": "Not judged",
    }
    state = _state(verdict)
    return {"state": state, "word": words[state], "sentence": sentence(verdict.get("sentence"))}


def _tiles(report: Report, told: Mapping[str, float]) -> Iterator[tuple[str, str, str]]:
    """The key numbers: name, number, what it means. Of the losses that this page may tell, only the headline."""
    manifest, reached = report.manifest, report.verdict.get("reached", {})
    came, out = manifest.get("records_in"), manifest.get("records_out")
    gone = manifest.get("suppressed") or 0
    share = f" ({percent(gone / came)})" if gone and came else ""
    left = f"{number(gone)} suppressed{share}" if gone else "none suppressed"
    yield "Records released", number(out), f"of {number(came)}; {left}"
    if manifest.get("suppressed_items"):
        words = _words(manifest)
        left = f"left out of {words.left}"
        yield f"{words.entry.capitalize()}s suppressed", number(manifest["suppressed_items"]), left
    if report.sizes:
        yield "Classes", number(manifest.get("classes")), "of records that look the same"
    smallest = reached.get("k", min(report.sizes, default=None))
    claim = _claim(report)
    least = "Smallest class" if report.sizes and claim.shape == "table" else "Fewest records that fit"
    if smallest is not None:
        yield least, number(smallest), f"the claim asks for {number(claim.crowd)}" if claim.crowd > 1 else ""
    first = headline(told)
    if first is not None:
        yield f"Loss ({first[0]})", percent(first[1]), "of the detail is lost"
    name, settings = certificate.method(manifest)
    yield "Method", name, value(settings) if settings else ""


def _own_loss(manifest: Mapping[str, Any]) -> str | None:
    """The loss that the method was told to make small."""
    own = certificate.method(manifest)[1].get("loss")
    return own if isinstance(own, str) else None


def ordered_columns(manifest: Mapping[str, Any], found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The columns found, with their roles, as the manifest lists them; unknown ones last."""
    roles = manifest.get("columns", {})
    names = [name for name in roles if name in found] + [name for name in found if name not in roles]
    return [(name, label(roles.get(name, "")) if name in roles else "") for name in names]
