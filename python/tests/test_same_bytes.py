"""Models are those of the command, to the byte, and so are answers."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, make_texts, write_tsv, write_xmc

import hapax

OF_ROWS = [
    ("auto", {}),
    ("auto", {"max_bytes": 100_000}),
    ("ovr", {}),
    ("ovr", {"cost": 0.5, "bits": 16, "negatives": "mined", "fuse": "none", "prune": 0.0}),
    ("ovr", {"bias": -0.5, "loss": "hinge", "epsilon": 0.1, "max_epochs": 5}),
    ("ovr", {"fuse": "nearest", "centroid": 0.1, "prior": 0.3, "positive_weight": 2.0}),
    ("ovr", {"learn_bias": True, "exponent": 0.5, "rounds": 1, "pool": 100, "mine": 1}),
    ("ovr", {"negatives": "all", "gap": 0.01, "bits": 16, "cost": 0.3}),
    ("nearest", {}),
    ("nearest", {"neighbors": 7, "alpha": 1.5, "beta": 0.5, "exponent": 0.7}),
    ("nearest", {"tune": True}),
    ("nearest", {"max_bytes": 20_000}),
    ("mach", {"buckets": 2, "repetitions": 3, "epochs": 2}),
    ("mach", {"max_bytes": 8_000, "repetitions": 4, "epochs": 2}),
    ("mach", {"buckets": 2, "bits": 8, "keep": 0.5, "learning_rate": 1.0, "dropout": 0.1}),
    ("mach", {"buckets": 2, "epochs": 2, "optimizer": "sgd", "loss": "sigmoid"}),
    ("mach", {"buckets": 2, "epochs": 2, "estimator": "median"}),
    ("cs", {"max_epochs": 20}),
    ("ww", {"costs": [1.0, 0.01, 0.1], "max_epochs": 50}),
    ("cs", {"max_epochs": 20, "no_calibration": True}),
    ("ww", {"cost": 0.3, "epsilon": 0.1, "keep_lengths": True, "bias": 1.0, "prune": 0.0}),
    ("llw", {"gap": 0.01, "exponent": 0.7, "bits": 16, "shrink_count": 3}),
    ("memoir-l2", {}),
    ("memoir-l1", {"step_size": 0.5, "scoring": "cosine", "prune": 0.05, "violators": 1}),
    ("memoir-l2", {"iterations": 500, "batch_size": 4, "draws": "balanced", "step_decay": 0.1}),
    ("memoir-lsh", {"epochs": 2}),
    ("memoir-lsh", {"code_words": 1, "candidates": 2, "epochs": 1, "lambda": 0.001}),
    ("memoir-l2", {"oracle": "rare-features", "left_out": 0.3, "epochs": 1}),
    ("memoir-l2", {"oracle": "graph", "degree": 2, "beam": 3, "epochs": 1}),
    ("wsabie", {"epochs": 2, "dimensions": 8, "rank_weight": "harmonic", "max_norm": 2.0}),
    ("wsabie-pp", {"epochs": 2, "no_normalize": True, "bits": 8, "margin": 0.3, "models": 1}),
    ("wsabie", {"epochs": 1, "dimensions": 4, "steps": "plain", "search": "replacement"}),
    ("wsabie", {"epochs": 1, "dimensions": 4, "search": "blocks"}),
    ("ova-sgd", {}),
    ("ova-sgd", {"balance": 1, "step_size": 0.2, "max_norm": 2.0, "exponent": 0.5}),
    ("auc", {"epochs": 2, "margin": 0.5, "no_normalize": True}),
    ("nearest-mean", {"bits": 4}),
    ("nearest-mean", {"reduce": 9, "reduce_iterations": 1}),
    ("auc", {"reduce": 5, "epochs": 2}),
    ("memoir-lsh", {"reduce": 12, "epochs": 2}),
    ("memoir-lsh", {"reduce": 4000, "epochs": 1}),
]
OF_TEXTS = [
    ("auto", {}),
    ("auto", {"words": (1, 2), "characters": 0}),
    ("auto", {"characters": "1-4", "punctuation": True}),
    ("auto", {"minutes": 60}),
    ("ovr", {"characters": "3-5", "min_documents": 3, "minutes": 60.0}),
    ("ovr", {"hash_bits": 12, "case_sensitive": True}),
    ("ovr", {"no_calibration": True}),
    ("nearest", {"max_features": 40, "max_document_share": 0.5}),
    ("mach", {"epochs": 2}),
    ("cs", {"multilabel": "replicate", "max_epochs": 5}),
    ("memoir-l1", {"multilabel": "first", "epochs": 2, "words": 1}),
    ("memoir-lsh", {"multilabel": "replicate", "epochs": 2}),
    ("wsabie", {"reduce": 7, "epochs": 2}),
    ("wsabie-pp", {"epochs": 2, "max_bytes": 75_000}),
    ("nearest-mean", {}),
]


SETTINGS = {
    "beam",
    "candidates",
    "code_words",
    "degree",
    "keep_lengths",
    "left_out",
    "shrink_count",
}
"""What the command takes by ``--set`` only."""


def arguments(method, options):
    """The options of `hapax.train` as the command has them."""
    given = [] if method == "auto" else [method]
    for name, value in options.items():
        if isinstance(value, tuple):
            value = "-".join(map(str, value))
        if name in SETTINGS:
            given += ["--set", f"{name.replace('_', '-')}={str(value).lower()}"]
        elif isinstance(value, list):
            given.append(f"--{name}={','.join(map(str, value))}")
        elif name == "punctuation":
            given.append(f"--punctuation={str(value).lower()}")
        elif value is True:
            given.append(f"--{name.replace('_', '-')}")
        else:
            given.append(f"--{name.replace('_', '-')}={value}")
    return given


def named(case):
    return "-".join([case[0], *case[1]])


@pytest.mark.parametrize("case", OF_ROWS, ids=named)
def test_models_of_rows(case, command, splice, tmp_path):
    (method, options), ((rows, classes), _) = case, splice
    ids = np.unique(classes, return_inverse=True)[1]
    write_xmc(tmp_path / "train.txt", rows, [[label] for label in ids])
    train = arguments(method, options)
    command("train", *train, tmp_path / "train.txt", "-o", tmp_path / "model.hapax")
    model = hapax.train(rows, ids, method, **options)
    assert model.to_bytes() == (tmp_path / "model.hapax").read_bytes()


@pytest.mark.parametrize("case", OF_TEXTS, ids=named)
def test_models_of_texts(case, command, tmp_path):
    method, options = case
    texts, labels = make_texts(1200, seed=1, several=True)
    write_tsv(tmp_path / "train.tsv", texts, labels)
    train = arguments(method, options)
    command("train", *train, tmp_path / "train.tsv", "-o", tmp_path / "model.hapax", "--seed", 7)
    model = hapax.train(texts, labels, method, seed=7, **options)
    assert model.to_bytes() == (tmp_path / "model.hapax").read_bytes()
    other = hapax.train(texts, labels, method, seed=8, **options)
    assert other.to_bytes() != model.to_bytes()


@pytest.mark.parametrize("case", [("ovr", {"cost": 1.0}), ("cs", {}), ("ww", {"costs": [1, 2]})])
def test_models_from_models(case, command, splice, tmp_path):
    (method, options), ((rows, classes), _) = case, splice
    ids = np.unique(classes, return_inverse=True)[1]
    first, second = tmp_path / "first.hapax", tmp_path / "second.hapax"
    write_xmc(tmp_path / "train.txt", rows, [[label] for label in ids])
    train = [*arguments(method, options), tmp_path / "train.txt"]
    command("train", *train, "-o", first)
    command("train", *train, "--from", first, "-o", second)
    start = hapax.train(rows, ids, method, **options)
    assert start.to_bytes() == first.read_bytes()
    model = hapax.train(rows, ids, method, from_=start, **options)
    assert model.to_bytes() == second.read_bytes() != first.read_bytes()

    texts, labels = make_texts(300, seed=1)
    write_tsv(tmp_path / "some.tsv", texts, labels)
    known = [row for row, of in enumerate(labels) if of != ["lost"]]
    more = [texts[row] for row in known[:100]] + ["nobody knows these words, my card"]
    names = [labels[row] for row in known[:100]] + [["unknown"]]
    write_tsv(tmp_path / "more.tsv", more, names)
    command("train", "ovr", tmp_path / "some.tsv", "-o", first)
    train = arguments(method, options)
    command("train", *train, tmp_path / "more.tsv", "--from", first, "-o", second)
    start = hapax.train(texts, labels, "ovr")
    model = hapax.train(more, names, method, from_=start, **options)
    assert model.to_bytes() == second.read_bytes()
    assert model.labels == [*start.labels, "unknown"]


def test_models_to_start_from_are_refused_where_they_do_not_fit(splice):
    (rows, classes), _ = splice
    ids = np.unique(classes, return_inverse=True)[1]
    texts, labels = make_texts(300, seed=1)
    linear = hapax.train(texts, labels, "ovr")
    neighbors = hapax.train(texts, labels, "nearest")
    of_rows = hapax.train(rows, ids, "ovr")
    refused = [
        ((texts, labels, "mach", linear, {}), "only ovr, cs and ww start from a model"),
        ((texts, labels, "auto", linear, {}), "only ovr, cs and ww start from a model"),
        ((texts, labels, "llw", linear, {}), "llw keeps a dual"),
        ((texts, labels, "cs", neighbors, {}), "start"),
        ((texts, labels, "cs", of_rows, {}), "trained on rows: give rows|is a name"),
        ((rows[:, :7], ids, "cs", linear, {}), "have 7 features, but the model"),
        ((texts, labels, "ovr", linear, {"fuse": "nearest"}), "leave out fuse"),
        ((texts, labels, "ovr", linear, {"embedding": 0.1}), "leave out embedding"),
        ((texts, labels, "ovr", linear, {"negatives": "all", "gap": 0.1}), "leave out from_"),
        ((texts, labels, "ovr", linear, {"label_texts": {"fee": "a fee"}}), "leave out from_"),
    ]
    for (X, y, method, start, options), text in refused:
        with pytest.raises(ValueError, match=text):
            hapax.train(X, y, method, from_=start, **options)
    with pytest.raises(TypeError, match="no option 'words'"):
        hapax.train(texts, labels, "ovr", from_=linear, words=1)


LABEL_TEXTS = {"fee": ["what a fee is", "zzz"], "lost": "a card that is lost", "broken": "my card"}


@pytest.mark.parametrize("method", ["auto", "ovr", "nearest"])
def test_models_of_label_texts(method, command, tmp_path):
    texts, labels = make_texts(600, seed=1)
    write_tsv(tmp_path / "train.tsv", texts, labels)
    pairs = [("fee", "what a fee is"), ("fee", "zzz"), ("lost", LABEL_TEXTS["lost"])]
    pairs.append(("broken", "my card"))
    (tmp_path / "labels.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in pairs))
    train = [*arguments(method, {}), "--label-texts", tmp_path / "labels.tsv"]
    command("train", *train, tmp_path / "train.tsv", "-o", tmp_path / "model.hapax")
    theirs = (tmp_path / "model.hapax").read_bytes()
    for given in (LABEL_TEXTS, pairs):
        model = hapax.train(texts, labels, method, label_texts=given)
        assert model.to_bytes() == theirs
    assert "broken" in model.labels
    assert hapax.train(texts, labels, method).to_bytes() != theirs


def test_models_of_given_vectors(command, tmp_path):
    """Words that no text has are understood by vectors that are near those of words that have."""
    words = [[f"{chr(97 + label)}{chr(97 + at)}o" for at in range(24)] for label in range(12)]
    texts = [
        f"please {words[label][at]} the {words[label][(at + 3) % 10]} now"
        for at in range(9)
        for label in range(12)
    ]
    labels = [[f"label{label}"] for _ in range(9) for label in range(12)]
    write_tsv(tmp_path / "train.tsv", texts, labels)
    with (tmp_path / "vectors.txt").open("w") as file:
        for label, own in enumerate(words):
            for at, word in enumerate(own):
                noise = [0.01 * ((at * 7 + axis * 3) % 11) for axis in range(12)]
                numbers = [noise[axis] + float(axis == label) for axis in range(12)]
                print(word, *(f"{number:.2f}" for number in numbers), file=file)
    given = {"characters": 0, "vectors": tmp_path / "vectors.txt"}
    train = [*arguments("auto", given), tmp_path / "train.tsv"]
    command("train", *train, "-o", tmp_path / "model.hapax")
    model = hapax.train(texts, labels, **given)
    assert model.to_bytes() == (tmp_path / "model.hapax").read_bytes()
    unseen = [f"please {own[20]}" for own in words]
    assert [row[0][0] for row in model.predict(unseen, k=1)] == [f"label{n}" for n in range(12)]

    (tmp_path / "vectors.txt").write_text("aao 1 2\nabo 1\n")
    with pytest.raises(ValueError, match=r"vectors.txt:2:\d+: "):
        hapax.train(texts, labels, **given)
    with pytest.raises(FileNotFoundError, match="nowhere.txt"):
        hapax.train(texts, labels, vectors="nowhere.txt")
    with pytest.raises(TypeError, match="no option 'vectors'"):
        hapax.train(texts, labels, "ovr", vectors=tmp_path / "vectors.txt")
    with pytest.raises(TypeError, match="no option 'vectors'"):
        hapax.train([[1.0], [2.0]], [0, 1], vectors=tmp_path / "vectors.txt")


def test_any_number_of_threads_makes_the_same_bytes(splice):
    (rows, classes), _ = splice
    ids = np.unique(classes, return_inverse=True)[1]
    one, three = (hapax.train(rows, ids, "ovr", threads=threads) for threads in (1, 3))
    assert one.to_bytes() == three.to_bytes()


def test_answers_of_the_command(command, tmp_path):
    texts, labels = make_texts(600, seed=2)
    model = hapax.train(texts, labels, "ovr", threads=1)
    model.save(tmp_path / "model.hapax")
    asked = [*make_texts(300, seed=3)[0], "zzz qqq"]
    (tmp_path / "asked.txt").write_text("\n".join(asked) + "\n")
    given = ("predict", tmp_path / "model.hapax", tmp_path / "asked.txt", "-k", 3)
    lines = command(*given, "--output", "jsonl").splitlines()
    theirs = [
        [(answer["name"], np.float32(answer["score"])) for answer in json.loads(line)["labels"]]
        for line in lines
    ]
    assert theirs[-1] == []
    for threads in (1, 2):
        ours = model.predict(asked, k=3, threads=threads)
        assert [[answer[:2] for answer in row] for row in ours] == theirs


@pytest.mark.parametrize("method", ["ovr", "nearest"])
def test_what_is_learned_later(method, command, tmp_path):
    options = {"fuse": "centroid"} if method == "ovr" else {}
    texts, labels = make_texts(600, seed=2, several=True)
    more, theirs = make_texts(90, seed=3)
    more[7], theirs[7], more[8] = "a volcano is an island", ["volcano"], "qqq"
    write_tsv(tmp_path / "more.tsv", more, theirs)
    model = hapax.train(texts, labels, method, **options)
    model.save(tmp_path / "model.hapax")
    given = ("learn", tmp_path / "model.hapax", tmp_path / "more.tsv")
    command(*given, "-o", tmp_path / "newer.hapax")
    learned = model.learn(more, theirs)
    assert model.to_bytes() == (tmp_path / "newer.hapax").read_bytes()
    assert "volcano" in model.labels and learned.skipped == 0
    assert learned.rows == (range(600, 690) if method == "nearest" else range(0))
    assert (learned.strength is None) == (method == "nearest")


@pytest.mark.parametrize("method", ["ovr", "nearest"])
def test_figures_of_the_command(method, command, tmp_path):
    texts, labels = make_texts(600, seed=2, several=True)
    asked, truth = make_texts(200, seed=3, several=True)
    # A label that nobody knows, words that nobody knows, and a row without labels.
    truth[0], asked[1], truth[2] = ["volcano"], "zzz qqq", []
    model = hapax.train(texts, labels, method)
    model.save(tmp_path / "model.hapax")
    write_tsv(tmp_path / "test.tsv", asked, truth)
    given = ("evaluate", tmp_path / "model.hapax", tmp_path / "test.tsv", "-k", "1,2,5", "--json")
    theirs = json.loads(command(*given))
    ours = model.evaluate(asked, truth, [1, 2, 5])
    assert ours["rows"] == theirs["n"] == 200
    for name in ("precision", "r_precision", "recall", "ndcg", "coverage", "psp", "psndcg"):
        assert ours[name] == list(theirs[name].values()), name
    for name in ("accuracy", "cut", "micro_f1", "macro_f1", "example_f1"):
        assert ours[name] == theirs[name]


def test_dependencies_are_of_the_versions_of_the_command():
    # Another libm would make other bits.
    def versions(path: Path):
        return set(re.findall(r'name = "(.+)"\nversion = "(.+)"', path.read_text()))

    ours, theirs = versions(ROOT / "python/Cargo.lock"), versions(ROOT / "Cargo.lock")
    shared = {name for name, _ in ours} & {name for name, _ in theirs}
    assert "libm" in shared
    assert {one for one in ours if one[0] in shared} <= theirs
