"""A release beside earlier ones: made so that whoever holds all of them learns no more than each promises.

An m-invariant one is made so that later ones can follow it, or follows such ones, where people come and go.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from shoal.algorithms import method as method_named
from shoal.algorithms.knobs import suppression_limit
from shoal.anonymization.release import Release
from shoal.anonymization.run import (
    explain_mismatch,
    make_result,
    make_trial,
    only_k_of,
    prepare,
    split_options,
    trace_front,
)
from shoal.anonymization.several.judging import (
    Beside,
    Part,
    held_items,
    held_tables,
    said_of,
)
from shoal.base.errors import InfeasibleError, InputError, ShoalError
from shoal.base.progress import Progress, no_progress
from shoal.data import Baskets, Column, Table
from shoal.data.arrays import B1, I8, row_of_entry, take_rows
from shoal.data.spelling import unify_spellings
from shoal.hierarchy.tree import fixed_column
from shoal.io.write.folders import private_of
from shoal.io.write.json_text import strict_json
from shoal.privacy import AllOf, KAnonymity, LDiversity, counts_households, require_protection
from shoal.privacy.equivalence_class import group
from shoal.privacy.several import (
    JointVerdict,
    LinkedRelease,
    breaking,
    everybody_in,
    judge_invariance,
    labels_of,
)
from shoal.publish.draft import draft, refuse_unless
from shoal.release import Claim, Recoded, RecodedBaskets, RecodedMixed, Result, Verdict
from shoal.report.words import names_in_words
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.dataset import Dataset
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData
from shoal.shapes.table.verification import sensitive_of

__all__ = [
    "anonymize_beside",
    "anonymize_invariant",
    "checked_beside",
    "columns_to_coarsen",
    "earlier_cells",
    "invariance_of",
    "judge_beside",
    "left_out",
    "united",
]


def anonymize_beside(
    dataset: Dataset,
    beside: Beside,
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
    keep every claim; local recodings are made inside the earlier classes. Baskets and record trees are recoded by the
    rules of the earlier releases, or items are published as one of them has them.

    Raises
    ------
    InfeasibleError
        None of this suffices; the message says which columns to coarsen, or who would have to be left out.
    """
    dataset, name, claim, rest = prepare(dataset, method, seed, options)
    if counts_households(claim):
        raise InputError(
            "earlier: releases are judged together by people, and k counts households; leave of out"
        )
    if method_named(name).fronts:
        front = trace_front(dataset, method=name, progress=progress, **rest)
        return checked_beside(beside, front.pick(only_k_of(name, claim), seed=seed, allow_empty=allow_empty))
    for key, usual in method_named(name).defaults.items():
        options.setdefault(key, usual)
    tries = _tries(dataset, beside, name, claim, rest, progress, seed)
    first = next(tries)
    found = (result for result in chain([first], tries) if _kept(dataset, beside, result))
    result = next(found, first)  # the first one is refused, with the columns that say too much
    progress("judging")
    described = {"name": name, "parameters": options}
    made = draft(dataset, result, method=described, seed=seed, kind=Release, allow_empty=allow_empty)
    return checked_beside(beside, replace(made, again=partial(make_trial, method=name, **options)))


def checked_beside(beside: Beside, release: Release) -> Release:
    """The release, judged beside earlier ones; it is judged so again when it is written.

    Raises
    ------
    InfeasibleError
        Whoever holds all of them learns more than each promises.
    """
    said = judge_beside(beside, release.dataset, release.result, release.frame)
    if not said:
        raise InfeasibleError(f"earlier: {said.sentence}; nothing was written")
    return replace(release, beside=partial(judge_beside, beside))


def judge_beside(beside: Beside, dataset: Dataset, result: Result[Any], frame: Any) -> Verdict:
    """Judge a release, as somebody read it, together with the earlier ones; a no says which columns to coarsen."""
    found = beside.judged(dataset, result, frame)
    if not isinstance(found, JointVerdict):
        return Verdict(False, found, judged=False)
    part = beside.part(dataset, result, frame)
    said = said_of(found, [*(earlier.name for earlier in beside.parts), part.name])
    if said or not isinstance(frame, pl.DataFrame):
        return said
    columns = columns_to_coarsen([*beside.parts, part])
    listed = names_in_words([f"'{name}'" for name in columns], len(columns))
    helps = f"coarsen {listed}" if columns else "making a column coarser does not help"
    if not columns and found.missing:
        helps += (
            f", because {found.missing} people are in some of the releases and are missing from others; leave out the "
            "same people, or nobody"
        )
    return replace(said, sentence=f"{said.sentence}; {helps}")


