"""The museum's list is sound, and judging against a fixed release demands only what that one does."""

import sys
from pathlib import Path

import pytest

from kassay.families import family
from kassay.maven.pinned import versions
from kassay.model import Group, Member, Topic
from kassay.reference import ASSIGNORS
from kassay.targets import Target
from kassay.targets.java.opening import KAFKA

sys.path.insert(0, str(Path(__file__).parents[2] / "museum"))
import run

CONSUMER = family("consumer")
RANGE = ASSIGNORS["consumer/range"].assign


def target(assign):
    return Target("x", "consumer", assign, assign)


@pytest.mark.parametrize("exhibit", run.exhibits([]), ids=lambda exhibit: exhibit.issue)
def test_every_exhibit_names_pinned_releases_and_known_properties(exhibit):
    known = versions("org.apache.kafka", "kafka-clients")
    for spec in (exhibit.affected, exhibit.fixed):
        version, _, name = spec.removeprefix("kafka:").partition("#")
        assert version in known
        assert name in KAFKA
    assert set(exhibit.shows) <= {*CONSUMER.properties, "time"}


def test_exhibits_are_chosen_by_issue():
    assert [one.issue for one in run.exhibits(["KAFKA-7026"])] == ["KAFKA-7026"]


def forgetful(group):
    """Forget the first member, and what was given to it."""
    return {member: given for member, given in RANGE(group).items() if member != group.members[0].id}


def test_only_what_the_fixed_release_does_is_demanded():
    group = Group((Topic("t", 2),), (Member("a", ("t",)), Member("b", ("t",))))
    spoiled = forgetful(group)
    assert list(CONSUMER.invariants["every_member"](group, spoiled))
    for fixed, wrong in ((RANGE, True), (forgetful, False)):
        forms = run.only_worse(CONSUMER, target(fixed))
        assert bool(list(forms.invariants["every_member"](group, spoiled))) is wrong
        assert bool(list(forms.laws["leaver_minimal"](forgetful, group))) is False


def test_findings_are_those_of_a_usual_check(monkeypatch):
    monkeypatch.setattr(run, "EXAMPLES", 40)
    broken = {finding.property for finding in run.findings(target(forgetful), CONSUMER)}
    assert {"every_member", "complete"} <= broken
    assert "crash_free" not in broken
