"""Our member does what Kafka's did in every step of the recorded sequences, and one that does otherwise is noticed."""

import pytest
from faults import FAULTS
from replayed import RELEASES, differs, read

LEAST = 250


@pytest.mark.parametrize("release", RELEASES)
def test_our_member_does_what_kafkas_did(release):
    for seed, sequence in read(release).items():
        assert differs(sequence) is None, seed


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_shows_in_the_recordings(fault):
    assert any(differs(one, FAULTS[fault]) for release in RELEASES for one in read(release).values())


def test_enough_is_recorded_and_all_that_can_happen_to_a_member_is_in_it():
    sequences = [one for release in RELEASES for one in read(release).values()]
    assert len(sequences) >= LEAST
    sorts = {(one["settings"]["cooperative"], one["settings"]["instance"]) for one in sequences}
    assert sorts == {(False, None), (False, "i"), (True, None), (True, "i")}
    steps = [step for one in sequences for step in one["steps"]]
    assert {asked["do"] for asked, _ in steps} == {
        "answer", "begin", "break", "close", "cluster", "commit", "resume", "stall", "subscribe", "wait",
    }  # fmt: skip
    assert {one["kind"] for _, seen in steps for one in seen.get("sent", ())} == {
        "join", "sync", "heartbeat", "commit", "leave",
    }  # fmt: skip
    assert {what for _, seen in steps for what, *_ in seen.get("heard", ())} == {
        "assigned",
        "revoked",
        "lost",
    }
    errors = {
        kind: {asked["error"] for asked, _ in steps if asked.get("kind") == kind}
        for kind in ("join", "sync", "heartbeat", "commit", "find")
    }
    assert {kind: len(of) for kind, of in errors.items() if len(of) < 3} == {}
    assert any(seen.get("failed") for _, seen in steps)
