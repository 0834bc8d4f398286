//! The shadow function: the part of the solar disc that is seen, from 1 in sunlight to 0 in full shadow.
//!
//! Theory: Sun and body are discs in the sky of the craft, with the angular radii a = asin(Rs / d) and
//! b = asin(R / p) and their centres c apart, where d and p are the distances of the Sun and the body. The disc is
//! whole if c >= a + b, hidden if c < b - a; it shows the ring 1 - (b / a)^2 if the body stands wholly before it
//! (c <= a - b, annular eclipse), and else
//!
//! 1 - (a^2 acos(x / a) + b^2 acos((c - x) / b) - c y) / (pi a^2), x = (c^2 + a^2 - b^2) / (2 c), y^2 = a^2 - x^2.
//!
//! This is GMAT's model, operation by operation, with the quirks that go with it: the areas are those of flat
//! discs of radii a and b; on the sunward side of the plane through the body's centre all is lit; below the
//! surface all is dark on the other side; bodies have no atmosphere and are balls of their equatorial radius.
//!
//! Several bodies: the least value counts, except that exactly two bodies that each hide a part of the Sun and do
//! not overlap in the sky add up what they hide. For that overlap GMAT takes the bodies from the Earth and the
//! craft from the central body, which is right about the Earth alone; about another centre the outcome is
//! GMAT's, not nature's.
//!
//! The function is continuous (`prop_continuous_over_all_borders`) but for the plane through the body's centre
//! just above the surface, and between the two rules for two bodies. The areas of two near discs cancel: in low
//! orbits, where b^2 is 1e5 times a^2, the outermost thousandth of the penumbra carries a rounding of up to 5e-5, in
//! GMAT as here.
//!
//! # References
//! Montenbruck and Gill, *Satellite Orbits*, 3rd corr. ed., sec. 3.4.2, eq. 3.85-3.94. GMAT R2026a.

use std::f64::consts::PI;

