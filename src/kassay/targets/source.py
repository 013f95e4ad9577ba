"""The source of a target: the file and the line that an annotation of a code host points at."""

import ast
import shlex
import sys
from functools import cache
from pathlib import Path


@cache
def find_source(spec: str, project: str, settings: tuple[str, ...] = ()) -> tuple[str, int] | None:
    """Return file and line of a target, relative to the project's folder; None if the project has no such file.

    For ``python:`` it is the definition, for ``exec:`` and ``client:`` the first file of the command line. For others it is the line
    of the settings that names the target; `settings` are the names of their files. No code runs.
    """
    folder = Path(project).resolve()
    kind, colon, rest = spec.partition(":")
    if colon and kind == "python":
        found = _find_definition(rest, folder)
    elif colon and kind in {"exec", "client"}:
        found = _find_program(rest, folder)
    else:
        found = None
    return found or _find_in_settings(spec, folder, settings)


def _find_definition(place: str, folder: Path) -> tuple[str, int] | None:
    module, _, attribute = place.partition(":")
    name, outer = module.replace(".", "/"), attribute.partition(".")[0]
    for top in (folder, *(Path(each).resolve() for each in sys.path)):
        for path in (top / f"{name}.py", top / name / "__init__.py"):
            if path.is_file() and path.is_relative_to(folder):
                try:
                    body = ast.parse(path.read_bytes()).body
                except (SyntaxError, ValueError):
                    return str(path.relative_to(folder)), 1
                lines = [each.lineno for each in body if outer in _list_names(each)]
                return str(path.relative_to(folder)), lines[0] if lines else 1
    return None


def _list_names(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines or assigns."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [one.id for one in targets if isinstance(one, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _find_program(command_line: str, folder: Path) -> tuple[str, int] | None:
    try:
        words = shlex.split(command_line)
    except ValueError:
        return None
    paths = (Path(folder, word).resolve() for word in words)
    return next(
        (
            (str(path.relative_to(folder)), 1)
            for path in paths
            if path.is_file() and path.is_relative_to(folder)
        ),
        None,
    )


def _find_in_settings(spec: str, folder: Path, settings: tuple[str, ...]) -> tuple[str, int] | None:
    for name in settings:
        path = folder / name
        if path.is_file():
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if f'"{spec}"' in line or f"'{spec}'" in line:
                    return name, number
    return None
