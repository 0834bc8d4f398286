//! Times counted in log-spaced bins: small, mergeable between ranks, good for medians and tails.

use serde::{Deserialize, Serialize};

/// Bins in a factor of two, as a power of two: the bin of a time is known to 1/8, its middle to 1/16.
const BITS: u32 = 3;
const BINS_AN_OCTAVE: u64 = 1 << BITS;

/// How often which time was measured, from 1 ns to 2^64 ns.
///
/// A bin covers `[m, m + 1) 2^e` ns with m in 8..16, below 8 ns a single nanosecond. So a quantile
/// is right to 1/16 of its value, and two histograms merge by adding counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u16, u64)>", into = "Vec<(u16, u64)>")]
pub struct Histogram {
    /// Count of each bin; as long as the highest bin in use.
    counts: Vec<u64>,
}

impl Histogram {
    /// Counts a time.
    pub fn add(&mut self, time_ns: u64) {
        let bin = bin(time_ns);
        if bin >= self.counts.len() {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
    }

    /// Adds the counts of another.
    pub fn merge(&mut self, other: &Histogram) {
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
    }

    /// How many times were counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The time, s, that a share of the counted ones does not pass: the middle of the bin of the
    /// `ceil(share * count)`-th shortest; 0 if none was counted. Checked by `prop_quantiles`.
    pub fn quantile_s(&self, share: f64) -> f64 {
        let wanted = ((share * self.count() as f64).ceil() as u64).max(1);
        let mut passed = 0;
        for (bin, count) in self.counts.iter().enumerate() {
            passed += count;
            if passed >= wanted {
                return middle_ns(bin) * 1e-9;
            }
        }
        0.0
    }
}

/// The bin of a time.
fn bin(time_ns: u64) -> usize {
    if time_ns < BINS_AN_OCTAVE {
        return time_ns as usize;
    }
    let exponent = time_ns.ilog2() - BITS;
    (u64::from(exponent) * BINS_AN_OCTAVE + (time_ns >> exponent)) as usize
}

/// The middle of a bin, ns.
fn middle_ns(bin: usize) -> f64 {
    let bin = bin as u64;
    if bin < BINS_AN_OCTAVE {
        return bin as f64;
    }
    let exponent = bin / BINS_AN_OCTAVE - 1;
    let mantissa = bin % BINS_AN_OCTAVE + BINS_AN_OCTAVE;
    (mantissa as f64 + 0.5) * 2_f64.powi(exponent as i32) - 0.5
}

impl From<Histogram> for Vec<(u16, u64)> {
    fn from(histogram: Histogram) -> Self {
        let counts = histogram.counts.into_iter().enumerate();
        counts.filter(|(_, count)| *count > 0).map(|(bin, count)| (bin as u16, count)).collect()
    }
}

impl From<Vec<(u16, u64)>> for Histogram {
    /// Bins that no time has are left out.
    fn from(pairs: Vec<(u16, u64)>) -> Self {
        let mut histogram = Histogram::default();
        for (place, count) in pairs.into_iter().filter(|(place, _)| usize::from(*place) <= bin(u64::MAX)) {
            let place = usize::from(place);
            if place >= histogram.counts.len() {
                histogram.counts.resize(place + 1, 0);
            }
            histogram.counts[place] += count;
        }
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(times: &[u64]) -> Histogram {
        let mut histogram = Histogram::default();
        for &time in times {
            histogram.add(time);
        }
        histogram
    }

    #[test]
    fn bins_meet_and_grow() {
        assert_eq!((bin(0), bin(7), bin(8), bin(15), bin(16), bin(17), bin(18)), (0, 7, 8, 15, 16, 16, 17));
        assert_eq!(bin(u64::MAX), 495);
        assert!((middle_ns(bin(16)) - 16.5).abs() < 1e-12, "16 and 17 ns share a bin");
    }

    #[test]
    fn val_half_and_tail_of_a_hundred() {
        let mut times = vec![1000; 98];
        times.extend([50_000, 90_000]);
        let histogram = of(&times);
        assert!((histogram.quantile_s(0.5) / 1e-6 - 1.0).abs() < 1.0 / 16.0);
        assert!((histogram.quantile_s(0.99) / 50e-6 - 1.0).abs() < 1.0 / 16.0);
        assert!((histogram.quantile_s(1.0) / 90e-6 - 1.0).abs() < 1.0 / 16.0);
        assert_eq!(Histogram::default().quantile_s(0.5).to_bits(), 0);
    }

    #[test]
    fn foreign_bins_are_left_out() {
        let read: Histogram = serde_json::from_str("[[3, 2], [60000, 9]]").unwrap();
        assert_eq!(read, of(&[3, 3]));
    }

    proptest! {
        #[test]
        fn prop_quantiles(times in prop::collection::vec(any::<u64>().prop_map(|n| n >> (n % 60)), 1..200), share in 0.0..=1.0_f64) {
            let mut sorted = times.clone();
            sorted.sort_unstable();
            let rank = ((share * times.len() as f64).ceil() as usize).max(1);
            let exact = sorted[rank - 1] as f64 * 1e-9;
            prop_assert!((of(&times).quantile_s(share) - exact).abs() <= exact / 16.0 + 1e-18);
        }

        #[test]
        fn prop_merged_as_counted_together_and_back_from_text(a in prop::collection::vec(any::<u64>(), 0..50), b in prop::collection::vec(0_u64..1000, 0..50)) {
            let mut merged = of(&a);
            merged.merge(&of(&b));
            let all: Vec<u64> = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(&merged, &of(&all));
            prop_assert_eq!(merged.count(), all.len() as u64);
            let text = serde_json::to_string(&merged).unwrap();
            prop_assert_eq!(serde_json::from_str::<Histogram>(&text).unwrap(), merged);
        }
    }
}
