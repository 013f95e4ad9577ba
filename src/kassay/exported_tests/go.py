"""A test for Go's package testing, of a balancer of franz-go or of a program."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from kassay.engine.finding import Finding
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
    write_members,
)
from kassay.exported_tests.programs import PROTOCOL, split_command, write_groups
from kassay.exported_tests.rows import ObstacleError, format_item

FRANZ_GO = {
    "range": "RangeBalancer",
    "roundrobin": "RoundRobinBalancer",
    "sticky": "StickyBalancer",
    "cooperative-sticky": "CooperativeStickyBalancer",
}
"""Name in kassay's adapter for franz-go -> the function of kgo."""
VERSIONS = ("github.com/twmb/franz-go v1.22.2", "github.com/twmb/franz-go/pkg/kmsg v1.15.0")
"""The modules with which adapters/go is built."""


def write_text(value: str) -> str:
    """Return a string literal of Go."""
    return json.dumps(value, ensure_ascii=False).replace("\ufeff", "\\ufeff").replace("\x7f", "\\u007f")


def write_texts(items: Sequence[str]) -> str:
    """Return a slice of strings."""
    return f"[]string{{{', '.join(map(write_text, items))}}}"


HELPERS = {
    "count": """
// count counts the items that these owners have, of these items alone; an empty list stands for all.
func count(answer map[string][]string, owners, items []string) int {
	found := 0
	for owner, given := range answer {
		for _, item := range given {
			if (len(owners) == 0 || slices.Contains(owners, owner)) && (len(items) == 0 || slices.Contains(items, item)) {
				found++
			}
		}
	}
	return found
}
""",
    "same": """
func same(one, other map[string][]string) bool {
	return kept(one, other) && kept(other, one)
}
""",
    "kept": """
// kept says whether all owners still have what they had.
func kept(one, other map[string][]string) bool {
	for owner, items := range one {
		for _, item := range items {
			if !slices.Contains(other[owner], item) {
				return false
			}
		}
	}
	return true
}
""",
    "owned": """
// owned writes what an owner was given as JSON.
func owned(answer map[string][]string, owner string) string {
	items := []any{}
	for _, item := range answer[owner] {
		if at := strings.LastIndex(item, "-"); at > 0 {
			items = append(items, []any{item[:at], json.Number(item[at+1:])})
		} else {
			items = append(items, item)
		}
	}
	written, err := json.Marshal(items)
	if err != nil {
		panic(err)
	}
	return string(written)
}
""",
}
SYNTAX = Syntax(
    text=write_text,
    texts=write_texts,
    count=lambda answer, owners, items: f"count({answer}, {owners}, {items})",
    demand=lambda condition, message, answer: (
        f'if !({condition}) {{\n\tt.Errorf("%s. The answer is %v", {message}, {answer})\n}}'
    ),
    same=lambda one, other: f"same({one}, {other})",
    kept=lambda one, other: f"kept({one}, {other})",
    rows=lambda rows: (
        f"map[string][]string{{{', '.join(f'{write_text(owner)}: {{{str.join(chr(44), map(write_text, items))}}}' for owner, items in rows.items())}}}"
    ),
)


def check(finding: Finding, target: str) -> None:
    """Raise ObstacleError for a target that is neither kassay's adapter for franz-go nor another program."""
    command = split_command(target)
    if _is_franz_go(command):
        if command[1] not in FRANZ_GO:
            raise ObstacleError("franz-go has no public call that takes the racks of partitions")
        if any(one.user_data is not None for one in finding.group.members):
            raise ObstacleError("a member of the group has user data, which franz-go writes itself")


def _is_franz_go(command: Sequence[str]) -> bool:
    return Path(command[0]).name == "franz-go" and len(command) == 2


def write(job: Job) -> str:
    """Return the test of a target that `check` lets pass."""
    command = split_command(job.target)
    own = _is_franz_go(command)
    names = list_answer_names(job.evidence.calls)
    groups = _write_members(job, names) if own else _write_requests(job, names)
    body = []
    for at, asked in enumerate(groups):
        failing = list_unanswered(job, at)
        if failing:
            body += [
                "failed := make(chan error, 1)",
                f"go func() {{\n\t_, err := assign({asked})\n\tfailed <- err\n}}()",
                "select {",
                f'case err := <-failed:\n\tif err != nil {{\n\t\tt.Fatalf("%s. It fails: %v", {write_text(failing[0].message)}, err)\n\t}}',
                f"case <-time.After(10 * time.Second):\n\tt.Fatal({write_text(failing[0].message)})",
                "}",
            ]
        else:
            used = any(
                each.at == at or (each.kind in {"same", "kept"} and each.than == at)
                for each in job.evidence.checks
            )
            used = used or any(call.fed == at for call in job.evidence.calls)
            name = names[at] if used else "_"
            body.append(f"{name}, err {':=' if used or at == 0 else '='} assign({asked})")
            body.append("if err != nil {\n\tt.Fatal(err)\n}")
    body += write_checks(job, SYNTAX)
    code = "\n".join(f"\t{line}" for line in "\n".join(body).splitlines())
    library, run = (
        (
            f"franz-go {VERSIONS[0].split()[1]}",
            ["To run it: go 1.26, and in go.mod", *(f"  require {each}" for each in VERSIONS)],
        )
        if own
        else (shlex.join(command), ["To run it: go test.", PROTOCOL])
    )
    parts = {
        "NAME": "".join(word.capitalize() for word in format_property(job.finding).split("_")),
        "BODY": code,
        "ASSIGNOR": FRANZ_GO[command[1]] if own else write_text(json.dumps(job.assignor)),
        "COMMAND": write_texts(command),
        "HELPERS": write_helpers(code, HELPERS),
    }
    header = write_header(job, library, run)
    source = fill("franz-go.go" if own else "exec.go", parts)
    return f"{header}\n{_drop_unused(source)}".rstrip("\n")


def _drop_unused(source: str) -> str:
    """Return the file without imports that it does not use, which Go refuses."""
    lines = source.splitlines()
    packages = {line.strip().strip('"').rpartition("/")[2]: line for line in lines if line.startswith('\t"')}
    unused = {line for name, line in packages.items() if source.count(f"{name}.") == 0}
    return "\n".join(line for line in lines if line not in unused)


def _write_members(job: Job, names: Sequence[str]) -> list[str]:
    found = []
    for call in job.evidence.calls:
        owned = write_members(
            call, names, lambda answer, owner: f"{answer}[{write_text(owner)}]", write_texts
        )
        topics = ", ".join(
            f"{write_text(each['name'])}: {each['partitions']}" for each in call.group.get("topics", ())
        )
        members = "".join(
            f"\t{{{write_text(one['id'])}, {write_texts(one['topics'])}, {owned(one['id'], [*map(format_item, one.get('owned', ()))])}, "
            f"{one.get('generation', -1)}, {write_text(one.get('instance_id') or '')}, {write_text(one.get('rack') or '')}}},\n"
            for one in call.group["members"]
        )
        found.append(f"map[string]int32{{{topics}}}, []member{{\n{members}}}")
    return found


def _write_requests(job: Job, names: Sequence[str]) -> list[str]:
    parts = write_groups(job, names, lambda answer, owner: f"owned({answer}, {write_text(owner)})")
    groups = [
        " + ".join(part[0] if isinstance(part, tuple) else write_text(part) for part in each)
        for each in parts
    ]
    return [", ".join(groups[: at + 1]) if job.finding.before else group for at, group in enumerate(groups)]
