"""The methods, by theme. Adding one is one line in the table below."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from shoal.base.errors import InputError
from shoal.base.naming import suggest_name

__all__ = [
    "DEFAULTS",
    "METHODS",
    "DefaultMethod",
    "Method",
    "Theme",
    "default_method",
    "find_method",
    "methods_for",
]


@dataclass(frozen=True, slots=True)
class Theme:
    """What the methods of one folder, or of one module, have in common.

    shape  : the data they take
    counts : whether they need no more of a table than how often each tuple occurs, so records need not be in memory
    local  : whether each class is recoded on its own; else one level of each column is for all records
    votes  : whether rows are votes over several baskets
    audit  : the options that whoever measures a release takes, and the method does not
    folder : whether it is a folder of modules; else it is one module
    """

    shape: str
    counts: bool = False
    local: bool = False
    votes: bool = False
    audit: tuple[str, ...] = ()
    folder: bool = True


_THEMES = {
    "lattice": Theme("table", counts=True),
    "local": Theme("table", local=True),
    "cells": Theme("table", folder=False),
    "itemsets": Theme("baskets"),
    "ring": Theme("baskets", votes=True, audit=("absent",)),
    "mixed": Theme("mixed"),
    "trees": Theme("trees"),
}


@dataclass(frozen=True, slots=True)
class Method:
    """One method: where it lives, what it takes, what it can promise and do. Whoever runs it asks here, not by name.

    kind      : its theme, which is also its folder or module: lattice, local, cells, itemsets, ring, mixed or trees
    claims    : the models of `shoal.privacy.CLAIMS` that it keeps, alone or together
    front     : what it traces a front over, all at once: k, of which a release is one point, or delta; "" is none
    point     : the method that finds one point of that front by itself
    redundant : why a comparison leaves it out, unless somebody names it
    finer     : a quick method that is not bound, as this one is, to one level or to nodes of a hierarchy
    one_cut   : whether items, or values of trees or tables, are published by one cut of the hierarchy for all records
    parts     : whether it needs no more than sums over parts of the records
    fragments : the cut of `fragments.cuts.CUTS` into similar records that it can work on one by one; "" is none
    fragment  : how many records of a table it works on together where memory does not hold all; 0 is as many as fit
    at_once   : of a table's method that needs all records in memory, why; "" is one that does not
    defaults  : options that a release is made with where they are not given; a front takes all of their values
    claimed   : the keys of [method] that make its claim and are no parameters of it
    public    : whether only what is public steers it, so hierarchies must be made of public people, not of the data
    tells     : what its releases tell of people who were left out, which no claim covers; "" is nothing: other methods
                work again without them
    steers    : the values of its options, the usual one first, with which sensitive values decide what is published;
                with any other, chance does
    rehearsed : the values of its options that are for comparison alone: what they make is never published
    numbers   : whether it takes quasi-identifiers that are numbers alone
    needs     : the claim without which it makes none of the others; "" is none
    home      : the module of its theme that it stands in, beside others of one paper; "" is one of its own name
    whole     : why baskets must all be in memory for it; "" where they need not
    """

    name: str
    kind: str
    claims: tuple[str, ...]
    about: str
    front: str = ""
    point: str = ""
    redundant: str = ""
    finer: str = ""
    one_cut: bool = False
    parts: bool = False
    fragments: str = ""
    fragment: int = 0
    at_once: str = ""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    claimed: tuple[str, ...] = ()
    public: bool = False
    tells: str = ""
    steers: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    rehearsed: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    numbers: bool = False
    needs: str = ""
    home: str = ""
    whole: str = ""

    @property
    def theme(self) -> Theme:
        """What it has in common with the other methods of its folder."""
        return _THEMES[self.kind]

    @property
    def shape(self) -> str:
        """The data it takes."""
        return self.theme.shape

    @property
    def fronts(self) -> bool:
        """Whether it traces every k at once, and a release is one point of that."""
        return self.front == "k"

    @property
    def is_disjoint(self) -> bool:
        """Whether no two groups of a table's column overlap, so that people can be counted by them.

        >>> [name for name, method in METHODS.items() if method.is_disjoint]
        ['optimal', 'incognito', 'pareto', 'poka', 'column-cut']
        """
        return self.shape == "table" and (self.kind == "lattice" or self.one_cut)

    @property
    def is_steered(self) -> bool:
        """Whether sensitive values of a table steer it, unless it is told `minimal = false`."""
        return self.shape == "table" and not self.needs and len(self.claims) > 1

    @property
    def lowers_risk(self) -> bool:
        """Whether it can be asked for larger classes until the individual risk by sampling weights is low enough."""
        return self.shape == "table" and _K[0] in self.claims and not self.fronts and not self.public

    @property
    def guarantee(self) -> str:
        """What it can promise, in words."""
        suffix = ", every k at once" if self.fronts else ""
        return ", ".join(self.claims) + suffix

    def load(self) -> Callable[..., Any]:
        """Import the method; kernels are heavy, so only when it is used."""
        theme = f"shoal.algorithms.{self.kind}"
        home = import_module(f"{theme}.{self.home or self.name}" if self.theme.folder else theme)
        function: Callable[..., Any] = getattr(home, self.name.replace("-", "_"))
        return function

    @property
    def has_floor(self) -> bool:
        """Whether a loss is known that nothing which it publishes along hierarchies goes below."""
        return (
            self.one_cut
            or self.kind == "mixed"
            or (self.theme.local and not self.numbers and {_K[0], _CORE[0]} & set(self.claims) != set())
        )

    def by_chance(self, options: Mapping[str, Any]) -> bool:
        """Whether chance, not sensitive values, decides what these options publish.

        >>> METHODS["nonreciprocal"].by_chance({"graph": "ring"}), METHODS["mstk"].by_chance({})
        (True, False)
        """
        return any(options.get(key, values[0]) not in values for key, values in self.steers.items())


_K = ("k-anonymity",)
_TABLE = (
    *_K,
    "l-diversity",
    "t-closeness",
    "beta-likeness",
    "delta-disclosure privacy",
    "(alpha,k)-anonymity",
    "hidden values",
    "average risk",
)
_POPULATION = ("k-map", "delta-presence")
_LINKED = ("k-anonymity of linked rows",)
_CORE = ("k-anonymity with known columns", *_TABLE[1:-1])  # all but average risk
_KM = ("k^m-anonymity", "l^m-diversity")
_LABELS = ("nonreciprocal k-anonymity and label diversity",)
_MIXED = ("(k,k^m)-anonymity", "(k,l^m)-diversity")
_ANY_TREE = ("k^(m,n)-anonymity",)
_TREES = (*_ANY_TREE, "k^(m,n)-anonymity and l-diversity")

_NAMED_SETS = (
    "it unites items by how often all records hold them, and each fragment would have sets of its own"
)

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("optimal", "lattice", (*_TABLE, *_POPULATION),
               "finds the full-domain recoding of least loss for one claim, exactly", finer="mondrian"),
        Method("incognito", "lattice", _K, "finds all minimal nodes and releases the cheapest (LeFevre et al.)",
               finer="mondrian"),
        Method("pareto", "lattice", _K, "finds the least loss with one level per column for every k at once, exactly",
               front="k", point="optimal", redundant="at one k it finds what optimal finds", home="optimal"),
        Method("poka", "lattice", _K, "runs the Pareto search of Dewri et al. as the paper has it",
               front="k", point="optimal", redundant="it searches for what optimal finds"),
        Method("mstk", "local", _TABLE, "recodes locally, along the exact minimum spanning tree (Ramana and Kumari)",
               fragments="table"),
        Method("mondrian", "local", (*_TABLE, *_LINKED),
               "halves classes column by column, along hierarchies (LeFevre et al.)",
               fragments="table"),
        Method("kmember", "local", (*_TABLE, *_LINKED),
               "grows clusters of k by the record that costs least (Byun et al.)",
               fragments="table", home="mondrian"),
        Method("boxes", "local", _TABLE, "closes boxes of hierarchy nodes that hold k records, the cheapest one first",
               fragments="table", fragment=25_000),
        Method("column-cut", "local", _TABLE,
               "finds disjoint groups of different width in every column, by one cut of each",
               redundant="optimal stands for groups that do not overlap", one_cut=True, home="column_cut",
               at_once="one cut of each column serves all records"),
        Method("blind", "local", _K, "cuts boxes by public shares alone, so that labels reveal nothing beyond "
            "themselves",
               public=True, at_once="it compares the people of each box with all public ones",
               tells="how many of the people who were left out were in a box: where boxes are cut depends on how many "
               "people are in each, on those who are left out later too, and on nothing else about these"),
        Method("mdav", "local", _TABLE, "publishes numbers as means of k similar records (Domingo-Ferrer, Torra)",
               redundant="it publishes means, which hide other things than labels do", numbers=True,
               at_once="means are only true beside all records of their group"),
        Method("core", "local", _CORE, "shows known columns in large classes, as fine as groups of k allow",
               needs=_CORE[0], at_once="what follows from known columns is found in all records"),
        Method("blank", "cells", ("k-anonymity of known subsets",),
               "leaves few single cells out, for anyone who knows some of the columns", rehearsed={"count": ("argus",)},
               at_once="which cells it leaves out depends on how rare they are among all records"),
        Method("nonreciprocal", "ring", ("nonreciprocal k-anonymity", *_LABELS),
               "publishes votes over k similar baskets, along a Gray-TSP order (Xue et al.)",
               fragments="votes", claimed=("insiders",),
               steers={"minimal": (True,), "graph": ("auto", "blocks")}),
        Method("cahd", "ring", _LABELS, "groups similar baskets with different labels (Ghinita et al.)",
               fragments="votes", home="nonreciprocal"),
        Method("apriori", "itemsets", _KM, "finds one cut of the item hierarchy for all records (Terrovitis et al.)",
               finer="pcta", one_cut=True, parts=True),
        Method("optimal-cut", "itemsets", _KM[:1], "finds the one cut of the item hierarchy that loses least, exactly",
               finer="pcta", one_cut=True, home="optimal_cut",
               whole="it asks for the different baskets of all records at once, and fragments would have several cuts"),
        Method("lra", "itemsets", _KM, "puts similar baskets together in parts and finds a cut for each part",
               finer="pcta", fragments="items", home="apriori"),
        Method("vpa", "itemsets", _KM, "finds a cut for each part of the items first, then one for all items",
               finer="pcta", one_cut=True, home="apriori",
               whole="it publishes one cut for all records, and its parts are of items, not of records"),
        Method("pcta", "itemsets", _KM,
               "unites items into sets, without a hierarchy (Gkoulalas-Divanis and Loukides)",
               whole=_NAMED_SETS),
        Method("coat", "itemsets", ("k^m-anonymity", "k-anonymity of listed itemsets"),
               "unites items under privacy and utility constraints that you give (Loukides et al.)",
               claimed=("privacy",), home="pcta", whole=_NAMED_SETS),
        Method("bound", "mixed", _MIXED, "merges clusters while one loss stays within a bound (Poulis et al.)",
               front="delta", fragments="mixed", defaults={"delta": "knee"}),
        Method("rfirst", "mixed", _MIXED, "recodes the table first, then the items of each class",
               fragments="mixed", home="bound"),
        Method("tfirst", "mixed", _MIXED, "recodes the items first: each part of similar baskets becomes a class",
               fragments="mixed", home="bound"),
        Method("gcs", "trees", _TREES,
               "searches greedily for a cut of the hierarchies, and cuts relations where that is worth it "
               "(Gkountouna et al.)",
               one_cut=True, parts=True, claimed=("repeats",)),
        Method("acs", "trees", _TREES, "the same as gcs, but tries every cut (Gkountouna et al.)",
               one_cut=True, parts=True, claimed=("repeats",), home="gcs"),
        Method("ocs", "trees", _TREES, "the same as gcs, but keeps every relation",
               one_cut=True, parts=True, claimed=("repeats",), home="gcs"),
        Method("miracle", "trees", _ANY_TREE,
               "forms clusters of k records that show one tree, in the style of MiRaCle (Nergiz et al.)",
               claimed=("repeats",)),
    )
}  # fmt: skip
"""Every method by its name; of those that trace a front of a shape, the first is the usual one."""


def methods_for(shape: str, models: Collection[str] = ()) -> list[Method]:
    """The methods for data of a shape that keep all of these claims, by their models.

    >>> [found.name for found in methods_for("baskets", ["l^m-diversity"])]
    ['apriori', 'lra', 'vpa', 'pcta']
    """
    return [
        candidate
        for candidate in METHODS.values()
        if candidate.shape == shape
        and {*models} <= {*candidate.claims}
        and (not models or candidate.needs in ("", *models))
    ]


def find_method(name: str) -> Method:
    """Find a method by name."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"method: no method of that name; {suggest_name(name, METHODS)}", value=name)
    return METHODS[name]


