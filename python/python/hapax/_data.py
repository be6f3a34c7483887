"""Doors for labelled data: tables with named columns, and rows that are dictionaries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LABELS = ("labels", "label")


def labelled(X: Any, labels: Any, text: str) -> tuple[Any, Any]:
    """Return texts or rows, and their labels.

    Parameters
    ----------
    X : anything that `hapax.train` takes
        Of a pandas DataFrame, and of an iterable of dictionaries, such as a data set of
        HuggingFace, columns go by name.
    labels : labels, the name of their column, or None
        None is the column ``labels`` or ``label``.
    text : str
        The column of the texts. If a DataFrame has none of this name, its other columns are rows
        of numbers.

    Raises
    ------
    ValueError
        If a column is missing, or there are no labels.
    """
    if labels is not None and not isinstance(labels, str):
        return X, labels
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        column = _label_column(list(X.columns), labels)
        rows = X[text] if text in X.columns else X.drop(columns=[column])
        return rows, X[column].tolist()
    rows = X if isinstance(X, (list, tuple)) else _dictionaries(X)
    if not len(rows) or not isinstance(rows[0], Mapping):
        if labels is None:
            raise ValueError("labels are missing: give them, or rows that are dictionaries")
        raise ValueError(f"labels are {labels!r}: give one for each row, or a table with columns")
    column = _label_column(list(rows[0]), labels)
    for number, row in enumerate(rows):
        for name in (text, column):
            if name not in row:
                own = ", ".join(map(repr, row))
                raise ValueError(f"row {number} has no {name!r}: it has {own}")
    named = _names_of(X, column)
    return [row[text] for row in rows], [named(row[column]) for row in rows]


def _dictionaries(X: Any) -> list[Any]:
    if isinstance(X, (str, bytes)) or hasattr(X, "tocsr") or getattr(X, "ndim", 0) > 1:
        return []
    return list(X)


def _label_column(columns: list[Any], labels: str | None) -> str:
    for name in LABELS if labels is None else (labels,):
        if name in columns:
            return name
    wanted = " or ".join(map(repr, LABELS)) if labels is None else repr(labels)
    raise ValueError(f"there is no column {wanted}: there are {', '.join(map(repr, columns))}")


def _names_of(X: Any, column: str) -> Any:
    """What turns the labels of a row into names: a data set of HuggingFace numbers its classes."""
    feature = getattr(X, "features", None)
    feature = feature.get(column) if isinstance(feature, Mapping) else None
    feature = getattr(feature, "feature", feature)
    if not hasattr(feature, "int2str"):
        return lambda given: given
    return lambda given: feature.int2str(given)
