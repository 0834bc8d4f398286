//! Pressure of sunlight on a ball.
//!
//! a = n P (D / d)^2 Cr A / m s / |s|, in m/s^2, with s from the Sun to the craft, d = |s|, D the distance at which
//! the pressure is P, and n the part of the solar disc that is seen ([`super::shadow`]). P is the flux over the
//! speed of light, 299792458 m/s.
//!
//! All lanes are sorted at once into sunlight, full shadow and the narrow rest without an angle: with
//! a, b and c of the shadow function, cos(a + b) > cos(c) is sunlight and cos(b - a) < cos(c) is full shadow, and both
//! sides times d p, p the distance from the body, need products and one square root. Only the rest, which
//! is the penumbra, the annular eclipse and a margin of 1e-12 around, goes through the scalar function.
//!
//! Domain: d > 0. Against the engine: `val_accelerations_of_gmat`.
//!
//! # References
//! Montenbruck and Gill, *Satellite Orbits*, 3rd corr. ed., eq. 3.75. GMAT R2026a.

use super::shadow::{self, Occulter};
use crate::base::lanes::{Lanes, Real, Vectors, WIDTH};
use crate::lane_kernel;

/// Speed of light, m/s.
pub const LIGHT: f64 = 299_792_458.0;

/// GMAT's flux at the nominal distance, W/m^2.
pub const FLUX: f64 = 1367.0;

/// GMAT's nominal distance of the Sun, km.
pub const NOMINAL_SUN: f64 = 149_597_870.691;

/// The pressure of sunlight and what may stand before the Sun.
#[derive(Clone, Debug, PartialEq)]
pub struct RadiationPressure {
    pressure: f64,
    nominal_sun: f64,
    sun_radius: f64,
    shadow_radii: Vec<f64>,
}

/// Where Sun and bodies are, from the central body in `MJ2000Eq` axes, km.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The Sun; zero if it is the centre.
    pub sun: &'a [Lanes; 3],
    /// The bodies that cast shadows, in the order of their radii.
    pub bodies: &'a [[Lanes; 3]],
    /// The central body from the Earth: zero about the Earth. Only for two shadows at once; see [`super::shadow`].
    pub center_from_earth: &'a [Lanes; 3],
}

/// What the light falls on.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Coefficient of reflectivity: 1 absorbs all, 2 reflects all.
    pub cr: &'a Lanes,
    /// Area across the light, m^2.
    pub area: &'a Lanes,
    /// Mass, kg.
    pub mass: &'a Lanes,
}

impl RadiationPressure {
    /// From the pressure (N/m^2; GMAT's `Flux_Pressure`) at the distance `nominal_sun` (km), the radius of the Sun
    /// and the equatorial radii of the bodies that cast shadows (km).
    ///
    /// GMAT's bodies are those of `ExtraShadowBodies` and then the central body, never the Sun.
    pub fn of_pressure(pressure: f64, nominal_sun: f64, sun_radius: f64, shadow_radii: Vec<f64>) -> Self {
        RadiationPressure { pressure, nominal_sun, sun_radius, shadow_radii }
    }

    /// The same from the flux (W/m^2; GMAT's `Flux`).
    pub fn of_flux(flux: f64, nominal_sun: f64, sun_radius: f64, shadow_radii: Vec<f64>) -> Self {
        RadiationPressure::of_pressure(flux / LIGHT, nominal_sun, sun_radius, shadow_radii)
    }

    /// Adds the acceleration (km/s^2) at `r` (km from the central body); `around` has a body for each radius.
    pub fn add_acceleration(
        &self,
        vectors: Vectors,
        around: &Surroundings,
        surface: &Surface,
        r: &[Lanes; 3],
        a: &mut [Lanes; 3],
    ) {
        debug_assert_eq!(around.bodies.len(), self.shadow_radii.len(), "a place for each body");
        radiation_pressure(vectors, self, around, surface, r, a);
    }

