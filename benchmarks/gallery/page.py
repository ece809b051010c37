"""`docs/evidence/gallery.md` and its pictures, written from the result files alone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.utility import LOSSES

from . import drawing
from .sets import SETS, Set

__all__ = ["KEPT", "kept", "page", "pictures", "write_page"]

KEPT = Path(__file__).parents[1] / "results" / "gallery"
DOCS = Path(__file__).parents[2] / "docs"
HEAD = """# Gallery: six public data sets

<!-- Below this line everything is written by benchmarks/gallery, from what was measured. -->

Six data sets that anyone can download, each from its first rows to an analysis of its release. Every
section has the same parts: some rows *before*; *what each k costs*; some rows *after*, in their new order; the
*attackers* that were tried and whom they found; the main sentences of the *certificate*; and one *analysis*, on the
originals and on the release. The promises are not equally strong: each was chosen so that there is still something to
analyse.

`python -m benchmarks.gallery` runs the commands of each section in an empty folder, keeps the results in
`benchmarks/results/gallery`, and writes this page and its pictures from them. Each data set has a folder in
`benchmarks/gallery` with its `prepare.py`, `shoal.toml` and `analyse.py`.
"""
DRAWN = "Green bars lie inside what the claim covers, red ones beyond it. A thin line ends at the person who is found "
DRAWN += "most easily, and a mark shows what the claim allows."
ODD = {
    "skewness": "`skewness` shows by how much a chance rises",
    "singling-out": "`singling-out` is tried with 100 descriptions instead of people",
}


def kept(folder: Path = KEPT) -> dict[str, dict[str, Any]]:
    """What was measured, by data set."""
    return {
        one.name: json.loads((folder / f"{one.name}.json").read_text(encoding="utf-8"))
        for one in SETS
        if (folder / f"{one.name}.json").exists()
    }


def page(found: dict[str, dict[str, Any]]) -> str:
    """The whole page."""
    there = [one for one in SETS if one.name in found]
    parts = [HEAD, _overview(there, found)]
    parts += [part for one in there for part in _section(one, found[one.name])]
    return "\n".join(parts).rstrip() + "\n"


def pictures(found: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """The name and the text of each picture."""
    for one in SETS:
        if one.name in found:
            own = found[one.name]
            k, short = _k(own), one.title.partition(":")[0]
            said = f"{short}: what is lost at each k, and where"
            curve = {int(each): loss for each, loss in own["curve"].items()}
            lost = "items that are wrong, by k" if own["loss"] == "er" else "detail lost, by k"
            yield f"{one.name}-cost.svg", drawing.cost(one.name, said, (lost, curve), _beside(own), k)
            said = f"{short}: how often each attacker is right"
            yield f"{one.name}-attackers.svg", drawing.attackers(one.name, said, own["attackers"])
            yield (
                f"{one.name}-analysis.svg",
                drawing.analysis(one.name, one.question, own["analysis"], one.unit),
            )


def write_page(docs: Path = DOCS, folder: Path = KEPT) -> None:
    """Write page and pictures."""
    found = kept(folder)
    drawn = docs / "pictures" / "gallery"
    drawn.mkdir(exist_ok=True)
    for name, text in pictures(found):
        (drawn / name).write_text(text, encoding="utf-8")
    (docs / "evidence" / "gallery.md").write_text(page(found), encoding="utf-8")


def _k(own: dict[str, Any]) -> int:
    return int(own["method"]["parameters"]["k"])


def _beside(own: dict[str, Any]) -> tuple[str, dict[str, float]]:
    """What stands beside the curve: what every column loses, or, where there is one column, how far counts are off."""
    at = str(_k(own))
    if len(own["columns"][at]) > 1:
        return f"detail lost, by column, at k = {at}", own["columns"][at]
    name = "are" if "are" in own["losses"][at] else "are-items"
    what = "counts of pairs" if name == "are" else "counts of items"
    return f"{what} are off by", {f"k = {k}": losses[name] for k, losses in own["losses"].items()}


def _overview(there: list[Set], found: dict[str, dict[str, Any]]) -> str:
    rows = [("data", "records", "promise", "method", "detail lost", "found for certain, inside the claim")]
    rows.append(("---",) * 6)
    for one in there:
        own = found[one.name]
        certain = max(attacker["certain"] for attacker in own["attackers"] if attacker["inside"])
        rows.append(
            (
                f"[{one.title}](#{_anchor(one.title)})",
                f"{own['records_out']:,}",
                _promise(own["claim"]),
                f"[{own['method']['name']}](../reference/methods/{own['method']['name']}.md)",
                f"{own['curve'][str(_k(own))]:.1%}",
                f"{certain:,}" if certain else "nobody",
            )
        )
    return _table(rows)


def _promise(claim: dict[str, Any]) -> str:
    """The numbers of a claim."""
    parts = claim.get("claims", [claim])
    counted = [(name, part[name], part.get("of", "")) for part in parts for name in "kmnl" if part.get(name)]
    return ", ".join(f"{name} = {number} {of}".rstrip() for name, number, of in counted)


def _section(one: Set, own: dict[str, Any]) -> Iterator[str]:
    loss = LOSSES[own["loss"]]
    yield f"## {one.title}\n\n{one.about}\n"
    yield _file(one.folder / "shoal.toml", "toml")
    yield "```sh\n" + "\n".join([one.get, *one.commands]) + "\n```\n"
    scripts = sorted(one.folder.glob("*.py"), reverse=True)
    names = " and ".join(f"<code>{script.name}</code>" for script in scripts)
    yield f'<details markdown="1"><summary>{names}</summary>\n'
    yield from (_file(script, "py") for script in scripts)
    yield "</details>\n"
    yield f"**Before.** {own['records_in']:,} records, of which the first are:\n\n{_rows(own['before'])}"
    yield f"{_sentence(own['found'][0])}\n"
    off = own["losses"][str(_k(own))].get("are-items")
    counts = (
        "" if off is None else f" Counts of single items are off by {off:,.0%} on average at k = {_k(own)}."
    )
    yield f"**What each k costs.** The loss is `{own['loss']}`: {_sentence(loss.words)}{counts}\n"
    yield _drawn(f"{one.name}-cost")
    yield (
        f"**After.** {own['records_out']:,} of {own['records_in']:,} records at k = {_k(own)}, "
        f"in an order of their own. {one.after}\n\n{_rows(own['after'])}"
    )
    if "groups" in own:
        yield f"{_group(own)}\n"
    yield f"**Attackers.** {_attacked(own)} {DRAWN}{_odd(own)}\n"
    yield _drawn(f"{one.name}-attackers")
    yield f"**Certificate.** What is promised, what the judge found, and what is not promised:\n\n{_certificate(own)}"
    yield f"**What an analyst can still do.** {one.question}\n"
    yield _drawn(f"{one.name}-analysis")
    yield f"{_compared(own['analysis'], one.unit)}\n"


def _file(path: Path, language: str) -> str:
    return f'```{language} title="{path.name}"\n{path.read_text(encoding="utf-8")}```\n'


def _attacked(own: dict[str, Any]) -> str:
    inside = [one for one in own["attackers"] if one["inside"]]
    best = max(inside, key=lambda one: one["certain"])
    beyond = [one for one in own["attackers"] if not one["inside"] and one["name"] not in ODD]
    said = f"{len(own['attackers'])} were tried. Inside the claim "
    said += (
        f"{best['certain']:,} people are found for certain."
        if best["certain"]
        else "nobody is found for certain."
    )
    if beyond:
        most = max(beyond, key=lambda one: one["certain"] / one["played"])
        if most["certain"]:
            said += (
                f" Beyond it, `{most['name']}` finds most: {most['certain']:,} of {most['played']:,} people "
            )
            said += f"({most['sentence']})."
    return said


def _odd(own: dict[str, Any]) -> str:
    there = [text for name, text in ODD.items() if any(one["name"] == name for one in own["attackers"])]
    return f" {_sentence('; '.join(there))}" if there else ""


def _certificate(own: dict[str, Any]) -> str:
    lines = [_sentence(own["claim"]["attacker"]), _sentence(own["verdict"])]
    lines += [
        f"Not promised: {own['claim']['not_covered'][0]}; and {len(own['claim']['not_covered']) - 1} more."
    ]
    return "".join(f"> {line}\n>\n" for line in lines).removesuffix(">\n") + "\n"


def _compared(rows: list[tuple[str, float, float]], unit: str) -> str:
    off = [abs(after - before) for _, before, after in rows]
    mean = sum(off) / len(off)
    (what, before, after), _ = max(zip(rows, off, strict=True), key=lambda pair: pair[1])
    if not any(off):
        return "The release says exactly what the originals say."
    points = " points" if unit == "%" else ""
    ends = f"{drawing.amount(before, unit)} and {drawing.amount(after, unit)}"
    return f"On average the two differ by {drawing.amount(mean, points)}; most for *{what}*: {ends}."


def _group(own: dict[str, Any]) -> str:
    name, items = min(own["groups"].items(), key=lambda pair: len(pair[1]))
    shown = ", ".join(items[:8]) + (f" and {len(items) - 8} more" if len(items) > 8 else "")
    return f"`{name}`, for instance, is {shown}."


def _rows(rows: list[list[str]]) -> str:
    """Rows of data, close together."""
    head, *others = rows
    lines = [tuple(head), ("---",) * len(head), *(tuple(_cell(cell) for cell in row) for row in others)]
    return f'<div class="rows" markdown="1">\n\n{_table(lines)}\n</div>\n'


def _cell(text: str) -> str:
    for sign in "\\*<|[]`":
        text = text.replace(sign, f"\\{sign}")
    return text or " "


def _table(rows: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _drawn(name: str) -> str:
    return f'<figure class="drawing" markdown="0">\n--8<-- "gallery/{name}.svg"\n</figure>\n'


def _anchor(title: str) -> str:
    return "-".join("".join(sign for sign in title.lower() if sign.isalnum() or sign in " -").split())


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
