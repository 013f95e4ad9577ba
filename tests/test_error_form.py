"""Every error that a user can see is `WHERE: PROBLEM. FIX.`: the sentences of all error classes, read from the code."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from said import find_form_errors

ROOT = Path(__file__).parents[1]
CODE = ("src", "reference", "properties", "oracles", "reports")
ERRORS = {
    "InputError", "UnwritableError", "RepeatedKeyError", "ListingError", "UnlistedPartitionsError", "WrongInputError",
    "ImpossibleError", "ArgumentTypeError", "StreamError",
}  # fmt: skip
"""The classes of errors with exit status 2."""
PREFIXED = {
    "src/kassay/cli/options.py", "src/kassay/files/texts.py", "src/kassay/conformance/tasks.py", "src/kassay/model/json_text.py",
    "src/kassay/targets/conversation.py", "reference/wire/schema.py", "src/kassay/conformance/fixture_runner.py", "reference/wire/connect.py", "src/kassay/protocol/simulation/group.py",
}  # fmt: skip
"""Modules of whose errors callers write the place: the option, file or target."""
COMPLETED = {
    "reports/sweep/manifest.py",
    "oracles/assignment/active_standby/problem.py",
    "oracles/assignment/problem.py",
}
"""Modules of whose errors the caller knows the fix, or which only a programmer can see."""
NO_ASSIGNMENT = {
    "counts, caps: no placement keeps all of them",
    "roles: no assignment meets all that is asked of the copies",
    "over time: no sequence of assignments keeps every rebalance as even as is asked",
}
"""Sentences that state a fact on a group, which has no solution."""


def read_sentences(node: ast.expr) -> list[str]:
    """Return the texts of an expression; a value that is known at run time becomes NUL."""
    match node:
        case ast.IfExp():
            return [*read_sentences(node.body), *read_sentences(node.orelse)]
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr():
            parts = (str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
            return ["".join(parts)]
        case ast.BinOp(op=ast.Add()):
            return [one + two for one in read_sentences(node.left) for two in read_sentences(node.right)]
    return ["\0"]


def iterate_errors(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each error that a module builds; `require` of the checker raises one too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = node.args[:1] if name in ERRORS else node.args[1:2] if name == "require" else []
            for text in given:
                for sentence in read_sentences(text):
                    yield node.lineno, sentence


def test_every_error_of_the_code_has_its_place_problem_and_fix():
    found, read = [], 0
    for path in sorted(file for folder in CODE for file in (ROOT / folder).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for line, text in iterate_errors(path.read_text()):
            read += 1
            wrong = find_form_errors(text) - ({"where"} if name in PREFIXED else set())
            if name in COMPLETED or text in NO_ASSIGNMENT:
                wrong -= {"fix"}
            found += [f"{name}:{line}: {', '.join(sorted(wrong))}: {text!r}"] * bool(wrong)
    assert read > 500
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("--faults: 'x' is never drawn; write it into a schedule", {"semicolon", "fix"}),
        ("there is no group. Give --group FILE", {"where"}),
        ("--case 7: fits no case", {"fix"}),
        ("--case 7: give 1 to 9", {"fix"}),
        ("--case 7: fits no case. It was seen before", {"fix"}),
        ("--case 7: fits no case. Give 1 to 9", set()),
        ("\0: is not a file. Did you mean 'a'?", set()),
        ("\0", set()),
        ("\0.levels: \0", set()),
    ],
)
def test_the_form_is_held(text, wrong):
    assert find_form_errors(text) == wrong
