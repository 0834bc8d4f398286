//! Files of ephemerides: good ones made from the coefficients of the program, and broken ones.

use std::io::Cursor;

use super::bytes::Source;
use super::tests::numbers_of;
use super::*;
use crate::astro::epoch::Scale;
use crate::astro::world::World;

/// A file under construction, in a byte order.
struct Writer {
    bytes: Vec<u8>,
    big_endian: bool,
}

impl Writer {
    fn put<const N: usize>(&mut self, mut little: [u8; N]) {
        if self.big_endian {
            little.reverse();
        }
        self.bytes.extend_from_slice(&little);
    }
    fn doubles(&mut self, numbers: &[f64]) {
        for number in numbers {
            self.put(number.to_le_bytes());
        }
    }
    fn integers(&mut self, numbers: &[i32]) {
        for number in numbers {
            self.put(number.to_le_bytes());
        }
    }
    fn fill(&mut self, length: usize) {
        assert!(self.bytes.len() <= length);
        self.bytes.resize(length, 0);
    }
}

/// Three records of 32 days of DE405, from 2026-01-26 on.
const FIRST: f64 = 30_976.5 + 32.0 * 3.0;
const DAYS: f64 = 96.0;
const SPAN: Span = Span { first: FIRST, end: FIRST + DAYS };

/// The coefficients of a track in that span.
fn cut(ephemeris: &Ephemeris, track: Track) -> (&Series, Vec<f64>) {
    let series = ephemeris.tracks[track as usize].as_ref().unwrap();
    let granule = |days: f64| (days / series.clock.granule_days) as usize * 3 * series.terms;
    let begin = granule(FIRST - series.clock.first_day);
    (series, numbers_of(series)[begin..begin + granule(DAYS)].to_vec())
}

/// A kernel with the segments of DE405; those of a type 3 have velocities, which are not read.
fn kernel(ephemeris: &Ephemeris, big_endian: bool, kind: i32) -> Vec<u8> {
    let share = ephemeris.moon_share;
    let mut segments = Vec::new();
    for track in TRACKS.into_iter().filter(|track| *track != Track::Librations) {
        let (series, numbers) = cut(ephemeris, track);
        let (target, center) = match track {
            Track::Sun => (10, 0),
            Track::Moon => (301, 3),
            planet => (planet as i32 + 1, 0),
        };
        let scaled = |factor: f64| numbers.iter().map(|number| number * factor).collect::<Vec<f64>>();
        if track == Track::Moon {
            segments.push((399, center, series, scaled(-share)));
        }
        segments.push((target, center, series, scaled(if track == Track::Moon { 1.0 - share } else { 1.0 })));
    }
    let mut data = Writer { bytes: Vec::new(), big_endian };
    let mut summaries = Vec::new();
    for (target, center, series, numbers) in segments {
        let begin = 3 * 128 + data.bytes.len() / 8 + 1;
        let interval = series.clock.granule_days * 86_400.0;
        let start = (FIRST - 21_545.0) * 86_400.0;
        let terms = series.terms;
        for (number, record) in numbers.chunks_exact(3 * terms).enumerate() {
            data.doubles(&[start + (number as f64 + 0.5) * interval, interval / 2.0]);
            data.doubles(record);
            if kind == 3 {
                data.doubles(&vec![f64::NAN; 3 * terms]);
            }
        }
        let granules = numbers.len() / (3 * terms);
        let size = 2 + 3 * terms * if kind == 3 { 2 } else { 1 };
        data.doubles(&[start, interval, size as f64, granules as f64]);
        let end = 3 * 128 + data.bytes.len() / 8;
        summaries.push((start, start + DAYS * 86_400.0, [target, center, 1, kind, begin as i32, end as i32]));
    }
    let mut file = Writer { bytes: b"DAF/SPK ".to_vec(), big_endian };
    file.integers(&[2, 6]);
    file.fill(76);
    file.integers(&[2, 2, 0]);
    file.bytes.extend_from_slice(if big_endian { b"BIG-IEEE" } else { b"LTL-IEEE" });
    file.fill(1024);
    file.doubles(&[0.0, 0.0, summaries.len() as f64]);
    for (begin, end, integers) in summaries {
        file.doubles(&[begin, end]);
        file.integers(&integers);
    }
    file.fill(3 * 1024);
    file.bytes.extend_from_slice(&data.bytes);
    file.bytes
}

