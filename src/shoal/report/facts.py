"""The facts behind the pages, as plain data: one dict feeds the page, the json file and `--json`."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from shoal.base.discreet import SafeRepr
from shoal.release import ColumnTelling
from shoal.utility.columns import Association, StatisticInterval
from shoal.utility.queries import QueryErrors

__all__ = [
    "MODELS",
    "Accuracy",
    "AttributeRisk",
    "Audit",
    "Chart",
    "ColumnAccuracy",
    "Cut",
    "CutRelation",
    "Example",
    "FullKnowledge",
    "IdentityRisk",
    "Levels",
    "ModelScore",
    "PairAccuracy",
    "Prediction",
    "PublishedRelation",
    "Report",
    "Tradeoff",
    "TreeAudit",
    "TreeReport",
    "Useful",
    "WeightedFigure",
    "to_json_value",
]


Marginal = Sequence[tuple[str | None, int]]
Change = Sequence[tuple[str | None, float, float]]
End = str | tuple[str, str]
Tree = Sequence[Any]


def to_json_value(value: Any) -> Any:
    """Turn a value into what JSON can hold: text keys, lists, Python numbers, null for what is no number."""
    if isinstance(value, Mapping):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json_value(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_json_value(getattr(value, item.name)) for item in fields(value)}
    if hasattr(value, "tolist"):  # numpy scalars and arrays, without importing numpy for them
        return to_json_value(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


MODELS = {"logistic": "logistic regression", "boosted": "boosted trees"}
"""The models that are trained to say what a release is good for, and what people call them."""


@dataclass(frozen=True, slots=True, repr=False)
class ModelScore(SafeRepr):
    """How well a kind of model predicts, trained on the release and trained on the originals.

    model    : one of `MODELS`
    accuracy : the share of test records that it gets right
    auc      : how well it puts records in order, 0.5 is guessing, 1 is perfect; the mean over the target's values
    """

    model: str
    accuracy: float
    accuracy_originals: float
    auc: float
    auc_originals: float


@dataclass(frozen=True, slots=True, repr=False)
class Prediction(SafeRepr):
    """How well a column is predicted by models that learned from a release.

    target            : the column
    values            : how many different values it has
    learned           : released rows that were learned from
    learned_originals : original records that were learned from
    tested            : original records, none of them in that release, that were predicted
    majority          : the share that always guessing the most frequent value gets right
    scores            : one per kind of model
    """

    target: str
    values: int
    learned: int
    learned_originals: int
    tested: int
    majority: float
    scores: Sequence[ModelScore]


@dataclass(frozen=True, slots=True, repr=False)
class Useful(SafeRepr):
    """What a release is good for; each part is empty where it was not measured, and `notes` say why.

    prediction   : models, where a target was named
    associations : pairs of columns, the largest change first; at most two hundred of all `pairs`
    pairs        : how many were measured
    mean_change  : the mean change of all of them
    queries      : how far off counts are
    numbers      : means and quartiles with the interval that the release allows
    groups       : sizes of groups, likewise
    sentences    : what the figures say, by part
    notes        : what was left out or measured on a sample, in sentences
    """

    prediction: Prediction | None = None
    associations: Sequence[Association] = ()
    pairs: int = 0
    mean_change: float = 0.0
    queries: QueryErrors | None = None
    numbers: Sequence[StatisticInterval] = ()
    groups: Sequence[StatisticInterval] = ()
    sentences: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: the sentences, and what was left out."""
        return {**self.sentences, **({"notes": "; ".join(self.notes)} if self.notes else {})}

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `audit.json` holds it."""
        return dict(to_json_value(self))


@dataclass(frozen=True, slots=True, repr=False)
class Chart(SafeRepr):
    """One more thing to look at, which only some shapes have: series of numbers over common places on an axis.

    title, about : a heading, and a sentence on how to read it
    x            : the places on the axis, in words or numbers
    series       : name -> one number per place
    x_title      : what the axis shows
    """

    title: str
    about: str
    x: Sequence[str | float]
    series: Mapping[str, Sequence[float]]
    x_title: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Cut(SafeRepr):
    """The hierarchy of a class of record trees, and where it is cut.

    name    : the class
    labels  : its nodes, parents before children
    up      : the place of each node's parent, -1 over the root
    records : how many released records hold the node; None where it is not published
    """

    name: str
    labels: Sequence[str]
    up: Sequence[int]
    records: Sequence[int | None]


@dataclass(frozen=True, slots=True, repr=False)
class PublishedRelation(SafeRepr):
    """How many released nodes the field `below` has, and how many of them stand `under` one of the field `above`."""

    above: str
    below: str
    nodes: int
    under: int


@dataclass(frozen=True, slots=True, repr=False)
class CutRelation(SafeRepr):
    """A relation that was cut, and in how many originals it stood; an end is a class or one value (class, value)."""

    above: End
    below: End
    records: int


@dataclass(frozen=True, slots=True, repr=False)
class Example(SafeRepr):
    """An invented record before and after; a record is a list of nodes, a node (class, value, *nodes)."""

    before: Tree
    after: Tree


@dataclass(frozen=True, slots=True, repr=False)
class TreeReport(SafeRepr):
    """What may be published about record trees: what stands above what, and declared hierarchies with their cut."""

    told: Sequence[PublishedRelation]
    cuts: Sequence[Cut]


@dataclass(frozen=True, slots=True, repr=False)
class TreeAudit(SafeRepr):
    """What the data holder keeps about record trees.

    cut_relations : the relations that were cut, in the order of cutting
    cuts          : every hierarchy with its cut
    examples      : invented records
    ruled         : whether one rule recodes all records; without one there is nothing to show on an example
    insight       : the verdict for an attacker who also knows the recoding; None where it was not judged
    """

    cut_relations: Sequence[CutRelation]
    cuts: Sequence[Cut]
    examples: Sequence[Example]
    ruled: bool
    insight: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Tradeoff(SafeRepr):
    """What a table with baskets would lose under other bounds, and what it lost.

    points  : releases by rising `table-ncp` and falling `ul`, each with classes and merges
    ncp, ul : those losses of this release, of its table and of its items
    """

    points: Sequence[Mapping[str, Any]]
    ncp: float
    ul: float


@dataclass(frozen=True, slots=True, repr=False)
class Levels(SafeRepr):
    """How exactly a column is published whose hierarchy its owner declared.

    values, height : how many values the hierarchy has, and the level of its root; level 0 is the values themselves
    found          : for each level (None: a set or range that is no node), how many records show it, and some labels
    """

    column: str
    values: int
    height: int
    found: Sequence[tuple[int | None, int, Sequence[str]]]


@dataclass(frozen=True, slots=True, repr=False)
class FullKnowledge(SafeRepr):
    """How many released records are left alone for whoever knows all of a person, where a claim assumes less.

    shape   : table, baskets, mixed or trees
    k       : how many records the claim leaves for each person at least
    records : how many are released
    alone   : how many equal no other in all that may be known; at least so many where `few` is None
    few     : how many equal fewer than k - 1 others, those that are alone among them; None where it was not counted
    secret  : the field of trees whose values are nobody's to know; None where there is none
    """

    shape: str
    k: int
    records: int
    alone: int
    few: int | None
    secret: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class MoreKnowledge(SafeRepr):
    """What more knowledge than a claim about known columns allows would find in a release.

    k      : how few candidates are too few
    people : how many were looked at
    found  : what is known, in words, and the share of people who then have fewer than k candidates
    """

    k: int
    people: int
    found: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, repr=False)
class ColumnAccuracy(SafeRepr):
    """How well a released column says what the people in it have, in steps.

    kept   : at least this share of its order is left (of names: of the chance to guess right)
    mean   : its mean is off by less than so many standard deviations; None of names
    counts : the counts of its larger groups are off by less than this share of them on average; None of numbers
    """

    column: str
    kept: float
    mean: float | None = None
    counts: float | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PairAccuracy(SafeRepr):
    """Spearman's correlation of two columns, rounded: of the people who are released, and of what is released."""

    first: str
    second: str
    before: float
    after: float

    @property
    def is_turned(self) -> bool:
        """Whether it has the other sign."""
        return self.before * self.after < 0

    @property
    def is_weaker(self) -> bool:
        """Whether less than half of it is left, and the sign is the same."""
        return not self.is_turned and abs(self.after) < abs(self.before) / 2


