//! The variation of a quantity over the globe: spherical harmonics of latitude, local time, season, flux, ap.
//!
//! Theory: each coefficient set p (counted from 0; the papers count from 1) gives 1 + G with G the sum of
//! fourteen terms: flux, latitude, annual and semiannual, diurnal to terdiurnal, magnetic activity (daily ap),
//! longitude, universal time, and both with activity. Angles are those of the model's source: 2 pi / 365
//! to six digits a day, 15 degrees to four digits an hour. Both editions have the same terms; where a term has its
//! coefficient elsewhere, [`LowerTerms`] says where.
//!
//! # References
//! Hedin, *J. Geophys. Res.* 92 (1987) 4649, appendix; *ibid.* 96 (1991) 1159; Picone et al., *ibid.* 107 (2002) 1468.

use super::coefficients::{Coefficients, Constants, LowerTerms, Set};

/// Which coefficients are phases, and the angle that a unit of them is.
pub(super) fn upper_phases(c: &Constants) -> [(usize, f64); 14] {
    [
        (13, c.day),
        (31, c.day),
        (17, 2.0 * c.day),
        (38, 2.0 * c.day),
        (124, c.hour),
        (131, c.hour),
        (58, c.second),
        (71, c.second),
        (75, c.second),
        (79, c.second),
        (63, c.degree),
        (97, c.degree),
        (118, c.degree),
        (136, c.degree),
    ]
}

/// The same below 120 km.
pub(super) fn lower_phases(c: &Constants) -> [(usize, f64); 8] {
    let (year, half) = (c.day, 2.0 * c.day);
    [(13, year), (31, year), (81, year), (84, year), (17, half), (38, half), (86, half), (88, half)]
}

/// cos(a - b) of sines and cosines.
#[inline]
fn cosine_of_difference(a: (f64, f64), b: (f64, f64)) -> f64 {
    a.1 * b.1 + a.0 * b.0
}

/// What the model is asked: date, time, place and activity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question {
    /// Day of the year.
    pub day: f64,
    /// Seconds of the UTC day.
    pub seconds: f64,
    /// Geodetic height, km.
    pub height: f64,
    /// Geodetic latitude, degrees.
    pub latitude: f64,
    /// Longitude, degrees.
    pub longitude: f64,
    /// Local solar time, hours.
    pub hours: f64,
    /// F10.7 of the day before.
    pub f107: f64,
    /// Mean F10.7.
    pub f107a: f64,
    /// The seven ap of [`Activity`](super::super::space_weather::Activity).
    pub ap: [f64; 7],
    /// Whether the 3-hourly ones count, or the daily one.
    pub three_hourly: bool,
}

/// All that the harmonics of one question share.
pub(crate) struct Harmonics {
    question: Question,
    /// Legendre functions P(order, degree), not normalised.
    plg: [[f64; 9]; 4],
    /// Sine and cosine of once, twice and three times the local time.
    time: [(f64, f64); 3],
    longitude: (f64, f64),
    /// Sine and cosine of once and twice the day of the year, and of the second of the day, as angles.
    season: [(f64, f64); 2],
    clock: (f64, f64),
    /// Flux above its mean, and mean above 150.
    df: f64,
    dfa: f64,
    lower: LowerTerms,
    /// The ap as most sets have them saturate: the daily one, or all seven.
    usual: [f64; 7],
}

/// Magnetic activity of a coefficient set, by daily or by 3-hourly ap.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Activity {
    Daily(f64),
    Hourly(f64),
}

/// a' + (b - 1) (a' + (exp(-rate a') - 1) / rate) with a' = ap - 4.
fn saturated(ap: f64, rate: f64, b: f64) -> f64 {
    let above = ap - 4.0;
    above + (b - 1.0) * (above + (libm::exp(-rate * above) - 1.0) / rate)
}

/// The daily ap, saturated by a coefficient set.
fn daily_saturated(ap: f64, p: &[f64; 150]) -> f64 {
    saturated(ap, if p[43] < 0.0 { 1e-5 } else { p[43] }, p[44])
}

/// The 3-hourly ap (and the first, which is not used), saturated by a coefficient set.
fn hourly_saturated(ap: &[f64; 7], p: &[f64; 150]) -> [f64; 7] {
    ap.map(|ap| saturated(ap, p[24].max(1e-4), p[25]))
}

