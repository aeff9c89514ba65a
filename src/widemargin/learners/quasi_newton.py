"""L-BFGS, and OWL-QN where l1 > 0: minimise f(w) + l1 |w|_1 from values and gradients of the smooth part f.

The direction is -H g by the two-loop recursion (Liu & Nocedal 1989, On the limited memory BFGS method) over the last m pairs s = w' - w,
y = g' - g. It is a combination of g, s_i and y_i, so the recursion runs on the m x m tables of their inner products and an iteration reads
the vectors twice: once to combine them, once to record a pair and take its inner products. With l1 > 0, g is the pseudo-gradient and the
direction and the step stay in one orthant (Andrew & Gao 2007, Scalable training of L1-regularized log-linear models, §3).

Row r of w may stand for D_r merged features and hold the sum of their equal weights. The first inverse Hessian gamma D and the inner
products y'Dy and s'y then make the path that of the unmerged problem.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import DTypeLike

from widemargin.engine import vectors
from widemargin.errors import InputError
from widemargin.parallel import together

BLOCK_NUMBERS = 4096  # numbers swept at a time: large enough for long streams from memory, small enough for the cache
ARMIJO = 1e-4  # share of the decrease promised by the slope that a step must bring
TRIALS = 20  # steps tried along one direction, each half the one before
TINY = 1e-10  # a gradient this small beside the first one is zero

Function = Callable[[np.ndarray, np.ndarray], float]
Watch = Callable[[int, float, "State"], object]


@dataclass
class State:
    """All that the next iteration depends on, beside the function and the settings."""

    w: np.ndarray  # [R, L]
    g: np.ndarray  # [R, L] gradient of the smooth part at w
    history: np.ndarray  # [blocks, 2m, block] steps s and then changes of gradient y, blocks of whole rows
    slots: np.ndarray  # int64, at most m: where the pairs in use lie, oldest first
    sy: np.ndarray  # [m, m] s_i'y_j for i not newer than j
    yy: np.ndarray  # [m, m] y_i'D y_j
    sg: np.ndarray  # [m] s_i'g, with g the pseudo-gradient from here on
    yg: np.ndarray  # [m] y_i'D g
    norms: np.ndarray  # [2] square root of g'D g, here and at the start
    values: np.ndarray  # [1 + iterations] f + l1 |w|_1, from the start to here
    evaluations: int

    @property
    def value(self) -> float:
        return float(self.values[-1])

    @property
    def iterations(self) -> int:
        return len(self.values) - 1

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The fields by name, not copied: write them, or copy them, before the next iteration goes on in the same memory."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}

    def fits(self, w: np.ndarray, memory: int, keep: np.dtype) -> bool:
        """Whether this is a state of a search over weights like w, with so many pairs of that type."""
        height = min(len(w), -(-BLOCK_NUMBERS // w.shape[1]))
        blocks, m, slots = -(-len(w) // height), memory, self.slots
        like = {
            "w": w,
            "g": w,
            "history": np.empty((blocks, 2 * m, height * w.shape[1]), keep),
            "sy": np.empty((m, m)),
            "yy": np.empty((m, m)),
        }
        like |= {"sg": np.empty(m), "yg": np.empty(m), "norms": np.empty(2), "values": np.empty(max(1, self.values.size))}
        same = all((own := getattr(self, name)).dtype == other.dtype and own.shape == other.shape for name, other in like.items())
        return same and slots.dtype == np.int64 and slots.ndim == 1 and len({*slots.tolist()} & {*range(m)}) == len(slots)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> "State":
        """A state of its own from what `to_arrays` gave."""
        copies = {field.name: np.array(arrays[field.name], order="C") for field in fields(cls) if field.name != "evaluations"}
        return cls(**copies, evaluations=int(arrays["evaluations"]))


@dataclass(frozen=True)
class SearchSettings:
    """How to search: the number of threads changes nothing in the result."""

    l1: float = 0.0
    memory: int = 6  # pairs that are kept
    iterations: int = 100
    period: int = 10
    delta: float = 1e-5  # the search ends when F fell by less than delta F in `period` iterations
    threads: int = 1
    keep: DTypeLike = np.float32  # the type of the numbers of the pairs

    def __post_init__(self):
        if self.l1 < 0.0 or self.memory < 1 or self.period < 1 or self.threads < 1:
            raise InputError(
                f"l1 {self.l1}, memory {self.memory}, period {self.period} and threads {self.threads}: l1 must be at least 0, the others at"
                " least 1."
            )


USUAL_SETTINGS = SearchSettings()


@dataclass(frozen=True)
class Minimum:
    """The weights [R, L], their value f + l1 |w|_1, why the search ended there, and the value after 0, 1, ... iterations"""

    w: np.ndarray
    value: float
    iterations: int
    evaluations: int
    why: str
    history: np.ndarray


class _Sweeps:
    """The kernels over all blocks on some threads: what is swept does not depend on their number, nor do the sums."""

    def __init__(self, w: np.ndarray, copies: np.ndarray, settings: SearchSettings, memory: int):
        rows, lanes = w.shape
        self.l1, threads = float(settings.l1), settings.threads
        self.height = min(rows, -(-BLOCK_NUMBERS // lanes))
        self.blocks = -(-rows // self.height)
        self.threads = threads
        pieces = min(self.blocks, 4 * threads if threads > 1 else 1)
        self.cuts = [self.blocks * i // pieces for i in range(pieces + 1)]
        self.common = (self.height, lanes, copies, self.l1)
        self.scratch = [np.empty((4, self.height * lanes)) for _ in range(pieces)]
        self.few = np.zeros((self.blocks, 2))
        self.many = np.zeros((self.blocks, 5, memory))

    def _over(self, kernel: Callable, sums: np.ndarray, *arguments) -> np.ndarray:
        pieces = [vectors.Piece(a, z, *self.common, scratch, sums) for a, z, scratch in zip(self.cuts, self.cuts[1:], self.scratch)]
        together([functools.partial(kernel, piece, *arguments) for piece in pieces], threads=self.threads)
        return sums.sum(axis=0)

    def norms(self, w: np.ndarray, g: np.ndarray) -> tuple[float, float]:
        """|g| in the metric D, and |w|_1."""
        square, length = self._over(vectors.sum_norms, self.few, _flat(w, g))
        return float(np.sqrt(square)), float(length)

    def move(self, state: State, direction: vectors.Direction, step: float, w2: np.ndarray) -> tuple[float, float]:
        """w2 = w + step d; g'(w2 - w) and |w2|_1."""
        at, new = _flat(state.w, state.g), w2.reshape(-1)
        descent, length = self._over(vectors.step_along, self.few, at, state.history, state.slots, direction, step, new)
        return float(descent), float(length)

    def record(self, state: State, w2: np.ndarray, g2: np.ndarray, slots: np.ndarray) -> np.ndarray:
        """The pair w2 - w, g2 - g is kept at the last of the slots -> [5, m] as in `vectors.record_pair`."""
        return self._over(vectors.record_pair, self.many, _flat(state.w, state.g), _flat(w2, g2), state.history, slots)


