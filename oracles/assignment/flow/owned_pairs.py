"""The network of topics and members where the spread is asked before moves: one arc for each pair, and few of them shown to a solver.

Within the bounds of the most even spread a member gets a or a + 1 partitions of a topic. Where it owned no more than a it may keep
them all, where it owned a + 1 or more it keeps what it gets: so what it saves is nothing, or the same for each, and no partition needs a node of its own. That holds
for one level of owners, with one owner of each partition, and no racks.

Arcs that save nothing are most of them. A solver is shown those of a flow that is possible, a few more at random, and then those that
prices say are worth it (:attr:`.faces.Bounded.hidden`).
"""

from dataclasses import dataclass

import numpy as np

from kassay.oracles.assignment.aggregation import numbered, runs
from kassay.oracles.assignment.flow.faces import Bounded
from kassay.oracles.assignment.flow.item_classes import ordered, rank_in_run
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Problem, starts
from kassay.oracles.errors import TooLargeError, UnsolvedError

MANY = 2 * 10**7
"""Up to so many pairs of a topic and a member that may hold one partition more or less are looked at."""
AT_RANDOM = 15
"""About so many arcs of a topic and the members of a subscription are shown from the beginning."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnedPairs:
    """The network: topics, members and the end; an arc for each pair of a topic and a member, then one from each member to the end.

    `owner` is the member that owned each item and may keep it, -1 where there is none; `owns` how many of a topic each pair's member owned.
    """

    network: Bounded
    owner: Ints
    owns: Ints


def owners_of(problem: Problem, reads: Ints) -> Ints | None:
    """Return the only owner of each item that reads it, -1 where there is none; None where an item has several, or not all save the same.

    `reads` is negative where members of a subscription (column) do not read a topic (row).
    """
    (level,) = problem.levels if len(problem.levels) == 1 else (None,)
    number = np.diff(problem.claim_start)
    if level is None or level.gain is None or level.table is not None or number.max(initial=0) > 1:
        return None
    if level.gain.min(initial=0) < 0 or (level.gain != level.gain[:1]).any():
        return None
    owner_of = np.full(len(number), -1)
    owner_of[number > 0] = problem.claim_member
    owner = owner_of[problem.claim_of]
    some = np.flatnonzero(owner >= 0)
    owner[some[reads[problem.topic_numbers[some], problem.subscription_of[owner[some]]] < 0]] = -1
    return owner


def owned_pairs(problem: Problem, classes: Bounded, dealt: Ints) -> OwnedPairs | None:
    """Return the network within the bounds of that of subscriptions, None where it would not say all; `dealt` are owners (items x 1) that fit.

    Raises TooLargeError above MANY pairs.
    """
    topics, members, pairs = problem.topics, problem.members, classes.layers[1]
    of, to = classes.tail[:pairs], classes.head[:pairs] - topics
    pair_of = np.full((topics, problem.subscriptions), -1)
    pair_of[of, to] = np.arange(pairs)
    owner = owners_of(problem, pair_of)
    if owner is None:
        return None
    begin = starts(np.bincount(problem.subscription_of, minlength=problem.subscriptions))
    open_ = np.flatnonzero(classes.high[:pairs] > 0)
    number = int(np.diff(begin)[to[open_]].sum())
    if number > MANY:
        raise TooLargeError(
            f"{TOPIC_SPREAD}: {number:,} pairs of a topic and a member that reads it are too many to ask of owners"
        )
    entry, at = runs(begin, to[open_])
    pair, member = open_[entry], ordered(problem.subscription_of)[at]
    topic = of[pair]
    low, high = classes.low[pair], classes.high[pair]
    key = topic * members + member
    owned = np.flatnonzero(owner >= 0)
    owns = _counted(key, problem.topic_numbers[owned] * members + owner[owned], topics * members)
    if ((owns > low) & (owns < high)).any():
        return None
    (level,) = problem.levels
    gain = int(level.gain[0]) if level.gain is not None and len(level.gain) else 0
    has = _counted(key, problem.topic_numbers * members + dealt[:, 0], topics * members)
    every, sink = np.arange(members), pairs + problem.subscription_of
    cost = np.where(owns > low, -gain, 0)
    seen = (cost < 0) | (has > low)
    share = AT_RANDOM / np.diff(begin)[to[pair]]
    seen |= np.random.default_rng(0).random(len(pair)) < share
    count, weights = (
        np.bincount(problem.topic_numbers, minlength=topics),
        problem.weights[problem.subscription_of],
    )
    network = Bounded(
        np.concatenate([topic, topics + every]), np.concatenate([topics + member, np.full(members, topics + members)]),
        np.ones(number + members, np.int64),
        np.concatenate([low, classes.low[sink]]), np.concatenate([high, classes.high[sink]]),
        np.concatenate([count, np.zeros(members, np.int64), [-problem.items]]),
        (0, number), {level.name: np.concatenate([cost, np.zeros(members, np.int64)])},
        {
            TOPIC_SPREAD: (np.arange(number), weights[member]),
            BALANCE: (number + every, weights),
        },
        hidden=np.concatenate([~seen, np.zeros(members, np.bool_)]),
    )  # fmt: skip
    return OwnedPairs(network, owner, owns)


def _counted(pairs: Ints, keys: Ints, span: int) -> Ints:
    """Return how often each pair is among some keys."""
    found, place = numbered(keys, span)
    if not len(found):
        return np.zeros_like(pairs)
    number = np.bincount(place)
    at = np.minimum(np.searchsorted(found, pairs), len(found) - 1)
    return np.where(found[at] == pairs, number[at], 0)


def shared_out(problem: Problem, pairs: OwnedPairs, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): owners keep as many as the flow gives them, the rest goes where more is asked for."""
    number = len(pairs.owns)
    gets = flow[:number]
    topic, member = pairs.network.tail[:number], pairs.network.head[:number] - problem.topics
    keeps = np.minimum(pairs.owns, gets)
    of, owners = problem.topic_numbers, np.full(problem.items, -1)
    owned = np.flatnonzero(pairs.owner >= 0)
    key = of[owned] * problem.members + pairs.owner[owned]
    order = np.argsort(key, kind="stable")
    owned, key = owned[order], key[order]
    some = np.flatnonzero(keeps)
    kept, most = topic[some] * problem.members + member[some], keeps[some]
    by_key = np.argsort(kept, kind="stable")
    kept, most = np.append(kept[by_key], -1), np.append(most[by_key], 0)
    at = np.searchsorted(kept[:-1], key)
    stays = owned[rank_in_run(key) < np.where(kept[at] == key, most[at], 0)]
    owners[stays] = pairs.owner[stays]
    rest = np.flatnonzero(owners < 0)
    rest = rest[ordered(of[rest])]
    wanted = np.repeat(np.arange(number), gets - keeps)
    wanted = wanted[ordered(topic[wanted])]
    if not np.array_equal(of[rest], topic[wanted]):
        raise UnsolvedError("the flow that OR-tools calls cheapest loses partitions")
    owners[rest] = member[wanted]
    return owners.reshape(-1, 1)
