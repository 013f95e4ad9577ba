"""Tables of pages that stand in records of docs/results/figures/: rows under the words for them, and in each row figures under the words for these."""

from collections.abc import Mapping

from figures import record

TABLES: Mapping[str, tuple[str, str, str]] = {
    "by_weight": ("by-weight", "members given", "weights, subscriptions"),
    "by_capacity": ("by-weight", "members an outcome", "heuristic"),
    "speed_of_small_groups": ("oracles-speed", "small groups", "3 to 12 members, 5 to 60 partitions"),
    "speed_of_large_groups": ("oracles-speed", "large groups", "partitions x members, CPU seconds"),
    "end_to_end": ("end-to-end", "commands", "command, partitions x members"),
    "speed_of_checks": ("checking-speed", "checks", "command, groups"),
    "speed_of_large_optima": ("large-speed", "commands", "question, partitions or tasks x members"),
    "speed_of_spread": ("topic-spread-speed", "solved and proved", "partitions x members, topics, each member reads: question"),
    "million_groups": ("million-groups", "of all groups", "target"),
    "streams_questions": ("million-applications", "questions", "question"),
    "streams_gaps": ("streams-gaps", "answers", "compared"),
    "speed_of_clients": ("speed-clients", "up to 100,000 partitions", "up to 100,000 partitions"),
    "speed_of_clients_beyond": ("speed-clients", "more partitions", "more"),
    "speed_of_servers": ("speed-servers", "up to 100,000 partitions", "up to 100,000 partitions"),
    "speed_of_streams_groups": ("speed-tasks", "streams-group, up to 100,000 tasks", "up to 100,000 tasks"),
    "speed_of_connect": ("speed-tasks", "connect, up to 100,000 tasks", "up to 100,000 tasks"),
    "coordinator_parity": ("coordinator-parity", "releases", "release"),
    "member_parity": ("member-parity", "releases", "release"),
    "codecs": ("wire-parity", "messages", "message"),
    "speed_of_codecs": ("wire-speed", "messages", "message"),
    "speed_of_optima": ("optimal-speed", "measured", "partitions x members, subscriptions, what the group owns"),
    "speed_of_streams": ("streams-speed", "measured", "assignor/tasks x clients x threads/standbys"),
    "speed_of_weights": ("weights-speed", "heavy tails", "members x partitions, subscriptions"),
    "speed_of_group_frontiers": ("frontier-speed", "groups", "partitions x members, topics, loads"),
    "speed_of_application_frontiers": ("frontier-speed", "applications", "tasks x clients, loads"),
    "speed_over_time": ("over-time-speed", "restarts", "members x partitions x topics, restarted"),
    "speed_of_active": ("active-speed", "tasks x clients", "tasks x clients"),
    "active_beside_kafka": ("active-beside-kafka", "tasks x clients", "tasks x clients"),
    "joint_in_machine_code": ("joint-speed", "in machine code", "levels after the balances"),
    "joint_of_sweeps": ("joint-speed", "applications of a sweep", "question"),
    "joint_one_by_one": ("joint-speed", "one by one", "levels after the balances, or problems"),
    "joint_bundles": ("joint-speed", "bundles", "items x members"),
    "optima_of_applications": ("joint-speed", "an application's optima", "found"),
    "joint_large": ("joint-speed", "large", "items x members, racks: levels after the balances"),
    "reach": ("reach", "found", "planted"),
    "exhaustive": ("exhaustive", "nothing new breaks", "coordinator, group"),
    "speed_of_simulation": ("simulated-speed", "schedules a second", "members x partitions"),
    "million": ("million", "", "family, or assignor of it"),
    "franz_go": ("franz-go", "groups above an optimum", "assignor, in the order"),
    "million_schedules": ("million-schedules", "known to break", "what broke, and the defect that it is of"),
    "playground": ("playground", "times", "since the page was opened, or the edit made"),
}  # fmt: skip
"""A part of a page -> the record, the words for the table in it ("" for all of it), and what its rows are."""


def write_recorded_table(part: str) -> str:
    """Make the table of a part, with the command and the day under it, and how it came here where not by the command alone."""
    name, words, of = TABLES[part]
    kept = record(name)
    rows: Mapping[str, Mapping[str, float | str]] = kept.figures[words] if words else kept.figures
    columns = [*dict.fromkeys(column for figures in rows.values() for column in figures)]
    lines = [
        [of, *columns],
        ["---", *["---:"] * len(columns)],
        *(
            [row, *(_write_cell(figures.get(column, "")) for column in columns)]
            for row, figures in rows.items()
        ),
    ]
    under = f"`{kept.command}`, {kept.on}{': ' * bool(kept.note)}{kept.note}"
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n{under}\n"


def _write_cell(figure: float | str) -> str:
    """Write a figure with separators of thousands, and words as they are.

    >>> _write_cell(10240), _write_cell(0.03), _write_cell("proved")
    ('10,240', '0.03', 'proved')
    """
    return figure if isinstance(figure, str) else f"{figure:,}"
