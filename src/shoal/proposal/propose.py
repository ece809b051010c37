"""Look at unknown data and propose what its columns are, how each can be made coarser, and which numbers to ask for.

The numbers are k by who gets the release, l where something is sensitive, and what they cost. What the rules of a
preset ask of each column stands here, too. Roles that need a decision still need it: a preset says what must go, not
what a column is.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from shoal.anonymization.compiling import compiled
from shoal.base.errors import HierarchyError, InputError, ShoalError, ShoalWarning
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, no_progress
from shoal.data import Role, Trees
from shoal.data.column_names import match_column_name
from shoal.data.spelling import normalize_value
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.column_values import date_formats
from shoal.hierarchy.rules import build
from shoal.io.formats import LABELLED
from shoal.io.read.source import Source, Variable
from shoal.privacy.attackers import ATTACKERS, AUDIENCES, guarantee
from shoal.privacy.equivalence_class import least_k
from shoal.privacy.presets import NO, UNTOLD, Finding, ReleasedCells, check_preset, preset_named
from shoal.proposal.decisions import (
    ask_about_codebook,
    ask_about_contacts,
    ask_about_rows,
    doubt_about_groups,
    leave_out_contacts,
    leave_out_twins,
    mark_undecided,
)
from shoal.proposal.detectors import grid
from shoal.proposal.health import listed_hierarchy, listed_role, not_published
from shoal.proposal.hierarchies import (
    Groups,
    containers,
    frequency_note,
    groups_of_words,
    hierarchy_by_mapping,
    levels_shown,
    propose_hierarchy,
    read_mapping,
    says_nothing,
    vocabulary_question,
    vocabulary_rule,
)
from shoal.proposal.profile import (
    MOST_RECORDS,
    ColumnProfile,
    goes_with,
    holds_lists,
    likely_separator,
    profile_columns,
    profile_fields,
    separator_of,
    with_listed,
    with_mixed_units,
)
from shoal.proposal.proposal import ColumnProposal, Proposal
from shoal.proposal.role_resolution import (
    RoleChoice,
    check_overrides,
    choose_role,
    is_own,
    keep_a_quasi,
    override_roles,
    resolve_answers,
    resolve_long_items,
    resolve_persons,
    resolve_sensitive,
    resolve_survey,
)
from shoal.proposal.source_detection import DetectedSource, detect_source
from shoal.risks.identity_disclosure import uniqueness_with_others

__all__ = ["propose"]

Audience = Literal["public", "partner", "team"]

_L = 3  # different values of a table's sensitive column, to start with
_ONE_OF = 2  # records that fit, or rows, elsewhere: a value may be in one of so many
_TRIED = 1_000  # records of a table that are anonymized to see the price
_COLUMNS = 12  # quasi-identifiers, at most
_PUBLISHED = ("quasi", "sensitive", "plain")
_YEAR = re.compile(r"\d{4}")
_EIGHTY_NINE = 89
_ALIKE = 1_000_000  # look-alikes: no column alone can break a rule of these
_PLACE = "coordinates"
_DECIMAL = re.compile(r"[0-9],[0-9]")
_SPELLED = 100  # different values whose spellings are looked at
_RARE = 0.05  # of the people may hold a sensitive value of a tree that nobody else holds


def propose(
    data: Any,
    *,
    mappings: Iterable[str | Path | Groups] = (),
    roles: Mapping[str, Role] | None = None,
    audience: Audience = "public",
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    sample: int = MOST_RECORDS,
    progress: Progress = no_progress,
) -> Proposal:
    """Look at data that nobody has described, and propose roles and hierarchies, each with its reason.

    Parameters
    ----------
    data
        A file (csv, parquet, xlsx, json, ndjson, xml, FIMI's dat), a folder of tables, a database's URL, a frame, or
        nested records.
    mappings
        Tables of values and their groups (towns and their regions, say), or files that hold them; each is used for the
        columns whose values it knows.
    roles
        By column, or by field of record trees: roles that are known already. The rest is proposed beside them.
    audience
        Who gets the release: "public" (everybody), "partner" (few, known people) or "team" (who work with the
        originals anyway); k is proposed for them.
    preset
        Rules of a law or an office that the release shall keep beside its claim (`shoal.privacy.presets`): columns are
        made coarse enough for them from the start, or left out, and k is no smaller than they ask for.
    settings
        Keys of [data] that are known already, of one file: sheet, header, skip, last, records, missing, decimal,
        thousands, dates. The others are found.
    sample
        How many records are looked at where columns are joined; single columns are looked at whole.

    Raises
    ------
    InputError
        The data cannot be had or read, or a role does not fit its column.

    Examples
    --------
    >>> import polars as pl
    >>> ages = [20 + i % 50 for i in range(400)]
    >>> people = pl.DataFrame({"patient_id": range(1000, 1400), "age": ages, "sex": ["f", "m"] * 200})
    >>> {one.name: one.role for one in propose(people).columns.values()}
    {'patient_id': 'identifier', 'age': 'quasi', 'sex': 'quasi'}
    """
    if audience not in AUDIENCES:
        raise InputError(
            f"for: {audience!r} is not an audience; {suggest_name(audience, get_args(Audience))}"
        )
    risk = None if preset is None else preset_named(preset).risk
    k = max(
        AUDIENCES[audience].k, 2 if risk is None else least_k(risk)
    )  # below which no release keeps the preset
    groups = [given if isinstance(given, Mapping) else read_mapping(Path(given)) for given in mappings]
    progress("reading")
    found = detect_source(data, settings)
    if found.trees is not None:
        made = _of_trees(found, groups, dict(roles or {}), preset, progress)
    else:
        assert found.source is not None
        made = _of_table(found, found.source, groups, dict(roles or {}), preset, k, sample, progress)
    if isinstance(data, str | Path):
        made.name = str(data).rpartition("/")[2].partition("?")[0] or "data"
    made.notes = (*made.notes, *frequency_note({one.name: one.hierarchy for one in made.columns.values()}))
    made.audience, made.preset = audience, preset
    made.guarantee = _guarantee_for(made, k)
    progress("trying what it costs")
    made.costs = _tried_costs(made, found.source)
    if not any(one.role in ("quasi", "items") for one in made.columns.values()):
        made.notes = (
            *made.notes,
            "nothing is left to publish but names of people: give a column another role",
        )
    if made.records < k:
        made.notes = (
            *made.notes,
            f"only {made.records} records, fewer than k = {k}: no release is possible",
        )
    return made


def _of_table(
    found: DetectedSource,
    source: Source,
    groups: Sequence[Groups],
    stated: Mapping[str, Role],
    preset: str | None,
    k: int,
    sample: int,
    progress: Progress,
) -> Proposal:
    """Roles and hierarchies of the columns of a table, some of which may hold baskets."""
    check_overrides(stated, source.frame.columns)
    progress("looking at columns")
    columns: dict[str, ColumnProposal] = {}
    seen: dict[str, ColumnProfile] = {}
    rows = np.random.default_rng().permutation(source.frame.height)[:sample]  # they are looked at one by one
    for column in profile_columns(source, found.counts, rows, found.data.notation):
        seen[column.name] = with_mixed_units(column)
        progress("looking at columns", len(seen) / source.frame.width)
    seen = with_listed(seen)
    choices: dict[str, RoleChoice] = {}
    called = [seen[name].called if name in seen else name for name in source.frame.columns]
    beside = {told.what for name in called if (told := match_column_name(name)) is not None}
    for name in source.frame.columns:
        if name not in seen:
            columns[name] = _not_single(source, name)
        elif (sign := _between(seen[name], stated.get(name))) is not None:
            columns[name] = _basket(seen[name], sign)
        else:
            choices[name] = choose_role(seen[name], beside)
            columns[name] = _proposed(seen[name], choices[name])
            columns[name].look = found.doubts.get(name, columns[name].look)
        columns[name].said = _said(source.variables.get(name, Variable()))
        columns[name].own_missing = found.own_missing.get(name, ())
        if columns[name].own_missing:
            columns[name].why += "; missing names what means no value in this column alone"
    override_roles(columns, stated)  # before: who a person is follows from it
    person = resolve_persons(columns, seen, choices)
    persons = seen[person].codes if person in seen else None
    resolve_survey(columns, seen, choices, person)
    resolve_long_items(source, person, columns, choices)
    resolve_answers(columns, choices)
    resolve_sensitive(columns, seen, choices, k, persons)
    contacts = leave_out_contacts(columns, seen, persons)
    keep_a_quasi(columns)
    override_roles(columns, stated)
    words = [
        name
        for name, choice in choices.items()
        if choice.kind.name == "word" and columns[name].role == "quasi"
    ]
    inside = containers(words, seen)
    for name, one in columns.items():
        if one.role == "quasi" and one.hierarchy is None:
            own = [*groups, inside[name]] if name in inside else groups
            kind, coded = choices[name].kind, choices[name].coded
            held = seen[name].held_by(persons)  # a label names what many people hold, not one in many rows
            if choices[name].what == _PLACE:
                places = {
                    other: seen[other]
                    for other, choice in choices.items()
                    if choice.what == _PLACE and choice.role == "quasi"
                }
                _give_hierarchy(one, held, grid(places))
                continue
            made = propose_hierarchy(held, kind, coded=coded, mappings=own, beside=seen.values())
            _give_hierarchy(one, held, made)
    progress("looking at columns together")
    twins = leave_out_twins(columns, seen, choices)
    quasi = {name: seen[name].codes for name, one in columns.items() if one.role == "quasi" and name in seen}
    for name, (others, share) in (uniqueness_with_others(quasi) if len(quasi) > 1 else {}).items():
        columns[name].others, columns[name].together = others, share
    mark_undecided(columns, seen, choices, found.doubts)
    for name, why in twins.items():
        columns[name].ask(3, why)
    ask_about_contacts(columns, contacts)
    ask_about_rows(columns, seen)
    summed = "sums" in found.data.layout.why.get("last", "")
    doubts = [found.doubt, doubt_about_groups(seen, choices, summed=summed)]
    if preset is not None:
        _follow_preset(preset, columns, seen, nested=False)
    records, notes = source.frame.height, found.notes
    if records > sample:
        drawn = (
            f"each column is looked at in all {records:,} records, columns together in {sample:,} of them, drawn at "
            "random (--sample N looks at more)"
        )
        notes = (*notes, drawn)
    kept = source if found.data.path is None and found.data.url is None else None
    data = replace(found.data, person=person)
    doubt = "; ".join(filter(None, doubts))
    proposal = Proposal(
        data, records, columns, {}, source=kept, notes=notes, evidence=found.evidence, doubt=doubt
    )
    if proposal.format in LABELLED and data.layout.codebook is None:
        proposal.evidence = {**found.evidence, "codebook": ask_about_codebook(columns, source)}
    return proposal


def _said(variable: Variable) -> str:
    """What a file with labels says of a column."""
    label = f"the file calls it: {variable.label}" if variable.label else ""
    codes = " and ".join(variable.missing)
    missing = f"it declares {codes} to mean no value, so such cells are empty" if codes else ""
    return "; ".join(filter(None, (label, missing)))


def _of_trees(
    found: DetectedSource,
    groups: Sequence[Groups],
    stated: Mapping[str, Role],
    preset: str | None,
    progress: Progress,
) -> Proposal:
    """Roles and hierarchies of the fields of record trees."""
    trees = found.trees
    assert trees is not None
    progress("looking at fields")
    columns: dict[str, ColumnProposal] = {}
    choices: dict[str, RoleChoice] = {}
    contacts: dict[str, str] = {}
    seen = {field.name: with_mixed_units(field) for field in profile_fields(trees)}
    check_overrides(stated, seen, trees=True)
    form = found.form
    for name, field in seen.items():
        choice = choices[name] = choose_role(field) if form is None else listed_role(form, field)
        there = {other.role for other in columns.values()}
        one = columns[name] = _proposed(field, choice)
        progress("looking at fields", len(columns) / len(seen))
        if one.role == "sensitive" and (field.alone > _RARE * field.people or "sensitive" in there):
            one.role, one.why = "quasi", f"{one.why}; as a quasi-identifier it is protected as well"
        if one.role == "identifier" and ("." in name or not is_own(field) or "identifier" in there):
            one.role = "drop"
        contacts |= leave_out_contacts({name: one}, seen)
        if name in stated:
            override_roles(columns, {name: stated[name]})
        if one.role == "quasi":
            made = (
                grid({name: field})
                if choice.what == _PLACE
                else hierarchy_by_mapping(field, groups)
                or listed_hierarchy(form, field)
                or propose_hierarchy(field, choice.kind, coded=choice.coded)
            )
            _give_hierarchy(one, field, made)
        if one.role == "weight":
            one.role = "drop"
    mark_undecided(columns, seen, choices, found.doubts)
    ask_about_contacts(columns, contacts)
    _group_codes_as_words(trees, seen.values(), columns)
    if form is not None:
        columns |= not_published(form)
    if preset is not None:
        _follow_preset(preset, columns, seen, nested=True)
    return Proposal(
        found.data,
        trees.n,
        columns,
        {},
        found.tree,
        nested=found.nested,
        notes=found.notes,
        evidence=found.evidence,
    )


def _group_codes_as_words(
    trees: Trees, fields: Iterable[ColumnProfile], columns: Mapping[str, ColumnProposal]
) -> None:
    """Codes that say nothing by themselves are grouped as the words are that stand beside them and mean the same."""
    worded = [
        name for name, one in columns.items() if isinstance(one.hierarchy, Hierarchy) and one.type == "word"
    ]
    for seen in fields:
        one, (thing, _, _) = columns[seen.name], seen.name.rpartition(".")
        if not thing or one.role != "quasi" or not says_nothing(one.hierarchy, one.type, seen.name):
            continue
        for name in worded:
            words = columns[name].hierarchy
            if name.rpartition(".")[0] != thing or not isinstance(words, Hierarchy):
                continue
            made = groups_of_words(seen, words, goes_with(trees, seen.name, name))
            if made is not None:
                one.hierarchy, one.levels = made, f"{levels_shown(made, seen)}; grouped as {name} is"
                break


def _between(seen: ColumnProfile, stated: Role | None) -> str | None:
    """The sign between the items of a column's cells; None where they are single values, or said to be."""
    if stated not in (None, "items") or seen.kind or seen.doubt:
        return None
    sign, told = separator_of(seen), match_column_name(seen.called)
    if stated is not None:
        return sign or likely_separator(seen)
    remarks = told is not None and told.role == "drop"
    return None if remarks and sign != "[" else sign


def _give_hierarchy(
    one: ColumnProposal, seen: ColumnProfile, made: Hierarchy | Mapping[str, Any] | None
) -> None:
    """A quasi-identifier needs a hierarchy; one that can have none is left out."""
    if made is None:
        one.role, one.look = (
            "drop",
            "whether its values can be made fewer, shorter, or unlike labels of groups",
        )
        one.why = "no hierarchy can be built for it: its values are too many, too long, or read like labels of groups"
        return
    one.hierarchy, one.levels = made, levels_shown(made, seen)
    one.look = one.look or vocabulary_question(seen, made)


def _proposed(seen: ColumnProfile, choice: RoleChoice) -> ColumnProposal:
    look = "" if choice.sure else choice.why
    role, why = choice.role, choice.why
    if seen.doubt and role in (
        "quasi",
        "sensitive",
    ):  # a hierarchy over cells that nobody can read says nothing
        role, why, look = "drop", f"{seen.doubt}; until then it is left out", seen.doubt
    if seen.unreadable:
        what = "dates" if seen.kind == "date" else "numbers"
        cells = "1 cell" if seen.unreadable == 1 else f"{seen.unreadable:,} cells"
        why += f"; {cells} cannot be read as {what}, and count as missing"
    if seen.unit:
        why += f"; its numbers are in {seen.unit}, which labels do not say"
    return ColumnProposal(
        seen.name,
        role,
        why,
        choice.kind.name,
        seen.missing,
        seen.distinct,
        seen.alone,
        look=look,
        most=int(seen.holders.max(initial=0)),
        meant=len(set(map(normalize_value, seen.values))) if seen.distinct <= _SPELLED else 0,
    )


def _not_single(source: Source, name: str) -> ColumnProposal:
    """A column of lists is a basket; other cells that are not single values are left out."""
    cells = source.frame[name]
    if not holds_lists(cells):
        return ColumnProposal(
            name, "drop", "its cells are neither texts nor numbers nor lists of such", "other"
        )
    items = cells.explode().drop_nulls()
    known = vocabulary_rule(name, [str(item) for item in items.unique().to_list()])
    return ColumnProposal(
        name, "items", "its cells are lists", "list", cells.null_count(), items.n_unique(), hierarchy=known
    )


def _basket(seen: ColumnProfile, sign: str) -> ColumnProposal:
    """A column of texts with several items each."""
    if sign == "[":
        return ColumnProposal(
            seen.name, "items", "its cells are lists", "list", seen.missing, seen.distinct, seen.alone
        )
    words = "blanks" if sign == " " else f"'{sign}'"
    items = {item.strip() for cell in seen.values for item in cell.split(sign)} - {""}
    cut = sign == "," and not all(map(str.isdecimal, items)) and any(map(_DECIMAL.search, seen.values))
    why = "some of its items seem to contain the comma that separates items, as in 0,5; use another separator"
    return ColumnProposal(
        seen.name, "items", f"its cells hold several of {len(items):,} items, with {words} between them", "list",
        seen.missing, len(items), seen.alone, separator=sign, hierarchy=vocabulary_rule(seen.name, items),
        look=why if cut else "", undecided=why if cut else "", severity=1 if cut else 0,
    )  # fmt: skip


def _follow_preset(
    name: str, columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile], *, nested: bool
) -> None:
    """Have each column that a rule of the preset would refuse made coarse enough from the start, or left out.

    Whether a rule would is asked of its judge, with the values as they are. What somebody stated stays. Where a rule
    cannot be told, somebody should look.
    """
    for one in columns.values():
        if one.role not in _PUBLISHED or one.name not in seen or one.stated:
            continue
        profile = seen[one.name]
        findings = _findings(name, one, dict.fromkeys(_published(one, profile), 1))
        broken = [finding.rule.name for finding in findings if finding.verdict == NO]
        if not broken:
            untold = next((finding.found for finding in findings if finding.verdict == UNTOLD), "")
            one.look = "; ".join(filter(None, (one.look, untold)))
            continue
        made = (
            None
            if nested
            else next(filter(None, (_COARSER[rule](profile) for rule in broken if rule in _COARSER)), None)
        )
        levels = None if made is None else _tried(name, one, profile, made)
        asks = f"{name} asks for it (rule {broken[0]})"
        if made is None or levels is None:
            one.role, one.hierarchy, one.level, one.levels = "drop", None, None, ""
            one.why = f"{one.why}; {asks}, so it is left out"
        else:
            one.hierarchy, one.level, one.levels, one.look = made, 1, levels, ""
            one.why += f"; nothing below level 1 is published, {asks}"


