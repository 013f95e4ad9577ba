"""Groups: topics, members, racks and claims from choices and settings."""

from kassay.model import Group, Member, Topic
from kassay.properties.choices import Choices
from kassay.properties.partitions.generating.claims import CLAIMS
from kassay.properties.partitions.generating.events import events
from kassay.properties.partitions.generating.extras import EXTRAS
from kassay.properties.partitions.generating.names import instance_ids, member_ids, rack_names, topic_names
from kassay.properties.partitions.generating.racks import homes, replica_racks
from kassay.properties.partitions.generating.subscriptions import subscriptions
from kassay.properties.partitions.timelines import Timeline
from kassay.properties.settings import Settings


def timeline(choices: Choices, settings: Settings) -> Timeline:
    """Generate a group and what happens to it."""
    start = _plain(choices, settings)
    happening = events(choices, settings, start)
    return Timeline(_with_extras(choices, settings, start), happening)


def group(choices: Choices, settings: Settings) -> Group:
    """Generate a group."""
    return _with_extras(choices, settings, _plain(choices, settings))


def _with_extras(choices: Choices, settings: Settings, group: Group) -> Group:
    """Choose extras last, so that a group without any is the same as if there were none."""
    return EXTRAS[settings.kind(choices, "extras")](choices, group)


def _plain(choices: Choices, settings: Settings) -> Group:
    claims = CLAIMS[settings.kind(choices, "claims")]
    number = settings.number(choices, "members")
    names, order = settings.kind(choices, "names"), settings.kind(choices, "order")
    racks = _racks(choices, settings)
    topics = _topics(choices, settings, number, racks, hostile=names in {"topics", "both"})
    ids = member_ids(choices, number, hostile=names in {"hostile", "both"})
    members = [
        Member(name, reads, instance_id=instance, rack=home)
        for name, reads, instance, home in zip(
            ids,
            subscriptions(choices, settings, [topic.name for topic in topics], number),
            _instances(choices, settings, number),
            homes(choices, settings, racks, number),
            strict=True,
        )
    ]
    if order in {"members", "shuffled"}:
        members = choices.shuffled(members)
    if order in {"topics", "shuffled"}:
        topics = choices.shuffled(topics)
    return claims(choices, Group(tuple(topics), tuple(members)))


def size(group: Group) -> tuple[int, int, int]:
    """Count members, topics and partitions."""
    return len(group.members), len(group.topics), sum(topic.partitions for topic in group.topics)


def _racks(choices: Choices, settings: Settings) -> list[str]:
    kind = settings.kind(choices, "racks")
    if kind == "none":
        return []
    return rack_names(settings.number(choices, "racks"), hostile=kind == "hostile")


def _topics(
    choices: Choices, settings: Settings, members: int, racks: list[str], *, hostile: bool
) -> list[Topic]:
    number = settings.number(choices, "topics")
    per_member = settings.number(choices, "partitions_per_member")
    replicas = settings.number(choices, "replication") if racks else 0
    share, rest = divmod(members * per_member, max(number, 1))
    return [
        Topic(name, count, replica_racks(choices, settings, racks, count, replicas))
        for at, name in enumerate(topic_names(choices, number, hostile=hostile))
        for count in [share + (at < rest) if per_member else settings.number(choices, "partitions")]
    ]


def _instances(choices: Choices, settings: Settings, members: int) -> list[str | None]:
    """Choose which members are static, and their instance ids."""
    kind = settings.kind(choices, "static")
    percent = settings.number(choices, "static_percent") if kind == "percent" else 0
    static: set[int] = set()
    if kind == "all":
        static.update(range(members))
    elif kind == "some":
        static.update(choices.some(range(members)))
    elif percent:
        static.update(choices.shuffled(range(members), members * percent // 100))
    if not static:
        return [None] * members
    named = instance_ids(choices, members, permuted=settings.odd(choices, "permuted instances"))
    return [name if at in static else None for at, name in enumerate(named)]
