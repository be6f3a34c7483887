"""`hapax.Model`: a trained model."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any

import numpy as np

from . import _native
from ._answers import FEW, MANY, Answer, Explanation, Label, Learned, Thresholds
from ._answers import least_probability, whole
from ._card import card
from ._data import labelled
from ._rows import count_rows, flat_lists, is_matrix, rows_of, texts_of

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
    >>> hapax.Model.load(path).predict(["an apple"], k=1)[0][0].label
    'fruit'
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

    @property
    def thresholds(self) -> Thresholds | None:
        """Probabilities that held-out rows chose; None if the model is not calibrated.

        ``micro`` and ``macro`` give the best micro- and macro-F1 as `above` of `predict`;
        ``abstain`` balances rows answered and rows answered rightly.
        """
        found = self._native.thresholds
        # The shortest decimals that are these numbers of 32 bits.
        names = ("micro", "macro", "abstain")
        return found and Thresholds(**dict(zip(names, (float(str(np.float32(p))) for p in found))))

    def predict(
        self,
        X: Any,
        k: int | None = None,
        *,
        above: float | str | None = None,
        at_most: int | None = None,
        abstain: float | bool | None = None,
        threads: int = 0,
    ) -> list[list[Answer]]:
        """Return the best labels of each row with scores and probabilities, best first.

        Parameters
        ----------
        X : iterable of str, or matrix of shape (n_rows, n_features)
            Texts, or rows. A CSR matrix of float32 with sorted indices is read in place: do not
            change it in another thread meanwhile. Others are copied. Features beyond the model's
            are ignored.
        k : int, optional
            How many labels, at most: 5, or 20 with `above`.
        above : float, "micro" or "macro", optional
            Leave out labels whose probability is below; by name, the one that gave the best micro-
            or macro-F1 on held-out rows.
        at_most : int, optional
            The same as `k`, for calls that read better so.
        abstain : float or True, optional
            Leave out all labels of a row whose first has a probability below; True takes the one
            of `thresholds`.
        threads : int, default=0
            0 means one for each core.

        Returns
        -------
        list of list of Answer
            One list for each row. It is empty where a text has no word that the model knows. An
            answer is a tuple of label, score and probability. A score ranks the labels of a row;
            its scale is the method's. The probability is None if the model is not calibrated.

        Raises
        ------
        ValueError
            If `k` is 0, a row holds NaN or infinity, or a model without probabilities is asked for
            some.
        """
        if at_most is not None:
            if k is not None:
                raise ValueError("k and at_most both say how many labels: give one")
            k = at_most
        known = self._native.thresholds
        least = least_probability("above", above, known)
        confident = least_probability("abstain", abstain, known)
        k = (FEW if above is None else MANY) if k is None else k
        ids, scores, sure = self._topk(X, k, True, threads)
        keep = ids >= 0
        if sure is not None:
            if least is not None:
                keep &= sure >= least
            if confident is not None:
                keep &= sure[:, :1] >= confident
        names = self._label_names()
        best = []
        # Numbers of Python are made for a whole row at once.
        rows = zip(ids.tolist(), scores.tolist(), keep.sum(1).tolist())
        for row, (row_ids, row_scores, kept) in enumerate(rows):
            row_ids = row_ids[:kept]
            labels = row_ids if names is None else [names[label] for label in row_ids]
            chances = [None] * kept if sure is None else sure[row, :kept].tolist()
            best.append(list(map(Answer, labels, row_scores, chances)))
        return best

    def predict_topk(
        self, X: Any, k: int = FEW, *, probabilities: bool = False, threads: int = 0
    ) -> tuple[np.ndarray, ...]:
        """Return ids and scores of the `k` best labels of each row, best first.

        Parameters
        ----------
        X, k, threads
            As for `predict`.
        probabilities : bool, default=False
            Whether to return these, too.

        Returns
        -------
        ids : ndarray of int32, shape (n_rows, min(k, n_labels))
            Places in `labels`; -1 where a row has fewer answers.
        scores : ndarray of float32, same shape
            Minus infinity where a row has fewer answers.
        probabilities : ndarray of float32, same shape
            Only if asked for. They never rise within a row; 0 where a row has fewer answers.

        Raises
        ------
        ValueError
            If `k` is 0, a row holds NaN or infinity, or a model without probabilities is asked for
            them.
        """
        ids, scores, sure = self._topk(X, k, probabilities, threads)
        if not probabilities:
            return ids, scores
        if sure is None:
            raise ValueError(
                "the model has scores, but no probabilities: train it again on 200 rows or more"
            )
        return ids, scores, sure

    def _topk(
        self, X: Any, k: int, probabilities: bool, threads: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        how = (whole("k", k), probabilities, whole("threads", threads))
        if is_matrix(X):
            flat, k = self._native.answer_rows(rows_of(X), *how)
        else:
            flat, k = self._native.answer_texts(texts_of(X), *how)
        ids, scores, sure = flat
        shape = (-1, k)
        sure = None if sure is None else sure.reshape(shape)
        return ids.reshape(shape), scores.reshape(shape), sure

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
        shown = (whole("neighbors", neighbors), whole("features", features))
        k = whole("k", k)
        if is_matrix(X):
            return self._native.explain_rows(rows_of(X), k, shown)
        return [self._native.explain_text(text, k, shown) for text in texts_of(X)]

    def learn(
        self, X: Any, labels: Any = None, *, text: str = "text", threads: int = 0
    ) -> Learned:
        """Learn more rows, words and labels, as ``hapax learn`` does.

        The rows of before are not needed. A model of nearest neighbors gets the new rows beside
        its own. Labels of one-vs-rest move as little as their new rows need, the others stay, and
        new ones are trained on the new rows. New words of texts become features.

        Parameters
        ----------
        X, labels, text
            As for `hapax.train`. Labels are names, or ids if those of the model have no names. New
            ones follow those of the model.
        threads : int, default=0
            0 means one for each core.

        Returns
        -------
        Learned
            The ids of the rows, how many were skipped, and how far labels moved.

        Raises
        ------
        ValueError
            If the model cannot learn: only those of nearest neighbors and of one-vs-rest can.
        """
        X, labels = labelled(X, labels, text)
        threads = whole("threads", threads)
        if is_matrix(X):
            rows = rows_of(X)
            given = self._labels(labels, count_rows(rows))
            found = _native.learn_rows(self._native, rows, given, threads)
        else:
            texts = texts_of(X)
            given = self._labels(labels, len(texts))
            found = _native.learn_texts(self._native, texts, given, threads)
        self._names = None
        ids, skipped, strength = found
        return Learned(range(*(ids or (0,))), skipped, strength)

    def evaluate(
        self,
        X: Any,
        labels: Any = None,
        k: Iterable[int] = (1, 3, 5),
        *,
        text: str = "text",
        threads: int = 0,
    ) -> dict[str, Any]:
        """Answer rows and compare the answers with their labels, as ``hapax evaluate`` does.

        Parameters
        ----------
        X, labels, text
            As for `learn`. Labels that the model does not know count as missed.
        k : iterable of int, default=(1, 3, 5)
            How many first answers the figures look at.
        threads : int, default=0
            0 means one for each core.

        Returns
        -------
        dict
            As `hapax.metrics.evaluate` returns it, with propensities of the training data.
        """
        X, labels = labelled(X, labels, text)
        ks = sorted({whole("k", number) for number in k})
        threads = whole("threads", threads)
        if is_matrix(X):
            rows = rows_of(X)
            given = self._labels(labels, count_rows(rows))
            return _native.evaluate_rows(self._native, rows, given, ks, threads)
        texts = texts_of(X)
        given = self._labels(labels, len(texts))
        return _native.evaluate_texts(self._native, texts, given, ks, threads)

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

    def _labels(self, labels: Any, rows: int) -> Any:
        """Labels of rows as the compiled half takes them: lists of names, or offsets and ids."""
        from ._train import check_lengths, label_lists

        lists = label_lists(labels)
        check_lengths(rows, len(lists))
        if self._label_names() is not None:
            return [[str(label) for label in row] for row in lists]
        for row in lists:
            for label in row:
                if isinstance(label, str):
                    raise ValueError(f"label {label!r} is a name, but the model knows labels by id")
        return flat_lists(lists)

    def _label_names(self) -> list[str] | None:
        if self._names is None:
            self._names = self._native.names()
        return self._names

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_bytes, (self.to_bytes(),))

    def _repr_html_(self) -> str:
        """The card of the model, for notebooks."""
        return card(self)

    def __repr__(self) -> str:
        of = "texts" if self.takes_texts else "rows"
        return (
            f"<hapax.Model {self.kind} of {of}: {self.n_labels} labels, {self.n_features} features>"
        )


def _from_bytes(data: bytes) -> Model:
    return Model.from_bytes(data)
