"""How values may become coarser: one column's tree at a time, to look at and to edit."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from html import escape
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from shoal.base.errors import HierarchyError
from shoal.hierarchy.edit import Editable
from shoal.hierarchy.suggest import BY_FREQUENCY
from shoal.report.words import sentence
from shoal.web.pages.elements import (
    PACE,
    Mood,
    details_section,
    empty_state,
    markup,
    notice,
    options_html,
    paragraph,
    upload_progress_html,
)
from shoal.web.pages.frame import address, navigation, show_failure, show_progress
from shoal.web.pages.grouping import name_buttons
from shoal.web.pages.hierarchy_editor import COUNT, HierarchyEditor, HierarchyEditors
from shoal.web.pages.project import Project
from shoal.web.pages.steps.group_by import Make, draw_group_by
from shoal.web.server.job_folder import sanitize_name
from shoal.web.server.workspace import Upload, Uploads

__all__ = ["_edit_from_request", "show"]


class Branches(Element, component="branches.js"):
    """A tree as a list of lines, of which only those in sight are drawn.

    Parameters
    ----------
    editor
        The tree.
    on_act
        Called with what somebody wants done: `act` is `rename`, `move`, `group` or `ungroup`.
    """

    def __init__(self, editor: HierarchyEditor, on_act: Callable[[Mapping[str, Any]], object]) -> None:
        super().__init__()
        self._props["column"] = editor.column
        self.show(editor)

        def told(event: GenericEventArguments) -> None:
            if isinstance(event.args, dict):
                on_act(event.args)

        self.on("act", told)

    def show(self, editor: HierarchyEditor) -> None:
        """Draw the tree as it is now."""
        nodes = json.dumps(editor.listed())  # a text: the page need not watch each of its numbers
        self._props["nodes"] = nodes
        self.update()


Take = Callable[[Upload], Awaitable[None]]
"""Takes a file, and says what is wrong with it."""

_SEND = """
<label class="small-button file-button">Use a csv file of yours
<input class="hidden-input" type="file" accept=".csv,.txt,.gz" data-send="file" aria-label="Use a csv file of yours">
</label>
"""


class FileReceiver:
    """Listens for a page as long as that is open."""

    def __init__(self, uploads: Uploads) -> None:
        self._uploads = uploads
        self._take: Take | None = None
        ui.on("shoal-sent", self._pass_upload)

    def offer(self, take: Take) -> None:
        """Draw the button; from now on files that are sent go to `take`."""
        self._take = take
        markup(_SEND + upload_progress_html("small-button"))

    async def _pass_upload(self, event: Any) -> None:
        """Hand over the file that a page tells of; whatever else it says is not believed."""
        ids = event.args.get("ids") if isinstance(event.args, dict) else None
        upload = self._uploads.get(str(ids[0])) if isinstance(ids, list) and ids else None
        if upload is not None and self._take is not None:
            try:
                await self._take(upload)
            finally:
                self._uploads.remove(upload.id)
        ui.run_javascript('document.getElementById("sending")?.setAttribute("hidden", "")')


_CHOSEN = "hierarchies: column"


def show(project: Project) -> None:
    """Draw the screen."""
    editors = HierarchyEditors.of(project)
    receiver = FileReceiver(project.server.uploads)
    if editors.outdated:
        editors.begin()

    @ui.refreshable
    def shown() -> None:
        job = project.job(COUNT)
        if job is not None and not job.over and not editors.is_recounted:
            show_progress(project, job)
        elif job is not None and job.state in ("failed", "cancelled"):
            show_failure(job)
            ui.button("Count people", on_click=editors.begin).props("unelevated").classes("q-mt-md")
        else:
            editors.read()
            _draw_columns(editors, receiver)

    seen: list[object] = []

    def look() -> None:
        job, _ = state = project.job_state(COUNT)
        if seen and seen != [state]:
            if editors.is_recounted and job is not None and job.state in ("waiting", "running", "done"):
                editors.read()  # the tree stays on the screen, its numbers change
            else:
                shown.refresh()
        seen[:] = [state]

    shown()
    look()
    ui.timer(PACE, look)
    navigation(project, "hierarchies")


def _draw_columns(editors: HierarchyEditors, receiver: FileReceiver) -> None:
    """The choice of a column, and the tree of the chosen one."""
    project = editors.project
    for column, fault in editors.faults.items():
        notice("bad", f"{column}: {name_buttons(fault)}.")
    if not editors.there:
        empty_state(
            "No column has a hierarchy: nothing of these data is made coarser.",
            "Look at the roles",
            address(project, "roles"),
        )
        return
    column_name = project.kept.get(_CHOSEN)
    if column_name not in editors.there:
        column_name = next(iter(editors.there))

    @ui.refreshable
    def edited(column: str) -> None:
        screen = _TreeScreen(
            editors,
            editors.there[column],
            on_change=lambda: select.set_content(_column_options_html(editors, column)),
        )
        screen.draw(receiver)

    def choose(event: Any) -> None:
        columns = list(editors.there)
        if isinstance(event.args, int) and 0 <= event.args < len(columns):
            project.kept[_CHOSEN] = columns[event.args]
            edited.refresh(columns[event.args])

    with ui.element("div").classes("tree-choice"):
        column_word = "Field" if "tree" in (project.configuration or {}) else "Column"
        markup(f'<label for="tree-column">{column_word}</label>')
        select = (
            markup(_column_options_html(editors, column_name), "select")
            .classes("entry")
            .props("id=tree-column")
        )
        select.on("change", choose, js_handler="(event) => emit(Number(event.target.value))")
    edited(column_name)


def _column_options_html(editors: HierarchyEditors, chosen: str) -> str:
    number_of_column = {column: number for number, column in enumerate(editors.there)}
    return options_html(
        enumerate(map(_describe_column, editors.there.values())), number_of_column.get(chosen)
    )


def _describe_column(editor: HierarchyEditor) -> str:
    """A column in a few words."""
    count = editor.tree.height - 1
    between = f"{count} {'level' if count == 1 else 'levels'} of groups" if count else "no groups yet"
    values = f"{editor.tree.size:,} {'value' if editor.tree.size == 1 else 'values'}"
    by_use = f", {BY_FREQUENCY}" if editor.facts.get("by_frequency") and not editor.is_edited else ""
    return f"{editor.column}: {values}, {between}{', edited' if editor.is_edited else by_use}"


_Attempt = Callable[[Callable[[], object]], None]
"""Does something, says what went wrong, and draws the tree again."""

_KEYS = (
    "Drag a line onto a group, or select lines and choose where they go. With the keyboard: arrows go from line "
    "to line, space selects, Enter renames a group."
)


class _TreeScreen:
    """The tree of a column on the screen; `on_change` is called when it was edited."""

    def __init__(
        self, editors: HierarchyEditors, editor: HierarchyEditor, on_change: Callable[[], object]
    ) -> None:
        self._editors, self._editor, self._on_change = editors, editor, on_change
        self._facts = ui.refreshable(lambda: _draw_facts(editor))
        self._tools = ui.refreshable(lambda: _draw_tools(editors, editor, self._attempt))
        self._levels = ui.refreshable(lambda: _draw_levels(editor, self._attempt))
        self._drawn_state = self._state()

    def draw(self, receiver: FileReceiver) -> None:
        """Draw the tree below its tools; `receiver` takes a file for it."""
        self._facts()
        with ui.element("div").classes("row tree-tools"):
            self._tools()
            ui.element("span").classes("grow")
            _add_button("Download as csv", self._download)
            receiver.offer(self._take_file)
        draw_group_by(self._editor.column, self._editors.holders(self._editor), self._regroup)
        self._error_box = ui.element("div").props("aria-live=polite")
        self._branches = Branches(self._editor, self._edit)
        paragraph(_KEYS, "note")
        self._levels()
        ui.timer(PACE, self._redraw)  # a second page may have edited it

    def _state(self) -> tuple[int, bool]:
        """How many edits there were, and whether records are counted now."""
        return self._editor.changes, self._editors.is_counting

    def _redraw(self) -> None:
        """Draw what has changed since the tree was drawn."""
        if self._drawn_state == self._state():
            return
        drawn_changes, _ = self._drawn_state
        if drawn_changes != self._editor.changes:
            self._branches.show(self._editor)
            self._levels.refresh()
            self._facts.refresh()
            self._on_change()
        self._drawn_state = self._state()
        self._tools.refresh()

    def _download(self) -> None:
        name = f"{sanitize_name(self._editor.column)}.csv"
        ui.download.content(self._editor.tree.text(), name, "text/csv")

    def _edit(self, request: Mapping[str, Any]) -> None:
        self._attempt(lambda: self._editor.do(_edit_from_request(request)))

    def _attempt(self, act: Callable[[], object]) -> None:
        """Do something, say what went wrong, and draw the tree again."""
        self._error_box.clear()
        try:
            is_changed = act()
        except HierarchyError as error:
            self._tell("bad", _strip_column(error))
            return
        if is_changed is False:
            self._tell("care", "Nothing changed: it is so already.")
            return
        self._settle()

    async def _take_file(self, upload: Upload) -> None:
        """Replace the tree by that of a file."""
        self._error_box.clear()
        try:
            await self._editors.take_file(self._editor, upload)
        except HierarchyError as error:
            self._tell("bad", _strip_column(error))
        else:
            self._settle()

    async def _regroup(self, make: Make) -> None:
        """Group all values by a rule; while the tree is made, other pages go on."""
        self._error_box.clear()
        try:
            grouping = await asyncio.to_thread(make)
            self._editor.regroup(grouping)
        except HierarchyError as error:
            self._tell("bad", _strip_column(error))
            return
        self._settle()
        if self._editor.facts["uncovered"]:
            self._editors.begin()  # of values that were in no group it is not known yet how many people hold them
        values, *groups = (f"{count:,}" for count in self._editor.levels()[:-1])
        done = f"{values} values are in {', then '.join(groups)} groups. Undo takes it back."
        self._tell("care" if grouping.note else "good", f"{done} {sentence(grouping.note)}".strip())

    def _settle(self) -> None:
        """Write the edited tree, and draw it."""
        self._editors.write(self._editor)
        if not self._error_box.is_deleted:
            self._redraw()

    def _tell(self, mood: Mood, words: str) -> None:
        if not self._error_box.is_deleted:  # somebody may have gone elsewhere while a file was read
            with self._error_box:
                notice(mood, words)


def _edit_from_request(told: Mapping[str, Any]) -> Callable[[Editable], Editable]:
    """The edit that a page asks for; it may be of an earlier tree, and then the edit is refused."""

    def ids(value: Any) -> list[int]:
        values = value if isinstance(value, list) else [value]
        return [node for node in values if isinstance(node, int) and not isinstance(node, bool)]

    def edit(tree: Editable) -> Editable:
        nodes = ids(told.get("nodes", told.get("node")))
        label = str(told.get("label", ""))
        match told.get("act"):
            case "rename":
                return tree.rename(nodes[0] if nodes else -1, label)
            case "move":
                return tree.move(nodes, (ids(told.get("under")) or [-1])[0])
            case "group":
                return tree.group(nodes, label)
            case "ungroup":
                return tree.ungroup(nodes)
        return tree

    return edit


def _draw_facts(editor: HierarchyEditor) -> None:
    """What to know of a column before it is edited."""
    facts = editor.facts
    labels = {editor.tree.labels[node] for node in editor.tree.up[:, 0].tolist()}
    if facts["uncovered"] and not labels.issuperset(facts.get("uncovered_values") or [""]):
        notice(
            "care",
            f"{facts['uncovered']:,} value(s) of {facts['uncovered_people']:,} people are not in this hierarchy. Group "
            "all values by a rule, or use a csv file that has them; else no release can be made.",
        )
    if facts["missing"]:
        paragraph(
            f"{facts['missing']:,} people have no value here; they are treated as belonging to every group.",
            "note",
        )


def _draw_tools(editors: HierarchyEditors, editor: HierarchyEditor, attempt: _Attempt) -> None:
    _add_button("Undo", lambda: attempt(editor.undo), enabled=editor.can_undo)
    _add_button("Redo", lambda: attempt(editor.redo), enabled=editor.can_redo)
    _add_button(
        "As proposed", lambda: attempt(lambda: editor.do(lambda _: editor.proposed)), enabled=editor.is_edited
    )
    if editors.is_counting:
        markup("Counting people ...", "span").classes("note").props("role=status")
    elif editor.is_rough:
        _add_button("Count people again", editors.begin)


def _add_button(
    name: str, act: Callable[[], object], *, words: str | None = None, enabled: bool = True
) -> ui.element:
    """A small button; `words` say more to whoever does not see where it stands."""
    button = markup(escape(name), "button").classes("small-button").props("type=button")
    if words is not None:
        button.props["aria-label"] = words  # whatever signs it has are its own
    if not enabled:
        button.props("disabled")
    return button.on("click", act)


def _draw_levels(editor: HierarchyEditor, attempt: _Attempt) -> None:
    """How many nodes stand on each level, and how to add and remove one."""

    def edit(how: Callable[[Editable, int], Editable], level: int) -> Callable[[], None]:
        return lambda: attempt(lambda: editor.do(lambda tree: how(tree, level)))

    counts = editor.levels()
    top = len(counts) - 1
    with details_section(f"Levels: {top - 1 if top > 1 else 'none'} between the values and everything"):
        paragraph(
            "On a new level all stand as they are on the level below, until you group some of them.", "note"
        )
        with ui.element("ul").classes("tree-levels"):
            for level in range(top, -1, -1):
                with ui.element("li"):
                    ui.label(_describe_level(level, counts))
                    if level < top:
                        _add_button(
                            "Add a level above",
                            edit(Editable.with_level, level),
                            words=f"Add a level above level {level}",
                        )
                    if 0 < level < top:
                        _add_button(
                            "Remove", edit(Editable.without_level, level), words=f"Remove level {level}"
                        )


def _describe_level(level: int, counts: list[int]) -> str:
    if level == len(counts) - 1:
        return f"Level {level}: everything"
    return f"Level {level}: {counts[level]:,} {'groups or values' if level else 'values'}"


def _strip_column(error: HierarchyError) -> str:
    """What cannot be done, without the name of the column: it stands above."""
    return sentence(name_buttons(str(error).partition(": ")[2] or str(error)))
