"""Run a maker on fragments of the records and unite what it makes; `docs/fragments.md` proves that claims are kept."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, overload

import numpy as np

from shoal.algorithms import method
from shoal.algorithms.demand import Demand
from shoal.algorithms.fragments.cuts import CUTS
from shoal.algorithms.fragments.joining import made_of_all
from shoal.algorithms.fragments.unions import union
from shoal.algorithms.local.class_demand import Whole
from shoal.algorithms.local.column_prices import default_grid
from shoal.algorithms.local.local_table import Local
from shoal.algorithms.local.outliers import without_outliers
from shoal.data import Mixed, Table
from shoal.data.types import I8
from shoal.engines.parts import Mapper, in_turn
from shoal.errors import InfeasibleError
from shoal.progress import Progress, rising, silent
from shoal.release import Claim, Result

__all__ = ["Fragment", "in_fragments", "in_parts", "make_one", "parts_of_one", "shared_grid"]

_OF_RECORDS = ("table", "mixed", "baskets", "label")
"""Of what a maker is given: that which has a part for each fragment; all else is the same for all."""
_ROOM = 2  # crowds that a fragment has room for at least, however small it was asked for


@dataclass(frozen=True, slots=True)
class Fragment:
    """Some of the records, as they are sent to a task.

    number : which of the fragments it is
    inputs : its records, by the names that the maker gives them
    seed   : what a rehearsal draws from; None where the operating system draws
    """

    number: int
    inputs: dict[str, Any]
    seed: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Fragments(Sequence[Fragment]):
    """Fragments that are cut out of the data when a task is to have them."""

    inputs: Mapping[str, Any]
    parts: Sequence[tuple[int, I8]]
    seed: tuple[int, ...] | None

    def __len__(self) -> int:
        return len(self.parts)

    @overload
    def __getitem__(self, at: int) -> Fragment: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Fragment]: ...
    def __getitem__(self, at: int | slice) -> Fragment | Sequence[Fragment]:
        if isinstance(at, slice):
            return [self[place] for place in range(len(self))[at]]
        number, rows = self.parts[at]
        own = {
            name: None if self.inputs[name] is None else self.inputs[name].some(rows)
            for name in _OF_RECORDS
            if name in self.inputs
        }
        return Fragment(number, own, None if self.seed is None else (*self.seed, number))


def in_fragments(
    maker: str,
    inputs: Mapping[str, Any],
    claim: Claim,
    options: Mapping[str, Any],
    *,
    size: int,
    mapper: Mapper = in_turn,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Result[Any]:
    """Cut the records into fragments, run the maker on each, and unite what it makes.

    Parameters
    ----------
    maker
        One of `FRAGMENTED`.
    inputs
        What the maker takes, by name: the data and their hierarchies.
    claim, options
        What the maker is asked for, and its own parameters.
    size
        About how many records a fragment may hold. It is more where a person has many rows, and where a fragment alone
        cannot keep the claim: it is joined with the smaller one of its neighbours then, again and again.
    mapper
        What runs the tasks. The release is the same, whatever their order.
    rng
        For tests and papers only; by default the operating system draws.
    progress
        A listener that is told how many of the records are in fragments that are done.

    Raises
    ------
    InfeasibleError
        All records in one fragment do not keep the claim either.
    """
    shared = {name: value for name, value in inputs.items() if name not in _OF_RECORDS}
    records = next(inputs[name].n for name in _OF_RECORDS if name in inputs)
    drawn = np.random.default_rng() if rng is None else rng
    seed = None if rng is None else (int(rng.integers(2**62)),)
    tell = rising(progress, f"{maker}: fragments")
    parts = CUTS[maker](maker, inputs, claim, max(size, _ROOM * claim.crowd), drawn)
    asked = dict(options)
    if isinstance(inputs.get("table"), Table):
        parts = _without_outliers(maker, inputs, claim, parts, asked, mapper)
        asked |= _of_the_whole(maker, inputs, claim, np.concatenate(parts), asked)
    elif isinstance(inputs.get("mixed"), Mixed):
        asked |= shared_grid(inputs["mixed"].table, inputs, slice(None), asked)
    elif maker == "lra":
        asked["parts"] = parts_of_one(len(parts), **asked)

    def send(parts: list[I8], todo: list[int]) -> _Fragments:
        own = None if seed is None else (*seed, len(parts))
        return _Fragments(inputs, [(at, parts[at]) for at in todo], own)

    task = partial(make_one, maker, shared, claim, asked)
    found, parts = made_of_all(task, parts, len, np.concatenate, send, mapper, tell)
    return union(parts, found, records)


def in_parts(
    maker: str,
    inputs: Mapping[str, Any],
    claim: Claim,
    options: Mapping[str, Any],
    parts: Sequence[I8],
    *,
    whole: I8,
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Result[Any]:
    """Run a local maker of tables inside each of some parts of the records, never across two of them.

    Nobody is left out but who is in no part. Classes are compared with what the records `whole` hold: all that are
    published.

    Raises
    ------
    InfeasibleError
        A part cannot keep the claim by itself.
    """
    tell = rising(progress, f"{maker}: parts")
    asked = {name: value for name, value in options.items() if name not in ("suppress", "fragment")}
    asked |= _of_the_whole(maker, inputs, claim, whole, asked)
    shared = {name: value for name, value in inputs.items() if name not in _OF_RECORDS}
    seed = None if rng is None else (int(rng.integers(2**62)),)
    found = []
    for number, fragment in enumerate(_Fragments(inputs, list(enumerate(parts)), seed)):
        made = make_one(maker, shared, claim, asked, fragment)[1]
        if isinstance(made, str):
            raise InfeasibleError(made)
        found.append(made)
        tell((number + 1) / len(parts))
    return union(parts, found, inputs["table"].n)


def make_one(
    maker: str, shared: Mapping[str, Any], claim: Claim, options: Mapping[str, Any], fragment: Fragment
) -> tuple[int, Result[Any] | str]:
    """The task: run the maker on a fragment; the answer is its result, or why there is none."""
    make = method(maker).load()
    draws = fragment.seed is not None and "rng" in inspect.signature(make).parameters
    drawn = {"rng": np.random.default_rng(fragment.seed)} if draws else {}
    try:
        return fragment.number, make(**fragment.inputs, **shared, claim=claim, **drawn, **options)
    except InfeasibleError as error:
        return fragment.number, str(error)


def parts_of_one(fragments: int, *, parts: int = 2, **_: Any) -> int:
    """Into how many parts `lra` cuts a fragment, so that there are as many in all as it was asked for.

    >>> parts_of_one(3, parts=8), parts_of_one(3)
    (3, 1)
    """
    return -(-parts // fragments)


def _without_outliers(
    maker: str,
    inputs: Mapping[str, Any],
    claim: Claim,
    parts: list[I8],
    options: dict[str, Any],
    mapper: Mapper,
) -> list[I8]:
    """The parts without the records that are left out: who is left counts in what classes are compared with.

    The option `suppress` is taken away: it is used up.
    """
    suppress = options.pop("suppress", 0.0)
    if not suppress:
        return parts
    written = {"recode": options.get("recode", "hierarchy"), "grid": options.get("grid")}
    task = partial(_keep, maker, inputs["hierarchies"], claim.crowd, suppress, written)
    kept = dict(mapper(task, _Fragments(inputs, list(enumerate(parts)), None)))
    return [rows[kept[at]] for at, rows in enumerate(parts)]


def _keep(
    maker: str, hierarchies: Any, k: int, suppress: float, written: Mapping[str, Any], fragment: Fragment
) -> tuple[int, I8]:
    """The task: which records of a fragment stay."""
    table = fragment.inputs["table"]
    local = Local.of(maker, table, hierarchies, **written, mix=False, k=k)
    return fragment.number, np.sort(without_outliers(local, table, k, suppress).rows)


def _of_the_whole(
    maker: str, inputs: Mapping[str, Any], claim: Claim, rows: I8, options: Mapping[str, Any]
) -> dict[str, Any]:
    """What makers of tables need to know of all records that are published, so that no fragment tells of itself."""
    table = inputs["table"]
    demand = Demand.of(maker, claim, table)
    whole = {"whole": Whole.of(table, rows, demand)} if demand.sensitive else {}
    return {**shared_grid(table, inputs, rows, options), **whole}


def shared_grid(
    table: Table, inputs: Mapping[str, Any], rows: I8 | slice, options: Mapping[str, Any]
) -> dict[str, Any]:
    """The steps that ends of ranges lie on: one for all fragments, since that of a few numbers would tell them."""
    given = options.get("grid")
    if options.get("recode") != "span" or not (given is None or isinstance(given, Mapping)):
        return {}
    steps: dict[str, Any] = {}
    for column in table.quasi:
        hierarchy = inputs["hierarchies"][column.name]
        steps[column.name] = default_grid(hierarchy, hierarchy.encode(column)[rows])
    found = {name: step for name, step in steps.items() if step is not None}
    return {"grid": {**found, **{name: step for name, step in (given or {}).items() if step is not None}}}
