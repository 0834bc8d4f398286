"""Runs the reference workloads and sets each beside the system that it comes from; see scripts/bench.

A workload is a function of WORKLOADS that yields measurements. Wall times are medians or the best of
a few, since timings of a shared machine say little alone; shares of the bare loop are of the same minute.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLOORS = ROOT / "benches" / "throughput_floor.json"
REPEATS = 3

# Rates of the reference systems, a second, from their own reports or measured beside ours.
GMAT_SWEEP = 79.1  # W1, MPI and 8 workers
IPYPARALLEL = {2: 32_000 / 43.2, 32: 32_000 / 37.3}  # W3, there and back
ROUND_TRIP = 1 / 1.75e-3  # W3, one request to one engine of ipyparallel
MPI4PY_FUTURES = {2: 4_700.0, 8: 7_000.0}  # W3, one index a task, on two cores
MPI4PY_CHUNKS = 561_000.0  # W3, chunks of 100
GMAT_HEAVY = 4.0  # W1H, the GMAT engine, measured beside ours on the machine of the figures in README.md
ARMONIK = 550.0  # W4, 30 workers on 48 vCPU


def measurement(workload, variant, ranks, n, wall_s, correct, reference_rate=None, **more):
    """One line of the output; `reference_rate` is the rate of the system that the workload comes from."""
    rate = n / wall_s
    return {
        "workload": workload,
        "variant": variant,
        "ranks": ranks,
        "n": n,
        "wall_s": wall_s,
        "rate_per_s": rate,
        "correct": correct,
        "reference_rate_per_s": reference_rate,
        "ratio": rate / reference_rate if reference_rate else None,
        **more,
    }


def all_ok(runs, n):
    """Whether all runs were flown in one go and are ok."""
    return runs == {"ok": n, "not_ok": 0, "reused": 0, "left": 0}


def sweep(programs, ranks, config, n, *options):
    """The shortest wall time of a sweep, s, mpirun included, and whether all of its runs are ok."""
    best, correct = float("inf"), True
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "bench.h5"
        command = ["mpirun", "-n", str(ranks), programs.sweep_mpi, str(ROOT / "configs/reference" / config)]
        command += ["-q", "--overwrite", "--output", str(output), *options]
        for _ in range(REPEATS):
            start = time.perf_counter()
            code = subprocess.run(command, check=False).returncode
            best = min(best, time.perf_counter() - start)
            if code > 1:
                raise SystemExit(f"scripts/bench: {' '.join(command)} ended with exit code {code}")
            runs = json.loads(Path(f"{output}.log.json").read_text())["runs"]
            correct = correct and all_ok(runs, n)
    return best, correct


def w1(programs):
    wall, correct = sweep(programs, 9, "w1.toml", 1000)
    yield measurement("w1", "sweep of 1000 runs", 9, 1000, wall, correct, GMAT_SWEEP, reference="gmat-sweep, 8 workers")


def w1h(programs):
    n = 1000
    for ranks, lanes in [(3, 8)] if programs.gate else [(1, 1), (1, 8), (3, 8), (9, 8)]:
        options = ["--lanes", "1"] if lanes == 1 else []
        wall, correct = sweep(programs, ranks, "w1_heavy.toml", n, *options)
        variant = f"a day at 20x20, {lanes} lane{'s' if lanes > 1 else ''}"
        yield measurement("w1h", variant, ranks, n, wall, correct, GMAT_HEAVY, reference="the GMAT engine")


def w1_million(programs):
    n = 1_000_000
    for ranks, lanes in [(3, 8)] if programs.gate else [(3, 8), (1, 8), (9, 8), (3, 1)]:
        options = ["--lanes", "1"] if lanes == 1 else []
        wall, correct = sweep(programs, ranks, "w1_million.toml", n, *options)
        variant = f"{lanes} lane{'s' if lanes > 1 else ''}"
        yield measurement("w1_million", variant, ranks, n, wall, correct)


def flown(programs, ranks, config, n):
    """The sidecar of the fastest of some sweeps, its result file, and whether all runs were ok each time."""
    best, correct = None, True
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(REPEATS):
            output = Path(folder) / f"bench{repeat}.h5"
            command = ["mpirun", "-n", str(ranks), programs.sweep_mpi, str(ROOT / "configs/reference" / config)]
            command += ["-q", "--output", str(output)]
            code = subprocess.run(command, check=False).returncode
            if code > 1:
                raise SystemExit(f"scripts/bench: {' '.join(command)} ended with exit code {code}")
            sidecar = json.loads(Path(f"{output}.log.json").read_text())
            correct = correct and all_ok(sidecar["runs"], n)
            journals = [Path(name).read_text() for name in sorted(Path(folder).glob(f"{output.name}.jobs.*.jsonl"))]
            if best is None or sidecar["wall_s"]["fly"] < best[0]["wall_s"]["fly"]:
                best = (sidecar, journals)
    return best[0], best[1], correct


def w2(programs):
    n = 1000
    sidecar, journals, correct = flown(programs, 9, "w2.toml", n)
    events = [json.loads(line) for text in journals for line in text.splitlines()]
    created = [event["created"] for event in events if event.get("created")]
    started = [event["time"] for event in events if event.get("step") == "program"]
    # every job handed out is there, and ended once
    ended = [event["run"] for event in events if event.get("state") in ("done", "failed", "canceled")]
    correct = correct and sorted(ended) == list(range(n)) and len(started) == n
    submit = max(started) - min(created)
    wall = sidecar["wall_s"]["fly"]
    yield measurement("w2", "1000 sleeps, submitted", 9, n, submit, correct, 1000 / 17.3, reference="SAGA fork://")
    yield measurement("w2", "1000 sleeps, all ended", 9, n, wall, correct)


def w4(programs):
    runs = 7
    sidecar, _, correct = flown(programs, 9, "w4.toml", runs)
    tasks = 14_973 * runs
    wall = sidecar["wall_s"]["fly"]
    yield measurement("w4", "HtcMock, mean of 7", 9, tasks, wall, correct, ARMONIK, reference="ArmoniK, 30 workers")


def w3(programs):
    for workers in [2] if programs.gate else [1, 2, 8, 32]:
        command = ["mpirun", "-n", str(workers + 1), programs.wire]
        command += ["bare", "one_index", "automatic", "round_robin", "round_trip"]
        if workers == 2 and not programs.gate:
            command += ["one_index_many", "automatic_many"]
        out = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True)
        if out.returncode != 0:
            raise SystemExit(f"scripts/bench: {' '.join(command)} ended with exit code {out.returncode}")
        lines = [json.loads(line) for line in out.stdout.splitlines()]
        bare = {line["in_flight"]: line["rate_per_s"] for line in lines if line["case"] == "bare"}
        for line in lines:
            yield from w3_line(line, workers, bare)


def w3_line(line, workers, bare):
    """What a line of benches/wire.rs says of the workload; its leader has checked that all came back."""
    variants = {
        "one_index": ("one index an order", MPI4PY_FUTURES, "mpi4py.futures, one index a task"),
        "one_index_many": ("one index an order, 10^7", {}, None),
        "automatic": ("automatic chunks", dict.fromkeys([2, 8], MPI4PY_CHUNKS), "mpi4py.futures, chunks of 100"),
        "automatic_many": ("automatic chunks, 10^7", {}, None),
        "round_robin": ("round robin", IPYPARALLEL, "ipyparallel"),
    }
    case, ranks = line["case"], workers + 1
    if case == "round_trip":
        if workers == 1:
            more = {"reference": "ipyparallel", "p99_s": line["p99_s"]}
            yield measurement("w3", "round trip of one request", ranks, 1, line["p50_s"], True, ROUND_TRIP, **more)
        return
    if case == "bare":
        variant = f"bare loop, {line['in_flight']} in flight"
        yield measurement("w3", variant, ranks, line["n"], line["wall_s"], True)
        return
    variant, references, name = variants[case]
    more = {key: line[key] for key in ("out_per_s", "back_per_s", "every_1000_s", "resident_kb") if key in line}
    if "automatic" not in case:
        more["share_of_bare_1"] = line["rate_per_s"] / bare[1]
        more["share_of_bare_8"] = line["rate_per_s"] / bare[8]
    reference = references.get(workers)
    if reference:
        more["reference"] = name
    yield measurement("w3", variant, ranks, line["n"], line["wall_s"], True, reference, **more)


WORKLOADS = {"w1": w1, "w1h": w1h, "w1_million": w1_million, "w2": w2, "w3": w3, "w4": w4}


def told(line):
    """A measurement as a person reads it."""
    time_s = line["wall_s"]
    wall = f"{time_s:9.3f} s " if time_s > 1e-3 else f"{time_s * 1e6:9.2f} us"
    text = f"{line['workload']:<11}{line['variant']:<27}{line['ranks']:>3} ranks {wall} {line['rate_per_s']:>16,.0f} /s"
    if line["ratio"]:
        text += f"  {line['ratio']:>9,.1f} x {line['reference']} ({line['reference_rate_per_s']:,.0f} /s)"
    if "share_of_bare_1" in line:
        text += f"  {line['share_of_bare_1']:.2f} of the bare loop, {line['share_of_bare_8']:.2f} with 8 in flight"
    return text if line["correct"] else text + "  WRONG"


def check_floors(lines, floors, workloads):
    """What is below its floor, a sentence each."""
    wrong = []
    for workload in workloads:
        floor = floors.get(workload)
        if floor is None:
            wrong.append(f"{workload}: no floor")
            continue
        of = (line for line in lines if all(line[key] == floor[key] for key in ("variant", "ranks")))
        line = next((line for line in of if line["workload"] == workload), None)
        if line is None:
            wrong.append(f"{workload}: `{floor['variant']}` on {floor['ranks']} ranks was not measured")
        elif line["rate_per_s"] < floor["rate_per_s"]:
            wrong.append(f"{workload}: {line['rate_per_s']:.0f} /s is below the floor of {floor['rate_per_s']} /s")
    return wrong


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures the reference workloads on this machine; `cargo bench` measures single calls.",
    )
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--gate", action="store_true", help="measure what has a floor only; exit code 1 if below it")
    parser.add_argument("--floors", type=Path, default=FLOORS, metavar="FILE", help="floors of --gate (%(default)s)")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--sweep-mpi", help=argparse.SUPPRESS)
    parser.add_argument("--wire", help=argparse.SUPPRESS)
    words = parser.parse_args()
    for name in words.workloads:
        if name not in WORKLOADS:
            parser.error(f"`{name}` is no workload: one of {', '.join(WORKLOADS)}")
    words.workloads = list(dict.fromkeys(words.workloads)) or list(WORKLOADS)
    return words


def main():
    words = arguments()
    if words.check:
        return 0
    lines = []
    for name in words.workloads:
        for line in WORKLOADS[name](words):
            lines.append(line)
            print(json.dumps(line) if words.json else told(line), flush=True)
    wrong = [f"{line['workload']}: `{line['variant']}` gave a wrong answer" for line in lines if not line["correct"]]
    if words.gate:
        wrong += check_floors(lines, json.loads(words.floors.read_text()), words.workloads)
    for sentence in wrong:
        print(f"scripts/bench: {sentence}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main())
