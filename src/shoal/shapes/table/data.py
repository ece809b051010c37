"""A table bound to its hierarchies: everything a method, a judge and the door need, read and checked once."""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Self, cast

import numpy as np
import polars as pl

from shoal.algorithms import METHODS, Method, default_method
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.naming import RECODED, suggest_name
from shoal.data import Column, Role, Table
from shoal.data.arrays import I4, I8
from shoal.data.spelling import unify_spellings
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import leaves_of, numbers_of
from shoal.hierarchy.suggest import suggest_rule, wants_groups
from shoal.io.codebooks import Codebook
from shoal.io.config import ColumnSpec, Config
from shoal.io.keys import Keyed, apply_key
from shoal.io.labelled import natural_sort_key, restore_numbers
from shoal.io.read.cells import (
    cell_texts,
    clean_cells,
    code_table,
    factorize,
    gather_cells,
    truncate_to_dates,
)
from shoal.io.read.records import add_sampling, read_public_people, settle_roles
from shoal.io.read.source import Source, Variable
from shoal.io.weight_release import WeightRelease
from shoal.privacy import (
    HOUSEHOLDS,
    POPULATION_KEYS,
    HiddenValues,
    counts_households,
    make_claim,
    needs_population,
)
from shoal.privacy.claim import ClassClaim
from shoal.privacy.core import Rule, core_claim, with_rules
from shoal.privacy.hidden_values import check_hidden_values
from shoal.release import Claim, PublishedValues, Recoded, Result, Verdict, centres_of
from shoal.risks.closures import find_closures
from shoal.risks.individual import Missing, refuse_light_classes
from shoal.shapes.guards import guard, guard_released, guard_weight
from shoal.shapes.hierarchies import (
    Coarse,
    Spec,
    apply_least_levels,
    coarsen_columns,
    hierarchies_over,
    hierarchy_over,
    is_built,
    relabel_table,
    warn_unlisted,
)
from shoal.shapes.in_memory import InMemory, counts_of
from shoal.shapes.maker import Maker
from shoal.shapes.recoding import recode_table
from shoal.shapes.released_values import Cells, source_words, uses_only_nodes
from shoal.shapes.table.verification import (
    insert_missing_codes,
    judge_truth,
    judge_weights,
    linked_persons,
    missing_codes_to_values,
    population_beside,
    published_table,
)
from shoal.utility import TableCase, class_of_rows, ncp_by_column

__all__ = [
    "TableData",
    "bind",
    "extend_hierarchy",
    "table_from_config",
]

_WITH_CODES = (*RECODED, "sensitive", "plain")  # roles of columns that are not made anew
_NUMBER = re.compile(r"[+-]?[0-9.]+(-[0-9]{2})*")  # or a date


