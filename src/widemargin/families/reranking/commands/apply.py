"""widemargin rerank apply."""

from widemargin.errors import InputError
from widemargin.families.reranking.commands.common import ORACLE, choice_of, print_json, reranker, write_lines
from widemargin.families.reranking.mbr import least_risk
from widemargin.families.reranking.metrics import metric_named
from widemargin.families.reranking.scores import choice_scores
from widemargin.families.reranking.sources import open_pool
from widemargin.readers.outputs import check_output


def run(options) -> int:
    """The text of the chosen hypothesis of every sentence; with --json, how good they are too, where there are references."""
    if options.json and options.output is not None:
        raise InputError("--json goes to standard output; leave -o out, or --json")
    output = "-" if options.output is None else options.output
    check_output(output)
    pool = open_pool(options.lists, refs=options.refs, look=options.json or options.model == ORACLE, encoding=options.encoding)
    if options.mbr:
        choice = least_risk(pool, reranker(options.model).log_probabilities(pool))
    else:
        choice = choice_of(options.model, pool)
    texts = [pool.texts[h] for h in choice.tolist()]
    if options.json:
        facts: dict = {"task": "rerank", "texts": texts}
        if pool.references:
            facts["metrics"] = choice_scores(pool, metric_named(pool, "bleu"), choice).as_dict()
        print_json(facts)
    else:
        write_lines(output, texts)
    return 0
