"""One column's tree with all that can be done to it."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any, Literal

from nicegui import ui

from shoal.errors import HierarchyError
from shoal.hierarchy.edit import Editable
from shoal.web.names import harmless
from shoal.web.pages.hierarchies.branches import Branches
from shoal.web.pages.hierarchies.desk import Desk
from shoal.web.pages.hierarchies.desks import Desks
from shoal.web.pages.hierarchies.taking import Take, Taking
from shoal.web.pages.parts.again import PACE
from shoal.web.pages.parts.said import said
from shoal.web.pages.parts.words import markup, more, paragraph
from shoal.web.uploads import Upload

__all__ = ["edit_of", "editor"]

Attempt = Callable[[Callable[[], object]], None]
"""Does something, says what went wrong, and draws the tree again."""

_KEYS = (
    "Drag a line onto a group, or select lines and choose where they go. With the keyboard: arrows go from line "
    "to line, space selects, Enter renames a group."
)


def editor(desks: Desks, desk: Desk, taking: Taking, changed: Callable[[], object]) -> None:
    """Draw a tree; `changed` is called when it was edited."""
    _facts(desk)
    wrong = ui.element("div")

    def state() -> tuple[int, bool]:
        return desk.changes, desks.is_counting

    def tell(mood: Literal["care", "bad"], sentence: str) -> None:
        if not wrong.is_deleted:  # somebody may have gone elsewhere while a file was read
            with wrong:
                said(mood, sentence)

    def attempt(act: Callable[[], object]) -> None:
        wrong.clear()
        try:
            changed_it = act()
        except HierarchyError as error:
            tell("bad", _sentence(error))
            return
        if changed_it is False:
            tell("care", "Nothing changed: it is so already.")
            return
        settle()

    async def take(upload: Upload) -> None:
        wrong.clear()
        try:
            await desks.take_file(desk, upload)
        except HierarchyError as error:
            tell("bad", _sentence(error))
        else:
            settle()

    def settle() -> None:
        desks.write(desk)
        if not wrong.is_deleted:
            redraw()

    drawn = [state()]

    def redraw() -> None:
        if drawn == [state()]:
            return
        if drawn[0][0] != desk.changes:
            branches.show(desk)
            levels.refresh()
            changed()
        drawn[:] = [state()]
        tools.refresh()

    @ui.refreshable
    def tools() -> None:
        _tools(desks, desk, attempt)

    @ui.refreshable
    def levels() -> None:
        _levels(desk, attempt)

    with ui.element("div").classes("row tree-tools"):
        tools()
        ui.element("span").classes("grow")
        _files(desk, taking, take)
    branches = Branches(desk, lambda told: attempt(lambda: desk.do(edit_of(told))))
    paragraph(_KEYS, "note")
    levels()
    ui.timer(PACE, redraw)  # a second page may have edited it


def edit_of(told: Mapping[str, Any]) -> Callable[[Editable], Editable]:
    """The edit that a page asks for; it may be of an earlier tree, and then the edit is refused."""

    def ids(value: Any) -> list[int]:
        there = value if isinstance(value, list) else [value]
        return [one for one in there if isinstance(one, int) and not isinstance(one, bool)]

    def edit(tree: Editable) -> Editable:
        nodes = ids(told.get("nodes", told.get("node")))
        label = str(told.get("label", ""))
        match told.get("act"):
            case "rename":
                return tree.renamed(nodes[0] if nodes else -1, label)
            case "move":
                return tree.moved(nodes, (ids(told.get("under")) or [-1])[0])
            case "group":
                return tree.grouped(nodes, label)
            case "ungroup":
                return tree.ungrouped(nodes)
        return tree

    return edit


def _facts(desk: Desk) -> None:
    """What to know of a column before it is edited."""
    facts = desk.facts
    if facts["uncovered"]:
        said(
            "care",
            f"{facts['uncovered']:,} value(s) of {facts['uncovered_people']:,} people are not in this hierarchy. Use a "
            "csv file that has them, or no release can be made.",
        )
    if facts["missing"]:
        paragraph(f"{facts['missing']:,} people have no value here; they count for everything.", "note")


def _tools(desks: Desks, desk: Desk, attempt: Attempt) -> None:
    _button("Undo", lambda: attempt(desk.undo), enabled=desk.can_undo)
    _button("Redo", lambda: attempt(desk.redo), enabled=desk.can_redo)
    _button("As proposed", lambda: attempt(lambda: desk.do(lambda _: desk.proposed)), enabled=desk.is_edited)
    if desks.is_counting:
        markup("Counting people ...", "span").classes("note").props("role=status")
    elif desk.is_rough:
        _button("Count people again", desks.begin)


def _button(
    name: str, act: Callable[[], object], *, words: str | None = None, enabled: bool = True
) -> ui.element:
    """A small button; `words` say more to whoever does not see where it stands."""
    button = markup(escape(name), "button").classes("small-button").props("type=button")
    if words is not None:
        button.props["aria-label"] = words  # whatever signs it has are its own
    if not enabled:
        button.props("disabled")
    return button.on("click", act)


def _levels(desk: Desk, attempt: Attempt) -> None:
    """How many nodes stand on each level, and how to add and remove one."""

    def edit(how: Callable[[Editable, int], Editable], level: int) -> Callable[[], None]:
        return lambda: attempt(lambda: desk.do(lambda tree: how(tree, level)))

    counts = desk.levels()
    top = len(counts) - 1
    with more(f"Levels: {top - 1 if top > 1 else 'none'} between the values and everything"):
        paragraph(
            "On a new level all stand as they are on the level below, until you group some of them.", "note"
        )
        with ui.element("ul").classes("tree-levels"):
            for level in range(top, -1, -1):
                with ui.element("li"):
                    ui.label(_level(level, counts))
                    if level < top:
                        _button(
                            "Add a level above",
                            edit(Editable.with_level, level),
                            words=f"Add a level above level {level}",
                        )
                    if 0 < level < top:
                        _button("Remove", edit(Editable.without_level, level), words=f"Remove level {level}")


def _level(level: int, counts: list[int]) -> str:
    if level == len(counts) - 1:
        return f"Level {level}: everything"
    return f"Level {level}: {counts[level]:,} {'groups or values' if level else 'values'}"


def _files(desk: Desk, taking: Taking, take: Take) -> None:
    name = f"{harmless(desk.column)}.csv"
    _button("Download as csv", lambda: ui.download.content(desk.tree.text(), name, "text/csv"))
    taking.offer(take)


def _sentence(error: HierarchyError) -> str:
    """What cannot be done, without the name of the column: it stands above."""
    text = str(error).partition(": ")[2] or str(error)
    return f"{text[:1].upper()}{text[1:]}."
