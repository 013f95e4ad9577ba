"""How assignors of the literature that go by weight compare with the best: ``python docs/scripts/weights.py --write`` keeps it for docs/explanation/solver.md.

Groups and rates are whole numbers from a seed. The first table has a given number of members. In the second table the number of consumers is the
result. Rates change by up to a third at each of 30 steps, and each heuristic continues from its last packing.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random

from figures import keep, today
from packing import FITS, compute_r_score, pack_items

from kassay.families.optimal.consumer import by_weight
from kassay.model import Assignment, Group, Member, Topic
from kassay.oracles.partitions.optimum import compute_optimum
from kassay.oracles.partitions.weights import instance
from kassay.oracles.partitions.weights.instance import WEIGHTED_BALANCE
from kassay.properties.partitions.extras import add_weights
from kassay.properties.partitions.measures import greatest_weight, imbalance

GROUPS, STEPS, WALKS, CAPACITY = 20, 30, 40, 1000
instance.EFFORT = 0.2
ASSIGNORS: list[tuple[str, Callable[[Group], Assignment], str]] = [
    ("longest first", by_weight.longest_first, WEIGHTED_BALANCE),
    ("multifit", by_weight.multifit, WEIGHTED_BALANCE),
    ("fewest first", by_weight.fewest_first, f"balance,{WEIGHTED_BALANCE}"),
    ("fewest of the topic first", by_weight.fewest_of_topic_first, f"balance,{WEIGHTED_BALANCE}"),
]
"""Name, assignor, and the objective order that it is compared with."""


def draw_group(seed: int, sort: str, *, mixed: bool) -> Group:
    """Draw a group of 3 to 8 members and 12 to 40 partitions in 1 to 4 topics."""
    r = Random(seed)
    topics = tuple(
        Topic(f"t{n}", r.randint(12, 40) // count) for count in (r.randint(1, 4),) for n in range(count)
    )
    members = tuple(
        Member(f"m{n}", tuple(t.name for t in topics if not mixed or r.random() < 0.7) or (topics[0].name,))
        for n in range(r.randint(3, 8))
    )
    return add_weights(r, Group(topics, members), sort)


def compare_members(groups: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield rows of the first table."""
    for sort in ("heavy tail", "even"):
        for mixed in (False, True):
            cells = {}
            found = [draw_group(n, sort, mixed=mixed) for n in range(groups)]
            best = {
                question: [compute_optimum(question, group).levels[-1] for group in found]
                for _, _, question in ASSIGNORS
            }
            for name, assign, question in ASSIGNORS:
                over, uneven, at_best = Fraction(0), 0, 0
                for group, level in zip(found, best[question], strict=True):
                    answer = assign(group)
                    heaviest = greatest_weight(group, answer)
                    uneven += (
                        question != WEIGHTED_BALANCE
                        and imbalance(group, answer) > compute_optimum("balance", group).levels[0].value
                    )
                    at_best += heaviest <= level.value
                    over = max(over, Fraction(heaviest - level.value, max(level.value, 1)))
                said = f", {100 * uneven // groups} % uneven" if uneven else ""
                cells[name] = f"{100 * at_best // groups} %, {float(100 * over):.1f} %{said}"
            proved = {
                f"best proved: {question}": f"{100 * sum(level.proved for level in levels) // groups} %"
                for question, levels in best.items()
            }
            yield f"{sort}, {'mixed' if mixed else 'same'}", proved | cells


def compare_rates(walks: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield rows of the second table."""
    for modified in (False, True):
        for fit in FITS:
            more = moved = packings = 0
            for seed in range(walks):
                r = Random(seed)
                rates = [r.randint(20, 400) for _ in range(30)]
                before = [-1] * len(rates)
                for _ in range(STEPS):
                    bins = pack_items(rates, before, CAPACITY, fit, modified=modified)
                    moved += compute_r_score(rates, before, bins)
                    more += len(bins) - -(-sum(rates) // CAPACITY)
                    packings += 1
                    before = [next(n for n, items in bins.items() if i in items) for i in range(len(rates))]
                    rates = [min(CAPACITY, max(1, rate * r.randint(67, 133) // 100)) for rate in rates]
            name = f"modified {fit}" if modified else f"{fit} decreasing"
            yield (
                name,
                {
                    "consumers above the least that the sum of rates allows": round(more / packings, 2),
                    "R-score": round(moved / packings / CAPACITY, 2),
                },
            )


def main() -> None:
    """Print the tables, and keep them where that is asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    found = {"members given": dict(compare_members(GROUPS)), "members an outcome": dict(compare_rates(WALKS))}
    if parser.parse_args().write:
        keep("by-weight", "python docs/scripts/weights.py --write", today(), found)
    else:
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
