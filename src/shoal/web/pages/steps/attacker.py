"""What somebody may know, in words: that sets the guarantee.

Under "more": who makes the release, with which parameters, and how it is written.
"""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.algorithms import DEFAULTS, Method
from shoal.algorithms.knobs import Knob, common_knobs, fitting_methods, fitting_options, knobs
from shoal.base.errors import InputError, extra_named
from shoal.io.formats import FORMATS, LABELLED, TREE_FORMATS
from shoal.io.settings import toml_value
from shoal.privacy.attackers import (
    ATTACKERS,
    AUDIENCES,
    NEEDS,
    Attacker,
    Number,
    Protection,
    Word,
    attacker_named,
    choice_of,
    claim_in_words,
    guarantee,
    has,
)
from shoal.report.words import SHAPE_WORDS, sentence
from shoal.web.pages import elements
from shoal.web.pages.elements import PACE, expandable, heading, notice, paragraph
from shoal.web.pages.frame import navigation
from shoal.web.pages.project import Project

__all__ = ["GuaranteeForm", "as_text", "keep_method", "methods_of", "offered_methods", "show"]


def show(project: Project) -> None:
    """Draw the screen."""
    form = GuaranteeForm(project)

    promise = ui.refreshable(lambda: _promise(form))
    settings = ui.refreshable(lambda: _method_and_release(project))
    numbers = ui.refreshable(lambda: _numbers(form, changed))
    audience = ui.refreshable(lambda: _audience(form, given_to))

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

    offered = {one.name: (one.sentence, one.example) for one in ATTACKERS[project.shape]}
    _known_columns(project)
    elements.cards("attacker", "What may somebody know?", offered, form.attacker, other)
    audience()
    trouble()
    numbers()
    with ui.element("section").props('aria-live=polite aria-label="what is promised"'):
        promise()
    with expandable("More: the method, its parameters, the files"):
        settings()
    navigation(project, "attacker")


class GuaranteeForm:
    """What is filled in on the screen: it keeps numbers of choices that are not made now, so that nothing is lost.

    wrong : what the numbers lack to make a claim; then the guarantee before them stays
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        method = self.configuration.get("method", {})
        found = choice_of(project.shape, self.configuration.get("guarantee", {}), method)
        self.attacker = None if found is None else found.attacker
        self.numbers: dict[str, Any] = {} if found is None else dict(found.numbers)
        self.protections = set() if found is None else set(found.protections)
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
        return None if self.attacker is None else attacker_named(self.project.shape, self.attacker)

    def say(self, key: str, value: Any) -> None:
        """Take note of a number or word; None is none, until another one is given."""
        self.numbers[key] = value

    def settle(self) -> None:
        """Ask for what is filled in, if it makes sense; whatever cannot keep it any more is taken out."""
        assert self.attacker is not None
        asked = guarantee(self.project.shape, self.attacker, self.numbers, tuple(self.protections))
        method = {k: v for k, v in self.configuration.get("method", {}).items() if k not in _CLAIMED}
        tried = {**self.configuration, "guarantee": asked, "method": method}
        try:
            if None in asked.values():
                raise InputError("a number is missing; fill it in")
            claim_in_words(self.project.shape, tried)
            records = int(self.project.proposal["records"])
            if isinstance(asked.get("k"), int) and asked["k"] > records:
                raise InputError(f"k: there are only {records:,} records; give a k of at most {records:,}")
        except InputError as error:
            self.wrong = str(error)
            return
        self.wrong = None
        self.configuration["guarantee"] = asked
        self.settled = dict(asked)
        keep_method(self.project, method)

    def is_old(self) -> bool:
        """Whether somebody else has asked for something else since."""
        return self.wrong is None and self.configuration.get("guarantee", {}) != self.settled


def _audience(form: GuaranteeForm, given_to: Any) -> None:
    """Ask who gets the release: the k that is advised for them is then filled in."""
    if form.kind is None or all(one.key != "k" for one in form.kind.numbers):
        return
    offered = {who: f"{one.words}: k = {one.k}" for who, one in AUDIENCES.items()}
    there = next((who for who, one in AUDIENCES.items() if one.k == form.numbers.get("k")), "")
    own = {} if there else {"": "your own k, below"}
    with ui.element("div").classes("asks"):
        elements.select(
            "Who gets the release?", own | offered, there, lambda who: given_to(who) if who else None
        )


def _known_columns(project: Project) -> None:
    """Which columns or fields are meant."""
    columns = [one["name"] for one in project.proposal["columns"] if one["role"] in ("quasi", "items")]
    what = f"{SHAPE_WORDS[project.shape].holder}s"
    if columns:
        paragraph(f"The {what} that others may know: {', '.join(columns)}. Change that under Roles.", "note")


def _numbers(form: GuaranteeForm, changed: Any) -> None:
    kind = form.kind
    if kind is None:
        notice("care", "The guarantee was written by hand. Choose a sentence above to ask for another one.")
        return
    with ui.element("div").classes("asks"):
        for one in kind.numbers:
            _ask(form, one, changed)
    if kind.protections:
        heading("What else is promised")
        for need in dict.fromkeys(
            one.needs for one in kind.protections if not has(one.needs, form.configuration)
        ):
            paragraph(f"To tick what is grey below, {NEEDS[need]}, under Roles.", "note")
        for protection in kind.protections:
            _protection(form, protection, changed)


def _protection(form: GuaranteeForm, one: Protection, changed: Any) -> None:
    """A further promise to tick, and its numbers where it is ticked."""
    there = has(one.needs, form.configuration)
    taken = one.name in form.protections and there

    def ticked(yes: bool) -> None:
        (form.protections.add if yes else form.protections.discard)(one.name)
        inner.set_visibility(yes)
        changed()

    elements.tick(one.sentence, taken, ticked, about=one.claim, off=not there)
    with ui.element("div").classes("asks inner") as inner:
        for number in one.numbers:
            _ask(form, number, changed)
        if one.more:
            with expandable("More"):
                for part in one.more:
                    _ask(form, part, changed)
    inner.set_visibility(taken)


def _ask(form: GuaranteeForm, one: Number | Word, changed: Any) -> None:
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


def _promise(form: GuaranteeForm) -> None:
    """What is promised now, and what is not."""
    heading("What this promises")
    try:
        claim = claim_in_words(form.project.shape, form.configuration)
    except InputError as error:
        notice("bad", sentence(error))
        return
    columns = form.project.proposal["columns"]
    quasi, sensitive = (
        [one["name"] for one in columns if one["role"] == role] for role in ("quasi", "sensitive")
    )
    notice("good", claim.headline(quasi, sensitive))
    heading("What it does not cover")
    notice("care", "It says nothing about:", list(map(sentence, claim.not_covered)))
    names = " and ".join(part.named for part in claim.parts)
    paragraph(f"In the words of papers: {names}.", "note below")


_CHOOSES = ""
_CLAIMED = ("insiders", "privacy")
"""What stands in [method] and is asked for with the attacker, or by hand."""


def _method_and_release(project: Project) -> None:
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
    release = project.section("release")
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
    person = project.section("data").get("person", "")
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
            project.section("audit").get("target", ""),
            lambda name: project.decide("audit", "target", name or None),
            about=f"The audit then shows how well models do that learn from the release; it needs {extra_named('ml')}.",
        )
