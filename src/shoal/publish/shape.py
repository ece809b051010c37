"""What the door must know of a shape of data; each shape's folder beside this file answers."""

from collections.abc import Mapping
from typing import Any, Protocol

from shoal.data.types import I8
from shoal.release import Claim, Result, Verdict
from shoal.report.facts import Audit

__all__ = ["Dataset", "Facts", "Origin"]

Facts = Mapping[str, Any]


class Origin(Protocol):
    """Where data came from."""

    def like(self, frame: Any) -> Any:
        """Released records in the kind of frame that came in."""


class Dataset(Protocol):
    """People's data, read and checked, of one shape.

    `release` is what the shape's makers make. Its rows are in released order once `shuffled`. `frame` is what of it is
    written: cells, lists among them as JSON text; of record trees the trees themselves.
    """

    @property
    def shape(self) -> str:
        """The shape's name: table, baskets, mixed or trees."""

    @property
    def source(self) -> Origin:
        """Where the data came from."""

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What makers of this shape take from the data, by the argument's name."""

    def default(self, guarantee: Facts) -> str:
        """The maker to use where none is named."""

    def recode(self, recoding: Facts, claim: Claim, suppress: float) -> Result[Any]:
        """Apply a stored recoding to these records."""

    def claim(self, guarantee: Facts) -> Claim:
        """The claim that a guarantee's numbers make for this shape."""

    def guard(self, guarantee: Facts) -> None:
        """Refuse what no release could honestly claim or safely carry."""

    def size(self, release: Any) -> int:
        """How many records a release has."""

    def shuffled(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same release and proof, the rows in another order."""

    def assemble(self, release: Any) -> Any:
        """The release's frame."""

    def roles(self, frame: Any) -> dict[str, str]:
        """The released columns' roles."""

    def judge(self, frame: Any, result: Result[Any]) -> Verdict:
        """Judge the claim of `result` on its cells as somebody read them."""

    def truth(self, frame: Any, result: Result[Any]) -> Verdict:
        """Check every cell against the record it stems from."""

    def claimed(self, claim: Claim) -> dict[str, Any]:
        """The claim as the manifest states it."""

    def counts(self, release: Any) -> dict[str, int]:
        """records_in, records_out, suppressed, suppressed_items and classes."""

    def losses(self, result: Result[Any], method: Facts, *, public: bool) -> dict[str, float]:
        """Losses by name; the public ones need only the release and declared hierarchies."""

    def audit(self, draft: Any) -> Audit:
        """The facts that the report and the audit tell."""
