"""Papers whose results are reproduced, each in a folder of its own."""

TUNED = ("samples", "seeds", "only", "engine", "quick")
GIMPEL = ("data", "sentences", "epochs", "seed", "threads", "quick")
KUMMERFELD = ("data", "sentences", "epochs", "seed")
YULAM = (*KUMMERFELD, "quick")
BAUER = ("data", "sentences", "epochs", "folds", "quick")
# name -> (module that has a function `report`, the settings that it reads)
REPRODUCTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "gimpel-figure2": ("gimpel.losses", ("quick",)),
    "gimpel-table2": ("gimpel.table2", (*GIMPEL, "samples", "seeds", "only", "engine")),
    "gimpel-hidden": ("gimpel.hidden", (*GIMPEL, "samples")),
    "gimpel-table3": ("gimpel.table3", ("quick",)),
    "gimpel-features": ("gimpel.features", ("data", "sentences", "quick")),
    "gimpel-gazetteers": ("gimpel.gazetteers", GIMPEL),
    "gimpel-figure3": ("gimpel.figure3", GIMPEL),
    "bauer-table1": ("bauer.table1", ("task", "only", *BAUER)),
    "bauer-figure2": ("bauer.figure2", BAUER),
    "bauer-scaling": ("bauer.scaling", ("data", "sentences", "quick")),
    "kummerfeld-table1": ("kummerfeld.table1", ("task", *YULAM)),
    "kummerfeld-figure1": ("kummerfeld.table1", ("task", *YULAM)),
    "kummerfeld-grid": ("kummerfeld.grid", ("task", *KUMMERFELD, "threads", *TUNED)),
    "kummerfeld-updates": ("kummerfeld.updates", ("task", "data", "sentences", "seed", "quick")),
    "kummerfeld-batches": ("kummerfeld.batches", ("task", "data", "sentences", "seed", "threads", "quick")),
    "yu-lam-table2": ("yulam.table2", (*YULAM, "only", "samples", "seeds")),
    "yu-lam-table3": ("yulam.table3", (*YULAM, "only", "samples", "seeds")),
    "yu-lam-table4": ("yulam.table4", (*YULAM, "samples", "seeds")),
    "yu-lam-figure2": ("yulam.figure2", YULAM),
    "yu-lam-figure3": ("yulam.figure3", YULAM),
    "eidelman-lists": ("eidelman.lists", ("data", "sentences", "epochs", "seed", "quick")),
    "letters": ("letters.table", ("data", "sentences", "folds", "epochs", "seed", "threads")),
}
