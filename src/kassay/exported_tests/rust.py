"""A test for Rust's test harness of a program."""

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
from kassay.exported_tests.programs import PROTOCOL, check, split_command, write_groups

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def write_text(value: str) -> str:
    """Return a string literal of Rust."""
    written = (_ESCAPES.get(one, one if " " <= one <= "~" else f"\\u{{{ord(one):x}}}") for one in value)
    return f'"{"".join(written)}"'


def write_texts(items: Sequence[str]) -> str:
    """Return an array of string slices."""
    return f"[{', '.join(map(write_text, items))}]"


HELPERS = {
    "count": """
/// Counts the items that these owners have, of these items alone; an empty list stands for all.
fn count(answer: &Rows, owners: &[&str], items: &[&str]) -> i64 {
    let given = answer.iter().filter(|(owner, _)| owners.is_empty() || owners.contains(&owner.as_str())).flat_map(|(_, each)| each);
    given.filter(|item| items.is_empty() || items.contains(&item.as_str())).count() as i64
}
""",
    "same": """
fn same(one: &Rows, other: &Rows) -> bool {
    kept(one, other) && kept(other, one)
}
""",
    "kept": """
/// Says whether all owners still have what they had.
fn kept(one: &Rows, other: &Rows) -> bool {
    one.iter().all(|(owner, items)| items.iter().all(|item| other.get(owner).is_some_and(|given| given.contains(item))))
}
""",
    "owned": """
/// Writes what an owner was given as JSON.
fn owned(answer: &Rows, owner: &str) -> String {
    let pair = |item: &String| match item.rsplit_once('-') {
        Some((name, number)) => serde_json::json!([name, number.parse::<i64>().unwrap()]),
        None => serde_json::json!(item),
    };
    serde_json::Value::from_iter(answer.get(owner).into_iter().flatten().map(pair)).to_string()
}
""",
}


def _write_rows(rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    entries = (
        f"({write_text(owner)}.to_string(), {write_texts(items)}.map(str::to_string).to_vec())"
        for owner, items in rows
    )
    return f"Rows::from([{', '.join(entries)}])"


SYNTAX = Syntax(
    text=write_text,
    texts=write_texts,
    count=lambda answer, owners, items: f"count(&{answer}, &{owners}, &{items})",
    demand=lambda condition, message, answer: (
        f'assert!({condition}, "{{}}. The answer is {{:?}}", {message}, {answer});'
    ),
    same=lambda one, other: f"same(&{one}, &{other})",
    kept=lambda one, other: f"kept(&{one}, &{other})",
    rows=lambda rows: _write_rows([*rows.items()]),
)


def write(job: Job) -> str:
    """Return the test of a target that `check` lets pass."""
    command = split_command(job.target)
    names = list_answer_names(job.evidence.calls)
    parts = write_groups(job, names, lambda answer, owner: f"owned(&{answer}, {write_text(owner)})")
    groups = [
        f"[{', '.join(f'{part[0]}' if isinstance(part, tuple) else f'{write_text(part)}.to_string()' for part in each)}].concat()"
        for each in parts
    ]
    body = []
    for at in range(len(groups)):
        asked = f"assign(&[{', '.join(groups[: at + 1] if job.finding.before else groups[at : at + 1])}])"
        failing = list_unanswered(job, at)
        body += [f"let {names[at]} = {asked}.unwrap();"] * (not failing)
        for each in failing:
            body += [
                f"let {names[at]} = {asked};",
                f'assert!({names[at]}.is_ok(), "{{}}: {{:?}}", {write_text(each.message)}, {names[at]});',
            ]
    body += write_checks(job, SYNTAX)
    code = "\n".join(f"    {line}" for line in body)
    run = ['To run it: cargo test, with serde_json = "1" in [dev-dependencies] of Cargo.toml.', PROTOCOL]
    return write_header(job, shlex.join(command), run) + fill(
        "exec.rs",
        {
            "NAME": format_property(job.finding),
            "BODY": code,
            "ASSIGNOR": write_text(json.dumps(job.assignor)),
            "COMMAND": write_texts(command),
            "HELPERS": write_helpers(code, HELPERS),
        },
    ).rstrip("\n")


__all__ = ["check", "write"]
