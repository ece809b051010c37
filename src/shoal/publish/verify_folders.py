"""`shoal.verify`: what `shoal verify` does, for pipelines written in Python."""

import os
from pathlib import Path

from shoal.errors import InputError
from shoal.io.config import load
from shoal.publish.several.earlier import verify_several
from shoal.publish.verify import verify as verify_one
from shoal.release import Verdict

__all__ = ["verify"]


def verify(
    *releases: str | os.PathLike[str],
    config: str | os.PathLike[str] | None = None,
    against: str | os.PathLike[str] | None = None,
) -> Verdict:
    """Judge from its folder whether a release keeps what it claims, or whether several of the same people do together.

    Parameters
    ----------
    releases
        Release folders.
    config
        The configuration that says what was asked for and what the columns are; without one, a release is only held
        against its own words.
    against
        The originals: a file, a folder or a database's URL. They need a configuration, and several releases need them.

    Raises
    ------
    InputError
        A folder is no release at all, or the configuration or the originals cannot be read. A release that was
        tampered with is no error but a no.

    Examples
    --------
    >>> import tempfile, polars as pl, shoal
    >>> people = pl.DataFrame({"age": [31, 34, 40, 41]})
    >>> table = shoal.read(people, roles={"age": "quasi"}, hierarchies={"age": {"ranges": [10]}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = shoal.anonymize(table, k=2).save(f"{folder}/out")
    ...     verify(f"{folder}/out")
    <Verdict yes: every class has at least k=2 records; the smallest class has 2>
    """
    if not releases:
        raise InputError("verify: there is no release folder; give one or more")
    if against is not None and config is None:
        raise InputError(
            "verify: the originals need a config, for their roles and hierarchies; give it as well"
        )
    settings = None if config is None else load(Path(config))
    place = None if against is None else os.fspath(against)
    folders = [Path(folder) for folder in releases]
    if len(folders) == 1:
        return verify_one(folders[0], config=settings, against=place)[1]
    configs = [] if settings is None else [settings]
    return verify_several(folders, configs=configs, against=[] if place is None else [place]).verdict
