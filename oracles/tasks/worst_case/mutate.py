"""Small changes of an application, for the search: somebody or something more, less, or otherwise, in its numbers."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from kassay.model.tasks import Application
from kassay.oracles.tasks.worst_case.spaces import application, shape_of
from kassay.oracles.worst_case.spaces import Content, Kind, Numbers, Shape

RACKS, SUBTOPOLOGIES = 3, 3
NOBODY: Numbers = (-1, -1)


def mutate(r: Random, group: Application) -> Application:
    """Return an application that differs from this one by one to three random changes, of the same strategy."""
    shape = shape_of(group)
    for _ in range(r.choice((1, 1, 2, 3))):
        shape = r.choice(CHANGES)(r, shape)
    return application(shape, group.settings.rack_aware_assignment_strategy)


def seedling(kind: Kind[Application]) -> Application:
    """Return the application from which a search starts: two clients in two racks, two tasks."""
    near: tuple[Content, ...] = ((((0,), (0,)), NOBODY), (((1,), (1,)), NOBODY))
    return kind.group(Shape((((0,), 0), ((0,), 1)), (near,)))


def _join(r: Random, shape: Shape) -> Shape:
    return replace(shape, members=(*shape.members, r.choice(shape.members)))


def _leave(r: Random, shape: Shape) -> Shape:
    gone = r.randrange(len(shape.members))
    if len(shape.members) == 1:
        return shape

    def left(owner: int) -> int:
        return -1 if owner == gone else owner - (owner > gone)

    parts = tuple(
        tuple((near, tuple(map(left, owners))) for near, owners in contents) for contents in shape.parts
    )
    return Shape(tuple(member for m, member in enumerate(shape.members) if m != gone), parts)


def _new_task(r: Random, shape: Shape) -> Shape:
    like = r.choice(r.choice(shape.parts))[0], NOBODY
    if len(shape.parts) < SUBTOPOLOGIES and r.random() < 0.2:
        reads = tuple(range(len(shape.parts) + 1))
        return Shape(tuple((reads, rack) for _, rack in shape.members), (*shape.parts, (like,)))
    at = r.randrange(len(shape.parts))
    return _with_part(shape, at, (*shape.parts[at], like))


def _drop_task(r: Random, shape: Shape) -> Shape:
    at = r.randrange(len(shape.parts))
    gone = r.randrange(len(shape.parts[at]))
    left = tuple(content for n, content in enumerate(shape.parts[at]) if n != gone)
    if left:
        return _with_part(shape, at, left)
    if len(shape.parts) == 1:
        return shape
    reads = tuple(range(len(shape.parts) - 1))
    return Shape(
        tuple((reads, rack) for _, rack in shape.members), (*shape.parts[:at], *shape.parts[at + 1 :])
    )


def _move(r: Random, shape: Shape) -> Shape:
    at = r.randrange(len(shape.members))
    reads, rack = shape.members[at]
    moved = reads, r.randrange(RACKS) if rack >= 0 else rack
    return replace(shape, members=(*shape.members[:at], moved, *shape.members[at + 1 :]))


def _replicate(r: Random, shape: Shape) -> Shape:
    def otherwise(content: Content) -> Content:
        near, owners = list(content[0]), content[1]
        racks = sorted(r.sample(range(RACKS), r.randint(1, 2)))
        near[r.randrange(len(near))] = tuple(racks) if shape.members[0][1] >= 0 else ()
        return tuple(near), owners

    return _with_some_task(r, shape, otherwise)


def _claim(r: Random, shape: Shape) -> Shape:
    def otherwise(content: Content) -> Content:
        role, owner = r.randrange(len(NOBODY)), r.randrange(-1, len(shape.members))
        owners = [-1 if each == owner else each for each in content[1]]
        owners[role] = owner
        return content[0], tuple(owners)

    return _with_some_task(r, shape, otherwise)


def _with_some_task(r: Random, shape: Shape, otherwise: Callable[[Content], Content]) -> Shape:
    at = r.randrange(len(shape.parts))
    contents = list(shape.parts[at])
    n = r.randrange(len(contents))
    contents[n] = otherwise(contents[n])
    return _with_part(shape, at, tuple(contents))


def _with_part(shape: Shape, at: int, contents: tuple[Content, ...]) -> Shape:
    return replace(shape, parts=(*shape.parts[:at], contents, *shape.parts[at + 1 :]))


CHANGES: tuple[Callable[[Random, Shape], Shape], ...] = (
    _join, _leave, _new_task, _new_task, _drop_task, _move, _replicate, _replicate, _replicate, _claim, _claim,
)  # fmt: skip
"""What a change can be; more likely ones stand twice or more."""
