"""Which assignors a command line means: what can be set in Kafka, unless studies are asked for or named."""

import pytest

from kassay.errors import InputError
from kassay.families import FAMILIES, family
from kassay.families.assignors import ASSIGNORS
from kassay.targets import expand, list_default_targets


@pytest.mark.parametrize("name", FAMILIES)
def test_a_pattern_means_what_can_be_set_and_with_studies_all(name):
    settable = set(family(name).settable)
    everything = {each for each, one in ASSIGNORS.items() if one.family == name} - {*family(name).by_name}
    assert set(expand([f"{name}/*"])) == settable == set(list_default_targets(name))
    assert (
        set(expand([f"{name}/*"], studies=True))
        == everything
        == set(list_default_targets(name, studies=True))
    )


def test_what_can_be_set_stands_first_in_its_own_order():
    assert list_default_targets("consumer") == [*family("consumer").settable]
    assert list_default_targets("streams", studies=True)[:2] == [
        "streams/high-availability",
        "streams/sticky",
    ]


def test_a_study_that_is_named_is_meant_also_by_a_pattern_that_fits_studies_alone():
    assert expand(["consumer/optimal"]) == ["consumer/optimal"]
    assert expand(["consumer/optimal*"]) == ["consumer/optimal", "consumer/optimal-cooperative"]
    assert expand(["consumer/red*"]) == [
        "consumer/redundant"
    ]  # which no pattern means beside others: it gives all twice
    assert expand(["python:mine:*"]) == ["python:mine:*"]


def test_a_pattern_that_fits_nothing_says_what_is_nearest():
    with pytest.raises(InputError, match="Did you mean 'consumer/sticky'") as wrong:
        expand(["consumer/stiky*"])
    assert "roundrobin" not in str(wrong.value)