    /// The force and all its numbers, for the hash of the plan.
    pub fn describe(&self) -> String {
        format!("{self:?}")
    }

    /// The part of the solar disc that one lane sees.
    #[cold]
    #[inline(never)]
    fn sunlight(&self, around: &Surroundings, r: &[Lanes; 3], lane: usize) -> f64 {
        let place = |vector: &[Lanes; 3]| [vector[0].0[lane], vector[1].0[lane], vector[2].0[lane]];
        let bodies = self.shadow_radii.iter().zip(around.bodies);
        let bodies = bodies.map(|(radius, body)| Occulter { radius: *radius, place: place(body) });
        shadow::sunlight(bodies, place(around.sun), self.sun_radius, place(around.center_from_earth), place(r))
    }
}

lane_kernel!(
    fn radiation_pressure(
        force: &RadiationPressure,
        around: &Surroundings,
        surface: &Surface,
        r: &[Lanes; 3],
        a: &mut [Lanes; 3],
    ) = acceleration
);

/// Lanes that surely are in full shadow, and lanes that surely are in sunlight.
struct Sorted {
    dark: u8,
    lit: u8,
}

/// Sorts by one body: `from_body` and `from_sun` are the craft's place, `distance` that from the Sun.
#[inline(always)]
fn sort<T: Real>(radius: f64, sun_radius: f64, from_body: [T; 3], from_sun: [T; 3], distance: T) -> Sorted {
    let dot = from_body[0] * from_sun[0] + from_body[1] * from_sun[1] + from_body[2] * from_sun[2];
    let body_squared = from_body[0] * from_body[0] + from_body[1] * from_body[1] + from_body[2] * from_body[2];
    let distance_squared = distance * distance;
    // d p times cos a cos b, sin a sin b and the margin
    let cosines = (distance_squared - T::splat(sun_radius * sun_radius)) * (body_squared - T::splat(radius * radius));
    let cosines = cosines.sqrt();
    let sines = T::splat(sun_radius * radius);
    let margin = T::splat(1e-12) * distance * (from_body[0].abs() + from_body[1].abs() + from_body[2].abs());
    // NaN, where the craft is inside a body, is neither
    let larger = (T::splat(sun_radius * sun_radius) * body_squared)
        .less_than(T::splat(radius * radius * (1.0 - 1e-12)) * distance_squared);
    Sorted { lit: (dot + sines + margin).less_than(cosines), dark: (cosines + sines + margin).less_than(dot) & larger }
}

