"""What a pipeline sends to begin a job: one shape for each kind, with the options of its command."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

__all__ = ["Facts", "JobRequest", "JobStatus", "Problem", "UploadStatus"]

_CONFIGURATION = "In the shape of shoal.toml; without it the shoal.toml among the files is taken."
_FILES = "Files of the job by their paths in its folder, as the configuration names them; each is the id of an upload."
_AFTER = "The id of a finished job whose data, configuration and hierarchies this one goes on with."

Positive = Annotated[int, Field(ge=1, le=2**31)]
Seed = Annotated[
    int | None, Field(ge=0, le=2**63, description="For papers and tests only: such a release is a rehearsal.")
]
Name = Annotated[str, Field(min_length=1, max_length=1000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class _Request(_Strict):
    configuration: Annotated[dict[str, dict[str, JsonValue]] | None, Field(description=_CONFIGURATION)] = None
    files: Annotated[dict[str, str], Field(description=_FILES, max_length=1000)] = {}
    after: Annotated[str | None, Field(description=_AFTER)] = None


class ProposeOptions(_Strict):
    """The options of `shoal init`."""

    data: Annotated[
        Name, Field(description="The file or folder to look at, or a database's URL where allowed.")
    ]
    mappings: list[Name] = []
    roles: Annotated[
        dict[str, Literal["identifier", "quasi", "sensitive", "items", "plain", "drop"]],
        Field(description="By column: roles that are known already."),
    ] = {}
    sample: Annotated[int | None, Field(ge=100, le=2**31)] = None


class RiskOptions(_Strict):
    """The options of `shoal risk`."""

    data: Annotated[
        Name | None, Field(description="Data that nobody has described yet; else the configuration.")
    ] = None
    k: Annotated[int | None, Field(ge=2, le=2**31)] = None
    population: Annotated[
        Positive | Name | None, Field(description="How many people, or a file with them.")
    ] = None
    fraction: Annotated[float | None, Field(gt=0, le=1)] = None
    sample: Positive | None = None
    page: Annotated[bool, Field(description="Write the page, which must not be published.")] = False


class RunOptions(_Strict):
    """The options of `shoal run`; numbers stand in place of the configured ones."""

    k: int | None = None
    m: int | None = None
    n: int | None = None
    l: int | None = None
    t: float | None = None
    recoding: Annotated[Name | None, Field(description="The recoding.json of an earlier run.")] = None
    seed: Seed = None


class PreviewOptions(RunOptions):
    """The options of `shoal run --preview`, or with `pick` those of `shoal pareto --preview`."""

    pick: Annotated[float | None, Field(description="Look at the point for this k, or this delta.")] = None
    seconds: Annotated[float | None, Field(gt=0)] = None


class ParetoOptions(_Strict):
    """The options of `shoal pareto`."""

    seconds: Annotated[float | None, Field(gt=0)] = None
    pick: Annotated[float | None, Field(description="Release the point for this k, or this delta.")] = None
    page: Annotated[bool, Field(description="Draw the front; it must not be published.")] = False
    seed: Seed = None


class VerifyOptions(_Strict):
    """The options of `shoal verify`; the release is the folder `release` of the job."""

    against: Annotated[Name | None, Field(description="The originals, to compare the release with.")] = None


class AttackOptions(_Strict):
    """The options of `shoal attack`; the release is the folder `release` of the job."""

    against: Annotated[Name, Field(description="The originals.")]
    fail_above: Annotated[float | None, Field(ge=0, le=1)] = None
    attacker: Name | None = None
    people: Annotated[int | None, Field(ge=1, le=2**31)] = None
    seed: Seed = None


class Sweeps(_Strict):
    """Numbers to try, as the command takes them: 2:100, 0:1:0.1, 5, 2,5,7."""

    k: Name | None = None
    m: Name | None = None
    n: Name | None = None
    l: Name | None = None
    delta: Name | None = None
    suppress: Name | None = None


class CompareOptions(_Strict):
    """The options of `shoal compare`."""

    methods: list[Name] | None = None
    sweeps: Sweeps | None = None
    sample: Annotated[int | None, Field(ge=2, le=2**31)] = None
    target: Name | None = None
    seconds: Annotated[float | None, Field(gt=0)] = None
    jobs: Annotated[int | None, Field(ge=1, le=1024)] = None
    seed: Seed = None


class CountOptions(_Strict):
    """The options of `shoal hierarchy count`."""

    columns: Annotated[list[Name] | None, Field(description="Only these columns, items or fields.")] = None


class Propose(_Request):
    """Look at data that nobody has described, and propose a configuration."""

    kind: Literal["propose"]
    options: ProposeOptions


class Risk(_Request):
    """Measure how exposed people are before anything is done."""

    kind: Literal["risk"]
    options: RiskOptions = RiskOptions()


class Run(_Request):
    """Make a release, judge it, and write it."""

    kind: Literal["run"]
    options: RunOptions = RunOptions()


class Preview(_Request):
    """Show what a release would look like; nothing is written."""

    kind: Literal["preview"]
    options: PreviewOptions = PreviewOptions()


class Pareto(_Request):
    """Trace the least loss for every k, and release one point of it where one is picked."""

    kind: Literal["pareto"]
    options: ParetoOptions = ParetoOptions()


class Verify(_Request):
    """Judge whether a release keeps what it claims."""

    kind: Literal["verify"]
    options: VerifyOptions = VerifyOptions()


class Attack(_Request):
    """Play attackers against a release."""

    kind: Literal["attack"]
    options: AttackOptions


class Compare(_Request):
    """Compare makers over a sweep."""

    kind: Literal["compare"]
    options: CompareOptions = CompareOptions()


class Count(_Request):
    """Count how many people each node of the hierarchies covers."""

    kind: Literal["count"]
    options: CountOptions = CountOptions()


JobRequest = Annotated[
    Propose | Risk | Run | Preview | Pareto | Verify | Attack | Compare | Count, Field(discriminator="kind")
]


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
    kind: Literal["propose", "risk", "run", "preview", "pareto", "verify", "attack", "compare", "count"]
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
