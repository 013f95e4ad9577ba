"""Programs with the adapter protocol as targets (contract.md), Python callables and clients among them.

Each runs in a process of its own, so it may hang or die. A client is the leader of one group after another; its coordinator is kassay's, on
loopback, in the same process as the adapter.
"""

import shlex
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, Literal

import msgspec

from kassay.defaults import FAMILY
from kassay.errors import DiedError, InputError, SkippedError, TargetGoneError
from kassay.families import family
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import AssignorError, shorten
from kassay.model.json_text import convert_json
from kassay.targets.conversation import BrokenOffError, Conversation
from kassay.targets.limits import Account
from kassay.targets.reference import find_reference
from kassay.targets.target import Options, Target

CONFINING = Path(__file__).with_name("confining.py")
RUNS_MODULE = (sys.executable, "-W", "ignore::RuntimeWarning:runpy", "-m")
"""The words that run a module of kassay. Without the filter, Python warns that its package has imported it, and a failing program would seem to say so."""
SILENT = "it gives no reason"
HASH_SEEDS = (0, 1)
"""The hash seeds of Python in the two processes whose answers are compared."""
IN_FLIGHT = 500
"""The requests that are sent without waiting for answers."""


class _Offered(msgspec.Struct):
    name: str
    family: str = FAMILY
    promises: list[str] | None = None
    except_in: dict[str, list[str]] = {}
    limits: list[str] = []
    instances: Literal["none", "objects", "processes"] = "none"


class _Greeting(msgspec.Struct):
    assignors: list[_Offered] = []
    refused: str | None = None
    gone: str | None = None
    """Why kassay's own bridge cannot test its client."""


class _Answer(msgspec.Struct):
    seq: int
    assignment: Any = None
    skipped: str | None = None
    error: str | None = None
    stack: str = ""
    died: bool = False
    gone: str | None = None
    """Why kassay's own bridge gives its client up."""


