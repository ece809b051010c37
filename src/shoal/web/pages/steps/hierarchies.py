"""How values may become coarser: one column's tree at a time, to look at and to edit."""

import json
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from typing import Any, Literal

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from shoal.errors import HierarchyError
from shoal.hierarchy.edit import Editable
from shoal.web.pages.elements import PACE, empty_state, expandable, markup, notice, paragraph
from shoal.web.pages.frame import address, navigation
from shoal.web.pages.hierarchy_editor import COUNT, HierarchyEditor, HierarchyEditors
from shoal.web.pages.project import Project
from shoal.web.pages.working import show_failure, show_progress
from shoal.web.server.jobs import Job
from shoal.web.server.uploads import Upload, Uploads, harmless

__all__ = ["Branches", "FileReceiver", "Take", "draw_editor", "edit_of", "show"]

# The list that shows a tree and lets people edit it; what it looks like and how it is used is in branches.js.


class Branches(Element, component="branches.js"):
    """A tree as a list of lines, of which only those in sight are drawn.

    Parameters
    ----------
    desk
        The tree.
    on_act
        Called with what somebody wants done: `act` is `rename`, `move`, `group` or `ungroup`.
    """

    def __init__(self, desk: HierarchyEditor, on_act: Callable[[Mapping[str, Any]], object]) -> None:
        super().__init__()
        self._props["column"] = desk.column
        self.show(desk)

        def told(event: GenericEventArguments) -> None:
            if isinstance(event.args, dict):
                on_act(event.args)

        self.on("act", told)

    def show(self, desk: HierarchyEditor) -> None:
        """Draw the tree as it is now."""
        self._props["nodes"] = json.dumps(
            desk.listed()
        )  # a text: the page need not watch each of its numbers
        self.update()


# A file that is sent in place of a tree: one listener for a page, whichever column it shows.

Take = Callable[[Upload], Awaitable[None]]
"""Takes a file, and says what is wrong with it."""

_SEND = """
<label class="small-button file-button">Use a csv file of yours
<input class="hidden-input" type="file" accept=".csv,.txt,.gz" data-send="file" aria-label="Use a csv file of yours">
</label>
<div id="sending" class="box working" hidden aria-live="polite"><span id="sending-what">Sending ...</span>
<progress id="sending-bar" max="1" value="0" aria-label="how much is sent"></progress>
<button type="button" class="small-button" data-stop-sending>Cancel</button></div>
<p id="sending-said" class="said bad" role="alert" hidden></p>
"""


class FileReceiver:
    """Listens for a page as long as that is open."""

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads
        self._take: Take | None = None
        ui.on("shoal-sent", self._sent)

    def offer(self, take: Take) -> None:
        """Draw the button; from now on files that are sent go to `take`."""
        self._take = take
        markup(_SEND)

    async def _sent(self, event: Any) -> None:
        """Hand over the file that a page tells of; whatever else it says is not believed."""
        ids = event.args.get("ids") if isinstance(event.args, dict) else None
        upload = self._uploads.get(str(ids[0])) if isinstance(ids, list) and ids else None
        if upload is not None and self._take is not None:
            try:
                await self._take(upload)
            finally:
                self._uploads.remove(upload.id)
        ui.run_javascript('document.getElementById("sending")?.setAttribute("hidden", "")')


# How values may become coarser: one column's tree at a time, to look at and to edit.

_CHOSEN = "hierarchies: column"


def show(project: Project) -> None:
    """Draw the screen."""
    desks = HierarchyEditors.of(project)
    taking = FileReceiver(project.server.uploads)
    if desks.outdated:
        desks.begin()

    @ui.refreshable
    def shown() -> None:
        job = project.job(COUNT)
        if job is not None and not job.over and not desks.is_recounted:
            show_progress(project, job)
        elif job is not None and job.state in ("failed", "cancelled"):
            _not_counted(job, desks)
        else:
            desks.read()
            _columns(desks, taking)

    seen: list[object] = []

    def look() -> None:
        job = project.job(COUNT)
        now = (job, job is not None and job.over)
        if seen and seen != [now]:
            if desks.is_recounted and job is not None and job.state in ("waiting", "running", "done"):
                desks.read()  # the tree stays on the screen, its numbers change
            else:
                shown.refresh()
        seen[:] = [now]

    shown()
    look()
    ui.timer(PACE, look)
    navigation(project, "hierarchies")


def _not_counted(job: Job, desks: HierarchyEditors) -> None:
    show_failure(job)
    ui.button("Count people", on_click=desks.begin).props("unelevated").classes("q-mt-md")


