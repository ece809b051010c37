"""A claim of a paper, what decides whether it holds, and the table of all of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import getdoc

from .results import Results, values

HEAD = (
    "number", "claim", "the paper's figure", "ours, as the paper has it", "ours, shoal's defaults", "verdict",
    "records", "CPU seconds",
)  # fmt: skip
PAPER, SHOAL = "the paper's options", "shoal's defaults"


@dataclass(frozen=True)
class Reading:
    """What was measured by one reading of a paper, or by shoal's own defaults, and whether the claim holds then."""

    name: str
    told: str
    holds: bool
    measured: bool = True

    @property
    def ours(self) -> bool:
        """Whether these are shoal's defaults, and not a reading of the paper."""
        return self.name.startswith(SHOAL)


Verdict = tuple[Reading, ...]


def both(told: Iterable[str], holds: Iterable[bool], names: Sequence[str] = (PAPER, SHOAL)) -> Verdict:
    """A verdict of one reading of the paper, and of shoal's defaults."""
    return tuple(Reading(*one) for one in zip(names, told, holds, strict=True))


@dataclass(frozen=True)
class Claim:
    """One claim.

    needs   : the experiments that it is decided by
    judge   : decides; its docstring says by which rule
    differs : in what our workload differs from the paper's, where it does
    missing : what the paper does not print though the claim turns on it
    """

    number: str
    claim: str
    figure: str
    needs: tuple[str, ...]
    judge: Callable[[Results], Verdict]
    differs: str = ""
    missing: str = ""

    @property
    def rule(self) -> str:
        """By which rule it is decided."""
        return " ".join((getdoc(self.judge) or "").split())

    def verdict(self, found: Verdict) -> str:
        """Holds, holds only, another workload, cannot be compared, refuted; or open, where a reading is missing."""
        theirs = [one for one in found if not one.ours]
        kept = [one.name for one in theirs if one.holds]
        if open_ := sum(not one.measured for one in theirs):
            so_far = f"; holds so far with {'; '.join(kept)}" if kept else ""
            return f"open: {open_} of {len(theirs)} readings not measured yet{so_far}"
        if len(kept) == len(theirs):
            return f"holds, on another workload: {self.differs}" if self.differs else "holds"
        if kept:
            return f"holds only with {'; '.join(kept)}"
        if self.missing:
            return f"cannot be compared: {self.missing}"
        if self.differs:
            return f"another workload: {self.differs}"
        held = [one for one in found if one.ours and one.holds]
        return "refuted; holds with shoal's defaults" if held else "refuted"


def table(claims: Iterable[Claim], results: Results, *, drawn: bool = False) -> str:
    """The table in Markdown; a claim whose experiments were not run says so; drawn data decide nothing."""
    lines = [_line(HEAD), _line("---" for _ in HEAD)]
    lines += (_line(_cells(claim, results, drawn)) for claim in claims)
    return "\n".join(lines) + "\n"


def readings(claims: Iterable[Claim], results: Results) -> Iterator[str]:
    """For each claim with more than one reading of its paper, a table of them."""
    for claim in claims:
        if _unmeasured(claim, results):
            continue
        found = claim.judge(results)
        if sum(not one.ours for one in found) > 1:
            yield f"### {claim.number}: {claim.claim}\n"
            yield _line(("reading", "measured", "holds"))
            yield _line(("---", "---", "---"))
            yield from (_line((one.name, one.told, "yes" if one.holds else "no")) for one in found)
            yield ""


def rules(claims: Iterable[Claim]) -> Iterator[str]:
    """How each claim is decided."""
    for claim in claims:
        yield f"- **{claim.number}** {claim.rule}"


def _unmeasured(claim: Claim, results: Results) -> bool:
    return any(not results.get(name) for name in claim.needs)


def _cells(claim: Claim, results: Results, drawn: bool) -> tuple[str, ...]:
    told = (claim.number, claim.claim, claim.figure)
    if _unmeasured(claim, results):
        return (*told, "not measured", "not measured", "not measured", "", "")
    found = claim.judge(results)
    rows = [row for name in claim.needs for row in results[name]]
    seconds = sum(float(row["seconds"] or 0) for row in rows)
    sizes = sorted(values(rows, "records"))
    return (
        *told,
        _shown([one for one in found if not one.ours]),
        _shown([one for one in found if one.ours]),
        "none: the data are drawn" if drawn else claim.verdict(found),
        ", ".join(f"{size:,}" for size in sizes),
        f"{seconds:.1f}",
    )


def _shown(found: Sequence[Reading]) -> str:
    """What one reading tells, or the best of several and how many keep the claim."""
    if len(found) < 2:
        return "".join(one.told for one in found)
    best = max(found, key=lambda one: (one.holds, one.measured))
    kept = sum(one.holds for one in found)
    return f"kept by {kept} of {len(found)} readings; {best.name}: {best.told}"


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
