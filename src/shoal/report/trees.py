"""Record trees on the pages: hierarchies with their cut and example records as outlines, relations as tables.

An outline has one row per node, children indented below their parent, so that labels never meet, however narrow the
page. What does not fit is folded into rows that say how much they hide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.report.facts import Cut, CutRelation, End, Example, PublishedRelation, Tree, TreeAudit, TreeReport
from shoal.report.figures import BLUE, GREY, INK, MUTED, ORANGE, Figure, empty_figure, escape_label
from shoal.report.parts import Plot, ShownTable
from shoal.report.words import NONE, label, number, percent, shorten_label

__all__ = [
    "Row",
    "_cut_relation_words",
    "_cut_rows",
    "_record_rows",
    "audit_parts",
    "outline",
    "report_parts",
]

Path = tuple[tuple[str, str], ...]

_MOST = 32
_FEW = 8
_MOST_RELATIONS = 40
_FILL = {"published": BLUE, "before": GREY, "changed": ORANGE}
_EDGE = {"general": BLUE, "exact": GREY, "folded": "white"}
_WORDS = {"published": "published", "general": "more general", "exact": "not published", "folded": NONE}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an outline.

    depth : how far it is indented
    text  : a label, or how much is folded here
    mark  : published, general (above what is published), exact (below it, or in no record), folded, before, changed
    note  : a few words behind the label
    place : the node, None for what is folded
    """

    depth: int
    text: str
    mark: str
    note: str = ""
    place: int | None = None


def report_parts(found: TreeReport | None) -> dict[str, Any] | None:
    """What the report shows of record trees."""
    if found is None:
        return None
    return {"told": _relations_table(found.told), **_cut_parts(found.cuts)}


def _cut_parts(found: Sequence[Cut]) -> dict[str, Any]:
    return {
        "cuts": [_cut_plot(index, field_cut) for index, field_cut in enumerate(found)],
        "folded": any(
            len(_FoldedOutline(field_cut, _MOST).shown) < len(field_cut.labels) for field_cut in found
        ),
    }


def audit_parts(found: TreeAudit | None) -> dict[str, Any] | None:
    """What the audit shows of record trees."""
    if found is None:
        return None
    return {
        "cut_relations": _cut_relations_table(found.cut_relations),
        **_cut_parts(found.cuts),
        "examples": [plot for i, example in enumerate(found.examples) for plot in _example_plots(i, example)],
        "ruled": found.ruled,
        "insight": found.insight,
    }


def outline(rows: Sequence[Row]) -> Figure:
    """Draw rows from the top, each under its parent: the last row above it that is indented by one less."""
    xs: list[float | None] = []
    ys: list[float | None] = []
    last_row_at: dict[int, int] = {}
    for index, row in enumerate(rows):
        if row.depth:
            xs += [row.depth - 1, row.depth - 1, row.depth, None]
            ys += [last_row_at[row.depth - 1], index, index, None]
        last_row_at[row.depth] = index
    grey = {"color": GREY, "width": 1}
    lines = {"type": "scatter", "x": xs, "y": ys, "mode": "lines", "line": grey, "hoverinfo": "skip"}
    nodes = {
        "type": "scatter",
        "x": [row.depth for row in rows],
        "y": list(range(len(rows))),
        "mode": "markers+text",
        "cliponaxis": False,
        "marker": {
            "size": 11,
            "opacity": 1,
            "color": [_FILL.get(row.mark, "white") for row in rows],
            "line": {"width": 2, "color": [_EDGE.get(row.mark, _FILL.get(row.mark)) for row in rows]},
        },
        "text": [_row_text(row) for row in rows],
        "textposition": "middle right",
        "textfont": {
            "size": 13,
            "color": [MUTED if row.mark in ("exact", "folded") else INK for row in rows],
        },
        "customdata": [[escape_label(row.text), escape_label(row.note) if row.note else ""] for row in rows],
        "hovertemplate": "%{customdata[0]}<br>%{customdata[1]}<extra></extra>",
    }
    deepest = max((row.depth for row in rows), default=0)
    return empty_figure(
        [lines, nodes],
        "",
        52 + 24 * len(rows),
        x={"visible": False, "range": [-0.4, max(15, deepest + 8)]},
        y={"visible": False, "range": [len(rows) - 0.4, -0.4]},
        margin={"l": 4, "r": 4, "b": 4},
    )


def _row_text(row: Row) -> str:
    text = f" {escape_label(shorten_label(row.text))}"
    return (
        f"{text}  <span style='color:{MUTED};font-size:12px'>{escape_label(row.note)}</span>"
        if row.note
        else text
    )


