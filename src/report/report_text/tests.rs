//! The reports of GMAT R2026a under `tests/reference/gmat`, byte for byte. Each `report_X.script` there flies on the
//! engine as it is, and writes one `report_X_y.txt` for each ReportFile `Y`.

use super::*;

/// A report of the engine.
macro_rules! report {
    ($name:literal) => {
        include_str!(concat!("../../../tests/reference/gmat/report_", $name, ".txt"))
    };
}

/// Says where two texts part; equal texts pass.
fn assert_same(name: &str, ours: &str, gmat: &str) {
    for (line, (ours, gmat)) in ours.lines().zip(gmat.lines()).enumerate() {
        assert_eq!(ours, gmat, "{name}, line {}", line + 1);
    }
    assert_eq!(ours, gmat, "{name}: length");
}

/// The values of report_numbers.script, in its order.
const NUMBERS: [f64; 48] = [
    0.0,
    1e-7,
    0.0001,
    0.000_012_345_678_901_234_56,
    0.1,
    1.0,
    -1.5,
    100.0,
    100_000.0,
    123_456_789_012_345.0,
    1_234_567_890_123_456.0,
    12_345_678_901_234_568.0,
    1e15,
    1e16,
    1e17,
    1e22,
    1e23,
    1e100,
    -1e-100,
    -1.5e-100,
    f64::MIN_POSITIVE,
    f64::MAX,
    999.9995,
    1.0 - f64::EPSILON / 2.0,
    12344.5,
    12345.5,
    0.125,
    0.375,
    0.5,
    2.5,
    0.95,
    9.96,
    99.96,
    9.9996,
    9999.5,
    99999.5,
    99_999.999_999_99,
    999_999_999.9,
    9_999_999_999_999_999.0,
    0.000_099_999_999_99,
    0.000_099_996,
    6378.1363,
    -9_876_543_210.123_4,
    -987_654_321.012_3e-45,
    9_876_543_210.123_4,
    -0.0,
    1.0 / 3.0,
    f64::INFINITY,
];

#[test]
fn val_numbers() {
    // (precision, ZeroFill, the engine's report)
    let reports = [
        (1, false, report!("numbers_p1")),
        (2, false, report!("numbers_p2")),
        (3, false, report!("numbers_p3")),
        (5, false, report!("numbers_p5")),
        (9, false, report!("numbers_p9")),
        (16, false, report!("numbers_p16")),
        (17, false, report!("numbers_p17")),
        (20, false, report!("numbers_p20")),
        (60, false, report!("numbers_p60")),
        (1, true, report!("numbers_z1")),
        (2, true, report!("numbers_z2")),
        (3, true, report!("numbers_z3")),
        (9, true, report!("numbers_z9")),
        (16, true, report!("numbers_z16")),
        (40, true, report!("numbers_z40")),
    ];
    for (precision, zero_fill, gmat) in reports {
        let mut writer = ReportWriter::new(ReportSettings { precision, zero_fill, ..ReportSettings::default() });
        let mut ours = String::new();
        for value in NUMBERS {
            writer.row(&["v"], &[Cell::Number(value)], RowSource::Command(0), &mut ours);
        }
        assert_same(&format!("precision {precision}, ZeroFill {zero_fill}"), &ours, gmat);
    }
}

#[test]
fn val_layouts() {
    let plain = ReportSettings::default;
    let reports = [
        ("plain", plain(), report!("layouts_plain")),
        ("no headers", ReportSettings { headers: false, ..plain() }, report!("layouts_noheaders")),
        ("right", ReportSettings { left: false, ..plain() }, report!("layouts_right")),
        (
            "right, no headers",
            ReportSettings { left: false, headers: false, ..plain() },
            report!("layouts_rightnoheaders"),
        ),
        ("free", ReportSettings { fixed_width: false, ..plain() }, report!("layouts_free")),
        ("free, comma", ReportSettings { fixed_width: false, delimiter: ',', ..plain() }, report!("layouts_freecomma")),
        ("free, tab", ReportSettings { fixed_width: false, delimiter: '\t', ..plain() }, report!("layouts_freetab")),
        (
            "free, right",
            ReportSettings { fixed_width: false, left: false, delimiter: ';', ..plain() },
            report!("layouts_freeright"),
        ),
        (
            "free, no headers",
            ReportSettings { fixed_width: false, headers: false, delimiter: ',', ..plain() },
            report!("layouts_freenoheaders"),
        ),
        ("comma", ReportSettings { delimiter: ',', ..plain() }, report!("layouts_comma")),
        (
            "comma, no headers",
            ReportSettings { delimiter: ',', headers: false, ..plain() },
            report!("layouts_commanoheaders"),
        ),
        ("right, comma", ReportSettings { left: false, delimiter: ',', ..plain() }, report!("layouts_rightcomma")),
        ("narrow", ReportSettings { width: 5, ..plain() }, report!("layouts_narrow")),
        (
            "narrow, no headers",
            ReportSettings { width: 5, headers: false, ..plain() },
            report!("layouts_narrownoheaders"),
        ),
        ("wide", ReportSettings { width: 25, precision: 17, ..plain() }, report!("layouts_wide")),
        ("zeros", ReportSettings { zero_fill: true, precision: 9, width: 1, ..plain() }, report!("layouts_zeros")),
    ];
    let number = Cell::Number;
    let text = |text: &str| Cell::Text(text.to_owned());
    let date = |text: &str| Cell::Date(text.to_owned());
    for (name, settings, gmat) in reports {
        let mut writer = ReportWriter::new(settings);
        let mut ours = String::new();
        writer.row(&["v", "Sat.X"], &[number(-0.1), number(7100.0)], RowSource::Command(1), &mut ours);
        let added = ["Sat.UTCGregorian", "Sat.X", "AVariableWhoseNameIsLong", "s", "v"];
        // the shortest digits of the double that report_layouts_wide.txt gives with 17, 7086.4784527695647
        for (at, x) in [("01 Jan 2000 11:59:28.000", 7100.0), ("01 Jan 2000 12:00:28.000", 7_086.478_452_769_565)] {
            let cells = [date(at), number(x), number(0.0), text("some text"), number(-0.1)];
            writer.row(&added, &cells, RowSource::Add, &mut ours);
        }
        let cells = [number(0.0), date("01 Jan 2000 12:00:28.000"), text("some text")];
        let names = ["AVariableWhoseNameIsLong", "Sat.UTCGregorian", "s"];
        writer.row(&names, &cells, RowSource::Command(2), &mut ours);
        assert_same(name, &ours, gmat);
    }
}

