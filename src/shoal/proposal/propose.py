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

from shoal.algorithms.knobs import knobs
from shoal.anonymization.compiling import is_compiled
from shoal.base.errors import HierarchyError, InfeasibleError, InputError, ShoalError, ShoalWarning
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
from shoal.privacy.attackers import ATTACKERS, AUDIENCES, make_guarantee
from shoal.privacy.equivalence_class import least_k
from shoal.privacy.presets import NO, UNTOLD, Finding, ReleasedCells, check_preset, find_preset
from shoal.proposal.decisions import (
    ask_about_codebook,
    ask_about_contacts,
    ask_about_findings,
    ask_about_rows,
    ask_about_secrets,
    doubt_about_groups,
    hide_rare_values,
    leave_out_contacts,
    leave_out_twins,
    list_known_candidates,
    mark_undecided,
)
from shoal.proposal.detectors import grid_rule
from shoal.proposal.findings import resolve_answers, resolve_findings, resolve_follow_up
from shoal.proposal.health import hierarchy_from_form, propose_unpublished, role_from_form
from shoal.proposal.hierarchies import (
    Groups,
    describe_levels,
    find_containers,
    frequency_note,
    groups_of_words,
    hierarchy_by_mapping,
    propose_hierarchy,
    read_mapping,
    says_nothing,
    vocabulary_question,
    vocabulary_rule,
)
from shoal.proposal.known_columns import propose_known_columns
from shoal.proposal.profile import (
    MOST_RECORDS,
    ColumnProfile,
    guess_separator,
    holds_lists,
    mark_listed,
    mark_mixed_units,
    match_fields,
    profile_columns,
    profile_fields,
    separator_of,
)
from shoal.proposal.proposal import ColumnProposal, Proposal
from shoal.proposal.role_resolution import (
    RoleChoice,
    check_overrides,
    choose_role,
    has_unique_values,
    keep_a_quasi,
    override_roles,
    resolve_long_items,
    resolve_persons,
    resolve_sensitive,
    resolve_survey,
)
from shoal.proposal.source_detection import DetectedSource, detect_source
from shoal.risks.column_sets import uniqueness_with_others

__all__ = ["propose"]

Audience = Literal["public", "partner", "team"]

_L = 3  # different values of a table's sensitive column, to start with
_LARGER = 4  # times k, a class on average at most for the sake of l
_DEAR = 0.9  # of the detail; what costs more, and k alone does not, is not asked for
_ONE_OF = 2  # records that fit, or rows, elsewhere: a value may be in one of so many
_TRIED_CELLS = 16_000  # of quasi-identifiers, that are anonymized to see the price
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
    risk = None if preset is None else find_preset(preset).risk
    k = max(
        AUDIENCES[audience].k, 2 if risk is None else least_k(risk)
    )  # below which no release keeps the preset
    groups = [
        mapping if isinstance(mapping, Mapping) else read_mapping(Path(mapping)) for mapping in mappings
    ]
    progress("reading")
    detection = detect_source(data, settings)
    if detection.trees is not None:
        proposal = _propose_trees(detection, groups, dict(roles or {}), preset, progress)
    else:
        assert detection.source is not None
        proposal = _propose_table(
            detection, detection.source, groups, dict(roles or {}), preset, k, sample, progress
        )
    if isinstance(data, str | Path):
        proposal.name = str(data).rpartition("/")[2].partition("?")[0] or "data"
    proposal.notes = (
        *proposal.notes,
        *frequency_note({column.name: column.hierarchy for column in proposal.columns.values()}),
    )
    proposal.audience, proposal.preset = audience, preset
    proposal.guarantee = _guarantee_for(proposal, k)
    progress("trying what it costs")
    if detection.trees is None:
        propose_known_columns(proposal, detection.source, proposal.known_candidates)
    proposal.costs = _try_costs(proposal, detection.source)
    if not any(column.role in ("quasi", "items") for column in proposal.columns.values()):
        proposal.notes = (
            *proposal.notes,
            "nothing is left to publish but names of people: give a column another role",
        )
    if proposal.records < k:
        proposal.notes = (
            *proposal.notes,
            f"only {proposal.records} records, fewer than k = {k}: no release is possible",
        )
    return proposal


