//! Lanes: eight runs of the sweep side by side in one array, and the arithmetic that flies them.
//!
//! State lives in plain arrays ([`Lanes`]); a kernel is written once, generic over [`Real`], and
//! [`lane_kernel!`] instantiates it for every instruction set: AVX-512 (8 lanes at once), AVX2 with
//! FMA (4), one lane with FMA, and the baseline. Which one runs is chosen once, by [`Isa::best`].
//!
//! Each operation of `Real` is correctly rounded (IEEE 754, `mul_add` with one rounding), so a run
//! has the same bits in any lane, beside any neighbours, on any instruction set. Test: `prop_lanes`.

#![allow(unsafe_code)]

use std::ops::{Add, Div, Mul, Neg, Sub};
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256d, __m512d, _CMP_LT_OQ, _mm256_add_pd, _mm256_and_si256, _mm256_andnot_pd, _mm256_blendv_pd,
    _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_cmpeq_epi64, _mm256_div_pd, _mm256_fmadd_pd, _mm256_loadu_pd,
    _mm256_movemask_pd, _mm256_mul_pd, _mm256_set1_epi64x, _mm256_set1_pd, _mm256_setr_epi64x, _mm256_sqrt_pd,
    _mm256_storeu_pd, _mm256_sub_pd, _mm256_xor_pd, _mm512_abs_pd, _mm512_add_pd, _mm512_cmp_pd_mask, _mm512_div_pd,
    _mm512_fmadd_pd, _mm512_loadu_pd, _mm512_mask_blend_pd, _mm512_mul_pd, _mm512_set1_pd, _mm512_sqrt_pd,
    _mm512_storeu_pd, _mm512_sub_pd,
};

/// The number of lanes in a bundle's arrays.
pub const WIDTH: usize = 8;

/// One number of each of eight runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f64; WIDTH]);

impl Lanes {
    /// The same number in every lane.
    pub const fn splat(value: f64) -> Self {
        Lanes([value; WIDTH])
    }
}

/// One number of one run, or of 4 or 8 runs at once.
///
/// All operations are correctly rounded; none may be contracted or reassociated.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// How many runs.
    const LANES: usize;
    /// The numbers of the lanes from `first` on.
    fn load(from: &Lanes, first: usize) -> Self;
    /// Puts the numbers into the lanes from `first` on.
    fn store(self, to: &mut Lanes, first: usize);
    /// The same number in every lane.
    fn splat(value: f64) -> Self;
    /// `self * factor + term` with one rounding.
    #[must_use]
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// The square root.
    #[must_use]
    fn sqrt(self) -> Self;
    /// The absolute value.
    #[must_use]
    fn abs(self) -> Self;
    /// Where `self < other`: bit n for lane n, 0 where either is NaN.
    #[must_use]
    fn less_than(self, other: Self) -> u8;
    /// The number of `yes` in the lanes whose bit is set, that of `no` in the others.
    #[must_use]
    fn select(lanes: u8, yes: Self, no: Self) -> Self;
}

impl Real for f64 {
    const LANES: usize = 1;
    #[inline(always)]
    fn load(from: &Lanes, first: usize) -> Self {
        from.0[first]
    }
    #[inline(always)]
    fn store(self, to: &mut Lanes, first: usize) {
        to.0[first] = self;
    }
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        f64::mul_add(self, factor, term)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> u8 {
        u8::from(self < other)
    }
    #[inline(always)]
    fn select(lanes: u8, yes: Self, no: Self) -> Self {
        if lanes & 1 == 1 { yes } else { no }
    }
}

