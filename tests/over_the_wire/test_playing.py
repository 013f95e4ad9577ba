"""Group fixtures over a socket: the reference answers every case that can be asked, a mutant does not, and what cannot be asked says why."""

import pytest
from over_the_wire.machine_broker import Broker, run
from over_the_wire.test_coordinators import SETTING, build
from simulation.rebalance_mutants import (
    commits_while_states_are_awaited,
    heartbeats_in_joining,
    same_state_for_all,
)

from kassay.cli import main
from kassay.conformance import group_playback
from kassay.conformance.group import play_coordinator, read_chosen_cases, write_response
from kassay.conformance.group_playback import CHECK, build_steps, play_cases
from kassay.protocol.server.addresses import parse_coordinator_address
from kassay.protocol.server.external_cluster import ASKED, Cluster
from kassay.protocol.simulation import standalone_coordinator as seen
from kassay.reference.group.behaviour import RELEASES, kafka

pytestmark = pytest.mark.usefixtures("many_connections")
NEWEST = {int(api): newest for api, (_, newest) in ASKED.items()}
AS_CHOSEN = group_playback.Broker(3_000, None, kafka("4.4.0"))
COORDINATORS = [case for case in read_chosen_cases() if case.side == "coordinator"]


def outcome(patterns=(), mutate=lambda machines: machines, old=False):
    async def asked():
        broker = Broker(mutate(build(SETTING)))
        cluster = Cluster(parse_coordinator_address(await broker.open()), "own", remote=False, old=old)
        found = await play_cases(cluster, read_chosen_cases(), patterns, AS_CHOSEN)
        broker.server.close()
        return {case.id: said for case, said in found}

    return run(asked())


def test_the_reference_answers_every_case():
    found = outcome()
    assert len(found) == len(COORDINATORS)
    asked = [said for said in found.values() if not isinstance(said, str)]
    assert len(asked) == 45
    assert not [said for said in asked if said[CHECK]]


def test_what_is_expected_is_what_stands_in_the_file():
    for case in COORDINATORS:
        steps = build_steps(case, AS_CHOSEN, NEWEST)
        if isinstance(steps, str):
            continue
        replies = [one for step in play_coordinator(case, RELEASES[-1]).steps for one in step["replies"]]
        assert {token for token, _ in replies} == {step.token for step in steps if step.due is not None}
        for step in steps:
            if step.due is not None:
                ours = dict(replies)[step.token]
                theirs = write_response(step.kind, seen.describe_response(step.answer))
                assert theirs["errorCode"] == ours["error"]
                assert theirs.get("memberId") in (None, ours.get("member"))


@pytest.mark.parametrize(
    "mutate", [commits_while_states_are_awaited, heartbeats_in_joining, same_state_for_all]
)
def test_mutants_fail_cases(mutate):
    found = outcome(["group-000*", "group-0026", "group-0056"], mutate)
    assert [said for said in found.values() if not isinstance(said, str) and said[CHECK]]


@pytest.mark.parametrize(
    ("broker", "said"),
    [
        (AS_CHOSEN, "asks for group.max.size=2. Say --max-size where the broker has that"),
        (group_playback.Broker(0, 2, kafka("4.4.0")), "an id is used before it is told"),
    ],
)
def test_what_cannot_be_asked_says_why(broker, said):
    whys = [why for case in COORDINATORS if isinstance(why := build_steps(case, broker, NEWEST), str)]
    assert any(said in why for why in whys)
    assert any("another node takes over" in why for why in whys)


def test_an_old_broker_is_not_asked_about_static_members():
    old = {**NEWEST, 11: 4}
    whys = {
        build_steps(case, AS_CHOSEN, old) for case in COORDINATORS if "static member comes" in case.comment
    }
    assert any("these versions have no static members" in str(why) for why in whys)


def test_it_is_told_as_ever(monkeypatch, capsys):
    async def some(*_):
        first, second = COORDINATORS[:2]
        return [(first, {CHECK: "join 1 errorCode is 0 instead of 79"}), (second, "needs something")]

    monkeypatch.setattr(group_playback, "play_cases", some)
    assert main(["fixtures", "run", "coordinator:127.0.0.1:9"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "fails 1 of 1 check of 1 case." in said
    assert "errorCode is 0 instead of 79" in said
    assert "Skipped: 1 case (needs something)." in said
