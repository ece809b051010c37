"""What the door must know of data of any shape, and a release of them before it leaves: shuffled, assembled, judged.

Notes say what a release shows that its readers should know: true, judged, and perhaps of little use or not very safe.
They are public, so they are computed from the released records alone.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np

from shoal import __version__
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.base.arguments import check_seed
from shoal.base.discreet import SafeRepr
from shoal.base.errors import InfeasibleError, RefusedError, ShoalError
from shoal.base.former_names import FormerName
from shoal.data.arrays import I8
from shoal.io.write.groups import Groups
from shoal.privacy import needs_population
from shoal.publish.full_knowledge import full_knowledge, full_knowledge_of_parts
from shoal.publish.notes import _note, centre_notes, frequency_notes, notes_of, weight_notes
from shoal.release import Claim, Result, Verdict
from shoal.report.facts import FullKnowledge
from shoal.shapes.dataset import Dataset, Facts
from shoal.shapes.maker import Maker
from shoal.shapes.untold import refuse_untold

__all__ = [
    "Choices",
    "Draft",
    "claim_in_words",
    "draft",
    "publishable_parameters",
    "refuse_unless",
]

# --- notes


@dataclass(frozen=True, repr=False)
class Choices(SafeRepr):
    """What other choices would cost; nothing where nobody looked.

    front  : what every other k would cost, or every other bound of a table with baskets
    others : methods that would lose far less, each with its headline loss
    overlapping : the columns of a table with groups that overlap
    one_level   : the headline loss with one level per column; None where it was not looked for
    """

    front: Mapping[str, Any] | None = None
    others: Mapping[str, float] = field(default_factory=dict)
    overlapping: tuple[str, ...] = ()
    one_level: float | None = None


class JointJudge(Protocol):
    """What judges a release together with earlier ones of the same people."""

    def judge_with_earlier(self, dataset: Dataset, result: Result[Any], frame: Any) -> Verdict:
        """Judge a release, as somebody read `frame` from its file or is about to write it."""


@dataclass(frozen=True, repr=False)
class Draft(SafeRepr):
    """What may be published, with what must stay behind.

    `result.release` knows the original record behind each released one; that never leaves. `frame` is what is written:
    cells, or of record trees the trees. `choices` are what others would cost.
    `maker` makes the same kind of release of other records, to be measured and thrown away; None where nothing can.
    `beside` judges the release together with earlier ones of the same people; None where there are none.
    `step_seconds` is how many seconds each step of making it took.
    """

    dataset: Dataset
    result: Result[Any]
    frame: Any
    verdict: Verdict
    method: Mapping[str, Any]
    rehearsal: bool = False
    choices: Choices = Choices()
    maker: Maker | None = None
    beside: JointJudge | None = None
    step_seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def data(self) -> Any:
        """The released records, in the kind of frame that came in."""
        return self.dataset.source.like(self.frame)

    @cached_property
    def groups(self) -> Groups:
        """By the short name that rows have, the items of each group; empty where rows spell them out."""
        return self.dataset.groups(self.result.release)

    @property
    def claim(self) -> Claim:
        """The guarantee this release states."""
        return self.result.claim

    @property
    def claimed(self) -> dict[str, Any]:
        """The claim as the manifest states it, saying whether it counts persons or households."""
        unit = getattr(self.dataset, "counted", "persons")
        suppressed = self.dataset.counts(self.result.release)["suppressed"]
        words = claim_in_words(self.claim, self.method["name"], suppressed)
        return words | ({"counts": unit} if self.dataset.counts_persons else {})

    @property
    def shown_verdict(self) -> dict[str, Any]:
        """The verdict as anybody may read it: without figures that only the originals tell."""
        facts = self.verdict.as_dict()
        if not self._needs_originals:
            return facts
        return facts | {"sentence": _KEPT if not needs_population(self.claim) else _KEPT_AMONG, "reached": {}}

    @property
    def private_trace(self) -> dict[str, Any]:
        """How the search went, and what only the owner may know of the verdict."""
        finding = {"the judge found": self.verdict.sentence} if self._needs_originals else {}
        would = {f"{name} would lose": share for name, share in self.choices.others.items()}
        joint_finding = (
            {}
            if self.beside is None
            else {"with earlier releases": self.judge_with_earlier(self.frame).sentence}
        )
        return {**self.result.trace, **finding, **would, **joint_finding}

    @property
    def _publishable_method(self) -> dict[str, Any]:
        """The method and those of its parameters that hold no data: lists of items, say, may hold somebody's."""
        name, columns = self.method["name"], self.dataset.roles(self.frame)
        parameters = publishable_parameters(name, self.method["parameters"], columns, self.claim)
        return {"name": name, "parameters": parameters}

    @property
    def _needs_originals(self) -> bool:
        """Whether the judge needed more than the released records: whose they are, the originals, or a population."""
        return self.dataset.counts_persons or self.claim.votes or needs_population(self.claim)

    @property
    def rows(self) -> I8:
        """The original record behind each released one; private."""
        release = self.result.release
        return np.asarray(getattr(release, "table", release).rows, dtype=np.int64)

    @cached_property
    def full_knowledge(self) -> FullKnowledge | None:
        """How many are left alone for whoever knows all of a person; None where the claim assumes that all is known."""
        counts = self.dataset.counts(self.result.release)
        if not self.dataset.in_memory:
            return full_knowledge_of_parts(self.claim, counts["records_out"], counts["classes"])
        weights = getattr(self.result.release, "counts", None)
        return full_knowledge(self.claim, self.frame, self.dataset.roles(self.frame), self.groups, weights)

    @cached_property
    def loss(self) -> dict[str, float]:
        """Every loss, those that need the originals among them."""
        return self.dataset.losses(self.result, self.method, public=False)

    @cached_property
    def losses_by_column(self) -> dict[str, float | None]:
        """What every column that came in lost; None where it is left out; private."""
        return self.dataset.losses_by_column(self.result, self.loss)

    @property
    def recoding(self) -> dict[str, Any]:
        """The rule that turns new records into the same form; private."""
        return {
            "shoal": __version__,
            "shape": self.dataset.shape,
            "method": dict(self.method),
            "claim": self.claimed,
            **getattr(self.result.release, "rule", {}),
            **(
                {"left_values": left_values}
                if (left_values := getattr(self.dataset, "left_values", {}))
                else {}
            ),
        }

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data: nothing that the data and declared hierarchies do not tell."""
        counts = self.dataset.counts(self.result.release)
        facts: dict[str, Any] = {
            "shoal": __version__,
            "shape": self.dataset.shape,
            "columns": self.dataset.roles(self.frame),
            "claim": self.claimed,
            "judged": bool(self.verdict),
            "method": self._publishable_method,
            "records_in": counts["records_in"],
            "records_out": counts["records_out"],
            "suppressed": counts["suppressed"],
            "suppressed_items": counts["suppressed_items"],
            "loss": self.dataset.losses(self.result, self.method, public=True),
            "classes": counts["classes"],
            "notes": [
                *notes_of(
                    self.frame,
                    self.dataset.roles(self.frame),
                    self.dataset.allow,
                    getattr(self.result.release, "counts", None),
                ),
                *frequency_notes(
                    getattr(self.dataset, "hierarchies", {}),
                    self.dataset.roles(self.frame).keys(),
                    counts["records_out"],
                ),
                *centre_notes(self.result.release, self.claim.crowd),
                *weight_notes(self.dataset, self.claim.crowd),
                *(
                    _note("shifted", name, counts["records_out"])
                    for name in getattr(getattr(self.dataset, "keyed", None), "shifted", ())
                ),
            ],
        }
        if (domain := getattr(self.dataset, "domain", None)) is not None:
            facts["domain"] = domain
        if self.rehearsal:
            facts["rehearsal"] = True
        return facts

    def judge(self, frame: Any) -> Verdict:
        """Judge the claim on `frame`, this release as somebody read it."""
        return self.dataset.judge(frame, self.result)

    def check_truth(self, frame: Any) -> Verdict:
        """Check that every cell of `frame` tells the truth about the record it stems from."""
        return self.dataset.truth(frame, self.result)

    def judge_with_earlier(self, frame: Any) -> Verdict:
        """Judge what `frame` tells whoever holds earlier releases of the same people too."""
        if self.beside is None:
            return Verdict(True, "no earlier release is looked at")
        return self.beside.judge_with_earlier(self.dataset, self.result, frame)

    spent = FormerName("step_seconds")
    truth = FormerName("check_truth")
    together = FormerName("judge_with_earlier")


def publishable_parameters(
    name: str, given: Facts, columns: Mapping[str, str], claim: Claim
) -> dict[str, Any]:
    """Those parameters of a method, and what of them, that may be published beside the columns of a release."""
    knob_by_name = {knob.name: knob for knob in knobs(name)} if name in METHODS else {}
    parts = [part.as_dict() for part in claim.parts]
    publishable = {
        key: knob_by_name[key].publishable_value(value, columns)
        if key in knob_by_name
        else _publishable_number(key, value, parts)
        for key, value in given.items()
    }
    return {key: value for key, value in publishable.items() if value is not None}


def claim_in_words(claim: Claim, method: str, suppressed: int) -> dict[str, Any]:
    """The claim as a manifest holds it, with what the method tells of people who were left out, if any were."""
    words = claim.as_dict()
    disclosure = METHODS[method].tells if method in METHODS and suppressed else ""
    return words | {"not_covered": [*words["not_covered"], disclosure]} if disclosure else words


def _publishable_number(key: str, value: Any, parts: Sequence[Mapping[str, Any]]) -> Any:
    """A parameter that is not the method's own, where it is a number or a word that the claim states too; else None."""
    is_claimed_word = isinstance(value, str) and any(part.get(key) == value for part in parts)
    return value if is_claimed_word or isinstance(value, bool | int | float) else None


