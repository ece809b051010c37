"""Every error of the REST interface in one shape, and the description that says so."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match

from shoal.errors import ShoalError, told
from shoal.web.answers import WRONG, error_facts
from shoal.web.limits import TooLongError

__all__ = ["NotThereError", "answer_problems", "described"]

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
    422: "Something that was sent means nothing.",
    507: "The disk is full, or cannot be written.",
}


class NotThereError(ShoalError):
    """What is asked for is not there, or not yet."""

    def __init__(self, message: str, *, status: int = 404) -> None:
        super().__init__(message)
        self.status = status


def answer_problems(api: FastAPI) -> None:
    """Answer whatever goes wrong in the one shape."""

    @api.exception_handler(HTTPException)
    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        sentence = _SENTENCES.get(error.status_code, "this request is refused")
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = _methods(api, request)
        return _problem(error.status_code, sentence, headers=headers)

    @api.exception_handler(RequestValidationError)
    async def unfit(_request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return _problem(_UNFIT, _first_fault(error.errors()))

    @api.exception_handler(ShoalError)
    async def wrong(_request: Request, error: Exception) -> JSONResponse:
        sentence, code = told(error)
        return _problem(getattr(error, "status", _UNFIT), sentence, code)

    @api.exception_handler(TooLongError)
    async def too_long(_request: Request, error: Exception) -> JSONResponse:
        return _problem(_TOO_LONG, str(error))

    @api.exception_handler(ClientDisconnect)
    async def gone(_request: Request, _error: Exception) -> JSONResponse:
        return _problem(400, "the body ended too early; send it again")  # nobody reads it

    @api.exception_handler(OSError)
    async def failed(_request: Request, error: Exception) -> JSONResponse:
        sentence, code = told(error)
        return _problem(_NO_DISK, sentence, code)

    @api.exception_handler(Exception)
    async def crashed(_request: Request, error: Exception) -> JSONResponse:
        sentence, code = told(error)
        return _problem(_CRASH, sentence, code)


def described(api: FastAPI, root: str) -> None:
    """Let the description of an interface tell its errors and its tokens."""

    def describe() -> dict[str, Any]:
        if not api.openapi_schema:
            api.openapi_schema = _description(api, root)
        return api.openapi_schema

    api.openapi = describe  # type: ignore[method-assign]


def _description(api: FastAPI, root: str) -> dict[str, Any]:
    found: dict[str, Any] = get_openapi(
        title=api.title, version=api.version, description=api.description, routes=api.routes
    )
    found["servers"] = [{"url": root}]
    parts = found.setdefault("components", {})
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    found["security"] = [{"token": []}]
    schemas = parts.setdefault("schemas", {})
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problems"] = _SHAPE
    for path in found["paths"].values():
        for operation in path.values():
            operation["responses"] |= {str(status): _answer(words) for status, words in _REFUSALS.items()}
    return found


_SHAPE = {
    "type": "object",
    "description": "The one shape of every error.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["sentence", "exit"],
            "properties": {
                "sentence": {"type": "string", "description": "Where, what is wrong, what to do."},
                "exit": {"type": "integer", "description": "The exit code of the command line for it."},
            },
        }
    },
}


def _answer(words: str) -> dict[str, Any]:
    shape = {"$ref": "#/components/schemas/Problems"}
    return {"description": words, "content": {"application/json": {"schema": shape}}}


def _problem(
    status: int, sentence: str, code: int = WRONG, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse(error_facts(sentence, code), status, headers=dict(headers or {}))


def _methods(api: FastAPI, request: Request) -> str:
    """All methods of a path: a path may have one route for each."""
    found: set[str] = set()
    for route in api.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            found |= getattr(route, "methods", None) or set()
    return ", ".join(sorted(found))


def _first_fault(faults: Any) -> str:
    """The first thing that is wrong with a request, in one sentence without what was sent."""
    if not faults:
        return "the request means nothing; openapi.json says what is taken"
    fault = faults[0]
    where = ".".join(str(part) for part in fault["loc"] if part != "body") or "body"
    what = fault["msg"][:1].lower() + fault["msg"][1:]
    return f"{where[:200]}: {what}; openapi.json says what is taken"
