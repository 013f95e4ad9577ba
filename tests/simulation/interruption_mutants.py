"""Mutants that show only if members have different timeouts, a member hangs in a rebalance, or requests and states are late."""

from msgspec.structs import replace
from simulation.changes import change_coordinator_step, change_received_requests, ignore_events
from simulation.rebalance_mutants import Mutant

from kassay.reference.group.messages import Alarm, JoinGroup, OffsetCommit, SetTimer, Step


def _change_timers(done, change):
    """Return a step with timers whose delays are changed; `change` gets key, delay and members."""
    effects = (
        SetTimer(one.key, change(one.key, one.delay_ms, done.state.members)) if type(one) is SetTimer else one
        for one in done.effects
    )
    return Step(done.state, tuple(effects))


@change_coordinator_step
def all_have_the_first_session(step, coordinator, event):
    """Each session lasts as long as the session of the first member, unless the member is new."""

    def change(key, delay, members):
        known = members.get(key[1]) if key[0] == "session" else None
        if known is None or known.is_new:
            return delay
        return next(iter(members.values())).session_timeout_ms

    return _change_timers(step(coordinator, event), change)


@change_coordinator_step
def rebalances_take_the_shortest_time(step, coordinator, event):
    """A rebalance lasts as long as the member asked for that gives the least time."""
    done = step(coordinator, event)

    def change(key, delay, members):
        waits = key == "rebalance" and done.state.remaining_ms is None and members
        return min(one.rebalance_timeout_ms for one in members.values()) if waits else delay

    return _change_timers(done, change)


@change_received_requests(JoinGroup)
def stored_timeouts_are_rounded(_coordinator, request):
    """A session timeout below ten seconds counts as ten seconds."""
    return replace(request, session_timeout_ms=max(10_000, request.session_timeout_ms))


@ignore_events
def hanging_leaders_are_awaited(_coordinator, event):
    """A leader whose heartbeats go on is awaited without a limit."""
    return event == Alarm("sync")


@ignore_events
def silent_newcomers_stay(coordinator, event):
    """The session of a new member does not end while its JoinGroup is parked."""
    known = (
        coordinator.members.get(event.key[1]) if type(event) is Alarm and event.key[0] == "session" else None
    )
    return known is not None and known.is_new and known.joining is not None


@change_received_requests(OffsetCommit)
def late_commits_count(coordinator, request):
    """A commit of the last generation but one counts as a commit of the last one."""
    late = request.generation == coordinator.generation - 1
    return replace(request, generation=coordinator.generation) if late else request


INTERRUPTION_MUTANTS = {
    "timers_as_asked": (
        Mutant(all_have_the_first_session, ()),
        Mutant(rebalances_take_the_shortest_time, ()),
    ),
    "known_by_what_it_says": (Mutant(stored_timeouts_are_rounded, ()),),
    "dropped_in_time": (Mutant(hanging_leaders_are_awaited, ()), Mutant(silent_newcomers_stay, ())),
    "fenced_by_generation": (Mutant(late_commits_count, ()),),
}
"""Invariant -> the mutants that break it."""
