"""Without a terminal, long work prints a line on standard error from time to time, also if nothing advances."""

import io
import re
import sys
import threading
import time

import pytest

from kassay.cli.progress import show_progress
from kassay.errors import StreamError


def wait_for(condition):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("names", "said"),
    [(["a"], "kassay: a: 7 of 10 groups"), (["a", "b"], "kassay: 2 targets: 7 of 20 groups")],
)
def test_lines_show_what_is_done_and_end_with_the_work(names, said, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with show_progress(names, 10, every_s=0.01) as report:
        wait_for(lambda: "0 of" in stream.getvalue())
        report("a", 7)
        wait_for(lambda: stream.getvalue().count(said) > 1)
    written = stream.getvalue()
    assert re.fullmatch(r"(kassay: [\w ]+: \d+ of \d+ groups after \d+ s\n)+", written)
    assert all(one.name != "progress" for one in threading.enumerate())


def test_short_work_prints_nothing(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with show_progress(["a"], 10) as report:
        report("a", 10)
    assert stream.getvalue() == ""


def test_more_than_planned_is_not_shown(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with show_progress(["a"], 10, "runs", every_s=0.01) as report:
        report("a", 12)
        wait_for(lambda: "10 of 10 runs" in stream.getvalue())


def test_a_full_disk_behind_standard_error_is_an_error(monkeypatch):
    class Full(io.StringIO):
        failed = False

        def write(self, _):
            self.failed = True
            raise StreamError("standard error: is full")

    stream = Full()
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(StreamError), show_progress(["a"], 10, every_s=0.01):
        wait_for(lambda: stream.failed)
