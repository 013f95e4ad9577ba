"""A finding in words: the sizes of its group, what is wrong, the group drawn, and as JSON and Python."""

import json
from pathlib import Path

from kassay import __version__
from kassay.cli.saying.picture import picture, short_names
from kassay.engine.finding import Finding, as_python
from kassay.families import family
from kassay.families.words import plainest_first, when
from kassay.names import within
from kassay.sentences import counted, counted_of
from kassay.shape import TextTable


def sizes(finding: Finding) -> str:
    """Count what is in the group of a finding: 2 members, 1 partition."""
    shape = family(finding.family).shape
    return ", ".join(counted_of(size(finding.group), name) for name, size in shape.sizes.items())


def sentences(finding: Finding) -> list[str]:
    """Say what is wrong, on how many groups, whether that is known, and where the target's own code failed."""
    said = messages(finding)
    said.append(
        f"seen on {counted(finding.count, 'group')}"
        + (f", the given one {finding.given} among them" if finding.given else "")
    )
    of = family(finding.family)
    if finding.left_its_exceptions:
        plain = " or ".join(when(of, each) for each in plainest_first(finding.seen_in))
        said.append(f"all with {plain}, where it is known; made smaller, one of them breaks it beyond that")
    if finding.known:
        said.append(known_defect(finding))
    return [*said, *(f"  {frame}" for frame in finding.stack.splitlines())]


def messages(finding: Finding) -> list[str]:
    """Say what is wrong, with names cut to what tells them apart."""
    short = short_names(family(finding.family), finding.group, finding.runs)
    return [within(one, short) for one in finding.messages]


def known_defect(finding: Finding) -> str:
    """Say why a breach is a known defect, or a limit."""
    of = family(finding.family)
    return f"{finding.outcome} when there is {' or '.join(when(of, each) for each in plainest_first(finding.met))} ({finding.property})"


def pasted(finding: Finding, path: Path) -> list[str]:
    """Write the group as JSON and as Python, and the command that shows it again."""
    group = json.dumps(family(finding.family).write_group(finding.group))
    least = "smallest group" if finding.smallest else "smallest group found"
    return [
        f"{least}, as JSON:   {group}",
        f"{least}, as Python: {as_python(finding.group)}",
        f"replay: {finding.replay(path)}   (seed {finding.seed}, kassay {__version__})",
    ]


def grid_of(finding: Finding) -> TextTable:
    """Show a finding's group and what the target answered, with arrows at those of whom it speaks."""
    of = family(finding.family)
    return picture(of, finding.group, finding.assignment, finding.runs, finding.messages)
