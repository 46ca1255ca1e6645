"""Products of matrices in compiled functions: one BLAS call on raw pointers.

`numpy.dot` in compiled code makes the same call, but needs arrays, with reference counts, where inner functions
have pointers. It requires SciPy, which contains the BLAS library.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import lower_builtin, type_callable
from numba.np.linalg import ensure_blas

_CHAR, _WORD, _ADDRESS = ir.IntType(8), ir.IntType(64), ir.IntType(8).as_pointer()


def multiply(left, right, out, rows, inner, columns):
    """Write left @ right to `out`, for pointers to float32 matrices in C order."""
    product = left[: rows * inner].reshape(rows, inner) @ right[: inner * columns].reshape(inner, columns)
    out[: rows * columns] = product.reshape(-1)


@type_callable(multiply)
def _type_multiply(context):
    def typer(left, right, out, rows, inner, columns):
        for kind in (left, right, out):
            if not (isinstance(kind, types.CPointer) and kind.dtype == types.float32):
                raise TypingError(f"a product of matrices needs pointers to float32, not {kind}")
        ensure_blas()
        return types.void

    return typer


@lower_builtin(
    multiply, types.CPointer, types.CPointer, types.CPointer, types.Integer, types.Integer, types.Integer
)
def _lower_multiply(context, builder, signature, arguments):
    addresses = [builder.bitcast(argument, _ADDRESS) for argument in arguments[:3]]
    sizes = zip(arguments[3:], signature.args[3:], strict=True)
    rows, inner, columns = (context.cast(builder, size, kind, types.int64) for size, kind in sizes)
    one, zero = (
        builder.bitcast(cgutils.alloca_once_value(builder, ir.Constant(ir.FloatType(), number)), _ADDRESS)
        for number in (1.0, 0.0)
    )
    # kind, transpositions, sizes, alpha, a, lda, b, ldb, beta, c, ldc: see `numba.np.linalg`. BLAS expects columns
    # first, so the operands are exchanged.
    parameters = [
        *[_CHAR] * 3,
        *[_WORD] * 3,
        _ADDRESS,
        _ADDRESS,
        _WORD,
        _ADDRESS,
        _WORD,
        _ADDRESS,
        _ADDRESS,
        _WORD,
    ]
    gemm = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(ir.IntType(32), parameters), "numba_xxgemm"
    )
    kind, normal = ir.Constant(_CHAR, ord("s")), ir.Constant(_CHAR, ord("n"))
    left, right, out = addresses
    builder.call(
        gemm,
        (kind, normal, normal, columns, rows, inner, one, right, columns, left, inner, zero, out, columns),
    )
    return context.get_dummy_value()
