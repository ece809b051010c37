"""The jobs of the command line: do what a configuration file asks for, and judge release folders."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from shoal.algorithms import find_method
from shoal.algorithms.knobs import knobs
from shoal.anonymization.compiling import first_run
from shoal.anonymization.front import Front, MixedFront, describe_beside_k, refuse_beside_k
from shoal.anonymization.methods import split_options
from shoal.anonymization.release import Release
from shoal.anonymization.run import anonymize, anonymize_only, apply_recoding, check_parameters, trace_front
from shoal.anonymization.several.invariant_making import anonymize_invariant
from shoal.anonymization.several.joint_judges import invariance_of
from shoal.anonymization.several.judging import check_following, open_earlier, verify_several
from shoal.anonymization.several.making import anonymize_beside, check_beside
from shoal.assess.auditors import check_population
from shoal.assess.preview import Preview
from shoal.assess.usefulness import check_target_early
from shoal.base.arguments import is_number
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.progress import Progress, StepTimer, no_progress
from shoal.io.config import Config, load
from shoal.io.pdf import find_browser
from shoal.io.write.folders import check_place
from shoal.privacy import CLAIMS, KAnonymity
from shoal.privacy.presets import find_preset
from shoal.publish.large.opening import chosen_engine, open_large, open_on_spark
from shoal.publish.undecided import require_decided
from shoal.publish.verify import verify as verify_one
from shoal.release import Claim, Verdict
from shoal.report.facts import Audit
from shoal.shapes.configured_claim import claim_from_config
from shoal.shapes.dataset import Dataset
from shoal.shapes.recoding import read_recoding
from shoal.shapes.registry import open_dataset, shape_with_front

if TYPE_CHECKING:
    from shoal.engines.spark import Spark

__all__ = [
    "front_config",
    "preview_config",
    "rehearse_config",
    "run_config",
    "verify",
]

Places = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None
"""One file or folder, or one for each of several releases."""

_SHARED = ("suppress", "loss", "target")


def run_config(
    path: Path | Config,
    out: Path,
    *,
    force: bool = False,
    stated: Mapping[str, Any] | None = None,
    recoding: Path | None = None,
    seed: int | None = None,
    engine: "str | Spark | None" = None,
    earlier: Sequence[Path] = (),
    earlier_configs: Sequence[Path] = (),
    invariant: bool = False,
    as_proposed: bool = False,
    allow_empty: bool = False,
    pdf: bool = False,
    progress: Progress = no_progress,
    audited: Callable[[Audit], None] | None = None,
) -> Release:
    """Make the release a configuration describes and write it to `out`; `stated` overrides its guarantee.

    `engine` is what works on large data: "local", "spark", or an engine on a Spark session of one's own; None is the
    one that the configuration names.
    `earlier` are releases of the same people that are out already: together with them it must keep all claims, and
    whose row is whose is kept for the next one. With `invariant`, or where `earlier_configs` are given and the data are
    a table, m-invariance is kept instead: people may come and go. What [undecided] names is published only
    `as_proposed`. With `allow_empty` a release may tell nothing. `pdf` prints report and audit as well. `audited` is
    told the facts of the audit, once they are known.
    """
    task = _Task.of(path, stated)
    config = task.config
    require_decided(config.undecided, as_proposed)
    invariant = invariant or (bool(earlier_configs) and config.shape == "table")
    check_following(earlier, earlier_configs, invariant=invariant)
    if invariant and recoding is not None:
        raise InputError("m-invariance: a stored recoding makes other classes; leave out --recoding")
    check_place(out, force)
    if config.preset is not None:
        find_preset(config.preset)
    if pdf:
        find_browser()
    progress = timed = StepTimer(progress)
    with chosen_engine(engine or config.engine) as on:
        progress("reading")
        dataset = _open_dataset(task, recoding, on, out, in_memory=bool(earlier) or invariant)
        check_target_early(dataset, config.target)
        check_population(dataset, config.population)
        followed = [load(name) for name in earlier_configs]
        earlier_releases = open_earlier(dataset, earlier, followed) if earlier or invariant else None
        with first_run(task.choose_method(dataset), progress) as tell:
            taken = task.options if recoding is not None or invariant else task.find_options(dataset)
            options = {**taken, "allow_empty": allow_empty}
            if recoding is not None:
                release = task.apply_recoding(dataset, recoding, seed, allow_empty)
                release = release if earlier_releases is None else check_beside(earlier_releases, release)
            elif earlier_releases is not None:
                make = anonymize_invariant if invariant else anonymize_beside
                release = make(
                    dataset, earlier_releases, method=config.method, seed=seed, progress=tell, **options
                )
            else:
                release = anonymize(
                    dataset, method=config.method, seed=seed, claim=task.ready_claim, progress=tell, **options
                )
            release.save(
                out,
                format=config.format,
                force=force,
                rows=True if earlier_releases is not None else config.rows,
                groups=config.groups,
                target=config.target,
                population=config.population,
                control=config.control,
                seed=seed,
                about=config.about,
                undecided=config.undecided,
                as_proposed=as_proposed,
                pdf=pdf,
                preset=config.preset,
                audited=audited,
                times=timed.seconds,
                progress=tell,
            )
    return release


def _open_dataset(
    task: "_Task",
    recoding: Path | None,
    engine: "Spark | None",
    out: Path,
    *,
    in_memory: bool,
) -> Dataset:
    """The data: counted where they are large or an engine is asked for, else in memory."""
    config = task.config
    if in_memory and (engine is not None or open_large(config, task.guarantee, task.claim) is not None):
        raise InputError(
            "earlier: finding out which row is whose needs all records in memory, and there are too many; leave out "
            "--earlier, or --engine, or take some of the records"
        )
    if engine is None:
        large = None if recoding is not None else open_large(config, task.guarantee, task.claim)
        return large or open_dataset(config)
    if recoding is not None:
        raise InputError(
            "engine spark: a stored recoding is applied in memory; leave out --engine or --recoding"
        )
    return open_on_spark(config, task.guarantee, task.claim, engine, out)


def preview_config(
    path: Path | Config,
    *,
    stated: Mapping[str, Any] | None = None,
    recoding: Path | None = None,
    seed: int | None = None,
    allow_empty: bool = False,
    progress: Progress = no_progress,
) -> Preview:
    """What the release that a configuration describes would look like: made and judged, and nothing is written."""
    task = _Task.of(path, stated)
    progress("reading")
    dataset = open_dataset(task.config)
    name = task.choose_method(dataset)
    with first_run(name, progress) as tell:
        if recoding is None:
            options = {**task.find_options(dataset), "allow_empty": allow_empty}
            release = anonymize_only(
                dataset, method=name, seed=seed, claim=task.ready_claim, progress=tell, **options
            )
        else:
            release = task.apply_recoding(dataset, recoding, seed, allow_empty)
        tell("measuring what is lost")
        return release.preview()


def rehearse_config(config: Config, dataset: Dataset) -> Release:
    """The release of a dataset as a configuration asks for it, however little it tells; judged, and written nowhere."""
    task = _Task.of(config, None)
    options = {**task.find_options(dataset), "allow_empty": True}
    return anonymize_only(dataset, method=task.choose_method(dataset), claim=task.ready_claim, **options)


@dataclass(frozen=True, repr=False)
class _Task(SafeRepr):
    """What a configuration asks for, checked before any record is read.

    guarantee : the numbers that are promised, those of the command line before those of the file
    claim     : what they make; of record trees None, for it depends on how equal siblings were read
    """

    config: Config
    guarantee: Mapping[str, Any]
    claim: Claim | None

    @classmethod
    def of(cls, path: Path | Config, stated: Mapping[str, Any] | None) -> Self:
        """Read what is asked for; wrong numbers are told before the data are read."""
        config = _ask_for_tables(_read_config(path))
        guarantee = {**config.guarantee, **(stated or {})}
        if not guarantee:
            raise InputError("configuration: no guarantee is asked for; add [guarantee] with k, or give --k")
        check_parameters(config)
        claimed, _ = split_options({**guarantee, **config.parameters}, config.method)
        claim = claim_from_config(config, claimed)
        return cls(config, guarantee, claim if config.tree is None else None)

    @property
    def options(self) -> dict[str, Any]:
        """The numbers that are promised, and the method's own."""
        return {**self.guarantee, **self.config.parameters}

    @property
    def ready_claim(self) -> Claim | None:
        """The claim where the configuration alone tells it: hidden values are spelled as the data spell them."""
        return None if self.config.values_to_hide else self.claim

    def choose_method(self, dataset: Dataset) -> str:
        """The method that is named, or the usual one."""
        return self.config.method or dataset.default({**self.config.recode, **self.options})

    def find_options(self, dataset: Dataset) -> dict[str, Any]:
        """The options, and how numbers are written where the method has a choice."""
        takes = {knob.name for knob in knobs(self.choose_method(dataset))}
        return {**{key: value for key, value in self.config.recode.items() if key in takes}, **self.options}

    def apply_recoding(
        self, dataset: Dataset, recoding: Path, seed: int | None, allow_empty: bool
    ) -> Release:
        """The records recoded by a stored rule."""
        rule, suppress = read_recoding(recoding, self.config.shape), _suppress_share(self.config)
        return apply_recoding(
            dataset, rule, seed=seed, suppress=suppress, allow_empty=allow_empty, **self.guarantee
        )


