"""Estimators of trees that read tables, for scikit-learn's checks: each row a sentence of one word, y its label. What is checked is
everything but reading."""

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin import InputError


class OfTables:
    """Goes before an estimator, which gets sentences and trees. A subclass says `cells`, how many columns a word has; `tree_of(text)`, the
    tree of a sentence of one word; and `label_of(tree)`, the way back."""

    def fit(self, X, y=None, *, sample_weight=None, dev=None):
        return super().fit(*self._as_words(X, y, reset=True), sample_weight=sample_weight, dev=dev)

    def partial_fit(self, X, y=None, classes=None, *, sample_weight=None, epochs=1):
        words = self._as_words(X, y, reset=not hasattr(self, "model_"))
        return super().partial_fit(*words, classes, sample_weight=sample_weight, epochs=epochs)

    def predict(self, X):
        check_is_fitted(self)
        labels = [self.label_of(tree) for tree in super().predict(self._as_words(X)[0])]
        return np.array([self._of_text.get(label, label) for label in labels])

    def score(self, X, y, sample_weight=None):
        check_is_fitted(self)
        return super().score(*self._as_words(X, y), sample_weight)

    def _as_words(self, X, y=None, *, reset=False):
        X = validate_data(self, X, reset=reset)
        words = [[tuple(str(int(np.floor(v))) for v in (row * self.cells)[: self.cells])] for row in X.tolist()]
        if y is None:
            return words, None
        if len(np.asarray(y).ravel()) != len(words) or (np.asarray(y).dtype.kind == "f" and not np.isfinite(y).all()):
            raise InputError(f"X has {len(words)} rows and y {len(y)} finite numbers; give as many")
        found = {str(label): label for label in np.asarray(y).ravel().tolist()}
        if reset:
            self._of_text = {}
        self._of_text = getattr(self, "_of_text", {}) | found
        return words, [self.tree_of(text) for text in map(str, np.asarray(y).ravel().tolist())]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags
