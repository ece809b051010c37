"""What is measured of every release that a comparison makes. Adding something is one function in `MEASURES`."""

import time
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from inspect import signature
from itertools import pairwise, product
from typing import Any

import numpy as np

from shoal.algorithms import METHODS, find_method
from shoal.anonymization.methods import claim_from_options, explain_mismatch
from shoal.anonymization.release import Release
from shoal.anonymization.run import anonymize_only
from shoal.assess.attack import label_figures
from shoal.assess.usefulness import model_figures, table_figures
from shoal.base.arguments import is_number
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InfeasibleError, InputError, ShoalError, error_location
from shoal.base.naming import suggest_name
from shoal.data.arrays import I8
from shoal.privacy import GUARANTEE, METHOD_KEYS
from shoal.release import Recoded, RecodedBaskets, RecodedMixed, RecodedTrees
from shoal.risks.look_alikes import describe_classes
from shoal.shapes.dataset import Dataset
from shoal.utility import class_of_rows

__all__ = [
    "COLUMN",
    "MADE",
    "MEASURES",
    "SWEPT",
    "Numbers",
    "Originals",
    "Point",
    "_measure_release",
    "compute_floor",
    "cross_sweeps",
    "list_points",
    "make_hole",
    "measure_point",
    "parse_sweep",
    "select_methods",
]

# --- The points of a comparison: methods, parameters and guarantees, each with one value or swept over several.

# Sweeps: which numbers a comparison goes through, as people write them.
#
# 2:100      from 2 to 100 by the steps 1, 2, 5, 10, 20, 50, 100, ... with 3 after 2; both ends are always included
# 2:100:1    from 2 to 100 by steps of 1; both ends are always included
# 5          one number
# 2,5,7      a list; its parts may be any of the above

Numbers = Sequence[int | float]

SWEPT: dict[str, type] = {"k": int, "m": int, "n": int, "l": int, "delta": float, "suppress": float}
"""What can be swept, and whether it is a whole number."""

_MOST = 1000  # numbers in one sweep
_MOST_POINTS = 10_000
_LARGEST = 10**9


def parse_sweep(name: str, asked: Any) -> Numbers:
    """The numbers that somebody asks for, rising and each once: a text as above, a number, or several numbers.

    Raises
    ------
    InputError
        It is no sweep, or one of too many numbers.

    Examples
    --------
    >>> parse_sweep("k", "2:100"), parse_sweep("suppress", "0:0.1:0.04"), parse_sweep("k", [5, 2])
    ((2, 3, 5, 10, 20, 50, 100), (0.0, 0.04, 0.08, 0.1), (2, 5))
    """
    kind = SWEPT[name]
    if isinstance(asked, str):
        texts = asked.split(",")
    elif isinstance(asked, Iterable):
        texts = [_format_number(name, item) for item in asked]
    else:
        texts = [_format_number(name, asked)]
    numbers = {number for text in texts for number in _parse_part(name, text.strip())}
    if not numbers:
        raise _sweep_error(name)
    _require_few(name, len(numbers))
    return tuple(sorted(kind(number) for number in numbers))


def _ladder(low: int, high: int) -> list[int]:
    """The whole numbers 1, 2, 3, 5, 10, 20, 50, 100, ... from `low` to `high`, and these two.

    >>> _ladder(2, 100), _ladder(4, 7)
    ([2, 3, 5, 10, 20, 50, 100], [4, 5, 7])
    """
    steps = {3} | {step * 10**power for power in range(len(str(high))) for step in (1, 2, 5)}
    return sorted({low, high} | {step for step in steps if low < step < high})


def cross_sweeps(sweeps: Mapping[str, Numbers]) -> list[dict[str, int | float]]:
    """Every choice of one number from each sweep.

    Raises
    ------
    InputError
        There are too many.
    """
    points = [dict(zip(sweeps, combination, strict=True)) for combination in product(*sweeps.values())]
    if len(points) > _MOST_POINTS:
        raise InputError(
            f"compare: the sweeps make {len(points):,} points; sweep fewer numbers, at most {_MOST_POINTS:,} points"
        )
    return points


