"""Every method with every claim it keeps, on drawn data, judged by twins that see only what was written.

Each release goes through the door into a folder, in a drawn format, and is read back by the plainest readers
(`naive_reading`); hierarchies are those that the user gave, read by `naive_hierarchies`; `naive_written` judges.

A case is a method and a claim, listed from the table of methods, so a new method is tried by being there. Each data set
has a number; case and number draw the data, what is asked and how it is recoded, so any of them can be had again.
"""

import json
import warnings
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch
from zlib import crc32

import numpy as np

import naive_hierarchies
import naive_reading
import naive_written
import soak_data
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.anonymization.run import anonymize_only, apply_recoding
from shoal.base.errors import InfeasibleError, InputError, ShoalError, ShoalWarning, UnkeptError
from shoal.shapes.registry import SHAPES

ELSEWHERE = {"k-map", "delta-presence", "k-anonymity of linked rows"}
"""Claims that need more than records; `test_population.py` and `test_pseudonyms.py` try them."""
KNOWN = "k-anonymity with known columns"
CASES = [
    (name, model)
    for name, found in METHODS.items()
    for model in found.claims
    if model not in ELSEWHERE and not found.numbers
]
"""Each method with each of its claims; those that take numbers alone have laws of their own."""
WAYS = ("usual", "usual", "span", "fragment", "stored rule")
"""How records are recoded; a method that has not this way takes its usual one."""

SPANNED = 200
"""The most values of a column that is written as spans here."""
_K, _M = (2, 2, 3, 4), (1, 2, 2, 3)
ASKED = {
    "k-anonymity": ("table", {"k": _K}),
    "average risk": ("table", {"k": _K, "average_risk": (0.2, 0.35)}),
    "k-anonymity of known subsets": ("table", {"k": _K, "subsets": (1, 2, 3)}),
    KNOWN: ("known", {"k": _K, "known_at_once": (1, 2, 3)}),
    "l-diversity": ("table", {"k": _K, "l": (2, 2, 3), "diversity": ("distinct", "entropy", "recursive")}),
    "t-closeness": ("table", {"k": _K, "t": (0.1, 0.3, 0.6), "distance": ("equal", "ordered")}),
    "beta-likeness": ("table", {"k": _K, "beta": (0.5, 2), "likeness": ("basic", "enhanced")}),
    "delta-disclosure privacy": ("table", {"k": _K, "disclosure": (0.7, 2)}),
    "(alpha,k)-anonymity": ("table", {"k": _K, "alpha": (0.5, 0.8)}),
    "hidden values": ("table", {"k": _K, "alpha": (0.5, 0.8), "hidden": (1, 2)}),
    "k^m-anonymity": ("baskets", {"k": _K, "m": _M}),
    "l^m-diversity": ("baskets", {"k": _K, "l": (2, 2, 3), "m": _M}),
    "k-anonymity of listed itemsets": ("baskets", {"k": _K, "privacy": (1, 2, 3)}),
    "nonreciprocal k-anonymity": ("labelled", {"k": _K}),
    "nonreciprocal k-anonymity and label diversity": ("labelled", {"l": (2, 2, 3)}),
    "(k,k^m)-anonymity": ("mixed", {"k": _K, "m": _M}),
    "(k,l^m)-diversity": ("mixed", {"k": _K, "l": (2, 2, 3), "m": _M}),
    "k^(m,n)-anonymity": ("trees", {"k": _K, "m": (1, 2, 2, 3), "n": (0, 1, 2)}),
    "k^(m,n)-anonymity and l-diversity": ("secret", {"k": _K, "l": (2, 3), "m": (1, 2), "n": (0, 1, 2)}),
}
"""For each claim, on which family of data it is tried, and the numbers and words that are asked for."""

_ALSO = {"nonreciprocal": {"insiders": (0, 0, 0, 1)}, "core": ASKED[KNOWN][1]}
"""What else can be asked of a method."""

