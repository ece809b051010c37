"""What somebody may know, in words: that sets the guarantee.

Under "more": who makes the release, with which parameters, and how it is written.
"""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.algorithms import DEFAULTS, Method
from shoal.algorithms.knobs import Knob, knobs, list_common_knobs, list_fitting_methods, pick_fitting_options
from shoal.base.errors import InputError, extra_requirement
from shoal.io.formats import FORMATS, LABELLED, LINKED_FORMAT, TREE_FORMATS
from shoal.io.settings import toml_value
from shoal.privacy.attackers import (
    AUDIENCES,
    NEEDS,
    Attacker,
    Number,
    Protection,
    Word,
    claim_from_configuration,
    find_attacker,
    find_choice,
    has_requirement,
    list_attackers,
    make_guarantee,
)
from shoal.privacy.core import core_claim
from shoal.report.words import SHAPE_WORDS, sentence
from shoal.web.pages import elements
from shoal.web.pages.elements import PACE, details_section, heading, notice, paragraph
from shoal.web.pages.frame import address, navigation
from shoal.web.pages.project import Project

__all__ = ["GuaranteeForm", "_split_methods", "_value_to_text", "find_methods", "keep_method", "show"]


def show(project: Project) -> None:
    """Draw the screen."""
    form = GuaranteeForm(project)

    promise = ui.refreshable(lambda: _draw_promise(form))
    settings = ui.refreshable(lambda: _draw_method_and_release(project))
    numbers = ui.refreshable(lambda: _ask_numbers(form, changed))
    audience = ui.refreshable(lambda: _ask_audience(form, given_to))

    @ui.refreshable
    def trouble() -> None:
        if form.wrong is not None:
            notice("bad", f"{sentence(form.wrong)} What you asked for before still counts.")

    def given_to(who: str) -> None:
        form.say("k", AUDIENCES[who].k)
        numbers.refresh()
        changed()

    def changed() -> None:
        form.settle()
        audience.refresh()
        trouble.refresh()
        promise.refresh()
        settings.refresh()

    def elsewhere() -> None:
        """Another tab has asked for something else: what stands here would be written over it."""
        if form.is_old():
            ui.navigate.reload()

    ui.timer(PACE, elsewhere)

    def other(name: str) -> None:
        form.attacker = name
        numbers.refresh()
        changed()

    choices = {
        attacker.name: (attacker.sentence, attacker.example)
        for attacker in list_attackers(project.shape, form.configuration)
    }
    _show_known_columns(project)
    elements.cards("attacker", "What may somebody know?", choices, form.attacker, other)
    audience()
    trouble()
    numbers()
    with ui.element("section").props('aria-live=polite aria-label="what is promised"'):
        promise()
    with details_section("More: the method, its parameters, the files"):
        settings()
    navigation(project, "attacker")


