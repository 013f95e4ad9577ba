"""Each scenario ends as the client-side assignment proposal says it must, and as Kafka's coordinator has it where that differs."""

import pytest

from kassay.reference.group.messages import Error, FindCoordinator, Heartbeat, JoinGroup, SyncGroup
from kassay.simulation.scenarios import BEHAVIOURS, SCENARIOS


def play(name, behaviour="proposal"):
    return SCENARIOS[name].play(BEHAVIOURS[behaviour])


def answers(stage, kind, member=None):
    """The errors with which a type of request was answered, in order."""
    return [
        heard.response.error
        for heard in stage.heard
        if type(heard.request) is kind and member in (None, heard.member)
    ]


def generations(stage):
    return {member.generation for member in stage.members.values() if member.phase == "Stable"}


def owners(stage):
    """Partition -> number of the member that owns it; fails where two do."""
    found = {}
    for number, member in stage.members.items():
        for item in member.owned:
            assert item not in found
            found[item] = number
    return found


def place(stage, member, label):
    """The place of a member's line in the trace."""
    return next(
        number
        for number, entry in enumerate(stage.trace)
        if entry.source == f"member {member}" and entry.label == label
    )


def after_failover(stage):
    """What came after the coordinator's end: pairs of the kind of a line and whose it is."""
    lines = list(stage.trace)
    return lines[next(n for n, entry in enumerate(lines) if entry.label == "crashes") :]


def asked(lines, kind):
    return [entry.source for entry in lines if entry.label.startswith(kind)]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_ends_with_each_partition_owned_once(name, behaviour):
    stage = play(name, behaviour)
    if name == "sends_an_error":
        return
    assert len(generations(stage)) == 1
    if name == "single_writer_is_cut_off":
        assert {*owners(stage)} == {"writer"}
        return
    topics = {topic for member in stage.members.values() if member.owned for topic in member.cluster}
    read = {"t"} if name != "subscription_changes" and name != "pattern_matches_a_new_topic" else {"t", "u"}
    assert {*owners(stage)} == {partition for topic in topics if topic.name in read for partition in topic}


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_the_same_each_time(name):
    assert play(name).trace == play(name).trace


# Handling Coordinator Failures


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_who_had_not_joined_before_a_failover_sends_joingroup_again(behaviour):
    stage = play("before_all_joined", behaviour)
    assert {*asked(after_failover(stage), "JoinGroup")} == {"member 1", "member 2", "member 3"}


def test_members_of_the_generation_before_keep_their_ids_where_state_is_persisted():
    unknown = {
        name: answers(play("before_all_joined", name), JoinGroup).count(Error.UNKNOWN_MEMBER_ID)
        for name in BEHAVIOURS
    }
    assert unknown == {"proposal": 0, "unpersisted": 2, "kafka": 1}


def test_a_joingroup_aborts_the_synchronisation_that_the_leader_has_begun():
    stage = play("before_all_know_the_generation")
    lines = after_failover(stage)
    assert asked(lines, "SyncGroup, generation 3") == ["member 1", "member 3"]
    assert answers(stage, SyncGroup, 1) == [Error.REBALANCE_IN_PROGRESS, Error.NONE]
    assert generations(stage) == {4}


def test_kafka_forgets_a_generation_that_was_not_synchronised_and_gives_its_number_again():
    stage = play("before_all_know_the_generation", "kafka")
    told = [
        (heard.response.generation, heard.response.member_id)
        for heard in stage.heard
        if type(heard.request) is JoinGroup and heard.response.error is Error.NONE
    ]
    assert [each for each in told if each[0] == 3] == [
        (3, "client-0"), (3, "client-2"), (3, "client-0"), (3, "client-1")
    ]  # fmt: skip


def test_all_synchronise_again_where_the_states_were_not_written():
    stage = play("before_the_states_are_written")
    lines = after_failover(stage)
    assert sorted(asked(lines, "SyncGroup")) == ["member 1", "member 2", "member 3"]
    assert asked(lines, "JoinGroup") == []
    assert generations(stage) == {3}


def test_kafkas_members_join_again_where_the_states_were_not_written():
    assert (
        asked(
            after_failover(play("before_the_states_are_written", "kafka")), "SyncGroup, generation 3, with 3"
        )
        == []
    )


def test_a_state_that_was_written_is_given_at_once_to_who_missed_it():
    stage = play("before_all_know_their_states")
    lines = after_failover(stage)
    assert asked(lines, "SyncGroup") == ["member 3"]
    assert asked(lines, "JoinGroup") == []
    assert generations(stage) == {3}


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name.startswith("before_")])
def test_without_persistence_all_join_again(name):
    if name == "before_it_synchronises":
        return
    lines = after_failover(play(name, "unpersisted"))
    assert {*asked(lines, "JoinGroup")} == {"member 1", "member 2", "member 3"}


@pytest.mark.parametrize(
    ("behaviour", "stays"), [("proposal", True), ("kafka", True), ("unpersisted", False)]
)
def test_members_of_a_stable_group_go_on_when_its_coordinator_moves(behaviour, stays):
    stage = play("it_moves_while_the_group_is_stable", behaviour)
    assert answers(stage, Heartbeat)[:2] == [Error.NOT_COORDINATOR] * 2
    assert (answers(stage, JoinGroup) == []) == stays


# Leader failures, assignment failure


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize(
    "name", ["before_it_synchronises", "while_it_synchronises", "after_it_has_synchronised"]
)
def test_another_leader_follows_one_that_crashed(name, behaviour):
    stage = play(name, behaviour)
    assert [number for number, member in stage.members.items() if member.is_leader] == [2]
    assert {*stage.members} == {2, 3}


