"""Faults of members and their messages, of the coordinator and its log: each is a function that begins it, and it ends by itself."""

from collections.abc import Callable
from functools import cache
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.schedule import Fault
from kassay.protocol.simulation.steps import follow, give_up, note_twins, start, stop, tell_member
from kassay.protocol.simulation.world import LOAD_MS, Link, World
from kassay.reference.group.coordinator import LOADING
from kassay.reference.group.member.state import (
    Asking,
    Closed,
    ClusterChanged,
    Commit,
    Resumed,
    Stalled,
    SubscriptionChanged,
    Use,
)
from kassay.reference.group.messages import UNREADABLE, Alarm, Protocol

Begin: TypeAlias = Callable[[World, Fault], None]
LEAVE_MS = 100
"""How long a process lives on after it was closed, so that its LeaveGroup goes out."""
LAST_VERSION = 2
METADATA_MS = 40
"""How much later than the member before it a member learns of changed topics."""


def crash(world: World, fault: Fault) -> None:
    """A member's process dies; after `span` another one starts."""
    if world.members[fault.who] is not None:
        stop(world, fault.who)
        world.after(fault.span, start, fault.who)


def leave(world: World, fault: Fault) -> None:
    """A member is closed; after `span` another process starts in its place."""
    if world.members[fault.who] is not None:
        tell_member(world, fault.who, Closed())
        world.after(LEAVE_MS, _end_process, fault.who, world.lives[fault.who], fault.span)


def _end_process(world: World, slot: int, life: int, span: int) -> None:
    if world.lives[slot] == life and world.members[slot] is not None:
        stop(world, slot)
        world.after(span, start, slot)


def death(world: World, fault: Fault) -> None:
    """A member's process dies, and no other starts in its place, unless it is the last."""
    if _may_go(world, fault.who):
        stop(world, fault.who)


def departure(world: World, fault: Fault) -> None:
    """A member is closed, and no other starts in its place, unless it is the last."""
    if _may_go(world, fault.who):
        tell_member(world, fault.who, Closed())
        world.after(LEAVE_MS, _end_process, fault.who, world.lives[fault.who], 0)


def _may_go(world: World, slot: int) -> bool:
    """Let a member go for good if it runs and another one stays, and return True then."""
    if world.members[slot] is None or len(world.gone) + 1 >= world.setting.members:
        return False
    world.gone |= {slot}
    return True


def upgrade(world: World, fault: Fault) -> None:
    """A member is closed and after `span` started with the next version: first with both strategies, then, once all have both, with the new one alone."""
    version = world.programs[fault.who] + 1
    if version == 1 or (version == LAST_VERSION and min(world.programs) > 0):
        redeploy(world, replace(fault, much=version))


def redeploy(world: World, fault: Fault) -> None:
    """A member is closed and after `span` started with the program of number `much`, if there is one."""
    if fault.much < len(world.table.use.programs):
        world.programs[fault.who] = fault.much
        leave(world, fault)


def unreadable(world: World, fault: Fault) -> None:
    """For `span` another process runs in a member's place whose metadata nobody can read."""
    slot = fault.who
    if world.members[slot] is not None and slot not in world.gone:
        stop(world, slot)
        start(world, slot)
        member = world.members[slot]
        world.members[slot] = replace(member, use=_make_unreadable(member.use))
        world.after(fault.span, _end_process, slot, world.lives[slot], 0)


def twin(world: World, fault: Fault) -> None:
    """A static member is started anew with the instance id of the member after it, which runs on; after `span` it is started as itself again."""
    slot, other = fault.who, world.members[(fault.who + 1) % world.setting.members]
    own = world.members[slot]
    if (
        own is None
        or other is None
        or slot in world.gone
        or own.config.instance_id in {None, other.config.instance_id}
    ):
        return
    stop(world, slot)
    start(world, slot)
    member = world.members[slot]
    world.members[slot] = replace(member, config=other.config)
    note_twins(world, slot)
    world.after(fault.span, _end_process, slot, world.lives[slot], 0)


@cache
def _make_unreadable(use: Use) -> Use:
    def protocols(asking: Asking) -> tuple[Protocol, ...]:
        return tuple(replace(one, metadata=UNREADABLE) for one in use.protocols(asking))

    return replace(use, protocols=protocols)


def pause(world: World, fault: Fault) -> None:
    """A member's process stands still for `span`, as in a long garbage collection, and then finds all that came.

    By its clock it sees which leases are over before it looks at its messages.
    """
    if world.members[fault.who] is not None and world.asleep[fault.who] is None:
        world.asleep[fault.who] = []
        world.after(fault.span, _wake_up, fault.who, world.lives[fault.who])


def _wake_up(world: World, slot: int, life: int) -> None:
    found = world.asleep[slot]
    if world.lives[slot] == life and found is not None:
        world.asleep[slot] = None
        # The ends of leases come first; their timers are named by heartbeats.
        for event in sorted(found, key=lambda one: type(one) is not Alarm or type(one.key) is not tuple):
            tell_member(world, slot, event)


def stall(world: World, fault: Fault) -> None:
    """A member's application does not poll for `span`; its heartbeats go on."""
    if world.members[fault.who] is not None:
        tell_member(world, fault.who, Stalled())
        world.after(fault.span, _resume, fault.who, world.lives[fault.who])


def _resume(world: World, slot: int, life: int) -> None:
    if world.lives[slot] == life and world.members[slot] is not None:
        tell_member(world, slot, Resumed())