/// A file in JPL's format; `names` of constants, the later kind has two more entries, and the librations may be left out.
fn jpl(ephemeris: &Ephemeris, big_endian: bool, names: i32, later: bool, librations: bool) -> Vec<u8> {
    let mut file = Writer { bytes: vec![b' '; 3 * 84 + 400 * 6], big_endian };
    file.doubles(&[FIRST + 2_430_000.0, FIRST + DAYS + 2_430_000.0, 32.0]);
    file.integers(&[names]);
    file.doubles(&[149_597_870.691, 1.0 / ephemeris.moon_share - 1.0]);
    let (mut place, mut tracks) = (3, Vec::new());
    for track in TRACKS.into_iter().filter(|track| *track != Track::Librations) {
        let (series, numbers) = cut(ephemeris, track);
        let granules = (32.0 / series.clock.granule_days) as i32;
        file.integers(&[place, series.terms as i32, granules]);
        place += 3 * series.terms as i32 * granules;
        tracks.push(numbers);
    }
    let terms = if librations { 10 } else { 0 };
    file.integers(&[place, 10, 4, 405, place + 80, terms, 4]); // nutations, number, librations
    place += 80 + 12 * terms;
    tracks.push(vec![0.0; 3 * 80]);
    if librations {
        tracks.push(cut(ephemeris, Track::Librations).1);
    }
    file.fill(file.bytes.len() + 6 * (names.max(400) - 400) as usize);
    if later {
        file.integers(&[place, 0, 0, place, 13, 8]);
        place += 104;
    } else {
        file.integers(&[0; 6]);
    }
    let words = place as usize - 1;
    file.fill(2 * words * 8);
    for record in 0..3 {
        let begin = FIRST + 2_430_000.0 + 32.0 * f64::from(record);
        file.doubles(&[begin, begin + 32.0]);
        for numbers in &tracks {
            let size = numbers.len() / 3;
            file.doubles(&numbers[record as usize * size..][..size]);
        }
        file.fill((3 + record as usize) * words * 8);
    }
    file.bytes
}

fn read(bytes: Vec<u8>, span: Span) -> Result<Ephemeris, FileError> {
    let mut source = Source::new(Cursor::new(bytes))?;
    if spk::is_spk(&mut source)? { spk::read(&mut source, span) } else { native::read(&mut source, span) }
}

/// The largest relative difference of the positions of all bodies.
fn worst(a: &Ephemeris, b: &Ephemeris) -> f64 {
    let mut worst = 0.0_f64;
    for body in Body::all() {
        for step in 0..190 {
            let epoch = Epoch::from_mjd(Scale::Tdb, FIRST + 0.5 * f64::from(step) + 0.1).unwrap();
            let (a, b) = (a.state(body, Body::Earth, epoch).unwrap(), b.state(body, Body::Earth, epoch).unwrap());
            let norm = |r: [f64; 3]| r[0].hypot(r[1]).hypot(r[2]);
            let apart = norm(std::array::from_fn(|axis| a.r[axis] - b.r[axis]));
            worst = worst.max(apart / (1.0 + norm(a.r)));
        }
    }
    worst
}

#[test]
fn val_kernel_of_two_orders() {
    let de405 = Ephemeris::de405().unwrap();
    for (big_endian, kind) in [(false, 2), (true, 2), (false, 3), (true, 3)] {
        let ephemeris = read(kernel(&de405, big_endian, kind), Span::USUAL).unwrap();
        assert_eq!(ephemeris.span(), SPAN);
        // the share of the Moon is one rounding off
        assert!((ephemeris.moon_share - de405.moon_share).abs() < 1e-17);
        let worst = worst(&de405, &ephemeris);
        assert!(worst < 1e-15, "{big_endian} {kind} {worst}");
        let said = ephemeris.librations(Epoch::from_mjd(Scale::Tdb, FIRST + 1.0).unwrap()).unwrap_err().to_string();
        assert!(said.contains("SPK kernels have not"), "{said}");
    }
}

/// As in GMAT, which takes them from DE405 beside any kernel.
#[test]
fn val_a_kernel_leaves_the_librations_to_the_program() {
    let gmat = World::gmat();
    let ephemeris = read(kernel(&gmat.ephemeris, false, 2), Span::USUAL).unwrap();
    let world = World { ephemeris, ..World::built_in() };
    let epoch = Epoch::from_mjd(Scale::Tdb, FIRST + 44.3).unwrap();
    assert!(!world.ephemeris.has_librations());
    for (ours, theirs) in [
        (world.fixed(Body::Luna, epoch), gmat.fixed(Body::Luna, epoch)),
        (world.equator(Body::Luna, epoch), gmat.equator(Body::Luna, epoch)),
    ] {
        assert!(ours.is_some());
        assert_eq!(ours, theirs);
    }
}

