"""Users' own task assignors from a folder of classes are judged, and refused in words; those of Kafka's releases answer as the references."""

from dataclasses import replace
from itertools import islice

import pytest
from classes.groups.random_applications import applications
from classes.live.broken.broken_classes import STREAMS, folder, opened, spec

from kassay.cli import main
from kassay.engine.differential import normalize_answer
from kassay.errors import InputError, SkippedError
from kassay.families import family
from kassay.model import AssignorError, TopicPartition
from kassay.model.partitions import Topic
from kassay.model.tasks import Application, Client, Given, Settings, Task, TaskId
from kassay.model.tasks_json import write_group
from kassay.reference.releases import has_release
from kassay.targets import Options, open_target
from kassay.targets.java import open_jar
from kassay.targets.java.releases import KAFKA, find_newest
from kassay.targets.maven.repository import fetch

pytestmark = pytest.mark.usefixtures("java")

VERSIONS = [
    version
    for version in KAFKA["streams/high-availability"].versions()
    if has_release("streams/high-availability", version)
]
"""The releases that a reference is known for; 2.6 to 3.2 are judged only by properties."""
NAMES = [name for name, own in KAFKA.items() if own.artifact == "kafka-streams"]
ONE, TWO, THREE = (f"00000000-0000-0000-0000-00000000000{n}" for n in (1, 2, 3))
T0, T1, T2 = (TaskId(0, n) for n in range(3))
LAGS = {T0: 0, T1: 5, T2: 0}
APPLICATION = Application(
    tuple(Task(task, stateful=True, changelogs=(TopicPartition("c", task.partition),)) for task in LAGS),
    (Client(ONE, 1, lags=LAGS), Client(TWO, 1, lags=LAGS)),
    topics=(Topic("c", 3),),
)
DEALT = {ONE: Given((T0, T2), ()), TWO: Given((T1,), ())}


@pytest.mark.usefixtures("one_hash")
@pytest.mark.parametrize("strategy", ["none", "min_traffic", "balance_subtopology"])
@pytest.mark.parametrize("version", VERSIONS)
def test_every_release_known_answers_as_its_reference(version, strategy):
    drawn, forms = list(islice(applications(1, strategy), 200)), family("streams")
    for name in NAMES:
        if not has_release(name, version):
            with pytest.raises(InputError, match=r"give a release from 3\.8\.0 on"):
                open_target(f"kafka:{version}#{name}", Options())
            continue
        reference = open_target(f"{name}@{version}", Options())
        with open_target(f"kafka:{version}#{name}", Options(timeout_s=20.0)) as target:
            pairs = zip(target.answers(drawn), reference.answers(drawn), strict=True)
            for application, (answer, wanted) in zip(drawn, pairs, strict=True):
                if not isinstance(answer, SkippedError):
                    assert normalize_answer(answer, forms) == normalize_answer(wanted, forms), write_group(
                        application
                    )


def test_a_release_that_needs_more_than_kafka_is_resolved():
    drawn = list(islice(applications(1, "min_traffic"), 20))
    with open_target("kafka:3.8.0#streams/high-availability", Options(timeout_s=20.0)) as target:
        reference = open_target("streams/high-availability@3.8.0", Options())
        assert target.answers(drawn) == reference.answers(drawn)


@pytest.mark.parametrize("version", ["2.6.0", "3.1.2", "3.2.0"])
def test_releases_without_a_reference_answer_and_some_read_no_tags(version):
    tagged = tuple(
        replace(client, lags={T0: 0}, tags=(("zone", zone),))
        for client, zone in zip((*APPLICATION.clients, Client(THREE, 1)), "aab", strict=True)
    )
    settings = Settings(num_standby_replicas=1, rack_aware_assignment_tags=("zone",))
    application = Application(APPLICATION.tasks[:1], tagged, settings, APPLICATION.topics)
    with open_target(f"kafka:{version}#streams/high-availability", Options()) as target:
        given = target.assign(application).clients
    assert given[ONE].active == (T0,)
    assert given[TWO if version < "3.2" else THREE].standby == (T0,)


def test_what_a_release_refuses_is_declined():
    with open_target("kafka:3.6.2#streams/high-availability", Options()) as target:
        spread = Settings(rack_aware_assignment_strategy="balance_subtopology")
        with pytest.raises(
            SkippedError, match=r"Invalid value balance_subtopology .* one of: none, min_traffic"
        ):
            target.assign(Application(APPLICATION.tasks, APPLICATION.clients, spread, APPLICATION.topics))


