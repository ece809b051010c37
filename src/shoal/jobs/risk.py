"""`risk`: measure how exposed people are before anything is done, and what came of it as one object.

It is what columns, items and values of the originals tell of people, and what is known of their population. The risks
of a prosecutor, a journalist and a marketer are figures of it.
"""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import __version__
from shoal.base.arguments import is_number
from shoal.base.discreet import SafeRepr, html_table
from shoal.base.errors import InputError, ShoalWarning
from shoal.base.progress import Progress, no_progress
from shoal.base.stopping import atomic_write
from shoal.data import Baskets, Column, Role, Table, Trees
from shoal.data.arrays import F8, I8, persons_per_code, take_rows
from shoal.io.config import REST, Config, load
from shoal.io.read.cells import cell_texts, clean_cells, normalize_names
from shoal.io.read.records import read_records
from shoal.io.read.source import Source, column_error, from_frame
from shoal.io.read.table import read
from shoal.jobs.keywords import Columns, Hierarchies, Roles, role_of_each_column
from shoal.proposal.proposal import Proposal
from shoal.report.facts import to_json_value
from shoal.report.words import SHAPE_WORDS
from shoal.risks.column_sets import (
    ColumnSet,
    ColumnSets,
    SpecialUniques,
    measure_column_sets,
    special_uniques,
)
from shoal.risks.individual import (
    Missing,
    RecordRisks,
    individual_risk,
    record_columns,
    summarize_expectation,
    survey_facts,
)
from shoal.risks.log_linear import model_table
from shoal.risks.look_alikes import (
    LookAlikes,
    count_classes,
    count_equal_records,
    equal_look_alikes,
    fewest_look_alikes,
    min_per_person,
    summarize_risks,
    uniqueness_by_class,
)
from shoal.risks.population_uniques import correct_match_rate, pitman, population_size, zayatz
from shoal.shapes.dataset import Dataset, Origin
from shoal.shapes.registry import open_dataset
from shoal.utility.classes import class_ids

__all__ = ["People", "Risk", "risk"]

_KNOWN_AT_ONCE = (1, 2, 3, 5, 8)  # known columns that somebody knows, beside all of them
_CHOICES = 60  # sets of so many known columns that are looked at

Row = dict[str, Any]
"""What is known of somebody, and the shares of people whom it finds."""


@dataclass(frozen=True, repr=False)
class People(SafeRepr):
    """What can be known of people; a part that the shape does not have is None.

    table   : the quasi-identifiers, one row per record
    baskets : the items, one basket per record
    trees   : one tree per record
    known   : the columns of which somebody may know a few, beside all quasi-identifiers
    """

    table: Table | None
    baskets: Baskets | None
    trees: Trees | None
    known: tuple[Column, ...] = ()

    @classmethod
    def of(cls, dataset: Dataset) -> "People":
        """Take from a dataset what its methods take."""
        inputs: Mapping[str, Any] = dataset.inputs
        if "mixed" in inputs:
            return cls(_keep_quasi(inputs["mixed"].table), inputs["mixed"].baskets, None)
        table, baskets, trees = (inputs.get(part) for part in ("table", "baskets", "trees"))
        if table is None:
            return cls(None, baskets, trees)
        return cls(_keep_quasi(table), baskets, trees, tuple(table.role("known")))

    @property
    def rows(self) -> int:
        """How many records there are."""
        part = self.table or self.baskets or self.trees
        assert part is not None
        return part.n

    @property
    def persons(self) -> I8 | None:
        """Whom each record belongs to, 0 .. count-1; None where every record is a person."""
        whose = None if self.table is None else self.table.persons
        return None if whose is None else np.unique(whose, return_inverse=True)[1]

    @property
    def count(self) -> int:
        """How many people there are."""
        whose = self.persons
        return self.rows if whose is None else int(whose.max(initial=-1)) + 1

    def some(self, many: int) -> "People":
        """So many people, drawn at random, always the same, with all their records."""
        drawn = np.zeros(self.count, dtype=bool)
        drawn[np.random.default_rng(0).choice(self.count, many, replace=False)] = True
        whose = self.persons
        return self._take(np.flatnonzero(drawn if whose is None else drawn[whose]))

    def _take(self, rows: I8) -> "People":
        table, baskets, trees = self.table, self.baskets, self.trees
        known = tuple(replace(column, codes=column.codes[rows]) for column in self.known)
        if table is not None:
            table = table.some(rows)
        if baskets is not None:
            start, items = take_rows(baskets.start, baskets.items, rows)
            baskets = replace(baskets, start=start, items=items)
        return People(table, baskets, None if trees is None else trees.take(rows), known)


