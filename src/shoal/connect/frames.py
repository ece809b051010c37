"""`frame.shoal`: what shoal does, as methods of pandas and polars frames. To import this module is enough."""

import inspect
import sys
from typing import Any

from shoal.anonymization.release import Release
from shoal.base.errors import InputError
from shoal.jobs.api import anonymize, judge, read
from shoal.jobs.risk import Risk, risk
from shoal.proposal.proposal import Proposal
from shoal.proposal.propose import propose
from shoal.release import Claim, Verdict

__all__ = ["FrameMethods"]


class FrameMethods:
    """What shoal does with one frame.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [31, 34, 62, 65], "ill": ["flu", "gout", "flu", "asthma"]})
    >>> roles = {"age": "quasi", "ill": "sensitive"}
    >>> release = people.shoal.anonymize(roles=roles, hierarchies={"age": {"ranges": [10]}}, k=2)
    >>> release.data["age"].n_unique()
    2
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def propose(self, **options: Any) -> Proposal:
        """Propose roles and hierarchies, as `shoal.propose` does."""
        return propose(self._frame, **options)

    def risk(self, *, k: int = 5, **options: Any) -> Risk:
        """Measure how exposed people are: `roles` and what else `shoal.read` takes, or roles are proposed."""
        read_options, remaining = _split_options(options)
        return risk(read(self._frame, **read_options) if read_options else self._frame, k=k, **remaining)

    def anonymize(self, **options: Any) -> Release:
        """Make a judged release: what `shoal.read` takes, `roles` at least, then what `shoal.anonymize` takes."""
        read_options, remaining = _split_options(options)
        if "roles" not in read_options:
            raise InputError(
                "anonymize: no roles are given; say what each column is, as frame.shoal.propose() would"
            )
        return anonymize(read(self._frame, **read_options), **remaining)

    def judge(self, claim: Claim, **options: Any) -> Verdict:
        """Judge a claim on the frame as it is, as `shoal.judge` does."""
        return judge(self._frame, claim, **options)


def _split_options(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What describes the data, and the rest."""
    read_parameters = set(inspect.signature(read).parameters) - {"data"}
    read_options = {name: value for name, value in options.items() if name in read_parameters}
    return read_options, {name: value for name, value in options.items() if name not in read_parameters}


def _register() -> None:
    """Give the frames of polars, and those of pandas where it is installed, their methods."""
    import polars as pl

    pl.api.register_dataframe_namespace("shoal")(FrameMethods)
    try:
        import pandas as pd
    except ImportError:
        return
    pd.api.extensions.register_dataframe_accessor("shoal")(FrameMethods)


if "shoal" not in vars(sys.modules["polars"].DataFrame):
    _register()
