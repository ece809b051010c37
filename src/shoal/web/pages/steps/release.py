"""The release: make it, and what was made.

One screen says in words what will be done, how far it is, and cancels it. The other shows the verdict, what it does not
cover, what it cost, records before and after, and what can be taken away.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from nicegui import app, ui

from shoal.base.errors import InfeasibleError, InputError
from shoal.io.formats import ABOUT
from shoal.io.settings import format_toml
from shoal.privacy.attackers import claim_from_configuration
from shoal.report.attack import CRITERIA_ABOUT, CRITERIA_TITLE
from shoal.report.words import ROLE_WORDS, undecided_name
from shoal.web.pages import elements
from shoal.web.pages.elements import (
    VALUE,
    Mood,
    details_section,
    draw_figure,
    draw_table,
    empty_state,
    heading,
    lazy_section,
    link_button,
    losses_html,
    markup,
    notice,
    options_html,
    pairs_html,
    paragraph,
    redraw_on_change,
    tiles,
)
from shoal.web.pages.frame import TOP, address, navigation, watch_job
from shoal.web.pages.grouping import name_buttons
from shoal.web.pages.project import Project
from shoal.web.pages.steps.what_if import draw_what_if
from shoal.web.server.job_folder import ARCHIVES, FIGURES, PREVIEW, RELEASE, REPORT, WORK, JobSpec
from shoal.web.server.jobs import Job

__all__ = ["show_result", "show_run"]


def show_run(project: Project) -> None:
    """Draw the screen."""

    def nothing() -> None:
        words = "Making the release takes from seconds to minutes."
        if not project.undecided:
            words = f"All is decided. {words}"
        elif not project.may_publish:
            words = "Decide first, or tick the box above."
        empty_state(words, "Make the release", project.publish, off=not project.may_publish)

    def done() -> None:
        report = project.result("run", REPORT)
        notice("good", "The release is made, and its judge says yes.", [report["headline"]])
        _draw_full_knowledge(report)
        with ui.element("div").classes("row q-mt-md"):
            link_button("See the result", address(project, "result"))
            again = ui.button("Make it again", on_click=project.publish).props("outline")
            again.set_enabled(project.may_publish)

    redraw_on_change(lambda: _draw_summary(project), lambda: project.changes)
    redraw_on_change(lambda: _ask_open_decisions(project), lambda: list(project.undecided))
    _ask_certificate(project)
    _watch_release(project, again="Make the release", done=done, nothing=nothing)
    navigation(project, "run", ready=False)


def _watch_release(
    project: Project, *, again: str, done: Callable[[], None], nothing: Callable[[], object]
) -> None:
    """Show the job that makes the release; no button begins it before all is decided or let go as proposed."""
    watch_job(
        project,
        "run",
        begin=project.publish,
        again=again,
        done=done,
        nothing=nothing,
        may_begin=lambda: project.may_publish,
        failed=partial(_offer_empty_release, project),
    )


def _offer_empty_release(project: Project, job: Job) -> None:
    """Let somebody publish a release that tells nothing all the same."""
    if job.exit == InfeasibleError.exit_code and "--allow-empty" in (job.sentence or ""):
        ui.button("Publish it all the same", on_click=lambda: project.publish(allow_empty=True)).props("flat")


def _ask_open_decisions(project: Project) -> None:
    """Ask whether what nobody has decided about is to go out as it was proposed."""
    undecided = project.undecided
    if not undecided:
        return
    roles = {column["name"]: ROLE_WORDS[column["role"]].short for column in project.proposal["columns"]}

    def accept(yes: bool) -> None:
        project.accepted = dict(undecided) if yes else {}
        project.changed()

    with ui.element("div").classes("said care").props("role=note"):
        count_words = "1 decision is" if len(undecided) == 1 else f"{len(undecided)} decisions are"
        paragraph(f"{count_words} open. Decide under Roles, or let these go out as shoal proposed:")
        role_words = {name: f" ({roles[name]})" if name in roles else "" for name in undecided}
        lines = "".join(
            f"<li><b>{escape(undecided_name(name))}</b>{role_words[name]}: {escape(name_buttons(reason))}</li>"
            for name, reason in undecided.items()
        )
        markup(f"<ul>{lines}</ul>")
        link_button("Decide under Roles", address(project, "roles"), "flat dense no-caps")
        elements.tick_box(
            "Publish these as proposed",
            project.may_publish,
            accept,
            about="Manifest and report will say that nobody decided about them.",
        )


def _draw_summary(project: Project) -> None:
    """What was decided, in words, and as the configuration says it."""
    configuration = project.configuration
    assert configuration is not None
    lines = [f"{name}: {words}" for name, words in _summary_lines(project, configuration)]
    markup(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>")
    title = "What is set so far" if project.undecided else "All that is decided"
    with details_section(f"{title}, as shoal.toml says it"):
        markup(f"<pre tabindex=0>{escape(format_toml(configuration))}</pre>")


def _summary_lines(project: Project, configuration: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Data", f"{project.source.name}, {project.proposal['records']:,} records"
    counts = Counter(str(column["role"]) for column in project.proposal["columns"])
    roles = [f"{counts[role]} {words.several}" for role, words in ROLE_WORDS.items() if counts[role]]
    yield "Columns", ", ".join(roles)
    try:
        yield "Promise", claim_from_configuration(project.shape, configuration).attacker
    except InputError as error:
        yield "Promise", str(error)
    allowed = [
        name
        for name, column in configuration.get("columns", {}).items()
        if isinstance(column, dict) and column.get("allow")
    ]
    if allowed:
        yield "Published though shoal would refuse it, because you allow it", ", ".join(allowed)
    if project.undecided:
        yield "Not decided", ", ".join(map(undecided_name, project.undecided))
    yield "Made", f"by {configuration.get('method', {}).get('name', 'the method that shoal chooses')}"


_MOODS: Mapping[str, Mood] = {"holds": "good", "broken": "bad"}
_COLUMN, _LOSSES = "column-", "loss-figure"
"""What the ids of plots of single columns begin with, and the id of that of losses, which stand above as bars."""
_FEW = 6  # records that are shown at first


def show_result(project: Project) -> None:
    """Draw the screen."""
    nothing = partial(empty_state, "No release was made yet.", "Make the release", address(project, "run"))

    def done() -> None:
        job = project.job("run")
        assert job is not None
        report, preview = project.result("run", REPORT), project.result("run", PREVIEW)
        _draw_verdict(report)
        tiles([(name, figure, words) for name, figure, words in report["tiles"]])
        with ui.element("div").classes("columns"):
            with ui.element("section"):
                heading("What it cost")
                markup(losses_html(preview))
            with ui.element("section"):
                _draw_downloads(project, job)
        heading("Before and after")
        paragraph(
            "The same records as they came and as they go out. Nobody else can see which released record is whose.",
            "note",
        )
        markup(pairs_html(preview, _FEW))
        _fold_details(report, preview, project.result("run", FIGURES))

    if project.job("run") is not None:
        redraw_on_change(
            lambda: _ask_open_decisions(project) if project.is_stale("run") else None,
            lambda: (list(project.undecided), project.is_stale("run")),
        )
    _watch_release(project, again="Make the release again", done=done, nothing=nothing)
    if project.job("run") is not None:
        _ask_certificate(project)
        draw_what_if(project)
    navigation(project, "result", ready=False)


def _ask_certificate(project: Project) -> None:
    """Ask for what its owner tells of the release; it stands apart, so that nothing draws it anew while it is typed."""

    def heard(key: str, text: str) -> None:
        project.decide("release", key, text.strip() or None)

    with details_section("What the certificate says of the release"):
        paragraph(
            "Nothing of it is needed. This text appears unchanged in the manifest and the report.",
            "note",
        )
        with ui.element("div").classes("asks beside"):
            for key, sentence in ABOUT.items():
                elements.text(sentence, project.section("release").get(key, ""), partial(heard, key))


def _fold_details(report: Mapping[str, Any], preview: Mapping[str, Any], figures: Mapping[str, Any]) -> None:
    """What can be read below one screen: each part opens with a click, and plots are drawn then."""
    judges = " and ".join(report["judges"])
    with details_section("What this does not promise"):
        paragraph("The claim covers the attacker above and no other. It says nothing about:")
        markup(f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in report['limits'])}</ul>")
    with details_section("What was checked"):
        paragraph(
            f"The written files were read again and checked for {judges}, by code that has nothing in common with what "
            "made them.",
            "note",
        )
        paragraph(report["verdict"]["sentence"])
    if report["tables"].keys() & {"beyond", "criteria"}:
        lazy_section("If somebody knows more", partial(_draw_limits, report))
    if len(preview["rows"]) > _FEW:
        lazy_section(f"{len(preview['rows'])} records before and after", lambda: markup(pairs_html(preview)))
    shown = {name: figure for name, figure in figures.items() if name != _LOSSES}
    if shown:
        lazy_section("Plots: risk, attackers, columns before and after", partial(_draw_figures, shown))

    def draw_numbers() -> None:
        for name in ("losses", "made", "rules", "risk", "trace"):
            draw_table(report["tables"].get(name))

    lazy_section("All losses, the risk and how it was made, in numbers", draw_numbers)


def _draw_verdict(told: Mapping[str, Any]) -> None:
    verdict = told["verdict"]
    holds = verdict["state"] == "holds"
    notice(
        _MOODS.get(verdict["state"], "care"),
        f"{verdict['word']}. {told['headline'] if holds else verdict['sentence']}",
        ["Confirmed by an independent check that read the finished files."] if holds else [],
    )
    _draw_full_knowledge(told)
    if told["attacker"]:
        paragraph(told["attacker"], "below")
    if told["notes"]:
        notice("care", "Worth knowing:", list(map(name_buttons, told["notes"])))


def _draw_full_knowledge(told: Mapping[str, Any]) -> None:
    """How many are found by whoever knows all of a person, where the promise assumes less."""
    if told.get("full_knowledge"):
        notice("care", told["full_knowledge"])


_ACCEPTED = {"as_proposed": "--as-proposed", "allow_empty": "--allow-empty"}
"""What somebody may accept with a click, and how a terminal says it."""


def _draw_downloads(project: Project, job: Job) -> None:
    """What may be handed on, and what must not."""
    heading("Download")
    options = JobSpec.read(job.folder).options
    command = " ".join(["shoal run", *(words for name, words in _ACCEPTED.items() if options.get(name))])

    def link(name: str, words: str, about: str, main: bool = False) -> str:
        kind = ' class="main"' if main else ""
        return f'<li><a{kind} href="#" data-take="{name}">{words}</a><span>{about}</span></li>'

    def take(event: Any) -> None:
        name = str(event.args)
        if name == "report":
            _send_file(project, job.folder / WORK / RELEASE / "report.html", "report.html")
        elif name in ARCHIVES:
            _send_file(project, job.folder / ARCHIVES[name], ARCHIVES[name])

    markup(
        '<ul class="take">'
        + link("release", "The release (zip)", "Data, manifest and report: this may be published.", True)
        + link(
            "report",
            "The certificate (html)",
            "What is promised, judged and lost, in one file that needs no network. It is in the release too.",
        )
        + link(
            "configuration",
            "The configuration (zip)",
            f"shoal.toml and the hierarchies: <code>{command}</code> makes this release again from the same data.",
        )
        + link(
            "private",
            "The audit (zip)",
            "<b>Private: do not publish.</b> It shows numbers about the originals, and the rule that was applied.",
        )
        + "</ul>"
    ).on(
        "click",
        take,
        js_handler="(event) => { const name = event.target.dataset.take; "
        "if (name) { event.preventDefault(); emit(name); } }",
    )


def _send_file(project: Project, path: Path, name: str) -> None:
    """Let the browser fetch a file, once and by a ticket, under a name that tells of which data it is."""
    route = app.add_static_file(local_file=path, single_use=True)
    plain_route = unquote(route)
    ui.context.client.on_delete(lambda: app.remove_route(plain_route))  # in case it is never fetched
    ticket = project.server.keys.ticket(plain_route)
    stem = project.source.name.partition(".")[0] or "shoal"
    ui.download.from_url(f"{TOP}{route.removeprefix('/')}?ticket={ticket}", f"{stem}-{name}")


def _draw_limits(told: Mapping[str, Any]) -> None:
    if "beyond" in told["tables"]:
        heading("If somebody knows more")
        paragraph("The claim covers its attacker and no other. This is how sharply its protection ends.")
        draw_table(told["tables"]["beyond"])
    if "criteria" in told["tables"]:
        heading(CRITERIA_TITLE)
        paragraph(CRITERIA_ABOUT)
        draw_table(told["tables"]["criteria"])


def _draw_figures(figures: Mapping[str, Any]) -> None:
    """Every plot under its heading; those of single columns one at a time."""
    columns = {name: figure for name, figure in figures.items() if name.startswith(_COLUMN)}
    last_section = ""
    for name, figure in figures.items():
        if name in columns:
            continue
        if figure["section"] != last_section:
            last_section = figure["section"]
            heading(last_section)
            paragraph(figure["sentence"])
        draw_figure(figure)
    if columns:
        _draw_figure_choice(columns)


def _draw_figure_choice(columns: Mapping[str, Any]) -> None:
    first_name = next(iter(columns))
    heading(columns[first_name]["section"])
    paragraph(columns[first_name]["sentence"])
    options = options_html([(name, figure["title"]) for name, figure in columns.items()], first_name)
    selector = markup(
        f'<label class="choice">Show <select class="role" aria-label="Which to show">{options}</select></label>'
    )
    below = ui.element("div").props("aria-live=polite")

    def draw(name: str) -> None:
        if name in columns:
            below.clear()
            with below:
                draw_figure(columns[name])

    selector.on("change", lambda event: draw(str(event.args)), js_handler=VALUE)
    draw(first_name)
