"""What a job leaves for the page beside its result: records to look at, figures, words. It runs in the job's process.

The result of a job is what its command prints with `--json`; the page shows more. Each of these is a JSON file in the
job's folder, named in `shoal.web.order`, and is there only where the job is one of a page. None of them holds an
identifier but the sample, which shows the data as they came.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError
from shoal.web.order import FIGURES, PREVIEW, PREVIEWS, SAMPLE, TOLD

if TYPE_CHECKING:
    from shoal.publish.fronts import Front, MixedFront
    from shoal.publish.release import Release
    from shoal.report.facts import Audit
    from shoal.report.sections import Section
    from shoal.web.kinds import Task

__all__ = ["audited", "show_comparison", "show_front", "show_release", "show_risk", "show_sample"]


_CELLS, _USUAL = (
    1800,
    30,
)  # what one record has at all points together: 60 points of 30 columns, fewer of more


def show_sample(task: "Task", data: str | Path) -> None:
    """Leave the first records of the data, before anything else is found out; whoever reads all tells what is wrong."""
    if task.shown is None:
        return
    from shoal.publish.study.propose.look import look

    with suppress(ShoalError):
        task.leave(SAMPLE, look(data).as_dict())


def show_front(task: "Task", front: "Front | MixedFront") -> None:
    """Leave the plot of a front, and for each of its points, or for some, what the data would look like there."""
    if task.shown is None:
        return
    from shoal.publish.fronts import previews
    from shoal.report.sections import front_sections

    columns = max(front.dataset.source.frame.width, _USUAL)
    found = previews(front, most=max(_CELLS // columns, 2), progress=task.progress)
    points = {str(place): one.as_dict() for place, one in found.items()}
    task.leave(PREVIEWS, {"start": front.usual, "points": points})
    mixed = front.dataset.shape == "mixed"
    _leave_figures(task, front_sections(front.as_dict()["front"], mixed=mixed))


def show_risk(task: "Task", facts: Mapping[str, Any]) -> None:
    """Leave the plots of the page on risk."""
    if task.shown is None:
        return
    task.progress("drawing")
    from shoal.report.sections import risk_sections

    _leave_figures(task, risk_sections(facts))


def show_comparison(task: "Task", facts: Mapping[str, Any]) -> None:
    """Leave the plots of the page of a comparison."""
    if task.shown is None:
        return
    task.progress("drawing")
    from shoal.report.sections import compare_sections

    _leave_figures(task, compare_sections(facts))


def audited(task: "Task") -> "Callable[[Audit], None] | None":
    """A listener that leaves the plots and the words of the audit; None where nobody will look."""
    if task.shown is None:
        return None

    def heard(audit: "Audit") -> None:
        from shoal.report.pages import page_words
        from shoal.report.sections import audit_sections

        task.leave(TOLD, page_words(audit))
        _leave_figures(task, audit_sections(audit))

    return heard


def show_release(task: "Task", release: "Release") -> None:
    """Leave some records of a release, before and after."""
    if task.shown is not None:
        task.leave(PREVIEW, release.preview().as_dict())


def _leave_figures(task: "Task", sections: "list[Section]") -> None:
    from shoal.report.sections import figures_of

    task.leave(FIGURES, figures_of(sections))
