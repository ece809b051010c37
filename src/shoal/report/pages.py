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

from shoal.io.formats import ABOUT
from shoal.privacy import claim_from_dict, needs_population
from shoal.privacy.claim import SPEAKS_OF
from shoal.privacy.presets import PRESETS, describe_rules, preset_named
from shoal.release import Claim
from shoal.report import attack, parts, trees
from shoal.report.facts import Audit, Chart, Report
from shoal.report.figures import proven
from shoal.report.words import (
    NUMBERS,
    PUBLISHED,
    ROLE_WORDS,
    SHAPE_WORDS,
    ShapeWords,
    at_least,
    changed_columns,
    columns_sentences,
    day,
    full_knowledge_sentence,
    label,
    names_in_words,
    note_advice,
    note_limits,
    note_sentence,
    number,
    percent,
    proposed_sentences,
    sentence,
    undecided_name,
    value,
)
from shoal.utility import headline

__all__ = [
    "Audit",
    "Report",
    "audit_html",
    "audit_sections",
    "judge_needs",
    "judgements",
    "offline_page",
    "page_words",
    "report_html",
    "settings",
]

_LOSSES = "Losses: 0 means that nothing was lost, unless the text says otherwise"
_CHANGES = (
    "How many original records hold each value, and how many a reader of the release would guess: the records of a "
    "published value, spread evenly over the values that it stands for. In a column with many values, neighbours are "
    "grouped."
)
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
    """What is not covered, of the claim and of what was done to columns, as sentences; of columns that are there."""
    roles = {*manifest.get("columns", {}).values()}
    roles |= {"sensitive"} if getattr(claim, "sensitive", None) else set()  # a field of trees
    stated = manifest["claim"].get("not_covered", claim.not_covered)
    lines = [line for line in stated if line not in SPEAKS_OF or roles & {*SPEAKS_OF[line]}]
    return [sentence(line) for line in (*lines, *note_limits(manifest.get("notes", [])))]


def _notes(manifest: Mapping[str, Any]) -> list[str]:
    """What is worth knowing of a release, what was published undecided first."""
    lines = [
        *proposed_sentences(manifest.get("as_proposed", [])),
        *(note_sentence(note) for note in manifest.get("notes", [])),
    ]
    return [sentence(line) for line in lines]


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
        titled=_titled(manifest),
        belongs=_subject(manifest),
        about=_about(manifest),
        files=_files(manifest),
        checked=judgements(manifest, claim, _verdict(report.verdict)),
        rules=sentence(label(f"preset {describe_rules(manifest['preset'])}")) if "preset" in manifest else "",
        preset=_preset(manifest),
        preset_limits=label(manifest["preset"]["limits"]) if "preset" in manifest else "",
        exact=_levels(report),
        undeclared=_undeclared(report),
        needed=judge_needs(manifest, claim),
        controller=label(manifest["controller"]) if "controller" in manifest else "",
        limits=_limits(claim, manifest),
        criteria=attack.claim_criteria(claim, _counted(manifest)),
        classes=parts.class_sizes(report, claim.crowd) if report.sizes else None,
        charts=_charts_of(report.charts),
        trees=trees.public(report.trees),
        losses=parts.losses(manifest.get("loss", {}), _LOSSES, _own_loss(manifest)),
        made=parts.facts(dict(_provenance(manifest, claim)), "What the manifest says"),
        settings=settings(manifest, report.settings),
        columns_loss=parts.column_losses(report.loss_by_column),
        marginals=[
            parts.marginal(place, name, role, marginals[name], _words(manifest).holder)
            for place, (name, role) in enumerate(_ordered_columns(manifest, marginals))
        ],
        roles=parts.ShownTable(
            "What each column is",
            ("Column", "Role", "What that means"),
            [
                (label(name), label(role), _column_words(name, role, report))
                for name, role in manifest.get("columns", {}).items()
            ],
        ),
    )


