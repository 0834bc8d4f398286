//! The thermosphere, from 72.5 km up: temperatures, and each gas on its own.
//!
//! Theory: temperature at the top, at 120 km and at nodes below from harmonics, a profile through them; a gas is in
//! diffusive equilibrium above the turbopause, mixed below, the two joined by a root of powers. Corrections of
//! ln(n) lead it to its mixing ratio at the ground and follow its chemistry.
//!
//! # References
//! Hedin, *J. Geophys. Res.* 96 (1991) 1159, appendix; Picone et al., *ibid.* 107 (2002) 1468.

use super::coefficients::{Coefficients, Set};
use super::harmonics::Harmonics;
use super::profile::{Column, Gravity, Level};

/// Mass of one atomic mass unit as the model has it, g.
pub(crate) const UNIT_MASS: f64 = 1.66e-24;
/// The bottom of the thermosphere of the model, km.
pub(crate) const BOTTOM: f64 = 72.5;
/// Above this height (km) nitrogen is in diffusive equilibrium.
const NITROGEN_MIXING_ENDS: f64 = 160.0;
/// Above this height (km) all gases are.
const MIXING_ENDS: f64 = 450.0;
/// From this height (km) up the nodes below the joint are at their means.
const NODES_MATTER_BELOW: f64 = 300.0;

/// A gas of the model. The places are those in the flat list of `pdl` (column by column).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gas {
    /// Its columns in `pd` and in `pdm`.
    pub pd: usize,
    pub pdm: usize,
    pub mass: f64,
    pub alpha: f64,
    /// Above this height (km) it is in diffusive equilibrium.
    pub mixed_below: f64,
    /// How it comes to its amount at the ground.
    pub ground: Ground,
    /// Places of amount, scale and height of the chemical correction.
    pub chemistry: Option<[usize; 3]>,
    /// A correction at all heights, above `mixed_below` too: places of amount, two scales and height.
    pub departure: Option<[usize; 4]>,
}

/// The correction to the amount at the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ground {
    /// To a ratio to nitrogen: places of scale and height, and of a factor of the ratio.
    Ratio([usize; 2], Option<usize>),
    /// By a fitted amount that goes with the flux: places of amount, two scales and height.
    Fitted([usize; 4]),
}

/// The gases from 72.5 km up.
pub(crate) struct Air {
    /// Mass density, g/cm^3.
    pub total: f64,
    /// Number densities, 1/cm^3: nitrogen, the same if all air were mixed, and the others in the order of the list of gases.
    pub nitrogen: f64,
    pub mixed_nitrogen: f64,
    pub others: [f64; 6],
    /// Temperature (K) and its gradient (K/km) at 72.5 km.
    pub bottom: [f64; 2],
}

/// The gases at the height that was asked for, 72.5 km or more.
pub(crate) fn thermosphere(c: &Coefficients, harmonics: &Harmonics) -> Air {
    let question = harmonics.question();
    let gravity = Gravity::new(question.latitude, c.constants.gas);
    let height = question.height;
    let joint = c.flat(40);
    let heights = [joint, 110.0, 100.0, 90.0, BOTTOM];

    let varied = |set: &Set<150>, when: bool| set.p[0] * (1.0 + if when { harmonics.upper(set) } else { 0.0 });
    let exospheric = c.ptm[0] * varied(&c.pt, height > joint);
    let gradient = c.ptm[3] * varied(&c.ps, height > BOTTOM);
    let base = c.ptm[1] * varied(&c.pd[3], true);
    let (nodes, lowest_gradient) = nodes(c, harmonics, height < NODES_MATTER_BELOW);
    let column = Column::new(gravity, &heights, c.ptm[5], [exospheric, base, gradient], nodes, lowest_gradient);
    let here = column.level(height);

    // nitrogen: it sets the mixing of the others
    let (at_base, variation) = (c.pdm[2][0] * c.pd[2].p[0], harmonics.upper(&c.pd[2]));
    let mut nitrogen = at_base * libm::exp(variation + here.log_density(28.0, 0.0));
    let mixing = (height <= MIXING_ENDS).then(|| {
        let mean_mass = c.pdm[2][4];
        let season = libm::cos(1.721_42e-2 * (question.day - c.pt.p[13]));
        let breath = c.flat(49) * (1.0 + c.flat(24) * libm::sin(1.745_33e-2 * question.latitude) * season);
        let level = column.level(c.pdm[2][2] * breath);
        Mixing {
            nitrogen: at_base * libm::exp(variation + level.log_density(28.0 - mean_mass, -1.0)),
            transition: c.pdm[2][3] * c.flat(30),
            mean_mass,
            fall: libm::exp(here.log_density(mean_mass, 0.0)),
            turbopause: (c.pdm[1][2], column.level(c.pdm[1][2])),
        }
    });
    let mut mixed_nitrogen = 0.0;
    if let Some(mixing) = &mixing
        && height <= NITROGEN_MIXING_ENDS
    {
        mixed_nitrogen = mixing.nitrogen * mixing.fall;
        nitrogen = joined(nitrogen, mixed_nitrogen, mixing.transition, mixing.mean_mass, 28.0);
    }

    let others = std::array::from_fn(|k| gas_density(&c.gases[k], c, harmonics, &column, &here, mixing.as_ref()));
    let sum = c.gases.iter().zip(&others).fold(28.0 * nitrogen, |sum, (gas, number)| sum + gas.mass * number);
    Air { total: UNIT_MASS * sum, nitrogen, mixed_nitrogen, others, bottom: [nodes[3], lowest_gradient] }
}

