"""The exact optimum of a sequence of rebalances of a group: as even as possible at each, and the least in all.

Where the spread of topics is asked behind balance, an assignment is as even as possible if its topics, too, are spread as evenly as the
most even loads allow. A node of a rebalance is then a place: a topic at a member.
"""

from collections.abc import Sequence as Listed
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment import sequence_optimum as sequences
from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.assignment.sequence import Sequence, Step
from kassay.oracles.assignment.values import Prices, at_price
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.over_time import answered, deadline_in
from kassay.oracles.partitions.encoding import IN_RACK, Case, cases
from kassay.oracles.partitions.levels import OVER_TIME
from kassay.oracles.partitions.question import Question, question
from kassay.properties.partitions.owners import owners

AT_EACH = BALANCE, TOPIC_SPREAD
"""The levels that are asked at each rebalance; all others are summed up."""
Place: TypeAlias = tuple[str | None, str]
"""A topic at a member; None for all topics, where their spread is not asked."""


def over_time(text: str, stages: Listed[Group], time_limit_s: float | None = None) -> OverTime:
    """Return the least sums over all stages that assignments can have which are as even as possible at each.

    A stage is the group as it is at a rebalance; what its members own is looked at in the first alone. A partition moves that was
    with a member which is still there, and now is not. Where places are many, sums have bounds alone, those of balance without spread.
    Raises ImpossibleError where the question cannot be asked, and what
    :func:`kassay.oracles.assignment.sequence_optimum.solve` raises.
    """
    asked = asked_over_time(text)
    deadline = deadline_in(time_limit_s)
    encoded = encode(stages, asked)
    whole = bool(encoded.spread) or TOPIC_SPREAD not in asked.levels
    best = answered(str(asked), encoded.sequence, encoded.assignments, len(stages), deadline, whole=whole)
    if not encoded.spread:
        return best
    return replace(best, certificate={**best.certificate, "spread": encoded.spread})


