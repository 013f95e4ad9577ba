"""The museum's records are sound and its page is fresh; a bug counts as found only if the fixed release is correct."""

import sys
from dataclasses import replace
from pathlib import Path

import old_bugs
import pytest
from bug_records import MUSEUM, Exhibit, read_bugs

from kassay.engine.finding import Finding
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic
from kassay.reference import ASSIGNORS
from kassay.targets import Target

sys.path.insert(0, str(Path(__file__).parents[1] / "museum"))
import evidence
import run
import timing as growth
from releases import PYPI, list_releases

CONSUMER = family("consumer")
RANGE = ASSIGNORS["consumer/range"].assign
GROUP = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))
EXHIBITS: list[Exhibit] = read_bugs(MUSEUM)["exhibit"]
EVIDENCE = evidence.read_evidence()
EXHIBIT = Exhibit(
    title="Forgets a member", effect="A member gets nothing.", when="always.", workaround="None known.",
    affected="kafka:2.2.0#consumer/range", fixed="kafka:2.2.2#consumer/range", shows=("every_member",),
)  # fmt: skip


def target(assign, promises=frozenset({"every_member", "complete"})):
    return Target("x", "consumer", assign, assign, promises)


def forgetful(group):
    """Forget the first member, and what was given to it."""
    return {member: given for member, given in RANGE(group).items() if member != group.members[0].id}


def failing(_):
    raise AssignorError("no")


def open_two(monkeypatch, affected, fixed):
    opened = {EXHIBIT.affected: affected, EXHIBIT.fixed: fixed}
    monkeypatch.setattr(evidence, "open_release", opened.__getitem__)
    monkeypatch.setattr(evidence, "CHECKED", 40)


def test_the_page_agrees_with_the_records():
    text = (MUSEUM.parents[1] / "docs" / "results" / "old-bugs.md").read_text()
    for part, write in {
        "old_bugs": old_bugs.write_old_bugs,
        "staged_bugs": old_bugs.write_staged_bugs,
    }.items():
        command = f"python docs/scripts/generate.py {part} --write"
        assert f"<!-- generated: {part} -->\n{write()}<!-- end -->" in text, f"run `{command}`"


def test_each_exhibit_has_evidence():
    assert len({one.name for one in EXHIBITS}) == len(EXHIBITS) >= 28
    assert EVIDENCE.keys() == {one.name for one in EXHIBITS}, "run `nox -s museum -- ISSUE --record`"


@pytest.mark.parametrize("exhibit", EXHIBITS, ids=lambda exhibit: exhibit.name)
def test_an_exhibit_is_fixed_in_the_first_tested_release_without_the_bug(exhibit):
    versions = [*list_releases(exhibit)]
    place, fixed = versions.index(exhibit.version), versions.index(exhibit.fixed_version)
    name = "consumer" if exhibit.affected.startswith(PYPI) else exhibit.assignor.partition("/")[0]
    assert {*exhibit.shows} <= {*family(name).properties, "time"}
    for one in EVIDENCE[exhibit.name]:
        assert one.by in exhibit.shows
        with_bug = [version for version in versions if _is_in(version, one.releases, versions)]
        expected = {exhibit.version} if one.by == "time" else {*versions[place:fixed]}
        assert expected <= {*with_bug}
        assert exhibit.fixed_version not in with_bug


def _is_in(version, spans, versions):
    ends = [[versions.index(end) for end in span.split(" to ")] for span in spans.split(", ")]
    return any(span[0] <= versions.index(version) <= span[-1] for span in ends)


def test_spans_of_releases_join_neighbours_only():
    versions = ["1", "2", "3", "4"]
    assert evidence.write_spans(["1", "2", "4"], versions) == "1 to 2, 4"
    assert evidence.write_spans([], versions) == ""
    assert evidence.write_spans(versions, versions) == "1 to 4"


def test_releases_with_the_bug_are_replayed_one_by_one(monkeypatch):
    open_two(monkeypatch, target(forgetful), target(RANGE))
    monkeypatch.setattr(
        evidence, "list_releases", lambda _: {"2.2.0": EXHIBIT.affected, "2.2.2": EXHIBIT.fixed}
    )
    group = CONSUMER.write_group(GROUP)
    found = [evidence.Evidence("every_member", "a gets nothing", group)]
    (one,) = evidence.find_affected_releases(EXHIBIT, found)
    assert (one.releases, one.tested) == ("2.2.0", "2.2.0 to 2.2.2")


