//! Where the Sun, the Moon and the planets are: DE405 by default, as in GMAT.
//!
//! An ephemeris file holds Chebyshev series of the barycentric Sun, planets and Earth-Moon barycentre
//! (EMB), and of the geocentric Moon. The Earth is the barycentre less the Moon's share,
//!
//! r(Earth) = r(EMB) - r(Moon) / (1 + EMRAT),
//!
//! with the mass ratio EMRAT of the file (81.30056 in DE405). The argument is TDB. The axes are those of the
//! file (ICRF), and GMAT takes them as `MJ2000Eq` without a rotation; so do we.
//!
//! The program carries DE405 from 1959-12-10 to 2101-01-31 ([`Ephemeris::de405`], made by
//! `scripts/make-ephemeris`, bit-true coefficients); any other ephemeris is read from a kernel by its path
//! ([`Ephemeris::of_file`]). Where it has them, the Euler angles of the Moon are read as well ([`Ephemeris::librations`]).
//!
//! Against the engine: `val_states_of_gmat`.
//!
//! # References
//! Standish, *JPL Planetary and Lunar Ephemerides, DE405/LE405*, JPL IOM 312.F-98-048 (1998).

mod bytes;
mod compact;
mod evaluation;
#[cfg(test)]
mod file_tests;
mod librations;
mod native;
mod series;
mod spk;
mod tdb;
#[cfg(test)]
mod tests;

pub mod body;

pub use body::Body;
pub use bytes::FileError;
pub use evaluation::EphemerisCache;

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::astro::elements::Cartesian;
use crate::astro::epoch::Epoch;
use crate::base::lanes::{Isa, Lanes, Vectors, WIDTH};
use series::{Clock, Series};

/// What a file of an ephemeris holds; the order of JPL's own files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Track {
    Mercury,
    Venus,
    /// The Earth-Moon barycentre.
    Barycenter,
    Mars,
    Jupiter,
    Saturn,
    Uranus,
    Neptune,
    Pluto,
    /// The Moon from the Earth; all others are from the solar system barycentre.
    Moon,
    Sun,
    /// Not a path, but the Moon's Euler angles.
    Librations,
}

const TRACKS: [Track; 12] = [
    Track::Mercury,
    Track::Venus,
    Track::Barycenter,
    Track::Mars,
    Track::Jupiter,
    Track::Saturn,
    Track::Uranus,
    Track::Neptune,
    Track::Pluto,
    Track::Moon,
    Track::Sun,
    Track::Librations,
];

impl Track {
    /// The track of a body other than the Earth.
    fn of(body: Body) -> Option<Track> {
        Some(match body {
            Body::Sun => Track::Sun,
            Body::Mercury => Track::Mercury,
            Body::Venus => Track::Venus,
            Body::Mars => Track::Mars,
            Body::Jupiter => Track::Jupiter,
            Body::Saturn => Track::Saturn,
            Body::Uranus => Track::Uranus,
            Body::Neptune => Track::Neptune,
            Body::Pluto => Track::Pluto,
            Body::Luna => Track::Moon,
            Body::Earth => return None,
        })
    }
}

/// A span of days: TDB as GMAT's modified Julian date, JD - 2430000; the end is not part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The first instant.
    pub first: f64,
    /// The end.
    pub end: f64,
}

impl Span {
    /// 1960-01-01 to 2101-01-01, for kernels that hold more than a mission needs.
    pub const USUAL: Span = Span { first: 6_934.5, end: 58_434.5 };

    fn common(self, other: Span) -> Span {
        Span { first: self.first.max(other.first), end: self.end.min(other.end) }
    }
}

/// `1959-12-10 to 2101-01-31 TDB`.
impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} to {} TDB", Date(self.first), Date(self.end))
    }
}

/// A day, given as GMAT's modified Julian date, that shows as `2101-01-31`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Date(f64);

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.abs() >= 3.0e6 || self.0.is_nan() {
            return write!(f, "GMAT modified Julian date {}", self.0);
        }
        // days from 0000-03-01, the first of a 400-year cycle in which a leap day is always the last
        let days = (self.0 - 0.5).floor() as i64 + 2_430_001 - 1_721_120;
        let (cycle, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let in_month = day - (153 * month + 2) / 5 + 1;
        let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
        write!(f, "{:04}-{month:02}-{in_month:02}", year + 400 * cycle)
    }
}

