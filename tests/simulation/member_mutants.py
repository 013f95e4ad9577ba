"""Mutants of the member: each changes what it is told, what it becomes or what it sends."""

from msgspec.structs import replace
from simulation.changes import change_members, change_sent
from simulation.rebalance_mutants import KAFKA, Mutant

from kassay.model import TopicPartition
from kassay.protocol.simulation.steps import mistake_error
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


def revokes_nothing(machines):
    """An eager member goes on working while it joins again."""

    def change(before, after, _event):
        return replace(after, owned=before.owned) if after.phase == "Joining" and before.owned else after

    return change_members(machines, change)


def keeps_what_it_lost(machines):
    """A member that is told that it is in no generation goes on working."""

    def change(before, after, _event):
        lost = after.generation < 0 <= before.generation and after.phase != "Closed"
        return replace(after, owned=before.owned) if lost else after

    return change_members(machines, change)


def keeps_what_others_get(machines):
    """A cooperative member goes on with what it is no longer given."""

    def change(before, after, _event):
        if before.phase != "Syncing" or after.phase == "Syncing" or after.generation != before.generation:
            return after
        return replace(after, owned=tuple(dict.fromkeys((*before.owned, *after.owned))))

    return change_members(machines, change)


def does_not_rejoin_after_revoking(machines):
    """A cooperative member that gave something up does not join again, so that nobody is given it."""

    def change(before, after, _event):
        gave_up = len(after.owned) < len(before.owned) and after.phase == "Stable"
        return replace(after, rejoins=False) if gave_up else after

    def step(member, event):
        done = machines.step_member(member, event)
        if len(done.state.owned) < len(member.owned) and member.phase == "Syncing":
            joins = [one for one in done.effects if type(one) is Send and type(one.request) is JoinGroup]
            if joins:
                stays = replace(done.state, phase="Stable", rejoins=False, asked=None, given=())
                return Step(stays, tuple(one for one in done.effects if one not in joins))
        return Step(change(member, done.state, event), done.effects)

    return replace(machines, step_member=step)


def _saying(protocol, change):
    """Change what a member says of itself, where that can be read."""
    return (
        protocol if protocol.metadata == UNREADABLE else replace(protocol, metadata=change(protocol.metadata))
    )


def claims_nothing(machines):
    """A cooperative member does not say what it owns, so that the leader gives it to others at once."""

    def change(request):
        protocols = tuple(
            _saying(one, lambda told: replace(told, claimed=(), generation=None)) for one in request.protocols
        )
        return replace(request, protocols=protocols)

    return change_sent(machines, JoinGroup, change)


def ignores_unknown_member(machines):
    """A heartbeat's UNKNOWN_MEMBER_ID is passed over."""
    return mistake_error(machines, HeartbeatResponse, Error.UNKNOWN_MEMBER_ID)


def ignores_illegal_generation(machines):
    """ILLEGAL_GENERATION is passed over: a member stays in a generation that its coordinator does not know."""
    heard = mistake_error(machines, HeartbeatResponse, Error.ILLEGAL_GENERATION)
    return mistake_error(heard, SyncGroupResponse, Error.ILLEGAL_GENERATION)


def ignores_rebalances(machines):
    """A heartbeat's REBALANCE_IN_PROGRESS is passed over."""
    return mistake_error(machines, HeartbeatResponse, Error.REBALANCE_IN_PROGRESS)


def keeps_unknown_id(machines):
    """A member that is unknown joins again under the same id."""

    def step(member, event):
        done = machines.step_member(member, event)
        if type(event) is not Answered or event.response.error is not Error.UNKNOWN_MEMBER_ID:
            return done
        effects = tuple(
            Send(one.token, replace(one.request, member_id=member.member_id), one.node)
            if type(one) is Send and type(one.request) is JoinGroup
            else one
            for one in done.effects
        )
        return Step(replace(done.state, member_id=member.member_id), effects)

    return replace(machines, step_member=step)


def keeps_old_coordinator(machines):
    """A member stays with a coordinator that says it is none."""

    def change(before, after, event):
        moved = type(event) is Answered and event.response.error is Error.NOT_COORDINATOR
        return replace(after, node=before.node) if moved else after

    return change_members(machines, change)


def passes_over_new_topics(machines):
    """A leader takes note of changed topics and assigns nothing anew."""

    def step(member, event):
        if type(event) is ClusterChanged and member.phase == "Stable":
            return Step(replace(member, cluster=event.cluster), ())
        return machines.step_member(member, event)

    return replace(machines, step_member=step)


def passes_over_more_topics(machines):
    """A member that subscribes to more topics takes note of that and does not join again."""

    def step(member, event):
        if type(event) is SubscriptionChanged and {*event.subscription.topics} > {
            *member.subscription.topics
        }:
            return Step(replace(member, subscription=event.subscription), ())
        return machines.step_member(member, event)

    return replace(machines, step_member=step)


def works_without_lease(machines):
    """A single writer goes on until it hears that it is one no more."""

    def new_member(*of):
        member = machines.new_member(*of)
        return replace(member, use=replace(member.use, leased=False))

    return replace(machines, new_member=new_member)


def reports_stale_partitions(machines):
    """A cooperative member says that it owns whatever others own of its topics, too, as if it had been given that once."""

    def change(request):
        protocols = tuple(
            _saying(one, lambda told: replace(told, claimed=_every(told))) for one in request.protocols
        )
        return replace(request, protocols=protocols)

    return change_sent(machines, JoinGroup, change)


def _every(metadata):
    """Return the first two partitions of each topic of which something is claimed."""
    topics = {one.topic for one in metadata.claimed}
    return tuple(TopicPartition(topic, number) for topic in sorted(topics) for number in (0, 1))


def claims_a_later_generation(machines):
    """A cooperative member that lost what it had says that it owns it still, by a later generation than its owner."""

    def step(member, event):
        done = machines.step_member(member, event)
        if done.state.generation >= 0 or not done.state.had:
            return done
        claims = {"claimed": done.state.had, "generation": done.state.had_in + LATER}
        return Step(done.state, tuple(_claiming(one, claims) for one in done.effects))

    return replace(machines, step_member=step)


LATER = 1_000
"""By how much the generation is later, so that it is later than every true one."""


def _claiming(effect, claims):
    if type(effect) is not Send or type(effect.request) is not JoinGroup:
        return effect
    protocols = tuple(_saying(one, lambda told: replace(told, **claims)) for one in effect.request.protocols)
    return Send(effect.token, replace(effect.request, protocols=protocols), effect.node)


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