impl Harmonics {
    pub(crate) fn new(question: Question, c: &Coefficients) -> Self {
        let Constants { degree, day, hour, second, lower, .. } = c.constants;
        let mut usual = [0.0; 7];
        if question.three_hourly {
            usual = hourly_saturated(&question.ap, &c.pt.p);
        } else {
            usual[0] = daily_saturated(question.ap[0], &c.pt.p);
        }
        let both = libm::sincos;
        let time = [1.0, 2.0, 3.0].map(|n| both(n * hour * question.hours));
        Harmonics {
            question,
            plg: legendre(libm::sincos(question.latitude * degree)),
            time,
            longitude: both(degree * question.longitude),
            season: [both(day * question.day), both(2.0 * day * question.day)],
            clock: both(second * question.seconds),
            df: question.f107 - question.f107a,
            dfa: question.f107a - 150.0,
            lower,
            usual,
        }
    }

    /// What was asked.
    pub(crate) fn question(&self) -> &Question {
        &self.question
    }

    /// Mean flux above 150.
    pub(crate) fn mean_flux(&self) -> f64 {
        self.dfa
    }

    /// The same place at another height (km).
    pub(crate) fn at_height(mut self, height: f64) -> Self {
        self.question.height = height;
        self
    }

    /// cos(n 2 pi / 365 (day - phase)), n = 1 or 2, of the phase at an index.
    fn annual<const N: usize>(&self, set: &Set<N>, at: usize) -> f64 {
        cosine_of_difference(self.season[0], set.phase[at])
    }

    fn semiannual<const N: usize>(&self, set: &Set<N>, at: usize) -> f64 {
        cosine_of_difference(self.season[1], set.phase[at])
    }

    /// Activity by daily ap.
    fn daily(&self, set: &Set<150>) -> f64 {
        if set.usual { self.usual[0] } else { daily_saturated(self.question.ap[0], &set.p) }
    }

    /// Activity by the 3-hourly ap of the last 57 h, which fade by a share every three hours, by the rate at an index.
    fn hourly(&self, set: &Set<150>, rate: usize) -> f64 {
        let p = &set.p;
        let share = libm::exp(-10_800.0 * p[rate].abs() / (1.0 + p[138] * (45.0 - self.question.latitude.abs())));
        let q = share.min(0.99999);
        let g = if set.usual { self.usual } else { hourly_saturated(&self.question.ap, p) };
        let power = |n: i32| (0..n).fold(1.0, |product, _| product * q);
        let eight = (1.0 - power(8)) / (1.0 - q);
        let sum = g[1] + g[2] * q + g[3] * power(2) + g[4] * power(3) + (g[5] * power(4) + g[6] * power(12)) * eight;
        sum / (1.0 + (1.0 - power(19)) / (1.0 - q) * q.sqrt())
    }

    /// The activity that the temperatures below 120 km feel, by the coefficients of the temperature at 120 km.
    pub(crate) fn activity(&self, set: &Set<150>) -> Activity {
        if self.question.three_hourly {
            Activity::Hourly(self.hourly(set, self.lower.fade))
        } else {
            Activity::Daily(self.daily(set))
        }
    }

    /// The terms of magnetic activity, with and without longitude and universal time.
    fn storm(&self, set: &Set<150>, annual: f64) -> f64 {
        let (plg, p) = (&self.plg, &set.p);
        let even = |at: [usize; 3]| p[at[0]] * plg[1][2] + p[at[1]] * plg[1][4] + p[at[2]] * plg[1][6];
        let odd = |a: usize| p[a] * plg[1][1] + p[a + 1] * plg[1][3] + p[a + 2] * plg[1][5];
        let zonal = |a: usize| p[a] * plg[0][1] + p[a + 1] * plg[0][3] + p[a + 2] * plg[0][5];
        let near = |at: usize| cosine_of_difference(self.longitude, set.phase[at]);
        let clock = |at: usize| cosine_of_difference(self.clock, set.phase[at]);
        let hour = |at: usize| cosine_of_difference(self.time[0], set.phase[at]);
        if self.question.three_hourly {
            if p[51] == 0.0 {
                return 0.0;
            }
            self.hourly(set, 51)
                * (p[50]
                    + p[96] * plg[0][2]
                    + p[54] * plg[0][4]
                    + zonal(125) * annual
                    + odd(128) * hour(131)
                    + (1.0 + p[132] * plg[0][1]) * even([52, 98, 67]) * near(97)
                    + odd(133) * annual * near(136)
                    + zonal(55) * clock(58))
        } else {
            self.daily(set)
                * (p[32]
                    + p[45] * plg[0][2]
                    + p[34] * plg[0][4]
                    + zonal(100) * annual
                    + odd(121) * hour(124)
                    + (1.0 + p[120] * plg[0][1]) * even([60, 61, 62]) * near(63)
                    + odd(115) * annual * near(118)
                    + zonal(83) * clock(75))
        }
    }

