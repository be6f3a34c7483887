"""The backend in Annif itself: its command trains, suggests, learns and evaluates."""

import hashlib
import json
import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import WORDS, make_texts

import hapax

pytest.importorskip("annif", reason="Annif is tested in a venv of its own")

PROJECTS = """
[plain]
name=Without an analyzer
language=en
backend=hapax
vocab=test
method=ovr
fuse=centroid
cost=1.0
words=1
allow_learn=true

[simple]
name=With an analyzer
language=en
backend=hapax
vocab=test
analyzer=simple
allow_learn=true
method=nearest
limit=3

[fused]
name=With neighbors that vote
language=en
backend=hapax
vocab=test
method=ovr
fuse=nearest
allow_learn=true

[hashed]
name=Of a kind that cannot learn
language=en
backend=hapax
vocab=test
method=mach
allow_learn=true

[archaeology]
name=Annif's own corpus
language=fi
backend=hapax
vocab=archaeology
max_bytes=200000

[wrong]
name=With an option that is none
language=en
backend=hapax
vocab=test
method=nearest
cost=1.0
"""

PUNKT = ("abbrev_types.txt", "collocations.tab", "ortho_context.tab", "sent_starters.txt")


@pytest.fixture(scope="module")
def annif(tmp_path_factory):
    """Runs Annif's command in a folder with projects, a vocabulary and documents."""
    folder = tmp_path_factory.mktemp("annif")
    (folder / "projects.cfg").write_text(PROJECTS)
    vocabulary = "".join(f"<http://example.org/{name}>\t{name}\n" for name in sorted(WORDS))
    (folder / "vocab.tsv").write_text(vocabulary)
    for name, rows, seed in (("train", 600, 1), ("test", 200, 2)):
        texts, labels = make_texts(rows, seed, several=True)
        uris = [" ".join(f"<http://example.org/{label}>" for label in row) for row in labels]
        lines = [f"{text}\t{row}\n" for text, row in zip(texts, uris)]
        (folder / f"{name}.tsv").write_text("".join(lines))
    # Without these files the tokenizer of NLTK wants its data from the network.
    for language in ("english", "finnish"):
        punkt = folder / "nltk" / "tokenizers" / "punkt_tab" / language
        punkt.mkdir(parents=True)
        for name in PUNKT:
            (punkt / name).touch()
    environment = {
        **os.environ,
        "ANNIF_CONFIG": "annif_hapax.Config",
        "NLTK_DATA": str(folder / "nltk"),
    }
    program = Path(sys.executable).with_name("annif")

    def ran(*arguments, text=None, fails=False):
        done = subprocess.run(
            [program, *arguments],
            cwd=folder,
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode != 0) == fails, done.stderr
        return done

    def run(*arguments, fails=False, **how):
        done = ran(*arguments, fails=fails, **how)
        return done.stderr if fails else done.stdout

    def messages(*arguments, **how):
        return ran(*arguments, **how).stderr

    run.folder, run.environment, run.messages = folder, environment, messages
    run("load-vocab", "--language", "en", "test", "vocab.tsv")
    return run


@pytest.mark.parametrize("project", ["plain", "simple"])
def test_train_suggest_and_evaluate(annif, project):
    annif("train", project, "-j", "1", "train.tsv")
    data = annif.folder / "data" / "projects" / project
    assert [file.name for file in data.iterdir()] == ["model.hapax"]
    model = hapax.Model.load(data / "model.hapax")
    assert model.labels == [f"http://example.org/{name}" for name in sorted(WORDS)]

    lines = annif("suggest", project, text="the thief robbed me").splitlines()
    uri, label, score = lines[0].split("\t")
    assert (uri, label) == ("<http://example.org/stolen>", "stolen")
    assert all(0 <= float(line.split("\t")[2]) <= 1 for line in lines) and float(score) > 0.1
    assert len(lines) <= (3 if project == "simple" else 5)
    # Words that nobody knows have no suggestions.
    assert annif("suggest", project, text="qqq zzz") == ""

    annif("eval", project, "-j", "1", "-M", "metrics.json", "test.tsv")
    metrics = json.loads((annif.folder / "metrics.json").read_text())
    assert metrics["Precision@1"] > 0.8 and metrics["NDCG@5"] > 0.8


def test_learning(annif):
    annif("train", "simple", "train.tsv")
    lines = ["volcano island thief\t<http://example.org/fee>\n"] * 3
    (annif.folder / "more.tsv").write_text("".join(lines))
    annif("learn", "simple", "more.tsv")
    model = hapax.Model.load(annif.folder / "data/projects/simple/model.hapax")
    assert model.learn(["thief"], [["http://example.org/fee"]]).rows == range(603, 604)
    for project in ("plain", "fused"):
        annif("train", project, "train.tsv")
        before = (annif.folder / f"data/projects/{project}/model.hapax").read_bytes()
        annif("learn", project, "more.tsv")
        assert (annif.folder / f"data/projects/{project}/model.hapax").read_bytes() != before
    annif("train", "hashed", "train.tsv")
    assert "cannot learn" in annif("learn", "hashed", "more.tsv", fails=True)


