"""The hierarchy that a column is proposed to have: by a mapping, a public vocabulary, or what its values are."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from math import floor
from pathlib import Path
from typing import Any

import numpy as np

from shoal.base.errors import HierarchyError, InputError
from shoal.data.column_names import match_column_name
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.answers import order_answers
from shoal.hierarchy.column_values import ROOT, parse_number_and_side, parse_number_or_end, sort_bands
from shoal.hierarchy.labels import round_step
from shoal.hierarchy.rules import build, flat
from shoal.hierarchy.suggest import (
    BY_FREQUENCY,
    NAMED,
    Kind,
    calendar_units,
    code_hierarchy,
    date_hierarchy,
    is_by_frequency,
    number_hierarchy,
    word_hierarchy,
)
from shoal.hierarchy.vocabularies import suggest_vocabularies, vocabularies
from shoal.io.read.table import read
from shoal.proposal.profile import ColumnProfile, determines

__all__ = [
    "Groups",
    "describe_levels",
    "find_containers",
    "frequency_note",
    "groups_of_words",
    "hierarchy_by_mapping",
    "hierarchy_from_groups",
    "propose_hierarchy",
    "read_mapping",
    "says_nothing",
    "vocabulary_question",
    "vocabulary_rule",
]

Groups = Mapping[str, tuple[str, ...]]
"""For each value, the groups above it, the smallest first."""

_LARGE = 20_000  # values; of more numbers or dates a rule is written, not a file
_LONGEST = 1000  # characters of a value that a file of hierarchies takes
_STEPS = 20  # classes of the first level of such a rule
_COVERED = 0.9  # of a column's values are in a mapping that fits it
_FEWER = 0.75  # as many values
_FEW = 3  # different values; so few need no groups
_POSTAL = ("de", "es", "fr", "it", "nl", "uk", "us")  # countries whose postal codes are known
_POSTAL_CODE = "postal code"
_PLACE_CODES = (_POSTAL_CODE, "code of a place")
_SHORT = 2  # digits; numbers of so few are not grouped by the first
_NOMINAL = ("word", "place")  # kinds of meanings whose values have no order
FLAT = ("snomed",)
"""Vocabularies that leave their codes alone."""
_MOSTLY = 0.95  # of the people live in the one country that says what their postal codes are


def propose_hierarchy(
    seen: ColumnProfile,
    kind: Kind,
    *,
    coded: bool,
    mappings: Sequence[Groups] = (),
    beside: Iterable[ColumnProfile] = (),
) -> Hierarchy | dict[str, Any] | None:
    """A hierarchy over a column's values, or the rule to build one where a vocabulary knows them or they are very many.

    `coded` says that numbers are names here; columns `beside` it may tell whose postal codes it holds. None where a
    value reads like a label, so that no hierarchy can tell them apart, or where values are too many or too long for a
    file and no rule fits them.
    """
    if (hierarchy := hierarchy_by_mapping(seen, mappings)) is not None:
        return hierarchy
    if kind.name != "date" and (rule := vocabulary_rule(seen.called, seen.values, beside)) is not None:
        return rule
    coded = coded and not (kind.name == "number" and _are_amounts(seen))
    is_large, is_number = seen.distinct > _LARGE, kind.name == "number" and not coded
    if is_large and ((rule := _rule_for_many(seen, kind, coded)) is not None or is_number):
        return rule
    if not seen.whole or max(map(len, seen.values), default=0) > _LONGEST:
        return None
    try:
        return _hierarchy_by_kind(seen, kind, coded) or word_hierarchy(
            seen.name, seen.values, seen.holders, seen.order or _answer_order(seen)
        )
    except HierarchyError:
        return _flat_hierarchy(seen)


def _are_amounts(seen: ColumnProfile) -> bool:
    """Whether numbers are no codes, whatever the name says: they have one or two digits, or more and fewer.

    What begins with the same digit then has nothing in common: 2 and 20 years, 1 and 100 rooms. The codes of places
    may have lost the zeros before them.
    """
    meant = match_column_name(seen.called)
    if meant is not None and meant.what in _PLACE_CODES:
        return False
    lengths = {len(value.lstrip("+-").partition(".")[0]) for value in seen.values}
    return len(lengths) > 1 or max(lengths, default=0) <= _SHORT


def _answer_order(seen: ColumnProfile) -> Sequence[str]:
    """The order of values that are answers; empty where they have none. Numbers of places and jobs are no order."""
    meant = match_column_name(seen.called)
    is_nominal = meant is not None and meant.kind in _NOMINAL
    return sort_bands(seen.values) or order_answers(seen.values, numbered=not is_nominal) or ()


def hierarchy_by_mapping(seen: ColumnProfile, mappings: Sequence[Groups]) -> Hierarchy | None:
    """The hierarchy by the first mapping that knows nearly all values; None where none does."""
    for groups in mappings:
        if seen.distinct and sum(value in groups for value in seen.values) >= _COVERED * seen.distinct:
            return hierarchy_from_groups(seen, groups)
    return None


def vocabulary_rule(
    name: str, values: Collection[str], beside: Iterable[ColumnProfile] = ()
) -> dict[str, Any] | None:
    """The rule of the one vocabulary that values are of; None where there is none, or it would be of no use."""
    candidates = _possible_vocabularies(name, values)
    if len(candidates) > 1:
        country = _guess_country(beside)
        candidates = [which for which in candidates if which.startswith(f"{country}-")]
    if len(candidates) != 1:
        return None
    rule = {"vocabulary": candidates[0]}
    try:
        hierarchy = build(name, rule, list(values))
    except HierarchyError:
        return None
    # several groups, or left alone on purpose
    return rule if hierarchy.height == 1 or len(set(hierarchy.up[: hierarchy.size, 1].tolist())) > 1 else None


def _possible_vocabularies(name: str, values: Collection[str]) -> list[str]:
    """The vocabularies that values can be of, by what they are called, too."""
    if len(values) <= _FEW:
        return []
    meant = match_column_name(name)
    return suggest_vocabularies(list(values), name, "" if meant is None else meant.what)


def _guess_country(beside: Iterable[ColumnProfile]) -> str | None:
    """The country in which nearly everybody lives, as postal codes are called after it; states are of the US."""
    for profile in beside:
        meant = match_column_name(profile.called)
        if meant is None or not len(profile.holders):
            continue
        if meant.what == "region" and _possible_vocabularies(profile.called, profile.values) == ["us-states"]:
            return "us"
        most = int(np.argmax(profile.holders))
        if meant.what == "country" and profile.holders[most] >= _MOSTLY * profile.holders.sum():
            read = vocabularies()["countries"].read
            return next((code for code in _POSTAL if read(code) == read(profile.values[most])), None)
    return None


def vocabulary_question(seen: ColumnProfile, hierarchy: Hierarchy | Mapping[str, Any]) -> str:
    """What somebody should say of values that are of several vocabularies; empty where there is no such question."""
    if not isinstance(hierarchy, Hierarchy):
        return ""
    candidates = _possible_vocabularies(seen.called, seen.values)
    if len(candidates) < 2:
        return ""
    return f'which kind of code it holds, {" or ".join(candidates)}: hierarchy = {{ vocabulary = "{candidates[0]}" }}'


def frequency_note(hierarchies: Mapping[str, object]) -> list[str]:
    """One sentence that names all columns whose groups only use has brought together; none where there are none."""
    names = [
        name
        for name, hierarchy in hierarchies.items()
        if isinstance(hierarchy, Hierarchy) and is_by_frequency(hierarchy)
    ]
    return [f"{', '.join(names)}: {BY_FREQUENCY}"] if names else []


def groups_of_words(code: ColumnProfile, words: Hierarchy, word_of: Mapping[str, str]) -> Hierarchy | None:
    """The groups of the words that codes go with, where each code has one.

    A code without structure tells nothing by its digits; that of a diagnosis belongs where its name does.
    """
    inner = range(1, words.height)
    if not inner or not code.distinct or any(value not in word_of for value in code.values):
        return None
    leaves = words.look_up([word_of[value] for value in code.values])
    above = [tuple(words.labels[level][words.up[leaf, level]] for level in inner) for leaf in leaves.tolist()]
    return hierarchy_from_groups(code, dict(zip(code.values, above, strict=True)))


def find_containers(words: Sequence[str], seen: Mapping[str, ColumnProfile]) -> dict[str, Groups]:
    """For columns of words, the groups that another of these columns makes of them: districts by their province.

    The other column follows from it in every record, has clearly fewer values, and of several such it is the
    one with most.
    """
    groups_of_name = {}
    for name in words:
        inside = seen[name]
        larger = [
            seen[candidate]
            for candidate in words
            if candidate != name
            and 1 < seen[candidate].distinct <= _FEWER * inside.distinct
            and determines(inside, seen[candidate])
        ]
        if larger:
            groups_of_name[name] = _groups_from_column(inside, max(larger, key=lambda one: one.distinct))
    return groups_of_name


def _groups_from_column(inside: ColumnProfile, outside: ColumnProfile) -> Groups:
    """The group of each value; those that few people are in are one."""
    often = {index for index, people in enumerate(outside.holders.tolist()) if people >= NAMED}
    above = dict(zip(inside.codes.tolist(), outside.codes.tolist(), strict=True))
    groups = {}
    for index, value in enumerate(inside.values):
        owner = above.get(index, -1)
        label = outside.values[owner] if owner in often else "others"
        groups[value] = (f"{label} ({outside.name})" if label in inside.values else label,)
    return groups


def says_nothing(hierarchy: object, type: str, name: str) -> bool:
    """Whether a hierarchy of codes goes by their digits alone, or has no groups, though they are no postal codes."""
    meant = match_column_name(name)
    if meant is not None and meant.what == _POSTAL_CODE:
        return False
    if isinstance(hierarchy, Hierarchy):  # a prefix, as in 31*
        return type in ("code", "number") and all(
            label.endswith("*") for level in hierarchy.labels[1:] for label in level
        )
    return isinstance(hierarchy, dict) and hierarchy.get("vocabulary") in FLAT


def _flat_hierarchy(seen: ColumnProfile) -> Hierarchy | None:
    """Each value as it is or not at all; None where one reads like the root."""
    try:
        return flat(seen.name, seen.values)
    except HierarchyError:
        return None


def _hierarchy_by_kind(seen: ColumnProfile, kind: Kind, coded: bool) -> Hierarchy | None:
    """The hierarchy of dates, codes or numbers; None where there is none, or values get into its way."""
    try:
        if kind.name == "date":
            return date_hierarchy(seen.name, seen.values, seen.holders, kind.format)
        if coded or kind.name == "code":
            return code_hierarchy(seen.name, seen.values)
        return number_hierarchy(seen.name, seen.values, seen.holders) if kind.name == "number" else None
    except HierarchyError:
        return None


def _rule_for_many(seen: ColumnProfile, kind: Kind, coded: bool) -> dict[str, Any] | None:
    """The rule for a column of very many values."""
    if kind.name == "date":
        units = calendar_units(seen.name, seen.values[:: seen.distinct // 1000], kind.format)
        return (
            {"dates": units} if kind.format is None else {"dates": {"format": kind.format, "levels": units}}
        )
    if kind.name != "number" or coded:
        return None
    read = [number for value in seen.values if (number := parse_number_and_side(value)) is not None]
    numbers = np.array([n for n, _ in read], dtype=float)
    low, high = np.quantile(numbers, [0.01, 0.99])
    step = round_step(Decimal(repr(float(high - low))) / _STEPS)
    bottom, top = (int((Decimal(repr(float(bound))) / step).to_integral_value()) for bound in (low, high))
    # What is only an end may be anything beyond it, so it must not have a closed class, nor others beyond its own.
    top = min([top, *(floor(n / step) for n, side in read if side > 0)])
    bottoms = [
        *([bottom] if numbers.min() < 0 else []),
        *(floor(n / step) + 1 for n, side in read if side < 0),
    ]
    ends = {**({"bottom": max(bottoms)} if bottoms else {}), "top": top}
    if ends.get("bottom", top - 1) >= top:
        return None
    steps = [_plain_number(step * 2**level) for level in range(4)]
    return {"ranges": steps, **{end: _plain_number(bound * step) for end, bound in ends.items()}}


def _plain_number(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral_value() else float(value)


def hierarchy_from_groups(seen: ColumnProfile, groups: Groups) -> Hierarchy:
    """The groups of a mapping above each value; values that it does not know are a group of their own."""
    height = max(len(groups[value]) for value in seen.values if value in groups)
    paths = []
    for value in seen.values:
        above = groups.get(value, ("not in the mapping",) * height)
        paths.append([value, *above, *above[-1:] * (height - len(above)), ROOT])
    return Hierarchy.from_paths(seen.name, paths, public=False)


def read_mapping(path: Path) -> Groups:
    """Read a table of values and their groups: the value first, then its group, then larger ones.

    Raises
    ------
    InputError
        It has fewer than two columns, or a value stands twice with different groups.
    """
    frame = read(path).frame
    if frame.width < 2:
        raise InputError(
            f"{path.name}: a mapping has a value and its groups in each row; give two columns or more"
        )
    groups: dict[str, tuple[str, ...]] = {}
    rows = [
        tuple(frame.columns),
        *frame.iter_rows(),
    ]  # whether the first line is a header cannot be told: it does no harm
    for line, row in enumerate(rows, start=1):
        value, *above = (str(cell) for cell in row if cell not in (None, "", ROOT))
        if above and groups.setdefault(value, tuple(above)) != tuple(above):
            raise InputError(
                f"{path.name}, line {line}: a value that stood before has other groups here; keep one"
            )
    return groups


def describe_levels(hierarchy: Hierarchy | Mapping[str, Any], seen: ColumnProfile) -> str:
    """One value and what stands for it on each level; of values that few people hold, only from the first level on."""
    if isinstance(hierarchy, Hierarchy):
        index = _example_index(seen, ordered=hierarchy.ordered)
    elif "vocabulary" in hierarchy:  # it says of each value alone what stands above it
        index = _example_index(seen, ordered=vocabularies()[hierarchy["vocabulary"]].ordered)
        hierarchy = build(seen.name, hierarchy, [seen.values[index]])
    else:
        return ""
    code = hierarchy.look_up([seen.values[index]])[0]
    path = [hierarchy.labels[level][hierarchy.up[code, level]] for level in range(hierarchy.height + 1)]
    steps = " > ".join(dict.fromkeys(path if seen.holders[index] >= NAMED else path[1:]))
    return f"{steps}; {BY_FREQUENCY}" if is_by_frequency(hierarchy) else steps


def _example_index(seen: ColumnProfile, *, ordered: bool) -> int:
    """A value that many people hold; of an order one from its middle."""
    often = np.flatnonzero(seen.holders >= NAMED)
    if not ordered or not len(often):
        return int(np.argmax(seen.holders))
    numbers = [parse_number_or_end(seen.values[index]) for index in often]
    if None not in numbers:
        often = often[np.argsort(np.array(numbers, dtype=float))]
    return int(often[len(often) // 2])
