"""Laws: what can be true of several runs of an assignor of topic partitions.

>>> from kassay.model import Group, Member, Topic
>>> from kassay.properties.partitions.laws import member_order_independent
>>> group = Group((Topic("t", 1),), (Member("a", ("t",)), Member("b", ("t",))))
>>> def first(group): return {group.members[0].id: list(group.topics[0])}
>>> next(member_order_independent(first, group))
'a is given t-0; with the members in reverse order, no answer'
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kassay.model import Assignment, Group, Member, TopicPartition
from kassay.model.hosts import locate_racks
from kassay.properties.laws import new_names
from kassay.properties.partitions.exchanges import find_exchange
from kassay.properties.partitions.invariants import complete, topic_balanced
from kassay.properties.partitions.measures import cross_rack, moves
from kassay.properties.partitions.owners import (
    complete_and_legal,
    holdings,
    list_partings,
    partition_counts,
    topic_names,
)
from kassay.properties.partitions.owners import rename as with_names
from kassay.properties.partitions.rounds import ROUNDS, Assign, Settled, apply_assignment, settle
from kassay.properties.runs import (
    DIFFERENCES,
    LOADS,
    MOVES,
    READS,
    REST,
    Run,
    TwoRuns,
    Violation,
    extent,
    format_count,
    format_items,
)

TWO = 2
"""The number of rebalances of a cooperative assignment (KIP-429)."""


def member_order_independent(assign: Assign, group: Group) -> Iterator[str]:
    """The assignment does not depend on the order of the members.

    Source: the leader receives the members in the order of a hash map of the coordinator.
    """
    reversed_members = replace(group, members=group.members[::-1])
    yield from _differences(
        group, assign(group), assign(reversed_members), "with the members in reverse order"
    )


def topic_order_independent(assign: Assign, group: Group) -> Iterator[str]:
    """The assignment does not depend on the order of the topics.

    The topics of the metadata and of each subscription are reversed.
    Source: metadata and subscriptions are hash maps and sets; their order means nothing.
    """
    turned = replace(
        group,
        topics=group.topics[::-1],
        members=tuple(replace(member, topics=member.topics[::-1]) for member in group.members),
    )
    yield from _differences(group, assign(group), assign(turned), "with the topics in reverse order")


def claim_order_independent(assign: Assign, group: Group) -> Iterator[str]:
    """The assignment does not depend on the order of owned partitions.

    Source: KAFKA-16277, where the order decided which partitions a member kept; a client lists them in no order.
    """
    turned = tuple(replace(member, owned=member.owned[::-1]) for member in group.members)
    if turned != group.members:
        reported = replace(group, members=turned)
        yield from _differences(group, assign(group), assign(reported), "with their claims in reverse order")


def renaming_independent(assign: Assign, group: Group) -> Iterator[str]:
    """Renaming members, instances and topics without changing their order changes nothing.

    Source: names carry no meaning for an assignor but their order; one that hashes them breaks this.
    """
    renaming = renamed(group)
    theirs = {
        renaming.old_member(member): [
            TopicPartition(renaming.old_topic(partition.topic), partition.partition) for partition in given
        ]
        for member, given in assign(renaming.group).items()
    }
    yield from _differences(group, assign(group), theirs, "under other names of the same order")


def stable(assign: Assign, group: Group) -> Iterator[str]:
    """Its own assignment fed back moves nothing: members keep their partitions.

    A partition without owner may find one. Source: KIP-54; each needless move costs a rebuilt cache and a pause.
    """
    first = assign(group)
    again = apply_assignment(group, first)
    yield from moved_on(group, first, again, assign(again), "fed back")


def moved_on(
    group: Group, first: Assignment, again: Group, following: Assignment, condition: str
) -> Iterator[str]:
    """Yield a sentence for each partition that a member had and does not keep."""
    runs = Run("is given", group, first), Run(condition, again, following)
    counts = partition_counts(group)
    for member in again.members:
        kept = set(following.get(member.id, ()))
        for partition in member.owned:
            if partition not in kept and partition.partition < counts.get(partition.topic, 0):
                takers = [taker for taker, given in following.items() if partition in given]
                where = " and ".join(takers) or "nobody"
                yield TwoRuns(
                    f"{partition} is given to {member.id}; {condition}, it goes to {where}", *runs, of=MOVES
                )


def settling(assign: Assign, group: Group) -> Iterator[str]:
    """Its assignments, fed back, become complete and repeat within a few rebalances.

    Source: KIP-429: partitions that must be revoked first are assigned in a follow-up rebalance, and no further one is needed.
    """
    settled = settle(assign, group)
    following = apply_assignment(settled.group, settled.assignment)
    if settled.rounds is None:
        endless = f"it never converges: every {format_count(settled.period or 0, 'rebalance')} the same answers come again"
        yield TwoRuns(
            endless if settled.period is not None else f"it still changes its mind after {ROUNDS} rebalances",
            Run(f"in rebalance {ROUNDS + 1}", settled.group, settled.assignment),
            Run(f"in rebalance {ROUNDS + 2}", following, assign(following)),
            of=REST,
        )
    for lack in complete(settled.group, settled.assignment):
        (partition,) = extent([lack])
        yield Violation(f"when it has converged, {lack}", partition)


def two_rounds(assign: Assign, group: Group) -> Iterator[str]:
    """Every partition of a subscribed topic has an owner after two rebalances: one to revoke it, one to assign it.

    Source: KIP-429, whose members rejoin once, as soon as they have revoked the partitions of others.
    """
    answers: list[Assignment] = []
    lacks: list[str] = []
    while (lack := next(complete(group, answer := assign(group)), None)) is not None:
        lacks.append(lack)
        if answer in answers:  # the same lists are claimed again, so all that follows is the same
            period = len(answers) - answers.index(answer)
            whole, most = (
                f"it is never complete: every {format_count(period, 'rebalance')} the same answers come again",
                ROUNDS + 1,
            )
            break
        if len(lacks) == ROUNDS:
            whole, most = f"it is complete in none of {ROUNDS} rebalances", ROUNDS + 1
            break
        answers.append(answer)
        group = apply_assignment(group, answer)
    else:
        most = len(lacks) + 1
        whole = f"it is complete only in rebalance {most}"
    if len(lacks) >= TWO:
        yield Violation(f"{whole}; in rebalance {TWO}, {lacks[TWO - 1]}", REST, most)


def instance_isolated(assign: Assign, group: Group) -> Iterator[str]:
    """A call for another group in between does not change the assignment: no state is shared between groups.

    The other group has the same names, a later generation, claims, and one member less if there are several. Source:
    aiokafka #1175, where all consumers of a process share claims; kafka-python #2769.
    """
    alone = assign(group)
    later = apply_assignment(group, alone)
    assign(replace(later, members=later.members[1:] or later.members))
    yield from _differences(group, alone, assign(group), "asked again after another group")


def _differences(group: Group, before: Assignment, now: Assignment, condition: str) -> Iterator[str]:
    runs = Run("as listed", group, before), Run(condition, group, now)
    for member in dict.fromkeys((*before, *now)):
        one, other = before.get(member), now.get(member)
        if one != other and (one is None or other is None or sorted(one) != sorted(other)):
            yield TwoRuns(
                f"{member} is given {_given(one)}; {condition}, {_given(other)}", *runs, of=DIFFERENCES
            )


def _given(given: Sequence[TopicPartition] | None) -> str:
    return format_items(None if given is None else sorted(given))


HEARTBEATS = 3
"""The heartbeats of every member until all must own their assignment: to start to revoke, to finish, to receive."""


def reconciles(assign: Assign, group: Group) -> Iterator[str]:
    """Members reach their assignment: each revokes first, and gets only partitions that no other member owns.

    Members send heartbeats in turn, three times. At each heartbeat a member starts to revoke partitions outside its assignment,
    has revoked earlier ones, and gets free partitions. Source: KIP-848, reconciliation of a member with its target assignment.
    """
    target = {member: set(given) for member, given in assign(group).items()}
    owned = {member.id: set(member.owned) for member in group.members}
    revoking: dict[str, set[TopicPartition]] = {member: set() for member in owned}
    for _ in range(HEARTBEATS):
        for member, own in owned.items():
            own.difference_update(revoking[member])
            wanted = target.get(member, set())
            revoking[member] = own - wanted
            if not revoking[member]:
                taken = set().union(*(others for other, others in owned.items() if other != member))
                own.update(wanted - taken)
    for member, own in owned.items():
        for partition in sorted(target.get(member, set()) - own):
            others = [other for other, theirs in owned.items() if partition in theirs]
            said = f"{member} waits for {partition} endlessly: {' and '.join(others)} may keep it"
            yield Violation(said, partition)


NEWCOMER = "newcomer"


def joined_evenly(assign: Assign, group: Group) -> Iterator[str]:
    """If a second member joins a single member with topics of equal size, each topic is divided evenly.

    Tried with the group's first member alone, without owned partitions, and a member in its rack with the same subscription.
    Source: KAFKA-16277, where the newcomer was given all partitions of some topics and none of others, and had all of their
    traffic.
    """
    for first in group.members[:1]:
        read = {topic.partitions for topic in group.topics if topic.name in first.topics}
        if len(read - {0}) != 1:
            return
        alone = replace(group, members=(replace(first, owned=(), generation=None),))
        settled = settle(assign, alone)
        name = NEWCOMER + "+" * (first.id == NEWCOMER)
        host = None if group.config.rack_from_host is None else first.user_data
        second = Member(name, first.topics, rack=first.rack, user_data=host)
        both = settle(assign, replace(settled.group, members=(*settled.group.members, second)))
        for unevenness in topic_balanced(both.group, both.assignment):
            yield TwoRuns(
                f"when {name} has joined {first.id}, {unevenness}",
                Run("alone", settled.group, settled.assignment),
                Run(f"when {name} has joined", both.group, both.assignment),
                LOADS,
                extent([unevenness]).total(),
            )


def stable_in_any_order(assign: Assign, group: Group) -> Iterator[str]:
    """Its own result fed back moves nothing, also with the members in reverse order.

    Source: a group coordinator keeps members in hash maps, whose order changes with the members. In KAFKA-18688 the remainder
    of the partitions went to the first members in order.
    """
    first = assign(group)
    again = apply_assignment(group, first)
    turned = replace(again, members=again.members[::-1])
    yield from moved_on(group, first, turned, assign(turned), "fed back in reverse order")


@dataclass(frozen=True, slots=True)
class Renaming:
    """A group under other names, and the way back; a name that the group does not have stays as it is."""

    group: Group
    members: Mapping[str, str]
    topics: Mapping[str, str]

    def old_member(self, name: str) -> str:
        """Return the member's id in the original group."""
        return self.members.get(name, name)

    def old_topic(self, name: str) -> str:
        """Return the topic's name in the original group."""
        return self.topics.get(name, name)


