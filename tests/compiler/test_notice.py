"""Somebody who waits is told that kernels are being compiled, once."""

from widemargin.compiler import notice


def test_the_listener_is_told_once():
    told: list[str] = []
    notice.listen(told.append)
    notice.compiling()
    notice.compiling()
    assert told == [notice.COMPILING]
    notice.listen(told.append)
    notice.listen(lambda text: told.append("the second"))
    notice.compiling()
    assert told == [notice.COMPILING, "the second"]