def _published(one: ColumnProposal, seen: ColumnProfile) -> tuple[str, ...]:
    """What is published of a column at its fixed level, or at the least one: its values where it has none."""
    if one.level is None or one.hierarchy is None:
        return seen.values
    made = one.hierarchy
    hierarchy = made if isinstance(made, Hierarchy) else build(one.name, made, seen.values)
    return tuple(label for level in hierarchy.labels[one.level :] for label in level)


def _findings(name: str, one: ColumnProposal, cells: Mapping[str, int]) -> list[Finding]:
    """What the rules of a preset find in a column with such cells, by itself."""
    released = ReleasedCells({one.name: cells}, {one.name: one.role}, (), date.today().year, crowd=_ALIKE)
    return [finding for finding in check_preset(name, released) if f"column '{one.name}'" in finding.found]


def _tried(name: str, one: ColumnProposal, seen: ColumnProfile, made: Mapping[str, Any]) -> str | None:
    """What its levels are, where such a hierarchy can be built and they keep every rule; else None."""
    try:
        hierarchy = build(one.name, made, seen.values)
    except HierarchyError:
        return None
    findings = _findings(name, one, dict.fromkeys(hierarchy.labels[1], 1))
    broken = any(finding.verdict == NO for finding in findings)
    return None if broken else levels_shown(hierarchy, seen)


