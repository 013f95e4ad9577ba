"""What a terminal of 80 columns shows, on which progress and output stand together."""

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios

import pytest

COLUMNS, ROWS = 80, 24
RELEASES = [*(f"2.{minor}.0" for minor in range(4, 9)), *(f"3.{minor}.0" for minor in range(7))]
"""With two assignors each, as many targets as the terminal has lines."""
SIGN = re.compile(r"\x1b\[(\??[0-9;]*)([a-zA-Z])|([\r\n])|([^\x1b\r\n]+)")


def on_terminal(arguments, folder):
    """Run kassay on a terminal of its own, and return its status and all that it wrote there."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    hidden = {"COLUMNS", "LINES", "CI", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    with subprocess.Popen(
        [sys.executable, "-m", "kassay", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment | {"TERM": "xterm-256color"},
    ) as process:  # fmt: skip
        os.close(theirs)
        written = bytearray()
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
        except OSError:  # Linux: nobody holds the other end any more
            pass
        finally:
            os.close(ours)
    return process.returncode, written.decode()


def screen(written):
    """Return the lines that a terminal shows in the end, those scrolled away too; lines that are too long go on below."""
    lines, row, column = [""], 0, 0
    for code, letter, end, text in SIGN.findall(written):
        if letter == "A":
            row = max(row - int(code or 1), len(lines) - ROWS, 0)
        elif letter == "K":
            lines[row] = ""
        elif end == "\r":
            column = 0
        elif letter:
            assert letter in "mhl", f"unknown sequence {code}{letter}"
        for sign in text or end.strip("\r"):
            if sign == "\n" or column == COLUMNS:
                row, column = row + 1, 0
                lines += [""] * (row == len(lines))
            if sign != "\n":
                lines[row] = lines[row][:column].ljust(column) + sign + lines[row][column + 1 :]
                column += 1
    return [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "consumer/*", "-j", "1", "--property", "complete"],
        ["check", *(f"consumer/{name}@{release}" for name in ("range", "sticky") for release in RELEASES),
         "-j", "1", "--property", "complete"],
        ["compare", "consumer/range", "consumer/fair"],
    ],
)  # fmt: skip
def test_what_stays_is_the_output_alone_no_wider_than_the_screen(arguments, tmp_path):
    status, written = on_terminal([*arguments, "--examples", "3", "-o", "out"], tmp_path)
    assert status == 0
    bars = [
        line
        for line in re.split("[\r\n]+", re.sub(r"\x1b\[[^a-zA-Z]*[a-zA-Z]", "", written))
        if " groups " in line and "━" in line
    ]
    assert bars
    assert max(map(len, bars)) <= COLUMNS - len("^C")  # which a terminal adds where it is interrupted
    assert "\x1b[?25h" in written.rpartition("\x1b[?25l")[2]  # the cursor is back
    printed = (tmp_path / "out" / f"{arguments[0]}.txt").read_text()
    assert "\x1b" not in printed
    assert screen(written) == screen(printed.replace("\n", "\r\n"))
    assert (
        max(len(line) for line in printed.splitlines() if not re.match(r"  kassay |\S+=\S+$", line))
        <= COLUMNS
    )


def test_the_screen_of_these_tests_shows_what_was_not_wiped_away():
    wiped = "bar\r\n\x1b[1A\x1b[2K\rout\r\n"
    assert screen(wiped) == ["out", ""]
    assert screen(wiped.replace("bar", "-" * (COLUMNS + 1))) == ["-" * COLUMNS, "out", ""]