_KEPT = "the judge, who also saw the originals, says that the claim is kept"
_KEPT_AMONG = "the judge, who also saw the population, says that the claim is kept"
D = TypeVar("D", bound="Draft")


def draft(
    dataset: Dataset,
    result: Result[Any],
    *,
    method: Mapping[str, Any],
    seed: int | None = None,
    kind: type[D],
    refusal: type[ShoalError] = RefusedError,
    maker: Maker | None = None,
    allow_empty: bool = False,
) -> D:
    """Shuffle, assemble and judge a method's result; `maker` makes it again of those who stay.

    Raises
    ------
    InfeasibleError
        Nothing is told of nearly anybody, and `allow_empty` is not given.
    RefusedError
        The claim or the truth of the result does not hold; nothing leaves.
    """
    check_seed(seed)
    dataset, result = dataset.without_traces(result, maker)
    dataset.guard_released(result)
    if not allow_empty:
        refuse_untold(dataset, result)
    order = _random_order(dataset.size(result.release), seed)
    result = dataset.shuffle_rows(result, order)
    frame = dataset.assemble(result.release)
    result = replace(result, claim=dataset.restrict_claim(frame, result.claim))
    pending_verdict = Verdict(False, "not judged yet", judged=False)
    candidate = kind(dataset, result, frame, pending_verdict, method, seed is not None)
    verdict = candidate.judge(frame)
    refuse_unless(verdict, candidate.check_truth(frame), refusal=refusal)
    return replace(candidate, verdict=verdict)


def refuse_unless(*verdicts: Verdict, refusal: type[ShoalError] = RefusedError) -> None:
    """Refuse a release unless its judge said yes.

    Raises
    ------
    InfeasibleError
        No judge can look at it: it would be too much work. Nobody could verify such a release.
    RefusedError
        The judge said no.
    """
    for verdict in verdicts:
        if not verdict.judged:
            raise InfeasibleError(
                f"not judged, and so nothing was written: {verdict.sentence.removeprefix('not judged: ')}"
            )
        if not verdict:
            bug = "; please report this as a bug" if refusal is RefusedError else ""
            raise refusal(f"refused: {verdict.sentence}; nothing was written{bug}")


def _random_order(n: int, seed: int | None) -> I8:
    """A random order, from the operating system unless a rehearsal fixes it."""
    if seed is not None:
        return np.random.default_rng(seed).permutation(n)
    return np.argsort(np.frombuffer(os.urandom(8 * n), dtype=np.uint64), kind="stable")
