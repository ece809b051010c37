"""Facts in plain words: numbers, labels, the claim, the names of risks."""

import datetime as dt
import math
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.base.naming import resource_table
from shoal.io.settings import WHOLE_FILE
from shoal.privacy import CLAIMS
from shoal.report.facts import Accuracy, FullKnowledge
from shoal.utility import find_headline

__all__ = [
    "NUMBERS",
    "PUBLISHED",
    "RISKS",
    "ROLE_WORDS",
    "SHAPE_WORDS",
    "RoleWords",
    "ShapeWords",
    "accuracy_sentences",
    "accuracy_warnings",
    "changed_columns",
    "columns_sentences",
    "counts_sentence",
    "day",
    "describe_point",
    "full_knowledge_sentence",
    "label",
    "loss_sentence",
    "names_in_words",
    "note_advice",
    "note_limits",
    "note_sentence",
    "number",
    "percent",
    "percent_at_least",
    "proposed_sentences",
    "sentence",
    "shorten_label",
    "undecided_name",
    "undecided_names",
    "value",
]

NONE = "–"

RISKS = {
    "records": "Records",
    "classes": "Classes of records that look the same",
    "unique": "Records that are the only one of their kind",
    "below": "Records in classes smaller than",
    "highest": "Highest chance of finding one person",
    "average": "Average chance of finding one person",
    "smallest": "Smallest class",
    "median": "Median class size",
    "largest": "Largest class",
    "individual": "Average individual risk, by sampling weights",
    "individual_highest": "Highest individual risk, by sampling weights",
    "individual_above": "People whose individual risk is above 1/k",
    "expected": "People expected to be found, by sampling weights",
    "modelled_unique": "People alone here expected to be alone in the population, by a log-linear model",
    "modelled_matches": "People alone here expected to be matched rightly, by a log-linear model",
    "household": "Average risk that anybody of a person's household is found",
    "household_expected": "People expected to be in a household that is found",
    "household_size": "People expected to be found where the size of the household is known",
}


_WORDS = resource_table("shoal.report", "words.toml")


@dataclass(frozen=True, slots=True)
class RoleWords:
    """What people are told of columns of one role; `words.toml` says what each of these is."""

    short: str = ""
    about: str = ""
    several: str = ""
    named: str = ""
    released: str = ""
    field: bool = False
    chosen: bool = True


ROLE_WORDS = {role: RoleWords(**said) for role, said in _WORDS["role"].items()}
"""By role."""


@dataclass(frozen=True, slots=True)
class ShapeWords:
    """What people are told of data of one shape; `words.toml` says what each of these is."""

    name: str
    whole: str
    about: str
    records: str
    counted: str
    guarantee: str
    holder: str
    entry: str
    record: str
    left: str
    alike: str
    table: bool
    nested: bool
    known: str
    floor: str
    kind: str
    everything: str
    published: str
    no_floor: str = "none is known for such data"

    @property
    def without_floor(self) -> str:
        """Why no floor is given, in a sentence."""
        return f"no floor can be given here: {self.no_floor}"


PUBLISHED: Mapping[str, str] = _WORDS["published"]
"""What a column is published as, in a certificate; `words.toml` says which columns each is for."""

SHAPE_WORDS = {shape: ShapeWords(**said) for shape, said in _WORDS["shape"].items()}
"""By shape."""

NUMBERS = {
    **{key: said for claim in CLAIMS.values() for key, said in claim.meanings.items()},
    "k": "At least this many fit whatever the attacker may know of a person.",
    "m": "The attacker may know up to this many items or values of a person.",
    "n": "The attacker may know up to this many relations between these values.",
    "l": "At least this many different sensitive values are possible for a person.",
    "suppress": "Share of the records that may be left out.",
}
"""What each number of the guarantee means, by its key in [guarantee], and what every method may be told."""

