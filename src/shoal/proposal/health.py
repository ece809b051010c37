"""Health records in two common forms, which say themselves what their fields are: bulk FHIR and OMOP's tables.

What is published of them is listed in `health.toml`. A list can be checked; names and values of a few hundred fields
that nobody looks at cannot. So what is not listed is left out, and told.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from shoal.base.errors import HierarchyError
from shoal.base.naming import resource_table
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.rules import flat
from shoal.hierarchy.suggest import Kind, kind_of, word_hierarchy
from shoal.hierarchy.vocabularies import suggest_vocabularies, vocabularies
from shoal.io.read.cells import cell_texts
from shoal.io.read.tree_tables import Resources
from shoal.proposal.hierarchies import FLAT, Groups, hierarchy_from_groups
from shoal.proposal.profile import ColumnProfile
from shoal.proposal.proposal import ColumnProposal
from shoal.proposal.role_resolution import RoleChoice

__all__ = [
    "HealthForm",
    "fhir_form",
    "hierarchy_from_form",
    "omop_form",
    "propose_unpublished",
    "role_from_form",
]

_NAMED = 6  # tables that a note names
_SEVERAL = 2  # different values
_ID = "id"
_KINDS = {"codes": "code", "dates": "date", "numbers": "number"}


@dataclass(frozen=True, slots=True)
class HealthForm:
    """What the fields of health records are, by their dotted paths.

    person, keys : as in [tree]
    identifier   : the field that says who a record is
    kinds        : what is published: "code", "date" or "number"
    left         : what is left out, with all that is below it, and why
    texts        : free text, which is left out
    vocabularies : of some codes, the vocabulary that they are of
    groups       : of some codes, what stands above each
    words        : of some codes, what each is called
    notes        : what somebody should know
    """

    name: str
    person: str
    keys: Mapping[str, str]
    identifier: str | None
    kinds: Mapping[str, str]
    left: Mapping[str, str]
    texts: tuple[str, ...] = ()
    vocabularies: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, Groups] = field(default_factory=dict)
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def fhir_form(resources: Resources) -> HealthForm | None:
    """What the fields of FHIR resources are; None where there are no patients."""
    form = resource_table("shoal.proposal", "health.toml")["fhir"]
    person, listed = form["person"], form["tables"]
    if person not in resources:
        return None
    published_kinds = [
        kind for kind in resources if kind in listed and (kind == person or "refers" in listed[kind])
    ]
    keys = {
        f"{kind}.{listed[kind]['refers']}": f"{person}.{_ID}" for kind in published_kinds if kind != person
    }
    health_form = HealthForm(
        "FHIR", person, keys, _ID, {}, {}, notes=_note_unlisted(resources, published_kinds)
    )
    systems: dict[str, set[str]] = defaultdict(set)
    words: dict[str, dict[str, str]] = defaultdict(dict)
    for kind in published_kinds:
        values: dict[str, set[str]] = defaultdict(set)
        for _, line in resources[kind]:
            for path, value in _leaves(json.loads(line), ""):
                if isinstance(value, dict):
                    code = _field_path(person, kind, f"{path}.code")
                    systems[code].add(str(value.get("system")))
                    words[code].setdefault(str(value["code"]), str(value.get("display") or value["code"]))
                elif len(values[path]) < _SEVERAL:
                    values[path].add(str(value))
        skip = {"resourceType", _ID, listed[kind].get("refers")}
        one_valued = {
            path
            for path, field_values in values.items()
            if path.endswith(".system") and len(field_values) < _SEVERAL
        }
        is_constant = {path: path in one_valued for path in values if path not in skip}
        health_form = _add_fields(health_form, form, kind, is_constant)
    names_of_path = {path: {form["systems"].get(url) for url in coding} for path, coding in systems.items()}
    coding = {path: next(iter(names)) for path, names in names_of_path.items() if len(names) == 1}
    return replace(
        health_form,
        vocabularies={
            path: str(name) for path, name in coding.items() if name in {*vocabularies()} - {*FLAT}
        },
        groups={
            path: {code: _loinc_parts(name) for code, name in words[path].items()}
            for path, name in coding.items()
            if name == "loinc"
        },
        words=words,
    )


def _loinc_parts(name: str) -> tuple[str, str]:
    """The parts of a name of LOINC that say what belongs together: the component in its system, and the system.

    Such a name is "component [property] in system by method"; the digits of the code mean nothing.

    >>> _loinc_parts("Cholesterol in HDL [Mass/volume] in Serum or Plasma by Direct assay")
    ('Cholesterol in HDL in Serum or Plasma', 'in Serum or Plasma')
    >>> _loinc_parts("Body Weight")
    ('Body Weight', 'no specimen')
    """
    component, _, remainder = name.partition(" [")
    system = remainder.partition("] in ")[2] if remainder else name.partition(" in ")[2]
    component = component if remainder else name.partition(" in ")[0]
    system = system.partition(" by ")[0]
    return (f"{component} in {system}", f"in {system}") if system else (component, "no specimen")


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The dotted paths of the single values of a resource, and of its codes as the objects that they are."""
    if isinstance(value, dict):
        if isinstance(value.get("code"), str):
            yield path, value
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, path)
    elif value is not None:
        yield path, value


