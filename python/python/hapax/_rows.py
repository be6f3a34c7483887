"""Matrices of SciPy, NumPy and pandas as the arrays that the compiled half reads."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

Arrays = tuple[np.ndarray, np.ndarray, np.ndarray, int]
Rows = Arrays | np.ndarray


def is_matrix(X: Any) -> bool:
    """Whether `X` has rows of numbers: sparse, or of two dimensions."""
    return hasattr(X, "tocsr") or getattr(X, "ndim", None) == 2 or _is_nested(X)


def _is_nested(X: Any) -> bool:
    return (
        isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], (list, tuple, np.ndarray))
    )


def texts_of(X: Any) -> list[str]:
    """`X` as a list of texts.

    Raises
    ------
    ValueError
        If `X` is a single text, or holds something else than texts.
    """
    if isinstance(X, (str, bytes)):
        raise ValueError("give a list of texts, not a single one")
    if getattr(X, "ndim", 1) == 2 and X.shape[1] == 1:
        X = np.asarray(X)[:, 0]
    texts = list(X)
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"row {row}: a text is a str, not {type(text).__name__}: {text!r:.60}")
    return texts


def rows_of(X: Any) -> Rows:
    """`X` as what the compiled half reads.

    A sparse matrix becomes the arrays of a CSR one: offsets, indices, values of float32, number of
    features. One of float32 without duplicates, zeros and unsorted indices is not copied, nor is an
    array of float32.

    Raises
    ------
    ValueError
        If `X` is no matrix of real numbers.
    """
    if hasattr(X, "tocsr"):
        return _sparse(X)
    return _dense(X)


def count_rows(rows: Rows) -> int:
    """How many rows these are."""
    return len(rows) if isinstance(rows, np.ndarray) else len(rows[0]) - 1


def indicated(X: Any) -> Arrays:
    """`X` as the arrays of a CSR matrix, also if it is dense."""
    rows = rows_of(X)
    if not isinstance(rows, np.ndarray):
        return rows
    stored = rows != 0
    indptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(np.count_nonzero(stored, axis=1), out=indptr[1:])
    return indptr, np.nonzero(stored)[1].astype(np.int32), rows[stored], rows.shape[1]


def _sparse(X: Any) -> Arrays:
    given, X = X, X.tocsr()
    if X.ndim != 2:
        raise ValueError(f"expected a matrix, but got {X.ndim} dimension(s)")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"expected real numbers, but got {X.dtype}")
    if not X.has_canonical_format:
        # Sorting and adding up change a matrix in place: not the caller's.
        X = X.copy() if X is given else X
        X.sum_duplicates()
    if X.dtype != np.float32:
        X = X.astype(np.float32)
    if np.count_nonzero(X.data) != X.data.size:
        X = X.copy() if X is given else X
        X.eliminate_zeros()
    nonzeros = int(X.indptr[-1])
    # Behind the last offset SciPy may keep room.
    return X.indptr, X.indices[:nonzeros], X.data[:nonzeros], _features(X.shape[1])


def _dense(X: Any) -> np.ndarray:
    X = np.asarray(X)
    if X.dtype.kind == "c":
        raise ValueError(f"expected real numbers, but got {X.dtype}")
    if X.dtype.kind not in "fiub":
        try:
            X = X.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"expected real numbers, but got {X.dtype}: {error}") from None
    if X.ndim != 2:
        raise ValueError(
            f"expected a matrix of two dimensions, but got {X.ndim}: reshape one row by "
            "X.reshape(1, -1)"
        )
    with np.errstate(over="ignore"):
        X = np.ascontiguousarray(X, dtype=np.float32)
    _features(X.shape[1])
    return X


def _features(features: int) -> int:
    if features >= 2**32 - 1:
        raise ValueError(f"{features} features are too many: at most 2^32 - 2")
    return int(features)


def flat_lists(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists of numbers as offsets and numbers, both of int64."""
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum(list(map(len, lists)), out=offsets[1:])
    return offsets, np.fromiter(chain.from_iterable(lists), dtype=np.int64)
