//! How a run ended: its status and, if it is not ok, why. Both are numbers in the result file.

/// The values of `status` and their names, as CF flags.
pub const STATUS_FLAGS: [(Status, &str); 7] = [
    (Status::NotRun, "not_run"),
    (Status::Ok, "ok"),
    (Status::Failed, "failed"),
    (Status::Timeout, "timeout"),
    (Status::Diverged, "diverged"),
    (Status::InvalidInput, "invalid_input"),
    (Status::Impact, "impact"),
];

/// How a run ended; the value of `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Status {
    /// It has not been flown yet.
    NotRun = 0,
    /// It ended as the script says.
    Ok = 1,
    /// It could not be finished; see `error_code`.
    Failed = 2,
    /// It passed its limit of steps or of wall time.
    Timeout = 3,
    /// A number became NaN or infinite.
    Diverged = 4,
    /// Its parameters do not make a mission.
    InvalidInput = 5,
    /// The spacecraft met the ground.
    Impact = 6,
}

impl Status {
    /// The number in the file.
    pub fn code(self) -> i8 {
        self as i8
    }

    /// The status of a number in the file.
    pub fn from_code(code: i8) -> Option<Status> {
        STATUS_FLAGS.iter().find(|(status, _)| status.code() == code).map(|(status, _)| *status)
    }

    /// Its name in `flag_meanings`.
    pub fn name(self) -> &'static str {
        STATUS_FLAGS[self as usize].1
    }
}

/// Why a run is not ok; the numbers are those of `error_code` in the result file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i16)]
pub enum Failure {
    /// A bug in the program, caught.
    Panic = 1,
    /// An element is NaN or infinite.
    ElementsNotFinite = 10,
    /// SMA = 0.
    SmaZero = 11,
    /// ECC < 0.
    EccNegative = 12,
    /// ECC = 1.
    Parabolic = 13,
    /// SMA and ECC contradict.
    ConicContradiction = 14,
    /// The periapsis is at the centre.
    SingularConic = 15,
    /// TA beyond the asymptote.
    BeyondAsymptote = 16,
    /// INC below 0 or above 180.
    IncOutOfRange = 17,
    /// The numbers of the state are no state.
    StateUndefined = 18,
    /// The epoch lies outside what is supported.
    EpochOutOfSpan = 20,
    /// A step setting of the propagator is out of range.
    StepSettings = 21,
    /// The stop condition lies behind.
    StopBehind = 22,
    /// An instant is outside of the ephemeris.
    EphemerisSpan = 23,
    /// The smallest step is too long for the accuracy.
    AccuracyViolated = 30,
    /// Too many trials for one step.
    StepAttempts = 31,
    /// NaN or infinity in the state.
    NotFinite = 32,
    /// The atmosphere has no density at that height.
    BelowAtmosphere = 33,
    /// An index of an Array is not one of its elements.
    IndexOutside = 34,
    /// The axes of a burn are not defined.
    AxesUndefined = 35,
    /// A formula has no value.
    FormulaUndefined = 36,
    /// A Target's goals do not depend on its variables, or not independently.
    SolverSingular = 37,
    /// A goal of a Target is not finite.
    SolverGoal = 38,
    /// The numbers of a Vary or Achieve do not go together.
    SolverSettings = 39,
    /// The run's limit of steps.
    StepLimit = 40,
    /// A fuel tank would be emptier than empty.
    TankEmpty = 41,
    /// The fields of a tank do not go together.
    TankFields = 42,
    /// The fields of a thruster do not go together.
    ThrusterFields = 43,
    /// The integrator cannot fly a finite burn.
    BurnIntegrator = 44,
    /// Spacecraft of one propagator at different epochs.
    EpochsApart = 45,
    /// The fields of a power system are out of range.
    PowerFields = 46,
    /// There is no such program, or it may not be executed.
    NoSuchProgram = 50,
    /// The operating system did not start it.
    SpawnFailed = 51,
    /// The run's folder could not be made, or not be written.
    FolderFailed = 52,
    /// The file of its standard input cannot be opened.
    StdinMissing = 53,
    /// A `pre` step did not end with exit code 0.
    PreFailed = 54,
    /// The program ended with an exit code other than 0.
    ExitCodeNonzero = 55,
    /// A signal ended the program.
    KilledBySignal = 56,
    /// It took longer than its wall time limit.
    WallLimit = 57,
    /// A `post` step did not end with exit code 0.
    PostFailed = 58,
    /// An output is not where it should be.
    OutputMissing = 59,
    /// An output is not a finite number.
    OutputNotANumber = 60,
    /// Someone canceled the run.
    Canceled = 61,
    /// A task of the run's graph failed.
    TaskFailed = 70,
    /// The graph's answer is not the right one.
    WrongAnswer = 71,
    /// The parameters make no graph.
    GraphParameters = 72,
    /// The run of the stage before that it starts from is not ok.
    NoStart = 80,
}

