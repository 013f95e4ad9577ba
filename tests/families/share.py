"""What the share family brings to the tests."""

from families.consumer_mutants import MUTANTS as MUTANTS_OF_CLIENTS
from families.consumer_situations import EXAMPLES, PLAIN
from families.tables import Honest, Mutant, Tables, one_for_each
from mutants import sharing
from mutants.honest import COMMON
from mutants.several_runs import serves_in_order_of_arrival

from kassay.model import Group, Member, Topic, TopicPartition
from kassay.properties.partitions.smallest import size
from kassay.properties.share import INVARIANTS, LAWS, SITUATIONS

WITHHELD = Group((Topic("t", 2, unassignable=(1,)),), (Member("a", ("t",), (TopicPartition("t", 1),)),))
_OWN = frozenset({"distinct", "busy", "evenly_shared", "stable_in_any_order"})

TABLES = Tables(
    mutants={
        **one_for_each({*INVARIANTS, *LAWS} - _OWN, MUTANTS_OF_CLIENTS),
        "serves_in_order_of_arrival": Mutant(serves_in_order_of_arrival, frozenset({"stable_in_any_order"})),
        "lists_copies_for_one_member": Mutant(sharing.lists_copies_for_one_member, frozenset({"distinct"})),
        "leaves_the_idle_out": Mutant(sharing.leaves_the_idle_out, frozenset({"busy", "evenly_shared"})),
        "gives_everybody_everything": Mutant(
            sharing.gives_everybody_everything, frozenset({"evenly_shared"})
        ),
    },
    honest={
        "in_turn": Honest(
            sharing.in_turn,
            COMMON | {"distinct", "busy", "evenly_shared", "stable", "settling", "stable_in_any_order"},
        )
    },
    situations={
        **{name: EXAMPLES[name] for name in SITUATIONS if name in EXAMPLES},
        "withheld_partition": [WITHHELD],
    },
    plain=PLAIN,
    situations_of_plain={"first_generation"},
    minimised={},
    thoroughly=(),
    size=size,
)
