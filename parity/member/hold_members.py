"""Hold our member against Kafka's own of each release on random sequences, 4,000 for each by default.

    python parity/member/hold_members.py [--sequences N] [--seed N] [--release RELEASE]... [--write] [--figures]

Exit status 1: some sequence went differently; its seed and both sides are printed. ``--write`` records the first ones of each release anew,
``--figures`` keeps how much was compared for docs/explanation/equality.md.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "scripts"))

import figures
from beside_kafka import ENDED, drawn, judge, run
from replayed import RELEASES, SEED, keep

AT_ONCE, LONGEST = 64, 60
RECORDED, SHORTER = 150, 60
"""How many sequences of each release are recorded, and how long they are at most."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sequences", type=int, default=4_000, help="how many for each release")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--release", action="append", choices=RELEASES)
    parser.add_argument("--write", action="store_true", help="record the first ones anew")
    parser.add_argument("--figures", action="store_true", help="keep how much was compared")
    asked = parser.parse_args(arguments)
    differing = 0
    releases = {}
    for release in asked.release or RELEASES:
        with closing(judge(release)) as java:
            if asked.write:
                seeds = [f"{SEED}/{release}/{number}" for number in range(RECORDED)]
                steps, differences = run(java, [drawn(seed, SHORTER) for seed in seeds])
                if not differences:
                    keep(release, dict(zip(seeds, steps, strict=True)))
                differing += len(differences)
                print(f"{release}: {len(steps)} sequences recorded, {len(differences)} differ")
                continue
            count = ended = found = 0
            for begin in range(0, asked.sequences, AT_ONCE):
                numbers = range(begin, min(begin + AT_ONCE, asked.sequences))
                seeds = [f"{asked.seed}/{number}" for number in numbers]
                steps, differences = run(java, [drawn(seed, LONGEST) for seed in seeds])
                count += sum(map(len, steps))
                ended += sum(one[-1:] == [ENDED] for one in steps)
                found += len(differences)
                for number, difference in sorted(differences.items()):
                    print(f"{release}: seed {seeds[number]} goes differently: {json.dumps(difference.args)}")
            print(
                f"{release}: {asked.sequences} sequences, {count} steps, {found} differ; {ended} ended where only Kafka's "
                "joins again for metadata",
                flush=True,
            )
            differing += found
            releases[release] = {
                "sequences": asked.sequences,
                "steps": count,
                "differ": found,
                "ended at metadata": ended,
            }
    if asked.figures and not asked.release:
        command = f"nox -s parity -- member --sequences {asked.sequences} --seed {asked.seed} --figures"
        drawn_here = [drawn(f"{asked.seed}/{number}", 0)[0] for number in range(asked.sequences)]
        kinds = {
            "eager": sum(not chosen["cooperative"] for chosen in drawn_here),
            "cooperative": sum(chosen["cooperative"] for chosen in drawn_here),
            "static": sum(chosen["instance"] is not None for chosen in drawn_here),
        }
        figures.keep("member-parity", command, figures.today(), {"sequences of": kinds, "releases": releases})
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
