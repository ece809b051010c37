"""The REST interface for pipelines: send files, begin a job, follow it, fetch what it made."""

import json
from collections.abc import AsyncIterator, Mapping
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Body, FastAPI, Request, Response
from fastapi import Path as InPath
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from shoal import __version__
from shoal.base.errors import ShoalError, message_and_exit_code
from shoal.base.naming import Role
from shoal.jobs.options import JOBS, JobOption
from shoal.web.server.guard import WRONG, TooLongError, error_facts
from shoal.web.server.job_folder import ARCHIVES, RESULT, JobSpec
from shoal.web.server.jobs import Job, State
from shoal.web.server.workspace import Server, Upload

__all__ = ["ROOT", "_options_model", "create_rest_api"]

# --- What a pipeline sends to begin a job, one shape for each kind by the table of options, and what it is told.

_CONFIGURATION = "In the shape of shoal.toml; without it the shoal.toml among the files is taken."
_FILES = "Files of the job by their paths in its folder, as the configuration names them; each is the id of an upload."
_AFTER = "The id of a finished job whose data, configuration and hierarchies this one goes on with."
_LOOKED_AT = ("verify", "attack")  # kinds that look at the release of an earlier job

Name = Annotated[str, Field(min_length=1, max_length=1000)]


class _StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class _Request(_StrictModel):
    configuration: Annotated[dict[str, dict[str, JsonValue]] | None, Field(description=_CONFIGURATION)] = None
    files: Annotated[dict[str, str], Field(description=_FILES, max_length=1000)] = {}
    after: Annotated[str | None, Field(description=_AFTER)] = None
    if TYPE_CHECKING:
        kind: str
        options: BaseModel


def _options_model(kind: str) -> type[BaseModel]:
    """The options of a kind of job as a pipeline sends them."""
    about = f"The options of `shoal {JOBS[kind].command}`"
    about += "; the release is the folder `release` of the job." if kind in _LOOKED_AT else "."
    return _create_model(f"{kind.capitalize()}Options", about, JOBS[kind].options)


