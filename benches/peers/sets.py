"""Data sets as rows in the XMC text format, and further sets made of each.

`prepared` unpacks a set into a cache folder once, named by the sha256 of what it was made of. Sets in svmlight form
become XMC text. A variant of a set is made of its rows, the same for the same seed on every machine:

    quarter, sixteenth   so many of the training rows; those of the sixteenth are in the quarter
    rare                 the rarer half of the labels only
    head                 the most frequent labels only: as few as make half of all labels given, but at least 10

Labels that are left out leave no gap in the numbers of the others, and rows that have no label left are dropped.
"""

import hashlib
import json
import lzma
import os
import shutil
import tempfile

VARIANTS = ["quarter", "sixteenth", "rare", "head"]
LEAST_LABELS = 10
# Fewer rows tell nothing.
LEAST_ROWS = {"train": 50, "test": 20}


class Set:
    """What a set is: rows as (labels, the text of the features), how many features and labels there are."""

    def __init__(self, train, test, features, labels):
        self.train, self.test, self.features, self.labels = train, test, features, labels

    def worth_measuring(self):
        enough = len(self.train) >= LEAST_ROWS["train"] and len(self.test) >= LEAST_ROWS["test"]
        return enough and self.labels >= LEAST_LABELS


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def parsed(train, test):
    """The set of the lines of its two files, in the XMC text or the svmlight format."""
    if ":" in train[0]:
        return parsed_svmlight(train, test)
    rows, sizes = [], []
    for lines in (train, test):
        sizes.append([int(number) for number in lines[0].split()])
        parts = (line.rstrip("\n").partition(" ") for line in lines[1:])
        rows.append([([int(label) for label in labels.split(",") if label], row) for labels, _, row in parts])
    features, labels = (max(size[place] for size in sizes) for place in (1, 2))
    return Set(*rows, features, labels)


def parsed_svmlight(train, test):
    """Classes get numbers from 0 in their order, and the smallest index of a feature becomes 0."""
    files = [[line.split() for line in lines if line.strip()] for lines in (train, test)]
    cells = [[(row[0], [pair.split(":") for pair in row[1:]]) for row in rows] for rows in files]
    names = sorted({float(label) for rows in cells for label, _ in rows})
    number = {name: place for place, name in enumerate(names)}
    indices = {int(index) for rows in cells for _, row in rows for index, _ in row}
    base = min(indices, default=0)

    def rewritten(rows):
        for label, row in rows:
            yield [number[float(label)]], " ".join(f"{int(index) - base}:{value}" for index, value in row)

    return Set(*(list(rewritten(rows)) for rows in cells), max(indices, default=0) - base + 1, len(names))


def share_of_rows(rows, share, seed):
    """One of so many rows, in their order; a larger share holds all of a smaller one."""

    def place(index):
        return hashlib.sha256(f"{seed} {index}".encode()).digest()

    chosen = sorted(range(len(rows)), key=place)[: max(1, len(rows) // share)]
    return [rows[index] for index in sorted(chosen)]


def by_frequency(train, labels):
    """(labels from the most frequent to the rarest, how many training rows have each)."""
    counts = [0] * labels
    for row_labels, _ in train:
        for label in row_labels:
            counts[label] += 1
    return sorted(range(labels), key=lambda label: (-counts[label], label)), counts


def head_of(order, counts):
    total, sum_of_head = sum(counts), 0
    for size, label in enumerate(order, 1):
        sum_of_head += counts[label]
        if 2 * sum_of_head >= total and size >= LEAST_LABELS:
            return order[:size]
    return order


def with_labels_only(whole, kept):
    number = {label: place for place, label in enumerate(sorted(kept))}

    def rows_of(rows):
        numbered = (([number[label] for label in labels if label in number], row) for labels, row in rows)
        return [(labels, row) for labels, row in numbered if labels]

    return Set(rows_of(whole.train), rows_of(whole.test), whole.features, len(number))


def variant_of(whole, variant, seed):
    """A set made of a whole one."""
    shares = {"quarter": 4, "sixteenth": 16}
    if variant in shares:
        rows = share_of_rows(whole.train, shares[variant], seed)
        return Set(rows, whole.test, whole.features, whole.labels)
    order, counts = by_frequency(whole.train, whole.labels)
    # Labels without training rows cannot be learned: they are no part of the rarer half.
    order = [label for label in order if counts[label]]
    if variant == "rare":
        return with_labels_only(whole, order[len(order) // 2 :])
    if variant == "head":
        return with_labels_only(whole, head_of(order, counts))
    raise ValueError(f"no such variant: {variant}")


def write(rows, features, labels, path):
    with open(path, "w") as file:
        file.write(f"{len(rows)} {features} {labels}\n")
        for row_labels, row in rows:
            file.write(",".join(map(str, row_labels)) + (" " + row if row else "") + "\n")


def lines_of(path):
    with lzma.open(path, "rt") as lines:
        return lines.readlines()


def copied(sources, into):
    """Raw texts, decompressed as they are."""
    for source in sources:
        name = "train.txt" if os.path.basename(source).startswith("train") else "test.txt"
        with lzma.open(source) as packed, open(os.path.join(into, name), "wb") as plain:
            shutil.copyfileobj(packed, plain)


def prepared(folder, cache, variant=None, seed=0, texts=False):
    """A description of a set's files: train, test, their sha256, labels, rows and whether it is worth measuring; none if
    the folder lacks them. With `texts` they are the raw texts, tab-separated."""
    ending = ".raw.tsv.xz" if texts else ".txt.xz"
    sources = [os.path.join(folder, name + ending) for name in ("train", "test")]
    if not all(map(os.path.isfile, sources)):
        return None
    made_of = [*map(sha256, sources), variant or "whole", str(seed if variant else 0)]
    name = hashlib.sha256(" ".join(made_of).encode()).hexdigest()[:20]
    target = os.path.join(cache, name)
    if not os.path.isdir(target):
        os.makedirs(cache, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as into:
            described = {}
            if texts:
                copied(sources, into)
            else:
                made = parsed(*map(lines_of, sources))
                made = variant_of(made, variant, seed) if variant else made
                write(made.train, made.features, made.labels, os.path.join(into, "train.txt"))
                write(made.test, made.features, made.labels, os.path.join(into, "test.txt"))
                described = {"labels": made.labels, "rows": len(made.train), "enough": made.worth_measuring()}
            for part in ("train", "test"):
                described[part + "_sha256"] = sha256(os.path.join(into, part + ".txt"))
            with open(os.path.join(into, "set.json"), "w") as file:
                json.dump(described, file)
            shutil.copytree(into, target + ".new", dirs_exist_ok=True)
        os.rename(target + ".new", target)
    with open(os.path.join(target, "set.json")) as file:
        described = json.load(file)
    return {**described, **{part: os.path.join(target, part + ".txt") for part in ("train", "test")}}
