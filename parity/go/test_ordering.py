"""What the long comparison with franz-go counts: answers by the first level above its optimum, and owners as franz-go sees them."""

from claimants import by_franz_go
from optimal import CLAIMS, State, shown
from ordering import FAILED, LOADS, RACKS, Tally, as_asked, beyond, claims_of

from kassay.model import Group, Member, Topic, TopicPartition

ZERO, ONE, TWO = Topic("t", 3)


def late(*claims):
    """A group of members with claims to t, each of a generation."""
    return Group(
        (Topic("t", 3),),
        tuple(Member(f"m{n}", ("t",), owned, generation) for n, (owned, generation) in enumerate(claims)),
    )


def owners(group):
    """What each member owns as franz-go sees it, in every way."""
    return [tuple(member.owned for member in each.members) for each in by_franz_go(group)]


def test_what_is_best_is_told_from_what_is_not():
    topics = (Topic("t", 2, (("a", "b"), ("b", "a"))),)
    group = Group(
        topics, (Member("m", ("t",), (TopicPartition("t", 0),), 1, rack="b"), Member("n", ("t",), rack="a"))
    )
    zero, one = topics[0]
    loads, racks = as_asked(group, LOADS), as_asked(group, RACKS)
    stays, near = {"m": [zero], "n": [one]}, {"m": [one], "n": [zero]}
    assert beyond(stays, loads, LOADS) == beyond(near, racks, RACKS) == (None, 0)
    assert beyond(near, loads, LOADS) == ("moves", 1)
    assert beyond(stays, racks, RACKS) == ("cross-rack", 2)
    assert beyond({"m": [zero, one], "n": []}, racks, RACKS) == ("balance", 1)
    assert beyond({"m": [zero]}, racks, RACKS) == (FAILED, 0)


def test_claims_are_told_apart():
    assert claims_of(late(((), 1))) == "nobody"
    assert claims_of(late(((ZERO,), 1), ((ONE,), 2))) == "one"
    assert claims_of(late(((ZERO,), 1), ((ZERO,), 1))) == "one generation twice"
    assert claims_of(late(((ZERO,), 1), ((ZERO,), 2))) == "several generations"
    assert claims_of(late(((TopicPartition("t", 3),), 1), ((TopicPartition("t", 3),), 2))) == "nobody"


def test_a_late_claimant_gets_a_partition_back_from_who_owns_two_more():
    assert owners(late(((ZERO, ONE), 2), ((ZERO,), 1))) == [((ONE,), (ZERO,))]
    assert owners(late(((ZERO,), 2), ((ZERO,), 1))) == [((ZERO,), ())]


def test_of_two_late_claims_the_one_that_is_looked_at_first_is_met():
    assert owners(late(((ZERO, ONE, TWO), 2), ((ZERO, ONE), 1))) == [
        ((ZERO, TWO), (ONE,)),
        ((ONE, TWO), (ZERO,)),
    ]


def test_a_third_claimant_is_overlooked():
    assert owners(late(((ZERO, TWO), 6), ((ZERO, ONE), 6), ((ZERO,), 6))) == [((ZERO, TWO), (ONE,), ())]


def test_tallies_add_up():
    one, two = Tally(), Tally()
    one.note(None)
    one.note("moves", 2)
    two.note("moves", 5)
    two.note(FAILED)
    one.merge(two)
    assert one == Tally(4, {"moves": (2, 5), FAILED: (1, 0)})


def test_the_page_is_told_what_is_above_an_optimum_by_who_claims_what():
    tallies = {
        "sticky | balance,moves | hostile | nobody": Tally(3),
        "sticky | balance,moves | hostile | one": Tally(4),
        "sticky | balance,moves | racks decide | several generations": Tally(1200, {"moves": (1100, 7)}),
        "consumer/sticky | balance,moves | hostile | one": Tally(4, {"moves": (1, 2), FAILED: (2, 0), "balance": (1, 9)}),
    }  # fmt: skip
    few, several = CLAIMS["one"], CLAIMS["several generations"]
    assert shown(State("", 1, tallies)) == {
        "groups": 1207,
        "groups in which several claim one partition": 1200,
        "groups above an optimum": {
            "groups": {few: 7, several: 1200},
            "`sticky`: balance, moves": {few: "none", several: "moves 1,100 (by up to 7)"},
            "Kafka 4.4.0's `sticky`: balance, moves": {
                few: "no legal answer 2, balance 1, moves 1 (by up to 2)"
            },
        },
        "kinds of those in which no two members claim one partition": {"hostile": 7},
    }
