"""L-BFGS and OWL-QN against a textbook twin on dense unmerged vectors, SciPy and proximal gradient; jobs on threads."""

import threading

import numpy as np
import pytest
from scipy import optimize

from widemargin.errors import InputError
from widemargin.learners import quasi_newton
from widemargin.learners.quasi_newton import State
from widemargin.parallel import together

LABELS, LANES = 3, 4


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(quasi_newton, "BLOCK_NUMBERS", 24)


class Logistic:
    """Multinomial likelihood with l2/2 of the squared weights; row r of the weights stands for copies[r] equal features."""

    def __init__(self, *, rows=23, examples=90, l2=0.3, most=4, seed=3):
        random = np.random.default_rng(seed)
        self.x = random.normal(size=(examples, rows)) * (random.random((examples, rows)) < 0.5)
        self.y = (self.x @ random.normal(size=(rows, LABELS)) + random.gumbel(size=(examples, LABELS))).argmax(axis=1)
        self.copies, self.l2 = random.integers(1, most + 1, rows).astype(float), l2

    def unmerged(self):
        """The same problem with a row for each feature."""
        other = object.__new__(Logistic)
        times = self.copies.astype(int)
        other.x, other.y, other.l2 = np.repeat(self.x, times, axis=1), self.y, self.l2
        other.copies = np.ones(times.sum())
        return other

    @property
    def zeros(self):
        return np.zeros((self.x.shape[1], LANES))

    def __call__(self, w, g):
        scores = self.x @ w[:, :LABELS].astype(np.float64)
        top = scores.max(axis=1, keepdims=True)
        p = np.exp(scores - top)
        z = p.sum(axis=1, keepdims=True)
        loss = (np.log(z) + top).sum() - scores[np.arange(len(self.y)), self.y].sum()
        p /= z
        p[np.arange(len(self.y)), self.y] -= 1
        g[:] = self.l2 * w / self.copies[:, None]
        g[:, :LABELS] += self.x.T @ p
        return loss + self.l2 / 2 * (w.astype(np.float64) ** 2 / self.copies[:, None]).sum()


def rosenbrock(w, g):
    """A curved valley, not convex, with its lowest value 0 at 1."""
    a, b = w[:-1, 0], w[1:, 0]
    g[:] = 0
    g[:-1, 0] += -400 * a * (b - a**2) - 2 * (1 - a)
    g[1:, 0] += 200 * (b - a**2)
    return float((100 * (b - a**2) ** 2 + (1 - a) ** 2).sum())


def slow_twin(function, w, l1, memory, iterations):
    """OWL-QN on dense vectors as Andrew & Gao write it (their algorithm 3), without metric, tables or blocks -> w, values."""

    def pseudo(w, g):
        at_zero = np.where(g + l1 < 0, g + l1, np.where(g - l1 > 0, g - l1, 0))
        return np.where(w != 0, g + l1 * np.sign(w), at_zero)

    g = np.zeros_like(w)
    value, pairs = function(w, g) + l1 * np.abs(w).sum(), []
    values = [value]
    for _ in range(iterations):
        v = pseudo(w, g)
        q, alphas = -v, []
        for s, y in reversed(pairs):
            alphas.append((s * q).sum() / (s * y).sum())
            q = q - alphas[-1] * y
        if pairs:
            q = q * (pairs[-1][0] * pairs[-1][1]).sum() / (pairs[-1][1] ** 2).sum()
        for (s, y), alpha in zip(pairs, reversed(alphas)):
            q = q + s * (alpha - (y * q).sum() / (s * y).sum())
        if l1:
            q = np.where(q * v < 0, q, 0)
        side = np.sign(np.where(w != 0, w, -v))
        step = 1.0 if pairs else 1 / np.sqrt((v**2).sum())
        while True:
            w2, g2 = w + step * q, np.zeros_like(g)
            if l1:
                w2 = np.where(w2 * side > 0, w2, 0)
            value = function(w2, g2) + l1 * np.abs(w2).sum()
            if value <= values[-1] + 1e-4 * (v * (w2 - w)).sum():
                break
            step /= 2
        if ((w2 - w) * (g2 - g)).sum() > 0:
            pairs = [*pairs, (w2 - w, g2 - g)][-memory:]
        w, g = w2, g2
        values.append(value)
    return w, values


def proximal_gradient(function, w, l1, steps):
    """w <- soft(w - g / K, l1 / K), accelerated, and restarted where it turns back (Beck & Teboulle 2009; O'Donoghue & Candes 2015)."""
    g, t, ahead, bound = np.zeros_like(w), 1.0, w, 100.0
    for _ in range(steps):
        function(ahead, g)
        move = ahead - g / bound
        new = np.sign(move) * np.maximum(np.abs(move) - l1 / bound, 0)
        if ((ahead - new) * (new - w)).sum() > 0:
            t = 1.0
        before, t = t, (1 + np.sqrt(1 + 4 * t * t)) / 2
        ahead, w = new + (before - 1) / t * (new - w), new
    return w, function(w, g) + l1 * np.abs(w).sum()


