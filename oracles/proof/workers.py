"""Clusters of Connect: connectors and tasks as two groups of members and partitions, which are balanced each by themselves.

Members are workers. The connectors are the partitions of one topic, and the tasks of a connector are the partitions of a topic with its
name. An item belongs to the only worker that runs it. If several workers run an item, they all have to stop it.
"""

from collections import Counter
from collections.abc import Sequence

from kassay.oracles.proof import partitions
from kassay.oracles.proof.groups import NAME, PARTITION
from kassay.oracles.proof.reading import (
    LEVEL,
    OPEN,
    Json,
    NotProvedError,
    WrongInputError,
    compare,
    compare_rows,
    prove,
    require,
    require_form,
)

KINDS = ("connectors", "tasks")
LEVELS = {
    "connector-balance": ("balance", ("connectors",)),
    "task-balance": ("balance", ("tasks",)),
    "moves": ("moves", KINDS),
    "connector-spread": ("topic-spread", ("tasks",)),
}
"""Level -> the level of partitions that it is, and the kinds of which it adds this up."""
LEAST = "moves"
"""The question for a kind that the question is not about: no connector or task moves."""
MOST = 10**6
"""The most tasks of a cluster."""
WORK = {"connectors?": [str], "tasks?": [PARTITION]}
MEMORY = {
    "generation?": int, "members?": [str], "assignment?": WORK, "revocation?": WORK, "candidates?": [str],
    "scheduled_rebalance_ms?": int, "delay_ms?": int, "revoked?": bool, "revoking_rounds?": int, "may_revoke?": bool,
}  # fmt: skip
CLUSTER = {
    "connectors": [{"name": str, "tasks?": int}], "workers": [{"id": str, **WORK}], "config?": {"scheduled.rebalance.max.delay.ms?": int},
    "time_ms?": int, "generation?": int, "last_completed_generation?": int, "memory?": MEMORY, "family?": str, "name?": NAME,
    "listed?": {None: dict},
}  # fmt: skip
CERTIFICATE = {"proved": bool, "connectors": dict, "tasks": dict, OPEN: None}
ANSWER = {
    "question": str, "levels": [LEVEL], "assignment": {str: {**WORK, OPEN: None}}, "certificate": CERTIFICATE, OPEN: None,
}  # fmt: skip


def list_levels(of: str) -> list[str]:
    """Return the levels of workers that are of a level of partitions."""
    return [name for name, (each, _) in LEVELS.items() if each == of]


def list_words() -> dict[str, str]:
    """Return the words of questions and their levels of partitions.

    A word is the level of workers if it alone has its level of partitions, and else the name of that level.
    """
    every = dict.fromkeys(of for of, _ in LEVELS.values())
    return {own[0] if len(own := list_levels(of)) == 1 else of: of for of in every}


def read_question(text: str, known: Sequence[str] | None = None) -> str:
    """Read a question, in which both balances together may stand for balance; of the known ones, or in any order."""
    asked, asks = ",".join(word.strip() for word in text.split(",")), list_words()
    for word, of in asks.items():
        asked = asked.replace(",".join(list_levels(of)), word)
    each = asked.split(",")
    right = asks.keys() >= {*each} and len({*each}) == len(each) if known is None else asked in known
    asked_for = f"{', '.join(asks)}, each once" if known is None else " or ".join(known)
    require(right, f"question: {text[:60]!r} is not asked of workers. Ask {asked_for}")
    return asked


def find_part_question(asked: str, kind: str) -> str:
    """Return what a question asks of a kind, in levels of partitions; or LEAST if that is nothing."""
    every = [list_words()[word] for word in asked.split(",")]
    own = [of for of in every if any(kind in LEVELS[name][1] for name in list_levels(of))]
    return ",".join(own or [LEAST])


