"""Regret: how far hapax is behind the best other system, on every data set of a folder.

    python regret.py DATA [--ours NAME,NAME] [--peers NAME,NAME] [--text-peers NAME,NAME] [--sets NAME,NAME]
                     [--variants] [--no-texts] [--work FOLDER] [--seed N] [--threads N] [--seconds N] [--table]

DATA holds a folder for each set, with train.txt.xz and test.txt.xz (XMC text or svmlight) and, perhaps,
train.raw.tsv.xz and test.raw.tsv.xz (labels, then text). Sets with fewer than 10 labels are left out. $HAPAX is the
command, or it is on the PATH.

Every system learns from the rows. hapax learns from the raw texts, too, and is compared with what its peers reach on
the rows or on the words and characters of the texts (texts.py). The regret of a figure is the best peer's less ours: negative where hapax is ahead. The best peer is the best
one of each figure; where a peer's better settings are known (tables.py), they count. A peer whose equal runs differ is
run three times and has the means.

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
# Those that get the words and characters of texts.
TEXT_PEERS = ["pecos xrlinear", "linearsvc"]
# What `hapax train` takes where none is given.
SEED = 42
# How often a system is run whose equal runs give different models; its figures are means.
DRAWS = 3
TEXT_COLUMNS = ["--columns", "labels,text"]
LIBRARIES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def is_ours(system):
    return system.split(" ")[0] == "hapax"


def measured(system, train, test, form, threads, seed):
    """The work of one process: the figures and costs of one system."""
    from rows import Rows, cut_of, peak_megabytes
    from systems import SYSTEMS, hapax
    from texts import weighed

    run = SYSTEMS[system]
    if is_ours(system):
        run = hapax(run.options + ([] if seed is None else ["--seed", str(seed)]))
        paths = (types.SimpleNamespace(path=path, answers=0) for path in (train, test))
        found = run(*paths, threads, None, TEXT_COLUMNS if form == "texts" else [])
        del found["answers"]
        with open(test) as lines:
            rows = sum(1 for line in lines) - (form == "rows")
        found = {**found.pop("figures"), **found}
    else:
        learned, asked = weighed(train, test) if form == "texts" else map(Rows, (train, test))
        cut = cut_of(learned.Y)
        asked.answers = max(5, cut)
        found = mean([peer_run(run, learned, asked, cut, threads) for _ in range(DRAWS if run.differs else 1)])
        found["peak_mb"] = peak_megabytes()
        rows = len(asked.Y)
    return {**found, "predict_us": 1e6 * found["predict_cpu"] / rows, "load": os.getloadavg()[0]}


def peer_run(run, learned, asked, cut, threads):
    from rows import macro_f1, precision

    found = run(learned, asked, threads, None)
    answers = found.pop("answers")
    return {**precision(answers, asked.Y), "macro_f1": macro_f1(answers, asked.Y, cut), **found}


def mean(runs):
    """The mean of each figure of several runs; P@1 of each run is kept, too."""
    if len(runs) == 1:
        return runs[0]
    told = {field: sum(run[field] for run in runs) / len(runs) for field in runs[0]}
    return {**told, "p1_of_runs": [run["p1"] for run in runs]}


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
        self.command = shutil.which(os.environ.get("HAPAX", "hapax"))
        self.binary = self.binary_now()
        self.versions, self.missing = {}, []

    def binary_now(self):
        return sets.sha256(self.command) if self.command else None

    def described(self, system, files):
        """What a result depends on."""
        run = self.systems[system]
        if system not in self.versions:
            self.versions[system] = run.version()
        seed = [] if self.options.seed is None else ["--seed", str(self.options.seed)]
        ours = is_ours(system)
        draws = {"draws": DRAWS} if run.differs else {}
        told = {
            "train_sha256": files["train_sha256"],
            "test_sha256": files["test_sha256"],
            "system": system,
            "version": self.versions[system],
            "options": run.options + seed if ours else {**run.options, **draws},
            "binary": self.binary if ours else None,
            "threads": self.options.threads,
        }
        return {"key": results.key(**told), **told}

    def result(self, name, variant, form, files, system):
        """A result that is there, or is measured now; none if the system cannot do it, which is said."""
        told = self.described(system, files)
        label = f"{name}{variant and ' ' + variant}, {form}, {system}"
        if told["key"] in self.known:
            return self.known[told["key"]]
        if self.options.table:
            return self.miss(label, "no result yet")
        seed = "" if self.options.seed is None else str(self.options.seed)
        arguments = [system, files["train"], files["test"], form, str(self.options.threads), seed]
        try:
            command = [sys.executable, os.path.join(HERE, "regret.py"), "--alone", *arguments]
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.seconds)
        except subprocess.TimeoutExpired:
            return self.miss(label, f"more than {self.options.seconds} s")
        if done.returncode != 0:
            why = (done.stderr.strip() or "no message").splitlines()[-1]
            return self.miss(label, why)
        if is_ours(system) and self.binary_now() != self.binary:
            sys.exit(f"regret.py: {self.command} was built again while it was measured; start again, or measure a copy")
        found = json.loads(done.stdout.splitlines()[-1])
        date = datetime.date.today().isoformat()
        where = {"set": name, "variant": variant, "form": form}
        line = {**told, **where, **found, "date": date, "machine": machine()}
        self.known[told["key"]] = line
        results.append(self.path, line)
        print(f"{label}: P@1 {line['p1']:.2f}, {line['train_cpu']:.1f} CPU s", file=sys.stderr, flush=True)
        return line

    def miss(self, label, why):
        """Notes that there is no result, which the report says, too."""
        why = why.replace(self.options.work, "WORK")
        self.missing.append(f"{label}: {why}")
        print(f"regret.py: {label}: {why}", file=sys.stderr)

    def run(self, work):
        """Results in the order of the work, those of one set in a row."""
        found = []
        for name, variant, form, files in work:
            peers = self.options.peers if form == "rows" else self.options.text_peers
            found += [self.result(name, variant, form, files, system) for system in [*peers, *self.options.ours]]
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
    parser.add_argument("--text-peers", default=TEXT_PEERS, help="those on words and characters of texts", **listed)
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

    unknown = set(options.ours + options.peers + options.text_peers) - set(SYSTEMS)
    if unknown:
        parser.error(f"no such system: {', '.join(sorted(unknown))}; there are {', '.join(SYSTEMS)}")
    command = os.environ.get("HAPAX", "hapax")
    if options.ours and not shutil.which(command):
        parser.error(f"{command}: no such command; $HAPAX is its path")
    for variable in LIBRARIES:
        os.environ[variable] = str(options.threads)
    bench = Bench(options)
    found = bench.run(work_list(options, os.path.join(options.work, "sets")))
    seed = SEED if options.seed is None else options.seed
    head = {"date": datetime.date.today().isoformat(), "machine": machine(), "seed": seed, "threads": options.threads}
    print(tables.report(found, options.ours, options.peers + options.text_peers, head, bench.missing))


if __name__ == "__main__":
    main()
