"""Record what Kafka's own classes write and read, as vectors that need neither Java nor Python.

    python parity/wire/record.py [--write] [PATTERN...]

asks again for vectors/*.json beside this file, one per message: exit status 1 names a file that would be another one, or --write writes it.
"""

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
from wire.cases import CASES, Case
from wire.equal import REFUSED, Asked, readings, writings
from wire.java import answers, open_java

VECTORS = Path(__file__).with_name("vectors")
EACH, LONGEST = 16, 500
"""How many of each kind, and how many characters one may have."""


def asked(way: Callable[[str, Case, random.Random], Iterator[Asked]], name: str) -> Iterator[Asked]:
    """Return the cases of a message that are recorded, without end."""
    every = way(name, CASES[name], random.Random(f"vectors {name}"))
    return (one for one in every if len(json.dumps([one.question, one.ours])) <= LONGEST)


def vector(question: list[Any], answer: Any) -> dict[str, Any]:
    """Return a vector: the version, the value, the bytes in hex; null for what is refused."""
    way, _, version, given = question
    answer = None if answer == REFUSED or (isinstance(answer, dict) and REFUSED in answer) else answer
    value, data = (given, answer) if way == "write" else (answer, given)
    return {"version": version, "value": value, "bytes": data}


def _file(name: str, case: Case) -> str:
    ways = {"written": writings, "read": readings} if case.read else {"written": writings}
    with closing(open_java(case.release)) as java:
        vectors = {}
        for way, of in ways.items():
            questions = [one.question for one in islice(asked(of, name), EACH)]
            vectors[way] = [*map(vector, questions, answers(java, questions))]
    lines = (
        f' "{way}": [\n' + ",\n".join(f"  {json.dumps(one)}" for one in some) + "\n ]"
        for way, some in vectors.items()
    )
    head = f' "message": {json.dumps(name)},\n "source": "Apache Kafka {case.release}"'
    return "{\n" + ",\n".join((head, *lines)) + "\n}\n"


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", default=["*"], metavar="PATTERN", help="of messages")
    parser.add_argument("--write", action="store_true")
    asked, status = parser.parse_args(), 0
    for name, case in CASES.items():
        if not any(fnmatchcase(name, pattern) for pattern in asked.patterns):
            continue
        path, text = VECTORS / f"{name.replace(' ', '_')}.json", _file(name, case)
        if asked.write:
            path.write_text(text, encoding="ascii")
        elif not path.exists() or path.read_text(encoding="ascii") != text:
            print(f"{path.name}: is not what Kafka's classes answer")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