/// Rows of nothing but the variable `i`, as report_headers.script has them.
struct Rows {
    writer: ReportWriter,
    text: String,
}

impl Rows {
    fn new(headers: bool) -> Self {
        let writer = ReportWriter::new(ReportSettings { headers, ..ReportSettings::default() });
        Rows { writer, text: String::new() }
    }

    fn row(&mut self, source: RowSource, columns: usize, i: i32) {
        let cells = vec![Cell::Number(f64::from(i)); columns];
        self.writer.row(&vec!["i"; columns], &cells, source, &mut self.text);
    }
}

#[test]
fn val_headers() {
    let [mut looped, mut late, mut again, mut asked] = [true, false, true, true].map(Rows::new);
    for i in 1..=3 {
        looped.row(RowSource::Command(1), 1, i);
        looped.row(RowSource::Command(2), 1, i);
        if i > 1 {
            looped.row(RowSource::Command(3), 2, i);
        }
        late.row(RowSource::Command(4), 1, i);
        late.row(RowSource::Command(5), 2, i);
        if i > 1 {
            late.writer.set_headers(true);
            // the first Propagate gives a row at its start too
            for _ in 0..if i == 2 { 2 } else { 1 } {
                late.row(RowSource::Add, 1, i);
                again.row(RowSource::Add, 1, i);
            }
        }
        again.row(RowSource::Command(6), 1, i);
        again.writer.settings_mut().left = false;
        asked.row(RowSource::Command(9), 1, i);
        if i == 1 {
            asked.writer.set_headers(true);
        }
    }
    again.writer.set_headers(true);
    late.row(RowSource::Add, 1, 3);
    again.row(RowSource::Add, 1, 3);
    again.writer.set_headers(false);
    again.row(RowSource::Command(7), 1, 3);
    again.writer.set_headers(true);
    again.row(RowSource::Command(8), 2, 3);
    assert_same("loop", &looped.text, report!("headers_loop"));
    assert_same("late", &late.text, report!("headers_late"));
    assert_same("again", &again.text, report!("headers_again"));
    assert_same("asked", &asked.text, report!("headers_asked"));
}

#[test]
fn prop_seventeen_digits_give_the_number_back() {
    // any 64 bits that are a finite number: 17 significant digits tell it from its neighbours
    let settings = ReportSettings { precision: 17, ..ReportSettings::default() };
    let zeros = ReportSettings { zero_fill: true, ..settings.clone() };
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        let value = f64::from_bits(bits);
        if value.is_finite() {
            for settings in [&settings, &zeros] {
                let text = number(settings, value);
                assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(bits), "{text}");
            }
        }
    }
}

#[test]
fn prop_odd_input_is_written_without_a_panic() {
    let zeros = |precision| ReportSettings { precision, zero_fill: true, ..ReportSettings::default() };
    for value in [f64::NAN, -f64::NAN] {
        assert_eq!(number(&zeros(16), value), "NaN");
    }
    assert_eq!(number(&zeros(16), f64::NEG_INFINITY), "-inf");
    // a thousand digits: the engine's Precision = 1000 gives 1002 bytes too
    assert_eq!(number(&zeros(1000), 0.1).len(), 1002);
    assert_eq!(number(&zeros(0), 0.1), number(&zeros(1), 0.1));
    assert_eq!(number(&zeros(1000), f64::from_bits(1)).len(), "4.".len() + 999 + "e-324".len());
    let mut writer = ReportWriter::new(ReportSettings { left: false, ..ReportSettings::default() });
    let mut out = String::new();
    writer.row(&[], &[], RowSource::Command(0), &mut out);
    assert_eq!(out, "");
    // widths are bytes, as in GMAT: 8 of them here
    writer.row(&["s"], &[Cell::Text("größer".to_owned())], RowSource::Add, &mut out);
    assert_eq!(out.lines().nth(1).map(str::len), Some(26));
}
