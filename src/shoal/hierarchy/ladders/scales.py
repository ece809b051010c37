"""Words that have an order: low, middle, high; mild, severe; Monday to Sunday. In seven languages."""

import re
from collections.abc import Sequence

__all__ = ["in_order"]

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