@dataclass(frozen=True, slots=True, repr=False)
class Accuracy(SafeRepr):
    """What analyses of a released table can rely on, in steps that no k people can be told by.

    step    : how wide the steps are
    columns : every column that was generalized
    pairs   : pairs of columns with a sign that are related, the strongest first
    """

    step: float
    columns: Sequence[ColumnAccuracy]
    pairs: Sequence[PairAccuracy]

    @property
    def faint(self) -> list[str]:
        """The columns of which less than half is left."""
        return [column.column for column in self.columns if column.kept < 0.5]


@dataclass(frozen=True, slots=True, repr=False)
class Report(SafeRepr):
    """What may be published about a release: but for `accuracy` what its data, manifest and hierarchies tell.

    manifest       : what `manifest.json` holds
    verdict        : `Verdict.as_dict()` of the files as written
    sizes          : class size -> number of classes of that size
    loss_by_column : column -> its share of the loss, 0 = untouched
    marginals      : column -> (label, records) in the order to show; None is an empty cell
    charts         : what else the release shows
    trees          : of record trees, how they hang and what their values stand for
    settings       : what each parameter of the method means, in sentences
    levels         : how exactly columns with a declared hierarchy are published
    full_knowledge : how many are left alone where all is known; None where the claim assumes that it is
    more_knowledge : what more known columns would find; None where no column is known of somebody
    otherwise      : columns outside the claim that are not published as they are, each with a key of `PUBLISHED`
    accuracy       : how far means, counts and relations of a table are off; None where nothing is told of that
    """

    manifest: Mapping[str, Any]
    verdict: Mapping[str, Any]
    sizes: Mapping[int, int]
    loss_by_column: Mapping[str, float]
    marginals: Mapping[str, Marginal]
    charts: Sequence[Chart] = ()
    trees: TreeReport | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    levels: Sequence[Levels] = ()
    otherwise: Mapping[str, str] = field(default_factory=dict)
    full_knowledge: FullKnowledge | None = None
    more_knowledge: MoreKnowledge | None = None
    accuracy: Accuracy | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return dict(to_json_value(self))


