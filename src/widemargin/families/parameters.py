"""Parameters: an estimator of scikit-learn, its BaseEstimator the base class, though scikit-learn is imported only when it is needed.

Importing scikit-learn (and scipy with it) takes longer than all the rest, and training, answering, saving and loading do without it.
Until somebody asks for what BaseEstimator has, Unasked stands in its place. Looking up such a name gives Parameters its real base, by an
assignment to Parameters.__bases__, and the name is then found there; from that moment on nothing of Unasked is left. So nothing that
scikit-learn does is done here a second time, whatever its version. Where scikit-learn is loaded already, new classes and new objects have
the real base at once; an object that was there before has it when it, or another one, is first asked.
"""

import inspect
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from widemargin.garbage import uncollected

_settling = threading.RLock()


def settle() -> None:
    """Make BaseEstimator the base of Parameters, and let it do for each class below what it does when a class is defined."""
    with uncollected():
        from sklearn.base import BaseEstimator
    with _settling:
        if Parameters.__bases__ != (BaseEstimator,):
            Parameters.__bases__ = (BaseEstimator,)
            for kind in _below(Parameters):
                super(Parameters, kind).__init_subclass__()  # type: ignore[misc]


def settle_if_loaded() -> None:
    """The same where somebody has imported scikit-learn, so that isinstance(estimator, BaseEstimator) holds."""
    if hasattr(sys.modules.get("sklearn.base"), "BaseEstimator"):  # it may be half imported
        settle()


def _below(kind: type) -> Iterator[type]:
    """All subclasses, a class before its own subclasses."""
    each: type
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


class _Asked:
    """A name of BaseEstimator, of the class and of its objects. Where it has none by this name, it made one for each class below."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, thing: Any, owner: type) -> Any:
        if not issubclass(owner, Parameters):
            return self  # Unasked itself is looked at
        settle()
        of = owner if thing is None else thing
        base = super(Parameters, of)
        return getattr(base if hasattr(base, self.name) else of, self.name)


class Unasked:
    """Stands where BaseEstimator will: what must be there without scikit-learn, and names whose use brings it in. Its methods call no
    super(): it may have left the bases meanwhile."""

    __repr__, __dir__, __sklearn_tags__, __sklearn_clone__ = _Asked(), _Asked(), _Asked(), _Asked()
    set_params, get_metadata_routing, _get_param_names = _Asked(), _Asked(), _Asked()
    set_fit_request, set_partial_fit_request, set_score_request = _Asked(), _Asked(), _Asked()
    set_predict_request, set_predict_log_proba_request = _Asked(), _Asked()
    _repr_html_, _repr_mimebundle_ = _Asked(), _Asked()

    def __getattr__(self, name: str) -> Any:
        """What an object lacks: BaseEstimator may have it, unless it is something that fitting sets."""
        if name not in getattr(type(self), "__dataclass_fields__", ()):
            settle()
        return object.__getattribute__(self, name)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name: for training, which needs them as they are."""
        given = list(inspect.signature(type(self).__init__).parameters.values())[1:]
        if deep or any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in given):
            settle()
            return super(Parameters, self).get_params(deep)  # type: ignore[misc]
        return {name: getattr(self, name) for name in sorted(each.name for each in given)}

    def __getstate__(self) -> dict:
        return dict(vars(self))

    def __setstate__(self, state: dict) -> None:
        vars(self).update(state)
        settle_if_loaded()


if TYPE_CHECKING:
    from sklearn.base import BaseEstimator as Base
else:
    Base = Unasked


class Parameters(Base):
    """The base class of estimators, dataclasses whose fields are the parameters; fields that are not for __init__ are what fitting sets."""

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        settle_if_loaded()

    def __post_init__(self) -> None:
        settle_if_loaded()


def check_is_fitted(estimator: Any) -> None:
    """Refuse, as scikit-learn does, an estimator that is not fitted."""
    if not estimator.__sklearn_is_fitted__():
        from sklearn.utils.validation import check_is_fitted as refuse

        refuse(estimator)
