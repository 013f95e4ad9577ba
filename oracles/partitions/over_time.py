"""The exact optimum of a sequence of rebalances of a group: as even as possible at each, and the least sums.

If the spread of topics is asked after balance, topics are also spread as evenly as the most even loads allow. A node of a rebalance
is then a place: a topic at a member.
"""

from collections.abc import Sequence as Listed
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment import sequence_optimum as sequences
from kassay.oracles.assignment.certificates import verify_solution
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.sequence import Sequence, Step
from kassay.oracles.assignment.values import Prices, count_at_price
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.over_time import build_answer, compute_deadline
from kassay.oracles.partitions.encoding import IN_RACK, Case, encode_group
from kassay.oracles.partitions.levels import OVER_TIME
from kassay.oracles.partitions.question import Question, parse_question
from kassay.properties.partitions.owners import owners

AT_EACH = BALANCE, TOPIC_SPREAD
"""The levels that are asked at each rebalance; all others are summed up."""
Place: TypeAlias = tuple[str | None, str]
"""A topic at a member; None for all topics, if their spread is not asked."""


def compute_over_time(text: str, stages: Listed[Group], time_limit_s: float | None = None) -> OverTime:
    """Return the least sums over all stages of assignments that are as even as possible at each.

    A stage is the group at a rebalance; owners count in the first alone. A partition moves if its member is still there, and no longer
    has it. If places are too many, the sums have only bounds: the bounds for balance without spread. Raises ImpossibleError if the question
    cannot be asked, and what :func:`kassay.oracles.assignment.sequence_optimum.solve` raises.
    """
    if text not in OVER_TIME:
        why = (
            f"; {TOPIC_SPREAD} is asked at each rebalance, directly behind {BALANCE}, and is not summed up"
            if TOPIC_SPREAD in text.split(",")
            else ""
        )
        raise ImpossibleError(
            f"question: {text!r} is not asked over time. Ask {', or '.join(OVER_TIME)}{why}"
        )
    asked = parse_question(text)
    deadline = compute_deadline(time_limit_s)
    encoded = encode(stages, asked)
    whole = bool(encoded.spread) or TOPIC_SPREAD not in asked.levels
    best = build_answer(str(asked), encoded.sequence, encoded.assignments, len(stages), deadline, whole=whole)
    if not encoded.spread:
        return best
    return replace(best, certificate={**best.certificate, "spread": encoded.spread})


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sequence, with the stages, nodes and partitions of its numbers."""

    stages: tuple[Group, ...]
    nodes: tuple[Listed[Place], ...]
    """The nodes of each stage."""
    kinds: tuple[tuple[TopicPartition, ...], ...]
    """The partitions of each kind."""
    sequence: Sequence
    spread: tuple[dict[str, Any], ...]
    """The prices of each stage, as JSON, that prove the spread of topics; empty if that is not asked."""

    def assignments(self, ways: Listed[Ints]) -> tuple[Assignment, ...]:
        """Return the assignment of each stage, given the node of each item in each layer."""
        found = []
        for n, (stage, nodes) in enumerate(zip(self.stages, self.nodes, strict=True)):
            given: dict[str, list[TopicPartition]] = {member.id: [] for member in stage.members}
            for partitions, way in zip(self.kinds, ways, strict=True):
                for partition, node in zip(partitions, way[:, 2 * n].tolist(), strict=True):
                    if node < len(nodes):
                        given[nodes[node][1]].append(partition)
            found.append({member: tuple(sorted(held)) for member, held in given.items()})
        return tuple(found)


def encode(stages: Listed[Group], asked: Question) -> Encoded:
    """Return a sequence: members or places are the nodes of a stage, and one more node has the partitions without readers.

    The spread of topics is left out if places are too many for a whole flow. Raises ImpossibleError if there
    is no stage, or if topics change between two.
    """
    if not stages:
        raise ImpossibleError("stages: is empty. Give the group at one rebalance at least")
    for n, stage in enumerate(stages):
        if stage.topics != stages[0].topics:
            raise ImpossibleError(
                f"stages: topics differ at rebalance {n + 1}. Give events that leave topics alone"
            )
    even = tuple(level for level in asked.levels if level in AT_EACH)
    by_topic = TOPIC_SPREAD in even
    partitions = [p for topic in stages[0].topics for p in topic]
    claimed = owners(stages[0])
    faces = [_Face.solve(stage, partitions, replace(asked, levels=even)) for stage in stages]
    claims = [tuple(claimed.get(p, ())) for p in partitions]
    kinds: dict[object, list[int]] = {}
    for item, claim in enumerate(claims):
        topic = partitions[item].topic if by_topic else None
        kinds.setdefault((topic, claim, *(face.like[item] for face in faces)), []).append(item)
    items = list(kinds.values())
    some = [alike[0] for alike in items]
    of = [partitions[item].topic for item in some]
    if (
        by_topic
        and sum(ARCS * (1 + len(face.readers(item))) for face in faces for item in some) > sequences.PAIRS
    ):
        return encode(
            stages, replace(asked, levels=tuple(each for each in asked.levels if each != TOPIC_SPREAD))
        )
    levels = tuple(level for level in asked.levels if level not in AT_EACH)
    steps = []
    for n, face in enumerate(faces):
        open_ = face.open(some, of)
        there = [
            face.far(some, level) if level in IN_RACK else np.zeros(open_.shape, np.int64) for level in levels
        ]
        if n:
            between, tail, head = _build_transition(faces[n - 1], face, levels, of)
            steps.append(between)
        else:
            tail, head = np.zeros(open_.shape[1], np.int64), np.arange(open_.shape[1])
            first = [member for _, member in face.nodes]
            left = [[bool(claims[i]) and m not in claims[i] for m in [*first, None]] for i in some]
            moved = np.array(left, np.int64).reshape(open_.shape)  # also where there is no partition
            there = [each if level in IN_RACK else moved for level, each in zip(levels, there, strict=True)]
        steps.append(Step(
            tail, head, np.zeros((len(levels), len(tail)), np.int64), open_,
            np.array(there), *face.uses(), *face.bounds(),
        ))  # fmt: skip
    sequence = Sequence(levels, np.array(list(map(len, items)), np.int64), tuple(steps))
    return Encoded(
        tuple(stages), tuple(face.nodes for face in faces),
        tuple(tuple(partitions[i] for i in alike) for alike in items), sequence,
        tuple(face.write_prices() for face in faces if by_topic),
    )  # fmt: skip


ARCS = 4
"""The most arcs to and from a place."""


def _build_transition(
    before: "_Face", now: "_Face", levels: Listed[str], topics: Listed[str]
) -> tuple[Step, Ints, Ints]:
    """Return the step between two stages, and the arcs (tail and head) from there to the places of the next.

    Partitions stay in places that stay, or gather in a last node, which is a move if the member stays; from there arcs lead to all places.
    """
    place = {own: n for n, own in enumerate(now.nodes)}
    stay = np.array([n for n, own in enumerate(before.nodes) if own in place], np.int64)
    every = np.arange(len(before.nodes) + 1)
    moved = np.array([*(member in now.case.members for _, member in before.nodes), False])
    cost = [[*[0] * len(stay), *(np.zeros_like(moved) if level in IN_RACK else moved)] for level in levels]
    none, kept = np.empty(0, np.int64), [before.nodes[n] for n in stay.tolist()]
    step = Step(
        np.concatenate([stay, every]),
        np.concatenate([np.arange(len(stay)), np.full(len(every), len(stay))]),
        np.array(cost, np.int64),
        np.hstack([_find_open_places(topics, kept), np.ones((len(topics), 1), np.bool_)]),
        np.zeros((len(levels), len(topics), len(stay) + 1), np.int64),
        none, none, none, none,
    )  # fmt: skip
    every = np.arange(len(now.nodes) + 1)
    tail = np.concatenate([np.arange(len(stay)), np.full(len(every), len(stay))])
    head = np.concatenate([np.array([place[own] for own in kept], np.int64), every])
    order = np.argsort(head, kind="stable")
    return step, tail[order], head[order]


def _find_open_places(topics: Listed[str], nodes: Listed[Place]) -> NDArray[np.bool_]:
    """Return the places that are open to partitions of each of these topics."""
    found = [[own is None or own == topic for own, _ in nodes] for topic in topics]
    return np.array(found, np.bool_).reshape(len(topics), len(nodes))


@dataclass(frozen=True, slots=True)
class _Face:
    """The most even assignments of a stage, by prices that prove one of them.

    In all of them every partition is with its cheapest readers. A member with the price 2l has l partitions, one with 2l + 1 has l or l + 1;
    a price of the spread that is not 0 decides between these. A place has n partitions of its topic if the topic's price
    is 2n above the member's, and n or n + 1 if it is 2n + 1 above.
    """

    case: Case
    place: Ints
    like: tuple[object, ...]
    prices: Prices
    nodes: Listed[Place]
    topic: Ints
    member: Ints

    @staticmethod
    def solve(stage: Group, partitions: Listed[TopicPartition], even: Question) -> "_Face":
        bare = replace(stage, members=tuple(replace(m, owned=(), generation=None) for m in stage.members))
        (case,) = encode_group(bare, even)
        found = solve(case.problem, even.levels)
        best = verify_solution(case.problem, even.levels, found.owners, found.prices)
        if not best.proved:
            raise UnsolvedError(
                "over time: the prices do not prove that the loads of a rebalance are balanced"
            )
        starts = {topics[0]: start for topics, start in zip(case.topics, case.start, strict=False)}
        place = np.array(
            [starts[p.topic] + p.partition if p.topic in starts else -1 for p in partitions], np.int64
        )
        pairs = list(zip(case.problem.audience_of.tolist(), case.problem.profile_of.tolist(), strict=True))
        like = tuple(None if at < 0 else pairs[at] for at in place.tolist())
        topic, member = np.full(case.problem.members, -1), np.arange(case.problem.members)
        prices = best.prices
        if TOPIC_SPREAD in even.levels:
            if prices.topics is None:
                prices = replace(prices, topics=np.zeros((2, 0, 1), np.int64))
            reads = [_find_readers(case, int(audience)) for audience in case.problem.topic_audience]
            topic = np.repeat(np.arange(len(reads)), [len(able) for able in reads])
            member = np.concatenate([np.empty(0, np.int64), *reads])
        nodes = [
            (case.names[t] if t >= 0 else None, case.members[m])
            for t, m in zip(topic.tolist(), member.tolist(), strict=True)
        ]
        return _Face(case, place, like, prices, nodes, topic, member)

    def uses(self) -> tuple[Ints, Ints]:
        """Return nodes, and the rows they count in: a row of each member and, if topics are spread, one of each node."""
        every = np.arange(len(self.nodes))
        if self.prices.topics is None:
            return every, self.member
        return np.concatenate([every, every]), np.concatenate(
            [self.member, self.case.problem.members + every]
        )

    def bounds(self) -> tuple[Ints, Ints]:
        """Return the least and the greatest load of each member, and of each place."""
        price = self.prices.rows[0]
        low, high = np.maximum(price // 2, 0), np.maximum(-(-price // 2), 0)
        if self.prices.topics is None:
            return low, high
        then = self.prices.rows[1]
        least, most = np.where(then > 0, high, low), np.where(then < 0, low, high)
        paid = self.prices.topics[1, self.topic, 0] - then[self.member]
        # only places at the cheapest readers of their topic have partitions
        one = np.where(self.prices.topics[0, self.topic, 0] == price[self.member], 1, 0)
        return (
            np.concatenate([least, one * count_at_price(paid - 1, np.ones_like(paid))]),
            np.concatenate([most, one * count_at_price(paid, np.ones_like(paid))]),
        )

    def readers(self, item: int) -> Ints:
        """Return the members that read a partition."""
        at = int(self.place[item])
        return (
            np.empty(0, np.int64)
            if at < 0
            else _find_readers(self.case, int(self.case.problem.audience_of[at]))
        )

    def open(self, items: Listed[int], topics: Listed[str]) -> NDArray[np.bool_]:
        """Return the nodes that are open to each of these partitions, of these topics; the last column is for no member."""
        price = self.prices.rows[0]
        open_ = np.zeros((len(items), len(self.nodes) + 1), np.bool_)
        for row, item in enumerate(items):
            able = self.readers(item)
            if not len(able):
                open_[row, -1] = True
                continue
            cheapest = np.zeros(self.case.problem.members, np.bool_)
            cheapest[able[price[able] == price[able].min()]] = True
            open_[row, :-1] = cheapest[self.member]
        open_[:, :-1] &= _find_open_places(topics, self.nodes)
        return open_

    def far(self, items: Listed[int], level: str) -> Ints:
        """Return the cost of each of these partitions in a level of racks, at each node and without a member."""
        problem = self.case.problem
        far = np.zeros((len(items), len(self.nodes) + 1), np.int64)
        table = problem.table({level: 1})
        for row, item in enumerate(items):
            if (at := int(self.place[item])) >= 0:
                far[row, :-1] = table[problem.profile_of[at], problem.rack_of[self.member]]
        return far

    def write_prices(self) -> dict[str, Any]:
        """Return the prices of members and topics as JSON, a number for each level that is asked at each rebalance."""
        assert self.prices.topics is not None
        return {
            "members": dict(zip(self.case.members, self.prices.rows.T.tolist(), strict=True)),
            "topics": dict(zip(self.case.names, self.prices.topics[:, :, 0].T.tolist(), strict=True)),
        }


def _find_readers(case: Case, audience: int) -> Ints:
    """Return the members that read the partitions of an audience."""
    start = case.problem.audience_start
    reads = case.problem.audience_subscription[start[audience] : start[audience + 1]]
    return np.flatnonzero(np.isin(case.problem.subscription_of, reads))
