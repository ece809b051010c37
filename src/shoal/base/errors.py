"""Every exception and its exit code. One sentence: where, what is wrong, what to do; never a cell value."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import ClassVar

__all__ = [
    "REPORT",
    "_DISTRIBUTION",
    "EncodingError",
    "ExtraError",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "RefusedError",
    "ShoalError",
    "ShoalWarning",
    "UnkeptError",
    "error_location",
    "extra_requirement",
    "message_and_exit_code",
    "sentences_by",
]


REPORT = "the maintainers of shoal (CONTRIBUTING.md says how)"
"""Where a fault of shoal itself is reported."""


_DISTRIBUTION = "shoal-privacy"
"""What the package index calls it; `shoal` there is another project."""


def extra_requirement(extra: str) -> str:
    """What pip installs for a feature.

    >>> extra_requirement("web")
    'shoal-privacy[web]'
    """
    return f"{_DISTRIBUTION}[{extra}]"


_TRANSLATE: ContextVar[Callable[[str], str]] = ContextVar("translate", default=str)
"""What a sentence becomes for whoever is spoken to: commands and Python write the same thing differently."""


@contextmanager
def sentences_by(translate: Callable[[str], str]) -> Iterator[None]:
    """Have each error and each warning of shoal that arises here say its sentence as `translate` puts it.

    >>> with sentences_by(str.upper):
    ...     print(InputError("no rows"))
    NO ROWS
    """
    token = _TRANSLATE.set(translate)
    try:
        yield
    finally:
        _TRANSLATE.reset(token)


class ShoalError(Exception):
    """The base of all errors of shoal.

    The message may be logged and mailed, so it names columns and row numbers, never cell values;
    a value that helps on the spot travels in `value` and is shown only when asked for.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, value: object = None) -> None:
        super().__init__(_TRANSLATE.get()(message))
        self.value = value


class ShoalWarning(UserWarning):
    """Something that the owner of the data should know before a release is published; it may be as it should be."""

    def __init__(self, message: str) -> None:
        super().__init__(_TRANSLATE.get()(message))


class InputError(ShoalError, ValueError):
    """The data, the configuration or an argument is wrong."""


class EncodingError(InputError):
    """The bytes of a text file are not in the encoding that it is read in; another one may fit."""


class HierarchyError(InputError):
    """A hierarchy is malformed or does not fit its column."""


class InfeasibleError(ShoalError):
    """No release can meet the claim; the message says why and what would help."""

    exit_code = 3


class UnkeptError(ShoalError):
    """A stored recoding does not keep its claim on other records: the judge says no, nothing was written."""

    exit_code = 1


class RefusedError(ShoalError):
    """A method's result failed its judge: nothing was written, and it is a bug to report."""

    exit_code = 4


class ExtraError(ShoalError, ImportError):
    """A feature needs an optional package; the message names the extra to install."""

    @classmethod
    def of(cls, where: str, needs: str, extra: str) -> "ExtraError":
        """The error of a feature that `needs` a package which comes with `extra`.

        >>> print(ExtraError.of("people.xlsx", "fastexcel", "excel"))
        people.xlsx: this needs fastexcel, which is not installed; run: pip install "shoal-privacy[excel]"
        """
        return cls(
            f'{where}: this needs {needs}, which is not installed; run: pip install "{extra_requirement(extra)}"'
        )


_WRONG, _CRASH = 2, 70


def message_and_exit_code(error: BaseException) -> tuple[str, int]:
    """What went wrong in one sentence, and the exit code that the command line has for it.

    >>> message_and_exit_code(InfeasibleError("mstk: k=50 but the table has 7 records"))
    ('mstk: k=50 but the table has 7 records', 3)
    """
    if isinstance(error, ShoalError):
        return str(error), error.exit_code
    if isinstance(error, OSError):
        file_prefix = f"{Path(error.filename).name}: " if isinstance(error.filename, str) else ""
        reason = (error.strerror or "the system refused").lower()
        return f"{file_prefix}{reason}; check the disk and your rights", _WRONG
    if isinstance(error, MemoryError):
        return (
            "not enough memory; give fewer records or columns, lift its limit (`ulimit -v`), or take a larger machine"
        ), _CRASH
    return (
        f"this should not have happened ({type(error).__name__} in {error_location(error)}); please report it to "
        f"{REPORT}; SHOAL_DEBUG=1 shows more, and perhaps cells"
    ), _CRASH


def error_location(error: BaseException) -> str:
    """The last line of shoal that an error of any kind came through; no cell is in it."""
    home = Path(__file__).parents[1]
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if home in Path(frame.filename).parents
    ]
    if not frames:
        return "shoal"
    return f"{Path(frames[-1].filename).relative_to(home).as_posix()}, line {frames[-1].lineno}"
