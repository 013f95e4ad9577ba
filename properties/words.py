"""Words that sentences about answers share: lists and numbers of things."""

from collections.abc import Iterable, Iterator, Sequence


def listed(items: Iterable[object] | None, between: str = ", ") -> str:
    """Write items one after the other; "nothing" where there are none, "no answer" for None."""
    return "no answer" if items is None else between.join(map(str, items)) or "nothing"


def counted(number: int, noun: str) -> str:
    """Write how many there are, as "1 partition" or "2 partitions"."""
    return f"{number} {noun}" + ("s" if number != 1 else "")


def ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Yield ascending numbers as text, neighbours drawn together: "0-2", "5"."""
    start = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            yield str(numbers[start]) if end - start == 1 else f"{numbers[start]}-{numbers[end - 1]}"
            start = end
