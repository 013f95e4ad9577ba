"""Hypothesis strategies for streams groups; timelines are those of applications."""

from hypothesis import strategies as st

from kassay.model.streams_group import StreamsGroup
from kassay.properties.choices import LENGTH, from_bytes
from kassay.properties.tasks.members.generating import any_group


def groups() -> st.SearchStrategy[StreamsGroup]:
    """Generate legal groups of every kind: new ones, running ones, and ones to which something has happened."""
    return st.binary(min_size=LENGTH, max_size=LENGTH).map(lambda drawn: any_group(from_bytes(drawn)))
