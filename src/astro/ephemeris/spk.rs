//! SPK kernels of planetary ephemerides: double precision array files (DAF) with Chebyshev segments.
//!
//! A DAF is a row of records of 1024 bytes. The first tells the byte order and where the summaries begin;
//! a summary record holds the number of the next one, up to 25 summaries, and each summary the span of a
//! segment, body, center, frame, type and addresses (in doubles, from 1). A segment of type 2 or 3 ends with
//! INIT and INTLEN (s from J2000, TDB), RSIZE and N; its records are MID, RADIUS and the coefficients of x, y, z
//! (type 3: and of vx, vy, vz, which are not used: the velocity is the derivative of the position here).
//!
//! Planets are their barycentres (1 to 9 from 0), and the Sun is 10. The kernel gives Earth and Moon from the EMB,
//! so r(Moon) = r(301) - r(399), and 1/(1 + EMRAT) = -r(399)/r(Moon), which must be the same in all granules.
//!
//! # References
//! NAIF, *DAF Required Reading*, *SPK Required Reading*. Tests: `val_kernel_of_two_orders`, `every_wrong_kernel_is_refused`.

use std::io::{Read, Seek};

use super::bytes::{Block, FileError, Source, check, coefficient};
use super::series::{Clock, Numbers, Series, TERMS_MAX};
use super::{Ephemeris, Span, TRACKS, Track};
use crate::astro::constants::DAY;

/// Bytes of a record.
const RECORD: u64 = 1024;
/// J2000 as GMAT's modified Julian date.
const J2000: f64 = 21_545.0;
/// The most segments that are looked at.
const SEGMENTS_MAX: usize = 10_000;
/// What every summary of an SPK has: two doubles and six integers.
const SUMMARY: usize = 40;

/// The summary of a segment.
struct Segment {
    /// In TDB as GMAT's modified Julian date.
    span: Span,
    target: i32,
    center: i32,
    frame: i32,
    kind: i32,
    /// First and last double, from 1.
    begin: u64,
    end: u64,
}

/// NAIF's numbers of body and center of each track; Earth and Moon are treated apart.
const fn naif(track: Track) -> (i32, i32) {
    match track {
        Track::Sun => (10, 0),
        Track::Moon => (301, 3),
        planet => (planet as i32 + 1, 0),
    }
}

/// Whether the file begins like a kernel.
pub(super) fn is_spk<R: Read + Seek>(source: &mut Source<R>) -> Result<bool, FileError> {
    let word = source.bytes("the first word", 0, 8)?;
    Ok(word == *b"DAF/SPK " || word == *b"NAIF/DAF")
}

/// Reads the planetary ephemeris of a kernel.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, span: Span) -> Result<Ephemeris, FileError> {
    let head = Block { bytes: source.bytes("the file record", 0, RECORD)?, big_endian: false };
    let big_endian = match &head.bytes[88..96] {
        b"LTL-IEEE" => false,
        b"BIG-IEEE" => true,
        _ => {
            let found = f64::from(head.bytes[88]);
            return Err(FileError::Wrong { what: "the byte order", found, expected: "LTL-IEEE or BIG-IEEE" });
        }
    };
    let head = Block { big_endian, ..head };
    check("ND", head.integer(8), 2..=2, "2")?;
    check("NI", head.integer(12), 6..=6, "6")?;
    let segments = summaries(source, big_endian, head.integer(76))?;
    let mut covered = span;
    let mut tracks = [const { None }; TRACKS.len()];
    // the librations are not in such kernels
    for track in TRACKS.into_iter().filter(|track| *track != Track::Librations) {
        let required = matches!(track, Track::Sun | Track::Barycenter | Track::Moon);
        let (target, center) = naif(track);
        let Some(segment) = find(&segments, target, center, span)? else {
            if required {
                return Err(FileError::Missing { target, center, span });
            }
            continue;
        };
        covered = covered.common(segment.span);
        tracks[track as usize] = Some(load(source, segment, big_endian, span)?);
    }
    let earth = find(&segments, 399, 3, span)?.ok_or(FileError::Missing { target: 399, center: 3, span }).and_then(
        |segment| {
            covered = covered.common(segment.span);
            load(source, segment, big_endian, span)
        },
    )?;
    let moon_share = match &mut tracks[Track::Moon as usize] {
        Some(moon) => from_earth(moon, &earth)?,
        None => 0.0,
    };
    // records may reach beyond what the summaries promise
    Ephemeris::new(tracks, moon_share, covered)
}

