"""Presets: rules of laws and offices, each judged on what is released, and on nothing else.

A rule is kept, broken, or cannot be told from the released data alone. No preset is a claim: the claim stands beside
it, with a judge of its own.

HIPAA Safe Harbor: the identifiers of 45 CFR 164.514(b)(2), found by the names of columns and the form of cells. What
the names mean stands in words.toml of `shoal.data`, the rest in safe_harbor.toml. A judge of names and forms is no
reader: a name that stands in a column called otherwise is not found.

References
----------
.. [1] 45 CFR 164.514(b). HHS, Guidance regarding methods for de-identification of protected health information, 2012.
.. [2] European Medicines Agency. External guidance on the implementation of policy 0070. EMA/90915/2016, chapter 3.
.. [3] Health Canada. Guidance document on public release of clinical information, 2019.
.. [4] Article 29 Data Protection Working Party. Opinion 05/2014 on anonymisation techniques. WP216, section 3.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from math import inf
from typing import Any

from shoal.data.column_names import meaning
from shoal.errors import InputError
from shoal.hierarchy.vocabularies import vocabularies
from shoal.naming import offered, resource_table

__all__ = [
    "NO",
    "PRESETS",
    "UNTOLD",
    "YES",
    "Finding",
    "Preset",
    "ReleasedCells",
    "Rule",
    "as_stated",
    "check_preset",
    "contact_forms",
    "preset_named",
    "safe_harbor",
]

YES, NO, UNTOLD = "yes", "no", "cannot be told"
Answer = tuple[str, str]
"""The verdict, and what was found, in a sentence without a value."""


@dataclass(frozen=True, slots=True)
class ReleasedCells:
    """A release as everybody sees it.

    cells : by column, or field of record trees, each text that is not empty with how many records hold it
    roles : by column, its role; none of fields
    sizes : of a table, how many records each class has; empty where there are no classes, or where persons count
    year  : in which it was made
    told  : by sensitive column of a table, the fewest different values that a class has
    crowd : how many must be alike by the claim, which is judged beside every preset; 1 where it says nothing of that
    about : what the owner says of the release
    """

    cells: Mapping[str, Mapping[str, int]]
    roles: Mapping[str, str]
    sizes: Sequence[int]
    year: int
    told: Mapping[str, int] = field(default_factory=dict)
    crowd: int = 1
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule asks, by which place of its source, how it is judged, and what to do where it is broken.

    `figures` names what the private audit has beside it: a criterion of attackers, or "risk".
    """

    name: str
    asks: str
    source: str
    check: Callable[[ReleasedCells], Answer]
    mend: str = ""
    figures: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of rules; `limits` says what it does not promise, `risk` the highest risk that `init` proposes."""

    title: str
    limits: str
    rules: tuple[Rule, ...]
    risk: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one rule."""

    rule: Rule
    verdict: str
    found: str

    def as_dict(self) -> dict[str, str]:
        """The finding as the manifest holds it."""
        rule = self.rule
        return {
            "rule": rule.name,
            "asks": rule.asks,
            "source": rule.source,
            "verdict": self.verdict,
            "found": self.found,
        }


# --- how columns are called

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
NOTHING = frozenset({"*", "other"})
"""Labels that tell nothing."""


def called(name: str, concepts: Sequence[str], words: Sequence[str] = ()) -> bool:
    """Whether a column's name means one of some concepts of words.toml, or nothing there and holds one of some words.

    >>> called("patientFirstName", ["first name"]), called("drug_name", ["name"]), called("admit_month", [], ["month"])
    (True, False, True)
    """
    known = meaning(name)
    if known is not None:
        return known.what in concepts
    parts = [part.lower() for part in _WORD.findall(name)]
    spaced, joined = f" {' '.join(parts)} ", "".join(parts)
    return any(f" {word} " in spaced or joined == word.replace(" ", "") for word in words)


