//! Cartesian and spherical components, and the angular momentum.
//!
//! Azimuth from north through east, flight path angle from the zenith; right ascensions and the azimuth in
//! (-180, 180]. See representations/spherical.rs.

use super::Cycle::{HalfBothWays, QuarterBothWays};
use super::{Needs, Parameter, View};
use crate::astro::elements::norm;
use crate::astro::representations::spherical::{azimuth, direction, flight_path_angle};

const fn axes(name: &'static str, units: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    Parameter::of_axes(name, units, long_name, value).needs(Needs::State)
}

const fn angle(name: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    axes(name, "degree", long_name, value)
}

pub(super) const PARAMETERS: &[Parameter] = &[
    axes("X", "km", "position, x", |s| s.state.r[0]),
    axes("Y", "km", "position, y", |s| s.state.r[1]),
    axes("Z", "km", "position, z", |s| s.state.r[2]),
    axes("VX", "km/s", "velocity, x", |s| s.state.v[0]),
    axes("VY", "km/s", "velocity, y", |s| s.state.v[1]),
    axes("VZ", "km/s", "velocity, z", |s| s.state.v[2]),
    Parameter::of_body("RMAG", "km", "distance from the centre", |s| norm(s.state.r)).needs(Needs::State),
    axes("VMAG", "km/s", "speed", |s| norm(s.state.v)),
    angle("RA", "right ascension", |s| direction(s.state.r).0).cycle(HalfBothWays),
    angle("DEC", "declination", |s| direction(s.state.r).1).cycle(QuarterBothWays),
    angle("RAV", "right ascension of the velocity", |s| direction(s.state.v).0).cycle(HalfBothWays),
    angle("DECV", "declination of the velocity", |s| direction(s.state.v).1).cycle(QuarterBothWays),
    angle("AZI", "azimuth of the velocity, from north through east", |s| azimuth(&s.state).to_degrees())
        .cycle(HalfBothWays),
    angle("FPA", "flight path angle, from the zenith", |s| flight_path_angle(&s.state).to_degrees()),
    axes("HX", "km^2/s", "specific angular momentum, x", |s| s.state.angular_momentum()[0]),
    axes("HY", "km^2/s", "specific angular momentum, y", |s| s.state.angular_momentum()[1]),
    axes("HZ", "km^2/s", "specific angular momentum, z", |s| s.state.angular_momentum()[2]),
    Parameter::of_body("HMAG", "km^2/s", "specific angular momentum", View::momentum).needs(Needs::State),
];
