"""The parameters of methods as data, so that they can be shown and asked for without importing a method.

A method says what it takes in its signature and its docstring; words and ranges stand in the type, as `OneOf` and
`Within`. `knobs.json` holds what `derive_knobs` read there, and a test compares the two.
"""

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import Annotated, Any

from shoal.algorithms import Method, find_method, methods_for
from shoal.base.errors import InputError

__all__ = [
    "KNOBS",
    "Knob",
    "Many",
    "OneOf",
    "Seconds",
    "Share",
    "Within",
    "cheapest_point",
    "knobs",
    "list_common_knobs",
    "list_fitting_methods",
    "list_unknown_options",
    "pick_fitting_options",
    "recode_of",
    "require_positive",
    "suppression_limit",
]

KNOBS = Path(__file__).with_name("knobs.json")
"""Every method's parameters; `python -m shoal.algorithms.derive_knobs` writes it anew."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """Of a parameter's type: the words that it takes."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Within:
    """Of a parameter's type: the smallest and the largest number that it takes; `below` leaves out the largest."""

    least: float
    most: float | None = None
    below: bool = False


Share = Annotated[float, Within(0, 1, below=True)]
"""A share that is not the whole."""
Many = Annotated[int, Within(1)]
"""A whole number of at least 1."""
Seconds = Annotated[float, Within(0)]


