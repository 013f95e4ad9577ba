"""Give every partition of a topic to its first subscriber."""

from kassay.model import Assignment, Assignor, Group
from kassay.properties.partitions.owners import subscribers


def assign(group: Group) -> Assignment:
    first = {topic: readers[0] for topic, readers in subscribers(group).items() if readers}
    return {m.id: [p for t in group.topics if first.get(t.name) == m.id for p in t] for m in group.members}


FIRST = Assignor("toy/first", assign, frozenset({"complete", "exclusive", "balanced"}), "here")