#[test]
fn val_native_file() {
    let de405 = Ephemeris::de405().unwrap();
    for (big_endian, names, later) in [(false, 156, false), (true, 156, false), (false, 572, true), (true, 645, true)] {
        let ephemeris = read(jpl(&de405, big_endian, names, later, true), Span::USUAL).unwrap();
        assert_eq!(ephemeris.span(), SPAN);
        for track in TRACKS {
            assert_eq!(numbers_of(ephemeris.tracks[track as usize].as_ref().unwrap()), cut(&de405, track).1);
        }
        assert!(worst(&de405, &ephemeris) < 1e-16 * 3.0);
        let epoch = Epoch::from_mjd(Scale::Tdb, FIRST + 44.3).unwrap();
        assert_eq!(ephemeris.librations(epoch), de405.librations(epoch));
        let without = read(jpl(&de405, big_endian, names, later, false), Span::USUAL).unwrap();
        assert_eq!(without.librations(epoch), Err(EphemerisError::NoLibrations));
        assert!(worst(&de405, &without) < 1e-16 * 3.0);
    }
}

#[test]
fn a_span_cuts_a_file() {
    let de405 = Ephemeris::de405().unwrap();
    let span = Span { first: FIRST + 20.0, end: FIRST + 25.0 };
    for file in [kernel(&de405, false, 2), jpl(&de405, false, 156, false, true)] {
        let ephemeris = read(file.clone(), span).unwrap();
        assert_eq!(ephemeris.span(), span);
        assert!(ephemeris.tracks[Track::Moon as usize].as_ref().unwrap().granules <= 8);
        let inside = Epoch::from_mjd(Scale::Tdb, FIRST + 22.0).unwrap();
        let state = |ephemeris: &Ephemeris| ephemeris.state(Body::Luna, Body::Sun, inside).unwrap().r[0];
        assert!((state(&ephemeris) / state(&de405) - 1.0).abs() < 1e-15);
        let later = Span { first: FIRST + 200.0, end: FIRST + 300.0 };
        assert!(matches!(read(file, later), Err(FileError::NoCommonSpan | FileError::Missing { target: 1..=10, .. })));
    }
}

/// What is said about a file in which a word was changed.
fn complaint(mut file: Vec<u8>, at: usize, word: &[u8]) -> String {
    file[at..at + word.len()].copy_from_slice(word);
    read(file, Span::USUAL).unwrap_err().to_string()
}

#[test]
fn every_wrong_kernel_is_refused() {
    let de405 = Ephemeris::de405().unwrap();
    let file = kernel(&de405, false, 2);
    let summary = |number: usize| 1024 + 24 + 40 * number;
    let directory_end = |number: usize| {
        let at = summary(number) + 36;
        8 * i32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize
    };
    for (at, word, expected) in [
        (88, &b"VAX-DFLT"[..], "byte order"),
        (8, &[3, 0, 0, 0], "ND is 3"),
        (76, &[255, 255, 0, 0], "number of a summary record is 65535"),
        (1024, &2.0_f64.to_le_bytes(), "number of segments"), // leads back to itself
        (1024 + 16, &26.0_f64.to_le_bytes(), "summaries of a record is 26"),
        (summary(0) + 24, &[17, 0, 0, 0], "body 1 is given in frame 17"),
        (summary(0) + 28, &[13, 0, 0, 0], "body 1 is in a segment of type 13"),
        (summary(11) + 16, &[99, 0, 0, 0], "no segment of body 10 from center 0"),
        (summary(1) + 16, &[1, 0, 0, 0], "body 1 has several segments"),
        (summary(0) + 36, &[255, 255, 255, 127], "too short: the directory"),
        (summary(0) + 32, &[0, 0, 0, 0], "address of a segment is 0"),
        (directory_end(2) - 8, &1.0e9_f64.to_le_bytes(), "N is 1000000000"),
        (directory_end(2) - 16, &36.0_f64.to_le_bytes(), "RSIZE is 36"),
        (directory_end(2) - 24, &f64::NAN.to_le_bytes(), "INTLEN is NaN"),
        (directory_end(2) - 48, &f64::INFINITY.to_le_bytes(), "a coefficient is inf"),
        (directory_end(9) - 48, &4000.0_f64.to_le_bytes(), "do not belong together"),
    ] {
        let found = complaint(file.clone(), at, word);
        assert!(found.contains(expected), "{found}, not {expected}");
    }
}