class GuaranteeForm:
    """What is filled in on the screen: it keeps numbers of choices that are not made now, so that nothing is lost.

    wrong : what the numbers lack to make a claim; then the guarantee before them stays
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        method = self.configuration.get("method", {})
        choice = find_choice(project.shape, self.configuration.get("guarantee", {}), method)
        self.attacker = None if choice is None else choice.attacker
        self.numbers: dict[str, Any] = {} if choice is None else dict(choice.numbers)
        self.protections = set() if choice is None else set(choice.protections)
        self.wrong: str | None = None
        self.settled = dict(self.configuration.get("guarantee", {}))

    @property
    def configuration(self) -> dict[str, Any]:
        """The configuration in the shape of shoal.toml."""
        assert self.project.configuration is not None
        return self.project.configuration

    @property
    def kind(self) -> Attacker | None:
        """The attacker that is chosen; None where the guarantee was written by hand."""
        return None if self.attacker is None else find_attacker(self.project.shape, self.attacker)

    def say(self, key: str, value: Any) -> None:
        """Take note of a number or word; None is none, until another one is given."""
        self.numbers[key] = value

    def settle(self) -> None:
        """Ask for what is filled in, if it makes sense; whatever cannot keep it any more is taken out."""
        assert self.attacker is not None
        new_guarantee = make_guarantee(
            self.project.shape, self.attacker, self.numbers, tuple(self.protections)
        )
        method = {k: v for k, v in self.configuration.get("method", {}).items() if k not in _CLAIMED}
        new_configuration = {**self.configuration, "guarantee": new_guarantee, "method": method}
        try:
            if None in new_guarantee.values():
                raise InputError("a number is missing; fill it in")
            claim_from_configuration(self.project.shape, new_configuration)
            records = int(self.project.proposal["records"])
            if isinstance(new_guarantee.get("k"), int) and new_guarantee["k"] > records:
                raise InputError(f"k: there are only {records:,} records; give a k of at most {records:,}")
        except InputError as error:
            self.wrong = str(error)
            return
        self.wrong = None
        self.configuration["guarantee"] = new_guarantee
        self.settled = dict(new_guarantee)
        keep_method(self.project, method)

    def is_old(self) -> bool:
        """Whether somebody else has asked for something else since."""
        return self.wrong is None and self.configuration.get("guarantee", {}) != self.settled


def _ask_audience(form: GuaranteeForm, given_to: Any) -> None:
    """Ask who gets the release: the k that is advised for them is then filled in."""
    if form.kind is None or all(entry.key != "k" for entry in form.kind.numbers):
        return
    offered = {audience: f"{entry.words}: k = {entry.k}" for audience, entry in AUDIENCES.items()}
    current = next(
        (audience for audience, entry in AUDIENCES.items() if entry.k == form.numbers.get("k")), ""
    )
    own_choice = {} if current else {"": "your own k, below"}
    with ui.element("div").classes("asks"):
        elements.select(
            "Who gets the release?", own_choice | offered, current, lambda who: given_to(who) if who else None
        )


def _show_known_columns(project: Project) -> None:
    """Which columns or fields are meant."""
    columns = project.proposal["columns"]
    others, somebody = (
        [column["name"] for column in columns if column["role"] in roles]
        for roles in (("quasi", "items"), ("known",))
    )
    holders = f"{SHAPE_WORDS[project.shape].holder}s"
    if others:
        few = f" Those of which somebody may know a few: {', '.join(somebody)}." if somebody else ""
        paragraph(
            f"The {holders} that others may know: {', '.join(others)}.{few} Change that under Roles.", "note"
        )


def _ask_numbers(form: GuaranteeForm, changed: Any) -> None:
    kind = form.kind
    if kind is None:
        notice("care", "The guarantee was written by hand. Choose a sentence above to ask for another one.")
        return
    with ui.element("div").classes("asks"):
        for item in kind.numbers:
            _ask_number(form, item, changed)
    if kind.protections:
        heading("What else is promised")
        _note_needs(form, kind.protections[:1])
        _ask_protection(form, kind.protections[0], changed)
        _fold_protections(form, kind.protections[1:], changed)


def _fold_protections(form: GuaranteeForm, rest: tuple[Protection, ...], changed: Any) -> None:
    """Further promises, which papers know and few ask for; they are open where one of them is ticked."""
    if not rest:
        return
    with details_section(
        "More promises: how sensitive values are spread, highest and average risk"
    ) as details:
        _note_needs(form, rest)
        for protection in rest:
            _ask_protection(form, protection, changed)
    if any(protection.name in form.protections for protection in rest):
        details.props("open")


def _note_needs(form: GuaranteeForm, protections: tuple[Protection, ...]) -> None:
    """What the data lack for some promises, which are grey then."""
    for need in dict.fromkeys(
        item.needs for item in protections if not has_requirement(item.needs, form.configuration)
    ):
        paragraph(f"To tick what is grey below, {NEEDS[need]}, under Roles.", "note")


def _ask_protection(form: GuaranteeForm, one: Protection, changed: Any) -> None:
    """A further promise to tick, and its numbers where it is ticked."""
    is_possible = has_requirement(one.needs, form.configuration)
    is_ticked = one.name in form.protections and is_possible

    def ticked(yes: bool) -> None:
        (form.protections.add if yes else form.protections.discard)(one.name)
        inner.set_visibility(yes)
        changed()

    elements.tick_box(one.sentence, is_ticked, ticked, about=one.claim, off=not is_possible)
    with ui.element("div").classes("asks inner") as inner:
        for number in one.numbers:
            _ask_number(form, number, changed)
        if one.more:
            with details_section("More"):
                for part in one.more:
                    _ask_number(form, part, changed)
    inner.set_visibility(is_ticked)


def _ask_number(form: GuaranteeForm, one: Number | Word, changed: Any) -> None:
    value = form.numbers.get(one.key, one.default)

    def heard(found: Any) -> None:
        form.say(one.key, found)
        changed()

    if isinstance(one, Word) and len(one.words) == 1:
        return  # the tick says it
    if isinstance(one, Word):
        words = {key: f"{key}: {meaning}" for key, meaning in one.words.items()}
        elements.select(one.sentence, words, str(value), heard)
    else:
        elements.number(
            one.sentence,
            value,
            heard,
            least=one.least,
            most=one.most,
            whole=one.whole,
            about=f"{one.key} in papers",
        )


def _draw_promise(form: GuaranteeForm) -> None:
    """What is promised now, and what is not."""
    heading("What this promises")
    try:
        claim = claim_from_configuration(form.project.shape, form.configuration)
    except InputError as error:
        notice("bad", sentence(error))
        return
    columns = form.project.proposal["columns"]
    quasi, sensitive = (
        [column["name"] for column in columns if column["role"] == role] for role in ("quasi", "sensitive")
    )
    notice("good", claim.headline(quasi, sensitive))
    if core_claim(claim) is not None:  # the headline does not say who it is that may know few columns
        paragraph(sentence(claim.attacker), "note")
    names = " and ".join(part.named for part in claim.parts)
    with details_section("What it does not cover"):
        notice("care", "It says nothing about:", list(map(sentence, claim.not_covered)))
        paragraph(f"In the words of papers: {names}.", "note below")


_CHOOSES = ""
_CLAIMED = ("insiders", "privacy")
"""What stands in [method] and is asked for with the attacker, or by hand."""


def _draw_method_and_release(project: Project) -> None:
    """Draw the choice of the method, its parameters, and of the files."""
    suited = find_methods(project)

    @ui.refreshable
    def parameters() -> None:
        _draw_parameters(project, suited)

    def named(name: str) -> None:
        keep_method(project, {**project.section("method"), "name": name})
        parameters.refresh()

    heading("Which method makes the release", 3)
    usual_methods, other_methods = _split_methods(suited)
    method_name = project.section("method").get("name", _CHOOSES)
    elements.select("Method", usual_methods, method_name, named, apart=("For researchers", other_methods))
    ui.link("Compare the methods on these data", address(project, "compare"))
    parameters()
    _draw_release_options(project)


def _split_methods(suited: list[Method]) -> tuple[dict[str, str], dict[str, str]]:
    """What is offered first, by name: shoal's own choice and the usual method, as in `shoal methods`; then others."""
    usual = {line.method for line in DEFAULTS if line.usual}
    words = {method.name: f"{method.name}: {method.about}" for method in suited}
    usual_methods = {name: about for name, about in words.items() if name in usual}
    other_methods = {name: about for name, about in words.items() if name not in usual}
    return {_CHOOSES: "shoal chooses (recommended)", **usual_methods}, other_methods