/// All failures: name in the result file, the sentence a person reads.
pub const FAILURES: &[(Failure, &str, &str)] = &[
    (Failure::Panic, "panic", "the program failed in this run: please report it"),
    (Failure::ElementsNotFinite, "elements_not_finite", "an element is not a finite number"),
    (Failure::SmaZero, "sma_zero", "the semi-major axis is zero"),
    (Failure::EccNegative, "ecc_negative", "the eccentricity is negative"),
    (Failure::Parabolic, "parabolic", "the eccentricity is 1: parabolic orbits are not supported"),
    (
        Failure::ConicContradiction,
        "conic_contradiction",
        "SMA and ECC contradict: SMA > 0 needs ECC < 1, SMA < 0 needs ECC > 1",
    ),
    (Failure::SingularConic, "singular_conic", "the periapsis is less than 1 m from the centre"),
    (Failure::BeyondAsymptote, "beyond_asymptote", "the true anomaly is not on the hyperbola"),
    (Failure::IncOutOfRange, "inc_out_of_range", "the inclination is not between 0 and 180 degrees"),
    (Failure::StateUndefined, "state_undefined", "the numbers of the state are no state"),
    (Failure::EpochOutOfSpan, "epoch_out_of_span", "an epoch lies between October 1957 and 2200"),
    (
        Failure::StepSettings,
        "step_settings",
        "InitialStepSize, Accuracy, MaxStep must be above 0, MinStep at least 0 and at most MaxStep, MaxStepAttempts at least 1",
    ),
    (Failure::StopBehind, "stop_behind", "the stop condition lies behind: it is never met forwards"),
    (Failure::EphemerisSpan, "ephemeris_span", "the flight leaves the span of the ephemeris"),
    (Failure::AccuracyViolated, "accuracy_violated", "the accuracy cannot be reached with steps of MinStep"),
    (Failure::StepAttempts, "step_attempts", "no step was accepted within MaxStepAttempts"),
    (Failure::NotFinite, "not_finite", "the state is no longer finite"),
    (
        Failure::BelowAtmosphere,
        "below_atmosphere",
        "a step led below the lowest height of the atmosphere model: stop it higher, as by Sat.Earth.Altitude = 120, or start with smaller steps",
    ),
    (Failure::IndexOutside, "index_outside", "an index of an Array is not one of its elements"),
    (Failure::AxesUndefined, "axes_undefined", "the axes of a burn are not defined at its place"),
    (Failure::FormulaUndefined, "formula_undefined", "a formula has no value, such as 0/0 or sqrt(-1)"),
    (
        Failure::SolverSingular,
        "solver_singular",
        "the goals of a Target do not depend on its variables, or not independently of each other",
    ),
    (Failure::SolverGoal, "solver_goal", "a goal of a Target is not a finite number"),
    (
        Failure::SolverSettings,
        "solver_settings",
        "Vary needs Lower below Upper, MaxStep and MultiplicativeScaleFactor above 0; Achieve needs a Tolerance above 0",
    ),
    (Failure::StepLimit, "step_limit", "stopped at the run's limit of steps"),
    (
        Failure::TankEmpty,
        "tank_empty",
        "a fuel tank would be emptier than empty: with AllowNegativeFuelMass = true the run flies on",
    ),
    (
        Failure::TankFields,
        "tank_fields",
        "the fields of a tank do not go together: Pressure and Volume 0 or more, FuelDensity above 0, and the fuel fits in",
    ),
    (
        Failure::ThrusterFields,
        "thruster_fields",
        "the fields of a thruster do not go together: a tank, a direction and a specific impulse other than 0, DutyCycle from 0 to 1; usable powers above 0, the smallest below the largest",
    ),
    (
        Failure::BurnIntegrator,
        "burn_integrator",
        "this integrator flies no finite burn: RungeKutta89, PrinceDormand78, PrinceDormand45 and RungeKutta56 do",
    ),
    (Failure::EpochsApart, "epochs_apart", "the spacecraft of one propagator are at different epochs"),
    (
        Failure::PowerFields,
        "power_fields",
        "a field of a power system is out of range: InitialMaxPower 0 or more, AnnualDecayRate and Margin from 0 to 100",
    ),
    (Failure::NoSuchProgram, "no_such_program", "there is no such program, or it may not be executed"),
    (Failure::SpawnFailed, "spawn_failed", "the operating system did not start the program"),
    (Failure::FolderFailed, "folder_failed", "the run's folder could not be made or written"),
    (Failure::StdinMissing, "stdin_missing", "the file of the standard input cannot be opened"),
    (Failure::PreFailed, "pre_failed", "a step before the program did not end with exit code 0"),
    (Failure::ExitCodeNonzero, "exit_code_nonzero", "the program ended with an exit code other than 0"),
    (Failure::KilledBySignal, "killed_by_signal", "the program was ended by a signal"),
    (Failure::WallLimit, "wall_limit", "stopped at the run's limit of wall time"),
    (Failure::PostFailed, "post_failed", "a step after the program did not end with exit code 0"),
    (
        Failure::OutputMissing,
        "output_missing",
        "an output is missing; a line counts only with the line end that closes it",
    ),
    (Failure::OutputNotANumber, "output_not_a_number", "an output is not a finite number"),
    (Failure::Canceled, "canceled", "canceled by the user"),
    (Failure::TaskFailed, "task_failed", "a task of the graph failed"),
    (Failure::WrongAnswer, "wrong_answer", "the answer of the graph is not the right one"),
    (Failure::GraphParameters, "graph_parameters", "the parameters make no task graph"),
    (Failure::NoStart, "no_start", "the run that it would start from is not ok"),
];

