"""Topologies of Kafka Streams, printed or from options, with settings and end offsets.

``TopologyDescription.toString()`` prints a topology. The option for a subtopology is ``orders,users:counts`` for two topics and one
store, or ends with ``:`` if it has no store. kafka-get-offsets prints a line ``topic:partition:offset`` for each partition, without an
offset if there is none.

Other subtopologies are guessed from the assignment. A task runs on one thread, so the topics of a subtopology have the same owners.
Other topics may have them by chance, because assignors place one subtopology after the other, so each guess has a warning. A changelog
``<application.id>-<store>-changelog`` has a partition for each task of its subtopology. Source of the names of stores and repartition
topics: InternalStreamsBuilder of kafka-streams 4.3.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from kassay.errors import InputError
from kassay.listings.details import read_pairs
from kassay.listings.groups import GroupRows
from kassay.listings.location import Assumed, find_repeated, list_some, quote
from kassay.listings.texts import is_noise, iterate_lines
from kassay.listings.topics import KnownTopics
from kassay.model import TopicPartition
from kassay.model.partitions import INT64_MAX
from kassay.model.tasks import Settings, Task
from kassay.model.tasks_json import SETTINGS, read_group
from kassay.reference.streams.topology import Counts, Subtopology, changelog_groups, source_groups, task_count
from kassay.sentences import format_count, suggest_name

TITLE = "Topologies:"
_TITLE = re.compile(r"\s*(Topologies|Sub-topologies): *")
_SUBTOPOLOGY = re.compile(r"Sub-topology: ([0-9]{1,9})( for global store \(will not generate tasks\))?")
_SOURCE = re.compile(r"Source: .+ \(topics: (.*)\)")
_PROCESSOR = re.compile(r"Processor: .+ \(stores: \[(.*)\]\)")
_OTHER = re.compile(r"Sink: .+ \(.*\)|(-->|<--)( .*)?")
_ADVICE = "give what Topology.describe() prints, whole"


@dataclass(slots=True)
class _Read:
    """A subtopology as printed."""

    id: int
    global_: bool
    topics: list[str] = field(default_factory=list)
    stores: list[str] = field(default_factory=list)


def is_described(text: str) -> bool:
    """Return True if a text is a description of a topology, even if it cannot be read."""
    return text.lstrip("\ufeff \t\r\n").startswith(TITLE)


def read_parts(name: str, text: str) -> list[tuple[list[str], list[str]]]:
    """Return the topics and stores of each subtopology with tasks, by the topology's own names; raise ListingError."""
    return [(one.topics, one.stores) for one in _read(name, text) if not one.global_]


def write_statements(
    name: str, text: str, application: str, topics: Collection[str]
) -> tuple[list[str], list[str]]:
    r"""Return the value of ``--subtopology`` for each subtopology, in Kafka's order, and the assumptions.

    >>> text = "Topologies:\n   Sub-topology: 0\n    Source: s (topics: [orders])\n      --> p\n"
    >>> text += "    Processor: p (stores: [counts])\n      --> none\n      <-- s\n"
    >>> write_statements("t", text, "shop", {"orders": 4, "shop-counts-changelog": 4})
    (['orders:counts'], [])

    Stores without a changelog among the topics are left out, and global stores, which have no tasks. Raises ListingError.
    """
    read = _read(name, text)
    own = [one for one in read if not one.global_ and one.topics]
    known = {store: f"{application}-{store}-changelog" in topics for one in own for store in one.stores}
    warnings = []
    if missing := [store for store, there in known.items() if not there]:
        warnings.append(
            f"{name}: the listings have no changelog of {list_some(missing, len(missing))}: these stores are taken to keep nothing. "
            "If a source topic serves as changelog, or to state it otherwise: --subtopology TOPIC:STORE"
        )
    if before := [one.id for one in read if one.global_ and own and one.id < own[-1].id]:
        warnings.append(
            f"{name}: subtopology {', '.join(map(str, before))} is a global store: those after it are numbered lower here than Kafka does"
        )
    told = (",".join(store for store in one.stores if known[store]) for one in own)
    return [f"{','.join(one.topics)}:{stores}" for one, stores in zip(own, told, strict=True)], warnings


