"""m-invariant releases: made so that later ones can follow them, or to follow such ones, as people come and go."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from shoal.algorithms.knobs import suppression_limit
from shoal.anonymization.methods import split_options
from shoal.anonymization.release import Release
from shoal.anonymization.several.joint_judges import InvarianceJudge, invariance_of, signature_size
from shoal.anonymization.several.judging import EarlierReleases, Part, link_tables
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.base.progress import Progress, no_progress
from shoal.data import Column
from shoal.data.arrays import I8
from shoal.data.spelling import unify_spellings
from shoal.privacy import KAnonymity, LDiversity, require_protection
from shoal.privacy.several import LinkedRelease
from shoal.publish.draft import draft, refuse_unless
from shoal.release import Claim, Recoded, Result
from shoal.shapes.dataset import Dataset
from shoal.shapes.table.data import TableData

__all__ = ["anonymize_invariant"]

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
    signatures = _earlier_signatures(column, beside.who, earlier)
    maker = _SignatureMaker(
        claim,
        signatures.values,
        signatures.of_records,
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
    judge = InvarianceJudge(beside)
    refuse_unless(judge.judge_with_earlier(release.dataset, release.result, release.frame))
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
            m=signature_size(self.claim),
            values=self.values[records],
            signatures=[self.signatures[record] for record in records.tolist()],
            suppress=suppress,
            classes=classes,
            rng=None if self.seed is None else np.random.default_rng(self.seed),
            progress=self.progress,
        )


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


class _Signatures(NamedTuple):
    """What earlier releases tell of records' people.

    values     : int64[records], the number of each record's sensitive value, -1 where it is missing
    of_records : by record, the sensitive values of its person's class in earlier releases; None of newcomers
    """

    values: I8
    of_records: list[frozenset[int] | None]


def _earlier_signatures(column: Column, who: I8, earlier: Sequence[LinkedRelease]) -> _Signatures:
    """Look the signature of each record's person up; a later release goes before an earlier one."""
    earlier_columns = [sensitive for release in earlier for sensitive in release.sensitive.values()]
    texts = [*column.values, *(text for sensitive in earlier_columns for text in sensitive.values)]
    numbering = _ValueNumbers(dict(zip(texts, unify_spellings(texts), strict=True)))
    values = np.array(numbering.number_texts(column.values), dtype=np.int64)
    signature_of_person: dict[int, frozenset[int]] = {}
    for release in earlier:
        (sensitive,) = release.sensitive.values()
        number_of_code = numbering.number_texts(sensitive.values)
        values_of_class: defaultdict[int, set[int]] = defaultdict(set)
        for class_id, code in zip(release.kinds.tolist(), sensitive.codes.tolist(), strict=True):
            values_of_class[class_id].add(number_of_code[code])
        signatures = {class_id: frozenset(class_values) for class_id, class_values in values_of_class.items()}
        for person, class_id in zip(release.who.tolist(), release.kinds.tolist(), strict=True):
            signature_of_person[person] = signatures[class_id]
    return _Signatures(values[column.codes], [signature_of_person.get(person) for person in who.tolist()])


class _ValueNumbers:
    """Numbers of sensitive values in the order in which they come, whatever their spelling; an empty cell is -1."""

    def __init__(self, spelling_of: Mapping[str | None, str]) -> None:
        self._spelling_of = spelling_of
        self._number_of: dict[str, int] = {"": -1}

    def number_texts(self, texts: Iterable[str | None]) -> list[int]:
        """The number of each text."""
        return [
            self._number_of.setdefault(self._spelling_of[text], len(self._number_of) - 1) for text in texts
        ]