def build_groups(cluster: Json) -> dict[str, Json]:
    """Return a cluster's connectors and tasks as groups; raises WrongInputError naming the field."""
    require_form(cluster, CLUSTER, "cluster")
    sizes = {each["name"]: each.get("tasks", 0) for each in cluster["connectors"]}
    require(len(sizes) == len(cluster["connectors"]), "cluster.connectors: one is listed twice. Rename it")
    require(
        min(sizes.values(), default=0) >= 0, "cluster.connectors: tasks: has no valid value. Give 0 or more"
    )
    require(
        sum(sizes.values()) <= MOST, f"cluster.connectors: has no valid value. Give {MOST:,} tasks at most"
    )
    ids = [worker["id"] for worker in cluster["workers"]]
    require(len({*ids}) == len(ids), "cluster.workers: two have one id. Rename one")
    number = {name: n for n, name in enumerate(sizes)}
    connectors = [{"name": "connectors", "partitions": len(sizes)}] if sizes else []
    tasks = [{"name": name, "partitions": count} for name, count in sizes.items()]
    groups = {}
    for kind, topics in zip(KINDS, (connectors, tasks), strict=True):
        runs = {
            worker["id"]: [
                ["connectors", number[each]] if kind == "connectors" else list(each)
                for each in worker.get(kind, ())
                if (each in number if kind == "connectors" else 0 <= each[1] < sizes.get(each[0], 0))
            ]
            for worker in cluster["workers"]
        }
        times = Counter(tuple(each) for own in runs.values() for each in own)
        names = [topic["name"] for topic in topics]
        members = []
        for worker, own in runs.items():
            alone = [each for each in own if times[tuple(each)] == 1]
            members.append({"id": worker, "topics": names, "owned": alone, "generation": 1})
        groups[kind] = {"topics": topics, "members": members}
    return groups


def convert_to_partitions(cluster: Json, assignment: Json, kind: str) -> dict[str, list[Json]]:
    """Return an assignment of a kind as partitions; a connector that is not configured has the number -1."""
    if kind == "tasks":
        return {name: own.get("tasks", []) for name, own in assignment.items()}
    number = {each["name"]: n for n, each in enumerate(cluster["connectors"])}
    return {
        name: [["connectors", number.get(each, -1)] for each in own.get("connectors", ())]
        for name, own in assignment.items()
    }


def sort_items(assignment: Json) -> dict[str, dict[str, list[Json]]]:
    """Return an assignment of workers, each worker's items in ascending order."""
    return {name: {kind: sorted(own.get(kind, ())) for kind in KINDS} for name, own in assignment.items()}


def verify(cluster: Json, answer: Json) -> str:
    """Return a sentence on what an answer proves; raises WrongInputError or NotProvedError with the reason."""
    groups = build_groups(cluster)
    require_form(answer, ANSWER, "")
    asked = read_question(answer["question"])
    parts, told, levels = {kind: answer["certificate"][kind] for kind in KINDS}, [], {}
    for kind, group in groups.items():
        require_form(parts[kind], partitions.ANSWER, f"certificate.{kind}")
        compare(f"certificate.{kind}.question", parts[kind]["question"], find_part_question(asked, kind))
        try:
            sentence = partitions.verify(group, parts[kind])
        except (WrongInputError, NotProvedError) as wrong:
            raise type(wrong)(f"certificate.{kind}: {wrong}") from None
        levels[kind] = {each["level"]: each for each in parts[kind]["levels"]}
        told.append(f"{kind}: {sentence.removeprefix('proved: ')}")
    names = [each["name"] for each in cluster["connectors"]]
    both = [parts[kind]["assignment"] for kind in KINDS]
    whole = {
        name: {
            "connectors": sorted(names[n] for _, n in both[0][name]),
            "tasks": sorted(map(list, both[1][name])),
        }
        for name in (worker["id"] for worker in cluster["workers"])
    }
    fine = sort_items(answer["assignment"]) == whole
    prove(fine, "assignment: is not what the answers for connectors and tasks make up")
    found = []
    for name in (name for word in asked.split(",") for name in list_levels(list_words()[word])):
        of, kinds = LEVELS[name]
        if all(of in levels[kind] for kind in kinds):
            value, least = (sum(levels[kind][of][key] for kind in kinds) for key in ("value", "least"))
            found.append({"level": name, "value": value, "least": least, "proved": value == least})
    compare_rows("levels", answer["levels"], LEVEL, found)
    compare("certificate.proved", answer["certificate"]["proved"], True)
    return f"proved: {'; '.join(told)}"
