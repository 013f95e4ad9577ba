"""Assignors by Maven coordinate, resolved by Maven's resolver: from a repository on loopback into a home of their own."""

import hashlib
import io
import zipfile

import pytest
from classes.live.broken.broken_classes import folder
from targets.loopback_repository import serving

from kassay.defaults import cache_folder
from kassay.errors import InputError, TargetGoneError
from kassay.model import Group, Member, Topic
from kassay.targets import Options
from kassay.targets.java import SLF4J_API, find_newest_kafka, open_kafka, open_maven
from kassay.targets.maven.java_programs import RESOLVER, SOURCE, compile_sources
from kassay.targets.maven.repository import fetch

pytestmark = pytest.mark.usefixtures("java")

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>{group}</groupId><artifactId>{artifact}</artifactId>
<version>{version}</version><dependencies>{needs}</dependencies></project>"""
NEEDS = "<dependency><groupId>org.example</groupId><artifactId>{}</artifactId><version>1.0</version><scope>{}</scope></dependency>"
GROUP = Group((Topic("t", 2),), (Member("a", ("t",)),))
WELL = "org.example:assignors:1.0#broken.Broken$Well"


def jar(members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()


def published(artifact, pom, content, group="org/example", version="1.0"):
    place = f"/{group}/{artifact}/{version}/{artifact}-{version}"
    files = {f"{place}.pom": pom.encode(), f"{place}.jar": content}
    sums = {f"{path}.sha1": hashlib.sha1(data).hexdigest().encode() for path, data in files.items()}
    return files | sums


@pytest.fixture(scope="module")
def files():
    """Half of the classes stand in an artifact that the other needs at run time, and another is needed by tests only."""
    classes = sorted(folder().rglob("*.class"))
    halves = [
        {
            str(path.relative_to(folder())): path.read_bytes()
            for path in classes
            if ("Everything" in path.name) == base
        }
        for base in (False, True)
    ]
    needs = NEEDS.format("base", "runtime") + NEEDS.format("never", "test")
    return published(
        "assignors",
        POM.format(group="org.example", artifact="assignors", version="1.0", needs=needs),
        jar(halves[0]),
    ) | published(
        "base", POM.format(group="org.example", artifact="base", version="1.0", needs=""), jar(halves[1])
    )


@pytest.fixture
def repository(files, tmp_path, monkeypatch):
    for tool in [compile_sources([SOURCE], RESOLVER), fetch(find_newest_kafka()), fetch(SLF4J_API)]:
        assert tool.exists()  # fetched before the address changes
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KASSAY_CACHE", str(cache_folder()))
    monkeypatch.setenv("HOME", str(tmp_path))
    with serving(files) as server:
        monkeypatch.setenv("KASSAY_MAVEN_URL", server.url)
        yield server


def opened(rest=WELL):
    return open_maven(f"maven:{rest}", rest, Options())


def test_an_artifact_comes_with_what_it_needs_and_works_offline_then(repository, monkeypatch, tmp_path):
    for _ in range(2):
        with opened() as target:
            assert [len(given) for given in target.assign(GROUP).values()] == [2]
        monkeypatch.setenv("KASSAY_MAVEN_URL", "http://127.0.0.1:1")
    assert len(list((tmp_path / ".m2" / "repository" / "org" / "example").rglob("*.jar"))) == 2
    assert not any("/never/" in path for path, _ in repository.asked)


def test_several_artifacts_may_be_named(repository):
    del repository.files["/org/example/assignors/1.0/assignors-1.0.pom"]
    del repository.files["/org/example/assignors/1.0/assignors-1.0.pom.sha1"]
    with pytest.raises(InputError, match=r"needs broken.Broken\$Everything, which the jars do not hold"):
        opened()
    with opened("org.example:assignors:1.0+org.example:base:1.0#broken.Broken$Well") as target:
        assert target.assign(GROUP)


def test_a_changed_jar_is_refused(repository):
    repository.files["/org/example/base/1.0/base-1.0.jar"] += b"more"
    with pytest.raises(InputError, match=r"^target 'maven:org.example.*base.*[Cc]hecksum"):
        opened()


@pytest.mark.usefixtures("repository")
def test_what_is_not_there():
    with pytest.raises(
        InputError, match=r"Could not find artifact org.example:assignors:jar:2.0 in central \(http"
    ):
        opened("org.example:assignors:2.0#broken.Broken$Well")
    with pytest.raises(InputError, match=r"the jars hold no class broken.Broken\$Good"):
        opened("org.example:assignors:1.0#broken.Broken$Good")


@pytest.mark.usefixtures("repository")
def test_a_repository_out_of_reach(monkeypatch):
    monkeypatch.setenv("KASSAY_MAVEN_URL", "http://127.0.0.1:1")
    with pytest.raises(TargetGoneError, match=r"org.example:assignors:.*127.0.0.1:1.*Connection refused"):
        opened()


def test_the_proxy_of_the_environment(repository, monkeypatch):
    repository.files |= {f"http://far.example{path}": content for path, content in repository.files.items()}
    monkeypatch.setenv("KASSAY_MAVEN_URL", "http://far.example")
    monkeypatch.setenv("KASSAY_ALLOW_HTTP", "1")
    monkeypatch.setenv("http_proxy", repository.url)
    with opened() as target:
        assert target.assign(GROUP)


def test_a_pom_leads_to_no_repository_without_encryption(repository, monkeypatch):
    place = "/org/example/assignors/1.0/assignors-1.0.pom"
    elsewhere = (
        "<repositories><repository><id>far</id><url>http://far.example</url></repository></repositories>"
    )
    pom = repository.files[place].replace(b"<dependencies>", f"{elsewhere}<dependencies>".encode())
    repository.files |= {place: pom, f"{place}.sha1": hashlib.sha1(pom).hexdigest().encode()}
    base = [path for path in repository.files if path.startswith("/org/example/base/")]
    repository.files |= {f"http://far.example{path}": repository.files.pop(path) for path in base}
    monkeypatch.setenv("http_proxy", repository.url)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with pytest.raises((InputError, TargetGoneError), match=r"far.*[Bb]locked|base"):
        opened()
    assert not any(path.startswith("http://far.example") for path, _ in repository.asked)
    monkeypatch.setenv("KASSAY_ALLOW_HTTP", "1")
    with opened() as target:
        assert target.assign(GROUP)


def test_mirror_and_local_repository_of_the_settings(repository, monkeypatch, tmp_path):
    monkeypatch.delenv("KASSAY_MAVEN_URL")
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(
        f"<settings><mirrors><mirror><id>m</id><mirrorOf>*</mirrorOf><url>{repository.url}</url></mirror></mirrors>"
        f"<localRepository>{tmp_path / 'local'}</localRepository></settings>"
    )
    with opened() as target:
        assert target.assign(GROUP)
    assert len(list((tmp_path / "local" / "org" / "example").rglob("*.jar"))) == 2


def test_a_release_that_is_not_pinned_comes_by_the_resolver(repository):
    pom = POM.format(group="org.apache.kafka", artifact="kafka-clients", version="9.0.1", needs="")
    jar_ = fetch(find_newest_kafka()).read_bytes()
    repository.files |= published("kafka-clients", pom, jar_, "org/apache/kafka", "9.0.1")
    with open_kafka("kafka:new", "9.0.1#consumer/range", Options()) as target:
        assert [len(given) for given in target.assign(GROUP).values()] == [2]
    with pytest.raises(
        InputError, match=r"^target 'kafka:no': Could not find .*:9.0.2 .*; releases known are 2.2.0 to 4"
    ):
        open_kafka("kafka:no", "9.0.2#consumer/range", Options())