def test_evidence(annif):
    asked = {"text": "the thief robbed me"}
    for project in ("plain", "simple"):
        annif("train", project, "train.tsv")
    assert "robbed" not in annif.messages("suggest", "plain", **asked)
    told = annif.messages("suggest", "plain", "-b", "hapax.evidence=2", **asked).splitlines()
    uri, shares = told[0].split("Backend hapax: ")[1].split(": ")
    assert uri == "<http://example.org/stolen>" and len(told) == 2
    assert {share.split()[0] for share in shares.split(", ")[:2]} == {"thief", "robbed"}
    # Of a kind without words of its own the documents that voted are the evidence.
    told = annif.messages("suggest", "simple", "-b", "hapax.evidence=1", **asked)
    assert "<http://example.org/stolen> of document " in told and "robbed 0." in told

    ask = (
        "import annif, annif.registry, annif_hapax, sys\n"
        "from annif.corpus import Document\n"
        "app = annif.create_flask_app('annif_hapax.Config')\n"
        "with app.app_context():\n"
        "    annif.registry.initialize_projects(app)\n"
        "    project = annif.registry.get_project(sys.argv[1])\n"
        "    why = project.backend.explain([Document(text=sys.argv[2])], {'limit': 2})\n"
        "print(why[0]['answers'][0]['label'], len(why[0]['answers']))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", ask, "plain", asked["text"]],
        cwd=annif.folder,
        env=annif.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split() == ["http://example.org/stolen", "2"]


def test_the_archaeology_corpus_of_annif(annif):
    corpus = Path(__file__).parent / "archaeology"
    annif("load-vocab", "--language", "fi", "archaeology", corpus / "subjects.tsv")
    lines = lzma.open(corpus / "documents.tsv.xz", "rt", encoding="utf-8").read().splitlines()
    held_out = [int(hashlib.sha1(line.encode()).hexdigest()[:8], 16) % 10 == 0 for line in lines]
    assert (len(lines), sum(held_out)) == (6404, 643)
    for name, wanted in (("known.tsv", False), ("asked.tsv", True)):
        kept = (f"{line}\n" for line, asked in zip(lines, held_out) if asked == wanted)
        (annif.folder / name).write_text("".join(kept), encoding="utf-8")
    annif("train", "archaeology", "-j", "1", "known.tsv")
    files = (annif.folder / "data/projects/archaeology").iterdir()
    assert sum(file.stat().st_size for file in files) <= 200_000
    annif("eval", "archaeology", "-j", "1", "-M", "archaeology.json", "asked.tsv")
    metrics = json.loads((annif.folder / "archaeology.json").read_text())
    assert metrics["NDCG@5"] >= 0.5


def test_hyperopt(annif):
    told = annif("hyperopt", "plain", "-T", "3", "-m", "F1@5", "-r", "trials.tsv", "train.tsv")
    trials = [line.split("\t") for line in (annif.folder / "trials.tsv").read_text().splitlines()]
    assert trials[0] == ["trial", "value", "cost", "positive_weight", "characters"]
    values = [float(trial[1]) for trial in trials[1:]]
    # Of five answers to two labels at most half is right.
    assert len(values) == 3 and all(0.3 < value < 0.7 for value in values)
    best = told.split("---")[1].split()
    assert best[:2] == ["method=ovr", "fuse=centroid"]
    assert f"score {max(values):.4f}" in told
    settings = "".join(f"{line}\n" for line in best)
    (annif.folder / "projects.cfg").write_text(
        f"{PROJECTS}\n[best]\nname=Best\nlanguage=en\nbackend=hapax\nvocab=test\n{settings}"
    )
    annif("train", "best", "train.tsv")
    (annif.folder / "few.tsv").write_text("a card\t<http://example.org/fee>\n" * 29)
    assert "29 documents" in annif("hyperopt", "plain", "-T", "1", "few.tsv", fails=True)


def test_the_patch_for_annif_itself(annif, tmp_path):
    import annif as package

    shutil.copytree(Path(package.__file__).parent, tmp_path / "annif")
    ours = Path(__file__).resolve().parents[1] / "annif-patch"
    parts = ("--include=annif/*", "--include=tests/*")
    subprocess.run(["git", "apply", *parts, ours / "backend-hapax.patch"], cwd=tmp_path, check=True)
    shutil.copy(ours / "conftest.py", tmp_path / "tests")
    environment = {**annif.environment, "PYTHONPATH": str(tmp_path)}
    pytest_there = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(
        pytest_there, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "8 passed" in done.stdout, done.stdout + done.stderr


def test_wrong_options_are_named(annif):
    assert "no option 'cost'" in annif("train", "wrong", "train.tsv", fails=True)
