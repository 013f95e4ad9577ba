"""The applications of Kafka Streams among the groups of any listing: consumer groups whose members are threads."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kassay.errors import InputError
from kassay.listings.groups import GroupRows
from kassay.listings.location import Assumed, ListingError
from kassay.listings.reading import Reading
from kassay.listings.streams.application import Details, ListedApplication, application_of
from kassay.listings.streams.clients import is_thread
from kassay.listings.streams.described import read_parts, statements
from kassay.listings.topic_catalog import KnownTopics
from kassay.sentences import listed

NO_TASKS = "no thread owns a partition, so no task of the application is known: list the group again when it is stable"


@dataclass(slots=True)
class Found:
    """The applications, in the order of the listings; and why others cannot be read, by the name of the group."""

    applications: list[ListedApplication] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """The names of all these groups."""
        return {one.name for one in self.applications} | self.problems.keys()


def is_application(rows: GroupRows) -> bool:
    """Return True if any member of a group is a thread of Kafka Streams."""
    return any(map(is_thread, rows.members.values()))


def find_applications(
    reading: Reading, details: Details, topologies: Sequence[tuple[str, str]], only: str | None = None
) -> Found:
    """Make applications of all groups with threads of Kafka Streams, each with the topology of `topologies` that reads topics of it.

    Subtopologies of `details` belong to the only application, or to the application named `only`. A fault of one application hides no
    other. Raises InputError if subtopologies are stated and there are several applications.
    """
    topics = KnownTopics.of(reading, details.broker_racks)
    streams = [rows for rows in reading.groups.values() if is_application(rows)]
    meant = [rows.name for rows in streams if only in {None, rows.name}]
    if details.subtopologies and len(meant) > 1:
        raise InputError(
            f"--subtopology: the listings show {len(meant)} applications ({', '.join(meant)}); choose one by --consumer-group"
        )
    found = Found()
    for rows in streams:
        own = [
            each
            for each in topologies
            if _holds_any(rows, [name for names, _ in read_parts(*each) for name in names])
        ]
        stated = details if rows.name in meant else replace(details, subtopologies=())
        try:
            known = topics
            if own and not stated.subtopologies:
                known = topics if reading.topics else _with_changelogs(rows, own[0], topics)
                stated = _with_topology(rows, stated, own, known)
            application = application_of(rows, known, set(reading.groups), stated)
        except (InputError, ListingError) as wrong:
            found.problems[rows.name] = str(wrong)
            continue
        said = [
            _read_as(described=bool(stated.subtopologies), topics=bool(reading.topics)),
            *application.warnings,
        ]
        said = said if application.application.tasks else [NO_TASKS, *said]
        found.applications.append(replace(application, warnings=tuple(said)))
    return found


def _read_as(*, described: bool, topics: bool) -> Assumed:
    """Return the caveat that a group is read as an application, with what to add to the listing."""
    tools = [("Topology#describe()", described), ("kafka-topics --describe", topics)]
    missing = [f"the output of {tool}" for tool, there in tools if not there]
    add = f"Add {listed(missing)} to the same file. " if missing else ""
    return Assumed(
        f"CLIENT-ID names threads of Kafka Streams, so kassay reads the group as an application. {add}"
        "Settings, standbys and end offsets of changelogs: kassay import --family streams takes them"
    )


def _holds_any(rows: GroupRows, topics: Sequence[str]) -> bool:
    """Return True if a member holds a partition of any of these topics. Internal topics may lack the prefix of the application."""
    held = {partition.topic for row in rows.members.values() for partition in row.known}
    held |= {partition.topic for own in rows.offsets.values() for partition in own}
    return any({name, f"{rows.name}-{name}"} & held for name in topics)


def _with_changelogs(rows: GroupRows, topology: tuple[str, str], topics: KnownTopics) -> KnownTopics:
    """Return the topics with a changelog for each store of a topology, of which no listing of topics says whether it has one."""
    counts = dict(topics.counts)
    for sources_, stores in read_parts(*topology):
        tasks = max((counts.get(name, counts.get(f"{rows.name}-{name}", 0)) for name in sources_), default=0)
        if tasks:
            counts |= {
                changelog: tasks
                for store in stores
                if (changelog := f"{rows.name}-{store}-changelog") not in counts
            }
    added = counts.keys() - topics.counts.keys()
    if added:
        stores_ = "store has" if len(added) == 1 else "stores have"
        rows.warnings.append(
            Assumed(
                f"{topology[0]}: the topology's {len(added)} {stores_} a changelog, as by default, with a partition for each task: "
                "the output of kafka-topics --describe tells which have one"
            )
        )
    return replace(topics, counts=counts, places={name: n for n, name in enumerate(counts)}, assumed=added)


def _with_topology(
    rows: GroupRows, details: Details, own: Sequence[tuple[str, str]], topics: KnownTopics
) -> Details:
    if len(own) > 1:
        raise InputError(f"{own[1][0]}: has two topologies of application {rows.name}; give one of them")
    stated, said = statements(*own[0], rows.name, topics.counts)
    rows.warnings += said
    return replace(details, subtopologies=stated)
