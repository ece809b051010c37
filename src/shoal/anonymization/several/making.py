"""A release beside earlier ones: made so that whoever holds all of them learns no more than each promises.

An m-invariant one is made so that later ones can follow it, or follows such ones, where people come and go.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms import find_method as method_named
from shoal.algorithms.knobs import recode_of, suppression_limit
from shoal.anonymization.makers import trial_maker
from shoal.anonymization.methods import explain_mismatch, k_for_front, make_result, split_options
from shoal.anonymization.release import Release
from shoal.anonymization.run import prepare_run, trace_front
from shoal.anonymization.several.judging import (
    EarlierReleases,
    Part,
    link_tables,
    summarize_verdict,
)
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InfeasibleError, InputError
from shoal.base.progress import Progress, no_progress
from shoal.data import Column, Table
from shoal.data.arrays import B1, I8
from shoal.data.spelling import unify_spellings
from shoal.hierarchy.tree import fixed_column
from shoal.privacy import AllOf, KAnonymity, LDiversity, counts_households, require_protection
from shoal.privacy.equivalence_class import number_groups
from shoal.privacy.several import (
    JointVerdict,
    LinkedRelease,
    find_exposed_people,
    judge_invariance,
    label_people,
    list_people,
)
from shoal.publish.draft import draft, refuse_unless
from shoal.release import Claim, Recoded, Result, Verdict
from shoal.report.words import names_in_words
from shoal.shapes.dataset import Dataset
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import sensitive_of

__all__ = [
    "_choose_suppressed",
    "_columns_to_coarsen",
    "_joint_class_ids",
    "_judge_beside",
    "_unite_claims",
    "anonymize_beside",
    "anonymize_invariant",
    "check_beside",
    "invariance_of",
]


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
    if method_named(name).fronts:
        front = trace_front(dataset, method=name, progress=progress, **method_options)
        return check_beside(beside, front.pick(k_for_front(name, claim), seed=seed, allow_empty=allow_empty))
    for key, usual in method_named(name).defaults.items():
        options.setdefault(key, usual)
    tries = _candidate_results(dataset, beside, name, claim, method_options, progress, seed)
    first = next(tries)
    results = (result for result in chain([first], tries) if _keeps_claims(dataset, beside, result))
    result = next(results, first)  # the first one is refused, with the columns that say too much
    progress("judging")
    method_facts = {"name": name, "parameters": options}
    release = draft(dataset, result, method=method_facts, seed=seed, kind=Release, allow_empty=allow_empty)
    return check_beside(beside, replace(release, maker=trial_maker(dataset, name, options)))


def check_beside(beside: EarlierReleases, release: Release) -> Release:
    """The release, judged beside earlier ones; it is judged so again when it is written.

    Raises
    ------
    InfeasibleError
        Whoever holds all of them learns more than each promises.
    """
    verdict = _judge_beside(beside, release.dataset, release.result, release.frame)
    if not verdict:
        remedy = f"; {_NOT_MADE_AGAIN}" if verdict.judged and release.dataset.shape != "table" else ""
        raise InfeasibleError(f"earlier: {verdict.sentence}{remedy}; nothing was written")
    return replace(release, beside=partial(_judge_beside, beside))


_NOT_MADE_AGAIN = (
    "only tables are made again to fit earlier releases; make this one with --recoding from the recoding.json of the "
    "earlier one, or publish one of them"
)


def _judge_beside(beside: EarlierReleases, dataset: Dataset, result: Result[Any], frame: Any) -> Verdict:
    """Judge a release, as somebody read it, together with the earlier ones; a no says which columns to coarsen."""
    joint = beside.judged(dataset, result, frame)
    if not isinstance(joint, JointVerdict):
        return Verdict(False, joint, judged=False)
    part = beside.part(dataset, result, frame)
    verdict = summarize_verdict(joint, [*(earlier.name for earlier in beside.parts), part.name])
    if verdict or not isinstance(frame, pl.DataFrame):
        return verdict
    columns = _columns_to_coarsen([*beside.parts, part])
    column_list = names_in_words([f"'{name}'" for name in columns], len(columns))
    advice = f"coarsen {column_list}" if columns else "making a column coarser does not help"
    if not columns and joint.missing:
        advice += (
            f", because {joint.missing} people are in some of the releases and are missing from others; leave out the "
            "same people, or nobody"
        )
    return replace(verdict, sentence=f"{verdict.sentence}; {advice}")


def _keeps_claims(dataset: Dataset, beside: EarlierReleases, result: Result[Any]) -> bool:
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
    every = _unite_claims([claim, *(release.claim for release in earlier)])
    why = explain_mismatch(method_named(name), dataset, every)
    if why is not None:
        raise InputError(f"{why}; the earlier releases promise it")
    cells = _joint_class_ids(beside.who, earlier)
    rng = np.random.default_rng(seed)
    rows = _releasable_rows(dataset, beside, cells, every, earlier, options, rng)
    method_options = {key: value for key, value in options.items() if key not in ("suppress", "fragment")}
    make = _recode_within_classes if method_named(name).theme.local else _recode_full_domain
    result = make(
        dataset, name, every, method_options, rows, cells[rows], progress, rng if seed is not None else None
    )
    yield replace(result, claim=claim)
    if make is _recode_within_classes:
        yield replace(
            _publish_earlier_classes(dataset, name, every, rows, cells[rows], method_options), claim=claim
        )


def _releasable_rows(
    dataset: TableData,
    beside: EarlierReleases,
    cells: I8,
    every: Claim,
    earlier: Sequence[LinkedRelease],
    options: Mapping[str, Any],
    rng: np.random.Generator,
) -> I8:
    """The records that can be released.

    Raises
    ------
    InfeasibleError
        More would have to be left out than may be.
    """
    sensitive = {
        column.name: sensitive_of(pl.Series(column.cells(), dtype=pl.String))
        for column in dataset.table.role("sensitive")
    }
    now = LinkedRelease(every, beside.who, cells, sensitive, dataset.table.persons)
    out, bad = _choose_suppressed(beside.who, now, earlier, rng)
    allowed = suppression_limit("earlier", options.get("suppress", 0.0), dataset.records)
    if len(bad) or out.all() or out.sum() > allowed:
        raise InfeasibleError(
            f"earlier: given what is published already, {out.sum()} of {len(out)} records cannot be published and "
            "keep what "
            "is promised, because too few of the people they shared a class with are there; "
            f"{_suggest_remedy(out, bad)}"
        )
    return np.flatnonzero(~out)


def _suggest_remedy(out: B1, bad: I8) -> str:
    """What would help where people must be left out."""
    if len(bad):
        return f"{len(bad)} people have too few look-alikes in the earlier releases already, whatever follows"
    if out.all():
        return "ask for what the earlier releases promise, and for no more"
    share = np.ceil(1e4 * out.sum() / len(out)) / 1e4
    return f"allow them to be left out with suppress = {share:g} in [method]"


def _recode_within_classes(
    dataset: TableData,
    name: str,
    claim: Claim,
    options: Mapping[str, Any],
    kept: I8,
    cells: I8,
    progress: Progress,
    rng: np.random.Generator | None,
) -> Result[Recoded]:
    """Local recoding inside each of the earlier classes; those that cannot be divided stay as they are."""
    from shoal.algorithms.fragments import (  # their kernels are heavy
        in_parts,
        shared_grid,
        union,
    )

    options = {**options, **shared_grid(name, dataset.table, dataset.inputs, kept, options, claim.crowd)}
    large = np.bincount(cells)[cells] >= 2 * claim.crowd
    results = []
    if not large.all():
        results.append(_publish_earlier_classes(dataset, name, claim, kept[~large], cells[~large], options))
    if large.any():
        order = np.argsort(cells[large], kind="stable")
        parts = np.split(kept[large][order], np.flatnonzero(np.diff(cells[large][order])) + 1)
        inputs = dataset.inputs
        results.append(in_parts(name, inputs, claim, options, parts, whole=kept, rng=rng, progress=progress))
    everybody = np.arange(dataset.records)
    return union([everybody] * len(results), results, dataset.records)


def _recode_full_domain(
    dataset: TableData,
    name: str,
    claim: Claim,
    options: Mapping[str, Any],
    kept: I8,
    cells: I8,
    progress: Progress,
    rng: np.random.Generator | None,
) -> Result[Recoded]:
    """Full-domain recoding, in which the earlier classes are one more column that no level makes coarser."""
    full_table: Table = dataset.inputs["table"]
    column, hierarchy = fixed_column("", np.unique(cells, return_inverse=True)[1])
    table = replace(subtable := full_table.some(kept), columns=(*subtable.columns, column))
    hierarchies = {**dataset.hierarchies, column.name: hierarchy}
    algorithm = method_named(name).load()
    result: Result[Recoded] = algorithm(table, hierarchies, claim, progress=progress, **options)
    release = result.release
    levels = {key: level for key, level in release.rule["levels"].items() if key != column.name}
    recoded = Recoded(
        release.names[:-1],
        release.forms[:-1],
        np.ascontiguousarray(release.codes[:, :-1]),
        kept[release.rows],
        dataset.records,
        {"levels": levels},
    )
    return replace(result, release=recoded)


def _publish_earlier_classes(
    dataset: TableData, name: str, claim: Claim, kept: I8, cells: I8, options: Mapping[str, Any]
) -> Result[Recoded]:
    """The earlier classes as they are, each in labels of its own."""
    from shoal.algorithms.local.local_table import LocalTable, Partition  # its kernels are heavy

    table = dataset.inputs["table"].some(kept)
    recode, grid = recode_of(name, options), options.get("grid")
    hierarchies = dataset.hierarchies
    local = LocalTable.of("earlier", table, hierarchies, recode=recode, grid=grid, mix=False, k=claim.crowd)
    result = local.release(Partition.of(cells[local.rows]), claim)
    return replace(
        result, release=replace(result.release, rows=kept[result.release.rows], records=dataset.records)
    )


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


# Which columns of a release say too much beside earlier ones.


def _columns_to_coarsen(parts: Sequence[Part]) -> list[str]:
    """The quasi-identifiers of the last release that would have to be published as one value, one after the other.

    The column that helps most people comes first. None is named where all of them together do not help. Where no
    quasi-identifier says too much, the items do.
    """
    *earlier, last = parts
    candidates = [name for name, role in last.known.columns.items() if role == "quasi"]
    if not candidates or not _count_broken(parts):
        return [name for name, role in last.known.columns.items() if role == "items"]
    coarsened: list[str] = []
    while candidates:
        broken_counts = {
            name: _count_broken([*earlier, _blank_columns(last, [*coarsened, name])]) for name in candidates
        }
        best = min(candidates, key=lambda name: broken_counts[name])
        coarsened.append(best)
        candidates.remove(best)
        if not broken_counts[best]:
            return coarsened
    return []


def _count_broken(parts: Sequence[Part]) -> int:
    return len(find_exposed_people(link_tables(parts)))


def _blank_columns(part: Part, names: Sequence[str]) -> Part:
    """The same release with some columns published as one value."""
    cells = {name: np.zeros(len(part.frame), dtype=np.int8) for name in names}
    hierarchies = {name: hierarchy for name, hierarchy in part.known.hierarchies.items() if name not in names}
    return replace(
        part, frame=part.frame.with_columns(**cells), known=replace(part.known, hierarchies=hierarchies)
    )


# --- who cannot be in a release beside earlier ones: too few of the people with whom they shared a class still are.


def _joint_class_ids(who: I8, earlier: Sequence[LinkedRelease]) -> I8:
    """Numbers that are equal where earlier releases show the same of records' people: their joint classes."""
    return number_groups([label_people(who, release.who, release.kinds) for release in earlier])[0]


