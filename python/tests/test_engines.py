"""The recipes of docs/scale.md for Dask and Spark run as they stand there."""

import csv
import json
import os
import re
import subprocess
import sys

import pytest
from conftest import COMMAND, ROOT, make_texts, write_tsv

pytest.importorskip("dask", reason="engines are tested in a venv of their own")

SCALE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", SCALE, re.DOTALL))
assert RECIPES.keys() == {"shards.py", "answers.py", "with_dask.py", "with_spark.py"}
assert len(RECIPES) == SCALE.count("```python"), "a recipe has no name"

# The command, but a worker that runs shard 1 for the first time dies on the way, and it with it.
FRAGILE = """#!/bin/sh
if [ "$1 $4 $5" = "train --shard 1/4" ] && mkdir killed 2>/dev/null; then
  "{command}" "$@" &
  sleep 0.2
  kill -9 $!
  kill -9 $PPID
  exit 1
fi
exec "{command}" "$@"
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with the recipes and training data."""
    for name, text in RECIPES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    write_tsv(tmp_path / "train.tsv", *make_texts(2000, seed=5, several=True))
    return tmp_path


def run(folder, *words, path=None):
    found = os.pathsep.join([str(path or COMMAND.parent), os.environ["PATH"]])
    # Workers of Spark are to be the Python that the package is installed in.
    settings = {**os.environ, "PATH": found, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        words, cwd=folder, env=settings, capture_output=True, text=True, check=False, timeout=500
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_shards_of_a_worker_that_dies(folder, tmp_path_factory):
    tools = tmp_path_factory.mktemp("tools")
    (tools / "hapax").write_text(FRAGILE.format(command=COMMAND))
    (tools / "hapax").chmod(0o755)
    run(folder, sys.executable, "shards.py", path=tools)
    assert (folder / "killed").is_dir()
    run(folder, COMMAND, "train", "ovr", "train.tsv", "-o", "alone.hapax")
    assert (folder / "model.hapax").read_bytes() == (folder / "alone.hapax").read_bytes()


@pytest.mark.parametrize("engine", ["dask", "spark"])
def test_answers(engine, folder):
    run(folder, COMMAND, "train", "nearest", "train.tsv", "-o", "model.hapax")
    texts = [*make_texts(300, seed=6)[0], "qwertz uiop"]
    (folder / "asked.txt").write_text("".join(f"{text}\n" for text in texts))
    for part in range(3):
        with (folder / f"new-{part}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["text"], *([text] for text in texts[part::3])])
    run(folder, sys.executable, f"with_{engine}.py")
    # Dask writes dask-0.csv, Spark spark/part-….csv.
    files = [*folder.glob("dask-*.csv"), *folder.glob("spark/part-*.csv")]
    rows = [row for file in files for row in csv.DictReader(file.open(newline=""))]
    ours = sorted((row["text"], row["label"]) for row in rows)
    asked = ("predict", "model.hapax", "asked.txt", "-k", "1", "--output", "jsonl")
    lines = [json.loads(line)["labels"] for line in run(folder, COMMAND, *asked).splitlines()]
    theirs = [(text, line[0]["name"] if line else "") for text, line in zip(texts, lines)]
    assert ours == sorted(theirs)
