//! The forces as terms of a force model: each takes out of a [`Stage`] what its formula needs.

use super::drag::{Atmosphere, Drag, Shape};
use super::harmonics::tides::{LoveNumbers, SolidTides};
use super::harmonics::{Field, FieldError, Harmonics};
use super::radiation_pressure::{RadiationPressure, Surface};
use super::relativity::{Motion, Relativity};
use super::third_body::ThirdBody;
use super::{Force, Needs, Stage, drag, radiation_pressure};
use crate::astro::bodies::Bodies;
use crate::astro::ephemeris::Body;
use crate::base::lanes::Lanes;

/// No vector at all.
const ZERO: [Lanes; 3] = [Lanes::splat(0.0); 3];

/// Gravity of the central body by its field.
pub struct FieldTerm(Harmonics);

impl FieldTerm {
    /// A field to its degree and order; it needs the rotation of the central body.
    pub fn new(field: &Field) -> Result<Self, FieldError> {
        Harmonics::new(field).map(FieldTerm)
    }
}

impl Force for FieldTerm {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        self.0.acceleration_inertial(stage.vectors, stage.rotation, stage.r, a);
    }

    fn describe(&self) -> String {
        self.0.describe().to_owned()
    }
}

/// What the solid tides of the Earth add to its field: the Sun and the Moon raise them.
pub struct TideTerm {
    tides: SolidTides,
    /// mu of the bodies (km^3/s^2) and their places.
    raised_by: [(f64, usize); 2],
}

impl TideTerm {
    /// The tides of a field of the Earth, cut to its degree and order.
    pub fn boxed(field: &Field, constants: &Bodies, needs: &mut Needs) -> Box<dyn Force> {
        needs.rotation = true;
        let raised_by = [Body::Sun, Body::Luna].map(|body| (constants.of(body).mu, needs.body(body)));
        Box::new(TideTerm { tides: SolidTides::new(field, LoveNumbers::EARTH), raised_by })
    }
}

impl Force for TideTerm {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        let row = |m: &[Lanes; 3], v: &[Lanes; 3], lane: usize| {
            m[0].0[lane] * v[0].0[lane] + m[1].0[lane] * v[1].0[lane] + m[2].0[lane] * v[2].0[lane]
        };
        let lanes = 0..stage.vectors.width();
        let fixed = |v: &[Lanes; 3]| {
            let mut out = ZERO;
            for (out, m) in out.iter_mut().zip(stage.rotation) {
                lanes.clone().for_each(|lane| out.0[lane] = row(m, v, lane));
            }
            out
        };
        let bodies = self.raised_by.map(|(mu, place)| (mu, fixed(&stage.positions[place])));
        let mut a_fixed = ZERO;
        self.tides.acceleration(stage.vectors, &bodies, &fixed(stage.r), &mut a_fixed);
        for (i, a) in a.iter_mut().enumerate() {
            let column = [0, 1, 2].map(|j| stage.rotation[j][i]);
            lanes.clone().for_each(|lane| a.0[lane] += row(&column, &a_fixed, lane));
        }
    }

    fn describe(&self) -> String {
        self.tides.describe()
    }
}

/// Gravity of another body.
pub struct ThirdBodyTerm {
    body: ThirdBody,
    place: usize,
}

impl ThirdBodyTerm {
    /// A body other than the centre.
    pub fn boxed(body: Body, constants: &Bodies, needs: &mut Needs) -> Box<dyn Force> {
        Box::new(ThirdBodyTerm { body: ThirdBody::new(body.name(), constants.of(body).mu), place: needs.body(body) })
    }
}

impl Force for ThirdBodyTerm {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        self.body.add_acceleration(stage.vectors, &stage.positions[self.place], stage.r, a);
    }

    fn describe(&self) -> String {
        self.body.describe()
    }
}

/// Drag in the atmosphere of the Earth.
pub struct DragTerm {
    drag: Drag,
    sun: usize,
}

impl DragTerm {
    /// Drag in an atmosphere.
    pub fn new(atmosphere: Box<dyn Atmosphere>, needs: &mut Needs) -> Self {
        (needs.rotation, needs.air) = (true, true);
        DragTerm { drag: Drag::new(atmosphere), sun: needs.body(Body::Sun) }
    }
}

impl Force for DragTerm {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        let around = drag::Surroundings {
            epochs: stage.epochs,
            rotation: stage.rotation,
            spin: stage.spin,
            sun: &stage.positions[self.sun],
        };
        let craft = stage.craft;
        let shape = Shape { cd: &craft.cd, area: &craft.drag_area, mass: &craft.mass, scale: &craft.density_scale };
        self.drag.add_acceleration(stage.vectors, &around, &shape, stage.r, stage.v, a);
    }

    fn describe(&self) -> String {
        self.drag.atmosphere().describe()
    }
}

/// Pressure of sunlight, in the shadow of bodies.
pub struct RadiationTerm {
    pressure: RadiationPressure,
    /// The Sun's place; none about the Sun.
    sun: Option<usize>,
    /// The places of the bodies that cast shadows besides the centre, which comes last.
    shadows: Vec<usize>,
    /// Whether the central body casts one.
    of_center: bool,
    /// The Earth's place, where two shadows may meet about another centre.
    earth: Option<usize>,
}

/// The most bodies that cast shadows.
const SHADOWS_MAX: usize = 11;