def _propose_table(
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
    profiles: dict[str, ColumnProfile] = {}
    rows = np.random.default_rng().permutation(source.frame.height)[:sample]  # they are looked at one by one
    for column in profile_columns(source, found.counts, rows, found.data.notation):
        profiles[column.name] = mark_mixed_units(column)
        progress("looking at columns", len(profiles) / source.frame.width)
    profiles = mark_listed(profiles)
    choices: dict[str, RoleChoice] = {}
    for name in source.frame.columns:
        if name not in profiles:
            columns[name] = _propose_nested_column(source, name)
        elif (sign := _item_separator(profiles[name], stated.get(name))) is not None:
            columns[name] = _propose_basket(profiles[name], sign)
        else:
            choices[name] = choose_role(profiles[name])
            columns[name] = _propose_column(profiles[name], choices[name])
            columns[name].advice = found.doubts.get(name, columns[name].advice)
        columns[name].file_label = _describe_variable(source.variables.get(name, Variable()))
        columns[name].own_missing = found.own_missing.get(name, ())
        if columns[name].own_missing:
            columns[name].why += "; missing names what means no value in this column alone"
    override_roles(columns, stated)  # before: who a person is follows from it
    person = resolve_persons(columns, profiles, choices)
    persons = profiles[person].codes if person in profiles else None
    resolve_survey(columns, profiles, choices, person)
    resolve_long_items(source, person, columns, choices)
    resolve_answers(columns, profiles, choices)
    resolve_follow_up(columns, profiles, choices)
    resolve_findings(columns, profiles, choices)
    for name, profile in profiles.items():
        columns[name].most = int(profile.held_by(persons).holders.max(initial=0))
    is_settled = resolve_sensitive(columns, profiles, choices, k, persons)
    contacts = leave_out_contacts(columns, profiles, persons)
    keep_a_quasi(columns)
    override_roles(columns, stated)
    words = [
        name
        for name, choice in choices.items()
        if choice.kind.name == "word" and columns[name].role == "quasi"
    ]
    inside = find_containers(words, profiles)
    for name, entry in columns.items():
        if entry.role == "quasi" and entry.hierarchy is None:
            column_mappings = [*groups, inside[name]] if name in inside else groups
            kind, coded = choices[name].kind, choices[name].coded
            profile = profiles[name].held_by(
                persons
            )  # a label names what many people hold, not one in many rows
            if choices[name].what == _PLACE:
                places = {
                    place_name: profiles[place_name]
                    for place_name, choice in choices.items()
                    if choice.what == _PLACE and choice.role == "quasi"
                }
                _give_hierarchy(entry, profile, grid_rule(places, name))
                continue
            hierarchy = propose_hierarchy(
                profile, kind, coded=coded, mappings=column_mappings, beside=profiles.values()
            )
            _give_hierarchy(entry, profile, hierarchy)
    progress("looking at columns together")
    twins = leave_out_twins(columns, profiles, choices)
    quasi = {
        name: profiles[name].codes
        for name, entry in columns.items()
        if entry.role == "quasi" and name in profiles
    }
    for name, (companions, share) in (uniqueness_with_others(quasi) if len(quasi) > 1 else {}).items():
        columns[name].others, columns[name].joint_share = companions, share
    mark_undecided(columns, profiles, choices, found.doubts)
    for name, why in twins.items():
        columns[name].ask(3, why)
    ask_about_contacts(columns, contacts)
    ask_about_rows(columns, profiles)
    has_items = any(column.role == "items" for column in columns.values())
    hidden = {} if has_items else hide_rare_values(columns, profiles, choices, persons)
    ask_about_findings(columns, choices, hidden)
    ask_about_secrets(columns, choices)
    summed = "sums" in found.data.layout.why.get("last", "")
    doubts = [found.doubt, doubt_about_groups(profiles, choices, summed=summed)]
    if preset is not None:
        _follow_preset(preset, columns, profiles, nested=False)
    records, notes = source.frame.height, found.notes
    if records > sample:
        drawn = (
            f"each column is looked at in all {records:,} records, columns together in {sample:,} of them, drawn at "
            "random (--sample N looks at more)"
        )
        notes = (*notes, drawn)
    if not is_settled:
        notes = (
            *notes,
            "in so wide a table what sensitive columns tell is not looked at to the end: run may refuse one of them",
        )
    candidates = list_known_candidates(columns, choices) if person is None else ()
    frame_source = source if found.data.path is None and found.data.url is None else None
    data = replace(found.data, person=person)
    doubt = "; ".join(filter(None, doubts))
    proposal = Proposal(
        data,
        records,
        columns,
        {},
        source=frame_source,
        notes=notes,
        evidence=found.evidence,
        doubt=doubt,
        known_candidates=candidates,
    )
    if proposal.format in LABELLED and data.layout.codebook is None:
        proposal.evidence = {**found.evidence, "codebook": ask_about_codebook(columns, source)}
    return proposal


def _describe_variable(variable: Variable) -> str:
    """What a file with labels says of a column."""
    label = f"the file calls it: {variable.label}" if variable.label else ""
    codes = " and ".join(variable.missing)
    missing = f"it declares {codes} to mean no value, so such cells are empty" if codes else ""
    return "; ".join(filter(None, (label, missing)))


def _propose_trees(
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
    profiles = {field.name: mark_mixed_units(field) for field in profile_fields(trees)}
    check_overrides(stated, profiles, trees=True)
    form = found.form
    for name, field in profiles.items():
        choice = choices[name] = choose_role(field) if form is None else role_from_form(form, field)
        roles = {earlier.role for earlier in columns.values()}
        column = columns[name] = _propose_column(field, choice)
        progress("looking at fields", len(columns) / len(profiles))
        if column.role == "sensitive" and (field.alone > _RARE * field.people or "sensitive" in roles):
            column.role, column.why = "quasi", f"{column.why}; as a quasi-identifier it is protected as well"
        if column.role == "identifier" and (
            "." in name or not has_unique_values(field) or "identifier" in roles
        ):
            column.role = "drop"
        contacts |= leave_out_contacts({name: column}, profiles)
        if name in stated:
            override_roles(columns, {name: stated[name]})
        if column.role == "quasi":
            hierarchy = (
                grid_rule({name: field})
                if choice.what == _PLACE
                else hierarchy_by_mapping(field, groups)
                or hierarchy_from_form(form, field)
                or propose_hierarchy(field, choice.kind, coded=choice.coded)
            )
            _give_hierarchy(column, field, hierarchy)
        if column.role == "weight":
            column.role = "drop"
    mark_undecided(columns, profiles, choices, found.doubts)
    ask_about_contacts(columns, contacts)
    _group_codes_as_words(trees, profiles.values(), columns)
    if form is not None:
        columns |= propose_unpublished(form)
    if preset is not None:
        _follow_preset(preset, columns, profiles, nested=True)
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
        name
        for name, column in columns.items()
        if isinstance(column.hierarchy, Hierarchy) and column.type == "word"
    ]
    for field in fields:
        column, (thing, _, _) = columns[field.name], field.name.rpartition(".")
        if not thing or column.role != "quasi" or not says_nothing(column.hierarchy, column.type, field.name):
            continue
        for name in worded:
            words = columns[name].hierarchy
            if name.rpartition(".")[0] != thing or not isinstance(words, Hierarchy):
                continue
            hierarchy = groups_of_words(field, words, match_fields(trees, field.name, name))
            if hierarchy is not None:
                column.hierarchy, column.levels = (
                    hierarchy,
                    f"{describe_levels(hierarchy, field)}; grouped as {name} is",
                )
                break


def _item_separator(seen: ColumnProfile, stated: Role | None) -> str | None:
    """The sign between the items of a column's cells; None where they are single values, or said to be."""
    if stated not in (None, "items") or seen.kind or seen.doubt:
        return None
    sign, meaning = separator_of(seen), match_column_name(seen.called)
    if stated is not None:
        return sign or guess_separator(seen)
    remarks = meaning is not None and meaning.role == "drop"
    return None if remarks and sign != "[" else sign


def _give_hierarchy(
    one: ColumnProposal, seen: ColumnProfile, made: Hierarchy | Mapping[str, Any] | None
) -> None:
    """A quasi-identifier needs a hierarchy; one that can have none is left out."""
    if made is None:
        one.role, one.advice = (
            "drop",
            "whether its values can be made fewer, shorter, or unlike labels of groups",
        )
        one.why = "no hierarchy can be built for it: its values are too many, too long, or read like labels of groups"
        return
    one.hierarchy, one.levels = made, describe_levels(made, seen)
    one.advice = one.advice or vocabulary_question(seen, made)


def _propose_column(seen: ColumnProfile, choice: RoleChoice) -> ColumnProposal:
    """The proposal for a column: its role, why, and at what somebody should look."""
    look = "" if choice.sure else choice.why
    role, why = choice.role, choice.why
    if seen.doubt and role in ("quasi", "sensitive"):
        # A hierarchy over cells that nobody can read says nothing.
        role, why, look = "drop", f"{seen.doubt}; until then it is left out", seen.doubt
    if seen.unreadable:
        noun = "dates" if seen.kind == "date" else "numbers"
        cells = "1 cell" if seen.unreadable == 1 else f"{seen.unreadable:,} cells"
        why += f"; {cells} cannot be read as {noun}, and count as missing"
    if seen.unit:
        why += f"; its numbers are in {seen.unit}; the published ranges omit the unit"
    return ColumnProposal(
        seen.name,
        role,
        why,
        choice.kind.name,
        seen.missing,
        seen.distinct,
        seen.alone,
        advice=look,
        most=int(seen.holders.max(initial=0)),
        meant=len(set(map(normalize_value, seen.values))) if seen.distinct <= _SPELLED else 0,
    )


def _propose_nested_column(source: Source, name: str) -> ColumnProposal:
    """A column of lists is a basket; other cells that are not single values are left out."""
    cells = source.frame[name]
    if not holds_lists(cells):
        return ColumnProposal(
            name, "drop", "its cells are neither texts nor numbers nor lists of such", "other"
        )
    items = cells.explode().drop_nulls()
    rule = vocabulary_rule(name, [str(item) for item in items.unique().to_list()])
    return ColumnProposal(
        name, "items", "its cells are lists", "list", cells.null_count(), items.n_unique(), hierarchy=rule
    )


def _propose_basket(seen: ColumnProfile, sign: str) -> ColumnProposal:
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
        advice=why if cut else "", undecided=why if cut else "", severity=1 if cut else 0,
    )  # fmt: skip


