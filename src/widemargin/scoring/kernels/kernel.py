"""Kernels on the observation features a, b of two tokens; transitions stay linear (Taskar et al. 2003, yu-lam2008).

linear   <a, b>
poly     (gamma <a, b> + coef)^degree
tanh     tanh(gamma <a, b> + coef), which is not positive definite
rbf      exp(-gamma |a - b|^2)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from widemargin.contents import Contents
from widemargin.engine.names import hint
from widemargin.engine.settings import LARGEST, as_bool, as_number, shown
from widemargin.errors import InputError

USUAL: dict[str, dict[str, float]] = {
    "linear": {},
    "poly": {"degree": 2, "gamma": 1.0, "coef": 1.0},
    "tanh": {"gamma": 0.1, "coef": 0.0},
    "rbf": {"gamma": 0.05},
}
KERNEL_SETTINGS = ("kernel", "degree", "gamma", "coef", "expand", "conjunction_cutoff")
MOST_DEGREE = 16


@dataclass(frozen=True)
class Kernel:
    """A kernel and its constants; those that a kind does not have are ignored."""

    kind: str = "linear"
    degree: int = 2
    gamma: float = 1.0
    coef: float = 1.0

    def __post_init__(self):
        if self.kind not in USUAL:
            raise InputError(f"kernel {self.kind!r} is not known; choose one of {', '.join(USUAL)}{hint(self.kind, USUAL)}")
        if self.kind == "poly" and not (isinstance(self.degree, int) and 1 <= self.degree <= MOST_DEGREE):
            raise InputError(f"degree is {self.degree}; it must be a whole number from 1 to {MOST_DEGREE}")
        if self.kind != "linear" and not 0.0 < self.gamma <= LARGEST:
            raise InputError(f"gamma is {self.gamma}; it must be a number above 0")
        if not abs(self.coef) <= LARGEST or (self.kind == "poly" and self.coef < 0.0):
            raise InputError(f"coef is {self.coef}; it must be a number{' from 0 up' if self.kind == 'poly' else ''}")

    @classmethod
    def from_contents(cls, own: Contents) -> "Kernel":
        """A kernel as it is in a model's header."""
        return cls(own.field("kind", str), own.whole("degree", 1, MOST_DEGREE), own.field("gamma", float), own.field("coef", float))

    def settings(self) -> dict[str, Any]:
        """The settings that make this kernel; none for the linear one."""
        if self.kind == "linear":
            return {}
        return {"kernel": self.kind} | {name: getattr(self, name) for name in USUAL[self.kind]}


LINEAR = Kernel()


def kernel_named(kind: str, constants: Mapping[str, Any]) -> Kernel:
    """A kernel with its usual constants, some of them changed; text from the command line is read as numbers."""
    if not isinstance(kind, str):
        raise InputError(f"kernel is {shown(kind)}; give one of {', '.join(USUAL)}")
    values = dict(USUAL.get(kind, {}))
    for name, value in constants.items():
        if kind in USUAL and name not in values:
            having = [other for other, usual in USUAL.items() if name in usual]
            raise InputError(f"{name} is a constant of kernel={' or '.join(having)}, not of kernel={kind}; drop it or change the kernel")
        values[name] = as_number(name, value, int if name == "degree" else float)
    return Kernel(kind, **values)  # type: ignore[arg-type]


def kernel_settings(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What settings say of the kernel, as fields of a recipe, and all others. expand: write the kernel out as weighted conjunctions;
    conjunction_cutoff: without those that fire less often in training."""
    rest = dict(settings)
    own: dict[str, Any] = {name: rest.pop(name) for name in KERNEL_SETTINGS if name in rest}
    expand = as_bool("expand", own.pop("expand", False))
    cutoff = as_number("conjunction_cutoff", own.pop("conjunction_cutoff", 1), int)
    kernel = kernel_named(own.pop("kernel", "linear"), own)
    if expand and kernel.kind != "poly":
        raise InputError(f"kernel={kernel.kind} cannot be written out as conjunctions, only kernel=poly can; drop expand or change it")
    if cutoff < 1 or (cutoff > 1 and not expand):
        raise InputError(f"conjunction_cutoff is {cutoff}; it must be at least 1, and more than 1 only with kernel=poly,expand=true")
    return {"kernel": kernel, "expand": expand, "conjunction_cutoff": cutoff}, rest
