"""How many people are alone in the population, estimated from the class sizes of a sample."""

from math import lgamma

import numpy as np
from numpy.typing import NDArray

from shoal.base.errors import InputError
from shoal.data.arrays import F8, I8

__all__ = ["correct_match_rate", "pitman", "population_size", "zayatz"]

_CLIMBS, _LEVEL = 60, 1e-10  # Newton's steps, and how small the last one is


def population_size(sample: int, fraction: float) -> int:
    """How many people there are where a sample is this fraction of them, to the next whole number.

    >>> population_size(30, 0.1)
    300
    """
    if not 0 < fraction <= 1:
        raise InputError(
            f"fraction={fraction}: the sample is a share of the population; give one above 0 and up to 1"
        )
    return max(sample, int(sample / fraction + 0.5))


def zayatz(sizes: NDArray[np.integer], population: int) -> float:
    """The share of the population that is unique in it, estimated from the class sizes of a sample.

    Sizes of classes in the population are taken to be spread as in the sample; of a class of size s a simple random
    sample of n of N people holds one person with the hypergeometric probability P(s). With c1 classes of size 1 and c
    classes, the share of sample uniques that are unique in the population is c1 P(1) / sum of P(s) over all classes.

    Parameters
    ----------
    sizes
        The classes' sizes in the sample.
    population
        N, at least the sum of the sizes.

    References
    ----------
    .. [1] Zayatz. Estimation of the percent of unique population elements on a microdata file using the sample. US
       Bureau of the Census, 1991.

    Examples
    --------
    >>> zayatz(np.array([1, 1, 2]), 4), round(zayatz(np.array([1, 1, 2]), 40), 6)
    (0.5, 0.26)
    """
    sample = int(sizes.sum())
    size, times = np.unique(sizes, return_counts=True)
    unique_count = int(times[size == 1].sum())
    if not unique_count:
        return 0.0
    single_chance = _single_draw_chance(size, sample, population)
    return unique_count * float(unique_count * single_chance[size == 1][0] / (times @ single_chance)) / sample


def _single_draw_chance(size: I8, sample: int, population: int) -> F8:
    """For each class size in the population, the chance that the sample holds exactly one of its people."""
    index = np.arange(int(size.max()) - 1)
    remaining = population - sample - index
    room = np.maximum(remaining, 0) / (population - 1 - index)
    with np.errstate(divide="ignore"):
        no_other_chance = np.exp(np.r_[0.0, np.cumsum(np.log(room))])  # nobody of the class but one was drawn
    single_chance: F8 = size * (sample / population) * no_other_chance[size - 1]
    return single_chance


def pitman(sizes: NDArray[np.integer], population: int) -> float | None:
    """The share of the population that is unique in it, by Pitman's sampling formula fitted to a sample.

    Theta and alpha are those of the greatest likelihood; of N people then Gamma(theta + 1) / Gamma(theta + alpha)
    N^alpha are unique. None where the likelihood has no such maximum, or where it leads to more than N.

    Parameters
    ----------
    sizes
        The classes' sizes in the sample.
    population
        N, at least the sum of the sizes.

    References
    ----------
    .. [1] Hoshino. Applying Pitman's sampling formula to microdata disclosure risk assessment. J. of Official
       Statistics 17(4), 2001.

    Examples
    --------
    >>> round(pitman(np.repeat([1, 2, 3, 7, 20], [40, 10, 5, 2, 1]), 5000), 6)
    0.07636
    """
    sample = int(sizes.sum())
    if not (sizes == 1).any():
        return 0.0
    solved = _Likelihood(sizes, sample).greatest()
    if solved is None:
        return None
    theta, alpha = solved
    share = float(np.exp(lgamma(theta + 1) - lgamma(theta + alpha) + (alpha - 1) * np.log(population)))
    return share if share <= 1 else None


