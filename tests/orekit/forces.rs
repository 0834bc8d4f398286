//! Forces with Orekit's constants and axes, made of the program's own.
//!
//! A mission flies in `MJ2000Eq`, whose axes the ephemeris takes for those of the ICRF, as GMAT does. Here these axes are
//! the GCRF, and what is bound to the Earth is [`Turned`] into it: so Sun and Moon and the Earth are all where
//! Orekit has them.

use sweep_mpi::astro::bodies::Bodies;
use sweep_mpi::astro::ephemeris::Body;
use sweep_mpi::astro::epoch::{Epoch, Scale};
use sweep_mpi::astro::frames::Rotation;
use sweep_mpi::astro::world::World;
use sweep_mpi::base::lanes::{Lanes, WIDTH};
use sweep_mpi::forces::drag::nrlmsise::Nrlmsise00;
use sweep_mpi::forces::drag::space_weather::{Activity, Weather};
use sweep_mpi::forces::drag::{Atmosphere, Place};
use sweep_mpi::forces::harmonics::Field;
use sweep_mpi::forces::point_mass::PointMass;
use sweep_mpi::forces::radiation_pressure::LIGHT;
use sweep_mpi::forces::relativity::{Motion, Relativity};
use sweep_mpi::forces::terms::{DragTerm, FieldTerm, RadiationTerm};
use sweep_mpi::forces::third_body::ThirdBody;
use sweep_mpi::forces::{Force, ForceModel, Needs, Stage};

use super::case::{Case, EPOCH, PRESSURE, SUN_DISTANCE};

/// Equatorial radius of the Earth, km.
const EARTH: f64 = 6_378.136_3;

/// No vector at all.
const ZERO: [Lanes; 3] = [Lanes::splat(0.0); 3];

/// GM of the Sun and of the Moon in DE440, km^3/s^2.
const SUN_MU: f64 = 132_712_440_041.279_46;
const MOON_MU: f64 = 4_902.800_118_457_551;
/// Orekit's frame bias.
const GCRF_TO_EME2000: [[f64; 3]; 3] = [
    [0.999_999_999_999_994_2, -7.078_279_744_199_198e-8, 8.056_217_146_976_134e-8],
    [7.078_279_477_857_338e-8, 0.999_999_999_999_997_1, 3.306_041_454_222_136_4e-8],
    [-8.056_217_380_986_972e-8, -3.306_040_883_980_552_3e-8, 0.999_999_999_999_996_2],
];
/// The Moon at the epoch in DE440, km: 14 m before that of DE405.
const MOON: [f64; 3] = [-211_072.117_194_074_33, 296_916.967_964_315_4, 167_156.755_680_447_37];

/// A force of the Earth's axes, in axes that do not coincide with `MJ2000Eq`.
struct Turned {
    force: Box<dyn Force>,
    /// From the axes that are flown in to `MJ2000Eq`.
    to_mj2000: Rotation,
}

fn turned(rotation: &Rotation, vector: &[Lanes; 3]) -> [Lanes; 3] {
    let mut out = ZERO;
    for lane in 0..WIDTH {
        let numbers = rotation.apply_vector(vector.map(|component| component.0[lane]));
        for (component, number) in out.iter_mut().zip(numbers) {
            component.0[lane] = number;
        }
    }
    out
}

impl Force for Turned {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        let [r, v] = [stage.r, stage.v].map(|vector| turned(&self.to_mj2000, vector));
        let mut sum = ZERO;
        self.force.add_acceleration(&Stage { r: &r, v: &v, ..*stage }, &mut sum);
        for (component, part) in a.iter_mut().zip(turned(&self.to_mj2000.inverse(), &sum)) {
            for (number, part) in component.0.iter_mut().zip(part.0) {
                *number += part;
            }
        }
    }

    fn describe(&self) -> String {
        self.force.describe()
    }
}

/// Another body with a gravitational parameter that is not GMAT's.
struct Attraction {
    body: ThirdBody,
    place: usize,
    /// From where DE405 has it to where DE440 has it.
    correction: Rotation,
}

impl Force for Attraction {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        let place = turned(&self.correction, &stage.positions[self.place]);
        self.body.add_acceleration(stage.vectors, &place, stage.r, a);
    }

    fn describe(&self) -> String {
        self.body.describe()
    }
}

/// The relativistic correction without the two terms that Orekit's has not: no Sun, and an Earth that does not turn.
struct Schwarzschild(Relativity);

impl Force for Schwarzschild {
    fn add_acceleration(&self, stage: &Stage, a: &mut [Lanes; 3]) {
        let still = Lanes::splat(0.0);
        let motion = Motion { sun: &ZERO, sun_velocity: &ZERO, pole: &ZERO, spin_rate: &still };
        self.0.add_acceleration(stage.vectors, &motion, stage.r, stage.v, a);
    }

    fn describe(&self) -> String {
        self.0.describe()
    }
}

/// The exponential atmosphere of the oracle: one band above a ball.
struct Ball;

