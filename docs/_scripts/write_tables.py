"""The page of every key, claim and loss, from the program's own tables; `write_reference.py` writes it."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

from shoal.algorithms import DEFAULTS, METHODS
from shoal.io.config import ENGINES, ColumnSpec, Data, TreeSpec
from shoal.io.formats import ABOUT, FORMATS, GROUP_FORMS, NUMBER_FORMS
from shoal.io.read.layout import Layout
from shoal.privacy import CLAIMS, GUARANTEE, make_claim
from shoal.privacy.released_columns import preset_table
from shoal.privacy.safe_harbor import safe_harbor
from shoal.utility import LOSSES

__all__ = ["MARK", "looks", "tables"]

MARK = "<!-- Below this line everything is written by docs/_scripts/write_reference.py, from the program. -->"

PLACES = {
    ("[data]", "path"): "needed, or `url`",
    ("[data]", "url"): "needed, or `path`",
    ("[data]", "delimiter"): "found from the file",
    ("[data]", "sheet"): "the first",
    ("[data]", "header"): "the first row that is not blank",
    ("[data]", "last"): "the last row of the file",
    ("[data]", "encoding"): "found from the file",
}
"""What the program finds by itself."""

HEAD = f"""# Look up: keys, methods, claims and losses

{MARK}

