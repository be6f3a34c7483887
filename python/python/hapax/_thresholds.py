"""The score from which on a label is predicted."""

from __future__ import annotations

from typing import Any

import numpy as np

HELD_OUT = 5
"""One of so many rows is held out to choose a threshold."""


def best_threshold(places: np.ndarray, scores: np.ndarray, truth: Any) -> float:
    """Return the threshold of the largest micro-averaged F1 measure, the highest of equal ones.

    Parameters
    ----------
    places : ndarray of shape (n_rows, k)
        The best labels of each row; -1 where there are fewer.
    scores : ndarray of shape (n_rows, k)
    truth : CSR matrix of shape (n_rows, n_labels)
        Not 0 where a row has the label.

    Returns
    -------
    float
        Halfway between the lowest score that is in and the highest that is out; infinity if no
        label is right.
    """
    given = places >= 0
    rows = np.nonzero(given)[0]
    right = np.asarray(truth[rows, places[given]]).ravel() != 0
    found = scores[given].astype(np.float64)
    order = np.argsort(-found, kind="stable")
    found, right = found[order], right[order]
    if not right.any():
        return float("inf")
    f1 = 2 * np.cumsum(right) / (np.arange(1, len(found) + 1) + truth.nnz)
    # Equal scores are in together.
    f1[:-1][found[:-1] == found[1:]] = 0.0
    last = int(f1.argmax())
    if last + 1 == len(found):
        return float(found[last])
    return float((found[last] + found[last + 1]) / 2)