def _create_model(name: str, about: str, options: tuple[JobOption, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {option.name: _option_field(option) for option in options}
    return create_model(name, __base__=_StrictModel, __doc__=about, **fields)


_TYPES: Mapping[str, Any] = {
    **dict.fromkeys(("files", "texts", "list"), list[Name]),
    "roles": dict[str, Role],
    "keys": dict[str, JsonValue],
    "truth": bool,
    "whole": int,
    "seed": int,
    "number": float,
}
_NOTHING: Mapping[str, Any] = {"truth": False, "files": [], "roles": {}, "keys": {}}


def _option_field(one: JobOption) -> tuple[Any, Any]:
    """The type of an option with its bounds, and its default."""
    kind, default = _TYPES.get(one.takes, Name), _NOTHING.get(one.takes)
    if one.takes in ("whole", "seed", "number"):
        kind = _bound_number(kind, one)
    elif one.takes == "size":
        kind = _bound_number(int, one) | Name
    elif one.takes == "sweeps":
        kind = _create_model("Sweeps", one.help, one.parts)
    if one.required:
        return Annotated[kind, Field(description=one.help)], ...
    return Annotated[kind | None if default is None else kind, Field(description=one.help)], default


def _bound_number(kind: type[float], one: JobOption) -> Any:
    """A number within its bounds; a whole one that has some must be one that machines count with."""
    if one.least is None:
        return kind
    maximum = one.most
    if maximum is None and kind is int:
        maximum = 2**63 if one.takes == "seed" else 2**31
    return Annotated[
        kind, Field(gt=one.least, le=maximum) if one.excluded else Field(ge=one.least, le=maximum)
    ]


def _request_model(kind: str) -> type[BaseModel]:
    options = _options_model(kind)
    needed = any(option.required for option in JOBS[kind].options)
    fields: dict[str, Any] = {
        "kind": (Literal[kind], ...),
        "options": (options, ... if needed else options()),
    }
    return create_model(kind.capitalize(), __base__=_Request, __doc__=JOBS[kind].about, **fields)


if TYPE_CHECKING:
    JobRequest = _Request
else:
    JobRequest = Annotated[reduce(or_, map(_request_model, JOBS)), Field(discriminator="kind")]
"""Whatever begins a job: one shape for each kind."""


class Problem(BaseModel):
    """What went wrong in one sentence, and the exit code that the command line has for it."""

    sentence: Annotated[str, Field(description="Where, what is wrong, what to do.")]
    exit: Annotated[int, Field(description="The exit code of the command line for it.")]


class Problems(BaseModel):
    """The one shape of every error."""

    error: Problem


class UploadStatus(BaseModel):
    """A file that was sent."""

    id: str
    name: str
    bytes: int


class JobStatus(BaseModel):
    """A job and how far it is."""

    id: str
    kind: Annotated[str, Field(json_schema_extra={"enum": list(JOBS)})]
    state: State
    what: Annotated[
        str, Field(description="The step that it is at; the words stay the same until the step ends.")
    ]
    share: Annotated[float | None, Field(description="Which share of the step is done, where it is known.")]
    seconds: Annotated[float, Field(description="How long it has run.")]
    left: Annotated[
        float | None, Field(description="How many seconds the present step will still take, by its own pace.")
    ]
    notes: Annotated[list[str], Field(description="What to know before anything is published.")]
    exit: Annotated[
        int | None,
        Field(
            description="The exit code of the command: of `verify` and `attack`, 1 is no and 5 cannot be judged."
        ),
    ]
    error: Problem | None
    parcels: list[Literal["result", "release", "private", "configuration"]]


Facts = dict[str, Any]
"""Facts as the command prints them with `--json`."""


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


def create_rest_api(server: Server) -> FastAPI:
    """The interface to a server, to be mounted at `/api/v1` behind the guard."""
    api = FastAPI(
        title="shoal",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        servers=[{"url": ROOT}],
        responses={code: {"model": Problems, "description": words} for code, words in _REFUSALS.items()},
    )
    _answer_problems(api)
    _add_uploads(api, server)
    _add_jobs(api, server)
    _add_results(api, server)
    describe = api.openapi

    def described() -> dict[str, Any]:
        schema = describe()
        schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        return schema | {"security": [{"token": []}]}

    api.openapi = described  # type: ignore[method-assign]
    return api


def _add_uploads(api: FastAPI, server: Server) -> None:
    @api.put("/uploads/{name:path}", status_code=201, tags=["uploads"], openapi_extra=_BYTES)
    async def send_file(
        name: Annotated[str, InPath(min_length=1, max_length=1000)], request: Request
    ) -> UploadStatus:
        """Send a file as it is, as the body; `curl -T people.csv` does so."""
        return _upload_status(await server.uploads.store(name, request.stream()))

    @api.get("/uploads", tags=["uploads"])
    async def list_files() -> list[UploadStatus]:
        """All files that were sent."""
        return [_upload_status(upload) for upload in server.uploads]

    @api.delete("/uploads/{number}", status_code=204, tags=["uploads"])
    async def remove_file(number: _Number) -> None:
        """Remove a file; jobs that were begun with it keep it."""
        if not server.uploads.remove(number):
            raise _NotThereError("uploads: there is no file with this id; it was removed, or never sent")


def _add_jobs(api: FastAPI, server: Server) -> None:
    @api.post("/jobs", status_code=202, tags=["jobs"])
    async def begin_job(request: Annotated[JobRequest, Body()], response: Response) -> JobStatus:
        """Begin a job; `Location` is where to follow it."""
        files = {name: _find_upload(server, number).path for name, number in request.files.items()}
        after = None if request.after is None else _find_finished_job(server, request.after)
        options = request.options.model_dump(exclude_none=True)
        job = server.jobs.submit(
            JobSpec(request.kind, request.configuration, options, server.allowed, shown=False), files, after
        )
        response.headers["Location"] = f"{ROOT}/jobs/{job.id}"
        return _job_status(job)

    @api.get("/jobs", tags=["jobs"])
    async def list_jobs() -> list[JobStatus]:
        """All jobs, the oldest first."""
        return [_job_status(job) for job in server.jobs]

    @api.get("/jobs/{number}", tags=["jobs"])
    async def look_at_job(number: _Number) -> JobStatus:
        """How far a job is."""
        return _job_status(_find_job(server, number))

    @api.get("/jobs/{number}/events", tags=["jobs"], response_class=StreamingResponse, responses=_EVENTS)
    async def follow_job(number: _Number) -> StreamingResponse:
        """Follow a job as server-sent events until it is over."""
        return StreamingResponse(_stream_events(_find_job(server, number)), media_type="text/event-stream")

    @api.post("/jobs/{number}/cancel", tags=["jobs"])
    async def cancel_job(number: _Number) -> JobStatus:
        """End a job and remove what it wrote; one that is over stays as it is."""
        job = _find_job(server, number)
        await server.jobs.cancel(job)
        return _job_status(job)

    @api.delete("/jobs/{number}", status_code=204, tags=["jobs"])
    async def remove_job(number: _Number) -> None:
        """Forget a job and remove all that it wrote."""
        await server.jobs.remove(_find_job(server, number))


def _add_results(api: FastAPI, server: Server) -> None:
    @api.get("/jobs/{number}/result", tags=["results"], response_model=Facts)
    async def fetch_facts(number: _Number) -> FileResponse:
        """The facts that the command prints with `--json`; they may need the originals, so look before you publish."""
        return FileResponse(_result_file(server, number, "result", RESULT), media_type="application/json")

    @api.get("/jobs/{number}/release", tags=["results"], response_class=FileResponse, responses=_ZIP)
    async def fetch_release(number: _Number) -> FileResponse:
        """The release, which may be published: data, groups.json of baskets, manifest.json, report.html."""
        return _zip_response(server, number, "release")

    @api.get("/jobs/{number}/private", tags=["results"], response_class=FileResponse, responses=_ZIP)
    async def fetch_private(number: _Number) -> FileResponse:
        """What must not be published: audit, recoding, comparison, risk."""
        return _zip_response(server, number, "private")

    @api.get("/jobs/{number}/configuration", tags=["results"], response_class=FileResponse, responses=_ZIP)
    async def fetch_configuration(number: _Number) -> FileResponse:
        """The shoal.toml of the job and its hierarchies; those that were made from the data are not public."""
        return _zip_response(server, number, "configuration")


async def _stream_events(job: Job) -> AsyncIterator[str]:
    async for facts in job.changes():
        yield ": still here\n\n" if facts is None else f"event: job\ndata: {json.dumps(facts)}\n\n"


def _upload_status(upload: Upload) -> UploadStatus:
    return UploadStatus(id=upload.id, name=upload.name, bytes=upload.bytes)


def _job_status(job: Job) -> JobStatus:
    return JobStatus.model_validate(job.as_dict())


def _find_upload(server: Server, number: str) -> Upload:
    upload = server.uploads.get(number)
    if upload is None:
        raise _NotThereError("files: an id is of no file; send the file first, and take the id of the answer")
    return upload


def _find_job(server: Server, number: str) -> Job:
    job = server.jobs.get(number)
    if job is None:
        raise _NotThereError("jobs: there is no job with this id; it was removed, or never begun")
    return job


def _find_finished_job(server: Server, number: str) -> Job:
    job = _find_job(server, number)
    if job.state != "done":
        raise _NotThereError(f"jobs: that job is {job.state}; wait until it is done", status=409)
    return job


def _result_file(server: Server, number: str, name: str, file: str) -> Path:
    """The file of a job that has ended well."""
    job = _find_finished_job(server, number)
    if name not in job.parcels():
        raise _NotThereError(f"jobs: a job of the kind {job.kind} with these options leaves no {name}")
    return job.folder / file


def _zip_response(server: Server, number: str, name: str) -> FileResponse:
    file = ARCHIVES[name]
    return FileResponse(
        _result_file(server, number, name, file), media_type="application/zip", filename=f"shoal-{file}"
    )


_TOO_LONG, _UNFIT, _CRASH, _NO_DISK = 413, 422, 500, 507
_SENTENCES: Mapping[int, str] = {
    400: "the body cannot be read; send JSON in UTF-8",
    404: "there is nothing at this path; openapi.json lists what there is",
    405: "this path does not take this method; the header Allow lists those that it takes",
}
_REFUSALS: Mapping[int, str] = {
    400: "The request cannot be read.",
    401: "The token is missing or wrong.",
    403: "The request comes from elsewhere: its Host or Origin is not this server's.",
    404: "There is no such thing.",
    409: "The job is not done.",
    413: "The body is too long.",
    422: "Something that was sent makes no sense.",
    507: "The disk is full, or cannot be written.",
}


class _NotThereError(ShoalError):
    """What is asked for is not there, or not yet."""

    def __init__(self, message: str, *, status: int = 404) -> None:
        super().__init__(message)
        self.status = status


def _answer_problems(api: FastAPI) -> None:
    """Answer whatever goes wrong in the one shape."""

    @api.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        sentence = _SENTENCES.get(error.status_code, "this request is refused")
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = _list_methods(api, request)
        return _problem_response(error.status_code, sentence, headers=headers)

    @api.exception_handler(RequestValidationError)
    async def unfit(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return _problem_response(_UNFIT, _describe_first_fault(error.errors()))

    @api.exception_handler(TooLongError)
    async def too_long(_request: Request, error: Exception) -> JSONResponse:
        return _problem_response(_TOO_LONG, str(error))

    @api.exception_handler(ClientDisconnect)
    async def gone(_request: Request, _error: Exception) -> JSONResponse:
        return _problem_response(400, "the body ended too early; send it again")  # nobody reads it

    for kind, status in ((ShoalError, _UNFIT), (OSError, _NO_DISK), (Exception, _CRASH)):
        api.add_exception_handler(kind, partial(_answer_error, status))


async def _answer_error(status: int, _request: Request, error: Exception) -> JSONResponse:
    error_status = error.status if isinstance(error, _NotThereError) else status
    return _problem_response(error_status, *message_and_exit_code(error))


def _problem_response(
    status: int, sentence: str, code: int = WRONG, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse(error_facts(sentence, code), status, headers=dict(headers or {}))


def _list_methods(api: FastAPI, request: Request) -> str:
    """All methods of a path: a path may have one route for each."""
    methods: set[str] = set()
    for route in api.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return ", ".join(sorted(methods))


def _describe_first_fault(faults: Any) -> str:
    """The first thing that is wrong with a request, in one sentence without what was sent."""
    if not faults:
        return "the request makes no sense; openapi.json says what is accepted"
    fault = faults[0]
    location = ".".join(str(part) for part in fault["loc"] if part != "body") or "body"
    message = fault["msg"][:1].lower() + fault["msg"][1:]
    return f"{location[:200]}: {message}; openapi.json says what is accepted"
