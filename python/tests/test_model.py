"""Models as Python holds them: files, copies, answers, evidence, learning, errors."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import make_texts

import hapax

TEXTS, LABELS = make_texts(400, seed=4)


@pytest.fixture(scope="module", params=["ovr", "nearest", "mach"])
def model(request):
    return hapax.train(TEXTS, LABELS, request.param)


def test_files_and_copies_have_the_same_bytes(model, tmp_path):
    file = model.to_bytes()
    model.save(tmp_path / "model.hapax")
    assert (tmp_path / "model.hapax").read_bytes() == file
    copies = [
        hapax.Model.load(str(tmp_path / "model.hapax")),
        hapax.Model.from_bytes(file),
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        copy.copy(model),
    ]
    for other in copies:
        assert other.to_bytes() == file
        assert other.predict(TEXTS[:20]) == model.predict(TEXTS[:20])


def test_what_a_model_says_of_itself(model):
    assert model.labels == ["arrival", "exchange", "fee", "lost", "stolen"]
    assert model.n_labels == 5 and model.takes_texts
    assert model.kind in ("ovr", "nearest", "mach") and model.kind in repr(model)
    made = model.provenance
    assert (made["rows"], made["labels"], made["seed"]) == (400, 5, 42)
    assert made["features"] == model.n_features > 0


def test_lists_and_arrays_agree(model):
    asked = [*TEXTS[:30], "qqq zzz"]
    ids, scores = model.predict_topk(asked, k=3)
    assert ids.dtype == np.int32 and scores.dtype == np.float32
    assert ids.shape == scores.shape == (31, 3)
    lists = model.predict(asked, k=3)
    for row, best in enumerate(lists):
        assert [model.labels[i] for i in ids[row] if i >= 0] == [answer.label for answer in best]
        assert [s for s in scores[row].tolist() if s > -np.inf] == [one.score for one in best]
    # No word is known: no answer, and no error.
    assert lists[-1] == [] and (ids[-1] == -1).all() and (scores[-1] == -np.inf).all()
    right = [labels[0] == best[0][0] for labels, best in zip(LABELS, lists[:-1])]
    assert np.mean(right) > 0.8


def test_few_and_many_questions_have_the_same_answers(model):
    many = model.predict(TEXTS, threads=2)
    assert many == [model.predict([text])[0] for text in TEXTS]


def test_no_questions_no_answers(model):
    assert model.predict([]) == []
    assert model.predict_topk([], k=2)[0].shape == (0, 2)


def test_evidence():
    linear = hapax.train(TEXTS, LABELS, "ovr", characters=0, words=1, fuse="none")
    why = linear.explain(["the thief robbed me", "qqq"], k=2)
    best = why[0]["answers"][0]
    assert best["label"] == "stolen" and why[0]["neighbors"] == []
    assert {feature for feature, _ in best["features"][:2]} == {"thief", "robbed"}
    assert best["score"] == linear.predict(["the thief robbed me"], k=1)[0][0][1]
    assert why[1] == {"answers": [], "neighbors": []}
    near = hapax.train(TEXTS, LABELS, "nearest")
    first = near.explain(TEXTS[:1], neighbors=2, features=3)[0]["neighbors"]
    assert first[0]["row"] == 0 and first[0]["labels"] == LABELS[0]
    assert first[0]["similarity"] == pytest.approx(1) and len(first) == 2
    assert len(first[0]["features"]) == 3


def test_learning_and_forgetting():
    near = hapax.train(TEXTS, LABELS, "nearest")
    text = "my card is lost in a volcano"
    learned = near.learn([text, ""], [["volcano"], ["lost"]])
    assert (learned.rows, learned.skipped, learned.strength) == (range(400, 401), 1, None)
    assert near.predict([text], k=1)[0][0].label == "volcano" and near.labels[-1] == "volcano"
    assert near.forget(400) and not near.forget(400)
    assert near.predict([text], k=1)[0][0].label != "volcano"
    linear = hapax.train(TEXTS, LABELS, "ovr", fuse="centroid")
    before = linear.n_features
    learned = linear.learn(["an eruption", "a new eruption"] * 5, ["volcano"] * 10)
    assert linear.n_labels == 6 and linear.n_features > before and 0 <= learned.strength <= 1
    assert linear.predict(["one eruption"], k=1)[0][0].label == "volcano"
    with pytest.raises(ValueError, match="learn"):
        hapax.train(TEXTS, LABELS, "mach").learn([text], ["lost"])
    with pytest.raises(ValueError, match="1 rows, but labels of 2"):
        near.learn([text], ["lost", "fee"])


def test_rows_by_ids_and_by_names():
    rows = np.eye(4, dtype=np.float32)[[0, 1, 2, 3, 0, 1, 2, 3]]
    ids = hapax.train(rows, [0, 1, [2], [3, 0]] * 2, "nearest", neighbors=2)
    assert ids.labels == [0, 1, 2, 3] and not ids.takes_texts
    assert [answer.label for answer in ids.predict(rows[3:4])[0]] == [0, 3]
    names = hapax.train(rows, ["10", "9", "2", "1"] * 2, "nearest", neighbors=2)
    assert names.labels == ["1", "2", "9", "10"]
    assert names.predict(rows[:1], k=1)[0][0][0] == "10"
    assert names.learn([[0, 0, 1.0, 1.0]], [["9"]]).rows == range(8, 9)
    assert names.learn(rows[:1], [["11"]]).rows == range(9, 10) and names.labels[-1] == "11"
    assert ids.learn(rows[:1], [[4]]).rows == range(8, 9) and ids.labels[-1] == 4
    with pytest.raises(ValueError, match="knows labels by id"):
        ids.learn(rows[:1], ["11"])


def test_compact():
    model = hapax.train(TEXTS, LABELS, "nearest")
    small = model.compact(len(model.to_bytes()) // 2)
    assert len(small.to_bytes()) <= len(model.to_bytes()) // 2
    with pytest.raises(ValueError, match="smallest|small"):
        model.compact(10)


REFUSED = {
    "method": (lambda: hapax.train(TEXTS, LABELS, "magic"), ValueError, "auto, ovr, nearest"),
    "option": (lambda: hapax.train(TEXTS, LABELS, "ovr", alpha=1), TypeError, "no option 'alpha'"),
    "type": (lambda: hapax.train(TEXTS, LABELS, "ovr", cost="x"), ValueError, "cost: "),
    "range": (lambda: hapax.train(TEXTS, LABELS, "ovr", cost=-1.0), ValueError, "cost is -1"),
    "nan": (lambda: hapax.train(TEXTS, LABELS, "ovr", cost=np.nan), ValueError, "cost"),
    "word": (lambda: hapax.train(TEXTS, LABELS, "ovr", loss="l3"), ValueError, "hinge"),
    "n-grams": (lambda: hapax.train(TEXTS, LABELS, words="a"), ValueError, "words"),
    "tune": (
        lambda: hapax.train(TEXTS, LABELS, "nearest", tune=True, alpha=1.0),
        ValueError,
        "tune chooses",
    ),
    "fuse": (
        lambda: hapax.train(TEXTS, LABELS, "ovr", fuse="none", centroid=0.2),
        ValueError,
        "leaves out what centroid=0.2 adds",
    ),
    "texts of rows": (
        lambda: hapax.train(np.eye(2), [0, 1], label_texts={0: "one"}),
        ValueError,
        "need texts",
    ),
    "label text": (
        lambda: hapax.train(TEXTS, LABELS, label_texts={"fee": ["a fee", " "]}),
        ValueError,
        "of label 'fee' a text is ' '",
    ),
    "no label texts": (lambda: hapax.train(TEXTS, LABELS, label_texts={}), ValueError, "empty"),
    "no time": (lambda: hapax.train(TEXTS, LABELS, minutes=0), ValueError, "minutes is 0"),
    "no number of minutes": (
        lambda: hapax.train(TEXTS, LABELS, "ovr", minutes=float("nan")),
        ValueError,
        "above 0",
    ),
    "time of one training": (
        lambda: hapax.train(TEXTS, LABELS, "nearest", minutes=1),
        TypeError,
        "no option 'minutes'",
    ),
    "no dimensions": (
        lambda: hapax.train(TEXTS, LABELS, "wsabie", reduce=0),
        ValueError,
        "reduce is 0, but must be at least 1",
    ),
    "too many dimensions": (
        lambda: hapax.train(np.eye(4), [0, 1, 2, 3], "auc", reduce=9),
        ValueError,
        "reduce is 9, but must be at most 4, the number of features",
    ),
    "dimensions improved": (
        lambda: hapax.train(TEXTS, LABELS, "auc", reduce=2, reduce_iterations=9999),
        ValueError,
        "reduce_iterations is 9999",
    ),
    "nothing improved": (
        lambda: hapax.train(TEXTS, LABELS, "auc", reduce_iterations=3),
        ValueError,
        "reduce_iterations needs reduce",
    ),
    "what has no dimensions": (
        lambda: hapax.train(TEXTS, LABELS, "ovr", reduce=2),
        TypeError,
        "no option 'reduce'",
    ),
    "budget": (lambda: hapax.train(TEXTS, LABELS, "ovr", max_bytes=5), ValueError, "bytes"),
    "lengths": (lambda: hapax.train(TEXTS, LABELS[1:]), ValueError, "400 rows, but labels of 399"),
    "label": (lambda: hapax.train(TEXTS, [1.5] * 400), ValueError, "row 0: a label is"),
    "empty name": (lambda: hapax.train(["a b"], [""]), ValueError, "empty"),
    "nothing": (lambda: hapax.train([], []), ValueError, "empty"),
    "one text": (lambda: hapax.train("a text", ["x"]), ValueError, "not a single one"),
    "no text": (lambda: hapax.train(["a", 3], ["x", "y"]), ValueError, "row 1: a text is a str"),
    "negative id": (lambda: hapax.train(np.eye(2), [0, -1]), ValueError, "label -1"),
    "damaged": (lambda: hapax.Model.from_bytes(b"HAPAX\x1a\r\n0000"), ValueError, "too few"),
    "absent": (lambda: hapax.Model.load("no/such/file"), FileNotFoundError, "no/such/file"),
    "by hand": (lambda: hapax.Model(b"bytes"), TypeError, "Model.load"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    call, error, text = REFUSED[case]
    with pytest.raises(error, match=text):
        call()


def test_refused_of_a_model(model, tmp_path):
    with pytest.raises(ValueError, match="k is 0"):
        model.predict(TEXTS, k=0)
    with pytest.raises(ValueError, match="k is -1"):
        model.predict(TEXTS, k=-1)
    with pytest.raises(ValueError, match="not a single one"):
        model.predict("a text")
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "folder")
    damaged = bytearray(model.to_bytes())
    damaged[len(damaged) // 2] ^= 1
    with pytest.raises(ValueError):
        hapax.Model.from_bytes(bytes(damaged))


def test_a_model_of_rows_takes_no_texts():
    rows = hapax.train(np.eye(3), [0, 1, 2], "nearest", neighbors=1)
    with pytest.raises(ValueError, match="trained on rows of numbers"):
        rows.predict(["a text"])


def test_importing_imports_nothing_large():
    code = "import sys, hapax; print(*{m.split('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "numpy" in loaded and not loaded & {"scipy", "sklearn", "pandas"}