class Program:
    """A program that answers groups, started when it is first asked, and again after each breakdown."""

    def __init__(
        self, name: str, command: Sequence[str], options: Options, hash_seed: int, account: Account
    ) -> None:
        self._name, self._command, self._options, self._hash_seed = name, command, options, hash_seed
        self._account = account
        self._conversation: Conversation | None = None
        self._gone = ""
        """Why it is not asked any more."""
        self._numbers = count(1)
        self._ahead: list[Any] = []

    def start(self) -> _Offered:
        """Start the program and choose the assignor; raises InputError or TargetGoneError if it does not answer."""
        limits = self._options.limits
        longest = min(limits.start_s, self._account.compute_rest())
        self._conversation = Conversation(self._command, self._hash_seed, limits.line_mb)
        try:
            with self._account.measure_wait():
                greeting = convert_json(self._conversation.ask({"kassay": 1}, longest), _Greeting)
        except BrokenOffError as broken:
            self._conversation = None
            self._account.compute_rest()  # if all the time is used up, that is the reason
            raise TargetGoneError(f"{self._name}: {broken}, when asked for its assignors") from None
        except InputError as wrong:
            self.close()
            raise TargetGoneError(f"{self._name}: answered the first line wrongly: {wrong}") from None
        if greeting.gone:
            self.close()
            raise TargetGoneError(f"{self._name}: {shorten(greeting.gone)}")
        if greeting.refused:
            self.close()
            raise InputError(f"{self._name}: {shorten(greeting.refused)}")
        offered = {one.name: one for one in greeting.assignors}
        wanted = self._options.assignor
        if wanted is None and len(offered) == 1:
            return greeting.assignors[0]
        if wanted not in offered:
            self.close()
            if not offered:
                raise InputError(
                    f"{self._name}: offers no assignor. Name one under `assignors` in the first line"
                )
            names = shorten(", ".join(offered))
            raise InputError(
                f"{self._name}: offers the assignors {names}. Choose one with --assignor-name NAME"
            )
        return offered[wanted]

    def assign(self, group: Any, assignor: str, of_family: Family) -> Any:
        """Ask for an assignment; raises AssignorError, SkippedError or TargetGoneError."""
        number = self._send({"assignor": assignor, "group": of_family.write_group(group)})
        return self._receive(number, of_family)

    def start_anew(self, offered: _Offered, of_family: Family) -> Assign:
        """Return an assignor that asks one instance of a new process about all groups; the process before it ends."""
        if offered.instances != "processes":
            self.close()
        if offered.instances != "none":
            return self.instance(offered.name, of_family)
        return lambda group: self.assign(group, offered.name, of_family)

    def instance(self, assignor: str, of_family: Family) -> Assign:
        """Return an assignor that asks one instance about all groups, if the program keeps instances."""
        name = next(self._numbers)

        def assign(group: Any) -> Any:
            asked = {"assignor": assignor, "instance": name, "group": of_family.write_group(group)}
            return self._receive(self._send(asked), of_family)

        return assign

    def assign_all(self, groups: Sequence[Any], assignor: str, of_family: Family) -> list[Any]:
        """Ask for many assignments without waiting for each; failures are in the list as exceptions.

        Groups may be JSON already (msgspec.Raw). Raises TargetGoneError if the program cannot be asked any more.
        """

        def write(group: Any) -> Any:
            return group if isinstance(group, msgspec.Raw) else of_family.write_group(group)

        answers: list[Any] = []
        while len(answers) < len(groups):
            numbers = [
                self._send({"assignor": assignor, "group": write(group)})
                for group in groups[len(answers) :][:IN_FLIGHT]
            ]
            for number in numbers:
                try:
                    answers.append(self._receive(number, of_family))
                except (AssignorError, SkippedError) as failure:
                    answers.append(failure)
                    if self._conversation is None:  # the other answers are lost with it
                        break
        return answers

    def clock(self) -> float:
        """Return the seconds of CPU that the program has used, or the time of the clock if the system does not tell."""
        worked = self._running().worked_by_all()
        return time.perf_counter() if worked is None else worked

    def _running(self) -> Conversation:
        if self._conversation is None:
            self.start()
        assert self._conversation is not None
        return self._conversation

    def expect(self, groups: Sequence[Any], of_family: Family) -> None:
        """Send groups that will be asked about with the next request; only kassay's own bridge reads them."""
        self._ahead = [of_family.write_group(group) for group in groups]

    def _send(self, request: dict[str, Any]) -> int:
        if self._gone:
            raise TargetGoneError(self._gone)
        self._account.compute_rest()
        conversation = self._running()
        number = next(self._numbers)
        if self._ahead:
            request, self._ahead = request | {"ahead": self._ahead}, []
        conversation.send({"seq": number} | request)
        return number

    def _receive(self, number: int, of_family: Family) -> Any:
        assert self._conversation is not None
        try:
            with self._account.measure_wait(self._conversation.worked):
                said = self._conversation.receive(self._options.timeout_s)
            answer = convert_json(said, _Answer)
        except BrokenOffError as broken:
            self._conversation = None
            raise self._die(f"it {broken}") from None
        except InputError as wrong:
            raise self._die(f"it answered a line that is no answer: {wrong}") from None
        if answer.seq != number:
            raise self._die(f"it answered request {answer.seq} when asked {number}")
        if answer.gone is not None:
            self.close()
            self._gone = answer.gone
            raise TargetGoneError(answer.gone)
        if answer.skipped is not None:
            raise SkippedError(answer.skipped.strip() or SILENT)
        if answer.error is not None:
            why = answer.error.strip() or SILENT
            if answer.died:
                self._account.note_death(why)
                raise DiedError(why)
            raise AssignorError(why, answer.stack)
        try:
            return of_family.shape.read_answer({**said, "assignment": answer.assignment})
        except InputError as wrong:
            raise AssignorError(f"it answered what is no assignment: {wrong}") from None

    def _die(self, why: str) -> DiedError:
        self.close()
        self._account.note_death(why)
        return DiedError(why)

    def close(self) -> None:
        """End the program if it runs."""
        if self._conversation is not None:
            self._conversation.close()
            self._conversation = None


