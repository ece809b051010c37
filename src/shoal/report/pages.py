"""The two pages: the public report and the private audit, each one file that needs no network.

Their figures are drawn as SVG and they have no script. Both forbid by policy what they do not need, every script among
it, so a label that slipped through every escape would still not run.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, PackageLoader, StrictUndefined
from jinja2.bccache import Bucket

from shoal.base.naming import RECODED
from shoal.io.formats import ABOUT
from shoal.privacy import claim_from_dict, needs_population
from shoal.privacy.claim import SPEAKS_OF
from shoal.privacy.presets import PRESETS, describe_rules, find_preset
from shoal.release import Claim
from shoal.report import attack, parts, trees
from shoal.report.columns import WEIGHT_KINDS, tabulate_columns
from shoal.report.facts import Audit, Chart, MoreKnowledge, Report
from shoal.report.figures import is_proven
from shoal.report.words import (
    NUMBERS,
    SHAPE_WORDS,
    ShapeWords,
    accuracy_sentences,
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
    percent_at_least,
    proposed_sentences,
    sentence,
    undecided_name,
    value,
)
from shoal.utility import find_headline

__all__ = [
    "Audit",
    "Report",
    "_judge_needs",
    "_judgements",
    "_settings_table",
    "audit_html",
    "audit_sections",
    "offline_page",
    "page_words",
    "report_html",
]

_LOSSES = "Losses: 0 means that nothing was lost, unless the text says otherwise"
_CHANGES = (
    "How many original records hold each value, and how many a reader of the release would guess: the records of a "
    "published value, spread evenly over the values that it stands for. In a column with many values, neighbours are "
    "grouped."
)
_COMPILED = str(Path(__file__).with_name("__pycache__"))


class _TemplateCache(FileSystemBytecodeCache):
    """Compiled templates beside compiled modules, where both may be written: compiling takes longer than filling."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template for the next run, or do without."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


