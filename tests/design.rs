//! Designs: the values of every rule against numpy, the laws of the grid, every message.

// Digits are numpy's own, whole; exact values are compared exactly.
#![allow(clippy::unreadable_literal, clippy::float_cmp)]

use proptest::prelude::*;
use std::path::Path;
use sweep_mpi::config;
use sweep_mpi::design::{self, Design};

fn read(section: &str) -> Result<Box<dyn Design>, String> {
    let text = format!("[mission]\nscript = \"a\"\n[output]\nfile = \"b\"\n[design]\n{section}\n");
    config::parse_with("c.toml", Path::new("/d"), text.as_bytes(), design::read)
        .map(|(_, design)| design)
        .map_err(|problems| problems.to_string())
}

fn grid(axes: &str) -> Box<dyn Design> {
    read(&format!("kind = \"grid\"\naxes = {{ {axes} }}")).unwrap_or_else(|problems| panic!("{problems}"))
}

fn refused(axes: &str) -> String {
    match read(&format!("kind = \"grid\"\naxes = {{ {axes} }}")) {
        Ok(_) => panic!("accepted: {axes}"),
        Err(problems) => problems,
    }
}

fn run(design: &dyn Design, run: u64) -> Vec<f64> {
    let mut out = vec![f64::NAN; design.parameters().len()];
    design.values(run, &mut out);
    out
}

