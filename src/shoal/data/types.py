"""The arrays that everything is made of, by kind and bytes per number."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["B1", "F8", "I4", "I8", "U8"]

B1 = NDArray[np.bool_]
F8 = NDArray[np.float64]
I4 = NDArray[np.int32]
I8 = NDArray[np.int64]
U8 = NDArray[np.uint64]