_LEFT_OUT = (
    "target",
    "seconds",
    "grid",
    "utility",
    "weights",
    "privacy",
    "recode",
    "segment",
    "fragment",
    "insiders",
)
_NOT_WITHOUT_TARGET = ("ce",)
_OWN = {"suppress": (0, 0, 0, 0.2, 0.5), "delta": ("knee", 0, 0.3, 1), "allow": (True,), "d": (None, 1, 3)}


class BrokenError(AssertionError):
    """A release that does not keep what it claims, or a method that fell over."""


SAME = ("nodes", "nested rows", "linked tables", "sav", "zsav", "dta")
"""Names of forms that others have, too, and files with labels, which plain readers do not read."""


@dataclass(frozen=True)
class Outcome:
    """What became of a data set: judged, infeasible (with the reason's kind), the way and format it took, its size."""

    kind: str
    way: str = "usual"
    format: str = "memory"
    sentence: str = ""
    records: int = 0
    suppressed: int = 0
    values: int = 0


@lru_cache(maxsize=2048)
def data_set(family, number):
    """The data set of a family with this number; all methods and claims of the family share it."""
    return soak_data.drawn(family, np.random.default_rng([crc32(family.encode()), number]))


def soak(maker, model, number, *, write=True, pages=False):
    """Try a method and a claim on one data set.

    `write` sends the release through the door and reads it back, else it is judged from memory; `pages` lets the door
    measure for report and audit and write them too, which takes most of its time.

    Raises
    ------
    BrokenError
        The release does not keep the claim or the truth, or something else than a refusal happened.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShoalWarning)  # what to know of a release breaks nothing
        return _soaked(maker, model, number, write=write, pages=pages)


def _soaked(maker, model, number, *, write, pages):
    family, asked = ASKED[model]
    family = "known" if METHODS[maker].needs == KNOWN else family
    rng = np.random.default_rng([crc32(f"{maker}, {model}".encode()), number])
    numbers = {key: _pick(rng, some) for key, some in {**asked, **_ALSO.get(maker, {})}.items()}
    drawn = data_set(family, number)
    if "privacy" in numbers:
        numbers["privacy"] = _policy(rng, drawn, numbers["privacy"])
    if "hidden" in numbers:
        numbers["hidden"] = _hidden(rng, drawn, numbers["hidden"])
    way, options = _way(rng, maker), _options(rng, maker)
    if way == "span" and drawn.widest > SPANNED:
        way = "usual"
    if way == "span":
        options |= _pick(rng, ({"recode": "span"}, {"recode": "span"}, {"recode": "span", "grid": 5}))
    if any(knob.name == "utility" for knob in knobs(maker)) and rng.random() < 0.3:
        options |= {"utility": _policy(rng, drawn, 2)}
    options |= {"fragment": int(rng.integers(1, 7))} if way == "fragment" else {}
    try:
        release, drawn, way = _made(rng, maker, drawn, way, numbers, options)
    except (InfeasibleError, UnkeptError) as error:
        _require_hopeless(model, numbers, drawn, options, way, error)
        return Outcome("infeasible", way, sentence=str(error))
    except InputError as error:
        return Outcome("turned away", way, sentence=str(error))
    except ShoalError as error:
        raise BrokenError(f"{type(error).__name__}: {error}") from error
    model, numbers = _stated(model, numbers, options, release)
    format = (
        _pick(rng, tuple(name for name in SHAPES[drawn.data.shape].files if name not in SAME))
        if write
        else "memory"
    )
    rows, owners = _released(release, drawn, format, pages)
    if drawn.known:
        claims = (part for part in release.claim.parts if part.named == KNOWN)
        numbers = numbers | {"follows": next(claims).follows}
    _judge(model, numbers, drawn, release, rows, owners)
    records = len(drawn.originals)
    return Outcome("judged", way, format, "", records, records - len(rows), drawn.widest)


def _pick(rng, some):
    return some[int(rng.integers(len(some)))]


def _way(rng, maker):
    way = _pick(rng, WAYS)
    if way == "span" and not any(knob.name == "recode" and "span" in knob.words for knob in knobs(maker)):
        return "usual"
    return "usual" if way == "fragment" and not METHODS[maker].fragments else way


def _options(rng, maker):
    """Options of a method: most times its usual ones, else any of its words and truths."""
    found = {}
    for knob in knobs(maker):
        if knob.name == "repeats":  # how records were read, and no choice of a method
            continue
        words = [word for word in knob.words if word not in _NOT_WITHOUT_TARGET]
        if knob.name in _OWN:
            found[knob.name] = _pick(rng, _OWN[knob.name])
        elif knob.name not in _LEFT_OUT and rng.random() < 0.4:
            if words:
                found[knob.name] = _pick(rng, words)
            elif "truth" in knob.kinds:
                found[knob.name] = bool(rng.random() < 0.5)
            elif "whole" in knob.kinds:
                found[knob.name] = int(rng.integers(1, 5))
    return {key: value for key, value in found.items() if value is not None}


def _policy(rng, drawn, many):
    """Itemsets to protect, of items that occur."""
    items = sorted({item for row in drawn.originals for item in row["items"]})
    sizes = [int(rng.integers(1, min(3, len(items)) + 1)) for _ in range(many)] if items else []
    return [[str(item) for item in rng.choice(items, size, replace=False)] for size in sizes] or [["none"]]


def _hidden(rng, drawn, many):
    """Values to hide of the first sensitive column that is published as it is."""
    names = [column.name for column in drawn.data.table.role("sensitive") if column.name not in drawn.levels]
    if not names:
        return {"none": ["none"]}
    values = sorted({row[names[0]] for row in drawn.originals if row[names[0]]}) or ["none"]
    return {names[0]: [str(value) for value in rng.choice(values, min(many, len(values)), replace=False)]}


def _made(rng, maker, drawn, way, numbers, options):
    """The release, the data it is of, and the way it took."""
    seed = int(rng.integers(2**31))
    try:
        release = anonymize_only(drawn.data, allow_empty=True, method=maker, seed=seed, **numbers, **options)
    except InputError:  # options that do not go together, or data that nobody may publish like this
        usual = {key: options[key] for key in options if key in ("suppress", "allow", "recode", "fragment")}
        release = anonymize_only(drawn.data, allow_empty=True, method=maker, seed=seed, **numbers, **usual)
    rule = json.loads(json.dumps(release.recoding))
    if way != "stored rule" or not {"levels", "cuts", "cut", "sets"} & rule.keys() or "privacy" in numbers:
        return release, drawn, "usual" if way == "stored rule" else way
    other = drawn.again(rng)
    share = options.get("suppress", 0) if other.data.shape == "table" else 0
    released = apply_recoding(other.data, rule, seed=seed, suppress=share, allow_empty=True, **numbers)
    return released, other, way


def _require_hopeless(model, numbers, drawn, options, way, error):
    """What is said to be infeasible is: k people are enough where nothing but k is asked."""
    crowd = drawn.heads
    if model == "k^m-anonymity":
        crowd = sum(bool(row["items"]) for row in drawn.originals)
    plain = model in ("k-anonymity", "k^m-anonymity", "(k,k^m)-anonymity", KNOWN)
    narrow = options.get("d") or options.get("utility") or options.get("delta", "knee") != "knee"
    if plain and isinstance(error, InfeasibleError) and numbers["k"] <= crowd and not narrow:
        raise BrokenError(f"{crowd} people are enough for k={numbers['k']}, but: {error}")


def _stated(model, numbers, options, release):
    """What the release claims: what was asked for, unless the method is known to promise less."""
    said = [part.named for part in release.claim.parts]
    if model in said:
        return model, numbers
    if options.get("graph") == "greedy" and said == [
        "nonreciprocal k-anonymity"
    ]:  # the paper's, see docs/evidence/errata.md
        return said[0], {"k": numbers["l"]}
    raise BrokenError(f"{model} was asked for, but the release claims {' and '.join(said)}")


def _released(release, drawn, format, pages):
    """The released rows, or record trees, and the original of each: from memory or as they were written."""
    shape = drawn.data.shape
    if format == "memory":
        rows = release.data
        if shape == "trees":
            return naive_reading.trees_of(rows.to_dicts()), release.rows.tolist()
        return naive_reading.rows_of(rows, release.groups), release.rows.tolist()
    with TemporaryDirectory() as room, ExitStack() as stack:
        folder = Path(room) / "out"
        if not pages:  # they take nine tenths of the time
            stack.enter_context(patch("shoal.anonymization.release.PAGES", ()))
            stack.enter_context(patch("shoal.anonymization.release.auditors_of", return_value=()))
        release.save(folder, format=format, rows=True)
        owners = naive_reading.read_owners(folder.with_name("out.private"))
        if shape == "trees":
            return naive_reading.read_trees(folder, format, soak_data.HEADS), owners
        return naive_reading.read_rows(folder, format), owners


def _readings(drawn, owners):
    """All that the hierarchies may mean which the user gave, by column or class."""
    names = {*drawn.quasi, *drawn.levels} if drawn.data.shape != "trees" else set(drawn.rules)
    names |= {"items"} & drawn.rules.keys()
    found = {
        name: naive_hierarchies.readings(
            drawn.rules.get(name),
            soak_data.values_of(drawn, name),
            soak_data.values_of(drawn, name, owners),
            soak_data.GAPS,
            partly=name == "items",
        )
        for name in sorted(names)
    }
    for paths in product(*found.values()):
        yield dict(zip(found, paths, strict=True))


def _judge(model, numbers, drawn, release, rows, owners):
    """Some reading of the hierarchies must make the release true and keep its claim."""
    if len(owners) != len(rows) or len(set(owners)) != len(owners):
        raise BrokenError(f"{len(rows)} rows of {len(set(owners))} people are released")
    complete = not release.manifest["suppressed_items"]
    first = ""
    for paths in _readings(drawn, owners):
        wrong = _wrong(model, numbers, drawn, rows, owners, paths, complete)
        if not wrong:
            return
        first = first or wrong
    raise BrokenError(first)


def _wrong(model, numbers, drawn, rows, owners, paths, complete):
    """What is wrong with a release; nothing is an empty text."""
    own = [drawn.originals[owner] for owner in owners]
    written = naive_written.Written(
        rows,
        drawn.quasi,
        drawn.sensitive,
        paths,
        None if drawn.persons is None else [drawn.persons[owner] for owner in owners],
        drawn.secrets,
        drawn.secret,
        [set(row["items"]) for row in own] if "items" in own[0] else [],
        drawn.plain,
        drawn.known,
    )
    try:
        views = [written]
        if drawn.known:  # everything holds for whoever knows some columns
            at_once, follows = numbers["known_at_once"], numbers["follows"]
            views = naive_written.seen_by_knowledge(written, at_once, follows)
        judge = naive_written.JUDGES["k-anonymity" if model == KNOWN else model]
        bad = [row for view in views for row in judge(view, **numbers, negations=drawn.negations)]
        if drawn.data.shape == "trees":
            untrue = naive_written.untrue_trees(written, own)
        else:
            blanks = model == "k-anonymity of known subsets"
            untrue = naive_written.untrue_rows(written, own, complete=complete, blanks=blanks)
    except naive_written.UnreadableError as error:
        return str(error)
    if bad:
        return f"rows {sorted(set(bad))} break {model} with {numbers}"
    return f"rows {untrue} are not true" if untrue else ""


def soaked(maker, model, numbers, **how):
    """Count what becomes of data sets with these numbers; the first that is broken ends it."""
    counts = Counter()
    for number in numbers:
        try:
            found = soak(maker, model, number, pages=number % 100 == 50, **how)
        except Exception as error:
            raise BrokenError(
                f"{maker}, {model}, data set {number}: {type(error).__name__}: {error}"
            ) from error
        counts[found.kind] += 1
        counts["written"] += found.format != "memory"
        counts["wide"] += found.kind == "judged" and found.values > 62
    return counts
