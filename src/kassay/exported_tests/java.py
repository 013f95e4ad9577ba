"""A test for JUnit 5 that calls an assignor class of Kafka, or of the user, by Kafka's own types."""

import base64
import hashlib
import os
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kassay.engine.finding import Finding
from kassay.exported_tests.evidence import Call
from kassay.exported_tests.layout import (
    Job,
    Syntax,
    fill,
    format_property,
    list_answer_names,
    list_unanswered,
    write_checks,
    write_header,
    write_members,
)
from kassay.exported_tests.layout import write_json_text as write_text
from kassay.exported_tests.rows import ROLES, ObstacleError, format_item
from kassay.families import family
from kassay.targets.clients import place_replicas
from kassay.targets.java.releases import GROUP, KAFKA, find_line

JUNIT = "org.junit.jupiter:junit-jupiter:5.13.4"
KINDS = ("kafka", "maven", "jar")
CONNECT = "connect/incremental-cooperative"
Literal = Callable[[Call, Callable[[str, Sequence[str]], str]], list[str]]


def write_texts(items: Sequence[str]) -> str:
    """Return a list of texts."""
    return f"List.of({', '.join(map(write_text, items))})"


def _write_optional(value: str | None) -> str:
    return "null" if value is None else write_text(value)


def _list(items: Sequence[str], indent: int = 12) -> str:
    if not items:
        return "List.of()"
    pad = f"\n{' ' * (indent + 4)}"
    return f"List.of({pad}{f',{pad}'.join(items)})"


def _map(values: Mapping[str, str]) -> str:
    return f"Map.ofEntries({', '.join(f'Map.entry({write_text(key)}, {value})' for key, value in values.items())})"


HELPERS = {
    "count": """
    /** Counts the items that these owners have, of these items alone; an empty list stands for all. */
    private static long count(Map<String, List<String>> answer, List<String> owners, List<String> items) {
        return answer.entrySet().stream()
            .filter(each -> owners.isEmpty() || owners.contains(each.getKey()))
            .flatMap(each -> each.getValue().stream())
            .filter(item -> items.isEmpty() || items.contains(item))
            .count();
    }
""",
    "sorted": """
    private static Map<String, List<String>> sorted(Map<String, List<String>> answer) {
        Map<String, List<String>> sorted = new java.util.TreeMap<>();
        answer.forEach((owner, items) -> {
            if (!items.isEmpty()) sorted.put(owner, items.stream().sorted().toList());
        });
        return sorted;
    }
""",
}
SYNTAX = Syntax(
    text=write_text,
    texts=write_texts,
    count=lambda answer, owners, items: f"count({answer}, {owners}, {items})",
    demand=lambda condition, message, answer: (
        f'assertTrue({condition},\n    () -> {message} + ". The answer is " + {answer});'
    ),
    same=lambda one, other: f"sorted({one}).equals(sorted({other}))",
    kept=lambda one, other: (
        f"{one}.keySet().stream().allMatch(owner -> {other}.getOrDefault(owner, List.of()).containsAll({one}.get(owner)))"
    ),
    rows=lambda rows: _map({owner: write_texts(items) for owner, items in rows.items()}),
)


def check(finding: Finding, target: str) -> None:
    """Raise ObstacleError if a target is no Java class, or its release or the group needs another interface."""
    kind, place, _, class_name = _split(target)
    if kind not in KINDS:
        raise ObstacleError("a test in Java calls a Java class (kafka:, maven: or jar:)")
    release = place if kind == "kafka" else ""
    since = {
        "consumer": (2, 4),
        "streams": (3, 8),
        "broker": (4, 0),
        "share": (4, 1),
        "streams-group": (4, 4),
        "connect": (3, 7),
    }
    if release and find_line(release) < since[finding.family]:
        first = ".".join(map(str, since[finding.family]))
        raise ObstacleError(
            f"a test in Java needs the interface that {finding.family} assignors have since Kafka {first}"
        )
    if finding.family == "connect" and not class_name.endswith("IncrementalCooperativeAssignor"):
        raise ObstacleError(f"{class_name} answers only through a running worker")
    if finding.family == "consumer" and any(one.user_data is not None for one in finding.group.members):
        raise ObstacleError("a member of the group has user data, which Kafka's assignors write themselves")


