"""The estimators do as scikit-learn's own do."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import WORDS, make_texts
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score, log_loss
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MultiLabelBinarizer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import hapax
from hapax import HapaxClassifier, HapaxTextClassifier


# MACH wants more classes than most of these checks have.
@parametrize_with_checks(
    [HapaxClassifier(), HapaxClassifier("ovr"), HapaxClassifier("nearest"), HapaxTextClassifier()]
)
def test_checks_of_sklearn(estimator, check):
    check(estimator)


# F1 on texts of `make_texts`; each label predicted for every row would have 0.46.
LEAST = {"ovr": 0.85, "nearest": 0.7}


def one_label(rows, seed):
    texts, labels = make_texts(rows, seed)
    return texts, np.array([label for (label,) in labels])


TEXTS, CLASSES = one_label(500, seed=7)
ASKED, TRUTH = one_label(200, seed=8)


def test_cross_validation_of_texts():
    scores = cross_val_score(HapaxTextClassifier("ovr"), TEXTS, CLASSES, cv=3)
    assert scores.shape == (3,) and scores.min() > 0.9


def test_grid_search_in_several_processes():
    grid = {"method": ["ovr"], "cost": [1e-4, 1.0]}
    search = GridSearchCV(HapaxTextClassifier(), grid, cv=2, n_jobs=2)
    search.fit(TEXTS, CLASSES)
    assert search.best_params_["cost"] in grid["cost"] and search.best_score_ > 0.9
    assert search.best_estimator_.model_.kind == "ovr"
    assert search.score(ASKED, TRUTH) == np.mean(search.predict(ASKED) == TRUTH)


def test_pipelines():
    of_texts = make_pipeline(TfidfVectorizer(), HapaxClassifier("ovr"))
    assert of_texts.fit(TEXTS, CLASSES).score(ASKED, TRUTH) > 0.9
    rows = TfidfVectorizer().fit(TEXTS).transform(TEXTS).toarray()
    scaled = make_pipeline(StandardScaler(), HapaxClassifier("ovr"))
    assert scaled.fit(rows, CLASSES).score(rows, CLASSES) > 0.9


def test_the_model_is_that_of_train():
    fitted = HapaxTextClassifier("ovr", cost=0.5, options={"words": 1}).fit(TEXTS, CLASSES)
    same = hapax.train(TEXTS, CLASSES, "ovr", cost=0.5, words=1)
    assert fitted.model_.to_bytes() == same.to_bytes()
    places, scores = fitted.predict_topk(ASKED, k=3)
    best = same.predict(ASKED, k=3)
    assert [[one.label for one in row] for row in best] == fitted.classes_[places].tolist()
    assert [[one.score for one in row] for row in best] == scores.tolist()


@pytest.mark.parametrize("given", ["indicator", "sparse"])
@pytest.mark.parametrize("method", ["ovr", "nearest"])
@pytest.mark.parametrize("of", ["texts", "rows"])
def test_several_labels_go_round(of, method, given):
    texts, names = make_texts(600, seed=9, several=True)
    asked, truth = make_texts(200, seed=10, several=True)
    binarizer = MultiLabelBinarizer(sparse_output=given == "sparse")
    y = binarizer.fit_transform(names)
    if of == "rows":
        vectorizer = TfidfVectorizer().fit(texts)
        texts, asked = vectorizer.transform(texts), vectorizer.transform(asked)
    estimator = (HapaxClassifier if of == "rows" else HapaxTextClassifier)(method)
    answers = estimator.fit(texts, y).predict(asked)
    assert sp.issparse(answers) == (given == "sparse") and answers.shape == (200, 5)
    assert f1_score(binarizer.transform(truth), answers, average="micro") > LEAST[method]
    again = binarizer.transform(binarizer.inverse_transform(answers))
    assert (again != answers).sum() == 0
    assert estimator.decision_function(asked).shape == (200, 5)
    # What is sure enough is predicted, whatever way it is asked.
    dense = answers.toarray() if sp.issparse(answers) else answers
    assert estimator.above_ == np.float32(estimator.model_.thresholds["micro"])
    sure = estimator.predict_proba(asked)
    assert (sure >= estimator.above_ * (1 - 1e-9)).tolist() == (dense == 1).tolist()


def test_a_given_probability_is_taken():
    texts, names = make_texts(300, seed=11, several=True)
    y = MultiLabelBinarizer().fit_transform(names)
    all_of_them = HapaxTextClassifier("ovr", above=0.0).fit(texts, y)
    none = HapaxTextClassifier("ovr", above=1.0).fit(texts, y)
    assert all_of_them.predict(texts).all() and not none.predict(texts).any()
    with pytest.raises(ValueError, match="above is 1.5"):
        HapaxTextClassifier("ovr", above=1.5).fit(texts, y)
    # Too few rows for probabilities: as many labels as a row has on average.
    few = HapaxTextClassifier("ovr").fit(texts[:50], y[:50])
    assert few.above_ is None and not hasattr(few, "predict_proba")
    usual = round(y[:50].sum(axis=1).mean())
    assert (few.predict(texts).sum(axis=1) == usual).all()
    with pytest.raises(ValueError, match="no probabilities"):
        HapaxTextClassifier("ovr", above=0.5).fit(texts[:50], y[:50])


def test_more_labels_than_are_asked_for_at_first():
    rows = sp.identity(300, format="csr", dtype=np.float32)
    estimator = HapaxClassifier("ovr", cost=1.0, above=0.0).fit(rows, rows.astype(int))
    assert (np.asarray(estimator.predict(rows[:3]).sum(axis=1)) == 300).all()


@pytest.mark.parametrize("method", ["ovr", "nearest", "mach"])
def test_probabilities_of_classes(method):
    fitted = HapaxTextClassifier(method).fit(TEXTS, CLASSES)
    sure = fitted.predict_proba(ASKED)
    assert sure.shape == (200, 5) and np.allclose(sure.sum(axis=1), 1) and (sure >= 0).all()
    assert (fitted.classes_[sure.argmax(axis=1)] == fitted.predict(ASKED)).all()
    # They are those of the model, divided by their sum, and they are worth something.
    row = fitted.model_.predict(ASKED[:1])[0]
    total = sum(answer.probability for answer in row)
    for answer in row:
        place = fitted.classes_.tolist().index(answer.label)
        assert sure[0, place] == pytest.approx(answer.probability / total, rel=1e-6)
    shares = [np.mean(CLASSES == label) for label in fitted.classes_]
    assert log_loss(TRUTH, sure) < 0.5 * log_loss(TRUTH, np.tile(shares, (200, 1)))
    assert fitted.predict_proba(["qqq"])[0].tolist() == pytest.approx(shares)


def test_classes_of_any_type():
    for classes in ([10, 20, 30], [True, False, True], ["ä", "", "b"], [1.0, 2.0, 3.0]):
        y = np.array(classes * 10)
        X = np.eye(3)[np.arange(30) % 3]
        fitted = HapaxClassifier("ovr").fit(X, y)
        assert fitted.predict(X).dtype == y.dtype and (fitted.predict(X) == y).all()
        texts = [f"word{i % 3}" for i in range(30)]
        fitted = HapaxTextClassifier("ovr", options={"words": 1}).fit(texts, y)
        assert (fitted.predict(texts) == y).all()


def test_texts_of_pandas():
    frame = pd.DataFrame({"text": TEXTS, "label": CLASSES})
    fitted = HapaxTextClassifier("nearest").fit(frame["text"], frame["label"])
    plain = HapaxTextClassifier("nearest").fit(TEXTS, CLASSES)
    assert fitted.model_.to_bytes() == plain.model_.to_bytes()
    assert (fitted.predict(frame[["text"]]) == plain.predict(TEXTS)).all()


def test_columns_go_by_name():
    frame = pd.DataFrame(np.eye(3)[[0, 1, 2] * 4], columns=["a", "b", "c"])
    fitted = HapaxClassifier("nearest").fit(frame, [0, 1, 2] * 4)
    assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["b", "a", "c"]])


def test_a_text_of_unknown_words_has_the_most_frequent_class():
    texts = ["red apple", "red apple", "fast car", "fast car", "fast car"]
    classes = ["fruit", "fruit", "car", "car", "car"]
    fitted = HapaxTextClassifier("ovr").fit(texts, classes)
    assert fitted.predict(["qqq"]).tolist() == ["car"]
    decided = fitted.decision_function(["qqq", "apple"])
    assert decided[0] < 0 < decided[1]


def test_refused():
    with pytest.raises(NotFittedError):
        HapaxTextClassifier().predict(["a"])
    with pytest.raises(ValueError, match="y is None|requires y"):
        HapaxTextClassifier().fit(TEXTS, None)
    with pytest.raises(ValueError, match="500 rows, but labels of 499"):
        HapaxTextClassifier().fit(TEXTS, CLASSES[1:])
    with pytest.raises(ValueError, match="not a single one"):
        HapaxTextClassifier().fit("a text", ["x"])
    with pytest.raises(ValueError, match="row 0: a text is a str"):
        HapaxTextClassifier().fit([1, 2], ["x", "y"])
    with pytest.raises(ValueError, match='method is "magic"'):
        HapaxTextClassifier("magic").fit(TEXTS, CLASSES)
    with pytest.warns(DataConversionWarning):
        HapaxTextClassifier("nearest").fit(TEXTS, CLASSES[:, None])


def test_fits_are_equal_and_pickle():
    fitted = HapaxTextClassifier("ovr").fit(TEXTS, CLASSES)
    for other in (clone(fitted).fit(TEXTS, CLASSES), pickle.loads(pickle.dumps(fitted))):
        assert other.model_.to_bytes() == fitted.model_.to_bytes()
        assert (other.predict(ASKED) == fitted.predict(ASKED)).all()
    state = np.random.RandomState(3)
    seeds = [
        HapaxTextClassifier("ovr", random_state=state).fit(TEXTS, CLASSES).model_.provenance["seed"]
        for _ in range(2)
    ]
    assert seeds[0] != seeds[1]


def test_folds_without_a_class():
    texts, names = make_texts(60, seed=12, several=True)
    y = np.hstack([MultiLabelBinarizer().fit_transform(names), np.zeros((60, 1), dtype=int)])
    y[0, -1] = 1
    for train, test in KFold(3).split(texts):
        fitted = HapaxTextClassifier("ovr").fit([texts[i] for i in train], y[train])
        assert fitted.predict([texts[i] for i in test]).shape == (20, 6)


def test_the_words_of_the_tests_are_apart():
    assert len(set(" ".join(WORDS.values()).split())) > 40