def _years(seen: ColumnProfile) -> dict[str, Any] | None:
    """Years, and of births all who may be over 89 in one group."""
    told, levels = match_column_name(seen.called), ["year", "decade"]
    births = told is not None and told.what.startswith("birth")
    years = all(map(_YEAR.fullmatch, seen.values))
    formats = ["%Y"] if years else date_formats(seen.values)
    if not formats:
        return None
    written = levels if formats[0] is None else {"format": formats[0], "levels": levels}
    return {"dates": written, **({"bottom": date.today().year - _EIGHTY_NINE} if births else {})}


def _ages(seen: ColumnProfile) -> dict[str, Any] | None:
    if all(map(_YEAR.fullmatch, seen.values)):
        return _years(seen)
    return {"ranges": [1, 5, 10, 20], "top": _EIGHTY_NINE + 1}


def _zips(seen: ColumnProfile) -> dict[str, Any] | None:
    told = match_column_name(seen.called)
    return {"vocabulary": "us-zip-safe-harbor"} if told is None or told.what == "postal code" else None


_COARSER: Mapping[str, Callable[[ColumnProfile], dict[str, Any] | None]] = {
    "places": _zips,
    "dates": _years,
    "ages": _ages,
}
"""By rule, how a column that breaks it is made coarse enough."""


