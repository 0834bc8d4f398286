//! Sweeps over missions with a sequence: burns, targeting, loops; through the built program.
#![allow(clippy::unwrap_used)] // helpers of tests

mod case;
mod launch;

use case::Case;
use launch::Code;
use sweep_mpi::base::outcome::{Failure, Status};

/// A mission of the reference folder under a design.
fn case(mission: &str, axes: &str, rest: &str) -> Case {
    let case = Case::sma(1);
    std::fs::copy(format!("tests/reference/gmat/{mission}.script"), case.path("mission.script")).unwrap();
    case.config(&format!(
        "[mission]\nscript = \"mission.script\"\n[design]\nkind = \"grid\"\naxes = {{ {axes} }}\n\
         [output]\nfile = \"out.h5\"\n{rest}\n"
    ));
    case
}

#[test]
fn mpi_epochs_burns_variables_and_accuracy_in_one_sweep() {
    let case = case(
        "reportadd_injection",
        "\"Sat.Epoch\" = { values = [\"01 Jan 2026 00:00:00.000\", \"21 Jun 2026 12:00:00.000\"] }, \
         \"Inj.Element1\" = { linspace = [0.9, 1.1, 5] }, \"CoastTime.Value\" = { values = [300, 600, 900] }, \
         \"Prop.Accuracy\" = { values = [1e-9, 1e-12] }",
        "final = [\"Sat.A1ModJulian\", \"Sat.EarthMJ2000Eq.X\", \"Sat.Earth.SMA\", \"Inj.Element1\", \"CoastTime\"]\n\
         [output.rows]\nmax = 20",
    );
    let mut bytes = Vec::new();
    for ranks in [1, 2, 3, 5, 9] {
        case.flies(ranks, &["config.toml", "-q", "--overwrite"]);
        bytes.push(case.sha256("out.h5"));
    }
    case.flies(2, &["config.toml", "-q", "--overwrite", "--threads", "2", "--lanes", "1"]);
    bytes.push(case.sha256("out.h5"));
    assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]), "the same bytes on any number of ranks and lanes");
    let [burn, given, coast, epoch, end, sma] =
        ["Inj_Element1", "Inj_Element1_final", "CoastTime", "Sat_Epoch", "Sat_A1ModJulian", "Sat_Earth_SMA"].map(
            |name| {
                let reader = case.reader();
                let columns: Vec<_> =
                    reader.parameters().iter().chain(reader.outputs()).map(|c| c.name.clone()).collect();
                assert!(columns.iter().any(|column| column == name), "{name} in {columns:?}");
                case.column(name)
            },
        );
    assert_eq!(burn.len(), 60);
    assert_eq!(burn, given, "a swept component is what the run ends with");
    for run in 0..60 {
        // coast and 1200 s, from UTC to A1
        let flown = (end[run] - epoch[run]) * 86_400.0 - coast[run];
        assert!((flown - 1_237.034_381_7).abs() < 1e-4, "run {run}: {flown}");
    }
    // 1 / (2 / r - (v0 + 1)^2 / mu) at 7000 km, and the orbit is not quite round
    let nominal = burn.iter().position(|burn| (burn - 1.0).abs() < 1e-12).unwrap();
    assert!((sma[nominal] - 9756.0).abs() < 60.0, "{}", sma[nominal]);
}

#[test]
fn mpi_a_target_that_does_not_converge_is_told_and_ok() {
    let case =
        case("target_hohmann", "\"Sat.SMA\" = { values = [7100, 7300] }, \"Sat.INC\" = { values = [10, 28.5] }", "");
    case.flies(3, &["config.toml", "-q"]);
    let expected = case.sha256("out.h5");
    for lanes in ["1", "4", "8"] {
        case.flies(1, &["config.toml", "-q", "--overwrite", "--lanes", lanes]);
        assert_eq!(case.sha256("out.h5"), expected, "lanes that stand at different passes do not see each other");
    }
    assert_eq!(case.column("DC_Converged"), [1.0; 4]);
    assert!(case.column("DC_Iterations").iter().all(|&count| (3.0..12.0).contains(&count)));
    // two iterations are not enough
    let script = std::fs::read_to_string(case.path("mission.script")).unwrap();
    std::fs::write(case.path("mission.script"), script.replace("MaximumIterations = 30", "MaximumIterations = 2"))
        .unwrap();
    case.flies(3, &["config.toml", "-q", "--overwrite"]);
    assert_eq!(case.column("DC_Converged"), [0.0; 4]);
    assert_eq!(case.column("DC_Iterations"), [2.0; 4]);
    assert_eq!(case.reader().status_counts().unwrap().0[Status::Ok as usize], 4, "a run that did not converge is ok");
}

#[test]
fn mpi_what_never_ends_is_stopped_by_the_limits() {
    let case = Case::sma(4);
    let script = "Create Spacecraft Sat;\nCreate Propagator Prop;\nCreate Variable x;\nCreate ReportFile RF;\nRF.Add = {Sat.X};\n\
                  BeginMissionSequence;\n";
    let config = std::fs::read_to_string(case.path("config.toml")).unwrap();
    for (sequence, limits, failure) in [
        ("While x < 1\n   x = x - 1;\nEndWhile;\n", "steps = 100000", Failure::StepLimit),
        ("While x < 1\n   Propagate Prop(Sat);\nEndWhile;\n", "steps = 1000000000\nwall_s = 0.2", Failure::WallLimit),
        // the air ends a decay
        (
            "Sat.SMA = 6500;\nSat.ECC = 0.01;\nPropagate Prop(Sat) {Sat.ElapsedDays = 1000};\n",
            "steps = 1000000",
            Failure::BelowAtmosphere,
        ),
    ] {
        let drag = if failure == Failure::BelowAtmosphere {
            "Create ForceModel FM;\nFM.Drag.AtmosphereModel = JacchiaRoberts;\nProp.FM = FM;\n"
        } else {
            ""
        };
        let script = script.replace("Create Variable", &format!("{drag}Create Variable"));
        std::fs::write(case.path("leo.script"), format!("{script}{sequence}")).unwrap();
        case.config(&format!("{config}\n[limits]\n{limits}\n"));
        let outcome = case.mpirun(3, &["config.toml", "-q", "--overwrite"]);
        assert_eq!(outcome.code, Code::Exit(1), "{}", outcome.text);
        let reader = case.reader();
        assert_eq!(reader.error_code(0, 4).unwrap(), [failure.code(); 4], "{sequence}");
        assert_eq!(reader.status_counts().unwrap().0[failure.status() as usize], 4);
    }
    for (limits, part) in [
        ("wall_s = 0", "config.toml:12:10: `limits.wall_s`"),
        ("wall_s = \"long\"", "config.toml:12:10: `limits.wall_s`"),
    ] {
        case.config(&format!("{config}\n[limits]\n{limits}\n"));
        let outcome = case.alone(&["config.toml", "--dry-run"]);
        assert_eq!(outcome.code, Code::Exit(2));
        assert!(outcome.text.contains(part), "{}", outcome.text);
    }
}
