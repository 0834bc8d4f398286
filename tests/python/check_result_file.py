#!/usr/bin/env python3
"""Opens a result file as its users would, and checks what the format promises.

    check_result_file.py OUT.h5 --config CONFIG --mission SCRIPT [--not-ok 1,3] [--w1 sweep_w1.json]

Prints what is wrong, then how many checks passed and failed; exit code 1 if any failed.
"""

import argparse
import json
import pathlib
import re
import struct
import sys
import warnings
import zlib

import h5py
import numpy as np
import xarray as xr

ENGINES = ("h5netcdf", "netcdf4")
STATUS = "not_run ok failed timeout diverged invalid_input impact".split()
OK = STATUS.index("ok")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Words that some xarray turns into times; the format writes s, d, h instead.
TIME_WORDS = {"days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"}
# HDF5's own bookkeeping of dimension scales: references, which have variable length.
SCALE_ATTRIBUTES = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS"}

passed, failed = 0, 0


def need(condition, what):
    """Counts one check, and prints what is wrong."""
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}")


def is_nan(values):
    return bool(np.isnan(values).all())


def same_bits(a, b):
    """Whether two arrays have equal bits: tells -0 from 0, and a NaN is equal to itself."""
    return np.array_equal(np.ascontiguousarray(a).view(np.uint64), np.ascontiguousarray(b).view(np.uint64))


def open_quietly(path, engine, group=None):
    """A loaded data set, opened without any keyword; a warning is a failure."""
    where = f"{engine}, /{group or ''}"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            data = xr.open_dataset(path, engine=engine, **({"group": group} if group else {})).load()
        except Exception as error:  # whatever a reader raises is a finding
            need(False, f"{where}: cannot be opened: {error!r}")
            return None
    # numpy and a library built for another of its versions: not about this file.
    texts = [str(warning.message) for warning in seen if "size changed" not in str(warning.message)]
    need(not texts, f"{where}: warnings {texts}")
    phony = [name for name in data.dims if str(name).startswith("phony")]
    need(not phony, f"{where}: dimensions without a scale: {phony}")
    return data


def check_root(data, engine, not_ok):
    """Attributes, coordinates, flags, units and NaN, as xarray shows them."""
    attributes = data.attrs
    need(attributes.get("Conventions") == "CF-1.11", f"{engine}: Conventions")
    need(attributes.get("format_version") == 1, f"{engine}: format_version")
    need(re.fullmatch(r"sweep-mpi \d+\.\d+\.\d+\S*", attributes.get("source", "")), f"{engine}: source")
    need(re.fullmatch(r"[0-9a-f]{64}", attributes.get("plan_sha256", "")), f"{engine}: plan_sha256")
    need(attributes.get("title") and attributes.get("sweep_id"), f"{engine}: title or sweep_id")

    runs = data.sizes["run"]
    need(data["run"].dtype == np.int64, f"{engine}: run is {data['run'].dtype}")
    need(np.array_equal(data["run"], np.arange(runs)), f"{engine}: run is not 0..N-1")
    parameters = [name for name, values in data.coords.items() if name != "run" and values.dims == ("run",)]
    need(parameters, f"{engine}: no swept parameter is a coordinate")

    status = data["status"]
    need(status.dtype == np.int8, f"{engine}: status is {status.dtype}")
    need(status.attrs.get("flag_meanings", "").split() == STATUS, f"{engine}: flag_meanings of status")
    need(np.array_equal(status.attrs.get("flag_values"), range(len(STATUS))), f"{engine}: flag_values of status")
    need("_FillValue" not in status.encoding, f"{engine}: status has a fill value")
    need(not (status == 0).any(), f"{engine}: some runs were not flown")
    found = np.flatnonzero(status != OK).tolist()
    need(found == not_ok, f"{engine}: runs {found} are not ok, expected {not_ok}")

    codes = data["error_code"]
    names = codes.attrs.get("flag_meanings", "").split()
    need(len(names) == len(np.atleast_1d(codes.attrs.get("flag_values", []))), f"{engine}: flags of error_code")
    need(np.isin(codes, codes.attrs.get("flag_values", [])).all(), f"{engine}: an error_code has no name")
    need(((codes == 0) == (status == OK)).all(), f"{engine}: error_code and status contradict")

    for name, values in data.variables.items():
        need(NAME.fullmatch(name), f"{engine}: {name} is no name")
        need(values.dtype.kind not in "mM", f"{engine}: {name} has become a time")
        need("long_name" in values.attrs, f"{engine}: {name} has no long_name")
        need(values.attrs.get("units") not in TIME_WORDS, f"{engine}: units of {name}")
        if values.dtype.kind == "f":
            need("units" in values.attrs and "gmat_name" in values.attrs, f"{engine}: {name} has no units or gmat_name")
        if "gmat_format" in values.attrs:
            scale = values.attrs.get("time_scale")
            need(values.attrs.get("units") == "d" and scale in {"A1", "TAI", "TT", "TDB", "UTC"}, f"{engine}: date {name}")
    outputs = {name: values for name, values in data.data_vars.items() if values.dtype.kind == "f"}
    need(outputs, f"{engine}: no outputs")
    for name, values in outputs.items():
        need(values.dtype == np.float64, f"{engine}: {name} is {values.dtype}")
        need(is_nan(values.encoding.get("_FillValue", 0.0)), f"{engine}: fill value of {name}")
        need(set(parameters) <= set(values.coords), f"{engine}: {name} lacks a coordinate")
        if not_ok:
            need(is_nan(values.values[not_ok]), f"{engine}: {name} has numbers in runs that are not ok")
        ok = values.values[status.values == OK]
        need(not np.isnan(ok if ok.ndim == 1 else ok[:, 0]).any(), f"{engine}: {name} is NaN in a run that is ok")


