"""What users give by name: the options of every job, and checks against the types that a function asks for.

The options of a job are declared here and nowhere else: the command line, the REST interface and the pages make theirs
of this table, so that a new option is one entry, and a parameter of the function that does the job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

__all__ = [
    "JOBS",
    "JobKind",
    "JobOption",
    "group_stated",
    "job_option",
]

_Takes = Literal[
    "whole",
    "seed",
    "number",
    "truth",
    "text",
    "file",
    "source",
    "size",
    "files",
    "texts",
    "list",
    "roles",
    "keys",
    "sweeps",
]
"""What an option takes: a whole number, the seed of random choices, a number, a yes, a text, a file, a source (file,
folder or database), a size (number or file), several files, several texts, a list, roles by column, keys of a section
with their values, what is swept."""


@dataclass(frozen=True, slots=True)
class JobOption:
    """One option of a job.

    name        : in Python and for pipelines; on the command line unless there is a `flag`
    takes       : what it takes
    help        : what it does, in one sentence
    metavar     : what the command line writes for its value
    least, most : the numbers that it takes, both included, unless the least is `excluded`
    default     : what the command takes where it is not given; a job then takes what its function does
    flag        : its name on the command line
    typed       : whether the command line has it, as an option of this form
    required    : whether it must be given
    parts       : the options of which it is made up
    """

    name: str
    takes: _Takes
    help: str
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    excluded: bool = False
    default: Any = None
    flag: str | None = None
    typed: bool = True
    required: bool = False
    parts: tuple["JobOption", ...] = ()


@dataclass(frozen=True, slots=True)
class JobKind:
    """One kind of job: the command that does it, what it does, and its options."""

    command: str
    about: str
    options: tuple[JobOption, ...]


_SEED = JobOption(
    "seed",
    "seed",
    "For papers and tests only: the release is a rehearsal and must not be published.",
    least=0,
)
_CHOICES = replace(_SEED, help="For papers and tests only: the same random choices.")
_SECONDS = JobOption("seconds", "number", "Stop searching after this many seconds.", least=0, excluded=True)
_PICK = JobOption(
    "pick", "number", "Release the cheapest point that reaches K, or that stays within DELTA.", "K|DELTA"
)
_PAGE = JobOption("page", "truth", "Write the page, which must not be published.", typed=False)
_AS_PROPOSED = JobOption(
    "as_proposed",
    "truth",
    "Publish what [undecided] names as it was proposed; manifest and report then say so.",
    typed=False,
)
_ALLOW_EMPTY = JobOption(
    "allow_empty", "truth", "Make a release even if it tells nothing of more than nine people in ten."
)
_STATED = ("k", "m", "n", "l", "t")
_RUN = (
    *(
        JobOption(
            name, "number" if name == "t" else "whole", f"Take this {name} instead of the configured one."
        )
        for name in _STATED
    ),
    JobOption("recoding", "file", "Apply the recoding.json of an earlier run to this data."),
    _ALLOW_EMPTY,
    _SEED,
)
_SWEEPS = (
    JobOption(
        "k", "text", "The k to try: 2:100 is 2, 3, 5, 10, 20, 50, 100; 2:100:1 each; 5; 2,5,7.", "2:100"
    ),
    JobOption("m", "text", "The m to try, written as those of --k.", "1:3"),
    JobOption("n", "text", "The n to try, written as those of --k.", "0:2"),
    JobOption("l", "text", "The l to try, written as those of --k.", "2:5"),
    JobOption("delta", "text", "The shares that one side may lose, with a step.", "0:1:0.1"),
    JobOption("suppress", "text", "The shares that may be left out, with a step.", "0:0.1:0.02"),
)

JOBS: Mapping[str, JobKind] = {
    "propose": JobKind(
        "init",
        "Look at a data file and propose a configuration for it.",
        (
            JobOption(
                "data",
                "source",
                "The file or folder to look at, or a database's URL where allowed.",
                typed=False,
                required=True,
            ),
            JobOption(
                "mappings",
                "files",
                "A table of values and their groups, such as towns and regions; may be given several times.",
                "FILE",
                flag="mapping",
            ),
            JobOption(
                "roles",
                "roles",
                "What a column is, where you know it already; may be given several times.",
                "COLUMN=ROLE",
                flag="role",
            ),
            JobOption(
                "audience",
                "text",
                "Who gets the release: k is proposed for them.",
                "public|partner|team",
                default="public",
                flag="for",
            ),
            JobOption(
                "preset",
                "text",
                "Follow rules that the release must keep: hipaa-safe-harbor, hipaa-safe-harbor-2000, hipaa-expert, "
                "ema-health-canada or wp29.",
                "NAME",
            ),
            JobOption(
                "settings",
                "keys",
                "Keys of [data] that are known already: sheet, header, skip, last, records, missing, decimal, "
                "thousands, dates.",
                typed=False,
            ),
            JobOption(
                "sample",
                "whole",
                "How many records to use where columns are examined together.",
                least=100,
                default=100_000,
            ),
        ),
    ),
    "risk": JobKind(
        "risk",
        "Measure how exposed people are before anything is done.",
        (
            JobOption(
                "data",
                "source",
                "A data file without a configuration; without it, the configuration is used.",
                typed=False,
            ),
            JobOption(
                "k",
                "whole",
                "People with fewer than K look-alikes count as easily found.",
                least=2,
                default=5,
            ),
            JobOption(
                "population",
                "size",
                "How many people the data are drawn from, or a file with all their records.",
                "N|FILE",
                least=1,
            ),
            JobOption(
                "fraction",
                "number",
                "The share of the population that is in the data.",
                least=0,
                most=1,
                excluded=True,
            ),
            JobOption("sample", "whole", "Look at N people only, drawn at random.", "N", least=1),
            JobOption(
                "missing",
                "text",
                "Whether a blank cell is a value of its own, or fits any value, where look-alikes are counted.",
                "own|any",
            ),
            _PAGE,
        ),
    ),
    "run": JobKind("run", "Make a release, judge it, and write it.", (*_RUN, _AS_PROPOSED)),
    "preview": JobKind(
        "run --preview",
        "Show what a release would look like; nothing is written.",
        (
            *_RUN,
            replace(_PICK, help="Look at the point for this k, or this delta.", typed=False),
            replace(_SECONDS, typed=False),
        ),
    ),
    "pareto": JobKind(
        "pareto",
        "Trace the least loss for every k, with one level per column, and release one point of it where one is picked.",
        (
            _SECONDS,
            _PICK,
            replace(_PAGE, help="Draw the front; it must not be published."),
            _AS_PROPOSED,
            _ALLOW_EMPTY,
            _SEED,
        ),
    ),
    "verify": JobKind(
        "verify",
        "Judge whether a release keeps what it claims.",
        (JobOption("against", "source", "The originals, to compare the release with.", typed=False),),
    ),
    "attack": JobKind(
        "attack",
        "Simulate attackers against a release.",
        (
            JobOption(
                "against",
                "source",
                "The originals: a file, a folder, or a database's URL.",
                "ORIGINAL|URL",
                required=True,
            ),
            JobOption(
                "fail_above",
                "number",
                "Exit with 1 if an attacker inside the claim, or the one named with --attacker, may be right more "
                "often than P.",
                "P",
                least=0,
                most=1,
            ),
            JobOption(
                "attacker", "text", "Show this attacker only, and compare it with --fail-above.", "NAME"
            ),
            JobOption("people", "whole", "Try at most N people, drawn at random.", "N", least=1),
            JobOption(
                "control",
                "source",
                "People who are not in the release, with the same columns: what is learned about them as well is "
                "not a leak.",
                "FILE",
            ),
            replace(_CHOICES, typed=False),
        ),
    ),
    "compare": JobKind(
        "compare",
        "Compare methods over a sweep.",
        (
            JobOption(
                "methods",
                "list",
                "The methods to compare, or `default` for the one that a run takes; by default all that fit.",
                "A,B,...",
            ),
            JobOption("sweeps", "sweeps", "Numbers to try, as the command takes them.", parts=_SWEEPS),
            JobOption("sample", "whole", "Compare on N records drawn at random.", "N", least=2),
            JobOption(
                "target", "text", "Train models on each release to predict COLUMN (extra ml).", "COLUMN"
            ),
            replace(
                _SECONDS,
                help="Give up a point that takes longer; by default 120 s where no methods are named.",
            ),
            JobOption(
                "attackers",
                "truth",
                "Also try attackers who read more from a table's labels than they say; by default on small data only.",
            ),
            JobOption("jobs", "whole", "How many processes work at once; by default one per core.", least=1),
            _CHOICES,
        ),
    ),
    "prices": JobKind(
        "run --preview",
        "Try releases without each quasi-identifier, and with each coarser by one level; nothing is written.",
        (
            JobOption("sample", "whole", "Try them on N records drawn at random.", least=2, typed=False),
            replace(_SECONDS, help="Stop trying after this many seconds; by default 60.", typed=False),
        ),
    ),
    "count": JobKind(
        "hierarchy count",
        "Count how many people each node of the hierarchies covers.",
        (JobOption("columns", "texts", "Only this column, or field of record trees.", flag="column"),),
    ),
}
"""Every kind of job by its name."""


def job_option(kind: str, name: str) -> JobOption:
    """One option of a kind of job."""
    return next(option for option in JOBS[kind].options if option.name == name)


def group_stated(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run as its function takes them: what is stated of the guarantee stands together.

    >>> group_stated({"k": 4, "t": 0.2, "seed": 1})
    {'stated': {'k': 4, 't': 0.2}, 'seed': 1}
    """
    stated = {name: options[name] for name in _STATED if name in options}
    return {"stated": stated, **{name: value for name, value in options.items() if name not in stated}}
