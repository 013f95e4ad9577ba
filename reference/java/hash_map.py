"""In which order Java's hash maps iterate, which decides results in Kafka's assignors: by slot, and in it by age or tree.

Source: the documentation of java.util.HashMap; checked against OpenJDK 17.

Red-black trees: the textbook's insertion and removal, whose shape decides where Java's hash maps put keys.

Source: Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, chapter 13, which java.util.HashMap follows.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from kassay.reference.java.strings import int32

K = TypeVar("K")


class Node(Generic[K]):
    """A key with its hash, and its links while it is in a tree."""

    __slots__ = ("hash", "key", "left", "parent", "red", "right")

    def __init__(self, key: K, hash_: int) -> None:
        self.key = key
        self.hash = hash_
        self.left: Node[K] | None = None
        self.right: Node[K] | None = None
        self.parent: Node[K] | None = None
        self.red = False


def hang(root: Node[K] | None, node: Node[K], parent: Node[K] | None, *, left: bool) -> Node[K]:
    """Hang a new node below its parent, None in an empty tree, restore the rules and return the root."""
    node.left = node.right = None
    node.parent = parent
    node.red = True
    if root is None or parent is None:
        node.red = False
        return node
    if left:
        parent.left = node
    else:
        parent.right = node
    while (parent := node.parent) is not None and parent.red and (grand := parent.parent) is not None:
        on_left = parent is grand.left
        uncle = grand.right if on_left else grand.left
        if uncle is not None and uncle.red:
            parent.red = uncle.red = False
            grand.red = True
            node = grand
            continue
        if node is (parent.right if on_left else parent.left):
            root = _rotate(root, parent, to_left=on_left)
            node, parent = parent, node
        parent.red, grand.red = False, True
        root = _rotate(root, grand, to_left=not on_left)
    root.red = False
    return root


def take(root: Node[K], node: Node[K]) -> Node[K]:
    """Take a node with at most one child out of a tree with others, restore the rules and return the root."""
    child = node.left or node.right
    if child is None:
        if not node.red:
            root = _restore_black(root, node)
        return _replace(root, node, None)
    root = _replace(root, node, child)
    return root if node.red else _restore_black(root, child)


def _replace(root: Node[K], node: Node[K], by: Node[K] | None) -> Node[K]:
    """Put another node, or nothing, into a node's place below its parent; return the root."""
    parent = node.parent
    if by is not None:
        by.parent = parent
    if parent is None:
        return by or root
    if parent.left is node:
        parent.left = by
    else:
        parent.right = by
    return root


def _restore_black(root: Node[K], node: Node[K]) -> Node[K]:
    """Restore the rules where one black node is missing on the paths through this one; return the root."""
    while node is not root and not node.red:
        parent = node.parent
        assert parent is not None
        on_left = node is parent.left
        sibling = parent.right if on_left else parent.left
        assert sibling is not None  # else the paths through it would have been shorter
        if sibling.red:
            sibling.red, parent.red = False, True
            root = _rotate(root, parent, to_left=on_left)
            sibling = parent.right if on_left else parent.left
            assert sibling is not None
        near, far = (sibling.left, sibling.right) if on_left else (sibling.right, sibling.left)
        if not (near and near.red) and not (far and far.red):
            sibling.red = True
            node = parent
            continue
        if far is None or not far.red:
            assert near is not None
            near.red, sibling.red = False, True
            root = _rotate(root, sibling, to_left=not on_left)
            sibling, far = near, sibling
        sibling.red, parent.red, far.red = parent.red, False, False
        root = _rotate(root, parent, to_left=on_left)
        node = root
    node.red = False
    return root


def _rotate(root: Node[K], node: Node[K], *, to_left: bool) -> Node[K]:
    """Rotate a node below its right (to_left) or left child and return the tree's root."""
    child = node.right if to_left else node.left
    assert child is not None
    inner = child.left if to_left else child.right
    if to_left:
        node.right, child.left = inner, node
    else:
        node.left, child.right = inner, node
    if inner is not None:
        inner.parent = node
    root = child if node is root else root
    _replace(root, node, child)
    node.parent = child
    return root


_TREEIFY_ABOVE = 8  # a longer chain becomes a red-black tree ...
_TREEIFY_TABLE = 64  # ... if the table has at least this many slots, else the table grows instead
_UNTREEIFY = 6  # a tree that a growing table leaves with no more keys becomes a chain again


def spread(hash_: int) -> int:
    """Return what a map makes of a key's hash; its last bits number the slot."""
    return int32(hash_ ^ (hash_ & 0xFFFFFFFF) >> 16)


