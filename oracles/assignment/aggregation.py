"""The aggregated network: every assignment as a flow through a small network, for any number of items.

Items of one audience, profile and claim are interchangeable, so they are one *item class*. Members of one
subscription and rack are one *client class*. Three layers of arcs carry any item anywhere: item class ->
audience-rack node (at the cost of the class in that rack) -> client class -> member. A fourth layer has the savings
of staying: item class -> owner, for as many items as the owner claims of the class. An item with several owners, or
whose claim weighs more than one, shares a class only with items that have the same claim.

An assignment is a flow of the same cost. Conversely, in any flow let as many claimed items stay as their arc carries.
The other items are interchangeable: let them follow the remaining flow. The assignment costs as much, or less if an
item happens to reach its owner on that way.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kassay.oracles.assignment.problem import Ints, Problem, list_starts


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A network; node n sends out `supply[n]` more than it takes in, and an arc carries 0 to `capacity` units.

    Nodes are item classes, audience-rack nodes, client classes, members and slack nodes, in this order; `first` has
    the start of each sort. Arcs are keep arcs, then those from each sort of node to the next; `arcs` has the start of
    each sort. `costs` has a row per level. `class_of` is each item's class. `keeper_of` is the keep arc of each item
    with a simple claim, or -1; only items with the same owner and class may use it.
    """

    tail: Ints
    head: Ints
    capacity: Ints
    costs: Ints
    supply: Ints
    first: tuple[int, ...]
    arcs: tuple[int, ...]
    class_of: Ints
    keeper_of: Ints


def build_network(problem: Problem, levels: tuple[str, ...], open_: NDArray[np.bool_]) -> Network:
    """Return the network of a problem with one copy of each item, without slack nodes; members may take in any number.

    `levels` are the levels of costs, without balance. `open_` is True for each entry of `audience_subscription` where
    items may go.
    """
    # A claim is simple if it has one owner, whose saving is one in each level with gains.
    number = np.diff(problem.claim_start)
    simple = number == 1
    for each in problem.levels:
        if each.gain is not None:
            simple[simple] = each.gain[problem.claim_start[:-1][simple]] == 1
    # Classes do not tell simple claims apart: keep arcs do.
    rows = np.where(simple | (number == 0), 0, np.arange(len(number)))
    (audience, profile, claim), class_of = find_item_kinds(
        problem, problem.audience_of, problem.audiences, rows[problem.claim_of]
    )
    racks = problem.racks
    client_classes, client_class_of = np.unique(
        problem.subscription_of * racks + problem.rack_of, return_inverse=True
    )
    reader_of = np.repeat(np.arange(problem.audiences), np.diff(problem.audience_start))[open_]
    client_classes_of = list_starts(np.bincount(client_classes // racks, minlength=problem.subscriptions))
    entry, client_class = expand_runs(client_classes_of, problem.audience_subscription[open_])
    nodes, node = np.unique(
        reader_of[entry] * racks + client_classes[client_class] % racks, return_inverse=True
    )
    nodes_of = list_starts(np.bincount(nodes // racks, minlength=problem.audiences))
    item_class, to_node = expand_runs(nodes_of, audience)
    allowed = np.zeros((problem.audiences, problem.subscriptions), np.bool_)
    allowed[reader_of, problem.audience_subscription[open_]] = True
    owner_class, owner, count, entry, keeper_of = _build_keep_arcs(
        problem, (audience, claim), class_of, simple, allowed
    )

    members = np.arange(problem.members)
    first = list_starts(np.array([len(audience), len(nodes), len(client_classes), problem.members]))
    tails = owner_class, item_class, first[1] + node, first[2] + client_class_of
    heads = first[3] + owner, first[1] + to_node, first[2] + client_class, first[3] + members
    arcs = list_starts(np.array([len(each) for each in tails]))
    costs = np.zeros((len(levels), arcs[4]), np.int64)
    for row, level in zip(costs, levels, strict=True):
        if problem.level(level).table is not None:
            table = problem.table({level: 1})
            row[: arcs[1]] = table[profile[owner_class], problem.rack_of[owner]]
            row[arcs[1] : arcs[2]] = table[profile[item_class], nodes[to_node] % racks]
        if problem.level(level).gain is not None:
            alone = np.ones(arcs[1] - len(entry), np.int64)
            row[: arcs[1]] -= np.concatenate([alone, problem.gains({level: 1})[entry]])
    return Network(
        np.concatenate(tails), np.concatenate(heads),
        np.concatenate([count, np.full(arcs[4] - arcs[1], problem.items + 1)]),
        costs,
        np.concatenate([np.bincount(class_of, minlength=len(audience)), np.zeros(first[4] - first[1], np.int64)]),
        tuple(first.tolist()), tuple(arcs.tolist()), class_of, keeper_of,
    )  # fmt: skip


def find_item_kinds(
    problem: Problem, part_of: Ints, parts: int, claim_of: Ints | None = None
) -> tuple[tuple[Ints, ...], Ints]:
    """Return the part (0 to `parts` - 1), profile and claim of each kind of items, and the kind of each item."""
    shape = parts, problem.tables[0], len(problem.claim_start) - 1
    claims = problem.claim_of if claim_of is None else claim_of
    found, kind_of = renumber(
        np.ravel_multi_index((part_of, problem.profile_of, claims), shape), math.prod(shape)
    )
    return np.unravel_index(found, shape), kind_of


def _build_keep_arcs(
    problem: Problem,
    classes: tuple[Ints, Ints],
    class_of: Ints,
    simple: NDArray[np.bool_],
    allowed: NDArray[np.bool_],
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return the keep arcs' item classes, owners and capacities, the entries of the claims that are not simple, and each item's own arc."""
    audience, claim = classes
    items = np.flatnonzero(simple[problem.claim_of])
    owner = problem.claim_member[problem.claim_start[problem.claim_of[items]]]
    may = allowed[problem.audience_of[items], problem.subscription_of[owner]]
    items, owner = items[may], owner[may]
    pairs, pair_of = renumber(class_of[items] * problem.members + owner, len(audience) * problem.members)
    keeper_of = np.full(problem.items, -1)
    keeper_of[items] = pair_of
    item_class, entry = expand_runs(problem.claim_start, claim)
    several = problem.claim_member[entry]
    may = allowed[audience[item_class], problem.subscription_of[several]]
    item_class, entry, several = item_class[may], entry[may], several[may]
    alike = np.bincount(class_of, minlength=len(audience))
    return (
        np.concatenate([pairs // problem.members, item_class]),
        np.concatenate([pairs % problem.members, several]),
        np.concatenate([np.bincount(pair_of, minlength=len(pairs)), alike[item_class]]),
        entry,
        keeper_of,
    )


def expand_runs(start: Ints, which: Ints) -> tuple[Ints, Ints]:
    """Concatenate the runs with these numbers; return for each entry the place of its run in `which`, and the entry."""
    length = start[which + 1] - start[which]
    origin = np.repeat(np.arange(len(which)), length)
    return origin, np.arange(len(origin)) - np.repeat(np.cumsum(length) - length, length) + start[which][
        origin
    ]


def renumber(key: Ints, span: int) -> tuple[Ints, Ints]:
    """Return the different keys, ascending, and each key's place among them; keys are 0 to span - 1."""
    if span > 4 * len(key) + 2**20:
        found, place = np.unique(key, return_inverse=True)
        return found, place
    present = np.zeros(span, np.bool_)
    present[key] = True
    found = np.flatnonzero(present)
    place = np.empty(span, np.int64)
    place[found] = np.arange(len(found))
    return found, place[key]
