//! Laws: what is conserved, and what can be undone.

use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::gmat;
use sweep_mpi::mission::compile::compile;
use sweep_mpi::propagator::{Flight, Propagator};

use super::fly;

const SPACECRAFT: &str =
    "Create Spacecraft Sat;\nSat.DateFormat = UTCGregorian;\nSat.Epoch = '01 Jan 2026 00:00:00.000';
Sat.SMA = 8000;\nSat.ECC = 0.1;\nSat.INC = 63;\nSat.RAAN = 30;\nSat.AOP = 40;\nSat.TA = 50;\nCreate ForceModel FM;\n";

/// A mission under force lines, with a report of the state at the end of each line of the sequence.
fn mission(forces: &str, integrator: &str, accuracy: &str, sequence: &str) -> String {
    format!(
        "{SPACECRAFT}{forces}\nCreate Propagator P;\nP.FM = FM;\nP.Type = {integrator};\nP.Accuracy = {accuracy};\nP.MinStep = 0;\n\
         Create ReportFile R;\nBeginMissionSequence;\nReport R Sat.X Sat.Y Sat.Z Sat.VX Sat.VY Sat.VZ;\n{sequence}\n\
         Report R Sat.X Sat.Y Sat.Z Sat.VX Sat.VY Sat.VZ;\n"
    )
}

const MU: f64 = 398_600.441_5;
const RADIUS: f64 = 6_378.136_3;

fn ends(script: &str) -> ([f64; 6], [f64; 6]) {
    let (_, rows) = fly(script);
    let row = |row: &Vec<f64>| -> [f64; 6] { row[..].try_into().unwrap() };
    (row(&rows[0]), row(rows.last().unwrap()))
}

/// Specific energy with the potential of a zonal field of degree 2.
fn energy([x, y, z, vx, vy, vz]: [f64; 6], j2: f64) -> f64 {
    let r = (x * x + y * y + z * z).sqrt();
    let sine = z / r;
    let potential = MU / r * (1.0 - j2 * (RADIUS / r).powi(2) * (1.5 * sine * sine - 0.5));
    0.5 * (vx * vx + vy * vy + vz * vz) - potential
}

fn momentum([x, y, z, vx, vy, vz]: [f64; 6]) -> [f64; 3] {
    [y * vz - z * vy, z * vx - x * vz, x * vy - y * vx]
}

#[test]
fn prop_energy_and_momentum_of_a_point_mass_for_a_week() {
    let point = "FM.PointMasses = {Earth};";
    for (integrator, accuracy) in [("RungeKutta89", "1e-13"), ("PrinceDormand78", "1e-13"), ("RungeKutta68", "1e-13")] {
        let (start, end) = ends(&mission(point, integrator, accuracy, "Propagate P(Sat) {Sat.ElapsedDays = 7};"));
        // 1e4 steps with a rounding of 1e-16 each, of one sign at worst
        assert!((energy(end, 0.0) / energy(start, 0.0) - 1.0).abs() < 1e-11, "{integrator}");
        for (a, b) in momentum(start).into_iter().zip(momentum(end)) {
            assert!((a - b).abs() < 1e-11 * 5e4, "{integrator}");
        }
    }
}

/// In a field of degree 2 and order 0 the energy stays, and the momentum along the pole of date: precession tilts it against
/// the axes of J2000 by 0.15 degrees, which is seen in the x component of the torque only.
#[test]
fn prop_energy_in_the_field_of_an_oblate_earth() {
    let oblate = "FM.GravityField.Earth.Degree = 2;\nFM.GravityField.Earth.Order = 0;";
    let (start, end) = ends(&mission(oblate, "RungeKutta89", "1e-13", "Propagate P(Sat) {Sat.ElapsedDays = 3};"));
    // C20 = -J2 / sqrt(5); with the equator of date instead of that of J2000 the potential differs by 2e-3 of J2
    let j2 = 4.841_653_9e-4 * 5.0_f64.sqrt();
    let (e0, e1) = (energy(start, j2), energy(end, j2));
    assert!((e1 / e0 - 1.0).abs() < 4.0 * j2 * 2.6e-3, "{e0} {e1}");
    // and without the oblateness it does not
    assert!((energy(end, 0.0) / energy(start, 0.0) - 1.0).abs() > 1e-5);
}