_ENV = Environment(
    loader=PackageLoader("shoal.report"),
    bytecode_cache=None if sys.dont_write_bytecode else _TemplateCache(_COMPILED, "%s.escaped.jinja"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def _limit_sentences(claim: Claim, manifest: Mapping[str, Any]) -> list[str]:
    """What is not covered, of the claim and of what was done to columns, as sentences; of columns that are there."""
    roles = {*manifest.get("columns", {}).values()}
    roles |= {"sensitive"} if getattr(claim, "sensitive", None) else set()  # a field of trees
    stated_limits = manifest["claim"].get("not_covered", claim.not_covered)
    lines = [line for line in stated_limits if line not in SPEAKS_OF or roles & {*SPEAKS_OF[line]}]
    return [sentence(line) for line in (*lines, *note_limits(manifest.get("notes", [])))]


def _note_sentences(manifest: Mapping[str, Any]) -> list[str]:
    """What is worth knowing of a release, what was published undecided first."""
    lines = [
        *proposed_sentences(manifest.get("as_proposed", [])),
        *(note_sentence(note) for note in manifest.get("notes", [])),
    ]
    return [sentence(line) for line in lines]


def _attacker_sentence(claim: Claim) -> str:
    """What the attacker of a claim about tables knows; elsewhere that is the headline."""
    return sentence(claim.attacker) if claim.shape == "table" else ""


def report_html(report: Report) -> str:
    """Return the public report as one offline html file."""
    manifest, marginals = report.manifest, report.marginals
    claim = _stated_claim(report)
    return _page(
        "report.html",
        report,
        manifest.get("loss", {}),
        headline=_headline(report),
        attacker=_attacker_sentence(claim),
        titled=_release_title(manifest),
        belongs=_subject_sentence(manifest),
        about=_about_table(manifest),
        files=_files_table(manifest),
        checked=_judgements(manifest, claim, _verdict_words(report.verdict)),
        rules=sentence(label(f"preset {describe_rules(manifest['preset'])}")) if "preset" in manifest else "",
        preset=_preset_table(manifest),
        preset_limits=label(manifest["preset"]["limits"]) if "preset" in manifest else "",
        exact=_levels_table(report),
        undeclared=_undeclared_columns(report),
        needed=_judge_needs(manifest, claim),
        controller=label(manifest["controller"]) if "controller" in manifest else "",
        limits=_limit_sentences(claim, manifest),
        criteria=attack.describe_claim_criteria(claim, _counted_unit(manifest)),
        classes=parts.class_sizes_plot(report, claim.crowd) if report.sizes else None,
        charts=_chart_plots(report.charts),
        trees=trees.report_parts(report.trees),
        losses=parts.losses_table(manifest.get("loss", {}), _LOSSES, _method_loss(manifest)),
        made=parts.facts_table(dict(_provenance_rows(manifest, claim)), "What the manifest says"),
        settings=_settings_table(manifest, report.settings),
        columns_loss=parts.column_losses(report.loss_by_column),
        accuracy=[sentence(line) for line in accuracy_sentences(report.accuracy)],
        accuracy_table=parts.accuracy_table(report.accuracy),
        pairs_table=parts.pair_accuracy_table(report.accuracy),
        marginals=[
            parts.marginal_plot(index, name, role, marginals[name], _shape_words(manifest).holder)
            for index, (name, role) in enumerate(_ordered_columns(manifest, marginals))
        ],
        roles=tabulate_columns(report),
    )


def audit_html(audit: Audit) -> str:
    """Return the private audit as one offline html file."""
    report, changes = audit.report, audit.before_after
    losses = {**report.manifest.get("loss", {}), **audit.losses}
    notes = report.manifest.get("notes", [])
    changed_names = {**changed_columns(report.manifest), "redacted": _redacted_columns(report)}
    shape = report.manifest.get("shape", "table")
    became = columns_sentences(audit.columns, losses, shape, changed_names) if audit.columns else ()
    points = audit.front or ()
    return _page(
        "audit.html",
        report,
        losses,
        tables=_tables(audit),
        risk=parts.class_shares_plot(audit),
        uncounted=[sentence(line) for line in audit.uncounted],
        population="" if audit.population is None else number(audit.population),
        undecided={undecided_name(name): reason for name, reason in audit.undecided.items()},
        warnings=[sentence(line) for line in audit.warnings],
        front=parts.front_plot(points, _stated_claim(report).crowd),
        tradeoff=parts.tradeoff_plot(audit.tradeoff),
        hollow=not all(is_proven(point) for point in points),
        more_rules=parts.other_rules_table(audit.rules),
        trees=trees.audit_parts(audit.trees),
        columns_loss=parts.column_losses(_shown_losses(audit)),
        columns_said=[sentence(line) for line in became if line],
        advice=[sentence(line) for line in note_advice(notes, report.manifest.get("claim"))],
        floor=_floor_sentence(audit, losses),
        changes_about=_CHANGES,
        changes=[
            parts.change_plot(index, name, role, changes[name], _shape_words(report.manifest).holder)
            for index, (name, role) in enumerate(_ordered_columns(report.manifest, changes))
        ],
        attack=attack.attack_plot(audit.attack),
        attack_about=attack.ABOUT,
        attack_said=list(attack.sentences(audit.attack)) if audit.attack else [],
        attack_verdict=sentence(attack.summarize_attack(audit.attack)) if audit.attack else "",
        criteria=attack.describe_criteria(audit.attack or {}),
        criteria_about=attack.CRITERIA_ABOUT,
        control_about=attack.describe_control(audit.attack or {}),
        no_control=attack.explain_missing_controls(audit.attack or {}),
        rows=audit.rows,
        useful=parts.useful_sections(audit.useful),
        useful_notes=[sentence(line) for line in audit.useful.notes] if audit.useful else [],
        charts=_chart_plots([*report.charts, *audit.charts]),
    )


def _shown_losses(audit: Audit) -> dict[str, float | None]:
    """What each column lost; one whose values are others now has kept none, though it may have lost no detail."""
    losses: Mapping[str, float | None] = audit.columns or audit.report.loss_by_column
    changed_lists = [*changed_columns(audit.report.manifest).values(), _redacted_columns(audit.report)]
    changed_names = {name for names in changed_lists for name in names}
    return {name: loss for name, loss in losses.items() if loss or loss is None or name not in changed_names}


def _redacted_columns(report: Report) -> list[str]:
    return [name for name, treatment in report.otherwise.items() if treatment == "redacted"]


def _floor_sentence(audit: Audit, losses: Mapping[str, float]) -> str:
    """How near the release is to what any of its kind loses, or why that is not told."""
    words = SHAPE_WORDS.get(audit.report.manifest.get("shape", ""))
    if words is None or audit.floor is None:
        return sentence(words.without_floor) if words else ""
    times = f", {losses['ncp'] / audit.floor:.2f} times that" if audit.floor else ""
    return (
        f"No release of this kind, {words.kind}, loses less than {percent_at_least(audit.floor)} (ncp); "
        f"this one loses {percent(losses['ncp'])}{times}."
    )


def page_words(audit: Audit) -> dict[str, Any]:
    """What the pages say of a release in words, as plain data: for whoever shows it elsewhere; private.

    `limits` is what the claim does not cover; tables have a caption, a head and rows.
    """
    report = audit.report
    manifest, claim = report.manifest, _stated_claim(report)
    losses = {**manifest.get("loss", {}), **audit.losses}
    return {
        "headline": _headline(report),
        "attacker": _attacker_sentence(claim),
        "judges": [part.named for part in claim.parts],
        "verdict": _verdict_words(report.verdict),
        "full_knowledge": sentence(full_knowledge_sentence(report.full_knowledge)),
        "limits": _limit_sentences(claim, manifest),
        "notes": [
            *_note_sentences(manifest),
            *(sentence(line) for line in note_advice(manifest.get("notes", []), manifest.get("claim"))),
        ],
        "tiles": [list(tile) for tile in _tiles(report, losses)],
        "tables": {name: asdict(table) for name, table in _tables(audit).items() if table.rows},
    }


def _tables(audit: Audit) -> dict[str, parts.ShownTable]:
    """All tables of an audit; those that have nothing to tell have no rows."""
    manifest, claim = audit.report.manifest, _stated_claim(audit.report)
    losses = {**manifest.get("loss", {}), **audit.losses}
    return {
        "losses": parts.losses_table(losses, _LOSSES, _method_loss(manifest)),
        "risk": parts.risks_table(audit.risk_before, audit.risk_after),
        "exposed": parts.identity_risks_table(audit.exposed),
        "learned": parts.attribute_risks_table(audit.learned),
        "weighted": parts.weight_figures_table(audit.weighted),
        "telling": parts.columns_telling_table(audit.telling),
        "rules": parts.rules_table(audit.rules),
        "beyond": parts.facts_table(
            audit.beyond, "People found by somebody who knows more than the claim allows"
        ),
        "preset": _preset_table(manifest),
        "preset_evidence": _preset_evidence_table(audit),
        "criteria": attack.criteria_table(audit.attack),
        "made": parts.facts_table(dict(_provenance_rows(manifest, claim)), "What the manifest says"),
        "settings": _settings_table(manifest, audit.report.settings),
        "trace": parts.facts_table(audit.trace, "What the search counted"),
        "times": parts.times_table(audit.times),
    }


def _more_knowledge_table(found: MoreKnowledge | None) -> parts.ShownTable:
    """What more knowledge than the claim allows would find; no rows where there is nothing to tell."""
    if found is None:
        return parts.ShownTable("", (), ())
    return parts.ShownTable(
        f"What more knowledge would find, of {number(found.people)} people",
        ("somebody who knows", f"people with fewer than {number(found.k)} candidates"),
        [(known, percent(share)) for known, share in found.found],
        (1,),
    )


def _chart_plots(found: Sequence[Chart]) -> list[tuple[str, str, parts.Plot]]:
    """Charts as plots, each with its title and what it is about."""
    return [(chart.title, chart.about, parts.chart_plot(index, chart)) for index, chart in enumerate(found)]


def _page(template: str, report: Report, told: Mapping[str, float], **facts: Any) -> str:
    """Fill a template with what both pages show."""
    manifest = report.manifest
    return offline_page(
        template,
        manifest.get("shoal", ""),
        rehearsal=bool(manifest.get("rehearsal")),
        sentence=_claim_sentence(report),
        verdict=_verdict_words(report.verdict),
        full_knowledge=sentence(full_knowledge_sentence(report.full_knowledge)),
        more_knowledge=_more_knowledge_table(report.more_knowledge),
        tiles=list(_tiles(report, told)),
        notes=_note_sentences(manifest),
        holders=f"{_shape_words(manifest).holder}s",
        **facts,
    )


def offline_page(template: str, version: str, *, rehearsal: bool = False, **facts: Any) -> str:
    """Fill a template that extends `base.html`: one file without a script, which needs nothing beside it."""
    return _ENV.get_template(template).render(version=version, rehearsal=rehearsal, **facts)


def _shape_words(manifest: Mapping[str, Any]) -> ShapeWords:
    """What its shape is called; a table where a manifest names none."""
    return SHAPE_WORDS.get(manifest.get("shape", ""), SHAPE_WORDS["table"])


def _stated_claim(report: Report) -> Claim:
    """The claim that the manifest states."""
    return claim_from_dict(report.manifest["claim"])


def _claim_sentence(report: Report) -> str:
    """The claim as one sentence, about the released columns."""
    claim, columns = _stated_claim(report), report.manifest.get("columns", {})
    names = {
        role: [label(name) for name in claim.sees(columns) if columns[name] == role]
        for role in ("quasi", "sensitive")
    }
    return claim.headline(names["quasi"], names["sensitive"])


def _headline(report: Report) -> str:
    """The claim itself when it was judged and holds; else that it is not to be relied on."""
    state = _verdict_state(report.verdict)
    if state == "holds":
        return _claim_sentence(report)
    return (
        "Nobody has judged this claim yet" if state == "unjudged" else "This release does not keep its claim"
    )


def _verdict_state(verdict: Mapping[str, Any]) -> str:
    if not verdict.get("judged"):
        return "unjudged"
    return "holds" if verdict.get("holds") else "broken"


def _verdict_words(verdict: Mapping[str, Any]) -> dict[str, str]:
    words = {
        "holds": "✓ Judged: the claim is kept",
        "broken": "✗ Judged: the claim is broken",
        "unjudged": "Not judged",
    }
    state = _verdict_state(verdict)
    return {"state": state, "word": words[state], "sentence": sentence(verdict.get("sentence"))}


def _tiles(report: Report, told: Mapping[str, float]) -> Iterator[tuple[str, str, str]]:
    """The key numbers: name, number, what it means. Of the losses that this page may tell, only the headline."""
    manifest, reached_values = report.manifest, report.verdict.get("reached", {})
    records_in, records_out = manifest.get("records_in"), manifest.get("records_out")
    suppressed_count = manifest.get("suppressed") or 0
    share = f" ({percent(suppressed_count / records_in)})" if suppressed_count and records_in else ""
    suppressed_words = (
        f"{number(suppressed_count)} suppressed{share}" if suppressed_count else "none suppressed"
    )
    yield "Records released", number(records_out), f"of {number(records_in)}; {suppressed_words}"
    if manifest.get("suppressed_items"):
        words = _shape_words(manifest)
        suppressed_words = f"left out of {words.left}"
        yield (
            f"{words.entry.capitalize()}s suppressed",
            number(manifest["suppressed_items"]),
            suppressed_words,
        )
    if report.sizes:
        yield "Classes", number(manifest.get("classes")), "of records that look the same"
    smallest = reached_values.get("k", min(report.sizes, default=None))
    claim = _stated_claim(report)
    least = "Smallest class" if report.sizes and claim.shape == "table" else "Fewest records that fit"
    if smallest is not None:
        rows = _counted_unit(manifest) != "records" and "k" not in reached_values
        requested_words = f"records; the claim asks for {number(claim.crowd)} {_counted_unit(manifest)}"
        yield (
            least,
            number(smallest),
            (requested_words if rows else _requested_words(claim)) if claim.crowd > 1 else "",
        )
    main_loss = find_headline(told)
    if main_loss is not None:
        yield f"Loss ({main_loss[0]})", percent(main_loss[1]), "of the detail is lost"
    name, parameters = _method_facts(manifest)
    yield "Method", name, value(parameters) if parameters else ""


def _requested_words(claim: Claim) -> str:
    return f"the claim asks for {number(claim.crowd)}"


def _counted_unit(manifest: Mapping[str, Any]) -> str:
    """What the claim counts: records, persons or households."""
    has_pseudonym = "pseudonym" in manifest.get("columns", {}).values()
    return str(manifest["claim"].get("counts", "persons" if has_pseudonym else "records"))


def _method_loss(manifest: Mapping[str, Any]) -> str | None:
    """The loss that the method was told to make small."""
    loss = _method_facts(manifest)[1].get("loss")
    return loss if isinstance(loss, str) else None


def _ordered_columns(manifest: Mapping[str, Any], found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The columns found, with their roles, as the manifest lists them; unknown ones last."""
    roles = manifest.get("columns", {})
    names = [name for name in roles if name in found] + [name for name in found if name not in roles]
    return [(name, label(roles.get(name, "")) if name in roles else "") for name in names]


# What the audit shows, for whoever shows it elsewhere.

_MOST = 40  # columns of which a plot is drawn; the audit has all of them


def audit_sections(audit: Audit) -> list[parts.Section]:
    """What was done to the records, before and after."""
    return parts.sections_with_plots(_sections(audit))


_PlotSection = tuple[str, str, Sequence[parts.Plot | None]]
"""The title of a section, what it is about, and its plots."""


def _sections(audit: Audit) -> Iterator[_PlotSection]:
    """The sections about losses and risk, then charts, then each column, then other choices."""
    report = audit.report
    crowd = _stated_claim(report).crowd
    yield _loss_section(audit)
    yield (
        "Risk, before and after",
        "It is hard to find the person behind a record that looks the same as many others.",
        [parts.class_shares_plot(audit)],
    )
    yield attack.TITLE, attack.ABOUT, [attack.attack_plot(audit.attack)]
    yield (
        "How many records look the same",
        "Records that look the same to the attacker form a class. The larger a class, the better its people hide.",
        [parts.class_sizes_plot(report, crowd) if report.sizes else None],
    )
    for title, about, plot in _chart_plots([*report.charts, *audit.charts]):
        yield title, about, [plot]
    for section in parts.useful_sections(audit.useful):
        yield section.title, section.said or section.about, [section.plot]
    yield _changes_section(audit)
    yield (
        "What other choices of k would cost",
        "Each point is a recoding with one level for each column; the line shows the least loss of these that reaches "
        "that k.",
        [parts.front_plot(audit.front or (), crowd)],
    )
    yield (
        "What other bounds would cost",
        "Each point is a release that could have been made with another delta.",
        [parts.tradeoff_plot(audit.tradeoff)],
    )


def _loss_section(audit: Audit) -> _PlotSection:
    """The columns that lost most; those whose loss is unknown come first."""
    losses = _shown_losses(audit)
    heaviest = sorted(losses.items(), key=lambda row: -1.0 if row[1] is None else -row[1])
    return (
        "What it cost",
        "How much each column lost: 0 means that every value is as it was, 1 that nothing is left of it.",
        [parts.column_losses(dict(heaviest[:_MOST]))],
    )


def _changes_section(audit: Audit) -> _PlotSection:
    """Each column before and after, in the order of the manifest."""
    manifest, changes = audit.report.manifest, audit.before_after
    columns = _ordered_columns(manifest, changes)
    holder = _shape_words(manifest).holder
    limit_note = (
        f" Shown are the first {_MOST} of {len(columns)}; the audit has all." if len(columns) > _MOST else ""
    )
    plots = [
        parts.change_plot(index, name, role, changes[name], holder)
        for index, (name, role) in enumerate(columns[:_MOST])
    ]
    return f"The {holder}s, before and after", f"{_CHANGES}{limit_note}", plots


# What makes the report a certificate: what its owner says, what was judged, which files it is of, how it was made.
# All of it stands in the manifest or is said of the method's parameters, so anybody may read it.


def _release_title(manifest: Mapping[str, Any]) -> str:
    """The title that its owner gave the release, and the day on which it was made; empty where neither is known."""
    title = label(manifest["title"]) if "title" in manifest else ""
    return ", ".join(part for part in (title, day(manifest.get("date"))) if part)


def _subject_sentence(manifest: Mapping[str, Any]) -> str:
    """Which data the certificate speaks of, in one sentence."""
    columns, records_out = len(manifest.get("columns", ())), manifest.get("records_out")
    words = SHAPE_WORDS.get(manifest.get("shape", ""))
    shape = "a release" if words is None else words.whole
    column_words = f" with {number(columns)} columns" if words is not None and words.table else ""
    date_words = f" on {day(manifest['date'])}" if "date" in manifest else ""
    records = f"{number(records_out)} records" if records_out is not None else "records"
    return (
        f"This report belongs to {shape}{column_words}: {records}, released{date_words} with shoal "
        f"{manifest.get('shoal', '')}."
    )


def _about_table(manifest: Mapping[str, Any]) -> parts.ShownTable:
    """What the owner says of the release."""
    rows = [(words, label(manifest[key])) for key, words in ABOUT.items() if key in manifest]
    return parts.ShownTable(
        "Anyone who published it says so; nobody has checked it.", ("About", "Said"), rows
    )


def _files_table(manifest: Mapping[str, Any]) -> parts.ShownTable:
    """The data files, and by what each is known again."""
    rows = [(label(name), digest) for name, digest in manifest.get("sha256", {}).items()]
    return parts.ShownTable("The data files that were judged", ("File", "sha256"), rows)


def _judgements(manifest: Mapping[str, Any], claim: Claim, verdict: Mapping[str, str]) -> parts.ShownTable:
    """What was checked, what that means, and what came of it."""
    finding = {"holds": "kept", "broken": "not kept", "unjudged": "not judged"}[verdict["state"]]
    rows = [(label(part.named), sentence(part.attacker), finding) for part in claim.parts]
    if verdict["state"] == "holds" and not claim.votes:
        rows.append(("truth", _truth_sentence(manifest), "kept"))
    if "sha256" in manifest:
        rows.append(("files", "The data were read back from the files below, and judged as written.", "done"))
    return parts.ShownTable(
        "What was checked before this release was handed over", ("Judge", "What it asks", "Found"), rows
    )


def _truth_sentence(manifest: Mapping[str, Any]) -> str:
    """What was checked of every published value; means, shifted dates and tokens are something else than values."""
    kinds = {note.get("kind") for note in manifest.get("notes", [])}
    changed_kinds = [words for kind, words in _CHANGED.items() if kind in kinds]
    changed_kinds += ["pseudonyms"] if "pseudonym" in manifest.get("columns", {}).values() else []
    exception = f", but for {names_in_words(changed_kinds)}" if changed_kinds else ""
    return f"Every published value covers the original value that it stands for{exception}."


_CHANGED = {
    "mean": "means",
    "median": "medians",
    "shifted": "shifted dates",
    **{kind: "sampling weights" for kind in WEIGHT_KINDS},
}
"""By kind of note, values that are made of original ones."""


def _preset_table(manifest: Mapping[str, Any]) -> parts.ShownTable:
    """The rules of the preset, one by one, with what was found of each."""
    preset = manifest.get("preset", {"title": "", "rules": []})
    rows = [
        (label(rule["asks"]), label(rule["verdict"]), sentence(label(rule["found"])), label(rule["source"]))
        for rule in preset["rules"]
    ]
    return parts.ShownTable(label(preset["title"]), ("What is asked", "Kept", "Found", "Source"), rows)


def _preset_evidence_table(audit: Audit) -> parts.ShownTable:
    """The rules of the preset to which the audit has figures, each with these; without rows where there are none."""
    preset = audit.report.manifest.get("preset", {"name": "", "title": "", "rules": []})
    preset_rules = find_preset(preset["name"]).rules if preset["name"] in PRESETS else ()
    figures = {rule.name: rule.figures for rule in preset_rules}
    evidence_by_rule = {**dict(attack.describe_criteria(audit.attack or {})), **_risk_sentences(audit)}
    rows = [
        (
            label(stated_rule["asks"]),
            label(stated_rule["verdict"]),
            sentence(label(stated_rule["found"])),
            sentence(evidence),
        )
        for stated_rule in preset["rules"]
        if (
            evidence := evidence_by_rule.get(stated_rule["rule"])
            or evidence_by_rule.get(figures.get(stated_rule["rule"], ""))
        )
    ]
    return parts.ShownTable(
        label(preset["title"]), ("What is asked", "Kept", "Found", "What the audit shows"), rows
    )


def _risk_sentences(audit: Audit) -> dict[str, str]:
    """What people risked before and what they risk after, for the rules that ask for it."""
    risk_before, risk_after = audit.risk_before, audit.risk_after
    requested_k = str(claim_from_dict(audit.report.manifest["claim"]).crowd)
    risks = {
        "highest risk": [facts.get("highest") for facts in (risk_before, risk_after)],
        "average risk": [facts.get("average") for facts in (risk_before, risk_after)],
        "share above": [facts.get("below", {}).get(requested_k) for facts in (risk_before, risk_after)],
    }
    return {
        rule: f"{percent(old)} before, {percent(new)} after"
        for rule, (old, new) in risks.items()
        if old is not None and new is not None
    }


def _judge_needs(manifest: Mapping[str, Any], claim: Claim) -> str:
    """What the judge needs beside the published files: a key of the texts of `report.html`; "" for nothing."""
    if "counts" in manifest["claim"]:
        return "rows"
    if claim.votes:
        return "originals"
    if needs_population(claim):
        return "population"
    return "secrets" if claim.exempts else ""


def _levels_table(report: Report) -> parts.ShownTable:
    """How exactly each column with a declared hierarchy is published, level by level."""
    rows = [
        (
            label(column_levels.column),
            f"{number(column_levels.values)} values",
            "sets or ranges" if level is None else f"{number(level)} of {number(column_levels.height)}",
            percent(records / max(1, sum(record_count for _, record_count, _ in column_levels.found))),
            ";  ".join(label(text) for text in texts),
        )
        for column_levels in report.levels
        for level, records, texts in column_levels.found
    ]
    head = ("Column", "Hierarchy", "Level", "Records", "Such as")
    return parts.ShownTable("The levels of the hierarchies that are published", head, rows, (3,))


def _undeclared_columns(report: Report) -> list[str]:
    """The columns that were made coarser by a hierarchy that nobody declared, if any was declared."""
    declared_names = {column_levels.column for column_levels in report.levels}
    columns = report.manifest.get("columns", {})
    means = {note.get("column") for note in report.manifest.get("notes", []) if note.get("kind") in _CHANGED}
    recoded_names = [
        label(name)
        for name, role in columns.items()
        if role in (*RECODED, "items") and name not in declared_names | means
    ]
    return [name for name in recoded_names if name != "uncertain"] if declared_names else []


def _method_facts(manifest: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The method's name, and its parameters however they are nested."""
    method = manifest.get("method", {})
    parameters = method.get("parameters", {name: item for name, item in method.items() if name != "name"})
    return label(method.get("name")), parameters


def _settings_table(manifest: Mapping[str, Any], knobs: Mapping[str, str]) -> parts.ShownTable:
    """Every number that the method was given, with a sentence on what it means: of a claim's, what that claim says."""
    claim_parts = claim_from_dict(manifest["claim"]).parts
    meaning_of_key = {
        key: words for part in claim_parts for key, words in getattr(part, "meanings", {}).items()
    }
    rows = [
        (label(name), value(item), knobs.get(name) or meaning_of_key.get(name) or NUMBERS.get(name, ""))
        for name, item in _method_facts(manifest)[1].items()
    ]
    return parts.ShownTable("The method's parameters", ("Parameter", "Value", "What it means"), rows)


def _provenance_rows(manifest: Mapping[str, Any], claim: Claim) -> Iterator[tuple[str, Any]]:
    """How the release was made: versions and names."""
    yield "Made by", f"shoal {manifest.get('shoal', '')}".strip()
    if "date" in manifest:
        yield "Made on", day(manifest["date"])
    yield "Shape of the data", manifest.get("shape", "–")
    yield "Claim", " and ".join(part.named for part in claim.parts)
    name, parameters = _method_facts(manifest)
    yield "Method", f"{name} ({value(parameters)})" if parameters else name
