"""Several releases of one shape, judged together; see `shoal.privacy.several` for what that means."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.data import Baskets, Table, Trees
from shoal.data.arrays import I8
from shoal.io.codebooks import codebooks_of
from shoal.io.config import Config
from shoal.io.read.cells import cell_texts
from shoal.io.write.folders import private_folder
from shoal.io.write.groups import Groups, read_items
from shoal.io.write.trees import frame_of
from shoal.privacy import counts_households, judge_unchanged
from shoal.privacy.equivalence_class import number_groups
from shoal.privacy.several import (
    JointItems,
    JointVerdict,
    LinkedItems,
    LinkedRelease,
    judge_jointly,
    list_people,
)
from shoal.publish.files import data_file, frame_shape, read_data, read_release_groups
from shoal.publish.manifests import (
    ChangedError,
    claim_stated_in,
    describe_changed_file,
    open_originals,
    read_manifest,
)
from shoal.publish.row_map import ROWS, number_names, person_names_of, read_names, read_rows, same_names
from shoal.publish.verify import VerificationCase, case_of
from shoal.release import Claim, Published, PublishedMixed, Result, Verdict
from shoal.shapes.baskets.verification import forms_of
from shoal.shapes.configured_claim import claim_of_config
from shoal.shapes.dataset import Dataset, JudgingContext
from shoal.shapes.registry import SHAPES, open_dataset, shape_of_claim
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import judge_truth, published_table

__all__ = [
    "EarlierReleases",
    "JointJudgement",
    "JudgedRelease",
    "Part",
    "_judge_release",
    "_judge_releases",
    "_link_items",
    "check_following",
    "link_tables",
    "open_earlier",
    "summarize_verdict",
    "verify_several",
]


@dataclass(frozen=True, repr=False)
class Part(SafeRepr):
    """One of several releases, as it was read.

    folder  : where it is, or its name where it is not written yet; only the name is told
    claim   : what it promises
    frame   : its data
    known   : its columns, what its labels stand for, its originals and, where they are the same for all, its rows
    who     : int64[n]  whose row it is, in numbers that all releases share
    persons : int64[n]  whom its claim counts where a person has several rows; None when every row is a person
    """

    folder: Path
    claim: Claim
    frame: Any
    known: JudgingContext
    who: I8
    persons: I8 | None = None

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return self.folder.resolve().name


def _judge_releases(parts: Sequence[Part]) -> JointVerdict | str:
    """Judge releases together, or say in a sentence why that is not possible."""
    if any(part.known.centres for part in parts):
        return _MEANS
    ways = {shape_of_claim(part.claim).jointly for part in parts}
    if ways == {"classes"} and not any(part.claim.blanks for part in parts):
        return judge_jointly(link_tables(parts))
    if ways & {"classes", "equality"}:  # rows with blanks are no classes
        return _judge_identical(parts)
    if any(part.known.rows is None or not _have_same_baskets(part, parts[0]) for part in parts):
        return _ONE_FILE
    return _judge_mixed(parts) if ways == {"both"} else _judge_baskets(parts)


_MEANS = (
    "a release of means has no values to compare with other releases, so it is not judged with them; publish one "
    "release of these people"
)


def summarize_verdict(found: JointVerdict, names: Sequence[str]) -> Verdict:
    """What several releases keep together, in one verdict."""
    reached = {} if found.smallest is None else {"k": found.smallest}
    if found:
        least = "" if found.smallest is None else f"; the smallest joint class has {found.smallest} people"
        sentence = f"all {len(names)} releases keep their claims for anyone who holds all of them{least}"
        return Verdict(True, sentence, reached=reached)
    lines = [
        f"release {number} ({name}) beside the others: {verdict.sentence}"
        for number, (name, verdict) in enumerate(zip(names, found.verdicts, strict=True), start=1)
        if not verdict
    ]
    if not any(verdict.judged and not verdict for verdict in found.verdicts):
        return Verdict(False, "; ".join(lines), judged=False)
    alone = "" if found.alone is None else f", {found.alone} of them alone"
    sentence = (
        f"anyone who holds all {len(names)} releases finds {found.few} of {found.people} people less hidden than "
        f"promised{alone}"
    )
    broken = max(verdict.broken for verdict in found.verdicts)
    return Verdict(False, "; ".join([sentence, *lines]), True, broken, reached=reached)


def link_tables(parts: Sequence[Part], also: Iterable[str] = ()) -> list[LinkedRelease]:
    """Tables as somebody holds them; what is a quasi-identifier in one of them is one wherever it is published.

    `also` are quasi-identifiers that none of them need have.
    """
    quasi_names = {name for part in parts for name, role in part.known.columns.items() if role == "quasi"}
    known_names = quasi_names | {*also}
    return [_link_table(part, known_names) for part in parts]


def _link_table(part: Part, known: set[str]) -> LinkedRelease:
    roles = {name: role for name, role in part.known.columns.items() if role != "items"}
    table = published_table(part.frame, roles)
    extra_roles = {name: "quasi" for name, role in roles.items() if role != "quasi" and name in known}
    labels = {**table.quasi, **published_table(part.frame, extra_roles).quasi}
    return LinkedRelease(
        part.claim, part.who, number_groups(tuple(labels.values()))[0], table.sensitive, part.persons
    )


def _judge_baskets(parts: Sequence[Part]) -> JointVerdict:
    items = _join_items(parts, parts[0].known.originals.baskets)
    verdicts = tuple(
        part.claim.check(items.view_release(index, _sensitive_codes(part)))
        for index, part in enumerate(parts)
    )
    everybody, gone = list_people([part.who for part in parts])
    return JointVerdict(
        verdicts, len(everybody), max(verdict.broken for verdict in verdicts), int(gone.sum())
    )


def _judge_mixed(parts: Sequence[Part]) -> JointVerdict:
    originals = parts[0].known.originals
    items = _join_items(parts, originals.baskets)

    def check(place: int, seen: Published) -> Verdict:
        part = parts[place]
        return part.claim.check(PublishedMixed(seen, items.view_release(place, _sensitive_codes(part))))

    joint = judge_jointly(link_tables(parts), check)
    return replace(joint, few=max(joint.few, *(verdict.broken for verdict in joint.verdicts)))


def _sensitive_codes(part: Part) -> frozenset[int]:
    """The items that are sensitive by the release's own configuration, in the codes that all share."""
    baskets: Baskets = part.known.originals.baskets
    return baskets.sensitive


