"""What is shown of data in a notebook, a log or a debugger: shapes, counts and roles, never a cell."""

from collections.abc import Mapping, Sized
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any

__all__ = ["SafeRepr", "html_table"]

_NAMES = ("name", "role", "shape", "kind", "format", "method", "bound", "sensitive_class")
"""Fields whose text is a name that the user gave, not a cell."""


class SafeRepr:
    """A dataclass, declared with `repr=False`, that is shown by facts about it."""

    __slots__ = ()

    def facts(self) -> dict[str, object]:
        """What may be shown, by name; where a class says nothing else, how much each field holds."""
        assert is_dataclass(self)
        values = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: outline for name, value in values if (outline := _outline(name, value)) is not None}

    def __repr__(self) -> str:
        text = ", ".join(f"{name}={value}" for name, value in self.facts().items())
        return f"<{type(self).__name__}: {text}>" if text else f"<{type(self).__name__}>"

    def _repr_html_(self) -> str:
        return html_table(type(self).__name__, self.facts())


def html_table(title: str, facts: Mapping[str, object], figure: str = "") -> str:
    """Facts as a small table, and a figure below it."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(str(name))}</th><td>{escape(str(value))}</td></tr>"
        for name, value in facts.items()
    )
    return f"<table><caption>{escape(title)}</caption>{rows}</table>{figure}"


def _outline(name: str, value: Any) -> object:
    """How much a field holds; None where that says nothing."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return value if name in _NAMES else None
    if hasattr(value, "shape") and isinstance(value.shape, tuple):
        return "x".join(map(str, value.shape))
    if isinstance(value, SafeRepr):
        return type(value).__name__
    return len(value) if isinstance(value, Sized) else None
