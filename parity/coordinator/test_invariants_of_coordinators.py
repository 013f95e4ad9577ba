"""What holds of a coordinator whatever happens to it: for the proposal, with and without persistence, and for Kafka."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from asking import Asking
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from random_actions import sequence
from whole import share

from kassay.protocol.simulation.standalone_coordinator import StandaloneCoordinator
from kassay.reference.group.behaviour import PROPOSAL, UNPERSISTED, Behaviour, kafka
from kassay.reference.group.coordinator import load, step
from kassay.reference.group.coordinator.state import WITHOUT_MEMBERS
from kassay.reference.group.messages import Asked, Error, JoinGroup, Protocol, Refused, Reply

BEHAVIOURS = [PROPOSAL, UNPERSISTED, kafka("4.4.0")]
every_behaviour = pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=lambda behaviour: behaviour.name)
seeds = st.integers(0, 2**32)
usually = settings(max_examples=share(25, 5_000), deadline=None)
Seen = tuple[StandaloneCoordinator, dict[str, Any], dict[str, Any]]


def life(behaviour: Behaviour, seed: int) -> Iterator[Seen]:
    """Yield a coordinator after each step of a random sequence, what was asked and what was seen then."""
    rng = random.Random(seed)
    made = sequence(rng)
    delay = None if behaviour.initial_delay_ms is None else made["settings"]["delay"]
    held = StandaloneCoordinator(behaviour, made["settings"] | {"delay": delay})
    for asked in Asking(held).all(made["actions"]):
        members = sorted(held.coordinator.members)
        yield held, asked, held.take(asked, rng.choice(members) if members else None)


@every_behaviour
@given(seeds)
@usually
def test_generations_grow_while_the_group_and_its_coordinator_live(behaviour, seed):
    last = 0
    for held, asked, _ in life(behaviour, seed):
        if asked["do"] == "fail over" or held.coordinator.state == "Down" or held.coordinator.generation == 0:
            last = 0
        assert held.coordinator.generation >= last
        last = held.coordinator.generation


@every_behaviour
@given(seeds)
@usually
def test_a_generation_has_one_leader_who_is_a_member_and_alone_learns_of_all(behaviour, seed):
    leaders: dict[int, str] = {}
    for held, asked, seen in life(behaviour, seed):
        coordinator = held.coordinator
        assert (coordinator.leader in coordinator.members) == bool(coordinator.members) or (
            coordinator.leader is None and not coordinator.members
        )
        if asked["do"] == "fail over" or coordinator.state == "Down":
            leaders.clear()
        for _, reply in seen["replies"]:
            if "generation" in reply and not reply["error"]:  # a refused write tells the generation, too
                if not reply["skip"] and not coordinator.is_initial and coordinator.state == "AwaitSync":
                    assert leaders.setdefault(reply["generation"], reply["leader"]) == reply["leader"]
                assert not reply["members"] or reply["leader"] == reply["member"]


@every_behaviour
@given(seeds)
@usually
def test_the_protocol_of_a_generation_is_supported_by_all_its_members(behaviour, seed):
    for held, _, _ in life(behaviour, seed):
        if held.coordinator.state in {"AwaitSync", "Stable"}:
            for member in held.coordinator.roster:
                assert held.coordinator.protocol in {protocol.name for protocol in member.protocols}


@every_behaviour
@given(seeds)
@usually
def test_no_request_is_answered_twice(behaviour, seed):
    answered = Counter(token for _, _, seen in life(behaviour, seed) for token, _ in seen["replies"])
    assert not [token for token, times in answered.items() if times > 1]


@pytest.mark.parametrize("delay", [None, 0])
def test_who_was_told_of_a_generation_is_not_told_that_its_group_could_not_be_written(delay):
    behaviour = replace(kafka("4.4.0"), initial_delay_ms=delay)
    asked = Asked("a", JoinGroup(instance_id="i", protocols=(Protocol("range", "m"),)))
    joined = step(behaviour, load(behaviour, ()).state, asked)
    refused = step(behaviour, joined.state, Refused(0, Error.COORDINATOR_NOT_AVAILABLE))
    answers = [one.response.error for one in (*joined.effects, *refused.effects) if isinstance(one, Reply)]
    assert answers == [Error.NONE if delay is None else Error.COORDINATOR_NOT_AVAILABLE]
    assert refused.state.state == "Down"


@every_behaviour
@given(seeds)
@usually
def test_every_parked_request_has_a_timer_or_a_batch_that_will_answer_it(behaviour, seed):
    for held, _, _ in life(behaviour, seed):
        coordinator = held.coordinator
        for member in coordinator.roster:
            if member.joining is not None and coordinator.state == "Joining":
                assert "rebalance" in held.timers
            if member.syncing is not None and coordinator.state == "AwaitSync":
                leader = ("session", coordinator.leader)
                assert leader in held.timers or "sync" in held.timers or held.waiting


@every_behaviour
@given(seeds)
@usually
def test_in_the_end_nothing_is_parked_and_nobody_is_there(behaviour, seed):
    held = [held for held, _, _ in life(behaviour, seed)][-1]
    token = 0
    while held.waiting or held.coordinator.pending or held.coordinator.state not in WITHOUT_MEMBERS:
        token += 1
        assert token < 200, "members that are silent are not dropped"
        if held.waiting:
            held.take({"do": "written", "now": held.now}, None)
            continue
        due = min(held.timers.values())
        for asked in Asking(held).all([{"do": "timer", "tie": 0, "outcome": "now"}]):
            held.take(asked | {"now": max(held.now, due)}, None)
    assert not held.coordinator.members


@every_behaviour
@given(seeds)
@usually
def test_only_members_of_the_generation_commit_while_there_are_members(behaviour, seed):
    before: set[str] = set()
    generation, empty = 0, True
    for held, asked, seen in life(behaviour, seed):
        own = [reply["error"] for token, reply in seen["replies"] if token == asked.get("token")]
        if asked["do"] == "commit" and own == [0] and not empty:
            assert asked["member"] in before
            assert asked["generation"] == generation
        before, generation, empty = (
            {*held.coordinator.members},
            held.coordinator.generation,
            held.coordinator.state in WITHOUT_MEMBERS,
        )
