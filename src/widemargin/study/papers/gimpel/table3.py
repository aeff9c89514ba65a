"""Table 3: what each objective asks for, as the paper prints it and as this library declares it (engine/objectives.py)."""

from widemargin.engine.objectives import OBJECTIVES
from widemargin.show.tables import Column
from widemargin.study.papers.gimpel.methods import METHODS, Method
from widemargin.study.papers.gimpel.published import COSTLY_DECODING, COSTLY_SUMMING, DECODING, PRODUCTS, SUMMING, TABLE3
from widemargin.study.reproduction import Report, Section, Settings

WORDS = {True: "yes", False: "no", None: "-"}


def properties(method: Method) -> dict:
    """What our objective needs of a structure, whether it has a cost, whether F is convex, and whether it is one of probabilities: both of
    its terms are sums over outputs, or an expectation."""
    own = OBJECTIVES[method.objective]
    kinds = {("argmax", False): DECODING, ("argmax", True): COSTLY_DECODING, ("logsum", False): SUMMING, ("logsum", True): COSTLY_SUMMING}
    (need,) = own.needs
    requirements = PRODUCTS if need == "tilt" else kinds[need, own.costly]
    return {"requirements": requirements, "cost": own.costly, "convex": own.convex, "probabilistic": need != "argmax"}


def report(settings: Settings) -> Report:
    """Ours beside theirs."""
    rows = []
    for method in METHODS:
        ours, theirs = properties(method), TABLE3[method.name]._asdict()
        cells = {key: f"{WORDS.get(value, value)}" for key, value in ours.items()}
        rows.append({"method": method.name} | cells | {f"their_{key}": f"{WORDS.get(value, value)}" for key, value in theirs.items()})
    columns = [Column("method")]
    for key, title in (("requirements", None), ("cost", "cost function"), ("convex", None), ("probabilistic", "probabilistic")):
        columns += [Column(key, title), Column(f"their_{key}", "theirs")]
    return Report([Section("Table 3: comparison of objective functions", rows, columns)], {"rows": rows})
