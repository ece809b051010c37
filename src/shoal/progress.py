"""How long work says where it stands, without knowing who listens."""

from typing import Protocol

__all__ = ["Progress", "silent"]


class Progress(Protocol):
    """A listener: what is being done, and the share done (None: unknown)."""

    def __call__(self, what: str, share: float | None = None) -> None:
        """Hear one step."""


def silent(what: str, share: float | None = None) -> None:
    """Listen to nothing."""
