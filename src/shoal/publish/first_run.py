"""A first run says that it compiles, and has a second process compile ahead."""

from collections.abc import Iterator
from contextlib import contextmanager

from shoal.progress import Progress

__all__ = ["first_run"]


@contextmanager
def first_run(maker: str, progress: Progress) -> Iterator[Progress]:
    """A listener that is also told "compiling, once" whenever a kernel of `maker` is not in the cache yet."""
    from shoal.kernels.ahead import compiling  # numba is heavy, and not every job needs it

    heard: tuple[str, float | None] = ("starting", None)

    def tell(what: str, share: float | None = None) -> None:
        nonlocal heard
        heard = what, share
        progress(what, share)

    with compiling(maker, lambda: progress("compiling, once"), lambda: progress(*heard)):
        yield tell
