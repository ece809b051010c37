"""Under "more" of the attacker: who makes the release, with which parameters, and how it is written."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.algorithms import DEFAULTS, Method
from shoal.algorithms.knobs import Knob, common_knobs, fitting_methods, fitting_options, knobs
from shoal.errors import InputError, extra_named
from shoal.io.formats import FORMATS, LABELLED, TREE_FORMATS
from shoal.io.settings import toml_value
from shoal.report.words import SHAPE_WORDS
from shoal.web.pages import elements
from shoal.web.pages.elements import heading, notice, paragraph
from shoal.web.pages.project import Project

__all__ = ["as_text", "keep_method", "method_and_release", "methods_of", "offered_methods"]

_CHOOSES = ""
_CLAIMED = ("insiders", "privacy")
"""What stands in [method] and is asked for with the attacker, or by hand."""


def method_and_release(project: Project) -> None:
    """Draw the choice of the method, its parameters, and of the files."""
    suited = methods_of(project)

    @ui.refreshable
    def parameters() -> None:
        _parameters(project, suited)

    def named(name: str) -> None:
        keep_method(project, {**project.section("method"), "name": name})
        parameters.refresh()

    heading("Which method makes the release", 3)
    usual, others = offered_methods(suited)
    chosen = project.section("method").get("name", _CHOOSES)
    elements.select("Method", usual, chosen, named, apart=("For researchers", others))
    parameters()
    _release(project)


def offered_methods(suited: list[Method]) -> tuple[dict[str, str], dict[str, str]]:
    """What is offered first, by name: shoal's own choice and the usual method, as in `shoal methods`; then others."""
    usual = {line.method for line in DEFAULTS if line.usual}
    words = {one.name: f"{one.name}: {one.about}" for one in suited}
    first = {name: about for name, about in words.items() if name in usual}
    others = {name: about for name, about in words.items() if name not in usual}
    return {_CHOOSES: "shoal chooses (recommended)", **first}, others


def keep_method(project: Project, method: Mapping[str, Any]) -> None:
    """Go on with a section [method] as far as it fits what is asked for."""
    assert project.configuration is not None
    project.configuration["method"] = fitting_options(methods_of(project), method)
    if not project.configuration["method"]:
        del project.configuration["method"]
    project.changed()


def methods_of(project: Project) -> list[Method]:
    """The methods that keep what is asked for now."""
    return fitting_methods(project.shape, project.configuration or {})


def _parameters(project: Project, suited: list[Method]) -> None:
    name = project.section("method").get("name")
    if name is None:
        shared = common_knobs(suited)
        paragraph(
            "Name a method to see all of its parameters."
            + (" These are what every method here has." if shared else ""),
            "note below",
        )
    for knob in common_knobs(suited) if name is None else knobs(name):
        if knob.name not in _CLAIMED:
            _knob(project, knob)


def _knob(project: Project, knob: Knob) -> None:
    value = project.section("method").get(knob.name, knob.default)
    usual = "" if knob.default is None else f"{toml_value(knob.default)} unless you say otherwise"

    def decide(found: Any) -> None:
        project.decide("method", knob.name, None if found == knob.default else found)

    about = " ".join(filter(None, [knob.about, f"It takes {knob.takes}."]))
    if knob.kinds == ("truth",):
        elements.tick(knob.name, bool(value), decide, about=knob.about)
    elif knob.kinds == ("word",):
        words = {word: word for word in knob.words}
        offered = words if knob.default is not None else {"": "the method chooses", **words}
        elements.select(
            knob.name, offered, value or "", lambda said_: decide(said_ or None), about=knob.about
        )
    elif knob.kinds in (("number",), ("whole",)):
        elements.number(
            knob.name,
            value,
            decide,
            least=knob.least,
            most=knob.most,
            whole=knob.kinds == ("whole",),
            about=about,
            placeholder=usual or "the method chooses",
        )
    else:
        _written(knob, value, decide, about, usual)


def as_text(value: Any) -> str:
    """A value as people type it."""
    return "" if value is None else value if isinstance(value, str) else toml_value(value)


def _written(knob: Knob, value: Any, decide: Callable[[Any], None], about: str, usual: str) -> None:
    """A parameter that is written as a configuration has it."""

    def heard(text: str) -> None:
        wrong.clear()
        try:
            decide(knob.read(text) if text.strip() else knob.default)
        except InputError as error:
            with wrong:
                notice("bad", f"{error}.")

    elements.text(knob.name, as_text(value), heard, about=about, placeholder=usual)
    wrong = ui.element("div")


def _release(project: Project) -> None:
    """How the release is written."""
    assert project.configuration is not None
    release = project.configuration.get("release", {})
    heading("How it is written", 3)
    nested = SHAPE_WORDS[project.shape].nested
    formats = list(TREE_FORMATS) if nested else list(FORMATS)
    if project.shape != "table":
        formats = [name for name in formats if name not in LABELLED]
    elements.select(
        "Format of the data",
        {name: name for name in formats},
        release.get("format", formats[0]),
        lambda name: project.decide("release", "format", None if name == formats[0] else name),
    )
    elements.tick(
        "Keep which released row is which original record",
        release.get("rows") is not False,
        lambda yes: project.decide("release", "rows", None if yes else False),
        about="In the private folder only. Whoever has it and the originals can undo the release.",
    )
    if not nested:
        _columns(project)


def _columns(project: Project) -> None:
    """Columns with a further meaning."""
    assert project.configuration is not None
    person = project.configuration.get("data", {}).get("person", "")
    names = [one["name"] for one in project.proposal["columns"] if one["role"] == "identifier"]
    if names or person:
        elements.select(
            "Whom does a row belong to?",
            {
                "": "every row belongs to a different person",
                **{name: name for name in (*names, person) if name},
            },
            person,
            lambda name: project.decide("data", "person", name or None),
            about="A column that names the person: people are then counted, not rows.",
        )
    published = [
        one["name"] for one in project.proposal["columns"] if one["role"] in ("quasi", "sensitive", "plain")
    ]
    if project.shape == "table":
        elements.select(
            "Will others want to predict a column?",
            {"": "no", **{name: name for name in published}},
            project.configuration.get("audit", {}).get("target", ""),
            lambda name: project.decide("audit", "target", name or None),
            about=f"The audit then shows how well models do that learn from the release; it needs {extra_named('ml')}.",
        )
