"""Faults of members and their messages, of the coordinator and its log: each function begins one, and it ends by itself."""

from collections.abc import Callable
from functools import cache
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kassay.protocol.simulation.schedule import Fault
from kassay.protocol.simulation.steps import LEAVE_MS, follow, give_up, note_twins, start, stop, tell_member
from kassay.protocol.simulation.world import HEARTBEAT_MS, LOAD_MS, Link, World
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
LAST_VERSION = 2
METADATA_MS = 40
"""The time between the metadata refreshes of two members after a change of topics."""


def crash(world: World, fault: Fault) -> None:
    """A member's process crashes, and another one starts after `span`."""
    if world.members[fault.who] is not None:
        stop(world, fault.who)
        world.schedule(fault.span, start, fault.who)


def leave(world: World, fault: Fault) -> None:
    """A member is closed, and another process starts in its place after `span`."""
    if world.members[fault.who] is not None:
        tell_member(world, fault.who, Closed())
        world.schedule(LEAVE_MS, _end_process, fault.who, world.lives[fault.who], fault.span)


def _end_process(world: World, slot: int, life: int, span: int) -> None:
    if world.lives[slot] == life and world.members[slot] is not None:
        stop(world, slot)
        world.schedule(span, start, slot)


def death(world: World, fault: Fault) -> None:
    """A member's process crashes for good, unless it is the last one."""
    if _remove(world, fault.who):
        stop(world, fault.who)


def departure(world: World, fault: Fault) -> None:
    """A member is closed for good, unless it is the last one."""
    if _remove(world, fault.who):
        tell_member(world, fault.who, Closed())
        world.schedule(LEAVE_MS, _end_process, fault.who, world.lives[fault.who], 0)


def _remove(world: World, slot: int) -> bool:
    """Mark a member as removed for good if it runs and another one stays; return True if so."""
    if world.members[slot] is None or len(world.gone) + 1 >= world.setting.members:
        return False
    world.gone |= {slot}
    return True


def upgrade(world: World, fault: Fault) -> None:
    """A member is closed and starts with the next version after `span`.

    The first new version has both strategies. The second has only the new one, and starts only if all members have both.
    """
    version = world.programs[fault.who] + 1
    if version == 1 or (version == LAST_VERSION and min(world.programs) > 0):
        redeploy(world, replace(fault, much=version))


def redeploy(world: World, fault: Fault) -> None:
    """A member is closed and starts with the program of number `much` after `span`, if there is such a program."""
    if fault.much < len(world.table.use.programs):
        world.programs[fault.who] = fault.much
        leave(world, fault)


def unreadable(world: World, fault: Fault) -> None:
    """For `span` a process with unreadable metadata runs in a member's place."""
    slot = fault.who
    if world.members[slot] is not None and slot not in world.gone:
        stop(world, slot)
        start(world, slot)
        member = world.members[slot]
        world.members[slot] = replace(member, use=_make_unreadable(member.use))
        world.schedule(fault.span, _end_process, slot, world.lives[slot], 0)


def twin(world: World, fault: Fault) -> None:
    """A static member restarts with the instance id of the next member, which still runs; after `span` it restarts with its own."""
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
    world.schedule(fault.span, _end_process, slot, world.lives[slot], 0)


@cache
def _make_unreadable(use: Use) -> Use:
    def protocols(asking: Asking) -> tuple[Protocol, ...]:
        return tuple(replace(one, metadata=UNREADABLE) for one in use.protocols(asking))

    return replace(use, protocols=protocols)


def pause(world: World, fault: Fault) -> None:
    """A member's process is paused for `span`, as by a long garbage collection, and then processes all events.

    Its clock ends leases before it reads its messages.
    """
    if world.members[fault.who] is not None and world.asleep[fault.who] is None:
        world.asleep[fault.who] = []
        world.schedule(fault.span, _wake_up, fault.who, world.lives[fault.who])