Look up the default of a key, the default method, the numbers of a claim, the shapes of a loss.
[The configuration file](config.md) explains keys, [Claims and judges](claims.md) explains claims, and
[Losses](losses.md) defines losses. This page is generated from the program."""


REASON = """`boxes` comes before `mstk` because it loses less and its labels reveal less. On Adult with 7 columns it
loses 1.09 to 1.14 times what every such release must lose, `mstk` 1.24 to 1.40 times
([Benchmarks](../evidence/benchmarks.md)). On a million records with 2,160 vectors it takes 11 s and loses .0037 at
k = 5; `mondrian` takes 3 s and loses .0100. On 6,000 people of Adult at k = 5, 26 of the hundred best descriptions of
exactly one person are right, and 46 with `mstk`; a cell
[says .065 bits more than its label](../evidence/reliability.md#what-narrow-labels-reveal), .067 with `mstk`; 287 people
are alone in a part of a label, 417 with `mstk`. Only at k = 2 does `mstk` reveal a little less (.46 bits, `boxes`
.49)."""


def tables() -> str:
    """The whole page."""
    parts = [
        HEAD,
        "## Keys of the configuration",
        "`needed` means that you must give the key; an empty default means none.",
        table(("section", "key", "default"), keys()),
        "## Default methods",
        "If `[method]` names none, shoal takes the first line that fits, never by a clock or a trial run. "
        "`shoal methods` prints the same.",
        table(("data", "where", "method"), defaults()),
        "Vectors of levels are the ways to choose one level for each quasi-identifier: the product of the heights of "
        "their hierarchies, each plus one.",
        REASON,
        "## Claims",
        table(
            ("claim", "in Python", "keys of `[guarantee]`", "promises more", "methods that keep it"), claims()
        ),
        "## Losses",
        "shoal reports a loss if it has what the loss needs; *declared* means: in public if all hierarchies are "
        "declared.",
        table(("loss", "what it says", "data", "needs", "may be public"), losses()),
    ]
    return "\n\n".join(parts) + "\n"


LOOKS = """## What rules look at

Values come first, names second. Rules look at every published column, whatever its role: ends of ranges, members of
groups, masked codes, fields of record trees. Every preset applies the rules *names*, *phone* and those below it;
only Safe Harbor applies *places*, *dates* and *ages*. In addition to the forms below:

- **Names**: titles, and frequent given names with other words (`Koch, Anna`), are a no. Given names alone, frequent
  family names, initials, sentences, employers, twenty different words in a column whose name means nothing, and
  capitalized words in a column called `contact` or `seen by` cannot be told.
- **Places**: a column named after a place may show only states or countries. Restricted beginnings of zip codes are
  found even without their zero (`36`). Large cities are a no.
- **Dates**: a column named like a date may show only years; `month`, `quarter` or `weekday` with their numbers is a no,
  `week` or `day` cannot be told.
- **Ages**: a number over 89, or a mean above it, in a column with a word for age is a no, unless it is in one group
  of 90 and over; so is `92 years` or `1092 months` in any column. A unit counts if it is next to the word for age
  and the values are too large for years. Numbers up to 125, some of them over 89, under a name that says nothing,
  cannot be told.
- **Other codes**: pseudonyms, and codes that hardly anyone shares, are a no; words that hardly anyone shares cannot
  be told.

The share is that of a column's different values; *settled by a name* means that a column name for a measure, an amount
or a diagnosis explains such values."""


def looks() -> str:
    """What presets look for in values, below the mark of their page."""
    head = ("rule", "what is looked for", "a no from", "cannot be told from", "settled by a name")
    return f"{LOOKS}\n\n{table(head, forms())}\n"


def forms() -> Iterator[tuple[str, ...]]:
    """Every form of the presets' table, in the order of their rules."""
    order = [rule.name for rule in safe_harbor("2020").rules]
    identifiers = ((row["name"], row) for row in preset_table()["identifier"] if "form" in row)
    rows = [(name, row["asks"].removeprefix("No "), 0.0, 2, False) for name, row in identifiers]
    rows += [
        (
            row["rule"],
            row["what"],
            row.get("certain", 0.5),
            row.get("possible", 0.1),
            row.get("explained", False),
        )
        for row in preset_table()["form"]
    ]
    for rule, what, certain, possible, explained in sorted(rows, key=lambda row: order.index(row[0])):
        yield rule, what, share(certain), share(possible) if certain else "", "yes" if explained else ""


def share(least: float) -> str:
    """A share of values in words; none is at most all."""
    return "" if least > 1 else f"{least:.0%}" if least else "any"


def table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """Rows as a table of Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def keys() -> Iterator[tuple[str, str, str]]:
    """Section, key and default of everything that a configuration may say."""
    yield from of_fields("[data]", Data, leave=("layout",))
    yield from of_fields("[data]", Layout, leave=("why",))
    yield from of_fields("[columns]", ColumnSpec)
    yield from of_fields("[tree]", TreeSpec, leave=("decimal",))
    for key in GUARANTEE:
        yield "`[guarantee]`", f"`{key}`", default_of(key)
    yield "`[guarantee]`", "`insiders`", f"`{make_claim('baskets', k=2).insiders}`"  # type: ignore[attr-defined]
    yield "`[method]`", "`name`", "[by the data](#default-methods)"
    yield "`[method]`", "the method's own", "on [the method's page](methods/mstk.md#parameters)"
    yield "`[release]`", "`format`", f"`{FORMATS[0]}`, of record trees what came in"
    yield "`[release]`", "`rows`", "`true` where all records are in memory"
    yield "`[release]`", "`groups`", f"`{GROUP_FORMS[0]}`"
    yield "`[release]`", "`numbers`", f"`{NUMBER_FORMS[0]}`"
    yield from (("`[release]`", f"`{key}`", "") for key in ABOUT)
    yield "`[audit]`", "`target`", "that of `[method]`"
    yield "`[audit]`", "`population`", ""
    yield "`[engine]`", "`name`", f"`{ENGINES[0]}`"
    yield "`[engine]`", "`part`", "262,144 where a table is large"


def defaults() -> Iterator[tuple[str, ...]]:
    """Which method is taken, line by line."""
    for line in DEFAULTS:
        yield line.shape, line.when, f"[{line.method}](methods/{line.method}.md)"


def of_fields(section: str, kind: Any, leave: tuple[str, ...] = ()) -> Iterator[tuple[str, str, str]]:
    """The keys that become the fields of a class; one without a default is needed."""
    for field in fields(kind):
        must = field.default is MISSING and field.default_factory is MISSING
        if field.name not in leave:
            yield (
                f"`{section}`",
                f"`{field.name}`",
                "needed" if must else PLACES.get((section, field.name), shown(field)),
            )


def shown(field: Field[Any]) -> str:
    """A field's default as a configuration would say it."""
    value = field.default
    if value is MISSING or value is None or value == ():
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`{list(value)}`".replace("'", '"')
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def default_of(key: str) -> str:
    """What a number of a guarantee is where nobody gives it, for each shape that has a default."""
    own = {
        shown(field)
        for claim in CLAIMS.values()
        for field in fields(claim)
        if field.name == key and key not in "kl"
    } - {""}
    asked = {shape: getattr(make_claim(shape, k=2), key, None) for shape in ("mixed", "trees")}
    given = [
        f"`{number}` ({shape})" for shape, number in asked.items() if number is not None and key in ("m", "n")
    ]
    return ", ".join([*sorted(own), *given])


def claims() -> Iterator[tuple[str, ...]]:
    """Every claim."""
    for model, kind in CLAIMS.items():
        more = [f"larger `{key}`" for key in kind.rises] + [f"smaller `{key}`" for key in kind.falls]
        methods = [f"[{name}](methods/{name}.md)" for name, found in METHODS.items() if model in found.claims]
        keys = ", ".join(f"`{key}`" for key in kind.keys)
        yield model, f"`shoal.{kind.__name__}`", keys, ", ".join(more), ", ".join(methods)


def losses() -> Iterator[tuple[str, ...]]:
    """Every loss, for each shape that has it."""
    for name, loss in LOSSES.items():
        for shape, way in loss.ways.items():
            yield f"`{name}`", loss.words, shape, ", ".join(sorted(way.needs)), way.public
