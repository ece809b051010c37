"""How long a step will still take, by its own pace."""

import time

__all__ = ["Pace"]


class Pace:
    """The time that each step has taken so far, and what that says of the rest of it.

    A step that something else interrupts, as compiling does, goes on where it was: the time between does not count.
    """

    def __init__(self) -> None:
        self._what = ""
        self._share: float | None = None
        self._since = time.monotonic()
        self._before: dict[
            str, tuple[float, float]
        ] = {}  # by step: seconds that it took, and the share reached

    def hear(self, what: str, share: float | None) -> None:
        """Take note of a step and of the share of it that is done."""
        if what != self._what:
            self._before[self._what] = (self._spent(), self._share or 0.0)
            self._what, self._since = what, time.monotonic()
        if self._before.get(what, (0.0, 0.0))[1] > (share or 0.0):  # the same words again, for a new step
            self._before.pop(what)
        self._share = share

    def left(self) -> float | None:
        """Seconds that the present step will still take; None where nobody knows its share."""
        if not self._share:
            return None
        return self._spent() * (1 - self._share) / self._share

    def _spent(self) -> float:
        """Seconds that the present step has taken, without what interrupted it."""
        return self._before.get(self._what, (0.0, 0.0))[0] + time.monotonic() - self._since
