//! The grammar of GMAT scripts: every construct, places, problems, hostile input.

use std::fmt::Write as _;
use std::rc::Rc;
use std::time::{Duration, Instant};
use sweep_mpi::astro::world::World;
use sweep_mpi::base::files::Read;
use sweep_mpi::base::problem::{Problems, Span, lines};
use sweep_mpi::gmat::include::expand;
use sweep_mpi::gmat::tree::{
    BinaryOperator, BurnAction, Expression, ExpressionKind, Name, Reference, Script, Setting, SolveAction, Statement,
    StatementKind, UnaryOperator,
};
use sweep_mpi::gmat::{MAX_BYTES, MAX_PROBLEMS, parse};
use sweep_mpi::mission::compile::compile_with;

const REFERENCES: [(&str, &str); 8] = [
    ("backprop_leo", include_str!("reference/gmat/backprop_leo.script")),
    ("burn_finite", include_str!("reference/gmat/burn_finite.script")),
    ("control_flow", include_str!("reference/gmat/control_flow.script")),
    ("full_gto", include_str!("reference/gmat/full_gto.script")),
    ("parameters_leo", include_str!("reference/gmat/parameters_leo.script")),
    ("reportadd_injection", include_str!("reference/gmat/reportadd_injection.script")),
    ("stop_firstoftwob", include_str!("reference/gmat/stop_firstoftwob.script")),
    ("target_hohmann", include_str!("reference/gmat/target_hohmann.script")),
];

