//! Ephemerides: SPK kernels and JPL's binary files.

use crate::mutator::Corpus;
use crate::readers;
use crate::trial::mutants;

/// EMRAT, the Earth's mass in those of the Moon.
const RATIO: f64 = 81.300_56;

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
        self.bytes.resize(length, 0);
    }
}

/// A kernel of the Sun, the barycentre, the Moon and the Earth, two records of 32 days each, on straight lines.
fn kernel(big_endian: bool, kind: i32) -> Vec<u8> {
    let share = 1.0 / (1.0 + RATIO);
    let (start, half) = (0.0, 16.0 * 86_400.0);
    let mut data = Writer { bytes: Vec::new(), big_endian };
    let mut summaries = Writer { bytes: Vec::new(), big_endian };
    for (target, center, scale) in
        [(10, 0, 1e5), (3, 0, 1.5e8), (301, 3, 3.8e5 * (1.0 - share)), (399, 3, -3.8e5 * share)]
    {
        let begin = 3 * 128 + data.bytes.len() / 8 + 1;
        for record in 0..2 {
            data.doubles(&[start + half * f64::from(2 * record + 1), half]);
            data.doubles(&[1.0, 0.1, 0.5, 0.2, 0.25, 0.3].map(|number| number * scale));
            if kind == 3 {
                data.doubles(&[0.0; 6]);
            }
        }
        let size = if kind == 3 { 14.0 } else { 8.0 };
        data.doubles(&[start, 2.0 * half, size, 2.0]);
        summaries.doubles(&[start, 4.0 * half]);
        summaries.integers(&[target, center, 1, kind, begin as i32, 3 * 128 + (data.bytes.len() / 8) as i32]);
    }
    let mut file = Writer { bytes: b"DAF/SPK ".to_vec(), big_endian };
    file.integers(&[2, 6]);
    file.fill(76);
    file.integers(&[2, 2, 0]);
    file.bytes.extend_from_slice(if big_endian { b"BIG-IEEE" } else { b"LTL-IEEE" });
    file.fill(1024);
    file.doubles(&[0.0, 0.0, 4.0]);
    file.bytes.extend_from_slice(&summaries.bytes);
    file.fill(3 * 1024);
    file.bytes.extend_from_slice(&data.bytes);
    file.bytes
}

/// A binary file of JPL's with two records of 32 days.
fn native(big_endian: bool) -> Vec<u8> {
    let mut file = Writer { bytes: vec![b' '; 3 * 84 + 400 * 6], big_endian };
    let first = 2_451_544.5;
    file.doubles(&[first, first + 64.0, 32.0]);
    file.integers(&[400]);
    file.doubles(&[149_597_870.691, RATIO]);
    let words = 202;
    for body in 0..11 {
        file.integers(&[3 + 6 * body, 2, 1]);
    }
    file.integers(&[75, 32, 2, 405, 3 + 66, 2, 1]); // nutations (not read, they make the records longer), number, librations
    file.integers(&[0; 6]);
    file.fill(2 * words * 8);
    for record in 0..2_usize {
        let begin = first + 32.0 * record as f64;
        file.doubles(&[begin, begin + 32.0]);
        (0..12).for_each(|body| file.doubles(&[f64::from(body) * 1e6, 1.0, 2.0, 3.0, 4.0, 5.0]));
        file.fill((3 + record) * words * 8);
    }
    file.bytes
}

/// Bytes at places of a file.
pub(crate) type Places = Vec<(u64, Vec<u8>)>;

/// A kernel of eleven bodies and the Earth with so many records of 40 terms each: its first records, the directories with
/// their places, and its length. What is between may be holes.
pub(crate) fn large_kernel(records: u64) -> (Vec<u8>, Places, u64) {
    let (start, interval, size) = (-1e10, 86_400.0, 122);
    let mut summaries = Writer { bytes: Vec::new(), big_endian: false };
    let mut directories = Vec::new();
    let mut word = 3 * 128;
    let bodies = [(10, 0), (3, 0), (301, 3), (399, 3), (1, 0), (2, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0)];
    for (target, center) in bodies {
        let begin = word + 1;
        word += records * size;
        let mut directory = Writer { bytes: Vec::new(), big_endian: false };
        directory.doubles(&[start, interval, size as f64, records as f64]);
        directories.push((word * 8, directory.bytes));
        word += 4;
        summaries.doubles(&[start, start + interval * records as f64]);
        summaries.integers(&[target, center, 1, 2, begin as i32, word as i32]);
    }
    let mut file = Writer { bytes: b"DAF/SPK ".to_vec(), big_endian: false };
    file.integers(&[2, 6]);
    file.fill(76);
    file.integers(&[2, 2, 0]);
    file.bytes.extend_from_slice(b"LTL-IEEE");
    file.fill(1024);
    file.doubles(&[0.0, 0.0, bodies.len() as f64]);
    file.bytes.extend_from_slice(&summaries.bytes);
    (file.bytes, directories, word * 8)
}

#[test]
fn prop_hostile_ephemerides() {
    let samples = vec![kernel(false, 2), kernel(true, 2), kernel(false, 3), native(false), native(true)];
    let words = &["DAF/SPK ", "NAIF/DAF", "LTL-IEEE", "BIG-IEEE", "\0\0\0\0\0\0\0\0"];
    let file = readers::place("ephemeris");
    let corpus = Corpus { samples, words, openings: &["\0"] };
    mutants("ephemeris", &corpus, 3000, |bytes| readers::ephemeris(&file, bytes));
    std::fs::remove_file(file).unwrap();
}
