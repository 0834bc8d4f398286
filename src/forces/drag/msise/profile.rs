//! Temperature and density of one column of air: Bates' profile above the joint, a spline of 1/T below.
//!
//! Theory: above the joint (near 117 km) T = Tinf - (Tinf - Tlb) exp(-s zeta) in the geopotential height zeta from
//! 120 km; below, 1/T is a cubic spline through nodes. A gas of molar mass M and thermal diffusion alpha has
//! n = n_lb (Tlb / T)^(1 + alpha + gamma) exp(-s gamma zeta), gamma = M g_lb / (s R Tinf), and below the joint
//! n = n_joint (T_joint / T)^(1 + alpha) exp(-M g / R integral dzeta / T). All in logarithms here.
//!
//! # References
//! Hedin, *J. Geophys. Res.* 96 (1991) 1159, appendix; Walker, *J. Atmos. Sci.* 22 (1965) 462.

/// Gravity (cm/s^2) and the effective radius (km) at a latitude (degrees), and the gas constant of the edition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gravity {
    pub surface: f64,
    pub radius: f64,
    pub gas: f64,
}

impl Gravity {
    pub(crate) fn new(latitude: f64, gas: f64) -> Self {
        let c2 = libm::cos(2.0 * 1.745_33e-2 * latitude);
        let surface = 980.616 * (1.0 - 0.002_637_3 * c2);
        Gravity { surface, radius: 2.0 * surface / (3.085_462e-6 + 2.27e-9 * c2) * 1e-5, gas }
    }

    /// Geopotential height of z above `from`, km.
    pub(crate) fn zeta(&self, z: f64, from: f64) -> f64 {
        (z - from) * (self.radius + from) / (self.radius + z)
    }

    /// Gravity at a height, cm/s^2.
    pub(crate) fn at(&self, z: f64) -> f64 {
        let ratio = 1.0 + z / self.radius;
        self.surface / (ratio * ratio)
    }
}

/// A cubic spline of 1/T over the geopotential height, from the top node (x = 0) to the bottom one (x = 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spline<const N: usize> {
    top: f64,
    bottom: f64,
    gravity: Gravity,
    /// Geopotential height of the bottom node over the top one (negative), km.
    span: f64,
    x: [f64; N],
    y: [f64; N],
    /// Second derivatives.
    y2: [f64; N],
}

impl<const N: usize> Spline<N> {
    /// Through temperatures (K) at heights (km, falling), with the gradients (K/km) at the two ends.
    pub(crate) fn new(gravity: Gravity, heights: &[f64; N], temperatures: &[f64; N], gradients: [f64; 2]) -> Self {
        let (top, bottom) = (heights[0], heights[N - 1]);
        let span = gravity.zeta(bottom, top);
        let x: [f64; N] = std::array::from_fn(|k| gravity.zeta(heights[k], top) / span);
        let y = temperatures.map(|t| 1.0 / t);
        let stretch = (gravity.radius + bottom) / (gravity.radius + top);
        let slopes =
            [-gradients[0] * y[0] * y[0] * span, -gradients[1] * y[N - 1] * y[N - 1] * span * stretch * stretch];
        Spline { top, bottom, gravity, span, x, y, y2: second_derivatives(&x, &y, slopes) }
    }

    /// ln(T_top / T) and the integral of dx / T from the top to a height (km), times the span.
    pub(crate) fn descend(&self, height: f64) -> (f64, f64) {
        let (x, y, y2) = (&self.x, &self.y, &self.y2);
        let at = self.gravity.zeta(height.max(self.bottom), self.top) / self.span;
        let mut integral = 0.0;
        let mut inverse = y[0];
        for k in 0..N - 1 {
            if k > 0 && at <= x[k] {
                break;
            }
            let h = x[k + 1] - x[k];
            let end = if k + 2 < N { at.min(x[k + 1]) } else { at };
            let (a, b) = ((x[k + 1] - end) / h, (end - x[k]) / h);
            let (a2, b2) = (a * a, b * b);
            inverse = a * y[k] + b * y[k + 1] + ((a2 * a - a) * y2[k] + (b2 * b - b) * y2[k + 1]) * h * h / 6.0;
            integral += h
                * (0.5 * ((1.0 - a2) * y[k] + b2 * y[k + 1])
                    + ((0.5 * a2 - 0.25 * (1.0 + a2 * a2)) * y2[k] + (0.25 * b2 * b2 - 0.5 * b2) * y2[k + 1]) * h * h
                        / 6.0);
        }
        (libm::log(inverse / y[0]), integral * self.span)
    }
}

