"""The generated parts of docs/results/old-bugs.md: the bugs of old releases, with the evidence that the museum keeps."""

import json
import sys
from collections.abc import Iterator, Sequence

from bug_records import MUSEUM, Bug, Exhibit, StagedBug, read_bugs
from findings import list_titles, name_anchors, shorten_condition, write_fields

sys.path.append(str(MUSEUM.parent))

from by_schedule import describe_schedule, read_schedules
from evidence import read_evidence


def write_old_bugs() -> str:
    """Return a table and a section for each bug of an assignor."""
    bugs: list[Exhibit] = read_bugs(MUSEUM)["exhibit"]
    found = read_evidence()
    rows = [f"{bug.assignor} | {shorten_condition(bug)} | {bug.fixed_version}" for bug in bugs]
    lines = list(_write_table("assignor | happens when | fixed in", rows, bugs))
    for title, bug in zip(list_titles(bugs), bugs, strict=True):
        lines += [f"\n### {title}\n", *write_fields(bug, f"fixed in {bug.fixed_version}")]
        lines.append(f"- **Assignor:** `{bug.affected}`")
        for one in found[bug.name]:
            lines.append(
                f"- **Found by `{one.by}`** in {one.releases} (tested: {one.tested}): {one.message.rstrip('.')}."
            )
            lines += [f"  `{json.dumps(one.group)}`"] if one.group else []
    return "\n".join(lines) + "\n"


def write_staged_bugs() -> str:
    """Return a table and a section for each bug of the group protocol."""
    bugs: list[StagedBug] = read_bugs(MUSEUM)["staged"]
    schedules = read_schedules()
    rows = [f"{bug.side} | {shorten_condition(bug)} | {bug.fixed}" for bug in bugs]
    lines = list(_write_table("side | happens when | fixed in", rows, bugs))
    for title, bug in zip(list_titles(bugs), bugs, strict=True):
        found = schedules[bug.key]
        lines += [f"\n### {title}\n", *write_fields(bug, f"{bug.affected}; fixed in {bug.fixed}")]
        lines.append(f"- **Found by `{found.breaks}`**: {describe_schedule(found.schedule)}.")
    return "\n".join(lines) + "\n"


def _write_table(head: str, rows: Sequence[str], bugs: Sequence[Bug]) -> Iterator[str]:
    yield f"| bug | {head} |\n{'| --- ' * (head.count('|') + 2)}|"
    titles = list_titles(bugs)
    for title, anchor, row in zip(titles, name_anchors(titles), rows, strict=True):
        yield f"| [{title}](#{anchor}) | {row} |"