    /// The variation G of a quantity of the thermosphere.
    pub(crate) fn upper(&self, set: &Set<150>) -> f64 {
        let (plg, p) = (&self.plg, &set.p);
        let (df, dfa) = (self.df, self.dfa);
        let annual = self.annual(set, 13);
        let [(s1, c1), (s2, c2), (s3, c3)] = self.time;
        let even = |a: usize, b: usize, c: usize| p[a] * plg[1][2] + p[b] * plg[1][4] + p[c] * plg[1][6];
        let odd = |a: usize, b: usize, c: usize| p[a] * plg[1][1] + p[b] * plg[1][3] + p[c] * plg[1][5];
        let zonal = |a: usize, b: usize, c: usize| p[a] * plg[0][1] + p[b] * plg[0][3] + p[c] * plg[0][5];

        let flux = p[19] * df + p[20] * df * df;
        let f1 = 1.0 + p[47] * dfa + flux;
        let f2 = 1.0 + p[49] * dfa + flux;
        // the product of both fluxes is of NRLMSISE-00; its coefficient is zero in MSISE90
        let mut sum = p[19] * df * (1.0 + p[59] * dfa) + p[20] * df * df + p[21] * dfa + p[29] * dfa * dfa;
        // independent of time
        sum += p[1] * plg[0][2] + p[2] * plg[0][4] + p[22] * plg[0][6] + p[14] * plg[0][2] * dfa + p[26] * plg[0][1];
        // annual and semiannual, symmetric and not
        sum += p[18] * self.annual(set, 31);
        sum += (p[15] + p[16] * plg[0][2]) * self.semiannual(set, 17);
        sum += f1 * (p[9] * plg[0][1] + p[10] * plg[0][3]) * annual;
        sum += p[37] * plg[0][1] * self.semiannual(set, 38);
        // diurnal, semidiurnal, terdiurnal
        sum += f2
            * ((odd(3, 4, 27) + p[11] * plg[1][2] * annual) * c1 + (odd(6, 7, 28) + p[12] * plg[1][2] * annual) * s1);
        sum += f2
            * ((p[5] * plg[2][2] + p[41] * plg[2][4] + (p[23] * plg[2][3] + p[35] * plg[2][5]) * annual) * c2
                + (p[8] * plg[2][2] + p[42] * plg[2][4] + (p[33] * plg[2][3] + p[36] * plg[2][5]) * annual) * s2);
        sum += f2
            * ((p[39] * plg[3][3] + (p[93] * plg[3][4] + p[46] * plg[3][6]) * annual) * s3
                + (p[40] * plg[3][3] + (p[94] * plg[3][4] + p[48] * plg[3][6]) * annual) * c3);
        sum += self.storm(set, annual);
        // longitude
        sum += (1.0 + p[80] * dfa)
            * ((even(64, 65, 66) + odd(103, 104, 105) + odd(109, 110, 111) * annual) * self.longitude.1
                + (even(90, 91, 92) + odd(106, 107, 108) + odd(112, 113, 114) * annual) * self.longitude.0);
        // universal time, alone and with longitude
        sum += (1.0 + p[95] * plg[0][1])
            * (1.0 + p[81] * dfa)
            * (1.0 + p[119] * plg[0][1] * annual)
            * zonal(68, 69, 70)
            * cosine_of_difference(self.clock, set.phase[71]);
        // cos(second - phase + 2 longitude)
        let (sine, cosine) = self.clock;
        let (phase_sine, phase_cosine) = set.phase[79];
        let (s, c) = self.longitude;
        let clock_and_longitude = (cosine * phase_cosine + sine * phase_sine) * (c * c - s * s)
            - (sine * phase_cosine - cosine * phase_sine) * 2.0 * s * c;
        sum += (p[76] * plg[2][3] + p[77] * plg[2][5] + p[78] * plg[2][7]) * clock_and_longitude * (1.0 + p[137] * dfa);
        p[30] + sum
    }

