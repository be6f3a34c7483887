"""What a model answers, and how sure an answer must be to be given."""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict

import numpy as np

Label = str | int

FEW, MANY = 5, 20
"""How many answers a row gets at most, and where a probability decides on them."""


class Answer(NamedTuple):
    """A label, its score, and the probability that it is right, where the model is calibrated."""

    label: Label
    score: float
    probability: float | None


class Learned(NamedTuple):
    """What `Model.learn` did."""

    rows: range
    """The ids of the rows, for `Model.forget`; empty unless the model is of nearest neighbors."""
    skipped: int
    """Rows that taught nothing: without known features, or without labels."""
    strength: float | None
    """How far labels of one-vs-rest moved, from 0 to 1, chosen on held-out rows."""


class Explanation(TypedDict):
    """Why a row gets its labels; see `Model.explain`."""

    answers: list[dict[str, Any]]
    neighbors: list[dict[str, Any]]


class Thresholds(TypedDict):
    """Probabilities from which answers are worth giving; see `Model.thresholds`."""

    micro: float
    macro: float
    abstain: float


def least_probability(
    name: str, given: float | str | bool | None, known: tuple[float, float, float] | None
) -> np.float32 | None:
    """Return the probability that an option gives or names, of a model with these thresholds.

    Raises
    ------
    ValueError
        If it is none, or the model has no probabilities.
    """
    if given is None or given is False:
        return None
    if known is None:
        raise ValueError(
            f"the model has scores, but no probabilities, which {name} needs: train it again "
            "on 200 rows or more"
        )
    named = {"above": {"micro": known[0], "macro": known[1]}, "abstain": {True: known[2]}}
    if isinstance(given, (str, bool)):
        if given not in named[name]:
            raise ValueError(
                f"{name} is {given!r}, but must be a probability or one of "
                f"{', '.join(map(repr, named[name]))}"
            )
        given = named[name][given]
    if not 0 <= given <= 1:
        raise ValueError(f"{name} is {given!r}, but must be a probability from 0 to 1")
    return np.float32(given)


def whole(name: str, number: int) -> int:
    """Return a count, or refuse what is none."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 0:
        raise ValueError(f"{name} is {number!r}, but must be a whole number from 0")
    return int(number)