def _follow_preset(
    name: str, columns: Mapping[str, ColumnProposal], seen: Mapping[str, ColumnProfile], *, nested: bool
) -> None:
    """Have each column that a rule of the preset would refuse made coarse enough from the start, or left out.

    Whether a rule would is asked of its judge, with the values as they are. What somebody stated stays. Where a rule
    cannot be told, somebody should look.
    """
    for column in columns.values():
        if column.role not in _PUBLISHED or column.name not in seen or column.stated:
            continue
        profile = seen[column.name]
        findings = _preset_findings(name, column, dict.fromkeys(_published_labels(column, profile), 1))
        broken = [finding.rule.name for finding in findings if finding.verdict == NO]
        if not broken:
            untold = next((finding.found for finding in findings if finding.verdict == UNTOLD), "")
            column.advice = "; ".join(filter(None, (column.advice, untold)))
            continue
        hierarchy = (
            None
            if nested
            else next(filter(None, (_COARSER[rule](profile) for rule in broken if rule in _COARSER)), None)
        )
        levels = None if hierarchy is None else _try_levels(name, column, profile, hierarchy)
        asks = f"{name} asks for it (rule {broken[0]})"
        if hierarchy is None or levels is None:
            column.role, column.hierarchy, column.level, column.levels = "drop", None, None, ""
            column.why = f"{column.why}; {asks}, so it is left out"
        else:
            column.hierarchy, column.level, column.levels, column.advice = hierarchy, 1, levels, ""
            column.why += f"; nothing below level 1 is published, {asks}"


