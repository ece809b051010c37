"""Methods called with the numbers of their claim among their options, as a configuration gives them."""

import inspect

from shoal.algorithms import METHODS
from shoal.privacy import GUARANTEE, make_claim

_CLAIMED = {
    **{key: key for key in GUARANTEE},
    "insiders": "insiders",
    "privacy": "itemsets",
    "negations": "negations",
    "repeats": "repeats",
    "linked": "linked",
}
_SECOND = {"mixed": "item_hierarchy", "ring": "label"}
"""What stands behind the data where the claim came to stand."""


def claimed(maker, *data, **options):
    """Call a method, making its claim of those options that belong to it."""
    kind = METHODS[maker.__name__.replace("_", "-")].kind
    own = inspect.signature(maker).parameters  # alpha of cahd is its own
    numbers = {_CLAIMED[k]: value for k, value in options.items() if k in _CLAIMED and k not in own}
    rest = {key: value for key, value in options.items() if key not in _CLAIMED or key in own}
    place = {"mixed": 2, "ring": 1}.get(kind)
    if place is not None and len(data) > place:
        rest[_SECOND[kind]] = data[place]
        data = data[:place]
    for word, needed in {"diversity": "l", "c": "l", "distance": "t", "likeness": "beta"}.items():
        if numbers.get(needed) is None:
            numbers.pop(word, None)  # a test that draws any claim draws words for all of them
    if kind == "cells" and numbers.keys() <= {"k"}:
        numbers.setdefault("subsets", 2)
    if kind == "itemsets" and "privacy" not in options:
        numbers.setdefault("m", 2)
    if kind == "trees":
        numbers["sensitive"] = data[0].sensitive
    return maker(*data, claim=make_claim(METHODS[maker.__name__.replace("_", "-")].shape, **numbers), **rest)


def kept(claim, published):
    """Whether the judge says yes; to a claim about sensitive items of which none is published it must say no."""
    verdict = claim.check(published)
    baskets = getattr(published, "baskets", published)
    if claim.exempts and not set(baskets.items.tolist()) & set(baskets.sensitive):
        return not verdict and "no sensitive item occurs" in verdict.sentence
    return bool(verdict)