def _flat(w: np.ndarray, g: np.ndarray) -> vectors.Iterate:
    return vectors.Iterate(w.reshape(-1), g.reshape(-1))


def _direction(state: State) -> vectors.Direction:
    """-H g = sum_k a_k s_k + D (sum_k b_k y_k + c g) by the two-loop recursion on inner products -> a, b, c.

    q = -g;  for i from new to old: alpha_i = s_i'q / s_i'y_i, q -= alpha_i y_i;  r = gamma D q with gamma = s'y / y'Dy of the newest;
    for i from old to new: r += s_i (alpha_i - y_i'r / s_i'y_i).
    """
    n, kept = len(state.slots), np.ix_(state.slots, state.slots)
    sy, yy, sg, yg = state.sy[kept], state.yy[kept], state.sg[state.slots], state.yg[state.slots]
    a, b = np.zeros(n), np.zeros(n)
    if n == 0:
        return vectors.Direction(a, b, -1.0)
    for i in reversed(range(n)):
        b[i] = (sg[i] - sum(b[j] * sy[i, j] for j in range(i + 1, n))) / sy[i, i]
    gamma = float(sy[-1, -1] / yy[-1, -1])
    alpha, b = -b, b * gamma
    for i in range(n):
        known = sum(a[j] * sy[j, i] for j in range(i)) + sum(b[j] * yy[i, j] for j in range(n)) - gamma * yg[i]
        a[i] = alpha[i] - known / sy[i, i]
    return vectors.Direction(a, b, -gamma)


def _search(function: Function, state: State, sweeps: _Sweeps, w2: np.ndarray, g2: np.ndarray) -> float | None:
    """w2 = w + step d for the first step 1, 1/2, 1/4, ... that brings ARMIJO of the promised decrease -> its value, or None if none does.

    Without a history, the first step has length 1.
    """
    direction = _direction(state)
    step = 1.0 if len(state.slots) else 1.0 / state.norms[0]
    for _ in range(TRIALS):
        descent, length = sweeps.move(state, direction, step, w2)
        if not descent < 0.0:
            return None
        value = float(function(w2, g2)) + sweeps.l1 * length
        state.evaluations += 1
        if value <= state.value + ARMIJO * descent:
            return value
        step /= 2
    return None


