"""A known defect is recognised by its cause: another defect that breaks the same invariant under the same faults is a new one."""

import sys

import pytest
from bug_records import MUSEUM, read_bugs
from msgspec.structs import replace
from simulation.catching import MUTANTS, apply_mutant, honest

from kassay.protocol.simulation.campaign import Runner, draw_schedule
from kassay.protocol.simulation.group import INVARIANTS
from kassay.protocol.simulation.known_defects import DEFECTS
from kassay.protocol.simulation.monitor import find_defects
from kassay.protocol.simulation.schedule import Fault, Schedule, Setting
from kassay.protocol.simulation.steps import BEHAVIOURS

sys.path.insert(0, str(MUSEUM.parent))
import by_schedule

KAFKA = Setting(coordinator="kafka@4.4.0")
STATIC = replace(KAFKA, static=True)
TRIO = replace(KAFKA, members=3, cooperative=True)
PROPOSAL = Setting()
WRITER = replace(KAFKA, use="single-writer")


def of_museum(issue):
    (bug,) = (one for one in read_bugs(MUSEUM)["staged"] if one.key == issue)
    return by_schedule.import_machines(bug).build_affected


def mutant(name):
    return apply_mutant(MUTANTS[name])


OTHERS = [
    ("generation_was_not_written", "generations_grow", KAFKA, ("failover", "coordinator-crash"), mutant("nothing_is_read")),
    ("generation_was_not_written", "one_leader", KAFKA, ("failover", "coordinator-crash"), mutant("everybody_leads")),
    ("leader_gave_it_to_another", "no_double_client_assignment", replace(PROPOSAL, members=3), ("grow", "racks"), mutant("same_state_for_all")),
    ("leader_gave_away_what_is_committed", "commits_from_owners", PROPOSAL, ("grow", "commit", "pause"), mutant("commits_of_strangers")),
    ("new_id_was_not_written", "no_member_fails", STATIC, ("crash", "coordinator-crash", "leave"), of_museum("KAFKA-10284")),
    ("own_join_came_twice", "no_member_fails", STATIC, ("duplicate", "crash", "leave"), mutant("newcomer_is_fenced")),
    ("join_of_an_older_process_came_later", "no_member_fails", STATIC, ("duplicate", "reorder", "crash"), mutant("newcomer_is_fenced")),
    ("answered_for_one_that_cannot_be_read", "no_member_fails", replace(STATIC, coordinator="kafka@4.1.2"), ("unreadable", "crash"), mutant("newcomer_is_fenced")),
    ("members_of_two_generations_of_one_number", "revoked_before_given", TRIO, ("delay", "leave", "failover"), mutant("claims_nothing")),
    ("later_generations_were_not_written", "commits_from_owners", KAFKA, ("zombie", "cut", "commit", "pause"), mutant("commits_of_strangers")),
    ("who_was_to_give_it_up_came_back", "legal_target_assignment", replace(TRIO, static=True), ("crash", "leave", "grow"), mutant("does_not_rejoin_after_revoking")),
    ("leader_withdrew_what_was_not_learned", "legal_target_assignment", replace(TRIO, coordinator="proposal"), ("grow", "leave"), mutant("does_not_rejoin_after_revoking")),
    ("older_states_came_again", "legal_target_assignment", PROPOSAL, ("duplicate", "grow", "racks"), mutant("same_state_for_all")),
    ("nobody_heard_the_answer", "legal_target_assignment", PROPOSAL, ("duplicate", "grow"), mutant("nobody_is_told_to_synchronise")),
    ("old_id_was_awaited", "stays_stable", STATIC, ("crash", "leave"), mutant("heartbeats_begin_rebalances")),
    ("leader_was_told_to_skip", "legal_target_assignment", replace(STATIC, members=1), ("crash", "grow"), of_museum("KAFKA-13435")),
    ("leader_was_told_to_skip", "legal_target_assignment", replace(STATIC, members=1), ("crash", "leave"), mutant("newcomer_is_given_nothing")),
    ("came_back_subscribed_to_more", "legal_target_assignment", replace(STATIC, members=1, partitions=(1, 1)), ("subscribe", "crash"), mutant("passes_over_more_topics")),
    ("came_back_subscribed_to_other", "runs_end", replace(STATIC, partitions=(1, 1)), ("subscribe", "pause"), mutant("keeps_unknown_id")),
    ("only_the_chosen_protocol_was_written", "eventually_converges", KAFKA, ("upgrade", "failover"), mutant("keeps_old_coordinator")),
    ("old_coordinator_kept_the_lease", "one_writer_at_a_time", WRITER, ("zombie", "cut", "crash"), mutant("works_without_lease")),
    ("old_coordinator_dropped_the_member", "lost_for_a_cause", replace(KAFKA, cooperative=True), ("zombie", "crash"), mutant("followers_are_unknown")),
]  # fmt: skip
"""The known defect, what it breaks, a group, faults under which it can be, and machines that break the same in another way."""
TRIES = 600