def _cut_rows(cut: Cut, most: int = _MOST) -> list[Row]:
    """The outline of a hierarchy with its cut: all of it while it is small, else what is published most.

    About `most` nodes are shown, those that the most records hold and what stands above them; then, where there is
    room, a few of those that are not published.

    >>> cut = Cut("ill", ["*", "lung", "flu"], [-1, 0, 1], [None, 5, None])
    >>> [(row.depth, row.text, row.mark) for row in _cut_rows(cut)]
    [(0, '*', 'general'), (1, 'lung', 'published'), (2, 'flu', 'exact')]
    """
    return list(_FoldedOutline(cut, most).rows())


class _FoldedOutline:
    """A hierarchy, what each node is in view of the cut, and which nodes are shown."""

    def __init__(self, cut: Cut, most: int) -> None:
        size = len(cut.labels)
        self.cut = cut
        self.children: list[list[int]] = [[] for _ in range(size)]
        self.weight = [records or 0 for records in cut.records]
        self.leaves = [0] * size
        self.published = [int(records is not None) for records in cut.records]  # at the node and below it
        for node in reversed(range(size)):
            self.leaves[node] = self.leaves[node] or 1
            if (parent := cut.up[node]) >= 0:
                self.children[parent].append(node)
                self.weight[parent] += self.weight[node]
                self.leaves[parent] += self.leaves[node]
                self.published[parent] += self.published[node]
        for siblings in self.children:
            siblings.reverse()
        self.shown = self._shown(size, most)

    def _shown(self, size: int, most: int) -> set[int]:
        """The nodes to show; with a node always those over it, for they weigh as much and come first."""
        published_nodes = [node for node in range(size) if self.published[node]]
        shown_nodes = {0, *sorted(published_nodes, key=lambda place: (-self.weight[place], place))[:most]}
        level = [0]
        while level:  # what room is left goes to the others, from the top down, a few below each node
            for node in level:
                unpublished = [child for child in self.children[node] if not self.published[child]]
                first_children = (
                    unpublished if len(unpublished) <= _FEW + 1 else unpublished[:_FEW]
                )  # one more would fill the row that says so
                shown_nodes.update(
                    first_children[: max(0, most - len(shown_nodes))] if node in shown_nodes else ()
                )
            level = [child for node in level for child in self.children[node]]
        return shown_nodes

    def mark(self, place: int) -> str:
        if self.cut.records[place] is not None:
            return "published"
        return "general" if self.published[place] else "exact"

    def note(self, place: int) -> str:
        """How many values a node stands for, where that cannot be seen below it, and how many records hold it."""
        records, children = self.cut.records[place], self.children[place]
        words = []
        if children and (records is not None or not any(child in self.shown for child in children)):
            words.append(f"{number(self.leaves[place])} values")
        if records is not None:
            words.append(f"{number(records)} record{'' if records == 1 else 's'}")
        elif self.published[place] and words:
            words.append(f"{number(self.published[place])} published")
        return ", ".join(words)

    def rows(self) -> Iterator[Row]:
        stack = [(0, 0)] if self.cut.labels else []
        while stack:
            node, depth = stack.pop()
            if node < 0:
                yield Row(depth, self._folded_note(-1 - node), "folded")
                continue
            yield Row(depth, label(self.cut.labels[node]), self.mark(node), self.note(node), node)
            shown_children = [child for child in self.children[node] if child in self.shown]
            if (
                0 < len(shown_children) < len(self.children[node])
            ):  # with none below, the note says how many there are
                stack.append((-1 - node, depth + 1))
            stack += [(child, depth + 1) for child in reversed(shown_children)]

    def _folded_note(self, place: int) -> str:
        """What is hidden below a node."""
        hidden_children = [child for child in self.children[place] if child not in self.shown]
        published_count = sum(self.published[child] for child in hidden_children)
        return (
            f"… {number(published_count)} more published"
            if published_count
            else f"… {number(len(hidden_children))} more"
        )


