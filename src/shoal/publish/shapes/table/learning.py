"""What look-alikes tell of sensitive columns, before and after, whatever the claim asks for; private."""

from collections.abc import Sequence

from shoal.data.counting import how_many
from shoal.privacy import LDiversity, TCloseness
from shoal.privacy.equivalence_class import EquivalenceClasses, equivalence_classes, shares
from shoal.release import Published, Sensitive
from shoal.report.facts import AttributeRisk

__all__ = ["learned"]


def learned(before: Published, after: Published) -> Sequence[AttributeRisk]:
    """For each sensitive column that is published, what whoever finds a person's look-alikes learns from it."""
    if not len(next(iter(after.quasi.values()), ())):
        return []
    old, new = equivalence_classes(before), equivalence_classes(after)
    return [
        AttributeRisk(name, _figures(old, before.sensitive[name]), _figures(new, after.sensitive[name]))
        for name in after.sensitive
    ]


def _figures(groups: EquivalenceClasses, column: Sensitive) -> dict[str, float]:
    """The l and t that are reached, as the judges count them, and the share of records that one value gives away."""
    counted, inside, _ = shares(groups, column)
    one_value = LDiversity(2).weigh(groups, column)[0][groups.of]
    records = len(groups.of) if groups.counts is None else int(groups.counts.sum())
    return {
        "l": LDiversity(1).weigh(groups, column)[1],
        "entropy": LDiversity(1, "entropy").weigh(groups, column)[1],
        "t": TCloseness(1.0).weigh(groups, column)[1],
        "share": float(inside[counted.value > 0].max(initial=0)),  # 0 is an empty cell
        "given_away": how_many(one_value, groups.counts) / max(records, 1),
    }
