"""A model of every kind, as the header and the arrays of its file: those of data/models-v3, and small ones put together by hand. Nothing is
trained, and `ask` puts all the questions that reach a model's arrays."""

import copy
import functools
import pathlib
import warnings

import numpy as np
import span_parsing

from widemargin import models
from widemargin.families.constituency.model import ChartParser
from widemargin.families.coreference.documents import Document, documents_of
from widemargin.families.coreference.features import LinkFeatures
from widemargin.families.coreference.model import LinkWeights, Resolver
from widemargin.families.coreference.templates import parse_link_templates
from widemargin.families.dependencies.conllu import Choices, _parse
from widemargin.families.dependencies.model import Parser
from widemargin.families.registry import family_of_model
from widemargin.families.reranking.hypotheses import pool_of
from widemargin.families.reranking.model import ListWeights, RerankModel
from widemargin.families.summaries.candidates import Extraction
from widemargin.families.summaries.clusters import clusters_of
from widemargin.families.summaries.model import SummaryModel, SummaryWeights
from widemargin.families.summaries.templates import parse_summary_templates
from widemargin.families.tagging.constraints import legal_of
from widemargin.families.tagging.model import Tagger
from widemargin.families.tagging.tasks import TASKS
from widemargin.features.expansion import Expansion
from widemargin.features.explicit import ColumnIndex, Given
from widemargin.features.extractor import Extractor
from widemargin.features.lexicons import Lexicon
from widemargin.features.sequences import read_sequences
from widemargin.features.templates import parse_templates
from widemargin.readers.columns import from_sentences
from widemargin.scoring.kernels import Kernel
from widemargin.scoring.score import Linear

FOLDER = pathlib.Path(__file__).parents[1] / "data" / "models-v3"
LABELS = ("A", "B", "C")
TEMPLATES = 'word[-1..1]\nword[0] pos[1]\nin(word,"animals")\nhad(word,pos,2)\nseen(word,pos)\nlabel[-1] pos[0]'
WORDS = [[("the", "DT"), ("cat", "NN"), ("sees", "VB"), ("a", "DT"), ("dog", "NN")], [("dogs", "NN"), ("see", "VB")]]
ITEMS = [[["w=the", "p=DT"], ["w=cat", "p=NN"], ["w=sees"]], [["w=cat"]]]
TREE = "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_\n3\tsat\tsit\tVERB\tVBD\t_\t0\troot\t_\t_\n\n"


def tagger(source, data, *, columns=(), structure="chain", constraints=None) -> Tagger:
    """A tagger with random weights of what a source of features finds in data."""
    random = np.random.default_rng(3)
    source.fit(data)
    edges = 0 if structure == "choice" else len(LABELS) * (1 + len(source.edges))
    name, legal = legal_of(constraints, LABELS) if constraints else ("", None)
    facts = {"columns": [*columns, "label"] if columns else [], "learner": {"name": "ops"}, "sentences": 2, "tokens": 7, "history": []}
    weights = Linear(*(random.normal(size=(rows, 4)).astype(np.float32) for rows in (len(source.nodes), edges)))
    given = {"scheme": "", "inside": "", "label_column": "-1", "constraints": name, "structure_name": structure}
    return Tagger(TASKS["tag"], LABELS, **given, extractor=source, weights=weights, facts=facts, legal=legal)


def words_tagger(text=TEMPLATES, *, expand=False, **more) -> Tagger:
    """A tagger of words by templates."""
    source = Extractor(parse_templates(text, lexicons={"animals": Lexicon.of("animals", ["cat", "dog"])}))
    data = from_sentences(WORDS, names=["word", "pos"])
    return tagger(Expansion(source, Kernel("poly", 2)) if expand else source, data, columns=("word", "pos"), **more)


def chart_parser(structure) -> ChartParser:
    """A constituency parser with random weights."""
    found = span_parsing.posed(structure)
    return found.finish(
        span_parsing.random_weights(found.problem), {"learner": {"name": "ops"}, "sentences": 4, "tokens": 12, "history": []}
    )


def summariser() -> SummaryModel:
    """A summariser with random weights."""
    templates = parse_summary_templates("bias\ncount stop\nsentence: length", "<templates>")
    weights = np.random.default_rng(3).normal(size=sum(len(template.names) for template in templates)).astype(np.float32)
    facts = {"learner": {"name": "ops"}, "sentences": 2, "tokens": 7, "history": []}
    return SummaryModel(templates, SummaryWeights(weights), Extraction(8), 1000, facts=facts)


