//! What a sweep sets is what the script could say.

use super::{fly, good, near, with};
use proptest::prelude::*;
use sweep_mpi::astro::epoch::{Epoch, Scale};
use sweep_mpi::astro::representations::fields::Field;
use sweep_mpi::base::outcome::Failure;
use sweep_mpi::mission::settings::Swept;

#[test]
fn every_path_is_accepted_and_every_number_is_a_path() {
    let mission = good(&with("Create Spacecraft S2; Create Propagator P2; Create Variable V;"));
    let paths = mission.paths();
    // fields of the state, what the forces see, the epoch; step settings; variables
    assert_eq!(paths.len(), 2 * (Field::all().count() + 6 + 1) + 2 * 5 + 2);
    for path in &paths {
        let swept = mission.setting(path, None).unwrap_or_else(|error| panic!("{path}: {error:?}"));
        assert_eq!(&swept.path, path);
        assert!(!swept.units.is_empty() && !swept.long_name.is_empty());
        assert_eq!(swept.integer, path.ends_with(".MaxStepAttempts"));
        assert_eq!(swept.date.is_some(), path.ends_with(".Epoch"));
        let mut objects = mission.pristine.clone();
        swept.set(if swept.date.is_some() { 22_000.0 } else { 0.3 }, &mut objects).unwrap();
        assert!(objects != mission.pristine, "{path} sets something");
    }
    let setting = |path: &str| format!("{:?}", mission.setting(path, None).unwrap().setting);
    assert_eq!(setting("TOF"), setting("TOF.Value"));
}

/// A spacecraft with two kinds of engines, and burns of both.
const HARDWARE: &str = "Create ChemicalTank T; Create ChemicalThruster H; H.Tank = {T}; H.DecrementMass = true;
Create ElectricTank X; Create ElectricThruster E; E.Tank = {X}; E.DecrementMass = true;
Create SolarPowerSystem P; P.InitialMaxPower = 3;
Sat.Tanks = {T, X}; Sat.Thrusters = {H, E}; Sat.PowerSystem = P;
Create FiniteBurn FH FE; FH.Thrusters = {H}; FE.Thrusters = {E}; Create ImpulsiveBurn D;
RF.Add = {Sat.T.FuelMass, Sat.X.FuelMass, FE.TotalThrust1, Sat.P.ThrustPowerAvailable, D.EarthFixed.V};
";

#[test]
fn hardware_is_swept() {
    let script = with(HARDWARE).replace("Propagate", "BeginFiniteBurn FH(Sat); BeginFiniteBurn FE(Sat); Propagate");
    let mission = good(&script);
    let paths = mission.paths();
    let hardware: Vec<&String> = paths.iter().filter(|path| path.matches('.').count() == 2).collect();
    // of each tank, of each thruster, of the power system
    assert_eq!(hardware.len(), 6 + 1 + (3 + 3 + 32) + (8 + 3 + 10) + 11);
    for path in hardware {
        // what a tank of 756 kg can have
        let value = if path.starts_with("Sat.T.") { 1300.0 } else { 0.65 };
        let value = if path.ends_with("FuelMass") { 700.0 } else { value };
        let swept = mission.setting(path, None).unwrap();
        let mut objects = mission.pristine.clone();
        swept.set(value, &mut objects).unwrap();
        assert!(objects != mission.pristine, "{path} sets something");
        let line = format!("{} = {value}; Create FiniteBurn FH", &path[4..]);
        let flown = fly(&script.replace("Create FiniteBurn FH", &line), &[]);
        assert_eq!(fly(&script, &[(path, value)]).bits, flown.bits, "{path}");
    }
    for (path, value, failure) in [
        ("Sat.P.Margin", 100.5, Failure::PowerFields),
        ("Sat.P.InitialMaxPower", -0.1, Failure::PowerFields),
        ("Sat.E.MinimumUsablePower", 0.0, Failure::ThrusterFields),
        ("Sat.E.MinimumUsablePower", 8.0, Failure::ThrusterFields),
        ("Sat.X.FuelMass", -1.0, Failure::TankEmpty),
    ] {
        assert_eq!(fly(&script, &[(path, value)]).failure, Some(failure), "{path} = {value}");
    }
}