def split_command(spec: str, command_line: str) -> list[str]:
    """Split a target's command line as a shell does; raises InputError if that fails, or if there is no such program."""
    try:
        command = shlex.split(command_line)
    except ValueError as wrong:
        raise InputError(f"target {spec!r}: {wrong}. Quote the command line as a shell needs it") from None
    if command and shutil.which(command[0]) is None:
        raise InputError(f"{command[0]}: cannot be started (there is no such program). Check the command")
    return command


def open_program(spec: str, command_line: str, options: Options) -> Target:
    """Open a program by its command line; raises InputError or TargetGoneError if it does not start."""
    return open_command(spec, split_command(spec, command_line), options)


def open_command(spec: str, command: Sequence[str], options: Options, *, expects: bool = False) -> Target:
    """Open a program by its words; it is started a second time if the target is asked `again`.

    `expects` is True for a program that is faster if it knows the next groups.
    It ends with this process, and its memory is limited by the options.
    """
    confined = [str(CONFINING), "RLIMIT_AS", str(options.limits.memory_mb)]
    words = [sys.executable, "-I", "-S", *confined, *command]
    account = Account(options.limits)
    program, again = (Program(spec, words, options, hash_seed, account) for hash_seed in HASH_SEEDS)
    # The answers that a verdict rests on do not lose time to processes that are started to compare.
    anew = {seed: Program(spec, words, options, seed, Account(options.limits)) for seed in HASH_SEEDS}
    offered = program.start()
    of_family = family(offered.family)
    promises = None if offered.promises is None else frozenset(offered.promises)

    def close() -> None:
        for each in (program, again, *anew.values()):
            each.close()

    def expect(groups: Sequence[Any]) -> None:
        for each in (program, again):
            each.expect(groups, of_family)

    return Target(
        spec,
        offered.family,
        lambda group: program.assign(group, offered.name, of_family),
        lambda group: again.assign(group, offered.name, of_family),
        promises,
        close,
        lambda groups: program.assign_all(groups, offered.name, of_family),
        {promise: frozenset(excepted) for promise, excepted in offered.except_in.items()},
        reference=find_reference(offered.name, offered.except_in),
        limits=frozenset(offered.limits),
        clock=program.clock,
        instance=lambda: program.instance(offered.name, of_family),
        instances=offered.instances,
        anew=lambda hash_seed: anew[hash_seed].start_anew(offered, of_family),
        account=account,
        expect=expect if expects else None,
        offered=offered.name,
    )


_BRIDGE_S = 10.0
"""Seconds for the process between kassay and the client."""
_STEPS = 3
"""The steps of a client for one group: it hears of topics, it leads, and it joins again."""


def open_python(spec: str, place: str, options: Options) -> Target:
    """Open ``MODULE:ATTRIBUTE``; raises InputError if it cannot be imported or is not an assignor."""
    module, colon, attribute = place.partition(":")
    if not (module and colon and attribute):
        raise InputError(
            f"target {spec!r}: the attribute is missing. Write python:MODULE:ATTRIBUTE, as in python:my_package.assignors:assign"
        )
    words = [*RUNS_MODULE, "kassay.targets.conversation", module, attribute, options.family]
    return open_command(spec, words, options)


def open_client(spec: str, command_line: str, options: Options) -> Target:
    """Open a client by its command line; raises InputError or TargetGoneError if it does not start or join."""
    if find_spec("kio") is None:
        raise InputError(f"target {spec!r}: needs the package kio. Run: pip install 'kassay[wire]'")
    limits = options.limits
    bounds = (limits.start_s, options.timeout_s, limits.memory_mb, limits.line_mb)
    bridge = [*RUNS_MODULE, "kassay.protocol.server.bridge", *map(str, bounds)]
    words = [*bridge, *split_command(spec, command_line)]
    longest = limits.start_s + _STEPS * options.timeout_s + _BRIDGE_S
    own = replace(limits, start_s=limits.start_s + _BRIDGE_S, memory_mb=0)
    client = open_command(spec, words, replace(options, timeout_s=longest, limits=own), expects=True)
    return replace(client, anew=None)  # A new consumer takes seconds to join.
