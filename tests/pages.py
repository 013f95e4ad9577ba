"""Pages that map a text, paragraph by paragraph, to code and tests: their rows, and whether what they name is there."""

import ast
import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def rows(text: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading."""
    below = re.split(r"^#+ ", text.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    table = re.findall(r"^\| .*$", below, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[2:]]


def names(text: str) -> list[str]:
    """Return what a page names, as `file.py#name`, each once."""
    return sorted(set(re.findall(r"`([\w/]+\.py#[\w.]+)`", text)))


def section(text: str, heading: str) -> str:
    """Return the part of a page below a heading of the second level."""
    return text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def is_there(named: str, places: Iterable[Path]) -> bool:
    """Say whether a name is defined in its file, which has to be in one of the places and no other."""
    path, _, name = named.partition("#")
    (found,) = (place / path for place in places if (place / path).exists())
    return defines(found, name)


def defines(path: Path, name: str) -> bool:
    """Say whether a file defines a function, a class, a method, a field or a constant."""
    body: list[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    *outer, last = name.split(".")
    for part in outer:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == part), [])
    targets = [node.target for node in body if isinstance(node, ast.AnnAssign)]
    targets += [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return last in {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)} | {
        ast.unparse(target) for target in targets
    }