impl RadiationTerm {
    /// Pressure of a flux (W/m^2) at the nominal distance of the Sun (km), with the shadows of some bodies and of the
    /// central one.
    pub fn boxed(
        flux: f64,
        nominal_sun: f64,
        center: Body,
        shadows: &[Body],
        constants: &Bodies,
        needs: &mut Needs,
    ) -> Box<dyn Force> {
        let others: Vec<Body> = shadows.iter().copied().filter(|body| *body != center && *body != Body::Sun).collect();
        let of_center = center != Body::Sun;
        let mut radii: Vec<f64> = others.iter().map(|body| constants.of(*body).radius).collect();
        radii.extend(of_center.then(|| constants.of(center).radius));
        let earth = (radii.len() > 1 && center != Body::Earth).then(|| needs.body(Body::Earth));
        Box::new(RadiationTerm {
            pressure: RadiationPressure::of_flux(flux, nominal_sun, constants.of(Body::Sun).radius, radii),
            sun: of_center.then(|| needs.body(Body::Sun)),
            shadows: others.iter().map(|body| needs.body(*body)).collect(),
            of_center,
            earth,
        })
    }
}

impl Force for RadiationTerm {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        let mut bodies = [ZERO; SHADOWS_MAX];
        for (body, &place) in bodies.iter_mut().zip(&self.shadows) {
            *body = stage.positions[place];
        }
        let count = self.shadows.len() + usize::from(self.of_center);
        let mut center_from_earth = ZERO;
        if let Some(earth) = self.earth {
            for (out, component) in center_from_earth.iter_mut().zip(&stage.positions[earth]) {
                for (out, number) in out.0.iter_mut().zip(component.0) {
                    *out = -number;
                }
            }
        }
        let around = radiation_pressure::Surroundings {
            sun: self.sun.map_or(&ZERO, |sun| &stage.positions[sun]),
            bodies: &bodies[..count],
            center_from_earth: &center_from_earth,
        };
        let craft = stage.craft;
        let surface = Surface { cr: &craft.cr, area: &craft.srp_area, mass: &craft.mass };
        self.pressure.add_acceleration(stage.vectors, &around, &surface, stage.r, a);
    }

    fn describe(&self) -> String {
        self.pressure.describe()
    }
}

/// The relativistic correction about a body.
pub struct RelativityTerm {
    relativity: Relativity,
    sun: usize,
}

impl RelativityTerm {
    /// The correction about a body that turns as [`Stage::rotation`] says.
    pub fn boxed(center: Body, constants: &Bodies, needs: &mut Needs) -> Box<dyn Force> {
        needs.rotation = true;
        needs.velocities = true;
        let sun_mu = (center != Body::Sun).then(|| constants.of(Body::Sun).mu);
        let relativity = Relativity::new(constants.of(center).mu, constants.of(center).radius, sun_mu);
        Box::new(RelativityTerm { relativity, sun: needs.body(Body::Sun) })
    }
}

impl Force for RelativityTerm {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        let motion = Motion {
            sun: &stage.positions[self.sun],
            sun_velocity: &stage.velocities[self.sun],
            pole: &stage.rotation[2],
            spin_rate: stage.spin_rate,
        };
        self.relativity.add_acceleration(stage.vectors, &motion, stage.r, stage.v, a);
    }

    fn describe(&self) -> String {
        self.relativity.describe()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::astro::ephemeris::EphemerisCache;
    use crate::astro::epoch::{Epoch, Scale};
    use crate::astro::frames::BodyOrientationCache;
    use crate::astro::world::World;
    use crate::base::lanes::{Isa, Vectors, WIDTH};
    use crate::forces::Craft;

    #[test]
    fn val_relativity_about_bodies_of_gmat() {
        let world = World::gmat();
        let vectors = Vectors::new(Isa::best(), WIDTH);
        let (mut ephemeris, mut orientation) = (EphemerisCache::default(), BodyOrientationCache::default());
        let (mut count, mut worst) = (0, 0.0_f64);
        let text = include_str!("../../tests/reference/gmat/relativity_bodies.txt");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, numbers) = line.split_once(' ').unwrap();
            let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
            let center = Body::of_name(name).unwrap();
            let epochs = [Epoch::from_mjd(Scale::A1, numbers[0]).unwrap(); WIDTH];
            let mut needs = Needs::default();
            let term = RelativityTerm::boxed(center, &Bodies::default(), &mut needs);
            let (mut positions, mut velocities) = (vec![ZERO; needs.bodies.len()], vec![ZERO; needs.bodies.len()]);
            let (r, v) = (&mut positions[..], &mut velocities[..]);
            world.ephemeris.states(vectors, &epochs, &needs.bodies, center, &mut ephemeris, r, v).unwrap();
            let (mut rotation, mut spin, mut a) = ([ZERO; 3], ZERO, ZERO);
            let axes = &mut rotation;
            world.fixed_from_inertial(vectors, center, &epochs, &mut orientation, axes, &mut spin).unwrap();
            let stage = Stage {
                vectors,
                epochs: &epochs,
                r: &[1, 2, 3].map(|k| Lanes::splat(numbers[k])),
                v: &[4, 5, 6].map(|k| Lanes::splat(numbers[k])),
                craft: &Craft::default(),
                positions: &positions,
                velocities: &velocities,
                rotation: &rotation,
                spin: &spin,
                spin_rate: orientation.spin_rate(),
            };
            term.add_acceleration(&stage, &mut a);
            let norm = |a: [f64; 3]| (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
            let expected = [numbers[7], numbers[8], numbers[9]];
            let difference = norm([0, 1, 2].map(|k| a[k].0[6] - expected[k]));
            worst = worst.max(difference / norm(expected));
            count += 1;
        }
        assert_eq!(count, 20);
        // a few roundings, the terms partly cancel
        assert!(worst < 1e-15, "{worst:e}");
    }
}