def _split(target: str) -> tuple[str, str, str, str]:
    """Return the kind of a target, its place, its name there, and its class."""
    kind, _, rest = target.partition(":")
    place, _, name = rest.partition("#")
    return kind, place, name, KAFKA[name].class_name(place) if kind == "kafka" else name


def write(job: Job) -> str:
    """Return the test of a target that `check` lets pass."""
    kind, place, name, class_name = _split(job.target)
    template, literal, artifact = _choose(job.of.name, class_name)
    library = f"{KAFKA[name].artifact} {place}" if kind == "kafka" else class_name
    names = list_answer_names(job.evidence.calls)
    body = []
    for at, call in enumerate(job.evidence.calls):
        owned = write_members(
            call,
            names,
            lambda answer, owner: f"{answer}.getOrDefault({write_text(owner)}, List.of())",
            write_texts,
        )
        asked = f"assign({', '.join(literal(call, owned))})"
        failing = list_unanswered(job, at)
        if failing:
            message = write_text(failing[0].message)
            body += [
                f"String message = {message};",
                "assertTimeoutPreemptively(Duration.ofSeconds(10), () -> assertDoesNotThrow(() ->",
            ]
            body += [f"    {asked}, message), message);"]
        else:
            body.append(f"Map<String, List<String>> {names[at]} = {asked};")
    body += "\n".join(write_checks(job, SYNTAX)).splitlines()
    code = "\n".join(f"        {line}" for line in body)
    run = _describe_run(kind, place, name if kind == "kafka" else "", artifact)
    header = write_header(job, library, run).replace("\\", "\\\\")
    method = format_property(job.finding)
    imports = (
        "import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;\n"
        "import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;\n"
        "import static org.junit.jupiter.api.Assertions.assertTrue;\n\n"
        "import java.time.Duration;\n"
        "import org.junit.jupiter.api.Test;\n"
    )
    parts = {
        "NAME": f"{''.join(word.capitalize() for word in method.split('_'))}Test",
        "METHOD": "".join(word.capitalize() if at else word for at, word in enumerate(method.split("_"))),
        "ASSIGNOR": class_name.replace("$", "."),
        "GENERATION": _describe_subscription(kind, place),
        "BODY": code,
        "HELPERS": "".join(helper for name, helper in HELPERS.items() if f"{name}(" in code),
    }
    source = fill(template, parts)
    package, found, others = source.partition("\n\n") if source.startswith("package") else ("", "", source)
    return f"{header}{package}{found}{imports}{others}".rstrip("\n")


def _describe_subscription(kind: str, place: str) -> str:
    newer = kind != "kafka" or find_line(place) >= (3, 5)
    return ",\n            member.generation(), Optional.ofNullable(member.rack())" if newer else ""


def _choose(family: str, class_name: str) -> tuple[str, Literal, str]:
    """Return the template, the function that writes a group, and the artifact, for a family."""
    if family == "streams":
        internal = ".internals." in class_name
        return ("streams.java" if internal else "streams-public.java"), _write_application, "kafka-streams"
    return {
        "consumer": ("consumer.java", _write_consumers, "kafka-clients"),
        "broker": ("coordinator.java", _write_coordinated, "kafka-group-coordinator"),
        "share": ("coordinator.java", _write_coordinated, "kafka-group-coordinator"),
        "streams-group": ("streams-group.java", _write_streams_group, "kafka-group-coordinator"),
        "connect": ("connect.java", _write_cluster, "connect-runtime"),
    }[family]


def _describe_run(kind: str, place: str, name: str, artifact: str) -> list[str]:
    if kind == "kafka":
        needed = [str(each) for each in KAFKA[name].needs(place)]
    elif kind == "maven":
        needed = place.split("+")
    else:
        needed = [f"{GROUP}:{artifact}:VERSION", *(f"the file {path}" for path in place.split(os.pathsep))]
    return ["To run it: Java 17, and on the class path", *(f"  {each}" for each in (*needed, JUNIT))]


