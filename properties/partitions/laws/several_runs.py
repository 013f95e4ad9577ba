"""Laws: what can be true of a consumer assignor over several runs.

Each takes an assign function and a group, and yields one sentence per violation; AssignorError passes through.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kassay.model import Assignment, Group, TopicPartition
from kassay.properties.partitions.holdings import partition_counts
from kassay.properties.partitions.invariants.contract import complete
from kassay.properties.partitions.laws.renaming import renamed
from kassay.properties.partitions.rounds import ROUNDS, Assign, after, settle
from kassay.properties.runs import DIFFERENCES, MOVES, REST, Run, TwoRuns, Violation, extent
from kassay.properties.words import listed

TWO = 2
"""The rounds of a cooperative rebalance (KIP-429)."""


def member_order_independent(assign: Assign, group: Group) -> Iterator[str]:
    """Who is given what does not depend on the order in which the members are listed.

    Source: the leader receives the members in the order of a hash map of the coordinator.
    """
    reversed_members = replace(group, members=group.members[::-1])
    yield from _differences(
        group, assign(group), assign(reversed_members), "with the members in reverse order"
    )


def topic_order_independent(assign: Assign, group: Group) -> Iterator[str]:
    """Who is given what does not depend on the order in which the topics are listed.

    The topics of the metadata are reversed, and those of each subscription.
    Source: metadata and subscriptions are hash maps and sets; their order means nothing.
    """
    turned = replace(
        group,
        topics=group.topics[::-1],
        members=tuple(replace(member, topics=member.topics[::-1]) for member in group.members),
    )
    yield from _differences(group, assign(group), assign(turned), "with the topics in reverse order")


def claim_order_independent(assign: Assign, group: Group) -> Iterator[str]:
    """Who is given what does not depend on the order in which members list what they own.

    Source: KAFKA-16277, where it decided which partitions a member kept; a client lists them in no order.
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
    """Its own result fed back moves nothing: a member keeps what it was given.

    A partition without owner may find one. Source: KIP-54; each needless move costs a rebuilt cache and a pause.
    """
    first = assign(group)
    again = after(group, first)
    yield from moved_on(group, first, again, assign(again), "fed back")


def moved_on(
    group: Group, first: Assignment, again: Group, following: Assignment, condition: str
) -> Iterator[str]:
    """Yield a sentence for each partition that a member was given, and is not given again as it claims it."""
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
    """Fed back to it, its results reach within a few rounds one that is complete and repeats itself.

    Source: KIP-429: withheld partitions are given out in a follow-up rebalance, and no further one is needed then.
    """
    settled = settle(assign, group)
    following = after(settled.group, settled.assignment)
    if settled.rounds is None:
        endless = f"it never settles: every {settled.period} rounds the same answers come again"
        yield TwoRuns(
            endless if settled.period is not None else f"it still changes its mind after {ROUNDS} rounds",
            Run(f"in round {ROUNDS + 1}", settled.group, settled.assignment),
            Run(f"in round {ROUNDS + 2}", following, assign(following)),
            of=REST,
        )
    for lack in complete(settled.group, settled.assignment):
        (partition,) = extent([lack])
        yield Violation(f"when it comes to rest, {lack}", partition)


def two_rounds(assign: Assign, group: Group) -> Iterator[str]:
    """Every partition of a subscribed topic has an owner after two rounds: one to give it up, one to be given it.

    Source: KIP-429, whose members rejoin once, as soon as they have revoked what others are to get.
    """
    answers: list[Assignment] = []
    lacks: list[str] = []
    while (lack := next(complete(group, answer := assign(group)), None)) is not None:
        lacks.append(lack)
        if answer in answers:  # the same lists are claimed again, so all that follows is the same
            period = len(answers) - answers.index(answer)
            whole, most = f"it is never whole: every {period} rounds the same answers come again", ROUNDS + 1
            break
        if len(lacks) == ROUNDS:
            whole, most = f"it is whole in none of {ROUNDS} rounds", ROUNDS + 1
            break
        answers.append(answer)
        group = after(group, answer)
    else:
        most = len(lacks) + 1
        whole = f"it is whole only in round {most}"
    if len(lacks) >= TWO:
        yield Violation(f"{whole}; in round {TWO}, {lacks[TWO - 1]}", REST, most)


def instance_isolated(assign: Assign, group: Group) -> Iterator[str]:
    """Asked about another group in between, it answers as before: nothing that it has seen of one group shows in another.

    The other group has the same names, a later generation, claims, and one member less if there are several. Source:
    aiokafka #1175, where all consumers of a process share claims; kafka-python #2769.
    """
    alone = assign(group)
    later = after(group, alone)
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
    return listed(None if given is None else sorted(given))