@dataclass(frozen=True, slots=True)
class Knob:
    """One parameter of a method.

    kinds   : what it takes: number, whole, word, text, truth, list or table; of several each is as good
    default : what it is where nobody says; None leaves it to the method
    words   : the words that it takes
    least, most, below : the numbers that it takes; below leaves out the largest itself
    about   : what it does, in sentences
    """

    name: str
    kinds: tuple[str, ...]
    default: Any
    about: str
    words: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    below: bool = False

    @property
    def takes(self) -> str:
        """What it takes, in words.

        >>> Knob("delta", ("number", "word"), "knee", "", ("knee",), 0, 1).takes
        'a number from 0 to 1, or knee'
        """
        return ", or ".join(self._words(kind) for kind in self.kinds)

    def read(self, text: str) -> Any:
        """Return the value that a person typed: a word or text as it is, all else as TOML has it.

        Raises
        ------
        InputError
            It is none of what the parameter takes.

        >>> Knob("grid", ("number", "table"), None, "").read("{ age = 5 }")
        {'age': 5}
        """
        text = text.strip()
        if text in self.words or "text" in self.kinds:
            return text
        try:
            document = tomllib.loads(f"it = {text}")
        except (tomllib.TOMLDecodeError, RecursionError):
            document = {}
        if len(document) != 1:  # nothing, or more lines than one
            raise InputError(f"{self.name}: this cannot be read; give {self.takes}")
        return document["it"]

    def publishable_value(self, value: Any, columns: Collection[str]) -> Any:
        """What of a value may be published beside the columns of these names; None where nothing of it may.

        Numbers, truths and the words of the parameter hold no data. A text names a column, and a table that stands in
        the place of one number has one for each column: both show published columns alone. All else may hold cells.

        >>> grid, weights = Knob("grid", ("number", "table"), None, ""), Knob("weights", ("table",), None, "")
        >>> grid.publishable_value({"age": 5, "name": 1}, ["age"]), weights.publishable_value({"HIV": 0.5}, ["age"])
        ({'age': 5}, None)
        """
        if isinstance(value, bool | int | float):
            return value
        if isinstance(value, str):
            return value if value in self.words or ("text" in self.kinds and value in columns) else None
        if isinstance(value, Mapping) and "table" in self.kinds and {"number", "whole"} & {*self.kinds}:
            return {
                key: cell
                for key, cell in value.items()
                if key in columns and isinstance(cell, bool | int | float)
            }
        return None

    def as_dict(self) -> dict[str, Any]:
        """Return all of it that is said, as plain data."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        always = ("name", "kinds", "default", "about")
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in settings.items()
            if key in always or (value != () and value is not None and value is not False)
        }

    def _words(self, kind: str) -> str:
        if kind == "word":
            return f"one of {', '.join(self.words)}" if len(self.words) > 1 else self.words[0]
        return f"{_KINDS[kind]}{self._describe_range()}" if kind in ("number", "whole") else _KINDS[kind]

    def _describe_range(self) -> str:
        if self.least is None:
            return ""
        if self.most is None:
            return f" of at least {self.least:g}"
        return f" from {self.least:g} to {'below ' if self.below else ''}{self.most:g}"


_KINDS = {
    "number": "a number",
    "whole": "a whole number",
    "text": "a text",
    "truth": "true or false",
    "list": "a list of lists of names",
    "table": "a table of names and numbers",
}


def knobs(name: str) -> tuple[Knob, ...]:
    """Return the parameters of a method, in its own order.

    >>> [knob.name for knob in knobs("mstk")]
    ['suppress', 'recode', 'grid', 'rule', 'resplit', 'fragment', 'minimal', 'individual_risk']
    """
    return tuple(_make_knob(**settings) for settings in _load_knobs()[find_method(name).name])


def recode_of(method: str, options: Mapping[str, Any]) -> str:
    """How a method writes classes with these options; one that has no choice writes nodes of hierarchies.

    >>> recode_of("mstk", {}), recode_of("mstk", {"recode": "span"}), recode_of("boxes", {})
    ('hierarchy', 'span', 'hierarchy')
    """
    usual = next((knob.default for knob in knobs(method) if knob.name == "recode"), "hierarchy")
    return str(options.get("recode", usual))


def _make_knob(*, kinds: list[str], words: Sequence[str] = (), **rest: Any) -> Knob:
    return Knob(kinds=tuple(kinds), words=tuple(words), **rest)


@cache
def _load_knobs() -> dict[str, list[dict[str, Any]]]:
    stored: dict[str, list[dict[str, Any]]] = json.loads(KNOBS.read_text(encoding="utf-8"))
    return stored


def list_fitting_methods(shape: str, configuration: Mapping[str, Any]) -> list[Method]:
    """The methods that keep what a configuration asks for; all of the shape where that makes no sense.

    Parameters
    ----------
    shape
        Of the data: table, baskets, mixed or trees.
    configuration
        As data in the shape of shoal.toml.
    """
    from shoal.privacy.attackers import (
        claim_from_configuration,  # claims import numpy, and parameters are shown without it
    )

    try:
        claim = claim_from_configuration(shape, configuration)
    except InputError:
        return methods_for(shape)
    return methods_for(shape, [part.named for part in claim.parts])


def pick_fitting_options(methods: Collection[Method], method: Mapping[str, Any]) -> dict[str, Any]:
    """A section [method] as far as it fits: the method if it is one of these, and the parameters that it has.

    Where it names none of them, the parameters stay that all of them have.
    """
    name = method.get("name") if method.get("name") in [candidate.name for candidate in methods] else None
    known_names = [knob.name for knob in (list_common_knobs(methods) if name is None else knobs(name))]
    settings = {key: value for key, value in method.items() if key in known_names}
    return {**({} if name is None else {"name": name}), **settings}


def list_common_knobs(methods: Collection[Method]) -> list[Knob]:
    """The parameters that every one of some methods has."""
    knobs_by_method = [{knob.name: knob for knob in knobs(candidate.name)} for candidate in methods]
    return (
        [
            knob
            for name, knob in knobs_by_method[0].items()
            if all(name in knob_by_name for knob_by_name in knobs_by_method)
        ]
        if knobs_by_method
        else []
    )


def list_unknown_options(name: str, method: Mapping[str, Any]) -> list[str]:
    """The parameters in a section [method] that a method does not have.

    >>> said = {"name": "mstk", "suppress": 0.1, "rule": "paper"}
    >>> list_unknown_options("optimal", said), list_unknown_options("mstk", said)
    (['rule'], [])
    """
    known_names = {knob.name for knob in knobs(name)}
    return [key for key in method if key != "name" and key not in known_names]


def cheapest_point(front: Sequence[Mapping[str, Any]], k: int) -> int:
    """The place of the cheapest point of a front, as a result writes it, that reaches k; the last where none does.

    >>> [cheapest_point([{"k": 1}, {"k": 4}, {"k": 9}], k) for k in (1, 2, 4, 5, 10)]
    [0, 1, 1, 2, 2]
    """
    return next((index for index, point in enumerate(front) if point["k"] >= k), len(front) - 1)


def suppression_limit(method: str, suppress: float, whole: int, of: str = "records") -> int:
    """How many of `whole` records, or item occurrences, may be left out: floor(suppress * whole).

    `suppress` is read as the decimal it was written as: 0.29 of 100 are 29, though the float is a little less.

    >>> suppression_limit("optimal", 0.29, 100), int(0.29 * 100)
    (29, 28)
    """
    if not 0 <= suppress < 1:  # also refuses what is not a number
        raise InputError(f"{method}: suppress={suppress}; give a share of {of} from 0 to below 1")
    return int(Decimal(str(float(suppress))) * whole)


def require_positive(method: str, **numbers: int) -> None:
    """Refuse numbers, by name, that are not whole or below 1."""
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, Integral) or number < 1:
            raise InputError(f"{method}: {name}={number!r}; give a whole number of at least 1")
