"""Other systems beside hapax, on the same files in one run: one table for each data set.

    python compare.py FOLDER... [--systems NAME,NAME...] [--first-label] [--threads N] [--jsonl FILE] [--seconds N]

FOLDER holds train.txt.xz and test.txt.xz in the XMC text format and, perhaps, labels.tsv.xz, a name of a label in each
line. $HAPAX is the command, or it is on the PATH. Systems run one after the other, each in a process of its own; the
ratios of a table are to its first line. CPU seconds are without reading files, but with it for omikuji, which reads
them itself. Peak memory is of the whole process with its data, Python's own share included.

The gap of exact machines is what their objective lacks at most of the least there is, as a share of it: of the weights
that training ended with, and of the weights as stored, which hapax prunes and rounds. LIBLINEAR ends by its own default
rule and stores weights as they are; their gap is computed (gaps.py) by a bound that hapax proves, which is in no column
of costs. Every gap is of the system's own problem: hapax's cs and ww have no constant feature, LIBLINEAR has one but where
its name says otherwise, and hapax's ovr chooses its costs.

With --first-label all systems learn each row's label with the smallest number only; an answer is right where the row has it, and
macro-F1 is of first answers, over all labels that rows have or are given. A system that takes more than --seconds is
ended and said so.
"""

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile

from gaps import proven_dual
from rows import Rows, macro_f1, peak_megabytes, precision
from systems import SYSTEMS

NEEDED = ["train.txt.xz", "test.txt.xz"]
COLUMNS = ["system", "P@1", "P@3", "P@5", "macro-F1", "train CPU s", "ratio", "predict us", "ratio", "MB", "ratio", "peak MB"]
COLUMNS += ["gap", "gap as stored"]


def run_alone(name, train, test, threads, names):
    """The work of one process: measures one system and prints a line of JSON."""
    train_rows, test_rows = Rows(train), Rows(test)
    run = SYSTEMS[name]
    found = run(train_rows, test_rows, threads, names)
    answers = found.pop("answers")
    found.pop("figures", None)
    line = {"system": name, "version": run.version(), "threads": threads, **precision(answers, test_rows.Y)}
    if train_rows.single_label():
        line["macro_f1"] = macro_f1(answers, test_rows.Y)
    line["predict_us"] = 1e6 * found["predict_cpu"] / len(test_rows.Y)
    line.update({"peak_mb": peak_megabytes(), **found})
    line["load"] = os.getloadavg()[0]
    print(json.dumps(line))


def unpacked(folder, into, first_label):
    """The files of a data set, decompressed: train, test and names of labels (or none)."""
    paths = []
    for name in ("train.txt", "test.txt", "labels.tsv"):
        source, target = os.path.join(folder, name + ".xz"), os.path.join(into, name)
        if not os.path.exists(source):
            paths.append(None)
            continue
        try:
            with lzma.open(source) as packed, open(target, "wb") as plain:
                if first_label and name == "train.txt":
                    plain.write(next(packed))
                    plain.writelines(with_first_label(line) for line in packed)
                else:
                    shutil.copyfileobj(packed, plain)
        except (EOFError, lzma.LZMAError) as error:
            sys.exit(f"compare.py: error: {source}: {error}")
        paths.append(target)
    return paths


def with_first_label(line):
    labels, space, row = line.rstrip(b"\n").partition(b" ")
    return min(labels.split(b","), key=lambda label: int(label or 0)) + space + row + b"\n"


def cells(line, first):
    def ratio(field):
        return f"{line[field] / first[field]:.2f}" if first[field] else ""

    single = f" ({line['single_us']:.0f})" if line.get("single_us") else ""
    return [
        f"{line['system']} {line['version']}",
        *(f"{line[k]:.2f}" for k in ("p1", "p3", "p5")),
        f"{line['macro_f1']:.2f}" if "macro_f1" in line else "",
        f"{line['train_cpu']:.2f}", ratio("train_cpu"),
        f"{line['predict_us']:.1f}{single}", ratio("predict_us"),
        f"{line['bytes'] / 1e6:.2f}", ratio("bytes"),
        f"{line['peak_mb']:.0f}",
        *(f"{line[k]:.2e}" if line.get(k) is not None else "" for k in ("gap", "stored_gap")),
    ]


def gap(line, train, options):
    """The gap of weights whose objective a line tells, none if there is no bound; why is said."""
    try:
        dual = proven_dual(line["solver"], line["constant"], train, options.threads, options.seconds)
        return (line["primal"] - dual) / line["primal"]
    except subprocess.TimeoutExpired:
        why = f"more than {options.seconds} s"
    except subprocess.CalledProcessError as error:
        why = (error.stderr.strip() or "no message").splitlines()[-1]
    print(f"compare.py: no gap of {line['system']}: {why}", file=sys.stderr)
    return None


def compare(folder, options):
    print(f"\n## {os.path.basename(os.path.normpath(folder))}\n")
    print("| " + " | ".join(COLUMNS) + " |\n|---|" + "---:|" * (len(COLUMNS) - 1), flush=True)
    with tempfile.TemporaryDirectory() as into:
        train, test, names = unpacked(folder, into, options.first_label)
        first = None
        for name in options.systems:
            arguments = [sys.executable, __file__, "--alone", name, train, test, str(options.threads), names or ""]
            try:
                done = subprocess.run(arguments, capture_output=True, text=True, timeout=options.seconds)
            except subprocess.TimeoutExpired:
                row = f"| {name} | not run: more than {options.seconds} s |"
                print(row + " |" * (len(COLUMNS) - 2), flush=True)
                continue
            if done.returncode != 0:
                why = (done.stderr.strip() or "no message").splitlines()[-1]
                print(f"| {name} | not run: {why} |" + " |" * (len(COLUMNS) - 2), flush=True)
                continue
            line = json.loads(done.stdout.splitlines()[-1])
            if "primal" in line:
                line["gap"] = line["stored_gap"] = gap(line, train, options)
            first = first or line
            print("| " + " | ".join(cells(line, first)) + " |", flush=True)
            if options.jsonl:
                with open(options.jsonl, "a") as file:
                    file.write(json.dumps({"data": os.path.basename(os.path.normpath(folder)), **line}) + "\n")


def main():
    if sys.argv[1:2] == ["--alone"]:
        name, train, test, threads, names = sys.argv[2:]
        return run_alone(name, train, test, int(threads), names)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--systems", type=lambda text: text.split(","), default=[name for name in SYSTEMS if name != "hapax"])
    parser.add_argument("--first-label", action="store_true", help="learn one label of each row only")
    parser.add_argument("--seconds", type=int, help="end a system that takes longer, reading included")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--jsonl", help="append a line of JSON for each system to this file")
    options = parser.parse_args()
    for folder in options.folders:
        missing = [name for name in NEEDED if not os.path.isfile(os.path.join(folder, name))]
        if not os.path.isdir(folder):
            parser.error(f"{folder}: no such folder; name the path of a folder of data")
        if missing:
            parser.error(f"{folder}: no {' nor '.join(missing)} there")
    command = os.environ.get("HAPAX", "hapax")
    if any(name.startswith(("hapax", "liblinear")) for name in options.systems) and not shutil.which(command):
        parser.error(f"{command}: no such command; $HAPAX is its path")
    unknown = set(options.systems) - set(SYSTEMS)
    if unknown:
        parser.error(f"no such system: {', '.join(sorted(unknown))}; there are {', '.join(SYSTEMS)}")
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    for folder in options.folders:
        compare(folder, options)


if __name__ == "__main__":
    main()
