"""What the owner of the data should know before a release is published, as lines on standard error."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from shoal.errors import ShoalWarning

__all__ = ["notes"]


@contextmanager
def notes() -> Iterator[None]:
    """Print every `ShoalWarning` as one line; other warnings go where they always do."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ShoalWarning)
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if issubclass(category, ShoalWarning):
                click.echo(f"shoal: note: {message}", err=True)
            else:
                usual(message, category, *place, **more)

        warnings.showwarning = show
        yield
