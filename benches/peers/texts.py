"""Raw texts as rows for systems that know no texts: words and characters, weighed as scikit-learn does."""

import scipy.sparse as sp

from rows import Rows

# Words alone and in pairs; characters of a word, 2 to 5 at once, that at least two texts have.
WORDS = {"ngram_range": (1, 2), "sublinear_tf": True}
CHARACTERS = {"analyzer": "char_wb", "ngram_range": (2, 5), "min_df": 2, "sublinear_tf": True}


class Texts(Rows):
    """What `Rows` has, of texts: X is set by `weighed`."""

    def __init__(self, path, numbers):
        """`numbers` has the number of each label's name, and gets those of new names."""
        self.path, self.Y, self.texts = path, [], []
        with open(path) as lines:
            for line in lines:
                labels, text = line.rstrip("\n").split("\t")[:2]
                self.Y.append([numbers.setdefault(label, len(numbers)) for label in labels.split(",") if label])
                self.texts.append(text)


def weighed(train, test):
    """The rows of two files of labels and texts, over the words and characters of the first."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    numbers = {}
    both = [Texts(path, numbers) for path in (train, test)]
    kinds = [TfidfVectorizer(**WORDS), TfidfVectorizer(**CHARACTERS)]
    for kind in kinds:
        kind.fit(both[0].texts)
    for rows in both:
        rows.L = len(numbers)
        rows.X = normalize(sp.hstack([kind.transform(rows.texts) for kind in kinds], "csr", "float32"))
        rows.X.sort_indices()
    return both
