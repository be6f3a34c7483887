"""The compiled half of the package; use `hapax.Model` and `hapax.train`."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

_Arrays = tuple[
    NDArray[np.int32] | NDArray[np.int64],
    NDArray[np.int32] | NDArray[np.int64],
    NDArray[np.float32],
    int,
]
_LabelArrays = tuple[NDArray[np.int64], NDArray[np.int64]]
_Flat = tuple[tuple[NDArray[np.int32], NDArray[np.float32]], int]
_Progress = Callable[[str, int, int], object] | None

class Model:
    @staticmethod
    def load(path: str | PathLike[str]) -> Model: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    def names(self) -> list[str] | None: ...
    @property
    def kind(self) -> str: ...
    @property
    def n_labels(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def takes_texts(self) -> bool: ...
    @property
    def mean_labels_per_row(self) -> float: ...
    def provenance(self) -> dict[str, Any]: ...
    def answer_texts(self, texts: Sequence[str], k: int, threads: int) -> _Flat: ...
    def answer_rows(self, rows: _Arrays, k: int, threads: int) -> _Flat: ...
    def explain_text(self, text: str, k: int, shown: tuple[int, int]) -> dict[str, Any]: ...
    def explain_row(
        self, rows: _Arrays, at: int, k: int, shown: tuple[int, int]
    ) -> dict[str, Any]: ...
    def learn_text(self, text: str, labels: Sequence[str]) -> int: ...
    def learn_row(self, rows: _Arrays, at: int, labels: Sequence[int]) -> int: ...
    def forget(self, row: int) -> bool: ...
    def compact(self, max_bytes: int, seed: int, threads: int) -> Model: ...

def train_texts(
    texts: Sequence[str],
    labels: Sequence[Sequence[str]],
    method: str,
    options: dict[str, Any],
    seed: int,
    threads: int,
    progress: _Progress,
) -> Model: ...
def train_rows(
    rows: _Arrays,
    label_ids: _LabelArrays,
    label_count: int,
    names: Sequence[str] | None,
    method: str,
    options: dict[str, Any],
    seed: int,
    threads: int,
    progress: _Progress,
) -> Model: ...
def number_labels(
    labels: Sequence[Sequence[str]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[str]]: ...
