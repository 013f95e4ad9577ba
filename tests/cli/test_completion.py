"""Completion in shells: what interactive ones complete, and that every shell gets a script."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from kassay.cli import COMMANDS, build_parser, main
from kassay.cli.parser import SHELLS, write_completion

pytest.importorskip("shtab")
ON_A_TERMINAL = [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])"]
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], ". ./_kassay"),
    "zsh": (["zsh", "-f", "-i"], "fpath=($PWD $fpath); autoload -Uz compinit; compinit -D -u"),
    "fish": (["fish", "-i"], "source _kassay"),
}
"""Shell -> how it starts without anybody's settings, and its line that takes the script."""
PRINT, END = "printf '<%s>\\n' ", " end\r"
TO_BEGINNING, TO_END = "\x01", "\x05"
"""Keys that make a line print its words, and an end."""


class Terminal:
    """A shell on a terminal, in a folder, that has read its script."""

    def __init__(self, shell, folder):
        (folder / "_kassay").write_text(write_completion(build_parser(), shell))
        start, read = START[shell]
        self._process = subprocess.Popen(
            [*ON_A_TERMINAL, *start], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "dumb", "LANG": "C.UTF-8"},
        )  # fmt: skip
        self._says(f"{read}; {PRINT}{END}")

    def _says(self, keys):
        """Type; return the words that the shell prints up to the end."""
        self._process.stdin.write(keys.encode())
        self._process.stdin.flush()
        said = b""
        while b"<end>" not in said:
            more = self._process.stdout.read1()
            assert more, said
            said += more
        words = re.findall(r"<([^%\s]+?)/?>\r", said.decode(errors="replace"))
        return words[:-1]  # without the last slash, which zsh takes away again

    def completes(self, line):
        """Type a line and the tab key; return the words that it has then."""
        return self._says(f"{line}\t{TO_BEGINNING}{PRINT}{TO_END}{END}")

    def close(self):
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module", params=START)
def terminal(request, tmp_path_factory):
    if not shutil.which(request.param):
        pytest.skip(f"no {request.param}")
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "gamma.toml").touch()
    (folder / "groups").mkdir()
    it = Terminal(request.param, folder)
    yield it
    it.close()


@pytest.mark.parametrize(
    ("begun", "word"),
    [
        ("kassay ch", "check"),
        ("kassay fixtures ver", "verify"),
        ("kassay check consumer/sti", "consumer/sticky"),
        ("kassay check consumer/range consumer/ro", "consumer/roundrobin"),
        ("kassay check --prof", "--profile"),
        ("kassay check --profile d", "deep"),
        ("kassay check --promises-of share/", "share/simple"),
        ("kassay check consumer/range --promise crash_", "crash_free"),
        ("kassay check --format ju", "junit"),
        ("kassay worst consumer/range --measure mo", "moves"),
        ("kassay list rel", "releases"),
        ("kassay simulate conn", "connect"),
        ("kassay sweep ga", "gamma.toml"),
        ("kassay import gamma.toml gam", "gamma.toml"),
        ("kassay compare --group ga", "gamma.toml"),
        ("kassay optimum balance ga", "gamma.toml"),
        ("kassay report gr", "groups"),
    ],
)
def test_a_shell_completes(terminal, begun, word):
    assert terminal.completes(begun) == [*begun.split()[:-1], word]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script(capsys, shell):
    with pytest.raises(SystemExit):
        main(["--print-completion", shell])
    said = capsys.readouterr().out
    assert all(name.partition(" ")[0] in said for name in COMMANDS)
    assert "consumer/cooperative-sticky" in said


def test_another_shell_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", "ksh"])
    assert ended.value.code == 2
    assert "there is no ksh" in capsys.readouterr().err
