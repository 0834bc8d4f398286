//! The representations of a state that a script can give: one line each in [`REPRESENTATIONS`].
//!
//! Six numbers in the units of scripts (km, km/s, degrees) to and from a Cartesian state, with GMAT's
//! conventions and GMAT's limits. Planetodetic numbers belong to a body-fixed coordinate system, all
//! others to any. GMAT's Brouwer mean elements are refused by name.
//!
//! # References
//! GMAT Mathematical Specification, "State representations". Tests: `val_states_of_gmat`,
//! `prop_round_trip`, `prop_never_nan` here, and those of each file.

use super::elements::{Cartesian, ElementsError, norm};

pub mod asymptotes;
pub mod delaunay;
pub mod equinoctial;
pub mod fields;
pub mod keplerian;
pub mod planetodetic;
pub mod spherical;
pub mod state_input;

/// The body at the origin of the state's coordinate system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Centre {
    /// Gravitational parameter, km^3/s^2.
    pub mu: f64,
    /// Equatorial radius, km.
    pub radius: f64,
    /// Flattening of the ellipsoid.
    pub flattening: f64,
}

impl Centre {
    /// GMAT's Earth.
    pub const EARTH: Centre = Centre { mu: super::constants::EARTH_MU, radius: 6378.1363, flattening: 0.003_352_7 };
}

