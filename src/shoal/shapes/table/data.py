"""A table bound to its hierarchies: everything a method, a judge and the door need, read and checked once."""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar, cast

import numpy as np
import polars as pl

from shoal.algorithms import METHODS, Method, default_method
from shoal.base.errors import InputError, ShoalWarning
from shoal.data import Column, Role, Table
from shoal.data.arrays import I4, I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.hierarchy.labels import leaves_of
from shoal.hierarchy.suggest import fitting_rule, wants_groups
from shoal.io.codebooks import Codebook
from shoal.io.config import ColumnSpec, Config
from shoal.io.keys import Keyed, keyed_records
from shoal.io.labelled import natural_order, numbers_again
from shoal.io.read.cells import cells_of_rows, clean_cells, factorize, only_dates, table, text
from shoal.io.read.records import public_people, records_of, sampled_people, settle_roles
from shoal.io.read.source import Source, Variable
from shoal.privacy import HOUSEHOLDS, POPULATION_KEYS, claim_of, counts_households, needs_population
from shoal.release import Claim, PublishedValues, Recoded, Result, Verdict, centres_of
from shoal.risks.individual import Missing, refuse_light_classes
from shoal.shapes.guards import guard, guard_released, guard_weight
from shoal.shapes.hierarchies import (
    Coarse,
    Spec,
    coarsened,
    floored,
    hierarchies_over,
    hierarchy_over,
    is_built,
    relabel_table,
    warn_unlisted,
)
from shoal.shapes.in_memory import InMemory, counts_of
from shoal.shapes.recoding import recode_table
from shoal.shapes.released_values import Cells, along, released_cells, source_words
from shoal.shapes.table.verification import (
    as_values,
    judge_truth,
    linked_persons,
    population_beside,
    published,
    with_missing_codes,
)
from shoal.utility import TableCase, class_of_rows, ncp_by_column

__all__ = [
    "TableData",
    "beside",
    "bind",
    "floor",
    "from_config",
    "loss_by",
    "open_config",
    "original_cells",
    "released_cells",
]

_WITH_CODES = ("quasi", "sensitive", "plain")  # roles of columns that are not made anew
_NUMBER = re.compile(r"[+-]?[0-9.]+(-[0-9]{2})*")  # or a date


