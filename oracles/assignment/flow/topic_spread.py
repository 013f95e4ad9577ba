"""Questions with topic spread: the number of each topic's partitions at each member, as a chain of cheapest flows.

    item class --(costs of levels)--> pool: topic and rack --> place: topic and member --(square: spread)--> member --(square: balance)--> end

Levels before the first one with costs of owners or racks are solved on topics and subscriptions only. Each
subscription deals its items to its members in turn, topic after topic. Each topic starts at the member after the
last one. So the loads of members, and of places, differ by one at most. The optima of these
levels leave bounds for places and members, which also hold in the large network.

In the large network a place whose member owned nothing needs no node. A pool never leads to a class of members by one
arc. That would let a topic crowd in one member while others stand in for it, and the flow would not be an assignment.
So every place has its arc.

If topic spread comes before moves, a smaller network is enough, with one arc for each pair of a topic and a member.
Within the bounds of the least spread a member gets a or a + 1 partitions of a topic. If it owned a or fewer, it may
keep them all. If it owned a + 1 or more, it keeps all that it gets. So the saving is nothing, or the same for each,
and no partition needs a node. That holds for one level of owners, with one owner of each partition, and no racks.
Most arcs save nothing. A solver gets the arcs of a feasible flow, a few more at random, and then those that the
prices show to be useful (:attr:`.faces.Bounded.hidden`).
"""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from kassay.oracles.assignment.aggregation import expand_runs, find_item_kinds, renumber
from kassay.oracles.assignment.flow.faces import Bounded, Optimum, Stages, minimise_in_order
from kassay.oracles.assignment.flow.item_classes import deal_in_turn, follow_arcs, rank_in_run, sort_stably
from kassay.oracles.assignment.own_levels import BALANCE, TOPIC_SPREAD
from kassay.oracles.assignment.problem import Ints, Problem, list_starts
from kassay.oracles.assignment.values import Prices
from kassay.oracles.errors import TooLargeError, UnsolvedError

MANY_PAIRS = 2 * 10**7
"""The limit of pairs of a topic and a member whose number of partitions may vary by one."""
AT_RANDOM = 15
"""The approximate number of arcs from a topic to a subscription's members that the solver gets from the start."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnedPairs:
    """The network: topics, members and the end; an arc for each pair of a topic and a member, then one from each member to the end.

    `owner` is the member that owned each item and may keep it, or -1; `owns` is the number of the topic's items that
    each pair's member owned.
    """

    network: Bounded
    owner: Ints
    owns: Ints


def find_owners(problem: Problem, reads: Ints) -> Ints | None:
    """Return the only owner of each item that reads it, or -1; None if an item has several owners, or savings differ.

    `reads` is negative if members of a subscription (column) do not read a topic (row).
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


def build_pair_network(problem: Problem, classes: Bounded, dealt: Ints) -> OwnedPairs | None:
    """Return the network within the bounds of the subscriptions' network, None if it is not exact; `dealt` are feasible owners (items x 1).

    Raises TooLargeError above MANY_PAIRS pairs.
    """
    topics, members, pairs = problem.topics, problem.members, classes.layers[1]
    of, to = classes.tail[:pairs], classes.head[:pairs] - topics
    pair_of = np.full((topics, problem.subscriptions), -1)
    pair_of[of, to] = np.arange(pairs)
    owner = find_owners(problem, pair_of)
    if owner is None:
        return None
    begin = list_starts(np.bincount(problem.subscription_of, minlength=problem.subscriptions))
    open_ = np.flatnonzero(classes.high[:pairs] > 0)
    number = int(np.diff(begin)[to[open_]].sum())
    if number > MANY_PAIRS:
        raise TooLargeError(
            f"{TOPIC_SPREAD}: {number:,} pairs of a topic and a member that reads it are too many to ask of owners"
        )
    entry, at = expand_runs(begin, to[open_])
    pair, member = open_[entry], sort_stably(problem.subscription_of)[at]
    topic = of[pair]
    low, high = classes.low[pair], classes.high[pair]
    key = topic * members + member
    owned = np.flatnonzero(owner >= 0)
    owns = _count_pairs(key, problem.topic_numbers[owned] * members + owner[owned], topics * members)
    if ((owns > low) & (owns < high)).any():
        return None
    (level,) = problem.levels
    gain = int(level.gain[0]) if level.gain is not None and len(level.gain) else 0
    has = _count_pairs(key, problem.topic_numbers * members + dealt[:, 0], topics * members)
    every, sink = np.arange(members), pairs + problem.subscription_of
    cost = np.where(owns > low, -gain, 0)
    seen = (cost < 0) | (has > low)
    share = AT_RANDOM / np.diff(begin)[to[pair]]
    seen |= np.random.default_rng(0).random(len(pair)) < share
    count = np.bincount(problem.topic_numbers, minlength=topics)
    weights = problem.weights[problem.subscription_of]
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