/// Why there is no position.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum EphemerisError {
    /// Some lanes are outside of the span; their numbers are NaN, those of the others are right.
    #[error("{} is outside of the ephemeris, which covers {span}", Date(*mjd))]
    OutOfSpan {
        /// Bit n is set if lane n is outside.
        lanes: u8,
        /// The instant of the first such lane, TDB as GMAT's modified Julian date.
        mjd: f64,
        /// What is covered.
        span: Span,
    },
    /// The file does not say how the Moon turns.
    #[error(
        "the ephemeris does not hold the librations of Luna, which her axes need: DE405 in the program and JPL's binary \
         files have them, SPK kernels have not"
    )]
    NoLibrations,
    /// The file has no such body.
    #[error("the ephemeris does not hold {}", .0.name())]
    NoSuchBody(Body),
}

/// The series that share a clock: the most terms and the fewest granules of them.
#[derive(Debug)]
struct Timing {
    clock: Clock,
    terms: usize,
    granules: u32,
}

/// The paths of the bodies of the solar system.
pub struct Ephemeris {
    tracks: [Option<Series>; TRACKS.len()],
    /// The distinct clocks, and the one of each track.
    clocks: Vec<Timing>,
    clock_of: [usize; TRACKS.len()],
    /// 1 / (1 + EMRAT).
    moon_share: f64,
    span: Span,
    /// Tells the ephemerides of a process apart, so that none reads the cache of another.
    identity: u64,
}

/// The span and the mass ratio; not the coefficients.
impl std::fmt::Debug for Ephemeris {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ephemeris")
            .field("span", &self.span)
            .field("moon_share", &self.moon_share)
            .finish_non_exhaustive()
    }
}

impl Ephemeris {
    /// DE405, as it is built into the program: all bodies, 1959-12-10 to 2101-01-31.
    pub fn de405() -> Result<Ephemeris, FileError> {
        compact::de405()
    }

    /// The ephemeris of a file, cut to a span: an SPK kernel of a planetary ephemeris (`de440.bsp`; both
    /// byte orders) or JPL's own binary format (`lnxp1900p2053.421`), told apart by their first bytes.
    pub fn of_file(path: &Path, span: Span) -> Result<Ephemeris, FileError> {
        if span.first.is_nan() || span.end.is_nan() {
            return Err(FileError::NoCommonSpan);
        }
        let file = std::fs::File::open(path).map_err(FileError::Read)?;
        let mut file = bytes::Source::new(file)?;
        if spk::is_spk(&mut file)? { spk::read(&mut file, span) } else { native::read(&mut file, span) }
    }

    /// An ephemeris of series, cut to what all of them cover.
    fn new(tracks: [Option<Series>; TRACKS.len()], moon_share: f64, span: Span) -> Result<Ephemeris, FileError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut clocks: Vec<Timing> = Vec::new();
        let mut clock_of = [0; TRACKS.len()];
        let mut span = span;
        for (series, clock) in tracks.iter().zip(&mut clock_of) {
            let Some(series) = series else { continue };
            span = span.common(Span { first: series.clock.first_day, end: series.end() });
            *clock = clocks.iter().position(|known| known.clock == series.clock).unwrap_or_else(|| {
                clocks.push(Timing { clock: series.clock, terms: 0, granules: u32::MAX });
                clocks.len() - 1
            });
            let timing = &mut clocks[*clock];
            timing.terms = timing.terms.max(series.terms);
            timing.granules = timing.granules.min(series.granules);
        }
        if span.end > span.first {
            let identity = NEXT.fetch_add(1, Ordering::Relaxed);
            Ok(Ephemeris { tracks, clocks, clock_of, moon_share, span, identity })
        } else {
            Err(FileError::NoCommonSpan)
        }
    }

    /// What is covered.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Whether the ephemeris holds a body seen from another at an instant; for a clear word before the flight.
    pub fn covers(&self, body: Body, center: Body, epoch: Epoch) -> Result<(), EphemerisError> {
        self.state(body, center, epoch).map(|_| ())
    }

    /// Position (km) and velocity (km/s) of a body seen from another, in the axes of the file (GMAT's `MJ2000Eq`).
    ///
    /// The same bits as a lane of [`Ephemeris::states`] has. Not for the force loop: it makes a cache.
    pub fn state(&self, body: Body, center: Body, epoch: Epoch) -> Result<Cartesian, EphemerisError> {
        let (mut r, mut v) = ([[Lanes::splat(0.0); 3]], [[Lanes::splat(0.0); 3]]);
        let one = Vectors::new(Isa::best(), 1);
        self.states(one, &[epoch; WIDTH], &[body], center, &mut EphemerisCache::default(), &mut r, &mut v)?;
        Ok(Cartesian { r: r[0].map(|lanes| lanes.0[0]), v: v[0].map(|lanes| lanes.0[0]) })
    }
}
