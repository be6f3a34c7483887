"""What a notebook shows of a model."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._model import Model

SHOWN = 8
"""How many labels the card names."""


def card(model: Model) -> str:
    """Return a table of what the model is, what made it, and when its answers are worth giving."""
    made = model.provenance
    labels = [escape(str(label)) for label in model._native.first_labels(SHOWN)]
    more = ", …" if model.n_labels > len(labels) else ""
    facts = {
        "method": escape(made["algorithm"]),
        "answers": "texts" if model.takes_texts else "rows of features",
        "labels": f"{model.n_labels:,}: {', '.join(labels)}{more}",
        "features": f"{model.n_features:,}",
        "training rows": f"{made['rows']:,}",
        "labels of a row": f"{model._native.mean_labels_per_row:.2f}",
        "file": f"{model._native.file_bytes():,} bytes",
    }
    if known := model.thresholds:
        facts["probability for the best micro-F1"] = f"{known['micro']:g}"
        facts["probability for the best macro-F1"] = f"{known['macro']:g}"
        facts["confidence for an answer at all"] = f"{known['abstain']:g}"
    else:
        facts["probabilities"] = "none"
    facts["made by"] = f"hapax {escape(made['library'])}, seed {made['seed']}"
    facts["fingerprint of the data"] = f"<code>{made['fingerprint']}</code>"
    rows = (
        f'<tr><th scope="row" style="text-align:left">{name}</th>'
        f'<td style="text-align:left">{value}</td></tr>'
        for name, value in facts.items()
    )
    return f"<table><caption>hapax model</caption><tbody>{''.join(rows)}</tbody></table>"
