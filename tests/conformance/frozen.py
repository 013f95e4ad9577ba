"""Keep the answers of Kafka's released classes frozen: fixtures/frozen.txt has a digest of each, which a test holds the fixtures to.

    python tests/conformance/frozen.py [--write]

The answers of a released class never change. So a digest changes only if a case was wrong: its id then goes into STABILITY.md, and ``--write`` updates
the file. ``--write`` also adds new cases.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from kassay.conformance.fixtures import FORMS

FOLDER = Path(__file__).parents[2] / "fixtures"
FILE = FOLDER / "frozen.txt"
HEAD = "# CASE ASSIGNOR@RELEASE DIGEST: what these answer to the group is frozen; written by `python tests/conformance/frozen.py --write`.\n"


def digests() -> dict[tuple[str, str], str]:
    """Return the digest of each group with the answer to it, by case and assignor with its release."""
    return dict(sorted(entry for family in FORMS for entry in _compute_digests(family)))


def _compute_digests(family: str) -> Iterator[tuple[tuple[str, str], str]]:
    for case in json.loads((FOLDER / f"{family}.json").read_text())["cases"]:
        for key, answer in case["exact"].items():
            said = json.dumps([case["group"], answer], sort_keys=True)
            yield (case["id"], key), sha256(said.encode()).hexdigest()[:12]


def frozen() -> dict[tuple[str, str], str]:
    """Return the digests that are kept."""
    lines = [line.split() for line in FILE.read_text().splitlines() if not line.startswith("#")]
    return {(case, key): digest for case, key, digest in lines}


def find_changed() -> list[str]:
    """Return a sentence for each frozen answer that is gone or another one now."""
    now = digests()
    return [
        f"{case} {key}: is {'another one' if (case, key) in now else 'gone'}"
        for (case, key), digest in frozen().items()
        if now.get((case, key)) != digest
    ]


def main() -> int:
    """Print the changed digests, or update the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the digests anew")
    if parser.parse_args().write:
        FILE.write_text(HEAD + "".join(f"{case} {key} {one}\n" for (case, key), one in digests().items()))
        return 0
    print(*find_changed(), sep="\n", end="\n" * bool(find_changed()))
    return 1 if find_changed() else 0


if __name__ == "__main__":
    sys.exit(main())
