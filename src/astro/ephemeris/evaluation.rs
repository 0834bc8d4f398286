//! The hot path: positions (and velocities) of some bodies for eight runs, each at its own time.
//!
//! Each lane has a column of coefficients of its own in the cache, refilled when the lane enters another
//! granule; so one kernel serves lanes in the same granule and in different ones, and a lane's bits depend
//! on its own time alone. Tests: `prop_every_lane_has_the_scalar_bits`, `prop_the_cache_leaves_no_trace`.

use super::series::{TERMS_MAX, polynomials, slopes, sums};
use super::tdb::to_tdb;
use super::{Body, Ephemeris, EphemerisError, TRACKS, Track};
use crate::astro::constants::DAY;
use crate::astro::epoch::Epoch;
use crate::base::lanes::{Lanes, Real, Vectors, WIDTH};
use crate::lane_kernel;

/// No granule has this number.
const NONE: u32 = u32::MAX;

/// The coefficients last used, of each lane; kept by the caller from call to call.
///
/// It fits any ephemeris and allocates at the first call (or when the ephemeris changes). It
/// holds nothing but copies of the ephemeris, so results do not depend on what it held before.
#[derive(Clone, Debug, Default)]
pub struct EphemerisCache {
    identity: u64,
    clocks: Vec<ClockCache>,
    tracks: Vec<TrackCache>,
}

/// The granules of one clock in which the lanes are, and the polynomials there.
#[derive(Clone, Debug)]
struct ClockCache {
    granules: [u32; WIDTH],
    start: Lanes,
    values: [Lanes; TERMS_MAX],
    slopes: [Lanes; TERMS_MAX],
}

/// The coefficients of one track for each lane, and the sums.
#[derive(Clone, Debug)]
struct TrackCache {
    granules: [u32; WIDTH],
    columns: Vec<Lanes>,
    r: [Lanes; 3],
    v: [Lanes; 3],
}

const ZERO: [Lanes; 3] = [Lanes::splat(0.0); 3];

impl EphemerisCache {
    fn attach(&mut self, ephemeris: &Ephemeris) {
        if self.identity == ephemeris.identity {
            return;
        }
        self.identity = ephemeris.identity;
        let clock = ClockCache {
            granules: [NONE; WIDTH],
            start: Lanes::splat(0.0),
            values: [Lanes::splat(0.0); TERMS_MAX],
            slopes: [Lanes::splat(0.0); TERMS_MAX],
        };
        self.clocks = vec![clock; ephemeris.clocks.len()];
        let columns = |terms| vec![Lanes::splat(0.0); 3 * terms];
        self.tracks = ephemeris
            .tracks
            .iter()
            .map(|series| columns(series.as_ref().map_or(0, |series| series.terms)))
            .map(|columns| TrackCache { granules: [NONE; WIDTH], columns, r: ZERO, v: ZERO })
            .collect();
    }
}

impl Ephemeris {
    /// Positions (km) of bodies seen from another, in the axes of the file (GMAT's `MJ2000Eq`), for each lane
    /// at its own instant; `out` has one entry for each body.
    ///
    /// Domain: the instants lie in [`Ephemeris::span`]. Lanes outside get NaN and are named by the error, while the
    /// other lanes are right. Lanes from the width on are left alone. Test: `val_states_of_gmat`.
    #[allow(clippy::too_many_arguments)]
    pub fn positions(
        &self,
        vectors: Vectors,
        epochs: &[Epoch; WIDTH],
        bodies: &[Body],
        center: Body,
        cache: &mut EphemerisCache,
        out: &mut [[Lanes; 3]],
    ) -> Result<(), EphemerisError> {
        debug_assert!(out.len() >= bodies.len(), "an entry for each body");
        let time = self.evaluate(vectors, epochs, &self.needed(bodies, center)?, cache, false);
        for (body, out) in bodies.iter().zip(out) {
            self.compose(vectors, *body, center, |track| &cache.tracks[track as usize].r, out);
        }
        time
    }