def _count_pairs(pairs: Ints, keys: Ints, span: int) -> Ints:
    """Return how often each pair is among these keys."""
    found, place = renumber(keys, span)
    if not len(found):
        return np.zeros_like(pairs)
    number = np.bincount(place)
    at = np.minimum(np.searchsorted(found, pairs), len(found) - 1)
    return np.where(found[at] == pairs, number[at], 0)


def deal_pairs(problem: Problem, pairs: OwnedPairs, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): owners keep as many as the flow allows, the rest fills the remaining flow."""
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
    rest = rest[sort_stably(of[rest])]
    wanted = np.repeat(np.arange(number), gets - keeps)
    wanted = wanted[sort_stably(topic[wanted])]
    if not np.array_equal(of[rest], topic[wanted]):
        raise UnsolvedError("the flow that OR-tools calls cheapest loses partitions")
    owners[rest] = member[wanted]
    return owners.reshape(-1, 1)


OWN = (BALANCE, TOPIC_SPREAD)
MANY = 4 * 10**6
"""The limit of places, pairs of a topic and a member whose number of partitions may vary by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The network of item classes, pools, places of owners, members and the end, with the meaning of its nodes.

    Pool n is of the topic and rack ``divmod(pools[n], racks)``, and owner's place n of the topic and member
    ``divmod(owned[n], members)``. `first` has the first node of each sort. `shut` are the owners' places that no
    optimum uses.
    """

    network: Bounded
    class_of: Ints
    pools: Ints
    owned: Ints
    shut: Ints
    first: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """The networks of one problem that were solved, for further questions about it."""

    classes: Stages = field(default_factory=dict)
    """The stages of the network of subscriptions."""
    members: dict[tuple[str, ...], tuple[Places, Stages]] = field(default_factory=dict)
    """The levels of the network of subscriptions, and the names of all others -> the network of members and its stages."""


def solve_with_spread(
    problem: Problem,
    levels: tuple[str, ...],
    deadline: float = math.inf,
    networks: Networks | None = None,
) -> tuple[Ints, Prices]:
    """Return the owner of each item (items x 1) in an optimum, and the prices that prove it; one copy of each item only.

    `networks` of the problem, with all its levels, are used, and get those that are new. If `deadline` (of time.monotonic) passes, the owners are arbitrary, and the prices prove nothing. Raises
    TooLargeError if there are more than MANY places, UnsolvedError if a solver fails.
    """
    first = next((n for n, level in enumerate(levels) if level not in OWN), len(levels))
    classes = build_subscription_network(problem)
    known = Networks() if networks is None else networks
    best = solve_subscriptions(problem, classes, levels[:first], deadline, known.classes)
    if best is None:
        return _deal(problem, classes, _choose_any(classes)), build_zero_prices(problem, levels)
    rows, later = best.prices, levels[first:]
    if not later:
        return _deal(problem, classes, best.flow), _expand_class_prices(problem, rows)
    dealt = _deal(problem, classes, best.flow if first else _choose_any(classes))
    pairs = build_pair_network(problem, best.face, dealt) if first else None
    if pairs is not None:
        after = minimise_in_order(pairs.network, later, deadline)
        if after is None:
            return dealt, build_zero_prices(problem, levels)
        alone = np.append(np.arange(problem.topics), problem.topics + problem.subscription_of)
        prices = np.vstack([rows[:, alone], after.prices[:, :-1]])
        return deal_pairs(problem, pairs, after.flow), _expand_member_prices(problem, prices)
    key = (*levels[:first], *sorted(later))
    if key not in known.members:
        known.members[key] = build_member_network(problem, best.face), {}
    places, stages = known.members[key]
    after = minimise_in_order(places.network, later, deadline, stages)
    if after is None:
        return dealt, build_zero_prices(problem, levels)
    return follow_places(places, after.flow), join_prices(
        problem, places, rows, after.prices, problem.greatest_cost
    )


def build_zero_prices(problem: Problem, levels: tuple[str, ...]) -> Prices:
    """Return prices of 0."""
    nothing = np.zeros((len(levels), problem.topics + problem.subscriptions + 1), np.int64)
    return _expand_class_prices(problem, nothing)


def build_subscription_network(problem: Problem) -> Bounded:
    """Return the network of topics and subscriptions; nodes are topics, subscriptions, the end."""
    audience = problem.topic_audience
    topic, entry = expand_runs(problem.audience_start, audience)
    reader = problem.audience_subscription[entry]
    count = np.bincount(problem.topic_numbers, minlength=problem.topics)
    size = np.bincount(problem.subscription_of, minlength=problem.subscriptions)
    pairs, subscriptions = len(topic), np.arange(problem.subscriptions)
    tail = np.concatenate([topic, problem.topics + subscriptions])
    head = np.concatenate(
        [problem.topics + reader, np.full(len(subscriptions), problem.topics + len(subscriptions))]
    )
    members = np.concatenate([size[reader], size])
    return Bounded(
        tail, head, members, np.zeros_like(tail), np.full_like(tail, problem.items + 1),
        np.concatenate([count, np.zeros(len(subscriptions), np.int64), [-problem.items]]),
        (0, pairs), {},
        {TOPIC_SPREAD: (np.arange(pairs), problem.weights[reader]), BALANCE: (pairs + subscriptions, problem.weights)},
        {TOPIC_SPREAD: count[topic] // np.bincount(topic, size[reader], problem.topics).astype(np.int64)[topic]},
    )  # fmt: skip


def solve_subscriptions(
    problem: Problem,
    classes: Bounded,
    levels: tuple[str, ...],
    deadline: float = math.inf,
    stages: Stages | None = None,
) -> Optimum | None:
    """Return an optimum of levels of OWN in the network of subscriptions; None if `deadline` passed."""
    reader = problem.audience_subscription
    if len(reader) > 1 or problem.weights[reader[0]] != 1:
        return minimise_in_order(classes, levels, deadline, stages)
    # All members have the same subscription: dealing in turn is optimal in both levels at once.
    topics, arcs = problem.topics, np.append(np.arange(problem.topics), problem.topics + reader)
    flow = np.zeros(len(classes.tail), np.int64)
    prices = np.zeros((len(levels), len(classes.supply)), np.int64)
    flow[arcs] = np.append(classes.supply[:topics], problem.items)
    few, over = np.divmod(flow, classes.size)
    low, high = classes.low.copy(), classes.high.copy()
    for level, row in zip(levels, prices, strict=True):
        some = arcs[:topics] if level == TOPIC_SPREAD else arcs[topics:]
        low[some], high[some] = few[some], few[some] + (over[some] > 0)
        row[arcs[: topics if level == TOPIC_SPREAD else None]] = (low + high)[some]
    return Optimum(flow, prices, replace(classes, low=low, high=high))


def _choose_any(classes: Bounded) -> Ints:
    """Return the flow in which each topic goes to the first subscription that reads it."""
    pairs = classes.layers[1]
    flow = np.zeros(len(classes.tail), np.int64)
    first = np.flatnonzero(rank_in_run(classes.tail[:pairs]) == 0)
    flow[first] = classes.supply[classes.tail[first]]
    return flow


def _deal(problem: Problem, classes: Bounded, flow: Ints) -> Ints:
    """Deal the items of each subscription to its members in turn, topic after topic."""
    pairs = classes.layers[1]
    subscription = np.empty(problem.items, np.int64)
    to = classes.head[:pairs] - problem.topics
    subscription[sort_stably(problem.topic_numbers)] = np.repeat(to, flow[:pairs])
    return deal_in_turn(problem, subscription, np.lexsort((problem.topic_numbers, subscription)))


def _expand_class_prices(problem: Problem, rows: Ints) -> Prices:
    """Return prices of topics and subscriptions as prices of topics in each rack, and of members."""
    members = rows[:, problem.topics + problem.subscription_of]
    return _expand_member_prices(problem, np.concatenate([rows[:, : problem.topics], members], axis=1))


def _expand_member_prices(problem: Problem, rows: Ints) -> Prices:
    """Return prices of topics and members as prices of topics in each rack, and of members; without owners' places."""
    topics = np.repeat(rows[:, : problem.topics, None], problem.racks, axis=2)
    none = np.empty(0, np.int64)
    return Prices(
        rows[:, problem.topics : problem.topics + problem.members],
        topics,
        (none, none),
        np.empty((len(rows), 0), np.int64),
    )


