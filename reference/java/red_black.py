"""Red-black trees: the textbook's insertion and removal, whose shape decides where Java's hash maps put keys.

Source: Cormen, Leiserson, Rivest, Stein, Introduction to Algorithms, chapter 13, which java.util.HashMap follows.
"""

from typing import Generic, TypeVar

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