    /// Positions (km) and velocities (km/s); the rest as [`Ephemeris::positions`], the positions with the same bits.
    #[allow(clippy::too_many_arguments)]
    pub fn states(
        &self,
        vectors: Vectors,
        epochs: &[Epoch; WIDTH],
        bodies: &[Body],
        center: Body,
        cache: &mut EphemerisCache,
        positions: &mut [[Lanes; 3]],
        velocities: &mut [[Lanes; 3]],
    ) -> Result<(), EphemerisError> {
        debug_assert!(positions.len().min(velocities.len()) >= bodies.len(), "an entry for each body");
        let time = self.evaluate(vectors, epochs, &self.needed(bodies, center)?, cache, true);
        for ((body, r), v) in bodies.iter().zip(positions).zip(velocities) {
            self.compose(vectors, *body, center, |track| &cache.tracks[track as usize].r, r);
            self.compose(vectors, *body, center, |track| &cache.tracks[track as usize].v, v);
        }
        time
    }

    /// Evaluates the series that are needed, which are there, into the cache.
    pub(super) fn evaluate(
        &self,
        vectors: Vectors,
        epochs: &[Epoch; WIDTH],
        needed: &[bool; TRACKS.len()],
        cache: &mut EphemerisCache,
        velocities: bool,
    ) -> Result<(), EphemerisError> {
        cache.attach(self);
        let (mut day, mut seconds) = (Lanes::splat(0.0), Lanes::splat(0.0));
        for (lane, epoch) in epochs.iter().enumerate().take(vectors.width()) {
            (day.0[lane], seconds.0[lane]) = epoch.day_and_seconds();
        }
        to_tdb(vectors, &day, &mut seconds);
        let outside = self.outside(vectors.width(), &mut day, &seconds);
        let mut running = 0_u32; // one bit a clock
        for (needed, clock) in needed.iter().zip(self.clock_of) {
            running |= u32::from(*needed) << clock;
        }
        for (number, (timing, kept)) in self.clocks.iter().zip(&mut cache.clocks).enumerate() {
            if running & (1 << number) == 0 {
                continue;
            }
            let clock = &timing.clock;
            for lane in 0..vectors.width() {
                let granule = clock.granule(day.0[lane], seconds.0[lane]).min(timing.granules - 1);
                if granule != kept.granules[lane] {
                    kept.granules[lane] = granule;
                    kept.start.0[lane] = clock.start(granule);
                }
            }
            let values = &mut kept.values[..timing.terms];
            polynomials(vectors, &day, &seconds, &kept.start, 2.0 / clock.granule_days, values);
            if velocities {
                slopes(vectors, 2.0 / (clock.granule_days * DAY), values, &mut kept.slopes[..timing.terms]);
            }
        }
        for track in TRACKS {
            let (Some(series), true) = (&self.tracks[track as usize], needed[track as usize]) else { continue };
            let kept = &mut cache.tracks[track as usize];
            let clock = &cache.clocks[self.clock_of[track as usize]];
            if kept.granules != clock.granules {
                for lane in 0..vectors.width() {
                    if kept.granules[lane] != clock.granules[lane] {
                        series.fill(clock.granules[lane], lane, &mut kept.columns);
                    }
                }
                kept.granules[..vectors.width()].copy_from_slice(&clock.granules[..vectors.width()]);
            }
            sums(vectors, &clock.values, &kept.columns, &mut kept.r);
            if velocities {
                sums(vectors, &clock.slopes, &kept.columns, &mut kept.v);
            }
        }
        outside
    }

    /// The sums of a track that was evaluated: its values, and their changes in a second.
    pub(super) fn sums_of(track: Track, cache: &EphemerisCache) -> (&[Lanes; 3], &[Lanes; 3]) {
        let kept = &cache.tracks[track as usize];
        (&kept.r, &kept.v)
    }

