"""Each reference implementation keeps what it promises, and promises nothing unknown."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from kassay.model import Assignor, AssignorError, Group
from kassay.properties.consumer import INVARIANTS, LAWS, strategies
from kassay.reference import ASSIGNORS

CONSUMER = sorted(name for name, assignor in ASSIGNORS.items() if assignor.family == "consumer")


@pytest.mark.parametrize("name", ASSIGNORS)
def test_name(name: str) -> None:
    assert ASSIGNORS[name].name == name


@pytest.mark.parametrize("name", CONSUMER)
def test_promises_are_known(name: str) -> None:
    assert ASSIGNORS[name].promises <= INVARIANTS.keys() | LAWS.keys()


@pytest.mark.parametrize("name", CONSUMER)
@settings(deadline=None)
@given(group=strategies.groups())
def test_promises_are_kept(name: str, group: Group) -> None:
    assignor = ASSIGNORS[name]
    try:
        for promise in sorted(assignor.promises):
            assert next(violations(assignor, promise, group), None) is None, promise
    except AssignorError:
        assert "crash_free" not in assignor.promises


def violations(assignor: Assignor, promise: str, group: Group) -> Iterator[str]:
    if promise in INVARIANTS:
        return INVARIANTS[promise](group, assignor.assign(group))
    return LAWS[promise](assignor.assign, group)