fn script(text: &str) -> Script {
    parse("a.script", text.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"))
}

fn problems(text: &str) -> Problems {
    parse("a.script", text.as_bytes()).expect_err("the text has problems")
}

/// The only statement of a mission.
fn command(text: &str) -> Statement {
    let script = script(&format!("BeginMissionSequence\n{text}"));
    assert_eq!((script.resources.len(), script.mission.len()), (0, 1), "{text}");
    script.mission[0].clone()
}

/// The right side of the only resource statement.
fn literal(text: &str) -> Expression {
    let script = script(&format!("A.B = {text}\nBeginMissionSequence"));
    match &script.resources[0].kind {
        StatementKind::Assign { value, .. } => value.clone(),
        other => panic!("{other:?}"),
    }
}

fn formula(text: &str) -> Expression {
    match command(&format!("x = {text}")).kind {
        StatementKind::Assign { value, .. } => value,
        other => panic!("{other:?}"),
    }
}

fn place(span: Span) -> (u32, u32, u32) {
    (span.line, span.column, span.length)
}

/// A formula of numbers, as a machine would carry it out.
fn value(expression: &Expression) -> f64 {
    let truth = |on: bool| if on { 1.0 } else { 0.0 };
    match &expression.kind {
        ExpressionKind::Number(number) => *number,
        ExpressionKind::Unary(UnaryOperator::Minus, x) => -value(x),
        ExpressionKind::Unary(UnaryOperator::Plus, x) => value(x),
        ExpressionKind::Binary(operator, a, b) => {
            let (a, b) = (value(a), value(b));
            match operator {
                BinaryOperator::Or => truth(a + b > 0.0),
                BinaryOperator::And => truth(a * b > 0.0),
                BinaryOperator::Less => truth(a < b),
                BinaryOperator::Equal => truth((a - b).abs() < 1e-12),
                BinaryOperator::Add => a + b,
                BinaryOperator::Subtract => a - b,
                BinaryOperator::Multiply => a * b,
                BinaryOperator::Divide => a / b,
                BinaryOperator::Power => a.powf(b),
                other => panic!("{other:?}"),
            }
        }
        other => panic!("{other:?}"),
    }
}

/// A formula with a parenthesis around every operation.
fn shape(expression: &Expression) -> String {
    let list = |items: &[Expression]| items.iter().map(shape).collect::<Vec<_>>().join(",");
    match &expression.kind {
        ExpressionKind::Number(number) => number.to_string(),
        ExpressionKind::Text(text) => format!("'{text}'"),
        ExpressionKind::Raw(text) => format!("<{text}>"),
        ExpressionKind::List(items) => format!("{{{}}}", list(items)),
        ExpressionKind::Unary(operator, x) => format!("({operator:?} {})", shape(x)),
        ExpressionKind::Binary(operator, a, b) => format!("({operator:?} {} {})", shape(a), shape(b)),
        ExpressionKind::Reference(reference) if reference.indices.is_empty() => reference.path(),
        ExpressionKind::Reference(reference) => format!("{}({})", reference.path(), list(&reference.indices)),
    }
}

fn shapes(items: &[Expression]) -> Vec<String> {
    items.iter().map(shape).collect()
}

fn texts(names: &[Name]) -> Vec<&str> {
    names.iter().map(|name| name.text.as_str()).collect()
}

fn settings(options: &[Setting]) -> Vec<String> {
    options.iter().map(|option| format!("{}={}", option.name.text, shape(&option.value))).collect()
}

#[test]
fn numbers_texts_names_and_lists_are_literals() {
    for (text, expected) in [
        ("7000", "7000"),
        ("1.", "1"),
        ("-.5", "-0.5"),
        ("+1.e2", "100"),
        ("-1.5e-3", "-0.0015"),
        ("1E+5", "100000"),
        ("'a % b; c'", "'a % b; c'"),
        ("''", "''"),
        ("'it''s'", "'it''s'"),
        ("''01 Jan 2000 11:59:28.000''", "'01 Jan 2000 11:59:28.000'"),
        ("On", "On"),
        ("Sat.SMA", "Sat.SMA"),
        ("-R", "(Minus R)"),
        ("{}", "{}"),
        ("{a, 'b', 3}", "{a,'b',3}"),
        ("{a b -3}", "{a,b,-3}"),
        ("[ 1 -2 +3 ]", "{1,-2,3}"),
        ("[1, 2; 3, 4]", "{{1,2},{3,4}}"),
        ("{{CAN, Sat, CAN}, 'Range'}", "{{CAN,Sat,CAN},'Range'}"),
        ("{CCSDS-OEM, ../a.txt}", "{<CCSDS-OEM>,<../a.txt>}"),
        ("{a, , b,}", "{a,b}"),
        ("diag([1.0e-6 2])", "diag({0.000001,2})"),
        ("19 Aug 2015 00:00:00.000", "<19 Aug 2015 00:00:00.000>"),
        ("2015-08-19T00:00:00.000", "<2015-08-19T00:00:00.000>"),
        ("../out/a.txt", "<../out/a.txt>"),
        ("C:\\out\\a.txt", "<C:\\out\\a.txt>"),
        ("CCSDS-OEM", "<CCSDS-OEM>"),
        ("Relative Position", "<Relative Position>"),
        ("25544A", "<25544A>"),
        ("3*4", "<3*4>"),
    ] {
        assert_eq!(shape(&literal(text)), expected, "{text}");
    }
}

#[test]
fn val_formulas_bind_as_measured_on_gmat() {
    for (text, expected) in [
        ("-2^2", -4.0),
        ("2^3^2", 64.0),
        ("2^-1", 0.5),
        ("2^-1^2", 0.25),
        ("2*-3^2", -18.0),
        ("2*(3+4)*-1", -14.0),
        ("-8/2*3 - 2^3*2", -28.0),
        ("10 - 2 - 3 + 1", 6.0),
        ("100/10/2*5", 25.0),
        ("3--2", 5.0),
        ("10 - -3", 13.0),
        ("1 -1", 0.0),
        ("1e-2*2", 0.02),
        ("1 == 1 | 1 == 1 & 1 == 2", 1.0),
        ("1 == 2 & 1 == 2 | 1 == 1", 1.0),
        ("1 + 1 < 3", 1.0),
    ] {
        assert!((value(&formula(text)) - expected).abs() < 1e-15, "{text} = {}", value(&formula(text)));
    }
}

#[test]
fn formulas_have_functions_indices_transposes_and_conditions() {
    for (text, expected) in [
        ("-y", "(Minus y)"),
        ("~y", "(Not y)"),
        ("A'*B", "(Multiply (Transpose A) B)"),
        ("A(1, i+1)", "A(1,(Add i 1))"),
        ("A[1,2]", "A(1,2)"),
        ("sqrt ( x^2 )", "sqrt((Power x 2))"),
        ("mod(17,5)", "mod(17,5)"),
        ("sprintf('%d', x)", "sprintf('%d',x)"),
        ("Python.a.f(x)", "Python.a.f(x)"),
        ("Sat.Earth.RMAG-1", "(Subtract Sat.Earth.RMAG 1)"),
        ("[1 -2; x - 1, -y]", "{{1,-2},{(Subtract x 1),(Minus y)}}"),
        ("a ~= b & c >= 2", "(And (NotEqual a b) (GreaterEqual c 2))"),
    ] {
        assert_eq!(shape(&formula(text)), expected, "{text}");
    }
}

#[test]
fn statements_know_their_places() {
    let script = script(concat!(
        "\u{feff}Create Spacecraft Sat, Sat2;; % two\r\n",
        "  GMAT Sat.X = -7000.5 ;\r",
        "Sat.Name = 'é' % é\n",
        "BeginMissionSequence;\n",
        "\tPropagate 'One day' BackProp P1(Sat, Sat2) ... % no\n",
    ));
    assert_eq!(script.mission.len(), 1);
    let StatementKind::Create { kind, objects } = &script.resources[0].kind else { panic!() };
    assert_eq!(place(script.resources[0].span), (1, 1, 27));
    assert_eq!((place(kind.span), place(objects[1].name.span)), ((1, 8, 10), (1, 24, 4)));
    let StatementKind::Assign { target, value } = &script.resources[1].kind else { panic!() };
    assert_eq!(place(script.resources[1].span), (2, 3, 20));
    assert_eq!((place(target.span), place(value.span)), ((2, 8, 5), (2, 16, 7)));
    assert_eq!(place(target.parts[1].span), (2, 12, 1));
    let StatementKind::Assign { value, .. } = &script.resources[2].kind else { panic!() };
    assert_eq!((shape(value).as_str(), place(value.span)), ("'é'", (3, 12, 3)));
    let label = script.mission[0].label.as_ref().unwrap();
    assert_eq!((label.text.as_str(), place(label.span)), ("One day", (5, 13, 7)));
    let StatementKind::Propagate(propagate) = &script.mission[0].kind else { panic!() };
    assert!(propagate.back_prop && !propagate.synchronized);
    assert_eq!(place(propagate.propagators[0].spacecraft[1].span), (5, 39, 4));
}

#[test]
fn a_continued_statement_has_the_place_of_its_first_line() {
    let script = script(
        "A.B = {a, ... % more\n\n% a comment\n   b c}; A.C = 01 ...\n Jan\nBeginMissionSequence\nx = (1 + ...\n 2)*3",
    );
    assert_eq!(place(script.resources[0].span), (1, 1, 9));
    let StatementKind::Assign { value, .. } = &script.resources[0].kind else { panic!() };
    assert_eq!((shape(value).as_str(), place(value.span)), ("{a,b,c}", (1, 7, 3)));
    let ExpressionKind::List(items) = &value.kind else { panic!() };
    assert_eq!(place(items[2].span), (4, 6, 1));
    let StatementKind::Assign { value, .. } = &script.resources[1].kind else { panic!() };
    assert_eq!((shape(value).as_str(), place(value.span)), ("<01 Jan>", (4, 16, 2)));
    let StatementKind::Assign { value, .. } = &script.mission[0].kind else { panic!() };
    assert_eq!((shape(value).as_str(), place(value.span)), ("(Multiply (Add 1 2) 3)", (7, 5, 4)));
}

#[test]
fn create_include_and_calls() {
    let script = script(
        "#Include 'a b.script'\nCreate Array A[2,2] B[3, 1],C[1,1]\nPhase.SetModelParameter('File', ../a.txt)\nCreate GmatFunction f;\n\
         BeginMissionSequence 'go'\n[a, B(1,1)] = f(x, 'y');\nGMAT [a] = f;\nCallGmatFunction f(x)\nf\nb = f(x)\nx",
    );
    let StatementKind::Include { path } = &script.resources[0].kind else { panic!() };
    assert_eq!((path.text.as_str(), place(path.span)), ("a b.script", (1, 11, 10)));
    let StatementKind::Create { objects, .. } = &script.resources[1].kind else { panic!() };
    let sizes: Vec<_> =
        objects.iter().map(|object| (object.name.text.as_str(), shapes(&object.sizes).join(","))).collect();
    assert_eq!(sizes, [("A", "2,2".into()), ("B", "3,1".into()), ("C", "1,1".into())]);
    let calls: Vec<_> =
        [&script.resources[2], &script.mission[0], &script.mission[1], &script.mission[2], &script.mission[3]]
            .map(|statement| match &statement.kind {
                StatementKind::CallFunction { outputs, function, arguments } => (
                    outputs.iter().map(Reference::path).collect::<Vec<_>>().join(","),
                    function.path(),
                    shapes(arguments).join(","),
                ),
                other => panic!("{other:?}"),
            })
            .into();
    let expected = [
        ("", "Phase.SetModelParameter", "'File',<../a.txt>"),
        ("a,B", "f", "x,'y'"),
        ("a", "f", ""),
        ("", "f", "x"),
        ("", "f", ""),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
    assert_eq!(calls, expected);
    assert!(matches!(script.mission[4].kind, StatementKind::Assign { .. }));
}

#[test]
fn propagate_in_all_its_forms() {
    let text = "Propagate Synchronized P1(S1,S2) -P2(S3, 'STM') {S1.Earth.Apoapsis, S2.A1ModJulian = t + 1, StopTolerance = 1e-7, OrbitColor = [1 2 3]};";
    let StatementKind::Propagate(node) = command(text).kind else { panic!() };
    assert!(node.synchronized && node.back_prop);
    let calls: Vec<_> =
        node.propagators.iter().map(|p| (p.propagator.text.as_str(), p.backwards, texts(&p.spacecraft))).collect();
    assert_eq!(calls, [("P1", false, vec!["S1", "S2"]), ("P2", true, vec!["S3"])]);
    assert_eq!(texts(&node.propagators[1].matrices), ["STM"]);
    let conditions: Vec<_> =
        node.conditions.iter().map(|c| (c.parameter.path(), c.value.as_ref().map(shape))).collect();
    assert_eq!(conditions, [("S1.Earth.Apoapsis".into(), None), ("S2.A1ModJulian".into(), Some("(Add t 1)".into()))]);
    assert_eq!(place(node.conditions[0].parameter.span), (2, 50, 17));
    assert_eq!(settings(&node.options), ["StopTolerance=0.0000001", "OrbitColor={1,2,3}"]);
    let StatementKind::Propagate(old) = command("Propagate Prop(Sat, {Sat.ElapsedSecs = 60})").kind else { panic!() };
    assert_eq!((old.conditions.len(), old.propagators[0].spacecraft.len()), (1, 1));
    let StatementKind::Propagate(step) = command("Propagate Prop(Sat);").kind else { panic!() };
    assert!(step.conditions.is_empty() && !step.back_prop);
}

#[test]
fn burns_reports_toggles_stop_and_other_commands() {
    let StatementKind::Burn { action, back_prop, burn, spacecraft } = command("Maneuver 'x' BackProp B(Sat)").kind
    else {
        panic!()
    };
    assert_eq!(
        (action, back_prop, burn.text.as_str(), texts(&spacecraft)),
        (BurnAction::Maneuver, true, "B", vec!["Sat"])
    );
    let StatementKind::Burn { action, spacecraft, .. } = command("BeginFiniteBurn F(S1, S2);").kind else { panic!() };
    assert_eq!((action, texts(&spacecraft)), (BurnAction::Begin, vec!["S1", "S2"]));
    let StatementKind::Burn { action, .. } = command("EndFiniteBurn 'off' F(S1);").kind else { panic!() };
    assert_eq!(action, BurnAction::End);
    let StatementKind::Report { file, items } = command("Report 'r' RF Sat.X A(1,2) Sat.EarthFixed.Y x;").kind else {
        panic!()
    };
    assert_eq!(file.text, "RF");
    assert_eq!(shapes(&items), ["Sat.X", "A(1,2)", "Sat.EarthFixed.Y", "x"]);
    let StatementKind::Toggle { subscribers, on } = command("Toggle 'off' V1 V2 Off").kind else { panic!() };
    assert_eq!((texts(&subscribers), on), (vec!["V1", "V2"], false));
    assert_eq!(command("Stop;").kind, StatementKind::Stop);
    let StatementKind::Other { keyword, rest } = command("Write 'w' Sat { Style = Script }").kind else { panic!() };
    assert_eq!(
        (keyword.text.as_str(), rest.text.as_str(), place(rest.span)),
        ("Write", "Sat { Style = Script }", (2, 11, 22))
    );
    let StatementKind::Other { keyword, rest } = command("Propgate Prop(Sat) {Sat.ElapsedSecs = 60};").kind else {
        panic!()
    };
    assert_eq!((keyword.text.as_str(), rest.text.as_str()), ("Propgate", "Prop(Sat) {Sat.ElapsedSecs = 60}"));
}

#[test]
fn blocks_hold_what_stands_inside() {
    let script = script(
        "BeginMissionSequence\nIf 'l' x < 1 & (y == 2)\nx = 1\nElseIf x > 3;\nElse;\nStop\nStop\nEndIf;\n\
         While x < 3\nFor 'f' I = 10:-3:1;\nBeginScript 's'\nx = 2\nEndScript;\nEndFor\nEndWhile\nFor I = 1:3\nEndFor",
    );
    let StatementKind::If { branches, otherwise } = &script.mission[0].kind else { panic!() };
    assert_eq!(place(script.mission[0].span), (2, 1, 23));
    assert_eq!(shape(&branches[0].0), "(And (Less x 1) (Equal y 2))");
    assert_eq!((branches.len(), branches[0].1.len(), branches[1].1.len(), otherwise.len()), (2, 1, 0, 2));
    let StatementKind::While { body, .. } = &script.mission[1].kind else { panic!() };
    let StatementKind::For { variable, start, step, end, body } = &body[0].kind else { panic!() };
    let range = [start, step.as_ref().unwrap(), end].map(shape);
    assert_eq!((variable.path().as_str(), range), ("I", ["10".into(), "-3".into(), "1".into()]));
    assert!(matches!(&body[0].kind, StatementKind::Block(inner) if inner.len() == 1));
    assert!(matches!(&script.mission[2].kind, StatementKind::For { step: None, .. }));
}

#[test]
fn solver_commands() {
    let script = script(
        "BeginMissionSequence\nTarget 'Raise' DC {SolveMode = Solve, ExitMode = SaveAndContinue}\n\
         Vary 'v' DC(B.Element1 = 0.1 + x, {Perturbation = 1e-4, Lower = -1})\nAchieve DC(Sat.Earth.RMAG = 42164.17, {Tolerance = 0.1});\nEndTarget\n\
         Optimize O\nMinimize O(Cost)\nNonlinearConstraint O(Sat.ECC <= 0.1 + x)\nNonlinearConstraint O(A(1,1)=3, Tolerance = 0.1)\nEndOptimize",
    );
    let StatementKind::Solve { action, solver, options, body } = &script.mission[0].kind else { panic!() };
    assert_eq!((*action, solver.text.as_str()), (SolveAction::Target, "DC"));
    assert_eq!(settings(options), ["SolveMode=Solve", "ExitMode=SaveAndContinue"]);
    let StatementKind::Vary { variable, initial, options, .. } = &body[0].kind else { panic!() };
    assert_eq!((variable.path().as_str(), shape(initial).as_str()), ("B.Element1", "(Add 0.1 x)"));
    assert_eq!(settings(options), ["Perturbation=0.0001", "Lower=-1"]);
    let StatementKind::Achieve { goal, value, options, .. } = &body[1].kind else { panic!() };
    assert_eq!((goal.path().as_str(), shape(value).as_str(), options.len()), ("Sat.Earth.RMAG", "42164.17", 1));
    let StatementKind::Solve { action: SolveAction::Optimize, body, .. } = &script.mission[1].kind else { panic!() };
    assert!(matches!(&body[0].kind, StatementKind::Minimize { objective, .. } if objective.path() == "Cost"));
    let constraints = body[1..].iter().map(|statement| match &statement.kind {
        StatementKind::NonlinearConstraint { constraint, options, .. } => (shape(constraint), options.len()),
        other => panic!("{other:?}"),
    });
    let constraints: Vec<_> = constraints.collect();
    assert_eq!(constraints, [("(LessEqual Sat.ECC (Add 0.1 x))".into(), 0), ("(Equal A(1,1) 3)".into(), 1)]);
}

#[test]
fn labels_stand_in_front_of_assignments_too() {
    let script = script("BeginMissionSequence\nGMAT 'a b' x = 1\n'c' y = 2; z = 3;; w = 4");
    let labels: Vec<_> = script.mission.iter().map(|s| s.label.as_ref().map(|label| label.text.as_str())).collect();
    assert_eq!(labels, [Some("a b"), Some("c"), None, None]);
    assert_eq!(place(script.mission[3].span), (3, 20, 5));
}

#[test]
fn without_a_begin_literals_are_resources_and_commands_the_mission() {
    // Measured on GMAT: both reports of `Report RF x; x = 5; Report RF x` show 5.
    let script = script(
        "Create Variable x y\nx = 1\nPropagate Prop(Sat)\nSat.Epoch = 01 Jan 2026\nEph.FileFormat = CCSDS-OEM\nx = 5\n\
         y = x + 2\ny = x\nSat.SMA = Sat.SMA + 1\nIf x < 1\ny = x\nEndIf",
    );
    assert_eq!((script.resources.len(), script.mission.len()), (5, 5));
    let told = problems("x = 1\nIf x < 3\nx = 2\nEndIf");
    assert_eq!((told.0.len(), told.0[0].span.map(place)), (1, Some((3, 1, 5))));
    let main = "BeginMissionSequence\n#Include b";
    let included = expanded(main, &[("b", "If x < 3\nx = 2\nEndIf\nSat.X = 5")]).unwrap();
    assert_eq!((included.resources.len(), included.mission.len()), (0, 2));
}

/// A script with the files that it includes, or what is wrong.
fn expanded(text: &str, files: &[(&str, &str)]) -> Result<Script, String> {
    let bytes = |text: &str| Ok(Rc::from(text.as_bytes()));
    let files: Read = files.iter().map(|(name, text)| ((*name).to_owned(), bytes(text))).collect();
    let tree = parse("m.script", text.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
    let expanded = expand("m.script", text, &tree, &files).map_err(|problems| problems.to_string())?;
    Ok(expanded.script)
}

#[test]
fn an_include_stands_for_the_statements_of_its_file() {
    // before the mission, inside a block, twice, one in another
    let parts = [("a", "Create Variable x\nx = 5"), ("b", "x = x + 1"), ("c", "If x > 0\n#Include 'b'\nEndIf")];
    let script =
        expanded("#Include 'a'\nBeginMissionSequence\n#Include b\nFor x = 1:2\n#Include 'c'; % twice\nEndFor", &parts);
    let script = script.unwrap();
    assert_eq!((script.resources.len(), script.mission.len()), (2, 2));
    let StatementKind::For { body, .. } = &script.mission[1].kind else { panic!() };
    let StatementKind::If { branches, .. } = &body[0].kind else { panic!() };
    let place = branches[0].1[0].span;
    assert_eq!((place.line, place.source), (1, 4), "the fourth file that is read");
    // a file that holds BeginMissionSequence: what follows is the mission
    let script =
        expanded("Create Variable x\n#Include 'a'\nx = 7\nx = x + 1", &[("a", "x = 5\nBeginMissionSequence\nx = 6")]);
    let script = script.unwrap();
    assert_eq!((script.resources.len(), script.mission.len()), (2, 3));
}

#[test]
fn an_include_that_is_wrong_is_told_where_it_is() {
    for (text, files, told) in [
        ("#Include 'a'", &[][..], "m.script:1:11: the file `a` cannot be read: it was not read"),
        ("\n#Include a", &[("a", "#Include 'a'")], "a:1:11: `a` includes itself"),
        ("#Include a", &[("a", "#Include b"), ("b", "\n#Include a")], "b:2:10: `a` includes itself"),
        ("#Include a", &[("a", "x = 1\nIf x > 1")], "a:2:1: `If` is never ended"),
        ("#Include a\nBeginMissionSequence", &[("a", "BeginMissionSequence")], "m.script:2:1: `BeginMissionSequence`"),
    ] {
        let problems = expanded(text, files).unwrap_err();
        assert!(problems.starts_with(told), "{problems}");
    }
    // what the compiler has to say stands in the file that is included
    let files: Read = [("a".to_owned(), Ok(Rc::from(&b"Create Spacecraft Sat\nSat.SMAA = 1"[..])))].into();
    let text = "#Include 'a'\nBeginMissionSequence\nSat.Foo = 1";
    let tree = parse("m.script", text.as_bytes()).unwrap();
    let problems = compile_with("m.script", text, &tree, &files, World::gmat()).err().unwrap().to_string();
    assert!(problems.starts_with("m.script:3:1: `Sat.Foo`"), "{problems}");
    assert!(
        problems.contains("a:2:1: field `SMAA` of Spacecraft `Sat` is not supported\n    Sat.SMAA = 1\n    ^^^^^^^^\n"),
        "{problems}"
    );
}

#[test]
fn before_a_begin_literals_are_resources_and_commands_the_mission() {
    let script = script("Report RF x\nx = 5\nBeginMissionSequence\nx = 7\nCreate Variable z");
    assert_eq!((script.resources.len(), script.mission.len()), (1, 3));
}

#[test]
fn every_problem_is_told_at_its_place() {
    for (text, line, column, length, word) in [
        ("A.B = 7000..5", 1, 7, 7, "`7000..5` is not a number"),
        ("A.B = 1d3", 1, 7, 3, "not a number"),
        ("A.B = -1e999", 1, 8, 5, "too large"),
        ("A.B = 'abc", 1, 7, 4, "never closed"),
        ("A.B = {a, b;", 1, 7, 1, "`{` is never closed"),
        ("A.B = [1 2\nA.C = 1", 1, 7, 1, "`[` is never closed"),
        ("A.B = {a, b]", 1, 12, 1, "`]` is not expected"),
        ("A.B = 'a' 'b'", 1, 11, 3, "`'b'` is not expected"),
        ("A.B = \"abc\"", 1, 7, 1, "double quote"),
        ("A.B =", 1, 5, 1, "ends too early"),
        ("A.B = é", 1, 7, 1, "`é` is not plain text"),
        ("= 3", 1, 1, 1, "`=` is not expected"),
        ("A.B = 3 ... more\n4", 1, 13, 4, "`more` stands behind `...`"),
        ("A.B = 3 % so...\nA.C = 3", 1, 9, 7, "GMAT takes the next line"),
        ("Create Spacecraft", 1, 8, 10, "ends too early"),
        ("Create", 1, 1, 6, "ends too early"),
        ("Create Spacecraft 1x", 1, 19, 2, "`1x` is not a number"),
        ("#Include", 1, 2, 7, "ends too early"),
        ("function [a] = f(x)", 1, 1, 8, "function"),
        ("BeginMissionSequence\nx = 1 +", 2, 7, 1, "ends too early"),
        ("BeginMissionSequence\nx = (1 + 2", 2, 5, 1, "`(` is never closed"),
        ("BeginMissionSequence\nx = {a,,b}", 2, 8, 1, "empty"),
        ("BeginMissionSequence\nx = 1 2", 2, 7, 1, "`2` is not expected"),
        ("BeginMissionSequence\nIf x = 3\nEndIf", 2, 6, 1, "`=` is not expected"),
        ("BeginMissionSequence\nIf x < 3\nStop", 2, 1, 2, "`If` is never ended"),
        ("BeginMissionSequence\nStop\nEndFor", 3, 1, 6, "`EndFor` without `For`"),
        ("BeginMissionSequence\nElse", 2, 1, 4, "`Else` without `If`"),
        ("BeginMissionSequence\nIf x < 1\nElse\nElse\nEndIf", 4, 1, 4, "behind `Else`"),
        ("BeginMissionSequence\nFor I = 1\nEndFor", 2, 9, 1, "ends too early"),
        ("BeginMissionSequence\nBeginMissionSequence", 2, 1, 20, "second time"),
        ("BeginMissionSequence\nPropagate Prop(Sat) {}", 2, 22, 1, "`}` is not expected"),
        ("BeginMissionSequence\nPropagate Prop", 2, 11, 4, "ends too early"),
        ("BeginMissionSequence\nPropagate Prop(Sat) {Sat.X = 1", 2, 21, 1, "`{` is never closed"),
        ("BeginMissionSequence\nToggle RF", 2, 8, 2, "ends too early"),
        ("BeginMissionSequence\nReport RF", 2, 8, 2, "ends too early"),
        ("BeginMissionSequence\nManeuver B", 2, 10, 1, "ends too early"),
        ("BeginMissionSequence\nVary DC(x, {})", 2, 10, 1, "`,` is not expected"),
    ] {
        let told = problems(text);
        assert_eq!(told.0.len(), 1, "{text}\n{told}");
        assert_eq!(told.0[0].span.map(place), Some((line, column, length)), "{text}\n{told}");
        assert!(told.0[0].message.contains(word), "{text}\n{told}");
        assert!(!told.0[0].help.is_empty(), "{text}");
    }
}

#[test]
fn all_problems_are_told_in_order() {
    let told = problems("If x < 'a\nx = 1d3\nEndIf\nFor I = 1:2\nWhile x < 3\nEndFor\nA.B = {\nEndTarget");
    let at: Vec<_> = told.0.iter().map(|problem| problem.span.unwrap().line).collect();
    assert_eq!(at, [1, 2, 5, 7, 8], "{told}");
    let many = problems(&"A.B = 1d3\n".repeat(MAX_PROBLEMS + 7));
    assert_eq!(many.0.len(), MAX_PROBLEMS + 1);
    assert!(many.0[MAX_PROBLEMS].message.contains("7 more"));
}

#[test]
fn what_is_not_a_text_is_told_once() {
    for (bytes, word) in [
        (&b"\xff\xfeC\0r\0"[..], "UTF-16"),
        (&b"\xfe\xff\0C\0r"[..], "UTF-16"),
        (&b"Create\0 Spacecraft\0"[..], "NUL"),
        (&b"A.B = '\xe9'"[..], "not UTF-8"),
        (&b"A.B = \xe9"[..], "not plain text"),
    ] {
        let told = parse("a.script", bytes).unwrap_err();
        assert_eq!(told.0.len(), 1, "{told}");
        assert!(told.0[0].message.contains(word) && !told.0[0].help.is_empty(), "{told}");
    }
    assert!(parse("a.script", b"% caf\xe9\nStop % \xe9").is_ok());
    let large = parse("a.script", &vec![b'\n'; MAX_BYTES + 1]).unwrap_err();
    assert!(large.0[0].message.contains("4194305"));
}

#[test]
fn reference_scripts_parse() {
    let counts: Vec<_> = REFERENCES
        .map(|(name, text)| {
            let script = parse(name, text.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
            (name, script.resources.len(), script.mission.len())
        })
        .into();
    let expected = [
        ("backprop_leo", 41, 3),
        ("burn_finite", 68, 8),
        ("control_flow", 44, 7),
        ("full_gto", 49, 2),
        ("parameters_leo", 42, 2),
        ("reportadd_injection", 50, 3),
        ("stop_firstoftwob", 41, 5),
        ("target_hohmann", 47, 5),
    ];
    assert_eq!(counts, expected);
}

/// Every name of a tree.
fn names<'a>(statements: &'a [Statement], found: &mut Vec<&'a Name>) {
    for statement in statements {
        found.extend(&statement.label);
        match &statement.kind {
            StatementKind::Create { kind, objects } => {
                found.push(kind);
                found.extend(objects.iter().map(|object| &object.name));
            }
            StatementKind::Assign { target, value } => {
                of_reference(target, found);
                of_expression(value, found);
            }
            StatementKind::CallFunction { outputs, function, arguments } => {
                outputs.iter().chain([function]).for_each(|reference| of_reference(reference, found));
                of_expressions(arguments, found);
            }
            StatementKind::Include { path } => found.push(path),
            StatementKind::Propagate(node) => {
                for call in &node.propagators {
                    found.push(&call.propagator);
                    found.extend(call.spacecraft.iter().chain(&call.matrices));
                }
                for condition in &node.conditions {
                    of_reference(&condition.parameter, found);
                    condition.value.iter().for_each(|value| of_expression(value, found));
                }
                of_settings(&node.options, found);
            }
            StatementKind::Burn { burn, spacecraft, .. } => found.extend([burn].into_iter().chain(spacecraft)),
            StatementKind::Report { file, items } => {
                found.push(file);
                of_expressions(items, found);
            }
            StatementKind::Toggle { subscribers, .. } => found.extend(subscribers),
            StatementKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    of_expression(condition, found);
                    names(body, found);
                }
                names(otherwise, found);
            }
            StatementKind::While { condition, body } => {
                of_expression(condition, found);
                names(body, found);
            }
            StatementKind::For { variable, start, step, end, body } => {
                of_reference(variable, found);
                [start, end].into_iter().chain(step).for_each(|value| of_expression(value, found));
                names(body, found);
            }
            StatementKind::Solve { solver, options, body, .. } => {
                found.push(solver);
                of_settings(options, found);
                names(body, found);
            }
            StatementKind::Vary { solver, variable: target, initial: value, options }
            | StatementKind::Achieve { solver, goal: target, value, options } => {
                found.push(solver);
                of_reference(target, found);
                of_expression(value, found);
                of_settings(options, found);
            }
            StatementKind::Minimize { solver, objective, options } => {
                found.push(solver);
                of_reference(objective, found);
                of_settings(options, found);
            }
            StatementKind::NonlinearConstraint { solver, constraint, options } => {
                found.push(solver);
                of_expression(constraint, found);
                of_settings(options, found);
            }
            StatementKind::Block(body) => names(body, found),
            StatementKind::Stop => {}
            StatementKind::Other { keyword, rest } => found.extend([keyword, rest]),
        }
    }
}

fn of_reference<'a>(reference: &'a Reference, found: &mut Vec<&'a Name>) {
    found.extend(&reference.parts);
    of_expressions(&reference.indices, found);
}

