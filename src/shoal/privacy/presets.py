"""Presets: rules of laws and offices, each judged on what is released, by the names of columns and the form of cells.

A rule is kept, broken, or cannot be told from the released data alone. No preset is a claim: none of them promises
anybody a look-alike, and the claim stands beside it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from shoal.errors import InputError
from shoal.hierarchy.vocabularies import vocabularies
from shoal.naming import offered

__all__ = [
    "NO",
    "PRESETS",
    "Finding",
    "Preset",
    "ReleasedCells",
    "Rule",
    "as_stated",
    "check_preset",
    "preset_named",
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
    """

    cells: Mapping[str, Mapping[str, int]]
    roles: Mapping[str, str]
    sizes: Sequence[int]
    year: int


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule asks, by which place of its source, how it is judged, and what to do where it is broken."""

    name: str
    asks: str
    source: str
    check: Callable[[ReleasedCells], Answer]
    mend: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of rules; `limits` says what it does not promise."""

    title: str
    limits: str
    rules: tuple[Rule, ...]


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


def preset_named(name: str) -> Preset:
    """The preset of a name.

    Raises
    ------
    InputError
        There is none.
    """
    if name not in PRESETS:
        raise InputError(f"release: there is no preset '{name}'; {offered(name, PRESETS)}")
    return PRESETS[name]


def check_preset(name: str, released: ReleasedCells) -> list[Finding]:
    """Judge every rule of a preset on a release.

    >>> ages = ReleasedCells({"age": {"89": 7, "90": 5}}, {"age": "quasi"}, (7, 5), 2026)
    >>> [one.rule.name for one in check_preset("hipaa-safe-harbor", ages) if one.verdict == "no"]
    ['ages']
    """
    return [Finding(rule, *rule.check(released)) for rule in preset_named(name).rules]


# --- how columns are called and cells are written

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_NOTHING = frozenset({"*", "other"})  # labels that tell nothing


def _called(name: str, words: str) -> bool:
    """Whether a name holds one of some words; those with = before them must be the whole name.

    >>> _called("patientFirstName", "surname, first name"), _called("drug_name", "=name"), _called("DOB", "dob")
    (True, False, True)
    """
    parts = [part.lower() for part in _WORD.findall(name)]
    spaced, joined = f" {' '.join(parts)} ", "".join(parts)
    for word in words.split(", "):
        if word.startswith("="):
            if joined == word[1:].replace(" ", ""):
                return True
        elif f" {word} " in spaced or joined == word.replace(" ", ""):
            return True
    return False


def _columns(released: ReleasedCells, words: str) -> Iterator[tuple[str, list[str]]]:
    """The columns that are called so and tell anything, with their texts."""
    for name, cells in released.cells.items():
        texts = [text for text in cells if text not in _NOTHING]
        if texts and _called(name, words):
            yield name, texts


def _identifier(words: str, form: str = "") -> Callable[[ReleasedCells], Answer]:
    """The rule that no column is called so, and that no cell is written so."""
    written = re.compile(form, re.IGNORECASE) if form else None

    def check(released: ReleasedCells) -> Answer:
        for name, _ in _columns(released, words):
            return NO, f"column '{name}' is called like one"
        for name, cells in released.cells.items():
            if written is not None and any(map(written.search, cells)):
                return NO, f"column '{name}' has a cell that is written like one"
        return YES, f"no column is called like one{', and no cell is written like one' if form else ''}"

    return check


# --- Safe Harbor