/// All values of a grid with one axis.
fn axis(rule: &str) -> Vec<f64> {
    let grid = grid(&format!("A = {{ {rule} }}"));
    (0..grid.runs()).map(|i| run(grid.as_ref(), i)[0]).collect()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// numpy 2.4.6, `repr` of each value (17 digits where they are needed).
#[test]
fn val_linspace_is_numpys_to_the_last_bit() {
    for (rule, expected) in [
        (
            "[0, 1, 7]",
            &[0.0, 0.16666666666666666, 0.3333333333333333, 0.5, 0.6666666666666666, 0.8333333333333333, 1.0][..],
        ),
        ("[8000, 7000, 4]", &[8000.0, 7666.666666666667, 7333.333333333333, 7000.0]),
        ("[5, 5, 3]", &[5.0, 5.0, 5.0]),
        ("[0.1, 0.1, 1]", &[0.1]),
        ("[3, 9, 1]", &[3.0]),
        ("[-0.0, 1, 3]", &[0.0, 0.5, 1.0]),
        ("[-1e308, 7e307, 3]", &[-1e308, -1.5000000000000004e307, 7e307]),
        ("[0, 5e-324, 3]", &[0.0, 0.0, 5e-324]),
        ("[0, 1e-323, 4]", &[0.0, 5e-324, 1e-323, 1e-323]),
        ("[0, 1.5e-323, 10]", &[0.0, 0.0, 5e-324, 5e-324, 5e-324, 1e-323, 1e-323, 1e-323, 1.5e-323, 1.5e-323]),
        (
            "[0.3333333333333333, 0.6666666666666666, 11]",
            &[
                0.3333333333333333,
                0.36666666666666664,
                0.39999999999999997,
                0.43333333333333335,
                0.4666666666666667,
                0.5,
                0.5333333333333333,
                0.5666666666666667,
                0.6,
                0.6333333333333333,
                0.6666666666666666,
            ],
        ),
    ] {
        assert_eq!(bits(&axis(&format!("linspace = {rule}"))), bits(expected), "{rule}");
    }
    let sma = axis("linspace = [7000.0, 8000.0, 1000]");
    assert_eq!(sma.len(), 1000);
    let expected = [
        (0, 7000.0),
        (1, 7001.001001001001),
        (2, 7002.002002002002),
        (333, 7333.333333333333),
        (499, 7499.4994994994995),
        (500, 7500.5005005005005),
        (777, 7777.777777777777),
        (998, 7998.998998998999),
        (999, 8000.0),
    ];
    for (i, value) in expected {
        assert_eq!(sma[i].to_bits(), f64::to_bits(value), "value {i}");
    }
}

#[test]
fn val_powers_of_ten_agree_with_numpy() {
    // Tolerance: numpy and libm each round a power within one unit of the last place, 2.2e-16, and
    // a difference of one in the exponent's last place grows by ln(10) |exponent|.
    for (rule, expected, tolerance) in [
        (
            "logspace = [-1, 2, 7]",
            &[0.1, 0.31622776601683794, 1.0, 3.1622776601683795, 10.0, 31.622776601683793, 100.0][..],
            5e-16,
        ),
        ("logspace = [0.5, 2.5, 3]", &[3.1622776601683795, 31.622776601683793, 316.2277660168379], 5e-16),
        ("logspace = [100, 200, 3]", &[1e100, 1e150, 1e200], 5e-16),
        ("geomspace = [1, 1000, 4]", &[1.0, 10.0, 100.0, 1000.0], 0.0),
        ("geomspace = [1000, 1, 4]", &[1000.0, 100.0, 10.0, 1.0], 0.0),
        ("geomspace = [3, 3, 1]", &[3.0], 0.0),
        (
            "geomspace = [0.001, 7, 6]",
            &[0.001, 0.005875158777411961, 0.03451749065980082, 0.2027957382241643, 1.1914571614494374, 7.0],
            2e-15,
        ),
        ("geomspace = [-2, -32, 5]", &[-2.0, -4.0, -7.999999999999999, -16.0, -32.0], 1e-15),
        ("geomspace = [1e-300, 1e300, 5]", &[1e-300, 1e-150, 1.0, 1e150, 1e300], 1e-13),
        (
            "geomspace = [6378.1363, 42164.17, 5]",
            &[6378.1363, 10227.18791530898, 16399.04946136728, 26295.480777645007, 42164.17],
            2e-15,
        ),
    ] {
        let values = axis(rule);
        assert_eq!(values.len(), expected.len(), "{rule}");
        for (value, expected) in values.iter().zip(expected) {
            assert!(((value - expected) / expected).abs() <= tolerance, "{rule}: {value:e}, numpy {expected:e}");
        }
        if rule.starts_with("geomspace") {
            assert_eq!(values[0].to_bits(), expected[0].to_bits(), "{rule}: first exact");
            assert_eq!(values.last().map(|v| v.to_bits()), expected.last().map(|v| v.to_bits()), "{rule}: last exact");
        }
    }
    assert_eq!(axis("logspace = [-3, 2, 6]"), [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]);
    // Whole powers are exact; libm alone misses 1e-5.
    for (value, exponent) in axis("logspace = [-22, 22, 45]").iter().zip(-22..) {
        assert_eq!(Ok(*value), format!("1e{exponent}").parse());
    }
}

#[test]
fn range_counts_without_adding_up() {
    for (rule, count, last) in [
        ("[0, 1, 0.1]", 11, 1.0),
        ("[0, 0.3, 0.1]", 4, 0.3),
        ("[0.7, 1.0, 0.1]", 4, 1.0),
        ("[0, 1, 0.3]", 4, 0.3 * 3.0),
        ("[7000, 8000, 1]", 1001, 8000.0),
        ("[1, 0, -0.25]", 5, 0.0),
        ("[5, 5, 1]", 1, 5.0),
        ("[5, 5, -1]", 1, 5.0),
        ("[1e20, 1e20, 1]", 1, 1e20),
        ("[0, 10, 20]", 1, 0.0),
        ("[0, 100000, 0.1]", 1_000_001, 100_000.0),
    ] {
        let values = axis(&format!("range = {rule}"));
        assert_eq!(values.len(), count, "{rule}");
        assert_eq!(values[count - 1].to_bits(), f64::to_bits(last), "{rule}");
    }
    let tenths = axis("range = [0, 100000, 0.1]");
    for i in [1, 3, 7, 999_999] {
        assert_eq!(tenths[i].to_bits(), (i as f64 * 0.1).to_bits());
    }
}

#[test]
fn the_first_axis_of_the_file_is_the_slowest() {
    // In neither alphabetical order nor that of the sizes.
    let grid = grid("Z = { values = [1, 2] }, A = { values = [10, 20, 30] }, M = { linspace = [5, 6, 2] }");
    assert_eq!(grid.runs(), 12);
    let paths: Vec<&str> = grid.parameters().iter().map(|p| p.path.as_str()).collect();
    assert_eq!(paths, ["Z", "A", "M"]);
    assert_eq!(
        grid.axes().iter().map(|axis| (axis.path.as_str(), axis.points.count())).collect::<Vec<_>>(),
        [("Z", 2), ("A", 3), ("M", 2)]
    );
    assert_eq!(run(grid.as_ref(), 0), [1.0, 10.0, 5.0]);
    assert_eq!(run(grid.as_ref(), 1), [1.0, 10.0, 6.0]);
    assert_eq!(run(grid.as_ref(), 2), [1.0, 20.0, 5.0]);
    assert_eq!(run(grid.as_ref(), 6), [2.0, 10.0, 5.0]);
    assert_eq!(run(grid.as_ref(), 11), [2.0, 30.0, 6.0]);
    let headers = "kind = \"grid\"\n[design.axes.\"Z.1\"]\nvalues = [1]\n[design.axes.\"A.2\"]\nvalues = [2, 3]\n";
    let grid = read(headers).unwrap();
    assert_eq!(grid.parameters().iter().map(|p| p.path.as_str()).collect::<Vec<_>>(), ["Z.1", "A.2"]);
    assert_eq!(grid.parameters()[1].span.line, 9);
}

#[test]
fn texts_are_indices_with_their_place() {
    let grid = grid("\"Sat.Epoch\" = { values = [\"01 Jan 2026 00:00:00.000\", \"é\"] }, B = { values = [7] }");
    let epoch = &grid.parameters()[0];
    assert_eq!(epoch.text_values.as_deref().unwrap(), ["01 Jan 2026 00:00:00.000", "é"]);
    assert_eq!(epoch.text_spans.iter().map(|s| (s.line, s.column)).collect::<Vec<_>>(), [(7, 36), (7, 64)]);
    assert_eq!(run(grid.as_ref(), 1), [1.0, 7.0]);
    assert_eq!((grid.parameters()[1].text_values.as_ref(), grid.parameters()[1].text_spans.len()), (None, 0));
}

#[test]
fn a_large_grid_is_computed_from_the_run_number() {
    let grid =
        grid("A = { linspace = [0, 1, 1048576] }, B = { range = [0, 1048575, 1] }, C = { logspace = [0, 1, 8192] }");
    assert_eq!(grid.runs(), 1 << 53);
    assert_eq!(run(grid.as_ref(), (1 << 53) - 1), [1.0, 1_048_575.0, 10.0]);
    assert_eq!(run(grid.as_ref(), 8192 * 5), [0.0, 5.0, 1.0]);
}

#[test]
fn a_table_gives_its_rows() {
    let table =
        read("kind = \"table\"\ncolumns = { \"Sat.SMA\" = [7000, 7100.5], \"Sat.Epoch\" = ['a', 'b'] }").unwrap();
    assert_eq!((table.kind(), table.runs(), table.axes().len()), ("table", 2, 0));
    assert_eq!(run(table.as_ref(), 0), [7000.0, 0.0]);
    assert_eq!(run(table.as_ref(), 1), [7100.5, 1.0]);
    assert_eq!(table.parameters()[1].text_values.as_deref().unwrap(), ["a", "b"]);
    let empty = read("kind = \"table\"\ncolumns = { A = [], B = [] }").unwrap();
    assert_eq!((empty.runs(), empty.parameters().len()), (0, 2));
}

#[test]
fn wrong_tables_are_refused() {
    for (columns, expected) in [
        (
            "\"Sat.SMA\" = [1, 2], \"Sat.ECC\" = [1]",
            "c.toml:7:33: the column `Sat.ECC` has length 1, the column `Sat.SMA` has length 2",
        ),
        ("A = [1], B = []", "the column `B` has length 0, the column `A` has length 1"),
        ("A = 3", "c.toml:7:17: `A` cannot be the number `3`"),
        ("A = [1, true]", "c.toml:7:21: `A` cannot be the word `true`"),
        ("A = [1, 'x']", "c.toml:7:21: `A` begins with a number, then comes the text `'x'`"),
        ("A = ['x', 1]", "`A` begins with a text, then comes the number `1`"),
        ("A = ['x', '']", "`A` is empty"),
        ("A = [2026-01-01]", "`A` cannot be the unquoted date `2026-01-01`"),
        ("A = [1, nan]", "c.toml:7:21: the number `nan` is not finite"),
        ("Sat.SMA = [1]", "the column `Sat` cannot be a table"),
    ] {
        let problems = read(&format!("kind = \"table\"\ncolumns = {{ {columns} }}")).err().unwrap();
        assert!(problems.contains(expected), "{columns} gave\n{problems}");
        assert!(problems.contains("allowed: "), "{problems}");
    }
}

#[test]
fn wrong_axes_are_refused() {
    for (axes, expected, help) in [
        (
            "A = { linspace = [0, 1, 0] }",
            "c.toml:7:34: `A.linspace n` cannot be the number `0`",
            "from 1 to 9007199254740992",
        ),
        ("A = { linspace = [0, 1, -2] }", "the number `-2`", "a whole number"),
        ("A = { linspace = [0, 1, 2.5] }", "the number `2.5`", "a whole number"),
        ("A = { linspace = [0, 1, \"3\"] }", "the text `\"3\"`", "a whole number"),
        ("A = { linspace = [0, 1, 9007199254740993] }", "the number `9007199254740993`", "from 1 to"),
        (
            "A = { linspace = [0, 1] }",
            "c.toml:7:27: `A.linspace` is a list of length 2",
            "three values, [start, stop, n]",
        ),
        ("A = { linspace = 3 }", "`A.linspace` cannot be the number `3`", "three values, [start, stop, n]"),
        ("A = { linspace = [true, 'x', 3] }", "`A.linspace` cannot be the word `true`", "a number"),
        (
            "A = { linspace = [-1e308, 1e308, 3] }",
            "`A.linspace`: the distance from -1e308 to 1e308 is too large",
            "apart",
        ),
        ("A = { range = [0, 1, 0] }", "c.toml:7:24: `A.range`: the step is 0", "not 0"),
        (
            "A = { range = [0, 1, -0.1] }",
            "`A.range`: a step of -0.1 leads from 0 away from 1",
            "negative one downwards",
        ),
        ("A = { range = [1, 0, 0.1] }", "leads from 1 away from 0", "a positive step upwards"),
        ("A = { range = [1e20, 2e20, 1] }", "`A.range`: a step of 1e0 is lost in the rounding", "larger step"),
        ("A = { range = [-1e308, 1e308, 1] }", "is lost in the rounding", "larger step"),
        ("A = { range = [0, 1, 1e-320] }", "is lost in the rounding", "larger step"),
        ("A = { range = [0, 1, 'x'] }", "`A.range` cannot be the text `'x'`", "a number"),
        ("A = { range = [0, 1, 2, 3] }", "`A.range` is a list of length 4", "three values, [start, stop, step]"),
        (
            "A = { logspace = [0, 400, 3] }",
            "`A.logspace`: 10 to the power of 0 or of 400",
            "exponents from -307 to 308",
        ),
        ("A = { logspace = [0] }", "`A.logspace` is a list of length 1", "[start exponent, stop exponent, n]"),
        ("A = { geomspace = [0, 1, 3] }", "`A.geomspace`: an end is zero", "of the same sign"),
        ("A = { geomspace = [-1, 1, 3] }", "the ends -1 and 1 differ in sign", "of the same sign"),
        ("A = { values = [] }", "c.toml:7:25: the axis `A` is empty", "at least one value"),
        ("A = { values = 3 }", "`A.values` cannot be the number `3`", "a list of numbers"),
        ("A = { values = [1, 'x'] }", "`A.values` begins with a number", "not both"),
        (
            "A = { values = [1], linspace = [0, 1, 2] }",
            "c.toml:7:30: the axis `A` has two rules, `values` and `linspace`",
            "exactly one of",
        ),
        ("A = {}", "c.toml:7:14: the axis `A` has no rule", "write: \"A\" = { linspace"),
        ("A = [1, 2]", "the axis `A` is a list without a rule", "write: \"A\" = { values = [...] }"),
        ("A = 3", "the axis `A` cannot be the number `3`", "linspace, values, range, logspace, geomspace"),
        (
            "A = { linspaec = [0, 1, 2] }",
            "c.toml:7:16: `linspaec` is not a rule of an axis",
            "did you mean `linspace`?",
        ),
        (
            "Sat.SMA = { values = [1] }",
            "`SMA` is not a rule of an axis",
            "a path with a dot stands in quotes: \"Sat.SMA\"",
        ),
    ] {
        let problems = refused(axes);
        assert!(problems.contains(expected) && problems.contains(help), "{axes} gave\n{problems}");
    }
    let both = refused("A = { linspace = [0, 1, 0] }, B = { values = [] }, C = { values = [1] }");
    assert_eq!(both.matches("c.toml:").count(), 2, "{both}");
    let product = refused("A = { linspace = [0, 1, 4294967296] }, B = { linspace = [0, 1, 4294967296] }");
    assert!(product.contains("c.toml:7:8: the grid has 4294967296 x 4294967296 runs"), "{product}");
    let one_more = refused("A = { linspace = [0, 1, 9007199254740992] }, B = { values = [1, 2] }");
    assert!(one_more.contains("at most 9007199254740992 (2^53) runs"), "{one_more}");
}

#[test]
fn the_canonical_form_knows_meaning_not_spelling() {
    let canonical = |section: &str| read(section).unwrap().canonical().to_string();
    let one =
        canonical("kind = \"grid\"\naxes = { A = { linspace = [7000.0, 8000.0, 10] }, B = { values = [1] } } # words");
    let two =
        canonical("kind='grid'\n[design.axes.A]\nlinspace = [ 7_000, 8e3, 1e1,\n]\n[design.axes.B]\nvalues=[1.0]");
    assert_eq!(one, two);
    assert_eq!(one, r#"{"axes":[["A",{"linspace":[7000.0,8000.0,10]}],["B",{"values":[1.0]}]],"kind":"grid"}"#);
    let others = [
        "kind='grid'\naxes = { B = { values = [1] }, A = { linspace = [7000, 8000, 10] } }",
        "kind='grid'\naxes = { A = { linspace = [7000, 8000, 11] }, B = { values = [1] } }",
        "kind='grid'\naxes = { A = { linspace = [7000, 8000, 10] }, B = { values = ['1'] } }",
        "kind='grid'\naxes = { A = { geomspace = [7000, 8000, 10] }, B = { values = [1] } }",
        "kind='table'\ncolumns = { A = [7000], B = [1] }",
        "kind='table'\ncolumns = { B = [1], A = [7000] }",
    ];
    let mut forms: Vec<String> = others.iter().map(|section| canonical(section)).collect();
    forms.push(one);
    forms.sort();
    forms.dedup();
    assert_eq!(forms.len(), others.len() + 1, "each differs from each");
}

/// An axis as written, with its number of values.
fn any_axis() -> impl Strategy<Value = (String, u64)> {
    prop_oneof![
        (-1e6..1e6f64, -1e6..1e6f64, 1..9u64).prop_map(|(a, b, n)| (format!("linspace = [{a:?}, {b:?}, {n}]"), n)),
        prop::collection::vec(-1e9..1e9f64, 1..7).prop_map(|v| (format!("values = {v:?}"), v.len() as u64)),
        (-1e6..1e6f64, 1e-3..1e3f64, 1..9u64)
            .prop_map(|(a, s, n)| (format!("range = [{a:?}, {:?}, {s:?}]", a + s * (n as f64 - 0.5)), n)),
        (1e-9..1e9f64, 1e-9..1e9f64, 1..9u64).prop_map(|(a, b, n)| (format!("geomspace = [{a:?}, {b:?}, {n}]"), n)),
    ]
}

proptest! {
    /// Nested loops over the axes, the first outermost, meet the runs in their order: run numbers
    /// and points of the product belong to each other one to one.
    #[test]
    fn prop_runs_are_the_product_in_c_order(axes in prop::collection::vec(any_axis(), 1..5)) {
        let written: Vec<String> = axes.iter().enumerate().map(|(i, (rule, _))| format!("\"P{}.x\" = {{ {rule} }}", 9 - i)).collect();
        let grid = grid(&written.join(", "));
        prop_assert_eq!(grid.runs(), axes.iter().map(|(_, n)| n).product::<u64>());
        for (axis, (_, n)) in grid.axes().iter().zip(&axes) {
            prop_assert_eq!(axis.points.count(), *n);
        }
        let mut index = vec![0; axes.len()];
        for number in 0..grid.runs() {
            let expected: Vec<f64> = grid.axes().iter().zip(&index).map(|(axis, i)| axis.points.value(*i)).collect();
            prop_assert_eq!(bits(&run(grid.as_ref(), number)), bits(&expected));
            let horner = index.iter().zip(&axes).fold(0, |number, (i, (_, n))| number * n + i);
            prop_assert_eq!(horner, number);
            for (i, (_, n)) in index.iter_mut().zip(&axes).rev() {
                *i += 1;
                if *i < *n { break; }
                *i = 0;
            }
        }
        prop_assert!(index.iter().all(|i| *i == 0));
    }

    /// Values lie between the ends, in order, the ends exact.
    #[test]
    fn prop_linspace_is_monotonic_with_exact_ends(start in -1e9..1e9f64, stop in -1e9..1e9f64, n in 2..200usize) {
        let mut values = axis(&format!("linspace = [{start:?}, {stop:?}, {n}]"));
        prop_assert_eq!((values.len(), values[0], values[n - 1]), (n, start, stop));
        if stop < start { values.reverse(); }
        prop_assert!(values.windows(2).all(|pair| pair[0] <= pair[1]));
    }

    /// A range ends at its stop or less than a step before it, and never beyond.
    #[test]
    fn prop_range_ends_within_a_step(start in -1000..1000i32, length in 0..1000i32, step in 1..50i32, scale in prop::sample::select(vec![1.0, 0.1, 0.01, 1e-5])) {
        let [start, stop, step] = [start, start + length, step].map(|k| f64::from(k) * scale);
        let values = axis(&format!("range = [{start:?}, {stop:?}, {step:?}]"));
        let last = values[values.len() - 1];
        prop_assert!(last <= stop && stop - last < step);
        let expected = f64::from(length) * scale / step;
        prop_assert_eq!(values.len(), (expected + 1e-9).floor() as usize + 1);
        if (expected - expected.round()).abs() < 1e-9 { prop_assert_eq!(last, stop); }
    }
}

#[test]
fn val_products_and_repetitions_count_like_digits() {
    let ab = "{ kind = \"grid\", axes = { A = { values = [1, 2] }, B = { values = [3, 4, 5] } } }";
    let c = "{ kind = \"table\", columns = { C = [6, 7] }, repeat = 2 }";
    let product = read(&format!("kind = \"product\"\nrepeat = 3\ndesigns = [{ab}, {c}]")).unwrap();
    assert_eq!((product.kind(), product.runs(), product.axes().len()), ("product", 2 * 3 * 2 * 2 * 3, 0));
    for number in 0..product.runs() {
        let digits = number / 3;
        let expected = [1 + digits / 12, 3 + digits / 4 % 3, 6 + digits / 2 % 2].map(|value| value as f64);
        assert_eq!(run(product.as_ref(), number), expected, "run {number}");
    }
}

#[test]
fn val_a_concat_flies_one_design_after_the_other() {
    let parts = "{ kind = \"grid\", axes = { A = { values = [1, 2] }, B = { values = [3] } } }, \
                 { kind = \"table\", columns = { A = [8, 9, 10], B = [0, 1, 2] } }";
    let concat = read(&format!("kind = \"concat\"\ndesigns = [{parts}]")).unwrap();
    let all: Vec<Vec<f64>> = (0..concat.runs()).map(|number| run(concat.as_ref(), number)).collect();
    assert_eq!(all, [[1.0, 3.0], [2.0, 3.0], [8.0, 0.0], [9.0, 1.0], [10.0, 2.0]]);
    let other = read(&format!("kind = \"concat\"\nrepeat = 2\ndesigns = [{parts}]")).unwrap();
    assert_ne!(concat.canonical(), other.canonical());
    assert_eq!(run(other.as_ref(), 5), [8.0, 0.0]);
}

#[test]
fn what_cannot_be_combined_is_told() {
    let grid = |axes: &str| format!("{{ kind = \"grid\", axes = {{ {axes} }} }}");
    let (a, b, large) = (grid("A = { values = [1] }"), grid("B = { values = [1] }"), "A = { linspace = [0, 1, 1e15] }");
    for (section, message) in [
        ("kind = \"product\"".to_owned(), "c.toml:5:1: `designs` is missing under [design], a product needs it"),
        ("kind = \"concat\"\ndesigns = []".to_owned(), "c.toml:7:11: `design.designs` is empty"),
        ("kind = \"concat\"\ndesigns = [1]".to_owned(), "c.toml:7:12: `design.designs` cannot be the number `1`"),
        ("kind = \"concat\"\ndesigns = [{ axes = {} }]".to_owned(), "c.toml:7:12: `kind` is missing in a design"),
        ("kind = \"product\"\ndesigns = [{ kind = \"x\" }]".to_owned(), "c.toml:7:21: `x` is not a kind of design"),
        (format!("kind = \"product\"\ndesigns = [{a}, {a}]"), "the product: `A` is varied by two of its designs"),
        (format!("kind = \"concat\"\ndesigns = [{a}, {b}]"), "the concat: its designs vary different parameters"),
        (
            format!(
                "kind = \"product\"\ndesigns = [{}, {}]",
                grid(large),
                grid("B = { values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }")
            ),
            "1000000000000000 x 10 runs are too many",
        ),
        (
            format!("kind = \"concat\"\nrepeat = 10\ndesigns = [{}]", grid(large)),
            "1000000000000000 x 10 runs are too many",
        ),
        (format!("kind = \"concat\"\nrepeat = 0\ndesigns = [{a}]"), "`design.repeat` cannot be the number `0`"),
    ] {
        let problems = read(&section).err().unwrap_or_else(|| panic!("accepted: {section}"));
        assert!(problems.contains(message), "{section} gave\n{problems}");
    }
}
