"""Let the tests of this folder import `drawing` and its like; a folder and an answer for those that verify."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("verifying")


@pytest.fixture(scope="module")
def two_levels(folder):
    from verifying import GROUP, answers

    return json.dumps(answers(folder, "balance,moves", GROUP)[0])
