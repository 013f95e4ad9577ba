"""The exact optimum of a sequence of rebalances of a group: as even as possible at each, and the least in all."""

from collections.abc import Sequence as Listed
from dataclasses import dataclass, replace

import numpy as np

from kassay.model import Assignment, Group, TopicPartition
from kassay.oracles.answers import OverTime
from kassay.oracles.assignment.certificates import judged
from kassay.oracles.assignment.flow.exact import solve
from kassay.oracles.assignment.over_time.sequence import Sequence, Step
from kassay.oracles.assignment.own_levels import BALANCE
from kassay.oracles.assignment.problem import Ints
from kassay.oracles.errors import ImpossibleError, UnsolvedError
from kassay.oracles.over_time import answered, deadline_in
from kassay.oracles.partitions.encoding import IN_RACK, Case, cases
from kassay.oracles.partitions.levels import OVER_TIME
from kassay.oracles.partitions.question import Question, question
from kassay.properties.partitions.owners import owners

EVEN = question(BALANCE)


def over_time(text: str, stages: Listed[Group], time_limit_s: float | None = None) -> OverTime:
    """Return the least sums over all stages that assignments can have which are as even as possible at each.

    A stage is the group as it is at a rebalance; what its members own is looked at in the first alone. A partition moves that was
    with a member which is still there, and now is not. Raises ImpossibleError where the question cannot be asked, and what
    :func:`kassay.oracles.assignment.over_time.optimum.solve` raises.
    """
    asked = asked_over_time(text)
    deadline = deadline_in(time_limit_s)
    encoded = encode(stages, asked)
    return answered(str(asked), encoded.sequence, encoded.assignments, len(stages), deadline)


def asked_over_time(text: str) -> Question:
    """Read a question about a sequence; raises ImpossibleError naming those that there are."""
    if text not in OVER_TIME:
        raise ImpossibleError(f"question: {text!r} is not asked over time; ask {', or '.join(OVER_TIME)}")
    return question(text)


@dataclass(frozen=True, slots=True)
class Encoded:
    """A sequence and what its numbers stand for: stages, the partitions of each kind, and which layers are rebalances."""

    stages: tuple[Group, ...]
    kinds: tuple[tuple[TopicPartition, ...], ...]
    sequence: Sequence

    def assignments(self, ways: Listed[Ints]) -> tuple[Assignment, ...]:
        """Return the assignment of each stage, given the node of each item in each layer."""
        found = []
        for n, stage in enumerate(self.stages):
            given: dict[str, list[TopicPartition]] = {member.id: [] for member in stage.members}
            for partitions, way in zip(self.kinds, ways, strict=True):
                for partition, node in zip(partitions, way[:, 2 * n].tolist(), strict=True):
                    if node < len(stage.members):
                        given[stage.members[node].id].append(partition)
            found.append({member: tuple(sorted(held)) for member, held in given.items()})
        return tuple(found)


def encode(stages: Listed[Group], asked: Question) -> Encoded:
    """Return a sequence: each member is a node of its stage, and one more node is where partitions are that nobody reads.

    Raises ImpossibleError where there is no stage, or where topics change between two.
    """
    if not stages:
        raise ImpossibleError("stages: there are none; give the group at one rebalance at least")
    for n, stage in enumerate(stages):
        if stage.topics != stages[0].topics:
            raise ImpossibleError(
                f"stages: topics differ at rebalance {n + 1}; over time, give events that leave topics alone"
            )
    partitions = [p for topic in stages[0].topics for p in topic]
    claimed = owners(stages[0])
    faces = [_Face.of(stage, partitions) for stage in stages]
    claims = [tuple(claimed.get(p, ())) for p in partitions]
    kinds: dict[object, list[int]] = {}
    for item, claim in enumerate(claims):
        kinds.setdefault((claim, *(face.like[item] for face in faces)), []).append(item)
    items = list(kinds.values())
    some = [alike[0] for alike in items]
    levels = tuple(level for level in asked.levels if level != BALANCE)
    steps = []
    for n, face in enumerate(faces):
        open_ = face.open(some)
        there = [
            face.far(some, level) if level in IN_RACK else np.zeros(open_.shape, np.int64) for level in levels
        ]
        if n:
            steps.append(_between(stages[n - 1], stages[n], levels, len(items)))
            tail, head = _onwards(stages[n - 1], stages[n])
        else:
            tail, head = np.zeros(open_.shape[1], np.int64), np.arange(open_.shape[1])
            first = [member.id for member in stages[0].members]
            left = [[bool(claims[i]) and m not in claims[i] for m in [*first, None]] for i in some]
            moved = np.array(left, np.int64).reshape(open_.shape)  # also where there is no partition
            there = [each if level in IN_RACK else moved for level, each in zip(levels, there, strict=True)]
        members = np.arange(open_.shape[1] - 1)
        steps.append(Step(
            tail, head, np.zeros((len(levels), len(tail)), np.int64), open_,
            np.array(there), members, members, face.low, face.high,
        ))  # fmt: skip
    sequence = Sequence(levels, np.array(list(map(len, items)), np.int64), tuple(steps))
    return Encoded(tuple(stages), tuple(tuple(partitions[i] for i in alike) for alike in items), sequence)


