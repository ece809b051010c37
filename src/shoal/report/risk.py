"""The page of the risk before anything is done: private, one file that needs no network."""

from collections.abc import Iterator, Mapping
from typing import Any

from shoal.report import figures, parts
from shoal.report.pages import offline_page
from shoal.report.risk_words import (
    column_rows,
    field_rows,
    known_words,
    minimal_rows,
    sentences,
    set_head,
    set_rows,
    tiles,
    uniqueness_facts,
    uniqueness_rows,
)
from shoal.report.words import label, number, percent

__all__ = ["plots", "risk_html", "uniqueness_figure"]

Facts = Mapping[str, Any]


def risk_html(facts: Facts) -> str:
    """Return the page as one offline html file."""
    return offline_page(
        "risk.html",
        facts["shoal"],
        lead=_lead(facts),
        tiles=list(tiles(facts)),
        k=facts["k"],
        said=[_sentence(text) for _, text in sentences(facts)],
        found=_found(facts),
        columns=_columns(facts),
        columns_table=_columns_table(facts),
        fields=_fields(facts),
        sets=_sets(facts),
        sets_up_to=facts.get("sets_up_to"),
        minimal=_minimal(facts),
        minimal_sizes=_minimal_sizes(facts),
        rows=_rows(facts),
    )


def plots(facts: Facts) -> Iterator[tuple[str, str, list[parts.Plot | None]]]:
    """The plots of the page with their headings, for whoever shows them elsewhere."""
    alone = (
        f"A person is unique if some choice of what is known fits nobody else, and found easily if it fits fewer than "
        f"{facts['k']} people. The choice is the worst one for that person."
    )
    yield "Who can be found, and by what", alone, [_found(facts)]
    scores = (
        "The part of each column in what singles people out (SUDA scores): the fewer columns are needed, the more they "
        "count. The parts add up to more than 100%, because a set has several columns."
    )
    yield "Which columns give people away", scores, [_columns(facts)]
    minimal = "A set is minimal for a record if it makes the record unique and no part of it does."
    yield "The smallest sets that single people out", minimal, [_minimal_sizes(facts)]
    yield "How many rows people have", "People with several rows are counted once.", [_rows(facts)]


def uniqueness_figure(facts: Facts) -> figures.Figure:
    """Draw the shares of people who are found, for each thing that may be known."""
    rows = [row for row in uniqueness_facts(facts) if row["alone"] is not None]
    series = {
        "unique": [row["alone"] for row in rows],
        f"among fewer than {facts['k']} look-alikes": [row["fewer"] for row in rows],
    }
    known = [known_words(row, facts) for row in rows]
    return figures.chances(series, known, "share of the people", "Who can be found, and by what")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _lead(facts: Facts) -> str:
    return _sentence(next(text for name, text in sentences(facts) if name == "found"))


def _found(facts: Facts) -> parts.Plot:
    rows = uniqueness_rows(facts)
    head = ("What is known of a person", "Unique", f"Fewer than {facts['k']}")
    table = parts.ShownTable("Share of the people who are found", head, rows, (1, 2))
    alt = f"Bar chart of the people found: {rows[-1][1]} are unique by {rows[-1][0]}."
    return parts.Plot.of("found-figure", uniqueness_figure(facts), alt, table)


def _columns(facts: Facts) -> parts.Plot | None:
    rows = sorted(facts.get("columns", ()), key=lambda row: -row["contribution"])
    if not rows:
        return None
    series = {"of the scores": [row["contribution"] for row in rows]}
    figure = figures.chart(series, [row["column"] for row in rows], "share of the scores", percent)
    table = parts.ShownTable(
        "Part of each column in the scores",
        ("Column", "Part"),
        [(label(row["column"]), percent(row["contribution"])) for row in rows],
        (1,),
    )
    alt = f"Bar chart of the part of {len(rows)} columns in what singles people out; {label(rows[0]['column'])} first."
    return parts.Plot.of("columns-figure", figure, alt, table)


def _columns_table(facts: Facts) -> parts.ShownTable:
    rows = [(name, number(values), *rest) for name, values, *rest in column_rows(facts)]
    head = ("Column", "Values", "Distinction", "Separation", "Unique by it", "Share of scores")
    return parts.ShownTable("What each column reveals", head, rows, (1, 2, 3, 4, 5))


def _fields(facts: Facts) -> parts.ShownTable:
    rows = [(name, number(values), *rest) for name, values, *rest in field_rows(facts)]
    head = ("Field", "Values", "Unique", f"Fewer than {facts['k']}")
    return parts.ShownTable("What one value of each field reveals", head, rows, (1, 2, 3))


def _sets(facts: Facts) -> parts.ShownTable:
    head = [word.capitalize() for word in set_head(facts)]
    places = tuple(range(1, len(head)))
    return parts.ShownTable("The sets of 2 to 4 columns that find most people", head, set_rows(facts), places)


def _minimal(facts: Facts) -> parts.ShownTable:
    rows = [(names, number(people), share) for names, people, share in minimal_rows(facts)]
    return parts.ShownTable(
        "The smallest sets that single people out", ("Columns", "People", "Share"), rows, (1, 2)
    )


def _minimal_sizes(facts: Facts) -> parts.Plot | None:
    sizes = facts.get("minimal_by_size")
    if not sizes:
        return None
    words = [f"{size} column{'' if size == '1' else 's'}" for size in sizes]
    figure = figures.chart({"minimal sets": list(sizes.values())}, words, "minimal sets, over all records")
    table = parts.ShownTable(
        "Minimal sets by size",
        ("Size", "Minimal sets"),
        [(word, number(count)) for word, count in zip(words, sizes.values(), strict=True)],
        (1,),
    )
    return parts.Plot.of("minimal-figure", figure, "Bar chart of minimal sets by size.", table)


def _rows(facts: Facts) -> parts.Plot | None:
    rows = facts["rows_per_person"]
    if rows is None:
        return None
    counts = figures.fold(
        [(f"{size} row{'' if size == '1' else 's'}", people) for size, people in rows.items()]
    )
    figure = figures.chart(
        {"people": [people for _, people in counts]}, [word for word, _ in counts], "people"
    )
    table = parts.ShownTable(
        "Rows per person", ("Rows", "People"), [(word, number(people)) for word, people in counts], (1,)
    )
    return parts.Plot.of("rows-figure", figure, "Bar chart of how many rows people have.", table)
