"""Rows in the XMC text format, precision, and what a block of work costs."""

import os
import resource
import time

import numpy as np
import scipy.sparse as sp


class Rows:
    """X: n x d values (CSR, float32, rows of length one). Y: the labels of each row. L: how many labels there are.
    answers: how many labels a system is asked for."""

    def __init__(self, path, answers=5):
        self.path, self.answers = path, answers
        starts, indices, values, self.Y = [0], [], [], []
        with open(path) as lines:
            n, d, self.L = map(int, next(lines).split())
            for line in lines:
                labels, *pairs = line.rstrip("\n").split(" ")
                self.Y.append([int(label) for label in labels.split(",") if label])
                for pair in pairs:
                    index, value = pair.split(":")
                    indices.append(int(index))
                    values.append(float(value))
                starts.append(len(indices))
        if len(self.Y) != n:
            raise SystemExit(f"{path}: {n} rows promised, {len(self.Y)} found")
        values = np.asarray(values, np.float32)
        self.X = sp.csr_matrix((values, np.asarray(indices, np.int32), np.asarray(starts, np.int32)), shape=(n, d))
        lengths = np.sqrt(np.asarray(self.X.multiply(self.X).sum(1)).ravel())
        lengths[lengths == 0] = 1
        self.X.data /= np.repeat(lengths, np.diff(self.X.indptr)).astype(np.float32)

    def label_matrix(self):
        """n x L, one where the row has the label."""
        starts = np.cumsum([0] + [len(labels) for labels in self.Y])
        indices = np.asarray([label for labels in self.Y for label in labels])
        return sp.csr_matrix((np.ones(len(indices), np.float32), indices, starts), shape=(len(self.Y), self.L))

    def single_label(self):
        return all(len(labels) == 1 for labels in self.Y)


def precision(answers, Y):
    """P@1, P@3 and P@5 in percent, of all rows."""
    hits = np.zeros(5)
    for best, labels in zip(answers, Y):
        for place, label in enumerate(list(best)[:5]):
            hits[place] += label in labels
    return {f"p{k}": round(100 * hits[:k].sum() / (k * len(Y)), 2) for k in (1, 3, 5)}


def cut_of(Y):
    """How many answers make the predicted set of a row: the mean number of labels of training rows, rounded, at least
    1. The rule of `hapax evaluate`."""
    return max(1, int(sum(len(labels) for labels in Y) / len(Y) + 0.5))


def macro_f1(answers, Y, cut=1):
    """Mean F1 of the first `cut` answers over the labels that rows have or are given, in percent."""
    true, given, both = {}, {}, {}
    for best, labels in zip(answers, Y):
        for label in labels:
            true[label] = true.get(label, 0) + 1
        for label in map(int, best[:cut]):
            given[label] = given.get(label, 0) + 1
            both[label] = both.get(label, 0) + (label in labels)
    seen = set(true) | set(given)
    f1 = [2 * both.get(label, 0) / (true.get(label, 0) + given.get(label, 0)) for label in seen]
    return round(100 * sum(f1) / len(f1), 2)


def cpu_seconds():
    """Of this process, its threads and its ended children."""
    return time.process_time() + sum(os.times()[2:4])


class Cost:
    """CPU seconds and wall seconds of a block of work."""

    def __enter__(self):
        self.cpu, self.wall = -cpu_seconds(), -time.perf_counter()
        return self

    def __exit__(self, *_):
        self.cpu += cpu_seconds()
        self.wall += time.perf_counter()


def peak_megabytes():
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def bytes_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)
