//! A small sweep for the tests of the store: its layout, and every run's row from its number alone.
#![allow(dead_code)] // Each test binary uses its part.

use sweep_mpi::base::outcome::Status;
use sweep_mpi::store::{Axis, Column, ColumnKind, Layout, ReportLayout, ReportRows, RowBlock, hdf5_name};

pub(crate) const MAX_STEPS: u64 = 7;

pub(crate) fn column(gmat_name: &str, units: &str, kind: ColumnKind) -> Column {
    Column {
        name: hdf5_name(gmat_name),
        gmat_name: gmat_name.into(),
        units: units.into(),
        long_name: format!("{gmat_name} of the tests"),
        kind,
        attributes: vec![("frame".into(), "EarthMJ2000Eq".into())],
    }
}

pub(crate) fn layout(runs: u64) -> Layout {
    let float = |name, units| column(name, units, ColumnKind::Float);
    Layout {
        timing: false,
        title: "A sweep of the tests".into(),
        source: "sweep-mpi 0.1.0".into(),
        sweep_id: "0123abcd".into(),
        plan_sha256: "0123abcd".repeat(8),
        runs,
        slice: None,
        parameters: vec![float("Sat.SMA", "km"), column("Seed", "", ColumnKind::Integer)],
        outputs: vec![float("Sat.ECC", ""), float("Sat.INC", "degree"), float("Sat.ElapsedDays", "d")],
        reports: vec![
            ReportLayout {
                name: "Orbit".into(),
                max_steps: MAX_STEPS,
                columns: vec![
                    Column { name: "A1ModJulian".into(), ..float("Sat.A1ModJulian", "d") },
                    Column { name: "X".into(), ..float("Sat.X", "km") },
                ],
            },
            ReportLayout {
                name: "Short".into(),
                max_steps: 1,
                columns: vec![Column { name: "é".replace('é', "E"), ..float("Sat.E", "") }],
            },
        ],
        axes: vec![Axis {
            name: "Sat_SMA".into(),
            units: "km".into(),
            long_name: "semi-major axis".into(),
            values: vec![7000.0, 7100.0],
        }],
        error_codes: vec![(0, "none".into()), (1, "step_too_small".into()), (2, "hyperbolic".into())],
        failures_max: 5,
        provenance: vec![
            ("config".into(), "# größer\n[sweep]\n".into()),
            ("mission".into(), "Create Spacecraft Sat;\n".repeat(5000)),
            ("git".into(), String::new()),
        ],
    }
}

/// One run's numbers.
pub(crate) struct Row {
    pub(crate) status: Status,
    pub(crate) error_code: i16,
    pub(crate) parameters: [f64; 2],
    pub(crate) outputs: [f64; 3],
    pub(crate) true_rows: u64,
    pub(crate) orbit: Vec<f64>,
}

/// The row of a run; a function of its number alone. Every seventh is not ok; a run makes 0 to 9 report
/// rows, so some more than are kept.
pub(crate) fn row(run: u64) -> Row {
    let x = run as f64;
    let ok = run % 7 != 3;
    let outputs = if ok { [0.001 * x, 98.0 - x / 3.0, -0.0] } else { [-f64::NAN; 3] };
    let true_rows = run % 10;
    let kept = true_rows.min(MAX_STEPS);
    Row {
        status: if ok { Status::Ok } else { Status::Failed },
        error_code: if ok { 0 } else { 2 },
        parameters: [7000.0 + x, x * 1e9],
        outputs,
        true_rows,
        orbit: (0..kept).flat_map(|step| [21545.0 + step as f64, x + step as f64 / 16.0]).collect(),
    }
}

pub(crate) fn push(block: &mut RowBlock, run: u64) {
    let row = row(run);
    let reports = [
        ReportRows { true_rows: row.true_rows, values: &row.orbit },
        ReportRows { true_rows: 1, values: &[run as f64] },
    ];
    block.push(run, row.status.code(), row.error_code, &row.parameters, &row.outputs, reports.into_iter());
}

/// A number that looks random, from two numbers.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 29)
}
