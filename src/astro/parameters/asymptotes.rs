//! The elements of the incoming and outgoing asymptotes, see representations/asymptotes.rs; NaN on circles.

use super::Cycle::Turn;
use super::{Parameter, View};
use crate::astro::representations::asymptotes::{Side, from_cartesian};

const fn body(name: &'static str, units: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    Parameter::of_body(name, units, long_name, value)
}

const fn angle(name: &'static str, long_name: &'static str, value: fn(&View) -> f64) -> Parameter {
    Parameter::of_axes(name, "degree", long_name, value).cycle(Turn)
}

pub(super) const PARAMETERS: &[Parameter] = &[
    body("IncomingRadPer", "km", "radius of periapsis", |s| number(s, Side::Incoming, 0)),
    body("IncomingC3Energy", "km^2/s^2", "twice the specific energy", |s| number(s, Side::Incoming, 1)),
    angle("IncomingRHA", "right ascension of the incoming asymptote", |s| number(s, Side::Incoming, 2)),
    angle("IncomingDHA", "declination of the incoming asymptote", |s| number(s, Side::Incoming, 3)),
    angle("IncomingBVAZI", "azimuth of the B vector, incoming", |s| number(s, Side::Incoming, 4)),
    body("OutgoingRadPer", "km", "radius of periapsis", |s| number(s, Side::Outgoing, 0)),
    body("OutgoingC3Energy", "km^2/s^2", "twice the specific energy", |s| number(s, Side::Outgoing, 1)),
    angle("OutgoingRHA", "right ascension of the outgoing asymptote", |s| number(s, Side::Outgoing, 2)),
    angle("OutgoingDHA", "declination of the outgoing asymptote", |s| number(s, Side::Outgoing, 3)),
    angle("OutgoingBVAZI", "azimuth of the B vector, outgoing", |s| number(s, Side::Outgoing, 4)),
];

fn number(s: &View, side: Side, place: usize) -> f64 {
    from_cartesian(&s.state, &s.centre, side).map_or(f64::NAN, |numbers| numbers[place])
}
