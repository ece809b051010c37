"""Apriori Anonymization: k^m-anonymity by one cut through a hierarchy of items (Terrovitis et al.)."""

from typing import Any

from shoal.algorithms.itemsets.apriori_by_parts import apriori_by_parts
from shoal.algorithms.itemsets.basket_parts import BasketParts
from shoal.algorithms.itemsets.coded_baskets import asked, coded, require
from shoal.algorithms.itemsets.item_cuts import find_cut, publish_cut
from shoal.algorithms.itemsets.taxonomy import Taxonomy
from shoal.algorithms.knobs import Share
from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.privacy import KmAnonymity, LmDiversity
from shoal.progress import Progress, silent
from shoal.release import Result

__all__ = ["apriori"]


def apriori(
    baskets: Baskets | BasketParts,
    hierarchy: Hierarchy,
    claim: KmAnonymity | LmDiversity,
    *,
    suppress: Share = 0.0,
    progress: Progress = silent,
) -> Result[Any]:
    """Generalize items so that every combination of at most `m` of them is in at least `k` records, or in none.

    There is one cut for all records: if an item is published as a node of the hierarchy, so are all items below it.
    For sizes 1, 2, ..., m, each combination of nodes that 1 to k-1 records hold is replaced by the cheapest
    combination of its nodes and nodes above them that at least k records hold. Supports only grow when items are
    generalized, so a size that is done stays done unless items are left out.

    Parameters
    ----------
    baskets, hierarchy
        The baskets, or parts of them (`BasketParts`), and a hierarchy of at least the items that occur.
    claim
        `KmAnonymity`: every combination of at most m items is in at least k records; all items count, sensitive ones
        too. `LmDiversity`: no sensitive item may be in more than 1 of l of the records that share up to m others.
        Sensitive items are then published as they are, they never become part of a generalized item, and k counts
        the other items only.
    suppress
        The share of item occurrences that may be left out, 0 to below 1. It is used only where nothing but
        the root would help a combination: its rarest node is then left out instead.
    progress
        A listener that is told how far the work is.

    Returns
    -------
    Result
        Of parts, what is published is written beside them.

        The release's rule is `{"cut": {item: node}}`; `apply_cut` applies it to other baskets.

    Raises
    ------
    HierarchyError
        Items are not in the hierarchy.
    InfeasibleError
        There are fewer than k records, or fewer than k records with items; a sensitive item is more frequent than
        1/l; or records are so long that their combinations cannot be counted.
    InputError
        A number makes no sense, or l is given and no item is sensitive.

    Notes
    -----
    *Guarantee*  The claim holds by construction: the search ends when no combination of the cut is rare. The share
    of a sensitive item may rise when items are generalized, and an item that was left out is published again when a
    node above it is. So with l, and with suppress, the search goes through all sizes again until nothing changes.

    *Cost of a replacement*  It is the increase of NCP over all item occurrences when the cut is raised. An occurrence
    costs the share of leaves below its published node, or nothing if that node is the item itself [3]_. If costs are
    equal, the nearest ancestors are taken, and later items are replaced first. (The public implementations of the
    method differ here.)

    *Order*  Combinations are met depth first, and nodes by rising number of occurrences. After a replacement the walk
    goes back to the longest prefix that is still in the cut. This order loses least in our trials. The paper's
    count-tree is never built, and only combinations of the current cut are counted.

    *Departures*  Where an itemset has more than 4,096 replacements, only those of one item are tried. If k records
    hold no replacement below the root, the root is taken; the paper leaves this case open.

    *Complexity*  Each pass counts the combinations in distinct records; two to four passes per size are usual.
    Memory is linear in the data for every m.

    *Randomness*  None.

    References
    ----------
    .. [1] Terrovitis, Mamoulis, Kalnis. Privacy-preserving anonymization of set-valued data. PVLDB 1, 2008.
    .. [2] Terrovitis, Mamoulis, Kalnis. Local and global recoding methods for anonymizing set-valued data.
       VLDB Journal 20(1), 2011.
    .. [3] Xu, Wang, Pei, Wang, Shi, Fu. Utility-based anonymization using local recoding. KDD 2006.

    Examples
    --------
    >>> paths = [["ale", "drink", "*"], ["rum", "drink", "*"], ["pie", "food", "*"], ["jam", "food", "*"]]
    >>> hierarchy = Hierarchy.from_paths("items", paths)
    >>> sold = Baskets.of("items", [["ale", "pie"], ["rum", "pie"], ["ale", "pie"], ["jam"], ["pie"]])
    >>> apriori(sold, hierarchy, KmAnonymity(2, 2)).release.rule
    {'cut': {'ale': 'drink', 'jam': 'food', 'pie': 'food', 'rum': 'drink'}}
    """
    if isinstance(baskets, BasketParts):
        return apriori_by_parts(baskets, hierarchy, claim, suppress=suppress, progress=progress)
    k, m, l = asked("apriori", claim)
    found = coded("apriori", baskets, hierarchy, exempt=claim.exempts)
    spare = found.allowance("apriori", suppress)
    weighted = found.weighted()
    require("apriori", weighted, k, l)
    taxonomy = Taxonomy.of(hierarchy)
    cut = find_cut(weighted, taxonomy, k=k, m=m, l=l, spare=spare, progress=progress)
    release = publish_cut(baskets, taxonomy, found.place, cut.form)
    return Result(release, claim, trace={"mended": cut.mended, "passes": cut.passes})
