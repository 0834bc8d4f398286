//! The tables of an edition of the model, and what can be computed of them once.
//!
//! MSISE90 and NRLMSISE-00 have tables of the same names and sizes; what else sets them apart is in [`Constants`] and in
//! the list of gases.

use super::harmonics::{lower_phases, upper_phases};
use super::thermosphere::Gas;

/// The constants in which the editions differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    /// Radians in a degree, a day of the year, an hour and a second, as the edition has them.
    pub degree: f64,
    pub day: f64,
    pub hour: f64,
    pub second: f64,
    /// Gas constant in the units of the model (K, km, g/mol, cm/s^2).
    pub gas: f64,
    /// Where the coefficients of the lower harmonics are.
    pub lower: LowerTerms,
    /// The sets in `pd` whose activity the nodes below 72.5 km feel: below 62.5 km and from there up.
    pub last_gas: [usize; 2],
}

/// How the coefficients are rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Precision {
    /// As the model's Fortran source has them.
    Single,
    /// As printed.
    Double,
}

/// The terms below 120 km whose coefficients each edition has elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowerTerms {
    /// P(0, 3) and P(0, 5) without time.
    pub zonal: [usize; 2],
    /// P(0, 5) with the year.
    pub annual: usize,
    /// P(2, 5) with the year, for the cosine and the sine of twice the local time.
    pub semidiurnal: [usize; 2],
    /// How fast the 3-hourly activity fades.
    pub fade: usize,
}

/// A coefficient set of the harmonics, with sine and cosine of those that are phases.
pub(crate) struct Set<const N: usize> {
    /// The coefficients, counted from 0.
    pub p: [f64; N],
    /// Sine and cosine of the phase angle of the same index; zeros elsewhere.
    pub phase: [(f64, f64); N],
    /// Whether magnetic activity saturates as in the set of the exospheric temperature.
    pub usual: bool,
}

impl<const N: usize> Set<N> {
    fn new(p: [f64; N], phases: &[(usize, f64)]) -> Self {
        let mut phase = [(0.0, 0.0); N];
        for &(at, rate) in phases {
            phase[at] = (libm::sin(rate * p[at]), libm::cos(rate * p[at]));
        }
        Set { p, phase, usual: false }
    }
}

/// All coefficients of an edition, by the names of the model's source.
pub(crate) struct Coefficients {
    pub constants: Constants,
    /// All gases but nitrogen molecules.
    pub gases: [Gas; 6],
    /// Exospheric temperature.
    pub pt: Set<150>,
    /// He, O, N2, temperature at 120 km, O2, Ar, H, N, and the oxygen of the exosphere, which MSISE90 does not use.
    pub pd: [Set<150>; 9],
    /// Temperature gradient at 120 km.
    pub ps: Set<150>,
    /// Turbopause and mixing.
    pub pdl: [[f64; 25]; 2],
    /// Temperatures at the nodes between 120 and 72.5 km.
    pub ptl: [Set<100>; 4],
    /// Temperatures at the nodes below, and gradients.
    pub pma: [Set<100>; 10],
    /// Mean temperatures.
    pub ptm: [f64; 10],
    /// Mean densities and mixing heights of He, O, N2, O2, Ar, H, N and the oxygen of the exosphere.
    pub pdm: [[f64; 10]; 8],
    /// Mean temperatures of the nodes below 72.5 km.
    pub pavgm: [f64; 10],
}

impl Coefficients {
    /// A number of `pdl` counted column by column.
    pub(crate) fn flat(&self, at: usize) -> f64 {
        self.pdl[at / 25][at % 25]
    }

    /// The tables of a text: name and how many numbers, then the numbers.
    pub(crate) fn read(text: &str, constants: Constants, gases: &[Gas; 6], precision: Precision) -> Self {
        let table = |name: &str| -> Vec<f64> {
            let mut lines = text.lines().skip_while(|line| line.split(' ').next() != Some(name));
            let count = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
            let words = lines.flat_map(str::split_whitespace).take(count);
            match precision {
                Precision::Single => words.filter_map(|word| word.parse::<f32>().ok()).map(f64::from).collect(),
                Precision::Double => words.filter_map(|word| word.parse().ok()).collect(),
            }
        };
        let (upper, lower) = (upper_phases(&constants), lower_phases(&constants));
        let pt = Set::new(column(&table("pt"), 0), &upper);
        let saturation = |set: &Set<150>| [24, 25, 43, 44].map(|at| set.p[at].to_bits());
        let thermal = |p| {
            let set = Set::new(p, &upper);
            Set { usual: saturation(&set) == saturation(&pt), ..set }
        };
        Coefficients {
            constants,
            gases: *gases,
            pd: columns(&table("pd")).map(thermal),
            ps: thermal(column(&table("ps"), 0)),
            pt: thermal(pt.p),
            pdl: columns(&table("pdl")),
            ptl: columns(&table("ptl")).map(|p| Set::new(p, &lower)),
            pma: columns(&table("pma")).map(|p| Set::new(p, &lower)),
            ptm: column(&table("ptm"), 0),
            pdm: columns(&table("pdm")),
            pavgm: column(&table("pavgm"), 0),
        }
    }
}

fn column<const ROWS: usize>(numbers: &[f64], at: usize) -> [f64; ROWS] {
    std::array::from_fn(|row| numbers[at * ROWS + row])
}

fn columns<const ROWS: usize, const COLUMNS: usize>(numbers: &[f64]) -> [[f64; ROWS]; COLUMNS] {
    std::array::from_fn(|at| column(numbers, at))
}
