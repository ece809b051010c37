"""What values are: numbers, dates in some format, codes, or words."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise
from string import ascii_lowercase
from typing import Literal, TypeVar
from unicodedata import normalize

import numpy as np

from shoal.data.types import I8
from shoal.hierarchy.column_values import ROOT, are_codes
from shoal.hierarchy.dates import UNITS, dates
from shoal.hierarchy.intervals import is_number, number
from shoal.hierarchy.tree import Hierarchy

__all__ = [
    "FORMATS",
    "NAMED",
    "Kind",
    "calendar_units",
    "code_hierarchy",
    "date_hierarchy",
    "fitting_rule",
    "in_order",
    "kind_of",
    "wants_groups",
    "word_hierarchy",
]

_FIRST = 500  # values; only formats that these have are tried on all
FORMATS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y.%m.%d", "%d.%m.%y", "%d/%m/%y",
    "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%Y%m%d", "%m/%Y", "%Y-%m",
    "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S",
    "%Y/%m/%d %H:%M:%S", "%Y%m%dT%H%M%S", "%Y年%m月%d日",
)  # fmt: skip
"""How dates are written where they are not ISO 8601; of two that fit the first is taken."""
_CODE = re.compile(r"(?=.*[0-9])[A-Za-z]{0,3}[0-9][A-Za-z0-9 ./-]{0,13}")
_DIGITS = re.compile(r"[0-9]{4,5}")
_YEARS = range(1850, 2101)


@dataclass(frozen=True, slots=True)
class Kind:
    """What values are; of dates how they are written, None for ISO, and in which other ways they could be."""

    name: Literal["number", "date", "code", "word"]
    format: str | None = None
    others: tuple[str, ...] = ()


def kind_of(values: Sequence[str]) -> Kind:
    """What all of the values are.

    >>> kind_of(["31.12.1999", "05.03.2020"]).format, kind_of(["17", "42.5"]).name, kind_of(["01067", "80331"]).name
    ('%d.%m.%Y', 'number', 'code')
    """
    present = [value.strip() for value in values]
    dates = _date_kind(present)
    if dates is not None:
        return dates
    if all(map(is_number, present)):
        return Kind("code" if are_codes(present) else "number")
    some = present[:: max(1, len(present) // _FIRST)]
    coded = sum(_CODE.fullmatch(value) is not None for value in some)
    return Kind("code" if coded >= 0.9 * len(some) and len(some) > 2 else "word")


def _date_kind(present: Sequence[str]) -> Kind | None:
    if all(_DIGITS.fullmatch(value) for value in present[:_FIRST]):
        return None  # years, numbers, zip codes
    if all(map(_is_iso, present[:_FIRST])):
        return Kind("date") if all(map(_is_iso, present)) else None
    some = [format for format in FORMATS if all(_is_of(format, value) for value in present[:_FIRST])]
    fits = [format for format in some if all(_is_of(format, value) for value in present)]
    return Kind("date", fits[0], tuple(fits[1:])) if fits else None


def _is_iso(value: str) -> bool:
    try:
        return "-" in value and datetime.fromisoformat(value).year in _YEARS
    except ValueError:
        return False


def _is_of(format: str, value: str) -> bool:
    try:
        return datetime.strptime(value, format).year in _YEARS
    except ValueError:
        return False


# Which rule fits a column that has none: a guess from what its values look like, for people to decide.

_FEW = 8
"""A column with no more different values needs no rule: each of them is a group."""

_LEVELS = '["month", "year"]'
_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]+|[+-]?[0-9]+")
_MASKED = re.compile(r"(?=.*[0-9])[A-Za-z0-9][A-Za-z0-9 ./-]{2,15}")
_MOST = 0.8


def wants_groups(values: Sequence[str | None]) -> bool:
    """Whether a column wants groups of numbers: more than a few, and they are no codes.

    >>> wants_groups([str(age) for age in range(20, 40)]), wants_groups([f"{code:05}" for code in range(20)])
    (True, False)
    """
    present = [value for value in values if value is not None]
    return (
        len(present) > _FEW and all(number(value) is not None for value in present) and not are_codes(present)
    )


def fitting_rule(values: Sequence[str | None]) -> str | None:
    """The rule that would make a column coarser step by step; None where it needs none, empty where no rule fits.

    >>> fitting_rule(["01069", "01097", "01099", "04103"])
    'hierarchy = { mask = "right" }'
    >>> fitting_rule(["05.03.1990", "31.12.1984", "07.07.2001", "01.02.1977"])
    'hierarchy = { dates = { format = "%d.%m.%Y", levels = ["month", "year"] } }'
    >>> fitting_rule(["f", "m"]) is None
    True
    """
    present = [value.strip() for value in values if value is not None and value.strip()]
    if len(present) > 3 and (rule := _date_rule(present) or _code_rule(present)):
        return f"hierarchy = {rule}"
    if len(present) <= _FEW:
        return None
    if all(_COMMA.fullmatch(value) for value in present) and any("," in value for value in present):
        return 'decimal = "," in [data] and hierarchy = { ranges = [10, 100] }'
    if not are_codes(present) and _mostly(number(value) is not None for value in present):
        return "hierarchy = { ranges = [10, 100] }, with what is no number in missing"
    return ""


def _date_rule(present: Sequence[str]) -> str | None:
    kind = kind_of(present)
    if kind.name != "date":
        return None
    if kind.format is None:
        return f"{{ dates = {_LEVELS} }}"
    more = f" (or {', '.join(kind.others)})" if kind.others else ""
    return f'{{ dates = {{ format = "{kind.format}", levels = {_LEVELS} }} }}{more}'


def _code_rule(present: Sequence[str]) -> str | None:
    numbers = all(number(value) is not None for value in present)
    coded = are_codes(present) if numbers else _mostly(bool(_MASKED.fullmatch(value)) for value in present)
    return '{ mask = "right" }' if coded and max(map(len, present)) > 3 else None


def _mostly(found: Iterable[bool]) -> bool:
    listed = list(found)
    return sum(listed) >= _MOST * len(listed)


# Codes by their prefixes: zip codes, diagnoses, drugs, branches of trade. Leading zeros are part of a code.

_LETTERS = re.compile(r"^[^\W\d_]+")
_TWO_PARTS = re.compile(r"[^\W\d_]+[0-9]\w* \w+")  # SW1A 2AB
_FEWER = 0.95  # of the groups of the level below: a level that joins less is left out
_LONGEST = 16


def code_hierarchy(name: str, values: Sequence[str]) -> Hierarchy | None:
    """One level per prefix that brings codes together; None where no prefix does, or a code is no code.

    Codes of one length keep it, as in 812**; a group of others is its prefix and one star.

    >>> code_ladder("zip", ["01067", "01069", "04103", "04109"]).labels[1:-1]
    (('0106*', '0410*', '*'), ('0****', '*'))
    >>> code_ladder("icd", ["E11", "E11.9", "E10.1", "I10"]).labels[1:-1]
    (('E10*', 'E11*', 'I10*', '*'), ('E1*', 'I1*', '*'))
    """
    codes = sorted(set(values))
    width = max(map(len, codes), default=0)
    if len(codes) < 3 or not 1 < width <= _LONGEST or any("*" in code for code in codes):
        return None
    levels: list[list[str]] = []
    before = [*codes]
    for here in _prefixes(codes, width):
        if len(set(here)) <= _FEWER * len(set(before)):
            levels.append(here)
            before = here
    if not levels:
        return None
    paths = [[code, *labels, ROOT] for code, *labels in zip(codes, *levels, strict=True)]
    return Hierarchy.from_paths(name, paths, public=False)


def _prefixes(codes: Sequence[str], width: int) -> Iterator[list[str]]:
    """What codes begin with, level by level; those in two parts are cut between them, then behind their letters.

    A code that is shorter than what a level shows stands as it is there.
    """
    if all(_TWO_PARTS.fullmatch(code) for code in codes):
        yield [f"{code.partition(' ')[0]} *" for code in codes]
        yield [f"{_LETTERS.findall(code)[0]}*" for code in codes]
        return
    same = len({len(code) for code in codes}) == 1
    for length in range(width - 1, 0, -1):
        stars = "*" * (width - length) if same else "*"
        yield [code if len(code) < length else code[:length] + stars for code in codes]


# Dates by the units of the calendar that bring them together, and above decades by spans of years.

_SMALL = ("day", "month", "quarter", "year")
_SPANS = (10, 20, 40)
_TAIL, _PEOPLE = 0.01, 20  # share of the people in an open class at an end, and how many they are at least

Label = Callable[[datetime], str]


def date_hierarchy(
    name: str, values: Sequence[str], holders: I8, format: str | None = None
) -> Hierarchy | None:
    """Month, quarter, year, decade, 20 and 40 years, as far as each joins dates that the one below keeps apart.

    From decades on, the first and the last class are open.

    >>> births = [f"{year}-05-01" for year in (1931, 1938, 1945, 1952, 1969, 1978, 1990, 1999, 2001)]
    >>> date_ladder("birth", births, np.full(9, 30)).labels[-2][:-1]
    ('before 1960', '1960 to 1999', '2000 and later')
    """
    days = [_moment(value, format) for value in values]
    years = np.array([day.year for day in days])
    labels: list[Label] = [UNITS[unit] for unit in _units_in(format)]
    labels += [_span(years, holders, width) for width in _SPANS]
    lines: list[list[str]] = []
    before = len(set(values))
    for label in labels:
        line = [label(day) for day in days]
        if 1 < len(set(line)) < before:
            before = len(set(line))
            lines.append(line)
    if not lines:
        return None
    order = np.argsort(np.array(days, dtype="datetime64[us]"), kind="stable").tolist()
    paths = [[values[place], *(line[place] for line in lines), ROOT] for place in order]
    return Hierarchy.from_paths(name, paths, public=False, ordered=True)


def calendar_units(name: str, values: Sequence[str], format: str | None = None) -> list[str]:
    """The units of the calendar that bring these dates together, from small to large: for a rule."""
    told = [*_units_in(format), "decade"]
    whole = dates(name, told, values, format)
    units, before = [], whole.size
    for level, unit in enumerate(told, start=1):
        nodes = len(set(whole.up[: whole.size, level].tolist()))
        if 1 < nodes < before:
            units.append(unit)
            before = nodes
    return units


def _units_in(format: str | None) -> list[str]:
    """The units up to a year that dates of a format tell, and that are larger than what is written."""
    if format is None or "%H" in format:
        return list(_SMALL)
    return list(_SMALL[1:]) if any(sign in format for sign in ("%d", "%b", "%B", "%m")) else ["year"]


def _moment(text: str, format: str | None) -> datetime:
    day = datetime.fromisoformat(text.strip()) if format is None else datetime.strptime(text.strip(), format)
    return day.replace(tzinfo=None)


def _span(years: I8, holders: I8, width: int) -> Label:
    """So many years together, from a multiple of them on; open where few people are left."""
    order = np.argsort(years)
    share = np.cumsum(holders[order]) / holders.sum()
    tail = min(max(_TAIL, _PEOPLE / float(holders.sum())), 0.1)
    low, high = (
        int(years[order][min(int(np.searchsorted(share, at)), len(order) - 1)]) for at in (tail, 1 - tail)
    )
    first, last = -(-(low // 10 * 10) // width) * width, high // 10 * 10 // width * width
    begins = first if int(years.min()) < first else None

    def label(day: datetime) -> str:
        if begins is not None and day.year < begins:
            return f"before {begins}"
        if day.year >= last:
            return f"{last} and later"
        start = day.year // width * width
        return f"{start}s" if width == _SPANS[0] else f"{start} to {start + width - 1}"

    return label


# Words that have an order: low, middle, high; mild, severe; Monday to Sunday. In seven languages.

_SCALES = """
none | minimal | very low | low | low-medium | middle, medium, moderate, mid, normal | medium-high | high | very high | extreme
none | mild | moderate | severe | very severe | critical
never | almost never | rarely, seldom | occasionally | sometimes | often | usually | very often | always
very poor, very bad | poor, bad | fair | average, ok | good | very good | excellent | outstanding
strongly disagree | disagree | somewhat disagree | neutral, neither | somewhat agree | agree | strongly agree
very dissatisfied | dissatisfied | neutral | satisfied | very satisfied
xs | s | m | l | xl | xxl | xxxl
tiny | small | medium | large | huge
i | ii | iii | iv | v | vi
baby, infant | toddler | child | teen, adolescent, teenager, youth | young adult | adult | middle-aged | senior, elderly, old
january, jan | february, feb | march, mar | april, apr | may | june, jun | july, jul | august, aug | september, sep, sept | october, oct | november, nov | december, dec
monday, mon | tuesday, tue | wednesday, wed | thursday, thu | friday, fri | saturday, sat | sunday, sun
preschool | 1st-4th | 5th-6th | 7th-8th | 9th | 10th | 11th | 12th | hs-grad | some-college | assoc-voc | assoc-acdm | bachelors | masters | prof-school | doctorate
none, no schooling | primary, primary school, elementary | lower secondary, middle school | secondary, secondary school, high school, upper secondary | vocational, apprenticeship | some college | associate | bachelor, bachelors, bachelor's, undergraduate, college | master, masters, master's, graduate, postgraduate | doctorate, doctoral, phd
keine | leicht, gering | niedrig | mittel, mäßig, normal | hoch | schwer | sehr hoch | sehr schwer
nie | selten | manchmal | oft, häufig | meistens | immer
sehr schlecht | schlecht | mittel | gut | sehr gut
montag | dienstag | mittwoch | donnerstag | freitag | samstag, sonnabend | sonntag
januar | februar | märz | april | mai | juni | juli | august | september | oktober | november | dezember
sin estudios | primaria, educación primaria | secundaria, eso | bachillerato | formación profesional, fp | grado, universidad, universitario, licenciatura | máster, master, posgrado | doctorado
sans diplôme | primaire, école primaire | brevet, collège | cap, bep | bac, baccalauréat, lycée | bac+2, bts, dut | licence, bac+3 | master, bac+5 | doctorat
nessun titolo | licenza elementare, elementare, scuola elementare | licenza media, media, scuola media | diploma, scuola superiore, maturità | laurea triennale, triennale | laurea, laurea magistrale, magistrale | dottorato
okuryazar değil | okuryazar | ilkokul | ortaokul | ilköğretim | lise | ön lisans, önlisans | üniversite, lisans | yüksek lisans | doktora
ohne abschluss, kein abschluss | hauptschule | realschule | fachabitur | abitur | ausbildung, lehre | bachelor | diplom | master | promotion
aucun | très faible | faible, bas | moyen, modéré | élevé, haut, fort | très élevé, très fort
jamais | rarement | parfois | souvent | toujours
mauvais | passable | assez bien | bien | très bien | excellent
lundi | mardi | mercredi | jeudi | vendredi | samedi | dimanche
ninguno | muy bajo | bajo | medio, moderado | alto | muy alto
nunca | rara vez | a veces | a menudo | siempre
malo | regular | bueno | muy bueno | excelente
lunes | martes | miércoles | jueves | viernes | sábado | domingo
nessuno | molto basso | basso | medio, moderato | alto | molto alto
mai | raramente | a volte | spesso | sempre
scarso | insufficiente | sufficiente | discreto | buono | ottimo
lunedì | martedì | mercoledì | giovedì | venerdì | sabato | domenica
yok | çok düşük | düşük | orta | yüksek | çok yüksek
asla | nadiren | bazen | sık sık | her zaman
kötü | orta | iyi | çok iyi | mükemmel
无 | 很低 | 低 | 中, 中等 | 高 | 很高
从不 | 很少 | 有时 | 经常 | 总是
差 | 一般 | 良, 良好 | 优, 优秀
小学 | 初中 | 高中 | 中专 | 大专 | 本科 | 硕士 | 博士
"""  # noqa: E501


def _ranks(line: str) -> dict[str, int]:
    return {word.strip(): rank for rank, words in enumerate(line.split("|")) for word in words.split(",")}


_RANKS = [_ranks(line) for line in _SCALES.strip().splitlines()]
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_BAND = re.compile(
    r"(?:<|<=|>|>=|under|over|unter|über|below|above|bis|ab)?\s*[0-9.]+\s*(?:(?:-|–|to|bis|à|a)\s*[0-9.]+|\+)?"
    r"(?:\s*(?:years?|jahre?|ans|años|anni|yaş|岁))?"
)  # 18-29, 65+, < 18, 30 to 39 years
_LEAST = 3  # words; of two, either order is as good


def in_order(values: Sequence[str]) -> list[str] | None:
    """The values in the order of a scale that all of them stand on; None where there is none.

    >>> in_order(["High", "low", "Medium"]), in_order(["high", "red", "low"])
    (['low', 'Medium', 'High'], None)
    >>> in_order(["65+", "18-29", "30-64", "<18"])
    ['<18', '18-29', '30-64', '65+']
    """
    bare = {value: value.strip().casefold().replace("_", " ") for value in values}
    if len(bare) < _LEAST:
        return None
    bands = [_BAND.fullmatch(word) for word in bare.values()]
    if all(bands):
        return sorted(bare, key=lambda value: _first_number(bare[value]))
    for ranks in _RANKS:
        if all(word in ranks for word in bare.values()):
            return sorted(bare, key=lambda value: (ranks[bare[value]], value))
    return None


def _first_number(band: str) -> tuple[float, bool]:
    """Where a band begins; one that only says below what it lies comes first."""
    found = _NUMBER.search(band)
    assert found is not None
    return float(found[0]), not band.startswith(("<", "under", "unter", "below", "bis"))


# Words in groups that read well: scales in their order, other words by how many people hold them.
#
# A label names only values that many people hold, and tells nothing of the others, neither how many there are nor how
# they are spelled: some of them may be of people who are left out of a release. Rare values are told apart by fixed
# parts of the alphabet.

T = TypeVar("T")
Line = dict[str, str]
"""For each value its label on one level."""

NAMED = 20
"""How many people must hold a value that a label names."""

_GROUP = 3  # words, or groups, that are joined on each level
_NAME = 28  # characters of a value where several are named
_PARTS = (1, 2, 4, 13)  # of the alphabet
_RARE = 8  # rare values for each part
_OTHER = len(ascii_lowercase)  # the place of whatever is no letter from a to z


def word_hierarchy(name: str, values: Sequence[str], holders: I8) -> Hierarchy:
    """Values in groups of at most three, groups in groups of three, `*` on top.

    >>> import numpy as np
    >>> drinks = ["tea", "milk", "juice", "beer", "cola", "mead"]
    >>> word_ladder("drink", drinks, np.array([50, 90, 40, 70, 30, 2])).labels[1:-1]
    (('milk or beer', 'tea, juice, cola and others', '*'),)
    >>> word_ladder("pain", ["high", "low", "middle", "none", "very high"], np.full(5, 30)).labels[1:-1]
    (('none to low', 'middle to very high', '*'),)
    """
    held = dict(zip(values, holders.tolist(), strict=True))
    scale = in_order(values)
    ordered = _by_holders(held) if scale is None else scale
    lines: list[Line] = []
    for line in _by_frequency(held, ordered) if scale is None else _along(scale, held):
        before = set(lines[-1].values()) if lines else set(ordered)
        if 1 < len(set(line.values())) < len(before):
            lines.append(line)
    paths = [[value, *(line[value] for line in lines), ROOT] for value in ordered]
    return Hierarchy.from_paths(name, paths, public=False, ordered=scale is not None)


def _even(things: Sequence[T]) -> list[list[T]]:
    """Neighbours in groups of at most three, all of about one size."""
    count = -(-len(things) // _GROUP)
    ends = [len(things) * place // count for place in range(count + 1)]
    return [list(things[low:high]) for low, high in pairwise(ends)]


def _coarser(groups: list[list[str]]) -> Iterator[list[list[str]]]:
    """The groups, and groups of them, down to a single one."""
    yield groups
    while len(groups) > 1:
        groups = [list(chain(*some)) for some in _even(groups)]
        yield groups


def _along(scale: Sequence[str], held: Mapping[str, int]) -> Iterator[Line]:
    """Neighbours on a scale, told by the first and the last of them."""
    if len(scale) > _GROUP:
        for groups in _coarser(_even(scale)):
            yield {value: _between(group, held) for group in groups for value in group}


def _between(group: Sequence[str], held: Mapping[str, int]) -> str:
    known = [value for value in group if held[value] >= NAMED]
    if len(known) < 2 or known[0] != group[0] or known[-1] != group[-1]:
        return _name_group(known[:_GROUP], more=len(known) < len(group))
    return f"{known[0]} to {known[-1]}"


def _by_holders(held: Mapping[str, int]) -> list[str]:
    """Frequent values by how many people hold them, then the rare ones by the alphabet."""
    rare = {value: held[value] < NAMED for value in held}
    return sorted(
        held, key=lambda value: (rare[value], _letter(value) if rare[value] else -held[value], value)
    )


def _by_frequency(held: Mapping[str, int], ordered: Sequence[str]) -> Iterator[Line]:
    """Frequent values in groups of three; rare ones by parts of the alphabet, then as one group."""
    if len(ordered) <= _GROUP:
        return
    frequent = [value for value in ordered if held[value] >= NAMED]
    rare = list(ordered[len(frequent) :])
    groups = _even(frequent) if frequent else []
    if groups and len(rare) <= _GROUP:  # too few to be a group
        groups[-1], rare = groups[-1] + rare, []
    parts = next((parts for parts in _PARTS if len(rare) <= _RARE * parts), _PARTS[-1])
    for level, some in enumerate(_coarser(groups)):
        line = {value: _rare_label(value, parts if level == 0 else 1) for value in rare}
        for group in some:
            known = sorted((v for v in group if held[v] >= NAMED), key=lambda v: (-held[v], v))
            shown = known[: _GROUP + level]
            line |= dict.fromkeys(group, _name_group(shown, more=len(shown) < len(group)))
        yield line


def _rare_label(value: str, parts: int) -> str:
    """The part of the alphabet that a value begins in; signs of other kinds are a part of their own."""
    if parts == 1:
        return "rare values"
    if _letter(value) == _OTHER:
        return "rare values, other signs"
    part = _letter(value) * parts // _OTHER
    low, high = -(-part * _OTHER // parts), -(-(part + 1) * _OTHER // parts) - 1
    return f"rare values, {ascii_lowercase[low].upper()} to {ascii_lowercase[high].upper()}"


def _letter(value: str) -> int:
    """The place of the first letter in the alphabet, without its accents."""
    bare = normalize("NFKD", value.strip()[:1].casefold())[:1]
    place = ascii_lowercase.find(bare) if bare else -1
    return _OTHER if place < 0 else place


def _name_group(known: Sequence[str], *, more: bool) -> str:
    """The names of a group: `a, b or c`, or where there are more `a, b and others`."""
    if not known:
        return "rare values"
    names = [value if len(value) <= _NAME else f"{value[: _NAME - 1].rstrip()}…" for value in known]
    if len(known) == 1 and not more:
        return known[0]
    return f"{', '.join(names)} and others" if more else f"{', '.join(names[:-1])} or {names[-1]}"
