"""The whole of test_minimise: from all seeds to one size."""

import pytest
from properties.test_minimise import SEEDS, THOROUGHLY, one_size


@pytest.mark.parametrize(("name", "predicate"), sorted(THOROUGHLY))
def test_one_size_for_each_predicate_from_all_seeds(name, predicate):
    one_size(name, predicate, SEEDS)