def commit(world: World, fault: Fault) -> None:
    """A member's application commits all that it owns."""
    member = world.members[fault.who]
    if member is not None and member.owned:
        tell_member(world, fault.who, Commit(member.owned))


def subscribe(world: World, fault: Fault) -> None:
    """A member subscribes to other topics: to the one of number `much` alone, or again to all."""
    if world.members[fault.who] is not None:
        tell_member(
            world,
            fault.who,
            SubscriptionChanged(world.table.use.subscription(world.setting, fault.who, fault.much)),
        )


def grow(world: World, fault: Fault) -> None:
    """A topic gets one more partition: the one of number `much`; members learn of it one after the other."""
    _change_cluster(world, world.table.change_cluster("grown", world.cluster, fault.much))


def create(world: World, fault: Fault) -> None:
    """A topic is created, of `much` partitions, of one at least; members learn of it one after the other."""
    _change_cluster(world, world.table.change_cluster("created", world.cluster, fault.much))


def racks(world: World, fault: Fault) -> None:
    """The replicas of a topic move to other racks: those of the topic of number `much`."""
    _change_cluster(world, world.table.change_cluster("moved", world.cluster, fault.much))


def _change_cluster(world: World, cluster: object) -> None:
    world.cluster = cluster
    for slot in range(world.setting.members):
        world.after(METADATA_MS * (slot + 1), _learn, slot)


def _learn(world: World, slot: int) -> None:
    if world.members[slot] is not None:
        tell_member(world, slot, ClusterChanged(world.cluster))


def cut(world: World, fault: Fault) -> None:
    """No message passes between a member and the brokers for `span`."""
    _link(world, fault.who).cut = fault.at + fault.span


def loss(world: World, fault: Fault) -> None:
    """The next message of a member or to it is lost, and `much` more."""
    _link(world, fault.who).lost += fault.much + 1


def delay(world: World, fault: Fault) -> None:
    """For `span`, messages of a member and to it take `much` milliseconds longer."""
    link = _link(world, fault.who)
    link.slow, link.slow_ms = fault.at + fault.span, fault.much


def reorder(world: World, fault: Fault) -> None:
    """The next message of a member or to it takes `span` longer, so that later ones overtake it."""
    _link(world, fault.who).late = fault.span


def duplicate(world: World, fault: Fault) -> None:
    """The next message of a member or to it arrives twice, the second time after `span`."""
    _link(world, fault.who).twice = fault.span + 1


def _link(world: World, slot: int) -> Link:
    return world.links.setdefault(slot, Link())


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
    world.after(fault.span, _end_slow_log)


def _end_slow_log(world: World) -> None:
    world.slow_log = 0


class Kind(Struct, frozen=True):
    """A kind of fault: how it begins, what it strikes, and its description, which names `who` if it strikes one member.

    Faults of the coordinator and its log cannot be brought about from outside.
    """

    begin: Begin
    strikes: Literal["member", "topic", "coordinator"]
    words: str
    lingers: bool = False
    """True if it strikes the next message, which may be sent a heartbeat later."""
    drawn: bool = True
    """True if it is drawn; others need a schedule that was made for them."""


FAULTS: dict[str, Kind] = {
    "crash": Kind(crash, "member", "member {who} crashes, and starts again after {span} ms"),
    "leave": Kind(leave, "member", "member {who} is closed, and another started after {span} ms"),
    "death": Kind(death, "member", "member {who} dies for good"),
    "departure": Kind(departure, "member", "member {who} is closed for good"),
    "upgrade": Kind(upgrade, "member", "member {who} is closed, and its next version started after {span} ms"),
    "unreadable": Kind(unreadable, "member", "member {who} is replaced by one whose metadata cannot be read, for {span} ms"),
    "twin": Kind(twin, "member", "member {who} is started with the instance id of the member after it, for {span} ms"),
    "pause": Kind(pause, "member", "member {who} stands still for {span} ms"),
    "stall": Kind(stall, "member", "member {who} does not poll for {span} ms"),
    "commit": Kind(commit, "member", "member {who} commits"),
    "subscribe": Kind(subscribe, "member", "member {who} subscribes to other topics (number {much})"),
    "grow": Kind(grow, "topic", "topic {much} gets one more partition"),
    "racks": Kind(racks, "topic", "topic {much} moves to other racks"),
    "create": Kind(create, "topic", "a topic is created, of partitions: {much}", drawn=False),
    "redeploy": Kind(redeploy, "member", "member {who} is closed, and program {much} started in its place after {span} ms", drawn=False),
    "cut": Kind(cut, "member", "member {who} is cut off for {span} ms"),
    "loss": Kind(loss, "member", "the next messages of member {who} are lost, one and {much} more"),
    "delay": Kind(delay, "member", "messages of member {who} take {much} ms longer, for {span} ms"),
    "reorder": Kind(reorder, "member", "the next message of member {who} is {span} ms late", lingers=True),
    "duplicate": Kind(duplicate, "member", "the next message of member {who} comes again after {span} ms", lingers=True),
    "failover": Kind(failover, "coordinator", "the coordinator moves, in {span} ms"),
    "coordinator-crash": Kind(coordinator_crash, "coordinator", "the coordinator crashes, and another broker takes over after {span} ms"),
    "zombie": Kind(zombie, "coordinator", "another coordinator takes over, and the old one goes on for {span} ms"),
    "refused-write": Kind(refused_write, "coordinator", "the log refuses the next batches, one and {much} more"),
    "slow-log": Kind(slow_log, "coordinator", "the log takes {much} ms longer, for {span} ms"),
}  # fmt: skip
"""The faults by the names that schedules and the command line use."""
