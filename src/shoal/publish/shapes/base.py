"""The shapes of data, each with what the door must know of it. A shape is the module, or the folder, of its name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from shoal.algorithms import METHODS, Method
from shoal.data.arrays import I8
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.formats import FORMATS, TREE_FILES
from shoal.io.read.source import Source
from shoal.publish.protocols import Dataset, Known
from shoal.release import Claim, Result, Verdict
from shoal.report.words import SHAPE_WORDS

__all__ = ["SHAPES", "ShapeSpec", "dataset_of", "open_dataset", "with_front"]


class DataModule(Protocol):
    """How data of a shape are read, and shown in words."""

    def open_config(self, config: Config) -> Dataset:
        """Read the data and hierarchies that a configuration names."""

    def from_config(self, config: Config, source: Source) -> Dataset:
        """Records that were read, with the roles and hierarchies that a configuration names; trees have none."""

    def released_cells(self, data: Any, result: Result[Any], places: I8) -> dict[str, list[str | None]]:
        """The cells of some rows of a release in words, by column."""

    def original_cells(self, data: Any, columns: Sequence[str], rows: I8) -> dict[str, list[str | None]]:
        """The cells of some originals in words, by released column."""

    def loss_by(self, data: Any, result: Result[Any]) -> tuple[str, dict[str, float]]:
        """What a release loses part by part, and what the parts are: column, item or field."""

    def floor(
        self, data: Any, methods: Sequence[Method], claim: Claim, asked: Mapping[str, Any]
    ) -> float | None:
        """What (`ncp`) no release of these methods loses less than; None where no such figure is known."""


class VerificationModule(Protocol):
    """How released data of a shape are judged again, by somebody who believes nothing."""

    def context(self, columns: Mapping[str, str], config: Config | None, originals: Any) -> Known:
        """What is known of a release when it is judged from its folder."""

    def as_judged(self, frame: Any, known: Known, claim: Claim) -> Any:
        """Released data as the claim's judge sees it."""

    def classes(self, frame: Any, known: Known) -> int:
        """How many classes, different baskets or different trees are released."""

    def unexpected(self, frame: Any, known: Known, config: Config) -> str | None:
        """A sentence where the data hold what the configuration does not publish; None where they do not."""

    def provenance(self, frame: Any, known: Known, left_out: int) -> Verdict:
        """Judge that the known originals can have given this release, which states how many items it left out."""

    def row_truth(self, frame: Any, known: Known, claim: Claim, left_out: int) -> Verdict:
        """Check every cell against the original that the known rows name."""


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """How data of one shape go through the door; its modules are imported when first used, for they are heavy.

    name   : table, baskets, mixed or trees
    files  : the formats it is written in, the usual one first, each with the name of its file
    roles  : those that columns of a release may have
    folder : whether the shape is a folder of modules, `data` and `verification` among them; else it is one module
    """

    name: str
    files: Mapping[str, str]
    roles: tuple[str, ...]
    folder: bool = False

    @property
    def words(self) -> str:
        """What people call it."""
        return SHAPE_WORDS[self.name].name

    @property
    def fronts(self) -> list[str]:
        """The methods that trace a front of such data; the first is the usual one."""
        return [found.name for found in METHODS.values() if found.shape == self.name and found.front]

    @property
    def data(self) -> DataModule:
        """How its data are read and shown."""
        found: Any = self._module("data")
        return found  # type: ignore[no-any-return]

    @property
    def verification(self) -> VerificationModule:
        """How releases of it are judged again."""
        found: Any = self._module("verification")
        return found  # type: ignore[no-any-return]

    def _module(self, name: str) -> Any:
        place = f"shoal.publish.shapes.{self.name}"
        return import_module(f"{place}.{name}" if self.folder else place)


_CELLS = {format: f"data.{format}" for format in FORMATS}

SHAPES: dict[str, ShapeSpec] = {
    "table": ShapeSpec("table", _CELLS, ("quasi", "sensitive", "plain"), folder=True),
    "baskets": ShapeSpec("baskets", _CELLS, ("items", "sensitive", "plain"), folder=True),
    "mixed": ShapeSpec("mixed", _CELLS, ("quasi", "items", "sensitive", "plain")),
    "trees": ShapeSpec("trees", TREE_FILES, ("tree",), folder=True),
}


def open_dataset(config: Config) -> Dataset:
    """Read the data and hierarchies that a configuration names, whatever their shape."""
    return SHAPES[config.shape].data.open_config(config)


def dataset_of(config: Config, source: Source) -> Dataset:
    """Records that were read, as a configuration describes them; they are no trees."""
    return SHAPES[config.shape].data.from_config(config, source)


def with_front(name: str) -> ShapeSpec:
    """The shape of that name, if its losses can be traded against each other.

    Raises
    ------
    InputError
        They cannot.
    """
    shape = SHAPES[name]
    if not shape.fronts:
        there = " and of ".join(other.words for other in SHAPES.values() if other.fronts)
        raise InputError(f"pareto: there is no front of {shape.words} to trace; there is one of {there}")
    return shape
