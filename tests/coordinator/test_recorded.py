"""Our coordinator does what Kafka's did in every step of the recorded sequences, and other ones would be noticed."""

import pytest
import recorded
from found_schedules import FOUND
from msgspec.structs import replace
from named import NAMED
from of_simulation import asked_in
from ours import Held

from kassay.errors import InputError
from kassay.reference.group.behaviour import PROPOSAL, RELEASES, Behaviour, kafka
from kassay.reference.group.messages import Error

LEAST = 500


def goes_differently(behaviour: Behaviour, release: str, *, follows: bool = True) -> bool:
    """Tell whether any of a release's sequences goes differently, perhaps where Kafka's choice of leaders is not followed."""
    for sequence in recorded.read(release):
        held = Held(behaviour, sequence["settings"])
        for asked, seen in recorded.ran(sequence):
            leader = (seen["group"] or {}).get("leader")
            if held.take(asked, leader if follows else None) != seen:
                return True
    return False


@pytest.mark.parametrize("release", RELEASES)
def test_our_coordinator_does_what_kafkas_did(release):
    for sequence in recorded.read(release):
        held = Held(kafka(release), sequence["settings"])
        for asked, seen in recorded.ran(sequence):
            ours = held.take(asked, (seen["group"] or {}).get("leader"))
            assert ours == seen, (sequence.get("seed") or sequence["name"], asked)


def test_enough_sequences_are_recorded_and_all_named_ones():
    sequences = [sequence for release in RELEASES for sequence in recorded.read(release)]
    assert len({sequence.get("seed") for sequence in sequences}) > LEAST
    for release in RELEASES:
        assert {sequence.get("name") for sequence in recorded.read(release)} == {None, *NAMED, *FOUND}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("release", RELEASES)
def test_what_the_simulator_found_was_put_to_kafkas_coordinator_request_by_request(release, name):
    schedule, breaks = FOUND[name]
    asked, outcome = asked_in(schedule)
    (sequence,) = [one for one in recorded.read(release) if one.get("name") == name]
    assert breaks in dict(outcome.breaches)
    assert [of_kafka for of_kafka, _ in recorded.ran(sequence)] == asked


@pytest.mark.parametrize("release", RELEASES)
def test_kafkas_answers_show_what_was_found(release):
    of = {one.get("name"): recorded.ran(one) for one in recorded.read(release)}
    twice, fenced, awaited, skipped, withheld, doubled, late, older, more = (
        [(asked["do"], reply, seen["group"]) for asked, seen in of[name] for _, reply in seen["replies"]]
        for name in FOUND
    )
    generations = [
        (reply["generation"], *sorted(reply["members"])) for _, reply, _ in twice if reply.get("members")
    ]
    assert {number for number, *_ in generations} == {1}
    assert len({*generations}) == 2
    assert fenced[-1][1]["error"] == Error.FENCED_INSTANCE_ID.value or any(
        reply["error"] == Error.FENCED_INSTANCE_ID.value for _, reply, _ in fenced
    )
    assert any({*group["unsynced"]} - group["members"].keys() for _, _, group in awaited if group)
    assert any(reply.get("skip") for _, reply, _ in skipped)
    assert any(
        (do, reply.get("members"), reply.get("generation"), group["state"]) == ("written", {}, 2, "Stable")
        for do, reply, group in withheld
    )
    assert {reply["error"] for do, reply, _ in doubled if do == "join"} == {Error.FENCED_INSTANCE_ID.value}
    assert [reply["generation"] for _, reply, _ in late if reply.get("protocol") and "members" in reply][
        :4
    ] == [1, 1, 2, 1]
    assert any((do, reply, group["generation"]) == ("written", {"error": 0}, 1) for do, reply, group in late)
    assert ("heartbeat", {"error": Error.FENCED_INSTANCE_ID.value}) in [(do, reply) for do, reply, _ in older]
    began, came_back = (reply["members"] for _, reply, _ in more if reply.get("generation") == 2)
    assert {text for _, text in began.values()} != {text for _, text in came_back.values()}


@pytest.mark.parametrize(
    "other",
    [
        {"answers_unchanged": False},
        {"awaiting_sync": PROPOSAL.awaiting_sync},
        {"own_rebalance_timeout": False},
        {"sync_timeout": False},
        {"static_members": False},
        {"member_id_required": False},
        {"ties_by_hash": False},
        {"new_member_timeout_ms": None},
        {"persists": "each phase"},
        {"resyncs": True},
    ],
    ids=lambda other: next(iter(other)),
)
def test_every_way_in_which_the_two_differ_shows_in_the_recordings(other):
    assert goes_differently(replace(kafka("4.4.0"), **other), "4.4.0")


def test_kafka_leaves_the_next_leader_to_chance():
    assert goes_differently(kafka("4.4.0"), "4.4.0", follows=False)


def test_a_release_that_nobody_recorded_is_refused():
    with pytest.raises(InputError, match=r"'4\.5\.0' has no recorded coordinator; take one of 3\.9\.2"):
        kafka("4.5.0")