def build_member_network(problem: Problem, classes: Bounded) -> Places:
    """Return the network of members, within the bounds of the network of subscriptions. Raises TooLargeError above MANY places."""
    racks, members, pairs = problem.racks, problem.members, classes.layers[1]
    (topic_of, profile, claim), class_of = find_item_kinds(problem, problem.topic_numbers, problem.topics)
    pair_of = np.full((problem.topics, problem.subscriptions), -1)
    pair_of[classes.tail[:pairs], classes.head[:pairs] - problem.topics] = np.arange(pairs)
    shut = classes.high[:pairs] == 0

    member_of = sort_stably(problem.subscription_of)
    begin = list_starts(np.bincount(problem.subscription_of, minlength=problem.subscriptions))
    some = np.flatnonzero(~shut)
    number = int(np.diff(begin)[classes.head[some] - problem.topics].sum())
    if number > MANY:
        raise TooLargeError(
            f"{TOPIC_SPREAD}: {number:,} pairs of a topic and a member that reads it are too many to ask of owners or racks"
        )
    entry, at = expand_runs(begin, classes.head[some] - problem.topics)
    pair, member = some[entry], member_of[at]
    topic = classes.tail[pair]

    item_class, entry = expand_runs(problem.claim_start, claim)
    owner = problem.claim_member[entry]
    owns = pair_of[topic_of[item_class], problem.subscription_of[owner]]
    reads = owns >= 0
    item_class, entry, owner, owns = (each[reads] for each in (item_class, entry, owner, owns))
    key = topic_of[item_class] * members + owner
    closed = np.unique(key[shut[owns]])
    item_class, entry, owner, key = (each[~shut[owns]] for each in (item_class, entry, owner, key))
    owned, place_of = renumber(key, problem.topics * members)
    plain = np.ones(len(topic), np.bool_)
    plain[np.isin(topic * members + member, owned)] = False
    pools, pool = renumber(topic * racks + problem.rack_of[member], problem.topics * racks)
    pools_of = list_starts(np.bincount(pools // racks, minlength=problem.topics))
    to_class, to_pool = expand_runs(pools_of, topic_of)

    first = list_starts(np.array([len(topic_of), len(pools), len(owned), members]))
    own_topic, own_member = owned // members, owned % members
    own_pair = pair_of[own_topic, problem.subscription_of[own_member]]
    own_pool = np.searchsorted(pools, own_topic * racks + problem.rack_of[own_member])
    every = np.arange(members)
    sink = pairs + problem.subscription_of
    columns = [
        (to_class, first[1] + to_pool, None),
        (item_class, first[2] + place_of, None),
        (first[1] + own_pool, first[2] + np.arange(len(owned)), None),
        (first[1] + pool[plain], first[3] + member[plain], pair[plain]),
        (first[2] + np.arange(len(owned)), first[3] + own_member, own_pair),
        (first[3] + every, np.full(members, first[4]), sink),
    ]
    layers = list_starts(np.array([len(tail) for tail, _, _ in columns]))
    bounds = [
        (np.zeros_like(tail), np.full_like(tail, problem.items + 1))
        if of is None
        else (classes.low[of], classes.high[of])
        for tail, _, of in columns
    ]
    costs = {}
    for level in problem.levels:
        unit = {level.name: 1}
        table, loss = problem.table(unit), problem.losses(unit)[claim]
        row = np.zeros(layers[-1], np.int64)
        row[: layers[1]] = table[profile[to_class], pools[to_pool] % racks] + loss[to_class]
        row[layers[1] : layers[2]] = (
            table[profile[item_class], problem.rack_of[owner]] + loss[item_class] - problem.gains(unit)[entry]
        )
        costs[level.name] = row
    count, weights = np.bincount(class_of, minlength=len(topic_of)), problem.weights[problem.subscription_of]
    # With an even spread a place would have this many items of its topic.
    share = np.bincount(problem.topic_numbers, minlength=problem.topics)
    share //= np.maximum(np.bincount(topic, minlength=problem.topics), 1)
    network = Bounded(
        np.concatenate([tail for tail, _, _ in columns]), np.concatenate([head for _, head, _ in columns]),
        np.ones(layers[-1], np.int64),
        np.concatenate([low for low, _ in bounds]), np.concatenate([high for _, high in bounds]),
        np.concatenate([count, np.zeros(first[4] - first[1], np.int64), [-problem.items]]),
        tuple(layers[:-1].tolist()), costs,
        {
            TOPIC_SPREAD: (np.arange(layers[3], layers[5]), weights[np.concatenate([member[plain], own_member])]),
            BALANCE: (np.arange(layers[5], layers[6]), weights),
        },
        {TOPIC_SPREAD: share[np.concatenate([topic[plain], own_topic])]},
    )  # fmt: skip
    return Places(network, class_of, pools, owned, closed, first)


def follow_places(places: Places, flow: Ints) -> Ints:
    """Return the owner of each item (items x 1): every item follows the flow."""
    network, first = places.network, places.first
    at = places.class_of.copy()
    layers = (*network.layers, len(flow))
    for sort, (a, b) in enumerate(((0, 2), (2, 4), (4, 5))):
        arcs = slice(layers[a], layers[b])
        walking = np.flatnonzero((at >= first[sort]) & (at < first[sort + 1]))
        at[walking] = follow_arcs(at[walking], network.tail[arcs], network.head[arcs], flow[arcs])
    owners: Ints = at - first[3]
    return owners.reshape(-1, 1)


def join_prices(problem: Problem, places: Places, first_rows: Ints, rows: Ints, dearest: int) -> Prices:
    """Return the prices of levels solved on subscriptions, and of levels solved on members after them.

    An item costs `dearest` at most in the latter. Unused nodes get a prohibitive price in these: a pool without an
    incoming arc, and a shut place of an owner.
    """
    before = _expand_class_prices(problem, first_rows)
    assert before.topics is not None
    first = places.first
    dear = 2 * np.array([[dearest]]) + np.abs(rows).max(axis=1, initial=0)[:, None]
    topics = np.repeat(dear, problem.topics * problem.racks, axis=1)
    topics[:, places.pools] = rows[:, first[1] : first[2]]
    every = np.concatenate([places.owned, places.shut])
    topic, member = every // problem.members, every % problem.members
    rack = problem.rack_of[member]
    topics = topics.reshape(len(rows), problem.topics, problem.racks)
    after = topics[:, topic, rack] + dearest
    after[:, : len(places.owned)] = rows[:, first[2] : first[3]]
    return Prices(
        np.vstack([before.rows, rows[:, first[3] : first[4]]]),
        np.concatenate([before.topics, topics]),
        (topic, member),
        np.vstack([before.topics[:, topic, rack], after]),
    )
