"""The makers, by data model. Adding one is one line in the table below."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from shoal.errors import InputError

__all__ = ["METHODS", "Method", "method"]


@dataclass(frozen=True, slots=True)
class Method:
    """One maker: where it lives, what it takes, what it promises."""

    name: str
    module: str
    shape: str
    guarantee: str
    about: str

    def load(self) -> Callable[..., Any]:
        """Import the maker; kernels are heavy, so only when it is used."""
        maker: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return maker


_LATTICE = "shoal.algorithms.lattice"
_LOCAL = "shoal.algorithms.local"
_ITEMSETS = "shoal.algorithms.itemsets"
_RING = "shoal.algorithms.ring"
_MIXED = "shoal.algorithms.mixed"
_TREES = "shoal.algorithms.trees"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("optimal", f"{_LATTICE}.optimal", "table", "k-anonymity, l-diversity, t-closeness",
               "the least-loss full-domain recoding for one k, exact"),
        Method("incognito", f"{_LATTICE}.incognito", "table", "k-anonymity",
               "all minimal k-anonymous nodes, the cheapest released (LeFevre et al.)"),
        Method("poka", f"{_LATTICE}.poka", "table", "k-anonymity, every k at once",
               "the Pareto search of Dewri et al., as written"),
        Method("pareto", f"{_LATTICE}.pareto", "table", "k-anonymity, every k at once",
               "the exact privacy/loss front of the lattice"),
        Method("mstk", f"{_LOCAL}.mstk", "table", "k-anonymity, l-diversity, t-closeness",
               "local recoding along the exact minimum spanning tree (Ramana and Kumari)"),
        Method("mondrian", f"{_LOCAL}.mondrian", "table", "k-anonymity, l-diversity, t-closeness",
               "classes halved column by column, along hierarchies (LeFevre et al.)"),
        Method("kmember", f"{_LOCAL}.kmember", "table", "k-anonymity, l-diversity, t-closeness",
               "clusters of k grown by the cheapest record (Byun et al.)"),
        Method("nonreciprocal", f"{_RING}.nonreciprocal", "baskets", "nonreciprocal k-anonymity, label diversity",
               "a vote over k baskets alike along a Gray-TSP order (Xue et al.)"),
        Method("cahd", f"{_RING}.cahd", "baskets", "label diversity",
               "groups of alike baskets with different labels (Ghinita et al.)"),
        Method("apriori", f"{_ITEMSETS}.apriori", "baskets", "k^m-anonymity, l^m-diversity",
               "one cut of the item hierarchy for all records (Terrovitis et al.)"),
        Method("lra", f"{_ITEMSETS}.lra", "baskets", "k^m-anonymity, l^m-diversity",
               "a cut for each part of the records, alike baskets together"),
        Method("vpa", f"{_ITEMSETS}.vpa", "baskets", "k^m-anonymity, l^m-diversity",
               "parts of the items first, then all of them"),
        Method("pcta", f"{_ITEMSETS}.pcta", "baskets", "k^m-anonymity, l^m-diversity",
               "items united into sets without a hierarchy (Gkoulalas-Divanis and Loukides)"),
        Method("coat", f"{_ITEMSETS}.coat", "baskets", "k^m-anonymity, k-anonymity of listed itemsets",
               "items united under privacy and utility constraints of yours (Loukides et al.)"),
        Method("bound", f"{_MIXED}.bound", "mixed", "(k,k^m)-anonymity, (k,l^m)-diversity",
               "clusters merged while one loss stays within a bound (Poulis et al.)"),
        Method("rfirst", f"{_MIXED}.baselines", "mixed", "(k,k^m)-anonymity, (k,l^m)-diversity",
               "the table first, then the items of each class"),
        Method("tfirst", f"{_MIXED}.baselines", "mixed", "(k,k^m)-anonymity, (k,l^m)-diversity",
               "the items first: parts of alike baskets, each a class"),
        Method("gcs", f"{_TREES}.gcs", "trees", "k^(m,n)-anonymity, l-diversity, chosen negations",
               "a cut of the hierarchies, and relations given up where it pays, searched greedily (Gkountouna et al.)"),
        Method("acs", f"{_TREES}.gcs", "trees", "k^(m,n)-anonymity, l-diversity, chosen negations",
               "the same after looking at every cut (Gkountouna et al.)"),
        Method("ocs", f"{_TREES}.gcs", "trees", "k^(m,n)-anonymity, l-diversity, chosen negations",
               "the same, giving up no relation"),
        Method("miracle", f"{_TREES}.miracle", "trees", "k^(m,n)-anonymity for every m and n",
               "clusters of k records that show one tree, in the style of MiRaCle (Nergiz et al.)"),
    )
}  # fmt: skip


def method(name: str) -> Method:
    """Find a maker by name."""
    if name not in METHODS:
        raise InputError(f"method: no maker of that name; there are {', '.join(METHODS)}", value=name)
    return METHODS[name]