_NOTES = {
    "one value": "column {column} shows the same in all {count} records that have it and so is of no use",
    "one sensitive value": "{count} records have the same {column} as everybody who looks like them, so "
    "anyone who finds "
    "the class learns it",
    "one sensitive value beside items": "{count} records have the same {column} as everybody who looks like them, so "
    "anyone who finds the class learns it",
    "one sensitive value of linked rows": "{count} records have the same {column} in the same row as everybody with "
    "the same rows, so anyone who finds the class learns it",
    "by frequency": "column {column}: grouped by frequency, not by meaning",
    "mean": "column {column}: each number is the mean of at least {count} people",
    "median": "column {column}: each number is the median of at least {count} people",
    "shifted": "column {column}: dates are shifted, those of one person by the same number of days",
    "rounded weights": "column {column}: sampling weights are rounded, and each is that of at least {count} people who "
    "look the same",
    "weights in classes": "column {column}: sampling weights are those of a few classes, and each is that of at least "
    "{count} people who look the same",
    "calibrated weights": "column {column}: sampling weights are calibrated, so they tell the weighted totals of "
    "published values and nothing else of the original weights",
    "allowed": "the owner of the data allowed column {column} to be published, and {count} records have a value there "
    "that no other record has",
}
"""What a note of the manifest says; anybody may read it, so it gives no advice."""

_NOT_COVERED = {
    "shifted": "anyone who knows a date of a person, or what falls on weekdays and holidays, and so finds the shift of "
    "column {column}: shifting is no guarantee, and the claim counts only what it says is known",
}
"""What a note adds to what a claim does not cover."""

_ONE_VALUE = "one sensitive value"
_WITHOUT_L, _HIDING = f"{_ONE_VALUE} without l", f"{_ONE_VALUE} beside hidden ones"
_BESIDE_K = "one value beside more than k"
"""What a note is where no l can be asked for, in a column with hidden values, and where more than k is asked for."""

_ADVICE = {
    "one value": "if people differ in {columns}, a smaller k or a finer hierarchy may show it",
    _BESIDE_K: "if people differ in {columns}, asking for less beside k, or a finer hierarchy, may show it",
    "one sensitive value": "ask for l of at least 2, and no class reveals anybody's {columns}",
    "by frequency": "groups by frequency mean little: give a hierarchy for {columns} to do better",
    "one sensitive value of linked rows": "with a pseudonym that links rows there is no l, so leave {columns} out if "
    "nobody should learn it, or make the pseudonym an identifier",
    "one sensitive value beside items": "a table with baskets has no l, so leave {columns} out if nobody should learn "
    "it",
    _WITHOUT_L: "with subsets there is no l, so leave {columns} out if nobody should learn it",
    _HIDING: "if nobody should learn {columns} at all, ask for l in place of hidden values",
}
"""What the owner of the data may do about it, once for all columns."""

_VALUE_KEYS = {"l", "t", "beta", "disclosure", "alpha"}
"""Numbers of claims about sensitive values, which may cost more than k."""

