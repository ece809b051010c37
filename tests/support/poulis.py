"""Figures 1 and 2 of Poulis et al. (ECML PKDD 2013), rebuilt by hand where the text copy lost cells.

Lost in Fig. 1a: the first two ages and origins, and some genders; Fig. 2a gives [19:22], Europe and Male for both, so
one is 19 and one 22, and the two countries are our choice. Lost in Fig. 1b: ages and genders of the first records,
taken from Fig. 2a, whose classes it shares. In Fig. 2a the text copy has "D E" and "E E" for what must be E F.

A form is a string of the letters it stands for; G and H are underlined in print: sensitive.
"""

AGES = ("19", "22", "28", "39", "70", "55")
ORIGINS = ("France", "Greece", "Germany", "Spain", "Algeria", "Nigeria")
GENDERS = ("Male", "Male", "Female", "Female", "Female", "Male")
BASKETS = ("EFBG", "EFDH", "BCEG", "FDH", "EG", "AFH")
SENSITIVE = "GH"

AGE_PATHS = [
    ["19", "19:22", "19:39", "19:70"],
    ["22", "19:22", "19:39", "19:70"],
    ["28", "28:39", "19:39", "19:70"],
    ["39", "28:39", "19:39", "19:70"],
    ["55", "55:70", "55:70", "19:70"],
    ["70", "55:70", "55:70", "19:70"],
]
"""The ranges that the figures show are nested, so they make a hierarchy; the printed one (Fig. 3) is lost."""
ORIGIN_PATHS = [
    *([country, "Europe", "All"] for country in ORIGINS[:4]),
    *([country, "Africa", "All"] for country in ORIGINS[4:]),
]
GENDER_PATHS = [["Male", "All"], ["Female", "All"]]

_YOUNG, _MIDDLE, _OLD = (
    ("19:22", "Europe", "Male"),
    ("28:39", "Europe", "Female"),
    ("55:70", "Africa", "All"),
)
_EVERYBODY = ("19:70", "All", "All")
_GLOBAL = ("E F ABCD G", "E F ABCD H", "E ABCD G", "F ABCD H", "E G", "F ABCD H")

FIGURES = {
    "1b": ([_YOUNG] * 2 + [_MIDDLE] * 2 + [_OLD] * 2, _GLOBAL),
    "2a": (
        [_YOUNG] * 2 + [_MIDDLE] * 2 + [_OLD] * 2,
        ("E F BD G", "E F BD H", "BCF DE G", "BCF DE H", "AEF G", "AEF H"),
    ),
    "2b": ([_EVERYBODY] * 6, _GLOBAL),
    "2c": (
        [("19:39", "Europe", "All")] * 4 + [_OLD] * 2,
        ("E F BCD G", "E F BCD H", "E BCD G", "F BCD H", "AEF G", "AEF H"),
    ),
    "2d": (
        [_EVERYBODY] * 2 + [_MIDDLE] * 2 + [_EVERYBODY] * 2,
        ("E F ABD G", "E F ABD H", "BCF DE G", "BCF DE H", "E G", "F ABD H"),
    ),
}
"""By figure: the quasi-identifiers and the items of records 0 to 5."""
