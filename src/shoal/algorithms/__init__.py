"""The methods, by theme. Adding one is one line in the table below."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from shoal.errors import InputError
from shoal.naming import offered

__all__ = ["METHODS", "Method", "fitting", "method"]


@dataclass(frozen=True, slots=True)
class Method:
    """One method: where it lives, what it takes, what it can promise.

    kind   : the theme, which is also its folder: lattice, local, itemsets, ring, mixed or trees
    claims : the models of `shoal.privacy.CLAIMS` that it keeps, alone or together
    fronts : whether it traces every k at once, and a release is one point of that
    """

    name: str
    kind: str
    claims: tuple[str, ...]
    about: str
    fronts: bool = False

    @property
    def shape(self) -> str:
        """The data it takes."""
        return _SHAPES[self.kind]

    @property
    def steered(self) -> bool:
        """Whether sensitive values of a table steer it, unless it is told `minimal = false`."""
        return self.shape == "table" and len(self.claims) > 1

    @property
    def guarantee(self) -> str:
        """What it can promise, in words."""
        every = ", every k at once" if self.fronts else ""
        return ", ".join(self.claims) + every

    def load(self) -> Callable[..., Any]:
        """Import the method; kernels are heavy, so only when it is used."""
        home = import_module(f"shoal.algorithms.{self.kind}.{self.name}")
        function: Callable[..., Any] = getattr(home, self.name)
        return function


_SHAPES = {
    "lattice": "table",
    "local": "table",
    "itemsets": "baskets",
    "ring": "baskets",
    "mixed": "mixed",
    "trees": "trees",
}

_K = ("k-anonymity",)
_TABLE = (
    *_K,
    "l-diversity",
    "t-closeness",
    "beta-likeness",
    "delta-disclosure privacy",
    "(alpha,k)-anonymity",
)
_KM = ("k^m-anonymity", "l^m-diversity")
_LABELS = ("nonreciprocal k-anonymity and label diversity",)
_MIXED = ("(k,k^m)-anonymity", "(k,l^m)-diversity")
_ANY_TREE = ("k^(m,n)-anonymity",)
_TREES = (*_ANY_TREE, "k^(m,n)-anonymity and l-diversity")

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("optimal", "lattice", _TABLE, "finds the full-domain recoding of least loss for one claim, exactly"),
        Method("incognito", "lattice", _K, "finds all minimal nodes and releases the cheapest (LeFevre et al.)"),
        Method("poka", "lattice", _K, "runs the Pareto search of Dewri et al. as the paper has it", fronts=True),
        Method("pareto", "lattice", _K, "finds the least loss for every k at once, exactly", fronts=True),
        Method("mstk", "local", _TABLE, "recodes locally, along the exact minimum spanning tree (Ramana and Kumari)"),
        Method("mondrian", "local", _TABLE, "halves classes column by column, along hierarchies (LeFevre et al.)"),
        Method("kmember", "local", _TABLE, "grows clusters of k by the record that costs least (Byun et al.)"),
        Method("boxes", "local", _TABLE, "closes boxes of hierarchy nodes that hold k records, the cheapest one first"),
        Method("nonreciprocal", "ring", ("nonreciprocal k-anonymity", *_LABELS),
               "publishes votes over k similar baskets, along a Gray-TSP order (Xue et al.)"),
        Method("cahd", "ring", _LABELS, "groups similar baskets with different labels (Ghinita et al.)"),
        Method("apriori", "itemsets", _KM, "finds one cut of the item hierarchy for all records (Terrovitis et al.)"),
        Method("lra", "itemsets", _KM, "puts similar baskets together in parts and finds a cut for each part"),
        Method("vpa", "itemsets", _KM, "finds a cut for each part of the items first, then one for all items"),
        Method("pcta", "itemsets", _KM,
               "unites items into sets, without a hierarchy (Gkoulalas-Divanis and Loukides)"),
        Method("coat", "itemsets", ("k^m-anonymity", "k-anonymity of listed itemsets"),
               "unites items under privacy and utility constraints that you give (Loukides et al.)"),
        Method("bound", "mixed", _MIXED, "merges clusters while one loss stays within a bound (Poulis et al.)"),
        Method("rfirst", "mixed", _MIXED, "recodes the table first, then the items of each class"),
        Method("tfirst", "mixed", _MIXED, "recodes the items first: each part of similar baskets becomes a class"),
        Method("gcs", "trees", _TREES,
               "searches greedily for a cut of the hierarchies, and cuts relations where it pays (Gkountouna et al.)"),
        Method("acs", "trees", _TREES, "the same as gcs, but looks at every cut (Gkountouna et al.)"),
        Method("ocs", "trees", _TREES, "the same as gcs, but keeps every relation"),
        Method("miracle", "trees", _ANY_TREE,
               "forms clusters of k records that show one tree, in the style of MiRaCle (Nergiz et al.)"),
    )
}  # fmt: skip


def fitting(shape: str, models: Collection[str] = ()) -> list[Method]:
    """The methods for data of a shape that keep all of these claims, by their models.

    >>> [found.name for found in fitting("baskets", ["l^m-diversity"])]
    ['apriori', 'lra', 'vpa', 'pcta']
    """
    return [found for found in METHODS.values() if found.shape == shape and {*models} <= {*found.claims}]


def method(name: str) -> Method:
    """Find a method by name."""
    if not isinstance(name, str) or name not in METHODS:
        raise InputError(f"method: no method of that name; {offered(name, METHODS)}", value=name)
    return METHODS[name]
