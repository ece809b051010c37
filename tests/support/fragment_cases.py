"""Methods on fragments, called with the numbers of a claim, as tests look at them."""

import numpy as np
import pytest
from hypothesis import assume

from shoal.algorithms import METHODS
from shoal.algorithms.fragments import in_fragments
from shoal.base.errors import InfeasibleError
from shoal.engines import in_turn
from shoal.privacy import make_claim


def fragmented(name, inputs, numbers, size, mapper=in_turn, seed=None, **options):
    """The union of what the method makes of fragments."""
    claim = make_claim(METHODS[name].shape, **numbers)
    rng = None if seed is None else np.random.default_rng(seed)
    return in_fragments(name, inputs, claim, options, size=size, mapper=mapper, rng=rng)


def attempt(name, inputs, numbers, size, **options):
    """The same, or a discarded example where there is no release; the method in one piece must find none either."""
    try:
        return fragmented(name, inputs, numbers, size, **options)
    except InfeasibleError:
        if not options.get("suppress"):  # fragments leave out other records
            rest = {key: value for key, value in options.items() if key not in ("seed", "mapper")}
            with pytest.raises(InfeasibleError):
                METHODS[name].load()(**inputs, claim=make_claim(METHODS[name].shape, **numbers), **rest)
        assume(False)
