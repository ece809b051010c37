"""Write what the program says of itself into the documentation: `python docs/_scripts/write_reference.py`.

`reference/options.md` and `reference/tables.md` are written whole, from the commands and tables of the program. A page
of `methods/` is written by hand down to the mark; below it stand the method's parameters and the last paragraphs of its
docstring. So is `questions/presets.md`, with what rules look at. A test compares all of it.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from write_tables import MARK, looks, tables

from shoal.algorithms import METHODS
from shoal.algorithms.knobs import Knob, knobs
from shoal.cli import shoal

DOCS = Path(__file__).parents[1]
NAMED = re.compile(
    r"^(?:\*([A-Z][^*\n]*?)\.?\*\.?|(Guarantee|Complexity|Departures|Randomness)(?=  ))\s+", re.MULTILINE
)
KINDS = {
    "INTEGER": "a whole number",
    "INTEGER RANGE": "a whole number",
    "FLOAT": "a number",
    "FLOAT RANGE": "a number",
    "TEXT": "text",
    "PATH": "a path",
}
HEADS = {"Complexity": "Cost"}
THEMES = {
    "lattice": ("full-domain recoding of tables", "methods-lattice.md"),
    "local": ("local recoding of tables", "methods-local.md"),
    "cells": ("local recoding of tables", "methods-local.md"),
    "itemsets": ("baskets when the attacker knows some items", "methods-itemsets.md"),
    "ring": ("baskets when the attacker knows all items", "methods-ring.md"),
    "mixed": ("tables with baskets", "methods-mixed.md"),
    "trees": ("record trees", "methods-trees.md"),
}


def reference() -> dict[Path, str]:
    """Every page that the program writes, whole."""
    pages = {DOCS / "reference" / "options.md": options(), DOCS / "reference" / "tables.md": tables()}
    below = {DOCS / "reference" / "methods" / f"{name}.md": of_method(name) for name in METHODS}
    for page, written in (below | {DOCS / "questions" / "presets.md": looks()}).items():
        by_hand = page.read_text(encoding="utf-8").partition(MARK)[0]
        pages[page] = f"{by_hand}{MARK}\n\n{written}"
    return pages


def options() -> str:
    """The page of all commands, with their arguments and options."""
    parts = [
        "# Look up: options of commands",
        MARK,
        "Look up here what an option does and what its default is. [Commands](commands.md) says what the commands "
        "are for. This page is generated from the program.",
    ]
    for name, command in commands(shoal):
        words = (command.help or "").split("\n\n")[0].replace("\n", " ")
        usage = " ".join(command.collect_usage_pieces(click.Context(command, info_name=name)))
        parts += [f"## {name}", words, f"```text\n{name} {usage}\n```"]
        rows = [row for parameter in command.params if (row := of_option(command, parameter))]
        if rows:
            parts.append(
                "\n".join(["| option | takes | default | what it does |", "|---|---|---|---|", *rows])
            )
    return "\n\n".join(parts) + "\n"


def commands(group: click.Group, above: str = "shoal") -> Iterator[tuple[str, click.Command]]:
    """Every command below a group, as a person types it."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{above} {name}")
        else:
            yield f"{above} {name}", command


def of_option(command: click.Command, option: click.Parameter) -> str | None:
    """One line of a command's table; an argument stands in the usage."""
    if not isinstance(option, click.Option):
        return None
    meant = option.make_metavar(click.Context(command))
    takes = "" if option.is_flag else KINDS.get(meant, f"`{meant}`")
    several = " (may be repeated)" if option.multiple else ""
    default = (
        "" if option.is_flag or option.default is None or unset(option.default) else f"`{option.default}`"
    )
    needed = "needed" if option.required else default
    return f"| `{'`, `'.join(option.opts)}` | {cell(takes)}{several} | {needed} | {cell(option.help or '')} |"


def unset(default: Any) -> bool:
    """Whether click has no default."""
    return "UNSET" in repr(default)


def of_method(name: str) -> str:
    """What a method says of itself: its parameters, and the paragraphs of its docstring that have a name."""
    told = inspect.getdoc(METHODS[name].load()) or ""
    rows = [of_knob(knob) for knob in knobs(name)]
    table = "\n".join(["| parameter | takes | default | what it does |", "|---|---|---|---|", *rows])
    claims = ", ".join(METHODS[name].claims)
    theme, page = THEMES[METHODS[name].kind]
    parts = [
        f'In the configuration it is `name = "{name}"` in `[method]`. How it works, and how it differs from similar '
        f"methods: [{theme}](../{page}). How fast it is and what it loses: [Measured](../../evidence/benchmarks.md).",
        "## What it can promise",
        f"{claims}.",
        "## Parameters",
        "In addition to the numbers of `[guarantee]`:",
        table,
    ]
    for head, words in named(told):
        parts += [f"## {HEADS.get(head, head)}", words]
    if alike := re.search(r"those of `(\w+)`", told):
        parts += ["## Guarantee, cost and departures", f"Those of [{alike[1]}]({alike[1]}.md)."]
    if papers := told.partition("References\n----------\n")[2].partition("\n\n")[0]:
        parts += ["## Papers", "\n".join(f"{number}. {paper}" for number, paper in listed(papers))]
    return "\n\n".join(parts) + "\n"


def of_knob(knob: Knob) -> str:
    """One line of a method's table."""
    default = (
        ""
        if knob.default is None
        else f"`{str(knob.default).lower() if isinstance(knob.default, bool) else knob.default}`"
    )
    return f"| `{knob.name}` | {cell(knob.takes)} | {default} | {cell(knob.about)} |"


def named(told: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a docstring that begin with a name, up to the references."""
    body = told.partition("References\n----------")[0]
    found = list(NAMED.finditer(body))
    for this, following in zip(found, [*found[1:], None], strict=False):
        words = body[this.end() : following.start() if following else len(body)]
        yield this[1] or this[2], flowing(words)


def flowing(words: str) -> str:
    """Docstring text as paragraphs of Markdown."""
    paragraphs = re.split(r"\n\s*\n", words.strip())
    plain = (re.sub(r"\s+", " ", paragraph) for paragraph in paragraphs)
    return (
        "\n\n".join(re.sub(r" ?\[\d+\]_", "", paragraph) for paragraph in plain)
        .replace("*", "\\*")
        .replace("~>", "above")
    )


def listed(papers: str) -> Iterator[tuple[str, str]]:
    """The papers of a docstring, each with its number."""
    for paper in re.split(r"^\.\. \[", papers, flags=re.MULTILINE)[1:]:
        number, _, words = paper.partition("]")
        yield number, re.sub(r"\s+", " ", words.strip())


def cell(text: str) -> str:
    """Text that may stand in a table."""
    return text.replace("|", "\\|").replace("*", "\\*")


if __name__ == "__main__":
    for page, text in reference().items():
        page.write_text(text, encoding="utf-8")
