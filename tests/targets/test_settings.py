"""What the environment and the user's Maven settings say about the way to a repository."""

import pytest

from kassay.errors import InputError
from kassay.targets.maven.repository import CENTRAL_URL, Settings, is_direct, open_network, read_settings

FULL = """<?xml version="1.0"?>
<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0">
  <mirrors>
    <mirror><id>other</id><mirrorOf>jboss</mirrorOf><url>http://jboss.example/</url></mirror>
    <mirror><id>ours</id><mirrorOf>external:*, !jboss</mirrorOf><url> https://maven.example/all/ </url></mirror>
  </mirrors>
  <servers>
    <server><id>elsewhere</id><username>x</username><password>y</password></server>
    <server><id>ours</id><username>me</username><password>p:w</password></server>
  </servers>
  <proxies>
    <proxy><active>false</active><host>off.example</host><port>1</port></proxy>
    <proxy><host>proxy.example</host><port>3128</port><username>a b</username><password>c@d</password>
      <nonProxyHosts>localhost|*.inside.example</nonProxyHosts></proxy>
  </proxies>
</settings>
"""


def test_all_that_settings_say(write_settings):
    assert read_settings(write_settings(FULL)) == Settings(
        "https://maven.example/all", "me", "p:w", "http://a%20b:c%40d@proxy.example:3128",
        ("localhost", "*.inside.example"),
    )  # fmt: skip


@pytest.mark.parametrize("pattern", ["*", "central", "a,central", "external:*", "-*,!central", "-centrale"])
def test_which_mirrors_stand_for_central(write_settings, pattern):
    text = (
        "<settings><mirrors><mirror><mirrorOf>{}</mirrorOf><url>http://m</url></mirror></mirrors></settings>"
    )
    found = read_settings(write_settings(text.format(pattern.removeprefix("-")))).mirror
    assert (found == "http://m") != pattern.startswith("-")


def test_without_settings_it_is_central(home):
    assert read_settings(home / "none.xml") == Settings()
    assert open_network().url == CENTRAL_URL
    assert not open_network().chosen


def test_a_login_may_be_given_for_central_itself(write_settings):
    write_settings(
        "<settings><servers><server><id>central</id><username>u</username></server></servers></settings>"
    )
    assert (open_network().url, open_network().user, open_network().password) == (CENTRAL_URL, "u", None)


def test_the_environment_goes_before_the_settings(write_settings, monkeypatch):
    write_settings(FULL)
    reached = open_network()
    assert (reached.url, reached.user, reached.chosen) == ("https://maven.example/all", "me", frozenset())
    monkeypatch.setenv("KASSAY_MAVEN_URL", "https://chosen.example/maven/")
    reached = open_network()
    assert (reached.url, reached.user, reached.chosen) == ("https://chosen.example/maven", None, {"url"})
    assert open_network().proxy == "http://a%20b:c%40d@proxy.example:3128"
    monkeypatch.setenv("https_proxy", "http://env.example:8080")
    monkeypatch.setenv("no_proxy", ".near.example, localhost")
    assert (open_network().proxy, open_network().chosen) == ("http://env.example:8080", {"url", "proxy"})
    assert open_network().direct == ("near.example", "*.near.example", "localhost", "*.localhost")


def test_hosts_reached_without_the_proxy():
    assert is_direct("A.inside.example", ("localhost", "*.inside.example"))
    assert not is_direct("inside.example", ("localhost", "*.inside.example"))
    assert not is_direct("a.example", ())


def test_what_cannot_be_read(write_settings, monkeypatch):
    with pytest.raises(InputError, match=r"settings.xml: is no XML .*. Correct the Maven settings"):
        read_settings(write_settings("<settings>"))
    write_settings("<settings/>")
    monkeypatch.setenv("KASSAY_MAVEN_URL", "maven.example")
    with pytest.raises(
        InputError, match=r"^KASSAY_MAVEN_URL: 'maven.example' is no address. Give one such as https://"
    ):
        open_network()
    monkeypatch.delenv("KASSAY_MAVEN_URL")
    write_settings(
        "<settings><mirrors><mirror><mirrorOf>*</mirrorOf><url>scp://x</url></mirror></mirrors></settings>"
    )
    with pytest.raises(InputError, match=r"^~/.m2/settings.xml: 'scp://x' is no address"):
        open_network()
