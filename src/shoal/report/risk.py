"""How exposed people are before anything is done: in words, for terminal, notebook and page, and drawn.

The page is private, one file that needs no network.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from shoal.report import figures, parts
from shoal.report.words import SHAPE_WORDS, label, number, percent, sentence

__all__ = [
    "column_rows",
    "describe_knowledge",
    "field_rows",
    "headline_tiles",
    "minimal_rows",
    "risk_html",
    "sections",
    "sentences",
    "set_head",
    "set_rows",
    "uniqueness_facts",
    "uniqueness_figure",
    "uniqueness_rows",
]

Facts = Mapping[str, Any]

_MOST_COLUMNS = 4  # of any so many columns people are told; then of all
_PER_SIZE, _MINIMAL = 3, 10
_MANY = 0.1


def describe_knowledge(row: Facts, facts: Facts) -> str:
    """What an attacker knows, in words."""
    columns, items, words = row["columns"], row["items"], SHAPE_WORDS[facts["shape"]]
    parts = []
    if columns:
        every = columns == len(facts["columns"])
        column_words = _count_with_noun("column", columns)
        parts.append(
            "the column" if every and columns == 1 else f"{'all' if every else 'any'} {column_words}"
        )
    if items:
        parts.append(f"any {_count_with_noun(words.entry, items)}")
    if row["relations"]:
        parts.append("1 relation among them")
    if row["whole"]:
        parts.append(words.record)
    return " and ".join(parts)


def _count_with_noun(what: str, count: int) -> str:
    return f"{number(count)} {what}{'' if count == 1 else 's'}"


def uniqueness_facts(facts: Facts) -> list[Facts]:
    """What is told of who is found: of columns any 1 to 4 and all."""
    every = len(facts.get("columns", ()))
    return [row for row in facts["found"] if row["columns"] <= _MOST_COLUMNS or row["columns"] == every]


def headline_tiles(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """The figures that one sees first: the name of each, the figure, what it means."""
    full_knowledge = uniqueness_facts(facts)[-1]
    knowledge = describe_knowledge(full_knowledge, facts)
    yield (
        "People",
        number(facts["people"]),
        "" if facts["rows"] == facts["people"] else f"{number(facts['rows'])} rows",
    )
    yield "Unique", percent(full_knowledge["alone"]), f"by {knowledge}"
    yield f"Among fewer than {facts['k']} look-alikes", percent(full_knowledge["fewer"]), "found easily"
    if "prosecutor" in facts:
        yield (
            "Chance of finding a person",
            percent(facts["prosecutor"]["average"]),
            "on average, by all columns",
        )
    if facts.get("individual"):
        yield (
            "Expected to be found",
            _format_expected(facts["individual"]["expected"]),
            "people, by sampling weights",
        )
    if facts.get("population"):
        yield "Unique in the population", percent(facts["population"]["zayatz"]), "as estimated (Zayatz)"


def uniqueness_rows(facts: Facts) -> list[tuple[str, str, str]]:
    """What is known, the share of people alone with it, the share of people with fewer than k."""
    return [
        (describe_knowledge(row, facts), _share_text(row["alone"]), _share_text(row["fewer"]))
        for row in uniqueness_facts(facts)
    ]


def _share_text(share: float | None) -> str:
    return "not counted" if share is None else percent(share)


def column_rows(facts: Facts) -> list[tuple[str, int, str, str, str, str]]:
    """For each column: its values, distinction, separation, people alone, part in the scores."""
    return [
        (
            label(row["column"]),
            row["values"],
            percent(row["distinction"]),
            percent(row["separation"]),
            percent(row["alone"]),
            percent(row["contribution"]),
        )
        for row in sorted(facts.get("columns", ()), key=lambda row: -row["contribution"])
    ]


def field_rows(facts: Facts) -> list[tuple[str, int, str, str]]:
    """For each field of record trees: its values, people whom one of them leaves alone or with fewer than k."""
    sorted_fields = sorted(facts.get("fields", ()), key=lambda row: (-row["alone"], -row["fewer"]))
    return [
        (label(row["field"]), row["values"], percent(row["alone"]), percent(row["fewer"]))
        for row in sorted_fields
    ]


def _select_sets(facts: Facts) -> list[Facts]:
    """The sets that matter: of each size from 2 to 4 the three that leave most people alone; of ties, by separation."""
    selected = []
    for size in range(2, _MOST_COLUMNS + 1):
        sets_of_size = [row for row in facts.get("sets", ()) if len(row["columns"]) == size]
        selected += sorted(sets_of_size, key=lambda row: (-row["alone"], -row["separation"], row["columns"]))[
            :_PER_SIZE
        ]
    return selected


def set_head(facts: Facts) -> list[str]:
    """What `set_rows` tells of a set."""
    expected_head = ["expected to be found"] if facts.get("individual") else []
    return ["columns", "distinction", "separation", "unique", f"fewer than {facts['k']}", *expected_head]


def set_rows(facts: Facts) -> list[tuple[str, ...]]:
    """For each set that matters: its columns, distinction, separation, people alone and with fewer than k.

    Of a survey also how many people are expected to be found by it.
    """
    return [
        (
            _column_names(row["columns"]),
            *(percent(row[name]) for name in ("distinction", "separation", "alone", "fewer")),
            *([_format_expected(row["expected"])] if "expected" in row else []),
        )
        for row in _select_sets(facts)
    ]


def minimal_rows(facts: Facts) -> list[tuple[str, int, str]]:
    """The smallest sets that single most people out: columns, people, share."""
    return [
        (_column_names(row["columns"]), round(row["alone"] * facts["people"]), percent(row["alone"]))
        for row in facts.get("minimal_sets", ())[:_MINIMAL]
    ]


def _column_names(columns: Sequence[str]) -> str:
    return ", ".join(label(name) for name in columns)


def sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    """What the figures mean, each sentence under a short heading."""
    yield "people", _people_sentence(facts)
    if facts["proposed"]:
        known_columns = [
            row.get("column", row.get("field"))
            for row in (*facts.get("columns", ()), *facts.get("fields", ()))
        ]
        known_clause = (
            f"taken as known to an attacker: {_column_names(known_columns)}; " if known_columns else ""
        )
        yield (
            "roles",
            f"nobody has said what the columns are, so that was guessed; {known_clause}`shoal init` writes it down",
        )
    if facts["sampled_from"]:
        yield (
            "sample",
            f"these are {number(facts['people'])} of {number(facts['sampled_from'])} people, drawn at random; among "
            "fewer people each has fewer look-alikes, so the shares are higher than for all",
        )
    yield from _found_sentences(facts)
    yield from _known_sentences(facts)
    yield from _column_sentences(facts)
    yield from _attacker_sentences(facts)
    yield from _survey_sentences(facts)
    yield from _model_sentences(facts)
    yield from _population_sentences(facts)


def _people_sentence(facts: Facts) -> str:
    people, rows = number(facts["people"]), facts["rows_per_person"]
    clause = f"{people} people"
    if rows is not None:
        row_counts = ", ".join(
            f"{number(count)} {'has' if count == 1 else 'have'} {size} row{'' if size == '1' else 's'}"
            for size, count in list(rows.items())[:3]
        )
        clause += (
            f" with {number(facts['rows'])} rows: {row_counts}, the most is {number(int(list(rows)[-1]))}"
        )
    item_counts = facts["items_per_person"]
    if item_counts is not None:
        item_words = f"{SHAPE_WORDS[facts['shape']].entry}s"
        average = number(round(item_counts["average"], 1))
        clause += (
            f" with {number(item_counts['fewest'])} to {number(item_counts['most'])} {item_words}, "
            f"{average} on average"
        )
    return clause


def _found_sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    """The sharpest attacker, and the least knowledge that finds a tenth of the people."""
    rows, k = uniqueness_facts(facts), facts["k"]
    full_knowledge = rows[-1]
    yield (
        "found",
        f"{_people_with_verb(full_knowledge['alone'], facts, 'is', 'are')} unique by "
        f"{describe_knowledge(full_knowledge, facts)}, and "
        f"{_people_with_verb(full_knowledge['fewer'], facts, 'is', 'are')} among fewer than {k} look-alikes",
    )
    partial = [row for row in rows[:-1] if row["alone"]]
    sufficient = next((row for row in partial if row["alone"] >= _MANY), partial[-1] if partial else None)
    if sufficient is not None:
        knowledge, people = (
            describe_knowledge(sufficient, facts).replace("any ", ""),
            _people_count(sufficient["alone"], facts),
        )
        yield (
            "found",
            (
                f"{knowledge} {_verb_of_knowledge(sufficient)} enough to find "
                f"{people}{_which_clause(sufficient, facts)}"
            ),
        )


def _known_sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    """Whom a few known columns find beside all quasi-identifiers."""
    if "known" not in facts:
        return
    of, shares = facts["known"]["columns"], []
    for row in facts["known"]["rows"]:
        which = "all of them" if row["size"] == of else f"any {row['size']}"
        shares.append(f"{percent(row['fewer'])} by {which}")
    yield (
        "known",
        f"beside all quasi-identifiers, {_count_with_noun('column', of)} may be known a few at a time: among fewer "
        f"than {facts['k']} look-alikes are {', '.join(shares)}, on average over the choices",
    )


def _which_clause(row: Facts, facts: Facts) -> str:
    """That it is not the same thing for everybody, where an attacker knows any of several things."""
    if not row["items"] and row["columns"] in (0, len(facts["columns"])):
        return ""
    unit = "column" if not row["items"] else SHAPE_WORDS[facts["shape"]].entry
    several = max(row["items"], 1 if row["items"] else row["columns"]) > 1
    return f"; which {unit}{'s' if several else ''} differs from person to person"


def _verb_of_knowledge(row: Facts) -> str:
    """The verb of what is known: one column, one item or one whole basket, or several things."""
    several = sum(map(bool, (row["columns"], row["items"], row["whole"]))) > 1
    return "are" if several or max(row["columns"], row["items"]) > 1 else "is"


def _people_count(share: float, facts: Facts) -> str:
    people = round(share * facts["people"])
    return f"{number(people)} {'person' if people == 1 else 'people'} ({percent(share)})"


def _people_with_verb(share: float, facts: Facts, one: str, many: str) -> str:
    """So many people and their verb."""
    verb = one if round(share * facts["people"]) == 1 else many
    return f"{_people_count(share, facts)} {verb}"


def _column_sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    fields = [row for row in facts.get("fields", ()) if row["alone"]]
    if fields:
        worst = max(fields, key=lambda row: row["alone"])
        yield (
            "fields",
            f"'{label(worst['field'])}' gives the most away: for {_people_count(worst['alone'], facts)} one "
            "value of it "
            "belongs "
            "to nobody else, so coarsen it first",
        )
    sorted_columns = sorted(facts.get("columns", ()), key=lambda row: -row["contribution"])
    if sorted_columns and sorted_columns[0]["contribution"]:
        top_column = sorted_columns[0]
        yield (
            "columns",
            f"'{label(top_column['column'])}' gives the most away: {percent(top_column['contribution'])} of the "
            "scores come from "
            "sets that include it, so coarsen it first",
        )


def _attacker_sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    if "prosecutor" not in facts:
        return
    prosecutor = facts["prosecutor"]
    yield (
        "attacker",
        f"a prosecutor, who knows that a person is in the data, picks the right record with a chance of "
        f"{_chance_words(prosecutor, facts)}",
    )
    journalist = facts["journalist"]
    if journalist is not None:
        population = facts["population"]
        yield (
            "attacker",
            f"a journalist, who does not know who of {number(population['size'])} people is in the data, picks the "
            f"right person with a chance of {_chance_words(journalist, facts)}",
        )
        if journalist["absent"]:
            yield (
                "attacker",
                f"{_people_with_verb(journalist['absent'], facts, 'has', 'have')} fewer look-alikes in the "
                "population than in the data, "
                "so it does not hold everybody",
            )
    yield (
        "attacker",
        f"a marketer, who matches everybody, is right for {percent(facts['marketer'])} of the people",
    )


def _chance_words(attacker: Facts, facts: Facts) -> str:
    return (
        f"{percent(attacker['average'])} on average and {percent(attacker['highest'])} at worst; for "
        f"{percent(attacker['above'])} of the people the chance is above {percent(facts['threshold'])}"
    )


def _survey_sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    """What sampling weights and households say."""
    if facts.get("missing") == "any":
        yield "blanks", "a blank cell fits every value where look-alikes of records are counted"
    individual, home = facts.get("individual"), facts.get("household")
    if individual is not None:
        yield (
            "weights",
            f"the records stand for {number(round(individual['population']))} people; by all columns "
            f"{_format_expected(individual['expected'])} people are expected to be found (individual risk of "
            "Benedetti and Franconi), "
            f"a chance of {_chance_words(individual, facts)}; the approximation that sdcMicro and mu-Argus "
            "print for more "
            f"than two look-alikes says {_format_expected(individual['approximate'])}",
        )
    if home is None:
        return
    yield (
        "households",
        f"{_count_with_noun('household', home['households'])}, the largest of {number(home['largest'])}: that "
        "anybody of a "
        f"person's household is found has a chance of {_chance_words(home, facts)}; "
        f"{_format_expected(home['expected'])} people are "
        "expected to live with somebody who is found, or to be found",
    )
    size_known = home["size_known"]
    yield (
        "households",
        f"anyone who also knows how many live there finds {_format_expected(size_known['individual']['expected'])} "
        "people, and somebody "
        f"of the households of {_format_expected(size_known['household']['expected'])}",
    )


def _model_sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    """What log-linear models of the population say of people who are alone in the data."""
    models = facts.get("log_linear")
    if not models:
        return
    words = [
        f"by {_MODELS[model['model']]} {_format_expected(model['unique'])} of them are expected to be alone in the "
        f"population too, and {_format_expected(model['matches'])} to be matched rightly with somebody in it"
        for model in models
    ]
    alone = models[0]["alone"]
    yield (
        "models",
        f"{number(alone)} {'person is' if alone == 1 else 'people are'} alone in the data by all columns; "
        f"{'; '.join(words)} (log-linear models of the population, as by Skinner and Shlomo)",
    )


_MODELS = {
    "main effects": "main effects alone",
    "two-way": "main effects and all interactions of two columns",
}


def _format_expected(people: float) -> str:
    """An expected number of people."""
    return number(round(people, 2 if people < 10 else 1))


def _population_sentences(facts: Facts) -> Iterator[tuple[str, str]]:
    if "prosecutor" not in facts:
        return
    estimates = facts["population"]
    if estimates is None:
        yield (
            "population",
            "how many of these people are alone in the whole population is not known; give --population or --fraction",
        )
        return
    estimate_words = [
        f"{percent(estimates[name])} ({words})"
        for name, words in (("pitman", "Pitman"), ("zayatz", "Zayatz"))
        if estimates[name] is not None
    ]
    misfit_note = "" if estimates["pitman"] is not None else "; Pitman's formula does not fit these data"
    yield (
        "population",
        f"of all {number(estimates['size'])} people, {' or '.join(estimate_words)} are estimated to be alone "
        f"among them{misfit_note}",
    )
    if estimates["right_match"] is not None:
        yield (
            "population",
            f"anyone who finds exactly one record that fits a person is right with a chance of "
            f"{percent(estimates['right_match'])}",
        )


def risk_html(facts: Facts) -> str:
    """Return the page as one offline html file."""
    from shoal.report.pages import offline_page  # jinja2, of no use to whoever reads the words

    return offline_page(
        "risk.html",
        facts["shoal"],
        lead=sentence(next(text for name, text in sentences(facts) if name == "found")),
        tiles=list(headline_tiles(facts)),
        k=facts["k"],
        said=[sentence(text) for _, text in sentences(facts)],
        found=_found_plot(facts),
        columns=_columns_plot(facts),
        columns_table=_figures_table(
            "What each column reveals",
            ["Column", "Values", "Distinction", "Separation", "Unique by it", "Share of scores"],
            column_rows(facts),
        ),
        fields=_figures_table(
            "What one value of each field reveals",
            ["Field", "Values", "Unique", f"Fewer than {facts['k']}"],
            field_rows(facts),
        ),
        sets=_figures_table(
            "The sets of 2 to 4 columns that find most people",
            [head_cell.capitalize() for head_cell in set_head(facts)],
            set_rows(facts),
        ),
        sets_up_to=facts.get("sets_up_to"),
        minimal=_figures_table(
            "The smallest sets that single people out", ["Columns", "People", "Share"], minimal_rows(facts)
        ),
        minimal_sizes=_minimal_plot(facts),
        rows=_rows_plot(facts),
    )


def _figures_table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str | int]]
) -> parts.ShownTable:
    """Names with figures behind them."""
    cells = [[cell if isinstance(cell, str) else number(cell) for cell in row] for row in rows]
    return parts.ShownTable(caption, head, cells, range(1, len(head)))


def sections(facts: Facts) -> list[parts.Section]:
    """The plots of the page with their headings, for whoever shows them elsewhere."""
    uniqueness_note = (
        f"A person is unique if some choice of what is known fits nobody else, and found easily if it fits fewer than "
        f"{facts['k']} people. The choice is the worst one for that person."
    )
    scores = (
        "The part of each column in what singles people out (SUDA scores): the fewer columns are needed, the more they "
        "count. The parts add up to more than 100%, because a set has several columns."
    )
    minimal = "A set is minimal for a record if it makes the record unique and no part of it does."
    return parts.sections_with_plots(
        [
            ("Who can be found, and by what", uniqueness_note, [_found_plot(facts)]),
            ("Which columns give people away", scores, [_columns_plot(facts)]),
            ("The smallest sets that single people out", minimal, [_minimal_plot(facts)]),
            ("How many rows people have", "People with several rows are counted once.", [_rows_plot(facts)]),
        ]
    )


def uniqueness_figure(facts: Facts) -> figures.Figure:
    """Draw the shares of people who are found, for each thing that may be known."""
    rows = [row for row in uniqueness_facts(facts) if row["alone"] is not None]
    series = {
        "unique": [row["alone"] for row in rows],
        f"among fewer than {facts['k']} look-alikes": [row["fewer"] for row in rows],
    }
    knowledge = [describe_knowledge(row, facts) for row in rows]
    return figures.chances(series, knowledge, "share of the people", "Who can be found, and by what")


def _found_plot(facts: Facts) -> parts.Plot:
    rows = uniqueness_rows(facts)
    head = ("What is known of a person", "Unique", f"Fewer than {facts['k']}")
    table = parts.ShownTable("Share of the people who are found", head, rows, (1, 2))
    alt = f"Bar chart of the people found: {rows[-1][1]} are unique by {rows[-1][0]}."
    return parts.Plot.of("found-figure", uniqueness_figure(facts), alt, table)


def _columns_plot(facts: Facts) -> parts.Plot | None:
    sorted_columns = sorted(facts.get("columns", ()), key=lambda row: -row["contribution"])
    rows = [(row["column"], row["contribution"]) for row in sorted_columns]
    if not rows:
        return None
    alt = (
        f"Bar chart of the part of {len(rows)} columns in what singles people out; {label(rows[0][0])} first."
    )
    bar_words = ("of the scores", "share of the scores", "Part of each column in the scores")
    return _bars("columns-figure", rows, bar_words, ("Column", "Part"), alt, percent)


def _bars(
    name: str,
    rows: Sequence[tuple[str, float]],
    said: tuple[str, str, str],
    head: tuple[str, str],
    alt: str,
    write: Callable[[float], str] = number,
) -> parts.Plot:
    """Bars over words; `said` is what they are, what the axis shows, and the caption of the table."""
    series_name, axis, caption = said
    figure = figures.series_figure(
        {series_name: [amount for _, amount in rows]}, [bar_label for bar_label, _ in rows], axis, write
    )
    table = parts.ShownTable(
        caption, head, [(label(bar_label), write(amount)) for bar_label, amount in rows], (1,)
    )
    return parts.Plot.of(name, figure, alt, table)


def _minimal_plot(facts: Facts) -> parts.Plot | None:
    rows = [
        (_count_with_noun("column", int(size)), count)
        for size, count in (facts.get("minimal_by_size") or {}).items()
    ]
    bar_words = ("minimal sets", "minimal sets, over all records", "Minimal sets by size")
    alt = "Bar chart of minimal sets by size."
    return _bars("minimal-figure", rows, bar_words, ("Size", "Minimal sets"), alt) if rows else None


def _rows_plot(facts: Facts) -> parts.Plot | None:
    if facts["rows_per_person"] is None:
        return None
    rows = figures.fold_rows(
        [(_count_with_noun("row", int(size)), people) for size, people in facts["rows_per_person"].items()]
    )
    alt = "Bar chart of how many rows people have."
    return _bars("rows-figure", rows, ("people", "people", "Rows per person"), ("Rows", "People"), alt)
