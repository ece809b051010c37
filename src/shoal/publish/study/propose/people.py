"""Names of people by their form: a title, or given names that many people have."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from shoal.publish.study.propose.lexicon import fold
from shoal.resources import resource_table

__all__ = ["people"]

_WORDED = re.compile(r"[^\W\d_][\w'’.-]*(?:,? [^\W\d_][\w'’.-]*){0,4}")
_HAN = re.compile(r"[\u3400-\u9fff]{2,4}")


@cache
def _names() -> tuple[re.Pattern[str], frozenset[str], frozenset[str], frozenset[str]]:
    """A name with a title, words with which places begin, Chinese surnames, given names."""
    lists = resource_table("shoal.publish.study.propose", "person_names.toml")
    titles = "|".join(map(re.escape, lists["titles"]))
    titled = re.compile(rf"(?i:(?:[^\W\d_]+, )?(?:{titles})\b\.? )[^\W\d_].{{1,60}}")
    given = (name for names in lists["given"].values() for name in names)
    return titled, frozenset(lists["places"]), frozenset(lists["surnames"]), frozenset(given)


def people(values: Sequence[str]) -> float | None:
    """The share of values that look like names of people; None where the values do not.

    Names of towns and jobs have the same capitals and commas, so a title or a frequent given name is needed.

    >>> people(["Dr. Anna Weber", "Mr. John Smith", "Frau Else Kern"])
    1.0
    >>> people(["Paris, France", "Rome, Italy", "Bern, Switzerland", "Turin, Italy", "Lyon, France"])
    """
    distinct = sorted(set(values))
    if len(distinct) < 3:
        return None
    title, places, surnames, given = _names()
    titled = _share(bool(title.fullmatch(value)) for value in distinct)
    if titled >= 0.5:
        return titled
    han = _share(bool(_HAN.fullmatch(value)) and value[0] in surnames for value in distinct)
    if han >= 0.9 and len(distinct) >= 10:
        return han
    worded = [value for value in distinct if _WORDED.fullmatch(value)]
    if len(worded) < 0.9 * len(distinct) or len(distinct) < 5:
        return None
    spelled = [re.findall(r"[a-z]+", fold(value).lower()) for value in worded]
    named = _share(
        bool(words) and len(words) <= 5 and words[0] not in places and not given.isdisjoint(words)
        for words in spelled
    )
    return named if named >= 0.5 else None


def _share(found: Iterable[bool]) -> float:
    every = list(found)
    return sum(every) / len(every)
