"""What goes out, by shape: recoded data as a method hands them over, and the same as a judge sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.data.arrays import B1, I4, I8, count_codes, number_rows, prefix_sums, row_of_entry, sum_rows
from shoal.hierarchy import Hierarchies, Hierarchy

__all__ = [
    "Claim",
    "ColumnTelling",
    "Population",
    "Published",
    "PublishedBaskets",
    "PublishedBits",
    "PublishedMixed",
    "PublishedValues",
    "Recoded",
    "RecodedBaskets",
    "RecodedMixed",
    "RecodedTrees",
    "Result",
    "Sensitive",
    "Verdict",
    "VotedBaskets",
    "centres_of",
]


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(SafeRepr):
    """What a judge says: truthy only when the claim was judged and holds.

    `witnesses` are row numbers of the release, counted from 1, of records that break the claim (the first
    hundred); `broken` is how many there are. `reached` holds what the data do reach, such as {"k": 3}.
    """

    holds: bool
    sentence: str
    judged: bool = True
    broken: int = 0
    witnesses: tuple[int, ...] = ()
    reached: Mapping[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.judged and self.holds

    @property
    def word(self) -> str:
        """The verdict in a word: yes, no or not judged."""
        return "yes" if self else "no" if self.judged else "not judged"

    @property
    def exit_code(self) -> int:
        """The exit code that the command line has for it."""
        return 0 if self else 1 if self.judged else 5

    def facts(self) -> dict[str, object]:
        """What may be shown: rows by their numbers, as everywhere in a verdict."""
        first_rows = ", ".join(map(str, self.witnesses[:10]))
        row_facts = (
            {"rows that break it": self.broken, "the first of them": first_rows} if self.broken else {}
        )
        return {"verdict": self.word, "sentence": self.sentence, **row_facts}

    def __repr__(self) -> str:
        return f"<Verdict {self.word}: {self.sentence}>"

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "holds": bool(self),
            "judged": self.judged,
            "sentence": self.sentence,
            "broken": self.broken,
            "witnesses": list(self.witnesses),
            "reached": dict(self.reached),
        }


class Claim:
    """A guarantee a release states, with the judge that checks it and its words for people.

    model   : what the manifest calls it
    shape   : the data it speaks of: table, baskets, mixed or trees
    exempts : whether sensitive items stay as they are, and the claim counts only the others
    votes   : whether rows are votes of several records, which need not be true of any one of them
    blanks  : whether an empty cell of a quasi-identifier stands for any value; else for a missing one alone
    """

    __slots__ = ()

    model: ClassVar[str]
    shape: ClassVar[str]
    exempts: ClassVar[bool] = False
    votes: ClassVar[bool] = False
    blanks: ClassVar[bool] = False

    @property
    def named(self) -> str:
        """The model's name, with what these numbers add to it."""
        return self.model

    @property
    def roles(self) -> tuple[str, ...]:
        """The columns it sees, by role."""
        raise NotImplementedError

    @property
    def crowd(self) -> int:
        """How many records of the release look alike at least, as far as this claim says."""
        return int(getattr(self, "k", 1))

    @property
    def parts(self) -> "tuple[Claim, ...]":
        """The single claims that this one is made of."""
        return (self,)

    @property
    def attacker(self) -> str:
        """Whom the claim protects against, and how far."""
        raise NotImplementedError

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words."""
        raise NotImplementedError

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        words = self.attacker
        return f"{words[:1].upper()}{words[1:]}."

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that the claim speaks of."""
        return [name for name, role in columns.items() if role in self.roles]

    def restrict_to(self, published: Any) -> "Claim":
        """The claim as a release states it: where it lists values, only those that occur there."""
        return self

    def implies(self, other: "Claim") -> bool:
        """Whether every release that keeps this claim keeps the other, by their definitions; where in doubt, not."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """Return the claim as the manifest holds it: model, its numbers, the attacker in words."""
        return {
            "model": self.named,
            **self.numbers(),
            "attacker": self.attacker,
            "not_covered": list(self.not_covered),
        }

    def check(self, published: Any) -> Verdict:
        """Judge a release, seen as its shape's judges see it, from the definition."""
        raise NotImplementedError


T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class Result(SafeRepr, Generic[T]):
    """What a method hands to `publish`: the release, its claim, private evidence, and how the search went.

    `trace` holds counts and times, never cell values and never a seed.
    """

    release: T
    claim: Claim
    proof: object = None
    trace: Mapping[str, Any] = field(default_factory=dict)