@pytest.mark.parametrize(
    ("defect", "invariant", "setting", "kinds", "build"), OTHERS, ids=[f"{one[0]}-{one[1]}" for one in OTHERS]
)
def test_another_fault_under_the_same_kinds_of_faults_is_not_known(defect, invariant, setting, kinds, build):
    assert any(one.name == defect and one.breaks == invariant for one in DEFECTS)
    under, sound = Runner(build), Runner(honest)
    for number in range(TRIES):
        schedule = draw_schedule(setting, kinds, 0, number)
        outcome = under.run(schedule)
        if invariant in dict(outcome.breaches) and not find_defects(outcome, invariant):
            kept = sound.run(schedule)
            assert invariant not in dict(kept.breaches) or find_defects(kept, invariant)
            return
    pytest.fail(f"none of {TRIES} schedules breaks {invariant} unless it is taken for {defect}")


SHOWN = [
    ("nobody_heard_the_answer", Schedule(Setting("streams"), (Fault(3_003, "grow", 1, 706, 1), Fault(3_032, "duplicate", 1, 29)))),
    ("join_of_an_older_process_came_later", Schedule(replace(TRIO, partitions=(2, 2), static=True), (Fault(7_846, "unreadable", 1, 41, 2), Fault(7_851, "duplicate", 1, 11_601)))),
    ("join_of_an_older_process_came_later", Schedule(STATIC, (Fault(9_000, "crash"), Fault(9_003, "reorder", 0, 1_000), Fault(9_100, "crash")))),
    ("join_of_an_older_process_came_later", Schedule(replace(STATIC, partitions=(1,)), (Fault(6_011, "twin", 1, 7), Fault(6_017, "duplicate", 1, 7), Fault(6_021, "unreadable")))),
    ("old_id_was_awaited", Schedule(replace(TRIO, partitions=(2, 2), static=True), (Fault(5_060, "twin", 1, 3_084),))),
    ("came_back_subscribed_to_more", Schedule(replace(STATIC, partitions=(1, 1)), (Fault(6_500, "subscribe", 0, 0, 1), Fault(6_501, "subscribe", 1, 0, 1), Fault(11_900, "crash", 1)))),
    ("came_back_subscribed_to_other", Schedule(replace(STATIC, partitions=(2, 1)), (Fault(27, "loss", 1), Fault(5_016, "subscribe", 1, 0, 1)))),
    ("answered_for_one_that_cannot_be_read", Schedule(replace(STATIC, coordinator="kafka@4.1.2"), (Fault(6_012, "unreadable", 0, 10),))),
    ("commit_in_another_generation_of_that_number", Schedule(replace(WRITER, coordinator="unpersisted", partitions=(1,)), (Fault(12, "failover"), Fault(3_057, "commit", 1), Fault(3_064, "coordinator-crash"), Fault(6_175, "commit")))),
    ("who_was_to_give_it_up_came_back", Schedule(replace(STATIC, cooperative=True), (Fault(17_980, "racks"), Fault(19_044, "stall", 0, 22_004)))),
    ("who_was_to_give_it_up_came_back", Schedule(replace(STATIC, partitions=(2, 2), cooperative=True), (Fault(8_980, "grow"), Fault(11_991, "grow"), Fault(12_031, "crash")))),
]  # fmt: skip
"""The last one has two defects at once: no member has the partitions to revoke, nor the new ones that the leader had to leave."""


@pytest.mark.parametrize(("defect", "schedule"), SHOWN)
def test_a_known_defect_is_recognised_in_a_schedule_that_shows_it(defect, schedule):
    outcome = Runner(honest).run(schedule)
    broken = {one.breaks for one in DEFECTS if one.name == defect} & {*dict(outcome.breaches)}
    assert broken
    assert all(find_defects(outcome, breaks) == (defect,) for breaks in broken)


def test_a_writer_whose_state_is_outdated_before_it_takes_it_up_asks_again():
    faults = Fault(6_039, "departure", 1), Fault(8_212, "late-states", 1, 8_945)
    assert not Runner(honest).run(Schedule(replace(PROPOSAL, use="single-writer"), faults)).breaches


def test_known_defects_name_coordinators_and_invariants_and_say_what_happened():
    for defect in DEFECTS:
        assert {*defect.coordinators} <= BEHAVIOURS.keys()
        assert defect.breaks in INVARIANTS
        assert defect.meets.__doc__
