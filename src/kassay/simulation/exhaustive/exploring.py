"""Explore a small group: whatever is under way may be next, at any time, and the coordinator may fail as often as is allowed.

Times do not count here: each message may arrive, each timer run out and each batch be committed before any other. States that are alike are visited
once; with symmetry also those that are alike but for the numbers of the members, which are all set up alike.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kassay.simulation.exhaustive.keys import Keys
from kassay.simulation.faults.of_coordinators import coordinator_crash, take_over
from kassay.simulation.schedule import Fault, Setting
from kassay.simulation.steps import commit, give_up, hear, ring_coordinator, ring_member, start
from kassay.simulation.transitions import Table
from kassay.simulation.uses import USES
from kassay.simulation.world import Machines, World

MOST_MEMBERS = 3
"""Members of a group that the command line explores; all their orders are looked at for each state."""
FAIL = Fault(0, "coordinator-crash")


class Explored(Struct, frozen=True):
    """What exploring came to: states first seen at each number of steps, steps taken, and the invariants that broke, each with a sentence and the number of steps.

    `whole` says whether all states of that many steps were visited.
    """

    states: tuple[int, ...]
    steps: int
    breaches: tuple[tuple[str, str, int], ...]
    whole: bool
    stopped: str = ""
    """Why not all were visited."""
    interrupted: bool = False


def explore(
    setting: Setting,
    machines: Machines,
    *,
    depth: int,
    failovers: int = 1,
    symmetry: bool = True,
    most: int = 200_000,
) -> Explored:
    """Visit all states that are at most `depth` steps away from brokers without members; stops beyond `most` states."""
    alike = replace(machines, new_member=lambda one, _slot, *of: machines.new_member(one, 0, *of))
    orders = list(permutations(range(setting.members))) if symmetry else [tuple(range(setting.members))]
    keys = Keys(orders)
    level = [(_first(setting, alike), failovers)]
    seen = {keys.of(*level[0])}
    counts, steps, breaches = [1], 0, dict[str, tuple[str, int]]()
    reached: list[tuple[World, int]] = []
    stopped, interrupted = "", False
    try:
        for distance in range(1, depth + 1):
            reached = []
            for world, left in level:
                for after, rest in _following(world, left):
                    steps += 1
                    for name, sentence in after.breaches:
                        breaches.setdefault(name, (sentence, distance))
                    after.breaches = []
                    key = keys.of(after, rest)
                    if key not in seen:
                        seen.add(key)
                        reached.append((after, rest))
                if len(seen) > most:
                    stopped = f"there are more than {most:,}"
                    break
            counts.append(len(reached))
            level = reached
            if stopped:
                break
    except KeyboardInterrupt:
        counts.append(len(reached))
        stopped, interrupted = "it was interrupted", True
    said = tuple((name, *of) for name, of in breaches.items())
    return Explored(tuple(counts), steps, said, not stopped, stopped, interrupted)


def _first(setting: Setting, machines: Machines) -> World:
    world = World(setting, Table(setting, machines, quick=False), USES[setting.use].cluster(setting))
    take_over(world)
    for slot in range(setting.members):
        world.after(0, start, slot)
    return world


def _following(world: World, failovers: int) -> Iterator[tuple[World, int]]:
    """Yield what the world may be next: after each thing that is under way, and after a failure of the coordinator."""
    for place, (_, _, act, args) in enumerate(world.queue):
        after = world.copy()
        del after.queue[place]
        act(after, *args)
        _forget_stale(after)
        yield after, failovers
    if failovers and world.active in world.nodes:
        after = world.copy()
        coordinator_crash(after, FAIL)
        _forget_stale(after)
        yield after, failovers - 1


def _forget_stale(world: World) -> None:
    """Drop what would change nothing any more: timers set anew or cancelled, answers that nobody waits for.

    Also the timer by which a coordinator forgets groups without members, after minutes: then generations begin anew, which is meant.
    """
    world.queue = [entry for entry in world.queue if _counts(world, entry[2], entry[3])]


def _counts(world: World, act: object, args: tuple[Any, ...]) -> bool:
    if act is ring_member:
        return bool(world.timers.get((args[0], args[1])) == args[2])
    if act is ring_coordinator:
        node, key, number = args
        return bool(key[1] != "cleanup" and node in world.nodes and world.timers.get(key) == number)
    if act is give_up:
        slot, life, token = args
        return bool(world.waiting.get((slot, token)) == life)
    if act is hear:
        slot, life, token, _ = args[0].token
        return bool(world.waiting.get((slot, token)) == life)
    return act is not commit or bool(args[0] == world.epoch or args[0] in world.nodes)