def columns_called(
    released: ReleasedCells, concepts: Sequence[str], words: Sequence[str] = ()
) -> Iterator[tuple[str, list[str]]]:
    """The columns that are called so and tell anything, with their texts."""
    for name, cells in released.cells.items():
        texts = [text for text in cells if text not in NOTHING]
        if texts and called(name, concepts, words):
            yield name, texts


OUT = 'give the column the role "identifier" or "drop", or another name if it is none'
"""What to do with a column that names a person."""
_PROSE = 5  # words of a text, on average
_ZIP_FORM = re.compile(r"(?<![\d-])\d{5}-\d{4}(?![\d-])")
_FIVE = re.compile(r"\d{5}")
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DATE_FORM = re.compile(
    r"(?<![\d-])(?:1[89]|20|21)\d\d[-/](?:0?[1-9]|1[0-2]|Q[1-4]|W\d\d)(?![\d])"
    r"|(?<![\d.])(?:1[89]|20|21)\d\d\.(?:0?[1-9]|1[0-2])\.(?:0?[1-9]|[12]\d|3[01])(?![\d.])"
    r"|(?<![\d.])(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|[12]\d|3[01])[./-](?:1[89]|20|21)\d\d(?!\d)"
    r"|(?<![\d/-])(?:0?[1-9]|[12]\d|3[01])[/-](?:0?[1-9]|[12]\d|3[01])[/-]\d\d(?![\d/-])"
    r"|(?<![\d./-])(?:0?[1-9]|1[0-2])[/-](?:1[89]|20|21)\d\d(?!\d)"
    rf"|\b{_MONTHS}\b[ .,-]*\d|\d[ .-]*\b{_MONTHS}\b|\d[年月]\d",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"\b{_MONTHS}\b|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b", re.IGNORECASE
)
_DOTTED = re.compile(
    r"(?:0?[1-9]|1[0-2])\.(?:1[89]|20|21)\d\d|(?:1[89]|20|21)\d\d\.(?:0[1-9]|1[0-2])"
)  # a month with its year; a single cell may be an amount
_YEARS = re.compile(r"(?<!\d)(?:1[89]|20|21)\d\d(?:s\b)?(?!\d)")
_AROUND = re.compile(r"(?:[\[\](){}<>=≤≥ ,;|–-]|to|and|or|before|earlier|later)*")
_ATOM = re.compile(
    r"[\[(]\s*(?P<low>\d+(?:\.\d+)?)\s*,\s*(?P<high>\d+(?:\.\d+)?)\s*(?P<end>[\])])"
    r"|(?P<sign>>=|≥|>|<=|≤|<)\s*(?P<bound>\d+(?:\.\d+)?)"
    r"|(?P<over>\d+)\s*\+"
    r"|(?P<from>\d+)\s*(?:-|–|to)\s*(?P<until>\d+)"
    r"|(?P<decade>\d{3}0)s\b"
    r"|(?P<one>\d+(?:\.\d+)?)"
)
_OLDEST = 89
_UNITS = {"month": 12, "week": 52, "day": 365}


def _table() -> dict[str, Any]:
    return resource_table("shoal.privacy", "safe_harbor.toml")


def _identifier(row: Mapping[str, Any]) -> Callable[[ReleasedCells], Answer]:
    """The rule that no column is called so, and that no cell is written so."""
    form = "".join(row.get("form", "").split("\n"))
    written = re.compile(form, re.IGNORECASE) if form else None

    def check(released: ReleasedCells) -> Answer:
        for name, _ in columns_called(released, row["concepts"], row.get("words", ())):
            return NO, f"column '{name}' is called like one"
        for name, cells in released.cells.items():
            if written is not None and any(map(written.search, cells)):
                return NO, f"column '{name}' has a cell that is written like one"
        return YES, f"no column is called like one{', and no cell is written like one' if form else ''}"

    return check


