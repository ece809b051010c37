"""Facts as JSON can hold them."""

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

__all__ = ["plain"]


def plain(value: Any) -> Any:
    """Turn a value into what JSON can hold: text keys, lists, Python numbers, null for what is no number."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy for them
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
