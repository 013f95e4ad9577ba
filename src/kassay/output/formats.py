"""The five formats in which a command says its blocks, and the endings of their files."""

from collections.abc import Callable, Iterable
from typing import TextIO

from kassay.output.block import Block
from kassay.output.github import write_github
from kassay.output.json_lines import write_json
from kassay.output.junit import write_junit
from kassay.output.markdown import write_markdown
from kassay.output.pretty import write_pretty

FORMATS: dict[str, Callable[[Iterable[Block], TextIO], None]] = {
    "pretty": write_pretty,
    "json": write_json,
    "markdown": write_markdown,
    "junit": write_junit,
    "github": write_github,
}
ENDINGS = {"pretty": "txt", "json": "jsonl", "markdown": "md", "junit": "xml", "github": "txt"}