def keep_method(project: Project, method: Mapping[str, Any]) -> None:
    """Go on with a section [method] as far as it fits what is asked for."""
    assert project.configuration is not None
    project.configuration["method"] = pick_fitting_options(find_methods(project), method)
    if not project.configuration["method"]:
        del project.configuration["method"]
    project.changed()


def find_methods(project: Project) -> list[Method]:
    """The methods that keep what is asked for now."""
    methods = list_fitting_methods(project.shape, project.configuration or {})
    disjoint = project.section("release").get("tables")
    return [method for method in methods if method.is_disjoint] if disjoint else methods


def _draw_parameters(project: Project, suited: list[Method]) -> None:
    name = project.section("method").get("name")
    if name is None:
        shared = list_common_knobs(suited)
        paragraph(
            "Name a method to see all of its parameters."
            + (" These are what every method here has." if shared else ""),
            "note below",
        )
    for knob in list_common_knobs(suited) if name is None else knobs(name):
        if knob.name not in _CLAIMED:
            _draw_knob(project, knob)


def _draw_knob(project: Project, knob: Knob) -> None:
    value = project.section("method").get(knob.name, knob.default)
    usual = "" if knob.default is None else f"{toml_value(knob.default)} unless you say otherwise"

    def decide(found: Any) -> None:
        project.decide("method", knob.name, None if found == knob.default else found)

    about = " ".join(filter(None, [knob.about, f"It takes {knob.takes}."]))
    if knob.kinds == ("truth",):
        elements.tick_box(knob.name, bool(value), decide, about=knob.about)
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
        _ask_text_parameter(knob, value, decide, about, usual)


