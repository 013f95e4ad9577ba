"""Compare settings of one group, asked of one assignor: a row for each value, and which one to set."""

import shlex
from argparse import Namespace
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kassay.cli.comparing.group import advice_record, records_of
from kassay.cli.warning import MACHINE, warned
from kassay.errors import InputError
from kassay.files.reading import called

if TYPE_CHECKING:
    from kassay.comparison.measured import Measured
    from kassay.family import Family
    from kassay.files.reading import Read
    from kassay.output import Block
    from kassay.targets.target import Target


def on_settings(
    args: Namespace, given: "Sequence[Read]", of_family: "Family", targets: "Sequence[Target]"
) -> "Generator[Block, None, int]":
    """Yield a table and the advice for each group; 3 where the assignor fails on one."""
    from kassay.cli.saying.comparing.group import advised, assumed, blocks
    from kassay.comparison.advice import Known
    from kassay.comparison.knowing import best_of
    from kassay.comparison.measured import compared, present
    from kassay.comparison.varying import beside, present_value, read_vary, setting_advice, value_text, varied

    if len(targets) != 1:
        files = " ".join(f"--group {shlex.quote(file)}" for file in args.group)
        raise InputError(
            f"--vary {args.vary}: compares settings of one assignor{' of the groups' * (not args.targets)}; name it:",
            [
                f"kassay compare {shlex.quote(targets[0].name)} {files} --vary {shlex.quote(args.vary)}".replace(
                    "  ", " "
                )
            ],
        )
    if not given:
        raise InputError(f"--vary {args.vary}: compares settings of a group; give one with --group FILE")
    asked, (target,), failed = read_vary(args.vary, of_family), targets, False
    order = args.order if of_family.leader_order else "as-given"
    for read in given:
        now = present_value(of_family, read.value, asked)
        setting = beside(asked, now)
        groups = [varied(of_family, read.value, setting.name, value) for value in setting.values]
        said = dict.fromkeys(
            w for group in groups for w in of_family.warnings(group) if w not in read.warnings
        )
        if args.format in MACHINE:
            warned([replace(read, warnings=tuple(said))])
        answers = [compared(targets, of_family, [group])[0][0] for group in groups]
        failed = failed or any(one.failure for one in answers)
        shown = [
            replace(one, target=value_text(value)) for one, value in zip(answers, setting.values, strict=True)
        ]
        told = setting_advice(of_family, target.name, setting, now, shown)
        holds = present(of_family, read.value)
        best = best_of(of_family, read.value) if _alike(answers) else None
        facts = Known(
            of_family, shown, now=holds, group=read.value, name=called(read), best=best, file=read.file,
            listed=bool(read.listed), warnings=(*read.warnings, *said),
        )  # fmt: skip
        values = iter(setting.values)
        records = [
            {**each, "target": target.name, "setting": setting.name, "value": next(values)}
            if each["record"] == "compared" else each
            for each in records_of(read, shown, holds, of_family, order)
        ]  # fmt: skip
        yield from blocks(facts, told, None, records, heading=setting.name)
        yield from advised(told, advice_record(read, told))
        yield from assumed(facts, None, page=True)
    return 3 if failed else 0


def _alike(answers: "Sequence[Measured]") -> bool:
    """Say whether the best possible is the same with all values, so that it can stand beside them."""
    return len({tuple((gap.level, gap.optimum) for gap in one.gaps) for one in answers}) == 1