def _join_items(parts: Sequence[Part], baskets: Baskets) -> JointItems:
    return JointItems(baskets, tuple(_link_items(part, baskets) for part in parts))


def _link_items(part: Part, baskets: Baskets) -> LinkedItems:
    """The items of one release, in the codes of the originals."""
    (name,) = [name for name, role in part.known.columns.items() if role == "items"]
    start, items, entries = read_items(part.frame[name], part.known.groups)
    forms = forms_of(entries, baskets.values, part.known.hierarchies.get(name))
    return LinkedItems(np.asarray(part.known.rows), start, items, forms)


def _have_same_baskets(one: Part, other: Part) -> bool:
    """Whether two releases are of the same baskets, record by record."""
    first: Baskets = one.known.originals.baskets
    second: Baskets = other.known.originals.baskets
    return first is second or (
        first.values == second.values
        and np.array_equal(first.start, second.start)
        and np.array_equal(first.items, second.items)
    )


def _judge_identical(parts: Sequence[Part]) -> JointVerdict | str:
    """Releases that publish the same of everybody tell together what one of them tells; others are not judged."""
    first = _sort_by_person(parts[0])
    if not all(_sort_by_person(part).equals(first) for part in parts[1:]):
        return _NOT_THE_SAME
    yes = Verdict(True, "it publishes the same of everybody as the others")
    return JointVerdict(tuple(yes for _ in parts), len(parts[0].who), 0, 0)


def _sort_by_person(part: Part) -> pl.DataFrame:
    frame = frame_of(part.frame) if isinstance(part.frame, Trees) else part.frame
    order = np.argsort(part.who, kind="stable")
    return frame.select(sorted(frame.columns))[order].with_columns(who=pl.Series(part.who[order]))


_ONE_FILE = (
    "several releases of baskets are judged together only where they are of the same file, and these are not; make "
    "them from one file, or publish one of them"
)
_NOT_THE_SAME = (
    "several releases of record trees, of baskets by vote, or of tables with blanks, can be judged together only "
    "where they publish the same of everybody, and these do not; publish one of them, or, of record trees and baskets, "
    "make the later one with --recoding from the recoding.json of the earlier one"
)

# Each of several releases by itself: what a judge says of it, and the names of the people behind its rows.


