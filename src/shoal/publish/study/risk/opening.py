"""Data whose risk is asked for: as a dataset, a configuration, or a file that nobody has described yet."""

import os
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from shoal.errors import InputError, ShoalWarning
from shoal.io.config import Config, load
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
        data = _config(Path(data))
    if callable(getattr(data, "config", None)):  # a proposal
        data = data.config()
    if isinstance(data, Config):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", _ABOUT_RULES, ShoalWarning)  # nothing is recoded here
            return open_dataset(data)
    if not hasattr(data, "inputs"):
        raise InputError(
            f"risk: a {type(data).__name__} has no roles; give what shoal.read returns, a configuration or a file"
        )
    dataset: Dataset = data
    return dataset


def _config(path: Path) -> Config:
    """The configuration in a file, or one proposed for a file of data."""
    if path.suffix.lower() == ".toml" or not path.exists():
        return load(path)
    return _proposed(path)


def _proposed(path: Path) -> Config:
    proposing = import_module(
        "shoal.publish.study.propose.propose"
    )  # it looks at the whole file; few calls need it
    config: Config = proposing.propose(path).config()
    return config
