"""The page without a terminal: `shoal-page`, which a menu or a double click starts.

There is no terminal to read or to press Ctrl-C in: nothing is printed, the page itself has a button that ends the
server, and what keeps it from starting is shown in the browser.
"""

import os
import sys
import tempfile
import webbrowser
from html import escape
from pathlib import Path

from shoal.base.errors import ShoalError
from shoal.base.stopping import exit_immediately, install_signal_handlers

__all__ = ["main"]


def main() -> None:
    """Serve the page and open it in the browser."""
    install_signal_handlers()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # as a program of Windows without a console has none
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    with exit_immediately():
        _serve_page()


def _serve_page() -> None:
    try:
        from shoal.web.serve import serve
        from shoal.web.server.job_folder import Allowed
        from shoal.web.server.workspace import LIMIT

        serve(0, limit=LIMIT, allowed=Allowed(), say=lambda _server, _address: None, can_end=True)
    except ShoalError as error:
        _show_sentence(str(error))
        raise SystemExit(error.exit_code) from None


def _show_sentence(text: str) -> None:
    """Show in the browser why the page does not start."""
    handle, name = tempfile.mkstemp(prefix="shoal-", suffix=".html")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>shoal</title><h1>shoal does not start</h1>'
            f"<p>{escape(text)}</p></html>"
        )
    webbrowser.open(Path(name).as_uri())


if __name__ == "__main__":
    main()
