"""A test for node:test of a program."""

import json
import shlex
from collections.abc import Sequence

from kassay.exported_tests.layout import (
    Job,
    Syntax,
    fill,
    format_property,
    list_answer_names,
    list_unanswered,
    write_checks,
    write_header,
    write_helpers,
)
from kassay.exported_tests.layout import write_json_text as write_text
from kassay.exported_tests.programs import PROTOCOL, check, split_command, write_groups


def write_texts(items: Sequence[str]) -> str:
    """Return an array of strings."""
    return f"[{', '.join(map(write_text, items))}]"


HELPERS = {
    "count": """
// counts the items that these owners have, of these items alone; an empty list stands for all
function count (answer, owners, items) {
  const given = [...answer].filter(([owner]) => owners.length === 0 || owners.includes(owner)).flatMap(([, each]) => each)
  return given.filter(item => items.length === 0 || items.includes(item)).length
}
""",
    "same": """
function same (one, other) {
  return kept(one, other) && kept(other, one)
}
""",
    "kept": """
// says whether all owners still have what they had
function kept (one, other) {
  return [...one].every(([owner, items]) => items.every(item => other.get(owner)?.includes(item)))
}
""",
    "owned": """
// writes what an owner was given as JSON
function owned (answer, owner) {
  const pair = item => item.includes('-') ? [item.slice(0, item.lastIndexOf('-')), Number(item.slice(item.lastIndexOf('-') + 1))] : item
  return JSON.stringify((answer.get(owner) ?? []).map(pair))
}
""",
}
SYNTAX = Syntax(
    text=write_text,
    texts=write_texts,
    count=lambda answer, owners, items: f"count({answer}, {owners}, {items})",
    demand=lambda condition, message, answer: (
        f"assert.ok({condition}, {message} + '. The answer is ' + JSON.stringify([...{answer}]))"
    ),
    same=lambda one, other: f"same({one}, {other})",
    kept=lambda one, other: f"kept({one}, {other})",
    rows=lambda rows: (
        f"new Map([{', '.join(f'[{write_text(owner)}, {write_texts(items)}]' for owner, items in rows.items())}])"
    ),
)


def write(job: Job) -> str:
    """Return the test of a target that `check` lets pass."""
    command = split_command(job.target)
    names = list_answer_names(job.evidence.calls)
    parts = write_groups(job, names, lambda answer, owner: f"owned({answer}, {write_text(owner)})")
    groups = [
        " + ".join(part[0] if isinstance(part, tuple) else write_text(part) for part in each)
        for each in parts
    ]
    body = []
    for at in range(len(groups)):
        asked = f"assign({', '.join(groups[: at + 1] if job.finding.before else groups[at : at + 1])})"
        failing = list_unanswered(job, at)
        body += [f"const {names[at]} = {asked}"] * (not failing)
        body += [f"assert.doesNotThrow(() => {asked}, {write_text(each.message)})" for each in failing]
    body += write_checks(job, SYNTAX)
    code = "\n".join(f"  {line}" for line in body)
    run = ["To run it: node --test FILE.mjs, with Node.js 20 or newer.", PROTOCOL]
    return write_header(job, shlex.join(command), run) + fill(
        "exec.mjs",
        {
            "NAME": write_text(format_property(job.finding)),
            "BODY": code,
            "ASSIGNOR": write_text(json.dumps(job.assignor)),
            "COMMAND": write_texts(command),
            "HELPERS": write_helpers(code, HELPERS),
        },
    ).rstrip("\n")


__all__ = ["check", "write"]
