"""Estimators of scikit-learn: `HapaxClassifier` of rows and `HapaxTextClassifier` of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_y, check_is_fitted, validate_data

from . import _native
from ._answers import least_probability
from ._model import Model
from ._rows import rows_of, texts_of
from ._targets import Targets
from ._train import check_lengths, described

__all__ = ["HapaxClassifier", "HapaxTextClassifier"]


def _has_probabilities(estimator: _Hapax) -> bool:
    model = getattr(estimator, "model_", None)
    if model is None or model.thresholds is None:
        raise AttributeError("there are no probabilities before `fit` with 200 rows or more")
    return True


class _Hapax(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What both estimators share: the classes, and answers as scikit-learn wants them."""

    def __init__(
        self,
        method: str = "auto",
        *,
        cost: float | None = None,
        exponent: float | None = None,
        max_bytes: int | None = None,
        options: dict[str, Any] | None = None,
        above: float | str = "micro",
        random_state: int | np.random.RandomState | None = 42,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.cost = cost
        self.exponent = exponent
        self.max_bytes = max_bytes
        self.options = options
        self.above = above
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    # What differs: how X becomes something that the compiled half trains and answers.

    def _train(self, X: Any, targets: Targets, seed: int) -> Model:
        raise NotImplementedError

    def _checked(self, X: Any) -> Any:
        raise NotImplementedError

    def _fit(self, X: Any, y: Any) -> _Hapax:
        """Trains on X and y, which are checked."""
        targets = Targets(y)
        # A seed of its own for each fit, where the state is a generator.
        state = self.random_state
        seed = state if isinstance(state, (int, np.integer)) else None
        if seed is None:
            seed = int(check_random_state(state).randint(2**31 - 1)) if state is not None else 42
        self.multilabel_, self._sparse_y = targets.multilabel, targets.sparse
        self.classes_, self._shares = targets.classes, targets.shares()
        self._majority = int(self._shares.argmax()) if len(self._shares) else 0
        self._take(self._train(X, targets, seed), targets)
        if self.multilabel_:
            known = self.model_._native.thresholds
            # What is wrong with `above` shows here, not at the first prediction.
            named = known is None and self.above in ("micro", "macro")
            self.above_ = None if named else least_probability("above", self.above, known)
            self._usual = max(round(len(targets.ids) / max(len(targets), 1)), 1)
        return self

    def _take(self, model: Model, targets: Targets) -> None:
        """Holds a model, and the place in `classes_` of each of its labels."""
        self.model_ = model
        names = model._label_names()
        if names is None:
            self._places = np.arange(model.n_labels)
        else:
            places = {name: place for place, name in enumerate(targets.names)}
            self._places = np.array([places[name] for name in names], dtype=np.int64)

    def _threads(self) -> int:
        """0 means all cores, as -1 does to scikit-learn."""
        jobs = 1 if self.n_jobs is None else int(self.n_jobs)
        return max(jobs, 0)

    def _options(self) -> dict[str, Any]:
        given = {"cost": self.cost, "exponent": self.exponent, "max_bytes": self.max_bytes}
        named = {name: value for name, value in given.items() if value is not None}
        return {**(self.options or {}), **named}

    def _topk(self, X: Any, k: int, probabilities: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Places in `classes_` of the best labels, -1 behind the last, and what they are worth."""
        how = {"probabilities": probabilities, "threads": self._threads()}
        ids, *worth = self.model_.predict_topk(X, k, **how)
        return np.where(ids >= 0, self._places[ids], -1), worth[-1]

    def predict_topk(self, X: Any, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
        """Return the `k` best classes of each row.

        Parameters
        ----------
        X : as for `fit`
        k : int, default=5

        Returns
        -------
        places : ndarray of int64, shape (n_rows, min(k, n_classes))
            Places in `classes_`, best first; -1 where a row has fewer answers.
        scores : ndarray of float32, same shape
            Minus infinity where a row has fewer answers.
        """
        check_is_fitted(self, "model_")
        return self._topk(self._checked(X), k)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return the score of each class: much memory where classes are many.

        Parameters
        ----------
        X : as for `fit`

        Returns
        -------
        ndarray of float64, shape (n_rows, n_classes), or (n_rows,) for two classes
            Of two classes the score of the second minus that of the first.
        """
        check_is_fitted(self, "model_")
        scores = self._scores(self._checked(X))
        if len(self.classes_) == 2 and not self.multilabel_:
            return np.asarray(scores[:, 1] - scores[:, 0])
        return scores

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probability of each class: much memory where classes are many.

        There is no `predict_proba` before `fit`, nor after one with less than 200 rows.

        Parameters
        ----------
        X : as for `fit`

        Returns
        -------
        ndarray of float64, shape (n_rows, n_classes)
            Of one label a row, those of `Model.predict` divided by their sum; a row without an
            answer has the shares of the classes in `fit`. Of several labels those of
            `Model.predict`, each by itself.
        """
        check_is_fitted(self, "model_")
        places, found = self._topk(self._checked(X), len(self.classes_), True)
        rows, ranks = np.nonzero(places >= 0)
        sure = np.zeros((len(places), len(self.classes_)))
        # Of equal ones the better score is ahead.
        worth = np.maximum(found[rows, ranks].astype(np.float64), np.finfo(np.float32).tiny)
        sure[rows, places[rows, ranks]] = worth * (1 - 1e-12 * ranks)
        if self.multilabel_:
            return sure
        sure[places[:, 0] < 0] = self._shares
        return sure / sure.sum(axis=1, keepdims=True)

    def _scores(self, X: Any) -> np.ndarray:
        places, found = self._topk(X, len(self.classes_))
        rows, columns = np.nonzero(places >= 0)
        # A class without a score has no vote, or was not in the training data.
        lowest = np.where(places >= 0, found, np.inf).min(axis=1, initial=0.0)
        scores = np.repeat(lowest[:, None].astype(np.float64), len(self.classes_), axis=1)
        scores[rows, places[rows, columns]] = found[rows, columns]
        if not self.multilabel_:
            scores[places[:, 0] < 0, self._majority] = np.finfo(np.float64).tiny
        return scores

    def predict(self, X: Any) -> Any:
        """Predict the class of each row, or of several labels those of probability `above_`.

        Without probabilities, which less than 200 rows do not give, these are as many labels as a
        row of `fit` had on average.

        Parameters
        ----------
        X : as for `fit`

        Returns
        -------
        ndarray of shape (n_rows,), or matrix of shape (n_rows, n_classes)
            Of several labels a CSR matrix if `y` of `fit` was sparse. A row without an answer,
            such as a text of unknown words, has the most frequent class, or no label.
        """
        check_is_fitted(self, "model_")
        X = self._checked(X)
        if not self.multilabel_:
            places = self._topk(X, 1)[0][:, 0]
            return self.classes_[np.where(places < 0, self._majority, places)]
        k = self._usual if self.above_ is None else 64
        while True:
            places, worth = self._topk(X, k, self.above_ is not None)
            keep = places >= 0
            if self.above_ is None:
                break
            keep &= worth >= self.above_
            if places.shape[1] < k or not keep[:, -1:].any():
                break
            k *= 4
        rows = np.nonzero(keep)[0]
        shape = (len(places), len(self.classes_))
        answers = sp.csr_matrix(
            (np.ones(len(rows), dtype=np.int64), (rows, places[keep])), shape=shape
        )
        return answers if self._sparse_y else answers.toarray()


class HapaxClassifier(_Hapax):
    """Classifier of sparse or dense rows, into one of many classes or several labels.

    Parameters
    ----------
    method : str, default="auto"
        As for `hapax.train`.
    cost : float, optional
        Of "ovr": the price of errors; by default it is tuned on held-out rows.
    exponent : float, optional
        The exponent of the values of features; by default it is tuned ("ovr"), or 1.
    max_bytes : int, optional
        Fit the model's file into so many bytes.
    options : dict, optional
        More options of `hapax.train`, such as ``{"positive_weight": 2.0}``.
    above : float, "micro" or "macro", default="micro"
        Of several labels: the probability from which a label is predicted; by name, the one that
        gave the best micro- or macro-F1 on rows that training held out.
    random_state : int, RandomState or None, default=42
        None is 42, so that equal data make equal models.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores. Models and answers are the same for any number.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes; of several labels the numbers of the columns of `y`.
    model_ : Model
        The trained model, whose labels are `classes_` as text, or their numbers.
    multilabel_ : bool
        Whether rows have several labels.
    above_ : float or None
        The probability in use, of several labels; None without probabilities.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if `X` had names of columns.

    Examples
    --------
    >>> from hapax import HapaxClassifier
    >>> X = [[1.0, 0.0], [0.8, 0.1], [0.0, 1.0], [0.1, 0.9]]
    >>> HapaxClassifier("ovr").fit(X, ["a", "a", "b", "b"]).predict([[0.0, 2.0]]).tolist()
    ['b']
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any) -> HapaxClassifier:
        """Train the model.

        Parameters
        ----------
        X : matrix of shape (n_rows, n_features), dense or sparse
        y : array of shape (n_rows,), or matrix of shape (n_rows, n_labels) of 0 and 1

        Returns
        -------
        HapaxClassifier
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float32, multi_output=True)
        return self._fit(X, y)

    def _train(self, X: Any, targets: Targets, seed: int) -> Model:
        offsets, ids = targets.offsets, targets.ids
        count = len(targets.classes)
        names = None if targets.numbered else targets.names
        how = (self.method, self._options(), seed, self._threads(), None)
        return Model(_native.train_rows(rows_of(X), (offsets, ids), count, names, how))

    def _checked(self, X: Any) -> Any:
        return validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)


class HapaxTextClassifier(_Hapax):
    """Classifier of texts, into one of many classes or several labels.

    The model holds what turns texts into features: no vectorizer is needed before it.

    Parameters
    ----------
    method, cost, exponent, max_bytes, options, above, random_state, n_jobs
        As for `HapaxClassifier`; `options` also takes those of texts, such as
        ``{"words": (1, 2), "characters": 0}``, and the ``label_texts`` of `hapax.train`, whose
        labels are classes of `y`: of a matrix the numbers of its columns.

    Attributes
    ----------
    classes_, model_, multilabel_, above_
        As for `HapaxClassifier`.

    Examples
    --------
    >>> from hapax import HapaxTextClassifier
    >>> texts = ["a red apple", "a green apple", "a fast car", "a red car"]
    >>> texts_of_cars = HapaxTextClassifier("ovr").fit(texts, ["fruit", "fruit", "car", "car"])
    >>> texts_of_cars.predict(["one apple"]).tolist()
    ['fruit']
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        return tags

    def fit(self, X: Any, y: Any) -> HapaxTextClassifier:
        """Train the model.

        Parameters
        ----------
        X : iterable of str
        y : array of shape (n_rows,), or matrix of shape (n_rows, n_labels) of 0 and 1

        Returns
        -------
        HapaxTextClassifier
        """
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None")
        texts = texts_of(X)
        y = _check_y(y, multi_output=True, estimator=self)
        check_lengths(len(texts), y.shape[0])
        return self._fit(texts, y)

    def _train(self, X: Any, targets: Targets, seed: int) -> Model:
        options = self._options()
        texts = described(options.pop("label_texts", None))
        known = set(targets.names)
        for label, _ in texts:
            if label not in known:
                raise ValueError(f"label_texts: {label!r:.60} is no class of y")
        how = (self.method, options, seed, self._threads(), None)
        return Model(_native.train_texts(X, targets.lists(), texts, how))

    def _checked(self, X: Any) -> Any:
        return texts_of(X)
