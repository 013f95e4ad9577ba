"""Each reference implementation keeps what it promises, and promises nothing unknown."""

from contextlib import suppress

import pytest
from hypothesis import given, settings

from kassay.engine.except_in import refuse_unknown
from kassay.engine.judge import judge, remembering
from kassay.engine.promises import held
from kassay.families import family
from kassay.model import AssignorError, Group
from kassay.properties.consumer import INVARIANTS, LAWS
from kassay.properties.partitions.generating import strategies
from kassay.reference import ASSIGNORS
from kassay.targets import Options, open_target

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
def test_promises_are_kept_but_for_known_defects(name: str, group: Group) -> None:
    target = open_target(name, Options())
    assign, promises = remembering(target.assign), held(target.promises, target.except_in, CONSUMERS)
    for promise in sorted(promises.names):
        with suppress(AssignorError):  # crash_free speaks of it
            breach = judge(CONSUMERS, promise, group, assign, target, promises.excepted(promise))
            assert breach is None or breach.met, (promise, breach)
