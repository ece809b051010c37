"""Texts that somebody wrote about people: their column is left out, however few different ones there are."""

from random import Random

import polars as pl
import pytest

import shoal
from shoal.io.config import load
from shoal.shapes.guards import are_sentences

pytestmark = pytest.mark.usefixtures("untried")

N = 240
SECRET = "HIV, do not tell the family"
TEXTS = {
    "en": [
        "Mr Koch's divorce",
        SECRET,
        "moved away and is late",
        "his wife is ill",
        "he prefers calls at noon",
    ],
    "de": [
        "Scheidung von Herrn Koch",
        "HIV, Familie weiß nichts, bitte still",
        "sie ist umgezogen",
        "Frau ist krank",
    ],
    "fr": ["divorce de M. Koch", "VIH, ne pas le dire chez lui", "sa femme est malade", "elle ne répond pas"],
    "es": [
        "divorcio del Sr. Koch",
        "VIH, su familia no lo sabe",
        "su mujer está enferma",
        "quiere llamar más tarde",
    ],
    "it": [
        "divorzio del sig. Koch",
        "HIV, non è noto a casa",
        "sua moglie è malata",
        "vuole parlare la mattina",
    ],
    "tr": ["Koch Bey yeni boşandı", "HIV, aileye sakın söylemeyin", "eşi çok hasta değil", "hep geç ödüyor"],
    "zh": ["科赫先生离婚了", "艾滋病，请不要告诉家人", "妻子生病了，在医院", "去年搬到乌尔姆了"],
}
CALLED = {
    "en": ["Notes", "Comment", "Remarks", "note", "internal note", "Anything else you want to tell us?",
           "Why did you leave?"],
    "de": ["Notiz", "Bemerkung", "Note", "Begründung", "Möchten Sie uns sonst noch etwas mitteilen?",
           "Bitte erläutern Sie"],
    "fr": ["commentaire", "Remarques", "note", "Avez-vous autre chose à ajouter ?", "Pourquoi êtes-vous parti ?"],
    "es": ["observaciones", "notas", "nota", "¿Hay algo más que quiera decirnos?", "Por favor, especifique"],
    "it": ["osservazioni", "note", "nota", "C'è altro che vorresti dirci?", "Perché ha lasciato il corso?"],
    "tr": ["açıklama", "Notlar", "not", "Eklemek istediğiniz başka bir şey var mı?", "Neden ayrıldınız?"],
    "zh": ["备注", "评论", "您还有什么想告诉我们的吗？", "其他（请注明）"],
}  # fmt: skip
SILENT = ["info", "x7", "status", "reason", "Kategorie", "Beurteilung", "occupation", "diagnosis"]
SHORT = ["late", "ill", "ok", "moved", "paid"]


