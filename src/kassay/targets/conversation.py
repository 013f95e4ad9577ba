"""Both ends of the adapter protocol: a child process that answers lines of JSON within limits, and the process of a Python callable.

``python -m kassay.targets.conversation MODULE ATTRIBUTE [FAMILY]`` answers for a function from a group to an assignment, a kassay Assignor, or
an assignor class of kafka-python or aiokafka. Its output goes to standard error, so that it cannot disturb the conversation.
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce
from importlib import import_module
from typing import IO, Any, BinaryIO

import msgspec

from kassay import __version__
from kassay.defaults import FAMILY
from kassay.errors import InputError, SkippedError
from kassay.families import FAMILIES, family
from kassay.families.family import Family
from kassay.families.shape import Assign
from kassay.model import Assignor, AssignorError
from kassay.model.json_text import RepeatedKeyError, decode_json
from kassay.sentences import find_nearest
from kassay.targets.forking import Copies, can_fork
from kassay.targets.limits import compute_due_s, find_descendants, read_cpu_s, read_total_cpu_s
from kassay.targets.target import wrap_failures, write_answer


def load(module: str, attribute: str, family_name: str) -> Assignor:
    """Import a callable as an assignor; raises InputError if it is not one."""
    try:
        imported = import_module(module)
    except Exception as error:
        raise InputError(
            f"cannot be imported ({type(error).__name__}: {error}). Name an importable MODULE:ATTRIBUTE"
        ) from error
    try:
        found: Any = reduce(getattr, attribute.split("."), imported)
    except AttributeError as error:
        near = find_nearest(attribute, [name for name in dir(imported) if not name.startswith("_")])
        asked = (
            f". Did you mean python:{module}:{near}?"
            if near
            else ". Name a function from a group to an assignment"
        )
        raise InputError(f"{module}: has no {attribute}{asked}") from error
    if isinstance(found, Assignor):
        return found
    from kassay.targets.clients import adapt_for  # commands that name no Python target start without it

    adapted = adapt_for(family(family_name), found)
    if adapted is not None:
        return adapted
    if isinstance(found, type) or not callable(found):
        raise InputError(
            f"{attribute} is {type(found).__name__}, which is no assignor. Name a function from a group to an assignment"
        )
    return Assignor(attribute, found, frozenset(), module)


class Instances:
    """The instances of an assignor that requests name; only the last one is kept."""

    def __init__(self, assignor: Assignor) -> None:
        self._assignor = assignor
        self._kept: tuple[Any, Assign] = (None, assignor.assign)

    def of(self, name: Any) -> Assign:
        """Return the function that answers requests with this name of an instance, or None."""
        if name is None or self._assignor.instance is None:
            return self._assignor.assign
        if name != self._kept[0]:
            self._kept = (name, self._assignor.instance())
        return self._kept[1]


def answer(instances: Instances, of_family: Family, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer one request of the adapter protocol."""
    group = of_family.shape.read_group(request["group"])
    try:
        return write_answer(wrap_failures(instances.of(request.get("instance")))(group), of_family)
    except SkippedError as reason:
        return {"skipped": str(reason)}
    except AssignorError as error:
        return {"error": str(error)} | ({"stack": error.stack} if error.stack else {})


def serve(requests: BinaryIO, answers: BinaryIO, module: str, attribute: str, family_name: str) -> None:
    """Answer requests until their end."""
    instances: Instances | None = None
    of_family = family(FAMILY)

    def reply(request: Mapping[str, Any]) -> bytes:
        assert instances is not None, "the first line asks for the assignors"
        said = {"seq": request["seq"]} | answer(instances, of_family, request)
        return msgspec.json.encode(said) + b"\n"

    copies = Copies(lambda line: reply(msgspec.json.decode(line)))
    forks = False
    for line in requests:
        request = msgspec.json.decode(line)
        if "kassay" in request:
            try:
                assignor = load(module, attribute, family_name)
                forks = can_fork()
                place = assignor.family if assignor.family in FAMILIES else family_name
                of_family = family(place)
                offered = {
                    "name": assignor.name,
                    "family": place,
                    "promises": sorted(assignor.promises) or None,
                    "except_in": {name: sorted(excepted) for name, excepted in assignor.except_in.items()},
                    "limits": sorted(assignor.limits),
                    "instances": "processes" if forks else "objects" if assignor.instance else "none",
                }
                instances = Instances(assignor)
                greeting: dict[str, Any] = {
                    "assignors": [offered],
                    "language": "python",
                    "version": __version__,
                }
            except InputError as wrong:
                greeting = {"refused": str(wrong)}
            said = msgspec.json.encode(greeting) + b"\n"
        elif forks and request.get("instance") is not None:
            said = copies.ask(request["instance"], line)
        else:
            said = reply(request)
        answers.write(said)
        answers.flush()
    copies.close()


QUOTED = 100
"""The characters that are quoted of a line that is not JSON."""
ENDING_S = 1.0
"""Seconds in which a process that closed its output should end, so that its exit status is known."""
_CHUNK = 2**16


