"""`hapax.Model`: a trained model."""

from __future__ import annotations

from os import PathLike
from typing import Any, TypedDict

import numpy as np

from . import _native
from ._rows import is_matrix, rows_of, texts_of

Label = str | int


class Explanation(TypedDict):
    """Why a row gets its labels; see `Model.explain`."""

    answers: list[dict[str, Any]]
    neighbors: list[dict[str, Any]]


class Model:
    """A trained model. Make one by `hapax.train`, `Model.load` or `Model.from_bytes`.

    Models pickle and copy to the same bytes. Many threads may ask one model at once.

    Examples
    --------
    >>> import hapax, os, tempfile
    >>> texts = ["a red apple", "a green apple", "a fast car", "a red car"]
    >>> model = hapax.train(texts, ["fruit", "fruit", "car", "car"], method="ovr")
    >>> path = os.path.join(tempfile.mkdtemp(), "model.hapax")
    >>> model.save(path)
    >>> [label for label, score in hapax.Model.load(path).predict(["an apple"], k=1)[0]]
    ['fruit']
    """

    __slots__ = ("_names", "_native")

    def __init__(self, native: _native.Model) -> None:
        if not isinstance(native, _native.Model):
            raise TypeError("make a model by hapax.train, Model.load or Model.from_bytes")
        self._native = native
        self._names: list[str] | None = None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Model:
        """Map a model file into memory.

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError
            If it is no model, or damaged: the text names the section and the place.
        """
        return cls(_native.Model.load(path))

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """Read the bytes of a model file, in place.

        Raises
        ------
        ValueError
            If they are no model, or damaged.
        """
        return cls(_native.Model.from_bytes(data))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to a file, whole or not at all.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        self._native.save(path)

    def to_bytes(self) -> bytes:
        """Return the bytes of the model's file."""
        return self._native.to_bytes()

    @property
    def kind(self) -> str:
        """What the model is: "ovr", "nearest", "mach", "embedding", "multiclass" or "memoir"."""
        return self._native.kind

    @property
    def labels(self) -> list[Label]:
        """The labels in the order of their ids: names, or where they have none, the ids."""
        names = self._label_names()
        return list(range(self.n_labels)) if names is None else list(names)

    @property
    def n_labels(self) -> int:
        """Number of labels, those learned since included."""
        return self._native.n_labels

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self._native.n_features

    @property
    def takes_texts(self) -> bool:
        """Whether the model was trained on texts; it answers rows of its features, too."""
        return self._native.takes_texts

    @property
    def provenance(self) -> dict[str, Any]:
        """What made the model: algorithm, release, seed, and counts of the training data."""
        return self._native.provenance()

    def predict(
        self, X: Any, k: int = 5, *, threshold: float | None = None, threads: int = 0
    ) -> list[list[tuple[Label, float]]]:
        """Return the `k` best labels of each row with their scores, best first.

        Parameters
        ----------
        X : iterable of str, or matrix of shape (n_rows, n_features)
            Texts, or rows. A CSR matrix of float32 with sorted indices is read in place: do not
            change it in another thread meanwhile. Others are copied. Features beyond the model's
            are ignored.
        k : int, default=5
            How many labels, at most.
        threshold : float, optional
            Leave out labels whose score is below.
        threads : int, default=0
            0 means one for each core.

        Returns
        -------
        list of list of (label, score)
            One list for each row. It is empty where a text has no word that the model knows. A
            score ranks labels; its scale is the method's.

        Raises
        ------
        ValueError
            If `k` is 0, or a row holds NaN or infinity.
        """
        ids, scores = self.predict_topk(X, k, threads=threads)
        keep = ids >= 0
        if threshold is not None:
            keep &= scores >= threshold
        names = self._label_names()
        best = []
        # Numbers of Python are made for a whole row at once.
        for row_ids, row_scores, kept in zip(ids.tolist(), scores.tolist(), keep.sum(1).tolist()):
            row_ids = row_ids[:kept]
            row = row_ids if names is None else [names[label] for label in row_ids]
            best.append(list(zip(row, row_scores)))
        return best

    def predict_topk(
        self, X: Any, k: int = 5, *, threads: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return ids and scores of the `k` best labels of each row, best first.

        Parameters
        ----------
        X, k, threads
            As for `predict`.

        Returns
        -------
        ids : ndarray of int32, shape (n_rows, min(k, n_labels))
            Places in `labels`; -1 where a row has fewer answers.
        scores : ndarray of float32, same shape
            Minus infinity where a row has fewer answers.
        """
        k = _count("k", k)
        threads = _count("threads", threads)
        if is_matrix(X):
            (ids, scores), k = self._native.answer_rows(rows_of(X), k, threads)
        else:
            (ids, scores), k = self._native.answer_texts(texts_of(X), k, threads)
        return ids.reshape(-1, k), scores.reshape(-1, k)

    def explain(
        self, X: Any, k: int = 5, *, neighbors: int = 5, features: int = 8
    ) -> list[Explanation]:
        """Say why each row gets its labels.

        Parameters
        ----------
        X : iterable of str, or matrix of shape (n_rows, n_features)
        k : int, default=5
            How many labels of each row.
        neighbors : int, default=5
            How many of the training rows that voted, of a model of nearest neighbors.
        features : int, default=8
            How many features of each label or neighbor.

        Returns
        -------
        list of Explanation
            Of each row a dictionary. ``answers`` holds ``label``, ``score`` and ``features``:
            pairs of a feature and what it adds to the score, of a linear model. ``neighbors``
            holds ``row``, ``similarity``, ``vote``, ``labels`` and ``features``: pairs of a shared
            feature and its share, of a model of nearest neighbors.
        """
        shown = (_count("neighbors", neighbors), _count("features", features))
        k = _count("k", k)
        if is_matrix(X):
            rows = rows_of(X)
            explain = self._native.explain_row
            return [explain(rows, row, k, shown) for row in range(len(rows[0]) - 1)]
        return [self._native.explain_text(text, k, shown) for text in texts_of(X)]

    def learn(self, X: Any, labels: Any) -> list[int]:
        """Learn more rows; only a model of nearest neighbors can.

        Parameters
        ----------
        X : iterable of str, or matrix of shape (n_rows, n_features)
        labels : sequence of length n_rows
            As for `hapax.train`; names of a model of texts, otherwise ids. New ones may follow.

        Returns
        -------
        list of int
            The ids of the rows, for `forget`.

        Raises
        ------
        ValueError
            If the model cannot learn, or a row cannot be learned; the rows before it are.
        """
        from ._train import check_lengths, label_lists

        lists = label_lists(labels)
        self._names = None
        if is_matrix(X):
            rows = rows_of(X)
            check_lengths(len(rows[0]) - 1, len(lists))
            learn = self._native.learn_row
            return [learn(rows, row, self._ids(given)) for row, given in enumerate(lists)]
        texts = texts_of(X)
        check_lengths(len(texts), len(lists))
        learn_text = self._native.learn_text
        return [learn_text(text, [str(name) for name in row]) for text, row in zip(texts, lists)]

    def forget(self, row: int) -> bool:
        """Remove a row by its id; whether there was one."""
        return self._native.forget(row)

    def compact(self, max_bytes: int, *, seed: int = 42, threads: int = 0) -> Model:
        """Return a model whose file has at most `max_bytes` bytes.

        Raises
        ------
        ValueError
            If no model is so small; the text says how small it can be.
        """
        return Model(self._native.compact(max_bytes, seed, threads))

    def _ids(self, labels: list[Any]) -> list[int]:
        if all(not isinstance(label, str) for label in labels):
            return [int(label) for label in labels]
        names = self._label_names() or []
        places = {name: place for place, name in enumerate(names)}
        unknown = [label for label in labels if label not in places]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no label of the model")
        return [places[label] for label in labels]

    def _label_names(self) -> list[str] | None:
        if self._names is None:
            self._names = self._native.names()
        return self._names

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_bytes, (self.to_bytes(),))

    def __repr__(self) -> str:
        of = "texts" if self.takes_texts else "rows"
        return (
            f"<hapax.Model {self.kind} of {of}: {self.n_labels} labels, {self.n_features} features>"
        )


def _from_bytes(data: bytes) -> Model:
    return Model.from_bytes(data)


def _count(name: str, number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise ValueError(f"{name} is {number!r}, but must be a whole number from 0")
    return int(number)
