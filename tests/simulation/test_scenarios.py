"""Each scenario goes as the client-side assignment proposal says it must, and as Kafka's coordinator has it where that differs."""

import pytest
from msgspec.structs import replace
from simulation.catching import honest

from kassay.errors import InputError
from kassay.protocol.simulation.campaign import Runner
from kassay.protocol.simulation.monitor import find_defects
from kassay.protocol.simulation.schedule import (
    BEGINS_MS,
    EVERY,
    REBALANCES,
    SCENARIOS,
    THIRD,
    THREE,
    Schedule,
    find_scenario,
)
from kassay.reference.group.member.state import Failed, Lose, Own, Revoke
from kassay.reference.group.messages import (
    Error,
    HeartbeatResponse,
    JoinGroup,
    JoinGroupResponse,
    SyncGroup,
    SyncGroupResponse,
)

NEW = Runner(honest)
GIVEN_TWICE = ("one_leader", "generations_grow")
BREAKS = {
    ("before-all-joined", "unpersisted"): GIVEN_TWICE,
    ("before-all-know-the-generation", "unpersisted"): GIVEN_TWICE,
    ("before-all-know-the-generation", "kafka@4.4.0"): ("generations_grow",),
    ("before-the-states-are-written", "unpersisted"): GIVEN_TWICE,
    ("before-the-states-are-written", "kafka@4.4.0"): ("generations_grow",),
    ("before-all-know-their-states", "unpersisted"): GIVEN_TWICE,
    ("it-moves-while-the-group-is-stable", "unpersisted"): GIVEN_TWICE,
    ("resync-takes-from-another", "proposal"): ("no_double_client_assignment",),
    ("resync-takes-from-another", "unpersisted"): ("no_double_client_assignment",),
    ("racks-change-for-a-leader-with-one", "proposal"): ("no_double_client_assignment",),
    ("racks-change-for-a-leader-with-one", "unpersisted"): ("no_double_client_assignment",),
}
"""The broken invariants by scenario and coordinator, all because of known defects."""


class Played:
    """The run of a scenario: its `notes`, of all kinds, and its outcome."""

    def __init__(self, name, coordinator="proposal"):
        self.outcome = NEW.run(SCENARIOS[name].schedule(coordinator), trace=True)
        self.notes = [note for note in self.outcome.trace if note[0] >= BEGINS_MS]

    def of(self, what):
        return [tuple(about) for _, kind, *about in self.notes if kind == what]

    def heard(self, kind, member=None):
        """The responses of a type that members received, in order."""
        return [one for slot, _, one in self.of("hears") if type(one) is kind and member in (None, slot)]

    def answers(self, kind, member=None):
        return [one.error for one in self.heard(kind, member)]

    def asked(self, kind):
        """The members whose requests of a type arrived, in order."""
        return [slot for _, slot, request in self.of("arrives") if type(request) is kind]

    def after_failover(self):
        """Only what came after the coordinator's end."""
        at = next(
            n for n, one in enumerate(self.notes) if one[1] == "fault" and one[2].kind == "coordinator-crash"
        )
        self.notes = self.notes[at:]
        return self

    def place(self, member, kind, *items):
        """The place at which a member began with items, gave them up or lost them."""
        return next(
            n
            for n, (_, what, *about) in enumerate(self.notes)
            if what == "does"
            and about[0] == member
            and type(about[1]) is kind
            and items == tuple(map(str, about[1].items))
        )

    @property
    def generation(self):
        """The generation in which the group is at last."""
        return [
            about[2] for _, what, *about in self.outcome.trace if what == "becomes" and about[1] == "Stable"
        ][-1]

    def owners(self):
        """Item -> the member that owns it at last."""
        owned = {}
        for _, what, *about in self.outcome.trace:
            if what == "stops":
                owned[about[0]] = set()
            elif what == "does" and type(about[1]) is Own:
                owned[about[0]] = owned.get(about[0], set()) | {*about[1].items}
            elif what == "does" and type(about[1]) in (Revoke, Lose):
                owned[about[0]] -= {*about[1].items}
        return {item: member for member, items in owned.items() for item in items}


