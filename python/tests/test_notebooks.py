"""The notebooks run, cell by cell, and show what their text says."""

import ast
import json
import os
from pathlib import Path

import pytest
from conftest import COMMAND

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def run(name):
    """Runs a notebook; what its cells define, and what each shows."""
    cells = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))["cells"]
    space, shown = {}, []
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        body = ast.parse("".join(cell["source"])).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        where = f"{name}, cell {number}"
        exec(compile(ast.Module(body, []), where, "exec"), space)  # noqa: S102
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), where, "eval"), space))  # noqa: S307
    return space, shown


def test_index_documents(tmp_path, monkeypatch):
    pytest.importorskip("lzma")
    monkeypatch.chdir(tmp_path)
    space, shown = run("index-documents.ipynb")
    assert shown[0] == len(space["documents"]) > 1500
    texts = {document["text"] for document in space["train"]}
    assert not texts & {document["text"] for document in space["test"]}
    assert shown[1] is space["model"]
    # A subject that is guessed is right for one document in ten.
    assert shown[2]["precision"][0] > 0.7
    archive, date, nothing = space["suggestions"]
    assert "archives" in [answer.label for answer in archive]
    assert "dates and times" in [answer.label for answer in date]
    assert nothing == []
    assert {feature for feature, _ in shown[4]["features"]} & {"archive", "extract", "all members"}
    assert space["learned"].skipped == 0 and shown[5][0][0].label == "drawing"
    assert shown[6] is True


def test_compare():
    space, shown = run("compare.ipynb")
    assert shown[0] > 800 and len(space["test_texts"]) > 200
    assert not set(space["train_texts"]) & set(space["test_texts"])
    assert shown[1].keys() == {"yours", "hapax"}
    # The most frequent label would be right for less than a third.
    assert all(figures["accuracy"] > 0.5 for figures in shown[1].values())
    apart = space["figures"]["hapax"]["accuracy"] - space["figures"]["yours"]["accuracy"]
    only = shown[2]["hapax only"] - shown[2]["yours only"]
    assert only == round(apart * len(space["test_texts"]))
    assert shown[3] is space["ours"].model_


def test_to_the_browser(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([str(COMMAND.parent), os.environ["PATH"]]))
    space, shown = run("to-the-browser.ipynb")
    assert shown[-1].returncode == 0
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "Which card?" in page and "my card did not arrive" in page
    models = [path.read_bytes() for path in (tmp_path / "site").rglob("*.hapax")]
    assert models == [space["model"].to_bytes()]