def renamed(group: Group) -> Renaming:
    """Return the group with new member ids, instance ids and topic names that sort as the old ones do.

    Members and instances are renamed together, so that an assignor may compare one with the other. Names sort alike in
    UTF-16 units (Java) and in code points (Python): where these two orders differ, all names get a common prefix instead.
    In Java's hash maps the new names are in reverse order, which reveals assignors that iterate over one.
    """
    people = {member.id for member in group.members} | {
        m.instance_id for m in group.members if m.instance_id is not None
    }
    person, topic = new_names(people, "r"), new_names(topic_names(group), "s")
    return Renaming(
        with_names(group, {"m": person, "i": person, "t": topic}),
        members={new: old for old, new in person.items()},
        topics={new: old for old, new in topic.items()},
    )


def rack_aware_no_more_reads(assign: Assign, group: Group) -> Iterator[str]:
    """With racks there are no more cross-rack reads than without, if loads and moves are the same.

    Demanded where both answers are complete and legal. Source: KIP-881, whose aim is fewer of these reads.
    """
    known = locate_racks(group)
    if not any(member.rack for member in known.members) or not any(topic.racks for topic in known.topics):
        return
    plain = replace(
        group,
        topics=tuple(replace(topic, racks=None, hosts=None) for topic in group.topics),
        members=tuple(replace(member, rack=None) for member in group.members),
    )
    answers = rack_wise, without = assign(group), assign(plain)
    loads, moved = (
        [how(answer) for answer in answers]
        for how in (
            lambda answer: sorted(map(len, holdings(group, answer).values())),
            lambda answer: moves(group, answer),
        )
    )
    if loads[0] != loads[1] or moved[0] != moved[1]:
        return
    more, less = (cross_rack(group, answer) for answer in answers)
    if more > less and all(complete_and_legal(group, answer) for answer in answers):
        yield TwoRuns(
            f"{format_count(more, 'partition')} read across racks; without racks, with the same loads and moves, {less}",
            Run("without racks", plain, without),
            Run("with racks", group, rack_wise),
            READS,
            more - less,
        )


