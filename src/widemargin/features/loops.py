"""Graphs, given as what comes after each node: strongly connected components, and what can be reached."""

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(after: Mapping[Node, Sequence[Node]]) -> list[list[Node]]:
    """Strongly connected components, those behind first (Tarjan 1972), without recursion."""
    number: dict[Node, int] = {}
    low: dict[Node, int] = {}
    open_nodes: list[Node] = []
    is_open: set[Node] = set()
    out: list[list[Node]] = []
    for root in after:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        open_nodes.append(root)
        is_open.add(root)
        work = [(root, iter(after[root]))]
        while work:
            node, rest = work[-1]
            following = next((each for each in rest if each not in number or each in is_open), None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = open_nodes.index(node)
                    out.append(open_nodes[at:])
                    is_open.difference_update(open_nodes[at:])
                    del open_nodes[at:]
            elif following in number:
                low[node] = min(low[node], number[following])
            else:
                number[following] = low[following] = len(number)
                open_nodes.append(following)
                is_open.add(following)
                work.append((following, iter(after[following])))
    return out


def reachable(roots: Iterable[Node], after: Mapping[Node, Sequence[Node]], allowed: Container[Node] | None = None) -> set[Node]:
    """The roots, and what can be reached from them, through allowed nodes alone if they are given."""
    found, waiting = set(roots), list(roots)
    while waiting:
        for node in after[waiting.pop()]:
            if node not in found and (allowed is None or node in allowed):
                found.add(node)
                waiting.append(node)
    return found
