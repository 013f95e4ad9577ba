"""The clients in Python do with the printed lines what the data say, at kassay's own coordinator."""

from importlib.metadata import version

import pytest
from client_settings.real_clients import PYTHON, check, record_client

from kassay.comparison.client_settings import detect_clients


@pytest.fixture(scope="module", params=[*PYTHON])
def client(request):
    return request.param, record_client(request.param, PYTHON[request.param])


def test_members_offer_what_the_printed_lines_name_and_are_taken_or_refused(client):
    check(*client)


def test_their_client_ids_show_the_client_and_its_release(client):
    name, found = client
    (client_id,) = found.client_ids
    detected = detect_clients("g", {"m": client_id}, ["m"])
    if name == "confluent-kafka-python":
        assert detected.clients == ("librdkafka",)
    else:
        assert (detected.clients, detected.releases) == ((name,), {name: version(name)})