def _ask_for_tables(config: Config) -> Config:
    """A configuration with a method whose groups do not overlap, where it asks for tables.

    Raises
    ------
    InputError
        It names a method that recodes each class by itself.
    """
    if not config.tables:
        return config
    method = config.method or _FOR_TABLES
    if not find_method(method).is_disjoint:
        raise InputError(
            f"[release]: 'tables' asks for groups that do not overlap, and those of method {method} do; leave tables "
            f"out, or take method {_FOR_TABLES} or optimal"
        )
    return replace(config, method=method, numbers="groups")


_FOR_TABLES = "column-cut"
"""The method that is taken where tables are asked for, and none is named; it never loses more than the best levels."""


def _read_config(path: Path | Config) -> Config:
    """A configuration as it is, or read from its file."""
    return path if isinstance(path, Config) else load(path)


def front_config(
    path: Path | Config,
    *,
    seconds: float | None = None,
    picked: bool = False,
    as_proposed: bool = False,
    progress: Progress = no_progress,
) -> tuple[Front | MixedFront, dict[str, Any]]:
    """The front of a configuration's table, alone or with baskets, and how its releases are saved.

    Where a point will be `picked` and published, what [undecided] names is told before the front is traced, unless it
    goes out `as_proposed`.
    """
    config = _read_config(path)
    if picked:
        require_decided(config.undecided, as_proposed)
    check_parameters(config)
    beside_k = _asked_beside_k(config)
    if picked:
        refuse_beside_k(describe_beside_k(beside_k))
    if config.guarantee.get("of") is not None:
        raise InputError(
            "pareto: a front counts people, and [guarantee] of counts households; use method optimal"
        )
    name, options = _front_options(config)
    if seconds is not None and not is_number(seconds):
        raise InputError("pareto: --seconds is not a number; give one, such as 60")
    if seconds is not None and not find_method(name).fronts:
        raise InputError(
            "pareto: --seconds ends the search of a table's front; the trade-off of a table with "
            "baskets has no such search, so leave it out"
        )
    if seconds is not None and "seconds" in signature(find_method(name).load()).parameters:
        options["seconds"] = seconds
    progress = timed = StepTimer(progress)
    progress("reading")
    dataset = open_large(config, {}, front=True) or shape_with_front(config.shape).open_dataset(config)
    if picked:
        check_target_early(dataset, config.target)
        check_population(dataset, config.population)
    with first_run(name, progress) as tell:
        front = replace(
            trace_front(dataset, method=name, progress=tell, **options), step_seconds=timed.seconds()
        )
    if isinstance(front, Front):
        front = replace(front, beside_k=beside_k)
    how = {"format": config.format, "rows": config.rows, "groups": config.groups, "about": config.about}
    rules = {"preset": config.preset, "undecided": config.undecided, "as_proposed": as_proposed}
    measured = {"target": config.target, "population": config.population, "control": config.control}
    return front, {**how, **rules, **measured}


