"""`risk`: measure how exposed people are, and what came of it as one object."""

import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal import __version__
from shoal.data import Baskets, Table, Trees
from shoal.data.arrays import F8, I8, take
from shoal.discreet import Discreet, html_table
from shoal.errors import InputError, ShoalWarning
from shoal.io.config import REST, Config, load
from shoal.io.read.cells import clean_cells, normalize_names, text
from shoal.io.read.records import records_of
from shoal.progress import Progress, silent
from shoal.publish.draft import Dataset, Origin
from shoal.publish.shapes.base import open_dataset
from shoal.publish.study.propose.proposal import Proposal
from shoal.publish.study.risk import PopulationFacts, classes_of, column_facts
from shoal.report.facts import plain
from shoal.report.words import SHAPE_WORDS
from shoal.stopping import in_one_piece
from shoal.utility.individual_risk import Missing

__all__ = ["People", "Risk", "open_data", "risk"]


@dataclass(frozen=True, repr=False)
class People(Discreet):
    """What can be known of people; a part that the shape does not have is None.

    table   : the quasi-identifiers, one row per record
    baskets : the items, one basket per record
    trees   : one tree per record
    """

    table: Table | None
    baskets: Baskets | None
    trees: Trees | None

    @classmethod
    def of(cls, dataset: Dataset) -> "People":
        """Take from a dataset what its methods take."""
        given: Mapping[str, Any] = dataset.inputs
        if "mixed" in given:
            return cls(_quasi(given["mixed"].table), given["mixed"].baskets, None)
        table = given.get("table")
        return cls(None if table is None else _quasi(table), given.get("baskets"), given.get("trees"))

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
        if table is not None:
            table = table.some(rows)
        if baskets is not None:
            start, items = take(baskets.start, baskets.items, rows)
            baskets = replace(baskets, start=start, items=items)
        return People(table, baskets, None if trees is None else trees.take(rows))


def _quasi(table: Table) -> Table:
    """The quasi-identifiers alone."""
    return replace(table, columns=table.quasi, counts=None)


@dataclass(frozen=True, repr=False)
class Risk(Discreet):
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
        return {**head, **{known: f"{alone} alone" for known, alone, _ in uniqueness_rows(self.measured)}}

    def _repr_html_(self) -> str:
        from shoal.report.risk import sentences

        said: dict[str, list[str]] = {}
        for name, sentence in sentences(self.measured):
            said.setdefault(name, []).append(sentence)
        facts = {name: "; ".join(lines) for name, lines in said.items()}
        return html_table("How exposed these people are", facts, _drawn(self.measured))

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, shares unrounded, as `shoal risk --json` prints it."""
        found: dict[str, Any] = plain(self.measured)
        return found

    def table(self) -> Any:
        """One row for each thing that an attacker may know: the shares of people whom it finds."""
        from shoal.report.risk import known_words

        rows = [{"known": known_words(row, self.measured), **row} for row in self.measured["found"]]
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
        from shoal.report.figures import as_plotly
        from shoal.report.risk import uniqueness_figure

        return as_plotly(uniqueness_figure(self.measured))

    def html(self) -> str:
        """Return the whole as one offline page; it is private."""
        from shoal.report.risk import risk_html

        return risk_html(self.measured)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file."""
        place = Path(path)
        with in_one_piece(place) as part:
            part.write_text(self.html(), encoding="utf-8")
        return place

    def _frame(self, frame: pl.DataFrame) -> Any:
        """The kind of frame that came in; of record trees, which came in as none, polars."""
        return frame if SHAPE_WORDS[self.measured["shape"]].nested else self.source.like(frame)


