"""Our coordinator does what Kafka's did in every step of the recorded sequences, and other ones would be noticed."""

import pytest
import recorded
from msgspec.structs import replace
from named import MORE, NAMED
from of_simulation import FOUND, asked_in
from situations import SITUATIONS

from kassay.errors import InputError
from kassay.protocol.simulation import standalone_coordinator as ours
from kassay.protocol.simulation.standalone_coordinator import StandaloneCoordinator, read_choices
from kassay.reference.group import coordinator
from kassay.reference.group.behaviour import PROPOSAL, RELEASES, Behaviour, kafka
from kassay.reference.group.messages import Error, SetTimer, Step

LEAST = 500


def goes_differently(behaviour: Behaviour, release: str, *, follows: bool = True) -> bool:
    """Tell whether any of a release's sequences goes differently, perhaps where Kafka's choice of leaders is not followed."""
    for sequence in recorded.read(release):
        held = StandaloneCoordinator(behaviour, sequence["settings"])
        for asked, seen in recorded.ran(sequence):
            followed = read_choices(seen["group"]) if follows else {"leader": None}
            if held.take(asked, **followed) != seen:
                return True
    return False


@pytest.mark.parametrize("release", RELEASES)
def test_our_coordinator_does_what_kafkas_did(release):
    for sequence in recorded.read(release):
        held = StandaloneCoordinator(kafka(release), sequence["settings"])
        for asked, seen in recorded.ran(sequence):
            ours = held.take(asked, **read_choices(seen["group"]))
            assert ours == seen, (sequence.get("seed") or sequence["name"], asked)


def test_enough_sequences_are_recorded_and_all_named_ones():
    sequences = [sequence for release in RELEASES for sequence in recorded.read(release)]
    assert len({sequence.get("seed") for sequence in sequences}) > LEAST
    for release in RELEASES:
        assert {sequence.get("name") for sequence in recorded.read(release)} == {
            None,
            *NAMED,
            *SITUATIONS,
            *FOUND,
        }


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


def test_metadata_that_stop_a_join_phase_show_in_the_recordings():
    assert goes_differently(replace(kafka("4.1.2"), stops_at_unreadable=False), "4.1.2")
    assert goes_differently(replace(kafka("4.4.0"), stops_at_unreadable=True), "4.4.0")


def test_of_timers_that_run_out_at_once_the_one_set_first_comes_first(monkeypatch):
    """Sessions are set before the time to synchronise, so who is silent is dropped alone, and the others are told to join again."""

    def sync_first(effect):
        return not (isinstance(effect, SetTimer) and effect.key == "sync")

    def step(*args):
        done = coordinator.step(*args)
        return Step(done.state, tuple(sorted(done.effects, key=sync_first)))

    (name,) = (name for name in MORE if "one is silent" in name)
    for release in RELEASES:
        (silent,) = (one for one in recorded.read(release) if one.get("name") == name)
        asked, seen = recorded.ran(silent)[-1]
        assert dict(seen["replies"])[asked["token"]] == {"error": Error.REBALANCE_IN_PROGRESS.value}
        assert list(seen["group"]["members"]) == ["client-1", "client-2"]
    monkeypatch.setattr(ours, "step", step)
    assert goes_differently(kafka("4.4.0"), "4.4.0")


def test_it_is_chance_whose_unreadable_metadata_are_read_first():
    names = [name for name in MORE if "for different reasons" in name]
    ends = {
        recorded.ran(one)[-1][1]["group"]["state"]
        for release in RELEASES[:-1]
        for one in recorded.read(release)
        if one.get("name") in names
    }
    assert ends == {"PreparingRebalance", "Empty"}


def test_before_4_4_a_group_written_with_metadata_that_cannot_be_read_has_no_coordinator_any_more():
    (name,) = (name for name in MORE if "and the node fails" in name)
    for release in RELEASES:
        (one,) = (each for each in recorded.read(release) if each.get("name") == name)
        *_, (_, moved), (_, beat), (_, joined) = recorded.ran(one)
        errors = [reply["error"] for _, reply in (*beat["replies"], *joined["replies"])]
        if release == "4.4.0":
            assert moved["group"]["state"] == "Stable"
            assert errors == [Error.NONE.value, Error.MEMBER_ID_REQUIRED.value]
        else:
            assert (moved["group"], moved["timers"]) == (None, {})
            assert errors == [Error.NOT_COORDINATOR.value] * 2


def test_before_4_4_a_record_that_cannot_be_read_stops_a_log_in_which_later_records_replace_it():
    (name,) = (name for name in MORE if "then the node fails" in name)
    for release in RELEASES:
        (one,) = (each for each in recorded.read(release) if each.get("name") == name)
        *_, (_, before), (_, moved) = recorded.ran(one)
        assert before["group"]["state"] == "Empty"
        assert (moved["group"] is None) == (release != "4.4.0")


@pytest.mark.parametrize("cut", [False, True])
def test_a_negative_version_is_not_looked_at(cut):
    (name,) = (name for name in MORE if "negative version" in name and ("announce" in name) is cut)
    for release in RELEASES:
        (one,) = (each for each in recorded.read(release) if each.get("name") == name)
        answers = [reply for _, seen in recorded.ran(one) for _, reply in seen["replies"]]
        stopped = Error.UNKNOWN_SERVER_ERROR.value in [reply["error"] for reply in answers]
        assert stopped == (cut and release != "4.4.0"), release


def test_a_refused_join_says_as_much_of_the_generation_as_kafka_does():
    told = [
        reply
        for release in RELEASES
        for sequence in recorded.read(release)
        for asked, seen in recorded.ran(sequence)
        for token, reply in seen["replies"]
        if asked.get("token") == token and asked["do"] == "join" and reply["error"]
    ]
    assert {("protocol" in reply, "generation" in reply) for reply in told} == {
        (False, False), (True, False), (True, True),
    }  # fmt: skip
    assert {reply["protocol"] for reply in told if "protocol" in reply and "generation" not in reply} == {
        None
    }


def test_who_waits_for_a_batch_that_takes_too_long_is_refused_and_the_group_stays():
    answers = {}
    for name in (name for name in MORE if "takes too long" in name):
        (one,) = (one for one in recorded.read("4.4.0") if one.get("name") == name)
        ((_, seen),) = (step for step in recorded.ran(one) if step[0]["do"] == "timed out")
        answers[name] = ({reply["error"] for _, reply in seen["replies"]}, bool(seen["group"]["members"]))
    assert set(map(str, answers.values())) == {str(({Error.COORDINATOR_NOT_AVAILABLE.value}, True))}


def test_kafka_leaves_the_next_leader_to_chance():
    assert goes_differently(kafka("4.4.0"), "4.4.0", follows=False)


def test_a_release_that_nobody_recorded_is_refused():
    with pytest.raises(InputError, match=r"'4\.5\.0' has no recorded coordinator. Take one of 3\.9\.2"):
        kafka("4.5.0")
