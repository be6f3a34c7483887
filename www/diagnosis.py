"""Diagnoses and their categories of ICD-10-CM: python3 diagnosis.py FOLDER.

Writes train.tsv and test.tsv (a text, a tab, its categories) and labels.tsv (a category, a tab, its
title). Texts are the descriptions of codes and their inclusion terms; a tenth of them, by the SHA-1
of the text, is for testing. The tabular list of April 2026 is in the public domain in the U.S.; pip
fetches it in the package simple-icd-10-cm, which is read as a zip, not installed.
"""

import hashlib
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

PACKAGE = "simple-icd-10-cm==1.5.0"


def tabular_list(folder):
    """The tabular list as XML."""
    if not list(folder.glob("simple_icd_10_cm-*.whl")):
        words = ("download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder, PACKAGE)
        subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    [wheel] = folder.glob("simple_icd_10_cm-*.whl")
    with zipfile.ZipFile(wheel) as files:
        [name] = [name for name in files.namelist() if name.endswith(".xml")]
        return ET.fromstring(files.read(name))


def words(element):
    return " ".join(element.text.split())


def is_for_testing(text):
    return int(hashlib.sha1(text.lower().encode()).hexdigest(), 16) % 10 == 0


def write(path, rows):
    path.write_text("".join(f"{left}\t{right}\n" for left, right in rows), encoding="utf-8")


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    categories, texts = {}, {}
    for category in tabular_list(folder).iterfind("chapter/section/diag"):
        name = category.findtext("name")
        categories[name] = words(category.find("desc"))
        for code in category.iter("diag"):
            for said in (code.find("desc"), *code.iterfind("inclusionTerm/note")):
                texts.setdefault(words(said), {})[name] = None
    rows = [(text, " ".join(labels)) for text, labels in texts.items()]
    write(folder / "train.tsv", (row for row in rows if not is_for_testing(row[0])))
    write(folder / "test.tsv", (row for row in rows if is_for_testing(row[0])))
    write(folder / "labels.tsv", categories.items())
    print(f"{len(rows)} texts of {len(categories)} categories in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
