"""A range assignor."""


def assign(reads, counts):
    """Share each topic out to those that read it, in the order of their ids."""
    given = {member: {} for member in reads}
    for topic, count in counts.items():
        readers = sorted(member for member, topics in reads.items() if topic in topics)
        for number in range(count if readers else 0):
            given[readers[number * len(readers) // count]].setdefault(topic, []).append(number)
    return given
