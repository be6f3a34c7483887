"""The command that the package is held against, and data."""

import lzma
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

ROOT = Path(__file__).resolve().parents[2]
SETS = ROOT / "tests" / "data" / "sets"
COMMAND = Path(os.environ.get("HAPAX_COMMAND", ROOT / "target" / "release" / "hapax"))


@pytest.fixture(scope="session")
def command():
    """Runs the command `hapax` and returns what it prints."""
    assert COMMAND.exists(), f"{COMMAND} is missing: cargo build --release -p hapax"

    def run(*arguments, **options):
        given = [str(argument) for argument in arguments]
        done = subprocess.run(
            [COMMAND, *given], capture_output=True, text=True, check=False, **options
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def read_svmlight(name, part):
    """Rows and labels of a set: the features of its files begin at 1."""
    with lzma.open(SETS / name / f"{part}.txt.xz", "rt") as file:
        lines = [line.split() for line in file if line.strip()]
    labels = [int(float(line[0])) for line in lines]
    pairs = [[pair.split(":") for pair in line[1:]] for line in lines]
    indptr = np.cumsum([0, *map(len, pairs)])
    indices = np.array([int(i) - 1 for row in pairs for i, _ in row], dtype=np.int32)
    values = np.array([float(v) for row in pairs for _, v in row], dtype=np.float32)
    rows = sp.csr_matrix((values, indices, indptr))
    rows.eliminate_zeros()
    return rows, np.array(labels)


def write_xmc(path, rows, labels):
    """Rows with their lists of label ids as a file that the command reads."""
    count = max(max(row, default=0) for row in labels) + 1
    lines = [f"{rows.shape[0]} {rows.shape[1]} {count}"]
    for row, ids in enumerate(labels):
        start, end = rows.indptr[row : row + 2]
        pairs = zip(rows.indices[start:end], rows.data[start:end])
        features = " ".join(f"{i}:{v}" for i, v in pairs)
        lines.append(f"{','.join(map(str, ids))} {features}")
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="session")
def splice():
    """DNA in 60 features, two classes."""
    return read_svmlight("splice", "train"), read_svmlight("splice", "test")


WORDS = {
    "arrival": "card arrive arrived new post waiting delivery mail track",
    "lost": "lost missing find lose left train misplaced gone where",
    "stolen": "stolen thief somebody stole robbed police theft pickpocket",
    "exchange": "exchange rate currency euro dollar foreign convert fair",
    "fee": "fee charge cost price charged extra pay expensive",
}
COMMON = "my the is a please help me how can i what why was"


def make_texts(rows, seed, several=False):
    """Texts of a few words that belong to their labels, and some that belong to none."""
    random = np.random.RandomState(seed)
    names = sorted(WORDS)
    texts, labels = [], []
    for _ in range(rows):
        of = random.choice(len(names), random.randint(1, 3) if several else 1, replace=False)
        own = [names[place] for place in of]
        words = list(random.choice(COMMON.split(), random.randint(3, 8)))
        for name in own:
            words += list(random.choice(WORDS[name].split(), random.randint(1, 4)))
        random.shuffle(words)
        texts.append(" ".join(words))
        labels.append(sorted(own))
    return texts, labels


def write_tsv(path, texts, labels):
    """Texts with their labels as a file that the command reads."""
    path.write_text("".join(f"{t}\t{' '.join(names)}\n" for t, names in zip(texts, labels)))
