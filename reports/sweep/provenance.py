"""What a sweep's rows depend on besides its grid: kassay's own code, what the targets run, and versions."""

import os
import platform
import shlex
import shutil
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import kassay
from kassay.reports.requirements import cores

PACKAGES = (
    "pyspark",
    "pyarrow",
    "pandas",
    "numpy",
    "ortools",
    "highspy",
    "pulp",
    "msgspec",
    "hypothesis",
)
NOT_JUDGING = {
    "cli",
    "output",
    "kafka_tools",
    *(f"reports/{name}" for name in ("page", "figures", "tables", "shapes", "comparing")),
}
"""Folders of the package whose code changes no row."""


def code_hash(targets: Sequence[str]) -> str:
    """Return a hash of kassay's modules and of the files that the targets name, as far as they can be found."""
    hashed = blake2b(digest_size=8)
    package = Path(kassay.__file__).parent
    for path in sorted(_modules(package)):
        hashed.update(f"{path.relative_to(package)}\n".encode() + path.read_bytes())
    for target in targets:
        for path in _files(target):
            hashed.update(f"{target}\n".encode() + path.read_bytes())
    return hashed.hexdigest()


def _modules(package: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(package, followlinks=True):
        here = Path(folder).relative_to(package)
        folders[:] = [n for n in folders if n != "__pycache__" and str(here / n) not in NOT_JUDGING]
        yield from (Path(folder) / name for name in names if name.endswith((".py", ".java")))


def _files(target: str) -> list[Path]:
    kind, _, rest = target.partition(":")
    if kind == "python":
        try:
            found = find_spec(rest.partition(":")[0])
        except (ImportError, ValueError):
            return []
        return [Path(found.origin)] if found and found.origin and Path(found.origin).is_file() else []
    if kind == "exec":
        words = [shutil.which(word) or word for word in shlex.split(rest)]
    elif kind == "jar":
        words = rest.partition("#")[0].split(os.pathsep)
    else:
        words = []
    return [Path(word) for word in words if Path(word).is_file()]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that rows come from, where they are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """Describe the machine of the driver."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": _processor(),
        "cores": str(cores()),
        "memory_gb": str(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**30),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()