def _asked_beside_k(config: Config) -> tuple[str, ...]:
    """What a table's configuration asks for that a front, which trades k alone, does not keep."""
    if config.shape != "table":
        return ()
    hidden = ("hidden values",) if config.values_to_hide else ()
    return (*(key for key in config.guarantee if key in _OWN_KEYS), *hidden)


_OWN_KEYS = {claim.keys[0] for claim in CLAIMS.values() if claim.shape == "table"} - set(KAnonymity.keys)
"""The keys of [guarantee] that ask for a claim beside k."""


def _front_options(config: Config) -> tuple[str, dict[str, Any]]:
    """The front's method and its options: those of a configured front, or what another method shares with it."""
    fronts = shape_with_front(config.shape).fronts
    usual = find_method(fronts[0])
    if not usual.fronts:  # the claim is fixed, and what is traced is none of its numbers
        method_options = {key: value for key, value in config.parameters.items() if key != usual.front}
        return config.method or usual.name, {**config.guarantee, **method_options}
    if config.method in fronts:
        return config.method, dict(config.parameters)
    return usual.name, {key: config.parameters[key] for key in _SHARED if key in config.parameters}


def _suppress_share(config: Config) -> float:
    """The share of records that a stored rule may leave out."""
    share: float = config.parameters.get("suppress", 0.0)
    if not is_number(share):
        raise InputError("[method]: suppress is not a number; give a share from 0 to below 1")
    return share


def verify(
    *releases: str | os.PathLike[str],
    config: Places = None,
    against: Places = None,
    invariant: bool = False,
) -> Verdict:
    """Judge from its folder whether a release keeps what it claims, or whether several of the same people do together.

    Parameters
    ----------
    releases
        Release folders.
    config
        The configuration that says what was asked for and what the columns are; without one, a release is only held
        against its own words. Of several releases one for all, or a list with one for each.
    against
        The originals: a file, a folder or a database's URL. They need a configuration, and several releases need them;
        one for all, or a list with one for each.
    invariant
        Judge whether several releases of tables are m-invariant, for whoever does not know which row is whose.

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
    configs, places = ([os.fspath(path) for path in _as_list(option)] for option in (config, against))
    if places and not configs:
        raise InputError(
            "verify: the originals need a config, for their roles and hierarchies; give it as well"
        )
    settings = [load(Path(path)) for path in configs]
    folders = [Path(folder) for folder in releases]
    if len(folders) > 1:
        together = invariance_of if invariant else None
        return verify_several(folders, configs=settings, against=places, together=together).verdict
    if invariant:
        raise InputError("verify: m-invariance is about several releases; give more than one")
    if len(settings) > 1 or len(places) > 1:
        raise InputError("verify: one release has one config and one file of originals; give one of each")
    return verify_one(folders[0], config=next(iter(settings), None), against=next(iter(places), None))[1]


def _as_list(given: Places) -> Sequence[str | os.PathLike[str]]:
    if given is None:
        return ()
    return (given,) if isinstance(given, str | os.PathLike) else given
