"""The roles of columns: the page's server asks for them, too, and must not load arrays for that."""

from typing import Literal

__all__ = ["Role"]

Role = Literal["identifier", "quasi", "sensitive", "items", "plain", "weight", "drop"]
