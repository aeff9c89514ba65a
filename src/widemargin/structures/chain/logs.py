"""Sums over chains in logarithms: slow and safe, for scores so far apart that scaled numbers underflow."""

import numpy as np

from widemargin.compiler.jit import inner

LOG_ZERO = -np.inf


@inner
def log_add(a, b):
    """log(exp(a) + exp(b)), exact at -inf."""
    high, low = max(a, b), min(a, b)
    return high if low == LOG_ZERO else high + np.log1p(np.exp(low - high))


@inner
def messages(s, n):
    """Forward messages into s.alpha and backward ones into s.work, both logs, from the augmented scores saved in s.saved."""
    Y, alpha, beta = s.labels, s.alpha, s.work
    for t in range(n):
        for k in range(Y):
            v = 0.0 if t == 0 else LOG_ZERO
            for j in range(Y if t else 0):
                v = log_add(v, alpha[t - 1, j] + s.edge[t * s.edge_stride + j, k])
            alpha[t, k] = v + s.saved[t, k]
    for t in range(n - 1, -1, -1):
        for j in range(Y):
            v = 0.0 if t == n - 1 else LOG_ZERO
            for k in range(Y if t < n - 1 else 0):
                v = log_add(v, s.edge[(t + 1) * s.edge_stride + j, k] + s.saved[t + 1, k] + beta[t + 1, k])
            beta[t, j] = v
    value = LOG_ZERO
    for k in range(Y):
        value = log_add(value, alpha[n - 1, k])
    return value


@inner
def logsum_in_logs(s, n, sign):
    """Value of the log sum; adds sign * marginals to mu."""
    value = messages(s, n)
    for t in range(n):
        for k in range(s.labels):
            s.mu_node[t, k] += sign * np.exp(s.alpha[t, k] + s.work[t, k] - value)
            for j in range(s.labels if t else 0):
                score = s.alpha[t - 1, j] + s.edge[t * s.edge_stride + j, k] + s.saved[t, k] + s.work[t, k]
                s.mu_edge[t * s.edge_stride + j, k] += sign * np.exp(score - value)
    return value


@inner
def tilt_in_logs(s, n, sign):
    """E[d]; adds sign * Cov(part, d) = sign * mu(part) * (E[d | part] - E[d]) to mu.

    E[d | y_t = k] = before(t, k) + after(t, k), conditional expectations of what lies up to t and behind it.
    """
    Y, direction, value = s.labels, s.direction, messages(s, n)
    before, after = s.alpha_dot, s.beta
    for t in range(n):
        for k in range(Y):
            reach = s.alpha[t, k] - s.saved[t, k] if s.saved[t, k] > LOG_ZERO else LOG_ZERO
            before[t, k] = direction[t, k]
            for j in range(Y if t and reach > LOG_ZERO else 0):
                p = np.exp(s.alpha[t - 1, j] + s.edge[t * s.edge_stride + j, k] - reach)
                before[t, k] += p * (before[t - 1, j] + s.direction_edge[t * s.edge_stride + j, k])
    for t in range(n - 1, -1, -1):
        for j in range(Y):
            after[t, j] = 0.0
            for k in range(Y if t < n - 1 and s.work[t, j] > LOG_ZERO else 0):
                p = np.exp(s.edge[(t + 1) * s.edge_stride + j, k] + s.saved[t + 1, k] + s.work[t + 1, k] - s.work[t, j])
                after[t, j] += p * (s.direction_edge[(t + 1) * s.edge_stride + j, k] + direction[t + 1, k] + after[t + 1, k])
    mean = 0.0
    for k in range(Y):
        mean += np.exp(s.alpha[n - 1, k] - value) * before[n - 1, k]
    for t in range(n):
        for k in range(Y):
            mu = np.exp(s.alpha[t, k] + s.work[t, k] - value)
            s.mu_node[t, k] += sign * mu * (before[t, k] + after[t, k] - mean)
            for j in range(Y if t else 0):
                mu = np.exp(s.alpha[t - 1, j] + s.edge[t * s.edge_stride + j, k] + s.saved[t, k] + s.work[t, k] - value)
                given = before[t - 1, j] + s.direction_edge[t * s.edge_stride + j, k] + direction[t, k] + after[t, k]
                s.mu_edge[t * s.edge_stride + j, k] += sign * mu * (given - mean)
    return mean
