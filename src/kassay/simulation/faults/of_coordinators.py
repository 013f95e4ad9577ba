"""What can strike the coordinator and its log."""

from kassay.reference.group.coordinator import LOADING
from kassay.simulation.schedule import Fault
from kassay.simulation.steps import follow, give_up
from kassay.simulation.world import LOAD_MS, World

IDS = 1_000
"""How many members a broker may name until it would use the ids of the next."""


def failover(world: World, fault: Fault) -> None:
    """The coordinator is moved to another broker in good order, which takes `span`."""
    node = world.active
    if node is not None:
        _retire(world, node)
        _elect(world, fault.span)


def coordinator_crash(world: World, fault: Fault) -> None:
    """The coordinator's broker dies; after `span` another one takes over."""
    node = world.active
    if node is not None:
        del world.nodes[node]
        for (at, _), (asking, _) in world.asked.items():
            if at == node:
                slot, life, token, _ = asking.token
                world.after(1 + slot, give_up, slot, life, token)
        world.asked = {key: asked for key, asked in world.asked.items() if key[0] != node}
        _elect(world, fault.span)


def zombie(world: World, fault: Fault) -> None:
    """Another broker takes over while the old coordinator answers on for `span`, as it has not heard of it."""
    node = world.active
    if node is not None:
        world.after(fault.span, _retire, node)
        _elect(world, 0)


def _retire(world: World, node: int) -> None:
    """A broker learns that it is the coordinator no more."""
    if node in world.nodes:
        follow(world, node, world.table.unload(world.nodes[node]))


def _elect(world: World, after_ms: int) -> None:
    world.active = None
    world.after(after_ms, take_over)


def take_over(world: World) -> None:
    """A broker becomes the coordinator, and begins to load the group."""
    world.brokers += 1
    world.active = world.epoch = node = world.brokers
    world.nodes[node] = LOADING
    world.note("takes over", node)
    world.after(LOAD_MS, _loaded, node)


def _loaded(world: World, node: int) -> None:
    """A broker has read the log, if it is still alive and the coordinator."""
    if world.nodes.get(node) is LOADING:
        follow(world, node, world.table.load(world.log, node * IDS))


def refused_write(world: World, fault: Fault) -> None:
    """The log refuses the coordinator's next batch, and `much` more."""
    world.refuses += fault.much + 1


def slow_log(world: World, fault: Fault) -> None:
    """For `span`, the log takes `much` milliseconds longer."""
    world.slow_log = fault.much
    world.after(fault.span, _fast_log)


def _fast_log(world: World) -> None:
    world.slow_log = 0
