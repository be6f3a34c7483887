"""Regret: how far hapax is behind the best other system, on every data set of a folder.

    python regret.py DATA [--ours NAME,NAME] [--peers NAME,NAME] [--sets NAME,NAME] [--variants] [--no-texts]
                     [--work FOLDER] [--seed N] [--threads N] [--seconds N] [--table]

DATA holds a folder for each set, with train.txt.xz and test.txt.xz (XMC text or svmlight) and, perhaps,
train.raw.tsv.xz and test.raw.tsv.xz (labels, then text). Sets with fewer than 10 labels are left out. $HAPAX is the
command, or it is on the PATH.

Every system learns from the rows. hapax learns from the raw texts, too, and is compared with what its peers reach on
the rows. The regret of a figure is the best peer's less ours: negative where hapax is ahead. The best peer is the best
one of each figure; where a peer's better settings are known (tables.py), they count.

FOLDER keeps results in results.jsonl and unpacked sets in sets. A result that is there is not measured again: it
depends on the files, on the system, its version and options, and on the bytes of the hapax command. So an ended run goes
on where it was. Systems run one after the other, each in a process of its own.

macro-F1 is that of `hapax evaluate`: of so many answers a row as training rows have labels on average.
"""

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import types

import results
import sets
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = ["hapax", "hapax ovr", "hapax nearest"]
PEERS = ["pecos xrlinear", "napkinxc plt-hinge"]
# What `hapax train` takes where none is given.
SEED = 42
TEXT_COLUMNS = ["--columns", "labels,text"]
LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def is_ours(system):
    return system.split(" ")[0] == "hapax"


def measured(system, train, test, form, threads, seed):
    """The work of one process: the figures and costs of one system."""
    from rows import Rows, cut_of, macro_f1, peak_megabytes, precision
    from systems import SYSTEMS, hapax

    run = SYSTEMS[system]
    if is_ours(system):
        run = hapax(run.options + ([] if seed is None else ["--seed", str(seed)]))
        paths = (types.SimpleNamespace(path=path, answers=0) for path in (train, test))
        found = run(*paths, threads, None, TEXT_COLUMNS if form == "texts" else [])
        del found["answers"]
        figures = found.pop("figures")
        with open(test) as lines:
            rows = sum(1 for line in lines) - (form == "rows")
    else:
        learned, asked = Rows(train), Rows(test)
        cut = cut_of(learned.Y)
        asked.answers = max(5, cut)
        found = run(learned, asked, threads, None)
        answers = found.pop("answers")
        figures = {**precision(answers, asked.Y), "macro_f1": macro_f1(answers, asked.Y, cut)}
        figures["macro_f1_of_first"] = macro_f1(answers, asked.Y)
        found["peak_mb"] = peak_megabytes()
        rows = len(asked.Y)
    costs = {"predict_us": round(1e6 * found["predict_cpu"] / rows, 2), "load": os.getloadavg()[0]}
    return {**figures, **found, **costs}


def work_list(options, cache):
    """What is to be measured, small sets first: (set, variant, form, its files)."""
    found = []
    names = options.sets or sorted(os.listdir(options.data))
    for name in names:
        folder = os.path.join(options.data, name)
        whole = sets.prepared(folder, cache)
        if whole is None or whole["labels"] < sets.LEAST_LABELS:
            continue
        found.append((name, "", "rows", whole))
        texts = sets.prepared(folder, cache, texts=True) if options.texts else None
        if texts:
            found.append((name, "", "texts", texts))
        for variant in sets.VARIANTS if options.variants else []:
            made = sets.prepared(folder, cache, variant, SEED if options.seed is None else options.seed)
            if made["enough"]:
                found.append((name, variant, "rows", made))
    return sorted(found, key=lambda one: os.path.getsize(one[3]["train"]))


