//! What is refused, with which words, and how much of it at once.

use super::{flying, good, places, refused, with};
use sweep_mpi::gmat;
use sweep_mpi::mission::settings::SettingError;

/// A script with `«»` around the offending text must give exactly this problem, at that text.
fn check(marked: &str, message: &str, help: &str) {
    let before = &marked[..marked.find('«').unwrap()];
    let text = &marked[before.len() + '«'.len_utf8()..marked.find('»').unwrap()];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let script = marked.replace(['«', '»'], "");
    let problems = refused(&script);
    assert_eq!(problems.len(), 1, "{problems:#?}");
    let shown = format!(
        "m.script:{line}:{column}: {message}\n    {}\n    {}{}\n    {help}",
        script.lines().nth(line - 1).unwrap(),
        " ".repeat(column - 1),
        "^".repeat(text.chars().count())
    );
    assert_eq!(problems[0].to_string(), shown);
}

/// The blocks of refusals.txt: each marked script must give its one problem.
#[test]
fn every_refusal_has_its_place_and_its_words() {
    let mut place: fn(&str) -> String = with;
    let (mut script, mut message, mut checked) = (String::new(), "", 0);
    for line in include_str!("refusals.txt").lines() {
        if let Some(section) = line.strip_prefix("## ") {
            place = match section {
                "lines added to the resources" => with,
                "commands instead of the sequence" => flying,
                _ => str::to_owned,
            };
        } else if let Some(words) = line.strip_prefix("! ") {
            message = words;
        } else if let Some(help) = line.strip_prefix("? ") {
            check(&place(script.trim_end()), message, help);
            script.clear();
            checked += 1;
        } else if !line.is_empty() && !line.starts_with("# ") {
            script = script + line + "\n";
        }
    }
    assert_eq!((checked, script.as_str()), (253, ""), "blocks of refusals.txt");
}

#[test]
fn refusals_of_columns() {
    let cases = [
        ("TOF.Foo", "`TOF.Foo`: `TOF` has no such part", "supported: TOF or TOF.Value"),
        ("Satt.X", "`Satt.X`: the script has no Spacecraft or Variable `Satt`", "did you mean `Sat`?"),
        ("Sat.A.B.X", "`Sat.A.B.X` is no parameter", "written as Sat.X or Sat.EarthMJ2000Eq.X"),
        ("Sat", "`Sat` is no parameter", "written as Sat.X or Sat.EarthMJ2000Eq.X"),
        ("Sat.RAAM", "`Sat.RAAM`: `RAAM` is no parameter that is supported", "did you mean `RAAN` or `RADN` or `RAV`?"),
        ("Sat.Lunar.RMAG", "`Sat.Lunar.RMAG`: RMAG depends on a body, and `Lunar` is none", "did you mean `Luna`?"),
        (
            "Sat.EarthFixd.X",
            "`Sat.EarthFixd.X`: X depends on a coordinate system, and `EarthFixd` is none",
            "did you mean `EarthFixed`?",
        ),
        (
            "Sat.EarthMJ2000Eq.SMA",
            "`Sat.EarthMJ2000Eq.SMA`: SMA depends on a body, and `EarthMJ2000Eq` is none",
            "supported: Sun, Mercury, Venus, Mars, Jupiter, Saturn, Uranus, Neptune, Pluto, Luna, Earth",
        ),
        (
            "Sat.Earth.ElapsedSecs",
            "`Sat.Earth.ElapsedSecs`: ElapsedSecs depends on nothing, and `Earth` stands before it",
            "supported: Sat.ElapsedSecs",
        ),
    ];
    let mission = good(&with(""));
    for (path, message, help) in cases {
        check(&with(&format!("RF.Add = {{Sat.X, «{path}»}};")), message, help);
        // the same from a config's `final`
        let error = SettingError { message: message.to_owned(), help: help.to_owned() };
        assert_eq!(mission.column(path).map(|column| column.path), Err(error));
    }
    check(&with("RF.Add = {«TOF(1)»};"), "`TOF(1)`: `TOF` has no such part", "supported: TOF or TOF.Value");
}