@dataclass(frozen=True, repr=False)
class TableData(InMemory):
    """A table with roles and hierarchies, ready to be anonymized.

    `allow` names columns the user publishes knowingly, whatever they give away. `rules` say of each quasi-identifier
    how its hierarchy is given, `coarse` are the columns at a fixed level, `floors` the quasi-identifiers that have a
    least level. Hierarchies and labels that are made of the
    data are made of the `kept` records alone; None where nobody was left out. `public` are other people with the same
    quasi-identifiers. `blanks` says how figures of risk count blank cells, `weight` is a sampling weight
    that is published, `counted` is what the persons of the table are: households where a claim counts these. `keyed` is
    what pseudonyms are made of; None where nothing needs a key.
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
    counted: str = "persons"
    keyed: Keyed | None = None

    @cached_property
    def leaves(self) -> I4:
        """int32[n, d]: each record's leaf code in each quasi-identifier."""
        codes = [self.hierarchies[column.name].encode(column) for column in self.table.quasi]
        return np.stack(codes, axis=1) if codes else np.empty((self.table.n, 0), dtype=np.int32)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, which columns have which role, how high hierarchies are."""
        heights = ", ".join(f"{name} {found.height}" for name, found in self.hierarchies.items())
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

    def by_public(self) -> "TableData":
        """The same records, with hierarchies that are made of public people where rules make them.

        What only the data hold stands beside such a hierarchy, and no label but the root covers it.
        """
        if self.public is None:
            return self
        over = hierarchies_over(self.public, self.rules, self.source.missing)
        made = {name: beside(own, self.table.column(name)) for name, own in over.items()}
        return replace(self, hierarchies={**self.hierarchies, **made}, rules={**self.rules, **over})

    def default(self, asked: Mapping[str, Any]) -> str:
        """The method for a table of this size."""
        return default_method(
            self.shape,
            {**asked, "linked": self.linked or None},
            columns=len(self.table.quasi),
            records=self.table.records,
            vectors=prod(self.hierarchies[column.name].height + 1 for column in self.table.quasi),
        )

    def claim(self, guarantee: Mapping[str, Any]) -> Claim:
        """The claim these numbers make for a table."""
        return claim_of(self.shape, **guarantee, linked=self.linked or None)

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
        if self.linked:
            return self._pseudonymized_anew()
        if needs_population(claim):
            return self._among_people().counting_households(claim)
        return self.counting_households(claim)

    def _pseudonymized_anew(self) -> "TableData":
        assert self.keyed is not None
        keyed = self.keyed.anew()
        if keyed is self.keyed:
            return self
        made = {column.name: column for column in keyed.columns()}
        columns = tuple(
            column if column.name not in made else _coded(column, made[column.name])
            for column in self.table.columns
        )
        source = replace(self.source, frame=self.source.frame.with_columns(made.values()))
        return replace(self, source=source, table=replace(self.table, columns=columns), keyed=keyed)

    def _among_people(self) -> "TableData":
        if self.public is None or not self.in_memory:
            why = "none is given" if self.in_memory else "these records are too many for it"
            raise InputError(
                f"guarantee: {' or '.join(POPULATION_KEYS)} is about the people of a population, and {why}; give their "
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
            why = (
                "no column says who lives together" if self.in_memory else "these records are too many for it"
            )
            raise InputError(
                f"guarantee: k counts households, and {why}; give one column the role household, or leave of out"
            )
        return replace(self, table=replace(self.table, persons=self.table.households), counted=HOUSEHOLDS)

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[Recoded]:
        """Publish every column at its stored level; small classes are left out within the allowance."""
        return Result(
            recode_table(recoding, self.table, self.hierarchies, self.leaves, claim, suppress), claim
        )

    def guard(self, claim: Claim | None) -> None:
        """Refuse empty claims and plain columns that give people away."""
        guard(self.table, self.leaves, self.allow, claim)

    def guard_released(self, result: Result[Recoded]) -> None:
        """Refuse columns that are bound to quasi-identifiers by a rule and tell look-alikes apart."""
        guard_released(self.table, self.leaves, result.release, self.allow, result.claim)
        if self.weight is not None:
            guard_weight(self.table, result.release, self.weight, result.claim)

    def without_traces(
        self, result: Result[Recoded], remake: Callable[["TableData"], Result[Recoded]] | None = None
    ) -> tuple["TableData", Result[Recoded]]:
        """The same data and a release that tells nothing of suppressed records.

        Whoever is left out may have steered the method, and hierarchies that are built are made of every value. So the
        release is made again, of the kept records as if there had been no others, until nobody more is left out;
        without `remake` it stays as it is, in labels of the kept records.
        """
        rows = result.release.rows
        if len(rows) in (0, self.table.n) or self.kept is not None:
            return self, result
        if remake is None:
            steered = "sensitive" in result.claim.roles  # classes were made by these labels
            secret = steered and any(self.given[name] == "sensitive" for name in self._built)
            named, release = relabel_table(self.table, self.hierarchies, self.leaves, result.release)
            data = self._told_by(rows, anew=not secret)
            return replace(data, hierarchies=named, kept=rows), replace(result, release=release)
        while True:
            data = self.made_of(rows)
            made = remake(data.only(rows))
            if len(made.release.rows) == len(rows):
                return data, replace(
                    made, release=data.restored(made.release, rows, blanks=made.claim.blanks)
                )
            rows = rows[made.release.rows]

    @property
    def left_values(self) -> dict[str, list[str]]:
        """Of each column whose labels are made of its values, those that only people who were left out hold."""
        if self.kept is None:
            return {}
        held = {column.name: set(self.leaves[self.kept, j]) for j, column in enumerate(self.table.quasi)}
        found = {
            name: [tree.leaves[code] for code in range(tree.domain, tree.size) if code not in held[name]]
            for name, tree in self.hierarchies.items()
        }
        for name in self._built:
            cells = self.coarse[name].cells
            found[name] = sorted(set(cells.drop_nulls()) - set(cells.gather(pl.Series(self.kept))))
        return {name: values for name, values in found.items() if values}

    def without_values(self, left: Mapping[str, object]) -> "TableData | None":
        """The same records as a release named them that left out whoever holds some values; None for other texts."""
        out = np.zeros(self.table.n, dtype=bool)
        for name, values in left.items():
            known = self.coarse[name].cells if name in self.coarse else None
            if not isinstance(values, list) or (name not in self.rules and known is None):
                return None
            if known is not None:
                out |= (
                    known.is_in([text for text in values if isinstance(text, str)])
                    .fill_null(False)
                    .to_numpy()
                )
            else:
                column = self.table.column(name)
                out |= np.array([value in values for value in column.values], dtype=bool)[column.codes]
        return self.made_of(np.flatnonzero(~out)) if not out.all() else None

    def made_of(self, rows: I8) -> "TableData":
        """The same records, with labels made of some of them alone; what only others hold stands beside hierarchies."""
        if len(rows) == self.table.n:
            return self
        floors = self._floors_of(rows)
        data = self._told_by(rows, anew=True)._written({name: cells for name, (cells, _) in floors.items()})
        hierarchies = {}
        for j, column in enumerate(data.table.quasi):
            rule, known = self.rules.get(column.name), self.hierarchies[column.name]
            if column.name in floors:
                hierarchies[column.name] = beside(floors[column.name][1], column)
            elif is_built(rule):
                own = hierarchy_over(column.only(rows), rule, self.source.missing)
                hierarchies[column.name] = beside(own, column)
            else:
                times = np.bincount(self.leaves[rows, j], minlength=known.size + 1)
                hierarchies[column.name] = known.named_by(times[: known.size] > 0)
        return replace(data, hierarchies=hierarchies, kept=rows)

    def only(self, rows: I8) -> "TableData":
        """Some of the records, as if there had been no others."""
        floors = self._floors_of(rows)
        data = self._written({name: cells for name, (cells, _) in floors.items()})
        table, own = data.table.only(rows), {name: known for name, (_, known) in floors.items()}
        for column in table.quasi:
            rule = self.rules.get(column.name)
            if is_built(rule):
                own[column.name] = hierarchy_over(column, rule, self.source.missing)
            elif self.hierarchies[column.name].strangers and isinstance(rule, Hierarchy):
                own[column.name] = beside(rule, column)  # of other people
        return replace(
            data,
            source=data.source.some(rows),
            table=table,
            hierarchies={**self.hierarchies, **own},
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
        kept, records = rows[release.rows], self.table.records
        if "levels" in release.rule:
            levels = [release.rule["levels"][name] for name in release.names]
            return Recoded.of_levels(
                release.names, self.hierarchies, self.leaves, levels, kept, self.table.counts
            )
        made, codes = [], release.codes.copy()
        for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True)):
            if form.centre:  # no label tells what it stands for
                of, own = codes[:, j].astype(np.int64), self.leaves[kept, j]
                centres, place = PublishedValues.of_centres(form.centre, form.labels, of, own)
                made.append(centres)
                codes[:, j] = place[of]
                continue
            sets = [leaves_of(label, self.hierarchies[name], blanks=blanks) for label in form.labels]
            made.append(PublishedValues.of_sets(form.labels, sets))
        return replace(release, forms=tuple(made), codes=codes, rows=kept, records=records)

    @property
    def _built(self) -> list[str]:
        """The columns at a fixed level of a hierarchy that is made of their values."""
        return [name for name, coarse in self.coarse.items() if coarse.built]

    def _told_by(self, rows: I8, *, anew: bool) -> "TableData":
        """The same records, with columns at a fixed level, and those that hold times, written as some of them need."""
        cells = {name: only_dates(self.source.frame[name], rows) for name in self.source.frame.columns}
        labels = {name: dates for name, dates in cells.items() if dates is not None}
        labels |= {name: self.coarse[name].labels(rows, anew=anew) for name in self._built}
        return self._written(labels)

    def _written(self, labels: Mapping[str, pl.Series]) -> "TableData":
        """The same records with other cells in some columns."""
        if not labels:
            return self
        columns = tuple(
            replace(column, values=found[0], codes=found[1])
            if column.name in labels
            and (found := factorize(clean_cells(text(labels[column.name]), self.source.missing)))
            else column
            for column in self.table.columns
        )
        frame = self.source.frame.with_columns(labels.values())
        return replace(
            self, source=replace(self.source, frame=frame), table=replace(self.table, columns=columns)
        )

    def shuffled(self, result: Result[Recoded], order: I8) -> Result[Recoded]:
        """The same release, its rows in another order."""
        release = result.release
        return replace(result, release=release.taken(order))

    def assemble(self, release: Recoded) -> pl.DataFrame:
        """The released cells: input column order, identifiers left out, other columns as they came."""
        columns = []
        for name in self.source.frame.columns:
            role = self.given.get(name, "identifier")
            if role == "quasi":
                j = release.names.index(name)
                labels = pl.Series(name, release.forms[j].labels, dtype=pl.String)
                columns.append(labels.gather(pl.Series(release.codes[:, j])))
            elif role != "identifier":
                cells = cells_of_rows(self.source, name, release.rows)
                book = self.source.variables.get(name, Variable()).codebook
                columns.append(cells if book is None or book.text else numbers_again(cells))
        return pl.DataFrame(columns)

    def described(self, frame: pl.DataFrame, release: Recoded) -> tuple[pl.DataFrame, dict[str, Variable]]:
        """Released cells whose labels are in order, what stands for all last, and what is said of columns."""
        ordered, variables = [], {}
        books = self.codebooks(frame.columns)
        for name in frame.columns:
            told = self.source.variables.get(name, Variable())
            variables[name] = Variable(told.label, told.level, codebook=books.get(name))
            if name not in release.names:
                continue
            hierarchy, forms = self.hierarchies[name], release.forms[release.names.index(name)]
            wide, places = forms.counts(hierarchy.domain), self._places(name)[forms.leaves]
            first = np.minimum.reduceat(places, np.minimum(forms.start[:-1], len(places) - 1))
            order = np.lexsort((wide, first, wide >= hierarchy.domain))
            labels = dict.fromkeys(forms.labels[form] for form in order if forms.labels[form] is not None)
            ordered.append(frame[name].cast(pl.Enum(list(labels))))
            if told.level in ("", "scale"):
                numbers = all(map(_NUMBER.fullmatch, hierarchy.leaves[: hierarchy.domain]))
                variables[name] = replace(variables[name], level="ordinal" if numbers else "nominal")
        return frame.with_columns(ordered), variables

    def codebooks(self, columns: Iterable[str]) -> dict[str, Codebook]:
        """The public codebooks of released columns whose values are those that came in, or groups of them."""
        told = {name: self.source.variables.get(name, Variable()) for name in columns}
        return {
            name: replace(one.codebook, blank=self._blank(name))
            for name, one in told.items()
            if one.codebook is not None and one.public and self.given[name] in _WITH_CODES
        }

    def _blank(self, name: str) -> str:
        """What is published of a missing cell: the root of a quasi-identifier whose hierarchy has no leaf for it."""
        if self.given[name] != "quasi" or self.hierarchies[name].missing is not None:
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
                held = codes.gather(rows).set((text(frame[name]) != book.blank).fill_null(value=False), None)
                gaps[name] = (
                    _shared(held, frame.select(result.release.names)) if self.given[name] == "quasi" else held
                )
        gaps = {name: codes for name, codes in gaps.items() if codes.null_count() < len(codes)}
        told = {name: codes for name, codes in gaps.items() if self.given[name] != "quasi"}
        self._guard_missing_codes(told, result)
        for role in ("sensitive", "quasi"):
            gaps = self._without_telling_codes(gaps, role, frame, result)
        return gaps

    def _without_telling_codes(
        self, gaps: Mapping[str, pl.Series], role: str, frame: pl.DataFrame, result: Result[Recoded]
    ) -> dict[str, pl.Series]:
        """Missing codes without those of the columns of a role, if the claim would not hold were they values.

        A population knows no missing codes, so a claim about one could not be judged.
        """
        counted = {name: codes for name, codes in gaps.items() if self.given[name] in ("sensitive", role)}
        if not any(self.given[name] == role for name in counted):
            return dict(gaps)
        unknown = role == "quasi" and needs_population(result.claim)
        if not unknown and self.judge(with_missing_codes(frame, counted), result):
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
                finer[name] = _coded(column, as_values(cells, codes))
        if not finer:
            return
        table = replace(
            self.table, columns=tuple(finer.get(column.name, column) for column in self.table.columns)
        )
        try:
            guard(table, self.leaves, self.allow, result.claim)
            guard_released(table, self.leaves, result.release, self.allow, result.claim)
        except InputError as error:
            raise InputError(
                f"{error}; its missing codes count as values in such a file, and csv, parquet and ndjson have none"
            ) from None

    def _places(self, name: str) -> I8:
        """The place of each leaf in the order that people know: of the file's codes, of a hierarchy, or of the words.

        A hierarchy of words that was built has the frequent ones first, which is for nobody to see.
        """
        hierarchy, kind = self.hierarchies[name], self.source.frame.schema[name]
        leaves = list(hierarchy.leaves)
        if isinstance(kind, pl.Enum):
            known = {label: place for place, label in enumerate(kind.categories)}
        elif hierarchy.public or hierarchy.ordered:
            known = {}
        else:
            known = {label: place for place, label in enumerate(sorted(leaves, key=natural_order))}
        places = [known.get(leaf, len(known) + place) for place, leaf in enumerate(leaves)]
        return np.array([*places, len(known) + len(leaves)], dtype=np.int64)

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The released columns' roles."""
        return {name: self.given[name] for name in frame.columns}

    def judge(self, frame: pl.DataFrame, result: Result[Recoded]) -> Verdict:
        """Judge the claim on released cells; whose each row is stays here."""
        persons = self.table.persons
        whose = None if persons is None else persons[result.release.rows]
        if self.linked:
            whose = linked_persons(frame, self.roles(frame))
        counts = result.release.counts
        population = None
        if self.public is not None and needs_population(result.claim):
            rows, gone = result.release.rows, result.release.suppressed
            population = population_beside(frame, self.public, self.hierarchies, gone, self.codes(rows))
        return result.claim.check(published(frame, self.roles(frame), whose, counts, population))

    def codes(self, rows: I8) -> dict[str, I4]:
        """By quasi-identifier the leaf codes of some records."""
        return {column.name: self.leaves[rows, j] for j, column in enumerate(self.table.quasi)}

    def truth(self, frame: pl.DataFrame, result: Result[Recoded]) -> Verdict:
        """Check every cell against the record it stems from."""
        rows, blanks = result.release.rows, result.claim.blanks
        centres = centres_of(result.release)
        return judge_truth(
            frame, self.table, self.hierarchies, self.leaves, rows, blanks=blanks, centres=centres
        )

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
        lost = ncp_by_column(result.release, self.hierarchies)
        lost |= {name: coarse.lost for name, coarse in self.coarse.items()}
        there = {name: self.given.get(name, "identifier") for name in self.source.frame.columns}
        came = {name: None if role == "identifier" else lost.get(name, 0.0) for name, role in there.items()}
        return came | dict.fromkeys(self.source.dropped)

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
        published = [column for column in self.table.columns if column.role in ("sensitive", "plain")]
        return next((column.codes for column in published if column.name == name), None)