@dataclass(frozen=True, repr=False)
class JudgedRelease(SafeRepr):
    """One of several releases.

    name  : what it is called
    said  : what a judge says of it by itself
    case  : what it is; None where it cannot be read
    own   : whether the originals that were given are its own, so that it was compared with them
    """

    name: str
    said: Verdict
    case: VerificationCase | None = None
    own: bool = True

    @property
    def told(self) -> dict[str, Any]:
        """What it promises, in our own words."""
        return {} if self.case is None else self.case.told

    @property
    def placed(self) -> bool:
        """Whether it is known whose row is whose."""
        return self.case is not None and (not self.own or self.case.known.rows is not None)

    @cached_property
    def names(self) -> list[str] | None:
        """The name of the person behind each row; None where people have none."""
        assert self.case is not None
        if not self.own:
            return read_names(private_folder(self.case.folder.resolve()))
        names, rows = person_names_of(self.case.known.originals), np.asarray(self.case.known.rows)
        return None if names is None else [names[row] for row in rows.tolist()]

    @cached_property
    def frame(self) -> Any:
        """Its data."""
        assert self.case is not None
        manifest = self.case.manifest
        files = SHAPES[self.case.claim.shape].files
        return read_data(self.case.folder, files, manifest["columns"], codebooks_of(manifest))

    @cached_property
    def groups(self) -> Groups:
        """The groups of items that its rows name."""
        assert self.case is not None
        return read_release_groups(self.case.folder, self.case.manifest["columns"])


def _judge_release(folder: Path, config: Config, originals: Dataset) -> JudgedRelease:
    """Judge a release as `verify` does: against the originals where they are its own, else from its folder alone.

    They are not its own where they have another number of records, or other people where rows.parquet names them.
    """
    name = folder.resolve().name
    claim_of_config(config)
    try:
        manifest = read_manifest(folder)
    except ChangedError as error:
        return JudgedRelease(name, Verdict(False, str(error)))
    try:
        claim = claim_stated_in(manifest, config)
    except InputError as error:
        return JudgedRelease(name, Verdict(False, str(error)))
    if counts_households(claim):
        return JudgedRelease(
            name, Verdict(False, "it counts households, and several releases are judged by people", False)
        )
    originals_match = _are_own_originals(folder, manifest["records_in"], originals)
    case = case_of(folder, manifest, claim, config, originals if originals_match else None)
    return JudgedRelease(name, case.verdict(), case, originals_match)


def _are_own_originals(folder: Path, records: int, originals: Dataset) -> bool:
    """Whether originals are those of a release, as far as names tell."""
    private = private_folder(folder.resolve())
    rows, names = read_rows(private), read_names(private)
    if rows is None or names is None:
        return True
    inside = bool(((rows >= 0) & (rows < originals.records)).all())
    return records == originals.records and inside and same_names(originals, rows, names)


# --- releases that are out already, opened beside the data of a new one; whose rows they are is looked up first


@dataclass(frozen=True, repr=False)
class EarlierReleases(SafeRepr):
    """Data that are to be released, beside earlier releases of the same people.

    dataset : the data
    parts   : the earlier releases
    who     : int64[records]  the number of each record's person, as in `parts`
    """

    dataset: Dataset
    parts: tuple[Part, ...]
    who: I8

    def part(self, dataset: Dataset, result: Result[Any], frame: Any) -> Part:
        """A release of the data as one more of them; `dataset` reads its labels."""
        rows = np.asarray(getattr(result.release, "table", result.release).rows, dtype=np.int64)
        context = shape_of_claim(result.claim).verification.make_context(dataset.roles(frame), None, dataset)
        groups = dataset.groups(result.release)
        context = replace(context, originals=self.dataset, rows=rows, groups=groups)
        persons = _persons(self.dataset)
        return Part(
            Path("this release"),
            result.claim,
            frame,
            context,
            self.who[rows],
            None if persons is None else persons[rows],
        )

    def judged(self, dataset: Dataset, result: Result[Any], frame: Any) -> JointVerdict | str:
        """Judge a release of the data together with the earlier ones."""
        return _judge_releases([*self.parts, self.part(dataset, result, frame)])


def check_following(earlier: Sequence[Any], configs: Sequence[Any], *, invariant: bool) -> None:
    """Refuse configurations of releases that follow each other where they fit nothing.

    Raises
    ------
    InputError
        They do not.
    """
    if configs and not earlier:
        raise InputError(
            "earlier: --earlier-config goes with --earlier; give the releases, in the same order"
        )
    if invariant and earlier and not configs:
        raise InputError(
            "earlier: m-invariance needs the originals of each earlier release; give --earlier-config for each"
        )


