"""Everything that a server answers, behind the guard; start it and let the browser come in."""

import asyncio
import os
import socket
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Any

from shoal.base.errors import ExtraError, InputError
from shoal.web.server.guard import Guard
from shoal.web.server.job_folder import Allowed
from shoal.web.server.workspace import Server, Workspace, start_server

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["application", "serve"]

_HOST = "127.0.0.1"


def serve(
    port: int,
    *,
    limit: int,
    allowed: Allowed,
    say: Callable[[Server, str], None],
    browser: bool = True,
    can_end: bool = False,
) -> None:
    """Serve the page and the REST interface until the process is told to stop.

    Parameters
    ----------
    port
        Where to listen, on this machine only; 0 takes a free one.
    limit, allowed
        How many bytes one file may have; what jobs of pipelines may read beside what is sent.
    say
        Told the server and its address, once it listens.
    browser
        Whether to open the page.
    can_end
        Whether the page has a button that ends the server, as where there is no terminal.
    """
    if any(find_spec(name) is None for name in ("nicegui", "fastapi", "uvicorn")):
        raise ExtraError.of("serve", "NiceGUI", "web")
    with _create_socket(port) as listener, start_server(limit=limit, allowed=allowed, warm=True) as server:
        os.environ["NICEGUI_STORAGE_PATH"] = str(server.workspace.part("nicegui"))  # read when it is imported
        import uvicorn

        from shoal.web.pages.routes import add_pages

        bound_port = listener.getsockname()[1]

        def end() -> None:
            running.should_exit = True

        app = application(
            server, bound_port, lambda whole: add_pages(whole, server, end if can_end else None)
        )
        address = f"http://{_HOST}:{bound_port}/#{server.keys.invite()}"
        say(server, address)
        if browser:
            _open_page(server.workspace, address)
        config = uvicorn.Config(
            app,
            proxy_headers=False,
            access_log=False,
            log_level="error",
            loop="asyncio",
            timeout_graceful_shutdown=2,
        )
        running: Any = uvicorn.Server(config)
        running.install_signal_handlers = lambda: None  # signals are heeded by the process itself
        asyncio.run(running.serve([listener]))


def application(server: Server, port: int, pages: "Callable[[FastAPI], object] | None" = None) -> Guard:
    """The whole as one ASGI application.

    Parameters
    ----------
    server
        What it works with.
    port
        Where it will listen.
    pages
        Adds the pages, NiceGUI's `ui.run_with` among them; it is called after the REST interface has its place.
    """
    from fastapi import FastAPI

    from shoal.web.server.rest import ROOT, create_rest_api

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await server.jobs.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.mount(ROOT, create_rest_api(server))
    if pages is not None:
        pages(app)
    return Guard(app, keys=server.keys, port=port, large={f"{ROOT}/uploads/": server.uploads.limit})


def _create_socket(port: int) -> socket.socket:
    """A socket of this machine only."""
    try:
        return socket.create_server((_HOST, port))
    except (OSError, OverflowError):
        raise InputError(
            f"serve: port {port} is taken by another program; give another --port, or none"
        ) from None


def _open_page(workspace: Workspace, address: str) -> None:
    """Open the page by a file that only this user reads: an argument of a program, anybody on the machine can see."""
    page = workspace.folder / "open.html"
    handle = os.open(page, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(
            '<!doctype html><meta charset="utf-8"><title>shoal</title>'
            f'<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Open shoal</a>'
        )
    Thread(target=webbrowser.open, args=[page.as_uri()], daemon=True).start()
