"""One function for each system: trains on rows, answers the test rows, and tells what both cost.

Each returns a dictionary: train_cpu and predict_cpu (CPU seconds, without reading files), single_us (microseconds of
a row asked alone, where it was measured), bytes (of the model as the system itself writes it) and answers (of each test
row the best labels, as many as `test.answers` says). Exact machines of hapax tell their gap and stored_gap;
LIBLINEAR's objective is told as primal.
"""

import importlib.metadata
import json
import os
import subprocess
import tempfile
import time

import numpy as np

import gaps
from rows import Cost, bytes_of, peak_megabytes


def hapax(options):
    """The command itself: `options` follow `hapax train`. Beside answers it gives `figures`, those of `hapax evaluate`.
    Where `test.answers` is 0, none are given: so files of any format can be read, by the options in `data`."""

    def run(train, test, threads, names, data=()):
        program = os.environ.get("HAPAX", "hapax")

        def call(*arguments):
            done = subprocess.run([program, *arguments], capture_output=True, text=True)
            if done.returncode != 0:
                errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
                raise SystemExit(f"hapax {arguments[0]}: {(errors or [f'status {done.returncode}'])[0]}")
            return done.stdout

        with tempfile.TemporaryDirectory() as folder:
            model = os.path.join(folder, "model.hapax")
            named = ["--label-names", names, "--label-names-column", "2"] if names else []
            common = ["--threads", str(threads), *data]
            trained = json.loads(call("train", *options, train.path, "-o", model, "--json", *common, *named))
            told = json.loads(call("evaluate", model, test.path, "--json", *common))
            answers = []
            if test.answers:
                count = str(test.answers)
                lines = call("predict", model, test.path, "-k", count, "--output", "xmc", *common).splitlines()
                answers = [[int(pair.split(":")[0]) for pair in line.split()] for line in lines]
            return {
                "train_cpu": trained["cpu_seconds"],
                "predict_cpu": told["cpu_seconds"],
                "bytes": os.path.getsize(model),
                "peak_mb": trained["peak_rss_bytes"] / 2**20,
                "gap": trained.get("gap"),
                "stored_gap": trained.get("stored_gap"),
                "figures": {
                    **{f"p{k}": round(100 * told["precision"][str(k)], 2) for k in (1, 3, 5)},
                    "macro_f1": round(100 * told["macro_f1"], 2),
                },
                "answers": answers,
            }

    run.options = options
    run.differs = False
    run.version = lambda: subprocess.run(
        [os.environ.get("HAPAX", "hapax"), "--version"], capture_output=True, text=True
    ).stdout.split()[-1]
    return run


def package(name, **options):
    """Marks a function as the runner of the Python package `name`; `options` are those that are not its defaults.
    `differs` tells whether equal runs give different models."""

    def mark(run):
        run.options = options
        run.differs = False
        run.version = lambda: importlib.metadata.version(name)
        return run

    return mark


@package("libpecos")
def pecos(train, test, threads, _names):
    """PECOS XR-Linear with its defaults: a tree of labels, squared hinge, weights below 0.1 pruned, beam 20."""
    from pecos.xmc import Indexer, LabelEmbeddingFactory
    from pecos.xmc.xlinear.model import XLinearModel

    Y = train.label_matrix()
    with Cost() as training:
        embedding = LabelEmbeddingFactory.create(Y, train.X, method="pifa")
        model = XLinearModel.train(train.X, Y, C=Indexer.gen(embedding, threads=threads), threads=threads)
    with tempfile.TemporaryDirectory() as folder:
        model.save(folder)
        size = bytes_of(folder)
        model = XLinearModel.load(folder, is_predict_only=True)
        how = {"only_topk": test.answers, "beam_size": 20, "threads": threads}
        with Cost() as predicting:
            scores = model.predict(test.X, **how)
        alone = [test.X[row] for row in range(min(500, test.X.shape[0]))]
        model.predict(alone[0], **how)
        start = time.perf_counter()
        for row in alone:
            model.predict(row, **how)
        single = (time.perf_counter() - start) / len(alone)
    answers = []
    for row in range(scores.shape[0]):
        part = slice(scores.indptr[row], scores.indptr[row + 1])
        answers.append(scores.indices[part][np.argsort(-scores.data[part], kind="stable")].tolist())
    return {
        "train_cpu": training.cpu,
        "predict_cpu": predicting.cpu,
        "single_us": 1e6 * single,
        "bytes": size,
        "answers": answers,
    }


