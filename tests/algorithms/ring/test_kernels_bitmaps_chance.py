import numpy as np
from scipy.stats import chisquare

from shoal.algorithms.ring._kernels.bitmaps import below, chance, random_permutation, refill

LOW = 0xFFFFFFFF


def block(words, rounds):
    """One block of the cipher, from RFC 8439 section 2.3, with any number of rounds."""

    def quarter(x, a, b, c, d):
        for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[first] = (x[first] + x[second]) & LOW
            x[third] ^= x[first]
            x[third] = ((x[third] << turn) | (x[third] >> (32 - turn))) & LOW

    x = list(words)
    for _ in range(rounds // 2):
        for i in range(4):
            quarter(x, i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return [(a + b) & LOW for a, b in zip(x, words, strict=True)]


def test_the_twin_is_the_published_cipher():
    key = np.frombuffer(bytes(range(32)), dtype="<u4").tolist()
    constants = np.frombuffer(b"expand 32-byte k", dtype="<u4").tolist()
    words = [*constants, *key, 1, 0x09000000, 0x4A000000, 0]
    assert [hex(word) for word in block(words, 20)[:4]] == [
        "0xe4e7f110",
        "0x15593bd1",
        "0x1fdd0f50",
        "0xc47120a3",
    ]


def test_words_are_those_of_the_cipher():
    state = chance(bytes(range(40)))
    state[12], state[13] = LOW - 3, 6  # the counter carries on the way
    words = state[:16].tolist()
    refill(state)
    found = state[17:].reshape(16, 16).T
    for i in range(16):
        count = words[12] + (words[13] << 32) + i
        expected = block([*words[:12], count & LOW, count >> 32, *words[14:]], 8)
        assert found[i].tolist() == expected
    assert state[12] + (state[13] << 32) == words[12] + (words[13] << 32) + 16


def test_draws_are_uniform():
    state = chance(bytes(40))
    for bound in (1, 2, 3, 7, 100):
        draws = np.array([below(state, bound) for _ in range(200 * bound)])
        assert draws.min() >= 0
        assert draws.max() < bound
        if bound > 1:
            assert chisquare(np.bincount(draws, minlength=bound)).pvalue > 1e-4


def test_a_bound_that_does_not_divide_the_words_is_still_uniform():
    state = chance(bytes(40))
    bound = 3 << 29  # 2^32 is not a multiple: without a rejection some numbers were twice as likely
    thirds = np.array([below(state, bound) // (1 << 29) for _ in range(6000)])
    assert chisquare(np.bincount(thirds, minlength=3)).pvalue > 1e-4


def test_shuffles_are_uniform_permutations():
    state = chance(bytes(40))
    seen = {}
    for _ in range(2400):
        order = tuple(random_permutation(state, 4).tolist())
        assert sorted(order) == [0, 1, 2, 3]
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 24
    assert chisquare(list(seen.values())).pvalue > 1e-4


def test_another_seed_is_another_stream():
    first, second = chance(bytes(40)), chance(bytes(39) + b"\1")
    assert [below(first, 1000) for _ in range(9)] != [below(second, 1000) for _ in range(9)]
