"""Tests of what regret.py computes; they need Python alone: python3 -m unittest discover benches/peers"""

import lzma
import os
import tempfile
import unittest

import regret
import results
import sets
import tables


def line(system, p1, p5, macro_f1, name="a", variant="", form="rows"):
    told = {"set": name, "variant": variant, "form": form, "system": system, "version": "1"}
    costs = {"train_cpu": 1.0, "predict_us": 2.0, "bytes": 3_000_000}
    return {**told, **costs, "p1": p1, "p3": p5, "p5": p5, "macro_f1": macro_f1}


class Regrets(unittest.TestCase):
    def test_the_best_peer_of_each_figure_counts(self):
        found = [line("x", 50, 20, 30), line("y", 40, 25, 35), line("hapax", 45, 26, 35)]
        [row] = tables.regrets(found, "hapax", "rows", ["x", "y"])
        self.assertEqual(row["best"], {"p1": 50, "p5": 25, "macro_f1": 35})
        self.assertEqual(row["regret"], {"p1": 5, "p5": -1, "macro_f1": 0})
        self.assertEqual(row["first_peer"]["system"], "x")

    def test_texts_are_held_against_peers_on_rows_and_on_texts(self):
        found = [line("x", 50, 20, 30), line("hapax", 60, 20, 30, form="texts"), line("hapax", 1, 1, 1)]
        [row] = tables.regrets(found, "hapax", "texts", ["x"])
        self.assertEqual((row["regret"]["p1"], row["first_peer"]["form"]), (-10, "rows"))
        found += [line("x", 58, 10, 30, form="texts"), line("y", 59, 19, 30, form="texts")]
        [row] = tables.regrets(found, "hapax", "texts", ["x", "y"])
        self.assertEqual(row["best"], {"p1": 59, "p5": 20, "macro_f1": 30})
        self.assertEqual((row["first_peer"]["p1"], row["first_peer"]["form"]), (58, "texts"))
        [row] = tables.regrets(found, "hapax", "rows", ["x", "y"])
        self.assertEqual(row["regret"]["p1"], 49)

    def test_sets_without_a_peer_are_left_out_and_peers_not_asked_for_do_not_count(self):
        found = [line("hapax", 1, 1, 1), line("x", 9, 9, 9, name="b"), line("z", 9, 9, 9)]
        self.assertEqual(tables.regrets(found, "hapax", "rows", ["x"]), [])

    def test_known_results_count_on_the_whole_set_only(self):
        for variant, best in (("", 91.03), ("head", 50)):
            found = [line(s, 50, 50, 50, "eurlex57k", variant) for s in ("x", "hapax")]
            [row] = tables.regrets(found, "hapax", "rows", ["x"])
            self.assertEqual((row["best"]["p1"], row["best"]["macro_f1"]), (best, 50))

    def test_a_summary_names_the_worst_set_and_counts_those_ahead(self):
        found = []
        for name, ours in (("a", 52), ("b", 50), ("c", 40), ("d", 50.5)):
            found += [line("x", 50, 1, 1, name), line("hapax", ours, 1, 1, name)]
        told = tables.summary(tables.regrets(found, "hapax", "rows", ["x"]), "p1")
        self.assertEqual((told["largest"], told["worst"], told["ahead"], told["level"]), (10, "c", 2, 1))
        self.assertAlmostEqual(told["mean"], (-2 + 0 + 10 - 0.5) / 4)

    def test_rows_and_texts_of_a_set_stand_in_one_line(self):
        found = [line("x", 50.0, 20.0, 30.0), line("hapax", 51.0, 21.0, 29.0)]
        texts = [line("hapax", 60.0, 22.0, 31.0, form="texts"), line("x", 55.0, 9.0, 9.0, form="texts")]
        rows = tables.regrets(found + texts, "hapax", "rows", ["x"])
        of_texts = tables.regrets(found + texts, "hapax", "texts", ["x"])
        last = "| a | 50.00 | 51.00 | 55.00 | 60.00 | 30.00 | 29.00 | 30.00 | 31.00 |"
        self.assertEqual(tables.both_table(rows, of_texts).splitlines()[-1], last)
        without = tables.both_table(rows, []).splitlines()[-1]
        self.assertEqual(without, "| a | 50.00 | 51.00 |  |  | 30.00 | 29.00 |  |  |")

    def test_the_report_is_markdown_with_whole_sets_and_variants_apart(self):
        found = [line(s, 50, 1, 1, "a", v) for s in ("x", "hapax") for v in ("", "rare")]
        head = {"date": "2026-01-02", "machine": "m", "seed": 1, "threads": 1}
        text = tables.report(found, ["hapax"], ["x"], head, ["b, rows, x: too slow"])
        titles = ("## hapax, rows\n", "## hapax, rows, variants\n")
        for part in ("2026-01-02, m, seed 1", *titles, "| a (rare) | 50.00 |", "- b, rows, x: too slow"):
            self.assertIn(part, text)
        for row in (row for row in text.splitlines() if row.startswith("| a")):
            self.assertIn(row.count("|"), (10, 15))


