"""Hold each reference implementation against Kafka's own class: the same answers, or the same exceptions."""

import itertools

import bridge
import pytest
import random_groups
from compare import answer, first_difference, report
from hypothesis import HealthCheck, given, settings

from kassay.model import Group
from kassay.properties.consumer import strategies
from kassay.reference import ASSIGNORS

HELD = sorted(set(bridge.CLASSES) & set(ASSIGNORS))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", HELD)
def test_random_groups(name: str, seed: int) -> None:
    ours, kafkas = ASSIGNORS[name].assign, bridge.kafka_function(name)
    _, different = first_difference(ours, kafkas, itertools.islice(random_groups.groups(seed), 5_000))
    assert different is None, report(different, ours, kafkas)


@pytest.mark.parametrize("name", HELD)
@settings(max_examples=2_000, deadline=None, suppress_health_check=list(HealthCheck))
@given(group=strategies.groups())
def test_generated_groups(name: str, group: Group) -> None:
    assert answer(ASSIGNORS[name].assign, group) == answer(bridge.kafka_function(name), group)


@pytest.mark.parametrize("name", HELD)
def test_nobody(name: str) -> None:
    nobody = Group((), ())
    assert answer(ASSIGNORS[name].assign, nobody) == answer(bridge.kafka_function(name), nobody)
