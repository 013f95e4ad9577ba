"""What is said to a cluster, overheard: a listener before each broker, which passes frames on and keeps them."""

import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from over_the_wire.recorded_cluster import Exchange, listen, moved, read_frame


@dataclass
class Overheard:
    """The ports to ask in place of the cluster's, and every exchange until now, in the order of the answers."""

    ports: list[int] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def address(self) -> str:
        return ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def asked(self) -> Counter[int]:
        """Return how often each request was asked, by its key."""
        return Counter(one.key for one in self.exchanges)


@contextmanager
def overhearing(address: str) -> Iterator[Overheard]:
    """Listen before the brokers of an address."""
    brokers = [int(place.rpartition(":")[2]) for place in address.split(",")]
    heard = Overheard()

    def serve(number: int, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", brokers[number])) as server:
            while (request := read_frame(client)) is not None:
                server.sendall(len(request).to_bytes(4) + request)
                answer = read_frame(server)
                assert answer is not None
                answer = moved(answer, dict(zip(brokers, heard.ports, strict=True)))
                heard.exchanges.append(Exchange.of(number, request, answer))
                client.sendall(len(answer).to_bytes(4) + answer)

    with listen(len(brokers), serve) as ports:
        heard.ports += ports
        yield heard
