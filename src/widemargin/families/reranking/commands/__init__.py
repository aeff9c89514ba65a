"""widemargin rerank: tune weights on lists, apply them, look at oracles and differences. Each action is a module of this folder, imported
when it runs; flags are declared here, which costs nothing."""

import argparse
import importlib

ACTIONS = {
    "tune": "weights that choose well by a metric, by MERT, MIRA, RM, PRO or RAMPION; `train rerank` has the learners",
    "apply": "the chosen hypotheses, one text per line",
    "oracle": "what the best hypotheses of the first n would reach",
    "diff": "a sheet of sentences that two systems choose differently, to be judged by a person",
}
FILES = "an n-best list, JSON lines or a table (.gz too), - for standard input, or town:train, town:dev, town:test"


def _tune(action: argparse.ArgumentParser) -> None:
    action.add_argument("-o", "--output", required=True, metavar="MODEL")
    action.add_argument("--dev", metavar="DEV", help="development lists: the best weights on them are kept")
    action.add_argument("--tuner", default="mira", metavar="NAME", help="mert, mira, pro, rampion or rm (mira)")
    action.add_argument("--metric", default="bleu", metavar="NAME", help="bleu, ter, chrf, wer, cer, or a column of the lists (bleu)")
    action.add_argument(
        "--smoothing", default="add-1", metavar="NAME", help="smoothing of the BLEU of one sentence: add-1, exp, all-1, floor, none (add-1)"
    )
    action.add_argument("--templates", metavar="FILE", help="which features: see `widemargin list templates` (given)")
    action.add_argument("--start", metavar="MODEL", help="begin with this model's weights (1 for every feature)")
    action.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the tuner")
    action.add_argument("--seed", default="1", metavar="N", help="seed of all random choices (1)")


def _apply(action: argparse.ArgumentParser) -> None:
    action.add_argument("model", metavar="MODEL", help="a model of rerank, or first or oracle")
    action.add_argument("-o", "--output", metavar="OUT", help="where the texts go (standard output)")
    action.add_argument("--mbr", action="store_true", help="minimum Bayes risk: the highest expected BLEU over the model's list")


def _oracle(action: argparse.ArgumentParser) -> None:
    action.add_argument("--metric", default="bleu", metavar="NAME", help="bleu, ter, chrf, wer, cer, or a column of the lists (bleu)")
    action.add_argument("-o", "--output", metavar="OUT", help="write the texts of the oracle to this file, one per line")


def _diff(action: argparse.ArgumentParser) -> None:
    action.add_argument("system", metavar="SYSTEM", help="a model of rerank, or first or oracle")
    action.add_argument("other", metavar="OTHER", nargs="?", default="first", help="another such model, or first or oracle (first)")
    action.add_argument("--sample", default="15", metavar="N", help="how many sentences, drawn at random; 0: all (15)")
    action.add_argument("--blind", action="store_true", help="shuffle the two in every line; OUT.key says which is which")
    action.add_argument("--seed", default="1", metavar="N", help="seed of the sample and of --blind (1)")
    action.add_argument("--src", metavar="FILE", help="the sentences that were translated, a line for each")
    action.add_argument("-o", "--output", metavar="OUT", help="a table with tabs (standard output)")


OWN_FLAGS = {"tune": _tune, "apply": _apply, "oracle": _oracle, "diff": _diff}


def declare(command: argparse.ArgumentParser) -> None:
    """The flags of all actions."""
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, about in ACTIONS.items():
        action = actions.add_parser(name, help=about, description=about)
        action.add_argument("lists", metavar="LISTS", help=FILES)
        OWN_FLAGS[name](action)
        action.add_argument(
            "--refs", metavar="FILES", help="files of references, separated by commas, {stem} for the lists' name (STEM.ref*)"
        )
        action.add_argument("--encoding", default="utf-8", help="encoding of the input files (utf-8)")
        action.add_argument("--json", action="store_true", help="one JSON object on standard output and nothing else there")


def run(options: argparse.Namespace) -> int:
    """The action at hand."""
    return importlib.import_module(f"{__name__}.{options.action}").run(options)
