"""From released cells to what the judges of tables see, as they were made, from a folder alone or beside originals."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.base.naming import RECODED
from shoal.data import Column, Table
from shoal.data.arrays import F8, I4, I8, row_of_entry
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.column_values import parse_number
from shoal.hierarchy.files import BuiltFile
from shoal.hierarchy.labels import leaves_of, numbers_of, spell_number
from shoal.io.config import Config
from shoal.io.read.cells import cell_texts, code_table, factorize, person_names
from shoal.io.read.records import read_population
from shoal.io.read.source import Source
from shoal.io.weight_release import WeightRelease
from shoal.privacy import POPULATION_KEYS, counts_households, needs_population
from shoal.privacy.equivalence_class import number_groups
from shoal.privacy.truth import (
    Covers,
    judge_unchanged_codes,
    provenance_of_rows,
    truth_of_centres,
    truth_of_table,
    truth_of_weights,
)
from shoal.release import Claim, Population, Published, PublishedValues, Sensitive, Verdict
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.hierarchies import hierarchies_in_files, hierarchies_over, hierarchy_in_file
from shoal.shapes.shape import Verification

__all__ = [
    "Fit",
    "TableVerification",
    "fits_of",
    "insert_missing_codes",
    "judge_fits",
    "judge_truth",
    "judge_weights",
    "linked_persons",
    "missing_codes_to_values",
    "population_beside",
    "published_table",
    "resolve",
    "sensitive_of",
    "unexpected_cells",
    "without_column",
]


def resolve(cells: pl.Series, hierarchy: Hierarchy, *, blanks: bool = False) -> tuple[PublishedValues, I4]:
    """Read published labels through a hierarchy: the leaf set of each, and which one every row has.

    A label that is no node, range or set of its leaves stands for no leaf at all, so that `truth` refuses it. With
    `blanks` an empty cell stands for any value; else for a missing one.
    """
    values, codes = factorize(cells)
    return PublishedValues.of_sets(
        values, [leaves_of(value, hierarchy, blanks=blanks) for value in values]
    ), codes


def sensitive_of(cells: pl.Series) -> Sensitive:
    """A released sensitive column: codes into its values, -1 for an empty cell."""
    values, codes = factorize(cells)
    if None not in values:
        return Sensitive(codes.astype(np.int64), tuple(v for v in values if v is not None))
    empty_code = values.index(None)
    shifted = np.where(codes == empty_code, -1, np.where(codes > empty_code, codes - 1, codes))
    return Sensitive(shifted.astype(np.int64), tuple(v for v in values if v is not None))


def published_table(
    frame: pl.DataFrame,
    roles: Mapping[str, str],
    persons: I8 | None = None,
    counts: I8 | None = None,
    population: Population | None = None,
) -> Published:
    """See a released frame as everybody does: rows are alike where their labels are the same text.

    Labels of the same leaves in two wordings are two: whoever sees them tells the rows apart.
    """
    return Published(
        {
            name: sensitive_of(cell_texts(frame[name])).codes
            for name, role in roles.items()
            if role == "quasi"
        },
        {name: sensitive_of(cell_texts(frame[name])) for name, role in roles.items() if role == "sensitive"},
        persons,
        counts,
        population,
        {
            name: sensitive_of(cell_texts(frame[name])).codes
            for name, role in roles.items()
            if role == "known"
        },
    )


def missing_codes_to_values(cells: pl.Series, codes: pl.Series) -> pl.Series:
    """Cells as text, with the codes that mean no value as values of their own."""
    return ("(missing) " + codes).fill_null(cell_texts(cells).replace("", None)).alias(cells.name)


def insert_missing_codes(frame: pl.DataFrame, missing: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Released cells as who can tell their missing codes apart sees them."""
    return frame.with_columns(
        missing_codes_to_values(frame[name], codes).alias(name) for name, codes in missing.items()
    )


def linked_persons(frame: pl.DataFrame, roles: Mapping[str, str]) -> I8:
    """Whom each row belongs to, as the pseudonym tells everybody, one person in every spelling.

    Raises
    ------
    InputError
        A row names nobody, so that it may be anybody's.
    """
    name = next(name for name, role in roles.items() if role == "pseudonym")
    names = person_names(Source(frame.select(name), name="release"), name)
    return factorize(names)[1].astype(np.int64)


