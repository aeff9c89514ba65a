"""The kinds of workers by name, for whoever must not import them: the command line answers --help at once."""

ENGINES = ("threads", "processes", "ray")
