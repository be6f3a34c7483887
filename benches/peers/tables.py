"""The regret of hapax, from results, as Markdown."""

# (title, field of a result): what regret is told of.
FIGURES = [("P@1", "p1"), ("P@5", "p5"), ("macro-F1", "macro_f1")]

# What peers reach with better settings than their defaults, where it is known: set, system, P@1,
# P@3, P@5. Measured on 2026-11-20 with omikuji 0.5.1: `attentionxml`, on the whole rows of
# eurlex57k.
BEST_KNOWN = [
    ("eurlex57k", "omikuji attentionxml", 91.03, 81.59, 68.59),
]


def best_known(name, variant):
    """Known results of a set, which are of its whole rows only."""
    if variant:
        return []
    fields = ("set", "system", "p1", "p3", "p5")
    return [dict(zip(fields, line)) for line in BEST_KNOWN if line[0] == name]


def best_of(peers, field):
    """The highest figure of peers, none if no peer has it."""
    return max((line[field] for line in peers if line.get(field) is not None), default=None)


def regrets(found, system, form, peers):
    """Of each set that the system was measured on: names, the best peer's figures, ours and our regrets by field, and
    the result lines of ours and of the first peer. Peers may learn from the rows or from what `form` says. Sets without
    any peer are left out."""
    by_set = {}
    for line in found:
        by_set.setdefault((line["set"], line["variant"]), []).append(line)
    rows = []
    for (name, variant), lines in by_set.items():
        ours = [line for line in lines if line["system"] == system and line["form"] == form]
        theirs = [line for line in lines if line["system"] in peers and line["form"] in ("rows", form)]
        if not ours or not theirs:
            continue
        first = [line for line in theirs if line["system"] == peers[0]]
        first.sort(key=lambda line: line["form"] != form)
        row = {"set": name, "variant": variant, "ours": ours[0], "first_peer": first[0] if first else None, "best": {}}
        row["regret"] = {}
        for _, field in FIGURES:
            best = best_of([*theirs, *best_known(name, variant)], field)
            if best is not None:
                row["best"][field] = best
                row["regret"][field] = round(best - ours[0][field], 2)
        rows.append(row)
    return rows


def summary(rows, field):
    """The mean and the largest regret, the set of the largest, and on how many sets ours is ahead (or level)."""
    of_sets = [(row["regret"][field], title(row)) for row in rows if field in row["regret"]]
    if not of_sets:
        return None
    values = [value for value, _ in of_sets]
    largest, worst = max(of_sets)
    return {
        "mean": sum(values) / len(values),
        "largest": largest,
        "worst": worst,
        "ahead": sum(value < 0 for value in values),
        "level": sum(value == 0 for value in values),
        "sets": len(values),
    }


def title(row):
    return row["set"] + (f" ({row['variant']})" if row["variant"] else "")


def table(header, lines):
    """A Markdown table: the first column is text, the others are numbers."""
    rows = [header, *lines]
    marks = "|---|" + "---:|" * (len(header) - 1)
    text = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([text[0], marks, *text[1:]])


def summary_table(tables):
    header = ["hapax"]
    for name, _ in FIGURES:
        header += [f"{name}: mean regret", "largest", "ahead"]
    lines = []
    for label, rows in tables:
        line = [label]
        for _, field in FIGURES:
            told = summary(rows, field)
            if told is None:
                line += [""] * 3
                continue
            level = f", {told['level']} level" if told["level"] else ""
            of = f"{told['ahead']} of {told['sets']}{level}"
            line += [f"{told['mean']:+.2f}", f"{told['largest']:+.2f} {told['worst']}", of]
        lines.append(line)
    return table(header, lines)


def set_table(rows, first_peer):
    """A line for each set: what the best peer reaches, what hapax does, what both cost."""
    header = ["set"]
    for name, _ in FIGURES:
        header += [f"{name}: best peer", "hapax", "regret"]
    header += ["train CPU s: hapax", first_peer, "MB: hapax", first_peer]
    lines = []
    for row in rows:
        ours, peer = row["ours"], row["first_peer"]
        line = [title(row)]
        for _, field in FIGURES:
            if field in row["best"]:
                line += [f"{row['best'][field]:.2f}", f"{ours[field]:.2f}", f"{row['regret'][field]:+.2f}"]
            else:
                line += ["", f"{ours[field]:.2f}", ""]
        line += [f"{ours['train_cpu']:.1f}", f"{peer['train_cpu']:.1f}" if peer else ""]
        line += [f"{ours['bytes'] / 1e6:.2f}", f"{peer['bytes'] / 1e6:.2f}" if peer else ""]
        lines.append(line)
    return table(header, lines)


def both_table(rows, texts):
    """A line for each set: the best peer and hapax on its rows, and on the texts that rows were made of. P@5 has no room
    here."""
    fields = [FIGURES[0], FIGURES[2]]
    of_texts = {title(row): row for row in texts}
    header = ["set"]
    for name, _ in fields:
        header += [f"{name}, rows: best peer", "hapax", f"{name}, texts: best peer", "hapax"]
    lines = []
    for row in rows:
        line = [title(row)]
        for _, field in fields:
            for of in (row, of_texts.get(title(row))):
                best = of["best"].get(field) if of else None
                line += ["" if best is None else f"{best:.2f}", f"{of['ours'][field]:.2f}" if of else ""]
        lines.append(line)
    return table(header, lines)


def peer_table(found, peers):
    """The figures of the peers themselves."""
    header = ["set", "system", "P@1", "P@3", "P@5", "macro-F1", "train CPU s", "predict us", "MB"]
    lines = []
    for line in found:
        if line["system"] in peers:
            figures = [f"{line[field]:.2f}" for field in ("p1", "p3", "p5", "macro_f1")]
            costs = [f"{line['train_cpu']:.2f}", f"{line['predict_us']:.0f}", f"{line['bytes'] / 1e6:.2f}"]
            of = ", texts" if line["form"] == "texts" else ""
            lines.append([title(line), f"{line['system']} {line['version']}{of}", *figures, *costs])
    return table(header, lines)


def report(found, ours, peers, head, missing=()):
    """All of it. Whole sets and those made of them are summed up apart. Missing results are named: without them means
    are of fewer sets, and the best peer may be another one."""
    by_name = sorted(found, key=lambda line: (line["set"], line["variant"]))
    where = f"{head['date']}, {head['machine']}, seed {head['seed']}, threads {head['threads']}"
    parts = ["# Regret", f"{where}. Regret is the best peer's figure less ours: negative is ahead."]
    made = []
    for system in ours:
        for form in ("rows", "texts"):
            rows = regrets(by_name, system, form, peers)
            for label, chosen in (
                (f"{system}, {form}", [row for row in rows if not row["variant"]]),
                (f"{system}, {form}, variants", [row for row in rows if row["variant"]]),
            ):
                if chosen:
                    made.append((label, chosen))
    if made:
        parts += ["## Summary", summary_table(made)]
    forms = dict(made)
    for system in ours:
        if f"{system}, rows" in forms:
            rows, texts = forms[f"{system}, rows"], forms.get(f"{system}, texts", [])
            parts += [f"## {system} in one table", both_table(rows, texts)]
    if missing:
        parts += ["## Not measured", "\n".join("- " + line for line in missing)]
    for label, rows in made:
        parts += [f"## {label}", set_table(rows, peers[0])]
    parts += ["## Peers", peer_table(by_name, peers)]
    return "\n\n".join(parts)
