"""What --state prints of a group: who assigns, at which epochs, and whether it has settled."""

from collections.abc import Mapping
from dataclasses import dataclass

from kassay.kafka_tools.location import Place, plural, quoted
from kassay.reference import ASSIGNORS

_TARGET_EPOCHS = ("TARGET-ASSIGNMENT-EPOCH", "ASSIGNMENT-EPOCH")
"""As kafka-consumer-groups and kafka-streams-groups name it, and as kafka-share-groups does."""


@dataclass(frozen=True, slots=True)
class State:
    """A row of the table: the assignor's name, None where there is no such column or it is blank; epochs are None where they are not printed.

    `family` is that of the assignors, None where the table does not tell.
    """

    place: Place
    name: str
    members: int
    assignor: str | None = None
    epoch: int | None = None
    target_epoch: int | None = None
    family: str | None = None

    @property
    def behind(self) -> bool:
        """Whether what has changed in the group is yet to be assigned: a target assignment that is printed is an old one."""
        return self.epoch is not None and self.target_epoch is not None and self.epoch != self.target_epoch

    def in_use(self, family: str) -> str:
        """Return the full name of the assignor that a group of a family uses, "" where the table does not tell."""
        return f"{family}/{self.assignor}" if self.assignor else ""

    def said(self, family: str, members: int) -> list[str]:
        """Return a sentence for each thing that the group, of a family and with so many members, does not show itself."""
        said = []
        if self.assignor:
            who = "its coordinator assigns" if family != "consumer" else "its leader assigns"
            target = self.in_use(family)
            ask = f": name {target} to ask it" if target in ASSIGNORS else ""
            said.append(f"{self.place}: {who} by {quoted(self.assignor)}, which is no part of a group{ask}")
        if self.name not in {"Stable", "Empty"}:
            said.append(
                f"{self.place}: the group is {self.name}, so members may soon hold something else; what is held now is taken"
            )
        if self.behind:
            said.append(
                f"{self.place}: GROUP-EPOCH is {self.epoch}, but the target assignment is of epoch {self.target_epoch}: "
                "what has changed since is yet to be assigned"
            )
        if self.members != members:
            said.append(
                f"{self.place}: #MEMBERS is {self.members}, but {plural(members, 'member')} "
                f"{'is' if members == 1 else 'are'} listed; take both listings at the same time"
            )
        return said


def read_state(place: Place, row: Mapping[str, str]) -> State:
    """Read a row; raises ListingError where a number is none."""
    target = next((name for name in _TARGET_EPOCHS if name in row), None)
    assignor = row.get("ASSIGNMENT-STRATEGY", "")
    epoch = None if "GROUP-EPOCH" not in row else _epoch(place, "GROUP-EPOCH", row)
    if "ASSIGNMENT-STRATEGY" in row:
        family = None if epoch is None else "broker"
    else:
        family = "share" if target == "ASSIGNMENT-EPOCH" else None
    return State(
        place,
        row.get("STATE", "-"),
        place.number("#MEMBERS", row["#MEMBERS"]),
        None if assignor in {"", "-"} else assignor,
        epoch,
        None if target is None else _epoch(place, target, row),
        family,
    )


def _epoch(place: Place, field: str, row: Mapping[str, str]) -> int | None:
    return None if row[field] == "-" else place.number(field, row[field])
