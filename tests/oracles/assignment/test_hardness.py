"""The reductions of docs/explanation/solver.md, counted out on both sides."""

from collections.abc import Iterator
from itertools import combinations, product
from random import Random

import pytest
from second_opinions.every_assignment import _together

from kassay.model import Group, Member, Topic
from kassay.oracles.partitions.question import Question
from kassay.properties.partitions.owners import subscribers


def three_partition(numbers: list[int], total: int) -> bool:
    """Whether numbers fall into triples of this total, by trying each pair beside the first."""
    if not numbers:
        return True
    first, *rest = numbers
    return any(
        first + rest[i] + rest[j] == total
        and three_partition([a for n, a in enumerate(rest) if n not in (i, j)], total)
        for i, j in combinations(range(len(rest)), 2)
    )


def partition(weights: list[int]) -> bool:
    """Whether some of the weights make up half of all, by the sums that can be reached."""
    sums = {0}
    for weight in weights:
        sums |= {before + weight for before in sums}
    return sum(weights) / 2 in sums


def group_of(numbers: list[int]) -> Group:
    """Return the group of an instance of 3-PARTITION: for number i so many topics of 1 + i n partitions, n members."""
    n = len(numbers) // 3
    topics = (Topic(f"t{i}-{k}", 1 + i * n) for i, number in enumerate(numbers) for k in range(number))
    everything = tuple(topics)
    return Group(everything, tuple(Member(f"m{m}", tuple(t.name for t in everything)) for m in range(n)))


def contract_loads(group: Group) -> Iterator[tuple[int, ...]]:
    """Yield the loads that the range contract allows: who of a set's readers get one number more than the others."""
    sets: dict[tuple[int, tuple[str, ...]], int] = {}
    for topic, readers in subscribers(group).items():
        (count,) = (t.partitions for t in group.topics if t.name == topic)
        sets[count, tuple(readers)] = sets.get((count, tuple(readers)), 0) + 1
    members = [member.id for member in group.members]
    each = [
        [
            [topics * (count // len(readers) + (m in more)) if m in readers else 0 for m in members]
            for more in combinations(readers, count % len(readers))
        ]
        for (count, readers), topics in sets.items()
    ]
    for chosen in product(*each):
        yield tuple(map(sum, zip(*chosen, strict=True)))


def test_the_loads_of_the_contract_are_those_of_all_its_assignments():
    for seed in range(40):
        r = Random(seed)
        topics = tuple(Topic(f"t{t}", r.choice([1, 2, 2, 3])) for t in range(r.randint(1, 3)))
        few = tuple(t.name for t in topics if r.random() < 0.5) or (topics[0].name,)
        joined = [Member("m0", tuple(t.name for t in topics)), Member("m1", few)]
        group = Group(topics, (*joined, *[Member("m2", few)] * r.randint(0, 1)))
        counted = {
            tuple(sum(holders == (member.id,) for holders in choice.values()) for member in group.members)
            for choice in _together(group, Question(("balance",), together=True))
        }
        assert set(contract_loads(group)) == counted, seed


@pytest.mark.parametrize(("triples", "wanted"), [(2, 106), (3, 4)])
def test_even_loads_under_the_range_contract_are_a_3_partition(triples, wanted):
    r, found = Random(triples), {True: 0, False: 0}
    while min(found.values()) < wanted:
        total = r.randint(12, 40)
        numbers = [r.randint(total // 4 + 1, (total - 1) // 2) for _ in range(3 * triples - 1)]
        last = triples * total - sum(numbers)
        if not total < 4 * last < 2 * total:
            continue
        numbers.append(last)
        solvable = three_partition(numbers, total)
        if found[solvable] >= wanted:
            continue
        group = group_of(numbers)
        least = min(sum(load * load for load in loads) for loads in contract_loads(group))
        mean, rest = divmod(sum(topic.partitions for topic in group.topics), triples)
        assert rest == 0
        assert (least == triples * mean * mean) == solvable, numbers
        found[solvable] += 1


def test_even_weights_are_a_partition():
    """Two members read everything; whatever each partition weighs, all assignments are tried."""
    r, found = Random(0), {True: 0, False: 0}
    while min(found.values()) < 110:
        weights = [r.randint(1, 30) for _ in range(r.randint(2, 8))]
        topic = Topic("t", len(weights))
        group = Group((topic,), (Member("a", ("t",)), Member("b", ("t",))))
        spreads = []
        for owners in product(group.members, repeat=topic.partitions):
            loads = dict.fromkeys(group.members, 0)
            for owner, weight in zip(owners, weights, strict=True):
                loads[owner] += weight
            spreads.append(max(loads.values()) - min(loads.values()))
        solvable = partition(weights)
        assert (min(spreads) == 0) == solvable, weights
        found[solvable] += 1