def _read(name: str, text: str) -> list[_Read]:
    found: list[_Read] = []
    for place, whole in iterate_lines(name, text):
        line = whole.strip()
        if not line or _TITLE.fullmatch(line) or _OTHER.fullmatch(line):
            continue
        begins, source, processor = (each.fullmatch(line) for each in (_SUBTOPOLOGY, _SOURCE, _PROCESSOR))
        if begins:
            found.append(_Read(int(begins[1]), begins[2] is not None))
        elif found and source:
            if not re.fullmatch(r"\[.*\]", source[1]):
                what = f"{quote(line)} reads a pattern, whose topics are unknown"
                raise place.error(
                    what, "state them with --subtopology TOPIC,TOPIC:STORE,STORE in place of this file"
                )
            found[-1].topics += _split_names(source[1][1:-1])
        elif found and processor:
            found[-1].stores += [
                store for store in _split_names(processor[1]) if store not in found[-1].stores
            ]
        else:
            raise place.error(f"{quote(line)} is no line of a topology", _ADVICE)
    return found


def _split_names(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


@dataclass(frozen=True, slots=True)
class Stated:
    """A subtopology of an option: the names of its source topics and its changelogs, None if it has no changelogs."""

    text: str
    sources: tuple[str, ...]
    changelogs: tuple[str, ...] | None

    def error(self, what: str, fix: str) -> InputError:
        """Return the error on the option, with the problem and the fix."""
        return InputError(f"--subtopology {self.text!r}: {what}. {fix[:1].upper()}{fix[1:]}")


def resolve_statements(statements: Sequence[str], application: str, topics: Collection[str]) -> list[Stated]:
    """Read ``TOPIC,TOPIC:STORE,STORE`` each, and give internal topics their full names.

    The changelog of store ``counts`` is ``<application.id>-counts-changelog``. Raises InputError if a statement is malformed, or if a
    topic does not exist or is stated twice.
    """
    found: list[Stated] = []
    for text in statements:
        sources, colon, stores = (part.strip() for part in text.partition(":"))
        names, own = (tuple(map(str.strip, part.split(","))) if part else () for part in (sources, stores))
        one = Stated(text, names, own if colon else None)
        if not names or "" in (*names, *own) or ":" in stores:
            raise one.error(
                "is not TOPIC,TOPIC:STORE,STORE",
                "write such as 'orders,users:counts', or 'orders:' without a store",
            )
        changelogs = tuple(_find_topic(one, name, application, "changelog", topics) for name in own)
        whole = tuple(_find_topic(one, name, application, "repartition", topics) for name in names)
        found.append(Stated(text, whole, changelogs if colon else None))
    for all_names in (
        [name for one in found for name in one.sources],
        [name for one in found for name in one.changelogs or ()],
    ):
        if twice := find_repeated(all_names):
            one = [one for one in found if twice in (*one.sources, *(one.changelogs or ()))][-1]
            raise one.error(f"topic {twice!r} is stated before", "name each topic in one subtopology, once")
    return found


def _find_topic(one: Stated, name: str, application: str, ending: str, topics: Collection[str]) -> str:
    internal = f"{application}-{name}-{ending}"
    for known in (name, internal, f"{application}-{name}"):
        if known in topics:
            return known
    raise one.error(
        f"the listings have no topic {name!r} and no {internal!r}",
        f"name a topic or a store of the application, and give the output of kafka-topics --describe too{suggest_name(name, topics)}",
    )


def read_settings(texts: Sequence[str]) -> Settings:
    """Read settings ``NAME=VALUE``, tags with commas between them; raise InputError with the setting."""
    pairs = read_pairs(texts, SETTINGS, "task assignors")
    config: dict[str, str | int | list[str]] = {}
    for name, value in pairs.items():
        digits = value.removeprefix("-")
        is_number = digits.isascii() and digits.isdigit() and len(digits) < 20
        config[name] = value.split(",") if name.endswith(".tags") else int(value) if is_number else value
    try:
        return read_group({"tasks": [], "clients": [], "config": config}).settings
    except InputError as wrong:
        raise InputError(f"--config: {str(wrong).removeprefix('config.')}") from None


def read_end_offsets(name: str, text: str) -> dict[TopicPartition, int]:
    """Return the log-end offsets in a file, whose `name` is in the ListingError for a malformed line."""
    offsets: dict[TopicPartition, int] = {}
    for place, line in iterate_lines(name, text):
        if not line or is_noise(line):
            continue
        words = line.split(":")
        if len(words) != 3 or (words[2] and not (words[2].isascii() and words[2].isdigit())):
            raise place.error(
                f"{quote(line)} is not topic:partition:offset", "give what kafka-get-offsets prints"
            )
        partition = TopicPartition(place.topic("topic", words[0]), place.number("partition", words[1]))
        if not words[2]:
            continue
        if len(words[2]) > 19 or int(words[2]) > INT64_MAX:
            raise place.error(f"offset is {quote(words[2])}", f"give a number from 0 to {INT64_MAX}")
        if offsets.setdefault(partition, int(words[2])) != int(words[2]):
            raise place.error(
                f"{partition} has offset {offsets[partition]} and {words[2]}",
                "give each partition one offset",
            )
    return offsets


_BLOCK_TITLE = re.compile(r"\s*(?:Topologies|Topology|Sub-topologies):\s*")
_LINE = re.compile(
    r"\s*(?:Sub-topology: [0-9]+.*|(?:Source|Processor|Sink): .+ \(.*\)|(?:-->|<--)(?: .*)?)\s*"
)
_STRANGE_MAX = 3
"""Up to this number of other lines count as part of a description, which is then refused."""


def count_topology_lines(lines: Sequence[str], position: int) -> int:
    """Return the number of lines of the description that begins at a line, 0 if none begins."""
    if _BLOCK_TITLE.fullmatch(lines[position]) is None:
        return 0
    last = position
    for number in range(position + 1, len(lines)):
        if _LINE.fullmatch(lines[number]):
            last = number
        elif not lines[number].strip() or number - last > _STRANGE_MAX:
            following = next((line for line in lines[number:] if line.strip()), "")
            if not _LINE.fullmatch(following):
                break
    return last - position + 1 if last > position else 0


Holders: TypeAlias = Mapping[TopicPartition, Sequence[str]]
"""Partition -> the ids of the members that own it, without partitions that no member owns."""
FIX = "--subtopology TOPIC,TOPIC:STORE states it otherwise"


def _list_subtopologies(
    stated: Sequence[Stated], held: Collection[str], counts: Counts, holders: Holders, warnings: list[str]
) -> list[Subtopology]:
    """Return the stated subtopologies in their order, then guessed ones by the name of their first topic; without changelogs.

    Raises InputError if partitions of one task have different owners.
    """
    tasks = [
        (one, [TopicPartition(name, number) for name in one.sources if number < counts[name]])
        for one in stated
        for number in range(max(counts[name] for name in one.sources))
    ]
    for one, task in tasks:
        known = [(partition, set(holders[partition])) for partition in task if partition in holders]
        for partition, members in known[1:]:
            first, others = known[0]
            if not members & others:
                raise one.error(
                    f"{first} is held by {min(others)!r}, {partition} by {min(members)!r}, but a task runs on one thread",
                    "name topics that one subtopology reads",
                )
    left = sorted(set(held) - {name for one in stated for name in one.sources})
    guessed = _group_by_owners(left, counts, holders, warnings)
    found = [*(one.sources for one in stated), *guessed]
    if guessed:
        which = (f"{number} reads {' and '.join(found[number])}" for number in range(len(stated), len(found)))
        warnings.append(
            Assumed(
                "subtopologies are not printed: source topics with equally many partitions and the same owners are taken to be read together, "
                f"and repartition topics alone ({list_some(which, len(guessed))}). They are in the order of their names, but Kafka numbers "
                f"subtopologies in the order of the topology. {FIX}"
            )
        )
    return [Subtopology(number, sources) for number, sources in enumerate(found)]


def _group_by_owners(
    topics: Sequence[str], counts: Counts, holders: Holders, warnings: list[str]
) -> list[tuple[str, ...]]:
    """Return the topics that have the same owners together, sorted by their first name.

    A repartition topic stays alone, because another subtopology, often with equally many tasks, writes it. So does a topic with only one
    owner, because that is no evidence.
    """
    groups: dict[object, list[str]] = {}
    placed = {
        name: tuple(tuple(holders.get(TopicPartition(name, number), ())) for number in range(counts[name]))
        for name in topics
    }
    for name in topics:
        alone = name.endswith("-repartition") or len(set(placed[name])) < 2
        groups.setdefault(name if alone else placed[name], []).append(name)

    def are_alike_by_chance(one: str, other: str) -> bool:
        """Return True if topics of different sizes have the same owners, several members, in the partitions of both."""
        both = min(counts[one], counts[other])
        start = placed[one][:both]
        return counts[one] != counts[other] and len(set(start)) > 1 and start == placed[other][:both]

    doubtful = [
        (names, chance)
        for names in groups.values()
        if len(names) > 1 and (chance := [name for name in topics if are_alike_by_chance(name, names[0])])
    ]
    if doubtful:
        names, chance = doubtful[0]
        warnings.append(
            f"{', '.join(names)} have the same owners, but so has {chance[0]}, which has another number of partitions. "
            f"So equal owners are weak evidence for {list_some((' and '.join(names) for names, _ in doubtful), len(doubtful))}. {FIX}"
        )
    return [tuple(names) for names in groups.values()]


def _add_changelogs(
    found: Sequence[Subtopology],
    stated: Sequence[Stated],
    application: str,
    listed: Iterable[str],
    counts: Counts,
    warnings: list[str],
) -> list[Subtopology]:
    """Return the subtopologies with the changelogs that are stated, or else with the listed ones that fit best.

    The store of an aggregation has the name of its repartition topic, and the name of a table's store begins with its topic. Others are
    recognized only by their number of partitions. Raises InputError if a stated changelog has another number.
    """
    of = {each.number: list(one.changelogs or ()) for each, one in zip(found, stated, strict=False)}
    for number, names in of.items():
        for name in names:
            if counts[name] != (tasks := task_count(found[number], counts)):
                raise stated[number].error(
                    f"changelog {name!r} has {counts[name]} partitions, but the subtopology has {tasks} tasks",
                    "name stores of that subtopology, and take the listings at the same time",
                )
    said = {name for names in of.values() for name in names}
    open_ = [each for each in found if each.number >= len(stated) or stated[each.number].changelogs is None]
    guessed: list[str] = []
    several: list[str] = []
    strange: list[str] = []
    for name in sorted(set(listed) - said):
        fits = [each for each in open_ if task_count(each, counts) == counts[name]]
        if not fits:
            strange.append(f"{name} {counts[name]}")
            continue
        # A store may be named after a topic that its subtopology reads.
        store = name.removesuffix("-changelog")
        table = store.rpartition("-STATE-STORE-")[0]
        alike = [
            each
            for each in fits
            for source in [{source.removesuffix("-repartition") for source in each.sources}]
            if store in source or table in {f"{application}-{one}" for one in source}
        ]
        rekeyed = [each for each in fits if any(one.endswith("-repartition") for one in each.sources)]
        best = (alike or rekeyed or fits)[0]
        of.setdefault(best.number, []).append(name)
        (guessed if alike or len(fits) == 1 else several).append(f"{name} of {best.number}")
    if guessed:
        warnings.append(
            Assumed(
                "the stores of subtopologies are not printed: they are guessed by the names of repartition topics and tables, and by the number "
                f"of partitions ({list_some(guessed, len(guessed))}). {FIX}"
            )
        )
    if several:
        warnings.append(
            Assumed(
                "these changelogs fit several subtopologies by their number of partitions: each is taken to belong to the first that reads "
                f"a repartition topic, or else to the first ({list_some(several, len(several))}). {FIX}"
            )
        )
    if strange:
        warnings.append(
            f"no subtopology that may have them has as many tasks as these changelogs have partitions: they are left out "
            f"({list_some(strange, len(strange))}). {FIX}"
        )
    return [replace(each, changelogs=tuple(sorted(of.get(each.number, ())))) for each in found]


def find_subtopologies(
    rows: GroupRows,
    topics: KnownTopics,
    groups: Collection[str],
    stated: Sequence[str],
    holders: Holders,
    warnings: list[str],
) -> list[Subtopology]:
    """Return the subtopologies with their changelogs, stated ones first, and add assumptions on the others to `warnings`.

    Raises InputError if a statement contradicts the listings.
    """
    held = {partition.topic for partition in holders}
    known = resolve_statements(stated, rows.name, [name for name, count in topics.counts.items() if count])
    found = _list_subtopologies(known, held, topics.counts, holders, warnings)
    # An internal topic belongs to the group with the longest name that it begins with.
    internal = {
        name: max((group for group in groups if name.startswith(f"{group}-")), key=len, default=None)
        for name in topics.counts
        if name not in held
    }
    own = [name for name, group in internal.items() if group == rows.name]
    read = {*held, *(name for one in known for name in one.sources)}
    left = sorted({*rows.unread, *(name for name in own if name.endswith("-repartition"))} - read)
    if left:
        warnings.append(
            f"no member holds a partition of {format_count(len(left), 'topic')} that the application has read or written "
            f"({list_some(left, len(left))}): no task is taken to read them. {FIX}"
        )
    changelogs = [name for name in own if name.endswith("-changelog")]
    return _add_changelogs(found, known, rows.name, changelogs, topics.counts, warnings)


def build_tasks(found: Sequence[Subtopology], counts: Mapping[str, int]) -> tuple[Task, ...]:
    """Return the tasks of subtopologies with their input partitions and changelogs."""
    changelogs = changelog_groups(found, counts)
    return tuple(
        Task(task, bool(changelogs[task]), tuple(sorted(inputs)), tuple(sorted(changelogs[task])))
        for task, inputs in source_groups(found, counts).items()
    )
