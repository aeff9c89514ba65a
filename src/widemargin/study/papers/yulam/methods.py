"""The methods of the study as data, and what the paper prints for them.

l2 is C/n with C = 1, for the CRF too (CRF++'s own setting, c = 1). A step size of sgd is one of `rates`, in units of 1 / K(x, x) for a
token of average length, chosen on held-out data (learning.py).
"""

import math
from dataclasses import dataclass, field, replace

from widemargin.families.recipes import Recipe
from widemargin.scoring.kernels import LINEAR, Kernel
from widemargin.study.papers.yulam.data import TASK

EPOCHS, NEURAL_EPOCHS = 30, 20  # the paper: 100 and 20
RATES, NEURAL_RATES = (0.05, 0.2, 0.8), (0.001, 0.004, 0.016)  # tanh is not positive definite, and large steps lead astray
SCALED = 0.3  # gamma = coef of the scaled quadratic kernel, that of benchmarks/quadratic.py


@dataclass(frozen=True)
class Published:
    """A line of the paper's Table 2 or 3."""

    iterations: int
    seconds: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Method:
    """A line of ours. rates: to choose from; none when the settings say the step size, or the learner has none."""

    name: str
    learner: str
    kernel: Kernel = LINEAR
    objective: str = "hinge"
    settings: dict = field(default_factory=dict)
    rates: tuple[float, ...] = ()
    expand: bool = False
    epochs: int = EPOCHS
    l2: float = 1.0  # divided by the number of sentences
    published: Published | None = None
    templates: str = "np-chunking"  # the paper's Table 1
    kernels: tuple[Kernel, ...] = ()  # to choose from on held-out data; none: `kernel` it is

    def recipe(self, sentences: int, seed: int, **settings) -> Recipe:
        """For so many sentences. Labels as in the file and no constraints, as in the paper."""
        own: dict = {"epochs": self.epochs} | self.settings
        own |= settings | {"seed": seed}
        return Recipe(
            task=TASK,
            learner=self.learner,
            objective=self.objective,
            l2=self.l2 / sentences,
            templates=self.templates,
            labels="as-is",
            constraints="none",
            kernel=self.kernel,
            expand=self.expand,
            settings=own,
        )

    def lasting(self, epochs: int | None) -> "Method":
        """This method with other epochs, if any are given."""
        return self if epochs is None else replace(self, epochs=epochs)

    def likeness(self, features: float) -> float:
        """K(x, x) of a token with so many features."""
        kernel = self.kernel
        inside = kernel.gamma * features + kernel.coef
        return {"linear": features, "poly": inside**kernel.degree, "tanh": math.tanh(inside)}[kernel.kind]


def poly(degree: int) -> Kernel:
    """(<a, b> + 1)^degree, as in the paper."""
    return Kernel("poly", degree)


NEURAL = Kernel("tanh", gamma=0.1, coef=0.0)  # the paper's s, chosen on its held-out data for its features
NEURAL_KERNELS = tuple(Kernel("tanh", gamma=s, coef=0.0) for s in (0.1, 0.05, 0.02, 0.01, 0.005))  # to choose from for ours
SCALED_PAIRS = Kernel("poly", 2, gamma=SCALED, coef=SCALED)

SMO = (
    Method("SMO, linear", "smo", published=Published(100, 1176, 94.59, 94.22, 94.40)),
    Method("SMO, quadratic", "smo", poly(2), published=Published(100, 30792, 94.88, 94.49, 94.68)),
    Method("SMO, cubic", "smo", poly(3), published=Published(100, 30889, 94.47, 94.01, 94.24)),
    Method("SMO, biquadratic", "smo", poly(4), published=Published(100, 31556, 93.90, 93.77, 93.83)),
    Method("SMO, neural", "smo", NEURAL, epochs=NEURAL_EPOCHS, published=Published(20, 7395, 94.42, 94.02, 94.22)),
    Method("SMO, neural, held out", "smo", kernels=NEURAL_KERNELS, epochs=NEURAL_EPOCHS),
)
SGD = (
    Method("SGD, linear", "sgd", rates=RATES, published=Published(100, 89, 94.58, 94.21, 94.39)),
    Method("SGD, quadratic", "sgd", poly(2), rates=RATES, published=Published(100, 1820, 94.89, 94.50, 94.69)),
    Method("SGD, cubic", "sgd", poly(3), rates=RATES, published=Published(100, 1831, 94.47, 94.01, 94.24)),
    Method("SGD, biquadratic", "sgd", poly(4), rates=RATES, published=Published(100, 1857, 93.91, 93.76, 93.83)),
    Method("SGD, neural", "sgd", NEURAL, rates=NEURAL_RATES, epochs=NEURAL_EPOCHS, published=Published(20, 477, 94.40, 94.01, 94.20)),
    Method("SGD, neural, held out", "sgd", kernels=NEURAL_KERNELS, rates=RATES, epochs=NEURAL_EPOCHS),
)
CRF = Method("CRF, L-BFGS", "lbfgs", objective="likelihood", epochs=100, published=Published(100, 352, 94.55, 94.09, 94.32))
SCALED_SGD = Method("SGD, quadratic, scaled", "sgd", SCALED_PAIRS, rates=RATES)

# all training sentences; kernels written out as conjunctions. The paper's own learners, then ours.
WHOLE_SGD = Method("SGD, linear", "sgd", rates=RATES, published=SGD[0].published)
WHOLE_PAIRS = Method("SGD, quadratic, written out", "sgd", poly(2), rates=RATES, expand=True, epochs=10, published=SGD[1].published)
WHOLE_OPS = Method("OPS, linear, averaged", "ops", settings={"rate": 0.1, "average": True}, epochs=8, l2=0.0)
WHOLE_OPS_PAIRS = Method("OPS, quadratic, scaled, written out", "ops", SCALED_PAIRS, settings={"rate": 0.05}, expand=True, epochs=4, l2=0.0)
# the same M3N by averaged iterates, and by meta-descent, which is what the paper calls SGD; mu as in the learner's usual setting
WHOLE_MEAN = Method("SGD, linear, averaged", "sgd", rates=RATES, settings={"average": True})
WHOLE_META = Method("SMD, linear", "smd", rates=RATES, settings={"mu": 0.1})
WHOLE_META_MEAN = Method("SMD, linear, averaged", "smd", rates=RATES, settings={"mu": 0.1, "average": True})
WHOLE_META_PAIRS = replace(WHOLE_PAIRS, name="SMD, quadratic, written out", learner="smd", settings={"mu": 0.1}, published=None)
# conjunctions of features, which the paper's Table 1 does not print
RICH_CRF = Method("CRF, L-BFGS, conjunctions", "lbfgs", objective="likelihood", epochs=100, templates="chunk-rich")
RICH_MEAN = Method("SGD, linear, averaged, conjunctions", "sgd", rates=RATES, settings={"average": True}, templates="chunk-rich")
WHOLE = (WHOLE_SGD, WHOLE_MEAN, WHOLE_META, WHOLE_META_MEAN, WHOLE_PAIRS, WHOLE_META_PAIRS, WHOLE_OPS, WHOLE_OPS_PAIRS, RICH_CRF, RICH_MEAN)