def minimise(function, w, *, copies=None, watch=None, state=None, **settings):
    return quasi_newton.minimise(function, w, quasi_newton.SearchSettings(**settings), copies=copies, watch=watch, state=state)


EXACT = dict(keep=np.float64, delta=0.0, iterations=300)


@pytest.mark.parametrize("memory", [1, 2, 6])
@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_the_path_is_the_textbooks_on_the_unmerged_problem(l1, memory):
    problem = Logistic()
    result = minimise(problem, problem.zeros, copies=problem.copies, l1=l1, memory=memory, iterations=25, keep=np.float64, delta=0.0)
    separate = problem.unmerged()
    w, values = slow_twin(separate, separate.zeros, l1, memory, 25)
    assert result.history == pytest.approx(values, rel=1e-8)
    assert np.repeat(result.w / problem.copies[:, None], problem.copies.astype(int), axis=0) == pytest.approx(w, abs=1e-5)
    assert not result.w[:, LABELS:].any()
    assert result.why == "all 25 iterations done"


@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_merged_rows_take_the_same_path(l1):
    problem, separate = Logistic(), Logistic().unmerged()
    merged = minimise(problem, problem.zeros, copies=problem.copies, l1=l1, iterations=25, keep=np.float64, delta=0.0)
    apart = minimise(separate, separate.zeros, l1=l1, iterations=25, keep=np.float64, delta=0.0)
    assert merged.history == pytest.approx(apart.history, rel=1e-8)
    assert merged.evaluations == apart.evaluations


def test_a_valley_that_is_not_convex():
    w = np.full((8, 1), -1.2)
    result = minimise(rosenbrock, w, **EXACT)
    _, values = slow_twin(rosenbrock, w, 0.0, 6, 20)
    assert result.history[:21] == pytest.approx(values, rel=1e-6)
    assert result.w == pytest.approx(np.ones_like(w), abs=1e-6)
    assert (w == -1.2).all()


def test_quadratic_reaches_its_solution():
    random = np.random.default_rng(0)
    root = random.normal(size=(40, 40))
    a, b = root @ root.T + np.eye(40), random.normal(size=40)

    def quadratic(w, g):
        g[:] = (a @ w.reshape(-1) - b).reshape(w.shape)
        return float(w.reshape(-1) @ (a @ w.reshape(-1) / 2 - b))

    result = minimise(quadratic, np.zeros((10, 4)), **EXACT)
    assert result.w.reshape(-1) == pytest.approx(np.linalg.solve(a, b), abs=1e-7)


def test_logistic_agrees_with_scipy():
    problem = Logistic()

    def both(w):
        g = problem.zeros
        return problem(w.reshape(g.shape), g), g.reshape(-1)

    reference = optimize.minimize(both, problem.zeros.reshape(-1), jac=True, method="L-BFGS-B", options=dict(ftol=1e-15, gtol=1e-10))
    result = minimise(problem, problem.zeros, copies=problem.copies, **EXACT)
    assert result.value == pytest.approx(reference.fun, rel=1e-10)
    assert result.w.reshape(-1) == pytest.approx(reference.x, abs=1e-4)


@pytest.mark.parametrize("l1", [0.3, 2.0])
def test_l1_agrees_with_proximal_gradient(l1):
    problem = Logistic(l2=1.0)
    result = minimise(problem, problem.zeros, copies=problem.copies, l1=l1, **EXACT)
    w, value = proximal_gradient(problem, problem.zeros, l1, 4000)
    assert result.value == pytest.approx(value, rel=1e-9)
    assert result.w == pytest.approx(w, abs=1e-6)
    assert ((result.w == 0) == (w == 0)).all()
    assert 0 < (result.w[:, :LABELS] == 0).sum() < result.w[:, :LABELS].size


def test_l1_so_strong_that_all_is_zero():
    problem = Logistic()
    result = minimise(problem, problem.zeros, l1=1e4)
    assert not result.w.any()
    assert result.why == "the gradient is zero"
    assert (result.iterations, result.evaluations) == (0, 1)