def _choose_suppressed(
    who: I8, now: LinkedRelease, earlier: Sequence[LinkedRelease], rng: np.random.Generator
) -> tuple[B1, I8]:
    """Which records are left out, and the people of whom even then too little is hidden.

    `now` is a release of all records whose classes are `_joint_class_ids`. Somebody who is in an earlier release and
    not in this one shows it by being missing. So people of one joint class who are missing must be as many as promised,
    or none; and so must those who stay. Where k is all that is promised, as few as possible are left out of a joint
    class; elsewhere all of it.
    """
    everybody, _ = list_people([who, *(release.who for release in earlier)])
    cell = _joint_class_ids(everybody, earlier)
    mine = cell[np.searchsorted(everybody, who)]
    crowd = max(release.claim.crowd for release in [now, *earlier])
    gone = np.bincount(cell[~np.isin(everybody, who)], minlength=int(cell.max(initial=0)) + 1)
    was_released = np.zeros(len(gone), dtype=bool)
    was_released[cell[np.isin(everybody, np.concatenate([release.who for release in earlier]))]] = True
    out = np.zeros(len(who), dtype=bool)
    for number in np.unique(mine).tolist():
        inside = np.flatnonzero(mine == number)
        count = _count_suppressed(len(inside), int(gone[number]), crowd, bool(was_released[number]))
        out[rng.permutation(inside)[:count]] = True  # who is left out shall tell nothing
    while True:
        bad = find_exposed_people([*earlier, _select_rows(now, ~out)])
        bad_rows = np.isin(mine, cell[np.searchsorted(everybody, bad)]) & ~out
        if not len(bad) or not bad_rows.any():
            return out, bad
        out |= bad_rows


