"""The shapes of data, each with what the door must know of it. A shape's own rooms are in the folder of its name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from shoal.data.types import I8
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.formats import FORMATS, TREE_FILES
from shoal.io.read.source import Source
from shoal.publish.protocols import Dataset, Known
from shoal.release import Claim, Result, Verdict

__all__ = ["SHAPES", "ShapeSpec", "dataset_of", "open_dataset", "with_front"]


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """How data of one shape go through the door; its rooms are imported when first used, for they are heavy.

    name   : table, baskets, mixed or trees
    words  : what people call it
    files  : the formats it is written in, the usual one first, each with the name of its file
    fronts : the makers that trace a front of such data; the first is the usual one
    """

    name: str
    words: str
    files: Mapping[str, str]
    fronts: tuple[str, ...] = ()

    def open(self, config: Config) -> Dataset:
        """Read the data and hierarchies that a configuration names."""
        opened: Dataset = self._room("opening").open_config(config)
        return opened

    def described(self, config: Config, source: Source) -> Dataset:
        """Records that were read, with the roles and hierarchies that a configuration names."""
        made: Dataset = self._room("opening").from_config(config, source)
        return made

    def known(self, columns: Mapping[str, str], config: Config | None, originals: Dataset | None) -> Known:
        """What is known of a release when it is judged from its folder."""
        found: Known = self._room("verifying").known(columns, config, originals)
        return found

    def seen(self, frame: Any, known: Known, claim: Claim) -> Any:
        """Released data as the claim's judge sees it."""
        return self._room("verifying").seen(frame, known, claim)

    def classes(self, frame: Any, known: Known) -> int:
        """How many classes, different baskets or different trees are released."""
        found: int = self._room("verifying").classes(frame, known)
        return found

    def strange(self, frame: Any, known: Known, config: Config) -> str | None:
        """A sentence where the data hold what the configuration does not publish; None where they do not."""
        found: str | None = self._room("verifying").strange(frame, known, config)
        return found

    def covered(self, frame: Any, known: Known, left_out: int) -> Verdict:
        """Judge that the known originals can have given this release, which states how many items it left out."""
        said: Verdict = self._room("verifying").covered(frame, known, left_out)
        return said

    def true(self, frame: Any, known: Known, claim: Claim, left_out: int) -> Verdict:
        """Check every cell against the original that the known rows name."""
        said: Verdict = self._room("verifying").true(frame, known, claim, left_out)
        return said

    def released_cells(
        self, dataset: Dataset, result: Result[Any], places: I8
    ) -> dict[str, list[str | None]]:
        """The cells of some rows of a release in words, by column."""
        found: dict[str, list[str | None]] = self._room("previewing").released_cells(dataset, result, places)
        return found

    def original_cells(
        self, dataset: Dataset, columns: Sequence[str], rows: I8
    ) -> dict[str, list[str | None]]:
        """The cells of some originals in words, by released column."""
        found: dict[str, list[str | None]] = self._room("previewing").original_cells(dataset, columns, rows)
        return found

    def loss_by(self, dataset: Dataset, result: Result[Any]) -> tuple[str, dict[str, float]]:
        """What a release loses part by part, and what the parts are: column, item or field."""
        found: tuple[str, dict[str, float]] = self._room("previewing").loss_by(dataset, result)
        return found

    def _room(self, name: str) -> Any:
        return import_module(f"shoal.publish.{self.name}.{name}")


_CELLS = {format: f"data.{format}" for format in FORMATS}

SHAPES: dict[str, ShapeSpec] = {
    "table": ShapeSpec("table", "a table", _CELLS, ("pareto", "poka")),
    "baskets": ShapeSpec("baskets", "baskets", _CELLS),
    "mixed": ShapeSpec("mixed", "a table with baskets", _CELLS, ("bound",)),
    "trees": ShapeSpec("trees", "record trees", TREE_FILES),
}


def open_dataset(config: Config) -> Dataset:
    """Read the data and hierarchies that a configuration names, whatever their shape."""
    return SHAPES[config.shape].open(config)


def dataset_of(config: Config, source: Source) -> Dataset:
    """Records that were read, as a configuration describes them; they are no trees."""
    return SHAPES[config.shape].described(config, source)


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
