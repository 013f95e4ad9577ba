"""Who may import whom: data flows one way, the engine knows no shape, and nothing outside their own files names a family."""

import ast
import sys
from pathlib import Path

import pytest

import kassay
from kassay.families import FAMILIES

PACKAGE = Path(kassay.__file__).parent
MODEL = {"kassay.model", "kassay.errors"}
CORE = {
    "kassay.oracles.assignment",
    "kassay.oracles.errors",
    "kassay.oracles.solving",
    "kassay.oracles.compiled",
    "kassay.oracles.proof",
}
MAY = {
    "model": MODEL,
    "errors.py": MODEL,
    "reference": MODEL | {"kassay.reference"},
    "properties": MODEL | {"kassay.properties", "kassay.reference.java", "hypothesis"},
    "oracles/proof": {"kassay.oracles.proof"},
    "oracles/assignment": CORE,
    "oracles": MODEL | {"kassay.oracles", "kassay.properties", "kassay.sentences"},
    "families/optimal": MODEL
    | {
        "kassay.families.optimal",
        "kassay.oracles",
        "kassay.reference.consumer.members",
        "kassay.reference.java",
    }
    | {"kassay.reference.promises"}
    | {"kassay.properties.tasks.rounds"},
    "protocol/simulation": MODEL
    | {
        "kassay.protocol.simulation",
        "kassay.reference",
        "kassay.properties.choices",
        "kassay.properties.minimise",
    }
    | {
        "kassay",
        "kassay.families.assignors",
        "kassay.targets",
        "kassay.files",
        "kassay.engine",
        "kassay.families",
    }
    | {"kassay.output.block", "kassay.sentences"},
    "comparison/client_settings": MODEL | {"kassay.comparison.client_settings", "kassay.sentences"},
    "families/shape.py": {"kassay.properties.runs"},
    "families/family.py": {
        "kassay.model.assignor",
        "kassay.model",
        "kassay.oracles.answers",
        "kassay.oracles.levels",
        "kassay.families.shape",
    },
}
"""A folder or file and what it may import of kassay, and whether of Hypothesis."""
HEAVY = {"pandas", "matplotlib", "pyspark"}
OWN = {"families", "reference", "properties", "oracles", "model", "protocol"}
"""Folders whose files are of a shape or a family, or hold the tables of all."""
CLIENTS = {"listings", "playground"}
"""What Kafka's tools and client libraries print, offer and send is about consumer groups, some of them of Kafka Streams; so is the playground."""
NAMES_CONSUMERS = {"cli/commands/import_.py"}
OF_INPUTS = (
    "conformance/partitions.py",
    "conformance/partition_values.py",
    "conformance/tasks.py",
    "conformance/workers.py",
    "targets/clients/",
)
"""Fixtures, by what assignors are given, and client libraries, whose groups are consumer groups."""
ORDER = [
    *(
        "errors",
        "model",
        "reference",
        "properties",
        "oracles",
        "families",
        "output",
        "targets",
        "listings",
        "files",
        "engine",
    ),
    *("exported_tests", "comparison", "protocol", "conformance", "playground", "reports", "api", "cli"),
]
"""The folders of the package from the bottom to the top: imports run downwards."""
SHAPES = {"partitions", "tasks", "workers"}
OF_A_SHAPE = {"Group", "Member", "Topic", "TopicPartition", "Assignment"}


def imported(path: Path) -> set[str]:
    """Return the modules that a file imports, and the names it takes from kassay.model."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            names.add(str(node.module))
            if node.module == "kassay.model":
                names |= {f"kassay.model:{alias.name}" for alias in node.names}
    return names


def files(place: str = "") -> list[Path]:
    """Return the Python files of a folder, also of the folders that an editable install links to."""
    path = PACKAGE / place
    if path.suffix:
        return [path]
    return sorted(
        {file for inner in (path, *path.iterdir()) if inner.is_dir() for file in inner.rglob("*.py")}
    )


def engine() -> list[tuple[str, Path]]:
    """Return what serves all shapes and families: the engine, the command line, sweeps, the page."""
    found = [(path.relative_to(PACKAGE).as_posix(), path) for path in files()]
    return [
        (name, path)
        for name, path in found
        if not {name.split("/")[0]} & (OWN | CLIENTS) and name not in {"__init__.py", *NAMES_CONSUMERS}
        if not name.startswith(OF_INPUTS)
    ]


@pytest.mark.parametrize("place", MAY)
def test_lower_layers_know_nothing_of_higher_ones(place):
    assert files(place)
    for path in files(place):
        own = {name.partition(":")[0] for name in imported(path)}
        own = {name for name in own if name.startswith("kassay") or name == "hypothesis"}
        foreign = {
            name for name in own if not any(name == may or name.startswith(f"{may}.") for may in MAY[place])
        }
        assert not foreign, f"{path} imports {foreign}"


def test_imports_between_folders_run_downwards():
    found = set()
    for path in files():
        place = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for name in imported(path):
            above = [*name.partition(":")[0].split("."), ""][1] if name.startswith("kassay.") else ""
            if {place, above} <= set(ORDER) and ORDER.index(above) > ORDER.index(place):
                found.add((above, place))
    assert not found


def test_what_checks_proofs_needs_the_standard_library_alone():
    for path in files("oracles/proof"):
        others = {name.partition(".")[0] for name in imported(path)} - sys.stdlib_module_names
        assert others <= {"kassay"}, f"{path} imports {others}"


def test_hypothesis_stands_only_in_the_files_that_generate():
    for path in files("properties"):
        if any(name.split(".")[0] == "hypothesis" for name in imported(path)):
            assert path.name in {"strategies.py", "choices.py", "timelines.py"}, path


def test_nothing_that_serves_all_imports_a_shape_or_a_family():
    for name, path in engine():
        for module in imported(path):
            parts = set(module.replace(":", ".").split("."))
            in_reports = name.startswith("reports/shapes/")
            assert not parts & SHAPES or in_reports, f"{name} imports {module}, which is of a shape"
            assert not parts & OF_A_SHAPE or in_reports, f"{name} imports {module}, which is of a shape"
            assert not parts & FAMILIES.keys(), f"{name} imports {module}, which is of a family"


def test_the_engine_knows_neither_the_command_line_nor_what_draws():
    for name, path in engine():
        if name.split("/")[0] in {"cli", "reports", "__main__.py"}:
            continue
        names = imported(path)
        assert not any(module == "kassay.cli" or module.startswith("kassay.cli.") for module in names), name
        light = name != "api/compare.py"  # it returns a pandas.DataFrame
        assert not light or not {module.split(".")[0] for module in names} & HEAVY, name


def test_no_folder_is_a_crowd_and_no_file_a_book():
    for folder in {path.parent for path in files()}:
        assert len(list(folder.glob("*.py"))) <= 20, folder
    for path in files():
        assert len(path.read_text().splitlines()) <= 500, path
