"""Keys of a configuration, as data in the shape of shoal.toml, set one by one."""

from collections.abc import Mapping
from typing import Any

__all__ = ["set_key", "shape_of", "specify", "state_hierarchy"]


def state_hierarchy(configuration: dict[str, Any], column: str, spec: Any) -> None:
    """Let a configuration name this hierarchy for a column or field that takes one; None takes it out."""
    if "tree" in configuration:
        fields = configuration["tree"].get("hierarchies", {})
        if column in fields and spec is not None:
            fields[column] = spec
        return
    given = configuration.get("columns", {}).get(column)
    said = {"role": given} if isinstance(given, str) else dict(given or {})
    if "hierarchy" in said or said.get("role") in ("quasi", "items"):
        said.pop("hierarchy", None)
        said |= {} if spec is None else {"hierarchy": spec}
        configuration["columns"][column] = said if len(said) > 1 else said["role"]


def set_key(configuration: dict[str, Any], section: str, key: str, value: Any) -> None:
    """Set one key; None takes it out, and with the last one its section."""
    inner = configuration.setdefault(section, {})
    if value is None:
        inner.pop(key, None)
    else:
        inner[key] = value
    if not inner and section not in ("columns", "guarantee"):
        del configuration[section]


def shape_of(configuration: Mapping[str, Any]) -> str:
    """What a configuration's shape follows from."""
    if "tree" in configuration:
        return "trees"
    specs = configuration.get("columns", {}).values()
    roles = {spec if isinstance(spec, str) else spec.get("role") for spec in specs}
    return f"{'quasi' in roles} {'items' in roles}"


def specify(configuration: dict[str, Any], column: str, keys: Mapping[str, Any]) -> None:
    """Give a column keys beside its role; None takes one out. A column that is not there gets none."""
    columns = configuration.get("columns", {})
    if column not in columns:
        return
    was = columns[column]
    now = {**({"role": was} if isinstance(was, str) else was), **keys}
    now = {key: value for key, value in now.items() if value is not None}
    columns[column] = now["role"] if list(now) == ["role"] else now
