"""Intervals for the mean of skewed whole numbers, and for shares."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import copysign, sqrt
from statistics import NormalDist

from scipy.stats import binomtest

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, mean, standard deviation and skewness of a histogram of whole numbers; the sums under them are exact."""

    number: int
    mean: float
    deviation: float
    skewness: float


def moments(counts: Mapping[int, int]) -> Moments:
    """Return the moments of a histogram, value -> count."""
    n = sum(counts.values())
    sums = [sum(count * value**power for value, count in counts.items()) for power in (1, 2, 3)]
    # central sums times powers of n: whole numbers to the end
    second = n * sums[1] - sums[0] ** 2
    third = n * n * sums[2] - 3 * n * sums[0] * sums[1] + 2 * sums[0] ** 3
    deviation = sqrt(second / (n * (n - 1))) if n > 1 else 0.0
    skewness = third / second**1.5 if second else 0.0
    return Moments(n, sums[0] / n if n else 0.0, deviation, skewness)


def mean_interval(found: Moments, level: float = LEVEL) -> tuple[float, float]:
    """Return an interval for the mean that allows for skewness.

    Hall's cubic transformation of Student's statistic (P. Hall, J. R. Stat. Soc. B 54, 1992, 221-228): right up to terms
    of 1/n where the plain normal interval is up to 1/sqrt(n), and like BCa intervals, but without random numbers.
    """
    normal = NormalDist().inv_cdf(0.5 + level / 2)
    step = found.deviation / sqrt(found.number)
    low, high = (_untransformed(end, found) for end in (normal, -normal))
    return found.mean - step * low, found.mean - step * high


def p_value(found: Moments) -> float:
    """Return how likely a mean at least so far from 0 is if the true mean is 0, two-sided, by the same transformation."""
    if not found.deviation:
        return 1.0 if not found.mean else 0.0
    student = found.mean * sqrt(found.number) / found.deviation
    return min(1.0, 2 * NormalDist().cdf(-abs(_transformed(student, found))))


def share_interval(part: int, number: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the exact interval of a share (Clopper and Pearson, Biometrika 26, 1934)."""
    found = binomtest(part, number).proportion_ci(level, method="exact")
    return float(found.low), float(found.high)


def sign_p_value(less: int, greater: int) -> float:
    """Return the exact two-sided p-value of the sign test; 1 where there is nothing but ties."""
    return float(binomtest(less, less + greater).pvalue) if less + greater else 1.0


def _transformed(student: float, found: Moments) -> float:
    b = found.skewness / sqrt(found.number)
    return student + b * student**2 / 3 + b**2 * student**3 / 27 + b / 6


def _untransformed(normal: float, found: Moments) -> float:
    b = found.skewness / sqrt(found.number)
    if abs(b) < 1e-9:
        return normal
    inner = 1 + b * (normal - b / 6)
    return 3 / b * (copysign(abs(inner) ** (1 / 3), inner) - 1)