def _keep_quasi(table: Table) -> Table:
    """The quasi-identifiers alone."""
    return replace(table, columns=table.core, counts=None)


@dataclass(frozen=True, slots=True, repr=False)
class PopulationFacts(SafeRepr):
    """What is known of the population.

    size   : how many people it has
    source : how that is known: "records", "size" or "fraction"
    crowds : int64[rows], how many of its records look like each row of the data; None where only its size is known
    """

    size: int
    source: str
    crowds: I8 | None = None

    @classmethod
    def of(
        cls,
        population: Any,
        fraction: float | None,
        table: Table | None,
        people: int,
        missing: tuple[str, ...],
    ) -> "PopulationFacts | None":
        """Take what a caller says of the population; None where nothing is said.

        Raises
        ------
        InputError
            It is said twice, it is no number, it has fewer people than the data, or its file lacks a column.
        """
        if population is not None and fraction is not None:
            raise InputError(
                "risk: population and fraction are given; one follows from the other, so leave one out"
            )
        if population is None and fraction is None:
            return None
        if table is None:
            raise InputError(
                "risk: people are compared with a population by quasi-identifiers, and the data have none; leave "
                "population and fraction out"
            )
        if fraction is not None:
            if not is_number(fraction):
                raise InputError(
                    "risk: fraction is not a number; give the share of the population that is in the data"
                )
            return cls(population_size(people, fraction), "fraction")
        if isinstance(population, int) and not isinstance(population, bool):
            return cls(_check_size(population, people), "size")
        named = isinstance(population, str | os.PathLike)
        source = read(Path(population), missing=missing) if named else from_frame(population, missing=missing)
        return cls(_check_size(source.frame.height, people), "records", _count_in_population(table, source))


def _check_size(size: int, people: int) -> int:
    if size < people:
        raise InputError(
            f"risk: a population of {size:,}, and the data hold {people:,} people; give the population that they are of"
        )
    return size


def _count_in_population(table: Table, source: Source) -> I8:
    """How many records of the population look like each row; a row that none looks like is there itself."""
    column_names = source.frame.columns
    for column in table.columns:
        if column.name not in column_names:
            raise column_error(source, column.name, [present.name for present in table.columns])
    codes = [_encode_cells(column, source) for column in table.columns]
    present = np.logical_and.reduce([part >= 0 for part in codes])
    return count_equal_records([column.codes for column in table.columns], [part[present] for part in codes])


def _encode_cells(column: Column, source: Source) -> I8:
    """The population's cells as codes of the column, -1 where the data do not have the value."""
    code_of_value: Mapping[str | None, int] = {value: code for code, value in enumerate(column.values)}
    cells = clean_cells(cell_texts(source.frame[column.name]), source.missing)
    named = {value: code for value, code in code_of_value.items() if value is not None}
    codes = cells.replace_strict(named, default=-1, return_dtype=pl.Int64)
    return codes.set(cells.is_null(), code_of_value.get(None, -1)).to_numpy().astype(np.int64)