def audit_html(audit: Audit) -> str:
    """Return the private audit as one offline html file."""
    report, changes = audit.report, audit.before_after
    losses = {**report.manifest.get("loss", {}), **audit.losses}
    notes = report.manifest.get("notes", [])
    changed = {**changed_columns(report.manifest), "redacted": _redacted(report)}
    shape = report.manifest.get("shape", "table")
    became = columns_sentences(audit.columns, losses, shape, changed) if audit.columns else ()
    points = audit.front or ()
    return _page(
        "audit.html",
        report,
        losses,
        tables=_tables(audit),
        risk=parts.risk(audit),
        uncounted=[sentence(line) for line in audit.uncounted],
        population="" if audit.population is None else number(audit.population),
        undecided={undecided_name(name): why for name, why in audit.undecided.items()},
        warnings=[sentence(line) for line in audit.warnings],
        front=parts.front(points, _claim(report).crowd),
        tradeoff=parts.tradeoff_plot(audit.tradeoff),
        hollow=not all(proven(point) for point in points),
        more_rules=parts.other_rules(audit.rules),
        trees=trees.private(audit.trees),
        columns_loss=parts.column_losses(_losses_shown(audit)),
        columns_said=[sentence(line) for line in became if line],
        advice=[sentence(line) for line in note_advice(notes, diverse=not _claim(report).blanks)],
        floor=_floor(audit, losses),
        changes_about=_CHANGES,
        changes=[
            parts.change(place, name, role, changes[name], _words(report.manifest).holder)
            for place, (name, role) in enumerate(_ordered_columns(report.manifest, changes))
        ],
        attack=attack.attack_plot(audit.attack),
        attack_about=attack.ABOUT,
        attack_said=list(attack.sentences(audit.attack)) if audit.attack else [],
        criteria=attack.criteria(audit.attack or {}),
        criteria_about=attack.CRITERIA_ABOUT,
        control_about=attack.control_about(audit.attack or {}),
        no_control=attack.no_control(audit.attack or {}),
        rows=audit.rows,
        useful=parts.useful_sections(audit.useful),
        useful_notes=[sentence(line) for line in audit.useful.notes] if audit.useful else [],
        charts=_charts_of([*report.charts, *audit.charts]),
    )


def _losses_shown(audit: Audit) -> dict[str, float | None]:
    """What each column lost; one whose values are others now has kept none, though it may have lost no detail."""
    losses: Mapping[str, float | None] = audit.columns or audit.report.loss_by_column
    changed = [*changed_columns(audit.report.manifest).values(), _redacted(audit.report)]
    others = {name for names in changed for name in names}
    return {name: lost for name, lost in losses.items() if lost or lost is None or name not in others}


def _redacted(report: Report) -> list[str]:
    return [name for name, how in report.otherwise.items() if how == "redacted"]


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


def page_words(audit: Audit) -> dict[str, Any]:
    """What the pages say of a release in words, as plain data: for whoever shows it elsewhere; private.

    `limits` is what the claim does not cover; tables have a caption, a head and rows.
    """
    report = audit.report
    manifest, claim = report.manifest, _claim(report)
    losses = {**manifest.get("loss", {}), **audit.losses}
    return {
        "headline": _headline(report),
        "attacker": sentence(claim.attacker)
        if claim.shape == "table"
        else "",  # elsewhere it is the headline
        "judges": [part.named for part in claim.parts],
        "verdict": _verdict(report.verdict),
        "full_knowledge": sentence(full_knowledge_sentence(report.full_knowledge)),
        "limits": _limits(claim, manifest),
        "notes": [
            *_notes(manifest),
            *(sentence(line) for line in note_advice(manifest.get("notes", []), diverse=not claim.blanks)),
        ],
        "tiles": [list(tile) for tile in _tiles(report, losses)],
        "tables": {name: asdict(table) for name, table in _tables(audit).items() if table.rows},
    }


def _tables(audit: Audit) -> dict[str, parts.ShownTable]:
    """All tables of an audit; those that have nothing to tell have no rows."""
    manifest, claim = audit.report.manifest, _claim(audit.report)
    losses = {**manifest.get("loss", {}), **audit.losses}
    return {
        "losses": parts.losses(losses, _LOSSES, _own_loss(manifest)),
        "risk": parts.risks(audit.risk_before, audit.risk_after),
        "exposed": parts.identity_risks(audit.exposed),
        "learned": parts.attribute_risks(audit.learned),
        "telling": parts.columns_telling(audit.telling),
        "rules": parts.rules(audit.rules),
        "beyond": parts.facts(audit.beyond, "People found by somebody who knows more than the claim allows"),
        "preset": _preset(manifest),
        "preset_evidence": _preset_evidence(audit),
        "criteria": attack.criteria_table(audit.attack),
        "made": parts.facts(dict(_provenance(manifest, claim)), "What the manifest says"),
        "settings": settings(manifest, audit.report.settings),
        "trace": parts.facts(audit.trace, "What the search counted"),
        "times": parts.times(audit.times),
    }