_NAMES = (
    "=name, =names, first name, last name, surname, family name, given name, full name, maiden name, middle name, "
    "patient name, person name, contact name, mother name, father name, next of kin, initials, nickname, firstname, "
    "lastname"
)
_PROSE = 5  # words of a text, on average
_PLACES = (
    "city, town, county, street, address, village, municipality, district, precinct, parish, borough, neighborhood, "
    "neighbourhood, latitude, longitude, =lat, =lon, =lng, geocode, census tract, tract, block group, residence, "
    "birthplace, birth place, place of birth"
)
_ZIP = "zip, zip code, zipcode, zip3, zip5, postal code, postcode, zcta, plz"
_ZIP_FORM = re.compile(r"(?<![\d-])\d{5}-\d{4}(?![\d-])")
_FIVE = re.compile(r"\d{5}")
_DATES = (
    "date, dates, datetime, timestamp, dob, date of birth, birth date, birthday, birth month, birth day, born, month, "
    "admitted, discharged, died, birth year, year of birth, yob"
)
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DATE_FORM = re.compile(
    r"(?<![\d-])(?:1[89]|20|21)\d\d[-/.](?:0?[1-9]|1[0-2]|Q[1-4]|W\d\d)(?![\d])"
    r"|(?<![\d.])(?:0?[1-9]|[12]\d|3[01])[./-](?:0?[1-9]|[12]\d|3[01])[./-](?:1[89]|20|21)\d\d(?!\d)"
    r"|(?<![\d/-])(?:0?[1-9]|[12]\d|3[01])[/-](?:0?[1-9]|[12]\d|3[01])[/-]\d\d(?![\d/-])"
    r"|(?<![\d./-])(?:0?[1-9]|1[0-2])[./-](?:1[89]|20|21)\d\d(?!\d)"
    rf"|\b{_MONTHS}\b[ .,-]*\d|\d[ .-]*\b{_MONTHS}\b|\d[年月]\d",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(?<!\d)(?:1[89]|20|21)\d\d(?:s\b)?(?!\d)")
_AROUND = re.compile(r"[\[\](){}<>=≤≥ ,;|–-]*")
_BORN = "dob, date of birth, birth date, birthday, born, birth year, year of birth, yob, birth decade"
_ATOM = re.compile(
    r"[\[(]\s*(?P<low>\d+(?:\.\d+)?)\s*,\s*(?P<high>\d+(?:\.\d+)?)\s*(?P<end>[\])])"
    r"|(?P<sign>>=|≥|>|<=|≤|<)\s*(?P<bound>\d+(?:\.\d+)?)"
    r"|(?P<over>\d+)\s*\+"
    r"|(?P<from>\d+)\s*(?:-|–|to)\s*(?P<until>\d+)"
    r"|(?P<decade>\d{3}0)s\b"
    r"|(?P<one>\d+(?:\.\d+)?)"
)
_OLDEST = 89
_UNITS = {"month": 12, "months": 12, "week": 52, "weeks": 52, "day": 365, "days": 365}

RESTRICTED = {
    2000: "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893",
    2020: "036 059 102 202 203 204 205 369 556 692 753 772 821 823 878 879 884 893",
}
"""By census, the beginnings of zip codes under which at most 20,000 people live; HHS's guidance has those of 2000."""


def _names(released: ReleasedCells) -> Answer:
    found = _identifier(_NAMES)(released)
    if found[0] == NO:
        return found
    for name, cells in released.cells.items():
        told = {text: many for text, many in cells.items() if text not in _NOTHING}
        words = sum(len(text.split()) * many for text, many in told.items())
        if released.roles.get(name) in ("plain", "sensitive") and words >= _PROSE * max(
            1, sum(told.values())
        ):
            return UNTOLD, f"column '{name}' holds sentences, in which a name may stand"
    return YES, "no column is called like one; cells of other columns were not read as names"


def _places(census: int) -> Callable[[ReleasedCells], Answer]:
    restricted = frozenset(RESTRICTED[census].split())

    def check(released: ReleasedCells) -> Answer:
        for name, texts in _columns(released, _ZIP):
            runs = [run for text in texts for run in re.findall(r"\d+", text)]
            if any(len(run) > 3 for run in runs):
                return NO, f"column '{name}' tells more than three digits of a zip code"
            if not restricted.isdisjoint(runs):
                return (
                    NO,
                    f"column '{name}' tells a beginning under which at most 20,000 people live, which must be 000",
                )
        for name, texts in _columns(released, _PLACES):
            if not all(map(_is_large, texts)):
                return NO, f"column '{name}' tells a place that is no state and no country"
        for name, cells in released.cells.items():
            if any(map(_ZIP_FORM.search, cells)) or _reads_like_zip(cells):
                return NO, f"column '{name}' holds cells that are written like zip codes"
        return YES, f"no smaller place by name or form; restricted zip codes by the census of {census}"

    return check


def _is_large(text: str) -> bool:
    """Whether a text is a state of the US or a country."""
    known = vocabularies()
    return any(known[which].read(text) is not None for which in ("us-states", "countries"))


def _reads_like_zip(cells: Mapping[str, int]) -> bool:
    """Whether all cells are five digits and one begins with a zero, as numbers do not."""
    texts = [text for text in cells if text not in _NOTHING]
    return bool(texts) and all(map(_FIVE.fullmatch, texts)) and any(text[0] == "0" for text in texts)


def _dates(released: ReleasedCells) -> Answer:
    for name, cells in released.cells.items():
        if any(map(_DATE_FORM.search, cells)):
            return NO, f"column '{name}' tells more of a date than its year"
    for name, texts in _columns(released, _DATES):
        if not all(_AROUND.fullmatch(_YEARS.sub("", text)) for text in texts):
            return NO, f"column '{name}' is called like a date and tells something else than years"
    return YES, "no cell is written like a date, and columns of dates tell years alone"


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
    for name, texts in _columns(released, "age, ages"):
        top = (_OLDEST + 1) * max([1, *(many for word, many in _UNITS.items() if _called(name, word))])
        for text in texts:
            spans = _spans(text)
            if not all(high <= top or (high == inf and low <= top) for low, high in spans):
                return (
                    NO,
                    f"column '{name}' tells an age over {_OLDEST} that is not in one group of 90 and over",
                )
            unread = unread or ("" if spans else name)
    first = released.year - _OLDEST
    for name, texts in _columns(released, _BORN):
        spans = [span for text in texts for span in _spans(text)]
        if not all(low >= first or (low == -inf and high >= first) for low, high in spans):
            return NO, f"column '{name}' tells years of birth before {first}, of people over {_OLDEST}"
    if unread:
        return UNTOLD, f"column '{unread}' is called an age and holds words"
    return YES, f"no column of ages or births tells an age over {_OLDEST}"


_CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9/_-]{3,}")
_MANY, _OWN = 20, 0.9  # records, and the share of them with a value of their own


