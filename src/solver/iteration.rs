//! The arithmetic of one iteration of the differential corrector: from the goals of its passes to new values.
//!
//! With g the achieved and d the desired values: x <- x + k J^-1 (d - g), where k <= 1 is the largest factor that
//! keeps every change within its variable's largest step; then each variable is put back within its own limits.
//! J is measured by differences, or follows from the iteration before by Broyden's formulas. All in the scale of
//! the corrector, all in GMAT's order of operations.
//!
//! # References
//! Broyden, *A class of methods for solving nonlinear simultaneous equations*, Math. Comp. 19 (1965), 577-593,
//! method 1, and its form for the inverse by the formula of Sherman and Morrison. Tests: `solver::tests`.

use super::jacobian::{Jacobian, sum};
use super::settings::{Algorithm, Derivative, SolverError, VaryOptions};

/// A variable in the corrector's scale.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Variable {
    /// What the pass is flown with.
    pub(super) x: f64,
    perturbation: f64,
    lower: f64,
    upper: f64,
    max_step: f64,
    /// Sign of the perturbation in a one-sided difference.
    direction: f64,
    /// x in the iteration before.
    previous: f64,
    /// The change that is asked for.
    delta: f64,
}

impl Variable {
    /// x = (initial + additive) / d with d = 1 / multiplicative; limits likewise, perturbation and largest step
    /// without the additive part.
    pub(super) fn new(number: usize, options: &VaryOptions) -> Result<Self, SolverError> {
        let VaryOptions { initial, perturbation, lower, upper, max_step, scaling } = *options;
        let unit = 1.0 / scaling.multiplicative;
        if unit <= 0.0 {
            return Err(SolverError::Scale { variable: number, factor: scaling.multiplicative });
        }
        let variable = Variable {
            x: (initial + scaling.additive) / unit,
            perturbation: perturbation / unit,
            lower: (lower + scaling.additive) / unit,
            upper: (upper + scaling.additive) / unit,
            max_step: max_step / unit,
            ..Variable::default()
        };
        let Variable { lower, upper, max_step, .. } = variable;
        if lower >= upper {
            return Err(SolverError::Limits { variable: number, lower, upper });
        }
        if max_step <= 0.0 {
            return Err(SolverError::MaxStep { variable: number, max_step });
        }
        Ok(variable)
    }

    /// Moves x by the perturbation; `second` is the way back of a central difference.
    ///
    /// A one-sided difference beyond a limit goes two perturbations back and counts as negative. For a backward
    /// one at the lower limit that is x - 3p, so that J is a third of the truth: GMAT does so, and so it stays.
    pub(super) fn perturb(&mut self, derivative: Derivative, second: bool) {
        let back = second || derivative == Derivative::Backward;
        self.direction = if back { -1.0 } else { 1.0 };
        self.x += self.direction * self.perturbation;
        if derivative == Derivative::Central {
            return;
        }
        if self.x > self.upper {
            self.x -= 2.0 * self.perturbation;
            self.direction = -1.0;
        }
        if self.x < self.lower {
            self.x -= 2.0 * self.perturbation;
            self.direction = -1.0;
        }
    }

    /// How far it went in the last iteration.
    fn change(&self) -> f64 {
        self.x - self.previous
    }
}

/// A goal in the nominal pass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Goal {
    pub(super) desired: f64,
    pub(super) tolerance: f64,
    pub(super) nominal: f64,
    /// `nominal` in the iteration before.
    previous: f64,
}

impl Goal {
    /// Whether it lies outside its tolerance.
    pub(super) fn is_missed(&self) -> bool {
        (self.nominal - self.desired).abs() > self.tolerance
    }

    /// How far it went in the last iteration.
    fn change(&self) -> f64 {
        self.nominal - self.previous
    }
}

/// Variables, goals and what the passes of an iteration brought.
#[derive(Clone, Debug)]
pub(super) struct Iteration {
    pub(super) variables: Vec<Variable>,
    pub(super) goals: Vec<Goal>,
    /// Goals of the perturbed passes, the row of a variable after that of another.
    plus: Vec<f64>,
    /// The same for the second passes of central differences.
    minus: Vec<f64>,
    jacobian: Jacobian,
}

impl Iteration {
    /// All zero.
    pub(super) fn new(variables: usize, goals: usize) -> Self {
        Iteration {
            variables: vec![Variable::default(); variables],
            goals: vec![Goal::default(); goals],
            plus: vec![0.0; variables * goals],
            minus: vec![0.0; variables * goals],
            jacobian: Jacobian::new(variables, goals),
        }
    }

