"""The coordinator fails: the four points of "Handling Coordinator Failures" of the client-side assignment proposal."""

from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import JoinGroup, JoinGroupResponse, SyncGroup, SyncGroupResponse
from kassay.simulation.scenarios.cast import actor, gathered
from kassay.simulation.scenarios.stage import Stage


def before_all_joined(behaviour: Behaviour) -> Stage:
    """The coordinator fails before all members have joined.

    A third member makes the others join again; one of the three requests arrives too late for the broker that dies.
    """
    stage = gathered(behaviour, 2)
    stage.network.delay(50, lambda member, message: member == 1 and type(message) is JoinGroup)
    stage.enter(3, actor(behaviour))
    stage.until(lambda now: sum(known.joining is not None for known in now.coordinator.roster) == 2)
    return _fails(stage)


def before_all_know_the_generation(behaviour: Behaviour) -> Stage:
    """The coordinator fails when the generation is written, but one member has not received the response to its JoinGroup.

    The leader synchronises with the new coordinator before that member asks it to join again.
    """
    stage = gathered(behaviour, 2)
    stage.network.lose(lambda member, message: member == 2 and type(message) is JoinGroupResponse)
    stage.enter(3, actor(behaviour))
    stage.until(lambda now: _phases(now, "Syncing") == 2)
    stage.network.delay(1, lambda member, message: member == 2 and type(message) is JoinGroup)
    return _fails(stage)


def before_the_states_are_written(behaviour: Behaviour) -> Stage:
    """The coordinator fails when all members have sent SyncGroup; the leader's, with the states, comes a moment too late to be written."""
    stage = gathered(behaviour, 2)
    stage.network.delay(1, lambda member, message: member == 1 and type(message) is SyncGroup)
    stage.enter(3, actor(behaviour))
    stage.until(lambda now: sum(known.syncing is not None for known in now.coordinator.roster) == 2)
    return _fails(stage)


def before_all_know_their_states(behaviour: Behaviour) -> Stage:
    """The coordinator fails when the states are written, but one member has not received the response to its SyncGroup."""
    stage = gathered(behaviour, 2)
    stage.network.lose(lambda member, message: member == 3 and type(message) is SyncGroupResponse)
    stage.enter(3, actor(behaviour))
    stage.until(lambda now: _phases(now, "Stable") == 2 and _phases(now, "Syncing") == 1)
    return _fails(stage)


def it_moves_while_the_group_is_stable(behaviour: Behaviour) -> Stage:
    """The coordinator moves to another broker in good order: where its state is persisted, members find it and go on."""
    stage = gathered(behaviour, 2)
    stage.hand_over()
    stage.until(lambda now: all(member.node == now.active for member in now.members.values()))
    stage.settle()
    return stage


def _fails(stage: Stage) -> Stage:
    stage.kill_broker()
    stage.take_over()
    stage.settle()
    return stage


def _phases(stage: Stage, phase: str) -> int:
    return sum(member.phase == phase for member in stage.members.values())
