"""`hapax.train`: what the command `hapax train` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any

import numpy as np

from . import _native
from ._data import labelled
from ._model import Model
from ._rows import count_rows, flat_lists, indicated, is_matrix, rows_of, texts_of

_INTEGERS = (int, np.integer)
_PLAIN = (set(), {int}, {str})


def train(
    X: Any,
    labels: Any = None,
    method: str = "auto",
    *,
    text: str = "text",
    label_texts: Mapping[Any, Any] | Iterable[tuple[Any, str]] | None = None,
    from_: Model | None = None,
    seed: int = 42,
    threads: int = 0,
    progress: Callable[[str, int, int], object] | None = None,
    **options: Any,
) -> Model:
    """Train a model, to the same bytes as ``hapax train`` for the same data and options.

    Ctrl-C stops training and raises `KeyboardInterrupt`. Other threads run meanwhile.

    Parameters
    ----------
    X : iterable of str, matrix of shape (n_rows, n_features), or table
        Texts, or rows: a SciPy sparse matrix, a NumPy array or a pandas DataFrame. A CSR matrix is
        copied once. Tables hold the labels, too: a DataFrame, or an iterable of dictionaries such
        as ``{"text": "a red apple", "labels": ["fruit"]}`` or a data set of HuggingFace.
    labels : sequence of length n_rows, matrix of shape (n_rows, n_labels), or str
        For each row one label or a list of labels, each a `str` or an `int`. Rows take integers
        as label ids from 0, as files of XMC do; of texts every label is a name. A matrix holds 0
        where a row lacks the label of the column. Of a table the name of the column, by default
        ``labels`` or ``label``.
    method : str, default="auto"
        "auto" tries methods, features and parameters on held-out rows and takes the best. The
        others are those of the command: "ovr", "nearest", "mach", "cs", "ww", "llw", "memoir-l2",
        "memoir-l1", "memoir-lsh", "wsabie", "wsabie-pp", "ova-sgd", "auc" and "nearest-mean".
    text : str, default="text"
        Of a table the column of the texts. A DataFrame without one has rows of numbers.
    label_texts : mapping or iterable of (label, text), optional
        Names or descriptions of labels, which training texts may lack: of each label a text or a
        list of texts. They are trained on as further rows of their labels, with the words of the
        training texts; nothing is chosen by them. A label without training texts is added.
    from_ : Model, optional
        The model to start from, as ``--from`` of "ovr", "cs" and "ww" does: a linear one of the
        same features, whose labels come first. Texts are read with its words. Its labels without
        rows here keep their weights in "ovr". To teach a model further rows, `Model.learn` is
        faster.
    seed : int, default=42
        Of everything random.
    threads : int, default=0
        0 means one for each core. The model is the same for any number.
    progress : callable, optional
        Called as ``progress(what, done, of)`` from time to time; `of` is 0 where it is unknown.
    **options
        The options of ``hapax train METHOD --help-all`` by their names with underscores, such as
        ``cost=0.3``, ``costs=[0.1, 1, 10]``, ``max_bytes=2_000_000``, ``minutes=10``, or of texts
        ``words=(1, 2)`` and ``characters=0``. ``vectors="glove.6B.100d.txt"``, which "auto" has,
        adds vectors of words from elsewhere if they gain. ``checkpoint="folder"`` keeps what
        training has done so far, every minute or as ``every="10s"`` says; ``resume="folder"`` goes
        on from there after Ctrl-C, a crash or a kill.

    Returns
    -------
    Model

    Raises
    ------
    ValueError
        If the data or an option are unusable; the text says which.
    TypeError
        If the method has no option of this name; the text lists those it has.

    Examples
    --------
    >>> import hapax
    >>> rows = [[1.0, 0.0], [0.5, 0.1], [0.0, 1.0], [0.2, 0.9]]
    >>> model = hapax.train(rows, [0, 0, 1, 1], method="nearest", neighbors=2)
    >>> ids, scores = model.predict_topk([[0.1, 2.0]], k=1)
    >>> int(ids[0, 0])
    1
    """
    how = (method, options, seed, threads, progress)
    X, labels = labelled(X, labels, text)
    if from_ is not None:
        if label_texts is not None:
            raise ValueError("label_texts need words of their own: leave out from_")
        return _trained_from(from_, X, labels, how)
    if is_matrix(X):
        if label_texts is not None:
            raise ValueError("label_texts need texts, but X holds rows of features")
        rows = rows_of(X)
        offsets, ids, count, names = label_arrays(labels, count_rows(rows))
        return Model(_native.train_rows(rows, (offsets, ids), count, names, how))
    texts = texts_of(X)
    lists = [[str(label) for label in row] for row in label_lists(labels)]
    check_lengths(len(texts), len(lists))
    return Model(_native.train_texts(texts, lists, described(label_texts), how))


def _trained_from(start: Model, X: Any, labels: Any, how: Any) -> Model:
    if is_matrix(X):
        rows = rows_of(X)
        given = start._labels(labels, count_rows(rows))
        return Model(_native.train_rows_from(start._native, rows, given, how))
    texts = texts_of(X)
    given = start._labels(labels, len(texts))
    return Model(_native.train_texts_from(start._native, texts, given, how))


def described(label_texts: Any) -> list[tuple[str, str]]:
    """Labels and their texts, one by one."""
    if label_texts is None:
        return []
    pairs = label_texts.items() if isinstance(label_texts, Mapping) else label_texts
    found = []
    for label, given in pairs:
        for text in [given] if isinstance(given, str) else given:
            if not isinstance(text, str) or not text.strip():
                raise ValueError(f"label_texts: of label {label!r:.60} a text is {text!r:.60}")
            found.append((str(label), text))
    if not found:
        raise ValueError("label_texts are empty: leave them out")
    return found


def check_lengths(rows: int, labels: int) -> None:
    """Refuse labels of more or fewer rows than there are."""
    if rows != labels:
        raise ValueError(f"there are {rows} rows, but labels of {labels}")


def label_lists(labels: Any) -> list[list[Any]]:
    """The labels of each row as a list; a matrix gives the numbers of its columns."""
    if is_indicator(labels):
        offsets, ids, _ = indicator_arrays(labels)
        return [ids[start:end].tolist() for start, end in zip(offsets[:-1], offsets[1:])]
    lists = []
    for row, given in enumerate(labels):
        single = isinstance(given, str) or not isinstance(given, Iterable)
        given = [given] if single else list(given)
        # Nearly all rows hold numbers or names alone: to look at each label takes half a second a
        # million.
        if set(map(type, given)) not in _PLAIN:
            given = [_label(row, label) for label in given]
        lists.append(given)
    return lists


def _label(row: int, label: Any) -> str | int:
    # Readers of svmlight give all labels as floats.
    if isinstance(label, (float, np.floating)) and label.is_integer():
        return int(label)
    if not isinstance(label, (str, *_INTEGERS)) or isinstance(label, bool):
        raise ValueError(f"row {row}: a label is a str or an int, not {label!r:.60}")
    return label


def is_indicator(labels: Any) -> bool:
    """Whether labels are a matrix of zeros and others."""
    return hasattr(labels, "tocsr") or getattr(labels, "ndim", 1) == 2


def indicator_arrays(labels: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """Offsets and ids of an indicator matrix, and how many labels it has."""
    offsets, ids, _, count = indicated(labels)
    return offsets.astype(np.int64), ids.astype(np.int64), count


def label_arrays(labels: Any, rows: int) -> tuple[np.ndarray, np.ndarray, int, list[str] | None]:
    """Offsets, ids, number and perhaps names of the labels of rows."""
    if is_indicator(labels):
        offsets, ids, count = indicator_arrays(labels)
        check_lengths(rows, len(offsets) - 1)
        return offsets, ids, count, None
    lists = label_lists(labels)
    check_lengths(rows, len(lists))
    if any(issubclass(kind, str) for kind in set(map(type, chain.from_iterable(lists)))):
        offsets, ids, names = _native.number_labels([[str(label) for label in r] for r in lists])
        return offsets, ids, len(names), names
    return *flat_lists(lists), 0, None
