"""Matrices of all kinds give the same answers, and wrong ones are refused."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import hapax

RANDOM = np.random.RandomState(0)
ROWS = sp.random(200, 50, 0.2, format="csr", dtype=np.float32, random_state=1)
LABELS = RANDOM.randint(0, 6, 200)
MODEL = hapax.train(ROWS, LABELS, "ovr", cost=1.0)
BYTES = MODEL.to_bytes()


def wide(matrix):
    matrix = matrix.copy()
    matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
    return matrix


def shuffled(matrix):
    """The same values, each row backwards, with a duplicate and a zero in the first."""
    backwards = [np.arange(*matrix.indptr[row : row + 2])[::-1] for row in range(200)]
    order = np.concatenate(backwards)
    data, indices, indptr = matrix.data[order], matrix.indices[order], matrix.indptr.copy()
    free = np.setdiff1d(np.arange(50), indices[: indptr[1]])[0]
    data = np.concatenate([[data[0] / 2, 0], [data[0] / 2], data[1:]]).astype(np.float32)
    indices = np.concatenate([[indices[0], free], indices]).astype(np.int32)
    indptr[1:] += 2
    return sp.csr_matrix((data, indices, indptr), shape=matrix.shape)


KINDS = {
    "csr": lambda x: x,
    "csr array": sp.csr_array,
    "int64 indices": wide,
    "unsorted, duplicates, zeros": shuffled,
    "csc": sp.csc_matrix,
    "coo": sp.coo_matrix,
    "float64": lambda x: x.astype(np.float64),
    "dense": lambda x: x.toarray(),
    "fortran": lambda x: np.asfortranarray(x.toarray()),
    "read only": lambda x: read_only(x.toarray()),
    "read only csr": lambda x: read_only_csr(x),
    "object": lambda x: x.toarray().astype(object),
    "lists": lambda x: x.toarray().tolist(),
    "pandas": lambda x: pd.DataFrame(x.toarray()),
}


def read_only(array):
    array.flags.writeable = False
    return array


def read_only_csr(matrix):
    matrix = matrix.copy()
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    return matrix


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds_of_matrices(kind):
    rows = KINDS[kind](ROWS)
    assert hapax.train(rows, LABELS, "ovr", cost=1.0).to_bytes() == BYTES
    assert MODEL.predict(rows) == MODEL.predict(ROWS)


def test_the_matrix_of_the_caller_stays_as_it_is():
    rows = shuffled(ROWS)
    before = rows.data.copy(), rows.indices.copy(), rows.indptr.copy()
    MODEL.predict(rows)
    hapax.train(rows, LABELS, "nearest")
    for was, now in zip(before, (rows.data, rows.indices, rows.indptr)):
        np.testing.assert_array_equal(was, now)


def test_labels_as_matrices_and_lists():
    lists = [[int(label), 6 + int(label) % 2] for label in LABELS]
    matrix = np.zeros((200, 8), dtype=int)
    for row, ids in enumerate(lists):
        matrix[row, ids] = 1
    models = [
        hapax.train(ROWS, labels, "nearest").to_bytes()
        for labels in (lists, matrix, sp.csr_matrix(matrix), iter(lists))
    ]
    assert len(set(models)) == 1


REFUSED = {
    "nan": (np.full((1, 50), np.nan), "row 0: "),
    "infinite": (np.array([[1e300] * 50]), "row 0: "),
    "words": (np.array([["a"] * 50]), "real numbers"),
    "complex": (np.ones((1, 50), dtype=complex), "real numbers"),
    "complex csr": (sp.csr_matrix(np.ones((1, 50), dtype=complex)), "real numbers"),
}


@pytest.mark.filterwarnings("ignore:.*[Dd]iscard.*imaginary")
@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    rows, text = REFUSED[case]
    with pytest.raises(ValueError, match=text):
        MODEL.predict(rows)
    with pytest.raises(ValueError, match=text):
        hapax.train(rows, [0])


def test_refused_arrays():
    native = MODEL._native
    data, indices = np.ones(2, np.float32), np.array([0, 1], np.int32)
    wrong = [
        (np.array([0, 3], np.int32), indices, data, 50),
        (np.array([1, 2], np.int32), indices, data, 50),
        (np.array([0, 2, 1, 2], np.int32), indices, data, 50),
        (np.array([0, -1, 2], np.int64), indices, data, 50),
        (np.array([], np.int32), indices, data, 50),
        (np.array([0, 2], np.int32), indices[::-1].copy(), data, 50),
        (np.array([0, 2], np.int32), np.array([0, -1], np.int32), data, 50),
        (np.array([0, 2], np.int32), np.array([0, -1], np.int64), data, 50),
        (np.array([0, 2], np.int32), np.array([0, 50], np.int32), data, 50),
        (np.array([0, 2], np.int32), indices[:1].copy(), data, 50),
    ]
    for rows in wrong:
        with pytest.raises(ValueError):
            native.answer_rows(rows, 1, False, 1)


MEMORY = """
import resource, sys
import numpy as np, scipy.sparse as sp, hapax
model, kind = hapax.Model.load(sys.argv[1]), sys.argv[2]
rows, each = 60_000, 400
if kind == "dense":
    matrix = np.zeros((rows, 2 * each), np.float32)
    matrix[:, ::2] = 1
    size = matrix.nbytes
else:
    indices = np.tile(np.arange(each, dtype=kind) * 5, rows)
    matrix = sp.csr_matrix((rows, 5 * each), dtype=np.float32)
    matrix.data, matrix.indices = np.ones(rows * each, np.float32), indices
    matrix.indptr = np.arange(rows + 1, dtype=kind) * each
    assert matrix.has_canonical_format
    size = matrix.data.nbytes + matrix.indices.nbytes
model.predict_topk(matrix[:200], k=1, threads=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.predict_topk(matrix, k=1, threads=1)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown, size // 1024)
"""


@pytest.mark.parametrize("kind", ["int32", "int64", "dense"])
def test_rows_are_read_in_place(tmp_path, kind):
    MODEL.save(tmp_path / "model.hapax")
    command = [sys.executable, "-c", MEMORY, tmp_path / "model.hapax", kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    # Answers and offsets take memory, at most 100 bytes a row; a copy of the rows 180 MB or more.
    grown, size = map(int, done.stdout.split())
    assert size > 180_000 and grown < 8_000, f"{grown} kB more for rows of {size} kB"
