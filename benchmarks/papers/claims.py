"""A claim of a paper, what decides whether it holds, and the table of all of them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from inspect import getdoc

from .results import Results, values

HEAD = (
    "number", "claim", "the paper's figure", "ours, the paper's options", "ours, shoal's defaults", "holds", "records",
    "CPU seconds",
)  # fmt: skip
_PARTS = {True: "the paper's options", False: "shoal's defaults"}


@dataclass(frozen=True)
class Verdict:
    """What was measured, as text, and what follows.

    paper, shoal : with the options of the paper; with the defaults of shoal
    holds, also  : whether the claim holds with the former; with the latter, None where nothing is different
    """

    paper: str
    shoal: str
    holds: bool
    also: bool | None = None


@dataclass(frozen=True)
class Claim:
    """One claim.

    needs : the experiments that it is decided by
    judge : decides; its docstring says by which rule
    why   : why it does not hold with the paper's options, shown where it does not
    """

    number: str
    claim: str
    figure: str
    needs: tuple[str, ...]
    judge: Callable[[Results], Verdict]
    why: str = ""

    @property
    def rule(self) -> str:
        """By which rule it is decided."""
        return " ".join((getdoc(self.judge) or "").split())


def table(claims: Iterable[Claim], results: Results) -> str:
    """The table in Markdown; a claim whose experiments were not run says so."""
    lines = [_line(HEAD), _line("---" for _ in HEAD)]
    lines += (_line(_cells(claim, results)) for claim in claims)
    return "\n".join(lines) + "\n"


def rules(claims: Iterable[Claim]) -> Iterator[str]:
    """How each claim is decided."""
    for claim in claims:
        yield f"- **{claim.number}** {claim.rule}"


def _cells(claim: Claim, results: Results) -> tuple[str, ...]:
    told = (claim.number, claim.claim, claim.figure)
    missing = [name for name in claim.needs if not results.get(name)]
    if missing:
        return (*told, "not measured", "not measured", "not measured", "", "")
    found = claim.judge(results)
    rows = [row for name in claim.needs for row in results[name]]
    seconds = sum(float(row["seconds"] or 0) for row in rows)
    sizes = sorted(values(rows, "records"))
    return (
        *told,
        found.paper,
        found.shoal,
        _holds(found, "" if found.holds else claim.why),
        ", ".join(f"{size:,}" for size in sizes),
        f"{seconds:.1f}",
    )


def _holds(found: Verdict, why: str) -> str:
    also = found.holds if found.also is None else found.also
    if found.holds and also:
        return "yes"
    said = "no"
    if found.holds != also:
        said = f"only with {_PARTS[found.holds]}"
    return f"{said}: {why}" if why else said


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
