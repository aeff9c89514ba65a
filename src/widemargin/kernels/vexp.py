"""exp for whole arrays, written so that the compiler vectorises it (Numba alone calls the scalar library function)."""

import numpy as np

from .jit import inner

LOG2E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


@inner
def exp_into(x, n, power):
    """x[:n] = exp(x[:n]) for x <= 700, to 1e-14 relative; below -700 (and at -inf) exactly 0, so that no denormal slows later sums.

    x = k ln 2 + r, |r| <= ln 2 / 2 (Cody and Waite); exp(r) by its series to degree 11; 2^k by writing k into the exponent bits of `power`
    (int64 [n], scratch).
    """
    scale = power.view(np.float64)
    for i in range(n):
        v = max(x[i], -701.0)
        k = np.floor(v * LOG2E + 0.5)
        r = v - k * LN2_HIGH - k * LN2_LOW
        power[i] = (np.int64(k) + 1023) << 52
        s = 2.505210838544172e-08
        s = s * r + 2.755731922398589e-07
        s = s * r + 2.755731922398589e-06
        s = s * r + 2.48015873015873e-05
        s = s * r + 1.984126984126984e-04
        s = s * r + 1.388888888888889e-03
        s = s * r + 8.333333333333333e-03
        s = s * r + 4.1666666666666664e-02
        s = s * r + 1.6666666666666666e-01
        s = s * r + 0.5
        s = s * r + 1.0
        s = s * r + 1.0
        x[i] = s if v > -700.0 else 0.0
    for i in range(n):
        x[i] *= scale[i]
