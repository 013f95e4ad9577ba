"""Effects: how much a target differs from a reference in each thing that was measured, and whether that is chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kassay.reports.comparing.interval import mean_interval, moments, p_value, share_interval, sign_p_value
from kassay.reports.comparing.pairs import Counted, Differences

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

    @property
    def differing_at_most(self) -> float:
        """The share of groups in which they differ is below this, at 95 %: what is known where no pair differs."""
        return share_interval(self.lower + self.higher, self.pairs)[1] if self.pairs else 1.0


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
