"""The REST interface for pipelines: send files, begin a job, follow it, fetch what it made."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, FastAPI, Request, Response
from fastapi import Path as InPath
from fastapi.responses import FileResponse, StreamingResponse

from shoal import __version__
from shoal.web.job import Job
from shoal.web.order import RESULT, Order
from shoal.web.orders import Asked, Sent, Uploaded
from shoal.web.orders import Job as Told
from shoal.web.parcels import PARCELS
from shoal.web.problems import NotThereError, answer_problems, described
from shoal.web.uploads import Upload
from shoal.web.workspace import Server

__all__ = ["ROOT", "rest"]

ROOT = "/api/v1"

_ABOUT = (
    "Send files, begin a job, follow it, and fetch what it made. Every request needs the bearer token that shoal "
    "printed when it was started, or that SHOAL_TOKEN held. Every error has one shape: a sentence and the exit code "
    "of the command line."
)
_BYTES = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_ZIP: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A zip file.",
        "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
    }
}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One event per change, each with the job as JSON; it ends with the job.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
_Number = Annotated[str, InPath(description="An id.", pattern="^[0-9a-f]{32}$")]


def rest(server: Server) -> FastAPI:
    """The interface to a server, to be mounted at `/api/v1` behind the guard."""
    api = FastAPI(
        title="shoal",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    answer_problems(api)
    _add_uploads(api, server)
    _add_jobs(api, server)
    _add_parcels(api, server)
    described(api, ROOT)
    return api


def _add_uploads(api: FastAPI, server: Server) -> None:
    @api.put("/uploads/{name:path}", status_code=201, tags=["uploads"], openapi_extra=_BYTES)
    async def send_file(
        name: Annotated[str, InPath(min_length=1, max_length=1000)], request: Request
    ) -> Uploaded:
        """Send a file as it is, as the body; `curl -T people.csv` does so."""
        return _uploaded(await server.uploads.store(name, request.stream()))

    @api.get("/uploads", tags=["uploads"])
    async def list_files() -> list[Uploaded]:
        """All files that were sent."""
        return [_uploaded(upload) for upload in server.uploads]

    @api.delete("/uploads/{number}", status_code=204, tags=["uploads"])
    async def remove_file(number: _Number) -> None:
        """Remove a file; jobs that were begun with it keep it."""
        if not server.uploads.remove(number):
            raise NotThereError("uploads: there is no file with this id; it was removed, or never sent")


def _add_jobs(api: FastAPI, server: Server) -> None:
    @api.post("/jobs", status_code=202, tags=["jobs"])
    async def begin_job(asked: Annotated[Asked, Body()], response: Response) -> Told:
        """Begin a job; `Location` is where to follow it."""
        files = {name: _file(server, number).path for name, number in asked.files.items()}
        after = None if asked.after is None else _finished(server, asked.after)
        options = asked.options.model_dump(exclude_none=True)
        job = server.jobs.submit(
            Order(asked.kind, asked.configuration, options, server.allowed, shown=False), files, after
        )
        response.headers["Location"] = f"{ROOT}/jobs/{job.id}"
        return _told(job)

    @api.get("/jobs", tags=["jobs"])
    async def list_jobs() -> list[Told]:
        """All jobs, the oldest first."""
        return [_told(job) for job in server.jobs]

    @api.get("/jobs/{number}", tags=["jobs"])
    async def look_at_job(number: _Number) -> Told:
        """How far a job is."""
        return _told(_job(server, number))

    @api.get("/jobs/{number}/events", tags=["jobs"], response_class=StreamingResponse, responses=_EVENTS)
    async def follow_job(number: _Number) -> StreamingResponse:
        """Follow a job as server-sent events until it is over."""
        return StreamingResponse(_events(_job(server, number)), media_type="text/event-stream")

    @api.post("/jobs/{number}/cancel", tags=["jobs"])
    async def cancel_job(number: _Number) -> Told:
        """End a job and remove what it wrote; one that is over stays as it is."""
        job = _job(server, number)
        await server.jobs.cancel(job)
        return _told(job)

    @api.delete("/jobs/{number}", status_code=204, tags=["jobs"])
    async def remove_job(number: _Number) -> None:
        """Forget a job and remove all that it wrote."""
        await server.jobs.remove(_job(server, number))


def _add_parcels(api: FastAPI, server: Server) -> None:
    @api.get("/jobs/{number}/result", tags=["results"], response_model=Sent)
    async def fetch_facts(number: _Number) -> FileResponse:
        """The facts that the command prints with `--json`; they may need the originals, so look before you publish."""
        return FileResponse(_parcel(server, number, "result", RESULT), media_type="application/json")

    @api.get("/jobs/{number}/release", tags=["results"], response_class=FileResponse, responses=_ZIP)
    async def fetch_release(number: _Number) -> FileResponse:
        """The release, which may be published: data, manifest.json, report.html."""
        return _zip(server, number, "release")

    @api.get("/jobs/{number}/private", tags=["results"], response_class=FileResponse, responses=_ZIP)
    async def fetch_private(number: _Number) -> FileResponse:
        """What must not be published: audit, recoding, comparison, risk."""
        return _zip(server, number, "private")

    @api.get("/jobs/{number}/configuration", tags=["results"], response_class=FileResponse, responses=_ZIP)
    async def fetch_configuration(number: _Number) -> FileResponse:
        """The shoal.toml of the job and its hierarchies; those that were made from the data are not public."""
        return _zip(server, number, "configuration")


async def _events(job: Job) -> AsyncIterator[str]:
    async for facts in job.changes():
        yield ": still here\n\n" if facts is None else f"event: job\ndata: {json.dumps(facts)}\n\n"


def _uploaded(upload: Upload) -> Uploaded:
    return Uploaded(id=upload.id, name=upload.name, bytes=upload.bytes)


def _told(job: Job) -> Told:
    return Told.model_validate(job.as_dict())


def _file(server: Server, number: str) -> Upload:
    found = server.uploads.get(number)
    if found is None:
        raise NotThereError("files: an id is of no file; send the file first, and take the id of the answer")
    return found


def _job(server: Server, number: str) -> Job:
    found = server.jobs.get(number)
    if found is None:
        raise NotThereError("jobs: there is no job with this id; it was removed, or never begun")
    return found


def _finished(server: Server, number: str) -> Job:
    job = _job(server, number)
    if job.state != "done":
        raise NotThereError(f"jobs: that job is {job.state}; wait until it is done", status=409)
    return job


def _parcel(server: Server, number: str, name: str, file: str) -> Path:
    """The file of a job that has ended well."""
    job = _finished(server, number)
    if name not in job.parcels():
        raise NotThereError(f"jobs: a job of the kind {job.kind} with these options leaves no {name}")
    return job.folder / file


def _zip(server: Server, number: str, name: str) -> FileResponse:
    file = PARCELS[name]
    return FileResponse(
        _parcel(server, number, name, file), media_type="application/zip", filename=f"shoal-{file}"
    )
