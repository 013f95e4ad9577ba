"""The museum's list is sound, and a fault is found only where the fixed release does well."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.engine.finding import Finding
from kassay.families import family
from kassay.model import AssignorError, Group, Member, Topic
from kassay.reference import ASSIGNORS
from kassay.targets import Target
from kassay.targets.java.releases import KAFKA

sys.path.insert(0, str(Path(__file__).parents[1] / "museum"))
import run
import timing as growth
from releases import PYPI

CONSUMER = family("consumer")
RANGE = ASSIGNORS["consumer/range"].assign
GROUP = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))
EXHIBIT = run.Exhibit("X-1", "affected", "fixed", ["every_member"], "forgets somebody")


def target(assign, promises=frozenset({"every_member", "complete"})):
    return Target("x", "consumer", assign, assign, promises)


def forgetful(group):
    """Forget the first member, and what was given to it."""
    return {member: given for member, given in RANGE(group).items() if member != group.members[0].id}


def failing(_):
    raise AssignorError("no")


@pytest.mark.parametrize(
    "exhibit", run.exhibits([]), ids=lambda exhibit: f"{exhibit.issue} {exhibit.affected}"
)
def test_every_exhibit_names_releases_and_known_properties(exhibit):
    for spec in (exhibit.affected, exhibit.fixed):
        if spec.startswith(PYPI):
            assert "==" in spec
            assert "#" in spec
            continue
        version, _, name = spec.removeprefix("kafka:").partition("#")
        assert version in KAFKA[name].versions()
    of = (
        "consumer"
        if exhibit.affected.startswith(PYPI)
        else exhibit.affected.partition("#")[2].partition("/")[0]
    )
    assert set(exhibit.shows) <= {*family(of).properties, "time"}


def test_exhibits_are_chosen_by_issue():
    assert [one.issue for one in run.exhibits(["KAFKA-7026"])] == ["KAFKA-7026"]


def test_what_is_promised_is_judged(monkeypatch):
    monkeypatch.setattr(run, "CHECKED", 40)
    assert {one.property for one in run.broken(target(forgetful))} == {"every_member", "complete"}
    assert {one.property for one in run.broken(target(forgetful, frozenset({"complete"})))} == {"complete"}


@pytest.mark.parametrize(("fixed", "well"), [(RANGE, True), (forgetful, False), (failing, False)])
def test_the_fixed_release_must_do_well_where_the_affected_one_does_not(fixed, well):
    finding = Finding("x", "consumer", "every_member", True, GROUP, forgetful(GROUP), ("",), 0)
    assert run.does_well(target(fixed), finding.property, finding.group) is well


@pytest.mark.parametrize(("fixed", "found"), [(RANGE, ["every_member"]), (forgetful, [])])
def test_a_fault_is_shown_where_it_is_looked_for(fixed, found, monkeypatch):
    opened = {"affected": target(forgetful), "fixed": target(fixed)}
    monkeypatch.setattr(run, "opened", opened.__getitem__)
    monkeypatch.setattr(run, "CHECKED", 40)
    monkeypatch.setattr(run, "growths", lambda *_: iter(()))
    shown = run.shown(EXHIBIT)
    assert [one.by for one in shown] == found
    rows = list(run.cells(EXHIBIT, shown))
    assert [row[3] for row in rows] == (found or ["NOT FOUND"])


@pytest.mark.parametrize(("fixed", "found"), [(RANGE, ["every_member"]), (forgetful, [])])
def test_what_is_not_promised_is_judged_beside_the_fixed_release(fixed, found, monkeypatch):
    opened = {name: target(of, frozenset()) for name, of in (("affected", forgetful), ("fixed", fixed))}
    monkeypatch.setattr(run, "opened", opened.__getitem__)
    monkeypatch.setattr(run, "CHECKED", 40)
    monkeypatch.setattr(run, "growths", lambda *_: iter(()))
    assert [one.by for one in run.shown(EXHIBIT)] == found


def test_only_a_release_that_takes_much_longer_is_shown_by_time(monkeypatch):
    told = [growth.Growth("slow", 9.0, 8.0, 2.0), growth.Growth("even", 1.1, 2.0, 2.0)]
    monkeypatch.setattr(run, "growths", lambda *_: iter(told))
    (shown,) = run.by_time(target(RANGE), target(RANGE))
    assert shown.said == "slow: x 8.0 when the group doubles, against x 2.0; 9 times as long at last"
    assert shown.by == "time"


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
    told = list(growth.growths(target(noting), replace(target(RANGE), name="y")))
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