/// The clamped cubic spline's second derivatives (tridiagonal system).
fn second_derivatives<const N: usize>(x: &[f64; N], y: &[f64; N], slopes: [f64; 2]) -> [f64; N] {
    let (mut y2, mut u) = ([0.0; N], [0.0; N]);
    let slope = |k: usize| (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    y2[0] = -0.5;
    u[0] = 3.0 / (x[1] - x[0]) * (slope(0) - slopes[0]);
    for k in 1..N - 1 {
        let sigma = (x[k] - x[k - 1]) / (x[k + 1] - x[k - 1]);
        let pivot = sigma * y2[k - 1] + 2.0;
        y2[k] = (sigma - 1.0) / pivot;
        u[k] = (6.0 * (slope(k) - slope(k - 1)) / (x[k + 1] - x[k - 1]) - sigma * u[k - 1]) / pivot;
    }
    let last = 3.0 / (x[N - 1] - x[N - 2]) * (slopes[1] - slope(N - 2));
    y2[N - 1] = (last - 0.5 * u[N - 2]) / (0.5 * y2[N - 2] + 1.0);
    for k in (0..N - 1).rev() {
        y2[k] = y2[k] * y2[k + 1] + u[k];
    }
    y2
}

/// The thermosphere over one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    gravity: Gravity,
    exospheric: f64,
    /// Temperature at 120 km, K.
    base: f64,
    /// Height of the base, km.
    base_height: f64,
    /// Height of the joint, km.
    joint: f64,
    /// Bates' shape parameter s, 1/km.
    shape: f64,
    spline: Spline<5>,
}

/// Logarithms of a height of a column, from which the density of any gas follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// ln(Tlb / T) of Bates' part.
    bates: f64,
    /// s zeta g_lb / (s R Tinf) of Bates' part, and what gamma is of a unit mass.
    sink: f64,
    gamma: f64,
    /// ln(T_joint / T) and g / R integral dzeta / T below the joint.
    joint: f64,
    below: f64,
}

impl Column {
    /// Of the temperatures at the top and at the base (K), the gradient at the base (K/km), the node temperatures
    /// below the joint (the first is computed) and the gradient at the lowest node.
    pub(crate) fn new(
        gravity: Gravity,
        heights: &[f64; 5],
        base_height: f64,
        [exospheric, base, gradient]: [f64; 3],
        nodes: [f64; 4],
        lowest_gradient: f64,
    ) -> Self {
        let shape = gradient / (exospheric - base);
        let joint = heights[0];
        let fall = exospheric - base;
        let at_joint = exospheric - fall * libm::exp(-shape * gravity.zeta(joint, base_height));
        let ratio = (gravity.radius + base_height) / (gravity.radius + joint);
        let gradient_at_joint = (exospheric - at_joint) * shape * ratio * ratio;
        let temperatures = [at_joint, nodes[0], nodes[1], nodes[2], nodes[3]];
        let spline = Spline::new(gravity, heights, &temperatures, [gradient_at_joint, lowest_gradient]);
        Column { gravity, exospheric, base, base_height, joint, shape, spline }
    }

    /// A height of this column.
    pub(crate) fn level(&self, height: f64) -> Level {
        let zeta = self.gravity.zeta(height.max(self.joint), self.base_height);
        let temperature = self.exospheric - (self.exospheric - self.base) * libm::exp(-self.shape * zeta);
        let pull = self.gravity.at(self.base_height) / (self.gravity.gas * self.exospheric);
        let (joint, integral) = if height < self.joint { self.spline.descend(height) } else { (0.0, 0.0) };
        Level {
            bates: libm::log(self.base / temperature),
            sink: pull * zeta,
            gamma: pull / self.shape,
            joint,
            below: self.gravity.at(self.joint) / self.gravity.gas * integral,
        }
    }
}

impl Level {
    /// ln(n / n_lb) of a gas of a molar mass (or a difference of masses) and a thermal diffusion factor.
    pub(crate) fn log_density(&self, mass: f64, alpha: f64) -> f64 {
        (1.0 + alpha + self.gamma * mass) * self.bates - mass * self.sink + (1.0 + alpha) * self.joint
            - mass * self.below
    }
}
