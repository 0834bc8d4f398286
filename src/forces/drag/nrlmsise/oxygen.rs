//! Hot and ionised oxygen of the exosphere, which the model calls anomalous.
//!
//! Theory: n = n_lb exp(-M g_lb zeta / (R T)) exp(-H / H_0 (exp(-(z - z_0) / H) - 1)) with one temperature T = 4000 K for
//! all heights, z_0 = 550 km, H = 76 km and H_0 = R T / (M g) the scale height at z_0. Far below z_0 the second factor
//! has it vanish.
//!
//! # References
//! Picone et al., *J. Geophys. Res.* 107 (2002) 1468, section 2.4.

use crate::forces::drag::msise::coefficients::Coefficients;
use crate::forces::drag::msise::harmonics::Harmonics;
use crate::forces::drag::msise::profile::Gravity;

/// Molar mass, g/mol.
pub(super) const MASS: f64 = 16.0;
/// Below this height (km) there is none: at 130 km it is 1e-28 in a cubic centimetre, beside 1e11 of other gases.
const LOWEST: f64 = 130.0;

/// Number density, 1/cm^3.
pub(super) fn density(c: &Coefficients, harmonics: &Harmonics) -> f64 {
    let question = harmonics.question();
    let (height, set, pdm) = (question.height, &c.pd[8], &c.pdm[7]);
    if height < LOWEST {
        return 0.0;
    }
    let gravity = Gravity::new(question.latitude, c.constants.gas);
    let temperature = pdm[9] * c.flat(6);
    let (base_height, from, scale) = (c.ptm[5], pdm[4], pdm[5]);
    let weight = MASS / (gravity.gas * temperature);
    let fall = weight * gravity.at(base_height) * gravity.zeta(height, base_height);
    let fade = scale * weight * gravity.at(from) * (libm::exp(-(height - from) / scale) - 1.0);
    pdm[0] * set.p[0] * libm::exp(harmonics.upper(set) - fall - fade)
}
