#!/usr/bin/env python3
"""Draws docs/scaling.svg from docs/scaling.csv and prints the table of docs/scaling.md.

    cargo bench --bench scaling > docs/scaling.csv && python3 docs/scaling.py
"""

import csv
import math
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
COLOURS = {1e-6: "#0072b2", 1e-4: "#009e73", 1e-2: "#d55e00", 1.0: "#cc79a7"}
NAMES = {1e-6: "1 us", 1e-4: "100 us", 1e-2: "10 ms", 1.0: "1 s"}
# Chunks as the config names them, title, and the lowest efficiency of the panel.
PANELS = [("auto", "chunks of measured size", 0.9), ("1", "one run an order", 0.0)]
WIDTH, HEIGHT, LEFT, TOP, GAP = 360, 260, 60, 40, 70


def x_of(panel, workers):
    return LEFT + panel * (WIDTH + GAP) + WIDTH * math.log10(workers) / 4


def y_of(panel, efficiency):
    return TOP + HEIGHT * (1 - efficiency) / (1 - PANELS[panel][2])


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{words}</text>'


def line(x1, y1, x2, y2, more):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {more}/>'


def figure(rows):
    full = LEFT + 2 * WIDTH + GAP + 20
    tall = TOP + HEIGHT + 90
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full} {tall}" width="{full}" height="{tall}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{full}" height="{tall}" fill="white"/>',
    ]
    for panel, (chunk, title, lowest) in enumerate(PANELS):
        parts.append(text(x_of(panel, 100), TOP - 14, title, more='font-weight="bold"'))
        for power in range(5):
            x = x_of(panel, 10**power)
            parts.append(line(x, TOP, x, TOP + HEIGHT, 'stroke="#ddd"'))
            parts.append(text(x, TOP + HEIGHT + 17, f"{10**power:,}".replace(",", " ")))
        for tick in range(6):
            efficiency = lowest + (1 - lowest) * tick / 5
            y = y_of(panel, efficiency)
            parts.append(line(x_of(panel, 1), y, x_of(panel, 10_000), y, 'stroke="#ddd"'))
            parts.append(text(x_of(panel, 1) - 8, y + 4, f"{efficiency:.2f}", "end"))
        parts.append(text(x_of(panel, 100), TOP + HEIGHT + 36, "workers"))
        for wire, dash in [("shared memory", ""), ("cautious", 'stroke-dasharray="5 4"')]:
            for run, colour in COLOURS.items():
                points = [
                    f"{x_of(panel, int(row['workers'])):.1f},{y_of(panel, float(row['efficiency'])):.1f}"
                    for row in rows
                    if row["chunk"] == chunk and row["wire"] == wire and float(row["run_s"]) == run
                ]
                parts.append(
                    f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2" {dash}/>'
                )
    middle = TOP + HEIGHT / 2
    parts.append(text(16, middle, "efficiency", more=f'transform="rotate(-90 16 {middle:.0f})"'))
    x, y = LEFT, TOP + HEIGHT + 66
    for run, colour in COLOURS.items():
        parts.append(line(x, y - 4, x + 24, y - 4, f'stroke="{colour}" stroke-width="3"'))
        parts.append(text(x + 30, y, f"{NAMES[run]} a run", "start"))
        x += 112
    for name, dash in [("as in shared memory", ""), ("slow wire and leader", 'stroke-dasharray="5 4"')]:
        parts.append(line(x, y - 4, x + 24, y - 4, f'stroke="#444" stroke-width="2" {dash}'))
        parts.append(text(x + 30, y, name, "start"))
        x += 168
    parts.append("</svg>\n")
    return "\n".join(parts)


def table(rows):
    workers = [1, 100, 1000, 3000, 10_000]
    print("| orders | wire | run | " + " | ".join(f"{n}" for n in workers) + " |")
    print("|---|---|---|" + "---|" * len(workers))
    for chunk, title, _ in PANELS:
        for wire in ["shared memory", "cautious"]:
            for run, name in NAMES.items():
                cells = [
                    f"{float(row['efficiency']):.3f}"
                    for n in workers
                    for row in rows
                    if row["chunk"] == chunk
                    and row["wire"] == wire
                    and float(row["run_s"]) == run
                    and int(row["workers"]) == n
                ]
                print(f"| {title} | {wire} | {name} | " + " | ".join(cells) + " |")


def main():
    with open(FOLDER / "scaling.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["what"] == "simulated"]
    (FOLDER / "scaling.svg").write_text(figure(rows))
    table(rows)


main()