@dataclass(frozen=True, slots=True, repr=False)
class IdentityRisk(SafeRepr):
    """How likely people are found by something that may be known of them.

    known         : what that is, in words
    threshold     : the chance that the claim allows
    before, after : of originals and release, the `highest` chance, the `average`, and the share of people `above` the
                    threshold, as far as they can be told; `outside`, the highest chance of somebody who does not know
                    who of a population is in the data, where the population is known
    """

    known: str
    threshold: float
    before: Mapping[str, float]
    after: Mapping[str, float]


@dataclass(frozen=True, slots=True, repr=False)
class WeightedFigure(SafeRepr):
    """A figure by sampling weights: of all records and of the released ones by their own, and by those published.

    `column` is that of a mean or a share, empty of people; `of_all` is None where originals have no such figure.
    """

    column: str
    figure: str
    of_all: float | None
    of_released: float
    published: float
    is_share: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class AttributeRisk(SafeRepr):
    """What look-alikes tell of a sensitive column, before and after; `known` is what makes them look alike, in words.

    Both hold `l` and `t`, the distinct l-diversity and the t-closeness that are reached; `share`, the largest share of
    look-alikes that has one value; and `given_away`, the share of records whose look-alikes all have one. Of classes of
    a table there is `entropy`, the entropy l-diversity, too. Of columns with hidden values, alone and together, they
    hold in place of these the share of people who have one: of all (`hidden_overall`), what half of the classes are at
    or below (`hidden_half`), and the largest of a class (`hidden`).
    """

    column: str
    before: Mapping[str, float]
    after: Mapping[str, float]
    known: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Audit(SafeRepr):
    """What the data holder keeps: the report, and what needs the originals.

    report       : the public facts
    losses       : losses that need the originals, by name
    before_after : column -> (label, records before, records after) in the order to show
    risk_before  : `shoal.risks.look_alikes.describe_classes` of the originals
    risk_after   : the same of the release
    front        : the points of the Pareto front, each with levels, k, loss, suppressed and, where a
                   search was cut short, proven; None when there is none
    rules        : the recoding: levels by column, beside them heights and examples by column, suppressed
    trace        : how the search went: counts and times
    beyond       : for each attacker just outside the claim, in words, how many people are found too easily
    charts       : what else needs the originals to be seen
    trees        : of record trees, what was cut, and examples
    tradeoff     : of a table with baskets, what other bounds would cost; None when it was not traced
    useful       : what the release is good for; None where it was not measured
    attack       : `Attack.as_dict()`: the attackers that were played; None where none were
    exposed      : how likely people are found by what may be known of them, before and after
    learned      : what look-alikes tell of sensitive columns, before and after
    weighted     : how figures by sampling weights move, where a weight is published
    telling      : what plain and sensitive columns tell beyond k, those that tell anything
    uncounted    : what of the two was not counted, and why, in sentences
    population   : how many people the records were drawn from; None where nobody told
    times        : seconds of each step, as far as it was done when the audit was written
    floor        : what every release of its kind loses at least (`ncp`); None where it was not sought
    columns      : what every column that came in lost, 0 = kept, 1 = nothing is told; None where it is left out
    undecided    : what was taken for what shoal proposed, though it asked for a decision, and why; "*" is the file
    warnings     : what its owner should think about before it is published, in sentences, with figures
    rows         : the file beside it that tells which released row is which original record; None when it was not kept
    """

    report: Report
    losses: Mapping[str, float]
    before_after: Mapping[str, Change]
    risk_before: Mapping[str, Any]
    risk_after: Mapping[str, Any]
    front: Sequence[Mapping[str, Any]] | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)
    trace: Mapping[str, Any] = field(default_factory=dict)
    beyond: Mapping[str, int] = field(default_factory=dict)
    charts: Sequence[Chart] = ()
    trees: TreeAudit | None = None
    tradeoff: Tradeoff | None = None
    useful: Useful | None = None
    attack: Mapping[str, Any] | None = None
    exposed: Sequence[IdentityRisk] = ()
    learned: Sequence[AttributeRisk] = ()
    weighted: Sequence[WeightedFigure] = ()
    telling: Sequence[ColumnTelling] = ()
    uncounted: Sequence[str] = ()
    population: int | None = None
    times: Mapping[str, float] = field(default_factory=dict)
    floor: float | None = None
    columns: Mapping[str, float | None] = field(default_factory=dict)
    undecided: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    rows: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return dict(to_json_value(self))
