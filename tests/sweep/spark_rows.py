"""What a sweep left behind, as one digest: every column but the times, in order."""

from hashlib import blake2b

import pyarrow as pa
import pyarrow.parquet as pq

from kassay.reports.sweep.manifest import complete_waves, read_run, wave_folder


def table_of(folder):
    run = read_run(folder)
    parts = [
        part
        for wave in complete_waves(folder, run)
        for part in sorted(wave_folder(folder, run, wave).glob("*.parquet"))
    ]
    table = pa.concat_tables([pq.read_table(part, partitioning=None) for part in parts])
    return table.sort_by([("id", "ascending"), ("target", "ascending"), ("step", "ascending")])


def digest(folder):
    rows = table_of(folder).drop_columns(["micros"]).to_pylist()
    return blake2b(repr(rows).encode(), digest_size=8).hexdigest()


def adjacent(folder):
    """Say whether the rows of each id stand together in one file."""
    run = read_run(folder)
    seen = set()
    for wave in complete_waves(folder, run):
        for part in wave_folder(folder, run, wave).glob("*.parquet"):
            ids = pq.read_table(part, columns=["id"], partitioning=None)["id"].to_pylist()
            runs = [id_ for at, id_ in enumerate(ids) if not at or ids[at - 1] != id_]
            if len(set(runs)) < len(runs) or seen & set(runs):
                return False
            seen |= set(runs)
    return True
