"""The command line of `kassay-proof.pyz`, and the function that kassay itself calls."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TextIO

from kassay.oracles.proof import frontier, partitions, tasks, workers
from kassay.oracles.proof.applications import LEVELS
from kassay.oracles.proof.groups import IN_RACK
from kassay.oracles.proof.over_time import sums
from kassay.oracles.proof.over_time.sums import KINDS as WHAT
from kassay.oracles.proof.over_time.sums import Events, Verdict
from kassay.oracles.proof.reading import Json, NotProvedError, WrongInputError, read_values, require
from kassay.oracles.proof.topic_spread import SPREAD

EPILOG = """\
GROUP is a file with a group as JSON, or with a group on each line. ANSWER is the output of `kassay optimum`, `kassay frontier` or
`kassay over-time` with --json for it. For `kassay over-time`, also give the event. A group without a family is a consumer group.

exit status:
  0  every statement is proved.
  1  a statement is false, or is no proof of an optimum.
  2  the input is wrong; standard error names the field.
  3  no statement is refuted, but a part of a frontier or a sequence has no certificate.
"""


class Kind(NamedTuple):
    """The checks of answers to groups of a kind: optima and, if there are any, frontiers."""

    optimum: Callable[[Json, Json], str]
    traded: frontier.Traded | None = None


KINDS: Mapping[str, Kind] = {
    "partitions": Kind(partitions.verify, frontier.Traded(frontier.Partitions, [*IN_RACK, SPREAD])),
    "shared": Kind(partitions.verify, frontier.Traded(partial(frontier.Partitions, shared=True), [*IN_RACK])),
    "tasks": Kind(
        tasks.verify, frontier.Traded(frontier.Tasks, [each for each in LEVELS if each != frontier.MOVES])
    ),
    "members": Kind(tasks.verify_streams_group),
    "workers": Kind(workers.verify),
}
FAMILIES = {
    "consumer": "partitions", "broker": "partitions", "share": "shared", "streams": "tasks", "streams-group": "members", "connect": "workers",
}  # fmt: skip
"""Family -> the kind of its groups."""
OTHERS = ("placed", "plot", "failed", "played", "page")
"""The records that prove nothing."""


def verify_answer(kind: str, group: Json, answer: Json, events: Events | None = None) -> Verdict:
    """Return what an answer of any record proves; `events` are what happens to the group over time.

    Raises WrongInputError naming the field if it is no answer.
    """
    of = KINDS[kind]
    try:
        if isinstance(answer, dict) and answer.get("record") == "over-time":
            require(
                events is not None,
                f"record: is over-time. Say what happens with {', '.join(f'--{what}' for what in WHAT)}",
            )
            assert events is not None
            return sums.verify("partitions" if kind == "shared" else kind, group, answer, events)
        require(events is None, "record: is not over-time, so nothing happens. Leave out what is to happen")
        if isinstance(answer, dict) and answer.get("record") == "frontier":
            require(
                of.traded is not None,
                f"record: there are no frontiers of {kind}. Give groups of another family",
            )
            assert of.traded is not None
            return frontier.verify(of.traded, group, answer)
        return True, of.optimum(group, answer)
    except NotProvedError as wrong:
        return False, f"NOT proved: {wrong}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what each answer proves; return the exit status."""
    parser = argparse.ArgumentParser(
        "kassay-proof", description="Check what kassay proved, without kassay.", epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("answer", metavar="ANSWER", help="a file of what kassay printed")
    parser.add_argument("group", metavar="GROUP", help="a file of the group that it is about")
    what = parser.add_mutually_exclusive_group()
    for kind, words in WHAT.items():
        what.add_argument(f"--{kind}", type=int, metavar="N", help=f"over time: {words}")
    asked = vars(parser.parse_args(arguments))
    events = next(((kind, n) for kind in WHAT if (n := asked[kind.replace("-", "_")]) is not None), None)
    try:
        status, said = _check_files(asked["answer"], asked["group"], events)
    except WrongInputError as wrong:
        status, said = 2, [f"wrong input: {wrong}"]
    lines = [line[:1000].encode("unicode_escape").decode() for line in said]
    wrong_stream = _print_lines(lines, sys.stderr if status == 2 else sys.stdout)
    if not wrong_stream:
        return status
    _print_lines([f"wrong input: {wrong_stream}"], sys.stdout if status == 2 else sys.stderr)
    return 2


def _print_lines(lines: Sequence[str], stream: TextIO | None) -> str:
    """Print lines; return the reason of a failure, or ""."""
    if stream is None:
        return "a standard stream is closed. Open it, or connect it with /dev/null"
    try:
        print(*lines, sep="\n", file=stream, flush=True)
    except OSError as wrong:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())  # Python would write the rest at its end, and fail again
        os.close(nowhere)
        if not isinstance(wrong, BrokenPipeError):  # its reader has seen enough
            return f"a standard stream cannot be written ({wrong.strerror}). Free some space, or send it elsewhere"
    return ""


def _check_files(answers: str, groups: str, events: Events | None) -> tuple[int, list[str]]:
    """Return the exit status and a sentence for each answer."""
    known, stated = _read(groups), _read(answers)
    stated = [each for each in stated if not isinstance(each, dict) or each.get("record") not in OTHERS]
    require(stated, f"{answers}: has no answer. Give what kassay printed with --json")
    fits = len(known) in (1, len(stated))
    require(
        fits,
        f"{answers}: has {len(stated)} answers to {len(known)} groups. Give one for each group, in the same order",
    )
    status, said = 0, []
    for n, answer in enumerate(stated):
        group = known[n if len(known) > 1 else 0]
        family = group.get("family", "consumer") if isinstance(group, dict) else "consumer"
        require(
            isinstance(family, str) and family in FAMILIES,
            f"group.family: has no valid value. Give one of {', '.join(FAMILIES)}",
        )
        proved, sentence = verify_answer(FAMILIES[family], group, answer, events)
        status = 1 if proved is False else status if proved else status or 3
        said.append(sentence)
    return status, said


def _read(path: str) -> list[Json]:
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as wrong:
        raise WrongInputError(f"{path}: cannot be read: {wrong}") from None
    return read_values(path, content)


if __name__ == "__main__":
    sys.exit(main())
