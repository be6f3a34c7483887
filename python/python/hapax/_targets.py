"""What `y` of an estimator says: classes, and the labels of each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target


class Targets:
    """The classes and the label ids of rows, read from `y`."""

    def __init__(self, y: Any) -> None:
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y")
        self.multilabel = kind == "multilabel-indicator"
        self.sparse = sp.issparse(y)
        if self.multilabel:
            y = sp.csr_matrix(y)
            y.eliminate_zeros()
            y.sort_indices()
            self.classes = np.arange(y.shape[1])
            self.offsets, self.ids = y.indptr.astype(np.int64), y.indices.astype(np.int64)
        elif kind == "multiclass-multioutput":
            raise ValueError("y has several columns of classes: give a column of 0 and 1 for each")
        else:
            y = column_or_1d(y, warn=True)
            self.classes, ids = np.unique(y, return_inverse=True)
            self.ids = ids.astype(np.int64)
            self.offsets = np.arange(len(y) + 1, dtype=np.int64)
        self.names = [str(label) for label in self.classes]
        # Labels that are their numbers need no names.
        self.numbered = self.names == [str(place) for place in range(len(self.names))]
        if not self.multilabel and (len(set(self.names)) < len(self.names) or "" in self.names):
            # Names must tell classes apart.
            self.names = [f"{place}: {name}" for place, name in enumerate(self.names)]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def shares(self) -> np.ndarray:
        """How many of all labels are of each class, as a share."""
        counts = np.bincount(self.ids, minlength=len(self.classes))
        return counts / max(len(self.ids), 1)

    def lists(self) -> list[list[str]]:
        """The names of the labels of each row."""
        names = [self.names[label] for label in self.ids]
        ends = self.offsets.tolist()
        return [names[start:end] for start, end in zip(ends[:-1], ends[1:])]