/// A body that may hide the Sun, seen by one craft; all from the central body, km.
#[derive(Clone, Copy, Debug)]
pub struct Occulter {
    /// Equatorial radius, km.
    pub radius: f64,
    /// Where the body is.
    pub place: [f64; 3],
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

/// The part of the solar disc that one body leaves: craft at `r`, Sun at `sun` (km, from the central body),
/// `sun_radius` (km).
pub fn sunlight_past(body: &Occulter, sun: [f64; 3], sun_radius: f64, r: [f64; 3]) -> f64 {
    let (from_body, to_sun) = (difference(r, body.place), difference(sun, r));
    if dot(from_body, difference(sun, body.place)) > 0.0 {
        return 1.0;
    }
    let (sun_distance, body_distance) = (norm(to_sun), norm(from_body));
    if sun_radius >= sun_distance {
        return 1.0;
    }
    if body.radius >= body_distance {
        return 0.0;
    }
    let a = libm::asin(sun_radius / sun_distance);
    let b = libm::asin(body.radius / body_distance);
    let to_sun = to_sun.map(|component| component / sun_distance);
    let c = libm::acos(-dot(from_body.map(|component| component / body_distance), to_sun));
    if a + b <= c {
        1.0
    } else if c < b - a {
        0.0
    } else if (a - b).abs() < c {
        // GMAT forms c anew here, with the division last
        partial(a, b, libm::acos(-dot(from_body, to_sun) / body_distance))
    } else {
        1.0 - b * b / (a * a)
    }
}

/// The part left of a disc of radius `a` by another of radius `b` whose centre is `c` away, the rims crossing.
fn partial(a: f64, b: f64, c: f64) -> f64 {
    let (a_squared, b_squared) = (a * a, b * b);
    // On the very border rounding may put x past the rim; GMAT has NaN there, in an instant of 1e-13 s.
    let x = ((c * c + a_squared - b_squared) / (2.0 * c)).clamp(-a, a);
    let y = (a_squared - x * x).sqrt();
    let hidden = a_squared * libm::acos(x / a) + b_squared * libm::acos(((c - x) / b).clamp(-1.0, 1.0)) - c * y;
    1.0 - hidden / (PI * a_squared)
}

/// The part of the solar disc that several bodies leave to a craft at `r`; `center_from_earth` is where the
/// central body is from the Earth (km).
///
/// Bodies come in GMAT's order, but no outcome depends on it.
pub fn sunlight(
    bodies: impl Iterator<Item = Occulter>,
    sun: [f64; 3],
    sun_radius: f64,
    center_from_earth: [f64; 3],
    r: [f64; 3],
) -> f64 {
    let mut least = 1.0;
    let mut count = 0;
    let mut partly = [(1.0, Occulter { radius: 0.0, place: [0.0; 3] }); 2];
    for body in bodies {
        let left = sunlight_past(&body, sun, sun_radius, r);
        if left < least {
            least = left;
        }
        if left <= 0.0 {
            return 0.0;
        }
        // not less: rounding at the rim may give more than 1, and GMAT counts it
        if (left - 1.0).abs() > 0.0 {
            if count < 2 {
                partly[count] = (left, body);
            }
            count += 1;
        }
    }
    if count == 2 {
        let [(first_left, first), (second_left, second)] = partly;
        let from_earth = |body: &Occulter| {
            let place = body.place;
            [0, 1, 2].map(|axis| place[axis] + center_from_earth[axis] - r[axis])
        };
        let (p, q) = (from_earth(&first), from_earth(&second));
        let (p_distance, q_distance) = (norm(p), norm(q));
        let radii = libm::asin(first.radius / p_distance) + libm::asin(second.radius / q_distance);
        // false for NaN, which a craft has that is nearer to the centre than the Earth's radius
        if radii < libm::acos(dot(p, q) / (p_distance * q_distance)) {
            return (first_left + second_left - 1.0).max(0.0);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    const AU: f64 = 149_597_870.691;
    const SUN: f64 = 695_990.0;
    const EARTH: f64 = 6378.1363;
    const CENTER: Occulter = Occulter { radius: EARTH, place: [0.0; 3] };

    /// The light at a distance from the Earth's centre, with its centre c (rad) away from that of the Sun.
    fn at(distance: f64, c: f64) -> f64 {
        // Sun on the x axis seen from the craft
        let r = [-distance * libm::cos(c), distance * libm::sin(c), 0.0];
        let sun = [r[0] + AU, r[1], 0.0];
        sunlight_past(&CENTER, sun, SUN, r)
    }

    /// A bound of the rounding: acos near 0 is wrong by up to the root of 1e-15, and b^2 acos is set against pi a^2.
    fn noise(a: f64, b: f64) -> f64 {
        1e-12 + 4e-8 * b * b / (PI * a * a)
    }

    #[test]
    fn prop_continuous_over_all_borders() {
        // The hidden part grows as the 3/2 power of the depth: at most 1e-4 at a thousandth of a and nothing, but for
        // the rounding, at a billionth.
        let a = libm::asin(SUN / AU);
        for distance in [1.0e4, 4.2e4, 3.8e5, 1.3e6, 1.5e6, 2.0e6] {
            let b = libm::asin(EARTH / distance);
            for border in [a + b, (a - b).abs()] {
                for (depth, change) in [(1e-3, 1e-4), (1e-9, 0.0)] {
                    let (inside, outside) = (at(distance, border - depth * a), at(distance, border + depth * a));
                    assert!(
                        (inside - outside).abs() <= change + noise(a, b),
                        "{distance} {border}: {inside} {outside}"
                    );
                }
            }
        }
    }

    #[test]
    fn prop_light_grows_from_umbra_to_sunlight() {
        let a = libm::asin(SUN / AU);
        for distance in [6600.0, 42_164.0, 384_400.0, 2.0e6] {
            let b = libm::asin(EARTH / distance);
            let mut last = at(distance, (b - 1.1 * a).max(0.0));
            assert!(last.abs() < 1e-15 || b < a);
            for step in 0..=2200 {
                let light = at(distance, (b + a * (f64::from(step) / 1000.0 - 1.1)).max(0.0));
                let noise = noise(a, b);
                assert!(light > last - noise && light < 1.0 + noise, "{distance} {step}: {light} {last}");
                last = light;
            }
            assert!((last - 1.0).abs() == 0.0);
        }
    }

    #[test]
    fn prop_equal_discs_that_touch_centres_hide_what_geometry_says() {
        // Two discs of radius 1 at distance 1: the lens is 2 pi / 3 - sqrt(3) / 2.
        let expected = 1.0 - (2.0 * PI / 3.0 - 3.0_f64.sqrt() / 2.0) / PI;
        assert!((partial(0.01, 0.01, 0.01) - expected).abs() < 1e-15);
    }

    #[test]
    fn prop_two_bodies_apart_add_up_and_the_least_counts_otherwise() {
        let r = [-40_000.0, 0.0, 0.0];
        let sun = [AU, 0.0, 0.0];
        let a = libm::asin(SUN / (AU + 40_000.0));
        // a ball of 10 km at 10000 km, its centre at the angle c to one or the other side of the Sun's centre
        let ball =
            |c: f64, radius: f64| Occulter { radius, place: [-40_000.0 + 1e4 * libm::cos(c), 1e4 * libm::sin(c), 0.0] };
        let light = |bodies: &[Occulter]| sunlight(bodies.iter().copied(), sun, SUN, [0.0; 3], r);
        let (left, right) = (ball(a, 10.0), ball(-a, 12.0));
        let hidden = 2.0 - light(&[left]) - light(&[right]);
        assert!(hidden > 0.05);
        assert!((light(&[left, right]) - (1.0 - hidden)).abs() < 1e-15);
        let over = ball(a * 1.01, 12.0);
        assert!((light(&[left, over]) - light(&[left]).min(light(&[over]))).abs() == 0.0);
        let three = [left, right, ball(a * 0.9, 8.0)];
        assert!((light(&three) - three.iter().map(|body| light(&[*body])).fold(1.0, f64::min)).abs() == 0.0);
        assert!(light(&[left, ball(0.0, 100.0)]).abs() == 0.0);
    }
}
