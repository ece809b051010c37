"""Generated numbers of persons with right check digits; nobody has them on purpose."""

import random
import string


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(string.digits, k=count))


def luhn(body: str) -> str:
    """`body` with its check digit."""
    for last in string.digits:
        total = 0
        for place, sign in enumerate(reversed(body + last)):
            value = int(sign) * (1 + place % 2)
            total += value // 10 + value % 10
        if total % 10 == 0:
            return body + last
    raise AssertionError


def iban(rng: random.Random, country: str = "DE", length: int = 22) -> str:
    body = digits(rng, length - 4)
    number = int(body + "".join(str(ord(sign) - 55) for sign in country) + "00")
    text = f"{country}{98 - number % 97:02d}{body}"
    return (
        " ".join(text[place : place + 4] for place in range(0, len(text), 4)) if rng.random() < 0.5 else text
    )


def card(rng: random.Random) -> str:
    number = luhn(rng.choice(["4", "51", "53", "55"]).ljust(2, "2") + digits(rng, 13))
    return number if rng.random() < 0.5 else " ".join(number[place : place + 4] for place in range(0, 16, 4))


def article(rng: random.Random) -> str:
    body = "00" + digits(rng, 10)
    total = sum(int(sign) * (3 if place % 2 == 0 else 1) for place, sign in enumerate(reversed(body)))
    return body + str(-total % 10)


def ssn(rng: random.Random) -> str:
    return f"{rng.randint(1, 665):03d}-{rng.randint(1, 99):02d}-{rng.randint(1, 9999):04d}"


def nhs(rng: random.Random) -> str:
    while True:
        body = digits(rng, 9)
        check = 11 - sum(int(sign) * (10 - place) for place, sign in enumerate(body)) % 11
        if check != 10:
            return body + str(check % 11)


def nino(rng: random.Random) -> str:
    return f"{rng.choice('ABCEHJ')}{rng.choice('ABCEGHJ')}{digits(rng, 6)}{rng.choice('ABCD')}"


def steuer_id(rng: random.Random) -> str:
    """One digit twice in the first ten, another one missing, and the check of ISO 7064."""
    ten = rng.sample(string.digits, 10)
    ten[rng.randrange(1, 10)] = ten[0]
    while ten[0] == "0":
        rng.shuffle(ten)
    rest = 10
    for sign in ten:
        rest = (rest + int(sign)) % 10 or 10
        rest = rest * 2 % 11
    return "".join(ten) + str((11 - rest) % 10)


def kvnr(rng: random.Random) -> str:
    letter = rng.choice(string.ascii_uppercase)
    body = digits(rng, 8)
    total = 0
    for place, sign in enumerate(f"{ord(letter) - 64:02d}{body}"):
        value = int(sign) * (1 + place % 2)
        total += value // 10 + value % 10
    return f"{letter}{body}{total % 10}"


def nir(rng: random.Random) -> str:
    body = (
        f"{rng.choice('12')}{digits(rng, 2)}{rng.randint(1, 12):02d}{rng.randint(1, 95):02d}{digits(rng, 6)}"
    )
    return f"{body}{97 - int(body) % 97:02d}"


def dni(rng: random.Random) -> str:
    number = rng.randrange(10**8)
    return f"{number:08d}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def codice_fiscale(rng: random.Random) -> str:
    letters = "".join(rng.choices("BCDFGLMNPRSTV", k=6))
    body = f"{letters}{digits(rng, 2)}{rng.choice('ABCDEHLMPRST')}{rng.randint(1, 28):02d}H501"
    odd = dict(zip(string.digits, (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True))
    odd |= dict(
        zip(
            string.ascii_uppercase,
            (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
            strict=True,
        )
    )
    total = sum(
        odd[sign] if place % 2 == 0 else int(sign, 36) - (10 if sign.isalpha() else 0)
        for place, sign in enumerate(body)
    )
    return body + string.ascii_uppercase[total % 26]


def tckimlik(rng: random.Random) -> str:
    nine = [rng.randint(1, 9), *(rng.randint(0, 9) for _ in range(8))]
    tenth = (7 * sum(nine[0::2]) - sum(nine[1::2])) % 10
    return "".join(map(str, nine)) + str(tenth) + str((sum(nine) + tenth) % 10)


def resident(rng: random.Random) -> str:
    born = f"{rng.randint(1950, 2005)}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"
    body = rng.choice(["110101", "310104", "440305"]) + born + digits(rng, 3)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return (
        body + "10X98765432"[sum(int(sign) * weight for sign, weight in zip(body, weights, strict=True)) % 11]
    )
