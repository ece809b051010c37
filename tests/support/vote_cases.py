"""Small baskets and releases of them, for tests."""

import numpy as np
from hypothesis import strategies as st

import naive_votes
from shoal.release import PublishedBits, Sensitive

LABELS = ("flu", "gout", "hiv", "pox", "rash", "scab", "tic", "yaws")


def flat(baskets):
    """Start and items of sets of numbers."""
    start = np.cumsum([0, *map(len, baskets)], dtype=np.int64)
    return start, np.array([item for basket in baskets for item in sorted(basket)], dtype=np.int64)


def label(codes):
    """A label column as released; None is a missing label."""
    return Sensitive(np.array([-1 if code is None else code for code in codes], dtype=np.int64), LABELS)


def published(baskets, rows, labels=None, own=None):
    """A release beside its originals; `rows` are (items, uncertain, errors)."""
    items, maybe, errors = zip(*rows, strict=True) if rows else ((), (), ())
    return PublishedBits(
        *flat(items),
        *flat(maybe),
        np.array(errors, dtype=np.int64),
        None if labels is None else label(labels),
        *flat(baskets),
        None if own is None else label(own),
    )


baskets = st.lists(st.frozensets(st.integers(0, 4), max_size=4), min_size=1, max_size=5)


@st.composite
def releases(draw):
    """Originals, and rows voted over windows of a ring or over anything at all, in any order."""
    own = draw(baskets)
    n = len(own)
    width = draw(st.integers(1, n))
    if draw(st.booleans()):
        groups = [[own[(j - step) % n] for step in range(width)] for j in range(n)]
    else:
        groups = [draw(st.lists(st.sampled_from(own), min_size=1, max_size=n)) for _ in own]
    rows = [naive_votes.vote(group) for group in groups]
    if draw(st.booleans()):
        rows = [(items, maybe, max(errors - draw(st.integers(0, 1)), 0)) for items, maybe, errors in rows]
    return own, draw(st.permutations(rows))


def seen(baskets, made, label=None):
    """A release beside its originals, as a judge sees it."""
    bitmaps = made.release
    tag = None if label is None else Sensitive(label.codes[bitmaps.rows].astype(np.int64), label.values)
    return PublishedBits(
        bitmaps.start,
        bitmaps.items.astype(np.int64),
        bitmaps.maybe_start,
        bitmaps.maybe.astype(np.int64),
        bitmaps.errors.astype(np.int64),
        tag,
        baskets.start,
        baskets.items.astype(np.int64),
        None if label is None else Sensitive(label.codes.astype(np.int64), label.values),
    )


def shown(made):
    """The rows as (items, uncertain, errors), items as texts."""
    release = made.release
    texts = np.array([*release.values, ""], dtype=object)
    return [
        (
            frozenset(texts[release.items[release.start[j] : release.start[j + 1]]]),
            frozenset(texts[release.maybe[release.maybe_start[j] : release.maybe_start[j + 1]]]),
            int(release.errors[j]),
        )
        for j in range(len(release.rows))
    ]


def in_order(rows):
    """Rows in an order of their own."""
    return sorted((sorted(items), sorted(maybe), errors) for items, maybe, errors in rows)
