"""Completion in shells: what bash offers, and that every shell gets a script."""

import shutil
import subprocess

import pytest

from kassay.cli import COMMANDS, main
from kassay.cli.completion import SHELLS

pytest.importorskip("shtab")
COMPLETE = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_shtab_kassay kassay "${COMP_WORDS[$COMP_CWORD]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture(scope="module")
def bash(tmp_path_factory):
    script = tmp_path_factory.mktemp("bash") / "kassay.bash"

    def offered(capsys, *words):
        if not script.exists():
            with pytest.raises(SystemExit) as ended:
                main(["--print-completion", "bash"])
            assert ended.value.code == 0
            script.write_text(capsys.readouterr().out)
        ran = subprocess.run(
            ["bash", "-c", COMPLETE, "bash", script, "kassay", *words],
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.split()

    return offered


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ch"], {"check"}),
        (["check", "consumer/sti"], {"consumer/sticky"}),
        (["check", "--prof"], {"--profile"}),
        (["check", "--profile", "d"], {"deep"}),
        (["check", "--promises-of", "share/"], {"share/simple"}),
        (["check", "--promise", "crash_"], {"crash_free"}),
        (["check", "--format", "ju"], {"junit"}),
        (["fixtures", "ver"], {"verify"}),
    ],
)
def test_bash_offers(bash, capsys, words, offered):
    assert {*bash(capsys, *words)} == offered


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
def test_bash_offers_every_command(bash, capsys):
    assert {*bash(capsys, "")} >= {name.partition(" ")[0] for name in COMMANDS}


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script(capsys, shell):
    with pytest.raises(SystemExit):
        main(["--print-completion", shell])
    said = capsys.readouterr().out
    assert "over-time" in said
    assert "consumer/cooperative-sticky" in said


def test_another_shell_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--print-completion", "ksh"])
    assert ended.value.code == 2
    assert "there is no ksh" in capsys.readouterr().err
