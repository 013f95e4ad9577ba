"""The frontier of moves and the spread of topics: all points counted out, proved by prices, and no altered price believed."""

import json
from dataclasses import replace
from functools import cache
from random import Random

from definitions import supported, undominated
from drawing import group
from hypothesis import given, settings
from hypothesis import strategies as st
from sequences import legal
from test_dominated import worth
from test_topic_spread import owning
from verifying import write_frontier
from whole import cases, share

from kassay.cli import main
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import write_group
from kassay.oracles.assignment.frontier.fronts import compute_least_sum, find_spread_frontier
from kassay.oracles.partitions.encoding import encode_group as cases_of
from kassay.oracles.partitions.frontier import compute_frontiers
from kassay.oracles.partitions.question import parse_question
from kassay.oracles.proof.command import verify_answer

TRADED = ("moves", "topic-spread")


@cache
def of_spread(of):
    """The frontier of moves and spread of a group."""
    (found,) = compute_frontiers(of, trades=[(TRADED, True)])
    return found


def printed(found):
    """A frontier as the command prints it."""
    return write_frontier(found, lambda given_: {m: [[*each] for each in held] for m, held in given_.items()})


def dealt(r, of):
    """Let members own what they read, dealt evenly with no eye on topics: there, moves buy spread."""
    owned = {member.id: [] for member in of.members}
    parts = [p for topic in of.topics for p in topic]
    for p in r.sample(parts, len(parts)):
        readers = [member.id for member in of.members if p.topic in member.topics]
        if readers:
            owned[min(readers, key=lambda name: len(owned[name]))].append(p)
    members = (replace(each, owned=tuple(owned[each.id]), generation=1) for each in of.members)
    return replace(of, members=tuple(members))


def test_all_points_and_no_others_are_found_and_called_supported_where_they_are():
    traded = 0
    for seed in cases(40, 1500):
        r = Random(seed)
        of = group(r, members=3, total=6)
        of = dealt(r, of) if seed % 4 else of
        values = {worth(of, given_) for given_ in legal(of)}
        even = min(value[0] for value in values)
        frontier = undominated({value[1::2] for value in values if value[0] == even})
        found = of_spread(of)
        assert (found.extreme, found.whole, found.open_) == (True, True, "")
        assert [tuple(p.values[level] for level in TRADED) for p in found.points] == frontier, seed
        for point, own in zip(found.points, frontier, strict=True):
            assert point.supported == supported(own, [other for other in frontier if other != own]), seed
            assert worth(of, point.assignment)[1::2] == own
        proved, said = verify_answer("partitions", write_group(of), printed(found))
        assert proved is not False, said
        assert "points are proved by prices" in said
        traded += len(frontier) > 1
    assert traded


def harmed():
    """12 + 12 + 48 partitions as sticky leaves them: one member has 36 of the last topic, the other all else."""
    of = owning(12, 12, 48)
    parts = [TopicPartition(f"t{t}", n) for t, size in enumerate((12, 12, 48)) for n in range(size)]
    a, b = of.members
    return replace(
        of, members=(replace(a, owned=tuple(parts[:36])), replace(b, owned=tuple(parts[36:]), generation=1))
    )


def test_what_a_spread_once_lost_costs_to_have_again():
    found = of_spread(harmed())
    assert [tuple(p.values[level] for level in TRADED) for p in found.points] == [
        (moves, -(-3 * (12 - moves // 2) ** 2 // 2)) for moves in range(0, 25, 2)
    ]
    assert all(point.supported for point in found.points)
    proved, said = verify_answer("partitions", write_group(harmed()), printed(found))
    assert proved is None
    assert said == (
        "at the most even loads: 13 of 13 points are proved by prices; no extreme point is missing; "
        "that no point is missing has no certificate of its own; what further moves buy rests on two solvers"
    )


def test_altered_frontiers_are_refused():
    of = harmed()
    right = printed(of_spread(of))

    def refused(change, names):
        wrong = json.loads(json.dumps(right))
        change(wrong)
        proved, said = verify_answer("partitions", write_group(of), wrong)
        assert proved is False
        assert names in said

    def one(row):
        row["proofs"][0]["spread"]["price"]["t2"][""] = [10**9]

    refused(
        lambda row: row["proofs"][0].update(least=row["proofs"][0]["least"] + 1), "more than prices prove"
    )
    refused(lambda row: row["points"][3]["values"].update({"topic-spread": 1}), "values: states")
    refused(lambda row: row["points"][3]["values"].update(moves=1), "values: states")
    refused(lambda row: row["bought"][1].update(least=217), "bought[1]")
    refused(one, "more than prices prove")


def test_what_even_loads_take_from_its_owner_is_dear_there():
    """Two partitions have to leave the member that reads both topics; a price for keeping them that is too low proves a move too few."""
    claimed = (TopicPartition("t0", 1), TopicPartition("t0", 2))
    topics = (Topic("t0", 3), Topic("t1", 2))
    every_ = tuple(p for topic in topics for p in topic)
    of = Group(topics, (Member("a", ("t1",), claimed, 2), Member("b", ("t0", "t1"), every_)))
    assert [tuple(p.values[level] for level in TRADED) for p in of_spread(of).points] == [(4, 1)]


@settings(max_examples=share(30, 1000), deadline=None)
@given(st.integers(0, 10**9), st.data())
def test_no_prices_prove_more_than_an_assignment_has(seed, data):
    """Whatever the prices and weights, no assignment's weighted sum is below what they prove."""
    of = group(Random(seed), members=3, total=5)
    (case,) = cases_of(of, parse_question("balance,moves,topic-spread"))
    if not case.problem.items:
        return
    proofs = find_spread_frontier(case.problem, "moves").proofs
    prices = data.draw(st.sampled_from(proofs)).prices
    r = Random(data.draw(st.integers(0, 10**6)))
    shaken = replace(
        prices,
        rows=prices.rows + [[r.choice((-3, -1, 0, 0, 0, 2)) for _ in row] for row in prices.rows.tolist()],
        topics=prices.topics + r.choice((-2, 0, 0, 1)),
        place_rows=prices.place_rows + r.choice((-2, 0, 1)),
    )
    weights = tuple(r.randrange(5) for _ in range(3))
    asked = case.problem.asked(TRADED)
    least = min(
        sum(w * v for w, v in zip(weights, worth(of, given_)[:2] + worth(of, given_)[3:], strict=True))
        for given_ in legal(of)
    )
    lost = case.lost.get("moves", 0) * weights[1]
    assert compute_least_sum(asked, "moves", weights, shaken) + lost <= least


def test_the_command_shows_the_trade_where_no_racks_are_known(tmp_path, capsys):
    path = tmp_path / "group.json"
    topics = (Topic("a", 2), Topic("b", 2))
    held = [tuple(topic) for topic in topics]
    names = ("a", "b")
    members = tuple(Member(m, names, of, 1) for m, of in zip("mn", held, strict=True))
    path.write_text(json.dumps(write_group(replace(owning(1), topics=topics, members=members))))
    assert main(["frontier", str(path)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "with balanced loads, 0 moves give a spread excess of 2, and 2 moves a spread excess of 0." in out
    assert "moves spread excess 0 2" in out
