"""Write the views of examples/findings/findings.toml: docs/results/findings.md, the README's lists of bugs, and the titles in the files.

``python docs/scripts/findings.py --write`` writes them. Without ``--write`` the exit status is 1 if a view is stale.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bug_records import FINDINGS, ROOT, Bug, FindingRecord, FoundBug, Observation, read_bugs

from kassay.cli.render.findings import shorten_messages
from kassay.engine.finding import Finding, load_finding
from kassay.families import family

FOLDER = FINDINGS.parent
PAGE = ROOT / "docs" / "results" / "findings.md"
README = ROOT / "README.md"
COMMAND = "python docs/scripts/findings.py --write"
PART = re.compile(
    r"(<!-- generated: (findings|first_findings|table_of_findings) -->\n).*?(<!-- end -->)", re.DOTALL
)
ENDS = (" [", "; its standard error")
"""The beginnings of the parts of a message that differ from run to run: the Java stack, or the output of the process."""
OF_TARGETS = {
    "range": "range", "roundrobin": "roundrobin", "sticky_assignor": "sticky", "cooperative_sticky": "cooperative-sticky",
}  # fmt: skip
"""The module of a Python assignor -> its name."""


def load_findings() -> Iterator[tuple[FindingRecord, Finding]]:
    """Yield each entry that has a file, with its finding."""
    for entry in read_bugs(FINDINGS)["finding"]:
        yield entry, load_finding(str(FOLDER / entry.file))


def shorten(message: str) -> str:
    """Remove the parts of a message that differ from run to run."""
    for end in ENDS:
        message = message.partition(end)[0]
    return message.rstrip(".")


def describe_size(finding: Finding) -> str:
    """Return the numbers of members and partitions of a finding's group, or what its family has instead."""
    group = family(finding.family).write_group(finding.group)
    words = {
        "members": "member",
        "clients": "client",
        "workers": "worker",
        "tasks": "task",
        "connectors": "connector",
    }
    sizes = [(len(group[key]), word) for key, word in words.items() if key in group]
    if "topics" in group and "tasks" not in group:
        sizes.append((sum(topic["partitions"] for topic in group["topics"]), "partition"))
    if "subtopologies" in group:
        sizes.append((sum(each["partitions"] for each in group["subtopologies"]), "task"))
    return ", ".join(f"{number} {word}{'s' * (number != 1)}" for number, word in sizes)


def name_assignor(finding: Finding) -> str:
    """Return the name of the assignor that a finding is about."""
    target = finding.target
    if target.startswith("python:"):
        return OF_TARGETS[target.removeprefix("python:").partition(":")[0].rpartition(".")[2]]
    return target.rpartition("#")[2] if "#" in target else target.rpartition(" ")[2]


def write_fields(bug: Bug, releases: str) -> Iterator[str]:
    """Yield the fields of a bug that people wrote, and its releases."""
    yield f"- **Effect:** {bug.effect}"
    yield f"- **Happens when:** {bug.when}"
    issue = f"[{bug.key}]({bug.issue})" if bug.issue else ""
    fields = {"Releases": releases, "Workaround": bug.workaround, "Upstream": issue, "Also": bug.also}
    yield from (f"- **{name}:** {text}" for name, text in fields.items() if text)