@dataclass(frozen=True, repr=False)
class Risk(SafeRepr):
    """How exposed people are before anything is done.

    `table()` tells who is found by what, `sets()` what each set of columns tells, `plot()` draws it, `save()` writes
    one page. All of it needs the originals: keep it where you keep them.

    measured : the facts, as `as_dict` gives them
    by_row   : by name, what there is to say of each row that was looked at; empty without a table
    """

    source: Origin
    measured: Mapping[str, Any]
    by_row: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def scores(self) -> F8 | None:
        """The SUDA score of each row that was looked at; None without a table."""
        return self.by_row.get("score")

    def records(self) -> Any:
        """One row for each record that was looked at, in order: look-alikes, people they stand for, risk, score."""
        return self._frame(self.record_frame())

    def record_frame(self) -> pl.DataFrame:
        """The same in polars."""
        if not self.by_row:
            raise InputError(
                f"risk: {self.measured['shape']} have no quasi-identifiers, so there is no risk of single records"
            )
        return pl.DataFrame({"record": np.arange(len(self.by_row["risk"])) + 1, **self.by_row})

    def facts(self) -> dict[str, object]:
        """What may be shown: how many people are found by what."""
        from shoal.report.risk import uniqueness_rows

        head = {name: self.measured[name] for name in ("shape", "people", "k")}
        return {
            **head,
            **{knowledge: f"{alone} alone" for knowledge, alone, _ in uniqueness_rows(self.measured)},
        }

    def _repr_html_(self) -> str:
        from shoal.report.risk import sentences

        texts: dict[str, list[str]] = {}
        for name, sentence in sentences(self.measured):
            texts.setdefault(name, []).append(sentence)
        facts = {name: "; ".join(lines) for name, lines in texts.items()}
        return html_table("How exposed these people are", facts, _draw_bars(self.measured))

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, shares unrounded, as `shoal risk --json` prints it."""
        facts: dict[str, Any] = to_json_value(self.measured)
        return facts

    def table(self) -> Any:
        """One row for each thing that an attacker may know: the shares of people whom it finds."""
        from shoal.report.risk import describe_knowledge

        rows = [{"known": describe_knowledge(row, self.measured), **row} for row in self.measured["found"]]
        return self._frame(pl.DataFrame(rows))

    def sets(self) -> Any:
        """One row for each set of columns: distinction, separation and the shares of people whom it finds."""
        if "sets" not in self.measured:
            raise InputError(
                f"risk: {self.measured['shape']} have no quasi-identifiers, so there are no sets of columns"
            )
        return self._frame(pl.DataFrame(self.measured["sets"]))

    def plot(self) -> Any:
        """Draw who is found by what."""
        from shoal.report.figures import to_plotly_figure
        from shoal.report.risk import uniqueness_figure

        return to_plotly_figure(uniqueness_figure(self.measured))

    def html(self) -> str:
        """Return the whole as one offline page; it is private."""
        from shoal.report.risk import risk_html

        return risk_html(self.measured)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file."""
        page_path = Path(path)
        with atomic_write(page_path) as part:
            part.write_text(self.html(), encoding="utf-8")
        return page_path

    def _frame(self, frame: pl.DataFrame) -> Any:
        """The kind of frame that came in; of record trees, which came in as none, polars."""
        return frame if SHAPE_WORDS[self.measured["shape"]].nested else self.source.like(frame)


def _draw_bars(facts: Mapping[str, Any]) -> str:
    """Who can be found, and by what as small bars; they need no script and no network."""
    from shoal.report.risk import uniqueness_facts, uniqueness_rows

    bars = []
    rows = zip(uniqueness_facts(facts), uniqueness_rows(facts), strict=True)
    for index, (row, (knowledge, alone, _)) in enumerate(rows):
        y, wide = 20 * index, 200 * (row["alone"] or 0)
        bars.append(
            f"<text x='0' y='{y + 13}' font-size='11'>{escape(knowledge)}</text>"
            f"<rect x='220' y='{y + 3}' width='{wide:.1f}' height='13' fill='teal'/>"
            f"<text x='{225 + wide:.1f}' y='{y + 13}' font-size='11'>{escape(alone)}</text>"
        )
    return (
        f"<svg width='480' height='{20 * len(bars)}' role='img' aria-label='share of people alone, by what is known'>"
        f"{''.join(bars)}</svg>"
    )


# Data whose risk is asked for: as a dataset, a configuration, or a file that nobody has described yet.

_ABOUT_RULES = ".*without a rule, values of these quasi-identifiers"


