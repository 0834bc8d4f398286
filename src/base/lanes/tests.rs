//! The operations of lanes against those of one number.

use super::*;

#[inline(always)]
fn all_operations<T: Real>(first: usize, a: &Lanes, b: &Lanes, out: &mut [Lanes; 9]) {
    let (x, y) = (T::load(a, first), T::load(b, first));
    let smaller = T::select(x.less_than(y), x, y);
    for (result, slot) in
        [x + y, x - y, x * y, x / y, -x, x.mul_add(y, x), y.abs().sqrt(), x.abs() + T::splat(0.1), smaller]
            .iter()
            .zip(out)
    {
        result.store(slot, first);
    }
}
lane_kernel!(fn operations(a: &Lanes, b: &Lanes, out: &mut [Lanes; 9]) = all_operations);

#[test]
fn prop_lanes_give_the_same_bits_on_every_instruction_set() {
    let (mut a, mut b) = (Lanes::default(), Lanes::default());
    let mut seed = 1_u64;
    for round in 0..1000 {
        for lane in 0..WIDTH {
            for number in [&mut a.0[lane], &mut b.0[lane]] {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *number = f64::from((seed >> 33) as i32 - (1 << 30)) * 1.0e-7;
            }
        }
        if round == 0 {
            a.0 = [0.0, -0.0, f64::INFINITY, f64::MIN_POSITIVE, 1.0, -1.0, 1e308, 1e-308];
        }
        if round == 1 {
            a.0[2] = b.0[2]; // not less
            b.0[5] = f64::NAN; // nothing is less
        }
        let mut expected = [Lanes::default(); 9];
        for lane in 0..WIDTH {
            all_operations::<f64>(lane, &a, &b, &mut expected);
        }
        for isa in Isa::available() {
            for width in [1, 4, 8] {
                let mut out = [Lanes::default(); 9];
                operations(Vectors::new(isa, width), &a, &b, &mut out);
                for (got, want) in out.iter().zip(&expected) {
                    for lane in 0..width {
                        assert_eq!(got.0[lane].to_bits(), want.0[lane].to_bits(), "{isa:?} width {width} lane {lane}");
                    }
                }
            }
        }
    }
}
