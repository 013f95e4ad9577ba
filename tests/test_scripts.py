"""What no other test runs, such as benchmarks and tests that need a broker, imports only what there is."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = [
    path
    for folder in ("benchmarks", "docs", "museum", "parity", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not path.name.startswith("test_")
]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_imported_from_kassay_is_there(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "kassay":
            module = import_module(node.module)
            for alias in node.names:
                assert hasattr(module, alias.name) or import_module(f"{node.module}.{alias.name}"), path


def find_local(module: str, path: Path) -> Path | None:
    """Return the file of a module that stands beside a script, or in a folder above it up to its top folder."""
    folders = [path.parent, *path.parent.parents]
    for folder in folders[: folders.index(ROOT)]:
        for found in (
            folder / f"{module.replace('.', '/')}.py",
            folder / module.replace(".", "/") / "__init__.py",
        ):
            if found.exists():
                return found
    return None


def find_bound(tree: ast.Module) -> set[str]:
    """Return the names that a module binds, wherever it binds them."""
    bound = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    bound |= {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return bound | {alias.asname or alias.name for node in imports for alias in node.names}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_imported_from_a_script_is_there(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (found := find_local(node.module or "", path)):
            bound = find_bound(ast.parse(found.read_text()))
            for alias in node.names:
                assert alias.name in bound or find_local(f"{node.module}.{alias.name}", path), (
                    path,
                    alias.name,
                )


@pytest.mark.parametrize("name", ["oracles", "joint", "optimal"])
def test_a_benchmark_that_needs_numba_says_so_in_one_sentence(name):
    code = "import runpy, sys; sys.modules['numba'] = None; sys.path.insert(0, 'benchmarks'); runpy.run_path(sys.argv[1], run_name='__main__')"
    asked = [sys.executable, "-c", code, f"benchmarks/{name}.py"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("numba is missing (")
    assert done.stderr.count("\n") == 1
