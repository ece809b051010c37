"""m-invariant releases: a first one that later ones can follow, and later ones, where people come and go."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from shoal.algorithms.knobs import allowance
from shoal.data import Column
from shoal.data.arrays import I8
from shoal.data.spelling import alike
from shoal.errors import InputError
from shoal.privacy import KAnonymity, LDiversity, promised
from shoal.privacy.several import LinkedRelease, judge_invariance
from shoal.progress import Progress, silent
from shoal.publish.draft import draft, refuse_unless
from shoal.publish.making import split_options
from shoal.publish.protocols import Dataset
from shoal.publish.release import Release
from shoal.publish.several.earlier import Beside
from shoal.publish.several.judging import Part, held_tables
from shoal.publish.shapes.table.data import TableData
from shoal.release import Claim, Recoded, Result, Verdict

__all__ = ["anonymize_invariant", "invariance_of"]

_NAME = "m-invariance"


def anonymize_invariant(
    dataset: Dataset,
    beside: Beside,
    *,
    method: str | None = None,
    seed: int | None = None,
    progress: Progress = silent,
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
    claim = promised(dataset.claim(stated))
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
    least = dataset.records - allowance(_NAME, suppress, dataset.records)
    kept = made.release.rows
    classes = np.unique(made.release.codes, axis=0, return_inverse=True)[1].reshape(-1)

    def again(data: TableData) -> Result[Recoded]:
        """The same classes in labels of who was kept alone; one that finds none of its own there is left out, too."""
        nonlocal kept, classes
        anew = make(data, kept, (len(kept) - least + 0.5) / len(kept), classes)
        kept, classes = kept[anew.release.rows], classes[anew.release.rows]
        return anew

    described = {"name": _NAME, "parameters": options}
    release = draft(dataset, made, method=described, seed=seed, kind=Release, remake=again)
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
    number: dict[str, int] = {"": -1}
    code = np.array(
        [number.setdefault(alike(text or ""), len(number) - 1) for text in column.values], dtype=np.int64
    )
    known: dict[int, frozenset[int]] = {}
    for release in earlier:
        (held,) = release.sensitive.values()
        values = [number.setdefault(alike(text), len(number) - 1) for text in held.values]
        inside: dict[int, set[int]] = {}
        for kind, value in zip(release.kinds.tolist(), held.codes.tolist(), strict=True):
            inside.setdefault(kind, set()).add(values[value])
        own = {kind: frozenset(found) for kind, found in inside.items()}
        known |= {
            person: own[kind]
            for person, kind in zip(release.who.tolist(), release.kinds.tolist(), strict=True)
        }
    return code[column.codes], [known.get(person) for person in who.tolist()]
