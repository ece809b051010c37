"""What a pipeline sends to begin a job, one shape for each kind by the table of options, and what it is told."""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model

from shoal.naming import Role
from shoal.publish.options import JOBS, JobOption

__all__ = ["Facts", "JobRequest", "JobStatus", "UploadStatus", "options_model"]

_CONFIGURATION = "In the shape of shoal.toml; without it the shoal.toml among the files is taken."
_FILES = "Files of the job by their paths in its folder, as the configuration names them; each is the id of an upload."
_AFTER = "The id of a finished job whose data, configuration and hierarchies this one goes on with."
_LOOKED_AT = ("verify", "attack")  # kinds that look at the release of an earlier job

Name = Annotated[str, Field(min_length=1, max_length=1000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class _Request(_Strict):
    configuration: Annotated[dict[str, dict[str, JsonValue]] | None, Field(description=_CONFIGURATION)] = None
    files: Annotated[dict[str, str], Field(description=_FILES, max_length=1000)] = {}
    after: Annotated[str | None, Field(description=_AFTER)] = None
    if TYPE_CHECKING:
        kind: str
        options: BaseModel


def options_model(kind: str) -> type[BaseModel]:
    """The options of a kind of job as a pipeline sends them."""
    about = f"The options of `shoal {JOBS[kind].command}`"
    about += "; the release is the folder `release` of the job." if kind in _LOOKED_AT else "."
    return _model(f"{kind.capitalize()}Options", about, JOBS[kind].options)


def _model(name: str, about: str, options: tuple[JobOption, ...]) -> type[BaseModel]:
    fields: dict[str, Any] = {one.name: _field(one) for one in options}
    return create_model(name, __base__=_Strict, __doc__=about, **fields)


def _field(one: JobOption) -> tuple[Any, Any]:
    """The type of an option with its bounds, and its default."""
    kind: Any = Name
    default: Any = None
    match one.takes:
        case "truth":
            kind, default = bool, False
        case "files":
            kind, default = list[Name], []
        case "roles":
            kind, default = dict[str, Role], {}
        case "keys":
            kind, default = dict[str, JsonValue], {}
        case "texts" | "list":
            kind = list[Name]
        case "whole" | "seed":
            kind = _bounded(int, one)
        case "number":
            kind = _bounded(float, one)
        case "size":
            kind = _bounded(int, one) | Name
        case "sweeps":
            kind = _model("Sweeps", one.help, one.parts)
    if one.required:
        return Annotated[kind, Field(description=one.help)], ...
    whole = kind | None if default is None else kind
    return Annotated[whole, Field(description=one.help)], default


def _bounded(kind: type[float], one: JobOption) -> Any:
    """A number within its bounds; a whole one that has some must be one that machines count with."""
    if one.least is None:
        return kind
    most = one.most
    if most is None and kind is int:
        most = 2**63 if one.takes == "seed" else 2**31
    return Annotated[kind, Field(gt=one.least, le=most) if one.excluded else Field(ge=one.least, le=most)]


def _request(kind: str) -> type[BaseModel]:
    options = options_model(kind)
    needed = any(one.required for one in JOBS[kind].options)
    fields: dict[str, Any] = {
        "kind": (Literal[kind], ...),
        "options": (options, ... if needed else options()),
    }
    return create_model(kind.capitalize(), __base__=_Request, __doc__=JOBS[kind].about, **fields)


if TYPE_CHECKING:
    JobRequest = _Request
else:
    JobRequest = Annotated[reduce(or_, map(_request, JOBS)), Field(discriminator="kind")]
"""Whatever begins a job: one shape for each kind."""


class Problem(BaseModel):
    """What went wrong in one sentence, and the exit code that the command line has for it."""

    sentence: str
    exit: int


class UploadStatus(BaseModel):
    """A file that was sent."""

    id: str
    name: str
    bytes: int


class JobStatus(BaseModel):
    """A job and how far it is."""

    id: str
    kind: Annotated[str, Field(json_schema_extra={"enum": list(JOBS)})]
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
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
