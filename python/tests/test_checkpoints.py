"""Training that was stopped goes on from its checkpoint to the same bytes."""

import os
import sys
import time

import pytest
from conftest import make_texts, write_tsv

import hapax

TEXTS, LABELS = make_texts(1500, seed=9)
TRAININGS = [
    ("ovr", {"negatives": "mined", "cost": 1.0, "pool": 50, "mine": 2}),
    ("ovr", {"negatives": "all", "gap": 1e-6}),
    ("mach", {"buckets": 3, "epochs": 6}),
    ("mach", {"buckets": 3, "epochs": 4, "max_bytes": 30_000}),
    ("cs", {"gap": 1e-9}),
    ("ww", {"costs": [0.1, 1.0], "gap": 1e-7}),
    ("memoir-l2", {"epochs": 8}),
    ("memoir-lsh", {"epochs": 4, "reduce": 5}),
    ("wsabie", {"epochs": 6, "dimensions": 4}),
]


def named(case):
    return "-".join([case[0], *case[1]])


def stopped(folder, method, options):
    """Trains until a checkpoint is written, and no further."""
    state = folder / "state"

    def stop(what, done, of):
        if state.exists():
            raise InterruptedError

    with pytest.raises(InterruptedError):
        hapax.train(
            *(TEXTS, LABELS, method), checkpoint=folder, every="1", progress=stop, **options
        )
    assert state.exists()


@pytest.mark.parametrize("case", TRAININGS, ids=named)
def test_training_goes_on(case, tmp_path, command):
    method, options = case
    whole = hapax.train(TEXTS, LABELS, method, **options).to_bytes()
    folder = tmp_path / "kept"
    stopped(folder, method, options)
    with pytest.raises(ValueError, match="holds a checkpoint already"):
        hapax.train(TEXTS, LABELS, method, checkpoint=folder, **options)
    with pytest.raises(ValueError, match="other data|other"):
        hapax.train(TEXTS[:-1], LABELS[:-1], method, resume=folder, **options)

    # The command goes on from it, too.
    write_tsv(tmp_path / "train.tsv", TEXTS, LABELS)
    given = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    if "costs" in options:
        given = [f"--costs={','.join(map(str, options['costs']))}", f"--gap={options['gap']}"]
    there = tmp_path / "there"
    stopped(there, method, options)
    train = [method, *given, tmp_path / "train.tsv", "-o", tmp_path / "model.hapax"]
    command("train", *train, "--resume", there)
    assert (tmp_path / "model.hapax").read_bytes() == whole

    assert hapax.train(TEXTS, LABELS, method, resume=folder, **options).to_bytes() == whole
    # What is done is forgotten.
    assert not (folder / "state").exists()
    assert hapax.train(TEXTS, LABELS, method, checkpoint=folder, **options).to_bytes() == whole


def test_options_of_checkpoints_are_checked(tmp_path):
    train = TEXTS[:50], LABELS[:50]
    with pytest.raises(ValueError, match="give one of the two"):
        hapax.train(*train, "cs", checkpoint=tmp_path, resume=tmp_path)
    with pytest.raises(ValueError, match="give checkpoint, too"):
        hapax.train(*train, "cs", every="5s")
    with pytest.raises(ValueError, match="every: \"soon\" is neither a time"):
        hapax.train(*train, "cs", checkpoint=tmp_path, every="soon")
    for method in ["auto", "nearest", "nearest-mean"]:
        with pytest.raises(TypeError, match="no option 'checkpoint'"):
            hapax.train(*train, method, checkpoint=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        hapax.train(*train, "cs", checkpoint=tmp_path / "file")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed there")
def test_a_checkpoint_that_cannot_be_written_is_warned_of(tmp_path):
    folder = tmp_path / "kept"

    def remove(what, done, of):
        if folder.exists():
            folder.rename(tmp_path / f"away{time.monotonic_ns()}")

    whole = hapax.train(TEXTS, LABELS, "cs", gap=1e-9)
    with pytest.warns(RuntimeWarning, match="no checkpoint was written"):
        model = hapax.train(
            *(TEXTS, LABELS, "cs"), gap=1e-9, checkpoint=folder, every="1", progress=remove
        )
    assert model.to_bytes() == whole.to_bytes()
    assert os.listdir(tmp_path)
