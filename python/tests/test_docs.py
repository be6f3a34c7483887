"""The examples of the docstrings and of README run, and the stubs are those of the module."""

import ast
import doctest
import importlib
import re
from pathlib import Path

import numpy
import pytest

import hapax
from hapax import _native

MODULES = ["hapax", "hapax._model", "hapax._train", "hapax.metrics", "hapax.sklearn"]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(name)
    done = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert done.attempted > 0 and done.failed == 0


def test_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 3
    space = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), space)  # noqa: S102


def test_a_table_of_numbers_becomes_a_matrix_as_the_book_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris.csv").write_text("width,length,species\n1.5,2,setosa\n4,0.5,virginica\n")
    page = Path(__file__).parents[2] / "docs" / "questions.md"
    (block,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(block, "questions.md", "exec"), {})  # noqa: S102
    assert numpy.load("iris.npy").tolist() == [[1.5, 2.0], [4.0, 0.5]]
    assert (tmp_path / "iris.labels").read_text().split() == ["setosa", "virginica"]


def test_stubs():
    stub = Path(hapax.__file__).with_name("_native.pyi").read_text(encoding="utf-8")
    tree = ast.parse(stub)
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    (model,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = {node.name for node in model.body if isinstance(node, ast.FunctionDef)}

    def public(module):
        return {name for name in dir(module) if not name.startswith("_")}

    assert functions == public(_native) - {"Model"}
    assert methods == public(_native.Model)
    assert Path(hapax.__file__).with_name("py.typed").exists()


@pytest.mark.parametrize("name", MODULES)
def test_all_that_is_public_has_documentation(name):
    module = importlib.import_module(name)
    for owner in vars(module).values():
        if getattr(owner, "__module__", None) != name or owner.__name__.startswith("_"):
            continue
        assert owner.__doc__, owner
        for method, value in vars(owner).items() if isinstance(owner, type) else ():
            if not method.startswith("_") and callable(getattr(owner, method)):
                assert getattr(owner, method).__doc__, (owner, method, value)
