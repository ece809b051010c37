"""The shapes of data, each with what the door must know of it. A shape is the module, or the folder, of its name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from shoal.algorithms import METHODS, Method
from shoal.base.errors import InputError
from shoal.data.arrays import I8
from shoal.io.config import Config
from shoal.io.formats import FORMATS, TREE_FILES
from shoal.io.read.source import Source
from shoal.privacy import CLAIMS
from shoal.release import Claim, Result, Verdict
from shoal.report.words import SHAPE_WORDS
from shoal.shapes.dataset import Dataset, JudgingContext

__all__ = [
    "SHAPES",
    "ShapeSpec",
    "bind_to_claim",
    "dataset_of",
    "open_dataset",
    "shape_with_front",
    "spec_of",
]


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
        self, data: Any, methods: Sequence[Method], claim: Claim, asked: Mapping[str, Any], made: Any = None
    ) -> float | None:
        """What (`ncp`) no release of these methods loses less than; None where no such figure is known.

        Whether it is known depends on what is `asked` for, or, where a release is `made`, on what it holds.
        """


class VerificationModule(Protocol):
    """How released data of a shape are judged again, by somebody who believes nothing."""

    def context(self, columns: Mapping[str, str], config: Config | None, originals: Any) -> JudgingContext:
        """What is known of a release when it is judged from its folder."""

    def as_judged(self, frame: Any, known: JudgingContext, claim: Claim) -> Any:
        """Released data as the claim's judge sees it."""

    def classes(self, frame: Any, known: JudgingContext) -> int:
        """How many classes, different baskets or different trees are released."""

    def unexpected(self, frame: Any, known: JudgingContext, config: Config) -> str | None:
        """A sentence where the data hold what the configuration does not publish; None where they do not."""

    def provenance(self, frame: Any, known: JudgingContext, left_out: int) -> Verdict:
        """Judge that the known originals can have given this release, which states how many items it left out."""

    def row_truth(self, frame: Any, known: JudgingContext, claim: Claim, left_out: int) -> Verdict:
        """Check every cell against the original that the known rows name."""


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """How data of one shape go through the door; its modules are imported when first used, for they are heavy.

    name    : table, baskets, mixed or trees; votes are a shape within
    files   : the formats it is written in, the usual one first, each with the name of its file
    roles   : those that columns of a release may have
    fault   : what is wrong with the columns of a release and their roles, in a sentence; "" where nothing is
    columns : the columns that its releases make, with their roles, whatever those of the data are called
    folder  : whether the shape is a folder of modules, `data` and `verification` among them; else it is one module
    persons : whether a claim may count persons of whom several rows speak
    gone    : whether a release may leave items out of records
    called  : what people and manifests call it; "" is its name
    """

    name: str
    files: Mapping[str, str]
    roles: tuple[str, ...]
    fault: Callable[[Mapping[str, str]], str] = lambda columns: ""
    columns: Mapping[str, str] = field(default_factory=dict)
    folder: bool = False
    persons: bool = False
    gone: bool = True
    called: str = ""

    @property
    def words(self) -> str:
        """What people call it."""
        return SHAPE_WORDS[self.called or self.name].name

    @property
    def fronts(self) -> list[str]:
        """The methods that trace a front of such data; the first is the usual one."""
        return [method.name for method in METHODS.values() if method.shape == self.name and method.front]

    @property
    def data(self) -> DataModule:
        """How its data are read and shown."""
        module: Any = self._module("data")
        return module  # type: ignore[no-any-return]

    @property
    def verification(self) -> VerificationModule:
        """How releases of it are judged again."""
        module: Any = self._module("verification")
        return module  # type: ignore[no-any-return]

    def _module(self, name: str) -> Any:
        package = f"shoal.shapes.{self.name}"
        return import_module(f"{package}.{name}" if self.folder else package)


_CELLS = {format: f"data.{format}" for format in FORMATS}

