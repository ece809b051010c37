"""Judge several releases of the same people, from their folders and the originals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.privacy.several import Together
from shoal.publish.originals import originals_at
from shoal.publish.rows import ROWS, numbered
from shoal.publish.several.judging import Part, judged, said_of
from shoal.publish.several.one_by_one import One, judge_one
from shoal.release import Verdict

__all__ = ["Several", "verify_several"]

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class Several(Discreet):
    """What was found of several releases: of each by itself, and of all together.

    names    : what the releases are called
    claims   : what each promises, in our own words
    alone    : what a judge says of each by itself
    verdict  : what is said of all together
    figures  : what was counted; empty where nothing could be judged
    """

    names: tuple[str, ...]
    claims: tuple[dict[str, Any], ...]
    alone: tuple[Verdict, ...]
    verdict: Verdict
    figures: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal verify --json` prints it."""
        each = [
            {"release": name, "claim": claim, **said.as_dict()}
            for name, claim, said in zip(self.names, self.claims, self.alone, strict=True)
        ]
        return {**self.verdict.as_dict(), "together": dict(self.figures), "releases": each}


def verify_several(
    folders: Sequence[Path], *, configs: Sequence[Config], against: Sequence[str | Path]
) -> Several:
    """Judge what somebody knows who holds all of some releases.

    Parameters
    ----------
    folders
        The releases; beside each stands its private folder with rows.parquet.
    configs, against
        The configuration and the originals: one for all releases, or one for each in the same order. Of one file,
        people are matched by the number of their record; of several, by `person` or by an identifier. A release
        whose originals are not given is known by the names in its rows.parquet; a yes is then not judged.

    Raises
    ------
    InputError
        A folder is no release at all, or a configuration or the originals cannot be read.
    """
    against = against[:1] if len(set(map(str, against))) == 1 else against
    if not configs or not against:
        looked = [
            One(Path(folder).resolve().name, Verdict(False, "not looked at", judged=False))
            for folder in folders
        ]
        return _several(looked, Verdict(False, _NEEDS, judged=False))
    _check_numbers(len(folders), len(configs), len(against))
    settings, places = _each(configs, folders), _each(against, folders)
    pairs = list(zip(settings, places, strict=True))[: max(len(configs), len(against))]
    opened = [originals_at(config, place) for config, place in pairs]
    releases = [
        judge_one(Path(folder), config, held)
        for folder, config, held in zip(folders, settings, _each(opened, folders), strict=True)
    ]
    why = next(_unfit(releases), None)
    if why is not None:
        return _several(releases, why)
    who = _who(releases, one_file=len(against) == 1)
    if who is None:
        return _several(releases, Verdict(False, _NAMELESS, judged=False))
    found = judged([_part(release, people) for release, people in zip(releases, who, strict=True)])
    if not isinstance(found, Together):
        return _several(releases, Verdict(False, found, judged=False))
    return _several(releases, _said(found, releases), found.figures())


def _said(found: Together, releases: Sequence[One]) -> Verdict:
    """The verdict; a yes is none where rows.parquet alone says whose rows a release has."""
    said = said_of(found, [release.name for release in releases])
    strange = [release.name for release in releases if not release.own]
    if not said or not strange:
        return said
    return Verdict(False, f"{said.sentence}, if it is true that {_UNSEEN.format(strange[0])}", judged=False)


def _several(releases: Sequence[One], said: Verdict, figures: dict[str, int] | None = None) -> Several:
    return Several(
        tuple(release.name for release in releases),
        tuple(release.told for release in releases),
        tuple(release.said for release in releases),
        said,
        figures or {},
    )


def _check_numbers(releases: int, configs: int, originals: int) -> None:
    """Refuse options that are neither given once nor once for each release."""
    for option, number in (("--config", configs), ("--against", originals)):
        if number not in (1, releases):
            raise InputError(
                f"verify: {option} is given {number} times for {releases} releases; give it once, or once for each "
                "release in the same order"
            )


def _each(found: Sequence[T], folders: Sequence[Any]) -> list[T]:
    """One for each release."""
    return [*found] if len(found) == len(folders) else [*found] * len(folders)


def _unfit(releases: Sequence[One]) -> Iterator[Verdict]:
    """Why releases are not judged together: one breaks its claim by itself, or whose rows they are is unknown."""
    for release in releases:
        said = release.said
        if said.judged and not said:
            yield Verdict(
                False, f"{release.name} by itself: {said.sentence}", True, said.broken, said.witnesses
            )
    for release in releases:
        if not release.placed:
            yield Verdict(False, f"{release.name}: {_ROWLESS}", judged=False)
    for release in releases:
        if not release.said.judged:
            yield Verdict(False, f"{release.name} by itself: {release.said.sentence}", judged=False)


def _who(releases: Sequence[One], *, one_file: bool) -> list[I8] | None:
    """Whose row each is: by the record of one file, or by names; None where people have none."""
    if one_file and all(release.own for release in releases):
        return [np.asarray(release.case.known.rows) for release in releases if release.case is not None]
    lists = [release.names for release in releases]
    named = [names for names in lists if names is not None]
    return numbered(*named) if len(named) == len(lists) else None


def _part(release: One, who: I8) -> Part:
    case = release.case
    assert case is not None
    persons = getattr(getattr(case.known.originals, "table", None), "persons", None)
    counted = None if persons is None else persons[case.known.rows]
    return Part(case.folder, case.claim, release.frame, case.known, who, counted)


_NEEDS = (
    "several releases can be judged together only beside the originals that tell who is who; give --config and "
    f"--against, and keep beside each release its private folder with {ROWS}, which [release] rows = true keeps"
)
_ROWLESS = (
    f"whose row is whose is not known; to judge several releases together, keep beside each its private folder with "
    f"{ROWS}, which [release] rows = true keeps"
)
_UNSEEN = (
    f"{{}} shows the people whom its {ROWS} names, because the originals that were given are not its own; give "
    "--against once for each release, in the same order"
)
_NAMELESS = (
    "the releases are of several files, and no column tells who is who in all of them; name data.person, or give a "
    "column the role identifier in which every person has a name of its own"
)