def _between(before: Group, now: Group, levels: Listed[str], kinds: int) -> Step:
    """Return the step in which partitions stay with the members that stay, or come together in a last node, which is a move then."""
    there = {member.id for member in now.members}
    stay = [n for n, member in enumerate(before.members) if member.id in there]
    every = np.arange(len(before.members) + 1)
    moved = np.isin(every, stay)
    cost = [[*[0] * len(stay), *(np.zeros_like(moved) if level in IN_RACK else moved)] for level in levels]
    none = np.empty(0, np.int64)
    return Step(
        np.concatenate([np.array(stay, np.int64), every]),
        np.concatenate([np.arange(len(stay)), np.full(len(every), len(stay))]),
        np.array(cost, np.int64),
        np.ones((kinds, len(stay) + 1), np.bool_),
        np.zeros((len(levels), kinds, len(stay) + 1), np.int64),
        none, none, none, none,
    )  # fmt: skip


def _onwards(before: Group, now: Group) -> tuple[Ints, Ints]:
    """Return the arcs from there: back to the members that stay, and from the last node to every node."""
    place = {member.id: n for n, member in enumerate(now.members)}
    stay = [place[member.id] for member in before.members if member.id in place]
    every = np.arange(len(now.members) + 1)
    tail = np.concatenate([np.arange(len(stay)), np.full(len(every), len(stay))])
    head = np.concatenate([np.array(stay, np.int64), every])
    order = np.argsort(head, kind="stable")
    return tail[order], head[order]


@dataclass(frozen=True, slots=True)
class _Face:
    """The most even assignments of a stage, by prices that prove one.

    In all of them every partition is with its cheapest readers, and a member has l where its price is 2l, and l or l + 1 where it
    is 2l + 1.
    """

    case: Case
    place: Ints
    like: tuple[object, ...]
    price: Ints

    @staticmethod
    def of(stage: Group, partitions: Listed[TopicPartition]) -> "_Face":
        bare = replace(stage, members=tuple(replace(m, owned=(), generation=None) for m in stage.members))
        (case,) = cases(bare, EVEN)
        found = solve(case.problem, EVEN.levels)
        best = judged(case.problem, EVEN.levels, found.owners, found.prices)
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
        return _Face(case, place, like, best.prices.rows[0])

    @property
    def low(self) -> Ints:
        """The least load of each member."""
        return np.maximum(self.price // 2, 0)

    @property
    def high(self) -> Ints:
        """The greatest load of each member."""
        return np.maximum(-(-self.price // 2), 0)

    def open(self, items: Listed[int]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Return where each of these partitions may be; the last column is for nowhere."""
        problem = self.case.problem
        open_ = np.zeros((len(items), problem.members + 1), np.bool_)
        for row, item in enumerate(items):
            at = int(self.place[item])
            if at < 0:
                open_[row, -1] = True
                continue
            audience = int(problem.audience_of[at])
            reads = problem.audience_subscription[
                problem.audience_start[audience] : problem.audience_start[audience + 1]
            ]
            able = np.flatnonzero(np.isin(problem.subscription_of, reads))
            open_[row, able[self.price[able] == self.price[able].min()]] = True
        return open_

    def far(self, items: Listed[int], level: str) -> Ints:
        """Return what each of these partitions costs in a level of racks, at each member and nowhere."""
        problem = self.case.problem
        far = np.zeros((len(items), problem.members + 1), np.int64)
        table = problem.table({level: 1})
        for row, item in enumerate(items):
            if (at := int(self.place[item])) >= 0:
                far[row, :-1] = table[problem.profile_of[at], problem.rack_of]
        return far
