"""Effects: how much a target differs from a reference in each thing that was measured, and whether that is chance.

Intervals for the mean of skewed whole numbers, and for shares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import copysign, sqrt
from statistics import NormalDist

from scipy.stats import binomtest

from kassay.reports.comparison.pairs import Counted, Differences

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


def mean_interval(found: Moments) -> tuple[float, float]:
    """Return an interval for the mean that allows for skewness.

    Hall's cubic transformation of Student's statistic (P. Hall, J. R. Stat. Soc. B 54, 1992, 221-228): right up to terms
    of 1/n where the plain normal interval is up to 1/sqrt(n), and like BCa intervals, but without random numbers.
    """
    normal = NormalDist().inv_cdf(0.5 + LEVEL / 2)
    step = found.deviation / sqrt(found.number)
    low, high = (_untransformed(end, found) for end in (normal, -normal))
    return found.mean - step * low, found.mean - step * high


def p_value(found: Moments) -> float:
    """Return how likely a mean at least so far from 0 is if the true mean is 0, two-sided, by the same transformation."""
    if not found.deviation:
        return 1.0 if not found.mean else 0.0
    student = found.mean * sqrt(found.number) / found.deviation
    return min(1.0, 2 * NormalDist().cdf(-abs(_transformed(student, found))))


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


FEWEST = 30
"""Fewer groups on which two targets differ are too few for an interval of the mean; the exact sign test judges them alone."""
CHANCE = 0.05

LOWER, HIGHER, ALIKE, EQUAL, NOTHING = "lower", "higher", "not distinguishable", "equal", "not compared"


@dataclass(frozen=True, slots=True)
class Effect:
    """The difference of a target to a reference in one thing, target less reference, over the groups both have it for.

    `pairs` groups are compared, of all `groups`; of the others `unpaired` are those that only one of the two has it for.
    `interval` is that of the mean difference, at 95 %, None where too few groups differ; `superiority` the probability that
    the target has the lower value, ties counted half; `p` is Holm's over all things compared. `verdict` is lower, higher,
    not distinguishable, equal (in every pair) or not compared.
    """

    target: str
    reference: str
    name: str
    pairs: int
    unpaired: int
    means: tuple[float, float]
    difference: float
    interval: tuple[float, float] | None
    lower: int
    higher: int
    superiority: float
    p: float
    verdict: str
    groups: int


def effects(found: Counted, target: str, names: Sequence[str]) -> list[Effect]:
    """Return the effect of each thing, judged together."""
    known = {name: found.differences.get((target, name), Differences()) for name in names}
    chances = holm({name: _chance(each) for name, each in known.items() if each.counts})
    return [
        _effect(target, str(found.reference), name, each, chances.get(name, 1.0))
        for name, each in known.items()
    ]


def holm(chances: Mapping[str, float]) -> dict[str, float]:
    """Correct p-values for being many (S. Holm, Scand. J. Statist. 6, 1979, 65-70)."""
    corrected, worst = {}, 0.0
    for rank, (name, chance) in enumerate(sorted(chances.items(), key=lambda one: (one[1], one[0]))):
        worst = min(1.0, max(worst, chance * (len(chances) - rank)))
        corrected[name] = worst
    return corrected


def _chance(each: Differences) -> float:
    less, greater = _signs(each)
    return sign_p_value(less, greater) if less + greater < FEWEST else p_value(moments(each.counts))


def _signs(each: Differences) -> tuple[int, int]:
    return (
        sum(count for value, count in each.counts.items() if value < 0),
        sum(count for value, count in each.counts.items() if value > 0),
    )


def _effect(target: str, reference: str, name: str, each: Differences, chance: float) -> Effect:
    pairs = sum(each.counts.values())
    groups = pairs + sum(each.alone) + each.neither
    less, greater = _signs(each)
    if not pairs:
        return Effect(
            target, reference, name, 0, sum(each.alone), (0.0, 0.0), 0.0, None, 0, 0, 0.5, 1.0, NOTHING, groups,
        )  # fmt: skip
    found = moments(each.counts)
    enough = less + greater >= FEWEST
    if not less + greater:
        verdict = EQUAL
    elif chance > CHANCE:
        verdict = ALIKE
    else:
        verdict = LOWER if (found.mean < 0 if enough else less > greater) else HIGHER
    return Effect(
        target, reference, name, pairs, sum(each.alone), (each.target / pairs, each.reference / pairs), found.mean,
        mean_interval(found) if enough else None, less, greater,
        (less + (pairs - less - greater) / 2) / pairs, chance, verdict, groups,
    )  # fmt: skip