@dataclass(frozen=True, repr=False)
class TableData(InMemory):
    """A table with roles and hierarchies, ready to be anonymized.

    `allow` names columns the user publishes knowingly, whatever they give away. `rules` say of each quasi-identifier
    how its hierarchy is given, `coarse` are the columns at a fixed level, `floors` the quasi-identifiers that have a
    least level. Hierarchies and labels that are made of the
    data are made of the `kept` records alone; None where nobody was left out. `public` are other people with the same
    quasi-identifiers. `blanks` says how figures of risk count blank cells. `weight` is a sampling weight that is
    published, as `weight_release` says, as it is where that is None. `counted` is what the persons of the table are:
    households where a claim counts these. `keyed` is what pseudonyms are made of; None where nothing needs a key.
    `hidden` are the values that columns hide.
    """

    shape: ClassVar[str] = "table"

    source: Source
    table: Table
    hierarchies: Hierarchies
    given: Mapping[str, Role]
    allow: frozenset[str] = field(default_factory=frozenset)
    rules: Mapping[str, Spec | None] = field(default_factory=dict)
    coarse: Mapping[str, Coarse] = field(default_factory=dict)
    floors: Mapping[str, Coarse] = field(default_factory=dict)
    kept: I8 | None = None
    public: Table | None = None
    blanks: Missing = "own"
    weight: str | None = None
    weight_release: WeightRelease | None = None
    counted: str = "persons"
    keyed: Keyed | None = None
    hidden: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def leaves(self) -> I4:
        """int32[n, d]: each record's leaf code in each quasi-identifier."""
        codes = [self.hierarchies[column.name].encode(column) for column in self.table.quasi]
        return np.stack(codes, axis=1) if codes else np.empty((self.table.n, 0), dtype=np.int32)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, which columns have which role, how high hierarchies are."""
        heights = ", ".join(f"{name} {hierarchy.height}" for name, hierarchy in self.hierarchies.items())
        return {"shape": self.shape, **self.table.facts(), "heights of hierarchies": heights}

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.table.records

    @property
    def cells(self) -> int:
        """How many cells or items a method looks at."""
        return self.table.n * len(self.table.quasi)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of tables take."""
        return {"table": self.table.in_one_spelling(), "hierarchies": self.hierarchies}

    def by_public(self) -> Self:
        """The same records, with hierarchies that are made of public people where rules make them.

        What only the data hold stands beside such a hierarchy, and no label but the root covers it.
        """
        if self.public is None:
            return self
        public_hierarchies = hierarchies_over(self.public, self.rules, self.source.missing)
        extended = {
            name: extend_hierarchy(public_hierarchy, self.table.column(name))
            for name, public_hierarchy in public_hierarchies.items()
        }
        return replace(
            self, hierarchies={**self.hierarchies, **extended}, rules={**self.rules, **public_hierarchies}
        )

    def default(self, asked: Mapping[str, Any]) -> str:
        """The method for a table of this size."""
        return self.choose_method(asked, self.table.records)

    def choose_method(self, asked: Mapping[str, Any], records: int) -> str:
        """The usual method for a table of so many records, of which these may be some."""
        return default_method(
            self.shape,
            {**asked, "linked": self.linked or None},
            columns=len(self.table.quasi),
            records=records,
            vectors=prod(self.hierarchies[column.name].height + 1 for column in self.table.quasi),
            ranged=asked.get("recode") == "range" and self._has_free_numbers,
        )

    @property
    def _has_free_numbers(self) -> bool:
        """Whether there are numbers whose groups nobody declared."""
        return any(
            not (hierarchy := self.hierarchies[column.name]).public and numbers_of(hierarchy) is not None
            for column in self.table.quasi
        )

    def without_public(self) -> Self:
        """The same records, beside no public people."""
        return replace(self, public=None)

    @property
    def table_part(self) -> "TableData":
        """All of it."""
        return self

    @property
    def targets(self) -> list[str]:
        """The columns that a loss may predict: those that are published."""
        return [name for name, role in self.given.items() if role in (*RECODED, "sensitive", "plain")]

    def by_core(self) -> Self:
        """The same records without known columns: what everybody knows of them."""
        names = {column.name for column in self.table.role("known")}
        if not names:
            return self
        columns = tuple(column for column in self.table.columns if column.name not in names)
        return replace(
            self,
            table=replace(self.table, columns=columns),
            hierarchies={name: tree for name, tree in self.hierarchies.items() if name not in names},
            given={name: role for name, role in self.given.items() if name not in names},
            rules={name: rule for name, rule in self.rules.items() if name not in names},
        )

    def claim(self, guarantee: Mapping[str, Any]) -> Claim:
        """The claim these numbers make for a table; hidden values may stand among them, or with columns.

        Of known columns it says what follows from them.
        """
        asked = check_hidden_values(guarantee.get("hidden", self.hidden))
        hidden = self._list_hidden_labels(asked) if any(asked.values()) else None
        claim = make_claim(self.shape, **{**guarantee, "hidden": hidden}, linked=self.linked or None)
        return self.close_claim(claim)

    def close_claim(self, claim: Claim) -> Claim:
        """A claim that says what follows from known columns in these records; any other one as it is."""
        return claim if core_claim(claim) is None else with_rules(claim, self.closures)

    def _list_hidden_labels(self, asked: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Every sensitive column with what is published of its hidden values; empty where it hides none.

        Raises
        ------
        InputError
            A column is not sensitive, or has none of its hidden values, or no others.
        """
        sensitive = self._sensitive_columns()
        names = [column.name for column in sensitive]
        for name in asked:
            if name not in names:
                raise InputError(
                    f"hidden: '{name}' is not a sensitive column; {suggest_name(name, names, 'it can be one of')}"
                )
        return {
            column.name: self._hidden_labels_of(column, asked.get(column.name, ())) for column in sensitive
        }

    def _sensitive_columns(self) -> tuple[Column, ...]:
        """The sensitive columns, with every value that any record has."""
        return self.table.role("sensitive")

    def _hidden_labels_of(self, column: Column, values: tuple[str, ...]) -> tuple[str, ...]:
        if values and column.name in self.coarse:
            values = self.coarse[column.name].labels_covering(values)
        if not values:
            return ()
        spellings = unify_spellings([*column.values, *values])
        hidden = {*spellings[len(column.values) :]} - {""}
        present = {spellings[code] for code in np.unique(column.codes).tolist()} - {""}
        if not present & hidden:
            raise InputError(
                f"column '{column.name}': no record has any of its hidden values; correct hidden, or leave it out"
            )
        if present <= hidden:
            raise InputError(
                f"column '{column.name}': every value that occurs is hidden, and then nothing can be; leave out of "
                "hidden what nobody minds"
            )
        own_spellings = [
            value
            for value, text in zip(column.values, spellings, strict=False)
            if value is not None and text in hidden
        ]
        return tuple(dict.fromkeys([*values, *own_spellings]))

    def restrict_claim(self, frame: pl.DataFrame, claim: Claim) -> Claim:
        """The claim as a release states it: of hidden values only those that occur in it."""
        if not any(isinstance(part, HiddenValues) for part in claim.parts):
            return claim
        return claim.restrict_to(published_table(frame, self.roles(frame)))

    @cached_property
    def closures(self) -> tuple[Rule, ...]:
        """What follows from known columns."""
        return find_closures(self.table, self.leaves, self.hierarchies)

    @property
    def linked(self) -> bool:
        """Whether a pseudonym tells which rows are one person's."""
        return "pseudonym" in self.given.values()

    @property
    def domain(self) -> str | None:
        """What pseudonyms are bound to; None where there are none."""
        return None if self.keyed is None else self.keyed.domain

    def counting(self, claim: Claim) -> "TableData":
        """The same records as a claim counts them: where it counts households, each of them is a person.

        Where it counts people of a population, their values make the hierarchies that rules make. Pseudonyms whose
        domain was not given are drawn anew, so that no two releases have the same.

        Raises
        ------
        InputError
            It counts households, and no column says who lives together; or a population, and none is given.
        """
        if core_claim(claim) is not None:
            self._refuse_repeated_persons()
        if self.linked:
            return self._renew_pseudonyms()
        if needs_population(claim):
            return self._bind_population().counting_households(claim)
        return self.counting_households(claim)

    def _renew_pseudonyms(self) -> "TableData":
        assert self.keyed is not None
        renewed = self.keyed.anew()
        if renewed is self.keyed:
            return self
        column_by_name = {column.name: column for column in renewed.columns()}
        columns = tuple(
            column
            if column.name not in column_by_name
            else _replace_cells(column, column_by_name[column.name])
            for column in self.table.columns
        )
        source = replace(self.source, frame=self.source.frame.with_columns(column_by_name.values()))
        return replace(self, source=source, table=replace(self.table, columns=columns), keyed=renewed)

    def _refuse_repeated_persons(self) -> None:
        """Refuse several rows of one person: whoever knows a column of one row may know another of the next."""
        persons = self.table.persons
        repeats = 0 if persons is None else len(persons) - len(np.unique(persons))
        if repeats:
            raise InputError(
                f"guarantee: known_at_once is about people with one row each, and {repeats} rows repeat a person; "
                "give everybody one row"
            )

    def _bind_population(self) -> "TableData":
        if self.public is None or not self.in_memory:
            reason = "none is given" if self.in_memory else "these records are too many for it"
            raise InputError(
                f"guarantee: {' or '.join(POPULATION_KEYS)} is about the people of a population, and {reason}; "
                "give their "
                "file as [population] path, or ask for k"
            )
        data = self.by_public()
        for column in self.public.columns:
            codes = data.hierarchies[column.name].look_up(column.values)[column.codes]
            if (codes < 0).any():
                raise InputError(
                    f"column '{column.name}': {int((codes < 0).sum())} people of the population have values that its "
                    "hierarchy does not hold; add them to it"
                )
        return data

    def counting_households(self, claim: Claim) -> "TableData":
        """The same records, each household a person where a claim counts these."""
        if not counts_households(claim) or self.counted == HOUSEHOLDS:
            return self
        if self.table.households is None or not self.in_memory:
            reason = (
                "no column says who lives together" if self.in_memory else "these records are too many for it"
            )
            raise InputError(
                f"guarantee: k counts households, and {reason}; give one column the role household, or leave of out"
            )
        return replace(self, table=replace(self.table, persons=self.table.households), counted=HOUSEHOLDS)

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[Recoded]:
        """Publish every column at its stored level; small classes are left out within the allowance."""
        return Result(
            recode_table(recoding, self.table, self.hierarchies, self.leaves, claim, suppress), claim
        )

    def guard(self, claim: Claim | None) -> None:
        """Refuse empty claims and plain columns that give people away."""
        guard(self.table, self.leaves, self._unguarded, claim)
        if claim is not None and self.weight_release is not None:
            self._refuse_weight_beside(claim)

    @property
    def _unguarded(self) -> frozenset[str]:
        """The columns that no guard looks at: those that are allowed, and a weight that is judged instead."""
        return self.allow if self.weight is None else self.allow | {self.weight}

    def _refuse_weight_beside(self, claim: Claim) -> None:
        """Refuse to make a weight fit to be published beside a claim that is not about classes of equal records."""
        for part in claim.parts:
            if (
                not isinstance(part, ClassClaim)
                or needs_population(part)
                or "known" in part.roles
                or self.linked
            ):
                raise InputError(
                    f"column '{self.weight}': release makes a weight fit for classes of records that look the same, "
                    f"and {part.named} is about something else; leave release out, or ask for k"
                )

    def guard_released(self, result: Result[Recoded]) -> None:
        """Refuse columns that are bound to quasi-identifiers by a rule and tell look-alikes apart."""
        guard_released(self.table, self.leaves, result.release, self._unguarded, result.claim)
        if self.weight is not None and self.weight_release is None:
            guard_weight(self.table, result.release, self.weight, result.claim)

    def without_traces(
        self, result: Result[Recoded], maker: Maker | None = None
    ) -> tuple["TableData", Result[Recoded]]:
        """The same data and a release that tells nothing of suppressed records.

        A weight that is published is made of the weights of those who stay.
        """
        data, result = self._without_suppressed(result, maker)
        return data._with_published_weights(result), result

    def _with_published_weights(self, result: Result[Recoded]) -> "TableData":
        """The same records with the weight column as it is published; those that are left out have none there."""
        if self.weight is None or self.weight_release is None:
            return self
        from shoal.algorithms.weights import publish_weights  # kernels are heavy

        release, cells = result.release, np.full(self.table.n, np.nan)
        cells[release.rows] = publish_weights(
            self.weight_release, self.weight, self.table, release, result.claim
        )
        numbers = pl.Series(self.weight, cells).fill_nan(None)
        is_whole = bool((cells[release.rows] % 1 == 0).all())
        return self._written({self.weight: numbers.cast(pl.Int64) if is_whole else numbers})

    def _without_suppressed(
        self, result: Result[Recoded], maker: Maker | None = None
    ) -> tuple["TableData", Result[Recoded]]:
        """The same data and a release made as if suppressed records had never come in.

        Whoever is left out may have steered the method, and hierarchies that are built are made of every value. So the
        release is made again, of the kept records as if there had been no others, until nobody more is left out;
        without a `maker` it stays as it is, in labels of the kept records.
        """
        rows = result.release.rows
        if len(rows) in (0, self.table.n) or self.kept is not None:
            return self, result
        if maker is None:
            uses_sensitive = "sensitive" in result.claim.roles  # classes were made by these labels
            secret = uses_sensitive and any(self.given[name] == "sensitive" for name in self._built)
            relabelled, release = relabel_table(self.table, self.hierarchies, self.leaves, result.release)
            data = self._relabel_for_rows(rows, anew=not secret)
            return replace(data, hierarchies=relabelled, kept=rows), replace(result, release=release)
        while True:
            data = self.made_of(rows)
            remade = maker.make(data.only(rows))
            if len(remade.release.rows) == len(rows):
                return data, replace(
                    remade, release=data.restored(remade.release, rows, blanks=remade.claim.blanks)
                )
            rows = rows[remade.release.rows]

    @property
    def left_values(self) -> dict[str, list[str]]:
        """Of each column whose labels are made of its values, those that only people who were left out hold."""
        if self.kept is None:
            return {}
        kept_leaves = {
            column.name: set(self.leaves[self.kept, j]) for j, column in enumerate(self.table.quasi)
        }
        values_by_name = {
            name: [
                tree.leaves[code] for code in range(tree.domain, tree.size) if code not in kept_leaves[name]
            ]
            for name, tree in self.hierarchies.items()
        }
        for name in self._built:
            cells = self.coarse[name].cells
            values_by_name[name] = sorted(set(cells.drop_nulls()) - set(cells.gather(pl.Series(self.kept))))
        return {name: values for name, values in values_by_name.items() if values}

    def without_values(self, left: Mapping[str, object]) -> "TableData | None":
        """The same records as a release named them that left out whoever holds some values; None for other texts."""
        is_left_out = np.zeros(self.table.n, dtype=bool)
        for name, values in left.items():
            known_cells = self.coarse[name].cells if name in self.coarse else None
            if not isinstance(values, list) or (name not in self.rules and known_cells is None):
                return None
            if known_cells is not None:
                is_left_out |= (
                    known_cells.is_in([text for text in values if isinstance(text, str)])
                    .fill_null(False)
                    .to_numpy()
                )
            else:
                column = self.table.column(name)
                is_left_out |= np.array([value in values for value in column.values], dtype=bool)[
                    column.codes
                ]
        return self.made_of(np.flatnonzero(~is_left_out)) if not is_left_out.all() else None

    def made_of(self, rows: I8) -> "TableData":
        """The same records, with labels made of some of them alone; what only others hold stands beside hierarchies."""
        if len(rows) == self.table.n:
            return self
        floors = self._floors_of(rows)
        data = self._relabel_for_rows(rows, anew=True)._written(
            {name: cells for name, (cells, _) in floors.items()}
        )
        hierarchies = {}
        for j, column in enumerate(data.table.quasi):
            rule, hierarchy = self.rules.get(column.name), self.hierarchies[column.name]
            if column.name in floors:
                hierarchies[column.name] = extend_hierarchy(floors[column.name][1], column)
            elif is_built(rule):
                kept_hierarchy = hierarchy_over(column.only(rows), rule, self.source.missing)
                hierarchies[column.name] = extend_hierarchy(kept_hierarchy, column)
            else:
                times = np.bincount(self.leaves[rows, j], minlength=hierarchy.size + 1)
                hierarchies[column.name] = hierarchy.relabel(times[: hierarchy.size] > 0)
        return replace(data, hierarchies=hierarchies, kept=rows)

    def only(self, rows: I8) -> "TableData":
        """Some of the records, as if there had been no others."""
        floors = self._floors_of(rows)
        data = self._written({name: cells for name, (cells, _) in floors.items()})
        table, new_hierarchies = (
            data.table.only(rows),
            {name: floor_hierarchy for name, (_, floor_hierarchy) in floors.items()},
        )
        for column in table.quasi:
            rule = self.rules.get(column.name)
            if is_built(rule):
                new_hierarchies[column.name] = hierarchy_over(column, rule, self.source.missing)
            elif (
                column.name not in floors  # whose rule is what is above the labels of all records
                and self.hierarchies[column.name].strangers
                and isinstance(rule, Hierarchy)
            ):
                new_hierarchies[column.name] = extend_hierarchy(rule, column)  # of other people
        return replace(
            data,
            source=data.source.some(rows),
            table=table,
            hierarchies={**self.hierarchies, **new_hierarchies},
            coarse={name: column.only(rows) for name, column in self.coarse.items()},
            floors={name: column.only(rows) for name, column in self.floors.items()},
            kept=None,
            keyed=None if self.keyed is None else self.keyed.some(rows),
        )

    def _floors_of(self, rows: I8) -> dict[str, tuple[pl.Series, Hierarchy]]:
        """Of each quasi-identifier whose least level rules make: the labels of some rows, and what is above them."""
        return {name: column.floor(rows) for name, column in self.floors.items() if column.built}

    def restored(self, release: Recoded, rows: I8, *, blanks: bool = False) -> Recoded:
        """A release of only these `rows` as a release of all records, of whom the others were left out."""
        kept_rows, records = rows[release.rows], self.table.records
        if "levels" in release.rule:
            levels = [release.rule["levels"][name] for name in release.names]
            return Recoded.of_levels(
                release.names, self.hierarchies, self.leaves, levels, kept_rows, self.table.counts
            )
        restored_forms, codes = [], release.codes.copy()
        for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True)):
            if form.centre:  # no label tells what it stands for
                form_codes, leaf_codes = codes[:, j].astype(np.int64), self.leaves[kept_rows, j]
                centres, code_of_form = PublishedValues.of_centres(
                    form.centre, form.labels, form_codes, leaf_codes
                )
                restored_forms.append(centres)
                codes[:, j] = code_of_form[form_codes]
                continue
            sets = [leaves_of(label, self.hierarchies[name], blanks=blanks) for label in form.labels]
            restored_forms.append(PublishedValues.of_sets(form.labels, sets))
        return replace(release, forms=tuple(restored_forms), codes=codes, rows=kept_rows, records=records)

    @property
    def _built(self) -> list[str]:
        """The columns at a fixed level of a hierarchy that is made of their values."""
        return [name for name, coarse in self.coarse.items() if coarse.built]

    def _relabel_for_rows(self, rows: I8, *, anew: bool) -> "TableData":
        """The same records, with columns at a fixed level, and those that hold times, written as some of them need."""
        cells = {name: truncate_to_dates(self.source.frame[name], rows) for name in self.source.frame.columns}
        labels = {name: dates for name, dates in cells.items() if dates is not None}
        labels |= {name: self.coarse[name].labels(rows, anew=anew) for name in self._built}
        return self._written(labels)

    def _written(self, labels: Mapping[str, pl.Series]) -> "TableData":
        """The same records with other cells in some columns."""
        if not labels:
            return self
        columns = tuple(
            replace(column, values=values_and_codes[0], codes=values_and_codes[1])
            if column.name in labels
            and (
                values_and_codes := factorize(
                    clean_cells(cell_texts(labels[column.name]), self.source.missing)
                )
            )
            else column
            for column in self.table.columns
        )
        frame = self.source.frame.with_columns(labels.values())
        return replace(
            self, source=replace(self.source, frame=frame), table=replace(self.table, columns=columns)
        )

    def shuffle_rows(self, result: Result[Recoded], order: I8) -> Result[Recoded]:
        """The same release, its rows in another order."""
        release = result.release
        return replace(result, release=release.taken(order))

    def assemble(self, release: Recoded) -> pl.DataFrame:
        """The released cells: input column order, identifiers left out, other columns as they came."""
        columns = []
        for name in self.source.frame.columns:
            role = self.given.get(name, "identifier")
            if role in RECODED:
                j = release.names.index(name)
                labels = pl.Series(name, release.forms[j].labels, dtype=pl.String)
                columns.append(labels.gather(pl.Series(release.codes[:, j])))
            elif role != "identifier":
                cells = gather_cells(self.source, name, release.rows)
                book = self.source.variables.get(name, Variable()).codebook
                columns.append(cells if book is None or book.text else restore_numbers(cells))
        return pl.DataFrame(columns)

    def described(self, frame: pl.DataFrame, release: Recoded) -> tuple[pl.DataFrame, dict[str, Variable]]:
        """Released cells whose labels are in order, what stands for all last, and what is said of columns."""
        ordered_columns, variables = [], {}
        books = self.codebooks(frame.columns)
        for name in frame.columns:
            variable = self.source.variables.get(name, Variable())
            variables[name] = Variable(variable.label, variable.level, codebook=books.get(name))
            if name not in release.names:
                continue
            hierarchy, forms = self.hierarchies[name], release.forms[release.names.index(name)]
            wide, leaf_positions = forms.counts(hierarchy.domain), self._leaf_positions(name)[forms.leaves]
            first_positions = np.minimum.reduceat(
                leaf_positions, np.minimum(forms.start[:-1], len(leaf_positions) - 1)
            )
            order = np.lexsort((wide, first_positions, wide >= hierarchy.domain))
            labels = dict.fromkeys(forms.labels[form] for form in order if forms.labels[form] is not None)
            ordered_columns.append(frame[name].cast(pl.Enum(list(labels))))
            if variable.level in ("", "scale"):
                numbers = all(map(_NUMBER.fullmatch, hierarchy.leaves[: hierarchy.domain]))
                variables[name] = replace(variables[name], level="ordinal" if numbers else "nominal")
        return frame.with_columns(ordered_columns), variables

    def codebooks(self, columns: Iterable[str]) -> dict[str, Codebook]:
        """The public codebooks of released columns whose values are those that came in, or groups of them."""
        variable_by_name = {name: self.source.variables.get(name, Variable()) for name in columns}
        return {
            name: replace(variable.codebook, blank=self._blank(name))
            for name, variable in variable_by_name.items()
            if variable.codebook is not None and variable.public and self.given[name] in _WITH_CODES
        }

    def _blank(self, name: str) -> str:
        """What is published of a missing cell: the root of a quasi-identifier whose hierarchy has no leaf for it."""
        if self.given[name] not in RECODED or self.hierarchies[name].missing is not None:
            return ""
        return self.hierarchies[name].root

    def missing_codes(self, frame: pl.DataFrame, result: Result[Recoded]) -> dict[str, pl.Series]:
        """By column the code that means no value behind each cell of `frame` in which nothing is told.

        They are published, so the guards take them for values. A quasi-identifier has those that all people of a class
        share. Those of quasi-identifiers and of sensitive columns stay behind where the claim would not hold if they
        were values.

        Raises
        ------
        InputError
            A guard refuses them.
        """
        rows = pl.Series(result.release.rows)
        gaps: dict[str, pl.Series] = {}
        for name, book in self.codebooks(frame.columns).items():
            codes = self.source.variables[name].missing_codes
            if codes is not None:
                kept_codes = codes.gather(rows).set(
                    (cell_texts(frame[name]) != book.blank).fill_null(value=False), None
                )
                gaps[name] = (
                    _shared_codes(kept_codes, frame.select(result.release.names))
                    if self.given[name] in RECODED
                    else kept_codes
                )
        gaps = {name: codes for name, codes in gaps.items() if codes.null_count() < len(codes)}
        public_gaps = {name: codes for name, codes in gaps.items() if self.given[name] not in RECODED}
        self._guard_missing_codes(public_gaps, result)
        for role in ("sensitive", *RECODED):
            gaps = self._without_telling_codes(gaps, role, frame, result)
        return gaps

    def _without_telling_codes(
        self, gaps: Mapping[str, pl.Series], role: str, frame: pl.DataFrame, result: Result[Recoded]
    ) -> dict[str, pl.Series]:
        """Missing codes without those of the columns of a role, if the claim would not hold were they values.

        A population knows no missing codes, so a claim about one could not be judged.
        """
        judged_gaps = {name: codes for name, codes in gaps.items() if self.given[name] in ("sensitive", role)}
        if not any(self.given[name] == role for name in judged_gaps):
            return dict(gaps)
        unknown = role in RECODED and needs_population(result.claim)
        if not unknown and self.judge(insert_missing_codes(frame, judged_gaps), result):
            return dict(gaps)
        return {name: codes for name, codes in gaps.items() if self.given[name] != role}

    def _guard_missing_codes(self, gaps: Mapping[str, pl.Series], result: Result[Recoded]) -> None:
        """Refuse columns whose missing codes tell what a guard refuses to be told."""
        finer = {}
        for name in gaps:
            column, codes = self.table.column(name), self.source.variables[name].missing_codes
            assert codes is not None
            cells = pl.Series(name, column.values, dtype=pl.String).gather(pl.Series(column.codes))
            if codes.filter(cells.is_null()).n_unique() > 1:
                finer[name] = _replace_cells(column, missing_codes_to_values(cells, codes))
        if not finer:
            return
        table = replace(
            self.table, columns=tuple(finer.get(column.name, column) for column in self.table.columns)
        )
        try:
            guard(table, self.leaves, self._unguarded, result.claim)
            guard_released(table, self.leaves, result.release, self._unguarded, result.claim)
        except InputError as error:
            raise InputError(
                f"{error}; its missing codes count as values in such a file, and csv, parquet and ndjson have none"
            ) from None

    def _leaf_positions(self, name: str) -> I8:
        """The place of each leaf in the order that people know: of the file's codes, of a hierarchy, or of the words.

        A hierarchy of words that was built has the frequent ones first, which is for nobody to see.
        """
        hierarchy, kind = self.hierarchies[name], self.source.frame.schema[name]
        leaves = list(hierarchy.leaves)
        if isinstance(kind, pl.Enum):
            position_of = {label: position for position, label in enumerate(kind.categories)}
        elif hierarchy.public or hierarchy.ordered:
            position_of = {}
        else:
            position_of = {
                label: position for position, label in enumerate(sorted(leaves, key=natural_sort_key))
            }
        positions = [
            position_of.get(leaf, len(position_of) + position) for position, leaf in enumerate(leaves)
        ]
        return np.array([*positions, len(position_of) + len(leaves)], dtype=np.int64)

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The released columns' roles."""
        return {name: self.given[name] for name in frame.columns}

    def judge(self, frame: pl.DataFrame, result: Result[Recoded]) -> Verdict:
        """Judge the claim on released cells; whose each row is stays here."""
        persons = self.table.persons
        person_of_row = None if persons is None else persons[result.release.rows]
        if self.linked:
            person_of_row = linked_persons(frame, self.roles(frame))
        counts = result.release.counts
        population = None
        if self.public is not None and needs_population(result.claim):
            rows, suppressed_count = result.release.rows, result.release.suppressed
            population = population_beside(
                frame, self.public, self.hierarchies, suppressed_count, self.codes(rows)
            )
        roles = self.roles(frame)
        verdict = result.claim.check(published_table(frame, roles, person_of_row, counts, population))
        if not verdict or self.weight_release is None:
            return verdict
        by_weight = result.claim.check(
            published_table(frame, {**roles, str(self.weight): "quasi"}, person_of_row, counts, population)
        )
        return verdict if by_weight else by_weight

    def codes(self, rows: I8) -> dict[str, I4]:
        """By quasi-identifier the leaf codes of some records."""
        return {column.name: self.leaves[rows, j] for j, column in enumerate(self.table.quasi)}

    def truth(self, frame: pl.DataFrame, result: Result[Recoded]) -> Verdict:
        """Check every cell against the record it stems from."""
        rows, blanks = result.release.rows, result.claim.blanks
        centres = centres_of(result.release)
        truth = judge_truth(
            frame, self.table, self.hierarchies, self.leaves, rows, blanks=blanks, centres=centres
        )
        if not truth or self.weight is None or self.weight_release is None:
            return truth
        assert self.table.weights is not None
        by_weight = judge_weights(
            frame, self.weight, self.weight_release, self.table.weights[rows], self.roles(frame)
        )
        return truth if by_weight else by_weight

    @property
    def counts_persons(self) -> bool:
        """Whether several rows may be one person's, and only the originals tell which."""
        return self.table.persons is not None and not self.linked

    def counts(self, release: Recoded) -> dict[str, int]:
        """Records in and out, and classes."""
        return counts_of(release.records, release.kept, len(np.unique(class_of_rows(release))))

    def losses_by_column(
        self, result: Result[Recoded], losses: Mapping[str, float]
    ) -> dict[str, float | None]:
        """What every column that came in lost; None where it is left out."""
        loss_by_name = ncp_by_column(result.release, self.hierarchies)
        loss_by_name |= {name: coarse.lost for name, coarse in self.coarse.items()}
        role_by_name = {name: self.given.get(name, "identifier") for name in self.source.frame.columns}
        column_losses = {
            name: None if role == "identifier" else loss_by_name.get(name, 0.0)
            for name, role in role_by_name.items()
        }
        return column_losses | dict.fromkeys(self.source.dropped)

    def case(self, result: Result[Recoded], method: Mapping[str, Any]) -> TableCase:
        """The release beside all that its owner knows."""
        return TableCase(
            result.release,
            self.hierarchies,
            weights={column.name: column.weight for column in self.table.quasi},
            k=result.claim.crowd if result.claim.crowd > 1 else None,
            target=self._target(method),
            leaves=self.leaves,
            counts=self.table.counts,
        )

    def _target(self, method: Mapping[str, Any]) -> I4 | None:
        """The column whose prediction is priced, if the method was given one that is released as it is."""
        name = method["parameters"].get("target")
        published_columns = [column for column in self.table.columns if column.role in ("sensitive", "plain")]
        return next((column.codes for column in published_columns if column.name == name), None)

    def original_cells(self, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
        """The same columns of some originals."""
        return {name: source_words(self.source, name, rows) for name in columns}

    def loss_by_part(self, result: Result[Recoded]) -> tuple[str, dict[str, float]]:
        """The loss of each column that came in; one that is left out has lost everything."""
        return "column", {
            name: 1.0 if loss is None else loss for name, loss in self.losses_by_column(result, {}).items()
        }

    def find_floor(
        self,
        methods: Sequence[Method],
        claim: Claim,
        asked: Mapping[str, Any],
        made: Recoded | None = None,
    ) -> float | None:
        """What no local recoding loses less than; None where none is one, or where it writes more than nodes."""
        known = core_claim(claim)
        recode = asked.get("recode", "hierarchy" if known is None else "range")
        nodes = (
            recode == "hierarchy"
            or (
                recode == "range"
                and not asked.get("grid")
                and all(self.hierarchies[column.name].public for column in self.table.quasi)
            )
            if made is None
            else uses_only_nodes(made, self.hierarchies)
        )
        if not nodes or not any(method.has_floor for method in methods):
            return None
        if known is not None:
            from shoal.algorithms.local.core_floor import core_floor

            return core_floor(self.inputs["table"], self.hierarchies, known)
        from shoal.algorithms.local.boxes import loss_floor  # kernels are heavy

        return loss_floor(self.inputs["table"], self.hierarchies, claim.crowd)


def _replace_cells(column: Column, cells: pl.Series) -> Column:
    """A column with other cells."""
    values, codes = factorize(cells)
    return replace(column, values=values, codes=codes)


def extend_hierarchy(own: Hierarchy, column: Column) -> Hierarchy:
    """A hierarchy that was made of other people, with what only this column holds beside it."""
    known_values = set(own.leaves)
    return own.beside([value for value in column.values if value is not None and value not in known_values])


# --- as a configuration or a caller describes it

_GROUPS = "a hierarchy file, or groups of values"


def bind(
    source: Source,
    columns: Mapping[str, ColumnSpec],
    *,
    person: str | None = None,
    hierarchies: Hierarchies | None = None,
) -> TableData:
    """Code the cells, read or build a hierarchy for every quasi-identifier, and check that each covers its column.

    Hierarchies that are given take the place of those that the columns ask for.
    """
    source, coarse = coarsen_columns(source, columns)
    roles = {name: spec.role for name, spec in columns.items()}
    coded_table = code_table(
        source,
        roles,
        weights={name: spec.weight for name, spec in columns.items()},
        importance={name: spec.importance for name, spec in columns.items()},
        person=person,
    )
    specs: dict[str, Spec] = {
        name: spec.recoded_by for name, spec in columns.items() if spec.recoded_by is not None
    }
    specs |= {
        name: given_hierarchy for name, given_hierarchy in (hierarchies or {}).items() if name in columns
    }
    for name in specs:
        if roles[name] not in RECODED:
            raise InputError(
                f"column '{name}': only quasi-identifiers and known columns have a hierarchy; give it the role quasi, "
                "a fixed level, or leave the hierarchy out"
            )
    _warn_missing_rules(source, [column for column in coded_table.quasi if column.name not in specs])
    hierarchy_specs = {column.name: specs.get(column.name) for column in coded_table.quasi}
    for column in coded_table.quasi:
        warn_unlisted(column.name, hierarchy_specs[column.name], column.values)
    built_hierarchies = {
        column.name: hierarchy_over(column, hierarchy_specs[column.name], source.missing)
        for column in coded_table.quasi
    }
    allow = frozenset(name for name, spec in columns.items() if spec.allow)
    dataset = TableData(
        source,
        coded_table,
        built_hierarchies,
        roles,
        allow,
        hierarchy_specs,
        coarse,
        hidden={name: spec.hidden for name, spec in columns.items() if spec.hidden},
    )
    _ = dataset.leaves  # an uncovered value is told now, before any search starts
    return dataset


def table_from_config(config: Config, source: Source) -> TableData:
    """Bind the table and hierarchies a configuration describes."""
    notation, settled, raw_source = config.data.notation, config, source
    config, source = settle_roles(config, source)
    columns = config.columns
    source, keyed_columns = apply_key(config, source, notation.dates)
    public = read_public_people(config, source, columns, notation)
    source, columns, floors = apply_least_levels(source, columns)
    if public is not None and columns != config.columns:
        raise InputError(
            "population: a quasi-identifier has a least level, which public people have not; take one out"
        )
    dataset = bind(source, columns, person=config.data.person)
    sampled_table = add_sampling(settled, raw_source, dataset.table)
    published_weights = [
        name
        for name, spec in settled.columns.items()
        if spec.role == "weight" and spec.released_as == "plain"
    ]
    dataset = replace(
        dataset,
        table=sampled_table,
        blanks=cast(Missing, config.blanks),
        weight=published_weights[0] if published_weights else None,
        weight_release=settled.columns[published_weights[0]].weight_release if published_weights else None,
        floors=floors,
        keyed=keyed_columns,
    )
    refuse_light_classes(source.name, dataset.table)
    if public is None:
        return dataset
    dataset = replace(dataset, public=code_table(public, dict.fromkeys(public.frame.columns, "quasi")))
    public_only = config.method in METHODS and METHODS[config.method].public
    return dataset.by_public() if public_only or config.guarantee.keys() & set(POPULATION_KEYS) else dataset


def _warn_missing_rules(source: Source, columns: Sequence[Column]) -> None:
    """Name the rules that fit columns of many values which have none: all that is not kept of them becomes `*`."""
    bare = {
        column.name: rule
        for column in columns
        if not wants_groups(column.values) and (rule := suggest_rule(column.values)) is not None
    }
    if bare:
        suggestions = "; ".join(f"'{name}': {rule or _GROUPS}" for name, rule in bare.items())
        warnings.warn(
            f"{source.name}: without a rule, values of these quasi-identifiers are published as they are or as *; what "
            f"fits them: {suggestions}",
            ShoalWarning,
            stacklevel=2,
        )


# --- before and after, and what each column loses


def _shared_codes(codes: pl.Series, labels: pl.DataFrame) -> pl.Series:
    """Missing codes that all rows of a class have in common; `labels` tell the classes."""
    labelled = labels.with_columns(codes.alias("(code)"))
    is_shared = (pl.col("(code)").null_count() == 0) & (pl.col("(code)").n_unique() == 1)
    return codes.set(~labelled.select(is_shared.over(labels.columns)).to_series(), None)
