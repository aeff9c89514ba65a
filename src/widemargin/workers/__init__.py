"""Long-lived workers that hold objects and are asked things: threads of this process, other processes, or actors of a Ray cluster.

crew.py says what a crew is and replaces workers that die; threads.py, processes.py and cluster.py are the three kinds of worker, and
engines.py makes a crew by name. This file imports nothing: the command line answers --help at once.
"""

ENGINES = ("threads", "processes", "ray")
