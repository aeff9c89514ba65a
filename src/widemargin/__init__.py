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
    from widemargin.parser_estimator import DependencyParser
    from widemargin.readers.columns import Columns, from_sentences, read_columns, stream_columns, write_columns
    from widemargin.readers.conllu import Treebank, read_treebank, write_treebank
    from widemargin.structures import Chain, Choice, Legal, Parts
    from widemargin.tasks.opening import open_columns
    from widemargin.tasks.parser import Parser
    from widemargin.tasks.parsing import TreeRecipe, train_parser
    from widemargin.tasks.tagger import Tagger
    from widemargin.tasks.training import Recipe, train
    from widemargin.tasks.treebanks import open_treebank

__version__ = "0.1.0"

_WHERE = {
    "Chain": "structures",
    "Choice": "structures",
    "Columns": "readers.columns",
    "DependencyParser": "parser_estimator",
    "InputError": "errors",
    "Legal": "structures",
    "Parser": "tasks.parser",
    "Parts": "structures",
    "Recipe": "tasks.training",
    "SequenceTagger": "estimator",
    "Tagger": "tasks.tagger",
    "TreeRecipe": "tasks.parsing",
    "Treebank": "readers.conllu",
    "from_sentences": "readers.columns",
    "open_columns": "tasks.opening",
    "open_treebank": "tasks.treebanks",
    "paired_bootstrap": "metrics.bootstrap",
    "read_columns": "readers.columns",
    "read_treebank": "readers.conllu",
    "span_f1": "metrics.scorers",
    "span_scores": "metrics.spans",
    "stream_columns": "readers.columns",
    "token_accuracy": "metrics.scorers",
    "train": "tasks.training",
    "train_parser": "tasks.parsing",
    "write_columns": "readers.columns",
    "write_treebank": "readers.conllu",
}

__all__ = [
    "Chain",
    "Choice",
    "Columns",
    "DependencyParser",
    "InputError",
    "Legal",
    "Parser",
    "Parts",
    "Recipe",
    "SequenceTagger",
    "Tagger",
    "TreeRecipe",
    "Treebank",
    "from_sentences",
    "open_columns",
    "open_treebank",
    "paired_bootstrap",
    "read_columns",
    "read_treebank",
    "span_f1",
    "span_scores",
    "stream_columns",
    "token_accuracy",
    "train",
    "train_parser",
    "write_columns",
    "write_treebank",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'widemargin' has no attribute {name!r}")
    return getattr(importlib.import_module(f"widemargin.{_WHERE[name]}"), name)
