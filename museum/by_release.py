"""Check an assignor in every known release, and print which promises each release breaks.

python museum/by_release.py [consumer/sticky ...]
"""

import sys
from itertools import groupby

from kassay.defaults import CHECKED
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java.releases import KAFKA


def list_broken_promises(spec: str) -> list[str]:
    """Return the promises that the default check finds broken; groups are not made small."""
    with open_target(spec, Options()) as target:
        forms = family(target.family)
        promised = forms.expected if target.promises is None else target.promises
        wanted = [name for name in forms.properties if name in promised]
        results = check(target, forms, examples=CHECKED, wanted=wanted, wall_s=0)
        found = {item.property for item in results if isinstance(item, Finding) and not item.known}
    return [name for name in wanted if name in found]


def main(names: list[str]) -> None:
    """Print a table for each assignor; neighbouring releases that break the same promises share a row."""
    for name in names or list(KAFKA):
        print(f"\n| {name} | breaks |\n|---|---|")
        broken = (
            (version, list_broken_promises(f"kafka:{version}#{name}")) for version in KAFKA[name].versions()
        )
        for promises, group in groupby(broken, key=lambda pair: pair[1]):
            releases = [version for version, _ in group]
            span = releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"
            print(f"| {span} | {', '.join(promises) or 'nothing'} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