def _coded(column: Column, cells: pl.Series) -> Column:
    """A column with other cells."""
    values, codes = factorize(cells)
    return replace(column, values=values, codes=codes)


def beside(own: Hierarchy, column: Column) -> Hierarchy:
    """A hierarchy that was made of other people, with what only this column holds beside it."""
    there = set(own.leaves)
    return own.beside([value for value in column.values if value is not None and value not in there])


# --- as a configuration or a caller describes it

_GROUPS = "a hierarchy file, or groups of values"


def open_config(config: Config) -> TableData:
    """Read the records and bind them to their hierarchies."""
    return from_config(config, records_of(config))


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
    source, coarse = coarsened(source, columns)
    roles = {name: spec.role for name, spec in columns.items()}
    coded = table(
        source,
        roles,
        weights={name: spec.weight for name, spec in columns.items()},
        importance={name: spec.importance for name, spec in columns.items()},
        person=person,
    )
    specs: dict[str, Spec] = {
        name: spec.recoded_by for name, spec in columns.items() if spec.recoded_by is not None
    }
    specs |= {name: known for name, known in (hierarchies or {}).items() if name in columns}
    for name in specs:
        if roles[name] != "quasi":
            raise InputError(
                f"column '{name}': only quasi-identifiers have a hierarchy; give it the role quasi, a "
                "fixed level, or leave the hierarchy out"
            )
    _tell_bare(source, [column for column in coded.quasi if column.name not in specs])
    given = {column.name: specs.get(column.name) for column in coded.quasi}
    for column in coded.quasi:
        warn_unlisted(column.name, given[column.name], column.values)
    made = {column.name: hierarchy_over(column, given[column.name], source.missing) for column in coded.quasi}
    allow = frozenset(name for name, spec in columns.items() if spec.allow)
    dataset = TableData(source, coded, made, roles, allow, given, coarse)
    _ = dataset.leaves  # an uncovered value is told now, before any search starts
    return dataset


