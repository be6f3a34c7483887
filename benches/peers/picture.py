"""Draws what compare.py measured: a dot for each system and figure, in panels that share their rows.

    python picture.py LINES.jsonl DATA OUT.svg

LINES.jsonl is what `compare.py --jsonl` wrote, DATA the name of one data set in it. Of a system measured more than once
the last line counts. Precision is on a linear scale, where right is better; the others are logarithmic, where left is.
"""

import json
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of what draws)

PANELS = [
    ("p1", "P@1, percent", "{:.2f}", False),
    ("train_cpu", "training, CPU seconds", "{:.1f}", True),
    ("predict_us", "a row in a batch, µs", "{:.0f}", True),
    ("megabytes", "model, MB", "{:.2f}", True),
]
OURS, OTHERS = "#0b6e4f", "#6b7280"


def measured(path, data):
    """The last line of each system for `data`, the most precise first."""
    systems = {}
    with open(path) as file:
        for line in map(json.loads, file):
            if line["data"] == data:
                systems[line["system"]] = {**line, "megabytes": line["bytes"] / 1e6}
    return sorted(systems.values(), key=lambda line: -line["p1"])


def draw_panel(axes, lines, field, title, form, logarithmic):
    values = [line[field] for line in lines]
    for row, (line, value) in enumerate(zip(lines, values)):
        color = OURS if line["system"].startswith("hapax") else OTHERS
        axes.plot(value, row, "o", color=color, markersize=7)
        axes.annotate(form.format(value), (value, row), xytext=(0, 7), textcoords="offset points",
                      ha="center", fontsize=8, color=color)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 2, max(values) * 2)
    else:
        room = 0.15 * (max(values) - min(values) or 1)
        axes.set_xlim(min(values) - room, max(values) + room)
    axes.set_title(title, fontsize=9)
    axes.tick_params(axis="x", labelsize=7, which="both")
    axes.grid(axis="y", color="#e5e7eb")
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    path, data, out = sys.argv[1:]
    lines = measured(path, data)
    if not lines:
        sys.exit(f"{path} has no line for {data}")
    # Equal figures give equal bytes; letters stay letters.
    plt.rcParams.update({"svg.hashsalt": "hapax", "svg.fonttype": "none", "font.family": "sans-serif"})
    figure, panels = plt.subplots(1, len(PANELS), sharey=True, figsize=(10, 0.9 + 0.38 * len(lines)))
    for axes, panel in zip(panels, PANELS):
        draw_panel(axes, lines, *panel)
    panels[0].set_yticks(range(len(lines)), [f"{line['system']} {line['version']}" for line in lines], fontsize=9)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
    panels[0].set_ylim(len(lines) - 0.5, -0.7)
    threads = lines[0]["threads"]
    figure.suptitle(f"{data}, {threads} thread{'s' if threads > 1 else ''}", fontsize=10)
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
