//! The Sun, the planets and the Moon with the constants that GMAT has for them.
//!
//! They are GMAT's own defaults, not those of the ephemeris; where a potential file is used, its mu
//! and radius replace them.
//!
//! # References
//! Defaults of GMAT R2026a, read from the running engine. Test: `val_constants_of_gmat`.

/// A body of the solar system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// The Sun.
    Sun,
    /// Mercury.
    Mercury,
    /// Venus.
    Venus,
    /// Mars.
    Mars,
    /// Jupiter and its moons: the ephemeris gives the barycentre of the system, as for those below.
    Jupiter,
    /// Saturn.
    Saturn,
    /// Uranus.
    Uranus,
    /// Neptune.
    Neptune,
    /// Pluto.
    Pluto,
    /// The Moon, as GMAT names it.
    Luna,
    /// The Earth without the Moon.
    Earth,
}

/// What GMAT knows of a body.
struct Constants {
    body: Body,
    name: &'static str,
    mu: f64,
    equatorial_radius: f64,
    flattening: f64,
}

const fn body(body: Body, name: &'static str, mu: f64, equatorial_radius: f64, flattening: f64) -> Constants {
    Constants { body, name, mu, equatorial_radius, flattening }
}

/// In the order of the enum: name, mu (km^3/s^2), equatorial radius (km), flattening.
const BODIES: [Constants; 11] = [
    body(Body::Sun, "Sun", 132_712_440_017.99, 695_990.0, 0.0),
    body(Body::Mercury, "Mercury", 22_032.080_486_418, 2_439.7, 0.0),
    body(Body::Venus, "Venus", 324_858.598_826_46, 6_051.9, 0.0),
    body(Body::Mars, "Mars", 42_828.314_258_067, 3_397.0, 0.006_476_3),
    body(Body::Jupiter, "Jupiter", 126_712_767.857_8, 71_492.0, 0.064_874_39),
    body(Body::Saturn, "Saturn", 37_940_626.061_137, 60_268.0, 0.097_962_43),
    body(Body::Uranus, "Uranus", 5_794_549.007_071_9, 25_559.0, 0.022_927_34),
    body(Body::Neptune, "Neptune", 6_836_534.063_879_3, 25_269.0, 0.018_560_29),
    body(Body::Pluto, "Pluto", 981.600_887_707, 1_162.0, 0.0),
    body(Body::Luna, "Luna", 4_902.800_582_147_8, 1_738.2, 0.0),
    body(Body::Earth, "Earth", 398_600.441_5, 6_378.136_3, 0.003_352_7),
];

impl Body {
    /// All bodies.
    pub fn all() -> impl Iterator<Item = Body> {
        BODIES.iter().map(|constants| constants.body)
    }

    /// The body of a name of GMAT, case and all: `Luna`.
    pub fn of_name(name: &str) -> Option<Body> {
        BODIES.iter().find(|constants| constants.name == name).map(|constants| constants.body)
    }

    fn constants(self) -> &'static Constants {
        &BODIES[self as usize]
    }

    /// GMAT's name of it.
    pub fn name(self) -> &'static str {
        self.constants().name
    }

    /// Gravitational parameter, km^3/s^2.
    pub fn mu(self) -> f64 {
        self.constants().mu
    }

    /// Equatorial radius, km.
    pub fn equatorial_radius(self) -> f64 {
        self.constants().equatorial_radius
    }

    /// Flattening, 1 - polar radius / equatorial radius.
    pub fn flattening(self) -> f64 {
        self.constants().flattening
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn val_constants_of_gmat() {
        // mu, equatorial and polar radius as the engine gives them; one rounding apart in the last
        let engine = [
            ("Sun", 132_712_440_017.99, 695_990.0, 695_990.0),
            ("Mercury", 22_032.080_486_418, 2_439.7, 2_439.7),
            ("Venus", 324_858.598_826_46, 6_051.9, 6_051.9),
            ("Earth", 398_600.441_5, 6_378.136_3, 6_356.752_322_426_99),
            ("Luna", 4_902.800_582_147_8, 1_738.2, 1_738.2),
            ("Mars", 42_828.314_258_067, 3_397.0, 3_375.000_008_9),
            ("Jupiter", 126_712_767.857_8, 71_492.0, 66_854.000_110_12),
            ("Saturn", 37_940_626.061_137, 60_268.0, 54_364.000_268_76),
            ("Uranus", 5_794_549.007_071_9, 25_559.0, 24_973.000_116_940_002),
            ("Neptune", 6_836_534.063_879_3, 25_269.0, 24_800.000_031_99),
            ("Pluto", 981.600_887_707, 1_162.0, 1_162.0),
        ];
        assert_eq!(engine.len(), Body::all().count());
        for (name, mu, equatorial, polar) in engine {
            let body = Body::of_name(name).unwrap();
            assert_eq!(body.name(), name);
            assert!((body.mu() - mu).abs() == 0.0, "{name}");
            assert!((body.equatorial_radius() - equatorial).abs() == 0.0, "{name}");
            assert!((body.equatorial_radius() * (1.0 - body.flattening()) - polar).abs() < 1e-11, "{name}");
        }
        assert_eq!(Body::of_name("luna"), None);
        assert_eq!(Body::of_name("Moon"), None);
    }

    #[test]
    fn prop_the_table_is_in_the_order_of_the_enum() {
        for body in Body::all() {
            assert_eq!(body.constants().body, body);
        }
    }
}
