"""Keys of a configuration, as data in the shape of shoal.toml, set one by one."""

from collections.abc import Mapping
from typing import Any

__all__ = ["drop_what_names_nothing", "role_of", "set_key", "shape_of", "specify", "state_hierarchy"]


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


def role_of(configuration: Mapping[str, Any], column: str) -> str:
    """The role of a column; nothing where it has none."""
    said = configuration.get("columns", {}).get(column, "")
    return str(said if isinstance(said, str) else said.get("role", ""))


def drop_what_names_nothing(configuration: dict[str, Any]) -> list[str]:
    """Take out what names columns or fields that have another role now; tell in words what it was."""
    dropped = []
    target = configuration.get("audit", {}).get("target")
    if target is not None and role_of(configuration, target) in ("", "identifier", "drop"):
        set_key(configuration, "audit", "target", None)
        dropped.append(f"the column to predict: {target} is not published")
    person = configuration.get("data", {}).get("person")
    if person is not None and "tree" not in configuration and role_of(configuration, person) != "identifier":
        set_key(configuration, "data", "person", None)
        dropped.append(f"whom a row belongs to: {person} names nobody any more")
    tree = configuration.get("tree", {})
    there = [name for name in tree.get("negations", ()) if name in tree.get("hierarchies", {})]
    if len(there) < len(tree.get("negations", ())):
        set_key(configuration, "tree", "negations", there or None)
        dropped.append("fields whose absence somebody may know: one is left out now")
    return dropped
