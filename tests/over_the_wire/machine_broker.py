"""A broker whose coordinator is the reference's machine, or a mutant of it, behind a socket; and a clock that does not wait."""

import asyncio
import selectors

from kassay.model import Group, Member, Topic
from kassay.protocol.server.api_messages import Api
from kassay.protocol.server.broker_responses import (
    decode_request,
    encode_response,
    list_asked_topics,
    respond,
    show_groups,
)
from kassay.protocol.server.client_process import Server
from kassay.reference.group.messages import (
    Alarm,
    Asked,
    CancelTimer,
    FindCoordinator,
    Reply,
    SetTimer,
    Write,
    Written,
)


class _Impatient(selectors.DefaultSelector):
    """Finds what has come, and where nothing has, lets the clock go on at once to when something is due."""

    def __init__(self):
        super().__init__()
        self.ahead = 0.0

    def select(self, timeout=None):
        ready = super().select(0.02 if timeout is None else 0)
        if not ready and timeout:
            ready = super().select(0.0005)  # what was sent a moment ago
            if not ready:
                self.ahead += timeout
        return ready


class Loop(asyncio.SelectorEventLoop):
    """An event loop that does not wait for the clock."""

    def __init__(self):
        self._impatient = _Impatient()
        super().__init__(self._impatient)

    def time(self):
        return super().time() + self._impatient.ahead


def run(coroutine):
    """Run it, and then until sockets that it closed are."""

    async def closed():
        try:
            return await coroutine
        finally:
            for _ in range(100):
                await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=Loop) as runner:
        return runner.run(closed())


class Broker:
    """Takes requests for any number of groups."""

    def __init__(self, machines):
        self.machines = machines
        self.address = ("", 0)
        self.groups = {}
        self.refused = []
        self.server = Server(self, 2**20)

    async def open(self):
        return await self.server.open()

    def take(self, request, reply):
        asked = decode_request(request)
        if asked is None or type(asked) is FindCoordinator:
            reply.send(respond(request, self.cluster(request), self.address))
            return
        name = request.body.group_id
        if name not in self.groups:
            self.groups[name] = Coordinated(self.machines)
        self.groups[name].ask(request, asked, reply)

    def cluster(self, request):
        """Every topic is there that is asked for."""
        names = tuple(list_asked_topics(request) or ()) if request.api is Api.METADATA else ()
        topics = tuple(Topic(name, 4) for name in names)
        return show_groups([Group(topics, (Member("m", names),))], ())

    def note_end(self, why):
        self.refused.append(why)


class Coordinated:
    """A group; what it writes is in its log at once."""

    def __init__(self, machines):
        self.machines = machines
        self.timers = {}
        begun = machines.load((), 0)
        self.state = begun.state
        self.do(begun.effects)

    def ask(self, request, asked, reply):
        token = (id(reply), request, reply)
        self.tell(Asked(_Token(token), asked))

    def tell(self, event):
        taken = self.machines.step_coordinator(self.state, event, lambda allowed: allowed[0])
        self.state = taken.state
        self.do(taken.effects)

    def do(self, effects):
        loop = asyncio.get_running_loop()
        for effect in effects:
            match effect:
                case Reply(token, response):
                    _, request, reply = token.of
                    reply.send(encode_response(request, response))
                case SetTimer(key, delay):
                    self.cancel(key)
                    self.timers[key] = loop.call_later(delay / 1000, self.ring, key)
                case CancelTimer(key):
                    self.cancel(key)
                case Write(batch, _):
                    self.tell(Written(batch))

    def ring(self, key):
        del self.timers[key]
        self.tell(Alarm(key))

    def cancel(self, key):
        timer = self.timers.pop(key, None)
        if timer:
            timer.cancel()


class _Token:
    def __init__(self, of):
        self.of = of
