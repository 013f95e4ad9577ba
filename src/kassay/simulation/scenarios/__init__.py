"""Named scenarios: what the client-side assignment proposal says must happen, played by coordinator and members.

Each is a function from a coordinator's behaviour to a :class:`~kassay.simulation.scenarios.stage.Stage` on which it has been played.
"""

from collections.abc import Callable, Mapping

from msgspec import Struct

from kassay.reference.group.behaviour import PROPOSAL, UNPERSISTED, Behaviour, kafka
from kassay.simulation.scenarios import changes, failures, leaders, members, upgrades
from kassay.simulation.scenarios.stage import Stage

BEHAVIOURS: Mapping[str, Behaviour] = {
    "proposal": PROPOSAL,
    "unpersisted": UNPERSISTED,
    "kafka": kafka("4.4.0"),
}
"""Name -> the coordinator that a scenario is played with."""


class Scenario(Struct, frozen=True):
    """A scenario, and the coordinators with which it is drawn on the page: those with which it goes differently."""

    play: Callable[[Behaviour], Stage]
    drawn: tuple[str, ...] = ("proposal",)

    @property
    def name(self) -> str:
        """Return its name, that of its function."""
        return self.play.__name__


CHAPTERS: Mapping[str, tuple[Scenario, ...]] = {
    "The coordinator fails": (
        Scenario(failures.before_all_joined, tuple(BEHAVIOURS)),
        Scenario(failures.before_all_know_the_generation, tuple(BEHAVIOURS)),
        Scenario(failures.before_the_states_are_written, tuple(BEHAVIOURS)),
        Scenario(failures.before_all_know_their_states, tuple(BEHAVIOURS)),
        Scenario(failures.it_moves_while_the_group_is_stable, ("proposal", "unpersisted")),
    ),
    "The leader fails": (
        Scenario(leaders.before_it_synchronises),
        Scenario(leaders.while_it_synchronises),
        Scenario(leaders.after_it_has_synchronised),
        Scenario(leaders.sends_an_error, ("proposal", "kafka")),
    ),
    "Topics, racks and subscriptions change": (
        Scenario(changes.topic_grows, ("proposal", "kafka")),
        Scenario(changes.resync_takes_from_another),
        Scenario(changes.resync_of_a_careful_leader),
        Scenario(changes.subscription_changes),
        Scenario(changes.pattern_matches_a_new_topic),
        Scenario(changes.racks_change_for_a_leader_with_one, ("proposal", "kafka")),
        Scenario(changes.racks_change_for_a_leader_without),
    ),
    "SyncGroup comes early or late": (
        Scenario(changes.follower_synchronises_first),
        Scenario(changes.follower_synchronises_last),
    ),
    "Members come and go": (
        Scenario(members.cooperative_member_joins, ("kafka",)),
        Scenario(members.static_member_comes_back, ("kafka",)),
        Scenario(members.single_writer_is_cut_off),
    ),
    "Protocols": (
        Scenario(upgrades.no_common_protocol),
        Scenario(upgrades.strategy_upgrade),
        Scenario(upgrades.metadata_upgrade),
        Scenario(upgrades.cooperative_upgrade, ("kafka",)),
    ),
}
"""All scenarios, as the page shows them."""
SCENARIOS: Mapping[str, Scenario] = {
    scenario.name: scenario for chapter in CHAPTERS.values() for scenario in chapter
}
"""Name -> scenario."""
