"""What a running server has: its secrets, its private folder, the files sent to it, its jobs."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from shoal.stopping import undone
from shoal.web.jobs import Jobs
from shoal.web.keys import Keys
from shoal.web.order import Allowed
from shoal.web.room import Room, opened
from shoal.web.uploads import LIMIT, WHOLE, Uploads
from shoal.web.warming import warming

__all__ = ["Server", "started"]


@dataclass(frozen=True)
class Server:
    """One for a process; pages and the REST interface look at the same."""

    room: Room
    keys: Keys
    uploads: Uploads
    jobs: Jobs
    allowed: Allowed = field(default_factory=Allowed)


@contextmanager
def started(
    *,
    limit: int = LIMIT,
    whole: int = WHOLE,
    allowed: Allowed | None = None,
    where: Path | None = None,
    command: tuple[str, ...] | None = None,
    warm: bool = False,
) -> Iterator[Server]:
    """A server's things for as long as the block runs; then processes are ended and the folder is removed.

    Parameters
    ----------
    limit
        How many bytes one file may have.
    whole
        How many bytes all files together may have.
    allowed
        What jobs may read beside what is sent.
    where
        The directory for the private folder; by default the system's temporary one.
    command
        What is started for a job instead of shoal's own worker.
    warm
        Whether a process of low priority compiles meanwhile what jobs will need.
    """
    keys = Keys.from_environment()
    with opened(where) as room:
        jobs = Jobs(room.part("jobs"), command=command)
        with undone(jobs.kill), warming(room.part("warming")) if warm else nullcontext():
            try:
                uploads = Uploads(room.part("uploads"), limit, whole)
                yield Server(room, keys, uploads, jobs, allowed or Allowed())
            finally:
                jobs.kill()