def _parse_part(name: str, text: str) -> list[Decimal]:
    """One part of a list: a number, or numbers from one to another."""
    numbers = [_parse_number(name, part) for part in text.split(":")]
    if len(numbers) == 1:
        return numbers
    low, high, *step = numbers
    if len(step) > 1 or low > high:
        raise _sweep_error(name)
    if step:
        return _step_numbers(name, low, high, step[0])
    if SWEPT[name] is float:
        raise InputError(f"compare: --{name} needs a step from one share to another, such as 0:0.1:0.02")
    return [Decimal(number) for number in _ladder(int(low), int(high))]


def _step_numbers(name: str, low: Decimal, high: Decimal, step: Decimal) -> list[Decimal]:
    """From one number to another by equal steps, and the last one."""
    if step <= 0:
        raise _sweep_error(name)
    _require_few(name, (high - low) / step)
    return [*(low + step * index for index in range(int((high - low) / step) + 1)), high]


def _parse_number(name: str, text: str) -> Decimal:
    """A number as it is written: shares are counted in decimals, so that steps of 0.02 are that."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise _sweep_error(name) from None
    is_whole = SWEPT[name] is int
    if not number.is_finite() or abs(number) > _LARGEST or (is_whole and number != int(number)):
        raise _sweep_error(name)
    return number


def _format_number(name: str, number: object) -> str:
    if not is_number(number):
        raise _sweep_error(name)
    return str(number)


def _require_few(name: str, count: Decimal | int) -> None:
    if count > _MOST:
        raise InputError(f"compare: --{name} asks for more than {_MOST:,} numbers; take larger steps")


def _sweep_error(name: str) -> InputError:
    example = "2:100, 2:100:1, 5 or 2,5,7" if SWEPT[name] is int else "0:0.1:0.02, 0.05 or 0.01,0.1"
    kind = "whole numbers" if SWEPT[name] is int else "numbers"
    return InputError(f"compare: --{name} takes {kind}, such as {example}")


# The points of a comparison: one method at one choice of the numbers that are swept.

_USUAL = "default"
"""The word for the method that `shoal run` takes where none is named."""

_CLAIMED = (*GUARANTEE, *METHOD_KEYS)
"""Options that make the claim, so that every method is held to them."""


@dataclass(frozen=True, slots=True)
class Point:
    """One method, and all that it is asked for.

    options : what `anonymize` is given: the claim's numbers and the method's parameters
    """

    method: str
    options: Mapping[str, Any]
    seed: int | None = None

    @property
    def numbers(self) -> dict[str, Any]:
        """What can be swept, as it is at this point; None where the method takes no such number or chooses it."""
        return {name: self.options.get(name) for name in SWEPT}

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells this point from others of the same data and configuration."""
        return (self.method, *self.numbers.values())


def list_points(
    methods: Sequence[str], sweeps: Mapping[str, Numbers], options: Mapping[str, Any], seed: int | None = None
) -> list[Point]:
    """Every method at every point, a point at a time, so that methods take turns.

    A method is given what of `options` makes the claim, and those parameters that it has.
    """
    takes = {name: _parameters(name) for name in methods}
    return [
        Point(name, _select_options({**options, **numbers}, takes[name]), seed)
        for numbers in cross_sweeps(sweeps)
        for name in methods
    ]


def select_methods(
    dataset: Dataset,
    methods: Sequence[str] | None,
    sweeps: Mapping[str, Numbers],
    options: Mapping[str, Any],
) -> tuple[list[str], dict[str, str]]:
    """The methods to compare, and those that are left out with the reason; named ones are never left out.

    The word `default` names the method that `shoal run` would take.

    Raises
    ------
    InputError
        A named method is unknown or cannot do what is asked; none can; or the numbers make no claim.
    """
    _require_known_options(dataset.shape, options)
    claims = [
        claim_from_options(dataset, None, {**_select_options(options), **_select_options(selected)})
        for selected in cross_sweeps(sweeps)
    ]
    if methods is not None:
        methods = [dataset.default({**options, **sweeps}) if name == _USUAL else name for name in methods]
        for name in methods:
            why = _explain_unfit(name, dataset, claims, sweeps)
            if why is not None:
                raise InputError(why)
        if not methods:
            raise InputError(
                "compare: no method is named; leave --methods out, and all that fit are compared"
            )
        return list(dict.fromkeys(methods)), {}
    able = [name for name in METHODS if _explain_unfit(name, dataset, claims, sweeps) is None]
    selected = [name for name in able if not METHODS[name].redundant]
    if not able:
        raise InputError(
            "compare: no method takes all that is asked for; sweep fewer numbers, or name methods in --methods"
        )
    redundant = {name: METHODS[name].redundant for name in able if METHODS[name].redundant}
    return (selected, redundant) if selected else (able, {})