    /// The variation of a temperature below 120 km; `activity` is that of the last coefficient set of the
    /// thermosphere, as in the model's source.
    pub(crate) fn lower(&self, set: &Set<100>, activity: Activity) -> f64 {
        let (plg, p) = (&self.plg, &set.p);
        let annual = self.annual(set, 13);
        let [(s1, c1), (s2, c2), (s3, c3)] = self.time;
        let even = |a: usize| p[a] * plg[1][2] + p[a + 1] * plg[1][4] + p[a + 2] * plg[1][6];
        let odd = |a: usize| p[a] * plg[1][1] + p[a + 1] * plg[1][3] + p[a + 2] * plg[1][5];

        let LowerTerms { zonal, annual: year, semidiurnal, .. } = self.lower;
        let mut sum = p[21] * self.dfa;
        sum += p[1] * plg[0][2] + p[2] * plg[0][4] + p[22] * plg[0][6];
        sum += p[26] * plg[0][1] + p[zonal[0]] * plg[0][3] + p[zonal[1]] * plg[0][5];
        sum += (p[18] + p[47] * plg[0][2] + p[29] * plg[0][4]) * self.annual(set, 31);
        sum += (p[15] + p[16] * plg[0][2] + p[30] * plg[0][4]) * self.semiannual(set, 17);
        sum += (p[9] * plg[0][1] + p[10] * plg[0][3] + p[year] * plg[0][5]) * annual;
        sum += p[37] * plg[0][1] * self.semiannual(set, 38);
        sum += (p[3] * plg[1][1] + p[4] * plg[1][3] + p[11] * plg[1][2] * annual) * c1
            + (p[6] * plg[1][1] + p[7] * plg[1][3] + p[12] * plg[1][2] * annual) * s1;
        sum += (p[5] * plg[2][2] + p[41] * plg[2][4] + (p[23] * plg[2][3] + p[semidiurnal[0]] * plg[2][5]) * annual)
            * c2
            + (p[8] * plg[2][2] + p[42] * plg[2][4] + (p[33] * plg[2][3] + p[semidiurnal[1]] * plg[2][5]) * annual)
                * s2;
        sum += plg[3][3] * (p[39] * s3 + p[40] * c3);
        sum += match activity {
            Activity::Daily(activity) => activity * (p[32] + p[45] * plg[0][2]),
            Activity::Hourly(activity) => activity * (p[50] + p[96] * plg[0][2]),
        };
        sum += (1.0
            + plg[0][1] * (p[80] * self.annual(set, 81) + p[85] * self.semiannual(set, 86))
            + p[83] * self.annual(set, 84)
            + p[87] * self.semiannual(set, 88))
            * ((even(64) + odd(74)) * self.longitude.1 + (even(90) + odd(77)) * self.longitude.0);
        sum
    }
}

/// P(order, degree) of sin(latitude), without the ones that the model does not use.
fn legendre((c, s): (f64, f64)) -> [[f64; 9]; 4] {
    let mut plg = [[0.0; 9]; 4];
    let (c2, s2) = (c * c, s * s);
    plg[0][1] = c;
    plg[0][2] = 0.5 * (3.0 * c2 - 1.0);
    plg[1][1] = s;
    plg[1][2] = 3.0 * c * s;
    plg[2][2] = 3.0 * s2;
    plg[2][3] = 15.0 * s2 * c;
    plg[3][3] = 15.0 * s2 * s;
    plg[3][4] = 105.0 * s2 * s * c;
    // (n - m) P(n) = (2n - 1) c P(n-1) - (n + m - 1) P(n-2)
    for (order, first) in [(0, 3), (1, 3), (2, 4), (3, 5)] {
        for n in first..8 {
            let (degree, m) = (n as f64, order as f64);
            plg[order][n] =
                ((2.0 * degree - 1.0) * c * plg[order][n - 1] - (degree + m - 1.0) * plg[order][n - 2]) / (degree - m);
        }
    }
    plg
}