def from_config(config: Config, source: Source) -> TableData:
    """Bind the table and hierarchies a configuration describes."""
    notation, given, came = config.data.notation, config, source
    config, source = settle_roles(config, source)
    columns = config.columns
    source, keyed = keyed_records(config, source, notation.dates)
    public = public_people(config, source, columns, notation)
    source, columns, floors = floored(source, columns)
    if public is not None and columns != config.columns:
        raise InputError(
            "population: a quasi-identifier has a least level, which public people have not; take one out"
        )
    dataset = bind(source, columns, person=config.data.person)
    sampled = sampled_people(given, came, dataset.table)
    shown = [name for name, spec in given.columns.items() if spec.role == "weight" and spec.allow]
    dataset = replace(
        dataset,
        table=sampled,
        blanks=cast(Missing, config.blanks),
        weight=shown[0] if shown else None,
        floors=floors,
        keyed=keyed,
    )
    refuse_light_classes(source.name, dataset.table)
    if public is None:
        return dataset
    dataset = replace(dataset, public=table(public, dict.fromkeys(public.frame.columns, "quasi")))
    public_only = config.method in METHODS and METHODS[config.method].public
    return dataset.by_public() if public_only or config.guarantee.keys() & set(POPULATION_KEYS) else dataset


def _tell_bare(source: Source, columns: Sequence[Column]) -> None:
    """Name the rules that fit columns of many values which have none: all that is not kept of them becomes `*`."""
    bare = {
        column.name: rule
        for column in columns
        if not wants_groups(column.values) and (rule := fitting_rule(column.values)) is not None
    }
    if bare:
        told = "; ".join(f"'{name}': {rule or _GROUPS}" for name, rule in bare.items())
        warnings.warn(
            f"{source.name}: without a rule, values of these quasi-identifiers are published as they are or as *; what "
            f"fits them: {told}",
            ShoalWarning,
            stacklevel=2,
        )