def napkinxc(kind, **options):
    """Its trees differ from run to run, even with a seed."""

    @package("napkinxc", kind=kind, **options)
    def run(train, test, threads, _names):
        import napkinxc.models

        with tempfile.TemporaryDirectory() as folder:
            make = getattr(napkinxc.models, kind)
            model = make(folder + "/model", threads=threads, verbose=0, **options)
            with Cost() as training:
                model.fit(train.X, train.Y)
            size = bytes_of(folder)
            model.load()
            with Cost() as predicting:
                answers = model.predict(test.X, top_k=test.answers)
        return {
            "train_cpu": training.cpu,
            "predict_cpu": predicting.cpu,
            "bytes": size,
            "answers": [list(best) for best in answers],
        }

    run.differs = True
    return run


def omikuji(**options):
    @package("omikuji", **options)
    def run(train, test, threads, _names):
        import omikuji as package_of_it

        settings = package_of_it.Model.default_hyper_param()
        for name, value in options.items():
            setattr(settings, name, value)
        # It reads the file itself; what reading costs alone is taken off.
        with Cost() as training:
            model = package_of_it.Model.train_on_data(train.path, settings, threads)
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder + "/model")
            size = bytes_of(folder)
        X = test.X
        pairs = [
            list(zip(X.indices[a:b].tolist(), X.data[a:b].tolist())) for a, b in zip(X.indptr, X.indptr[1:])
        ]
        with Cost() as predicting:
            found = [model.predict(row, top_k=test.answers) for row in pairs]
        return {
            "train_cpu": training.cpu,
            "predict_cpu": predicting.cpu,
            "bytes": size,
            "answers": [[label for label, _ in best] for best in found],
        }

    return run


def liblinear(solver, constant=True):
    @package("liblinear-official", solver=solver, constant=constant)
    def run(train, test, _threads, _names):
        from liblinear.liblinearutil import predict, save_model
        from liblinear.liblinearutil import train as fit

        if not train.single_label():
            raise SystemExit("LIBLINEAR is run on single-label data only")
        target = np.asarray([labels[0] for labels in train.Y], float)
        X = train.X.astype(float)
        with Cost() as training:
            model = fit(target, X, f"-s {solver} -c {gaps.COST} -B {gaps.BIAS if constant else -1} -q")
        with tempfile.TemporaryDirectory() as folder:
            save_model(folder + "/model", model)
            size = bytes_of(folder)
        with Cost() as predicting:
            scores = predict([], test.X.astype(float), model, "-q")[2]
        scores = np.asarray(scores)
        labels = np.asarray(model.get_labels())
        answers = labels[np.argsort(-scores, axis=1, kind="stable")[:, :5]].tolist()
        return {
            "train_cpu": training.cpu,
            "predict_cpu": predicting.cpu,
            "bytes": size,
            # Before the objective, which is no part of its work.
            "peak_mb": peak_megabytes(),
            "solver": solver,
            "constant": constant,
            "primal": gaps.primal(model, X, target),
            "answers": answers,
        }

    return run


@package("scikit-learn", C=1)
def linearsvc(train, test, _threads, _names):
    """One LinearSVC for each label with its defaults; scores of all labels, so of a thousand labels at most."""
    from sklearn.svm import LinearSVC

    if train.L > 1000:
        raise SystemExit("LinearSVC holds labels times features: it is run on a thousand labels at most")
    wanted, scores = train.label_matrix().tocsc(), np.full((len(test.Y), train.L), -np.inf, np.float32)
    training, predicting, size = Cost(), Cost(), 0
    cpu = [0.0, 0.0]
    for label in range(train.L):
        mine = wanted[:, [label]].toarray().ravel()
        if not 0 < mine.sum() < len(mine):
            continue
        with training:
            model = LinearSVC(random_state=0).fit(train.X, mine)
        with predicting:
            scores[:, label] = model.decision_function(test.X)
        cpu = [cpu[0] + training.cpu, cpu[1] + predicting.cpu]
        size += model.coef_.nbytes
    best = np.argsort(-scores, axis=1, kind="stable")[:, : test.answers]
    return {"train_cpu": cpu[0], "predict_cpu": cpu[1], "bytes": size, "answers": best.tolist()}