def resolver() -> Resolver:
    """A coreference resolver with random weights."""
    features = LinkFeatures(parse_link_templates("new\nbias\nrank\nmention.head antecedent.head\nbetween\n"), 10)
    weights = LinkWeights(np.random.default_rng(3).normal(size=(features.rows, 16)).astype(np.float32))
    facts = {"learner": {"name": "ops"}, "sentences": 4, "tokens": 12, "history": []}
    return Resolver("lists", features, weights, 5, "file", True, facts)


def reranker() -> RerankModel:
    """A reranker of two features and of words."""
    names, facts = ("lm", "tm", "word:a"), {"learner": {"name": "ops"}, "sentences": 2, "tokens": 7, "history": []}
    return RerankModel(names, ListWeights(np.array([0.5, -1.5, 2.0])), np.ones(3), ("lm", "tm", "text:words"), "bleu", "add-1", facts)


MADE = {
    "templates": words_tagger,
    "expansion": lambda: words_tagger("word[0]\npos[-1..0]", expand=True),
    "pairs": lambda: words_tagger("word[0]", constraints=[(a, b) for a in LABELS for b in LABELS if a <= b]),
    "names": lambda: tagger(Given(), read_sequences(ITEMS)),
    "hashed-names": lambda: tagger(Given(bits=4), read_sequences(ITEMS)),
    "columns": lambda: tagger(Given(), read_sequences([np.eye(3), np.ones((1, 3))])),
    "expanded-names": lambda: tagger(Expansion(Given(), Kernel("poly", 2)), read_sequences(ITEMS)),
    "packed": lambda: Parser.load(str(FOLDER / "eisner-labelled.safetensors")).prune(threshold=0.01),
    **{f"spans-{name}": functools.partial(chart_parser, name) for name in ("bigrams", "rules", "labels", "wcfg")},
    "links": lambda: resolver(),
    "links-packed": lambda: resolver().prune(threshold=0.5),
    "spans-packed": lambda: chart_parser("bigrams").prune(threshold=0.5),
    "summaries": summariser,
    "lists": reranker,
}
NAMES = [*MADE, *sorted(path.stem for path in FOLDER.glob("*.safetensors"))]


@functools.cache
def _parts(name):
    if name in MADE:
        return MADE[name]().parts()
    return models.load(FOLDER / f"{name}.safetensors", verify=True)


def parts(name: str) -> tuple[dict, dict[str, np.ndarray]]:
    """The header and the arrays of a model of this kind, to be changed at will."""
    return copy.deepcopy(_parts(name))


def load(path: str):
    """A model as Python loads it."""
    header, arrays = models.load(path)
    return family_of_model(header, path).load(header, arrays, path)


def ask(model) -> list:
    """Everything that a model says of a small text."""
    if isinstance(model, SummaryModel):
        found = model.predict(clusters_of([["The cat sat on a mat. The dog ran off.", "The cat sat there."]]))
        return [[(summary.sentences, summary.score) for summary in found], model.names, model.summary()]
    if isinstance(model, RerankModel):
        pool = pool_of([[("a b", {"lm": 1.0, "tm": -2.0}), ("c", {"lm": 0.5}), ("", {})]])
        return [model.predict(pool).tolist(), model.log_probabilities(pool).tolist(), model.names, model.summary()]
    if isinstance(model, ChartParser):
        with warnings.catch_warnings(action="ignore"):  # of sentences that a grammar has no tree for
            parsed, probability, log_probability = model.marginals(span_parsing.small())
            kbest = model.kbest(span_parsing.small(), 2) if model.inventory.kind.grammar else []
        answers = [parsed.trees.node.tolist(), probability.tolist(), log_probability.tolist(), [len(ranked) for ranked in kbest]]
        return [*answers, model.predict(span_parsing.small()).score.tolist(), model.summary()]
    if isinstance(model, Resolver):
        document = documents_of([Document("d", [["Ann", "saw", "her", "dog"]], [(0, 1), (2, 3), (2, 4)], [0, 0, 1], [""] * 3)])
        return [model.candidates(document).tolist(), [row.tolist() for row in model.marginals(document)], model.summary()]
    if isinstance(model, Parser):
        guess = model.predict(_parse(TREE.encode(), "<tree>", Choices("conllu", True, True)))
        return [guess.heads.tolist(), guess.relation.tolist(), model.summary()]
    source = model.extractor
    names = [index.names() for index in (source.nodes, source.edges)]
    if model.takes == "features":
        width = source.nodes.width if isinstance(source.nodes, ColumnIndex) else 0
        data = read_sequences([np.ones((2, width))] if width else ITEMS)
    else:
        columns = model.input_columns()
        data = from_sentences([[(*word, "O", "O", "O")[: len(columns)] for word in row] for row in WORDS], names=columns)
    codes, values = model.predict(data)
    return [[values[code] for code in codes], names, model.marginals(data).tolist(), model.summary()]
