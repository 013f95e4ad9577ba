"""Run kassay as a user does, for the outputs that pages show."""

import os
import subprocess
import sys


def run_kassay(*arguments: str) -> str:
    """Return what a command line prints at 80 columns; raises SystemExit if it fails."""
    ran = subprocess.run(
        [sys.executable, "-m", "kassay", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "80"},
    )
    if ran.returncode:
        raise SystemExit(
            f"kassay {' '.join(arguments)} ended with {ran.returncode}: {ran.stderr}{ran.stdout[-2000:]}"
        )
    return ran.stdout
