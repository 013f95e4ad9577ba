"""Copies of a task on as many racks, or values of each configured tag, as can be (KIP-708)."""

from dataclasses import replace

from kassay.model.tasks import Application, TaskAssignment
from kassay.oracles.assignment.own_levels import SPREAD as NAME
from kassay.oracles.levels import LevelWords
from kassay.oracles.tasks.levels.level import Level
from kassay.properties.tasks.measures import tag_collisions

RACK = "rack"


def collisions(application: Application, answer: TaskAssignment) -> int:
    """Count collisions of tags; where no tags are configured, of racks as if these were a tag."""
    if not application.settings.rack_aware_assignment_tags:
        tags = replace(application.settings, rack_aware_assignment_tags=(RACK,))
        racks = list(dict.fromkeys(client.rack for client in application.clients if client.rack))
        clients = tuple(
            replace(client, tags=((RACK, str(racks.index(client.rack))),) if client.rack else ())
            for client in application.clients
        )
        application = replace(application, clients=clients, settings=tags)
    return tag_collisions(application, answer)


SPREAD = Level(
    words=LevelWords(
        name=NAME, short="tags", one="copy beside another one", many="copies beside another one", asked="apart by tags",
        missed="needless copies with one tag", column="tags", heading="tags\nneedlessly alike", worse="has more copies with one tag",
    ),
    least="The fewest copies in a rack or tag value that another copy of their task has",
    what="copies in a rack or tag value that another copy of their task has",
    best="the widest spread",
    measure=collisions,
    about="racks",
)  # fmt: skip