def _published_labels(one: ColumnProposal, seen: ColumnProfile) -> tuple[str, ...]:
    """What is published of a column at its fixed level, or at the least one: its values where it has none."""
    if one.level is None or one.hierarchy is None:
        return seen.values
    spec = one.hierarchy
    hierarchy = spec if isinstance(spec, Hierarchy) else build(one.name, spec, seen.values)
    return tuple(label for level in hierarchy.labels[one.level :] for label in level)


def _preset_findings(name: str, one: ColumnProposal, cells: Mapping[str, int]) -> list[Finding]:
    """What the rules of a preset find in a column with such cells, by itself."""
    released = ReleasedCells({one.name: cells}, {one.name: one.role}, (), date.today().year, crowd=_ALIKE)
    return [finding for finding in check_preset(name, released) if f"column '{one.name}'" in finding.found]


def _try_levels(name: str, one: ColumnProposal, seen: ColumnProfile, made: Mapping[str, Any]) -> str | None:
    """What its levels are, where such a hierarchy can be built and they keep every rule; else None."""
    try:
        hierarchy = build(one.name, made, seen.values)
    except HierarchyError:
        return None
    findings = _preset_findings(name, one, dict.fromkeys(hierarchy.labels[1], 1))
    broken = any(finding.verdict == NO for finding in findings)
    return None if broken else describe_levels(hierarchy, seen)