def _open_data(data: Any) -> tuple[Dataset, bool]:
    """The data themselves, and whether their roles are only proposed: nobody has described them yet.

    Raises
    ------
    InputError
        They cannot be had or read.
    """
    if isinstance(data, str | os.PathLike) and Path(data).suffix.lower() == ".toml":
        data = load(Path(data))
    if isinstance(data, Config):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _ABOUT_RULES, ShoalWarning)  # nothing is recoded here
            return open_dataset(_settle_person(data)), False
    if hasattr(data, "inputs"):
        return data, False
    if not isinstance(data, Proposal):
        from shoal.proposal.propose import propose  # it looks at all data, and few calls need it

        data = propose(data)
    return data.read(), True


def _read_described(
    data: Any, role_of: dict[str, Role], hierarchies: Hierarchies | None, person: str | None
) -> Dataset:
    """A file or a frame with these roles; the columns without one are left out."""
    if hasattr(data, "inputs") or isinstance(data, Config | Proposal):
        raise InputError(
            "risk: the data have their roles already; leave these out, or give the file or the frame"
        )
    from shoal.jobs.api import read as read_frame  # it brings all methods, and few calls need it

    rest: dict[str, Role] = {} if REST in role_of else {REST: "drop"}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", _ABOUT_RULES, ShoalWarning)  # nothing is recoded here
        return read_frame(data, roles={**role_of, **rest}, hierarchies=hierarchies, person=person)


def _settle_person(config: Config) -> Config:
    """Where every identifier repeats, its rows are taken for one person's: here that is a fact to tell, not a fault."""
    names = [name for name, spec in config.columns.items() if spec.role == "identifier" and name != REST]
    if not names or config.data.person is not None or config.shape not in ("table", "baskets"):
        return config
    source = read_records(config)
    cells = {
        name: normalize_names(clean_cells(cell_texts(source.frame[name]), source.missing))
        for name in names
        if name in source.frame.columns
    }
    if not cells or any(names.null_count() or not names.is_duplicated().any() for names in cells.values()):
        return config
    person = max(cells, key=lambda name: cells[name].n_unique())
    warnings.warn(
        f"{source.name}: values of '{person}' repeat, so rows that share one are taken for one person's; say "
        f'person = "{person}" in [data] if they are',
        ShoalWarning,
        stacklevel=2,
    )
    return replace(config, data=replace(config.data, person=person))