def _keep(state: State, sweeps: _Sweeps, w2: np.ndarray, g2: np.ndarray) -> None:
    """Record the pair in the place of the oldest, unless s'y <= 0; the oldest is then lost all the same."""
    memory = state.history.shape[1] // 2
    old = state.slots[1:] if len(state.slots) == memory else state.slots
    new = min(set(range(memory)) - set(old.tolist()))
    slots = np.append(old, new)
    table = sweeps.record(state, w2, g2, slots)
    state.sg[slots], state.yg[slots] = table[0, slots], table[1, slots]
    state.sy[slots, new] = table[2, slots]
    state.yy[slots, new] = state.yy[new, slots] = table[3, slots]
    state.norms[0] = np.sqrt(table[4, 0])
    state.slots = slots if table[2, new] > 0.0 else old


def _enough(state: State, settings: SearchSettings) -> str:
    """Why to stop here, or nothing."""
    values, period, delta, iterations = state.values, settings.period, settings.delta, settings.iterations
    if state.norms[0] <= TINY * state.norms[1]:
        return "the gradient is zero"
    if len(values) > period and values[-1 - period] - values[-1] < delta * abs(values[-1]):
        return f"the value fell by less than {delta:g} of itself in {period} iterations"
    if state.iterations >= iterations:
        return f"all {state.iterations} iterations done"
    return ""


def minimise(
    function: Function,
    w: np.ndarray,
    settings: SearchSettings = USUAL_SETTINGS,
    *,
    copies: np.ndarray | None = None,
    watch: Watch | None = None,
    state: State | None = None,
) -> Minimum:
    """Minimise F(w) = f(w) + l1 |w|_1 from w [R, L], where function(w, g) returns f(w) and writes its gradient to g.

    copies [R] are the features that each row stands for, more than 0 each. The search ends when F falls no more, when the gradient is
    zero, after all iterations, or where no step descends: there it tries once more with an empty history before it gives up. w is left as
    it is.

    watch(iteration, F, state) is called after each iteration and stops the search by returning something true. A call that is given a
    state goes on from it, in its memory and to the same bytes; w, memory and keep are then the state's.
    """
    start = w if state is None else state.w
    if start.ndim != 2 or not start.size or not start.flags.c_contiguous or start.dtype not in (np.float32, np.float64):
        raise InputError(
            f"the weights are {start.dtype} of shape {start.shape}; give a C-contiguous array [rows, lanes] of float32 or float64."
        )
    copies = np.ones(len(start)) if copies is None else np.ascontiguousarray(copies, np.float64)
    if copies.shape != start.shape[:1] or not (copies > 0.0).all():
        raise InputError(f"there are {len(start)} rows of weights; give as many copies, each above 0.")
    sweeps = _Sweeps(start, copies, settings, settings.memory if state is None else state.history.shape[1] // 2)
    if state is None:
        state = _begin(function, w, sweeps, settings)
    w2, g2 = np.zeros_like(state.w), np.zeros_like(state.g)
    while not (why := _enough(state, settings)):
        restarted = False
        while (value := _search(function, state, sweeps, w2, g2)) is None and len(state.slots):
            restarted, state.slots = True, state.slots[:0]
        if value is None:
            again = ", nor after a restart with an empty history" if restarted else ""
            why = (
                f"no step along the direction brought a lower value{again}: the gradient is not the function's, or rounding hides the rest."
            )
            break
        _keep(state, sweeps, w2, g2)
        state.values = np.append(state.values, value)
        state.w, w2, state.g, g2 = w2, state.w, g2, state.g
        if watch is not None and watch(state.iterations, value, state):
            why = "the watch asked to stop."
            break
    return Minimum(state.w, state.value, state.iterations, state.evaluations, why, state.values)


def _begin(function: Function, w: np.ndarray, sweeps: _Sweeps, settings: SearchSettings) -> State:
    """The state before the first iteration."""
    memory = settings.memory
    w, g = w.copy(), np.zeros_like(w)
    smooth = float(function(w, g))
    norm, length = sweeps.norms(w, g)
    value = smooth + sweeps.l1 * length
    if not np.isfinite([value, norm]).all():
        raise InputError(f"the value at the start is {value} and the gradient's norm {norm}; start where both are finite.")
    return State(
        w=w,
        g=g,
        history=np.zeros((sweeps.blocks, 2 * memory, sweeps.height * w.shape[1]), settings.keep),
        slots=np.zeros(0, np.int64),
        sy=np.zeros((memory, memory)),
        yy=np.zeros((memory, memory)),
        sg=np.zeros(memory),
        yg=np.zeros(memory),
        norms=np.array([norm, norm]),
        values=np.array([value]),
        evaluations=1,
    )
