"""How time grows with the number of records."""

import numpy as np

from .results import Rows, column


def slope(rows: Rows) -> float:
    """The slope of log seconds over log records, by least squares: 1 is linear."""
    x, y = (np.log(np.maximum(column(rows, name), 1e-6)) for name in ("records", "seconds"))
    return float(np.polyfit(x, y, 1)[0]) if len(set(x)) > 1 else 1.0
