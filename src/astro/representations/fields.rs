//! The fields of a Spacecraft that hold its state: units, limits, and the representations that each
//! belongs to.
//!
//! # References
//! GMAT user guide, "Spacecraft Orbit State". Test: `every_field_has_its_owners`.

use super::{REPRESENTATIONS, RepresentationError};

/// A field of a script that holds one number of the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// GMAT's name.
    pub name: &'static str,
    /// Unit of the number.
    pub units: &'static str,
    /// One line about it.
    pub long_name: &'static str,
    /// Its place among the six numbers: the same in every representation that has the field.
    pub place: usize,
    /// One bit for each of [`REPRESENTATIONS`] that has the field.
    pub owners: u16,
    limits: Limits,
}

/// The smallest and the largest number allowed, and the same in words.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Limits {
    low: f64,
    high: f64,
    allowed: &'static str,
}

const fn limits(low: f64, high: f64, allowed: &'static str) -> Limits {
    Limits { low, high, allowed }
}

const ANY: Limits = limits(f64::NEG_INFINITY, f64::INFINITY, "a number");
const HALF_TURN: Limits = limits(0.0, 180.0, "from 0 to 180 degrees");
const LATITUDE: Limits = limits(-90.0, 90.0, "from -90 to 90 degrees");
const TURN: Limits = limits(0.0, 360.0, "from 0 to 360 degrees");
const TURN_BOTH_WAYS: Limits = limits(-360.0, 360.0, "from -360 to 360 degrees");
const LENGTH: Limits = limits(1e-10, f64::INFINITY, "greater than 1e-10");
const BELOW_ONE: Limits = limits(-0.999_99, 0.999_99, "between -1 and 1 (by 1e-5)");
const POSITIVE: Limits = limits(0.0, f64::INFINITY, "0 or more");
const RECTUM: Limits = limits(1e-7, f64::INFINITY, "at least 1e-7");

/// Name, unit, limits and one line of each field.
const FIELDS: &[(&str, &str, Limits, &str)] = &[
    ("X", "km", ANY, "position, x"),
    ("Y", "km", ANY, "position, y"),
    ("Z", "km", ANY, "position, z"),
    ("VX", "km/s", ANY, "velocity, x"),
    ("VY", "km/s", ANY, "velocity, y"),
    ("VZ", "km/s", ANY, "velocity, z"),
    ("SMA", "km", ANY, "semi-major axis"),
    ("ECC", "1", ANY, "eccentricity"),
    ("INC", "degree", HALF_TURN, "inclination"),
    ("RAAN", "degree", ANY, "right ascension of the ascending node"),
    ("AOP", "degree", ANY, "argument of periapsis"),
    ("TA", "degree", ANY, "true anomaly"),
    ("RadPer", "km", ANY, "radius of periapsis"),
    ("RadApo", "km", ANY, "radius of apoapsis, negative on a hyperbola"),
    ("RMagnitude", "km", LENGTH, "distance from the centre"),
    ("RA", "degree", ANY, "right ascension"),
    ("DEC", "degree", LATITUDE, "declination"),
    ("VMagnitude", "km/s", LENGTH, "speed"),
    ("AZI", "degree", ANY, "azimuth of the velocity, from north through east"),
    ("FPA", "degree", HALF_TURN, "flight path angle, from the zenith"),
    ("RAV", "degree", ANY, "right ascension of the velocity"),
    ("DECV", "degree", LATITUDE, "declination of the velocity"),
    ("EquinoctialH", "1", BELOW_ONE, "eccentricity vector, along g"),
    ("EquinoctialK", "1", BELOW_ONE, "eccentricity vector, along f"),
    ("EquinoctialP", "1", ANY, "tan(INC/2) sin(RAAN)"),
    ("EquinoctialQ", "1", ANY, "tan(INC/2) cos(RAAN)"),
    ("MLONG", "degree", TURN_BOTH_WAYS, "mean longitude"),
    ("SemilatusRectum", "km", RECTUM, "semilatus rectum"),
    ("ModEquinoctialF", "1", ANY, "eccentricity vector, along f"),
    ("ModEquinoctialG", "1", ANY, "eccentricity vector, along g"),
    ("ModEquinoctialH", "1", ANY, "tan(INC/2) cos(RAAN)"),
    ("ModEquinoctialK", "1", ANY, "tan(INC/2) sin(RAAN)"),
    ("TLONG", "degree", TURN, "true longitude"),
    ("AltEquinoctialP", "1", BELOW_ONE, "sin(INC/2) sin(RAAN)"),
    ("AltEquinoctialQ", "1", BELOW_ONE, "sin(INC/2) cos(RAAN)"),
    ("Delaunayl", "degree", TURN, "mean anomaly"),
    ("Delaunayg", "degree", TURN, "argument of periapsis"),
    ("Delaunayh", "degree", TURN, "right ascension of the ascending node"),
    ("DelaunayL", "km^2/s", POSITIVE, "sqrt(mu SMA)"),
    ("DelaunayG", "km^2/s", POSITIVE, "specific angular momentum"),
    ("DelaunayH", "km^2/s", ANY, "specific angular momentum, z"),
    ("PlanetodeticRMAG", "km", LENGTH, "distance from the centre"),
    ("PlanetodeticLON", "degree", ANY, "longitude"),
    ("PlanetodeticLAT", "degree", LATITUDE, "geodetic latitude"),
    ("PlanetodeticVMAG", "km/s", LENGTH, "speed in the body-fixed system"),
    ("PlanetodeticAZI", "degree", ANY, "azimuth of the body-fixed velocity"),
    ("PlanetodeticHFPA", "degree", LATITUDE, "flight path angle, from the horizon"),
    ("IncomingRadPer", "km", ANY, "radius of periapsis"),
    ("IncomingC3Energy", "km^2/s^2", ANY, "twice the specific energy"),
    ("IncomingRHA", "degree", ANY, "right ascension of the incoming asymptote"),
    ("IncomingDHA", "degree", ANY, "declination of the incoming asymptote"),
    ("IncomingBVAZI", "degree", ANY, "azimuth of the B vector, incoming"),
    ("OutgoingRadPer", "km", ANY, "radius of periapsis"),
    ("OutgoingC3Energy", "km^2/s^2", ANY, "twice the specific energy"),
    ("OutgoingRHA", "degree", ANY, "right ascension of the outgoing asymptote"),
    ("OutgoingDHA", "degree", ANY, "declination of the outgoing asymptote"),
    ("OutgoingBVAZI", "degree", ANY, "azimuth of the B vector, outgoing"),
];

