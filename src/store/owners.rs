//! Who writes which rows in a flush round: every rank owns one block of run numbers.
//!
//! Every rank describes its rows by a few pieces of equal count; from all pieces every rank computes
//! the same bounds, so that each owns about the same number of rows, one stretch of the run axis.
//! Memory and traffic are O(ranks), not O(rows).

/// Pieces by which a rank describes its rows: 2 x 128 numbers; the shares then differ by less than
/// a hundredth of the rows, plus one piece a rank.
pub(super) const PIECES: usize = 128;

/// Describes sorted run numbers as `PIECES` pairs (first run, number of rows), flat; unused pairs
/// have 0 rows.
pub(super) fn describe(sorted: impl ExactSizeIterator<Item = u64>) -> Vec<u64> {
    let rows = sorted.len();
    let mut pieces = vec![0; 2 * PIECES];
    for (row, run) in sorted.enumerate() {
        // The piece of a row is the last one that begins at or before it.
        let piece = if rows <= PIECES { row } else { row * PIECES / rows };
        if pieces[2 * piece + 1] == 0 {
            pieces[2 * piece] = run;
        }
        pieces[2 * piece + 1] += 1;
    }
    pieces
}

/// The bounds between the owners' stretches: rank r owns the runs from `bounds[r - 1]` (or 0) to
/// before `bounds[r]` (or all that follow). `pieces` are those of all ranks.
pub(super) fn bounds(pieces: &[u64], ranks: usize) -> Vec<u64> {
    let mut pieces: Vec<(u64, u64)> =
        pieces.as_chunks::<2>().0.iter().filter(|piece| piece[1] > 0).map(|piece| (piece[0], piece[1])).collect();
    pieces.sort_unstable();
    let total: u64 = pieces.iter().map(|piece| piece.1).sum();
    let mut bounds = Vec::with_capacity(ranks.saturating_sub(1));
    let (mut next, mut before) = (0, 0);
    for rank in 1..ranks {
        let share = (u128::from(total) * rank as u128 / ranks as u128) as u64;
        while next < pieces.len() && before < share {
            before += pieces[next].1;
            next += 1;
        }
        bounds.push(pieces.get(next).map_or(u64::MAX, |piece| piece.0));
    }
    bounds
}

/// The rank that owns a run.
pub(super) fn owner(bounds: &[u64], run: u64) -> usize {
    bounds.partition_point(|&bound| bound <= run)
}

/// Consecutive runs: the first and how many.
pub(super) type Stretch = (u64, u64);

/// The stretches of sorted, distinct runs.
pub(super) fn stretches(sorted: impl Iterator<Item = u64>) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for run in sorted {
        match all.last_mut() {
            Some((first, count)) if *first + *count == run => *count += 1,
            _ => all.push((run, 1)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn share_out(ranks: &[Vec<u64>]) -> Vec<usize> {
        let pieces: Vec<u64> = ranks.iter().flat_map(|runs| describe(runs.iter().copied())).collect();
        let bounds = bounds(&pieces, ranks.len());
        assert!(bounds.is_sorted());
        let mut owned = vec![0; ranks.len()];
        for &run in ranks.iter().flatten() {
            owned[owner(&bounds, run)] += 1;
        }
        owned
    }

    #[test]
    fn even_when_chunks_lie_interleaved() {
        let ranks: Vec<Vec<u64>> =
            (0..5).map(|rank| (0..100_000).filter(|run| run / 100 % 5 == rank).collect()).collect();
        for owned in share_out(&ranks) {
            assert!((19_000..21_000).contains(&owned), "{owned}");
        }
    }

    #[test]
    fn few_rows_on_many_ranks() {
        assert_eq!(share_out(&[vec![7], vec![], vec![3], vec![], vec![]]).iter().sum::<usize>(), 2);
        assert_eq!(share_out(&[vec![], vec![]]), [0, 0]);
        assert_eq!(bounds(&[], 3), [u64::MAX, u64::MAX]);
        assert_eq!(share_out(&[vec![0, 1, 2, 3], vec![]]), [2, 2]);
    }

    #[test]
    fn stretches_of_runs() {
        assert_eq!(stretches([3, 4, 5, 7, 9, 10].into_iter()), [(3, 3), (7, 1), (9, 2)]);
        assert_eq!(stretches(std::iter::empty()), []);
    }

    proptest! {
        #[test]
        fn prop_shares_are_nearly_even(seed in 0_u64..1000, ranks in 1_usize..9, rows in 0_u64..5000) {
            let mut parts = vec![Vec::new(); ranks];
            for run in 0..rows {
                let mix = (run / 7 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                parts[mix as usize % ranks].push(3 * run);
            }
            let most = rows as usize / ranks + 2 * ranks * (rows as usize / PIECES + 1);
            for owned in share_out(&parts) {
                prop_assert!(owned <= most, "{} of {}", owned, rows);
            }
        }
    }
}
