"""Let the consumers of ten libraries be members of groups under faults: ``python parity/clients/in_groups.py [CLIENT...] [OPTION...]``.

The programs are those of lead.py; options are those of `kassay simulate`. For each strategy it is told what the client breaks. The status is 1 where a client
breaks what it is not known to break, or cannot be built. ``--write`` stores the runs for `kassay scoreboard`.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO

from lead import LIBRARIES, store

from kassay.cli import main as kassay
from kassay.conformance.scoreboard import Part, build_part
from kassay.errors import InputError

KNOWN = {
    ("kafka-python", "cooperative-sticky"): frozenset({"claims_what_it_was_given"}),
    ("krafka", "cooperative-sticky"): frozenset({"claims_what_it_was_given"}),
    ("platformatic", ""): frozenset({"reads_what_it_owns"}),
    ("aiokafka", "range"): frozenset({"reads_what_it_owns"}),
    ("aiokafka", "roundrobin"): frozenset({"reads_what_it_owns"}),
    ("aiokafka", "sticky"): frozenset({"reads_what_it_owns"}),
}
"""Client and strategy -> what it is known to break."""


def judged(name: str, command: Sequence[str], strategy: str, options: Sequence[str]) -> tuple[Part, bool]:
    """Judge a client with one strategy, print what it breaks, and say whether that is known."""
    client = shlex.join([*command, *([strategy] if strategy else [])])
    with redirect_stdout(StringIO()) as said:
        status = kassay(["simulate", "--client", client, "--partitions", "4", "--json", *options])
    records = [json.loads(line) for line in said.getvalue().splitlines()]
    verdicts = [one for one in records if one["record"] == "verdict"]
    broken = [one for one in verdicts if one["outcome"] == "broken"]
    print(
        f"  {strategy or 'its own'}: exit status {status}, {len(broken)} of {len(verdicts)} promises broken",
        flush=True,
    )
    for one in verdicts:
        if one["outcome"] not in ("kept", "not promised"):
            print(
                f"    {one['outcome']}: {one['property']} on {one['breaches']} of {one['judged']}: {one['message']}"
            )
    known = KNOWN.get((name, strategy), frozenset())
    if status not in (0, 1):
        raise InputError(f"exit status {status}")
    good = {one["property"] for one in broken} <= known
    return build_part(strategy or "its own", verdicts), good


def main() -> int:
    """Judge the clients that are named, or all."""
    words = [word for word in sys.argv[1:] if word not in ("--in-groups", "--write")]
    named = [word for word in words if word in LIBRARIES]
    options = [word for word in words if word not in LIBRARIES]
    good = True
    for name in named or LIBRARIES:
        print(name, flush=True)
        try:
            command = LIBRARIES[name].command()
        except InputError as failure:
            print(f"  {failure}")
            good = False
            continue
        parts = []
        try:
            for strategy in LIBRARIES[name].strategies:
                part, known = judged(name, command, strategy, options)
                parts.append(part)
                good = known and good
        except InputError as failure:
            print(f"  {failure}")
            good = False
            continue
        if "--write" in sys.argv:
            store("client", name, parts, ["clients", "--in-groups", *options])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
