"""The record of the fixtures of consumer groups whose coordinator assigns (KIP-848)."""

from kassay.conformance.form import Declared, Form
from kassay.conformance.partitions.consumer import CONSUMER, read_answer, renamed, write_answer
from kassay.conformance.partitions.musts import best, broken, counted, may_keep, values
from kassay.conformance.partitions.server_form import read_group, write_group
from kassay.properties.partitions.rounds import after

_OF_CLIENTS = {"generation", "joined", "double-claim", "late-claim"}
"""Needs and flags that only clients know: a coordinator knows one owner of each partition, and of no joins."""
_CALM = ("again", "left_out", "repeat", "static")

BROKER = Form(
    family="broker",
    needs={
        **{need: has for need, has in CONSUMER.needs.items() if need not in _OF_CLIENTS},
        "unassignable": lambda group: any(topic.unassignable for topic in group.topics),
    },
    flags={flag: has for flag, has in CONSUMER.flags.items() if flag not in _OF_CLIENTS},
    read_group=read_group,
    write_group=write_group,
    read_answer=read_answer,
    write_answer=write_answer,
    owners=may_keep,
    musts=("existing", "subscribed", "exclusive", "complete"),
    broken=broken,
    values=values,
    best=best,
    after=after,
    renamed=renamed,
    exact={"broker/range": ("4.4.0",), "broker/uniform": ("3.9.2", "4.4.0")},
    declared={
        "broker/range": Declared(("per_topic", "apart", *_CALM, "order", "names")),
        "broker/uniform": Declared(("loads", "moves", *_CALM), ("mixed-subscriptions",)),
    },
    proved_of=counted,
    conditional=CONSUMER.conditional,
    relations=CONSUMER.relations,
    proved_aims=CONSUMER.proved_aims,
)
