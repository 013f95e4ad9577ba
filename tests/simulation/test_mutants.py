"""Every mutant is caught by the schedule that is recorded for it, under which the machines themselves keep the same invariant."""

import msgspec
import pytest
from msgspec.structs import replace
from simulation.catching import (
    CORPUS,
    FILE,
    MUTANTS,
    PROTOCOL_MUTANTS,
    apply_mutant,
    find_breach,
    find_by_command,
    find_first_breach,
    find_schedule,
    honest,
)
from simulation.client_mutants import RARE
from simulation.departure_mutants import DEPARTURE_MUTANTS
from simulation.fresh_mutants import FRESH, HARMLESS
from simulation.interruption_mutants import INTERRUPTION_MUTANTS
from simulation.rebalance_mutants import KAFKA
from whole import seed_of_the_day, some

from kassay.protocol.simulation.campaign import (
    Runner,
    draw_schedule,
    list_fitting_faults,
    read_corpus,
    vary_setting,
)
from kassay.protocol.simulation.group import INVARIANTS
from kassay.protocol.simulation.monitor import find_defects
from kassay.protocol.simulation.schedule import Fault, Schedule

CAUGHT = msgspec.json.decode(FILE.read_bytes())


def test_enough_mutants_are_recorded_and_all_are():
    assert len(CAUGHT) >= 40
    assert CAUGHT.keys() == MUTANTS.keys()
    assert {one["breaks"] for one in CAUGHT.values()} <= INVARIANTS.keys()


@pytest.mark.parametrize("name", CAUGHT)
def test_the_schedule_shows_the_mutant_and_nothing_of_the_machines(name):
    schedule = msgspec.convert(CAUGHT[name]["schedule"], Schedule)
    broken = dict(Runner(apply_mutant(MUTANTS[name])).run(schedule).breaches)
    assert CAUGHT[name]["breaks"] in broken
    assert CAUGHT[name]["breaks"] not in dict(Runner(honest).run(schedule).breaches)


@pytest.mark.parametrize("name", CAUGHT)
def test_the_mutant_is_found_by_drawing(name):
    mutant = MUTANTS[name]
    assert find_schedule(mutant, find_breach(mutant)) is not None


def test_the_corpus_has_the_schedules_of_all_mutants():
    assert msgspec.json.decode(CORPUS.read_bytes()) == [one["schedule"] for one in CAUGHT.values()]


@pytest.mark.parametrize("name", [*CAUGHT][:: some(6, 1)])
def test_the_default_command_finds_the_mutant(name):
    assert find_first_breach(MUTANTS[name]) is not None


PARTS = some(4, 1)
OF_TODAY = FRESH[seed_of_the_day() % PARTS :: PARTS]


@pytest.mark.parametrize("mutant", OF_TODAY, ids=[one.name for one in OF_TODAY])
def test_the_default_command_finds_what_nobody_planted_before(mutant):
    place = find_first_breach(mutant, known=False)
    assert (place is None) == (mutant.name in HARMLESS)


SHARE = some(16, 1)
PLANTED = PROTOCOL_MUTANTS[seed_of_the_day() % SHARE :: SHARE]


@pytest.mark.parametrize("mutant", PLANTED, ids=[one.name for one in PLANTED])
def test_one_of_three_commands_finds_what_was_planted_from_the_protocol(mutant):
    assert (find_by_command(mutant) is None) == (mutant.name in RARE)


INTERRUPTED = [(name, mutant) for name, mutants in INTERRUPTION_MUTANTS.items() for mutant in mutants]


@pytest.mark.parametrize(("invariant", "mutant"), INTERRUPTED, ids=lambda one: getattr(one, "name", ""))
def test_the_default_command_finds_what_only_an_interrupted_rebalance_shows(invariant, mutant):
    assert find_first_breach(mutant, known=False, by=invariant) is not None


ONLY = [(invariant, mutant) for invariant, mutants in DEPARTURE_MUTANTS.items() for mutant in mutants]
ALSO = {"who_leaves_works_on": ("application_hears",)}
"""Mutant -> other invariants that it breaks, because an invariant of the application sees it as well."""
FIRST = 520
"""The number of schedules in which each of these mutants is found."""


@pytest.mark.parametrize(("invariant", "mutant"), ONLY, ids=lambda one: getattr(one, "name", ""))
def test_one_invariant_finds_the_mutant_and_no_other_does(invariant, mutant):
    runner, broken = Runner(apply_mutant(mutant)), set()
    for number in range(FIRST):
        setting = vary_setting(replace(mutant.setting, static=False), number)
        outcome = runner.run(draw_schedule(setting, list_fitting_faults(setting, None), 0, number))
        broken |= {name for name, _ in outcome.breaches if not find_defects(outcome, name)}
    assert broken == {invariant, *ALSO.get(mutant.name, ())}