class BrokenOffError(Exception):
    """The process broke the protocol and was ended; the text says what happened."""


class Conversation:
    """A child process that answers each line of JSON by one line of JSON; its process group is ended with it."""

    def __init__(self, command: Sequence[str], hash_seed: int, line_mb: int) -> None:
        """Start the process, whose answers have at most `line_mb` MB; raises InputError if there is no such program."""
        self._line_mb = line_mb
        self._errors: IO[bytes] = tempfile.TemporaryFile()
        self._rest = bytearray()  # what was read and not yet used
        self._unsent = bytearray()
        self.last_words = ""
        self._started: list[int] = []
        """Its running descendants, noted before it is asked to end."""
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, bufsize=0,
                start_new_session=True, env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
            )  # fmt: skip
        except OSError as wrong:
            self._errors.close()
            raise InputError(
                f"{command[0]}: cannot be started ({wrong.strerror}). Check the command"
            ) from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._in, self._out = self._stdin.fileno(), self._stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)

    def ask(self, question: Any, timeout_s: float) -> Any:
        """Send one JSON value and return the answer; raises BrokenOffError if none comes in time."""
        self.send(question)
        return self.receive(timeout_s)

    def send(self, question: Any) -> None:
        """Send one JSON value, without waiting for the answers to earlier ones."""
        self._unsent += msgspec.json.encode(question) + b"\n"

    def receive(self, timeout_s: float) -> Any:
        """Return the answer to the oldest value without one; raises BrokenOffError if it does not come in time.

        If the process waits for a core, and the system tells its CPU time, that counts.
        """
        began, before = time.monotonic(), self.worked()
        deadline = began + timeout_s
        while True:
            try:
                line = self._read_line(deadline)
                break
            except TimeoutError:
                left = compute_due_s(self._process.pid, timeout_s, began, before)
                if left <= 0:
                    raise self._broken(f"gave no answer within {timeout_s:.4g} seconds") from None
                deadline = time.monotonic() + left
        try:
            return decode_json(line)
        except RepeatedKeyError as twice:
            raise self._broken(f"answered what cannot be told: {twice}") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            quoted = line[:QUOTED].decode(errors="replace")
            more = " ..." if len(line) > QUOTED else ""
            raise self._broken(f"answered what is not JSON: {quoted!r}{more}") from None

    def worked(self) -> float | None:
        """Return the seconds of CPU that the process has used; None if the system does not tell."""
        return read_cpu_s(self._process.pid)

    def worked_by_all(self) -> float | None:
        """Return the same with its descendants."""
        return read_total_cpu_s(self._process.pid)

    def _read_line(self, deadline: float) -> bytes:
        end = self._rest.find(b"\n")
        while end < 0:
            waiting = select.poll()
            waiting.register(self._out, select.POLLIN)
            if self._unsent:
                waiting.register(self._in, select.POLLOUT)
            left = deadline - time.monotonic()
            ready = dict(waiting.poll(left * 1000)) if left > 0 else {}
            if not ready:
                raise TimeoutError
            if self._in in ready:
                try:
                    del self._unsent[: os.write(self._in, self._unsent)]
                except BrokenPipeError:
                    self._unsent.clear()  # it reads no more; its output, or its end, shows why
            if self._out in ready:
                known = len(self._rest)
                chunk = os.read(self._out, _CHUNK)
                if not chunk:
                    raise self._broken(self._describe_end())
                self._rest += chunk
                end = self._rest.find(b"\n", known)
                if (end if end >= 0 else len(self._rest)) > self._line_mb * 2**20:
                    raise self._broken(f"flooded its output: over {self._line_mb} MB in one answer")
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return line

    def _describe_end(self) -> str:
        try:
            status = self._process.wait(timeout=ENDING_S)
        except subprocess.TimeoutExpired:
            return "closed its output without an answer"
        if status < 0:
            return f"died of signal {-status} ({signal.Signals(-status).name})"
        return f"ended with exit status {status} instead of an answer"

    def _broken(self, what: str) -> BrokenOffError:
        self.end()
        return BrokenOffError(what + self.last_words)

    def end(self) -> None:
        """End the process and its descendants; keep the end of its standard error in `last_words`."""
        started = self._started or [*find_descendants(self._process.pid)][1:]
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for pid in started:  # those in sessions of their own are in another process group
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._stdin.close()
        self._stdout.close()
        if not self._errors.closed:
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - 2000))
            said = self._errors.read().decode(errors="replace").strip().splitlines()
            self.last_words = f"; its standard error ends: {said[-1].strip()}" if said else ""
            self._errors.close()

    def close(self) -> None:
        """Let the process end by itself at the end of its input, and end it after two seconds."""
        self._started = [*find_descendants(self._process.pid)][1:]  # after its end they have another parent
        self._stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=2)
        self.end()


def main() -> None:
    """Serve on the process's own standard input and output."""
    module, attribute, *rest = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(sys.stdin.buffer, answers, module, attribute, rest[0] if rest else FAMILY)


if __name__ == "__main__":
    main()