def open_earlier(
    dataset: Dataset, folders: Sequence[Path], configs: Sequence[Config] = ()
) -> EarlierReleases:
    """Open earlier releases of the people of `dataset`.

    `configs` are those that they were made with, in the same order, or none. They tell what no manifest does: the
    originals, by which each release is judged first, and which items are sensitive.

    Raises
    ------
    InputError
        A folder is no release of such data, was changed, or does not tell whose row is whose.
    """
    _refuse_linked(dataset)
    cases = [_open_case(Path(folder), dataset) for folder in folders]
    if configs:
        if len(configs) != len(cases):
            raise InputError(
                f"earlier: --earlier-config is given {len(configs)} times for {len(cases)} releases; give it once for "
                "each release, in the same order"
            )
        cases = [_judge_as_configured(case, config) for case, config in zip(cases, configs, strict=True)]
    frames = [
        read_data(
            case.folder, SHAPES[dataset.shape].files, case.manifest["columns"], codebooks_of(case.manifest)
        )
        for case in cases
    ]
    for case, frame in zip(cases, frames, strict=True):
        if frame_shape(frame) != (list(case.manifest["columns"]), len(np.asarray(case.known.rows))):
            raise InputError(
                f"earlier: {case.folder.name}: {ROWS} does not belong to its data; it was changed"
            )
    if all(_is_release_of(case, frame, dataset) for case, frame in zip(cases, frames, strict=True)):
        rows = [np.asarray(case.known.rows) for case in cases]
        return _join_earlier(dataset, cases, frames, [*rows, np.arange(dataset.records)])
    cases = [
        replace(case, known=replace(case.known, rows=None)) for case in cases
    ]  # they are of other records
    return _join_earlier(dataset, cases, frames, _persons_by_name(cases, dataset))


def _refuse_linked(dataset: Dataset) -> None:
    """Refuse several releases of which a pseudonym links rows: they are looked at row by row."""
    if dataset.linked:
        raise InputError(
            "several releases: a pseudonym links rows of a person, which is judged of one release alone; make the "
            "column an identifier, or give the release by itself"
        )


def _join_earlier(
    dataset: Dataset, cases: Sequence[VerificationCase], frames: Sequence[Any], who: Sequence[I8]
) -> EarlierReleases:
    parts = tuple(
        _make_part(case, frame, person_ids, _persons(dataset))
        for case, frame, person_ids in zip(cases, frames, who[:-1], strict=True)
    )
    return EarlierReleases(dataset, parts, who[-1])


def _make_part(case: VerificationCase, frame: Any, who: I8, persons: I8 | None) -> Part:
    """A release whose claim counts the persons of its records, or where these are not known, who was found by name."""
    rows = case.known.rows
    person_ids = None if persons is None else who if rows is None else persons[rows]
    return Part(case.folder, case.claim, frame, case.known, who, person_ids)


def _open_case(folder: Path, dataset: Dataset) -> VerificationCase:
    """An earlier release of data of this shape."""
    manifest = read_manifest(folder)
    try:
        claim = claim_stated_in(manifest, None)
    except InputError as error:
        raise InputError(f"earlier: {folder.name}: {error}; give the release as it was written") from None
    if claim.shape != dataset.shape:
        raise InputError(
            f"earlier: {folder.name} is a release of {SHAPES[claim.shape].words}, and the data are "
            f"{SHAPES[dataset.shape].words}; give releases of the same data"
        )
    if counts_households(claim):
        raise InputError(
            f"earlier: {folder.name} counts households, and several releases are judged by people"
        )
    changed = describe_changed_file(manifest, folder, data_file(folder, SHAPES[dataset.shape].files))
    if changed is not None:
        raise InputError(f"earlier: {folder.name}: {changed}; give the release as it was written")
    case = case_of(folder, manifest, claim, None, dataset)
    case = replace(case, known=replace(case.known, groups=read_release_groups(folder, manifest["columns"])))
    if case.known.rows is None:
        raise InputError(
            f"earlier: {folder.name}: it is not known which row is whose; keep its private folder with {ROWS} beside "
            "it, which [release] rows = true writes"
        )
    return case


def _judge_as_configured(case: VerificationCase, config: Config) -> VerificationCase:
    """The same release beside the originals and the sensitive items of its own configuration."""
    judgement = _judge_release(case.folder, config, open_dataset(config))
    if judgement.case is None or not judgement.said or not judgement.own:
        why = judgement.said.sentence if judgement.own else "its configuration names the data of other people"
        raise InputError(f"earlier: {case.folder.name}: {why}; give the configuration that it was made with")
    return replace(judgement.case, known=replace(judgement.case.known, groups=case.known.groups))