# --- tables: forms by column ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class PublishedValues(SafeRepr):
    """The distinct published forms of one column, and the leaves each stands for.

    labels : what is written; None is an empty cell
    start  : int64[forms + 1]; form f stands for leaves[start[f] : start[f + 1]]
    leaves : int32, ascending within a form: leaf codes of the column's hierarchy

    A form with the code D among its leaves also stands for a missing cell that no leaf covers.

    centre : "mean" or "median" where each label is that of a class of records; the leaves are then those from the
             lowest to the highest value of the class, which readers are not told. "" where labels tell their leaves
    """

    labels: tuple[str | None, ...]
    start: I8
    leaves: I4
    centre: str = ""

    @classmethod
    def of_level(cls, hierarchy: Hierarchy, level: int) -> "PublishedValues":
        """Return every node of one level as a form; the root always stands for missing cells too."""
        return cls.of_spans(hierarchy, hierarchy.labels[level], hierarchy.spans[level])

    @classmethod
    def of_spans(cls, hierarchy: Hierarchy, labels: Sequence[str | None], spans: I4) -> "PublishedValues":
        """Return forms that are intervals lo .. hi-1 of leaf codes."""
        missing_leaf = hierarchy.missing
        visible_labels = tuple(
            None if missing_leaf is not None and (lo, hi) == (missing_leaf, missing_leaf + 1) else label
            for label, (lo, hi) in zip(labels, spans.tolist(), strict=True)
        )
        root = np.array([label == hierarchy.root for label in labels], dtype=bool)
        ends = spans[:, 1] + (root & (spans[:, 1] - spans[:, 0] == hierarchy.size))
        start = prefix_sums(ends - spans[:, 0])
        leaves = np.concatenate(
            [np.arange(lo, hi, dtype=np.int32) for lo, hi in zip(spans[:, 0], ends, strict=True)]
        )
        return cls(visible_labels, start, leaves)

    @classmethod
    def of_sets(cls, labels: Sequence[str | None], sets: Sequence[I4]) -> "PublishedValues":
        """Return forms that are any sets of leaf codes, each ascending."""
        start = np.cumsum([0, *map(len, sets)]).astype(np.int64)
        return cls(tuple(labels), start, np.concatenate([np.empty(0, dtype=np.int32), *sets]))

    @classmethod
    def of_centres(
        cls, centre: str, labels: Sequence[str | None], classes: I8, leaves: I4
    ) -> tuple["PublishedValues", I8]:
        """Return the mean or median of each class as a form, and the form of each class.

        `labels` are by class; `classes` and `leaves` are by record.
        """
        low = np.full(len(labels), np.iinfo(np.int32).max, dtype=np.int64)
        high = np.full(len(labels), -1, dtype=np.int64)
        np.minimum.at(low, classes, leaves)
        np.maximum.at(high, classes, leaves)
        ends = zip(labels, low.tolist(), high.tolist(), strict=True)
        form_of_end: dict[tuple[str | None, int, int], int] = {}
        form = np.array([form_of_end.setdefault(end, len(form_of_end)) for end in ends], dtype=np.int64)
        sets = [
            np.arange(first_leaf, last_leaf + 1, dtype=np.int32) for _, first_leaf, last_leaf in form_of_end
        ]
        return replace(cls.of_sets([label for label, _, _ in form_of_end], sets), centre=centre), form

    def cover(self, codes: I4 | I8, leaves: I4 | I8) -> B1:
        """For each pair of a form and a leaf, whether the form stands for it; (form, leaf) are compared as one number.

        A form that does not exist stands for nothing, and no form does for a negative leaf.
        """
        width = max(int(self.leaves.max(initial=0)), int(leaves.max(initial=0))) + 1
        covered_pairs = row_of_entry(self.start) * width + self.leaves
        return np.asarray(
            (leaves >= 0) & np.isin(codes.astype(np.int64) * width + leaves, covered_pairs), dtype=bool
        )

    def counts(self, size: int) -> I8:
        """How many of the hierarchy's `size` leaves each form stands for; the missing value is no leaf."""
        return sum_rows(self.start, self.leaves < size)

    def sets(self) -> I8:
        """Number the forms so that equal leaf sets, whatever their labels, get equal numbers; means by their labels."""
        return self.texts() if self.centre else number_rows(self.start, self.leaves)

    def texts(self) -> I8:
        """Number the forms so that equal labels get equal numbers, whatever they stand for: as readers see them."""
        number_of_label: dict[str | None, int] = {}
        return np.array(
            [number_of_label.setdefault(label or None, len(number_of_label)) for label in self.labels],
            dtype=np.int64,
        )


