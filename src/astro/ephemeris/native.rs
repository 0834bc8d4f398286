//! JPL's own binary ephemerides, as GMAT reads them (`leDE1941.405`, `lnxp1900p2053.421`); both byte orders.
//!
//! Two header records: three titles of 84 bytes, 400 names of 6, begin, end and step of the records (JD, TDB),
//! the number of constants, the astronomical unit, EMRAT, for each of twelve entries (planets, Moon, Sun, nutations)
//! the place in a record (from 1), coefficients and granules, then the number of the ephemeris and the same of the
//! librations (and in later files, after the names beyond 400, of two more entries). Each record begins with its own
//! begin and end.
//!
//! # References
//! JPL, *Planetary ephemerides: export format* (`ascii_format.txt`). Tests: `val_native_file`, `every_wrong_native_file_is_refused`.

use std::io::{Read, Seek};

use super::bytes::{Block, FileError, Source, check, coefficient};
use super::series::{Clock, Numbers, Series, TERMS_MAX};
use super::{Ephemeris, Span, TRACKS, Track};

/// GMAT's modified Julian date counts from this Julian date.
const JD_OF_MJD: f64 = 2_430_000.0;
/// Where the numbers of the header begin.
const NUMBERS: usize = 3 * 84 + 400 * 6;
/// Where the places of the entries begin.
const PLACES: usize = NUMBERS + 44;
/// Where the place of the librations is, behind the number of the ephemeris.
const LIBRATIONS: usize = PLACES + 12 * 12 + 4;
/// Where the names beyond the 400th begin, and behind them the places of two more entries.
const MORE: usize = PLACES + 12 * 12 + 16;

/// Place in the record (from 0), coefficients and granules.
fn place(head: &Block, at: usize) -> Result<(usize, usize, usize), FileError> {
    let place = check("the place of an entry", head.integer(at), 0..=100_000, "0 to 100000")?;
    let terms = check("the coefficients of an entry", head.integer(at + 4), 0..=TERMS_MAX as i32, "0 to 40")?;
    let granules = check("the granules of an entry", head.integer(at + 8), 0..=1_000, "0 to 1000")?;
    Ok((place.max(1) as usize - 1, terms as usize, granules as usize))
}

/// Reads the ephemeris of a binary file.
pub(super) fn read<R: Read + Seek>(source: &mut Source<R>, span: Span) -> Result<Ephemeris, FileError> {
    let mut head = Block { bytes: source.bytes("the header", 0, MORE as u64)?, big_endian: false };
    // the number of the ephemeris tells the byte order
    let number_at = PLACES + 12 * 12;
    head.big_endian = !(100..1_000).contains(&head.integer(number_at));
    if !(100..1_000).contains(&head.integer(number_at)) {
        return Err(FileError::Unknown);
    }
    let jd = |at| check("a Julian date of the header", head.double(at), -1.0e7..=1.0e7, "a Julian date");
    let (first, end) = (jd(NUMBERS)?, jd(NUMBERS + 8)?);
    let step = check("the days of a record", head.double(NUMBERS + 16), 1.0..=1_000.0, "1 to 1000")?;
    let ratio = check("EMRAT", head.double(NUMBERS + 36), 80.0..=83.0, "80 to 83")?;
    let words = record_words(source, &head, first, step)?;
    let count = check("the number of records", ((end - first) / step).round(), 1.0..=1.0e6, "1 to 1000000")?;
    let begin = ((span.first + JD_OF_MJD - first) / step).floor().clamp(0.0, count - 1.0);
    let behind = ((span.end + JD_OF_MJD - first) / step).ceil().clamp(begin + 1.0, count);
    let first_day = first - JD_OF_MJD + begin * step;
    let records = (behind - begin) as u64;
    let offset = (begin as u64 + 2) * words as u64 * 8;
    let bytes = source.bytes("the records", offset, records * words as u64 * 8)?;
    let data = Block { bytes, big_endian: head.big_endian };
    let mut tracks = [const { None }; TRACKS.len()];
    for (track, series) in TRACKS.into_iter().zip(&mut tracks) {
        let is_libration = track == Track::Librations;
        let at = if is_libration { LIBRATIONS } else { PLACES + 12 * track as usize };
        let (place, terms, granules) = place(&head, at)?;
        if is_libration && terms * granules == 0 {
            continue;
        }
        check("the coefficients of a body", terms as f64, 2.0..=TERMS_MAX as f64, "2 to 40")?;
        check("the granules of a body", granules as f64, 1.0..=1_000.0, "1 to 1000")?;
        let mut numbers = Vec::with_capacity(records as usize * 3 * terms * granules);
        for record in 0..records as usize {
            for number in 0..3 * terms * granules {
                numbers.push(coefficient(data.double((record * words + place + number) * 8))?);
            }
        }
        *series = Some(Series {
            clock: Clock::new(first_day, step / granules as f64),
            terms,
            granules: (records as usize * granules) as u32,
            numbers: Numbers::Loaded(numbers),
        });
    }
    Ephemeris::new(tracks, 1.0 / (1.0 + ratio), span)
}

/// The doubles of a record: as many as the entries need, confirmed by the dates of the first record.
fn record_words<R: Read + Seek>(
    source: &mut Source<R>,
    head: &Block,
    first: f64,
    step: f64,
) -> Result<usize, FileError> {
    let end = |(place, terms, granules): (usize, usize, usize), coordinates| place + coordinates * terms * granules;
    let mut words = end(place(head, LIBRATIONS)?, 3);
    for entry in 0..12 {
        words = words.max(end(place(head, PLACES + 12 * entry)?, if entry == 11 { 2 } else { 3 }));
    }
    // later files: two entries more, of three and of one coordinate
    let names = check("the number of constants", head.integer(NUMBERS + 24), 0..=10_000, "0 to 10000")?;
    let more = (MORE + 6 * (names.max(400) - 400) as usize) as u64;
    let extra = Block { bytes: source.bytes("the last places of the header", more, 24)?, big_endian: head.big_endian };
    let mut sizes = vec![words];
    if let (Ok(rates), Ok(time)) = (place(&extra, 0), place(&extra, 12)) {
        sizes.push(words.max(end(rates, 3)).max(end(time, 1)));
    }
    for words in sizes {
        let dates = source.bytes("the first record", 2 * words as u64 * 8, 16)?;
        let dates = Block { bytes: dates, big_endian: head.big_endian };
        // a file cut from a longer one may keep the header of that one, but not its first date
        if (dates.double(8) - dates.double(0) - step).abs() < 1e-9 && (dates.double(0) - first).abs() < 1e-9 {
            return Ok(words);
        }
    }
    Err(FileError::Wrong { what: "the size of a record", found: words as f64, expected: "that of the first record" })
}
