"""What an assignor of Connect remembers is all that is carried from round to round: one that lives through a sequence answers alike."""

from itertools import islice

import pytest
from classes.groups import connect_rounds

from kassay.model.workers import FORGOTTEN
from kassay.properties.workers.timelines import play
from kassay.reference.releases import behaviours
from kassay.targets import Options, open_target

pytestmark = pytest.mark.usefixtures("java")
NAME = "connect/incremental-cooperative"


@pytest.mark.parametrize("behaviour", behaviours(NAME), ids=str)
def test_a_living_assignor_answers_as_one_that_is_told_what_it_remembers(behaviour):
    rounds = []
    with open_target(f"kafka:{behaviour.releases[-1]}#{NAME}", Options(timeout_s=20.0)) as target:
        for sequence in islice(connect_rounds.sequences(3), 100):
            lives = [target.instance()]

            def asked(cluster, lives=lives):
                if cluster.memory == FORGOTTEN:  # the first round, or another worker leads
                    lives[0] = target.instance()
                answer = lives[0](cluster)
                assert answer == target.assign(cluster)
                rounds.append(cluster)
                return answer

            assert list(play(asked, sequence))
    assert len(rounds) > 400
