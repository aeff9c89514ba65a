"""Standard streams that are closed, full, cut off or of a locale without most letters: a sentence and a status, or it works."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = f"{sys.executable} -m widemargin"
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}


def shell(line, **environment):
    """A line of a shell, run with plain kernels: status of the program (not of what follows it), output, messages."""
    settings = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"} | environment  # hashes wrap around
    done = subprocess.run(["bash", "-c", line + "; exit ${PIPESTATUS[0]}"], env=settings, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize(
    ("command", "buffered"), [("--help", ""), ("--help", "1"), ("list tasks", ""), ("data town dev --sentences 60", "1")]
)
def test_output_that_is_lost_is_told_but_not_when_its_reader_has_enough(command, buffered):
    for to, why in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
        status, out, err = shell(f"{PROGRAM} {command} {to}", PYTHONUNBUFFERED=buffered)
        assert (status, out) == (2, "")
        assert err == (f"widemargin: reading standard input or writing standard output failed ({why}); check where they lead to\n")
    status, out, err = shell(f"{PROGRAM} {command} | head -1", PYTHONUNBUFFERED=buffered)
    assert (status, out.count("\n"), err) == (0, 1, "")


def test_messages_that_are_lost_change_nothing():
    for to in ("2>/dev/full", "2>&-"):
        assert shell(f"{PROGRAM} list tasks {to}")[0] == 0
        assert shell(f"{PROGRAM} list nothing {to}") == (2, "", "")
        assert shell(f"{PROGRAM} data stats no-such-file {to}") == (2, "", "")


def test_training_goes_on_without_messages_and_a_closed_stream_is_no_place_for_a_model(tmp_path):
    """Files opened later would take the numbers of closed streams."""
    (tmp_path / "train").write_text("a D B-X\nb N I-X\n\nc V O\n\n")
    line = f"cd {tmp_path}; {PROGRAM} train chunk train --epochs 2 -o "
    assert shell(line + "right")[0] == 0
    assert shell(line + "quiet 2>/dev/full")[0] == 0
    assert shell(line + "closed <&- 2>&-")[0] == 0
    status, out, err = shell(line + "silent >&- <&-")
    assert (status, out, "Bad file descriptor" in err) == (2, "", True)
    for name in ("quiet", "closed", "silent"):
        assert (tmp_path / name).read_bytes() == (tmp_path / "right").read_bytes()
    assert shell(f"{PROGRAM} predict {tmp_path}/right <&-") == (2, "", "widemargin: standard input is closed; name a file instead.\n")
    status, out, err = shell(f"{PROGRAM} predict {tmp_path}/right {tmp_path}/train >/dev/full")
    assert (status, out, err.count("\n"), "No space left" in err) == (2, "", 1, True)


def test_a_locale_without_letters(tmp_path):
    """Text is UTF-8, as data are; names of files are bytes."""
    path = tmp_path / "größe"
    path.write_text("Café D B-ü\n日本 N I-ü\n\nc V O\n\n", encoding="utf-8")
    line = f"{PROGRAM} data stats {path}"
    plain, narrow = shell(line, LC_ALL="C.UTF-8"), shell(line, **ASCII)
    assert plain == narrow
    assert "B-ü" in narrow[1]
    found = json.loads(shell(line + " --json", **ASCII)[1])
    assert found["labels"] == {"B-ü": 1, "I-ü": 1, "O": 1}
    model = f"{tmp_path}/modèle"
    status, out, err = shell(f"{PROGRAM} train chunk {path} --epochs 1 -o {model}", **ASCII)
    assert (status, f"{model}: " in out) == (0, True), err
    status, out, _ = shell(f"{PROGRAM} predict {model} {path}", **ASCII)
    assert (status, out.split(" ")[0]) == (0, "Café")
    status, _, err = shell(f"{PROGRAM} data stats {tmp_path}/größer", **ASCII)
    assert (status, err.count("\n"), "no such file" in err) == (2, 1, True)
