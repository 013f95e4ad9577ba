"""Check what an sdist and a wheel hold: ``python tests/contents.py REPOSITORY FOLDER``; exit status 1 names what is missing."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

LINKED = ("reference", "properties", "oracles", "reports", "fixtures")


def modules(repository: Path) -> set[str]:
    """Return every module and data file of the package, by its path inside it, as git tracks them."""
    tracked = subprocess.run(
        ["git", "ls-files", "src/kassay", *LINKED], cwd=repository, check=True, capture_output=True, text=True
    ).stdout.split()
    inside = {path.removeprefix("src/kassay/") for path in tracked}
    return {f"kassay/{path}" for path in inside if path not in LINKED}


def main() -> int:
    repository, folder = map(Path, sys.argv[1:])
    wanted = modules(repository)
    (wheel,) = folder.glob("*.whl")
    (sdist,) = folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        in_wheel = set(archive.namelist())
    with tarfile.open(sdist) as archive:
        in_sdist = {name.partition("/")[2].removeprefix("src/") for name in archive.getnames()}
    status = 0
    for name, held in ((wheel.name, in_wheel), (sdist.name, in_sdist)):
        missing, foreign = wanted - held, {n for n in in_wheel if n.startswith(LINKED)}
        print(f"{name}: {len(wanted & held)} of {len(wanted)} files of the package")
        for what, names in (("missing", missing), ("outside the package", foreign)):
            for one in sorted(names):
                print(f"{name}: {what}: {one}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    raise SystemExit(main())