def check_reports(data, engine):
    """Rows: counted, padded with NaN, the last one kept is the end of the run."""
    ok = data["status"].values == OK
    reports = [name.removesuffix("_rows") for name in data.data_vars if name.endswith("_rows")]
    for report in reports:
        rows, step = data[f"{report}_rows"], f"{report}_step"
        need(rows.dtype == np.int32 and rows.dims == ("run",), f"{engine}: {report}_rows")
        need((rows.values[ok] > 0).all(), f"{engine}: {report} has no rows in a run that is ok")
        columns = {name: values for name, values in data.data_vars.items() if values.dims == ("run", step)}
        need(columns, f"{engine}: {report} has no columns")
        kept = np.minimum(rows.values, data.sizes[step])
        padding = np.arange(data.sizes[step])[None, :] >= kept[:, None]
        finals = {v.attrs.get("gmat_name"): v for v in data.data_vars.values() if v.dims == ("run",)}
        for name, values in columns.items():
            need(name.startswith(report), f"{engine}: {name} does not begin with {report}")
            need(np.array_equal(np.isnan(values.values), padding), f"{engine}: {name} is not NaN beyond its rows alone")
            final = finals.get(values.attrs.get("gmat_name"))
            if final is not None and ok.any():
                last = values.values[np.flatnonzero(ok), kept[ok] - 1]
                need(same_bits(last, final.values[ok]), f"{engine}: the last row of {name} is not {final.name}")
    return reports


def check_groups(path, engine, data, not_ok):
    """/failures names the runs that are not ok, /axes spans the grid."""
    failures = open_quietly(path, engine, "failures")
    if failures is not None:
        need(int(failures["count"]) == len(not_ok), f"{engine}: /failures/count")
        used = failures["run"].values >= 0
        need(failures["run"].values[used].tolist() == not_ok[: used.size], f"{engine}: /failures/run")
        messages = [str(text) for text in np.atleast_1d(failures["message"].values)]
        need(all(bool(text) == bool(flag) for text, flag in zip(messages, used)), f"{engine}: /failures/message")
    with h5py.File(path) as file:
        has_axes = "axes" in file
    axes = open_quietly(path, engine, "axes") if has_axes else None
    if axes is not None:
        names = [name for name in data["status"].encoding.get("coordinates", "").split() if name in axes.variables]
        need(set(names) == set(axes.dims), f"{engine}: /axes has other names than the parameters")
        shape = np.atleast_1d(axes.attrs["shape"]).tolist()
        need(shape == [axes.sizes[name] for name in names], f"{engine}: shape of /axes")
        need(axes.attrs.get("order") == "C" and np.prod(shape) == data.sizes["run"], f"{engine}: order of /axes")
        grid = np.meshgrid(*(axes[name].values for name in names), indexing="ij")
        for name, values in zip(names, grid):
            need(same_bits(values.ravel(), data[name].values), f"{engine}: {name} does not run through its axis")


def check_types(path):
    """Numbers and texts of fixed length only: what every netCDF-4 library reads and ranks can write."""

    def simple(datatype):
        kind = datatype.get_class()
        if kind == h5py.h5t.STRING:
            fixed = not datatype.is_variable_str() and datatype.get_strpad() == h5py.h5t.STR_NULLTERM
            return fixed and datatype.get_cset() == h5py.h5t.CSET_UTF8
        return kind in (h5py.h5t.INTEGER, h5py.h5t.FLOAT)

    def visit(name, item):
        for attribute in item.attrs:
            if attribute not in SCALE_ATTRIBUTES:
                need(simple(item.attrs.get_id(attribute).get_type()), f"h5py: attribute {attribute} of /{name}")
        if isinstance(item, h5py.Dataset):
            single = item.dtype == np.dtype("S1")  # characters: no padding to speak of
            need(single or simple(item.id.get_type()), f"h5py: /{name} is neither numbers nor a text of fixed length")
            need(item.maxshape == item.shape, f"h5py: /{name} can grow")
            need(item.id.get_create_plist().get_nfilters() == 0, f"h5py: /{name} has a filter")

    with h5py.File(path) as file:
        visit("", file)
        file.visititems(visit)


