"""The playground says what the terminal says, its links hold every state, and its presets show what their names say."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole import share

from kassay.cli import main
from kassay.comparison.advice import advise
from kassay.comparison.group_facts import gather_facts
from kassay.comparison.measured import measure_all, measure_current_assignment
from kassay.comparison.strategies import play_restart
from kassay.errors import InputError
from kassay.families.consumer import CONSUMER
from kassay.model.partitions_json import read_group, write_group
from kassay.playground import bridge
from kassay.playground.assemble import questions, sources
from kassay.playground.folder import HERE, PAGE, list_presets
from kassay.playground.link import ADDRESS, fragment, link, read_state
from kassay.properties.partitions.groups import draw
from kassay.targets.reference import open_reference

ROOT = Path(__file__).parents[2]
PRESETS = {preset["id"]: preset for preset in list_presets()}
STRATEGIES = ("range", "roundrobin", "sticky", "cooperative-sticky")
TARGETS = [open_reference(f"consumer/{name}") for name in STRATEGIES]


def asked(question, **state):
    return json.loads(bridge.QUESTIONS[question](json.dumps(state)))


def answers(name, **more):
    return asked("answer", group=PRESETS[name]["group"], kafka=PRESETS[name].get("kafka", ""), **more)


@settings(max_examples=share(40, 560), deadline=None)
@given(st.integers(0, 10**9))
def test_it_says_what_the_terminal_says(seed):
    group = draw({}, {"shape": {"anything": 1}}, seed).start
    found = asked("answer", group=write_group(group))
    (row,) = measure_all(TARGETS, CONSUMER, [group])
    facts = gather_facts(
        CONSUMER,
        group,
        row,
        measure_current_assignment(CONSUMER, group),
        TARGETS,
        name=bridge.NAME,
        restarts=bridge.RESTARTED,
    )
    told = advise(replace(facts, dominated={}))  # whether spread by topic would cost nothing takes a solver
    assert "".join(found["headline"]) == told.headline.removeprefix(f"{bridge.NAME}: ")
    assert [found["advice"], found["lines"], found["price"]] == [told.says, [*told.lines], told.price]
    optima = CONSUMER.oracles.optima(group)
    assert bridge.FAMILY.oracles.optima(group).least == optima.least
    for name, one in zip(STRATEGIES, row, strict=True):
        card = found["cards"][name]
        assert bool(card.get("fails")) == (one.failure is not None)
        assert bool(card.get("wrong")) == bool(one.broken)
        if one.gaps:
            assert card["misses"] == [
                gap.said.beside(gap.value, gap.optimum) for gap in one.gaps if gap.over > 0
            ]


@pytest.mark.parametrize("name", ["joins", "again", "museum"])
def test_its_headline_is_that_of_the_command(name, tmp_path, capsys):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(PRESETS[name]["group"]))
    main(["compare", "--group", str(file), "--json"])
    (says,) = (
        one["says"]
        for one in map(json.loads, capsys.readouterr().out.splitlines())
        if one["record"] == "advice"
    )
    assert f"mine.json: {''.join(answers(name)['headline'])}" == says


def test_presets_show_what_their_names_say():
    cards = {name: answers(name)["cards"] for name in PRESETS}
    assert [*PRESETS] == ["joins", "range", "kminion", "needless", "forever", "again", "museum"]
    assert (cards["joins"]["now"]["most"], cards["joins"]["now"]["least"]) == (10, 0)
    assert (cards["range"]["range"]["most"], cards["range"]["range"]["least"]) == (36, 24)
    assert (cards["range"]["best"]["most"], cards["range"]["best"]["moves"]) == (32, 24)
    assert cards["needless"]["sticky"]["misses"] == [
        "2 moves, where 1 would do",
        "a spread excess of 1, where 0 would do",
    ]
    assert "again and again" in cards["forever"]["sticky"]["fails"]
    assert any("given to" in wrong for wrong in cards["again"]["sticky"]["wrong"])
    assert cards["museum"]["sticky"]["wrong"]
    assert not any(answers("museum")[name] for name in ("advice", "lines", "price"))
    assert cards["museum"]["cooperative-sticky"] == {"missing": "Kafka 2.2.0 does not have it"}
    (listing,) = (one["listing"] for one in PRESETS.values() if "listing" in one)
    assert listing.split() == (ROOT / "examples/groups/kminion-104.members.txt").read_text().split()


def test_who_answers_late_is_said_and_the_others_are_judged():
    found = answers("joins", late=["sticky"])
    assert found["cards"]["sticky"]["fails"] == bridge.LATE
    assert f"sticky: {bridge.LATE}; the others were asked again" in found["notes"]
    assert found["cards"]["roundrobin"] == answers("joins")["cards"]["roundrobin"]
    without = answers("joins", late=["best"])
    assert "best" not in without["cards"]
    assert not without["reasons"]
    assert not without["cards"]["range"]["misses"]
    heard = []
    bridge.answer(json.dumps({"group": PRESETS["joins"]["group"]}), heard.append)
    assert heard == ["best", *STRATEGIES]


def test_a_rolling_restart_under_the_same_ids_is_that_of_compare():
    group = PRESETS["kminion"]["group"]
    found = asked("roll", group=group, same_ids=True)
    rolling = play_restart(CONSUMER, read_group(group), TARGETS)
    moved = {f"consumer/{name}": found["played"][name]["moves"] for name in STRATEGIES}
    assert moved == rolling.moves == {
        "consumer/range": 48, "consumer/roundrobin": 104, "consumer/sticky": 10, "consumer/cooperative-sticky": 10,
    }  # fmt: skip
    assert found["played"]["best"]["moves"] == rolling.least.value == 10
    assert len(found["happens"]) == len(found["played"]["range"]["frames"]) == 11


def test_members_come_back_under_new_ids_unless_they_are_static():
    group = json.loads(json.dumps(PRESETS["kminion"]["group"]))
    group["members"][1]["instance_id"] = "i1"
    found = asked("roll", group=group)
    for n, member in enumerate(group["members"]):
        back = found["back"][member["id"]]
        assert (back == member["id"]) == (n == 1)
        assert re.fullmatch(r"my-consumer-[0-9a-f-]{36}", back)
        gone, returned = (found["played"]["sticky"]["frames"][2 * n + k]["given"] for k in (1, 2))
        assert member["id"] not in gone
        assert back in returned
    small = asked("roll", group=PRESETS["joins"]["group"])
    assert small["happens"][1:3] == ["app-0 stops", "app-0 is back as app-0~2"]


def test_what_breaks_in_a_restart_is_said():
    found = asked("roll", group=PRESETS["forever"]["group"])["played"]
    assert found["sticky"]["trouble"].startswith("rebalance 1 gets no answer")
    assert found["sticky"]["frames"] == []
    assert not found["best"]["trouble"]


def test_an_answer_takes_effect():
    group = PRESETS["joins"]["group"]
    given_ = answers("joins")["cards"]["best"]["given"]
    following = asked("take_effect", group=group, given=given_)
    assert {one["id"]: one["owned"] for one in following["members"]} == given_
    assert asked("answer", group=following)["cards"]["best"]["moves"] == 0


@pytest.mark.parametrize(("text", "says"), [
    ("neither", "what you pasted: is neither a listing of kafka-consumer-groups nor JSON"),
    ('{"topics": 1, "members": []}', "what you pasted: topics"),
    ('{"family": "share", "topics": [], "members": []}', "what you pasted: family"),
])  # fmt: skip
def test_what_is_pasted_wrong_is_named(text, says):
    assert asked("read", text=text)["error"].startswith(says)


def test_findings_and_listings_can_be_pasted():
    group = PRESETS["joins"]["group"]
    assert (
        asked("read", text=json.dumps({"record": "finding", "group": group}))["group"]["topics"]
        == group["topics"]
    )
    assert any("Is the listing complete?" in note for note in PRESETS["kminion"]["notes"])


@settings(max_examples=share(50, 1000), deadline=None)
@given(
    st.dictionaries(
        st.text(max_size=9), st.lists(st.integers() | st.text(max_size=9), max_size=3), max_size=4
    )
)
def test_a_link_holds_every_state(state):
    assert read_state(f"#{fragment(state)}") == state
    assert re.fullmatch(r"g=[\w-]+", fragment(state))


def test_pages_link_to_the_address_that_is_configured(monkeypatch):
    group = PRESETS["again"]["group"]
    monkeypatch.delenv(ADDRESS, raising=False)
    assert link(group) == ""
    monkeypatch.setenv(ADDRESS, "https://example.org/play/")
    for target, kafka, view in [
        ("", "", "now"), ("python:mine:assign", "", "now"), ("consumer/range", "", "range"),
        ("consumer/sticky@2.2.0", "2.2.0", "sticky"), ("kafka:3.7.0#consumer/cooperative-sticky", "3.7.0", "cooperative-sticky"),
    ]:  # fmt: skip
        address, _, state = link(group, target).partition("#")
        assert address == "https://example.org/play/"
        assert read_state(state) == {"group": group, "kafka": kafka, "view": view}
    assert link({"family": "streams"}) == ""


@pytest.mark.parametrize(
    "wrong", ["example.org", "javascript:alert(1)", "https://a b", "https://a/#b", 'https://a"b']
)
def test_only_the_address_of_a_page_is_linked_to(monkeypatch, wrong):
    monkeypatch.setenv(ADDRESS, wrong)
    with pytest.raises(InputError, match=f"{ADDRESS}: .* is no address of a page. Give one such as https"):
        link(PRESETS["again"]["group"])


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose settings say where its playground lies."""
    monkeypatch.delenv(ADDRESS, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kassay.toml").write_text('playground = "https://example.org/play/"\n')
    (tmp_path / "mine.json").write_text(json.dumps(PRESETS["needless"]["group"]))
    return tmp_path


def led_to(text):
    """Return the states to which a text links."""
    return [read_state(one) for one in re.findall(r"https://example.org/play/#(g=[\w-]+)", text)]


def test_check_and_explain_lead_into_the_playground(project, capsys):
    assert main(["check", "consumer/range", "--promise", "balanced", "--examples", "40", "-o", "out"]) == 1
    (checked,) = led_to(capsys.readouterr().out)
    (file,) = (project / "out").glob("finding-*.json")
    group = read_group(json.loads(file.read_text())["group"])
    assert (checked["view"], read_group(checked["group"])) == ("range", group)
    assert main(["explain", str(file)]) == 1
    assert led_to(capsys.readouterr().out) == [checked]
    assert main(["explain", str(file), "--json"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert led_to(next(one["link"] for one in told if one["record"] == "playground")) == [checked]


def test_the_page_of_a_group_leads_into_the_playground(project, capsys):
    main(["compare", "--group", "mine.json", "--html", "page.html"])
    (found,) = led_to((project / "page.html").read_text())
    assert read_group(found["group"]) == read_group(PRESETS["needless"]["group"])
    assert found["view"] in {"now", *STRATEGIES}
    (project / "kassay.toml").write_text('playground = "example.org"\n')
    assert main(["compare", "--group", "mine.json", "--html", "page.html"]) == 2
    assert (
        "kassay.toml: playground: 'example.org' is no address of a page. Write playground = \"https"
        in capsys.readouterr().err
    )


def test_what_is_no_link_is_refused():
    for wrong in ("g=", "g=abc", "#g=_", "range"):
        with pytest.raises(ValueError, match="the link holds no group"):
            read_state(wrong)


def playground(*arguments, capsys):
    status = main(["playground", "--no-browser", *map(str, arguments)])
    return status, capsys.readouterr()


def test_the_command_writes_the_page_with_the_group_in_its_link(tmp_path, capsys):
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(PRESETS["needless"]["group"]))
    for _ in range(2):
        status, said = playground("--group", file, "--out", tmp_path / "at", "--json", capsys=capsys)
    (record,) = map(json.loads, said.out.splitlines())
    assert (status, record["engine"]) == (0, False)
    assert read_group(read_state(record["link"].partition("#")[2])["group"]) == read_group(
        PRESETS["needless"]["group"]
    )
    written = (tmp_path / "at" / "presets.js").read_text().removeprefix("kassayPresets=")
    first, *rest = json.loads(written)
    assert (first["name"], first["given"]) == ("mine.json", True)
    assert first["answer"] == answers("needless")
    assert [one["answer"] for one in rest] == [answers(name) for name in PRESETS]
    assert all((tmp_path / "at" / name).read_text() == (HERE / "page" / name).read_text() for name in PAGE)
    status, said = playground("--out", tmp_path / "at", capsys=capsys)
    assert "nox -s playground" in said.out


def test_the_command_names_what_is_wrong(tmp_path, capsys):
    (tmp_path / "index.html").write_text("mine")
    status, said = playground("--out", tmp_path, capsys=capsys)
    assert (status, "was not made by kassay" in said.err, "--out" in said.err) == (2, True, True)
    status, said = playground("--group", tmp_path / "none", capsys=capsys)
    assert (status, "cannot be read" in said.err) == (2, True)
    assert (tmp_path / "index.html").read_text() == "mine"


def test_answers_need_nothing_that_a_browser_lacks():
    files = sources(
        [one for one in questions() if PRESETS["range"]["group"]["topics"][0]["name"] not in one[1]][-9:]
    )
    assert {
        "kassay/playground/bridge.py",
        "kassay/oracles/partitions/textbook.py",
        "kassay/engine/known_defects.json",
    } < files.keys()
    assert {path.name for path in (HERE / "page").iterdir()} == set(PAGE)
