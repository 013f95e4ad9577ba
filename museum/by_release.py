"""Judge an assignor of every release known, and print which promises each breaks: a fault's range of releases shows as a column.

python museum/by_release.py [consumer/sticky ...]
"""

import sys

from kassay.defaults import CHECKED
from kassay.engine.check import check
from kassay.engine.finding import Finding
from kassay.errors import InputError
from kassay.families import family
from kassay.targets import Options, open_target
from kassay.targets.java.releases import KAFKA


def broken(spec: str) -> list[str]:
    """Return the promises that a target breaks, as the usual check finds them; no time is spent on small groups."""
    with open_target(spec, Options()) as target:
        forms = family(target.family)
        promised = forms.expected if target.promises is None else target.promises
        wanted = [name for name in forms.properties if name in promised]
        told = check(target, forms, examples=CHECKED, wanted=wanted, wall_s=0)
        found = {item.property for item in told if isinstance(item, Finding) and not item.known}
    return [name for name in wanted if name in found]


def main(names: list[str]) -> None:
    """Print a table for each assignor, releases that break the same drawn together."""
    for name in names or list(KAFKA):
        print(f"\n| {name} | breaks |\n|---|---|")
        together: list[str] = []
        known: list[str] = []
        for release in KAFKA[name].versions():
            try:
                found = broken(f"kafka:{release}#{name}")
            except InputError:  # the release does not have it yet
                continue
            if together and found != known:
                print_row(together, known)
                together = []
            together.append(release)
            known = found
        print_row(together, known)


def print_row(releases: list[str], found: list[str]) -> None:
    """Print the row of some releases that follow each other."""
    span = releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"
    print(f"| {span} | {', '.join(found) or 'nothing'} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
