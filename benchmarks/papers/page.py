"""`docs/evidence/papers.md` and its pictures, written from the result files alone."""

from collections.abc import Iterator
from pathlib import Path

from . import mixed, mstk, nonreciprocal, poka, trees, trees_claims
from .claims import readings, rules, table
from .drawing import Figure, svg
from .results import KEPT, Results, read

DOCS = Path(__file__).parents[2] / "docs"
PAPERS = {
    "Record trees": (trees.EXPERIMENTS, trees_claims),
    "Tables with baskets": (mixed.EXPERIMENTS, mixed),
    "MSTK": (mstk.EXPERIMENTS, mstk),
    "Nonreciprocal recoding": (nonreciprocal.EXPERIMENTS, nonreciprocal),
    "POkA": (poka.EXPERIMENTS, poka),
}
EXPERIMENTS = [one for experiments, _ in PAPERS.values() for one in experiments]
CLAIMS = [claim for _, claims in PAPERS.values() for claim in claims.CLAIMS]
HEAD = """---
hide:
  - navigation
  - toc
---

# What the papers claim, and what we measure

shoal's methods come from five scientific papers, and each paper says what its method achieves. We repeated the
papers' experiments as closely as we could, and this page says for each of their
statements whether we found the same. If we did not, the row says that the statement is refuted, or why we cannot tell;
shoal either corrects the method or warns you ([where the papers are wrong](errata.md)). The statements are
about how much detail is lost and how long it takes. Whether a release keeps its promise does not depend on them,
because every release is checked separately. You need this page only if you must justify the choice of a method.

<!-- Below this line everything is written by benchmarks/papers, from what was measured. -->

Each claim of the five papers is measured here with the options that follow the
paper, in every interpretation that we know if the paper leaves something open, and with shoal's defaults. A claim
*holds*; *holds only* in some readings; was tried on *another workload* than the paper's; *cannot be compared*,
because the paper does not print something that matters; or is *refuted* on the paper's own workload.

`python -m benchmarks.papers` writes this page from the files in `benchmarks/results/papers`. All our figures are
generated, and the rules [below](#by-which-rules) decide whether a claim holds. `python -m benchmarks.papers
--quick` does the same on small drawn data, in about a minute, and prints the table without verdicts.

Seconds are CPU seconds of all runs behind a row, with precompiled kernels. The papers' data
are public only in part: the trees come from TPC-H's generator, pumsb is its first 4,334 records, YouTube's set
is drawn in its shape, and the hierarchies for POkA and MSTK are ours, with the heights that the papers print.
"""


def page(results: Results) -> str:
    """The whole page."""
    parts = [HEAD, "## The claims\n", table(CLAIMS, results)]
    for name, (_, claims) in PAPERS.items():
        pictures = [_shown(figure) for figure in claims.figures(results)]
        if pictures:
            parts += [f"## {name}\n", *pictures]
    parts += ["## Reading by reading\n", *readings(CLAIMS, results)]
    parts += ["## By which rules\n", *rules(CLAIMS), ""]
    return "\n".join(parts).rstrip() + "\n"


def pictures(results: Results) -> Iterator[tuple[str, str]]:
    """The name and the text of each picture."""
    for _, claims in PAPERS.values():
        for figure in claims.figures(results):
            yield f"{figure.name}.svg", svg(figure)


def write_page(docs: Path = DOCS, kept: Path = KEPT) -> None:
    """Write page and pictures; pictures that nothing draws any more go."""
    results = read(kept)
    folder = docs / "pictures" / "evidence"
    folder.mkdir(exist_ok=True)
    drawn = dict(pictures(results))
    for old in folder.glob("*.svg"):
        if old.name not in drawn:
            old.unlink()
    for name, text in drawn.items():
        (folder / name).write_text(text, encoding="utf-8")
    (docs / "evidence" / "papers.md").write_text(page(results), encoding="utf-8")


def _shown(figure: Figure) -> str:
    return f"![{figure.title}](../pictures/evidence/{figure.name}.svg)\n\n{figure.title}.\n"
