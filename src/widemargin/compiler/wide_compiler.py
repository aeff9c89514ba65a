"""Numba's compiler, with references counted where rows of labels have memory of their own (lanes_wide.py).

Other functions count none, so what they return is the caller's argument, uncounted; a caller that does count would let go of it once too
often. Therefore a function that returns arrays to one with wide rows must know of them itself: an argument must have their lanes.
"""

import numpy as np
from numba import types
from numba.core import ir
from numba.core.compiler import Compiler

from widemargin.compiler.lanes_types import has_wide

MAKERS = (np.empty, np.full)  # what they return has a reference of its own


def has_array(kind) -> bool:
    """Is there an array in a type, however deep in tuples?"""
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(has_array, kind)))


class WideCompiler(Compiler):
    """The `pipeline_class` of all functions of ours, or its base."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals):
        self.wide = has_wide(args)
        if self.wide:
            flags.nrt = True
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals)

    def compile_extra(self, func):
        found = super().compile_extra(func)
        if self.wide:
            for call, signature in self.state.calltypes.items():
                if isinstance(call, ir.Expr) and call.op == "call" and has_array(signature.return_type) and not has_wide(signature.args):
                    called = self.state.typemap[call.func.name]
                    if not isinstance(called, types.NamedTupleClass) and getattr(called, "typing_key", None) not in MAKERS:
                        raise TypeError(
                            f"{func.__qualname__} has wide rows and calls {called}, which returns arrays; give that their lanes"
                        )
        return found