def _year_rule(seen: ColumnProfile) -> dict[str, Any] | None:
    """Years, and of births all who may be over 89 in one group."""
    meaning, levels = match_column_name(seen.called), ["year", "decade"]
    births = meaning is not None and meaning.what.startswith("birth")
    years = all(map(_YEAR.fullmatch, seen.values))
    formats = ["%Y"] if years else date_formats(seen.values)
    if not formats:
        return None
    written = levels if formats[0] is None else {"format": formats[0], "levels": levels}
    return {"dates": written, **({"bottom": date.today().year - _EIGHTY_NINE} if births else {})}


def _age_rule(seen: ColumnProfile) -> dict[str, Any] | None:
    if all(map(_YEAR.fullmatch, seen.values)):
        return _year_rule(seen)
    return {"ranges": [1, 5, 10, 20], "top": _EIGHTY_NINE + 1}


def _zip_rule(seen: ColumnProfile) -> dict[str, Any] | None:
    meaning = match_column_name(seen.called)
    return {"vocabulary": "us-zip-safe-harbor"} if meaning is None or meaning.what == "postal code" else None


_COARSER: Mapping[str, Callable[[ColumnProfile], dict[str, Any] | None]] = {
    "places": _zip_rule,
    "dates": _year_rule,
    "ages": _age_rule,
}
"""By rule, how a column that breaks it is made coarse enough."""


def _guarantee_for(proposal: Proposal, k: int) -> dict[str, int]:
    """The numbers to start with: k against the usual attacker, and l where something is sensitive and l can be kept.

    The l of a table is 3, or less where a sensitive column without hidden values could keep it in large classes only.
    In record trees no sensitive value
    may be in more than every second record, beside baskets no label in more than every third; with a label the attacker
    is the one who knows whole baskets, for no other claim covers it. A table with baskets has no such claim.
    """
    shape, secret = (
        proposal.shape,
        [
            column
            for column in proposal.columns.values()
            if column.role == "sensitive" and not (column.hidden and proposal.shape == "table")
        ],
    )
    usual, l = ATTACKERS[shape][0].name, 1
    if shape == "table":
        person = proposal.columns.get(proposal.data.person or "")
        people = proposal.records if person is None else person.distinct
        l = min([_L, *(_largest_l(column, people, k) for column in secret)])
        if any(column.role == "known" for column in proposal.columns.values()):
            usual = "known columns"
    elif shape == "trees" and all(column.most * _ONE_OF <= proposal.records for column in secret):
        l = _ONE_OF
    elif shape == "baskets" and all(column.most * (2 * _ONE_OF - 1) <= proposal.records for column in secret):
        usual, l = "basket" if secret else usual, _ONE_OF
    return make_guarantee(shape, usual, {"k": k, "l": l}, ("l",) if secret and l > 1 else ())


