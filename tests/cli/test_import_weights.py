"""Lag and rates as weights of imported groups; two listings that do not match are refused in a sentence that says why."""

import json

import pytest

from kassay.cli import main

HEAD = [
    "GROUP",
    "TOPIC",
    "PARTITION",
    "CURRENT-OFFSET",
    "LOG-END-OFFSET",
    "LAG",
    "CONSUMER-ID",
    "HOST",
    "CLIENT-ID",
]
NOW = [("orders", 0, 100, 1000, 900, "a"), ("orders", 1, 60, 100, 40, "b"), ("clicks", 0, 0, 7, 7, "a")]


def listing(rows, group="shop"):
    lines = [HEAD, *([group, t, n, at, end, lag, who, "/10.0.0.1", who] for t, n, at, end, lag, who in rows)]
    return "\n".join(" ".join(f"{cell!s:15}" for cell in line) for line in lines) + "\n"


def changed(n, **cells):
    names = ["topic", "partition", "at", "end", "lag", "who"]
    return [
        tuple(cells.get(name, cell) for name, cell in zip(names, row, strict=True)) if at == n else row
        for at, row in enumerate(NOW)
    ]


@pytest.fixture
def imported(tmp_path, capsys):
    def run(now, earlier=None, *more):
        (tmp_path / "now.txt").write_text(listing(now))
        asked = ["import", str(tmp_path / "now.txt"), *more]
        if earlier is not None:
            (tmp_path / "earlier.txt").write_text(listing(earlier))
            asked += ["--earlier", str(tmp_path / "earlier.txt")]
        status = main(asked)
        shown = capsys.readouterr()
        return status, json.loads(shown.out) if status == 0 else shown.err

    return run


def weights(group):
    return {topic["name"]: topic.get("weights") for topic in group["topics"]}, group.get("weight_unit")


def test_lag_is_what_partitions_weigh(imported):
    _, group = imported(NOW)
    assert weights(group) == ({"orders": [900, 40], "clicks": [7]}, "records of lag")


def test_what_is_not_listed_is_not_known(imported):
    _, group = imported(changed(1, lag=-3))
    assert weights(group) == ({"orders": [900, None], "clicks": [7]}, "records of lag")
    _, group = imported(changed(1, lag="-"))
    assert weights(group) == ({"orders": [900, None], "clicks": [7]}, "records of lag")
    _, group = imported([(*row[:4], "-", row[5]) for row in NOW])
    assert weights(group) == ({"orders": None, "clicks": None}, None)


def test_two_listings_give_what_was_written_between_them_whatever_the_lag_did(imported):
    before = [("orders", 0, 0, 400, 2000, "b"), ("orders", 1, 60, 100, 0, "b"), ("clicks", 0, 0, 0, 0, "b")]
    _, group = imported(NOW, before, "--seconds", "60")
    assert weights(group) == ({"orders": [600, 0], "clicks": [7]}, "records in 60 s")


REFUSED = [
    (NOW, (), "earlier.txt: the seconds between the two listings are missing. Add --seconds N, a whole number from 1"),
    (NOW, ("--seconds", "0"), "the seconds between the two listings are missing."),
    (changed(2, topic="clicks2"), ("--seconds", "9"), "lists other topics of consumer group 'shop' than the later listing (clicks, clicks2)"),
    (changed(2, topic="orders", partition=2), ("--seconds", "9"), "lists other topics of consumer group 'shop' than the later listing (clicks)"),
    ([*NOW, ("orders", 2, 0, 1, 1, "a")], ("--seconds", "9"), "lists other partitions of consumer group 'shop' than the later listing (orders-2)"),
    (changed(1, end="-"), ("--seconds", "9"), "lists other partitions of consumer group 'shop' than the later listing (orders-1)"),
    (changed(1, end=101), ("--seconds", "9"), "orders-1 ends at 101 (LOG-END-OFFSET), and later at 100. Give the earlier listing here"),
    ([(*row[:3], "-", *row[4:]) for row in NOW], ("--seconds", "9"), "has no LOG-END-OFFSET of consumer group 'shop'. Give what kafka-consumer-groups"),
]  # fmt: skip


@pytest.mark.parametrize(("earlier", "more", "sentence"), REFUSED)
def test_listings_that_do_not_match_are_refused(imported, earlier, more, sentence):
    status, said = imported(NOW, earlier, *more)
    assert (status, sentence in said) == (2, True), said


def test_another_group_and_a_time_without_a_listing_are_refused(imported, tmp_path):
    (tmp_path / "other.txt").write_text(listing(NOW, group="other"))
    status, said = imported(NOW, None, "--earlier", str(tmp_path / "other.txt"), "--seconds", "9")
    assert (status, "other.txt: does not list consumer group 'shop'" in said) == (2, True)
    status, said = imported(NOW, None, "--seconds", "9")
    assert (status, "--seconds: is of an earlier listing. Give that with --earlier FILE" in said) == (2, True)


@pytest.mark.parametrize("lag", ["-many", "many", "1.5", 2**63])
def test_a_lag_that_is_none_is_refused(imported, lag):
    status, said = imported(changed(0, lag=lag))
    assert (status, f"LAG is '{lag}'. Give " in said) == (2, True)
