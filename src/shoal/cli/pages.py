"""Pages and plots that a command writes beside what it prints."""

from pathlib import Path

from shoal.errors import InputError

__all__ = ["check_page"]


def check_page(page: Path, force: bool) -> None:
    """Refuse a place for a page or a plot where something else stands."""
    from shoal.io.write.folders import refuse_existing

    refuse_existing(page, force)
    if page.exists() and not (
        page.is_file() and page.read_bytes().lstrip()[:64].lower().startswith((b"<html", b"<!doctype html"))
    ):
        raise InputError(f"{page}: not a plot, so it is not replaced; choose another place")
    if not page.parent.is_dir():
        raise InputError(f"{page.parent}: not a directory; create it or choose another place")