def hash_order(
    keys: Iterable[K],
    hash_of: Callable[[K], int],
    capacity: int = 16,
    order_of: Callable[[K], Any] | None = None,
) -> list[K]:
    """Return the order in which a HashMap or HashSet iterates over keys put into it in the given order.

    It has the parameters of :class:`HashTable`, which also supports removal.
    """
    distinct = list(dict.fromkeys(keys))
    hashes = [
        (hash_ := hash_of(key)) ^ (hash_ & 0xFFFFFFFF) >> 16 for key in distinct
    ]  # as spread, but for the sign
    slots = _count_slots(capacity)
    while (full := slots * 3 // 4) < len(hashes) and _has_short_chains(hashes[: full + 1], slots):
        slots *= 2
    if full >= len(hashes) and _has_short_chains(hashes, slots):
        # no tree ever, so each slot keeps the order of its keys
        slot = [hash_ & slots - 1 for hash_ in hashes]
        return [distinct[at] for at in sorted(range(len(slot)), key=slot.__getitem__)]
    table = HashTable(hash_of, capacity, order_of)
    for key in distinct:
        table.add(key)
    return list(table)


def computed_order(
    keys: Iterable[K],
    hash_of: Callable[[K], int],
    capacity: int,
    order_of: Callable[[K], Any] | None = None,
    wanted: Container[K] | None = None,
) -> list[K]:
    """Return the order in which a HashMap iterates that computeIfAbsent was called on for these keys, some again, in the given order.

    Only those keys are returned that are wanted.
    """
    keys = list(keys)
    distinct = list(dict.fromkeys(keys))
    slots, most = _count_slots(capacity), _TREEIFY_ABOVE - 1
    hashes = [hash_ ^ hash_ >> 16 & 0xFFFF for hash_ in map(hash_of, distinct)]
    while (full := slots * 3 // 4) < len(hashes) and _has_short_chains(hashes[: full + 1], slots, most):
        if len(hashes) == full + 1 and keys.index(distinct[-1]) == len(keys) - 1:
            full += 1  # nothing was called after the key that is one too many
            break
        slots *= 2
    if len(hashes) <= full and _has_short_chains(hashes, slots, most):
        # it has no tree: each slot has its keys, the last one first, however often it grew
        places = [hash_ & slots - 1 for hash_ in hashes]
        last_first: Sequence[int] = range(len(distinct) - 1, -1, -1)
        if wanted is not None:
            last_first = [at for at in last_first if distinct[at] in wanted]
        return [distinct[at] for at in sorted(last_first, key=places.__getitem__)]
    table = HashTable(hash_of, capacity, order_of)
    for key in keys:
        table.compute_if_absent(key)
    return [key for key in table if wanted is None or key in wanted]


def _count_slots(capacity: int) -> int:
    """Return how many slots a table has at first."""
    return 1 << max(0, capacity - 1).bit_length()


def _has_short_chains(hashes: list[int], slots: int, most: int = _TREEIFY_ABOVE) -> bool:
    """Return True if no slot has enough keys to become a tree, or to make the table grow."""
    if len(hashes) <= most:
        return True
    return max(Counter([hash_ & slots - 1 for hash_ in hashes]).values()) <= most


class HashTable(Generic[K]):
    """The keys of a java.util.HashMap or HashSet, iterated as Java iterates over them.

    `capacity` is what Java's constructor is given (a copy constructor derives it from the copied size);
    `order_of` gives the compareTo order of Comparable keys (string_order for strings). It matters only for keys
    of one hash in a slot of nine or more. Without it Java compares identity hashes, so its order varies.
    Here later keys count as smaller, as in a Java machine in which all objects have one identity hash (-XX:hashCode=2).
    """

    def __init__(
        self, hash_of: Callable[[K], int], capacity: int = 16, order_of: Callable[[K], Any] | None = None
    ) -> None:
        self._hash_of = hash_of
        self._order_of = order_of
        self._chains: list[list[Node[K]]] = [[] for _ in range(_count_slots(capacity))]
        self._roots: dict[int, Node[K]] = {}  # slot -> root, of the slots that are trees
        self._nodes: dict[K, Node[K]] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __contains__(self, key: K) -> bool:
        return key in self._nodes

    def __iter__(self) -> Iterator[K]:
        return (node.key for chain in self._chains for node in chain)

    def add(self, key: K) -> None:
        """Put a key; one that is there already keeps its place."""
        if key in self._nodes:
            return
        slot, chain, node = self._add_node(key)
        if slot not in self._roots:
            chain.append(node)
            if len(chain) > _TREEIFY_ABOVE:
                self._relieve(slot)
        if len(self._nodes) > len(self._chains) * 3 // 4:
            self._double()

    def compute_if_absent(self, key: K) -> None:
        """Put a key as HashMap.computeIfAbsent does: before the others of its slot. The table grows only at the next call."""
        if len(self._nodes) > len(self._chains) * 3 // 4:
            self._double()
        if key in self._nodes:
            return
        slot, chain, node = self._add_node(key)
        if slot not in self._roots:
            chain.insert(0, node)
            if len(chain) >= _TREEIFY_ABOVE:
                self._relieve(slot)

    def _add_node(self, key: K) -> tuple[int, list[Node[K]], Node[K]]:
        """Make the node of a new key, put into its slot's tree where that is one; return slot, chain and node."""
        value = self._hash_of(key)
        node = self._nodes[key] = Node(key, spread(value))
        slot = node.hash & len(self._chains) - 1
        chain = self._chains[slot]
        if slot in self._roots:
            parent = self._grow_tree(slot, node)
            assert parent is not None
            chain.insert(chain.index(parent) + 1, node)
            self._root_first(slot)
        return slot, chain, node

    def _relieve(self, slot: int) -> None:
        """Make a tree of a long chain, or double a small table."""
        if len(self._chains) < _TREEIFY_TABLE:
            self._double()
        else:
            self._treeify(slot)

    def remove(self, key: K) -> None:
        """Remove a key, if it is there, as HashMap.remove does (not as its iterator does); no table shrinks."""
        if key not in self._nodes:
            return
        node = self._nodes.pop(key)
        slot = node.hash & len(self._chains) - 1
        chain, root = self._chains[slot], self._roots.get(slot)
        if root is None:
            chain.remove(node)
        elif root.left is None or root.right is None or root.left.left is None:
            chain.remove(node)
            del self._roots[slot]  # too small for a tree
        else:
            if node.left is not None and node.right is not None:
                node = self._swap_with_next(chain, node)
            chain.remove(node)
            self._roots[slot] = take(root, node)
            self._root_first(slot)

    def _swap_with_next(self, chain: list[Node[K]], node: Node[K]) -> Node[K]:
        """Let a node with two children and the next greater one swap keys, each key staying in its place in the chain.

        Return the next one, which has at most one child.
        """
        assert node.right is not None
        after = node.right
        while after.left is not None:
            after = after.left
        here, there = chain.index(node), chain.index(after)
        chain[here], chain[there] = after, node
        node.key, node.hash, after.key, after.hash = after.key, after.hash, node.key, node.hash
        self._nodes[node.key] = node
        return after

    def _double(self) -> None:
        """Double the table; each chain splits in two that keep its order."""
        old, trees = self._chains, self._roots
        self._chains = [[] for _ in range(2 * len(old))]
        self._roots = {}
        mask = len(self._chains) - 1
        for chain in old:
            for node in chain:
                self._chains[node.hash & mask].append(node)
        for slot, root in trees.items():
            halves = [half for half in (slot, slot + len(old)) if self._chains[half]]
            for half in halves:
                if len(self._chains[half]) > _UNTREEIFY:
                    if len(halves) == 2:
                        self._treeify(half)
                    else:
                        self._roots[half] = root

    def _treeify(self, slot: int) -> None:
        self._roots.pop(slot, None)
        for node in self._chains[slot]:
            self._grow_tree(slot, node)
        self._root_first(slot)

    def _grow_tree(self, slot: int, node: Node[K]) -> Node[K] | None:
        """Insert a node into a slot's tree and return the parent it gets first, None if it is the first node."""
        parent, left = None, False
        root = below = self._roots.get(slot)
        while below is not None:
            parent, left = below, self._is_before(node, below)
            below = below.left if left else below.right
        self._roots[slot] = hang(root, node, parent, left=left)
        return parent

    def _root_first(self, slot: int) -> None:
        """Move the root of a slot's tree to the front of its chain: iteration follows the chain."""
        chain = self._chains[slot]
        chain.insert(0, chain.pop(chain.index(self._roots[slot])))

    def _is_before(self, node: Node[K], other: Node[K]) -> bool:
        if node.hash != other.hash:
            return node.hash < other.hash
        if self._order_of is None:
            return True
        return bool(self._order_of(node.key) < self._order_of(other.key))
