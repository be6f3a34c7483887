"""Extreme classification: choose among thousands to millions of labels, on a CPU, offline.

Examples
--------
>>> import hapax
>>> texts = ["where is my new card", "my card has not arrived", "i lost my card", "my card is lost"]
>>> model = hapax.train(texts, ["arrival", "arrival", "lost", "lost"], method="nearest")
>>> model.predict(["i lost my new card"], k=1)[0][0][0]
'lost'
"""

from typing import Any

from . import metrics
from ._answers import Answer, Explanation, Learned
from ._model import Model
from ._native import __version__
from ._train import train

__all__ = [
    "Answer",
    "Explanation",
    "HapaxClassifier",
    "HapaxTextClassifier",
    "Learned",
    "Model",
    "__version__",
    "metrics",
    "train",
]

_ESTIMATORS = {"HapaxClassifier", "HapaxTextClassifier"}


def __getattr__(name: str) -> Any:
    # scikit-learn takes a second to import, and is needed for its estimators alone.
    if name in _ESTIMATORS:
        from . import sklearn

        return getattr(sklearn, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(set(globals()) | _ESTIMATORS)
