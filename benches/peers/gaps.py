"""How far the weights of LIBLINEAR are from the best there are.

The objective of the weights themselves, in double precision, is held against a lower bound of what any weights can
reach: the dual objective that hapax proves for the same problem, of the same rows of length one, cost and constant
feature, or none. Of a class c and a row i of class y with scores s, minimized are

    s4, Crammer-Singer:  1/2 sum_c |w_c|^2 + COST sum_i max(0, 1 - s_iy + max_{c != y} s_ic)
    s1, one-vs-rest:     1/2 sum_c |w_c|^2 + COST sum_i (max(0, 1 - s_iy)^2 + sum_{c != y} max(0, 1 + s_ic)^2)

A class is a label that has rows; neither LIBLINEAR nor hapax's exact machines count others.
"""

import json
import math
import os
import subprocess
import tempfile

import numpy as np

COST, BIAS = 1, 1
ONE_VS_REST, CRAMMER_SINGER = 1, 4
# What proves the bound. A gap told is too large by at most the gap to which the bound is proven, in
# fact by far less for s4: near the end hapax's duals are closer to the best than its weights.
PROOFS = {
    CRAMMER_SINGER: ["cs", "--gap", "1e-4", "--set", "keep-lengths=true"],
    ONE_VS_REST: [
        *["ovr", "--gap", "1e-5", "--negatives", "all", "--loss", "squared-hinge", "--positive-weight", "1"],
        *["--learn-bias", "--bias", str(BIAS), "--exponent", "1", "--centroid", "0", "--prior", "0", "--prune", "0"],
    ],
}
# Rows whose scores of all classes are in memory at once.
BLOCK = 256


def weights_of(model):
    """A line for each feature and, last, one for the constant, of 0 where there is none; a column for each class in the
    order of `get_labels`."""
    classes = model.get_nr_class()
    # Of two classes one-vs-rest has the first one's weights only: the other's are their negatives.
    halved = classes == 2 and model.param.solver_type == ONE_VS_REST
    constant = model.bias >= 0
    shape = (model.get_nr_feature() + constant, 1 if halved else classes)
    weights = np.ctypeslib.as_array(model.w, shape)
    if not constant:
        weights = np.vstack([weights, np.zeros_like(weights[:1])])
    return np.hstack([weights, -weights]) if halved else weights


def scores_of(weights, X):
    return X @ weights[:-1] + BIAS * weights[-1]


def loss(solver, scores, own):
    """The loss of rows by their scores, which are changed; `own` is the column of each row's class."""
    places = np.arange(len(own)), own
    right = scores[places]
    if solver == CRAMMER_SINGER:
        scores[places] = -np.inf
        return np.maximum(0, 1 - right + scores.max(1)).sum()
    scores[places] = -right
    return np.square(np.maximum(0, 1 + scores)).sum()


def primal(model, X, labels):
    """The objective of a model's weights on the rows that it was trained on, whose values are 64-bit numbers."""
    weights = weights_of(model)
    column = {label: place for place, label in enumerate(model.get_labels())}
    own = np.asarray([column[label] for label in labels])
    total = 0.5 * np.vdot(weights, weights)
    for start in range(0, len(own), BLOCK):
        rows = slice(start, start + BLOCK)
        total += COST * loss(model.param.solver_type, scores_of(weights, X[rows]), own[rows])
    return float(total)


def with_constant(path, into):
    """Writes the rows of a file with length one and, after their other features, the constant one."""
    with open(path) as lines, open(into, "w") as file:
        rows, features, labels = map(int, next(lines).split())
        file.write(f"{rows} {features + 1} {labels}\n")
        for line in lines:
            label, *pairs = line.rstrip("\n").split(" ")
            terms = [(index, float(value)) for index, value in (pair.split(":") for pair in pairs)]
            length = math.hypot(*(value for _, value in terms)) or 1
            scaled = [f"{index}:{value / length:.9g}" for index, value in terms]
            file.write(" ".join([label, *scaled, f"{features}:{BIAS}"]) + "\n")


def rows_without_features(path):
    with open(path) as lines:
        next(lines)
        return sum(":" not in line for line in lines)


def proven_dual(solver, constant, path, threads, seconds):
    """A lower bound of the objective on the rows of a file, by hapax in at most so many seconds (or any number)."""
    unmoved = 0
    with tempfile.TemporaryDirectory() as folder:
        # hapax's machines leave out rows without features. The constant makes a feature of them;
        # without it each has a loss of 1, whatever the weights.
        if solver == CRAMMER_SINGER and not constant:
            unmoved = COST * rows_without_features(path)
        elif solver == CRAMMER_SINGER:
            path, plain = os.path.join(folder, "train.txt"), path
            with_constant(plain, path)
        to = ["-o", os.path.join(folder, "model.hapax"), "--threads", str(threads), "--json"]
        arguments = [os.environ.get("HAPAX", "hapax"), "train", *PROOFS[solver], "--cost", str(COST), path, *to]
        done = subprocess.run(arguments, check=True, capture_output=True, text=True, timeout=seconds)
    told = json.loads(done.stdout)
    return told["objective"] * (1 - told["gap"]) + unmoved
