"""Count the house: ``python tests/counts.py [--modules] [--write]``.

Lines of product (reference, properties, oracles, reports, src) and of tests with parity, modules, their median, and those that nobody
can reach by imports from what users start: the command line, `import kassay`, its pytest plugin, the clients, and modules that are
named as text, as those are that start in a process of their own. ``--modules`` lists folders and files instead, the largest first;
``--write`` keeps the figures for docs/explanation/architecture.md.
"""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "docs" / "scripts"))

from figures import keep, today

ROOT = Path(__file__).parents[1]
PRODUCT = ("reference", "properties", "oracles", "reports", "src")
TESTS = ("tests", "parity", "conftest.py")
LINKED = PRODUCT[:-1]
STARTED = (
    "kassay", "kassay.__main__", "kassay.cli", "kassay.testing", "kassay.targets.clients", "kassay.pytest_plugin",
)  # fmt: skip
"""What users start or import."""
AIMS = {"product": 86_000, "tests": 55_000, "modules": 480, "median": 200, "unreachable": 0}


STAY = {
    "kassay.playground.assemble": "nox -s playground runs it",
    "kassay.families.optimal.consumer.by_weight": "studies that are targets by name, docs/explanation/solver.md",
    "kassay.reference.group.reconciliation": "KIP-848's machine of members, docs/reference/kips.md",
    "kassay.reference.streams.threads": "how Streams gives a client's tasks to its threads, held to Kafka in parity/classes",
    "kassay.reference.wire": "codecs, held to Kafka's in parity/wire",
}
"""Modules that nobody reaches, or packages of some, and why they stay."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The figures of a commit."""

    product: int
    tests: int
    modules: int
    median: float
    unreachable: tuple[str, ...]
    parts: Mapping[str, int]

    def __str__(self) -> str:
        """Write each figure beside its aim."""
        figures = {
            "product": f"{self.product:,} lines",
            "tests": f"{self.tests:,} lines, with parity",
            "modules": f"{self.modules} with {self.median:g} lines in the median",
            "unreachable": str(len(self.unreachable)),
        }
        lines = [f"{name:12} {figure:36} aim {AIMS[name]:,}" for name, figure in figures.items()]
        return "\n".join(
            [*lines, *(f"  {name}: {stays(name) or 'nothing needs it'}" for name in self.unreachable)]
        )


def stays(name: str) -> str:
    """Return why a module stays that nobody reaches, or nothing."""
    return next((why for known, why in STAY.items() if f"{name}.".startswith(f"{known}.")), "")


def tracked(*places: str) -> list[Path]:
    """Return the Python files of some folders that git knows."""
    done = subprocess.run(
        ["git", "ls-files", "--", *places], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [
        ROOT / name for name in done.stdout.splitlines() if name.endswith(".py") and (ROOT / name).exists()
    ]


def module(path: Path) -> str:
    """Return the name under which a file of the product is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = ("kassay", *parts) if parts[0] in LINKED else parts[1:]
    return ".".join(parts).removesuffix(".__init__")


def needed(path: Path, known: Iterable[str]) -> set[str]:
    """Return the modules that a file imports, anywhere in it, or names as text."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}", *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            beside = node.value.removesuffix(".py") if node.value.endswith(".py") else "?"
            names |= {node.value.partition(":")[0], module(path.parent / beside)}
    return {name for name in names if name in known}


def reached(needs: Mapping[str, set[str]]) -> set[str]:
    """Return all modules that what users start imports in the end; a module brings the packages that it is in."""
    found: set[str] = set()
    waiting = [name for name in STARTED if name in needs]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        waiting += needs[name]
        package = name.rpartition(".")[0]
        if package in needs:
            waiting.append(package)
    return found


def counted() -> Counts:
    """Count the working tree."""
    product = {module(path): path for path in tracked(*PRODUCT)}
    needs = {name: needed(path, product.keys()) for name, path in product.items()}
    sizes = [lines(path) for path in product.values()]
    return Counts(
        product=sum(sizes),
        tests=sum(lines(path) for path in tracked(*TESTS)),
        modules=len(product),
        median=median(sizes),
        unreachable=tuple(sorted(product.keys() - reached(needs))),
        parts={
            "code": sum(map(code, product.values())),
            "the checker": sum(map(lines, tracked("oracles/proof"))),
            "references": sum(map(lines, tracked("reference"))),
            "parity": sum(map(lines, tracked("parity"))),
            "first words of a folder": sum(path.name == "__init__.py" for path in product.values()),
        },
    )


def lines(path: Path) -> int:
    """Return how many lines a file has."""
    return path.read_text(encoding="utf-8").count("\n")


def code(path: Path) -> int:
    """Return how many lines of a file are neither blank nor of imports or docstrings."""
    text = path.read_text(encoding="utf-8")
    others: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if said or isinstance(node, ast.Import | ast.ImportFrom):
            others |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    return sum(bool(line.strip()) and n not in others for n, line in enumerate(text.split("\n"), 1))


def write(counts: Counts) -> None:
    """Keep the figures, and the aims."""
    figures = asdict(counts) | {"unreachable": len(counts.unreachable), "aims": AIMS}
    keep("house", "python tests/counts.py --write", today(), figures)


def shown_by_folder() -> str:
    """List the folders of the product: files, lines, files of at most 40 lines."""
    files: Counter[str] = Counter()
    total: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for path in tracked(*PRODUCT):
        place = str(path.parent.relative_to(ROOT))
        files[place] += 1
        total[place] += lines(path)
        small[place] += lines(path) <= 40
    return "\n".join(f"{n:7,} {files[p]:4} {small[p]:4} {p}" for p, n in total.most_common())


if __name__ == "__main__":
    if "--modules" in sys.argv:
        print(shown_by_folder())
    else:
        found = counted()
        print(found)
        if "--write" in sys.argv:
            write(found)