/// All summaries of the file.
fn summaries<R: Read + Seek>(source: &mut Source<R>, big_endian: bool, first: i32) -> Result<Vec<Segment>, FileError> {
    let records = (source.length() / RECORD) as f64;
    let mut segments = Vec::new();
    let mut next = f64::from(first);
    while next != 0.0 {
        let number = check("the number of a summary record", next, 1.0..=records, "a record of the file")?;
        let begin = (number as u64 - 1) * RECORD;
        let record = Block { bytes: source.bytes("a summary record", begin, RECORD)?, big_endian };
        next = record.double(0);
        let count = check("the summaries of a record", record.double(16), 0.0..=25.0, "0 to 25")? as usize;
        for at in (0..count).map(|number| 24 + number * SUMMARY) {
            let integer = |number: usize| record.integer(at + 16 + 4 * number);
            let mjd = |seconds: f64| J2000 + seconds / DAY;
            segments.push(Segment {
                span: Span { first: mjd(record.double(at)), end: mjd(record.double(at + 8)) },
                target: integer(0),
                center: integer(1),
                frame: integer(2),
                kind: integer(3),
                begin: check("the address of a segment", integer(4), 1..=i32::MAX, "1 or more")? as u64,
                end: check("the end of a segment", integer(5), integer(4)..=i32::MAX, "not before its begin")? as u64,
            });
        }
        // the second half stops a chain that leads back to itself without summaries
        if segments.len() > SEGMENTS_MAX || (count == 0 && next != 0.0) {
            let found = segments.len() as f64;
            return Err(FileError::Wrong {
                what: "the number of segments",
                found,
                expected: "at most 10000, none empty",
            });
        }
    }
    Ok(segments)
}

/// The segment of a body within a span.
fn find(segments: &[Segment], target: i32, center: i32, span: Span) -> Result<Option<&Segment>, FileError> {
    let overlaps = |segment: &&Segment| {
        let common = segment.span.common(span);
        (segment.target, segment.center) == (target, center) && common.end > common.first
    };
    let mut found = segments.iter().filter(overlaps);
    let segment = found.next();
    if found.next().is_some() { Err(FileError::Several { target, span }) } else { Ok(segment) }
}

/// The records of a segment that overlap a span.
fn load<R: Read + Seek>(
    source: &mut Source<R>,
    segment: &Segment,
    big_endian: bool,
    span: Span,
) -> Result<Series, FileError> {
    let &Segment { target, kind, frame, begin, end, .. } = segment;
    let coordinates = match kind {
        2 => 3,
        3 => 6,
        _ => return Err(FileError::Kind { target, kind }),
    };
    if frame != 1 {
        return Err(FileError::Frame { target, frame });
    }
    let words = end - begin + 1;
    check("the words of a segment", words as f64, 8.0..=f64::MAX, "a record and a directory")?;
    let directory = Block { bytes: source.bytes("the directory of a segment", (end - 4) * 8, 32)?, big_endian };
    let init = check("INIT", directory.double(0), -1.0e12..=1.0e12, "seconds from J2000")?;
    let interval = check("INTLEN", directory.double(8), 3_600.0..=1.0e9, "an hour to 30 years")?;
    let size = check("RSIZE", directory.double(16), 8.0..=(2 + coordinates * TERMS_MAX) as f64, "2 to 40 terms")?;
    let count = check("N", directory.double(24), 1.0..=1.0e8, "1 to 100000000 records")?;
    let (size, count) = (size as usize, count as u64);
    let terms = (size - 2) / coordinates;
    if terms < 2 || terms * coordinates + 2 != size || count * size as u64 + 4 != words {
        let expected = "whole coordinates and N records of them";
        return Err(FileError::Wrong { what: "RSIZE", found: size as f64, expected });
    }
    let clock = Clock::new(J2000 + init / DAY, interval / DAY);
    let first = ((span.first - clock.first_day) / clock.granule_days).floor().clamp(0.0, (count - 1) as f64);
    let behind = ((span.end - clock.first_day) / clock.granule_days).ceil().clamp(first + 1.0, count as f64);
    let (first, behind) = (first as u64, behind as u64);
    let record_bytes = size as u64 * 8;
    let offset = (begin - 1) * 8 + first * record_bytes;
    let records =
        Block { bytes: source.bytes("the records of a segment", offset, (behind - first) * record_bytes)?, big_endian };
    let mut numbers = Vec::with_capacity((behind - first) as usize * 3 * terms);
    for at in (0..records.bytes.len()).step_by(size * 8) {
        for number in 0..3 * terms {
            numbers.push(coefficient(records.double(at + 16 + 8 * number))?);
        }
    }
    let clock = Clock::new(clock.first_day + first as f64 * clock.granule_days, clock.granule_days);
    Ok(Series { clock, terms, granules: (behind - first) as u32, numbers: Numbers::Loaded(numbers) })
}

/// Turns the Moon as seen from the barycentre into that seen from the Earth; the share 1/(1 + EMRAT).
fn from_earth(moon: &mut Series, earth: &Series) -> Result<f64, FileError> {
    let (Numbers::Loaded(moon_numbers), Numbers::Loaded(earth_numbers)) = (&mut moon.numbers, &earth.numbers) else {
        return Err(FileError::EarthAndMoon);
    };
    if (moon.clock, moon.terms, moon.granules) != (earth.clock, earth.terms, earth.granules) {
        return Err(FileError::EarthAndMoon);
    }
    for (moon, earth) in moon_numbers.iter_mut().zip(earth_numbers) {
        *moon -= earth;
    }
    let largest = |a: &(&f64, &f64), b: &(&f64, &f64)| a.0.abs().total_cmp(&b.0.abs());
    let pairs = || moon_numbers.iter().zip(earth_numbers);
    let share = pairs().max_by(largest).map_or(f64::NAN, |(moon, earth)| -earth / moon);
    // 1e-6 km of the 4700 km between Earth and barycentre
    let together = pairs().all(|(moon, earth)| (earth + share * moon).abs() < 1e-6);
    if together && share > 0.0 && share < 1.0 { Ok(share) } else { Err(FileError::EarthAndMoon) }
}