impl Failure {
    /// The number in the result file.
    pub fn code(self) -> i16 {
        self as i16
    }

    /// The failure of a number in the result file.
    pub fn from_code(code: i16) -> Option<Failure> {
        FAILURES.iter().map(|entry| entry.0).find(|failure| failure.code() == code)
    }

    /// Its name in the result file.
    pub fn name(self) -> &'static str {
        FAILURES.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// Whether another attempt of a program may end otherwise.
    pub fn may_retry(self) -> bool {
        !matches!(self, Failure::NoSuchProgram | Failure::Canceled)
    }

    /// The sentence a person reads.
    pub fn sentence(self) -> &'static str {
        FAILURES.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.2)
    }

    /// The status of a run that ends so.
    pub fn status(self) -> Status {
        match self {
            Failure::NotFinite => Status::Diverged,
            Failure::BelowAtmosphere => Status::Impact,
            Failure::StepLimit | Failure::WallLimit => Status::Timeout,
            Failure::GraphParameters | Failure::NoStart => Status::InvalidInput,
            failure if failure == Failure::Panic || failure.code() >= Failure::AccuracyViolated.code() => {
                Status::Failed
            }
            _ => Status::InvalidInput,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_number() {
        for (number, (status, name)) in STATUS_FLAGS.iter().enumerate() {
            assert_eq!(usize::try_from(status.code()), Ok(number));
            assert_eq!(Status::from_code(status.code()), Some(*status));
            assert_eq!(status.name(), *name);
        }
        assert_eq!(Status::from_code(7), None);
    }

    #[test]
    fn every_failure_has_a_code_a_name_and_a_sentence() {
        for (failure, name, sentence) in FAILURES {
            assert_eq!(Failure::from_code(failure.code()), Some(*failure));
            assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
            assert_eq!(failure.sentence(), *sentence);
            assert!(!matches!(failure.status(), Status::NotRun | Status::Ok));
        }
        assert_eq!(Failure::from_code(0), None);
    }
}
