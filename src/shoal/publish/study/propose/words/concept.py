"""One row of the tables of words: what a column can be about, and how seven languages call it."""

from dataclasses import dataclass

from shoal.data import Role

__all__ = ["LANGUAGES", "Concept"]

LANGUAGES = ("en", "de", "fr", "es", "it", "tr", "zh")


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """What a column can be about.

    The words of a language stand between commas, as people write them. A word with `=` before it counts only
    where it is the whole name: `cap` is an Italian postal code, `cap_size` is not. Abbreviations that know no
    language stand in `short`.
    """

    what: str
    role: Role
    kind: str
    en: str = ""
    de: str = ""
    fr: str = ""
    es: str = ""
    it: str = ""
    tr: str = ""
    zh: str = ""
    short: str = ""

    def words(self, language: str) -> tuple[str, ...]:
        """The words of one language, or of `short`.

        >>> Concept(what="age", role="quasi", kind="age", en="age, years old").words("en")
        ('age', 'years old')
        """
        text: str = getattr(self, language)
        return tuple(word.strip() for word in text.split(",") if word.strip())