def _wake_up(world: World, slot: int, life: int) -> None:
    found = world.asleep[slot]
    if world.lives[slot] == life and found is not None:
        world.asleep[slot] = None
        # The ends of leases come first; their timers are named by heartbeats.
        for event in sorted(found, key=lambda one: type(one) is not Alarm or type(one.key) is not tuple):
            tell_member(world, slot, event)


def stall(world: World, fault: Fault) -> None:
    """A member's application does not poll for `span`, but its heartbeats go on."""
    if world.members[fault.who] is not None:
        tell_member(world, fault.who, Stalled())
        world.schedule(fault.span, _resume, fault.who, world.lives[fault.who])


def _resume(world: World, slot: int, life: int) -> None:
    if world.lives[slot] == life and world.members[slot] is not None:
        tell_member(world, slot, Resumed())


def commit(world: World, fault: Fault) -> None:
    """A member's application commits all items that it owns."""
    member = world.members[fault.who]
    if member is not None and member.owned:
        tell_member(world, fault.who, Commit(member.owned))


def subscribe(world: World, fault: Fault) -> None:
    """A member subscribes to only the topic of number `much`, or to all topics again."""
    if world.members[fault.who] is not None:
        tell_member(
            world,
            fault.who,
            SubscriptionChanged(world.table.use.subscription(world.setting, fault.who, fault.much)),
        )


def grow(world: World, fault: Fault) -> None:
    """The topic of number `much` gets one more partition; members refresh their metadata one after the other."""
    _change_cluster(world, world.table.change_cluster("grown", world.cluster, fault.much))


def create(world: World, fault: Fault) -> None:
    """A topic with `much` partitions, at least one, is created; members refresh their metadata one after the other."""
    _change_cluster(world, world.table.change_cluster("created", world.cluster, fault.much))


def racks(world: World, fault: Fault) -> None:
    """The replicas of the topic of number `much` move to other racks."""
    _change_cluster(world, world.table.change_cluster("moved", world.cluster, fault.much))


def _change_cluster(world: World, cluster: object) -> None:
    world.cluster = cluster
    for slot in range(world.setting.members):
        world.schedule(METADATA_MS * (slot + 1), _refresh_metadata, slot)


def _refresh_metadata(world: World, slot: int) -> None:
    if world.members[slot] is not None:
        tell_member(world, slot, ClusterChanged(world.cluster))


def cut(world: World, fault: Fault) -> None:
    """No message passes between a member and the brokers for `span`."""
    _find_link(world, fault.who).cut = fault.at + fault.span


def loss(world: World, fault: Fault) -> None:
    """The next message from or to a member is lost, and `much` more."""
    _find_link(world, fault.who).lost += fault.much + 1


def delay(world: World, fault: Fault) -> None:
    """For `span`, messages from and to a member take `much` milliseconds longer."""
    link = _find_link(world, fault.who)
    link.slow, link.slow_ms = fault.at + fault.span, fault.much


def reorder(world: World, fault: Fault) -> None:
    """The next message from or to a member takes `span` longer, so that later ones overtake it."""
    _find_link(world, fault.who).late = fault.span


def duplicate(world: World, fault: Fault) -> None:
    """The next message from or to a member arrives twice, the second time after `span`."""
    _find_link(world, fault.who).twice = fault.span + 1


def _find_link(world: World, slot: int) -> Link:
    return world.links.setdefault(slot, Link())


IDS = 1_000
"""The number of member ids that each broker has for itself."""


def failover(world: World, fault: Fault) -> None:
    """The coordinator moves to another broker by a clean handover, which takes `span`."""
    node = world.active
    if node is not None:
        _retire(world, node)
        _elect(world, fault.span)


def coordinator_crash(world: World, fault: Fault) -> None:
    """The coordinator's broker crashes, and another one takes over after `span`."""
    node = world.active
    if node is not None:
        del world.nodes[node]
        for (at, _), (asking, _) in world.asked.items():
            if at == node:
                slot, life, token, _ = asking.token
                world.schedule(1 + slot, give_up, slot, life, token)
        world.asked = {key: asked for key, asked in world.asked.items() if key[0] != node}
        _elect(world, fault.span)