    /// Keeps a goal of the nominal pass.
    pub(super) fn keep_nominal(&mut self, goal: usize, achieved: f64, desired: f64, tolerance: f64) {
        let previous = self.goals[goal].previous;
        self.goals[goal] = Goal { desired, tolerance, nominal: achieved, previous };
    }

    /// Keeps a goal of a perturbed pass.
    pub(super) fn keep_perturbed(&mut self, variable: usize, second: bool, goal: usize, achieved: f64) {
        let side = if second { &mut self.minus } else { &mut self.plus };
        side[variable * self.goals.len() + goal] = achieved;
    }

    /// The new values of the variables; `measured` says that the perturbed passes have been flown.
    pub(super) fn update(
        &mut self,
        algorithm: Algorithm,
        derivative: Derivative,
        measured: bool,
    ) -> Result<(), SolverError> {
        match algorithm {
            Algorithm::ModifiedBroyden if !measured => self.update_inverse(),
            Algorithm::Broyden if !measured => {
                self.update_jacobian();
                self.jacobian.invert()?;
            }
            _ => {
                self.difference(derivative);
                self.jacobian.invert()?;
            }
        }
        self.step()
    }

    /// J from the passes.
    fn difference(&mut self, derivative: Derivative) {
        let goals = self.goals.len();
        for (i, variable) in self.variables.iter().enumerate() {
            for (j, goal) in self.goals.iter().enumerate() {
                let plus = self.plus[i * goals + j];
                *self.jacobian.at_mut(i, j) = if derivative == Derivative::Central {
                    (plus - self.minus[i * goals + j]) / (2.0 * variable.perturbation)
                } else {
                    (plus - goal.nominal) / (variable.direction * variable.perturbation)
                };
            }
        }
    }

    /// J <- J + s (y - s J) / s.s, with s the change of the variables and y that of the goals.
    fn update_jacobian(&mut self) {
        let Self { variables, goals, jacobian, .. } = self;
        let square = sum(variables.len(), |i| variables[i].change() * variables[i].change());
        for (j, goal) in goals.iter().enumerate() {
            let mut residual = goal.change();
            for (i, variable) in variables.iter().enumerate() {
                residual -= jacobian.at(i, j) * variable.change();
            }
            for (i, variable) in variables.iter().enumerate() {
                *jacobian.at_mut(i, j) += residual * variable.change() / square;
            }
        }
    }

    /// The inverse K itself: K <- K + (K s / (y K s)) (s - y K).
    fn update_inverse(&mut self) {
        let Self { variables, goals, jacobian, .. } = self;
        let denominator = sum(variables.len(), |i| {
            sum(goals.len(), |j| jacobian.inverse_at(j, i) * goals[j].change()) * variables[i].change()
        });
        for (i, variable) in variables.iter_mut().enumerate() {
            variable.delta = variable.change();
            for (j, goal) in goals.iter().enumerate() {
                variable.delta -= jacobian.inverse_at(j, i) * goal.change();
            }
        }
        for j in 0..goals.len() {
            let weight = sum(variables.len(), |i| jacobian.inverse_at(j, i) * variables[i].change()) / denominator;
            for (i, variable) in variables.iter().enumerate() {
                *jacobian.inverse_at_mut(j, i) += variable.delta * weight;
            }
        }
    }

    /// x <- x + k J^-1 (d - g), within the limits.
    fn step(&mut self) -> Result<(), SolverError> {
        let Self { variables, goals, jacobian, .. } = self;
        let mut fraction = 1.0;
        for (i, variable) in variables.iter_mut().enumerate() {
            variable.previous = variable.x;
            variable.delta = sum(goals.len(), |j| jacobian.inverse_at(j, i) * (goals[j].desired - goals[j].nominal));
            if variable.delta.abs() > variable.max_step {
                let largest = (variable.max_step / variable.delta).abs();
                fraction = if largest < fraction { largest } else { fraction };
            }
        }
        for (i, variable) in variables.iter_mut().enumerate() {
            variable.x = within(variable.x + variable.delta * fraction, variable.lower, variable.upper);
            if variable.x.is_nan() {
                return Err(SolverError::NotANumber { variable: i });
            }
        }
        for goal in goals {
            goal.previous = goal.nominal;
        }
        Ok(())
    }
}

/// A value put within limits, the lower one first.
pub(super) fn within(value: f64, lower: f64, upper: f64) -> f64 {
    let value = if value < lower { lower } else { value };
    if value > upper { upper } else { value }
}