def _require_known_options(shape: str, options: Mapping[str, Any]) -> None:
    """Refuse a parameter that no method of such data has: it is a slip."""
    suited = [entry for entry in METHODS.values() if entry.shape == shape]
    parameters = dict.fromkeys(
        key for entry in suited for key, p in _parameters(entry.name).items() if p.kind is p.KEYWORD_ONLY
    )
    for key in options:
        if key not in parameters and key not in _CLAIMED:
            raise InputError(
                f"compare: no method of such data has a parameter '{key}'; {suggest_name(key, parameters)}"
            )


def _parameters(name: str) -> Mapping[str, Any]:
    return signature(find_method(name).load()).parameters


def _select_options(options: Mapping[str, Any], own: Container[str] = ()) -> dict[str, Any]:
    """What makes the claim, and what of the rest is a method's own."""
    return {key: value for key, value in options.items() if key in _CLAIMED or key in own}


def _explain_unfit(
    name: str, dataset: Dataset, claims: Sequence[Any], sweeps: Mapping[str, Numbers]
) -> str | None:
    """Why a method cannot be compared, in a sentence."""
    entry = find_method(name)
    for claim in claims:
        if (why := explain_mismatch(entry, dataset, claim)) is not None:
            return f"compare: {why.removeprefix('method: ')}"
    parameters = _parameters(name)
    for swept in sweeps:
        if swept not in parameters and swept not in _CLAIMED:
            return f"compare: {name} takes no {swept}; leave {name} out of --methods, or sweep something else"
    return None


@dataclass(frozen=True, slots=True, repr=False)
class Originals(SafeRepr):
    """What releases are made of and measured by.

    dataset : the originals that are released
    held    : other records, on which models are tested that learned from a release; None without a target
    target  : the column that these models predict
    labels  : whether attackers are played who read what labels tell beyond themselves
    others  : other records, on whom their descriptions are tried as well; None where there are none
    """

    dataset: Dataset
    held: Dataset | None = None
    target: str | None = None
    labels: bool = False
    others: Dataset | None = None


Figures = Mapping[str, float | None]
Measure = Callable[[Dataset, Release], Figures]
"""It takes the originals and a judged release of them, and gives figures by the name of their column."""

COLUMN = "loss of "
"""What stands before the name of a column that came in, where a figure is what it lost; None where it is left out."""


def _measure_losses(dataset: Dataset, release: Release) -> dict[str, float]:
    """Every loss of the shape, the headline loss first."""
    return release.loss


def _measure_counts(dataset: Dataset, release: Release) -> dict[str, float]:
    """What was left out, and how many classes there are."""
    figures = dataset.counts(release.result.release)
    return {name: figures[name] for name in ("suppressed", "suppressed_items", "classes")}


def _measure_risks(dataset: Dataset, release: Release) -> dict[str, float]:
    """How exposed people are after the release.

    A table's records are alike where their quasi-identifiers are; those of a table with baskets as well. Baskets and
    record trees are alike where all of them is: to somebody who knows whole records, which is more than their claims
    allow. Of baskets by vote nothing is told, for a row need not be like the record it stems from.
    """
    released = release.result.release
    if release.claim.votes:
        return {}
    k = max(release.claim.crowd, 2)
    persons = dataset.inputs["table"].persons if dataset.counts_persons else None
    person_of_row = None if persons is None else persons[released.rows]
    exposure = describe_classes(_record_classes(released), person_of_row, below=[k])
    return {
        "risk_average": exposure["average"],
        "risk_highest": exposure["highest"],
        "below_k": exposure["below"][str(k)],
    }


