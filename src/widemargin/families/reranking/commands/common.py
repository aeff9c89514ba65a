"""What the actions of `widemargin rerank` share."""

import json

import numpy as np

from widemargin.errors import InputError
from widemargin.families.recipes import load
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.model import RerankModel
from widemargin.families.reranking.pool import Pool
from widemargin.readers.files import atomic_writer

FIRST, ORACLE = "first", "oracle"


def print_json(facts: dict) -> None:
    """One object on standard output."""
    print(json.dumps(facts, ensure_ascii=False))


def reranker(path: str) -> RerankModel:
    """A model of this family."""
    model = load(path, verify=True)
    if not isinstance(model, RerankModel):
        raise InputError(f"this is a model of {model.task.name}; give one of rerank", path)
    return model


def choice_of(system: str, pool: Pool, metric: str = "bleu") -> np.ndarray:
    """What a system chooses, int64 [S]: a model's file, `first` for the lists' own order, `oracle` for the best by the metric."""
    if system == FIRST:
        return pool.row_ptr[:-1]
    return metric_named(pool, metric).best(pool) if system == ORACLE else reranker(system).predict(pool)


def write_lines(path: str, lines: list[str]) -> None:
    """Lines of text to a file, or to standard output."""
    with atomic_writer(path) as out:
        out.write("".join(f"{line}\n" for line in lines).encode())