_VOTES = {"items": "items", "uncertain": "items", "errors": "plain"}


def _quasi_fault(columns: Mapping[str, str]) -> str:
    return (
        ""
        if "quasi" in columns.values()
        else "no column is a quasi-identifier, so the claim would promise nothing"
    )


def _items_fault(columns: Mapping[str, str]) -> str:
    items = {name: role for name, role in columns.items() if role == "items" or name in _VOTES}
    fits = [name for name, role in columns.items() if role == "items"] == ["items"] or items == _VOTES
    return (
        ""
        if fits
        else "baskets have one column of items, 'items', and by vote 'uncertain' and 'errors' beside it"
    )


def _single_items_fault(columns: Mapping[str, str]) -> str:
    items_count = [*columns.values()].count("items")
    if items_count != 1:
        return f"a table with baskets has one column of items, and here are {items_count}"
    return _quasi_fault(columns)


def _nodes_fault(columns: Mapping[str, str]) -> str:
    return "" if list(columns) == ["nodes"] else "record trees have one column, 'nodes'"


_OF_BASKETS = ("items", "sensitive", "plain")
_VOTED = ShapeSpec("votes", _CELLS, _OF_BASKETS, _items_fault, _VOTES, gone=False, called="baskets")
_LISTED = {
    "table": ShapeSpec(
        "table",
        _CELLS,
        ("quasi", "sensitive", "plain", "pseudonym"),
        _quasi_fault,
        folder=True,
        persons=True,
        gone=False,
    ),
    "baskets": ShapeSpec("baskets", _CELLS, _OF_BASKETS, _items_fault, {"items": "items"}, folder=True),
    "mixed": ShapeSpec("mixed", _CELLS, ("quasi", "items", "sensitive", "plain"), _single_items_fault),
    "trees": ShapeSpec("trees", TREE_FILES, ("tree",), _nodes_fault, {"nodes": "tree"}, folder=True),
}
SHAPES: dict[str, ShapeSpec] = _LISTED | {
    claim.shape: ShapeSpec(claim.shape, _CELLS, claim.roles)
    for claim in CLAIMS.values()
    if claim.shape not in _LISTED
}
"""Every shape of which something can be claimed; one that is not listed is a module, and released as cells."""


def spec_of(claim: Claim) -> ShapeSpec:
    """How data go through the door under a claim: what is published by vote is a shape of its own within."""
    return _VOTED if claim.votes else SHAPES[claim.shape]


def bind_to_claim(dataset: Dataset, claim: Claim) -> Dataset:
    """The same data in the shape that they are published in under a claim; baskets in parts answer for both.

    Households of a table are persons where the claim counts them.
    """
    if dataset.shape == "table":
        claimed_table: Dataset = dataset.counting(claim)  # type: ignore[attr-defined]
        return claimed_table
    if not dataset.in_memory or claim.votes == getattr(dataset, "votes", False):
        return dataset
    module: Any = spec_of(claim).data
    claimed_dataset: Dataset = module.bind(dataset)
    return claimed_dataset


def open_dataset(config: Config) -> Dataset:
    """Read the data and hierarchies that a configuration names, whatever their shape."""
    return SHAPES[config.shape].data.open_config(config)


def dataset_of(config: Config, source: Source) -> Dataset:
    """Records that were read, as a configuration describes them; they are no trees."""
    return SHAPES[config.shape].data.from_config(config, source)


def shape_with_front(name: str) -> ShapeSpec:
    """The shape of that name, if its losses can be traded against each other.

    Raises
    ------
    InputError
        They cannot.
    """
    shape = SHAPES[name]
    if not shape.fronts:
        shapes_with_front = " and of ".join(
            candidate.words for candidate in SHAPES.values() if candidate.fronts
        )
        raise InputError(
            f"pareto: there is no front of {shape.words} to trace; there is one of {shapes_with_front}"
        )
    return shape
