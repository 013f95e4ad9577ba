"""Old faults of the group protocol show in the schedules that are recorded for them, and not without the fault."""

import re
import sys
from pathlib import Path

import msgspec
import pytest
from whole import WHOLE

from kassay.protocol.simulation.group import INVARIANTS
from kassay.protocol.simulation.schedule import Schedule

sys.path.insert(0, str(Path(__file__).parents[2] / "museum"))
import by_schedule

MUSEUM = Path(by_schedule.__file__).parent
EVERY = by_schedule.staged([])
RECORDED = by_schedule.recorded()
LEAST = 12


def test_enough_faults_are_staged_and_the_smallest_schedule_of_each_is_recorded():
    issues = [one.issue for one in EVERY]
    assert len({*issues}) == len(issues) >= LEAST
    for issue in issues:
        assert issue in RECORDED, f"{issue}: no schedule is recorded; python museum/run.py {issue} --record"
    modules = {path.stem for path in MUSEUM.joinpath("protocol").glob("*.py")}
    unlisted = modules - {issue.lower().replace("-", "_") for issue in issues}
    assert not unlisted, (
        f"museum/protocol/: add a [[staged]] entry for {sorted(unlisted)} to museum/museum.toml"
    )
    assert RECORDED.keys() <= {*issues}


@pytest.mark.parametrize("issue", [one.issue for one in EVERY])
def test_every_staged_fault_has_its_row(issue):
    rows = (MUSEUM.parent / "docs" / "results" / "old-bugs.md").read_text().splitlines()
    assert any(row.startswith("|") and issue in row for row in rows), (
        f"{issue}: add a row to docs/results/old-bugs.md"
    )


@pytest.mark.parametrize("staged", EVERY, ids=lambda one: one.issue)
def test_an_entry_says_who_had_the_fault_and_in_which_releases(staged):
    assert re.fullmatch(r"KAFKA-\d+", staged.issue)
    assert staged.side in {"coordinator", "member"}
    library = "kafka" if staged.side == "coordinator" else "kafka-clients"
    before, after = (
        release.removeprefix(f"{library} ").split(".") for release in (staged.affected, staged.fixed)
    )
    assert [*map(int, before)] < [*map(int, after)]


@pytest.mark.parametrize("staged", EVERY, ids=lambda one: one.issue)
def test_the_recorded_schedule_shows_the_fault_and_the_fixed_machines_keep_the_invariant(staged):
    kept = RECORDED[staged.issue]
    schedule = msgspec.convert(kept["schedule"], Schedule)
    assert kept["breaks"] in INVARIANTS
    assert kept["breaks"] in by_schedule.MachinePair(staged).shows(schedule)


def test_what_happens_is_told():
    (staged,) = by_schedule.staged(["KAFKA-10284"])
    schedule = msgspec.convert(RECORDED[staged.issue]["schedule"], Schedule)
    assert "static" in by_schedule.said(schedule)
    assert "FENCED_INSTANCE_ID" in by_schedule.told(staged, schedule)


def test_a_fault_is_found_without_a_hint():
    (staged,) = by_schedule.staged(["KAFKA-9752"])
    found = by_schedule.caught(staged, tries=500)
    assert found is not None
    assert by_schedule.plain(found)["breaks"] in {"eventually_converges", "owned_in_time"}


@pytest.mark.skipif(not WHOLE, reason="takes minutes")
@pytest.mark.parametrize("staged", EVERY, ids=lambda one: one.issue)
def test_every_fault_is_found_without_a_hint(staged):
    assert by_schedule.caught(staged) is not None
