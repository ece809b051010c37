"""What data of any shape are to those who release and judge them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from shoal.algorithms import Method
from shoal.base.discreet import SafeRepr
from shoal.data import Baskets, Table
from shoal.data.arrays import I8
from shoal.hierarchy import Hierarchies
from shoal.io.write.groups import Groups
from shoal.release import Claim, Result, Verdict
from shoal.shapes.maker import Maker

__all__ = [
    "Dataset",
    "Facts",
    "JudgingContext",
    "Origin",
]


Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, repr=False)
class JudgingContext(SafeRepr):
    """What is known of released data when a claim is judged on it.

    columns     : the released columns and their roles
    hierarchies : by column, or by class of record trees, what labels stand for; elsewhere a label means itself
    secrets     : the sensitive items; None where nobody tells
    originals   : the data it is said to come from; None where they are not at hand
    rows        : the original record behind each released one, int64[n]; None where nobody tells
    counts      : how many records each row of a table stands for, int64[n]; None when each is one
    groups      : by the short name that rows have, the items of each group; empty where rows spell them out
    blanks      : whether an empty cell of a quasi-identifier stands for any value
    gone        : how many records of the data the release is said to have left out
    people      : the people of the population that a claim speaks of; None where nobody needs or gives them
    centres     : by column, "mean" or "median" where its numbers are that of a class
    """

    columns: Mapping[str, str]
    hierarchies: Hierarchies = field(default_factory=dict)
    secrets: frozenset[str] | None = None
    originals: Any = None
    rows: I8 | None = None
    counts: I8 | None = None
    groups: Groups = field(default_factory=dict)
    blanks: bool = False
    gone: int = 0
    people: Table | None = None
    centres: Mapping[str, str] = field(default_factory=dict)


class Origin(Protocol):
    """Where data came from."""

    def like(self, frame: Any) -> Any:
        """Released records in the kind of frame that came in."""


class Dataset(Protocol):
    """People's data, read and checked, of one shape.

    `release` is what the shape's methods make. Its rows are in released order once they are shuffled. `frame` is what
    of it is written: cells, lists among them as JSON text; of record trees the trees themselves.
    """

    @property
    def shape(self) -> str:
        """The shape's name: table, baskets, mixed or trees."""

    @property
    def source(self) -> Origin:
        """Where the data came from."""

    @property
    def allow(self) -> frozenset[str]:
        """The columns that their owner publishes knowingly, whatever they tell."""

    @property
    def undecided(self) -> Mapping[str, str]:
        """By column, why somebody must still decide about it before a release of these data is saved."""

    @property
    def as_proposed(self) -> bool:
        """Whether somebody said that what nobody decided is published as it was proposed."""

    @property
    def records(self) -> int:
        """How many records there are."""

    @property
    def cells(self) -> int:
        """How many cells or items a method looks at: about how long it takes."""

    @property
    def in_memory(self) -> bool:
        """Whether all records are held: what looks at each of them (rows, a preview, attackers) asks for it."""

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What methods of this shape take from the data, by the argument's name."""

    @property
    def options(self) -> Facts:
        """What a method of these data is asked for, unless somebody asks otherwise."""

    @property
    def table_part(self) -> Any:
        """The part that is a table, as a dataset of its own; None where the shape has none."""

    @property
    def basket_part(self) -> Baskets | None:
        """The part that is baskets; None where the shape has none."""

    @property
    def linked(self) -> bool:
        """Whether a pseudonym tells which rows are one person's."""

    @property
    def targets(self) -> Sequence[str] | None:
        """The columns that a loss may predict; None where no loss of the shape predicts any."""

    def by_core(self) -> "Dataset":
        """The same records without known columns: what everybody knows of them."""

    def by_public(self) -> "Dataset":
        """The same records, with hierarchies that are made of public people where rules make them."""

    def without_public(self) -> "Dataset":
        """The same records, beside no public people."""

    def made_of(self, rows: I8) -> "Dataset":
        """The same records, with labels made of some of them alone."""

    def seeing(self, claim: Claim | None, target: str | None) -> "Dataset":
        """The same data, with all that a claim speaks of and a loss predicts."""

    def in_fragments(
        self, method: str, inputs: Facts, claim: Claim, options: Facts, **more: Any
    ) -> Result[Any]:
        """Have a method work on fragments; `more` are their size, the randomness, and who is told how far it is."""

    def count_untold(self, release: Any) -> tuple[int, int]:
        """How many released records tell nothing, and how many there are."""

    def default(self, asked: Facts) -> str:
        """The method to use where none is named; `asked` are the guarantee's keys and the method's parameters."""

    def recode(self, recoding: Facts, claim: Claim, suppress: float) -> Result[Any]:
        """Apply a stored recoding to these records."""

    def claim(self, guarantee: Facts) -> Claim:
        """The claim that a guarantee's numbers make for this shape."""

    def restrict_claim(self, frame: Any, claim: Claim) -> Claim:
        """The claim as a release states it: where it lists values, only those that occur in the frame."""

    def guard(self, claim: Claim | None) -> None:
        """Refuse what no release could honestly claim or safely carry; None where no claim is made yet."""

    def guard_released(self, result: Result[Any]) -> None:
        """Refuse a release that columns beside the claim undo."""

    def without_traces(
        self, result: Result[Any], maker: Maker | None = None
    ) -> tuple["Dataset", Result[Any]]:
        """The same data and release, in labels that tell nothing of what was left out.

        Where labels alone do not do, `maker` makes the release again of those who stay, until it leaves nobody out.
        """

    def size(self, release: Any) -> int:
        """How many records a release has."""

    def shuffle_rows(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same release and proof, the rows in another order."""

    def assemble(self, release: Any) -> Any:
        """The release's frame."""

    def roles(self, frame: Any) -> dict[str, str]:
        """The released columns' roles."""

    def groups(self, release: Any) -> Groups:
        """The groups of items that rows publish under a short name; empty where there are none."""

    def spell_groups_out(self, result: Result[Any]) -> Result[Any]:
        """The same release, its groups spelled out in every row."""

    def judge(self, frame: Any, result: Result[Any]) -> Verdict:
        """Judge the claim of `result` on its cells as somebody read them."""

    def truth(self, frame: Any, result: Result[Any]) -> Verdict:
        """Check every cell against the record it stems from."""

    @property
    def counts_persons(self) -> bool:
        """Whether the claim counts persons, of whom several rows may speak."""

    def counts(self, release: Any) -> dict[str, int]:
        """records_in, records_out, suppressed, suppressed_items and classes."""

    def losses(self, result: Result[Any], method: Facts, *, public: bool) -> dict[str, float]:
        """Losses by name; the public ones need only the release and declared hierarchies."""

    def losses_by_column(self, result: Result[Any], losses: Mapping[str, float]) -> dict[str, float | None]:
        """What every column that came in lost, 0 = kept, 1 = nothing is told; None where it is left out; private."""

    def released_cells(self, result: Result[Any], places: I8) -> dict[str, list[str | None]]:
        """The cells of some rows of a release in words, by column."""

    def original_cells(self, columns: Sequence[str], rows: I8) -> dict[str, list[str | None]]:
        """The cells of some originals in words, by released column."""

    def loss_by_part(self, result: Result[Any]) -> tuple[str, dict[str, float]]:
        """What a release loses part by part, and what the parts are: column, item or field."""

    def find_floor(
        self, methods: Sequence[Method], claim: Claim, asked: Facts, made: Any = None
    ) -> float | None:
        """What (`ncp`) no release of these methods loses less than; None where no such figure is known.

        Whether it is known depends on what is `asked` for, or, where a release is `made`, on what it holds.
        """
