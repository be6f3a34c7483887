"""Figures are those of napkinXC."""

import numpy as np
import pytest
import scipy.sparse as sp

from hapax import metrics

napkinxc = pytest.importorskip("napkinxc.metrics", reason="napkinXC is in the newest venv alone")

K = 7


@pytest.fixture(scope="module")
def case():
    """Rows of up to 9 of 60 labels, rare ones among them, and answers that are right at times."""
    random = np.random.RandomState(1)
    rarity = 1.0 / np.arange(1, 61)

    def draw(most):
        count = random.randint(0, most)
        return random.choice(60, count, replace=False, p=rarity / rarity.sum())

    train = [sorted(draw(10).tolist()) for _ in range(400)]
    truth = [sorted(draw(10).tolist()) for _ in range(300)]
    answers = []
    for row in truth:
        guessed = [label for label in row if random.rand() < 0.5] + draw(8).tolist()
        random.shuffle(guessed)
        answers.append(list(dict.fromkeys(guessed)))
    assert [] in truth and [] in answers and min(map(len, filter(None, answers))) < K
    return train, truth, answers


@pytest.mark.parametrize("name", ["precision", "recall", "ndcg", "coverage"])
def test_figures_at_k(case, name):
    _, truth, answers = case
    ours = getattr(metrics, f"{name}_at_k")(truth, answers, K)
    theirs = getattr(napkinxc, f"{name}_at_k")(truth, answers, k=K)
    assert ours.shape == (K,) and ours.min() > 0
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("parameters", [(0.55, 1.5), (0.6, 2.6)])
@pytest.mark.parametrize("name", ["psprecision", "psndcg"])
def test_figures_with_propensities(case, name, parameters):
    train, truth, answers = case
    ours = metrics.Propensities(train, *parameters)
    theirs = napkinxc.Jain_et_al_inverse_propensity(train, *parameters)
    assert len(theirs) == 60
    np.testing.assert_allclose(ours.inverse, theirs, rtol=1e-9)
    found = getattr(metrics, f"{name}_at_k")(truth, answers, ours, K)
    wanted = getattr(napkinxc, f"{name}_at_k")(truth, answers, theirs, k=K)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


def test_f1(case):
    _, truth, answers = case
    cut = [row[:2] for row in answers]
    ours = metrics.evaluate(truth, answers, cut=2)
    wanted = {
        "micro_f1": napkinxc.micro_f1_measure(truth, cut),
        "example_f1": napkinxc.samples_f1_measure(truth, cut),
    }
    for name, theirs in wanted.items():
        assert ours[name] == pytest.approx(theirs, abs=1e-9), name


def test_all_forms_of_rows_have_the_same_figures(case):
    _, truth, answers = case
    wanted = metrics.evaluate(truth, answers, cut=3)
    ends = np.cumsum([0, *map(len, truth)])
    ones = np.ones(ends[-1], dtype=np.int8)
    shape = (len(truth), 60)
    indicator = sp.csr_matrix((ones, np.concatenate(truth).astype(np.int32), ends), shape)
    width = max(map(len, answers))
    padded = np.array([row + [-1] * (width - len(row)) for row in answers], dtype=np.int32)
    ends = np.cumsum([0, *map(len, answers)])
    scores = np.concatenate([np.arange(len(row), 0, -1.0) for row in answers])
    ranked = sp.csr_matrix((scores, np.concatenate(answers).astype(np.int32), ends), shape)
    ranked.sort_indices()
    names = [[f"label {label}" for label in row] for row in truth]
    pairs = [[(f"label {label}", 0.5) for label in row] for row in answers]
    for right, given in ((indicator, padded), (indicator.toarray(), ranked), (names, pairs)):
        assert metrics.evaluate(right, given, cut=3) == wanted


def test_refused(case):
    _, truth, answers = case
    with pytest.raises(ValueError, match="answers of 299 rows, but labels of 300"):
        metrics.precision_at_k(truth, answers[1:])
    with pytest.raises(ValueError, match="no rows"):
        metrics.precision_at_k([], [])
    with pytest.raises(ValueError, match="k is 0"):
        metrics.ndcg_at_k(truth, answers, k=0)
    with pytest.raises(ValueError, match="whole number from 0"):
        metrics.precision_at_k([[-1]], [[1]])
    with pytest.raises(ValueError, match="B is 0"):
        metrics.Propensities(truth, 0.5, 0)
