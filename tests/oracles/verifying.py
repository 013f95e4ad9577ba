"""Asking both verifiers at once."""

import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import jsonschema

from kassay.cli import main
from kassay.model import Group, Member, Topic, TopicPartition
from kassay.model.partitions_json import write_group
from kassay.oracles import verify_certificate

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs/oracles/certificate.schema.json").read_text())
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


def answers(folder, asked, *groups):
    """What the command prints for groups."""
    (folder / "groups").write_text("".join(json.dumps(each) + "\n" for each in groups))
    assert main(["optimum", asked, str(folder / "groups"), "--json", "-o", str(folder / "out")]) == 0
    return [json.loads(line) for line in (folder / "out" / "optimum.jsonl").read_text().splitlines()]


def all_proved(folder, asked, groups, schema, capsys):
    """Assert that what the command prints for groups fits the schema and is proved to both verifiers."""
    found = answers(folder, asked, *groups)
    capsys.readouterr()
    out = str(folder / "out" / "optimum.jsonl")
    assert main(["optimum", "--verify", out, str(folder / "groups"), "--json"]) == 0
    proved = [json.loads(line)["proved"] for line in capsys.readouterr().out.splitlines()]
    assert proved == [True] * len(groups)
    for of, answer in zip(groups, found, strict=True):
        jsonschema.validate(answer, schema, jsonschema.Draft202012Validator)
        assert verify_certificate.verify(of, answer).startswith(f"nothing is better in {asked}")


def alone(*files, verifier="verify_certificate.py", folder=None):
    """Run a verifier on files without kassay and what is installed; return what became of it."""
    python = [sys.executable, "-I", "-S", str(ROOT / "oracles" / verifier)]
    return subprocess.run([*python, *files], capture_output=True, text=True, check=False, cwd=folder)


def verified(folder, of, answer, capsys):
    """The exit status on which both verifiers agree, and what each says; `answer` may be text."""
    files = [folder / "group.json", folder / "answer.json"]
    files[0].write_text(json.dumps(of))
    if isinstance(answer, bytes):
        files[1].write_bytes(answer)
    else:
        files[1].write_text(json.dumps(answer))
    said = []
    for ask in (
        lambda: main(["optimum", "--verify", str(files[1]), str(files[0])]),
        lambda: verify_certificate.main([*map(str, files)]),
    ):
        status, told = ask(), capsys.readouterr()
        said.append((status, (told.out + told.err).replace("\n", " ").strip()))
    (own, ours), (other, theirs) = said
    assert own == other in (0, 1, 2), said
    assert ("NOT proved" in ours) == ("NOT proved" in theirs) == (own == 1), said
    return own, ours, theirs


def altered(r, value):
    """A value with one place inside it changed, removed, doubled or exchanged for another."""
    if isinstance(value, dict) and value and r.random() < 0.9:
        key = r.choice([*value])
        changed = dict(value)
        other = r.choice([*value])
        changed[key] = r.choice([altered(r, value[key]), altered(r, value[key]), value[other]])
        if r.random() < 0.1:
            del changed[key]
        return changed
    if isinstance(value, list) and value and r.random() < 0.9:
        n = r.randrange(len(value))
        middle = r.choice([[altered(r, value[n])]] * 4 + [[], [value[n]] * 2, [r.choice(value)]])
        return [*value[:n], *middle, *value[n + 1 :]]
    if type(value) is int:
        return value + r.choice([-(10**30), -(2**63), -2, -1, 1, 2, 2**62, 10**40, 0.0])
    if isinstance(value, str):
        return r.choice(
            ["m0", "m1", "t0", "t1", "gone", "balance", "moves", "cross-rack", f"copies=2,{value}", value, ""]
        )
    return r.choice([None, True, False, 0, 1.5, [], {}, "x"])


def altered_tasks(r, answer):
    """An answer about tasks with a price, a factor, a value or a copy changed."""
    changed = deepcopy(answer)
    kind = r.choice(["unit", "before", "active", "every", "value", "level", "copy"])
    proof = r.choice(changed["certificate"]["proofs"])
    prices = proof["proof"]
    while prices["by"] == "cases":
        prices = prices[r.choice(["fewer", "more"])]
    clients = [*changed["assignment"]]
    by = r.choice([-2, -1, 1, 2])
    if kind == "unit":
        prices["unit"] += by
    elif kind == "before" and prices["before"]:
        prices["before"][r.randrange(len(prices["before"]))] += by
    elif kind in ("active", "every"):
        name = r.choice(clients)
        prices[kind][name] = prices[kind].get(name, 0) + by
    elif kind == "value":
        proof[r.choice(["value", "least"])] += by
    elif kind == "level":
        r.choice(changed["levels"])[r.choice(["value", "least"])] += by
    elif kind == "copy":
        giver, taker = r.choice(clients), r.choice(clients)
        role = r.choice(["active", "standby"])
        if giver != taker and (held := changed["assignment"][giver].get(role)):
            changed["assignment"][taker].setdefault(role, []).append(held.pop(r.randrange(len(held))))
    return changed
