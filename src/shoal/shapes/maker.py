"""What makes releases of records that it is given."""

from typing import Any, Protocol

from shoal.release import Result

__all__ = ["Maker"]


class Maker(Protocol):
    """A method with its options, a point of a front or a stored rule: whatever made a release can make another."""

    def make(self, dataset: Any) -> Result[Any]:
        """The release of these records.

        Raises
        ------
        InfeasibleError
            No release of these records can meet the guarantee.
        """
