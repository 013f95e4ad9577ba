"""Mutants of the member: each changes what it is told, what it becomes or what it sends."""

from msgspec.structs import replace
from simulation.changes import change_member_step, change_members, change_sent_requests
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.model import TopicPartition
from kassay.protocol.simulation.steps import replace_error
from kassay.reference.group.member.state import ClusterChanged, SubscriptionChanged
from kassay.reference.group.messages import (
    UNREADABLE,
    Answered,
    Error,
    HeartbeatResponse,
    JoinGroup,
    Send,
    Step,
    SyncGroupResponse,
)

COOPERATIVE = replace(KAFKA, cooperative=True)


@change_members
def revokes_nothing(before, after, _event):
    """An eager member goes on working while it joins again."""
    return replace(after, owned=before.owned) if after.phase == "Joining" and before.owned else after


@change_members
def keeps_what_it_lost(before, after, _event):
    """A member that is told that it is in no generation goes on working."""
    lost = after.generation < 0 <= before.generation and after.phase != "Closed"
    return replace(after, owned=before.owned) if lost else after


@change_members
def keeps_what_others_get(before, after, _event):
    """A cooperative member goes on with what it is no longer given."""
    if before.phase != "Syncing" or after.phase == "Syncing" or after.generation != before.generation:
        return after
    return replace(after, owned=tuple(dict.fromkeys((*before.owned, *after.owned))))


@change_member_step
def does_not_rejoin_after_revoking(step, member, event):
    """A cooperative member that revoked a partition does not join again, so no member gets the partition."""
    done = step(member, event)
    if len(done.state.owned) >= len(member.owned):
        return done
    joins = [one for one in done.effects if type(one) is Send and type(one.request) is JoinGroup]
    if joins and member.phase == "Syncing":
        stays = replace(done.state, phase="Stable", rejoins=False, asked=None, given=())
        return Step(stays, tuple(one for one in done.effects if one not in joins))
    return Step(replace(done.state, rejoins=False), done.effects) if done.state.phase == "Stable" else done


def _change_metadata(request, change):
    """Change what a member says of itself in JoinGroup, if that can be read."""
    protocols = (
        one if one.metadata == UNREADABLE else replace(one, metadata=change(one.metadata))
        for one in request.protocols
    )
    return replace(request, protocols=tuple(protocols))


@change_sent_requests(JoinGroup)
def claims_nothing(request):
    """A cooperative member does not say what it owns, so that the leader gives it to others at once."""
    return _change_metadata(request, lambda told: replace(told, claimed=(), generation=None))


def ignores_unknown_member(machines):
    """A heartbeat's UNKNOWN_MEMBER_ID is passed over."""
    return replace_error(machines, HeartbeatResponse, Error.UNKNOWN_MEMBER_ID)


def ignores_illegal_generation(machines):
    """ILLEGAL_GENERATION is passed over: a member stays in a generation that its coordinator does not know."""
    heard = replace_error(machines, HeartbeatResponse, Error.ILLEGAL_GENERATION)
    return replace_error(heard, SyncGroupResponse, Error.ILLEGAL_GENERATION)


def ignores_rebalances(machines):
    """A heartbeat's REBALANCE_IN_PROGRESS is passed over."""
    return replace_error(machines, HeartbeatResponse, Error.REBALANCE_IN_PROGRESS)


@change_member_step
def keeps_unknown_id(step, member, event):
    """A member that is unknown joins again under the same id."""
    done = step(member, event)
    if type(event) is not Answered or event.response.error is not Error.UNKNOWN_MEMBER_ID:
        return done
    effects = tuple(
        Send(one.token, replace(one.request, member_id=member.member_id), one.node)
        if type(one) is Send and type(one.request) is JoinGroup
        else one
        for one in done.effects
    )
    return Step(replace(done.state, member_id=member.member_id), effects)


@change_members
def keeps_old_coordinator(before, after, event):
    """A member stays with a broker that is no longer the coordinator."""
    moved = type(event) is Answered and event.response.error is Error.NOT_COORDINATOR
    return replace(after, node=before.node) if moved else after


@change_member_step
def passes_over_new_topics(step, member, event):
    """A leader takes note of changed topics and assigns nothing anew."""
    if type(event) is ClusterChanged and member.phase == "Stable":
        return Step(replace(member, cluster=event.cluster), ())
    return step(member, event)


@change_member_step
def passes_over_more_topics(step, member, event):
    """A member that subscribes to more topics takes note of that and does not join again."""
    if type(event) is SubscriptionChanged and {*event.subscription.topics} > {*member.subscription.topics}:
        return Step(replace(member, subscription=event.subscription), ())
    return step(member, event)


def works_without_lease(machines):
    """A single writer goes on until it hears that it is one no more."""

    def new_member(*of):
        member = machines.new_member(*of)
        return replace(member, use=replace(member.use, leased=False))

    return replace(machines, new_member=new_member)


@change_sent_requests(JoinGroup)
def reports_stale_partitions(request):
    """A cooperative member also claims the partitions of its topics that others own."""

    def change(told):
        topics = sorted({one.topic for one in told.claimed})
        every = tuple(TopicPartition(topic, number) for topic in topics for number in (0, 1))
        return replace(told, claimed=every)

    return _change_metadata(request, change)


LATER = 1_000
"""By how much the generation is later, so that it is later than every true one."""


@change_member_step
def claims_a_later_generation(step, member, event):
    """A cooperative member that lost what it had says that it owns it still, by a later generation than its owner."""
    done = step(member, event)
    had, generation = done.state.had, done.state.had_in + LATER
    if done.state.generation >= 0 or not had:
        return done
    effects = (
        Send(
            one.token,
            _change_metadata(one.request, lambda told: replace(told, claimed=had, generation=generation)),
            one.node,
        )
        if type(one) is Send and type(one.request) is JoinGroup
        else one
        for one in done.effects
    )
    return Step(done.state, tuple(effects))


MEMBER_MUTANTS = (
    Mutant(revokes_nothing, ("delay", "leave")),
    Mutant(keeps_what_it_lost, ("cut", "pause", "loss"), COOPERATIVE),
    Mutant(keeps_what_others_get, ("crash", "leave"), COOPERATIVE),
    Mutant(does_not_rejoin_after_revoking, ("crash", "leave"), COOPERATIVE),
    Mutant(claims_nothing, ("crash", "leave"), COOPERATIVE),
    Mutant(ignores_unknown_member, ("cut", "pause")),
    Mutant(ignores_rebalances, ("crash", "leave")),
    Mutant(keeps_unknown_id, ("cut", "pause")),
    Mutant(keeps_old_coordinator, ("failover",)),
    Mutant(passes_over_new_topics, ("grow",)),
    Mutant(passes_over_more_topics, ("subscribe",), replace(KAFKA, partitions=(1, 1))),
    Mutant(reports_stale_partitions, ("leave", "crash", "departure"), COOPERATIVE),
    Mutant(ignores_illegal_generation, ("departure", "duplicate", "grow")),
    Mutant(claims_a_later_generation, ("cut", "pause", "loss"), COOPERATIVE),
    Mutant(works_without_lease, ("cut", "crash"), replace(KAFKA, use="single-writer")),
)