@cache
def contact_forms() -> tuple[re.Pattern[str], ...]:
    """How that stands in a cell, maybe among other words, by which one reaches a person or an office knows them."""
    forms = {row["name"]: row.get("form", "") for row in _table()["identifier"]}
    return tuple(
        re.compile(form, re.IGNORECASE)
        for form in (
            *(forms[name] for name in ("mail", "phone", "social security")),
            *_table()["reached"]["forms"],
        )
    )


def _names(released: ReleasedCells) -> Answer:
    found = _identifier(_table()["names"])(released)
    if found[0] == NO:
        return found
    for name, cells in released.cells.items():
        told = {text: many for text, many in cells.items() if text not in NOTHING}
        words = sum(len(text.split()) * many for text, many in told.items())
        if released.roles.get(name) in ("plain", "sensitive") and words >= _PROSE * max(
            1, sum(told.values())
        ):
            return UNTOLD, f"column '{name}' holds sentences, in which a name may stand"
    return YES, "no column is called like one; cells of other columns were not read as names"


def _places(census: str) -> Callable[[ReleasedCells], Answer]:
    table = _table()
    restricted, rows = frozenset(table["restricted"][census].split()), table["places"]

    def check(released: ReleasedCells) -> Answer:
        for name, texts in columns_called(released, rows["zips"]):
            runs = [run for text in texts for run in re.findall(r"\d+", text)]
            if any(len(run) > 3 for run in runs):
                return NO, f"column '{name}' shows more than three digits of a zip code"
            if not restricted.isdisjoint(runs):
                return (
                    NO,
                    f"column '{name}' shows first digits shared by at most 20,000 people, which must be 000",
                )
            if any(any(map(str.isalpha, text)) for text in texts):
                return NO, f"column '{name}' shows postal codes that are not US zip codes"
        for name, texts in columns_called(released, rows["concepts"]):
            if not all(map(_is_large, texts)) and not _are_states(name, texts):
                return NO, f"column '{name}' shows a place that is neither a state nor a country"
        for name, cells in released.cells.items():
            if any(map(_ZIP_FORM.search, cells)) or _reads_like_zip(cells):
                return NO, f"column '{name}' holds cells that are written like zip codes"
        for name, texts in columns_called(released, rows["regions"]):
            small = [text for text in texts if not _is_large(text)]
            if small and not _are_states(name, texts):
                if all(text.isdecimal() for text in small):
                    return (
                        UNTOLD,
                        f"column '{name}' holds codes of regions, which may be smaller than a state",
                    )
                return NO, f"column '{name}' shows a place that is neither a state nor a country"
        return YES, f"no smaller place by name or form; restricted zip codes by the census of {census}"

    return check


def _is_large(text: str) -> bool:
    """Whether a text is a state of the US, a country, or larger."""
    known = vocabularies()
    return text.lower() in _table()["large"]["places"] or any(
        known[which].read(text) is not None for which in ("us-states", "countries")
    )


def _are_states(name: str, texts: list[str]) -> bool:
    """Whether a column is called after states and holds numbers of two digits, as the census gives them."""
    return "state" in name.lower() and all(text.isdecimal() and len(text) <= 2 for text in texts)


def _reads_like_zip(cells: Mapping[str, int]) -> bool:
    """Whether all cells are five digits and one begins with a zero, as numbers do not."""
    texts = [text for text in cells if text not in NOTHING]
    return bool(texts) and all(map(_FIVE.fullmatch, texts)) and any(text[0] == "0" for text in texts)


def _dates(released: ReleasedCells) -> Answer:
    for name, cells in released.cells.items():
        texts = [text for text in cells if text not in NOTHING]
        if any(map(_DATE_FORM.search, texts)) or (texts and all(map(_DOTTED.fullmatch, texts))):
            return NO, f"column '{name}' shows more of a date than its year"
    rows = _table()["dates"]
    for name, texts in columns_called(released, rows["concepts"], rows["words"]):
        if not all(map(_tells_years, texts)):
            return NO, f"column '{name}' is named like a date and shows something other than years"
    return YES, "no cell looks like a date, and date columns show only years"


