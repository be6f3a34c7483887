"""Doors for data: dictionaries, columns by name, svmlight; and the card of a notebook."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import make_texts
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import hapax

TEXTS, LABELS = make_texts(300, seed=20, several=True)


@pytest.fixture(scope="module")
def wanted():
    return hapax.train(TEXTS, LABELS, "nearest").to_bytes()


class Numbered(list):
    """As a data set of HuggingFace: rows with numbers of classes, whose names the features hold."""

    class Names:
        def __init__(self, names):
            self.names = names

        def int2str(self, given):
            return self.names[given] if isinstance(given, int) else [self.names[i] for i in given]

    class Sequence:
        def __init__(self, feature):
            self.feature = feature

    def __init__(self, rows, column, names):
        super().__init__(rows)
        self.features = {"text": None, column: self.Sequence(self.Names(names))}


def test_rows_that_are_dictionaries(wanted):
    rows = [{"text": text, "labels": labels} for text, labels in zip(TEXTS, LABELS)]
    assert hapax.train(rows, method="nearest").to_bytes() == wanted
    assert hapax.train(iter(rows), method="nearest").to_bytes() == wanted
    other = [{"title": text, "subjects": labels} for text, labels in zip(TEXTS, LABELS)]
    assert hapax.train(other, "subjects", "nearest", text="title").to_bytes() == wanted
    names = ["stolen", "fee", "lost", "exchange", "arrival"]
    numbers = [{"text": t, "label": [names.index(l) for l in row]} for t, row in zip(TEXTS, LABELS)]
    assert hapax.train(Numbered(numbers, "label", names), method="nearest").to_bytes() == wanted


def test_columns_by_name(wanted):
    frame = pd.DataFrame({"id": range(300), "text": TEXTS, "labels": LABELS})
    assert hapax.train(frame, method="nearest").to_bytes() == wanted
    frame.columns = ["id", "title", "subjects"]
    model = hapax.train(frame, "subjects", "nearest", text="title")
    assert model.to_bytes() == wanted
    figures = model.evaluate(frame, "subjects", text="title")
    assert figures == model.evaluate(TEXTS, LABELS) and figures["accuracy"] > 0.9
    assert model.learn(frame[:3], "subjects", text="title").rows == range(300, 303)
    numbers = pd.DataFrame(np.eye(4)[[0, 1, 2, 3] * 3], columns=list("abcd"))
    numbers["label"] = [0, 1, 2, 3] * 3
    plain = hapax.train(np.eye(4)[[0, 1, 2, 3] * 3], [0, 1, 2, 3] * 3, "nearest")
    assert hapax.train(numbers, method="nearest").to_bytes() == plain.to_bytes()


@pytest.mark.parametrize("several", [False, True])
def test_what_sklearn_reads_of_svmlight(tmp_path, several):
    rows = sp.random(60, 20, density=0.3, format="csr", random_state=0)
    ids = [[row % 4, 4 + row % 3] if several else [row % 4] for row in range(60)]
    y = np.zeros((60, 7)) if several else np.array(ids)[:, 0]
    if several:
        for row, own in enumerate(ids):
            y[row, own] = 1
    dump_svmlight_file(rows, y, str(tmp_path / "train.svm"), multilabel=several)
    read = load_svmlight_file(str(tmp_path / "train.svm"), n_features=20, multilabel=several)
    model = hapax.train(*read, "nearest")
    assert model.labels == list(range(7 if several else 4))
    assert model.to_bytes() == hapax.train(rows.astype(np.float32), ids, "nearest").to_bytes()


def test_what_napkinxc_reads(tmp_path):
    only = "napkinXC is in the newest venv alone"
    datasets = pytest.importorskip("napkinxc.datasets", reason=only)
    rows = sp.random(60, 20, density=0.3, format="csr", random_state=0, dtype=np.float32)
    ids = [[row % 4, 4 + row % 3] for row in range(60)]
    lines = [f"{rows.shape[0]} {rows.shape[1]} 7"]
    for row, own in zip(rows, ids):
        pairs = zip(row.indices.tolist(), row.data.tolist())
        lines.append(" ".join([",".join(map(str, own)), *(f"{id}:{value}" for id, value in pairs)]))
    (tmp_path / "train.txt").write_text("\n".join(lines) + "\n")
    wanted = hapax.train(rows, ids, "nearest").to_bytes()
    # With a matrix of labels it is the pair that pyxclib reads.
    for labels in ("list", "csr_matrix"):
        X, y = datasets.load_libsvm_file(str(tmp_path / "train.txt"), labels_format=labels)
        assert hapax.train(X, y, "nearest").to_bytes() == wanted


def test_data_sets_of_huggingface(wanted):
    datasets = pytest.importorskip("datasets", reason="datasets is in the newest venv alone")
    names = sorted({label for row in LABELS for label in row})
    columns = {"text": TEXTS, "labels": [[names.index(label) for label in row] for row in LABELS]}
    of_labels = datasets.Sequence(datasets.ClassLabel(names=names))
    features = datasets.Features({"text": datasets.Value("string"), "labels": of_labels})
    rows = datasets.Dataset.from_dict(columns, features=features)
    assert hapax.train(rows, method="nearest").to_bytes() == wanted


def test_refused():
    with pytest.raises(ValueError, match="labels are missing"):
        hapax.train(TEXTS)
    with pytest.raises(ValueError, match="labels are 'fee'"):
        hapax.train(TEXTS, "fee")
    with pytest.raises(ValueError, match="no column 'labels' or 'label': there are 'text', 'tags'"):
        hapax.train([{"text": "a", "tags": []}])
    with pytest.raises(ValueError, match="row 1 has no 'text': it has 'labels'"):
        hapax.train([{"text": "a", "labels": ["x"]}, {"labels": ["x"]}])
    with pytest.raises(ValueError, match="no column 'class'"):
        hapax.train(pd.DataFrame({"text": ["a"]}), "class")
    with pytest.raises(ValueError, match="row 1: a label is a str or an int, not 0.5"):
        hapax.train(np.eye(2), [1.0, 0.5])


def test_the_card_of_a_notebook():
    texts, labels = make_texts(400, seed=21)
    labels = ["<b>" if label == ["fee"] else label for label in labels]
    html = hapax.train(texts, labels, "nearest")._repr_html_()
    assert html.startswith("<table>") and html.count("<tr>") == html.count("</tr>") >= 9
    assert "5: &lt;b&gt;, arrival, exchange, lost, stolen<" in html and "<b>" not in html
    assert "best micro-F1" in html
    few = hapax.train(np.eye(12), range(12), "nearest")._repr_html_()
    assert "12: 0, 1, 2, 3, 4, 5, 6, 7, …" in few and "rows of features" in few
    assert 'probabilities</th><td style="text-align:left">none' in few
