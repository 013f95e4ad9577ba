"""Large problems, from columns alone: proved optimal, and honest where the time is over."""

from random import Random

import pytest
from drawing import group

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.oracles.consumer.flow.exact import solve
from kassay.oracles.consumer.optimum import optimum
from kassay.oracles.consumer.proof.prices import proves
from kassay.oracles.consumer.question import question
from kassay.oracles.consumer.synthetic import synthetic
from kassay.oracles.consumer.values import values


@pytest.mark.parametrize("order", ["balance,moves,cross-rack", "balance,cross-rack,moves"])
@pytest.mark.parametrize(
    ("partitions", "members", "topics"), [(100_000, 1_000, 100), (100_000, 1_000, 1), (20_000, 500, 400)]
)
def test_the_optimum_of_many_partitions_is_proved(partitions, members, topics, order):
    of, asked = synthetic(partitions, members, topics), question(order)
    best = solve(of, asked)
    assert proves(of, asked, best.owners, best.prices)
    again = of.owned_by(best.owners)
    kept = solve(again, question("balance,moves"))
    assert values(again, ("moves",), kept.owners) == (0,)


def test_levels_before_balance_are_answered_at_scale():
    of, asked = synthetic(20_000, 300, 20), question("moves,balance,cross-rack")
    best = solve(of, asked)
    assert proves(of, asked, best.owners, best.prices)
    assert values(of, ("moves",), best.owners) == (0,)


def a_large_group():
    racks = ("a", "b", "c")
    topics = tuple(
        Topic(f"t{t}", 400, tuple((racks[n % 3], racks[(n + t) % 3]) for n in range(400))) for t in range(5)
    )
    members = tuple(
        Member(
            f"m{m:03}", tuple(f"t{t}" for t in range(5) if (m + t) % 3),
            (TopicPartition(f"t{m % 5}", m),) if (m + m % 5) % 3 else (), 1, rack=racks[m % 7 % 3],
        )
        for m in range(150)
    )  # fmt: skip
    return Group(topics, members)


def test_where_the_time_is_over_the_answer_is_an_interval_that_holds_the_optimum():
    of = a_large_group()
    text = "balance,cross-rack,moves"
    best = optimum(text, of)
    assert best.proved
    hasty = optimum(text, of, time_limit_s=0.0)
    balance, cross = hasty.levels
    assert balance.proved
    assert not cross.proved
    assert not hasty.proved
    assert cross.least <= best.values["cross-rack"] <= cross.value
    assert hasty.values == {"balance": best.values["balance"]}
    assert hasty.certificate.words == ()


def test_small_groups_are_answered_whatever_the_limit():
    r = Random(0)
    assert all(optimum("balance,moves,cross-rack", group(r), time_limit_s=0.0).proved for _ in range(20))