def _guarantee_for(proposal: Proposal, k: int) -> dict[str, int]:
    """The numbers to start with: k against the usual attacker, and l where something is sensitive and l can be kept.

    The l of a table is 3, or as many as the sensitive column of fewest values has. In record trees no sensitive value
    may be in more than every second record, beside baskets no label in more than every third; with a label the attacker
    is the one who knows whole baskets, for no other claim covers it. A table with baskets has no such claim.
    """
    shape, secret = proposal.shape, [one for one in proposal.columns.values() if one.role == "sensitive"]
    usual, l = ATTACKERS[shape][0].name, 1
    if shape == "table":
        l = min([_L, *(one.meant or one.distinct for one in secret)])
    elif shape == "trees" and all(one.most * _ONE_OF <= proposal.records for one in secret):
        l = _ONE_OF
    elif shape == "baskets" and all(one.most * (2 * _ONE_OF - 1) <= proposal.records for one in secret):
        usual, l = "basket" if secret else usual, _ONE_OF
    return guarantee(shape, usual, {"k": k, "l": l}, ("l",) if secret and l > 1 else ())


def _tried_costs(proposal: Proposal, source: Source | None) -> tuple[str, ...]:
    """What k alone and k with l cost, in words: tried on a thousand records of a table of few columns, by `mondrian`.

    No clock decides whether it is tried: where the method was never used on this machine, compiling would take longer
    than all else, so the command that tells is named. Nothing is said where such a release would be refused.
    """
    quasi = [one for one in proposal.columns.values() if one.role == "quasi"]
    if proposal.shape != "table" or source is None or not 0 < len(quasi) <= _COLUMNS or proposal.data.person:
        return ()
    if not compiled("mondrian"):
        return ("shoal compare --methods default --k 2:20 shows what each k costs",)
    from shoal.anonymization.run import anonymize
    from shoal.shapes.base import dataset_of

    rows = np.random.default_rng().permutation(source.frame.height)[:_TRIED]
    some = source.some(rows)
    both: dict[str, Any] = dict(proposal.guarantee)
    found = []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ShoalWarning)  # what reading tells is told where the file is read
            dataset = dataset_of(proposal.config(), some)
            for numbers in ({"k": both["k"]}, both) if len(both) > 1 else (both,):
                release = anonymize(dataset, method="mondrian", allow_empty=True, **numbers)
                asked = " and ".join(f"{key} = {value}" for key, value in numbers.items())
                found.append(f"{asked} cost {next(iter(release.loss.values())):.0%} of the detail")
    except ShoalError:
        return ()
    return (f"tried on {len(rows):,} of {proposal.records:,} records: {', '.join(found)}",)