#[test]
fn epochs_are_swept_as_texts_and_as_numbers() {
    let script = with("Sat.DateFormat = UTCGregorian;\nSat.Epoch = '01 Jan 2026 00:00:00.000';");
    let mission = good(&script);
    let texts = ["01 Jul 2026 12:00:00.000".to_owned(), "31 Dec 2016 23:59:60.000".to_owned()];
    let by_text = mission.setting("Sat.Epoch", Some(&texts)).unwrap();
    assert_eq!(by_text.date, Some(("UTC", "Gregorian")));
    let by_number = mission.setting("Sat.Epoch", None).unwrap();
    let epoch_of = |swept: &Swept, value: f64| {
        let mut objects = mission.pristine.clone();
        swept.set(value, &mut objects).map(|()| objects.spacecraft[0].epoch)
    };
    // 01 Jul 2026 12:00 is the modified Julian date 31223.0 (GMAT's, from JD 2430000)
    assert_eq!(epoch_of(&by_text, 0.0), epoch_of(&by_number, 31_223.0));
    assert_eq!(epoch_of(&by_text, 0.0).unwrap(), Epoch::from_gregorian(Scale::Utc, &texts[0]).unwrap());
    assert_eq!(by_text.column_value(0.0).to_bits(), 31_223.0_f64.to_bits(), "the result file has the date");
    assert_eq!(by_number.column_value(31_223.0).to_bits(), 31_223.0_f64.to_bits());
    let seconds =
        epoch_of(&by_text, 1.0).unwrap().since(Epoch::from_gregorian(Scale::Utc, "31 Dec 2016 23:59:59.000").unwrap());
    assert!((seconds - 1.0).abs() < 1e-9, "the leap second is a second of its own: {seconds}");
    assert_eq!(epoch_of(&by_number, 1000.0), Err(Failure::EpochOutOfSpan));
    // the same as writing it into the script
    let written = good(&script.replace("01 Jan 2026 00:00:00.000", &texts[0])).pristine.spacecraft[0].epoch;
    assert_eq!(epoch_of(&by_text, 0.0), Ok(written));
}

/// As GMAT's `Sat.X = 7200` in front of the first Propagate: the state is converted, then the one component set.
#[test]
fn val_a_swept_component_of_the_other_state_type() {
    let script = with("Sat.SMA = 8000;\nSat.ECC = 0.1;\nSat.INC = 30;\nSat.RAAN = 10;\nSat.AOP = 20;\nSat.TA = 40;");
    let flown = fly(&script, &[("Sat.X", 7200.0)]);
    let gmat = [
        [7200.0, 6072.243962016973, 3185.44161423956, -6.923092879707406, 2.484794314121671, 2.106882287529344],
        [
            6779.372756394705,
            6216.786319612935,
            3309.458098557533,
            -7.097545411874219,
            2.331381581678381,
            2.0257967777794,
        ],
    ];
    assert_eq!(flown.rows.len(), 2);
    near(&flown.rows[0][..6], &gmat[0], 1e-13);
    near(&flown.rows[1][..6], &gmat[1], 1e-12);
    // and the other way round, from the default Cartesian state
    let flown = fly(
        &with("").replace("RF.Add = {Sat.X", "RF.Add = {Sat.SMA, Sat.ECC, Sat.INC, Sat.RAAN, Sat.AOP, Sat.TA, Sat.X"),
        &[("Sat.SMA", 8000.0)],
    );
    let gmat = [
        7999.999999999998,
        0.02454974900598157,
        12.85008005658097,
        306.6148021947984,
        314.1905515359919,
        99.88774933204897,
    ];
    near(&flown.rows[0][..6], &gmat, 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Sweeping a number is writing it into the script, bit for bit: state, steps and all.
    #[test]
    fn prop_a_swept_value_is_one_written_into_the_script(
        sma in 6700.0..50_000.0_f64, ecc in 0.0..0.85_f64, inc in 0.0..180.0_f64, raan in 0.0..360.0_f64,
        aop in 0.0..360.0_f64, ta in 0.0..360.0_f64, tof in 1.0..5000.0_f64, which in 0_usize..8,
    ) {
        let names = ["Sat.SMA", "Sat.ECC", "Sat.INC", "Sat.RAAN", "Sat.AOP", "Sat.TA", "TOF", "Prop.InitialStepSize"];
        let values = [sma, ecc, inc, raan, aop, ta, tof, 1.0 + tof / 100.0];
        let script = |changed: Option<usize>| {
            let line = |index: usize| {
                let value = if changed == Some(index) { [7000.0, 0.1, 20.0, 30.0, 40.0, 50.0, 77.0, 30.0][index] } else { values[index] };
                format!("{} = {value:?};\n", names[index])
            };
            with(&(0..names.len()).map(line).collect::<String>())
        };
        let written = fly(&script(None), &[]);
        prop_assert_eq!(written.failure, None);
        let swept = fly(&script(Some(which)), &[(names[which], values[which])]);
        prop_assert_eq!(&swept.bits, &written.bits, "{}", names[which]);
        prop_assert_eq!(swept.rows.len(), written.rows.len());
        // all at once, over other values
        let others = "Sat.SMA = 9000;\nSat.ECC = 0.3;\nSat.INC = 40;\nSat.RAAN = 40;\nSat.AOP = 40;\nSat.TA = 40;\nTOF = 40;";
        let all: Vec<(&str, f64)> = names.into_iter().zip(values).collect();
        prop_assert_eq!(&fly(&with(others), &all).bits, &written.bits);
    }

    /// The same for the Cartesian state.
    #[test]
    fn prop_a_swept_component_is_one_written_into_the_script(x in 7000.0..9000.0_f64, vy in 6.5..8.0_f64, vz in -2.0..2.0_f64) {
        let written = fly(&with(&format!("Sat.X = {x:?};\nSat.VY = {vy:?};\nSat.VZ = {vz:?};")), &[]);
        let swept = fly(&with("Sat.X = 7777;\nSat.VZ = 0.5;"), &[("Sat.X", x), ("Sat.VY", vy), ("Sat.VZ", vz)]);
        prop_assert_eq!(&swept.bits, &written.bits);
        prop_assert!(written.failure.is_none());
    }
}
