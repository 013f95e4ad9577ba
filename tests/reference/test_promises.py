"""Each reference implementation keeps what it promises, and promises nothing unknown."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from known_defects import read_defects
from whole import share

from kassay.conformance.fixtures import list_groups
from kassay.engine.judge import cache_answers, judge
from kassay.engine.promises import NONE, Exceptions, read_promises, refuse_unknown
from kassay.families import family
from kassay.families.assignors import ASSIGNORS
from kassay.model import AssignorError
from kassay.targets import Options, Target, open_target


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


@cache
def telling_groups(of: str) -> Sequence[Any]:
    """Return groups that tell promises apart: a family's fixtures, and those on which one of its references breaks a promise."""
    broken = [each.group for each in read_defects() if ASSIGNORS[each.assignor].family == of]
    return [*list_groups(family(of)), *broken]


def find_false_promise(target: Target, promises: Mapping[str, Exceptions], groups: Sequence[Any]) -> str:
    """Return the first promise that an assignor breaks on one of the groups, without an exception for it; "" if it keeps all."""
    of = family(target.family)
    for group in groups:
        assign = cache_answers(target.assign)
        for promise in sorted(promises):
            with suppress(AssignorError):  # crash_free speaks of it
                breach = judge(of, promise, group, assign, target, promises[promise])
                if breach is not None and not breach.met:
                    return promise
    return ""


def exceptions_of(target: Target) -> dict[str, Exceptions]:
    promises = read_promises(target, family(target.family))
    return {name: promises.select_exceptions(name) for name in promises.names}


@pytest.mark.parametrize("name", ASSIGNORS)
def test_promises_are_kept_but_for_known_defects(name: str) -> None:
    target = open_target(name, Options())
    promises = exceptions_of(target)

    @settings(deadline=None, max_examples=FEW.get(name, share(40, 400)))
    @given(group=family(target.family).shape.groups())
    def kept(group: Any) -> None:
        assert not find_false_promise(target, promises, [group])

    kept()


QUICK = [name for name, each in ASSIGNORS.items() if each.costs == 1]


@pytest.mark.parametrize("name", QUICK)
def test_promises_are_kept_on_groups_that_tell_promises_apart(name: str) -> None:
    target = open_target(name, Options())
    assert not find_false_promise(target, exceptions_of(target), telling_groups(target.family))


FALSE = (
    ("consumer/per-topic", "topic_balanced"),
    ("consumer/per-topic", "co_located"),
    ("consumer/fair", "static_identity"),
    ("consumer/range", "near_before_far"),
    ("broker/uniform", "renaming_independent"),
    ("share/simple", "evenly_shared"),
    ("streams/fallback-prior", "keeps_running"),
    ("streams/sticky", "subtopologies_spread"),
    ("streams-group/sticky", "total_balanced"),
    ("connect/eager", "leaver_minimal"),
)
"""Assignors with a promise that they do not make, though it is one of the assignor whose promises they could take over."""


@pytest.mark.parametrize(("name", "promise"), FALSE, ids="-".join)
def test_an_assignor_that_takes_over_a_false_promise_is_found(name: str, promise: str) -> None:
    target = open_target(name, Options())
    false = replace(target, promises=target.promises | {promise})
    assert find_false_promise(false, exceptions_of(false), telling_groups(target.family)) == promise


EXCEPTED = [(name, promise) for name in QUICK for promise in ASSIGNORS[name].except_in]


@pytest.mark.parametrize(("name", "promise"), EXCEPTED, ids="-".join)
def test_an_assignor_that_takes_over_a_promise_without_its_exceptions_is_found(
    name: str, promise: str
) -> None:
    target = open_target(name, Options())
    assert find_false_promise(target, {promise: NONE}, telling_groups(target.family)) == promise
