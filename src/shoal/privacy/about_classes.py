"""What claims about the classes of a table have in common: their headline, and the sensitive columns they judge."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from shoal.data.types import B1
from shoal.privacy.lookalikes import NOT_COVERED, Classes, classes, empty, ruling
from shoal.privacy.stated import Stated, joined
from shoal.release import Published, Sensitive, Verdict

__all__ = ["AboutClasses", "AboutValues"]


class AboutClasses(Stated):
    """A claim about the records that share all quasi-identifiers."""

    __slots__ = ()

    shape: ClassVar[str] = "table"
    roles: ClassVar[tuple[str, ...]] = ("quasi",)

    @property
    def not_covered(self) -> tuple[str, ...]:
        """What the claim does not promise."""
        return NOT_COVERED

    def promise(self, sensitive: Sequence[str]) -> str:
        """Return what every class keeps, as part of a sentence."""
        raise NotImplementedError

    def headline(self, quasi: Sequence[str] = (), sensitive: Sequence[str] = ()) -> str:
        """Return the claim as one sentence for people, about columns of these names."""
        return together([self], quasi, sensitive)


class AboutValues(AboutClasses):
    """A claim about the sensitive values of every class: those of `columns`, or of every sensitive column."""

    __slots__ = ()

    roles: ClassVar[tuple[str, ...]] = ("quasi", "sensitive")
    columns: tuple[str, ...]

    def numbers(self) -> dict[str, Any]:
        """What the manifest holds beside the model and the words; `columns` only where some are named."""
        found = Stated.numbers(self)
        found.pop("columns")
        return found | ({"columns": list(self.columns)} if self.columns else {})

    def _as_much(self, name: str, own: Any, asked: Any) -> bool:
        """Whether one number promises as much as another; no columns are all columns."""
        if name == "columns":
            return not own or (bool(asked) and set(own) >= set(asked))
        return Stated._as_much(self, name, own, asked)

    def sees(self, columns: Mapping[str, str]) -> list[str]:
        """Return those of some released columns, given with their roles, that the claim speaks of."""
        found = Stated.sees(self, columns)
        return [
            name for name in found if columns[name] == "quasi" or not self.columns or name in self.columns
        ]

    def whom(self, sensitive: Sequence[str]) -> str:
        """Name the sensitive columns in a sentence."""
        return joined(list(self.columns or sensitive)) or "the sensitive column"

    def check(self, published: Published) -> Verdict:
        """Judge a release: weigh the sensitive values of every class, one column after the other."""
        vacuous = self.absent(published)
        if vacuous is not None:
            return vacuous
        groups = classes(published)
        broken = np.zeros(len(groups.of), dtype=bool)
        sentences, figures = [], []
        for name, column in self.chosen(published):
            bad, figure = self.weigh(groups, column)
            rows = bad[groups.of]
            many = groups.share(rows) if rows.any() else None
            sentences.append(f"column '{name}': {self.found(many, figure)}")
            broken |= rows
            figures.append(figure)
        return ruling(broken, "; ".join(sentences), self.reached(figures), groups.counts)

    def weigh(self, groups: Classes, column: Sensitive) -> tuple[B1, float]:
        """Return which classes break the claim in a column, and the figure of the class that is nearest to it."""
        raise NotImplementedError

    def found(self, many: str | None, figure: float) -> str:
        """Return what was found in a column, as part of a sentence: how many records break it, and that figure."""
        raise NotImplementedError

    def reached(self, figures: Sequence[float]) -> dict[str, float]:
        """Return what all columns together reach."""
        raise NotImplementedError

    def absent(self, published: Published) -> Verdict | None:
        """Say no to an empty claim, and to one about sensitive columns that are not there."""
        vacuous = empty(published)
        if vacuous is not None:
            return vacuous
        if not published.sensitive:
            return Verdict(False, "no sensitive column is given, so the claim is empty")
        for name in self.columns:
            if name not in published.sensitive:
                return Verdict(
                    False, f"column '{name}' is not among the sensitive ones, so it cannot be judged", False
                )
        return None

    def chosen(self, published: Published) -> Iterator[tuple[str, Sensitive]]:
        """Yield the sensitive columns that the claim speaks of."""
        for name in self.columns or published.sensitive:
            yield name, published.sensitive[name]


def together(claims: Sequence[AboutClasses], quasi: Sequence[str], sensitive: Sequence[str]) -> str:
    """Return several claims about classes as one sentence."""
    promised = ", and ".join(claim.promise(sensitive) for claim in claims)
    sentence = f"in {joined(quasi)}, {promised}." if quasi else f"{promised}."
    return sentence[:1].upper() + sentence[1:]