/// The mixed air of a place.
struct Mixing {
    /// Number density of nitrogen at the base if all air were mixed, 1/cm^3.
    nitrogen: f64,
    /// Scale of the transition to diffusive equilibrium.
    transition: f64,
    /// Mean molar mass, g/mol.
    mean_mass: f64,
    /// What is left here of a density at the base.
    fall: f64,
    /// The turbopause of oxygen, which most gases have too: its height (km), and what is there.
    turbopause: (f64, Level),
}

/// Number density of a gas (1/cm^3).
fn gas_density(
    gas: &Gas,
    c: &Coefficients,
    harmonics: &Harmonics,
    column: &Column,
    here: &Level,
    mixing: Option<&Mixing>,
) -> f64 {
    let (pd, pdm, height) = (&c.pd[gas.pd], &c.pdm[gas.pdm], harmonics.question().height);
    let (at_base, variation) = (pdm[0] * pd.p[0], harmonics.upper(pd));
    let diffusive = at_base * libm::exp(variation + here.log_density(gas.mass, gas.alpha));
    // the fitted amounts go with the mean flux
    let fitted = |places: [usize; 4], [amount, scale, at]: [usize; 3]| {
        let [amount, first, second, at] = [
            pdm[amount] * c.flat(places[0]),
            pdm[scale] * c.flat(places[1]),
            pdm[scale] * c.flat(places[2]),
            pdm[at] * c.flat(places[3]),
        ];
        faded_twice(height, amount * (1.0 + c.flat(23) * harmonics.mean_flux()), [first, second], at)
    };
    let mut density = diffusive;
    if let Some(mixing) = mixing
        && height <= gas.mixed_below
    {
        let (shared, level) = mixing.turbopause;
        let turbopause = if pdm[2].to_bits() == shared.to_bits() { level } else { column.level(pdm[2]) };
        let mean_mass = mixing.mean_mass;
        let mixed_base = at_base * libm::exp(variation + turbopause.log_density(gas.mass - mean_mass, gas.alpha - 1.0));
        density = joined(diffusive, mixed_base * mixing.fall, mixing.transition, mean_mass, gas.mass);
        let mut correction = match gas.ground {
            Ground::Fitted(places) => fitted(places, [1, 5, 4]),
            Ground::Ratio([scale, at], factor) => {
                let ratio = pdm[1] * factor.map_or(1.0, |at| c.flat(at).abs());
                let whole = libm::log(mixing.nitrogen * ratio / mixed_base);
                faded(height, whole, pdm[5] * c.flat(scale), pdm[4] * c.flat(at))
            }
        };
        if let Some([amount, scale, at]) = gas.chemistry {
            correction += faded(height, pdm[3] * c.flat(amount), pdm[7] * c.flat(scale), pdm[6] * c.flat(at));
        }
        density *= libm::exp(correction);
    }
    if let Some(places) = gas.departure {
        density *= libm::exp(fitted(places, [3, 7, 6]));
    }
    density
}

/// Temperatures at the nodes 110, 100, 90 and 72.5 km and the gradient at the last.
fn nodes(c: &Coefficients, harmonics: &Harmonics, varied: bool) -> ([f64; 4], f64) {
    let activity = harmonics.activity(&c.pd[3]);
    let variation = |set: &Set<100>| if varied { harmonics.lower(set, activity) } else { 0.0 };
    let means = [c.ptm[6], c.ptm[2], c.ptm[7], c.ptm[4]];
    // T = T_mean p_0 / (1 - G)
    let nodes = std::array::from_fn(|k| means[k] * c.ptl[k].p[0] / (1.0 - variation(&c.ptl[k])));
    let ratio = nodes[3] / (c.ptm[4] * c.ptl[3].p[0]);
    (nodes, c.ptm[8] * c.pma[8].p[0] * (1.0 + variation(&c.pma[8])) * ratio * ratio)
}

/// Diffusive and mixed densities joined at the turbopause: (n_d^A + n_m^A)^(1/A).
fn joined(diffusive: f64, mixed: f64, transition: f64, mean_mass: f64, mass: f64) -> f64 {
    let a = transition / (mean_mass - mass);
    let log_ratio = a * libm::log(mixed / diffusive);
    if log_ratio < -10.0 {
        diffusive
    } else if log_ratio > 10.0 {
        mixed
    } else {
        diffusive * libm::exp(libm::log1p(libm::exp(log_ratio)) / a)
    }
}

/// A correction (logarithm) that is whole far below a height and gone far above it.
fn faded(height: f64, whole: f64, scale: f64, at: f64) -> f64 {
    let e = (height - at) / scale;
    if e > 70.0 {
        0.0
    } else if e < -70.0 {
        whole
    } else {
        whole / (1.0 + libm::exp(e))
    }
}

/// The same with the mean of two scales.
fn faded_twice(height: f64, whole: f64, scales: [f64; 2], at: f64) -> f64 {
    let [first, second] = scales.map(|scale| (height - at) / scale);
    if first > 70.0 || second > 70.0 {
        0.0
    } else if first < -70.0 && second < -70.0 {
        whole
    } else {
        whole / (1.0 + 0.5 * (libm::exp(first) + libm::exp(second)))
    }
}