_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def number(value: object) -> str:
    """Write a number for reading.

    >>> [number(x) for x in (1234, 0.2149, 12.04, 12345.6, 0.0, None)]
    ['1,234', '0.215', '12', '12,346', '0', '–']
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NONE
    if not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    if value and abs(value) < 0.001:
        return f"{value:.1e}"
    text = f"{value:.1f}" if abs(value) >= 10 else f"{value:.3f}"
    return text.rstrip("0").rstrip(".")


def percent(share: float | None) -> str:
    """Write a share; 0% and 100% mean exactly that.

    >>> [percent(x) for x in (0.12, 0.0449, 0.00001, 0.99999, 1.0, 0)]
    ['12%', '4.5%', '<0.1%', '>99.9%', '100%', '0%']
    """
    if share is None or not math.isfinite(share):
        return NONE
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def percent_at_least(share: float) -> str:
    """Write a share that something has at least: rounded down to a tenth of a percent.

    >>> percent_at_least(0.0249), percent_at_least(0.0003)
    ('2.4%', '0%')
    """
    return percent(math.floor(1000 * share + 1e-9) / 1000)


def day(date: object) -> str:
    """Write a day of the calendar for reading; what is none stays as it is.

    >>> day("2026-03-01"), day(None)
    ('1 March 2026', '')
    """
    try:
        parsed = dt.date.fromisoformat(str(date))
    except ValueError:
        return "" if date is None else label(str(date))
    return f"{parsed.day} {parsed:%B} {parsed.year}"


def sentence(text: object) -> str:
    """Start with a capital and end with a stop: judges and claims speak in fragments."""
    words = str(text or "").strip()
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) or not words else '.'}"


def note_sentence(note: Mapping[str, object]) -> str:
    """Tell a note of the manifest in one sentence.

    >>> note_sentence({"kind": "one value", "column": "zip", "count": 40})
    'column zip shows the same in all 40 records that have it and so is of no use'
    """
    words = _NOTES.get(str(note.get("kind")), "")
    return words.format(column=label(str(note.get("column"))), count=number(note.get("count")))


def note_limits(notes: Iterable[Mapping[str, object]]) -> list[str]:
    """What notes of the manifest add to what its claim does not cover."""
    return [
        _NOT_COVERED[kind].format(column=label(str(note.get("column"))))
        for note in notes
        if (kind := str(note.get("kind"))) in _NOT_COVERED
    ]


def note_advice(notes: Iterable[Mapping[str, object]], claim: Mapping[str, Any] | None = None) -> list[str]:
    """What the owner of the data may do about notes of the manifest: one sentence for all columns of a kind.

    Where l does not go with the `claim` of the manifest, or with hidden values of a column, nobody is told to ask for
    it.

    >>> note_advice([{"kind": "one value", "column": name, "count": 40} for name in ("zip", "age")])
    ['if people differ in zip and age, a smaller k or a finer hierarchy may show it']
    """
    claims = [] if claim is None else claim.get("claims", [claim])
    hiding = {name for part in claims for name in part.get("hidden", ())}
    other_kind = {_ONE_VALUE: _WITHOUT_L} if any("subsets" in part for part in claims) else {}
    if any(_VALUE_KEYS & part.keys() for part in claims):
        other_kind["one value"] = _BESIDE_K
    columns: dict[str, list[str]] = {}
    for note in notes:
        kind, name = str(note.get("kind")), str(note.get("column"))
        kind = _HIDING if kind == _ONE_VALUE and name in hiding else other_kind.get(kind, kind)
        columns.setdefault(kind, []).append(label(name))
    return [
        _ADVICE[kind].format(columns=names_in_words(names))
        for kind, names in columns.items()
        if kind in _ADVICE
    ]


def undecided_name(name: str) -> str:
    """What nobody has decided about: a column's name, or the file."""
    return "the file as a whole" if name == WHOLE_FILE else label(name)


def undecided_names(names: Iterable[str]) -> str:
    """What nobody has decided about, in a sentence.

    >>> undecided_names(["*", "town"])
    "the file as a whole, 'town'"
    """
    return ", ".join(undecided_name(name) if name == WHOLE_FILE else f"'{label(name)}'" for name in names)


def proposed_sentences(names: Sequence[str]) -> list[str]:
    """What a manifest lists as published though nobody decided about it, in one sentence; none where it lists nothing.

    >>> proposed_sentences(["town", "zip"])
    ["these were published as shoal proposed, and nobody decided about them: 'town', 'zip'"]
    """
    if not names:
        return []
    opening = "this was published as shoal proposed, and nobody decided about it"
    if len(names) > 1:
        opening = "these were published as shoal proposed, and nobody decided about them"
    return [f"{opening}: {undecided_names(names)}"]


def full_knowledge_sentence(found: FullKnowledge | None) -> str:
    """How many are found by whoever knows all of a person: a clause without a full stop, empty where all may be known.

    >>> full_knowledge_sentence(FullKnowledge("trees", 5, 500, 385, 430))
    'anyone who knows the whole tree of a person can find 385 of 500 people: nobody else has the same published tree; \
45 more share theirs with fewer than 4 others'
    """
    if found is None:
        return ""
    words = SHAPE_WORDS[found.shape]
    but = "" if found.secret is None else f", but for {label(found.secret)},"
    attacker = f"anyone who knows {words.everything} of a person{but}"
    other_count = number(found.k - 1)
    if found.few is None:
        return f"{attacker} can find at least {number(found.alone)} of {number(found.records)} people"
    if not found.few:
        least = f"at least {other_count} others" if found.k > 2 else "at least one other"
        return f"{attacker} finds nobody alone: everybody shares the {words.published} with {least}"
    holders = "records" if found.shape == "table" else "people"
    found_words = number(found.alone) if found.alone else "none"
    clause = f"{attacker} can find {found_words} of {number(found.records)} {holders}"
    if found.alone:
        clause += f": nobody else has the same {words.published}"
    few_more = found.few - found.alone
    return (
        f"{clause}; {number(few_more)} more share theirs with fewer than {other_count} others"
        if few_more
        else clause
    )