class _Likelihood:
    """The slope of the log-likelihood of Pitman's formula, and its bend."""

    def __init__(self, sizes: NDArray[np.integer], sample: int) -> None:
        self.sample, self.classes = sample, len(sizes)
        self.one, self.two = int((sizes == 1).sum()), int((sizes == 2).sum())
        self.class_number = np.arange(1, self.classes, dtype=np.float64)
        self.row_number = np.arange(1, sample, dtype=np.float64)
        counts = np.bincount(sizes)
        self.place = np.arange(1, len(counts) - 1, dtype=np.float64)
        self.larger = (
            counts[::-1].cumsum()[::-1][2:].astype(np.float64)
        )  # classes of more than 1, 2, ... people

    def greatest(self) -> tuple[float, float] | None:
        """Theta and alpha where the slope is 0; None where Newton's steps find none.

        Whole steps from Hoshino's moments come first; steps that are cut short so as to stay inside may begin anywhere.
        """
        if self.one == self.classes:
            return None  # everybody differs: the likelihood rises towards alpha = 1
        estimate = self._climb(*self._estimate_by_moments(), whole=True)
        for theta in (0.01, 0.1, 1.0):
            estimate = self._climb(self.classes * theta, 0.5, whole=False) if estimate is None else estimate
        return estimate

    def _estimate_by_moments(self) -> tuple[float, float]:
        """Hoshino's moments."""
        n, u, uniques = self.sample, self.classes, self.one
        c = uniques * (uniques - 1) / max(self.two, 1)
        denominator = 2 * uniques * u + uniques * c - n * c
        theta = (n * u * c - uniques * (n - 1) * (2 * u + c)) / denominator if denominator else 1.0
        return theta, (theta * (uniques - n) + (n - 1) * uniques) / (n * u)

    def _climb(self, theta: float, alpha: float, *, whole: bool) -> tuple[float, float] | None:
        for _ in range(_CLIMBS):
            if not self._allowed(theta, alpha):
                return None
            (a, b), (c, d, e) = self._derivatives(theta, alpha)
            bend = c * e - d * d
            if not np.isfinite(bend) or bend == 0:
                return None
            theta_step, alpha_step = (a * e - b * d) / bend, (b * c - a * d) / bend
            if abs(theta_step) <= _LEVEL * max(theta, 1) and abs(alpha_step) <= _LEVEL:
                return theta, alpha
            while (
                not whole
                and abs(alpha_step) > _LEVEL
                and not self._allowed(theta - theta_step, alpha - alpha_step)
            ):
                theta_step, alpha_step = theta_step / 2, alpha_step / 2
            theta, alpha = theta - theta_step, alpha - alpha_step
        return None

    def _allowed(self, theta: float, alpha: float) -> bool:
        """Whether every factor of the likelihood is positive, and the number of uniques a number."""
        return theta >= 0 and alpha < 1 and alpha != 0 and theta + alpha * max(self.classes - 1, 1) > 0

    def _derivatives(
        self, theta: float, alpha: float
    ) -> tuple[tuple[float, float], tuple[float, float, float]]:
        """The first and second derivatives: by theta and alpha; twice by theta, by both, twice by alpha."""
        classes = 1 / (theta + self.class_number * alpha)
        numbered = self.class_number * classes
        rows = 1 / (theta + self.row_number)
        inside = 1 / (self.place - alpha)
        slope = (classes.sum() - rows.sum(), numbered.sum() - (self.larger * inside).sum())
        bend = (
            (rows**2).sum() - (classes**2).sum(),
            -(classes * numbered).sum(),
            -(numbered**2).sum() - (self.larger * inside**2).sum(),
        )
        return slope, bend


def correct_match_rate(sizes: I8, fraction: float) -> float | None:
    """The chance that somebody of the population who matches one record alone is the person of that record.

    The data intrusion simulation: of the classes of size 1 and 2 in a sample of the fraction f, U f / (U f + R (1 - f))
    with U records alone and R records in pairs. None where there is nobody alone.

    References
    ----------
    .. [1] Skinner, Elliot. A measure of disclosure risk for microdata. J. of the Royal Statistical Society B 64(4),
       2002.

    Examples
    --------
    >>> correct_match_rate(np.array([1, 1, 1, 2, 5]), 0.5)
    0.6
    """
    unique_count, paired = int((sizes == 1).sum()), 2 * int((sizes == 2).sum())
    if not unique_count:
        return None
    return unique_count * fraction / (unique_count * fraction + paired * (1 - fraction))
