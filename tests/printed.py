"""What commands and programs print."""

import json
import os
import subprocess
import sys


def json_lines(capsys, kind=None):
    """Return the records that a command has printed as JSON, a line each; those of a kind only, if one is given."""
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [one for one in records if kind in (None, one.get("record"))]


def by_hash_seeds(program):
    """Return what a program prints under two seeds of Python's hashes: one text where they decide nothing."""
    return {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }


def of_pytest(folder, **environment):
    """Run the tests in a folder by a pytest of their own, with nothing of kassay's configuration; return what it prints."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        "-rA",
        "-o",
        "addopts=",
        "-c",
        "/dev/null",
    ]
    own = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_ADDOPTS")}
    return subprocess.run(
        [*command, str(folder)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=own | environment,
        check=False,
    ).stdout
