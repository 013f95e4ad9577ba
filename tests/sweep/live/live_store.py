"""A sweep whose rows go to an object store, through Spark's connector for S3: killed, taken up again, changed, written by several executors. Needs Java, Maven Central and minutes; `nox -s long -- sweep`."""

import boto3
import pytest
from moto.server import ThreadedMotoServer
from sweep.spark_rows import digest
from sweep.sweep_process import finish, kill, start, wait_for_waves

from kassay.cli import main
from kassay.reports.sweep.manifest import complete_waves, read_run

SDK = "2.35.4"
CONNECTOR = {
    "spark.jars.packages": ",".join(
        [
            "org.apache.hadoop:hadoop-aws:3.5.0",  # of the Hadoop in Spark 4.3
            *(f"software.amazon.awssdk:{name}:{SDK}" for name in ("s3", "s3-transfer-manager", "sts")),
        ]
    ),
    "spark.jars.excludes": "software.amazon.awssdk:bundle,org.wildfly.openssl:wildfly-openssl",
    "spark.hadoop.fs.s3a.path.style.access": "true",
    "spark.hadoop.fs.s3a.endpoint.region": "us-east-1",
}
"""The connector; without the bundle, of which it needs 16 of 600 MB."""
KEYS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


@pytest.fixture(scope="module")
def store():
    """A server that speaks S3 on loopback: its address and its bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    address = "http://{}:{}".format(*server.get_host_and_port())
    bucket = boto3.resource(
        "s3", endpoint_url=address, region_name="us-east-1", aws_access_key_id="local", aws_secret_access_key="local"
    ).Bucket("rows")  # fmt: skip
    bucket.create()
    yield address, bucket
    server.stop()


@pytest.fixture(scope="module")
def whole(grid, tmp_path_factory):
    """The digest of a sweep into a folder of this machine."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    assert finish(grid, folder)[0] == 0
    return digest(folder)


def options(address: str, place: str) -> list[str]:
    conf = CONNECTOR | {"spark.hadoop.fs.s3a.endpoint": address}
    return [
        "--rows",
        f"s3a://rows/{place}/",
        "--tasks",
        "2",
        *(word for each in conf.items() for word in ("--conf", "=".join(each))),
    ]


def fetch(bucket, place, folder) -> None:
    """Copy the rows into the folder, as a report needs them."""
    for each in bucket.objects.filter(Prefix=f"{place}/"):
        path = folder / "waves" / each.key.removeprefix(f"{place}/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(each.get()["Body"].read())


def test_rows_in_a_store_are_those_of_a_folder(grid, store, whole, tmp_path, capsys):
    address, bucket = store
    there = tmp_path / "there"
    process = start(grid, there, *options(address, "killed"), **KEYS)
    assert wait_for_waves(process, there, 2)
    kill(process, driver_alone=False)
    run = read_run(there)
    before = complete_waves(there, run)
    assert 2 <= len(before) < run.waves
    written = {each.key: each.last_modified for each in bucket.objects.all()}

    status, _, warned = finish(grid, there, *options(address, "killed"), **KEYS)
    assert status == 0, warned
    assert complete_waves(there, run) == list(range(run.waves))
    assert not list(there.rglob("part-*"))
    after = {each.key: each.last_modified for each in bucket.objects.all()}
    kept = [key for key in written if any(f"wave={wave:05}/" in key for wave in before)]
    assert kept
    assert {key: after[key] for key in kept} == {key: written[key] for key in kept}

    assert main(["report", str(there)]) == 2
    assert f"Copy run={run.id} from there into" in " ".join(capsys.readouterr().err.split())
    fetch(bucket, "killed", there)
    assert digest(there) == whole
    assert main(["report", str(there)]) == 0


@pytest.mark.parametrize("executors", [2, 4, 8])
def test_executors_write_the_rows_of_one_machine(grid, store, whole, tmp_path, executors):
    address, bucket = store
    place, cluster = f"by{executors}", f"local-cluster[{executors},1,1024]"
    more = ("--master", cluster, "--tasks", str(2 * executors))
    status, _, warned = finish(grid, tmp_path, *options(address, place), *more, **KEYS)
    assert status == 0, warned
    fetch(bucket, place, tmp_path)
    assert digest(tmp_path) == whole


def test_a_changed_object_is_seen(grid, store, tmp_path):
    address, bucket = store
    folder = tmp_path / "out"
    assert finish(grid, folder, *options(address, "changed"), **KEYS)[0] == 0
    (folder / "summary" / "done.json").unlink()
    victim = next(each for each in bucket.objects.filter(Prefix="changed/") if "wave=00003/part-" in each.key)
    bucket.put_object(Key=victim.key, Body=victim.get()["Body"].read()[:-1] + b"?")
    status, _, warned = finish(grid, folder, *options(address, "changed"), **KEYS)
    assert status == 2
    assert "was changed after it was written" in " ".join(warned.split())
    bucket.Object(victim.key).delete()
    status, _, warned = finish(grid, folder, *options(address, "changed"), **KEYS)
    assert status == 2
    assert "is missing, with" in " ".join(warned.split())


def test_a_store_that_does_not_answer_is_one_sentence(grid, tmp_path):
    conf = ["--conf", "spark.hadoop.fs.s3a.attempts.maximum=1", "--conf", "spark.hadoop.fs.s3a.retry.limit=1"]
    status, _, warned = finish(grid, tmp_path / "out", *options("http://127.0.0.1:9", "rows"), *conf, **KEYS)
    assert status == 3
    assert warned.count("kassay: ") == 1
    assert "Spark failed" in warned