def write_finding(number: int, entry: FindingRecord, finding: Finding) -> Iterator[str]:
    """Yield the lines of one finding."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    place = (FOLDER / entry.file).relative_to(ROOT)
    kind = "Smallest group" if finding.smallest else "Group (not minimal)"
    yield f"### {number}. {entry.title}\n"
    yield from write_fields(entry, entry.since)
    yield f"- **Assignor:** `{finding.target}`"
    yield f"- **Promise:** `{finding.property}`. Message: {shorten(shorten_messages(finding)[0])}."
    yield f"- **{kind}:** {describe_size(finding)}\n"
    yield f"```sh\n{finding.replay(place)}\n```\n"
    yield f"`{group}`\n"


def write_observation(number: int, entry: Observation) -> Iterator[str]:
    """Yield the lines of one observation."""
    yield f"### {number}. {entry.title}\n"
    yield from write_fields(entry, entry.since)
    if entry.promise:
        yield f"- **Promise:** `{entry.promise}`"
    yield f"- **Evidence:** {entry.evidence}\n"


def write_page() -> str:
    """Return the part of the page: for each library a table and a section for each finding."""
    found = {entry.file: finding for entry, finding in load_findings()}
    libraries: dict[str, list[FoundBug]] = {}
    listed = read_bugs(FINDINGS)
    for entry in (*listed["finding"], *listed["observation"]):
        libraries.setdefault(entry.library, []).append(entry)
    titles = [title for name, entries in libraries.items() for title in (name, *list_titles(entries))]
    places = iter(name_anchors(titles))
    lines: list[str] = []
    for library, entries in libraries.items():
        next(places)
        lines += [f"\n## {library}\n", "| finding | happens when |", "| --- | --- |"]
        lines += [
            f"| [{title}](#{next(places)}) | {shorten_condition(entry)} |"
            for title, entry in zip(list_titles(entries), entries, strict=True)
        ]
        lines.append("")
        for number, entry in enumerate(entries, 1):
            if isinstance(entry, FindingRecord):
                lines += write_finding(number, entry, found[entry.file])
            elif isinstance(entry, Observation):
                lines += write_observation(number, entry)
    return "\n".join(lines).lstrip("\n")


def list_titles(entries: Sequence[Bug]) -> list[str]:
    """Return the titles of sections."""
    return [f"{number}. {entry.title}" for number, entry in enumerate(entries, 1)]


def shorten_condition(entry: Bug) -> str:
    """Return the first sentence of the condition, for a table."""
    return entry.when.split(". ")[0].rstrip(".")


def write_first_findings() -> str:
    """Return the README's first bugs as a list."""
    return "".join(
        f"- **{entry.title}.** {entry.effect.split('. ')[0].rstrip('.')}: [{describe_size(finding)}](examples/findings/{entry.file}).\n"
        for entry, finding in load_findings()
        if entry.readme == "first"
    )


def write_table_of_findings() -> str:
    """Return the README's table of bugs in clients."""
    rows = [
        f"| {entry.library} | {name_assignor(finding)} | {entry.title} | [{describe_size(finding)}](examples/findings/{entry.file}) |\n"
        for entry, finding in load_findings()
        if entry.readme == "table"
    ]
    return "| client | assignor | bug | smallest group |\n| --- | --- | --- | --- |\n" + "".join(rows)


VIEWS = {
    "findings": write_page, "first_findings": write_first_findings, "table_of_findings": write_table_of_findings,
}  # fmt: skip
"""Part of a page -> the function that writes it."""


def write_views() -> Mapping[Path, str]:
    """Return the text of each file that has a view."""
    written = {
        page: PART.sub(lambda part: f"{part[1]}{VIEWS[part[2]]()}{part[3]}", page.read_text(encoding="utf-8"))
        for page in (PAGE, README)
    }
    for entry in read_bugs(FINDINGS)["finding"]:
        path = FOLDER / entry.file
        text = path.read_text(encoding="utf-8")
        title = json.dumps(f"{entry.title}.", ensure_ascii=False)
        written[path] = re.sub(
            r'("title": ?)"(?:[^"\\]|\\.)*"', lambda old, title=title: old[1] + title, text, count=1
        )
    return written


def name_anchors(titles: Sequence[str]) -> list[str]:
    """Return the anchors of a page's titles as a forge names them: a repeated title gets a number."""
    plain = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
    before = [plain[:n].count(one) for n, one in enumerate(plain)]
    return [f"{one}-{n}" if n else one for one, n in zip(plain, before, strict=True)]


def main() -> int:
    """Write the views, or return 1 if one is stale."""
    views = write_views()
    stale = [path for path, text in views.items() if path.read_text(encoding="utf-8") != text]
    for path in stale:
        if "--write" in sys.argv:
            path.write_text(views[path], encoding="utf-8")
        else:
            print(f"{path.relative_to(ROOT)} is stale: run `{COMMAND}`", file=sys.stderr)
    return 1 if stale and "--write" not in sys.argv else 0


if __name__ == "__main__":
    raise SystemExit(main())
