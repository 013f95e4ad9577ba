"""Each reference implementation keeps what it promises, and promises nothing unknown."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from whole import share

from kassay.engine.judge import cache_answers, judge
from kassay.engine.promises import read_promises, refuse_unknown
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.families.family import STUDY
from kassay.model import AssignorError
from kassay.targets import Options, open_target


@pytest.mark.parametrize("name", ASSIGNORS)
def test_name(name: str) -> None:
    assert ASSIGNORS[name].name == name


@pytest.mark.parametrize("name", ASSIGNORS)
def test_promises_are_known(name: str) -> None:
    assignor = ASSIGNORS[name]
    assert assignor.promises <= family(assignor.family).properties.keys()
    assert assignor.except_in.keys() <= assignor.promises
    refuse_unknown(assignor.except_in, family(assignor.family))


FEW = {"streams/optimal": share(4, 200)}
"""How many groups are drawn for assignors that take long."""
STUDIES = [
    name
    for name, each in ASSIGNORS.items()
    if family(each.family).classify_target(name) == STUDY and each.costs == 1
]
"""Assignors that no class of Kafka is compared with; some take their promises from another assignor, so more groups are drawn."""


@pytest.mark.parametrize("name", ASSIGNORS)
def test_promises_are_kept_but_for_known_defects(name: str) -> None:
    target = open_target(name, Options())
    of_target = family(target.family)

    @settings(deadline=None, max_examples=FEW.get(name, share(240 if name in STUDIES else 40, 400)))
    @given(group=of_target.shape.groups())
    def kept(group: Any) -> None:
        assign, promises = cache_answers(target.assign), read_promises(target, of_target)
        for promise in sorted(promises.names):
            with suppress(AssignorError):  # crash_free speaks of it
                breach = judge(of_target, promise, group, assign, target, promises.select_exceptions(promise))
                assert breach is None or breach.met, (promise, breach)

    kept()
