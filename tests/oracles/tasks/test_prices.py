"""Prices of deciding as KIP-925 does: counted out, brute force and the oracles agree, and what grows grows."""

from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import placements
import proved_prices
import pytest
from counted_prices import PRICES, answers, exhaust_price
from proved_prices import GROWN, PROVED, prove_optimum, same_active
from second_opinions import every_placement
from whole import some

from kassay.model import Topic, TopicPartition
from kassay.model.tasks import Client
from kassay.oracles.errors import ImpossibleError, TooLargeError
from kassay.oracles.tasks.levels import LEVELS
from kassay.oracles.worst_case import Space, enumerate_problems
from kassay.reference import ASSIGNORS

KAFKA = ASSIGNORS["streams/high-availability"].assign


def drawn(price, clients, tasks, number):
    """Some applications of one size, of those that the price is about."""
    space = Space(price.kind, clients, tasks, price.parts, 2, claims=price.kind.roles > 0)
    every = list(enumerate_problems(space, clients, tasks))
    return [space.kind.group(problem) for problem in Random(0).sample(every, min(number, len(every)))]


def worth(of):
    """Every placement, read from the application and measured: loads, active traffic, standby traffic, clients of each task."""
    rows = []
    for answer in every_placement.placements(of):
        held = [answer.clients[client.id] for client in of.clients]
        squares = (
            sum(len(h.active) ** 2 for h in held),
            sum((len(h.active) + len(h.standby)) ** 2 for h in held),
        )
        read = [LEVELS[level].measure(of, answer) for level in ("active", "standby")]
        rows.append((squares, *read, tuple(h.active for h in held), tuple(h.standby for h in held)))
    return rows


def brute(name, of):
    """The price, by other means: from all placements, in plain Python."""
    rows = worth(of)
    even = [row for row in rows if row[0] == min(rows)[0]]
    joint = min(row[1] + row[2] for row in even)
    if name.startswith("active first"):
        least = min(row[1] for row in even)
        ties = {row[3] for row in even if row[1] == least}
        after = [min(row[2] for row in even if row[3] == tie) for tie in ties]
        return least + (min if "best" in name else max)(after), joint
    if name == "fixed counts":
        number, clients = len(of.tasks), len(of.clients)
        dealt = [len(range(c, number, clients)) for c in range(clients)]
        active_even = [row for row in rows if row[0][0] == min(rows)[0][0]]
        return (
            min(row[1] for row in rows if [*map(len, row[3])] == dealt),
            min(row[1] for row in active_even),
        )
    if name == "subtopology bound":
        sizes = [sum(task.id.subtopology == s for task in of.tasks) for s in range(2)]
        shared = [
            row
            for row in rows
            if all(
                abs(sum(task.subtopology == s for task in own) - sizes[s] / len(of.clients)) < 1
                for own in row[3]
                for s in range(2)
            )
        ]
        first = min(row[0] for row in shared)
        return min(row[1] + row[2] for row in shared if row[0] == first), joint
    given = tuple(client.active for client in of.clients)
    kept = [row for row in even if row[3] == given]
    if not kept or len(of.clients) == 1:
        return None
    stuck = [row for row in kept if not any(row[2] > other[2] for other in kept if swapped(row, other))]
    pairs = [(row[2], min(o[2] for o in kept if [*map(len, o[4])] == [*map(len, row[4])])) for row in stuck]
    return max(pairs, key=lambda pair: (pair[0] - pair[1], pair))


def swapped(one, other):
    """Whether two clients exchanged one standby each, and no other changed."""
    lost = [len(set(a) - set(b)) for a, b in zip(one[4], other[4], strict=True)]
    come = [len(set(b) - set(a)) for a, b in zip(one[4], other[4], strict=True)]
    return lost == come and sorted(lost)[-3:] in ([0, 1, 1], [1, 1])


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("active first, best tie", {(2, 2): (2, 1), (2, 3): (2, 1), (3, 3): (2, 1)}),
        ("active first, worst tie", {(2, 1): (1, 0), (2, 2): (2, 0), (2, 3): (3, 0), (3, 1): (1, 0), (3, 2): (1, 0), (3, 3): (2, 0)}),
        ("pairwise swaps", {(3, 3): (2, 0)}),
        ("fixed counts", {(2, 1): (1, 0), (2, 3): (1, 0), (3, 1): (1, 0), (3, 2): (1, 0)}),
        ("subtopology bound", {(2, 3): (2, 0)}),
    ],
)  # fmt: skip
def test_the_smallest_applications_at_which_anything_is_paid_are_what_brute_force_finds(name, found):
    price = PRICES[name]
    clients = 2 if price.parts > 1 else 3
    tallies = {(t.clients, t.tasks): t for t in exhaust_price(price, clients, 3, 2)}
    cases = {size: (t.steepest.value, t.steepest.optimum) for size, t in tallies.items() if t.steepest}
    assert cases == found
    for tally in tallies.values():
        assert sum(tally.gaps.values()) == tally.tried - tally.skipped
        assert (
            (tally.steepest is None) == (tally.furthest is None) == (not any(gap > 0 for gap in tally.gaps))
        )
        if tally.furthest:
            assert tally.furthest.gap == max(tally.gaps)
            assert brute(name, tally.furthest.group) == (tally.furthest.value, tally.furthest.optimum)
    if not price.alike:
        assert tallies[2, 2].tried == 4 * 9
    for of in (of for size in ((1, 2), (2, 3), (clients, 2)) for of in drawn(price, *size, some(4, 200))):
        assert price.pair(of) == brute(name, of)


