"""confluent-kafka-python takes the printed lines for KIP-848, sends ConsumerGroupHeartbeat, and refuses what must be removed."""

from client_settings.kip848_members import check_move, drop_heartbeat, record_move
from client_settings.real_clients import LIBRDKAFKA, write_python


def test_it_takes_the_lines_and_refuses_what_must_be_removed():
    command = write_python(drop_heartbeat(LIBRDKAFKA), "group.protocol")
    check_move("confluent-kafka-python", record_move("confluent-kafka-python", command), refused=True)
