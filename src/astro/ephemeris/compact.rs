//! The part of DE405 that the program carries, in three files under `data/ephemeris`.
//!
//! The format, little-endian: `SWEEPEPH`, the number of the ephemeris (u32), the number of series (u32), EMRAT (f64); for
//! each series its entry in JPL's order (u32: 0 Mercury ... 2 EMB ... 9 Moon, 10 Sun, 12 librations), coefficients of a coordinate
//! (u32), the first day (f64, TDB, JD - 2430000), days of a granule (f64) and granules (u64); then the coefficients of all
//! series in turn, as they are in the file of JPL. Nothing follows.
//!
//! `scripts/make-ephemeris` makes it. Tests: `val_embedded_numbers`, `every_wrong_compact_file_is_refused`.

use super::bytes::{Block, FileError, check};
use super::series::{Clock, Numbers, Series, TERMS_MAX};
use super::{Ephemeris, Span, TRACKS, Track};

/// Sun, Earth-Moon barycentre and Moon.
const NEAR: &[u8] = include_bytes!("../../../data/ephemeris/de405-sun-earth-moon.bin");
/// The planets but the Earth.
const PLANETS: &[u8] = include_bytes!("../../../data/ephemeris/de405-planets.bin");
/// The Euler angles of the Moon.
const LIBRATIONS: &[u8] = include_bytes!("../../../data/ephemeris/de405-librations.bin");

const HEAD: usize = 24;
const ENTRY: usize = 32;
/// JPL's entries of the nutations, which are never in these files, and of the librations.
const NUTATIONS_ENTRY: i32 = 11;
const LIBRATIONS_ENTRY: i32 = 12;

type Tracks = [Option<Series>; TRACKS.len()];

/// DE405 out of the program.
pub(super) fn de405() -> Result<Ephemeris, FileError> {
    let mut tracks: Tracks = [const { None }; TRACKS.len()];
    let ratio = read(NEAR, &mut tracks)?;
    read(PLANETS, &mut tracks)?;
    read(LIBRATIONS, &mut tracks)?;
    Ephemeris::new(tracks, 1.0 / (1.0 + ratio), Span { first: f64::NEG_INFINITY, end: f64::INFINITY })
}

/// Adds the series of a file; EMRAT.
pub(super) fn read(file: &'static [u8], tracks: &mut Tracks) -> Result<f64, FileError> {
    let length = file.len() as u64;
    let need = |what, begin: u64, count: u64| {
        let end = begin.saturating_add(count);
        if end > length { Err(FileError::Short { what, begin, end, length }) } else { Ok(()) }
    };
    need("the header", 0, HEAD as u64)?;
    if !file.starts_with(b"SWEEPEPH") {
        return Err(FileError::Unknown);
    }
    let count = Block { bytes: file[..HEAD].to_vec(), big_endian: false }.integer(12);
    let count = check("the number of series", count, 1..=TRACKS.len() as i32, "1 to 12")? as usize;
    need("the list of series", HEAD as u64, (count * ENTRY) as u64)?;
    let head = Block { bytes: file[..HEAD + count * ENTRY].to_vec(), big_endian: false };
    let ratio = check("EMRAT", head.double(16), 80.0..=83.0, "80 to 83")?;
    let mut begin = head.bytes.len();
    for at in (0..count).map(|number| HEAD + number * ENTRY) {
        let expected = "0 to 10 or 12";
        let entry = check("the entry of a series", head.integer(at), 0..=LIBRATIONS_ENTRY, expected)?;
        let track = match entry {
            NUTATIONS_ENTRY => {
                return Err(FileError::Wrong { what: "the entry of a series", found: f64::from(entry), expected });
            }
            LIBRATIONS_ENTRY => Track::Librations as usize,
            body => body as usize,
        };
        let terms = check("the coefficients", head.integer(at + 4), 2..=TERMS_MAX as i32, "2 to 40")? as usize;
        let first_day = check("the first day", head.double(at + 8), -1.0e7..=1.0e7, "a modified Julian date")?;
        let granule_days = check("the days of a granule", head.double(at + 16), 0.01..=1_000.0, "0.01 to 1000")?;
        let granules = check("the granules", head.integer(at + 24), 1..=10_000_000, "1 to 10000000")?;
        check("the high word of the granules", head.integer(at + 28), 0..=0, "0")?;
        let bytes = granules as usize * 3 * terms * 8;
        need("a series", begin as u64, bytes as u64)?;
        tracks[track] = Some(Series {
            clock: Clock::new(first_day, granule_days),
            terms,
            granules: granules as u32,
            numbers: Numbers::Embedded(&file[begin..begin + bytes]),
        });
        begin += bytes;
    }
    check("the length of the file", length as f64, begin as f64..=begin as f64, "what the list of series says")?;
    Ok(ratio)
}