#[inline(always)]
fn acceleration<T: Real>(
    first: usize,
    force: &RadiationPressure,
    around: &Surroundings,
    surface: &Surface,
    r: &[Lanes; 3],
    a: &mut [Lanes; 3],
) {
    let place = [T::load(&r[0], first), T::load(&r[1], first), T::load(&r[2], first)];
    let sun = around.sun;
    let from_sun =
        [place[0] - T::load(&sun[0], first), place[1] - T::load(&sun[1], first), place[2] - T::load(&sun[2], first)];
    let distance = (from_sun[0] * from_sun[0] + from_sun[1] * from_sun[1] + from_sun[2] * from_sun[2]).sqrt();

    let (mut dark, mut lit) = (0_u8, u8::MAX);
    for (radius, body) in force.shadow_radii.iter().zip(around.bodies) {
        let from_body = [
            place[0] - T::load(&body[0], first),
            place[1] - T::load(&body[1], first),
            place[2] - T::load(&body[2], first),
        ];
        let sorted = sort(*radius, force.sun_radius, from_body, from_sun, distance);
        dark |= sorted.dark;
        lit &= sorted.lit;
    }
    let all = u8::MAX >> (WIDTH - T::LANES);
    let mut light = T::select(dark, T::splat(0.0), T::splat(1.0));
    let unsure = !(lit | dark) & all;
    if unsure != 0 {
        let mut numbers = Lanes::splat(0.0);
        light.store(&mut numbers, first);
        for lane in 0..T::LANES {
            if unsure >> lane & 1 == 1 {
                numbers.0[first + lane] = force.sunlight(around, r, first + lane);
            }
        }
        light = T::load(&numbers, first);
    }

    // n P (D / d)^2 / m Cr A, then from m to km
    let ratio = T::splat(force.nominal_sun) / distance;
    let per_area = light * T::splat(force.pressure) * (ratio * ratio) / T::load(surface.mass, first);
    let coefficient = T::load(surface.cr, first) * T::load(surface.area, first);
    let size = per_area * coefficient * T::splat(0.001);
    for axis in 0..3 {
        (T::load(&a[axis], first) + size * (from_sun[axis] / distance)).store(&mut a[axis], first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::lanes::Isa;

    const REFERENCE: &str = include_str!("../../tests/reference/gmat/forces_radiation_pressure.txt");
    const SUN_RADIUS: f64 = 695_990.0;

    #[derive(Clone, Debug)]
    struct Sample {
        force: RadiationPressure,
        surface: [f64; 3],
        sun: [f64; 3],
        bodies: Vec<[f64; 3]>,
        center_from_earth: [f64; 3],
        r: [f64; 3],
        expected: [f64; 3],
    }

    fn three(numbers: &[f64]) -> [f64; 3] {
        [numbers[0], numbers[1], numbers[2]]
    }

    fn norm(a: [f64; 3]) -> f64 {
        (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt()
    }

    fn samples() -> Vec<Sample> {
        let lines = REFERENCE.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|line| {
                let n: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
                let bodies = &n[8..n.len() - 9];
                assert_eq!(bodies.len() % 4, 0, "{line}");
                let radii = bodies.chunks(4).map(|body| body[0]).collect();
                Sample {
                    force: RadiationPressure::of_pressure(n[0], n[1], SUN_RADIUS, radii),
                    surface: three(&n[2..]),
                    sun: three(&n[5..]),
                    bodies: bodies.chunks(4).map(|body| three(&body[1..])).collect(),
                    center_from_earth: three(&n[n.len() - 9..]),
                    r: three(&n[n.len() - 6..]),
                    expected: three(&n[n.len() - 3..]),
                }
            })
            .collect()
    }

    /// Flies samples with the force of the first, lane by lane.
    fn fly(vectors: Vectors, samples: &[&Sample]) -> [Lanes; 3] {
        let gather = |of: &dyn Fn(&Sample) -> [f64; 3]| -> [Lanes; 3] {
            std::array::from_fn(|axis| Lanes(std::array::from_fn(|lane| of(samples[lane % samples.len()])[axis])))
        };
        let bodies: Vec<[Lanes; 3]> =
            (0..samples[0].bodies.len()).map(|body| gather(&|sample| sample.bodies[body])).collect();
        let around = Surroundings {
            sun: &gather(&|sample| sample.sun),
            bodies: &bodies,
            center_from_earth: &gather(&|sample| sample.center_from_earth),
        };
        let [cr, area, mass] = gather(&|sample| sample.surface);
        let surface = Surface { cr: &cr, area: &area, mass: &mass };
        let mut a = [Lanes::splat(0.0); 3];
        samples[0].force.add_acceleration(vectors, &around, &surface, &gather(&|sample| sample.r), &mut a);
        a
    }

    #[test]
    fn val_accelerations_of_gmat() {
        // In sunlight and in full shadow the same operations give the same bits. In penumbra they mostly do, but an
        // arc function of the engine's C library and of libm may differ in the last bit, which the cancelling areas
        // enlarge by (b / a)^2, up to 1e5: below 1e-10 of the light (worst seen 1.5e-12).
        let samples = samples();
        let (mut partial, mut dark) = (0, 0);
        for sample in &samples {
            let a = fly(Vectors::new(Isa::best(), WIDTH), &[sample]).map(|lanes| lanes.0[0]);
            let sunlit = sample.force.pressure
                * (sample.force.nominal_sun / norm(minus(sample.r, sample.sun))).powi(2)
                * sample.surface[0]
                * sample.surface[1]
                / sample.surface[2]
                * 1e-3;
            let light = norm(sample.expected) / sunlit;
            let difference = norm(minus(a, sample.expected));
            let whole = (light - 1.0).abs() < 1e-12;
            partial += usize::from(light > 0.0 && !whole);
            dark += usize::from(light <= 0.0);
            let tolerance = if light > 0.0 && !whole { 1e-10 * sunlit } else { 0.0 };
            assert!(difference <= tolerance, "{light}: {a:?} is not {:?}", sample.expected);
        }
        assert!(partial >= 30 && dark >= 11 && samples.len() - partial - dark >= 8, "{partial} {dark}");
    }

    fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    #[test]
    fn val_pressure_of_gmat() {
        // GMAT's own Flux_Pressure of its default flux.
        let force = RadiationPressure::of_flux(FLUX, NOMINAL_SUN, SUN_RADIUS, Vec::new());
        assert!((force.pressure - 4.559_821_181_358_738e-6).abs() == 0.0);
    }

    #[test]
    fn prop_sorting_agrees_with_the_shadow_function() {
        // A million-kilometre cone sampled by angle from the Earth-Sun line, at distances from the surface out: the
        // kernel (sort, then function) must give what the function alone gives, bit by bit.
        let base = samples().swap_remove(0);
        let (radius, sun) = (base.force.shadow_radii[0], [149.0e6, 0.0, 0.0]);
        for distance in [6378.2, 6600.0, 8000.0, 42_164.0, 384_400.0, 1.38e6, 2.0e6] {
            let b = f64::asin(radius / distance);
            for step in -400..=400 {
                let c = b + 0.004_65 * f64::from(step) / 200.0;
                let r = [-distance * libm::cos(c), distance * libm::sin(c), 0.0];
                let sample = Sample { sun, r, ..base.clone() };
                let around = Surroundings {
                    sun: &sun.map(Lanes::splat),
                    bodies: &[[Lanes::splat(0.0); 3]],
                    center_from_earth: &[Lanes::splat(0.0); 3],
                };
                let light = base.force.sunlight(&around, &r.map(Lanes::splat), 0);
                let got = norm(fly(Vectors::new(Isa::best(), WIDTH), &[&sample]).map(|lanes| lanes.0[0]));
                let free = Sample {
                    force: RadiationPressure { shadow_radii: Vec::new(), ..base.force.clone() },
                    bodies: Vec::new(),
                    ..sample
                };
                let full = norm(fly(Vectors::new(Isa::best(), WIDTH), &[&free]).map(|lanes| lanes.0[0]));
                assert!((got / full - light).abs() < 1e-15, "{distance} {step}: {} {light}", got / full);
            }
        }
    }

    #[test]
    fn prop_lanes_give_the_same_bits_on_every_instruction_set() {
        let samples = samples();
        let earth: Vec<&Sample> = samples.iter().filter(|sample| sample.bodies.len() == 1).collect();
        for start in 0..earth.len() - WIDTH {
            let eight: Vec<Sample> = earth[start..start + WIDTH]
                .iter()
                .map(|sample| Sample { force: earth[start].force.clone(), ..(*sample).clone() })
                .collect();
            let eight: Vec<&Sample> = eight.iter().collect();
            for isa in Isa::available() {
                for width in [1, 4, 8] {
                    let a = fly(Vectors::new(isa, width), &eight);
                    for (lane, sample) in eight.iter().enumerate().take(width) {
                        let alone = fly(Vectors::new(Isa::best(), WIDTH), &[*sample]);
                        for axis in 0..3 {
                            assert_eq!(a[axis].0[lane].to_bits(), alone[axis].0[0].to_bits(), "{isa:?} {width} {lane}");
                        }
                    }
                }
            }
        }
    }
}