def _count_suppressed(there: int, gone: int, crowd: int, known: bool) -> int:
    """How many of a joint class are left out, so that those who stay and those who are missing are enough, or none.

    >>> [_count_suppressed(*case) for case in [(7, 0, 5, True), (12, 1, 5, True), (6, 1, 5, True), (3, 0, 5, False)]]
    [0, 4, 6, 3]
    """
    short = crowd - gone if known and 0 < gone < crowd else 0
    return short if there - short >= crowd else there


def _select_rows(held: LinkedRelease, rows: B1) -> LinkedRelease:
    sensitive = {
        name: type(column)(column.codes[rows], column.values) for name, column in held.sensitive.items()
    }
    persons = None if held.persons is None else held.persons[rows]
    return LinkedRelease(held.claim, held.who[rows], held.kinds[rows], sensitive, persons)


# --- m-invariant releases

_NAME = "m-invariance"


def anonymize_invariant(
    dataset: Dataset,
    beside: EarlierReleases,
    *,
    method: str | None = None,
    seed: int | None = None,
    allow_empty: bool = False,
    progress: Progress = no_progress,
    **options: Any,
) -> Release:
    """Make a release in which everybody who is in an earlier one keeps the set of sensitive values of their class.

    Raises
    ------
    InputError
        The data, the claim or an earlier release are none that m-invariance speaks of.
    InfeasibleError
        Too many signatures cannot be completed; the message counts them.
    """
    stated, method_options = split_options(options, method)
    claim = require_protection(dataset.claim(stated))
    column = _require_sensitive_column(dataset, claim, method, method_options)
    assert isinstance(dataset, TableData)
    for part in beside.parts:
        _refuse_part(part, column.name)
    if beside.parts and not (verdict := invariance_of(beside.parts)):
        raise InputError(
            f"earlier: the earlier releases are not m-invariant, so none can follow them: {verdict.sentence}; make the "
            "first one with --invariant"
        )
    dataset.guard(claim)
    earlier = link_tables(beside.parts, also=[quasi.name for quasi in dataset.table.quasi])
    suppress = method_options.get("suppress", 0.0)
    maker = _SignatureMaker(
        claim,
        *_earlier_signatures(column, beside.who, earlier),
        fewest=dataset.records - suppression_limit(_NAME, suppress, dataset.records),
        seed=seed,
        progress=progress,
    )
    result = maker.make_first(dataset, suppress)
    progress("judging")
    release = draft(
        dataset,
        result,
        method={"name": _NAME, "parameters": options},
        seed=seed,
        kind=Release,
        maker=maker,
        allow_empty=allow_empty,
    )
    judge = partial(_judge_invariance_beside, beside)
    refuse_unless(judge(release.dataset, release.result, release.frame))
    return replace(release, beside=judge)