def population_beside(
    frame: pl.DataFrame,
    people: Table,
    hierarchies: Hierarchies,
    gone: int,
    own: Mapping[str, I4] | None = None,
) -> Population:
    """The people of a population, and what the labels of released cells stand for among them.

    `own` holds by column the leaf code of the record behind each row, where it is known.
    """
    forms = {}
    for column in people.columns:
        labels = (*sensitive_of(cell_texts(frame[column.name])).values, None)
        tree = hierarchies[column.name]
        forms[column.name] = PublishedValues.of_sets(labels, [leaves_of(label, tree) for label in labels])
    return Population(
        {column.name: hierarchies[column.name].encode(column).astype(np.int64) for column in people.columns},
        forms,
        gone,
        {name: tree.size for name, tree in hierarchies.items() if name in forms and tree.missing is None},
        {} if own is None else {name: codes.astype(np.int64) for name, codes in own.items()},
    )


def judge_truth(
    frame: pl.DataFrame,
    table: Table,
    hierarchies: Hierarchies,
    leaves: I4,
    rows: I8,
    *,
    blanks: bool = False,
    centres: Mapping[str, str] | None = None,
) -> Verdict:
    """Check every released cell against the record it stems from: row i against record rows[i].

    A quasi-identifier's original value must lie inside its published form; other columns must be unchanged. In columns
    that `centres` names the number must be the mean, or the median, of the originals of its class.
    """
    centres = centres or {}
    names = {column.name: j for j, column in enumerate(table.quasi)}
    plain = {name: leaves[:, j] for name, j in names.items() if name not in centres}
    released_forms = {
        name: resolve(cell_texts(frame[name]), hierarchies[name], blanks=blanks) for name in plain
    }
    verdict = truth_of_table(plain, released_forms, rows) if plain or not centres else Verdict(True, "")
    class_of_row = (
        number_groups(tuple(published_table(frame, dict.fromkeys(names, "quasi")).quasi.values()))[0]
        if centres
        else rows
    )
    for name in (name for name in names if name in centres):
        if verdict:
            number_of_leaf = _numbers_by_leaf(hierarchies[name])
            original = [number_of_leaf[leaf] for leaf in leaves[:, names[name]].tolist()]
            verdict = truth_of_centres(
                name, centres[name], original, _written_numbers(frame[name]), class_of_row, rows
            )
    for column in table.columns:
        if verdict and column.role not in (*RECODED, "identifier"):
            released_column = factorize(cell_texts(frame[column.name]))
            verdict = judge_unchanged_codes(column.name, (column.values, column.codes[rows]), released_column)
    return verdict


def judge_weights(
    frame: pl.DataFrame, name: str, how: WeightRelease, weights: F8, roles: Mapping[str, str]
) -> Verdict:
    """Check the published weights of released cells against the weight of the record behind each row."""
    labels = {column: factorize(cell_texts(frame[column]))[1].astype(np.int64) for column in roles}
    quasi_names = [column for column in frame.columns if roles.get(column) in RECODED]
    weights = weights * (how.total / weights.sum()) if how.total is not None and len(weights) else weights
    margins = how.margins or tuple((column,) for column in quasi_names)
    return truth_of_weights(
        name,
        weights,
        cell_texts(frame[name]).cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy(),
        number_groups([labels[column] for column in quasi_names])[0],
        base=how.base if how.way == "rounded" else None,
        most=how.classes if how.way == "classes" else None,
        margins=[number_groups([labels[column] for column in margin])[0] for margin in margins],
    )


def _numbers_by_leaf(hierarchy: Hierarchy) -> list[Fraction | None]:
    """The number of each leaf code; None where it is none."""
    numbers = numbers_of(hierarchy) or (None,) * hierarchy.size
    return [None if value is None else Fraction(value) for value in (*numbers, None)]


def _written_numbers(cells: pl.Series) -> list[Fraction | None]:
    """The number of each cell; None where it is none, or not in the one way in which a number is written."""
    values, codes = factorize(cell_texts(cells))
    parsed_numbers = [None if value is None else parse_number(value) for value in values]
    canonical_numbers = [
        None if parsed is None or spell_number(parsed) != value else Fraction(parsed)
        for value, parsed in zip(values, parsed_numbers, strict=True)
    ]
    return [canonical_numbers[code] for code in codes.tolist()]


# --- from its folder or beside originals

Fit = tuple[I4, I4, Covers]
"""Of one column: the form of each row, the value of each original, and which form covers which value."""


_CENTRES = (
    "numbers are means or medians, and only rows.parquet in the private folder says whose; without it nobody can "
    "judge whether they are true"
)


