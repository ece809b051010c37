"""What else can be said of one column, for whoever knows what it does."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.web.pages.parts.again import drawn_again
from shoal.web.pages.parts.words import more, paragraph
from shoal.web.pages.project import Project

__all__ = ["column_more"]


def column_more(project: Project) -> None:
    """Draw the keys of a column beside its role; of record trees, the fields whose absence may be known."""
    assert project.configuration is not None
    if "tree" in project.configuration:
        with more("More about fields"):
            _absent(project)
        return
    names = list(project.configuration.get("columns", {}))
    with more("More about one column"):
        shown = [names[0]]
        chosen = ui.select(names, value=names[0], label="Column").props("outlined dense").classes("field")
        chosen.on_value_change(lambda event: shown.__setitem__(0, event.value))
        drawn_again(lambda: _keys(project, shown[0]), lambda: (shown[0], _role(project, shown[0])))


def _keys(project: Project, column: str) -> None:
    role = _role(project, column)
    asked = [ask for ask, roles in _ASKED.items() if role in roles]
    if not asked:
        paragraph("There is nothing more to say of it.", "note")
    for ask in asked:
        ask(project, column)


def _weight(project: Project, column: str) -> None:
    field = ui.number(
        "Weight: how much its loss counts beside the others'",
        value=_said(project, column, "weight") or 1,
        min=0,
    )
    _of_column(field, project, column, "weight", lambda value: None if value in (None, 1) else float(value))


def _level(project: Project, column: str) -> None:
    if "hierarchy" not in _spec(project, column):
        return
    label = "Level of its hierarchy that is published; empty publishes its values"
    field = ui.number(label, value=_said(project, column, "level"), min=0, precision=0)
    _of_column(field, project, column, "level", lambda value: None if value is None else int(value))


def _allow(project: Project, column: str) -> None:
    field = ui.checkbox(
        "Publish it even where shoal would refuse that (allow)", value=bool(_said(project, column, "allow"))
    )
    _of_column(field, project, column, "allow", lambda value: True if value else None)


def _shared(project: Project, column: str) -> None:
    field = ui.checkbox(
        "Different people may have the same value, as with names (shared)",
        value=bool(_said(project, column, "shared")),
    )
    _of_column(field, project, column, "shared", lambda value: True if value else None)


def _secrets(project: Project, column: str) -> None:
    said = _said(project, column, "sensitive") or []
    field = ui.input("Sensitive items, with commas between them", value=", ".join(said))
    _of_column(field, project, column, "sensitive", _items)


def _items(text: Any) -> list[str] | None:
    """The items of a line; None where there is none.

    >>> _items("HIV,  hepatitis B ,"), _items(" ")
    (['HIV', 'hepatitis B'], None)
    """
    return [item for item in map(str.strip, str(text or "").split(",")) if item] or None


_ASKED: Mapping[Callable[[Project, str], None], tuple[str, ...]] = {
    _weight: ("quasi",),
    _secrets: ("items",),
    _level: ("sensitive", "plain"),
    _allow: ("sensitive", "plain"),
    _shared: ("identifier",),
}
"""What is asked of columns, and of which roles."""


def _absent(project: Project) -> None:
    assert project.configuration is not None
    tree = project.configuration["tree"]
    field = ui.select(
        list(tree.get("hierarchies", {})),
        value=list(tree.get("negations", [])),
        multiple=True,
        label="Fields whose absence somebody may know",
    )
    field.props("outlined dense use-chips").classes("field")
    field.on_value_change(lambda event: project.decide("tree", "negations", list(event.value) or None))


def _of_column(field: Any, project: Project, column: str, key: str, read: Callable[[Any], Any]) -> None:
    if not isinstance(field, ui.checkbox):
        field.props("outlined dense debounce=500").classes("field")
    field.on_value_change(lambda event: project.specify(column, key, read(event.value)))


def _spec(project: Project, column: str) -> Mapping[str, Any]:
    assert project.configuration is not None
    said = project.configuration.get("columns", {}).get(column, "drop")
    return {"role": said} if isinstance(said, str) else said


def _role(project: Project, column: str) -> str:
    return str(_spec(project, column)["role"])


def _said(project: Project, column: str, key: str) -> Any:
    return _spec(project, column).get(key)
