//! The fields of the supported resources: which are numbers that a sweep can reach, which have no
//! effect on the numbers of a mission.

use super::Spacecraft;
use crate::integrators::step_control::StepSettings;

/// A numeric field of a Spacecraft.
pub struct Field {
    /// GMAT's name.
    pub name: &'static str,
    /// Unit of the number.
    pub units: &'static str,
    /// One line about it.
    pub long_name: &'static str,
}

const fn field(name: &'static str, units: &'static str, long_name: &'static str) -> Field {
    Field { name, units, long_name }
}

/// What the forces see of a Spacecraft.
pub const CRAFT: &[(Field, CraftField)] = &[
    (field("DryMass", "kg", "mass without fuel"), CraftField::DryMass),
    (field("Cd", "1", "drag coefficient"), CraftField::Cd),
    (field("Cr", "1", "coefficient of reflectivity"), CraftField::Cr),
    (field("DragArea", "m^2", "area for drag"), CraftField::DragArea),
    (field("AtmosDensityScaleFactor", "1", "factor of the air's density"), CraftField::DensityScale),
    (field("SRPArea", "m^2", "area for solar radiation pressure"), CraftField::SrpArea),
];

/// A number of a Spacecraft that the forces see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CraftField {
    /// Mass without fuel.
    DryMass,
    /// Drag coefficient.
    Cd,
    /// Coefficient of reflectivity.
    Cr,
    /// Area for drag.
    DragArea,
    /// Area for solar radiation pressure.
    SrpArea,
    /// Factor of the air's density.
    DensityScale,
}

impl CraftField {
    /// Sets it.
    pub fn set(self, spacecraft: &mut Spacecraft, value: f64) {
        *match self {
            CraftField::DryMass => &mut spacecraft.dry_mass,
            CraftField::Cd => &mut spacecraft.cd,
            CraftField::Cr => &mut spacecraft.cr,
            CraftField::DragArea => &mut spacecraft.drag_area,
            CraftField::SrpArea => &mut spacecraft.srp_area,
            CraftField::DensityScale => &mut spacecraft.density_scale,
        } = value;
    }
}

/// Fields of a Spacecraft that describe its looks, its attitude or its estimation: nothing flies by them.
pub const SPACECRAFT_WITHOUT_EFFECT: &[&str] = &[
    "Id",
    "NAIFId",
    "NAIFIdReferenceFrame",
    "OrbitColor",
    "TargetColor",
    "OrbitErrorCovariance",
    "CdSigma",
    "CrSigma",
    "EstimationStateType",
    "OrbitSpiceKernelName",
    "AttitudeSpiceKernelName",
    "SCClockSpiceKernelName",
    "FrameSpiceKernelName",
    "ModelFile",
    "ModelOffsetX",
    "ModelOffsetY",
    "ModelOffsetZ",
    "ModelRotationX",
    "ModelRotationY",
    "ModelRotationZ",
    "ModelScale",
    "AttitudeDisplayStateType",
    "AttitudeRateDisplayStateType",
    "AttitudeCoordinateSystem",
    "EulerAngleSequence",
    "EulerAngle1",
    "EulerAngle2",
    "EulerAngle3",
    "EulerAngleRate1",
    "EulerAngleRate2",
    "EulerAngleRate3",
    "AngularVelocityX",
    "AngularVelocityY",
    "AngularVelocityZ",
    "Q1",
    "Q2",
    "Q3",
    "Q4",
    "MRP1",
    "MRP2",
    "MRP3",
    "DCM11",
    "DCM12",
    "DCM13",
    "DCM21",
    "DCM22",
    "DCM23",
    "DCM31",
    "DCM32",
    "DCM33",
    "Attitude",
    "SPADSRPFile",
    "SPADDragFile",
    "SPADSRPScaleFactor",
    "SPADDragScaleFactor",
    "SPADSRPInterpolationMethod",
    "SPADDragInterpolationMethod",
    "SPADSRPScaleFactorSigma",
    "SPADDragScaleFactorSigma",
    "AtmosDensityScaleFactorSigma",
    "ExtendedMassPropertiesModel",
    "AddPlates",
];

