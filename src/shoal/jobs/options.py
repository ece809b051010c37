"""What users give by name: the options of every job, and checks against the types that a function asks for.

The options of a job are declared here and nowhere else: the command line, the REST interface and the pages make theirs
of this table, so that a new option is one entry, and a parameter of the function that does the job.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.base.errors import InputError
from shoal.base.naming import offered

__all__ = [
    "JOBS",
    "JobKind",
    "JobOption",
    "check_arguments",
    "check_control",
    "check_options",
    "check_seed",
    "check_whole",
    "group_stated",
    "is_number",
    "job_option",
]

Takes = Literal[
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
    takes: Takes
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
        "Trace the least loss for every k, and release one point of it where one is picked.",
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
    "count": JobKind(
        "hierarchy count",
        "Count how many people each node of the hierarchies covers.",
        (JobOption("columns", "texts", "Only this column, or field of record trees.", flag="column"),),
    ),
}
"""Every kind of job by its name."""


def job_option(kind: str, name: str) -> JobOption:
    """One option of a kind of job."""
    return next(one for one in JOBS[kind].options if one.name == name)


def group_stated(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run as its function takes them: what is stated of the guarantee stands together.

    >>> group_stated({"k": 4, "t": 0.2, "seed": 1})
    {'stated': {'k': 4, 't': 0.2}, 'seed': 1}
    """
    stated = {name: options[name] for name in _STATED if name in options}
    return {"stated": stated, **{name: value for name, value in options.items() if name not in stated}}


_OURS = ("progress", "rng", "whole", "public")
_MOST = 2**31 - 1
"""The largest whole number that counts anything here."""


def check_options(
    name: str, algorithm: Callable[..., Any], options: Mapping[str, Any], known: Sequence[str]
) -> None:
    """Refuse an option that the method does not have, or that is of another type."""
    hints = get_type_hints(algorithm)
    own = [key for key in known if key not in _OURS]
    for key, value in options.items():
        if key not in own:
            raise InputError(f"method {name}: no parameter '{key}'; {offered(key, own)}")
        if not _fits(value, hints[key]):
            raise InputError(f"method {name}: parameter '{key}' must be {_words(hints[key])}")


def check_arguments(name: str, hints: Mapping[str, Any], **given: Any) -> None:
    """Refuse an argument of a function of ours that is of another type."""
    for key, value in given.items():
        if not _fits(value, hints[key]):
            raise InputError(f"{name}: '{key}' must be {_words(hints[key])}")


def check_control(job: str, share: object) -> None:
    """Refuse a control group that is no share of the people."""
    if share is not None and not (is_number(share) and 0 < float(str(share)) < 1):
        raise InputError(
            f"{job}: control is not a share of the people; give one above 0 and below 1, such as 0.3"
        )


def check_seed(seed: object) -> None:
    """Refuse a seed that is no whole number from 0 on."""
    if seed is not None and (not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0):
        raise InputError("seed: it must be a whole number, 0 or more")


def check_whole(name: str, key: str, value: object) -> None:
    """Refuse a parameter of a method that is no whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"method {name}: parameter '{key}' must be a whole number of at least 1")


def is_number(value: object) -> bool:
    """Whether a value is a number that can be counted with.

    >>> [is_number(value) for value in (1, 0.5, float("nan"), float("inf"), True, "1", 10**400)]
    [True, True, False, False, False, False, False]
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return isfinite(value)
    except OverflowError:
        return False


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type; whole numbers count as real ones, lists as tuples."""
    parts = get_args(hint)
    match get_origin(hint) or hint:
        case kind if kind in (Union, UnionType):
            return any(_fits(value, part) for part in parts)
        case kind if kind is Literal:
            return isinstance(value, str) and value in parts
        case kind if kind is bool:
            return isinstance(value, bool)
        case kind if kind is int:
            return isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) <= _MOST
        case kind if kind is float:
            return is_number(value)
        case kind if kind in (str, NoneType):
            return isinstance(value, kind)
        case kind if kind is Mapping:
            return isinstance(value, Mapping) and all(
                _fits(key, parts[0]) and _fits(one, parts[1]) for key, one in value.items()
            )
        case kind if kind in (Sequence, tuple):
            return isinstance(value, list | tuple) and all(_fits(one, parts[0]) for one in value)
        case _:
            return True


_WORDS = {
    bool: ("true or false", "truth values"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
}


def _words(hint: Any, many: bool = False) -> str:
    """A type in words.

    >>> _words(Mapping[str, float] | None), _words(Sequence[Sequence[str]])
    ('a table of names and numbers', 'a list of lists of texts')
    """
    parts = [part for part in get_args(hint) if part is not NoneType]
    match get_origin(hint) or hint:
        case kind if kind in (Union, UnionType):
            return " or ".join(_words(part, many) for part in parts)
        case kind if kind is Literal:
            return f"one of {', '.join(parts)}" if len(parts) > 1 else f"'{parts[0]}'"
        case kind if kind is Mapping:
            return f"{'tables' if many else 'a table'} of names and {_words(parts[1], many=True)}"
        case kind if kind in (Sequence, tuple):
            return f"{'lists' if many else 'a list'} of {_words(parts[0], many=True)}"
        case kind:
            return _WORDS[kind][many] if kind in _WORDS else "something else"
