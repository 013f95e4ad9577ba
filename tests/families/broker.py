"""What the broker family brings to the tests: the consumer family's mutants of its properties, and some for its own."""

from families.consumer_mutants import HONEST as OF_CLIENTS
from families.consumer_mutants import MUTANTS as MUTANTS_OF_CLIENTS
from families.consumer_situations import EXAMPLES, PLAIN
from families.tables import Honest, Mutant, Tables, one_for_each
from mutants import one_outcome, several_runs

from kassay.properties.broker import INVARIANTS, LAWS, SITUATIONS
from kassay.properties.partitions.smallest import size

_OWN = frozenset({"stable_in_any_order", "replaced_minimal", "joiner_minimal", "reconciles"})
PROPERTIES = {*INVARIANTS, *LAWS}

TABLES = Tables(
    mutants={
        **one_for_each(PROPERTIES - _OWN, MUTANTS_OF_CLIENTS),
        "serves_in_order_of_arrival": Mutant(
            several_runs.serves_in_order_of_arrival, frozenset({"stable_in_any_order"})
        ),
        "starts_over": Mutant(
            several_runs.starts_over,
            frozenset({"replaced_minimal", "leaver_minimal", "moves_optimal", "moves_bounded"}),
        ),
        "fills_the_least_loaded": Mutant(one_outcome.fills_the_least_loaded, frozenset({"joiner_minimal"})),
        "believes_everybody": Mutant(one_outcome.believes_everybody, frozenset({"reconciles", "exclusive"})),
    },
    honest={
        "sticky": Honest(OF_CLIENTS["sticky"].assign, OF_CLIENTS["sticky"].keeps & PROPERTIES | _OWN),
        "by_topic": Honest(OF_CLIENTS["by_topic"].assign, OF_CLIENTS["by_topic"].keeps & PROPERTIES),
    },
    situations={name: EXAMPLES[name] for name in SITUATIONS if name in EXAMPLES},
    plain=PLAIN,
    situations_of_plain={"first_generation"},
    minimised={},
    thoroughly=(),
    size=size,
    not_generated={"double_claim", "overruled_claim"},  # a target assignment has one owner of each partition
)
