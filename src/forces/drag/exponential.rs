//! Density that falls exponentially between tabulated heights.
//!
//! Theory: rho = rho_i exp(-(h - h_i) / H_i) for h_i <= h < h_(i+1); the last band has no upper end. The
//! table is continuous to its last printed digit only (steps up to 1 % at the boundaries). It knows neither
//! time nor Sun. Domain: h >= 0; below, GMAT stops and so the density is NaN.
//!
//! # References
//! Vallado, *Fundamentals of Astrodynamics and Applications*, 4th ed., table 8-4 (after the U.S. Standard
//! Atmosphere 1976 and CIRA-72). Tests: `val_exponential_of_gmat`, `prop_layers_join`.

use super::{Atmosphere, Place, Places, Surroundings};
use crate::base::lanes::{Lanes, Vectors};

/// One band: base height (km), density there (kg/m^3) and scale height (km).
pub type Band = [f64; 3];

/// The table for the Earth.
pub const EARTH: [Band; 28] = [
    [0.0, 1.225, 7.249],
    [25.0, 3.899e-2, 6.349],
    [30.0, 1.774e-2, 6.682],
    [40.0, 3.972e-3, 7.554],
    [50.0, 1.057e-3, 8.382],
    [60.0, 3.206e-4, 7.714],
    [70.0, 8.770e-5, 6.549],
    [80.0, 1.905e-5, 5.799],
    [90.0, 3.396e-6, 5.382],
    [100.0, 5.297e-7, 5.877],
    [110.0, 9.661e-8, 7.263],
    [120.0, 2.438e-8, 9.473],
    [130.0, 8.484e-9, 12.636],
    [140.0, 3.845e-9, 16.149],
    [150.0, 2.070e-9, 22.523],
    [180.0, 5.464e-10, 29.740],
    [200.0, 2.789e-10, 37.105],
    [250.0, 7.248e-11, 45.546],
    [300.0, 2.418e-11, 53.628],
    [350.0, 9.518e-12, 53.298],
    [400.0, 3.725e-12, 58.515],
    [450.0, 1.585e-12, 60.828],
    [500.0, 6.967e-13, 63.822],
    [600.0, 1.454e-13, 71.835],
    [700.0, 3.614e-14, 88.667],
    [800.0, 1.170e-14, 124.64],
    [900.0, 5.245e-15, 181.05],
    [1000.0, 3.019e-15, 268.00],
];

/// The exponential atmosphere of the Earth.
#[derive(Clone, Copy, Debug)]
pub struct Exponential;

impl Exponential {
    /// The density (kg/m^3) at a geodetic height (km).
    pub fn at_height(height: f64) -> f64 {
        if height < 0.0 {
            return f64::NAN;
        }
        let band = EARTH.partition_point(|band| band[0] <= height).max(1) - 1;
        let [base, density, scale] = EARTH[band];
        // rho = rho_i exp(-(h - h_i) / H_i)
        density * libm::exp(-(height - base) / scale)
    }
}

impl Atmosphere for Exponential {
    fn density(&self, place: &Place) -> f64 {
        Exponential::at_height(place.height)
    }

    fn densities(&self, vectors: Vectors, _around: &Surroundings, _r: &[Lanes; 3], places: &Places, rho: &mut Lanes) {
        for lane in 0..vectors.width() {
            rho.0[lane] = Exponential::at_height(places.height.0[lane]);
        }
    }

    fn lowest_height(&self) -> f64 {
        0.0
    }

    fn describe(&self) -> String {
        format!("Exponential {EARTH:?}")
    }
}
