"""Each measured number on a page comes from what a command wrote, and a number that does not is named."""

import json
from decimal import Decimal

import figures
import pytest
from figures import from_nowhere, is_rounded, keep


@pytest.fixture(autouse=True)
def records(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FIGURES", tmp_path)
    keep(
        "million",
        "nox -s parity -- million",
        "2026-11-20",
        {"answers": 44_012_345, "shares": ["97.61 %", 0.7391]},
    )


@pytest.mark.parametrize(
    "text",
    [
        "It took 3.5 s.", "Of 44,000,000 answers.", "Some 20 % are.", "In 3 of 4,", "<!-- figures: million -->\n45,000,000 answers",
        "<!-- figures: million -->\n44,000,000\n<!-- figures: kassay.defaults.CHECKED -->\n44,000,000", "| 12 ms |",
        "<!-- generated: other -->\n17 %\n<!-- end -->\n18 %", "<!-- figures: given -->\nin 30 s,\nor\n\n40 s",
    ],
)  # fmt: skip
def test_a_number_from_nowhere_is_named_with_its_line(text):
    named = list(from_nowhere(text))
    assert named
    for line, number in named:
        assert number in text.split("\n")[line - 1]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- figures: million -->\n44,000,000 answers, 97.6 %, 98 %, 0.74 times", "Kafka 4.4, or Python 3.11 and 3.12, since 2026-11-20.",
        "`3.5 s`, KIP-848, KAFKA-16277, arXiv 2206.11170, release 4.4.0, [x](y-3.5.md), 8 members",
        "<!-- figures: kassay.defaults.CHECKED -->\n2,000 groups", "<!-- figures: given -->\nin 30 s",
        "<!-- generated: other -->\n17.2 %\n<!-- end -->\nIn 17 % of them.", "```\n3.5 s\n```",
    ],
)  # fmt: skip
def test_what_a_command_wrote_and_what_nobody_measured_is_not_named(text):
    assert not list(from_nowhere(text))


@pytest.mark.parametrize(
    ("number", "figure", "is_so"),
    [
        ("44,000,000", "44012345", True), ("44,012,345", "44012345", True), ("44,012,000", "44012345", True), ("44,013,000", "44012345", False),
        ("40", "44", False), ("10", "9.83", True), ("9", "9.83", False), ("0.74", "0.7391", True), ("0.73", "0.7391", False), ("100", "99.6", True),
    ],
)  # fmt: skip
def test_a_number_is_rounded_to_the_digits_that_are_written(number, figure, is_so):
    assert is_rounded(number, Decimal(figure)) is is_so


def test_a_record_keeps_its_command_and_day(tmp_path):
    assert json.loads((tmp_path / "million.json").read_text())["command"] == "nox -s parity -- million"
    assert figures.record("million").on == "2026-11-20"