def _columns(desks: HierarchyEditors, taking: FileReceiver) -> None:
    """The choice of a column, and the tree of the chosen one."""
    project = desks.project
    for column, sentence in desks.faults.items():
        notice("bad", f"{column}: {sentence}.")
    if not desks.there:
        empty_state(
            "No column has a hierarchy: nothing of these data is made coarser.",
            "Look at the roles",
            lambda: ui.navigate.to(address(project, "roles")),
        )
        return
    chosen = project.kept.get(_CHOSEN)
    if chosen not in desks.there:
        chosen = next(iter(desks.there))

    @ui.refreshable
    def edited(column: str) -> None:
        draw_editor(desks, desks.there[column], taking, lambda: select.set_content(_options(desks, column)))

    def choose(event: Any) -> None:
        columns = list(desks.there)
        if isinstance(event.args, int) and 0 <= event.args < len(columns):
            project.kept[_CHOSEN] = columns[event.args]
            edited.refresh(columns[event.args])

    with ui.element("div").classes("tree-choice"):
        what = "Field" if "tree" in (project.configuration or {}) else "Column"
        markup(f'<label for="tree-column">{what}</label>')
        select = markup(_options(desks, chosen), "select").classes("entry").props("id=tree-column")
        select.on("change", choose, js_handler="(event) => emit(Number(event.target.value))")
    edited(chosen)


def _options(desks: HierarchyEditors, chosen: str) -> str:
    return "".join(
        f'<option value="{number}"{" selected" if column == chosen else ""}>{escape(_line(desk))}</option>'
        for number, (column, desk) in enumerate(desks.there.items())
    )


def _line(desk: HierarchyEditor) -> str:
    """A column in a few words."""
    count = desk.tree.height - 1
    between = f"{count} {'level' if count == 1 else 'levels'} of groups" if count else "no groups yet"
    values = f"{desk.tree.size:,} {'value' if desk.tree.size == 1 else 'values'}"
    return f"{desk.column}: {values}, {between}{', edited' if desk.is_edited else ''}"


# One column's tree with all that can be done to it.

Attempt = Callable[[Callable[[], object]], None]
"""Does something, says what went wrong, and draws the tree again."""

_KEYS = (
    "Drag a line onto a group, or select lines and choose where they go. With the keyboard: arrows go from line "
    "to line, space selects, Enter renames a group."
)


def draw_editor(
    desks: HierarchyEditors, desk: HierarchyEditor, taking: FileReceiver, changed: Callable[[], object]
) -> None:
    """Draw a tree; `changed` is called when it was edited."""
    _facts(desk)
    wrong = ui.element("div")

    def state() -> tuple[int, bool]:
        return desk.changes, desks.is_counting

    def tell(mood: Literal["care", "bad"], sentence: str) -> None:
        if not wrong.is_deleted:  # somebody may have gone elsewhere while a file was read
            with wrong:
                notice(mood, sentence)

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


def _facts(desk: HierarchyEditor) -> None:
    """What to know of a column before it is edited."""
    facts = desk.facts
    if facts["uncovered"]:
        notice(
            "care",
            f"{facts['uncovered']:,} value(s) of {facts['uncovered_people']:,} people are not in this hierarchy. Use a "
            "csv file that has them, or no release can be made.",
        )
    if facts["missing"]:
        paragraph(f"{facts['missing']:,} people have no value here; they count for everything.", "note")


def _tools(desks: HierarchyEditors, desk: HierarchyEditor, attempt: Attempt) -> None:
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


def _levels(desk: HierarchyEditor, attempt: Attempt) -> None:
    """How many nodes stand on each level, and how to add and remove one."""

    def edit(how: Callable[[Editable, int], Editable], level: int) -> Callable[[], None]:
        return lambda: attempt(lambda: desk.do(lambda tree: how(tree, level)))

    counts = desk.levels()
    top = len(counts) - 1
    with expandable(f"Levels: {top - 1 if top > 1 else 'none'} between the values and everything"):
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


def _files(desk: HierarchyEditor, taking: FileReceiver, take: Take) -> None:
    name = f"{harmless(desk.column)}.csv"
    _button("Download as csv", lambda: ui.download.content(desk.tree.text(), name, "text/csv"))
    taking.offer(take)


def _sentence(error: HierarchyError) -> str:
    """What cannot be done, without the name of the column: it stands above."""
    text = str(error).partition(": ")[2] or str(error)
    return f"{text[:1].upper()}{text[1:]}."
