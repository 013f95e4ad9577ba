"""A schedule: a group and the faults that strike it, as a plain value that can be saved, replayed and made smaller."""

from collections.abc import Collection
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from kassay import __version__
from kassay.errors import InputError
from kassay.model.json_text import convert_json
from kassay.suggesting import refuse_unknown

FORMAT = 1
SEE = "docs/simulate.md"
"""Where all names stand that a schedule may have."""
Milliseconds = Annotated[int, Meta(ge=0, le=3_600_000)]
Number = Annotated[int, Meta(ge=0, le=1_000_000)]


class Fault(Struct, frozen=True, order=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that happens at a time: `kind` is a name of :data:`kassay.protocol.simulation.faults.FAULTS`.

    `at` and `span` are milliseconds, the former since the first member started; `who` is the number of a member; what `much`
    means is said by the kind.
    """

    at: Milliseconds
    kind: str
    who: Number = 0
    span: Milliseconds = 0
    much: Number = 0


class Setting(Struct, frozen=True, forbid_unknown_fields=True):
    """The group that is simulated: what it is used for, who coordinates it, how many members and partitions it has.

    `partitions` has a number for each topic, `t0` first; `chooses` picks among the members that may become leader.
    """

    use: str = "consumer"
    coordinator: str = "proposal"
    members: Annotated[int, Meta(ge=1, le=50)] = 2
    partitions: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=1000)], ...], Meta(min_length=1, max_length=20)
    ] = (2,)
    cooperative: bool = False
    static: bool = False
    chooses: Number = 0


class Schedule(Struct, frozen=True, forbid_unknown_fields=True):
    """A group and its faults in the order of their times."""

    setting: Setting
    faults: Annotated[tuple[Fault, ...], Meta(max_length=1000)] = ()

    @property
    def heals(self) -> int:
        """The time in milliseconds after which nothing strikes any more."""
        return max((fault.at + fault.span for fault in self.faults), default=0)


class Saved(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A schedule in a file, with what it breaks, who drew it, and the target that stood in the group."""

    format: int
    kassay: str
    schedule: Schedule
    target: str = ""
    seed: int = 0
    number: int = 0
    breaks: str = ""
    sentences: tuple[str, ...] = ()
    minimised: bool = False


def saved(schedule: Schedule, **beside: Any) -> Saved:
    """Make what is written into a file."""
    return Saved(FORMAT, __version__, schedule, **beside)


def read_saved(
    value: Any, *, uses: Collection[str], coordinators: Collection[str], kinds: Collection[str]
) -> Saved:
    """Read the JSON of a saved schedule; raises InputError naming field and fix.

    `uses`, `coordinators` and `kinds` (of faults) are the known names.
    """
    if isinstance(value, dict) and value.get("format", FORMAT) != FORMAT:
        raise InputError(
            f"format: is {value['format']!r}, known is {FORMAT}; write the schedule again with this kassay"
        )
    read = convert_json(value, Saved)
    setting = read.schedule.setting
    refuse_unknown("schedule.setting.use", setting.use, uses, SEE)
    refuse_unknown("schedule.setting.coordinator", setting.coordinator, coordinators, SEE)
    for number, fault in enumerate(read.schedule.faults):
        refuse_unknown(f"schedule.faults[{number}].kind", fault.kind, kinds, SEE)
        if fault.who >= setting.members:
            raise InputError(
                f"schedule.faults[{number}].who: is {fault.who}; members are numbered from 0 to {setting.members - 1}"
            )
    # Faults of one time stay as they are listed.
    ordered = Schedule(setting, tuple(sorted(read.schedule.faults, key=lambda fault: fault.at)))
    return msgspec.structs.replace(read, schedule=ordered)