@dataclass(repr=False)
class _SignatureMaker(SafeRepr):
    """What makes an m-invariant release, and makes it again of those who stay: the same classes in other labels.

    values     : by record, the number of its sensitive value
    signatures : by record, the sensitive values of its class in earlier releases; empty for newcomers
    fewest     : how many records must stay
    kept       : the records of the last release that was made, int64[n]
    classes    : the class of each of them, int64[n]
    """

    claim: Claim
    values: I8
    signatures: Sequence[Any]
    fewest: int
    seed: int | None
    progress: Progress
    kept: I8 = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    classes: I8 = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def make_first(self, dataset: TableData, suppress: float) -> Result[Recoded]:
        """A release of all records, of whom a share may be left out."""
        result = self._publish(dataset, np.arange(dataset.records), suppress, None)
        self.kept = result.release.rows
        self.classes = np.unique(result.release.codes, axis=0, return_inverse=True)[1].reshape(-1)
        return result

    def make(self, dataset: TableData) -> Result[Recoded]:
        """The same classes in labels of who was kept alone; one that finds none of its own there is left out, too."""
        suppress = (len(self.kept) - self.fewest + 0.5) / len(self.kept)
        result = self._publish(dataset, self.kept, suppress, self.classes)
        stay = result.release.rows
        self.kept, self.classes = self.kept[stay], self.classes[stay]
        return result

    def _publish(
        self, dataset: TableData, records: I8, suppress: float, classes: I8 | None
    ) -> Result[Recoded]:
        from shoal.algorithms.local.invariance import publish_invariant  # its kernels are heavy

        return publish_invariant(
            dataset.inputs["table"],
            dataset.hierarchies,
            self.claim,
            k=self.claim.crowd,
            m=_min_values(self.claim),
            values=self.values[records],
            signatures=[self.signatures[record] for record in records.tolist()],
            suppress=suppress,
            classes=classes,
            rng=None if self.seed is None else np.random.default_rng(self.seed),
            progress=self.progress,
        )


