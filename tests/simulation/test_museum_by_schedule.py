"""Old bugs of the group protocol show in the schedules that are recorded for them, and not without the bug."""

import re
import sys

import pytest
from bug_records import MUSEUM, StagedBug, read_bugs
from whole import WHOLE

from kassay.protocol.simulation.group import INVARIANTS

sys.path.insert(0, str(MUSEUM.parent))
import by_schedule

EVERY: list[StagedBug] = read_bugs(MUSEUM)["staged"]
BY_KEY = {one.key: one for one in EVERY}
RECORDED = by_schedule.read_schedules()
LEAST = 12


def test_enough_bugs_are_staged_and_the_smallest_schedule_of_each_is_recorded():
    assert len(BY_KEY) == len(EVERY) >= LEAST
    for key in BY_KEY:
        assert key in RECORDED, f"{key}: no schedule is recorded; python museum/run.py {key} --record"
    modules = {path.stem for path in MUSEUM.parent.joinpath("protocol").glob("*.py")}
    unlisted = modules - {key.lower().replace("-", "_") for key in BY_KEY}
    assert not unlisted, (
        f"museum/protocol/: add a [[staged]] entry for {sorted(unlisted)} to museum/museum.toml"
    )
    assert RECORDED.keys() <= BY_KEY.keys()


@pytest.mark.parametrize("bug", EVERY, ids=lambda bug: bug.key)
def test_an_entry_names_the_issue_and_two_releases_of_the_side(bug):
    assert re.fullmatch(r"KAFKA-\d+", bug.key)
    library = "kafka" if bug.side == "coordinator" else "kafka-clients"
    before, after = (release.removeprefix(f"{library} ").split(".") for release in (bug.affected, bug.fixed))
    assert [*map(int, before)] < [*map(int, after)]


@pytest.mark.parametrize("bug", EVERY, ids=lambda bug: bug.key)
def test_the_recorded_schedule_shows_the_bug_and_the_fixed_machines_keep_the_invariant(bug):
    found = RECORDED[bug.key]
    assert found.breaks in INVARIANTS
    assert found.breaks in by_schedule.MachinePair.build(bug).list_broken(found.schedule)


def test_the_timeline_of_a_schedule_names_groups_and_errors():
    bug = BY_KEY["KAFKA-10284"]
    schedule = RECORDED[bug.key].schedule
    assert "static" in by_schedule.describe_schedule(schedule)
    assert "FENCED_INSTANCE_ID" in by_schedule.render_timeline(bug, schedule)


def test_a_bug_is_found_without_a_hint():
    found = by_schedule.find_schedule(BY_KEY["KAFKA-9752"], tries=500)
    assert found is not None
    assert found.breaks in {"eventually_converges", "owned_in_time"}


@pytest.mark.skipif(not WHOLE, reason="takes minutes")
@pytest.mark.parametrize("bug", EVERY, ids=lambda bug: bug.key)
def test_every_bug_is_found_without_a_hint(bug):
    assert by_schedule.find_schedule(bug) is not None
