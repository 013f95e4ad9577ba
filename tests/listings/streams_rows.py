"""Rows of what Kafka's tools print of an application of Kafka Streams."""

import re

ONE, TWO = "11111111-2222-3333-4444-555555555555", "99999999-2222-3333-4444-555555555555"


def row(client: str, held: str, thread: int = 1, host: str = "/h") -> str:
    name = f"{client}-StreamThread-{thread}-consumer"
    count = sum(len(numbers.split(",")) for numbers in re.findall(r"\(([^)]*)\)", held))
    return f"app {name}-7e57{host} {host} {name} {count} {held}\n"


def topics(**counts: int) -> str:
    return "".join(
        f"Topic: {name.replace('_', '-')}\tPartitionCount: {count}\n" for name, count in counts.items()
    )
