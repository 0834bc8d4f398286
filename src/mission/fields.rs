//! The fields of the supported resources: which are numbers that a sweep can reach, which have no
//! effect on the numbers of a mission.

use super::Spacecraft;
use super::burn::ImpulsiveBurn;
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
    fn place(self, spacecraft: &mut Spacecraft) -> &mut f64 {
        match self {
            CraftField::DryMass => &mut spacecraft.dry_mass,
            CraftField::Cd => &mut spacecraft.cd,
            CraftField::Cr => &mut spacecraft.cr,
            CraftField::DragArea => &mut spacecraft.drag_area,
            CraftField::SrpArea => &mut spacecraft.srp_area,
            CraftField::DensityScale => &mut spacecraft.density_scale,
        }
    }

    /// Its value.
    pub fn get(self, spacecraft: &Spacecraft) -> f64 {
        *self.place(&mut spacecraft.clone())
    }

    /// Sets it.
    pub fn set(self, spacecraft: &mut Spacecraft, value: f64) {
        *self.place(spacecraft) = value;
    }

    fn field(self) -> &'static Field {
        CRAFT.iter().find(|(_, field)| *field == self).map_or(&CRAFT[0].0, |(field, _)| field)
    }

    /// Its unit.
    pub fn units(self) -> &'static str {
        self.field().units
    }

    /// One line about it.
    pub fn long_name(self) -> &'static str {
        self.field().long_name
    }
}

/// A number of an impulsive burn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurnField {
    /// A component of the change of velocity, 0 to 2.
    Element(usize),
    /// Specific impulse.
    Isp,
    /// What turns it into a speed.
    GravitationalAccel,
}

impl BurnField {
    /// GMAT's names, `V`, `N` and `B` among them.
    pub const NAMES: [(&str, BurnField); 8] = [
        ("Element1", BurnField::Element(0)),
        ("Element2", BurnField::Element(1)),
        ("Element3", BurnField::Element(2)),
        ("Isp", BurnField::Isp),
        ("GravitationalAccel", BurnField::GravitationalAccel),
        ("V", BurnField::Element(0)),
        ("N", BurnField::Element(1)),
        ("B", BurnField::Element(2)),
    ];

    /// The field of a name.
    pub fn find(name: &str) -> Option<BurnField> {
        Self::NAMES.iter().find(|(known, _)| *known == name).map(|(_, field)| *field)
    }

    fn place(self, burn: &mut ImpulsiveBurn) -> &mut f64 {
        match self {
            BurnField::Element(element) => &mut burn.elements[element],
            BurnField::Isp => &mut burn.isp,
            BurnField::GravitationalAccel => &mut burn.gravity,
        }
    }

    /// Its value.
    pub fn get(self, burn: &ImpulsiveBurn) -> f64 {
        *self.place(&mut burn.clone())
    }

    /// Sets it.
    pub fn set(self, burn: &mut ImpulsiveBurn, value: f64) {
        *self.place(burn) = value;
    }

    /// Its unit.
    pub fn units(self) -> &'static str {
        match self {
            BurnField::Element(_) => "km/s",
            BurnField::Isp => "s",
            BurnField::GravitationalAccel => "m/s^2",
        }
    }

    /// One line about it.
    pub fn long_name(self) -> &'static str {
        match self {
            BurnField::Element(0) => "change of velocity along the first axis",
            BurnField::Element(1) => "change of velocity along the second axis",
            BurnField::Element(_) => "change of velocity along the third axis",
            BurnField::Isp => "specific impulse",
            BurnField::GravitationalAccel => "acceleration that turns the specific impulse into a speed",
        }
    }
}

