"""Make one file of the checker that runs without kassay: ``python publishing/pack.py kassay-proof.pyz``."""

import shutil
import sys
import zipapp
from pathlib import Path
from tempfile import TemporaryDirectory

PROOF = Path(__file__).parents[1] / "oracles" / "proof"
MAIN = """\
import sys

from kassay.oracles.proof.command import main

sys.exit(main())
"""


def pack(target: Path) -> None:
    """Write the file, in which the folder stands where kassay has it."""
    with TemporaryDirectory() as folder:
        inside = Path(folder, "kassay", "oracles", "proof")
        shutil.copytree(PROOF, inside, ignore=shutil.ignore_patterns("__pycache__"))
        for package in inside.parents[1], inside.parents[0]:
            (package / "__init__.py").write_text("")
        Path(folder, "__main__.py").write_text(MAIN)
        zipapp.create_archive(folder, target, "/usr/bin/env python3")


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
