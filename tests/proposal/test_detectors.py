"""What values look like."""

import random
import string
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

import number_cases
from shoal.proposal.detectors import _checker, detect_form, patterns

rng = random.Random(13)
MANY = 60


def letters(count):
    return "".join(rng.choices("BCDFGHJKLMNPRSTVWXYZ", k=count))


def digits(count):
    return number_cases.digits(rng, count)


def day(written):
    return written.format(y=rng.randint(1930, 2020), m=rng.randint(1, 12), d=rng.randint(1, 28))


CHECKED = {
    "IBAN": lambda: number_cases.iban(rng, *rng.choice([("DE", 22), ("ES", 24), ("TR", 26)])),
    "payment card": lambda: number_cases.card(rng),
    "German health insurance number": lambda: number_cases.kvnr(rng),
    "French social security number": lambda: number_cases.nir(rng),
    "Spanish identity number": lambda: number_cases.dni(rng),
    "Turkish identity number": lambda: number_cases.tckimlik(rng),
    "device number": lambda: number_cases.luhn("35" + digits(12)),
    "Chinese resident number": lambda: number_cases.resident(rng),
    "UK NHS number": lambda: number_cases.nhs(rng),
    "German tax number": lambda: number_cases.steuer_id(rng),
    "Italian tax code": lambda: number_cases.codice_fiscale(rng),
}
WRITTEN = {
    "US social security number": [lambda: number_cases.ssn(rng)],
    "UK national insurance number": [lambda: number_cases.nino(rng)],
    "mail address": [
        lambda: f"{letters(5).lower()}.{letters(3)}@mail.example.org",
        lambda: f"A B <{letters(4)}@ex.de>",
    ],
    "web page": [
        lambda: f"https://example.org/{digits(4)}",
        lambda: f"www.ex{digits(3)}.de",
        lambda: f"ex{digits(3)}.com/u",
    ],
    "social handle": [lambda: f"@{letters(6).lower()}"],
    "IP address": [
        lambda: ".".join(str(rng.randint(0, 255)) for _ in range(4)),
        lambda: ":".join(f"{rng.randrange(65536):x}" for _ in range(8)),
        lambda: f"fe80::{rng.randrange(65536):x}",
    ],
    "MAC address": [lambda: ":".join(f"{rng.randrange(256):02x}" for _ in range(6))],
    "UUID": [lambda: str(uuid.UUID(int=rng.getrandbits(128)))],
    "long token": [
        lambda: f"{rng.getrandbits(128):032x}",
        lambda: "".join(rng.choices(string.ascii_letters + string.digits * 3, k=24)),
    ],
    "coordinate pair": [
        lambda: f"{rng.uniform(-90, 90):.1f}, {rng.uniform(-180, 180):.1f}",
        lambda: f"POINT (11.{digits(3)} 48.{digits(3)})",
    ],
    "vehicle number": [lambda: "1HGCM82633A" + digits(6)],
    "vehicle plate": [
        lambda: f"{rng.choice(['M', 'B', 'HH', 'KA'])}-{letters(2)} {rng.randint(1, 9999)}",
        lambda: f"{letters(2)}-{digits(3)}-{letters(2)}",
        lambda: f"{digits(4)} {letters(3)}",
        lambda: f"34 {letters(3)} {digits(3)}",
        lambda: f"M-{rng.choice('AB')}{rng.choice('CD')} {rng.randint(1000, 9999)}",
        lambda: f"京A{digits(5)}",
        lambda: f"{letters(2)}{digits(2)} {letters(3)}",
        lambda: f"{letters(3)}-{digits(4)}",
    ],
    "phone number": [
        lambda: f"({rng.randint(200, 999)}) {digits(3)}-{digits(4)}",
        lambda: f"{rng.randint(200, 999)}.{digits(3)}.{digits(4)}",
        lambda: f"001-{digits(3)}-{digits(3)}-{digits(4)}x{digits(3)}",
        lambda: f"{rng.randint(200, 999)}{rng.randint(2, 9)}{digits(6)}",
        lambda: f"0{rng.randint(30, 999)} {digits(7)}",
        lambda: f"0{rng.randint(30, 999)}/{digits(6)}",
        lambda: f"+49 (0) {rng.randint(30, 999)} {digits(7)}",
        lambda: f"06 {digits(2)} {digits(2)} {digits(2)} {digits(2)}",
        lambda: f"06{digits(8)}",
        lambda: f"6{digits(2)} {digits(3)} {digits(3)}",
        lambda: f"+39 3{digits(2)} {digits(7)}",
        lambda: f"0(5{digits(2)}) {digits(3)} {digits(2)} {digits(2)}",
        lambda: f"138{digits(8)}",
        lambda: f"010-{digits(8)}",
        lambda: f"07{digits(3)} {digits(6)}",
    ],
    "street address": [
        lambda: f"{rng.randint(1, 99)} Oak Street",
        lambda: f"Lindenstr. {rng.randint(1, 99)}",
        lambda: f"{rng.randint(1, 99)} rue des Lilas",
        lambda: f"Calle Mayor {rng.randint(1, 99)}",
        lambda: f"Via Roma {rng.randint(1, 99)}",
        lambda: f"Lale Sok. No:{rng.randint(1, 99)}",
        lambda: f"人民路{rng.randint(1, 99)}号",
    ],
    "name": [
        lambda: f"Dr. {letters(1)}{letters(5).lower()} {letters(1)}{letters(6).lower()}",
        lambda: (
            f"{rng.choice(['Anna', 'John', 'Ayşe', 'José', 'Giulia', 'Jürgen'])} {letters(1)}{letters(6).lower()}"
        ),
        lambda: (
            f"{letters(1)}{letters(6).lower()}, {rng.choice(['Marie', 'Peter', 'Mehmet', 'Chiara', 'Lucía'])}"
        ),
        lambda: rng.choice("王李张刘陈杨黄赵") + "".join(rng.choices("伟芳娜敏静丽强磊军洋", k=2)),
    ],
}
UNDECIDED = {
    "date": [
        "{y}-{m:02}-{d:02}",
        "{d:02}.{m:02}.{y}",
        "{m}/{d}/{y}",
        "{y}{m:02}{d:02}",
        "{y}年{m}月{d}日",
        "{d} March {y}",
        "{y}-{m:02}-{d:02}T10:30:00Z",
    ],
    "year": ["{y}"],
}


