"""How good ranked answers are: the figures of ``hapax evaluate``, equal to napkinXC's.

Truth is a list of labels for each row, or a matrix that holds 0 where a row lacks the label of the
column. Answers are ids as `Model.predict_topk` returns them (-1 for none), lists of labels, lists
of answers of `Model.predict`, or a sparse matrix of scores. Figures at k are arrays of k numbers,
for the first 1 to k answers of each row.

Examples
--------
>>> from hapax import metrics
>>> truth = [["sea"], ["sky", "sun"]]
>>> metrics.precision_at_k(truth, [["sea", "sky"], ["sun", "sea"]], k=2).tolist()
[1.0, 0.5]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _native
from ._rows import flat_lists
from ._train import indicator_arrays, is_indicator, label_lists

__all__ = [
    "Propensities",
    "coverage_at_k",
    "evaluate",
    "ndcg_at_k",
    "precision_at_k",
    "psndcg_at_k",
    "psprecision_at_k",
    "r_precision_at_k",
    "recall_at_k",
]

_Lists = tuple[np.ndarray, np.ndarray]


class Propensities:
    """How likely labels are to be noticed, by their frequency (Jain, Prabhu, Varma 2016).

    Parameters
    ----------
    labels : sequence of length n_rows, or matrix of shape (n_rows, n_labels)
        The labels of the training rows, by id.
    a, b : float, default=0.55 and 1.5
        0.5 and 0.4 for the sets of Wikipedia's titles, 0.6 and 2.6 for those of Amazon.

    Attributes
    ----------
    inverse : ndarray of float64, shape (n_labels,)
        ``1 + (ln n_rows - 1) * (b + 1)**a * (n + b)**-a`` for a label of n rows.
    """

    def __init__(self, labels: Any, a: float = 0.55, b: float = 1.5) -> None:
        if is_indicator(labels):
            offsets, ids, count = indicator_arrays(labels)
        else:
            offsets, ids = flat_lists(_whole(label_lists(labels)))
            count = 0
        counts = np.bincount(ids, minlength=count)
        self._counts = (counts.tolist(), len(offsets) - 1, float(a), float(b))
        self.inverse = _native.inverse_propensities(self._counts)


def evaluate(
    truth: Any,
    predicted: Any,
    k: Iterable[int] = (1, 3, 5),
    *,
    propensities: Propensities | None = None,
    cut: int = 1,
) -> dict[str, Any]:
    """Return all figures of ranked answers.

    Parameters
    ----------
    truth, predicted
        See `hapax.metrics`.
    k : iterable of int, default=(1, 3, 5)
        How many first answers the figures look at.
    propensities : Propensities, optional
        For ``psp`` and ``psndcg``, which are None without.
    cut : int, default=1
        How many first answers are the predicted set of a row, for F1.

    Returns
    -------
    dict
        ``rows``, ``k``, ``cut``; lists of figures at each k: ``precision``, the most that is
        possible as ``attainable_precision``, ``r_precision`` (hits by the smaller of k and the
        row's labels), ``recall``, ``ndcg``, ``coverage`` (of the labels of the truth), ``psp`` and
        ``psndcg``; and ``accuracy``, ``micro_f1``, ``macro_f1``, ``example_f1``.

    Raises
    ------
    ValueError
        If there are no rows, or answers of more or fewer rows than labels.
    """
    right, answers = _numbered(truth, predicted)
    counts = None if propensities is None else propensities._counts
    return _native.metrics(right, answers, [int(number) for number in k], cut, counts)


def precision_at_k(truth: Any, predicted: Any, k: int = 5) -> np.ndarray:
    """Return P@1 to P@k: the mean share of right ones among the first answers."""
    return _up_to("precision", truth, predicted, k)


def recall_at_k(truth: Any, predicted: Any, k: int = 5) -> np.ndarray:
    """Return R@1 to R@k: the mean share of a row's labels that are among the first answers."""
    return _up_to("recall", truth, predicted, k)


def r_precision_at_k(truth: Any, predicted: Any, k: int = 5) -> np.ndarray:
    """Return RP@1 to RP@k: as P@k, but of at most as many answers as the row has labels."""
    return _up_to("r_precision", truth, predicted, k)


def ndcg_at_k(truth: Any, predicted: Any, k: int = 5) -> np.ndarray:
    """Return nDCG@1 to nDCG@k: right answers count 1 / log2(rank + 1), relative to the best."""
    return _up_to("ndcg", truth, predicted, k)


def coverage_at_k(truth: Any, predicted: Any, k: int = 5) -> np.ndarray:
    """Return the share of the labels of the truth that some row's first answers get right."""
    return _up_to("coverage", truth, predicted, k)


def psprecision_at_k(
    truth: Any, predicted: Any, propensities: Propensities, k: int = 5
) -> np.ndarray:
    """Return PSP@1 to PSP@k: right answers count their inverse propensity, relative to the best."""
    return _up_to("psp", truth, predicted, k, propensities)


def psndcg_at_k(truth: Any, predicted: Any, propensities: Propensities, k: int = 5) -> np.ndarray:
    """Return PSnDCG@1 to PSnDCG@k: nDCG with inverse propensities, relative to the best."""
    return _up_to("psndcg", truth, predicted, k, propensities)


def _up_to(
    name: str, truth: Any, predicted: Any, k: int, propensities: Propensities | None = None
) -> np.ndarray:
    if k < 1:
        raise ValueError(f"k is {k}, but must be 1 or more")
    ks = range(1, k + 1)
    return np.array(evaluate(truth, predicted, ks, propensities=propensities)[name])


def _whole(lists: list[list[Any]]) -> list[list[int]]:
    """Lists of ids, none of them a name."""
    for row in lists:
        for label in row:
            if isinstance(label, str) or label < 0:
                raise ValueError(f"a label's id is a whole number from 0, not {label!r}")
    return lists


def _numbered(truth: Any, predicted: Any) -> tuple[_Lists, _Lists]:
    """Offsets and ids of truth and answers; labels that are names get numbers."""
    right = None if is_indicator(truth) else label_lists(truth)
    answers = _ranked(predicted)
    if not any(isinstance(label, str) for row in [*(right or []), *answers] for label in row):
        of_truth = indicator_arrays(truth)[:2] if right is None else flat_lists(_whole(right))
        return of_truth, flat_lists(_whole(answers))
    if right is None:
        raise ValueError("the truth is a matrix, but answers are names: give ids")
    ids: dict[str, int] = {}

    def numbers(lists: list[list[Any]]) -> _Lists:
        return flat_lists([[ids.setdefault(str(l), len(ids)) for l in row] for row in lists])

    return numbers(right), numbers(answers)


def _ranked(predicted: Any) -> list[list[Any]]:
    """The answers of each row, best first."""
    if hasattr(predicted, "tocsr"):
        rows = predicted.tocsr()
        ends = rows.indptr.tolist()
        best = []
        for start, end in zip(ends[:-1], ends[1:]):
            # Equal scores in the order of their labels.
            order = np.argsort(-rows.data[start:end], kind="stable")
            best.append(rows.indices[start:end][order].tolist())
        return best
    if isinstance(predicted, np.ndarray):
        if predicted.ndim != 2 or predicted.dtype.kind not in "iu":
            raise ValueError("an array of answers holds ids, one row for each row")
        return [[label for label in row if label >= 0] for row in predicted.tolist()]
    return [[_label(answer) for answer in row] for row in predicted]


def _label(answer: Any) -> Any:
    """The label of an answer, which may be a tuple of label and score."""
    return answer[0] if isinstance(answer, Sequence) and not isinstance(answer, str) else answer
