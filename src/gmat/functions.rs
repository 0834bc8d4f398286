//! The functions of numbers that formulas know. They are those of libm, so that every machine has the same bits; `sin`
//! and its like take radians, as in GMAT.
//!
//! Where GMAT ends the run they give NaN, which no number of a mission can become: sqrt(-1), log(0), asin(1.1),
//! mod(1, 0). asin and acos take a number that is beyond 1 by 1e-15, as there.

/// A function of one number.
pub(super) type One = fn(f64) -> f64;
/// A function of two numbers.
pub(super) type Two = fn(f64, f64) -> f64;

/// Functions of one number; angles in radians.
pub(super) const FUNCTIONS: &[(&str, One)] = &[
    ("sin", libm::sin),
    ("cos", libm::cos),
    ("tan", libm::tan),
    ("asin", |x| libm::asin(inside(x))),
    ("acos", |x| libm::acos(inside(x))),
    ("atan", libm::atan),
    ("sinh", libm::sinh),
    ("cosh", libm::cosh),
    ("tanh", libm::tanh),
    ("exp", libm::exp),
    ("log", |x| if x > 0.0 { libm::log(x) } else { f64::NAN }),
    ("log10", |x| if x > 0.0 { libm::log10(x) } else { f64::NAN }),
    ("sqrt", libm::sqrt),
    ("abs", libm::fabs),
    ("floor", libm::floor),
    ("ceil", libm::ceil),
    ("fix", libm::trunc),
    ("sign", sign),
    ("degToRad", f64::to_radians),
    ("deg2Rad", f64::to_radians),
    ("deg2rad", f64::to_radians),
    ("radToDeg", f64::to_degrees),
    ("rad2Deg", f64::to_degrees),
    ("rad2deg", f64::to_degrees),
];

/// Functions of two numbers.
pub(super) const FUNCTIONS_OF_TWO: &[(&str, Two)] =
    &[("atan2", libm::atan2), ("mod", modulo), ("min", libm::fmin), ("max", libm::fmax), ("pow", libm::pow)];

/// Those of them that take any count of numbers, from the left to the right.
pub(super) const OF_ANY_COUNT: [&str; 2] = ["min", "max"];

/// What GMAT lets pass beyond -1 and 1.
const BEYOND: f64 = 1e-15;

/// Brought to -1 or 1 from closely beyond.
fn inside(x: f64) -> f64 {
    if x > 1.0 && x <= 1.0 + BEYOND {
        1.0
    } else if x < -1.0 && x > -1.0 - BEYOND {
        -1.0
    } else {
        x
    }
}

/// x - y floor(x/y): the sign is that of y, as in GMAT; NaN for y = 0.
fn modulo(x: f64, y: f64) -> f64 {
    x - y * libm::floor(x / y)
}

/// 1, -1, or 0 for 0.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { 1.0_f64.copysign(x) }
}