# --- before and after, and what each column loses


def original_cells(data: TableData, columns: Sequence[str], rows: I8) -> dict[str, Cells]:
    """The same columns of some originals."""
    return {name: source_words(data.source, name, rows) for name in columns}


def loss_by(data: TableData, result: Result[Recoded]) -> tuple[str, dict[str, float]]:
    """The loss of each column that came in; one that is left out has lost everything."""
    return "column", {
        name: 1.0 if lost is None else lost for name, lost in data.losses_by_column(result, {}).items()
    }


def floor(
    data: TableData,
    methods: Sequence[Method],
    claim: Claim,
    asked: Mapping[str, Any],
    made: Recoded | None = None,
) -> float | None:
    """What no local recoding loses less than; None where none is one, or where it writes more than nodes."""
    nodes = asked.get("recode", "hierarchy") == "hierarchy" if made is None else along(made, data.hierarchies)
    if not nodes or not any(method.floored for method in methods):
        return None
    from shoal.algorithms.local.boxes import loss_floor  # kernels are heavy

    return loss_floor(data.inputs["table"], data.hierarchies, claim.crowd)


def _shared(codes: pl.Series, labels: pl.DataFrame) -> pl.Series:
    """Missing codes that all rows of a class have in common; `labels` tell the classes."""
    told = labels.with_columns(codes.alias("(code)"))
    one = (pl.col("(code)").null_count() == 0) & (pl.col("(code)").n_unique() == 1)
    return codes.set(~told.select(one.over(labels.columns)).to_series(), None)
