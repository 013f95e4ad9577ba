"""Statistics of exact histograms: moments, intervals, p-values of paired tests, and their correction for multiple tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import copysign, sqrt
from statistics import NormalDist
from typing import TypeVar

from scipy.stats import binomtest

FEWEST = 30
"""The least number of different groups for an interval of the mean; fewer groups get only the exact sign test."""
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, mean, standard deviation and skewness of a histogram of whole numbers; the sums under them are exact."""

    number: int
    mean: float
    deviation: float
    skewness: float


def compute_moments(counts: Mapping[int, int]) -> Moments:
    """Return the moments of a histogram, value -> count."""
    n = sum(counts.values())
    sums = [sum(count * value**power for value, count in counts.items()) for power in (1, 2, 3)]
    # Central sums times powers of n are whole numbers.
    second = n * sums[1] - sums[0] ** 2
    third = n * n * sums[2] - 3 * n * sums[0] * sums[1] + 2 * sums[0] ** 3
    deviation = sqrt(second / (n * (n - 1))) if n > 1 else 0.0
    skewness = third / second**1.5 if second else 0.0
    return Moments(n, sums[0] / n if n else 0.0, deviation, skewness)


def compute_mean_interval(found: Moments) -> tuple[float, float]:
    """Return an interval for the mean that allows for skewness.

    Hall's cubic transformation of Student's statistic (P. Hall, J. R. Stat. Soc. B 54, 1992, 221-228): right up to terms
    of 1/n where the plain normal interval is up to 1/sqrt(n), and like BCa intervals, but without random numbers.
    """
    normal = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    step = found.deviation / sqrt(found.number)
    b = found.skewness / sqrt(found.number)

    def invert(end: float) -> float:
        if abs(b) < 1e-9:
            return end
        inner = 1 + b * (end - b / 6)
        return 3 / b * (copysign(abs(inner) ** (1 / 3), inner) - 1)

    return found.mean - step * invert(normal), found.mean - step * invert(-normal)


def compute_p_value(found: Moments) -> float:
    """Return the two-sided p-value of the mean if the true mean is 0, by the same transformation."""
    if not found.deviation:
        return 1.0 if not found.mean else 0.0
    student = found.mean * sqrt(found.number) / found.deviation
    b = found.skewness / sqrt(found.number)
    transformed = student + b * student**2 / 3 + b**2 * student**3 / 27 + b / 6
    return min(1.0, 2 * NormalDist().cdf(-abs(transformed)))


def compute_sign_p_value(less: int, greater: int) -> float:
    """Return the exact two-sided p-value of the sign test; 1 if there are only ties."""
    return float(binomtest(less, less + greater).pvalue) if less + greater else 1.0


def compute_share_interval(part: int, number: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a share, `part` of `number` groups (Clopper and Pearson, Biometrika 26, 1934, 404-413)."""
    found = binomtest(part, number).proportion_ci(LEVEL, "exact")
    return float(found.low), float(found.high)


_Key = TypeVar("_Key", str, tuple[str, str])


def apply_holm(chances: Mapping[_Key, float]) -> dict[_Key, float]:
    """Return p-values corrected for multiple tests (S. Holm, Scand. J. Statist. 6, 1979, 65-70)."""
    corrected, worst = {}, 0.0
    for rank, (name, chance) in enumerate(sorted(chances.items(), key=lambda one: (one[1], one[0]))):
        worst = min(1.0, max(worst, chance * (len(chances) - rank)))
        corrected[name] = worst
    return corrected