_WEIGHTS = (
    "published weights stand for those of several people, and only rows.parquet in the private folder says whose; "
    "without it nobody can judge whether they are true"
)


def without_column(table: Table, name: str) -> Table:
    """The table without one of its columns."""
    return replace(table, columns=tuple(column for column in table.columns if column.name != name))


def _centre_provenance(
    cells: pl.Series, table: Table, hierarchy: Hierarchy, centre: str, counts: I8 | None
) -> Verdict:
    """Judge what must hold of means whose classes nobody knows: they lie among the originals, and so does their whole.

    Where nobody was left out, the mean of all means is that of all originals, but for half a unit of rounding.
    """
    name, released_numbers = cells.name, _written_numbers(cells)
    number_of_leaf, column = _numbers_by_leaf(hierarchy), table.column(cells.name)
    original = [number_of_leaf[leaf] for leaf in hierarchy.encode(column).tolist()]
    original_numbers = [value for value in original if value is not None]
    if not original_numbers or any(
        value is None or not min(original_numbers) <= value <= max(original_numbers)
        for value in set(released_numbers)
    ):
        return Verdict(
            False, f"column '{name}': numbers lie outside the originals, so they are no {centre} of some"
        )
    weight = [1] * len(original) if table.counts is None else table.counts.tolist()
    times = [1] * len(released_numbers) if counts is None else counts.tolist()
    if centre == "mean" and sum(times) == sum(weight) and len(original_numbers) == len(original):
        original_sum = sum(value * count for value, count in zip(original_numbers, weight, strict=True))
        released_sum = sum(
            value * count for value, count in zip(released_numbers, times, strict=True) if value is not None
        )
        unit = Fraction(
            1, max((value.denominator for value in released_numbers if value is not None), default=1)
        )
        if abs(original_sum - released_sum) > unit * sum(times) / 2:
            return Verdict(
                False, f"column '{name}': the means of all classes are not those of these originals"
            )
    return Verdict(True, "")


def judge_fits(fits: Iterable[Fit], counts: I8 | None = None, weights: I8 | None = None) -> Verdict:
    """Judge that originals can have given rows which fit them in every one of some columns.

    `counts` and `weights` say how many records each row, and each original, stands for; None means one.
    """
    forms, values, covers = zip(*fits, strict=True)
    return provenance_of_rows(np.stack(forms, axis=1), np.stack(values, axis=1), covers, counts, weights)


def fits_of(
    frame: pl.DataFrame, table: Table, hierarchies: Hierarchies, *, blanks: bool = False
) -> list[Fit]:
    """How released cells fit the records of a table, column by column."""
    return [
        _fit_column(cell_texts(frame[column.name]), column, hierarchies, blanks) for column in table.columns
    ]


def _fit_column(cells: pl.Series, column: Column, hierarchies: Hierarchies, blanks: bool) -> Fit:
    """Labels of the same leaves are one form; a column that is published as it came is compared as text."""
    if column.role in RECODED:
        hierarchy = hierarchies[column.name]
        forms, codes = resolve(cells, hierarchy, blanks=blanks)
        covers = np.zeros((len(forms.labels), hierarchy.size + 1), dtype=bool)
        form_sets = forms.sets()
        covers[form_sets[row_of_entry(forms.start)], forms.leaves] = True
        return form_sets[codes].astype(np.int32), hierarchy.encode(column), covers
    released_values, codes = factorize(cells)
    code_of_value = {value: code for code, value in enumerate(column.values)}
    original_codes = np.array([code_of_value.get(value, -1) for value in released_values], dtype=np.int32)
    return original_codes[codes], column.codes, None


def unexpected_cells(frame: pl.DataFrame, known: JudgingContext, config: Config) -> str | None:
    """A sentence where a label stands for nothing in its column's hierarchy, or not at its column's fixed level."""
    for name, role in known.columns.items():
        if name in known.centres:
            fault_count = sum(cell is None for cell in _written_numbers(frame[name]))
            if fault_count:
                return (
                    f"column '{name}': {fault_count} cells are not numbers, so they cannot be a "
                    f"{known.centres[name]}"
                )
        elif role in RECODED and name in known.hierarchies:
            forms, _ = resolve(cell_texts(frame[name]), known.hierarchies[name], blanks=known.blanks)
            fault_count = int((np.diff(forms.start) == 0).sum())
            if fault_count:
                return f"column '{name}': {fault_count} labels stand for nothing in the hierarchy of the configuration"
        spec = config.columns.get(name) if role not in RECODED else None  # of these it is the least level
        if spec is not None and spec.level is not None and isinstance(spec.hierarchy, Path | BuiltFile):
            labels = {None, *hierarchy_in_file(spec.hierarchy).labels[spec.level]}
            if not set(cell_texts(frame[name]).unique()) <= labels:
                return f"column '{name}' is not published at level {spec.level}, as the configuration says"
    return None


