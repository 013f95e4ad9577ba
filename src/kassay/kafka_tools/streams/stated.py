"""A subtopology as the user states it: ``orders,users:counts`` reads two topics and has a store; ``:`` alone: no store."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kassay.errors import InputError
from kassay.kafka_tools.place import repeated
from kassay.suggesting import meant


@dataclass(frozen=True, slots=True)
class Stated:
    """The names of its source topics and its changelogs; None where the statement leaves these open."""

    text: str
    sources: tuple[str, ...]
    changelogs: tuple[str, ...] | None

    def wrong(self, what: str, fix: str) -> InputError:
        """Return the error that says what is wrong with the statement."""
        return InputError(f"--subtopology {self.text!r}: {what}; {fix}")


def read_statement(text: str) -> Stated:
    """Read ``TOPIC,TOPIC:STORE,STORE``; raises InputError where it is anything else."""
    sources, colon, stores = text.partition(":")
    one = Stated(text, _names(sources), _names(stores) if colon else None)
    if not one.sources or "" in (*one.sources, *(one.changelogs or ())) or ":" in stores:
        raise one.wrong(
            "is not TOPIC,TOPIC:STORE,STORE",
            "write such as 'orders,users:counts', or 'orders:' without a store",
        )
    return one


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",")) if text.strip() else ()


def resolved(statements: Sequence[str], application: str, topics: Collection[str]) -> list[Stated]:
    """Read statements and give internal topics their whole names: store ``counts`` is ``<application.id>-counts-changelog``.

    Raises InputError where a topic is not there, or is stated twice.
    """
    found = [_resolved(read_statement(text), application, topics) for text in statements]
    for names in (
        [name for one in found for name in one.sources],
        [name for one in found for name in one.changelogs or ()],
    ):
        if twice := repeated(names):
            one = [one for one in found if twice in (*one.sources, *(one.changelogs or ()))][-1]
            raise one.wrong(f"topic {twice!r} is stated before", "name each topic in one subtopology, once")
    return found


def _resolved(one: Stated, application: str, topics: Collection[str]) -> Stated:
    def of(names: tuple[str, ...], ending: str) -> tuple[str, ...]:
        return tuple(_whole(one, name, application, ending, topics) for name in names)

    changelogs = None if one.changelogs is None else of(one.changelogs, "changelog")
    return Stated(one.text, of(one.sources, "repartition"), changelogs)


def _whole(one: Stated, name: str, application: str, ending: str, topics: Collection[str]) -> str:
    internal = f"{application}-{name}-{ending}"
    for known in (name, internal, f"{application}-{name}"):
        if known in topics:
            return known
    raise one.wrong(
        f"the listings have no topic {name!r} and no {internal!r}",
        f"name a topic or a store of the application, and give the output of kafka-topics --describe too{meant(name, topics)}",
    )
