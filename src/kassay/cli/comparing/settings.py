"""Compare settings of one group, asked of one assignor: a column for each value, and which one to set."""

from argparse import Namespace
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kassay.cli.comparing.group import advised, of_group
from kassay.cli.options import tables
from kassay.cli.warning import warned
from kassay.errors import InputError

if TYPE_CHECKING:
    from kassay.family import Family
    from kassay.files.reading import Read
    from kassay.output import Block
    from kassay.targets.target import Target


def on_settings(
    args: Namespace, given: "Sequence[Read]", of_family: "Family", targets: "Sequence[Target]"
) -> "Generator[Block, None, int]":
    """Yield a table and the advice for each group; 3 where the assignor fails on one."""
    from kassay.comparison.measured import compared, present
    from kassay.comparison.varying import beside, present_value, read_vary, setting_advice, value_text, varied

    if len(targets) != 1:
        raise InputError(
            f"--vary {args.vary}: compares settings of one assignor, and {len(targets)} are named; name one"
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
        warned([replace(read, warnings=tuple(said))])
        answers = [compared(targets, of_family, [group])[0][0] for group in groups]
        failed = failed or any(one.failure for one in answers)
        shown = [
            replace(one, target=value_text(value)) for one, value in zip(answers, setting.values, strict=True)
        ]
        block = of_group(read, shown, present(of_family, read.value), of_family, order, shown=tables(args))
        values = iter(setting.values)
        records = [
            {**each, "target": target.name, "setting": setting.name, "value": next(values)}
            if each["record"] == "compared" else each
            for each in block.records
        ]  # fmt: skip
        yield replace(block, title=f"{read.where}: {setting.name} of {target.name}", records=records)
        yield advised(read, setting_advice(of_family, target.name, setting, now, answers))
    return 3 if failed else 0