class TableVerification(Verification):
    """How a released table is judged again."""

    def make_context(
        self, columns: Mapping[str, str], config: Config | None, originals: Any
    ) -> JudgingContext:
        """What labels stand for: by the originals' hierarchies, by those that are files, or by themselves."""
        if originals is not None:
            return JudgingContext(
                columns, originals.hierarchies, originals=originals, people=originals.public
            )
        if config is None:
            return JudgingContext(columns)
        in_files = hierarchies_in_files(config)
        if config.guarantee.keys().isdisjoint(POPULATION_KEYS):
            return JudgingContext(columns, in_files)
        population_source = read_population(config, config.columns, config.data.notation)
        if population_source is None:
            return JudgingContext(columns, in_files)
        people = code_table(population_source, dict.fromkeys(population_source.frame.columns, "quasi"))
        rules = {name: spec.recoded_by for name, spec in config.columns.items()}
        return JudgingContext(
            columns, {**in_files, **hierarchies_over(people, rules, population_source.missing)}, people=people
        )

    def view_for_judge(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim) -> Published:
        """Released cells as the judges of tables see them; whom rows belong to, where pseudonyms or known rows tell."""
        persons = None
        if "pseudonym" in known.columns.values():
            persons = linked_persons(frame, known.columns)
        elif known.rows is not None and known.originals is not None:
            originals = known.originals.table
            person_of_record = originals.households if counts_households(claim) else originals.persons
            persons = None if person_of_record is None else person_of_record[known.rows]
        people = known.people if needs_population(claim) else None
        population = None
        if people is not None:
            original_codes = (
                None if known.rows is None or known.originals is None else known.originals.codes(known.rows)
            )
            population = population_beside(frame, people, known.hierarchies, known.gone, original_codes)
        return published_table(frame, known.columns, persons, known.counts, population)

    def count_classes(self, frame: pl.DataFrame, known: JudgingContext) -> int:
        """How many different quasi-identifiers there are."""
        cells = tuple(published_table(frame, known.columns).quasi.values())
        return len(number_groups(cells)[1]) if cells else 0

    def find_unexpected(self, frame: pl.DataFrame, known: JudgingContext, config: Config) -> str | None:
        """A sentence where a label stands for nothing in its column's hierarchy, or not at its column's fixed level."""
        return unexpected_cells(frame, known, config)

    def judge_provenance(self, frame: pl.DataFrame, known: JudgingContext, left_out: int) -> Verdict:
        """Judge that the originals can have given these cells."""
        originals = known.originals
        table: Table = originals.table
        if originals.weight_release is not None:
            table = without_column(table, originals.weight)
        for name, centre in known.centres.items():
            verdict = _centre_provenance(
                frame[name], table, originals.hierarchies[name], centre, known.counts
            )
            if not verdict:
                return verdict
        other_columns = replace(table, columns=tuple(c for c in table.columns if c.name not in known.centres))
        fits = fits_of(frame, other_columns, originals.hierarchies, blanks=known.blanks)
        if originals.weight_release is not None and not known.centres:
            verdict = judge_fits(fits, known.counts, table.counts)
            return Verdict(False, _WEIGHTS, judged=False) if verdict else verdict
        if known.centres:
            verdict = judge_fits(fits, known.counts, table.counts) if fits else Verdict(True, "")
            return Verdict(False, _CENTRES, judged=False) if verdict else verdict
        return judge_fits(fits, known.counts, table.counts)

    def judge_rows(self, frame: pl.DataFrame, known: JudgingContext, claim: Claim, left_out: int) -> Verdict:
        """Check every cell against the original that the known rows name."""
        originals = known.originals
        assert known.rows is not None
        table, how = originals.table, originals.weight_release
        truth = judge_truth(
            frame,
            table if how is None else without_column(table, originals.weight),
            originals.hierarchies,
            originals.leaves,
            known.rows,
            blanks=claim.blanks,
            centres=known.centres,
        )
        if how is None or not truth:
            return truth
        return judge_weights(frame, originals.weight, how, table.weights[known.rows], known.columns)
