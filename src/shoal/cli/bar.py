"""The progress bar: one line of at most 80 columns, taken away before anything is printed."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

__all__ = ["ProgressBar"]

_WIDTH = 80


class ProgressBar:
    """What is being done, how long the whole has taken, and where it can be known the share done and the time left."""

    def __init__(self, console: Console) -> None:
        console.width = min(console.width, _WIDTH)
        words = Column(ratio=1, no_wrap=True, overflow="ellipsis")
        self._bar = Progress(
            TextColumn("{task.description}", table_column=words),
            BarColumn(bar_width=14),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            _Since(),
            console=console,
            transient=True,
            expand=True,
        )
        self._task = self._bar.add_task("reading", total=None)
        self._what = "reading"

    def __call__(self, what: str, share: float | None = None) -> None:
        """Show one step; what is left of it is judged by its own pace, not by the last one's."""
        total = None if share is None else 1.0
        if what != self._what:
            self._what = what
            self._bar.reset(self._task, total=total, description=what)
        self._bar.update(self._task, total=total, completed=share or 0.0)
        self._bar.start()

    def rest(self) -> None:
        """Take the line away until there is something to show again."""
        self._bar.stop()


class _Since(ProgressColumn):
    """The time since the first step: a new step does not set it back."""

    _begun: float | None = None

    def render(self, task: Task) -> Text:
        if self._begun is None:
            self._begun = task.get_time()
        whole = int(task.get_time() - self._begun)
        return Text(f"{whole // 60}:{whole % 60:02}", style="progress.elapsed")
