"""Every property catches mutants, every mutant is caught by default, and the honest assignors are accused of nothing."""

from functools import cache

import pytest
from mutants.table import HONEST, MUTANTS

from kassay.engine.generate import drawn
from kassay.model import AssignorError
from kassay.properties.consumer import INVARIANTS, LAWS
from kassay.properties.partitions.generating.strategies import groups

PROPERTIES = {**INVARIANTS, **LAWS}
GROUPS = 2_000


@cache
def generated():
    return drawn(groups(), GROUPS, 0)


def violation(assign, name, group):
    try:
        return next(
            INVARIANTS[name](group, assign(group)) if name in INVARIANTS else LAWS[name](assign, group), None
        )
    except AssignorError:
        return None


@pytest.mark.parametrize("name", PROPERTIES)
def test_every_property_has_a_mutant(name):
    assert any(name in mutant.breaks for mutant in MUTANTS.values())


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(name):
    for broken in MUTANTS[name].breaks:
        assert any(violation(MUTANTS[name].assign, broken, group) for group in generated()), broken


@pytest.mark.parametrize("name", HONEST)
def test_the_honest_are_accused_of_nothing(name):
    for group in generated()[:400]:
        for kept in sorted(HONEST[name].keeps):
            assert violation(HONEST[name].assign, kept, group) is None, (kept, group)