#[test]
fn every_wrong_native_file_is_refused() {
    let de405 = Ephemeris::de405().unwrap();
    let file = jpl(&de405, false, 156, false, true);
    let numbers = 3 * 84 + 400 * 6;
    for (at, word, expected) in [
        (numbers + 44 + 144, &[0, 0, 0, 0][..], "neither"),
        (numbers + 16, &0.0_f64.to_le_bytes(), "days of a record is 0"),
        (numbers + 36, &2.0_f64.to_le_bytes(), "EMRAT is 2"),
        (numbers + 44 + 4, &[200, 0, 0, 0], "coefficients of an entry is 200"),
        (numbers + 44 + 144 + 8, &[9, 0, 0, 0], "size of a record"),
        (numbers + 8, &9.9e6_f64.to_le_bytes(), "too short: the records"),
    ] {
        let found = complaint(file.clone(), at, word);
        assert!(found.contains(expected), "{found}, not {expected}");
    }
    assert!(read(file[..100].to_vec(), Span::USUAL).unwrap_err().to_string().contains("too short: the header"));
    assert!(read(b"GIF89a".to_vec(), Span::USUAL).unwrap_err().to_string().contains("too short"));
    assert!(read(vec![7; 100_000], Span::USUAL).unwrap_err().to_string().contains("neither"));
}

#[test]
fn prop_no_file_makes_a_panic() {
    let de405 = Ephemeris::de405().unwrap();
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    for file in [kernel(&de405, false, 2), kernel(&de405, true, 3), jpl(&de405, false, 572, true, true)] {
        for round in 0..2_000 {
            let mut broken = file.clone();
            if round % 4 == 0 {
                broken.truncate(random(file.len()));
            }
            for _ in 0..=random(4) {
                // mostly where addresses and counts are
                let (from, to) = [(0, 96), (1024, 1600), (2652, 2900), (0, file.len())][random(4)];
                let at = from + random(to - from);
                if at < broken.len() {
                    broken[at] = [0, 1, 0x7f, 0x80, 0xff, random(256) as u8][random(6)];
                }
            }
            if let Ok(ephemeris) = read(broken, Span::USUAL) {
                let epoch = Epoch::from_mjd(Scale::Tdb, FIRST + random(96) as f64).unwrap();
                let _ = ephemeris.state(Body::Sun, Body::Luna, epoch);
            }
        }
    }
}

#[test]
fn every_wrong_compact_file_is_refused() {
    let good = include_bytes!("../../../data/ephemeris/de405-planets.bin");
    let complaint = |at: usize, word: &[u8]| {
        let mut file = good.to_vec();
        file[at..at + word.len()].copy_from_slice(word);
        compact::read(file.leak(), &mut [const { None }; TRACKS.len()]).unwrap_err().to_string()
    };
    for (at, word, expected) in [
        (0, &b"X"[..], "neither"),
        (12, &[0, 0, 0, 0], "number of series is 0"),
        (16, &f64::NAN.to_le_bytes(), "EMRAT is NaN"),
        (24, &[11, 0, 0, 0], "entry of a series is 11"),
        (24, &[13, 0, 0, 0], "entry of a series is 13"),
        (28, &[13, 0, 0, 0], "length of the file"),
        (48, &[255, 255, 255, 0], "granules is 16777215"),
        (48, &[0, 0, 144, 0], "too short: a series"),
    ] {
        let found = complaint(at, word);
        assert!(found.contains(expected), "{found}, not {expected}");
    }
    for length in [0, 7, 23, 24, 100, 300, good.len() - 1] {
        assert!(compact::read(&good[..length], &mut [const { None }; TRACKS.len()]).is_err());
    }
}

#[test]
fn val_embedded_numbers() {
    // FNV-1a of the files, which scripts/make-ephemeris copied bit by bit from JPL's numbers
    let files: [(&[u8], u64); 3] = [
        (include_bytes!("../../../data/ephemeris/de405-sun-earth-moon.bin"), 0x1bc6_5647_ce09_02c2),
        (include_bytes!("../../../data/ephemeris/de405-planets.bin"), 0x0750_16db_2c8d_0e47),
        (include_bytes!("../../../data/ephemeris/de405-librations.bin"), 0xea94_f1ab_7c26_c35b),
    ];
    for (file, expected) in files {
        let hash = file
            .iter()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        assert_eq!(hash, expected);
    }
    let de405 = Ephemeris::de405().unwrap();
    assert_eq!(de405.span(), Span { first: 6_912.5, end: 58_464.5 });
    assert!((1.0 / de405.moon_share - 82.300_56).abs() < 1e-13);
}
