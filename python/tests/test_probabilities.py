"""Probabilities are those of the command, and thresholds leave the same answers out."""

import json

import numpy as np
import pytest
from conftest import make_texts

import hapax

ASKED = [*make_texts(200, seed=3)[0], "zzz qqq"]


@pytest.fixture(scope="module")
def model():
    return hapax.train(*make_texts(600, seed=2), "ovr")


@pytest.fixture(scope="module")
def asked_by_the_command(model, command, tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    model.save(folder / "model.hapax")
    (folder / "asked.txt").write_text("\n".join(ASKED) + "\n")

    def ask(*options):
        given = (folder / "model.hapax", folder / "asked.txt", "--output", "jsonl")
        lines = command("predict", *given, *options).splitlines()
        return [
            [(one["name"], one["probability"]) for one in json.loads(line)["labels"]]
            for line in lines
        ]

    return ask


@pytest.mark.parametrize(
    "case",
    [
        ({}, ()),
        ({"k": 1}, ("-k", 1)),
        ({"above": 0.4}, ("--above", 0.4)),
        ({"above": "micro", "at_most": 2}, ("--above", "micro", "--at-most", 2)),
        ({"above": "macro"}, ("--above", "macro")),
        ({"abstain": True, "k": 2}, ("--abstain", "-k", 2)),
        ({"abstain": 0.99, "above": 0.01}, ("--abstain=0.99", "--above", 0.01)),
    ],
    ids=lambda case: "-".join(map(str, case[1])),
)
def test_answers_of_the_command(model, asked_by_the_command, case):
    options, words = case
    ours = [
        [(one.label, pytest.approx(one.probability, abs=6e-5)) for one in row]
        for row in model.predict(ASKED, **options)
    ]
    theirs = asked_by_the_command(*words)
    assert theirs == ours
    assert any(theirs) and theirs[-1] == []


def test_arrays(model):
    ids, scores, sure = model.predict_topk(ASKED, k=3, probabilities=True)
    assert sure.dtype == np.float32 and sure.shape == ids.shape == scores.shape == (201, 3)
    assert (np.diff(sure, axis=1) <= 0).all() and (sure[:-1, 0] > 0).all() and not sure[-1].any()
    alone = model.predict_topk(ASKED, k=1, probabilities=True)
    assert (alone[2][:, 0] == sure[:, 0]).all()
    assert set(model.thresholds) == {"micro", "macro", "abstain"}


def test_probabilities_are_worth_what_they_say(model):
    asked, truth = make_texts(2000, seed=9)
    ids, _, sure = model.predict_topk(asked, k=1, probabilities=True)
    right = np.array([model.labels[place] == label for place, (label,) in zip(ids[:, 0], truth)])
    assert abs(right.mean() - sure.mean()) < 0.03
    least = np.float32(model.thresholds["abstain"])
    kept = sure[:, 0] >= least
    assert right[kept].mean() >= right.mean()


def test_what_needs_probabilities_is_refused_without():
    few = hapax.train(*make_texts(50, seed=2), "nearest")
    assert few.thresholds is None and few.predict(ASKED[:1])[0][0].probability is None
    for asking in ({"above": 0.5}, {"above": "micro"}, {"abstain": True}):
        with pytest.raises(ValueError, match="no probabilities, which .* needs"):
            few.predict(ASKED, **asking)
    with pytest.raises(ValueError, match="no probabilities"):
        few.predict_topk(ASKED, probabilities=True)


@pytest.mark.parametrize("wrong", [{"above": 1.5}, {"above": "best"}, {"abstain": float("nan")}])
def test_wrong_thresholds_are_refused(model, wrong):
    with pytest.raises(ValueError, match="must be a probability"):
        model.predict(ASKED, **wrong)
    with pytest.raises(ValueError, match="give one"):
        model.predict(ASKED, 3, at_most=3)