def table(count):
    """The columns that the issue names, under names that tell nothing."""
    return {
        "names": column(
            lambda: (
                f"{rng.choice(['Anna', 'John', 'Elif', 'Paul', 'Luca'])} {letters(1)}{letters(6).lower()}"
            ),
            count,
        ),
        "ssn": column(lambda: number_cases.ssn(rng), count),
        "iban": column(lambda: number_cases.iban(rng), count),
        "mail": column(WRITTEN["mail address"][0], count),
        "phone": column(WRITTEN["phone number"][0], count),
        "plate": column(WRITTEN["vehicle plate"][0], count),
        "url": column(WRITTEN["web page"][0], count),
        "ip": column(WRITTEN["IP address"][0], count),
        "dates": column(lambda: day("{d:02}.{m:02}.{y}"), count),
        "zip": ["01067", *column(lambda: digits(5), count)],
        "sex": column(lambda: rng.choice("mf"), count),
    }


@pytest.mark.parametrize("count", [6, 500])
def test_a_table_without_telling_names(count):
    found = {name: detect_form(values) for name, values in table(count).items()}
    assert found.pop("sex") is None
    kinds = {name: one and (one.role, one.kind) for name, one in found.items()}
    assert kinds.pop("dates") == (None, "date")
    assert kinds.pop("zip") == (None, "code")
    assert set(kinds.values()) == {("identifier", "")}


def column(make, count=MANY):
    return [make() for _ in range(count)]


@pytest.mark.parametrize("what", CHECKED)
def test_a_checksum_tells_numbers_of_persons(what):
    found = detect_form(column(CHECKED[what]))
    assert (found.what, found.role, found.checked) == (what, "identifier", True)


@pytest.mark.parametrize(
    ("what", "make"), [(what, make) for what, makes in WRITTEN.items() for make in makes]
)
def test_the_writing_alone_tells_identifiers(what, make):
    found = detect_form(column(make))
    assert (found.what, found.role, found.checked) == (what, "identifier", False)


@pytest.mark.parametrize("what", WRITTEN)
def test_the_writing_tells_enough_where_no_check_digit_fits(what, monkeypatch):
    monkeypatch.setattr("shoal.proposal.detectors._checker", lambda name: lambda value: False)
    for make in WRITTEN[what]:
        found = detect_form(column(make))
        assert (found.role, found.checked) == ("identifier", False)