def leaver_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """If a member leaves a converged group, only its partitions move, and others only if balance forces them.

    Tried with the member with the most and with the one with the fewest partitions, each leaving alone; the rest converges
    again. A move of another member's partition is forced unless an exchange undoes it. After the exchange the loads are at
    least as balanced, no read becomes a cross-rack read, and more partitions are with their owners. The violation names such an
    exchange as evidence. Without racks every exchange is found if the loads are balanced. Source: KIP-54, whose second aim is
    to keep what can be kept.
    """
    settled = settle(assign, group)
    held = holdings(settled.group, settled.assignment)
    most = max(held, key=lambda member: len(held[member]), default=None)
    least = min(held, key=lambda member: len(held[member]), default=None)
    for leaver in dict.fromkeys((most, least)) if len(held) > 1 else ():
        rest = replace(settled.group, members=tuple(m for m in settled.group.members if m.id != leaver))
        again = settle(assign, rest).assignment
        handed = find_exchange(rest, again)
        if handed:
            back = " and ".join(f"{partition} from {giver} to {taker}" for partition, giver, taker in handed)
            yield TwoRuns(
                f"when {leaver} leaves, moves are not forced: with loads as even, hand back {back}",
                Run("before", settled.group, settled.assignment),
                Run(f"when {leaver} has left", rest, again),
                MOVES,
                sum(parted for _, _, parted in list_partings(rest, again)),
            )


