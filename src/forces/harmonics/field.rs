//! A gravity field: the coefficients of its spherical harmonics, as a file gives them.
//!
//! U = mu / r (1 + sum_(n>=1) (a/r)^n sum_(m<=n) P_nm(sin latitude) (C_nm cos m longitude + S_nm sin m longitude))
//!
//! with fully normalised P_nm (4 pi), C and S, in the axes of the body. mu and a are those of the file.
//! The term of degree 0 is mu / r whatever the file says of C_00, as in GMAT.
//!
//! Permanent tide: the coefficients are used as they stand. GMAT compares C20 of the Earth with
//! -4.84167e-4 only to warn of a tide counted twice, and never changes it.
//!
//! # References
//! Heiskanen, Moritz, *Physical Geodesy* (1967), section 2-5. IERS Conventions (2010), section 6.2.2.

use super::file;
use std::path::Path;

/// The largest degree that a file may have.
pub const LARGEST_DEGREE: usize = 2200;

/// Fields that the program carries: name, file.
const EMBEDDED: &[(&str, &str)] = &[
    ("JGM2.cof", include_str!("../../../data/gravity/JGM2.cof")),
    ("JGM3.cof", include_str!("../../../data/gravity/JGM3.cof")),
    ("EGM96.cof", include_str!("../../../data/gravity/EGM96.cof")),
];

/// The spherical harmonics of a body's gravity, fully normalised.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What the file calls the model, or the file's name.
    pub name: String,
    /// Gravitational parameter, km^3/s^2.
    pub mu_km3_s2: f64,
    /// Reference radius a, km.
    pub radius_km: f64,
    /// Largest degree.
    pub degree: usize,
    /// Largest order, at most the degree.
    pub order: usize,
    /// C of degree n and order m at n (n + 1) / 2 + m, and 0 past the order.
    pub c: Vec<f64>,
    /// S, in the same places.
    pub s: Vec<f64>,
    /// What the file says of the tide system, or nothing.
    pub tide_system: String,
}

/// Why there is no field.
#[derive(Debug, thiserror::Error)]
pub enum FieldError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file is longer than any gravity field.
    #[error("{path}: more than {limit} bytes, too long for a gravity field")]
    TooLong {
        /// The file.
        path: String,
        /// The most that is read.
        limit: u64,
    },
    /// The name says no format that can be read.
    #[error("{path}: not a gravity file that can be read; supported are .cof and .gfc")]
    UnknownFormat {
        /// The file.
        path: String,
    },
    /// A line that cannot be understood.
    #[error("{name}, line {line}: {reason}")]
    Line {
        /// The file.
        name: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The file lacks something.
    #[error("{name}: {reason}")]
    Incomplete {
        /// The file.
        name: String,
        /// What is missing.
        reason: &'static str,
    },
    /// More was asked for than the file holds.
    #[error("{name}: {what} {asked} was asked for, and the field has {held}")]
    TooHigh {
        /// The field.
        name: String,
        /// Degree or order.
        what: &'static str,
        /// What was asked for.
        asked: usize,
        /// What there is.
        held: usize,
    },
}

/// The place of degree n and order m in `c` and `s`.
pub(super) fn index(n: usize, m: usize) -> usize {
    n * (n + 1) / 2 + m
}

impl Field {
    /// A field without harmonics: a point of gravitational parameter `mu_km3_s2`, with room for more.
    pub fn point(name: &str, mu_km3_s2: f64, radius_km: f64, degree: usize, order: usize) -> Self {
        let room = index(degree, degree) + 1;
        let mut field = Field {
            name: name.to_owned(),
            mu_km3_s2,
            radius_km,
            degree,
            order: order.min(degree),
            c: vec![0.0; room],
            s: vec![0.0; room],
            tide_system: String::new(),
        };
        field.c[0] = 1.0;
        field
    }

    /// The field in a file, `.cof` (GMAT) or `.gfc` (ICGEM), to its full degree.
    ///
    /// Domain: at most 64 MB and degree 2200. Test: `val_files_are_read_as_they_stand`.
    pub fn read(path: &Path) -> Result<Self, FieldError> {
        file::read(path)
    }

