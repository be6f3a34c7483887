"""What the tests of Annif's own tree find there, by its names, for the test in backend-hapax.patch."""

import random
from pathlib import Path
from unittest.mock import Mock

import annif.analyzer
import annif.corpus
import annif.vocab
import py.path
import pytest

# The words of subjects; the first is the one that the test asks for.
SUBJECTS = {
    "http://www.yso.fi/onto/yso/p1265": "arkeologia tieteenala ihmisen menneisyyttä tutkivat",
    "http://www.yso.fi/onto/yso/p14174": "kivikausi kivi kirves piikivi esine",
    "http://www.yso.fi/onto/yso/p6479": "viikingit laiva meri matka kauppa",
}


@pytest.fixture(scope="session")
def datadir(tmp_path_factory):
    return py.path.local(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="session")
def subject_index(datadir):
    vocabulary = annif.vocab.AnnifVocabulary("my-vocab", str(datadir))
    path = Path(datadir) / "subjects.tsv"
    lines = (f"<{uri}>\t{words.split()[0]}\n" for uri, words in SUBJECTS.items())
    path.write_text("".join(lines), encoding="utf-8")
    vocabulary.load_vocabulary(annif.vocab.VocabFileTSV(str(path), "fi"))
    return vocabulary.subjects


@pytest.fixture(scope="session")
def document_corpus(datadir, subject_index):
    choose = random.Random(42).choice
    path = Path(datadir) / "documents.tsv"
    uris = [choose(list(SUBJECTS)) for _ in range(400)]
    lines = (f"{' '.join(choose(SUBJECTS[uri].split()) for _ in '1234')}\t<{uri}>\n" for uri in uris)
    path.write_text("".join(lines), encoding="utf-8")
    return annif.corpus.DocumentFileTSV(str(path), subject_index)


@pytest.fixture
def empty_corpus(tmp_path, subject_index):
    (tmp_path / "empty.tsv").touch()
    return annif.corpus.DocumentFileTSV(str(tmp_path / "empty.tsv"), subject_index)


@pytest.fixture(scope="session")
def project(datadir, subject_index):
    analyzer = annif.analyzer.get_analyzer("snowball(finnish)")
    return Mock(analyzer=analyzer, subjects=subject_index, datadir=str(datadir), language="fi")
