"""One job as the server sees it: what it is at, how it ended, and who waits for news of it."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from shoal.web.order import RESULT
from shoal.web.pace import Pace
from shoal.web.parcels import PARCELS

__all__ = ["Job", "State"]

State = Literal["waiting", "running", "done", "failed", "cancelled"]

_MOST_NOTES = 100
_PATIENCE = 15.0  # seconds between two signs of life


@dataclass(eq=False)
class Job:
    """A job; it lives in the server, so that a page that is loaded again finds it.

    what, share : what it is at, and which share of that is done (None: unknown)
    notes       : what the owner of the data should know
    sentence    : what went wrong
    exit        : the exit code that the command line would have
    """

    id: str
    kind: str
    folder: Path
    state: State = "waiting"
    what: str = ""
    share: float | None = None
    notes: list[str] = field(default_factory=list)
    sentence: str | None = None
    exit: int | None = None
    told_to_stop: bool = False
    process: asyncio.subprocess.Process | None = None
    task: "asyncio.Task[None] | None" = None
    _begun: float | None = None
    _pace: Pace = field(default_factory=Pace)
    _ended: float | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        """Whether it has come to its end, well or not."""
        return self.state in ("done", "failed", "cancelled")

    def begin(self) -> None:
        """It runs now."""
        self.state, self._begun = "running", time.monotonic()
        self._tell()

    def hear(self, said: Any) -> None:
        """Take note of one line of the worker."""
        if not isinstance(said, dict):
            return
        if "what" in said:
            share = said.get("share")
            self.what = str(said["what"])
            self.share = None if share is None else min(1.0, max(0.0, float(share)))
            self._pace.hear(self.what, self.share)
        if "note" in said and len(self.notes) < _MOST_NOTES:
            self.notes.append(str(said["note"]))
        self.sentence = said.get("sentence", self.sentence)
        self.exit = said.get("exit", self.exit)
        self._tell()

    def end(self, state: State, sentence: str | None = None, exit_code: int | None = None) -> None:
        """It is over; the first end counts."""
        if self.over:
            return
        self.state, self.sentence, self.exit = state, sentence, exit_code
        self.share, self._ended = None, time.monotonic()
        self._tell()

    def parcels(self) -> list[str]:
        """What can be fetched of it."""
        if self.state != "done":
            return []
        names = {"result": RESULT, **PARCELS}
        return [name for name, file in names.items() if (self.folder / file).is_file()]

    def as_dict(self) -> dict[str, Any]:
        """All that may be told of it."""
        error = None if self.state != "failed" else {"sentence": self.sentence or "", "exit": self.exit or 70}
        return {
            "id": self.id,
            "kind": self.kind,
            "state": self.state,
            "what": self.what,
            "share": self.share,
            "seconds": self._seconds(),
            "left": self._left(),
            "notes": list(self.notes),
            "exit": self.exit if self.over else None,
            "error": error,
            "parcels": self.parcels(),
        }

    async def changes(self) -> AsyncIterator[dict[str, Any] | None]:
        """Its facts now and after every change until it is over; None where nothing has changed for a while."""
        while True:
            news = self._news
            yield self.as_dict()
            if self.over:
                return
            while not news.is_set():
                try:
                    await asyncio.wait_for(news.wait(), _PATIENCE)
                except TimeoutError:
                    yield None

    def _tell(self) -> None:
        """Wake whoever waits for news."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    def _seconds(self) -> float:
        """How long it has run."""
        if self._begun is None:
            return 0.0
        return (self._ended or time.monotonic()) - self._begun

    def _left(self) -> float | None:
        """How long the present step will still take, by its own pace; None where that cannot be told."""
        return None if self.over else self._pace.left()
