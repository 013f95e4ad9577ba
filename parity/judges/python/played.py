"""Play tapes of wrong assignors to the judge in Python, and print what it says."""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))
from kassay_fixtures import FixturesError, Target, checks


def playing(asked):
    """Return what answers as a tape does, in its order; of what the judge does not ask about it plays nothing."""
    left = list(reversed(asked))

    def ask(group):
        topics = [f"{t['name']} {t['partitions']}" for t in group["topics"]]
        members = [
            f"{m['id']} {m['generation']} {sum(map(len, m['owned'].values()))}" for m in group["members"]
        ]
        wanted = "; ".join(topics + members)
        at = next((n for n in reversed(range(len(left))) if left[n]["print"] == wanted), None)
        if at is None:
            raise ValueError(f"is asked about {wanted}, which is not on the tape")
        said = left[at]
        del left[at:]
        if said.get("why") == "never":
            time.sleep(60)
        if "why" in said:
            raise RuntimeError(said["why"])
        return said["answer"]

    return ask


for line in Path(os.environ["KASSAY_TAPES"]).read_text().splitlines():
    tape = json.loads(line)
    target = Target(
        tape["name"],
        playing(tape["asked"]),
        tape["aims"],
        tape["can"],
        tape["limits"],
        tape["cooperative"],
        tape["exact"],
    )
    try:
        found = checks(target)
    except FixturesError as wrong:
        sys.exit(str(wrong))
    for one in found:
        if "/" in one.name:
            print("FAIL" if one.wrong else "PASS", f"{tape['name']}/{one.name}", one.wrong)
