//! A case of `cases.json`, and the script that flies it.

use std::fmt::Write as _;

use serde_json::Value;

/// The start of every case, UTC.
pub(super) const EPOCH: &str = "20 Mar 2024 00:00:00.000";
/// Pressure of sunlight (N/m^2) at this distance (km), from the conventions of `cases.json`.
pub(super) const PRESSURE: f64 = 4.56e-6;
pub(super) const SUN_DISTANCE: f64 = 149_597_870.0;

/// A case, in km.
pub(super) struct Case {
    pub(super) id: String,
    pub(super) mu: f64,
    pub(super) rows: Vec<Row>,
    forces: Value,
    state: [f64; 6],
    spacecraft: Value,
}

/// Seconds since the start, and where the spacecraft is.
pub(super) struct Row {
    pub(super) t: f64,
    pub(super) position: [f64; 3],
}

fn km<const N: usize>(metres: &Value) -> [f64; N] {
    std::array::from_fn(|i| metres[i].as_f64().unwrap() / 1000.0)
}

impl Case {
    pub(super) fn new(value: &Value) -> Self {
        assert_eq!(value["epoch_utc"], "2024-03-20T00:00:00.000");
        // the analytic orbit where there is one
        let state = |row: &Value| km(row.get("kepler_analytic").unwrap_or(&row["state"]));
        let row = |row: &Value| Row { t: row["t"].as_f64().unwrap(), position: state(row) };
        Case {
            id: value["id"].as_str().unwrap().to_owned(),
            mu: value["mu"].as_f64().unwrap() / 1e9,
            rows: value["results"].as_array().unwrap().iter().map(row).collect(),
            forces: value["forces"].clone(),
            state: km(&value["state0"]),
            spacecraft: value["spacecraft"].clone(),
        }
    }

    pub(super) fn has(&self, force: &str) -> bool {
        self.forces.get(force).is_some()
    }

    /// `exponential` or `NRLMSISE00`.
    pub(super) fn atmosphere(&self) -> Option<&str> {
        self.forces["drag"].as_str()
    }

    /// Name, degree and order of the gravity field.
    pub(super) fn field(&self) -> Option<(&str, usize, usize)> {
        let whole = |name: &str| self.forces[name].as_u64().unwrap() as usize;
        let name = self.forces["gravity"].as_str()?.strip_suffix(".gfc").unwrap();
        Some((name, whole("degree"), whole("order")))
    }

    /// The script, with steps of so many seconds; the axes are those of the state and of the report.
    pub(super) fn script(&self, axes: &str, step: u32) -> String {
        let mut script = format!(
            "Create Spacecraft Sat;\nSat.DateFormat = UTCGregorian;\nSat.Epoch = '{EPOCH}';\nSat.CoordinateSystem = {axes};\n"
        );
        for (name, number) in ["X", "Y", "Z", "VX", "VY", "VZ"].into_iter().zip(self.state) {
            let _ = writeln!(script, "Sat.{name} = {number:?};");
        }
        for (name, field) in
            [("DryMass", "mass"), ("Cd", "Cd"), ("Cr", "Cr"), ("DragArea", "area"), ("SRPArea", "area")]
        {
            let _ = writeln!(script, "Sat.{name} = {};", self.spacecraft[field]);
        }
        script += "Create ForceModel FM;\nFM.ErrorControl = None;\n";
        self.write_forces(&mut script);
        let _ = writeln!(
            script,
            "Create Propagator Prop;\nProp.FM = FM;\nProp.Type = RungeKutta89;\nProp.InitialStepSize = {step};\n\
             Prop.MinStep = 0;\nProp.MaxStep = {step};\nCreate ReportFile RF;"
        );
        let report = format!("Report RF Sat.{axes}.X Sat.{axes}.Y Sat.{axes}.Z;");
        let rows = self.rows.iter().map(|row| (row.t, report.clone()));
        let mut events: Vec<(f64, String)> = rows.chain(self.write_burns(&mut script)).collect();
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        script += "BeginMissionSequence;\n";
        let mut before = 0.0;
        for (t, command) in events {
            if t > before {
                let _ = writeln!(script, "Propagate Prop(Sat) {{Sat.ElapsedSecs = {}}};", t - before);
            }
            script = script + &command + "\n";
            before = t;
        }
        script
    }

    /// The tank, thruster or burn of a case; its commands with their times.
    fn write_burns(&self, script: &mut String) -> Vec<(f64, String)> {
        let tank = "Create ChemicalTank Tank;\nTank.FuelMass = 50;\nSat.DryMass = 50;\nSat.Tanks = {Tank};\n";
        let (burn, impulse) = (&self.forces["finite_burn"], &self.forces["impulse"]);
        if let (Some(start), Some(duration)) = (burn["start_s"].as_f64(), burn["duration_s"].as_f64()) {
            let _ = write!(
                script,
                "{tank}Create ChemicalThruster Thr;\nThr.Tank = {{Tank}};\nThr.DecrementMass = true;\nThr.C1 = {};\nThr.K1 = {};\n\
                 Thr.GravitationalAccel = {};\nSat.Thrusters = {{Thr}};\nCreate FiniteBurn Burn;\nBurn.Thrusters = {{Thr}};\n",
                burn["thrust_N"], burn["isp_s"], burn["g0"]
            );
            let [begin, end] = ["Begin", "End"].map(|word| format!("{word}FiniteBurn Burn(Sat);"));
            return vec![(start, begin), (start + duration, end)];
        }
        let Some(t) = impulse["t_s"].as_f64() else { return Vec::new() };
        let _ = write!(
            script,
            "{tank}Create ImpulsiveBurn Burn;\nBurn.DecrementMass = true;\nBurn.Tank = {{Tank}};\nBurn.Isp = {};\n\
             Burn.GravitationalAccel = {};\n",
            impulse["isp_s"], impulse["g0"]
        );
        for (axis, dv) in impulse["dv_ms"].as_array().unwrap().iter().enumerate() {
            let _ = writeln!(script, "Burn.Element{} = {:?};", axis + 1, dv.as_f64().unwrap() / 1000.0);
        }
        vec![(t, "Maneuver Burn(Sat);".to_owned())]
    }

    fn write_forces(&self, script: &mut String) {
        let bodies = if self.has("third_bodies") { "Sun, Luna" } else { "" };
        if let Some((name, degree, order)) = self.field() {
            let _ = write!(
                script,
                "FM.PrimaryBodies = {{Earth}};\nFM.GravityField.Earth.PotentialFile = '{name}.cof';\n\
                 FM.GravityField.Earth.Degree = {degree};\nFM.GravityField.Earth.Order = {order};\n\
                 FM.PointMasses = {{{bodies}}};\n"
            );
        } else {
            let comma = if bodies.is_empty() { "" } else { ", " };
            let _ = writeln!(script, "FM.PointMasses = {{Earth{comma}{bodies}}};");
        }
        match self.atmosphere() {
            Some("exponential") => *script += "FM.Drag.AtmosphereModel = Exponential;\n",
            Some(name) => {
                let _ = writeln!(script, "FM.Drag.AtmosphereModel = {name};");
            }
            None => {}
        }
        if self.has("srp") {
            let _ = write!(
                script,
                "FM.SRP = On;\nFM.SRP.Flux_Pressure = {PRESSURE};\nFM.SRP.Nominal_Sun = {SUN_DISTANCE};\n"
            );
        }
        if self.has("relativity") {
            *script += "FM.RelativisticCorrection = On;\n";
        }
    }
}
