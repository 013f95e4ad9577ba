"""Every property catches mutants, every mutant is caught by default, and the honest assignors are accused of nothing."""

import pytest
from families.tables import each_table, generated, tables, violation
from whole import some

FEW, MANY = 200, 2_000
"""How many groups are tried first, and where these do not tell."""


@pytest.mark.parametrize(("name", "mutant"), each_table(lambda of_tests: of_tests.mutants))
def test_every_mutant_is_caught(name, mutant):
    assign, breaks = tables(name).mutants[mutant]
    for broken in breaks:
        groups = (group for number in (FEW, MANY) for group in generated(name, number, 0))
        assert any(violation(name, assign, broken, group) for group in groups), broken


@pytest.mark.parametrize(("name", "honest"), each_table(lambda of_tests: of_tests.honest))
def test_the_honest_are_accused_of_nothing(name, honest):
    assign, keeps = tables(name).honest[honest]
    for group in generated(name, some(FEW, 400), 0)[: some(20, 400)]:
        for kept in sorted(keeps):
            assert violation(name, assign, kept, group) is None, (kept, group)