/// Fields of a Spacecraft that describe its looks, its attitude or its estimation: nothing flies by them.
pub const SPACECRAFT_WITHOUT_EFFECT: &[&str] = &[
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
    "AttitudeConstraintType",
    "AttitudeFileName",
    "AttitudeReferenceBody",
    "BodyAlignmentVectorX",
    "BodyAlignmentVectorY",
    "BodyAlignmentVectorZ",
    "BodyConstraintVectorX",
    "BodyConstraintVectorY",
    "BodyConstraintVectorZ",
    "BodySpinAxisX",
    "BodySpinAxisY",
    "BodySpinAxisZ",
    "InitialPrecessionAngle",
    "InitialSpinAngle",
    "NutationAngle",
    "NutationReferenceVectorX",
    "NutationReferenceVectorY",
    "NutationReferenceVectorZ",
    "PrecessionRate",
    "SpinRate",
    "ExtendedMassPropertiesModelType",
    "DryCenterOfMassX",
    "DryCenterOfMassY",
    "DryCenterOfMassZ",
    "DryMomentOfInertiaXX",
    "DryMomentOfInertiaXY",
    "DryMomentOfInertiaXZ",
    "DryMomentOfInertiaYY",
    "DryMomentOfInertiaYZ",
    "DryMomentOfInertiaZZ",
    "AddPlates",
];

/// Fields of a ReportFile that say what it looks like on a screen.
pub const REPORT_WITHOUT_EFFECT: &[&str] =
    &["UpperLeft", "Size", "RelativeZOrder", "Maximized", "AppendToExistingFile"];

/// The resources that a script can make, with a line about each.
pub const RESOURCES: &[(&str, &str)] = &[
    ("Spacecraft", "epoch, state, mass, areas, tanks, thrusters, a power system"),
    ("ForceModel", "gravity, third bodies, drag, radiation pressure, relativity"),
    ("Propagator", "integrator and step settings"),
    ("CoordinateSystem", "an origin with axes"),
    ("ReportFile", "rows at the steps, and of Report commands"),
    ("EphemerisFile", "states of a spacecraft as CCSDS-OEM"),
    ("Variable", "a number"),
    ("Array", "numbers in rows and columns"),
    ("String", "a text"),
    ("ImpulsiveBurn", "a change of velocity"),
    ("ChemicalTank", "fuel at a pressure"),
    ("ChemicalThruster", "thrust and specific impulse by pressure and temperature"),
    ("ElectricTank", "fuel"),
    ("ElectricThruster", "thrust and mass flow by power"),
    ("SolarPowerSystem", "power by distance from the Sun and shadow"),
    ("NuclearPowerSystem", "power by age"),
    ("FiniteBurn", "thrusters that fire together"),
    ("DifferentialCorrector", "the solver of Target"),
];

/// The commands of a mission sequence, with a line about each.
pub const COMMANDS: &[(&str, &str)] = &[
    ("Propagate", "flies spacecraft until a condition is met, or for a step"),
    ("Maneuver", "makes an impulsive burn"),
    ("BeginFiniteBurn", "turns thrusters on"),
    ("EndFiniteBurn", "turns thrusters off"),
    ("Target", "solves for what Vary names until what Achieve names is reached"),
    ("Report", "a row of a ReportFile"),
    ("Toggle", "turns the rows at the steps on or off"),
    ("If", "with ElseIf and Else"),
    ("While", "repeats as long as a condition is true"),
    ("For", "counts"),
    ("BeginScript", "a block"),
    ("Stop", "ends the mission"),
    ("#Include", "the lines of another file"),
    ("equations", "a field, Variable, Array or String = a formula"),
];

/// The names of one of these lists, for messages.
pub fn names(list: &[(&str, &str)]) -> String {
    list.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

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

/// Commands that change no number, with what they are about.
pub const SILENT_COMMANDS: &[(&str, &str)] = &[
    ("Write", "message window"),
    ("CommandEcho", "message window"),
    ("Pause", "waiting"),
    ("Save", "files of objects"),
    ("SaveMission", "files of objects"),
    ("NoOp", "nothing"),
    ("Breakpoint", "debugging"),
    ("PrepareMissionSequence", "nothing"),
];

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

    /// Its value.
    pub fn get(self, settings: &StepSettings) -> f64 {
        match self {
            StepField::InitialStepSize => settings.initial_step,
            StepField::Accuracy => settings.accuracy,
            StepField::MinStep => settings.min_step,
            StepField::MaxStep => settings.max_step,
            StepField::MaxStepAttempts => f64::from(settings.max_attempts),
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