def zombie(world: World, fault: Fault) -> None:
    """Another broker takes over, but the old coordinator does not know it and goes on for `span`."""
    node = world.active
    if node is not None:
        world.schedule(fault.span, _retire, node)
        _elect(world, 0)


def _retire(world: World, node: int) -> None:
    """Inform a broker that it is no longer the coordinator."""
    if node in world.nodes:
        follow(world, node, world.table.unload(world.nodes[node]))


def _elect(world: World, after_ms: int) -> None:
    world.active = None
    world.schedule(after_ms, take_over)


def take_over(world: World, load_ms: int = LOAD_MS) -> None:
    """Make a new broker the coordinator, which loads the group for this time."""
    world.brokers += 1
    world.active = world.epoch = node = world.brokers
    world.nodes[node] = LOADING
    world.note("takes over", node)
    world.schedule(load_ms, _finish_load, node)


def _finish_load(world: World, node: int) -> None:
    """Give a broker the group from the log, if it still runs and is still the coordinator."""
    if world.nodes.get(node) is LOADING:
        follow(world, node, world.table.load(world.log, node * IDS))


def refused_write(world: World, fault: Fault) -> None:
    """The log refuses the coordinator's next batch, and `much` more."""
    world.refuses += fault.much + 1


def slow_log(world: World, fault: Fault) -> None:
    """For `span`, the log takes `much` milliseconds longer."""
    world.slow_log = fault.much
    world.schedule(fault.span, _end_slow_log)


def _end_slow_log(world: World) -> None:
    world.slow_log = 0


# Faults in the middle of a rebalance


def hang(world: World, fault: Fault) -> None:
    """A member hangs between JoinGroup and SyncGroup until `span` is over, while its heartbeats go on; a leader commits in the meantime."""
    _find_link(world, fault.who).hangs = fault.at + fault.span


def late_commit(world: World, fault: Fault) -> None:
    """A member's application commits all items that it owns, and the request arrives `span` later."""
    link = _find_link(world, fault.who)
    link.late = fault.span
    commit(world, fault)
    link.late = 0


SHORT = {"session_timeout_ms": 6_000, "rebalance_timeout_ms": 9_000, "max_poll_ms": 9_000}
"""The shorter timeouts of a member."""
PATIENT = {"rebalance_timeout_ms": 600_000, "max_poll_ms": 600_000}
"""The timeouts of a member that holds up a rebalance."""
JOINS_MS, DIES_MS, SILENT_MS = 12_000, 14_000, 320_000
"""The times at which a new member joins, dies, and has been silent for more than five minutes."""


def short_timeouts(world: World, fault: Fault) -> None:
    """For `span` a process with shorter timeouts of session and rebalance runs in a member's place."""
    slot = fault.who
    if world.members[slot] is not None and slot not in world.gone:
        _restart_with(world, slot, SHORT)
        world.schedule(fault.span, _end_process, slot, world.lives[slot], 0)


def _restart_with(world: World, slot: int, timeouts: dict[str, int]) -> None:
    stop(world, slot)
    start(world, slot)
    member = world.members[slot]
    world.members[slot] = replace(member, config=replace(member.config, **timeouts))


def late_states(world: World, fault: Fault) -> None:
    """The log commits the next states of a leader only when `span` is over, and member `who` is closed in the meantime."""
    world.late_states = fault.at + fault.span, fault.who


def silent_newcomer(world: World, fault: Fault) -> None:
    """A member joins anew and dies at once, while the next member, which is patient and does not poll for `span`, holds up the rebalance."""
    slot, other = fault.who, (fault.who + 1) % world.setting.members
    runs = all(world.members[one] is not None and one not in world.gone for one in (slot, other))
    if slot == other or not runs or fault.span <= DIES_MS:
        return
    _restart_with(world, other, PATIENT)
    life = world.lives[other]
    world.schedule(JOINS_MS - 1, _stall_patient, other, life)
    world.schedule(JOINS_MS, crash, Fault(0, "crash", slot))
    world.schedule(DIES_MS, crash, Fault(0, "crash", slot, fault.span - DIES_MS))
    world.schedule(fault.span, _end_process, other, life, 0)