    /// The tracks that some bodies need.
    fn needed(&self, bodies: &[Body], center: Body) -> Result<[bool; TRACKS.len()], EphemerisError> {
        let mut needed = [false; TRACKS.len()];
        for body in bodies.iter().chain(std::iter::once(&center)) {
            let Some(track) = Track::of(*body) else { continue };
            let all = [track, Track::Barycenter, Track::Moon];
            for track in if track == Track::Moon { &all[..1] } else { &all[..] } {
                needed[*track as usize] = true;
                if self.tracks[*track as usize].is_none() {
                    return Err(EphemerisError::NoSuchBody(*body));
                }
            }
        }
        Ok(needed)
    }

    /// Makes the day of each lane outside of the span NaN, and says which they are.
    fn outside(&self, width: usize, day: &mut Lanes, seconds: &Lanes) -> Result<(), EphemerisError> {
        let (mut lanes, mut first) = (0_u8, 0.0);
        for lane in (0..width).rev() {
            let mjd = day.0[lane] + seconds.0[lane] * (1.0 / DAY);
            if !(self.span.first..self.span.end).contains(&mjd) {
                lanes |= 1 << lane;
                first = mjd;
                day.0[lane] = f64::NAN;
            }
        }
        if lanes == 0 { Ok(()) } else { Err(EphemerisError::OutOfSpan { lanes, mjd: first, span: self.span }) }
    }

    /// r(body) - r(center) out of the tracks, both from the Earth first, as GMAT takes them.
    fn compose<'a>(
        &self,
        vectors: Vectors,
        body: Body,
        center: Body,
        track: impl Fn(Track) -> &'a [Lanes; 3],
        out: &mut [Lanes; 3],
    ) {
        let (barycenter, moon) = (track(Track::Barycenter), track(Track::Moon));
        let geocentric = |body, out: &mut [Lanes; 3]| match Track::of(body) {
            None => copy(vectors, &ZERO, out),
            Some(Track::Moon) => copy(vectors, moon, out),
            Some(other) => from_earth(vectors, track(other), barycenter, moon, self.moon_share, out),
        };
        geocentric(body, out);
        if center != Body::Earth {
            let mut origin = ZERO;
            geocentric(center, &mut origin);
            subtract(vectors, &origin, out);
        }
    }
}

lane_kernel!(pub(super) fn copy(from: &[Lanes; 3], to: &mut [Lanes; 3]) = copied);

#[inline(always)]
fn copied<T: Real>(first: usize, from: &[Lanes; 3], to: &mut [Lanes; 3]) {
    for (from, to) in from.iter().zip(to) {
        T::load(from, first).store(to, first);
    }
}

lane_kernel!(fn subtract(origin: &[Lanes; 3], r: &mut [Lanes; 3]) = subtracted);

#[inline(always)]
fn subtracted<T: Real>(first: usize, origin: &[Lanes; 3], r: &mut [Lanes; 3]) {
    for (origin, r) in origin.iter().zip(r) {
        (T::load(r, first) - T::load(origin, first)).store(r, first);
    }
}

lane_kernel!(
    /// r - (r(EMB) - share r(Moon))
    fn from_earth(
        body: &[Lanes; 3],
        barycenter: &[Lanes; 3],
        moon: &[Lanes; 3],
        moon_share: f64,
        out: &mut [Lanes; 3],
    ) = seen_from_earth
);

#[inline(always)]
fn seen_from_earth<T: Real>(
    first: usize,
    body: &[Lanes; 3],
    barycenter: &[Lanes; 3],
    moon: &[Lanes; 3],
    moon_share: f64,
    out: &mut [Lanes; 3],
) {
    let minus_share = T::splat(-moon_share);
    for (axis, out) in out.iter_mut().enumerate() {
        let earth = T::load(&moon[axis], first).mul_add(minus_share, T::load(&barycenter[axis], first));
        (T::load(&body[axis], first) - earth).store(out, first);
    }
}
