"""widemargin: learning to predict structures. Any objective, any learner, any structure, on the same features.

The public names are below; each is imported when first used, so that `import widemargin` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin.errors import InputError
    from widemargin.estimator import SequenceTagger
    from widemargin.metrics.bootstrap import paired_bootstrap
    from widemargin.metrics.scorers import span_f1, token_accuracy
    from widemargin.metrics.spans import span_scores
    from widemargin.readers.columns import Columns, from_sentences, read_columns, stream_columns, write_columns
    from widemargin.structures import Chain, Choice, Legal, Parts
    from widemargin.tasks.opening import open_columns
    from widemargin.tasks.tagger import Tagger
    from widemargin.tasks.training import Recipe, train

__version__ = "0.1.0"

_WHERE = {
    "Chain": "structures",
    "Choice": "structures",
    "Columns": "readers.columns",
    "InputError": "errors",
    "Legal": "structures",
    "Parts": "structures",
    "Recipe": "tasks.training",
    "SequenceTagger": "estimator",
    "Tagger": "tasks.tagger",
    "from_sentences": "readers.columns",
    "open_columns": "tasks.opening",
    "paired_bootstrap": "metrics.bootstrap",
    "read_columns": "readers.columns",
    "span_f1": "metrics.scorers",
    "span_scores": "metrics.spans",
    "stream_columns": "readers.columns",
    "token_accuracy": "metrics.scorers",
    "train": "tasks.training",
    "write_columns": "readers.columns",
}

__all__ = [
    "Chain",
    "Choice",
    "Columns",
    "InputError",
    "Legal",
    "Parts",
    "Recipe",
    "SequenceTagger",
    "Tagger",
    "from_sentences",
    "open_columns",
    "paired_bootstrap",
    "read_columns",
    "span_f1",
    "span_scores",
    "stream_columns",
    "token_accuracy",
    "train",
    "write_columns",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'widemargin' has no attribute {name!r}")
    return getattr(importlib.import_module(f"widemargin.{_WHERE[name]}"), name)
