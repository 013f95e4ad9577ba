"""A test for pytest that calls an assignor of kafka-python or aiokafka by the library's own types."""

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pprint import pformat

from kassay.engine.finding import Finding
from kassay.exported_tests.evidence import Call
from kassay.exported_tests.java import list_topics
from kassay.exported_tests.layout import (
    Job,
    Syntax,
    fill,
    format_property,
    list_answer_names,
    write_checks,
    write_header,
    write_members,
)
from kassay.exported_tests.rows import ObstacleError, format_item
from kassay.families import family

LIBRARIES = {"kafka": ("kafka-python", "kafka-python.txt"), "aiokafka": ("aiokafka", "aiokafka.txt")}
"""The first name of an assignor's module -> the library, and the template."""

HELPERS = '''def by_topic(owned):
    """Return each topic with its partition numbers, of names such as t0-1."""
    numbers = {}
    for name in dict.fromkeys(owned):
        topic, _, number = name.rpartition("-")
        numbers.setdefault(topic, []).append(int(number))
    return list(numbers.items())


def read(assignment):
    return [f"{partition.topic}-{partition.partition}" for partition in assignment.partitions()]
'''
COUNT = '''

def count(answer, owners, items):
    """Count the items that these owners have, of these items alone; an empty list stands for all."""
    return sum(
        (not owners or owner in owners) and (not items or item in items) for owner, given in answer.items() for item in given
    )
'''
SAME = """

def in_order(answer):
    return {owner: sorted(items) for owner, items in answer.items() if items}
"""
SEEDS = """def test_@NAME@():
    answers = {
        subprocess.run(
            [sys.executable, __file__], check=True, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": str(seed)}
        ).stdout
        for seed in range(8)
    }
    assert len(answers) == 1, @MESSAGE@


if __name__ == "__main__":
    print(@CALL@)
"""
FAILS = """def test_@NAME@():
    failures = []

    def answer():
        try:
            assign(@CALL@)
        except Exception as failure:
            failures.append(failure)

    asked = threading.Thread(target=answer, daemon=True)
    asked.start()
    asked.join(10)
    assert not asked.is_alive() and not failures, f"@MESSAGE@"
"""

SYNTAX = Syntax(
    text=repr,
    texts=lambda items: repr([*items]),
    count=lambda answer, owners, items: f"count({answer}, {owners}, {items})",
    demand=lambda condition, message, answer: (
        f"assert {'not ' if condition.startswith('!') else ''}{condition.removeprefix('!')}, ({message}, {answer})"
    ),
    same=lambda one, other: f"(in_order({one}) == in_order({other}))",
    kept=lambda one, other: f"all(item in {other}[owner] for owner in {one} for item in {one}[owner])",
    rows=lambda rows: repr({owner: [*items] for owner, items in rows.items()}),
    comment="#",
)


def check(finding: Finding, target: str) -> None:
    """Raise ObstacleError for a target that is no class of an installed library, or whose test needs one instance for all groups."""
    kind, _, rest = target.partition(":")
    root = rest.partition(".")[0]
    if kind != "python" or root not in LIBRARIES or find_spec(root) is None:
        raise ObstacleError("the target is no class of kafka-python or aiokafka")
    if root == "kafka" and find_spec("kafka.coordinator.protocol") is not None:
        raise ObstacleError("kafka-python before 3.0 has another interface")
    if finding.before:
        raise ObstacleError("the assignor remembers earlier groups")


def write(job: Job) -> str:
    """Return the test of a target that `check` lets pass."""
    module, _, name = job.target.partition(":")[2].partition(":")
    library, template = LIBRARIES[module.partition(".")[0]]
    names = list_answer_names(job.evidence.calls)
    method = format_property(job.finding)
    message = job.evidence.checks[0].message
    asked = [_write_call(call, names) for call in job.evidence.calls]
    imports = ""
    if job.evidence.checks[0].kind == "answers":
        earlier = "".join(f"    assign(\n{each}    )\n" for each in asked[:-1])
        imports = "import threading\n\n"
        body = FAILS.replace("    failures", f"{earlier}    failures", 1)
        body = body.replace(
            "@CALL@", f"\n{asked[-1]}            ".replace("\n        ", "\n                ")
        )
        body = body.replace('f"@MESSAGE@"', f"({message!r}, failures)")
    elif job.finding.property == "deterministic":
        imports = "import os\nimport subprocess\nimport sys\n\n"
        body = SEEDS.replace("@MESSAGE@", f"({message!r}, answers)")
    else:
        lines = [f"{answer} = assign(\n{each}    )" for answer, each in zip(names, asked, strict=True)]
        body = "def test_@NAME@():\n    " + "\n    ".join([*lines, *write_checks(job, SYNTAX)])
    body = body.replace("@NAME@", method).rstrip()
    helpers = HELPERS + COUNT * ("count(" in body) + SAME * ("in_order(" in body)
    seeds = ""
    if "__main__" in body:
        body, _, _ = body.partition("\n\n\nif __name__")
        seeds = f'\n\nif __name__ == "__main__":\n    print(assign(\n{asked[0]}    ))\n'
    run = [f"To run it: pip install pytest {library}=={version(library)}"]
    header = write_header(job, f"{library} {version(library)}", run, "#")
    parts = {"MODULE": module, "ASSIGNOR": name, "TESTS": body, "HELPERS": helpers.rstrip() + seeds}
    return f"{header}{imports}{fill(template, parts)}".rstrip("\n")


def _write_call(call: Call, names: Sequence[str]) -> str:
    owned = write_members(
        call, names, lambda answer, owner: f"{answer}.get({owner!r}, [])", lambda items: repr([*items])
    )
    racks, topics = list_topics(call.group)
    group = family("consumer").shape.read_group(dict(call.group))
    members = [
        f"({one.id!r}, {[*one.topics]!r}, {owned(one.id, [*map(format_item, one.owned)])}, "
        f"{-1 if one.generation is None else one.generation}, {one.instance_id!r}, {one.user_data!r}),\n"
        for one in group.members
    ]
    known = {name: [*partitions] for name, partitions in topics.items()}
    lines = [
        f"{[*racks]!r},\n",
        f"{pformat(known, width=110, sort_dicts=False)},\n",
        "[\n",
        *(f"    {one}" for one in members),
        "],\n",
    ]
    return "".join(f"        {line}" for line in "".join(lines).splitlines(keepends=True))