fn of_expressions<'a>(items: &'a [Expression], found: &mut Vec<&'a Name>) {
    for item in items {
        of_expression(item, found);
    }
}

fn of_settings<'a>(options: &'a [Setting], found: &mut Vec<&'a Name>) {
    for option in options {
        found.push(&option.name);
        of_expression(&option.value, found);
    }
}

fn of_expression<'a>(expression: &'a Expression, found: &mut Vec<&'a Name>) {
    match &expression.kind {
        ExpressionKind::Reference(reference) => of_reference(reference, found),
        ExpressionKind::List(items) => of_expressions(items, found),
        ExpressionKind::Unary(_, x) => of_expression(x, found),
        ExpressionKind::Binary(_, a, b) => [a, b].into_iter().for_each(|x| of_expression(x, found)),
        ExpressionKind::Number(_) | ExpressionKind::Text(_) | ExpressionKind::Raw(_) => {}
    }
}

/// The text under every name of one line is the name. Returns how many there are.
fn check_names(text: &str, script: &Script) -> usize {
    let mut found = Vec::new();
    names(&script.resources, &mut found);
    names(&script.mission, &mut found);
    let rows: Vec<Vec<char>> = lines(text.trim_start_matches('\u{feff}')).map(|line| line.chars().collect()).collect();
    for name in &found {
        let (column, length) = (name.span.column as usize - 1, name.span.length as usize);
        let under: String = rows[name.span.line as usize - 1][column..column + length].iter().collect();
        // The rest of a command may go on behind `...`.
        assert!(under == name.text || name.text.starts_with(&format!("{under} ")), "`{under}` {name:?}");
    }
    found.len()
}