def _write_consumers(call: Call, owned: Callable[[str, Sequence[str]], str]) -> list[str]:
    group = call.group
    racks, topics = list_topics(group)
    members = [
        f"new Member({write_text(one['id'])}, {write_texts(one['topics'])}, {owned(one['id'], [*map(format_item, one.get('owned', ()))])}, "
        f"{one.get('generation', -1)}, {_write_optional(one.get('instance_id'))}, {_write_optional(one.get('rack'))})"
        for one in group["members"]
    ]
    written = [
        f"new Topic({write_text(name)}, List.of({', '.join(f'List.of({str([*ids])[1:-1]})' for ids in partitions)}))"
        for name, partitions in topics.items()
    ]
    return [
        f"java.util.Arrays.asList({', '.join('(String) null' if rack is None else write_text(rack) for rack in racks)})",
        _list(written),
        _list(members),
    ]


def list_topics(
    group: Mapping[str, Any],
) -> tuple[Sequence[str | None], Mapping[str, Sequence[tuple[int, ...]]]]:
    """Return the racks of the brokers, and of each topic the brokers of each partition, by number."""
    known = place_replicas(family("consumer").shape.read_group({**group, "family": "consumer"}))
    return known.racks, known.replicas


def write_topic_id(topic: Mapping[str, Any]) -> str:
    """Return the id of a topic as Kafka writes it; topics without one get an id from their name, as kassay gives it."""
    digest = hashlib.md5(topic["name"].encode(), usedforsecurity=False).digest()
    found = base64.urlsafe_b64encode(uuid.UUID(bytes=digest, version=3).bytes).decode().rstrip("=")
    return str(topic.get("id") or found)


def _write_coordinated(call: Call, owned: Callable[[str, Sequence[str]], str]) -> list[str]:
    group = call.group
    known = {each["name"] for each in group.get("topics", ())}
    named = {
        name: None
        for one in group["members"]
        for name in (*one["topics"], *(each[0] for each in one.get("owned", ())))
    }
    topics = [
        *group.get("topics", ()),
        *({"name": name, "partitions": -1} for name in named if name not in known),
    ]
    written = []
    for each in topics:
        racks = ", ".join(
            write_texts([rack for rack in some or () if rack is not None]) for some in each.get("racks") or ()
        )
        withheld = str([*each.get("unassignable", ())])[1:-1]
        written.append(
            f"new Topic({write_text(each['name'])}, Uuid.fromString({write_text(write_topic_id(each))}), {each['partitions']}, List.of({racks}), List.of({withheld}))"
        )
    members = [
        f"new Member({write_text(one['id'])}, {write_texts(one['topics'])}, {owned(one['id'], [*map(format_item, one.get('owned', ()))])}, "
        f"{_write_optional(one.get('instance_id'))}, {_write_optional(one.get('rack'))})"
        for one in group["members"]
    ]
    return [_list(written), _list(members)]


def _write_roles(member: Mapping[str, Any], owned: Callable[[str, Sequence[str]], str]) -> str:
    return ", ".join(owned(f"{member['id']} {role}", member.get(role, ())) for role in ROLES[:2])