def fasttext(loss):
    @package("fasttext-wheel", loss=loss)
    def run(train, test, threads, _names):
        """fastText knows words only: a feature is a word, said up to five times by its value. Rows are shuffled."""
        import fasttext as package_of_it

        def lines(rows):
            X, made = rows.X, []
            for a, b in zip(X.indptr, X.indptr[1:]):
                values = X.data[a:b]
                times = np.clip(np.rint(values / max(values.min(initial=1), 1e-9)), 1, 5).astype(int)
                made.append(" ".join(f"f{index}" for index, n in zip(X.indices[a:b], times) for _ in range(n)))
            return made

        with tempfile.TemporaryDirectory() as folder:
            texts = lines(train)
            with open(folder + "/train", "w") as file:
                for row in np.random.default_rng(7).permutation(len(texts)):
                    labels = " ".join(f"__label__{label}" for label in train.Y[row])
                    file.write(f"{labels} {texts[row]}\n")
            how = {"dim": 100, "epoch": 25, "lr": 0.5, "minCount": 1, "bucket": 0, "minn": 0, "maxn": 0, "verbose": 0}
            with Cost() as training:
                model = package_of_it.train_supervised(folder + "/train", loss=loss, thread=threads, **how)
            model.save_model(folder + "/model")
            size = bytes_of(folder + "/model")
            asked = lines(test)
            # The wrapper's own predict does not run with every numpy.
            with Cost() as predicting:
                found = [model.f.predict(text + "\n", test.answers, 0.0, "strict") for text in asked]
        answers = [[int(label.removeprefix("__label__")) for _, label in best] for best in found]
        return {
            "train_cpu": training.cpu,
            "predict_cpu": predicting.cpu,
            "bytes": size,
            "answers": answers,
        }

    return run


SYSTEMS = {
    # No method named: the command chooses.
    "hapax": hapax([]),
    "hapax ovr": hapax(["ovr"]),
    "hapax nearest": hapax(["nearest"]),
    "hapax mach": hapax(["mach"]),
    "hapax cs": hapax(["cs"]),
    "hapax ww": hapax(["ww"]),
    "hapax cs 1e-2": hapax(["cs", "--gap", "1e-2"]),
    # What is proven is what is stored.
    "hapax cs stored": hapax(["cs", "--bits", "16", "--prune", "0"]),
    "hapax ww stored": hapax(["ww", "--bits", "16", "--prune", "0"]),
    "hapax ovr all": hapax(["ovr", "--negatives", "all", "--gap", "1e-3"]),
    # The problem of LIBLINEAR's s1, its weights stored as they are proven.
    "hapax ovr stored": hapax(
        [
            *["ovr", "--negatives", "all", "--gap", "1e-3", "--cost", "1", "--positive-weight", "1", "--exponent", "1"],
            *["--learn-bias", "--bias", "1", "--centroid", "0", "--prior", "0", "--prune", "0", "--bits", "16"],
        ]
    ),
    "hapax wsabie": hapax(["wsabie"]),
    "hapax wsabie-pp": hapax(["wsabie-pp"]),
    "hapax memoir-l2": hapax(["memoir-l2", "--multilabel", "first"]),
    "hapax memoir-l1": hapax(["memoir-l1", "--multilabel", "first"]),
    "hapax memoir-lsh": hapax(["memoir-lsh", "--multilabel", "first"]),
    # Of the same lambda as MEMOIR's by default: 1 / (cost rows), up to 500 classes and above.
    "hapax cs 4/3": hapax(["cs", "--cost", "1.3333333333"]),
    "hapax cs 2": hapax(["cs", "--cost", "2"]),
    "pecos xrlinear": pecos,
    "napkinxc plt-hinge": napkinxc("PLT", loss="squaredHinge", liblinear_c=1),
    "omikuji parabel": omikuji(),
    "omikuji attentionxml": omikuji(cluster_balanced=False, collapse_every_n_layers=5),
    "liblinear s1": liblinear(1),
    "liblinear s4": liblinear(4),
    # The problem of hapax's cs.
    "liblinear s4 without constant": liblinear(4, constant=False),
    "linearsvc": linearsvc,
    "fasttext softmax": fasttext("softmax"),
    "fasttext hs": fasttext("hs"),
}
