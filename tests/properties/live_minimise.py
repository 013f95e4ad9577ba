"""The whole of test_minimise: from all seeds to one size."""

import pytest
from properties.test_minimise import ALL_SEEDS, SEEDS, one_size


@pytest.mark.parametrize("name", sorted(ALL_SEEDS))
def test_one_size_for_each_predicate_from_all_seeds(name):
    one_size(name, SEEDS)