#[test]
fn refusals_of_swept_paths() {
    let mission = good(&with("Create Spacecraft Chaser; Create ImpulsiveBurn B;"));
    for (path, help) in [
        ("Sat.SMAA", "did you mean `Sat.SMA`?"),
        ("sat.sma", "did you mean `Sat.SMA`?"),
        ("Chaser.ECCC", "did you mean `Chaser.ECC` or `Chaser.Cd` or `Chaser.Cr`?"),
        ("Prop.Acuracy", "did you mean `Prop.Accuracy`?"),
        (
            "Prop.Nonsense",
            "supported: Prop.InitialStepSize, Prop.Accuracy, Prop.MinStep, Prop.MaxStep, Prop.MaxStepAttempts",
        ),
        ("TOF.Wert", "did you mean `TOF.Value`?"),
        ("Moonbase.Height", "the script's objects that can be swept: Sat, Chaser, Prop, B, TOF"),
        ("B.Elment1", "did you mean `B.Element1` or `B.Element2` or `B.Element3`?"),
        ("", "the script's objects that can be swept: Sat, Chaser, Prop, B, TOF"),
    ] {
        let error = mission.setting(path, None).unwrap_err();
        assert_eq!(error.message, format!("`{path}` is no number of this mission that can be swept"));
        assert_eq!(error.help, help, "{path}");
    }
    let text = |path: &str, text: &str| mission.setting(path, Some(&[text.to_owned()])).unwrap_err();
    let error = text("Sat.SMA", "low");
    assert_eq!((error.message.as_str(), error.help.as_str()), ("`Sat.SMA` takes numbers, not texts", "found 'low'"));
    let error = text("Sat.Epoch", "tomorrow");
    assert_eq!(error.message, "`Sat.Epoch` = 'tomorrow': not a date of the form '01 Jan 2026 00:00:00.000'");
    assert_eq!(error.help, "written as '01 Jan 2026 00:00:00.000', or as a number: GMAT's modified Julian date");
}

#[test]
fn all_problems_at_once_in_the_order_of_their_places() {
    let script = "Create Spacecraft Sat;
Sat.SMA = big;
RF.Add = {Sat.X};
Create ReportFile RF;
RF.Add = {Sat.Foo, Sat.X, Nobody.X};
Create ForceModel FM;
Create Propagator Prop;
Prop.FM = FM;
Prop.MinStep = 5000;
Create Formation F;
BeginMissionSequence;
Report RF Sat.X;
If Sat.X > 0
   Propagate Prop(Sat) {Sat.Earth.Apoapsis};
   Maneuver B(Sat);
Else
   Propagate Prob(Sat) {Sat.ElapsedSecs = -1};
EndIf;
";
    let expected = [(2, 11), (3, 1), (5, 11), (5, 27), (9, 1), (10, 8), (15, 13), (17, 14), (17, 43)];
    let problems = refused(script);
    assert_eq!(places(&problems), expected, "{problems:#?}");
}

/// Three unsupported lines give three problems, whatever else in the script depends on them.
#[test]
fn no_problem_follows_from_another() {
    for (script, lines) in [
        (
            "Create Spacecraft Sat;\nCreate PropSetup Prop;\nProp.FM = FM;\nProp.Foo = 1;\nCreate Bogus A;\nA(1,1) = 60;\n\
             Create Formation F;\nF.Add = {Sat};\nCreate ReportFile RF;\nRF.Add = {Sat.X, A(1,1), F.X};\nBeginMissionSequence;\n\
             Propagate Prop(F) {F.ElapsedSecs = A(1,1)};\nPropagate Prop(Sat) {Sat.ElapsedSecs = A(1,1)};\n",
            [2, 5, 7],
        ),
        (
            "Create Spacecraft Sat;\nCreate ForceModel FM;\nFM.PrimaryBodies = {Luna};\nCreate Propagator Prop;\nProp.FM = FM;\n\
             Prop.Type = BulirschStoer;\nProp.InitialStepSize = 30;\nBeginMissionSequence;\n\
             Propagate Prop(Sat) {Sat.Earth.Perigee = 1};\n",
            [3, 6, 9],
        ),
        (
            "Create ForceModel FM;\nFM.GravityField.Earth.Degree = 800;\nFM.GravityField.Earth.Order = 8;\nFM.PointMasses = {Moon};\n\
             Create Propagator Prop;\nProp.FM = FM;\nCreate Formation Sat;\nSat.FuelMass = 5;\nBeginMissionSequence;\n\
             Propagate Prop(Sat) {Sat.ElapsedSecs = 60};\n",
            [2, 4, 7],
        ),
        (
            "Create Formation FM;\nCreate Propagator Prop;\nProp.FM = FM;\nCreate Spacecraft Sat;\nSat.SMA = 7000;\nSat.X = 1;\nSat.Y = 2;\n\
             Sat.ECC = 0;\nBeginMissionSequence;\nPropagate BackProp Prop(Sat) {Sat.ElapsedSecs = 60};\n",
            [1, 6, 10],
        ),
    ] {
        let problems = refused(script);
        assert_eq!(problems.iter().map(|p| p.span.unwrap().line).collect::<Vec<_>>(), lines, "{problems:#?}");
    }
}

#[test]
fn a_flood_of_problems_is_counted() {
    for (count, told) in [(300, "and 200 more problems"), (5000, "and at least 900 more problems")] {
        let problems = refused(&with(&"Sat.Foo = 1;\n".repeat(count)));
        assert_eq!(problems.len(), gmat::MAX_PROBLEMS + 1);
        assert_eq!(problems.last().unwrap().message, told);
    }
}