/// Fields of a ReportFile that say what it looks like on a screen, or belong to solvers.
pub const REPORT_WITHOUT_EFFECT: &[&str] =
    &["SolverIterations", "UpperLeft", "Size", "RelativeZOrder", "Maximized", "AppendToExistingFile"];

/// Fields of an ImpulsiveBurn.
pub const IMPULSIVE_BURN: &[&str] = &[
    "CoordinateSystem",
    "Origin",
    "Axes",
    "Element1",
    "Element2",
    "Element3",
    "DecrementMass",
    "Tank",
    "Isp",
    "GravitationalAccel",
    "VectorFormat",
    "B",
    "N",
    "V",
];

/// Resources and commands of the graphical interface: they show numbers and change none.
pub const GUI_RESOURCES: &[&str] = &[
    "XYPlot",
    "OrbitView",
    "GroundTrackPlot",
    "OpenFramesInterface",
    "OpenFramesView",
    "OpenFramesVector",
    "OpenFramesSensorMask",
    "DynamicDataDisplay",
    "EnhancedGroundTrackPlot",
    "TSPlot",
    "ThreeDVisualization",
];

/// The same for commands.
pub const GUI_COMMANDS: &[&str] = &["PenUp", "PenDown", "MarkPoint", "ClearPlot", "UpdateDynamicData"];

/// Fields of `SolarSystem`: where ephemerides come from, which no supported force uses.
pub const SOLAR_SYSTEM: &[&str] =
    &["EphemerisSource", "DEFilename", "SPKFilename", "PCKFilename", "EphemerisUpdateInterval", "UseTTForEphemeris"];

/// Objects that GMAT has without a `Create`.
pub const BUILT_IN: &[&str] = &[
    "Sun",
    "Mercury",
    "Venus",
    "Earth",
    "Luna",
    "Mars",
    "Jupiter",
    "Saturn",
    "Uranus",
    "Neptune",
    "Pluto",
    "SolarSystemBarycenter",
    "EarthMJ2000Eq",
    "EarthMJ2000Ec",
    "EarthFixed",
    "EarthICRF",
];

/// A step setting of a Propagator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepField {
    /// First step of each Propagate.
    InitialStepSize,
    /// Accepted relative error.
    Accuracy,
    /// Smallest step.
    MinStep,
    /// Largest step.
    MaxStep,
    /// Trials before a step is given up.
    MaxStepAttempts,
}

impl StepField {
    /// All of them.
    pub const ALL: &[StepField] = &[
        StepField::InitialStepSize,
        StepField::Accuracy,
        StepField::MinStep,
        StepField::MaxStep,
        StepField::MaxStepAttempts,
    ];

    /// GMAT's name.
    pub fn name(self) -> &'static str {
        match self {
            StepField::InitialStepSize => "InitialStepSize",
            StepField::Accuracy => "Accuracy",
            StepField::MinStep => "MinStep",
            StepField::MaxStep => "MaxStep",
            StepField::MaxStepAttempts => "MaxStepAttempts",
        }
    }

    /// Unit.
    pub fn units(self) -> &'static str {
        match self {
            StepField::Accuracy | StepField::MaxStepAttempts => "1",
            _ => "s",
        }
    }

    /// One line about it.
    pub fn long_name(self) -> &'static str {
        match self {
            StepField::InitialStepSize => "first step of each Propagate",
            StepField::Accuracy => "accepted relative error of a step",
            StepField::MinStep => "smallest step",
            StepField::MaxStep => "largest step",
            StepField::MaxStepAttempts => "trials before a step is given up",
        }
    }

    /// Sets it.
    pub fn set(self, settings: &mut StepSettings, value: f64) {
        match self {
            StepField::InitialStepSize => settings.initial_step = value,
            StepField::Accuracy => settings.accuracy = value,
            StepField::MinStep => settings.min_step = value,
            StepField::MaxStep => settings.max_step = value,
            StepField::MaxStepAttempts => settings.max_attempts = if value.fract() == 0.0 { value as u32 } else { 0 },
        }
    }
}

impl StepSettings {
    /// Whether a step can be controlled by these settings.
    pub fn is_usable(&self) -> bool {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        positive(self.initial_step)
            && positive(self.accuracy)
            && positive(self.max_step)
            && (0.0..=self.max_step).contains(&self.min_step)
            && self.max_attempts >= 1
    }
}