def _cut_plot(place: int, cut: Cut) -> Plot:
    tree = _FoldedOutline(cut, _MOST)
    rows = list(tree.rows())
    published_count = sum(records is not None for records in cut.records)
    cells = [
        (
            row.text,
            _WORDS[row.mark],
            NONE if row.place is None else number(tree.leaves[row.place]),
            NONE if row.place is None else number(cut.records[row.place]),
        )
        for row in rows
    ]
    head = ("Node", "What it is", "Values it stands for", "Records")
    values = tree.leaves[0] if tree.leaves else 0
    description = (
        f"{number(values)} values, published as {number(published_count)}"
        if published_count
        else "left out altogether"
    )
    drawn_count = sum(row.place is not None for row in rows)
    if drawn_count < len(cut.labels):
        description += f"; {number(drawn_count)} of {number(len(cut.labels))} nodes drawn"
    alt = f"Outline of the hierarchy of field {label(cut.name)}: {description}."
    table = ShownTable(f"The hierarchy of {label(cut.name)}: {description}", head, cells, (2, 3))
    return Plot.of(f"cut-{place}", outline(rows), alt, table, label(cut.name), description)


def _record_rows(tree: Tree, marked: str, other: Tree | None = None) -> list[Row]:
    """The outline of a record; a node is marked as changed where the `other` has no such value below such classes."""
    other_paths = None if other is None else {_value_path(path) for path in _paths(other)}
    rows = [Row(0, "a person", "general")]
    for path in _paths(tree):
        mark = marked if other_paths is None or _value_path(path) in other_paths else "changed"
        rows.append(Row(len(path), label(path[-1][1]), mark, label(path[-1][0])))
    return rows


def _value_path(path: Path) -> tuple[str, ...]:
    """A value and the classes from the root down to it."""
    return (path[-1][1], *(kind for kind, _ in path))


def _paths(tree: Tree) -> Iterator[Path]:
    """The nodes of a record from the top, each as the classes and values from the root down to it."""
    stack: list[tuple[Any, Path]] = [(node, ()) for node in reversed(tree)]
    while stack:
        (kind, text, *children), ancestors = stack.pop()
        path = (*ancestors, (kind, text))
        yield path
        stack += [(child, path) for child in reversed(children)]


def _example_plots(place: int, example: Example) -> list[Plot]:
    """An invented record before, and beside it after."""
    sides = (
        ("before", _record_rows(example.before, "before")),
        ("after", _record_rows(example.after, "published", example.before)),
    )
    plots = []
    for moment, rows in sides:
        change_words = [
            NONE if moment == "before" else "yes" if row.mark == "changed" else "no" for row in rows[1:]
        ]
        cells = [
            (row.text, row.note, change_word) for row, change_word in zip(rows[1:], change_words, strict=True)
        ]
        table = ShownTable(f"Example {place + 1}, {moment}", ("Value", "Class", "Changed"), cells)
        alt = f"Outline of an invented record {moment}: {number(len(cells))} nodes."
        figure = outline(rows)
        plots.append(Plot.of(f"{moment}-{place}", figure, alt, table, f"Example {place + 1}, {moment}"))
    return plots


def _relations_table(found: Sequence[PublishedRelation]) -> ShownTable:
    rows = [
        (
            f"{label(relation.above)} over {label(relation.below)}",
            f"{number(relation.under)} of {number(relation.nodes)}",
            percent(relation.under / max(relation.nodes, 1)),
        )
        for relation in found
    ]
    return ShownTable(
        "Relations that the release shows; each node below counts once",
        ("Relation", "Nodes", "Share"),
        rows,
        (1, 2),
    )


def _cut_relations_table(found: Sequence[CutRelation]) -> ShownTable:
    """The relations that were cut, those of most records first."""
    rows = [
        (
            f"{_end_words(relation.above)} over {_end_words(relation.below)}",
            _cut_relation_words(relation.above, relation.below),
            number(relation.records),
        )
        for relation in sorted(found, key=lambda one: -one.records)[:_MOST_RELATIONS]
    ]
    caption = f"{number(len(found))} relations were cut; the ones that most originals had come first"
    if len(rows) < len(found):
        caption += f"; {number(len(rows))} of them are shown here, all are in recoding.json"
    return ShownTable(caption, ("Relation", "No longer shown", "Records"), rows, (2,))


def _cut_relation_words(above: End, below: End) -> str:
    """Say what a cut relation no longer tells.

    >>> _cut_relation_words("ward", ("ill", "flu"))
    "which ward the ill 'flu' belongs to"
    """
    if isinstance(below, str):
        return (
            f"which {label(below)} belongs to {'which ' if isinstance(above, str) else ''}{_end_words(above)}"
        )
    if isinstance(above, str):
        return f"which {label(above)} the {label(below[0])} {_end_words(below)} belongs to"
    return f"whether {_end_words(below)} belongs to {_end_words(above)}"


def _end_words(end: End) -> str:
    return label(end) if isinstance(end, str) else f"'{label(end[1])}'"
