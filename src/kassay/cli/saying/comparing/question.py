"""The output for a group whose advice depends on subscriptions, which its listing does not print."""

from collections.abc import Iterator
from dataclasses import replace

from kassay.cli.saying.comparing.bars import pictures
from kassay.cli.saying.comparing.group import build_advice_record, render_caveats, render_next
from kassay.comparison.advice import Advice
from kassay.comparison.groups.facts import Facts
from kassay.files.reading import Read
from kassay.kafka_tools.location import Assumed
from kassay.output import Block
from kassay.sentences import counted_of


def render_question(
    facts: Facts, of_all: Advice, of_owned: Advice, read: Read, again: str
) -> Iterator[Block]:
    """Show the current loads, then the question, the advice for each answer, and the command for each answer."""
    owners, count = next(iter(facts.family.shape.sizes.items()))
    members, topics = counted_of(count(facts.group), owners), counted_of(len(facts.group.topics), "topics")
    asked = f"Which topics do the {members} subscribe to? The listing does not print it, and the advice depends on it."
    to_all = f"If every member subscribes to all {topics}: {_summarize(of_all)}"
    to_owned = f"If each member subscribes only to the topics that it owns now: {_summarize(of_owned)}"
    commands = [f"{again} --subscriptions all", f"{again} --subscriptions held"]
    question = Advice(of_all.headline, asked)
    yield Block(says=question.headline)
    yield from pictures(facts, replace(question, shown=None))
    assumed = [one for one in facts.warnings if not (isinstance(one, Assumed) and "subscri" in one)]
    yield from render_caveats(replace(facts, warnings=assumed, rolling=None))
    answers = [
        {
            "subscriptions": name,
            "assignor": one.assignor or None,
            "set": list(one.lines),
            "advice": one.says,
            "command": command,
        }
        for name, one, command in zip(("all", "held"), (of_all, of_owned), commands, strict=True)
    ]
    record = {**build_advice_record(read, question), "questions": answers}
    yield Block(prose=True, text=f"{asked}\n  {to_all}\n  {to_owned}", records=[record])
    yield from render_next(commands)


def _summarize(advice: Advice) -> str:
    """Return the advice in a few words."""
    name = advice.assignor.rpartition("/")[2]
    if advice.lines:
        return f"set {name}."
    return "change nothing."
