//! Dormand, El-Mikkawy and Prince's 9-stage Runge-Kutta-Nystrom pair of orders 6 and 8.
//!
//! Solution: the 8th-order formula. Error: the difference of the two, of position and of velocity.
//!
//! # References
//! J. R. Dormand, M. E. A. El-Mikkawy, P. J. Prince, "High-order embedded Runge-Kutta-Nystrom formulae",
//! IMA J. Numer. Anal. 7(4), 1987, RKN8(6)9FM. Tests: `prop_rows_are_halved_squares` here;
//! tests/integrators.

use super::method::Method;
use super::nystrom::NystromTableau;

/// The method.
pub(super) fn method() -> Method {
    Method::Nystrom(tableau())
}

/// The coefficients.
fn tableau() -> NystromTableau {
    let nodes = [0.0, 1.0 / 20.0, 1.0 / 10.0, 3.0 / 10.0, 1.0 / 2.0, 7.0 / 10.0, 9.0 / 10.0, 1.0, 1.0];
    let position = [
        223.0 / 7938.0,
        0.0,
        1175.0 / 8064.0,
        925.0 / 6048.0,
        41.0 / 448.0,
        925.0 / 14_112.0,
        1175.0 / 72_576.0,
        0.0,
        0.0,
    ];
    let stages: [&[f64]; 9] = [
        &[],
        &[1.0 / 800.0],
        &[1.0 / 600.0, 1.0 / 300.0],
        &[9.0 / 200.0, -9.0 / 100.0, 9.0 / 100.0],
        &[-66_701.0 / 197_352.0, 28_325.0 / 32_892.0, -2665.0 / 5482.0, 2170.0 / 24_669.0],
        &[
            227_015_747.0 / 304_251_000.0,
            -54_897_451.0 / 30_425_100.0,
            12_942_349.0 / 10_141_700.0,
            -9499.0 / 304_251.0,
            539.0 / 9250.0,
        ],
        &[
            -1_131_891_597.0 / 901_789_000.0,
            41_964_921.0 / 12_882_700.0,
            -6_663_147.0 / 3_220_675.0,
            270_954.0 / 644_135.0,
            -108.0 / 5875.0,
            114.0 / 1645.0,
        ],
        &[
            13_836_959.0 / 3_667_458.0,
            -17_731_450.0 / 1_833_729.0,
            1_063_919_505.0 / 156_478_208.0,
            -33_213_845.0 / 39_119_552.0,
            13_335.0 / 28_544.0,
            -705.0 / 14_272.0,
            1645.0 / 57_088.0,
        ],
        &position[..8],
    ];
    let velocity = [
        223.0 / 7938.0,
        0.0,
        5875.0 / 36_288.0,
        4625.0 / 21_168.0,
        41.0 / 224.0,
        4625.0 / 21_168.0,
        5875.0 / 36_288.0,
        223.0 / 7938.0,
        0.0,
    ];
    let lower_position = [
        7_987_313.0 / 109_941_300.0,
        0.0,
        1_610_737.0 / 44_674_560.0,
        10_023_263.0 / 33_505_920.0,
        -497_221.0 / 12_409_600.0,
        10_023_263.0 / 78_180_480.0,
        1_610_737.0 / 402_071_040.0,
        0.0,
        0.0,
    ];
    let lower_velocity = [
        7_987_313.0 / 109_941_300.0,
        0.0,
        1_610_737.0 / 40_207_104.0,
        10_023_263.0 / 23_454_144.0,
        -497_221.0 / 6_204_800.0,
        10_023_263.0 / 23_454_144.0,
        1_610_737.0 / 40_207_104.0,
        -4_251_941.0 / 54_970_650.0,
        3.0 / 20.0,
    ];
    let difference = |high: &[f64; 9], low: &[f64; 9]| -> [f64; 9] { std::array::from_fn(|i| high[i] - low[i]) };
    NystromTableau::new(
        "RungeKutta68",
        8,
        &nodes,
        &stages,
        [&position, &velocity],
        [&difference(&position, &lower_position), &difference(&velocity, &lower_velocity)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrators::runge_kutta::tests::moment;

    /// sum_j b_ij = a_i^2 / 2; sum c_i a_i^k = 1/((k+1)(k+2)), sum d_i a_i^k = 1/(k+1); the errors' moments
    /// vanish up to the order of the lower formula, 6: k < 5 for position, k < 6 for velocity.
    #[test]
    fn prop_rows_are_halved_squares() {
        let tableau = tableau();
        let nodes = &tableau.nodes;
        for (row, node) in tableau.stages.iter().zip(nodes) {
            let sum: f64 = row.iter().map(|&(_, b)| b).sum();
            // coefficients up to 10
            assert!((sum - node * node / 2.0).abs() < 5e-15, "{sum} {node}");
        }
        for k in 0..8 {
            let power = f64::from(k);
            let [c, d] = [0, 1].map(|part| moment(&tableau.solution[part], nodes, k));
            assert!(k > 6 || (c - 1.0 / ((power + 1.0) * (power + 2.0))).abs() < 1e-15, "position {k} {c}");
            assert!((d - 1.0 / (power + 1.0)).abs() < 1e-15, "velocity {k} {d}");
            let [e, g] = [0, 1].map(|part| moment(&tableau.error[part], nodes, k).abs());
            assert_eq!(e < 1e-15, k < 5, "error of position {k} {e}");
            assert_eq!(g < 1e-15, k < 6, "error of velocity {k} {g}");
        }
    }
}
