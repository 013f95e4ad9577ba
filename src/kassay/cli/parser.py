"""What is wrong with a command line: one sentence, the nearest right thing, and a line to copy; no page of options."""

import argparse
import re
import shutil
import textwrap
from typing import NoReturn

from kassay.output.block import clamp_width
from kassay.suggesting import nearest, unknown

FEW = 6
"""A sentence names no more choices than these."""


class Help(argparse.HelpFormatter):
    """Help as wide as the terminal: lines that are to be copied, which are indented, stand as they are."""

    def __init__(self, prog: str) -> None:
        """Take the width of the terminal, within limits."""
        super().__init__(prog, width=clamp_width(shutil.get_terminal_size().columns) - 2)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.splitlines()
        return "\n".join(
            line if line.startswith("  ") else textwrap.fill(line, width, initial_indent=indent)
            for line in lines
        )


class Parser(argparse.ArgumentParser):
    """A parser of a command whose errors are sentences as all others of kassay; `like` is a line of it that can be copied."""

    like: str = ""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and end with status 2."""
        from kassay.output.telling import tell

        said, example = self._told(message)
        copy = [self.like] if example and self.like else []
        tell(f"{said}{' For example:' * bool(copy)}", copy)
        raise SystemExit(2)

    def _told(self, message: str) -> tuple[str, bool]:
        """Return the sentence, and whether an example helps."""
        see, who = f"{self.prog} --help shows all.", self.prog.removeprefix("kassay ")
        if missing := re.fullmatch(r"the following arguments are required: (.*)", message):
            return f"{who} needs {self._actions_of(missing[1])}.", True
        if one := re.fullmatch(r"one of the arguments (.*) is required", message):
            return f"{who} needs one of {', '.join(one[1].split())}.", True
        if extra := re.fullmatch(r"unrecognized arguments: (\S+).*", message):
            name = extra[1].partition("=")[0]
            if not name.startswith("-"):
                return f"{who} takes no {name} here, it is one too many.", True
            near = nearest(name.strip("-"), [each.strip("-") for each in self._option_string_actions])
            asked = f" Did you mean --{near}?" if near else ""
            return f"{who} has no option {name}.{asked} {see}", False
        if wrong := re.fullmatch(r"argument (\S+): invalid choice: (\S+) \(choose from (.*)\)", message):
            return self._choice(wrong[1], wrong[2].strip("'"), re.findall(r"[\w.-]+", wrong[3])), False
        if about := re.fullmatch(r"argument (.+?): (.*)", message):
            return f"{about[1]}: {about[2]}.", False
        return f"{who}: {message}.", True

    def _actions_of(self, missing: str) -> str:
        """Name the actions of a command of two words where it is one that is missing."""
        several = [action for action in self._actions if action.metavar == missing == "ACTION"]
        return f"an action: {', '.join(several[0].choices or ())}" if several else missing

    def _choice(self, where: str, name: str, choices: list[str]) -> str:
        if len(choices) <= FEW:
            return f"{where}: there is no {name}; it is one of {', '.join(choices)}."
        return unknown("command" if where == "COMMAND" else where, name, choices, f"{self.prog} --help")