def _tells_years(text: str) -> bool:
    """Whether a text of a column that is called like a date tells years, or words that are no part of a date."""
    if not any(map(str.isdecimal, text)):
        return _NAMED.search(text) is None
    return _AROUND.fullmatch(_YEARS.sub("", text)) is not None


def _spans(text: str) -> list[tuple[float, float]]:
    """From where to below where the numbers of a label go; whole numbers are meant.

    >>> _spans("[85, 90)"), _spans(">= 90"), _spans("90+"), _spans("85-89"), _spans("1930s"), _spans("< 5")
    ([(85.0, 90.0)], [(90.0, inf)], [(90.0, inf)], [(85.0, 90.0)], [(1930.0, 1940.0)], [(-inf, 5.0)])
    """
    found = []
    for atom in _ATOM.finditer(text):
        said = {key: value for key, value in atom.groupdict().items() if value is not None}
        if "low" in said:
            found.append((float(said["low"]), float(said["high"]) + (said["end"] == "]")))
        elif "sign" in said:
            bound = float(said["bound"]) + (said["sign"] in (">", "<=", "≤"))
            found.append((bound, inf) if said["sign"] in (">=", "≥", ">") else (-inf, bound))
        elif "over" in said:
            found.append((float(said["over"]), inf))
        elif "from" in said:
            found.append((float(said["from"]), float(said["until"]) + 1))
        elif "decade" in said:
            found.append((float(said["decade"]), float(said["decade"]) + 10))
        else:
            found.append((float(said["one"]), float(int(float(said["one"])) + 1)))
    return found


def _ages(released: ReleasedCells) -> Answer:
    """89 is told, 90 is not; whoever was born so early that they may be 90 in the year of the release is one group."""
    unread = ""
    for name, texts in columns_called(released, ["age"]):
        many = next((many for word, many in _UNITS.items() if word in name.lower()), 1)
        top = (_OLDEST + 1) * many
        for text in texts:
            spans = _spans(text)
            if not all(high <= top or (high == inf and low <= top) for low, high in spans):
                return (
                    NO,
                    f"column '{name}' shows an age over {_OLDEST} that is not in one group of 90 and over",
                )
            unread = unread or ("" if spans else name)
    first = released.year - _OLDEST
    for name, texts in columns_called(released, _table()["dates"]["births"]):
        spans = [span for text in texts for span in _spans(text)]
        if not all(low >= first or (low == -inf and high >= first) for low, high in spans):
            return NO, f"column '{name}' shows years of birth before {first}, of people over {_OLDEST}"
    if unread:
        return UNTOLD, f"column '{unread}' is called an age and holds words"
    return YES, f"no column of ages or births shows an age over {_OLDEST}"


_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9/_-]{3,}")
_MANY, _OWN = 20, 0.9  # records, and the share of them with a value of their own


def _unique_codes(released: ReleasedCells) -> Answer:
    """Whether a column is called like a number of persons, holds pseudonyms, or codes that hardly anybody shares."""
    named = _identifier(_table()["codes"])(released)
    if named[0] == NO:
        return named
    for name, cells in released.cells.items():
        if released.roles.get(name) == "pseudonym":
            return NO, f"column '{name}' holds pseudonyms, which are derived from what they stand for"
        records = sum(cells.values())
        if released.roles.get(name) in ("quasi", "items") or records < _MANY or len(cells) < _OWN * records:
            continue
        if sum(map(bool, map(_CODE.fullmatch, cells))) >= _OWN * len(cells):
            return NO, f"column '{name}' holds codes that hardly anybody shares"
    return YES, "no column is called like one, and none holds codes that hardly anybody shares"


def _identifier_rules() -> list[Rule]:
    """Names, numbers, addresses and marks, each with its letter."""
    rows = _table()["identifier"]
    return [
        Rule("names", "No names", _at("A"), _names, OUT),
        *(Rule(row["name"], row["asks"], _at(row["letter"]), _identifier(row), OUT) for row in rows),
        Rule("other codes", "No other unique number, mark or code", _at("R"), _unique_codes, OUT),
    ]


