"""Each reference implementation keeps what it promises, and promises nothing unknown."""

import pytest
from hypothesis import given, settings

from kassay.errors import SkippedError
from kassay.families import family
from kassay.model import Assignor, AssignorError, Group
from kassay.properties.consumer import INVARIANTS, LAWS, strategies
from kassay.reference import ASSIGNORS
from kassay.scope import outside, refuse_unknown

CONSUMERS = family("consumer")
CONSUMER = sorted(name for name, assignor in ASSIGNORS.items() if assignor.family == "consumer")


@pytest.mark.parametrize("name", ASSIGNORS)
def test_name(name: str) -> None:
    assert ASSIGNORS[name].name == name


@pytest.mark.parametrize("name", CONSUMER)
def test_promises_are_known(name: str) -> None:
    assignor = ASSIGNORS[name]
    assert assignor.promises <= INVARIANTS.keys() | LAWS.keys()
    assert assignor.except_in.keys() <= assignor.promises
    refuse_unknown(assignor.except_in, CONSUMERS)


@pytest.mark.parametrize("name", CONSUMER)
@settings(deadline=None)
@given(group=strategies.groups())
def test_promises_are_kept(name: str, group: Group) -> None:
    assignor = ASSIGNORS[name]
    try:
        for promise in sorted(assignor.promises):
            said = violations(assignor, promise, group)
            assert said is None, promise
    except AssignorError:
        if "crash_free" in assignor.promises:
            assert violations(assignor, "crash_free", group) is None


def violations(assignor: Assignor, promise: str, group: Group) -> str | None:
    """Say what is violated; a run that comes to a group for which nothing is promised says nothing."""
    assign = outside(assignor.except_in.get(promise, ()), CONSUMERS, assignor.assign)
    try:
        if promise in INVARIANTS:
            return next(INVARIANTS[promise](group, assign(group)), None)
        return next(LAWS[promise](assign, group), None)
    except SkippedError:
        return None
