"""Groups and answers written in short: a member reads topics of one letter, and a partition is a-0."""

from kassay.model import Assignment, Group, Member, Topic, TopicPartition


def parts(words: str) -> tuple[TopicPartition, ...]:
    return tuple(TopicPartition(word[:-2], int(word[-1])) for word in words.split())


def member(
    name: str, topics: str, owned: str = "", generation: int | None = 1, rack: str | None = None
) -> Member:
    return Member(name, tuple(topics), parts(owned), generation, None, rack)


def topics(**sizes: int) -> tuple[Topic, ...]:
    return tuple(Topic(name, size) for name, size in sizes.items())


def shown(assignment: Assignment) -> dict[str, str]:
    return {name: " ".join(map(str, own)) for name, own in assignment.items()}


def showing(assign):
    """Return what shows the answer of an assignor to topics and members."""
    return lambda topics, *members: shown(assign(Group(topics, members)))