def replaced_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """A member that replaces another one with the same subscription gets its partitions: no other partition moves.

    Tried with the members with the most and the fewest partitions of a converged group; the new one is listed last and owns
    nothing. Source: kafka#23155, rolling restarts of members without an instance id.
    """
    settled = settle(assign, group)
    if settled.rounds is None:
        return
    held = holdings(settled.group, settled.assignment)
    most, least = (pick(held, key=lambda member: len(held[member]), default=None) for pick in (max, min))
    for gone in dict.fromkeys(m for m in settled.group.members if m.id in (most, least)):
        new = _newcomer(settled.group, gone)
        others = tuple(member for member in settled.group.members if member is not gone)
        replaced = replace(settled.group, members=(*others, new))
        answer = assign(replaced)
        takers: dict[TopicPartition, str] = {p: member for member, given in answer.items() for p in given}
        for member in others:
            for partition in held[member.id]:
                if partition not in answer.get(member.id, ()):
                    yield TwoRuns(
                        f"when {new.id} takes the place of {gone.id}, {partition} moves from {member.id} to "
                        f"{takers.get(partition, 'nobody')}",
                        Run("before", settled.group, settled.assignment),
                        Run(f"with {new.id}", replaced, answer),
                        MOVES,
                    )


def joiner_minimal(assign: Assign, group: Group) -> Iterator[str]:
    """If a member joins a converged group, partitions move only if balance forces them.

    The new member has the subscription of the first member, and is listed last. Forced moves are found as for `leaver_minimal`.
    Source: KIP-54, whose second aim is to keep what can be kept.
    """
    settled = settle(assign, group)
    for first in settled.group.members[:1] if settled.rounds is not None else ():
        new = _newcomer(settled.group, first)
        joined = replace(settled.group, members=(*settled.group.members, new))
        again: Settled = settle(assign, joined)
        handed = find_exchange(joined, again.assignment)
        if handed:
            back = " and ".join(f"{partition} from {giver} to {taker}" for partition, giver, taker in handed)
            yield TwoRuns(
                f"when {new.id} joins, moves are not forced: with loads as even, hand back {back}",
                Run("before", settled.group, settled.assignment),
                Run(f"when {new.id} has joined", joined, again.assignment),
                MOVES,
                sum(parted for _, _, parted in list_partings(joined, again.assignment)),
            )


def _newcomer(group: Group, like: Member) -> Member:
    name = NEWCOMER
    while any(member.id == name for member in group.members):
        name += "+"
    return Member(name, like.topics, rack=like.rack)


def static_identity(assign: Assign, group: Group) -> Iterator[str]:
    """Static members of a converged group that come back under new member ids keep their partitions.

    All of them come back at once, with their claims, listed in reverse, under ids that sort the other way round. The group has
    converged before, so nothing else moves a partition; if it does not converge, `settling` fails. Source: KIP-345; KAFKA-8355
    and KAFKA-8356, where Kafka 2.3 put static members in order by their new ids.
    """
    settled = settle(assign, group)
    instances = {m.id: m.instance_id for m in settled.group.members if m.instance_id is not None}
    if settled.rounds is None or not instances:
        return
    back = _returned(settled.group, sorted(instances))
    now: dict[TopicPartition, list[str]] = {}
    answer = assign(back)
    for member, given in answer.items():
        for partition in given:
            now.setdefault(partition, []).append(member)
    came = {m.instance_id: m.id for m in back.members if m.instance_id is not None}
    for member, instance in instances.items():
        for partition in settled.assignment.get(member, ()):
            takers = now.get(partition, [])
            if came[instance] not in takers:
                where = " and ".join(takers) or "nobody"
                yield TwoRuns(
                    f"{partition} is given to instance {instance}; back as {came[instance]} instead of {member}, "
                    f"it loses {partition} to {where}",
                    Run("before", settled.group, settled.assignment),
                    Run("after the restart", back, answer),
                    MOVES,
                )


def _returned(group: Group, static: list[str]) -> Group:
    """Return the group with the members of these ids, in ascending order, under new ids in descending order."""
    prefix = "~back"  # sorts after the usual ids, also of dynamic members
    while any(member.id.startswith(prefix) for member in group.members):
        prefix += "+"
    width = len(str(len(static)))
    ids = {old: f"{prefix}-{len(static) - n:0{width}}" for n, old in enumerate(static)}
    members = (replace(member, id=ids.get(member.id, member.id)) for member in group.members[::-1])
    return replace(group, members=tuple(members))