def _write_application(call: Call, owned: Callable[[str, Sequence[str]], str]) -> list[str]:
    group = call.group
    config = group.get("config", {})

    def optional(name: str) -> str:
        value = config.get(f"rack.aware.assignment.{name}")
        return "OptionalInt.empty()" if value is None else f"OptionalInt.of({value})"

    configs = (
        f"new AssignmentConfigs({config.get('acceptable.recovery.lag', 10_000)}L, {config.get('max.warmup.replicas', 2)}, "
        f"{config.get('num.standby.replicas', 0)}, 600_000L, {write_texts(config.get('rack.aware.assignment.tags', ()))}, "
        f"{optional('traffic_cost')}, {optional('non_overlap_cost')}, {write_text(config.get('rack.aware.assignment.strategy', 'none'))})"
    )
    topics = [
        f"new Topic({write_text(each['name'])}, List.of({', '.join(write_texts([rack for rack in some or () if rack]) for some in each.get('racks') or ())}))"
        for each in group.get("topics", ())
    ]
    tasks = [
        f"new Task({write_text(each['id'])}, {str(each.get('stateful', False)).lower()}, "
        f"{write_texts([*map(format_item, each.get('inputs', ()))])}, {write_texts([*map(format_item, each.get('changelogs', ()))])})"
        for each in group["tasks"]
    ]
    clients = [
        f"new Client({write_text(each['id'])}, {each['threads']}, {_write_optional(each.get('rack'))}, "
        f"{_map({key: write_text(value) for key, value in each.get('tags', {}).items()})}, "
        f"{_write_roles(each, owned)}, "
        f"{_map({task: f'{lag}L' for task, lag in each.get('lags', {}).items()})}, "
        f"{_map({consumer: write_texts([*held]) for consumer, held in each.get('consumers', {}).items()})})"
        for each in group["clients"]
    ]
    return [configs, _list(topics), _list(tasks), _list(clients)]


def _write_streams_group(call: Call, owned: Callable[[str, Sequence[str]], str]) -> list[str]:
    group = call.group
    config = group.get("config", {})
    configs = f"new Configs({config.get('num.standby.replicas', 0)}, {write_texts(config.get('rack.aware.assignment.tags', ()))})"
    subtopologies = [
        f"new Subtopology({write_text(each['id'])}, {each['partitions']}, {str(each.get('stateful', False)).lower()})"
        for each in group["subtopologies"]
    ]
    members = [
        f"new Member({write_text(each['id'])}, {write_text(each['process_id'])}, {_write_optional(each.get('instance_id'))}, {_write_optional(each.get('rack'))}, "
        f"{_map({key: write_text(value) for key, value in each.get('tags', {}).items()})}, "
        f"{_write_roles(each, owned)}, {write_texts(each.get('warmup', ()))}, "
        f"{', '.join(_map({task: f'{sum_}L' for task, sum_ in each.get(name, {}).items()}) for name in ('offsets', 'end_offsets'))})"
        for each in group["members"]
    ]
    return [configs, _list(subtopologies), _list(members)]


_MEMORY: Mapping[str, tuple[str, Callable[[Any], str]]] = {
    "generation": ("previousGenerationId", str),
    "members": ("previousMembers", lambda value: f"new LinkedHashSet<>({write_texts(value)})"),
    "assignment": ("previousAssignment", lambda value: f"work({write_texts(_list_work(value))})"),
    "revocation": ("previousRevocation", lambda value: f"work({write_texts(_list_work(value))})"),
    "candidates": (
        "candidateWorkersForReassignment",
        lambda value: f"Set.of({', '.join(map(write_text, value))})",
    ),
    "scheduled_rebalance_ms": ("scheduledRebalance", lambda value: f"{value}L"),
    "delay_ms": ("delay", str),
    "revoked": ("revokedInPrevious", lambda value: str(value).lower()),
    "revoking_rounds": ("numSuccessiveRevokingRebalances", str),
}
"""Field of a cluster's memory -> the field of Kafka's class, and its value in Java."""


def _list_work(work: Mapping[str, Any]) -> list[str]:
    return [*work.get("connectors", ()), *(f"{name} task {number}" for name, number in work.get("tasks", ()))]


def _write_cluster(call: Call, _: Callable[[str, Sequence[str]], str]) -> list[str]:
    group = call.group
    memory = {
        _MEMORY[key][0]: _MEMORY[key][1](value)
        for key, value in group.get("memory", {}).items()
        if key in _MEMORY
    }
    return [
        f"{group.get('time_ms', 0)}L",
        str(group.get("config", {}).get("scheduled.rebalance.max.delay.ms", 300_000)),
        str(group.get("generation", 1)),
        str(group.get("last_completed_generation", 0)),
        _map({each["name"]: str(each.get("tasks", 0)) for each in group["connectors"]}),
        _map({each["id"]: write_texts(_list_work(each)) for each in group["workers"]}),
        _map(memory),
    ]