def _is_release_of(case: VerificationCase, frame: Any, dataset: Dataset) -> bool:
    """Whether a release is true of the records of these data, by their numbers."""
    rows = np.asarray(case.known.rows)
    if case.manifest["records_in"] != dataset.records or len(np.unique(rows)) < len(rows):
        return False
    if len(rows) and not (0 <= rows.min() and rows.max() < dataset.records):
        return False
    if not same_names(dataset, rows, read_names(private_folder(case.folder.resolve()))):
        return False
    if isinstance(dataset, TableData):
        return _are_columns_true(frame, dataset, rows, case.known.centres)
    left_out = case.manifest["suppressed_items"]
    same = case.manifest["columns"].keys() == dict(case.known.columns).keys()
    return same and bool(
        shape_of_claim(case.claim).verification.judge_rows(frame, case.known, case.claim, left_out)
    )


def _are_columns_true(frame: Any, dataset: TableData, rows: I8, centres: Mapping[str, str]) -> bool:
    """Whether the columns that a release and the data share are true, row by row; numbers of `centres` by class."""
    shared = [column for column in dataset.table.columns if column.name in frame.columns]
    quasi = [j for j, column in enumerate(dataset.table.quasi) if column in shared]
    if quasi:
        table = Table(tuple(column for column in shared if column.role == "quasi"))
        if not judge_truth(
            frame, table, dataset.hierarchies, dataset.leaves[:, quasi], rows, centres=centres
        ):
            return False
    plain_columns = [column for column in shared if column.role != "quasi"]
    return all(
        judge_unchanged(column.name, column.some(rows).cells(), cell_texts(frame[column.name]).to_list())
        for column in plain_columns
    )


def _persons_by_name(cases: Sequence[VerificationCase], dataset: Dataset) -> list[I8]:
    """Whose row each is, by the names of people; those of the data come last."""
    data_names = person_names_of(dataset)
    lists = [read_names(private_folder(case.folder.resolve())) for case in cases]
    for case, names in zip(cases, lists, strict=True):
        if data_names is None or names is None:
            raise InputError(
                f"earlier: {case.folder.name} was made from other records than these, and no column says who is who "
                "in both; give a column the role identifier, or name data.person, in both configurations"
            )
    *earlier, now = number_names(*[names for names in [*lists, data_names] if names is not None])
    return [*earlier, now]


def _persons(dataset: Dataset) -> I8 | None:
    table = getattr(dataset, "table", None)
    persons: I8 | None = getattr(table, "persons", None)
    return persons


# Judge several releases of the same people, from their folders and the originals.

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class JointJudgement(SafeRepr):
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
            {"release": name, "claim": claim, **verdict.as_dict()}
            for name, claim, verdict in zip(self.names, self.claims, self.alone, strict=True)
        ]
        return {**self.verdict.as_dict(), "together": dict(self.figures), "releases": each}


def verify_several(
    folders: Sequence[Path],
    *,
    configs: Sequence[Config],
    against: Sequence[str | Path],
    together: Callable[[Sequence[Part]], Verdict] | None = None,
) -> JointJudgement:
    """Judge what somebody knows who holds all of some releases.

    Parameters
    ----------
    folders
        The releases; beside each stands its private folder with rows.parquet.
    configs, against
        The configuration and the originals: one for all releases, or one for each in the same order. Of one file,
        people are matched by the number of their record; of several, by `person` or by an identifier. A release
        whose originals are not given is known by the names in its rows.parquet; a yes is then not judged.
    together
        What judges all releases; by default, whether each keeps its claim for whoever knows whose row is whose.

    Raises
    ------
    InputError
        A folder is no release at all, or a configuration or the originals cannot be read.
    """
    for folder in folders:
        with suppress(ChangedError):  # which is told of each release
            read_manifest(Path(folder))
    against = against[:1] if len(set(map(str, against))) == 1 else against
    if not configs or not against:
        unjudged = [
            JudgedRelease(Path(folder).resolve().name, Verdict(False, "not looked at", judged=False))
            for folder in folders
        ]
        return _joint_judgement(unjudged, Verdict(False, _NEEDS, judged=False))
    _check_option_counts(len(folders), len(configs), len(against))
    settings, places = _repeat_for_each(configs, folders), _repeat_for_each(against, folders)
    pairs = list(zip(settings, places, strict=True))[: max(len(configs), len(against))]
    datasets = [open_originals(config, path) for config, path in pairs]
    for dataset in datasets:
        _refuse_linked(dataset)
    releases = [
        _judge_release(Path(folder), config, originals)
        for folder, config, originals in zip(
            folders, settings, _repeat_for_each(datasets, folders), strict=True
        )
    ]
    why = next(_find_obstacles(releases), None)
    if why is not None:
        return _joint_judgement(releases, why)
    person_ids = _match_persons(releases, one_file=len(against) == 1)
    if person_ids is None:
        return _joint_judgement(releases, Verdict(False, _NAMELESS, judged=False))
    parts = [_part_of_release(release, people) for release, people in zip(releases, person_ids, strict=True)]
    joint = _judge_releases(parts)
    if not isinstance(joint, JointVerdict):
        return _joint_judgement(releases, Verdict(False, joint, judged=False))
    verdict = (
        summarize_verdict(joint, [release.name for release in releases])
        if together is None
        else together(parts)
    )
    return _joint_judgement(releases, _qualify_verdict(verdict, releases), joint.figures())