@pytest.mark.parametrize("coordinator", EVERY)
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_ends_with_each_partition_owned_once(name, coordinator):
    """The simulator's invariants say so, which break only for known defects and never at the end."""
    played = Played(name, coordinator)
    outcome = played.outcome
    assert tuple(broke for broke, _ in outcome.breaches) == BREAKS.get((name, coordinator), ())
    assert all(find_defects(outcome, broke) for broke, _ in outcome.breaches)
    assert outcome.stable_ms is not None
    topics = {"subscription-changes": 6, "pattern-matches-a-new-topic": 6, "single-writer-is-cut-off": 1}
    grown = {"topic-grows": 4, "resync-takes-from-another": 5, "resync-of-a-careful-leader": 5}
    items = {**topics, **grown}.get(name, sum(SCENARIOS[name].setting.partitions))
    owned = len(played.owners())
    assert owned == items, (
        f"{name} ends with {owned} partitions owned, and not {items}; where a fault adds topics, say how many there are at last"
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_the_same_each_time(name):
    schedule = SCENARIOS[name].schedule("proposal")
    assert Runner(honest).run(schedule, trace=True) == Runner(honest, quick=False).run(schedule, trace=True)


@pytest.mark.parametrize("coordinator", EVERY)
def test_faults_are_timed_by_the_rebalance_that_they_strike(coordinator):
    setting = replace(THREE, coordinator=coordinator)
    trace = NEW.run(Schedule(setting, (THIRD,)), trace=True).trace
    answers = [(time, *about) for time, what, *about in trace if what == "answers" and time > BEGINS_MS]
    told = next(
        time for time, _, slot, one in answers if slot == 0 and one.error is Error.REBALANCE_IN_PROGRESS
    )
    joined = {time for time, *_, one in answers if type(one) is JoinGroupResponse and one.error is Error.NONE}
    assert joined == {REBALANCES[coordinator.partition("@")[0]].joined}
    assert told == REBALANCES[coordinator.partition("@")[0]].told


def test_a_scenario_that_there_is_not_is_refused():
    with pytest.raises(InputError, match="Did you mean topic-grows"):
        find_scenario("topic-grow")


# Handling Coordinator Failures


@pytest.mark.parametrize("coordinator", EVERY)
def test_who_had_not_joined_before_a_failover_sends_joingroup_again(coordinator):
    assert {*Played("before-all-joined", coordinator).after_failover().asked(JoinGroup)} == {0, 1, 2}


def test_members_of_the_generation_before_keep_their_ids_where_state_is_persisted():
    unknown = {
        name: Played("before-all-joined", name).answers(JoinGroupResponse).count(Error.UNKNOWN_MEMBER_ID)
        for name in EVERY
    }
    assert unknown == {"proposal": 0, "unpersisted": 2, "kafka@4.4.0": 1}


def test_a_joingroup_aborts_the_synchronisation_that_the_leader_has_begun():
    played = Played("before-all-know-the-generation")
    assert played.answers(SyncGroupResponse, 0) == [Error.REBALANCE_IN_PROGRESS, Error.NONE]
    asked = [(type(request), slot) for _, slot, request in played.after_failover().of("arrives")]
    syncs = [SyncGroup, JoinGroup]
    assert [one for one in asked if one[0] in syncs][:3] == [(SyncGroup, 0), (SyncGroup, 2), (JoinGroup, 1)]
    assert played.generation == 5


def test_kafka_forgets_a_generation_that_was_not_synchronised_and_gives_its_number_again():
    played = Played("before-all-know-the-generation", "kafka@4.4.0")
    told = [one for one in played.heard(JoinGroupResponse) if one.error is Error.NONE]
    assert [(one.generation, one.member_id) for one in told] == [
        (3, "m0-0"), (3, "m2-3"), (3, "m0-0"), (3, "m1-1"), (3, "m2-1000")
    ]  # fmt: skip


def test_all_synchronise_again_where_the_states_were_not_written():
    played = Played("before-the-states-are-written").after_failover()
    assert sorted(played.asked(SyncGroup)) == [0, 1, 2]
    assert played.asked(JoinGroup) == []
    assert played.generation == 4


def test_kafkas_members_join_again_where_the_states_were_not_written():
    played = Played("before-the-states-are-written", "kafka@4.4.0").after_failover()
    assert {*played.asked(JoinGroup)} == {0, 1, 2}
    first = next(
        type(request) for _, _, request in played.of("arrives") if type(request) in (JoinGroup, SyncGroup)
    )
    assert first is JoinGroup


def test_a_state_that_was_written_is_given_at_once_to_who_missed_it():
    played = Played("before-all-know-their-states").after_failover()
    assert played.asked(SyncGroup) == [2]
    assert played.asked(JoinGroup) == []
    assert played.generation == 4


@pytest.mark.parametrize(
    "name",
    ["before-all-joined", "before-all-know-the-generation", "before-the-states-are-written", "before-all-know-their-states"],
)  # fmt: skip
def test_without_persistence_all_join_again(name):
    assert {*Played(name, "unpersisted").after_failover().asked(JoinGroup)} == {0, 1, 2}


@pytest.mark.parametrize(
    ("coordinator", "stays"), [("proposal", True), ("kafka@4.4.0", True), ("unpersisted", False)]
)
def test_members_of_a_stable_group_go_on_when_its_coordinator_moves(coordinator, stays):
    played = Played("it-moves-while-the-group-is-stable", coordinator)
    assert played.answers(HeartbeatResponse)[:2] == [Error.NOT_COORDINATOR] * 2
    assert (played.answers(JoinGroupResponse) == []) == stays


# Leader failures, assignment failure


@pytest.mark.parametrize("coordinator", EVERY)
@pytest.mark.parametrize(
    "name", ["before-it-synchronises", "while-it-synchronises", "after-it-has-synchronised"]
)
def test_another_leader_follows_one_that_crashed(name, coordinator):
    played = Played(name, coordinator)
    assert {one.leader.partition("-")[0] for one in played.heard(JoinGroupResponse)[-2:]} == {"m1"}
    assert {*played.owners().values()} == {1, 2}


def test_a_leader_that_crashed_while_it_synchronised_has_synchronised():
    played = Played("while-it-synchronises")
    assert played.place(2, Own, "t0-2") < played.place(2, Revoke, "t0-2")
    assert played.answers(SyncGroupResponse, 2) == [Error.NONE, Error.NONE]


def test_a_leader_that_crashed_before_ends_the_generation_for_those_who_wait():
    answers = Played("before-it-synchronises").answers(SyncGroupResponse, 1)
    assert answers == [Error.REBALANCE_IN_PROGRESS, Error.NONE]


def test_the_leaders_error_reaches_every_member_in_the_proposal():
    played = Played("sends-an-error")
    assert played.answers(SyncGroupResponse)[:2] == [Error.ASSIGNMENT_FAILED] * 2


def test_in_kafka_one_leader_after_the_other_fails_alone():
    played = Played("sends-an-error", "kafka@4.4.0")
    assert Error.ASSIGNMENT_FAILED not in played.answers(SyncGroupResponse)
    failed = [
        (time, about[0]) for time, what, *about in played.notes if what == "does" and type(about[1]) is Failed
    ]
    assert [slot for _, slot in failed] == [0, 1]
    assert failed[1][0] - failed[0][0] >= 10_000


# Changes


@pytest.mark.parametrize(("coordinator", "joins", "generation"), [("proposal", 0, 2), ("kafka@4.4.0", 2, 2)])
def test_changed_topics_lead_to_another_syncgroup_or_in_kafka_to_a_rejoin(coordinator, joins, generation):
    played = Played("topic-grows", coordinator)
    assert len(played.answers(JoinGroupResponse)) == joins
    assert len(played.answers(SyncGroupResponse)) == 2
    assert played.generation == generation


def test_a_resync_that_moves_a_partition_gives_it_before_its_owner_has_given_it_up():
    played = Played("resync-takes-from-another")
    assert played.place(0, Own, "t0-2") < played.place(1, Revoke, "t0-2")
    assert played.answers(JoinGroupResponse) == []


def test_a_careful_leader_has_all_join_where_a_partition_moves():
    played = Played("resync-of-a-careful-leader")
    assert len(played.answers(JoinGroupResponse)) == 2
    assert played.place(1, Revoke, "t0-2") < played.place(0, Own, "t0-0", "t0-1", "t0-2")


@pytest.mark.parametrize("coordinator", EVERY)
@pytest.mark.parametrize("name", ["subscription-changes", "pattern-matches-a-new-topic"])
def test_changed_subscriptions_force_a_rejoin(name, coordinator):
    played = Played(name, coordinator)
    assert played.answers(JoinGroupResponse) == [Error.NONE] * 2
    assert {partition.topic for partition in played.owners()} == {"t0", "t1"}


@pytest.mark.parametrize(
    ("coordinator", "kind"), [("proposal", SyncGroupResponse), ("kafka@4.4.0", JoinGroupResponse)]
)
def test_changed_racks_concern_a_leader_that_has_one(coordinator, kind):
    assert Played("racks-change-for-a-leader-with-one", coordinator).answers(kind) == [Error.NONE] * 2
    assert Played("racks-change-for-a-leader-without", coordinator).answers(kind) == []


@pytest.mark.parametrize("coordinator", EVERY)
def test_a_followers_syncgroup_is_parked_until_the_leaders_has_come(coordinator):
    names = ("follower-synchronises-first", "follower-synchronises-last")
    first, last = (Played(name, coordinator) for name in names)
    assert first.asked(SyncGroup) == [1, 2, 0]
    assert last.asked(SyncGroup) == [0, 2, 1]
    for played in (first, last):
        assert played.answers(SyncGroupResponse) == [Error.NONE] * 3


# Members


@pytest.mark.parametrize("coordinator", EVERY)
def test_a_cooperative_member_goes_on_and_gives_up_before_another_one_begins(coordinator):
    played = Played("cooperative-member-joins", coordinator)
    assert [
        (type(effect), tuple(map(str, effect.items))) for slot, effect in played.of("does") if slot == 0
    ] == [(Revoke, ("t0-1",))]
    assert played.place(0, Revoke, "t0-1") < played.place(1, Own, "t0-1")


def test_kafka_gives_a_static_member_what_it_had_and_the_proposal_knows_none():
    played = Played("static-member-comes-back", "kafka@4.4.0")
    assert played.asked(JoinGroup) == played.asked(SyncGroup) == [1]
    generations = [
        Played("static-member-comes-back", name).generation for name in ("kafka@4.4.0", "proposal")
    ]
    assert generations == [1, 3]


@pytest.mark.parametrize("coordinator", EVERY)
def test_a_writer_that_hears_nothing_stops_before_another_one_begins(coordinator):
    played = Played("single-writer-is-cut-off", coordinator)
    begins = [
        (place, about[0])
        for place, (_, what, *about) in enumerate(played.notes)
        if what == "does" and type(about[1]) is Own
    ]
    ends = next(
        n for n, (_, what, *about) in enumerate(played.notes) if what == "becomes" and about[1] == "Joining"
    )
    assert played.place(0, Lose, "writer") < ends < begins[0][0]
    assert {slot for _, slot in begins} == {1}


# Protocols


@pytest.mark.parametrize("coordinator", EVERY)
def test_a_member_without_a_common_protocol_is_rejected_and_disturbs_nobody(coordinator):
    played = Played("no-common-protocol", coordinator)
    failed = next(
        n for n, (_, what, *about) in enumerate(played.notes) if what == "does" and type(about[1]) is Failed
    )
    heard = [(about[0], about[2]) for _, what, *about in played.notes[:failed] if what == "hears"]
    assert [(slot, one.error) for slot, one in heard if type(one) is JoinGroupResponse] == [
        (2, Error.INCONSISTENT_GROUP_PROTOCOL)
    ]
    assert all(one.error is Error.NONE for slot, one in heard if slot != 2)


@pytest.mark.parametrize("coordinator", EVERY)
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("strategy-upgrade", "own", "next"), ("metadata-upgrade", "own", "newest")],
)
def test_the_old_protocol_is_chosen_until_all_are_upgraded(name, old, new, coordinator):
    played = Played(name, coordinator)
    chosen = [(len(one.members), one.protocol) for one in played.heard(JoinGroupResponse) if one.members]
    assert chosen == [(1, old), (2, old), (1, new), (2, new)]


def test_a_member_that_both_had_and_gets_a_partition_gives_it_up_between_until_all_are_cooperative():
    played = Played("cooperative-upgrade", "kafka@4.4.0")
    *_, last = (time for time, what, *_ in played.notes if what == "fault")
    in_vain = {True: 0, False: 0}
    given_up = {}
    for time, what, *about in played.notes:
        if what == "stops":
            given_up.pop(about[0], None)
        elif what == "does" and type(about[1]) is Revoke:
            given_up[about[0]] = {*about[1].items}
        elif what == "does" and type(about[1]) is Own:
            in_vain[time > last] += len(given_up.pop(about[0], set()) & {*about[1].items})
    assert in_vain[False] > 0
    assert in_vain[True] == 0
    assert played.heard(JoinGroupResponse)[-1].protocol == "cooperative"