# --- Which method is taken where none is named: a fixed table, so that the same data get the same method everywhere.
#
# Nothing here looks at a clock. The first line that fits counts; `shoal methods --all` prints the table.


@dataclass(frozen=True, slots=True)
class DefaultMethod:
    """One line of the table.

    shape    : the data it is for
    method   : what is taken
    when     : in words, what the data or the configuration must be like
    asked    : keys of [guarantee] and [method] of which one must be given
    unasked  : keys of which none may be given
    columns  : quasi-identifiers, at most
    records  : at most
    vectors  : vectors of levels, one level per quasi-identifier, at most
    ruled    : whether items must have a hierarchy
    ranged   : whether recode = "range" must be given, and a quasi-identifier hold numbers that are written so
    usual    : whether it is the one that people are told of first
    """

    shape: str
    method: str
    when: str
    asked: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()
    columns: float = float("inf")
    records: float = float("inf")
    vectors: float = float("inf")
    ruled: bool = False
    ranged: bool = False
    usual: bool = False

    def fits(
        self, given: frozenset[str], columns: int, records: int, vectors: int, ruled: bool, ranged: bool
    ) -> bool:
        """Whether it is for data of this size where these keys are given."""
        return (
            (not self.asked or not given.isdisjoint(self.asked))
            and given.isdisjoint(self.unasked)
            and columns <= self.columns
            and records <= self.records
            and vectors <= self.vectors
            and (ruled or not self.ruled)
            and (ranged or not self.ranged)
        )


