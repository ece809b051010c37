"""One spelling for texts that are one value to whoever reads them: what claims about sensitive values count.

Two values too many make a class look diverse that is not, so texts are taken for one value where they may be one.
What nobody sees is left out; case and forms of letters are folded; blanks, hyphens, full stops and apostrophes
beside letters are left out; and numbers have one writing. Other signs, leading zeros and words are not judged.

A number may be written in two ways that contradict each other: `1.500` is one and a half, or fifteen hundred. A text
alone is read with a decimal point; of several texts, those are one that are one in either way.
"""

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from unicodedata import normalize

__all__ = ["normalize_person_name", "normalize_value", "unify_spellings"]

_AGAIN = 2  # times that a spelling is spelled once more
_LONGEST = 40  # digits and signs; what is longer is no number that anybody measured

_BLANKS = "\t\n\v\f\r\x85\u2800"  # beside those that `split` knows: a braille cell without dots
_HYPHENS = (
    "\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\u2e3a\u2e3b\u058a\u05be\u1806\u2796\ufe58\ufe63\uff0d"
)
_QUOTES = (
    '`"\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u055a\u05f3\u05f4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f'
)
_QUOTES += (
    "\u2032\u2033\u2035\u2036\u2039\u203a\u00ab\u00bb\u275b\u275c\u275d\u275e\ua78b\ua78c\uff02\uff07\uff40"
)
_UNSEEN = (
    (0x00, 0x1F),  # controls, but for those among the blanks
    (0x7F, 0x9F),
    # Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt): nothing is drawn for them
    (0xAD, 0xAD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),  # the last three mark annotations
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_SEEN: dict[int, str | None] = {
    **{code: None for low, high in _UNSEEN for code in range(low, high + 1)},
    **dict.fromkeys(map(ord, _BLANKS), " "),
    **dict.fromkeys(map(ord, _HYPHENS), "-"),
    **dict.fromkeys(map(ord, _QUOTES), "'"),
}

_LATIN = re.compile("[a-z]")
_CYRILLIC = str.maketrans(
    dict(
        zip(
            "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u0475",
            "abekmhopctyxijsv",
            strict=True,
        )
    )
)
_LETTER = r"[^\W\d_]"
_NUMBER = re.compile(r"(?<![\w.,'])[0-9](?:[0-9.,' ]*[0-9])?(?![0-9])")
_POINT, _COMMA = (
    re.compile(rf"(?:[0-9]+|{lakhs}[1-9][0-9]{{0,2}}([{parts}])[0-9]{{3}}(?:\1[0-9]{{3}})*)(?:{sign}[0-9]+)?")
    for parts, sign, lakhs in ((",' ", r"\.", "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}|"), (".' ", ",", ""))
)
_BESIDE_LETTERS = re.compile(
    rf"(?<={_LETTER})(?:[ ]?[-_]+[ ]?(?={_LETTER})|[-_]+(?=[0-9])|[ ][-_]+[ ](?=[0-9]))"  # `temp -5` keeps its sign
    rf"|(?<=[0-9])[ ]?[-_]+[ ]?(?={_LETTER})|(?<={_LETTER})\.(?![0-9])|(?<![0-9])'|'(?={_LETTER})"
)
_LOOSE = re.compile(r"(?<![0-9]) | (?![0-9])")


@lru_cache(maxsize=1 << 16)
def normalize_value(text: str) -> str:
    r"""A spelling that is equal where texts are one value.

    >>> normalize_value(" HIV"), normalize_value("H\u00adIV\u200b")
    ('hiv', 'hiv')
    >>> def alike(one: str, other: str) -> bool:
    ...     return normalize_value(one) == normalize_value(other)
    >>> alike("1.0", "1"), alike("1", "1e0"), alike("1,000", "1000")
    (True, True, True)
    >>> alike("007", "7"), alike("1.5", "15"), alike("-5", "5")
    (False, False, False)
    >>> alike("non-smoker", "Non smoker"), alike("Crohn\u2019s", "crohns")
    (True, True)
    """
    spelling = _drop_separators(_normalize_numbers(_fold_text(text), _POINT, _COMMA))
    for _ in range(_AGAIN):  # what was joined may be a number: `1 .50`
        spelling = _drop_separators(_normalize_numbers(_fold_text(spelling), _POINT, _COMMA))
    return spelling


def normalize_person_name(text: str) -> str:
    r"""A person's name as it is compared: without blanks and what nobody sees, in one form of letters, in its own case.

    >>> normalize_person_name("A\u200d 1"), normalize_person_name("\uff21\u20111"), normalize_person_name("a1")
    ('A1', 'A-1', 'a1')
    """
    return "".join(normalize("NFKC", text.translate(_SEEN)).split())


def unify_spellings(texts: Iterable[str | None]) -> list[str]:
    """For each text of a column, one spelling for all that may be the same value; "" for None and for blanks.

    >>> unify_spellings(["HIV-1", "hiv 1", None, " "])
    ['hiv 1', 'hiv 1', '', '']
    >>> unify_spellings(["1.500", "1500", "15"]), unify_spellings(["1,500", "1.5", "1500.5"])
    (['1.5', '1.5', '15'], ['1.5', '1.5', '1500.5'])
    """
    root: dict[str, str] = {}

    def root_of(key: str) -> str:
        while (above := root.setdefault(key, key)) != key:
            root[key] = key = root[above]
        return key

    read = [_readings(text) if text else ("", ()) for text in texts]
    for _, keys in read:
        for key in keys:
            root[root_of(key)] = root_of(keys[0])
    written: dict[str, str] = {}
    for plain, keys in read:
        if keys:
            root_key = root_of(keys[0])
            written[root_key] = min(written.get(root_key, plain), plain, key=lambda one: (len(one), one))
    return [written[root_of(keys[0])] if keys else "" for _, keys in read]


@lru_cache(maxsize=1 << 16)
def _readings(text: str) -> tuple[str, tuple[str, ...]]:
    """A text as people read it, and the keys of the values that it may be; none for blanks."""
    folded = _fold_text(text)
    if not folded:
        return "", ()
    ways = _normalize_numbers(folded, _POINT, _COMMA), _normalize_numbers(folded, _COMMA, _POINT)
    return ways[0], tuple(dict.fromkeys(map(_drop_separators, ways)))


def _fold_text(text: str) -> str:
    """The text in one form and case, with single blanks, without what nobody sees."""
    for _ in range(2):  # folding once may leave what folds again
        if text.isascii() and text.isprintable():
            text = text.casefold()
        else:
            text = normalize("NFKC", normalize("NFKC", text.translate(_SEEN)).casefold())
    if not text.isascii() and _LATIN.search(text):
        text = text.translate(_CYRILLIC)  # an HIV whose first letter is Cyrillic is read as HIV
    return " ".join(text.replace("`", "'").replace('"', "'").split())


def _normalize_numbers(plain: str, first: re.Pattern[str], second: re.Pattern[str]) -> str:
    """A folded text with its numbers in one writing, each read in the first way that fits."""
    if plain.isalpha():
        return plain

    def one_writing(found: re.Match[str]) -> str:
        for way, sign in (
            (first, "," if first is _COMMA else "."),
            (second, "," if second is _COMMA else "."),
        ):
            if way.fullmatch(found[0]):
                integer, _, decimals = found[0].partition(sign)
                return _normalize_number(
                    "".join(filter(str.isdigit, integer)) + ("." + decimals if decimals else "")
                )
        return found[0]

    return _normalize_number(_NUMBER.sub(one_writing, plain))


def _normalize_number(plain: str) -> str:
    """A text that is a number in one writing; any other as it is."""
    if len(plain) > _LONGEST or (not plain[-1:].isdigit() and not plain.endswith(".")):
        return plain
    if plain.lstrip("+-").startswith("0") and plain.lstrip("+-")[1:2].isdigit():
        return plain  # a code with leading zeros is no number
    try:
        number = Decimal(plain)
    except InvalidOperation:
        return plain
    if not number.is_finite() or abs(number.adjusted()) > _LONGEST:
        return plain
    return "0" if number == 0 else f"{number.normalize():f}"


def _drop_separators(plain: str) -> str:
    """A folded text without the signs that only part its words."""
    if plain.isalnum():
        return plain
    return _LOOSE.sub("", _BESIDE_LETTERS.sub("", plain)) or plain
