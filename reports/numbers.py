"""Numbers with what they are of."""


def number_of(number: int, thing: str) -> str:
    """Write how many of a thing there are: 1 group, 1,000 groups."""
    return f"{number:,} {thing}{'s' * (number != 1)}"