class Bench:
    """Measures what has no result yet."""

    def __init__(self, options):
        from systems import SYSTEMS

        self.options, self.systems = options, SYSTEMS
        self.path = os.path.join(options.work, "results.jsonl")
        self.known = results.read(self.path)
        command = shutil.which(os.environ.get("HAPAX", "hapax"))
        self.binary = sets.sha256(command) if command else None
        self.versions = {}

    def described(self, system, files):
        """What a result depends on."""
        run = self.systems[system]
        if system not in self.versions:
            self.versions[system] = run.version()
        seed = [] if self.options.seed is None else ["--seed", str(self.options.seed)]
        ours = is_ours(system)
        told = {
            "train_sha256": files["train_sha256"],
            "test_sha256": files["test_sha256"],
            "system": system,
            "version": self.versions[system],
            "options": run.options + seed if ours else run.options,
            "binary": self.binary if ours else None,
            "threads": self.options.threads,
        }
        return {"key": results.key(**told), **told}

    def result(self, name, variant, form, files, system):
        """A result that is there, or is measured now; none if the system cannot do it, which is said."""
        told = self.described(system, files)
        if told["key"] in self.known or self.options.table:
            return self.known.get(told["key"])
        seed = "" if self.options.seed is None else str(self.options.seed)
        arguments = [system, files["train"], files["test"], form, str(self.options.threads), seed]
        label = f"{name}{variant and ' ' + variant}, {form}, {system}"
        try:
            command = [sys.executable, os.path.join(HERE, "regret.py"), "--alone", *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.seconds)
        except subprocess.TimeoutExpired:
            return print(f"regret.py: {label}: more than {self.options.seconds} s", file=sys.stderr)
        if done.returncode != 0:
            why = (done.stderr.strip() or "no message").splitlines()[-1]
            return print(f"regret.py: {label}: {why}", file=sys.stderr)
        found = json.loads(done.stdout.splitlines()[-1])
        date = datetime.date.today().isoformat()
        where = {"set": name, "variant": variant, "form": form}
        line = {**told, **where, **found, "date": date, "machine": machine()}
        self.known[told["key"]] = line
        results.append(self.path, line)
        print(f"{label}: P@1 {line['p1']:.2f}, {line['train_cpu']:.1f} CPU s", file=sys.stderr, flush=True)
        return line

    def run(self, work):
        """Results in the order of the work, those of one set in a row."""
        found = []
        for name, variant, form, files in work:
            peers = self.options.peers if form == "rows" else []
            systems = [system for system in [*peers, *self.options.ours]]
            found += [self.result(name, variant, form, files, system) for system in systems]
        return [line for line in found if line]


def machine():
    """The name of the processor."""
    if os.path.isfile("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    listed = {"type": lambda text: [name for name in text.split(",") if name], "metavar": "NAME,NAME"}
    parser.add_argument("data", metavar="DATA")
    parser.add_argument("--ours", default=OURS, help="hapax systems (systems.py)", **listed)
    parser.add_argument("--peers", default=PEERS, help="other systems", **listed)
    parser.add_argument("--sets", help="these sets only", **listed)
    parser.add_argument("--variants", action="store_true", help="sets made of each set, too: " + ", ".join(sets.VARIANTS))
    parser.add_argument("--no-texts", dest="texts", action="store_false", help="rows only")
    parser.add_argument("--work", default=os.path.join(HERE, "../../target/regret"), metavar="FOLDER")
    parser.add_argument("--seed", type=int, help=f"of hapax and of variants [default: {SEED}, hapax's own]")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=int, help="end a system that takes longer, reading included")
    parser.add_argument("--table", action="store_true", help="measure nothing: the table of what is there")
    options = parser.parse_args()
    if not os.path.isdir(options.data):
        parser.error(f"{options.data}: no such folder; name the folder that holds the sets")
    return parser, options


def main():
    if sys.argv[1:2] == ["--alone"]:
        system, train, test, form, threads, seed = sys.argv[2:]
        found = measured(system, train, test, form, int(threads), int(seed) if seed else None)
        return print(json.dumps(found))
    parser, options = arguments()
    from systems import SYSTEMS

    unknown = set(options.ours + options.peers) - set(SYSTEMS)
    if unknown:
        parser.error(f"no such system: {', '.join(sorted(unknown))}; there are {', '.join(SYSTEMS)}")
    command = os.environ.get("HAPAX", "hapax")
    if options.ours and not shutil.which(command):
        parser.error(f"{command}: no such command; $HAPAX is its path")
    for variable in LIBRARIES:
        os.environ[variable] = str(options.threads)
    found = Bench(options).run(work_list(options, os.path.join(options.work, "sets")))
    seed = SEED if options.seed is None else options.seed
    head = {"date": datetime.date.today().isoformat(), "machine": machine(), "seed": seed, "threads": options.threads}
    print(tables.report(found, options.ours, options.peers, head))


if __name__ == "__main__":
    main()