def _charts_of(found: Sequence[Chart]) -> list[tuple[str, str, parts.Plot]]:
    """Charts as plots, each with its title and what it is about."""
    return [(chart.title, chart.about, parts.chart(place, chart)) for place, chart in enumerate(found)]


def _page(template: str, report: Report, told: Mapping[str, float], **facts: Any) -> str:
    """Fill a template with what both pages show."""
    manifest = report.manifest
    return offline_page(
        template,
        manifest.get("shoal", ""),
        rehearsal=bool(manifest.get("rehearsal")),
        sentence=_promised(report),
        verdict=_verdict(report.verdict),
        full_knowledge=sentence(full_knowledge_sentence(report.full_knowledge)),
        tiles=list(_tiles(report, told)),
        notes=_notes(manifest),
        holders=f"{_words(manifest).holder}s",
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


def _words(manifest: Mapping[str, Any]) -> ShapeWords:
    """What its shape is called; a table where a manifest names none."""
    return SHAPE_WORDS.get(manifest.get("shape", ""), SHAPE_WORDS["table"])


@cache
def _hash(script: str) -> str:
    """The hash source of a script, as a content security policy names it."""
    return f"'sha256-{b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


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
        rows = _counted(manifest) != "records" and "k" not in reached
        asked = f"records; the claim asks for {number(claim.crowd)} {_counted(manifest)}"
        yield least, number(smallest), (asked if rows else _asked(claim)) if claim.crowd > 1 else ""
    first = headline(told)
    if first is not None:
        yield f"Loss ({first[0]})", percent(first[1]), "of the detail is lost"
    name, given = _method(manifest)
    yield "Method", name, value(given) if given else ""


def _asked(claim: Claim) -> str:
    return f"the claim asks for {number(claim.crowd)}"


def _counted(manifest: Mapping[str, Any]) -> str:
    """What the claim counts: records, persons or households."""
    linked = "pseudonym" in manifest.get("columns", {}).values()
    return str(manifest["claim"].get("counts", "persons" if linked else "records"))


def _own_loss(manifest: Mapping[str, Any]) -> str | None:
    """The loss that the method was told to make small."""
    own = _method(manifest)[1].get("loss")
    return own if isinstance(own, str) else None


def _ordered_columns(manifest: Mapping[str, Any], found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The columns found, with their roles, as the manifest lists them; unknown ones last."""
    roles = manifest.get("columns", {})
    names = [name for name in roles if name in found] + [name for name in found if name not in roles]
    return [(name, label(roles.get(name, "")) if name in roles else "") for name in names]


# What the audit shows, for whoever shows it elsewhere.

_MOST = 40  # columns of which a plot is drawn; the audit has all of them


def audit_sections(audit: Audit) -> list[parts.Section]:
    """What was done to the records, before and after."""
    return parts.with_plots(_sections(audit))


def _sections(audit: Audit) -> Iterator[tuple[str, str, Sequence[parts.Plot | None]]]:
    report, changes = audit.report, audit.before_after
    losses = _losses_shown(audit)
    heaviest = sorted(losses.items(), key=lambda row: -1.0 if row[1] is None else -row[1])
    yield (
        "What it cost",
        "How much each column lost: 0 means that every value is as it was, 1 that nothing is left of it.",
        [parts.column_losses(dict(heaviest[:_MOST]))],
    )
    yield (
        "Risk, before and after",
        "It is hard to find the person behind a record that looks the same as many others.",
        [parts.risk(audit)],
    )
    yield attack.TITLE, attack.ABOUT, [attack.attack_plot(audit.attack)]
    crowd = _claim(report).crowd
    yield (
        "How many records look the same",
        "Records that look the same to the attacker form a class. The larger a class, the better its people hide.",
        [parts.class_sizes(report, crowd) if report.sizes else None],
    )
    for title, about, plot in _charts_of([*report.charts, *audit.charts]):
        yield title, about, [plot]
    for section in parts.useful_sections(audit.useful):
        yield section.title, section.said or section.about, [section.plot]
    named = _ordered_columns(report.manifest, changes)
    holder = _words(report.manifest).holder
    cut = f" Shown are the first {_MOST} of {len(named)}; the audit has all." if len(named) > _MOST else ""
    yield (
        f"The {holder}s, before and after",
        f"{_CHANGES}{cut}",
        [
            parts.change(place, name, role, changes[name], holder)
            for place, (name, role) in enumerate(named[:_MOST])
        ],
    )
    yield (
        "What other choices of k would cost",
        "Each point is a recoding with one level for each column; the line shows the least loss of these that reaches "
        "that k.",
        [parts.front(audit.front or (), crowd)],
    )
    yield (
        "What other bounds would cost",
        "Each point is a release that could have been made with another delta.",
        [parts.tradeoff_plot(audit.tradeoff)],
    )


# What makes the report a certificate: what its owner says, what was judged, which files it is of, how it was made.
# All of it stands in the manifest or is said of the method's parameters, so anybody may read it.


def _titled(manifest: Mapping[str, Any]) -> str:
    """The title that its owner gave the release, and the day on which it was made; empty where neither is known."""
    title = label(manifest["title"]) if "title" in manifest else ""
    return ", ".join(part for part in (title, day(manifest.get("date"))) if part)


def _subject(manifest: Mapping[str, Any]) -> str:
    """Which data the certificate speaks of, in one sentence."""
    columns, out = len(manifest.get("columns", ())), manifest.get("records_out")
    words = SHAPE_WORDS.get(manifest.get("shape", ""))
    shape = "a release" if words is None else words.whole
    held = f" with {number(columns)} columns" if words is not None and words.table else ""
    when = f" on {day(manifest['date'])}" if "date" in manifest else ""
    records = f"{number(out)} records" if out is not None else "records"
    return f"This report belongs to {shape}{held}: {records}, released{when} with shoal {manifest.get('shoal', '')}."


def _about(manifest: Mapping[str, Any]) -> parts.ShownTable:
    """What the owner says of the release."""
    rows = [(words, label(manifest[key])) for key, words in ABOUT.items() if key in manifest]
    return parts.ShownTable("Whoever published it says so; nobody has checked it.", ("About", "Said"), rows)


def _files(manifest: Mapping[str, Any]) -> parts.ShownTable:
    """The data files, and by what each is known again."""
    rows = [(label(name), digest) for name, digest in manifest.get("sha256", {}).items()]
    return parts.ShownTable("The data files that were judged", ("File", "sha256"), rows)


def judgements(manifest: Mapping[str, Any], claim: Claim, verdict: Mapping[str, str]) -> parts.ShownTable:
    """What was checked, what that means, and what came of it."""
    found = {"holds": "kept", "broken": "not kept", "unjudged": "not judged"}[verdict["state"]]
    rows = [(label(part.named), sentence(part.attacker), found) for part in claim.parts]
    if verdict["state"] == "holds" and not claim.votes:
        rows.append(("truth", _truth(manifest), "kept"))
    if "sha256" in manifest:
        rows.append(("files", "The data were read back from the files below, and judged as written.", "done"))
    return parts.ShownTable(
        "What was checked before this release was handed over", ("Judge", "What it asks", "Found"), rows
    )


def _truth(manifest: Mapping[str, Any]) -> str:
    """What was checked of every published value; means, shifted dates and tokens are something else than values."""
    kinds = {note.get("kind") for note in manifest.get("notes", [])}
    changed = [words for kind, words in _CHANGED.items() if kind in kinds]
    changed += ["pseudonyms"] if "pseudonym" in manifest.get("columns", {}).values() else []
    others = f", but for {names_in_words(changed)}" if changed else ""
    return f"Every published value covers the original value that it stands for{others}."


_CHANGED = {"mean": "means", "median": "medians", "shifted": "shifted dates"}
"""By kind of note, values that are made of original ones."""


def _preset(manifest: Mapping[str, Any]) -> parts.ShownTable:
    """The rules of the preset, one by one, with what was found of each."""
    stated = manifest.get("preset", {"title": "", "rules": []})
    rows = [
        (label(one["asks"]), label(one["verdict"]), sentence(label(one["found"])), label(one["source"]))
        for one in stated["rules"]
    ]
    return parts.ShownTable(label(stated["title"]), ("What is asked", "Kept", "Found", "Source"), rows)


def _preset_evidence(audit: Audit) -> parts.ShownTable:
    """The rules of the preset to which the audit has figures, each with these; without rows where there are none."""
    stated = audit.report.manifest.get("preset", {"name": "", "title": "", "rules": []})
    known = preset_named(stated["name"]).rules if stated["name"] in PRESETS else ()
    figures = {rule.name: rule.figures for rule in known}
    shown = {**dict(attack.criteria(audit.attack or {})), **_risk_figures(audit)}
    rows = [
        (label(one["asks"]), label(one["verdict"]), sentence(label(one["found"])), sentence(found))
        for one in stated["rules"]
        if (found := shown.get(one["rule"]) or shown.get(figures.get(one["rule"], "")))
    ]
    return parts.ShownTable(
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


def judge_needs(manifest: Mapping[str, Any], claim: Claim) -> str:
    """What the judge needs beside the published files: a key of the texts of `report.html`; "" for nothing."""
    if "counts" in manifest["claim"]:
        return "rows"
    if claim.votes:
        return "originals"
    if needs_population(claim):
        return "population"
    return "secrets" if claim.exempts else ""


def _levels(report: Report) -> parts.ShownTable:
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
    return parts.ShownTable("The levels of the hierarchies that are published", head, rows, (3,))


def _undeclared(report: Report) -> list[str]:
    """The columns that were made coarser by a hierarchy that nobody declared, if any was declared."""
    told = {one.column for one in report.levels}
    columns = report.manifest.get("columns", {})
    means = {note.get("column") for note in report.manifest.get("notes", []) if note.get("kind") in _CHANGED}
    recoded = [
        label(name)
        for name, role in columns.items()
        if role in ("quasi", "items") and name not in told | means
    ]
    return [name for name in recoded if name != "uncertain"] if told else []


def _column_words(name: str, role: str, report: Report) -> str:
    """What a released column is, and how it is published."""
    known = {note.get("kind") for note in report.manifest.get("notes", []) if note.get("column") == name}
    ways = [way for way in ("shifted", "mean", "median") if way in known]
    ways += [report.otherwise[name]] if name in report.otherwise else []
    if _claim(report).votes and name in _BY_VOTE:
        ways = [_BY_VOTE[name]]
    elif role not in ("plain", "sensitive") and not {"mean", "median"} & {*ways}:
        ways = [*ways, _USUALLY.get(role, "recoded")]
    what = ROLE_WORDS[role].released if role in ROLE_WORDS and ways[:1] != ["errors"] else ""
    how = ", and ".join(PUBLISHED[way] for way in ways or ["as it is"])
    return f"{what}: {how}" if what else how


_USUALLY = {"identifier": "out", "drop": "out", "pseudonym": "token"}
"""By role, how columns are published that no claim recodes."""
_BY_VOTE = {"items": "vote", "uncertain": "uncertain", "errors": "errors"}
"""The columns of baskets that are published by vote."""


def _method(manifest: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The method's name, and its parameters however they are nested."""
    found = manifest.get("method", {})
    given = found.get("parameters", {name: item for name, item in found.items() if name != "name"})
    return label(found.get("name")), given


def settings(manifest: Mapping[str, Any], knobs: Mapping[str, str]) -> parts.ShownTable:
    """Every number that the method was given, with a sentence on what it means: of a claim's, what that claim says."""
    stated = claim_from_dict(manifest["claim"]).parts
    own = {key: words for part in stated for key, words in getattr(part, "meanings", {}).items()}
    rows = [
        (label(name), value(item), knobs.get(name) or own.get(name) or NUMBERS.get(name, ""))
        for name, item in _method(manifest)[1].items()
    ]
    return parts.ShownTable("The method's parameters", ("Parameter", "Value", "What it means"), rows)


def _provenance(manifest: Mapping[str, Any], claim: Claim) -> Iterator[tuple[str, Any]]:
    """How the release was made: versions and names."""
    yield "Made by", f"shoal {manifest.get('shoal', '')}".strip()
    if "date" in manifest:
        yield "Made on", day(manifest["date"])
    yield "Shape of the data", manifest.get("shape", "–")
    yield "Claim", " and ".join(part.named for part in claim.parts)
    yield "Method", _method(manifest)[0]
