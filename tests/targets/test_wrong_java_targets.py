"""Wrong Java targets give one sentence that names the target, without Java and without a network."""

import zipfile

import pytest
from targets.test_class_path import CONSUMERS_ASSIGNOR, class_file, jar

from kassay.errors import InputError
from kassay.targets import Options, open_target
from kassay.targets.java import KAFKA_CLASS, SLF4J_CLASS, complete_spec, open_jar


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("kafka:4.4.0", "Write kafka:4.4.0#consumer/range, or another one of kassay list"),
        (
            "kafka:4.4.0#consumer/stick",
            "assignor consumer/stick: Kafka has none of this name. Write kafka:4.4.0#consumer/sticky",
        ),
        ("kafka:#consumer/range", "Give 2.2.0 or newer, such as 4"),
        ("kafka:newest#consumer/range", "Give 2.2.0 or newer"),
        ("kafka:2.1.1#consumer/range", "Give 2.2.0 or newer"),
        ("kafka:0.11.0.0#consumer/range", "Give 2.2.0 or newer"),
        ("kafka:2.5.1#streams/high-availability", "Give 2.6.0 or newer, such as 4"),
        ("kafka:3.7.2#streams/sticky", "Give 3.8.0 or newer, such as 4"),
        ("kafka:4.3.1#streams/unsticky", "Write kafka:4.3.1#streams/sticky"),
        ("maven:a:b:c", "names no class. Write maven:GROUP:ARTIFACT:VERSION#CLASS"),
        ("maven:a:b:c#", "names no class"),
        ("maven:#a.B", "names no class"),
        ("maven:a:b#a.B", "'a:b' is no coordinate. Write GROUP:ARTIFACT:VERSION"),
        ("maven:a:b:c+d#a.B", "'d' is no coordinate"),
        ("jar:a.jar", "a.jar: there is no such file. Name a jar, or a folder of classes"),
        ("jar:a.jar#a.B; rm", "names no class"),
        ("jar:no/such.jar#a.B", "no/such.jar: there is no such file. Name a jar, or a folder of classes"),
    ],
)
def test_one_sentence(spec, said):
    with pytest.raises(InputError, match=said) as wrong:
        open_target(spec, Options())
    assert str(wrong.value).startswith(f"target '{spec}': ")
    assert "\n" not in str(wrong.value)


def test_a_jar_without_a_class_is_told_which_assignors_it_has(tmp_path):
    files = {
        "com/acme/Zone.class": class_file("com/acme/Zone", "com/acme/Base"),
        "com/acme/Base.class": class_file("com/acme/Base", "java/lang/Object", CONSUMERS_ASSIGNOR),
        "com/acme/Other.class": class_file("com/acme/Other", "java/lang/Object", "java/lang/Runnable"),
        "META-INF/versions/9/a/B.class": class_file("a/B", "java/lang/Object", CONSUMERS_ASSIGNOR),
    }
    files["com/acme/Base.class"] = abstract(files["com/acme/Base.class"])
    one = jar(tmp_path / "mine.jar", **files)
    for spec in (f"jar:{one}", str(one)):
        with pytest.raises(InputError) as wrong:
            open_target(spec, Options())
        assert str(wrong.value) == f"{one} has one assignor, com.acme.Zone. Check it:"
        assert wrong.value.copy == (f"kassay check jar:{one}#com.acme.Zone",)
    files["com/acme/Also.class"] = class_file("com/acme/Also", "com/acme/Zone")
    two = jar(tmp_path / "two.jar", **files)
    with pytest.raises(InputError, match=r"has 2 assignors: com.acme.Also, com.acme.Zone. Check one:"):
        open_target(f"jar:{two}", Options())
    none = jar(tmp_path / "none.jar", **{"a/B.class": class_file("a/B", "a/B")})
    with pytest.raises(InputError, match="has no assignor that could be checked"):
        open_target(f"jar:{none}", Options())
    with pytest.raises(InputError) as wrong:
        open_target(f"{one}#com.acme.Zone", Options())
    assert wrong.value.copy == (f"kassay check jar:{one}#com.acme.Zone",)


def abstract(data: bytes) -> bytes:
    """Set the flag of abstract classes, which stands before the names at the end: class, superclass, interface count, interface."""
    return data[:-10] + b"\x04\x01" + data[-8:]


def test_a_corrupt_jar(tmp_path):
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"PK no more")
    with pytest.raises(
        InputError, match=r"a.jar: is no jar \(File is not a zip file\). Build or fetch it again"
    ):
        open_jar("jar:x", f"{jar}#a.B", Options())


def test_jars_that_lack_nothing_are_left_alone(tmp_path):
    kafka, folder = tmp_path / "kafka.jar", tmp_path / "classes"
    with zipfile.ZipFile(kafka, "w") as archive:
        archive.writestr(KAFKA_CLASS, b"")
        archive.writestr(SLF4J_CLASS, b"")
    service = folder / "META-INF" / "services" / "org.slf4j.spi.SLF4JServiceProvider"
    service.parent.mkdir(parents=True)
    service.touch()
    assert complete_spec([folder, kafka]) == [folder, kafka]
