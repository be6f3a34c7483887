"""What Python adds to the command: python bench.py TRAIN.txt TEST.txt [TURNS], rows of XMC.

The package and target/release/hapax must be built. Prints the seconds of training `ovr` with given
parameters and of answering TEST, each by the command and by Python in turns, in processes of their
own; what answering a CSR of 1 GB adds to peak memory; and what `import hapax` takes over NumPy.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMAND = Path(__file__).resolve().parents[1] / "target/release/hapax"
GIVEN = {
    "cost": 1,
    "positive_weight": 1,
    "exponent": 1,
    "bias": 1,
    "prior": 0,
    "prune": 0.11,
    "fuse": "none",
}

READ = """
import json, sys, time
import numpy as np, scipy.sparse as sp
import hapax
def read(path):
    with open(path) as file:
        rows, features, _ = map(int, file.readline().split())
        labels, indptr, indices, values = [], [0], [], []
        for line in file:
            ids, *pairs = line.rstrip("\\n").split(" ")
            labels.append([int(label) for label in ids.split(",") if label])
            for pair in filter(None, pairs):
                index, value = pair.split(":")
                indices.append(index)
                values.append(value)
            indptr.append(len(indices))
    parts = np.array(values, np.float32), np.array(indices, np.int32), indptr
    return sp.csr_matrix(parts, shape=(rows, features)), labels
"""

TRAIN = READ + """
X, labels = read(sys.argv[1])
start = time.perf_counter()
model = hapax.train(X, labels, "ovr", **json.loads(sys.argv[3]))
print(time.perf_counter() - start)
model.save(sys.argv[2])
"""

PREDICT = READ + """
X, _ = read(sys.argv[1])
model = hapax.Model.load(sys.argv[2])
# The first hundred rows lay the weights out for speed, which the command does not count either.
model.predict_topk(X[:100], k=5)
start = time.perf_counter()
model.predict_topk(X, k=5)
print(time.perf_counter() - start)
"""

MEMORY = """
import resource, sys
import numpy as np, scipy.sparse as sp
import hapax
model = hapax.Model.load(sys.argv[1])
model.predict_topk(sp.csr_matrix((1, model.n_features), dtype=np.float32), k=5)
rows, each = 1_000_000, 125
random = np.random.RandomState(42)
one = np.sort(random.choice(model.n_features, each, replace=False)).astype(np.int32)
parts = np.ones(rows * each, np.float32), np.tile(one, rows), np.arange(rows + 1) * each
X = sp.csr_matrix(parts, shape=(rows, model.n_features))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
X.indptr = X.indptr.astype(np.int32)
before, answers = peak(), rows * 5 * 8 / 2**20
model.predict_topk(X, k=5)
print(f"{(X.data.nbytes + X.indices.nbytes) / 2**20:.0f} MiB of rows: peak {before:.0f} MiB before, "
      f"{peak():.0f} after, answers {answers:.0f}")
"""


def python(program, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def command(*arguments):
    """Runs the command and returns the seconds that it tells, or took."""
    start = time.perf_counter()
    done = subprocess.run(
        [COMMAND, *map(str, arguments)], check=True, capture_output=True, text=True
    )
    taken = time.perf_counter() - start
    return json.loads(done.stdout)["seconds"] if "--json" in arguments else taken


def loading(module):
    """The seconds of a process that imports `module`."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    return time.perf_counter() - start


def main(train, test, turns=3):
    options = [f"--{name.replace('_', '-')}={value}" for name, value in GIVEN.items()]
    times = {name: [[], []] for name in ("train ovr", "answer", "import")}
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.hapax"
        for _ in range(int(turns)):
            told = command("train", "ovr", train, "-o", model, "--json", *options)
            ours = float(python(TRAIN, train, model, json.dumps(GIVEN)))
            times["train ovr"][0].append(told)
            times["train ovr"][1].append(ours)
            told = command("evaluate", model, test, "--json")
            times["answer"][0].append(told)
            times["answer"][1].append(float(python(PREDICT, test, model)))
            times["import"][0].append(loading("numpy"))
            times["import"][1].append(loading("hapax"))
        for name, (theirs, ours) in times.items():
            theirs, ours = min(theirs), min(ours)
            print(f"{name:10} {theirs:.3f} s, Python {ours:.3f} s: {ours / theirs:.3f}")
        print(python(MEMORY, model), os.cpu_count(), "processors")


if __name__ == "__main__":
    main(*sys.argv[1:])