def risk(
    data: Any,
    *,
    k: int = 5,
    population: Any = None,
    fraction: float | None = None,
    sample: int | None = None,
    missing: str | None = None,
    roles: Roles | None = None,
    quasi: Columns | None = None,
    sensitive: Columns | None = None,
    identifier: Columns | None = None,
    items: Columns | None = None,
    plain: Columns | None = None,
    drop: Columns | None = None,
    hierarchies: Hierarchies | None = None,
    person: str | None = None,
    progress: Progress = no_progress,
) -> Risk:
    """Measure how exposed people are before anything is done, and by which columns, items or values.

    Parameters
    ----------
    data
        What `shoal.read`, `shoal.read_trees` or `shoal.propose` returns, or the path of a configuration. Of data that
        nobody has described (a file, a folder, a database's URL, a frame) roles are proposed first. What an attacker
        may know are the columns with the role quasi, the items, and the trees but for their sensitive field; those with
        the role known a few at a time.
    k
        People who share what is known with fewer than k, themselves among them, are found easily; at least 2.
    population
        How many people the data are drawn from, or the records of all of them: a file or a frame with the same columns.
    fraction
        The share of the population that is in the data, instead of `population`.
    sample
        Look at so many people only, drawn at random. They then seem to have fewer look-alikes than they have.
    missing
        Whether a blank cell is a value of its own ("own") or fits every value ("any", as in mu-Argus and sdcMicro)
        where look-alikes of records are counted; by default what [audit] says, and else "own".
    roles, quasi, sensitive, identifier, items, plain, drop, hierarchies, person
        What a file or a frame is, as `shoal.read` takes it, in place of a proposal. Columns without a role are left
        out: nothing is published here.
    progress
        Told what is being done.

    Raises
    ------
    InputError
        The data cannot be read or hold nothing that an attacker may know, or a number is wrong.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 31, 40, 40], "sex": ["f", "f", "f", "m"]})
    >>> found = risk(people, quasi=["age", "sex"], k=2)
    >>> found.table().select("known", "alone").rows()
    [('any 1 column', 0.25), ('all 2 columns', 0.5)]
    """
    _check_at_least(k, "k", 2)
    if sample is not None:
        _check_at_least(sample, "sample", 1)
    if missing not in (None, *get_args(Missing)):
        raise InputError(f"risk: missing must be one of {', '.join(get_args(Missing))}")
    progress("reading")
    lists = {"quasi": quasi, "sensitive": sensitive, "identifier": identifier, "items": items}
    role_of = role_of_each_column("risk", roles, {**lists, "plain": plain, "drop": drop})
    if role_of:
        data = _read_described(data, role_of, hierarchies, person)
    dataset, proposed = _open_data(data)
    people = People.of(dataset)
    everybody = people.count
    if people.table is not None and not people.table.columns:
        raise InputError("risk: no column has the role quasi; give it to those that an attacker may know")
    blanks = getattr(dataset.source, "missing", ())
    if sample is not None and sample < everybody:
        people = people.some(sample)
    beyond = PopulationFacts.of(population, fraction, people.table, everybody, blanks)
    facts, rows = _measure(
        people, k, beyond, progress, cast(Missing, missing or getattr(dataset, "blanks", "own"))
    )
    head = {
        "shoal": __version__,
        "shape": dataset.shape,
        "people": people.count,
        "rows": people.rows,
        "k": k,
        "proposed": proposed,
        "sampled_from": everybody if people.count < everybody else None,
        "rows_per_person": _rows_per_person(people),
        "items_per_person": _items_per_person(people),
    }
    return Risk(dataset.source, {**head, **facts}, rows)


