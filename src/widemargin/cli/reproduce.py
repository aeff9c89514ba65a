"""widemargin reproduce."""

import shlex

from widemargin.cli import flags
from widemargin.cli.common import Progress, epoch_line, print_json, say_if_no_figure, threads_of


def declare(command) -> None:
    from widemargin.study.papers import REPRODUCTIONS

    command.add_argument("name", metavar="NAME", help=", ".join(REPRODUCTIONS))
    kummerfeld = "ner, chunk, mst-projective, mst-nonprojective, span-parser, coref or summarization (ner)"
    tasks = f"kummerfeld: {kummerfeld}; bauer: short, long or all (short)"
    command.add_argument("--task", metavar="TASK", help=tasks)
    command.add_argument("--data", metavar="DIR", help="folder with conll2003/, conll2000/ ($WIDEMARGIN_DATA; else the embedded corpus)")
    command.add_argument(
        "--sentences", action=flags.Number, metavar="N", help="only the first N of each file; yu-lam: of the training file, 0: all"
    )
    folds = "letters: train on each of the first N folds alone (all); bauer: test on the first N (all)"
    command.add_argument("--folds", action=flags.Number, low=1, metavar="N", help=folds)
    command.add_argument("--epochs", action=flags.Number, low=1, metavar="N", help="sweeps over the data (the study's own)")
    seed = "seed of all random choices; the first, where a study has several (1)"
    command.add_argument("--seed", action=flags.Number, high=flags.LAST_SEED, metavar="N", help=seed)
    command.add_argument("--samples", action=flags.Number, low=1, metavar="N", help="samples of the paired bootstrap (10000)")
    command.add_argument(
        "--seeds",
        action=flags.Number,
        low=1,
        metavar="N",
        help="tuned studies, yu-lam tables: how many seeds the chosen settings are trained with (3)",
    )
    rows = "tuned studies, bauer-table1, yu-lam tables: only rows whose names are these or begin with these, separated by semicolons (all)"
    command.add_argument("--only", metavar="ROWS", help=rows)
    command.add_argument("--quick", action="store_true", default=None, help="a small study of the embedded corpus")
    command.add_argument("-o", "--output", metavar="DIR", help="where table, figure and JSON go (the name)")
    flags.engine(command, "the fits of tuned studies", ("processes", "ray"))
    flags.machine(command)


def run(options) -> int:
    """A figure or a table of a paper; what the study at hand cannot be told is refused."""
    from widemargin.errors import InputError
    from widemargin.readers.outputs import check_folder
    from widemargin.study.reproduction import Settings, refuse_unused, reproduction_named

    progress, report_of = Progress(), reproduction_named(options.name)
    say_if_no_figure(progress)
    name = f"{options.name}-{options.task}" if options.task else options.name
    folder = name if options.output is None else options.output
    check_folder(folder)
    names = ("task", "data", "sentences", "folds", "epochs", "seed", "samples", "seeds", "threads", "quick", "only", "engine")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    refuse_unused(options.name, given)
    if options.quick and options.data is not None:
        raise InputError("--quick is on the embedded corpus; leave --data out")
    words = [f"--{name.replace('_', '-')}" + ("" if x is True else f" {shlex.quote(str(x))}") for name, x in given.items()]
    command = " ".join(["widemargin reproduce", options.name, *words])
    given |= {
        "engine": flags.chosen_engine(options),
        "only": tuple(part.strip() for part in (options.only or "").split(";") if part.strip()),
    }

    def listen(name: str, facts: dict) -> None:
        progress(f"{name}: {epoch_line(facts)}")

    report = report_of(Settings(**given | {"threads": threads_of(options), "folder": folder}, listen=listen, say=progress))
    progress.end()
    written = report.write(folder, name, command)
    if options.json:
        print_json({"reproduces": options.name} | report.facts | {"files": written})
        return 0
    print(report.text(), end="")
    print(f"\nreport: {', '.join(written)}")
    return 0