/// Declares a bundle type over an intrinsic vector.
///
/// The SAFETY of every intrinsic below: values of these types are made only inside kernels, and a
/// kernel is instantiated for them only behind [`lane_kernel!`], which enters it after [`Isa`] has
/// asked the CPU; `load` and `store` stay inside the eight numbers of a `Lanes`, which is checked.
#[cfg(target_arch = "x86_64")]
macro_rules! bundle {
    ($name:ident, $vector:ty, $lanes:literal, $doc:literal, $loadu:ident, $storeu:ident, $set1:ident, $add:ident,
     $sub:ident, $mul:ident, $div:ident, $fmadd:ident, $sqrt:ident, |$x:ident| $neg:expr, |$y:ident| $abs:expr,
     |$a:ident, $b:ident| $less:expr, |$lanes_set:ident, $yes:ident, $no:ident| $select:expr) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug)]
        pub struct $name($vector);

        impl Real for $name {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(from: &Lanes, first: usize) -> Self {
                let numbers = &from.0[first..first + $lanes];
                // SAFETY: see the macro; the slice holds as many numbers as are read.
                $name(unsafe { $loadu(numbers.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, to: &mut Lanes, first: usize) {
                let numbers = &mut to.0[first..first + $lanes];
                // SAFETY: see the macro; the slice holds as many numbers as are written.
                unsafe { $storeu(numbers.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn splat(value: f64) -> Self {
                // SAFETY: see the macro.
                $name(unsafe { $set1(value) })
            }
            #[inline(always)]
            fn mul_add(self, factor: Self, term: Self) -> Self {
                // SAFETY: see the macro.
                $name(unsafe { $fmadd(self.0, factor.0, term.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: see the macro.
                $name(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn abs(self) -> Self {
                let $y = self.0;
                // SAFETY: see the macro.
                $name(unsafe { $abs })
            }
            #[inline(always)]
            fn less_than(self, other: Self) -> u8 {
                let ($a, $b) = (self.0, other.0);
                // SAFETY: see the macro.
                unsafe { $less }
            }
            #[inline(always)]
            fn select(lanes: u8, yes: Self, no: Self) -> Self {
                let ($lanes_set, $yes, $no) = (lanes, yes.0, no.0);
                // SAFETY: see the macro.
                $name(unsafe { $select })
            }
        }

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                let $x = self.0;
                // SAFETY: see the macro.
                $name(unsafe { $neg })
            }
        }

        bundle!(@operator $name, Add, add, $add);
        bundle!(@operator $name, Sub, sub, $sub);
        bundle!(@operator $name, Mul, mul, $mul);
        bundle!(@operator $name, Div, div, $div);
    };
    (@operator $name:ident, $trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see the macro.
                $name(unsafe { $intrinsic(self.0, other.0) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
bundle!(
    F64x4,
    __m256d,
    4,
    "Four runs at once, in an AVX register.",
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_set1_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_div_pd,
    _mm256_fmadd_pd,
    _mm256_sqrt_pd,
    |x| _mm256_xor_pd(x, _mm256_set1_pd(-0.0)),
    |y| _mm256_andnot_pd(_mm256_set1_pd(-0.0), y),
    |a, b| _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(a, b)) as u8,
    |lanes, yes, no| {
        let bits = _mm256_setr_epi64x(1, 2, 4, 8);
        let set = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(i64::from(lanes)), bits), bits);
        _mm256_blendv_pd(no, yes, _mm256_castsi256_pd(set))
    }
);
#[cfg(target_arch = "x86_64")]
bundle!(
    F64x8,
    __m512d,
    8,
    "Eight runs at once, in an AVX-512 register.",
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_set1_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_div_pd,
    _mm512_fmadd_pd,
    _mm512_sqrt_pd,
    |x| _mm512_mul_pd(x, _mm512_set1_pd(-1.0)),
    |y| _mm512_abs_pd(y),
    |a, b| _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b),
    |lanes, yes, no| _mm512_mask_blend_pd(lanes, no, yes)
);

/// An instruction set that kernels are compiled for.
///
/// A value of this type is a promise that the CPU has it: it can only be made by asking the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Avx512,
    Avx2,
    Fma,
    Baseline,
}

impl Isa {
    /// All that this CPU has, the fastest first.
    pub fn available() -> Vec<Isa> {
        #[cfg(target_arch = "x86_64")]
        {
            let fma = is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx");
            let avx2 = fma && is_x86_feature_detected!("avx2");
            let avx512 = avx2 && is_x86_feature_detected!("avx512f");
            [(avx512, Set::Avx512), (avx2, Set::Avx2), (fma, Set::Fma), (true, Set::Baseline)]
                .into_iter()
                .filter_map(|(has, set)| has.then_some(Isa(set)))
                .collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        vec![Isa(Set::Baseline)]
    }

    /// The fastest that this CPU has.
    pub fn best() -> Isa {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| Isa::available()[0])
    }

    /// The name that a person knows it by.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Avx512 => "AVX-512",
            Set::Avx2 => "AVX2",
            Set::Fma => "FMA",
            Set::Baseline => "baseline",
        }
    }

    /// Which instantiation of a kernel serves this set at this width; for [`lane_kernel!`] alone.
    #[doc(hidden)]
    #[inline(always)]
    pub fn instance(self, width: usize) -> Instance {
        match (self.0, width) {
            (Set::Avx512, 8) => Instance::Eight,
            (Set::Avx512 | Set::Avx2, 4 | 8) => Instance::Four,
            (Set::Baseline, _) => Instance::Baseline,
            _ => Instance::One,
        }
    }
}

/// An instantiation of a kernel.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Instance {
    /// `F64x8`.
    Eight,
    /// `F64x4`.
    Four,
    /// `f64` with FMA instructions.
    One,
    /// `f64` with what every CPU has.
    Baseline,
}

/// The instruction set and the number of lanes in use: 1, 4 or 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vectors {
    isa: Isa,
    width: usize,
}

impl Vectors {
    /// Lanes `0..width` on an instruction set; the width is 1, 4 or 8, anything else is read as 8.
    pub fn new(isa: Isa, width: usize) -> Self {
        Vectors { isa, width: if matches!(width, 1 | 4) { width } else { WIDTH } }
    }

    /// The number of lanes in use.
    pub fn width(self) -> usize {
        self.width
    }

    /// The instruction set.
    pub fn isa(self) -> Isa {
        self.isa
    }
}

/// Makes `$name(vectors, arguments)` out of a kernel `$kernel::<T: Real>(first, arguments)` that
/// computes the lanes `first..first + T::LANES`; the kernel must be `#[inline(always)]`.
#[macro_export]
macro_rules! lane_kernel {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) = $kernel:ident) => {
        $(#[$meta])*
        #[inline]
        #[allow(unsafe_code, clippy::too_many_arguments)]
        $vis fn $name(vectors: $crate::base::lanes::Vectors, $($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx2,fma")]
            fn eight($($arg: $ty),*) {
                $kernel::<$crate::base::lanes::F64x8>(0, $($arg),*);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn four(width: usize, $($arg: $ty),*) {
                for first in (0..width).step_by(4) {
                    $kernel::<$crate::base::lanes::F64x4>(first, $($arg),*);
                }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx,fma")]
            fn one(width: usize, $($arg: $ty),*) {
                for first in 0..width {
                    $kernel::<f64>(first, $($arg),*);
                }
            }
            use $crate::base::lanes::Instance;
            match vectors.isa().instance(vectors.width()) {
                // SAFETY: an Isa exists only if the CPU has its instructions.
                #[cfg(target_arch = "x86_64")]
                Instance::Eight => unsafe { eight($($arg),*) },
                // SAFETY: the same.
                #[cfg(target_arch = "x86_64")]
                Instance::Four => unsafe { four(vectors.width(), $($arg),*) },
                // SAFETY: the same.
                #[cfg(target_arch = "x86_64")]
                Instance::One => unsafe { one(vectors.width(), $($arg),*) },
                _ => {
                    for first in 0..vectors.width() {
                        $kernel::<f64>(first, $($arg),*);
                    }
                }
            }
        }
    };
}

#[cfg(test)]
mod tests;