def stranger(world: World, fault: Fault) -> None:
    """For `span` a process that supports only another strategy runs in a member's place, and starts anew if it is refused."""
    slot = fault.who
    if world.members[slot] is not None and slot not in world.gone:
        stop(world, slot)
        own, world.programs[slot] = world.programs[slot], LAST_VERSION
        start(world, slot)
        world.programs[slot] = own
        world.schedule(fault.span, _end_process, slot, world.lives[slot], 0)


UPGRADE_MS = 8_000
"""The shortest time in which all members are upgraded."""
COMMITS_MS = (20, 300, 1_500)
"""The times at which a process commits whose instance id another one has taken."""


def contested_commit(world: World, fault: Fault) -> None:
    """A static member restarts with the instance id of the next member, as by `twin`, and the next member commits meanwhile."""
    twin(world, fault)
    for after_ms in COMMITS_MS:
        other = (fault.who + 1) % world.setting.members
        world.schedule(after_ms, commit, Fault(0, "commit", other))


def slow_load(world: World, fault: Fault) -> None:
    """The coordinator moves to another broker, which reads the group from its log for `span`."""
    node = world.active
    if node is not None:
        _retire(world, node)
        world.active = None
        world.schedule(0, take_over, fault.span)


def rolling_upgrade(world: World, fault: Fault) -> None:
    """Within `span` all members are upgraded one after the other to both strategies, and then to only the new one."""
    number = world.setting.members
    between_ms = fault.span // (2 * number)
    for turn in range(2 * number):
        world.schedule(turn * between_ms, upgrade, Fault(0, "upgrade", turn % number))


def _stall_patient(world: World, slot: int, life: int) -> None:
    if world.lives[slot] == life and world.members[slot] is not None:
        tell_member(world, slot, Stalled())


class Kind(Struct, frozen=True):
    """A kind of fault."""

    begin: Begin
    strikes: Literal["member", "topic", "coordinator"]
    """Its target. Faults of the coordinator and its log cannot be caused from outside."""
    words: str
    """Its description, which contains `{who}` if its target is a member."""
    lingers: bool = False
    """True if it concerns the next message, which may be sent a heartbeat later."""
    drawn: bool = True
    """True if it is drawn; other faults need a schedule that was made for them."""
    added: bool = False
    """True if it is drawn in addition to the other faults, which stay the same for a seed."""
    least_ms: int = 0
    """The shortest duration that is drawn."""


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
    "hang": Kind(hang, "member", "member {who} does not send SyncGroup for {span} ms, while its heartbeats go on", added=True),
    "late-commit": Kind(late_commit, "member", "member {who} commits, and the request arrives {span} ms late", added=True, least_ms=HEARTBEAT_MS),
    "short-timeouts": Kind(short_timeouts, "member", "member {who} is replaced by one with shorter timeouts, for {span} ms", added=True),
    "late-states": Kind(late_states, "coordinator", "the log commits the next states {span} ms late, and a member is closed in the meantime", added=True),
    "silent-newcomer": Kind(
        silent_newcomer, "member", "member {who} joins anew and dies, while a patient member holds up the rebalance for {span} ms",
        added=True, least_ms=SILENT_MS,
    ),
    "stranger": Kind(stranger, "member", "member {who} is replaced by one that supports only another strategy, for {span} ms", added=True),
    "contested-commit": Kind(
        contested_commit, "member", "member {who} is started with the instance id of the member after it, which commits, for {span} ms", added=True,
    ),
    "rolling-upgrade": Kind(
        rolling_upgrade, "member", "all members, also member {who}, are upgraded within {span} ms", added=True, least_ms=UPGRADE_MS,
    ),
    "slow-load": Kind(slow_load, "coordinator", "the coordinator moves to a broker that reads the log for {span} ms", added=True),
}  # fmt: skip
"""The faults by the names that schedules and the command line use."""