@pytest.mark.parametrize("name", PROVED)
def test_the_oracles_prove_what_is_counted_out(name):
    price = PRICES[name]
    for clients, tasks in ((2, 3), (3, 3)):
        for of in drawn(price, clients, tasks, some(3, 100)):
            assert price.pair(of) == PROVED[name](of)


def test_what_kafka_answers_is_held_against_what_the_oracles_prove():
    all_of_it, standbys = answers(KAFKA), answers(KAFKA, standbys=True)
    for of in [*drawn(all_of_it, 3, 3, some(3, 60)), proved_prices.detours(1)]:
        answer = KAFKA(of)
        assert all_of_it.pair(of) == (LEVELS["joint"].measure(of, answer), prove_optimum("balance,joint", of))
        assert standbys.pair(of) == (LEVELS["standby"].measure(of, answer), same_active(of, answer))
    assert answers(lambda of: KAFKA(of)._replace(probing=True)).pair(of) is None


def test_on_two_clients_the_best_of_active_first_is_never_more_than_twice_the_joint_optimum():
    tallies = list(exhaust_price(PRICES["active first, best tie"], 2, some(3, 8), 2))
    assert max(t.steepest.value / t.steepest.optimum for t in tallies if t.steepest) == 2


@pytest.mark.parametrize("number", [2, 4, some(6, 16)])
def test_families_grow_as_the_proofs_say(number):
    assert [pair(make(number)) for make, pair in GROWN.values()] == [
        (number, 1), (number, 0), (2 * (number // 2), 0),
    ]  # fmt: skip
    tied = proved_prices.ties(number)
    assert (LEVELS["joint"].measure(tied, KAFKA(tied)), prove_optimum("balance,joint", tied)) == (
        2 * number,
        0,
    )
    detour = proved_prices.detours(number)
    assert (LEVELS["standby"].measure(detour, KAFKA(detour)), same_active(detour, KAFKA(detour))) == (
        number,
        0,
    )


def test_fixed_counts_cost_half_of_the_clients_times_the_inputs_at_most_and_now_and_then_that():
    price = PRICES["fixed counts"]
    for clients, tasks in ((2, 1), (2, 3), (3, 2), (3, 3)):
        assert all(
            tally.furthest is None or tally.furthest.gap <= clients // 2
            for tally in exhaust_price(price, clients, tasks, 2)
        )
    for number, inputs in ((1, 3), (2, 2), (3, 1)):
        of = proved_prices.remainders(number)
        read = Topic("in", number * inputs, (("r1",),) * (number * inputs))
        own = (tuple(TopicPartition("in", n * inputs + k) for k in range(inputs)) for n in range(number))
        tasks = tuple(replace(task, inputs=each) for task, each in zip(of.tasks, own, strict=True))
        wide = replace(of, tasks=tasks, topics=(*of.topics, read))
        assert proved_prices.fixed_counts(wide) == (len(of.clients) * inputs // 2, 0)


def test_placements_are_all_there_are():
    for tasks, clients, standbys in ((2, 3, 1), (2, 3, 2), (3, 2, 0)):
        every = placements.placements(tasks, clients, standbys)
        ways = clients * len(list(combinations(range(clients - 1), standbys)))
        assert len(np.unique(every.owners.reshape(len(every.owners), -1), axis=0)) == ways**tasks
        assert (every.active.sum(axis=1) == tasks).all()
        assert (every.copies.sum(axis=1) == tasks * (1 + standbys)).all()


def test_what_cannot_be_counted_out_is_refused():
    with pytest.raises(TooLargeError, match="there are 2985984 placements; 500000 are counted out at most"):
        placements.placements(6, 4, 1)
    of = proved_prices.ties(1)
    two = Client(of.clients[0].id, 2, lags=of.clients[0].lags, rack="r0")
    other = type(of)(of.tasks, (two, of.clients[1]), of.settings, of.topics)
    with pytest.raises(ImpossibleError, match="one thread"):
        placements.list_placements(other)
