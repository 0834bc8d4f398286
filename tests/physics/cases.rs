//! The cases flown on GMAT, script by script, each row against the row that GMAT wrote.

use std::fmt::Write as _;

use super::{Case, case, missions};

/// A family of cases by the beginning of their names: how far a row may be off the orbit that GMAT flew (km), and
/// how early or late on it beside [`MICROSECONDS`] (s).
struct Family {
    name: &'static str,
    cases: usize,
    off: f64,
    late: f64,
}

/// Every Propagate ends at a whole microsecond after a step whose date has the grain of GMAT's double of days, 3e-7 s;
/// two programs do not round alike where their steps differ by rounding noise, and GMAT does not against
/// itself. So a case of n legs may be n/2 us early or late on an orbit that is the same to 1 mm.
const MICROSECONDS: f64 = 0.5e-6;

const fn family(name: &'static str, cases: usize, off: f64, late: f64) -> Family {
    Family { name, cases, off, late }
}

const FAMILIES: &[Family] = &[
    family("twobody_", 7, 1e-6, 0.0),
    family("integrator_", 6, 1e-6, 0.0),
    family("gravity_", 12, 1e-6, 0.0),
    family("thirdbody_", 5, 1e-6, 0.0),
    family("relativity_", 1, 1e-6, 0.0),
    family("srp_", 3, 1e-6, 0.0),
    family("drag_", 6, 1e-6, 0.0),
    family("full_", 3, 1e-6, 0.0),
    family("state_", 5, 1e-6, 0.0),
    family("backprop_", 1, 1e-6, 0.0),
    family("tides", 1, 1e-6, 0.0),
    family("constants", 1, 1e-6, 0.0),
    family("moon_orbiter", 1, 1e-6, 0.0),
    family("luna_gravity", 1, 1e-6, 0.0),
    family("mars_gravity", 1, 1e-6, 0.0),
    // 1e-14 of 1.9e8 km
    family("heliocentric", 1, 2e-6, 0.0),
    // each step at loose accuracy multiplies rounding noise: GMAT against itself (the Earth by PointMasses instead of
    // PrimaryBodies) is up to 7 ms a step apart; tests/integrators compares the steps themselves
    family("steps_", 6, 1e-6, 2e-2),
    // apsides that GMAT takes from its spline, whose error of up to 3e-4 s depends on the steps' rounding noise
    family("stop_", 8, 1e-6, 3e-4),
];

impl Case {
    /// The places of X in the columns.
    fn places(&self) -> impl Iterator<Item = usize> {
        let last = |column: usize| self.columns.get(column).and_then(|name| name.rsplit('.').next());
        (0..self.columns.len()).filter(move |&i| last(i) == Some("X") && last(i + 3) == Some("VX"))
    }

    /// The largest difference of the three numbers from `first` on behind each X, row by row: of positions or velocities.
    fn worst(&self, first: usize) -> f64 {
        let square = |a: f64, b: f64| (a - b) * (a - b);
        let mut worst = 0.0_f64;
        for place in self.places() {
            for (ours, gmat) in self.ours.iter().zip(&self.gmat) {
                let range = place + first..place + first + 3;
                let sum: f64 = range.map(|i| square(ours[i], gmat[i])).sum();
                worst = worst.max(sum.sqrt());
            }
        }
        worst
    }

    /// The largest distance of a position from the orbit that GMAT flew (km), and the longest time by which it is early or
    /// late on it (s).
    fn off_and_late(&self) -> (f64, f64) {
        let (mut off, mut late) = (0.0_f64, 0.0_f64);
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        for first in self.places() {
            for (ours, gmat) in self.ours.iter().zip(&self.gmat) {
                let d: [f64; 3] = std::array::from_fn(|i| ours[first + i] - gmat[first + i]);
                let v: [f64; 3] = std::array::from_fn(|i| gmat[first + 3 + i]);
                let t = dot(d, v) / dot(v, v);
                let rest: [f64; 3] = std::array::from_fn(|i| d[i] - t * v[i]);
                let distance = dot(rest, rest).sqrt();
                off = if distance.is_nan() { f64::NAN } else { off.max(distance) };
                late = late.max(t.abs());
            }
        }
        (off, late)
    }
}

/// Where the other scripts are compared.
const ELSEWHERE: &[(&str, &str)] = &[
    ("parameters_", "parameters.rs"),
    ("relative_axes", "parameters.rs"),
    ("frames_", "src/astro/frames"),
    ("luna_axes", "src/astro/frames"),
    ("report_", "tests/fly.rs and src/report"),
    ("reportadd_", "tests/propagation.rs"),
];

#[test]
fn val_cases_of_gmat() {
    let names = super::names();
    let known = |name: &str| {
        FAMILIES.iter().any(|family| name.starts_with(family.name))
            || missions::is_here(name)
            || ELSEWHERE.iter().any(|(beginning, _)| name.starts_with(beginning))
    };
    assert_eq!(names.iter().find(|name| !known(name)), None, "a script that nothing compares");
    let mut table = format!(
        "{:32} {:>4} {:>9} {:>9} {:>9} {:>6} {:>9} {:>6}\n",
        "case", "rows", "r, km", "v, km/s", "off, km", "share", "late, s", "share"
    );
    let mut wrong = Vec::new();
    for family in FAMILIES {
        let members: Vec<&String> = names.iter().filter(|name| name.starts_with(family.name)).collect();
        assert_eq!(members.len(), family.cases, "{}", family.name);
        for name in members {
            let case = case(name);
            let (off, late) = case.off_and_late();
            let [r, v] = [0, 3].map(|first| case.worst(first));
            let allowed = family.late + MICROSECONDS * (case.gmat.len() as f64 + 1.0);
            let (share, late_share) = (off / family.off, late / allowed);
            let rows = case.ours.len();
            let _ = writeln!(
                table,
                "{name:32} {rows:4} {r:9.1e} {v:9.1e} {off:9.1e} {share:6.3} {late:9.1e} {late_share:6.3}"
            );
            if rows != case.gmat.len() || !(share <= 1.0 && late_share <= 1.0) {
                wrong.push(name.clone());
            }
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{wrong:?} in\n{table}");
}
