"""Small random lists of hypotheses for tuners, and the programs of relative margin solved by SciPy."""

import numpy as np
from scipy.optimize import minimize

from widemargin.families.reranking.metrics import Metric, metric_named
from widemargin.families.reranking.pool import Pool


def random_lists(seed=0, *, sizes=None, rows=6, features=4, fill=1.0) -> tuple[Pool, Metric]:
    """Lists with statistics that make sense, and their BLEU."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 7, rows) if sizes is None else np.asarray(sizes)
    H = int(sizes.sum())
    x = np.round(random.normal(size=(H, features)), 3) * (random.random((H, features)) < fill)
    length = random.integers(5, 12, H)
    totals = length[:, None] - np.arange(4)
    matches = np.sort(random.integers(0, totals + 1), axis=1)[:, ::-1]
    reference = np.repeat(random.integers(5, 12, len(sizes)), sizes)
    counts = np.column_stack([np.minimum(matches, totals), totals, length, reference]).astype(np.int32)
    return pool_of(x, sizes, counts)


def pool_of(x, sizes, counts) -> tuple[Pool, Metric]:
    """Vectors x [H, D] and statistics as lists, and their BLEU."""
    h, feature = np.nonzero(x)
    starts = (np.concatenate([[0], np.cumsum(n)]).astype(np.int64) for n in (sizes, np.bincount(h, minlength=len(x)), counts[:, 8]))
    row_ptr, feature_ptr, token_ptr = starts
    names = tuple(f"f{k}" for k in range(x.shape[1]))
    words, references = np.zeros(token_ptr[-1], np.int32), (("none",),) * len(sizes)
    pool = Pool(row_ptr, feature_ptr, feature.astype(np.int32), x[h, feature], names, token_ptr, words, counts, references=references)
    return pool, metric_named(pool, "bleu")


def relative_margin_program(w, x, gain, hope, C, B, D, *, margins, uppers, lowers):
    """argmin 1/2 |v - w|^2 + C xi + D tau under the margins, upper and lower bounds of some hypotheses each; x [n, features]."""
    d = x[hope] - x
    rows = [np.r_[0 * w, 1.0, 0.0], np.r_[0 * w, 0.0, 1.0]]
    rows += [np.r_[d[y], 1.0, 0.0] for y in margins] + [np.r_[-d[y], 0.0, 1.0] for y in uppers] + [np.r_[d[y], 0.0, 1.0] for y in lowers]
    least = np.array([0.0, 0.0] + [gain[hope] - gain[y] for y in margins] + [-B] * (len(uppers) + len(lowers)))
    matrix, price = np.array(rows), np.r_[0 * w, C, D]

    def cost(z):
        return 0.5 * ((z[:-2] - w) ** 2).sum() + price @ z, np.r_[z[:-2] - w, 0.0, 0.0] + price

    start = np.concatenate([w, [abs(d @ w).max() + abs(gain).max() + B] * 2])
    within = {"type": "ineq", "fun": lambda z: matrix @ z - least, "jac": lambda z: matrix}
    found = minimize(cost, start, jac=True, constraints=[within], method="SLSQP", options={"maxiter": 2000, "ftol": 1e-13})
    assert found.status in (0, 8), found.message  # 8: rounding hides the rest of the way
    return found.x[:-2]
