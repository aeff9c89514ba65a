"""Python in a child process: what a cache holds shows in another process, and a crash must not be ours.

A process that has imported Numba and compiled a function, which takes longer than most scripts, waits for scripts, and a copy of it (fork)
runs each. Scripts import the package themselves. Where settings of Numba are others, a new process does all of this.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile

import pytest

compiled = pytest.mark.compiled
PYTHON = [sys.executable, "-W", "error::RuntimeWarning", "-c"]

# A request is a line of standard input, and its answer the status of a process. The copy leaves the loop and is the script.
WAITING = """
import json, os, sys, types, warnings
import numba
numba.njit(lambda x: x + 1)(1)
for line in sys.stdin:
    with warnings.catch_warnings(action="ignore"):
        copy = os.fork()
    if not copy:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]), flush=True)
else:
    sys.exit()
request = json.loads(line)
for place, file in enumerate((os.devnull, *request["files"])):
    os.dup2(os.open(file, os.O_RDWR), place)
os.environ |= request["environment"]
sys.path.insert(0, request["folder"])
main = sys.modules["__main__"] = types.ModuleType("__main__")
exec(compile(request["script"], "<string>", "exec"), main.__dict__)
"""


@functools.cache
def waiting() -> subprocess.Popen:
    """The process that waits for scripts, for as long as this one lives."""
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    process = subprocess.Popen([*PYTHON, WAITING], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)  # which ends its input
    return process


def child(folder, script, *, fails=False, anew=False, **environment):
    """Run a script with modules and kernel cache in `folder`: its standard output, or, if it `fails`, the finished process.

    anew: it counts on a Numba that nobody has used, or on output that is no file.
    """
    environment = {"WIDEMARGIN_CACHE": str(folder / "cache"), **environment}
    anew |= not hasattr(os, "fork") or any(name.startswith("NUMBA_") for name in environment)
    run = (from_the_beginning if anew else copied)(folder, script, environment)
    assert fails == (run.returncode != 0), run.stderr
    return run if fails else run.stdout.strip()


def from_the_beginning(folder, script, environment) -> subprocess.CompletedProcess:
    """The script in a new process."""
    # Python's own cache of modules takes two edits in a second for one
    settings = {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*PYTHON, script], env=os.environ | settings | environment, capture_output=True, text=True, check=False)


def copied(folder, script, environment) -> subprocess.CompletedProcess:
    """The script in a copy of the process that waits."""
    with tempfile.NamedTemporaryFile("r") as out, tempfile.NamedTemporaryFile("r") as errors:
        request = {"script": script, "folder": str(folder), "environment": environment, "files": [out.name, errors.name]}
        process = waiting()
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        status = int(process.stdout.readline())
        return subprocess.CompletedProcess(script, status, out.read(), errors.read())