@pytest.mark.parametrize(
    ("names", "make"),
    [
        (["iban"], lambda draw: number_cases.iban(draw, *draw.choice([("DE", 22), ("ES", 24), ("TR", 26)]))),
        (["luhn"], number_cases.card),
        (["kvnr"], number_cases.kvnr),
        (["fr.nir"], number_cases.nir),
        (["es.dni", "es.nie"], number_cases.dni),
        (["tr.tckimlik"], number_cases.tckimlik),
        (["iso7064.mod_11_2"], number_cases.resident),
        (["ean"], number_cases.article),
        (["gb.nhs"], number_cases.nhs),
        (["de.idnr"], number_cases.steuer_id),
        (["it.codicefiscale"], number_cases.codice_fiscale),
    ],
)
@given(st.integers(0, 2**32).map(random.Random))
def test_a_check_says_yes_to_right_numbers_and_no_where_one_digit_is_another(names, make, draw):
    """Against the arithmetic of each number as the tests write it out."""
    right = make(draw)
    assert any(_checker(name)(right) for name in names)
    place = draw.choice([place for place, sign in enumerate(right) if sign.isdigit()])
    other = draw.choice([sign for sign in string.digits if sign != right[place]])
    assert not any(_checker(name)(right[:place] + other + right[place + 1 :]) for name in names)


@pytest.mark.parametrize(
    "module", sorted({name for pattern in patterns() for name in pattern.check} - {"kvnr"})
)
def test_every_module_is_there(module):
    assert _checker(module)("2") is False


@pytest.mark.parametrize(
    ("what", "written"), [(what, one) for what, every in UNDECIDED.items() for one in every]
)
def test_dates_decide_nothing_by_themselves(what, written):
    found = detect_form([day(written) for _ in range(MANY)])
    assert (found.what, found.role, found.kind) == (what, None, "date")


@pytest.mark.parametrize(
    ("what", "make"),
    [
        ("ICD-10 code", lambda: f"{rng.choice('ABCEFGIJK')}{digits(2)}.{digits(1)}"),
        (
            "ICD-9 code",
            lambda: rng.choice([f"{rng.randint(100, 999)}.{digits(1)}", f"V{digits(2)}.{digits(1)}"]),
        ),
        ("ATC code", lambda: f"{rng.choice('ABCDGHJ')}{digits(2)}{letters(2)}{digits(2)}"),
        ("NDC code", lambda: f"0{digits(4)}-{digits(4)}-{digits(2)}"),
        ("article number", lambda: number_cases.article(rng)),
        ("postal code", lambda: digits(5)),
        ("postal code", lambda: f"{digits(5)}-{digits(4)}"),
        ("postal code", lambda: f"SW{rng.randint(1, 9)} {rng.randint(1, 9)}{letters(2)}"),
        ("code", lambda: f"{rng.randint(1, 96):02}.{digits(1)}{rng.randint(1, 9)}"),
    ],
)
def test_codes_are_no_identifiers(what, make):
    found = detect_form(column(make, 200))
    assert (found.what, found.role, found.kind) == (what, None, "code")


def test_free_text_is_dropped():
    found = detect_form(
        [
            f"The patient came on day {i} and told of pain in {rng.choice(['arm', 'leg'])} number {i}."
            for i in range(20)
        ]
    )
    assert (found.role, found.kind) == ("drop", "text")
    chinese = detect_form([f"患者于第{i}天前无明显诱因出现头痛伴恶心呕吐无发热" for i in range(20)])
    assert chinese.role == "drop"


@pytest.mark.parametrize("size", [9, 10, 11, 12, 13, 15, 16, 18])
def test_random_long_numbers_pass_no_checksum(size):
    """One random number in ten passes a check digit; a column of them does not."""
    for _ in range(20):
        assert (
            detect_form(
                [str(rng.randrange(10 ** (size - 1), 10**size)) for _ in range(rng.choice([8, 40, 400]))]
            )
            is None
        )