/// Why a name is no field of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// Not among the fields of a state.
    #[error("not a field of the orbit state")]
    Unknown,
    /// `MA`, `EA` and `HA`: GMAT refuses to set them, too.
    #[error("GMAT does not let a script set an anomaly other than TA")]
    Anomaly,
    /// `RMAG` and `VMAG`, which GMAT reports but does not let a script set on a Spacecraft.
    #[error("GMAT's Spacecraft fields are RMagnitude and VMagnitude; RMAG and VMAG can only be reported")]
    Magnitude,
    /// Fields of the Brouwer mean elements.
    #[error("Brouwer mean elements are not supported")]
    Brouwer,
}

impl Field {
    /// The field of a name.
    pub fn find(name: &str) -> Result<Field, FieldError> {
        if let Some(&(name, units, limits, long_name)) = FIELDS.iter().find(|field| field.0 == name) {
            let mut field = Field { name, units, long_name, place: 0, owners: 0, limits };
            for (bit, representation) in REPRESENTATIONS.iter().enumerate() {
                if let Some(place) = representation.fields.iter().position(|field| *field == name) {
                    field.place = place;
                    field.owners |= 1 << bit;
                }
            }
            return Ok(field);
        }
        Err(match name {
            "MA" | "EA" | "HA" => FieldError::Anomaly,
            "RMAG" | "VMAG" => FieldError::Magnitude,
            _ if name.starts_with("Brouwer") => FieldError::Brouwer,
            _ => FieldError::Unknown,
        })
    }

    /// All fields.
    pub fn all() -> impl Iterator<Item = Field> {
        FIELDS.iter().filter_map(|field| Field::find(field.0).ok())
    }

    /// Whether a number may be given to this field.
    pub fn check(&self, value: f64) -> Result<(), RepresentationError> {
        if !value.is_finite() {
            Err(RepresentationError::NotFinite)
        } else if (self.limits.low..=self.limits.high).contains(&value) {
            Ok(())
        } else {
            Err(RepresentationError::OutOfRange { field: self.name, allowed: self.limits.allowed })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_owners() {
        for representation in REPRESENTATIONS {
            for (place, name) in representation.fields.iter().enumerate() {
                let field = Field::find(name).unwrap();
                assert_eq!(field.place, place, "{name}");
            }
        }
        assert_eq!(Field::all().count(), FIELDS.len());
        assert!(Field::all().all(|field| field.owners != 0));
        assert_eq!(Field::find("SMA").unwrap().owners.count_ones(), 3);
        for (name, error) in [
            ("MA", FieldError::Anomaly),
            ("RMAG", FieldError::Magnitude),
            ("BrouwerShortSMA", FieldError::Brouwer),
            ("sma", FieldError::Unknown),
        ] {
            assert_eq!(Field::find(name).unwrap_err(), error);
        }
    }

    #[test]
    fn limits_are_those_of_gmat() {
        for (name, inside, outside) in [
            ("INC", 180.0, 180.000_001),
            ("FPA", 0.0, -1e-9),
            ("DEC", -90.0, -90.1),
            ("EquinoctialH", 0.999_99, 0.999_991),
            ("MLONG", -360.0, 361.0),
            ("TLONG", 360.0, -0.1),
            ("RMagnitude", 1e-9, 0.0),
        ] {
            let field = Field::find(name).unwrap();
            assert_eq!(field.check(inside), Ok(()));
            assert!(matches!(field.check(outside), Err(RepresentationError::OutOfRange { .. })), "{name}");
            assert_eq!(field.check(f64::NAN), Err(RepresentationError::NotFinite));
        }
    }
}