impl Atmosphere for Ball {
    /// rho0 exp(-(h - h0) / H), with rho0 = 4e-13 kg/m^3, h0 = 500 km, H = 60 km
    fn density(&self, place: &Place) -> f64 {
        let [x, y, z] = place.fixed;
        4e-13 * (-((x * x + y * y + z * z).sqrt() - EARTH - 500.0) / 60.0).exp()
    }

    fn lowest_height(&self) -> f64 {
        0.0
    }

    fn describe(&self) -> String {
        "one band".to_owned()
    }
}

/// NRLMSISE-00 by the apparent solar time, as in Orekit.
///
/// The program gives the model the mean time of the longitude: the place is turned about the pole, by 1.9 degrees in
/// March, to where that is the apparent time.
struct Apparent {
    model: Nrlmsise00,
    world: std::sync::Arc<World>,
}

impl Atmosphere for Apparent {
    fn density(&self, place: &Place) -> f64 {
        // the Sun stands over this longitude, and over that one by mean time
        let [x, y, _] = self.world.earth.rotation(place.epoch).apply_vector(place.sun);
        let mean = -std::f64::consts::TAU * place.utc(); // its days begin at noon
        let (sine, cosine) = (mean - y.atan2(x)).sin_cos();
        let [px, py, pz] = place.fixed;
        let fixed = [cosine * px - sine * py, sine * px + cosine * py, pz];
        self.model.density(&Place { fixed, ..*place })
    }

    fn lowest_height(&self) -> f64 {
        0.0
    }

    fn describe(&self) -> String {
        self.model.describe()
    }
}

/// The turn of the Moon's orbit that leads from DE405 to DE440, with an angle of 4e-8 rad.
///
/// 1 + t x, t = r x (r' - r) / r^2
fn of_the_moon(epoch: Epoch) -> Rotation {
    let r = World::gmat().state(Body::Luna, Body::Earth, epoch).r;
    let square: f64 = r.iter().map(|x| x * x).sum();
    let d: [f64; 3] = std::array::from_fn(|i| (MOON[i] - r[i]) / square);
    let [x, y, z] = [r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]];
    Rotation::fixed([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]])
}

/// The forces of a case whose state is in the GCRF.
pub(super) fn in_gcrf(case: &Case) -> ForceModel {
    let epoch = Epoch::from_gregorian(Scale::Utc, EPOCH).unwrap();
    model(case, World::gmat().icrf.rotation(epoch).unwrap().inverse())
}

/// The forces of a case whose state is in EME2000, by the chain of C03c: the axes of J2000 in the models of 1976 and 1980 are
/// those of the GCRF.
pub(super) fn in_eme2000(case: &Case) -> ForceModel {
    model(case, Rotation::fixed(GCRF_TO_EME2000).inverse())
}

fn model(case: &Case, to_mj2000: Rotation) -> ForceModel {
    let epoch = Epoch::from_gregorian(Scale::Utc, EPOCH).unwrap();
    let mut needs = Needs::default();
    let mut forces: Vec<Box<dyn Force>> = Vec::new();
    if let Some((name, degree, order)) = case.field() {
        needs.rotation = true;
        let field = FieldTerm::new(&field(name, degree, order)).unwrap();
        forces.push(Box::new(Turned { force: Box::new(field), to_mj2000 }));
    } else {
        forces.push(Box::new(PointMass::new(case.mu)));
    }
    if case.has("third_bodies") {
        for (body, mu, correction) in
            [(Body::Sun, SUN_MU, Rotation::IDENTITY), (Body::Luna, MOON_MU, of_the_moon(epoch))]
        {
            let place = needs.body(body);
            forces.push(Box::new(Attraction { body: ThirdBody::new(body.name(), mu), place, correction }));
        }
    }
    let atmosphere: Option<Box<dyn Atmosphere>> = match case.atmosphere() {
        Some("exponential") => Some(Box::new(Ball)),
        Some(_) => {
            let model = Nrlmsise00::new(Weather::constant(Activity::constant(150.0, 150.0, 3.0)));
            Some(Box::new(Apparent { model, world: World::gmat() }))
        }
        None => None,
    };
    if let Some(atmosphere) = atmosphere {
        forces.push(Box::new(Turned { force: Box::new(DragTerm::new(atmosphere, &mut needs)), to_mj2000 }));
    }
    if case.has("srp") {
        forces.push(RadiationTerm::boxed(
            PRESSURE * LIGHT,
            SUN_DISTANCE,
            Body::Earth,
            &[],
            &Bodies::default(),
            &mut needs,
        ));
    }
    if case.has("relativity") {
        forces.push(Box::new(Schwarzschild(Relativity::new(case.mu, EARTH, None))));
    }
    ForceModel { forces, center: Body::Earth, needs }
}

/// The gravity field; Orekit's file of JGM3 has the permanent tide in C20, and more digits of degree 2 and order 1.
fn field(name: &str, degree: usize, order: usize) -> Field {
    let mut field = Field::embedded(name).unwrap().cut(degree, order).unwrap();
    if name == "JGM3" {
        field.c[3] = -4.841_695_484_56e-4;
        if order > 0 {
            (field.c[4], field.s[4]) = (-1.869_876_359_55e-10, 1.195_280_120_31e-9);
        }
    }
    field
}