def names_in_words(names: Sequence[str], most: int = 6) -> str:
    """Names in a sentence, the first of them where there are many.

    >>> names_in_words(["a"]), names_in_words(["a", "b", "c"]), names_in_words(["a", "b", "c", "d"], most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    parts = [*names[:most], f"{len(names) - most:,} more"] if len(names) > most else list(names)
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def loss_sentence(losses: Mapping[str, float]) -> str:
    """Tell the headline loss in words; empty where it is not among those told.

    >>> loss_sentence({"ncp": 0.18, "dm": 2.3e8}), loss_sentence({"dm": 2.3e8})
    ('18% of the detail is lost (ncp)', '')
    """
    main_loss = find_headline(losses)
    return "" if main_loss is None else f"{percent(main_loss[1])} of the detail is lost ({main_loss[0]})"


def counts_sentence(losses: Mapping[str, float]) -> str:
    """How far off counts of items are, for a small loss says little of what baskets are good for; empty elsewhere.

    >>> counts_sentence({"ncp": 0.003, "are-items": 20.1, "are": 0.5}), counts_sentence({"ncp": 0.003})
    ('counts of items are off by 2010%, of pairs by 50%', '')
    """
    if "are-items" not in losses:
        return ""
    item_clause = f"counts of items are off by {percent(losses['are-items'])}"
    pair_words = "items with values" if "items-ncp" in losses else "pairs"
    return f"{item_clause}, of {pair_words} by {percent(losses['are'])}" if "are" in losses else item_clause


def accuracy_sentences(accuracy: Accuracy | None) -> list[str]:
    """What analyses of a release can rely on, and what not; empty where nothing is known of that.

    >>> from shoal.report.facts import ColumnAccuracy, PairAccuracy
    >>> columns = [ColumnAccuracy("age", 0.9, mean=0.05), ColumnAccuracy("job", 0.4, counts=0.3)]
    >>> for line in accuracy_sentences(Accuracy(0.05, columns, [PairAccuracy("age", "sex", 0.2, -0.1)])): print(line)
    means of numbers are off by less than 0.05 of their standard deviation
    counts of groups are off by less than 30%, most of all of job
    less than half is left of job: an estimate that uses it may be far off and have the wrong sign
    related the other way than in the originals: age and sex; do not trust the sign of what you find about them
    """
    if accuracy is None:
        return []
    lines = []
    means = [column for column in accuracy.columns if column.mean is not None]
    if means:
        worst = max(means, key=lambda column: column.mean or 0.0)
        which = f", most of all of {label(worst.column)}" if len(means) > 1 else ""
        lines.append(
            f"means of numbers are off by less than {number(worst.mean or 0.0)} of their standard deviation{which}"
        )
    counts = [column for column in accuracy.columns if column.counts is not None]
    if counts:
        worst = max(counts, key=lambda column: column.counts or 0.0)
        share, name = percent(worst.counts or 0.0), label(worst.column)
        lines.append(f"counts of groups are off by less than {share}, most of all of {name}")
    weaker = [f"{label(pair.first)} and {label(pair.second)}" for pair in accuracy.pairs if pair.is_weaker]
    if weaker:
        lines.append(f"related less than half as much as in the originals: {_first_few(weaker)}")
    return [*lines, *accuracy_warnings(accuracy)]


def accuracy_warnings(accuracy: Accuracy | None) -> list[str]:
    """What of a release may lead an analysis astray: columns of which little is left, pairs whose relation turned."""
    if accuracy is None:
        return []
    lines = []
    if accuracy.faint:
        which = "it" if len(accuracy.faint) == 1 else "them"
        names = names_in_words([label(name) for name in accuracy.faint], most=len(accuracy.faint))
        lines.append(
            f"less than half is left of {names}: an estimate that uses {which} may be far off and have the wrong sign"
        )
    turned = [f"{label(pair.first)} and {label(pair.second)}" for pair in accuracy.pairs if pair.is_turned]
    if turned:
        lines.append(
            f"related the other way than in the originals: {_first_few(turned)}; do not trust the sign of what you "
            "find about them"
        )
    return lines


def _first_few(names: Sequence[str], most: int = 10) -> str:
    """Some names, and how many more there are."""
    return "; ".join(names[:most]) + (f"; and {len(names) - most:,} more pairs" if len(names) > most else "")


def columns_sentences(
    columns: Mapping[str, float | None],
    losses: Mapping[str, float],
    shape: str = "table",
    changed: Mapping[str, Collection[str]] | None = None,
) -> list[str]:
    """What became of the columns that came in, each with its loss (None: left out), and the headline loss.

    Columns that are `changed`, by how, are not kept although no detail of them may be lost.

    >>> columns_sentences({"age": 0.25, "sex": 0.0, "job": 1.0, "name": None}, {"ncp": 0.5})
    ['3 of 4 columns are published; of these 50% of the detail is lost (ncp); nothing is left of job', \
'kept: sex; coarser: age by 25%; left out: name']
    """
    loss_words = "; ".join(line for line in (loss_sentence(losses), counts_sentence(losses)) if line)
    left_out_names = [label(name) for name, loss in columns.items() if loss is None]
    changed_names = {name for names in (changed or {}).values() for name in names}
    if not columns:
        return [loss_words]
    parts = {
        "kept": [label(name) for name, loss in columns.items() if loss == 0 and name not in changed_names],
        **{
            treatment: [label(name) for name in columns if name in names]
            for treatment, names in (changed or {}).items()
        },
        "coarser": [
            f"{label(name)} by {percent(loss)}" for name, loss in columns.items() if loss and loss < 1
        ],
        "left out": left_out_names,
    }
    published_words = (
        f"{len(columns) - len(left_out_names):,} of {len(columns):,} {SHAPE_WORDS[shape].holder}s "
        "are published"
    )
    kind_words = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in parts.items() if names)
    empty = [label(name) for name, loss in columns.items() if loss is not None and loss >= 1]
    hollow = f"; nothing is left of {names_in_words(empty)}" if empty else ""
    return [
        (f"{published_words}; of these {loss_words}" if loss_words else published_words) + hollow,
        kind_words,
    ]


def changed_columns(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    """The columns whose values are others than they were, though no detail of them may be lost: by how, in words."""
    shifted_names = [
        str(note.get("column")) for note in manifest.get("notes", []) if note.get("kind") == "shifted"
    ]
    weight_kinds = ("rounded weights", "weights in classes", "calibrated weights")
    weights = [
        str(note.get("column")) for note in manifest.get("notes", []) if note.get("kind") in weight_kinds
    ]
    tokens = [name for name, role in manifest.get("columns", {}).items() if role == "pseudonym"]
    return {
        "published as tokens": tokens,
        "with shifted dates": shifted_names,
        "with changed weights": weights,
    }


def value(item: object) -> str:
    """Write any JSON value on one line, for parameters and traces whose names we do not know.

    >>> value({"suppress": 0.01, "loss": "glm", "weights": [1, 2]})
    'suppress 0.01, loss glm, weights 1, 2'
    """
    if isinstance(item, bool):
        return "yes" if item else "no"
    if isinstance(item, Mapping):
        return ", ".join(f"{label(str(key))} {value(part)}" for key, part in item.items()) or NONE
    if isinstance(item, list | tuple):
        return ", ".join(value(part) for part in item) or NONE
    return label(item) if isinstance(item, str) else number(item)


def label(text: str | None) -> str:
    r"""Return a label of the data as it may be shown: nothing that hides, reverses or breaks the line.

    >>> label(None), label(""), label("a\nb")
    ('(missing)', '(empty)', 'a b')
    """
    if text is None:
        return "(missing)"
    visible = "".join(
        "\ufffd" if char in _BIDI or unicodedata.category(char) == "Cs" else char for char in text
    )
    visible = "".join(" " if unicodedata.category(char) in {"Cc", "Zl", "Zp"} else char for char in visible)
    return visible if visible.strip() else "(empty)"


def shorten_label(text: str, most: int = 26) -> str:
    """Cut a long label for an axis; the figure's hover and table hold it whole."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def describe_point(at: Mapping[str, float]) -> str:
    """A point of a sweep in words, to stand behind something.

    >>> describe_point({"k": 5, "m": 2})
    ' at k=5, m=2'
    """
    return f" at {', '.join(f'{name}={value:g}' for name, value in at.items())}" if at else ""
