"""Who may import whom: model, then reference, properties and oracles, then the engine, then the command line."""

import ast
from pathlib import Path

import pytest

import kassay

PACKAGE = Path(kassay.__file__).parent
MODEL = {"kassay.model"}
MAY = {
    "model.py": set(),
    "errors.py": MODEL,
    "reference": MODEL | {"kassay.reference"},
    "properties": MODEL | {"kassay.properties", "kassay.reference.java", "hypothesis"},
    "oracles": MODEL | {"kassay.oracles", "kassay.properties", "kassay.errors"},
}
HEAVY = {"pandas", "matplotlib", "pyspark"}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            names.add(str(node.module))
    return names


def files(place: str) -> list[Path]:
    path = PACKAGE / place
    return [path] if path.suffix else sorted(path.rglob("*.py"))


@pytest.mark.parametrize("place", MAY)
def test_lower_layers_know_nothing_of_higher_ones(place):
    assert files(place)
    for path in files(place):
        own = {name for name in imported(path) if name.startswith("kassay") or name == "hypothesis"}
        foreign = {
            name for name in own if not any(name == may or name.startswith(f"{may}.") for may in MAY[place])
        }
        assert not foreign, f"{path} imports {foreign}"


def test_hypothesis_stands_only_in_the_files_that_generate():
    for path in files("properties"):
        if any(name.split(".")[0] == "hypothesis" for name in imported(path)):
            assert path.name in {"strategies.py", "choices.py", "timelines.py"}, path


def test_the_engine_knows_neither_the_command_line_nor_a_family():
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE).parts
        if parts[0] in {"cli", "reports", "__main__.py"}:
            continue
        names = imported(path)
        assert not any(name == "kassay.cli" or name.startswith("kassay.cli.") for name in names), path
        assert not {name.split(".")[0] for name in names} & HEAVY, path
        if parts[0] in {"families", "listings", "clients", "reference", "properties", "oracles"}:
            continue
        assert not any(".consumer" in name for name in names), f"{path} knows the consumer family"