def _drawn(facts: Mapping[str, Any]) -> str:
    """Who can be found, and by what as small bars; they need no script and no network."""
    from shoal.report.risk import uniqueness_facts, uniqueness_rows

    bars = []
    rows = zip(uniqueness_facts(facts), uniqueness_rows(facts), strict=True)
    for place, (row, (known, alone, _)) in enumerate(rows):
        y, wide = 20 * place, 200 * (row["alone"] or 0)
        bars.append(
            f"<text x='0' y='{y + 13}' font-size='11'>{escape(known)}</text>"
            f"<rect x='220' y='{y + 3}' width='{wide:.1f}' height='13' fill='teal'/>"
            f"<text x='{225 + wide:.1f}' y='{y + 13}' font-size='11'>{escape(alone)}</text>"
        )
    return (
        f"<svg width='480' height='{20 * len(bars)}' role='img' aria-label='share of people alone, by what is known'>"
        f"{''.join(bars)}</svg>"
    )


# Data whose risk is asked for: as a dataset, a configuration, or a file that nobody has described yet.

_ABOUT_RULES = ".*without a rule, values of these quasi-identifiers"


def open_data(data: Any) -> tuple[Dataset, bool]:
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
            return open_dataset(_with_person(data)), False
    if hasattr(data, "inputs"):
        return data, False
    proposal = data if isinstance(data, Proposal) else _proposed(data)
    return proposal.read(), True


def _proposed(data: Any) -> Proposal:
    from shoal.publish.study.propose.propose import propose  # it looks at all data, and few calls need it

    return propose(data)


def _with_person(config: Config) -> Config:
    """Where every identifier repeats, its rows are taken for one person's: here that is a fact to tell, not a fault."""
    names = [name for name, spec in config.columns.items() if spec.role == "identifier" and name != REST]
    if not names or config.data.person is not None or config.shape not in ("table", "baskets"):
        return config
    source = records_of(config)
    cells = {
        name: normalize_names(clean_cells(text(source.frame[name]), source.missing))
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
    progress: Progress = silent,
) -> Risk:
    """Measure how exposed people are before anything is done, and by which columns, items or values.

    Parameters
    ----------
    data
        What `shoal.read`, `shoal.read_trees` or `shoal.propose` returns, or the path of a configuration. Of data that
        nobody has described (a file, a folder, a database's URL, a frame) roles are proposed first. What an attacker
        may know are the columns with the role quasi, the items, and the trees but for their sensitive field.
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
    progress
        Told what is being done.

    Raises
    ------
    InputError
        The data cannot be read or hold nothing that an attacker may know, or a number is wrong.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> people = pl.DataFrame({"age": [31, 31, 40, 40], "sex": ["f", "f", "f", "m"]})
    >>> found = risk(shoal.read(people, roles={"age": "quasi", "sex": "quasi"}), k=2)
    >>> found.table().select("known", "alone").rows()
    [('any 1 column', 0.25), ('all 2 columns', 0.5)]
    """
    _check(k, "k", 2)
    if sample is not None:
        _check(sample, "sample", 1)
    if missing not in (None, *get_args(Missing)):
        raise InputError(f"risk: missing must be one of {', '.join(get_args(Missing))}")
    progress("reading")
    dataset, proposed = open_data(data)
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


def _check(number: object, name: str, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise InputError(f"risk: {name} must be a whole number of at least {least}")


def _measure(
    people: People, k: int, beyond: PopulationFacts | None, progress: Progress, missing: Missing
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    facts: dict[str, Any] = {"found": []}
    rows: dict[str, NDArray[Any]] = {}
    if people.table is not None:
        facts, rows = column_facts(people.table, k, beyond, progress, missing)
    if people.baskets is not None or people.trees is not None:
        progress("items and values")
        facts["found"] = [*facts["found"], *_items(people, k)]
        facts |= _fields(people, k)
    return facts, rows


def _items(people: People, k: int) -> Iterator[dict[str, Any]]:
    from shoal.publish.study.risk import by_basket_items, by_tree_values

    if people.trees is not None:
        yield from by_tree_values(people.trees, k)
    if people.baskets is not None:
        yield from by_basket_items(people.baskets, k)
        if people.table is not None:
            yield from by_basket_items(people.baskets, k, classes_of(people.table), len(people.table.columns))


def _fields(people: People, k: int) -> dict[str, Any]:
    from shoal.publish.study.risk import field_facts

    return {} if people.trees is None else {"fields": field_facts(people.trees, k)}


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
