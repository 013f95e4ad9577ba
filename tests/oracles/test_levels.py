"""Only the `levels.py` of its shape names a level, and a sentence says what a new level lacks."""

import ast
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

import kassay
from kassay.oracles.assignment import own_levels
from kassay.oracles.partitions import levels as of_partitions
from kassay.oracles.partitions.levels import refuse_enumeration
from kassay.oracles.proof import applications as of_tasks_in_checker
from kassay.oracles.proof import groups as in_checker
from kassay.oracles.proof import workers as of_workers_in_checker
from kassay.oracles.proof.roles import BALANCES, PARTS, SPREAD
from kassay.oracles.tasks import levels as of_tasks
from kassay.oracles.workers import levels as of_workers

PACKAGE = Path(kassay.__file__).parent
SHAPES = {"partitions": of_partitions, "tasks": of_tasks, "workers": of_workers}
LEVELS_OF_SHAPES = {f"oracles/{shape}/levels.py" for shape in SHAPES}
NAMES = {name for shape in SHAPES.values() for name in shape.LEVELS}
OWN = {each for name, each in vars(own_levels).items() if name.isupper()}
MAY_NAME_THEM = {
    "oracles/partitions/textbook.py": "the introduction to the oracles, which stands alone",
    "playground/bridge.py": "what comes first where the best possible is sought in the browser",
    "oracles/proof/*": "the checker counts by itself",
    "oracles/assignment/own_levels.py": "what the core has of its own",
    "oracles/consumer.py": "questions that have names",
    "oracles/share.py": "questions that have names",
    "oracles/streams.py": "questions that have names",
    "oracles/tasks/members/__init__.py": "questions that have names",
    "api/compare.py": "the question that is asked by default",
    "families/optimal/*": "the orders that they promise",
    **dict.fromkeys(
        (f"families/{name}.py" for name in ("consumer", "broker", "streams")),
        "what a report shows of a family, and what it costs to cross racks",
    ),
    "conformance/*": "what is expected of fixtures",
}
"""File -> the reason that it may name levels."""
ALSO = {
    "active": "a role of tasks",
    "capacity": "what a member can bear",
    "standby": "a role of tasks",
    "moves": "a measure of every shape",
    "restore": "an event of an application",
    "spread": "a column of boxes, and what lies between loads",
}
"""Names of levels that are names of something else as well; questions that begin or go on with them are levels."""


def sources() -> list[tuple[str, ast.Module]]:
    folders = (PACKAGE, *(inner for inner in PACKAGE.iterdir() if inner.is_dir()))
    files = sorted({file for folder in folders for file in folder.rglob("*.py")})
    return [(file.relative_to(PACKAGE).as_posix(), ast.parse(file.read_text())) for file in files]


def named(tree: ast.Module) -> set[str]:
    """Return the texts of a module that are levels, or questions with levels in them."""
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    words = {
        text: [word for word in text.split(",") if word] for text in texts if re.fullmatch(r"[\w,=-]+", text)
    }
    return {text for text, of in words.items() if NAMES.intersection(of) and text not in ALSO}


def test_only_the_levels_of_a_shape_name_a_level():
    for name, tree in sources():
        known = name in LEVELS_OF_SHAPES or any(fnmatch(name, may) for may in MAY_NAME_THEM)
        assert known or not named(tree), (
            f"{name} names {named(tree)}: iterate over the LEVELS of the shape instead"
        )


def test_the_tables_that_name_levels_do():
    naming = {name for name, tree in sources() if named(tree)}
    for may in MAY_NAME_THEM:
        assert any(fnmatch(name, may) for name in naming), f"{may} names no level any more"


def test_a_name_that_stands_elsewhere_is_found():
    assert named(ast.parse('asked = "balance,moves"')) == {"balance,moves"}
    assert named(ast.parse('if level == "cross-rack": ...')) == {"cross-rack"}
    assert not named(ast.parse('role = "standby"'))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_level_has_its_line_and_its_costs(shape):
    module = SHAPES[shape]
    for level in (each for each in vars(module).values() if isinstance(each, module.Level)):
        assert level.name in module.LEVELS, f"{level.name} has no line. Add it to LEVELS in {module.__file__}"
    for name, level in module.LEVELS.items():
        costs = (
            getattr(level, "owned", None) or getattr(level, "in_rack", None) or getattr(level, "held", None)
        )
        costs = (
            costs or getattr(level, "weighs", False) or any(getattr(level, "reads", ())) or shape == "workers"
        )
        assert costs or name in OWN, (
            f"{name}: costs nothing. Give it `owned` or `in_rack`, of tasks `held` or `reads`"
        )


def test_every_level_of_partitions_is_counted_out():
    for name, level in of_partitions.LEVELS.items():
        assert level.tried is not refuse_enumeration, (
            f"{name}: is not counted out of a tiny group. Give it `tried`"
        )


SCHEMAS = {"partitions": "certificate.schema.json", "tasks": "tasks-certificate.schema.json"}
"""Shape -> the schema of its certificates; workers' levels have no schema of their own."""


@pytest.mark.parametrize("shape", SCHEMAS)
def test_the_schema_of_certificates_knows_every_level(shape):
    schema = (Path(__file__).parents[2] / "docs" / "reference" / SCHEMAS[shape]).read_text()
    for name in SHAPES[shape].LEVELS:
        assert f'"{name}"' in schema, (
            f"{name}: add it to the names of levels in docs/reference/{SCHEMAS[shape]}"
        )


COUNTED = {
    "partitions": ({*in_checker.LEVELS}, "IN_RACK or LEVELS in oracles/proof/groups.py"),
    "tasks": (
        {*BALANCES, SPREAD, PARTS, *of_tasks_in_checker.LEVELS},
        "LEVELS in oracles/proof/applications.py",
    ),
    "workers": ({*of_workers_in_checker.LEVELS}, "LEVELS in oracles/proof/workers.py"),
}
"""Shape -> the levels that the checker counts, and where it does."""


@pytest.mark.parametrize("shape", SHAPES)
def test_the_checker_counts_every_level(shape):
    counted, file = COUNTED[shape]
    for name in SHAPES[shape].LEVELS:
        assert name in counted, f"{name}: the checker does not count it. Add it to {file}"
