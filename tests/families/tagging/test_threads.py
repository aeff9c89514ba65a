"""One model, many threads: predictions share nothing that is written, and kernels let other threads run."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from estimator_data import as_arrays, sentences

from widemargin import SequenceTagger
from widemargin.engine import gradient, sweep
from widemargin.features import extract
from widemargin.structures.chain import confidence


@pytest.mark.parametrize("structure", ["chain", "choice"])
@pytest.mark.parametrize("read", [list, as_arrays], ids=["words", "arrays"])
def test_eight_threads_answer_as_one(structure, read):
    X, y = sentences(40)
    model = SequenceTagger(epochs=3, structure=structure).fit(read(X), y)
    X = [read(sentences(20, seed)[0]) for seed in range(16)]
    labels, marginals = [model.predict(part) for part in X], [model.predict_marginals(part) for part in X]
    with ThreadPoolExecutor(8) as pool:
        both = list(pool.map(lambda part: (model.predict(part), model.predict_marginals(part)), X * 3))
    for i, (found, chance) in enumerate(both):
        assert found == labels[i % 16]
        for a, b in zip(chance, marginals[i % 16]):
            np.testing.assert_array_equal(a, b)


@pytest.mark.compiled
def test_kernels_release_the_gil():
    found = 0
    for module in (confidence, extract, gradient, sweep):
        for kernel in vars(module).values():
            if hasattr(kernel, "targetoptions") and kernel.py_func.__module__ == module.__name__:
                found += 1
                assert kernel.targetoptions["nogil"], kernel
    assert found > 3