def omop_form(tables: Mapping[str, pl.DataFrame]) -> HealthForm | None:
    """What the columns of OMOP's tables are; None where they are no such tables. Names may be in any case."""
    form = resource_table("shoal.proposal", "health.toml")["omop"]
    named = {table.lower(): table for table in tables}
    columns = {table: {name.lower(): name for name in frame.columns} for table, frame in tables.items()}
    person = named.get(form["person"])
    if person is None or not {*form["sign"]} <= {*columns[person]}:
        return None
    keys, published_tables = dict[str, str](), [person]
    for table, name in named.items():
        here = form["tables"].get(table, {})
        refers, owns = here.get("refers"), here.get("owns")
        if refers in columns[name]:
            keys[f"{name}.{columns[name][refers]}"] = f"{person}.{columns[person]['person_id']}"
            published_tables.append(name)
        elif owns in columns[name] and owns in columns[person]:
            keys[f"{person}.{columns[person][owns]}"] = f"{name}.{columns[name][owns]}"
            published_tables.append(name)
    source_id = columns[person].get("person_source_value")
    health_form = HealthForm(
        "OMOP", person, keys, source_id, {}, {}, notes=_note_unlisted(tables, published_tables)
    )
    keyed = {*keys, *keys.values()}
    groups: dict[str, Groups] = {}
    for table in published_tables:
        frame = tables[table]
        names = [
            name
            for name in frame.columns
            if f"{table}.{name}" not in keyed and (table, name) != (person, source_id)
        ]
        health_form = _add_fields(
            health_form, form, table.lower(), {name: frame[name].n_unique() == 1 for name in names}, table
        )
        for code, source in form["tables"][table.lower()].get("same", {}).items():
            if code in columns[table] and source in columns[table]:
                code_column = columns[table][code]
                code_groups = _groups_by_source(tables[table], code_column, columns[table][source])
                groups |= {_field_path(person, table, code_column): code_groups} if code_groups else {}
    return replace(health_form, groups=groups)


def _groups_by_source(frame: pl.DataFrame, code: str, source: str) -> Groups:
    """For each number of a concept, what a vocabulary says of the code that it mostly stands for; none knows: empty."""
    pairs = pl.DataFrame({"code": cell_texts(frame[code]), "source": cell_texts(frame[source])}).drop_nulls()
    often = pairs.group_by("code", "source").len().sort("len", "source", descending=[True, False])
    best = dict(often.unique("code", keep="first", maintain_order=True).select("code", "source").iter_rows())
    fitting = suggest_vocabularies(list(best.values()), source)
    if len(fitting) != 1:
        return {}
    return _vocabulary_groups(fitting[0], best)


def _vocabulary_groups(vocabulary: str, codes: Mapping[str, str]) -> Groups:
    """What a vocabulary says of codes that values stand for; values that it does not know are not there."""
    read = vocabularies()[vocabulary].read
    above = {value: entry[1] for value, code in codes.items() if (entry := read(code)) is not None}
    return {value: (*filter(None, labels),) for value, labels in above.items() if all(labels)}


def _add_fields(
    made: HealthForm,
    form: Mapping[str, Any],
    kind: str,
    paths: Mapping[str, bool],
    place: str | None = None,
) -> HealthForm:
    """The same, with what is known of the fields of one resource or table; some of them always have the same value."""
    listed_names = {
        key: [*form["any"].get(key, ()), *form["tables"][kind].get(key, ())]
        for key in ("identifiers", "texts")
    }
    kinds = {
        name.lower(): kind_name
        for key, kind_name in _KINDS.items()
        for name in form["tables"][kind].get(key, ())
    }
    kinds |= {f"{name[: -len('code')]}system": "code" for name in kinds if name.endswith(".code")}
    table = place or kind
    kind_of_path = {
        path: kinds[path.lower()] for path, always in paths.items() if path.lower() in kinds and not always
    }
    prefixes = {
        ".".join(path.split(".")[:depth]) for path in kind_of_path for depth in range(1, path.count(".") + 2)
    }
    why_left_out, texts = dict[str, str](), list[str]()
    for path in paths:
        steps = path.split(".")
        top = next(
            (name for depth in range(1, len(steps) + 1) if (name := ".".join(steps[:depth])) not in prefixes),
            None,
        )
        if top is None:
            continue
        name = _field_path(made.person, table, top)
        if paths[path] and path.lower() in kinds:
            why_left_out[name] = "it always has the same value"
        elif _is_one_of(path, listed_names["texts"]):
            texts.append(name)
        elif _is_one_of(path, listed_names["identifiers"]):
            why_left_out[name] = "it names a person or something else that is unique"
        else:
            why_left_out[name] = f"not among the fields that are published of {made.name}"
    return replace(
        made,
        kinds={
            **made.kinds,
            **{_field_path(made.person, table, path): kind_name for path, kind_name in kind_of_path.items()},
        },
        left={**made.left, **{name: why for name, why in why_left_out.items() if name not in texts}},
        texts=tuple(dict.fromkeys((*made.texts, *texts))),
    )


