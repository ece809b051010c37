"""Read the parameters of every method from its signature and docstring, and write them down for whoever only asks.

Run `python -m shoal.algorithms.derive_knobs` after a parameter of a method, or what is said of it, has changed.
"""

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.algorithms import METHODS, find_method
from shoal.algorithms.knobs import KNOBS, Knob, OneOf, Within
from shoal.utility.baskets import ABSENT

__all__ = ["_dump_knobs", "derive_knobs"]

_OURS = ("progress", "rng", "whole", "public")
_OF_THE_CLAIM = {
    "insiders": Knob(
        "insiders",
        ("whole",),
        0,
        "How many people there may be whose rows the attacker knows already. It is part of what is promised: blocks "
        "then have at least k + insiders rows.",
        least=0,
    ),
    "privacy": Knob(
        "privacy",
        ("list",),
        None,
        "Lists of items that the attacker may know together. It stands in the place of m, and is all that is promised.",
    ),
    "repeats": Knob(
        "repeats",
        ("word",),
        None,
        "Whether equal siblings stay apart, and rows of tables and objects stay rows (keep), or are one, as in the "
        "paper (merge). With keep the promise is about both: what a person has, and how often. Without it, rows of "
        "tables and of arrays of objects are kept.",
        words=("keep", "merge"),
    ),
}
"""What stands in [method] and makes the claim: the method takes the claim, not these."""
_FRAGMENT = Knob(
    "fragment",
    ("whole",),
    None,
    "About how many records are anonymized together: the records are cut into fragments of similar ones. It takes less "
    "time and memory, and loses a little more. By default all records are together.",
    least=1,
)
"""What every method takes that can work on fragments; whoever runs it cuts the records."""
_MINIMAL = Knob(
    "minimal",
    ("truth",),
    True,
    "Whether l, t, beta, disclosure and alpha steer the method. It then does no more than needed, and anyone who knows "
    "the method can conclude something from that. With false it sees k alone, and k is doubled until the claim is "
    "kept: this loses more.",
)
"""What every method of tables takes that sensitive values steer; whoever runs it hides them."""
_INDIVIDUAL_RISK = Knob(
    "individual_risk",
    ("number",),
    None,
    "The highest individual risk that any released person may have, by the sampling weights (Benedetti and Franconi). "
    "It needs a column with the role weight. k is raised until it is reached. It is no part of what is promised, since "
    "nobody who has no weights can check it; the audit tells it. By default it is not looked at.",
    least=0,
    most=1,
)
"""What every method of tables takes that can be asked for another k; whoever runs it raises k."""
_OF_THE_AUDIT = {
    "absent": Knob(
        "absent",
        ("whole",),
        ABSENT,
        "Of how many items the audit asks which records lack them all, to see how far off such counts are (qe-absent). "
        "What is released does not depend on it.",
        least=1,
    )
}
"""What is asked of rows that were voted; whoever measures their losses takes it."""
_KINDS: dict[Any, str] = {float: "number", int: "whole", bool: "truth", str: "text", Mapping: "table"}
_KINDS |= {Sequence: "list"}
_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|^[A-Z]\w+   |\Z)", re.MULTILINE | re.DOTALL)
_ELSEWHERE = re.compile(r"(?:[Aa]s in|see|those of) `(?:[\w.]*\.)?(\w+)`")


def derive_knobs(name: str) -> tuple[Knob, ...]:
    """Return the parameters of a method as its signature and docstring have them; this imports the method."""
    entry = find_method(name)
    function = entry.load()
    hints = get_type_hints(function, include_extras=True)
    signature_knobs = tuple(
        Knob(
            parameter.name,
            **_parse_hint(hints[parameter.name]),
            default=parameter.default,
            about=_describe_parameter(name, parameter.name),
        )
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in _OURS
    )
    fragment_knobs = (_FRAGMENT,) if entry.fragments else ()
    minimal_knobs = (_MINIMAL,) if entry.is_steered else ()
    risk_knobs = (_INDIVIDUAL_RISK,) if entry.lowers_risk else ()
    audit_knobs = tuple(_OF_THE_AUDIT[key] for key in entry.theme.audit)
    return (
        signature_knobs
        + fragment_knobs
        + minimal_knobs
        + risk_knobs
        + audit_knobs
        + tuple(_OF_THE_CLAIM[key] for key in entry.claimed)
    )


def _dump_knobs() -> str:
    """Return the parameters of all methods, as the file holds them."""
    knobs_by_method = {name: [knob.as_dict() for knob in derive_knobs(name)] for name in METHODS}
    return f"{json.dumps(knobs_by_method, indent=1)}\n"


def _parse_hint(hint: Any) -> dict[str, Any]:
    """What a type says: kinds, words and range."""
    settings: dict[str, Any] = {"kinds": ()}
    for part in _union_members(hint):
        hint_type = get_origin(part) or part
        kind, *notes = get_args(part) if hint_type is Annotated else (hint_type,)
        words: tuple[str, ...] = get_args(part) if hint_type is Literal else ()
        for note in notes:
            if isinstance(note, OneOf):
                words = note.words
            elif isinstance(note, Within):
                settings |= {"least": note.least, "most": note.most, "below": note.below}
        settings["kinds"] += ("word" if words else _KINDS[kind],)
        if words:
            settings["words"] = words
    return settings


def _union_members(hint: Any) -> Iterator[Any]:
    """The types of a union, without None."""
    if get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from _union_members(part)
    elif hint is not NoneType:
        yield hint


def _describe_parameter(name: str, parameter: str) -> str:
    """What a method's docstring says of a parameter, or that of the method it names instead."""
    function = find_method(name).load()
    text = _parse_parameter_section(function).get(parameter)
    elsewhere = _ELSEWHERE.search(inspect.getdoc(function) or "" if text is None else text)
    if elsewhere is not None and (text is None or elsewhere.group(1) in METHODS):
        return _describe_parameter(elsewhere.group(1), parameter)
    assert text, f"{name}: the docstring says nothing of {parameter}"
    return text.replace("`", "").removesuffix(" See Notes.")


def _parse_parameter_section(function: Callable[..., Any]) -> dict[str, str]:
    """For each parameter that a docstring describes, its text in one line; two may share one."""
    section = _SECTION.search(inspect.getdoc(function) or "")
    entries: dict[str, str] = {}
    names: list[str] = []
    for line in (section.group(1) if section else "").splitlines():
        if line and not line.startswith(" "):
            names = [name.strip() for name in line.split(":")[0].split(",")]
        else:
            for name in names:
                entries[name] = f"{entries.get(name, '')} {line.strip()}".strip()
    return entries


if __name__ == "__main__":
    KNOBS.write_text(_dump_knobs(), encoding="utf-8")
