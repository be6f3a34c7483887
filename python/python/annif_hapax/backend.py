"""The backend: one model file a project, whose labels are the URIs of subjects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import annif.util
import numpy as np
from annif.backend import backend, hyperopt
from annif.exception import (
    ConfigurationException,
    NotInitializedException,
    NotSupportedException,
)
from annif.suggestion import SubjectSuggestion, SuggestionBatch

import hapax

from .hyperopt import Optimizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from annif.corpus import Document, DocumentCorpus

    from hapax import Explanation

# Those options of `hapax.train` that a project may set, and how their text is read.
_OPTIONS = {
    "cost": float,
    "positive_weight": float,
    "exponent": float,
    "centroid": float,
    "prior": float,
    "softmax": float,
    "embedding": float,
    "prune": float,
    "bits": int,
    "fuse": str,
    "negatives": str,
    "neighbors": int,
    "alpha": float,
    "beta": float,
    "tune": annif.util.boolean,
    "buckets": int,
    "repetitions": int,
    "epochs": int,
    "words": str,
    "characters": str,
    "min_documents": int,
    "max_features": int,
    "max_document_share": float,
    "hash_bits": int,
    "max_bytes": int,
}


class HapaxBackend(hyperopt.AnnifHyperoptBackend, backend.AnnifLearningBackend):  # type: ignore[misc]
    """Extreme classification by hapax.

    Texts go through the analyzer of the project if it has one; hapax takes words and n-grams of
    characters of what it gives. Scores are probabilities that the subject is right, measured on
    held-out documents. A model of less than 200 documents has none: its scores are squashed into
    0 to 1, and only rank.
    """

    name = "hapax"

    MODEL_FILE = "model.hapax"

    DEFAULT_PARAMETERS = {"method": "auto", "seed": 42, "evidence": 0}

    # defaults for uninitialized instances
    _model: hapax.Model | None = None
    _subject_ids: np.ndarray | None = None

    def initialize(self, parallel: bool = False) -> None:
        """Map the model into memory."""
        if self._model is not None:
            return
        path = os.path.join(self.datadir, self.MODEL_FILE)
        if not os.path.exists(path):
            raise NotInitializedException(f"model {path} not found", backend_id=self.backend_id)
        self.debug(f"loading model from {path}")
        self._take(hapax.Model.load(path))

    def _take(self, model: hapax.Model) -> None:
        """Hold a model, whose labels are URIs: the vocabulary may have been numbered anew."""
        self._model, self._subject_ids = model, self._subjects_of(model)

    def _subjects_of(self, model: hapax.Model) -> np.ndarray:
        found = [self.project.subjects.by_uri(str(uri), warnings=False) for uri in model.labels]
        return np.array([-1 if subject is None else subject for subject in found], dtype=np.int64)

    def _texts(self, documents: Iterable[Document]) -> list[str]:
        if not self.project.analyzer_spec:
            return [document.text for document in documents]
        tokens = self.project.analyzer.tokenize_words
        return [" ".join(tokens(document.text)) for document in documents]

    def _labelled(self, documents: Iterable[Document]) -> tuple[list[str], list[list[str]]]:
        """Texts and the URIs of their subjects; documents without subjects teach nothing."""
        subjects = self.project.subjects
        documents = [document for document in documents if document.subject_set]
        labels = [[subjects[subject].uri for subject in doc.subject_set] for doc in documents]
        return self._texts(documents), labels

    def _train(self, corpus: DocumentCorpus, params: dict[str, Any], jobs: int = 0) -> None:
        if corpus == "cached":
            raise NotSupportedException("Training hapax from cached data is not supported.")
        if corpus.is_empty():
            raise NotSupportedException("Cannot train hapax project with no documents")
        texts, labels = self._labelled(corpus.documents)
        options = {name: read(params[name]) for name, read in _OPTIONS.items() if name in params}
        try:
            model = hapax.train(
                texts,
                labels,
                params["method"],
                seed=int(params["seed"]),
                threads=jobs,
                progress=lambda what, done, of: self.debug(f"{what} {done}/{of}"),
                **options,
            )
        except (TypeError, ValueError) as error:
            raise ConfigurationException(str(error), backend_id=self.backend_id) from error
        self.info(f"trained a model of kind {model.kind}")
        self._save(model)

    def _learn(self, corpus: DocumentCorpus, params: dict[str, Any]) -> None:
        self.initialize()
        assert self._model is not None
        try:
            self._model.learn(*self._labelled(corpus.documents))
        except ValueError as error:
            raise NotSupportedException(
                f"A hapax model of kind {self._model.kind} cannot learn this: {error}"
            ) from error
        self._save(self._model)

    def _save(self, model: hapax.Model) -> None:
        model.save(os.path.join(self.datadir, self.MODEL_FILE))
        self._take(model)

    def get_hp_optimizer(self, corpus: DocumentCorpus, metric: str) -> Optimizer:
        """What ``annif hyperopt`` runs."""
        return Optimizer(self, corpus, metric)

    def _suggest_batch(self, documents: list[Document], params: dict[str, Any]) -> SuggestionBatch:
        assert self._model is not None
        texts, limit = self._texts(documents), int(params["limit"])
        if evidence := min(int(params["evidence"]), limit):
            for why in self._model.explain(texts, k=evidence):
                for line in _evidence(why):
                    self.info(line)
        batch = self._suggestions(self._model, texts, limit)
        return SuggestionBatch.from_sequence(batch, self.project.subjects, limit=limit)

    def explain(
        self, documents: list[Document], params: dict[str, Any] | None = None
    ) -> list[Explanation]:
        """Say why `suggest` suggests what it does: of each document `hapax.Model.explain`.

        Labels are URIs, and words are those that the analyzer gives.
        """
        self.initialize()
        assert self._model is not None
        limit = int(self._get_backend_params(params)["limit"])
        return self._model.explain(self._texts(documents), k=limit)

    def _suggestions(
        self, model: hapax.Model, texts: list[str], limit: int = 100
    ) -> list[list[SubjectSuggestion]]:
        """The suggestions of a model, best first."""
        # Annif itself spreads documents over processes.
        if model.thresholds is not None:
            places, _, sure = model.predict_topk(texts, k=limit, probabilities=True, threads=1)
        else:
            places, scores = model.predict_topk(texts, k=limit, threads=1)
            sure = _squash(scores.astype(np.float64), model.kind)
        subjects = self._subject_ids if model is self._model else self._subjects_of(model)
        batch = []
        for row, row_scores in zip(places, sure):
            ids = subjects[row[row >= 0]].tolist()
            found = zip(ids, row_scores.tolist())
            batch.append([SubjectSuggestion(subject_id=i, score=s) for i, s in found if i >= 0])
        return batch


def _evidence(why: Explanation) -> Iterator[str]:
    """A line for each suggestion, and one for each training document that voted."""

    def listed(features: list[tuple[str | int, float]]) -> str:
        return ", ".join(f"{feature} {share:.2f}" for feature, share in features)

    for answer in why["answers"]:
        if answer["features"]:
            yield f"<{answer['label']}>: {listed(answer['features'])}"
    for near in why["neighbors"]:
        uris = " ".join(f"<{label}>" for label in near["labels"])
        like = f"document {near['row']} (similarity {near['similarity']:.2f})"
        yield f"{uris} of {like}: {listed(near['features'])}"


def _squash(scores: np.ndarray, kind: str) -> np.ndarray:
    """Scores from 0 to 1 in the same order: votes are 0 or more, others have any sign."""
    if kind == "nearest":
        votes = np.maximum(scores, 0.0)
        return votes / (1.0 + votes)
    return 1.0 / (1.0 + np.exp(-np.clip(scores, -500.0, 500.0)))