def asked_over_time(text: str) -> Question:
    """Read a question about a sequence; raises ImpossibleError naming those that there are."""
    if text in OVER_TIME:
        return question(text)
    why = (
        f"; {TOPIC_SPREAD} is asked at each rebalance, directly behind {BALANCE}, and is not summed up"
        if TOPIC_SPREAD in text.split(",")
        else ""
    )
    raise ImpossibleError(f"question: {text!r} is not asked over time; ask {', or '.join(OVER_TIME)}{why}")


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sequence and what its numbers stand for: stages, the nodes of each, the partitions of each kind, and which layers are rebalances.

    `spread` are the prices, as JSON, that prove of each stage how evenly topics can be spread; empty where that is not asked.
    """

    stages: tuple[Group, ...]
    nodes: tuple[Listed[Place], ...]
    kinds: tuple[tuple[TopicPartition, ...], ...]
    sequence: Sequence
    spread: tuple[dict[str, Any], ...]

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
    """Return a sequence: each member, or place, is a node of its stage, and one more node is where partitions are that nobody reads.

    Where the spread of topics is asked and places are too many for a whole flow, it is left out. Raises ImpossibleError where there
    is no stage, or where topics change between two.
    """
    if not stages:
        raise ImpossibleError("stages: there are none; give the group at one rebalance at least")
    for n, stage in enumerate(stages):
        if stage.topics != stages[0].topics:
            raise ImpossibleError(
                f"stages: topics differ at rebalance {n + 1}; over time, give events that leave topics alone"
            )
    even = tuple(level for level in asked.levels if level in AT_EACH)
    by_topic = TOPIC_SPREAD in even
    partitions = [p for topic in stages[0].topics for p in topic]
    claimed = owners(stages[0])
    faces = [_Face.of(stage, partitions, replace(asked, levels=even)) for stage in stages]
    claims = [tuple(claimed.get(p, ())) for p in partitions]
    kinds: dict[object, list[int]] = {}
    for item, claim in enumerate(claims):
        topic = partitions[item].topic if by_topic else None
        kinds.setdefault((topic, claim, *(face.like[item] for face in faces)), []).append(item)
    items = list(kinds.values())
    some = [alike[0] for alike in items]
    of = [partitions[item].topic for item in some]
    if by_topic and sum(ARCS * (1 + face.readers(item)) for face in faces for item in some) > sequences.PAIRS:
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
            steps.append(_between(faces[n - 1], face, levels, of))
            tail, head = _onwards(faces[n - 1].nodes, face.nodes)
        else:
            tail, head = np.zeros(open_.shape[1], np.int64), np.arange(open_.shape[1])
            first = [member for _, member in face.nodes]
            left = [[bool(claims[i]) and m not in claims[i] for m in [*first, None]] for i in some]
            moved = np.array(left, np.int64).reshape(open_.shape)  # also where there is no partition
            there = [each if level in IN_RACK else moved for level, each in zip(levels, there, strict=True)]
        steps.append(Step(
            tail, head, np.zeros((len(levels), len(tail)), np.int64), open_,
            np.array(there), face.user, face.used, face.low, face.high,
        ))  # fmt: skip
    sequence = Sequence(levels, np.array(list(map(len, items)), np.int64), tuple(steps))
    return Encoded(
        tuple(stages), tuple(face.nodes for face in faces),
        tuple(tuple(partitions[i] for i in alike) for alike in items), sequence,
        tuple(face.written() for face in faces if by_topic),
    )  # fmt: skip


ARCS = 4
"""So many arcs lead to and from a place, at most."""


def _between(before: "_Face", now: "_Face", levels: Listed[str], topics: Listed[str]) -> Step:
    """Return the step in which partitions stay in places that stay, or come together in a last node, which is a move where the member stays."""
    stay = _staying(before.nodes, now.nodes)
    every = np.arange(len(before.nodes) + 1)
    moved = np.array([*(member in now.case.members for _, member in before.nodes), False])
    cost = [[*[0] * len(stay), *(np.zeros_like(moved) if level in IN_RACK else moved)] for level in levels]
    none = np.empty(0, np.int64)
    return Step(
        np.concatenate([stay, every]),
        np.concatenate([np.arange(len(stay)), np.full(len(every), len(stay))]),
        np.array(cost, np.int64),
        np.hstack([_own(topics, [before.nodes[n] for n in stay.tolist()]), np.ones((len(topics), 1), np.bool_)]),
        np.zeros((len(levels), len(topics), len(stay) + 1), np.int64),
        none, none, none, none,
    )  # fmt: skip


def _staying(before: Listed[Place], now: Listed[Place]) -> Ints:
    """Return the places that are there in the next stage, too."""
    there = {*now}
    return np.array([n for n, place in enumerate(before) if place in there], np.int64)


def _own(topics: Listed[str], nodes: Listed[Place]) -> NDArray[np.bool_]:
    """Return at which places partitions of each of these topics can be."""
    found = [[own is None or own == topic for own, _ in nodes] for topic in topics]
    return np.array(found, np.bool_).reshape(len(topics), len(nodes))


def _onwards(before: Listed[Place], now: Listed[Place]) -> tuple[Ints, Ints]:
    """Return the arcs from there: back to the places that stay, and from the last node to every node."""
    place = {own: n for n, own in enumerate(now)}
    stay = [place[before[n]] for n in _staying(before, now).tolist()]
    every = np.arange(len(now) + 1)
    tail = np.concatenate([np.arange(len(stay)), np.full(len(every), len(stay))])
    head = np.concatenate([np.array(stay, np.int64), every])
    order = np.argsort(head, kind="stable")
    return tail[order], head[order]


@dataclass(frozen=True, slots=True)
class _Face:
    """The most even assignments of a stage, by prices that prove one.

    In all of them every partition is with its cheapest readers, and a member has l where its price is 2l, and l or l + 1 where it
    is 2l + 1. The spread's prices say which of the two where they are not 0; and a place has n partitions of its topic where the topic's price
    is 2n above the member's, and n or n + 1 where it is 2n + 1 above.
    """

    case: Case
    place: Ints
    like: tuple[object, ...]
    prices: Prices
    nodes: Listed[Place]
    topic: Ints
    member: Ints

    @staticmethod
    def of(stage: Group, partitions: Listed[TopicPartition], even: Question) -> "_Face":
        bare = replace(stage, members=tuple(replace(m, owned=(), generation=None) for m in stage.members))
        (case,) = cases(bare, even)
        found = solve(case.problem, even.levels)
        best = judged(case.problem, even.levels, found.owners, found.prices)
        if not best.proved:
            raise UnsolvedError(
                "over time: the prices do not prove the loads of a rebalance as even as can be"
            )
        starts = {topics[0]: start for topics, start in zip(case.topics, case.start, strict=False)}
        place = np.array(
            [starts[p.topic] + p.partition if p.topic in starts else -1 for p in partitions], np.int64
        )
        pairs = list(zip(case.problem.audience_of.tolist(), case.problem.profile_of.tolist(), strict=True))
        like = tuple(None if at < 0 else pairs[at] for at in place.tolist())
        topic, member, prices = (
            np.full(case.problem.members, -1),
            np.arange(case.problem.members),
            best.prices,
        )
        if TOPIC_SPREAD in even.levels:
            prices = (
                replace(prices, topics=np.zeros((2, 0, 1), np.int64)) if prices.topics is None else prices
            )
            reads = [_able(case, int(audience)) for audience in case.problem.topic_audience]
            topic = np.repeat(np.arange(len(reads)), [len(able) for able in reads])
            member = np.concatenate([np.empty(0, np.int64), *reads])
        nodes = [
            (case.names[t] if t >= 0 else None, case.members[m])
            for t, m in zip(topic.tolist(), member.tolist(), strict=True)
        ]
        return _Face(case, place, like, prices, nodes, topic, member)

    @property
    def user(self) -> Ints:
        """The nodes that count in rows: first in those of members, then in their own, where topics are to be spread."""
        every = np.arange(len(self.nodes))
        return every if self.prices.topics is None else np.concatenate([every, every])

    @property
    def used(self) -> Ints:
        """The rows that they count in."""
        if self.prices.topics is None:
            return self.member
        return np.concatenate([self.member, self.case.problem.members + np.arange(len(self.nodes))])

    @property
    def low(self) -> Ints:
        """The least load of each member, and of each place."""
        return self._bounds()[0]

    @property
    def high(self) -> Ints:
        """The greatest load of each member, and of each place."""
        return self._bounds()[1]

    def _bounds(self) -> tuple[Ints, Ints]:
        price = self.prices.rows[0]
        low, high = np.maximum(price // 2, 0), np.maximum(-(-price // 2), 0)
        if self.prices.topics is None:
            return low, high
        then = self.prices.rows[1]
        least, most = np.where(then > 0, high, low), np.where(then < 0, low, high)
        paid = self.prices.topics[1, self.topic, 0] - then[self.member]
        one = np.where(self._cheapest(), 1, 0)
        return (
            np.concatenate([least, one * at_price(paid - 1, np.ones_like(paid))]),
            np.concatenate([most, one * at_price(paid, np.ones_like(paid))]),
        )

    def _cheapest(self) -> NDArray[np.bool_]:
        """Return which places are at the cheapest readers of their topic."""
        assert self.prices.topics is not None
        return np.asarray(self.prices.topics[0, self.topic, 0] == self.prices.rows[0][self.member])

    def readers(self, item: int) -> int:
        """Return how many members read a partition."""
        at = int(self.place[item])
        return 0 if at < 0 else len(_able(self.case, int(self.case.problem.audience_of[at])))

    def open(self, items: Listed[int], topics: Listed[str]) -> NDArray[np.bool_]:
        """Return where each of these partitions, of these topics, may be; the last column is for nowhere."""
        price = self.prices.rows[0]
        open_ = np.zeros((len(items), len(self.nodes) + 1), np.bool_)
        for row, item in enumerate(items):
            at = int(self.place[item])
            if at < 0:
                open_[row, -1] = True
                continue
            able = _able(self.case, int(self.case.problem.audience_of[at]))
            cheapest = np.zeros(self.case.problem.members, np.bool_)
            cheapest[able[price[able] == price[able].min()]] = True
            open_[row, :-1] = cheapest[self.member]
        open_[:, :-1] &= _own(topics, self.nodes)
        return open_

    def far(self, items: Listed[int], level: str) -> Ints:
        """Return what each of these partitions costs in a level of racks, at each node and nowhere."""
        problem = self.case.problem
        far = np.zeros((len(items), len(self.nodes) + 1), np.int64)
        table = problem.table({level: 1})
        for row, item in enumerate(items):
            if (at := int(self.place[item])) >= 0:
                far[row, :-1] = table[problem.profile_of[at], problem.rack_of[self.member]]
        return far

    def written(self) -> dict[str, Any]:
        """Return the prices of members and topics as JSON, a number for each level that is asked at each rebalance."""
        assert self.prices.topics is not None
        return {
            "members": dict(zip(self.case.members, self.prices.rows.T.tolist(), strict=True)),
            "topics": dict(zip(self.case.names, self.prices.topics[:, :, 0].T.tolist(), strict=True)),
        }


def _able(case: Case, audience: int) -> Ints:
    """Return the members that read the partitions of an audience."""
    start = case.problem.audience_start
    reads = case.problem.audience_subscription[start[audience] : start[audience + 1]]
    return np.flatnonzero(np.isin(case.problem.subscription_of, reads))