#[test]
fn prop_the_text_under_a_name_is_the_name() {
    for (name, text) in REFERENCES {
        let code = |line: &str| if line.starts_with('%') { String::new() } else { line.replace(", ", ", ...\n\t") };
        let continued = lines(text).map(code).collect::<Vec<_>>().join("\n");
        for text in [text, &text.replace('\n', "\r\n"), &text.replace(";\n", " ;; % c\n"), &continued] {
            let script = parse(name, text.as_bytes()).unwrap_or_else(|problems| panic!("{problems}"));
            assert!(check_names(text, &script) > 80, "{name}");
        }
    }
}

#[test]
fn prop_mutated_scripts_end_quickly_and_keep_their_places() {
    // A linear congruential generator, so that a failure can be repeated.
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let pieces = [
        "'", "{", "}", "(", ")", "[", "]", ";", "...", "%", "\r", "\n", "=", "-", "^", "1e", ".", ",", "é", "If ",
        "EndIf", "\"", " ",
    ];
    let start = Instant::now();
    let (mut good, mut bad) = (0, 0);
    for (name, text) in REFERENCES {
        for _ in 0..400 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=random(4) {
                let at = random(bytes.len());
                match random(4) {
                    0 => bytes[at] = random(256) as u8,
                    1 => drop(bytes.drain(at..(at + random(40)).min(bytes.len()))),
                    2 => drop(bytes.splice(at..at, pieces[random(pieces.len())].bytes())),
                    _ => bytes.truncate(at.max(1)),
                }
                if bytes.is_empty() {
                    bytes.push(b' ');
                }
            }
            match parse(name, &bytes) {
                Ok(script) => {
                    check_names(&String::from_utf8_lossy(&bytes), &script);
                    good += 1;
                }
                Err(problems) => {
                    assert!(!problems.to_string().is_empty());
                    bad += 1;
                }
            }
        }
    }
    assert!(good > 100 && bad > 100, "{good} {bad}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn hostile_nesting_and_length_are_refused() {
    let deep = 200_000;
    let begin = "BeginMissionSequence\n";
    for text in [
        format!("{begin}x = {}1", "(".repeat(deep)),
        format!("{begin}x = {}1", "-".repeat(deep)),
        format!("{begin}x = {}1", "~(".repeat(deep)),
        format!("{begin}x = {}1", "f(".repeat(deep)),
        format!("{begin}x = {}1", "[".repeat(deep)),
        format!("{begin}x = {}1", "a|b&c<d+e*f^(".repeat(deep / 10)),
        format!("A.B = {}", "{".repeat(deep)),
        format!("A.B = {}", "f([".repeat(deep / 10)),
        format!("{begin}x = 1{}", "+1".repeat(deep)),
        format!("{begin}x = 2{}", "^2".repeat(deep)),
        format!("{begin}x = a{}", "'".repeat(deep)),
        format!("{begin}{}", "If x < 1\n".repeat(deep)),
        format!("{begin}{}{}", "If x < 1\n".repeat(deep), "EndFor\n".repeat(deep)),
        format!("{begin}{}{}", "While x < 1\n".repeat(101), "EndWhile\n".repeat(101)),
        "'".repeat(deep),
        format!("A.B = {}", "a ".repeat(deep)),
        "...".repeat(deep),
        "Else\n".repeat(deep),
    ] {
        let start = Instant::now();
        let told = problems(&text);
        assert!(told.0.len() <= MAX_PROBLEMS + 1);
        assert!(start.elapsed() < Duration::from_secs(20), "{}", &text[..60]);
    }
    let mut text = String::from(begin);
    for i in 0..100 {
        writeln!(text, "While x < {i}").unwrap();
    }
    write!(text, "x = {}1{}\n{}", "(".repeat(99), ")".repeat(99), "EndWhile\n".repeat(100)).unwrap();
    assert_eq!(script(&text).mission.len(), 1);
}
