"""What somebody may know, in words: that sets the guarantee. Methods and their parameters are under "more"."""

from typing import Any

from nicegui import ui

from shoal.errors import InputError
from shoal.privacy.attackers import (
    ATTACKERS,
    AUDIENCES,
    NEEDS,
    Attacker,
    AttackerChoice,
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
from shoal.web.pages.steps.method import keep_method, method_and_release

__all__ = ["GuaranteeForm", "show"]


def show(project: Project) -> None:
    """Draw the screen."""
    form = GuaranteeForm(project)

    @ui.refreshable
    def promise() -> None:
        _promise(form)

    @ui.refreshable
    def settings() -> None:
        method_and_release(project)

    @ui.refreshable
    def numbers() -> None:
        _numbers(form, changed)

    @ui.refreshable
    def trouble() -> None:
        if form.wrong is not None:
            notice("bad", f"{sentence(form.wrong)} What you asked for before still counts.")

    @ui.refreshable
    def audience() -> None:
        _audience(form, given_to)

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
        assert project.configuration is not None
        self.project = project
        found = self._found()
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
        method = {
            k: v for k, v in self.configuration.get("method", {}).items() if k not in ("insiders", "privacy")
        }
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

    def _found(self) -> AttackerChoice | None:
        method = self.configuration.get("method", {})
        return choice_of(self.project.shape, self.configuration.get("guarantee", {}), method)


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
