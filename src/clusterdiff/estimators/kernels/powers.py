"""Powers in plain arithmetic: loops over them become vector code, which calls of pow do not.

A number is taken apart as mantissa times 2^exponent. Its logarithm is the series of
2 artanh((m - 1) / (m + 1)) for a mantissa m from √½ to √2, the exponential is its own series, and
both have as many terms as doubles can resolve. The relative error is some units in the last place
times the logarithm of the result.
"""

from math import factorial, log

import numpy as np

from clusterdiff.compiled import compiled

ROOT_OF_HALF = np.int64(np.float64(0.5**0.5).view(np.int64))
TO_INTEGER = 1.5 * 2.0**52
"""Added to a small number it rounds it to an integer, which stands in the lowest bits."""
TO_INTEGER_BITS = np.int64(np.float64(TO_INTEGER).view(np.int64))
LOGARITHM = tuple(1.0 / (2 * k + 1) for k in range(10, -1, -1))
EXPONENTIAL = tuple(1.0 / factorial(k) for k in range(13, -1, -1))
LOG2, TWICE = log(2.0), 2.0 / log(2.0)
MANTISSA, BIAS = np.int64(52), np.int64(1023)
LEAST, LOWEST, HIGHEST = 1e-300, -1022.0, 1023.0


@compiled(inline="always")
def power(base, exponent):  # type: ignore[no-untyped-def]  # pragma: no cover
    """`base`, which is not negative, to the power `exponent`; bases below 1e-300 count as 0."""
    bits = np.float64(base).view(np.int64)
    whole = (bits - ROOT_OF_HALF) >> MANTISSA
    mantissa = np.int64(bits - (whole << MANTISSA)).view(np.float64)
    part = (mantissa - 1.0) / (mantissa + 1.0)
    square = part * part
    series = LOGARITHM[0]
    for k in range(1, len(LOGARITHM)):
        series = series * square + LOGARITHM[k]
    twos = np.int64(whole + TO_INTEGER_BITS).view(np.float64) - TO_INTEGER
    wanted = exponent * twos + exponent * (part * series * TWICE)
    inside = min(max(wanted, LOWEST), HIGHEST)
    rounded = inside + TO_INTEGER
    shift = np.float64(rounded).view(np.int64) - TO_INTEGER_BITS
    rest = (inside - (rounded - TO_INTEGER)) * LOG2
    series = EXPONENTIAL[0]
    for k in range(1, len(EXPONENTIAL)):
        series = series * rest + EXPONENTIAL[k]
    found = series * np.int64((shift + BIAS) << MANTISSA).view(np.float64)
    return found if base > LEAST and wanted > LOWEST else 0.0