def people(**more):
    return pl.DataFrame(
        {
            "age": [20 + i % 50 for i in range(N)],
            "sex": ["f", "m"] * (N // 2),
            "town": [("Ulm", "Bonn", "Kiel")[i % 3] for i in range(N)],
            **more,
        }
    )


def drawn(texts, many, seed):
    """A cell per person, each text in many rows, some of them blank."""
    rng = Random(seed)
    cells = [*texts[:many], *[None] * (many < 3)]
    return [rng.choice(cells) for _ in range(N)]


@pytest.mark.parametrize(
    ("language", "name"), [(one, name) for one, names in CALLED.items() for name in names]
)
def test_a_name_that_suggests_free_text_leaves_it_out_at_any_number_of_texts(language, name):
    for many in range(1, len(TEXTS[language]) + 1):
        found = shoal.propose(people(**{name: drawn(TEXTS[language], many, many)}))
        assert found[name].role in ("drop", "text"), many
    found = shoal.propose(people(**{name: drawn(SHORT, 5, 5)}))
    assert found[name].role == "drop"


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("name", SILENT)
def test_sentences_under_any_name_are_left_out_and_asked_about(language, name):
    for many in range(2, len(TEXTS[language]) + 1):
        found = shoal.propose(people(**{name: drawn(TEXTS[language], many, many)}))
        assert found[name].role in ("drop", "text")
        assert name in found.undecided


def test_no_text_is_in_any_file_that_a_proposal_leads_to(tmp_path):
    texts = dict(zip([*SILENT, "Notes", "note"], [*TEXTS.values(), *TEXTS.values()], strict=False))
    people(**{name: drawn(own, 4, 9) for name, own in texts.items()}).write_csv(tmp_path / "people.csv")
    shoal.propose(tmp_path / "people.csv").save(tmp_path)
    config = load(tmp_path / "shoal.toml")
    assert {config.columns[name].role for name in texts} <= {"drop", "text"}
    written = b"".join(file.read_bytes() for file in (tmp_path / "hierarchies").iterdir())
    assert not [one for own in texts.values() for one in own if one.encode() in written]


GRADES = {
    "1 to 6": ["1", "2", "3", "4", "5", "6"],
    "with signs": ["1+", "1", "1-", "2+", "2", "2-", "3"],
    "letters": ["A", "A-", "B+", "B", "C", "D", "F"],
    "of twenty": ["12/20", "14,5/20", "9/20"],
    "with decimals": ["1,3", "1,7", "2,0", "2,3", "4,0"],
    "German words": ["sehr gut", "gut", "befriedigend", "ausreichend"],
    "Spanish words": ["Sobresaliente", "Notable", "Aprobado", "Suspenso"],
    "with words": ["1 (sehr gut)", "2 (gut)", "3 (befriedigend)"],
}


@pytest.mark.parametrize("grades", GRADES.values(), ids=GRADES)
@pytest.mark.parametrize("name", ["Note", "note", "nota", "Note Mathe"])
def test_note_is_a_grade_where_its_values_are_grades(name, grades):
    found = shoal.propose(people(**{name: drawn(grades, len(grades), 3)}))
    assert found[name].role == "sensitive"
    assert name not in found.undecided


ANSWERS = {
    "few words": ["Strongly agree", "Agree", "Neither agree nor disagree", "Disagree"],
    "education": [
        "Less than 9th grade",
        "Some college but no degree",
        "High school graduate",
        "Bachelor's degree",
    ],
    "work": ["Not in labor force", "Self-employed, not incorporated", "Private, for profit"],
    "illnesses": ["Type 2 diabetes mellitus without complications", "Disorder of the kidney, not specified"],
    "German": ["trifft voll zu", "trifft eher zu", "trifft eher nicht zu", "weder noch"],
}


@pytest.mark.parametrize("answers", ANSWERS.values(), ids=ANSWERS)
def test_answers_that_are_no_sentences_are_published(answers):
    found = shoal.propose(people(v=[answers[(i * 7 + i // 5) % len(answers)] for i in range(N)]))
    assert found["v"].role == "quasi"


SCALE = ["I have never smoked", "I have smoked, but stopped", "I am smoking now"]


def test_sentences_of_a_scale_or_of_an_ordered_column_are_published():
    cells = {f"v{i}": drawn(SCALE, 3, i) for i in (1, 2, 3)}
    assert shoal.propose(people(v1=cells["v1"]))["v1"].role == "drop"
    assert {shoal.propose(people(**cells))[name].role for name in cells} == {"quasi"}
    ordered = pl.Series(cells["v1"], dtype=pl.Enum(SCALE))
    assert shoal.propose(people(v1=ordered))["v1"].role == "quasi"


def test_what_a_name_asks_openly_and_people_answer_by_numbers_is_no_text():
    found = shoal.propose(people(**{"Why did you leave?": drawn([1, 2, 3, 4, 5], 5, 3)}))
    column = found["Why did you leave?"]
    assert column.role == "sensitive"
    assert "only these data" in column.undecided
    assert "free text" not in column.why


def test_a_role_that_somebody_stated_stands():
    found = shoal.propose(people(Notes=drawn(TEXTS["en"], 4, 1)), roles={"Notes": "sensitive"})
    assert found["Notes"].role == "sensitive"
    assert "Notes" not in found.undecided


def test_published_sentences_are_a_warning_of_the_audit(tmp_path):
    told = {}
    for name, texts in (("written", TEXTS["en"]), ("chosen", SHORT)):
        frame = people(said=drawn(texts, 4, 2)).drop_nulls()
        data = shoal.read(
            frame, roles={"age": "quasi", "sex": "quasi", "town": "quasi", "said": "sensitive"},
            hierarchies={"age": {"ranges": [10, 20]}, "sex": {"fanout": 2}, "town": {"fanout": 3}},
        )  # fmt: skip
        audits = []
        shoal.anonymize(data, k=2).save(tmp_path / name, audited=audits.append)
        told[name] = [line for line in audits[0].warnings if "sentences word for word" in line]
    assert told["chosen"] == []
    assert [line.split(" publishes")[0] for line in told["written"]] == ["column 'said'"]


def test_a_part_of_the_values_is_enough():
    assert are_sentences(["late", "ill", "ok", SECRET])
    assert not are_sentences(["late", "ill", "ok", "paid", "moved", SECRET])
    assert not are_sentences([])
