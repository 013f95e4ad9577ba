"""What `kassay check 'consumer/*' --all` says of the assignors: the same verdicts and distances, in a fraction of its time.

Nine tenths of the command's time go into making groups smaller that break what nobody promises. Here these stay as they
were first seen, as the tables only say that there are some; what breaks a promise is made as small as the command makes it.
"""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from kassay.defaults import CHECKED
from kassay.engine.check import check
from kassay.engine.promises import own_promises
from kassay.engine.verdict import Distance, Verdict
from kassay.families import family
from kassay.targets import Options, open_target


def judged(names: Sequence[str]) -> tuple[list[Verdict], list[Distance]]:
    """Judge assignors, one a core at a time; the results name them without their family."""
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as processes:
        of_each = [*processes.map(judged_alone, names[::-1])][
            ::-1
        ]  # the last take longest, and so begin first
    said = [replace(one, target=one.target.partition("/")[2]) for each in of_each for one in each]
    verdicts = [one for one in said if isinstance(one, Verdict)]
    return verdicts, [one for one in said if isinstance(one, Distance)]


def judged_alone(name: str, examples: int = CHECKED) -> list[Verdict | Distance]:
    """Judge one assignor on so many groups: its verdicts in the order of the properties, then its distances."""
    target = open_target(name, Options())
    of_target = family(target.family)
    promises = own_promises(target, of_target).names
    promised = [each for each in of_target.properties if each in promises]
    others = [each for each in of_target.properties if each not in promises]
    said = [
        *check(target, of_target, examples=examples, wanted=promised, measured=True),
        *check(target, of_target, examples=examples, wanted=others, wall_s=0.0),  # nothing is made smaller
    ]
    verdicts = {one.property: one for one in said if isinstance(one, Verdict)}
    return [
        *(verdicts[each] for each in of_target.properties),
        *(one for one in said if isinstance(one, Distance)),
    ]