def _unique_codes(released: ReleasedCells) -> Answer:
    named = _identifier(
        "=id, =ids, identifier, uuid, guid, pseudonym, token, person id, patient id, subject id, study id, record id, "
        "participant id, member id, user id, user name, username, password"
    )(released)
    if named[0] == NO:
        return named
    for name, cells in released.cells.items():
        if released.roles.get(name) == "pseudonym":
            return NO, f"column '{name}' holds pseudonyms, which are made of what they stand for"
        records = sum(cells.values())
        if released.roles.get(name) in ("quasi", "items") or records < _MANY or len(cells) < _OWN * records:
            continue
        if sum(map(bool, map(_CODE.fullmatch, cells))) >= _OWN * len(cells):
            return NO, f"column '{name}' holds codes that hardly anybody shares"
    return YES, "no column is called like one, and none holds codes that hardly anybody shares"


def _untold(why: str) -> Callable[[ReleasedCells], Answer]:
    return lambda released: (UNTOLD, why)


_OUT = 'give the column the role "identifier" or "drop", or another name if it is none'


def _safe_harbor(census: int) -> Preset:
    """The rules of 45 CFR 164.514(b)(2), the restricted zip codes by one census."""
    plain = (
        ("phone", "D", "No telephone numbers", "phone, telephone, mobile, cell phone, pager, phone number, tel",
         r"(?<![\d.-])(?:\+?1[ .-]?)?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\d-])"),
        ("fax", "E", "No fax numbers", "fax, telefax, facsimile", ""),
        ("mail", "F", "No mail addresses", "email, e mail, mail, mail address", r"[^\s@,;<>]+@[^\s@,;<>]+\.[a-z]{2,}"),
        ("social security", "G", "No social security numbers", "ssn, social security, social security number",
         r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])"),
        ("record numbers", "H", "No medical record numbers",
         "mrn, medical record number, medical record, record number, chart number, case number, patient number, "
         "hospital number", ""),
        ("health plans", "I", "No numbers of beneficiaries of health plans",
         "beneficiary, beneficiary number, health plan number, plan number, policy number, member number, "
         "insurance number, subscriber id, medicare number, medicaid number", ""),
        ("accounts", "J", "No account numbers",
         "=account, account number, account no, account id, iban, bank account, credit card, card number", ""),
        ("licences", "K", "No numbers of certificates and licences",
         "license number, licence number, license no, certificate number, driver license, drivers license, npi, "
         "passport", ""),
        ("vehicles", "L", "No vehicle identifiers, serial numbers and plates among them",
         "vin, license plate, licence plate, plate number, vehicle id, vehicle number", ""),
        ("devices", "M", "No device identifiers and serial numbers",
         "device id, device identifier, serial number, serial no, imei, mac address, udi",
         r"(?<![0-9a-f:-])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![0-9a-f:-])"),
        ("web addresses", "N", "No web addresses (URLs)", "url, web page, website, homepage",
         r"\b(?:https?|ftp)://|\bwww\.[a-z0-9-]+\."),
        ("IP addresses", "O", "No IP addresses", "ip, ip address, ipv4, ipv6",
         r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])"
         r"|(?<![0-9a-f:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![0-9a-f:])|(?<![0-9a-f:])[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::"),
        ("biometrics", "P", "No biometric identifiers, finger and voice prints among them",
         "biometric, biometrics, fingerprint, finger print, voiceprint, voice print, iris scan, retina scan, "
         "faceprint", ""),
        ("photos", "Q", "No full-face photographs and comparable images",
         "photo, photograph, photos, picture, portrait, selfie, face image, image", ""),
    )  # fmt: skip
    at = "45 CFR 164.514(b)(2)(i)({})".format
    return Preset(
        f"HIPAA Safe Harbor, zip codes by the census of {census}",
        "It is a list of what must go, and no k: it promises nobody a look-alike.",
        (
            Rule("names", "No names", at("A"), _names, _OUT),
            Rule(
                "places",
                "No place smaller than a state but the first three digits of a zip code, and 000 where at most 20,000 "
                "people live under these",
                at("B"),
                _places(census),
                'zip codes take hierarchy = { vocabulary = "us-zip-safe-harbor" } and level = 1, other places the role '
                '"drop"',
            ),
            Rule(
                "dates",
                "Of dates about a person, the year alone",
                at("C"),
                _dates,
                'give it hierarchy = { dates = ["year"] } and level = 1, or the role "drop"',
            ),
            Rule(
                "ages",
                "Ages over 89, and years that tell them, in one group of 90 and over",
                at("C"),
                _ages,
                "ages take hierarchy = { ranges = [1, 5], top = 90 } and level = 1; years and dates of birth a bottom "
                "instead of the top, the year of the release less 89",
            ),
            *(
                Rule(name, asks, at(letter), _identifier(words, form), _OUT)
                for name, letter, asks, words, form in plain
            ),
            Rule("other codes", "No other unique number, mark or code", at("R"), _unique_codes, _OUT),
            Rule(
                "knowledge",
                "Whoever publishes does not know that what is left could identify somebody",
                "45 CFR 164.514(b)(2)(ii)",
                _untold("only whoever publishes can say so"),
            ),
        ),
    )


PRESETS: Mapping[str, Preset] = {
    "hipaa-safe-harbor": _safe_harbor(2020),
    "hipaa-safe-harbor-2000": _safe_harbor(2000),
}
"""Every preset by its name."""


def as_stated(name: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """A preset and what was found of it, as the manifest holds it."""
    return {
        "name": name,
        "title": PRESETS[name].title,
        "limits": PRESETS[name].limits,
        "rules": [one.as_dict() for one in findings],
    }
