"""Chains by NumPy in float64, for rows too long to list their outputs. node [n, Y], edge [n, Y, Y] with edge[t] leading into token t."""

import numpy as np


def lse(x, axis):
    """log sum exp; of complex numbers too, so that a derivative is an imaginary part."""
    peak = x.real.max(axis, keepdims=True)
    peak = np.where(np.isfinite(peak), peak, 0.0)
    with np.errstate(divide="ignore"):  # log of 0: nothing is legal
        return np.log(np.exp(x - peak).sum(axis)) + peak.squeeze(axis)


def forward_backward(node, edge):
    """log Z, and the marginals of nodes and edges."""
    n, a, b = len(node), node.copy(), np.zeros_like(node)
    for t in range(1, n):
        a[t] += lse(a[t - 1][:, None] + edge[t], 0)
    for t in range(n - 2, -1, -1):
        b[t] = lse(edge[t + 1] + (node[t + 1] + b[t + 1]), 1)
    z = lse(a[-1], 0)
    pairs = [np.exp(a[t - 1][:, None] + edge[t] + (node[t] + b[t]) - z) for t in range(1, n)]
    return z, np.exp(a + b - z), np.array([np.zeros_like(edge[0]), *pairs])


def tilted(node, edge, d):
    """E[d] and the covariances of nodes and edges with d [n, Y], prices of nodes: derivatives along d, by a complex step."""
    found = forward_backward(node + 1e-30j * d, edge + 0j)
    return tuple(np.imag(part) * 1e30 for part in found)


def kbest(node, edge, k):
    """The k best paths as (score, labels), best first."""
    found = [[(node[0, y], (y,))] for y in range(node.shape[1])]
    for t in range(1, len(node)):
        every = [[(v + edge[t, p[-1], y] + node[t, y], (*p, y)) for paths in found for v, p in paths] for y in range(node.shape[1])]
        found = [sorted(paths, reverse=True)[:k] for paths in every]
    return sorted((pair for paths in found for pair in paths if np.isfinite(pair[0])), reverse=True)[:k]


def indicator(path, Y):
    """Nodes and edges of a path."""
    n = len(path)
    node, edge = np.zeros((n, Y)), np.zeros((n, Y, Y))
    node[np.arange(n), path] = 1.0
    edge[np.arange(1, n), path[:-1], path[1:]] = 1.0
    return node, edge


def best(node, edge):
    """The best score, and its path's nodes and edges."""
    value, path = kbest(node, edge, 1)[0]
    return value, *indicator(path, node.shape[1])


def rescaled(node, edge, price, gold_score):
    """max over outputs of cost (1 + score - gold_score), for whole prices [n, Y]: (value, cost, path), by the best score of each cost."""
    n, Y = node.shape
    found = {(y, price[0, y]): (node[0, y], (y,)) for y in range(Y)}
    for t in range(1, n):
        longer: dict = {}
        for (j, c), (v, p) in found.items():
            for y in range(Y):
                key, new = (y, c + price[t, y]), (v + edge[t, j, y] + node[t, y], (*p, y))
                if key not in longer or new[0] > longer[key][0]:
                    longer[key] = new
        found = longer
    return max((c * (1.0 + v - gold_score), c, p) for (_, c), (v, p) in found.items())


def relative_margin(node, edge, price, bound=1.0):
    """terms.Relative with ratio 1, from four best paths."""
    fear, *up = best(node + price, edge)
    hope, *down = best(node - price, edge)
    middle = sum((scores[there > 0] * there[there > 0]).sum() for scores, there in zip((node, edge), down))
    high, *over = best(node, edge)
    low, *under = best(np.where(node > -np.inf, -node, node), np.where(edge > -np.inf, -edge, edge))
    sides = [(middle + low, [a - b for a, b in zip(down, under)]), (high - middle, [a - b for a, b in zip(over, down)])]
    spread, way = max(sides, key=lambda side: side[0])
    moved = [a - b + (c if spread > bound else 0.0) for a, b, c in zip(up, down, way)]
    return fear - hope + max(0.0, spread - bound), *moved


def objective_value(name, node, edge, price, inside):
    """(loss, gradient over nodes, over edges) by the table in objectives.py. inside: node scores that are -inf outside the gold set."""
    if name == "risk":
        return tilted(node, edge, price)
    if name == "slack":
        score, *gold = best(inside, edge)
        value, cost, path = rescaled(node, edge, price, score)
        return value, *(cost * (a - b) for a, b in zip(indicator(path, node.shape[1]), gold))
    if name == "rm":
        return relative_margin(node, edge, price)
    upper, lower = {
        "perceptron": (best(node, edge), best(inside, edge)),
        "hinge": (best(node + price, edge), best(inside, edge)),
        "ramp": (best(node + price, edge), best(node, edge)),
        "likelihood": (forward_backward(node, edge), forward_backward(inside, edge)),
        "softmax-margin": (forward_backward(node + price, edge), forward_backward(inside, edge)),
        "jensen": (forward_backward(node + price, edge), forward_backward(node, edge)),
    }[name]
    return tuple(a - b for a, b in zip(upper, lower))