ALL = {**MUTANTS, **{one.name: one for one in (*FRESH, *PROTOCOL_MUTANTS)}}
BREAKS = {
    "supported_strategy": "leaders_strategy",
    "member_generations_grow": "falls_back",
    "requests_answered": "refusals_of_the_log_are_ignored",
    "fenced_by_generation": "commits_of_strangers",
    "taken_over_whole": "failover_loses_a_member",
    "dropped_in_time": "given_ids_are_awaited_for_ever",
    "known_by_what_it_says": "rejoining_changes_nothing",
    "given_as_set": "states_are_mixed_up",
    "heeds_what_it_is_told": "ignores_unknown_member",
    "timers_as_asked": "sessions_take_ten_times_as_long",
    "owned_in_time": "sessions_take_ten_times_as_long",
    "written_as_it_is": "states_are_not_written",
    "refused_for_a_cause": "rebalancing_members_are_unknown",
    "strangers_are_refused": "strange_protocols_join",
    "leaving_ends_membership": "who_leaves_stays",
    "absent_members_are_dropped": "absent_members_stay",
    "generations_begin_last": "generations_rise_early",
    "new_ids_are_new": "ids_are_given_twice",
    "joins_begin_rebalances": "newcomers_wait",
    "waits_are_limited": "the_sync_timer_is_not_set",
    "retired_coordinators_refuse": "retired_coordinators_say_nothing",
    "heartbeats_go_on": "who_does_not_poll_is_silent",
    "asks_as_it_is": "default_timeouts_are_sent",
    "ids_are_kept": "illegal_generations_cost_the_id",
    "leaders_give_to_all": "leaders_give_to_themselves",
    "application_hears": "applications_do_not_hear_of_losing",
    "commits_are_reported": "commits_are_not_reported",
    "cooperative_members_keep": "cooperative_members_revoke_all",
    "only_what_is_wanted": "fewer_topics_are_passed_over",
}
"""Invariant -> a mutant that breaks it."""
ELSEWHERE = {
    "single_writer": "a test below",
    "takes_what_it_wants": "a test below",
    "machines_do_not_fail": "machines in test_step_limits.py",
    "runs_end": "machines in test_step_limits.py",
    "revoked_before_given": "other machines in test_known_defects.py",
}
"""The invariants that no mutant breaks under drawn schedules -> what breaks them."""


def test_every_invariant_is_broken_by_something():
    broken = (
        BREAKS.keys()
        | ELSEWHERE.keys()
        | DEPARTURE_MUTANTS.keys()
        | {one["breaks"] for one in CAUGHT.values()}
    )
    for name in INVARIANTS:
        assert name in broken, (
            f"{name}: nothing breaks it, so perhaps nothing asks it. Add a mutant (CONTRIBUTING) and its line to BREAKS"
        )


def test_two_writers_of_one_generation_are_seen():
    setting = replace(KAFKA, use="single-writer")
    schedule = Schedule(setting, (Fault(20_000, "commit", 0), Fault(21_000, "commit", 1)))
    assert "single_writer" in dict(Runner(apply_mutant(MUTANTS["same_state_for_all"])).run(schedule).breaches)
    assert not Runner(honest).run(schedule).breaches


def test_a_member_that_takes_partitions_of_other_topics_is_seen():
    setting = replace(KAFKA, static=True, partitions=(2, 1))
    schedule = Schedule(setting, (Fault(27, "loss", 1), Fault(5_016, "subscribe", 1, 0, 1)))
    mutant = ALL["unsubscribed_partitions_are_taken"]
    assert "takes_what_it_wants" in dict(Runner(apply_mutant(mutant)).run(schedule).breaches)
    outcome = Runner(honest).run(schedule)
    assert outcome.known == (("runs_end", "came_back_subscribed_to_other"),)
    assert [name for name, _ in outcome.breaches] == ["runs_end"]


@pytest.mark.parametrize("invariant", BREAKS)
def test_the_invariant_has_a_mutant_that_breaks_it(invariant):
    mutant = ALL[BREAKS[invariant]]
    assert find_first_breach(mutant, by=invariant, static=mutant.setting.static) is not None


@pytest.mark.parametrize("coordinator", ["kafka@4.4.0", "proposal"])
def test_the_corpus_shows_nothing_of_the_machines_as_they_are(coordinator):
    setting = replace(MUTANTS["dead_members_stay"].setting, coordinator=coordinator)
    runner = Runner(honest)
    for schedule in read_corpus(setting, list_fitting_faults(setting, None)):
        outcome = runner.run(schedule)
        assert [name for name, _ in outcome.breaches if not find_defects(outcome, name)] == [], schedule
