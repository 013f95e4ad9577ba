"""Standard streams that are closed or full end every command with one sentence and exit status 2."""

import os
import subprocess
import sys

import pytest

from kassay.cli import COMMANDS

LINES = [
    [],
    ["--help"],
    ["--version"],
    ["nonsense"],
    ["list"],
    ["list", "--json"],
    ["list", "--format", "markdown"],
    ["check", "consumer/range", "--examples", "5"],
    ["check", "consumer/range", "--examples", "5", "--format", "junit"],
    ["check", "consumer/range", "--examples", "5", "-o", "OUT"],
    ["compare", "--group", "-"],
    *([*name.split(), "--help"] for name in COMMANDS),
]
LISTED = ["compare", "--group", "-", "--json"]
"""It tells on standard error what it assumes."""
LISTING = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\ng worker-1 /h c 2 t(1,2)\n"
GROUP = '{"topics": [{"name": "t", "partitions": 1}], "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t"]}]}'


def ended(words, redirection, folder, text=GROUP):
    """Run kassay in a shell with a redirection; return its status and the lines on both streams."""
    code = "import sys; from kassay.cli import main; sys.exit(main())"
    done = subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "bash", sys.executable, "-c", code, *words],
        input=text, capture_output=True, text=True, check=False, cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "COLUMNS"},
    )  # fmt: skip
    return done.returncode, done.stdout.splitlines(), done.stderr.splitlines()


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_a_full_standard_output_ends_with_a_sentence(words, tmp_path):
    status, _, told = ended(words, ">/dev/full", tmp_path)
    assert status == 2
    if words == ["nonsense"]:  # it prints nothing there
        assert "command nonsense: is unknown" in told[0]
        return
    assert told == [
        "kassay: standard output: cannot be written (No space left on device). Free some space, or send it elsewhere."
    ]


@pytest.mark.parametrize(("redirection", "stream"), [("<&-", "input"), (">&-", "output"), ("2>&-", "error")])
@pytest.mark.parametrize(
    "words", [[], ["list"], ["--version"], ["nonsense"], ["check", "--help"]], ids=" ".join
)
def test_a_closed_stream_ends_with_a_sentence(words, redirection, stream, tmp_path):
    status, printed, told = ended(words, redirection, tmp_path)
    assert status == 2
    assert printed + told == [f"kassay: standard {stream}: is closed. Open it, or connect it with /dev/null."]


@pytest.mark.parametrize("words", [LISTED, ["nonsense"]], ids=" ".join)
def test_a_full_standard_error_is_told_on_the_other(words, tmp_path):
    status, printed, _ = ended(words, "2>/dev/full", tmp_path, LISTING)
    assert status == 2
    assert printed[-1].startswith("kassay: standard error: cannot be written (No space left on device).")


@pytest.mark.parametrize("redirection", [">&- 2>&-", ">/dev/full 2>/dev/full", "<&- >&- 2>&-"])
def test_where_nothing_can_be_told_the_status_tells_it(redirection, tmp_path):
    assert ended(["list"], redirection, tmp_path) == (2, [], [])


def test_a_reader_that_has_seen_enough_is_no_failure(tmp_path):
    for words in (["list"], ["--help"], ["check", "consumer/range", "--examples", "5"]):
        status, printed, told = ended(words, "| head -n 1; exit ${PIPESTATUS[0]}", tmp_path)
        assert (status, len(printed), told) == (0, 1, [])


@pytest.mark.parametrize("redirection", [">/dev/full", ">&-"])
def test_the_checker_of_proofs_ends_so_too(redirection, tmp_path):
    (tmp_path / "g.json").write_text(GROUP)
    _, printed, _ = ended(["optimum", "balance", "g.json", "--json"], "", tmp_path)
    (tmp_path / "a.json").write_text("\n".join(printed))
    code = "import sys; from kassay.oracles.proof.command import main; sys.exit(main())"
    for given, status, lines in (("", 0, 0), (redirection, 2, 1)):
        done = subprocess.run(
            ["bash", "-c", f'"$@" {given}', "bash", sys.executable, "-c", code, "a.json", "g.json"],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert (done.returncode, len(done.stderr.splitlines())) == (status, lines)