@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_going_on_from_any_state_changes_no_byte(l1):
    problem, saved = Logistic(), []

    def watch(iteration, value, state):
        assert (iteration, value) == (state.iterations, state.value)
        saved.append({name: array.copy() for name, array in state.to_arrays().items()})

    settings = dict(copies=problem.copies, l1=l1, iterations=18, memory=4)
    whole = minimise(problem, problem.zeros, watch=watch, **settings)
    assert len(saved) == whole.iterations
    for arrays in saved:
        rest = minimise(problem, problem.zeros, state=State.from_arrays(arrays), **settings)
        assert rest.w.tobytes() == whole.w.tobytes()
        assert rest.history.tobytes() == whole.history.tobytes()
        assert (rest.evaluations, rest.why) == (whole.evaluations, whole.why)


@pytest.mark.parametrize("l1", [0.0, 0.7])
def test_single_precision_reaches_the_same_value(l1):
    problem = Logistic()
    best = minimise(problem, problem.zeros, copies=problem.copies, l1=l1, **EXACT)
    kept = minimise(problem, problem.zeros, copies=problem.copies, l1=l1, delta=1e-7)
    single = minimise(problem, problem.zeros.astype(np.float32), copies=problem.copies, l1=l1, delta=1e-7)
    assert kept.value == pytest.approx(best.value, rel=1e-5)
    assert single.value == pytest.approx(best.value, rel=1e-5)
    assert single.w.dtype == np.float32


def test_stops_when_the_value_falls_no_more():
    problem = Logistic()
    result = minimise(problem, problem.zeros, period=5, delta=1e-3)
    values = result.history
    ends = [k for k in range(5, len(values)) if (values[k - 5] - values[k]) / values[k] < 1e-3]
    assert ends == [result.iterations]
    assert "0.001 of itself in 5 iterations" in result.why


def test_stops_when_the_watch_asks():
    problem = Logistic()
    result = minimise(problem, problem.zeros, watch=lambda iteration, value, state: iteration == 3)
    assert (result.iterations, result.why) == (3, "the watch asked to stop.")


def test_a_function_that_does_not_descend_is_reported():
    def uphill(w, g):
        g[:] = -2 * w
        return float((w**2).sum())

    result = minimise(uphill, np.ones((3, 2)))
    assert (result.iterations, result.evaluations) == (0, 1 + quasi_newton.TRIALS)
    assert "no step along the direction brought a lower value: " in result.why
    assert (result.w == 1).all()


def test_a_failed_search_starts_again_with_an_empty_history():
    problem = Logistic()
    seen = []

    def broken(w, g):
        seen.append(w.copy())
        return problem(w, g) if len(seen) < 9 else np.nan

    result = minimise(broken, problem.zeros)
    assert "nor after a restart with an empty history" in result.why
    assert result.evaluations == 8 + 2 * quasi_newton.TRIALS

    seen.clear()

    def hiccup(w, g):
        seen.append(w.copy())
        return np.nan if 9 <= len(seen) < 9 + quasi_newton.TRIALS else problem(w, g)

    result = minimise(hiccup, problem.zeros, copies=problem.copies, **EXACT)
    assert result.value == pytest.approx(minimise(problem, problem.zeros, copies=problem.copies, **EXACT).value, rel=1e-9)


def test_wrong_arguments_are_told():
    problem = Logistic()
    for w in (np.zeros(4), np.zeros((4, 4)).T[::2], np.zeros((4, 4), int)):
        with pytest.raises(InputError, match="C-contiguous"):
            minimise(problem, w)
    for copies in (np.ones(4), problem.copies - 1):
        with pytest.raises(InputError, match="copies"):
            minimise(problem, problem.zeros, copies=copies)
    with pytest.raises(InputError, match="at least"):
        minimise(problem, problem.zeros, l1=-1.0)
    with pytest.raises(InputError, match="finite"):
        minimise(lambda w, g: np.inf, problem.zeros)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_jobs_come_back_in_order(threads):
    assert together([lambda i=i: i * i for i in range(50)], threads=threads) == [i * i for i in range(50)]
    assert together([], threads=threads) == []


def test_jobs_run_at_the_same_time_on_no_more_threads_than_asked():
    meeting = threading.Barrier(3, timeout=30)
    together([meeting.wait] * 3, threads=3)
    names = set(together([threading.get_ident] * 500, threads=2))
    assert len(names) <= 2


def test_jobs_within_jobs():
    def sums(i):
        return sum(together([lambda j=j: i * j for j in range(10)], threads=3))

    assert together([lambda i=i: sums(i) for i in range(100)], threads=40) == [45 * i for i in range(100)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt])
def test_the_first_error_is_raised_and_later_jobs_are_left(threads, error):
    done = []

    def job(i):
        if i in (5, 6):
            raise error(str(i))
        done.append(i)

    with pytest.raises(error, match="5"):
        together([lambda i=i: job(i) for i in range(1000)], threads=threads)
    assert set(range(5)) <= set(done)
    assert len(done) < 998
    assert together([lambda: 1] * 3, threads=threads) == [1, 1, 1]