def test_an_unknown_issue_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run.py", "KAFKA-1"])
    with pytest.raises(SystemExit) as stopped:
        run.main()
    assert stopped.value.code == 2
    assert "KAFKA-1: museum.toml has no such issue. Add an entry" in capsys.readouterr().err


def test_promises_are_checked(monkeypatch):
    monkeypatch.setattr(evidence, "CHECKED", 40)
    broken = {one.property for one in evidence.check_promises(target(forgetful))}
    assert broken == {"every_member", "complete"}
    broken = {one.property for one in evidence.check_promises(target(forgetful, frozenset({"complete"})))}
    assert broken == {"complete"}


@pytest.mark.parametrize(("fixed", "correct"), [(RANGE, True), (forgetful, False), (failing, False)])
def test_the_fixed_release_must_be_correct_on_the_smallest_group(fixed, correct):
    finding = Finding("x", "consumer", "every_member", True, GROUP, forgetful(GROUP), ("",), 0)
    assert evidence.is_correct(target(fixed), finding.property, finding.group) is correct


@pytest.mark.parametrize("promises", [frozenset({"every_member", "complete"}), frozenset()])
@pytest.mark.parametrize(("fixed", "found"), [(RANGE, ["every_member"]), (forgetful, [])])
def test_a_bug_is_found_by_promises_or_by_comparison_with_the_fixed_release(
    fixed, found, promises, monkeypatch
):
    open_two(monkeypatch, target(forgetful, promises), target(fixed, promises))
    assert [one.by for one in evidence.find_evidence(EXHIBIT)] == found


@pytest.mark.parametrize(("fixed", "status"), [(RANGE, 0), (forgetful, 1)])
def test_the_exit_status_says_if_all_bugs_were_found(fixed, status, monkeypatch, capsys):
    open_two(monkeypatch, target(forgetful), target(fixed))
    monkeypatch.setattr(run, "read_bugs", lambda _: {"exhibit": [EXHIBIT], "staged": []})
    monkeypatch.setattr(sys, "argv", ["run.py"])
    assert run.main() == status
    assert ("NOT FOUND" in capsys.readouterr().out) is bool(status)


def test_only_a_release_that_takes_much_longer_is_found_by_time(monkeypatch):
    growths = {"many alike": growth.Growth("many alike", 9.0, 8.0, 2.0)}
    even = growth.Growth("even", 1.1, 2.0, 2.0)
    monkeypatch.setattr(evidence, "measure_growth", lambda shape, *_: growths.get(shape, even))
    (shown,) = evidence.compare_times(target(RANGE), target(RANGE))
    assert shown.message == (
        "many alike: the time grows 8.0-fold when the group doubles (fixed release: 2.0-fold), "
        "and is 9-fold on the largest group"
    )
    assert shown.by == "time"


def test_a_release_that_fails_has_no_growth():
    assert growth.measure_growth("many alike", target(failing), target(RANGE)) is None


def test_applications_of_tasks_grow_by_doubling():
    growing = family("streams").growing
    sizes = [[len(make(lambda _: None, size).tasks) for size in (1, 2, 4)] for make in growing.values()]
    assert sizes == [[8, 16, 32]] * 2
    strategies = [
        make(lambda _: None, 1).settings.rack_aware_assignment_strategy for make in growing.values()
    ]
    assert strategies == ["none", "min_traffic"]


def test_growing_groups_double_and_a_newcomer_joins_owners(monkeypatch):
    asked = []

    def noting(group):
        asked.append(group)
        return RANGE(group)

    monkeypatch.setattr(growth, "DOUBLINGS", 4)
    monkeypatch.setattr(growth, "LIMIT_S", 1_000)
    monkeypatch.setattr(growth, "measure_seconds", lambda assign, group: float(len(assign(group)) or 1))
    other = replace(target(RANGE), name="y")
    told = [growth.measure_growth(shape, target(noting), other) for shape in CONSUMER.growing]
    assert [(one.shape, one.slower) for one in told] == [
        ("many alike", 1.0),
        ("many alike, one of them new", 1.0),
        ("few unlike", 1.0),
        ("few unlike, one of them new", 1.0),
        ("many unlike", 1.0),
        ("many unlike, one of them new", 1.0),
        ("many topics unlike", 1.0),
        ("many topics unlike, one of them new", 1.0),
    ]
    assert [len(group.members) for group in asked[:6]] == [50, 100, 200, 51, 101, 201]
    assert not any(member.owned for member in asked[0].members)
    assert asked[3].members[0].owned
    assert not asked[3].members[-1].owned
