"""Make the recorded known defects as small as they get: `python tests/record.py [--write] [PATTERN...]`.

Each group of src/kassay/engine/known_defects.json is made smaller as a check does it, for as long as the assignor breaks the promise in the
same way and in the same excepted situation. With `--write` what is smaller is written; without it is printed, and gives status 1
(`nox -s long -- references`).
"""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from fnmatch import fnmatchcase
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msgspec

from kassay.engine import trial
from kassay.engine.judge import Breach, cache_answers, judge
from kassay.engine.promises import read_promises
from kassay.engine.trial import Defect, read_defects
from kassay.errors import SkippedError
from kassay.families import family
from kassay.model import AssignorError
from kassay.properties.minimise import minimise
from kassay.targets import Options, open_target

RECORD = Path(trial.__file__).parent / "known_defects.json"


def smallest(defect: Defect) -> Defect:
    """Return a defect with the smallest group that is reached from the recorded one."""
    target = open_target(defect.assignor, Options())
    record = family(target.family)
    exceptions = read_promises(target, record).select_exceptions(defect.property)

    def breach(group: Any) -> Breach | None:
        with suppress(AssignorError, SkippedError):
            found = judge(record, defect.property, group, cache_answers(target.assign), target, exceptions)
            return found if found and found.met == {defect.term} else None
        return None

    first = breach(defect.group)
    if first is None:
        sys.exit(f"{defect}: the recorded group does not break it there; record another one")

    def alike(group: Any) -> bool:
        found = breach(group)
        return found is not None and found.cause == first.cause

    return defect._replace(group=minimise(defect.group, alike, record.shape.smaller).group)


def lines(all_of_them: list[Defect]) -> Iterator[str]:
    """Write the record, a line for each defect."""
    for one in all_of_them:
        group = family(one.assignor.partition("/")[0]).shape.write_group(one.group)
        yield msgspec.json.format(
            msgspec.json.encode(
                {"assignor": one.assignor, "property": one.property, "term": one.term, "group": group}
            ),
            indent=0,
        ).decode()


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    known = read_defects()
    asked = [
        at for at, one in enumerate(known) if any(fnmatchcase(one.assignor, p) for p in options.patterns)
    ]
    now = list(known)
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for at, found in zip(asked, pool.map(smallest, [known[at] for at in asked]), strict=True):
            now[at] = found
    changed = [str(one) for one, before in zip(now, known, strict=True) if one.group != before.group]
    print(*changed, f"{len(changed)} of {len(asked)} recorded groups can be made smaller", sep="\n")
    if options.write:
        RECORD.write_text("[\n" + ",\n".join(lines(now)) + "\n]\n")
    return 1 if changed and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
