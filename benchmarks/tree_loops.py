"""The loop that benchmarks/trees.py times; compiled, so that calls from Python are not counted."""

from widemargin.compiler.jit import kernel
from widemargin.engine.structure import outputs
from widemargin.engine.terms import measure


@kernel(vectorise=True)
def again(term, s, gold, price, n, turns):
    """The same term so many times."""
    value = 0.0
    for _ in range(turns):
        value += measure(term, s, gold, price, n, 1.0, outputs(s)[0])
    return value
