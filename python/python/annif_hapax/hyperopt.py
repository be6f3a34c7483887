"""``annif hyperopt``: one-vs-rest of some costs and features, by the metric that is asked for.

Annif gives the documents only, so two thirds of these train each trial and the others judge it.
`hapax train` chooses by the precision of the first answers; this is for other metrics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import annif.eval
import numpy as np
from annif.backend import hyperopt
from annif.exception import NotSupportedException

import hapax

if TYPE_CHECKING:
    from annif.corpus import DocumentCorpus
    from optuna.study.study import Study
    from optuna.trial import Trial

    from .backend import HapaxBackend

_LEAST = 30
"""Fewer documents tell nothing."""

_SEED = 42


class Objective(hyperopt.HPObjective):  # type: ignore[misc]
    """Trains a model and judges it."""

    @classmethod
    def objective(cls, trial: Trial, args: dict[str, Any]) -> float:
        """The metric on the documents that are held out."""
        options = {
            "cost": trial.suggest_float("cost", 0.03, 3.0, log=True),
            "positive_weight": trial.suggest_float("positive_weight", 1.0, 10.0, log=True),
            "characters": trial.suggest_categorical("characters", ["0", "2-5"]),
        }
        how = {"seed": args["seed"], "threads": 1, "fuse": "centroid", **options}
        model = hapax.train(args["texts"], args["labels"], "ovr", **how)
        batch = annif.eval.EvaluationBatch(args["subjects"])
        batch.evaluate_many(args["suggest"](model, args["asked"]), args["wanted"])
        return float(batch.results(metrics=[args["metric"]])[args["metric"]])


class Optimizer(hyperopt.HyperparameterOptimizer):  # type: ignore[misc]
    """Divides the documents, and says what was best."""

    _backend: HapaxBackend

    def __init__(self, backend: HapaxBackend, corpus: DocumentCorpus, metric: str) -> None:
        super().__init__(backend, corpus, metric, Objective)

    def _prepare(self, n_jobs: int = 1) -> dict[str, Any]:
        documents = [document for document in self._corpus.documents if document.subject_set]
        if len(documents) < _LEAST:
            raise NotSupportedException(
                f"There are {len(documents)} documents with subjects, but {_LEAST} are needed.",
                backend_id=self._backend.backend_id,
            )
        order = np.random.RandomState(_SEED).permutation(len(documents))
        held_out, kept = np.split(order, [len(documents) // 3])
        texts, labels = self._backend._labelled([documents[place] for place in np.sort(kept)])
        judged = [documents[place] for place in np.sort(held_out)]
        return {
            "texts": texts,
            "labels": labels,
            "seed": _SEED,
            "asked": self._backend._texts(judged),
            "wanted": [document.subject_set for document in judged],
            "subjects": self._backend.project.subjects,
            "suggest": self._backend._suggestions,
            "metric": self._metric,
        }

    def _postprocess(self, study: Study) -> hyperopt.HPRecommendation:
        best = study.best_params
        lines = [
            "method=ovr",
            "fuse=centroid",
            f"cost={best['cost']:.4g}",
            f"positive_weight={best['positive_weight']:.4g}",
            f"characters={best['characters']}",
        ]
        return hyperopt.HPRecommendation(lines=lines, score=study.best_value)