def _kept(dataset: Dataset, beside: Beside, result: Result[Any]) -> bool:
    found = beside.judged(dataset, result, dataset.assemble(result.release))
    return isinstance(found, JointVerdict) and bool(found)


def _tries(
    dataset: Dataset,
    beside: Beside,
    name: str,
    claim: Claim,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Iterator[Result[Any]]:
    """Releases that may keep all claims, one after the other; those that lose least come first."""
    yield make_result(name, dataset, claim, options, progress, seed)
    blanks = claim.blanks or any(part.claim.blanks for part in beside.parts)  # rows that fit are no classes
    if isinstance(dataset, TableData) and not blanks:
        yield from _of_table(dataset, beside, name, claim, options, progress, seed)
    if isinstance(dataset, TableData) or claim.votes:  # no rule of another release makes votes
        return
    for part in beside.parts:
        rule = _rule(part.folder)
        if rule is not None and rule.get("shape") == dataset.shape:
            try:
                yield dataset.recode(rule, claim, 0.0)
            except ShoalError:
                continue  # it is local, or of another claim
    if isinstance(dataset, MixedData | BasketData):
        yield from _as_before(dataset, beside, claim)


def _of_table(
    dataset: TableData,
    beside: Beside,
    name: str,
    claim: Claim,
    options: Mapping[str, Any],
    progress: Progress,
    seed: int | None,
) -> Iterator[Result[Recoded]]:
    """A table in classes that cut no earlier class into parts that are too small."""
    earlier = held_tables(beside.parts, also=[column.name for column in dataset.table.quasi])
    every = united([claim, *(held.claim for held in earlier)])
    why = explain_mismatch(method_named(name), dataset, every)
    if why is not None:
        raise InputError(f"{why}; the earlier releases promise it")
    cells = earlier_cells(beside.who, earlier)
    rng = np.random.default_rng(seed)
    kept = _staying(dataset, beside, cells, every, earlier, options, rng)
    rest = {key: value for key, value in options.items() if key not in ("suppress", "fragment")}
    make = _within if method_named(name).theme.local else _full_domain
    made = make(dataset, name, every, rest, kept, cells[kept], progress, rng if seed is not None else None)
    yield replace(made, claim=claim)
    if make is _within:
        yield replace(_undivided(dataset, every, kept, cells[kept], rest), claim=claim)


def _staying(
    dataset: TableData,
    beside: Beside,
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
    out, bad = left_out(beside.who, now, earlier, rng)
    allowed = suppression_limit("earlier", options.get("suppress", 0.0), dataset.records)
    if len(bad) or out.all() or out.sum() > allowed:
        raise InfeasibleError(
            f"earlier: given what is published already, {out.sum()} of {len(out)} records cannot be published and "
            "keep what "
            "is promised, because too few of the people they shared a class with are there; "
            f"{_remedy(out, bad)}"
        )
    return np.flatnonzero(~out)


def _remedy(out: B1, bad: I8) -> str:
    """What would help where people must be left out."""
    if len(bad):
        return f"{len(bad)} people have too few look-alikes in the earlier releases already, whatever follows"
    if out.all():
        return "ask for what the earlier releases promise, and for no more"
    share = np.ceil(1e4 * out.sum() / len(out)) / 1e4
    return f"allow them to be left out with suppress = {share:g} in [method]"


def _within(
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

    options = {**options, **shared_grid(dataset.table, dataset.inputs, kept, options)}
    large = np.bincount(cells)[cells] >= 2 * claim.crowd
    results = []
    if not large.all():
        results.append(_undivided(dataset, claim, kept[~large], cells[~large], options))
    if large.any():
        order = np.argsort(cells[large], kind="stable")
        parts = np.split(kept[large][order], np.flatnonzero(np.diff(cells[large][order])) + 1)
        inputs = dataset.inputs
        results.append(in_parts(name, inputs, claim, options, parts, whole=kept, rng=rng, progress=progress))
    everybody = np.arange(dataset.records)
    return union([everybody] * len(results), results, dataset.records)


def _full_domain(
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
    whole: Table = dataset.inputs["table"]
    column, hierarchy = fixed_column("", np.unique(cells, return_inverse=True)[1])
    table = replace(some := whole.some(kept), columns=(*some.columns, column))
    hierarchies = {**dataset.hierarchies, column.name: hierarchy}
    algorithm = method_named(name).load()
    made: Result[Recoded] = algorithm(table, hierarchies, claim, progress=progress, **options)
    release = made.release
    levels = {key: level for key, level in release.rule["levels"].items() if key != column.name}
    stripped = Recoded(
        release.names[:-1],
        release.forms[:-1],
        np.ascontiguousarray(release.codes[:, :-1]),
        kept[release.rows],
        dataset.records,
        {"levels": levels},
    )
    return replace(made, release=stripped)


def _undivided(
    dataset: TableData, claim: Claim, kept: I8, cells: I8, options: Mapping[str, Any]
) -> Result[Recoded]:
    """The earlier classes as they are, each in labels of its own."""
    from shoal.algorithms.local.local_table import LocalTable, Partition  # its kernels are heavy

    recode = options.get("recode", "hierarchy")
    table = dataset.inputs["table"].some(kept)
    written = {"recode": recode, "grid": options.get("grid")}
    local = LocalTable.of("earlier", table, dataset.hierarchies, **written, mix=False, k=claim.crowd)
    made = local.release(Partition.of(cells[local.rows]), claim)
    return replace(made, release=replace(made.release, rows=kept[made.release.rows], records=dataset.records))


def _as_before(
    dataset: MixedData | BasketData, beside: Beside, claim: Claim
) -> Iterator[Result[RecodedMixed | RecodedBaskets]]:
    """The items as an earlier release of all records has them; a table beside them in the earlier joint classes."""
    for part in beside.parts:
        if (
            part.known.rows is None
            or len(part.known.rows) < dataset.records
            or "uncertain" in part.known.columns
        ):
            continue
        items = _items_again(part, dataset.baskets)
        if isinstance(dataset, BasketData):
            yield Result(items, claim)
            continue
        names = [column.name for column in dataset.people.table.quasi]
        cells = earlier_cells(beside.who, held_tables(beside.parts, also=names))
        table = _undivided(dataset.people, claim, np.arange(dataset.records), cells, {}).release
        yield Result(RecodedMixed(table, items), claim)


def _items_again(part: Part, baskets: Baskets) -> RecodedBaskets:
    """The lists of an earlier release, in the order of the records."""
    held = held_items(part, baskets)
    width = max(len(held.forms.labels), 1)
    start, items = take_rows(held.start, held.items, np.argsort(held.rows))
    rising = (np.sort(row_of_entry(start) * width + items) % width).astype(np.int32)
    return RecodedBaskets(held.forms, start, rising, np.arange(baskets.n), baskets.n, part.gone)


def united(claims: Sequence[Claim]) -> Claim:
    """Everything that several claims about tables promise, as one.

    >>> from shoal.privacy import KAnonymity, LDiversity
    >>> [part.named for part in united([KAnonymity(5), KAnonymity(3), LDiversity(2)]).parts]
    ['k-anonymity', 'l-diversity']
    """
    parts = list(dict.fromkeys(part for claim in claims for part in claim.parts))
    needed: list[Any] = [
        part for part in parts if not any(other is not part and other.implies(part) for other in parts)
    ]
    return needed[0] if len(needed) == 1 else AllOf(tuple(needed))


def _rule(folder: Any) -> dict[str, Any] | None:
    """The rule of an earlier release, where one was kept."""
    path = private_of(folder.resolve()) / "recoding.json"
    if not path.is_file():
        return None
    try:
        found = strict_json(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


# Which columns of a release say too much beside earlier ones.


def columns_to_coarsen(parts: Sequence[Part]) -> list[str]:
    """The quasi-identifiers of the last release that would have to be published as one value, one after the other.

    The column that helps most people comes first. None is named where all of them together do not help. Where no
    quasi-identifier says too much, the items do.
    """
    *earlier, last = parts
    left = [name for name, role in last.known.columns.items() if role == "quasi"]
    if not left or not _broken(parts):
        return [name for name, role in last.known.columns.items() if role == "items"]
    named: list[str] = []
    while left:
        many = {name: _broken([*earlier, _without(last, [*named, name])]) for name in left}
        best = min(left, key=lambda name: many[name])
        named.append(best)
        left.remove(best)
        if not many[best]:
            return named
    return []


def _broken(parts: Sequence[Part]) -> int:
    return len(breaking(held_tables(parts)))


def _without(part: Part, names: Sequence[str]) -> Part:
    """The same release with some columns published as one value."""
    cells = {name: np.zeros(len(part.frame), dtype=np.int8) for name in names}
    hierarchies = {name: found for name, found in part.known.hierarchies.items() if name not in names}
    return replace(
        part, frame=part.frame.with_columns(**cells), known=replace(part.known, hierarchies=hierarchies)
    )


# --- who cannot be in a release beside earlier ones: too few of the people with whom they shared a class still are.


def earlier_cells(who: I8, earlier: Sequence[LinkedRelease]) -> I8:
    """Numbers that are equal where earlier releases show the same of records' people: their joint classes."""
    return group([labels_of(who, held.who, held.kinds) for held in earlier])[0]


def left_out(
    who: I8, now: LinkedRelease, earlier: Sequence[LinkedRelease], rng: np.random.Generator
) -> tuple[B1, I8]:
    """Which records are left out, and the people of whom even then too little is hidden.

    `now` is a release of all records whose classes are `earlier_cells`. Somebody who is in an earlier release and not
    in this one shows it by being missing. So people of one joint class who are missing must be as many as promised,
    or none; and so must those who stay. Where k is all that is promised, as few as possible are left out of a joint
    class; elsewhere all of it.
    """
    everybody, _ = everybody_in([who, *(held.who for held in earlier)])
    cell = earlier_cells(everybody, earlier)
    mine = cell[np.searchsorted(everybody, who)]
    crowd = max(held.claim.crowd for held in [now, *earlier])
    gone = np.bincount(cell[~np.isin(everybody, who)], minlength=int(cell.max(initial=0)) + 1)
    known = np.zeros(len(gone), dtype=bool)
    known[cell[np.isin(everybody, np.concatenate([held.who for held in earlier]))]] = True
    out = np.zeros(len(who), dtype=bool)
    for number in np.unique(mine).tolist():
        inside = np.flatnonzero(mine == number)
        many = _fewest(len(inside), int(gone[number]), crowd, bool(known[number]))
        out[rng.permutation(inside)[:many]] = True  # who is left out shall tell nothing
    while True:
        bad = breaking([*earlier, _some(now, ~out)])
        whole = np.isin(mine, cell[np.searchsorted(everybody, bad)]) & ~out
        if not len(bad) or not whole.any():
            return out, bad
        out |= whole


def _fewest(there: int, gone: int, crowd: int, known: bool) -> int:
    """How many of a joint class are left out, so that those who stay and those who are missing are enough, or none.

    >>> [_fewest(*case) for case in [(7, 0, 5, True), (12, 1, 5, True), (6, 1, 5, True), (3, 0, 5, False)]]
    [0, 4, 6, 3]
    """
    short = crowd - gone if known and 0 < gone < crowd else 0
    return short if there - short >= crowd else there


def _some(held: LinkedRelease, rows: B1) -> LinkedRelease:
    sensitive = {
        name: type(column)(column.codes[rows], column.values) for name, column in held.sensitive.items()
    }
    persons = None if held.persons is None else held.persons[rows]
    return LinkedRelease(held.claim, held.who[rows], held.kinds[rows], sensitive, persons)


# --- m-invariant releases

_NAME = "m-invariance"


def anonymize_invariant(
    dataset: Dataset,
    beside: Beside,
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
    stated, rest = split_options(options, method)
    claim = require_protection(dataset.claim(stated))
    column = _checked(dataset, claim, method, rest)
    assert isinstance(dataset, TableData)
    for part in beside.parts:
        _refuse_part(part, column.name)
    if beside.parts and not (said := invariance_of(beside.parts)):
        raise InputError(
            f"earlier: the earlier releases are not m-invariant, so none can follow them: {said.sentence}; make the "
            "first one with --invariant"
        )
    dataset.guard(claim)
    earlier = held_tables(beside.parts, also=[quasi.name for quasi in dataset.table.quasi])
    own = _signatures(column, beside.who, earlier)

    def make(data: TableData, rows: I8, suppress: float, classes: I8 | None = None) -> Result[Recoded]:
        from shoal.algorithms.local.invariance import invariant  # its kernels are heavy

        values, signatures = own
        rng = None if seed is None else np.random.default_rng(seed)
        return invariant(
            data.inputs["table"],
            data.hierarchies,
            claim,
            k=claim.crowd,
            m=_values_of(claim),
            values=values[rows],
            signatures=[signatures[row] for row in rows.tolist()],
            suppress=suppress,
            classes=classes,
            rng=rng,
            progress=progress,
        )

    suppress = rest.get("suppress", 0.0)
    made = make(dataset, np.arange(dataset.records), suppress)
    progress("judging")
    least = dataset.records - suppression_limit(_NAME, suppress, dataset.records)
    kept = made.release.rows
    classes = np.unique(made.release.codes, axis=0, return_inverse=True)[1].reshape(-1)

    def again(data: TableData) -> Result[Recoded]:
        """The same classes in labels of who was kept alone; one that finds none of its own there is left out, too."""
        nonlocal kept, classes
        anew = make(data, kept, (len(kept) - least + 0.5) / len(kept), classes)
        kept, classes = kept[anew.release.rows], classes[anew.release.rows]
        return anew

    described = {"name": _NAME, "parameters": options}
    how: dict[str, Any] = {"remake": again, "allow_empty": allow_empty}
    release = draft(dataset, made, method=described, seed=seed, kind=Release, **how)
    judge = partial(_judged, beside)
    refuse_unless(judge(release.dataset, release.result, release.frame))
    return replace(release, beside=judge)


def invariance_of(parts: Sequence[Part]) -> Verdict:
    """Whether releases of tables are m-invariant, each with the l that it promises."""
    return judge_invariance(held_tables(parts), [_values_of(part.claim) for part in parts])


def _judged(beside: Beside, dataset: Dataset, result: Result[Any], frame: Any) -> Verdict:
    return invariance_of([*beside.parts, beside.part(dataset, result, frame)])


def _values_of(claim: Claim) -> int:
    """How many sensitive values every class must hold: m."""
    return max([2, *(part.l for part in claim.parts if isinstance(part, LDiversity))])


def _checked(dataset: Dataset, claim: Claim, method: str | None, options: Mapping[str, Any]) -> Column:
    """The sensitive column; refuse what m-invariance does not speak of."""
    if not isinstance(dataset, TableData) or dataset.table.counts is not None:
        raise InputError(
            f"{_NAME}: it is for tables that are held in memory; leave out --invariant and --earlier-config"
        )
    if method is not None:
        raise InputError(
            f"{_NAME}: its classes are made by signatures, not by a method; leave out name in [method]"
        )
    if other := [key for key in options if key != "suppress"]:
        raise InputError(f"{_NAME}: of [method] it takes suppress alone; leave out {other[0]}")
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


def _signatures(
    column: Column, who: I8, earlier: Sequence[LinkedRelease]
) -> tuple[I8, list[frozenset[int] | None]]:
    """The sensitive value of each record as a number, -1 where it is missing, and its person's earlier signature."""
    texts = [
        *column.values,
        *(text for release in earlier for held in release.sensitive.values() for text in held.values),
    ]
    spelled = dict(zip(texts, unify_spellings(texts), strict=True))
    number: dict[str, int] = {"": -1}
    code = np.array(
        [number.setdefault(spelled[text], len(number) - 1) for text in column.values], dtype=np.int64
    )
    known: dict[int, frozenset[int]] = {}
    for release in earlier:
        (held,) = release.sensitive.values()
        values = [number.setdefault(spelled[text], len(number) - 1) for text in held.values]
        inside: dict[int, set[int]] = {}
        for kind, value in zip(release.kinds.tolist(), held.codes.tolist(), strict=True):
            inside.setdefault(kind, set()).add(values[value])
        own = {kind: frozenset(found) for kind, found in inside.items()}
        known |= {
            person: own[kind]
            for person, kind in zip(release.who.tolist(), release.kinds.tolist(), strict=True)
        }
    return code[column.codes], [known.get(person) for person in who.tolist()]
