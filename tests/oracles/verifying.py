"""Asking the checker of what kassay proves, both as `--verify` does and by itself."""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import jsonschema
from pack import pack
from printed import json_lines

from kassay.cli import main
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import write_group
from kassay.oracles.proof import command

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/reference/certificate.schema.json").read_text())
GROUP = write_group(
    Group(
        (Topic("t", 3, (("a",), ("b",), ())), Topic("u", 3), Topic("nobody's", 1)),
        (
            Member("m0", ("t", "u"), (TopicPartition("t", 0), TopicPartition("nobody's", 0)), 1, None, "a"),
            Member("m1", ("t",), (), None, None, "b"),
            Member("m2", ()),
        ),
    )
)


TINY = {
    "topics": [{"name": "t", "partitions": 1}],
    "members": [{"id": "m", "topics": ["t"], "owned": [["t", 0]]}],
}
ONE = {
    "question": "balance,moves",
    "levels": [{"level": level, "value": 0, "least": 0, "proved": True} for level in ("balance", "moves")],
    "assignment": {"m": [["t", 0]]},
    "certificate": {
        "proved": True,
        "loads": {"m": 1},
        "parts": [{"topics": ["t"], "value": [1, 0], "least": [1, 0], "price": [2, 0], "except": {}}],
    },
}


CLUSTER = {
    "family": "connect",
    "connectors": [{"name": "c", "tasks": 2}, {"name": "d", "tasks": 1}],
    "workers": [{"id": "w", "connectors": ["c"], "tasks": [["c", 0]]}, {"id": "v"}],
}


def write_frontier(found, write_assignment):
    """A frontier as `kassay frontier --json` prints it, as far as the checker reads it."""
    points = [
        {name: getattr(point, name) for name in ("values", "supported", "proved_by", "proof")}
        | {"assignment": write_assignment(point.assignment)}
        for point in found.points
    ]
    bought = [{"moves": step.moves, "least": step.least, "most": step.most} for step in found.bought]
    shown = {
        "record": "frontier", "title": found.title, "levels": found.levels, "points": points, "proofs": found.proofs,
        "extreme": found.extreme, "whole": found.whole, "open": found.open_, "bought": bought,
    }  # fmt: skip
    return json.loads(json.dumps(shown))


def write_sequence(best, write_answer, **more):
    """Sums over time as `kassay over-time --json` prints them, with other keys."""
    names = ("name", "least", "value", "proved")
    shown = {
        "record": "over-time", "question": best.question, "rebalances": best.rebalances, **more,
        "totals": [{name: getattr(total, name) for name in names} for total in best.totals],
        "assignments": [write_answer(each) for each in best.assignments], "certificate": best.certificate,
    }  # fmt: skip
    return json.loads(json.dumps(shown))


def answers(folder, asked, *groups):
    """What the command prints for groups."""
    (folder / "groups").write_text("".join(json.dumps(each) + "\n" for each in groups))
    assert main(["optimum", asked, str(folder / "groups"), "--json", "-o", str(folder / "out")]) == 0
    return [json.loads(line) for line in (folder / "out" / "optimum.jsonl").read_text().splitlines()]


def all_proved(folder, asked, groups, schema, capsys):
    """Assert that what the command prints for groups fits the schema and is proved, by the command and by the checker itself."""
    found = answers(folder, asked, *groups)
    capsys.readouterr()
    files = [str(folder / "out" / "optimum.jsonl"), str(folder / "groups")]
    assert main(["optimum", "--verify", *files, "--json"]) == 0
    said = json_lines(capsys)
    assert [each["proved"] for each in said] == [True] * len(groups)
    assert command.main(files) == 0
    assert capsys.readouterr().out.splitlines() == [each["sentence"] for each in said]
    assert {each["sentence"].partition(":")[0] for each in said} == {"proved"}
    for answer in found:
        jsonschema.validate(answer, schema, jsonschema.Draft202012Validator)


@cache
def packed():
    """The checker as the file that people get."""
    file = Path(mkdtemp()) / "kassay-proof.pyz"
    pack(file)
    return file


def alone(*files, folder=None):
    """Run that file on files without kassay and what is installed; return what became of it."""
    python = [sys.executable, "-I", "-S", str(packed())]
    return subprocess.run([*python, *files], capture_output=True, text=True, check=False, cwd=folder)


def verified(folder, of, answer, capsys, asked=("optimum",)):
    """The exit status of the command and of the checker, and what the checker says; `of` and `answer` may be text or bytes.

    They differ only in how a group is read: of an answer they say the same.
    """
    files = [folder / "answer.json", folder / "group.json"]
    for file, value in zip(files, (answer, of), strict=True):
        content = value if isinstance(value, str | bytes) else json.dumps(value)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    said = []
    for ask in (
        lambda: main([*asked, "--verify", str(files[0]), str(files[1]), "--json"]),
        lambda: command.main([*map(str, files)]),
    ):
        capsys.readouterr()
        status, told = ask(), capsys.readouterr()
        said.append((status, told.out, told.err.strip()))
    (own, out, wrong), (other, theirs, also) = said
    assert own == other in (0, 1, 2, 3), said
    assert "bug of kassay" not in wrong, said
    if own != 2:
        found = [json.loads(line)["sentence"] for line in out.splitlines()]
        assert [each[:1000].encode("unicode_escape").decode() for each in found] == theirs.splitlines()
    return own, also or theirs.strip()
