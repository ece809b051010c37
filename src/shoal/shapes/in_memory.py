"""What shapes have in common whose records are all in memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import polars as pl

from shoal.algorithms import default_method
from shoal.base.discreet import SafeRepr
from shoal.data import Baskets
from shoal.data.arrays import I8
from shoal.engines import cores, in_threads
from shoal.io.codebooks import Codebook
from shoal.io.read.source import Variable
from shoal.io.write.groups import Groups
from shoal.privacy import make_claim
from shoal.release import Claim, Result
from shoal.shapes.released_values import Cells, frame_words
from shoal.shapes.untold import count_untold
from shoal.utility import Case, case_losses

__all__ = ["InMemory", "counts_of"]


@dataclass(frozen=True, repr=False)
class InMemory(SafeRepr):
    """What data have in common whose records are all in memory.

    undecided : by column, why somebody must still decide about it before a release is saved
    as_proposed : whether somebody said that what nobody decided is published as it was proposed
    """

    shape: ClassVar[str]
    in_memory: ClassVar[bool] = True

    undecided: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    as_proposed: bool = field(default=False, kw_only=True)

    @property
    def options(self) -> Mapping[str, Any]:
        """None: such data ask nothing of a method."""
        return {}

    @property
    def table_part(self) -> Any:
        """None: most shapes have no part that is a table."""
        return None

    @property
    def basket_part(self) -> Baskets | None:
        """None: most shapes have no baskets."""
        return None

    @property
    def linked(self) -> bool:
        """Never, but of a table: only tables have pseudonyms."""
        return False

    @property
    def targets(self) -> Sequence[str] | None:
        """None: only losses of tables predict a column."""
        return None

    def by_core(self) -> Self:
        """The same: only tables have known columns."""
        return self

    def by_public(self) -> Self:
        """The same: only tables are released beside public people."""
        return self

    def without_public(self) -> Self:
        """The same: only tables are released beside public people."""
        return self

    def made_of(self, rows: I8) -> Any:
        """The same: only tables have labels that are made of the data."""
        return self

    def seeing(self, claim: Claim | None, target: str | None) -> Self:
        """The same: all is seen that a claim speaks of or a loss predicts."""
        return self

    def in_fragments(
        self, method: str, inputs: Mapping[str, Any], claim: Claim, options: Mapping[str, Any], **more: Any
    ) -> Result[Any]:
        """Have a method work on fragments of the records, on all cores."""
        from shoal.algorithms.fragments import in_fragments  # its kernels are heavy

        return in_fragments(method, inputs, claim, options, mapper=in_threads(cores()), **more)

    def losses_by_column(self, result: Result[Any], losses: Mapping[str, float]) -> dict[str, float | None]:
        """What every column that came in lost; nothing where a shape does not say it."""
        return {}

    def described(self, frame: Any, release: Any) -> tuple[Any, dict[str, Variable]]:
        """Released cells as a file with labels has them, and what it says of columns; only tables have such a file."""
        return frame, {}

    def codebooks(self, columns: Iterable[str]) -> dict[str, Codebook]:
        """The public codebooks of released columns; only tables have any."""
        return {}

    def missing_codes(self, frame: Any, result: Result[Any]) -> dict[str, pl.Series]:
        """By column the codes behind empty cells of what is released; only tables have any."""
        return {}

    def count_untold(self, release: Any) -> tuple[int, int]:
        """How many released records tell nothing, and how many there are."""
        return count_untold(self, release)

    def default(self, asked: Mapping[str, Any]) -> str:
        """The usual method of the shape."""
        return default_method(self.shape, asked)

    def claim(self, guarantee: Mapping[str, Any]) -> Claim:
        """The claim that these numbers make for the shape."""
        return make_claim(self.shape, **guarantee)

    def restrict_claim(self, frame: Any, claim: Claim) -> Claim:
        """The same: only claims about tables list values."""
        return claim

    def released_cells(self, result: Result[Any], places: I8) -> dict[str, Cells]:
        """The cells of some rows of a release in words, by column."""
        return frame_words(self, self.shuffle_rows(result, places).release)

    def shuffle_rows(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same release and proof, the rows in another order."""
        raise NotImplementedError

    def size(self, release: Any) -> int:
        """How many records a release has."""
        return len(release.rows)

    @property
    def counts_persons(self) -> bool:
        """Never, but of a table: a record is one row, or the rows of a person were made one."""
        return False

    def case(self, result: Result[Any], method: Mapping[str, Any]) -> Case:
        """The release beside all that its owner knows, to be priced."""
        raise NotImplementedError

    def losses(self, result: Result[Any], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """Losses by name."""
        case = self.case(result, method)
        return case_losses(case.public() if public else case, method["parameters"].get("loss"))

    def groups(self, release: Any) -> Groups:
        """None: no shape but baskets has groups of items."""
        return {}

    def spell_groups_out(self, result: Result[Any]) -> Result[Any]:
        """The same."""
        return result


def counts_of(came: int, left: int, classes: int, suppressed_items: int = 0) -> dict[str, int]:
    """Records in and out, classes, and items left out, as a dataset counts them of a release."""
    return {
        "records_in": came,
        "records_out": left,
        "suppressed": came - left,
        "suppressed_items": suppressed_items,
        "classes": classes,
    }