def invariance_of(parts: Sequence[Part]) -> Verdict:
    """Whether releases of tables are m-invariant, each with the l that it promises."""
    return judge_invariance(link_tables(parts), [_min_values(part.claim) for part in parts])


def _judge_invariance_beside(
    beside: EarlierReleases, dataset: Dataset, result: Result[Any], frame: Any
) -> Verdict:
    return invariance_of([*beside.parts, beside.part(dataset, result, frame)])


def _min_values(claim: Claim) -> int:
    """How many sensitive values every class must hold: m."""
    return max([2, *(part.l for part in claim.parts if isinstance(part, LDiversity))])


def _require_sensitive_column(
    dataset: Dataset, claim: Claim, method: str | None, options: Mapping[str, Any]
) -> Column:
    """The sensitive column; refuse what m-invariance does not speak of."""
    if not isinstance(dataset, TableData) or dataset.table.counts is not None:
        raise InputError(
            f"{_NAME}: it is for tables that are held in memory; leave out --invariant and --earlier-config"
        )
    if method is not None:
        raise InputError(
            f"{_NAME}: its classes are made by signatures, not by a method; leave out name in [method]"
        )
    if unknown_keys := [key for key in options if key != "suppress"]:
        raise InputError(f"{_NAME}: of [method] it takes suppress alone; leave out {unknown_keys[0]}")
    secret = dataset.table.role("sensitive")
    if len(secret) != 1:
        raise InputError(f"{_NAME}: it speaks of one sensitive column, and there are {len(secret)}; name one")
    diverse = [part for part in claim.parts if isinstance(part, LDiversity)]
    if not diverse or any(not isinstance(part, LDiversity | KAnonymity) for part in claim.parts):
        raise InputError(
            f"{_NAME}: it keeps k and l, and needs l, which is its m; ask for these in [guarantee]"
        )
    if any(part.diversity == "recursive" for part in diverse):
        raise InputError(f"{_NAME}: it keeps distinct l-diversity, and entropy; ask for one of them")
    if dataset.counts_persons:
        raise InputError(f"{_NAME}: it speaks of people with one row each; leave out data.person")
    _refuse_links(dataset.given, "these data publish")
    return secret[0]


def _refuse_part(part: Part, column: str) -> None:
    """Refuse an earlier release that no m-invariant one can follow."""
    _refuse_links(part.known.columns, f"{part.name} publishes")
    if part.known.columns.get(column) != "sensitive":
        raise InputError(
            f"earlier: {part.name} has no sensitive column '{column}'; give releases with the same one"
        )


def _refuse_links(columns: Mapping[str, str], who: str) -> None:
    """Refuse columns that show which rows of several releases are the same person's: the claim hangs on that."""
    for name, role in columns.items():
        if role not in ("quasi", "sensitive", "identifier", "drop", "household", "text"):
            raise InputError(
                f"{_NAME}: {who} '{name}', which may show which rows of several releases are the same person's; drop "
                "it, or make it a quasi-identifier"
            )


def _earlier_signatures(
    column: Column, who: I8, earlier: Sequence[LinkedRelease]
) -> tuple[I8, list[frozenset[int] | None]]:
    """The sensitive value of each record as a number, -1 where it is missing, and its person's earlier signature."""
    texts = [
        *column.values,
        *(
            text
            for release in earlier
            for sensitive_column in release.sensitive.values()
            for text in sensitive_column.values
        ),
    ]
    spelled = dict(zip(texts, unify_spellings(texts), strict=True))
    number: dict[str, int] = {"": -1}
    code = np.array(
        [number.setdefault(spelled[text], len(number) - 1) for text in column.values], dtype=np.int64
    )
    signature_of_person: dict[int, frozenset[int]] = {}
    for release in earlier:
        (sensitive_column,) = release.sensitive.values()
        values = [number.setdefault(spelled[text], len(number) - 1) for text in sensitive_column.values]
        inside: dict[int, set[int]] = {}
        for kind, value in zip(release.kinds.tolist(), sensitive_column.codes.tolist(), strict=True):
            inside.setdefault(kind, set()).add(values[value])
        signature_of_class = {kind: frozenset(value_set) for kind, value_set in inside.items()}
        signature_of_person |= {
            person: signature_of_class[kind]
            for person, kind in zip(release.who.tolist(), release.kinds.tolist(), strict=True)
        }
    return code[column.codes], [signature_of_person.get(person) for person in who.tolist()]