def _value_to_text(value: Any) -> str:
    """A value as people type it."""
    return "" if value is None else value if isinstance(value, str) else toml_value(value)


def _ask_text_parameter(
    knob: Knob, value: Any, decide: Callable[[Any], None], about: str, usual: str
) -> None:
    """A parameter that is written as a configuration has it."""

    def heard(text: str) -> None:
        error_box.clear()
        try:
            decide(knob.read(text) if text.strip() else knob.default)
        except InputError as error:
            with error_box:
                notice("bad", f"{error}.")

    elements.text(knob.name, _value_to_text(value), heard, about=about, placeholder=usual)
    error_box = ui.element("div")


def _draw_release_options(project: Project) -> None:
    """How the release is written."""
    release = project.section("release")
    heading("How it is written", 3)
    nested = SHAPE_WORDS[project.shape].nested
    formats = list(TREE_FORMATS) if nested else list(FORMATS)
    if "person" in project.section("tree"):  # linked tables
        formats.append(LINKED_FORMAT)
    if project.shape != "table":
        formats = [name for name in formats if name not in LABELLED]
    elements.select(
        "Format of the data",
        {name: name for name in formats},
        release.get("format", formats[0]),
        lambda name: project.decide("release", "format", None if name == formats[0] else name),
    )
    elements.tick_box(
        "Keep which released row is which original record",
        release.get("rows") is not False,
        lambda yes: project.decide("release", "rows", None if yes else False),
        about="In the private folder only. Anyone who has it and the originals can undo the release.",
    )
    if project.shape == "table":
        _ask_for_tables(project)
    if not nested:
        _draw_column_options(project)


def _ask_for_tables(project: Project) -> None:
    """Ask whether groups of a column must not overlap; where few known columns are known, they do."""
    if "known_at_once" in project.section("guarantee"):
        return

    def decide(yes: bool) -> None:
        project.decide("release", "tables", True if yes else None)
        keep_method(project, project.section("method"))

    elements.tick_box(
        "Groups of a column must not overlap",
        bool(project.section("release").get("tables")),
        decide,
        about="People can then be counted by them: one cut of each column for all records. It loses more detail.",
    )


def _draw_column_options(project: Project) -> None:
    """Columns with a further meaning."""
    person = project.section("data").get("person", "")
    names = [column["name"] for column in project.proposal["columns"] if column["role"] == "identifier"]
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
        column["name"]
        for column in project.proposal["columns"]
        if column["role"] in ("quasi", "sensitive", "plain")
    ]
    if project.shape == "table":
        elements.select(
            "Will others want to predict a column?",
            {"": "no", **{name: name for name in published}},
            project.section("audit").get("target", ""),
            lambda name: project.decide("audit", "target", name or None),
            about="The audit then shows how well models do that learn from the release; it needs "
            f"{extra_requirement('ml')}.",
        )
