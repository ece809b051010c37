"""How a long computation tells its progress, without knowing who listens."""

from typing import Protocol

__all__ = ["Progress", "silent"]


class Progress(Protocol):
    """A function that is told what is being done, and which share of it is done (None: unknown)."""

    def __call__(self, what: str, share: float | None = None) -> None:
        """Take note of one step."""


def silent(what: str, share: float | None = None) -> None:
    """Ignore all progress: the default listener."""
