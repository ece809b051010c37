"""What every shape of data is to the door: how its data are read, released and judged again."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from shoal.algorithms import METHODS
from shoal.io.config import Config
from shoal.io.formats import FORMATS
from shoal.io.read.source import Source
from shoal.release import Claim, Verdict
from shoal.report.words import SHAPE_WORDS
from shoal.shapes.dataset import Dataset, JudgingContext

__all__ = ["CELL_FILES", "JointWay", "Shape", "Verification", "find_quasi_fault"]

CELL_FILES = {format: f"data.{format}" for format in FORMATS}
"""The formats of released cells, the usual one first, each with the name of its file."""


JointWay = Literal["classes", "items", "both", "equality"]
"""What several releases of a shape are judged by: classes of rows, items, both, or that they say the same of all."""


class Verification(ABC):
    """How released data of a shape are judged again, by somebody who believes nothing.

    A `frame` holds released cells, or record trees; `originals` are a dataset of the shape.
    """

    @abstractmethod
    def make_context(
        self, columns: Mapping[str, str], config: Config | None, originals: Any
    ) -> JudgingContext:
        """What is known of a release when it is judged from its folder."""

    @abstractmethod
    def view_for_judge(self, frame: Any, known: JudgingContext, claim: Claim) -> Any:
        """Released data as the claim's judge sees it."""

    @abstractmethod
    def count_classes(self, frame: Any, known: JudgingContext) -> int:
        """How many classes, different baskets or different trees are released."""

    @abstractmethod
    def find_unexpected(self, frame: Any, known: JudgingContext, config: Config) -> str | None:
        """A sentence where the data hold what the configuration does not publish; None where they do not."""

    @abstractmethod
    def judge_provenance(self, frame: Any, known: JudgingContext, left_out: int) -> Verdict:
        """Judge that the known originals can have given this release, which states how many items it left out."""

    @abstractmethod
    def judge_rows(self, frame: Any, known: JudgingContext, claim: Claim, left_out: int) -> Verdict:
        """Check every cell against the original that the known rows name."""


class Shape(ABC):
    """How data of one shape go through the door.

    name         : table, baskets, mixed or trees; votes are a shape within baskets
    roles        : those that columns of a release may have
    verification : how its releases are judged again
    files        : the formats it is written in, the usual one first, each with the name of its file
    columns      : the columns that its releases make, with their roles, whatever those of the data are called
    jointly      : what several of its releases are judged by
    persons      : whether a claim may count persons of whom several rows speak
    gone         : whether a release may leave items out of records
    called       : what people and manifests call it; "" is its name
    """

    name: ClassVar[str]
    roles: ClassVar[tuple[str, ...]]
    verification: ClassVar[Verification]
    jointly: ClassVar[JointWay]
    files: ClassVar[Mapping[str, str]] = CELL_FILES
    columns: ClassVar[Mapping[str, str]] = {}
    persons: ClassVar[bool] = False
    gone: ClassVar[bool] = True
    called: ClassVar[str] = ""

    @property
    def words(self) -> str:
        """What people call it."""
        return SHAPE_WORDS[self.called or self.name].name

    @property
    def fronts(self) -> list[str]:
        """The methods that trace a front of such data; the first is the usual one."""
        return [method.name for method in METHODS.values() if method.shape == self.name and method.front]

    @abstractmethod
    def open_dataset(self, config: Config) -> Dataset:
        """Read the data and hierarchies that a configuration names."""

    @abstractmethod
    def bind_source(self, config: Config, source: Source) -> Dataset:
        """Records that were read, with the roles and hierarchies that a configuration names."""

    def bind_dataset(self, dataset: Any, claim: Claim) -> Dataset:
        """The same data as a claim of this shape has them published: as they are."""
        bound: Dataset = dataset
        return bound

    @abstractmethod
    def find_column_fault(self, columns: Mapping[str, str]) -> str:
        """What is wrong with the columns of a release and their roles, in a sentence; "" where nothing is."""


def find_quasi_fault(columns: Mapping[str, str]) -> str:
    """What is wrong with columns of which others may know some; "" where there is one."""
    return (
        ""
        if "quasi" in columns.values()
        else "no column is a quasi-identifier, so the claim would promise nothing"
    )