@pytest.mark.parametrize(
    "make",
    [
        lambda: f"{rng.uniform(0, 1e6):.2f}",
        lambda: f"{rng.randint(1, 999)}.{digits(3)},{digits(2)}",
        lambda: f"{rng.randint(1, 999)},{digits(3)}.{digits(2)}",
        lambda: f"{rng.randint(1, 999)} {digits(3)} {digits(3)}",
        lambda: f"{rng.randint(1, 999)},{digits(2)} €",
        lambda: f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}",
        lambda: f"{rng.randint(0, 23):02}.{rng.randint(0, 59):02}",
        lambda: f"{rng.randint(1, 9)}0-{rng.randint(10, 19)}0",
        lambda: f"[{rng.randint(0, 9)}, {rng.randint(10, 20)})",
        lambda: f"({rng.randint(0, 9)}.0, {rng.randint(10, 20)}.0]",
        lambda: f"{rng.random():.2f} {rng.random():.2f}",
        lambda: f"{rng.randint(100, 180)}/{rng.randint(60, 110)}",
        lambda: f"{rng.randint(1000, 99999)}-{rng.randint(0, 9)}",
        lambda: f"978{digits(10)}",
        lambda: str(rng.randint(10000, 99999)),
        lambda: str(rng.randint(1300000000, 1700000000)),
        lambda: f"{rng.choice(['MATH', 'CSC', 'ART'])} {rng.randint(100, 499)}",
        lambda: f"{letters(3)}-{digits(5)}",
        lambda: f"{rng.uniform(40, 50):.6f}",
        lambda: f"{rng.randint(0, 9)}.{rng.randint(13, 40)}.{rng.randint(0, 20)}",
        lambda: rng.choice(["male", "female", "divers"]),
        lambda: rng.choice(
            ["Paris, France", "Rome, Italy", "Portland, Oregon", "Bern, Switzerland", "Lyon, France"]
        ),
        lambda: rng.choice(
            ["San Antonio", "Santa Barbara", "New York", "Los Angeles", "San Jose", "Boston", "Saint Paul"]
        ),
        lambda: rng.choice(
            ["Sales Manager", "Nurse", "Software Engineer", "Truck Driver", "Teacher", "Tax Advisor"]
        ),
        lambda: rng.choice(
            ["Private", "Self-emp-not-inc", "Local-gov", "State-gov", "Federal-gov", "Without-pay"]
        ),
        lambda: rng.choice(["Married-civ-spouse", "Never-married", "Divorced", "Widowed", "Separated"]),
        lambda: rng.choice(
            [
                "北京市",
                "上海市",
                "广州市",
                "成都市",
                "武汉市",
                "杭州市",
                "南京市",
                "西安市",
                "重庆市",
                "天津市",
            ]
        ),
        lambda: rng.choice(["<=50K", ">50K"]),
        lambda: rng.choice(
            ["Some college but no degree", "Bachelor's degree in arts or sciences", "High school graduate"]
        ),
        lambda: (
            f"Acetaminophen {rng.randint(1, 99)}0 MG / Oxycodone Hydrochloride {rng.randint(1, 9)} MG Oral Tablet"
        ),
        lambda: rng.choice(["low", "middle", "high", "very high"]),
    ],
)
def test_ordinary_columns_have_no_form(make):
    assert detect_form(column(make, 200)) is None


@given(st.lists(st.integers(-99_999_999, 99_999_999), max_size=80))
def test_small_integers_are_never_identifiers(numbers):
    found = detect_form([str(number) for number in numbers])
    assert found is None or found.role is None


@given(st.lists(st.decimals(-(10**7), 10**7, places=3), max_size=80), st.sampled_from([".", ","]))
def test_decimals_are_never_identifiers(numbers, sign):
    found = detect_form([str(number).replace(".", sign) for number in numbers])
    assert found is None or found.role is None


@given(st.lists(st.text(string.ascii_letters + "äöüßéñçğış", min_size=1, max_size=12), max_size=80))
def test_random_words_are_never_identifiers(words):
    found = detect_form(words)
    assert found is None or found.role is None


@given(st.lists(st.text(max_size=30), max_size=40))
def test_any_text_gets_an_answer(values):
    found = detect_form(values)
    assert found is None or 0 < found.share <= 1


def test_nothing_has_no_form():
    assert detect_form([]) is None
    assert detect_form(["", "  "]) is None


@pytest.mark.parametrize("count", [40, 10_000])
def test_some_mails_among_other_things_are_enough(count):
    found = detect_form([f"{letters(4)}@example.org" if i % 2 else "by post" for i in range(count)])
    assert (found.role, round(found.share, 1)) == ("identifier", 0.5)


def test_a_long_number_that_became_a_float_is_still_one():
    found = detect_form([f"{number_cases.tckimlik(rng)}.0" for _ in range(MANY)])
    assert found.what == "Turkish identity number"


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (["31/12/1999", "01/02/2000"], "date"),
        (["01/02/1999", "03/04/2000"], "date"),  # also where day and month cannot be told apart
        (["1999-12", "2000-01"], "date"),
        (["19991231"], "date"),
        (["3. März 1999", "4. Mai 2001"], "date"),
        (["1999"], "year"),
        (["Model 2000", "Klasse 2001"], None),
        (["1204", "3377", "9120"], None),
    ],
)
def test_dates_are_told_as_the_reader_reads_them(values, what):
    found = detect_form(values)
    assert (found and found.what) == what
