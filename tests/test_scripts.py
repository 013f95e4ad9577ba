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


@pytest.mark.parametrize("name", ["oracles", "joint", "optimal"])
def test_a_benchmark_that_needs_numba_says_so_in_one_sentence(name):
    code = "import runpy, sys; sys.modules['numba'] = None; sys.path.insert(0, 'benchmarks'); runpy.run_path(sys.argv[1], run_name='__main__')"
    asked = [sys.executable, "-c", code, f"benchmarks/{name}.py"]
    done = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("numba is missing (")
    assert done.stderr.count("\n") == 1
