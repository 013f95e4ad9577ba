"""The leader of a generation fails, or cannot assign: "Leader Failures" and "Assignment Failure" of the client-side assignment proposal."""

from kassay.model import Assignment, AssignorError, Group
from kassay.reference.group.behaviour import Behaviour
from kassay.reference.group.messages import SyncGroup
from kassay.reference.group.uses.consumer import Strategy, consumer
from kassay.simulation.scenarios.cast import actor, gathered
from kassay.simulation.scenarios.stage import Stage


def before_it_synchronises(behaviour: Behaviour) -> Stage:
    """The leader crashes when it knows that it leads, but before its SyncGroup arrives; its session ends the generation."""
    stage = gathered(behaviour, 2)
    stage.network.lose(lambda member, message: member == 1 and type(message) is SyncGroup)
    stage.enter(3, actor(behaviour))
    stage.until(lambda now: now.members[1].phase == "Syncing" and now.members[1].generation == 3)
    return _crashes(stage)


def while_it_synchronises(behaviour: Behaviour) -> Stage:
    """The leader crashes when its SyncGroup has arrived, but before it is answered: the others get their states all the same."""
    stage = gathered(behaviour, 2)
    stage.enter(3, actor(behaviour))
    stage.until(lambda now: any(entry.label.startswith("SyncGroup, generation 3") for entry in now.trace))
    return _crashes(stage)


def after_it_has_synchronised(behaviour: Behaviour) -> Stage:
    """The leader crashes in a stable group; its session ends, and the others join under another leader."""
    return _crashes(gathered(behaviour, 3))


def _crashes(stage: Stage) -> Stage:
    stage.crash(1)
    stage.settle()
    return stage


def sends_an_error(behaviour: Behaviour) -> Stage:
    """The leader cannot assign: in the proposal all members learn why; in Kafka it fails alone, and the next leader does as well."""

    def fail(_: Group) -> Assignment:
        raise AssignorError("members do not agree")

    stage = Stage(behaviour)
    use = consumer(Strategy(name="broken", assign=fail))
    for number in (1, 2):
        stage.enter(number, actor(behaviour, use=use))
    stage.until(lambda now: all(member.phase == "Failed" for member in now.members.values()))
    return stage
