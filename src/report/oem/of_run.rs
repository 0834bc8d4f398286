//! The file of a run, from what its flight has left.
//!
//! Test: `val_ephemerides_are_those_of_gmat` in tests/fly.rs.

use super::{Break, OemError, OemSettings, OemWriter, Steps, calendar, center_name};
use crate::astro::elements::Cartesian;
use crate::astro::ephemeris::Body;
use crate::astro::epoch::{Epoch, Scale};
use crate::base::run::EphemerisEvent;
use crate::mission::Mission;
use crate::mission::ephemeris::{EphemerisFile, reference_frame};
use crate::mission::program::Command;

/// GMAT's modified Julian date of 1970-01-01, UTC.
const UNIX_DAY: f64 = 10_587.5;

/// Days of UTC since 1970 as a date of creation, `2026-11-30T21:33:06`.
pub fn now(days: f64) -> String {
    let a1_days = Epoch::from_mjd(Scale::Utc, UNIX_DAY + days).map_or(f64::NAN, |epoch| epoch.mjd(Scale::A1));
    let mut text = calendar(a1_days);
    text.truncate("2026-11-30T21:33:06".len());
    text
}

/// The text of an ephemeris file of a mission, from what a run has left for it.
pub fn text_of_run(
    mission: &Mission,
    file: &EphemerisFile,
    events: &[EphemerisEvent],
    creation_date: &str,
) -> Result<String, OemError> {
    let system = &mission.names.systems[file.system];
    let settings = OemSettings {
        object_name: mission.names.spacecraft[file.spacecraft].clone(),
        object_id: file.object_id.clone(),
        center_name: system.origin.body().map_or("", |body| center_name(body.name())).to_owned(),
        reference_frame: reference_frame(system).unwrap_or_default().to_owned(),
        steps: file.step.map_or(Steps::Integrator, Steps::Every),
        interpolator: file.interpolator.to_owned(),
        interpolation_order: file.order,
        scale: file.scale,
        first: file.first,
        last: file.last,
        on: file.on,
    };
    let turn = |epoch, [x, y, z, vx, vy, vz]: [f64; 6]| {
        let state = Cartesian { r: [x, y, z], v: [vx, vy, vz] };
        let Cartesian { r, v } =
            system.of_inertial(&mission.world, state, Body::Earth, epoch, &|_| (state, Body::Earth));
        [r[0], r[1], r[2], v[0], v[1], v[2]]
    };
    let mut writer = OemWriter::turned(settings, creation_date, "GMAT USER", Box::new(turn));
    let mut began = false;
    for &event in events {
        let at = |days| Epoch::from_mjd(Scale::A1, days).map_err(|_| OemError::Epoch);
        match event {
            EphemerisEvent::State { days, state, backwards, propagator } => {
                let epoch = at(days)?;
                // the grain of one double of days
                if !began && file.first.is_some_and(|first| first.since(epoch) < -1e-6) {
                    return Err(OemError::BeforeSpacecraft);
                }
                began = true;
                writer.propagator(&mission.names.propagators[propagator]);
                writer.state(epoch, backwards, state)?;
            }
            EphemerisEvent::Impulse(days) => writer.break_segment(at(days)?, Break::Impulse)?,
            EphemerisEvent::Burn { days, on } => {
                writer.break_segment(at(days)?, if on { Break::BurnBegins } else { Break::BurnEnds })?;
            }
            EphemerisEvent::Changed { days, command } => {
                if let Command::Changed { text, .. } = &mission.program[command] {
                    writer.break_segment(at(days)?, Break::Setting(text))?;
                }
            }
            EphemerisEvent::Toggle(on) => writer.toggle(on)?,
        }
    }
    Ok(writer.finish())
}
