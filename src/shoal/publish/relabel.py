"""Labels of built hierarchies that tell of what is published alone: nothing of suppressed records and items."""

from dataclasses import replace

import numpy as np

from shoal.data import Baskets, Table
from shoal.data.arrays import I4
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import Forms, Recoded, RecodedBaskets

__all__ = ["relabel_items", "relabel_table"]


def relabel_table(
    table: Table, hierarchies: Hierarchies, leaves: I4, release: Recoded
) -> tuple[Hierarchies, Recoded]:
    """The hierarchies and the recoded table, their labels made from the kept records' values."""
    if len(release.rows) in (0, table.n):
        return hierarchies, release
    named = dict(hierarchies)
    for j, column in enumerate(table.quasi):
        hierarchy = hierarchies[column.name]
        times = np.bincount(leaves[release.rows, j], minlength=hierarchy.size + 1)
        named[column.name] = hierarchy.named_by(times[: hierarchy.size] > 0)
    forms = tuple(
        _relabel_forms(form, hierarchies[name], named[name])
        for name, form in zip(release.names, release.forms, strict=True)
    )
    return named, replace(release, forms=forms)


def relabel_items(
    baskets: Baskets, hierarchy: Hierarchy, release: RecodedBaskets
) -> tuple[Hierarchy, RecodedBaskets]:
    """The item hierarchy and the recoded baskets, their labels made from the items that are published."""
    if not release.suppressed and len(release.rows) == release.records:
        return hierarchy, release
    forms = release.forms
    shown = [forms.leaves[forms.start[form] : forms.start[form + 1]] for form in np.unique(release.items)]
    codes = hierarchy.look_up(baskets.values)[np.concatenate([np.empty(0, dtype=np.int32), *shown])]
    held = np.zeros(hierarchy.size, dtype=bool)
    held[codes[(codes >= 0) & (codes < hierarchy.size)]] = True
    named = hierarchy.named_by(held)
    return named, replace(release, forms=_relabel_forms(forms, hierarchy, named))


def _relabel_forms(forms: Forms, old: Hierarchy, new: Hierarchy) -> Forms:
    """The same forms under their new labels; a range or a set of values keeps its own."""
    if new is old:
        return forms
    name = {
        before: after
        for befores, afters in zip(old.labels, new.labels, strict=True)
        for before, after in zip(befores, afters, strict=True)
    }
    return replace(
        forms, labels=tuple(None if label is None else name.get(label, label) for label in forms.labels)
    )