def _largest_l(column: ColumnProposal, people: int, k: int) -> int:
    """The largest l that a sensitive column can keep in classes that need not be much larger than k.

    Of l different values l - 1 are not the most frequent one, so there are no more classes than its others suffice for.
    """
    others = people - column.missing - column.most
    kept_values = [l for l in range(2, _L + 1) if (l - 1) * people <= _LARGER * k * max(others, 0)]
    largest = max([1, *kept_values]) if column.most and column.level is None else _L
    return min(largest, column.meant or column.distinct)


def _try_costs(proposal: Proposal, source: Source | None) -> tuple[str, ...]:
    """What k alone and k with l cost, in words: tried by the method that `run` takes, on records of a table.

    An l that costs nearly everything, where k alone does not, is lowered or taken out of the proposal.

    No clock decides whether it is tried: where the method was never used on this machine, compiling would take longer
    than all else, so the command that tells is named.
    """
    quasi = [column for column in proposal.columns.values() if column.role == "quasi"]
    if proposal.shape != "table" or source is None or not 0 < len(quasi) <= _COLUMNS or proposal.data.person:
        return ()
    from shoal.shapes.registry import bind_source

    rows = np.random.default_rng().permutation(source.frame.height)[: _TRIED_CELLS // len(quasi)]
    hiding = " with hidden values" if any(column.hidden for column in proposal.columns.values()) else ""
    k, asked_l = proposal.guarantee["k"], proposal.guarantee.get("l", 1)
    sentences = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # what reading tells is told where the file is read
        try:
            config = proposal.config()
            dataset: Any = bind_source(config, source.some(rows))
            method = dataset.choose_method({**config.recode, **proposal.guarantee}, proposal.records)
            if not is_compiled(method):
                return ("shoal compare --methods default --k 2:20 shows what each k costs",)
            alone = _cost_of(dataset, method, config.recode, {"k": k})
        except ShoalError:
            return ()
        sentences.append(f"k = {k}{hiding} cost {alone:.0%} of the detail")
        for l in range(asked_l, 1, -1):
            try:
                cost = _cost_of(dataset, method, config.recode, {"k": k, "l": l})
            except InfeasibleError:
                cost = 1.0
            except ShoalError:
                return ()
            sentences.append(f"k = {k} and l = {l}{hiding} cost {cost:.0%} of the detail")
            if cost <= _DEAR or alone > _DEAR:
                break
            del proposal.guarantee["l"]
            if l > 2:
                proposal.guarantee["l"] = l - 1
    if "l" not in proposal.guarantee and asked_l > 1:
        sentences.append("so no l is proposed")
    less = "" if len(rows) >= proposal.records else " (all of them lose less)"
    return (f"tried on {len(rows):,} of {proposal.records:,} records{less}: {', '.join(sentences)}",)


def _cost_of(dataset: Any, method: str, recode: Mapping[str, str], numbers: Mapping[str, Any]) -> float:
    """The share of the detail that a method loses where these numbers are asked for; nothing of it is published."""
    from shoal.anonymization.makers import MethodMaker
    from shoal.anonymization.run import prepare_run
    from shoal.utility.table import ncp

    takes = {knob.name for knob in knobs(method)}
    asked: dict[str, Any] = {key: value for key, value in recode.items() if key in takes} | dict(numbers)
    bound, name, claim, options = prepare_run(dataset, method, None, asked)
    trial: Any = bound  # a table's
    result = MethodMaker(name, claim, options).make(trial)
    weights = {column.name: column.weight for column in trial.table.quasi}
    return float(ncp(result.release, trial.hierarchies, weights))
