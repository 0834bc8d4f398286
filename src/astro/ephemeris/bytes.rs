//! Numbers out of binary files, checked against the length of the file before anything is read.

use std::io::{Read, Seek, SeekFrom};

/// The most numbers that are read of a file, of all bodies together (64 MB): those of DE405 from 1960 to 2100 are 1.6
/// million. A file of holes may promise any number at no cost.
const NUMBERS_MAX: u64 = 1 << 23;

/// Why a file is no ephemeris.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system's own words.
    #[error("the ephemeris file cannot be read: {0}")]
    Read(#[source] std::io::Error),
    /// The file ends too early, or an address in it points nowhere.
    #[error("the ephemeris file is too short: {what} needs bytes {begin} to {end}, and there are {length}")]
    Short {
        /// What should have been there.
        what: &'static str,
        /// First byte.
        begin: u64,
        /// The byte behind the last.
        end: u64,
        /// Of the file.
        length: u64,
    },
    /// A number that cannot be.
    #[error("the ephemeris file is wrong: {what} is {found}, expected {expected}")]
    Wrong {
        /// What the number stands for.
        what: &'static str,
        /// What it is.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// Neither a kernel nor JPL's binary format.
    #[error("neither an SPK kernel (DAF/SPK) nor a binary JPL ephemeris")]
    Unknown,
    /// A type of segment that is not read.
    #[error("body {target} is in a segment of type {kind}; Chebyshev types 2 and 3 are read")]
    Kind {
        /// NAIF's number of the body.
        target: i32,
        /// Type of the segment.
        kind: i32,
    },
    /// Not J2000.
    #[error("body {target} is given in frame {frame}; only J2000 (1) is read")]
    Frame {
        /// NAIF's number of the body.
        target: i32,
        /// NAIF's number of the frame.
        frame: i32,
    },
    /// Several segments of one body in the span.
    #[error("body {target} has several segments between {span}; one is read")]
    Several {
        /// NAIF's number of the body.
        target: i32,
        /// What was asked for.
        span: super::Span,
    },
    /// A body that every ephemeris needs.
    #[error("the kernel has no segment of body {target} from center {center} between {span}")]
    Missing {
        /// NAIF's number of the body.
        target: i32,
        /// NAIF's number of the center.
        center: i32,
        /// What was asked for.
        span: super::Span,
    },
    /// Earth and Moon are not at two ends of a line through their barycentre.
    #[error("the Earth (399) and the Moon (301) of the kernel do not belong together")]
    EarthAndMoon,
    /// Too many numbers.
    #[error("the bodies of the ephemeris take {numbers} numbers or more; at most {NUMBERS_MAX} are read")]
    TooMany {
        /// How many.
        numbers: u64,
    },
    /// Nothing is left.
    #[error("the bodies of the ephemeris have no common span of time")]
    NoCommonSpan,
}

/// A number that must lie in a range.
pub(super) fn check<T: Copy + PartialOrd + Into<f64>>(
    what: &'static str,
    number: T,
    range: std::ops::RangeInclusive<T>,
    expected: &'static str,
) -> Result<T, FileError> {
    if range.contains(&number) { Ok(number) } else { Err(FileError::Wrong { what, found: number.into(), expected }) }
}

/// Bytes in a byte order.
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    pub(super) big_endian: bool,
}

impl Block {
    fn word<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut word = [0; N];
        word.copy_from_slice(&self.bytes[at..at + N]);
        if self.big_endian {
            word.reverse();
        }
        word
    }

    /// The double at a byte, which must be within the block.
    pub(super) fn double(&self, at: usize) -> f64 {
        f64::from_le_bytes(self.word(at))
    }

    /// The integer at a byte, which must be within the block.
    pub(super) fn integer(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.word(at))
    }
}

/// A file, or what stands in for one in a test.
pub(super) struct Source<R> {
    reader: R,
    length: u64,
    /// Numbers read so far.
    numbers: u64,
}

impl<R: Read + Seek> Source<R> {
    pub(super) fn new(mut reader: R) -> Result<Self, FileError> {
        let length = reader.seek(SeekFrom::End(0)).map_err(FileError::Read)?;
        Ok(Source { reader, length, numbers: 0 })
    }

    /// Bytes in the file.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Reads some bytes, if the file has them.
    pub(super) fn bytes(&mut self, what: &'static str, begin: u64, count: u64) -> Result<Vec<u8>, FileError> {
        let end = begin.saturating_add(count);
        if end > self.length {
            return Err(FileError::Short { what, begin, end, length: self.length });
        }
        self.numbers += count / 8;
        if self.numbers > NUMBERS_MAX {
            return Err(FileError::TooMany { numbers: self.numbers });
        }
        let mut bytes = vec![0; count as usize];
        self.reader.seek(SeekFrom::Start(begin)).map_err(FileError::Read)?;
        self.reader.read_exact(&mut bytes).map_err(FileError::Read)?;
        Ok(bytes)
    }
}

/// The coefficient as it is, if it is a number.
pub(super) fn coefficient(number: f64) -> Result<f64, FileError> {
    check("a coefficient", number, -1.0e15..=1.0e15, "a distance in km or an angle in rad")
}