def _measure_analyst_errors(dataset: Dataset, release: Release) -> dict[str, float]:
    """Of tables, alone or with baskets: how far off counts, associations and means are."""
    return table_figures(dataset, release.result.release)


def _measure_column_losses(dataset: Dataset, release: Release) -> Figures:
    """What every column that came in lost, so that a small loss of few columns does not flatter."""
    return {f"{COLUMN}{name}": loss for name, loss in release.losses_by_column.items()}


MEASURES: list[Measure] = [
    _measure_losses,
    _measure_counts,
    _measure_risks,
    _measure_analyst_errors,
    _measure_column_losses,
]


def _measure_release(originals: Originals, release: Release) -> Figures:
    """All that is measured of one release, by column; of a target, what models learn from it as well."""
    dataset = originals.dataset
    figures = {name: value for measure in MEASURES for name, value in measure(dataset, release).items()}
    if originals.labels:
        figures |= label_figures(release, originals.others)
    if originals.held is None or originals.target is None:
        return figures
    return figures | model_figures(dataset, release.result.release, originals.held, originals.target)


def _record_classes(release: Any) -> I8:
    """The class of each released record."""
    match release:
        case Recoded():
            return class_of_rows(release)
        case RecodedMixed():
            return class_of_rows(release.table)
        case RecodedBaskets():
            return _number_equal_rows(release.start, release.items[:, None])
        case RecodedTrees():
            trees = release.trees
            return _number_equal_rows(trees.start, np.stack([trees.items, trees.parents], axis=1))
        case _:
            raise TypeError(f"{type(release).__name__} has no classes")


def _number_equal_rows(start: I8, entries: Any) -> I8:
    """The same number for rows whose lists are equal."""
    number_of_row: dict[bytes, int] = {}
    rows = (entries[first:last].tobytes() for first, last in pairwise(start.tolist()))
    return np.array([number_of_row.setdefault(row, len(number_of_row)) for row in rows], dtype=np.int64)


# What no release of a kind can lose less than, at the point that a comparison is about.


def compute_floor(
    dataset: Dataset, methods: Sequence[str], options: Mapping[str, Any], at: Mapping[str, Any]
) -> float | None:
    """The floor of the loss `ncp`; None where none of the methods is of a kind that one is known for."""
    all_options = {**options, **at}
    k = all_options.get("k")
    if not isinstance(k, int) or k < 2:
        return None
    claim = claim_from_options(dataset, None, all_options)
    return dataset.find_floor([METHODS[name] for name in methods], claim, all_options)


# One point: make the release, judge it, measure it, and keep nothing else of it.

MADE = "made"
"""The status of a point whose release was made and judged; any other is a hole."""


def measure_point(originals: Originals, point: Point) -> dict[str, Any]:
    """The facts of one point: figures, or why there are none; a method that fails ends nothing."""
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        arguments: dict[str, Any] = {"method": point.method, "seed": point.seed, "allow_empty": True}
        release = anonymize_only(originals.dataset, **arguments, **point.options)
        times = {"cpu_seconds": time.process_time() - cpu, "wall_seconds": time.perf_counter() - wall}
        figures = _measure_release(originals, release)
    except InfeasibleError as error:
        return make_hole(point, "not possible", str(error))
    except ShoalError as error:
        return make_hole(point, "wrong input" if isinstance(error, InputError) else "refused", str(error))
    except MemoryError:
        return make_hole(point, "out of memory", "there was not enough memory; give fewer records or columns")
    except Exception as error:
        origin = f"{type(error).__name__} in {error_location(error)}"
        return make_hole(point, "crashed", f"this should not have happened ({origin}); please report it")
    return {**make_hole(point, MADE, ""), "judged": bool(release.verdict), **figures, **times}


def make_hole(point: Point, status: str, message: str) -> dict[str, Any]:
    """A point without a release."""
    return {"maker": point.method, **point.numbers, "status": status, "message": message, "judged": False}