    /// The same of bytes that were read from a file of this path.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, FieldError> {
        file::parse(path, bytes)
    }

    /// The field of one of GMAT's names that the program carries to degree and order 70: `JGM2.cof`,
    /// `JGM3.cof`, `EGM96.cof`, with or without `.cof` (GMAT adds it to a name without a dot), in any case.
    ///
    /// Test: `val_embedded_fields`.
    pub fn embedded(name: &str) -> Option<Self> {
        let (name, text) = EMBEDDED.iter().find(|(full, _)| {
            full.eq_ignore_ascii_case(name) || full.trim_end_matches(".cof").eq_ignore_ascii_case(name)
        })?;
        file::cof(name, text.as_bytes()).ok()
    }

    /// The same field cut to a degree and an order; an order above the degree is read as the degree, as
    /// GMAT does.
    ///
    /// Errors: a degree or an order above that of the field. Test: `prop_cut_keeps_what_is_asked_for`.
    pub fn cut(&self, degree: usize, order: usize) -> Result<Self, FieldError> {
        for (what, asked, held) in [("degree", degree, self.degree), ("order", order, self.order)] {
            if asked > held {
                return Err(FieldError::TooHigh { name: self.name.clone(), what, asked, held });
            }
        }
        let mut cut = Field::point(&self.name, self.mu_km3_s2, self.radius_km, degree, order);
        cut.tide_system.clone_from(&self.tide_system);
        for n in 0..=degree {
            for m in 0..=n.min(cut.order) {
                (cut.c[index(n, m)], cut.s[index(n, m)]) = self.coefficient(n, m);
            }
        }
        Ok(cut)
    }

    /// C and S of degree n and order m; 0 outside the field.
    pub fn coefficient(&self, n: usize, m: usize) -> (f64, f64) {
        if n > self.degree || m > self.order.min(n) {
            return (0.0, 0.0);
        }
        (self.c[index(n, m)], self.s[index(n, m)])
    }

    /// The potential U (km^2/s^2) at a place `r` (km) in the axes of the body, by the formula above: slow, for
    /// tests and single places. Domain: r > 0. Test: `prop_acceleration_is_the_gradient_of_the_potential`.
    pub fn potential(&self, r: [f64; 3]) -> f64 {
        let distance = libm::hypot(libm::hypot(r[0], r[1]), r[2]);
        let (sine, cosine) = (r[2] / distance, libm::hypot(r[0], r[1]) / distance);
        let longitude = libm::atan2(r[1], r[0]);
        let mut sum = 0.0;
        let mut sectoral = 1.0;
        for m in 0..=self.order {
            if m > 0 {
                let factor = if m == 1 { 3.0 } else { (2 * m + 1) as f64 / (2 * m) as f64 };
                sectoral *= cosine * libm::sqrt(factor);
            }
            let (mut before, mut legendre) = (0.0, sectoral);
            let (sine_m, cosine_m) = libm::sincos(m as f64 * longitude);
            for n in m..=self.degree {
                if n > m {
                    let (n, m) = (n as f64, m as f64);
                    let scale = (2.0 * n + 1.0) / ((n - m) * (n + m));
                    let back = if n > m + 1.0 { scale * (n + m - 1.0) * (n - m - 1.0) / (2.0 * n - 3.0) } else { 0.0 };
                    let next = libm::sqrt(scale * (2.0 * n - 1.0)) * sine * legendre - libm::sqrt(back) * before;
                    (before, legendre) = (legendre, next);
                }
                if n > 0 {
                    let (c, s) = self.coefficient(n, m);
                    sum += libm::pow(self.radius_km / distance, n as f64) * legendre * (c * cosine_m + s * sine_m);
                }
            }
        }
        self.mu_km3_s2 / distance * (1.0 + sum)
    }

    /// All that the acceleration depends on in one line: the name, the numbers, and a checksum (FNV-1a, 64
    /// bits) of the bits of every coefficient.
    pub fn describe(&self) -> String {
        let bytes = self.c.iter().chain(&self.s).flat_map(|number| number.to_le_bytes());
        let checksum =
            bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        format!(
            "Harmonics {{ name: {:?}, mu: {:?}, radius: {:?}, degree: {}, order: {}, checksum: {checksum:016x} }}",
            self.name, self.mu_km3_s2, self.radius_km, self.degree, self.order
        )
    }
}