/// Why six numbers are no state, or a state has no such numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RepresentationError {
    /// The classical elements are no orbit.
    #[error(transparent)]
    Elements(#[from] ElementsError),
    /// NaN or infinite.
    #[error("a number of the state is not finite")]
    NotFinite,
    /// A number outside the limits of its field.
    #[error("{field} must be {allowed}")]
    OutOfRange {
        /// The field of the script.
        field: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
    /// |r| or |v| below 1e-10.
    #[error("position or velocity is zero: spherical elements are not defined")]
    ZeroVector,
    /// r x v = 0.
    #[error("position and velocity are parallel: the orbit has no plane")]
    Rectilinear,
    /// A parabola or hyperbola where only ellipses have the elements.
    #[error("the orbit is parabolic or hyperbolic: these elements are for ellipses")]
    NotElliptic,
    /// i = 180 degrees.
    #[error("the inclination is 180 degrees: equinoctial elements are not defined")]
    RetrogradeEquatorial,
    /// `RadApo` of zero.
    #[error("RadApo must not be zero")]
    ApoapsisZero,
    /// `RadPer` of 1 m or less.
    #[error("RadPer must be greater than 1 m")]
    PeriapsisNotPositive,
    /// 0 < `RadApo` < `RadPer`.
    #[error("RadApo is less than RadPer: it must be negative (a hyperbola) or at least RadPer")]
    ApoapsisBelowPeriapsis,
    /// h^2 + k^2 too near 1.
    #[error("EquinoctialH and EquinoctialK make an eccentricity above 0.99999")]
    EquinoctialEccentricity,
    /// |H| > |G| or G > L.
    #[error("Delaunay elements must satisfy |DelaunayH| <= DelaunayG <= DelaunayL")]
    DelaunayOrder,
    /// e < 1e-7.
    #[error("the orbit is circular: asymptote elements are not defined")]
    Circular,
    /// |C3| < 1e-7.
    #[error("the orbit is parabolic: asymptote elements are not defined")]
    Parabolic,
    /// The asymptote is the z axis.
    #[error("the asymptote points along the z axis: asymptote elements are not defined")]
    AsymptoteAlongPole,
}

/// A representation: its name and fields in scripts, and the way to and from Cartesian.
pub struct Representation {
    /// GMAT's name, as in `DisplayStateType`.
    pub name: &'static str,
    /// The fields of a script, in order.
    pub fields: [&'static str; 6],
    /// The state is one of a body-fixed coordinate system.
    pub body_fixed: bool,
    /// The six numbers of a state.
    pub from_cartesian: fn(&Cartesian, &Centre) -> Result<[f64; 6], RepresentationError>,
    /// The state of six numbers.
    pub to_cartesian: fn(&[f64; 6], &Centre) -> Result<Cartesian, RepresentationError>,
}

/// All representations; where a field belongs to several, the first that has all fields given is meant.
pub const REPRESENTATIONS: &[Representation] = &[
    Representation {
        name: "Cartesian",
        fields: ["X", "Y", "Z", "VX", "VY", "VZ"],
        body_fixed: false,
        from_cartesian: |state, _| Ok(numbers_of(state)),
        to_cartesian: |numbers, _| Ok(state_of(numbers)),
    },
    Representation {
        name: "Keplerian",
        fields: ["SMA", "ECC", "INC", "RAAN", "AOP", "TA"],
        body_fixed: false,
        from_cartesian: keplerian::from_cartesian,
        to_cartesian: keplerian::to_cartesian,
    },
    Representation {
        name: "ModifiedKeplerian",
        fields: ["RadPer", "RadApo", "INC", "RAAN", "AOP", "TA"],
        body_fixed: false,
        from_cartesian: keplerian::modified_from_cartesian,
        to_cartesian: keplerian::modified_to_cartesian,
    },
    Representation {
        name: "SphericalAZFPA",
        fields: ["RMagnitude", "RA", "DEC", "VMagnitude", "AZI", "FPA"],
        body_fixed: false,
        from_cartesian: |state, _| spherical::azfpa_from_cartesian(state),
        to_cartesian: |numbers, _| Ok(spherical::azfpa_to_cartesian(numbers)),
    },
    Representation {
        name: "SphericalRADEC",
        fields: ["RMagnitude", "RA", "DEC", "VMagnitude", "RAV", "DECV"],
        body_fixed: false,
        from_cartesian: |state, _| spherical::radec_from_cartesian(state),
        to_cartesian: |numbers, _| Ok(spherical::radec_to_cartesian(numbers)),
    },
    Representation {
        name: "Equinoctial",
        fields: ["SMA", "EquinoctialH", "EquinoctialK", "EquinoctialP", "EquinoctialQ", "MLONG"],
        body_fixed: false,
        from_cartesian: equinoctial::from_cartesian,
        to_cartesian: equinoctial::to_cartesian,
    },
    Representation {
        name: "ModifiedEquinoctial",
        fields: [
            "SemilatusRectum",
            "ModEquinoctialF",
            "ModEquinoctialG",
            "ModEquinoctialH",
            "ModEquinoctialK",
            "TLONG",
        ],
        body_fixed: false,
        from_cartesian: equinoctial::modified_from_cartesian,
        to_cartesian: equinoctial::modified_to_cartesian,
    },
    Representation {
        name: "AlternateEquinoctial",
        fields: ["SMA", "EquinoctialH", "EquinoctialK", "AltEquinoctialP", "AltEquinoctialQ", "MLONG"],
        body_fixed: false,
        from_cartesian: equinoctial::alternate_from_cartesian,
        to_cartesian: equinoctial::alternate_to_cartesian,
    },
    Representation {
        name: "Delaunay",
        fields: ["Delaunayl", "Delaunayg", "Delaunayh", "DelaunayL", "DelaunayG", "DelaunayH"],
        body_fixed: false,
        from_cartesian: delaunay::from_cartesian,
        to_cartesian: delaunay::to_cartesian,
    },
    Representation {
        name: "Planetodetic",
        fields: [
            "PlanetodeticRMAG",
            "PlanetodeticLON",
            "PlanetodeticLAT",
            "PlanetodeticVMAG",
            "PlanetodeticAZI",
            "PlanetodeticHFPA",
        ],
        body_fixed: true,
        from_cartesian: planetodetic::from_cartesian,
        to_cartesian: |numbers, centre| Ok(planetodetic::to_cartesian(numbers, centre)),
    },
    Representation {
        name: "IncomingAsymptote",
        fields: ["IncomingRadPer", "IncomingC3Energy", "IncomingRHA", "IncomingDHA", "IncomingBVAZI", "TA"],
        body_fixed: false,
        from_cartesian: |state, centre| asymptotes::from_cartesian(state, centre, asymptotes::Side::Incoming),
        to_cartesian: |numbers, centre| asymptotes::to_cartesian(numbers, centre, asymptotes::Side::Incoming),
    },
    Representation {
        name: "OutgoingAsymptote",
        fields: ["OutgoingRadPer", "OutgoingC3Energy", "OutgoingRHA", "OutgoingDHA", "OutgoingBVAZI", "TA"],
        body_fixed: false,
        from_cartesian: |state, centre| asymptotes::from_cartesian(state, centre, asymptotes::Side::Outgoing),
        to_cartesian: |numbers, centre| asymptotes::to_cartesian(numbers, centre, asymptotes::Side::Outgoing),
    },
];

/// GMAT's representations that are not supported.
pub const REFUSED: &[&str] = &["BrouwerMeanShort", "BrouwerMeanLong"];

/// The representation of a name.
pub fn find(name: &str) -> Option<&'static Representation> {
    REPRESENTATIONS.iter().find(|representation| representation.name == name)
}

/// x y z vx vy vz of a state, km and km/s.
pub fn numbers_of(state: &Cartesian) -> [f64; 6] {
    let ([x, y, z], [vx, vy, vz]) = (state.r, state.v);
    [x, y, z, vx, vy, vz]
}

/// The state of x y z vx vy vz, km and km/s.
pub fn state_of(numbers: &[f64; 6]) -> Cartesian {
    let [x, y, z, vx, vy, vz] = *numbers;
    Cartesian { r: [x, y, z], v: [vx, vy, vz] }
}

/// A vector of length 1; NaN for the zero vector.
pub(crate) fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = norm(a);
    a.map(|x| x / length)
}

/// s a + t b
pub(crate) fn combine(s: f64, a: [f64; 3], t: f64, b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| s * a[i] + t * b[i])
}

/// e = ((v^2 - mu / r) r - (r . v) v) / mu
pub(crate) fn eccentricity_vector(state: &Cartesian, mu: f64) -> [f64; 3] {
    let (r, v) = (state.r, state.v);
    let along_r = super::elements::dot(v, v) - mu / norm(r);
    let along_v = super::elements::dot(r, v);
    combine(along_r / mu, r, -along_v / mu, v)
}

#[cfg(test)]
mod tests;
