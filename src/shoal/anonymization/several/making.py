"""A release beside earlier ones: made so that whoever holds all of them learns no more than each promises."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms import find_method
from shoal.algorithms.knobs import recode_of, suppression_limit
from shoal.anonymization.makers import trial_maker
from shoal.anonymization.methods import explain_mismatch, k_for_front, make_result
from shoal.anonymization.release import Release
from shoal.anonymization.run import prepare_run, trace_front
from shoal.anonymization.several.joint_judges import ClaimsJudge
from shoal.anonymization.several.judging import EarlierReleases, link_tables
from shoal.anonymization.several.omission import Omission, choose_omitted, joint_class_ids
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, no_progress
from shoal.data import Table
from shoal.data.arrays import I8
from shoal.hierarchy.tree import fixed_column
from shoal.privacy import AllOf, counts_households
from shoal.privacy.several import JointVerdict, LinkedRelease
from shoal.publish.draft import draft
from shoal.release import Claim, Recoded, Result
from shoal.shapes.dataset import Dataset
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import sensitive_of

__all__ = ["_unite_claims", "anonymize_beside", "check_beside"]


def anonymize_beside(
    dataset: Dataset,
    beside: EarlierReleases,
    *,
    method: str | None = None,
    seed: int | None = None,
    allow_empty: bool = False,
    progress: Progress = no_progress,
    **options: Any,
) -> Release:
    """Make a release of `dataset` that keeps its claim, and lets earlier ones keep theirs, for whoever holds them all.

    The method works first as if there were no others, and what it makes is taken where that suffices. Where it does
    not, a table is made again: of full-domain recodings only those count whose classes, cut by the earlier classes,
    keep every claim; local recodings are made inside the earlier classes. Baskets and record trees are not made again.

    Raises
    ------
    InfeasibleError
        None of this suffices; the message says which columns to coarsen, or who would have to be left out.
    """
    dataset, name, claim, method_options = prepare_run(dataset, method, seed, options)
    if counts_households(claim):
        raise InputError(
            "earlier: releases are judged together by people, and k counts households; leave of out"
        )
    _refuse_weight(dataset)
    if find_method(name).fronts:
        front = trace_front(dataset, method=name, progress=progress, **method_options)
        return check_beside(beside, front.pick(k_for_front(name, claim), seed=seed, allow_empty=allow_empty))
    for key, usual in find_method(name).defaults.items():
        options.setdefault(key, usual)
    candidates = _candidate_results(dataset, beside, name, claim, method_options, progress, seed)
    first = next(candidates)
    keeping = (result for result in chain([first], candidates) if _keeps_claims(dataset, beside, result))
    result = next(keeping, first)  # the first one is refused, with the columns that say too much
    progress("judging")
    method_facts = {"name": name, "parameters": options}
    release = draft(dataset, result, method=method_facts, seed=seed, kind=Release, allow_empty=allow_empty)
    return check_beside(beside, replace(release, maker=trial_maker(dataset, name, options)))


def _refuse_weight(dataset: Dataset) -> None:
    """Refuse a weight that is made fit for one release: each release gives people another, and no judge compares them.

    Raises
    ------
    InputError
        There is one.
    """
    if getattr(dataset, "weight_release", None) is not None:
        raise InputError(
            "earlier: a weight with release is made fit for one release, and not judged together with others; leave "
            "release out"
        )


def check_beside(beside: EarlierReleases, release: Release) -> Release:
    """The release, judged beside earlier ones; it is judged so again when it is written.

    Raises
    ------
    InfeasibleError
        Whoever holds all of them learns more than each promises.
    """
    _refuse_weight(release.dataset)
    judge = ClaimsJudge(beside)
    verdict = judge.judge_with_earlier(release.dataset, release.result, release.frame)
    if not verdict:
        remedy = f"; {_NOT_MADE_AGAIN}" if verdict.judged and release.dataset.shape != "table" else ""
        raise InfeasibleError(f"earlier: {verdict.sentence}{remedy}; nothing was written")
    return replace(release, beside=judge)


_NOT_MADE_AGAIN = (
    "only tables are made again to fit earlier releases; make this one with --recoding from the recoding.json of the "
    "earlier one, or publish one of them"
)


def _keeps_claims(dataset: Dataset, beside: EarlierReleases, result: Result[Any]) -> bool:
    """Whether a result that nobody has judged yet lets all releases keep their claims."""
    joint = beside.judged(dataset, result, dataset.assemble(result.release))
    return isinstance(joint, JointVerdict) and bool(joint)


def _candidate_results(
    dataset: Dataset,
    beside: EarlierReleases,
    name: str,
    claim: Claim,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Iterator[Result[Any]]:
    """Releases that may keep all claims, those that lose least first; only a table is made again."""
    yield make_result(name, dataset, claim, options, progress, seed)
    blanks = claim.blanks or any(part.claim.blanks for part in beside.parts)  # rows that fit are no classes
    if isinstance(dataset, TableData) and not blanks:
        yield from _candidate_tables(dataset, beside, name, claim, options, progress, seed)


def _candidate_tables(
    dataset: TableData,
    beside: EarlierReleases,
    name: str,
    claim: Claim,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Iterator[Result[Recoded]]:
    """A table in classes that cut no earlier class into parts that are too small."""
    earlier = link_tables(beside.parts, also=[column.name for column in dataset.table.quasi])
    all_claims = _unite_claims([claim, *(release.claim for release in earlier)])
    why = explain_mismatch(find_method(name), dataset, all_claims)
    if why is not None:
        raise InputError(f"{why}; the earlier releases promise it")
    class_ids = joint_class_ids(beside.who, earlier)
    rng = np.random.default_rng(seed)
    now = _link_unreleased(dataset, beside, all_claims, class_ids)
    records = _releasable_records(now, earlier, options.get("suppress", 0.0), rng)
    maker = _JointTableMaker(
        dataset,
        name,
        all_claims,
        {key: value for key, value in options.items() if key not in ("suppress", "fragment")},
        records,
        class_ids[records],
    )
    if find_method(name).theme.local:
        result = maker.recode_within_classes(progress, rng if seed is not None else None)
        yield replace(result, claim=claim)
        yield replace(maker.publish_classes(), claim=claim)
    else:
        yield replace(maker.recode_full_domain(progress), claim=claim)


def _link_unreleased(
    dataset: TableData, beside: EarlierReleases, claim: Claim, class_ids: I8
) -> LinkedRelease:
    """The data as if all records were released in their joint classes."""
    sensitive = {
        column.name: sensitive_of(pl.Series(column.cells(), dtype=pl.String))
        for column in dataset.table.role("sensitive")
    }
    return LinkedRelease(claim, beside.who, class_ids, sensitive, dataset.table.persons)


def _releasable_records(
    now: LinkedRelease, earlier: Sequence[LinkedRelease], suppress: Any, rng: np.random.Generator
) -> I8:
    """The records that can be released.

    Raises
    ------
    InfeasibleError
        More would have to be left out than may be.
    """
    omission = choose_omitted(now.who, now, earlier, rng)
    is_out = omission.is_out
    allowed = suppression_limit("earlier", suppress, len(is_out))
    if len(omission.exposed) or is_out.all() or is_out.sum() > allowed:
        raise InfeasibleError(
            f"earlier: given what is published already, {is_out.sum()} of {len(is_out)} records cannot be published "
            "and keep what is promised, because too few of the people they shared a class with are there; "
            f"{_suggest_remedy(omission)}"
        )
    return np.flatnonzero(~is_out)


def _suggest_remedy(omission: Omission) -> str:
    """What would help where people must be left out."""
    if exposed_count := len(omission.exposed):
        return f"{exposed_count} people have too few look-alikes in the earlier releases already, whatever follows"
    if omission.is_out.all():
        return "ask for what the earlier releases promise, and for no more"
    share = np.ceil(1e4 * omission.is_out.sum() / len(omission.is_out)) / 1e4
    return f"allow them to be left out with suppress = {share:g} in [method]"


@dataclass(frozen=True, repr=False)
class _JointTableMaker(SafeRepr):
    """What makes a table again, so that its classes cut no earlier class into parts that are too small.

    dataset   : the table
    method    : the name of the method
    claim     : all that the table and the earlier releases promise
    options   : of the method, which leaves nobody out
    records   : int64[kept], those that can be released
    class_ids : int64[kept], their joint classes in the earlier releases
    """

    dataset: TableData
    method: str
    claim: Claim
    options: Mapping[str, Any]
    records: I8
    class_ids: I8

    def recode_within_classes(self, progress: Progress, rng: np.random.Generator | None) -> Result[Recoded]:
        """Local recoding inside each of the earlier classes; those that cannot be divided stay as they are."""
        from shoal.algorithms.fragments import (  # their kernels are heavy
            in_parts,
            shared_grid,
            union,
        )

        inputs, records = self.dataset.inputs, self.records
        grid = shared_grid(self.method, self.dataset.table, inputs, records, self.options, self.claim.crowd)
        maker = replace(self, options={**self.options, **grid})
        can_divide = np.bincount(self.class_ids)[self.class_ids] >= 2 * self.claim.crowd
        results = []
        if not can_divide.all():
            small = replace(maker, records=records[~can_divide], class_ids=self.class_ids[~can_divide])
            results.append(small.publish_classes())
        if can_divide.any():
            parts = _records_of_classes(records[can_divide], self.class_ids[can_divide])
            result = in_parts(
                self.method,
                inputs,
                self.claim,
                maker.options,
                parts,
                whole=records,
                rng=rng,
                progress=progress,
            )
            results.append(result)
        everybody = np.arange(self.dataset.records)
        return union([everybody] * len(results), results, self.dataset.records)

    def publish_classes(self) -> Result[Recoded]:
        """The earlier classes as they are, each in labels of its own."""
        from shoal.algorithms.local.local_table import LocalTable, Partition  # its kernels are heavy

        local = LocalTable.of(
            "earlier",
            self.dataset.inputs["table"].some(self.records),
            self.dataset.hierarchies,
            recode=recode_of(self.method, self.options),
            grid=self.options.get("grid"),
            mix=False,
            k=self.claim.crowd,
        )
        result = local.release(Partition.of(self.class_ids[local.rows]), self.claim)
        rows = self.records[result.release.rows]
        return replace(result, release=replace(result.release, rows=rows, records=self.dataset.records))

    def recode_full_domain(self, progress: Progress) -> Result[Recoded]:
        """Full-domain recoding, in which the earlier classes are one more column that no level makes coarser."""
        records: Table = self.dataset.inputs["table"].some(self.records)
        column, hierarchy = fixed_column("", np.unique(self.class_ids, return_inverse=True)[1])
        table = replace(records, columns=(*records.columns, column))
        hierarchies = {**self.dataset.hierarchies, column.name: hierarchy}
        algorithm = find_method(self.method).load()
        result: Result[Recoded] = algorithm(table, hierarchies, self.claim, progress=progress, **self.options)
        release = result.release
        levels = {name: level for name, level in release.rule["levels"].items() if name != column.name}
        without_classes = Recoded(
            release.names[:-1],
            release.forms[:-1],
            np.ascontiguousarray(release.codes[:, :-1]),
            self.records[release.rows],
            self.dataset.records,
            {"levels": levels},
        )
        return replace(result, release=without_classes)


def _records_of_classes(records: I8, class_ids: I8) -> list[I8]:
    """The records of each class, in the order of the classes' numbers."""
    order = np.argsort(class_ids, kind="stable")
    return np.split(records[order], np.flatnonzero(np.diff(class_ids[order])) + 1)


def _unite_claims(claims: Sequence[Claim]) -> Claim:
    """Everything that several claims about tables promise, as one.

    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> [part.named for part in _unite_claims([KAnonymity(5), KAnonymity(3), LDiversity(2)]).parts]
    ['k-anonymity', 'l-diversity']
    """
    parts = list(dict.fromkeys(part for claim in claims for part in claim.parts))
    needed: list[Any] = [
        part
        for part in parts
        if not any(stronger is not part and stronger.implies(part) for stronger in parts)
    ]
    return needed[0] if len(needed) == 1 else AllOf(tuple(needed))
