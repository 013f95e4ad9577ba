"""Each day another part is run, and two weeks of days run all."""

import pytest
import whole
from whole import DAYS, cases, seed_of_the_day, share


@pytest.mark.parametrize(
    ("usual", "all_of_them"), [(1, 1), (3, 14), (4, 100), (40, 41), (12, 3_000), (5, 17)]
)
def test_two_weeks_have_all_cases(usual, all_of_them, monkeypatch):
    monkeypatch.setattr(whole, "WHOLE", False)
    for first in (0, 7, 9_824):
        seen = set()
        for day in range(first, first + DAYS):
            monkeypatch.setenv("KASSAY_SEED", str(day))
            today = cases(usual, all_of_them)
            assert len(today) <= share(usual, all_of_them)
            seen |= {*today}
        assert seen == {*range(all_of_them)}
    assert share(usual, all_of_them) * DAYS >= all_of_them


def test_the_whole_is_all_of_them(monkeypatch):
    monkeypatch.setattr(whole, "WHOLE", True)
    assert cases(4, 100) == range(100)
    assert share(4, 100) == 100


def test_days_that_follow_have_seeds_that_follow(monkeypatch):
    monkeypatch.delenv("KASSAY_SEED")
    days = iter([17, 18])

    class Clock(whole.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 11, next(days), tzinfo=tz)

    monkeypatch.setattr(whole, "datetime", Clock)
    assert seed_of_the_day() + 1 == seed_of_the_day()