def check_provenance(path, config, mission):
    """What was asked for is in the file, letter by letter."""
    with h5py.File(path) as file:
        for name, source in (("config", config), ("mission", mission)):
            text = file[f"provenance/{name}"][()]
            need(text == pathlib.Path(source).read_bytes(), f"h5py: /provenance/{name} is not {source}")


def names_in_order(file):
    """The data sets of the root in the order in which they were made."""
    names = []
    file.id.links.iterate(lambda name, _: names.append(name.decode()), idx_type=h5py.h5.INDEX_CRT_ORDER, info=True)
    return [name for name in names if isinstance(file[name], h5py.Dataset)]


def check_sums(path):
    """CRC-32 of each run: parameters and outputs, each report's row count and kept rows by column, status, error_code."""
    with h5py.File(path) as file:
        names = names_in_order(file)
        reports = [name.removesuffix("_rows") for name in names if name.endswith("_rows")]
        steps = {report: file[f"{report}_step"].size for report in reports}
        columns = {r: [n for n in names if file[n].ndim == 2 and n.startswith(f"{r}_")] for r in reports}
        taken = {"run", "status", "error_code", "row_crc32"}
        taken |= {f"{report}{end}" for report in reports for end in ("_rows", "_step")}
        single = [name for name in names if file[name].ndim == 1 and name not in taken]
        values = np.column_stack([file[name][:] for name in single]).astype("<f8")
        counts = {report: file[f"{report}_rows"][:] for report in reports}
        tables = {report: [file[name][:].astype("<f8") for name in columns[report]] for report in reports}
        status, codes, sums = file["status"][:], file["error_code"][:], file["row_crc32"][:]
    wrong = []
    for run, expected in enumerate(sums):
        parts = [values[run].tobytes()]
        for report in reports:
            count = int(counts[report][run])
            parts.append(struct.pack("<i", count))
            parts += [table[run, : min(count, steps[report])].tobytes() for table in tables[report]]
        parts.append(struct.pack("<bh", status[run], codes[run]))
        if zlib.crc32(b"".join(parts)) != expected:
            wrong.append(run)
    need(not wrong, f"h5py: row_crc32 of {len(wrong)} runs, first {wrong[:5]}")


def check_w1(path, reference):
    """All runs of the W1 axis against analytic two-body motion."""
    rows = np.array(json.loads(pathlib.Path(reference).read_text())["rows"])
    data = xr.open_dataset(path, engine="h5netcdf")
    need(data.sizes["run"] == len(rows), f"W1: {data.sizes['run']} runs, expected {len(rows)}")
    if data.sizes["run"] != len(rows):
        return
    need(same_bits(data["Sat_SMA"].values, np.linspace(7000, 8000, 1000)), "W1: the axis is not numpy's linspace")
    need(same_bits(data["Sat_SMA"].values, rows[:, 0]), "W1: the axis is not the reference's")
    need((data["status"] == OK).all(), "W1: not all runs are ok")
    # 1e-9 km is the bar; over the 60 s that are flown it is 1.7e-11 km/s.
    for first, names, most in ((1, ("X", "Y", "Z"), 1e-9), (4, ("VX", "VY", "VZ"), 1.7e-11)):
        flown = np.column_stack([data[f"Sat_EarthMJ2000Eq_{name}"] for name in names])
        worst = np.linalg.norm(flown - rows[:, first : first + 3], axis=1).max()
        need(worst < most, f"W1: {''.join(names)} is off by up to {worst:.1e}, allowed {most:.1e}")
    if "RF_rows" in data:
        need((data["RF_rows"] == 3).all(), "W1: GMAT reports three rows, at 0, 30 and 60 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--config", required=True, help="the config that was flown")
    parser.add_argument("--mission", required=True, help="the mission script that was flown")
    parser.add_argument("--not-ok", default="", help="the runs that are not ok, all others are: 1,3")
    parser.add_argument("--w1", help="analytic states of workload W1")
    arguments = parser.parse_args()
    not_ok = [int(run) for run in arguments.not_ok.split(",") if run]

    if not h5py.is_hdf5(arguments.file):
        parser.exit(1, f"{arguments.file} is no HDF5 file, or not there\n")
    for engine in ENGINES:
        data = open_quietly(arguments.file, engine)
        if data is None:
            continue
        check_root(data, engine, not_ok)
        check_reports(data, engine)
        check_groups(arguments.file, engine, data, not_ok)
        open_quietly(arguments.file, engine, "provenance")
    check_types(arguments.file)
    check_provenance(arguments.file, arguments.config, arguments.mission)
    check_sums(arguments.file)
    if arguments.w1:
        check_w1(arguments.file, arguments.w1)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
