"""Questions about consumer groups of the new protocol that are answered exactly: those about groups of the classic one."""

from kassay.oracles import consumer

ORACLES = {question: says for question, says in consumer.ORACLES.items() if question != "redundancy"}
"""Question -> what the oracle answers; `co-partition,` may come before any levels."""
WORST = consumer.WORST
"""What the worst can be asked of -> the question whose last level it is."""
