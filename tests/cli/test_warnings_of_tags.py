"""Commands tell where the tags and the racks of clients do not agree, and go on."""

import json

from kassay.cli import main

APPLICATION = {
    "family": "streams",
    "topics": [],
    "tasks": [],
    "clients": [
        {"id": "00000000-0000-0000-0000-000000000001", "threads": 1, "rack": "a", "tags": {"rack": "a"}},
        {"id": "00000000-0000-0000-0000-000000000002", "threads": 1, "rack": "b", "tags": {"rack": "a"}},
    ],
    "config": {"rack.aware.assignment.tags": ["rack"], "rack.aware.assignment.strategy": "min_traffic"},
}


def test_a_tag_that_says_other_than_the_rack_is_warned_of_once_and_no_other(tmp_path, capsys):
    file = tmp_path / "app.json"
    file.write_text(json.dumps(APPLICATION))
    assert main(["assign", "streams/high-availability", str(file)]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)
    assert said.err == (
        f"kassay: {file}: client 00000000-0000-0000-0000-000000000002: client.tag.rack is 'a', but client.rack is 'b'. Set them alike.\n"
    )
    file.write_text(json.dumps(APPLICATION | {"clients": APPLICATION["clients"][:1]}))
    assert main(["assign", "streams/high-availability", str(file)]) == 0
    assert capsys.readouterr().err == ""
