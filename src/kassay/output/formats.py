"""The five formats in which a command says its blocks, and the endings of their files."""

from collections.abc import Callable, Iterable
from typing import TextIO

from kassay.output.block import Block, json_line
from kassay.output.github import write_github
from kassay.output.junit import write_junit
from kassay.output.markdown import write_markdown
from kassay.output.pretty import write_pretty


def write_json(blocks: Iterable[Block], out: TextIO) -> None:
    """Write one JSON value a line, of every record; the first of a block that says something has that sentence, too."""
    for block in blocks:
        records = [*block.records]
        if block.says and records:
            records[0] = {**records[0], "says": block.says}
        out.writelines(json_line(record) + "\n" for record in records)
        out.flush()


FORMATS: dict[str, Callable[[Iterable[Block], TextIO], None]] = {
    "pretty": write_pretty,
    "json": write_json,
    "markdown": write_markdown,
    "junit": write_junit,
    "github": write_github,
}
ENDINGS = {"pretty": "txt", "json": "jsonl", "markdown": "md", "junit": "xml", "github": "txt"}