def _at(letter: str) -> str:
    return f"45 CFR 164.514(b)(2)(i)({letter})"


def direct_identifiers(released: ReleasedCells) -> Answer:
    """What Safe Harbor's list finds of identifiers; places, dates and ages apart."""
    found = [(rule.name, *rule.check(released)) for rule in _identifier_rules()]
    for verdict in (NO, UNTOLD):
        for name, judged, said in found:
            if judged == verdict:
                return verdict, f"{name}: {said}"
    return YES, "no column is called like one, and no cell is written like one"


def safe_harbor(census: str) -> Preset:
    """The rules of 45 CFR 164.514(b)(2), the restricted zip codes by one census."""
    names, *numbers = _identifier_rules()
    return Preset(
        f"HIPAA Safe Harbor, zip codes by the census of {census}",
        "It is a list of what must go, and no k: it promises nobody a look-alike.",
        (
            names,
            Rule(
                "places",
                "No place smaller than a state but the first three digits of a zip code, and 000 where at most 20,000 "
                "people share these",
                _at("B"),
                _places(census),
                'zip codes take hierarchy = { vocabulary = "us-zip-safe-harbor" } and level = 1, other places the role '
                '"drop"',
            ),
            Rule(
                "dates",
                "Of dates about a person, the year alone",
                _at("C"),
                _dates,
                'give it hierarchy = { dates = ["year"] } and level = 1, or the role "drop"',
            ),
            Rule(
                "ages",
                "Ages over 89, and years that reveal them, in one group of 90 and over",
                _at("C"),
                _ages,
                "ages take hierarchy = { ranges = [1, 5], top = 90 } and level = 1; years and dates of birth a bottom "
                "instead of the top, the year of the release less 89",
            ),
            *numbers,
            Rule(
                "knowledge",
                "The publisher does not know that what is left could identify somebody",
                "45 CFR 164.514(b)(2)(ii)",
                lambda released: (UNTOLD, "only the publisher can say so"),
            ),
        ),
    )


# --- presets ------------------------------------------------------------------------------------------------


_OFFICES = 0.09
_SLACK = 1e-12  # quotients of whole numbers: exactly the threshold must pass


def preset_named(name: str) -> Preset:
    """The preset of a name.

    Raises
    ------
    InputError
        There is none.
    """
    if name not in PRESETS:
        raise InputError(f"release: there is no preset '{name}'; {offered(name, PRESETS)}")
    return _made(name)


@cache
def _made(name: str) -> Preset:
    return PRESETS[name][1]()


def check_preset(name: str, released: ReleasedCells) -> list[Finding]:
    """Judge every rule of a preset on a release.

    >>> ages = ReleasedCells({"age": {"89": 7, "90": 5}}, {"age": "quasi"}, (7, 5), 2026)
    >>> [one.rule.name for one in check_preset("hipaa-safe-harbor", ages) if one.verdict == "no"]
    ['ages']
    >>> [one.rule.name for one in check_preset("ema-health-canada", ages) if one.verdict == "no"]
    ['highest risk', 'average risk', 'share above']
    """
    return [Finding(rule, *rule.check(released)) for rule in preset_named(name).rules]