def _is_one_of(path: str, names: Sequence[str]) -> bool:
    return any(path.lower() == name or path.lower().startswith(f"{name}.") for name in map(str.lower, names))


def _field_path(person: str, table: str, path: str) -> str:
    """The path of a field in a record; those of the person stand under the root."""
    return path if table == person else f"{table}.{path}"


def _note_unlisted(there: Mapping[str, Any], kept: Sequence[str]) -> tuple[str, ...]:
    names = [name for name in there if name not in kept]
    if not names:
        return ()
    addition = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return (
        f"left out, because they belong to no person or are not listed: {', '.join(names[:_NAMED])}{addition}",
    )


# What is proposed for these fields.


def role_from_form(form: HealthForm, seen: ColumnProfile) -> RoleChoice:
    """Everything that is published of health records may be known to others, codes of diagnoses too."""
    concept, kind = form.kinds.get(seen.name, "code"), kind_of(seen.values)
    if concept == "code" and not _is_postal_code(seen.name):
        kind = Kind("word")  # digits of a concept, or of SNOMED, say nothing of what belongs together
    return RoleChoice("quasi", f"{form.name} lists it as a {concept}", kind, concept)


def _is_postal_code(name: str) -> bool:
    return name.rpartition(".")[2].lower() in ("postalcode", "zip")


def hierarchy_from_form(form: HealthForm | None, seen: ColumnProfile) -> Hierarchy | None:
    """The hierarchy of codes; None where a field holds none, or its digits say it."""
    if form is None or form.kinds.get(seen.name) != "code" or _is_postal_code(seen.name):
        return None
    groups = form.groups.get(seen.name, {})
    if seen.name in form.vocabularies:
        groups = _vocabulary_groups(form.vocabularies[seen.name], {value: value for value in seen.values})
    called = form.words.get(seen.name, {})
    try:
        if any(value in groups for value in seen.values):
            return _add_frequency_groups(seen, groups)
        hierarchy = _add_frequency_groups(
            seen, {value: (called.get(value, value),) for value in seen.values}, named=False
        )
        return hierarchy or flat(seen.name, seen.values)
    except HierarchyError:
        return None


def _add_frequency_groups(seen: ColumnProfile, groups: Groups, *, named: bool = True) -> Hierarchy | None:
    """The groups of codes, and above the largest of them groups by how many people hold these.

    Without those, one chapter that hardly anybody has leaves nothing of any code: there is nothing between it and all.
    `named` says whether the groups are levels themselves, not only what codes are called.
    """
    height = max(map(len, groups.values()))
    groups_of_value = {value: groups.get(value, ("not in the vocabulary",)) for value in seen.values}
    padded = {
        value: (*above, *above[-1:] * (height - len(above))) for value, above in groups_of_value.items()
    }
    people = Counter[str]()
    for value, holders in zip(seen.values, seen.holders.tolist(), strict=True):
        people[padded[value][-1]] += holders
    words = word_hierarchy(seen.name, list(people), np.array([*people.values()]), ())
    leaf = dict(zip(people, words.look_up(list(people)).tolist(), strict=True))
    over = {
        top: tuple(words.labels[level][words.up[row, level]] for level in range(1, words.height))
        for top, row in leaf.items()
    }
    paths = {value: (*(above if named else ()), *over[above[-1]]) for value, above in padded.items()}
    return hierarchy_from_groups(seen, paths) if any(paths.values()) else None


def propose_unpublished(form: HealthForm) -> dict[str, ColumnProposal]:
    """The fields that are left out, and who a record is."""
    proposals = {path: ColumnProposal(path, "drop", why, "other") for path, why in form.left.items()}
    proposals |= {
        path: ColumnProposal(path, "text", f"{form.name} lists it as free text", "other")
        for path in form.texts
    }
    if form.identifier is not None:
        proposals[form.identifier] = ColumnProposal(
            form.identifier, "identifier", f"{form.name} lists it as who a record is", "other"
        )
    return proposals