@dataclass(frozen=True, repr=False)
class Recoded(SafeRepr):
    """A table's quasi-identifiers as a method recoded them.

    names   : the quasi-identifiers, in table order
    forms   : what each column publishes
    codes   : int32[kept, d]; row i, column j -> place in forms[j]
    rows    : int64[kept]: the original record of each row, ascending until shuffled; the others are suppressed
    records : how many records came in
    rule    : what turns new records into the same form, as plain JSON data; empty for local recodings
    counts  : int64[kept]: how many records each row stands for; None when each is one
    core    : the columns that everybody knows, whose labels make classes; empty where all of them are
    """

    names: tuple[str, ...]
    forms: tuple[PublishedValues, ...]
    codes: I4
    rows: I8
    records: int
    rule: Mapping[str, Any] = field(default_factory=dict)
    counts: I8 | None = None
    core: tuple[str, ...] = ()

    @classmethod
    def of_levels(
        cls,
        names: Sequence[str],
        hierarchies: Hierarchies,
        leaves: I4,
        levels: Sequence[int],
        rows: I8,
        counts: I8 | None = None,
    ) -> "Recoded":
        """Publish every column at one level.

        `leaves` is int32[n, d], the leaf codes of all rows; `counts` says how many records each of them stands for.
        """
        column_hierarchies = [hierarchies[name] for name in names]
        codes = [
            hierarchy.up[leaves[rows, j], level]
            for j, (hierarchy, level) in enumerate(zip(column_hierarchies, levels, strict=True))
        ]
        return cls(
            tuple(names),
            tuple(
                PublishedValues.of_level(hierarchy, level)
                for hierarchy, level in zip(column_hierarchies, levels, strict=True)
            ),
            np.stack(codes, axis=1).astype(np.int32),
            rows,
            len(leaves) if counts is None else int(counts.sum()),
            {"levels": {name: int(level) for name, level in zip(names, levels, strict=True)}},
            None if counts is None else counts[rows],
        )

    def taken(self, order: I8) -> "Recoded":
        """The same release, its rows in another order."""
        counts = None if self.counts is None else self.counts[order]
        return replace(self, codes=self.codes[order], rows=self.rows[order], counts=counts)

    def only(self, names: Sequence[str]) -> "Recoded":
        """The same rows in some of the columns, in table order."""
        places = [j for j, name in enumerate(self.names) if name in names]
        return replace(
            self,
            names=tuple(self.names[j] for j in places),
            forms=tuple(self.forms[j] for j in places),
            codes=self.codes[:, places],
            rule={},
            core=(),
        )

    @cached_property
    def cells(self) -> tuple[I8, ...]:
        """For each column, how many records publish each of its forms."""
        columns = zip(self.codes.T, self.forms, strict=True)
        return tuple(count_codes(codes, self.counts, len(forms.labels)) for codes, forms in columns)

    @property
    def kept(self) -> int:
        """How many records are released."""
        return len(self.rows) if self.counts is None else int(self.counts.sum())

    @property
    def suppressed(self) -> int:
        """How many records were left out."""
        return self.records - self.kept


