"""Data whose risk is asked for: as a dataset, a configuration, or a file that nobody has described yet."""

import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.errors import ShoalWarning
from shoal.io.cells import cleaned, text
from shoal.io.config import REST, Config, load
from shoal.io.located import records_of
from shoal.io.persons import named
from shoal.publish.protocols import Dataset
from shoal.publish.shapes import open_dataset
from shoal.publish.study.propose.proposal import Proposal

__all__ = ["opened"]

_ABOUT_RULES = ".*without a rule, values of these quasi-identifiers"


def opened(data: Any) -> tuple[Dataset, bool]:
    """The data themselves, and whether their roles are only proposed: nobody has described them yet.

    Raises
    ------
    InputError
        They cannot be had or read.
    """
    if isinstance(data, str | os.PathLike) and Path(data).suffix.lower() == ".toml":
        data = load(Path(data))
    if isinstance(data, Config):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _ABOUT_RULES, ShoalWarning)  # nothing is recoded here
            return open_dataset(_with_person(data)), False
    if hasattr(data, "inputs"):
        return data, False
    proposal = data if isinstance(data, Proposal) else _proposed(data)
    return proposal.read(), True


def _proposed(data: Any) -> Proposal:
    from shoal.publish.study.propose.propose import propose  # it looks at all data, and few calls need it

    return propose(data)


def _with_person(config: Config) -> Config:
    """Where every identifier repeats, its rows are taken for one person's: here that is a fact to tell, not a fault."""
    names = [name for name, spec in config.columns.items() if spec.role == "identifier" and name != REST]
    if not names or config.data.person is not None or config.shape not in ("table", "baskets"):
        return config
    source = records_of(config)
    cells = {
        name: named(cleaned(text(source.frame[name]), source.missing))
        for name in names
        if name in source.frame.columns
    }
    if not cells or any(names.null_count() or not names.is_duplicated().any() for names in cells.values()):
        return config
    person = max(cells, key=lambda name: cells[name].n_unique())
    warnings.warn(
        f"{source.name}: values of '{person}' repeat, so rows that share one are taken for one person's; say "
        f'person = "{person}" in [data] if they are',
        ShoalWarning,
        stacklevel=2,
    )
    return replace(config, data=replace(config.data, person=person))
