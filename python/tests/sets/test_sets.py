"""The same model bytes from the command, Python and JavaScript, on every set beside the clone.

`cargo verify sets` runs this; it takes a quarter of an hour.
"""

import json
import lzma
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ROOT, write_tsv, write_xmc

import hapax

DATA = ROOT.parent / "shared" / "data"
if not DATA.is_dir():
    if not os.environ.get("HAPAX_WITHOUT_DATA"):
        raise FileNotFoundError(f"{DATA} is missing: cargo verify --without-data leaves this out")
    pytest.skip("the data sets are absent", allow_module_level=True)

GIVEN = {
    "cost": 1,
    "positive_weight": 1,
    "exponent": 1,
    "bias": 1,
    "learn_bias": True,
    "prior": 0,
    "prune": 0.11,
    "fuse": "none",
}
"""With these `ovr` tries nothing."""

FEATURES = {"words": (1, 1), "characters": 0}

FEW = 12_000
"""The choice of everything is compared on sets of so many rows at most."""

SETS = sorted(path.parent.name for path in DATA.glob("*/train.txt.xz"))
TEXTS = sorted(path.parent.name for path in DATA.glob("*/train.raw.tsv.xz"))


def read(name, file):
    with lzma.open(DATA / name / file, "rt", encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n") for line in lines]


def rows_of(name):
    """The rows of a set, with a header, or LIBSVM's, whose features begin at 1."""
    header, *lines = read(name, "train.txt.xz")
    fields = header.split()
    plain = len(fields) == 3 and all(field.isdigit() for field in fields)
    first = 0 if plain else 1
    if not plain:
        lines = [header, *lines]
    labels, indptr, indices, values = [], [0], [], []
    for line in lines:
        ids, *pairs = line.split(" ") if plain else line.split()
        labels.append([int(label) for label in ids.split(",") if label])
        for index, value in (pair.split(":") for pair in pairs if pair):
            indices.append(int(index) - first)
            values.append(float(value))
        indptr.append(len(indices))
    if not plain:
        classes = sorted({label for [label] in labels})
        labels = [[classes.index(label)] for [label] in labels]
    features = int(fields[1]) if plain else max(indices) + 1
    shape = (len(labels), features)
    rows = sp.csr_matrix((np.array(values, dtype=np.float32), indices, indptr), shape=shape)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows, labels


def texts_of(name):
    """Texts of one line with the names of their labels."""
    pairs = [line.split("\t", 1) for line in read(name, "train.raw.tsv.xz")]
    pairs = [(labels, text.replace("\t", " ").strip()) for labels, text in pairs]
    pairs = [(labels, text) for labels, text in pairs if text]
    return [text for _, text in pairs], [labels.split(",") for labels, _ in pairs]


def words(options):
    """The options as the command has them."""
    shown = {name: "-".join(map(str, v)) if isinstance(v, tuple) else v for name, v in options.items()}
    named = {name.replace("_", "-"): value for name, value in shown.items()}
    return [f"--{name}" if value is True else f"--{name}={value}" for name, value in named.items()]


def in_javascript(options):
    """The options as the npm package has them: no n-grams is a list without lengths."""

    def named(name):
        first, *more = name.split("_")
        return first + "".join(map(str.title, more))

    lists = {name: [] if value == 0 else list(value) for name, value in options.items() if name in FEATURES}
    return json.dumps({named(name): value for name, value in {**options, **lists}.items()})


def compare(kind, data, methods, command, folder):
    X, labels = data
    file = folder / "train.txt"
    (write_xmc if kind == "rows" else write_tsv)(file, X, labels)
    for method, options in methods:
        theirs, page = folder / "command.hapax", folder / "javascript.hapax"
        train = [] if method == "auto" else [method]
        command("train", *train, *words(options), file, "-o", theirs)
        model = hapax.train(X, labels, method, **options)
        assert model.to_bytes() == theirs.read_bytes(), (method, "Python")
        script = Path(__file__).with_name("train.mjs")
        given = ["node", script, kind, file, method, in_javascript(options), page]
        subprocess.run(given, check=True)
        assert page.read_bytes() == theirs.read_bytes(), (method, "JavaScript")


@pytest.mark.parametrize("name", SETS)
def test_rows(name, command, tmp_path):
    data = rows_of(name)
    methods = [("nearest", {}), ("ovr", GIVEN)]
    if len(data[1]) <= FEW:
        methods.append(("auto", {}))
    compare("rows", data, methods, command, tmp_path)


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name, command, tmp_path):
    data = texts_of(name)
    methods = [("nearest", FEATURES), ("ovr", {**GIVEN, **FEATURES})]
    if len(data[1]) <= FEW:
        methods.append(("auto", {}))
    compare("texts", data, methods, command, tmp_path)