@dataclass(frozen=True, slots=True, repr=False)
class Sensitive(SafeRepr):
    """One sensitive column as released: codes into `values`, -1 for an empty cell."""

    codes: I8
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Population(SafeRepr):
    """The people of a population beside a released table, as a judge sees them.

    values : by quasi-identifier int64[people], the leaf code of each person's value
    forms  : by quasi-identifier, which leaves each number of the release stands for; the last form is an empty cell
    gone   : how many records of the data were left out of the release
    blank  : by quasi-identifier the code of a missing cell, where no leaf covers it and so the root is written for it
    own    : by quasi-identifier int64[n], the leaf code of the record behind each row; empty where nobody knows
    """

    values: Mapping[str, I8]
    forms: Mapping[str, PublishedValues]
    gone: int = 0
    blank: Mapping[str, int] = field(default_factory=dict)
    own: Mapping[str, I8] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many people there are."""
        return len(next(iter(self.values.values())))


@dataclass(frozen=True, slots=True, repr=False)
class Published(SafeRepr):
    """A released table as a judge sees it: nothing but numbers that are equal where readers see equal.

    quasi     : by column int64[n]; equal numbers are equal labels, and -1 is an empty cell
    sensitive : by column, values that are compared as text
    persons   : int64[n], whom each row belongs to; None when every row is a person
    counts    : int64[n], how many records each row stands for; None when each is one. Not together with persons
    population : the people among whom claims about a population look; None when nobody gave them
    known     : by column of which somebody may know a few, int64[n] as in `quasi`
    """

    quasi: Mapping[str, I8]
    sensitive: Mapping[str, Sensitive] = field(default_factory=dict)
    persons: I8 | None = None
    counts: I8 | None = None
    population: Population | None = None
    known: Mapping[str, I8] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.persons is not None and self.counts is not None:
            raise InputError(
                "judge: rows that stand for several records cannot name persons; give one of them"
            )


# --- baskets: generalized items, or bits that may be flipped ----------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class RecodedBaskets(SafeRepr):
    """Baskets whose items were generalized: along a hierarchy, or to sets of items.

    forms      : the published items; a label is a hierarchy value, None a set written as the list of its members;
                 the leaves of a form are item codes of the data's vocabulary
    start      : int64[kept + 1]; row i publishes items[start[i] : start[i + 1]]
    items      : int32, places in `forms`, ascending and without repeats within a row
    rows       : int64[kept]: the original record of each row; ascending until the release is shuffled
    records    : how many records came in
    suppressed : how many item occurrences were left out of kept records
    rule       : what turns new records into the same form, as plain JSON data; empty where there is none
    groups     : by its short name, the members of each set that rows publish under a name; the others are spelled out
    """

    forms: PublishedValues
    start: I8
    items: I4
    rows: I8
    records: int
    suppressed: int = 0
    rule: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class VotedBaskets(SafeRepr):
    """Baskets published by vote: items as they stand, those that may be wrong, and how many at most are.

    start, items         : int64[n + 1], int32 item codes of what row i publishes
    maybe_start, maybe   : likewise the items that are uncertain (published or not)
    errors               : int32[n]; a possible world flips at most so many of the uncertain items
    rows                 : int64[n]: the original record whose label (if any) row i carries; private
    """

    values: tuple[str, ...]
    start: I8
    items: I4
    maybe_start: I8
    maybe: I4
    errors: I4
    rows: I8
    records: int


@dataclass(frozen=True, slots=True, repr=False)
class PublishedBaskets(SafeRepr):
    """Released baskets as a judge of k^m and l^m sees them.

    start, items : row i holds the numbers items[start[i] : start[i + 1]]; equal numbers are equal leaf sets
    sensitive    : the numbers that are sensitive items
    covers       : by item as text, the numbers whose leaf sets hold it; needed by claims that name items
    """

    start: I8
    items: I8
    sensitive: frozenset[int] = field(default_factory=frozenset)
    covers: Mapping[str, frozenset[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class PublishedBits(SafeRepr):
    """Released baskets as a judge of nonreciprocal recoding sees them, beside the originals they came from.

    Item numbers of originals and release are of one vocabulary. Without originals nothing can be judged.
    """

    start: I8
    items: I8
    maybe_start: I8
    maybe: I8
    errors: I8
    label: Sensitive | None = None
    original_start: I8 | None = None
    original_items: I8 | None = None
    original_label: Sensitive | None = None


# --- a table with baskets ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class RecodedMixed(SafeRepr):
    """A recoded table and recoded baskets of the same records: row i of one belongs to row i of the other."""

    table: Recoded
    baskets: RecodedBaskets

    def __post_init__(self) -> None:
        if (
            self.table.records != self.baskets.records
            or self.table.rows.tolist() != self.baskets.rows.tolist()
        ):
            raise InputError("release: the table and the baskets are not of the same records")


@dataclass(frozen=True, slots=True, repr=False)
class PublishedMixed(SafeRepr):
    """A released table with baskets as a judge sees it: row i of `table` holds basket i of `baskets`."""

    table: Published
    baskets: PublishedBaskets


# --- record trees -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class RecodedTrees(SafeRepr):
    """Record trees as a method recoded them; a judge sees `trees` alone.

    trees      : the published trees; a value is the label of a hierarchy's node, a sensitive one the value itself
    spans      : int32[values, 2]: the published value stands for leaf codes lo .. hi-1 of its class's hierarchy;
                 (-1, -1) where it is sensitive
    rows       : int64[kept], the original record of each published one; the others are suppressed
    records    : how many records came in
    suppressed : how many values were left out of kept records; a value counts once per record
    rule       : what turns new records into the same form, as plain JSON data; empty for local recodings
    """

    trees: Trees
    spans: I4
    rows: I8
    records: int
    suppressed: int = 0
    rule: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, repr=False)
class ColumnTelling(SafeRepr):
    """What published columns tell beyond k to anyone who knows quasi-identifiers of all people and reads the release.

    shown  : the columns
    known  : the quasi-identifiers with which they tell most
    people : how many people the release has
    asked  : of how many of them chances were computed
    mean   : the mean chance that a row is matched with its person
    alone  : the mean chance without the columns
    above  : the share of people whose chance is above twice what k allows
    dealt  : the same where cells are dealt out anew; 0 where nobody asked
    """

    shown: Sequence[str]
    known: Sequence[str]
    people: int
    asked: int
    mean: float
    alone: float
    above: float
    dealt: float = 0.0


def centres_of(release: Any) -> dict[str, str]:
    """By column of a released table, "mean" or "median" where its numbers are that of a class."""
    if not isinstance(release, Recoded):
        return {}
    return {
        name: forms.centre for name, forms in zip(release.names, release.forms, strict=True) if forms.centre
    }
