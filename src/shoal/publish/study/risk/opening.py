"""Data whose risk is asked for: as a dataset, a configuration, or a file that nobody has described yet."""

import os
import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal.errors import InputError, ShoalWarning
from shoal.io.cells import cleaned, text
from shoal.io.config import REST, Config, load
from shoal.io.located import records_of
from shoal.io.persons import named
from shoal.publish.protocols import Dataset
from shoal.publish.shapes import open_dataset

__all__ = ["opened"]

_ABOUT_RULES = ".*without a rule, values of these quasi-identifiers"


def opened(data: Any) -> Dataset:
    """The data themselves, or what a configuration or a file's path leads to.

    Raises
    ------
    InputError
        It is none of these, or cannot be read.
    """
    if isinstance(data, str | os.PathLike):
        data = _config(str(data))
    if callable(getattr(data, "config", None)):  # a proposal
        data = data.config()
    if isinstance(data, Config):
        data = _with_person(data)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _ABOUT_RULES, ShoalWarning)  # nothing is recoded here
            return open_dataset(data)
    if not hasattr(data, "inputs"):
        raise InputError(
            f"risk: a {type(data).__name__} has no roles; give what shoal.read returns, a configuration or a file"
        )
    dataset: Dataset = data
    return dataset


def _config(place: str) -> Config:
    """The configuration in a file, or one proposed for data that nobody has described: a file, a folder, a database."""
    path = Path(place)
    if "://" not in place and (path.suffix.lower() == ".toml" or not path.exists()):
        return load(path)
    proposing = import_module(
        "shoal.publish.study.propose.propose"
    )  # it looks at all data; few calls need it
    config: Config = proposing.propose(place).config()
    return config


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
