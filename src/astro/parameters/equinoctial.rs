//! Equinoctial, modified and alternate equinoctial elements, and Delaunay's. NaN where they are not
//! defined: hyperbolas (not the modified set), inclinations of 180 degrees.

use super::{Parameter, View};
use crate::astro::elements::Cartesian;
use crate::astro::representations::{Centre, RepresentationError, delaunay, equinoctial};

type Conversion = fn(&Cartesian, &Centre) -> Result<[f64; 6], RepresentationError>;

fn number(s: &View, conversion: Conversion, place: usize) -> f64 {
    conversion(&s.state, &s.centre).map_or(f64::NAN, |numbers| numbers[place])
}

const fn axes(name: &'static str, units: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    Parameter::of_axes(name, units, long_name, value)
}

pub(super) const PARAMETERS: &[Parameter] = &[
    axes("EquinoctialH", "1", "eccentricity vector, along g", |s| number(s, equinoctial::from_cartesian, 1)),
    axes("EquinoctialK", "1", "eccentricity vector, along f", |s| number(s, equinoctial::from_cartesian, 2)),
    axes("EquinoctialP", "1", "tan(INC/2) sin(RAAN)", |s| number(s, equinoctial::from_cartesian, 3)),
    axes("EquinoctialQ", "1", "tan(INC/2) cos(RAAN)", |s| number(s, equinoctial::from_cartesian, 4)),
    axes("MLONG", "degree", "mean longitude", |s| number(s, equinoctial::from_cartesian, 5)),
    axes("ModEquinoctialF", "1", "eccentricity vector, along f", |s| {
        number(s, equinoctial::modified_from_cartesian, 1)
    }),
    axes("ModEquinoctialG", "1", "eccentricity vector, along g", |s| {
        number(s, equinoctial::modified_from_cartesian, 2)
    }),
    axes("ModEquinoctialH", "1", "tan(INC/2) cos(RAAN)", |s| number(s, equinoctial::modified_from_cartesian, 3)),
    axes("ModEquinoctialK", "1", "tan(INC/2) sin(RAAN)", |s| number(s, equinoctial::modified_from_cartesian, 4)),
    axes("TLONG", "degree", "true longitude", |s| number(s, equinoctial::modified_from_cartesian, 5)),
    axes("AltEquinoctialP", "1", "sin(INC/2) sin(RAAN)", |s| number(s, equinoctial::alternate_from_cartesian, 3)),
    axes("AltEquinoctialQ", "1", "sin(INC/2) cos(RAAN)", |s| number(s, equinoctial::alternate_from_cartesian, 4)),
    axes("Delaunayl", "degree", "mean anomaly", |s| number(s, delaunay::from_cartesian, 0)),
    axes("Delaunayg", "degree", "argument of periapsis", |s| number(s, delaunay::from_cartesian, 1)),
    axes("Delaunayh", "degree", "right ascension of the ascending node", |s| number(s, delaunay::from_cartesian, 2)),
    axes("DelaunayL", "km^2/s", "sqrt(mu SMA)", |s| number(s, delaunay::from_cartesian, 3)),
    axes("DelaunayG", "km^2/s", "specific angular momentum", |s| number(s, delaunay::from_cartesian, 4)),
    axes("DelaunayH", "km^2/s", "specific angular momentum, z", |s| number(s, delaunay::from_cartesian, 5)),
];
