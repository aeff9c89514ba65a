"""What estimators around a model share: its file, pickles that hold data and no code, threads, lines about epochs."""

from typing import Any, ClassVar

from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted


class Kept(BaseEstimator):
    """An estimator whose fitted state is a model of type `_kind`, the attribute `_place`."""

    _kind: ClassVar[Any]
    _place: ClassVar[str]
    n_jobs: int | None

    def save(self, path: str) -> int:
        """Write the model to one .safetensors file, which `widemargin predict` reads too; returns its size in bytes."""
        check_is_fitted(self, self._place)
        return getattr(self, self._place).save(path)

    def __getstate__(self) -> dict:
        """For pickle: plain parameters, and the model as the JSON object and the arrays of its file: data, no code."""
        state = dict(super().__getstate__())
        if self._place in state:
            state[self._place] = state[self._place].parts()
        return state

    def __setstate__(self, state: dict) -> None:
        state = dict(state)
        if self._place in state:
            state[self._place] = self._kind.of_parts(*state[self._place])
        super().__setstate__(state)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._place)

    @property
    def _threads(self) -> int:
        """n_jobs as scikit-learn counts: None is 1, -1 all cores."""
        return effective_n_jobs(self.n_jobs)

    def _say(self, facts: dict) -> None:
        dev = "".join(f"  dev {name} {value:.2f}" for name, value in facts.get("dev", {}).items())
        print(f"epoch {facts['epoch']:3d}  loss {facts['loss']:.5f}{dev}  {facts['seconds']:.1f} s", flush=True)