@pytest.mark.parametrize(
    ("name", "given", "probing"),
    [
        ("Well", DEALT, False),
        ("FollowsUp", DEALT, True),
        ("LosesTask", DEALT | {ONE: Given((T2,), ())}, False),
        ("TwiceAClient", DEALT | {ONE: Given((), ())}, False),
    ],
)
def test_what_a_class_gives_comes_as_it_is(name, given, probing):
    with opened(name, source=STREAMS) as target:
        answer = target.assign(APPLICATION)
    assert (answer.clients, answer.probing) == (given, probing)


def test_an_internal_class_may_do_what_the_public_interface_does_not_allow():
    with opened("BesideActive", source=STREAMS) as target:
        answer = target.assign(
            Application(APPLICATION.tasks, APPLICATION.clients[:1], topics=APPLICATION.topics)
        )
    assert answer.clients == {ONE: Given((T0, T1, T2), (T0, T1, T2))}
    assert answer.probing


@pytest.mark.parametrize(
    ("name", "broken"), [("LosesTask", "complete"), ("BesideActive", "one_copy_per_client")]
)
def test_one_command_gates_them(name, broken, capsys):
    assert main(["check", f"jar:{spec(name, STREAMS)}", "--property", broken, "--examples", "50"]) == 1
    assert broken in capsys.readouterr().out
    assert main(["check", f"jar:{spec('Well', STREAMS)}", "--property", broken, "--examples", "50"]) == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Throws", r"^IllegalStateException: no tasks today \[at BrokenStreams\$Throws.changed\("),
        ("ReturnsNull", r"^it answered what is no assignment: null$"),
        ("GivesNull", r"^it answered what is no assignment: null for the tasks of a client$"),
    ],
)
def test_what_goes_wrong_is_said(name, said):
    with opened(name, source=STREAMS) as target, pytest.raises(AssignorError, match=said):
        target.assign(APPLICATION)


def test_a_class_is_shown_the_whole_application():
    told = Application(
        (Task(T0, True, (TopicPartition("in", 0), TopicPartition("both", 0)), (TopicPartition("both", 0),)),),
        (Client(ONE, 3, (), (T0,), {T0: 7}, (("zone", "z1"),), "a", {"thread-1": {T0: 12}}),),
        Settings(num_standby_replicas=1, rack_aware_assignment_traffic_cost=4),
        (Topic("in", 1, (("b", "a"),)), Topic("both", 1)),
    )
    with opened("Tells", source=STREAMS) as target, pytest.raises(AssignorError) as thrown:
        target.assign(told)
    assert str(thrown.value).startswith(
        "UnsupportedOperationException: 0_0 stateful both-0 source changelog in Optional.empty in-0 source in Optional[[a, b]]; "
        "3 threads {zone=z1}Optional[a][][0_0]{0_0=7}[thread-1]; 1OptionalInt[4]none; kassay 1 z1 [at "
    )


def test_an_instance_is_kept_where_that_is_asked():
    with opened("TiresOut", source=STREAMS) as target:
        asked = target.alternate_instances()
        assert [len(asked(APPLICATION).clients) for _ in range(3)] == [2, 2, 0]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Everything", "is abstract"),
        ("Hidden", "is not public, so no application could use it"),
        ("WantsMore", "has no public constructor without parameters, so no application"),
        ("CannotBeMade", "cannot be made: IllegalArgumentException: not today"),
        ("WantsAnotherSetting", "cannot be made: IllegalArgumentException: my.own is not set"),
        ("Missing", r"the jars hold no class broken.BrokenStreams\$Missing"),
    ],
)
def test_what_is_no_task_assignor_is_refused(name, said):
    with pytest.raises(InputError, match=said):
        opened(name, source=STREAMS)


def test_a_class_made_for_a_newer_kafka_names_what_it_lacks():
    clients, streams = (fetch(one) for one in KAFKA["streams/high-availability"].needs("3.7.2"))
    with pytest.raises(
        InputError, match=r"needs org.apache.kafka.streams.processor.assignment.TaskAssignor, which"
    ):
        open_jar("jar:x", f"{folder(STREAMS)}:{clients}:{streams}#broken.BrokenStreams$Well", Options())


def test_kafkas_own_class_from_its_jar_alone():
    jar = fetch(find_newest("kafka-streams"))
    spec = f"{jar}#{KAFKA['streams/high-availability'].class_name('4.3.1')}"
    with open_jar("jar:x", spec, Options()) as target:
        assert target.assign(APPLICATION) == open_target("streams/high-availability", Options()).assign(
            APPLICATION
        )
