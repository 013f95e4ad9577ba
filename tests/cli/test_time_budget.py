"""The time budget of a target: one option for all its answers, and defaults for those that are slow or never come."""

import argparse

import pytest

from kassay.cli.options import add_assignor_name, add_limits, build_options
from kassay.defaults import FAMILY


@pytest.mark.parametrize(
    ("words", "slow", "total"),
    [
        ([], 50, 300),
        (["--timeout", "10"], 100, 600),
        (["--wait", "7"], 7, 7),
        (["--time-budget", "7"], 7, 7),
        (["--time-budget", "7", "--timeout", "10"], 7, 7),
    ],
)
def test_the_budget_by_option_and_by_default(words, slow, total):
    parser = argparse.ArgumentParser()
    add_limits(parser)
    add_assignor_name(parser)
    parser.set_defaults(allow_http=False)
    limits = build_options(parser.parse_args(words), FAMILY).limits
    assert (limits.waiting_s, limits.total_s) == (slow, total)