#[test]
fn prop_there_and_back_under_all_forces() {
    let all = "FM.GravityField.Earth.Degree = 8;\nFM.GravityField.Earth.Order = 8;\nFM.PointMasses = {Sun, Luna};\nFM.SRP = On;\n\
               FM.RelativisticCorrection = On;\nFM.Drag.AtmosphereModel = JacchiaRoberts;\nSat.SMA = 7100;\nSat.ECC = 0.01;";
    let sequence = "Propagate P(Sat) {Sat.ElapsedSecs = 20000};\nPropagate BackProp P(Sat) {Sat.ElapsedSecs = -20000};";
    for integrator in ["RungeKutta89", "PrinceDormand78", "PrinceDormand45"] {
        let accuracy = if integrator == "PrinceDormand45" { "1e-12" } else { "1e-13" };
        let (start, end) = ends(&mission(all, integrator, accuracy, sequence));
        let distance = (0..3).map(|i| (start[i] - end[i]).powi(2)).sum::<f64>().sqrt();
        // two spans of microseconds at 7.5 km/s, and the integration's own error; shadow edges cost most
        assert!(distance < 2e-5, "{integrator}: {distance:e} km");
    }
}

/// The numbers of a run are the same in any lane, beside any neighbours, on any instruction set: with all forces, a search
/// for an apsis, and runs of very different lengths.
#[test]
fn prop_the_same_bits_in_any_lane_under_all_forces() {
    let script = mission(
        "FM.GravityField.Earth.Degree = 12;\nFM.GravityField.Earth.Order = 12;\nFM.GravityField.Earth.TideModel = Solid;\nFM.PointMasses = {Sun, Luna};\nFM.SRP = On;\n\
         FM.RelativisticCorrection = On;\nFM.Drag.AtmosphereModel = NRLMSISE00;\nSat.SMA = 7300;\nSat.ECC = 0.05;\n\
         Create Variable D;\nD = 100;",
        "PrinceDormand78",
        "1e-11",
        "Propagate P(Sat) {Sat.ElapsedSecs = D};\nPropagate P(Sat) {Sat.Earth.Apoapsis, Sat.Earth.Latitude = 20};",
    );
    let tree = gmat::parse("case.script", script.as_bytes()).unwrap();
    let mission = compile("case.script", &script, &tree).unwrap_or_else(|problems| panic!("{problems}"));
    let swept = ["Sat.SMA", "Sat.ECC", "Sat.Cd", "D", "Sat.Epoch"].map(|path| mission.setting(path, None).unwrap());
    let outputs = mission.default_columns();
    let flight = Flight { mission, swept: swept.to_vec(), outputs, rows_max: 100, steps_max: 100_000, wall_max: None };
    let values = |run: u64, out: &mut [f64]| {
        let x = (run * 37 % 24) as f64;
        out.copy_from_slice(&[
            7100.0 + 40.0 * x,
            0.001 + 0.01 * x,
            2.0 + 0.1 * x,
            50.0 + 300.0 * x,
            31_041.5 + 11.3 * x,
        ]);
    };
    let flown = |vectors: Vectors| {
        let mut all: Vec<(u64, Vec<u64>)> = Vec::new();
        Propagator::new(&flight, vectors).fly(&flight, 0..24, values, |run| {
            all.push((run.run, run.outputs.iter().map(|number| number.to_bits()).collect()));
        });
        all.sort_unstable();
        all
    };
    let one = flown(Vectors::new(Isa::best(), 1));
    assert!(one.iter().any(|(_, bits)| !f64::from_bits(bits[0]).is_nan()));
    for isa in Isa::available() {
        for width in [4, 8] {
            assert!(flown(Vectors::new(isa, width)) == one, "{isa:?} x{width}");
        }
    }
}
