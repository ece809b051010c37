"""What a configuration says of a release, to be held against what a release says of itself, and the originals of it."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.io.config import Config
from shoal.privacy import METHOD_KEYS, Nonreciprocal, at_least, claim_of, promised
from shoal.publish.protocols import Dataset
from shoal.publish.shapes.base import open_dataset
from shoal.release import Claim

__all__ = ["asked", "claim_stated", "difference", "originals_at"]

# What a configuration says of its releases, to be held against what a release says of itself.

_NEVER = ("identifier", "drop")


def asked(config: Config) -> Claim | None:
    """The claim that a configuration asks for; None where it has no [guarantee].

    Raises
    ------
    InputError
        Its numbers make no claim.
    """
    if not config.guarantee:
        return None
    more = {METHOD_KEYS[key]: value for key, value in config.parameters.items() if key in METHOD_KEYS}
    return claim_stated(config, {**config.guarantee, **more})


def claim_stated(config: Config, guarantee: Mapping[str, Any]) -> Claim:
    """The claim that these numbers make for data as a configuration describes them.

    Raises
    ------
    InputError
        They make none, or promise nobody anything.
    """
    tree = config.tree
    facts = {} if tree is None else {"sensitive": tree.sensitive, "negations": tree.negations or None}
    return promised(claim_of(config.shape, **guarantee, **facts))


def difference(manifest: Mapping[str, Any], claim: Claim, config: Config) -> str | None:
    """The first thing in which a release differs from what its configuration makes; None where there is none."""
    wanted = _roles(config, isinstance(claim, Nonreciprocal))
    for name in dict.fromkeys([*wanted, *manifest["columns"]]):
        if name not in manifest["columns"]:
            return f"the configuration publishes a column '{name}', which is not in the release"
        if name not in wanted:
            return f"column '{name}' is not among those that the configuration publishes"
        if wanted[name] != manifest["columns"][name]:
            return f"column '{name}' is {wanted[name]} in the configuration, but not in the release"
    persons = config.data.person is not None and config.shape == "table"
    if persons != ("counts" in manifest["claim"]):
        which = ("rows", "persons") if persons else ("persons", "rows")
        return f"the release counts {which[0]}, but the configuration {which[1]}"
    stated = asked(config)
    if stated is not None and not at_least(claim, stated):
        return "the claim is weaker than, or another than, the [guarantee] of the configuration"
    return None


def _roles(config: Config, by_vote: bool) -> dict[str, str]:
    """The columns that a configuration publishes, with their roles."""
    if config.tree is not None:
        return {"nodes": "tree"}
    roles: dict[str, str] = {name: spec.released_as for name, spec in config.columns.items() if name != "*"}
    beside = {name: role for name, role in roles.items() if role not in (*_NEVER, "items")}
    items = [name for name, role in roles.items() if role == "items"]
    if not items:
        return beside
    if config.shape == "mixed":
        return {**beside, items[0] if len(items) == 1 else "items": "items"}
    vote = {"uncertain": "items", "errors": "plain"} if by_vote else {}
    return {"items": "items", **vote, **beside}


# The originals that a release is held against, read as its configuration describes them.


def originals_at(config: Config, against: str | Path) -> Dataset:
    """The data that a configuration describes, read from another file, folder or database."""
    if "://" in str(against):
        data = replace(config.data, path=None, url=_beside(str(against), config))
    else:
        data = replace(config.data, path=Path(against))
    return open_dataset(replace(config, data=data))


def _beside(url: str, config: Config) -> str:
    """A database's URL; SQLite's file is looked for here, and then where the configuration looks for it."""
    kind, _, place = url.partition(":///")
    if not kind.startswith("sqlite") or Path(place).is_absolute() or Path(place).is_file():
        return url
    return f"{kind}:///{config.folder / place}"
