"""How a long computation tells its progress, without knowing who listens.

A step is named by words that stay the same until it ends, and its share never falls: so whoever listens can tell how
long it will still take. Where a share cannot be told honestly, it is None.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Protocol

__all__ = [
    "Progress",
    "StepTimer",
    "Tell",
    "no_progress",
    "no_share",
    "poll_kernel",
    "round_shares",
    "scale_share",
    "start_step",
    "with_prefix",
]

_LEAST = 0.005  # of a step: less is not worth a word
_BEAT = 0.1  # seconds between two looks at what a kernel has done

Tell = Callable[[float], None]
"""A function that is told which share of a step is done."""


class Progress(Protocol):
    """A function that is told what is being done, and which share of it is done (None: unknown)."""

    def __call__(self, what: str, share: float | None = None) -> None:
        """Take note of one step."""


def no_progress(what: str, share: float | None = None) -> None:
    """Ignore all progress: the default listener."""


def with_prefix(progress: Progress, why: str) -> Progress:
    """Return a listener for work that is done beside the main work: its steps have words of their own.

    >>> with_prefix(lambda what, share: print(what, share), "for the audit")("searching", 0.5)
    for the audit: searching 0.5
    """
    if progress is no_progress:
        return no_progress
    return lambda what, share=None: progress(f"{why}: {what}", share)


def no_share(share: float) -> None:
    """Ignore a share: there is no listener."""


def start_step(progress: Progress, what: str) -> Tell:
    """Begin a step, and return what its shares are told to; it may be called as often as one likes.

    A share that is no larger than one before, or hardly so, is passed over.

    >>> tell = start_step(lambda what, share: print(what, share), "halving")
    halving 0.0
    >>> for share in (0.1, 0.1001, 0.05, 0.5, 7):
    ...     tell(share)
    halving 0.1
    halving 0.5
    halving 1.0
    """
    if progress is no_progress:
        return no_share
    progress(what, 0.0)
    most = 0.0

    def tell(share: float) -> None:
        nonlocal most
        if share >= most + _LEAST:
            most = min(share, 1.0)
            progress(what, most)

    return tell


def scale_share(tell: Tell, low: float, high: float) -> Tell:
    """What the shares of a part are told to, which is the share of the whole from `low` to `high`."""
    if tell is no_share:
        return no_share
    return lambda share: tell(low + (high - low) * min(max(share, 0.0), 1.0))


def round_shares(tell: Tell, each: float = 0.5) -> Iterator[Tell]:
    """For each of some rounds, nobody knows how many: each is told as the share `each` of what is left.

    >>> from itertools import islice
    >>> one, two = islice(round_shares(print), 2)
    >>> one(1.0)
    0.5
    >>> two(0.5)
    0.625
    """
    low = 0.0
    while True:
        high = low + (1.0 - low) * each
        yield scale_share(tell, low, high)
        low = high


class StepTimer:
    """A listener that passes on what it hears, and keeps how long each step took.

    >>> timed = StepTimer(no_progress)
    >>> for what in ("reading", "searching", "searching"):
    ...     timed(what)
    >>> list(timed.seconds())
    ['reading', 'searching']
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._began: list[tuple[str, float]] = []

    def __call__(self, what: str, share: float | None = None) -> None:
        """Take note of one step."""
        if not self._began or self._began[-1][0] != what:
            self._began.append((what, time.perf_counter()))
        self._progress(what, share)

    def seconds(self) -> dict[str, float]:
        """How long each step took until now, in the order in which they began."""
        durations: dict[str, float] = {}
        for (step, since), (_, until) in pairwise([*self._began, ("", time.perf_counter())]):
            durations[step] = durations.get(step, 0.0) + until - since
        return durations


@contextmanager
def poll_kernel(tell: Tell, share: Callable[[], float]) -> Iterator[None]:
    """While the block runs, tell how far a kernel is, as the arrays that it writes to show.

    A kernel cannot call Python, but it lets other threads run: one of them looks now and then.

    Parameters
    ----------
    tell
        Is told the share, from another thread.
    share
        Looks at the arrays; it is asked at the end too.
    """
    if tell is no_share:
        yield
        return
    over = threading.Event()
    faults: list[BaseException] = []

    def look() -> None:
        try:
            while not over.wait(_BEAT):
                tell(share())
        except BaseException as fault:  # it belongs to whoever began the work
            faults.append(fault)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
    if faults:
        raise faults[0]
    tell(share())
