"""Check what the sdists and wheels in a folder hold: ``python tests/contents.py REPOSITORY FOLDER``; exit status 1 names what is missing, or is not of the repository."""

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


def held(archive: Path) -> set[str]:
    """Return the files of an sdist, as a wheel names them, or of a wheel."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name for name in wheel.namelist() if ".dist-info/" not in name}
    with tarfile.open(archive) as sdist:
        return {one.name.partition("/")[2].removeprefix("src/") for one in sdist if one.isfile()}


def main() -> int:
    repository, folder = map(Path, sys.argv[1:])
    wanted, status = modules(repository), 0
    for archive in sorted([*folder.rglob("kassay-*.whl"), *folder.rglob("kassay-*.tar.gz")]):
        there, name = held(archive), str(archive.relative_to(folder))
        print(f"{name}: {len(wanted & there)} of {len(wanted)} files of the package")
        foreign = there - wanted if archive.suffix == ".whl" else set()
        for what, names in (("missing", wanted - there), ("not of the repository", foreign)):
            for one in sorted(names):
                print(f"{name}: {what}: {one}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    raise SystemExit(main())