def test_a_leader_that_crashed_while_it_synchronised_has_synchronised():
    stage = play("while_it_synchronises")
    assert place(stage, 3, "begins with t-2") < place(stage, 3, "gives up t-2")
    assert answers(stage, SyncGroup, 3) == [Error.NONE, Error.NONE]


def test_a_leader_that_crashed_before_ends_the_generation_for_those_who_wait():
    assert answers(play("before_it_synchronises"), SyncGroup, 2) == [Error.REBALANCE_IN_PROGRESS, Error.NONE]


def test_the_leaders_error_reaches_every_member_in_the_proposal():
    stage = play("sends_an_error")
    assert answers(stage, SyncGroup) == [Error.ASSIGNMENT_FAILED] * 2


def test_in_kafka_one_leader_after_the_other_fails_alone():
    stage = play("sends_an_error", "kafka")
    assert Error.ASSIGNMENT_FAILED not in answers(stage, SyncGroup)
    failed = [entry for entry in stage.trace if entry.label == "fails: ASSIGNMENT_FAILED"]
    assert failed[1].time_ms - failed[0].time_ms >= 10_000


# Changes


@pytest.mark.parametrize(("behaviour", "joins", "generation"), [("proposal", 0, 2), ("kafka", 2, 3)])
def test_changed_topics_lead_to_another_syncgroup_or_in_kafka_to_a_rejoin(behaviour, joins, generation):
    stage = play("topic_grows", behaviour)
    assert len(answers(stage, JoinGroup)) == joins
    assert generations(stage) == {generation}


def test_a_resync_that_moves_a_partition_gives_it_before_its_owner_has_given_it_up():
    stage = play("resync_takes_from_another")
    assert place(stage, 1, "begins with t-2") < place(stage, 2, "gives up t-2")
    assert answers(stage, JoinGroup) == []


def test_a_careful_leader_has_all_join_where_a_partition_moves():
    stage = play("resync_of_a_careful_leader")
    assert len(answers(stage, JoinGroup)) == 2
    assert place(stage, 2, "gives up t-2") < place(stage, 1, "begins with t-0, t-1, t-2")


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("name", ["subscription_changes", "pattern_matches_a_new_topic"])
def test_changed_subscriptions_force_a_rejoin(name, behaviour):
    stage = play(name, behaviour)
    assert answers(stage, JoinGroup) == [Error.NONE] * 2
    assert {partition.topic for partition in owners(stage)} == {"t", "u"}


@pytest.mark.parametrize(("behaviour", "kind"), [("proposal", SyncGroup), ("kafka", JoinGroup)])
def test_changed_racks_concern_a_leader_that_has_one(behaviour, kind):
    assert answers(play("racks_change_for_a_leader_with_one", behaviour), kind) == [Error.NONE] * 2
    assert answers(play("racks_change_for_a_leader_without", behaviour), kind) == []


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_followers_syncgroup_is_parked_until_the_leaders_has_come(behaviour):
    first, last = (play(f"follower_synchronises_{when}", behaviour) for when in ("first", "last"))
    assert asked(first.trace, "SyncGroup") == ["member 2", "member 1"]
    assert asked(last.trace, "SyncGroup") == ["member 1", "member 2"]
    for stage in (first, last):
        assert answers(stage, SyncGroup) == [Error.NONE] * 2


# Members


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_cooperative_member_goes_on_and_gives_up_before_another_one_begins(behaviour):
    stage = play("cooperative_member_joins", behaviour)
    done = [entry.label for entry in stage.trace if entry.source == "member 1" == entry.target]
    assert done == ["gives up t-2"]
    assert place(stage, 1, "gives up t-2") < place(stage, 2, "begins with t-2")


def test_kafka_gives_a_static_member_what_it_had_and_the_proposal_knows_none():
    stage = play("static_member_comes_back", "kafka")
    assert [(heard.member, type(heard.request)) for heard in stage.heard] == [
        (2, FindCoordinator),
        (2, JoinGroup),
        (2, SyncGroup),
    ]
    assert generations(stage) == {2}
    assert generations(play("static_member_comes_back")) == {3}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_writer_that_hears_nothing_stops_before_another_one_begins(behaviour):
    stage = play("single_writer_is_cut_off", behaviour)
    begins = [entry for entry in stage.trace if entry.label == "begins with writer"]
    lost, session_ends = (
        place(stage, 1, "has lost writer"),
        stage.trace.index(next(entry for entry in stage.trace if entry.label.startswith("Joining"))),
    )
    assert lost < session_ends < stage.trace.index(begins[0])
    assert {entry.source for entry in begins} == {"member 2"}


# Protocols


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_a_member_without_a_common_protocol_is_rejected_and_disturbs_nobody(behaviour):
    stage = play("no_common_protocol", behaviour)
    assert [(heard.member, heard.response.error) for heard in stage.heard] == [
        (3, Error.NONE),
        (3, Error.INCONSISTENT_GROUP_PROTOCOL),
    ]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("strategy_upgrade", "range", "roundrobin"), ("metadata_upgrade", "range", "range-v3")],
)
def test_the_old_protocol_is_chosen_until_all_are_upgraded(name, old, new, behaviour):
    stage = play(name, behaviour)
    chosen = [
        (len(heard.response.members), heard.response.protocol)
        for heard in stage.heard
        if type(heard.request) is JoinGroup and heard.response.members
    ]
    assert chosen == [(1, old), (2, old), (1, new), (2, new)]


def test_a_member_that_both_had_and_gets_a_partition_gives_it_up_between_until_all_are_cooperative():
    stage = play("cooperative_upgrade", "kafka")
    assert {member.use.cooperative for member in stage.members.values()} == {True}
    assert stage.members[1].protocol == "cooperative-sticky"