def _qualify_verdict(said: Verdict, releases: Sequence[JudgedRelease]) -> Verdict:
    """The verdict; a yes is none where rows.parquet alone says whose rows a release has."""
    strange = [release.name for release in releases if not release.own]
    if not said or not strange:
        return said
    return Verdict(False, f"{said.sentence}, if it is true that {_UNSEEN.format(strange[0])}", judged=False)


def _joint_judgement(
    releases: Sequence[JudgedRelease], said: Verdict, figures: dict[str, int] | None = None
) -> JointJudgement:
    return JointJudgement(
        tuple(release.name for release in releases),
        tuple(release.told for release in releases),
        tuple(release.said for release in releases),
        said,
        figures or {},
    )


def _check_option_counts(releases: int, configs: int, originals: int) -> None:
    """Refuse options that are neither given once nor once for each release."""
    for option, number in (("--config", configs), ("--against", originals)):
        if number not in (1, releases):
            raise InputError(
                f"verify: {option} is given {number} times for {releases} releases; give it once, or once for each "
                "release in the same order"
            )


def _repeat_for_each(found: Sequence[T], folders: Sequence[Any]) -> list[T]:
    """One for each release."""
    return [*found] if len(found) == len(folders) else [*found] * len(folders)


def _find_obstacles(releases: Sequence[JudgedRelease]) -> Iterator[Verdict]:
    """Why releases are not judged together: one breaks its claim by itself, or whose rows they are is unknown."""
    for release in releases:
        verdict = release.said
        if verdict.judged and not verdict:
            yield Verdict(
                False,
                f"{release.name} by itself: {verdict.sentence}",
                True,
                verdict.broken,
                verdict.witnesses,
            )
    for release in releases:
        if not release.placed:
            yield Verdict(False, f"{release.name}: {_ROWLESS}", judged=False)
    for release in releases:
        if not release.said.judged:
            yield Verdict(False, f"{release.name} by itself: {release.said.sentence}", judged=False)


def _match_persons(releases: Sequence[JudgedRelease], *, one_file: bool) -> list[I8] | None:
    """Whose row each is: by the record of one file, or by names; None where people have none."""
    if one_file and all(release.own for release in releases):
        return [np.asarray(release.case.known.rows) for release in releases if release.case is not None]
    lists = [release.names for release in releases]
    named = [names for names in lists if names is not None]
    return number_names(*named) if len(named) == len(lists) else None


def _part_of_release(release: JudgedRelease, who: I8) -> Part:
    case = release.case
    assert case is not None
    part = _make_part(case, release.frame, who, _persons(case.known.originals))
    return replace(part, known=replace(case.known, groups=release.groups))


_NEEDS = (
    "several releases can be judged together only with the originals, which say who is who; give --config and "
    f"--against, and keep beside each release its private folder with {ROWS}, which [release] rows = true writes"
)
_ROWLESS = (
    f"it is not known which row is whose; to judge several releases together, keep beside each its private folder "
    f"with {ROWS}, which [release] rows = true writes"
)
_UNSEEN = (
    f"{{}} shows the people whom its {ROWS} names, because the originals that were given are not its own; give "
    "--against once for each release, in the same order"
)
_NAMELESS = (
    "the releases are of several files, and no column says who is who in all of them; name data.person, or give a "
    "column the role identifier in which every person has a name of its own"
)