_OF_CLASSES = (
    "recode",
    "grid",
    "rule",
    "resplit",
    "strict",
)  # what other methods of local recoding can be told

_OF_OTHERS = ("rule", "resplit", "strict")  # what kmember cannot be told

DEFAULTS: tuple[DefaultMethod, ...] = (
    DefaultMethod("table", "core", "known_at_once is given: a few known columns may be known of somebody",
                  asked=("known_at_once",)),
    DefaultMethod("table", "blank", "subsets is given: only some columns are known", asked=("subsets",)),
    DefaultMethod("table", "mondrian", "a pseudonym links rows of a person", asked=("linked",)),
    DefaultMethod("table", "optimal", "loss or target is given: one level per column", asked=("loss", "target")),
    DefaultMethod("table", "optimal", "k_map or presence is given: one level per column",
                  asked=("k_map", "presence")),
    # births14, 1,000 records of 13 columns: 11.1% ncp where boxes lose 31.0% (k = 5).
    DefaultMethod("table", "kmember", 'numbers = "ranges" or recode = "range" is given, and up to 50,000 records',
                  unasked=_OF_OTHERS, records=50_000, ranged=True),
    # Adult, 30,162 records of 8 columns and 6,480 vectors: 5 s, and 8.1% ncp where mstk loses 9.3% (k = 11).
    DefaultMethod("table", "boxes", "up to 10,000 vectors of levels and 100,000 records",
                  unasked=_OF_CLASSES, records=100_000, vectors=10_000, usual=True),
    # A million of 7 columns and 2,160 vectors: 11 s, and .37% where mondrian, in 3 s, loses 1.00% (k = 5).
    DefaultMethod("table", "boxes", "up to 2,500 vectors of levels and 1,000,000 records",
                  unasked=_OF_CLASSES, records=1_000_000, vectors=2_500),
    DefaultMethod("table", "mstk", "up to 9 quasi-identifiers and 50,000 records", columns=9, records=50_000),
    DefaultMethod("table", "mondrian", "any other table"),
    DefaultMethod("baskets", "coat", "itemsets are given", asked=("itemsets",)),
    DefaultMethod("baskets", "nonreciprocal", "no m: whole baskets are known", unasked=("m",)),
    DefaultMethod("baskets", "apriori", "m, and a hierarchy of the items", ruled=True),
    DefaultMethod("baskets", "pcta", "m, and no hierarchy", usual=True),
    DefaultMethod("mixed", "bound", "any table with baskets", usual=True),
    DefaultMethod("trees", "gcs", "any record trees", usual=True),
)  # fmt: skip


def default_method(
    shape: str,
    asked: Mapping[str, Any],
    *,
    columns: int = 0,
    records: int = 0,
    vectors: int = 1,
    ruled: bool = False,
    ranged: bool = False,
) -> str:
    """The method of the first line that fits.

    >>> default_method("table", {"k": 5}, columns=3, records=900, vectors=60)
    'boxes'
    >>> default_method("table", {"k": 5, "recode": "span"}, columns=3, records=900, vectors=60)
    'mstk'
    """
    given_keys = frozenset(key for key, value in asked.items() if value is not None)
    lines = (line for line in DEFAULTS if line.shape == shape)
    return next(
        line.method for line in lines if line.fits(given_keys, columns, records, vectors, ruled, ranged)
    )