def example():
    """Twenty labels; label l has 20 - l training rows, each of one label, and label 19 comes with label 0."""
    train = [([label], f"{label}:1") for label in range(20) for _ in range(20 - label)]
    train[0] = ([0, 19], "0:1")
    test = [([label], f"{label}:1") for label in range(20)]
    return sets.Set(train, test, 20, 20)


class Runs(unittest.TestCase):
    def test_a_system_whose_runs_differ_has_their_means(self):
        told = regret.mean([{"p1": 50, "bytes": 2}, {"p1": 51, "bytes": 4}])
        self.assertEqual(told, {"p1": 50.5, "bytes": 3, "p1_of_runs": [50, 51]})
        self.assertEqual(regret.mean([{"p1": 50, "gap": None}]), {"p1": 50, "gap": None})

    def test_names_tell_whose_system_it_is(self):
        self.assertTrue(all(map(regret.is_ours, regret.OURS)))
        self.assertFalse(any(map(regret.is_ours, regret.PEERS + regret.TEXT_PEERS)))


class Variants(unittest.TestCase):
    def test_a_share_of_rows_is_repeatable_nested_and_in_order(self):
        whole = example()
        quarter = sets.variant_of(whole, "quarter", 42)
        sixteenth = sets.variant_of(whole, "sixteenth", 42)
        self.assertEqual((len(quarter.train), len(sixteenth.train)), (210 // 4, 210 // 16))
        self.assertEqual(quarter.train, sets.variant_of(whole, "quarter", 42).train)
        self.assertNotEqual(quarter.train, sets.variant_of(whole, "quarter", 43).train)
        self.assertLessEqual(set(sets.share_of_rows(range(999), 16, 42)), set(sets.share_of_rows(range(999), 4, 42)))
        self.assertEqual(quarter.test, whole.test)
        numbers = sets.share_of_rows(range(999), 4, 42)
        self.assertEqual(numbers, sorted(numbers))

    def test_rare_keeps_the_rarer_half_of_labels_under_new_numbers(self):
        rare = sets.variant_of(example(), "rare", 42)
        self.assertEqual((rare.labels, len(rare.test)), (10, 10))
        # The row of labels 0 and 19 keeps 19 alone, which is now 9.
        self.assertEqual(rare.train[0], ([9], "0:1"))
        self.assertEqual(rare.test[0], ([0], "10:1"))
        self.assertEqual(len(rare.train), sum(range(1, 11)) + 1)

    def test_rare_counts_only_labels_that_have_rows(self):
        whole = example()
        whole.labels = 40
        self.assertEqual(sets.variant_of(whole, "rare", 42).labels, 10)

    def test_head_makes_half_of_all_labels_given_with_at_least_ten(self):
        order, counts = sets.by_frequency(example().train, 20)
        # Labels 18 and 19 have two rows each: of equals the smaller number comes first.
        self.assertEqual((order[0], order[-2:], counts[-2:]), (0, [18, 19], [2, 2]))
        self.assertEqual(sets.head_of(order, counts), order[:10])
        self.assertEqual(len(sets.head_of(list(range(100)), [1] * 100)), 50)
        self.assertEqual(sets.head_of([0, 1], [5, 1]), [0, 1])

    def test_an_unknown_variant_is_refused(self):
        with self.assertRaises(ValueError):
            sets.variant_of(example(), "third", 42)


class Files(unittest.TestCase):
    def test_xmc_text_passes_through_byte_for_byte(self):
        train = "3 4 12\n0,2 1:0.5 3:1\n1\n 2:7\n"
        with tempfile.TemporaryDirectory() as folder:
            for name in ("train", "test"):
                with lzma.open(os.path.join(folder, name + ".txt.xz"), "wt") as file:
                    file.write(train)
            made = sets.prepared(folder, os.path.join(folder, "cache"))
            with open(made["train"]) as file:
                self.assertEqual(file.read(), train)
            self.assertEqual((made["labels"], made["rows"], made["enough"]), (12, 3, False))
            self.assertEqual(made, sets.prepared(folder, os.path.join(folder, "cache")))
            self.assertIsNone(sets.prepared(folder, folder, texts=True))

    def test_svmlight_becomes_rows_from_zero(self):
        made = sets.parsed(["-1 1:0.5 3:1\n", "2 2:1\n"], ["10 1:1 4:2\n"])
        self.assertEqual(made.train, [([0], "0:0.5 2:1"), ([1], "1:1")])
        self.assertEqual(made.test, [([2], "0:1 3:2")])
        self.assertEqual((made.features, made.labels), (4, 3))

    def test_a_key_depends_on_all_that_was_measured(self):
        first = ("t", "u", "hapax", "1", [], "b", 1)
        keys = {results.key(*first)}
        for place in range(len(first)):
            keys.add(results.key(*first[:place], "other", *first[place + 1 :]))
        self.assertEqual(len(keys), 1 + len(first))

    def test_a_line_cut_short_is_passed_over_and_the_next_is_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.jsonl")
            results.append(path, {"key": "a"})
            with open(path, "a") as file:
                file.write('{"key": "b", "p')
            results.append(path, {"key": "c"})
            self.assertEqual(list(results.read(path)), ["a", "c"])


if __name__ == "__main__":
    unittest.main()
