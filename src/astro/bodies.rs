//! The constants of the bodies in a mission: those of GMAT, or what the script sets (`Earth.Mu = 398600.4418`).
//!
//! As measured on GMAT: they hold for the whole script, wherever above `BeginMissionSequence` they stand, and for forces
//! and parameters alike; a gravity field keeps the mu and the radius of its file.
//! Test: `val_constants_of_a_script` in tests/physics.

use std::fmt::Write as _;

use super::ephemeris::Body;
use super::representations::Centre;

/// Gravitational parameter, radius and flattening of each body.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies(Vec<Centre>);

/// What a script can set of a body.
pub const FIELDS: [&str; 3] = ["Mu", "EquatorialRadius", "Flattening"];

impl Default for Bodies {
    /// GMAT's.
    fn default() -> Self {
        let of = |body: Body| Centre { mu: body.mu(), radius: body.equatorial_radius(), flattening: body.flattening() };
        Bodies(Body::all().map(of).collect())
    }
}

impl Bodies {
    /// The constants of a body.
    pub fn of(&self, body: Body) -> Centre {
        self.0[body as usize]
    }

    /// The field of a body by its name in [`FIELDS`].
    pub fn field(&mut self, body: Body, field: &str) -> Option<&mut f64> {
        let centre = &mut self.0[body as usize];
        match field {
            "Mu" => Some(&mut centre.mu),
            "EquatorialRadius" => Some(&mut centre.radius),
            "Flattening" => Some(&mut centre.flattening),
            _ => None,
        }
    }

    /// What is not GMAT's, for the hash of the plan.
    pub fn describe(&self) -> String {
        let gmat = Bodies::default();
        let mut text = String::new();
        for body in Body::all().filter(|body| self.of(*body) != gmat.of(*body)) {
            let _ = write!(text, "{} {:?}", body.name(), self.of(body));
        }
        text
    }
}