def as_stated(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """A preset and what was found of it, as the manifest holds it."""
    preset = preset_named(name)
    return {
        "name": name,
        "title": preset.title,
        "limits": preset.limits,
        "rules": [one.as_dict() for one in findings],
    }


# --- figures of risk: of the classes of a table, elsewhere by the claim that is judged beside the preset

Threshold = Callable[[ReleasedCells], float]


def _highest(threshold: Threshold, released: ReleasedCells) -> Answer:
    most = threshold(released)
    if released.sizes:
        risk, words = 1 / min(released.sizes), f"the smallest class has {min(released.sizes)} records"
    elif released.crowd > 1:
        risk = 1 / released.crowd
        words = f"the claim asks for {released.crowd}, for the attacker whom it names"
    else:
        return NO, "the claim does not bound it, and there are no classes to count"
    verdict = YES if risk <= most + _SLACK else NO
    return verdict, f"{risk:.4f}, {'at most' if verdict == YES else 'more than'} {most:.4g}: {words}"


def _average(threshold: Threshold, released: ReleasedCells) -> Answer:
    if not released.sizes:
        return UNTOLD, "there are no classes to count; it is no higher than the highest"
    classes, records = len(released.sizes), sum(released.sizes)
    verdict = YES if classes / records <= threshold(released) + _SLACK else NO
    return verdict, f"{classes / records:.4f}: {classes:,} classes of {records:,} records"


def _share(threshold: Threshold, released: ReleasedCells) -> Answer:
    most = threshold(released)
    if not released.sizes:
        return UNTOLD, "there are no classes to count; none is, where the highest risk is kept"
    above = sum(size for size in released.sizes if 1 / size > most + _SLACK)
    share = above / sum(released.sizes)
    return (NO if above else YES), f"{above:,} of {sum(released.sizes):,} records ({share:.2%})"


def _risks(threshold: Threshold, words: str, source: str) -> tuple[Rule, ...]:
    asked: dict[str, tuple[str, Callable[[Threshold, ReleasedCells], Answer]]] = {
        "highest risk": (f"Nobody is found with a chance above {words} by all quasi-identifiers", _highest),
        "average risk": (
            f"Somebody who matches everybody is right for no larger share than {words}",
            _average,
        ),
        "share above": (f"No record has a risk above {words}", _share),
    }
    more = "ask for a larger k, or for risk in [guarantee]"
    return tuple(
        Rule(name, asks, source, partial(check, threshold), more, "risk")
        for name, (asks, check) in asked.items()
    )


def _said(key: str, words: str) -> Callable[[ReleasedCells], Answer]:
    """The rule that the owner says something, which nobody can judge but everybody can read."""
    return lambda released: (
        (YES, "the publisher says so above; nobody has checked it")
        if key in released.about
        else (UNTOLD, f"{words}; give {key} in [release]")
    )


def _untold(why: str) -> Callable[[ReleasedCells], Answer]:
    return lambda released: (UNTOLD, why)


# --- HIPAA expert determination


def _of_claim(released: ReleasedCells) -> float:
    """The threshold of an expert is the one that the claim states: 1 / k."""
    return 1 / released.crowd


def _threshold(released: ReleasedCells) -> Answer:
    if released.crowd < 2:
        return NO, "the claim bounds nobody's risk"
    stated = f"1 / {released.crowd} = {1 / released.crowd:.4f}"
    if "reason" in released.about:
        return YES, f"{stated}; the reason is given above"
    return UNTOLD, f"{stated}; no reason is given why it is very small: give reason in [release]"


def _expert() -> Preset:
    at = "45 CFR 164.514(b)(1)({})".format
    return Preset(
        "HIPAA expert determination",
        "It is evidence for an expert, who alone can determine that the risk is very small; the law names no number.",
        (
            Rule("threshold", "A highest risk is stated, with a reason", at("i"), _threshold,
                 "give k, or risk, in [guarantee]"),
            *_risks(_of_claim, "the one that is stated", at("i")),
            Rule("direct identifiers", "No names, numbers and addresses of Safe Harbor's list", at("i"),
                 direct_identifiers, OUT),
            Rule("recipient", "It is known who will get the data", at("i"), _said("recipient", "this is not stated")),
            Rule("other information", "What else recipients can reasonably get hold of does not help them",
                 at("i"), _untold("the private audit simulates attackers who know more than the claim allows; an "
                                  "expert weighs the results"), figures="linkability"),
            Rule("methods and results", "Methods and results of the analysis are documented", at("ii"),
                 lambda released: (YES, "claim, method, parameters and losses stand in this report, figures of risk "
                                        "before and after in the private audit")),
            Rule("expert", "A person with knowledge and experience of such methods has determined it", at("i"),
                 _untold("only that person can say so, and signs")),
        ),
        risk=_OFFICES,
    )  # fmt: skip


# --- EMA and Health Canada


def _clinical() -> Preset:
    both = "EMA/90915/2016, chapter 3; Health Canada, PRCI guidance"
    return Preset(
        "EMA policy 0070 and Health Canada's public release of clinical information",
        "It counts people of this release alone, not of all who could have been in it, and judges data, not documents.",
        (
            Rule("direct identifiers", "No names, numbers and addresses of patients", both, direct_identifiers, OUT),
            *_risks(lambda released: _OFFICES, "0.09", both),
            Rule("attacks", "Plausible adversaries and attacks are considered", both,
                 _untold("the private audit simulates attackers and shows their success"), figures="linkability"),
            Rule("rationale", "The anonymisation report says why it was done so", both,
                 _said("reason", "this is not stated")),
        ),
        risk=_OFFICES,
    )  # fmt: skip


# --- the three criteria of the Article 29 Working Party


def _singling_out(released: ReleasedCells) -> Answer:
    if released.sizes:
        alone = sum(size == 1 for size in released.sizes)
        if alone:
            return NO, f"{alone:,} records are alone in their class"
        return YES, f"the smallest class has {min(released.sizes)} records"
    if released.crowd > 1:
        return YES, f"at least {released.crowd} fit whoever is known as far as the claim says"
    return NO, "the claim asks for no look-alikes, and there are no classes to count"


def _linkability(released: ReleasedCells) -> Answer:
    verdict, found = direct_identifiers(released)
    if verdict != YES:
        return verdict, found
    alike = min(released.sizes, default=released.crowd)
    if alike < 2:
        return NO, "a record of one person alone can be linked with what others hold of that person"
    return (
        YES,
        f"no identifier and no code of anybody's own; by the rest at most one guess in {alike} is right",
    )


def _inference(released: ReleasedCells) -> Answer:
    for name, fewest in released.told.items():
        if fewest < 2:
            return NO, f"in some class everybody has the same value of column '{name}'"
    if released.told:
        return YES, f"each class has at least {min(released.told.values())} values of each sensitive column"
    return (
        UNTOLD,
        "no class has a sensitive column to count; the private audit simulates attackers who infer values",
    )


def _opinion() -> Preset:
    at = "WP216, section 3"
    return Preset(
        "the three criteria of the Article 29 Working Party",
        "These rules cover attackers who know the quasi-identifiers; the private audit simulates attackers who "
        "know more, with figures for each criterion. Whether data are anonymous is decided by recital 26 of the GDPR.",
        (
            Rule("singling out", "No record is alone with its quasi-identifiers", at, _singling_out,
                 "ask for k = 2 or more on all quasi-identifiers", "singling out"),
            Rule("linkability", "No record holds what joins it with another record of the same person", at,
                 _linkability, OUT, "linkability"),
            Rule("inference", "No class reveals a sensitive value of everybody in it", at, _inference,
                 "ask for l = 2 or more in [guarantee]", "inference"),
        ),
    )  # fmt: skip


PRESETS: Mapping[str, tuple[str, Callable[[], Preset]]] = {
    "hipaa-safe-harbor": ("a list of what must go, for health data in the US", lambda: safe_harbor("2020")),
    "hipaa-safe-harbor-2000": (
        "the same, with the 17 zip codes of HHS's guidance",
        lambda: safe_harbor("2000"),
    ),
    "hipaa-expert": ("evidence for an expert's determination, for health data in the US", _expert),
    "ema-health-canada": ("a highest risk of 0.09, for data of clinical trials", _clinical),
    "wp29": ("singling out, linkability and inference, for personal data in the EU", _opinion),
}
"""Every preset by its name: what it is for, and how it is made."""
