"""Everything that a server answers, behind the guard."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from shoal.errors import ExtraError
from shoal.web.guard import Guard
from shoal.web.workspace import Server

try:
    from fastapi import FastAPI
except ImportError:
    raise ExtraError.of("serve", "NiceGUI", "web") from None

from shoal.web.rest import ROOT, rest

__all__ = ["application"]


def application(server: Server, port: int, pages: Callable[[FastAPI], object] | None = None) -> Guard:
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

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await server.jobs.close()

    whole = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    whole.mount(ROOT, rest(server))
    if pages is not None:
        pages(whole)
    return Guard(whole, keys=server.keys, port=port, large={f"{ROOT}/uploads/": server.uploads.limit})