def _check_at_least(number: object, name: str, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise InputError(f"risk: {name} must be a whole number of at least {least}")


def _measure(
    people: People, k: int, beyond: PopulationFacts | None, progress: Progress, missing: Missing
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    facts: dict[str, Any] = {"found": []}
    rows: dict[str, NDArray[Any]] = {}
    table, baskets, trees = people.table, people.baskets, people.trees
    if table is not None:
        facts, rows = _column_facts(table, k, beyond, progress, missing)
        if people.known:
            facts["known"] = _known_facts(table, people.known, k)
    if baskets is not None or trees is not None:
        progress("items and values")
    if trees is not None:
        facts["found"] = [*facts["found"], *_rows_by_tree_values(trees, k)]
        facts["fields"] = _field_facts(trees, k)
    if baskets is not None:
        facts["found"] = [*facts["found"], *_rows_by_items(baskets, k)]
        if table is not None:
            facts["found"] += _rows_by_items(baskets, k, _class_of_row(table), len(table.columns))
    return facts, rows


def _rows_per_person(people: People) -> dict[str, int] | None:
    """By number of rows, how many people have so many; None where every row is a person."""
    whose = people.persons
    if whose is None:
        return None
    rows, times = np.unique(np.bincount(whose), return_counts=True)
    return {str(row): int(count) for row, count in zip(rows, times, strict=True)}


def _items_per_person(people: People) -> dict[str, float] | None:
    """How many items or nodes people have: the fewest, on average, the most; None for a table."""
    part = people.baskets or people.trees
    if part is None:
        return None
    sizes = np.diff(part.start) if part.n else np.zeros(1)
    return {"fewest": int(sizes.min()), "average": float(sizes.mean()), "most": int(sizes.max())}


# What the quasi-identifiers of a table tell of the people in it.


def _class_of_row(table: Table) -> I8:
    """The class of each row by all quasi-identifiers."""
    return class_ids([column.codes for column in table.columns])


def _column_facts(
    table: Table, k: int, beyond: PopulationFacts | None, progress: Progress, missing: Missing = "own"
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The facts of a table, and by name what there is to say of each of its rows."""
    names = [column.name for column in table.columns]
    sets = measure_column_sets(
        [column.codes for column in table.columns], table.persons, k=k, progress=progress
    )
    special = special_uniques(sets, len(names))
    progress("risk of each record")
    risks = RecordRisks.of(table, table.columns, missing)
    alike = risks.look_alikes(table)
    prosecutor = alike.summarize(k)
    journalist = None if beyond is None else _journalist_risk(table, alike, k, beyond)
    facts = {
        "found": _rows_by_size(sets),
        "columns": _describe_columns(sets, special, table),
        "sets": [
            {
                "columns": [names[j] for j in column_set.columns],
                **_describe_set(column_set, sets),
                **_expected_facts(table, column_set, k, missing),
            }
            for column_set in sets.sets
        ],
        "sets_up_to": sets.size,
        "minimal_sets": _minimal_sets(special, names, sets.persons),
        "minimal_by_size": {str(size): count for size, count in sorted(special.records.items())},
        "scores": _summarize_scores(special),
        "threshold": 1 / k,
        "prosecutor": prosecutor,
        "journalist": journalist,
        "missing": missing,
        **survey_facts(table, risks, k, missing),
        "marketer": (prosecutor if journalist is None else journalist)["average"],
        "population": None if beyond is None else _describe_population(table, alike.people, beyond),
        "log_linear": [asdict(one) for one in model_table(table, None if beyond is None else beyond.size)],
    }
    return facts, {**record_columns(table, risks), "score": special.score}


def _known_facts(table: Table, known: Sequence[Column], k: int) -> dict[str, Any]:
    """Whom all quasi-identifiers and a few known columns find, on average over the choices of columns.

    Of many choices some are drawn, always the same. A person with several rows is found where one of them is.
    """
    classes = _class_of_row(table)
    rng, rows = np.random.default_rng(0), []
    for size in sorted({min(size, len(known)) for size in (*_KNOWN_AT_ONCE, len(known))}):
        choices = comb(len(known), size)
        if choices <= _CHOICES:
            picked = list(combinations(range(len(known)), size))
        else:
            picked = [tuple(rng.choice(len(known), size, replace=False)) for _ in range(_CHOICES)]
        alike = []
        for places in picked:
            codes = class_ids([classes, *(known[place].codes for place in places)])
            alike.append(persons_per_code(codes, table.persons)[codes])
        people = np.stack(alike)
        rows.append({
            "size": size, "choices": choices, "looked_at": len(picked),
            "alone": float((people < 2).mean()), "fewer": float((people < k).mean()),
        })  # fmt: skip
    return {"columns": len(known), "rows": rows}


def _expected_facts(table: Table, one: ColumnSet, k: int, missing: Missing) -> dict[str, float]:
    """How many people of a survey are expected to be found by a set of columns, and whose risk is above 1/k."""
    if table.weights is None:
        return {}
    expected = summarize_expectation(
        RecordRisks.of(table, [table.columns[j] for j in one.columns], missing).of_persons(table), k
    )
    return {"expected": expected["expected"], "above": expected["above"]}


def _describe_set(one: ColumnSet, found: ColumnSets) -> dict[str, float]:
    return {
        "distinction": one.distinction,
        "separation": one.separation,
        "alone": _share(one.unique, found.persons),
        "fewer": _share(one.fewer, found.persons),
    }


def _rows_by_size(found: ColumnSets) -> list[Row]:
    """Whom any so many columns find."""
    return [
        _make_row(
            _share(found.unique[size], found.persons), _share(found.fewer[size], found.persons), columns=size
        )
        for size in sorted(found.unique)
    ]


def _describe_columns(found: ColumnSets, special: SpecialUniques, table: Table) -> list[dict[str, Any]]:
    single = {column_set.columns[0]: column_set for column_set in found.sets if len(column_set.columns) == 1}
    return [
        {
            "column": column.name,
            "values": len(np.unique(column.codes)),
            **_describe_set(single[index], found),
            "contribution": special.contribution[index],
        }
        for index, column in enumerate(table.columns)
    ]


def _minimal_sets(special: SpecialUniques, names: Sequence[str], people: int) -> list[dict[str, Any]]:
    """The smallest sets that single people out, those of most people first."""
    ranked = sorted(special.people.items(), key=lambda one: (-one[1], len(one[0]), one[0]))
    return [
        {"columns": [names[j] for j in subset], "alone": _share(count, people)} for subset, count in ranked
    ]


def _summarize_scores(special: SpecialUniques) -> dict[str, float]:
    scored = special.score[special.score > 0]
    return {
        "rows": _share(len(scored), len(special.score)),
        "median": float(np.median(scored)) if len(scored) else 0.0,
        "highest": float(scored.max()) if len(scored) else 0.0,
    }


def _journalist_risk(table: Table, alike: LookAlikes, k: int, beyond: PopulationFacts) -> dict[str, Any]:
    assert alike.fewest is not None  # all columns are known
    exposed = alike.fewest
    if beyond.crowds is None:
        chance = individual_risk(exposed, len(exposed) / beyond.size)
        return {**summarize_risks(chance, k), "absent": None}
    crowd = beyond.crowds if table.persons is None else min_per_person(beyond.crowds, table.persons)
    return {
        **summarize_risks(1 / np.maximum(crowd, exposed), k),
        "absent": _share(int((crowd < exposed).sum()), len(exposed)),
    }


def _describe_population(table: Table, people: int, beyond: PopulationFacts) -> dict[str, Any]:
    """What the classes of the data, in which a blank is a value of its own, say of the population."""
    sizes, fraction = count_classes(_class_of_row(table), table.persons).fits, people / beyond.size
    return {
        "size": beyond.size,
        "source": beyond.source,
        "fraction": fraction,
        "pitman": pitman(sizes, beyond.size),
        "zayatz": zayatz(sizes, beyond.size),
        "right_match": correct_match_rate(sizes, fraction),
    }


def _share(count: int, whole: int) -> float:
    return count / max(whole, 1)


# What a few items of a basket, alone or beside the table, and a few values of a tree tell of a person.


def _rows_by_items(baskets: Baskets, k: int, classes: I8 | None = None, columns: int = 0) -> Iterator[Row]:
    """Whom any 1, 2, 3 items and the whole basket find; beside all `columns` where `classes` are given."""
    for alike in fewest_look_alikes(baskets, classes):
        yield _describe_look_alikes(alike, k, columns)
    yield _describe_look_alikes(equal_look_alikes(baskets, classes), k, columns)


def _rows_by_tree_values(trees: Trees, k: int) -> Iterator[Row]:
    """Whom any values, any values with a relation among them, and the whole tree find."""
    rows = (
        _describe_look_alikes(alike, k) for alike in fewest_look_alikes(trees)
    )  # of each only shares are kept
    yield from sorted(rows, key=lambda row: (row["relations"], row["items"]))
    yield _describe_look_alikes(equal_look_alikes(trees), k)


def _describe_look_alikes(alike: LookAlikes, k: int, columns: int = 0) -> Row:
    """The shares of people who are alone, and with fewer than k; None where there are too many choices to count."""
    knowledge = alike.knowledge
    return _make_row(
        alike.share_below(2),
        alike.share_below(k),
        columns=columns,
        items=knowledge.items,
        relations=knowledge.relations,
        whole=knowledge.whole,
    )


def _field_facts(trees: Trees, k: int) -> list[Row]:
    """What one value of each field reveals; nobody knows those of the sensitive one."""
    exposures = zip(trees.classes, uniqueness_by_class(trees, k), strict=True)
    return [
        {"field": name, "values": values, "alone": _share(alone, trees.n), "fewer": _share(fewer, trees.n)}
        for name, (values, alone, fewer) in exposures
        if name != trees.sensitive
    ]


def _make_row(
    alone: float | None,
    fewer: float | None,
    *,
    columns: int = 0,
    items: int = 0,
    relations: int = 0,
    whole: bool = False,
) -> Row:
    knowledge = {"columns": columns, "items": items, "relations": relations, "whole": whole}
    return {**knowledge, "alone": alone, "fewer": fewer}
